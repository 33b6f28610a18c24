"""Interpolators of scipy.interpolate: the values of all options, and derivatives in programs, made in the function or before it."""
from __future__ import annotations

import importlib

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import primitives
from sourcegrad.errors import SourcegradError
from sourcegrad.primitives.core import primitive_of
from tests.primitives.scipy_checks import check, weighted

si = pytest.importorskip("scipy.interpolate")
primitives.with_scipy()
piecewise = importlib.import_module("sourcegrad.primitives.scipy.piecewise")
RNG = np.random.default_rng(4)
X = np.array([-0.6, 0.3, 1.1, 2.3, 3.0, 4.4, 5.1])
Y, ROWS, U = RNG.normal(size=7), RNG.normal(size=(2, 7)), np.array([0.0, 1.0, 2.0, 3.5, 4.0])
P, FAR, Q = np.array([-0.2, 1.0, 2.9, 4.7]), np.array([-1.2, 0.4, 1.1, 6.0]), np.array([0.3, 1.4, 3.3, 2.2])
GRID, NODES, AT = RNG.normal(size=(7, 5)), RNG.uniform(-1.0, 1.0, size=(9, 2)), RNG.uniform(-0.3, 0.3, size=(3, 2))
D = RNG.normal(size=9)


def total(result):
    return np.sum(result * weighted(result))


def calls(*args, **options):
    return lambda made: made(*args, **options)


PIECEWISE = [*(calls(p, nu) for p in (P, FAR, 1.3, P.reshape(2, 2)) for nu in range(5)), calls(FAR, extrapolate=False),
             calls(FAR, 0,
                   "periodic"), lambda s: s.derivative()(P), lambda s: s.derivative(5)(P), lambda s: s.antiderivative()(FAR),
             lambda s: s.integrate(0.3, 2.7), lambda s: s.integrate(2.7, -0.3)]
ENDS = ["not-a-knot", "clamped", "natural", ("natural", "clamped"), ((1, 0.5), (2, 0.3)), ("not-a-knot", (1, -1.0)), ((2, 1.0),
    "not-a-knot")]
CURVES = [*(calls(p, nu) for p in (P, FAR, 1.3) for nu in range(3)), calls(FAR, 0, False), calls(FAR, extrapolate="periodic"),
          lambda s: s.derivative()(P)]
KINDS = ["linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", "quadratic", "cubic", 2]
KERNELS = ["linear", "thin_plate_spline", "cubic", "quintic", "multiquadric", "inverse_multiquadric", "inverse_quadratic",
           "gaussian"]
VALUES = {
    "CubicSpline": [(si.CubicSpline, (X[:n], Y[:n]), {"bc_type": end}, PIECEWISE) for n in (2, 3, 4, 7) for end in ENDS]
    + [(si.CubicSpline, (X, ROWS), {"axis": 1}, PIECEWISE), (si.CubicSpline, (X, ROWS.T), {"bc_type": "natural"}, PIECEWISE)],
    "Pchip and Akima": [(cls, (X[:n], y[:n]), {}, PIECEWISE) for cls in (si.PchipInterpolator,
                                                                         si.Akima1DInterpolator) for n in (
        (2, 3, 4, 7) if piecewise.OF_TWO or cls is si.PchipInterpolator else (3, 4, 7))
                        for y in (Y, np.cumsum(np.abs(Y)), np.round(Y), ROWS.T)]
    + [(si.Akima1DInterpolator, (X, Y), {"method": "makima", "extrapolate": True}, PIECEWISE)],
    "PPoly": [(si.PPoly, (GRID[:3, :4], U), {}, PIECEWISE), (si.CubicHermiteSpline, (X, ROWS, ROWS ** 2), {"axis": -1}, PIECEWISE)],
    "B-splines": [(si.make_interp_spline, (X, y), {"k": k, "axis": axis}, CURVES) for k in (1, 2, 3, 5) for y, axis in [(Y, 0),
        (ROWS, 1)]]
    + [(si.BSpline, (np.arange(11.0) - 3, y, 3), {"axis": axis}, CURVES) for y, axis in [(Y, 0), (ROWS, 1)]],
    "FITPACK": [(cls, (X, Y), {"k": k, "ext": ext, **more}, [calls(p, nu) for p in (P, FAR, 0.2) for nu in range(min(k, 2))])
                for k in (1, 2, 3, 5) for ext in (0, 1, 3) for cls, more in [(si.InterpolatedUnivariateSpline, {}),
                                                                             (si.UnivariateSpline, {"s": 0})]],
    "splrep": [(si.splrep, (X, Y), {"k": k}, [lambda tck: tck[0], lambda tck: tck[1]]) for k in (1, 2, 3, 4, 5)]
    + [(si.splev, (p, si.splrep(X, Y), der, ext), {}, [lambda s: s]) for p in (P, FAR) for der in (0, 1, 2) for ext in (0, 1, 3)],
    "interp1d": [(si.interp1d, (x, y), {"kind": kind, "axis": axis, **fill}, [calls(P), calls(1.3), calls(X[:4]),
                                                                              *[calls(FAR)][:bool(fill)]])
                 for x, y, axis in [(X, Y, -1), (X[::-1], ROWS.T[::-1], 0)] for kind in KINDS
                 for fill in [{}, {"fill_value": "extrapolate"}, {"bounds_error": False}, {"bounds_error": False,
                     "fill_value": (1.0, 2.0)}]],
    "RegularGridInterpolator": [(si.RegularGridInterpolator, ((X, U), v), {"method": m, **fill}, [
        calls(np.stack([P, Q], axis=1)), calls((P, Q)), calls(np.array([0.2, 0.4])), *[calls(np.stack([FAR, Q],
            axis=1))][:bool(fill)]])
        for v in (GRID, np.stack([GRID, GRID ** 2], axis=2)) for m in ("linear", "nearest")
        for fill in [{}, {"bounds_error": False}, {"bounds_error": False, "fill_value": None}]]
    + [(si.RegularGridInterpolator, ((X,), v), {}, [calls(P), calls((P,)), calls(P[:, np.newaxis])]) for v in (Y, ROWS.T)]
    + [(si.RegularGridInterpolator, ((X, U), GRID), {}, [calls((0.3, 0.4)), calls((P[:, np.newaxis], Q))])],
    "RectBivariateSpline": [(si.RectBivariateSpline, (X, U, GRID), {"kx": kx, "ky": ky}, [
        calls(P, np.sort(Q)), calls(P, np.sort(Q), 0, 1), calls(FAR, Q, grid=False), lambda s: s.ev(FAR, Q), lambda s: s.ev(P, Q,
            dx=1)])
        for kx, ky in [(3, 3), (2, 4), (3, 2)]],
    "RBFInterpolator": [(si.RBFInterpolator, (NODES, d), {"kernel": kernel, "epsilon": 1.3, **more},
                         [calls(AT)]) for kernel in KERNELS
                        for d in (D, np.stack([D, D ** 2], axis=1)) for more in [{}, {"smoothing": 0.1}, {"degree": 2}]],
    "triangles": [(si.griddata, (NODES, D, AT * 5), {"fill_value": 1.5}, [lambda v: v]), (si.LinearNDInterpolator, (NODES, D), {}, [
        calls(AT), calls(AT[:, 0], AT[:, 1])]), (si.griddata, (NODES, D, (AT[:, 0], AT[:, 1])), {}, [lambda v: v]),
        *[(si.griddata, (NODES, d, at), {}, [lambda v: v]) for at in (AT[0], tuple(AT[0]), AT[np.newaxis]) for d in (D, NODES)]],
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name):
    wrong = []
    for cls, args, options, uses in VALUES[name]:
        theirs, ours = cls(*args, **options), primitive_of(cls).instead(*args, **options)
        for k, use in enumerate(uses):
            expected, found = use(theirs), use(ours)
            if np.shape(expected) != np.shape(found) or not np.allclose(expected, found, 1e-8, 1e-9, equal_nan=True):
                wrong.append((cls.__name__, options, [type(x) if isinstance(x, tuple) else np.shape(x) for x in args], k))
    assert not wrong


CUBIC, PCHIP = si.CubicSpline(X, Y), si.PchipInterpolator(X, ROWS, axis=1)
MADE = si.make_interp_spline(X, Y)
SMOOTH = si.UnivariateSpline(X, Y, s=0.5)
SURFACE, TCK = si.RectBivariateSpline(X, U, GRID), si.splrep(X, Y, s=0.3)
FIELD = si.RegularGridInterpolator((X, U), GRID)
PROGRAMS = {
    "a cubic spline": (lambda p: total(CUBIC(p) ** 2) + total(CUBIC.derivative()(p)) + total(CUBIC(p, 2)), (P,)),
    "a Pchip of rows": (lambda p: total(PCHIP(p) ** 2), (P,)),
    "a B-spline": (lambda p: total(MADE(p) ** 2), (P,)),
    "a smoothing spline": (lambda p: total(SMOOTH(p) ** 2) + total(si.splev(p, TCK)), (P,)),
    "a surface": (lambda p, q: total(SURFACE.ev(p, q) ** 2) + total(SURFACE(p[:2], q[:2])), (P, Q)),
    "a grid": (lambda p, q: total(FIELD(np.stack([p, q], axis=1)) ** 2), (P, Q)),
    "CubicSpline": (lambda y, p: total(si.CubicSpline(X, y)(p) ** 2), (Y, P)),
    "CubicSpline in knots": (lambda x: total(si.CubicSpline(x, Y, bc_type="natural")(P) ** 2), (X,)),
    "PchipInterpolator": (lambda y, p: total(si.PchipInterpolator(X, y)(p) ** 2), (Y, P)),
    "Akima1DInterpolator": (lambda y: total(si.Akima1DInterpolator(X, y)(P) ** 2), (Y,)),
    "CubicHermiteSpline": (lambda y, m: si.CubicHermiteSpline(X, y, m).integrate(0.2, 3.3) ** 2, (Y, ROWS[0])),
    "make_interp_spline": (lambda y, p: total(si.make_interp_spline(X, y)(p) ** 2), (Y, P)),
    "BSpline": (lambda c, p: total(si.BSpline(np.arange(11.0) - 3, c, 3).derivative()(p) ** 2), (Y, P)),
    "splrep": (lambda y, p: total(si.splev(p, si.splrep(X, y), 1) ** 2), (Y, P)),
    "UnivariateSpline": (lambda y, p: total(si.UnivariateSpline(X, y, s=0)(p) ** 2), (Y, P)),
    "RectBivariateSpline": (lambda z, p: total(si.RectBivariateSpline(X, U, z).ev(p, Q) ** 2), (GRID, P)),
    "interp1d": (lambda x, y, p: total(si.interp1d(x, y)(p) ** 2), (X, Y, P)),
    "interp1d, cubic": (lambda y, p: total(si.interp1d(X, y, "cubic", fill_value="extrapolate")(p) ** 2), (Y, FAR)),
    "interp1d, previous": (lambda y: total(si.interp1d(X, y, "previous")(P) ** 2), (Y,)),
    "RegularGridInterpolator": (lambda v, p: total(si.RegularGridInterpolator((X, U), v)((p, Q)) ** 2), (GRID, P)),
    "RBFInterpolator": (lambda d, x: total(si.RBFInterpolator(NODES, d, smoothing=0.1)(x) ** 2), (D, AT)),
    "RBFInterpolator in nodes": (lambda y, e: total(si.RBFInterpolator(y, D, kernel="gaussian", epsilon=e, degree=-1)(AT)),
                                 (NODES, 1.7)),
    "griddata": (lambda d, x: total(si.griddata(NODES, d, x) ** 2), (D, AT)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name):
    function, args = PROGRAMS[name]
    check(function, *args, tolerance=1e-8)


def at_points(spline, p):
    return np.sum(spline(p))


REFUSED = {
    "knots": lambda x: np.sum(si.make_interp_spline(x, Y)(P)),
    "knots of FITPACK": lambda x: np.sum(si.splev(P, si.splrep(x, Y))),
    "knots of a B-spline": lambda t: np.sum(si.BSpline(np.append(t, t[-1]), Y[:4], 3)(P)),
    "smoothing": lambda y: np.sum(si.UnivariateSpline(X, y)(P)),
    "periodic": lambda y: si.CubicSpline(X, y * 0.0, bc_type="periodic")(1.0),
    "a method": lambda y: np.sum(si.RegularGridInterpolator((X, U), GRID * y[0], "cubic")((P, Q))),
    "an interpolator": lambda y: sg.grad(at_points)(CUBIC, P),
    "a B-spline": lambda y: sg.grad(at_points)(MADE, P),
    "a smoothing spline": lambda y: sg.grad(at_points)(SMOOTH, P),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(SourcegradError) as caught:
        REFUSED[name](Y) if "n " in name or name[:2] == "a " and name != "a method" else sg.grad(REFUSED[name])(X)
    assert type(caught.value).__name__ == "UnsupportedError"
