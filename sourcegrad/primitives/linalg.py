"""Linear algebra: all rules work on batches of matrices as NumPy does.

Sources: M. B. Giles (2008), "An extended collection of matrix derivative results for forward and reverse mode
algorithmic differentiation"; G. H. Golub, V. Pereyra (1973) for pseudo-inverses; I. Murray (2016),
"Differentiation of the Cholesky decomposition"; S. F. Walter, L. Lehmann (2010) for QR. Functions of
symmetric matrices read one triangle, and their adjoints are zero in the other one, which has no influence. Eigenvectors and
singular vectors are defined up to signs or phases: the loss must not depend on these.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.kinds import FLOAT, Const, Kind, Num, Tup, as_num, broadcast, join, results, smaller
from sourcegrad.kinds.results import NUMPY_2, Unknown, array, constant, dtype_of, numeric, reduced_dims, together
from sourcegrad.primitives.core import (
    COMPLEX,
    DISTINCT,
    LENGTH,
    NONZERO,
    POSITIVE,
    REAL,
    WELL_CONDITIONED,
    Domain,
    available,
    conj,
    is_complex,
    jvp,
    ndim,
    part,
    rule,
    sample,
)
from sourcegrad.runtime import (
    block_upper,
    cofactor_matrix,
    cofactor_slope,
    columns,
    columns_adjoint,
    conj_transpose,
    divide_or_zero,
    or_zero,
    power_or_zero,
    refuse,
    refuse_used,
    route_to_extremum,
    signed_power,
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


def outside_range_kind(x: Kind, basis: Kind) -> Kind:
    """Of the dtype of x where the basis spans all."""
    value = numeric(x)
    dtype = together(value, numeric(basis))
    return array(dtype if dtype == value.dtype else None, value.dims)


def matrix_power_kind(a: Kind, n: Kind) -> Kind:
    stack, *_ = matrices(a)
    if stack.is_discrete and not isinstance(n, Const):
        return array(None, stack.dims)
    whole = isinstance(n, Const) and n.value >= 0
    return array(stack.dtype if whole else dtype_of(np.linalg.inv, stack), stack.dims)


@jvp(np.linalg.slogdet)
def slogdet_tangent(dot, out, a):
    """d log|det a| = tr(inv(a) da), of a real matrix; its sign stays"""
    if is_complex(a) is not False:
        return NotImplemented
    return ((zeros_like(out[0]), np.trace(np.linalg.solve(a, dot), axis1=-2, axis2=-1)),)


# --- norms -----------------------------------------------------------------------------------------------

def norm_kind(x: Kind, ord: Kind = Const(None), axis: Kind | None = None, keepdims: Kind | None = None) -> Kind:
    value = numeric(x)
    return array(dtype_of(np.linalg.norm, value), reduced_dims(value.dims, axis, keepdims))


def matrix_norm_kind(x: Kind, keepdims: Kind | None = None, ord: Kind = Const("fro")) -> Kind:
    stack, batch, *_ = matrices(x)
    return array(dtype_of(np.linalg.norm, stack), (*batch, 1, 1) if constant(keepdims, False) else batch)


def cond_kind(x: Kind, p: Kind = Const(None)) -> Kind:
    stack, batch, *_ = matrices(x)
    return array(dtype_of(np.linalg.cond, stack), batch)


def matrix_rank_kind(A: Kind, *_: Kind, **__: Kind) -> Kind:
    table = numeric(A)
    if table.dims is None:
        raise Unknown
    return array(np.dtype(np.intp).name, table.dims[:-2]) if len(table.dims) > 1 else Num("pyint", (), False)


# --- decompositions --------------------------------------------------------------------------------------

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


# --- norms ----------------------------------------------------------------------------------------------

VECTOR_ORDERS = (None, 1, 2, 3, 2.5, 0.5, -1.5, np.inf, -np.inf, 0)
MATRIX_ORDERS = (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)


@part
def vector_shares(spread, size, x, ord):
    """d size / dx of size = sum(|x|^ord)^(1/ord), times spread"""
    if ord == 1:
        return spread * signed_power(x, 0.0)
    if ord == 2:
        return divide_or_zero(spread, size) * x
    if ord == np.inf or ord == -np.inf:
        return route_to_extremum(spread, size, np.abs(x)) * signed_power(x, 0.0)
    if ord == 0:
        return zeros_like(x)
    return spread * power_or_zero(size, 1.0 - ord) * signed_power(x, ord - 1.0)


@rule(np.linalg.norm, range=LENGTH, real="always", kind=norm_kind, singular=True, samples=[
    *(sample(DISTINCT(4), p) for p in VECTOR_ORDERS), *(sample(DISTINCT(2, 3), p,
                                                               axis=-1) for p in VECTOR_ORDERS),
    *(sample(DISTINCT(2, 3), p, 0, keepdims=True) for p in VECTOR_ORDERS), sample(DISTINCT(2, 3, 2)),
    *(sample(WELL_CONDITIONED(3, 2), p) for p in MATRIX_ORDERS), sample(DISTINCT(3, 2), "nuc", keepdims=True),
    *(sample(WELL_CONDITIONED(2, 3, 4), p, (2, 0)) for p in MATRIX_ORDERS), sample(COMPLEX(3)),
    *(sample(WELL_CONDITIONED(2, 3, 4), p, (-2, -1), keepdims=True) for p in MATRIX_ORDERS),
    *(sample(COMPLEX(4), p) for p in (1, 3, np.inf, -np.inf)),
    *(sample(COMPLEX_MATRIX(3, 2), p) for p in MATRIX_ORDERS)])
def norm(ct, out, x, ord=None, axis=None, keepdims=False):
    """Gradient 0 where the norm is 0; equal maxima share."""
    if axis is None and (ord is None or ord == "fro"):
        return divide_or_zero(ct, out) * x
    if (ord is None or ord == "fro") and keepdims:
        return divide_or_zero(ct, out) * x
    if ord is None or ord == "fro":
        return np.expand_dims(divide_or_zero(ct, out), axis) * x
    if axis is None or keepdims:
        spread = ct
        size = out
    else:
        spread = np.expand_dims(ct, axis)
        size = np.expand_dims(out, axis)
    rank = np.ndim(x) if ndim(x) is None else ndim(x)
    if isinstance(axis, tuple) and len(axis) == 2 or axis is None and rank == 2:
        axes = (0, 1) if axis is None else axis
        if ord == 1 or ord == -1:
            sums = np.sum(np.abs(x), axis=axes[0], keepdims=True)
            return route_to_extremum(spread, size, sums) * signed_power(x, 0.0)
        if ord == np.inf or ord == -np.inf:
            row_sums = np.sum(np.abs(x), axis=axes[1], keepdims=True)
            return route_to_extremum(spread, size, row_sums) * signed_power(x, 0.0)
        factors = np.linalg.svd(np.moveaxis(x, axes, (-2, -1)), full_matrices=False)
        values = factors[1]
        weight = np.reshape(ct, values.shape[:-1] + (1,))
        if ord == "nuc":
            shares = weight
        elif ord == 2:
            shares = route_to_extremum(weight, np.max(values, axis=-1, keepdims=True), values)
        else:
            shares = route_to_extremum(weight, np.min(values, axis=-1, keepdims=True), values)
        return np.moveaxis((factors[0] * np.expand_dims(shares * np.sign(values), -2)) @ factors[2], (-2, -1),
                           axes)
    return vector_shares(spread, size, x, ord)


@jvp(np.linalg.norm)
def norm_tangent(dot, out, x, ord=None, axis=None, keepdims=False):
    """d|x| = <x, dx> / |x|, 0 where the norm is 0"""
    if (ord is None or ord == "fro") and is_complex(x) is False:
        return divide_or_zero(np.sum(x * dot, axis=axis, keepdims=keepdims), out)
    return NotImplemented


@rule(*available(np.linalg, "vector_norm"),
      kind=lambda x, axis=None, keepdims=None, ord=Const(2): norm_kind(x, ord, axis, keepdims), singular=True, samples=[
    *(sample(DISTINCT(4), ord=p) for p in VECTOR_ORDERS[1:]), sample(DISTINCT(2, 3)),
    sample(DISTINCT(2, 3), axis=0),
    sample(DISTINCT(2, 3), axis=(0, 1), keepdims=True, ord=3),
    sample(DISTINCT(2, 3, 2), axis=(0, 2), ord=np.inf)])
def vector_norm(ct, out, x, axis=None, keepdims=False, ord=2):
    """Over all elements where axis is None."""
    if axis is None or keepdims:
        spread = ct
        size = out
    else:
        spread = np.expand_dims(ct, axis)
        size = np.expand_dims(out, axis)
    return vector_shares(spread, size, x, ord)


@rule(*available(np.linalg, "matrix_norm"), kind=matrix_norm_kind, singular=True, samples=[
    sample(DISTINCT(2, 3)), sample(DISTINCT(2, 3, 2), keepdims=True),
    sample(WELL_CONDITIONED(2, 3, 4), ord="nuc")])
def matrix_norm(ct, out, x, keepdims=False, ord="fro"):
    if ord == "fro" and keepdims:
        return divide_or_zero(ct, out) * x
    if ord == "fro":
        return np.expand_dims(divide_or_zero(ct, out), (-2, -1)) * x
    if ord == "nuc":
        factors = np.linalg.svd(x, full_matrices=False)
        shares = np.reshape(ct, np.shape(x)[:-2] + (1, 1)) * np.expand_dims(np.sign(factors[1]), -2)
        return (factors[0] * shares) @ factors[2]
    return refuse("np.linalg.matrix_norm has a derivative rule for ord 'fro' and 'nuc' only", "Use np.linalg.norm.")


@rule(power_or_zero, kind=results.same_as_first, samples=[sample(POSITIVE(3), 2.5), sample(POSITIVE(), -1.0)])
def power_or_zero_rule(ct, out, x, p):
    """x ** p for x >= 0; the exponent is a constant."""
    return ct * p * power_or_zero(x, p - 1.0)


@rule(signed_power, kind=results.same_as_first, samples=[
    *(sample(NONZERO(4), p) for p in (0.0, 1.0, 2.5, -0.5)), *(sample(COMPLEX(3), p) for p in (0.0, 1.5))])
def signed_power_rule(ct, out, x, p):
    """out = x |x|^(p-1), a function of x and its conjugate"""
    along = np.real(conj(x) * ct)
    magnitude = np.abs(x)
    return power_or_zero(magnitude, p - 1.0) * ct + (p - 1.0) * power_or_zero(magnitude, p - 3.0) * along * x


@rule(np.linalg.cond, real="always", kind=cond_kind, samples=[sample(WELL_CONDITIONED(3, 3)), sample(WELL_CONDITIONED(2, 3, 2), 2)])
def cond(ct, out, x, p=None):
    """out = max(s) / min(s) of the singular values"""
    if not (p is None or p == 2):
        return refuse("np.linalg.cond has a derivative rule for p=None and p=2 only",
                      "Write np.linalg.norm(x, p) * np.linalg.norm(np.linalg.inv(x), p).")
    factors = np.linalg.svd(x, full_matrices=False)
    values = factors[1]
    high = np.max(values, axis=-1, keepdims=True)
    low = np.min(values, axis=-1, keepdims=True)
    scaled = np.expand_dims(ct, -1) / low
    shares = route_to_extremum(scaled, high, values) - route_to_extremum(scaled * high / low, low, values)
    return (factors[0] * np.expand_dims(shares, -2)) @ factors[2]
