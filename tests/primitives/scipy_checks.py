"""What is checked of a function of SciPy in a program: its value, derivatives of order 1 and 2, and both modes."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg


def parts(value: Any) -> list:
    return [part for item in value for part in parts(item)] if isinstance(value, (tuple, list)) else [value]


def check(function: Callable, *args: Any, order: int = 2, tolerance: float = 1e-9) -> None:
    """Check a function of arrays that gives a number, in all of its arguments."""
    inputs = tuple(range(len(args)))
    value, gradients = sg.value_and_grad(function, inputs)(*args)
    assert value == pytest.approx(function(*args), rel=tolerance, abs=tolerance)
    for degree in range(1, order + 1):
        sg.check_grad(function, *args, inputs=inputs, order=degree)
    rng = np.random.default_rng(7)
    dots = tuple(rng.normal(size=np.shape(x)) + (1j * rng.normal(size=np.shape(x)) if np.iscomplexobj(x) else 0.0) for x in args)
    dots = tuple(dot if np.ndim(x) else dot.item() for dot, x in zip(dots, args))
    moved, dot = sg.jvp(function, args, dots)
    assert moved == pytest.approx(value, rel=tolerance, abs=tolerance)
    expected = sum(np.sum(np.real(np.conj(g) * d)) for g, d in zip(gradients, dots))
    assert dot == pytest.approx(expected, rel=1e-7, abs=1e-9)


def weighted(result: Any) -> Any:
    """The weights of a result, which are all different."""
    return np.cos(1.3 * np.arange(np.size(result)) + 0.4).reshape(np.shape(result))
