"""What the operators of HIPS autograd and JAX are tested with and documented by, written with those of this library.

Expected values are formulas, differences, or another operator's. Each situation is one of theirs, in a formulation of its own.
"""
from __future__ import annotations

import functools
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InputError, SourcegradError

RNG = np.random.default_rng(0)
W, X = RNG.normal(size=(3, 4)), RNG.normal(size=4)
INPUTS = np.array([[0.52, 1.12, 0.77], [0.88, -1.08, 0.15], [0.52, 0.06, -1.30], [0.74, -2.49, 1.39]])
TARGETS = np.array([True, True, False, True])
WEIGHTS, OFFSET = np.array([0.3, -0.7, 1.1]), 0.2


def close(found, expected, rtol=1e-10):
    np.testing.assert_allclose(found, expected, rtol, 1e-12)


def slopes(f, x, h=1e-5):
    """Differences of a function of an array: the shape of the result, then that of the array."""
    x = np.asarray(x, float)
    found = []
    for place in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[place] = h
        found.append((np.asarray(f(x + e)) - np.asarray(f(x - e))) / (2.0 * h))
    return np.moveaxis(np.array(found), 0, -1).reshape((*np.shape(f(x)), *x.shape))


def sine(x):
    return np.sin(x)


def tanh(x):
    return np.tanh(x)


# --- HIPS autograd: operators

def layers(x, w=W):
    return np.tanh(w @ x) * np.sum(x ** 2)


def energy(x):
    return np.sum(np.tanh(W @ x) ** 2) + np.sum(x[1:] * x[:-1] ** 3)


def of_matrix(A):
    return np.sum(np.sin(A) @ np.cos(A.T))


def of_tensor(A):
    return np.sum(np.tanh(A * A[::-1]) * np.sum(A ** 2, axis=2, keepdims=True))


def two(x, y):
    return np.sum(np.sin(x) * y ** 2)


def keyed(x, y=2.0, *, scale=1.0):
    return scale * np.sum(x ** 2 * y)


def test_value_beside_the_gradient() -> None:
    value, gradient = sg.value_and_grad(energy)(X)
    assert value == energy(X)
    close(gradient, sg.grad(energy)(X))
    close(gradient, slopes(energy, X), 1e-7)


def test_gradients_by_several_arguments_and_by_name() -> None:
    x, y = RNG.normal(size=5), RNG.normal(size=5)
    by_both = sg.grad(two, ("x", "y"))(x, y)
    for found in (by_both, sg.grad(two, (0, 1))(x, y), (sg.grad(two)(x, y), sg.grad(two, "y")(x, y))):
        close(found[0], np.cos(x) * y ** 2)
        close(found[1], 2.0 * np.sin(x) * y)
    assert isinstance(sg.grad(two, ("x",))(x, y), tuple) and isinstance(sg.grad(two, "x")(x, y), np.ndarray)
    value, (along_y, along_x) = sg.value_and_grad(two, ("y", "x"))(x, y)
    assert value == two(x, y)
    close(along_y, by_both[1])
    close(along_x, by_both[0])
    close(sg.grad(keyed, "y")(x, y=3.0, scale=2.0), 2.0 * np.sum(x ** 2))
    close(sg.grad(functools.partial(keyed, scale=3.0))(x), 12.0 * x)


def test_elementwise_gradients() -> None:
    """The sum of the columns of a Jacobian: weights of ones. They nest."""
    x = np.linspace(-2.0, 2.0, 7)
    f, ones = tanh, np.ones(7)

    def first(x):
        return sg.grad(f)(x, grad_outputs=ones)

    close(first(x), 1.0 - np.tanh(x) ** 2)
    close(sg.grad(first)(x, grad_outputs=ones), -2.0 * np.tanh(x) * (1.0 - np.tanh(x) ** 2))

    def exponential(x, a):
        return np.exp(a * x)

    for inputs, expected in (("x", 0.5 * np.exp(0.5 * x)), ("a", np.sum(x * np.exp(0.5 * x)))):
        close(sg.grad(exponential, inputs)(x, 0.5, grad_outputs=ones), expected)
    value, along = sg.jvp(f, (x,), (ones,))                  # the diagonal by forward mode
    close(along, first(x))


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_jacobians_have_the_shapes_of_result_and_input(mode) -> None:
    matrix = RNG.normal(size=(2, 3, 4))

    def product(A, x):
        return A @ np.sin(x)

    found = sg.jacobian(product, mode=mode)(matrix, X)
    assert found.shape == (2, 3, 2, 3, 4)
    close(found, slopes(lambda A: product(A, X), matrix), 1e-7)
    close(sg.jacobian(product, "x", mode=mode)(matrix, X), matrix * np.cos(X))
    assert sg.jacobian(lambda t: np.array([t, t ** 2, 3.0]), mode=mode)(2.0).tolist() == [1.0, 4.0, 0.0]
    close(sg.jacobian(energy, mode=mode)(X), sg.grad(energy)(X))                   # of a number: the gradient


def test_jacobians_of_higher_order() -> None:
    def f(x):
        return np.sin(np.outer(x, x)[:, 0]) * x[1]

    x = RNG.normal(size=2)
    first, second, third = sg.jacobian(f), sg.jacobian(sg.jacobian(f)), sg.jacobian(sg.jacobian(sg.jacobian(f)))
    assert (first(x).shape, second(x).shape, third(x).shape) == ((2,) * 2, (2,) * 3, (2,) * 4)
    close(second(x), slopes(first, x), 1e-6)
    close(third(x), slopes(second, x), 1e-6)
    close(third(x), np.moveaxis(third(x), 1, 3))             # derivatives commute


def curve(t, shift=0.5, *, scale=2.0):
    return scale * np.sin(t + shift) * t


def test_matrices_are_functions_of_their_own() -> None:
    """With the parameters of the function below, defaults included; pickled by reference to it."""
    v = RNG.normal(size=4)
    third = slopes(sg.hessian(energy), X)
    close(sg.jacobian(sg.hessian(energy))(X), third, 1e-6)
    close(sg.jvp(sg.hessian(energy), (X,), (v,))[1], third @ v, 1e-6)
    close(sg.grad(sg.jacobian(layers))(X, grad_outputs=W), np.tensordot(W, slopes(sg.jacobian(layers), X), 2), 1e-6)
    t = np.array([0.1, -0.4])
    for args, options in (((t,), {}), ((t, 0.1), {}), ((t,), {"shift": 0.2, "scale": 3.0}), ((t,), {"scale": 1.0})):
        found = sg.jacobian(sg.jacobian(curve))(*args, **options)
        close(found, slopes(lambda t, a=args, o=options: sg.jacobian(curve)(t, *a[1:], **o), t), 1e-6)
    assert pickle.loads(pickle.dumps(sg.jacobian(sg.jacobian(curve))))(t).shape == (2, 2, 2)
    close(sg.jacobian(sg.jacobian(curve), sparse=True)(t).toarray().reshape(2, 2, 2), sg.jacobian(sg.jacobian(curve))(t))
    assert "curve" in sg.jacobian(sg.jacobian(curve)).__name__


def test_jacobians_against_rows_and_columns() -> None:
    rows = np.stack([sg.grad(lambda x, j=j: layers(x)[j])(X) for j in range(3)])
    columns = np.stack([sg.jvp(layers, (X,), (e,))[1] for e in np.eye(4)], axis=1)
    for found in (sg.jacobian(layers)(X), sg.jacfwd(layers)(X), sg.jacrev(layers)(X), columns):
        close(found, rows)


@pytest.mark.parametrize("f, shape", [(energy, (4,)), (of_matrix, (2, 3)), (of_tensor, (2, 2, 3))])
def test_hessians_and_their_products(f, shape) -> None:
    x, v = RNG.normal(size=shape), RNG.normal(size=shape)
    whole = sg.hessian(f)(x)
    assert whole.shape == shape * 2
    close(whole, slopes(sg.grad(f), x), 1e-6)
    product = np.tensordot(whole, v, len(shape))
    close(sg.hvp(f)(x, v), product)
    close(sg.vhp(f)(x, v), product)
    close(sg.jvp(sg.grad(f), (x,), (v,))[1], product)                              # forward over reverse
    dot = {f"{f.__code__.co_varnames[0]}_dot": v}
    close(sg.grad(sg.pushforward(f, with_value=False))(x, **dot), product)         # reverse over forward
    close(sg.grad(lambda x: np.sum(sg.grad(f)(x) * v))(x), product)                # reverse over reverse
    value, pull = sg.vjp(sg.grad(f), x)                                            # many products at one point
    close(pull(v)[0], product)
    close(pull(2.0 * v)[0], 2.0 * product)


def test_products_of_tensors_with_jacobians() -> None:
    x = RNG.normal(size=(2, 3))

    def f(x):
        return np.sin(x)[:, :, None] * x[0]

    weights = RNG.normal(size=(2, 3, 3))
    expected = np.tensordot(weights, sg.jacobian(f)(x), 3)
    close(sg.vjp(f, x)[1](weights)[0], expected)
    close(sg.grad(f, grad_outputs=weights)(x), expected)
    close(sg.grad(lambda x, t: np.tensordot(t, f(x), np.ndim(t)))(x, weights), expected)
    partly = RNG.normal(size=2)                              # fewer axes: the rest are those of the result
    close(sg.jacobian(lambda x: np.tensordot(partly, f(x), 1))(x), np.tensordot(partly, sg.jacobian(f)(x), 1))


def test_tangents_at_a_point() -> None:
    v = RNG.normal(size=4)
    value, linear = sg.linearize(layers, X)
    close(value, layers(X))
    for s in (1.0, -2.0, 0.0):
        close(linear(s * v), s * sg.jacobian(layers)(X) @ v)
    close(sg.jvp(layers, (X, W), (v, None))[1], linear(v))
    close(sg.pushforward(layers)(X, x_dot=v)[1], linear(v))
    weights = RNG.normal(size=3)                             # tangents out of two reverse sweeps
    turned = sg.grad(lambda ct: np.sum(sg.grad(layers, grad_outputs=None)(X, grad_outputs=ct) * v))(weights)
    close(turned, linear(v))


@pytest.mark.parametrize("outer, curvature", [
    (lambda y: 0.5 * np.sum(y ** 2), lambda y: np.eye(y.size)), (lambda y: np.sum(np.cosh(y)), lambda y: np.diag(np.cosh(y)))])
def test_products_with_the_gauss_newton_matrix(outer, curvature) -> None:
    """J^T H J v, from three sweeps, without any of the matrices."""
    v = RNG.normal(size=4)
    y, along = sg.jvp(layers, (X,), (v,))
    _, pull = sg.vjp(layers, X)
    J = sg.jacobian(layers)(X)
    close(pull(sg.hvp(outer)(y, along))[0], J.T @ curvature(y) @ J @ v)


def test_what_is_returned_beside_the_value() -> None:
    def f(x):
        y = np.sin(x)
        return np.sum(y ** 2), {"y": y, "name": "sine"}

    gradient, aux = sg.grad(f, has_aux=True)(X)
    close(gradient, np.sin(2.0 * X))
    assert aux["name"] == "sine" and np.array_equal(aux["y"], np.sin(X))
    (value, aux), gradient = sg.value_and_grad(f, has_aux=True)(X)
    assert value == np.sum(np.sin(X) ** 2) and np.array_equal(aux["y"], np.sin(X))
    value, tangent, aux = sg.jvp(f, (X,), (np.ones(4),), has_aux=True)
    close(tangent, np.sum(np.sin(2.0 * X)))
    assert np.array_equal(aux["y"], np.sin(X))
    matrix, aux = sg.hessian(f, has_aux=True)(X)
    close(matrix, np.diag(2.0 * np.cos(2.0 * X)))


def block_of_sines(a):
    return np.sin(a ** 2 + np.sin(a)) * a


blocks = sg.checkpoint(block_of_sines)


def deep(a):
    return np.sum(block_of_sines(block_of_sines(a)))


def deep_with_checkpoints(a):
    return np.sum(blocks(blocks(a)))


def test_checkpoints_are_right_to_second_order_and_in_both_modes() -> None:
    v = RNG.normal(size=4)
    close(sg.grad(deep_with_checkpoints)(X), sg.grad(deep)(X))
    close(sg.jvp(deep_with_checkpoints, (X,), (v,))[1], sg.jvp(deep, (X,), (v,))[1])
    close(sg.hessian(deep_with_checkpoints)(X), sg.hessian(deep)(X))


def test_derivatives_of_containers_have_their_structure() -> None:
    def loss(parameters, x):
        for layer in parameters["layers"]:
            x = np.tanh(layer["W"] @ x + layer["b"])
        return np.sum(x) * parameters["scale"], parameters

    def value(parameters, x):
        return loss(parameters, x)[0]

    given = {"layers": [{"W": W, "b": np.zeros(3)}, {"W": RNG.normal(size=(2, 3)), "b": np.ones(2)}], "scale": 2.0}
    found = sg.grad(value)(given, X)
    assert found.keys() == given.keys() and [x.keys() for x in found["layers"]] == [x.keys() for x in given["layers"]]
    close(found["scale"], value(given, X) / 2.0)

    def with_first(w):
        first = {**given["layers"][0], "W": w}
        return value({**given, "layers": [first, given["layers"][1]]}, X)

    close(found["layers"][0]["W"], slopes(with_first, W), 1e-6)
    dots = {"layers": [{"W": W, "b": None}, {"W": None, "b": np.ones(2)}], "scale": 0.5}
    along = np.sum(found["layers"][0]["W"] * W) + np.sum(found["layers"][1]["b"]) + 0.5 * found["scale"]
    close(sg.jvp(value, (given, X), (dots, None))[1], along)


def test_dtypes_stay() -> None:
    x = X.astype(np.float32)
    assert sg.grad(lambda x: np.sum(x ** 2))(x).dtype == np.float32
    assert sg.jvp(tanh, (x,), (x,))[1].dtype == np.float32
    assert sg.jacobian(tanh)(x).dtype == np.float32


def test_names_and_documentation() -> None:
    assert "energy" in sg.grad(energy).__name__ and "energy" in sg.jacobian(energy).__name__
    assert "energy" in repr(sg.hessian(energy))


def test_the_same_array_twice_and_none_at_all() -> None:
    close(sg.grad(two, ("x", "y"))(X, X)[0], np.cos(X) * X ** 2)
    close(sg.jvp(two, (X, X), (X, X))[1], np.sum(np.cos(X) * X ** 3 + 2.0 * np.sin(X) * X ** 2))
    empty = np.zeros(0)
    assert sg.grad(two)(empty, empty).shape == (0,) and sg.jacobian(sine)(empty).shape == (0, 0)
    assert sg.hessian(lambda x: np.sum(x ** 2))(empty).shape == (0, 0)
    close(sg.jacobian(lambda x: 3.0 * x)(np.ones(1)), [[3.0]])


def test_what_gives_no_number_is_refused() -> None:
    with pytest.raises(SourcegradError, match="grad_outputs"):
        sg.grad(layers)(X)
    with pytest.raises(SourcegradError):
        sg.grad(lambda x: "text")(X)
    with pytest.raises(InputError):
        sg.grad(energy, "z")(X)


# --- JAX: what its documentation shows

def test_tangents_of_several_arguments() -> None:
    value, tangent = sg.jvp(sine, (0.1,), (0.2,))
    close([value, tangent], [np.sin(0.1), 0.2 * np.cos(0.1)])
    f = lambda x, y: np.sin(x) * y                                                                       # noqa: E731
    close(sg.jvp(f, (2.0, 3.0), (1.0, 0.0))[1], 3.0 * np.cos(2.0))
    close(sg.jvp(f, (2.0, 3.0), (0.5, -1.0))[1], 1.5 * np.cos(2.0) - np.sin(2.0))


def test_cotangents_of_several_results() -> None:
    def f(x, y):
        return np.sin(x), np.cos(y) * x

    values, pull = sg.vjp(f, 0.5, 1.0, inputs=("x", "y"))
    close(values, [np.sin(0.5), 0.5 * np.cos(1.0)])
    close(pull((-0.7, 0.3)), [-0.7 * np.cos(0.5) + 0.3 * np.cos(1.0), -0.15 * np.sin(1.0)])


def test_linear_maps_are_linear() -> None:
    value, linear = sg.linearize(lambda x: 3.0 * np.sin(x) + np.cos(x / 2.0), 2.0)
    slope = 3.0 * np.cos(2.0) - 0.5 * np.sin(1.0)
    close([value, linear(3.0), linear(4.0)], [3.0 * np.sin(2.0) + np.cos(1.0), 3.0 * slope, 4.0 * slope])


def of_three(x):
    return np.array([x[0], 5.0 * x[2], 4.0 * x[1] ** 2 - 2.0 * x[2], x[2] * np.sin(x[0])])


def polynomial(x):
    return x[0] ** 3 - 2.0 * x[0] * x[1] - x[1] ** 6


def test_jacobians_in_both_modes() -> None:
    x = np.array([1.0, 2.0, 3.0])
    expected = [[1.0, 0.0, 0.0], [0.0, 0.0, 5.0], [0.0, 16.0, -2.0], [3.0 * np.cos(1.0), 0.0, np.sin(1.0)]]
    close(sg.jacfwd(of_three)(x), expected)
    close(sg.jacrev(of_three)(x), expected)
    close(sg.jacobian(of_three, sparse=True)(x).toarray(), expected)


def test_hessians_by_every_composition() -> None:
    x, expected = np.array([1.0, 2.0]), [[6.0, -2.0], [-2.0, -480.0]]
    close(sg.hessian(polynomial)(x), expected)
    for outer in (sg.jacfwd, sg.jacrev):
        for inner in (sg.jacfwd, sg.jacrev, sg.grad):
            close(outer(inner(polynomial))(x), expected)


def predicted(W, b, inputs):
    return 0.5 * (np.tanh(inputs @ W / 2.0 + b / 2.0) + 1.0)


def loss(W, b):
    p = predicted(W, b, INPUTS)
    return -np.sum(np.log(np.where(TARGETS, p, 1.0 - p)))


def loss_of_dict(parameters):
    return loss(parameters["W"], parameters["b"])


def test_logistic_regression() -> None:
    along_w, along_b = sg.grad(loss, ("W", "b"))(WEIGHTS, OFFSET)
    difference = predicted(WEIGHTS, OFFSET, INPUTS) - TARGETS
    close(along_w, difference @ INPUTS)
    close(along_b, np.sum(difference))
    by_dict = sg.grad(loss_of_dict)({"W": WEIGHTS, "b": OFFSET})
    close(by_dict["W"], along_w)
    close(by_dict["b"], along_b)
    value, (again, _) = sg.value_and_grad(loss, (0, 1))(WEIGHTS, OFFSET)
    assert value == loss(WEIGHTS, OFFSET) and np.array_equal(again, along_w)
    p = predicted(WEIGHTS, OFFSET, INPUTS)
    close(sg.hessian(loss)(WEIGHTS, OFFSET), (INPUTS.T * (p * (1.0 - p))) @ INPUTS)
    sg.check_grad(loss, WEIGHTS, OFFSET, order=2)


def test_matrices_from_products() -> None:
    """A Jacobian from products with each unit vector, of either side."""
    f = lambda w: predicted(w, OFFSET, INPUTS)                                                           # noqa: E731
    _, pull = sg.vjp(f, WEIGHTS)
    _, push = sg.linearize(f, WEIGHTS)
    J = sg.jacobian(f)(WEIGHTS)
    close(np.concatenate([pull(e) for e in np.eye(4)]), J)
    close(np.stack([push(e) for e in np.eye(3)], axis=1), J)
    operator = pytest.importorskip("scipy") and sg.jacobian_operator(f, WEIGHTS)
    close(operator @ np.eye(3), J)
    close(operator.T @ np.eye(4), J.T)


@pytest.mark.parametrize("order", range(1, 6))
def test_derivatives_of_every_order(order) -> None:
    f = tanh
    g = lambda x: x ** 5 + 2.0 * x ** 3                                                                  # noqa: E731
    for _ in range(order):
        g = sg.grad(g)
    exact = np.polynomial.polynomial.polyval(1.5, np.polynomial.polynomial.polyder([0.0, 0.0, 0.0, 2.0, 0.0, 1.0], order))
    close(g(1.5), exact)
    t, powers = np.tanh(0.7), np.array([0.0, 1.0])           # the derivatives of tanh are polynomials of it
    for _ in range(min(order, 3)):
        f = sg.grad(f)
        slope = np.polynomial.polynomial.polyder(powers)
        powers = np.polynomial.polynomial.polymul(slope, [1.0, 0.0, -1.0])
    close(f(0.7), np.polynomial.polynomial.polyval(t, powers))


# --- JAX: rules of one's own, and what stays as it is

def log1pexp(x):
    return np.log(1.0 + np.exp(x))


def stable(x):
    return np.log(1.0 + np.exp(x))


@sg.rule(stable)
def stable_rule(ct, out, x):
    return ct * (1.0 - 1.0 / (1.0 + np.exp(x)))


def scaled_sine(x, y):
    return np.sin(x) * y


@sg.rule(scaled_sine)
def scaled_sine_rule(ct, out, x, y):
    return ct * np.cos(x) * y, ct * np.sin(x)


@sg.custom_vjp
def one_sided(x):
    return x / (1.0 + np.sqrt(x))


def one_sided_forward(x):
    return x / (1.0 + np.sqrt(x)), x


def one_sided_reverse(x, ct):
    return (ct * (np.sqrt(x) + 2.0) / (2.0 * (np.sqrt(x) + 1.0) ** 2),)


one_sided.defvjp(one_sided_forward, one_sided_reverse)


def test_a_rule_that_is_stable_where_the_program_is_not() -> None:
    with np.errstate(over="ignore"):
        assert sg.grad(stable)(1000.0) == 1.0
    close(sg.grad(stable)(0.5), sg.grad(log1pexp)(0.5))
    close(sg.grad(sg.grad(stable))(0.5), sg.grad(sg.grad(log1pexp))(0.5))
    close(sg.jvp(stable, (0.5,), (2.0,))[1], 2.0 * sg.grad(log1pexp)(0.5))


def test_a_rule_of_two_arguments_serves_both_modes() -> None:
    x, y, x_dot, y_dot = 2.0, 3.0, 0.4, -0.3
    close(sg.jvp(scaled_sine, (x, y), (x_dot, y_dot))[1], np.cos(x) * x_dot * y + np.sin(x) * y_dot)
    close(sg.grad(scaled_sine, ("x", "y"))(x, y), [np.cos(x) * y, np.sin(x)])
    close(sg.hessian(scaled_sine, ("x", "y"))(x, y)[0][1], np.cos(x))
    close(sg.jvp(sg.grad(scaled_sine), (x, y), (x_dot, y_dot))[1], -np.sin(x) * y * x_dot + np.cos(x) * y_dot)


def test_a_derivative_by_convention() -> None:
    """Where the formula has none: at the end of the domain."""
    close(sg.grad(lambda x: one_sided(x) * 2.0)(0.0), 2.0)
    close(sg.grad(one_sided)(4.0), slopes(lambda x: x / (1.0 + np.sqrt(x)), 4.0), 1e-8)


@sg.custom_vjp
def clipped(low, high, x):
    return x


clipped.defvjp(lambda low, high, x: (x, (low, high)), lambda saved, ct: (0.0, 0.0, np.clip(ct, *saved)))


def test_clipped_cotangents() -> None:
    f = lambda x: np.sin(clipped(-0.75, 0.75, x))                                                        # noqa: E731
    x = np.linspace(0.0, 6.0, 9)
    close(sg.grad(f)(x, grad_outputs=np.ones(9)), np.clip(np.cos(x), -0.75, 0.75))


def value_of(theta, state):
    return theta @ state


def td_loss(theta, before, reward, after):
    target = reward + value_of(theta, after)
    return (sg.stop_gradient(target) - value_of(theta, before)) ** 2


def test_gradients_stop() -> None:
    theta, before, after, reward = np.array([0.1, -0.1, 0.0]), np.array([1.0, 2.0, -1.0]), np.array([2.0, 1.0, 0.0]), 1.0
    error = reward + theta @ after - theta @ before
    close(sg.grad(td_loss)(theta, before, reward, after), -2.0 * error * before)
    close(sg.jvp(td_loss, (theta, before, reward, after), (np.ones(3), None, None, None))[1], -2.0 * error * np.sum(before))

    def straight_through(x):
        return x + sg.stop_gradient(np.round(x) - x)

    assert straight_through(3.2) == 3.0 and sg.grad(straight_through)(3.2) == 1.0
    assert sg.grad(lambda x: np.round(x))(3.2) == 0.0


def contraction(x, a):
    return 0.5 * (x + a / x)


def fixed_point(a):
    x = 1.0
    for _ in range(100):
        new = contraction(x, a)
        if np.abs(new - x) < 1e-14:
            break
        x = new
    return x


implicit = sg.implicit(fixed_point, lambda x, a: contraction(x, a) - x)


def test_fixed_points() -> None:
    """Through the iterations, and by the equation that the result solves."""
    for f in (fixed_point, implicit):
        close(f(2.0), np.sqrt(2.0))
        close(sg.grad(f)(2.0), 0.5 / np.sqrt(2.0), 1e-7)
    close(sg.grad(sg.grad(implicit))(2.0), -0.25 * 2.0 ** -1.5, 1e-7)
    close(sg.jvp(implicit, (2.0,), (3.0,))[1], 1.5 / np.sqrt(2.0), 1e-7)


def descended(step, x):
    """Two steps of gradient descent: a gradient inside the function."""
    for _ in range(2):
        x = x - step * sg.grad(energy)(x)
    return energy(x)


def test_gradients_of_updates_by_gradients() -> None:
    found = sg.grad(descended, ("step", "x"))(0.05, X)
    close(found[0], slopes(lambda s: descended(s, X), 0.05), 1e-6)
    close(found[1], slopes(lambda x: descended(0.05, x), X), 1e-6)
    close(sg.jvp(descended, (0.05, X), (1.0, None))[1], found[0])


def test_holomorphic_functions() -> None:
    """The convention is that of PyTorch: a holomorphic f pulls ct * conj(f'(z)) back; tangents are f'(z) z_dot."""
    z = 1.0 + 2.0j
    _, pull = sg.vjp(sine, z)
    close(np.conj(pull(1.0 + 0.0j)), np.cos(z))
    close(sg.jvp(sine, (z,), (1.0 + 0.0j,))[1], np.cos(z))
    close(sg.jvp(lambda z: np.conj(z), (z,), (2.0 + 1.0j,))[1], 2.0 - 1.0j)                     # not holomorphic: still a tangent
    of_parts = lambda p: np.stack([np.sin(p[0] + 1j * p[1]).real, np.sin(p[0] + 1j * p[1]).imag])        # noqa: E731
    J = sg.jacobian(of_parts)(np.array([1.0, 2.0]))
    close(J, [[np.cos(z).real, -np.cos(z).imag], [np.cos(z).imag, np.cos(z).real]])                      # Cauchy and Riemann


def test_a_complex_matrix_inside_a_real_function() -> None:
    A = np.array([[5.0, 2.0 + 3.0j, 5.0j], [2.0 - 3.0j, 7.0, 1.0 + 7.0j], [-5.0j, 1.0 - 7.0j, 12.0]])

    def f(t):
        L = np.linalg.cholesky(A * (1.0 + t) + t * t * np.eye(3))
        return np.sum(np.abs(L[:, 1:]) ** 2 * np.arange(1.0, 3.0)) + L[2, 0].imag

    close(sg.grad(f)(0.3), slopes(f, 0.3), 1e-7)
    close(sg.jvp(f, (0.3,), (2.0,))[1], 2.0 * slopes(f, 0.3), 1e-7)
    close(sg.grad(sg.grad(f))(0.3), slopes(sg.grad(f), 0.3), 1e-6)


def per_example(w, x, target):
    return (np.tanh(w @ x) - target) ** 2


def test_gradients_of_each_example() -> None:
    """By a Jacobian of the losses of all: each row is the gradient of one."""
    targets = TARGETS.astype(float)
    found = sg.jacobian(lambda w: (np.tanh(INPUTS @ w) - targets) ** 2)(WEIGHTS)
    close(found, np.stack([sg.grad(per_example)(WEIGHTS, x, t) for x, t in zip(INPUTS, targets)]))


def test_objects_with_methods() -> None:
    class Line:
        def __init__(self, slope, offset):
            self.slope, self.offset = slope, offset

        def __call__(self, x):
            return self.slope * x + self.offset

    def misfit(line, x, y):
        return np.mean((line(x) - y) ** 2)

    line, x, y = Line(2.0, -1.0), np.arange(4.0), np.array([0.0, 1.0, 2.0, 5.0])
    found = sg.grad(misfit)(line, x, y)
    residual = 2.0 * x - 1.0 - y
    close([found.slope, found.offset], [2.0 * np.mean(residual * x), 2.0 * np.mean(residual)])
    close(sg.jvp(misfit, (line, x, y), (SimpleNamespace(slope=1.0, offset=2.0), None, None))[1],
          found.slope + 2.0 * found.offset)


def test_control_flow() -> None:
    def piecewise(x):
        return 3.0 * x ** 2 if x < 3.0 else -4.0 * x

    def powers(x, n):
        y = x
        for _ in range(n - 1):
            y = y * x
        while y > 10.0:
            y = 0.5 * y
        return y

    assert [sg.grad(piecewise)(x) for x in (2.0, 4.0)] == [12.0, -4.0]
    assert [sg.jvp(piecewise, (x,), (2.0,))[1] for x in (2.0, 4.0)] == [24.0, -8.0]
    close(sg.grad(powers)(3.0, 4), 4.0 * 27.0 / 16.0)
    close(sg.grad(sg.grad(powers))(3.0, 4), 12.0 * 9.0 / 16.0)
    close(sg.jvp(powers, (3.0, 4), (1.0, None))[1], 4.0 * 27.0 / 16.0)


# --- compositions of both

def fifth_and_others(x):
    return np.array([np.sum(x ** 3), np.prod(2.0 * np.sin(x)), sg.grad(lambda y: np.exp(y) * np.tanh(x[0]))(x[1])])


def turned(a):
    return np.roll(np.sin(a), 1) * a


def with_many(a, b, c, d, f=1.1, g=9.0):
    return a + np.sin(b) + np.cosh(c) + np.cos(d) * b + f * g


def of_two(x, y):
    return x ** 3 + x * y + y ** 4


def test_jacobians_of_gradients_of_closures() -> None:
    for J in (sg.jacobian, sg.jacfwd, sg.jacrev):
        close(J(fifth_and_others)(X), slopes(fifth_and_others, X), 1e-6)
    sums = lambda x: np.sum(np.sin(x), axis=1, keepdims=True)                                            # noqa: E731
    assert sg.jacobian(sums)(X[None]).shape == (1, 1, 1, 4)
    close(sg.jacobian(sums)(X[None])[0, 0], sg.grad(sums)(X[None]))              # of one element: no weights are needed


@pytest.mark.parametrize("shape", [(5,), (5, 4), (2, 3, 4)])
def test_products_from_both_sides(shape) -> None:
    a, v = RNG.normal(size=(2, *shape))
    J = sg.jacobian(turned)(a)
    close(sg.vjp(turned, a)[1](v)[0], np.tensordot(v, J, len(shape)))
    close(sg.jvp(turned, (a,), (v,))[1], np.tensordot(J, v, len(shape)))


def test_several_arguments_of_many_and_bound_ones() -> None:
    close(sg.grad(with_many, (3, 1))(0.5, -0.3, 0.2, -1.1, f=0.6, g=-0.1), [0.3 * np.sin(-1.1), np.cos(0.3) + np.cos(1.1)])
    close(sg.grad(with_many, "f")(0.5, -0.3, 0.2, -1.1, g=-0.1), -0.1)
    close(sg.hessian(with_many, ("d", "b"))(0.5, -0.3, 0.2, -1.1)[0][1], np.sin(1.1))
    bound = functools.partial(with_many, 0.5, c=0.2, d=-1.1)
    slope = np.cos(0.3) + np.cos(1.1)
    close([sg.grad(bound)(-0.3), sg.jacobian(bound)(-0.3), sg.jvp(bound, (-0.3,), (1.0,))[1]], 3 * [slope])
    close(sg.hessian(bound)(-0.3), np.sin(0.3))


@pytest.mark.parametrize("outer", ["x", "y"])
@pytest.mark.parametrize("inner", ["x", "y"])
def test_second_derivatives_by_each_mode_over_each(inner, outer) -> None:
    expected = {"xx": 6.0 * 1.23, "yy": 12.0 * 4.56 ** 2}.get(inner + outer, 1.0)
    ones = (1.0, 0.0) if outer == "x" else (0.0, 1.0)
    push = sg.pushforward(of_two, inner, with_value=False)
    forward = (lambda x, y: push(x, y, x_dot=1.0)) if inner == "x" else (lambda x, y: push(x, y, y_dot=1.0))
    for first in (forward, sg.grad(of_two, inner)):
        close(sg.grad(first, outer)(1.23, 4.56), expected)
        close(sg.jvp(first, (1.23, 4.56), ones)[1], expected)


def forward_over_reverse(f, x, v):
    return sg.jvp(sg.grad(f), (x,), (v,))[1]


def reverse_over_reverse(f, x, v):
    return sg.grad(lambda x: np.vdot(sg.grad(f)(x), v))(x)


def reverse_over_forward(f, x, v):
    return sg.grad(lambda x: sg.jvp(f, (x,), (v,))[1])(x)


@pytest.mark.parametrize("product", [forward_over_reverse, reverse_over_reverse, reverse_over_forward])
def test_products_with_hessians_as_functions_of_functions(product) -> None:
    v = RNG.normal(size=4)
    close(product(energy, X, v), sg.hessian(energy)(X) @ v)
    scaled = lambda x: np.sum(np.sin(x) * x[::-1] * v)                                                   # noqa: E731
    close(product(scaled, X, v), sg.hessian(scaled)(X) @ v)


PENALTIES = {
    "jvp": lambda x: np.sum(sg.jvp(layers, (x,), (W[0],))[1] ** 2), "hvp": lambda x: np.sum(sg.hvp(energy)(x, W[0]) ** 2),
    "jvp of grad": lambda x: np.sum(sg.jvp(sg.grad(energy), (x,), (W[0],))[1] ** 2),
    "jacobian": lambda x: np.sum(sg.jacobian(layers)(x) ** 2), "hessian": lambda x: np.trace(sg.hessian(energy)(x)),
    "third": lambda x: np.sum(np.sin(sg.jacobian(sg.jacobian(layers))(x)))}


@pytest.mark.parametrize("name", PENALTIES)
def test_operators_inside_a_loss(name) -> None:
    close(sg.grad(PENALTIES[name])(X), slopes(PENALTIES[name], X), 1e-5)


def test_third_derivatives_along_directions() -> None:
    f = lambda x: np.sum(np.sin(x) * x[::-1] ** 2)                                                       # noqa: E731
    u, v, w = RNG.normal(size=(3, 4))
    first = lambda x: sg.jvp(f, (x,), (u,))[1]                                                           # noqa: E731
    second = lambda x: sg.jvp(first, (x,), (v,))[1]                                                      # noqa: E731
    expected = np.einsum("ijk,i,j,k", sg.jacobian(sg.hessian(f))(X), u, v, w)
    close(sg.jvp(second, (X,), (w,))[1], expected)
    close(sg.grad(second)(X) @ w, expected)


def outputs(p, inputs):
    y = predicted(p["W"], p["b"], inputs)
    return {"p": y, "odds": (y / (1.0 - y), np.sum(y))}


@pytest.mark.parametrize("operator", [sg.jacobian, sg.jacfwd, sg.jacrev])
def test_jacobians_of_containers_by_containers(operator) -> None:
    given, p = {"W": WEIGHTS, "b": OFFSET}, predicted(WEIGHTS, OFFSET, INPUTS)
    J = operator(outputs)(given, INPUTS)
    close(J["p"]["W"], (p * (1.0 - p))[:, None] * INPUTS)
    close(J["odds"][0]["W"], (p / (1.0 - p))[:, None] * INPUTS)
    close([J["odds"][1]["b"], sg.hessian(loss_of_dict)(given)["b"]["b"]], 2 * [np.sum(p * (1.0 - p))])
    close(operator(sg.grad(loss_of_dict))(given)["W"]["b"], sg.hessian(loss_of_dict)(given)["W"]["b"])


def test_perturbations_are_not_mixed() -> None:
    assert sg.grad(lambda x: x * sg.grad(lambda y: x + y)(1.0))(1.0) == 1.0
    assert sg.jvp(lambda x: x * sg.grad(lambda y: x + y)(1.0), (1.0,), (1.0,))[1] == 1.0
