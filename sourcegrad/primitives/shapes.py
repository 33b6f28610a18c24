"""Rules of functions that give the same elements in another shape or order: linear, so the adjoint moves everything back."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.kinds import ANY, INT, Const, Kind, Num, Obj, Rest, Tup, as_num, many
from sourcegrad.kinds.results import (
    NUMPY_NAMES,
    Unknown,
    array_or_scalar,
    axes_of,
    constant,
    dims_of,
    fresh,
    leaf,
    lenient,
    real_like,
    shape_of,
    value,
)
from sourcegrad.primitives.core import COMPLEX, REAL, available, ndim, nondifferentiable, rule, sample
from sourcegrad.runtime import inverse_permutation, reading_order, reshape_like, rolled_axis

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
    return fresh(model.dtype, (None if model.dims is None else flat_size(model.dims),))


def flat_size(dims: tuple) -> Any:
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
        if not all(isinstance(size, int) or many(size) for size in dims):
            raise Unknown
        return array_or_scalar(model.dtype, tuple(size for size in dims if size != 1), model.boxed)
    gone = axes_of(axis, len(dims))
    return array_or_scalar(model.dtype, tuple(size for k, size in enumerate(dims) if k not in gone), model.boxed)


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


# --- the helpers themselves -----------------------------------------------------------------------------

nondifferentiable(inverse_permutation, kind=inverse_permutation_kind)
nondifferentiable(rolled_axis, kind=lambda x, axis, start=INT: INT)
nondifferentiable(reading_order, kind=lambda x, order: Obj(str))


@rule(reshape_like, tangent="linear", kind=reshaped_kind, samples=[
    sample(REAL(2, 3), np.zeros(6)), sample(REAL(1), 1.0), sample(COMPLEX(2), np.zeros((2, 1)))])
def reshape_like_rule(ct, out, y, x):
    return reshape_like(ct, y)
