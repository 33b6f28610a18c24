"""Differences, the trapezoidal rule and order statistics (median, quantile): rules and kinds."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.kinds import Const, Kind, Num, less, many, results
from sourcegrad.kinds.results import Unknown, array, constant, dtype_of, leaf, normalized, numeric, reduced_dims, together
from sourcegrad.primitives import reductions
from sourcegrad.primitives.core import COMPLEX, DISTINCT, POSITIVE, REAL, conj, constant_value, describe, ndim, rule, sample
from sourcegrad.primitives.products import known
from sourcegrad.primitives.reductions import over_axes
from sourcegrad.runtime import (
    along_axis,
    axis_size,
    broadcast_like,
    diff_adjoint,
    freedom_of,
    length_along,
    pair_sums,
    pair_sums_adjoint,
    refuse,
    route_to_quantile,
    slice_along,
    slice_along_adjoint,
    slope_at_quantile,
    spread_of_places,
    sum_to_places,
    unbroadcast,
    value_at_quantile,
)


def _lengthened(dims: tuple | None, axis: Kind, amount: int | None) -> tuple | None:
    """Dimensions of which one has become longer by an amount (None: by some)."""
    if dims is None:
        return None
    (place,) = normalized(constant(axis), len(dims))
    return dims[:place] + (None if amount is None else less(dims[place], -amount),) + dims[place + 1:]


def _times(n: Kind) -> int | None:
    return n.value if isinstance(n, Const) and type(n.value) is int else None


# --- differences and neighbours --------------------------------------------------------------------------

def diff_kind(a: Kind, n: Kind = Const(1), axis: Kind = Const(-1), prepend: Kind = Const(None), append: Kind = Const(None)) -> Kind:
    values = numeric(a)
    count = _times(n)
    added = [leaf(other) for other in (prepend, append) if other != Const(None)]
    dtype = dtype_of(np.diff, Num(values.dtype, (1,), True)) if not added else None if values.dims is None else together(
        *(Num(num.dtype, (1,), True) for num in (values, *added)))
    dims = _lengthened(values.dims, axis, None if count is None or added else -count)
    if count == 0:
        return array(values.dtype, values.dims)
    return Num(dtype, dims, True)


def diff_adjoint_kind(ct: Kind, n: Kind, axis: Kind, size: Kind) -> Kind:
    values = numeric(ct)
    return array(values.dtype, _lengthened(values.dims, axis, None))                    # (of no elements, less longer)


def pair_sums_kind(y: Kind, axis: Kind) -> Kind:
    values = leaf(y)
    return Num(values.dtype, _lengthened(values.dims, axis, -1), True)


def pair_sums_adjoint_kind(ct: Kind, axis: Kind, size: Kind) -> Kind:
    values = leaf(ct)
    return Num(values.dtype, _lengthened(values.dims, axis, None), True)                # (of no elements, no longer)


def slice_along_kind(x: Kind, start: Kind, stop: Kind, axis: Kind) -> Kind:
    values = numeric(x)
    if values.dims is None:
        return values
    (place,) = normalized(constant(axis), len(values.dims))
    bounds = [bound.value if isinstance(bound, Const) else None for bound in (start, stop)]
    size = values.dims[place]
    known = isinstance(size, int) and None not in bounds
    part = len(range(size)[slice(*bounds)]) if known else None
    return array(values.dtype, values.dims[:place] + (part,) + values.dims[place + 1:])


def trapezoid_kind(y: Kind, x: Kind = Const(None), dx: Kind = Const(1.0), axis: Kind = Const(-1)) -> Kind:
    values = leaf(y)
    if x != Const(None):
        points = leaf(x)
        steps = Num(points.dtype, points.dims and (1,) * len(points.dims), True)
    else:
        steps = numeric(dx)
    dims = reduced_dims(values.dims, axis, None)
    return array(dtype_of(_areas, Num(values.dtype, values.dims and (1,) * len(values.dims), True), steps), dims)


def _areas(y: Any, steps: Any) -> Any:
    return (steps * (y + y) / 2.0).sum()


# --- order statistics ------------------------------------------------------------------------------------

def quantile_kind(function: Callable) -> Callable:
    """Kind function of `np.quantile(a, q, axis, keepdims=False)` and its like: one q, or an axis of them in front."""

    def along(a: Any, q: Any) -> Any:
        return function(a, q, axis=0)

    def kind(a: Kind, q: Kind, axis: Kind | None = None, *more: Kind, keepdims: Kind | None = None, **others: Kind) -> Kind:
        values, places = leaf(a), numeric(q)
        if more or others or places.dims is None:
            raise Unknown
        dims = reduced_dims(values.dims, axis, keepdims)
        if dims is None:
            return Num(None, None)
        size = 2 if dims else 1                              # whether numbers or arrays come out matters to the dtype
        return array(dtype_of(along, Num(values.dtype, (1,) * size, True), places), (*places.dims, *dims))

    return kind


def value_at_quantile_kind(x: Kind, a: Kind, q: Kind, axis: Kind | None = None) -> Kind:
    """An array, also where it has no axes."""
    values, places = leaf(x), numeric(q)
    dims = reduced_dims(numeric(a).dims, axis, None)
    return Num(dtype_of(_halved, Num(values.dtype, (1,), True)),
               None if places.dims is None or dims is None else (*places.dims, *dims), True)


def _halved(x: Any) -> Any:
    return 0.5 * x


def slope_at_quantile_kind(x: Kind, a: Kind, q: Kind, axis: Kind | None = None) -> Kind:
    values, places = leaf(x), numeric(q)
    dims = reduced_dims(numeric(a).dims, axis, None)
    return Num(values.dtype, None if places.dims is None or dims is None else (*places.dims, *dims), True)


def sum_to_places_kind(products: Kind, q: Kind) -> Kind:
    if numeric(q).dims != ():
        raise Unknown
    return array(leaf(products).dtype, ())


# --- differences and the trapezoidal rule ---------------------------------------------------------------

@rule(np.diff, tangent="linear", unless=("n", 1), real="kept", kind=diff_kind, samples=[
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


@rule(diff_adjoint, tangent="linear", kind=diff_adjoint_kind, samples=[
    sample(REAL(3), 1, -1, 4), sample(REAL(3, 4), 2, 0, 5), sample(REAL(0, 4), 3, 0, 2)])
def diff_adjoint_rule(ct, out, w, n, axis, size):
    return np.diff(ct, n, axis)


@rule(slice_along, tangent="linear", kind=slice_along_kind, samples=[sample(REAL(3, 4), 1, 3, 1)])
def slice_along_rule(ct, out, x, start, stop, axis):
    return slice_along_adjoint(ct, x, start, stop, axis)


@rule(slice_along_adjoint, tangent="linear", kind=results.shaped_like(1),
      samples=[sample(REAL(3, 2), REAL(3, 4), 1, 3, 1)])
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
     tangent="multilinear", kind=trapezoid_kind, samples=TRAPEZOIDS)(trapezoid)


@rule(pair_sums, tangent="linear", kind=pair_sums_kind, samples=[sample(REAL(3), -1), sample(REAL(3, 2), 0)])
def pair_sums_rule(ct, out, y, axis):
    return pair_sums_adjoint(ct, axis, y.shape[axis])


@rule(pair_sums_adjoint, tangent="linear", kind=pair_sums_adjoint_kind, samples=[
    sample(REAL(3), -1, 4), sample(REAL(3, 2), 0, 4), sample(REAL(0), 0, 0)])
def pair_sums_adjoint_rule(ct, out, w, axis, size):
    return pair_sums(ct, axis)


# --- order statistics -----------------------------------------------------------------------------------

@rule(np.median, real="kept", kind=reductions.reduction_kind(np.median), samples=[*over_axes(DISTINCT), sample(DISTINCT(5))])
def median(ct, out, a, axis=None, keepdims=False):
    """The middle element, or the mean of the two middle ones."""
    return route_to_quantile(ct, a, 0.5, axis)


@rule(np.quantile, kind=quantile_kind(np.quantile), samples=[
    sample(DISTINCT(5), 0.3), sample(DISTINCT(3, 4), 0.7, axis=1), sample(DISTINCT(2, 3, 4), 0.4, (0, 2)),
    sample(DISTINCT(3, 4), 0.1, 0, keepdims=True), sample(DISTINCT(1), 0.6),
    sample(DISTINCT(3, 4), [0.1, 0.4], 0), sample(DISTINCT(3, 4), (0.1, 0.6), (0, 1), keepdims=True)])
def quantile(ct, out, a, q, axis=None, keepdims=False):
    """Linear interpolation between the two order statistics around q (n - 1)."""
    slope = slope_at_quantile(a, a, q, axis)
    return route_to_quantile(ct, a, q, axis), sum_to_places(ct * np.reshape(slope, np.shape(ct)), q)


@rule(np.percentile, kind=quantile_kind(np.percentile), samples=[
    sample(DISTINCT(5), 30.0), sample(DISTINCT(3, 4), 70.0, axis=1), sample(DISTINCT(2, 3, 4), 40.0, (0, 2)),
    sample(DISTINCT(5), [20.0, 60.0]), sample(DISTINCT(3, 4), np.array([30.0, 40.0, 90.0]), axis=1, keepdims=True)])
def percentile(ct, out, a, q, axis=None, keepdims=False):
    if ndim(q) == 0:
        place = q / 100.0
    else:
        place = np.divide(q, 100.0)
    slope = slope_at_quantile(a, a, place, axis)
    return route_to_quantile(ct, a, place, axis), sum_to_places(0.01 * ct * np.reshape(slope, np.shape(ct)), q)


@rule(route_to_quantile, kind=results.shaped_like(1), samples=[
    sample(REAL(), DISTINCT(4), 0.4), sample(REAL(2, 1), DISTINCT(2, 5), 0.6, 1),
    sample(REAL(2, 3), DISTINCT(3, 5), [0.6, 0.2], 1)])
def route_to_quantile_rule(ct, out, w, a, q, axis=None):
    """Linear in w and, between two order statistics, in q."""
    slope = slope_at_quantile(ct, a, q, axis)
    return np.reshape(value_at_quantile(ct, a, q, axis), np.shape(w)), None, sum_to_places(w * np.reshape(slope, np.shape(w)), q)


@rule(value_at_quantile, kind=value_at_quantile_kind, samples=[
    sample(REAL(4), DISTINCT(4), 0.4), sample(REAL(2, 5), DISTINCT(2, 5), 0.6, 1),
    sample(REAL(2, 5), DISTINCT(2, 5), [0.6, 0.3], 1)])
def value_at_quantile_rule(ct, out, x, a, q, axis=None):
    slope = slope_at_quantile(x, a, q, axis)
    return route_to_quantile(ct, a, q, axis), None, sum_to_places(ct * np.reshape(slope, np.shape(ct)), q)


@rule(slope_at_quantile, tangent="linear", kind=slope_at_quantile_kind, samples=[
    sample(REAL(4), DISTINCT(4), 0.4), sample(REAL(3, 4), DISTINCT(3, 4), [0.3, 0.9], 1)])
def slope_at_quantile_rule(ct, out, x, a, q, axis=None):
    """(n - 1) times the difference of the two order statistics; constant in q between them."""
    intervals = axis_size(a, axis) - 1
    low = np.floor(np.multiply(q, intervals))
    scaled = ct * intervals
    return (route_to_quantile(scaled, a, (low + 1.0) / intervals, axis) - route_to_quantile(scaled, a, low / intervals, axis),
            None)


@rule(sum_to_places, tangent="linear", kind=sum_to_places_kind, samples=[
    sample(REAL(3), 0.3), sample(REAL(2, 3), [0.3, 0.4]), sample(REAL(2), np.array([0.3, 0.4]))])
def sum_to_places_rule(ct, out, products, q):
    return spread_of_places(ct, products, q)


@rule(spread_of_places, tangent="linear", kind=results.shaped_like(1), samples=[
    sample(REAL(), np.zeros(3), 0.3), sample(REAL(2), np.zeros((2, 3)), np.array([0.3, 0.4]))])
def spread_of_places_rule(ct, out, w, products, q):
    return sum_to_places(ct, q)


# --- covariance ---------------------------------------------------------------------------------------

def cov_kind(m: Kind, y: Kind = Const(None), rowvar: Kind = Const(True), bias: Kind | None = None, ddof: Kind | None = None,
        dtype: Kind | None = None, **_: Kind) -> Kind:
    """A square matrix without its axes of size 1."""
    table = numeric(m)
    own = dtype_of(np.cov, Num(table.dtype, (1, 1), True)) if dtype is None and y == Const(None) else None
    dims = known(table.dims) if y == Const(None) else ()
    if table.is_complex is not False:
        own = None                                           # that of no variables is real
    if len(dims) < 2:
        return Num(own, () if y == Const(None) else None, True)
    size = dims[0] if constant(rowvar) else dims[1] if dims[0] != 1 else None
    if not constant(rowvar) and not many(dims[0]) or not many(size):
        return Num(own, None, True)
    return Num(own, (size, size), True)


@rule(np.cov, kind=cov_kind, samples=[sample(REAL(3, 5)), sample(REAL(5)), sample(REAL(5, 3), rowvar=False),
                       sample(COMPLEX(2, 4)),
                       sample(REAL(3, 5), bias=True), sample(REAL(3, 5), ddof=2), sample(REAL(1, 5)),
                       sample(REAL(5, 1), rowvar=False), sample(COMPLEX(1, 3))])
def cov(ct, out, m, y=None, rowvar=True, bias=False, ddof=None):
    """out = X conj(X).T / (n - ddof) with the means subtracted from X; rows with sum 0 stay such."""
    if y is not None:
        return (refuse("np.cov(m, y) has no derivative rule", "Stack m and y first: np.cov(np.vstack([m, y]))."),
                refuse("np.cov(m, y) has no derivative rule", "Stack m and y first: np.cov(np.vstack([m, y]))."))
    if ndim(m) == 0:
        return 0.0 * out * ct                                # a single value has variance 0, or NaN
    if ndim(m) == 1 or rowvar:
        centered = m - np.mean(m, axis=-1, keepdims=True)
        count = np.shape(m)[-1]
    else:
        centered = (m - np.mean(m, axis=0)).T
        count = np.shape(m)[0]
    if ddof is not None:
        scaled = ct / freedom_of(count, ddof)
    elif bias:
        scaled = ct / max(count, 1)
    else:
        scaled = ct / freedom_of(count, 1)
    if ndim(m) == 1:
        return 2.0 * np.real(scaled) * centered
    if ndim(out) == 2:
        square = scaled
    else:
        square = np.reshape(scaled, np.shape(centered)[:1] * 2)        # one variable: its variance is a number
    if rowvar:
        return (square + conj(square).T) @ centered
    return ((square + conj(square).T) @ centered).T


describe(np.gradient, real="kept")                                # in differences
