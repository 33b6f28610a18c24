"""Operators of users' classes on objects that others hold: what they give is an object, also in loops and reductions."""
from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from tests.kinds.places import programs_of, suite_of

X = np.array([0.7, 1.3, 0.4, 0.9])
V = np.array([0.2, -0.5, 1.0, 0.3])


class Vector:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __add__(self, other):
        if isinstance(other, Vector):
            return Vector(self.a + other.a, self.b + other.b)
        if isinstance(other, (list, np.ndarray)):
            return self + Vector(other[0], other[1])
        raise NotImplementedError(type(other))

    def __radd__(self, other):
        return self if other == 0 else self + other

    def __mul__(self, factor):
        return Vector(self.a * factor, self.b * factor)

    def __neg__(self):
        return self * -1.0

    def __isub__(self, other):
        self.a = self.a - other.a
        self.b = self.b - other.b
        return self


class Body:
    def __init__(self, at):
        self.at = at


def bodies(x):
    made = [Body(Vector(x[0], x[1])), Body(Vector(x[2], x[3]))]
    made[0].at.a = x[1] ** 2                                  # others hold it, and it changes
    return made


def in_a_loop(x):
    total = Vector(0.0, 1.0)
    for body in bodies(x):
        total = total + body.at
    return total.a * total.b


def scaled_in_a_loop(x):
    all_bodies, total = bodies(x), Vector(x[0], x[0])
    for k in range(3):
        total = total * 0.5 + all_bodies[k % 2].at * x[k]
        all_bodies[0].at.b = total.a
    return total.a * total.b


def reduced(x):
    total = reduce(lambda p, q: p + q, [body.at for body in bodies(x)])
    return total.a * 2.0 + total.b ** 2


def summed(x):
    total = sum([body.at for body in bodies(x)], Vector(0.0, 0.0))
    return total.a * total.b


def with_an_array(x):
    total = Vector(0.0, 0.0)
    for body in bodies(x):
        total = total + body.at + x[:2]
    return total.a * total.b


def negated(x):
    held = bodies(x)
    at = -held[0].at
    for _ in range(2):
        at = -at + held[1].at
    return at.a * at.b


def taken_away_in_place(x):
    held = bodies(x)
    same = held[0].at
    for _ in range(2):
        held[0].at -= held[1].at
    return same.a * same.b + held[0].at.a


def stored_again(x):
    held = bodies(x)
    for body in held:
        body.at = body.at + held[0].at
    return held[0].at.a * held[1].at.b


PROGRAMS = programs_of(globals())[1:]
test_gradients, test_second_order_and_forward_mode, test_pullbacks, _ = suite_of(PROGRAMS, {}, X, V)


@pytest.mark.parametrize("f", [in_a_loop, scaled_in_a_loop, reduced, negated, stored_again], ids=lambda f: f.__name__)
def test_their_state_is_looked_after(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only as values that become names: an operator in a loop gives objects that are told apart by their identity."""
    monkeypatch.setattr(linking.OPTIONS, "places", "only")

    def again(x):
        return f(x)

    assert np.allclose(sg.grad(again)(X), [(f(X + 1e-6 * e) - f(X - 1e-6 * e)) / 2e-6 for e in np.eye(4)], rtol=1e-6, atol=1e-8)
