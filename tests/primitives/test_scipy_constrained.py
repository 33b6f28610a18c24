"""Minima with constraints, linear programs and boundary value problems: derivatives of their solutions."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.primitives.scipy_checks import check, weighted

optimize = pytest.importorskip("scipy.optimize")
integrate = pytest.importorskip("scipy.integrate")
pytestmark = pytest.mark.filterwarnings("ignore")
P = np.array([1.2, 0.7, 0.4])
TIGHT = {"ftol": 1e-14, "maxiter": 300}


def total(found):
    return np.sum(weighted(found) * found)


def with_equation(p):
    """The point of a plane that is nearest to a point, in a norm that is not round."""
    found = optimize.minimize(lambda x: np.sum((x - p) ** 2) + 0.1 * x[0] ** 4, np.zeros(3), method="SLSQP", options=TIGHT,
                              constraints={"type": "eq", "fun": lambda x: x[0] + 2.0 * x[1] - p[2]})
    return total(found.x) + found.fun


def with_limits(p):
    found = optimize.minimize(lambda x: np.sum((x - p) ** 2), np.zeros(3), method="SLSQP", options=TIGHT, constraints=[
        {"type": "ineq", "fun": lambda x, r: r - np.sum(x ** 2), "args": (p[1],)},
        {"type": "ineq", "fun": lambda x: x[0] + 5.0}])
    return total(found.x)


def with_bounds(p):
    found = optimize.minimize(lambda x: np.sum((x - p) ** 2), np.zeros(3), method="SLSQP", options=TIGHT, bounds=[(0.0, 0.5)] * 3,
                              constraints=({"type": "eq", "fun": lambda x: np.array([x[0] + x[1] + x[2] - 1.0 - 0.1 * p[0]])},))
    return total(found.x)


def portfolio(p):
    """Shares of three assets, with objects of SciPy as constraints."""
    risk = np.diag(p) + 0.1
    found = optimize.minimize(lambda x: x @ risk @ x, np.full(3, 0.3), method="SLSQP", options=TIGHT,
                              constraints=[optimize.LinearConstraint(np.ones((1, 3)), 1.0, 1.0),
                                           optimize.NonlinearConstraint(lambda x: x @ p, 0.9 * p[0], np.inf)])
    return total(found.x)


def program(p):
    found = optimize.linprog(-p, A_ub=np.array([[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]]), b_ub=np.array([4.0, 3.0]) * p[:2])
    return total(found.x) + found.fun


def program_of_rows(a, b):
    found = optimize.linprog(np.array([1.0, 2.0]), A_eq=a[:1], b_eq=b[:1], A_ub=a[1:], b_ub=b[1:],
                             bounds=[(None, None), (-5.0, 9.0)])
    return total(found.x) + found.fun * found["slack"][0]


def program_of_columns(p):
    """A game of two players: the limits are a column, the costs a row."""
    rows = np.array([[-1.0, -2.0, 1.0], [-3.0, -0.5, 1.0]]) * p[:2].reshape(2, 1)
    found = optimize.linprog(np.array([[0.0, 0.0, -1.0]]), A_ub=rows,
                             b_ub=np.zeros((2, 1)) + 0.1 * p[2], A_eq=np.array([[1.0, 1.0, 0.0]]), b_eq=1)
    return total(found.x) + found.fun * found.slack.sum() + found.con[0]


def bent(a):
    """A rod that is held at both ends."""
    found = integrate.solve_bvp(lambda x, y: np.vstack([y[1], -a * y[0] + 0.1 * y[0] ** 3]),
                                lambda u, v: np.array([u[0], v[0] - a]),
                                np.linspace(0.0, 1.0, 5), np.zeros((2, 5)), tol=1e-7)
    return found.y[1, 0] * found.y[0, 2]


def wave_number(a):
    """The least k with y'' + k^2 a y = 0, y = 0 at both ends: an eigenvalue as a parameter."""
    x = np.linspace(0.0, 1.0, 7)
    found = integrate.solve_bvp(lambda x, y, p: np.vstack([y[1], -p[0] ** 2 * a * y[0]]),
                                lambda u, v, p: np.array([u[0], v[0], u[1] - p[0]]), x,
                                np.stack([np.sin(3.0 * x), np.cos(3.0 * x)]),
                                p=[3.0], tol=1e-8)
    return found.p[0]


PROGRAMS = {
    "a boundary value problem": (bent, (1.5,)),
    "a linear program": (program, (P,)),
    "limits in a column": (program_of_columns, (P,)),
    "rows": (program_of_rows, (np.array([[1.0, 1.0], [-1.0, 0.3], [1.0, -3.0]]), np.array([2.0, 1.0, 6.0]))),
}


SEARCHES = {"an equation": with_equation, "limits": with_limits, "bounds": with_bounds, "objects": portfolio}


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name):
    function, args = PROGRAMS[name]
    check(function, *args, order=2 if name == "a linear program" else 1, tolerance=1e-7)


@pytest.mark.parametrize("name", SEARCHES)
def test_searches(name):
    """Minima that are exact to eight digits, so that differences have wide steps."""
    function, dot = SEARCHES[name], np.array([0.5, -1.0, 0.7])
    value, gradient = sg.value_and_grad(function)(P)
    assert value == pytest.approx(function(P), rel=1e-12)
    expected = (function(P + 1e-3 * dot) - function(P - 1e-3 * dot)) / 2e-3
    assert gradient @ dot == pytest.approx(expected, rel=1e-4, abs=1e-4)
    assert sg.jvp(function, (P,), (dot,))[1] == pytest.approx(gradient @ dot, rel=1e-6)


def test_parameter_of_a_boundary_value_problem():
    value, gradient = sg.value_and_grad(wave_number)(1.3)
    assert value == pytest.approx(np.pi / np.sqrt(1.3), rel=1e-6) and gradient == pytest.approx(-0.5 * value / 1.3, rel=1e-5)


REFUSED = {
    "a degenerate program": lambda p: total(optimize.linprog(p, A_ub=-np.ones((2, 3)), b_ub=-np.ones(2) * p[0]).x),
    "several solutions": lambda p: total(optimize.linprog(np.ones(3), A_ub=-np.ones((1, 3)), b_ub=-p[:1]).x),
    "whole numbers": lambda p: total(optimize.linprog(p, A_ub=-np.ones((1, 3)), b_ub=-p[:1], integrality=1).x),
    "bounds of a program": lambda p: total(optimize.linprog(np.ones(3), bounds=[(p[0], 2.0), (p[1], 2.0), (p[2], 3.0)]).x),
    "no force": lambda p: total(optimize.minimize(lambda x: np.sum((x - p) ** 2), np.zeros(3), method="SLSQP", constraints={
        "type": "ineq", "fun": lambda x: x[0] - 1.2}).x),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(SourcegradError) as caught:
        sg.grad(REFUSED[name])(P)
    assert "test_scipy_constrained.py:" in str(caught.value) and type(caught.value).__name__ == "UnsupportedError"
