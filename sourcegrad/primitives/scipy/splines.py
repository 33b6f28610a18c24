"""B-splines of scipy.interpolate: rules of their sums and of interpolation, and what is made of them, in plain Python.

A spline is sum of c_j B_j(x), with the B-splines of degree k on knots t (C. de Boor 2001,
                                                                          chapters IX and X): linear in c, so the adjoint
multiplies with the transposed collocation matrix, which is sparse. Knots are constants.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import interpolate
from scipy.sparse import linalg as sparse_linalg

from sourcegrad.kinds import DISCRETE, Const, Kind, Num
from sourcegrad.kinds.results import leaf
from sourcegrad.primitives.core import REAL, Domain, conj, declare, nondifferentiable, rule, sample
from sourcegrad.primitives.scipy.piecewise import Interpolator, at_axis, beside, still
from sourcegrad.runtime import no_formula

# --- sums of B-splines ------------------------------------------------------------------------------------


def knot_factors(t: Any, k: int) -> Any:
    """k / (t_(j + k) - t_j), the factors of differences of coefficients in a derivative; 0 where knots coincide"""
    width = t[k + 1:-1] - t[1:-k - 1]
    return k * np.divide(1.0, width, out=np.zeros_like(width), where=width != 0)


def spline_values(t: Any, c: Any, k: int, x: Any, nu: int) -> Any:
    """A derivative of splines at points; c: a column for each spline"""
    if np.iscomplexobj(x):
        raise TypeError("splines are functions of real numbers")
    if nu > k:
        return np.zeros((len(x), c.shape[1]), c.dtype)
    return interpolate.BSpline(t, c, k)(x, nu)


AT_ONCE = 1 << 14                               # points in a part of the work, which bounds its memory


def spline_moments(t: Any, w: Any, k: int, x: Any, nu: int) -> Any:
    """The adjoint of `spline_values` in c"""
    if nu > k:
        return np.zeros((len(t) - k - 1, w.shape[1]), w.dtype)
    inner, moments = t[nu:len(t) - nu], np.zeros((len(t) - k - 1 - nu, w.shape[1]), w.dtype)
    for start in range(0, len(x), AT_ONCE):
        points = np.ascontiguousarray(x[start:start + AT_ONCE])
        moments += interpolate.BSpline.design_matrix(points, inner, k - nu, extrapolate=True).T @ w[start:start + AT_ONCE]
    for degree in range(k - nu + 1, k + 1):
        scaled = knot_factors(t[k - degree:len(t) - k + degree], degree)[:, np.newaxis] * moments
        ends = np.zeros((1, w.shape[1]))
        moments = np.concatenate([ends, scaled]) - np.concatenate([scaled, ends])
    return moments


def rows_kind(t: Kind, c: Kind, k: Kind, x: Kind, nu: Kind) -> Kind:
    model = leaf(c)
    return Num(model.dtype if model.dtype == "float64" else None, (None, None), True)


T, CENTRAL = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.5, 4.0, 4.0, 4.0, 4.0]), Domain("CENTRAL", lambda rng, shape: rng.uniform(1.1,
    2.4, shape))
CURVES = [sample(T, REAL(6, 1), 3, CENTRAL(4), 0), sample(T, REAL(6, 2), 3, CENTRAL(3), 1), sample(T[1:-1], REAL(5, 1), 2,
    CENTRAL(2), 0)]
MOMENTS = [sample(T, REAL(4, 1), 3, CENTRAL(4), 0), sample(T, REAL(3, 2), 3, CENTRAL(3), 1), sample(T, REAL(2, 1), 3, CENTRAL(2),
    2)]


@rule(spline_values, order="other", kind=rows_kind, samples=CURVES)
def spline_values_rule(ct, out, t, c, k, x, nu):
    """out_i = sum of c_j B_j(x_i)"""
    return (None, spline_moments(t, ct, k, x, nu), None,
            np.sum(ct * conj(spline_values(t, c, k, x, nu + 1)), axis=1))


@rule(spline_moments, order="other", kind=rows_kind, samples=MOMENTS)
def spline_moments_rule(ct, out, t, w, k, x, nu):
    """out_j = sum of w_i B_j(x_i)"""
    return (None, spline_values(t, ct, k, x, nu), None,
            np.sum(conj(w) * spline_values(t, ct, k, x, nu + 1), axis=1))


def local_basis(t: Any, k: int, x: Any, nu: int) -> Any:
    """The k + 1 B-splines, or derivatives of them, that are not zero at points"""
    if nu > k:
        return np.zeros((len(x), k + 1))
    if nu == 0:
        return interpolate.BSpline.design_matrix(np.ascontiguousarray(x), t, k, extrapolate=True).data.reshape(len(x), k + 1)
    lower = local_basis(t[1:-1], k - 1, x, nu - 1)
    scaled = lower * knot_factors(t, k)[first_spline(t, k, x)[:, np.newaxis] + np.arange(k)]
    ends = np.zeros((len(x), 1))
    return np.concatenate([ends, scaled], axis=1) - np.concatenate([scaled, ends], axis=1)


def first_spline(t: Any, k: int, x: Any) -> Any:
    """The number of the first of them"""
    return np.clip(np.searchsorted(t, x, side="right") - 1, k, len(t) - k - 2) - k


nondifferentiable(first_spline, kind=lambda t, k, x: Num("int64", (None,), True))


@rule(local_basis, kind=lambda t, k, x, nu: Num("float64", (None, None), True), samples=[
    sample(T, 3, CENTRAL(3), 0), sample(T[1:-1], 2, CENTRAL(2), 0), sample(T, 3, CENTRAL(3), 1)])
def local_basis_rule(ct, out, t, k, x, nu):
    """out_(i, j) = B_(first + j)(x_i)"""
    return None, None, np.sum(ct * local_basis(t, k, x, nu + 1), axis=1)


def tensor_parts(tx: Any, ty: Any, kx: int, ky: int, u: Any, v: Any, dx: int, dy: int) -> Iterator[tuple]:
    """Of a part of the points after the other: which, rows and columns of the coefficients that count there, the basis in both"""
    for start in range(0, len(u), AT_ONCE // 4):
        part = slice(start, start + AT_ONCE // 4)
        rows = first_spline(tx, kx, u[part])[:, np.newaxis] + np.arange(kx + 1)
        columns = first_spline(ty, ky, v[part])[:, np.newaxis] + np.arange(ky + 1)
        yield (part, rows[:, :, np.newaxis], columns[:, np.newaxis], local_basis(tx, kx, u[part], dx),
               local_basis(ty, ky, v[part], dy))


def tensor_values(tx: Any, ty: Any, c: Any, kx: int, ky: int, u: Any, v: Any, dx: int, dy: int) -> Any:
    """Products of splines along two axes, or derivatives of them, at points"""
    found = np.zeros(len(u), c.dtype)
    for part, rows, columns, left, right in tensor_parts(tx, ty, kx, ky, u, v, dx, dy):
        found[part] = np.einsum("ia,ia->i", left, np.einsum("iab,ib->ia", c[rows, columns], right))
    return found


def tensor_moments(tx: Any, ty: Any, w: Any, kx: int, ky: int, u: Any, v: Any, dx: int, dy: int) -> Any:
    """The adjoint of `tensor_values` in c"""
    found = np.zeros((len(tx) - kx - 1, len(ty) - ky - 1), w.dtype)
    for part, rows, columns, left, right in tensor_parts(tx, ty, kx, ky, u, v, dx, dy):
        np.add.at(found, (rows, columns), (w[part, np.newaxis] * left)[:, :, np.newaxis] * right[:, np.newaxis])
    return found


def points_kind(tx: Kind, ty: Kind, c: Kind, *_: Kind) -> Kind:
    return Num("float64" if leaf(c).dtype == "float64" else None, (None,), True)


def moments_kind(tx: Kind, ty: Kind, w: Kind, *_: Kind) -> Kind:
    return Num("float64" if leaf(w).dtype == "float64" else None, (None, None), True)


@rule(tensor_values, order="other", kind=points_kind, samples=[
    sample(T, T[1:-1], REAL(6, 5), 3, 2, CENTRAL(4), CENTRAL(4), 0, 0),
    sample(T[1:-1], T, REAL(5, 6), 2, 3, CENTRAL(3), CENTRAL(3), 1, 2)])
def tensor_values_rule(ct, out, tx, ty, c, kx, ky, u, v, dx, dy):
    """out_i = sum of c_jk B_j(u_i) B_k(v_i)"""
    return (None, None, tensor_moments(tx, ty, ct, kx, ky, u, v, dx, dy), None, None,
            ct * conj(tensor_values(tx, ty, c, kx, ky, u, v, dx + 1, dy)),
            ct * conj(tensor_values(tx, ty, c, kx, ky, u, v, dx, dy + 1)))


@rule(tensor_moments, order="other", kind=moments_kind, samples=[
    sample(T, T[1:-1], REAL(4), 3, 2, CENTRAL(4), CENTRAL(4), 0, 0),
    sample(T[1:-1], T, REAL(3), 2, 3, CENTRAL(3), CENTRAL(3), 1, 2)])
def tensor_moments_rule(ct, out, tx, ty, w, kx, ky, u, v, dx, dy):
    """out_jk = sum of w_i B_j(u_i) B_k(v_i)"""
    return (None, None, tensor_values(tx, ty, ct, kx, ky, u, v, dx, dy), None, None,
            conj(w) * tensor_values(tx, ty, ct, kx, ky, u, v, dx + 1, dy),
            conj(w) * tensor_values(tx, ty, ct, kx, ky, u, v, dx, dy + 1))


# --- interpolation ------------------------------------------------------------------------------------------

def collocation(t: Any, k: int, x: Any) -> Any:
    """The factorised matrix of the values of B-splines at points"""
    return sparse_linalg.splu(interpolate.BSpline.design_matrix(np.ascontiguousarray(x), t, k).tocsc())


def collocated(system: Any, y: Any, trans: str) -> Any:
    """The coefficients of the splines through values; y: a column for each spline"""
    if np.iscomplexobj(y):
        return system.solve(np.ascontiguousarray(y.real), trans) + 1j * system.solve(np.ascontiguousarray(y.imag), trans)
    return system.solve(np.ascontiguousarray(y, dtype=float), trans)


def opposite(trans: str) -> str:
    return "N" if trans == "T" else "T"


def solved_kind(system: Kind, y: Kind, trans: Kind) -> Kind:
    model = leaf(y)
    return Num(model.dtype if model.dtype in ("float64", "complex128") else None, model.dims, True)


nondifferentiable(collocation, kind=lambda t, k, x: DISCRETE)
nondifferentiable(opposite, kind=lambda trans: Const({"N": "T", "T": "N"}[trans.value]) if isinstance(trans, Const) else DISCRETE)
SYSTEM = collocation(T, 3, np.array([0.0, 0.7, 1.3, 2.2, 3.1, 4.0]))


@rule(collocated, order="other", kind=solved_kind, tangent="linear", samples=[
    sample(SYSTEM, REAL(6, 1), "N"), sample(SYSTEM, REAL(6, 2), "T")])
def collocated_rule(ct, out, system, y, trans):
    """B out = y, or B^T out = y"""
    return None, collocated(system, ct, opposite(trans))


def knots_of(x: Any, k: int) -> Any:
    """The knots that scipy.interpolate.make_interp_spline takes"""
    return interpolate.make_interp_spline(x, np.zeros(len(x)), k).t


def knots_of_fitpack(x: Any, k: int) -> Any:
    """The knots that scipy.interpolate.splrep takes"""
    return interpolate.splrep(x, np.zeros(len(x)), k=k, s=0)[0]


nondifferentiable(knots_of, knots_of_fitpack, kind=lambda x, k: Num("float64", (None,), True))


def columns(values: Any, axis: int) -> Any:
    """Values as a matrix with a column for each curve along an axis"""
    values = np.moveaxis(np.asarray(values) + 0.0, axis, 0)
    return np.reshape(values, (values.shape[0], -1)), values.shape[1:]


def fitted(t: Any, k: int, x: Any, y: Any) -> Any:
    """The coefficients of the splines through the rows of y"""
    return beside(y, x) if k == 0 else collocated(collocation(t, k, x), beside(beside(y, x), t), "N")


class BSpline(Interpolator):
    """sum of c_j B_j(x)"""

    def __init__(self, t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0) -> None:
        self.t, self.k, self.extrapolate = still(np.asarray(t) + 0.0), k, extrapolate
        self.axis = axis % np.ndim(c)
        self.c = beside(np.moveaxis(np.asarray(c) + 0.0, axis, 0), t)

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        beyond = self.extrapolate if extrapolate is None else extrapolate
        points, first, last = np.ravel(np.asarray(x) + 0.0), self.t[self.k], self.t[len(self.t) - self.k - 1]
        if beyond == "periodic":
            points = first + (points - first) % (last - first)
        found = spline_values(self.t, np.reshape(self.c[:len(self.t) - self.k - 1], (len(self.t) - self.k - 1, -1)), self.k,
                              points, nu)
        if not beyond:
            found = np.where(np.reshape((points < first) | (points > last), (-1, 1)), np.nan, found)
        return at_axis(np.reshape(found, np.shape(x) + self.c.shape[1:]), np.ndim(x), self.axis)

    def derivative(self, nu: int = 1) -> Any:
        t, c, k = still(self.t), self.c, self.k
        for _ in range(nu):
            if k == 0:
                no_formula(c, "the derivative of a spline of degree 0")
            c = np.reshape(knot_factors(t, k), (-1,) + (1,) * (c.ndim - 1)) * np.diff(c[:len(t) - k - 1], axis=0)
            t, k = t[1:-1], k - 1
        found = BSpline(t, c, k, self.extrapolate)
        found.axis = self.axis
        return found


nondifferentiable(knot_factors, kind=lambda t, k: Num("float64", (None,), True))


def make_interp_spline(x: Any, y: Any, k: int = 3, t: Any = None, bc_type: Any = None, axis: int = 0,
                       check_finite: bool = True) -> Any:
    """The spline through points"""
    if bc_type is not None:
        no_formula(y, "scipy.interpolate.make_interp_spline with bc_type")
    knots = knots_of(x, k) if t is None else np.asarray(t)
    values, rest = columns(y, axis)
    c = fitted(knots, k, np.asarray(x), values)
    found = BSpline(knots, np.reshape(c, (c.shape[0],) + rest), k)
    found.axis = axis % np.ndim(y)
    return found


def splrep(x: Any, y: Any, w: Any = None, xb: Any = None, xe: Any = None, k: int = 3, task: int = 0, s: Any = None, t: Any = None,
           full_output: int = 0, per: int = 0, quiet: int = 1) -> Any:
    """Knots, coefficients and degree of the spline through points"""
    if w is not None or xb is not None or xe is not None or task or t is not None or full_output or per or s not in (None, 0, 0.0):
        no_formula(y, "scipy.interpolate.splrep with smoothing (s > 0), weights or knots of its own")
    knots = knots_of_fitpack(x, k)
    c = fitted(knots, k, np.asarray(x), np.reshape(np.asarray(y) + 0.0, (-1, 1)))[:, 0]
    return knots, np.concatenate([c, np.zeros(k + 1)]), k


def splev(x: Any, tck: Any, der: int = 0, ext: int = 0) -> Any:
    """A spline, or a derivative of it, at points"""
    if not isinstance(tck, tuple):
        return tck(x, der, True)
    t, c, k = tck
    return evaluated(t, beside(np.asarray(c), t), k, x, der, ext)


def evaluated(t: Any, c: Any, k: int, x: Any, nu: int, ext: Any) -> Any:
    """A spline at points; ext: what holds outside"""
    points, first, last = np.ravel(np.asarray(x) + 0.0), t[k], t[len(t) - k - 1]
    outside = (points < first) | (points > last)
    if ext in (2, "raise") and np.any(outside):
        raise ValueError("Found x value not in the domain")
    if ext in (3, "const") and nu == 0:
        points = np.clip(points, first, last)
    found = spline_values(np.asarray(t), np.reshape(c[:len(t) - k - 1], (-1, 1)), k, points, nu)[:, 0]
    if ext in (1, "zeros"):
        found = np.where(outside, 0.0, found)
    return np.reshape(found, np.shape(x))


class UnivariateSpline(Interpolator):
    """The spline through points (s=0)"""

    def __init__(self, x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: int = 3, s: Any = None, ext: Any = 0,
                 check_finite: bool = False) -> None:
        if w is not None or s is None or s != 0 or bbox[0] is not None or bbox[1] is not None:
            no_formula(y, "scipy.interpolate.UnivariateSpline with smoothing (its knots depend on the values), weights or bbox")
        self.t, self.c, self.k = splrep(x, y, k=k)
        self.ext = ext

    def __call__(self, x: Any, nu: int = 0, ext: Any = None) -> Any:
        return evaluated(self.t, self.c, self.k, x, nu, self.ext if ext is None else ext)


def InterpolatedUnivariateSpline(x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: int = 3, ext: Any = 0,
                                 check_finite: bool = False) -> Any:
    """The spline through points"""
    return UnivariateSpline(x, y, w, bbox, k, 0, ext)


class RectBivariateSpline(Interpolator):
    """The product of splines along two axes through values on a grid"""

    def __init__(self, x: Any, y: Any, z: Any, bbox: Any = (None, None, None, None), kx: int = 3, ky: int = 3, s: Any = 0,
                 maxit: int = 20) -> None:
        if s != 0 or any(edge is not None for edge in bbox):
            no_formula(z, "scipy.interpolate.RectBivariateSpline with smoothing or bbox")
        self.kx, self.ky = kx, ky
        self.tx, self.ty = knots_of_fitpack(x, kx), knots_of_fitpack(y, ky)
        along = fitted(self.tx, kx, np.asarray(x), np.asarray(z) + 0.0)
        self.c = fitted(self.ty, ky, np.asarray(y), along.T).T

    def __call__(self, x: Any, y: Any, dx: int = 0, dy: int = 0, grid: bool = True) -> Any:
        return surface(self.tx, self.ty, self.c, self.kx, self.ky, x, y, dx, dy, grid)

    def ev(self, xi: Any, yi: Any, dx: int = 0, dy: int = 0) -> Any:
        return surface(self.tx, self.ty, self.c, self.kx, self.ky, xi, yi, dx, dy, False)


def surface(tx: Any, ty: Any, c: Any, kx: int, ky: int, x: Any, y: Any, dx: int, dy: int, grid: bool) -> Any:
    """sum of c_ij B_i(x) B_j(y), on a grid or at points; outside it is continued as a constant"""
    x, y = np.clip(np.asarray(x) + 0.0, tx[0], tx[-1]), np.clip(np.asarray(y) + 0.0, ty[0], ty[-1])
    if grid:
        along = spline_values(tx, c, kx, np.ravel(x), dx)
        return spline_values(ty, along.T, ky, np.ravel(y), dy).T
    x, y = np.broadcast_arrays(x, y)
    return np.reshape(tensor_values(tx, ty, c, kx, ky, np.ravel(x), np.ravel(y), dx, dy), np.shape(x))


declare("instead", {
    interpolate.BSpline: BSpline, interpolate.make_interp_spline: make_interp_spline, interpolate.splrep: splrep,
    interpolate.splev: splev, interpolate.UnivariateSpline: UnivariateSpline, interpolate.RectBivariateSpline: RectBivariateSpline,
    interpolate.InterpolatedUnivariateSpline: InterpolatedUnivariateSpline})

# --- splines that were made outside


def held_curve(self: Any) -> tuple:
    """Knots, coefficients, degree and what holds outside, of a spline of one variable"""
    return (*self._eval_args, self.ext)


def held_surface(self: Any) -> tuple:
    """Knots, coefficients and degrees of a spline of two variables"""
    tx, ty, c = self.tck
    kx, ky = self.degrees
    return tx, ty, c.reshape(len(tx) - kx - 1, len(ty) - ky - 1), kx, ky


nondifferentiable(held_curve, kind=lambda self: DISCRETE)
nondifferentiable(held_surface, kind=lambda self: DISCRETE)


def curve_values(self: Any, x: Any, nu: int = 0, ext: Any = None) -> Any:
    """A spline of one variable at points"""
    t, c, k, own = held_curve(self)
    return evaluated(t, c, k, beside(np.asarray(x), self), nu, own if ext is None else ext)


def surface_values(self: Any, x: Any, y: Any, dx: int = 0, dy: int = 0, grid: bool = True) -> Any:
    """A spline of two variables on a grid"""
    tx, ty, c, kx, ky = held_surface(self)
    return surface(tx, ty, c, kx, ky, beside(np.asarray(x), self), y, dx, dy, grid)


def surface_at_points(self: Any, xi: Any, yi: Any, dx: int = 0, dy: int = 0) -> Any:
    """A spline of two variables at points"""
    return surface_values(self, xi, yi, dx, dy, False)


def held_bspline(self: Any) -> tuple:
    return self.t, np.moveaxis(self.c, self.axis, 0), self.k, self.extrapolate, self.axis


nondifferentiable(held_bspline, kind=lambda self: DISCRETE)


def bspline_values(self: Any, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
    """sum of c_j B_j(x)"""
    t, c, k, beyond, axis = held_bspline(self)
    found = BSpline(t, c, k, beyond)
    found.axis = axis
    return found(beside(np.asarray(x), self), nu, extrapolate)


declare("instead", {
    interpolate.BSpline.__call__: bspline_values, interpolate.UnivariateSpline.__call__: curve_values,
    interpolate.RectBivariateSpline.__call__: surface_values, interpolate.RectBivariateSpline.ev: surface_at_points})
