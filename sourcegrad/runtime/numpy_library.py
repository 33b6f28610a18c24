"""Functions of NumPy and of its generators in plain Python, for generated code to look into."""
from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.shapes import one_of_equals

__all__ = ["gradient", "slope_along", "polyder", "polyint", "polyadd", "polysub", "polymul", "ediff1d", "correlate",
           "histogram", "histogram_places", "unique", "unique_places", "running_maximum", "running_minimum",
           "running_places", "rfftn", "rfft2", "irfft2", "irfftn", "polar", "rect", "leading_zeros", "check_bins",
           "normal", "uniform", "exponential", "lognormal", "normal_from", "uniform_from", "exponential_from",
           "lognormal_from", "drawn_shape", "interval_shape"]



# --- differences

def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """np.gradient"""
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    count = np.ndim(f) if axis is None else np.size(axis)
    if (len(varargs) > 1 or len(varargs) == 1 and np.ndim(varargs[0]) > 0) and len(varargs) != count:
        raise TypeError("invalid number of arguments")
    if isinstance(axis, (tuple, list)) and len(axis) == 1:
        return gradient(f, *varargs, axis=axis[0], edge_order=edge_order)
    if isinstance(axis, (tuple, list)):
        f = np.moveaxis(f, axis, axis)                           # raises what NumPy raises for a wrong axis
    if axis is None and np.ndim(f) == 1 and len(varargs) == 0:
        return slope_along(f, 1.0, 0, edge_order)
    if axis is None and np.ndim(f) == 1:
        return slope_along(f, varargs[0], 0, edge_order)
    if axis is None and len(varargs) == np.ndim(f):
        return [slope_along(f, h, k, edge_order) for k, h in enumerate(varargs)]
    if axis is None and len(varargs) == 1:
        return [slope_along(f, varargs[0], k, edge_order) for k in range(np.ndim(f))]
    if axis is None:
        return [slope_along(f, 1.0, k, edge_order) for k in range(np.ndim(f))]
    if isinstance(axis, (tuple, list)) and len(varargs) == 0:
        return [slope_along(f, 1.0, k, edge_order) for k in axis]
    if isinstance(axis, (tuple, list)):
        return [slope_along(f, varargs[k % len(varargs)], a, edge_order) for k, a in enumerate(axis)]
    if len(varargs) == 0:
        return slope_along(f, 1.0, axis, edge_order)
    return slope_along(f, varargs[0], axis, edge_order)


def slope_along(f: Any, h: Any, axis: int, edge_order: int) -> Any:
    """Differences of f along an axis over steps of h, or at the places h: central inside, one-sided at the ends."""
    f = np.moveaxis(np.asarray(f), axis, -1)
    if np.ndim(h) > 1 or (np.ndim(h) == 1 and np.size(h) != f.shape[-1]):
        raise ValueError("distances must be either scalars or 1d, as many as there are values along the dimension")
    if f.shape[-1] < edge_order + 1:
        raise ValueError("Shape of array too small to calculate a numerical gradient, "
                         "at least (edge_order + 1) elements are required.")
    if np.ndim(h) == 0:
        inner = (f[..., 2:] - f[..., :-2]) / (2.0 * h)
        if edge_order == 1:
            first = (f[..., 1:2] - f[..., :1]) / h
            last = (f[..., -1:] - f[..., -2:-1]) / h
        else:
            first = (-1.5 * f[..., :1] + 2.0 * f[..., 1:2] - 0.5 * f[..., 2:3]) / h
            last = (0.5 * f[..., -3:-2] - 2.0 * f[..., -2:-1] + 1.5 * f[..., -1:]) / h
    else:
        steps = np.diff(h)
        a, b = steps[:-1], steps[1:]
        inner = (b - a) / (a * b) * f[..., 1:-1] + a / (b * (a + b)) * f[..., 2:] - b / (a * (a + b)) * f[..., :-2]
        if edge_order == 1:
            first = (f[..., 1:2] - f[..., :1]) / steps[0]
            last = (f[..., -1:] - f[..., -2:-1]) / steps[-1]
        else:
            a, b = steps[0], steps[1]
            first = ((a + b) / (a * b) * f[..., 1:2] - (2.0 * a + b) / (a * (a + b)) * f[..., :1]
                     - a / (b * (a + b)) * f[..., 2:3])
            a, b = steps[-2], steps[-1]
            last = ((2.0 * b + a) / (b * (a + b)) * f[..., -1:] + b / (a * (a + b)) * f[..., -3:-2]
                    - (b + a) / (a * b) * f[..., -2:-1])
    return np.moveaxis(np.concatenate([first, inner, last], axis=-1), -1, axis)


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """np.ediff1d"""
    differences = np.diff(np.ravel(ary))
    if to_begin is not None:
        differences = np.concatenate([_of_same_kind(to_begin, differences), differences])
    if to_end is not None:
        differences = np.concatenate([differences, _of_same_kind(to_end, differences)])
    return differences


def _of_same_kind(end: Any, values: Any) -> Any:
    if not np.can_cast(np.asarray(end).dtype, values.dtype, "same_kind"):
        raise TypeError("dtype of `to_end` and `to_begin` must be compatible with input `ary` under the `same_kind` rule.")
    return np.ravel(end).astype(values.dtype)


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """np.correlate"""
    a, v = np.asarray(a), np.asarray(v)
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object of too small or too great depth for desired array")
    if mode == "same" and len(v) > len(a):
        return np.conj(np.convolve(v, np.conj(a)[::-1], mode)[::-1])         # type: ignore[call-overload]
    return np.convolve(a, np.conj(v)[::-1], mode)                   # type: ignore[call-overload]


# --- polynomials

def polyder(p: Any, m: int = 1) -> Any:
    """np.polyder"""
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    p = np.asarray(p)
    if p.ndim == 0:
        raise TypeError("len() of unsized object")
    for _ in range(m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """np.polyint"""
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    if k is not None and np.size(k) not in (1, m):
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    p = np.asarray(p)
    for j in range(m):
        constant = 0.0 if k is None else np.ravel(k)[j if np.size(k) > 1 else 0]
        p = np.append(p / np.arange(len(p), 0, -1), constant)
    return p


def polyadd(a1: Any, a2: Any) -> Any:
    """np.polyadd"""
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    longer = max(len(a1), len(a2))
    return np.pad(a1, (longer - len(a1), 0)) + np.pad(a2, (longer - len(a2), 0))


def polysub(a1: Any, a2: Any) -> Any:
    """np.polysub"""
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    longer = max(len(a1), len(a2))
    return np.pad(a1, (longer - len(a1), 0)) - np.pad(a2, (longer - len(a2), 0))


def polymul(a1: Any, a2: Any) -> Any:
    """np.polymul"""
    return np.convolve(from_first_nonzero(a1), from_first_nonzero(a2))


def from_first_nonzero(p: Any) -> Any:
    """A polynomial without leading zeros, but with one coefficient at least."""
    p = np.atleast_1d(p)
    if p.ndim > 1:
        raise ValueError("Polynomial must be 1d only.")
    return p[leading_zeros(p):] if len(p) > 0 else np.zeros(1, p.dtype)


def leading_zeros(p: Any) -> int:
    """How many zeros a polynomial begins with, its last coefficient not counted."""
    return next((k for k, c in enumerate(p[:-1]) if c != 0), len(p) - 1)


# --- counting

def histogram(a: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None) -> Any:
    """np.histogram: the edges depend on `a` where they are found from its extremes, the counts only on the weights."""
    if isinstance(bins, str) or (weights is not None and np.iscomplexobj(weights)):
        raise UnsupportedError("np.histogram with a rule for the number of bins, or with complex weights",
                               remedy="Give the number of bins, or the edges.")
    if weights is not None and np.shape(weights) != np.shape(a):
        raise ValueError("weights should have the same shape as a.")
    check_bins(a, bins, range)
    if np.ndim(bins) > 0:
        edges = np.asarray(bins)
    else:
        low, high = (0.0, 1.0) if np.size(a) == 0 else (np.min(a), np.max(a)) if range is None else range
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = np.linspace(low, high, bins + 1, dtype=np.result_type(low, high, np.asarray(a).dtype, np.float16))
    places = histogram_places(a, edges)
    if weights is None:
        counts = np.bincount(places, minlength=len(edges))[:max(len(edges) - 1, 0)]
    else:
        counts = np.bincount(places, weights=np.ravel(weights), minlength=len(edges))[:max(len(edges) - 1, 0)]
        counts = counts.astype(np.asarray(weights).dtype)
    if density:
        return counts / np.diff(edges) / np.sum(counts), edges
    return counts, edges


def histogram_places(a: Any, edges: Any) -> Any:
    """The bin in which each element lies; the number of bins for those outside."""
    a = np.ravel(a)
    count = len(edges) - 1
    if count < 1:
        return np.zeros(a.shape, dtype=int)
    places = np.searchsorted(edges, a, side="right") - 1
    places = np.where(a == edges[-1], count - 1, places)
    return np.where(places < 0, count, places)


def check_bins(a: Any, bins: Any, range: Any) -> None:
    """Raise what NumPy raises for bins that are none."""
    np.histogram_bin_edges(a, bins, range)


def unique(ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
           axis: Any = None, *, equal_nan: bool = True) -> Any:
    """np.unique of all elements: equal ones share the derivative equally."""
    if axis is not None or not equal_nan:
        raise UnsupportedError("np.unique with axis or equal_nan", remedy="Leave them out.")
    index, inverse, counts = unique_places(ar)
    values = one_of_equals(np.ravel(ar), index, inverse, counts)
    if return_index and return_inverse and return_counts:
        return values, index, inverse, counts
    if return_index and return_inverse:
        return values, index, inverse
    if return_index and return_counts:
        return values, index, counts
    if return_inverse and return_counts:
        return values, inverse, counts
    if return_index:
        return values, index
    if return_inverse:
        return values, inverse
    if return_counts:
        return values, counts
    return values


def unique_places(ar: Any) -> tuple:
    """What np.unique gives beside the values."""
    return tuple(np.unique(ar, return_index=True, return_inverse=True, return_counts=True)[1:])


# --- running extremes

def running_maximum(array: Any, axis: int = 0) -> Any:
    """np.maximum.accumulate"""
    array = np.asarray(array)
    return np.take_along_axis(array, running_places(array, np.maximum, axis), axis)


def running_minimum(array: Any, axis: int = 0) -> Any:
    """np.minimum.accumulate"""
    array = np.asarray(array)
    return np.take_along_axis(array, running_places(array, np.minimum, axis), axis)


def running_places(array: Any, extremum: np.ufunc, axis: int) -> Any:
    """Where along the axis the greatest (or smallest) element so far stands."""
    so_far = extremum.accumulate(array, axis=axis)
    along = np.reshape(np.arange(array.shape[axis]), [-1 if k == axis % array.ndim else 1 for k in range(array.ndim)])
    reached = (array == so_far) | (array != array)                   # NaN is kept
    return np.maximum.accumulate(np.where(reached, along, 0), axis=axis)


# --- transforms of real values

AXIS_SIZES = np.lib.NumpyVersion(np.__version__) >= "2.0.0"           # whether a size of -1 is that of the axis


def rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """np.fft.rfftn"""
    if axes is None:
        axes = tuple(range(-np.ndim(a) if s is None else -len(s), 0))
    sizes = [np.shape(a)[axis] for axis in axes] if s is None else [
        np.shape(a)[k] if n == -1 and AXIS_SIZES else n for n, k in zip(s, axes)]
    if s is not None and len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    half = np.fft.rfft(a, sizes[-1], axes[-1], norm)
    for k in range(len(axes) - 2, -1, -1):
        half = np.fft.fft(half, sizes[k], axes[k], norm)
    return half


def rfft2(a: Any, s: Any = None, axes: tuple = (-2, -1), norm: Any = None) -> Any:
    """np.fft.rfft2"""
    return rfftn(a, s, axes, norm)


def irfft2(a: Any, s: Any = None, axes: tuple = (-2, -1), norm: Any = None) -> Any:
    """np.fft.irfft2"""
    return irfftn(a, s, axes, norm)


def irfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """np.fft.irfftn"""
    if axes is None:
        axes = tuple(range(-np.ndim(a) if s is None else -len(s), 0))
    sizes = [np.shape(a)[axis] for axis in axes] if s is None else [
        np.shape(a)[k] if n == -1 and AXIS_SIZES else n for n, k in zip(s, axes)]
    if s is not None and len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    if s is None or s[-1] == -1 and AXIS_SIZES:
        sizes[-1] = 2 * (sizes[-1] - 1)
    for k in range(len(axes) - 1):
        a = np.fft.ifft(a, sizes[k], axes[k], norm)
    return np.fft.irfft(a, sizes[-1], axes[-1], norm)


# --- complex numbers

def polar(z: Any) -> tuple:
    """cmath.polar"""
    return float(abs(z)), cmath.phase(z)


def rect(r: Any, phi: Any) -> complex:
    """cmath.rect"""
    if math.isinf(r):
        raise UnsupportedError("cmath.rect of infinity", remedy="Write complex(r * math.cos(phi), r * math.sin(phi)).")
    return complex(r * math.cos(phi), r * math.sin(phi))


def drawn_shape(size: Any, first: Any, second: Any, scale: str) -> Any:
    """The shape of what is drawn with two parameters, of which the second, with that name, may not be negative."""
    if np.any(np.asarray(second) < 0):
        raise ValueError(f"{scale} < 0")
    shape = np.broadcast_shapes(np.shape(first), np.shape(second))
    if size is None:
        return shape
    if np.broadcast_shapes(shape, wanted := tuple(np.atleast_1d(size))) != wanted and shape:
        raise ValueError(f"Output size {wanted} is not compatible with broadcast dimensions of inputs {shape}.")
    return size


def interval_shape(size: Any, low: Any, high: Any, ordered: bool) -> Any:
    """The shape of what is drawn between two limits."""
    width = np.asarray(high) - np.asarray(low)
    if not np.all(np.isfinite(width)):
        raise OverflowError("Range exceeds valid bounds")
    return drawn_shape(size, low, width if ordered else np.abs(width), "high - low")


def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """np.random.normal"""
    return loc + scale * np.random.standard_normal(drawn_shape(size, loc, scale, "scale"))


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """np.random.uniform"""
    return low + np.subtract(high, low) * np.random.random_sample(interval_shape(size, low, high, False))


def exponential(scale: Any = 1.0, size: Any = None) -> Any:
    """np.random.exponential"""
    return scale * np.random.standard_exponential(drawn_shape(size, 0.0, scale, "scale"))


def lognormal(mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    """np.random.lognormal"""
    return np.exp(mean + sigma * np.random.standard_normal(drawn_shape(size, mean, sigma, "sigma")))


# --- methods of a Generator or RandomState

def normal_from(rng: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """rng.normal"""
    return loc + scale * rng.standard_normal(drawn_shape(size, loc, scale, "scale"))


def uniform_from(rng: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """rng.uniform"""
    if isinstance(rng, np.random.Generator):
        return low + np.subtract(high, low) * rng.random(interval_shape(size, low, high, True))
    return low + np.subtract(high, low) * rng.random_sample(interval_shape(size, low, high, False))


def exponential_from(rng: Any, scale: Any = 1.0, size: Any = None) -> Any:
    """rng.exponential"""
    return scale * rng.standard_exponential(drawn_shape(size, 0.0, scale, "scale"))


def lognormal_from(rng: Any, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    """rng.lognormal"""
    return np.exp(mean + sigma * rng.standard_normal(drawn_shape(size, mean, sigma, "sigma")))
