"""What the tests of places share: which functions of a module are programs, and whether their derivatives are right."""
from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import UnsupportedError

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


def suite_of(programs: list, refused: dict[str, str], x: np.ndarray, v: np.ndarray, slow: Container[str] = ()) -> tuple:
    """Tests of a table of programs: gradients; but for the slow ones second order, forward mode, pullbacks; refusals by text."""
    right = [f for f in programs if f.__name__ not in refused]
    quick = [f for f in right if f.__name__ not in slow]

    def each(found: list) -> Any:
        return pytest.mark.parametrize("f", found, ids=lambda f: f.__name__)

    @each(right)
    def gradients(f: Callable) -> None:
        check_gradient(f, [x, 1.3 * x + 0.1])

    @each(quick)
    def second_order_and_forward_mode(f: Callable) -> None:
        check_second(f, x)
        _, tangent = sg.jvp(f, (x,), (v,))
        assert np.isclose(tangent, by_differences(f, x) @ v, rtol=1e-6, atol=1e-8)

    @each(quick[::4])
    def pullbacks(f: Callable) -> None:
        value, pullback = sg.vjp(f, x)
        assert np.isclose(value, f(x))
        for scale in (1.0, -2.0):
            assert np.allclose(pullback(scale)[0], scale * by_differences(f, x), rtol=1e-6, atol=1e-7)

    @each([f for f in programs if f.__name__ in refused])
    def refusals(f: Callable) -> None:
        with pytest.raises(UnsupportedError, match=refused[f.__name__]) as problem:
            sg.grad(f)(x)
        assert problem.value.origin is not None and problem.value.origin.file == f.__code__.co_filename

    return gradients, second_order_and_forward_mode, pullbacks, refusals
