"""Parts of objects that are replaced, swapped and shared, and change before or after: wrong once, found by random programs."""
import math

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
V = np.array([0.35, -0.4, 0.6])
case = PROGRAMS.with_arguments(V)


class Part:
    def __init__(self, v):
        self.v = v
        self.count = 0

    def bump(self, d):
        self.v = self.v * d + d

    def follow(self, other):
        self.v = self.v * 0.5 + other.v
        return other


class Whole:
    def __init__(self, a, first, second, w=None):
        self.a = a
        self.w = w
        self.one = first
        self.two = second
        self.parts = [first, Part(a)]
        self.items = [a]

    def swap(self):
        self.one, self.two = self.two, self.one

    def swap_and_change(self, part):
        self.one, self.two = self.two, self.one
        part.bump(self.a)

    def swap_and_store(self):
        self.one, self.two = self.two, self.one
        self.two.v = self.items[0] * 2.0

    def take_and_change(self, part):
        self.one = part
        self.two.v = self.a * 3.0

    def change_and_replace(self, d):
        self.two.bump(d)
        self.two = Part(self.a)

    def replace_and_change(self, part):
        self.two = Part(0.55)
        part.follow(self.parts[1])

    def in_a_loop(self):
        for _ in range(0):
            self.items = self.items + [self.a]
            part = self.two
            part.v = part.v * self.a
        self.two.bump(0.5 * self.a)


def array_left_behind(x):
    o = Whole(x[0], Part(x[1]), None, x * 0.5)
    o.w += o.w[::-1] * 0.3
    t = o.w
    t[2] += 0.3
    return np.sum(o.w * o.w)


case(array_left_behind)


def swapped_by_a_callee(x):
    o = Whole(x[1], Part(x[0]), Part(x[2]))
    o.swap()
    for part in o.parts:
        part.v = part.v * x[1]
    return o.two.v + o.one.v


case(swapped_by_a_callee)


def swapped_where_all_are_one(x):
    p = Part(x[0])
    o = Whole(x[1], p, p)
    if o.parts[0].count == 0:
        o.parts.append(Part(x[1]))
    o.swap_and_change(o.two)
    return o.one.v * o.parts[0].v + p.v


case(swapped_where_all_are_one)


def stored_after_a_swap(x):
    o = Whole(math.sin(x[0]), Part(x[0]), Part(x[2]))
    o.swap_and_store()
    return o.parts[0].v + o.one.v * x[1]


case(stored_after_a_swap)


def taken_over_and_changed(x):
    p = Part(x[0])
    o = Whole(x[2], p, Part(x[2]))
    u = Whole(x[1], o.two, Part(x[1]))
    o.take_and_change(u.parts[0])
    return o.parts[0].v + u.one.v * o.one.v


case(taken_over_and_changed)


def changed_then_replaced(x):
    p = Part(x[0])
    o = Whole(x[1], p, p)
    o.change_and_replace(x[2])
    return o.two.v * o.parts[0].v + o.one.v


case(changed_then_replaced)


def replaced_then_changed(x):
    p = Part(x[0])
    o = Whole(x[1], p, p)
    if o.one is o.two:
        o.items.append(x[0])
    o.replace_and_change(o.one)
    return o.one.v * p.v + o.two.v


case(replaced_then_changed)


def loop_around_what_changes(x):
    o = Whole(x[1], Part(x[0]), Part(x[2]))
    o.in_a_loop()
    return o.two.v + o.one.v


case(loop_around_what_changes)


class Account:
    def __init__(self, balance, rate, fee=None):
        self.balance = balance
        self.rate = rate
        self.fee = fee
        self.rows = []

    def charge(self, amount):
        if self.fee is not None:
            amount = amount + self.fee(amount)
        self.balance = self.balance - amount
        return amount

    def month(self):
        interest = self.balance * self.rate / 12
        self.balance += interest
        self.rows.append((self.balance, interest))


def several_in_turn(x):
    main = Account(x[0], x[1], lambda amount: x[2] * amount ** 2)
    side = Account(0.0, rate=2 * x[1])
    paid = 0
    for _ in range(3):
        moved = main.charge(0.1 * main.balance)
        side.balance += 0.1 * main.balance
        paid += moved
        for account in (main, side):
            account.month()
    return main.balance + side.balance + 0.1 * paid + sum(b * i for b, i in side.rows)


case(several_in_turn)


class Order:
    """A list of parts that is replaced by one in another order, while a dict holds the parts, too."""

    def __init__(self, a, first, second=None):
        self.one = first
        self.two = second
        self.parts = [first, Tally(a * 0.3)]
        self.named = {"x": first, "y": self.parts[1]}
        if self.two is None:
            self.two = Tally(a + 0.1)

    def reverse(self, d):
        self.parts = self.parts[::-1]
        self.named["y"].scale(d)


class Tally:
    def __init__(self, v):
        self.v = v

    def scale(self, d):
        self.v = self.v * d + 1.0


def parts_in_reverse(x):
    order = Order(x[0], Tally(2 * x[1]))
    order.reverse(x[2])
    return order.parts[0].v + order.parts[1].v * order.two.v


class Bounded:
    def __init__(self):
        self.recent = []

    def push(self, v):
        self.recent.append(v)
        if len(self.recent) > 2:
            self.recent.pop(0)


def bounded_history(x):
    memory, y = Bounded(), x[0]
    for k in range(4):
        y = y + sum(v * v for v in memory.recent)
        memory.push(np.sin(y * x[k % 3]))
    return y


case(parts_in_reverse)
case(bounded_history)
