"""Stable functions stay stable under differentiation: the value is the function's own, the derivative keeps its digits."""
from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import sourcegrad as sg

special = pytest.importorskip("scipy.special")


def sigmoid(x: float) -> float:
    return math.exp(min(x, 0.0)) / (1.0 + math.exp(-abs(x)))


POINTS = [-1000.0, -700.0, -100.0, -40.0, -36.0, -20.0, -1.0, 0.0, 1e-9, 2.0, 30.0, 40.0, 700.0, 1000.0]
# name: (function of a number or array, its derivative as a formula that loses no digits, points)
FUNCTIONS = {
    "expit": (lambda x: special.expit(x), lambda x: sigmoid(x) * sigmoid(-x), POINTS),
    "log of expit": (lambda x: -np.log(special.expit(x)), lambda x: -sigmoid(-x), POINTS[2:]),
    "log_expit": (lambda x: special.log_expit(x), lambda x: sigmoid(-x), POINTS),
    "logit": (lambda x: special.logit(x), lambda x: float(1 / (Fraction(x) * (1 - Fraction(x)))),
              [1e-300, 1e-9, 0.3, 0.5, 1 - 1e-12]),
    "softplus": (lambda x: np.logaddexp(0.0, x), sigmoid, POINTS),
    "logaddexp": (lambda x: np.logaddexp(x, 1.0), lambda x: sigmoid(x - 1.0), POINTS),
    "logaddexp2": (lambda x: np.logaddexp2(x, 0.0), lambda x: sigmoid(x * math.log(2.0)), POINTS[2:-2]),
    "log1p": (lambda x: np.log1p(x), lambda x: 1.0 / (1.0 + x), [-0.5, 1e-18, 0.0, 1e300]),
    "expm1": (lambda x: np.expm1(x), math.exp, [-700.0, -1e-18, 0.0, 2.0]),
    "log1p of exp": (lambda x: np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0.0), sigmoid, [-700.0, -40.0, -1.0, 1.0, 40.0]),
    "tanh": (lambda x: np.tanh(x), lambda x: 4.0 * sigmoid(2.0 * x) * sigmoid(-2.0 * x), [-5.0, -1.0, 0.0, 1e-9, 3.0]),
    "logsumexp": (lambda x: special.logsumexp(np.stack([x, 0.0 * x, 0.0 * x + 1.0]), axis=0),
                  lambda x: sigmoid(x - math.log(1.0 + math.e)), POINTS[:-1]),
    "logsumexp of one": (lambda x: special.logsumexp(x[None], axis=0), lambda x: 1.0, POINTS),
    "log_softmax": (lambda x: special.log_softmax(np.stack([x, 0.0 * x]), axis=0)[0], lambda x: sigmoid(-x), POINTS[3:-5]),
    "softmax": (lambda x: special.softmax(np.stack([x, 0.0 * x]), axis=0)[0], lambda x: sigmoid(x) * sigmoid(-x), POINTS[3:-4]),
    "xlogy": (lambda x: special.xlogy(x, 2.0), lambda x: math.log(2.0), [0.0, 1e-300, 3.0]),
    "xlogy in y": (lambda y: special.xlogy(2.0, y), lambda y: 2.0 / y, [1e-300, 1.0, 1e300]),
    "xlogy of 0": (lambda y: special.xlogy(0.0, y), lambda y: 0.0, [0.0, 1e-300, 1.0]),
    "xlog1py": (lambda y: special.xlog1py(2.0, y), lambda y: 2.0 / (1.0 + y), [1e-300, -0.5, 1e300]),
    "xlog1py of 0": (lambda y: special.xlog1py(0.0, y), lambda y: 0.0, [-1.0, 1e-300, 1.0]),
    "entr": (lambda x: special.entr(x), lambda x: -math.log(x) - 1.0, [1e-300, 1.0, 5.0]),
    "rel_entr": (lambda x: special.rel_entr(x, 2.0), lambda x: math.log(x / 2.0) + 1.0, [1e-300, 1.0, 5.0]),
    "rel_entr in y": (lambda y: special.rel_entr(2.0, y), lambda y: -2.0 / y, [1e-300, 1.0, 5.0]),
    "rel_entr of 0": (lambda y: special.rel_entr(0.0, y), lambda y: 0.0, [0.0, 1.0]),
    "kl_div": (lambda x: special.kl_div(x, 2.0), lambda x: math.log(x / 2.0), [1e-300, 1.0, 5.0]),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_slopes(name):
    function, slope, points = FUNCTIONS[name]
    x = np.array(points)

    def total(x):
        return np.sum(function(x))

    expected = np.array([slope(p) for p in points])
    value, gradient = sg.value_and_grad(total)(x)
    assert value == total(x) or np.isnan(value) == np.isnan(total(x))
    np.testing.assert_allclose(gradient, expected, rtol=4e-13 if name == "tanh" else 1e-13, atol=0.0)
    for k, p in enumerate(points):
        with np.errstate(all="ignore"):
            assert sg.vjp(function, np.array([p]))[0][0] == function(np.array([p]))[0]
        assert gradient[k] == pytest.approx(slope(p), rel=4e-13, abs=0.0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "of 0" not in name])
def test_second_derivatives(name):
    function, slope, points = FUNCTIONS[name]
    x = np.array([p for p in points if 1e-3 < abs(p) < 50.0 and (name != "logit" or p < 0.9)])

    def total(x):
        return np.sum(function(x))

    second = sg.grad(sg.grad(total), grad_outputs=np.ones(x.shape))(x)
    steps = 1e-5 * np.maximum(1.0, np.abs(x))
    expected = [(slope(p + h) - slope(p - h)) / (2.0 * h) for p, h in zip(x, steps)]
    np.testing.assert_allclose(second, expected, rtol=1e-5, atol=1e-6 * float(np.max(np.abs(expected))) + 1e-20)


def test_what_is_nan_stays_nan():
    x = np.array([np.nan, 1.0])
    for function in (lambda y: special.xlogy(0.0, y), lambda y: special.xlog1py(0.0, y), lambda y: special.rel_entr(0.0, y)):
        value = sg.vjp(function, x)[0]
        assert np.isnan(value[0]) and value[1] == 0.0
