"""What kinds tell of shapes and dtypes, and the kinds of the results of functions that make arrays.

Each kind function has the parameters of the primitives it serves; what it cannot know it leaves None (an
unknown size or dtype) or raises `Unknown` (nothing at all is known).
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.kinds import ANY, Const, Fn, Kind, Lst, Num, Tup, as_num, broadcast
from sourcegrad.kinds.results import Unknown, constant

NUMPY_NAMES = {"pyfloat": "float64", "pyint": np.dtype(int).name, "pybool": "bool", "pycomplex": "complex128"}
INDEX = np.dtype(np.intp).name
NUMPY_2 = int(np.__version__.split(".")[0]) >= 2


# --- what is known of arguments -------------------------------------------------------------------------

def dtype_of(kind: Kind | None, default: str | None) -> str | None:
    """The dtype which a `dtype=` argument asks for."""
    if kind is None or kind == Const(None):
        return default
    if isinstance(kind, Const) and isinstance(kind.value, str) or isinstance(kind, Fn):
        try:
            return np.dtype(kind.value).name
        except TypeError:
            return None
    return None


def shape_of(kind: Kind | None) -> tuple:
    """The symbolic shape which a `shape=` argument (an int or a tuple of ints) asks for."""
    if isinstance(kind, Const) and isinstance(kind.value, tuple):
        return tuple(_size(Const(item)) for item in kind.value)
    if isinstance(kind, Tup):
        return tuple(map(_size, kind.items))
    return (_size(kind),)


def _size(kind: Kind | None) -> Any:
    if isinstance(kind, Const) and type(kind.value) is int:
        return kind.value if kind.value >= 0 else None
    if isinstance(kind, Num) and (kind.is_scalar or kind.dims == ()):
        return kind.size
    raise Unknown


def leaf(kind: Kind | None) -> Num:
    """What is known of a number or array, or of the array that nested lists become; boxed is never False."""
    kind = as_num(kind or ANY)
    if isinstance(kind, Num):
        return array(NUMPY_NAMES.get(kind.dtype or "", kind.dtype), kind.dims, kind.boxed or None)
    count, items = elements(kind)
    return Num(promoted(items), stacked(items, 0, count), True)


def elements(kind: Kind) -> tuple[int | None, list[Num]]:
    """The number of arrays in a list, a tuple or an array, and what is known of them."""
    if isinstance(kind, Tup) and kind.items:
        return len(kind.items), [leaf(item) for item in kind.items]
    if isinstance(kind, Lst) and kind.item is not None:
        return None, [leaf(kind.item)]
    if isinstance(kind, Num) and kind.dims:
        return kind.dims[0], [Num(kind.dtype, kind.dims[1:], True)]
    raise Unknown


def promoted(items: list[Num]) -> str | None:
    if any(item.dtype is None for item in items):
        return None
    return np.result_type(*(np.dtype(item.dtype) for item in items)).name


def merged(items: list[Num]) -> tuple | None:
    """The common shape of arrays that have equal shapes."""
    shapes = [item.dims for item in items if item.dims is not None]
    if not shapes:
        return None
    return tuple(equal_size(sizes) for sizes in zip(*shapes))


def equal_size(sizes: tuple) -> Any:
    known = [n for n in sizes if isinstance(n, int)] + [n for n in sizes if isinstance(n, str)]
    return known[0] if known else None


def stacked(items: list[Num], axis: int, count: int | None) -> tuple | None:
    dims = merged(items)
    if dims is None:
        return None
    axis %= len(dims) + 1
    return dims[:axis] + (count,) + dims[axis:]


def axes_of(kind: Kind | None, ndim: int) -> tuple[int, ...]:
    axes = constant(kind)
    axes = axes if isinstance(axes, tuple) else (axes,)
    if not all(type(axis) is int and -ndim <= axis < ndim for axis in axes):
        raise Unknown
    found = tuple(axis % ndim for axis in axes)
    if len(set(found)) < len(found):
        raise Unknown                                        # NumPy raises an error
    return found


def dims_of(num: Num) -> tuple:
    if num.dims is None:
        raise Unknown
    return num.dims


def array(dtype: str | None, dims: tuple | None, boxed: bool | None = None) -> Num:
    """A result that is an array, except perhaps when it has no axes."""
    return Num(dtype, dims, True if dims else boxed)


def fresh(dtype: str | None, dims: tuple | None) -> Num:
    """A result that is certainly an array."""
    return Num(dtype, dims, True)


def value(dtype: str | None, dims: tuple | None) -> Num:
    """A result that is a scalar where an array would have no axes."""
    return Num(dtype, dims, None if dims is None else len(dims) > 0)


def lenient(kind: Callable) -> Callable:
    """Of a kind function that fails, at least that the result is like the first argument, of any shape."""
    def wrapped(*args: Kind, **options: Kind) -> Kind:
        try:
            return kind(*args, **options)
        except Unknown:
            model = leaf(args[0] if args else None)
            return Num(model.dtype, None, model.boxed)
    return wrapped


# --- creation -------------------------------------------------------------------------------------------

def filled(shape: Kind, dtype: Kind | None = None, **others: Kind) -> Kind:
    return fresh(dtype_of(dtype, "float64"), _shape_or_none(shape))


def _shape_or_none(shape: Kind | None) -> tuple | None:
    try:
        return shape_of(shape)
    except Unknown:
        return None


def full(shape: Kind, fill_value: Kind, dtype: Kind | None = None, **others: Kind) -> Kind:
    fill = as_num(fill_value)
    own = NUMPY_NAMES.get(fill.dtype or "", fill.dtype) if isinstance(fill, Num) else None
    return fresh(dtype_of(dtype, own), _shape_or_none(shape))


def filled_like(a: Kind, dtype: Kind | None = None, order: Kind | None = None, subok: Kind | None = None,
                shape: Kind | None = None, **others: Kind) -> Kind:
    model = leaf(a)
    dims = model.dims if shape is None or shape == Const(None) else _shape_or_none(shape)
    return fresh(dtype_of(dtype, model.dtype), dims)


def full_like(a: Kind, fill_value: Kind, dtype: Kind | None = None, *options: Kind, **others: Kind) -> Kind:
    return filled_like(a, dtype, *options, **others)


def eye(N: Kind, M: Kind | None = None, k: Kind | None = None, dtype: Kind | None = None,
        **others: Kind) -> Kind:
    rows = _shape_or_none(N) or (None,)
    columns = rows if M is None or M == Const(None) else _shape_or_none(M) or (None,)
    return fresh(dtype_of(dtype, "float64"), rows[:1] + columns[:1])


def identity(n: Kind, dtype: Kind | None = None, **others: Kind) -> Kind:
    return eye(n, dtype=dtype)


def arange(*limits: Kind, dtype: Kind | None = None, **others: Kind) -> Kind:
    if len(limits) > 3:
        limits, dtype = limits[:3], limits[3]
    nums = [as_num(limit) for limit in (*limits, *others.values())]
    dtypes = {num.dtype if isinstance(num, Num) else None for num in nums}
    if dtypes <= {"pyint"}:
        own: str | None = NUMPY_NAMES["pyint"]
    elif dtypes & {"pyfloat", "float64"} and dtypes <= {"pyint", "int64", "pyfloat", "float64"}:
        own = "float64"
    else:
        own = None
    counted = len(limits) == 1 and not others and own == NUMPY_NAMES["pyint"]
    return fresh(dtype_of(dtype, own), (_size(limits[0]) if counted else None,))


def spaced(start: Kind, stop: Kind, num: Kind | None = None, endpoint: Kind | None = None,
           dtype: Kind | None = None, axis: Kind | None = None, **others: Kind) -> Kind:
    """linspace, logspace, geomspace."""
    if others.get("retstep", Const(False)) != Const(False):
        raise Unknown
    first, last = leaf(start), leaf(stop)
    shape = broadcast(first.dims, last.dims)
    count = 50 if num is None else _size(num)
    if shape:
        place = 0 if axis is None else constant(axis) % (len(shape) + 1)
        dims: tuple | None = shape[:place] + (count,) + shape[place:]
    else:
        dims = None if shape is None else (count,)
    plain = {first.dtype, last.dtype} <= {"float64", NUMPY_NAMES["pyint"]}
    return fresh(dtype_of(dtype, "float64" if plain else None), dims)


def linspace(start: Kind, stop: Kind, num: Kind | None = None, endpoint: Kind | None = None,
             retstep: Kind = Const(False), dtype: Kind | None = None, axis: Kind | None = None,
             **others: Kind) -> Kind:
    return spaced(start, stop, num, endpoint, dtype, axis, retstep=retstep, **others)


def logspace(start: Kind, stop: Kind, num: Kind | None = None, endpoint: Kind | None = None,
             base: Kind | None = None, dtype: Kind | None = None, axis: Kind | None = None,
             **others: Kind) -> Kind:
    return spaced(start, stop, num, endpoint, dtype, axis, **others)


def converted(a: Kind | None = None, dtype: Kind | None = None, **others: Kind) -> Num:
    """array, asarray, copy, astype."""
    if "ndmin" in others:
        raise Unknown
    try:
        model = leaf(others.get("object", others.get("x", a)))
    except Unknown:
        model = Num()
    return fresh(dtype_of(dtype, model.dtype), model.dims)


def copied(a: Kind, order: Kind | None = None, **others: Kind) -> Kind:
    return converted(a)


def contiguous(a: Kind, dtype: Kind | None = None, **others: Kind) -> Kind:
    """ascontiguousarray, asfortranarray: never without axes."""
    model = converted(a, dtype)
    return fresh(model.dtype, (1,) if model.dims == () else model.dims)


def from_iterable(iter: Kind, dtype: Kind, **others: Kind) -> Kind:
    return fresh(dtype_of(dtype, None), (None,))
