"""What need not be known of places, or is learned: literals for arrays, sums from nothing, functions and numbers in attributes."""
from __future__ import annotations

import copy
import enum
import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from sourcegrad.errors import UnsupportedError
from tests.kinds.places import by_differences, check_gradient, check_second, programs_of
from tests.kinds.test_held_arrays import X


@pytest.fixture(autouse=True)
def by_identity() -> Iterator[None]:
    """Nothing is done by values where that would do: what is tested are places."""
    before, linking.OPTIONS.places = linking.OPTIONS.places, "only"
    yield
    linking.OPTIONS.places = before


class Body:
    def __init__(self, v):
        self.v = v
        self.log = []
        self.total = 0.0

    def push(self, h):
        self.v = self.v + h
        self.log.append(self.v)
        return self

    def anything(self, k):
        """A number or an array: nobody can tell before it runs."""
        return [self.v, np.array([self.v, 1.0]), 2.0 * self.v][k]


class Side(enum.Enum):
    LEFT = 1.0
    RIGHT = -1.0


class Signed:
    def __init__(self, v, side=Side.RIGHT, *, other=Side.LEFT):
        self.v = v
        self.side = side
        self.other = other

    @property
    def value(self):
        return self.side.value * self.v + 0.5 * self.other.value


class Model:
    def __init__(self, f, v):
        self.f = f
        self.v = v
        self.calls = 0

    def run(self, x):
        self.calls += 1
        return self.f(x) * self.v


class Scale:
    def __init__(self, k):
        self.k = k
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return self.k * x * self.calls


# --- Literals that only NumPy reads

def matrix_of_rows(x):
    o = Body(x[0])
    o.push(x[1])
    m = np.array([[o.v, 1.0], [x[2], o.log[0]]])
    return np.sum(m @ m)


def rows_by_name(x):
    o = Body(x[0]).push(x[1])
    first, second = [o.v, x[1]], [1.0, x[2]]
    rows = [first, second]
    return np.linalg.det(np.array(rows)) * o.log[0]


def rows_that_are_kept(x):
    o = Body(x[0]).push(x[1])
    first = [o.v, x[1]]
    rows = [first, [1.0, x[2]]]
    o.rows = rows
    m = np.array(rows)
    first[0] = x[2] * x[2]
    o.rows[1].append(x[0])
    return np.sum(m * m) + o.rows[0][0] * rows[1][2]


def row_that_is_kept(x):
    o = Body(x[0]).push(x[1])
    first = [o.v, x[1]]
    m = np.array([first, first])
    o.log.append(first)
    first[1] = 3.0 * x[2]
    return np.sum(m * m) + o.log[1][1] * o.log[0]


def blocks(x):
    o = Body(x[0]).push(x[1])
    a = np.array([[o.v, x[1]], [x[2], 1.0]])
    m = np.block([[a, -a], [-a, a @ a]])
    return np.sum(m[0] * m[3]) * o.log[-1]


def three_deep(x):
    o = Body(x[0]).push(x[1])
    m = np.array([[[o.v], [x[1]]], [[x[2]], [o.log[0]]]])
    return np.sum(m ** 2 * m[::-1])


def stacked_in_a_loop(x):
    o = Body(x[0])
    total = 0.0
    for k in range(3):
        o.push(x[k])
        total += np.sum(np.stack([np.array([o.v, x[1]]), np.array([x[2], 1.0])]) ** 2)
    return total


def rows_one_by_one(x):
    o, rows = Body(x[0]), []
    for k in range(3):
        o.push(x[k])
        rows.append([o.v, x[k], 1.0])
        row = [x[2], o.log[-1], k]
        rows.append(row)
    m = np.array(rows)
    return np.sum(m[::2] * m[1::2]) + o.v


def row_that_changes_in_the_list(x):
    o, rows = Body(x[0]).push(x[1]), []
    for k in range(2):
        row = [o.v, x[k]]
        rows.append(row)
        row[0] = x[2] * o.v
        row.append(3.0 * x[1])
    return np.sum(np.array(rows) ** 2) * o.v


def one_row_twice(x):
    o, rows, row = Body(x[0]).push(x[1]), [], [1.0, x[2]]
    for _ in range(2):
        rows.append(row)
        row[0] = row[0] * o.v
    return np.sum(np.array(rows) ** 2)


def rows_of_who_calls(x):
    def fill(rows, o):
        row = [o.v, x[1]]
        rows.append(row)
        row[1] = o.v * x[2]

    o, rows = Body(x[0]).push(x[1]), []
    fill(rows, o)
    rows[0][0] = x[2]
    fill(rows, o.push(x[2]))
    return np.sum(np.array(rows) ** 2)


# --- Sums that are numbers first

def sum_of_what_is_not_known(x):
    o = Body(x[0])
    total = 0.0
    for k in range(3):
        o.push(x[k])
        total += np.sum(o.anything(k))
    return total


def sum_of_numbers_and_arrays(x):
    o, total = Body(x[0]), 0.0
    for k in range(3):
        o.push(x[k])
        total += o.anything(k)
    return np.sum(total * total)


def sum_that_starts_as_whole_number(x):
    o, total = Body(x[0]), 0
    for k in range(3):
        o.push(x[1])
        total = total + 1
        total += o.anything(1)
    return np.sum(total * o.v)


def sum_and_its_copy(x):
    o, total = Body(x[0]), 1.0
    for k in range(3):
        o.push(x[k])
        total += o.anything(1)
        o.kept = np.sum(total)
    return o.kept + np.sum(total * total)


def sum_that_is_handed_on(x):
    def half(v):
        return 0.5 * v

    o, total = Body(x[0]), 0.0
    for k in range(3):
        o.push(x[k])
        total += o.anything(1)
        o.v = o.v + np.sum(half(total))
    return o.v


# --- Numbers in attributes that operators change

def attribute_of_unknown_numbers(x):
    o = Body(x[0])
    for z in [x[1], None, x[2]]:
        if z is not None:
            o.push(z)
            o.total += o.anything(0) * z
    return o.total


def attribute_that_is_scaled(x):
    o = Body(x[0])
    for k in range(2):
        o.push(x[k])
        o.total += o.anything(2 * k)
        o.total *= 1.5
    return o.total * o.v


# --- Functions that objects hold

def numpy_function(x):
    o = Model(np.linalg.inv, x[0])
    return np.sum(o.run(np.array([[x[1], 0.2], [0.1, x[2]]]))) * o.calls


def closure(x):
    a = x[1] * x[2]
    o = Model(lambda v: v * v * a, x[0])
    return o.run(x[1]) + o.run(x[2]) * o.calls


def own_callable(x):
    o = Model(Scale(x[1]), x[0])
    return o.run(x[1]) + o.run(x[2]) * o.calls


def one_callable_for_two(x):
    scale = Scale(x[1])
    o, p = Model(scale, x[0]), Model(scale, x[2])
    return o.run(x[1]) + p.run(x[2]) * scale.calls + o.run(x[0])


def method_of_another(x):
    other = Body(x[0])
    o = Model(other.push, 1.0)
    o.f(x[1])
    o.f(x[2])
    return other.v * other.log[0]


def bound_function(x):
    o = Model(functools.partial(np.multiply, 3.0), x[0])
    return o.run(x[1]) * o.run(x[2])


# --- Members of enumerations, limits of dtypes, dicts that are copied

def sides(x):
    o = Signed(x[0])
    p = Signed(x[1], Side.LEFT, other=Side.RIGHT)
    total = 0.0
    for k in range(3):
        total -= o.value * p.value * x[k]
        o.v = o.v + x[2]
    return total


def side_that_changes(x):
    o = Signed(x[0])
    total = o.value
    o.side = Side.LEFT if x[0] > 0.0 else Side.RIGHT
    return total * o.value


def limits(x):
    o = Body(x[0]).push(x[1])
    return np.sum(np.maximum(x, np.finfo(x.dtype).tiny) * o.v) + 1e16 * np.finfo(x.dtype).eps * o.log[0]


SETTINGS = {"gain": 1.5, "bias": [1.0, 2.0]}


def settings(x):
    found = copy.deepcopy(SETTINGS)
    found.update(gain=x[0])
    o = Body(found["gain"])
    o.bias = found["bias"]
    o.push(x[1])
    o.bias[0] = x[2]
    return o.v * o.bias[0] * found["bias"][0]


def own_settings(x):
    base = dict(gain=x[0], more={"a": x[1]})
    found = dict(base)
    found["gain"] = x[1]
    o = Body(found["gain"])
    o.more = base["more"]
    found["more"]["a"] = x[2]
    return o.push(x[2]).v * o.more["a"] * base["gain"]


PROGRAMS = programs_of(globals())
REFUSED = {                      # by identity; by values they may be right
    "rows_that_are_kept": "`np.array(items)`",
    "row_that_is_kept": "`np.array(value)`",
    "row_that_changes_in_the_list": "`np.array(rows)`",
    "one_row_twice": "`np.array(rows)`",
    "rows_of_who_calls": "`np.array(items)`",
    "sum_that_is_handed_on": "the change of `total`",
    "sides": "`self_side.value`",
    "side_that_changes": "`self_side.value`",
    "settings": "the change of",
    "own_settings": "among other values"}


@pytest.mark.parametrize("f", [f for f in PROGRAMS if f.__name__ not in REFUSED], ids=lambda f: f.__name__)
def test_right_by_identity(f: Any) -> None:
    check_gradient(f, [X, X[::-1].copy(), X + 0.1])
    check_second(f, X)


@pytest.mark.parametrize("f", [f for f in PROGRAMS if f.__name__ in REFUSED], ids=lambda f: f.__name__)
def test_refused_by_identity(f: Any) -> None:
    with pytest.raises(UnsupportedError) as error:
        sg.grad(f)(X)
    assert REFUSED[f.__name__] in str(error.value)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_right_or_refused_any_way(f: Any) -> None:
    linking.OPTIONS.places = ""
    try:
        check_gradient(f, [X, X[::-1].copy()])
    except UnsupportedError:
        assert f.__name__ in REFUSED


class Array:
    def __init__(self, v):
        self.v = v


def scaled(x, k):
    o, total = Array([x[0], x * 1.0, 2.0][k]), 0.0
    seen = o.v
    o.v += x[1]
    return np.sum(o.v * 2.0) + np.sum(seen) + total


def test_operator_on_an_array_in_an_attribute_of_unknown_kind_is_right_or_refused_when_it_runs() -> None:
    for k in (0, 2, 1):
        try:
            found = sg.grad(scaled)(X, k)
        except UnsupportedError as error:
            assert "'v'" in str(error) and "o.v += x[1]" in str(error)
        else:
            assert np.allclose(found, by_differences(lambda x, k=k: scaled(x, k), X), rtol=1e-6)


# --- Generators that look at objects, which the loop over them looks at, too

class Level:
    def __init__(self):
        self.level = 0.0
        self.sizes = [1.0, 2.0, 3.0]

    def step(self, u):
        self.level = 0.5 * self.level + u
        return self.level

    def run(self, values):
        for u in values:
            yield self.step(u)

    def look(self, values):
        for u in values:
            yield u * self.level

    def plain(self):
        for u in self.sizes:
            yield 2.0 * u


def level_is_read(x):
    o, total = Level(), x[0]
    for y in o.run(x):
        total += y * o.level
    return total


def level_is_changed(x):
    o, total = Level(), x[0]
    for y in o.look(x):
        o.level = o.level + 1.0
        total += y
    return total


def level_by_map(x):
    o, total = Level(), x[0]
    for y in map(o.step, x):
        total += y * o.level
    return total


def level_by_expression(x):
    o, total = Level(), x[0]
    for y in (o.step(u) for u in x):
        total += y * o.level
    return total


def level_by_zip(x):
    o, total = Level(), x[0]
    for y, u in zip(o.run(x), x):
        total = total + y * o.level * u
    return total


def level_by_next(x):
    o = Level()
    items = o.run(x)
    first = next(items)
    return first * o.level


def level_and_break(x):
    o, total = Level(), x[0]
    for y in o.run(x):
        total += y
        if total > 1.5:
            break
    return total * o.level


def level_by_enumerate(x):
    o, total = Level(), 0.0
    for k, y in enumerate(o.run(list(x))):
        total = total + y * o.level * (k + 1.0)
    return total


def level_with_two(x):
    o, p, total = Level(), Level(), x[0]
    for y in o.run(x):
        p.level = p.level + y
        total += p.level
    return total * o.level


def level_all_at_once(x):
    o = Level()
    items = list(o.run(x))
    return sum(items) * o.level + items[0]


def sizes_are_read(x):
    o, total = Level(), x[0]
    for u in o.plain():
        total += u * x[1] * o.level
    return total + o.step(x[2])


def sizes_are_stored(x):
    o, total = Level(), x[0]
    for u in o.plain():
        o.sizes[2] = x[1] * u
        total += u
    return total


LAZY = [level_is_read, level_is_changed, level_by_map, level_by_expression, level_by_zip, level_by_next, level_and_break,
        level_by_enumerate, level_with_two, level_all_at_once, sizes_are_read, sizes_are_stored]


@pytest.mark.parametrize("mode", ["", "only"])
@pytest.mark.parametrize("f", LAZY, ids=lambda f: f.__name__)
def test_generators_are_right_or_refused(f: Any, mode: str) -> None:
    linking.OPTIONS.places = mode
    try:
        check_gradient(f, [X, X[::-1].copy()])
    except UnsupportedError:
        assert f is not level_all_at_once and (mode or f is not sizes_are_read)
