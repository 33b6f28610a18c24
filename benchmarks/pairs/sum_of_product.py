"""The sum of a product of matrices, and means along its axes: adjoints that are all one value, or one row."""
import numpy as np


def primal(A, B, weights):
    C = A @ B
    return np.sum(C) + np.dot(weights, np.mean(C, axis=0))


def adjoint(A, B, weights):
    """Gradient with respect to (A, B)."""
    # every row of C has the same adjoint
    row = 1.0 + weights / A.shape[0]
    B_row = B @ row
    A_sum = np.sum(A, axis=0)
    value = np.dot(A_sum, B_row)

    A_bar = np.empty_like(A)
    A_bar[:] = B_row
    B_bar = np.outer(A_sum, row)
    return value, (A_bar, B_bar)


INPUTS = ("A", "B")


def make(size, rng):
    m, k, n = {"tiny": (4, 3, 5), "full": (400, 300, 350)}[size]
    return rng.standard_normal((m, k)), rng.standard_normal((k, n)), rng.standard_normal(n)
