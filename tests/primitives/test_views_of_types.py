"""x.view(dtype) of numbers of another type: pairs of floats are complex numbers; writing through a view is refused or right."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError

X, Y = np.array([1.3, -0.7, 0.4, 2.1]), np.array([0.2, 1.1, -0.9, 0.6])
CASES = {
    "complex to float": lambda x: np.sum((x + 1j * Y).view(float) ** 3),
    "float to complex": lambda x: np.sum(np.abs(x.view(complex)) ** 3),
    "rows": lambda x: np.sum(np.abs(np.stack([x, Y], -1).view(np.complex128)) ** 3),
    "the same": lambda x: np.sum(x.view(np.float64) ** 3),
    "an array": lambda x: np.sum(x.view(np.ndarray) ** 3),
}


@pytest.mark.parametrize("name", CASES)
def test_views(name: str) -> None:
    sg.check_grad(CASES[name], X)


def through(x):
    z = x + 1j * Y
    v = z.view(float)
    v[0] = 2.0
    v[3] *= 5.0
    return np.sum(np.abs(z) ** 2)


def test_what_is_written_through_a_view() -> None:
    try:
        gradient = sg.grad(through)(X)
    except SourcegradError as refused:
        assert "test_views_of_types.py" in str(refused)
    else:
        assert np.allclose(gradient, [0.0, 2.0 * X[1], 2.0 * X[2], 2.0 * X[3]])
