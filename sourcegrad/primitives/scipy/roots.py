"""Roots of scipy.optimize by the implicit function theorem, in plain Python (docs/solvers.md).

SciPy's solver runs once, on numbers. What it gave is where two steps of Newton's method start, with the Jacobian as a constant:
they move as the solution does, up to second derivatives.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize

from sourcegrad.primitives.core import declare
from sourcegrad.primitives.solvers import root_near, solution_near
from sourcegrad.runtime import number, solved, told, vector


class Solution:
    """What a solver gives: the solution x, the value of the function there, and what SciPy says of the work."""

    __sourcegrad_object__ = True

    def __init__(self, x: Any, fun: Any, found: Any) -> None:
        self.x, self.fun = x, fun
        self.success, self.status, self.message = told(found, "success"), told(found, "status"), told(found, "message")
        self.nfev, self.nit = told(found, "nfev"), told(found, "nit")

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


class Root:
    """What root_scalar gives."""

    __sourcegrad_object__ = True

    def __init__(self, root: Any, found: Any) -> None:
        self.root, self.converged, self.flag = root, told(found, "converged"), told(found, "flag")
        self.function_calls, self.iterations = told(found, "function_calls"), told(found, "iterations")
        self.method = told(found, "method")


def packed(args: Any) -> tuple:
    return args if isinstance(args, tuple) else (args,)


# --- vectors

def fsolve(func: Callable, x0: Any, args: Any = (), fprime: Any = None, full_output: Any = 0, col_deriv: Any = 0,
           xtol: float = 1.49012e-08, maxfev: int = 0, band: Any = None, epsfcn: Any = None, factor: float = 100,
           diag: Any = None) -> Any:
    """scipy.optimize.fsolve"""
    given = packed(args)
    found = solved(optimize.fsolve, func, x0, args, fprime, True, col_deriv, xtol, maxfev, band, epsfcn, factor, diag)
    x = solution_near(lambda x: np.ravel(np.asarray(func(x, *given))), vector(found[0]), "fsolve")
    return (x, *found[1:]) if full_output else x


def root(fun: Callable, x0: Any, args: Any = (), method: str = "hybr", jac: Any = None, tol: Any = None, callback: Any = None,
         options: Any = None) -> Any:
    """scipy.optimize.root"""
    given = packed(args)
    found = solved(optimize.root, fun, x0, args, method, jac, tol, callback, options)
    if jac is True:
        x = solution_near(lambda x: np.ravel(np.asarray(fun(x, *given)[0])), vector(found.x), "root")
        return Solution(x, np.asarray(fun(x, *given)[0]), found)
    x = solution_near(lambda x: np.ravel(np.asarray(fun(x, *given))), vector(found.x), "root")
    return Solution(x, np.asarray(fun(x, *given)), found)


def fixed_point(func: Callable, x0: Any, args: Any = (), xtol: float = 1e-08, maxiter: int = 500, method: str = "del2") -> Any:
    """scipy.optimize.fixed_point"""
    given = packed(args)
    found = solved(optimize.fixed_point, func, x0, args, xtol, maxiter, method)
    if np.ndim(x0) == 0:
        return root_near(lambda x: x - func(x, *given), number(found), "fixed_point")
    return solution_near(lambda x: x - np.asarray(func(x, *given)), vector(found), "fixed_point")


# --- numbers

def brentq(f: Callable, a: Any, b: Any, args: Any = (), xtol: float = 2e-12, rtol: float = 8.881784197001252e-16,
           maxiter: int = 100, full_output: bool = False, disp: bool = True) -> Any:
    """scipy.optimize.brentq"""
    found = solved(optimize.brentq, f, a, b, args, xtol, rtol, maxiter, True, disp)
    return bracketed(f, args, found, full_output, "brentq")


def brenth(f: Callable, a: Any, b: Any, args: Any = (), xtol: float = 2e-12, rtol: float = 8.881784197001252e-16,
           maxiter: int = 100, full_output: bool = False, disp: bool = True) -> Any:
    """scipy.optimize.brenth"""
    found = solved(optimize.brenth, f, a, b, args, xtol, rtol, maxiter, True, disp)
    return bracketed(f, args, found, full_output, "brenth")


def bisect(f: Callable, a: Any, b: Any, args: Any = (), xtol: float = 2e-12, rtol: float = 8.881784197001252e-16,
           maxiter: int = 100, full_output: bool = False, disp: bool = True) -> Any:
    """scipy.optimize.bisect"""
    found = solved(optimize.bisect, f, a, b, args, xtol, rtol, maxiter, True, disp)
    return bracketed(f, args, found, full_output, "bisect")


def ridder(f: Callable, a: Any, b: Any, args: Any = (), xtol: float = 2e-12, rtol: float = 8.881784197001252e-16,
           maxiter: int = 100, full_output: bool = False, disp: bool = True) -> Any:
    """scipy.optimize.ridder"""
    found = solved(optimize.ridder, f, a, b, args, xtol, rtol, maxiter, True, disp)
    return bracketed(f, args, found, full_output, "ridder")


def toms748(f: Callable, a: Any, b: Any, args: Any = (), k: int = 1, xtol: float = 2e-12, rtol: float = 8.881784197001252e-16,
            maxiter: int = 100, full_output: bool = False, disp: bool = True) -> Any:
    """scipy.optimize.toms748"""
    found = solved(optimize.toms748, f, a, b, args, k, xtol, rtol, maxiter, True, disp)
    return bracketed(f, args, found, full_output, "toms748")


def bracketed(f: Callable, args: Any, found: Any, full_output: bool, name: str) -> Any:
    """The root of a number that a solver found, with what it says of its work if that is asked for"""
    given = packed(args)
    x = root_near(lambda x: f(x, *given), number(found[0]), name)
    return (x, Root(x, found[1])) if full_output else x


def newton(func: Callable, x0: Any, fprime: Any = None, args: Any = (), tol: float = 1.48e-08, maxiter: int = 50,
           fprime2: Any = None, x1: Any = None, rtol: float = 0.0, full_output: bool = False, disp: bool = True) -> Any:
    """scipy.optimize.newton: of arrays each element has an equation of its own"""
    given = packed(args)
    found = solved(optimize.newton, func, x0, fprime, args, tol, maxiter, fprime2, x1, rtol, True, disp)
    if np.ndim(x0) > 0:
        x = root_near(lambda x: func(x, *given), vector(found[0]), "newton")
        return (x, found[1], found[2]) if full_output else x
    x = root_near(lambda x: func(x, *given), number(found[0]), "newton")
    return (x, Root(x, found[1])) if full_output else x


def root_scalar(f: Callable, args: Any = (), method: Any = None, bracket: Any = None, fprime: Any = None, fprime2: Any = None,
                x0: Any = None, x1: Any = None, xtol: Any = None, rtol: Any = None, maxiter: Any = None,
                options: Any = None) -> Any:
    """scipy.optimize.root_scalar"""
    given = packed(args)
    found = solved(optimize.root_scalar, f, args, method, bracket, fprime, fprime2, x0, x1, xtol, rtol, maxiter, options)
    if fprime is True:
        return Root(root_near(lambda x: f(x, *given)[0], number(found.root), "root_scalar"), found)
    return Root(root_near(lambda x: f(x, *given), number(found.root), "root_scalar"), found)


declare("instead", {
    optimize.fsolve: fsolve, optimize.root: root, optimize.fixed_point: fixed_point, optimize.brentq: brentq,
    optimize.brenth: brenth, optimize.bisect: bisect, optimize.ridder: ridder, optimize.toms748: toms748, optimize.newton: newton,
    optimize.root_scalar: root_scalar})
