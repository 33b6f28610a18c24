"""Forward substitution, one unknown after another; x is written once, so it is its own tape."""
import numpy as np


def primal(L, x, b):
    for i in range(x.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return np.sum(x)


def adjoint(L, x, b):
    x = x.copy()
    value = primal(L, x, b)

    L_bar = np.zeros_like(L)
    x_bar = np.ones_like(x)
    b_bar = np.empty_like(b)
    for i in range(x.shape[0] - 1, -1, -1):
        # x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
        r = x_bar[i] / L[i, i]
        x_bar[i] = 0.0
        b_bar[i] = r
        x_bar[:i] -= r * L[i, :i]
        L_bar[i, :i] = -r * x[:i]
        L_bar[i, i] = -r * x[i]
    return value, (L_bar, x_bar, b_bar)


INPUTS = ("L", "x", "b")
IN_PLACE = True
jax_primal = None           # no item assignment
autograd_primal = None      # no item assignment


def make(size, rng):
    n = {"tiny": 4, "full": 600}[size]
    return rng.standard_normal((n, n)) / np.sqrt(n) + 2.0 * np.eye(n), np.zeros(n), rng.standard_normal(n)
