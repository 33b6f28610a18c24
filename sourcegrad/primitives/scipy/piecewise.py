"""Piecewise polynomials of scipy.interpolate in plain Python, by values, knots and points: cubic splines, Pchip, Akima's curves.

An interpolator that is made in the function is an object of such a class. One that was made outside is a constant; its derivative
by the points is that of SciPy.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import interpolate, linalg

from sourcegrad.kinds import DISCRETE, INT, Kind, Num, Obj, as_num
from sourcegrad.kinds.results import leaf
from sourcegrad.primitives.core import REAL, conj, declare, nondifferentiable, rule, sample
from sourcegrad.runtime import no_formula, refuse

CONSTANT = "a gradient by an object of SciPy (an interpolator, a sparse matrix), by knots of a spline, or by an option of a filter"
MADE = "Keep it constant, or give its values as an argument and make the object in the function."


class Interpolator:
    """What stands for an interpolator of SciPy."""

    def __init_subclass__(cls) -> None:
        setattr(cls, "__sourcegrad_object__", True)     # noqa: B010  (it is seen as its attributes)


def beside(x: Any, constant: Any) -> Any:
    """x, which is computed with what has to be a constant"""
    return x


def still(x: Any) -> Any:
    """x as a constant: `beside` sees that it is one"""
    return x


nondifferentiable(still, kind=lambda x: as_num(x), result="may view")


@rule(beside, tangent="linear", result="view", kind=lambda x, constant: as_num(x), samples=[sample(REAL(3), "fixed")])
def beside_rule(ct, out, x, constant):
    """out = x"""
    return ct, refuse(CONSTANT, MADE)


# --- tridiagonal systems (C. de Boor 2001, chapter IV) ----------------------------------------------------

def solve_tridiagonal(bands: Any, b: Any) -> Any:
    """x with A x = b, for a matrix of which three diagonals are given as to scipy.linalg.solve_banded"""
    return linalg.solve_banded((1, 1), bands, b)


def solution_kind(bands: Kind, b: Kind) -> Kind:
    model = leaf(b)
    known = model.dtype in ("float64", "complex128") and leaf(bands).dtype == "float64"
    return Num(model.dtype if known else None, model.dims, True)


DIAGONALS = np.array([[0.0, 0.5, -0.3, 0.2], [2.0, 3.0, 2.5, 4.0], [0.4, -0.6, 0.7, 0.0]])


@rule(solve_tridiagonal, order="other", kind=solution_kind, samples=[sample(DIAGONALS, REAL(4, 1)), sample(DIAGONALS[:, 1:],
    REAL(3, 2))])
def solve_tridiagonal_rule(ct, out, bands, b):
    """A out = b, so A^T b_bar = ct and A_bar = -b_bar out^T, of which three diagonals count"""
    turned = np.stack([np.roll(bands[2], 1), bands[1], np.roll(bands[0], -1)])
    back = solve_tridiagonal(conj(turned), ct)
    ends = np.zeros(1)
    upper = np.concatenate([ends, -np.sum(back[:-1] * conj(out[1:]), axis=1)])
    lower = np.concatenate([-np.sum(back[1:] * conj(out[:-1]), axis=1), ends])
    return np.stack([upper, -np.sum(back * conj(out), axis=1), lower]), back


# --- evaluation -------------------------------------------------------------------------------------------

def piece_of(points: Any, x: Any) -> Any:
    """The number of the piece in which a point lies; those outside belong to the first and the last"""
    return np.clip(np.searchsorted(x, points, side="right") - 1, 0, len(x) - 2)


nondifferentiable(piece_of, kind=lambda points, x: Num("int64", leaf(points).dims, True) if leaf(points).dims else DISCRETE)


def powers(order: int, nu: int) -> Any:
    """The factors of the coefficients in a derivative"""
    return [float(math.perm(k, nu)) for k in range(order - 1, nu - 1, -1)]


nondifferentiable(powers, kind=lambda order, nu: DISCRETE)


def polynomial_values(c: Any, x: Any, p: Any, nu: int) -> Any:
    """Piecewise polynomials, or derivatives of them, at points: a column for each; c: by power, piece and column"""
    c, x, p = np.ascontiguousarray(c, np.result_type(c, float)), np.ascontiguousarray(x, float), np.ascontiguousarray(p, float)
    return interpolate.PPoly.construct_fast(c, x)(p, nu)


AT_ONCE = 1 << 14                               # points in a part of the work, which bounds its memory


def polynomial_moments(w: Any, x: Any, p: Any, order: int, nu: int) -> Any:
    """The adjoint of `polynomial_values` in the coefficients"""
    found, factors = np.zeros((order, len(x) - 1, w.shape[1]), w.dtype), powers(order, nu)
    step = max(AT_ONCE, 4 * len(x))                         # (each part gives a sum for each piece)
    for start in range(0, len(p), step):
        points = p[start:start + step]
        place = piece_of(points, x)
        rest = points - x[place]
        for column, power in enumerate(w[start:start + step].T):
            for j, factor in reversed([*enumerate(factors)]):
                found[j, :, column] += factor * summed_by(place, power, len(x) - 1)
                power = power * rest
    return found


def summed_by(place: Any, values: Any, count: int) -> Any:
    """The sums of the values at each place"""
    if np.iscomplexobj(values):
        return np.bincount(place, values.real, count) + 1j * np.bincount(place, values.imag, count)
    return np.bincount(place, values, count)


def columns_kind(c: Kind, x: Kind, p: Kind, nu: Kind) -> Kind:
    return Num("float64" if leaf(c).dtype == leaf(x).dtype == leaf(p).dtype == "float64" else None, (None, None), True)


def coefficients_kind(w: Kind, x: Kind, p: Kind, order: Kind, nu: Kind) -> Kind:
    return Num("float64" if leaf(w).dtype == leaf(x).dtype == leaf(p).dtype == "float64" else None, (None, None, None), True)


BREAKS = np.array([-3.0, -0.7, 0.4, 2.5])


@rule(polynomial_values, order="other", kind=columns_kind, samples=[
    sample(REAL(4, 3, 1), BREAKS, REAL(4), 0), sample(REAL(3, 3, 2), BREAKS, REAL(3), 1),
    sample(REAL(2, 3, 1), BREAKS, REAL(2), 2)])
def polynomial_values_rule(ct, out, c, x, p, nu):
    """out = sum of c_j (p - x_i)^j, for p between x_i and x_(i + 1)"""
    slope = np.sum(ct * conj(polynomial_values(c, x, p, nu + 1)), axis=1)
    left = -polynomial_moments(np.reshape(slope, (-1, 1)), x, p, 1, 0)
    return polynomial_moments(ct, x, p, np.shape(c)[0], nu), np.concatenate([left[0, :, 0], np.zeros(1)]), slope


@rule(polynomial_moments, order="other", kind=coefficients_kind, samples=[
    sample(REAL(4, 1), BREAKS, REAL(4), 4, 0), sample(REAL(3, 2), BREAKS, REAL(3), 3, 1),
    sample(REAL(2, 1), BREAKS, REAL(2), 1, 1)])
def polynomial_moments_rule(ct, out, w, x, p, order, nu):
    """out_j = sum of w (p - x_i)^j, over p between x_i and x_(i + 1)"""
    slope = np.sum(conj(w) * polynomial_values(ct, x, p, nu + 1), axis=1)
    left = -polynomial_moments(np.reshape(slope, (-1, 1)), x, p, 1, 0)
    return polynomial_values(ct, x, p, nu), np.concatenate([left[0, :, 0], np.zeros(1)]), slope


class PPoly(Interpolator):
    """sum of c_(j, i) (p - x_i)^(k - j), for p between x_i and x_(i + 1)"""

    def __init__(self, c: Any, x: Any, extrapolate: Any = None, axis: int = 0) -> None:
        self.c, self.x = np.asarray(c) + 0.0, np.asarray(x) + 0.0
        self.extrapolate = True if extrapolate is None else extrapolate
        self.axis = axis

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        beyond = self.extrapolate if extrapolate is None else extrapolate
        shape = np.shape(x)
        points = np.ravel(np.asarray(x) + 0.0)
        if beyond == "periodic":
            points = self.x[0] + (points - self.x[0]) % (self.x[-1] - self.x[0])
        total = polynomial_values(np.reshape(self.c, self.c.shape[:2] + (-1,)), self.x, points, nu)
        if not beyond:
            outside = np.reshape((points < self.x[0]) | (points > self.x[-1]), (-1, 1))
            total = np.where(outside, np.nan, total)
        return at_axis(np.reshape(total, shape + self.c.shape[2:]), len(shape), self.axis)

    def derivative(self, nu: int = 1) -> Any:
        if nu < 0:
            return self.antiderivative(-nu)
        factors = powers(self.c.shape[0], nu)
        if not factors:
            return PPoly(np.zeros((1,) + self.c.shape[1:]), self.x, self.extrapolate, self.axis)
        column = np.reshape(np.asarray(factors), (-1,) + (1,) * (self.c.ndim - 1))
        return PPoly(self.c[:len(factors)] * column, self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> Any:
        if nu != 1:
            no_formula(self.c, "an antiderivative of a piecewise polynomial of another order than 1")
        order = self.c.shape[0]
        column = np.reshape(1.0 / np.arange(order, 0, -1), (-1,) + (1,) * (self.c.ndim - 1))
        c = self.c * column
        width = np.reshape(np.diff(self.x), (-1,) + (1,) * (self.c.ndim - 2))
        area = np.zeros(c.shape[1:])
        for j in range(order):
            area = (area + c[j]) * width
        start = np.concatenate([np.zeros((1, 1) + c.shape[2:]), np.cumsum(area, axis=0)[np.newaxis, :-1]], axis=1)
        return PPoly(np.concatenate([c, start]), self.x, False if self.extrapolate == "periodic" else self.extrapolate, self.axis)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        beyond = self.extrapolate if extrapolate is None else extrapolate
        if beyond == "periodic":
            no_formula(self.c, "the integral of a periodic piecewise polynomial")
        whole = self.antiderivative()
        return whole(b, 0, beyond) - whole(a, 0, beyond)


def at_axis(values: Any, count: int, axis: int) -> Any:
    """Values of which the axes of the points come first, where the interpolator has its axis"""
    if axis == 0:
        return values
    return np.moveaxis(values, tuple(range(count)), tuple(range(axis, axis + count)))


def hermite(x: Any, y: Any, slopes: Any) -> Any:
    """The coefficients of the cubic polynomials with these values and slopes at the knots"""
    width = np.reshape(np.diff(x), (-1,) + (1,) * (y.ndim - 1))
    chord = np.diff(y, axis=0) / width
    bend = (slopes[:-1] + slopes[1:] - 2.0 * chord) / width
    return np.stack([bend / width, (chord - slopes[:-1]) / width - bend, slopes[:-1], y[:-1]])


class CubicHermiteSpline(PPoly):
    """Cubic polynomials with given slopes"""

    def __init__(self, x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Any = None) -> None:
        self.axis = axis % np.ndim(y)
        self.x = np.asarray(x) + 0.0
        self.c = hermite(self.x, np.moveaxis(np.asarray(y) + 0.0, axis, 0), np.moveaxis(np.asarray(dydx) + 0.0, axis, 0))
        self.extrapolate = True if extrapolate is None else extrapolate


# --- cubic splines: the slopes that make second derivatives continuous ------------------------------------

def end_row(condition: Any, width: Any, second: Any, chord: Any, following: Any) -> tuple:
    """One end of the system: its diagonal, the element beside it, the right side; from the end inwards"""
    if isinstance(condition, str) and condition == "not-a-knot":
        both = width + second
        return second, both, ((width + 2.0 * both) * second * chord + width * width * following) / both
    if isinstance(condition, str) and condition == "clamped":
        return 1.0 + 0.0 * width, 0.0 * width, 0.0 * chord
    if isinstance(condition, str) and condition == "natural":
        return 2.0 * width, width, 3.0 * width * chord
    if isinstance(condition, str):
        raise ValueError(f"bc_type={condition} is not allowed.")
    order, value = condition
    if order == 1:
        return 1.0 + 0.0 * width, 0.0 * width, np.asarray(value) + 0.0 * chord
    return 2.0 * width, width, 3.0 * width * chord - 0.5 * np.asarray(value) * width * width


def end_chord(condition: Any, chord: Any) -> Any:
    """With two points nothing can be left to the inside: the slope is that of the line"""
    return (1, chord) if isinstance(condition, str) and condition == "not-a-knot" else condition


def mirrored(condition: Any) -> Any:
    """A condition at the other end, as it is seen from there"""
    if isinstance(condition, str) or condition[0] == 2:
        return condition
    return (1, -np.asarray(condition[1]))


def parabola(width: Any, chord: Any) -> Any:
    """The slopes at three points of the parabola through them"""
    middle = (width[1] * chord[0] + width[0] * chord[1]) / (width[0] + width[1])
    return np.stack([2.0 * chord[0] - middle, middle, 2.0 * chord[1] - middle])


def cubic_slopes(x: Any, y: Any, bc_type: Any) -> Any:
    """The slopes at the knots (C. de Boor 2001, chapter IV)"""
    first, last = (bc_type, bc_type) if isinstance(bc_type, str) else bc_type
    count = len(x)
    width = np.reshape(np.diff(x), (-1,) + (1,) * (y.ndim - 1))
    chord = np.diff(y, axis=0) / width
    if count == 2:
        first, last = end_chord(first, chord[0]), end_chord(last, chord[0])
    elif count == 3 and isinstance(first, str) and isinstance(last, str) and first == "not-a-knot" and last == "not-a-knot":
        return parabola(width, chord)
    inner = 3.0 * (width[1:] * chord[:-1] + width[:-1] * chord[1:])
    near, after = (1, 1) if count > 2 else (0, 0)
    start, beside, right = end_row(first, width[0], width[near], chord[0], chord[after])
    # the spline seen from the other end: slopes change their sign, and so do chords
    stop, before, left = end_row(mirrored(last), width[-1], width[-1 - near], -chord[-1], -chord[-1 - after])
    flat = np.ravel(width)
    bands = np.stack([np.concatenate([np.zeros(1), np.ravel(beside), flat[:-1]]),
                      np.concatenate([np.ravel(start), 2.0 * (flat[:-1] + flat[1:]), np.ravel(stop)]),
                      np.concatenate([flat[1:], np.ravel(before), np.zeros(1)])])
    sides = np.concatenate([right[np.newaxis], inner, -left[np.newaxis]])
    return np.reshape(solve_tridiagonal(bands, np.reshape(sides, (count, -1))), y.shape)


class CubicSpline(PPoly):
    """Cubic polynomials with continuous second derivatives"""

    def __init__(self, x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> None:
        if isinstance(bc_type, str) and bc_type == "periodic":
            no_formula(y, "scipy.interpolate.CubicSpline with bc_type='periodic'")
        self.axis = axis % np.ndim(y)
        self.x = np.asarray(x) + 0.0
        values = np.moveaxis(np.asarray(y) + 0.0, axis, 0)
        self.c = hermite(self.x, values, cubic_slopes(self.x, values, bc_type))
        self.extrapolate = True if extrapolate is None else extrapolate


# --- Pchip and Akima ----------------------------------------------------------------------------------------

def pchip_end(width: Any, second: Any, chord: Any, following: Any) -> Any:
    """A one-sided slope with three points, which keeps the shape"""
    slope = ((2.0 * width + second) * chord - width * following) / (width + second)
    steep = (np.sign(chord) != np.sign(following)) & (np.abs(slope) > 3.0 * np.abs(chord))
    return np.where(np.sign(slope) != np.sign(chord), 0.0, np.where(steep, 3.0 * chord, slope))


def pchip_slopes(x: Any, y: Any) -> Any:
    """Weighted harmonic means of the chords, and 0 where these change their sign (F. N. Fritsch and J. Butland 1984)"""
    width = np.reshape(np.diff(x), (-1,) + (1,) * (y.ndim - 1))
    chord = np.diff(y, axis=0) / width
    if len(x) == 2:
        return np.concatenate([chord, chord])
    flat = (np.sign(chord[1:]) != np.sign(chord[:-1])) | (chord[1:] == 0) | (chord[:-1] == 0)
    before, after = np.where(flat, 1.0, chord[:-1]), np.where(flat, 1.0, chord[1:])
    one, two = 2.0 * width[1:] + width[:-1], width[1:] + 2.0 * width[:-1]
    inner = np.where(flat, 0.0, (one + two) / (one / before + two / after))
    start = pchip_end(width[0], width[1], chord[0], chord[1])
    stop = pchip_end(width[-1], width[-2], chord[-1], chord[-2])
    return np.concatenate([start[np.newaxis], inner, stop[np.newaxis]])


class PchipInterpolator(PPoly):
    """Cubic polynomials that are monotonic where the values are"""

    def __init__(self, x: Any, y: Any, axis: int = 0, extrapolate: Any = None) -> None:
        self.axis = axis % np.ndim(y)
        self.x = np.asarray(x) + 0.0
        values = np.moveaxis(np.asarray(y) + 0.0, axis, 0)
        self.c = hermite(self.x, values, pchip_slopes(self.x, values))
        self.extrapolate = True if extrapolate is None else extrapolate


OF_TWO = bool(np.isclose(interpolate.Akima1DInterpolator([0.0, 1.0], [0.0, 1.0])(0.25), 0.25))        # whether it is a line


def akima_slopes(x: Any, y: Any, method: str) -> Any:
    """Means of the chords on both sides, each with the change on the other side as its weight (H. Akima 1970)"""
    width = np.reshape(np.diff(x), (-1,) + (1,) * (y.ndim - 1))
    chord = np.diff(y, axis=0) / width
    if len(x) == 2 and not OF_TWO:
        no_formula(y, "scipy.interpolate.Akima1DInterpolator of two points, before SciPy 1.16,")
    if len(x) == 2:
        return np.concatenate([chord, chord])
    near, far = 2.0 * chord[0] - chord[1], 3.0 * chord[0] - 2.0 * chord[1]
    later, last = 2.0 * chord[-1] - chord[-2], 3.0 * chord[-1] - 2.0 * chord[-2]
    m = np.concatenate([far[np.newaxis], near[np.newaxis], chord, later[np.newaxis], last[np.newaxis]])
    change = np.abs(np.diff(m, axis=0))
    if method == "makima":
        change = change + 0.5 * np.abs(m[1:] + m[:-1])
    right, left = change[2:], change[:-2]
    both = right + left
    defined = both > 1e-9 * np.max(both)
    share = np.where(defined, left, 0.5) / np.where(defined, both, 1.0)
    return np.where(defined, m[1:-2] + share * (m[2:-1] - m[1:-2]), 0.5 * (m[3:] + m[:-3]))


class Akima1DInterpolator(PPoly):
    """Cubic polynomials whose slopes only depend on the neighbours"""

    def __init__(self, x: Any, y: Any, axis: int = 0, *, method: str = "akima", extrapolate: Any = None) -> None:
        self.axis = axis % np.ndim(y)
        self.x = np.asarray(x) + 0.0
        values = np.moveaxis(np.asarray(y) + 0.0, axis, 0)
        self.c = hermite(self.x, values, akima_slopes(self.x, values, method))
        self.extrapolate = False if extrapolate is None else extrapolate


declare("instead", {
    interpolate.PPoly: PPoly, interpolate.CubicHermiteSpline: CubicHermiteSpline, interpolate.CubicSpline: CubicSpline,
    interpolate.PchipInterpolator: PchipInterpolator, interpolate.Akima1DInterpolator: Akima1DInterpolator})

# --- interpolators that were made outside


def constant_kind(self: Kind, x: Kind, *_: Kind, **__: Kind) -> Kind:
    return Num(None, None, True)


def own_points(product: Any, axis: int, count: int) -> Any:
    """The sum of what belongs to a point, where points have so many axes"""
    if product.ndim == count:
        return product
    return np.sum(product, axis=tuple(k for k in range(product.ndim) if not axis <= k < axis + count))


def repeated(ct: Any, shape: tuple, axis: int, count: int) -> Any:
    """What belongs to a point, for all that it has"""
    if len(shape) == count:
        return ct
    return np.broadcast_to(np.reshape(ct, [n if axis <= k < axis + count else 1 for k, n in enumerate(shape)]), shape)


@rule(own_points, tangent="linear", result="may view", kind=lambda product, axis, count: Num(None, None, True), samples=[
    sample(REAL(3), 0, 1), sample(REAL(2, 3), 1, 1), sample(REAL(2, 3), 0, 1)])
def own_points_rule(ct, out, product, axis, count):
    """out = the sums over all other axes"""
    return repeated(ct, np.shape(product), axis, count)


@rule(repeated, tangent="linear", result="may view", read_only=True, order="other", kind=lambda ct, *rest: Num(None, None, True),
      samples=[
    sample(REAL(3), (2, 3), 1, 1), sample(REAL(2), (2, 3), 0, 1), sample(REAL(2), (2,), 0, 1)])
def repeated_rule(ct, out, x, shape, axis, count):
    """out = x, repeated along all other axes"""
    return own_points(ct, axis, count)


CURVE = interpolate.CubicSpline(np.arange(5.0) - 2.0, np.array([0.3, -0.5, 0.2, 0.9, 0.1]))


def curve_at(self: Any, x: Any, nu: int, extrapolate: Any) -> Any:
    """A piecewise polynomial of SciPy, or a derivative of it, at points"""
    return self(x, nu, extrapolate)


def axis_of(self: Any) -> int:
    return self.axis


nondifferentiable(axis_of, kind=lambda self: INT)


@rule(curve_at, kind=constant_kind, samples=[sample(CURVE, REAL(3), 0, None), sample(CURVE, REAL(2, 2), 1, True)])
def curve_at_rule(ct, out, self, x, nu, extrapolate):
    """The derivative of order nu at x moves with x as that of order nu + 1"""
    return refuse(CONSTANT, MADE), own_points(ct * conj(curve_at(self, x, nu + 1, extrapolate)), axis_of(self), np.ndim(x))


def curve_values(self: Any, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
    """A piecewise polynomial that was made outside"""
    return curve_at(self, x, nu, extrapolate)


declare("instead", {interpolate.PPoly.__call__: curve_values})
nondifferentiable(interpolate.PPoly.derivative, interpolate.PPoly.antiderivative, interpolate.BPoly.derivative, but=("self",),
                  kind=lambda self, nu=None: Obj(interpolate.PPoly))
