"""Functions with derivative zero: the one explicit list.

A function is here if a small change of its arguments leaves the result as it is (almost everywhere), or if
the result has nothing to do with the values of the arguments (shapes, types, text); `but` names the parameters for which
that is not so: they are refused where they depend on the inputs. Functions that *select*
values (`sort`, `unique`, `median`) are not: they have rules, or are refused. Nor are random functions: they
are impure.
"""
from __future__ import annotations

import bisect
import cmath
import math
import operator

import numpy as np

from sourcegrad import kinds
from sourcegrad.kinds import ANY, BOOL, FLOAT, INT, Const, Num, as_num, results
from sourcegrad.rules import array_kinds, discrete_kinds, linalg_kinds, result_kinds, shape_kinds
from sourcegrad.rules.core import available, nondifferentiable
from sourcegrad.rules.discrete_kinds import always
from sourcegrad.runtime.core import aux
from sourcegrad.runtime.elementwise import first_position, interval_of
from sourcegrad.runtime.lists import heap_positions
from sourcegrad.runtime.numpy_library import histogram_places, running_places, unique_places
from sourcegrad.runtime.writers import diagonal_index, index_along, separate_writes, split_bounds


def elementwise(*functions):
    for function in functions:
        nondifferentiable(function, kind=results.elementwise(function))


def reductions(*functions):
    for function in functions:
        nondifferentiable(function, kind=result_kinds.reduction(function))


def rounded_array(a, decimals=None, out=None):
    return results.elementwise(np.positive)(a)


def rounded_number(number, ndigits=Const(None)):
    number = as_num(number)
    if not isinstance(number, Num) or not number.is_scalar or number.is_complex is not False:
        return ANY
    return INT if ndigits == Const(None) else number


# --- elementwise ------------------------------------------------------------------------------------

# comparisons
elementwise(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)
elementwise(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
elementwise(np.isclose, np.isfinite, np.isinf, np.isnan, np.isnat, np.isneginf, np.isposinf, np.iscomplex,
np.isreal,
            np.signbit)

# steps
elementwise(np.floor, np.ceil, np.trunc, np.rint, np.fix, np.sign, np.floor_divide, np.spacing,
            operator.floordiv)
nondifferentiable(np.round, np.around, *available(np, "round_"), kind=rounded_array)

# logic and integers
elementwise(np.logical_and, np.logical_or, np.logical_xor, np.logical_not, np.bitwise_and, np.bitwise_or,
            np.bitwise_xor, np.invert, np.left_shift, np.right_shift, np.gcd, np.lcm)
elementwise(operator.and_, operator.or_, operator.xor, operator.invert, operator.lshift, operator.rshift)
elementwise(*available(np, "bitwise_count"))
elementwise(np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)

# --- what the arrays as a whole are like ------------------------------------------------------------

reductions(np.argmax, np.argmin, np.nanargmax, np.nanargmin, np.any, np.all, np.count_nonzero)
nondifferentiable(np.allclose, np.array_equal, np.array_equiv, kind=always(BOOL))
nondifferentiable(np.linalg.matrix_rank, kind=linalg_kinds.matrix_rank)

# positions
nondifferentiable(np.argsort, kind=shape_kinds.argsort)
nondifferentiable(np.argpartition, kind=shape_kinds.argpartition)
nondifferentiable(np.flatnonzero, kind=shape_kinds.positions)
nondifferentiable(np.nonzero, kind=shape_kinds.nonzero)
nondifferentiable(np.searchsorted, kind=shape_kinds.searchsorted)
nondifferentiable(np.digitize, kind=shape_kinds.digitize)
nondifferentiable(bisect.bisect_left, bisect.bisect_right, kind=always(INT))
nondifferentiable(np.tril_indices, np.triu_indices, np.tril_indices_from, np.triu_indices_from,
np.mask_indices,
                  kind=shape_kinds.index_pair)
nondifferentiable(np.argwhere, kind=discrete_kinds.argwhere)
nondifferentiable(np.lexsort, kind=discrete_kinds.lexsort)
nondifferentiable(np.diag_indices, kind=discrete_kinds.diag_indices)
nondifferentiable(np.diag_indices_from, kind=discrete_kinds.diag_indices_from)
nondifferentiable(np.indices, kind=discrete_kinds.indices)
nondifferentiable(np.ix_, kind=discrete_kinds.ix_, but=("*",))
nondifferentiable(np.unravel_index, kind=discrete_kinds.unravel_index)
nondifferentiable(np.ravel_multi_index, kind=discrete_kinds.ravel_multi_index)
nondifferentiable(np.isin, kind=discrete_kinds.isin)
for older in available(np, "in1d"):
    nondifferentiable(older, kind=discrete_kinds.in1d)
nondifferentiable(np.ma.isMaskedArray, np.ma.is_masked,             # libraries ask; arguments never are
                  kind=lambda x: kinds.Const(False) if isinstance(as_num(x), Num) else BOOL)
nondifferentiable(np.packbits, np.unpackbits, kind=discrete_kinds.packed)
nondifferentiable(np.ndindex)

# shapes and types
nondifferentiable(np.ndim, kind=discrete_kinds.rank)
nondifferentiable(np.size, kind=always(INT))
nondifferentiable(np.isscalar, np.iscomplexobj, np.isrealobj, np.iterable, np.isfortran, np.issubdtype,
np.can_cast,
                  np.shares_memory, np.may_share_memory, *available(np, "isdtype"), kind=always(BOOL))
nondifferentiable(np.shape, kind=discrete_kinds.shape)
nondifferentiable(np.broadcast_shapes, kind=discrete_kinds.broadcast_shapes)
nondifferentiable(np.result_type, np.promote_types, np.min_scalar_type, np.dtype, kind=always(discrete_kinds.DTYPE))
nondifferentiable(np.einsum_path, kind=always(kinds.Tup((kinds.Lst(ANY), discrete_kinds.TEXT))))
nondifferentiable(np.common_type, np.finfo, np.iinfo)

# new arrays of constants (`full`, `arange` and `linspace` have rules)
nondifferentiable(np.zeros, np.ones, np.empty, kind=array_kinds.filled)
nondifferentiable(np.ndarray, kind=array_kinds.filled, but=("", "", "buffer"))
nondifferentiable(np.zeros_like, np.ones_like, np.empty_like, kind=array_kinds.filled_like)
nondifferentiable(np.eye, np.tri, kind=array_kinds.eye)
nondifferentiable(np.identity, kind=array_kinds.identity)
nondifferentiable(np.hanning, np.hamming, np.blackman, np.bartlett, kind=array_kinds.filled, but=("M",))

# text and settings
nondifferentiable(np.array2string, np.array_repr, np.array_str, np.format_float_positional, np.format_float_scientific,
                  kind=lambda *values, **options: kinds.text_from(*values))
nondifferentiable(np.base_repr, np.binary_repr, kind=always(discrete_kinds.TEXT))
nondifferentiable(np.set_printoptions, kind=always(Const(None)))
nondifferentiable(np.seterr, np.geterr, np.get_printoptions, kind=always(kinds.Map(discrete_kinds.TEXT, ANY)))
nondifferentiable(np.printoptions, np.errstate)

# --- numbers ----------------------------------------------------------------------------------------

nondifferentiable(math.floor, math.ceil, math.trunc, math.factorial, math.comb, math.perm, math.gcd, math.lcm,
                  math.isqrt, int, len, ord, hash, id, operator.index, kind=always(INT))
nondifferentiable(math.ulp, kind=always(FLOAT))
nondifferentiable(math.isclose, math.isfinite, math.isinf, math.isnan,
                  cmath.isclose, cmath.isfinite, cmath.isinf, cmath.isnan, kind=always(BOOL))
nondifferentiable(round, kind=rounded_number)

# --- truth, types, text -----------------------------------------------------------------------------

nondifferentiable(bool, any, all, isinstance, issubclass, callable, hasattr, operator.truth, operator.not_,
                  operator.is_, operator.is_not, operator.contains, kind=always(BOOL))
nondifferentiable(range, kind=always(kinds.Obj(range)))
nondifferentiable(slice, kind=always(kinds.Obj(slice)), but=("*",))
nondifferentiable(str, repr, format, ascii, kind=lambda *values: kinds.text_from(*values))
nondifferentiable(chr, bin, hex, oct, kind=always(discrete_kinds.TEXT))
nondifferentiable(print, kind=always(Const(None)))
nondifferentiable(type)

# --- helpers of the rules ---------------------------------------------------------------------------

nondifferentiable(aux, kind=lambda x: x)
nondifferentiable(interval_of, kind=lambda x, knots: shape_kinds.searchsorted(knots, x))
nondifferentiable(first_position, kind=always(INT))
nondifferentiable(diagonal_index, kind=discrete_kinds.diagonal_index)
nondifferentiable(index_along, kind=discrete_kinds.index_along)
nondifferentiable(separate_writes, kind=discrete_kinds.separate_writes)
nondifferentiable(split_bounds, kind=discrete_kinds.split_bounds)
nondifferentiable(heap_positions, kind=always(kinds.Lst(INT)))


def places(rank):
    """An array of positions of some rank (None: not known)."""
    return Num("int64", None if rank is None else (None,) * rank, True)


nondifferentiable(np.polynomial.legendre.leggauss, np.polynomial.hermite.hermgauss, np.polynomial.laguerre.laggauss,
                  np.polynomial.chebyshev.chebgauss, np.polynomial.hermite_e.hermegauss,
                  kind=lambda deg: kinds.Tup((Num("float64", array_kinds.shape_of(deg), True),) * 2))
nondifferentiable(histogram_places, kind=always(places(1)))
nondifferentiable(running_places, kind=lambda array, *others: places(array.ndim if isinstance(array, Num) else None))
nondifferentiable(unique_places, kind=always(kinds.Tup((places(1), places(None), places(1)))))
