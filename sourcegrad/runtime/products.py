"""Helpers of the rules for products of arrays, linear algebra and Fourier transforms: what a one-line formula does not cover."""
from __future__ import annotations

import itertools
import math
import string
from typing import Any, Literal

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.core import unbroadcast, zeros_like

__all__ = ["matmul_adjoint_left", "matmul_adjoint_right", "tensordot_adjoint_left", "tensordot_adjoint_right", "dot_adjoint_left",
           "dot_adjoint_right", "contract", "einsum_is_plain", "einsum_swapped", "einsum_adjoint", "einsum_adjoints", "einsum_of",
           "einsum_variation", "einsum_adjoint_operands", "einsum_adjoints_operands", "replace_item", "multi_dot_subscripts",
           "kron_adjoint_left", "kron_adjoint_right", "place_diagonal", "cross_adjoint", "vector_axis", "convolve_adjoint",
           "vander_derivative", "refuse", "conj_transpose", "columns", "columns_adjoint", "cofactor_matrix", "cofactor_slope",
           "half_lower", "gap_quotient", "singular_quotient", "outside_range", "power_or_zero", "signed_power", "block_upper",
           "thin", "thin_adjoint", "or_zero", "refuse_used", "whole_inverse", "whole_rank", "fft_adjoint", "fft_like",
           "irfft_adjoint", "last_axes", "rfft_adjoint"]

# --- matmul, tensordot ----------------------------------------------------------------------------------

def _conj(x: Any) -> Any:
    return np.conj(x) if np.iscomplexobj(x) else x                  # it would copy real numbers


def _transposed(x: Any) -> Any:
    return _conj(np.swapaxes(x, -1, -2))


def matmul_adjoint_left(ct: Any, a: Any, b: Any) -> Any:
    """Adjoint of `a` in `a @ b` for any ranks; batch dimensions broadcast."""
    if np.ndim(a) == 1:
        ct = np.expand_dims(ct, -1 if np.ndim(b) == 1 else -2)
        left = ct * _conj(b) if np.ndim(b) == 1 else np.matmul(ct, _transposed(b))[..., 0, :]
    elif np.ndim(b) == 1:
        left = np.expand_dims(ct, -1) * _conj(b)
    else:
        left = np.matmul(ct, _transposed(b))
    return unbroadcast(left, a)


def _adjoint_times(operator: Any, ct: Any) -> Any:
    """A^H ct of a linear operator of SciPy."""
    try:
        return operator.H @ ct
    except (NotImplementedError, TypeError):                  # (which of them depends on the version)
        raise UnsupportedError("the product with a LinearOperator that has no rmatvec",
                               remedy="Give it rmatvec=..., the product with the transposed matrix.") from None


def matmul_adjoint_right(ct: Any, a: Any, b: Any) -> Any:
    """Adjoint of `b` in `a @ b` for any ranks; batch dimensions broadcast."""
    if hasattr(a, "rmatvec"):
        return _adjoint_times(a, ct)
    if np.ndim(b) <= 2 and np.ndim(a) > 2:                  # one product instead of a sum of many
        axes = tuple(range(np.ndim(a) - 1))
        return unbroadcast(np.tensordot(_conj(a), ct, (axes, axes)), b)
    if np.ndim(b) == 1:
        right = np.matmul(_transposed(a), ct) if np.ndim(a) == 2 else _conj(a) * ct
    elif np.ndim(a) == 1:
        right = _conj(a)[:, np.newaxis] * np.expand_dims(ct, -2)
    else:
        right = np.matmul(_transposed(a), ct)
    return unbroadcast(right, b)


def _contracted(axes: Any, a: Any, b: Any) -> tuple[list, list]:
    """The `axes` of `tensordot` as two lists of non-negative axes."""
    if np.ndim(axes) == 0:
        n = int(axes)
        return list(range(np.ndim(a) - n, np.ndim(a))), list(range(n))
    left, right = ([k] if np.ndim(k) == 0 else list(k) for k in axes)
    return [int(k) % np.ndim(a) for k in left], [int(k) % np.ndim(b) for k in right]


def tensordot_adjoint_left(ct: Any, a: Any, b: Any, axes: Any) -> Any:
    """Adjoint of `a` in `np.tensordot(a, b, axes)`."""
    left, right = _contracted(axes, a, b)
    kept = [k for k in range(np.ndim(a)) if k not in left]
    free = [k for k in range(np.ndim(b)) if k not in right]
    product = np.tensordot(ct, _conj(b), (range(len(kept), np.ndim(ct)), free))
    contracted = [left[right.index(k)] for k in sorted(right)]      # tensordot leaves the axes of b in order
    return np.transpose(product, np.argsort(kept + contracted))


def tensordot_adjoint_right(ct: Any, a: Any, b: Any, axes: Any) -> Any:
    """Adjoint of `b` in `np.tensordot(a, b, axes)`."""
    left, right = _contracted(axes, a, b)
    kept = [k for k in range(np.ndim(a)) if k not in left]
    free = [k for k in range(np.ndim(b)) if k not in right]
    product = np.tensordot(_conj(a), ct, (kept, range(len(kept))))
    contracted = [right[left.index(k)] for k in sorted(left)]
    return np.transpose(product, np.argsort(contracted + free))


def _dot_axes(b: Any) -> tuple[int, int]:
    return -1, -1 if np.ndim(b) == 1 else -2


def dot_adjoint_left(ct: Any, a: Any, b: Any) -> Any:
    """Adjoint of `a` in `np.dot(a, b)` for any ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(ct * _conj(b), a)
    return tensordot_adjoint_left(ct, a, b, _dot_axes(b))


def dot_adjoint_right(ct: Any, a: Any, b: Any) -> Any:
    """Adjoint of `b` in `np.dot(a, b)` for any ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(ct * _conj(a), b)
    return tensordot_adjoint_right(ct, a, b, _dot_axes(b))


# --- einsum ---------------------------------------------------------------------------------------------

def _terms(subscripts: str) -> tuple[list[str], str]:
    """The terms of the operands and of the result, implicit results written out."""
    if not isinstance(subscripts, str):
        raise UnsupportedError("this form of np.einsum has no derivative rule",
                               remedy="Write np.einsum('ij,jk->ik', a, b), with one text of subscripts.")
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    if not arrow:
        letters = inputs.replace(".", "").replace(",", "")
        output = "..." * ("." in inputs) + "".join(sorted(c for c in letters if letters.count(c) == 1))
    return inputs.split(","), output


def contract(subscripts: str, *operands: Any) -> Any:
    """`np.einsum` of several operands: in pairs, by products of matrices, where there is enough to multiply."""
    inputs, _, output = subscripts.partition("->")
    left = list(zip(inputs.split(","), operands))
    sizes: dict[str, int] = {}
    for term, x in left:
        sizes.update((letter, n) for letter, n in zip(term, np.shape(x)) if n != 1)
    if math.prod(sizes.values()) <= ENOUGH:
        return np.einsum(subscripts, *operands)
    while len(left) > 2:                                    # those first whose product is smallest
        found = []
        for i, j in itertools.combinations(range(len(left)), 2):
            rest = output + "".join(term for place, (term, _) in enumerate(left) if place not in (i, j))
            kept = "".join(letter for letter in dict.fromkeys(left[i][0] + left[j][0]) if letter in rest)
            found.append((math.prod(sizes.get(letter, 1) for letter in kept), i, j, kept))
        _, i, j, kept = min(found)
        (other, b), (one, a) = left.pop(j), left.pop(i)
        left.append((kept, np.einsum(f"{one},{other}->{kept}", a, b, optimize=True)))
    return np.einsum(f"{','.join(term for term, _ in left)}->{output}", *(x for _, x in left), optimize=True)


ENOUGH = 20_000                        # multiplications


def einsum_is_plain(subscripts: str) -> bool:
    """No ellipsis, no index twice in one term, and each index also in another term or the result."""
    terms, output = _terms(subscripts)
    if "." in subscripts or any(len(set(term)) < len(term) for term in terms):
        return False
    return all(set(term) <= set("".join(terms[:k] + terms[k + 1:]) + output) for k, term in enumerate(terms))


def einsum_swapped(subscripts: str, k: int) -> str:
    """Subscripts of the adjoint of operand k: the result takes its place, and it becomes the result.

    >>> einsum_swapped("ij,jk->ik", 0)
    'ik,jk->ij'
    """
    terms, output = _terms(subscripts)
    return ",".join(terms[:k] + [output] + terms[k + 1:]) + "->" + terms[k]


def _spelled_out(subscripts: str, operands: Any) -> tuple[list[str], str]:
    """Terms in which letters stand for the dimensions of each ellipsis."""
    terms, output = _terms(subscripts)
    unused = [c for c in string.ascii_letters if c not in subscripts]
    rank = max([np.ndim(x) - len(term) + 3 for x, term in zip(operands, terms) if "..." in term], default=0)
    letters = "".join(unused[:rank])
    spelled = [term.replace("...", letters[rank - (np.ndim(x) - len(term) + 3):] if "..." in term else "")
               for x, term in zip(operands, terms)]
    return spelled, output.replace("...", letters)


def einsum_adjoint(k: int, ct: Any, subscripts: str, operands: Any, optimize: Any = False) -> Any:
    """Adjoint of operand `k` in `np.einsum(subscripts, *operands)`."""
    terms, output = _spelled_out(subscripts, operands)
    own = "".join(dict.fromkeys(terms[k]))
    others = [(term, _conj(x)) for j, (term, x) in enumerate(zip(terms, operands)) if j != k]
    known = "".join(term for term, _ in others) + output
    result = "".join(letter for letter in own if letter in known)
    swapped = ",".join([output] + [term for term, _ in others]) + "->" + result
    arrays = [ct, *(x for _, x in others)]
    value = np.einsum(swapped, *arrays, optimize=optimize) if optimize else contract(swapped, *arrays)
    if not own:
        return value
    adjoint = np.zeros(np.shape(operands[k]), value.dtype)
    target = np.einsum(terms[k] + "->" + own, adjoint)               # a view: diagonals of repeated indices
    for axis, letter in enumerate(own):
        if letter not in result:                                     # summed over this operand alone
            value = np.expand_dims(value, axis)
        elif target.shape[axis] == 1 != value.shape[axis]:           # broadcast
            value = np.sum(value, axis=axis, keepdims=True)
    target[...] = value
    return adjoint


def einsum_adjoints(ct: Any, subscripts: str, operands: Any, optimize: Any = False) -> list:
    """Adjoints of all operands in `np.einsum(subscripts, *operands)`."""
    return [einsum_adjoint(k, ct, subscripts, operands, optimize) for k in range(len(operands))]


def einsum_of(subscripts: str, operands: Any, optimize: Any = False) -> Any:
    """`np.einsum` with the operands as one sequence."""
    return np.einsum(subscripts, *operands, optimize=optimize)


def einsum_variation(cts: Any, subscripts: str, operands: Any, optimize: Any = False) -> Any:
    """Sum of the einsums in which each operand in turn has been replaced: the adjoint of `ct` in `einsum_adjoints`."""
    return sum(einsum_of(subscripts, replace_item(operands, k, ct), optimize) for k, ct in enumerate(cts))


def einsum_adjoint_operands(k: int, ct: Any, w: Any, subscripts: str, operands: Any, optimize: Any = False) -> list:
    """Adjoints of the operands in `einsum_adjoint(k, w, subscripts, operands)`, which does not read operand k."""
    replaced = replace_item(operands, k, ct)
    return [zeros_like(x) if j == k else einsum_adjoint(j, w, subscripts, replaced, optimize)
            for j, x in enumerate(operands)]


def einsum_adjoints_operands(cts: Any, w: Any, subscripts: str, operands: Any, optimize: Any = False) -> list:
    """Adjoints of the operands in `einsum_adjoints(w, subscripts, operands)`."""
    rows = [einsum_adjoint_operands(k, ct, w, subscripts, operands, optimize) for k, ct in enumerate(cts)]
    return [sum(column[1:], column[0]) for column in zip(*rows)]


def replace_item(items: Any, k: int, value: Any) -> tuple:
    """The items as a tuple, with `value` at place `k`."""
    return (*items[:k], value, *items[k + 1:])


def multi_dot_subscripts(arrays: Any) -> str:
    """Subscripts of the product of a chain of matrices; the first and the last may be vectors."""
    n = len(arrays)
    letters = string.ascii_letters[:n + 1]
    terms = [letters[k:k + 2] for k in range(n)]
    if np.ndim(arrays[0]) == 1:
        terms[0] = letters[1]
    if np.ndim(arrays[-1]) == 1:
        terms[-1] = letters[n - 1]
    output = letters[0] * (np.ndim(arrays[0]) == 2) + letters[n] * (np.ndim(arrays[-1]) == 2)
    return ",".join(terms) + "->" + output


# --- kron -----------------------------------------------------------------------------------------------

def _kron_blocks(ct: Any, a: Any, b: Any) -> tuple:
    """`ct` with one pair of axes (of a, of b) for each axis, and a and b padded to equal rank."""
    rank = max(np.ndim(a), np.ndim(b))
    a = np.reshape(a, (1,) * (rank - np.ndim(a)) + np.shape(a))
    b = np.reshape(b, (1,) * (rank - np.ndim(b)) + np.shape(b))
    pairs = [n for pair in zip(a.shape, b.shape) for n in pair]
    return np.reshape(ct, pairs), a, b, rank


def kron_adjoint_left(ct: Any, a: Any, b: Any) -> Any:
    """Adjoint of `a` in `np.kron(a, b)`."""
    blocks, _, padded, rank = _kron_blocks(ct, a, b)
    return np.reshape(np.tensordot(blocks, _conj(padded), (range(1, 2 * rank, 2), range(rank))),
                      np.shape(a))


def kron_adjoint_right(ct: Any, a: Any, b: Any) -> Any:
    """Adjoint of `b` in `np.kron(a, b)`."""
    blocks, padded, _, rank = _kron_blocks(ct, a, b)
    return np.reshape(np.tensordot(blocks, _conj(padded), (range(0, 2 * rank, 2), range(rank))),
                      np.shape(b))


# --- diagonals, cross products, convolution, vander -----------------------------------------------------

def place_diagonal(values: Any, x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Zeros in the shape of `x` with `values` on a diagonal: the transpose of `np.diagonal`."""
    result = np.zeros(np.shape(x), np.asarray(values).dtype)
    rows, columns = result.shape[axis1], result.shape[axis2]
    n = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    if result.ndim == 2 and (axis1, axis2) == (0, 1):
        first = max(offset, 0) - min(offset, 0) * columns
        result.reshape(-1)[first:first + n * (columns + 1):columns + 1][:n] = values
        return result
    moved = np.moveaxis(result, (axis1, axis2), (-2, -1))
    k = np.arange(n)
    moved[..., k - min(offset, 0), k + max(offset, 0)] = values
    return result


def vector_axis(a: Any, b: Any, axis: int) -> int:
    """Where the vectors lie in np.cross(a, b): nowhere if both have two components, then nothing is to be moved."""
    if np.shape(a)[-1] == np.shape(b)[-1] == 2:
        if np.ndim(a) == np.ndim(b) == 1:
            raise UnsupportedError("np.cross of two vectors in the plane with axis", remedy="Write a[0] * b[1] - a[1] * b[0].")
        return -1
    return axis


def cross_adjoint(ct: Any, a: Any, b: Any) -> Any:
    """Adjoint of `a` in `np.cross(a, b)`: b x ct for vectors of 3 components; those of 2 lie in the plane."""
    b = _conj(b)
    two_a, two_b = np.shape(a)[-1] == 2, np.shape(b)[-1] == 2
    if two_a and two_b:
        return unbroadcast(np.stack([ct * b[..., 1], -ct * b[..., 0]], axis=-1), a)
    if two_b:
        b = np.concatenate([b, np.zeros_like(b[..., :1])], axis=-1)
    result = np.cross(b, ct)
    return unbroadcast(result[..., :2] if two_a else result, a)


def convolve_adjoint(ct: Any, a: Any, v: Any, mode: str = "full") -> Any:
    """Adjoint of `a` in `np.convolve(a, v, mode)`: a correlation of the full-length adjoint with `v`."""
    n, m = np.size(a), np.size(v)
    start = {"full": 0, "same": (min(n, m) - 1) // 2, "valid": min(n, m) - 1}[mode]
    full = np.zeros(n + m - 1, np.result_type(ct))
    full[start:start + np.size(ct)] = ct
    return np.reshape(np.correlate(full, np.atleast_1d(v), "valid"), np.shape(a))


def vander_derivative(x: Any, n: int, increasing: bool, order: int) -> Any:
    """The `order`-th derivative of `np.vander(x, n, increasing)` with respect to x, column by column."""
    x = np.asarray(x)
    result = np.zeros((x.size, n), np.result_type(x, np.float16))
    if order < n:
        result[:, order:] = np.vander(x, n - order, increasing=True)
        for k in range(order, n):
            result[:, k] *= math.perm(k, order)
    return result if increasing else result[:, ::-1]


def refuse(message: str, remedy: str) -> Any:
    """Raise: returned by rules in cases that they do not cover; an error at generation where the case is known then."""
    raise UnsupportedError(message, remedy=remedy)


# --- Linear algebra and Fourier transforms: adjoints that rules call

def conj_transpose(x: Any) -> Any:
    """Conjugate transpose of a matrix or of each matrix of a batch."""
    x = np.swapaxes(x, -1, -2)
    return np.conj(x) if np.iscomplexobj(x) else x


def _is_vector(a: Any, b: Any) -> bool:
    """Whether `np.linalg.solve(a, b)` takes b for a vector: NumPy 2 only if it is 1-D."""
    if np.__version__ < "2":
        return np.ndim(b) == np.ndim(a) - 1
    return np.ndim(b) == 1


def columns(x: Any, a: Any, b: Any) -> Any:
    """`x` (a solution or right-hand side) with a last axis of size 1 if `b` is a vector in `solve(a, b)`."""
    return np.expand_dims(x, -1) if _is_vector(a, b) else x


def columns_adjoint(x: Any, a: Any, b: Any) -> Any:
    """The inverse of `columns`: without the last axis if `b` is a vector in `solve(a, b)`."""
    return x[..., 0] if _is_vector(a, b) else x


def cofactor_matrix(a: Any) -> Any:
    """The derivative of the determinant, det(a) inv(a).T, also where `a` is singular.

    Of a 2 x 2 matrix these are its elements.
    Where the inverse is inaccurate, from the singular values, a = U S V^H: the cofactors are
    det(U) det(V^H) conj(U) (products of the other singular values) conj(V^H); no division.
    """
    if a.shape[-1] == 1:
        return np.ones_like(a)
    if a.shape[-1] == 2:
        result = np.empty_like(a)
        result[..., 0, 0], result[..., 0, 1] = a[..., 1, 1], -a[..., 1, 0]
        result[..., 1, 0], result[..., 1, 1] = -a[..., 0, 1], a[..., 0, 0]
        return result
    inverse = _accurate_inverse(a)
    if inverse is not None:
        return np.expand_dims(np.linalg.det(a), (-2, -1)) * np.swapaxes(inverse, -1, -2)
    u, s, vh = np.linalg.svd(a)
    others = np.stack([np.prod(np.delete(s, k, axis=-1), axis=-1) for k in range(s.shape[-1])], axis=-1)
    scale = np.expand_dims(np.linalg.det(u) * np.linalg.det(vh), (-2, -1))
    return scale * np.matmul(np.conj(u) * others[..., np.newaxis, :], np.conj(vh))


def cofactor_slope(w: Any, a: Any) -> Any:
    """The derivative of `np.sum(w * cofactor_matrix(a))` in `a`, also where `a` is singular.

    With B = inv(a) it is det(a) (tr(B w) B - B w B).T. Where the inverse is inaccurate, from the singular values: of a
    diagonal matrix the derivative of the cofactors along m is, at [i, j], minus m[j, i] times the product of all but i and j, and
    on the diagonal the sum of the m[k, k] times the products of all but i and k.
    """
    if a.shape[-1] < 3:                                                  # what it is made of are elements, or ones
        return (cofactor_matrix(w) if a.shape[-1] == 2 else np.zeros_like(w)).astype(np.result_type(w, a), copy=False)
    inverse = _accurate_inverse(a)
    if inverse is not None:
        inner = inverse @ w
        along = np.trace(inner, axis1=-2, axis2=-1)[..., None, None] * inverse - inner @ inverse
        return np.expand_dims(np.linalg.det(a), (-2, -1)) * np.swapaxes(along, -1, -2)
    u, s, vh = np.linalg.svd(a)
    n = s.shape[-1]
    others = np.zeros(np.shape(a), s.dtype)
    for i in range(n):
        for j in range(i):
            others[..., i, j] = others[..., j, i] = np.prod(np.delete(s, [i, j], axis=-1), axis=-1)
    m = conj_transpose(u) @ w @ conj_transpose(vh)
    slope = -others * np.swapaxes(m, -1, -2)
    k = np.arange(n)
    slope[..., k, k] = np.squeeze(others @ m[..., k, k, None], -1)
    scale = np.expand_dims(np.linalg.det(u) * np.linalg.det(vh), (-2, -1))
    return scale * (np.conj(u) @ slope @ np.conj(vh))


def _accurate_inverse(a: Any) -> Any:
    """The inverse of a matrix; None where half of its digits, or all, would be lost."""
    try:
        inverse = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return None
    bound = np.linalg.norm(a, axis=(-2, -1)) * np.linalg.norm(inverse, axis=(-2, -1))
    return inverse if np.all(bound * np.sqrt(np.finfo(inverse.dtype).eps) < 1.0) else None


def half_lower(x: Any) -> Any:
    """The lower triangle with half of the real part of the diagonal."""
    lower = np.tril(x)
    if lower.ndim == 2 and not np.iscomplexobj(lower):
        diagonal = np.einsum("ii->i", lower[:min(lower.shape), :min(lower.shape)])           # a view
        diagonal *= 0.5
        return lower
    k = np.arange(min(lower.shape[-2:]))
    lower[..., k, k] = 0.5 * np.real(lower[..., k, k])
    return lower


def gap_quotient(x: Any, values: Any, squares: bool = False) -> Any:
    """`x[i, j] / (values[j] - values[i])`, zeros on the diagonal; squares: of the squared values.

    Where two values coincide up to rounding, their vectors have no derivative: an error, unless
    x[i, j] is exactly 0, which says that the vectors of this pair are not used.
    """
    right, left = np.expand_dims(values, -2), np.expand_dims(values, -1)
    gaps = right - left
    size = np.expand_dims(np.max(np.abs(values), axis=-1, initial=0.0), (-2, -1))
    equal = np.abs(gaps) <= 4.0 * values.shape[-1] * np.finfo(gaps.dtype).eps * size
    if squares:
        gaps = gaps * (right + left)
    result = np.full(np.shape(x), np.nan, np.result_type(x, values))
    np.divide(x, gaps, out=result, where=~equal)
    result[np.equal(x, 0)] = 0.0
    k = np.arange(values.shape[-1])
    result[..., k, k] = 0.0
    if np.any(np.isnan(result) & np.isfinite(x) & equal):
        raise UnsupportedError("the derivative of eigenvectors of equal eigenvalues, or of their kin: it does not exist",
                               remedy="Use the eigenvalues alone, or a function of the matrix such as scipy.linalg.expm or sqrtm.")
    return result


def singular_quotient(x: Any, s: Any) -> Any:
    """`x / s` for singular values along one of the last two axes; 0 where x is 0, NaN where only s is."""
    limit = np.max(s, axis=(-2, -1), keepdims=True, initial=0.0) * (max(s.shape[-2:]) * np.finfo(s.dtype).eps)
    result = np.full(np.shape(x), np.nan, np.result_type(x, s))
    np.divide(x, s, out=result, where=s > limit)
    result[np.equal(x, 0)] = 0.0
    return result


def outside_range(x: Any, basis: Any) -> Any:
    """The part of the columns of `x` orthogonal to the orthonormal `basis`; exactly 0 if that is square."""
    if basis.shape[-1] == basis.shape[-2]:
        return np.zeros_like(x)
    return x - basis @ (conj_transpose(basis) @ x)


def power_or_zero(x: Any, p: float) -> Any:
    """`x ** p` for x > 0, and 0 for x = 0."""
    return np.power(x, p, out=np.zeros_like(x), where=np.not_equal(x, 0))[()]


def signed_power(x: Any, p: float) -> Any:
    """`|x| ** p` with the sign (complex: the phase) of x; 0 at 0."""
    size = np.abs(x)
    if p == 0.0 and not np.iscomplexobj(x):
        return np.sign(x)
    return x * power_or_zero(size, p - 1.0)


def block_upper(a: Any, x: Any) -> Any:
    """The matrix [[a, x], [0, a]]: functions of it have their derivative along x at the upper right."""
    top = np.concatenate([a, x], axis=-1)
    return np.concatenate([top, np.concatenate([np.zeros_like(a), a], axis=-1)], axis=-2)


def thin(ct: Any, n: int, axis: int) -> Any:
    """The first `n` vectors along `axis` (-1: columns, -2: rows) of the adjoint of singular vectors.

    The others, of `full_matrices=True`, span the rest of the space in an arbitrary way: no derivative exists.
    """
    first, rest = (ct[..., :n], ct[..., n:]) if axis == -1 else (ct[..., :n, :], ct[..., n:, :])
    if np.any(rest):
        raise UnsupportedError("the singular vectors beyond min(m, n) have no derivative", remedy="Use full_matrices=False.")
    return first


def thin_adjoint(ct: Any, x: Any, axis: int) -> Any:
    """`ct` filled up with zeros to the shape of `x`: the transpose of `thin`."""
    result = np.zeros_like(x, dtype=np.asarray(ct).dtype)
    result[(Ellipsis, slice(ct.shape[-1])) if axis == -1 else (Ellipsis, slice(ct.shape[-2]),
                                                               slice(None))] = ct
    return result


def or_zero(x: Any) -> Any:
    """`x`, or 0 where it is empty (the residuals of `np.linalg.lstsq` when it does not return any)."""
    return x if np.size(x) else 0.0


def refuse_used(ct: Any, message: str, remedy: str) -> float:
    """0.0 if the adjoint of a result is zero, as it is when the result is not used; otherwise raise."""
    if np.any(ct):
        raise UnsupportedError(message, remedy=remedy)
    return 0.0


DROPPED = "an inverse that leaves out singular values which are not 0 has no derivative rule"


def whole_inverse(a: Any, inverse: Any) -> Any:
    """The inverse, unless np.linalg.pinv left out singular values that are not 0: then its formula would be wrong."""
    if not np.allclose(a @ inverse @ a, a, 1e-5, 1e-6 * np.max(np.abs(a), initial=0.0)):
        raise UnsupportedError(DROPPED, remedy="Leave out rcond, or use np.linalg.svd and keep the values by hand.")
    return inverse


def whole_rank(a: Any, rank: int, values: Any) -> Any:
    """The matrix, unless np.linalg.lstsq left out singular values that are not 0."""
    if np.any(values[rank:] > 1e-6 * np.max(values, initial=0.0)):
        raise UnsupportedError(DROPPED, remedy="Leave out rcond, or use np.linalg.svd and keep the values by hand.")
    return a

OTHER_NORM: dict[str | None, Literal["backward", "ortho", "forward"]] = {
    None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
TRANSFORMS = {"fft": np.fft.fftn, "ifft": np.fft.ifftn}
INVERSE = {"fft": "ifft", "ifft": "fft"}


def fft_adjoint(ct: Any, x: Any, name: str, axes: Any, norm: Any) -> Any:
    """The adjoint of a transform of x (cut or filled with zeros to the shape of ct), real where x is real."""
    if axes is not None and len({axis % np.ndim(x) for axis in axes}) < len(axes):
        raise UnsupportedError("np.fft over an axis twice", remedy="Write one transform after the other.")
    back = TRANSFORMS[INVERSE[name]](ct, axes=axes, norm=OTHER_NORM[norm])
    return _fitted(back, x)


def last_axes(s: Any) -> tuple:
    """The axes of a transform to the shape s: the last ones."""
    return tuple(range(-len(s), 0))


def fft_like(x: Any, like: Any, name: str, axes: Any, norm: Any) -> Any:
    """The transform of x, cut or filled with zeros to the shape of an example."""
    axes = range(np.ndim(like)) if axes is None else axes
    return TRANSFORMS[name](x, s=[like.shape[axis] for axis in axes], axes=axes, norm=norm)


def rfft_adjoint(ct: Any, x: Any, n: Any, axis: int, norm: Any) -> Any:
    """The adjoint of np.fft.rfft(x, n, axis, norm)."""
    size = x.shape[axis] if n is None else n
    parts = np.moveaxis(ct.copy(), axis, 0)
    parts[1:(size + 1) // 2] *= 0.5                           # those that stand for two frequencies of a real signal
    return _fitted(np.fft.irfft(np.moveaxis(parts, 0, axis), size, axis, OTHER_NORM[norm]), x)


def irfft_adjoint(ct: Any, x: Any, n: Any, axis: int, norm: Any) -> Any:
    """The adjoint of np.fft.irfft(x, n, axis, norm): frequencies that stand for two count twice."""
    back = np.moveaxis(np.fft.rfft(np.real(ct), axis=axis, norm=OTHER_NORM[norm]), axis, 0)
    back[1:(ct.shape[axis] + 1) // 2] *= 2.0
    return _fitted(np.moveaxis(back, 0, axis), x)


def _resized(x: Any, size: int, axis: int) -> Any:
    parts = np.moveaxis(x, axis, 0)
    result = np.zeros((size, *parts.shape[1:]), x.dtype)
    count = min(size, len(parts))
    result[:count] = parts[:count]
    return np.moveaxis(result, 0, axis)


def _fitted(back: Any, x: Any) -> Any:
    """Cut or filled with zeros to the shape of x, and real where x is real."""
    for axis, size in enumerate(x.shape):
        if back.shape[axis] != size:
            back = _resized(back, size, axis)
    return back if np.iscomplexobj(x) or not np.iscomplexobj(back) else np.real(back).copy()
