"""Helpers of the rules for reductions and accumulations."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.elementwise import sequence_like

__all__ = ["axis_size", "along_axis", "divide_or_zero", "route_to_extremum", "add_to_extremum", "mean_at_extremum", "as_rows",
           "from_rows",
           "product_of_others", "shifted", "recurrence", "diff_adjoint", "slice_along", "slice_along_adjoint",
           "length_along", "pair_sums", "pair_sums_adjoint", "route_to_quantile", "value_at_quantile",
           "slope_at_quantile", "sum_to_places", "spread_of_places"]


def axis_size(a: Any, axis: Any) -> int:
    """How many elements a reduction over `axis` combines into one."""
    shape = np.shape(a)
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    size = 1
    for k in axes if shape else ():
        size *= shape[k]
    return size


def along_axis(values: Any, a: Any, axis: Any) -> Any:
    """`values` reshaped so that it broadcasts against `a`, its own dimensions lying along `axis` of `a`."""
    if np.ndim(values) == np.ndim(a):
        return values
    axes = axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(k % np.ndim(a) for k in axes)
    shape = tuple(np.shape(a)[k] if k in axes else 1 for k in range(np.ndim(a)))
    if np.size(values) != math.prod(shape):
        raise UnsupportedError("points or weights of another number than the values along the axis",
                               remedy="Broadcast the values first.")
    return np.reshape(np.transpose(values, np.argsort(axes)), shape)


def divide_or_zero(x: Any, y: Any) -> Any:
    """`x / y`, and 0 where `y` is 0."""
    if isinstance(x, float) and isinstance(y, float):
        return x / y if y else 0.0
    zero = np.equal(y, 0)
    if not np.count_nonzero(zero):
        return x / y
    result = np.zeros(np.broadcast_shapes(np.shape(x), np.shape(y)), np.result_type(x, y))
    return np.divide(x, y, out=result, where=~zero)[()]


# --- max, min ------------------------------------------------------------------------------------------

def _extremum_positions(extremum: Any, a: Any) -> tuple:
    """Flat positions in `a` of the extrema, and for each the flat position of its extremum."""
    a, extremum = np.asarray(a), np.asarray(extremum)
    positions = np.flatnonzero(a == extremum)
    if extremum.size == 1:
        return positions, np.zeros_like(positions)
    shape = (1,) * (a.ndim - extremum.ndim) + extremum.shape
    kept = a.ndim
    while kept and shape[kept - 1] == 1:
        kept -= 1
    if shape[:kept] == a.shape[:kept]:                       # trailing axes were reduced
        return positions, positions // max(a.size // max(extremum.size, 1), 1)
    where = np.unravel_index(positions, a.shape)
    groups = np.ravel_multi_index(tuple(k * (n > 1) for k, n in zip(where, shape)), shape)
    return positions, groups


def route_to_extremum(ct: Any, extremum: Any, a: Any) -> Any:
    """`ct` scattered to where `a` equals `extremum` (both broadcast against `a`); ties share equally."""
    ct = np.asarray(ct)
    positions, groups = _extremum_positions(extremum, a)
    result = np.zeros(np.shape(a), ct.dtype)
    values = ct.ravel()[groups]
    count: Any = np.bincount(groups)
    if count.max(initial=0) > 1:
        values = values / count[groups]
    result.reshape(-1)[positions] = values
    return result[()]


def add_to_extremum(base: Any, ct: Any, extremum: Any, a: Any) -> None:
    """`base += route_to_extremum(ct, extremum, a)` in place, touching only the extrema."""
    if a.size < 1 << 15:                                     # a mask costs less than positions
        _add_where(base, ct, a == extremum, np.shape(extremum))
        return
    if not base.flags.c_contiguous:
        base += route_to_extremum(ct, extremum, a)
        return
    positions, groups = _extremum_positions(extremum, a)
    values = np.asarray(ct).ravel()[groups]
    count: Any = np.bincount(groups)
    if count.max(initial=0) > 1:
        values = values / count[groups]
    base.reshape(-1)[positions] += values


def _add_where(base: Any, ct: Any, chosen: Any, shape: tuple) -> None:
    """`base += ct` where chosen; those that were reduced to one extremum share its `ct`."""
    shape = (1,) * (chosen.ndim - len(shape)) + shape
    axes = tuple(k for k, n in enumerate(shape) if n == 1)
    count = np.add.reduce(chosen, axis=axes, keepdims=True)
    if count.max(initial=0) > 1:
        ct = ct / np.maximum(count, 1)
    np.add(base, ct, out=base, where=chosen)


def mean_at_extremum(x: Any, extremum: Any, a: Any) -> Any:
    """Mean of `x` over the places where `a` equals `extremum`, in the shape of `extremum`."""
    x = np.asarray(x)
    positions, groups = _extremum_positions(extremum, a)
    total = np.zeros(np.size(extremum), x.dtype)
    np.add.at(total, groups, x.reshape(-1)[positions])
    count = np.bincount(groups, minlength=total.size)
    total /= np.maximum(count, 1)
    return total.reshape(np.shape(extremum))[()]


# --- rows: the reduced axes as one last axis ------------------------------------------------------------

def _last_axes(ndim: int, axis: Any) -> tuple[tuple, tuple]:
    """Normalized axes, and the order of all axes with these last."""
    axes = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(k % ndim for k in axes) if ndim else ()
    return axes, tuple(k for k in range(ndim) if k not in axes) + axes


def as_rows(x: Any, axis: Any) -> Any:
    """The axes of `x` moved to the end and flattened to one."""
    x = np.asarray(x)
    axes, order = _last_axes(x.ndim, axis)
    kept = tuple(x.shape[k] for k in order[:x.ndim - len(axes)])
    return np.transpose(x, order).reshape(kept + (axis_size(x, axis),))


def from_rows(rows: Any, x: Any, axis: Any) -> Any:
    """The inverse of `as_rows(x, axis)`: `rows` in the shape of `x`."""
    shape = np.shape(x)
    order = _last_axes(len(shape), axis)[1]
    moved = np.reshape(rows, tuple(shape[k] for k in order))
    return np.transpose(moved, np.argsort(order))[()]


# --- prod, cumprod --------------------------------------------------------------------------------------

def shifted(rows: Any, by: int, fill: float) -> Any:
    """`rows` moved by one along its last axis (to the right for 1, to the left for -1), `fill` entering."""
    result = np.full_like(rows, fill)
    if by > 0:
        result[..., 1:] = rows[..., :-1]
    else:
        result[..., :-1] = rows[..., 1:]
    return result


def product_of_others(a: Any, axis: Any = None) -> Any:
    """For each element the product of all others along `axis`; right with any number of zeros."""
    if np.all(a):
        kept: Any = axis is not None
        return np.prod(a, axis=axis, keepdims=kept) / a
    rows = as_rows(a, axis)
    before = shifted(np.cumprod(rows, axis=-1), 1, 1.0)
    after = shifted(np.cumprod(rows[..., ::-1], axis=-1), 1, 1.0)[..., ::-1]
    return from_rows(before * after, a, axis)


def recurrence(c: Any, b: Any, reverse: bool = False) -> Any:
    """The linear recurrence `s[i] = b[i] + c[i-1] s[i-1]` along the last axis (reverse: b[i] + c[i] s[i+1]).

    `c` has one element less than `b` along this axis. The adjoint is the recurrence in the other direction.
    """
    s = np.array(b, np.result_type(b, c))
    n = s.shape[-1]
    if reverse:
        for i in range(n - 2, -1, -1):
            s[..., i] += c[..., i] * s[..., i + 1]
    else:
        for i in range(1, n):
            s[..., i] += c[..., i - 1] * s[..., i - 1]
    return s


# --- diff, trapezoid ------------------------------------------------------------------------------------

def _part(axis: int, ndim: int, start: Any, stop: Any) -> tuple:
    index = [slice(None)] * ndim
    index[axis] = slice(start, stop)
    return tuple(index)


def _padded(ct: Any, axis: int, size: int) -> tuple:
    """Zeros, one longer than `ct` along `axis` (at most `size`), and the indices of all but the last and all but the first."""
    ct = np.asarray(ct)
    shape = list(ct.shape)
    shape[axis] = min(shape[axis] + 1, size)
    return np.zeros(shape, ct.dtype), _part(axis, ct.ndim, None, -1), _part(axis, ct.ndim, 1, None)


def diff_adjoint(ct: Any, n: int, axis: int, size: int) -> Any:
    """Transpose of `np.diff(a, n, axis)` applied to `ct`, of a given size along the axis."""
    for left in reversed(range(n)):
        result, low, high = _padded(ct, axis, max(size - left, 0))
        result[high] = ct
        result[low] -= ct
        ct = result
    return ct


def pair_sums(y: Any, axis: int) -> Any:
    """Sums of neighbours: `y[1:] + y[:-1]` along `axis`."""
    y = np.asarray(y)
    return y[_part(axis, y.ndim, 1, None)] + y[_part(axis, y.ndim, None, -1)]


def pair_sums_adjoint(ct: Any, axis: int, size: int) -> Any:
    """Transpose of `pair_sums` applied to `ct`, of a given size along the axis."""
    result, low, high = _padded(ct, axis, size)
    result[high] = ct
    result[low] += ct
    return result


def length_along(x: Any, axis: int) -> int:
    """Size of what `np.diff` prepends or appends along `axis`: a scalar counts as one, None as nothing."""
    return 0 if x is None else 1 if np.ndim(x) == 0 else np.shape(x)[axis]


def slice_along(x: Any, start: int, stop: int, axis: int) -> Any:
    """`x[start:stop]` along one axis."""
    return x[_part(axis, np.ndim(x), start, stop)]


def slice_along_adjoint(ct: Any, x: Any, start: int, stop: int, axis: int) -> Any:
    """`ct` placed at `[start:stop]` along one axis of zeros in the shape of `x`."""
    result = np.zeros(np.shape(x), np.asarray(ct).dtype)
    result[_part(axis, np.ndim(x), start, stop)] = ct
    return result


# --- quantiles (linear interpolation of order statistics) -----------------------------------------------

def _order_positions(rows: Any, q: Any) -> tuple:
    """Places in rows of the two order statistics around q, and the weight of the upper one."""
    n = rows.shape[-1]
    place = float(q) * (n - 1)
    low = min(int(place), n - 1)
    high = min(low + 1, n - 1)
    order = np.argpartition(rows, (low, high), axis=-1)
    return order[..., low:low + 1], order[..., high:high + 1], place - low


def route_to_quantile(ct: Any, a: Any, q: Any, axis: Any = None) -> Any:
    """`ct` (without the reduced axes) scattered to the elements from which quantile `q` is interpolated.

    q: a number, or an array of them: `ct` then has its axes in front.
    """
    rows = as_rows(a, axis)
    places = np.ravel(q)
    ct = np.reshape(ct, (len(places),) + rows.shape[:-1] + (1,))
    result = np.zeros(rows.shape, ct.dtype)
    for place, part in zip(places, ct):
        low, high, weight = _order_positions(rows, place)
        for where, share in ((low, (1.0 - weight) * part), (high, weight * part)):
            np.put_along_axis(result, where, np.take_along_axis(result, where, axis=-1) + share, axis=-1)
    return from_rows(result, a, axis)


def value_at_quantile(x: Any, a: Any, q: Any, axis: Any = None) -> Any:
    """`x` interpolated between the places where `a` has quantile `q`; axes reduced, those of q in front."""
    return _at_places(x, a, q, axis, lambda low, high, weight, last: (1.0 - weight) * low + weight * high)


def slope_at_quantile(x: Any, a: Any, q: Any, axis: Any = None) -> Any:
    """Derivative of `value_at_quantile(x, a, q, axis)` with respect to `q`, each place on its own."""
    return _at_places(x, a, q, axis, lambda low, high, weight, last: last * (high - low))


def _at_places(x: Any, a: Any, q: Any, axis: Any, combine: Callable) -> Any:
    """`combine(low, high, weight, number of the last row)` of x at the two elements of `a` between which each quantile lies."""
    rows, values = as_rows(a, axis), as_rows(x, axis)
    found = []
    for place in np.ravel(q):
        low, high, weight = _order_positions(rows, place)
        below, above = np.take_along_axis(values, low, axis=-1), np.take_along_axis(values, high, axis=-1)
        found.append(combine(below, above, weight, rows.shape[-1] - 1)[..., 0])
    return np.reshape(found, np.shape(q) + rows.shape[:-1])


def sum_to_places(products: Any, q: Any) -> Any:
    """`products`, whose axes begin with those of `q`, summed to its shape: a list if it is one."""
    if np.ndim(q) == 0:
        return np.sum(products)
    return sequence_like(np.reshape(products, (np.size(q), -1)).sum(axis=1), q)


def spread_of_places(ct: Any, products: Any, q: Any) -> Any:
    """The adjoint of `sum_to_places(products, q)`: `ct` in the shape of the products."""
    shape = np.shape(products)
    return np.broadcast_to(np.reshape(ct, np.shape(q) + (1,) * (len(shape) - np.ndim(q))), shape)
