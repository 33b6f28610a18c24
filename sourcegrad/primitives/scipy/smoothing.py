"""Filters of scipy.ndimage that are made of correlations along axes, in plain Python: Gaussians, means, differences."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from sourcegrad.kinds import DISCRETE, Const, Kind, Num
from sourcegrad.kinds.results import leaf
from sourcegrad.primitives.core import declare, nondifferentiable
from sourcegrad.primitives.scipy.images import OUTPUT, all_axes, at
from sourcegrad.runtime import no_formula


def gaussian_weights(sigma: Any, order: int, radius: int) -> Any:
    """A derivative of the normal density at whole numbers, by Hermite polynomials, where its sum is one"""
    x = np.arange(-radius, radius + 1)
    density = np.exp(-0.5 * (x / sigma) ** 2)
    density = density / np.sum(density)
    before, factor = np.zeros(len(x)), np.ones(len(x))
    for k in range(order):
        before, factor = factor, -(x * factor + k * before) / sigma ** 2
    return factor * density


def gaussian_filter1d(input: Any, sigma: Any, axis: int = -1, order: int = 0, output: Any = None, mode: str = "reflect",
                      cval: Any = 0.0, truncate: float = 4.0, *, radius: Any = None) -> Any:
    """The convolution with a normal density, or with a derivative of it"""
    reach = int(truncate * float(sigma) + 0.5) if radius is None else radius
    return ndimage.correlate1d(input, gaussian_weights(sigma, order, reach)[::-1], axis, output, mode, cval)


def gaussian_filter(input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                    truncate: float = 4.0, *, radius: Any = None, axes: Any = None) -> Any:
    """`gaussian_filter1d` along one axis after the other"""
    if output is not None:
        no_formula(input, OUTPUT)
    smooth = np.asarray(input)
    chosen = all_axes(axes, smooth.ndim)
    for k in range(len(chosen)):
        if at(sigma, k) > 1e-15:
            smooth = gaussian_filter1d(smooth, at(sigma, k), chosen[k], at(order, k), None, at(mode, k), cval, truncate,
                                       radius=at(radius, k))
    return smooth


def uniform_filter(input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
                   axes: Any = None) -> Any:
    """The means of boxes"""
    if output is not None:
        no_formula(input, OUTPUT)
    smooth = np.asarray(input)
    chosen = all_axes(axes, smooth.ndim)
    for k in range(len(chosen)):
        if at(size, k) > 1:
            smooth = ndimage.uniform_filter1d(smooth, at(size, k), chosen[k], None, at(mode, k), cval, at(origin, k))
    return smooth


def edge_filter(input: Any, side: Any, axis: int, output: Any, mode: Any, cval: Any) -> Any:
    """The difference along one axis, and a sum with the neighbours along the others"""
    if output is not None:
        no_formula(input, OUTPUT)
    image = np.asarray(input)
    found = ndimage.correlate1d(image, np.array([-1.0, 0.0, 1.0]), axis, None, at(mode, axis % image.ndim), cval)
    for other in range(image.ndim):
        if other != axis % image.ndim:
            found = ndimage.correlate1d(found, np.array([1.0, side, 1.0]), other, None, at(mode, other), cval)
    return found


def sobel(input: Any, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    """Differences, with weights 1, 2, 1 across"""
    return edge_filter(input, 2.0, axis, output, mode, cval)


def prewitt(input: Any, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    """Differences, with weights 1, 1, 1 across"""
    return edge_filter(input, 1.0, axis, output, mode, cval)


def laplace(input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None) -> Any:
    """The sum of the second differences"""
    if output is not None:
        no_formula(input, OUTPUT)
    image = np.asarray(input)
    chosen = all_axes(axes, image.ndim)
    total = np.zeros(image.shape, image.dtype)
    for k in range(len(chosen)):
        total = total + ndimage.correlate1d(image, np.array([1.0, -2.0, 1.0]), chosen[k], None, at(mode, k), cval)
    return total


def gaussian_laplace(input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None,
                     truncate: float = 4.0) -> Any:
    """The sum of the second derivatives of `gaussian_filter`"""
    if output is not None or axes is not None:
        no_formula(input, "scipy.ndimage.gaussian_laplace with output or axes")
    image = np.asarray(input)
    total = np.zeros(image.shape, image.dtype)
    for k in range(image.ndim):
        order = tuple(2 if axis == k else 0 for axis in range(image.ndim))
        total = total + gaussian_filter(image, sigma, order, None, at(mode, k), cval, truncate)
    return total


def gaussian_gradient_magnitude(input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *,
                                axes: Any = None, truncate: float = 4.0) -> Any:
    """The length of the gradient of `gaussian_filter`"""
    if output is not None or axes is not None:
        no_formula(input, "scipy.ndimage.gaussian_gradient_magnitude with output or axes")
    image = np.asarray(input)
    total = np.zeros(image.shape, image.dtype)
    for k in range(image.ndim):
        order = tuple(1 if axis == k else 0 for axis in range(image.ndim))
        total = total + gaussian_filter(image, sigma, order, None, at(mode, k), cval, truncate) ** 2
    return np.sqrt(total)


def fourier_shift(input: Any, shift: Any, n: int = -1, axis: int = -1, output: Any = None) -> Any:
    """The transform of a shifted image: each wave turns"""
    if output is not None or n >= 0:
        no_formula(input, "scipy.ndimage.fourier_shift with output, or of a real transform (n)")
    image = np.asarray(input)
    shifts = np.broadcast_to(np.asarray(shift) + 0.0, (image.ndim,))
    turned = image + 0j
    for k in range(image.ndim):
        waves = np.fft.fftfreq(image.shape[k]).reshape([-1 if j == k else 1 for j in range(image.ndim)])
        turned = turned * np.exp(-2j * np.pi * waves * shifts[k])
    return turned


def distances_kind(input: Kind, *rest: Kind, return_distances: Kind = Const(True), return_indices: Kind = Const(False),
                   **_: Kind) -> Kind:
    """An array of the shape of the image, where not more is asked for."""
    plain = return_distances == Const(True) and return_indices == Const(False) and len(rest) < 2
    return Num(None, leaf(input).dims, True) if plain else DISCRETE


nondifferentiable(ndimage.distance_transform_edt, ndimage.distance_transform_cdt, ndimage.distance_transform_bf,
                  kind=distances_kind, but=("sampling", "metric", "distances", "indices"))
declare("instead", {
    ndimage.fourier_shift: fourier_shift, ndimage.gaussian_filter: gaussian_filter,
    ndimage.gaussian_filter1d: gaussian_filter1d, ndimage.uniform_filter: uniform_filter, ndimage.sobel: sobel,
    ndimage.prewitt: prewitt,
    ndimage.laplace: laplace, ndimage.gaussian_laplace: gaussian_laplace,
    ndimage.gaussian_gradient_magnitude: gaussian_gradient_magnitude})
