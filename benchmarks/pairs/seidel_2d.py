"""Gauss-Seidel sweeps: slice update of a row, then an in-place scalar recurrence along it.  Linear."""
import numpy as np


def primal(steps, n, A):
    for t in range(steps - 1):
        for i in range(1, n - 1):
            A[i, 1:-1] += (A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:]
                           + A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:])
            for j in range(1, n - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0
    return np.sum(A)


def adjoint(steps, n, A):
    A = A.copy()
    value = primal(steps, n, A)

    A_bar = np.ones_like(A)
    for t in range(steps - 1):
        for i in range(n - 2, 0, -1):
            row = A_bar[i]
            for j in range(n - 2, 0, -1):
                # A[i, j] /= 9;  A[i, j] += A[i, j - 1]
                row[j] /= 9.0
                row[j - 1] += row[j]
            # A[i, 1:-1] += (three above, one right, three below)
            w = row[1:-1].copy()
            A_bar[i - 1, :-2] += w
            A_bar[i - 1, 1:-1] += w
            A_bar[i - 1, 2:] += w
            row[2:] += w
            A_bar[i + 1, :-2] += w
            A_bar[i + 1, 1:-1] += w
            A_bar[i + 1, 2:] += w
    return value, (A_bar,)


INPUTS = ("A",)
IN_PLACE = True
jax_primal = None           # unrolled it compiles for minutes
autograd_primal = None      # no item assignment


def make(size, rng):
    steps, n = {"tiny": (3, 5), "full": (8, 50)}[size]
    return steps, n, rng.standard_normal((n, n))
