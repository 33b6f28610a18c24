"""Sweeps of Gauss-Seidel for a linear system, row by row in place; squared residual of the last iterate."""
import numpy as np


def primal(A, b, sweeps):
    x = np.zeros(len(b))
    for _ in range(sweeps):
        for i in range(len(b)):
            x[i] = (b[i] - A[i, :i] @ x[:i] - A[i, i + 1:] @ x[i + 1:]) / A[i, i]
    r = A @ x - b
    return np.dot(r, r)


def adjoint(A, b, sweeps):
    """Gradient with respect to (A, b)."""
    n = len(b)
    x = np.zeros(n)
    old = np.empty((sweeps, n))
    for s in range(sweeps):
        for i in range(n):
            old[s, i] = x[i]
            x[i] = (b[i] - A[i, :i] @ x[:i] - A[i, i + 1:] @ x[i + 1:]) / A[i, i]
    r = A @ x - b
    value = np.dot(r, r)

    r_bar = 2.0 * r
    A_bar = np.outer(r_bar, x)
    b_bar = -r_bar
    x_bar = r_bar @ A
    for s in range(sweeps - 1, -1, -1):
        for i in range(n - 1, -1, -1):
            # x[i] = (b[i] - A[i, :i] @ x[:i] - A[i, i + 1:] @ x[i + 1:]) / A[i, i]
            part = x_bar[i] / A[i, i]
            b_bar[i] += part
            A_bar[i, i] -= part * x[i]
            x[i] = old[s, i]
            x_bar[i] = 0.0
            A_bar[i, :i] -= part * x[:i]
            A_bar[i, i + 1:] -= part * x[i + 1:]
            x_bar[:i] -= part * A[i, :i]
            x_bar[i + 1:] -= part * A[i, i + 1:]
    return value, (A_bar, b_bar)


INPUTS = ("A", "b")


def make(size, rng):
    n, sweeps = {"tiny": (4, 2), "full": (60, 10)}[size]
    return n * np.eye(n) + rng.standard_normal((n, n)), rng.standard_normal(n), sweeps
