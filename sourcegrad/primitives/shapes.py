"""Rules of functions that rearrange, repeat or pad an array: linear, so the adjoint moves everything back."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.kinds import ANY, INT, Const, Kind, Lst, Num, Obj, Rest, Tup, as_num, broadcast, common, join
from sourcegrad.kinds.results import (
    NUMPY_2,
    NUMPY_NAMES,
    Unknown,
    array_or_scalar,
    axes_of,
    constant,
    dims_of,
    fresh,
    item_kind,
    leaf,
    lenient,
    real_like,
    shape_of,
    value,
)
from sourcegrad.primitives.core import COMPLEX, REAL, available, ndim, nondifferentiable, rule, sample
from sourcegrad.runtime import (
    broadcast_each,
    crop,
    fold_padding,
    inverse_permutation,
    meshgrid_like,
    padding_sum,
    reading_order,
    refuse,
    reshape_like,
    rolled_axis,
    unbroadcast,
    unbroadcast_each,
    unmeshgrid,
    unrepeat,
    unresize,
    untile,
    unwindow,
)

# --- shapes ---------------------------------------------------------------------------------------------

def same_kind(a: Kind, *args: Kind, **options: Kind) -> Kind:
    """An array of the shape and dtype of the first argument (flip, roll, ...)."""
    model = leaf(a)
    return array_or_scalar(model.dtype, model.dims)


@lenient
def reshape_kind(a: Kind, shape: Kind | None = None, order: Kind | None = None, newshape: Kind | None = None,
            **others: Kind) -> Kind:
    model = leaf(a)
    dims = shape_of(newshape or shape)
    if dims == (None,) and model.dims is not None and len(model.dims) == 1:
        dims = model.dims                   # whatever the size, it is all there is
    return array_or_scalar(model.dtype, dims, model.boxed)


def ravel_kind(a: Kind, order: Kind | None = None, **others: Kind) -> Kind:
    model = leaf(a)
    return fresh(model.dtype, (None if model.dims is None else _flat_size(model.dims),))


def _flat_size(dims: tuple) -> Any:
    if len(dims) == 1:
        return dims[0]
    return int(np.prod(dims, dtype=int)) if all(isinstance(size, int) for size in dims) else None


def transpose_kind(a: Kind, axes: Kind | None = None) -> Kind:
    model = leaf(a)
    if axes is None or axes == Const(None):
        return array_or_scalar(model.dtype, model.dims and model.dims[::-1], model.boxed)
    try:
        order = constant(axes)
    except Unknown:
        return array_or_scalar(model.dtype, model.dims and (None,) * len(model.dims), model.boxed)
    return array_or_scalar(model.dtype, model.dims and tuple(model.dims[axis] for axis in order), model.boxed)


@lenient
def moveaxis_kind(a: Kind, source: Kind, destination: Kind) -> Kind:
    model = leaf(a)
    dims = dims_of(model)
    sources, targets = axes_of(source, len(dims)), axes_of(destination, len(dims))
    order = [k for k in range(len(dims)) if k not in sources]
    for target, axis in sorted(zip(targets, sources)):
        order.insert(target, axis)
    return array_or_scalar(model.dtype, tuple(dims[k] for k in order))


@lenient
def swapaxes_kind(a: Kind, axis1: Kind, axis2: Kind) -> Kind:
    model = leaf(a)
    dims = list(dims_of(model))
    (i,), (j,) = axes_of(axis1, len(dims)), axes_of(axis2, len(dims))
    dims[i], dims[j] = dims[j], dims[i]
    return array_or_scalar(model.dtype, tuple(dims))


def matrix_transpose_kind(x: Kind) -> Kind:
    return swapaxes_kind(x, Const(-1), Const(-2))


@lenient
def expand_dims_kind(a: Kind, axis: Kind) -> Kind:
    model = leaf(a)
    dims = dims_of(model)
    count = len(axis.items) if isinstance(axis, Tup) else 1
    places, rest = axes_of(axis, len(dims) + count), iter(dims)
    return array_or_scalar(model.dtype, tuple(1 if k in places else next(rest) for k in range(len(dims) + count)))


@lenient
def squeeze_kind(a: Kind, axis: Kind | None = None) -> Kind:
    model = leaf(a)
    dims = dims_of(model)
    if axis is None or axis == Const(None):
        if not all(isinstance(size, int) for size in dims):
            raise Unknown
        return array_or_scalar(model.dtype, tuple(size for size in dims if size != 1), model.boxed)
    gone = axes_of(axis, len(dims))
    return array_or_scalar(model.dtype, tuple(size for k, size in enumerate(dims) if k not in gone), model.boxed)


@lenient
def broadcast_to_kind(array_: Kind, shape: Kind, **others: Kind) -> Kind:
    return array_or_scalar(leaf(array_).dtype, shape_of(shape))


def broadcast_arrays_kind(*args: Kind, **others: Kind) -> Kind:
    models = [leaf(arg) for arg in args]
    dims = broadcast(*(model.dims for model in models))
    return several([array_or_scalar(model.dtype, dims) for model in models])


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
        return array_or_scalar(model.dtype, (1,) * (rank - len(dims)) + dims)
    return kind


@lenient
def resize_axis_kind(a: Kind, *args: Kind, axis: Kind | None = None, **others: Kind) -> Kind:
    """Of an array whose size along `axis` changes (None: of the flat array)."""
    model = leaf(a)
    if axis is None or axis == Const(None):
        return array_or_scalar(model.dtype, (None,))
    dims = dims_of(model)
    (place,) = axes_of(axis, len(dims))
    return array_or_scalar(model.dtype, dims[:place] + (None,) + dims[place + 1:])


def axis_resized(place: int) -> Callable:
    """`resize_axis` for a function whose parameter number `place` is the axis."""
    def kind(a: Kind, *args: Kind, **options: Kind) -> Kind:
        if len(args) >= place:
            options = {**options, "axis": args[place - 1]}
        return resize_axis_kind(a, axis=options.get("axis"))
    return kind


@lenient
def sliding_window_view_kind(x: Kind, window_shape: Kind, axis: Kind | None = None) -> Kind:
    model = leaf(x)
    dims, sizes = list(dims_of(model)), shape_of(window_shape)
    axes = range(len(dims)) if axis is None or axis == Const(None) else axes_of(axis, len(dims))
    for place, size in zip(axes, sizes):
        dims[place] = dims[place] - size + 1 if isinstance(dims[place], int) and isinstance(size, int) else None
    return array_or_scalar(model.dtype, (*dims, *sizes))


@lenient
def tile_kind(A: Kind, reps: Kind) -> Kind:
    model = leaf(A)
    count = len(reps.items) if isinstance(reps, Tup) else len(shape_of(reps))
    return array_or_scalar(model.dtype, (None,) * max(len(dims_of(model)), count))


@lenient
def rot90_kind(m: Kind, k: Kind = Const(1), axes: Kind | None = None) -> Kind:
    model = leaf(m)
    dims = dims_of(model)
    if constant(k) % 2 == 0:
        return model
    i, j = (0, 1) if axes is None else axes_of(axes, len(dims))
    return swapaxes_kind(model, Const(i), Const(j))


def ranked_kind(a: Kind, *args: Kind, **options: Kind) -> Kind:
    """An array of the rank and dtype of the first argument, of other sizes (pad, rollaxis)."""
    model = leaf(a)
    return array_or_scalar(model.dtype, model.dims and (None,) * len(model.dims), model.boxed)


@lenient
def resize_kind(a: Kind, new_shape: Kind) -> Kind:
    return array_or_scalar(leaf(a).dtype, shape_of(new_shape))


def meshgrid_kind(*xi: Kind, indexing: Kind = Const("xy"), sparse: Kind = Const(False), **others: Kind) -> Kind:
    models = [leaf(x) for x in xi]
    if sparse != Const(False):
        raise Unknown
    sizes = [_flat_size(dims_of(model)) for model in models]
    if constant(indexing) == "xy" and len(sizes) > 1:
        sizes[:2] = sizes[1::-1]
    return several([fresh(model.dtype, tuple(sizes)) for model in models])


# --- run-time helpers -----------------------------------------------------------------------------------

def shaped_as(place: int) -> Callable:
    """The result has the shape of the argument number `place` and the dtype of the first."""
    def kind(*args: Kind, **options: Kind) -> Kind:
        model = as_num(args[place])
        if not isinstance(model, Num):
            return ANY
        first = as_num(args[0])
        dtype = first.dtype if isinstance(first, Num) and first.is_complex == model.is_complex else None
        return value(NUMPY_NAMES.get(dtype or "", dtype), model.dims)
    return kind


def cast_back_kind(ct: Kind, x: Kind, dtype: Kind) -> Kind:
    """Of the kind of `x`, in the dtype that its adjoint has: that of `ct` where x is a number of Python."""
    model, given = as_num(x), as_num(ct)
    if not isinstance(model, Num):
        return ANY
    own = None if model.is_discrete or model.dtype in NUMPY_NAMES else model.dtype
    if model.dims == () and not (isinstance(given, Num) and given.is_scalar):
        return Num(own, ())
    return value(own, model.dims)


def broadcast_part_kind(value: Kind, like: Kind) -> Kind:
    """`broadcast_like(value, like)`"""
    own, model = as_num(value), as_num(like)
    if not isinstance(own, Num) or not isinstance(model, Num):
        return ANY
    return array_or_scalar(None if own.dtype in NUMPY_NAMES else own.dtype, model.dims)


def inverse_permutation_kind(axes: Kind) -> Kind:
    if not isinstance(axes, Tup):
        return Rest(INT)
    try:
        order = [axis % len(axes.items) for axis in constant(axes)]
    except Unknown:
        return Tup((INT,) * len(axes.items))
    return Tup(tuple(Const(order.index(k)) for k in range(len(order))))


def reshaped_kind(ct: Kind, x: Kind) -> Kind:
    """`reshape_like(ct, x)`: real where x is."""
    given, model = as_num(ct), as_num(x)
    if not isinstance(model, Num) or not isinstance(given, Num):
        return ANY
    dtype = real_like(given.dtype, model)
    if model.dims is None or given.dims is None:                              # a number may stay one of Python
        dtype = None if dtype in NUMPY_NAMES else dtype
    if model.dims == () and given.is_scalar:
        return Num(dtype if given.dtype not in NUMPY_NAMES or dtype == given.dtype else None, (), False)
    return value(NUMPY_NAMES.get(dtype or "", dtype), model.dims)


def each(function: Callable) -> Callable:
    """`[function(part, other) for part, other in zip(parts, others)]`, from the kind function of the function."""
    def kind(parts: Kind, others: Kind, *more: Kind, **options: Kind) -> Kind:
        if isinstance(parts, Tup) and isinstance(others, Tup) and len(parts.items) == len(others.items):
            pairs = [*zip(parts.items, others.items)]
        else:
            one, other = item_kind(parts), item_kind(others)
            pairs = [(one, other)] if one and other else []
        return Lst(common(function(*pair) for pair in pairs) if pairs else ANY)
    return kind


def unmeshed_kind(ct: Kind, x: Kind) -> Kind:
    given = as_num(ct)
    return reshaped_kind(Num(given.dtype) if isinstance(given, Num) else ANY, x)

X = REAL(2, 3, 4)


# --- the same elements in another shape or order --------------------------------------------------------

@rule(np.reshape, tangent="linear", method=("reshape",), selects=(0,), linear=True, result="may view", real="kept",
      kind=reshape_kind, samples=[
    sample(REAL(6), (2, 3)), sample(X, (4, -1)), sample(X, -1), sample(X, (4, 6), order="F"),
    sample(X, (4, 6), order="A"), sample(REAL(), (1, 1)), sample(REAL(1), ()), sample(REAL(0, 2), (2, 0)),
    sample(COMPLEX(4), (2, 2))])
def reshape(ct, out, a, shape=None, order="C", newshape=None):
    if ndim(a) == 0:
        return np.sum(ct)
    if order == "C":
        return np.reshape(ct, np.shape(a))
    if order == "F":
        return np.reshape(ct, np.shape(a), order="F")
    return np.reshape(ct, np.shape(a), order=reading_order(a, order))


@rule(np.ravel, tangent="linear", method=("ravel",), selects=(0,), result="may view", real="kept", kind=ravel_kind, samples=[
    sample(REAL()), sample(REAL(3)), sample(X), sample(REAL(0, 2)), sample(X, order="F"),
    sample(X, order="K")])
def ravel(ct, out, a, order="C"):
    if ndim(a) == 0:
        return np.sum(ct)
    if ndim(a) == 1:
        return ct
    if order == "C":
        return np.reshape(ct, np.shape(a))
    if order == "F":
        return np.reshape(ct, np.shape(a), order="F")
    return np.reshape(ct, np.shape(a), order=reading_order(a, order))


@rule(*available(np, "transpose", "permute_dims"), tangent="linear", method=("transpose",), selects=(0,), linear=True,
      result="view", real="kept",
      order="other",
      kind=transpose_kind, samples=[
    sample(REAL()), sample(REAL(3)), sample(REAL(2, 3)), sample(X), sample(X, (1, 2, 0)),
    sample(X, (0, -1, 1)), sample(REAL(3), (0,))])
def transpose(ct, out, a, axes=None):
    if axes is None:
        return np.transpose(ct)
    return np.transpose(ct, inverse_permutation(axes))


@rule(np.swapaxes, tangent="linear", method=("swapaxes",), result="view", real="kept", order="other",
      kind=swapaxes_kind, samples=[sample(X, 0, 2), sample(X, -1, 1), sample(REAL(3), 0, 0)])
def swapaxes(ct, out, a, axis1, axis2):
    return np.swapaxes(ct, axis1, axis2)


@rule(*available(np, "matrix_transpose"), *available(np.linalg, "matrix_transpose"), tangent="linear", result="view", order="other",
      kind=matrix_transpose_kind, samples=[sample(REAL(2, 3)), sample(X)])
def matrix_transpose(ct, out, x):
    return np.swapaxes(ct, -1, -2)


@rule(np.moveaxis, tangent="linear", result="view", real="kept", order="other", kind=moveaxis_kind, samples=[
    sample(X, 0, -1), sample(X, -1, 0), sample(X, (0, 1), (-1, 0)), sample(X, [0, 2], [1, 0])])
def moveaxis(ct, out, a, source, destination):
    return np.moveaxis(ct, destination, source)


@rule(np.rollaxis, tangent="linear", result="view", order="other", kind=ranked_kind, samples=[
    sample(X, 2), sample(X, -1), sample(X, 0, 2), sample(X, 1, 3), sample(X, 2, -2), sample(X, 0, 0)])
def rollaxis(ct, out, a, axis, start=0):
    if start == 0:
        return np.moveaxis(ct, 0, axis)
    return np.moveaxis(ct, rolled_axis(a, axis, start), axis)


@rule(np.expand_dims, tangent="linear", selects=(0,), result="view", real="kept", kind=expand_dims_kind, samples=[
    sample(REAL(), 0), sample(REAL(3), 0), sample(REAL(3), -1), sample(REAL(2, 3), (0, 2)),
    sample(REAL(0), 1)])
def expand_dims(ct, out, a, axis):
    if ndim(a) == 0:
        return np.sum(ct)
    if isinstance(axis, list):
        return np.reshape(ct, np.shape(a))
    return np.squeeze(ct, axis=axis)


@rule(np.squeeze, tangent="linear", method=("squeeze",), selects=(0,), result="view", real="kept", kind=squeeze_kind, samples=[
    sample(REAL()), sample(REAL(1)), sample(REAL(1, 3, 1)), sample(REAL(1, 3, 1), axis=0), sample(REAL(2, 3)),
    sample(REAL(1, 3, 1), axis=-1), sample(REAL(1, 3, 1), axis=(0, 2)), sample(REAL(1, 0))])
def squeeze(ct, out, a, axis=None):
    if ndim(a) == 0:
        return ct
    if axis is None:
        return np.reshape(ct, np.shape(a))
    return np.expand_dims(ct, axis)


@rule(np.atleast_1d, tangent="linear", itself=1, result="may view", real="kept", kind=atleast(1),
      samples=[sample(REAL()), sample(REAL(3)), sample(REAL(2, 3))])
def atleast_1d(ct, out, ary):
    if ndim(ary) == 0:
        return np.sum(ct)
    return np.reshape(ct, np.shape(ary))


@rule(np.atleast_2d, tangent="linear", itself=2, result="may view", real="kept", kind=atleast(2), samples=[
    sample(REAL()), sample(REAL(3)), sample(REAL(2, 3)), sample(X)])
def atleast_2d(ct, out, ary):
    if ndim(ary) == 0:
        return np.sum(ct)
    if ndim(ary) == 1:
        return ct[0]
    return np.reshape(ct, np.shape(ary))


@rule(np.atleast_3d, tangent="linear", itself=3, result="may view", kind=atleast(3), samples=[
    sample(REAL()), sample(REAL(3)), sample(REAL(2, 3)), sample(X), sample(REAL(2, 3, 1, 2))])
def atleast_3d(ct, out, ary):
    if ndim(ary) == 0:
        return np.sum(ct)
    return np.reshape(ct, np.shape(ary))


@rule(np.roll, tangent="linear", selects=(0,), real="kept", kind=same_kind, samples=[
    sample(REAL(5), 2), sample(REAL(2, 3), 1), sample(REAL(2, 3), -1, axis=1), sample(X, (1, 2), axis=(0, 2)),
    sample(X, 1, axis=(0, 1)), sample(X, [1, -1], axis=[1, 1]), sample(REAL(0), 1), sample(REAL(), 1)])
def roll(ct, out, a, shift, axis=None):
    if ndim(shift) == 0:
        return np.roll(ct, -shift, axis=axis)
    return np.roll(ct, np.negative(shift), axis=axis)


@rule(np.flip, tangent="linear", selects=(0,), result="view", real="kept", kind=same_kind, samples=[
    sample(REAL(3)), sample(X), sample(X, axis=1), sample(X, axis=(0, -1)), sample(REAL())])
def flip(ct, out, m, axis=None):
    return np.flip(ct, axis=axis)


@rule(np.fliplr, tangent="linear", result="view", kind=same_kind, samples=[sample(REAL(2, 3)), sample(X)])
def fliplr(ct, out, m):
    return np.fliplr(ct)


@rule(np.flipud, tangent="linear", result="view", kind=same_kind, samples=[sample(REAL(3)), sample(X)])
def flipud(ct, out, m):
    return np.flipud(ct)


@rule(np.rot90, tangent="linear", result="view", order="other", kind=rot90_kind, samples=[
    sample(REAL(2, 3)), sample(REAL(2, 3), 2), sample(REAL(2, 3), k=-1), sample(X, 3, (1, 2)),
    sample(X, axes=(2, 0))])
def rot90(ct, out, m, k=1, axes=(0, 1)):
    return np.rot90(ct, -k, axes)


# --- repetition -----------------------------------------------------------------------------------------

@rule(np.broadcast_to, tangent="linear", selects=(0,), result="view", read_only=True, real="kept", order="other",
      kind=broadcast_to_kind, samples=[
    sample(REAL(), (3,)), sample(REAL(3), (2, 3)), sample(REAL(2, 1), (2, 3)), sample(REAL(3), 3),
    sample(REAL(1), (0,)), sample(REAL(), ())])
def broadcast_to(ct, out, array, shape):
    return unbroadcast(ct, array)


@rule(np.lib.stride_tricks.sliding_window_view, tangent="linear", result="view", read_only=True, order="other",
      kind=sliding_window_view_kind, samples=[
    sample(REAL(5), 3), sample(REAL(5), (2,)), sample(REAL(3, 4), (2, 3)), sample(X, 2, 1), sample(X, (3, 2), axis=(-1, 0)),
    sample(REAL(6), (2, 3), axis=(0, 0)), sample(REAL(3), 3), sample(REAL(2, 0), 1, axis=0)])
def sliding_window_view(ct, out, x, window_shape, axis=None):
    return unwindow(ct, x, window_shape, axis)


@rule(unwindow, tangent="linear", kind=shaped_as(1), samples=[
    sample(REAL(3, 3), np.zeros(5), 3), sample(REAL(2, 2, 2, 3), np.zeros((3, 4)), (2, 3)),
    sample(REAL(2, 3, 2), np.zeros((2, 4)), 2, -1)])
def unwindow_rule(ct, out, y, x, window_shape, axis=None):
    return np.lib.stride_tricks.sliding_window_view(ct, window_shape, axis)


@rule(np.broadcast_arrays, tangent="linear", result="may view", order="other", kind=broadcast_arrays_kind, samples=[
    sample(REAL(3)), sample(REAL(3), REAL(2, 1)), sample(REAL(), REAL(2), REAL(2, 2))])
def broadcast_arrays(ct, out, *args):
    return unbroadcast_each(ct, args)


@rule(np.meshgrid, tangent="linear", unless=("copy", 99), order="other", kind=meshgrid_kind, samples=[
    sample(REAL(3)), sample(REAL(3), REAL(2)), sample(REAL(3), REAL(2), indexing="ij"),
    sample(REAL(), REAL(2)), sample(REAL(3), REAL(2), REAL(4)), sample(REAL(3), REAL(2), sparse=True)])
def meshgrid(ct, out, *xi, indexing="xy", sparse=False, copy=True):
    return unmeshgrid(ct, xi, indexing)


@rule(np.tile, tangent="linear", selects=(0,), real="kept", kind=tile_kind, samples=[
    sample(REAL(), 3), sample(REAL(3), 2), sample(REAL(3), (2, 2)), sample(REAL(2, 3), 2),
    sample(REAL(2, 3), (3, 1)), sample(REAL(2, 3), (2, 1, 2)), sample(REAL(3), 0), sample(REAL(2, 0), 2),
    sample(REAL(3), [2])])
def tile(ct, out, A, reps):
    return untile(ct, A, reps)


@rule(np.repeat, tangent="linear", selects=(0,), real="kept", kind=axis_resized(2), samples=[
    sample(REAL(), 3), sample(REAL(3), 2), sample(REAL(2, 3), 2), sample(REAL(2, 3), 2, axis=1),
    sample(X, 3, axis=-2), sample(REAL(3), [2, 0, 3]), sample(X, np.array([1, 0, 2]), axis=1),
    sample(REAL(2, 3), (1, 2), 0), sample(REAL(2, 2), [1, 2, 0, 1]), sample(REAL(3), 0), sample(REAL(0), 2),
    sample(REAL(1), [4])])
def repeat(ct, out, a, repeats, axis=None):
    return unrepeat(ct, a, repeats, axis)


@rule(np.resize, tangent="linear", kind=resize_kind, samples=[
    sample(REAL(3), 7), sample(REAL(2, 3), (2, 2)), sample(REAL(2), (3, 2)), sample(REAL(), 2),
    sample(REAL(3), (0,))])
def resize(ct, out, a, new_shape):
    return unresize(ct, a)


@rule(np.pad, tangent="linear", kind=ranked_kind, samples=[
    sample(REAL(3), 2), sample(REAL(3), (1, 2)), sample(REAL(2, 3), ((1, 0), (0, 2))), sample(REAL(0), 1),
    sample(REAL(2, 3), 1, "constant", constant_values=1.5), sample(REAL(3), 0), sample(REAL(3), 2, "edge"),
    sample(REAL(3), (4, 5), mode="reflect"), sample(REAL(3), (1, 2), mode="symmetric"),
    sample(REAL(2, 3), ((3, 1), (0, 4)), mode="wrap"), sample(X, 1, mode="reflect"),
    sample(X, 1, mode="edge")])
def pad(ct, out, array, pad_width, mode="constant", constant_values=0):
    if mode == "constant":
        if ndim(constant_values) in (0, None):
            return crop(ct, array, pad_width), None, None, padding_sum(ct, array, pad_width, constant_values)
        return crop(ct, array, pad_width), None, None, refuse(
            "constant_values of np.pad that depend on an input and are not one number",
            "Pad one side after the other, with a number each.")
    if mode == "maximum" or mode == "minimum" or mode == "mean" or mode == "median" or mode == "linear_ramp" or mode == "empty":
        return (refuse("np.pad with a mode that computes what it pads with",
                       "Compute it, and join: np.concatenate([before, x, after])."), None, None,
                refuse("np.pad with a mode that computes what it pads with",
                       "Compute it, and join: np.concatenate([before, x, after])."))
    return fold_padding(ct, array, pad_width, mode), None, None, None


# --- the helpers themselves -----------------------------------------------------------------------------

nondifferentiable(inverse_permutation, kind=inverse_permutation_kind)
nondifferentiable(rolled_axis, kind=lambda x, axis, start=INT: INT)
nondifferentiable(reading_order, kind=lambda x, order: Obj(str))


@rule(reshape_like, tangent="linear", kind=reshaped_kind, samples=[
    sample(REAL(2, 3), np.zeros(6)), sample(REAL(1), 1.0), sample(COMPLEX(2), np.zeros((2, 1)))])
def reshape_like_rule(ct, out, y, x):
    return reshape_like(ct, y)


@rule(untile, tangent="linear", kind=shaped_as(1), samples=[
    sample(REAL(6), np.zeros(3), 2), sample(REAL(4, 3), np.zeros((2, 3)), (2, 1)), sample(REAL(3), 1.0, 3)])
def untile_rule(ct, out, y, x, reps):
    return np.tile(ct, reps)


@rule(unrepeat, tangent="linear", kind=shaped_as(1), samples=[
    sample(REAL(6), np.zeros(3), 2), sample(REAL(2, 3), np.zeros((2, 2)), [1, 2], 1), sample(REAL(3), 1.0, 3),
    sample(REAL(6), np.zeros((3, 1)), 2)])
def unrepeat_rule(ct, out, y, x, repeats, axis=None):
    return np.repeat(ct, repeats, axis=axis)


@rule(unresize, tangent="linear", kind=shaped_as(1), samples=[
    sample(REAL(7), np.zeros(3)), sample(REAL(2, 2), np.zeros((2, 3)))])
def unresize_rule(ct, out, y, x):
    return np.resize(ct, np.shape(y))


@rule(crop, tangent="linear", kind=shaped_as(1), samples=[
    sample(REAL(4), np.zeros(3), (0, 1)), sample(REAL(4, 4), np.zeros((2, 3)), ((1, 1), (0, 1)))])
def crop_rule(ct, out, y, x, pad_width):
    return np.pad(ct, pad_width)


@rule(padding_sum, tangent="linear", kind=lambda ct, *_: Num(leaf(ct).dtype, (), False), samples=[
    sample(REAL(4), np.zeros(3), (0, 1), 1.0), sample(REAL(4, 4), np.zeros((2, 2)), 1, 1.0)])
def padding_sum_rule(ct, out, y, x, pad_width, constant_values):
    return np.pad(np.zeros_like(x), pad_width, constant_values=ct)


@rule(fold_padding, tangent="linear", kind=shaped_as(1), samples=[
    sample(REAL(6), np.zeros(3), (1, 2), "edge"),
    sample(REAL(5, 5), np.zeros((2, 3)), ((1, 2), (1, 1)), "wrap")])
def fold_padding_rule(ct, out, y, x, pad_width, mode):
    return np.pad(ct, pad_width, mode=mode)


@rule(unbroadcast_each, tangent="linear", kind=each(unmeshed_kind),
      samples=[sample([REAL(2, 3), REAL(2, 3)], [np.zeros(3), np.zeros((2, 1))])])
def unbroadcast_each_rule(ct, out, cts, arrays):
    return broadcast_each(ct, cts)


@rule(broadcast_each, tangent="linear", order="other", kind=each(broadcast_part_kind),
      samples=[sample([REAL(3), REAL()], [np.zeros((2, 3)), np.zeros((2, 3))])])
def broadcast_each_rule(ct, out, arrays, like):
    return unbroadcast_each(ct, arrays)


@rule(unmeshgrid, tangent="linear", kind=each(unmeshed_kind), samples=[
    sample([REAL(2, 3), REAL(2, 3)], [np.zeros(3), np.zeros(2)]),
    sample([REAL(3, 2), REAL(3, 2)], [np.zeros(3), np.zeros(2)], "ij")])
def unmeshgrid_rule(ct, out, cts, xs, indexing="xy"):
    return meshgrid_like(ct, cts, indexing)


@rule(meshgrid_like, tangent="linear", kind=each(broadcast_part_kind), samples=[
    sample([REAL(3), REAL(2)], [np.zeros((2, 3)), np.zeros((2, 3))]),
    sample([REAL(3), REAL(2)], [np.zeros((3, 1)), np.zeros((1, 2))], "ij")])
def meshgrid_like_rule(ct, out, xs, like, indexing="xy"):
    return unmeshgrid(ct, xs, indexing)
