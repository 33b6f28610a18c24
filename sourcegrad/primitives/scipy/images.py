"""Filters of scipy.ndimage: correlations along axes, with rules, and what is made of them, in plain Python.

A filter extends an image at its edges and correlates it. Both steps are linear: the adjoint convolves, and folds what lies outside
back to where it was taken from.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy import ndimage

from sourcegrad.kinds import DISCRETE, Kind, Num
from sourcegrad.kinds.results import Unknown, leaf
from sourcegrad.primitives.core import COMPLEX, REAL, declare, jvp, nondifferentiable, rule, sample
from sourcegrad.primitives.scipy.convolutions import placed
from sourcegrad.runtime import no_formula, refuse

OUTPUT = "a filter of scipy.ndimage with output"
PLAIN = "Leave output out, and assign the result."


def image_kind(input: Kind, *rest: Kind, output: Kind | None = None, **_: Kind) -> Kind:
    """An array of the shape and dtype of the image."""
    model = leaf(input)
    weights = leaf(rest[0]) if rest and not isinstance(rest[0], type(None)) else None
    if weights is None or weights.is_complex is not False or model.dtype not in ("float64", "complex128"):
        return Num(None, model.dims, True)
    return Num(model.dtype, model.dims, True)


def smooth_kind(input: Kind, *_: Kind, **__: Kind) -> Kind:
    model = leaf(input)
    return Num(model.dtype if model.dtype in ("float64", "complex128") else None, model.dims, True)


def resized_kind(x: Kind, *_: Kind) -> Kind:
    """An array of the same rank and dtype."""
    model = leaf(x)
    return Num(model.dtype, model.dims and (None,) * len(model.dims), True)


def spread_kind(x: Kind, weights: Kind, *_: Kind) -> Kind:
    """An array of the same rank, complex if one of both is."""
    model, factor = leaf(x), leaf(weights)
    dims = model.dims and (None,) * len(model.dims)
    return Num("float64" if model.dtype == factor.dtype == "float64" else None, dims, True)


def taps_kind(x: Kind, ct: Kind, axis: Kind) -> Kind:
    """As many numbers as taps are between two lengths."""
    found = {leaf(x).dtype, leaf(ct).dtype}
    if None in found or leaf(x).dims is None:
        raise Unknown
    return Num(np.result_type(*found).name, (None,), True)


# --- edges ----------------------------------------------------------------------------------------------

def source_of(position: Any, size: int, mode: str) -> Any:
    """Where the value at positions outside is taken from; -1: it is the constant"""
    if mode in ("reflect", "grid-mirror"):
        folded = position % (2 * size)
        return np.minimum(folded, 2 * size - 1 - folded)
    if mode == "mirror":
        folded = position % max(2 * size - 2, 1)
        return np.minimum(folded, max(2 * size - 2, 1) - folded) if size > 1 else 0 * folded
    if mode == "nearest":
        return np.clip(position, 0, size - 1)
    if mode in ("wrap", "grid-wrap"):
        return position % size
    return np.where((position >= 0) & (position < size), position, -1)


def extended_edges(x: Any, before: int, after: int, axis: int, mode: str) -> Any:
    """An array that goes on at both ends of an axis; zero beyond where the mode says that it is constant"""
    x = np.moveaxis(x, axis, -1)
    size = x.shape[-1]
    whole = np.zeros((*x.shape[:-1], before + size + after), x.dtype)
    whole[..., before:before + size] = x
    if "constant" not in mode:
        whole[..., :before] = x[..., source_of(np.arange(-before, 0), size, mode)]
        whole[..., before + size:] = x[..., source_of(np.arange(size, size + after), size, mode)]
    return np.moveaxis(whole, -1, axis)


def folded_edges(y: Any, before: int, after: int, axis: int, mode: str) -> Any:
    """The adjoint of `extended_edges`: what lies beyond is added to where it was taken from"""
    y = np.moveaxis(y, axis, -1)
    size = y.shape[-1] - before - after
    inner = y[..., before:before + size].copy()
    if "constant" not in mode and size:
        for place in [*range(before), *range(before + size, before + size + after)]:
            inner[..., source_of(place - before, size, mode)] += y[..., place]
    return np.moveaxis(inner, -1, axis)


EDGES = [sample(REAL(4), 2, 1, 0, "reflect"), sample(REAL(2, 3), 5, 4, -1, "mirror"), sample(REAL(3, 2), 0, 2, 0, "nearest"),
         sample(COMPLEX(3), 4, 4, 0, "wrap"), sample(REAL(3), 1, 2, 0, "constant"), sample(REAL(1), 2, 2, 0, "mirror")]


@rule(extended_edges, tangent="linear", order="other", kind=resized_kind, samples=EDGES)
def extended_edges_rule(ct, out, x, before, after, axis, mode):
    """out = x and what it has beyond its ends"""
    return folded_edges(ct, before, after, axis, mode)


@rule(folded_edges, tangent="linear", order="other", kind=resized_kind, samples=[
    sample(REAL(7), 2, 1, 0, "reflect"), sample(REAL(2, 9), 4, 3, -1, "mirror"), sample(REAL(5, 2), 0, 2, 0, "nearest"),
    sample(COMPLEX(9), 3, 3, 0, "wrap"), sample(REAL(5), 1, 2, 0, "constant")])
def folded_edges_rule(ct, out, y, before, after, axis, mode):
    """out = y without its ends, which are added to where they were taken from"""
    return extended_edges(ct, before, after, axis, mode)


# --- correlations ---------------------------------------------------------------------------------------

def tap_products(x: Any, ct: Any, axis: int) -> Any:
    """w_k = sum of x_(i + k) conj(ct_i), for all k that x has room for"""
    windows, own = sliding_window_view(x, ct.shape[axis], axis), axis % ct.ndim           # x_(i + k) at (.., k, .., i)
    places = [*range(own), ct.ndim, *range(own + 1, ct.ndim)]
    return np.einsum(windows, [*range(ct.ndim + 1)], np.conj(ct), places, [own])


def spread(ct: Any, weights: Any, axis: int) -> Any:
    """y_j = sum of w_k ct_(j - k), longer by the weights"""
    after = len(weights) // 2
    whole = extended_edges(ct, len(weights) - 1 - after, after, axis, "constant")
    return ndimage.convolve1d(whole, weights, axis, mode="constant", origin=-1 if len(weights) % 2 == 0 else 0)


def gathered(y: Any, weights: Any, axis: int) -> Any:
    """x_i = sum of conj(w_k) y_(i + k), shorter by the weights"""
    before, count = len(weights) // 2, y.shape[axis] - len(weights) + 1
    found = ndimage.correlate1d(y, weights, axis, mode="constant")
    return np.moveaxis(np.moveaxis(found, axis, -1)[..., before:before + count], -1, axis)


@rule(tap_products, kind=taps_kind, samples=[sample(REAL(6), REAL(4), 0), sample(COMPLEX(2, 5), COMPLEX(2, 4), 1)])
def tap_products_rule(ct, out, x, cotangent, axis):
    """out_k = sum of x_(i + k) conj(cotangent_i)"""
    return spread(cotangent, ct, axis), gathered(x, ct, axis)


@jvp(tap_products)
def tap_products_tangent(dot, out, x, cotangent, axis):
    return tap_products(dot, cotangent, axis), tap_products(x, dot, axis)


@rule(spread, tangent="multilinear", order="other", kind=spread_kind, samples=[
    sample(REAL(4), REAL(3), 0), sample(REAL(2, 4), REAL(2), -1), sample(REAL(2, 1), REAL(4), 1)])
def spread_rule(ct, out, x, weights, axis):
    """out_j = sum of w_k x_(j - k)"""
    return gathered(ct, weights, axis), tap_products(ct, x, axis)


@rule(gathered, order="other", kind=spread_kind, samples=[
    sample(REAL(6), REAL(3), 0), sample(REAL(2, 5), REAL(2), -1), sample(REAL(2, 4), REAL(4), 1)])
def gathered_rule(ct, out, y, weights, axis):
    """out_i = sum of conj(w_k) y_(i + k)"""
    return spread(ct, weights, axis), tap_products(y, ct, axis)


@jvp(gathered)
def gathered_tangent(dot, out, y, weights, axis):
    return gathered(dot, weights, axis), gathered(y, dot, axis)


def back_correlated(ct: Any, weights: Any, axis: int, mode: str, origin: int) -> Any:
    """The adjoint of ndimage.correlate1d: the convolution, with what lies beyond its ends added to where it was taken from"""
    found = ndimage.convolve1d(ct, weights, axis, mode="constant", origin=origin)
    return with_ends(found, ct, weights, axis, mode, origin)


def opposite_origin(count: int, origin: int) -> int:
    """The origin of weights that are turned round"""
    return -origin - (1 if count % 2 == 0 else 0)


def with_ends(found: Any, ct: Any, weights: Any, axis: int, mode: str, origin: int) -> Any:
    """A convolution, with what lies beyond its ends added to where it was taken from; only what is near them spreads there"""
    inner, ct, size = np.moveaxis(found, axis, -1), np.moveaxis(ct, axis, -1), ct.shape[axis]
    before = len(weights) // 2 + origin
    after = len(weights) - 1 - before
    if "constant" in mode or size == 0:
        return found
    if before > 0:
        left = spread(ct[..., :before], weights, -1)
        for k in range(before):
            inner[..., source_of(k - before, size, mode)] += left[..., k]
    if after > 0:
        right = spread(ct[..., max(size - after, 0):], weights, -1)
        for k in range(after):
            inner[..., source_of(size - 1 + after - k, size, mode)] += right[..., -1 - k]
    return found


ENDS = [sample(REAL(5), REAL(3), 0, "reflect", 0), sample(REAL(2, 4), REAL(4), 1, "mirror", -1), sample(REAL(2), REAL(7), 0,
    "wrap", 1), sample(REAL(3, 2), REAL(2), 0, "nearest", 0), sample(REAL(4), REAL(3), -1, "constant", 1)]


@rule(back_correlated, tangent="multilinear", order="other", kind=image_kind, samples=ENDS)
def back_correlated_rule(ct, out, x, weights, axis, mode, origin):
    """The adjoint of out_i = sum of w_k x_(i + k - n // 2 - origin)"""
    before = np.shape(weights)[0] // 2 + origin
    after = np.shape(weights)[0] - 1 - before
    return (ndimage.correlate1d(ct, weights, axis, None, mode, 0.0, origin),
            tap_products(extended_edges(ct, before, after, axis, mode), x, axis))


LINES = [sample(REAL(5), REAL(3)), sample(REAL(3, 4), REAL(2), 0, mode="mirror"), sample(REAL(2, 5), REAL(4), mode="nearest",
                                                                                         origin=1),
         sample(REAL(4), REAL(3), mode="wrap", origin=-1), sample(REAL(4), REAL(5), 0, None, "constant", 2.0), sample(REAL(1),
             REAL(3)),
         sample(REAL(2), REAL(7), mode="mirror"), sample(REAL(4), REAL(3), mode="grid-wrap")]


@rule(ndimage.correlate1d, order="other", kind=image_kind, samples=LINES)
def correlate1d(ct, out, input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """out_i = sum of w_k input_(i + k - n // 2 - origin)"""
    if output is not None:
        return refuse(OUTPUT, PLAIN), refuse(OUTPUT, PLAIN)
    before = np.shape(weights)[0] // 2 + origin
    after = np.shape(weights)[0] - 1 - before
    return (back_correlated(ct, np.asarray(weights), axis, mode, origin),
            tap_products(beyond(input, before, after, axis, mode, cval), ct, axis))


@jvp(ndimage.correlate1d)
def correlate1d_tangent(dot, out, input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return (ndimage.correlate1d(dot, weights, axis, None, mode, 0.0, origin),
            ndimage.correlate1d(input, dot, axis, None, mode, cval, origin))


def beyond(x: Any, before: int, after: int, axis: int, mode: str, cval: Any) -> Any:
    """`extended_edges` with the constant"""
    whole = extended_edges(np.asarray(x), before, after, axis, mode)
    if "constant" in mode and cval != 0:
        view = np.moveaxis(whole, axis, -1)
        view[..., :before] = cval
        view[..., view.shape[-1] - after:] = cval
    return whole


@rule(beyond, adds=("cval",), order="other", kind=resized_kind, samples=[
    sample(REAL(4), 2, 1, 0, "reflect", 0.0), sample(REAL(2, 3), 2, 1, 1, "constant", 2.0)])
def beyond_rule(ct, out, x, before, after, axis, mode, cval):
    """out = x, and what is beyond its ends"""
    return folded_edges(ct, before, after, axis, mode)


@jvp(beyond)
def beyond_tangent(dot, out, x, before, after, axis, mode, cval):
    return extended_edges(dot, before, after, axis, mode)


@rule(ndimage.uniform_filter1d, order="other", kind=smooth_kind, samples=[
    sample(REAL(5), 3), sample(REAL(3, 4), 2, 0, mode="mirror"), sample(REAL(2, 5), 4, mode="nearest", origin=1),
    sample(COMPLEX(4), 3, mode="wrap", origin=-1), sample(REAL(4), 5, 0, None, "constant", 2.0), sample(REAL(3), 1)])
def uniform_filter1d(ct, out, input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """out_i = the mean of input_(i + k - size // 2 - origin)"""
    if output is not None:
        return refuse(OUTPUT, PLAIN)
    return back_averaged(ct, size, axis, mode, origin)


def back_averaged(ct: Any, size: int, axis: int, mode: str, origin: int) -> Any:
    """The adjoint of ndimage.uniform_filter1d"""
    found = ndimage.uniform_filter1d(ct, size, axis, mode="constant", origin=opposite_origin(size, origin))
    return with_ends(found, ct, np.full(size, 1.0 / size), axis, mode, origin)


@rule(back_averaged, tangent="linear", order="other", kind=smooth_kind, samples=[
    sample(REAL(5), 3, 0, "reflect", 0), sample(REAL(2, 4), 4, 1, "mirror", -1), sample(COMPLEX(4), 3, 0, "wrap", 1),
    sample(REAL(2, 3), 2, -1, "constant", 0)])
def back_averaged_rule(ct, out, x, size, axis, mode, origin):
    """The adjoint of means of x_(i + k - size // 2 - origin)"""
    return ndimage.uniform_filter1d(ct, size, axis, None, mode, 0.0, origin)


@jvp(ndimage.uniform_filter1d)
def uniform_filter1d_tangent(dot, out, input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return ndimage.uniform_filter1d(dot, size, axis, None, mode, 0.0, origin)


def at(option: Any, k: int) -> Any:
    """An option of one axis, where one for each may be given."""
    return option[k] if isinstance(option, (list, tuple, np.ndarray)) else option


def all_axes(axes: Any, ndim: int) -> tuple:
    """The axes that are meant, from the first."""
    return tuple(range(ndim)) if axes is None else tuple(k % ndim for k in axes) if isinstance(axes, (list,
        tuple)) else (axes % ndim,)


def surrounded(input: Any, shape: tuple, origin: Any, mode: str, cval: Any) -> Any:
    """An image with all that a filter of a shape sees beyond its edges"""
    whole = np.asarray(input)
    for axis in range(len(shape)):
        before = shape[axis] // 2 + at(origin, axis)
        whole = beyond(whole, before, shape[axis] - 1 - before, axis, mode, cval)
    return whole


def windowed(whole: Any, weights: Any) -> Any:
    """The sums of weights times what is in a window, wherever it fits: as signal.correlate, mostly faster"""
    middle = tuple(slice(n // 2, n // 2 + size - n + 1) for n, size in zip(weights.shape, whole.shape))
    return ndimage.correlate(whole, weights, mode="constant")[middle]


def window_products(whole: Any, ct: Any) -> Any:
    """w_k = sum of x_(i + k) conj(ct_i), for all k that x has room for: as signal.correlate, but fast for few k"""
    axes = [*range(2 * ct.ndim)]
    return np.einsum(sliding_window_view(whole, ct.shape), axes, np.conj(ct), axes[ct.ndim:], axes[:ct.ndim])


def unwindowed(ct: Any, weights: Any) -> Any:
    """The adjoint of `windowed`, but for the conjugation"""
    place = tuple(a + b - 1 for a, b in zip(ct.shape, weights.shape)), tuple(n - 1 - n // 2 for n in weights.shape)
    return ndimage.correlate(placed(ct, place), np.flip(weights) if not np.iscomplexobj(weights) else np.conj(np.flip(weights)),
                             mode="constant")


@rule(windowed, order="other", kind=spread_kind, samples=[
    sample(REAL(6), REAL(3)), sample(REAL(3, 5), REAL(2, 2)), sample(REAL(2, 4), REAL(1, 4))])
def windowed_rule(ct, out, whole, weights):
    """out_i = sum of conj(w_k) x_(i + k)"""
    return unwindowed(ct, weights), window_products(whole, ct)


@rule(unwindowed, tangent="multilinear", order="other", kind=spread_kind, samples=[
    sample(REAL(4), REAL(3)), sample(REAL(2, 4), REAL(2, 2)), sample(REAL(2, 1), REAL(1, 4))])
def unwindowed_rule(ct, out, x, weights):
    """out_j = sum of w_k x_(j - k)"""
    return windowed(ct, weights), window_products(ct, x)


@rule(window_products, order="other", kind=spread_kind, samples=[
    sample(REAL(6), REAL(4)), sample(COMPLEX(3, 5), COMPLEX(2, 4)), sample(REAL(2, 4), REAL(2, 1))])
def window_products_rule(ct, out, whole, cotangent):
    """out_k = sum of x_(i + k) conj(cotangent_i)"""
    return unwindowed(cotangent, ct), windowed(whole, ct)


@jvp(window_products)
def window_products_tangent(dot, out, whole, cotangent):
    return window_products(dot, cotangent), window_products(whole, dot)


@jvp(windowed)
def windowed_tangent(dot, out, whole, weights):
    return windowed(dot, weights), windowed(whole, dot)


def correlate(input: Any, weights: Any, output: Any = None, mode: str = "reflect", cval: Any = 0.0, origin: Any = 0, *,
              axes: Any = None) -> Any:
    """The sum of weights times neighbours"""
    if output is not None or axes is not None:
        no_formula(input, "scipy.ndimage.correlate or convolve with output or axes")
    weights = np.asarray(weights)
    return windowed(surrounded(input, weights.shape, origin, mode, cval), weights)


def convolve(input: Any, weights: Any, output: Any = None, mode: str = "reflect", cval: Any = 0.0, origin: Any = 0, *,
             axes: Any = None) -> Any:
    """`correlate` with the weights turned round"""
    weights = np.asarray(weights)
    turned = tuple(opposite_origin(weights.shape[k], at(origin, k)) for k in range(weights.ndim))
    return correlate(input, np.conj(np.flip(weights)), output, mode, cval, turned, axes=axes)


def convolve1d(input: Any, weights: Any, axis: int = -1, output: Any = None, mode: str = "reflect", cval: Any = 0.0,
               origin: int = 0) -> Any:
    """`correlate1d` with the weights turned round"""
    weights = np.asarray(weights)
    return ndimage.correlate1d(input, np.conj(weights[::-1]), axis, output, mode, cval, opposite_origin(len(weights), origin))


nondifferentiable(all_axes, kind=lambda axes, ndim: DISCRETE)
declare("instead", {ndimage.correlate: correlate, ndimage.convolve: convolve, ndimage.convolve1d: convolve1d})
