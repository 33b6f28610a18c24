"""Systems of equations of scipy.linalg: bands, LU and Cholesky factors, least squares, Lyapunov's and Riccati's equations.

Sources: M. B. Giles (2008), "An extended collection of matrix derivative results"; P. Benner, "Lyapunov and Riccati equations" in
Handbook of Linear Algebra (2013). A band matrix is stored as LAPACK does it: ab[u + i - j, j] = a[i, j].
"""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from sourcegrad.kinds import Kind, Num, Tup
from sourcegrad.kinds.results import leaf
from sourcegrad.primitives.core import REAL, conj, declare, nondifferentiable, rule, sample
from sourcegrad.runtime import conj_transpose
from sourcegrad.runtime.core import UnsupportedError
from sourcegrad.runtime.library import require_finite

# --- LU factors: P a = L U

def factors_kind(a: Kind, *_: Kind, **__: Kind) -> Kind:
    matrix: Any = leaf(a)
    return Tup((Num(None, matrix.dims, True), Num("int32", (None,), True)))


@rule(linalg.lu_factor, kind=factors_kind, order="other")                                  # tested in tests/primitives/programs.py
def lu_factor(ct, out, a, overwrite_a=False, check_finite=True):
    """P a = L U: L^-H (tril(L^H ct_L, -1) + triu(ct_U U^H)) U^-H, in the order of the rows of a"""
    size = a.shape[-1]
    lower = np.tril(out[0], -1) + np.eye(size)
    upper = np.triu(out[0])
    inner = np.tril(conj_transpose(lower) @ np.tril(ct[0], -1), -1) + np.triu(np.triu(ct[0]) @ conj_transpose(upper))
    left = np.linalg.solve(conj_transpose(lower), inner)
    by_rows = conj_transpose(np.linalg.solve(upper, conj_transpose(left)))
    return by_rows[np.argsort(row_order(out[1]))]


def row_order(pivots: Any) -> Any:
    """The rows of a in the order of the factors, of the exchanges that LAPACK tells."""
    order = np.arange(len(pivots))
    for k, other in enumerate(np.asarray(pivots)):
        order[[k, other]] = order[[other, k]]
    return order


def pivot_rows(a: Any) -> Any:
    """The rows of any matrix in the order of its factors."""
    return np.argsort(linalg.lu(np.asarray(a), p_indices=True)[0])


def lu(a: Any, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True, p_indices: bool = False) -> Any:
    """scipy.linalg.lu: the factors of the leading square part, and what follows of them"""
    require_finite(check_finite, a)
    if np.ndim(a) != 2:
        raise UnsupportedError("scipy.linalg.lu of a stack of matrices", remedy="Write a loop over the matrices.")
    order = pivot_rows(a)
    ordered = np.asarray(a)[order]
    least = min(ordered.shape)
    packed, _ = linalg.lu_factor(ordered[:least, :least])
    lower, upper = np.tril(packed, -1) + np.eye(least), np.triu(packed)
    if ordered.shape[0] > least:
        lower = np.concatenate((lower, np.linalg.solve(upper.T, ordered[least:].T).T), axis=0)
    if ordered.shape[1] > least:
        upper = np.concatenate((upper, np.linalg.solve(lower, ordered[:, least:])), axis=1)
    back = np.argsort(order)
    if permute_l:
        return lower[back], upper
    return (back if p_indices else np.eye(len(order))[back]), lower, upper


def lu_solve(lu_and_piv: Any, b: Any, trans: int = 0, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """scipy.linalg.lu_solve"""
    packed, pivots = lu_and_piv
    require_finite(check_finite, b)
    order = row_order(pivots)
    lower, upper = np.tril(packed, -1) + np.eye(len(order)), np.triu(packed)
    if trans == 0:
        return np.linalg.solve(upper, np.linalg.solve(lower, np.asarray(b)[order]))
    if trans == 2:
        lower, upper = np.conj(lower), np.conj(upper)
    return np.linalg.solve(lower.T, np.linalg.solve(upper.T, np.asarray(b)))[np.argsort(order)]


# --- bands

def band_kind(x: Kind, *_: Kind) -> Kind:
    return Num(None, None, True)


@rule(linalg.solve_banded, order="other", kind=lambda l_and_u, ab, b, *_, **__: Num(None, leaf(b).dims, True), samples=[
    sample((1, 1), np.array([[0.0, 0.3, -0.4], [3.0, 2.5, 2.0], [0.2, 0.5, 0.0]]), REAL(3)),
    sample((1, 2), np.array([[0.0, 0.0, 0.2, 0.1], [0.0, 0.3, -0.4, 0.2], [3.0, 2.5, 2.0, 4.0], [0.2, 0.5, 0.1, 0.0]]),
           REAL(4, 2))])
def solve_banded(ct, out, l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True):
    """a out = b: s = a^-H ct for b, and the band of -s out^H"""
    turned = linalg.solve_banded((l_and_u[1], l_and_u[0]), conj(transposed_band(ab, l_and_u[0], l_and_u[1])), ct)
    return None, -product_band(turned, conj(out), l_and_u[0], l_and_u[1]), turned


def transposed_band(ab: Any, lower: int, upper: int) -> Any:
    """The band of the transposed matrix."""
    turned = np.zeros_like(ab)
    size = ab.shape[1]
    for k in range(-lower, upper + 1):                               # the diagonal of the elements a[i, i + k]
        first, count = max(k, 0), max(size - abs(k), 0)
        turned[lower + k, first - k:first - k + count] = ab[upper - k, first:first + count]
    return turned


@rule(transposed_band, tangent="linear", kind=lambda ab, *_: ab, samples=[
    sample(np.array([[0.0, 0.3, -0.4], [3.0, 2.5, 2.0], [0.2, 0.5, 0.0]]), 1, 1)])
def transposed_band_rule(ct, out, ab, lower, upper):
    return transposed_band(ct, upper, lower)


def product_band(s: Any, x: Any, lower: int, upper: int) -> Any:
    """The band of s x^T."""
    size = s.shape[0]
    left, right = np.reshape(s, (size, -1)), np.reshape(x, (size, -1))
    band = np.zeros((lower + upper + 1, size), np.result_type(s, x))
    for k in range(-lower, upper + 1):
        first, count = max(k, 0), max(size - abs(k), 0)
        band[upper - k, first:first + count] = np.sum(left[first - k:first - k + count] * right[first:first + count], axis=1)
    return band


@rule(product_band, tangent="multilinear", kind=band_kind, samples=[
    sample(REAL(3), REAL(3), 1, 1), sample(REAL(4, 2), REAL(4, 2), 2, 1)])
def product_band_rule(ct, out, s, x, lower, upper):
    return band_product(ct, conj(x), lower, upper), band_product(transposed_band(ct, lower, upper), conj(s), upper, lower)


def band_product(ab: Any, x: Any, lower: int, upper: int) -> Any:
    """a x, for a matrix that is given by its band."""
    size = x.shape[0]
    result = np.zeros(x.shape, np.result_type(ab, x))
    for k in range(-lower, upper + 1):
        first, count = max(k, 0), max(size - abs(k), 0)
        weights = np.reshape(ab[upper - k, first:first + count], (count,) + (1,) * (x.ndim - 1))
        result[first - k:first - k + count] += weights * x[first:first + count]
    return result


@rule(band_product, tangent="multilinear", kind=lambda ab, x, *_: Num(None, leaf(x).dims, True), samples=[
    sample(REAL(3, 3), REAL(3), 1, 1), sample(REAL(4, 4), REAL(4, 2), 2, 1)])
def band_product_rule(ct, out, ab, x, lower, upper):
    return product_band(ct, conj(x), lower, upper), band_product(conj(transposed_band(ab, lower, upper)), ct, upper, lower)


def both_bands(ab: Any, lower: bool) -> Any:
    """The band of a Hermitian matrix on both sides of the diagonal, of that on one."""
    ab = np.asarray(ab)
    beyond = ab.shape[0] - 1
    if lower:
        return np.concatenate((np.conj(transposed_band(ab, beyond, 0))[:beyond], ab), axis=0)
    return np.concatenate((ab, np.conj(transposed_band(ab, 0, beyond))[1:]), axis=0)


def solveh_banded(ab: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False, lower: bool = False,
                  check_finite: bool = True) -> Any:
    """scipy.linalg.solveh_banded"""
    require_finite(check_finite, ab, b)
    beyond = np.shape(ab)[0] - 1
    return linalg.solve_banded((beyond, beyond), both_bands(ab, lower), np.asarray(b))


def of_band(ab: Any, lower: bool) -> Any:
    """The matrix of which a triangle is given by its band; zeros in the other."""
    beyond = np.shape(ab)[0] - 1
    below, above = (beyond, 0) if lower else (0, beyond)
    return band_product(np.asarray(ab), np.eye(np.shape(ab)[1]), below, above)


def hermitian_of_band(ab: Any, lower: bool) -> Any:
    beyond = np.shape(ab)[0] - 1
    return band_product(both_bands(ab, lower), np.eye(np.shape(ab)[1]), beyond, beyond)


def cholesky_banded(ab: Any, overwrite_ab: bool = False, lower: bool = False, check_finite: bool = True) -> Any:
    """scipy.linalg.cholesky_banded"""
    require_finite(check_finite, ab)
    beyond = np.shape(ab)[0] - 1
    factor = np.linalg.cholesky(hermitian_of_band(ab, lower))
    one, below, above = np.eye(factor.shape[0]), beyond if lower else 0, 0 if lower else beyond
    band = product_band(factor if lower else np.conj(factor).T, one, below, above)
    inside = product_band(np.ones(len(one)), np.ones(len(one)), below, above)
    return np.where(inside > 0.0, band, ab)                 # LAPACK leaves the corners as they are


def cho_solve_banded(cb_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """scipy.linalg.cho_solve_banded"""
    cb, lower = cb_and_lower
    require_finite(check_finite, cb, b)
    triangle = of_band(cb, lower)
    factor = triangle if lower else np.conj(triangle).T
    return np.linalg.solve(np.conj(factor).T, np.linalg.solve(factor, np.asarray(b)))


# --- Toeplitz matrices

def solve_toeplitz(c_or_cr: Any, b: Any, check_finite: bool = True) -> Any:
    """scipy.linalg.solve_toeplitz"""
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)
    return np.linalg.solve(linalg.toeplitz(c, r), np.asarray(b))


def matmul_toeplitz(c_or_cr: Any, x: Any, check_finite: bool = False, workers: Any = None) -> Any:
    """scipy.linalg.matmul_toeplitz"""
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)
    return linalg.toeplitz(c, r) @ np.asarray(x)


# --- least squares and pseudo-inverses

def lstsq(a: Any, b: Any, cond: Any = None, overwrite_a: bool = False, overwrite_b: bool = False, check_finite: bool = True,
          lapack_driver: Any = None) -> Any:
    """scipy.linalg.lstsq: the residues only where the rank is full"""
    require_finite(check_finite, a, b)
    a, b = np.asarray(a), np.asarray(b)
    limit = np.finfo(np.result_type(a.dtype, b.dtype, np.float16)).eps if cond is None else cond
    x, _, rank, _ = np.linalg.lstsq(a, b, rcond=limit)
    difference = b - a @ x
    if rank == a.shape[1] and a.shape[0] > a.shape[1] and lapack_driver != "gelsy":
        residues = np.sum(np.real(difference * np.conj(difference)), axis=0)
    else:
        residues = np.zeros((0,) + b.shape[1:] if b.ndim > 1 else (0,))
    return x, residues, rank, (None if lapack_driver == "gelsy" else np.linalg.svd(a, compute_uv=False))


def relative_limit(a: Any, atol: Any, rtol: Any) -> float:
    """The share of the greatest singular value below which one is taken for 0."""
    sizes = np.linalg.svd(a, compute_uv=False)
    greatest = float(np.max(sizes, initial=0.0))
    share = max(a.shape) * np.finfo(sizes.dtype).eps if rtol is None else rtol
    return share + (0.0 if atol is None or greatest == 0.0 else atol / greatest)


def rank_above(a: Any, limit: float) -> int:
    """How many singular values are above a share of the greatest."""
    sizes = np.linalg.svd(a, compute_uv=False)
    return int(np.sum(sizes > limit * np.max(sizes, initial=0.0)))


def pinv(a: Any, *, atol: Any = None, rtol: Any = None, return_rank: bool = False, check_finite: bool = True) -> Any:
    """scipy.linalg.pinv"""
    require_finite(check_finite, a)
    if np.ndim(a) > 2 and (atol is not None or return_rank):
        raise UnsupportedError("scipy.linalg.pinv of a stack of matrices with atol or return_rank", remedy="Use np.linalg.pinv.")
    matrix = np.asarray(a)
    if atol is None and not return_rank:
        return np.linalg.pinv(matrix, max(matrix.shape[-2:]) * np.finfo(np.result_type(matrix.dtype, np.float16)).eps
                              if rtol is None else rtol)
    limit = relative_limit(matrix, atol, rtol)
    inverse = np.linalg.pinv(matrix, limit)
    return (inverse, rank_above(matrix, limit)) if return_rank else inverse


def pinvh(a: Any, atol: Any = None, rtol: Any = None, lower: bool = True, return_rank: bool = False,
          check_finite: bool = True) -> Any:
    """scipy.linalg.pinvh: of the triangle that is read"""
    a = np.asarray(a)
    part = np.tril(a, -1) if lower else np.triu(a, 1)
    whole = part + np.conj(part).T + a * np.eye(a.shape[-1])
    return pinv(whole, atol=atol, rtol=rtol, return_rank=return_rank, check_finite=check_finite)


# --- equations for matrices

def lyapunov(a: Any, q: Any) -> Any:
    """scipy.linalg.solve_continuous_lyapunov: a x + x a^H = q"""
    a = np.asarray(a)
    return linalg.solve_sylvester(a, np.conj(a).T, np.asarray(q))


def discrete_lyapunov(a: Any, q: Any, method: Any = None) -> Any:
    """scipy.linalg.solve_discrete_lyapunov: a x a^H - x + q = 0"""
    a, q = np.asarray(a), np.asarray(q)
    if method == "direct" or method is None and q.shape[0] < 10:
        return np.reshape(np.linalg.solve(np.eye(q.size) - np.kron(a, np.conj(a)), np.ravel(q)), q.shape)
    one = np.eye(a.shape[0])
    turned = np.conj(a).T
    inverse = np.linalg.inv(turned + one)
    half = (turned - one) @ inverse
    return linalg.solve_sylvester(np.conj(half).T, half, -2.0 * np.linalg.inv(a + one) @ q @ inverse)


def riccati_kind(a: Kind, *_: Kind, **__: Kind) -> Kind:
    return Num(None, leaf(a).dims, True)


@rule(linalg.solve_continuous_are, kind=riccati_kind)                      # tested in tests/primitives/programs.py
def solve_continuous_are(ct, out, a, b, q, r, e=None, s=None, balanced=True):
    """a^H X + X a - (X b + s) K + q = 0: c Y + Y c^H = -sym(ct) with c = a - b K, and Y weights the equation"""
    if s is None:
        feedback = np.linalg.solve(r, conj_transpose(b) @ out)
    else:
        feedback = np.linalg.solve(r, conj_transpose(b) @ out + conj_transpose(s))
    closed = a - b @ feedback
    weight = linalg.solve_sylvester(closed, conj_transpose(closed), -0.5 * (ct + conj_transpose(ct)))
    pulled = out @ weight
    turned = conj_transpose(feedback)
    return (2.0 * pulled, -2.0 * pulled @ turned, weight, feedback @ weight @ turned, None, -2.0 * weight @ turned)


@rule(linalg.solve_discrete_are, kind=riccati_kind)
def solve_discrete_are(ct, out, a, b, q, r, e=None, s=None, balanced=True):
    """X = c^H X c + K^H r K + q - s K - K^H s^H, least in K, with c = a - b K: Y = c Y c^H + sym(ct)"""
    if s is None:
        feedback = np.linalg.solve(r + conj_transpose(b) @ out @ b, conj_transpose(b) @ out @ a)
    else:
        feedback = np.linalg.solve(r + conj_transpose(b) @ out @ b, conj_transpose(b) @ out @ a + conj_transpose(s))
    closed = a - b @ feedback
    weight = linalg.solve_discrete_lyapunov(closed, 0.5 * (ct + conj_transpose(ct)))
    pulled = out @ closed @ weight
    turned = conj_transpose(feedback)
    return (2.0 * pulled, -2.0 * pulled @ turned, weight, feedback @ weight @ turned, None, -2.0 * weight @ turned)


nondifferentiable(row_order, pivot_rows, kind=lambda x: Num("int64", (None,), True))
nondifferentiable(relative_limit, kind=lambda *_: Num("float64", (), False))
nondifferentiable(rank_above, kind=lambda *_: Num("pyint", (), False))
declare("instead", {
    linalg.lu: lu, linalg.lu_solve: lu_solve, linalg.solveh_banded: solveh_banded, linalg.cholesky_banded: cholesky_banded,
    linalg.cho_solve_banded: cho_solve_banded, linalg.solve_toeplitz: solve_toeplitz, linalg.matmul_toeplitz: matmul_toeplitz,
    linalg.lstsq: lstsq, linalg.pinv: pinv, linalg.pinvh: pinvh, linalg.solve_continuous_lyapunov: lyapunov,
    linalg.solve_lyapunov: lyapunov, linalg.solve_discrete_lyapunov: discrete_lyapunov})
