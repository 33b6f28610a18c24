"""Guards of large arguments say what kinds say: `api.columns` against `kinds.kind_of`, over random objects and changes."""
from __future__ import annotations

import collections
import copy
import enum
import random
import types

import numpy as np
import pytest

from sourcegrad import kinds as k
from sourcegrad.api.columns import IDS, Columns, NotWritten
from sourcegrad.api.shadow_run import memory_in


class Plain:
    def method(self):
        return 1


class Other(Plain):
    pass


class Slotted:
    __slots__ = ("a", "b")


class Sort(enum.Enum):
    ONE = 1
    TWO = 2


Pair = collections.namedtuple("Pair", "one two")
NAMES = ("a", "b", "c", "d")
ARRAYS = (np.ones(3), np.ones(4), np.ones(1), np.ones(0), np.ones((2, 3)), np.ones((3, 2)).T, np.ones(3, np.float32),
          np.arange(3), np.float64(2.0), np.float32(2.0), np.bool_(True))
LEAVES = (1.0, 2, True, False, None, "fast", "slow", b"b", 2j, Sort.ONE, Sort.TWO, np.sin, np.cos, len, *ARRAYS)


def leaf(draw: random.Random):
    return draw.choice((1.0, 2.5, 3.0, *LEAVES))


def value(draw: random.Random, depth: int):
    if depth == 0 or draw.random() < 0.15:
        return leaf(draw)
    sort, count = draw.randrange(9), draw.randrange(5)
    if sort in (0, 1):
        found = draw.choice((Plain, Plain, Other, types.SimpleNamespace))()
        for name in NAMES[:count]:
            setattr(found, name, value(draw, depth - 1))
        if draw.random() < 0.2 and isinstance(found, Plain):
            found.own = found.method
        return found
    if sort == 2:
        one = value(draw, depth - 1)
        return [another(draw, one) for _ in range(count)]
    if sort == 3:
        return [value(draw, depth - 1) for _ in range(count)]
    if sort == 4:
        return tuple([value(draw, depth - 1) for _ in range(count)])
    if sort == 5:
        found = Slotted()
        found.a, found.b = value(draw, depth - 1), value(draw, depth - 1)
        return found
    if sort == 6:
        return Pair(value(draw, depth - 1), leaf(draw))
    if sort == 7:
        return draw.choice(({2.5: 1.0}, collections.Counter("ab"), {1, 2}, collections.defaultdict(list, a=[1.0])))
    return {key: value(draw, depth - 1) for key in draw.sample(("x", "y", 1, True, ("x", 2), None), count)}


def another(draw: random.Random, one):
    """The same with other numbers, mostly."""
    new = copy.deepcopy(one)
    return changed(draw, new) if draw.random() < 0.1 else new


def changed(draw: random.Random, whole):
    """The value, of which one place is something else."""
    holders = [x for x in memory_in(whole, set()) if not isinstance(x, (np.ndarray, tuple, frozenset, set))]
    if not holders:
        return leaf(draw)
    x = draw.choice(holders)
    new = value(draw, draw.randrange(3))
    if isinstance(x, list):
        draw.choice((lambda: x.append(new), lambda: x.pop() if x else None, lambda: x and x.__setitem__(
            draw.randrange(len(x)), new)))()
    elif isinstance(x, collections.Counter):
        x["c"] = 1
    elif isinstance(x, dict):
        key = draw.choice((*x, "z", 1.0))
        draw.choice((lambda: x.pop(key, None), lambda: x.__setitem__(key, new), lambda: x.update({key: x.pop(key, 1.0)})))()
    elif isinstance(x, Slotted):
        draw.choice((lambda: setattr(x, "a", new), lambda: hasattr(x, "b") and delattr(x, "b")))()
    else:
        name = draw.choice((*vars(x), "z"))
        draw.choice((lambda: setattr(x, name, new), lambda: vars(x).pop(name, None), lambda: setattr(
            x, "__class__", Other) if isinstance(x, Plain) else None))()
    return whole


def covers(kind, other) -> bool:
    """Whether all values of another kind are of this one."""
    return k.forget_sizes(k.join(k.forget_sizes(kind), k.forget_sizes(other))) == k.forget_sizes(kind)


@pytest.mark.parametrize("seed", range(40))
def test_a_change_is_seen(seed: int) -> None:
    draw = random.Random(seed)
    written = unlike = 0
    for _ in range(60):
        whole = value(draw, 4)
        sizes: dict = {}
        kind = k.kind_of(whole, "x", sizes)
        try:
            test = Columns().test(kind)
        except NotWritten:
            continue
        written += 1
        assert test(whole, {}), kind
        now = whole
        for _ in range(6):
            now = changed(draw, now)
            new = k.kind_of(now, "x", {})
            found = test(now, {})
            if new == kind:
                assert found, (kind, now)
            elif found:
                assert covers(kind, new), (kind, new)
            unlike += not found
    assert written > 40 and unlike > 60


def model(count: int):
    found = types.SimpleNamespace(scale=2.0, layers=[], tables={})
    for j in range(count):
        layer = Plain()
        layer.w, layer.b, layer.name, layer.sizes, layer.options = 1.0 * j, np.ones(3), f"l{j}", [1, j], {"rate": 0.1, "kind": "x"}
        found.layers.append(layer)
        found.tables[f"t{j}"] = {"a": 1.0, "b": [0.5, 0.25]}
    return found


CHANGES = {
    "another class": lambda m: setattr(m.layers[3], "w", np.ones(2)),
    "an int": lambda m: setattr(m.layers[3], "w", 3),
    "a bool": lambda m: setattr(m, "scale", True),
    "a scalar of NumPy": lambda m: setattr(m.layers[3], "w", np.float64(3.0)),
    "rank": lambda m: setattr(m.layers[3], "b", np.ones((3, 1))),
    "dtype": lambda m: setattr(m.layers[3], "b", np.ones(3, np.float32)),
    "one element": lambda m: [setattr(layer, "b", np.ones(1)) for layer in m.layers],
    "attribute deleted": lambda m: delattr(m.layers[3], "name"),
    "attribute added": lambda m: setattr(m.layers[3], "more", 1.0),
    "item of another class": lambda m: m.layers[3].sizes.append(1.0),
    "list emptied": lambda m: m.layers.clear(),
    "key removed": lambda m: m.tables["t3"].pop("a"),
    "keys in another order": lambda m: m.tables["t3"].update(a=m.tables["t3"].pop("a")),
    "key added": lambda m: m.tables["t3"].update(c=1.0),
    "text": lambda m: m.layers[2].options.update(kind="y"),
    "class": lambda m: setattr(m.layers[3], "__class__", Other),
    "dict rebound": lambda m: setattr(m.layers[3], "__dict__", {"w": 1.0}),
    "item is None": lambda m: m.layers.__setitem__(2, None),
    "a tuple": lambda m: setattr(m, "layers", tuple(m.layers)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_large_object(name: str) -> None:
    one = model(30)
    test = Columns().test(k.kind_of(one, "x", {}))
    assert test(one, {}) and test(model(30), {}) and test(copy.deepcopy(one), {})
    CHANGES[name](one)
    assert not test(one, {})


def test_values_may_change() -> None:
    one = model(30)
    test = Columns().test(k.kind_of(one, "x", {}))
    one.layers[3].w, one.layers[3].sizes, one.scale = 7.0, [5, 6, 7], -1.0
    one.layers.append(copy.deepcopy(one.layers[0]))
    one.tables["t2"]["b"] *= 3
    for layer in one.layers:
        layer.b = np.zeros(3)
    assert test(one, {})


def test_only_what_is_asked_for() -> None:
    one = model(30)
    test = Columns(frozenset({"layers", "w", "missing"})).test(k.kind_of(one, "x", {}))
    one.tables["t1"], one.layers[2].b, one.layers[4].more = None, "text", 1.0
    del one.layers[3].name
    assert test(one, {})
    one.layers[3].missing = 1.0
    assert not test(one, {})
    del one.layers[3].missing
    assert test(one, {})
    one.layers[3].w = 1
    assert not test(one, {})


def test_sizes_that_are_equal() -> None:
    sizes: dict = {}
    held = {f"a{j}": np.ones(5 + j % 2) for j in range(40)}
    test = Columns().test(k.kind_of(held, "x", sizes))
    found: dict = {}
    assert test(held, found) and sorted(found.values()) == [5, 6]
    assert test({key: np.ones(2 * value.size) for key, value in held.items()}, {})
    assert not test({**held, "a3": np.ones(5)}, {}) and not test({**held, "a2": np.ones(1)}, {})
    known = {symbol: 7 for symbol in found}
    assert not test(held, known)


def test_what_is_met() -> None:
    one = model(30)
    columns = Columns()
    test = columns.test(k.kind_of(one, "x", {}))
    sizes: dict = {IDS: []}
    assert test(one, sizes) and columns.closed
    assert len(sizes[IDS]) == len(set(sizes[IDS])) == 1 + 1 + 1 + 30 * 4 + 30 * 2
    one.layers[3].b = one.layers[4].b
    sizes = {IDS: []}
    assert test(one, sizes) and len(set(sizes[IDS])) == len(sizes[IDS]) - 1


def test_a_cycle() -> None:
    one = model(30)
    for layer in one.layers:
        layer.owner = one
    columns = Columns()
    test = columns.test(k.kind_of(one, "x", {}))
    assert test(one, {}) and not columns.closed
    one.layers[3].owner = 1.0
    assert not test(one, {})
