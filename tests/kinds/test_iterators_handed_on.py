"""Iterators that are handed on: to a function that reads them once, or twice, from a function that returns one, by a variable."""
from __future__ import annotations

import functools
import itertools
import statistics

import numpy as np
import pytest

import sourcegrad as sg
from tests.kinds.outcomes import outcome

X = np.array([1.0, 2.0, 4.0])


def total(it):
    s = 0.0
    for v in it:
        s += v * v
    return s


def norm(vs, p=2):
    return sum(abs(v) ** p for v in vs) ** (1 / p)


def sum_of(*values):
    return sum(values)


def pairs(x):
    return zip(x[:-1], x[1:])


class Store:
    def __init__(self, items):
        self.items = list(items)

    def feed(self, items):
        for v in items:
            self.items.append(v)

    def doubled(self):
        return map(lambda q: q * 2, self.items)


def generator_to_a_loop(x):
    return total(v * v for v in x)


def iterator_of_a_function(x):
    return sum(a * b for a, b in pairs(x)) + np.mean([a - b for a, b in sorted(pairs(x))])


def iterator_of_an_inner_function(x):
    def neighbours(y):
        return zip(y[:-1], y[1:])

    s = 0.0
    for i, (a, b) in enumerate(neighbours(x)):
        s += a * b * i
    return s


def iterators_and_an_object(x):
    store = Store(v * v for v in x)
    store.feed(v + 1 for v in x)
    s = 0.0
    for v in store.doubled():
        s += v
    return s + sum(store.doubled())


def by_a_variable(x):
    squares = map(lambda v: v * v, x)
    return total(squares)


def one_or_the_other(x):
    it = zip(x, x) if len(x) > 2 else []
    return sum(a * b for a, b in it)


def iterator_of_a_lambda(x):
    tripled = lambda y: (v * 3 for v in y)
    return sum(tripled(x))


def by_name(x):
    return norm(vs=(v for v in x)) + norm((2 * v for v in x), p=3)


def starred(x):
    return sum_of(*(v * v for v in x))


def nested(x):
    return sum(total(r * v for v in x) for r in x)


def left_early(x):
    for i, p in enumerate(pairs(x)):
        if i == 1:
            break
    return p[0] * p[1]


def what_python_has(x):
    d = dict(zip("abc", x))
    d.update((k, 2 * v) for k, v in zip("bd", x))
    folded = functools.reduce(lambda a, b: a * b, (v + 1 for v in x))
    return sum(d.values()) + folded + statistics.fmean(v * v for v in x) + max(itertools.accumulate(v for v in x))


def others(x):
    return total(reversed(x)) + total(filter(lambda v: v > 1.5, x)) + total(itertools.chain(x, x))


def in_a_branch(x, centred=True):
    y = [v for v in x]
    if centred:
        m = sum(y) / len(y)
        y = (v - m for v in y)
    return sum(v * v for v in y)


RIGHT = [generator_to_a_loop, iterator_of_a_function, iterator_of_an_inner_function, iterators_and_an_object, by_a_variable,
         one_or_the_other, iterator_of_a_lambda, by_name, starred, nested, left_early, what_python_has, others, in_a_branch]


def twice(it):
    return sum(it) + sum(it)


def perhaps_twice(it, again):
    s = sum(it)
    if again:
        s = s + sum(it)
    return s


def in_a_loop(it):
    return [sum(it) for _ in range(2)][1]


class Kept:
    def __init__(self, items):
        self.items = items

    def total(self):
        return sum(self.items)


def generator_read_twice(x):
    return twice(v * v for v in x)


def variable_read_twice(x):
    squares = map(lambda v: v * v, x)
    return twice(squares)


def perhaps_read_twice(x):
    return perhaps_twice((v * v for v in x), x[0] > 1.5)


def read_in_a_loop(x):
    return in_a_loop(v * v for v in x)


def result_read_twice(x):
    it = pairs(x)
    return sum(a * b for a, b in it) + sum(a + b for a, b in it)


def result_handed_on(x):
    return twice(map(sum, pairs(x)))


def kept_by_an_object(x):
    kept = Kept(v * v for v in x)
    return kept.total() + kept.total()


def read_again_in_a_loop(x):
    y, s = [v for v in x], 0.0
    for _ in range(2):
        if len(x) > 1:
            y = (v * 2 for v in y)
        s = s + sum(y)
    return s


def source_that_changes(x):
    m, y = 1.0, [v for v in x]
    if len(x) > 1:
        y = (v * m for v in y)
        m = 2.0
    return sum(y) * m


def read_by_a_function(x):
    y = [v for v in x]

    def read():
        return sum(y)

    if len(x) > 1:
        y = (v * 2 for v in y)
    return read() + read()


REFUSED = [generator_read_twice, variable_read_twice, perhaps_read_twice, read_in_a_loop, result_read_twice, result_handed_on,
           kept_by_an_object, read_again_in_a_loop, source_that_changes, read_by_a_function]


@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_read_once(f):
    assert outcome(f, X) == "right"


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_read_twice(f):
    assert outcome(f, X) == "refused"


def test_says_where_it_is_handed_on():
    with pytest.raises(sg.UnsupportedError, match="an iterator that is handed on to what may read it twice") as problem:
        sg.grad(generator_read_twice)(X)
    message = str(problem.value)
    assert "return twice(v * v for v in x)" in message and "Make a list of it" in message


def test_an_iterator_that_a_function_returns():
    with pytest.raises(sg.UnsupportedError, match=r"the iterator of pairs\(\) is not read at once"):
        sg.grad(result_read_twice)(X)
