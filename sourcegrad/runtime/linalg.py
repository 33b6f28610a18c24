"""Linear algebra and Fourier transforms: adjoints that rules call."""
from __future__ import annotations

from typing import Any, Literal

import numpy as np

from sourcegrad.errors import UnsupportedError

__all__ = ["conj_transpose", "columns", "columns_adjoint", "cofactor_matrix", "cofactor_slope", "half_lower", "gap_quotient",
           "singular_quotient", "outside_range", "power_or_zero", "signed_power", "block_upper", "thin", "thin_adjoint",
           "or_zero", "refuse_used", "whole_inverse", "whole_rank", "fft_adjoint", "fft_like", "irfft_adjoint",
           "last_axes", "rfft_adjoint"]



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

    Where two values coincide up to rounding, their vectors have no derivative: the quotient is NaN, unless
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
