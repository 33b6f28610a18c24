"""Functions of NumPy with options that their rules do not take, in plain Python, for generated code to look into."""
from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError

# --- sums, products, extremes

def refuse_out(out: Any, name: str) -> None:
    """Refuse an array to write into: what is computed is a new one."""
    if out is not None:
        raise UnsupportedError(f"this form of {name} has no derivative rule: it writes into `out`", remedy="Assign the result.")


def prod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = 1.0,
         where: Any = True) -> Any:
    """np.prod: the initial value is a factor"""
    refuse_out(out, "np.prod")
    return initial * np.prod(np.where(where, a, np.ones_like(a)), axis=axis, dtype=dtype, keepdims=keepdims)


def summed(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = 0.0,
           where: Any = True) -> Any:
    """np.sum: the initial value is a term"""
    refuse_out(out, "np.sum")
    return initial + np.sum(np.where(where, a, np.zeros_like(a)), axis=axis, dtype=dtype, keepdims=keepdims)


def greatest(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:
    """np.max: the initial value is one of the elements"""
    refuse_out(out, "np.max")
    if initial is None:
        raise ValueError("reduction operation 'maximum' does not have an identity: a where mask needs 'initial'")
    return np.maximum(initial, np.max(np.where(where, a, -np.inf), axis=axis, keepdims=keepdims))


def least(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:
    """np.min: the initial value is one of the elements"""
    refuse_out(out, "np.min")
    if initial is None:
        raise ValueError("reduction operation 'minimum' does not have an identity: a where mask needs 'initial'")
    return np.minimum(initial, np.min(np.where(where, a, np.inf), axis=axis, keepdims=keepdims))


def nangreatest(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:
    """np.nanmax of what is selected: what is not is NaN, and left out"""
    refuse_out(out, "np.nanmax")
    found = np.nanmax(np.where(where, a, np.nan), axis=axis, keepdims=keepdims)
    return found if initial is None else np.fmax(found, initial)


def nanleast(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:
    """np.nanmin of what is selected: what is not is NaN, and left out"""
    refuse_out(out, "np.nanmin")
    found = np.nanmin(np.where(where, a, np.nan), axis=axis, keepdims=keepdims)
    return found if initial is None else np.fmin(found, initial)


# --- moments

def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: bool = False, *, where: Any = True,
        mean: Any = None, correction: Any = None) -> Any:
    """np.var of what is selected, around a mean that is given"""
    refuse_out(out, "np.var")
    a = np.asarray(a) if dtype is None else np.asarray(a).astype(dtype)
    chosen = np.broadcast_to(np.asarray(where), a.shape)
    number = np.sum(chosen, axis=axis, keepdims=True).astype(np.result_type(a.real.dtype, np.float16))
    if mean is None:
        mean = np.sum(np.where(chosen, a, 0.0), axis=axis, keepdims=True) / number
    deviation = np.where(chosen, a - mean, 0.0)
    squares = np.sum(np.real(deviation * np.conj(deviation)), axis=axis, keepdims=keepdims)
    freedom = np.maximum(number - (ddof if correction is None else correction), 0.0)
    return squares / np.reshape(freedom, np.shape(squares))


def std(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: bool = False, *, where: Any = True,
        mean: Any = None, correction: Any = None) -> Any:
    """np.std of what is selected, around a mean that is given"""
    return np.sqrt(var(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction))


def nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Any:
    """np.nanmean of what is selected"""
    refuse_out(out, "np.nanmean")
    a = np.asarray(a) if dtype is None else np.asarray(a).astype(dtype)
    chosen = np.broadcast_to(np.asarray(where), a.shape) & ~np.isnan(a)
    number = np.sum(chosen, axis=axis, keepdims=keepdims).astype(a.real.dtype)
    return np.sum(np.where(chosen, a, 0.0), axis=axis, keepdims=keepdims) / number


def nansum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = 0.0,
           where: Any = True) -> Any:
    """np.nansum of what is selected"""
    return summed(np.where(np.isnan(a), 0.0, a), axis, dtype, out, keepdims, initial, where)


def nanprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = 1.0,
            where: Any = True) -> Any:
    """np.nanprod of what is selected"""
    return prod(np.where(np.isnan(a), 1.0, a), axis, dtype, out, keepdims, initial, where)


def nanvar(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: bool = False, *,
           where: Any = True, mean: Any = None, correction: Any = None) -> Any:
    """np.nanvar of what is selected"""
    return var(np.where(np.isnan(a), 0.0, a), axis, dtype, out, ddof, keepdims, where=np.asarray(where) & ~np.isnan(a), mean=mean,
               correction=correction)


def nanstd(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: bool = False, *,
           where: Any = True, mean: Any = None, correction: Any = None) -> Any:
    """np.nanstd of what is selected"""
    return np.sqrt(nanvar(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction))


def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    """np.average with the sum of the weights"""
    a = np.asarray(a)
    value: Any = np.average(a, axis=axis, weights=weights, keepdims=keepdims)         # type: ignore[call-overload]
    if not returned:
        return value
    if weights is None:
        return value, np.full(np.shape(value), a.size / max(np.size(value), 1), dtype=np.asarray(value).dtype)[()]
    weights = np.asarray(weights)
    if weights.shape == a.shape:
        total = np.sum(weights, axis=axis, keepdims=keepdims)
    else:
        total = np.sum(weights)
    return value, (total + np.zeros_like(value))[()]


def cov(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None, fweights: Any = None,
        aweights: Any = None, *, dtype: Any = None) -> Any:
    """np.cov of two arrays, with frequencies and weights of the observations"""
    table = _variables(m, rowvar)
    if y is not None:
        table = np.concatenate((table, _variables(y, rowvar)), axis=0)
    if dtype is not None:
        table = table.astype(dtype)
    if ddof is None:
        ddof = 0 if bias else 1
    count = table.shape[1]
    if fweights is None and aweights is None:
        centred = table - np.mean(table, axis=1, keepdims=True)
        return np.squeeze(centred @ np.conj(centred.T) / max(count - ddof, 0))
    weights = np.ones(count) if aweights is None else np.asarray(aweights) + 0.0
    if fweights is not None:
        weights = weights * np.asarray(fweights)
    total = np.sum(weights)
    centred = table - np.sum(table * weights, axis=1, keepdims=True) / total
    if ddof == 0:
        freedom = total
    elif aweights is None:
        freedom = total - ddof
    else:
        freedom = total - ddof * np.sum(weights * aweights) / total
    return np.squeeze((centred * weights) @ np.conj(centred.T) / freedom)


def _variables(m: Any, rowvar: bool) -> Any:
    """Variables in rows, observations in columns."""
    if np.ndim(m) > 2:
        raise ValueError("m has more than 2 dimensions")
    table = np.atleast_2d(m)
    return table if rowvar or np.ndim(m) < 2 or table.shape[0] == 1 else table.T


# --- order statistics: R. J. Hyndman, Y. Fan, Sample quantiles in statistical packages, 1996

CONTINUOUS = {"linear": (1.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0), "median_unbiased": (1.0 / 3.0, 1.0 / 3.0),
              "normal_unbiased": (0.375, 0.375), "interpolated_inverted_cdf": (0.0, 1.0)}


def quantile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
             keepdims: bool = False, *, weights: Any = None, interpolation: Any = None) -> Any:
    """np.quantile by any method"""
    refuse_out(out, "np.quantile")
    rows = lanes(a, axis)
    if weights is not None:
        if method != "inverted_cdf" or np.ndim(q) > 0:
            raise UnsupportedError("np.quantile with weights, of several q or by another method than inverted_cdf",
                                   remedy="Write np.quantile(a, q, method='inverted_cdf', weights=w) for each q.")
        heavy = np.broadcast_to(np.asarray(weights), np.shape(a)) if np.shape(weights) == np.shape(a) else np.moveaxis(
            np.broadcast_to(np.asarray(weights), np.shape(np.moveaxis(np.asarray(a), axis, -1))), -1, axis)
        places = weighted_places(rows, q, lanes(heavy, axis))
        return shaped_back(np.take_along_axis(rows, places, axis=0)[0], a, axis, keepdims)
    count = np.full(rows.shape[1:], rows.shape[0])
    ordered = np.where(np.any(np.isnan(rows), axis=0), np.nan, np.sort(rows, axis=0))
    return of_each(ordered, count, q, method, a, axis, keepdims)


def percentile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
               keepdims: bool = False, *, weights: Any = None, interpolation: Any = None) -> Any:
    """np.percentile by any method"""
    return quantile(a, np.divide(q, 100.0), axis, out, overwrite_input, method, keepdims, weights=weights)


def nanquantile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
                keepdims: bool = False, *, weights: Any = None, interpolation: Any = None) -> Any:
    """np.nanquantile: of those of each lane that are numbers"""
    refuse_out(out, "np.nanquantile")
    if weights is not None:
        raise UnsupportedError("np.nanquantile with weights", remedy="Use np.quantile of what is a number.")
    rows = lanes(a, axis)
    return of_each(np.sort(rows, axis=0), np.sum(~np.isnan(rows), axis=0), q, method, a, axis, keepdims)


def nanpercentile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
                  keepdims: bool = False, *, weights: Any = None, interpolation: Any = None) -> Any:
    """np.nanpercentile"""
    return nanquantile(a, np.divide(q, 100.0), axis, out, overwrite_input, method, keepdims, weights=weights)


def nanmedian(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    """np.nanmedian"""
    return nanquantile(a, 0.5, axis, out, overwrite_input, "linear", keepdims)


def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    """np.median that may change its argument"""
    refuse_out(out, "np.median")
    return np.median(a, axis=axis, keepdims=keepdims)


def lanes(a: Any, axis: Any) -> Any:
    """The elements that are put in order along the first axis, the lanes along the others."""
    a = np.asarray(a)
    if axis is None:
        return np.ravel(a)
    if isinstance(axis, (tuple, list)):
        front = np.moveaxis(a, tuple(axis), tuple(range(len(axis))))
        return np.reshape(front, (-1, *front.shape[len(axis):]))
    return np.moveaxis(a, axis, 0)


def shaped_back(values: Any, a: Any, axis: Any, keepdims: bool) -> Any:
    """One value for each lane, with axes of size 1 if they are kept."""
    return np.reshape(values, kept_shape(a, axis)) if keepdims else values


def kept_shape(a: Any, axis: Any) -> tuple:
    """The shape after a reduction that keeps its axes."""
    gone = range(np.ndim(a)) if axis is None else [k % np.ndim(a) for k in np.atleast_1d(axis)]
    return tuple(1 if k in gone else n for k, n in enumerate(np.shape(a)))


def of_each(ordered: Any, count: Any, q: Any, method: str, a: Any, axis: Any, keepdims: bool) -> Any:
    """The quantiles of lanes in order, of which the first `count` elements count: for one q, or for each of them."""
    if np.ndim(q) == 0:
        return shaped_back(at_rank(ordered, count, q, method), a, axis, keepdims)
    if np.ndim(q) > 1:
        raise UnsupportedError("quantiles at an array of q of rank 2", remedy="Give a list of q.")
    return np.stack([shaped_back(at_rank(ordered, count, q[k], method), a, axis, keepdims) for k in range(len(q))])


def at_rank(ordered: Any, count: Any, q: Any, method: str) -> Any:
    """What stands at a place, or between two, of each lane; NaN in one without elements."""
    if method in CONTINUOUS:
        alpha, beta = CONTINUOUS[method]
        rank = np.clip(count * q + (alpha + q * (1.0 - alpha - beta)) - 1.0, 0.0, np.maximum(count - 1.0, 0.0))
    else:
        rank = discrete_rank(count, q, method)
    low = whole_part(rank, count)
    high = np.minimum(low + 1, np.maximum(count - 1, 0))
    part = rank - low
    below = np.take_along_axis(ordered, low[np.newaxis], axis=0)[0]
    above = np.take_along_axis(ordered, high[np.newaxis], axis=0)[0]
    value = below + np.where(part > 0.0, part * (above - below), 0.0)
    return np.where(count > 0, value, np.nan)[()]


def whole_part(rank: Any, count: Any) -> Any:
    """The place before a rank, of those that there are."""
    return np.minimum(np.floor(rank).astype(int), np.maximum(np.asarray(count) - 1, 0))


def discrete_rank(count: Any, q: Any, method: str) -> Any:
    """The rank by a method that does not move with q, as NumPy finds it."""
    sizes = np.asarray(count)
    how: Any = method
    found = [np.quantile(np.arange(float(max(n, 1))), float(q), method=how) for n in sizes.ravel()]
    return np.reshape(np.asarray(found, float), sizes.shape)


def weighted_places(rows: Any, q: Any, weights: Any) -> Any:
    """Where in each lane the quantile of weighted elements stands."""
    order = np.argsort(rows, axis=0, kind="stable")
    running = np.cumsum(np.take_along_axis(weights, order, axis=0), axis=0)
    reached = running / running[-1:] >= q
    heavy = np.take_along_axis(weights, order, axis=0) > 0
    return np.take_along_axis(order, np.argmax(reached & heavy, axis=0)[np.newaxis], axis=0)


# --- running sums, joins

def nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """np.nancumprod"""
    refuse_out(out, "np.nancumprod")
    return np.cumprod(np.where(np.isnan(a), 1.0, a), axis=axis, dtype=dtype)


def cumulative_sum(x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False) -> Any:
    """np.cumulative_sum"""
    refuse_out(out, "np.cumulative_sum")
    along = only_axis(x, axis)
    running = np.cumsum(x, axis=along, dtype=dtype)
    return np.concatenate((np.zeros_like(np.take(running, [0], axis=along)), running), axis=along) if include_initial else running


def cumulative_prod(x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False) -> Any:
    """np.cumulative_prod"""
    refuse_out(out, "np.cumulative_prod")
    along = only_axis(x, axis)
    running = np.cumprod(x, axis=along, dtype=dtype)
    return np.concatenate((np.ones_like(np.take(running, [0], axis=along)), running), axis=along) if include_initial else running


def only_axis(x: Any, axis: Any) -> int:
    """The axis that is asked for, or the only one."""
    if axis is None and np.ndim(x) > 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    return 0 if axis is None else axis


def full_like(a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None,
              *, device: Any = None) -> Any:
    """np.full_like of another shape"""
    return np.full(np.shape(a) if shape is None else shape, fill_value, dtype=np.asarray(a).dtype if dtype is None else dtype)


def fromiter(iter: Any, dtype: Any, count: int = -1, *, like: Any = None) -> Any:
    """np.fromiter of the first few"""
    taken: list = []
    for item in iter:
        if len(taken) == count:
            break
        taken.append(item)
    if len(taken) < count:
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(taken)} items.")
    return np.array(taken, dtype=dtype)


class Broadcast:
    """np.broadcast: the shape that arrays have together"""

    __sourcegrad_object__ = True
    shape: Any

    def __init__(self, *arrays: Any) -> None:
        self.shape = np.broadcast_shapes(*[np.shape(array) for array in arrays])

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def nd(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))


def concatenate(arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """np.concatenate with a dtype"""
    refuse_out(out, "np.concatenate")
    joined = np.concatenate(arrays, axis=axis)
    return joined if dtype is None else joined.astype(dtype)


def stack(arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """np.stack with a dtype"""
    refuse_out(out, "np.stack")
    joined = np.stack(arrays, axis=axis)
    return joined if dtype is None else joined.astype(dtype)


def vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """np.vstack with a dtype"""
    joined = np.vstack(tup)
    return joined if dtype is None else joined.astype(dtype)


def hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """np.hstack with a dtype"""
    joined = np.hstack(tup)
    return joined if dtype is None else joined.astype(dtype)


def atleast_1d(*arys: Any) -> Any:
    """np.atleast_1d of several arrays"""
    return tuple([np.atleast_1d(ary) for ary in arys])


def atleast_2d(*arys: Any) -> Any:
    """np.atleast_2d of several arrays"""
    return tuple([np.atleast_2d(ary) for ary in arys])


def atleast_3d(*arys: Any) -> Any:
    """np.atleast_3d of several arrays"""
    return tuple([np.atleast_3d(ary) for ary in arys])


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, axis: int = 0,
             *, device: Any = None) -> Any:
    """np.linspace that also gives the step"""
    points = np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype, axis=axis)
    if not retstep:
        return points
    parts = num - 1 if endpoint else num
    return points, (np.subtract(stop, start) / parts if parts > 0 else np.nan)


def logspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None,
             axis: int = 0) -> Any:
    """np.logspace of any base"""
    powers = np.power(base, np.linspace(start, stop, num, endpoint=endpoint, axis=axis))
    return powers if dtype is None else powers.astype(dtype)


# --- padding

def pad(array: Any, pad_width: Any, mode: Any = "constant", *, stat_length: Any = None, constant_values: Any = 0,
        end_values: Any = 0, reflect_type: str = "even") -> Any:
    """np.pad: one axis after the other, with what is computed of the array so far"""
    if callable(mode):
        raise UnsupportedError("np.pad with a function as mode", remedy="Compute what it pads with, and join: np.concatenate.")
    array = np.asarray(array)
    widths = both_sides(pad_width, array.ndim)
    lengths = None if stat_length is None else both_sides(stat_length, array.ndim)
    values = side_values(constant_values if mode == "constant" else end_values, array.ndim)
    whole = array
    for axis in range(array.ndim):
        before, after = widths[axis]
        if before == 0 and after == 0:
            continue
        if mode == "constant":
            first = np.zeros_like(end_of(whole, axis, before, True)) + values[axis][0]
            last = np.zeros_like(end_of(whole, axis, after, False)) + values[axis][1]
        elif mode == "empty":
            first, last = np.zeros_like(end_of(whole, axis, before, True)), np.zeros_like(end_of(whole, axis, after, False))
        elif mode == "linear_ramp":
            first = ramp(values[axis][0], end_of(whole, axis, 1, True), before, axis, True)
            last = ramp(values[axis][1], end_of(whole, axis, 1, False), after, axis, False)
        elif mode in ("maximum", "minimum", "mean", "median"):
            size = array.shape[axis]
            near, far = (size, size) if lengths is None else lengths[axis]
            first = np.repeat(statistic(end_of(whole, axis, near, True, size), mode, axis), before, axis=axis)
            last = np.repeat(statistic(end_of(whole, axis, far, False, size), mode, axis), after, axis=axis)
        elif reflect_type == "odd" and mode in ("reflect", "symmetric"):
            whole = mirrored(whole, axis, before, after, mode)
            continue
        else:
            here = [(before, after) if k == axis else (0, 0) for k in range(array.ndim)]
            whole = np.pad(whole, here, mode=mode)
            continue
        whole = np.concatenate((first.astype(array.dtype), whole, last.astype(array.dtype)), axis=axis)
    return whole


def both_sides(width: Any, rank: int) -> list:
    """How much before and after each axis."""
    if isinstance(width, dict):
        table = np.zeros((rank, 2), int)
        for axis, sides in width.items():
            table[axis] = sides
        return [tuple(int(n) for n in row) for row in table]
    return [tuple(int(n) for n in row) for row in np.broadcast_to(np.asarray(width), (rank, 2))]


def side_values(values: Any, rank: int) -> Any:
    """What stands before and after each axis."""
    return np.broadcast_to(np.asarray(values), (rank, 2))


def end_of(a: Any, axis: int, count: int, first: bool, size: Any = None) -> Any:
    """The first or last elements along an axis, as many as are asked for; size: of those that there are."""
    length = a.shape[axis]
    count = count if size is None else min(count, length)
    if count > length:
        return np.repeat(np.take(a, [0], axis=axis), count, axis=axis)
    return np.take(a, np.arange(count) if first else np.arange(length - count, length), axis=axis)


def ramp(end: Any, edge: Any, count: int, axis: int, first: bool) -> Any:
    """From the end value to the edge, which is not part of it."""
    place = np.arange(count) if first else np.arange(count - 1, -1, -1)
    weight = np.reshape(place, [-1 if k == axis else 1 for k in range(np.ndim(edge))]) / max(count, 1)
    return end + (edge - end) * weight


def statistic(part: Any, mode: str, axis: int) -> Any:
    """What a part of the array is padded with."""
    if mode == "maximum":
        return np.max(part, axis=axis, keepdims=True)
    if mode == "minimum":
        return np.min(part, axis=axis, keepdims=True)
    return np.mean(part, axis=axis, keepdims=True) if mode == "mean" else np.median(part, axis=axis, keepdims=True)


def mirrored(a: Any, axis: int, before: int, after: int, mode: str) -> Any:
    """Reflected at the point of the edge: 2 edge - a, again and again where one reflection is not enough."""
    edge = 1 if mode == "reflect" else 0
    while before > 0 or after > 0:
        size = a.shape[axis]
        if size == 1 and edge == 1:
            here = [(before, after) if k == axis else (0, 0) for k in range(a.ndim)]
            return np.pad(a, here, mode="edge")
        near, far = min(before, size - edge), min(after, size - edge)
        first = 2 * np.take(a, [0], axis=axis) - np.take(a, np.arange(near - 1 + edge, edge - 1, -1), axis=axis)
        last = 2 * np.take(a, [size - 1], axis=axis) - np.take(a, np.arange(size - 1 - edge, size - 1 - edge - far, -1), axis=axis)
        a = np.concatenate((first, a, last), axis=axis)
        before, after = before - near, after - far
    return a


def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """np.trim_zeros of one axis"""
    if np.ndim(filt) != 1:
        raise UnsupportedError("np.trim_zeros of an array of rank 2", remedy="Take the slice that you mean.")
    first, last = nonzero_bounds(filt, trim)
    return filt[first:last]


def nonzero_bounds(filt: Any, trim: str) -> tuple:
    """From where to where there are other elements than zeros at the ends."""
    places = np.flatnonzero(np.asarray(filt))
    if len(places) == 0:
        return (len(filt), len(filt)) if "f" in trim.lower() else (0, 0) if "b" in trim.lower() else (0, len(filt))
    return (int(places[0]) if "f" in trim.lower() else 0), (int(places[-1]) + 1 if "b" in trim.lower() else len(filt))


# --- elements

def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """np.interp of a periodic function: one more point before and after a period"""
    if period is None:
        return np.interp(x, xp, fp, left=left, right=right)
    if period == 0:
        raise ValueError("period must be a non-zero value")
    if np.ndim(xp) != 1 or np.ndim(fp) != 1:
        raise ValueError("Data points must be 1-D sequences")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length")
    period = abs(period)
    points = np.remainder(np.asarray(xp) + 0.0, period)
    order = np.argsort(points)
    points, values = points[order], np.asarray(fp)[order]
    around = np.concatenate((points[-1:] - period, points, points[:1] + period))
    return np.interp(np.remainder(np.asarray(x) + 0.0, period), around, np.concatenate((values[-1:], values, values[:1])))


I0_POINTS = 128


def i0(x: Any) -> Any:
    """np.i0: the mean of exp(x cos t) over half a turn (DLMF 10.32.1), by the midpoint rule, which converges exponentially"""
    cosines = np.cos(np.pi * (np.arange(I0_POINTS) + 0.5) / I0_POINTS)
    return np.mean(np.exp((np.asarray(x) + 0.0)[..., np.newaxis] * cosines), axis=-1)


def as_columns(x: Any) -> Any:
    """What np.c_ makes of each part: a number or a row becomes a column"""
    x = np.asarray(x)
    return x.reshape((-1, 1)) if x.ndim < 2 else x
