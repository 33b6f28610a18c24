"""Rules of functions that rearrange, repeat or pad an array: linear, so the adjoint moves everything back."""
from __future__ import annotations

import numpy as np

from sourcegrad.kinds import INT, Obj
from sourcegrad.rules import part_kinds, shape_kinds as kinds
from sourcegrad.rules.core import COMPLEX, REAL, available, ndim, nondifferentiable, rule, sample
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

X = REAL(2, 3, 4)


# --- the same elements in another shape or order --------------------------------------------------------

@rule(np.reshape, kind=kinds.reshape, samples=[
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


@rule(np.ravel, kind=kinds.ravel, samples=[
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


@rule(*available(np, "transpose", "permute_dims"), kind=kinds.transpose, samples=[
    sample(REAL()), sample(REAL(3)), sample(REAL(2, 3)), sample(X), sample(X, (1, 2, 0)),
    sample(X, (0, -1, 1)), sample(REAL(3), (0,))])
def transpose(ct, out, a, axes=None):
    if axes is None:
        return np.transpose(ct)
    return np.transpose(ct, inverse_permutation(axes))


@rule(np.swapaxes, kind=kinds.swapaxes, samples=[sample(X, 0, 2), sample(X, -1, 1), sample(REAL(3), 0, 0)])
def swapaxes(ct, out, a, axis1, axis2):
    return np.swapaxes(ct, axis1, axis2)


@rule(*available(np, "matrix_transpose"), *available(np.linalg, "matrix_transpose"),
      kind=kinds.matrix_transpose, samples=[sample(REAL(2, 3)), sample(X)])
def matrix_transpose(ct, out, x):
    return np.swapaxes(ct, -1, -2)


@rule(np.moveaxis, kind=kinds.moveaxis, samples=[
    sample(X, 0, -1), sample(X, -1, 0), sample(X, (0, 1), (-1, 0)), sample(X, [0, 2], [1, 0])])
def moveaxis(ct, out, a, source, destination):
    return np.moveaxis(ct, destination, source)


@rule(np.rollaxis, kind=kinds.ranked, samples=[
    sample(X, 2), sample(X, -1), sample(X, 0, 2), sample(X, 1, 3), sample(X, 2, -2), sample(X, 0, 0)])
def rollaxis(ct, out, a, axis, start=0):
    if start == 0:
        return np.moveaxis(ct, 0, axis)
    return np.moveaxis(ct, rolled_axis(a, axis, start), axis)


@rule(np.expand_dims, kind=kinds.expand_dims, samples=[
    sample(REAL(), 0), sample(REAL(3), 0), sample(REAL(3), -1), sample(REAL(2, 3), (0, 2)),
    sample(REAL(0), 1)])
def expand_dims(ct, out, a, axis):
    if ndim(a) == 0:
        return np.sum(ct)
    if isinstance(axis, list):
        return np.reshape(ct, np.shape(a))
    return np.squeeze(ct, axis=axis)


@rule(np.squeeze, kind=kinds.squeeze, samples=[
    sample(REAL()), sample(REAL(1)), sample(REAL(1, 3, 1)), sample(REAL(1, 3, 1), axis=0), sample(REAL(2, 3)),
    sample(REAL(1, 3, 1), axis=-1), sample(REAL(1, 3, 1), axis=(0, 2)), sample(REAL(1, 0))])
def squeeze(ct, out, a, axis=None):
    if ndim(a) == 0:
        return ct
    if axis is None:
        return np.reshape(ct, np.shape(a))
    return np.expand_dims(ct, axis)


@rule(np.atleast_1d, kind=kinds.atleast(1), samples=[sample(REAL()), sample(REAL(3)), sample(REAL(2, 3))])
def atleast_1d(ct, out, ary):
    if ndim(ary) == 0:
        return np.sum(ct)
    return np.reshape(ct, np.shape(ary))


@rule(np.atleast_2d, kind=kinds.atleast(2), samples=[
    sample(REAL()), sample(REAL(3)), sample(REAL(2, 3)), sample(X)])
def atleast_2d(ct, out, ary):
    if ndim(ary) == 0:
        return np.sum(ct)
    if ndim(ary) == 1:
        return ct[0]
    return np.reshape(ct, np.shape(ary))


@rule(np.atleast_3d, kind=kinds.atleast(3), samples=[
    sample(REAL()), sample(REAL(3)), sample(REAL(2, 3)), sample(X), sample(REAL(2, 3, 1, 2))])
def atleast_3d(ct, out, ary):
    if ndim(ary) == 0:
        return np.sum(ct)
    return np.reshape(ct, np.shape(ary))


@rule(np.roll, kind=kinds.same, samples=[
    sample(REAL(5), 2), sample(REAL(2, 3), 1), sample(REAL(2, 3), -1, axis=1), sample(X, (1, 2), axis=(0, 2)),
    sample(X, 1, axis=(0, 1)), sample(X, [1, -1], axis=[1, 1]), sample(REAL(0), 1), sample(REAL(), 1)])
def roll(ct, out, a, shift, axis=None):
    if ndim(shift) == 0:
        return np.roll(ct, -shift, axis=axis)
    return np.roll(ct, np.negative(shift), axis=axis)


@rule(np.flip, kind=kinds.same, samples=[
    sample(REAL(3)), sample(X), sample(X, axis=1), sample(X, axis=(0, -1)), sample(REAL())])
def flip(ct, out, m, axis=None):
    return np.flip(ct, axis=axis)


@rule(np.fliplr, kind=kinds.same, samples=[sample(REAL(2, 3)), sample(X)])
def fliplr(ct, out, m):
    return np.fliplr(ct)


@rule(np.flipud, kind=kinds.same, samples=[sample(REAL(3)), sample(X)])
def flipud(ct, out, m):
    return np.flipud(ct)


@rule(np.rot90, kind=kinds.rot90, samples=[
    sample(REAL(2, 3)), sample(REAL(2, 3), 2), sample(REAL(2, 3), k=-1), sample(X, 3, (1, 2)),
    sample(X, axes=(2, 0))])
def rot90(ct, out, m, k=1, axes=(0, 1)):
    return np.rot90(ct, -k, axes)


# --- repetition -----------------------------------------------------------------------------------------

@rule(np.broadcast_to, kind=kinds.broadcast_to, samples=[
    sample(REAL(), (3,)), sample(REAL(3), (2, 3)), sample(REAL(2, 1), (2, 3)), sample(REAL(3), 3),
    sample(REAL(1), (0,)), sample(REAL(), ())])
def broadcast_to(ct, out, array, shape):
    return unbroadcast(ct, array)


@rule(np.lib.stride_tricks.sliding_window_view, kind=kinds.sliding_window_view, samples=[
    sample(REAL(5), 3), sample(REAL(5), (2,)), sample(REAL(3, 4), (2, 3)), sample(X, 2, 1), sample(X, (3, 2), axis=(-1, 0)),
    sample(REAL(6), (2, 3), axis=(0, 0)), sample(REAL(3), 3), sample(REAL(2, 0), 1, axis=0)])
def sliding_window_view(ct, out, x, window_shape, axis=None):
    return unwindow(ct, x, window_shape, axis)


@rule(unwindow, kind=kinds.shaped_like(1), samples=[
    sample(REAL(3, 3), np.zeros(5), 3), sample(REAL(2, 2, 2, 3), np.zeros((3, 4)), (2, 3)),
    sample(REAL(2, 3, 2), np.zeros((2, 4)), 2, -1)])
def unwindow_rule(ct, out, y, x, window_shape, axis=None):
    return np.lib.stride_tricks.sliding_window_view(ct, window_shape, axis)


@rule(np.broadcast_arrays, kind=kinds.broadcast_arrays, samples=[
    sample(REAL(3)), sample(REAL(3), REAL(2, 1)), sample(REAL(), REAL(2), REAL(2, 2))])
def broadcast_arrays(ct, out, *args):
    return unbroadcast_each(ct, args)


@rule(np.meshgrid, kind=kinds.meshgrid, samples=[
    sample(REAL(3)), sample(REAL(3), REAL(2)), sample(REAL(3), REAL(2), indexing="ij"),
    sample(REAL(), REAL(2)), sample(REAL(3), REAL(2), REAL(4)), sample(REAL(3), REAL(2), sparse=True)])
def meshgrid(ct, out, *xi, indexing="xy", sparse=False, copy=True):
    return unmeshgrid(ct, xi, indexing)


@rule(np.tile, kind=kinds.tile, samples=[
    sample(REAL(), 3), sample(REAL(3), 2), sample(REAL(3), (2, 2)), sample(REAL(2, 3), 2),
    sample(REAL(2, 3), (3, 1)), sample(REAL(2, 3), (2, 1, 2)), sample(REAL(3), 0), sample(REAL(2, 0), 2),
    sample(REAL(3), [2])])
def tile(ct, out, A, reps):
    return untile(ct, A, reps)


@rule(np.repeat, kind=kinds.axis_resized(2), samples=[
    sample(REAL(), 3), sample(REAL(3), 2), sample(REAL(2, 3), 2), sample(REAL(2, 3), 2, axis=1),
    sample(X, 3, axis=-2), sample(REAL(3), [2, 0, 3]), sample(X, np.array([1, 0, 2]), axis=1),
    sample(REAL(2, 3), (1, 2), 0), sample(REAL(2, 2), [1, 2, 0, 1]), sample(REAL(3), 0), sample(REAL(0), 2),
    sample(REAL(1), [4])])
def repeat(ct, out, a, repeats, axis=None):
    return unrepeat(ct, a, repeats, axis)


@rule(np.resize, kind=kinds.resize, samples=[
    sample(REAL(3), 7), sample(REAL(2, 3), (2, 2)), sample(REAL(2), (3, 2)), sample(REAL(), 2),
    sample(REAL(3), (0,))])
def resize(ct, out, a, new_shape):
    return unresize(ct, a)


@rule(np.pad, kind=kinds.ranked, samples=[
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

nondifferentiable(inverse_permutation, kind=kinds.inverse_permutation)
nondifferentiable(rolled_axis, kind=lambda x, axis, start=INT: INT)
nondifferentiable(reading_order, kind=lambda x, order: Obj(str))


@rule(reshape_like, kind=part_kinds.reshaped, samples=[
    sample(REAL(2, 3), np.zeros(6)), sample(REAL(1), 1.0), sample(COMPLEX(2), np.zeros((2, 1)))])
def reshape_like_rule(ct, out, y, x):
    return reshape_like(ct, y)


@rule(untile, kind=kinds.shaped_like(1), samples=[
    sample(REAL(6), np.zeros(3), 2), sample(REAL(4, 3), np.zeros((2, 3)), (2, 1)), sample(REAL(3), 1.0, 3)])
def untile_rule(ct, out, y, x, reps):
    return np.tile(ct, reps)


@rule(unrepeat, kind=kinds.shaped_like(1), samples=[
    sample(REAL(6), np.zeros(3), 2), sample(REAL(2, 3), np.zeros((2, 2)), [1, 2], 1), sample(REAL(3), 1.0, 3),
    sample(REAL(6), np.zeros((3, 1)), 2)])
def unrepeat_rule(ct, out, y, x, repeats, axis=None):
    return np.repeat(ct, repeats, axis=axis)


@rule(unresize, kind=kinds.shaped_like(1), samples=[
    sample(REAL(7), np.zeros(3)), sample(REAL(2, 2), np.zeros((2, 3)))])
def unresize_rule(ct, out, y, x):
    return np.resize(ct, np.shape(y))


@rule(crop, kind=kinds.shaped_like(1), samples=[
    sample(REAL(4), np.zeros(3), (0, 1)), sample(REAL(4, 4), np.zeros((2, 3)), ((1, 1), (0, 1)))])
def crop_rule(ct, out, y, x, pad_width):
    return np.pad(ct, pad_width)


@rule(padding_sum, kind=kinds.padding_sum, samples=[
    sample(REAL(4), np.zeros(3), (0, 1), 1.0), sample(REAL(4, 4), np.zeros((2, 2)), 1, 1.0)])
def padding_sum_rule(ct, out, y, x, pad_width, constant_values):
    return np.pad(np.zeros_like(x), pad_width, constant_values=ct)


@rule(fold_padding, kind=kinds.shaped_like(1), samples=[
    sample(REAL(6), np.zeros(3), (1, 2), "edge"),
    sample(REAL(5, 5), np.zeros((2, 3)), ((1, 2), (1, 1)), "wrap")])
def fold_padding_rule(ct, out, y, x, pad_width, mode):
    return np.pad(ct, pad_width, mode=mode)


@rule(unbroadcast_each, kind=part_kinds.each(part_kinds.unmeshed),
      samples=[sample([REAL(2, 3), REAL(2, 3)], [np.zeros(3), np.zeros((2, 1))])])
def unbroadcast_each_rule(ct, out, cts, arrays):
    return broadcast_each(ct, cts)


@rule(broadcast_each, kind=part_kinds.each(kinds.broadcast_part),
      samples=[sample([REAL(3), REAL()], [np.zeros((2, 3)), np.zeros((2, 3))])])
def broadcast_each_rule(ct, out, arrays, like):
    return unbroadcast_each(ct, arrays)


@rule(unmeshgrid, kind=part_kinds.each(part_kinds.unmeshed), samples=[
    sample([REAL(2, 3), REAL(2, 3)], [np.zeros(3), np.zeros(2)]),
    sample([REAL(3, 2), REAL(3, 2)], [np.zeros(3), np.zeros(2)], "ij")])
def unmeshgrid_rule(ct, out, cts, xs, indexing="xy"):
    return meshgrid_like(ct, cts, indexing)


@rule(meshgrid_like, kind=part_kinds.each(kinds.broadcast_part), samples=[
    sample([REAL(3), REAL(2)], [np.zeros((2, 3)), np.zeros((2, 3))]),
    sample([REAL(3), REAL(2)], [np.zeros((3, 1)), np.zeros((1, 2))], "ij")])
def meshgrid_like_rule(ct, out, xs, like, indexing="xy"):
    return unmeshgrid(ct, xs, indexing)
