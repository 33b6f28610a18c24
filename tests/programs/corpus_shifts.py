"""Extrema that are subtracted before an exponential: with influence on the result, and without."""
import math

import numpy as np

from tests.programs.program import Corpus

STABLE = Corpus()            # the extremum has no influence: there is no code for it in the reverse sweep
MATTERS = Corpus()           # it has
stable, matters = STABLE.add, MATTERS.add

X = np.array([[0.3, -0.8, 1.1], [0.2, 0.9, -0.4]])
V = np.array([0.3, -0.8, 1.1])
W = np.array([[0.5, -1.0, 2.0], [1.5, 0.7, -0.3]])


def softmax_rows(x, w):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(w * (e / np.sum(e, axis=1, keepdims=True)) ** 2)


stable(softmax_rows, X, W)


def softmax_last_axis(x, w):
    shifted = x - x.max(axis=-1)[:, np.newaxis]
    e = np.exp(shifted)
    return np.sum(w * e / e.sum(axis=-1)[..., None])


stable(softmax_last_axis, X, W)


def log_sum_exp(x):
    top = np.max(x, axis=0)
    return np.sum(V * (np.log(np.sum(np.exp(x - top), axis=0)) + top))


stable(log_sum_exp, X)


def log_softmax(x, w):
    top = x.max(axis=1, keepdims=True)
    shifted = x - top
    return np.sum(w * (shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))))


stable(log_softmax, X, W)


def below_the_minimum(v):
    low = np.min(v)
    return low - math.log(np.sum(np.exp(-(v - low))))


stable(below_the_minimum, V)


def masked_softmax(x, mask):
    top = np.max(x, axis=1, keepdims=True)
    e = np.where(mask, np.exp(x - top), 0.0)
    p = e / np.sum(e, axis=1, keepdims=True)
    return np.sum(p * p * x)


stable(masked_softmax, X, np.array([[True, False, True], [True, True, True]]))


def in_a_loop(x, n):
    total = 0.0
    for k in range(n):
        row = x[k]
        e = np.exp(row - np.max(row))
        total = total + np.sum(V * (e / np.sum(e)))
    return total


stable(in_a_loop, X, 2)


def weights_over_shift(v):
    top = np.max(v)
    scale = np.exp(2.0 * (v - top))
    root = np.exp(v - top)
    return np.sum(V * scale / (root * root)) + np.sum(np.mean(root) / root)


stable(weights_over_shift, V)


def tied(x, w):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(w * e / np.sum(e, axis=1, keepdims=True))


stable(tied, np.array([[0.5, 0.5, 0.1], [0.2, 0.2, 0.2]]), W, order=1)


def plus_one(v):
    e = np.exp(v - np.max(v))
    return np.sum(V * e / (1.0 + np.sum(e)))


matters(plus_one, V)


def shifted_only(v):
    return np.sum(np.exp(v - np.max(v)) * V)


matters(shifted_only, V)


def scale_of_three_quarters(v):
    top = np.max(v)
    return np.log(np.sum(np.exp(v - top))) + 0.75 * top


matters(scale_of_three_quarters, V)


def used_twice(v):
    top = np.max(v)
    return np.log(np.sum(np.exp(v - top))) + top + top * top


matters(used_twice, V)


def used_in_a_branch(v):
    top = np.max(v)
    value = np.log(np.sum(np.exp(v - top))) + top
    if value > 0.0:
        value = value * top
    return value


matters(used_in_a_branch, V)


def another_axis(x):
    top = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - top)
    return np.sum(W * (e / np.sum(e, axis=0)))


matters(another_axis, X)


def aligned_otherwise(x):
    e = np.exp(x - np.max(x, axis=1)[:, None])
    return np.sum(W[:, :2] * (e / np.sum(e, axis=1)))


matters(aligned_otherwise, X[:, :2].copy(), order=2)


def squared_deviation(v):
    return np.sum((v - np.max(v)) ** 2)


matters(squared_deviation, V)


def selected_total(x):
    top = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - top)
    return np.sum(e[0]) / np.sum(e[1])


matters(selected_total, X)


def reassigned(v):
    top = np.max(v)
    for _ in range(2):
        e = np.exp(v - top)
        v = e / np.sum(e)
        top = 0.5
    return np.sum(V * v)


matters(reassigned, V)


def running(v):
    top = np.max(v)
    total = 0.0
    for k in range(3):
        total = total + np.exp(v[k] - top)
    return np.log(total) + top


matters(running, V)           # true that it does not matter, but the loop is not followed
