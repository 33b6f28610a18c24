"""What comes of a gradient: right against finite differences of the function itself, or refused with a place; all else fails."""
from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

import sourcegrad as sg
from sourcegrad.errors import SourcegradError


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
