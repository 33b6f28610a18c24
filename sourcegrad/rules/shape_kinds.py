"""Kinds of the results of functions that rearrange, join and select; conventions as in `array_kinds`."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.kinds import ANY, INT, Const, Kind, Lst, Num, Rest, Tup, as_num, broadcast, join
from sourcegrad.kinds.results import Unknown, constant
from sourcegrad.rules.array_kinds import (
    INDEX,
    NUMPY_2,
    NUMPY_NAMES,
    array,
    axes_of,
    dims_of,
    dtype_of,
    elements,
    equal_size,
    fresh,
    leaf,
    lenient,
    promoted,
    shape_of,
    stacked,
    value,
)

# --- shapes ---------------------------------------------------------------------------------------------

def same(a: Kind, *args: Kind, **options: Kind) -> Kind:
    """An array of the shape and dtype of the first argument (flip, roll, ...)."""
    model = leaf(a)
    return array(model.dtype, model.dims)


@lenient
def reshape(a: Kind, shape: Kind | None = None, order: Kind | None = None, newshape: Kind | None = None,
            **others: Kind) -> Kind:
    model = leaf(a)
    dims = shape_of(newshape or shape)
    if dims == (None,) and model.dims is not None and len(model.dims) == 1:
        dims = model.dims                   # whatever the size, it is all there is
    return array(model.dtype, dims, model.boxed)


def ravel(a: Kind, order: Kind | None = None, **others: Kind) -> Kind:
    model = leaf(a)
    return fresh(model.dtype, (None if model.dims is None else _flat_size(model.dims),))


def _flat_size(dims: tuple) -> Any:
    if len(dims) == 1:
        return dims[0]
    return int(np.prod(dims, dtype=int)) if all(isinstance(size, int) for size in dims) else None


def transpose(a: Kind, axes: Kind | None = None) -> Kind:
    model = leaf(a)
    if axes is None or axes == Const(None):
        return array(model.dtype, model.dims and model.dims[::-1], model.boxed)
    try:
        order = constant(axes)
    except Unknown:
        return array(model.dtype, model.dims and (None,) * len(model.dims), model.boxed)
    return array(model.dtype, model.dims and tuple(model.dims[axis] for axis in order), model.boxed)


@lenient
def moveaxis(a: Kind, source: Kind, destination: Kind) -> Kind:
    model = leaf(a)
    dims = dims_of(model)
    sources, targets = axes_of(source, len(dims)), axes_of(destination, len(dims))
    order = [k for k in range(len(dims)) if k not in sources]
    for target, axis in sorted(zip(targets, sources)):
        order.insert(target, axis)
    return array(model.dtype, tuple(dims[k] for k in order))


@lenient
def swapaxes(a: Kind, axis1: Kind, axis2: Kind) -> Kind:
    model = leaf(a)
    dims = list(dims_of(model))
    (i,), (j,) = axes_of(axis1, len(dims)), axes_of(axis2, len(dims))
    dims[i], dims[j] = dims[j], dims[i]
    return array(model.dtype, tuple(dims))


def matrix_transpose(x: Kind) -> Kind:
    return swapaxes(x, Const(-1), Const(-2))


@lenient
def expand_dims(a: Kind, axis: Kind) -> Kind:
    model = leaf(a)
    dims = dims_of(model)
    count = len(axis.items) if isinstance(axis, Tup) else 1
    places, rest = axes_of(axis, len(dims) + count), iter(dims)
    return array(model.dtype, tuple(1 if k in places else next(rest) for k in range(len(dims) + count)))


@lenient
def squeeze(a: Kind, axis: Kind | None = None) -> Kind:
    model = leaf(a)
    dims = dims_of(model)
    if axis is None or axis == Const(None):
        if not all(isinstance(size, int) for size in dims):
            raise Unknown
        return array(model.dtype, tuple(size for size in dims if size != 1), model.boxed)
    gone = axes_of(axis, len(dims))
    return array(model.dtype, tuple(size for k, size in enumerate(dims) if k not in gone), model.boxed)


@lenient
def broadcast_to(array_: Kind, shape: Kind, **others: Kind) -> Kind:
    return array(leaf(array_).dtype, shape_of(shape))


def broadcast_arrays(*args: Kind, **others: Kind) -> Kind:
    models = [leaf(arg) for arg in args]
    dims = broadcast(*(model.dims for model in models))
    return several([array(model.dtype, dims) for model in models])


def several(items: list) -> Kind:
    """broadcast_arrays and meshgrid give a tuple since NumPy 2, a list before."""
    if NUMPY_2:
        return Tup(tuple(items))
    item = None
    for one in items:
        item = join(item, one)
    return Lst(item)


def atleast(rank: int) -> Callable:
    @lenient
    def kind(ary: Kind, *others: Kind) -> Kind:
        if others:
            return ANY
        model = leaf(ary)
        dims = dims_of(model)
        if rank == 3 and len(dims) in (1, 2):
            dims = (1,) + dims + (1,) if len(dims) == 1 else dims + (1,)
        return array(model.dtype, (1,) * (rank - len(dims)) + dims)
    return kind


@lenient
def resize_axis(a: Kind, *args: Kind, axis: Kind | None = None, **others: Kind) -> Kind:
    """Of an array whose size along `axis` changes (None: of the flat array)."""
    model = leaf(a)
    if axis is None or axis == Const(None):
        return array(model.dtype, (None,))
    dims = dims_of(model)
    (place,) = axes_of(axis, len(dims))
    return array(model.dtype, dims[:place] + (None,) + dims[place + 1:])


def axis_resized(place: int) -> Callable:
    """`resize_axis` for a function whose parameter number `place` is the axis."""
    def kind(a: Kind, *args: Kind, **options: Kind) -> Kind:
        if len(args) >= place:
            options = {**options, "axis": args[place - 1]}
        return resize_axis(a, axis=options.get("axis"))
    return kind


@lenient
def sliding_window_view(x: Kind, window_shape: Kind, axis: Kind | None = None) -> Kind:
    model = leaf(x)
    dims, sizes = list(dims_of(model)), shape_of(window_shape)
    axes = range(len(dims)) if axis is None or axis == Const(None) else axes_of(axis, len(dims))
    for place, size in zip(axes, sizes):
        dims[place] = dims[place] - size + 1 if isinstance(dims[place], int) and isinstance(size, int) else None
    return array(model.dtype, (*dims, *sizes))


@lenient
def tile(A: Kind, reps: Kind) -> Kind:
    model = leaf(A)
    count = len(reps.items) if isinstance(reps, Tup) else len(shape_of(reps))
    return array(model.dtype, (None,) * max(len(dims_of(model)), count))


@lenient
def rot90(m: Kind, k: Kind = Const(1), axes: Kind | None = None) -> Kind:
    model = leaf(m)
    dims = dims_of(model)
    if constant(k) % 2 == 0:
        return model
    i, j = (0, 1) if axes is None else axes_of(axes, len(dims))
    return swapaxes(model, Const(i), Const(j))


def ranked(a: Kind, *args: Kind, **options: Kind) -> Kind:
    """An array of the rank and dtype of the first argument, of other sizes (pad, rollaxis)."""
    model = leaf(a)
    return array(model.dtype, model.dims and (None,) * len(model.dims), model.boxed)


@lenient
def resize(a: Kind, new_shape: Kind) -> Kind:
    return array(leaf(a).dtype, shape_of(new_shape))


# --- joining and splitting ------------------------------------------------------------------------------

def _dtype_or_promoted(dtype: Kind | None, items: list[Num]) -> str | None:
    return dtype_of(dtype, promoted(items))


def stack(arrays: Kind, axis: Kind = Const(0), dtype: Kind | None = None, **others: Kind) -> Kind:
    count, items = elements(arrays)
    return fresh(_dtype_or_promoted(dtype, items), stacked(items, constant(axis), count))


def concatenate(arrays: Kind, axis: Kind = Const(0), dtype: Kind | None = None, **others: Kind) -> Kind:
    try:
        count, items = elements(arrays)
    except Unknown:
        return fresh(None, None)
    own = _dtype_or_promoted(dtype, items)
    if axis == Const(None):
        return fresh(own, (None,))
    return fresh(own, _joined([item.dims for item in items], constant(axis), count))


def _joined(shapes: list, axis: int, count: int | None) -> tuple | None:
    """The shape after joining along an axis; the sizes elsewhere are equal."""
    known = [dims for dims in shapes if dims is not None]
    if not known or not known[0]:
        return None
    axis %= len(known[0])
    along = [dims[axis] for dims in known]
    complete = len(known) == count and all(isinstance(size, int) for size in along)
    dims = tuple(map(equal_size, zip(*known)))
    return dims[:axis] + (sum(along) if complete else None,) + dims[axis + 1:]


def joined_at(rank: int, promote: Callable[[tuple], tuple], axis: Callable[[int], int]) -> Callable:
    """vstack and its relatives: parts of less than `rank` axes are promoted, then all joined along `axis`."""
    def kind(tup: Kind, dtype: Kind | None = None, **others: Kind) -> Kind:
        count, items = elements(tup)
        shapes = [x.dims if x.dims is None or len(x.dims) >= rank else promote(x.dims) for x in items]
        ranks = {len(dims) for dims in shapes if dims is not None}
        own = _dtype_or_promoted(dtype, items)
        return fresh(own, _joined(shapes, axis(ranks.pop()), count) if len(ranks) == 1 else None)
    return kind


def _depth(dims: tuple) -> tuple:
    return dims + (1,) if len(dims) == 2 else (1,) * (2 - len(dims)) + dims + (1,)


vstack = joined_at(2, lambda dims: (1,) * (2 - len(dims)) + dims, lambda ndim: 0)
hstack = joined_at(1, lambda dims: (1,), lambda ndim: min(ndim - 1, 1))
dstack = joined_at(3, _depth, lambda ndim: 2)
column_stack = joined_at(2, lambda dims: dims + (1,) * (2 - len(dims)), lambda ndim: 1)


def append(arr: Kind, values: Kind, axis: Kind = Const(None)) -> Kind:
    return concatenate(Tup((arr, values)), axis)


def split(ary: Kind, indices_or_sections: Kind, axis: Kind = Const(0)) -> Kind:
    return Lst(resize_axis(ary, axis=axis))


def split_at(axis: int) -> Callable:
    def kind(ary: Kind, indices_or_sections: Kind) -> Kind:
        dims = leaf(ary).dims
        return split(ary, indices_or_sections, Const(0 if dims is not None and len(dims) == 1 else axis))
    return kind


def numpy_unstack(x: Kind, axis: Kind = Const(0)) -> Kind:
    model = leaf(x)
    dims = dims_of(model)
    (place,) = axes_of(axis, len(dims))
    if not isinstance(dims[place], int):
        raise Unknown                       # a tuple of unknown length
    return Tup((value(model.dtype, dims[:place] + dims[place + 1:]),) * dims[place])


def meshgrid(*xi: Kind, indexing: Kind = Const("xy"), sparse: Kind = Const(False), **others: Kind) -> Kind:
    models = [leaf(x) for x in xi]
    if sparse != Const(False):
        raise Unknown
    sizes = [_flat_size(dims_of(model)) for model in models]
    if constant(indexing) == "xy" and len(sizes) > 1:
        sizes[:2] = sizes[1::-1]
    return several([fresh(model.dtype, tuple(sizes)) for model in models])


# --- selection ------------------------------------------------------------------------------------------

@lenient
def take(a: Kind, indices: Kind, axis: Kind = Const(None), **others: Kind) -> Kind:
    model, picked = leaf(a), dims_of(leaf(indices))
    if axis == Const(None):
        return value(model.dtype, picked)
    dims = dims_of(model)
    (place,) = axes_of(axis, len(dims))
    return value(model.dtype, dims[:place] + picked + dims[place + 1:])


def take_along_axis(arr: Kind, indices: Kind, axis: Kind = Const(-1)) -> Kind:
    model, picked = leaf(arr), leaf(indices).dims
    if axis == Const(None) or picked is None:
        return array(model.dtype, picked)
    (place,) = axes_of(axis, len(picked))
    if model.dims is None:                                    # both are broadcast
        return array(model.dtype, tuple(n if k == place else None for k, n in enumerate(picked)))
    wide = broadcast(tuple(1 if k == place else n for k, n in enumerate(model.dims)), picked)
    return array(model.dtype, wide)


def compress(condition: Kind, a: Kind, axis: Kind = Const(None), **others: Kind) -> Kind:
    return resize_axis(a, axis=axis)


def extract(condition: Kind, arr: Kind) -> Kind:
    return resize_axis(arr)


def sort(a: Kind, axis: Kind = Const(-1), *args: Kind, **others: Kind) -> Kind:
    return ravel(a) if axis == Const(None) else leaf(a)


def setdiff1d(ar1: Kind, ar2: Kind, assume_unique: Kind = Const(False)) -> Kind:
    return fresh(leaf(ar1).dtype, (None,))


def partition(a: Kind, kth: Kind, axis: Kind = Const(-1), *args: Kind, **others: Kind) -> Kind:
    return sort(a, axis)


def argsort(a: Kind, axis: Kind = Const(-1), *args: Kind, **others: Kind) -> Kind:
    model = sort(a, axis)
    return array(INDEX, ((1,) if model.dims == () else model.dims) if isinstance(model, Num) else None)


def argpartition(a: Kind, kth: Kind, axis: Kind = Const(-1), *args: Kind, **others: Kind) -> Kind:
    return argsort(a, axis)


def positions(*args: Kind, **options: Kind) -> Kind:
    """One-dimensional integers."""
    return array(INDEX, (None,))


def nonzero(a: Kind) -> Kind:
    dims = dims_of(leaf(a))
    return Tup((array(INDEX, (None,)),) * max(len(dims), 1))


def index_pair(*args: Kind, **options: Kind) -> Kind:
    """The row and the column numbers of entries of a matrix (tril_indices, ...)."""
    return Tup((array(INDEX, (None,)),) * 2)


def searchsorted(a: Kind, v: Kind, *args: Kind, **options: Kind) -> Kind:
    return value(INDEX, leaf(v).dims)


def digitize(x: Kind, bins: Kind, *args: Kind, **options: Kind) -> Kind:
    return value(INDEX, leaf(x).dims)


# --- run-time helpers -----------------------------------------------------------------------------------

def shaped_like(place: int) -> Callable:
    """The result has the shape of the argument number `place` and the dtype of the first."""
    def kind(*args: Kind, **options: Kind) -> Kind:
        model = as_num(args[place])
        if not isinstance(model, Num):
            return ANY
        first = as_num(args[0])
        dtype = first.dtype if isinstance(first, Num) and first.is_complex == model.is_complex else None
        return value(NUMPY_NAMES.get(dtype or "", dtype), model.dims)
    return kind


def cast_back(ct: Kind, x: Kind, dtype: Kind) -> Kind:
    """Of the kind of `x`, in the dtype that its adjoint has: that of `ct` where x is a number of Python."""
    model, given = as_num(x), as_num(ct)
    if not isinstance(model, Num):
        return ANY
    own = None if model.is_discrete or model.dtype in NUMPY_NAMES else model.dtype
    if model.dims == () and not (isinstance(given, Num) and given.is_scalar):
        return Num(own, ())
    return value(own, model.dims)


def broadcast_part(value: Kind, like: Kind) -> Kind:
    """`broadcast_like(value, like)`"""
    own, model = as_num(value), as_num(like)
    if not isinstance(own, Num) or not isinstance(model, Num):
        return ANY
    return array(None if own.dtype in NUMPY_NAMES else own.dtype, model.dims)


def padding_sum(ct: Kind, *_: Kind) -> Kind:
    return Num(leaf(ct).dtype, (), False)


def inverse_permutation(axes: Kind) -> Kind:
    if not isinstance(axes, Tup):
        return Rest(INT)
    try:
        order = [axis % len(axes.items) for axis in constant(axes)]
    except Unknown:
        return Tup((INT,) * len(axes.items))
    return Tup(tuple(Const(order.index(k)) for k in range(len(order))))
