"""Weights that come with a call, of functions whose form before differentiation does not run: an object of SciPy is made in them.

There the value beside the gradient is compared with the function; it does not depend on the weights.
"""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg

interpolate = pytest.importorskip("scipy.interpolate")
AT, Y, P = np.arange(5.0), np.array([0.3, -0.7, 1.1, 0.4, -0.2]), np.array([0.4, 1.3, 3.2])
GRID = np.array([[0.4, 0.2], [1.3, 2.6]])


def line(y, p):
    return interpolate.interp1d(AT, y)(p)


def line_of_two(y, p):
    return interpolate.interp1d(AT, y)(p), np.sum(p * p)


def line_summed(y, p):
    return np.sum(interpolate.interp1d(AT, y)(p) ** 2)


def grid(y, p):
    return interpolate.RegularGridInterpolator((AT, AT), np.outer(y, y))(GRID * p[0])


@pytest.mark.parametrize("function, weights", [
    (line, P), (grid, np.array([0.5, -2.0])), (line_of_two, (P, 2.0)), (line_summed, 3.0), (line_summed, np.float64(3.0))])
def test_value_and_gradient(function, weights):
    value, gradients = sg.value_and_grad(function, inputs=(0, 1))(Y, P, grad_outputs=weights)
    wanted, pullback = sg.vjp(function, Y, P)
    for one, other in zip(value if isinstance(value, tuple) else (value,), wanted if isinstance(wanted, tuple) else (wanted,)):
        assert np.allclose(one, other)
    for one, other in zip(gradients, pullback(weights)):
        assert np.allclose(one, other)


def test_with_more_than_the_value():
    def function(y, p):
        return interpolate.interp1d(AT, y)(p), {"count": 3}

    value, gradient = sg.value_and_grad(function, has_aux=True)(Y, P, grad_outputs=P)
    assert value[1] == {"count": 3} and np.allclose(gradient, sg.vjp(line, Y, P)[1](P)[0])
