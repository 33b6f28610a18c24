"""Chains of rotations, many at once: products of stacks of small matrices, applied to points."""
import numpy as np


def primal(first, second, points, target):
    moved = first @ (second @ points)
    return np.sum((moved - target) ** 2)


def adjoint(first, second, points, target):
    """Gradient with respect to (first, second, points)."""
    inner = second @ points
    err = first @ inner
    err -= target
    value = np.vdot(err, err)

    err *= 2.0
    first_bar = err @ inner.transpose(0, 2, 1)
    inner_bar = first.transpose(0, 2, 1) @ err
    second_bar = inner_bar @ points.transpose(0, 2, 1)
    points_bar = second.transpose(0, 2, 1) @ inner_bar
    return value, (first_bar, second_bar, points_bar)


INPUTS = ("first", "second", "points")


def make(size, rng):
    n, d, m = {"tiny": (2, 3, 4), "full": (200, 8, 32)}[size]
    return (rng.standard_normal((n, d, d)), rng.standard_normal((n, d, d)), rng.standard_normal((n, d, m)),
            rng.standard_normal((n, d, m)))
