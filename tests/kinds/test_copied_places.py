"""Copies of what is told apart by its identity: what becomes of a copy is its own, and its adjoint belongs to what was copied."""
from __future__ import annotations

import copy
import dataclasses
from collections import deque
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from sourcegrad.errors import UnsupportedError
from tests.kinds.places import by_differences, check_gradient, check_second, programs_of
from tests.kinds.test_held_arrays import X


class Node:
    def __init__(self, v):
        self.v = v
        self.w = np.array([v, 2.0, v * v])
        self.xs = [v, 1.0]
        self.d = {"a": v}
        self.to = None


@dataclasses.dataclass(frozen=True)
class Point:
    a: float
    near: list


class Own:
    def __init__(self, v):
        self.v = v

    def __deepcopy__(self, memo):
        return Own(self.v * 2.0)


class Holder:
    def __init__(self, own):
        self.own = own


def changed(q, h):
    q.v *= h
    q.w[0] = h
    q.xs.append(h)
    q.d["a"] *= 3.0


def read(p):
    return p.v + np.sum(p.w) * 0.3 + sum(p.xs) * len(p.xs) + p.d["a"] ** 2


def deep(x):
    p = Node(x[0])
    q = copy.deepcopy(p)
    changed(q, x[1])
    return read(p) * read(q)


def shallow(x):
    p = Node(x[0])
    q = copy.copy(p)
    changed(q, x[1])
    return read(p) * read(q)


def cycle_in_a_list(x):
    p = Node(x[0])
    p.to = p
    both = copy.deepcopy([p, p])
    both[0].v *= x[1]
    same = both[0] is both[1] and both[0].to is both[1] and both[0] is not p
    return (both[1].to.v * p.v + both[1].v) * (2.0 if same else 3.0)


def history(x):
    steps, p = [], Node(x[0])
    for _ in range(3):
        steps.append(copy.deepcopy(p))
        p.v *= x[1]
        p.w += p.v
    return sum(q.v * np.sum(q.w) for q in steps) + p.v


def taken_back(x):
    """A step that is tried, and taken back."""
    p = Node(x[0])
    for h in (0.5, 0.1, 0.2):
        before = copy.deepcopy(p)
        changed(p, x[1] * h)
        if p.v > 0.05:
            p = before
        p.v += x[2] * h
    return read(p)


def no_copies(x):
    p, kept = Node(x[0]), []
    for _ in range(0):
        kept.append(copy.deepcopy(p))
    return read(p) * x[1] + len(kept)


def one_of_two(x):
    p, q = Node(x[0]), Node(x[1])
    r = copy.copy(p if x[2] > 0.0 else q)
    r.v += 1.0
    p.v *= r.v
    return p.v + q.v * r.v


def of_a_list(x):
    xs = [x[0], x[1]]
    ys = copy.copy(xs)
    same = xs
    same[0] *= x[2]
    ys[1] = xs[0] ** 2
    return sum(xs) * ys[0] + ys[1]


def of_a_dict_of_lists(x):
    p = Node(x[0])
    p.d = {"u": [x[0], x[1]], "v": [x[2]]}
    d = copy.deepcopy(p.d)
    d["u"][0] *= x[1]
    p.d["v"].append(x[0])
    return sum(d["u"]) * sum(p.d["u"]) + len(d["v"]) * sum(p.d["v"])


def of_a_deque(x):
    p = Node(x[0])
    p.to = deque([x[0], x[1], x[2]], maxlen=3)
    p.to.append(x[0] * x[1])
    q = copy.copy(p.to)
    q.append(x[2])
    p.to[0] *= 2.0
    return q[0] * q[2] + sum(p.to) * q[-1]


def frozen(x):
    p = Point(x[0], [x[1]])
    q = copy.deepcopy(p)
    q.near.append(p.a)
    p.near[0] = x[2] ** 2
    return sum(q.near) * p.near[0] + q.a


def in_a_tuple(x):
    p = Node(x[0])
    q, h = copy.deepcopy((p, x[1]))
    q.v *= h
    return p.v * q.v + h


def of_what_a_copy_holds(x):
    p, r = Node(x[0]), Node(x[1])
    p.to = r
    q = copy.copy(p)
    s = copy.deepcopy(q)
    q.to.v *= 2.0
    s.to.v *= x[2]
    return p.to.v * s.to.v + q.v


def with_a_generator(x):
    """A deep copy draws what its original does not see."""
    p = Node(x[0])
    p.rng = np.random.default_rng(3)
    q = copy.deepcopy(p)
    a, b = q.rng.normal(), p.rng.normal()
    q.v *= x[1]
    return p.v * a * x[2] + q.v * b


class Cell:
    def __init__(self, v):
        self.v = v

    def stepped(self, h):
        new = copy.copy(self)
        new.v = new.v * h + 0.1
        return new


def by_a_method(x):
    cells = [Cell(x[0])]
    for k in range(3):
        cells.append(cells[-1].stepped(x[k % 2 + 1]))
    return sum(c.v ** 2 for c in cells)


PROGRAMS = programs_of(globals())


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    check_gradient(f, [X, X * 0.5 + 0.3, X])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    check_second(f, X)


def objective(node, x):
    other = copy.deepcopy(node)
    other.v *= x
    node.w[1] += other.v
    return np.sum(node.w) * other.v


def test_of_an_argument() -> None:
    node = Node(0.7)
    found = sg.grad(objective, inputs=("x",))(node, 1.3)
    assert np.allclose(found, (objective(Node(0.7), 1.3 + 1e-6) - objective(Node(0.7), 1.3 - 1e-6)) / 2e-6)
    assert node.v == 0.7 and node.w[1] == 2.0


def test_a_class_that_says_how_it_is_copied() -> None:
    """Right, or refused at its place."""

    def held(x):
        p = Holder(Own(x[0]))
        q = copy.deepcopy(p)
        q.own.v *= x[1]
        return p.own.v * q.own.v

    def alone(x):
        p = Own(x[0])
        q = copy.deepcopy(p)
        q.v *= x[1]
        return p.v * q.v

    for f in (held, alone):
        try:
            found = sg.grad(f)(X)
        except UnsupportedError as error:
            assert error.origin is not None and "deepcopy" in error.origin.text
        else:
            assert np.allclose(found, by_differences(f, X), rtol=1e-6, atol=1e-8)


def test_the_text() -> None:
    text = sg.source(history, at={"x": X})
    assert "copies = copied_places(p, True)" in text and "bars = copies_back(bars, copies)" in text
    assert not any(name in text for name in ("(memory_", "places_of", "put_all", "place_load", "copied_part"))
