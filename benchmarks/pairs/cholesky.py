"""Row-by-row Cholesky, in place in the lower triangle.

Every element is overwritten once and its final value is what the reverse sweep needs, so there is no tape.
"""
import numpy as np


def primal(A):
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])
    return np.sum(A)


def adjoint(A):
    A = A.copy()
    value = primal(A)

    A_bar = np.ones_like(A)
    for i in range(A.shape[0] - 1, 0, -1):
        row, row_bar = A[i], A_bar[i]
        # A[i, i] = sqrt(A[i, i] - dot(A[i, :i], A[i, :i]))
        row_bar[i] *= 0.5 / row[i]
        row_bar[:i] -= (2.0 * row_bar[i]) * row[:i]
        for j in range(i - 1, -1, -1):
            # A[i, j] = (A[i, j] - dot(A[i, :j], A[j, :j])) / A[j, j]
            b = row_bar[j] / A[j, j]
            row_bar[j] = b
            A_bar[j, j] -= b * row[j]
            row_bar[:j] -= b * A[j, :j]
            A_bar[j, :j] -= b * row[:j]
    A_bar[0, 0] *= 0.5 / A[0, 0]
    return value, (A_bar,)


INPUTS = ("A",)
IN_PLACE = True
jax_primal = None           # unrolled it compiles for minutes


def make(size, rng):
    n = {"tiny": 4, "full": 100}[size]
    factor = rng.standard_normal((n, n))
    return factor @ factor.T / n + np.eye(n),


def primal_in(xp, A):
    """Rows grow by concatenation; what is left in the upper triangle counts in the sum as it does above."""
    rows = []
    total = xp.sum(xp.triu(A, 1))
    for i in range(A.shape[0]):
        row = A[i, :0]
        for j in range(i):
            entry = (A[i, j] - xp.dot(row, rows[j][:j])) / rows[j][j]
            row = xp.concatenate([row, xp.reshape(entry, (1,))])
        row = xp.concatenate([row, xp.reshape(xp.sqrt(A[i, i] - xp.dot(row, row)), (1,))])
        total = total + xp.sum(row)
        rows.append(row)
    return total
