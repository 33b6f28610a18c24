"""Factors of a matrix of which only some entries are known, with a penalty."""
import numpy as np


def primal(U, V, R, mask, lam):
    err = mask * (R - U @ V.T)
    return 0.5 * np.sum(err ** 2) + 0.5 * lam * (np.sum(U ** 2) + np.sum(V ** 2))


def adjoint(U, V, R, mask, lam):
    """Gradient with respect to (U, V)."""
    err = U @ V.T
    np.subtract(R, err, out=err)
    err *= mask
    value = 0.5 * np.vdot(err, err) + 0.5 * lam * (np.vdot(U, U) + np.vdot(V, V))

    err *= mask
    U_bar = lam * U
    U_bar -= err @ V
    V_bar = lam * V
    V_bar -= err.T @ U
    return value, (U_bar, V_bar)


INPUTS = ("U", "V")


def make(size, rng):
    m, n, k = {"tiny": (6, 5, 2), "full": (600, 500, 10)}[size]
    return (rng.standard_normal((m, k)), rng.standard_normal((n, k)), rng.standard_normal((m, n)),
            (rng.uniform(size=(m, n)) < 0.2).astype(float), 0.1)
