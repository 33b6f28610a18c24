"""Kind functions shared by the rule files: what is known of a call's result from the kinds of its arguments.

Each takes kinds as the primitive takes values; `kind_functions.Unknown` says that nothing is known.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad import kinds
from sourcegrad.kinds import ANY, Const, Fn, Kind, Num, Tup, as_num
from sourcegrad.kinds.results import Unknown, constant
from sourcegrad.rules.array_kinds import NUMPY_2, NUMPY_NAMES

REAL_PART = {"complex64": "float32", "complex128": "float64", "pycomplex": "float64"}


def numeric(kind: Kind) -> Num:
    """The kind as a number or array; raises `Unknown` for anything else."""
    kind = as_num(kind)
    if not isinstance(kind, Num):
        raise Unknown
    return kind


def array(dtype: str | None, dims: tuple | None) -> Num:
    """A NumPy result: an ndarray, or a NumPy scalar where the rank is 0."""
    return Num(NUMPY_NAMES.get(dtype or "", dtype), dims, None if dims is None else bool(dims))


def normalized(axis: Any, ndim: int) -> tuple[int, ...]:
    """Axes as non-negative ints; None means all of them."""
    axes = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if not all(type(k) is int and -ndim <= k < ndim for k in axes):
        raise Unknown
    return tuple(k % ndim for k in axes)


_dtypes: dict = {}


def dtype_of(function: Callable, *args: Num, option: Kind | None = None) -> str | None:
    """Result dtype of a function, found on arrays of size 1 (numbers for what certainly are numbers).

    option: the kind of a dtype argument. Of one array the rank does not matter.
    """
    if option is not None and option != Const(None):
        return named_dtype(option)
    if len(args) == 1 and args[0].dims is None and not args[0].is_scalar:
        args = (Num(NUMPY_NAMES.get(args[0].dtype or "", args[0].dtype), (1, 1), True),)
    if any(arg.dtype is None or arg.dims is None for arg in args):
        return None
    key = (function, *((arg.dtype, len(arg.dims or ()), arg.is_scalar) for arg in args))
    if key not in _dtypes:
        try:
            with np.errstate(all="ignore"):
                result = function(*map(_example, args))
            _dtypes[key] = getattr(getattr(result, "dtype", None), "name", None)
        except Exception:                       # no example: nothing is known
            _dtypes[key] = None
    return _dtypes[key]


def _example(arg: Num) -> Any:
    if arg.dtype in kinds.EXAMPLES:
        return type(kinds.EXAMPLES[arg.dtype])(1)
    example = np.full((1,) * len(arg.dims or ()), 1, arg.dtype)
    return example[()] if arg.is_scalar else example


def together(*args: Num) -> str | None:
    """The dtype of a product of arrays and numbers."""
    names = {arg.dtype for arg in args if arg.dtype is not None}
    if any(arg.dtype is None for arg in args):
        return None
    if any(arg.dims is None for arg in args):              # whether one is weaker than others is not known
        plain = not names & kinds.EXAMPLES.keys() and (NUMPY_2 or len(names) == 1)
        return np.result_type(*names).name if plain else None
    return dtype_of(_product, *args)


def _product(*args: Any) -> Any:
    return functools.reduce(np.multiply, args)


def real_like(dtype: str | None, model: Num) -> str | None:
    """The dtype of a value of which the real part is taken where `model` is real."""
    if dtype is None or not Num(dtype).is_complex or model.is_complex:
        return dtype
    return None if model.is_complex is None else REAL_PART[dtype]


def named_dtype(option: Kind) -> str | None:
    value = option.value if isinstance(option, (Const, Fn)) else None
    try:
        return None if value is None else np.dtype(value).name
    except TypeError:
        return None


# --- results shaped as an argument ---------------------------------------------------------------------

def same_as_first(x: Kind, *_: Kind, **__: Kind) -> Kind:
    """Shape and dtype of the first argument."""
    x = numeric(x)
    return array(x.dtype, x.dims)


def shaped_like(position: int, *sources: int) -> Callable:
    """Shape of the argument at a position, dtype of those at `sources` together (default: the first): adjoints that helpers
    compute."""

    def kind(*args: Kind, **_: Kind) -> Kind:
        return array(together(*(numeric(args[k]) for k in sources or (0,))), numeric(args[position]).dims)

    return kind


# --- reductions ----------------------------------------------------------------------------------------

def reduced_dims(dims: tuple | None, axis: Kind | None, keepdims: Kind | None) -> tuple | None:
    """Dimensions after a reduction over `axis`."""
    keep = constant(keepdims, False)
    if dims is None:
        return () if constant(axis) is None and not keep else None
    if isinstance(as_num(axis or Const(None)), Num) and not isinstance(axis, Const):
        return (None,) * (len(dims) if keep else len(dims) - 1)         # some axis
    if not dims:                                       # np.sum(x, axis=-1) of a number is that number
        return ()
    axes = normalized(constant(axis), len(dims))
    if keep:
        return tuple(1 if k in axes else dim for k, dim in enumerate(dims))
    return tuple(dim for k, dim in enumerate(dims) if k not in axes)


def reduction(function: Callable) -> Callable:
    """Kind function of `function(a, axis=None, ..., keepdims=False)`."""

    def kind(a: Kind, axis: Kind | None = None, *more: Kind, dtype: Kind | None = None,
             keepdims: Kind | None = None, **__: Kind) -> Kind:
        if any(option != Const(None) for option in more):
            raise Unknown                             # `dtype`, `out`, `keepdims` by position
        a = as_num(a)
        if not isinstance(a, Num):                    # a list of numbers
            if constant(axis) is None and not constant(keepdims, False):
                return array(None, ())
            return ANY
        dims = reduced_dims(a.dims, axis, keepdims)
        return array(dtype_of(function, a, option=dtype), dims)

    return kind


def average(a: Kind, axis: Kind | None = None, weights: Kind | None = None, returned: Kind | None = None,
            keepdims: Kind | None = None) -> Kind:
    if constant(returned, False):
        raise Unknown
    a = numeric(a)
    dims = reduced_dims(a.dims, axis, keepdims)
    if weights is None or weights == Const(None):
        return array(dtype_of(np.average, a), dims)
    return array(dtype_of(_weighted, a, numeric(weights)), dims)


def _weighted(a: Any, weights: Any) -> Any:
    return np.average(np.ravel(a), weights=np.ravel(weights))


def ufunc_reduction(function: Callable) -> Callable:
    """Kind function of `ufunc.reduce(array, axis=0, dtype=None, keepdims=False)`."""
    reduced = reduction(function)

    def kind(array: Kind, axis: Kind | None = Const(0), dtype: Kind | None = None, **options: Kind) -> Kind:
        return reduced(array, axis, dtype=dtype, **options)

    return kind


def ufunc_accumulation(function: Callable) -> Callable:
    """Kind function of `ufunc.accumulate(array, axis=0, dtype=None)`."""

    def kind(array_: Kind, axis: Kind | None = Const(0), dtype: Kind | None = None, **_: Kind) -> Kind:
        a = numeric(array_)
        return array(dtype_of(function, a, option=dtype), a.dims)

    return kind


def accumulation(function: Callable) -> Callable:
    """Kind function of `cumsum` and its like: axis None flattens."""

    def kind(a: Kind, axis: Kind | None = None, dtype: Kind | None = None, **_: Kind) -> Kind:
        a = numeric(a)
        result = dtype_of(function, a, option=dtype)
        flat = axis is None or axis == Const(None)
        if a.ndim == 0:
            return array(result, (1,))
        if flat and a.ndim != 1:
            return array(result, (None,))
        return array(result, a.dims)

    return kind


# --- products ------------------------------------------------------------------------------------------

def product_dtype(a: Num, b: Num) -> str | None:
    return together(a, b)


def matmul(a: Kind, b: Kind, **_: Kind) -> Kind:
    a, b = numeric(a), numeric(b)
    if a.dims is None or b.dims is None:
        return Num(product_dtype(a, b))
    if not a.dims or not b.dims:
        raise Unknown
    rows, columns = a.dims[-2:-1], b.dims[-1:] if len(b.dims) > 1 else ()
    batch = kinds.broadcast(a.dims[:-2], b.dims[:-2]) or ()
    return array(product_dtype(a, b), batch + rows + columns)


def dot(a: Kind, b: Kind) -> Kind:
    a, b = numeric(a), numeric(b)
    if a.dims is None or b.dims is None:
        raise Unknown
    if not a.dims or not b.dims:
        return array(dtype_of(np.dot, a, b), a.dims or b.dims)
    return array(product_dtype(a, b), a.dims[:-1] + (b.dims[:-2] + b.dims[-1:] if len(b.dims) > 1 else ()))


def inner(a: Kind, b: Kind) -> Kind:
    a, b = numeric(a), numeric(b)
    if not a.dims or not b.dims:
        raise Unknown
    return array(product_dtype(a, b), a.dims[:-1] + b.dims[:-1])


def outer(a: Kind, b: Kind) -> Kind:
    a, b = numeric(a), numeric(b)
    sizes = tuple(dims[0] if dims and len(dims) == 1 else 1 if dims == () else None for dims in (a.dims,
                                                                                                 b.dims))
    return array(product_dtype(a, b), sizes)


def every_pair(function: Callable) -> Callable:
    """Kind function of `ufunc.outer`."""
    def kind(a: Kind, b: Kind) -> Kind:
        a, b = numeric(a), numeric(b)
        if a.dims is None or b.dims is None:
            return Num()
        return array(dtype_of(function, a, b), a.dims + b.dims)
    return kind


def vdot(a: Kind, b: Kind) -> Kind:
    return array(product_dtype(numeric(a), numeric(b)), ())


def tensordot(a: Kind, b: Kind, axes: Kind = Const(2)) -> Kind:
    a, b = numeric(a), numeric(b)
    if a.dims is None or b.dims is None:
        raise Unknown
    value = constant(axes)
    if isinstance(value, int):
        left, right = tuple(range(len(a.dims) - value, len(a.dims))), tuple(range(value))
    else:
        left, right = normalized(value[0], len(a.dims)), normalized(value[1], len(b.dims))
    return array(product_dtype(a, b), tuple(d for k, d in enumerate(a.dims) if k not in left)
                 + tuple(d for k, d in enumerate(b.dims) if k not in right))


# --- matrices ------------------------------------------------------------------------------------------

def matrix_function(function: Callable) -> Callable:
    """Kind function of `inv` and its like: the shape of the (batched) matrix, a floating dtype."""

    def kind(a: Kind, *_: Kind, **__: Kind) -> Kind:
        a = numeric(a)
        return array(dtype_of(function, a), a.dims)

    return kind


def per_matrix(function: Callable) -> Callable:
    """Kind function of `det` and its like: one number a matrix."""

    def kind(a: Kind) -> Kind:
        a = numeric(a)
        if a.dims is None:
            raise Unknown
        return array(dtype_of(function, a), a.dims[:-2])

    return kind


def namedtuple_of(*parts: Callable) -> Callable:
    """Kind function of a function with several results, from one kind function for each."""

    def kind(*args: Kind, **options: Kind) -> Kind:
        return Tup(tuple(part(*args, **options) for part in parts))

    return kind


def diagonal(a: Kind, offset: Kind | None = None, axis1: Kind | None = None,
             axis2: Kind | None = None) -> Kind:
    a = numeric(a)
    if a.dims is None:
        raise Unknown
    one, two = normalized((constant(axis1, 0), constant(axis2, 1)), len(a.dims))
    rest = tuple(dim for k, dim in enumerate(a.dims) if k not in (one, two))
    square = a.dims[one] == a.dims[two] and constant(offset, 0) == 0
    return array(a.dtype, rest + (a.dims[one] if square else None,))


def trace(a: Kind, offset: Kind | None = None, axis1: Kind | None = None, axis2: Kind | None = None) -> Kind:
    a = numeric(a)
    if a.dims is None:
        raise Unknown
    one, two = normalized((constant(axis1, 0), constant(axis2, 1)), len(a.dims))
    return array(dtype_of(np.trace, a), tuple(dim for k, dim in enumerate(a.dims) if k not in (one, two)))


def triangle(m: Kind, k: Kind | None = None) -> Kind:
    m = numeric(m)
    if m.dims is None or len(m.dims) < 2:
        raise Unknown
    return array(m.dtype, m.dims)


def diag(v: Kind, k: Kind | None = None) -> Kind:
    v = numeric(v)
    zero = k is None or constant(k) == 0
    if v.dims is not None and len(v.dims) == 1:
        size = v.dims[0] if zero else None
        return array(v.dtype, (size, size))
    if v.ndim == 2:
        return diagonal(v, k)
    raise Unknown
