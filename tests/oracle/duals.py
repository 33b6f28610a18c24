"""Scalar dual numbers a + b e with e*e = 0: an oracle for derivatives that shares nothing with sourcegrad.

f(a + b e) = f(a) + f'(a) b e, so running a program on duals gives its derivative along b. The parts may be duals
themselves, which gives derivatives of any order.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

_margin = math.inf


def closest_comparison() -> float:
    """How close the operands of any comparison of duals were to a tie since the last call of this function.

    Where a comparison is nearly tied, finite differences may run through two different branches.
    """
    global _margin
    margin, _margin = _margin, math.inf
    return margin


def primal(x: Any) -> Any:
    """The plain number inside any nest of duals."""
    while isinstance(x, Dual):
        x = x.value
    return x


def _known(x: Any) -> bool:
    return isinstance(x, (Dual, int, float, np.generic))


def _parts(x: Any) -> tuple:
    return (x.value, x.slope) if isinstance(x, Dual) else (float(x), 0.0)


def _compare(name: str) -> Callable:
    def compare(self: Dual, other: Any) -> Any:
        if not _known(other):
            return NotImplemented
        global _margin
        a, b = float(primal(self)), float(primal(other))
        if self is not other:
            _margin = min(_margin, abs(a - b))
        return getattr(a, name)(b)

    return compare


class Dual:
    """value + slope * e."""

    __slots__ = ("value", "slope")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any, slope: Any) -> None:
        self.value = value
        self.slope = slope

    def __add__(self, other: Any) -> Any:
        if not _known(other):
            return NotImplemented
        value, slope = _parts(other)
        return Dual(self.value + value, self.slope + slope)

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __pos__(self) -> Dual:
        return self

    def __sub__(self, other: Any) -> Any:
        return self + (-other) if _known(other) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other if _known(other) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        if not _known(other):
            return NotImplemented
        value, slope = _parts(other)
        return Dual(self.value * value, self.slope * value + self.value * slope)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self * reciprocal(other) if _known(other) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return reciprocal(self) * other if _known(other) else NotImplemented

    def __floordiv__(self, other: Any) -> Any:
        return math.floor(primal(self) / primal(other)) * 1.0 if _known(other) else NotImplemented

    def __rfloordiv__(self, other: Any) -> Any:
        return math.floor(primal(other) / primal(self)) * 1.0 if _known(other) else NotImplemented

    def __mod__(self, other: Any) -> Any:
        return self - other * (self // other) if _known(other) else NotImplemented

    def __rmod__(self, other: Any) -> Any:
        return other - self * (other // self) if _known(other) else NotImplemented

    def __pow__(self, other: Any) -> Any:
        return power(self, other) if _known(other) else NotImplemented

    def __rpow__(self, other: Any) -> Any:
        return power(other, self) if _known(other) else NotImplemented

    def __abs__(self) -> Dual:
        return self if self > 0.0 else -self if self < 0.0 else Dual(abs(self.value), 0.0)

    __lt__, __le__, __gt__, __ge__ = (_compare(f"__{name}__") for name in ("lt", "le", "gt", "ge"))
    __eq__, __ne__ = _compare("__eq__"), _compare("__ne__")  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self != 0.0)

    def __int__(self) -> int:
        return int(primal(self))

    def __floor__(self) -> int:
        return math.floor(primal(self))

    def __ceil__(self) -> int:
        return math.ceil(primal(self))

    def __round__(self, digits: int | None = None) -> Any:
        return round(primal(self), digits)

    def __format__(self, spec: str) -> str:
        return format(primal(self), spec)

    def __repr__(self) -> str:
        return f"Dual({self.value!r}, {self.slope!r})"

    # what a program may do with a NumPy scalar
    shape, ndim, size = (), 0, 1

    @property
    def T(self) -> Dual:
        return self

    def _itself(self, *args: Any, **options: Any) -> Dual:
        return self

    sum = mean = max = min = prod = item = copy = astype = squeeze = _itself

    def reshape(self, *shape: Any) -> np.ndarray:
        return np.array(self, dtype=object).reshape(*shape)

    ravel = flatten = lambda self: self.reshape(-1)


def reciprocal(x: Any) -> Any:
    if isinstance(x, Dual):
        out = reciprocal(x.value)
        return Dual(out, -out * out * x.slope)
    return 1.0 / x if x else math.inf


def power(x: Any, y: Any) -> Any:
    """d x**y = y x**(y-1) dx + log(x) x**y dy; x**0 is constant, and a constant exponent needs no log."""
    if not isinstance(x, Dual) and not isinstance(y, Dual):
        return float(x) ** y
    (base, base_slope), (exponent, exponent_slope) = _parts(x), _parts(y)
    if not isinstance(y, Dual):
        exponent = y
    slope = 0.0
    if isinstance(x, Dual) and primal(exponent) != 0:
        slope = exponent * power(base, exponent - 1) * base_slope
    if isinstance(exponent_slope, Dual) or exponent_slope != 0.0:
        slope = slope + log(base) * power(base, exponent) * exponent_slope
    return Dual(power(base, exponent), slope)


def elementary(function: Callable, derivative: Callable) -> Callable:
    """A function of one number for floats and duals, from its derivative in terms of such functions."""

    def apply(x: Any) -> Any:
        if isinstance(x, Dual):
            return Dual(apply(x.value), derivative(x.value) * x.slope)
        try:
            return function(x)
        except ValueError:              # NumPy gives nan where `math` raises
            return math.nan
        except OverflowError:
            return math.inf

    return apply


def step(function: Callable) -> Callable:
    """A piecewise constant function: its derivative is zero."""
    return lambda x: function(primal(x))


sin = elementary(math.sin, lambda x: cos(x))
cos = elementary(math.cos, lambda x: -sin(x))
tan = elementary(math.tan, lambda x: 1.0 + tan(x) ** 2)
exp = elementary(math.exp, lambda x: exp(x))
expm1 = elementary(math.expm1, lambda x: exp(x))
log = elementary(lambda x: math.log(x) if x else -math.inf, reciprocal)
log1p = elementary(math.log1p, lambda x: reciprocal(1.0 + x))
sqrt = elementary(math.sqrt, lambda x: 0.5 * reciprocal(sqrt(x)))
sinh = elementary(math.sinh, lambda x: cosh(x))
cosh = elementary(math.cosh, lambda x: sinh(x))
tanh = elementary(math.tanh, lambda x: 1.0 - tanh(x) ** 2)
arctan = elementary(math.atan, lambda x: reciprocal(1.0 + x * x))
arcsin = elementary(math.asin, lambda x: reciprocal(sqrt(1.0 - x * x)))
arccos = elementary(math.acos, lambda x: -reciprocal(sqrt(1.0 - x * x)))
sign = step(lambda x: (x > 0) - (x < 0.0))
isfinite = step(math.isfinite)


def maximum(x: Any, y: Any) -> Any:
    """The larger number; at a tie both have half a share."""
    return x if x > y else y if x < y else 0.5 * (x + y)


def minimum(x: Any, y: Any) -> Any:
    return x if x < y else y if x > y else 0.5 * (x + y)


def hypot(x: Any, y: Any) -> Any:
    return sqrt(x * x + y * y)


def arctan2(y: Any, x: Any) -> Any:
    """d arctan2(y, x) = (x dy - y dx) / (x*x + y*y)."""
    if not isinstance(x, Dual) and not isinstance(y, Dual):
        return math.atan2(y, x)
    (x0, x1), (y0, y1) = _parts(x), _parts(y)
    return Dual(arctan2(y0, x0), (x0 * y1 - y0 * x1) * reciprocal(x0 * x0 + y0 * y0))
