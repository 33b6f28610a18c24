"""Helpers of the elementwise, scalar and reduction rules: ties, special functions, sequences of numbers, sums along axes."""
from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.core import all_floats, in_order, operand_part, unbroadcast, zeros_like

__all__ = ["quotient", "selected", "greater_part", "tie_part", "finite_part", "power_slope", "sinc_derivative",
           "in_double", "where_valid", "no_formula", "bessel_decay", "polygamma",
           "interval_of", "spread_over", "gather_items", "first_position", "at_position", "sequence_like", "scaled_items",
           "item_differences", "dot_items", "selected_shares", "unselected", "axis_size", "freedom_of", "along_axis",
           "divide_or_zero",
           "route_to_extremum", "add_to_extremum", "mean_at_extremum", "as_rows", "from_rows", "product_of_others", "shifted",
           "recurrence", "diff_adjoint", "slice_along", "slice_along_adjoint", "length_along", "pair_sums", "pair_sums_adjoint",
           "route_to_quantile", "value_at_quantile", "slope_at_quantile", "sum_to_places", "spread_of_places"]

# --- selections -------------------------------------------------------------------------------------

LARGE = 4096            # elements


def selected(ct: Any, condition: Any) -> Any:
    """`ct` where the condition holds and 0 elsewhere, whatever `ct` is there."""
    if isinstance(ct, float) and type(condition) in (bool, np.bool_):
        return ct if condition else 0.0
    if np.size(ct) >= LARGE and np.isfinite(ct).all():
        return ct * condition                       # several times as fast as np.where, where the condition goes up and down
    return np.where(condition, ct, 0.0)[()]


def greater_part(ct: Any, x: Any, y: Any) -> Any:
    """The part of `ct` that goes to `x` in max(x, y): all where `x` is greater, half at a tie, else 0."""
    ties = x == y
    part = selected(ct, x > y)
    return np.where(ties, 0.5 * ct, part)[()] if np.count_nonzero(ties) else part


def tie_part(ct: Any, wins: Any, rival_wins: Any) -> Any:
    """`ct` where only `wins` is true, half where both are, else 0."""
    ties = wins & rival_wins
    part = selected(ct, wins)
    return np.where(ties, 0.5 * ct, part)[()] if np.count_nonzero(ties) else part


def quotient(x: Any, y: Any) -> Any:
    """`x / y` without a warning: 0 where `x` is 0, infinite where only `y` is."""
    if isinstance(x, float) and isinstance(y, float):
        return x / y if y else x * math.copysign(math.inf, y) if x else 0.0
    if np.count_nonzero(np.abs(y) > 0) == np.size(y):
        return x / y
    with np.errstate(all="ignore"):
        return np.where(np.equal(x, 0), 0.0, np.divide(x, y))[()]


# --- special functions ------------------------------------------------------------------------------

def finite_part(ct: Any, x: Any) -> Any:
    """`ct` where `x` is finite and zero elsewhere, the real and imaginary parts each by themselves."""
    real = np.where(np.isfinite(np.real(x)), np.real(ct), 0.0)
    if not np.iscomplexobj(ct):
        return real
    return real + 1.0j * np.where(np.isfinite(np.imag(x)), np.imag(ct), 0.0)


def power_slope(x: Any, y: Any) -> Any:
    """`y * x ** (y - 1)`, the derivative of `x ** y` in x: 0 where y is 0, also at x = 0."""
    if type(x) is float and type(y) is float:
        return y * x ** (y - (y != 0)) if x or y >= 1.0 or not y else y * math.inf
    with np.errstate(divide="ignore"):
        return y * x ** (y - (y != 0))                           # not y - 1: 0 ** -1 times 0 would be NaN


def sinc_derivative(x: Any, n: int) -> Any:
    """The n-th derivative of sinc(x) = sin(pi x) / (pi x), accurate at and around 0.

    Near 0 the derived power series, sum over k of (-1)^k pi^2k x^(2k-n) / ((2k+1) (2k-n)!); elsewhere the
    recurrence x s_n + n s_(n-1) = pi^(n-1) sin(pi x + n pi / 2) that follows from pi x s_0 = sin(pi x).
    """
    near = np.abs(x) < 1.0
    inner = np.where(near, x, 0.0 * x)
    series = 0.0 * inner
    for power in range(n % 2 + 2 * 18, -1, -2):                   # powers of x, highest first
        k = (power + n) // 2
        coefficient = (-1.0) ** k * math.pi ** (2 * k) / ((2 * k + 1) * math.factorial(power))
        series = series * inner * inner + coefficient
    if n % 2:
        series = series * inner
    outer = np.where(near, 0.0 * x + 1.0, x)
    derivative = np.sinc(outer)
    for order in range(1, n + 1):
        shifted = np.sin(math.pi * outer + order * (math.pi / 2.0))
        derivative = (math.pi ** (order - 1) * shifted - order * derivative) / outer
    return np.where(near, series, derivative)[()]


BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)      # B_2, B_4, ...


def in_double(x: Any) -> Any:
    """x in double precision, as scipy.stats computes."""
    return np.asarray(x, dtype=np.float64)[()]


def where_valid(condition: Any, x: Any) -> Any:
    """x in double precision where a condition holds, and NaN elsewhere."""
    return np.where(condition, np.asarray(x, dtype=np.float64), np.nan)[()]


def no_formula(x: Any, what: str) -> Any:
    """Raise: what depends on x has no formula that could be differentiated."""
    raise UnsupportedError(what, remedy="Differentiate another method, or write a formula with scipy.special.")


def bessel_decay(v: Any, x: Any, sign: int, n: int) -> Any:
    """The n-th derivative of f'(x) / f(x) for large x, with f = I_v(x) e^-|x| (sign 1) or K_v(x) e^x (sign -1).

    f is 1 - sign a1 / |x| + a2 / x^2 - ... over the root of |x| (DLMF 10.40.1, 10.40.2); five terms of the logarithm."""
    square = 4.0 * v * v
    a1 = (square - 1.0) / 8.0
    a2 = a1 * (square - 9.0) / 16.0
    a3 = a2 * (square - 25.0) / 24.0
    a4 = a3 * (square - 49.0) / 32.0
    terms = (-0.5, sign * a1, a1 * a1 - 2.0 * a2, sign * (3.0 * a3 - 3.0 * a1 * a2 + a1 ** 3),
             4.0 * (a1 * a3 - a4 - a1 * a1 * a2) + 2.0 * a2 * a2 + a1 ** 4)
    w = 1.0 / np.abs(x)
    found = sum(term * math.prod(range(k + 1, k + n + 1)) * w ** (k + n + 1) for k, term in enumerate(terms))
    return -found if n % 2 else np.sign(x) * found


def polygamma(n: int, x: float) -> float:
    """The n-th derivative of digamma(x) = gamma'(x) / gamma(x), for a number x; NaN at the poles 0, -1, ...

    Reflection for negative x, recurrence up to a large x, then the asymptotic series (Abramowitz and Stegun
    6.4.7, 6.4.6, 6.4.11).
    """
    x = float(x)
    if x <= 0.0 and x == math.floor(x):
        return math.nan
    sign = -1.0 if n % 2 else 1.0
    if x < 0.0:
        reflected = _cot_derivative(n, math.pi * math.fmod(x, 1.0))
        return sign * polygamma(n, 1.0 - x) - math.pi ** (n + 1) * reflected
    total = 0.0
    while x < 16.0 + n:
        total += math.factorial(n) / x ** (n + 1)
        x += 1.0
    total += math.factorial(n) / (2.0 * x ** (n + 1))
    total += math.factorial(n - 1) / x ** n if n else -math.log(x)
    for k, bernoulli in enumerate(BERNOULLI, 1):
        total += bernoulli * math.factorial(2 * k + n - 1) / (math.factorial(2 * k) * x ** (2 * k + n))
    return -sign * total


def _cot_derivative(n: int, u: float) -> float:
    """The n-th derivative of cot(u), as a polynomial in c = cot(u) built from c' = -(1 + c^2)."""
    coefficients = [0.0, 1.0]
    for _ in range(n):
        slopes = [k * a for k, a in enumerate(coefficients)][1:]
        coefficients = [-a - b for a, b in zip(slopes + [0.0, 0.0], [0.0, 0.0] + slopes)]
    c = 1.0 / math.tan(u)
    return sum(a * c ** k for k, a in enumerate(coefficients))


def interval_of(x: Any, knots: Any) -> Any:
    """The index k of the interval knots[k] <= x < knots[k + 1], that at either end for points outside."""
    return np.clip(np.searchsorted(knots, x, side="right") - 1, 0, len(knots) - 2)


# --- sequences: lists, tuples and arrays of rows ----------------------------------------------------

def sequence_like(values: Any, items: Any) -> Any:
    """`values` as an array if `items` is one, otherwise as a list."""
    return np.asarray(values) if isinstance(items, np.ndarray) else list(values)


def scaled_items(factor: Any, items: Sequence) -> Any:
    """`[factor * item for item in items]`, an array if `items` is one."""
    return sequence_like([factor * item for item in items], items)


def item_differences(p: Sequence, q: Sequence) -> Any:
    """`[a - b for a, b in zip(p, q)]`, an array if `p` is one."""
    return sequence_like([a - b for a, b in zip(p, q)], p)


def dot_items(p: Sequence, q: Sequence) -> Any:
    """`sum(a * b for a, b in zip(p, q))`."""
    return sum(a * b for a, b in zip(p, q))


def spread_over(value: Any, items: Any) -> Any:
    """`value` once for each item, in the shape of the item: the adjoint of `sum(items)`."""
    if isinstance(value, (list, tuple)):
        raise UnsupportedError("sum() of lists has no derivative rule", remedy="Join them with a loop and extend().")
    if isinstance(items, np.ndarray):
        row = unbroadcast(value, np.empty(items.shape[1:], items.dtype))
        return np.broadcast_to(row, items.shape)
    if type(value) is float and type(items) is list and all_floats(items):
        return [value] * len(items)
    return [operand_part(value, item) for item in in_order(items)]


def gather_items(items: Any, value: Any) -> Any:
    """The sum of the items in the shape of `value`: the adjoint of `spread_over`."""
    total = zeros_like(value)
    for item in items:
        total = total + unbroadcast(item, value)
    return total


def first_position(items: Any, value: Any) -> int:
    """The index of the first item equal to the number `value`: the one that `max` and `min` return."""
    if np.ndim(value):
        raise UnsupportedError("max() and min() have a derivative rule for numbers only, not for arrays or lists",
                               remedy="Use np.max, or np.maximum for the larger of two arrays.")
    for position, item in enumerate(items):
        if item == value:
            return position
    return 0                                        # NaN: any item will do


def at_position(value: Any, items: Any, position: int) -> Any:
    """Zeros like `items` with `value` at one position."""
    array = isinstance(items, np.ndarray)
    in_order(items)
    zeros: Any = np.zeros(len(items), np.result_type(value)) if array else [0.0] * len(items)
    zeros[position] = value
    return zeros


def selected_shares(ct: Any, condlist: Sequence, choicelist: Sequence) -> list:
    """For each choice of `np.select` the part of `ct` where it was taken, in the shape of the choice."""
    shares = []
    free: Any = True
    for condition, choice in zip(condlist, choicelist):
        shares.append(unbroadcast(np.where(free & np.asarray(condition), ct, 0.0), choice))
        free = free & ~np.asarray(condition)
    return shares


def unselected(ct: Any, condlist: Sequence) -> Any:
    """The part of `ct` where no condition of `np.select` holds."""
    return np.where(functools.reduce(np.logical_or, condlist), 0.0, ct)


# --- Reductions and accumulations

def axis_size(a: Any, axis: Any) -> int:
    """How many elements a reduction over `axis` combines into one."""
    shape = np.shape(a)
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    size = 1
    for k in axes if shape else ():
        size *= shape[k]
    return size


def freedom_of(count: Any, ddof: Any) -> Any:
    """`count - ddof`, the divisor of a variance; nan where nothing is left."""
    if isinstance(count, np.ndarray):
        return np.where(count > ddof, count - ddof, np.nan)
    return count - ddof if count > ddof else math.nan


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
    return ct if n else np.copy(ct)


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
