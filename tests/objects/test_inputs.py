"""Gradients with respect to objects and to parts of them."""
from __future__ import annotations

import copy
import types

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InputError
from tests.objects.models import Frozen, Layer, Params, State, model

X, Y = np.array([0.3, -0.8, 1.1]), np.array([0.1, 0.2, -0.4])


def differences(function, array, step=1e-6):
    """Central differences of function() in an array, which is changed and put back."""
    result = np.zeros(array.shape)
    for index in np.ndindex(*array.shape):
        old = array[index]
        array[index] = old + step
        above = function()
        array[index] = old - step
        result[index] = (above - function()) / (2 * step)
        array[index] = old
    return result


def close(actual, expected):
    assert np.allclose(actual, expected, rtol=1e-6, atol=1e-7), f"{actual} is not {expected}"


@pytest.mark.parametrize("path", ["self.layers[0].w", "self.layers[1].b", "self.layers[-1].w"])
def test_attribute_of_the_receiver(path: str) -> None:
    net = model()
    part = eval(path, {"self": net}).copy()
    gradient = sg.grad(net.loss, inputs=path)(X, Y)
    holder = eval(path.rpartition(".")[0], {"self": net})
    array = getattr(holder, path.rpartition(".")[2])
    close(gradient, differences(lambda: net.loss(X, Y), array))
    assert np.array_equal(array, part) and gradient is not array


def test_number_and_item_of_a_dict() -> None:
    net = model()
    scale, rate = sg.grad(net.loss, inputs=("self.scale", "self.options['rate']"))(X, Y)
    h = 1e-6
    for name, value in (("scale", scale), ("rate", rate)):
        one, other = model(), model()
        for changed, step in ((one, h), (other, -h)):
            if name == "scale":
                changed.scale += step
            else:
                changed.options["rate"] += step
        close(value, (one.loss(X, Y) - other.loss(X, Y)) / (2 * h))


def test_several_inputs_with_a_parameter() -> None:
    net = model()
    w, x = sg.grad(net.loss, inputs=("self.layers[0].w", "x"))(X, Y)
    close(w, differences(lambda: net.loss(X, Y), net.layers[0].w))
    x_0 = X.copy()
    close(x, differences(lambda: net.loss(x_0, Y), x_0))


def test_parts_that_are_no_inputs_have_no_adjoint() -> None:
    net = model()
    gradient = sg.grad(net.loss, inputs="self.scale")
    gradient(X, Y)
    assert "w_bar" not in gradient.source and "layers_bar" not in gradient.source


def test_whole_object_is_a_namespace() -> None:
    net = model()
    before = copy.deepcopy(vars(net))
    gradient = sg.grad(net.loss, inputs="self")(X, Y)
    assert isinstance(gradient, types.SimpleNamespace)
    assert vars(gradient).keys() == {"layers", "scale", "options"}
    assert vars(gradient.layers[0]).keys() == {"w", "b"}
    assert gradient.options["verbose"] is None
    for layer, part in zip(net.layers, gradient.layers):
        close(part.w, differences(lambda: net.loss(X, Y), layer.w))
        close(part.b, differences(lambda: net.loss(X, Y), layer.b))
    assert vars(net).keys() == before.keys() and np.array_equal(net.layers[0].w, before["layers"][0].w)


def test_object_parameter_and_order_two() -> None:
    def loss(net, x):
        return np.sum(net.forward(x) ** 2)

    net = model()
    first = sg.grad(loss, inputs="net.layers[0].w")
    weights = np.arange(9.0).reshape(3, 3)
    second = sg.grad(first, inputs="net.layers[0].b", grad_outputs=weights)(net, X)
    close(second, differences(lambda: np.sum(first(net, X) * weights), net.layers[0].b))
    mixed = sg.grad(sg.grad(loss, inputs="net.scale"), inputs="x")(net, X)
    x = X.copy()
    close(mixed, differences(lambda: sg.grad(loss, inputs="net.scale")(net, x), x))


def test_dataclass() -> None:
    def f(p, x):
        return np.sum(p.w * x) * p.b ** p.steps

    params = Params(np.array([1.0, 2.0, 3.0]), 0.5)
    gradient = sg.grad(f)(params, X)
    assert type(gradient) is Params and gradient.steps is None and gradient.name is None
    close(gradient.w, X * 0.125)
    close(gradient.b, 3 * 0.25 * np.sum(params.w * X))


def test_frozen_dataclass_in_a_dataclass() -> None:
    gradient = sg.grad(lambda f: np.sum(f.inner.w) * f.rate)(Frozen(Params(np.ones(2), 0.5), 2.0))
    assert type(gradient) is Frozen and type(gradient.inner) is Params
    close(gradient.inner.w, [2.0, 2.0])
    assert gradient.rate == 2.0 and gradient.inner.b == 0.0


def test_namedtuple() -> None:
    state = State(np.array([1.0, 2.0]), 3.0)
    gradient = sg.grad(lambda s: np.sum(s.position) * s.mass)(state)
    assert type(gradient) is State and gradient.label is None
    close(gradient.position, [3.0, 3.0])
    assert gradient.mass == 3.0
    close(sg.grad(lambda s: np.sum(s.position) * s.mass, inputs="s.mass")(state), 3.0)


def test_containers_of_objects() -> None:
    params = {"a": Params(np.ones(2), 0.5), "b": (State(np.ones(2), 2.0), 3.0)}
    gradient = sg.grad(lambda p: np.sum(p["a"].w) * p["b"][0].mass * p["b"][1])(params)
    assert type(gradient["a"]) is Params and type(gradient["b"][0]) is State
    close(gradient["a"].w, [6.0, 6.0])
    assert gradient["b"][1] == 4.0 and gradient["b"][0].mass == 6.0


def test_value_and_grad_and_vjp() -> None:
    net = model()
    value, gradient = sg.value_and_grad(net.loss, inputs="self.layers[0].b")(X, Y)
    assert value == net.loss(X, Y)
    other, pullback = sg.vjp(net.loss, X, Y, inputs="self.layers[0].b")
    assert other == value
    close(pullback(2.0), 2.0 * gradient)


def test_output_object_with_grad_outputs() -> None:
    def f(x):
        return Params(x * x, np.sum(x))

    close(sg.grad(f, grad_outputs=Params(np.array([1.0, 2.0, 3.0]), 4.0))(X), 2 * X * [1.0, 2.0, 3.0] + 4.0)
    close(sg.grad(f)(X, grad_outputs={"w": np.ones(3), "b": 0.0}), 2 * X)


REFUSED = {
    "missing attribute": ("self.nothing", "there is no input 'self.nothing'"),
    "missing item": ("self.layers[9].w", "there is no input 'self.layers[9].w'"),
    "text": ("self.layers[0].name", "is a str"),
    "integer": ("self.layers[0].width", "is a int"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_paths_that_are_no_inputs(name: str) -> None:
    path, message = REFUSED[name]
    with pytest.raises(InputError, match=message.replace("[", r"\[").replace("]", r"\]")) as caught:
        sg.grad(model().loss, inputs=path)(X, Y)
    assert caught.value.origin is not None and caught.value.remedy


def test_a_part_and_the_whole() -> None:
    with pytest.raises(InputError, match="is a part of 'self'"):
        sg.grad(model().loss, inputs=("self", "self.scale"))


def test_unknown_parameter() -> None:
    with pytest.raises(InputError, match="there is no parameter 'net.w'"):
        sg.grad(model().loss, inputs="net.w")
    with pytest.raises(InputError, match="there is no parameter"):
        sg.grad(model().loss, inputs="self.w()")


def test_object_without_floats() -> None:
    with pytest.raises(InputError, match="the input 'n' is a SimpleNamespace"):
        sg.grad(lambda n: n.a * 1.0)(types.SimpleNamespace(a=1))


# --- nothing goes stale

def test_values_and_kinds_of_attributes_may_change() -> None:
    layer = Layer(np.eye(3), np.zeros(3))
    gradient = sg.grad(lambda x: np.sum(layer.w @ x))
    assert np.array_equal(gradient(X), [1.0, 1.0, 1.0])
    layer.w = 2.0 * np.eye(3)
    assert np.array_equal(gradient(X), [2.0, 2.0, 2.0])
    layer.w = np.array([1.0, 2.0, 3.0])
    assert np.array_equal(gradient(X), [1.0, 2.0, 3.0])


def test_methods_and_constants_of_the_class_may_change() -> None:
    class Scale:
        factor = 2.0

        def run(self, x):
            return self.factor * x

    scale = Scale()
    gradient = sg.grad(lambda x, s: s.run(x))
    assert gradient(1.0, scale) == 2.0
    Scale.factor = 3.0
    assert gradient(1.0, scale) == 3.0
    Scale.factor = np.array([4.0])
    assert np.sum(sg.grad(lambda x, s: np.sum(s.run(x)))(1.0, scale)) == 4.0
    scale.factor = 5.0
    assert gradient(1.0, scale) == 5.0
    Scale.run = lambda self, x: x * x
    assert gradient(3.0, scale) == 6.0


def test_class_of_a_made_object_may_change() -> None:
    class Square:
        def __init__(self, x):
            self.x = x

        def value(self):
            return self.x * self.x

    gradient = sg.grad(lambda x: Square(x).value())
    assert gradient(3.0) == 6.0
    Square.value = lambda self: self.x * 5.0
    assert gradient(3.0) == 5.0
