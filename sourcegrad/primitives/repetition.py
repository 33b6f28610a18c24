"""Rules of functions that repeat or pad an array: linear, so the adjoint sums what was repeated."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sourcegrad.kinds import ANY, Const, Kind, Lst, Num, Tup, as_num, broadcast, common, join
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
    shape_of,
)
from sourcegrad.primitives.core import REAL, ndim, rule, sample
from sourcegrad.primitives.shapes import X, axis_resized, flat_size, ranked_kind, reshaped_kind, shaped_as
from sourcegrad.runtime import (
    broadcast_each,
    crop,
    fold_padding,
    meshgrid_like,
    padding_sum,
    refuse,
    unbroadcast,
    unbroadcast_each,
    unmeshgrid,
    unrepeat,
    unresize,
    untile,
    unwindow,
)

# --- kinds of results -----------------------------------------------------------------------------------

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
def resize_kind(a: Kind, new_shape: Kind) -> Kind:
    return array_or_scalar(leaf(a).dtype, shape_of(new_shape))


def meshgrid_kind(*xi: Kind, indexing: Kind = Const("xy"), sparse: Kind = Const(False), **others: Kind) -> Kind:
    models = [leaf(x) for x in xi]
    if sparse != Const(False):
        raise Unknown
    sizes = [flat_size(dims_of(model)) for model in models]
    if constant(indexing) == "xy" and len(sizes) > 1:
        sizes[:2] = sizes[1::-1]
    return several([fresh(model.dtype, tuple(sizes)) for model in models])


# --- run-time helpers -----------------------------------------------------------------------------------

def broadcast_part_kind(value: Kind, like: Kind) -> Kind:
    """`broadcast_like(value, like)`"""
    own, model = as_num(value), as_num(like)
    if not isinstance(own, Num) or not isinstance(model, Num):
        return ANY
    return array_or_scalar(None if own.dtype in NUMPY_NAMES else own.dtype, model.dims)


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
