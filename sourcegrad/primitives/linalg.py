"""Linear algebra: inverses, systems of equations and determinants; all rules work on batches of matrices as NumPy does.

Sources: M. B. Giles (2008), "An extended collection of matrix derivative results for forward and reverse mode
algorithmic differentiation"; G. H. Golub, V. Pereyra (1973) for pseudo-inverses.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.kinds import FLOAT, Const, Kind, Num, Tup, broadcast, join, results, smaller
from sourcegrad.kinds.results import NUMPY_2, Unknown, array, dtype_of, numeric, together
from sourcegrad.primitives.core import COMPLEX, REAL, WELL_CONDITIONED, Domain, conj, is_complex, jvp, ndim, rule, sample
from sourcegrad.runtime import (
    block_upper,
    cofactor_matrix,
    cofactor_slope,
    columns,
    columns_adjoint,
    conj_transpose,
    or_zero,
    refuse_used,
    unbroadcast,
    whole_inverse,
    whole_rank,
    zeros_like,
)

# --- matrices ------------------------------------------------------------------------------------------

def matrix_function(function: Callable) -> Callable:
    """Kind function of `inv` and its like: the shape of the (batched) matrix, a floating dtype."""

    def kind(a: Kind, *_: Kind, **__: Kind) -> Kind:
        a = numeric(a)
        return array(dtype_of(function, a), a.dims)

    return kind


def per_matrix(function: Callable) -> Callable:
    """Kind function of `det` and its like: one number a matrix."""

    def kind(a: Kind) -> Kind:
        a = numeric(a)
        if a.dims is None:
            raise Unknown
        return array(dtype_of(function, a), a.dims[:-2])

    return kind


def namedtuple_of(*parts: Callable) -> Callable:
    """Kind function of a function with several results, from one kind function for each."""

    def kind(*args: Kind, **options: Kind) -> Kind:
        return Tup(tuple(part(*args, **options) for part in parts))

    return kind


def matrices(x: Kind) -> tuple[Num, tuple, Any, Any]:
    """What is known of a stack of matrices: itself, the sizes of the stack, of the columns and of the rows."""
    stack = numeric(x)
    if stack.dims is None or len(stack.dims) < 2:
        raise Unknown
    return stack, stack.dims[:-2], stack.dims[-2], stack.dims[-1]


# --- systems of equations --------------------------------------------------------------------------------

def solve_kind(a: Kind, b: Kind) -> Kind:
    matrix, right = numeric(a), numeric(b)
    dtype = dtype_of(np.linalg.solve, _examples(matrix), _examples(right)) if _plain(matrix, right) else None
    if matrix.dims is None or right.dims is None:
        return Num(dtype)
    if is_vector(matrix, right):
        return array(dtype, right.dims if len(matrix.dims) == 2 else (*matrix.dims[:-2], right.dims[-1]))
    return array(dtype, (*(broadcast(matrix.dims[:-2], right.dims[:-2]) or ()), *right.dims[-2:]))


def _plain(*nums: Num) -> bool:
    return all(num.dtype is not None for num in nums)


def _examples(num: Num) -> Num:
    return Num(num.dtype, (1, 1), True)


def is_vector(a: Num, b: Num) -> bool:
    """Whether `np.linalg.solve(a, b)` takes b for a vector."""
    if a.dims is None or b.dims is None:
        raise Unknown
    return len(b.dims) == 1 if NUMPY_2 else len(b.dims) == len(a.dims) - 1


def columns_kind(x: Kind, a: Kind, b: Kind) -> Kind:
    value = numeric(x)
    if value.dims is None:
        raise Unknown
    return array(value.dtype, (*value.dims, 1)) if is_vector(numeric(a), numeric(b)) else value


def columns_adjoint_kind(x: Kind, a: Kind, b: Kind) -> Kind:
    value = numeric(x)
    if value.dims is None:
        raise Unknown
    return Num(value.dtype, value.dims[:-1], True) if is_vector(numeric(a), numeric(b)) else value


def pinv_kind(a: Kind, *_: Kind, **__: Kind) -> Kind:
    stack, batch, rows, columns = matrices(a)
    dtype = None if stack.is_discrete else dtype_of(np.linalg.pinv, stack)             # that of no integers is integer
    return array(dtype, (*batch, columns, rows))


def lstsq_kind(a: Kind, b: Kind, *_: Kind, **__: Kind) -> Kind:
    stack, _, rows, columns = matrices(a)
    right = numeric(b)
    dtype = dtype_of(_solution, _examples(stack), _examples(right)) if _plain(stack, right) else None
    if right.dims is None:
        solution = Num(dtype, None, True)
    else:
        solution = Num(dtype, (columns, *right.dims[1:]), True)
    real = dtype and np.empty(0, dtype).real.dtype.name
    return Tup((solution, Num(real, (None,), True), Num("int32", (), False), Num(real, (smaller(rows, columns),), True)))


def _solution(a: Any, b: Any) -> Any:
    return np.linalg.lstsq(a, b, rcond=None)[0]


def or_zero_kind(x: Kind) -> Kind:
    """0.0 where x is empty."""
    value = numeric(x)
    if value.dims == () or value.dims and all(isinstance(size, int) and size > 0 for size in value.dims):
        return value
    return join(value, FLOAT)


def block_upper_kind(a: Kind, x: Kind) -> Kind:
    stack, batch, rows, columns = matrices(a)
    return array(together(stack, numeric(x)), (*batch, *(2 * n if isinstance(n, int) else None for n in (rows, columns))))


def conj_transpose_kind(x: Kind) -> Kind:
    if numeric(x).dims is None:
        return Num(numeric(x).dtype, None, True)
    stack, batch, rows, columns = matrices(x)
    return array(stack.dtype, (*batch, columns, rows))


def matrix_power_kind(a: Kind, n: Kind) -> Kind:
    stack, *_ = matrices(a)
    if stack.is_discrete and not isinstance(n, Const):
        return array(None, stack.dims)
    whole = isinstance(n, Const) and n.value >= 0
    return array(stack.dtype if whole else dtype_of(np.linalg.inv, stack), stack.dims)


def matrix_rank_kind(A: Kind, *_: Kind, **__: Kind) -> Kind:
    table = numeric(A)
    if table.dims is None:
        raise Unknown
    return array(np.dtype(np.intp).name, table.dims[:-2]) if len(table.dims) > 1 else Num("pyint", (), False)


# --- samples ---------------------------------------------------------------------------------------------

def _complex_matrix(rng, shape):
    real, imaginary = rng.uniform(-1.0, 1.0, (2, *shape))
    return real + 1.0j * imaginary + 2.0 * np.eye(shape[-2], shape[-1])


COMPLEX_MATRIX = Domain("COMPLEX_MATRIX", _complex_matrix)
SQUARES = [sample(WELL_CONDITIONED(3, 3)), sample(WELL_CONDITIONED(2, 3, 3)), sample(WELL_CONDITIONED(1, 1)),
           sample(COMPLEX_MATRIX(3, 3)), sample(COMPLEX_MATRIX(2, 2, 2))]


# --- inverses and systems of equations ------------------------------------------------------------------

@rule(np.linalg.inv, kind=matrix_function(np.linalg.inv), samples=SQUARES)
def inv(ct, out, a):
    """d out = -out da out"""
    if ndim(a) == 2:
        return -(conj(out).T @ ct @ conj(out).T)
    transposed = conj_transpose(out)
    return -(transposed @ ct @ transposed)


@jvp(np.linalg.inv)
def inv_tangent(dot, out, a):
    """d out = -out da out"""
    return -(out @ dot @ out)


@rule(np.linalg.solve, kind=solve_kind, samples=[
    sample(WELL_CONDITIONED(3, 3), REAL(3)), sample(WELL_CONDITIONED(3, 3), REAL(3, 2)),
    sample(WELL_CONDITIONED(2, 3, 3), REAL(2, 3, 2)), sample(WELL_CONDITIONED(2, 3, 3), REAL(1, 3, 2)),
    sample(WELL_CONDITIONED(3, 3), REAL(2, 3, 1)), sample(WELL_CONDITIONED(2, 3, 3), REAL(2, 3, 1)), sample(
        COMPLEX_MATRIX(3, 3), COMPLEX(3)), sample(COMPLEX_MATRIX(3, 3), COMPLEX(3, 2))])
def solve(ct, out, a, b):
    """a out = b; b receives the solution s of the adjoint system, a receives -s out^H."""
    if ndim(a) == 2 and ndim(b) == 1:
        vector = np.linalg.solve(conj(a).T, ct)
        return -np.outer(vector, conj(out)), vector
    if ndim(a) == 2 and ndim(b) == 2:
        matrix = np.linalg.solve(conj(a).T, ct)
        return -(matrix @ conj(out).T), matrix
    solution = np.linalg.solve(conj_transpose(a), columns(ct, a, b))
    return unbroadcast(-(solution @ conj_transpose(columns(out, a, b))), a), unbroadcast(columns_adjoint(solution, a, b), b)


@jvp(np.linalg.solve)
def solve_tangent(dot, out, a, b):
    """a d out = db - da out"""
    if ndim(a) == 2 and (ndim(b) == 1 or ndim(b) == 2):
        return -np.linalg.solve(a, dot @ out), np.linalg.solve(a, dot)
    return NotImplemented


@rule(columns, tangent="linear", kind=columns_kind, samples=[
    sample(REAL(3), np.eye(3), np.ones(3)), sample(REAL(3, 2), np.eye(3), np.ones((3, 2)))])
def columns_rule(ct, out, x, a, b):
    return columns_adjoint(ct, a, b), None, None


@rule(columns_adjoint, tangent="linear", kind=columns_adjoint_kind, samples=[
    sample(REAL(3, 1), np.eye(3), np.ones(3)), sample(REAL(3, 2), np.eye(3), np.ones((3, 2)))])
def columns_adjoint_rule(ct, out, x, a, b):
    return columns(ct, a, b), None, None


@rule(np.linalg.pinv, kind=pinv_kind, samples=[
    sample(WELL_CONDITIONED(4, 2)), sample(WELL_CONDITIONED(2, 4)), sample(WELL_CONDITIONED(2, 3, 3)),
    sample(COMPLEX_MATRIX(3, 2)), sample(COMPLEX_MATRIX(2, 3)), sample(WELL_CONDITIONED(4, 2), 1e-9)])
def pinv(ct, out, a, rcond=None):
    """d out = -out da out + out out^H da^H (1 - a out) + (1 - out a) da^H out^H out, at constant rank"""
    if rcond is None:
        inverse = out
    else:
        inverse = whole_inverse(a, out)
    transposed = conj_transpose(inverse)
    ct_transposed = conj_transpose(ct)
    inner = ct_transposed @ out
    outer = out @ ct_transposed
    return (-(transposed @ ct @ transposed)
            + (inner - a @ (out @ inner)) @ transposed
            + transposed @ (outer - (outer @ out) @ a))


@rule(np.linalg.lstsq, kind=lstsq_kind)                       # tested in tests/primitives/test_linalg_gauge.py
def lstsq(ct, out, a, b, rcond=None):
    """out[0] = pinv(a) b, out[1] = |b - a out[0]|^2; not for the singular values out[3]"""
    unused = refuse_used(ct[3], "the singular values from np.linalg.lstsq have no derivative rule",
                         "Use np.linalg.svd(a, compute_uv=False).")
    if rcond is None:
        inverse = np.linalg.pinv(a)
    else:
        inverse = np.linalg.pinv(whole_rank(a, out[2], out[3]))
    transposed = conj_transpose(inverse)
    residual = b - a @ out[0]
    pulled = transposed @ ct[0]
    b_share = pulled + 2.0 * or_zero(ct[1]) * residual + unused
    null_part = ct[0] - inverse @ (a @ ct[0])                    # not zero if there are many solutions
    if np.ndim(b) == 1:
        return (np.outer(residual, conj(inverse @ pulled)) - np.outer(b_share, conj(out[0]))
                + np.outer(transposed @ out[0], conj(null_part))), b_share
    return (residual @ conj_transpose(inverse @ pulled) - b_share @ conj_transpose(out[0])
            + (transposed @ out[0]) @ conj_transpose(null_part)), b_share


@rule(whole_inverse, kind=lambda a, inverse: inverse, samples=[sample(np.eye(2), np.eye(2))])
def whole_inverse_rule(ct, out, a, inverse):
    return None, ct


@rule(whole_rank, tangent="linear", kind=lambda a, rank, values: a, samples=[sample(REAL(2, 2), 2, np.ones(2))])
def whole_rank_rule(ct, out, a, rank, values):
    return ct


@rule(or_zero, tangent="linear", kind=or_zero_kind, samples=[sample(REAL(2))])
def or_zero_rule(ct, out, x):
    if np.size(x) == 0:
        return zeros_like(x)
    return ct


@rule(refuse_used, kind=lambda ct, message, remedy: FLOAT)
def refuse_used_rule(ct, out, x, message, remedy):
    return zeros_like(x)


@rule(np.linalg.matrix_power, result="may view", kind=matrix_power_kind, samples=[
    *(sample(WELL_CONDITIONED(3, 3), n) for n in (0, 1, 2, 3, -1, -2)), sample(WELL_CONDITIONED(2, 2, 2), 3),
    sample(COMPLEX_MATRIX(2, 2), 3)])
def matrix_power(ct, out, a, n):
    """A power of [[a^H, ct], [0, a^H]] has the adjoint at its upper right."""
    size = a.shape[-1]
    return np.linalg.matrix_power(block_upper(conj_transpose(a), ct), n)[..., :size, size:]


@rule(block_upper, tangent="linear", kind=block_upper_kind,
      samples=[sample(REAL(2, 2), REAL(2, 2)), sample(COMPLEX(2, 2, 2), COMPLEX(2, 2, 2))])
def block_upper_rule(ct, out, a, x):
    size = a.shape[-1]
    return ct[..., :size, :size] + ct[..., size:, size:], ct[..., :size, size:]


@rule(conj_transpose, tangent="linear", order="other", kind=conj_transpose_kind,
      samples=[sample(REAL(2, 3)), sample(COMPLEX(2, 3, 2))])
def conj_transpose_rule(ct, out, x):
    return conj_transpose(ct)


# --- determinants ---------------------------------------------------------------------------------------

SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.5, -1.0]])


@rule(np.linalg.det, kind=per_matrix(np.linalg.det),
      samples=[*SQUARES, sample(SINGULAR), sample(np.zeros((2, 2)))])
def det(ct, out, a):
    """d out = sum(cofactors * da)"""
    if ndim(a) == 2:
        return ct * conj(cofactor_matrix(a))
    return np.expand_dims(ct, (-2, -1)) * conj(cofactor_matrix(a))


@jvp(np.linalg.det)
def det_tangent(dot, out, a):
    """d out = sum(cofactors * da)"""
    if ndim(a) == 2:
        return np.sum(cofactor_matrix(a) * dot)
    return np.sum(cofactor_matrix(a) * dot, axis=(-2, -1))


@rule(cofactor_matrix, order="other",
      kind=matrix_function(np.linalg.inv), samples=[*SQUARES, sample(SINGULAR), sample(np.zeros((2, 2)))])
def cofactor_matrix_rule(ct, out, a):
    """The second derivative of the determinant is symmetric."""
    return cofactor_slope(ct, conj(a))


@rule(cofactor_slope, order="other", kind=results.shaped_like(1, 0, 1), samples=[
    sample(REAL(3, 3), WELL_CONDITIONED(3, 3)), sample(REAL(2, 2), REAL(2, 2)), sample(REAL(2, 3, 3), WELL_CONDITIONED(2, 3, 3)),
    sample(COMPLEX(3, 3), COMPLEX_MATRIX(3, 3))])
def cofactor_slope_rule(ct, out, w, a):
    """The third derivative of the determinant, of an invertible matrix B = inv(a), along w and ct, with p = tr(B w), q = tr(B ct):
    det(a) ((p q - tr(B w B ct)) B - q B w B - p B ct B + B w B ct B + B ct B w B).T"""
    inverse = np.linalg.inv(conj(a))
    left, right = inverse @ conj(w), inverse @ ct
    p = np.trace(left, axis1=-2, axis2=-1)[..., None, None]
    q = np.trace(right, axis1=-2, axis2=-1)[..., None, None]
    r = np.trace(left @ right, axis1=-2, axis2=-1)[..., None, None]
    inner = (p * q - r) * inverse + (left @ right + right @ left - q * left - p * right) @ inverse
    return cofactor_slope(ct, conj(a)), np.expand_dims(np.linalg.det(conj(a)), (-2, -1)) * np.swapaxes(inner, -1, -2)


def log_magnitude(a):
    return np.linalg.slogdet(a)[1]


@rule(np.linalg.slogdet, singular="pole", samples=SQUARES, kind=namedtuple_of(
    per_matrix(np.linalg.det), per_matrix(log_magnitude)))
def slogdet(ct, out, a):
    """d log|det a| = Re tr(inv(a) da); the sign of a complex determinant turns by Im tr(inv(a) da)."""
    inverse = conj_transpose(np.linalg.inv(a))
    if is_complex(a) is False:
        return np.expand_dims(ct[1], (-2, -1)) * inverse
    turn = 1.0j * np.imag(ct[0] * conj(out[0]))
    return unbroadcast(np.expand_dims(ct[1] + turn, (-2, -1)) * inverse, a)


@jvp(np.linalg.slogdet)
def slogdet_tangent(dot, out, a):
    """d log|det a| = tr(inv(a) da), of a real matrix; its sign stays"""
    if is_complex(a) is not False:
        return NotImplemented
    return ((zeros_like(out[0]), np.trace(np.linalg.solve(a, dot), axis1=-2, axis2=-1)),)
