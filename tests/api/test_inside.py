"""Derivatives of functions of the enclosing call, and Jacobians and products, inside functions that are differentiated."""
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourceError, UnsupportedError

X = np.array([1.0, 2.0])


def argmin(fn, start):
    slope, y = sg.grad(fn), start
    for _ in range(5):
        y = y - 0.1 * slope(y)
    return y


def test_gradient_of_a_parameter() -> None:
    """y = x (1 - 0.8^5) after five steps"""
    found = sg.grad(lambda x: np.sum(argmin(lambda y: np.sum((y - x) ** 2), np.zeros(2)) ** 2))(X)
    np.testing.assert_allclose(found, 2.0 * (1.0 - 0.8 ** 5) ** 2 * X, rtol=1e-12)


def by_name(x):
    def energy(q, k):
        return np.sum(q ** 2 * x) * k

    value, slope = sg.value_and_grad(energy)(x * 2.0, 3.0)
    return sg.grad(energy, "k")(x, 2.0) + np.sum(slope) + value + np.sum(sg.grad(energy, ("q", "k"))(x, 1.0)[0])


def descent(w, x):
    def loss(v):
        return np.sum((v * x - 1.0) ** 2)

    for _ in range(3):
        w = w - 0.1 * sg.grad(loss)(w)
    return loss(w)


def saddle(x):
    """max over y of a function of x, by ascent; then a step down"""
    def inner(y):
        return np.sum(x * y) - 0.5 * np.sum(y ** 4)

    y = np.ones(2)
    for _ in range(4):
        y = y + 0.1 * sg.grad(inner)(y)
    return inner(y)


@pytest.mark.parametrize(("f", "args", "inputs"), [
    (by_name, (X,), None), (descent, (0.3, X), ("w", "x")), (saddle, (X,), None)])
def test_gradients_of_closures(f, args, inputs) -> None:
    sg.check_grad(f, *args, inputs=inputs)
    sg.check_grad(f, *args, inputs=inputs, order=2)


def test_gradients_of_closures_in_forward_mode() -> None:
    v = np.array([0.5, -1.0])
    for f in (by_name, saddle):
        assert np.isclose(sg.jvp(f, X, v)[1], np.sum(sg.grad(f)(X) * v))


def energy(x):
    return np.sum(x ** 4) + x[0] * x[1]


def cube(t):
    return t ** 3


def field(x, a):
    return np.sin(x) * a * x[::-1]


@pytest.mark.parametrize("f", [
    lambda x: np.trace(sg.hessian(energy)(x) @ sg.hessian(energy)(x)),
    lambda x: sg.jvp(energy, x, x)[1],
    lambda x: np.sum(sg.jacobian(field)(x, 2.0) ** 2),
    lambda x: np.sum(sg.jacobian(field, "a")(x, x[0]) ** 2),
    lambda x: np.sum(sg.hvp(energy)(x, 2.0 * x) ** 2) + np.sum(sg.vhp(energy)(x, x)),
    lambda x: np.sum(sg.jacrev(field)(x, a=x[0]) ** 3),
    lambda x: sg.jacfwd(cube)(x[0]) * x[1],
], ids=["hessian", "jvp", "jacobian", "by a number", "hvp", "jacrev", "a number"])
def test_matrices(f) -> None:
    sg.check_grad(f, X)
    assert np.isclose(sg.jvp(f, X, X)[1], np.sum(sg.grad(f)(X) * X))


def test_what_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="by several inputs"):
        sg.grad(lambda x: np.sum(sg.jacobian(field, ("x", "a"))(x, 2.0)[0]))(X)
    with pytest.raises(UnsupportedError, match="inside a function that is differentiated"):
        sg.grad(lambda x: np.sum(sg.jacobian(lambda y: y * x)(x)))(X)
    with pytest.raises(SourceError, match="has no source of its own"):
        sg.jacobian(sg.hvp(energy))
