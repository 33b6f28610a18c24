"""Operators on objects and lists whose kind is only known at run time: never the adjoint of numbers, but a located refusal."""
from __future__ import annotations

import pytest

import sourcegrad as sg
from sourcegrad.errors import UnsupportedError


class Doubling:
    def __init__(self, a):
        self.a = a

    def __add__(self, other):
        return Doubling(2.0 * self.a + 3.0 * other.a)

    def __neg__(self):
        return Doubling(-5.0 * self.a)

    def __mul__(self, factor):
        return Doubling(self.a * factor)


class Holder:
    def __init__(self, held=None):
        self.held = held


def held(x, sort):
    one = Holder()
    if x > 0:
        one.held = [x, 2.0 * x] if sort == "list" else Doubling(x)
    else:
        one.held = 3.0
    return one.held


def added(x):
    return (held(x, "object") + held(x, "object")).a


def negative(x):
    return (-held(x, "object")).a


def scaled(x):
    return (held(x, "object") * 2.0).a


def joined(x):
    total = held(x, "list") + held(x, "list")
    return total[0] + 10.0 * total[3]


def repeated(x):
    return (held(x, "list") * 2)[3]


@pytest.mark.parametrize("function", [added, negative, scaled, joined, repeated])
def test_refused(function) -> None:
    function(1.5)
    with pytest.raises(UnsupportedError, match="only known at run time") as caught:
        sg.grad(function)(1.5)
    assert caught.value.origin.line > function.__code__.co_firstlineno and "Make its class known" in str(caught.value)


def number(x):
    return held(0.0 * x - 1.0, "object") * x + x


def test_numbers_are_numbers() -> None:
    assert sg.grad(number)(1.5) == 4.0


def wrong(x):
    return [x] + x


def test_errors_of_the_user_stay() -> None:
    with pytest.raises(TypeError, match="can only concatenate"):
        sg.grad(wrong)(1.5)
