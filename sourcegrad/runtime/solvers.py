"""Solvers inside of generated code: they run once, on plain numbers; the equation that they solve is what is differentiated.

`tangent_of` and `gradient_of` stand for the derivatives of a function by its first argument, where code is generated; the function
may be one that is made there, and capture what depends on the inputs.
"""
from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError

__all__ = ["tangent_of", "gradient_of", "spread_call", "solved", "number", "vector", "told", "unknowns", "shaped_as", "detached",
           "value_of", "newton_step", "chord_step", "last_step", "regular_matrix", "regular_slope", "probe", "isolated",
           "refused_form", "limits", "at_limits", "panels", "agreeing", "mesh", "positions_of", "dense_values", "explicit_method"]

FAR = 1e-3                # a correction of Newton's method that is longer, relative to the solution, is no rounding error


class Derivative:
    """A derivative of a function by its first argument, as code that is generated for its kinds (`sourcegrad.api.derivatives`)."""

    __sourcegrad_callable__ = True

    def __init__(self, name: str, does: str) -> None:
        self.__name__, self.__doc__ = name, does
        self.__module__ = __name__

    def generated_for(self, kinds: list, keywords: dict) -> Any:
        """The function that a call is, for arguments of these kinds."""
        return importlib.import_module("sourcegrad.api.derivatives").generated(self.__name__, kinds, keywords)

    def __call__(self, function: Callable, *args: Any) -> Any:
        raise UnsupportedError(f"{self.__name__}() outside of generated code", remedy="Use sg.jvp or sg.grad.")


tangent_of = Derivative("tangent_of", "tangent_of(f, x, x_dot, args): how f(x, *args) moves when x moves along x_dot")
gradient_of = Derivative("gradient_of", "gradient_of(f, x, args): the gradient of the number f(x, *args) by x")
spread_call = Derivative("spread_call", "spread_call(f, x, p): f(x, *p), with as many numbers as f has parameters")


def solved(solver: Callable, *args: Any, **options: Any) -> Any:
    """What a solver gives: no derivative flows through its iterations."""
    return solver(*args, **options)


def number(x: Any) -> float:
    """A number that a solver gives."""
    return float(x)


def vector(x: Any) -> Any:
    """A vector that a solver gives."""
    found = np.array(x, float)
    if found.ndim != 1:
        raise UnsupportedError(f"a solver whose solution has the shape {found.shape}", remedy="Solve for a vector: x.reshape(-1).")
    return found


def unknowns(found: Any) -> Any:
    """What a solver of the user gives, as a vector."""
    try:
        return np.array(found, float).reshape(-1)
    except (TypeError, ValueError):
        raise UnsupportedError(f"a solver that gives a {type(found).__name__}, not a number or an array of floats",
                               remedy="Return the unknowns as one array.") from None


def shaped_as(x: Any, found: Any) -> Any:
    """The unknowns in the form in which the solver gave them."""
    return x.reshape(np.shape(found))[()]


def told(result: Any, name: str) -> Any:
    """What the result of a solver says of its work: success, message, nit, ..."""
    return getattr(result, name, None)


def detached(x: Any) -> Any:
    """x as a constant."""
    return x


def value_of(x: Any, moving: Any) -> Any:
    """x, the solution that a solver gave, which moves as `moving` does, the same after steps of Newton's method."""
    return x


def newton_step(jacobian: Any, residual: Any) -> Any:
    """What is taken from a point to get nearer to the root of an equation with this residual.

    jacobian: at the root, a constant; for equations that each have one unknown the slopes. Two such steps from a root move as the
    root does up to second derivatives, so in code that has been differentiated `chord_step` stands for this, then `last_step`.
    """
    return residual / jacobian if np.ndim(jacobian) < 2 else np.linalg.solve(jacobian, residual)


def chord_step(jacobian: Any, residual: Any) -> Any:
    """`newton_step` in a first derivative."""
    return newton_step(jacobian, residual)


def last_step(jacobian: Any, residual: Any) -> Any:
    """`newton_step` in a second derivative: it cannot be differentiated again."""
    return newton_step(jacobian, residual)


def regular_matrix(jacobian: Any, residual: Any, x: Any, name: str) -> Any:
    """The Jacobian of an equation at its solution, if the implicit function theorem holds there: x solves it, and alone."""
    square = np.array(jacobian, float)
    if square.shape != (len(x), len(x)):
        raise UnsupportedError(f"{name} with {len(square)} equations for {len(x)} unknowns", remedy="Give as many equations as "
                               "unknowns, or use least_squares.")
    if np.isfinite(square).all() and np.isfinite(residual).all():
        scale = np.max(np.abs(square), axis=1, initial=0.0)
        scaled = square / np.where(scale > 0.0, scale, 1.0)[:, None]
        if np.linalg.matrix_rank(scaled, tol=1e-12 * len(x)) == len(x):
            step = np.linalg.solve(square, residual)
            check_step(np.max(np.abs(step), initial=0.0), np.max(np.abs(x), initial=0.0), name)
            return square
    return singular(name)


def regular_slope(slope: Any, residual: Any, x: Any, name: str) -> Any:
    """The slope of an equation at its solution (one number, or one for each element), if it is not zero."""
    if not (np.isfinite(slope).all() and np.isfinite(residual).all() and np.all(slope)):
        return singular(name)
    check_step(np.max(np.abs(residual / slope), initial=0.0), np.max(np.abs(x), initial=0.0), name)
    return slope


def check_step(step: Any, size: Any, name: str) -> None:
    if step > FAR * max(1.0, float(size)):
        raise UnsupportedError(f"{name} did not converge: a step of Newton's method from what it gave is {float(step):.2g}",
                               remedy="The derivative is that of a solution: give a better start, more iterations, or a smaller "
                               "tolerance.")


def probe(jacobian: Any, x: Any) -> Any:
    """A small step from a solution, in the direction in which its equation changes least."""
    size = 1e-6 * max(1.0, float(np.max(np.abs(x), initial=0.0)))
    return size * (np.linalg.svd(jacobian)[2][-1] if np.ndim(jacobian) == 2 and len(x) else np.ones(np.shape(x)))


def isolated(x: Any, away: Any, back: Any, name: str) -> Any:
    """x, if the equation is linear near it: a step of Newton's method leads back from where a small step leads.

    At a multiple root it leads back half of the way at most, and the Jacobian, which is zero there, is what rounding left."""
    if np.isfinite(back).all() and not np.all(np.abs(away - back) <= 0.1 * np.max(np.abs(away), initial=0.0)):
        return singular(name)
    return x


def singular(name: str) -> Any:
    raise UnsupportedError(f"the derivative of a solution of {name}: the Jacobian of the equation is singular there",
                           remedy="The solution does not move smoothly with the inputs at a multiple root, and where there are "
                           "many solutions.")


def refused_form(found: Any, what: str, *given: Any) -> Any:
    """What a solver found in a form that has no derivative by what it was given."""
    return found


# --- minima with bounds: a variable that is held at one stays there, with a gradient that is not zero

NEAR = 1e-5               # of a bound, relative to it: solvers that stay inside end there
NO_FORCE = 1e-6           # a gradient that is smaller, relative to the largest, may be zero

def limits(bounds: Any, upper: bool, count: int) -> Any:
    """The lower or upper bounds of so many variables, from pairs with None, or from what has `lb` and `ub`."""
    if hasattr(bounds, "lb"):
        return np.broadcast_to(np.array(bounds.ub if upper else bounds.lb, float), (count,))
    infinite = np.inf if upper else -np.inf
    return np.array([infinite if pair[upper] is None else float(pair[upper]) for pair in bounds])


def at_limits(x: Any, lower: Any, upper: Any, slope: Any) -> Any:
    """Of each variable whether a minimum lies at its lower bound (-1), at its upper bound (1) or between. slope: the gradient."""
    smallest = NO_FORCE * max(1.0, float(np.max(np.abs(slope), initial=0.0)))
    below = np.isfinite(lower) & (x - lower <= NEAR * (1.0 + np.abs(lower)))
    above = np.isfinite(upper) & (upper - x <= NEAR * (1.0 + np.abs(upper)))
    side = np.where(below & (slope > smallest), -1, np.where(above & (slope < -smallest), 1, 0))
    if np.any((side == 0) & ((x == lower) | (x == upper))):
        raise UnsupportedError("a minimum at a bound that has no influence there: it has a derivative to one side only",
                               remedy="Leave the bound out, or move it.")
    return side


# --- integrals: Gauss's rule on the panels into which the solver has divided the interval

POINTS = 21


def panels(found: Any, a: Any, b: Any) -> Any:
    """Positions between a and b (from 0 to 1), or of t where x is (1 - t) / t from the finite limit, and their weights."""
    info = found[2]
    if hasattr(info, "intervals"):                          # quad_vec
        low, high = np.sort(np.asarray(info.intervals, float), axis=1).T
    else:
        low, high = (np.asarray(info[name], float)[:info["last"]] for name in ("alist", "blist"))
    if np.isfinite(a) and np.isfinite(b):
        low, high = ((x - a) / (b - a) if a != b else x - a for x in (low, high))
        low, high = np.minimum(low, high), np.maximum(low, high)
    place, weight = np.polynomial.legendre.leggauss(POINTS)
    half = 0.5 * (high - low)[:, None]
    return np.stack([(low[:, None] + half * (1.0 + place)).ravel(), (half * weight).ravel()])


def agreeing(value: Any, again: Any, allowed: Any, name: str) -> Any:
    """What a solver gave, if what is differentiated gives the same but for its tolerance."""
    difference = np.abs(np.asarray(value, float) - again)
    if not np.all(difference <= allowed):
        raise UnsupportedError(f"{name}: what is differentiated differs from what it gives by {float(np.max(difference)):.2g}",
                               remedy="The function is singular, or the tolerance is too large: split the interval there, or lower "
                               "the tolerance.")
    return value


# --- differential equations

def mesh(found: Any, t_span: Any, t_eval: Any) -> Any:
    """The times at which a solver has stepped, and those that are asked for."""
    check_success(found)
    wanted = np.asarray(found.t if t_eval is None else t_eval, float)
    times = np.union1d(np.asarray(found.t, float), wanted)
    return times if len(times) < 2 or found.t[-1] >= found.t[0] else times[::-1].copy()


def check_success(found: Any) -> None:
    if not found.success:
        raise UnsupportedError(f"the differential equation was not solved: {found.message}",
                               remedy="Choose a method for stiff equations, or a shorter interval.")


def positions_of(times: Any, wanted: Any) -> Any:
    """Where the wanted times are among all."""
    order = np.argsort(times)
    return order[np.searchsorted(times[order], np.asarray(wanted, float))]


def dense_values(found: Any, times: Any) -> Any:
    """The solution at some times, as the solver gives it."""
    check_success(found)
    return np.array(found.sol(np.asarray(times, float)), float)


def explicit_method(method: Any) -> bool:
    """Whether an explicit method of Runge and Kutta was asked for."""
    name = method if isinstance(method, str) else getattr(method, "__name__", "")
    if name not in ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"):
        raise UnsupportedError(f"solve_ivp with the method {name}", remedy="Use one of those of SciPy.")
    return name in ("RK23", "RK45", "DOP853")
