"""Rules of scipy.linalg: Sylvester's equation, root and logarithm of a matrix (N. J. Higham, Functions of Matrices, 2008)."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from sourcegrad.kinds import Kind, Num
from sourcegrad.kinds.results import leaf
from sourcegrad.primitives.core import REAL, WELL_CONDITIONED, rule, sample
from sourcegrad.runtime import conj_transpose

POSITIVE_DEFINITE = np.array([[2.0, 0.3, 0.1], [-0.2, 1.5, 0.4], [0.1, 0.2, 1.1]])


def matrix_kind(a: Kind, *others: Kind) -> Kind:
    """A matrix of the shape of the last argument: real ones may have complex functions."""
    model: Any = leaf(others[-1] if others else a)
    return Num(None, model.dims, True)


@rule(linalg.solve_sylvester, kind=matrix_kind, samples=[
    sample(WELL_CONDITIONED(3, 3), WELL_CONDITIONED(2, 2), REAL(3, 2)),
    sample(POSITIVE_DEFINITE, WELL_CONDITIONED(3, 3), REAL(3, 3))])
def solve_sylvester(ct, out, a, b, q):
    """a out + out b = q; the adjoint of q solves the equation of the transposed matrices"""
    by_q = linalg.solve_sylvester(conj_transpose(a), conj_transpose(b), ct)
    return -by_q @ conj_transpose(out), -conj_transpose(out) @ by_q, by_q


@rule(linalg.sqrtm, kind=lambda A, disp=None, blocksize=None: matrix_kind(A), samples=[
    sample(POSITIVE_DEFINITE), sample(POSITIVE_DEFINITE @ POSITIVE_DEFINITE.T)])
def sqrtm(ct, out, A, disp=True, blocksize=64):
    """out @ out = A, so out dout + dout out = dA"""
    return linalg.solve_sylvester(conj_transpose(out), conj_transpose(out), ct)


@rule(linalg.logm, order="other", kind=lambda A, disp=None: matrix_kind(A), samples=[
    sample(POSITIVE_DEFINITE), sample(POSITIVE_DEFINITE @ POSITIVE_DEFINITE.T)])
def logm(ct, out, A, disp=True):
    """expm(out) = A; the derivative is the block above the diagonal of logm([[A, dA], [0, A]])"""
    size = A.shape[0]
    turned = conj_transpose(A)
    above = np.concatenate([turned, ct], axis=1)
    below = np.concatenate([np.zeros((size, size)), turned], axis=1)
    return linalg.logm(np.concatenate([above, below], axis=0))[:size, size:]
