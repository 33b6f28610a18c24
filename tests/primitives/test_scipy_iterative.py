"""Iterative solvers, spectra and exponentials of sparse matrices: derivatives of what they solve."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.primitives.scipy_checks import check, weighted

sp = pytest.importorskip("scipy.sparse")
sl = pytest.importorskip("scipy.sparse.linalg")
pytestmark = pytest.mark.filterwarnings("ignore")
K, V = np.array([2.0, 3.0, 2.5, 4.0, 3.3]), np.array([0.3, 0.5, -0.7, 1.1, 0.2])
SIDES = np.array([0.5, -0.3, 0.7, 0.2])
A = sp.csr_array(np.diag(K) + 0.5 * np.eye(5, k=1) + 0.3 * np.eye(5, k=-1))
START = np.linspace(1.0, 2.0, 5)


def total(found):
    return np.sum(weighted(found) * found)


def symmetric(k):
    return sp.diags_array([0.3 * k[:4], k, 0.3 * k[:4]], offsets=[-1, 0, 1])


def general(k):
    return sp.diags_array([0.5 * k[1:], k, SIDES], offsets=[-1, 0, 1])


def tall(k):
    return sp.vstack([symmetric(k), sp.diags_array([k[:5]], offsets=[0])])


PROGRAMS = {
    "cg": (lambda k, b: total(sl.cg(symmetric(k), b, rtol=1e-12)[0]), (K, V)),
    "gmres": (lambda k, b: total(sl.gmres(general(k), b, rtol=1e-12, restart=5)[0]), (K, V)),
    "bicgstab": (lambda k, b: total(sl.bicgstab(general(k), b, rtol=1e-13)[0]), (K, V)),
    "others": (lambda k, b: total(sl.bicg(general(k), b, rtol=1e-13)[0]) + total(sl.cgs(general(k), b, rtol=1e-13)[0])
               + total(sl.lgmres(general(k), b, rtol=1e-13)[0]) + total(sl.tfqmr(general(k), b, rtol=1e-13)[0]), (K, V)),
    "minres": (lambda k, b: total(sl.minres(symmetric(k), b, rtol=1e-13)[0]) + total(sl.minres(symmetric(k), b, shift=0.5,
        rtol=1e-13)[0]), (K, V)),
    "a constant matrix": (lambda b: total(sl.gmres(A, b, rtol=1e-12)[0]) + total(sl.gmres(A.toarray(), b, rtol=1e-12)[0]), (V,)),
    "a dense matrix": (lambda k, b: total(sl.gmres(np.diag(k) + 0.1 * np.outer(k, b), b, rtol=1e-12)[0]), (K, V)),
    "preconditioned": (lambda k, b: total(sl.cg(symmetric(k), b, x0=b, M=sp.diags_array(1.0 / k), rtol=1e-12)[0]), (K, V)),
    "triangular": (lambda k, b: total(sl.spsolve_triangular(sp.diags_array([SIDES, k], offsets=[-1, 0]).tocsr(), b)), (K, V)),
    "lsqr": (lambda k, b: total(sl.lsqr(tall(k), np.concatenate([b, b * b]), atol=1e-13, btol=1e-13)[0]), (K, V)),
    "lsqr, damped": (lambda k, b: total(sl.lsqr(tall(k), np.concatenate([b, b * b]), b[0], atol=1e-13, btol=1e-13)[0])
                     + sl.lsqr(tall(k), np.concatenate([b, b * b]), 0.3, atol=1e-13, btol=1e-13)[3], (K, V)),
    "lsmr": (lambda k, b: total(sl.lsmr(tall(k), np.concatenate([b, b * b]), atol=1e-13, btol=1e-13)[0]), (K, V)),
    "expm_multiply": (lambda k, b: total(sl.expm_multiply(-1.0 * general(k), b)), (K, V)),
    "expm_multiply of columns": (lambda k, b: total(sl.expm_multiply(0.1 * general(k), np.outer(b, SIDES))), (K, V)),
    "eigsh": (lambda k: total(sl.eigsh(symmetric(k), 2, return_eigenvectors=False)), (K,)),
    "eigenvectors": (lambda k: total(sl.eigsh(symmetric(k), 2, v0=START)[1] ** 2), (K,)),
    "svds": (lambda k: total(sl.svds(tall(k), 2, return_singular_vectors=False)), (K,)),
    "singular vectors": (lambda k: total(sl.svds(general(k), 2, v0=START)[0] ** 2)
                         + total(sl.svds(general(k), 2, v0=START)[2] ** 2), (K,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name):
    function, args = PROGRAMS[name]
    check(function, *args, order=2 if name in ("cg", "eigsh", "lsqr", "expm_multiply") else 1, tolerance=1e-8)


REFUSED = {
    "no solution": lambda k: total(sl.gmres(general(k), V, restart=1, maxiter=1, rtol=1e-12)[0]),
    "a callback": lambda k: total(sl.cg(symmetric(k), V, callback=print)[0]),
    "what lsqr tells": lambda k: sl.lsqr(tall(k), np.ones(10))[5],
    "not simple": lambda k: total(sl.eigsh(sp.diags_array(k * 0.0 + K[0] + 0.0 * k[0]), 2, v0=START)[0]),
    "a mass matrix": lambda k: total(sl.eigsh(symmetric(k), 2, M=sp.eye_array(5), return_eigenvectors=False)),
    "an operator": lambda k: total(sl.cg(sl.aslinearoperator(A), k)[0]),
    "eigs": lambda k: total(np.real(sl.eigs(general(k), 2, return_eigenvectors=False))),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(SourcegradError) as caught:
        sg.grad(REFUSED[name])(K)
    assert "test_scipy_iterative.py:" in str(caught.value) and type(caught.value).__name__ == "UnsupportedError"
