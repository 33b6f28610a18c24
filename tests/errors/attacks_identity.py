"""Attacks on identity: questions where an array lies, views that may be copies, arguments that come back."""

import numpy as np

from tests.errors.attack import Corpus

ATTACKS = Corpus()
attack = ATTACKS.add

V = np.array([0.3, -0.8, 1.1])
W = np.array([1.5, 0.4, -0.6])
M = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7], [0.1, 0.8, 0.6]])


# --- questions where an array lies, and which names are one

def asked_by_id(a, b):
    p = b if a[0] > 5 else a
    p[0] *= 2
    if id(p) == id(a):
        p[1] *= 3
    return (p * a).sum()


attack(asked_by_id, V, W)


def asked_for_the_base(a, b):
    p = a[1:]
    p[0] *= 2
    if p.base is a:
        p[1] *= 3
    return (b * a).sum()


attack(asked_for_the_base, V, W)


def asked_for_the_address(a, b):
    p = b if a[0] > 5 else a
    p[0] *= 2
    if p.__array_interface__["data"][0] == a.__array_interface__["data"][0]:
        p[1] *= 3
    return (p * a).sum()


attack(asked_for_the_address, V, W)


def one_of_a_list(a, b):
    p = a
    p[0] *= 2
    if any(p is x for x in [b, a]):
        p[1] *= 3
    return (b * p * a).sum()


attack(one_of_a_list, V, W)


def items_that_are_asked(a, b):
    for x in [a, b]:
        x[0] *= 2
        if x is a:
            x[1] *= 5
    return (a * b).sum()


attack(items_that_are_asked, V, W)


def product_or_square(x, y):
    return (x * x * 2 if x is y else x * y).sum()


def function_is_asked(a, b):
    p = a
    p[0] *= 2
    return product_or_square(p, a) * b[0]


attack(function_is_asked, V, W)


def function_of_a_function_is_asked(a, b):
    p = b if b[1] > 5 else a
    p[0] *= 2
    return (lambda x, y: product_or_square(x, y) + 1.0)(p, a) * b[0]


attack(function_of_a_function_is_asked, V, W)


# --- what gives the array itself where there is nothing to do, and else a view or a copy

def perhaps_the_argument(make):
    def attacked(a):
        p = make(a)
        if p is a:
            p = p.copy()
        p *= 2
        return (a * p).sum()

    attacked.__name__ = make.__name__
    return attacked


def as_it_lies(a):
    return np.ascontiguousarray(a)


def of_one_dtype(a):
    return a.astype(float, copy=False)


def without_axes_of_one(a):
    return np.squeeze(a)


def real_part(a):
    return a.real


def real_part_by_function(a):
    return np.real(a)


def conjugate(a):
    return np.conj(a)


def conjugate_by_method(a):
    return a.conj()


def with_an_axis_at_least(a):
    return np.atleast_1d(a)


def numbers_instead_of_nan(a):
    return np.nan_to_num(a, copy=False)


for function in (as_it_lies, of_one_dtype, without_axes_of_one, real_part, real_part_by_function, conjugate, conjugate_by_method,
                 with_an_axis_at_least, numbers_instead_of_nan):
    attack(perhaps_the_argument(function), V)


# --- a copy in generated code lies in order, what was copied did not: whether a reshape is a view

def turned(x):
    x[0] *= 0.6
    return x[::-1]


def reshape_of_what_is_turned(b, c):
    if c > 0:
        b = turned(b)
    q = dict(k=c, j=b)["j"]
    q.ravel()[:2] *= 0.5
    return np.sum(q ** 2)


attack(reshape_of_what_is_turned, M, 1.0)
attack(reshape_of_what_is_turned, M, -1.0)


# --- a function that gives back its argument, under the name that this has

def larger(x, y):
    if x[0, 0] > y[0, 0]:
        return x
    return y


def given_back_and_changed_by_its_other_name(a, b):
    for _ in range(2):
        a = np.multiply(b, a, out=b)
    for _ in range(2):
        a = larger(a, a)
    for row in b:
        row *= 0.5 + row[1]
    return np.sum(a ** 2)


attack(given_back_and_changed_by_its_other_name, M, M + 1.0)


def given_back_in_a_branch(a, b):
    if b[0, 0] > 0:
        a = b
    a = larger(a, a)
    b[1] = 3.0
    return np.sum(a ** 2)


attack(given_back_in_a_branch, M, M + 1.0)


# --- methods and functions that put a view of what they find at its own place


SPREAD = np.array([0.3, 0.7, 0.4, 1.1, 0.9])


class Pair:

    def __init__(self, a, b):
        self.a = a
        self.b = b

    def swap(self):
        self.a, self.b = (self.b, self.a)

    def cross(self):
        self.a = self.b[::-1]

    def both(self):
        t = self.a
        self.a = self.b[1:]
        self.b = t[1:]

    def over(self):
        self.a = self.a[1:]
        self.b = self.a

    def loop(self, n):
        for _ in range(n):
            self.a = self.a[::-1]

    def cond(self, c):
        if c:
            self.a = self.a[::-1]

    def via(self):
        self.a = reversed_view(self.a)

    def via2(self):
        t = self.a.reshape(5)
        self.b = t
        self.a = self.b[1:]

    def fresh(self):
        self.a = self.a * 2

    def fresh_then(self):
        self.a = self.a * 2
        self.a = self.a[1:]

    def then_fresh(self):
        self.a = self.a[1:]
        self.a = self.a * 2

    def nested(self):
        self.swap()
        self.via()


def reversed_view(v):
    return v[::-1]


def shorten_first(xs):
    xs[0] = xs[0][1:]


def shorten_entry(d):
    d["a"] = d["a"][1:]


def swap_items(xs):
    xs[0], xs[1] = (xs[1], xs[0])


def reverse_items(xs):
    xs.reverse()


def insert_view(xs):
    xs.insert(0, xs[0][1:])


class Last:

    def __init__(self, z):
        self.last = z

    def view(self, v, first):
        if first:
            self.last = v
        r = self.last[1:] * 2
        self.last = self.last[::-1]
        return np.sum(r * r)

    def view2(self, v, first):
        if first:
            self.last = v
        self.last = self.last[::-1]
        return 1.0

    def view3(self, v):
        self.last = v[::-1]
        return 1.0

    def view4(self):
        self.last = self.last[::-1]
        return 1.0


def view_swapped(x):
    y = x * 2
    z = x * 3
    o = Pair(y, z)
    o.swap()
    y *= 1.5
    s = np.sum(o.a ** 2) + np.sum(o.b[1:] ** 3)
    z *= 0.5
    return s + np.sum(o.a ** 3) + np.sum(o.b ** 2)


attack(view_swapped, SPREAD)


def view_across(x):
    y = x * 2
    z = x * 3
    o = Pair(y, z)
    o.cross()
    y *= 1.5
    s = np.sum(o.a ** 2) + np.sum(o.b[1:] ** 3)
    z *= 0.5
    return s + np.sum(o.a ** 3) + np.sum(o.b ** 2)


attack(view_across, SPREAD)


def view_both_ways(x):
    y = x * 2
    z = x * 3
    o = Pair(y, z)
    o.both()
    y *= 1.5
    s = np.sum(o.a ** 2) + np.sum(o.b[1:] ** 3)
    z *= 0.5
    return s + np.sum(o.a ** 3) + np.sum(o.b ** 2)


attack(view_both_ways, SPREAD)


def view_one_after_the_other(x):
    y = x * 2
    z = x * 3
    o = Pair(y, z)
    o.over()
    y *= 1.5
    s = np.sum(o.a ** 2) + np.sum(o.b[1:] ** 3)
    z *= 0.5
    return s + np.sum(o.a ** 3) + np.sum(o.b ** 2)


attack(view_one_after_the_other, SPREAD)


def view_in_a_loop_backwards(x):
    y = x * 2
    z = x * 3
    o = Pair(y, z)
    o.loop(2)
    y *= 1.5
    s = np.sum(o.a ** 2) + np.sum(o.b[1:] ** 3)
    z *= 0.5
    return s + np.sum(o.a ** 3) + np.sum(o.b ** 2)


attack(view_in_a_loop_backwards, SPREAD)


def view_backwards_if(x):
    y = x * 2
    z = x * 3
    o = Pair(y, z)
    o.cond(x[0] > 0)
    y *= 1.5
    s = np.sum(o.a ** 2) + np.sum(o.b[1:] ** 3)
    z *= 0.5
    return s + np.sum(o.a ** 3) + np.sum(o.b ** 2)


attack(view_backwards_if, SPREAD)


def view_backwards_by_a_function(x):
    y = x * 2
    z = x * 3
    o = Pair(y, z)
    o.via()
    y *= 1.5
    s = np.sum(o.a ** 2) + np.sum(o.b[1:] ** 3)
    z *= 0.5
    return s + np.sum(o.a ** 3) + np.sum(o.b ** 2)


attack(view_backwards_by_a_function, SPREAD)


def view_by_another_attribute(x):
    y = x * 2
    z = x * 3
    o = Pair(y, z)
    o.via2()
    y *= 1.5
    s = np.sum(o.a ** 2) + np.sum(o.b[1:] ** 3)
    z *= 0.5
    return s + np.sum(o.a ** 3) + np.sum(o.b ** 2)


attack(view_by_another_attribute, SPREAD)


def view_anew(x):
    y = x * 2
    z = x * 3
    o = Pair(y, z)
    o.fresh()
    y *= 1.5
    s = np.sum(o.a ** 2) + np.sum(o.b[1:] ** 3)
    z *= 0.5
    return s + np.sum(o.a ** 3) + np.sum(o.b ** 2)


attack(view_anew, SPREAD)


def view_a_view_of_what_is_new(x):
    y = x * 2
    z = x * 3
    o = Pair(y, z)
    o.fresh_then()
    y *= 1.5
    s = np.sum(o.a ** 2) + np.sum(o.b[1:] ** 3)
    z *= 0.5
    return s + np.sum(o.a ** 3) + np.sum(o.b ** 2)


attack(view_a_view_of_what_is_new, SPREAD)


def view_anew_from_a_view(x):
    y = x * 2
    z = x * 3
    o = Pair(y, z)
    o.then_fresh()
    y *= 1.5
    s = np.sum(o.a ** 2) + np.sum(o.b[1:] ** 3)
    z *= 0.5
    return s + np.sum(o.a ** 3) + np.sum(o.b ** 2)


attack(view_anew_from_a_view, SPREAD)


def view_by_other_methods(x):
    y = x * 2
    z = x * 3
    o = Pair(y, z)
    o.nested()
    y *= 1.5
    s = np.sum(o.a ** 2) + np.sum(o.b[1:] ** 3)
    z *= 0.5
    return s + np.sum(o.a ** 3) + np.sum(o.b ** 2)


attack(view_by_other_methods, SPREAD)


def view_item_by_its_view(x):
    y = x * 2
    z = x * 3
    xs = [y, z]
    shorten_first(xs)
    y *= 1.5
    return np.sum(xs[0] ** 2) + np.sum(xs[1] ** 2)


attack(view_item_by_its_view, SPREAD)


def view_entry_by_its_view(x):
    y = x * 2
    z = x * 3
    d = {"a": y, "b": z}
    shorten_entry(d)
    y *= 1.5
    return np.sum(d["a"] ** 2) + np.sum(d["b"] ** 2)


attack(view_entry_by_its_view, SPREAD)


def view_items_swapped(x):
    y = x * 2
    z = x * 3
    xs = [y, z]
    swap_items(xs)
    y *= 1.5
    return np.sum(xs[0] ** 2) + np.sum(xs[1] ** 3)


attack(view_items_swapped, SPREAD)


def view_items_in_reverse(x):
    y = x * 2
    z = x * 3
    xs = [y, z]
    reverse_items(xs)
    y *= 1.5
    return np.sum(xs[0] ** 2) + np.sum(xs[1] ** 3)


attack(view_items_in_reverse, SPREAD)


def view_view_inserted(x):
    y = x * 2
    z = x * 3
    xs = [y, z]
    insert_view(xs)
    y *= 1.5
    return np.sum(xs[0] ** 2) + np.sum(xs[1] ** 3)


attack(view_view_inserted, SPREAD)


def view_item_of_a_view_changed(x):
    y = x * 2
    z = x * 3
    xs = [y, z]
    shorten_first(xs)
    xs[0] *= 1.5
    return np.sum(y ** 2) + np.sum(xs[1] ** 2)


attack(view_item_of_a_view_changed, SPREAD)


def view_entry_of_a_view_changed(x):
    y = x * 2
    z = x * 3
    d = {"a": y, "b": z}
    shorten_entry(d)
    d["a"] *= 1.5
    return np.sum(d["a"] ** 2) + np.sum(y ** 2)


attack(view_entry_of_a_view_changed, SPREAD)


def view_attribute_of_a_view_changed(x):
    y = x * 2
    z = x * 3
    o = Pair(y, z)
    o.via()
    o.a *= 3.0
    return np.sum(y ** 2)


attack(view_attribute_of_a_view_changed, SPREAD)


def view_element_behind_views(x):
    y = x * 2
    z = x * 3
    o = Pair(y, z)
    o.loop(3)
    o.a[0] *= 3.0
    return np.sum(y ** 2)


attack(view_element_behind_views, SPREAD)


def view_set_then_reversed(x):
    a = Last(np.zeros(5))
    y = x * 2
    s = a.view(y, True)
    y *= 3
    return s + a.view(y, False) + a.view(y, False)


attack(view_set_then_reversed, SPREAD)


def view_perhaps_set_then_reversed(x):
    a = Last(np.zeros(5))
    y = x * 2
    s = a.view2(y, x[0] > 0)
    y *= 3
    return s + np.sum(a.last ** 2)


attack(view_perhaps_set_then_reversed, SPREAD)


def view_reversed_where_it_is(x):
    y = x * 2
    a = Last(y)
    s = a.view4()
    y *= 3
    return s + np.sum(a.last ** 2)


attack(view_reversed_where_it_is, SPREAD)


def view_reversed_twice(x):
    y = x * 2
    a = Last(y)
    s = a.view4()
    s = a.view4()
    y *= 3
    return s + np.sum(a.last ** 2)


attack(view_reversed_twice, SPREAD)


def view_shortened_in_a_loop(x):
    y = x * 2
    a = Last(y)
    for k in range(2):
        a.last = a.last[1:]
    y *= 3
    return np.sum(a.last ** 2)


attack(view_shortened_in_a_loop, SPREAD)
