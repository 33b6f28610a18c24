"""Rules of functions that select, sort and permute; the adjoint goes back where each element came from."""
from __future__ import annotations

import numpy as np

from sourcegrad.kinds import Const, Num
from sourcegrad.rules import part_kinds, shape_kinds as kinds
from sourcegrad.rules.core import COMPLEX, DISTINCT, REAL, rule, sample
from sourcegrad.runtime import broadcast_like, choose_parts, one_of_equals, scatter_add, scatter_along, unsort

MASK = np.array([True, False, True])


# --- selection ------------------------------------------------------------------------------------------

@rule(np.take, kind=kinds.take, samples=[
    sample(REAL(4), 1), sample(REAL(4), [0, 0, -1]), sample(REAL(2, 3), [5, 0]),
    sample(REAL(2, 3), [[0, 1], [1, 1]], axis=0), sample(REAL(2, 3), 2, axis=1),
    sample(REAL(2, 3, 4), [2, 0, 2], axis=-2), sample(REAL(3), [4, -5], mode="wrap"),
    sample(REAL(3), [4, -5], mode="clip"), sample(REAL(3), np.array([], int)), sample(COMPLEX(3), [1, 1])])
def take(ct, out, a, indices, axis=None, mode="raise"):
    if mode == "raise":
        return scatter_add(ct, a, indices, axis)
    return scatter_add(ct, a, indices, axis, mode)


@rule(np.take_along_axis, kind=kinds.take_along_axis, samples=[
    sample(REAL(4), np.array([0, 0, -1]), 0), sample(REAL(2, 3), np.array([[1], [1]]), axis=1),
    sample(REAL(2, 3), np.array([[1, 0, 1], [0, 0, 1]]), axis=0),
    sample(REAL(2, 3), np.array([5, 0, 5]), None), sample(REAL(2, 3), np.array([[2, 0]]), axis=-1),
    sample(REAL(1, 3), np.array([[2, 0], [1, 0]]), axis=1)])
def take_along_axis(ct, out, arr, indices, axis=-1):
    return scatter_along(ct, arr, indices, axis)


@rule(np.compress, kind=kinds.compress, samples=[
    sample(MASK, REAL(3)), sample([0, 1], REAL(2, 3), axis=0), sample(MASK, REAL(2, 3), axis=1),
    sample(MASK, REAL(2, 3))])
def compress(ct, out, condition, a, axis=None):
    return None, scatter_add(ct, a, np.flatnonzero(condition), axis)


@rule(np.extract, kind=kinds.extract, samples=[
    sample(MASK, REAL(3)), sample(np.array([MASK, ~MASK]), REAL(2, 3))])
def extract(ct, out, condition, arr):
    return None, scatter_add(ct, arr, np.flatnonzero(condition))


@rule(np.choose, kind=part_kinds.choose, samples=[
    sample(np.array([0, 1, 1]), [REAL(3), REAL(3)]), sample(np.array([[0], [1]]), [REAL(3), REAL()]),
    sample(1, [REAL(3), REAL(3)]), sample(np.array([2, -1]), [REAL(2), REAL(2)], mode="wrap"),
    sample(np.array([2, -1]), [REAL(2), REAL(2)], mode="clip"), sample(np.array([0, 1]), REAL(2, 2))])
def choose(ct, out, a, choices, mode="raise"):
    return None, choose_parts(ct, a, choices, mode)


def bincount_kind(x, weights=None, minlength=None):
    floats = weights is not None and weights != Const(None)
    return Num("float64" if floats else "int64", (None,), True)


@rule(np.bincount, kind=bincount_kind, samples=[
    sample(np.array([0, 2, 2, 1]), REAL(4)), sample(np.array([0, 1]), REAL(2), 4), sample([1, 1], REAL(2), minlength=3)])
def bincount(ct, out, x, weights=None, minlength=0):
    """out[k] = the sum of the weights where x is k"""
    if weights is None:
        return None
    return None, np.take(ct, x)


@rule(one_of_equals, kind=lambda x, index, inverse, counts: kinds.take(x, index), samples=[
    sample(REAL(3), np.array([2, 0, 1]), np.array([1, 2, 0]), np.array([1, 1, 1]))])
def one_of_equals_rule(ct, out, x, index, inverse, counts):
    """out = x[index]; each of n equal elements has 1/n of it"""
    return np.take(ct / counts, np.ravel(inverse))


# --- sorting --------------------------------------------------------------------------------------------

@rule(np.sort, kind=kinds.sort, samples=[
    sample(DISTINCT(5)), sample(DISTINCT(2, 3)), sample(DISTINCT(3, 2), axis=0),
    sample(DISTINCT(2, 3), axis=None), sample(DISTINCT(0))])
def sort(ct, out, a, axis=-1, kind=None):
    """Equal elements keep their order, as in PyTorch's stable sort."""
    if axis is None:
        return np.reshape(unsort(ct, np.argsort(a, axis=None, kind="stable"), 0), np.shape(a))
    return unsort(ct, np.argsort(a, axis=axis, kind="stable"), axis)


@rule(np.partition, kind=kinds.partition, samples=[
    sample(DISTINCT(7), 3), sample(DISTINCT(2, 5), 1), sample(DISTINCT(5, 2), (1, 3), axis=0),
    sample(DISTINCT(2, 3), 2, axis=None)])
def partition(ct, out, a, kth, axis=-1, kind="introselect"):
    """Paired through the ranks: NumPy's argpartition need not permute as partition does."""
    if axis is None:
        ranked = np.take(ct, np.argsort(out, kind="stable"))
        return np.reshape(unsort(ranked, np.argsort(a, axis=None, kind="stable"), 0), np.shape(a))
    ranked = np.take_along_axis(ct, np.argsort(out, axis=axis, kind="stable"), axis)
    return unsort(ranked, np.argsort(a, axis=axis, kind="stable"), axis)


@rule(np.setdiff1d, kind=kinds.setdiff1d, samples=[
    sample(DISTINCT(5), np.array([7.5, -7.5])), sample(DISTINCT(2, 2), np.array([7.5])),
    sample(DISTINCT(3), np.array([7.5]), assume_unique=True)])
def setdiff1d(ct, out, ar1, ar2, assume_unique=False):
    """Of equal elements the first one counts."""
    order = np.argsort(ar1, axis=None, kind="stable")
    return scatter_add(ct, ar1, np.take(order, np.searchsorted(np.ravel(ar1), out, sorter=order))), None


# --- the helpers themselves -----------------------------------------------------------------------------

@rule(scatter_add, kind=kinds.shaped_like(1), samples=[
    sample(REAL(3), np.zeros(4), [0, 0, -1]), sample(REAL(2, 2), np.zeros((2, 3)), [1, 1], 1),
    sample(REAL(), np.zeros(3), 1), sample(REAL(2), np.zeros(3), [4, 1], None, "wrap")])
def scatter_add_rule(ct, out, y, x, indices, axis=None, mode="raise"):
    return np.take(ct, indices, axis=axis, mode=mode)


@rule(scatter_along, kind=kinds.shaped_like(1), samples=[
    sample(REAL(3), np.zeros(4), np.array([0, 0, -1])),
    sample(REAL(2, 1), np.zeros((2, 3)), np.array([[1], [1]]), 1),
    sample(REAL(2), np.zeros((2, 3)), np.array([5, 5]), None)])
def scatter_along_rule(ct, out, y, x, indices, axis=-1):
    return np.take_along_axis(ct, indices, axis)


@rule(unsort, kind=kinds.shaped_like(0), samples=[
    sample(REAL(3), np.array([2, 0, 1])), sample(REAL(2, 2), np.array([[1, 0], [0, 1]]), 0)])
def unsort_rule(ct, out, y, order, axis=-1):
    return np.take_along_axis(ct, order, axis)


@rule(choose_parts, kind=part_kinds.choose_parts, samples=[sample(REAL(3), np.array([0, 1, 1]), [np.zeros(3), 1.0])])
def choose_parts_rule(ct, out, y, a, choices, mode="raise"):
    return broadcast_like(np.choose(a, ct, mode=mode), y)
