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
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad import kinds
from sourcegrad.kinds import ANY, BOOL, FLOAT, INT, Const, Kind, Lst, Num, Obj, Rest, Tup, as_num, broadcast, results, times
from sourcegrad.kinds.results import INDEX, axes_of, constant, dims_of, elements, fresh, leaf, shape_of, value
from sourcegrad.primitives import creation, linalg, reductions, selection
from sourcegrad.primitives.core import ZERO_DERIVATIVE, available, declare, describe, nondifferentiable
from sourcegrad.runtime import containers, library, numpy_library, shapes
from sourcegrad.runtime.containers import end_of, heap_positions, leaving, rising
from sourcegrad.runtime.core import aux
from sourcegrad.runtime.elementwise import first_position, interval_of
from sourcegrad.runtime.numpy_library import histogram_places, running_places, unique_places
from sourcegrad.runtime.shapes import diagonal_index, index_along, separate_writes, split_bounds

DTYPE = Obj(np.dtype)
TEXT = Obj(str)
MATCH = Obj(re.Match, optional=True)


def size_kind(size: Any) -> Kind:
    """The kind of an int that is a size."""
    return Const(size) if isinstance(size, int) else Num("pyint", (), False, size)


def as_shape(sizes: tuple) -> Kind:
    return Tup(tuple(map(size_kind, sizes)))


# --- positions -------------------------------------------------------------------------------------------

def lexsort_kind(keys: Kind, axis: Kind | None = None) -> Kind:
    _, rows = elements(keys)
    return value(INDEX, rows[0].dims)


def rank_kind(a: Kind) -> Kind:
    """The number of axes, where it is known when the code is generated."""
    found = as_num(a)
    return INT if not isinstance(found, Num) or found.dims is None else Const(len(found.dims))


def diag_indices_kind(n: Kind, ndim: Kind = Const(2)) -> Kind:
    (size,) = shape_of(n)
    return Tup((fresh(INDEX, (size,)),) * constant(ndim))


def diag_indices_from_kind(arr: Kind) -> Kind:
    dims = dims_of(leaf(arr))
    return Tup((fresh(INDEX, (dims[0],)),) * len(dims))


def indices_kind(dimensions: Kind, dtype: Kind | None = None, sparse: Kind = Const(False)) -> Kind:
    sizes = shape_of(dimensions)
    own = INDEX if dtype is None else None
    if constant(sparse):
        return Tup(tuple(fresh(own, tuple(n if k == j else 1 for k, n in enumerate(sizes))) for j in range(len(sizes))))
    return fresh(own, (len(sizes), *sizes))


def ix__kind(*args: Kind) -> Kind:
    """Integers; of booleans the positions of those that are true."""
    grid: list[Kind] = []
    for place, arg in enumerate(args):
        model = leaf(arg)
        size = dims_of(model)[0] if model.dtype not in (None, "bool") else None
        grid.append(fresh(INDEX if model.dtype in (INDEX, "bool") else None,
                          tuple(size if k == place else 1 for k in range(len(args)))))
    return Tup(tuple(grid))


def ravel_multi_index_kind(multi_index: Kind, dims: Kind, *_: Kind, **__: Kind) -> Kind:
    count, parts = elements(multi_index)
    return value(INDEX, broadcast(*(part.dims for part in parts)))


def in1d_kind(ar1: Kind, *_: Kind, **__: Kind) -> Kind:
    dims = leaf(ar1).dims
    return fresh("bool", (None if dims is None else times(*dims),))


def packed_kind(a: Kind, axis: Kind = Const(None), *_: Kind, **__: Kind) -> Kind:
    """packbits, unpackbits: bytes, of another size along the axis."""
    if axis == Const(None):
        return fresh("uint8", (None,))
    dims = dims_of(leaf(a))
    (place,) = axes_of(axis, len(dims))
    return fresh("uint8", dims[:place] + (None,) + dims[place + 1:])


# --- helpers of functions that write ---------------------------------------------------------------------

def index_along_kind(array: Kind, indices: Kind, axis: Kind) -> Kind:
    dims = dims_of(leaf(array))
    (place,) = axes_of(axis, len(dims))
    return Tup(tuple(as_num(indices) if k == place else fresh(INDEX, tuple(n if j == k else 1 for j in range(len(dims))))
                     for k, n in enumerate(dims)))


def split_bounds_kind(array: Kind, count: Kind, axis: Kind, equal: Kind) -> Kind:
    return Tup((INT,) * (constant(count) + 1)) if isinstance(count, Const) else Rest(INT)


def always(kind: Kind) -> Callable:
    return lambda *args, **options: kind


def elementwise(*functions):
    for function in functions:
        nondifferentiable(function, kind=results.elementwise(function))


def reducing(*functions):
    for function in functions:
        nondifferentiable(function, kind=reductions.reduction_kind(function))


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
SAME_INTEGERS: Any = {"result": "may view"} if np.__version__.startswith("1.") else {}     # NumPy 1 gives them back as they are
nondifferentiable(np.round, np.around, *available(np, "round_"), kind=rounded_array, **SAME_INTEGERS)

# logic and integers
elementwise(np.logical_and, np.logical_or, np.logical_xor, np.logical_not, np.bitwise_and, np.bitwise_or,
            np.bitwise_xor, np.invert, np.left_shift, np.right_shift, np.gcd, np.lcm)
elementwise(operator.and_, operator.or_, operator.xor, operator.invert, operator.lshift, operator.rshift)
elementwise(*available(np, "bitwise_count"))
elementwise(np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)

# --- what the arrays as a whole are like ------------------------------------------------------------

reducing(np.argmax, np.argmin, np.nanargmax, np.nanargmin, np.any, np.all, np.count_nonzero)
nondifferentiable(np.allclose, np.array_equal, np.array_equiv, kind=always(BOOL))
nondifferentiable(np.linalg.matrix_rank, kind=linalg.matrix_rank_kind)

# positions
nondifferentiable(np.argsort, kind=selection.argsort_kind)
nondifferentiable(np.argpartition, kind=lambda a, kth, axis=Const(-1), *args, **others: selection.argsort_kind(a, axis))
nondifferentiable(np.flatnonzero, kind=selection.positions_kind)
nondifferentiable(np.nonzero, kind=selection.nonzero_kind)
nondifferentiable(np.searchsorted, kind=selection.searchsorted_kind)
nondifferentiable(np.digitize, kind=lambda x, bins, *args, **options: value(INDEX, leaf(x).dims))
nondifferentiable(bisect.bisect_left, bisect.bisect_right, kind=always(INT))
nondifferentiable(np.tril_indices, np.triu_indices, np.tril_indices_from, np.triu_indices_from,
np.mask_indices,
                  kind=selection.index_pair_kind)
nondifferentiable(np.argwhere, order="other", kind=lambda a: fresh(INDEX, (None, len(dims_of(leaf(a))))))
nondifferentiable(np.lexsort, kind=lexsort_kind)
nondifferentiable(np.diag_indices, kind=diag_indices_kind)
nondifferentiable(np.diag_indices_from, kind=diag_indices_from_kind)
nondifferentiable(np.indices, kind=indices_kind)
nondifferentiable(np.ix_, result="may view", kind=ix__kind, but=("*",))
nondifferentiable(np.unravel_index,
                  kind=lambda indices, shape, order=None: Tup((value(INDEX, leaf(indices).dims),) * len(shape_of(shape))))
nondifferentiable(np.ravel_multi_index, kind=ravel_multi_index_kind)
nondifferentiable(np.isin, kind=lambda element, *_, **__: fresh("bool", leaf(element).dims))
for older in available(np, "in1d"):
    nondifferentiable(older, kind=in1d_kind)
nondifferentiable(np.ma.isMaskedArray, np.ma.is_masked,             # libraries ask; arguments never are
                  kind=lambda x: kinds.Const(False) if isinstance(as_num(x), Num) else BOOL)
nondifferentiable(np.packbits, np.unpackbits, kind=packed_kind)
nondifferentiable(np.ndindex)

# shapes and types
nondifferentiable(np.ndim, shaped=0, kind=rank_kind)
nondifferentiable(np.size, shaped=0, kind=always(INT))
nondifferentiable(np.isscalar, np.iscomplexobj, np.isrealobj, np.iterable, np.isfortran, np.issubdtype,
np.can_cast,
                  np.shares_memory, np.may_share_memory, *available(np, "isdtype"), kind=always(BOOL))
describe(np.shares_memory, np.may_share_memory, asks_memory=True)
nondifferentiable(np.shape, shaped=0, kind=lambda a: as_shape(dims_of(leaf(a))))
nondifferentiable(np.broadcast_shapes, kind=lambda *shapes: as_shape(broadcast(*map(shape_of, shapes)) or ()))
nondifferentiable(np.result_type, np.promote_types, np.min_scalar_type, np.dtype, kind=always(DTYPE))
nondifferentiable(np.einsum_path, kind=always(kinds.Tup((kinds.Lst(ANY), TEXT))))
nondifferentiable(np.common_type)
LIMIT = Num(None, (), False, real=True)                 # a number of the dtype that was asked about
LIMITS = ("eps", "epsneg", "max", "min", "resolution", "smallest_normal", "smallest_subnormal", "tiny")
COUNTS = ("bits", "iexp", "machep", "maxexp", "minexp", "negep", "nexp", "nmant", "precision")
def finfo_kind(dtype: Kind) -> Kind:
    """The limits of a floating-point type, which are numbers of that type."""
    asked = dtype.value if isinstance(dtype, (kinds.Const, kinds.Fn)) else dtype.dtype if isinstance(dtype, Num) else None
    try:
        name = np.finfo(asked).dtype.name if asked is not None else None
    except (TypeError, ValueError):
        name = None
    limit = Num(name, (), False) if name in ("float32", "float64") else LIMIT
    return kinds.Obj(np.finfo, (("dtype", DTYPE), *((part, limit) for part in LIMITS), *((part, INT) for part in COUNTS)))


nondifferentiable(np.finfo, kind=finfo_kind)
nondifferentiable(np.iinfo, kind=always(kinds.Obj(np.iinfo, (("dtype", DTYPE), *((name, INT) for name in ("bits", "max", "min"))))))

# new arrays of constants (`full`, `arange` and `linspace` have rules)
nondifferentiable(np.zeros, np.ones, np.empty, kind=creation.filled_kind)
nondifferentiable(np.ndarray, kind=creation.filled_kind, but=("", "", "buffer"))
nondifferentiable(np.zeros_like, np.ones_like, np.empty_like, real="kept", kind=creation.filled_like_kind)
describe(np.zeros_like, np.ones_like, shaped=0)
describe(np.zeros, np.zeros_like, fills=0.0)
describe(np.ones, np.ones_like, fills=1.0)
nondifferentiable(np.eye, np.tri, kind=creation.eye_kind)
nondifferentiable(np.identity, kind=lambda n, dtype=None, **others: creation.eye_kind(n, dtype=dtype))
nondifferentiable(np.hanning, np.hamming, np.blackman, np.bartlett, kind=creation.filled_kind, but=("M",))

# text and settings
nondifferentiable(np.array2string, np.array_repr, np.array_str, np.format_float_positional, np.format_float_scientific,
                  kind=lambda *values, **options: kinds.text_from(*values))
nondifferentiable(np.base_repr, np.binary_repr, kind=always(TEXT))
nondifferentiable(np.set_printoptions, kind=always(Const(None)))
nondifferentiable(np.seterr, np.geterr, np.get_printoptions, kind=always(kinds.Map(TEXT, ANY)))
nondifferentiable(np.printoptions, np.errstate)

# --- numbers ----------------------------------------------------------------------------------------

nondifferentiable(math.floor, math.ceil, math.trunc, math.factorial, math.comb, math.perm, math.gcd, math.lcm,
                  math.isqrt, int, len, ord, hash, id, operator.index, kind=always(INT))
nondifferentiable(math.ulp, kind=always(FLOAT))
nondifferentiable(math.isclose, math.isfinite, math.isinf, math.isnan,
                  cmath.isclose, cmath.isfinite, cmath.isinf, cmath.isnan, kind=always(BOOL))
describe(np.isnan, np.isfinite, math.isnan, math.isfinite, nan_aware=True)
nondifferentiable(round, kind=rounded_number)

declare("special", {float: "float", int: "int", abs: "abs", complex: "complex", round: "round", math.floor: "floor",
                    math.ceil: "ceil", math.trunc: "trunc"})
describe(float, complex, int, bytearray, memoryview, np.float64, np.float32, np.float16, np.longdouble, np.array, np.asarray,
         np.asanyarray, np.fromstring, parses=True)
describe(np.equal, np.not_equal, np.logical_and, np.logical_or, np.logical_not, any_object=True)

# --- random numbers, text, and what plain Python stands for ------------------------------------------

describe(np.random.default_rng, np.random.RandomState, random.Random, np.random.SeedSequence, np.random.PCG64,
         np.random.MT19937, np.random.Philox, np.random.SFC64, seeded=True)
DRAWN = ("normal", "uniform", "exponential", "lognormal")
declare("gives", {
    re.match: MATCH, re.search: MATCH, re.fullmatch: MATCH, re.sub: TEXT, re.compile: Obj(re.Pattern),
    np.random.default_rng: Obj(np.random.Generator), np.random.RandomState: Obj(np.random.RandomState)})
declare("instead", {
    np.corrcoef: library.corrcoef, cmath.polar: numpy_library.polar, cmath.rect: numpy_library.rect,
    **{getattr(np, name): getattr(numpy_library, name) for name in (
        "gradient", "ediff1d", "correlate", "histogram", "unique")},
    **{getattr(np.fft, name): getattr(numpy_library, name) for name in ("rfftn", "rfft2", "irfft2", "irfftn")},
    **{getattr(np.random, name): getattr(numpy_library, name) for name in DRAWN},
    **{getattr(cls, name): getattr(numpy_library, f"{name}_from")
       for cls in (np.random.Generator, np.random.RandomState) for name in DRAWN}})

# --- truth, types, text -----------------------------------------------------------------------------

nondifferentiable(bool, any, all, isinstance, issubclass, callable, hasattr, operator.truth, operator.not_,
                  operator.is_, operator.is_not, operator.contains, kind=always(BOOL))
nondifferentiable(range, kind=always(kinds.Obj(range)))
nondifferentiable(slice, kind=always(kinds.Obj(slice)), but=("*",))
nondifferentiable(str, repr, format, ascii, kind=lambda *values: kinds.text_from(*values))
nondifferentiable(chr, bin, hex, oct, kind=always(TEXT))
nondifferentiable(print, kind=always(Const(None)))
nondifferentiable(type)

# --- helpers of the rules ---------------------------------------------------------------------------

nondifferentiable(aux, kind=lambda x: x)
nondifferentiable(interval_of, kind=lambda x, knots: selection.searchsorted_kind(knots, x))
nondifferentiable(first_position, kind=always(INT))
nondifferentiable(diagonal_index, result="new", kind=lambda array, wrap=None: Tup(
    (fresh(INDEX, (None,)),) * len(dims_of(leaf(array)))))
nondifferentiable(index_along, kind=index_along_kind)
nondifferentiable(separate_writes, kind=lambda array, index: Lst(Tup((Rest(fresh(INDEX, (None,))), fresh(INDEX, (None,))))))
nondifferentiable(split_bounds, kind=split_bounds_kind)
nondifferentiable(heap_positions, kind=always(kinds.Lst(INT)))
nondifferentiable(end_of, kind=lambda keys, last: keys.item or ANY if isinstance(keys, kinds.Lst) else ANY)
nondifferentiable(rising, leaving, result="new", kind=always(kinds.Lst(INT)))


def places(rank):
    """An array of positions of some rank (None: not known)."""
    return Num("int64", None if rank is None else (None,) * rank, True)


nondifferentiable(np.polynomial.legendre.leggauss, np.polynomial.hermite.hermgauss, np.polynomial.laguerre.laggauss,
                  np.polynomial.chebyshev.chebgauss, np.polynomial.hermite_e.hermegauss,
                  kind=lambda deg: kinds.Tup((Num("float64", results.shape_of(deg), True),) * 2))
nondifferentiable(histogram_places, kind=always(places(1)))
nondifferentiable(running_places, kind=lambda array, *others: places(array.ndim if isinstance(array, Num) else None))
nondifferentiable(unique_places, kind=always(kinds.Tup((places(1), places(None), places(1)))))

nondifferentiable(shapes.item_position, numpy_library.leading_zeros, library.data_count, library.expm_squarings,
                  kind=always(INT))
nondifferentiable(library.extreme_positions, kind=always(Lst(INT)))
nondifferentiable(containers.islice_bound, kind=lambda bound: bound)
nondifferentiable(library.clears_triangle, kind=lambda: Const(library.clears_triangle()))
nondifferentiable(numpy_library.check_bins, library.require_finite, effect="checks", kind=always(Const(None)))


def drawn_kind(size: Kind, first: Kind, second: Kind, *_: Kind) -> Kind:
    """The size that is asked for, or the shape of the parameters."""
    shape, together = ZERO_DERIVATIVE[np.shape], ZERO_DERIVATIVE[np.broadcast_shapes]
    return together(shape(first), shape(second)) if shape and together and size == Const(None) else size


nondifferentiable(numpy_library.drawn_shape, numpy_library.interval_shape, kind=drawn_kind)
