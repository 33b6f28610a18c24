"""The adjoints written by hand that the emitted ones are measured against: right, and harmless to their arguments."""
from __future__ import annotations

import inspect
from types import ModuleType

import numpy as np
import pytest

from benchmarks import pairs
from benchmarks.cases import copies

ALL = [pytest.param(pairs.load(name), id=name) for name in pairs.NAMES]


def differences(pair: ModuleType, args: tuple, name: str, step: float = 1e-6) -> np.ndarray:
    """Gradient in one parameter, by central differences of the primal on fresh copies."""
    position = list(inspect.signature(pair.primal).parameters).index(name)
    centre = np.asarray(args[position], dtype=float)
    gradient = np.zeros(centre.shape)

    def at(index: tuple, change: float) -> float:
        moved = list(copies(args))
        value = centre.copy()
        value[index] += change
        moved[position] = value if isinstance(args[position], np.ndarray) else float(value)
        return float(pair.primal(*moved))

    for index in np.ndindex(*centre.shape):
        gradient[index] = (at(index, step) - at(index, -step)) / (2.0 * step)
    return gradient


@pytest.mark.parametrize("pair", ALL)
def test_golden_adjoint(pair: ModuleType) -> None:
    args = pair.make("tiny", np.random.default_rng(1))
    assert sum(np.size(arg) for arg in args) <= 400, "make tiny arguments smaller: differences take a call for each number"
    before = copies(args)
    value, gradients = pair.adjoint(*args)
    for now, then in zip(args, before):
        assert np.array_equal(now, then), "an argument was changed"
    assert np.isclose(value, pair.primal(*copies(args)), rtol=1e-13)
    gradients = gradients if isinstance(gradients, tuple) else (gradients,)
    assert len(gradients) == len(pair.INPUTS)
    for name, gradient in zip(pair.INPUTS, gradients):
        expected = differences(pair, args, name)
        scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
        assert np.shape(gradient) == expected.shape
        assert np.max(np.abs(gradient - expected), initial=0.0) < 1e-6 * scale, name
