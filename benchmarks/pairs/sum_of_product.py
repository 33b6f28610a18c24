"""The sum of a product of matrices, and means along its axes: adjoints that are all one value, or one row."""
import numpy as np


def primal(A, B, weights):
    C = A @ B
    return np.sum(C) + np.dot(weights, np.mean(C, axis=0))


def adjoint(A, B, weights):
    """Gradient with respect to (A, B)."""
    C = A @ B
    value = np.sum(C) + np.dot(weights, np.mean(C, axis=0))

    # every row of C has the same adjoint
    row = 1.0 + weights / A.shape[0]
    A_bar = np.empty_like(A)
    A_bar[:] = B @ row
    B_bar = np.outer(np.sum(A, axis=0), row)
    return value, (A_bar, B_bar)


INPUTS = ("A", "B")


def make(size, rng):
    m, k, n = {"tiny": (4, 3, 5), "full": (400, 300, 350)}[size]
    return rng.standard_normal((m, k)), rng.standard_normal((k, n)), rng.standard_normal(n)
