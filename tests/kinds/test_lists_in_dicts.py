"""Dicts whose items are lists or deques that change: the lists are places, told apart by their identity; the dict is a value."""
from __future__ import annotations

import collections
import math
from collections import defaultdict, deque
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from tests.kinds.places import by_differences, check_gradient, check_second, programs_of

X = np.array([0.4, 0.9, -0.3, 0.7])


class Body:
    def __init__(self, v, m=1.0):
        self.v = v
        self.m = m
        self.near = []


def grouped(x):
    groups = defaultdict(list)
    for k, v in enumerate(x):
        groups[k % 2].append(Body(v))
    for body in groups[0]:
        body.v = body.v * groups[1][0].v
    return sum(body.v ** 2 * (key + 1) for key, bodies in groups.items() for body in bodies)


def cells_of_a_grid(x):
    bodies = [Body(v) for v in x]
    grid = defaultdict(list)
    for body in bodies:
        grid[math.floor(body.v * 2.0)].append(body)
    for body in bodies:
        place = math.floor(body.v * 2.0)
        for other in (place - 1, place, place + 1):
            for near in grid.get(other, ()):
                if near is not body:
                    body.near.append(near)
    for body in bodies:
        for near in body.near:
            near.v = near.v + 0.1 * body.v * near.v
    return sum(body.v * len(body.near) for body in bodies)


def queues_by_name(x):
    stock = defaultdict(deque)
    left = 0.0
    for k, v in enumerate(x):
        stock["ab"[k % 2]].append(Body(v, v * v))
        if k > 1:
            left = left + stock["a"][0].v * stock["b"][-1].m
            first = stock["ab"[k % 2]].popleft()
            first.v = first.v * 2.0
            left = left + first.v
    return left + sum(lot.v for name in sorted(stock) for lot in stock[name])


def a_list_that_is_set_by_default(x):
    found = {}
    for k, v in enumerate(x):
        found.setdefault(k % 3, []).append(Body(v))
    found[1].append(found[0][0])
    found[0][0].v = found[0][0].v * x[3]
    return sum(body.v ** 2 for key in found for body in found[key])


def one_list_under_two_keys(x):
    bodies = [Body(v) for v in x]
    table = {"a": bodies, "b": bodies}
    table["a"].append(Body(x[0] * x[1]))
    table["b"][0].v = table["b"][-1].v * 3.0
    return sum(body.v ** 2 for body in table["a"]) * len(table["b"])


def many_keys(x):
    table = defaultdict(list)
    for k in range(40):
        table[k].append(Body(x[k % 4] * k))
        table[k // 2][0].m = table[k][0].v * 0.5
    return sum(body.v * body.m for bodies in table.values() for body in bodies)


def with_none_where_nothing_is(x):
    table = {}
    for k, v in enumerate(x):
        bodies = table.get(k // 2)
        if bodies is None:
            bodies = []
            table[k // 2] = bodies
        bodies.append(Body(v, v + k))
    table[0][0].v = table[1][1].m
    return sum(body.v * body.m for key in table for body in table[key])


def lines_of_customers(x):
    lines = collections.defaultdict(collections.deque)
    for k, v in enumerate(x):
        lines[k % 2].append(Body(v, v + k))
    lines[1][-1].v *= lines[0][0].m
    total = 0.0
    for line in lines.values():
        line.append(Body(line[0].m, line[-1].v))
        while len(line) > 2:
            first = line[0]
            total = total + first.v * first.m * lines[2 if total < -1e9 else 0][-1].v
            line.popleft()
    return total + sum(line[k].v for line in lines.values() for k in range(len(line))) + 0.1 * len(lines)


PROGRAMS = programs_of(globals())


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("places", ["only", ""])
def test_gradient(f: Any, places: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", places)
    check_gradient(f, [X, X * 0.5 + 0.21, X])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    check_second(f, X)


def test_the_dict_is_not_copied() -> None:
    text = sg.source(cells_of_a_grid, at={"x": X + 0.01})
    assert "] = []" in text and "index_set(" not in text and "places_of" not in text


def test_items_of_deques_and_values_of_defaultdicts_are_read_as_python_reads_them() -> None:
    text = sg.source(lines_of_customers, at={"x": X + 0.01})
    assert "first = line[0]" in text and ".item(" not in text
    assert text.count("not in lines:") == 4                  # what a loop over the values reads is there


# --- calls of texts that were made for lists of names, by their columns

ORDERS = [("buy", 1), ("sell", 2), ("buy", 3)]


def ordered(x, orders):
    total = 0.0
    for (what, count), v in zip(orders, x):
        total = total + (v if what == "buy" else v * v) * count
    return total


@pytest.mark.parametrize("orders", [
    ORDERS, ORDERS[:2], [("buy", 1.5), ("sell", 2.5)], [("buy", True)], [("buy", 1), ("sell", 2.5)], [["buy", 1], ["sell", 2]],
    [("buy", np.int64(1)), ("sell", np.int64(2))], [], [collections.namedtuple("Order", "what count")("buy", 2)]])
def test_other_lists_are_seen(orders: Any) -> None:
    """What looks like the list of an earlier call is one; what differs in the class of an item is looked at anew."""
    g = sg.grad(ordered, inputs="x")
    for given in (ORDERS, ORDERS, orders, orders, ORDERS):
        wanted = by_differences(lambda x: ordered(x, given), X)
        assert np.allclose(g(X, given), wanted, atol=1e-8)
    for broken in ([("buy", 1), ("sell",)], [("buy", 1, 2)], [("buy", None)]):
        with pytest.raises((ValueError, TypeError, sg.SourcegradError)):
            g(X, broken)
