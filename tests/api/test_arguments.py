"""Inputs, arguments, outputs and cotangents at the border of the API."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InputError, OutputError, SourceError

V = np.array([0.3, -0.8, 1.1])


def dot(x, y=2.0):
    return np.sum(x * y)


class Tagged(np.ndarray):
    pass


UNSUITABLE = {
    "subclass": np.ones(2).view(Tagged), "masked": np.ma.masked_array([1.0, 2.0], [0, 1]),
    "record": np.rec.array([(1.0, 2)], dtype=[("a", float), ("b", int)]), "object": np.array([1.0, None]),
    "text": np.array(["a", "b"]), "structured": np.zeros(2, dtype=[("a", float)]), "inside": [V, np.ones(2).view(Tagged)],
}


@pytest.mark.parametrize("name", UNSUITABLE)
@pytest.mark.parametrize("position", [0, 1])
def test_unsuitable_arrays_are_refused(name: str, position: int) -> None:
    args = [V, V]
    args[position] = UNSUITABLE[name]
    with pytest.raises(InputError) as caught:
        sg.grad(dot)(*args)
    assert caught.value.origin.text == "def dot(x, y=2.0):" and "xy"[position] in caught.value.message


@pytest.mark.parametrize("inputs", [1.5, (0, 1.5), (None,), {"x"}, (True,), ("x", "x"), b"x"])
def test_wrong_inputs(inputs) -> None:
    with pytest.raises(InputError) as caught:
        sg.grad(dot, inputs)
    assert caught.value.origin is not None


def test_numpy_position() -> None:
    assert np.array_equal(sg.grad(dot, np.int64(1))(V, V), V)


class Model:
    def loss(self, w, x):
        return w * x

    def __call__(self, x):
        return x * x


def test_self_is_no_positional_input_of_a_bound_method() -> None:
    with pytest.raises(InputError, match="The parameters are w, x"):
        sg.grad(Model().loss, "z")
    assert sg.grad(Model().loss)(2.0, 3.0) == 3.0
    assert sg.grad(Model().loss, -1)(2.0, 3.0) == 2.0


def test_object_that_is_called() -> None:
    assert sg.grad(Model())(3.0) == 6.0


@pytest.mark.parametrize("thing", [max, np.sin, len, float, np.linalg.inv, Model])
def test_no_python_function(thing) -> None:
    try:
        sg.grad(thing)
    except SourceError as error:
        assert "lambda " in error.remedy
    else:
        assert thing is np.linalg.inv


@pytest.mark.parametrize("options, message", [({"order": 0}, "order"), ({"order": 1.5}, "order"), ({"at": {"z": 1.0}}, "'z'")])
def test_wrong_options_of_source(options, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sg.source(dot, **options)


# --- outputs

@pytest.mark.parametrize("function, x, message", [
    (lambda x: None, 2.0, "nothing|None"),
    (lambda x: np.array([x * 1j]), 2.0, "complex|shape"), (lambda x: [x], 2.0, "list"), (lambda x: {"a": x}, 2.0, "dict"),
])
def test_output_without_gradient(function, x, message: str) -> None:
    with pytest.raises(OutputError, match=message) as caught:
        sg.grad(function)(x)
    assert caught.value.origin is not None


@pytest.mark.parametrize("value", [None, "a", object(), 1j, np.complex64(1), np.array([1j]), np.array(None), V, (1.0,),
                                   {"a": 1.0}, np.array(["a"])], ids=lambda value: type(value).__name__)
def test_helper_refuses(value) -> None:
    from sourcegrad.runtime import ones_like_output
    with pytest.raises(OutputError):
        ones_like_output(value)


@pytest.mark.parametrize("value", [2.0, 3, True, np.float32(1), np.array(2.0), np.array([[2.0]])], ids=repr)
def test_helper_accepts(value) -> None:
    from sourcegrad.runtime import ones_like_output
    assert np.shape(ones_like_output(value)) == np.shape(value)


def test_error_on_the_fast_path_is_located() -> None:
    def f(x, y):
        x[0] = y[1]
        return np.sum(x * x)

    gradient = sg.grad(f)
    gradient(V.copy(), V.copy())
    for _ in range(2):
        with pytest.raises(InputError, match="shares memory") as caught:
            gradient(V, V)
        assert caught.value.origin.text.strip() == "def f(x, y):"


@pytest.mark.parametrize("ct", [{"a": 1.0}, {"a": 1.0, "b": 2.0, "c": 3.0}, (1.0, 2.0), 1.0, {"a": 1.0, "b": "text"},
                                {"a": 1.0, "b": None}, {"a": 1.0, "b": [[1.0], [1.0, 2.0]]}], ids=repr)
def test_cotangent_of_a_dict(ct) -> None:
    from sourcegrad.runtime import check_cotangent
    assert check_cotangent({"a": 1, "b": 2.0}, {"a": 1.0, "b": 5.0}) == {"a": 1.0, "b": 2.0}
    with pytest.raises(OutputError):
        check_cotangent(ct, {"a": 1.0, "b": 5.0})


def power(x):
    y = x
    for _ in range(2):
        y = y * 3
    for _ in range(2):
        y = y * x
    return y


def test_a_weight_of_rank_0_stays_as_it_is() -> None:
    weight = np.array(0.5)
    assert np.isclose(sg.grad(power)(0.7, grad_outputs=weight), 0.5 * 27 * 0.7 ** 2)
    assert np.isclose(sg.grad(sg.grad(power))(0.7, grad_outputs=weight), 0.5 * 54 * 0.7)
    assert np.isclose(sg.vjp(power, 0.7)[1](weight), 0.5 * 27 * 0.7 ** 2)
    assert weight == 0.5


def noisy_walk(x, rng, steps=3):
    y = x * 1.0
    for _ in range(steps):
        y = y + 0.1 * rng.standard_normal(y.shape) * y
        y[0] *= rng.uniform(0.5, 1.5)
    return np.sum(y ** 2)


def test_a_random_generator_beside_an_input() -> None:
    gradient = sg.grad(noisy_walk)

    def slope(function, direction) -> float:
        up, down = (function(V + h * direction, np.random.default_rng(4)) for h in (1e-6, -1e-6))
        return (up - down) / 2e-6

    weight = np.array([0.5, 1.0, -0.7])
    found, second = gradient(V, np.random.default_rng(4)), sg.grad(gradient)(V, np.random.default_rng(4), grad_outputs=weight)
    for j, direction in enumerate(np.eye(3)):
        assert np.isclose(found[j], slope(noisy_walk, direction), rtol=1e-6)
        assert np.isclose(second[j], slope(lambda x, rng: gradient(x, rng) @ weight, direction), rtol=1e-6)
