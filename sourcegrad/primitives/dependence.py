"""How elements of results depend on those of arguments: what moves, unites or reduces them; what has a leading axis as it is."""
from __future__ import annotations

import operator

import numpy as np

from sourcegrad import runtime
from sourcegrad.kinds import ANY, Num
from sourcegrad.primitives.core import nondifferentiable

# functions whose results are elements of their arguments in other places, and zeros
MOVING = {np.reshape, np.ravel, np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.expand_dims, np.squeeze, np.atleast_1d,
          np.atleast_2d, np.atleast_3d, np.roll, np.flip, np.fliplr, np.flipud, np.rot90, np.broadcast_to, np.tile, np.repeat,
          np.pad, np.take, np.take_along_axis, np.compress, np.extract, np.concatenate, np.stack, np.vstack, np.hstack, np.dstack,
          np.column_stack, np.append, np.block, np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.delete, np.diagonal,
          np.diag, np.diagflat, np.tril, np.triu, np.array, np.asarray, np.copy, np.ascontiguousarray, np.broadcast_arrays,
          np.meshgrid, np.resize, np.insert, "method flatten", "method copy", "method ravel"}
TRAPEZOIDS = tuple(getattr(np, name) for name in ("trapezoid", "trapz") if name in dir(np))
TRANSFORMS = (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.hfft, np.fft.ihfft)
# functions that take the elements along axes together
REDUCING = {np.sum, np.mean, np.max, np.amax, np.min, np.amin, np.prod, np.var, np.std, np.linalg.norm, np.ptp, np.median,
            np.average, np.nansum, np.nanmean, np.nanprod, np.nanmax, np.nanmin, np.nanvar, np.nanstd, np.partition,
            *TRAPEZOIDS, *TRANSFORMS}
# the axis of those that take one by themselves
LAST_AXIS = {np.partition: -1, **dict.fromkeys((*TRAPEZOIDS, *TRANSFORMS), -1)}
# those whose arguments say which elements go where, and what knows it
ARRANGED = {np.cumsum: runtime.sets_running, np.cumprod: runtime.sets_running, np.diff: runtime.sets_differences,
            np.sort: runtime.sets_sorted, np.convolve: runtime.sets_convolved, np.kron: runtime.sets_paired,
            np.select: runtime.sets_selected, np.choose: runtime.sets_selected, np.bincount: runtime.sets_counted,
            np.interp: runtime.sets_interpolated, np.cross: runtime.sets_crossed,
            **dict.fromkeys((np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.solve, np.linalg.cholesky, np.linalg.eigh,
                             np.linalg.eigvalsh, np.linalg.pinv, np.linalg.matrix_power), runtime.sets_of_matrices)}
# functions of the elements at one place that have no elementwise rule
ALIKE = {np.where, runtime.selected, runtime.divide_or_zero, runtime.quotient, np.conj, np.real, np.imag, runtime.broadcast_like,
         runtime.own, runtime.add, "method astype", float, np.float64, np.float32}
# sums of products that `np.einsum` can write
PRODUCTS = {np.matmul, operator.matmul, np.dot}
# the same, of tangents with a leading axis
LEADING = {np.where, runtime.selected, runtime.divide_or_zero, runtime.quotient, np.conj, np.real, np.imag, np.negative,
           np.positive}

nondifferentiable(runtime.no_indices, runtime.sets_alike, runtime.sets_moved, runtime.sets_reduced, runtime.sets_contracted,
                  runtime.sets_stored, runtime.sets_everywhere, runtime.sets_running, runtime.sets_differences,
                  runtime.sets_sorted, runtime.sets_convolved, runtime.sets_paired, runtime.sets_selected, runtime.sets_counted,
                  runtime.sets_interpolated, runtime.sets_crossed, runtime.sets_of_matrices, kind=lambda *args, **options: ANY)
nondifferentiable(runtime.count_directions, kind=lambda dots: Num("pyint", (), False))
