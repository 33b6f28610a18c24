"""Attacks with tests that change what they look at: operators, properties and conversions of objects inside of conditions."""
import numpy as np

from tests.errors.attack import Corpus

ATTACKS = Corpus()
attack = ATTACKS.add


class Box:

    def __init__(self, v):
        self.v = v

    def __add__(self, j):
        self.v = self.v * 0.9
        return self.v

    def __getitem__(self, j):
        return self.worn()

    def worn(self):
        self.v = self.v * 0.8
        return self.v

    def __float__(self):
        self.v = self.v * 0.7
        return 3.0

    def __len__(self):
        return 2

    @property
    def top(self):
        self.v = self.v * 0.6
        return 1.0


def in_an_if(x):
    o = Box(x)
    if o[0] > 0.1:
        return o.v * 2
    return o.v


def in_an_elif(x):
    o = Box(x)
    if x < 0:
        return x
    elif not o + 1:
        return o.v * x
    return o.v


def behind_an_and(x):
    o = Box(x)
    if x > 0 and o + 1 > 0.1:
        return o.v * 2
    return o.v


def in_an_assert(x):
    o = Box(x)
    assert o + 1 > 0
    return o.v


def property_in_an_assert(x):
    o = Box(x)
    assert o.top is not None
    return o.v * 2


def in_a_choice(x):
    o = Box(x)
    y = 2.0 if o + 1 > 0 else 3.0
    return o.v * y


def in_a_while(x):
    o, n = Box(x), 0
    while o + 1 > 0.5 and n < 3:
        n += 1
    return o.v


def in_where(x):
    o = Box(x)
    return np.where(o + 1 > 0, x, 2 * x) * o.v


def in_any(x):
    o = Box(x)
    if any(v > o + 1 for v in [1.0, 2.0]):
        return o.v * 2
    return o.v


def in_a_comprehension(x):
    o = Box(x)
    z = [v for v in [x, 2 * x] if o + 1 > 0]
    return sum(z) * o.v


def in_a_chain(x):
    o = Box(x)
    if 0 < o + 1 < 5:
        return o.v * 2
    return o.v


def of_its_class(x):
    o = Box(x)
    if isinstance(o + 1.0, str):
        return x
    return o.v


def is_none(x):
    o = Box(x)
    if (o + 1.0) is None:
        return x
    return o.v


def in_a_text(x):
    o = Box(x)
    text = f"{(o + 1.0) > 0.1}"
    return o.v * len(text)


def as_a_number(x):
    o = Box(x)
    if float(o) > 1:
        return o.v * 2
    return o.v


def in_a_tuple(x):
    o = Box(x)
    if (o + 1) in (1, 2):
        return x
    return o.v


def in_a_guard(x):
    o = Box(x)
    match 1:
        case 1 if o + 1 > 0:
            return o.v
    return x


def by_a_name(x):
    o = Box(x)
    c = o + 1 > 0
    if c:
        return o.v * 2
    return o.v


def length_only(x):
    o = Box(x)
    if len(o) > 1:
        return o.v * 2
    return o.v


def of_next(x):
    o = Box(x)
    return next((v for v in [x, 2 * x] if o + 1 > 0.1), x) * o.v


def longer_by_what_looks_at_it(x):
    xs = [x]
    xs.extend(len(xs) * x for _ in range(3))
    return sum(xs)


def longer_by_what_looks_at_it_by_an_operator(x):
    xs = [x]
    xs += (len(xs) * x for _ in range(3))
    return sum(xs)


def longer_by_what_makes_it_longer(x):
    xs = [x]

    def push(v):
        xs.append(0.7 * v)
        return v

    xs.extend(push(x * x) for _ in range(2))
    return sum((j + 1) * v for j, v in enumerate(xs))


attack(longer_by_what_makes_it_longer, 1.5)
for function in (in_an_if, in_an_elif, behind_an_and, in_an_assert, property_in_an_assert, in_a_choice, in_a_while, in_where,
                 in_any, in_a_comprehension, in_a_chain, of_its_class, is_none, in_a_text, as_a_number, in_a_tuple, in_a_guard,
                 by_a_name, length_only, of_next, longer_by_what_looks_at_it, longer_by_what_looks_at_it_by_an_operator):
    attack(function, 1.5)
