"""What solvers inside of generated code are made of: the solver itself has no derivative, its equation has."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.kinds import ANY, BOOL, DISCRETE, FLOAT, Const, Kind, Num, as_num
from sourcegrad.primitives.core import REAL, describe, jvp, ndim, nondifferentiable, rule, sample
from sourcegrad.runtime import (
    agreeing,
    at_limits,
    chord_step,
    dense_values,
    detached,
    explicit_method,
    isolated,
    last_step,
    limits,
    mesh,
    newton_step,
    number,
    panels,
    positions_of,
    probe,
    refuse,
    refused_form,
    regular_matrix,
    regular_slope,
    shaped_as,
    solved,
    tangent_of,
    told,
    unknowns,
    value_of,
    vector,
)

THIRD = "the third derivative of a solution of an equation"
ORDERS = "Solutions of solvers have first and second derivatives."
FORMS = "Use a form that is differentiated (docs/solvers.md), or sg.implicit(solver, equation)."
TIMES = "a derivative by the times of a differential equation"
SCALED = "Scale the time: solve dy/ds = T f(s T, y) for s from 0 to 1."
VECTOR, MATRIX = Num("float64", (None,), True), Num("float64", (None, None), True)


def of_first(x: Any, *others: Any) -> Kind:
    return as_num(x)


nondifferentiable(solved, kind=lambda solver, *args, **options: ANY)
nondifferentiable(told, kind=lambda result, name: DISCRETE)
nondifferentiable(number, kind=lambda x: FLOAT)
nondifferentiable(unknowns, kind=lambda found: VECTOR, result="new", effect="checks")
nondifferentiable(vector, kind=lambda x: VECTOR, result="new", effect="checks")
nondifferentiable(detached, kind=as_num)
nondifferentiable(regular_slope, kind=of_first, effect="checks")
nondifferentiable(regular_matrix, kind=lambda jacobian, *others: MATRIX, effect="checks")
nondifferentiable(probe, kind=lambda jacobian, x: as_num(x))
nondifferentiable(isolated, kind=of_first, effect="checks")
nondifferentiable(at_limits, effect="checks", kind=lambda *args: Num("int64", (None,), True))
nondifferentiable(panels, kind=lambda found, a, b: MATRIX)
nondifferentiable(agreeing, effect="checks", kind=lambda value, again, *others: as_num(again))
nondifferentiable(positions_of, kind=lambda *args: Num("int64", (None,), True))
nondifferentiable(dense_values, effect="checks", kind=lambda *args: MATRIX)
nondifferentiable(explicit_method, effect="checks", kind=lambda method: Const(explicit_method(method.value)) if isinstance(
    method, Const) else BOOL)
describe(solved, applies=True, result="new")


@rule(value_of, kind=lambda x, moving: as_num(moving))
def value_of_solution(ct, out, x, moving):
    """out = x, which moves as `moving` does"""
    return None, ct


@jvp(value_of)
def moving_solution(dot, out, x, moving):
    """out = x, which moves as `moving` does"""
    return None, dot


def of_residual(jacobian: Kind, residual: Kind) -> Kind:
    return as_num(residual)


@rule(newton_step, chord_step, tangent="linear", kind=of_residual)
def step_of_residual(ct, out, jacobian, residual):
    """out = J^-1 residual, with a constant J"""
    if ndim(jacobian) == 2:
        return None, np.linalg.solve(jacobian.T, ct)
    return None, ct / jacobian


@rule(last_step, kind=of_residual)
def no_further_step(ct, out, jacobian, residual):
    """out = J^-1 residual; two steps are right up to second derivatives"""
    return None, refuse(THIRD, ORDERS)


@jvp(last_step)
def no_further_tangent(dot, out, jacobian, residual):
    """out = J^-1 residual"""
    return None, refuse(THIRD, ORDERS)


describe(newton_step, again=chord_step)
describe(chord_step, again=last_step)


@rule(limits, kind=lambda bounds, upper, count: VECTOR)
def limits_of_pairs(ct, out, bounds, upper, count):
    """out: the bounds on one side"""
    return refuse("a derivative by the bounds of a minimum", "Solve with constants as bounds: scale the variable to them.")


@rule(mesh, effect="checks", kind=lambda *args: VECTOR)
def constant_times(ct, out, found, t_span, t_eval):
    """out: times"""
    return None, refuse(TIMES, SCALED), refuse(TIMES, SCALED)


@rule(refused_form, kind=lambda found, what, *given: ANY)
def form_is_refused(ct, out, found, what, *given):
    """out = found"""
    return None, None, refuse(what, FORMS)


@rule(shaped_as, tangent="linear", result="may view", kind=lambda x, found: ANY,
      samples=[sample(REAL(6), np.zeros((2, 3))), sample(REAL(1), 0.0)])
def shaped(ct, out, x, found):
    """out = x in another shape"""
    return np.reshape(ct, np.shape(x))


# --- the implicit function theorem

def solution_near(equation: Callable, x: Any, name: str) -> Any:
    """The vector x that solves equation(x) = 0"""
    residual = equation(x)
    columns = [tangent_of(equation, x, unit) for unit in np.eye(len(x))]
    jacobian = regular_matrix(detached(np.stack(columns, axis=1)), detached(residual), x, name)
    away = probe(jacobian, x)
    solution = isolated(x, away, newton_step(jacobian, detached(equation(x + away) - residual)), name)
    nearer = x - newton_step(jacobian, residual)
    return value_of(solution, nearer - newton_step(jacobian, equation(nearer)))


def root_near(equation: Callable, x: Any, name: str) -> Any:
    """The number x that solves equation(x) = 0, or an array of numbers that each solve their own"""
    residual = equation(x)
    slope = regular_slope(detached(tangent_of(equation, x, np.ones_like(x) if np.ndim(x) else 1.0)), detached(residual), x, name)
    away = probe(slope, x)
    solution = isolated(x, away, newton_step(slope, detached(equation(x + away) - residual)), name)
    nearer = x - newton_step(slope, residual)
    return value_of(solution, nearer - newton_step(slope, equation(nearer)))


def implicit_solution(solver: Callable, equation: Callable, args: Any) -> Any:
    """The number or array that a solver gives, and that makes an equation zero"""
    found = solved(solver, *args)
    x = solution_near(lambda x: np.ravel(np.asarray(equation(shaped_as(x, found), *args))), unknowns(found), solver.__name__)
    return shaped_as(x, found)
