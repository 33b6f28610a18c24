"""Programs of one call, made from values: what generated tests put through the engine."""

from __future__ import annotations

import copy
import itertools
import warnings
from typing import Any

import numpy as np

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from sourcegrad.ir.source import register
from tests.oracle.rules import leaves, numeric_vjp, random_like, same

LITERALS = (int, str, bool, type(None), float)
numbers = itertools.count(1)


def literal(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(literal, value))
    return type(value) in LITERALS and repr(value) not in ("nan", "inf", "-inf")


def written(expression: str, names: dict[str, Any], parameters: str = "x") -> Any:
    """The function `lambda x: expression` with a text of its own; names: its globals."""
    text = f"def program({parameters}):\n    return {expression}\n"
    filename = f"<program {next(numbers)}: {expression[:60]}>"
    register(filename, text)
    module = {"np": np, "__name__": __name__, **names}
    exec(compile(text, filename, "exec"), module)
    return module["program"]


def called(spelling: str, function: Any, rest: tuple, options: dict, method: bool = False) -> Any:
    """A program that calls a function of x with other arguments, written as literals where that is possible."""
    names = {} if method else {spelling: function}
    parts = [] if method else ["x"]
    for key, value in [*enumerate(rest), *options.items()]:
        text = repr(value)
        if not literal(value):
            text = f"constant_{len(names)}"
            names[text] = value
        parts.append(text if isinstance(key, int) else f"{key}={text}")
    return written(f"{f'x.{spelling}' if method else spelling}({', '.join(parts)})", names)


def attempt(function: Any, *args: Any, **options: Any) -> tuple[Any, Exception | None]:
    """(value, None), or (None, what was raised)"""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return function(*copy.deepcopy(args), **copy.deepcopy(options)), None
    except Exception as error:
        return None, error


def floating(value: Any) -> bool:
    return all(
        isinstance(leaf, (float, complex, np.ndarray, np.generic)) and np.asarray(leaf).dtype.kind in "fc"
        for _, leaf in leaves(value)
    )


def finite(value: Any) -> bool:
    return all(np.all(np.isfinite(leaf)) for _, leaf in leaves(value))


def judged(program: Any, x: Any, compare: bool = True, tolerance: float = 1e-5, order: int = 1) -> tuple[str, str]:
    """(right, refused, raises alike, lenient, wrong or raw; what is wrong) of the gradient of a program at x."""
    expected, problem = attempt(program, x)
    found, error = attempt(sg.vjp, program, x)
    if isinstance(error, SourcegradError):
        located = error.origin is not None and error.origin.line > 0
        return ("refused", "") if located or problem is not None else ("raw", f"refused without a place: {error}")
    if error is not None:
        alike = problem is not None and isinstance(error, type(problem))
        return ("raises alike", "") if alike else ("raw", f"{type(error).__name__}: {error} (the function: {problem!r})"[:300])
    if problem is not None:
        return "lenient", f"gives a value where the function raises {problem!r}"
    value, pullback = found
    if not alike_values(value, expected):
        return "wrong", f"value {value!r} is not {expected!r}"
    if not compare or not floating(expected) or not finite(expected) or not finite(x):
        return "right", ""
    ct = random_like(expected, np.random.default_rng(3))
    gradient, error = attempt(pullback, ct)
    if isinstance(error, SourcegradError):
        return "refused", ""
    if error is not None:
        return "raw", f"pullback: {type(error).__name__}: {error}"[:300]
    gradient = gradient[0]
    wide, _ = attempt(numeric_vjp, program, (widened(x),), 0, ct, 1e-6)
    if wide is None:
        return "right", ""
    if isinstance(expected, (np.ndarray, np.generic)) and expected.dtype.itemsize < 8 and not np.asarray(x).dtype.itemsize < 8:
        return "right", ""  # differences of what is rounded to few digits say nothing
    single = np.asarray(x).dtype in (np.float32, np.complex64)
    if not same(gradient, wide, 2e-3 if single else tolerance, 2e-3 if single else tolerance):
        return "wrong", f"gradient {gradient!r} is not {wide!r}"
    if isinstance(x, np.ndarray) and getattr(gradient, "dtype", None) != x.dtype:
        return "wrong", f"the gradient is {getattr(gradient, 'dtype', type(gradient))}"
    return "right", ""


def widened(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x.astype(np.result_type(x.dtype, np.float64))
    return x


def alike_values(found: Any, expected: Any) -> bool:
    """Equal values of equal shapes; NaN equals NaN."""
    if isinstance(expected, (list, tuple)):
        return isinstance(found, (list, tuple)) and len(found) == len(expected) and all(map(alike_values, found, expected))
    if not isinstance(expected, (np.ndarray, np.generic, int, float, complex)):
        return True
    a, b = np.asarray(found), np.asarray(expected)
    digits = 1e-5 if {a.dtype, b.dtype} & {np.dtype(np.float32), np.dtype(np.complex64)} else 1e-12
    return a.shape == b.shape and np.allclose(a, b, digits, digits, equal_nan=True)
