"""Rules of functions that join and split arrays.

The contribution for a list of arrays is a list; for lists nested in lists it is nested in the same way.
"""
from __future__ import annotations

import numpy as np

from sourcegrad.kinds import INT
from sourcegrad.rules import part_kinds, shape_kinds as kinds
from sourcegrad.rules.core import COMPLEX, REAL, available, ndim, nondifferentiable, rule, sample
from sourcegrad.runtime import (
    insertion_axis,
    join_like,
    new_positions,
    restack,
    split_like,
    unblock,
    unbroadcast,
    undelete,
    unstack,
)

# --- joining --------------------------------------------------------------------------------------------

@rule(np.concatenate, kind=kinds.concatenate, samples=[
    sample([REAL(2), REAL(3)]), sample((REAL(2, 3), REAL(1, 3))), sample([REAL(2, 3), REAL(2, 1)], axis=1),
    sample([REAL(2, 3), REAL(2, 1)], -1), sample([REAL(2, 3), REAL(4)], axis=None),
    sample([REAL(0), REAL(2)]), sample(REAL(2, 3, 4)), sample([REAL(3)]),
    sample([[REAL(), REAL()], REAL(3)]), sample([COMPLEX(2), REAL(2)])])
def concatenate(ct, out, arrays, axis=0):
    return split_like(ct, arrays, axis)


@rule(np.stack, kind=kinds.stack, samples=[
    sample([REAL(), REAL()]), sample([REAL(3), REAL(3)]), sample((REAL(3), REAL(3)), axis=1),
    sample([REAL(2, 3)] * 2, axis=-1), sample([REAL(2, 3)] * 2, -2), sample(REAL(2, 3), axis=1),
    sample([REAL(0)])])
def stack(ct, out, arrays, axis=0):
    if axis == 0:
        return unstack(ct, arrays)
    return unstack(np.moveaxis(ct, axis, 0), arrays)


@rule(*available(np, "vstack", "row_stack"), kind=kinds.vstack, samples=[
    sample([REAL(3), REAL(3)]), sample((REAL(2, 3), REAL(3))), sample([REAL(2, 3, 2)] * 2),
    sample([REAL(), REAL()]), sample(REAL(2, 3))])
def vstack(ct, out, tup):
    return split_like(ct, tup, 0)


@rule(np.hstack, kind=kinds.hstack, samples=[
    sample([REAL(3), REAL(2)]), sample((REAL(), REAL(2))), sample([REAL(2, 3), REAL(2, 1)]),
    sample([REAL(2, 3, 2)] * 2), sample(REAL(2, 3))])
def hstack(ct, out, tup):
    if ndim(out) == 1:
        return split_like(ct, tup, 0)
    if ndim(out) == 2:
        return split_like(ct, tup, 1)
    return split_like(ct, tup, min(np.ndim(ct) - 1, 1))


@rule(np.dstack, kind=kinds.dstack, samples=[
    sample([REAL(3), REAL(3)]), sample((REAL(2, 3), REAL(2, 3))), sample([REAL(2, 3, 2), REAL(2, 3)]),
    sample([REAL(), REAL()])])
def dstack(ct, out, tup):
    return split_like(ct, tup, 2)


@rule(np.column_stack, kind=kinds.column_stack, samples=[
    sample([REAL(3), REAL(3)]), sample((REAL(3), REAL(3, 2))), sample([REAL(2, 3), REAL(2, 3)])])
def column_stack(ct, out, tup):
    return split_like(ct, tup, 1)


@rule(np.append, kind=kinds.append, samples=[
    sample(REAL(3), REAL()), sample(REAL(3), REAL(2)), sample(REAL(2, 2), REAL(2, 3)),
    sample(REAL(0), REAL()), sample(REAL(2, 3), REAL(1, 3), axis=0), sample(REAL(2, 3), REAL(2, 2), axis=-1),
    sample(REAL(3), [REAL(), REAL()])])
def append(ct, out, arr, values, axis=None):
    parts = split_like(ct, (arr, values), axis)
    return parts[0], parts[1]


@rule(np.block, kind=part_kinds.block, samples=[
    sample([REAL(3), REAL(2)]), sample([[REAL(2, 2), REAL(2, 3)], [REAL(1, 2), REAL(1, 3)]]),
    sample([[REAL(2), REAL(3)], [REAL(5)]]), sample([[REAL(), REAL()], [REAL(), REAL()]]),
    sample(REAL(2, 3))])
def block(ct, out, arrays):
    return unblock(ct, arrays)


@rule(np.insert, kind=kinds.axis_resized(3), samples=[
    sample(REAL(3), 1, REAL()), sample(REAL(3), 1, REAL(2)), sample(REAL(3), [0, 2], REAL(2)),
    sample(REAL(3), -1, REAL()), sample(REAL(3), [2, 0], REAL(2)), sample(REAL(3), [0, 3], REAL()),
    sample(REAL(2, 2), 1, REAL()), sample(REAL(2, 3), 0, REAL(3), axis=0),
    sample(REAL(2, 3), 1, REAL(2), axis=1), sample(REAL(2, 3), 1, REAL(), axis=1),
    sample(REAL(2, 3), [0, 2], REAL(2, 2), axis=1), sample(REAL(2, 3), [1], REAL(2, 2), axis=-1),
    sample(REAL(2, 3), slice(0, 2), REAL(2), axis=1), sample(REAL(0), 0, REAL())])
def insert(ct, out, arr, obj, values, axis=None):
    new = new_positions(arr, obj, out, axis)
    if axis is None:
        return np.reshape(np.delete(ct, new), np.shape(arr)), None, unbroadcast(ct[new], values)
    inserted = np.moveaxis(np.take(ct, new, axis=axis), axis, insertion_axis(obj, axis))
    return np.delete(ct, new, axis=axis), None, unbroadcast(inserted, values)


# --- splitting: `ct` is a list ----------------------------------------------------------------------------

@rule(np.split, np.array_split, kind=kinds.split, samples=[
    sample(REAL(4), 2), sample(REAL(5), [2]), sample(REAL(5), [1, 7]), sample(REAL(4, 3), 2),
    sample(REAL(3, 4), 2, axis=1), sample(REAL(3, 4), [1, 3], axis=-1), sample(REAL(4), np.array([1, 1])),
    sample(REAL(4), 1)])
def split(ct, out, ary, indices_or_sections, axis=0):
    return np.concatenate(ct, axis=axis)


@rule(np.hsplit, kind=kinds.split_at(1), samples=[
    sample(REAL(4), 2), sample(REAL(3, 4), 2), sample(REAL(2, 3, 2), [1])])
def hsplit(ct, out, ary, indices_or_sections):
    return np.hstack(ct)


@rule(np.vsplit, kind=kinds.split_at(0), samples=[sample(REAL(4, 3), 2), sample(REAL(3, 4, 2), [1])])
def vsplit(ct, out, ary, indices_or_sections):
    return np.concatenate(ct)


@rule(np.dsplit, kind=kinds.split_at(2), samples=[sample(REAL(2, 3, 4), 2), sample(REAL(1, 2, 3), [1])])
def dsplit(ct, out, ary, indices_or_sections):
    return np.concatenate(ct, axis=2)


@rule(*available(np, "unstack"), kind=kinds.numpy_unstack, samples=[
    sample(REAL(2)), sample(REAL(2, 3)), sample(REAL(2, 3), axis=1), sample(REAL(2, 3, 2), axis=-1)])
def numpy_unstack(ct, out, x, axis=0):
    return np.moveaxis(np.reshape(np.array(ct), np.moveaxis(x, axis, 0).shape), 0, axis)


@rule(np.delete, kind=kinds.axis_resized(2), samples=[
    sample(REAL(4), 1), sample(REAL(4), [0, -1]), sample(REAL(4), slice(1, 3)), sample(REAL(2, 3), 2),
    sample(REAL(2, 3), 1, axis=1), sample(REAL(4, 2), [1, 1, 3], axis=0), sample(REAL(4), []),
    sample(REAL(3), np.array([True, False, True])), sample(REAL(2, 3, 2), 0, axis=-2)])
def delete(ct, out, arr, obj, axis=None):
    return undelete(ct, arr, obj, axis)


# --- the helpers themselves -----------------------------------------------------------------------------

nondifferentiable(new_positions, kind=kinds.positions)
nondifferentiable(insertion_axis, kind=lambda obj, axis: INT)


@rule(unstack, kind=part_kinds.taken_apart, samples=[
    sample(COMPLEX(2), [1.0 + 1.0j, 1.0]),
    sample(REAL(2), [1.0, 1.0]), sample(REAL(2, 3), [np.zeros(3), np.zeros(3)]),
    sample(REAL(2, 2), [[1.0, 1.0], [1.0, 1.0]]), sample(REAL(2, 3), np.zeros((2, 3)))])
def unstack_rule(ct, out, y, like):
    return restack(ct, y)


@rule(restack, kind=part_kinds.restacked, samples=[
    sample([REAL(), REAL()], np.zeros(2)), sample([REAL(3), REAL(3)], np.zeros((2, 3))),
    sample(REAL(2), np.zeros(2)), sample([[REAL(), REAL()], REAL(2)], np.zeros((2, 2)))])
def restack_rule(ct, out, parts, like):
    return unstack(ct, parts)


@rule(split_like, kind=part_kinds.split_like, samples=[
    sample(REAL(5), [np.zeros(2), np.zeros(3)]), sample(REAL(2, 3), (np.zeros(3), np.zeros((1, 3)))),
    sample(REAL(2, 3), [np.zeros((2, 1)), np.zeros((2, 2))], -1),
    sample(REAL(5), [np.zeros((2, 2)), 1.0], None), sample(REAL(2, 4), [np.zeros(2), np.zeros((2, 3))], 1),
    sample(REAL(6, 2), np.zeros((2, 3, 2)))])
def split_like_rule(ct, out, y, arrays, axis=0):
    return join_like(ct, y, axis)


@rule(join_like, kind=part_kinds.join_like, samples=[
    sample([REAL(2), REAL(3)], np.zeros(5)), sample([REAL(3), REAL(1, 3)], np.zeros((2, 3))),
    sample([REAL(2), REAL(2, 3)], np.zeros((2, 4)), 1), sample([REAL(2, 2), REAL()], np.zeros(5), None)])
def join_like_rule(ct, out, parts, like, axis=0):
    return split_like(ct, parts, axis)


@rule(unblock, kind=part_kinds.unblock, samples=[
    sample(REAL(3, 2), [[np.zeros((1, 2))], [np.zeros((2, 2))]]),
    sample(REAL(2, 2), [[1.0, 1.0], [1.0, 1.0]])])
def unblock_rule(ct, out, y, arrays):
    return np.block(ct)


@rule(undelete, kind=kinds.shaped_like(1), samples=[
    sample(REAL(3), np.zeros(4), 1), sample(REAL(2, 2), np.zeros((2, 3)), 1, axis=1),
    sample(REAL(5), np.zeros((2, 3)), 2)])
def undelete_rule(ct, out, y, x, obj, axis=None):
    return np.delete(ct, obj, axis=axis)
