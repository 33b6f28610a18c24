"""Minima that scipy.optimize finds by other searches, in plain Python: there the gradient is zero, too (docs/solvers.md)."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize

from sourcegrad.primitives.core import declare
from sourcegrad.primitives.scipy.minima import least, minimum_near
from sourcegrad.primitives.scipy.roots import packed
from sourcegrad.runtime import refused_form, solved, vector


def fmin(func: Callable, x0: Any, args: Any = (), xtol: float = 1e-4, ftol: float = 1e-4, maxiter: Any = None, maxfun: Any = None,
         full_output: Any = 0, disp: Any = 1, retall: Any = 0, callback: Any = None, initial_simplex: Any = None) -> Any:
    """scipy.optimize.fmin"""
    given = packed(args)
    found = solved(optimize.fmin, func, x0, args, xtol, ftol, maxiter, maxfun, full_output, disp, retall, callback, initial_simplex)
    if full_output or retall:
        return refused_form(found, "fmin with full_output or retall", func, args)
    return minimum_near(lambda x: func(x, *given), vector(found), "fmin")


def fmin_bfgs(f: Callable, x0: Any, fprime: Any = None, args: Any = (), gtol: float = 1e-5, norm: float = np.inf,
              epsilon: float = 1.4901161193847656e-08, maxiter: Any = None, full_output: Any = 0, disp: Any = 1, retall: Any = 0,
              callback: Any = None) -> Any:
    """scipy.optimize.fmin_bfgs"""
    given = packed(args)
    found = solved(optimize.fmin_bfgs, f, x0, fprime, args, gtol, norm, epsilon, maxiter, full_output, disp, retall, callback)
    if full_output or retall:
        return refused_form(found, "fmin_bfgs with full_output or retall", f, args)
    return minimum_near(lambda x: f(x, *given), vector(found), "fmin_bfgs")


def basinhopping(func: Callable, x0: Any, **options: Any) -> Any:
    """scipy.optimize.basinhopping"""
    return least(func, None, (), solved(optimize.basinhopping, func, x0, **options))


def differential_evolution(func: Callable, bounds: Any, args: Any = (), **options: Any) -> Any:
    """scipy.optimize.differential_evolution"""
    given = packed(args)
    return least(lambda x: func(x, *given), bounds, (), solved(optimize.differential_evolution, func, bounds, args, **options))


def dual_annealing(func: Callable, bounds: Any, args: Any = (), **options: Any) -> Any:
    """scipy.optimize.dual_annealing"""
    given = packed(args)
    return least(lambda x: func(x, *given), bounds, (), solved(optimize.dual_annealing, func, bounds, args, **options))


def shgo(func: Callable, bounds: Any, args: Any = (), **options: Any) -> Any:
    """scipy.optimize.shgo"""
    given = packed(args)
    return least(lambda x: func(x, *given), bounds, (), solved(optimize.shgo, func, bounds, args, **options))


declare("instead", {
    optimize.fmin: fmin, optimize.fmin_bfgs: fmin_bfgs, optimize.basinhopping: basinhopping,
    optimize.dual_annealing: dual_annealing, optimize.differential_evolution: differential_evolution, optimize.shgo: shgo})
