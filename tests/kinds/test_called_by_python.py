"""Methods that Python calls by itself, of objects that are told apart by their identity; and functions that they hold."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from sourcegrad.errors import UnsupportedError
from tests.kinds.places import by_differences, check_gradient, check_second, programs_of
from tests.kinds.test_held_arrays import X


class Queue:
    def __init__(self, *items):
        self.items = list(items)

    def __len__(self):
        return len(self.items)

    def __contains__(self, k):
        return k < len(self.items)

    def push(self, v):
        self.items.append(v)
        return self


class Switch:
    def __init__(self, v):
        self.v = v

    def __bool__(self):
        return bool(self.v > 0.0)


class Longer(Queue):
    def __len__(self):
        return 2 * len(self.items)


class Table:
    def __init__(self):
        self.d = {}

    def __setitem__(self, ij, v):
        self.d[ij] = v

    def __getitem__(self, ij):
        i, j = ij
        return self.d.get((i, j), 0.0)

    def __contains__(self, ij):
        return ij in self.d


def square(v):
    return v * v


class Layer:
    def __init__(self, w, act):
        self.w = w
        self.act = act
        self.last = None

    def __call__(self, x):
        self.last = self.act(self.w * x)
        return self.last


class Net:
    def __init__(self, layers):
        self.layers = layers
        self.calls = 0

    def run(self, x):
        for layer in self.layers:
            x = layer(x)
            self.calls += 1
        return x


def length_before_and_after(x):
    q = Queue(x[0], x[1])
    same = q
    before = len(q)
    same.push(x[2])
    return sum(q.items) * len(q) * x[0] + before * x[1]


def truth_that_changes(x):
    total, s = 0.0, Switch(x[0])
    held = [s]
    for k in range(3):
        if s:
            total = total + x[1] * s.v
        held[0].v = held[0].v - 0.3
    return total


def empty_is_false(x):
    q, total = Queue(), x[0]
    held = [q]
    for k in range(3):
        if q:
            total = total * q.items[-1]
        held[0].push(x[1] + k)
    return total


def one_of_two_classes(x):
    qs = [Queue(x[0]), Longer(x[1], x[2])]
    qs[0].push(x[2])
    return sum(len(q) * q.items[0] for q in qs)


def membership(x):
    q, total = Queue(x[0]), 0.0
    held = [q]
    for k in range(3):
        total = total + (x[1] if k in q else x[2] ** 2)
        held[0].push(x[0])
    return total


def keys_of_two_numbers(x):
    m = Table()
    m[0, 0] = x[0]
    m[0, 1] = 2.0 * x[1]
    total = 0.0
    for i in range(2):
        for j in range(2):
            total += m[i, j] * m[j, i] + (x[2] if (i, j) in m else 0.0)
            m[i, j] = m[i, j] + total * 0.1
    return total + m[1, 1]


def function_in_an_attribute(x):
    n = Net([Layer(x[0], np.tanh), Layer(x[1], np.tanh)])
    return n.run(0.3) + n.run(x[2]) * n.layers[0].last * n.calls


def own_function_in_an_attribute(x):
    n = Net([Layer(x[0], square), Layer(x[1], square)])
    return n.run(0.3) + n.run(x[2]) * n.layers[0].last


PROGRAMS = programs_of(globals())


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    check_gradient(f, [X, X * 0.5 + 0.3, -X])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    check_second(f, X)


def several_functions(x):
    n = Net([Layer(x[0], np.tanh), Layer(x[1], square), Layer(x[0], lambda v: v * x[2])])
    return n.run(0.3) + n.run(x[2]) * n.layers[0].last


def asked_by_a_loop(x):
    q, total = Queue(x[0], x[1], x[2]), 0.0
    held = [q]
    while q:
        total = total * 0.5 + held[0].items.pop()
    return total


@pytest.mark.parametrize("f", [several_functions, asked_by_a_loop], ids=lambda f: f.__name__)
def test_right_or_refused(f: Any) -> None:
    try:
        found = sg.grad(f)(X)
    except UnsupportedError as error:
        assert error.origin is not None and error.origin.file == __file__
    else:
        assert np.allclose(found, by_differences(f, X), rtol=1e-6, atol=1e-8)
