"""A recurrence element by element along an array; every element is written once, so the array is its own tape."""
import numpy as np


def primal(x, r):
    for i in range(len(x) - 1):
        x[i + 1] += r * x[i] * (1.0 - x[i])
    return np.sum(x)


def adjoint(x, r):
    x = x.copy()
    value = primal(x, r)

    x_bar = np.ones_like(x)
    r_bar = 0.0
    for i in range(len(x) - 2, -1, -1):
        # x[i + 1] += r * x[i] * (1 - x[i])
        w = x_bar[i + 1]
        v = x[i]
        r_bar += w * v * (1.0 - v)
        x_bar[i] += w * r * (1.0 - 2.0 * v)
    return value, (x_bar, r_bar)


INPUTS = ("x", "r")
IN_PLACE = True
jax_primal = None           # no item assignment
autograd_primal = None      # no item assignment


def make(size, rng):
    n = {"tiny": 6, "full": 20000}[size]
    return rng.uniform(0.0, 0.1, n), 0.7
