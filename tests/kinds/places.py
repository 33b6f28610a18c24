"""What the tests of places share: which functions of a module are programs, and whether their derivatives are right."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import sourcegrad as sg

WEIGHTS = np.array([0.3, -0.7, 1.1, 0.6])


def programs_of(module: dict[str, Any]) -> list[Callable]:
    """The functions of x that a module defines, by its globals."""
    code = {value: getattr(value, "__code__", None) for value in module.values() if callable(value)}
    return [value for value, found in code.items() if found is not None and (
        found.co_varnames[:1] == ("x",) and value.__module__ == module["__name__"])]


def by_differences(f: Callable, x: np.ndarray) -> np.ndarray:
    """The gradient of a function of an array, by central differences."""
    return np.array([(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))])


def check_gradient(f: Callable, points: list[np.ndarray]) -> None:
    """The value and the gradient are right at some points, one call after the other, and the points stay as they are."""
    g = sg.value_and_grad(f)
    for x in points:
        before = x.copy()
        value, gradient = g(x)
        assert np.array_equal(x, before)
        assert np.isclose(value, f(x.copy())) and np.allclose(gradient, by_differences(f, x), rtol=1e-6, atol=1e-8)


def check_second(f: Callable, x: np.ndarray) -> None:
    """The gradient of a projection of the gradient is right."""
    def projected(x: np.ndarray) -> Any:
        return np.sum(sg.grad(f)(x) * WEIGHTS[:len(x)])

    assert np.allclose(sg.grad(projected)(x), by_differences(projected, x), rtol=1e-5, atol=1e-6)
