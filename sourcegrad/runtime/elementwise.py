"""Helpers of the elementwise and scalar rules: ties, special functions, sequences of numbers."""
from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.core import all_floats, items_part, operand_part, unbroadcast, zeros_like

__all__ = ["quotient", "selected", "greater_part", "tie_part", "finite_part", "power_slope", "sinc_derivative", "polygamma",
           "interval_of",
           "spread_over", "gather_items", "first_position", "at_position", "sequence_like", "scaled_items",
           "item_differences", "dot_items", "selected_shares", "unselected"]


# --- selections -------------------------------------------------------------------------------------

LARGE = 4096            # elements


def selected(ct: Any, condition: Any) -> Any:
    """`ct` where the condition holds and 0 elsewhere, whatever `ct` is there."""
    if isinstance(ct, float) and type(condition) in (bool, np.bool_):
        return ct if condition else 0.0
    if np.size(ct) >= LARGE and np.isfinite(ct).all():
        return ct * condition                       # several times as fast as np.where, where the condition goes up and down
    return np.where(condition, ct, 0.0)[()]


def greater_part(ct: Any, x: Any, y: Any) -> Any:
    """The part of `ct` that goes to `x` in max(x, y): all where `x` is greater, half at a tie, else 0."""
    ties = x == y
    part = selected(ct, x > y)
    return np.where(ties, 0.5 * ct, part)[()] if np.count_nonzero(ties) else part


def tie_part(ct: Any, wins: Any, rival_wins: Any) -> Any:
    """`ct` where only `wins` is true, half where both are, else 0."""
    ties = wins & rival_wins
    part = selected(ct, wins)
    return np.where(ties, 0.5 * ct, part)[()] if np.count_nonzero(ties) else part


def quotient(x: Any, y: Any) -> Any:
    """`x / y` without a warning: 0 where `x` is 0, infinite where only `y` is."""
    if isinstance(x, float) and isinstance(y, float):
        return x / y if y else x * math.copysign(math.inf, y) if x else 0.0
    if np.count_nonzero(np.abs(y) > 0) == np.size(y):
        return x / y
    with np.errstate(all="ignore"):
        return np.where(np.equal(x, 0), 0.0, np.divide(x, y))[()]


# --- special functions ------------------------------------------------------------------------------

def finite_part(ct: Any, x: Any) -> Any:
    """`ct` where `x` is finite and zero elsewhere, the real and imaginary parts each by themselves."""
    real = np.where(np.isfinite(np.real(x)), np.real(ct), 0.0)
    if not np.iscomplexobj(ct):
        return real
    return real + 1.0j * np.where(np.isfinite(np.imag(x)), np.imag(ct), 0.0)


def power_slope(x: Any, y: Any) -> Any:
    """`y * x ** (y - 1)`, the derivative of `x ** y` in x: 0 where y is 0, also at x = 0."""
    if type(x) is float and type(y) is float:
        return y * x ** (y - (y != 0)) if x or y >= 1.0 or not y else y * math.inf
    with np.errstate(divide="ignore"):
        return y * x ** (y - (y != 0))                           # not y - 1: 0 ** -1 times 0 would be NaN


def sinc_derivative(x: Any, n: int) -> Any:
    """The n-th derivative of sinc(x) = sin(pi x) / (pi x), accurate at and around 0.

    Near 0 the derived power series, sum over k of (-1)^k pi^2k x^(2k-n) / ((2k+1) (2k-n)!); elsewhere the
    recurrence x s_n + n s_(n-1) = pi^(n-1) sin(pi x + n pi / 2) that follows from pi x s_0 = sin(pi x).
    """
    near = np.abs(x) < 1.0
    inner = np.where(near, x, 0.0 * x)
    series = 0.0 * inner
    for power in range(n % 2 + 2 * 18, -1, -2):                   # powers of x, highest first
        k = (power + n) // 2
        coefficient = (-1.0) ** k * math.pi ** (2 * k) / ((2 * k + 1) * math.factorial(power))
        series = series * inner * inner + coefficient
    if n % 2:
        series = series * inner
    outer = np.where(near, 0.0 * x + 1.0, x)
    derivative = np.sinc(outer)
    for order in range(1, n + 1):
        shifted = np.sin(math.pi * outer + order * (math.pi / 2.0))
        derivative = (math.pi ** (order - 1) * shifted - order * derivative) / outer
    return np.where(near, series, derivative)[()]


BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)      # B_2, B_4, ...


def polygamma(n: int, x: float) -> float:
    """The n-th derivative of digamma(x) = gamma'(x) / gamma(x), for a number x; NaN at the poles 0, -1, ...

    Reflection for negative x, recurrence up to a large x, then the asymptotic series (Abramowitz and Stegun
    6.4.7, 6.4.6, 6.4.11).
    """
    x = float(x)
    if x <= 0.0 and x == math.floor(x):
        return math.nan
    sign = -1.0 if n % 2 else 1.0
    if x < 0.0:
        reflected = _cot_derivative(n, math.pi * math.fmod(x, 1.0))
        return sign * polygamma(n, 1.0 - x) - math.pi ** (n + 1) * reflected
    total = 0.0
    while x < 16.0 + n:
        total += math.factorial(n) / x ** (n + 1)
        x += 1.0
    total += math.factorial(n) / (2.0 * x ** (n + 1))
    total += math.factorial(n - 1) / x ** n if n else -math.log(x)
    for k, bernoulli in enumerate(BERNOULLI, 1):
        total += bernoulli * math.factorial(2 * k + n - 1) / (math.factorial(2 * k) * x ** (2 * k + n))
    return -sign * total


def _cot_derivative(n: int, u: float) -> float:
    """The n-th derivative of cot(u), as a polynomial in c = cot(u) built from c' = -(1 + c^2)."""
    coefficients = [0.0, 1.0]
    for _ in range(n):
        slopes = [k * a for k, a in enumerate(coefficients)][1:]
        coefficients = [-a - b for a, b in zip(slopes + [0.0, 0.0], [0.0, 0.0] + slopes)]
    c = 1.0 / math.tan(u)
    return sum(a * c ** k for k, a in enumerate(coefficients))


def interval_of(x: Any, knots: Any) -> Any:
    """The index k of the interval knots[k] <= x < knots[k + 1], that at either end for points outside."""
    return np.clip(np.searchsorted(knots, x, side="right") - 1, 0, len(knots) - 2)


# --- sequences: lists, tuples and arrays of rows ----------------------------------------------------

def sequence_like(values: Any, items: Any) -> Any:
    """`values` as an array if `items` is one, otherwise as a list."""
    return np.asarray(values) if isinstance(items, np.ndarray) else list(values)


def scaled_items(factor: Any, items: Sequence) -> Any:
    """`[factor * item for item in items]`, an array if `items` is one."""
    return sequence_like([factor * item for item in items], items)


def item_differences(p: Sequence, q: Sequence) -> Any:
    """`[a - b for a, b in zip(p, q)]`, an array if `p` is one."""
    return sequence_like([a - b for a, b in zip(p, q)], p)


def dot_items(p: Sequence, q: Sequence) -> Any:
    """`sum(a * b for a, b in zip(p, q))`."""
    return sum(a * b for a, b in zip(p, q))


def spread_over(value: Any, items: Any) -> Any:
    """`value` once for each item, in the shape of the item: the adjoint of `sum(items)`."""
    if isinstance(value, (list, tuple)):
        raise UnsupportedError("sum() of lists has no derivative rule", remedy="Join them with a loop and extend().")
    if isinstance(items, np.ndarray):
        row = unbroadcast(value, np.empty(items.shape[1:], items.dtype))
        return np.broadcast_to(row, items.shape)
    if type(value) is float and type(items) is list and all_floats(items):
        return [value] * len(items)
    return [operand_part(value, item) for item in items_part(items, items)]


def gather_items(items: Any, value: Any) -> Any:
    """The sum of the items in the shape of `value`: the adjoint of `spread_over`."""
    total = zeros_like(value)
    for item in items:
        total = total + unbroadcast(item, value)
    return total


def first_position(items: Any, value: Any) -> int:
    """The index of the first item equal to the number `value`: the one that `max` and `min` return."""
    if np.ndim(value):
        raise UnsupportedError("max() and min() have a derivative rule for numbers only, not for arrays or lists",
                               remedy="Use np.max, or np.maximum for the larger of two arrays.")
    for position, item in enumerate(items):
        if item == value:
            return position
    return 0                                        # NaN: any item will do


def at_position(value: Any, items: Any, position: int) -> Any:
    """Zeros like `items` with `value` at one position."""
    array = isinstance(items, np.ndarray)
    items_part(value, items)
    zeros: Any = np.zeros(len(items), np.result_type(value)) if array else [0.0] * len(items)
    zeros[position] = value
    return zeros


def selected_shares(ct: Any, condlist: Sequence, choicelist: Sequence) -> list:
    """For each choice of `np.select` the part of `ct` where it was taken, in the shape of the choice."""
    shares = []
    free: Any = True
    for condition, choice in zip(condlist, choicelist):
        shares.append(unbroadcast(np.where(free & np.asarray(condition), ct, 0.0), choice))
        free = free & ~np.asarray(condition)
    return shares


def unselected(ct: Any, condlist: Sequence) -> Any:
    """The part of `ct` where no condition of `np.select` holds."""
    return np.where(functools.reduce(np.logical_or, condlist), 0.0, ct)
