"""A chain of elementwise operations on a large vector, then a sum."""
import numpy as np


def primal(x, a):
    return np.sum(np.tanh(x) * np.exp(-0.5 * x * x) + a * np.sqrt(1.0 + x * x))


def adjoint(x, a):
    """Gradient with respect to (x, a), both vectors."""
    t = np.tanh(x)
    xx = x * x
    e = np.exp(-0.5 * xx)
    xx += 1.0
    s = np.sqrt(xx, out=xx)
    te = t * e
    a_bar = s.copy()                      # d/da (a * s), summed with weight 1
    value = np.sum(te) + np.dot(a, s)

    # a * sqrt(1 + x*x)
    x_bar = a * x
    x_bar /= s
    # tanh(x) * exp(-0.5 * x * x)
    t *= t
    np.subtract(1.0, t, out=t)
    t *= e
    te *= x
    t -= te
    x_bar += t
    return value, (x_bar, a_bar)


INPUTS = ("x", "a")


def make(size, rng):
    n = {"tiny": 7, "full": 1_000_000}[size]
    return rng.standard_normal(n), rng.standard_normal(n)
