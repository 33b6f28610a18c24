"""What is checked of a form: derivatives of orders 1 and 2 against differences, and the tangent against a difference."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import sourcegrad as sg
from tests.coverage.values import arguments, given


def differences_agree(function: Callable, form: str) -> None:
    """AssertionError, or what sourcegrad refuses, where a derivative is not as differences say."""
    inputs = tuple(arguments(form))
    with np.errstate(all="ignore"):
        sg.check_grad(function, *given(form), inputs=inputs, order=2, rtol=2e-5, atol=2e-6)
        tangent_agrees(function, given(form))


def tangent_agrees(function: Callable, values: list[Any]) -> None:
    """The tangent along a direction against a difference of values."""
    dots = [np.cos(np.arange(np.size(v)) + 1.0).reshape(np.shape(v)) if np.ndim(v) else 0.7 for v in values]
    _, dot = sg.jvp(function, tuple(values), tuple(dots))
    after, before = (numbers(function(*(v + h * d for v, d in zip(values, dots)))) for h in (1e-6, -1e-6))
    assert np.allclose(numbers(dot), (after - before) / 2e-6, rtol=1e-4, atol=1e-5), "the tangent"


def numbers(value: Any) -> np.ndarray:
    """All numbers of a result, one after the other."""
    if isinstance(value, (list, tuple)):
        return np.concatenate([numbers(item) for item in value]) if value else np.zeros(0)
    return np.ravel(np.asarray(value)) + 0.0
