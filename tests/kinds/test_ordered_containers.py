"""Sorted lists (bisect) and dicts that keep an order: both as values and told apart by their identity."""
from __future__ import annotations

import bisect
import heapq
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import sourcegrad as sg
from tests.kinds.places import programs_of, suite_of

X = np.array([0.7, 1.3, 0.4, 0.9])
V = np.array([0.2, -0.5, 1.0, 0.3])
Quote = namedtuple("Quote", "price size")


class Item:
    def __init__(self, key, weight):
        self.key, self.weight = key, weight

    def __lt__(self, other):
        return self.key < other.key


class Shelf:
    def __init__(self):
        self.items = []

    def put(self, item):
        bisect.insort(self.items, item)


class Cache:
    """The least recently used entry goes when there are too many."""

    def __init__(self, room):
        self.room, self.entries = room, OrderedDict()

    def get(self, key, value):
        if key in self.entries:
            self.entries.move_to_end(key)
        else:
            self.entries[key] = value * value
            if len(self.entries) > self.room:
                self.entries.popitem(last=False)
        return self.entries[key]


def numbers(x):
    found = []
    for v in x:
        bisect.insort_left(found, v)
    bisect.insort_right(found, 0.8, 0, 3)
    return sum(v * k for k, v in enumerate(found))


def tuples(x):
    book = []
    for price, size in zip(x, x[::-1]):
        bisect.insort(book, Quote(price, size))
    best = book.pop(0)
    return best.price * best.size + book[-1].price


def objects(x):
    items = []
    for k, v in enumerate(x):
        bisect.insort(items, Item(v, v * k))
    return sum(item.weight * item.key * k for k, item in enumerate(items))


def by_a_key(x):
    items = []
    for k, v in enumerate(x):
        bisect.insort(items, Item(v, x[0] * k), key=lambda item: -item.key)
    place = bisect.bisect_left(items, -0.8, key=lambda item: -item.key)
    return sum(item.weight * k for k, item in enumerate(items)) * items[place].key


def in_an_object(x):
    shelf = Shelf()
    for v in x:
        shelf.put(v * v)
    return shelf.items[0] * shelf.items[1] ** 2


def heap_of_an_object(x):
    shelves = [Shelf(), Shelf()]
    for v in x:
        shelves[0].items.append(v)
    heapq.heapify(shelves[0].items)
    least = heapq.heappop(shelves[0].items)
    bisect.insort(shelves[1].items, least * x[1])
    bisect.insort_left(shelves[1].items, x[0] * x[2])
    return least * 2.0 + shelves[0].items[0] * shelves[0].items[1] + shelves[1].items[0] ** 2


def least_recently_used(x):
    cache = Cache(2)
    return sum(cache.get(key, x[k % 4]) * k for k, key in enumerate("abacaab"))


def ends(x):
    entries = OrderedDict(a=x[0], b=x[1] * 2.0, c=x[2])
    entries.move_to_end("a")
    entries.move_to_end("c", last=False)
    last, value = entries.popitem()
    first, other = entries.popitem(last=False)
    assert (last, first) == ("a", "c")
    return value * 2.0 + other * 3.0 + entries["b"] ** 2


def emptied(x):
    entries, total = {}, 0.0
    for k in range(4):
        entries[k] = x[k] ** 2
    while entries:
        key, value = entries.popitem()
        total = total + value * key
    return total


def items_that_change(x):
    entries = {"a": [x[0]], "b": [x[1]]}
    holder = [entries]
    key, value = holder[0].popitem()
    value.append(x[2])
    return sum(value) ** 2 * entries["a"][0]


def tree_of_dicts(x):
    root = {"sum": 0.0, "below": {}}
    for word, weight in zip(("ab", "abc", "bc", "ad"), x):
        node = root
        for letter in word:
            if letter not in node["below"]:
                node["below"][letter] = {"sum": 0.0, "below": {}}
            node = node["below"][letter]
            node["sum"] += weight
    total, waiting = 0.0, [root]
    while waiting:
        node = waiting.pop()
        total += node["sum"] ** 2
        waiting.extend([below for below in node["below"].values()])
    return total


PROGRAMS = programs_of(globals())
test_gradient, test_second_order_and_forward_mode, test_pullback, test_refusal = suite_of(PROGRAMS, {}, X, V)


def test_nothing_left():
    """What Python raises is raised."""
    def taken(x):
        entries = OrderedDict()
        entries.popitem()
        return x[0]

    with pytest.raises(KeyError):
        sg.grad(taken)(X)
