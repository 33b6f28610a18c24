"""What notes on torch.autograd say, in the form of this library: values, weights, second derivatives, repeated calls."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError

B = np.array([4.0, 5.0, 6.0])
X = np.array([[0.0, 0.0], [1.0, 2.0]])


def sum_of_squares(b):
    return np.sum(b ** 2)


def squares(b):
    return b ** 2


def product(x, y):
    return x * x * y


def parabola(x, a=1.0, b=-2.0, c=1.0):
    return a * np.power(x, 2) + b * x + c


def sine_of_sines(b):
    return np.sin(np.sin(b).sum() ** 2)


def product_and_sum(x1, x2):
    return x1 * x2, x1 + x2


def test_scalar_output() -> None:
    assert np.array_equal(sg.grad(sum_of_squares)(B), [8.0, 10.0, 12.0])
    inner = np.sin(B).sum()
    assert np.allclose(sg.grad(sine_of_sines)(B), np.cos(inner ** 2) * 2 * inner * np.cos(B))


def test_weights_of_an_output_that_is_no_scalar() -> None:
    assert np.array_equal(sg.grad(squares)(B, grad_outputs=np.ones(3)), [8.0, 10.0, 12.0])
    with pytest.raises(SourcegradError, match="grad_outputs"):
        sg.grad(squares)(B)


def test_second_derivative() -> None:
    gradient = sg.grad(product)
    assert gradient(2.0, 3.0) == 12.0
    assert sg.grad(gradient)(2.0, 3.0) == 6.0
    assert sg.grad(sg.grad(gradient))(2.0, 3.0) == 0.0


def test_parabola() -> None:
    assert sg.grad(parabola)(0.0) == -2.0
    weights = np.array([[1.0, 1.0], [1.0, 1.0]])
    gradient = sg.grad(parabola)(X, grad_outputs=weights)
    assert np.array_equal(gradient, 2 * X - 2)

    def as_a_scalar(x, weights):
        return np.sum(parabola(x) * weights)

    assert np.array_equal(sg.grad(as_a_scalar)(X, weights), gradient)


def test_several_inputs_and_outputs() -> None:
    assert sg.grad(lambda x1, x2: x1 * x2, (0, 1))(1.0, 2.0) == (2.0, 1.0)
    assert sg.grad(product_and_sum, ("x1", "x2"), grad_outputs=(1.0, 1.0))(1.0, 2.0) == (3.0, 2.0)


def test_descent_finds_the_minimum() -> None:
    gradient, x = sg.grad(parabola), 0.0
    for _ in range(500):
        x -= 0.01 * gradient(x)
    assert abs(x - 1) < 1e-4


def test_mean_of_a_chain() -> None:
    def out(x):
        y = x + 2
        z = y * y * 3
        return z.mean()

    assert np.array_equal(sg.grad(out)(np.ones((2, 2))), np.full((2, 2), 4.5))


def test_quotient() -> None:
    def total(a):
        a = (a * 3) / (a - 1)
        return (a * a).sum()

    a = np.array([[0.3, -1.2], [2.5, 0.1]])
    assert np.allclose(sg.grad(total)(a), 2 * (3 * a / (a - 1)) * -3 / (a - 1) ** 2)


def doubled_until_large(x):
    y = x * 2
    while np.linalg.norm(y) < 1000:
        y = y * 2
    return y


def test_loop_on_data_and_a_vector_jacobian_product() -> None:
    x, v = np.array([-0.02, -0.17, 0.61]), np.array([0.1, 1.0, 0.0001])
    y, pullback = sg.vjp(doubled_until_large, x)
    factor = y[0] / x[0]
    assert np.linalg.norm(y) >= 1000 and np.allclose(pullback(v)[0], factor * v)
    jacobian = np.array([pullback(row)[0] for row in np.eye(3)])
    assert np.allclose(jacobian.T @ v, pullback(v)[0])


def test_nothing_accumulates() -> None:
    def out(inp):
        return np.power(inp + 1, 2)

    gradient = sg.grad(out)
    for _ in range(3):
        assert np.array_equal(gradient(np.eye(5), grad_outputs=np.ones((5, 5))), 2.0 + 2.0 * np.eye(5))


def test_one_layer() -> None:
    def loss(w, b, x, y):
        z = np.matmul(x, w) + b
        return np.mean(np.maximum(z, 0) - z * y + np.log1p(np.exp(-np.abs(z))))

    rng = np.random.default_rng(0)
    w, b, x, y = rng.normal(size=(5, 3)), rng.normal(size=3), np.ones(5), np.zeros(3)
    w_bar, b_bar = sg.grad(loss, ("w", "b"))(w, b, x, y)
    expected = (1 / (1 + np.exp(-(x @ w + b))) - y) / 3
    assert np.allclose(b_bar, expected) and np.allclose(w_bar, np.outer(x, expected))


def test_constant_parts() -> None:
    assert sg.grad(lambda x: x * sg.stop_gradient(x ** 2))(3.0) == 9.0
    assert np.array_equal(sg.grad(lambda x: np.sum(sg.stop_gradient(x)))(B), np.zeros(3))
