"""Many tridiagonal systems at once (one per column): c and d are overwritten, the solutions are in d.

Elimination keeps no copy of d: what back substitution changes is undone in the reverse sweep.
"""
import numpy as np


def primal(a, b, c, d):
    n = d.shape[0]
    c[0] /= b[0]
    d[0] /= b[0]
    for i in range(1, n):
        m = b[i] - a[i] * c[i - 1]
        c[i] /= m
        d[i] = (d[i] - a[i] * d[i - 1]) / m
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return np.sum(d)


def adjoint(a, b, c, d):
    c, d = c.copy(), d.copy()
    value = primal(a, b, c, d)

    n = d.shape[0]
    a_bar = np.zeros_like(a)
    b_bar = np.empty_like(b)
    c_bar = np.zeros_like(c)
    d_bar = np.ones_like(d)
    for i in range(n - 1):
        # d[i] -= c[i] * d[i + 1]
        c_bar[i] -= d_bar[i] * d[i + 1]
        d_bar[i + 1] -= d_bar[i] * c[i]
        d[i] += c[i] * d[i + 1]
    for i in range(n - 1, 0, -1):
        m = b[i] - a[i] * c[i - 1]
        # d[i] = (d[i] - a[i] * d[i - 1]) / m;  c[i] /= m
        d_bar[i] /= m
        c_bar[i] /= m
        m_bar = -(d_bar[i] * d[i] + c_bar[i] * c[i])
        d_bar[i - 1] -= d_bar[i] * a[i]
        # m = b[i] - a[i] * c[i - 1]
        a_bar[i] = -(d_bar[i] * d[i - 1] + m_bar * c[i - 1])
        b_bar[i] = m_bar
        c_bar[i - 1] -= m_bar * a[i]
    # d[0] /= b[0];  c[0] /= b[0]
    d_bar[0] /= b[0]
    c_bar[0] /= b[0]
    b_bar[0] = -(d_bar[0] * d[0] + c_bar[0] * c[0])
    return value, (a_bar, b_bar, c_bar, d_bar)


INPUTS = ("a", "b", "c", "d")
IN_PLACE = True
jax_primal = None           # no item assignment
autograd_primal = None      # no item assignment


def make(size, rng):
    n, m = {"tiny": (5, 2), "full": (300, 400)}[size]
    return (rng.uniform(-1.0, 1.0, (n, m)), rng.uniform(3.0, 4.0, (n, m)), rng.uniform(-1.0, 1.0, (n, m)),
            rng.standard_normal((n, m)))
