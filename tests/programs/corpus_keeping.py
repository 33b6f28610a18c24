"""Objects that keep arrays and parts of them, which change by other names: right, or refused where the change is.

All of these were silently wrong once. What lies apart in generated code although it is one array in the program (an attribute
that is a part of another, which the program updates for itself) must not be looked for by its memory.
"""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
V = np.array([0.3, 0.7, 0.4])
M = np.array([[0.3, 0.7, 0.4], [1.1, 0.9, 0.2], [0.8, 0.1, 0.6]])
W = np.cos(np.arange(9.0)).reshape(3, 3)


def case(*args, **options):
    def add(function):
        PROGRAMS.add(function, *args, **{"oracle": False, **options})
        return function
    return add


class Keeper:
    """A matrix and its second row."""

    def __init__(self, v):
        self.v = v
        self.row = v[1]

    def double(self):
        self.row *= 2

    def triple(self):
        self.v *= 3


@case(M)
def keepers_in_a_list(x):
    first, second = Keeper(x * 1.0), Keeper(x * 2.0)
    first.row[0] *= 2
    for keeper in [first, second]:
        keeper.v *= 3
    return np.sum(first.row ** 2) + np.sum(second.row ** 3)


@case(M)
def keeper_chosen_by_value(x):
    first, second = Keeper(x * 1.0), Keeper(x * 2.0)
    first.row[0] *= 2
    second.row[1] *= 2
    keeper = first if x[0, 0] > 0 else second
    keeper.v *= 3
    return np.sum(first.row ** 2) + np.sum(second.row ** 3)


@case(M)
def keeper_by_index(x):
    keepers = [Keeper(x * 1.0), Keeper(x * 2.0)]
    for keeper in keepers:
        keeper.double()
    keepers[int(x[0, 0] > 0)].triple()
    return np.sum(keepers[0].row ** 2) + np.sum(keepers[1].row ** 3)


@case(M)
def keepers_by_index_of_their_own(x):
    first, second = Keeper(x * 1.0), Keeper(x * 2.0)
    first.double()
    second.double()
    keepers = [first, second]
    keepers[int(x[0, 0] > 0)].v *= 3
    return np.sum(first.row ** 2) + np.sum(second.row ** 3)


@case(M)
def keepers_made_in_a_loop(x):
    keepers = []
    for k in range(3):
        keeper = Keeper(x * k)
        keeper.double()
        keepers.append(keeper)
    for k in range(2):
        keepers[k].triple()
        keepers[k + 1].v[1] += keepers[k].row
    return sum(np.sum(keeper.row ** 2) for keeper in keepers)


@case(M)
def keepers_by_key(x):
    keepers = {}
    for k in range(3):
        keepers[k] = Keeper(x * k)
        keepers[k].row[0] *= 2
    for k in keepers:
        keepers[k].v *= 3
    return sum(np.sum(keeper.row ** 2) for keeper in keepers.values())


@case(M)
def keeper_and_a_part_of_it(x):
    def both(keeper, row):
        keeper.v *= 2
        row += 1

    y = x * 1.0
    keeper = Keeper(y)
    keeper.row[1] = 5 * x[0, 0]
    both(keeper, y[0])
    both(keeper, keeper.row)
    return np.sum(y ** 2) + np.sum(keeper.row ** 3)


class Other:
    def __init__(self, w):
        self.w = w
        self.row = w[1]

    def fill(self, d):
        self.w[...] = 0.6
        return d


@case(M, M.T, inputs=("a", "b"))
def array_exchanged_after_its_row_has_changed(a, b):
    o = Other(b)
    o.row[0] += 0.2
    o.v = a
    o.w = o.fill(o.v)
    return np.sum(b ** 2) + np.sum(o.w * b)


class Turned:
    """Parts that are views, one of them in a list that grows."""

    def __init__(self, v):
        self.v = v.T
        self.kept = []
        self.kept.append(self.v)
        self.row = v[:, 2]

    def scaled(self, d):
        d *= 0.8
        return self.v[:, ::-1]


@case(M)
def turned_twice(x):
    o = Turned(x * 1.1)
    u = Turned(o.v)
    u.v = u.scaled(o.v)
    return np.sum(W * o.v ** 2) + np.sum(W * o.row[0] ** 2) + np.sum(o.kept[0] ** 2) + np.sum(u.row ** 2) + np.sum(
        W * u.kept[0] ** 2)


class Box:
    def __init__(self, v):
        self.v = v

    def part(self, k):
        k = k + 0
        return self.v[k:]


@case(V)
def part_put_in_its_own_place_on_one_path(x):
    y = x * 1.0
    box = Box(y)
    if x[0] < 1:
        box.v = box.part(1)
    y *= 2
    return np.sum(box.v ** 2)


@case(V)
def part_of_what_was_replaced(x):
    y = x * 1.0
    box = Box(y)
    v = box.part(1)
    box.v = x * 3
    y *= 2
    v *= 1.5
    return np.sum(v ** 2) + np.sum(y ** 2) + np.sum(box.v)


@case(V)
def part_of_an_item_that_was_replaced(x):
    def part(items, k):
        k = k + 0
        return items[0][k:]

    y = x * 1.0
    items = [y]
    v = part(items, 1)
    items[0] = x * 3
    v *= 2
    return np.sum(y ** 2) + np.sum(items[0])


class Prepared:
    def __init__(self, a):
        self.a = a
        self.parts = []
        self.prepare()

    def prepare(self):
        self.parts.append(self.a[1:])
        self.a *= 2


@case(V)
def part_kept_by_a_method_of_init(x):
    y = x * 1.0
    prepared = Prepared(y)
    prepared.parts[0][0] = 4 * x[0]
    return np.sum(y ** 2)


@dataclass
class Record:
    a: np.ndarray
    parts: list = field(default_factory=list)

    def __post_init__(self):
        self.b = self.a[1:]
        self.parts.append(self.b)
        self.a *= 2


@case(V)
def part_kept_by_post_init(x):
    y = x * 1.0
    record = Record(y)
    return np.sum(y ** 2) + np.sum(record.b ** 3) + np.sum(record.parts[0])


class Pair:
    """Methods that exchange what the object keeps, and change what they get of each other."""

    def __init__(self, v, w):
        self.v = v.T
        self.w = w.T

    def exchange(self):
        self.v, self.w = self.w, self.v
        return self.w

    def exchange_and_change(self):
        self.exchange()[0] = 0.3

    def turned(self):
        self.exchange_and_change()
        return self.w.T


@case(M)
def pair_that_exchanges_and_changes(x):
    a, b = x * 1.0, np.cos(x)
    pair = Pair(a, b)
    pair.exchange_and_change()
    return np.sum(W * a ** 2) + np.sum(b ** 2) + np.sum(pair.v ** 2) + np.sum(W * pair.w)


@case(M)
def pair_that_keeps_what_it_has_turned(x):
    a, b = x * 1.0, np.cos(x)
    pair = Pair(a, b)
    pair.v = pair.turned()
    return np.sum(W * a ** 2) + np.sum(b ** 2) + np.sum(pair.v ** 2) + np.sum(W * pair.w)


class Field:
    """Cells with a margin, as views of one array."""

    def __init__(self, n):
        self.data = np.zeros(n + 2)
        self.inner = self.data[1:-1]
        self.left = self.data[:1]
        self.right = self.data[-1:]

    def fill(self, x):
        self.inner[:] = x

    def close(self):
        self.left[:] = self.inner[-1:]
        self.right[:] = self.inner[:1]

    def second_difference(self):
        return self.data[2:] - 2 * self.inner + self.data[:-2]

    def step(self, dt):
        self.inner += dt * self.second_difference()
        self.close()


@case(V)
def field_with_margins(x):
    f = Field(3)
    f.fill(x)
    f.close()
    for _ in range(3):
        f.step(0.1)
    return np.sum(f.data ** 2) + np.sum(f.left)


@case(V)
def fields_side_by_side(x):
    a, b = Field(3), Field(3)
    a.fill(x)
    b.fill(x ** 2)
    for _ in range(2):
        a.right[:] = b.inner[:1]
        b.left[:] = a.inner[-1:]
        a.inner += 0.1 * a.second_difference()
        b.inner += 0.1 * b.second_difference()
    return np.sum(a.data ** 2) + np.sum(b.data ** 3)


class Rows:
    """A method that keeps a row, and changes it."""

    def __init__(self, w):
        self.w = w
        self.row = None

    def keep_and_change(self):
        self.row = self.w[1]
        self.row *= 0.9


@case(M)
def row_that_is_kept_and_changed(x):
    a = x * 1.0
    rows = Rows(a)
    rows.keep_and_change()
    return np.sum(W * a ** 2) + np.sum(rows.row)


class Versions:
    """The first item of a list is replaced; a row of what it was changes afterwards."""

    def __init__(self, v):
        self.v = v.T
        self.w = v
        self.kept = [v]
        self.row = self.w[0]
        self.table = {"k": self.w}

    def change(self):
        self.row *= 0.9

    def next(self):
        self.v, self.w = self.kept[0] * 0.9, self.kept[0][:, ::-1]
        return self.v

    def both(self):
        self.kept[0] = self.next()
        self.change()


@case(M)
def row_of_what_was_replaced(x):
    a = x * 1.0
    o = Versions(a)
    o.both()
    return np.sum(W * a ** 2) + np.sum(W * o.w ** 2) + np.sum(o.row ** 2) + np.sum(o.table["k"] ** 2)


@case(M)
def row_that_changes_twice(x):
    a = x * 1.0
    o = Versions(a)
    o.row *= 0.9
    o.both()
    return np.sum(W * a ** 2) + np.sum(W * o.w ** 2) + np.sum(o.row ** 2) + np.sum(o.table["k"] ** 2)


class Holder:
    def __init__(self, kept=None):
        self.kept = kept
        self.w = None


@case(M)
def turned_view_of_what_was_replaced(x):
    y = x * 1.0
    holder = Holder()
    holder.kept = y
    items = [holder]
    holder.w = items[0].kept.T
    holder.kept = y * 3
    holder.w *= 2
    return np.sum(W * y ** 2) + np.sum(items[0].kept * W) + np.sum(items[0].w ** 2)


class Moving:
    """Its kinds are not found in a few rounds: its method must not be left out as if it did nothing."""

    def __init__(self, v, w):
        self.v = v.copy()
        self.w = w.T
        self.row = self.w[0]
        self.table = {"k": v * 0.5}

    def exchange(self, d):
        self.w = self.v
        self.v, self.w = d[::-1], self.table["k"]

    def total(self, d):
        self.row = self.v[1]
        for _ in range(0):
            self.exchange(self.v + d)
        return d.sum(0)

    def keep_total(self):
        self.row = self.total(self.v)


@case(M)
def method_of_what_is_not_known(x):
    moving = Moving(x * 1.0, np.cos(x))
    moving.keep_total()
    return np.sum(moving.row ** 2)


class Windows:
    """Parts of one matrix that overlap; one of them is called as an attribute of arrays is."""

    def __init__(self, a):
        self.a = a
        self.top = a[:2]
        self.low = a[1:]
        self.flat = a.reshape(-1)

    def shift(self):
        self.low += 0.2

    def thin(self):
        self.flat[::2] *= 0.7

    def total(self):
        return np.sum(W * self.a ** 2) + np.sum(self.top ** 3) + np.sum(self.low) + np.sum(self.flat)


class Chosen(Windows):
    def __init__(self, a):
        super().__init__(a)
        self.calls = 0

    def grown(self, first):
        self.calls += 1
        part = self.top if first else self.low
        part *= 1.5
        return part


@case(M)
def views_by_the_names_of_attributes_of_arrays(x):
    windows = Windows(x * 1.0)
    windows.thin()
    windows.shift()
    return windows.total()


@case(M)
def base_class_that_keeps_views_when_callees_are_looked_into(x):
    windows = Chosen(x * 1.0)
    v = windows.grown(True)
    v[0] += 1
    w = windows.grown(False)
    w[1] *= 2
    v *= 1.1
    return windows.total() + np.sum(v * w) * windows.calls
