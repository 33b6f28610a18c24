"""Classes whose instances are iterators (`__next__`): loops read them ahead, which is refused where anybody could tell."""
from __future__ import annotations

import itertools

import numpy as np

from benchmarks.object_programs.plain import Walk
from tests.kinds.places import programs_of, suite_of

X = np.array([0.7, 1.3, 0.4, 0.9])
V = np.array([0.2, -0.5, 1.0, 0.3])


class Doubled:
    """Doubles its weight at each turn."""

    def __init__(self, weight):
        self.weight = weight

    def __iter__(self):
        for k in range(3):
            self.weight = self.weight * 2.0
            yield k + 1.0


class Counted:
    """Never ends."""

    def __init__(self):
        self.count = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.count += 1
        return self.count


def loop(x):
    total = 0.0
    for place in Walk(x, x[0]):
        total += place ** 2
    return total


def comprehension(x):
    return sum(place ** 2 for place in Walk(x, 0.1)) * x[1]


def continued(x):
    total = 0.0
    for place in Walk(x, 0.5):
        if place > 2.0:
            continue
        total = total + place * x[2]
    return total


def after_next(x):
    walk = Walk(x, x[3])
    total = 3.0 * next(walk)
    for place in walk:
        total = total + place * place
    return total * walk.place


def unpacked(x):
    a, b, c = Walk(x[:3], x[3])
    return a * b * c


def no_steps(x):
    return sum(Walk(x[:0], x[1])) + x[1] ** 2


def several(x):
    walks = [Walk(x[:2], x[3]), Walk(x, 0.1)]
    total = 0.0
    for walk in walks:
        for place in walk:
            total = total + place * x[0]
    return total * walks[0].place


def read_to_the_end(x):
    doubled, total = Doubled(x[0]), 0.0
    for number in doubled:
        total = total + number
    return total * doubled.weight


def list_of_it(x):
    doubled = Doubled(x[0])
    return sum(list(doubled)[1:]) * doubled.weight


def looked_at(x):
    walk, total = Walk(x, 0.1), 0.0
    for place in walk:
        total = total + place * walk.place
    return total


def left_early(x):
    walk, total = Walk(x, 0.1), 0.0
    for place in walk:
        total = total + place * x[0]
        if total > 1.0:
            break
    return total * walk.place


def turns_with_less(x):
    walk = Walk(x, 0.1)
    return sum(place * v for place, v in zip(walk, (1.0, 2.0))) * walk.place


def part_of_it(x):
    walk, total = Walk(x, 0.1), 0.0
    for place in itertools.islice(walk, 2):
        total = total + place * x[0]
    return total * walk.place


def turns_of_a_generator(x):
    doubled = Doubled(x[0])
    return sum(a * b for a, b in zip([1.0, 2.0], doubled)) * doubled.weight


def part_of_a_generator(x):
    doubled, total = Doubled(x[0]), 0.0
    for number in itertools.islice(doubled, 2):
        total = total + number
    return total * doubled.weight


def without_end(x):
    total = 0.0
    for number in Counted():
        if number > 3:
            break
        total = total + x[number] * number
    return total


PROGRAMS = programs_of(globals())
REFUSED = {
    "looked_at": "iteration over a Walk", "left_early": "iteration over a Walk", "turns_with_less": "iteration over a Walk",
    "part_of_it": "iteration over a Walk", "turns_of_a_generator": "may not be read to its end",
    "part_of_a_generator": "may not be read to its end", "without_end": "iteration over a Counted"}
test_gradient, test_second_order_and_forward_mode, test_pullback, test_refusal = suite_of(PROGRAMS, REFUSED, X, V)
