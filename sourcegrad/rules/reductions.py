"""Sums, means, extrema, products, accumulations and order statistics along axes."""
from __future__ import annotations

import numpy as np

from sourcegrad.kinds import INT
from sourcegrad.rules import reduction_kinds, result_kinds as kind_of
from sourcegrad.rules.core import (
    COMPLEX,
    DISTINCT,
    NONZERO,
    POSITIVE,
    REAL,
    conj,
    constant_value,
    ndim,
    nondifferentiable,
    part,
    rule,
    sample,
)
from sourcegrad.runtime import (
    along_axis,
    as_rows,
    axis_size,
    broadcast_like,
    diff_adjoint,
    divide_or_zero,
    from_rows,
    length_along,
    mean_at_extremum,
    pair_sums,
    pair_sums_adjoint,
    product_of_others,
    recurrence,
    refuse,
    route_to_extremum,
    route_to_quantile,
    shifted,
    slice_along,
    slice_along_adjoint,
    slope_at_quantile,
    spread_of_places,
    sum_to_places,
    unbroadcast,
    value_at_quantile,
)

nondifferentiable(axis_size, kind=reduction_kinds.axis_size)
nondifferentiable(length_along, kind=lambda x, axis: INT)


def over_axes(domain, *shapes):
    """Samples of a reduction: all forms of `axis`, with and without `keepdims`."""
    return [sample(domain(), ), sample(domain(3, 4)), sample(domain(3, 4), keepdims=True), sample(domain(1)),
            sample(domain(3, 4), axis=0), sample(domain(3, 4), axis=-1, keepdims=True),
            sample(domain(2, 1), axis=1),
            sample(domain(2, 3, 4), axis=(0, 2)), sample(domain(2, 3, 4), axis=(-1, 1), keepdims=True),
            *(sample(domain(*shape), axis=0) for shape in shapes)]


# --- sums and means -------------------------------------------------------------------------------------

@rule(np.sum, kind=kind_of.reduction(np.sum), samples=[*over_axes(REAL, (0,), (0, 3)),
                                                       sample(COMPLEX(3, 2), axis=1), sample(REAL(3, 2), axis=0, initial=2.0)])
def sum(ct, out, a, axis=None, dtype=None, keepdims=False, initial=0.0):
    """Every summand receives the adjoint of its sum."""
    if axis is None or keepdims:
        return broadcast_like(ct, a)
    return broadcast_like(np.expand_dims(ct, axis), a)


@rule(np.mean, kind=kind_of.reduction(np.mean), samples=[*over_axes(REAL), sample(COMPLEX(3, 2), axis=1)])
def mean(ct, out, a, axis=None, dtype=None, keepdims=False):
    """out = sum(a) / n"""
    if ndim(a) == 0:
        return ct
    if axis is None:
        return broadcast_like(ct / np.size(a), a)
    if isinstance(axis, int):
        if keepdims:
            return broadcast_like(ct / a.shape[axis], a)
        return broadcast_like(np.expand_dims(ct / a.shape[axis], axis), a)
    if keepdims:
        return broadcast_like(ct / axis_size(a, axis), a)
    return broadcast_like(np.expand_dims(ct / axis_size(a, axis), axis), a)


@part
def deviations(weight, a, axis, ddof, keepdims, correction):
    """weight (a - mean(a)) / (n - ddof)"""
    if correction is not None:
        freedom = axis_size(a, axis) - correction
    elif ddof != 0:
        freedom = axis_size(a, axis) - ddof
    elif axis is None:
        freedom = np.size(a)
    elif isinstance(axis, int):
        freedom = a.shape[axis]
    else:
        freedom = axis_size(a, axis)
    scaled = weight / freedom
    if axis is None:
        return scaled * (a - np.mean(a))
    if keepdims:
        return scaled * (a - np.mean(a, axis=axis, keepdims=True))
    return np.expand_dims(scaled, axis) * (a - np.mean(a, axis=axis, keepdims=True))


@rule(np.var, kind=kind_of.reduction(np.var), samples=[
    *over_axes(REAL), sample(REAL(3, 4), axis=1, ddof=1), sample(REAL(5), ddof=1),
    sample(COMPLEX(3, 2), axis=1)])
def var(ct, out, a, axis=None, dtype=None, ddof=0, keepdims=False, correction=None):
    """out = sum(|a - mean(a)|^2) / (n - ddof); the mean does not contribute: deviations sum to 0"""
    weight = 2.0 * ct
    return deviations(weight, a, axis, ddof, keepdims, correction)


@rule(np.std, kind=kind_of.reduction(np.std), singular=True, samples=[
    sample(DISTINCT(3, 4)), sample(DISTINCT(3, 4), axis=0), sample(DISTINCT(3, 4), axis=-1, keepdims=True),
    sample(DISTINCT(2, 3, 4), axis=(0, 2), ddof=1), sample(DISTINCT(4), ddof=1),
    sample(COMPLEX(3, 2), axis=1)])
def std(ct, out, a, axis=None, dtype=None, ddof=0, keepdims=False, correction=None):
    """out = sqrt(var(a)); gradient 0 where out is 0"""
    weight = divide_or_zero(ct, out)
    return deviations(weight, a, axis, ddof, keepdims, correction)


@rule(np.average, kind=kind_of.average, samples=[
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
            return broadcast_like(ct / np.size(a), a)
        if keepdims:
            return broadcast_like(ct / axis_size(a, axis), a)
        return broadcast_like(np.expand_dims(ct / axis_size(a, axis), axis), a)
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


@rule(along_axis, kind=reduction_kinds.along_axis, samples=[sample(REAL(3), REAL(2, 3, 4), 1), sample(REAL(2, 3), REAL(2, 3), 0)])
def along_axis_rule(ct, out, values, a, axis):
    return np.reshape(ct, np.shape(values))


@rule(divide_or_zero, elementwise=True, samples=[(REAL, NONZERO)])
def divide_or_zero_rule(ct, out, x, y):
    """out = x / y, 0 where y is 0: there all derivatives are 0"""
    scaled = divide_or_zero(ct, conj(y))
    return scaled, -scaled * conj(out)


# --- extrema --------------------------------------------------------------------------------------------

INITIAL = [sample(DISTINCT(4), initial=0.1), sample(DISTINCT(3, 4), axis=1, initial=0.1), sample(DISTINCT(0), initial=0.1)]


@rule(np.max, np.amax, np.nanmax, kind=kind_of.reduction(np.max), samples=[*over_axes(DISTINCT), *INITIAL])
def max(ct, out, a, axis=None, keepdims=False, initial=None):
    """The adjoint goes to the greatest element, in equal shares if there are several (as PyTorch's amax)."""
    if axis is None or keepdims:
        return route_to_extremum(ct, out, a)
    return route_to_extremum(np.expand_dims(ct, axis), np.expand_dims(out, axis), a)


@rule(np.min, np.amin, np.nanmin, kind=kind_of.reduction(np.min), samples=[*over_axes(DISTINCT), *INITIAL])
def min(ct, out, a, axis=None, keepdims=False, initial=None):
    """As `max`."""
    if axis is None or keepdims:
        return route_to_extremum(ct, out, a)
    return route_to_extremum(np.expand_dims(ct, axis), np.expand_dims(out, axis), a)


@rule(np.ptp, kind=kind_of.reduction(np.ptp), samples=over_axes(DISTINCT)[1:])
def ptp(ct, out, a, axis=None, keepdims=False):
    """out = max(a) - min(a)"""
    high = np.max(a, axis=axis, keepdims=True)
    low = np.min(a, axis=axis, keepdims=True)
    if axis is None or keepdims:
        return route_to_extremum(ct, high, a) - route_to_extremum(ct, low, a)
    spread = np.expand_dims(ct, axis)
    return route_to_extremum(spread, high, a) - route_to_extremum(spread, low, a)


@rule(route_to_extremum, kind=kind_of.shaped_like(2), samples=[
    sample(REAL(), 4.0, np.array([1.0, 4.0, 4.0])), sample(REAL(2, 1), np.array([[1.0], [3.0]]),
                                                           np.array([[1.0, 0.0], [3.0, 3.0]]))])
def route_to_extremum_rule(ct, out, w, extremum, a):
    """Linear in w; which elements are extreme is locally constant."""
    return mean_at_extremum(ct, extremum, a), None, None


@rule(mean_at_extremum, kind=kind_of.shaped_like(1), samples=[
    sample(REAL(3), 4.0, np.array([1.0, 4.0, 4.0])), sample(REAL(2, 2), np.array([[3.0, 1.0]]),
                                                            np.array([[1.0, 1.0], [3.0, 1.0]]))])
def mean_at_extremum_rule(ct, out, x, extremum, a):
    return route_to_extremum(ct, extremum, a), None, None


# --- prod, cumsum, cumprod ------------------------------------------------------------------------------

WITH_ZEROS = [np.array([[1.5, 0.0, 2.0], [0.0, 3.0, 0.0], [1.0, 0.5, 2.0]]), np.array([0.0, 2.0, 3.0])]


@rule(np.prod, kind=kind_of.reduction(np.prod), samples=[
    *over_axes(NONZERO, (0,)), sample(COMPLEX(3, 2), axis=1), *(sample(a, axis=0) for a in WITH_ZEROS),
    sample(WITH_ZEROS[0], axis=(0, 1)), sample(WITH_ZEROS[1])])
def prod(ct, out, a, axis=None, dtype=None, keepdims=False):
    """d out / d a[i] is the product of all others, right also where elements are 0."""
    if axis is None:
        return ct * conj(product_of_others(a))
    if keepdims:
        return ct * conj(product_of_others(a, axis))
    return np.expand_dims(ct, axis) * conj(product_of_others(a, axis))


@rule(product_of_others, kind=reduction_kinds.product_of_others, samples=[
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


@rule(np.cumsum, kind=kind_of.accumulation(np.cumsum), samples=[
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


@rule(np.cumprod, kind=kind_of.accumulation(np.cumprod), samples=[
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


@rule(recurrence, kind=kind_of.shaped_like(1, 0, 1), samples=[
    sample(REAL(3), REAL(4)), sample(REAL(2, 3), REAL(2, 4), True), sample(COMPLEX(2, 2), COMPLEX(2, 3))])
def recurrence_rule(ct, out, c, b, reverse=False):
    """The adjoint of a linear recurrence is the recurrence in the other direction."""
    if reverse:
        from_start = recurrence(conj(c), ct)
        return conj(out[..., 1:]) * from_start[..., :-1], from_start
    from_end = recurrence(conj(c), ct, True)
    return conj(out[..., :-1]) * from_end[..., 1:], from_end


@rule(shifted, kind=kind_of.same_as_first, samples=[sample(REAL(2, 3), 1, 1.0), sample(REAL(3), -1, 0.0)])
def shifted_rule(ct, out, rows, by, fill):
    return shifted(ct, -by, 0.0)


@rule(as_rows, kind=reduction_kinds.as_rows,
      samples=[sample(REAL(2, 3, 4), 1), sample(REAL(2, 3, 4), (2, 0)), sample(REAL(2, 3), None)])
def as_rows_rule(ct, out, x, axis):
    return from_rows(ct, x, axis)


@rule(from_rows, kind=kind_of.shaped_like(1), samples=[
    sample(REAL(2, 4, 3), REAL(2, 3, 4), 1), sample(REAL(3, 8), REAL(2, 3, 4), (2, 0))])
def from_rows_rule(ct, out, rows, x, axis):
    return as_rows(ct, axis), None


# --- ufunc.reduce and accumulate (axis defaults to 0) ---------------------------------------------------

REDUCTIONS = [sample(DISTINCT(3)), sample(DISTINCT(3, 2)), sample(DISTINCT(3, 2), 1),
              sample(DISTINCT(3, 2), None),
              sample(DISTINCT(2, 3, 2), (0, 2)), sample(DISTINCT(3, 2), keepdims=True)]


@rule(np.add.reduce, kind=kind_of.ufunc_reduction(np.add.reduce), samples=REDUCTIONS)
def add_reduce(ct, out, array, axis=0, dtype=None, keepdims=False):
    if axis is None or keepdims:
        return broadcast_like(ct, array)
    return broadcast_like(np.expand_dims(ct, axis), array)


@rule(np.multiply.reduce, kind=kind_of.ufunc_reduction(np.multiply.reduce), samples=REDUCTIONS)
def multiply_reduce(ct, out, array, axis=0, dtype=None, keepdims=False):
    if axis is None or keepdims:
        return ct * conj(product_of_others(array, axis))
    return np.expand_dims(ct, axis) * conj(product_of_others(array, axis))


@rule(np.maximum.reduce, np.minimum.reduce, kind=kind_of.ufunc_reduction(np.maximum.reduce), samples=REDUCTIONS)
def extremum_reduce(ct, out, array, axis=0, dtype=None, keepdims=False):
    if axis is None or keepdims:
        return route_to_extremum(ct, out, array)
    return route_to_extremum(np.expand_dims(ct, axis), np.expand_dims(out, axis), array)


@rule(np.logaddexp.reduce, kind=kind_of.ufunc_reduction(np.logaddexp.reduce), samples=REDUCTIONS)
def logaddexp_reduce(ct, out, array, axis=0, dtype=None, keepdims=False):
    """out = log(sum(exp(array)))"""
    if axis is None or keepdims or ndim(array) == 0:
        return ct * np.exp(array - out)
    return np.expand_dims(ct, axis) * np.exp(array - np.expand_dims(out, axis))


@rule(np.add.accumulate, kind=kind_of.ufunc_accumulation(np.add.accumulate), samples=[sample(REAL(3, 2)), sample(REAL(3, 2), 1)])
def add_accumulate(ct, out, array, axis=0, dtype=None):
    return np.flip(np.cumsum(np.flip(ct, axis), axis=axis), axis)


# --- functions that skip NaN ----------------------------------------------------------------------------

GAPPY = np.array([[1.0, np.nan, 3.0], [2.0, 5.0, np.nan]])


@rule(np.nansum, kind=kind_of.reduction(np.nansum), samples=over_axes(REAL))
def nansum(ct, out, a, axis=None, dtype=None, keepdims=False):
    if axis is None or keepdims or ndim(a) == 0:
        return np.where(np.isnan(a), 0.0, ct)
    return np.where(np.isnan(a), 0.0, np.expand_dims(ct, axis))


@rule(np.nanmean, kind=kind_of.reduction(np.nanmean), samples=over_axes(REAL))
def nanmean(ct, out, a, axis=None, dtype=None, keepdims=False):
    missing = np.isnan(a)
    count = np.sum(~missing, axis=axis, keepdims=keepdims, dtype=np.result_type(a))
    if axis is None or keepdims or ndim(a) == 0:
        return np.where(missing, 0.0, ct / count)
    return np.where(missing, 0.0, np.expand_dims(ct / count, axis))


@rule(np.nanvar, kind=kind_of.reduction(np.nanvar), samples=over_axes(REAL)[1:])
def nanvar(ct, out, a, axis=None, dtype=None, ddof=0, keepdims=False):
    missing = np.isnan(a)
    count = np.sum(~missing, axis=axis, keepdims=keepdims, dtype=np.result_type(a))
    scaled = 2.0 * ct / (count - ddof)
    deviation = np.where(missing, 0.0, a - np.nanmean(a, axis=axis, keepdims=True))
    if axis is None or keepdims or ndim(a) == 0:
        return scaled * deviation
    return np.expand_dims(scaled, axis) * deviation


@rule(np.nanstd, kind=kind_of.reduction(np.nanstd), singular=True, samples=[
    sample(DISTINCT(3, 4)), sample(DISTINCT(3, 4), axis=0),
    sample(DISTINCT(2, 3, 4), axis=(0, 2), keepdims=True)])
def nanstd(ct, out, a, axis=None, dtype=None, ddof=0, keepdims=False):
    missing = np.isnan(a)
    count = np.sum(~missing, axis=axis, keepdims=keepdims, dtype=np.result_type(a))
    scaled = divide_or_zero(ct, out) / (count - ddof)
    deviation = np.where(missing, 0.0, a - np.nanmean(a, axis=axis, keepdims=True))
    if axis is None or keepdims or ndim(a) == 0:
        return scaled * deviation
    return np.expand_dims(scaled, axis) * deviation


@rule(np.nanprod, kind=kind_of.reduction(np.nanprod), samples=over_axes(NONZERO))
def nanprod(ct, out, a, axis=None, dtype=None, keepdims=False):
    missing = np.isnan(a)
    others = conj(product_of_others(np.where(missing, 1.0, a), axis))
    if axis is None or keepdims or ndim(a) == 0:
        return np.where(missing, 0.0, ct * others)
    return np.where(missing, 0.0, np.expand_dims(ct, axis) * others)


@rule(np.nancumsum, kind=kind_of.accumulation(np.nancumsum),
      samples=[sample(REAL(3, 4)), sample(REAL(3, 4), axis=0)])
def nancumsum(ct, out, a, axis=None, dtype=None):
    if axis is None or ndim(a) == 0:
        return np.where(np.isnan(a), 0.0, np.reshape(np.cumsum(ct[::-1])[::-1], np.shape(a)))
    return np.where(np.isnan(a), 0.0, np.flip(np.cumsum(np.flip(ct, axis), axis=axis), axis))


# --- differences and the trapezoidal rule ---------------------------------------------------------------

@rule(np.diff, kind=reduction_kinds.diff, samples=[
    sample(REAL(4)), sample(REAL(5), 2), sample(REAL(3, 4), axis=0),
    sample(REAL(3, 4), 1, -1, REAL(), REAL(3, 2)),
    sample(REAL(4), 2, -1, REAL(2)), sample(REAL(2), 3), sample(REAL(0)), sample(REAL(3), 0, -1, REAL())])
def diff(ct, out, a, n=1, axis=-1, prepend=None, append=None):
    """Transposed differences: ct[i-1] - ct[i]."""
    if constant_value(n) == 0:
        return ct
    if prepend is None and append is None:
        return diff_adjoint(ct, n, axis, a.shape[axis])
    start = length_along(prepend, axis)
    stop = start + a.shape[axis]
    whole = diff_adjoint(ct, n, axis, stop + length_along(append, axis))
    inside = slice_along(whole, start, stop, axis)
    if append is None:
        return inside, None, None, unbroadcast(slice_along(whole, 0, start, axis), prepend)
    after = unbroadcast(slice_along(whole, stop, stop + length_along(append, axis), axis), append)
    if prepend is None:
        return inside, None, None, None, after
    return inside, None, None, unbroadcast(slice_along(whole, 0, start, axis), prepend), after


@rule(diff_adjoint, kind=reduction_kinds.diff_adjoint, samples=[
    sample(REAL(3), 1, -1, 4), sample(REAL(3, 4), 2, 0, 5), sample(REAL(0, 4), 3, 0, 2)])
def diff_adjoint_rule(ct, out, w, n, axis, size):
    return np.diff(ct, n, axis)


@rule(slice_along, kind=reduction_kinds.slice_along, samples=[sample(REAL(3, 4), 1, 3, 1)])
def slice_along_rule(ct, out, x, start, stop, axis):
    return slice_along_adjoint(ct, x, start, stop, axis)


@rule(slice_along_adjoint, kind=kind_of.shaped_like(1), samples=[sample(REAL(3, 2), REAL(3, 4), 1, 3, 1)])
def slice_along_adjoint_rule(ct, out, w, x, start, stop, axis):
    return slice_along(ct, start, stop, axis), None


def trapezoid(ct, out, y, x=None, dx=1.0, axis=-1):
    """out = sum of (y[i] + y[i+1]) / 2 times the step"""
    half = np.expand_dims(0.5 * ct, axis)
    sums = pair_sums(y, axis)
    if x is None:
        return (pair_sums_adjoint(broadcast_like(half * conj(dx), sums), axis, y.shape[axis]), None,
                unbroadcast(half * conj(sums), dx))
    aligned = along_axis(x, y, axis)
    steps = np.diff(aligned, axis=axis)
    return (pair_sums_adjoint(broadcast_like(half * conj(steps), sums), axis, y.shape[axis]),
            np.reshape(unbroadcast(diff_adjoint(half * conj(sums), 1, axis, y.shape[axis]), aligned), np.shape(x)))


TRAPEZOIDS = [sample(REAL(4)), sample(REAL(4), None, REAL()), sample(REAL(3, 4), None, 0.5, axis=0), sample(REAL(4), None, REAL(3)),
              sample(REAL(2, 4), None, REAL(3)),
              sample(REAL(4), POSITIVE(4)), sample(REAL(3, 4), POSITIVE(4)),
              sample(REAL(3, 4), POSITIVE(3, 4), axis=0),
              sample(REAL(3, 2), POSITIVE(3), axis=0)]
rule(*(getattr(np, name) for name in ("trapezoid", "trapz") if name in dir(np)),
     kind=reduction_kinds.trapezoid, samples=TRAPEZOIDS)(trapezoid)


@rule(pair_sums, kind=reduction_kinds.pair_sums, samples=[sample(REAL(3), -1), sample(REAL(3, 2), 0)])
def pair_sums_rule(ct, out, y, axis):
    return pair_sums_adjoint(ct, axis, y.shape[axis])


@rule(pair_sums_adjoint, kind=reduction_kinds.pair_sums_adjoint, samples=[
    sample(REAL(3), -1, 4), sample(REAL(3, 2), 0, 4), sample(REAL(0), 0, 0)])
def pair_sums_adjoint_rule(ct, out, w, axis, size):
    return pair_sums(ct, axis)


# --- order statistics -----------------------------------------------------------------------------------

@rule(np.median, kind=kind_of.reduction(np.median), samples=[*over_axes(DISTINCT), sample(DISTINCT(5))])
def median(ct, out, a, axis=None, keepdims=False):
    """The middle element, or the mean of the two middle ones."""
    return route_to_quantile(ct, a, 0.5, axis)


@rule(np.quantile, kind=reduction_kinds.quantile(np.quantile), samples=[
    sample(DISTINCT(5), 0.3), sample(DISTINCT(3, 4), 0.7, axis=1), sample(DISTINCT(2, 3, 4), 0.4, (0, 2)),
    sample(DISTINCT(3, 4), 0.1, 0, keepdims=True), sample(DISTINCT(1), 0.6),
    sample(DISTINCT(3, 4), [0.1, 0.4], 0), sample(DISTINCT(3, 4), (0.1, 0.6), (0, 1), keepdims=True)])
def quantile(ct, out, a, q, axis=None, keepdims=False):
    """Linear interpolation between the two order statistics around q (n - 1)."""
    slope = slope_at_quantile(a, a, q, axis)
    return route_to_quantile(ct, a, q, axis), sum_to_places(ct * np.reshape(slope, np.shape(ct)), q)


@rule(np.percentile, kind=reduction_kinds.quantile(np.percentile), samples=[
    sample(DISTINCT(5), 30.0), sample(DISTINCT(3, 4), 70.0, axis=1), sample(DISTINCT(2, 3, 4), 40.0, (0, 2)),
    sample(DISTINCT(5), [20.0, 60.0]), sample(DISTINCT(3, 4), np.array([30.0, 40.0, 90.0]), axis=1, keepdims=True)])
def percentile(ct, out, a, q, axis=None, keepdims=False):
    if ndim(q) == 0:
        place = q / 100.0
    else:
        place = np.divide(q, 100.0)
    slope = slope_at_quantile(a, a, place, axis)
    return route_to_quantile(ct, a, place, axis), sum_to_places(0.01 * ct * np.reshape(slope, np.shape(ct)), q)


@rule(route_to_quantile, kind=kind_of.shaped_like(1), samples=[
    sample(REAL(), DISTINCT(4), 0.4), sample(REAL(2, 1), DISTINCT(2, 5), 0.6, 1),
    sample(REAL(2, 3), DISTINCT(3, 5), [0.6, 0.2], 1)])
def route_to_quantile_rule(ct, out, w, a, q, axis=None):
    """Linear in w and, between two order statistics, in q."""
    slope = slope_at_quantile(ct, a, q, axis)
    return np.reshape(value_at_quantile(ct, a, q, axis), np.shape(w)), None, sum_to_places(w * np.reshape(slope, np.shape(w)), q)


@rule(value_at_quantile, kind=reduction_kinds.value_at_quantile, samples=[
    sample(REAL(4), DISTINCT(4), 0.4), sample(REAL(2, 5), DISTINCT(2, 5), 0.6, 1),
    sample(REAL(2, 5), DISTINCT(2, 5), [0.6, 0.3], 1)])
def value_at_quantile_rule(ct, out, x, a, q, axis=None):
    slope = slope_at_quantile(x, a, q, axis)
    return route_to_quantile(ct, a, q, axis), None, sum_to_places(ct * np.reshape(slope, np.shape(ct)), q)


@rule(slope_at_quantile, kind=reduction_kinds.slope_at_quantile, samples=[
    sample(REAL(4), DISTINCT(4), 0.4), sample(REAL(3, 4), DISTINCT(3, 4), [0.3, 0.9], 1)])
def slope_at_quantile_rule(ct, out, x, a, q, axis=None):
    """(n - 1) times the difference of the two order statistics; constant in q between them."""
    intervals = axis_size(a, axis) - 1
    low = np.floor(np.multiply(q, intervals))
    scaled = ct * intervals
    return (route_to_quantile(scaled, a, (low + 1.0) / intervals, axis) - route_to_quantile(scaled, a, low / intervals, axis),
            None)


@rule(sum_to_places, kind=reduction_kinds.sum_to_places, samples=[
    sample(REAL(3), 0.3), sample(REAL(2, 3), [0.3, 0.4]), sample(REAL(2), np.array([0.3, 0.4]))])
def sum_to_places_rule(ct, out, products, q):
    return spread_of_places(ct, products, q)


@rule(spread_of_places, kind=kind_of.shaped_like(1), samples=[
    sample(REAL(), np.zeros(3), 0.3), sample(REAL(2), np.zeros((2, 3)), np.array([0.3, 0.4]))])
def spread_of_places_rule(ct, out, w, products, q):
    return sum_to_places(ct, q)
