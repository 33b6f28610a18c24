"""What objects cannot do yet: each refusal at its place, with advice."""
from __future__ import annotations

import functools

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.objects.models import Layer


class Dynamic:
    def __init__(self, w):
        self.w = w

    def __getattr__(self, name):
        return 2.0 * self.w


class Guarded:
    def __init__(self, w):
        object.__setattr__(self, "w", w)

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)

    def change(self, w):
        self.w = w
        return self.w


class Cached:
    def __init__(self, w):
        self.w, self.calls = w, 0

    @functools.cached_property
    def square(self):
        return self.w * self.w

    @functools.cached_property
    def counted(self):
        self.calls += 1
        return self.w * self.calls

    def grow(self):
        self.w = self.w * 2

    def twice(self):
        return self.square * 2


class Endless:
    def __init__(self, w):
        self.w = w

    def __iter__(self):
        return (self.w * k for k in range(3))


class Plain:
    def __init__(self, w):
        self.w = w

    def __mul__(self, other):
        return self.w * other

    __rmul__ = __mul__


class Growing:
    def __init__(self, w):
        self.w = w

    @property
    def next(self):
        self.w = self.w * 2.0
        return self.w


GLOBAL = Layer(np.eye(3), np.zeros(3))


def dynamic_attribute(x):
    return Dynamic(x).twice


def computed_name(x, name):
    names = ["w", name]
    return getattr(Plain(x), names[0]) * x


def own_setattr(x):
    return Guarded(x).change(x * x)


def cached_and_changed(x):
    a = Cached(x)
    before = a.square
    a.w = a.w * 3
    return before * a.square


def cached_in_a_method(x):
    a = Cached(x)
    before = a.twice()
    a.grow()
    return before * a.twice()


def cached_with_effect(x):
    a = Cached(x)
    return a.counted * a.counted


def generator(x):
    total = 0.0
    for part in Endless(x):
        total = total + part
    return total


def array_times_object(x):
    return np.sum(np.ones(3) * Plain(x))


def attribute_dict(x):
    return Plain(x).__dict__["w"] * x


def global_store(x):
    GLOBAL.b = x * np.ones(3)
    return np.sum(GLOBAL.b)


def nested_class(x):
    class Local:
        def __init__(self, w):
            self.w = w

    return Local(x).w


def unknown_method(x):
    return Plain(x).missing(x)


def changing_property(x):
    growing = Growing(x)
    if growing.next > 1.0 and growing.w > 0.5:
        return x * growing.w
    return x


REFUSED = {
    changing_property: ("which changes its object", "variable"),
    computed_name: ("`getattr` with a name", "constant name"),
    cached_and_changed: ("a cached property of 'a'", "keep its value in a variable"),
    cached_in_a_method: ("a cached property of 'a'", "Make it a property"),
    cached_with_effect: ("the cached property 'counted'", "return a value only"),
    generator: ("", ""),
    array_times_object: ("an operator between an array and an object", "__array_ufunc__"),
    global_store: ("a store into 'GLOBAL'", "argument"),
    nested_class: ("a class defined inside", "module level"),
    unknown_method: ("the method '.missing' of a Plain", "define it"),
}


@pytest.mark.parametrize("function", [dynamic_attribute, own_setattr, attribute_dict], ids=lambda f: f.__name__)
def test_attribute_protocol(function) -> None:
    sg.check_grad(function, 0.7, order=2)


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_refused_at_its_place(function) -> None:
    message, advice = REFUSED[function]
    args = (0.7, "b") if function is computed_name else (0.7,)
    with pytest.raises(SourcegradError) as caught:
        sg.grad(function)(*args)
    error = caught.value
    assert message in error.message and advice in error.remedy, f"{error.message} / {error.remedy}"
    assert error.origin is not None and error.origin.file == __file__, error.origin


def test_one_array_under_two_names_that_changes() -> None:
    def f(x, layer):
        layer.b += 1.0
        return np.sum(layer.b * x)

    x = np.ones(3)
    with pytest.raises(SourcegradError, match="shares memory"):
        sg.grad(f)(x, Layer(np.eye(3), x))


def test_object_reached_in_two_ways_that_changes() -> None:
    """It is one object for the gradient, too, whether it is found once or twice."""
    def f(x, layers):
        layers[0].b = x * layers[0].b
        return np.sum(layers[1].b * x)

    layer, x = Layer(np.eye(3), np.ones(3)), np.array([1.0, 2.0, 3.0])
    g = sg.grad(f)
    assert np.allclose(g(x, [layer, layer]), 2.0 * x)
    assert np.allclose(g(x, [layer, Layer(np.eye(3), 2.0 * np.ones(3))]), [2.0] * 3)
    assert np.allclose(g(x, [layer, layer]), 2.0 * x) and np.array_equal(layer.b, np.ones(3))
