"""Index arrays with and without repeats: what is read or stored twice at one place."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from tests.kinds.places import programs_of

Y = np.array([0, 1, 2, 1])
VALUES = np.array([1.0, 2.0, 3.0, 4.0, 5.0])


def one_of_each_row(x):
    return -np.mean(x[np.arange(len(Y)), Y])


def rows_and_columns(x):
    k = np.arange(len(Y))
    return np.sum(x[k, Y] ** 2 * x[Y, k])


def a_column_of_positions(x):
    return np.sum(x[np.arange(3)[:, None], Y] ** 2)


def all_in_one_row(x):
    return np.sum(x[np.arange(1), Y] ** 2)


def positions_modulo(x):
    return np.sum(x[np.arange(2) % 1, Y[:2]] ** 2)


def a_column(x):
    k = np.arange(1, 3)
    return np.sum(x[k, 1] ** 2) + np.sum(x[k] ** 3)


def fewer_and_fewer(x):
    s = 0.0
    for j in range(3):
        k = np.arange(j + 1)
        s = s + np.sum(x[k, Y[k]] ** 2)
    return s


def read_from_the_last_on(x):
    k = np.arange(-1, 4)
    return np.sum(x[k] ** 2) + np.sum(x[k, k] ** 3)


def stored_from_the_last_on(x):
    b = x * 1.0
    b[np.arange(-1, 4), 0] = VALUES * x[0, 1]
    return np.sum(b * x)


def rows_stored_from_the_last_on(x):
    b = x * 1.0
    b[np.arange(-2, 3)] = x[0] * VALUES[:, None]
    return np.sum(b * x)


def stored_in_each_row(x):
    b = x * 1.0
    b[np.arange(4), Y] = VALUES[:4] * x[0, 1]
    return np.sum(b * x)


def added_in_each_row(x):
    b = x * x
    b[np.arange(4), Y] += x[1]
    return np.sum(b * x)


def added_from_the_last_on(x):
    b = x * x
    b[np.arange(-1, 3), 2] += x[1]
    return np.sum(b * x)


@pytest.mark.parametrize("f", programs_of(globals()), ids=lambda f: f.__name__)
def test_gradients(f) -> None:
    x = np.random.default_rng(3).random((4, 4))

    def differences(function):
        return np.array([(function(x + e) - function(x - e)) / 2e-6 for e in np.eye(16).reshape(16, 4, 4) * 1e-6]).reshape(4, 4)

    gradient = sg.grad(f)
    np.testing.assert_allclose(gradient(x), differences(f), rtol=1e-6, atol=1e-8)
    weights = np.cos(np.arange(16.0)).reshape(4, 4)
    second = sg.hvp(f)(x, weights)
    np.testing.assert_allclose(second, differences(lambda z: np.sum(gradient(z) * weights)), rtol=1e-5, atol=1e-7)
    value, tangent = sg.jvp(f, (x,), (weights,))
    np.testing.assert_allclose([value, tangent], [f(x), np.sum(gradient(x) * weights)], rtol=1e-12)


def test_no_scatter_without_repeats() -> None:
    gradient = sg.grad(one_of_each_row)
    gradient(np.ones((4, 3)))
    assert "add.at" not in gradient.source
