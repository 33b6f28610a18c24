"""Results that are arrays without axes: their adjoints start as numbers, in derivatives of derivatives, too."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from tests.kinds.places import programs_of

interpolate = pytest.importorskip("scipy.interpolate")
NODES = np.array([0.0, 1.0, 2.0, 3.5, 5.0])


def reshaped(x):
    return np.reshape(np.prod(x), ())


def of_one_element(x):
    return np.asarray(np.sum(x[1:] ** 3 * x[:-1]))


def a_spline(x):
    return interpolate.CubicSpline(NODES, x)(1.7)


def a_product_of_splines(x):
    return interpolate.CubicSpline(NODES, x)(1.7) * interpolate.CubicSpline(NODES, x * x)(x[0])


def at_a_place(values, s):
    return interpolate.CubicSpline(np.array([0.0, 1.0, 2.0, 3.5, 5.0]), values)(s)


def test_beside_a_number() -> None:
    values = np.array([1.1, 2.0, 0.4, 1.3, 0.7])
    assert not sg.hessian(at_a_place, "values")(values, 1.7).any()
    slope = sg.grad(at_a_place, "values")
    step = (slope(values, 1.7 + 1e-6) - slope(values, 1.7 - 1e-6)) / 2e-6
    tangent = sg.jvp(sg.grad(at_a_place, ("values", "s")), (values, 1.7), (np.zeros(5), 1.0))[1]
    np.testing.assert_allclose(tangent[0], step, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", programs_of(globals()), ids=lambda f: f.__name__)
def test_second_derivatives(f) -> None:
    x, v = np.array([1.1, 2.0, 0.4, 1.3, 0.7]), np.array([0.3, -0.5, 0.2, 0.8, -0.1])
    gradient = sg.grad(f)
    wanted = np.array([(gradient(x + e) - gradient(x - e)) / 2e-6 for e in np.eye(5) * 1e-6])
    np.testing.assert_allclose(sg.hessian(f)(x), wanted, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(sg.jvp(gradient, (x,), (v,))[1], wanted @ v, rtol=1e-5, atol=1e-7)
