"""Splines of scipy.ndimage: images at coordinates between the pixels, shifted, enlarged, turned.

A spline of order n is c_p beta_n(x - p), summed over the pixels p, with the cardinal B-spline beta_n (M. Unser 1999). It is
linear in the image, so the adjoint adds to the pixels with the same weights; by a coordinate it has the derivative of beta_n.
"""
from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np
from scipy import ndimage, sparse, special

from sourcegrad.kinds import DISCRETE, Kind, Num
from sourcegrad.kinds.results import Unknown, leaf, shape_of
from sourcegrad.primitives.core import COMPLEX, REAL, Domain, conj, declare, jvp, ndim, nondifferentiable, rule, sample
from sourcegrad.primitives.scipy.images import OUTPUT, at, beyond, extended_edges, smooth_kind, source_of
from sourcegrad.runtime import no_formula, refuse

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
    weights = np.full(size, 2.0)
    weights[[0, -1]] = 1.0
    weights = weights.reshape([-1 if k == axis % ct.ndim else 1 for k in range(ct.ndim)])
    return weights * prefiltered(ct / weights, order, axis, mode)


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


def taps(x: Any, size: int, order: int, mode: str, nu: int) -> list:
    """Pixels and weights, or derivatives of weights, of a spline at coordinates along an axis; -1: outside"""
    inside = mapped(x, size, order, mode)
    start = np.floor(inside - 0.5 * (order - 1))
    rest = inside - 0.5 * (order - 1) - start
    found = []
    for k in range(order + 1):
        weight = np.zeros(x.shape)
        for factor in np.polyder(pieces(order)[order - k], nu) if nu <= order else ():
            weight *= rest
            weight += factor
        place = start.astype(np.intp) + k
        outside = (place < 0) | (place >= size)
        if outside.any():
            place[outside] = source_of(place[outside], size, {"constant": "mirror", "wrap": "mirror"}.get(mode, mode))
        found.append((place, weight))
    return found


def all_taps(coordinates: Any, shape: tuple, order: int, mode: str, nu: tuple) -> Any:
    """Pixels, as positions in the flat image (behind its end: the constant), and their weights, one tap after the other"""
    known = np.ones(coordinates.shape[1:], bool)
    if mode == "constant":
        for x, size in zip(coordinates, shape):
            known = known & (x >= 0) & (x <= size - 1)
    axes = [taps(x, size, order, mode, n) for x, size, n in zip(coordinates, shape, nu)]
    for (place, weight), *others in itertools.product(*axes):
        inside = place >= 0 if mode == "grid-constant" else known
        for (position, factor), size in zip(others, shape[1:]):
            if mode == "grid-constant":
                inside = inside & (position >= 0)
            place, weight = place * size + position, weight * factor
        if mode == "grid-constant":
            place = np.where(inside, place, math.prod(shape))
        elif mode == "constant":
            place, weight = np.where(inside, place, 0), np.where(inside, weight, 0.0)
        yield place, weight


def sampled(c: Any, coordinates: Any, order: int, mode: str, cval: Any, nu: tuple) -> Any:
    """The spline with coefficients c at coordinates, or a derivative of it"""
    if not any(nu):
        return ndimage.map_coordinates(c, coordinates, None, order, mode, cval, False)
    flat, total = np.append(c, cval), np.zeros(coordinates.shape[1:], np.result_type(c, np.float64))
    for place, weight in all_taps(coordinates, c.shape, order, mode, nu):
        total += weight * flat[place]
    return total.astype(np.result_type(c), copy=False)


def scattered(ct: Any, coordinates: Any, shape: tuple, order: int, mode: str, nu: tuple) -> Any:
    """The adjoint of `sampled` in the coefficients"""
    ct = np.asarray(ct)
    if np.iscomplexobj(ct):
        return (scattered(ct.real, coordinates, shape, order, mode, nu)
                + 1j * scattered(ct.imag, coordinates, shape, order, mode, nu))
    size = math.prod(shape)
    total = np.zeros(size + 1)
    for place, weight in all_taps(coordinates, shape, order, mode, nu):
        if 4 * place.size > size:
            total += np.bincount(place.ravel(), (weight * ct).ravel(), size + 1)
        else:
            np.add.at(total, place.ravel(), (weight * ct).ravel())
    return total[:size].reshape(shape).astype(ct.dtype, copy=False)


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
    found = taps(x, size, order, mode, nu)
    known = (x >= 0) & (x <= size - 1) if mode == "constant" else True
    columns, weights = np.stack([p for p, _ in found], axis=1), np.stack([np.where(known, w, 0.0) for _, w in found], axis=1)
    weights, columns = np.where(columns >= 0, weights, 0.0).ravel(), np.maximum(columns, 0).ravel()
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


# --- the functions ----------------------------------------------------------------------------------------

def spline_filter1d(input: Any, order: int = 3, axis: int = -1, output: Any = np.float64, mode: str = "mirror") -> Any:
    """The coefficients of splines along an axis"""
    if output is not np.float64:
        no_formula(input, OUTPUT)
    return prefiltered(input, order, axis, mode)


def spline_filter(input: Any, order: int = 3, output: Any = np.float64, mode: str = "mirror") -> Any:
    """The coefficients of splines along all axes"""
    if output is not np.float64:
        no_formula(input, OUTPUT)
    return along_all(np.asarray(input), order, mode)


def along_all(c: Any, order: int, mode: str) -> Any:
    """`prefiltered` along one axis after the other"""
    for axis in range(c.ndim):
        c = prefiltered(c, order, axis, mode)
    return c


def coefficients(input: Any, order: int, mode: str, cval: Any, prefilter: bool) -> Any:
    """The coefficients of the spline through an image, and how far it begins before the image"""
    if not prefilter or order <= 1:
        return input, 0
    if mode not in ("nearest", "grid-constant"):
        return along_all(input, order, mode), 0
    c = input
    for axis in range(input.ndim):
        c = extended_edges(c, 12, 12, axis, mode) if mode == "nearest" else beyond(c, 12, 12, axis, mode, cval)
    return along_all(c, order, mode), 12


def map_coordinates(input: Any, coordinates: Any, output: Any = None, order: int = 3, mode: str = "constant", cval: Any = 0.0,
                    prefilter: bool = True) -> Any:
    """An image at coordinates"""
    if output is not None:
        no_formula(input, OUTPUT)
    image, coordinates = np.asarray(input), np.asarray(coordinates)
    c, before = coefficients(image, order, mode, cval, prefilter)
    values = sampled(c, coordinates + before if before else coordinates + 0.0, order, mode, cval, (0,) * c.ndim)
    return values if c.dtype == image.dtype else values.astype(image.dtype)


def positions(shape: tuple) -> Any:
    """The coordinates of all pixels"""
    return np.indices(shape, dtype=float)


nondifferentiable(positions, kind=lambda shape: Num("float64", None, True))


def product_of_axes(image: Any, coordinates: list, output: Any, order: int, mode: str, cval: Any, prefilter: bool) -> Any:
    """An image at coordinates of which each axis has its own: along one axis after the other"""
    if output is not None:
        no_formula(image, OUTPUT)
    c, before = coefficients(image, order, mode, cval, prefilter)
    values = c - cval if mode == "grid-constant" else c
    for axis in range(image.ndim):
        values = along(values, coordinates[axis] + before, axis, order, mode, 0)
    if mode == "grid-constant":
        values = values + cval
    elif mode == "constant":
        values = np.where(all_inside(coordinates, image.shape), values, cval)
    return values if values.dtype == image.dtype else values.astype(image.dtype)


def all_inside(coordinates: list, shape: tuple) -> Any:
    """Where no coordinate is outside"""
    inside = [(x >= 0) & (x <= size - 1) for x, size in zip(coordinates, shape)]
    return functools.reduce(np.logical_and.outer, inside)


nondifferentiable(all_inside, kind=lambda coordinates, shape: Num("bool", None, True))


def for_each(value: Any, count: int) -> Any:
    """A number for each axis"""
    return np.ones(count) * value if np.ndim(value) == 0 else np.asarray(value)


def shift(input: Any, shift: Any, output: Any = None, order: int = 3, mode: str = "constant", cval: Any = 0.0,
          prefilter: bool = True) -> Any:
    """The image at x - shift"""
    image = np.asarray(input)
    steps = for_each(shift, image.ndim)
    return product_of_axes(image, [np.arange(image.shape[k]) - steps[k] for k in range(image.ndim)], output, order, mode, cval,
                           prefilter)


def zoomed_shape(shape: tuple, zoom: Any) -> tuple:
    return tuple(int(round(size * at(zoom, k))) for k, size in enumerate(shape))


def zoom_steps(shape: tuple, larger: tuple, grid_mode: bool) -> Any:
    """How far a pixel of the result goes in the image"""
    less = 0 if grid_mode else 1
    return np.array([(n - less) / (m - less) if m != less else 1.0 for n, m in zip(shape, larger)])


nondifferentiable(zoomed_shape, zoom_steps, kind=lambda *args: DISCRETE)


def zoom(input: Any, zoom: Any, output: Any = None, order: int = 3, mode: str = "constant", cval: Any = 0.0,
         prefilter: bool = True, *,
         grid_mode: bool = False) -> Any:
    """The image in another size: only that depends on `zoom`"""
    image = np.asarray(input)
    larger = zoomed_shape(image.shape, zoom)
    if prefilter and larger == image.shape and np.all(np.asarray(zoom) == 1):
        return image.copy()
    steps = zoom_steps(image.shape, larger, grid_mode)
    half = 0.5 if grid_mode else 0.0
    places = [(np.arange(larger[k]) + half) * steps[k] - half for k in range(image.ndim)]
    return product_of_axes(image, places, output, order, mode, cval, prefilter)


def affine_transform(input: Any, matrix: Any, offset: Any = 0.0, output_shape: Any = None, output: Any = None, order: int = 3,
                     mode: str = "constant", cval: Any = 0.0, prefilter: bool = True) -> Any:
    """The image at matrix @ x + offset"""
    image, matrix = np.asarray(input), np.asarray(matrix)
    count = image.ndim
    if matrix.ndim == 2 and matrix.shape[1] == count + 1:
        offset, matrix = matrix[:count, count], matrix[:count, :count]
    offset = for_each(offset, count)
    shape = tuple(image.shape if output_shape is None else output_shape)
    if matrix.ndim == 1:
        each = [(np.arange(shape[k]) + offset[k] / matrix[k]) * matrix[k] for k in range(count)]
        return product_of_axes(image, each, output, order, mode, cval, prefilter)
    places = positions(shape)
    rows = []
    for k in range(count):
        row = offset[k] + matrix[k, 0] * places[0]
        for j in range(1, len(places)):
            row = row + matrix[k, j] * places[j]
        rows.append(row)
    return map_coordinates(image, np.stack(rows), output, order, mode, cval, prefilter)


def turned_shape(shape: Any, c: Any, s: Any) -> tuple:
    """The size of the rectangle around a rotated one"""
    rows, columns = shape
    corners = np.array([[c, s], [-s, c]]) @ np.array([[0, 0, rows, rows], [0, columns, 0, columns]])
    return tuple(int(size) for size in np.ptp(corners, axis=1) + 0.5)


nondifferentiable(turned_shape, kind=lambda *args: DISCRETE)


def rotate(input: Any, angle: Any, axes: Any = (1, 0), reshape: bool = True, output: Any = None, order: int = 3,
           mode: str = "constant",
           cval: Any = 0.0, prefilter: bool = True) -> Any:
    """The image turned in a plane, about its middle"""
    image = np.asarray(input)
    c, s = special.cosdg(angle), special.sindg(angle)
    matrix = np.array([[c, s], [-s, c]])
    if image.ndim == 2:
        shape, offset = about_middle(image.shape, matrix, c, s, reshape)
        return affine_transform(image, matrix, offset, shape, output, order, mode, cval, prefilter)
    plane = tuple(sorted((axes[0] % image.ndim, axes[1] % image.ndim)))
    turned = np.moveaxis(image, plane, (0, 1))
    shape, offset = about_middle(turned.shape[:2], matrix, c, s, reshape)
    rest: Any = turned.shape[2:]
    flat = np.reshape(turned, (turned.shape[0], turned.shape[1], -1))
    layers = [affine_transform(flat[:, :, k], matrix, offset, shape, output, order, mode, cval, prefilter)
              for k in range(flat.shape[2])]
    return np.moveaxis(np.reshape(np.stack(layers, axis=2), shape + rest), (0, 1), plane)


def about_middle(size: tuple, matrix: Any, c: Any, s: Any, reshape: bool) -> tuple:
    """The shape of a turned image, and the offset that keeps the middle"""
    shape: Any = turned_shape(size, c, s) if reshape else size
    return shape, 0.5 * (np.array(size) - 1) - matrix @ (0.5 * (np.array(shape) - 1))


declare("instead", {
    ndimage.spline_filter: spline_filter, ndimage.spline_filter1d: spline_filter1d, ndimage.map_coordinates: map_coordinates,
    ndimage.shift: shift, ndimage.zoom: zoom, ndimage.affine_transform: affine_transform, ndimage.rotate: rotate})
