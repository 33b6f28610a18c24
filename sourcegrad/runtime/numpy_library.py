"""Functions of NumPy in plain Python, for generated code to look into, and what they find out about places in arrays."""
from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.indexing import one_of_equals

__all__ = ["gradient", "slope_along", "polyfit", "polyder", "polyint", "polyadd", "polysub", "polymul", "ediff1d", "correlate",
           "histogram", "histogram_places", "unique", "unique_places", "running_maximum", "running_minimum",
           "running_places", "rfftn", "rfft2", "irfft2", "polar", "rect"]


# --- differences

def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """np.gradient"""
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
    if isinstance(axis, tuple) and len(varargs) == 0:
        return [slope_along(f, 1.0, k, edge_order) for k in axis]
    if isinstance(axis, tuple):
        return [slope_along(f, varargs[k % len(varargs)], a, edge_order) for k, a in enumerate(axis)]
    if len(varargs) == 0:
        return slope_along(f, 1.0, axis, edge_order)
    return slope_along(f, varargs[0], axis, edge_order)


def slope_along(f: Any, h: Any, axis: int, edge_order: int) -> Any:
    """Differences of f along an axis over steps of h, or at the places h: central inside, one-sided at the ends."""
    f = np.moveaxis(f, axis, -1)
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
        differences = np.concatenate([np.ravel(to_begin), differences])
    if to_end is not None:
        differences = np.concatenate([differences, np.ravel(to_end)])
    return differences


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """np.correlate"""
    if mode == "same" and len(v) > len(a):
        return np.convolve(v, np.conj(a)[::-1], mode)[::-1]         # type: ignore[call-overload]
    return np.convolve(a, np.conj(v)[::-1], mode)                   # type: ignore[call-overload]


# --- polynomials

def polyfit(x: Any, y: Any, deg: int, rcond: Any = None, full: bool = False, w: Any = None, cov: bool = False) -> Any:
    """np.polyfit"""
    if full or cov:
        raise UnsupportedError("np.polyfit that also gives what it found out of the fit", remedy="Take the coefficients only.")
    x = np.asarray(x) + 0.0                                  # whole numbers, and lists, are floats here
    columns = np.vander(x, deg + 1)
    if rcond is None:
        rcond = len(x) * np.finfo(x.dtype).eps
    if w is not None:
        columns = columns * np.asarray(w)[:, None]
        y = (np.asarray(y).T * w).T
    scale = np.sqrt(np.sum(columns * columns, axis=0))
    return (np.linalg.lstsq(columns / scale, y, rcond=rcond)[0].T / scale).T


def polyder(p: Any, m: int = 1) -> Any:
    """np.polyder"""
    p = np.asarray(p)
    for _ in range(m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """np.polyint"""
    p = np.asarray(p)
    for j in range(m):
        constant = 0.0 if k is None else np.ravel(k)[j if np.size(k) > 1 else 0]
        p = np.append(p / np.arange(len(p), 0, -1), constant)
    return p


def polyadd(a1: Any, a2: Any) -> Any:
    """np.polyadd"""
    longer = max(len(a1), len(a2))
    return np.pad(a1, (longer - len(a1), 0)) + np.pad(a2, (longer - len(a2), 0))


def polysub(a1: Any, a2: Any) -> Any:
    """np.polysub"""
    longer = max(len(a1), len(a2))
    return np.pad(a1, (longer - len(a1), 0)) - np.pad(a2, (longer - len(a2), 0))


def polymul(a1: Any, a2: Any) -> Any:
    """np.polymul"""
    return np.convolve(a1, a2)


# --- counting

def histogram(a: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None) -> Any:
    """np.histogram: the edges depend on `a` where they are found from its extremes, the counts only on the weights."""
    if np.ndim(bins) > 0:
        edges = np.asarray(bins)
    elif range is None:
        edges = np.linspace(np.min(a), np.max(a), bins + 1)
    else:
        edges = np.linspace(range[0], range[1], bins + 1)
    places = histogram_places(a, edges)
    if weights is None:
        counts = np.bincount(places, minlength=len(edges))[:len(edges) - 1]
    else:
        counts = np.bincount(places, weights=np.ravel(weights), minlength=len(edges))[:len(edges) - 1]
    if density:
        return counts / np.diff(edges) / np.sum(counts), edges
    return counts, edges


def histogram_places(a: Any, edges: Any) -> Any:
    """The bin in which each element lies; the number of bins for those outside."""
    a = np.ravel(a)
    count = len(edges) - 1
    places = np.searchsorted(edges, a, side="right") - 1
    places = np.where(a == edges[-1], count - 1, places)
    return np.where(places < 0, count, places)


def unique(ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """np.unique of all elements: equal ones share the derivative equally."""
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
    return np.take_along_axis(array, running_places(array, np.maximum, axis), axis)


def running_minimum(array: Any, axis: int = 0) -> Any:
    """np.minimum.accumulate"""
    return np.take_along_axis(array, running_places(array, np.minimum, axis), axis)


def running_places(array: Any, extremum: np.ufunc, axis: int) -> Any:
    """Where along the axis the greatest (or smallest) element so far stands."""
    array = np.asarray(array)
    along = np.reshape(np.arange(array.shape[axis]), [-1 if k == axis % array.ndim else 1 for k in range(array.ndim)])
    reached = array == extremum.accumulate(array, axis=axis)
    return np.maximum.accumulate(np.where(reached, along, 0), axis=axis)




# --- transforms of real values

def rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """np.fft.rfftn"""
    if axes is None:
        axes = tuple(range(-np.ndim(a) if s is None else -len(s), 0))
    sizes = [None] * len(axes) if s is None else s
    half = np.fft.rfft(a, sizes[-1], axes[-1], norm)
    for k in range(len(axes) - 2, -1, -1):
        half = np.fft.fft(half, sizes[k], axes[k], norm)
    return half


def rfft2(a: Any, s: Any = None, axes: tuple = (-2, -1), norm: Any = None) -> Any:
    """np.fft.rfft2"""
    if s is None:
        return np.fft.fft(np.fft.rfft(a, None, axes[1], norm), None, axes[0], norm)
    return np.fft.fft(np.fft.rfft(a, s[1], axes[1], norm), s[0], axes[0], norm)


def irfft2(a: Any, s: Any = None, axes: tuple = (-2, -1), norm: Any = None) -> Any:
    """np.fft.irfft2"""
    if s is None:
        return np.fft.irfft(np.fft.ifft(a, None, axes[0], norm), None, axes[1], norm)
    return np.fft.irfft(np.fft.ifft(a, s[0], axes[0], norm), s[1], axes[1], norm)


# --- complex numbers

def polar(z: Any) -> tuple:
    """cmath.polar"""
    return abs(z), cmath.phase(z)


def rect(r: Any, phi: Any) -> complex:
    """cmath.rect"""
    return complex(r * math.cos(phi), r * math.sin(phi))
