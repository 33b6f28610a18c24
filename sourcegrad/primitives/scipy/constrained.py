"""Minima with constraints in plain Python: the equations of W. Karush, H. Kuhn and A. Tucker for those that are tight there.

Which are tight is a constant, so all of them must have a multiplier that is not zero (strict complementarity); others would have
derivatives to one side only, and are refused when the code runs (docs/solvers.md; A. V. Fiacco 1983).
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize

from sourcegrad.kinds import ANY, BOOL, Const, Kind, Num, Obj, Tup
from sourcegrad.kinds.types import Dct, Map, OneOf
from sourcegrad.primitives.core import declare, describe, nondifferentiable, rule
from sourcegrad.primitives.scipy.piecewise import Interpolator
from sourcegrad.primitives.scipy.roots import Solution, packed
from sourcegrad.primitives.solvers import solution_near
from sourcegrad.runtime import (
    detached,
    gradient_of,
    limits,
    refuse,
    refused_form,
    solved,
    tangent_of,
    told,
    value_of,
    vector,
)
from sourcegrad.runtime.core import UnsupportedError

TIGHT = 1e-4              # a constraint that is nearer to its limit, relative to it, may be tight
NO_FORCE = 1e-6           # a multiplier that is smaller, relative to the largest part of the gradient, may be zero
ONE_SIDE = "a minimum at a constraint that has no influence there: it has a derivative to one side only"
AWAY = "Leave the constraint out, or move it."
VERTEX = "The derivative is that of one vertex: where several are optimal, or more constraints meet there, there is none."


class Linear(Interpolator):
    """What stands for LinearConstraint: lb <= A x <= ub"""

    def __init__(self, A: Any, lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: Any = False) -> None:
        self.A, self.lb, self.ub, self.keep_feasible = np.atleast_2d(np.asarray(A) + 0.0), lb, ub, keep_feasible

    def at(self, x: Any) -> Any:
        return self.A @ x


class Nonlinear(Interpolator):
    """What stands for NonlinearConstraint: lb <= fun(x) <= ub"""

    def __init__(self, fun: Callable, lb: Any, ub: Any, jac: Any = "2-point", hess: Any = None, keep_feasible: Any = False,
                 finite_diff_rel_step: Any = None, finite_diff_jac_sparsity: Any = None) -> None:
        self.fun, self.lb, self.ub, self.jac, self.keep_feasible = fun, lb, ub, jac, keep_feasible

    def at(self, x: Any) -> Any:
        return np.atleast_1d(np.asarray(self.fun(x)))


declare("instead", {optimize.LinearConstraint: Linear, optimize.NonlinearConstraint: Nonlinear})


def listed(constraints: Any) -> Any:
    """Constraints, which may be one"""
    return constraints if isinstance(constraints, (list, tuple)) else [constraints]


def of_scipy(constraints: Any) -> Any:
    """Constraints as SciPy knows them."""
    found = []
    for one in listed(constraints):
        if isinstance(one, Linear):
            one = optimize.LinearConstraint(one.A, one.lb, one.ub, one.keep_feasible)
        elif isinstance(one, Nonlinear):
            one = optimize.NonlinearConstraint(one.fun, one.lb, one.ub, one.jac, keep_feasible=one.keep_feasible)
        found.append(one)
    return found


nondifferentiable(of_scipy, kind=lambda constraints: ANY)
describe(of_scipy, applies=True, result="new")


def is_mapping(one: Any) -> bool:
    return isinstance(one, dict)


def is_linear(one: Any) -> bool:
    return isinstance(one, optimize.LinearConstraint)


def only_above(one: Any) -> bool:
    return one["type"] == "ineq"


def is_nonlinear(one: Any) -> bool:
    return isinstance(one, optimize.NonlinearConstraint)


def mapping_kind(one: Kind) -> Kind:
    return Const(isinstance(one, (Dct, Map))) if isinstance(one, (Dct, Map, Obj, OneOf)) else BOOL


def class_kind(cls: type) -> Any:
    """Whether something is of a class, where that is known"""
    return lambda one: Const(one.cls is cls) if isinstance(one, Obj) else Const(False) if isinstance(one, OneOf) else BOOL


nondifferentiable(is_mapping, kind=mapping_kind)
nondifferentiable(is_linear, kind=class_kind(optimize.LinearConstraint))
nondifferentiable(is_nonlinear, kind=class_kind(optimize.NonlinearConstraint))
nondifferentiable(only_above, kind=lambda one: BOOL)


def value_at(one: Any, x: Any) -> Any:
    """What a constraint limits, as a vector"""
    if is_mapping(one):
        if "args" in one:
            return np.atleast_1d(np.asarray(one["fun"](x, *packed(one["args"]))))
        return np.atleast_1d(np.asarray(one["fun"](x)))
    if is_linear(one):
        return np.atleast_2d(np.asarray(one.A)) @ x
    if is_nonlinear(one):
        return np.atleast_1d(np.asarray(one.fun(x)))
    return one.at(x)


def limit_of(one: Any, size: int, upper: bool) -> Any:
    """The lower or upper limits of a constraint"""
    if is_mapping(one):
        return np.full(size, np.inf if upper and only_above(one) else 0.0)
    return np.zeros(size) + np.asarray(one.ub if upper else one.lb)


def active_set(values: Any, lower: Any, upper: Any, slopes: Any, force: Any) -> tuple:
    """Which constraints are tight at a minimum, at which limit (-1: the lower), and their multipliers.

    slopes: the Jacobian of the constraints; force: the gradient of the function, which is what the multipliers make of them."""
    equal = lower == upper
    below = np.isfinite(lower) & (values - lower <= TIGHT * (1.0 + np.abs(lower)))
    above = np.isfinite(upper) & (upper - values <= TIGHT * (1.0 + np.abs(upper)))
    smallest = NO_FORCE * max(1.0, float(np.max(np.abs(force), initial=0.0)))
    places = np.nonzero(equal | below | above)[0]
    for _ in range(len(values) + 1):
        factors = np.linalg.lstsq(slopes[places].T, force, rcond=None)[0]
        side = np.where(below[places] & (factors > 0.0) | ~above[places], -1, 1)
        wrong = ~equal[places] & (np.where(side < 0, factors, -factors) < -smallest)
        if not wrong.any():
            break
        places = np.delete(places, np.argmax(wrong * np.abs(factors)))
    if np.any(~equal[places] & (np.abs(factors) <= smallest)):
        raise UnsupportedError(ONE_SIDE, remedy=AWAY)
    return places, side, factors


PLACES, FACTORS = Num("int64", (None,), True), Num("float64", (None,), True)
nondifferentiable(active_set, effect="checks", kind=lambda *args: Tup((PLACES, PLACES, FACTORS)))


def least_within(value: Callable, bounds: Any, constraints: Any, found: Any) -> Any:
    """The minimum under constraints that `minimize` found"""
    x = vector(found.x)
    n = len(x)
    given = listed(constraints)
    both = lambda x: np.concatenate([*[value_at(one, x) for one in given], x])                                  # noqa: E731
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    if bounds is not None:
        lower, upper = limits(bounds, False, n), limits(bounds, True, n)
    sizes = [len(value_at(one, x)) for one in given]
    lower = np.concatenate([*[limit_of(one, size, False) for one, size in zip(given, sizes)], lower])
    upper = np.concatenate([*[limit_of(one, size, True) for one, size in zip(given, sizes)], upper])
    slopes = detached(np.stack([tangent_of(both, x, unit) for unit in np.eye(n)], axis=1))
    force = detached(gradient_of(value, x))
    places, side, factors = active_set(detached(both(x)), detached(lower), detached(upper), slopes, force)
    target = np.where(side < 0, lower[places], upper[places])

    def stationary(z: Any) -> Any:
        """The gradient of the function less the multipliers times the tight constraints; what these are off their limits"""
        pull = gradient_of(lambda y: value(y) - np.dot(z[n:], both(y)[places]), z[:n])
        return np.concatenate([pull, both(z[:n])[places] - target])

    best = solution_near(stationary, np.concatenate([x, factors]), "minimize")[:n]
    return Solution(best, value(best), found)


# --- linear programs

def rows_given(A: Any, b: Any, n: int) -> tuple:
    """Rows of a matrix, with their right sides, which may be a column; none"""
    if A is None:
        return np.zeros((0, n)), np.zeros(0)
    return np.atleast_2d(np.asarray(A) + 0.0), np.ravel(np.asarray(b) + 0.0)


def limits_given(bounds: Any, upper: bool, n: int) -> Any:
    """Bounds on one side, from pairs, one pair for all, or None"""
    if bounds is None:
        bounds = (0.0, None)
    pairs = [bounds] * n if np.ndim(bounds) < 2 and len(bounds) == 2 and not np.iterable(bounds[0]) else bounds
    infinite = np.inf if upper else -np.inf
    return np.array([infinite if pair[upper] is None else float(pair[upper]) for pair in pairs])


@rule(limits_given, kind=lambda bounds, upper, n: FACTORS)
def limits_given_rule(ct, out, bounds, upper, n):
    """out: the bounds on one side"""
    return refuse("a derivative by the bounds of a linear program", "Write them as rows of A_ub and b_ub.")


def vertex(x: Any, rows: Any, sides: Any, equations: int, cost: Any) -> Any:
    """The rows that are tight at a vertex, if it is the only solution and as many as there are unknowns."""
    tight = np.abs(rows @ x - np.where(np.isfinite(sides), sides, 0.0)) <= 1e-7 * (1.0 + np.abs(sides))
    tight = np.where(np.isfinite(sides), tight, False)
    tight[:equations] = True
    places = np.nonzero(tight)[0]
    if len(places) == len(x) and np.linalg.matrix_rank(rows[places]) == len(x):
        prices = np.linalg.solve(rows[places].T, cost)[np.sum(places < equations):]
        if np.all(np.abs(prices) > 1e-9 * max(1.0, float(np.max(np.abs(cost), initial=0.0)))):
            return places
    raise UnsupportedError("the derivative of a linear program whose solution is degenerate", remedy=VERTEX)


nondifferentiable(vertex, effect="checks", kind=lambda *args: PLACES)


def found_point(result: Any) -> Any:
    """The solution of a linear program, if there is one."""
    if result.x is None:
        raise UnsupportedError(f"a linear program without solution: {result.message}", remedy="Change its constraints.")
    return np.array(result.x, float)


nondifferentiable(found_point, effect="checks", kind=lambda result: FACTORS)


class Program:
    """What linprog gives."""

    __sourcegrad_object__ = True

    def __init__(self, x: Any, fun: Any, slack: Any, con: Any, found: Any, given: Any) -> None:
        self.x, self.fun, self.slack, self.con = x, fun, slack, con
        self.success, self.status, self.message = told(found, "success"), told(found, "status"), told(found, "message")
        self.nit = told(found, "nit")
        self.ineqlin = refused_form(told(found, "ineqlin"), "prices of a linear program", *given)
        self.eqlin = refused_form(told(found, "eqlin"), "prices of a linear program", *given)

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def linprog(c: Any, A_ub: Any = None, b_ub: Any = None, A_eq: Any = None, b_eq: Any = None, bounds: Any = (0, None),
            method: str = "highs", callback: Any = None, options: Any = None, x0: Any = None, integrality: Any = None) -> Any:
    """scipy.optimize.linprog: the equations of a vertex"""
    if integrality is not None:
        return refused_form(None, "linprog with integrality", c, A_ub, b_ub, A_eq, b_eq)
    found = solved(optimize.linprog, c, A_ub, b_ub, A_eq, b_eq, bounds, method, callback, options, x0)
    x, cost = found_point(found), np.ravel(np.asarray(c) + 0.0)
    n = len(x)
    equal, equal_to = rows_given(A_eq, b_eq, n)
    less, less_than = rows_given(A_ub, b_ub, n)
    rows = np.concatenate([equal, less, np.eye(n), np.eye(n)])
    sides = np.concatenate([equal_to, less_than, limits_given(bounds, False, n), limits_given(bounds, True, n)])
    tight = vertex(x, detached(rows), detached(sides), len(equal_to), detached(cost))
    best = value_of(x, np.linalg.solve(rows[tight], sides[tight]))
    return Program(best, np.dot(cost, best), less_than - less @ best, equal_to - equal @ best, found, (c, A_ub, b_ub, A_eq, b_eq))


declare("instead", {optimize.linprog: linprog})
