"""Dicts that objects hold are told apart by their identity: the adjoint of an item is found under its key."""
from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from sourcegrad.errors import UnsupportedError
from tests.kinds.places import check_gradient, check_second, programs_of
from tests.programs.dict_generator import DictWriter
from tests.programs.place_generator import REFUSED, WRONG, verdict

X = np.array([0.4, 0.9, -0.3, 0.7])


class Net:
    def __init__(self):
        self.weights = {}
        self.count = {}

    def put(self, name, v):
        self.weights[name] = v
        self.count[name] = self.count.get(name, 0) + 1

    def scale(self, f):
        for name in self.weights:
            self.weights[name] *= f

    def energy(self):
        total = 0.0
        for name, v in self.weights.items():
            total += v * v * self.count.get(name, 3)
        return total


def weights_by_name(x):
    net = Net()
    net.put("a", x[0])
    net.put("b", x[1] * x[0])
    net.put("a", x[2])
    net.scale(x[3])
    return net.energy()


def weights_in_a_loop(x):
    net = Net()
    for k, v in enumerate(x):
        net.put("even" if k % 2 == 0 else "odd", v * v)
        net.scale(x[k])
    return net.energy()


def one_goes(x):
    net = Net()
    for k, v in enumerate(x):
        net.put(k, v)
    del net.weights[1]
    gone = net.weights.pop(2)
    kept = net.weights.pop(17, x[0])
    return net.energy() * gone + kept + len(net.weights)


def asked_whether_it_is_there(x):
    net = Net()
    net.put("a", x[0])
    if "b" not in net.weights:
        net.put("b", x[1])
    if "c" in net.weights or not net.weights:
        return 0.0
    net.weights.setdefault("b", x[3])
    net.weights.setdefault("d", x[2] * x[2])
    return net.energy() + net.weights.get("e", x[0]) * net.weights.get("d", x[1])


def updated(x):
    net = Net()
    net.put("a", x[0])
    net.weights.update({"a": x[1], "b": x[2] * 2.0})
    net.weights.update(c=x[3], d=x[0] * x[1])
    net.weights |= {"e": x[0] ** 3}
    other = Net()
    other.put("b", x[3])
    other.weights.update(net.weights)
    other.weights.update([("z", x[0]), ("a", x[1])])
    return net.energy() + other.energy() * 0.5


def cleared_and_filled(x):
    net = Net()
    net.put("a", x[0])
    first = net.energy()
    net.weights.clear()
    net.put("b", x[1])
    return first * net.energy()


def shared_by_two(x):
    first, second = Net(), Net()
    second.weights = first.weights
    first.put("a", x[0])
    second.put("a", x[1])
    second.put("b", x[2])
    first.scale(x[3])
    return first.energy() * second.weights["b"]


def handed_on_and_compared(x):
    first, second = Net(), Net()
    mine = first.weights
    mine["a"] = x[0]
    if mine is first.weights and mine is not second.weights:
        mine["a"] = mine["a"] * x[1]
    same = first.weights == second.weights
    return first.energy() + (1.0 if same else x[2])


def replaced(x):
    net = Net()
    net.put("a", x[0])
    old = net.weights
    net.weights = {"a": x[1], "c": x[2]}
    net.weights["c"] += old["a"]
    old["a"] = x[3]
    return net.energy() + old["a"]


def copies(x):
    net = Net()
    net.put("a", x[0])
    net.put("b", x[1])
    before = dict(net.weights)
    copy = net.weights.copy()
    net.scale(x[2])
    copy["a"] = copy["a"] * 3.0
    return net.energy() + before["a"] * before["b"] + copy["a"]


def values_and_keys(x):
    net = Net()
    for k, v in enumerate(x):
        net.put(f"w{k}", v)
    total = sum(net.weights.values()) + max(net.weights.values())
    for v in net.weights.values():
        total += v * v
    for k, name in enumerate(sorted(net.weights)):
        total += k * net.weights[name]
    for k, name in enumerate(net.weights.keys()):
        total += k * net.weights[name] ** 2
    for name, v in sorted(net.weights.items()):
        total += len(name) * v
    return total + sum(v ** 3 for v in net.weights.values())


def changed_while_read(x):
    net = Net()
    for k, v in enumerate(x):
        net.put(k, v)
    for k, v in net.weights.items():
        net.weights[(k + 1) % 4] = v * v + net.weights[k]
    return net.energy()


def in_a_loop_with_an_exit(x):
    net = Net()
    total = 0.0
    for k, v in enumerate(x):
        net.put(k % 3, v)
        if v < 0.0:
            continue
        total += net.energy()
        if total > 2.0:
            break
    return total


class Ledger:
    def __init__(self):
        self.balance = defaultdict(float)
        self.names = defaultdict(list)
        self.pairs = defaultdict(lambda: 1.5)

    def add(self, name, v):
        self.balance[name] += v
        self.names[name].append(v * v)
        self.pairs[name] = self.pairs[name] * v

    def total(self):
        found = 0.0
        for name, v in self.balance.items():
            found += v * v + sum(self.names[name]) * self.pairs[name]
        return found


def missing_items(x):
    ledger = Ledger()
    for k, v in enumerate(x):
        ledger.add("even" if k % 2 == 0 else "odd", v)
    return ledger.total() + ledger.balance["none"] + len(ledger.balance)


class Grid:
    def __init__(self):
        self.cells = {}

    def put(self, i, j, v):
        self.cells[i, j] = self.cells.get((i, j), 0.0) + v

    def around(self, i, j):
        total = 0.0
        for di in (-1, 0, 1):
            if (i + di, j) in self.cells:
                total += self.cells[i + di, j]
        return total


def keys_are_tuples(x):
    grid = Grid()
    for k, v in enumerate(x):
        grid.put(k % 2, k // 2, v)
        grid.put(0, 0, v * v)
    return sum(grid.around(i, j) ** 2 for i in range(2) for j in range(2))


class Node:
    def __init__(self, name, v):
        self.name, self.v = name, v
        self.links = {}

    def link(self, other, w):
        self.links[other.name] = (other, w)


class Graph:
    def __init__(self):
        self.nodes = {}

    def add(self, name, v):
        self.nodes[name] = Node(name, v)
        return self.nodes[name]

    def step(self, h):
        for node in self.nodes.values():
            for other, w in node.links.values():
                other.v = other.v + h * w * node.v


def objects_by_name(x):
    graph = Graph()
    for k, v in enumerate(x):
        graph.add(k, v)
    for k in range(3):
        graph.nodes[k].link(graph.nodes[k + 1], x[0] * k)
        graph.nodes[k + 1].link(graph.nodes[0], 0.5)
    graph.step(x[1])
    graph.step(0.3)
    return sum(node.v ** 2 for node in graph.nodes.values()) + graph.nodes[2].v


def keys_are_objects(x):
    a, b = Node("a", x[0]), Node("b", x[1])
    force = {}
    holder = Net()
    holder.weights = force
    force[a] = x[2]
    force[b] = x[3] * x[0]
    force[a] += force[b] * b.v
    return holder.weights[a] ** 2 + holder.weights[b]


class Table:
    def __init__(self):
        self.rows = {}

    def row(self, name):
        if name not in self.rows:
            self.rows[name] = {}
        return self.rows[name]


def dicts_of_dicts(x):
    table = Table()
    for k, v in enumerate(x):
        table.row("a" if k < 2 else "b")[k] = v
        table.row("a")["sum"] = table.row("a").get("sum", 0.0) + v
    total = 0.0
    for row in table.rows.values():
        for v in row.values():
            total += v * v
    return total


def lists_in_a_dict_that_changes(x):
    table = Table()
    for k, v in enumerate(x):
        table.rows.setdefault(k % 2, []).append(v)
    table.rows[5] = [x[0], x[1]]
    table.rows[5][0] = table.rows[0][1] * 2.0
    total = 0.0
    for key, row in table.rows.items():
        for v in row:
            total += (key + 1) * v * v
    return total


@dataclass
class Settings:
    gain: float
    table: dict = field(default_factory=dict)
    more: dict = field(default_factory=lambda: {"a": 1.0})

    def add(self, v):
        self.table["n"] = self.table.get("n", 0) + 1
        self.table["last"] = v * self.gain
        self.more["a"] = self.more["a"] * v


def dicts_of_a_dataclass(x):
    first, second = Settings(x[0]), Settings(x[1])
    for v in x:
        first.add(v)
        second.add(v * first.table["last"])
    return first.more["a"] + second.table["last"] * second.table["n"]


class Params:
    def __init__(self, x):
        self.p = {"w": np.outer(x, x), "b": x * 2.0, "scale": x[0], "name": "tanh"}
        self.g = {}

    def run(self, v):
        self.g["y"] = np.tanh(self.p["w"] @ v + self.p["b"]) * self.p["scale"]
        self.g["n"] = self.g.get("n", 0) + 1
        return self.g["y"] if self.p["name"] == "tanh" else v

    def step(self, h):
        self.p["b"] = self.p["b"] - h * self.g["y"]
        self.p["scale"] *= 0.9


def arrays_and_numbers_by_name(x):
    net = Params(x)
    v = x
    for _ in range(3):
        v = net.run(v)
        net.step(x[1])
    return np.sum(v ** 2) + net.g["n"] * net.p["scale"]


class Momentum:
    def __init__(self, shape):
        self.state = {"v": np.zeros(shape), "t": 0}

    def step(self, w, g):
        self.state["t"] += 1
        self.state["v"] *= 0.9
        self.state["v"] += g
        return w - 0.1 * self.state["v"] / self.state["t"]


def arrays_that_change_in_place(x):
    rule = Momentum(4)
    w = x
    for _ in range(3):
        w = rule.step(w, 2.0 * w * x)
    return np.sum(w * w) + np.sum(rule.state["v"])


class Ordered:
    def __init__(self, pairs):
        self.d = OrderedDict(pairs)
        self.e = dict(a=1.0, b=2.0)
        self.f = dict(zip("abcd", pairs))


def other_ways_to_make_one(x):
    o = Ordered([(k, v) for k, v in enumerate(x)])
    o.d[0] = o.d[1] * x[0]
    o.e["a"] = o.e["b"] * x[2]
    o.e |= {k: v * 2.0 for k, v in o.e.items()}
    return sum(o.d.values()) + o.e["a"] * o.e["b"] + sum(v[1] for v in o.f.values())


def nothing_in_it(x):
    net = Net()
    total = x[0]
    for name, v in net.weights.items():
        total += v
    net.weights.update({})
    return total + len(net.weights) + net.energy()


def memoised(n, x, memo):
    if n < 2:
        return x
    if n not in memo.weights:
        memo.weights[n] = memoised(n - 1, x, memo) * x + memoised(n - 2, x, memo)
    return memo.weights[n]


def memo_of_a_recursion(x):
    return memoised(7, x[0], Net()) + memoised(3, x[1], Net())


def kept_by_a_caller(x):
    def fill(d, v):
        d["a"] = d.get("a", 0.0) + v
        d["b"] = d["a"] * v

    net = Net()
    for v in x:
        fill(net.weights, v)
    return net.energy()


def none_at_first(x):
    net = Net()
    net.weights = None
    for v in x:
        if net.weights is None:
            net.weights = {"a": v}
        else:
            net.weights["a"] *= v
    return net.weights["a"]


def an_integer_becomes_a_number(x):
    net = Net()
    net.weights["a"] = 0
    for v in x:
        net.weights["a"] += v * v
    net.weights["b"] = 2
    net.weights["b"] = net.weights["b"] * net.weights["a"]
    return net.energy()


def joined_and_merged(x):
    net, other = Net(), Net()
    net.put("p", x[0])
    other.put("q", x[1])
    net.weights = net.weights | {"r": x[2]}
    net.weights["p"] *= net.weights["r"]
    both = {**net.weights, **other.weights}
    both["q"] = both["q"] * 3.0
    other.weights = both
    other.weights["z"] = 1.0
    return sum(other.weights.values()) * net.weights["p"]


def made_in_a_loop(x):
    net = Net()
    for k in range(3):
        d = {}
        for j in range(k + 1):
            d[j] = x[j] * x[3]
        net.weights = d
        net.weights[0] = net.weights[0] * 2.0
    return sum(net.weights.values())


def dicts_in_a_list(x):
    tables = [{"a": v, "b": v * v} for v in x]
    net = Net()
    net.weights = tables[1]
    net.weights["a"] = net.weights["a"] * tables[0]["b"]
    for table in tables:
        table["b"] += table["a"]
    return tables[1]["a"] + tables[2]["b"] * net.weights["b"]


class Field:
    def __init__(self, x):
        self.u = {"u": x * 1.0, "v": x ** 2}
        self.log = []

    def step(self, h):
        u = self.u
        u["u"][1:] += h * u["v"][:-1]
        u["v"] *= 1.0 - h
        self.log.append(u["u"].sum())


def parts_of_arrays_by_name(x):
    field = Field(x)
    for _ in range(3):
        field.step(0.1)
    return field.u["u"] @ field.u["v"] + field.log[1]


class Shelf:
    def __init__(self):
        self.rows = [np.zeros(2), np.zeros(2)]

    def add(self, k, v):
        self.rows[k] += v
        self.rows[k][0] *= 0.5


def arrays_in_a_list_that_change(x):
    shelf = Shelf()
    for k, v in enumerate(x):
        shelf.add(k % 2, v * x[:2])
    return np.sum(shelf.rows[0] ** 2) + shelf.rows[1][1]


class Pair:
    def __init__(self, x):
        self.rows = [x * 1.0, x * 2.0]
        self.named = {"u": x * 1.0, 3: x ** 2}

    def change(self):
        self.rows[0] += 1.0
        self.named["u"][0] *= 3.0


def one_array_by_two_names(x):
    pair = Pair(x)
    row = pair.rows[0]
    pair.change()
    return row @ row + pair.named["u"] @ pair.rows[1]


def one_array_twice_in_a_list(x):
    pair, y = Pair(x), x * x
    pair.rows = [y, y]
    pair.rows.append(pair.rows[0])
    pair.change()
    pair.rows[2] *= 2.0
    return y @ y + pair.rows[1] @ pair.rows[0]


def arrays_of_a_copied_dict(x):
    first, second = Pair(x), Pair(x * 2.0)
    first.named = dict(second.named)
    first.named["u"] += x
    second.change()
    return first.named["u"] @ second.named["u"] + first.named[3][0]


def one_array_under_two_keys(x):
    pair = Pair(x)
    pair.named[3] = pair.named["u"]
    pair.named["u"] -= 0.5
    pair.change()
    return pair.named[3] @ pair.named["u"]


def arrays_that_loops_change(x):
    pair = Pair(x)
    for row in pair.rows:
        row *= 2.0
    for key, v in pair.named.items():
        v += key == 3
    pair.change()
    return pair.rows[0] @ pair.rows[1] + pair.named[3] @ pair.named["u"]


def arrays_put_together(x):
    pair = Pair(x)
    pair.rows = [np.zeros(4) for _ in range(3)]
    for k in range(3):
        pair.rows[k][k] = x[k]
    pair.change()
    return sum(row @ row for row in pair.rows) + np.sum(np.array(pair.rows) ** 3) + np.stack(pair.rows)[0, 1]


class Shape(ABC):
    def __init__(self, a):
        self.a = a
        self.seen = {}

    @abstractmethod
    def area(self, h):
        """The area."""


class Square(Shape):
    def area(self, h):
        self.seen[h] = self.a * self.a * h
        return self.seen[h]


class Circle(Shape):
    def area(self, h):
        self.seen["last"] = 3.0 * self.a ** 2 + h
        return self.seen["last"]


def abstract_classes(x):
    shapes = [Square(x[0]), Circle(x[1]), Square(x[2])]
    total = sum(shape.area(k + 1) for k, shape in enumerate(shapes))
    return total * shapes[1].seen["last"] + len(shapes[0].seen)


@dataclass(frozen=True)
class Setting:
    gain: float
    table: dict = field(default_factory=dict)


@dataclass
class Scaled:
    m: float
    n: float = 1.5

    def __post_init__(self):
        self.q = self.m * self.n
        self.kept = {"q": self.q}


def frozen_and_completed(x):
    setting, scaled = Setting(x[0] * x[1]), Scaled(x[2])
    setting.table["a"] = setting.gain * scaled.q
    scaled.kept["q"] += setting.table["a"]
    other = setting.table
    other["a"] = other["a"] * x[3]
    return setting.table["a"] * scaled.kept["q"]


def namespaces(x):
    box = SimpleNamespace(t=x[0], d={"a": x[1]})
    other = box
    other.t = other.t * x[2]
    box.d["a"] += other.t
    return box.t * other.d["a"]


def emptied_by_an_order_of_calls(x):
    """What is read before anything is stored has nothing in it."""
    net, other = Net(), Net()
    first = net.energy() + max(other.weights.values(), default=x[3])
    for v in x:
        net.put("a", net.energy() + v)
    return first + net.energy()


PROGRAMS = [pytest.param(f, id=f.__name__) for f in programs_of(globals())]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("places", ["only", ""])
def test_gradient(f: Any, places: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", places)
    check_gradient(f, [X, X * 0.5 + 0.2, X])


@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivative(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "" if f is memo_of_a_recursion else "only")
    check_second(f, X)


def grows_while_a_loop_goes_over_it(x):
    net = Net()
    net.put("a", x[0])
    for name in net.weights:
        net.weights[name + "b"] = x[1]
    return net.energy()


def shrinks_while_a_loop_goes_over_it(x):
    net = Net()
    net.put("a", x[0])
    net.put("b", x[1])
    for name, v in net.weights.items():
        if v < 0.5:
            del net.weights[name]
    return net.energy()


@pytest.mark.parametrize("f", [grows_while_a_loop_goes_over_it, shrinks_while_a_loop_goes_over_it])
def test_a_dict_that_changes_while_a_loop_goes_over_it(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python raises RuntimeError, at the first call."""
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    with pytest.raises((RuntimeError, UnsupportedError)):
        sg.grad(f)(X)


class Key:
    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return isinstance(other, Key)

    def __hash__(self):
        return 1


def keys_that_say_which_are_equal(x):
    net = Net()
    net.weights[Key(1)] = x[0]
    net.weights[Key(2)] = x[1]
    return net.energy()


def live_view(x):
    net = Net()
    values = net.weights.values()
    net.put("a", x[0])
    return sum(values)


@pytest.mark.parametrize("f", [keys_that_say_which_are_equal, live_view])
def test_what_is_refused_says_where(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    with pytest.raises(UnsupportedError) as caught:
        sg.grad(f)(X)
    first = f.__code__.co_firstlineno
    assert caught.value.origin is not None and first < caught.value.origin.line <= first + 5


def missing_key(x):
    net = Net()
    net.put("a", x[0])
    return net.weights["b"] * x[1]


def test_a_missing_key_is_an_error_of_python() -> None:
    with pytest.raises(KeyError):
        sg.grad(missing_key)(X)


def test_the_text() -> None:
    text = sg.source(weights_by_name, at={"x": X})
    assert "self.count[name] = " in text or "self_count[name] = " in text
    assert "for name in reversed(" in text and ".pop(name, 0.0)" in text
    helpers = ("places_of", "put_all", "(memory_", "key_load", "key_store", "dict_whole", "check_size")
    assert not any(name in text for name in helpers)


@pytest.mark.parametrize("number", range(600, 606))
def test_random_programs(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    found, what = verdict(number, 1 + (number % 4 == 0), DictWriter)
    assert found != WRONG, what


def test_few_random_programs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    assert sum(verdict(number, 1, DictWriter)[0] == REFUSED for number in range(700, 702)) <= 1
