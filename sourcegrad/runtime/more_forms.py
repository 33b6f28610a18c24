"""More of NumPy, operator and statistics in plain Python, for generated code to look into."""
from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.numpy_library import histogram_places

__all__ = ["view_as", "typed_back", "standard_quantile"]

# --- linear algebra

def cond(x: Any, p: Any = None) -> Any:
    """np.linalg.cond by any norm: |x| |x^-1|, or least / greatest singular value"""
    if p is None or p == 2 or np.ndim(x) < 2:               # (NumPy says what is wrong)
        return np.linalg.cond(x)
    if p == -2:
        values = np.linalg.svd(x, compute_uv=False)
        return values[..., -1] / values[..., 0]
    return np.linalg.norm(x, p, axis=(-2, -1)) * np.linalg.norm(np.linalg.inv(x), p, axis=(-2, -1))


def matrix_norm(x: Any, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """np.linalg.matrix_norm of any order"""
    return np.linalg.norm(x, ord, axis=(-2, -1), keepdims=keepdims)


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """np.linalg.pinv with rtol, or of the lower triangle of a Hermitian matrix"""
    limit = rcond if rtol is None else rtol
    matrix = both_triangles(a) if hermitian else np.asarray(a)
    return np.linalg.pinv(matrix) if limit is None else np.linalg.pinv(matrix, limit)


def both_triangles(a: Any) -> Any:
    """The Hermitian matrix whose lower triangle is read."""
    a = np.asarray(a)
    below = np.tril(a, -1)
    return below + np.conj(np.swapaxes(below, -1, -2)) + a * np.eye(a.shape[-1])


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """np.linalg.svd of a Hermitian matrix: the sizes of its eigenvalues in order"""
    if not compute_uv:
        values = np.abs(np.linalg.eigvalsh(a))
        return np.take_along_axis(values, np.argsort(-values, axis=-1), axis=-1)
    if np.ndim(a) > 2:
        raise UnsupportedError("np.linalg.svd of a stack of Hermitian matrices with their vectors", remedy="Use np.linalg.eigh.")
    eigenvalues, vectors = np.linalg.eigh(a)
    order = np.argsort(np.abs(eigenvalues))[::-1]
    eigenvalues, vectors = eigenvalues[order], vectors[:, order]
    return vectors, np.abs(eigenvalues), np.conj((vectors * np.sign(eigenvalues)).T)


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """np.linalg.tensorsolve: a matrix of the last axes and those of b"""
    a, b = np.asarray(a), np.asarray(b)
    if axes is not None:
        kept = [k for k in range(a.ndim) if k not in [axis % a.ndim for axis in np.atleast_1d(axes)]]
        a = np.transpose(a, (*kept, *[int(axis) % a.ndim for axis in np.atleast_1d(axes)]))
    shape = a.shape[b.ndim:]
    return np.reshape(np.linalg.solve(np.reshape(a, (b.size, -1)), np.ravel(b)), shape)


def tensorinv(a: Any, ind: int = 2) -> Any:
    """np.linalg.tensorinv: the inverse of a matrix of the first and the other axes"""
    a = np.asarray(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    return np.reshape(np.linalg.inv(np.reshape(a, (math.prod(a.shape[ind:]), -1))), a.shape[ind:] + a.shape[:ind])


# --- transforms of Hermitian series

SWAPPED: Any = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def hfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
    """np.fft.hfft: the inverse transform of the conjugates"""
    return np.fft.irfft(np.conj(a), 2 * (np.shape(a)[axis] - 1) if n is None else n, axis, norm=SWAPPED[norm])


def ihfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
    """np.fft.ihfft: the conjugates of the transform"""
    return np.conj(np.fft.rfft(a, np.shape(a)[axis] if n is None else n, axis, norm=SWAPPED[norm]))


# --- functions that give complex numbers where real ones have no value

def any_outside(x: Any, low: float, high: float) -> bool:
    """Whether real numbers lie outside an interval."""
    return np.isrealobj(x) and bool(np.any((np.asarray(x) < low) | (np.asarray(x) > high)))


def widened(x: Any, low: float, high: float) -> Any:
    """The numbers, as complex ones if any lies outside the interval."""
    return np.asarray(x) + 0.0j if any_outside(x, low, high) else np.asarray(x)


def emath_sqrt(x: Any) -> Any:
    """np.emath.sqrt"""
    return np.sqrt(widened(x, 0.0, math.inf))


def emath_log(x: Any) -> Any:
    """np.emath.log"""
    return np.log(widened(x, 0.0, math.inf))


def emath_log10(x: Any) -> Any:
    """np.emath.log10"""
    return np.log10(widened(x, 0.0, math.inf))


def emath_log2(x: Any) -> Any:
    """np.emath.log2"""
    return np.log2(widened(x, 0.0, math.inf))


def emath_logn(n: Any, x: Any) -> Any:
    """np.emath.logn"""
    return np.log(widened(x, 0.0, math.inf)) / np.log(widened(n, 0.0, math.inf))


def emath_power(x: Any, p: Any) -> Any:
    """np.emath.power"""
    return np.power(widened(x, 0.0, math.inf), p)


def emath_arccos(x: Any) -> Any:
    """np.emath.arccos"""
    return np.arccos(widened(x, -1.0, 1.0))


def emath_arcsin(x: Any) -> Any:
    """np.emath.arcsin"""
    return np.arcsin(widened(x, -1.0, 1.0))


def emath_arctanh(x: Any) -> Any:
    """np.emath.arctanh"""
    return np.arctanh(widened(x, -1.0, 1.0))


# --- methods of ufuncs: what np.subtract.reduce and its like compute one after the other

def reduced(function: Any, array: Any, axis: Any = 0, keepdims: bool = False, initial: Any = None) -> Any:
    """function.reduce along one axis"""
    items = np.moveaxis(np.asarray(array), one_axis(array, axis), 0)
    result = items[0] if initial is None else function(initial, items[0])
    for k in range(1, items.shape[0]):
        result = function(result, items[k])
    return np.expand_dims(result, one_axis(array, axis)) if keepdims else result


def accumulated(function: Any, array: Any, axis: int = 0) -> Any:
    """function.accumulate along one axis"""
    items = np.moveaxis(np.asarray(array), axis, 0)
    result = items[:1]
    for k in range(1, items.shape[0]):
        result = np.concatenate((result, function(result[-1], items[k])[np.newaxis]), axis=0)
    return np.moveaxis(result, 0, axis)


def in_segments(function: Any, array: Any, indices: Any, axis: int = 0) -> Any:
    """function.reduceat: from each index to the next if that is greater, else the element"""
    items = np.moveaxis(np.asarray(array), axis, 0)
    segments = bounds_of_segments(indices, items.shape[0])
    return np.moveaxis(np.stack([reduced(function, items[first:last]) for first, last in segments]), 0, axis)


def sums_of_segments(function: Any, array: Any, indices: Any, axis: int = 0) -> Any:
    """np.add.reduceat"""
    items = np.moveaxis(np.asarray(array), axis, 0)
    segments = bounds_of_segments(indices, items.shape[0])
    return np.moveaxis(np.stack([np.sum(items[first:last], axis=0) for first, last in segments]), 0, axis)


def bounds_of_segments(indices: Any, size: int) -> list:
    """From where to where each segment goes."""
    starts = [int(k) for k in np.ravel(indices)]
    if any(not 0 <= k < size for k in starts):
        raise IndexError(f"an index of reduceat is out of bounds for an axis of size {size}")
    return [(k, other if other > k else k + 1) for k, other in zip(starts, [*starts[1:], size])]


def one_axis(array: Any, axis: Any) -> int:
    """The only axis, where all are asked for."""
    if isinstance(axis, tuple) or axis is None and np.ndim(array) > 1:
        raise UnsupportedError("the reduction of several axes by this ufunc", remedy="Reduce one axis after the other.")
    return 0 if axis is None else axis


def updated(function: Any, array: Any, index: Any, value: Any) -> Any:
    """The array after function.at(array, index, value), for indices of the first axis"""
    places = first_places(index, np.shape(array)[0])
    values = np.broadcast_to(np.asarray(value), (len(places), *np.shape(array)[1:]))
    result = np.copy(array)
    for k in range(len(places)):
        result[places[k]] = function(result[places[k]], values[k])
    return result


def first_places(index: Any, size: int) -> list:
    """The places along the first axis that an index names."""
    if isinstance(index, tuple):
        raise UnsupportedError("ufunc.at with indices of several axes", remedy="Write a loop over the indices.")
    return [int(k) for k in np.arange(size)[index].ravel()]


# --- counts in several dimensions

def histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """np.histogramdd"""
    return counted(sample, bins, range, density, weights)


def counted(sample: Any, bins: Any, limits: Any, density: Any, weights: Any) -> Any:
    """The counts, which move with the weights only, and the edges."""
    table = sample if isinstance(sample, np.ndarray) and sample.ndim == 2 else np.atleast_2d(np.asarray(sample)).T
    columns = [table[:, k] for k in np.arange(table.shape[1])]
    edges = [axis_edges(column, k, bins, limits) for k, column in enumerate(columns)]
    counts = counts_of(columns, edges, weights)
    if density:
        for k, places in enumerate(edges):
            counts = counts / np.reshape(np.diff(places), [-1 if j == k else 1 for j in np.arange(len(edges))])
        counts = counts / np.sum(counts_of(columns, edges, weights))
    return counts, edges


def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """np.histogram2d"""
    if np.ndim(bins) == 1 and len(bins) not in (1, 2):
        bins = [bins, bins]
    counts, edges = counted(np.stack((x, y), axis=1), bins, range, density, weights)
    return counts, edges[0], edges[1]


def axis_edges(column: Any, k: int, bins: Any, limits: Any) -> Any:
    """The edges of the bins along an axis."""
    own = bins if np.ndim(bins) == 0 else bins[k]
    if np.ndim(own) > 0:
        return np.asarray(own)
    if limits is not None and limits[k] is not None:
        low, high = limits[k]
        return np.linspace(low, high, int(own) + 1)
    low, high = np.min(column), np.max(column)
    wide = 0.0 if two_points(low, high) else 0.5
    return np.linspace(low - wide, high + wide, int(own) + 1)


def two_points(low: Any, high: Any) -> bool:
    return bool(low != high)


def counts_of(columns: list, edges: list, weights: Any) -> Any:
    """How many points, or which weight of them, each bin holds."""
    places, total = bins_of(columns, edges)
    shape = [len(e) - 1 for e in edges]
    if weights is None:
        return np.bincount(places, minlength=total + 1)[:total].reshape(shape) + 0.0
    return np.reshape(np.bincount(places, weights=np.asarray(weights), minlength=total + 1)[:total], shape)


def bins_of(columns: list, edges: list) -> tuple:
    """The bin of each point, counted through, and the number of bins, which stands for no bin."""
    sizes = [len(e) - 1 for e in edges]
    total = math.prod(sizes)
    each = [histogram_places(column, own) for column, own in zip(columns, edges)]
    outside = np.any([place >= size for place, size in zip(each, sizes)], axis=0)
    inside = [np.minimum(place, size - 1) for place, size in zip(each, sizes)]
    return np.where(outside, total, np.ravel_multi_index(inside, sizes)), total


# --- views of another dtype; operators

def view_as(x: Any, dtype: Any) -> Any:
    """x.view(dtype)"""
    return x.view(dtype)


def typed_back(ct: Any, x: Any) -> Any:
    """The adjoint of x.view(dtype) in the type of x: pairs of numbers are complex ones."""
    if np.iscomplexobj(ct) and not np.iscomplexobj(x):
        return np.stack((np.real(ct), np.imag(ct)), axis=-1).reshape(np.shape(x))
    if np.iscomplexobj(x) and not np.iscomplexobj(ct):
        return np.reshape(ct[..., 0::2] + 1j * ct[..., 1::2], np.shape(x))
    return np.reshape(ct, np.shape(x))


def getitem(a: Any, b: Any) -> Any:
    """operator.getitem"""
    return a[b]


# --- statistics

def standard_quantile(p: Any) -> float:
    """The quantile of the standard normal distribution."""
    return statistics.NormalDist().inv_cdf(p)


class NormalDist:
    """statistics.NormalDist"""

    __sourcegrad_object__ = True

    def __init__(self, mu: Any = 0.0, sigma: Any = 1.0) -> None:
        if sigma < 0.0:
            raise statistics.StatisticsError("sigma must be non-negative")
        self._mu = mu
        self._sigma = sigma

    @property
    def mean(self) -> Any:
        return self._mu

    @property
    def median(self) -> Any:
        return self._mu

    @property
    def mode(self) -> Any:
        return self._mu

    @property
    def stdev(self) -> Any:
        return self._sigma

    @property
    def variance(self) -> Any:
        return self._sigma * self._sigma

    def pdf(self, x: Any) -> Any:
        z = (x - self._mu) / self._sigma
        return math.exp(-0.5 * z * z) / (math.sqrt(2.0 * math.pi) * self._sigma)

    def cdf(self, x: Any) -> Any:
        return 0.5 * math.erfc((self._mu - x) / (self._sigma * math.sqrt(2.0)))

    def inv_cdf(self, p: Any) -> Any:
        return self._mu + self._sigma * standard_quantile(p)

    def zscore(self, x: Any) -> Any:
        return (x - self._mu) / self._sigma

    def quantiles(self, n: int = 4) -> list:
        return [self.inv_cdf(i / n) for i in range(1, n)]

    def __add__(self, other: Any) -> Any:
        if isinstance(other, NormalDist):
            return NormalDist(self._mu + other._mu, math.hypot(self._sigma, other._sigma))
        return NormalDist(self._mu + other, self._sigma)

    def __radd__(self, other: Any) -> Any:
        return NormalDist(self._mu + other, self._sigma)

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, NormalDist):
            return NormalDist(self._mu - other._mu, math.hypot(self._sigma, other._sigma))
        return NormalDist(self._mu - other, self._sigma)

    def __rsub__(self, other: Any) -> Any:
        return NormalDist(other - self._mu, self._sigma)

    def __mul__(self, other: Any) -> Any:
        return NormalDist(self._mu * other, self._sigma * abs(other))

    def __rmul__(self, other: Any) -> Any:
        return NormalDist(self._mu * other, self._sigma * abs(other))

    def __truediv__(self, other: Any) -> Any:
        return NormalDist(self._mu / other, self._sigma / abs(other))

    def __neg__(self) -> Any:
        return NormalDist(-self._mu, self._sigma)


def harmonic_mean(data: Any, weights: Any = None) -> Any:
    """statistics.harmonic_mean"""
    items = list(data)
    if weights is None:
        return len(items) / math.fsum([1.0 / x for x in items])
    return math.fsum(list(weights)) / math.fsum([w / x for w, x in zip(weights, items)])
