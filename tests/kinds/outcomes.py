"""What comes of a gradient: right against finite differences of the function itself, or refused with a place; all else fails."""
from __future__ import annotations

import copy
import inspect
import itertools
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from sourcegrad.ir.source import register

numbers = itertools.count(1)


def differences(f: Callable, args: tuple) -> Any:
    """The gradient of a function by its first argument, a number or an array, by central differences."""
    x = args[0]
    found = np.zeros(np.shape(x))
    for place in np.ndindex(np.shape(x)):
        step = np.zeros(np.shape(x))
        step[place] = 1e-6
        high, low = ((x + sign * step) if np.ndim(x) else x + sign * 1e-6 for sign in (1.0, -1.0))
        found[place] = (f(high, *copy.deepcopy(args[1:])) - f(low, *copy.deepcopy(args[1:]))) / 2e-6
    return found if np.ndim(x) else float(found)


def outcome(f: Callable, *args: Any, want: Any = None) -> str:
    """ "right" or "refused"; an AssertionError for a wrong gradient or an error that has no place."""
    try:
        found = sg.grad(f)(*copy.deepcopy(args))
    except SourcegradError as problem:
        assert problem.origin is not None, str(problem)
        assert type(problem).__name__ != "InternalError", str(problem)
        return "refused"
    wanted = differences(f, args) if want is None else want
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    return "right"


def module(text: str) -> dict[str, Any]:
    """The names of a module with a text of its own."""
    filename = f"<kind {next(numbers)}>"
    register(filename, text)
    names: dict[str, Any] = {"np": np, "sg": sg, "__name__": __name__}
    exec(compile(text, filename, "exec"), names)
    return names


def outcomes(f: Callable, calls: Iterable[Any]) -> list[str]:
    """What comes of each call of one gradient function: "right" (value and gradient by the first parameter), "refused", or "raises"
    what the function raises; an AssertionError otherwise. calls: the arguments, or functions that make them anew."""
    gradient, found = sg.value_and_grad(f, inputs=next(iter(inspect.signature(f).parameters))), []
    for call in calls:
        make = call if callable(call) else lambda: copy.deepcopy(call)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            (want, raised), (result, problem) = tried(f, make), tried(gradient, make)
            if isinstance(problem, SourcegradError):
                assert problem.origin is not None and type(problem).__name__ != "InternalError", str(problem)
                found.append("refused")
                continue
            assert type(problem) is type(raised), f"{make()}: {problem!r}, the function raises {raised!r}"
            if raised is None:
                np.testing.assert_allclose(result[0], want, rtol=1e-12, err_msg=f"value at {make()}")
                if np.all(np.isfinite(want)):
                    slope = differences(lambda x: f(x, *make()[1:]), make()[:1])        # (copies may be others)
                    np.testing.assert_allclose(result[1], slope, rtol=1e-5, atol=1e-6, err_msg=f"gradient at {make()}")
            found.append("raises" if raised else "right")
    return found


def tried(f: Callable, make: Callable[[], tuple]) -> tuple[Any, Exception | None]:
    """(result, None), or (None, what was raised)"""
    try:
        return f(*make()), None
    except Exception as problem:
        return None, problem
