"""Sums, means and extrema along axes."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.kinds import ANY, INT, Const, Kind, Num, as_num, results, times
from sourcegrad.kinds.results import Unknown, array, constant, dtype_of, normalized, numeric, reduced_dims
from sourcegrad.primitives.core import (
    COMPLEX,
    DISTINCT,
    LENGTH,
    NONZERO,
    POSITIVE,
    REAL,
    conj,
    constant_value,
    declare,
    describe,
    is_complex,
    jvp,
    ndim,
    nondifferentiable,
    part,
    rule,
    sample,
)
from sourcegrad.runtime import (
    along_axis,
    axis_size,
    broadcast_like,
    divide_or_zero,
    freedom_of,
    length_along,
    mean_at_extremum,
    numpy_library,
    product_of_others,
    refuse,
    route_to_extremum,
    unbroadcast,
)


def reduction_kind(function: Callable) -> Callable:
    """Kind function of `function(a, axis=None, ..., keepdims=False)`."""

    def kind(a: Kind, axis: Kind | None = None, *more: Kind, dtype: Kind | None = None,
             keepdims: Kind | None = None, **__: Kind) -> Kind:
        if any(option != Const(None) for option in more):
            raise Unknown                             # `dtype`, `out`, `keepdims` by position
        a = as_num(a)
        if not isinstance(a, Num):                    # a list of numbers
            if constant(axis) is None and not constant(keepdims, False):
                return array(None, ())
            return ANY
        dims = reduced_dims(a.dims, axis, keepdims)
        return array(dtype_of(function, a, option=dtype), dims)

    return kind


def average_kind(a: Kind, axis: Kind | None = None, weights: Kind | None = None, returned: Kind | None = None,
            keepdims: Kind | None = None) -> Kind:
    if constant(returned, False):
        raise Unknown
    a = numeric(a)
    dims = reduced_dims(a.dims, axis, keepdims)
    if weights is None or weights == Const(None):
        return array(dtype_of(np.average, a), dims)
    return array(dtype_of(_weighted, a, numeric(weights)), dims)


def _weighted(a: Any, weights: Any) -> Any:
    return np.average(np.ravel(a), weights=np.ravel(weights))


def ufunc_reduction(function: Callable) -> Callable:
    """Kind function of `ufunc.reduce(array, axis=0, dtype=None, keepdims=False)`."""
    reduced = reduction_kind(function)

    def kind(array: Kind, axis: Kind | None = Const(0), dtype: Kind | None = None, **options: Kind) -> Kind:
        return reduced(array, axis, dtype=dtype, **options)

    return kind


# --- rows ------------------------------------------------------------------------------------------------

def along_axis_kind(values: Kind, a: Kind, axis: Kind) -> Kind:
    own, model = numeric(values), numeric(a)
    if own.dims is None or model.dims is None:
        return Num(own.dtype)
    if len(own.dims) == len(model.dims):
        return own
    axes = normalized(constant(axis), len(model.dims))
    return Num(own.dtype, tuple(dim if k in axes else 1 for k, dim in enumerate(model.dims)), True)


def axis_size_kind(a: Kind, axis: Kind) -> Kind:
    """How many elements a reduction combines: a size, if it is one that is known."""
    values = as_num(a)
    try:
        if not isinstance(values, Num) or values.dims is None:
            return INT
        size = times(*(values.dims[k] for k in normalized(constant(axis), len(values.dims))))
    except Unknown:
        return INT
    return Const(size) if isinstance(size, int) else Num("pyint", (), False, size)

nondifferentiable(axis_size, shaped=0, kind=axis_size_kind)
nondifferentiable(freedom_of, kind=results.shaped_like(0))
nondifferentiable(length_along, kind=lambda x, axis: INT)


def over_axes(domain, *shapes):
    """Samples of a reduction: all forms of `axis`, with and without `keepdims`."""
    return [sample(domain(), ), sample(domain(3, 4)), sample(domain(3, 4), keepdims=True), sample(domain(1)),
            sample(domain(3, 4), axis=0), sample(domain(3, 4), axis=-1, keepdims=True),
            sample(domain(2, 1), axis=1),
            sample(domain(2, 3, 4), axis=(0, 2)), sample(domain(2, 3, 4), axis=(-1, 1), keepdims=True),
            *(sample(domain(*shape), axis=0) for shape in shapes)]


# --- sums and means -------------------------------------------------------------------------------------

@rule(np.sum, tangent="linear", adds=("initial",), folds="+", linear=True, real="kept", kind=reduction_kind(np.sum),
      samples=[*over_axes(REAL, (0,), (0, 3)),
                                                       sample(COMPLEX(3, 2), axis=1), sample(REAL(3, 2), axis=0, initial=2.0)])
def sum(ct, out, a, axis=None, dtype=None, keepdims=False, initial=0.0):
    """Every summand receives the adjoint of its sum."""
    if axis is None or keepdims:
        return broadcast_like(ct, a)
    return broadcast_like(np.expand_dims(ct, axis), a)


@rule(np.mean, tangent="linear", folds="mean", real="kept", kind=reduction_kind(np.mean),
      samples=[*over_axes(REAL), sample(COMPLEX(3, 2), axis=1)])
def mean(ct, out, a, axis=None, dtype=None, keepdims=False):
    """out = sum(a) / n; there is nothing to share where n is 0"""
    if ndim(a) == 0:
        return ct
    if axis is None:
        return broadcast_like(ct / max(np.size(a), 1), a)
    if isinstance(axis, int):
        if keepdims:
            return broadcast_like(ct / max(a.shape[axis], 1), a)
        return broadcast_like(np.expand_dims(ct / max(a.shape[axis], 1), axis), a)
    if keepdims:
        return broadcast_like(ct / max(axis_size(a, axis), 1), a)
    return broadcast_like(np.expand_dims(ct / max(axis_size(a, axis), 1), axis), a)


@part
def deviations(weight, a, axis, ddof, keepdims, correction):
    """weight (a - mean(a)) / (n - ddof); nan where n is ddof"""
    if correction is not None:
        freedom = freedom_of(axis_size(a, axis), correction)
    elif ddof != 0:
        freedom = freedom_of(axis_size(a, axis), ddof)
    elif axis is None:
        freedom = max(np.size(a), 1)
    elif isinstance(axis, int):
        freedom = max(a.shape[axis], 1)
    else:
        freedom = max(axis_size(a, axis), 1)
    scaled = weight / freedom
    if axis is None:
        return scaled * (a - np.mean(a))
    if keepdims:
        return scaled * (a - np.mean(a, axis=axis, keepdims=True))
    return np.expand_dims(scaled, axis) * (a - np.mean(a, axis=axis, keepdims=True))


@rule(np.var, range=LENGTH, real="always", kind=reduction_kind(np.var), samples=[
    *over_axes(REAL), sample(REAL(3, 4), axis=1, ddof=1), sample(REAL(5), ddof=1),
    sample(COMPLEX(3, 2), axis=1)])
def var(ct, out, a, axis=None, dtype=None, ddof=0, keepdims=False, correction=None):
    """out = sum(|a - mean(a)|^2) / (n - ddof); the mean does not contribute: deviations sum to 0"""
    weight = 2.0 * ct
    return deviations(weight, a, axis, ddof, keepdims, correction)


@jvp(np.var)
def var_tangent(dot, out, a, axis=None, dtype=None, ddof=0, keepdims=False, correction=None):
    """Twice the mean of the tangents times deviations; the mean does not contribute"""
    if is_complex(a) is False and constant_value(ddof) == 0 and correction is None:
        return 2.0 * np.mean((a - np.mean(a, axis=axis, keepdims=True)) * dot, axis=axis, keepdims=keepdims)
    return NotImplemented


@rule(np.std, range=LENGTH, real="always", kind=reduction_kind(np.std), singular=True, samples=[
    sample(DISTINCT(3, 4)), sample(DISTINCT(3, 4), axis=0), sample(DISTINCT(3, 4), axis=-1, keepdims=True),
    sample(DISTINCT(2, 3, 4), axis=(0, 2), ddof=1), sample(DISTINCT(4), ddof=1),
    sample(COMPLEX(3, 2), axis=1)])
def std(ct, out, a, axis=None, dtype=None, ddof=0, keepdims=False, correction=None):
    """out = sqrt(var(a)); gradient 0 where out is 0"""
    weight = divide_or_zero(ct, out)
    return deviations(weight, a, axis, ddof, keepdims, correction)


@jvp(np.std)
def std_tangent(dot, out, a, axis=None, dtype=None, ddof=0, keepdims=False, correction=None):
    """The mean of the tangents times deviations, by the deviation; 0 where that is 0"""
    if is_complex(a) is False and constant_value(ddof) == 0 and correction is None:
        return divide_or_zero(np.mean((a - np.mean(a, axis=axis, keepdims=True)) * dot, axis=axis, keepdims=keepdims), out)
    return NotImplemented


@rule(np.average, multiplies=True, real="kept", kind=average_kind, samples=[
    sample(REAL(3)), sample(REAL(3, 4), axis=1), sample(REAL(4), None, POSITIVE(4)),
    sample(REAL(3, 4), None, POSITIVE(3, 4)), sample(REAL(3, 4), 1, POSITIVE(4)),
    sample(REAL(3, 4), 0, POSITIVE(3)),
    sample(REAL(3, 4), 1, POSITIVE(3, 4), keepdims=True), sample(COMPLEX(3, 4), -2, POSITIVE(3))])
def average(ct, out, a, axis=None, weights=None, returned=False, keepdims=False):
    """out = sum(a w) / sum(w)"""
    if returned:
        return (refuse("np.average(..., returned=True) has no derivative rule", "Use np.sum(weights) for the second value."),
                None, refuse("np.average(..., returned=True) has no derivative rule", "Use np.sum(weights) for the second value."))
    if weights is None:
        if ndim(a) == 0:
            return ct
        if axis is None:
            return broadcast_like(ct / max(np.size(a), 1), a)
        if keepdims:
            return broadcast_like(ct / max(axis_size(a, axis), 1), a)
        return broadcast_like(np.expand_dims(ct / max(axis_size(a, axis), 1), axis), a)
    if axis is None:
        scaled_all = ct / conj(np.sum(weights))
        return scaled_all * conj(weights), None, scaled_all * conj(a - out)
    aligned = along_axis(weights, a, axis)
    if keepdims:
        scaled = ct / conj(np.sum(aligned, axis=axis, keepdims=True))
        return scaled * conj(aligned), None, np.reshape(unbroadcast(scaled * conj(a - out), aligned),
                                                        np.shape(weights))
    spread = np.expand_dims(ct, axis) / conj(np.sum(aligned, axis=axis, keepdims=True))
    return (spread * conj(aligned), None,
            np.reshape(unbroadcast(spread * conj(a - np.expand_dims(out, axis)), aligned),
                       np.shape(weights)))


@rule(along_axis, tangent="linear", kind=along_axis_kind,
      samples=[sample(REAL(3), REAL(2, 3, 4), 1), sample(REAL(2, 3), REAL(2, 3), 0)])
def along_axis_rule(ct, out, values, a, axis):
    return np.reshape(ct, np.shape(values))


@rule(divide_or_zero, result="new", real="kept", elementwise=True, samples=[(REAL, NONZERO)])
def divide_or_zero_rule(ct, out, x, y):
    """out = x / y, 0 where y is 0: there all derivatives are 0"""
    scaled = divide_or_zero(ct, conj(y))
    return scaled, -scaled * conj(out)


# --- extrema --------------------------------------------------------------------------------------------

INITIAL = [sample(DISTINCT(4), initial=0.1), sample(DISTINCT(3, 4), axis=1, initial=0.1), sample(DISTINCT(0), initial=0.1)]


declare("reduce", {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min, np.logical_and: np.all,
                   np.logical_or: np.any})
declare("accumulate", {np.add: np.cumsum, np.multiply: np.cumprod, np.maximum: numpy_library.running_maximum,
                       np.minimum: numpy_library.running_minimum})
describe(np.max, np.amax, folds="max", selects=(0,))
describe(np.min, np.amin, folds="min", selects=(0,))
describe(np.nanmax, np.nanmin, nan_aware=True)


@rule(np.max, np.amax, np.nanmax, drops="chosen", real="kept", kind=reduction_kind(np.max),
      samples=[*over_axes(DISTINCT), *INITIAL])
def greatest(ct, out, a, axis=None, keepdims=False, initial=None):
    """The adjoint goes to the greatest element, in equal shares if there are several (as PyTorch's amax)."""
    if axis is None or keepdims:
        return route_to_extremum(ct, out, a)
    return route_to_extremum(np.expand_dims(ct, axis), np.expand_dims(out, axis), a)


@rule(np.min, np.amin, np.nanmin, drops="chosen", real="kept", kind=reduction_kind(np.min),
      samples=[*over_axes(DISTINCT), *INITIAL])
def least(ct, out, a, axis=None, keepdims=False, initial=None):
    """As `greatest`."""
    if axis is None or keepdims:
        return route_to_extremum(ct, out, a)
    return route_to_extremum(np.expand_dims(ct, axis), np.expand_dims(out, axis), a)


@jvp(np.max, np.amax, np.nanmax, np.min, np.amin, np.nanmin)
def extremum_tangent(dot, out, a, axis=None, keepdims=False, initial=None):
    """The tangent of the extreme element; the mean of theirs, if there are several."""
    if axis is None or keepdims:
        return mean_at_extremum(dot, out, a)
    return np.reshape(mean_at_extremum(dot, np.expand_dims(out, axis), a), np.shape(out))


@rule(np.ptp, real="kept", kind=reduction_kind(np.ptp), samples=over_axes(DISTINCT)[1:])
def ptp(ct, out, a, axis=None, keepdims=False):
    """out = max(a) - min(a)"""
    high = np.max(a, axis=axis, keepdims=True)
    low = np.min(a, axis=axis, keepdims=True)
    if axis is None or keepdims:
        return route_to_extremum(ct, high, a) - route_to_extremum(ct, low, a)
    spread = np.expand_dims(ct, axis)
    return route_to_extremum(spread, high, a) - route_to_extremum(spread, low, a)


@jvp(np.ptp)
def ptp_tangent(dot, out, a, axis=None, keepdims=False):
    """The tangent of the greatest element minus that of the least."""
    high = np.max(a, axis=axis, keepdims=True)
    low = np.min(a, axis=axis, keepdims=True)
    return np.reshape(mean_at_extremum(dot, high, a) - mean_at_extremum(dot, low, a), np.shape(out))


@rule(route_to_extremum, tangent="linear", result="new", kind=results.shaped_like(2), samples=[
    sample(REAL(), 4.0, np.array([1.0, 4.0, 4.0])), sample(REAL(2, 1), np.array([[1.0], [3.0]]),
                                                           np.array([[1.0, 0.0], [3.0, 3.0]]))])
def route_to_extremum_rule(ct, out, w, extremum, a):
    """Linear in w; which elements are extreme is locally constant."""
    return mean_at_extremum(ct, extremum, a), None, None


@rule(mean_at_extremum, tangent="linear", kind=results.shaped_like(1), samples=[
    sample(REAL(3), 4.0, np.array([1.0, 4.0, 4.0])), sample(REAL(2, 2), np.array([[3.0, 1.0]]),
                                                            np.array([[1.0, 1.0], [3.0, 1.0]]))])
def mean_at_extremum_rule(ct, out, x, extremum, a):
    return route_to_extremum(ct, extremum, a), None, None


# --- ufunc.reduce and accumulate (axis defaults to 0) ---------------------------------------------------

REDUCTIONS = [sample(DISTINCT(3)), sample(DISTINCT(3, 2)), sample(DISTINCT(3, 2), 1),
              sample(DISTINCT(3, 2), None),
              sample(DISTINCT(2, 3, 2), (0, 2)), sample(DISTINCT(3, 2), keepdims=True)]


@rule(np.add.reduce, tangent="linear", kind=ufunc_reduction(np.add.reduce), samples=REDUCTIONS)
def add_reduce(ct, out, array, axis=0, dtype=None, keepdims=False):
    if axis is None or keepdims:
        return broadcast_like(ct, array)
    return broadcast_like(np.expand_dims(ct, axis), array)


@rule(np.multiply.reduce, folds="*", kind=ufunc_reduction(np.multiply.reduce), samples=REDUCTIONS)
def multiply_reduce(ct, out, array, axis=0, dtype=None, keepdims=False):
    if axis is None or keepdims:
        return ct * conj(product_of_others(array, axis))
    return np.expand_dims(ct, axis) * conj(product_of_others(array, axis))


@rule(np.maximum.reduce, np.minimum.reduce, kind=ufunc_reduction(np.maximum.reduce), samples=REDUCTIONS)
def extremum_reduce(ct, out, array, axis=0, dtype=None, keepdims=False):
    if axis is None or keepdims:
        return route_to_extremum(ct, out, array)
    return route_to_extremum(np.expand_dims(ct, axis), np.expand_dims(out, axis), array)


@rule(np.logaddexp.reduce, kind=ufunc_reduction(np.logaddexp.reduce), samples=REDUCTIONS)
def logaddexp_reduce(ct, out, array, axis=0, dtype=None, keepdims=False):
    """out = log(sum(exp(array))); 0 for all where out is -inf"""
    finite = np.maximum(out, -1e38)
    if axis is None or keepdims or ndim(array) == 0:
        return ct * np.exp(array - finite)
    return np.expand_dims(ct, axis) * np.exp(array - np.expand_dims(finite, axis))


# --- functions that skip NaN ----------------------------------------------------------------------------

GAPPY = np.array([[1.0, np.nan, 3.0], [2.0, 5.0, np.nan]])


@rule(np.nansum, folds="+", drops="weighted", nan_aware=True, kind=reduction_kind(np.nansum), samples=over_axes(REAL))
def nansum(ct, out, a, axis=None, dtype=None, keepdims=False):
    if axis is None or keepdims or ndim(a) == 0:
        return np.where(np.isnan(a), 0.0, ct)
    return np.where(np.isnan(a), 0.0, np.expand_dims(ct, axis))


@rule(np.nanmean, drops="weighted", nan_aware=True, kind=reduction_kind(np.nanmean), samples=over_axes(REAL))
def nanmean(ct, out, a, axis=None, dtype=None, keepdims=False):
    missing = np.isnan(a)
    count = np.sum(~missing, axis=axis, keepdims=keepdims, dtype=np.result_type(a))
    if axis is None or keepdims or ndim(a) == 0:
        return np.where(missing, 0.0, ct / np.maximum(count, 1))
    return np.where(missing, 0.0, np.expand_dims(ct / np.maximum(count, 1), axis))


@rule(np.nanvar, drops="weighted", nan_aware=True, real="always", kind=reduction_kind(np.nanvar), samples=over_axes(REAL)[1:])
def nanvar(ct, out, a, axis=None, dtype=None, ddof=0, keepdims=False):
    missing = np.isnan(a)
    count = np.sum(~missing, axis=axis, keepdims=keepdims, dtype=np.result_type(a))
    scaled = 2.0 * ct / freedom_of(count, ddof)
    deviation = np.where(missing, 0.0, a - np.nanmean(a, axis=axis, keepdims=True))
    if axis is None or keepdims or ndim(a) == 0:
        return scaled * deviation
    return np.expand_dims(scaled, axis) * deviation


@rule(np.nanstd, drops="weighted", nan_aware=True, real="always", kind=reduction_kind(np.nanstd), singular=True, samples=[
    sample(DISTINCT(3, 4)), sample(DISTINCT(3, 4), axis=0),
    sample(DISTINCT(2, 3, 4), axis=(0, 2), keepdims=True)])
def nanstd(ct, out, a, axis=None, dtype=None, ddof=0, keepdims=False):
    missing = np.isnan(a)
    count = np.sum(~missing, axis=axis, keepdims=keepdims, dtype=np.result_type(a))
    scaled = divide_or_zero(ct, out) / freedom_of(count, ddof)
    deviation = np.where(missing, 0.0, a - np.nanmean(a, axis=axis, keepdims=True))
    if axis is None or keepdims or ndim(a) == 0:
        return scaled * deviation
    return np.expand_dims(scaled, axis) * deviation
