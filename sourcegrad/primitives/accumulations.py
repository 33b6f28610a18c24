"""Products along axes, running sums and products, and the linear recurrences that their adjoints are."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sourcegrad.kinds import Const, Kind, Num, results, times
from sourcegrad.kinds.results import Unknown, array, constant, dtype_of, leaf, normalized, numeric
from sourcegrad.primitives.core import COMPLEX, NONZERO, REAL, conj, jvp, ndim, rule, sample
from sourcegrad.primitives.reductions import over_axes, reduction_kind
from sourcegrad.runtime import as_rows, from_rows, product_of_others, recurrence, shifted


def ufunc_accumulation(function: Callable) -> Callable:
    """Kind function of `ufunc.accumulate(array, axis=0, dtype=None)`."""

    def kind(array_: Kind, axis: Kind | None = Const(0), dtype: Kind | None = None, **_: Kind) -> Kind:
        a = numeric(array_)
        return array(dtype_of(function, a, option=dtype), a.dims)

    return kind


def accumulation_kind(function: Callable) -> Callable:
    """Kind function of `cumsum` and its like: axis None flattens."""

    def kind(a: Kind, axis: Kind | None = None, dtype: Kind | None = None, **_: Kind) -> Kind:
        a = numeric(a)
        result = dtype_of(function, a, option=dtype)
        flat = axis is None or axis == Const(None)
        if a.ndim == 0:
            return array(result, (1,))
        if flat and a.ndim != 1:
            return array(result, (None,))
        return array(result, a.dims)

    return kind


def product_of_others_kind(a: Kind, axis: Kind | None = None) -> Kind:
    """That of integers is a fraction, or integer where there are zeros."""
    values = numeric(a)
    return array(None if values.is_discrete else values.dtype, values.dims)


# --- rows ------------------------------------------------------------------------------------------------

def as_rows_kind(x: Kind, axis: Kind) -> Kind:
    values = leaf(x)
    if values.dims is None:
        raise Unknown
    axes = normalized(constant(axis), len(values.dims))
    kept = tuple(dim for k, dim in enumerate(values.dims) if k not in axes)
    return Num(values.dtype, (*kept, times(*(values.dims[k] for k in axes))), True)


# --- prod, cumsum, cumprod ------------------------------------------------------------------------------

WITH_ZEROS = [np.array([[1.5, 0.0, 2.0], [0.0, 3.0, 0.0], [1.0, 0.5, 2.0]]), np.array([0.0, 2.0, 3.0])]


@rule(np.prod, folds="*", real="kept", kind=reduction_kind(np.prod), samples=[
    *over_axes(NONZERO, (0,)), sample(COMPLEX(3, 2), axis=1), *(sample(a, axis=0) for a in WITH_ZEROS),
    sample(WITH_ZEROS[0], axis=(0, 1)), sample(WITH_ZEROS[1])])
def prod(ct, out, a, axis=None, dtype=None, keepdims=False):
    """d out / d a[i] is the product of all others, right also where elements are 0."""
    if axis is None:
        return ct * conj(product_of_others(a))
    if keepdims:
        return ct * conj(product_of_others(a, axis))
    return np.expand_dims(ct, axis) * conj(product_of_others(a, axis))


@jvp(np.prod)
def prod_tangent(dot, out, a, axis=None, dtype=None, keepdims=False):
    """Each factor's tangent times the product of all others, summed."""
    return np.sum(dot * product_of_others(a, axis), axis=axis, keepdims=keepdims)


@rule(product_of_others, kind=product_of_others_kind, samples=[
    sample(NONZERO(3, 4)), sample(NONZERO(3, 4), 0), sample(COMPLEX(3, 2), (0, 1)),
    *(sample(a, -1) for a in WITH_ZEROS)])
def product_of_others_rule(ct, out, a, axis=None):
    """d out[i] / d a[k] is the product without i and k: left and right of k as recurrences."""
    rows = conj(as_rows(a, axis))
    weights = as_rows(ct, axis)
    before = shifted(np.cumprod(rows, axis=-1), 1, 1.0)
    after = np.flip(shifted(np.cumprod(np.flip(rows, -1), axis=-1), 1, 1.0), -1)
    later = recurrence(rows[..., 1:], shifted(weights * after, -1, 0.0), True)
    earlier = recurrence(rows[..., :-1], shifted(weights * before, 1, 0.0))
    return from_rows(before * later + after * earlier, a, axis)


@rule(np.cumsum, tangent="linear", folds="+", running=True, real="kept", kind=accumulation_kind(np.cumsum), samples=[
    sample(REAL(4)), sample(REAL(3, 4)), sample(REAL(3, 4), axis=0), sample(REAL(2, 3, 2), axis=-2),
    sample(REAL(0)),
    sample(COMPLEX(3), 0)])
def cumsum(ct, out, a, axis=None, dtype=None):
    """a[i] adds to out[i], out[i+1], ...: the sum of `ct` from i on"""
    if ndim(a) == 1:
        return np.cumsum(ct[::-1])[::-1]
    if axis is None:
        return np.reshape(np.cumsum(ct[::-1])[::-1], np.shape(a))
    return np.flip(np.cumsum(np.flip(ct, axis), axis=axis), axis)


@rule(np.cumprod, folds="*", running=True, real="kept", kind=accumulation_kind(np.cumprod), samples=[
    sample(REAL(4)), sample(REAL(3, 2)), sample(REAL(3, 4), axis=0), sample(COMPLEX(3, 2), axis=1),
    sample(REAL(1)),
    *(sample(a, axis=0) for a in WITH_ZEROS)])
def cumprod(ct, out, a, axis=None, dtype=None):
    """out[i] = out[i-1] a[i]; the adjoint s of out obeys s[i] = ct[i] + a[i+1] s[i+1]."""
    if axis is None:
        before_all = shifted(out, 1, 1.0)
        return np.reshape(conj(before_all) * recurrence(conj(np.ravel(a))[1:], ct, True), np.shape(a))
    rows = as_rows(a, axis)
    before = shifted(as_rows(out, axis), 1, 1.0)
    return from_rows(conj(before) * recurrence(conj(rows)[..., 1:], as_rows(ct, axis), True), a, axis)


@rule(recurrence, kind=results.shaped_like(1, 0, 1), samples=[
    sample(REAL(3), REAL(4)), sample(REAL(2, 3), REAL(2, 4), True), sample(COMPLEX(2, 2), COMPLEX(2, 3))])
def recurrence_rule(ct, out, c, b, reverse=False):
    """The adjoint of a linear recurrence is the recurrence in the other direction."""
    if reverse:
        from_start = recurrence(conj(c), ct)
        return conj(out[..., 1:]) * from_start[..., :-1], from_start
    from_end = recurrence(conj(c), ct, True)
    return conj(out[..., :-1]) * from_end[..., 1:], from_end


@rule(shifted, kind=results.same_as_first, samples=[sample(REAL(2, 3), 1, 1.0), sample(REAL(3), -1, 0.0)])
def shifted_rule(ct, out, rows, by, fill):
    return shifted(ct, -by, 0.0)


@rule(as_rows, tangent="linear", order="other", kind=as_rows_kind,
      samples=[sample(REAL(2, 3, 4), 1), sample(REAL(2, 3, 4), (2, 0)), sample(REAL(2, 3), None)])
def as_rows_rule(ct, out, x, axis):
    return from_rows(ct, x, axis)


@rule(from_rows, tangent="linear", order="other", kind=results.shaped_like(1), samples=[
    sample(REAL(2, 4, 3), REAL(2, 3, 4), 1), sample(REAL(3, 8), REAL(2, 3, 4), (2, 0))])
def from_rows_rule(ct, out, rows, x, axis):
    return as_rows(ct, axis), None


# --- ufunc.reduce and accumulate (axis defaults to 0) ---------------------------------------------------

@rule(np.add.accumulate, tangent="linear", kind=ufunc_accumulation(np.add.accumulate),
      samples=[sample(REAL(3, 2)), sample(REAL(3, 2), 1)])
def add_accumulate(ct, out, array, axis=0, dtype=None):
    return np.flip(np.cumsum(np.flip(ct, axis), axis=axis), axis)


# --- functions that skip NaN ----------------------------------------------------------------------------

@rule(np.nanprod, folds="*", drops="weighted", nan_aware=True, kind=reduction_kind(np.nanprod), samples=over_axes(NONZERO))
def nanprod(ct, out, a, axis=None, dtype=None, keepdims=False):
    missing = np.isnan(a)
    others = conj(product_of_others(np.where(missing, 1.0, a), axis))
    if axis is None or keepdims or ndim(a) == 0:
        return np.where(missing, 0.0, ct * others)
    return np.where(missing, 0.0, np.expand_dims(ct, axis) * others)


@rule(np.nancumsum, folds="+", running=True, drops="weighted", nan_aware=True, kind=accumulation_kind(np.nancumsum),
      samples=[sample(REAL(3, 4)), sample(REAL(3, 4), axis=0)])
def nancumsum(ct, out, a, axis=None, dtype=None):
    if axis is None or ndim(a) == 0:
        return np.where(np.isnan(a), 0.0, np.reshape(np.cumsum(ct[::-1])[::-1], np.shape(a)))
    return np.where(np.isnan(a), 0.0, np.flip(np.cumsum(np.flip(ct, axis), axis=axis), axis))
