"""Functions of scipy.ndimage that sample an image elsewhere, in plain Python: shifted, enlarged, turned, at any coordinates.

All take the coefficients of the spline through the image, and its values at coordinates (`resampling`): along one axis after the
other, where each has coordinates of its own.
"""
from __future__ import annotations

import functools
from typing import Any

import numpy as np
from scipy import ndimage, special

from sourcegrad.kinds import DISCRETE, Kind, Num
from sourcegrad.kinds.results import leaf, together
from sourcegrad.primitives.core import REAL, declare, jvp, nondifferentiable, rule, sample
from sourcegrad.primitives.scipy.images import OUTPUT, at, beyond, extended_edges
from sourcegrad.primitives.scipy.resampling import along, prefiltered, sampled
from sourcegrad.runtime import no_formula


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


def places_of_pixels(matrix: Any, offset: Any, shape: tuple) -> Any:
    """matrix @ x + offset, for all pixels x of a shape; summed as SciPy does"""
    places = np.empty((len(matrix),) + tuple(shape), np.result_type(float, matrix, offset))
    for place, row, start in zip(places, matrix, offset):
        place[...] = start
        for factor, along_axis in zip(row, np.indices(shape, sparse=True)):
            place += factor * along_axis
    return places


def moments(ct: Any) -> Any:
    """The sums of ct_k(x) x_j over all pixels x"""
    found = np.empty((len(ct), ct.ndim - 1), ct.dtype)
    for j in range(ct.ndim - 1):
        found[:, j] = np.sum(ct, axis=tuple(k for k in range(1, ct.ndim) if k != j + 1)) @ np.arange(ct.shape[j + 1])
    return found


def places_kind(matrix: Kind, offset: Kind, shape: Kind) -> Kind:
    count = leaf(matrix).dims
    dims = (None,) * (1 + count[0]) if count and count[0] is not None else None
    return Num(together(leaf(matrix), leaf(offset), Num("float64", (), False)), dims, True)


@rule(places_of_pixels, kind=places_kind, samples=[
    sample(REAL(2, 2), REAL(2), (3, 4)), sample(REAL(1, 1), REAL(1), (3,)), sample(REAL(3, 3), REAL(3), (2, 1, 3))])
def places_of_pixels_rule(ct, out, matrix, offset, shape):
    """out = matrix @ x + offset"""
    return moments(ct), np.sum(np.reshape(ct, (np.shape(ct)[0], -1)), axis=1)


@jvp(places_of_pixels)
def places_of_pixels_tangent(dot, out, matrix, offset, shape):
    return places_of_pixels(dot, np.zeros(np.shape(offset)), shape), places_of_pixels(np.zeros(np.shape(matrix)), dot, shape)


@rule(moments, tangent="linear", kind=lambda ct: Num(leaf(ct).dtype, (None, None), True), samples=[
    sample(REAL(2, 3, 4)), sample(REAL(1, 3)), sample(REAL(3, 2, 1, 3))])
def moments_rule(ct, out, x):
    """out_kj = sum of x_k(p) p_j"""
    return places_of_pixels(ct, np.zeros(np.shape(x)[0]), np.shape(x)[1:])


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
    if output is not None:
        no_formula(image, OUTPUT)
    c, before = coefficients(image, order, mode, cval, prefilter)
    values = sampled(c, places_of_pixels(matrix, offset + before, shape), order, mode, cval, (0,) * c.ndim)
    return values if c.dtype == image.dtype else values.astype(image.dtype)


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
