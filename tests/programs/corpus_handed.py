"""What a method hands out is a part of what its object keeps: by way of lists, dicts, objects, and changes later.

The first of each group was silently wrong once. Where the array cannot be known the change is refused with its line.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
V = np.arange(1.0, 10.0).reshape(3, 3) / 7
U = V.copy()
case = PROGRAMS.with_arguments(V)


class Holder:
    def __init__(self, w):
        self.w = w


class Maker:
    """Makes arrays, keeps them in many ways, and hands out parts of them."""

    kept: list
    held: Any

    def __init__(self, w):
        self.w = w
        self.log = []
        self.entries = {}

    def of_a_new_list(self):
        self.kept = [self.w * 0.9]
        return self.kept[0][1]

    def of_an_object(self):
        holder = Holder(self.w * 3)
        self.held = holder
        return holder.w[0]

    def of_lists_in_a_dict(self):
        grid = [[self.w * 1.5]]
        self.entries = {"grid": grid}
        return grid[0][0][1]

    def appended(self):
        v = self.w * 0.9
        self.log.append(v)
        return v[1]

    def turned(self):
        self.entries["x"] = self.w * 2
        return self.entries["x"].T

    def whole_object(self):
        holder = Holder(self.w * 3)
        self.kept = [holder]
        return holder

    def one_of_two(self, flag):
        v = self.w * 1.5
        if flag:
            self.held = v
        else:
            self.log.append(v)
        return v[:2]

    def for_another(self, other):
        v = self.w * 1.5
        self.held = v
        other.log.append(v)
        other.kept = [v[0]]
        return v[0]

    def of_one_list_twice(self):
        row = [self.w * 1.5]
        self.kept = [row, row]
        return self.kept[1][0]

    def in_a_tuple(self):
        v = self.w * 0.9
        self.kept = [v]
        return v[1:], 3

    def in_a_list(self):
        v = self.w * 0.9
        self.log.append(v)
        return [v[1], v]

    def in_a_dict(self):
        self.entries["x"] = self.w * 2
        return {"turned": self.entries["x"].T, "held": Holder(self.entries["x"][0])}

    def in_an_object(self):
        holder = Holder(self.w * 3)
        self.held = holder
        return Holder(holder.w[0])

    def with_its_object(self):
        self.held = Holder(Holder(self.w * 3))
        return self.held.w.w[0], self.held

    def through_an_attribute(self):
        self.kept = [self.w * 3]
        part = self.kept[0]
        part = part[1:]
        self.held = part
        return self.held[0]

    def inner(self):
        self.kept = [self.w * 2]
        return self.kept[0]

    def of_another_method(self):
        return self.inner()[0]

    def list_of_another_method(self):
        return [self.inner()[0]]

    def twice_of_another_method(self):
        result = self.inner()
        self.held = result
        return self.held[0], result

    def of_a_nested_function(self):
        def make():
            self.held = self.w * 3
            return self.held[1]
        return make()


@case
def hands_out_of_a_new_list(b):
    maker = Maker(b)
    maker.of_a_new_list()[1:] *= 1.2
    return np.sum(maker.kept[0] ** 2)


@case
def hands_out_of_an_object(b):
    maker = Maker(b)
    part = maker.of_an_object()
    part *= 2
    return np.sum(maker.held.w ** 2) + np.sum(part)


@case
def hands_out_of_lists_in_a_dict(b):
    maker = Maker(b)
    part = maker.of_lists_in_a_dict()
    part[1:] *= 2
    return np.sum(maker.entries["grid"][0][0] ** 2) + np.sum(part)


@case
def hands_out_what_is_appended(b):
    maker = Maker(b)
    first = maker.appended()
    first *= 2
    second = maker.appended()
    second[0] = first[1]
    return np.sum(maker.log[0] ** 2) + np.sum(first * second) + np.sum(maker.log[1] ** 3)


@case
def hands_out_a_transpose(b):
    maker = Maker(b)
    part = maker.turned()
    part[0] *= 2
    return np.sum(maker.entries["x"] ** 2) + np.sum(part)


@case
def hands_out_an_object(b):
    maker = Maker(b)
    holder = maker.whole_object()
    holder.w *= 2
    holder.w = holder.w * b
    return np.sum(maker.kept[0].w ** 2)


@case
def hands_out_one_of_two(b):
    maker = Maker(b)
    part = maker.one_of_two(b[0, 0] > 0)
    part *= 2
    return np.sum(maker.held ** 2) + np.sum(part)


@case
def hands_out_what_another_keeps(b):
    maker, other = Maker(b), Maker(b * 2)
    part = maker.for_another(other)
    part *= 2
    return np.sum(maker.held ** 2) + np.sum(part) + np.sum(other.kept[0] ** 2) + np.sum(other.log[0] ** 3)


@case
def hands_out_of_one_list_twice(b):
    maker = Maker(b)
    part = maker.of_one_list_twice()
    part *= 2
    maker.kept[0][0][1] += part[0]
    return np.sum(maker.kept[1][0] ** 2) + np.sum(part)


@case
def hands_out_in_a_tuple(b):
    maker = Maker(b)
    part, _ = maker.in_a_tuple()
    part *= 2
    return np.sum(maker.kept[0] ** 2) + np.sum(part)


@case
def hands_out_in_a_list(b):
    maker = Maker(b)
    parts = maker.in_a_list()
    parts[0] *= 2
    parts[1][0] *= 3
    return np.sum(maker.log[0] ** 2) + np.sum(parts[0] * parts[1])


@case(may_refuse=True)
def hands_out_in_a_dict(b):
    maker = Maker(b)
    parts = maker.in_a_dict()
    parts["turned"][0] *= 2
    parts["held"].w *= 3
    return np.sum(maker.entries["x"] ** 2)


@case
def hands_out_in_an_object(b):
    maker = Maker(b)
    holder = maker.in_an_object()
    holder.w *= 2
    return np.sum(maker.held.w ** 2) + np.sum(holder.w)


@case
def hands_out_with_its_object(b):
    maker = Maker(b)
    part, holder = maker.with_its_object()
    part *= 2
    holder.w.w *= 3
    return np.sum(maker.held.w.w ** 2) + np.sum(part)


@case
def hands_out_through_an_attribute(b):
    maker = Maker(b)
    part = maker.through_an_attribute()
    part *= 2
    maker.held *= 3
    return np.sum(maker.kept[0] ** 2) + np.sum(part)


@case
def hands_out_of_another_method(b):
    maker = Maker(b)
    part = maker.of_another_method()
    part *= 2
    return np.sum(maker.kept[0] ** 2) + np.sum(part)


@case
def hands_out_a_list_of_another_method(b):
    maker = Maker(b)
    parts = maker.list_of_another_method()
    parts[0] *= 2
    return np.sum(maker.kept[0] ** 2) + np.sum(parts[0])


@case
def hands_out_twice_of_another_method(b):
    maker = Maker(b)
    part, whole = maker.twice_of_another_method()
    part *= 2
    whole *= 3
    return np.sum(maker.kept[0] ** 2) + np.sum(part * maker.held)


@case
def hands_out_of_a_nested_function(b):
    maker = Maker(b)
    part = maker.of_a_nested_function()
    part *= 2
    return np.sum(maker.held ** 2) + np.sum(part)


def kept_by_key(store, x):
    v = x * 2
    store["v"] = v
    store["rows"] = [v[0]]
    return v[0]


def kept_twice(items, x):
    v = x * 2
    part = v[1:]
    items.append(part)
    items.append(v)
    return part


@case
def function_hands_out_what_it_keeps(b):
    store = {}
    part = kept_by_key(store, b)
    part *= 2
    return np.sum(store["v"] ** 2) + np.sum(store["rows"][0] * part)


@case
def function_hands_out_what_it_appends_twice(b):
    items = []
    for k in range(3):
        part = kept_twice(items, b * k)
        part *= 2
    return np.sum(items[0] ** 2) + np.sum(items[1] ** 3) + np.sum(items[3] ** 3) + np.sum(items[4])


class Appending:
    """The list gets a last item while its first is changed by another name."""

    def __init__(self, v):
        self.v = v.T
        self.kept = [v]

    def grow(self, d):
        self.kept.append(d[:, ::-1])
        return self.kept[0][2]

    def change(self):
        self.grow(self.v)[0] = 0.4


@case
def last_item_replaced_after_two_changes(a):
    appending = Appending(a * 1.1)
    appending.change()
    appending.change()
    appending.kept[-1] = a * 3
    return np.sum(appending.v ** 2)


@case
def last_item_replaced_after_a_change(a):
    appending = Appending(a * 1.1)
    appending.grow(appending.v)[0] = 0.4
    appending.kept[-1] = a * 3
    return np.sum(appending.v ** 2)


class Logged:
    """A list of what the attributes are, which grows by numbers."""

    def __init__(self, v):
        self.v = v
        self.w = v
        self.kept = []
        self.kept.append(self.v)

    def grow(self):
        self.kept.append(1)
        return self.w

    def replace(self, d):
        d[0] = 3
        self.w = self.grow()

    def append(self, d):
        d[0] = 3
        self.kept.append(1)
        self.w = self.w


@case
def first_item_after_the_list_grew(x):
    logged = Logged(x * 1.0)
    logged.replace(U * 2)
    logged.replace(logged.w)
    return np.sum(logged.kept[0] ** 2)


@case
def first_item_after_the_list_grew_twice(x):
    v = x * 1.0
    logged = Logged(v)
    logged.append(logged.w)
    logged.append(logged.w)
    return np.sum(logged.kept[0] ** 2)


class Rows:
    def __init__(self, v, w):
        self.v = v
        self.w = w
        self.kept = [w]
        self.row = v[0]

    def copy_first(self):
        self.row[0] = self.w[0, 0]
        return self.kept[0][:, 0]


@case
def row_put_in_its_own_place(a):
    rows = Rows(a, U.copy())
    rows.row = rows.row
    rows.kept[-1] = rows.kept[0]
    rows.v[1] = rows.row
    rows.copy_first()[1:] *= 1.2
    return np.sum(a ** 2)


@case
def row_copied_into_its_array(a):
    rows = Rows(a, U.copy())
    rows.v[1] = rows.row
    rows.kept[-1] = rows.kept[0]
    rows.copy_first()
    return np.sum(a ** 2)


class Turned:
    def __init__(self, w):
        self.w = w.copy()

    def turned(self):
        return self.w.T

    def again(self):
        return self.turned()


@case
def part_of_what_is_replaced_by_its_transpose(a):
    turned = Turned(a)
    turned.row = turned.w[1]
    transposed = turned.w.T
    turned.w = transposed
    turned.row[0] += 0.2
    return np.sum(turned.w ** 2 * U)


@case
def part_of_what_is_replaced_by_what_a_method_hands_out(a):
    turned = Turned(a)
    turned.row = turned.w[1]
    turned.w = turned.again()
    turned.row[0] += 0.2
    return np.sum(turned.w ** 2 * U)


class Kept:
    def __init__(self, v, w):
        self.v = v.copy()
        self.kept = [w.T, v]

    def replace(self, d):
        self.kept[-1] = self.v[::-1]
        self.row = d[:, 2]
        return self.row[::-1]

    def change(self):
        self.replace(np.asarray(self.v))[1:] *= 1.2


@case(may_refuse=True)
def first_item_after_the_last_is_replaced(b):
    a = b * 2
    kept = Kept(b, a)
    kept.w = kept.change()
    kept.kept[0] *= 0.8
    return np.sum(a ** 2) + np.sum(b ** 2)
