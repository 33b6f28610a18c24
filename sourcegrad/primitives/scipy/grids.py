"""Interpolators of scipy.interpolate in plain Python: along a line, on a regular grid, by radial functions, in triangles."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate, spatial

from sourcegrad.kinds import DISCRETE, Num
from sourcegrad.primitives.core import declare, nondifferentiable
from sourcegrad.primitives.scipy.corners import corner_values
from sourcegrad.primitives.scipy.piecewise import Interpolator, at_axis, beside, still
from sourcegrad.primitives.scipy.splines import fitted, knots_of, spline_values
from sourcegrad.runtime import no_formula

# --- along a line -------------------------------------------------------------------------------------------

SPLINES = {"slinear": 1, "quadratic": 2, "cubic": 3}


def cell_of(points: Any, x: Any) -> Any:
    """The number of the interval in which a point lies, with its upper end; those outside belong to the first and the last"""
    return np.clip(np.searchsorted(x, points) - 1, 0, max(len(x) - 2, 0))


def nearest_of(points: Any, x: Any, kind: str) -> Any:
    """The number of the knot that a point takes its value from"""
    if kind in ("nearest", "nearest-up"):
        middles = 0.5 * (x[1:] + x[:-1])
        return np.searchsorted(middles, points, side="right" if kind == "nearest-up" else "left")
    if kind in ("previous", "zero"):
        return np.clip(np.searchsorted(x, points, side="right") - 1, 0, len(x) - 1)
    return np.clip(np.searchsorted(x, points), 0, len(x) - 1)


def order_of(kind: Any) -> int:
    """The degree of a spline; 0: it is none"""
    return kind if isinstance(kind, int) else SPLINES.get(kind, 0)


def sorting(x: Any, assume_sorted: bool) -> Any:
    return np.arange(len(x)) if assume_sorted else np.argsort(x, kind="mergesort")


nondifferentiable(cell_of, nearest_of, order_of, sorting, kind=lambda *args: DISCRETE)


def share_of(points: Any, x: Any, place: Any) -> Any:
    """Where points lie in their intervals, from 0 to 1"""
    return (points - x[place]) / np.diff(x)[place]


class Interp1d(Interpolator):
    """Values at points between others"""

    def __init__(self, x: Any, y: Any, kind: Any = "linear", axis: int = -1, copy: bool = True, bounds_error: Any = None,
                 fill_value: Any = np.nan, assume_sorted: bool = False) -> None:
        order = sorting(x, assume_sorted)
        self.x, self.kind, self.axis = (np.asarray(x) + 0.0)[order], kind, axis % np.ndim(y)
        self.y = np.moveaxis(np.asarray(y) + 0.0, axis, 0)[order]
        if kind not in ("linear", "nearest", "nearest-up", "previous", "next", "zero"):
            self.y = beside(self.y, x)
        self.extrapolate = isinstance(fill_value, str)
        pair = isinstance(fill_value, tuple)
        self.below = np.nan if self.extrapolate else fill_value[0] if pair else fill_value
        self.above = np.nan if self.extrapolate else fill_value[1] if pair else fill_value
        given = self.extrapolate or pair or not (isinstance(fill_value, float) and fill_value != fill_value)
        self.bounds_error = not given if bounds_error is None else bounds_error

    def __call__(self, x: Any) -> Any:
        points = np.ravel(np.asarray(x) + 0.0)
        low, high = points < self.x[0], points > self.x[-1]
        beyond = bool(np.any(low | high))
        if self.bounds_error and beyond:
            raise ValueError("A value is outside the interpolation range.")
        found = self.inside(points)
        shape = (-1,) + (1,) * (self.y.ndim - 1)
        if self.extrapolate and self.kind in ("previous", "next"):
            found = np.where(np.reshape(low if self.kind == "previous" else high, shape), np.nan, found)
        elif beyond and not self.extrapolate:
            found = np.where(np.reshape(low, shape), self.below, np.where(np.reshape(high, shape), self.above, found))
        return at_axis(np.reshape(found, np.shape(x) + self.y.shape[1:]), np.ndim(x), self.axis)

    def inside(self, points: Any) -> Any:
        if self.kind == "linear":
            place = cell_of(points, self.x)
            share = share_of(points, self.x, place)
            found = corner_values(np.reshape(self.y, self.y.shape[:1] + (-1,)), (place,), (0,), share, None, None)
            return np.reshape(found, (-1,) + self.y.shape[1:])
        degree = order_of(self.kind)
        if degree == 0:
            return self.y[nearest_of(points, self.x, self.kind)]
        knots = knots_of(still(self.x), degree)
        c = fitted(knots, degree, still(self.x), np.reshape(self.y, (self.y.shape[0], -1)))
        return np.reshape(spline_values(knots, c, degree, points, 0), (-1,) + self.y.shape[1:])


# --- on a grid ----------------------------------------------------------------------------------------------

def outside_of(points: Any, xi: Any) -> Any:
    """Which points lie outside of a grid"""
    return np.any([(xi[:, k] < x[0]) | (xi[:, k] > x[-1]) for k, x in enumerate(points)], axis=0)


nondifferentiable(outside_of, kind=lambda points, xi: DISCRETE)


class RegularGridInterpolator(Interpolator):
    """The mean of the values at the corners of a cell, each with the opposite volume as its weight"""

    def __init__(self, points: Any, values: Any, method: str = "linear", bounds_error: bool = True, fill_value: Any = np.nan, *,
                 solver: Any = None, solver_args: Any = None) -> None:
        if solver is not None:
            no_formula(values, "scipy.interpolate.RegularGridInterpolator with a solver")
        self.grid = [np.asarray(x) + 0.0 for x in points]
        self.values, self.method = np.asarray(values) + 0.0, method
        self.bounds_error, self.fill_value = bounds_error, fill_value

    def __call__(self, xi: Any, method: Any = None, *, nu: Any = None) -> Any:
        chosen = self.method if method is None else method
        if nu is not None or chosen not in ("linear", "nearest"):
            no_formula(self.values,
                       "scipy.interpolate.RegularGridInterpolator with a method other than 'linear' and 'nearest', or with nu")
        count = len(self.grid)
        given = np.stack(np.broadcast_arrays(*xi), axis=-1) if isinstance(xi, tuple) else np.asarray(xi) + 0.0
        points = np.reshape(given, (-1, count))
        rest = self.values.shape[count:]
        if self.bounds_error and np.any(outside_of(self.grid, points)):
            raise ValueError("One of the requested xi is out of bounds")
        if chosen == "linear":
            found = grid_values(self.grid, self.values, points)
        else:
            found = self.values[tuple(nearest_of(points[:, k], self.grid[k], "nearest") for k in range(count))]
        if not self.bounds_error and self.fill_value is not None:
            found = np.where(np.reshape(outside_of(self.grid, points), (-1,) + (1,) * len(rest)), self.fill_value, found)
        shape = given.shape[:-1] if isinstance(xi, tuple) or given.ndim > 1 else points.shape[:1]
        return np.reshape(found, shape + rest)


def interpn(points: Any, values: Any, xi: Any, method: str = "linear", bounds_error: bool = True, fill_value: Any = np.nan) -> Any:
    """scipy.interpolate.interpn"""
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)



def grid_values(grid: list, values: Any, points: Any) -> Any:
    """The multilinear interpolant at points"""
    count = len(grid)
    places = tuple(cell_of(points[:, k], grid[k]) for k in range(count))
    shares = [share_of(points[:, k], grid[k], places[k]) for k in range(count)]
    table, rest = np.reshape(values, values.shape[:count] + (-1,)), values.shape[count:]
    if count == 1:
        return np.reshape(corner_values(table, places, (0,), shares[0], None, None), (-1,) + rest)
    if count == 2:
        return np.reshape(corner_values(table, places, (0, 0), shares[0], shares[1], None), (-1,) + rest)
    if count == 3:
        return np.reshape(corner_values(table, places, (0, 0, 0), shares[0], shares[1], shares[2]), (-1,) + rest)
    return in_many_axes(values, places, shares)


def in_many_axes(values: Any, places: tuple, shares: list) -> Any:
    """The sum over the corners of cells, each with the opposite volume as its weight"""
    count = len(places)
    column = (-1,) + (1,) * (values.ndim - count)
    total = np.zeros(shares[0].shape + values.shape[count:])
    for corner in range(2 ** count):
        weight = np.ones(shares[0].shape)
        for k in range(count):
            weight = weight * (shares[k] if corner >> k & 1 else 1.0 - shares[k])
        total = total + np.reshape(weight, column) * values[tuple(places[k] + (corner >> k & 1) for k in range(count))]
    return total


# --- by radial functions (G. E. Fasshauer 2007) --------------------------------------------------------------

def radial(r2: Any, kernel: str) -> Any:
    """A kernel, by the square of the distance; at 0 it stands still"""
    safe = np.where(r2 == 0, 1.0, r2)
    if kernel == "linear":
        return np.where(r2 == 0, 0.0, -np.sqrt(safe))
    if kernel == "thin_plate_spline":
        return np.where(r2 == 0, 0.0, 0.5 * safe * np.log(safe))
    if kernel == "cubic":
        return np.where(r2 == 0, 0.0, safe * np.sqrt(safe))
    if kernel == "quintic":
        return np.where(r2 == 0, 0.0, -safe * safe * np.sqrt(safe))
    if kernel == "multiquadric":
        return -np.sqrt(1.0 + r2)
    if kernel == "inverse_multiquadric":
        return 1.0 / np.sqrt(1.0 + r2)
    return 1.0 / (1.0 + r2) if kernel == "inverse_quadratic" else np.exp(-r2)


DEGREES = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}


def exponents(count: int, degree: int) -> Any:
    """The exponents of all monomials of at most a degree"""
    found = [np.zeros((1, count), int)]
    for _ in range(degree):
        found.append(np.unique((found[-1][:, np.newaxis] + np.eye(count, dtype=int)).reshape(-1, count), axis=0))
    return np.concatenate(found) if degree >= 0 else np.zeros((0, count), int)


def degree_of(kernel: str, degree: Any) -> int:
    return DEGREES.get(kernel, 0) if degree is None else int(degree)


nondifferentiable(exponents, kind=lambda count, degree: Num("int64", (None, None), True))
nondifferentiable(degree_of, kind=lambda kernel, degree: DISCRETE)


def monomials(x: Any, powers: Any) -> Any:
    return np.prod(x[:, np.newaxis, :] ** powers, axis=-1)


def squares(a: Any, b: Any) -> Any:
    return np.sum((a[:, np.newaxis] - b[np.newaxis]) ** 2, axis=-1)


class RBFInterpolator(Interpolator):
    """sum of w_j phi(|x - y_j|), and a polynomial that the weights are orthogonal to"""

    def __init__(self, y: Any, d: Any, neighbors: Any = None, smoothing: Any = 0.0, kernel: str = "thin_plate_spline",
                 epsilon: Any = None,
                 degree: Any = None) -> None:
        if neighbors is not None:
            no_formula(d, "scipy.interpolate.RBFInterpolator with neighbors")
        self.y, self.kernel = np.asarray(y) + 0.0, kernel
        self.epsilon = 1.0 if epsilon is None else epsilon
        self.powers = exponents(self.y.shape[1], degree_of(kernel, degree))
        values = np.asarray(d) + 0.0
        self.rest = values.shape[1:]
        count = self.y.shape[0]
        basis = radial(squares(self.y, self.y) * self.epsilon ** 2, kernel) + smoothing * np.eye(count)
        self.middle = still(0.5 * (np.max(self.y, axis=0) + np.min(self.y, axis=0)))
        tail = monomials(self.y - self.middle, self.powers)
        corner = np.zeros((tail.shape[1], tail.shape[1]))
        system = np.concatenate([np.concatenate([basis, tail], axis=1), np.concatenate([tail.T, corner], axis=1)])
        right = np.concatenate([np.reshape(values, (count, -1)), np.zeros((tail.shape[1], int(np.prod(self.rest))))])
        self.weights = np.linalg.solve(system, right)

    def __call__(self, x: Any) -> Any:
        points = np.asarray(x) + 0.0
        basis = radial(squares(points, self.y) * self.epsilon ** 2, self.kernel)
        found = np.concatenate([basis, monomials(points - self.middle, self.powers)], axis=1) @ self.weights
        return np.reshape(found, (points.shape[0],) + self.rest)


# --- in triangles -------------------------------------------------------------------------------------------

def corners_of(points: Any, xi: Any) -> tuple:
    """The corners of the simplices of Delaunay in which points lie, their barycentric coordinates, and which are outside"""
    mesh = spatial.Delaunay(points)
    place = mesh.find_simplex(xi)
    count = points.shape[1]
    return mesh.simplices[place], mesh.transform[place, :count], mesh.transform[place, count], place < 0


nondifferentiable(corners_of, kind=lambda points, xi: DISCRETE)


def in_triangles(points: Any, values: Any, xi: Any, fill_value: Any) -> Any:
    """The linear interpolant on the simplices of Delaunay; the points are constants"""
    nodes = np.asarray(points) + 0.0
    given = np.stack(np.broadcast_arrays(*xi), axis=-1) if isinstance(xi, tuple) else np.atleast_2d(np.asarray(xi) + 0.0)
    flat = np.reshape(given, (-1, nodes.shape[1]))
    corners, matrices, origins, outside = corners_of(nodes, flat)
    first = np.einsum("pij,pj->pi", matrices, flat - origins)
    weights = np.concatenate([first, 1.0 - np.sum(first, axis=1, keepdims=True)], axis=1)
    values = beside(np.asarray(values) + 0.0, points)
    table = np.reshape(values, (values.shape[0], -1))
    found = np.einsum("pk,pkc->pc", weights, table[corners])
    found = np.where(outside[:, np.newaxis], fill_value, found)
    return np.reshape(found, given.shape[:-1] + values.shape[1:])


def griddata(points: Any, values: Any, xi: Any, method: str = "linear", fill_value: Any = np.nan, rescale: bool = False) -> Any:
    """Values at points among others"""
    nodes = np.stack(points, axis=-1) if isinstance(points, tuple) else np.asarray(points)
    if method != "linear" or rescale or nodes.ndim != 2 or nodes.shape[1] < 2:
        no_formula(values, "scipy.interpolate.griddata with a method other than 'linear', with rescale or in one dimension")
    return in_triangles(nodes, values, xi, fill_value)


class LinearNDInterpolator(Interpolator):
    """The linear interpolant on the triangles of Delaunay"""

    def __init__(self, points: Any, values: Any, fill_value: Any = np.nan, rescale: bool = False) -> None:
        if rescale:
            no_formula(values, "scipy.interpolate.LinearNDInterpolator with rescale")
        given = np.asarray(values) + 0.0
        self.points, self.fill_value, self.values_shape = still(np.asarray(points)), fill_value, given.shape[1:]
        self.values = beside(np.reshape(given, (given.shape[0], -1)), points)             # (as SciPy's own holds them)

    def __call__(self, *xi: Any) -> Any:
        values = np.reshape(self.values, self.values.shape[:1] + self.values_shape)
        return in_triangles(still(self.points), values, xi[0] if len(xi) == 1 else xi, self.fill_value)


# --- interpolators that were made outside


def held_line(self: Any) -> tuple:
    fill = "extrapolate" if self._extrapolate else self.fill_value
    return self.x, self.y, self._kind_name, self.axis, self.bounds_error, fill


def held_grid(self: Any) -> tuple:
    return self.grid, self.values, self.method, self.bounds_error, self.fill_value


def held_radial(self: Any) -> tuple:
    return self.y, self.d.reshape((len(self.y),) + self.d_shape), self.neighbors, self.smoothing, self.kernel, self.epsilon


nondifferentiable(held_line, held_grid, held_radial, kind=lambda self: DISCRETE)


def grid_made_outside(self: Any, xi: Any, method: Any = None, *, nu: Any = None) -> Any:
    """A grid of scipy.interpolate at points"""
    points, values, own, bounds_error, fill_value = held_grid(self)
    given = np.stack(np.broadcast_arrays(*xi), axis=-1) if isinstance(xi, tuple) else np.asarray(xi)
    return RegularGridInterpolator(points, values, own, bounds_error, fill_value)(beside(given, self), method, nu=nu)


declare("instead", {
    interpolate.interp1d: Interp1d, interpolate.RegularGridInterpolator: RegularGridInterpolator, interpolate.griddata: griddata,
    interpolate.interpn: interpn,
    interpolate.RBFInterpolator: RBFInterpolator, interpolate.LinearNDInterpolator: LinearNDInterpolator,
    interpolate.RegularGridInterpolator.__call__: grid_made_outside})
