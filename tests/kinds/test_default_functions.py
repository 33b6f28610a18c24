"""Functions that are defaults of parameters: known, as those that are passed; what they are is asked for when they change."""
from __future__ import annotations

import math

import numpy as np
import pytest

import sourcegrad as sg

X = np.array([0.4, 1.3])


def less(a, b):
    return a - b


def by_ufunc(x, residual=np.subtract):
    return residual(x, 0.5) * x


def by_function(x, residual=less):
    return residual(x, 0.5) * x


def by_math(x, wave=math.sin):
    return wave(x[0]) * x[1] * x


def by_sum(x, total=np.sum):
    return total(x * x) * x


class Filter:
    def __init__(self, p):
        self.p = p
        self.y = np.zeros(2)

    def update(self, z, residual=np.subtract, weigh=np.dot):
        self.y = residual(z, self.p)
        self.p = self.p + weigh(self.p, self.y)


def by_method(x):
    held = Filter(np.eye(2))
    held.p *= 2.0
    for z in (x, 2.0 * x):
        held.update(z)
    return held.p


def other_than_default(x):
    held = Filter(np.eye(2))
    held.update(x, np.add)
    held.update(x, residual=np.hypot)
    return held.p


@pytest.mark.parametrize("run", [by_ufunc, by_function, by_math, by_sum, by_method, other_than_default])
def test_a_default_is_known(run) -> None:
    def f(x):
        return np.sum(run(x) * np.array([1.0, 2.0]))

    gradient = sg.grad(f)
    wanted = [(f(X + 1e-6 * e) - f(X - 1e-6 * e)) / 2e-6 for e in np.eye(2)]
    assert np.allclose(gradient(X), wanted, atol=1e-6)
    assert "call_forward" not in gradient.source and "__defaults__" not in gradient.source
    assert np.allclose(sg.hessian(f)(X), [[(gradient(X + 1e-6 * e)[k] - gradient(X - 1e-6 * e)[k]) / 2e-6 for e in np.eye(2)]
                                          for k in range(2)], atol=1e-5)


def test_other_defaults_are_noticed() -> None:
    def scaled(x, wave=np.sin):
        return wave(x)

    def f(x):
        return np.sum(scaled(x))

    gradient = sg.grad(f)
    assert np.allclose(gradient(X), np.cos(X))
    scaled.__defaults__ = (np.exp,)
    assert np.allclose(gradient(X), np.exp(X))


def test_a_default_is_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x):
        return np.sum(by_function(x))

    gradient = sg.grad(f)
    assert np.allclose(gradient(X), 2.0 * X - 0.5)
    monkeypatch.setitem(globals(), "less", max)
    assert np.allclose(gradient(X), 2.0 * X - 0.5)
    assert np.allclose(sg.grad(lambda x: np.sum(by_function(x)) * 2.0)(X), 4.0 * X - 1.0)


def test_the_default_of_a_keyword() -> None:
    def scaled(x, *, wave=np.sin):
        return wave(x)

    def f(x):
        return np.sum(scaled(x) * x)

    gradient = sg.grad(f)
    assert np.allclose(gradient(X), np.cos(X) * X + np.sin(X))
    scaled.__kwdefaults__["wave"] = np.exp
    assert np.allclose(gradient(X), np.exp(X) * (1.0 + X))
