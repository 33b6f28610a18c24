"""`y.shape = s`: a reshape where nobody else holds the array, and a refusal where somebody may."""
from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import sourcegrad as sg

pytestmark = pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")         # (of NumPy 2.5)
X, W = np.array([1.0, 2.0, 3.0]), np.array([0.5, -1.0, 2.0])


class Column:
    def __init__(self, x, n):
        self.n = n
        self.values = np.atleast_2d(x)
        self.values.shape = self.n, 1

    def length(self):
        return np.sum(self.values.T @ self.values) * self.values.shape[1]


def of_a_name(x):
    y = np.atleast_2d(x)
    y.shape = 3, 1
    return np.sum(y @ y.T * W)


def rebound(x):
    x = np.atleast_2d(x)
    x.shape = 3, 1
    return np.sum(x * W)


def of_an_attribute(x):
    return Column(x, 3).length()


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        row = x * (k + 1.0)
        y = np.atleast_3d(row)
        y.shape = 3, 1, 1
        total = total + np.sum(y[:, 0, 0] * row)
    return total


def of_a_number(x):
    total = 0.0
    for v in x:
        y = np.atleast_2d(v)
        y.shape = 1, 1
        total = total + np.sum(y @ y) * y.ndim
    return total


def of_an_object(x):
    model = SimpleNamespace(n=3)
    model.h = np.atleast_2d(x)
    model.h.shape = model.n, 1
    model.h[0] = 5.0
    return np.sum(model.h @ model.h.T) + np.sum(x * x)


@pytest.mark.parametrize("f", [of_a_name, rebound, of_an_attribute, in_a_loop, of_a_number, of_an_object])
def test_an_array_with_more_axes_is_new(f) -> None:
    wanted = [(f(X + 1e-6 * e) - f(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    if f is not of_an_object:                               # (which writes into its argument)
        assert np.allclose(sg.grad(f)(X), wanted, atol=1e-6)
    else:
        assert np.allclose(sg.grad(f)(X), [0.0, 24.0, 26.0])
    assert np.array_equal(X, [1.0, 2.0, 3.0])


def stored_before(x):
    model = SimpleNamespace(n=3)
    y = x * 1.0
    model.h = y
    y.shape = 3, 1
    return np.sum(model.h @ model.h.T)


def in_a_list(x):
    y = x * 1.0
    held = [0.0]
    held[0] = y
    y.shape = 3, 1
    return np.sum(held[0] * y)


def in_a_dict(x):
    y = x * 1.0
    held = {"a": 0.0}
    held["a"] = y
    y.shape = 3, 1
    return np.sum(held["a"] * y)


def as_many_axes(x):
    y = np.outer(x, x)
    z = np.atleast_2d(y)
    z.shape = 9, 1
    return np.sum(y @ y) + np.sum(z)


@pytest.mark.parametrize("f", [stored_before, in_a_list, in_a_dict])
def test_an_array_that_is_held_is_refused(f) -> None:
    with pytest.raises(sg.UnsupportedError, match="which others may hold, is set"):
        sg.grad(f)(X)


def test_an_array_with_as_many_axes_may_be_the_same() -> None:
    with pytest.raises(sg.UnsupportedError, match="which others may hold, is set"):
        sg.grad(as_many_axes)(X)
