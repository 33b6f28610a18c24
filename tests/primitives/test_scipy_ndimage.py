"""Functions of scipy.ndimage: every mode and order, by values, by dot products of adjoints, and by derivatives in programs."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import primitives
from sourcegrad.errors import SourcegradError
from sourcegrad.primitives.core import primitive_of
from tests.primitives.scipy_checks import check, weighted

ndimage = pytest.importorskip("scipy.ndimage")
primitives.with_scipy()
RNG = np.random.default_rng(5)
IMAGE, BOX, LINE = RNG.normal(size=(6, 7)), RNG.normal(size=(3, 4, 5)), RNG.normal(size=7)
KERNEL, AT = RNG.normal(size=(3, 2)), RNG.uniform(0.2, 5.8, size=(2, 5))
pytestmark = [pytest.mark.filterwarnings("ignore:It is recommended"),
              pytest.mark.filterwarnings("ignore:The behavior of affine_transform")]       # (of older SciPy)
MODES = ["reflect", "mirror", "nearest", "wrap", "constant", "grid-wrap", "grid-constant", "grid-mirror"]
ANY_MODE = pytest.mark.parametrize("mode", MODES)


def total(result):
    return np.sum(result * weighted(result))


def filters(mode):
    """Calls of filters with all their options, as (function, arguments, options)."""
    edge = {"mode": mode, "cval": 1.5}
    for shape, origins in [((3, 3), [0, (1, -1)]), ((2, 3), [0]), ((4, 1), [0]), ((1, 1), [0])]:
        for origin in origins:
            yield from ((f, (np.cos(np.arange(shape[0] * shape[1])).reshape(shape),), {**edge, "origin": origin})
                        for f in (ndimage.correlate, ndimage.convolve))
    for count in (1, 2, 3, 4):
        yield ndimage.convolve1d, (np.arange(1.0, count + 1.0),), {**edge, "axis": 0}
    for order in (0, 1, 2, 3):
        yield ndimage.gaussian_filter1d, (1.2,), {**edge, "axis": 0, "order": order}
        yield ndimage.gaussian_filter, ((1.2, 0.7),), {**edge, "order": (order, 0)}
    yield ndimage.gaussian_filter, (1.1,), {"mode": mode, "axes": (1,), "radius": 2}
    yield ndimage.gaussian_filter, ((0, 1.0),), {"mode": (mode, "wrap"), "truncate": 2.0}
    yield ndimage.uniform_filter, ((3, 2),), {**edge, "origin": (1, 0)}
    for f in (ndimage.sobel, ndimage.prewitt):
        yield from ((f, (axis,), edge) for axis in (0, -1))
    yield from ((ndimage.laplace, (), options) for options in (edge, {"mode": mode, "axes": (0,)}))
    yield from ((f, (1.1,), edge) for f in (ndimage.gaussian_laplace, ndimage.gaussian_gradient_magnitude))


def resampled(mode, order):
    """Calls of what samples an image."""
    edge = {"mode": mode, "order": order, "cval": 1.5}
    places = np.random.default_rng(1).uniform(-4.0, 10.0, size=(2, 5, 3))
    for prefilter in (True, False):
        more = {**edge, "prefilter": prefilter}
        yield from ((ndimage.map_coordinates, (x,), more) for x in (places, np.round(places), np.round(places) + 0.5))
        yield from ((ndimage.shift, (step,), more) for step in ((1.3, -0.4), 2, 9.5))
        yield from ((ndimage.zoom, (z,), {**more, "grid_mode": g}) for z in (1, (1.5, 0.5), 1.7) for g in (False, True))
        for matrix in ([1.2, 0.8], [[1.1, 0.2], [-0.3, 0.9]], [[1.1, 0.2, 0.5], [-0.3, 0.9, 0.6]]):
            yield ndimage.affine_transform, (np.array(matrix),), {**more, "output_shape": (4, 5)}
        yield from ((ndimage.rotate, (angle,), {**more, "reshape": reshape}) for angle in (0, 90, 33.0) for reshape in (True,
            False))
    if order > 1:
        yield ndimage.spline_filter, (order,), {"mode": mode}


def wrong_values(calls):
    found = []
    for function, args, options in calls:
        expected, ours = function(IMAGE, *args, **options), primitive_of(function).instead(IMAGE, *args, **options)
        near = 2e-3 if function is ndimage.zoom and args == (1,) else 1e-9       # (SciPy 1.15 filters what it leaves where it is)
        if expected.shape != ours.shape or not np.allclose(expected, ours, near, 0.1 * near):
            found.append((function.__name__, args, options))
    return found


@ANY_MODE
def test_values_of_filters(mode):
    assert not wrong_values(filters(mode))


@ANY_MODE
@pytest.mark.parametrize("order", range(6))
def test_values_between_pixels(mode, order):
    assert not wrong_values(resampled(mode, order))


@ANY_MODE
@pytest.mark.parametrize("order", range(6))
def test_adjoints_are_transposed(mode, order):
    """<w, A x> is <A^T w, x>, of images with all sizes from 1 and coordinates far outside."""
    from sourcegrad.primitives.scipy import resampling

    rng = np.random.default_rng(order)
    for shape in [(1,), (2,), (3,), (8,), (3, 2), (1, 4)]:
        x = rng.normal(size=shape)
        for places in (rng.uniform(-9.0, 15.0, size=(len(shape), 30)), rng.integers(-9, 15, size=(len(shape), 30)) * 0.5):
            values = ndimage.map_coordinates(x, places, None, order, mode, 0.0, False)
            w = rng.normal(size=30)
            assert np.isclose(w @ values, np.sum(resampling.scattered(w, places, shape, order, mode, (0,) * len(shape)) * x))
        c = resampling.prefiltered(x, order, 0, mode)
        assert np.isclose(np.sum(x[::-1] * c), np.sum(resampling.transposed(x[::-1], order, 0, mode) * x))
        step = rng.uniform(-9.0, 15.0, size=12)
        moved = resampling.along(x, step, 0, order, mode, 0)
        w = rng.normal(size=moved.shape)
        assert np.isclose(np.sum(w * moved), np.sum(resampling.back_along(w, step, shape[0], 0, order, mode, 0) * x))


@ANY_MODE
def test_adjoints_of_filters_are_transposed(mode):
    """Likewise of correlations along an axis and of means, of few pixels and of many weights, with every origin."""
    from sourcegrad.primitives.scipy import images

    rng = np.random.default_rng(3)
    for shape, axis in [((1,), 0), ((2,), 0), ((5, 2), 0), ((3, 9), -1)]:
        x, ct = rng.normal(size=shape), rng.normal(size=shape)
        for count in range(1, 8):
            weights = rng.normal(size=count)
            for origin in range(-(count // 2), count - count // 2):
                values = ndimage.correlate1d(x, weights, axis, mode=mode, origin=origin)
                assert np.isclose(np.sum(ct * values), np.sum(x * images.back_correlated(ct, weights, axis, mode, origin)))
                values = ndimage.uniform_filter1d(x, count, axis, mode=mode, origin=origin)
                assert np.isclose(np.sum(ct * values), np.sum(x * images.back_averaged(ct, count, axis, mode, origin)))


PROGRAMS = {
    "correlate1d": (lambda x, w: total(ndimage.correlate1d(x, w, 0, mode="mirror") ** 2), (IMAGE, LINE[:3])),
    "convolve": (lambda x, w: total(ndimage.convolve(x, w, mode="nearest") ** 2), (IMAGE, KERNEL)),
    "gaussian_filter in sigma": (lambda x, s: total(ndimage.gaussian_filter(x, s, truncate=2.0) ** 2), (IMAGE, 1.3)),
    "derivatives of a Gaussian": (lambda x: total(ndimage.gaussian_filter1d(x, 1.1, order=1, mode="constant") ** 2), (LINE,)),
    "uniform_filter": (lambda x: total(ndimage.uniform_filter(x, (3, 2), mode="wrap") ** 2), (IMAGE,)),
    "sobel": (lambda x: total(ndimage.sobel(x, 0) ** 2 + ndimage.laplace(x) ** 2), (IMAGE,)),
    "gaussian_gradient_magnitude": (lambda x: total(ndimage.gaussian_gradient_magnitude(x, 1.0)), (IMAGE,)),
    "map_coordinates": (lambda x, p: total(ndimage.map_coordinates(x, p, mode="mirror") ** 2), (IMAGE, AT)),
    "map_coordinates, linear": (lambda x, p: total(ndimage.map_coordinates(x, p, order=1) ** 2), (IMAGE, AT)),
    "map_coordinates, nearest": (lambda x, p: total(ndimage.map_coordinates(x, p, order=2, mode="nearest") ** 2), (LINE, AT[:1])),
    "shift": (lambda x, s: total(ndimage.shift(x, s, mode="grid-constant", cval=0.5) ** 2), (IMAGE, np.array([0.7, -1.4]))),
    "zoom": (lambda x: total(ndimage.zoom(x, (1.5, 0.7)) ** 2), (IMAGE,)),
    "affine_transform": (lambda x, m, o: total(ndimage.affine_transform(x, m, o, mode="reflect") ** 2),
                         (IMAGE, np.array([[0.9, 0.2], [-0.1, 1.1]]), np.array([0.3, -0.2]))),
    "rotate": (lambda x, a: total(ndimage.rotate(x, a, reshape=False, mode="mirror") ** 2), (IMAGE, 33.0)),
    "rotate in space": (lambda x: total(ndimage.rotate(x, 20.0, (0, 2), False, mode="nearest", order=1) ** 2), (BOX,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name):
    function, args = PROGRAMS[name]
    check(function, *args, order=1 if name in ("affine_transform", "rotate", "rotate in space", "convolve") else 2)


def test_single_precision():
    gradient = sg.grad(lambda x: np.sum(ndimage.shift(ndimage.gaussian_filter(x, 1.0), 0.3) ** 2))
    found = gradient(IMAGE.astype(np.float32))
    assert found.dtype == np.float32 and np.allclose(found, gradient(IMAGE), 1e-3, 1e-3)


REFUSED = {
    "output": lambda x: np.sum(ndimage.gaussian_filter(x, 1.0, output=np.zeros((6, 7)))),
    "output of a rule": lambda x: np.sum(ndimage.correlate1d(x, LINE[:3], 0, np.float64)),
    "four axes": lambda x: np.sum(ndimage.map_coordinates(np.ones((2, 2, 2, 2)), x[:4, :2], order=1)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(SourcegradError) as caught:
        sg.grad(REFUSED[name])(IMAGE)
    assert "test_scipy_ndimage.py:" in str(caught.value) and type(caught.value).__name__ == "UnsupportedError"
