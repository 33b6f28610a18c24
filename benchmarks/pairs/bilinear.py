"""Bilinear scores by an einsum of three operands, of which one is wanted."""
import numpy as np


def primal(core, left, right, target):
    scores = np.einsum("ni,kij,nj->nk", left, core, right)
    return np.mean((scores - target) ** 2)


def adjoint(core, left, right, target):
    """Gradient with respect to core."""
    n = left.shape[0]
    err = np.einsum("ni,kij,nj->nk", left, core, right)
    err -= target
    value = np.vdot(err, err) / err.size

    scores_bar = err
    scores_bar *= 2.0 / err.size
    # a row for each pair of entries: one product of matrices
    outer = (left[:, :, None] * right[:, None, :]).reshape(n, -1)
    core_bar = (scores_bar.T @ outer).reshape(core.shape)
    return value, core_bar


INPUTS = ("core",)


def make(size, rng):
    n, k, d = {"tiny": (4, 2, 3), "full": (500, 6, 24)}[size]
    return (rng.standard_normal((k, d, d)) / d, rng.standard_normal((n, d)), rng.standard_normal((n, d)),
            rng.standard_normal((n, k)))
