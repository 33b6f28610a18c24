"""LU factorisation in place, without pivoting.

Every element is overwritten once and its final value is what the reverse sweep needs, so there is no tape.
"""
import numpy as np


def primal(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return np.sum(A)


def adjoint(A):
    A = A.copy()
    value = primal(A)

    n = A.shape[0]
    A_bar = np.ones_like(A)
    for i in range(n - 1, -1, -1):
        row, row_bar = A[i], A_bar[i]
        for j in range(n - 1, i - 1, -1):
            # A[i, j] -= A[i, :i] @ A[:i, j]
            u = row_bar[j]
            row_bar[:i] -= u * A[:i, j]
            A_bar[:i, j] -= u * row[:i]
        for j in range(i - 1, -1, -1):
            # A[i, j] = (A[i, j] - A[i, :j] @ A[:j, j]) / A[j, j]
            u = row_bar[j] / A[j, j]
            row_bar[j] = u
            A_bar[j, j] -= u * row[j]
            row_bar[:j] -= u * A[:j, j]
            A_bar[:j, j] -= u * row[:j]
    return value, (A_bar,)


INPUTS = ("A",)
IN_PLACE = True
jax_primal = None           # no item assignment
autograd_primal = None      # no item assignment


def make(size, rng):
    n = {"tiny": 4, "full": 90}[size]
    return rng.standard_normal((n, n)) / np.sqrt(n) + 3.0 * np.eye(n),
