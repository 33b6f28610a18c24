"""What the tests of places share: which functions of a module are programs, and gradients by differences."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def programs_of(module: dict[str, Any]) -> list[Callable]:
    """The functions of x that a module defines, by its globals."""
    code = {value: getattr(value, "__code__", None) for value in module.values() if callable(value)}
    return [value for value, found in code.items() if found is not None and (
        found.co_varnames[:1] == ("x",) and value.__module__ == module["__name__"])]


def by_differences(f: Callable, x: np.ndarray) -> np.ndarray:
    """The gradient of a function of an array, by central differences."""
    return np.array([(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))])
