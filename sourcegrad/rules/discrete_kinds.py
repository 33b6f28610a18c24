"""Kinds of the results of functions with derivative zero: positions, sizes, dtypes, text; conventions as in `array_kinds`."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.kinds import INT, Const, Kind, Lst, Num, Obj, Rest, Tup, as_num, broadcast, times
from sourcegrad.kinds.results import constant
from sourcegrad.rules.array_kinds import INDEX, axes_of, dims_of, elements, fresh, leaf, shape_of, value

DTYPE = Obj(np.dtype)
TEXT = Obj(str)


def size_kind(size: Any) -> Kind:
    """The kind of an int that is a size."""
    return Const(size) if isinstance(size, int) else Num("pyint", (), False, size)


def as_shape(sizes: tuple) -> Kind:
    return Tup(tuple(map(size_kind, sizes)))


def shape(a: Kind) -> Kind:
    return as_shape(dims_of(leaf(a)))


def broadcast_shapes(*shapes: Kind) -> Kind:
    return as_shape(broadcast(*map(shape_of, shapes)) or ())


# --- positions -------------------------------------------------------------------------------------------

def argwhere(a: Kind) -> Kind:
    return fresh(INDEX, (None, len(dims_of(leaf(a)))))


def lexsort(keys: Kind, axis: Kind | None = None) -> Kind:
    _, rows = elements(keys)
    return value(INDEX, rows[0].dims)


def rank(a: Kind) -> Kind:
    """The number of axes, where it is known when the code is generated."""
    found = as_num(a)
    return INT if not isinstance(found, Num) or found.dims is None else Const(len(found.dims))


def diag_indices(n: Kind, ndim: Kind = Const(2)) -> Kind:
    (size,) = shape_of(n)
    return Tup((fresh(INDEX, (size,)),) * constant(ndim))


def diag_indices_from(arr: Kind) -> Kind:
    dims = dims_of(leaf(arr))
    return Tup((fresh(INDEX, (dims[0],)),) * len(dims))


def indices(dimensions: Kind, dtype: Kind | None = None, sparse: Kind = Const(False)) -> Kind:
    sizes = shape_of(dimensions)
    own = INDEX if dtype is None else None
    if constant(sparse):
        return Tup(tuple(fresh(own, tuple(n if k == j else 1 for k, n in enumerate(sizes))) for j in range(len(sizes))))
    return fresh(own, (len(sizes), *sizes))


def ix_(*args: Kind) -> Kind:
    """Integers; of booleans the positions of those that are true."""
    grid: list[Kind] = []
    for place, arg in enumerate(args):
        model = leaf(arg)
        size = dims_of(model)[0] if model.dtype not in (None, "bool") else None
        grid.append(fresh(INDEX if model.dtype in (INDEX, "bool") else None,
                          tuple(size if k == place else 1 for k in range(len(args)))))
    return Tup(tuple(grid))


def unravel_index(indices: Kind, shape: Kind, order: Kind | None = None) -> Kind:
    return Tup((value(INDEX, leaf(indices).dims),) * len(shape_of(shape)))


def ravel_multi_index(multi_index: Kind, dims: Kind, *_: Kind, **__: Kind) -> Kind:
    count, parts = elements(multi_index)
    return value(INDEX, broadcast(*(part.dims for part in parts)))


def isin(element: Kind, *_: Kind, **__: Kind) -> Kind:
    return fresh("bool", leaf(element).dims)


def in1d(ar1: Kind, *_: Kind, **__: Kind) -> Kind:
    dims = leaf(ar1).dims
    return fresh("bool", (None if dims is None else times(*dims),))


def packed(a: Kind, axis: Kind = Const(None), *_: Kind, **__: Kind) -> Kind:
    """packbits, unpackbits: bytes, of another size along the axis."""
    if axis == Const(None):
        return fresh("uint8", (None,))
    dims = dims_of(leaf(a))
    (place,) = axes_of(axis, len(dims))
    return fresh("uint8", dims[:place] + (None,) + dims[place + 1:])


# --- helpers of functions that write ---------------------------------------------------------------------

def diagonal_index(array: Kind) -> Kind:
    return Tup((fresh(INDEX, (None,)),) * len(dims_of(leaf(array))))


def index_along(array: Kind, indices: Kind, axis: Kind) -> Kind:
    dims = dims_of(leaf(array))
    (place,) = axes_of(axis, len(dims))
    return Tup(tuple(as_num(indices) if k == place else fresh(INDEX, tuple(n if j == k else 1 for j in range(len(dims))))
                     for k, n in enumerate(dims)))


def separate_writes(array: Kind, index: Kind) -> Kind:
    return Lst(Tup((Rest(fresh(INDEX, (None,))), fresh(INDEX, (None,)))))


def split_bounds(array: Kind, count: Kind, axis: Kind, equal: Kind) -> Kind:
    return Tup((INT,) * (constant(count) + 1)) if isinstance(count, Const) else Rest(INT)


def always(kind: Kind) -> Callable:
    return lambda *args, **options: kind
