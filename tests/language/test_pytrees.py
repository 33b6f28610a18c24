"""Inputs and outputs that are nested data or objects: the structure of gradients, and errors for what cannot be one."""
from __future__ import annotations

import copy
from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError

V = np.array([0.4, -0.9, 1.3])
Pair = namedtuple("Pair", "first second")


@dataclass
class Settings:
    rate: float
    table: np.ndarray
    steps: int = 3
    name: str = "settings"
    extra: dict = field(default_factory=dict)


class Layer:
    def __init__(self, w, b, activation=np.tanh):
        self.w = w
        self.b = b
        self.activation = activation
        self.name = "layer"
        self.steps = 2
        self.mask = np.array([True, False, True])
        self.previous = None

    def loss(self, x):
        y = x
        for _ in range(self.steps):
            y = self.activation(self.w * y + self.b)
        return np.sum(y[self.mask] ** 2)


def plain_loss(w, b, x):
    y = x
    for _ in range(2):
        y = np.tanh(w * y + b)
    return np.sum(y[[0, 2]] ** 2)


def expected() -> tuple:
    return sg.grad(plain_loss, inputs=("w", "b"))(V, 0.3, 2.0 * V)


def test_one_attribute() -> None:
    gradient = sg.grad(Layer.loss, inputs="self.w")(Layer(V, 0.3), 2.0 * V)
    assert type(gradient) is np.ndarray
    np.testing.assert_allclose(gradient, expected()[0], rtol=1e-12)


def test_several_paths_and_a_parameter() -> None:
    gradient = sg.grad(Layer.loss, inputs=("self.b", "x", "self.w"))(Layer(V, 0.3), 2.0 * V)
    assert type(gradient) is tuple and len(gradient) == 3
    np.testing.assert_allclose(gradient[0], expected()[1], rtol=1e-12)
    np.testing.assert_allclose(gradient[2], expected()[0], rtol=1e-12)
    assert gradient[1].shape == (3,)


def test_an_object_gives_its_float_attributes() -> None:
    layer = Layer(V, 0.3)
    gradient = sg.grad(Layer.loss, inputs="self")(layer, 2.0 * V)
    read = gradient.__getitem__ if isinstance(gradient, dict) else lambda name: getattr(gradient, name)
    np.testing.assert_allclose(read("w"), expected()[0], rtol=1e-12)
    np.testing.assert_allclose(read("b"), expected()[1], rtol=1e-12)
    assert gradient is not layer and np.array_equal(layer.w, V) and layer.b == 0.3


def uses_settings(settings, x):
    for _ in range(settings.steps):
        x = x * settings.rate + settings.table[0] * settings.extra["a"]
    return np.sum(x ** 2)


def test_a_dataclass_gives_a_dataclass() -> None:
    settings = Settings(0.7, V, extra={"a": 1.5})
    gradient = sg.grad(uses_settings)(settings, 2.0 * V)
    assert type(gradient) is Settings and type(gradient.extra) is dict
    assert gradient.table.shape == (3,) and np.all(gradient.table[1:] == 0.0) and gradient.table[0] != 0.0
    assert np.shape(gradient.rate) == () and gradient.extra["a"] != 0.0


def nested(tree):
    return np.sum(tree["layers"][0][1] ** 2) * tree["scale"] + tree["pair"].second ** 3


@pytest.mark.parametrize("kind", [dict, OrderedDict])
def test_containers_keep_their_types(kind) -> None:
    tree = kind(layers=[(1.0, V), ()], scale=2.0, pair=Pair(0.5, 1.5))
    gradient = sg.grad(nested)(tree)
    assert type(gradient) is kind and list(gradient) == list(tree)
    assert type(gradient["layers"]) is list and type(gradient["layers"][0]) is tuple and type(gradient["pair"]) is Pair
    np.testing.assert_allclose(gradient["layers"][0][1], 4.0 * V)
    np.testing.assert_allclose([gradient["scale"], gradient["pair"].second], [np.sum(V ** 2), 3 * 1.5 ** 2])
    assert gradient["layers"][0][0] == 0.0 and gradient["pair"].first == 0.0


def test_single_precision_stays() -> None:
    single = V.astype(np.float32)
    gradient = sg.grad(Layer.loss, inputs="self.w")(Layer(single, np.float32(0.3)), 2.0 * single)
    assert gradient.dtype == np.float32


def many_outputs(x):
    return {"a": x ** 2, "b": (np.sum(x), [x[0]])}


def test_nested_outputs_are_weighted_by_the_same_structure() -> None:
    weights = {"a": np.array([1.0, 2.0, 3.0]), "b": (0.5, [2.0])}
    gradient = sg.grad(many_outputs, grad_outputs=weights)(V)
    np.testing.assert_allclose(gradient, 2 * V * weights["a"] + 0.5 + np.array([2.0, 0.0, 0.0]))
    value, pullback = sg.vjp(many_outputs, V)
    assert list(value) == ["a", "b"] and value["b"][1] == [V[0]]
    np.testing.assert_allclose(np.ravel(pullback(weights)), gradient)


def object_output(x):
    return Settings(np.sum(x), x ** 2)


def test_a_dataclass_as_output() -> None:
    gradient = sg.grad(object_output, grad_outputs=Settings(2.0, np.array([1.0, 0.0, 0.0])))(V)
    np.testing.assert_allclose(gradient, 2.0 + np.array([2 * V[0], 0.0, 0.0]))


def test_second_derivative_by_an_attribute() -> None:
    first = sg.grad(Layer.loss, inputs="self.b")
    second = sg.grad(first, inputs="self.b")(Layer(V, 0.3), 2.0 * V)
    h = 1e-5
    difference = (first(Layer(V, 0.3 + h), 2.0 * V) - first(Layer(V, 0.3 - h), 2.0 * V)) / (2 * h)
    np.testing.assert_allclose(second, difference, rtol=1e-6)


class Shared:
    def __init__(self, part):
        self.left = part
        self.right = part

    def apart(self):
        self.right = copy.deepcopy(self.left)
        return self


def uses_shared(shared):
    return np.sum(shared.left.w ** 2) * np.sum(shared.right.w)


def test_a_part_that_is_held_twice() -> None:
    gradient = sg.grad(uses_shared, inputs="shared.left.w")
    for _ in range(2):
        np.testing.assert_allclose(gradient(Shared(Layer(V, 0.3)).apart()), 2 * V * np.sum(V))
        for inputs in ("shared.left.w", "shared.right.w", "shared.left"):
            with pytest.raises(SourcegradError, match="in another way, too") as caught:
                (gradient if inputs == "shared.left.w" else sg.grad(uses_shared, inputs=inputs))(Shared(Layer(V, 0.3)))
            assert caught.value.origin is not None


@pytest.mark.parametrize("inputs, what", [("self.missing", "missing"), ("self.name", "name"), ("self.activation", "activation"),
                                          ("other.w", "other"), ("self.previous", "previous"), ("self.mask", "mask")])
def test_what_cannot_be_an_input(inputs: str, what: str) -> None:
    with pytest.raises(SourcegradError, match=what) as caught:
        sg.grad(Layer.loss, inputs=inputs)(Layer(V, 0.3), 2.0 * V)
    assert caught.value.origin is not None


def with_integers(table):
    return np.sum(table["x"] ** 2) * table["n"]


def test_integer_arrays_inside_are_refused() -> None:
    with pytest.raises(SourcegradError, match="int64"):
        sg.grad(with_integers)({"x": np.arange(3), "n": 2.0})
