"""Lists that objects hold are told apart by their identity, as objects are: whoever changes one, all who hold it see it."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from sourcegrad.errors import UnsupportedError
from tests.kinds.places import by_differences, check_gradient, check_second, programs_of
from tests.programs.list_generator import ListWriter
from tests.programs.place_generator import REFUSED, WRONG, verdict

X = np.array([0.4, 0.9, -0.3, 0.7])


class Stack:
    def __init__(self):
        self.items = []
        self.total = 0.0

    def push(self, v):
        self.items.append(v)
        self.total = self.total + v

    def scale(self, k):
        for j in range(len(self.items)):
            self.items[j] = self.items[j] * k


class Body:
    def __init__(self, m, v):
        self.m = m
        self.v = v
        self.log = []

    def step(self, h):
        self.v = self.v - h * self.v ** 2
        self.log.append(self.v)


class World:
    def __init__(self, speeds):
        self.bodies = [Body(1.0 + k, v) for k, v in enumerate(speeds)]

    def run(self, h):
        for body in self.bodies:
            body.step(h * body.m)

    def energy(self):
        return sum(b.m * b.v ** 2 for b in self.bodies) + sum(b.log[-1] * b.log[0] for b in self.bodies)


class Node:
    def __init__(self, value, rows=None):
        self.value = value
        self.children = []
        self.rows = [[value], [value * 0.5, 1.0]] if rows is None else rows


def made(a, b):
    new = [a, b]
    new.append(a * 0.5)
    return new


def two_stacks(x):
    a, b = Stack(), Stack()
    both = [a, b, a]
    for k in range(len(x)):
        both[k % 3].push(x[k])
    a.scale(x[1])
    if len(b.items) > 1:
        b.items.pop()
    return a.items[-1] * b.items[0] + sum(a.items) + a.total


def one_list_of_two_objects(x):
    a, b = Stack(), Stack()
    b.items = a.items
    a.push(x[0])
    b.items.append(x[1] * x[2])
    b.scale(x[3])
    return a.items[0] * a.items[1] * len(b.items)


def world_of_bodies(x):
    world = World(x)
    for _ in range(4):
        world.run(0.1)
    world.bodies.reverse()
    return world.energy() + world.bodies[0].v * 3.0


def parents_and_children(x):
    parent, child = Node(x[0]), Node(x[1] * x[0])
    parent.children.append(child)
    child.parent = parent
    parent.value = parent.value * 2.0
    parent.children[0].value *= x[2]
    return child.parent.value * parent.children[-1].value


def rows_that_are_shared(x):
    a = Node(x[0])
    b = Node(x[1], a.rows)
    b.rows[0][0] = x[2] * 2.0
    b.rows[-1].append(x[3])
    b.rows.append(made(x[0], x[1]))
    return a.rows[0][0] * a.rows[1][-1] * sum(a.rows[2])


def whole_of_a_list(x):
    a = Node(x[0])
    row = a.rows[1]
    row[0] *= x[2]
    row.insert(1, x[3])
    row += [x[1], x[2]]
    del a.rows[1][4:]
    a.rows[1][2:] = [x[1] * x[0]]
    row.extend([v * 2.0 for v in row])
    return sum(row) * row[-1] + row.pop(0) + len(a.rows[1])


def replaced_by_a_copy(x):
    a, b = Node(x[0]), Node(x[1])
    b.rows = list(a.rows)
    b.rows[0] = b.rows[0][:]
    b.rows[0][0] = x[2]
    b.rows[1][0] = x[3] * x[0]
    return a.rows[0][0] * b.rows[0][0] * a.rows[1][0]


def asked_whether_there_are_any(x):
    stack, total = Stack(), 0.0
    for k in range(6):
        if stack.items:
            total = total + stack.items.pop() * x[k % 4]
        else:
            stack.push(x[k % 4] * x[1])
            stack.push(x[2])
    return total + (0.0 if not stack.items else stack.items[0])


def backwards_while_it_changes(x):
    a = Node(x[0])
    total = 0.0
    for v in reversed(a.rows[1]):
        a.rows[0][0] = a.rows[0][0] * v + x[1]
        total = total + a.rows[0][0]
    return total


def identity_of_lists(x):
    a, b = Stack(), Stack()
    if a.items is b.items:
        return x[0]
    b.items = a.items
    a.push(x[1])
    if a.items is b.items:
        b.scale(x[3])
    return a.items[0] * len(b.items)


PROGRAMS = programs_of(globals())


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("places", ["only", ""])
def test_gradient(f: Any, places: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", places)
    check_gradient(f, [X, X * 0.5 + 0.2, X])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    check_second(f, X)


def grows_while_a_loop_goes_over_it(x):
    world = World(x)
    for body in world.bodies:
        if len(world.bodies) < 7:
            world.bodies.append(Body(2.0, body.v))
    return sum(b.v for b in world.bodies)


def test_a_list_that_grows_while_a_loop_goes_over_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    with pytest.raises(UnsupportedError, match="while a loop goes over it") as caught:
        sg.grad(grows_while_a_loop_goes_over_it)(X)
    assert caught.value.origin is not None and caught.value.origin.file == __file__


def test_the_text() -> None:
    text = sg.source(one_list_of_two_objects, at={"x": X})
    assert ".append(" in text and "bars[id(" in text
    assert not any(name in text for name in ("places_of", "put_all", "list_append", "(memory_", "place_load"))


def test_no_check_where_nothing_changes_the_length() -> None:
    def f(x):
        world = World(x)
        for body in world.bodies:
            body.v = body.v * x[0]
        world.bodies[0] = world.bodies[1]
        return sum(body.v for body in world.bodies)

    g = sg.grad(f)
    assert np.allclose(g(X), by_differences(f, X), rtol=1e-6)
    assert "check_size" not in g.source


@pytest.mark.parametrize("number", range(600, 612))
def test_random_programs(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    found, what = verdict(number, 1 + (number % 4 == 0), ListWriter)
    assert found != WRONG, what


def test_few_random_programs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    assert sum(verdict(number, 1, ListWriter)[0] == REFUSED for number in range(700, 702)) <= 1
