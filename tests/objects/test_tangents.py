"""Objects, lists, dicts and arrays that others hold, in forward mode: against differences, to second order in each mix of modes."""
from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg

X, V, W = np.array([0.7, -0.4, 0.9]), np.array([0.3, 1.0, -0.5]), np.array([0.2, -0.6, 0.4])


class Body:
    def __init__(self, m: Any, x: Any, v: Any) -> None:
        self.m, self.x, self.v = m, x, v

    def kick(self, force: Any, h: float) -> None:
        self.v = self.v + h * force / self.m

    def drift(self, h: float) -> None:
        self.x = self.x + h * self.v


def chain(x):
    bodies = [Body(1.0 + 0.1 * k, x[k], 0.0) for k in range(len(x))]
    for _ in range(5):
        for a, b in zip(bodies, bodies[1:]):
            force = np.sin(b.x - a.x)
            a.kick(force, 0.1)
            b.kick(-force, 0.1)
        for b in bodies:
            b.drift(0.1)
    return sum(b.x * b.v for b in bodies)


def bodies_in_space(x):
    bodies = [Body(1.0 + 0.1 * k, x * k, np.zeros(3)) for k in range(3)]
    for _ in range(5):
        for a, b in zip(bodies, bodies[1:]):
            force = np.sin(b.x - a.x)
            a.kick(force, 0.1)
            b.kick(-force, 0.1)
        for b in bodies:
            b.drift(0.1)
    return np.sum(bodies[0].x * bodies[2].v)


class Node:
    def __init__(self, value: Any, following: Any) -> None:
        self.value, self.following = value, following


def linked(x):
    head = None
    for k in range(5):
        head = Node(x[k % 3] * k, head)
    total, node = 0.0, head
    while node is not None:
        node.value = node.value * np.sin(x[0])
        total += node.value
        node = node.following
    return total


class Stack:
    def __init__(self) -> None:
        self.items: list = []


def stack(x):
    s = Stack()
    both = [s, s]
    for k in range(6):
        both[k % 2].items.append(x[k % 3] * k)
        if k % 3 == 2:
            s.items.append(s.items.pop() * s.items.pop())
        if k == 4:
            s.items.append(3.0)
    s.items[1] = s.items[0] * x[1]
    return sum(s.items)


def gone_after_each_turn(x):
    """What is made anew has the identity of what is gone: nothing of its tangents is left."""
    kept = [Body(1.0, x[0], 0.0)]
    for k in range(20):
        fresh = Body(2.0, 1.0 * k, 3.0)
        two = [fresh, kept[0]]
        if k % 2:
            two[0].x = x[1] * k
            two[0].v = x[2]
        two[1].kick(fresh.x * fresh.v, 0.01)
        kept[0].drift(0.1)
    return kept[0].x * kept[0].x


class Grid:
    def __init__(self, u: Any) -> None:
        self.u = np.zeros(5)
        self.u[1:4] = u
        self.log: list = []

    def step(self) -> None:
        self.u[1:-1] += 0.1 * (self.u[2:] - 2.0 * self.u[1:-1] + self.u[:-2])
        self.log.append(self.u[2])


def grids(x):
    both = [Grid(x * k) for k in range(1, 3)]
    for _ in range(4):
        for grid in both:
            grid.step()
            both[0].u[0] = grid.u[3] * x[0]
    return np.sum(both[0].u * both[1].u) + sum(both[0].log)


def views(x):
    both = [Grid(x), Grid(x * x)]
    tail = both[0].u[1:]
    tail *= x[0]
    column = both[1].u.reshape(-1, 1)
    column[2] = x[1]
    return np.sum(np.sin(both[0].u) * both[1].u)


def arrays_gone_after_each_turn(x):
    kept = [Grid(x)]
    for k in range(8):
        few = [Grid(np.ones(3) * k), Grid(x)]
        if k % 2:
            few = [Grid(np.ones(3))]
        few[0].step()
        kept[0].u[2] += np.sum(few[0].u)
        kept[0].step()
    return np.sum(kept[0].u ** 2)


class Bag:
    def __init__(self) -> None:
        self.shares: dict = {}
        self.waiting: collections.deque = collections.deque()


def dicts_and_deques(x):
    bag = Bag()
    both = [bag, bag]
    for k in range(6):
        both[k % 2].shares[k % 4] = x[k % 3] * (k + 1)
        bag.waiting.append(x[k % 3])
        if k > 3:
            bag.shares[1] = bag.shares[0] * bag.waiting.popleft()
    del bag.shares[0]
    bag.shares["w"] = x[0] * 2.0
    return sum(bag.shares.values()) + sum(bag.waiting) * bag.shares["w"]


class Pair:
    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b


def tuples_in_attributes(x):
    pairs = [Pair(x[k], (x[k] * 2.0, 1.0)) for k in range(3)]
    for p in pairs:
        p.b = (p.b[1] * p.a, p.b[0])
        p.a = p.a * p.b[0]
    return sum(p.a * p.b[0] + p.b[1] for p in pairs)


def exchanged(x):
    a, b = Body(1.0, x[0], x[1]), Body(2.0, x[1], x[2])
    both = [a, b]
    for _ in range(3):
        both[0], both[1] = both[1], both[0]
        both[0].x = both[1].x * x[2]
        a.v = b.x
    return a.x * b.v + both[0].x


def in_a_try(x):
    bodies = [Body(1.0, x[k], 0.0) for k in range(3)]
    for b in bodies:
        try:
            b.x = b.x * 2.0
            if b.x > 1.0:
                raise ValueError
            b.v = b.x
        except ValueError:
            b.v = x[0]
    return sum(b.x * b.v for b in bodies)


def grown(bodies: list) -> Iterator:
    for b in bodies:
        b.x = b.x * 1.5
        yield b.x


def from_a_generator(x):
    bodies = [Body(1.0, x[k], 0.0) for k in range(3)]
    total = 0.0
    for v in grown(bodies):
        total += v * bodies[0].x
    return total


def turned(b: Body, k: int) -> Any:
    if k == 0:
        return b.x
    b.x = b.x * np.cos(b.v)
    return turned(b, k - 1) + b.x


def by_recursion(x):
    bodies = [Body(1.0, x[k], x[0]) for k in range(3)]
    return sum(turned(b, 3) for b in bodies)


def becomes_constant(x):
    """The tangent of what was there before goes."""
    bodies = [Body(x[0], x[k], x[1]) for k in range(3)]
    bodies[1].x = 2.0
    bodies[2].v = bodies[1].x * bodies[0].x
    bodies[0].m = 3
    return sum(b.x * b.v * b.m for b in bodies)


def one_of(a, b, first):
    return a if first else b


def set_behind_a_callee(x):
    """The table of adjoints is handed to a callee between a tangent and where it is read."""
    one, other = Body(1.0, x[0], x[1] * x[0]), Body(1.0, x[1], x[2] * x[0])
    bodies = [other, other, one]
    one_of(other, other, len(bodies) > 3).x = 0.35 + one_of(one, one, len(bodies) > 3).v
    return sum(b.v * b.m for b in bodies) * bodies[0].x


PROGRAMS = [chain, bodies_in_space, linked, stack, gone_after_each_turn, grids, views, arrays_gone_after_each_turn,
            dicts_and_deques, tuples_in_attributes, exchanged, in_a_try, from_a_generator, by_recursion, becomes_constant,
            set_behind_a_callee]
each = pytest.mark.parametrize("f", PROGRAMS)


def differences(f: Callable, x: np.ndarray, v: np.ndarray, step: float = 1e-6) -> Any:
    return (f(x + step * v) - f(x - step * v)) / (2.0 * step)


@each
def test_tangent(f: Callable) -> None:
    made = sg.pushforward(f)
    for x in (X, X + 0.3, X):
        value, dot = made(x, x_dot=V)
        assert value == pytest.approx(f(x), rel=1e-12)
        assert dot == pytest.approx(differences(f, x, V), rel=1e-6, abs=1e-8)
        assert dot == pytest.approx(np.dot(sg.grad(f)(x), V), rel=1e-10, abs=1e-12)
    assert "place_bars" in made.source and "path_" not in made.source


@each
def test_second_order(f: Callable) -> None:
    expected = differences(sg.grad(f), X, V)
    close = {"rtol": 1e-5, "atol": 1e-7}
    assert np.allclose(sg.pushforward(sg.grad(f), with_value=False)(X, x_dot=V), expected, **close)
    assert np.allclose(sg.grad(sg.pushforward(f, with_value=False))(X, x_dot=V), expected, **close)
    twice = sg.pushforward(sg.pushforward(f, with_value=False), with_value=False)
    assert np.allclose(twice(X, x_dot=V, x_dot_2=W), np.dot(expected, W), **close)


def test_matrices() -> None:
    """Where directions go together, objects are values."""
    assert np.allclose(sg.jacfwd(chain)(X), sg.grad(chain)(X))
    assert np.allclose(sg.hessian(chain)(X), [differences(sg.grad(chain), X, e) for e in np.eye(3)], rtol=1e-5, atol=1e-7)


def test_the_text_is_plain() -> None:
    made = sg.pushforward(chain)
    made(X, x_dot=V)
    for word in ("place_put", "place_drop", "place_dot", "index_set", "zero_tangent"):
        assert word not in made.source, word
    assert "dots['x']" in made.source
