"""Differential equations of scipy.integrate in plain Python: what is differentiated are steps of the method of Runge and Kutta.

SciPy's solver runs once and decides where its steps end. On these steps, and between the times that are asked for, explicit methods
are differentiated step by step (Dormand and Prince 1980, 1981; Hairer, Norsett, Wanner, Solving ODEs I, II.5), implicit ones as
collocation at Radau's points (Hairer, Wanner, Solving ODEs II, IV.5). The values are those of the solver (docs/solvers.md).
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate

from sourcegrad.primitives.core import declare
from sourcegrad.primitives.scipy.roots import packed
from sourcegrad.primitives.solvers import solution_near
from sourcegrad.runtime import (
    agreeing,
    dense_values,
    detached,
    explicit_method,
    mesh,
    positions_of,
    refused_form,
    solved,
    told,
    value_of,
)

RADAU_TIMES = np.array([0.4 - 0.1 * 6.0 ** 0.5, 0.4 + 0.1 * 6.0 ** 0.5, 1.0])
RADAU = (RADAU_TIMES[:, None] ** [1, 2, 3] / [1, 2, 3]) @ np.linalg.inv(RADAU_TIMES[:, None] ** [0, 1, 2])


class Trajectory:
    """What solve_ivp gives: times t and values y, one column for each time."""

    __sourcegrad_object__ = True

    def __init__(self, t: Any, y: Any, found: Any) -> None:
        self.t, self.y = t, y
        self.success, self.status, self.message = told(found, "success"), told(found, "status"), told(found, "message")
        self.nfev, self.njev, self.nlu = told(found, "nfev"), told(found, "njev"), told(found, "nlu")

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def explicit_steps(f: Callable, times: Any, y: Any, weights: Any, last: Any, places: Any) -> Any:
    """The values at all times, a row each, by an explicit method of Runge and Kutta: its table is weights, last and places"""
    values = np.zeros((len(times), len(y)))
    values[0] = y
    for n in range(len(times) - 1):
        step = times[n + 1] - times[n]
        slopes = np.zeros((len(places), len(y)))
        for stage in range(len(places)):
            moved = values[n] + step * (weights[stage, :stage] @ slopes[:stage])
            slopes[stage] = np.asarray(f(times[n] + places[stage] * step, moved))
        values[n + 1] = values[n] + step * (last @ slopes)
    return values


def radau_steps(f: Callable, times: Any, y: Any, stages: Any) -> Any:
    """The values at all times, a row each, by collocation. stages: the solution at Radau's points of all steps, a row each"""
    values = np.zeros((len(times), len(y)))
    values[0] = y
    for n in range(len(times) - 1):
        values[n + 1] = radau_step(f, times[n], times[n + 1] - times[n], values[n], np.ravel(stages[3 * n:3 * n + 3]))
    return values


def radau_step(f: Callable, t: Any, step: Any, y: Any, stages: Any) -> Any:
    """The value after a step, by collocation"""
    count = len(y)

    def collocation(flat: Any) -> Any:
        slopes = [np.asarray(f(t + RADAU_TIMES[j] * step, flat[j * count:(j + 1) * count])) for j in range(3)]
        return flat - np.ravel(y + step * (RADAU @ np.stack(slopes)))

    return solution_near(collocation, stages, "solve_ivp")[2 * count:]


def differentiated(f: Callable, times: Any, y: Any, method: str, found: Any) -> Any:
    """The values at all times, as they are differentiated"""
    if not explicit_method(method):
        inner = np.ravel(times[:-1, None] + RADAU_TIMES * np.diff(times)[:, None])
        return radau_steps(f, times, y, dense_values(found, inner).T)
    if method == "DOP853":
        return explicit_steps(f, times, y, integrate.DOP853.A, integrate.DOP853.B, integrate.DOP853.C)
    return explicit_steps(f, times, y, integrate.RK45.A, integrate.RK45.B, integrate.RK45.C)


def solve_ivp(fun: Callable, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None, dense_output: bool = False,
              events: Any = None, vectorized: bool = False, args: Any = None, **options: Any) -> Any:
    """scipy.integrate.solve_ivp"""
    if dense_output or events is not None:
        other = solved(integrate.solve_ivp, fun, t_span, y0, method, t_eval, dense_output, events, vectorized, args, **options)
        return refused_form(other, "solve_ivp with dense_output or events", fun, t_span, y0, args)
    given = () if args is None else packed(args)
    y = np.asarray(y0) + 0.0
    found = solved(integrate.solve_ivp, fun, t_span, y0, method, None, True, None, vectorized, args, **options)
    times = mesh(found, t_span, t_eval)
    wanted = detached(found.t if t_eval is None else t_eval)
    rows = differentiated(lambda t, y: fun(t, y, *given), times, y, method, found)[positions_of(times, wanted)]
    values = dense_values(found, wanted)
    allowed = 100.0 * (options.get("atol", 1e-6) + options.get("rtol", 1e-3) * np.max(np.abs(values)))
    return Trajectory(wanted, value_of(agreeing(values, detached(rows.T), allowed, "solve_ivp"), rows.T), found)


def odeint(func: Callable, y0: Any, t: Any, args: Any = (), Dfun: Any = None, col_deriv: int = 0, full_output: Any = 0,
           ml: Any = None, mu: Any = None, rtol: Any = None, atol: Any = None, tcrit: Any = None, h0: float = 0.0,
           hmax: float = 0.0, hmin: float = 0.0, ixpr: int = 0, mxstep: int = 0, mxhnil: int = 0, mxordn: int = 12, mxords: int = 5,
           printmessg: int = 0, tfirst: bool = False) -> Any:
    """scipy.integrate.odeint, with the steps of solve_ivp's LSODA"""
    given = packed(args)
    y = np.atleast_1d(np.asarray(y0) + 0.0)
    exact = 1.49012e-8 if rtol is None else rtol
    close = 1.49012e-8 if atol is None else atol
    slope = (lambda t, y: np.atleast_1d(func(t, y, *given))) if tfirst else (lambda t, y: np.atleast_1d(func(y, t, *given)))
    values = solved(integrate.odeint, func, y0, t, args, Dfun, col_deriv, full_output, ml, mu, exact, close, tcrit, h0, hmax, hmin,
                    ixpr, mxstep, mxhnil, mxordn, mxords, printmessg, tfirst)
    if full_output:
        return refused_form(values, "odeint with full_output", func, y0, t, args)
    ends = detached((t[0], t[-1]))
    found = solved(integrate.solve_ivp, slope, ends, detached(y), "LSODA", None, True, rtol=exact, atol=close)
    times = mesh(found, t, t)
    rows = differentiated(slope, times, y, "LSODA", found)[positions_of(times, detached(t))]
    allowed = 1e-5 + 100.0 * (close + exact) * np.max(np.abs(detached(rows)))
    return value_of(agreeing(values, detached(rows), allowed, "odeint"), rows)


declare("instead", {integrate.solve_ivp: solve_ivp, integrate.odeint: odeint})
