"""How many roundings functions make: none, one of the result, one a term of a sum, or those of a backward stable algorithm."""
from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from sourcegrad import runtime
from sourcegrad.kinds import ANY
from sourcegrad.primitives.core import describe, nondifferentiable

# functions that give numbers which they are given, with their signs changed or not, or parts of them
EXACT: set[Any] = {operator.neg, operator.pos, operator.abs, abs, math.fabs, math.copysign, math.fmod, math.frexp,
                   math.ldexp, math.modf, math.remainder, np.negative, np.positive, np.fabs, np.absolute, np.copysign, np.fmod,
                   np.frexp, np.ldexp, np.modf, np.conjugate, np.real, np.imag, np.clip, np.maximum, np.minimum, np.fmax, np.fmin,
                   np.heaviside, np.nan_to_num, np.where, np.select, np.choose, np.insert, np.full, np.full_like, np.sort,
                   np.partition, np.fft.fftshift, np.fft.ifftshift, np.fromiter, np.setdiff1d, np.nanmax, np.nanmin, "method item",
                   "method tolist", complex}
# conversions of dtype, which round where the new one holds fewer digits
CASTS: set[Any] = {float, np.float32, np.float64, np.longdouble, np.complex64, np.complex128, np.array, np.asarray,
                   "method astype", getattr(np, "astype", "method astype")}
# functions whose result is the exact one, rounded once: what IEEE 754 asks of these operations
CORRECT: set[Any] = {operator.add, operator.sub, operator.mul, operator.truediv, np.add, np.subtract, np.multiply, np.divide,
                     np.sqrt, math.sqrt, np.square, np.reciprocal, math.fsum, np.outer, np.kron, np.diff, np.ptp, np.median,
                     np.multiply.outer, np.add.outer, np.subtract.outer, runtime.add, runtime.index_add, runtime.quotient,
                     runtime.divide_or_zero}
SUMS: set[Any] = {np.sum, np.mean, sum, np.add.reduce}
PRODUCTS: set[Any] = {np.matmul, operator.matmul, np.dot, np.inner, np.vdot, np.einsum, np.tensordot, np.trace,
                      np.convolve, np.linalg.multi_dot,
                      *(getattr(np, name, np.matmul) for name in ("vecdot", "matvec", "vecmat")),
                      *(getattr(np.linalg, name, np.matmul) for name in ("matmul", "tensordot", "trace", "outer", "vecdot"))}
# sums of which all results between are given
RUNNING: set[Any] = {np.cumsum, np.add.accumulate}
SPREADS: set[Any] = {np.var, np.std}
# products of many factors
REPEATED: set[Any] = {np.prod, np.cumprod, math.prod, np.multiply.reduce, np.vander}
# algorithms whose error is that of an argument which is off by a part of its norm, beside those of linear algebra
NORMWISE: set[Any] = {np.linalg.matrix_power, np.roots, np.cov, np.cross, np.nanvar, np.nanstd}
LAST = 2.0                                  # a function that is off by less than one unit in the last place makes so many roundings
WIDE = {"float32": 8.0, "float16": 2.0, "complex64": 8.0}   # vector code of NumPy: up to four of them in single precision
SPECIAL = 16.0                              # erf, gamma and the like


def is_normwise(function: Any) -> bool:
    """Whether the error of a function is that of an argument which is off by a part of its norm."""
    module = getattr(function, "__module__", None) or ""
    of_linalg = module.startswith(("numpy.linalg", "numpy.fft", "scipy.")) and function not in (np.linalg.norm, *PRODUCTS)
    return function in NORMWISE or of_linalg


def roundings_of(function: Any, dtype: str | None) -> float:
    """How many roundings an elementwise function makes at most."""
    if function in CORRECT:
        return 1.0
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", None) or ""
    composed = ("erf", "erfc", "gamma", "lgamma", "sinc", "logaddexp", "logaddexp2", "degrees", "radians")
    if name in composed or module.startswith("scipy."):
        return SPECIAL
    return WIDE.get(dtype or "", LAST)


nondifferentiable(runtime.rounded, runtime.rounded_inside, runtime.rounding_calls, runtime.rounding_called, kind=lambda *args: ANY)
describe(runtime.rounded, runtime.rounded_inside, runtime.rounding_calls, runtime.rounding_called, effect="calls")
nondifferentiable(runtime.sums_rounded, runtime.products_rounded, runtime.powers_rounded, runtime.spread_rounded,
                  runtime.narrowed,
                  kind=lambda *args, **options: ANY)
