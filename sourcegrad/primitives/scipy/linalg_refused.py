"""Functions of scipy.linalg that are refused, with what to use: factors that are not unique, routines of BLAS and LAPACK."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from scipy.linalg import blas, lapack

from sourcegrad.primitives.core import declare, describe, rule
from sourcegrad.runtime import refuse
from sourcegrad.runtime.core import UnsupportedError


def refused(x: Any, what: str, remedy: str) -> Any:
    """Raise: what is computed of x is not differentiated."""
    raise UnsupportedError(what, remedy=remedy)


@rule(refused, effect="checks")
def refused_rule(ct, out, x, what, remedy):
    """It has no derivative"""
    return refuse(what, remedy)


def schur(a: Any, *args: Any, **options: Any) -> Any:
    """scipy.linalg.schur, rsf2csf, cdf2rdf, hessenberg, qz, ordqz"""
    return refused(a, "scipy.linalg.schur, hessenberg, qz and their like, whose factors are not unique",
                   "A function of a matrix does not need it: use scipy.linalg.expm, logm, sqrtm, or eigvals for the eigenvalues.")


def null_space(a: Any, *args: Any, **options: Any) -> Any:
    """scipy.linalg.null_space and orth"""
    return refused(a, "scipy.linalg.null_space and orth, whose bases are not unique",
                   "Use the projector, np.eye(n) - np.linalg.pinv(a) @ a, or np.linalg.qr for a basis of the columns.")


def ldl(a: Any, *args: Any, **options: Any) -> Any:
    """scipy.linalg.ldl"""
    return refused(a, "scipy.linalg.ldl", "Use scipy.linalg.cholesky, of a positive definite matrix, or lu.")


def rq(a: Any, *args: Any, **options: Any) -> Any:
    """scipy.linalg.rq"""
    return refused(a, "scipy.linalg.rq", "Use np.linalg.qr(a[::-1].T) and turn its factors: r[::-1, ::-1].T, q.T[::-1].")


def qr_multiply(a: Any, c: Any, *args: Any, **options: Any) -> Any:
    """scipy.linalg.qr_multiply"""
    return refused(np.sum(a) + np.sum(c), "scipy.linalg.qr_multiply", "Use q, r = np.linalg.qr(a), and c @ q or q @ c.")


def cossin(a: Any, *args: Any, **options: Any) -> Any:
    """scipy.linalg.cossin"""
    return refused(a, "scipy.linalg.cossin", "Use np.linalg.svd of the blocks.")


def matrix_balance(a: Any, *args: Any, **options: Any) -> Any:
    """scipy.linalg.matrix_balance"""
    return refused(a, "scipy.linalg.matrix_balance", "The eigenvalues do not need it: use np.linalg.eigvals.")


def expm_cond(a: Any, *args: Any, **options: Any) -> Any:
    """scipy.linalg.expm_cond"""
    return refused(a, "scipy.linalg.expm_cond", "Use scipy.linalg.expm_frechet.")


def generalized_riccati(a: Any, *args: Any, **options: Any) -> Any:
    """scipy.linalg.solve_continuous_are and solve_discrete_are with e"""
    return refused(a, "the Riccati equations of scipy.linalg with e", "Multiply by its inverse: solve(e, a), solve(e, b).")


def logm_with_estimate(a: Any, *args: Any, **options: Any) -> Any:
    """scipy.linalg.logm and sqrtm with disp=False"""
    return refused(a, "scipy.linalg.logm and sqrtm with disp", "Leave disp out: the result alone is given.")


def low_level(names: Any, arrays: Any = (), *args: Any, **options: Any) -> Any:
    """scipy.linalg.get_blas_funcs and get_lapack_funcs"""
    return refused(arrays, "a routine of BLAS or LAPACK that is asked for by its name",
                   "Use a @ b, np.linalg and the functions of scipy.linalg: solve, cho_factor, lu_factor, eigh.")


declare("instead", {
    linalg.schur: schur, linalg.rsf2csf: schur, linalg.cdf2rdf: schur, linalg.hessenberg: schur, linalg.qz: schur,
    linalg.ordqz: schur, linalg.null_space: null_space, linalg.orth: null_space, linalg.ldl: ldl, linalg.rq: rq,
    linalg.qr_multiply: qr_multiply,
    linalg.cossin: cossin, linalg.matrix_balance: matrix_balance, linalg.expm_cond: expm_cond,
    linalg.get_blas_funcs: low_level, linalg.get_lapack_funcs: low_level})
describe(linalg.solve_continuous_are, linalg.solve_discrete_are, otherwise=generalized_riccati, only={"e": (None,)})

describe(linalg.logm, linalg.sqrtm, otherwise=logm_with_estimate, only={"disp": (True,)})

# --- what stands for a routine, by its name without the letter of its type
ROUTINES = {
    blas: {"gemm": "a @ b", "gemv": "a @ x", "symm": "a @ b", "symv": "a @ x", "ger": "np.outer(x, y)", "dot": "x @ y",
           "dotu": "x @ y", "dotc": "np.vdot(x, y)", "axpy": "y + a * x", "scal": "a * x", "copy": "x.copy()",
           "nrm2": "np.linalg.norm(x)", "asum": "np.sum(np.abs(x))", "trsm": "scipy.linalg.solve_triangular",
           "trsv": "scipy.linalg.solve_triangular", "trmm": "np.triu(a) @ b", "trmv": "np.triu(a) @ x", "syrk": "a @ a.T",
           "syr": "a + alpha * np.outer(x, x)"},
    lapack: {"gesv": "np.linalg.solve", "posv": "scipy.linalg.solve(a, b, assume_a='pos')",
             "getrf": "scipy.linalg.lu_factor", "getrs": "scipy.linalg.lu_solve", "getri": "np.linalg.inv",
             "potrf": "np.linalg.cholesky", "potrs": "scipy.linalg.cho_solve", "potri": "np.linalg.inv",
             "trtrs": "scipy.linalg.solve_triangular", "trtri": "scipy.linalg.solve_triangular",
             "gbsv": "scipy.linalg.solve_banded", "gtsv": "scipy.linalg.solve_banded", "pbsv": "scipy.linalg.solveh_banded",
             "geqrf": "np.linalg.qr", "gesvd": "np.linalg.svd", "gesdd": "np.linalg.svd", "syev": "np.linalg.eigh",
             "syevd": "np.linalg.eigh", "syevr": "np.linalg.eigh", "heev": "np.linalg.eigh", "heevd": "np.linalg.eigh",
             "geev": "np.linalg.eig", "ggev": "scipy.linalg.eigvals(a, b)", "gelsd": "np.linalg.lstsq",
             "gelss": "np.linalg.lstsq", "gelsy": "np.linalg.lstsq", "trsyl": "scipy.linalg.solve_sylvester",
             "lange": "np.linalg.norm"}}
declare("remedy", {getattr(module, letter + name): f"Use {use}." for module, names in ROUTINES.items()
                   for name, use in names.items() for letter in "sdcz" if hasattr(module, letter + name)})
