"""Jacobians, Hessians and products as functions of the arguments, beside central differences."""
import pickle

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InputError


def field(x, scale=2.0):
    y = np.empty((2, x.size))
    y[0] = scale * np.sin(x)
    y[1] = x * x[::-1]
    return y


def energy(x, A, shift=0.0):
    return 0.5 * x @ A @ x + np.sum(np.cos(x + shift))


def two(x, w):
    return x * w[0], np.sum(w * w)


def differences(f, x, h=1e-6):
    x = np.asarray(x, float)
    columns = [(np.asarray(f(x + h * e)) - np.asarray(f(x - h * e))) / (2 * h) for e in np.eye(x.size).reshape(x.size, *x.shape)]
    return np.stack(columns, -1).reshape(np.shape(columns[0]) + x.shape)


@pytest.mark.parametrize("x", [np.array([0.3, -1.2, 2.0]), np.array([0.7])])
def test_jacobian_of_arrays(x):
    found = sg.jacobian(field)(x, scale=3.0)
    assert found.shape == (2, x.size, x.size)
    np.testing.assert_allclose(found, differences(lambda x: field(x, 3.0), x), atol=1e-8)


def test_jacobian_by_names_and_of_tuples():
    x, w = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    (first_x, first_w), (second_x, second_w) = sg.jacobian(two, ("x", "w"))(x, w)
    np.testing.assert_allclose(first_x, np.diag([3.0, 3.0]))
    np.testing.assert_allclose(first_w, [[1.0, 0.0], [2.0, 0.0]])
    np.testing.assert_allclose(second_x, [0.0, 0.0])
    np.testing.assert_allclose(second_w, 2 * w)


def test_numbers_in_and_out():
    assert sg.jacobian(lambda x: x ** 3)(2.0) == 12.0
    np.testing.assert_allclose(sg.jacobian(lambda x: np.array([x, x * x]))(3.0), [1.0, 6.0])
    assert sg.hessian(lambda x: x ** 3)(2.0) == 12.0


@pytest.mark.parametrize("x", [np.zeros((0,)), np.zeros((3, 0))])
def test_empty_arrays_keep_their_shapes(x):
    assert sg.jacobian(lambda x: np.sin(x))(x).shape == x.shape + x.shape


def test_float32_stays():
    assert sg.jacobian(lambda x: x * x)(np.ones(2, np.float32)).dtype == np.float32


def test_hessian_and_its_product():
    A = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.1], [0.0, 0.1, 3.0]])
    x, v = np.array([0.1, 0.2, 0.3]), np.array([1.0, -1.0, 0.5])
    H = sg.hessian(energy)(x, A, 0.4)
    np.testing.assert_allclose(H, A - np.diag(np.cos(x + 0.4)), atol=1e-12)
    np.testing.assert_allclose(sg.hvp(energy)(x, v, A, 0.4), H @ v, atol=1e-12)
    ((xx, xA), (Ax, AA)) = sg.hessian(energy, ("x", "A"))(x, A)
    assert xA.shape == (3, 3, 3) and Ax.shape == (3, 3, 3) and AA.shape == (3, 3, 3, 3)
    np.testing.assert_allclose(xA, np.moveaxis(Ax, 2, 0))


def test_it_goes_by_reference():
    again = pickle.loads(pickle.dumps(sg.jacobian(field)))
    np.testing.assert_array_equal(again(np.ones(2)), sg.jacobian(field)(np.ones(2)))


def test_what_has_no_matrix_is_refused():
    with pytest.raises(InputError, match="complex result"):
        sg.jacobian(lambda x: np.exp(1j * x))(np.ones(2))
    with pytest.raises(InputError, match="inputs are names or positions of parameters, not values"):
        sg.jacobian(lambda x: x * x, np.ones(2))
    with pytest.raises(InputError, match="mode is 'sideways'"):
        sg.jacobian(lambda x: x * x, mode="sideways")
    for tool in (sg.grad, sg.value_and_grad, sg.jacobian, sg.jacfwd, sg.jacrev, sg.hessian, sg.hvp, sg.vhp, sg.pushforward):
        with pytest.raises(InputError, match="has no option argnums"):
            tool(lambda x, y: x * y, argnums=1)


# --- one convention: structures, inputs by name or position, has_aux

MODES = pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])


@MODES
def test_structures_of_results_and_inputs(mode):
    def f(model, t):
        w, layers = model["w"], model["layers"]
        return {"a": w * t, "b": (np.sum(layers[0] ** 2), layers[1] * 2.0 * t), "name": "f", "n": 3}

    model = {"w": np.array([1.0, 2.0]), "layers": [np.array([[1.0, 2.0, 3.0]]), 0.5], "size": 2.0}
    found = sg.jacobian(f, ("model", "t"), mode)(model, 3.0)
    (of_w, by_t), ((sum_by_model, sum_by_t), (last_by_model, last_by_t)) = found["a"], found["b"]
    np.testing.assert_allclose(of_w["w"], 3.0 * np.eye(2))
    np.testing.assert_allclose(by_t, [1.0, 2.0])
    assert of_w["layers"][0].shape == (2, 1, 3) and not of_w["layers"][0].any() and of_w["layers"][1].shape == (2,)
    np.testing.assert_allclose(sum_by_model["layers"][0], [[2.0, 4.0, 6.0]])
    assert sum_by_t == 0.0 and last_by_model["layers"][1] == 6.0 and last_by_t == 1.0
    assert found["name"] == "f" and found["n"][1] == 0.0


@MODES
def test_hessians_of_structures(mode):
    found = sg.hessian(lambda p: np.sum(p[0][0] ** 2) + p[0][1] ** 2 * p[0][0][0], mode=mode)([(np.ones(2), 3.0)])
    ((by_w, by_b),) = found[0][0]
    np.testing.assert_allclose(by_w, 2.0 * np.eye(2))
    np.testing.assert_allclose(by_b, [6.0, 0.0])
    (back, last), = found[0][1]
    np.testing.assert_allclose(back, [6.0, 0.0])
    assert last == 2.0
    np.testing.assert_allclose(sg.hessian(lambda p: np.sum(p[0][0] ** 2), mode=mode)(((np.ones(2),),))[0][0][0][0], 2 * np.eye(2))


@MODES
def test_by_position_and_name(mode):
    a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    for inputs in (1, "b", -1):
        np.testing.assert_allclose(sg.jacobian(lambda a, b: a * b, inputs, mode)(a, b), np.diag(a))
        np.testing.assert_allclose(sg.hvp(lambda a, b: np.sum(a * b ** 2), inputs, mode)(a, b, b), 2.0 * a * b)
    by_a, by_b = sg.jacobian(lambda a, b: a * b, (0, 1), mode)(a, b)
    np.testing.assert_allclose(by_a, np.diag(b))
    np.testing.assert_allclose(by_b, np.diag(a))
    (aa, ab), (ba, bb) = sg.hessian(lambda a, b: np.sum(a * b ** 2), ("a", "b"), mode)(a, b)
    np.testing.assert_allclose(ab, np.diag(2.0 * b))
    np.testing.assert_array_equal(ab, ba.T)


@MODES
def test_has_aux(mode):
    def f(x, n):
        return x ** n, {"n": n, "text": "aux"}

    def g(x, n):
        y, aux = f(x, n)
        return np.sum(y), aux

    x = np.array([1.0, 2.0])
    found, aux = sg.jacobian(f, mode=mode, has_aux=True)(x, 3)
    np.testing.assert_allclose(found, np.diag(3.0 * x ** 2))
    assert aux == {"n": 3, "text": "aux"}
    found, aux = sg.hessian(g, mode=mode, has_aux=True)(x, 3)
    np.testing.assert_allclose(found, np.diag(6.0 * x))
    assert aux == {"n": 3, "text": "aux"}
    for tool in (sg.hvp, sg.vhp):
        found, aux = tool(g, mode=mode, has_aux=True)(x, x, 3)
        np.testing.assert_allclose(found, 6.0 * x * x)
        assert aux == {"n": 3, "text": "aux"}


def test_forward_mode_has_aux():
    def f(x, n):
        return x ** n, {"n": n, "x": x}

    x, v = np.array([1.0, 2.0]), np.array([0.5, -1.0])
    value, tangent, aux = sg.jvp(f, (x, 2), (v, None), has_aux=True)
    np.testing.assert_allclose(tangent, 2.0 * x * v)
    np.testing.assert_allclose(aux["x"], x)
    (value, aux), tangent = sg.pushforward(f, has_aux=True)(x, 2, x_dot=v)
    np.testing.assert_allclose((value, tangent), (x * x, 2.0 * x * v))
    np.testing.assert_allclose(sg.pushforward(f, with_value=False, has_aux=True)(x, 2, x_dot=v), 2.0 * x * v)


class Model:
    def __init__(self, w, b):
        self.w, self.b, self.name = w, b, "model"


@MODES
def test_objects(mode):
    def f(model, x):
        return model.w * x + model.b

    found = sg.jacobian(f, mode=mode)(Model(np.array([1.0, 2.0]), 3.0), np.array([5.0, 7.0]))
    np.testing.assert_allclose(found.w, np.diag([5.0, 7.0]))
    np.testing.assert_allclose(found.b, [1.0, 1.0])


def test_a_part_of_an_argument_and_defaults():
    def f(model, x=2.0):
        return model.w * x + model.b

    model = Model(np.array([1.0, 2.0]), 3.0)
    np.testing.assert_allclose(sg.jacobian(f, "model.w")(model), 2.0 * np.eye(2))
    np.testing.assert_allclose(sg.jacobian(f, "x")(model), [1.0, 2.0])


@pytest.mark.parametrize("n", [1, 3, 40])
def test_hessians_are_symmetric_to_the_last_bit(n):
    rng = np.random.default_rng(n)
    A, x = rng.normal(size=(n, n)), rng.normal(size=n)
    H = sg.hessian(lambda x: np.sum(np.sin(A @ x) * np.exp(x)))(x)
    assert np.array_equal(H, H.T)
    np.testing.assert_allclose(H, sg.hessian(lambda x: np.sum(np.sin(A @ x) * np.exp(x)), mode="reverse")(x), atol=1e-11)


def test_draws_are_those_of_one_call():
    rng = np.random.default_rng(3)

    def noisy(x):
        return x * rng.normal(size=x.size)

    for n in (2, 20):
        rng = np.random.default_rng(3)
        found = sg.jacobian(noisy, mode="reverse")(np.ones(n))
        np.testing.assert_allclose(found, np.diag(np.random.default_rng(3).normal(size=n)))
        assert rng.normal() == np.random.default_rng(3).normal(size=n + 1)[-1]


class Keeper:
    def __init__(self, held):
        self.held, self.spare = held, held * 3.0

    def one_of_two(self, first):
        return self.held if first else self.spare


def test_what_is_followed_by_identity_goes_one_by_one():
    def f(b):
        keeper = Keeper(b * b)
        part = keeper.one_of_two(b[0] > 0.0)
        part *= 2.0
        return np.sin(keeper.held) + part

    for x in (np.array([0.5, 0.7]), np.array([-0.5, 0.7])):
        np.testing.assert_allclose(sg.jacfwd(f)(x), sg.jacrev(f)(x), rtol=1e-12)
