"""counters: which numbers that loops over ranges make are never negative."""
from __future__ import annotations

import textwrap

import gast
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.analysis.counters import Counters

TEXT = """
def f(n, m, xs):
    count = len(xs)
    for k in range(count):
        at = count - 1 - k
        below = count - 2 - k
        other = n - 1 - k
    for i in range(2, n):
        for j in range(m):
            index = i + j
            half = (i * 3 + 1) // 2 % count
            less = i - j
    for down in range(n, 0, -1):
        y = 0
    for from_m in range(m, n):
        y = 1
    for p in range(n):
        n = n - 3
        q = n - 1 - p
    for moved in range(n):
        moved = moved - 1
    for twice in range(n):
        y = 2
    for twice in range(-1, n):
        y = 3
    total = j + j + j + j + j + j + j + j + j + j
"""


@pytest.mark.parametrize("text, expected", [
    ("k", True), ("at", True), ("below", False), ("other", False), ("i", True), ("j", True), ("index", True), ("half", True),
    ("less", False), ("down", False), ("from_m", False), ("p", True), ("q", False), ("moved", False), ("twice", False),
    ("y", False),     ("3", True), ("-1", False), ("True", False), ("2.0", False), ("xs", False), ("n", False),
    ("count", True), ("i + j * 2", True),
    ("i + n", False), ("total", False), ("max(i, j)", False)])
def test_never_negative(text, expected) -> None:
    tree = gast.parse(textwrap.dedent(TEXT)).body[0]
    assert Counters(tree).never_negative(gast.parse(text, mode="eval").body) == expected


class Held:
    def __init__(self, items):
        self.items = items


def backwards(x, n):
    held = Held([v for v in x])
    holders = [held, held]
    held = holders[n % 2]
    total = 0.0
    for v in reversed(held.items):
        total = total * 0.5 + v * v
    for k in range(n):
        held.items[k % 2 + k // 2] *= 1.0 + k
        held.items[k - n] += 0.1 * held.items[k]                   # from the end
    return total + sum(held.items) ** 2


def growing(x, n):
    held = Held([x[0], x[1]])
    for k, v in zip(range(n), reversed(list(held.items))):
        held.items.append(v * x[k])
        held.items[len(held.items) - 1 - k] *= v
    return held.items[-1] * held.items[0] + len(held.items)


def strict(x, n):
    held = Held([v * v for v in x])
    return sum(a * b * c for a, b, c in zip(reversed(held.items), x, reversed(x), strict=True))


@pytest.mark.parametrize("f", [backwards, growing, strict])
@pytest.mark.parametrize("n", [0, 1, 2])
def test_items_by_counters(f, n) -> None:
    sg.check_grad(f, np.array([0.4, 1.3, -0.7, 0.9]), n, inputs="x")


def test_what_counts_needs_no_place() -> None:
    gradient = sg.grad(backwards, inputs="x")
    gradient(np.array([0.4, 1.3, -0.7, 0.9]), 2)
    text = str(gradient.source).split("def backwards_grad")[1]
    assert text.count("index_in") == 1                       # that from the end
