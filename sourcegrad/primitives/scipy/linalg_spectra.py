"""Eigenvalues, factors and functions of matrices of scipy.linalg, by those of numpy.linalg and by their definitions.

Source: N. J. Higham, Functions of Matrices, 2008. LAPACK leaves orders open: those that SciPy gives are taken as constants.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from sourcegrad.kinds import BOOL, INT, Num, Tup
from sourcegrad.primitives.core import declare, nondifferentiable
from sourcegrad.primitives.scipy.linalg_solvers import hermitian_of_band
from sourcegrad.runtime.core import UnsupportedError
from sourcegrad.runtime.library import require_finite

# --- Hermitian matrices

def eigh(a: Any, b: Any = None, *, lower: bool = True, eigvals_only: bool = False, overwrite_a: bool = False,
         overwrite_b: bool = False, type: int = 1, check_finite: bool = True, subset_by_index: Any = None,
         subset_by_value: Any = None, driver: Any = None) -> Any:
    """scipy.linalg.eigh: a v = w b v is L^-1 a L^-H y = w y with b = L L^H, v = L^-H y"""
    require_finite(check_finite, a)
    a = np.asarray(a)
    triangle: Any = "L" if lower else "U"
    if b is not None:
        require_finite(check_finite, b)
        factor = np.linalg.cholesky(mirrored(np.asarray(b), lower))
        whole, triangle = mirrored(a, lower), "L"
        if type == 1:
            a = np.linalg.solve(factor, np.conj(np.linalg.solve(factor, np.conj(whole).T)).T)
        else:
            a = np.conj(factor).T @ whole @ factor
    if eigvals_only:
        values = np.linalg.eigvalsh(a, triangle)
        if subset_by_index is None and subset_by_value is None:
            return values
        return values[chosen(values, subset_by_index, subset_by_value)]
    values, vectors = np.linalg.eigh(a, triangle)
    if b is not None and type == 3:
        vectors = factor @ vectors
    elif b is not None:
        vectors = np.linalg.solve(np.conj(factor).T, vectors)
    if subset_by_index is not None or subset_by_value is not None:
        part = chosen(values, subset_by_index, subset_by_value)
        values, vectors = values[part], vectors[:, part]
    return values, vectors


def mirrored(a: Any, lower: bool) -> Any:
    """The Hermitian matrix of which a triangle is read."""
    part = np.tril(a, -1) if lower else np.triu(a, 1)
    return part + np.conj(part).T + a * np.eye(a.shape[-1])


def chosen(values: Any, by_index: Any, by_value: Any) -> Any:
    """The places of the eigenvalues that are asked for: from one to another, or in an interval that is open below."""
    if by_index is not None:
        return np.arange(int(by_index[0]), int(by_index[1]) + 1)
    return np.flatnonzero((values > by_value[0]) & (values <= by_value[1]))


def eigvalsh(a: Any, b: Any = None, *, lower: bool = True, overwrite_a: bool = False, overwrite_b: bool = False, type: int = 1,
             check_finite: bool = True, subset_by_index: Any = None, subset_by_value: Any = None, driver: Any = None) -> Any:
    """scipy.linalg.eigvalsh"""
    return eigh(a, b, lower=lower, eigvals_only=True, type=type, check_finite=check_finite, subset_by_index=subset_by_index,
                subset_by_value=subset_by_value)


def selected(select: Any, select_range: Any) -> tuple:
    """What `select` of LAPACK's tridiagonal solvers asks for: indices, an interval."""
    if select in ("i", "index", 2):
        return select_range, None
    return (None, select_range) if select in ("v", "value", 1) else (None, None)


def eigh_tridiagonal(d: Any, e: Any, eigvals_only: bool = False, select: Any = "a", select_range: Any = None,
                     check_finite: bool = True, tol: float = 0.0, lapack_driver: str = "auto") -> Any:
    """scipy.linalg.eigh_tridiagonal"""
    require_finite(check_finite, d, e)
    places, interval = selected(select, select_range)
    return eigh(np.diag(d) + np.diag(e, -1), eigvals_only=eigvals_only, subset_by_index=places, subset_by_value=interval)


def eigvalsh_tridiagonal(d: Any, e: Any, select: Any = "a", select_range: Any = None, check_finite: bool = True, tol: float = 0.0,
                         lapack_driver: str = "auto") -> Any:
    """scipy.linalg.eigvalsh_tridiagonal"""
    return eigh_tridiagonal(d, e, True, select, select_range, check_finite)


def eig_banded(a_band: Any, lower: bool = False, eigvals_only: bool = False, overwrite_a_band: bool = False, select: Any = "a",
               select_range: Any = None, max_ev: int = 0, check_finite: bool = True) -> Any:
    """scipy.linalg.eig_banded"""
    require_finite(check_finite, a_band)
    places, interval = selected(select, select_range)
    return eigh(hermitian_of_band(a_band, lower), eigvals_only=eigvals_only, subset_by_index=places, subset_by_value=interval)


def eigvals_banded(a_band: Any, lower: bool = False, overwrite_a_band: bool = False, select: Any = "a", select_range: Any = None,
                   check_finite: bool = True) -> Any:
    """scipy.linalg.eigvals_banded"""
    return eig_banded(a_band, lower, True, False, select, select_range, 0, check_finite)


# --- other matrices

def eig(a: Any, b: Any = None, left: bool = False, right: bool = True, overwrite_a: bool = False, overwrite_b: bool = False,
        check_finite: bool = True, homogeneous_eigvals: bool = False) -> Any:
    """scipy.linalg.eig of one matrix: the eigenvalues are complex, whatever they are"""
    if left or homogeneous_eigvals or b is not None and right:
        raise UnsupportedError("scipy.linalg.eig with left vectors, or vectors of two matrices",
                               remedy="Use scipy.linalg.eigvals(a, b) for the eigenvalues, eig(a.conj().T) for left vectors.")
    if not right:
        return eigvals(a, b, check_finite=check_finite)
    require_finite(check_finite, a)
    values, vectors = np.linalg.eig(np.asarray(a))
    return values + 0.0j, vectors


def eigvals(a: Any, b: Any = None, overwrite_a: bool = False, check_finite: bool = True, homogeneous_eigvals: bool = False) -> Any:
    """scipy.linalg.eigvals: those of two matrices are those of b^-1 a, in the order that LAPACK gives"""
    if homogeneous_eigvals:
        raise UnsupportedError("scipy.linalg.eigvals with homogeneous_eigvals", remedy="Leave it out.")
    require_finite(check_finite, a)
    if b is None:
        return np.linalg.eigvals(np.asarray(a)) + 0.0j
    require_finite(check_finite, b)
    values = np.linalg.eigvals(np.linalg.solve(np.asarray(b), np.asarray(a))) + 0.0j
    return values[order_of_pairs(values, a, b)]


def order_of_pairs(values: Any, a: Any, b: Any) -> Any:
    """Where the eigenvalues stand that LAPACK gives one after the other."""
    left = list(range(len(values)))
    order = []
    for value in linalg.eigvals(np.asarray(a), np.asarray(b)):
        order.append(min(left, key=lambda k: abs(values[k] - value)))
        left.remove(order[-1])
    return np.array(order, int)


def qr(a: Any, overwrite_a: bool = False, lwork: Any = None, mode: str = "full", pivoting: bool = False,
       check_finite: bool = True) -> Any:
    """scipy.linalg.qr: the order of pivoting is constant"""
    require_finite(check_finite, a)
    if mode == "raw":
        raise UnsupportedError("scipy.linalg.qr with mode='raw'", remedy="Use mode='economic'.")
    a = np.asarray(a)
    if pivoting:
        order = pivot_columns(a)
        a = a[:, order]
    if mode == "r":
        below = max(a.shape[0] - a.shape[1], 0)
        r = np.concatenate((np.linalg.qr(a, mode="r"), np.zeros((below, a.shape[1]), a.dtype)), axis=0)
        return (r, order) if pivoting else (r,)
    if mode == "economic":
        q, r = np.linalg.qr(a)
    else:
        q, r = np.linalg.qr(a, mode="complete")
    return (q, r, order) if pivoting else (q, r)


def pivot_columns(a: Any) -> Any:
    """The columns in the order of a factorisation with pivots."""
    return linalg.qr(np.asarray(a), mode="r", pivoting=True)[1]


def polar(a: Any, side: str = "right") -> Any:
    """scipy.linalg.polar: a = u p with p^2 = a^H a, a = p u with p^2 = a a^H; equal singular values do not matter"""
    if side not in ("right", "left"):
        raise ValueError("`side` must be either 'right' or 'left'")
    a = np.asarray(a)
    if a.shape[0] >= a.shape[1]:
        p = linalg.sqrtm(np.conj(a).T @ a)
        u = np.conj(np.linalg.solve(p, np.conj(a).T)).T
    else:
        p = linalg.sqrtm(a @ np.conj(a).T)
        u = np.linalg.solve(p, a)
    if side == "right":
        return u, (p if a.shape[0] >= a.shape[1] else np.conj(u).T @ a)
    return u, (p if a.shape[0] < a.shape[1] else a @ np.conj(u).T)


def orthogonal_procrustes(A: Any, B: Any, check_finite: bool = True) -> Any:
    """scipy.linalg.orthogonal_procrustes: the unitary factor of A^H B, and the sum of its singular values"""
    require_finite(check_finite, A, B)
    product = np.conj(np.asarray(A)).T @ np.asarray(B)
    turn, _ = polar(product)
    return turn, np.real(np.trace(np.conj(turn).T @ product))


def subspace_angles(A: Any, B: Any) -> Any:
    """scipy.linalg.subspace_angles: by sines where they are small, by cosines where those are"""
    first, second = np.linalg.qr(np.asarray(A))[0], np.linalg.qr(np.asarray(B))[0]
    overlap = np.conj(first).T @ second
    cosines = np.linalg.svd(overlap, compute_uv=False)
    outside = second - first @ overlap if A.shape[1] >= B.shape[1] else first - second @ np.conj(overlap).T
    sines = np.clip(np.linalg.svd(outside, compute_uv=False), -1.0, 1.0)
    near = np.square(cosines[::-1]) >= 0.5
    return np.where(near, np.arcsin(np.where(near, sines, 0.0)), np.arccos(np.clip(np.where(near, 0.0, cosines[::-1]), -1.0, 1.0)))


# --- functions of matrices

def expm_frechet(A: Any, E: Any, method: Any = None, compute_expm: bool = True, check_finite: bool = True) -> Any:
    """scipy.linalg.expm_frechet: the block above the diagonal of expm([[A, E], [0, A]])"""
    require_finite(check_finite, A, E)
    A, E = np.asarray(A), np.asarray(E)
    size = A.shape[0]
    whole = linalg.expm(np.concatenate((np.concatenate((A, E), axis=1), np.concatenate((np.zeros_like(A), A), axis=1)), axis=0))
    return (whole[:size, :size], whole[:size, size:]) if compute_expm else whole[:size, size:]


def cosm(A: Any) -> Any:
    """scipy.linalg.cosm: the real part of expm(i A)"""
    A = np.asarray(A)
    if np.iscomplexobj(A):
        return 0.5 * (linalg.expm(1j * A) + linalg.expm(-1j * A))
    return np.real(linalg.expm(1j * A))


def sinm(A: Any) -> Any:
    """scipy.linalg.sinm: the imaginary part of expm(i A)"""
    A = np.asarray(A)
    if np.iscomplexobj(A):
        return -0.5j * (linalg.expm(1j * A) - linalg.expm(-1j * A))
    return np.imag(linalg.expm(1j * A))


def tanm(A: Any) -> Any:
    """scipy.linalg.tanm"""
    return np.linalg.solve(cosm(A), sinm(A))


def coshm(A: Any) -> Any:
    """scipy.linalg.coshm"""
    return 0.5 * (linalg.expm(np.asarray(A)) + linalg.expm(-np.asarray(A)))


def sinhm(A: Any) -> Any:
    """scipy.linalg.sinhm"""
    return 0.5 * (linalg.expm(np.asarray(A)) - linalg.expm(-np.asarray(A)))


def tanhm(A: Any) -> Any:
    """scipy.linalg.tanhm"""
    return np.linalg.solve(coshm(A), sinhm(A))


def signm(A: Any, disp: Any = True) -> Any:
    """scipy.linalg.signm: A (A^2)^(-1/2)"""
    A = np.asarray(A)
    return np.linalg.solve(linalg.sqrtm(A @ A), A)


def funm(A: Any, func: Any, disp: Any = True) -> Any:
    """scipy.linalg.funm of a matrix with different eigenvalues: V func(w) V^-1"""
    A = np.asarray(A)
    values, vectors = np.linalg.eig(A)
    result = np.linalg.solve(vectors.T, (vectors * func(values)).T).T
    return np.real(result) if conjugate_pairs(A, result) else result


def conjugate_pairs(a: Any, result: Any) -> bool:
    """Whether a function of a real matrix is real, up to rounding."""
    scale = np.max(np.abs(result), initial=0.0)
    return not np.iscomplexobj(a) and bool(np.max(np.abs(np.imag(result)), initial=0.0) <= 1e-12 * max(scale, 1.0))


def fractional_matrix_power(A: Any, t: Any) -> Any:
    """scipy.linalg.fractional_matrix_power: expm(t logm(A))"""
    A = np.asarray(A)
    return np.linalg.matrix_power(A, int(t)) if is_whole(t) else linalg.expm(t * linalg.logm(A))


def is_whole(t: Any) -> bool:
    return float(t) == int(t)


# --- matrices of vectors

def hankel(c: Any, r: Any = None) -> Any:
    """scipy.linalg.hankel: constant along the other diagonals"""
    column = np.ravel(c)
    row = np.zeros_like(column) if r is None else np.ravel(r)
    values = np.concatenate((column, row[1:]))
    return values[np.arange(len(column))[:, np.newaxis] + np.arange(len(row))]


def circulant(c: Any) -> Any:
    """scipy.linalg.circulant: each column is the one before, shifted"""
    if np.ndim(c) != 1:
        raise UnsupportedError("scipy.linalg.circulant of a stack of vectors", remedy="Give vectors.")
    places = np.arange(np.size(c))
    return np.asarray(c)[(places[:, np.newaxis] - places) % np.size(c)]


def leslie(f: Any, s: Any) -> Any:
    """scipy.linalg.leslie: the fecundities in the first row, the rates of survival below the diagonal"""
    f, s = np.asarray(f), np.asarray(s)
    if f.ndim != 1 or s.ndim != 1 or f.shape[0] != s.shape[0] + 1:
        raise UnsupportedError("scipy.linalg.leslie of stacks of vectors", remedy="Give vectors, s one shorter than f.")
    return np.concatenate((f[np.newaxis], np.diag(s, -1)[1:]), axis=0)


def khatri_rao(a: Any, b: Any) -> Any:
    """scipy.linalg.khatri_rao: Kronecker products of the columns"""
    a, b = np.asarray(a), np.asarray(b)
    return np.reshape(a[:, np.newaxis, :] * b[np.newaxis, :, :], (a.shape[0] * b.shape[0], a.shape[1]))


def diagsvd(s: Any, M: int, N: int) -> Any:
    """scipy.linalg.diagsvd"""
    s = np.asarray(s)
    if len(s) not in (M, N):
        raise ValueError("Length of s must be M or N.")
    square = np.diag(s)
    rest = np.zeros((len(s), N - M) if len(s) == M else (M - N, len(s)), s.dtype)
    return np.concatenate((square, rest), axis=1 if len(s) == M else 0)


nondifferentiable(order_of_pairs, pivot_columns, chosen, kind=lambda *_: Num("int64", (None,), True))
nondifferentiable(conjugate_pairs, is_whole, linalg.issymmetric, linalg.ishermitian, kind=lambda *_, **__: BOOL)
nondifferentiable(linalg.bandwidth, kind=lambda a: Tup((INT, INT)))
declare("instead", {
    linalg.eigh: eigh, linalg.eigvalsh: eigvalsh, linalg.eigh_tridiagonal: eigh_tridiagonal,
    linalg.eigvalsh_tridiagonal: eigvalsh_tridiagonal, linalg.eig_banded: eig_banded, linalg.eigvals_banded: eigvals_banded,
    linalg.eig: eig, linalg.eigvals: eigvals, linalg.qr: qr, linalg.polar: polar,
    linalg.orthogonal_procrustes: orthogonal_procrustes, linalg.subspace_angles: subspace_angles})
declare("instead", {
    linalg.expm_frechet: expm_frechet, linalg.cosm: cosm, linalg.sinm: sinm, linalg.tanm: tanm, linalg.coshm: coshm,
    linalg.sinhm: sinhm, linalg.tanhm: tanhm, linalg.signm: signm, linalg.funm: funm,
    linalg.fractional_matrix_power: fractional_matrix_power, linalg.hankel: hankel, linalg.circulant: circulant,
    linalg.leslie: leslie, linalg.khatri_rao: khatri_rao, linalg.diagsvd: diagsvd})
