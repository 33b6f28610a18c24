"""Boundary value problems of scipy.integrate in plain Python: the equations of collocation on the mesh that the solver found.

With points and middles of intervals (the rule of Lobatto, which SciPy solves, too: J. Kierzenka and L. F. Shampine 2001)
the values at the points, and the parameters, are the unknowns of one system of equations.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate

from sourcegrad.kinds import Num
from sourcegrad.primitives.core import declare, nondifferentiable
from sourcegrad.primitives.solvers import solution_near
from sourcegrad.runtime import no_formula, refused_form, solved, told
from sourcegrad.runtime.core import UnsupportedError


class Boundary:
    """What solve_bvp gives, at the points of its mesh."""

    __sourcegrad_object__ = True

    def __init__(self, x: Any, y: Any, yp: Any, p: Any, found: Any) -> None:
        self.x, self.y, self.yp, self.p = x, y, yp, p
        self.success, self.status, self.message = told(found, "success"), told(found, "status"), told(found, "message")
        self.niter = told(found, "niter")

    def sol(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        return no_formula(self.y, "the spline `sol` of solve_bvp: make a CubicHermiteSpline of x, y, yp along the last axis")

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def points_of(found: Any) -> Any:
    """The mesh of a solution, if there is one."""
    if not found.success or np.iscomplexobj(found.y):
        raise UnsupportedError(f"solve_bvp did not solve the problem, or its values are complex: {found.message}",
                               remedy="Give a better start or more nodes.")
    return np.array(found.x, float)


def values_at_points(found: Any) -> Any:
    """The values at the points of a mesh."""
    return np.array(found.y, float)


def parameters_of(found: Any) -> Any:
    """The parameters that were found."""
    return np.zeros(0) if found.p is None else np.array(found.p, float)


nondifferentiable(points_of, effect="checks", kind=lambda found: Num("float64", (None,), True))
nondifferentiable(values_at_points, kind=lambda found: Num("float64", (None, None), True))
nondifferentiable(parameters_of, kind=lambda found: Num("float64", (None,), True))


def solve_bvp(fun: Callable, bc: Callable, x: Any, y: Any, p: Any = None, S: Any = None, fun_jac: Any = None, bc_jac: Any = None,
              tol: float = 1e-3, max_nodes: int = 1000, verbose: int = 0, bc_tol: Any = None) -> Any:
    """scipy.integrate.solve_bvp"""
    found = solved(integrate.solve_bvp, fun, bc, x, y, p, S, fun_jac, bc_jac, tol, max_nodes, verbose, bc_tol)
    if S is not None:
        return refused_form(found, "solve_bvp with a singular term", fun, bc)
    times, start, free = points_of(found), values_at_points(found), parameters_of(found)
    step, count = np.diff(times), start.size
    middle = times[:-1] + 0.5 * step
    if p is None:
        right = lambda t, u, z: np.asarray(fun(t, u))                                                           # noqa: E731
        ends = lambda u, z: np.asarray(bc(u[:, 0], u[:, -1]))                                                   # noqa: E731
    else:
        right = lambda t, u, z: np.asarray(fun(t, u, z[count:]))                                                # noqa: E731
        ends = lambda u, z: np.asarray(bc(u[:, 0], u[:, -1], z[count:]))                                        # noqa: E731

    def collocated(z: Any) -> Any:
        """How far the rise over an interval is from Lobatto's rule, and what the ends leave"""
        u = np.reshape(z[:count], start.shape)
        f = right(times, u, z)
        between = 0.5 * (u[:, :-1] + u[:, 1:]) - 0.125 * step * (f[:, 1:] - f[:, :-1])
        rise = u[:, 1:] - u[:, :-1] - step / 6.0 * (f[:, :-1] + 4.0 * right(middle, between, z) + f[:, 1:])
        return np.concatenate([np.ravel(rise), ends(u, z)])

    z = solution_near(collocated, np.concatenate([np.ravel(start), free]), "solve_bvp")
    u = np.reshape(z[:count], start.shape)
    return Boundary(times, u, right(times, u, z), z[count:], found)


declare("instead", {integrate.solve_bvp: solve_bvp})
