"""Minima of scipy.optimize in plain Python: their gradient is zero, but for variables at a bound (docs/solvers.md)."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize

from sourcegrad.primitives.core import declare
from sourcegrad.primitives.scipy.constrained import least_within, of_scipy
from sourcegrad.primitives.scipy.roots import Solution, packed
from sourcegrad.primitives.solvers import root_near, solution_near
from sourcegrad.runtime import (
    at_limits,
    detached,
    gradient_of,
    limits,
    number,
    refused_form,
    solved,
    spread_call,
    tangent_of,
    told,
    vector,
)


class Fit:
    """What least_squares gives."""

    __sourcegrad_object__ = True

    def __init__(self, x: Any, fun: Any, cost: Any, found: Any) -> None:
        self.x, self.fun, self.cost = x, fun, cost
        self.success, self.status, self.message = told(found, "success"), told(found, "status"), told(found, "message")
        self.nfev, self.optimality = told(found, "nfev"), told(found, "optimality")

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


# --- the equation of a minimum

def minimum_near(value: Callable, x: Any, name: str) -> Any:
    """The vector x at which a function is least"""
    return solution_near(lambda x: gradient_of(value, x), x, name)


def minimum_within(value: Callable, x: Any, lower: Any, upper: Any, name: str) -> Any:
    """The vector x between bounds at which a function is least"""
    side = at_limits(x, detached(lower), detached(upper), detached(gradient_of(value, x)))
    edge = np.where(side < 0, lower, upper)
    return solution_near(lambda x: np.where(side == 0, gradient_of(value, x), x - edge), x, name)


# --- minimize

def minimize(fun: Callable, x0: Any, args: Any = (), method: Any = None, jac: Any = None, hess: Any = None, hessp: Any = None,
             bounds: Any = None, constraints: Any = (), tol: Any = None, callback: Any = None, options: Any = None) -> Any:
    """scipy.optimize.minimize"""
    given = packed(args)
    limited = of_scipy(constraints)
    found = solved(optimize.minimize, fun, x0, args, method, jac, hess, hessp, bounds, limited, tol, callback, options)
    if jac is True:
        return least(lambda x: fun(x, *given)[0], bounds, constraints, found)
    return least(lambda x: fun(x, *given), bounds, constraints, found)


def least(value: Callable, bounds: Any, constraints: Any, found: Any) -> Any:
    """The minimum that `minimize` found"""
    if len(constraints) > 0:
        return least_within(value, bounds, constraints, found)
    x = vector(found.x)
    if bounds is None:
        best = minimum_near(value, x, "minimize")
    else:
        best = minimum_within(value, x, limits(bounds, False, len(x)), limits(bounds, True, len(x)), "minimize")
    return Solution(best, value(best), found)


def minimize_scalar(fun: Callable, bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None, tol: Any = None,
                    options: Any = None) -> Any:
    """scipy.optimize.minimize_scalar"""
    given = packed(args)
    found = solved(optimize.minimize_scalar, fun, bracket, bounds, args, method, tol, options)
    x = root_near(lambda x: tangent_of(fun, x, 1.0, given), number(found.x), "minimize_scalar")
    return Solution(x, fun(x, *given), found)


def brent(func: Callable, args: Any = (), brack: Any = None, tol: Any = 1.48e-8, full_output: Any = 0, maxiter: int = 500) -> Any:
    """scipy.optimize.brent"""
    found = minimize_scalar(func, brack, None, args, "brent", None, {"xtol": tol, "maxiter": maxiter})
    return (found.x, found.fun, found.nit, found.nfev) if full_output else found.x


def fminbound(func: Callable, x1: Any, x2: Any, args: Any = (), xtol: Any = 1e-5, maxfun: int = 500, full_output: Any = 0,
              disp: int = 1) -> Any:
    """scipy.optimize.fminbound"""
    found = minimize_scalar(func, None, (x1, x2), args, "bounded", None, {"xatol": xtol, "maxiter": maxfun, "disp": disp})
    return (found.x, found.fun, found.status, found.nfev) if full_output else found.x


# --- least squares

def loss_of(squares: Any, loss: str) -> Any:
    """The loss of squared residuals, as least_squares defines it"""
    if loss == "linear":
        return squares
    if loss == "soft_l1":
        return 2.0 * (np.sqrt(1.0 + squares) - 1.0)
    if loss == "huber":
        return np.where(squares <= 1.0, squares, 2.0 * np.sqrt(np.where(squares <= 1.0, 1.0, squares)) - 1.0)
    if loss == "cauchy":
        return np.log1p(squares)
    if loss == "arctan":
        return np.arctan(squares)
    return loss(squares)[0]                                          # type: ignore[operator]


def least_squares(fun: Callable, x0: Any, jac: Any = "2-point", bounds: Any = None, method: str = "trf", ftol: Any = 1e-08,
                  xtol: Any = 1e-08, gtol: Any = 1e-08, x_scale: Any = 1.0, loss: str = "linear", f_scale: float = 1.0,
                  diff_step: Any = None, tr_solver: Any = None, tr_options: Any = None, jac_sparsity: Any = None,
                  max_nfev: Any = None, verbose: int = 0, args: Any = (), kwargs: Any = None) -> Any:
    """scipy.optimize.least_squares"""
    given, named = packed(args), {} if kwargs is None else kwargs
    within = (-np.inf, np.inf) if bounds is None else bounds
    found = solved(optimize.least_squares, fun, x0, jac, within, method, ftol, xtol, gtol, x_scale, loss, f_scale, diff_step,
                   tr_solver, {} if tr_options is None else tr_options, jac_sparsity, max_nfev, verbose, args, named)
    cost = lambda x: 0.5 * f_scale ** 2 * np.sum(loss_of((np.asarray(fun(x, *given, **named)) / f_scale) ** 2, loss))     # noqa: E731
    x = fitted(cost, vector(found.x), bounds, "least_squares")
    return Fit(x, np.asarray(fun(x, *given, **named)), cost(x), found)


def fitted(cost: Callable, x: Any, bounds: Any, name: str) -> Any:
    """The vector x at which a sum of squares is least, between bounds (lower, upper)"""
    if bounds is None:
        return minimum_near(cost, x, name)
    if isinstance(bounds, optimize.Bounds):
        return minimum_within(cost, x, limits(bounds, False, len(x)), limits(bounds, True, len(x)), name)
    return minimum_within(cost, x, bounds[0] + np.zeros(len(x)), bounds[1] + np.zeros(len(x)), name)


def leastsq(func: Callable, x0: Any, args: Any = (), Dfun: Any = None, full_output: Any = False, col_deriv: Any = False,
            ftol: float = 1.49012e-08, xtol: float = 1.49012e-08, gtol: float = 0.0, maxfev: int = 0, epsfcn: Any = None,
            factor: float = 100, diag: Any = None) -> Any:
    """scipy.optimize.leastsq"""
    given = packed(args)
    found = solved(optimize.leastsq, func, x0, args, Dfun, full_output, col_deriv, ftol, xtol, gtol, maxfev, epsfcn, factor, diag)
    if full_output:
        return refused_form(found, "leastsq with full_output", func, args)
    x = minimum_near(lambda x: 0.5 * np.sum(np.asarray(func(x, *given)) ** 2), vector(found[0]), "leastsq")
    return x, found[1]


def curve_fit(f: Callable, xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None, absolute_sigma: bool = False,
              check_finite: Any = None, bounds: Any = None, method: Any = None, jac: Any = None, *, full_output: bool = False,
              nan_policy: Any = None, **kwargs: Any) -> Any:
    """scipy.optimize.curve_fit"""
    within = (-np.inf, np.inf) if bounds is None else bounds
    found = solved(optimize.curve_fit, f, xdata, ydata, p0, sigma, absolute_sigma, check_finite, within, method, jac,
                   full_output=full_output, nan_policy=nan_policy, **kwargs)
    if full_output or nan_policy is not None:
        return refused_form(found, "curve_fit with full_output or nan_policy", f, xdata, ydata, sigma)
    times, measured = np.asarray(xdata), np.asarray(ydata)
    residual = lambda p: weighed(np.asarray(spread_call(f, times, p)) - measured, sigma)                         # noqa: E731
    p = fitted(lambda p: 0.5 * np.sum(residual(p) ** 2), vector(found[0]), bounds, "curve_fit")
    slopes = np.stack([np.asarray(tangent_of(residual, p, unit)) for unit in np.eye(len(found[0]))], axis=1)
    covariance = np.linalg.inv(slopes.T @ slopes)
    if not absolute_sigma:
        covariance = covariance * (np.sum(residual(p) ** 2) / (measured.size - len(found[0])))
    return p, covariance


def weighed(residual: Any, sigma: Any) -> Any:
    """Residuals in units of their standard deviations, or of a root of their covariance"""
    if sigma is None:
        return residual
    if np.ndim(sigma) == 2:
        return np.linalg.solve(np.linalg.cholesky(np.asarray(sigma)), residual)
    return residual / np.asarray(sigma)


def nnls(A: Any, b: Any, *, maxiter: Any = None) -> Any:
    """scipy.optimize.nnls"""
    matrix, target = np.asarray(A), np.asarray(b)
    x = vector(solved(optimize.nnls, A, b, maxiter=maxiter)[0])
    x = minimum_within(lambda x: 0.5 * np.sum((matrix @ x - target) ** 2), x, np.zeros(len(x)), np.full(len(x), np.inf), "nnls")
    return x, np.linalg.norm(matrix @ x - target)


def lsq_linear(A: Any, b: Any, bounds: Any = None, method: str = "trf", tol: float = 1e-10, lsq_solver: Any = None,
               lsmr_tol: Any = None, max_iter: Any = None, verbose: int = 0) -> Any:
    """scipy.optimize.lsq_linear"""
    matrix, target = np.asarray(A), np.asarray(b)
    within = (-np.inf, np.inf) if bounds is None else bounds
    found = solved(optimize.lsq_linear, A, b, within, method, tol, lsq_solver, lsmr_tol, max_iter, verbose)
    cost = lambda x: 0.5 * np.sum((matrix @ x - target) ** 2)                                                   # noqa: E731
    x = fitted(cost, vector(found.x), bounds, "lsq_linear")
    return Fit(x, matrix @ x - target, cost(x), found)


declare("instead", {
    optimize.minimize: minimize, optimize.minimize_scalar: minimize_scalar, optimize.brent: brent,
    optimize.fminbound: fminbound, optimize.least_squares: least_squares,
    optimize.leastsq: leastsq, optimize.curve_fit: curve_fit, optimize.nnls: nnls, optimize.lsq_linear: lsq_linear})
