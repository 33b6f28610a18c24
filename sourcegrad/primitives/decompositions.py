"""Decompositions of matrices and stacks of them: Cholesky, eigenvalues, singular values, QR.

Sources: M. B. Giles (2008), see `linalg`; I. Murray (2016), "Differentiation of the Cholesky decomposition"; S. F. Walter,
L. Lehmann (2010) for QR. Functions of symmetric matrices read one triangle, and their adjoints are zero in the other one, which has
no influence. Eigenvectors and singular vectors are defined up to signs or phases: the loss must not depend on these.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad.kinds import Const, Kind, Num, Tup, as_num, results, smaller
from sourcegrad.kinds.results import Unknown, array, constant, dtype_of, numeric, together
from sourcegrad.primitives.core import (
    COMPLEX,
    DISTINCT,
    POSITIVE,
    REAL,
    WELL_CONDITIONED,
    available,
    conj,
    is_complex,
    ndim,
    rule,
    sample,
)
from sourcegrad.primitives.linalg import matrices, matrix_function
from sourcegrad.runtime import (
    conj_transpose,
    gap_quotient,
    half_lower,
    outside_range,
    refuse,
    refuse_used,
    singular_quotient,
    thin,
    thin_adjoint,
    unbroadcast,
)

# --- kinds of results ---------------------------------------------------------------------------------

def outside_range_kind(x: Kind, basis: Kind) -> Kind:
    """Of the dtype of x where the basis spans all."""
    value = numeric(x)
    dtype = together(value, numeric(basis))
    return array(dtype if dtype == value.dtype else None, value.dims)


def eigh_kind(a: Kind, *_: Kind) -> Tup:
    stack, batch, rows, _ = matrices(a)
    return Tup((array(dtype_of(np.linalg.eigvalsh, stack), (*batch, rows)), array(dtype_of(np.linalg.inv, stack), stack.dims)))


def eig_kind(a: Kind) -> Tup:
    """Complex for complex matrices; for real ones that depends on the values."""
    stack, batch, rows, _ = matrices(a)
    dtype = dtype_of(np.linalg.inv, stack) if stack.is_complex else None
    return Tup((array(dtype, (*batch, rows)), array(dtype, stack.dims)))


def svd_kind(a: Kind, full_matrices: Kind = Const(True), compute_uv: Kind = Const(True), hermitian: Kind = Const(False)) -> Kind:
    stack, batch, rows, columns = matrices(a)
    least = smaller(rows, columns)
    values = array(dtype_of(_singular_values, stack), (*batch, least))
    if not constant(compute_uv):
        return values
    dtype = dtype_of(np.linalg.pinv, stack)
    full = constant(full_matrices)
    return Tup((array(dtype, (*batch, rows, rows if full else least)), values,
                array(dtype, (*batch, columns if full else least, columns))))


def _singular_values(a: Any) -> Any:
    return np.linalg.svd(a, compute_uv=False)


def thin_kind(ct: Kind, n: Kind, axis: Kind) -> Kind:
    """The first n along an axis that has no fewer."""
    value = numeric(ct)
    count = n.value if isinstance(n, Const) else getattr(as_num(n), "size", None)
    if value.dims is None or not isinstance(axis, Const):
        raise Unknown
    dims = list(value.dims)
    dims[axis.value] = smaller(dims[axis.value], count)
    return Num(value.dtype, tuple(dims), True)


def qr_kind(a: Kind, mode: Kind = Const("reduced")) -> Kind:
    stack, batch, rows, columns = matrices(a)
    dtype = dtype_of(np.linalg.pinv, stack)
    kind = constant(mode)
    least = smaller(rows, columns)
    if kind == "r":
        return array(dtype, (*batch, least, columns))
    if kind == "complete":
        return Tup((array(dtype, (*batch, rows, rows)), array(dtype, stack.dims)))
    if kind == "reduced":
        return Tup((array(dtype, (*batch, rows, least)), array(dtype, (*batch, least, columns))))
    raise Unknown


# --- decompositions -------------------------------------------------------------------------------------

@rule(np.linalg.cholesky, kind=matrix_function(np.linalg.cholesky))
def cholesky(ct, out, a, upper=False):
    """a = L L^H: the lower triangle of L^-H (half_lower(L^H ct) made Hermitian) L^-1, from dL = L half_lower(L^-1 da L^-H)"""
    if upper:
        inverse = np.linalg.inv(conj_transpose(out))
        inner = half_lower(out @ conj_transpose(ct))
        return conj_transpose(half_lower(conj_transpose(inverse) @ (inner + conj_transpose(inner)) @ inverse))
    elif ndim(a) == 2:
        inverse = np.linalg.inv(out)
        inner = half_lower(conj(out).T @ ct)
        return half_lower(conj(inverse).T @ (inner + conj(inner).T) @ inverse)
    else:
        inverse = np.linalg.inv(out)
        inner = half_lower(conj_transpose(out) @ ct)
    return half_lower(conj_transpose(inverse) @ (inner + conj_transpose(inner)) @ inverse)


@rule(half_lower, tangent="linear", kind=results.same_as_first, samples=[sample(REAL(3, 3)), sample(REAL(2, 2, 2)),
                                                       sample(COMPLEX(3, 3))])
def half_lower_rule(ct, out, x):
    return half_lower(ct)


@rule(np.linalg.eigh, kind=eigh_kind)
def eigh(ct, out, a, UPLO="L"):
    """V (diag(ct_w) + Q + Q^H) V^H with Q[i, j] = (V^H ct_V)[i, j] / 2 (w[j] - w[i]): of both triangles, on the one that is read"""
    transposed = conj_transpose(out[1])
    turning = transposed @ ct[1]
    quotient = 0.5 * gap_quotient(turning, out[0])
    inner = quotient + conj_transpose(quotient)
    both = (out[1] @ inner + out[1] * np.expand_dims(ct[0], -2)) @ transposed
    if UPLO == "L":
        return half_lower(2.0 * both)
    return conj_transpose(half_lower(2.0 * both))


@rule(np.linalg.eigvalsh, real="always", kind=lambda a, *_: eigh_kind(a).items[0])
def eigvalsh(ct, out, a, UPLO="L"):
    if UPLO == "L":
        vectors = np.linalg.eigh(a)[1]
        return half_lower((vectors * np.expand_dims(2.0 * ct, -2)) @ conj_transpose(vectors))
    vectors = np.linalg.eigh(a, UPLO)[1]
    return conj_transpose(half_lower((vectors * np.expand_dims(2.0 * ct, -2)) @ conj_transpose(vectors)))


@rule(np.linalg.eig, order="other", kind=eig_kind)
def eig(ct, out, a):
    """V^-H (diag(ct_w) + (V^H ct_V - V^H V diag(Re(V^H ct_V))) / conj(w[j] - w[i])) V^H, for unit columns"""
    transposed = conj_transpose(out[1])
    turning = transposed @ ct[1]
    stretch = np.real(np.diagonal(turning, 0, -2, -1))
    inner = gap_quotient(turning - (transposed @ out[1]) * np.expand_dims(stretch, -2), conj(out[0]))
    right = inner @ transposed + np.expand_dims(ct[0], -1) * transposed
    return unbroadcast(np.linalg.solve(transposed, right), a)


@rule(np.linalg.eigvals, kind=lambda a: eig_kind(a).items[0])
def eigvals(ct, out, a):
    vectors = conj_transpose(np.linalg.eig(a)[1])
    return unbroadcast(np.linalg.solve(vectors, np.expand_dims(ct, -1) * vectors), a)


@rule(gap_quotient, kind=results.shaped_like(0, 0, 1), samples=[
    sample(REAL(4, 4), DISTINCT(4)), sample(REAL(2, 3, 3), DISTINCT(2, 3)), sample(COMPLEX(3, 3), COMPLEX(3)),
    sample(REAL(3, 3), DISTINCT(3), True), sample(COMPLEX(2, 3, 3), DISTINCT(2, 3), True)])
def gap_quotient_rule(ct, out, x, values, squares=False):
    """out[i, j] = x[i, j] / gap[i, j]"""
    x_share = gap_quotient(ct, conj(values), squares)
    gap_share = x_share * conj(out)
    values_share = np.sum(gap_share, axis=-1) - np.sum(gap_share, axis=-2)
    if squares:
        return x_share, unbroadcast(2.0 * conj(values) * values_share, values)
    return x_share, unbroadcast(values_share, values)


@rule(singular_quotient, kind=results.shaped_like(0, 0, 1), samples=[
    sample(REAL(3, 2), POSITIVE(1, 2)), sample(COMPLEX(2, 3, 2), POSITIVE(2, 3, 1))])
def singular_quotient_rule(ct, out, x, s):
    x_share = singular_quotient(ct, s)
    return x_share, unbroadcast(-x_share * conj(out), s)


@rule(outside_range, kind=outside_range_kind, samples=[sample(REAL(4, 2), REAL(4, 3)),
                                                          sample(COMPLEX(2, 3, 2), COMPLEX(2, 3, 2))])
def outside_range_rule(ct, out, x, basis):
    """out = x - B B^H x"""
    return (outside_range(ct, basis),
            -(ct @ (conj_transpose(x) @ basis) + x @ (conj_transpose(ct) @ basis)))


@rule(np.linalg.svd, kind=svd_kind)
def svd(ct, out, a, full_matrices=True, compute_uv=True):
    """J. Townsend (2016), "Differentiating the singular value decomposition"""
    if not compute_uv:
        factors = np.linalg.svd(a, full_matrices=False)
        return (factors[0] * np.expand_dims(ct, -2)) @ factors[2]
    s = out[1]
    u = out[0][..., :s.shape[-1]]
    vh = out[2][..., :s.shape[-1], :]
    ct_u = thin(ct[0], s.shape[-1], -1)
    ct_vh = thin(ct[2], s.shape[-1], -2)
    v = conj_transpose(vh)
    ct_v = conj_transpose(ct_vh)
    turn_u = conj_transpose(u) @ ct_u
    quotient_u = gap_quotient(turn_u, s, True)
    quotient_v = gap_quotient(vh @ ct_v, s, True)
    inner = ((quotient_u + conj_transpose(quotient_u)) * np.expand_dims(s, -2)
             + np.expand_dims(s, -1) * (quotient_v + conj_transpose(quotient_v)))
    outside_u = singular_quotient(outside_range(ct_u, u), np.expand_dims(s, -2))
    outside_v = conj_transpose(singular_quotient(outside_range(ct_v, v), np.expand_dims(s, -2)))
    if is_complex(a) is False:
        return (u @ inner + u * np.expand_dims(ct[1], -2) + outside_u) @ vh + u @ outside_v
    turns = 1.0j * np.imag(np.diagonal(turn_u, 0, -2, -1))
    phases = singular_quotient(np.expand_dims(turns, -2), np.expand_dims(s, -2))
    diagonal = np.expand_dims(ct[1], -2) + phases
    return unbroadcast((u @ inner + u * diagonal + outside_u) @ vh + u @ outside_v, a)


@rule(*available(np.linalg, "svdvals"), real="always",
      kind=lambda x: svd_kind(x, compute_uv=Const(False)), samples=[sample(WELL_CONDITIONED(3, 2)),
                                                 sample(WELL_CONDITIONED(2, 3, 3))])
def svdvals(ct, out, x):
    factors = np.linalg.svd(x, full_matrices=False)
    return (factors[0] * np.expand_dims(ct, -2)) @ factors[2]


@rule(thin, tangent="linear", kind=thin_kind, samples=[sample(REAL(3, 2), 2, -1)])
def thin_rule(ct, out, x, n, axis):
    return thin_adjoint(ct, x, axis)


@rule(thin_adjoint, tangent="linear", kind=results.shaped_like(1), samples=[sample(REAL(3, 2), REAL(3, 3), -1),
                                                          sample(REAL(2, 3), REAL(4, 3), -2)])
def thin_adjoint_rule(ct, out, w, x, axis):
    if axis == -1:
        return ct[..., :w.shape[-1]], None
    return ct[..., :w.shape[-2], :], None


@rule(np.linalg.qr, kind=qr_kind, samples=[
    sample(WELL_CONDITIONED(3, 3)), sample(WELL_CONDITIONED(4, 2)), sample(WELL_CONDITIONED(2, 3, 2)),
    sample(WELL_CONDITIONED(2, 4)), sample(WELL_CONDITIONED(3, 2), "r"),
    sample(WELL_CONDITIONED(2, 3), mode="r")])
def qr(ct, out, a, mode="reduced"):
    """a = Q R. With the square part U of R = [U V]: (ct_Q + Q H) U^-H, H Hermitian with the lower triangle of
    (ct_U U^H - Q^H ct_Q)^H; the columns of `a` beyond the first m depend on V = Q^H Y only.
    """
    if mode == "reduced":
        q = out[0]
        r = out[1]
        ct_r = ct[1]
    elif mode == "r":
        q = np.linalg.qr(a)[0]
        r = out
        ct_r = ct
    elif mode == "complete":
        q = out[0][..., :a.shape[-1]]
        r = out[1][..., :a.shape[-1], :]
        ct_r = ct[1][..., :a.shape[-1], :]
    else:
        return refuse("np.linalg.qr has no derivative rule for the mode 'raw'", "Use mode='reduced'.")
    rank = r.shape[-2]
    square = r[..., :rank]
    beyond = a[..., rank:] @ conj_transpose(ct_r[..., rank:])
    if mode == "r":
        ct_q = beyond
    elif mode == "complete":
        ct_q = thin(ct[0], rank, -1) + beyond + refuse_used(
            ct[0][..., a.shape[-1]:], "the columns from np.linalg.qr(a, mode='complete') beyond those of a are not unique",
            "Use mode='reduced'.")
    else:
        ct_q = ct[0] + beyond
    lower = half_lower(square @ conj_transpose(ct_r[..., :rank]) - conj_transpose(ct_q) @ q)
    pulled = ct_q + q @ (lower + conj_transpose(lower))
    left = conj_transpose(np.linalg.solve(square, conj_transpose(pulled)))
    return np.concatenate([left, q @ ct_r[..., rank:]], axis=-1)
