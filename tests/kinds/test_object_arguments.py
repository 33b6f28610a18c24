"""Objects that are arguments and change: what is computed with are copies, whose adjoints are those of what was given."""
from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from sourcegrad.errors import InputError, UnsupportedError
from tests.oracle import central_gradient, vector

X = np.array([0.4, 0.9, -0.3, 0.7])


class Cell:
    def __init__(self, w, h=None):
        self.w = w
        self.h = h
        self.log = []

    def step(self, x):
        self.h = np.tanh(self.w * x + (0.1 if self.h is None else self.h))
        self.log.append(self.h)
        return self.h


class Net:
    def __init__(self, cells, gain):
        self.cells = cells
        self.gain = gain
        self.named = {"a": 0.5, "b": 1.0}

    def step(self, x):
        for cell in self.cells:
            x = cell.step(x)
        self.named["a"] *= x
        return x * self.gain


def net():
    return Net([Cell(0.3, 0.1), Cell(-0.5, 0.2)], 1.5)


def cells_in_a_list(model, x):
    total = 0.0
    for v in x:
        total += model.step(v) * model.named["a"]
    return total + model.cells[0].log[1]


def none_at_first(cell, x):
    for v in x:
        cell.step(v)
    return cell.h * cell.log[0] + len(cell.log)


class Body:
    def __init__(self, m, x, v):
        self.m, self.x, self.v = m, x, v


def masses_in_a_list(bodies, x):
    """Bodies that are a list themselves."""
    for _ in range(3):
        for a, b in zip(bodies, bodies[1:]):
            f = (b.x - a.x) * x[0]
            a.v = a.v + f / a.m
            b.v = b.v - f / b.m
        for body in bodies:
            body.x = body.x + x[1] * body.v
    return sum(np.sum(body.x ** 2) for body in bodies)


def of_two_arguments(a, b, x):
    a.v, b.v = b.v * x[0], a.v
    a.x += b.x
    b.m = a.m * b.m
    return a.v * b.v + a.x * b.m


class Field:
    def __init__(self, u, k):
        self.u = u
        self.k = k
        self.parts = {"left": u * 0.5, "n": 2.0}
        self.rows = [u * 1.0, u * 2.0]

    def step(self, h):
        self.u[1:] += h * self.u[:-1] * self.k
        self.parts["left"] *= 1.0 - h
        self.rows[0] += self.u
        self.rows[1][0] = self.u[0] * h


def arrays_that_change_in_place(grid, x):
    before = grid.u
    for v in x:
        grid.step(v)
    return before @ grid.parts["left"] * grid.parts["n"] + grid.rows[0] @ grid.rows[1]


@dataclass
class State:
    level: float
    history: list = field(default_factory=list)
    table: dict = field(default_factory=dict)


def dataclasses_with_lists_and_dicts(state, x):
    for k, v in enumerate(x):
        state.level = state.level * 0.9 + v
        state.history.append(state.level)
        state.table[k % 2] = state.table.get(k % 2, 0.0) + state.history[-1] * v
    return state.level * state.history[1] + state.table[0] * state.table[1]


class Tree:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = v, left, right


def scaled(tree, s):
    tree.v = tree.v * s
    if tree.left is not None:
        scaled(tree.left, s * tree.v)
    if tree.right is not None:
        scaled(tree.right, s + tree.v)


def total(tree):
    if tree is None:
        return 0.0
    return tree.v ** 2 + total(tree.left) + 2.0 * total(tree.right)


def tree_that_changes(tree, x):
    scaled(tree, x[0])
    return total(tree) * x[1]


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


def parts_are_exchanged(pair, x):
    pair.a, pair.b = pair.b, pair.a
    pair.a.v = pair.a.v * x[0]
    pair.b = Body(pair.b.m * x[1], 1.0, 2.0)
    return pair.a.v * pair.b.m + pair.b.v * pair.a.x


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


def slots(s, x):
    for v in x:
        s.a = s.a * v + s.b
        s.b *= 0.9
    return s.a + s.b ** 2


def in_a_tuple_and_a_dict(given, x):
    first, table = given
    first.v = first.v + x[0]
    table["one"].x = table["one"].x * first.v
    return first.v * table["one"].x + table["one"].m


PROGRAMS = [
    (cells_in_a_list, lambda: (net(), X)), (none_at_first, lambda: (Cell(0.7), X)),
    (masses_in_a_list, lambda: ([Body(1.0 + k, np.array([0.1, 0.5]) * k, np.zeros(2)) for k in range(3)], X)),
    (of_two_arguments, lambda: (Body(1.5, 0.3, 0.7), Body(0.5, 1.3, -0.7), X)),
    (arrays_that_change_in_place, lambda: (Field(np.array([0.2, 0.5, -0.4]), 0.6), X)),
    (dataclasses_with_lists_and_dicts, lambda: (State(0.4), X)),
    (tree_that_changes, lambda: (Tree(0.5, Tree(1.2), Tree(-0.7, None, Tree(0.3))), X)),
    (parts_are_exchanged, lambda: (Pair(Body(1.0, 0.2, 0.3), Body(2.0, 0.4, 0.7)), X)),
    (in_a_tuple_and_a_dict, lambda: ((Body(1.0, 0.2, 0.3), {"one": Body(2.0, 0.4, 0.7)}), X)),
]
CASES = [pytest.param(f, args, id=f.__name__) for f, args in PROGRAMS]


@pytest.mark.parametrize("f, args", CASES)
@pytest.mark.parametrize("places", ["only", ""])
def test_gradient(f: Any, args: Any, places: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", places)
    positions = tuple(range(len(args())))
    g = sg.grad(f, positions)
    for scale in (1.0, 0.7, 1.0):
        given = args()
        given = (*given[:-1], given[-1] * scale)
        before = vector(copy.deepcopy(given))
        assert np.allclose(vector(g(*given)), central_gradient(
            lambda *args: f(*copy.deepcopy(args)), given, positions, 1.0, 1e-6), rtol=1e-6, atol=1e-7)
        assert np.array_equal(vector(given), before)            # what was given is as it was


W = np.array([0.3, -0.7, 1.1, 0.6])


@pytest.mark.parametrize("f, args", [case for case in CASES if len(case.values[1]()) == 2])
def test_second_derivative(f: Any, args: Any) -> None:
    def projected(given: Any, x: np.ndarray) -> Any:
        return np.sum(sg.grad(f, 1)(given, x) * W)

    got = sg.grad(projected, 1)(*args())
    given = args()[0]
    want = [(projected(given, X + 1e-6 * e) - projected(given, X - 1e-6 * e)) / 2e-6 for e in np.eye(4)]
    assert np.allclose(got, want, rtol=1e-5, atol=1e-6)


def test_slots() -> None:
    def at(a: float, b: float, x: np.ndarray) -> Any:
        return slots(Slotted(a, b), x)

    gradient, of_x = sg.grad(slots, (0, 1))(Slotted(0.4, 1.2), X)
    h = 1e-6
    assert np.allclose([gradient.a, gradient.b], [(at(0.4 + h, 1.2, X) - at(0.4 - h, 1.2, X)) / (2.0 * h),
                                                  (at(0.4, 1.2 + h, X) - at(0.4, 1.2 - h, X)) / (2.0 * h)])
    assert np.allclose(of_x, [(at(0.4, 1.2, X + h * e) - at(0.4, 1.2, X - h * e)) / (2.0 * h) for e in np.eye(4)])


def test_the_text() -> None:
    text = sg.source(cells_in_a_list, ("model", "x"), at={"model": net(), "x": X})
    assert "place_copies(model" in text and "gathered(" in text
    assert not any(name in text for name in ("own_parts", "entry_add", "path_of", "index_set"))


def test_objects_that_do_not_change_are_values() -> None:
    text = sg.source(lambda cell, x: cell.w * x[0], ("cell", "x"), at={"cell": Cell(0.3), "x": X})
    assert "place_copies" not in text


def twice(a, b, x):
    a.v = a.v * x[0]
    b.v = b.v + x[1]
    return a.v * b.v


def test_one_object_in_two_arguments() -> None:
    """Its adjoint is what belongs to it, wherever it is found."""
    body = Body(1.0, 0.2, 0.3)
    found = sg.grad(twice, (0, 1, 2))(body, body, X)
    assert np.isclose(found[0].v, found[1].v) and np.isclose(found[0].v, 2.0 * X[0] * (0.3 * X[0] + X[1]))
    assert np.allclose(found[2], [2.0 * 0.3 * (0.3 * X[0] + X[1]), 2.0 * (0.3 * X[0] + X[1]), 0.0, 0.0]) and body.v == 0.3
    found = sg.grad(twice, (0, 1, 2))(body, Body(1.0, 0.2, 0.5), X)                 # and then it is in one
    assert np.isclose(found[0].v, X[0] * (0.5 + X[1])) and np.isclose(found[1].v, 0.3 * X[0])


GLOBAL = Body(1.0, 0.2, 0.3)


def reached_from_outside(body, x):
    body.v = body.v * x[0]
    return GLOBAL.v * body.v


def changes_an_array(pair, x):
    pair.a[0] += x[0]
    return np.sum(pair.a * pair.b) * np.sum(x)


def test_memory_that_is_given_twice() -> None:
    """What would be two places where Python has one is refused, at every call."""
    with pytest.raises(InputError, match="also reached from outside"):
        sg.grad(reached_from_outside, 1)(GLOBAL, X)
    u = np.arange(5.0)
    g = sg.grad(changes_an_array, (0, 1))
    expected = g(Pair(u[:4].copy(), u[1:].copy()), X)
    assert np.allclose(expected[0].b, (u[:4] + [X[0], 0, 0, 0]) * np.sum(X))
    for pair, x in ((Pair(u[:4], u[1:]), X), (Pair(u, u), X), (Pair(X, X.copy()), X), (Pair(X[::-1], X.copy()), X)):
        with pytest.raises((InputError, UnsupportedError), match="shares memory|several places"):
            g(pair, x)


def test_one_list_at_two_places() -> None:
    """What cannot be told apart by its class is refused when it is met."""
    history = [0.5]
    a, b = State(0.4, history), State(0.3)
    b.table["h"] = 1.0

    def f(a, b):
        a.history.append(a.level)
        b.history.append(b.level * 2.0)
        return a.history[0] * a.history[-1] + b.history[-1]

    assert np.isclose(sg.grad(f, (0, 1))(a, b)[0].level, 0.5)
    b.history = history
    value = sg.grad(f, (0, 1))(a, b)[0].level
    assert np.isclose(value, 0.0)                                # (the last item is that of b)


@dataclass
class Act:
    k: float

    def __call__(self, v):
        return np.tanh(v * self.k)


ACT = Act(0.7)                                                   # equal to others, and so without a hash


class Unit:
    def __init__(self, v):
        self.v = v

    def step(self, x):
        self.v = ACT(self.v * x)
        y = ACT(x)
        return self.v * y


def steps(unit, x):
    return unit.step(x) + unit.step(x)


def test_a_callee_that_has_no_hash() -> None:
    want = (steps(Unit(0.3), 0.8 + 1e-6) - steps(Unit(0.3), 0.8 - 1e-6)) / 2e-6
    assert np.isclose(sg.grad(steps, "x")(Unit(0.3), 0.8), want)
