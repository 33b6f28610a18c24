"""One object at several places of containers that are made or change: repeated values, copies whose items are popped, deques.

Each was silently wrong once: a change by one of its names was not seen by the others.
"""
from __future__ import annotations

import copy
import itertools
from collections import defaultdict, deque

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
A = np.array([0.7, 1.4])
case = PROGRAMS.with_arguments(A)


class Plant:
    def __init__(self, u):
        self.u = u

    def grow(self, k):
        self.u = self.u * k


# --- what is popped of a copy

@case
def queue_of_a_copy(x):
    plants = [Plant(x), Plant(x * 2)]
    todo = list(plants)
    while todo:
        plant = todo.pop()
        plant.grow(2.0 + x[0])
    return sum(np.sum(p.u ** 2) for p in plants)


@case
def popped_of_a_slice(x):
    plants = [Plant(x), Plant(x * 2)]
    todo = plants[:]
    plant = todo.pop(0)
    plant.grow(2.0 + x[0])
    return sum(np.sum(p.u ** 2) for p in plants)


@case
def popped_of_a_dict_copy(x):
    plants = {"a": Plant(x), "b": Plant(x * 2)}
    todo = dict(plants)
    todo.pop("a").grow(2.0 + x[0])
    return sum(np.sum(p.u ** 2) for p in plants.values())


@case(may_refuse=True)
def popped_array_of_a_copy(x):
    items = [x * 1.0, x * 2]
    rest = items[:]
    first = rest.pop(0)
    first += x
    return np.sum(items[0] ** 2)


# --- deques

@case(may_refuse=True)
def popped_of_a_deque(x):
    a = x * 1.0
    waiting = deque([x, a])
    b = waiting.pop()
    b += x
    return np.sum(a ** 2)


@case
def popped_list_of_a_deque(x):
    a = [x * 1.0]
    waiting = deque([a])
    b = waiting.pop()
    b.append(x * 2)
    return np.sum(a[-1] ** 2)


@case
def popped_object_of_a_deque(x):
    plant = Plant(x)
    waiting = deque([plant])
    waiting.pop().grow(2.0)
    return np.sum(plant.u ** 2)


@case
def items_of_a_deque_that_move(x):
    plant = Plant(x)
    waiting = deque([plant, Plant(x), plant])
    waiting.popleft()
    waiting[1].grow(2.0)
    return np.sum(plant.u ** 2)


@case(may_refuse=True)
def arrays_of_a_deque_that_move(x):
    a = x * 1.0
    waiting = deque([a, x * 2, a])
    waiting.popleft()
    waiting[1] += x
    return np.sum(a ** 2)


@case
def copy_of_a_deque(x):
    waiting = deque([Plant(x), Plant(x * 2)])
    rest = waiting.copy()
    rest.popleft().grow(2.0)
    return np.sum(waiting[0].u ** 2)


# --- one value many times

@case(may_refuse=True)
def repeated_array(x):
    p, q = itertools.repeat(x * 1.0, 2)
    p += x
    return np.sum(q ** 2)


@case
def repeated_object(x):
    plants = list(itertools.repeat(Plant(x), 2))
    plants[0].grow(3.0)
    return np.sum(plants[1].u ** 2)


@case
def repeated_list(x):
    lists = list(itertools.repeat([x * 1.0], 2))
    lists[0].append(x * 3)
    return np.sum(lists[1][-1] ** 2)


@case
def keys_of_one_list(x):
    entries = dict.fromkeys("ab", [])
    entries["a"].append(x)
    return len(entries["b"]) * np.sum(x ** 2)


@case
def keys_of_one_dict(x):
    entries = dict.fromkeys("ab", {})
    entries["a"]["k"] = x
    return sum(np.sum(v) for v in entries["b"].values()) * x[0]


@case(may_refuse=True)
def keys_of_one_array(x):
    entries = dict.fromkeys("ab", x * 1.0)
    entries["a"] += x
    return np.sum(entries["b"] ** 2)


@case
def list_of_one_object(x):
    plants = [Plant(x)] * 2
    plants[0].grow(2.0)
    return np.sum(plants[1].u ** 2)


@case
def deque_of_one_object(x):
    plants = deque([Plant(x)] * 2)
    plants[1].grow(2.0)
    return np.sum(plants[0].u ** 2)


@case(may_refuse=True)
def list_of_one_array(x):
    a, b = [np.zeros(2)] * 2
    a += x
    return np.sum(b ** 2)


@case
def dict_of_one_object(x):
    plants = {k: p for k, p in zip("ab", [Plant(x)] * 2)}
    plants["a"].grow(2.0)
    return np.sum(plants["b"].u ** 2)


@case
def dict_of_one_object_by_loops(x):
    plants = {k: p for p in (Plant(x),) for k in "ab"}
    plants["a"].grow(2.0)
    return np.sum(plants["b"].u ** 2)


@case
def pairs_of_new_objects(x):
    pairs = list(itertools.combinations([Plant(x), Plant(x * 2), Plant(x * 3)], 2))
    pairs[0][0].grow(2.0)
    return np.sum(pairs[1][0].u ** 2)


@case
def product_of_new_objects(x):
    pairs = list(itertools.product([Plant(x), Plant(x * 2)], repeat=2))
    pairs[0][0].grow(3.0)
    return sum(np.sum(a.u * b.u) for a, b in pairs)


@case
def permutations_of_new_objects(x):
    pairs = list(itertools.permutations([Plant(x), Plant(x * 2)], 2))
    pairs[0][0].grow(3.0)
    return sum(np.sum(a.u) * np.sum(b.u * x) for a, b in pairs)


@case
def product_of_new_arrays(x):
    pairs = list(itertools.product([x * 1.0, x * 2], [x * 3]))
    pairs[0][1][:] = x
    return np.sum(pairs[1][1] ** 2)


@case
def loop_over_a_product_of_new_objects(x):
    total = 0.0
    for a, b in itertools.product([Plant(x), Plant(x * 2)], repeat=2):
        a.grow(1.5)
        total = total + np.sum(a.u * b.u)
    return total


# --- deep copies

class Net:
    def __init__(self, x):
        self.w = x * 1.0
        self.b = self.w[1:]


@case
def deep_copy_without_views(x):
    net = copy.deepcopy(Net(x))
    net.b += 1.0
    return np.sum(net.w ** 2)


@case
def deep_copy_of_a_list_without_views(x):
    a = x * 1.0
    copied = copy.deepcopy([a, a[1:]])
    copied[0] += x
    return np.sum(copied[1] ** 2)


@case
def deep_copy_with_one_object_twice(x):
    plant = Plant(x)
    copied = copy.deepcopy([plant, plant])
    copied[0].grow(2.0)
    return np.sum(copied[1].u ** 2) + np.sum(plant.u)


class Leaf:
    def __init__(self, v):
        self.v = v
        self.kids = []


@case
def tree_by_levels(x):
    root = Leaf(x)
    root.kids = [Leaf(x * 2), Leaf(x * 3)]
    waiting = deque([root])
    total = 0.0
    while waiting:
        leaf = waiting.popleft()
        leaf.v = leaf.v * x
        total = total + np.sum(leaf.v ** 2)
        for kid in leaf.kids:
            waiting.append(kid)
    return total + np.sum(root.kids[0].v)


class Turning:
    """Its matrix is replaced by a view of it, which the caller's row is a part of."""

    def __init__(self, v):
        self.v = np.outer(v, v)

    def turn(self, d, i):
        if i > 5:
            pass
        else:
            self.v, self.w = self.v.T, d.copy()


@case
def row_of_what_a_method_turns(x):
    turning = Turning(x)
    turning.row = turning.v[0]
    turning.w = turning.turn(turning.v, 1)
    turning.v[1:] *= 1.1
    return np.sum(turning.row ** 2)


# --- a deep copy of two equal views, and what a factory gives

@case
def deep_copy_of_equal_views(x):
    m = np.outer(x, x)
    row = m[0]
    a, b = copy.deepcopy((row, m[0]))
    a *= 2
    return np.sum(b ** 2) + np.sum(a)


class Source:
    def __init__(self, x):
        self.b = x * 1.0

    def same(self):
        return self.b

    def new(self):
        return self.b * 2


@case(may_refuse=True)
def factory_that_gives_what_is_there(x):
    d = defaultdict(Source(x).same)
    d[0]
    d[1] += x
    return np.sum(d[0] ** 2)


@case
def factory_of_an_object_without_a_name(x):
    d = defaultdict(Source(x).new)
    d[0]
    d[1] += x
    return np.sum(d[0] ** 2)


@case
def factory_whose_object_is_another_one_later(x):
    source = Source(x)
    d = defaultdict(source.new)
    source = Source(x * 5)
    d[0]
    d[1] += x
    return np.sum(d[0] ** 2) + np.sum(source.b)


# --- objects of two classes in one list, and a name that has fallen behind

class Weight:
    def __init__(self, v):
        self.v = v

    def add(self, step):
        self.v += step


class OtherWeight(Weight):
    pass


def items_of_two_classes_that_others_hold(x, k):
    n, r = Weight(x[0]), OtherWeight(x[1])
    items, pair = [n, r], (n, r)
    for q in items[:k]:
        q.v += x[1]
    return pair[0].v * pair[1].v


def one_item_of_two_classes(x, k):
    n, r = Weight(x[0]), OtherWeight(x[1])
    items = [n, r]
    items[k - 1].v *= x[1]
    return n.v * r.v


def two_classes_in_a_branch(x, k):
    n, r = Weight(x[0]), OtherWeight(x[1])
    for q in [n, r]:
        if k:
            q.v -= x[1] * k
    return n.v * r.v


def exchange(a, b, k):
    if k:
        a.v, b.v = b.v, 0.9 * a.v


def item_whose_first_name_is_behind(x, k):
    n, m, r = Weight(x[0]), Weight(x[1]), Weight(x[0] * x[1])
    items, others = [n, m], [r]
    items.reverse()
    exchange(others[0], items[0], k)
    n = others[0]
    m.add(x[0])
    return sum(q.v for q in items) + n.v


for program in (items_of_two_classes_that_others_hold, one_item_of_two_classes, two_classes_in_a_branch,
                item_whose_first_name_is_behind):
    for times in (0, 1, 2):
        PROGRAMS.add(program, A, times, oracle=False)
