"""Integrals of scipy.integrate in plain Python: Gauss's rule on the panels into which QUADPACK has divided the interval.

R. Piessens, E. de Doncker-Kapenga, C. W. Ueberhuber, D. K. Kahaner, QUADPACK (1983). The value is that of the solver; its
derivative is that of the sum, whose nodes move with the limits (docs/solvers.md).
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate

from sourcegrad.primitives.core import declare
from sourcegrad.primitives.scipy.roots import packed
from sourcegrad.runtime import agreeing, detached, number, panels, refused_form, solved, value_of


def weighted_sum(func: Callable, nodes: Any, weights: Any) -> Any:
    """The sum of weights times values at the nodes"""
    total = weights[0] * func(nodes[0])
    for k in range(1, len(nodes)):
        total = total + weights[k] * func(nodes[k])
    return total


def integral(func: Callable, a: Any, b: Any, places: Any, weights: Any) -> Any:
    """The integral from a to b, at places in panels: with x = a + (1 - t) / t, dx = -dt / t^2 on an infinite interval"""
    if np.isinf(a) and np.isinf(b):                         # from -1 to 1, or twice from 0 to 1
        far = (1.0 - np.abs(places)) / places
        both = np.all(places > 0.0)
        return weighted_sum(lambda x: func(x) + func(-x) if both else func(x), far, weights / places ** 2)
    if np.isinf(b):
        return weighted_sum(func, a + (1.0 - places) / places, weights / places ** 2)
    if np.isinf(a):
        return weighted_sum(func, b - (1.0 - places) / places, weights / places ** 2)
    return (b - a) * weighted_sum(func, a + (b - a) * places, weights)


def quad(func: Callable, a: Any, b: Any, args: Any = (), full_output: Any = 0, epsabs: float = 1.49e-08, epsrel: float = 1.49e-08,
         limit: int = 50, points: Any = None, weight: Any = None, wvar: Any = None, wopts: Any = None, maxp1: int = 50,
         limlst: int = 50, complex_func: bool = False) -> Any:
    """scipy.integrate.quad"""
    if weight is not None or complex_func:
        other = solved(integrate.quad, func, a, b, args, full_output, epsabs, epsrel, limit, points, weight, wvar, wopts, maxp1,
                       limlst, complex_func)
        return refused_form(other, "quad with a weight, or of a complex function", func, a, b, args)
    given = packed(args)
    found = solved(integrate.quad, func, a, b, args, True, epsabs, epsrel, limit, points)
    places, weights = panels(found, detached(a), detached(b))
    total = integral(lambda x: func(x, *given), a, b, places, weights)
    allowed = 1e-7 + 1e-6 * abs(number(found[0])) + 10.0 * number(found[1])
    value = value_of(number(agreeing(found[0], detached(total), allowed, "quad")), total)
    return (value, number(found[1]), found[2]) if full_output else (value, number(found[1]))


def dblquad(func: Callable, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), epsabs: float = 1.49e-08,
            epsrel: float = 1.49e-08) -> Any:
    """scipy.integrate.dblquad"""
    given = packed(args)
    inner = lambda x: quad(lambda y: func(y, x, *given), gfun(x) if callable(gfun) else gfun,                    # noqa: E731
                           hfun(x) if callable(hfun) else hfun, (), 0, epsabs, epsrel)[0]
    return quad(inner, a, b, (), 0, epsabs, epsrel)


def quad_vec(f: Callable, a: Any, b: Any, epsabs: float = 1e-200, epsrel: float = 1e-08, norm: str = "2", cache_size: float = 1e8,
             limit: float = 10000, workers: Any = 1, points: Any = None, quadrature: Any = None, full_output: bool = False, *,
             args: Any = ()) -> Any:
    """scipy.integrate.quad_vec"""
    given = packed(args)
    found = solved(integrate.quad_vec, f, a, b, epsabs, epsrel, norm, cache_size, limit, workers, points, quadrature, True,
                   args=given)
    places, weights = panels(found, detached(a), detached(b))
    total = integral(lambda x: f(x, *given), a, b, places, weights)
    allowed = 1e-7 + 1e-6 * np.max(np.abs(detached(total))) + 10.0 * number(found[1])
    value = value_of(agreeing(found[0], detached(total), allowed, "quad_vec"), total)
    return (value, number(found[1]), found[2]) if full_output else (value, number(found[1]))


def widths_of(x: Any, dx: Any, axis: int) -> Any:
    """The widths of the intervals between points, along the last axis"""
    if x is None:
        return dx
    return np.diff(np.asarray(x)) if np.ndim(x) == 1 else np.diff(np.moveaxis(np.asarray(x), axis, -1), axis=-1)


def cumulative_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None) -> Any:
    """scipy.integrate.cumulative_trapezoid"""
    values = np.moveaxis(np.asarray(y), axis, -1)
    widths = widths_of(x, dx, axis)
    found = np.cumsum(0.5 * widths * (values[..., 1:] + values[..., :-1]), axis=-1)
    if initial is not None:
        found = np.concatenate([np.full((*found.shape[:-1], 1), float(initial)), found], axis=-1)
    return np.moveaxis(found, -1, axis)


def ratio(x: Any, y: Any) -> Any:
    """x / y, and 0 where y is"""
    return np.where(y == 0.0, 0.0, x / np.where(y == 0.0, 1.0, y))


def parabolas(y: Any, widths: Any) -> Any:
    """The integrals of parabolas through three points each, of which the last is the first of the next"""
    first, middle, last = y[..., :-2:2], y[..., 1:-1:2], y[..., 2::2]
    if np.ndim(widths) == 0:
        return widths / 3.0 * np.sum(first + 4.0 * middle + last, axis=-1)
    one, other = widths[..., :-1:2], widths[..., 1::2]
    both, change = one + other, ratio(one, other)
    weighted = first * (2.0 - ratio(1.0, change)) + middle * both * ratio(both, one * other) + last * (2.0 - change)
    return np.sum(both / 6.0 * weighted, axis=-1)


def simpson(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """scipy.integrate.simpson; of an even number of points the last interval has the parabola of the last three (K. V. Cartwright
    2017)"""
    values = np.moveaxis(np.asarray(y), axis, -1)
    count = values.shape[-1]
    widths = widths_of(x, dx, axis)
    if count % 2 == 1:
        return parabolas(values, widths)
    last = widths if x is None else widths[..., -1]
    if count == 2:
        return 0.5 * last * (values[..., 0] + values[..., 1])
    before = widths if x is None else widths[..., -2]
    alpha = ratio(2.0 * last ** 2 + 3.0 * before * last, 6.0 * (last + before))
    beta = ratio(last ** 2 + 3.0 * before * last, 6.0 * before)
    eta = ratio(last ** 3, 6.0 * before * (before + last))
    whole = parabolas(values[..., :-1], widths if x is None else widths[..., :-1])
    return whole + alpha * values[..., -1] + beta * values[..., -2] - eta * values[..., -3]


declare("instead", {integrate.cumulative_trapezoid: cumulative_trapezoid, integrate.simpson: simpson, integrate.quad: quad,
                    integrate.dblquad: dblquad, integrate.quad_vec: quad_vec})
