"""Splines of scipy.ndimage: rules for their coefficients, and for their values at coordinates between the pixels.

A spline of order n is c_p beta_n(x - p), summed over the pixels p, with the cardinal B-spline beta_n (M. Unser 1999). It is
linear in the image, so the adjoint adds to the pixels with the same weights; by a coordinate it has the derivative of beta_n.
"""
from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from scipy import ndimage, sparse

from sourcegrad.kinds import DISCRETE, Kind, Num
from sourcegrad.kinds.results import Unknown, leaf, shape_of
from sourcegrad.primitives.core import COMPLEX, REAL, Domain, conj, jvp, ndim, nondifferentiable, rule, sample
from sourcegrad.primitives.scipy.images import smooth_kind, source_of
from sourcegrad.runtime import refuse

MANY_AXES = "the derivative of an image of more than 3 axes by coordinates"
FEWER = "Give images of at most 3 axes, or use the coordinates as constants."

# --- the prefilter ----------------------------------------------------------------------------------------


def prefiltered(x: Any, order: int, axis: int, mode: str) -> Any:
    """The coefficients of the spline through values along an axis"""
    return ndimage.spline_filter1d(x, order, axis, mode=mode)


def transposed(ct: Any, order: int, axis: int, mode: str) -> Any:
    """The adjoint of `prefiltered`. Where values have a mirror image, but for those at the ends, it is that between weights 2 and
    1, elsewhere it is symmetric; of few values SciPy computes it roughly, and the adjoint is that of what it computes"""
    size = ct.shape[axis]
    if order < 2 or size < 2:
        return prefiltered(ct, order, axis, mode)
    if size <= 40:
        matrix = prefiltered(np.eye(size), order, 0, mode)
        return np.moveaxis(np.moveaxis(ct, axis, -1) @ matrix, -1, axis).astype(ct.dtype, copy=False)
    if mode not in ("mirror", "constant", "grid-constant", "wrap"):
        return prefiltered(ct, order, axis, mode)
    doubled = ct.copy()
    ends(doubled, axis)[...] *= 2.0
    found = prefiltered(doubled, order, axis, mode)
    ends(found, axis)[...] *= 0.5
    return found


def ends(x: Any, axis: int) -> Any:
    """The first and the last values along an axis"""
    return np.moveaxis(x, axis, 0)[::len(np.moveaxis(x, axis, 0)) - 1]


LINES = [sample(REAL(4, 3), 3, 0, "mirror"), sample(REAL(2, 5), 2, 1, "reflect"), sample(REAL(6), 5, 0, "grid-wrap"),
         sample(REAL(2), 4, 0, "mirror"), sample(REAL(5), 4, -1, "nearest"), sample(COMPLEX(4), 3, 0, "wrap"), sample(REAL(1), 3,
             0, "mirror"),
         sample(REAL(3), 1, 0, "mirror"), sample(REAL(7), 3, 0, "constant"), sample(REAL(3), 5, 0, "grid-constant"),
         sample(REAL(3), 2, 0, "grid-mirror")]


@rule(prefiltered, tangent="linear", order="other", kind=smooth_kind, samples=LINES)
def prefiltered_rule(ct, out, x, order, axis, mode):
    """B out = x, with the values of B-splines at the pixels"""
    return transposed(ct, order, axis, mode)


@rule(transposed, tangent="linear", order="other", kind=smooth_kind, samples=LINES)
def transposed_rule(ct, out, x, order, axis, mode):
    """The transpose of B satisfies B^T out = x"""
    return prefiltered(ct, order, axis, mode)


# --- values at coordinates --------------------------------------------------------------------------------

@functools.cache
def pieces(order: int) -> tuple:
    """The polynomials of the cardinal B-spline on (0, 1), (1, 2), ... by the recursion of de Boor (1972)"""
    if order == 0:
        return (np.array([1.0]),)
    lower = (np.zeros(1), *pieces(order - 1), np.zeros(1))
    return tuple(np.polyadd(np.polymul([1.0, j], lower[j + 1]), np.polymul([-1.0, order + 1.0 - j], lower[j])) / order
                 for j in range(order + 1))


def mapped(x: Any, size: int, order: int, mode: str) -> Any:
    """Coordinates along an axis, inside where the mode says so; those of splines of order 1 and more may stay outside"""
    if mode == "wrap":
        period = max(size - 1, 1)
        below, above = x + period * (np.floor(-x / period) + 1.0), x - period * np.floor(x / period)
        return 0.0 * x if size == 1 else np.where(x < 0, below, np.where(x > size - 1, above, x))
    if order == 0 and mode == "mirror":
        period = max(2 * size - 2, 1)
        below, above = x + period * np.floor(-x / period), x - period * np.floor(x / period)
        return np.where(x < 0, np.where(below <= 1 - size, below + period, -below), np.where(above >= size, period - above, above))
    if order == 0 and mode in ("reflect", "grid-mirror"):
        folded = (x + 0.5) % (2 * size)
        return np.minimum(folded, 2 * size - folded) - 0.5
    return x


def taps(x: Any, size: int, order: int, mode: str, nu: int) -> tuple:
    """Pixels and weights, or derivatives of weights, of a spline at coordinates along an axis: a row for each tap; -1: outside"""
    inside = mapped(x, size, order, mode)
    start = np.floor(inside - 0.5 * (order - 1))
    rest = inside - 0.5 * (order - 1) - start
    places, weights = start.astype(np.intp) + np.arange(order + 1)[:, np.newaxis], np.zeros((order + 1, len(x)))
    for k, weight in enumerate(weights):
        for factor in np.polyder(pieces(order)[order - k], nu) if nu <= order else ():
            weight *= rest
            weight += factor
    outside = (places < 0) | (places >= size)
    if outside.any():
        places[outside] = source_of(places[outside], size, {"constant": "mirror", "wrap": "mirror"}.get(mode, mode))
    return places, weights


AT_ONCE = 1 << 16                               # pixels and weights in a part of the work: few enough for the cache


def parts(coordinates: Any, shape: tuple, order: int, mode: str) -> Any:
    """Where the spline is not constant: positions in the flat coordinates, and these, a part after the other"""
    flat = coordinates.reshape(len(shape), -1)
    step = max(1, AT_ONCE // (order + 1) ** len(shape))
    for start in range(0, flat.shape[1], step):
        place: Any = slice(start, start + step)
        x = flat[:, place]
        if mode == "constant":
            known = functools.reduce(np.logical_and, ((at >= 0) & (at <= size - 1) for at, size in zip(x, shape)))
            if not known.all():
                place = start + np.flatnonzero(known)
                x = flat[:, place]
        if x.size:
            yield place, x


def all_taps(x: Any, shape: tuple, order: int, mode: str, nu: tuple) -> tuple:
    """Pixels, as positions in the flat image with a border of one (`bordered`), and their weights: a row for each tap"""
    place, weight = np.zeros((1, x.shape[1]), np.intp), np.ones((1, x.shape[1]))
    for at, size, n in zip(x, shape, nu):
        more, factor = taps(at, size, order, mode, n)
        if mode == "grid-constant":
            more[more < 0] = size
        place = (place[:, np.newaxis] * (size + 1) + more).reshape(-1, x.shape[1])
        weight = (weight[:, np.newaxis] * factor).reshape(-1, x.shape[1])
    return place, weight


def bordered(shape: tuple) -> tuple:
    """The shape of an image with one more pixel behind the last along each axis: there stands the constant"""
    return tuple(size + 1 for size in shape)


def sampled(c: Any, coordinates: Any, order: int, mode: str, cval: Any, nu: tuple) -> Any:
    """The spline with coefficients c at coordinates, or a derivative of it"""
    if not any(nu):
        return ndimage.map_coordinates(c, coordinates, None, order, mode, cval, False)
    flat, total = np.pad(c, (0, 1), constant_values=cval).ravel(), np.zeros(coordinates.shape[1:], np.result_type(c, np.float64))
    values = total.reshape(-1)
    for part, x in parts(coordinates, c.shape, order, mode):
        place, weight = all_taps(x, c.shape, order, mode, nu)
        values[part] = np.einsum("ki,ki->i", weight, flat[place])
    return total.astype(np.result_type(c), copy=False)


def scattered(ct: Any, coordinates: Any, shape: tuple, order: int, mode: str, nu: tuple) -> Any:
    """The adjoint of `sampled` in the coefficients"""
    ct = np.asarray(ct)
    if np.iscomplexobj(ct):
        return (scattered(ct.real, coordinates, shape, order, mode, nu)
                + 1j * scattered(ct.imag, coordinates, shape, order, mode, nu))
    total, values = np.zeros(bordered(shape)), ct.reshape(-1)
    for part, x in parts(coordinates, shape, order, mode):
        place, weight = all_taps(x, shape, order, mode, nu)
        weight *= values[part]
        np.add.at(total.reshape(-1), place.ravel(), weight.ravel())
    return total[tuple(slice(size) for size in shape)].astype(ct.dtype)


def raised(nu: tuple, axis: int) -> tuple:
    """One derivative more along an axis."""
    return nu[:axis] + (nu[axis] + 1,) + nu[axis + 1:]


nondifferentiable(raised, kind=lambda nu, axis: DISCRETE)


def sampled_kind(c: Kind, coordinates: Kind, *_: Kind, **__: Kind) -> Kind:
    model, places = leaf(c), leaf(coordinates)
    return Num(model.dtype if model.dtype in ("float64", "complex128") else None, places.dims and places.dims[1:], True)


def scattered_kind(ct: Kind, coordinates: Kind, shape: Kind, *_: Kind) -> Kind:
    model = leaf(ct)
    try:
        dims: Any = (None,) * len(shape_of(shape))
    except Unknown:
        dims = None
    return Num(model.dtype if model.dtype in ("float64", "complex128") else None, dims, True)


BETWEEN = Domain("BETWEEN", lambda rng, shape: rng.uniform(0.1, 1.9, shape) + rng.integers(-2, 3, shape))
INSIDE = Domain("INSIDE", lambda rng, shape: rng.uniform(0.1, 0.9, shape) + rng.integers(0, 2, shape))


@rule(sampled, kind=sampled_kind, samples=[
    sample(REAL(5), BETWEEN(1, 4), 3, "mirror", 0.0, (0,)), sample(REAL(5), BETWEEN(1, 3), 2, "reflect", 0.0, (0,)),
    sample(REAL(4), BETWEEN(1, 2, 2), 3, "grid-wrap", 0.0, (0,)), sample(REAL(3, 4), BETWEEN(2, 3), 3, "mirror", 0.0, (0, 0)),
    sample(REAL(3, 3), INSIDE(2, 2), 4, "constant", 2.0, (0, 0)), sample(REAL(4), BETWEEN(1, 3), 5, "mirror", 0.0, (1,)),
    sample(REAL(3, 3), INSIDE(2, 3), 3, "nearest", 0.0, (0, 1)), sample(REAL(3, 3, 2), BETWEEN(3, 2), 3, "grid-constant", 1.0, (0,
        0, 0))])
def sampled_rule(ct, out, c, coordinates, order, mode, cval, nu):
    """out = sum of c_p beta_n(x - p)"""
    image = scattered(ct, coordinates, np.shape(c), order, mode, nu)
    if ndim(c) == 1:
        return image, np.stack([ct * conj(sampled(c, coordinates, order, mode, cval, raised(nu, 0)))])
    if ndim(c) == 2:
        return image, np.stack([ct * conj(sampled(c, coordinates, order, mode, cval, raised(nu, 0))),
                                ct * conj(sampled(c, coordinates, order, mode, cval, raised(nu, 1)))])
    if ndim(c) == 3:
        return image, np.stack([ct * conj(sampled(c, coordinates, order, mode, cval, raised(nu, 0))),
                                ct * conj(sampled(c, coordinates, order, mode, cval, raised(nu, 1))),
                                ct * conj(sampled(c, coordinates, order, mode, cval, raised(nu, 2)))])
    return image, refuse(MANY_AXES, FEWER)


@rule(scattered, kind=scattered_kind, samples=[
    sample(REAL(4), BETWEEN(1, 4), (5,), 3, "mirror", (0,)), sample(REAL(3), BETWEEN(2, 3), (3, 4), 3, "reflect", (0, 1)),
    sample(REAL(2), INSIDE(3, 2), (2, 3, 3), 2, "constant", (0, 0, 0))])
def scattered_rule(ct, out, weights, coordinates, shape, order, mode, nu):
    """out_p = sum of weights beta_n(x - p)"""
    values = sampled(ct, coordinates, order, mode, 0.0, nu)
    if ndim(ct) == 1:
        return values, np.stack([conj(weights) * sampled(ct, coordinates, order, mode, 0.0, raised(nu, 0))])
    if ndim(ct) == 2:
        return values, np.stack([conj(weights) * sampled(ct, coordinates, order, mode, 0.0, raised(nu, 0)),
                                 conj(weights) * sampled(ct, coordinates, order, mode, 0.0, raised(nu, 1))])
    if ndim(ct) == 3:
        return values, np.stack([conj(weights) * sampled(ct, coordinates, order, mode, 0.0, raised(nu, 0)),
                                 conj(weights) * sampled(ct, coordinates, order, mode, 0.0, raised(nu, 1)),
                                 conj(weights) * sampled(ct, coordinates, order, mode, 0.0, raised(nu, 2))])
    return values, refuse(MANY_AXES, FEWER)


# --- values along an axis -----------------------------------------------------------------------------------

def weights_along(x: Any, size: int, order: int, mode: str, nu: int) -> Any:
    """The sparse matrix of the weights with which pixels come into values at coordinates along an axis"""
    columns, weights = taps(x, size, order, mode, nu)
    known = (x >= 0) & (x <= size - 1) if mode == "constant" else True
    weights, columns = np.where(known & (columns >= 0), weights, 0.0).T.ravel(), np.maximum(columns, 0).T.ravel()
    return sparse.csr_array((weights, columns, np.arange(len(x) + 1) * (order + 1)), shape=(len(x), size))


def applied(matrix: Any, c: Any, axis: int) -> Any:
    """A matrix times all that lies along an axis"""
    front = np.moveaxis(c, axis, 0)
    found = matrix @ front.reshape(len(front), math.prod(front.shape[1:]))
    return np.moveaxis(found.reshape((-1,) + front.shape[1:]), 0, axis).astype(np.result_type(c), copy=False)


def along(c: Any, x: Any, axis: int, order: int, mode: str, nu: int) -> Any:
    """The splines with coefficients along an axis, or derivatives of them, at coordinates"""
    return applied(weights_along(x, c.shape[axis], order, mode, nu), c, axis)


def back_along(ct: Any, x: Any, size: int, axis: int, order: int, mode: str, nu: int) -> Any:
    """The adjoint of `along` in the coefficients"""
    return applied(weights_along(x, size, order, mode, nu).T, ct, axis)


def summed_across(ct: Any, slopes: Any, axis: int) -> Any:
    """The sum of ct conj(slopes) over all other axes"""
    return np.sum(ct * np.conj(slopes), axis=tuple(k for k in range(ct.ndim) if k != axis % ct.ndim))


def line_kind(line: Kind, shape: Kind, axis: Kind) -> Kind:
    return scattered_kind(line, line, shape)


def across_kind(ct: Kind, slopes: Kind, axis: Kind) -> Kind:
    found = {leaf(ct).dtype, leaf(slopes).dtype}
    return Num("float64" if found == {"float64"} else None, (None,), True)


def resized(c: Kind, *_: Kind) -> Kind:
    model = leaf(c)
    return Num(model.dtype if model.dtype in ("float64", "complex128") else None, model.dims and (None,) * len(model.dims), True)


@rule(along, order="other", kind=resized, samples=[
    sample(REAL(5), BETWEEN(4), 0, 3, "mirror", 0), sample(REAL(2, 4), BETWEEN(3), 1, 2, "reflect", 0),
    sample(REAL(4, 2), INSIDE(3), 0, 3, "constant", 1), sample(REAL(4), BETWEEN(5), -1, 4, "grid-constant", 0)])
def along_rule(ct, out, c, x, axis, order, mode, nu):
    """out_i = sum of c_p beta_n(x_i - p)"""
    return (back_along(ct, x, np.shape(c)[axis], axis, order, mode, nu),
            summed_across(ct, along(c, x, axis, order, mode, nu + 1), axis))


@rule(back_along, order="other", kind=resized, samples=[
    sample(REAL(4), BETWEEN(4), 5, 0, 3, "mirror", 0), sample(REAL(2, 3), INSIDE(3), 4, 1, 3, "nearest", 1)])
def back_along_rule(ct, out, weights, x, size, axis, order, mode, nu):
    """out_p = sum of weights_i beta_n(x_i - p)"""
    return (along(ct, x, axis, order, mode, nu),
            summed_across(along(ct, x, axis, order, mode, nu + 1), weights, axis))


@rule(summed_across, kind=across_kind, samples=[sample(REAL(3), REAL(3), 0), sample(REAL(2, 3), REAL(2, 3), 1), sample(COMPLEX(3,
    2), COMPLEX(3, 2), 0)])
def summed_across_rule(ct, out, x, slopes, axis):
    """out = sum of x conj(slopes)"""
    line = spread_across(ct, np.shape(x), axis)
    return line * slopes, conj(line) * x


def spread_across(ct: Any, shape: tuple, axis: int) -> Any:
    """A line along an axis, the same at all places of the others"""
    return np.broadcast_to(np.reshape(ct, [-1 if k == axis % len(shape) else 1 for k in range(len(shape))]), shape)


@rule(spread_across, tangent="linear", result="view", read_only=True, order="other", kind=line_kind, samples=[
    sample(REAL(3), (2, 3), 1), sample(COMPLEX(3), (3, 2), 0), sample(REAL(3), (3,), 0)])
def spread_across_rule(ct, out, line, shape, axis):
    """out = line"""
    return summed_across(ct, np.ones(shape), axis)


@jvp(summed_across)
def summed_across_tangent(dot, out, x, slopes, axis):
    return summed_across(dot, slopes, axis), summed_across(x, dot, axis)
