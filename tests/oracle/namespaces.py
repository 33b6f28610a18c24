"""Stand-ins for `numpy`, `math` and `float` that work on duals and on object arrays of duals.

NumPy itself computes with object arrays through the operators of their elements. What it cannot do (ufuncs on
objects, float dtypes, a few functions that insist on floats) is replaced here; all else is NumPy's own.
"""
from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.oracle import duals
from tests.oracle.duals import Dual


def has_dual(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype == object
    if isinstance(value, (list, tuple)):
        return any(map(has_dual, value))
    return isinstance(value, Dual)


def as_objects(value: Any) -> np.ndarray:
    """An object array; nested lists of duals and arrays become one array."""
    return np.array(value, dtype=object)


def elementwise(scalar: Callable, native: Callable) -> Callable:
    """A function of numbers applied to broadcast object arrays; without duals the native function is used."""

    @functools.wraps(scalar)
    def apply(*args: Any, **options: Any) -> Any:
        if not any(map(has_dual, args)):
            return native(*args, **options)
        if options:
            raise NotImplementedError(f"options {sorted(options)} on duals")
        if not any(isinstance(arg, (np.ndarray, list, tuple)) for arg in args):
            return scalar(*args)
        with np.errstate(all="ignore"):
            return np.frompyfunc(scalar, len(args), 1)(*map(as_objects, args))       # laid out as NumPy does it

    return apply


def without_float_dtype(native: Callable) -> Callable:
    """An array constructor that keeps duals when asked for floats."""

    @functools.wraps(native)
    def construct(value: Any, *args: Any, **options: Any) -> Any:
        return as_objects(value) if has_dual(value) else native(value, *args, **options)

    return construct


def or_native(replacement: Callable, native: Callable) -> Callable:
    @functools.wraps(native)
    def apply(*args: Any, **options: Any) -> Any:
        return (replacement if any(map(has_dual, args)) else native)(*args, **options)

    return apply


def _primals(x: np.ndarray) -> np.ndarray:
    return np.array([duals.primal(number) for number in x.flat], dtype=float).reshape(x.shape)


def _extreme(native: Callable) -> Callable:
    """Largest or smallest element; tied elements share equally."""

    def extreme(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = as_objects(x)
        best = native(x, axis=axis, keepdims=True)
        tied = np.equal(_primals(x), _primals(best)).astype(float)
        return np.sum(x * tied, axis=axis, keepdims=keepdims) / np.sum(tied, axis=axis, keepdims=keepdims)

    return extreme


def room_for_duals(native: Callable) -> Callable:
    """`np.zeros` and the like: float arrays that duals may be added to in place."""

    @functools.wraps(native)
    def construct(*args: Any, **options: Any) -> Any:
        result = native(*args, **options)
        return result.astype(object) if result.dtype.kind == "f" else result

    return construct


def _variance(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    x = as_objects(x)
    return np.mean((x - np.mean(x, axis=axis, keepdims=True)) ** 2, axis=axis, keepdims=keepdims)


def _norm(x: Any) -> Any:
    return NUMPY.sqrt(np.sum(as_objects(x) ** 2))


class Namespace:
    """Replacements, and the attributes of a module for everything else."""

    def __init__(self, module: Any, replacements: dict[str, Any]) -> None:
        self.__dict__.update(replacements)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


class _FloatMeta(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, (Dual, float))


class Float(metaclass=_FloatMeta):
    """The builtin `float`, transparent to duals."""

    def __new__(cls, value: Any = 0.0) -> Any:
        if isinstance(value, np.ndarray) and value.dtype == object:
            value = value.item()
        return value if isinstance(value, Dual) else float(value)


_UFUNCS = {name: getattr(duals, name) for name in (
    "sin", "cos", "tan", "exp", "expm1", "log", "log1p", "sqrt", "sinh", "cosh", "tanh", "arctan", "arcsin",
    "arccos", "sign", "isfinite", "maximum", "minimum", "hypot", "arctan2")}
_UFUNCS |= {"abs": abs, "absolute": abs, "fabs": abs, "square": lambda x: x * x, "reciprocal": duals.reciprocal,
            "clip": lambda x, low, high: duals.minimum(duals.maximum(x, low), high),
            "floor": duals.step(lambda x: float(math.floor(x))), "ceil": duals.step(lambda x: float(math.ceil(x)))}

_numpy: dict[str, Any] = {name: elementwise(function, getattr(np, name)) for name, function in _UFUNCS.items()}
_numpy |= {name: without_float_dtype(getattr(np, name))
           for name in ("array", "asarray", "asanyarray", "float64", "float32")}
_numpy |= {name: room_for_duals(getattr(np, name)) for name in ("zeros", "ones", "zeros_like", "ones_like")}
_numpy |= {name: or_native(_extreme(getattr(np, name)), getattr(np, name)) for name in ("max", "min", "amax", "amin")}
_numpy |= {"var": or_native(_variance, np.var),
           "std": or_native(lambda *args, **options: NUMPY.sqrt(_variance(*args, **options)), np.std),
           "linalg": Namespace(np.linalg, {"norm": or_native(_norm, np.linalg.norm)})}
NUMPY = Namespace(np, _numpy)

_MATH_NAMES = {"atan": "arctan", "asin": "arcsin", "acos": "arccos", "atan2": "arctan2"}
_math = {name: elementwise(getattr(duals, _MATH_NAMES.get(name, name)), getattr(math, name)) for name in (
    "sin", "cos", "tan", "exp", "expm1", "log", "log1p", "sqrt", "sinh", "cosh", "tanh", "isfinite", "hypot",
    *_MATH_NAMES)}
_math |= {"fabs": elementwise(abs, math.fabs), "pow": elementwise(duals.power, math.pow),
          "floor": math.floor, "ceil": math.ceil}
MATH = Namespace(math, _math)
