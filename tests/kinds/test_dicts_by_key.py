"""Loops over the values or items of dicts: derivatives go to the dict by its keys, as the dict is at that turn."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import UnsupportedError
from tests.kinds.places import check_gradient, check_second, programs_of
from tests.kinds.test_held_arrays import X


def plain(x):
    d = {k: x[k] for k in range(3)}
    total = 0.0
    for k, v in d.items():
        total += v * x[k]
    for v in d.values():
        total += v * v * total
    return total + sum(v * v for v in d.values())


def taken_apart_later(x):
    d = {k: x[k] for k in range(3)}
    v, s = x[0] * 0.5, 0.0
    for item in d.items():
        s += v * x[0]
        k, v = item
    return s + v * k


def taken_apart_at_times(x):
    d = {"a": x[0], "b": x[1]}
    k, v, s = "a", x[2], 0.0
    for item in d.items():
        s += v * x[1]
        if k == "a":
            k, v = item
    return s + v


def another_dict_in_the_loop(x):
    d = {k: x[k] for k in range(3)}
    s = 0.0
    for k, v in d.items():
        s += v * s + v * (k + 1.0)
        d = {0: v * v, 1: x[0], 2: s}
    return s + d[0]


def another_dict_after_the_loop(x):
    d = {k: x[k] for k in range(3)}
    for _ in range(3):
        new = {}
        for k, v in d.items():
            new[k + 1] = v * x[1]
        d = new
    return sum(d.values())


def stored_by_another_name(x):
    d = {k: x[k] for k in range(3)}
    same, s = d, 0.0
    for v in d.values():
        same[2] = v * x[0]
        s += v * v
    return s


def arrays_that_change(x):
    d = {k: x * x[k] for k in range(3)}
    s = 0.0
    for k, v in d.items():
        v[0] = 2.0 * x[1]
        s += np.sum(v * d[(k + 1) % 3])
    return s


def dicts_of_dicts(x):
    d = {k: {j: x[k] * x[j] for j in range(2)} for k in range(3)}
    s = 0.0
    for k, inner in d.items():
        for j, v in inner.items():
            s += v * v * d[(k + 1) % 3][j]
    return s


def no_items(x):
    d, s = {}, 0.0
    for _, v in d.items():
        s += v
    d[1] = x[0]
    for k, v in list(d.items()):
        d[k + 1] = v * x[1]
        s += v
    return s + sum(d.values())


def break_and_continue(x):
    d = {k: x[k] for k in range(3)}
    s = 0.0
    for v in d.values():
        if v > 0.45:
            continue
        for j, w in d.items():
            s += v * w
            if j == 1:
                break
    return s


def given_and_changed(x):
    def fold(d, m):
        s = 0.0
        for k, v in d.items():
            s += v * m[k]
        d[0] = s
        return s

    d = {k: x[k] for k in range(3)}
    return fold(d, d) * fold(d, {0: 1.0, 1: x[1], 2: x[2]})


def two_at_once(x):
    d = {k: x[k] for k in range(3)}
    s = 0.0
    for v, w in zip(d.values(), d.values()):
        s += v * w
    for n, (k, v) in enumerate(d.items()):
        s += n * v * (k + 1)
    return s + max(d.values()) * min(d.values())


def mixed_values(x):
    d = {k: x[k] if k else 2 for k in range(3)}
    s = 0.0
    for k, v in d.items():
        s += v * v * (k + 1)
    return s


def deleted_before(x):
    d = {k: x[k] for k in range(3)}
    s = sum(v * v for v in d.values())
    del d[1]
    for v in d.values():
        s *= v
    return s


def new_ways(x):
    reached = {0: 1.0}
    for k in range(3):
        new = dict(reached)
        for total, v in reached.items():
            new[total + k % 2 + 1] = new.get(total + k % 2 + 1, 0.0) + v * x[k]
        reached = new
    return sum(v * (k + 1.0) for k, v in reached.items())


def in_reverse(x):
    d = {k: x[k] for k in range(3)}
    s = 1.0
    for k, v in reversed(list(d.items())):
        s = s * v + k
    for v in reversed(d.values()):
        s = s * v
    return s


@pytest.mark.parametrize("f", programs_of(globals()), ids=lambda f: f.__name__)
def test_gradients(f: Any) -> None:
    try:
        check_gradient(f, [X, X[::-1].copy(), X + 0.1])
        check_second(f, X)
    except UnsupportedError:
        assert f is in_reverse


def changed_while_it_is_read(x):
    d = {k: x[k] for k in range(3)}
    s = 0.0
    for k, v in d.items():
        d[(k + 1) % 3] = v * x[2]
        s += v
    return s + d[1]


def test_a_dict_that_changes_while_it_is_read_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="the dict 'd' changes while its items are iterated over"):
        sg.grad(changed_while_it_is_read)(X)


def test_cost_is_that_of_the_items() -> None:
    """A loop over a dict adds to the dict of adjoints, and makes no list of all items."""
    def f(x, n):
        d = {k: x * k for k in range(n)}
        total = 0.0
        for k, v in d.items():
            total += v * k
        return total

    g = sg.grad(f)
    assert g(2.0, 4) == 14.0
    assert "items_back" not in g.source and "dict_items" not in g.source


def keys_of_several_kinds(d):
    return sum(np.sum(v * v) for v in d.values()) + sum(np.sum(v) for k, v in d.items() if k != "w")


@pytest.mark.parametrize("d", [{0: np.array([1.0, 2.0]), "w": 3.0}, {"w": np.ones(2), (0, 1): 2.0, 3: np.ones((1, 2))},
                               {None: 2.0, "v": np.ones(1)}],
                         ids=["numbers_and_texts", "tuples", "none"])
def test_keys_of_several_kinds(d: dict) -> None:
    """A test of a text says nothing of keys that are none."""
    found = sg.grad(keys_of_several_kinds)(d)
    assert found.keys() == d.keys()
    for key, value in d.items():
        assert np.allclose(found[key], 2.0 * value + (key != "w"))
