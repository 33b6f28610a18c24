"""Iterators and the loops that read them take turns: what each sees of the other, empty ones, endless ones, what stays as it is."""
from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

import sourcegrad as sg
from tests.kinds.outcomes import outcome

X = np.array([1.2, 0.7, -0.4, 2.0])


def halving(a, least=0.01):
    while a > least:
        yield a
        a = a / 2


def forever(a):
    while True:
        yield a
        a = a * 0.5


def shrinking(a, n):
    for _ in range(n):
        a *= 0.5                                     # in place: who keeps an item sees it change
        yield a


def reading(xs, seen):
    for v in xs:
        seen.append(v)
        yield v * len(seen)


# --- in turn

def buffer_in_turn(x):
    a = x.copy()
    return np.sum(a * x) + sum(np.sum(v * x) for v in shrinking(a, 3)) + np.sum(a * x)


def operand_before(x):
    a = x * 1.0
    return np.sum(a * a) * 2.0 + sum([np.sum(v * x) for v in shrinking(a, 2)])


def nonlocal_before(x):
    total = x[0]

    def growing(n):
        nonlocal total
        for _ in range(n):
            total = total * x[1]
            yield total
    return total * 3.0 + sum(growing(3)) * total


def calls_as_needed(x):
    seen = []

    def square(v):
        seen.append(v)
        return v * v
    total = 0.0
    for v in itertools.takewhile(lambda y: y > 0.2, map(square, x)):
        total += v
    return total * len(seen)


def filter_sees_the_body(x):
    state = [0.0]

    def above(v):
        return v > state[0]
    total = 0.0
    for v in filter(above, [1.0 * x[0], x[1], 3.0 * x[3], x[0] + x[1]]):
        state[0] = float(v) * 0.9
        total += v * v
    return total


def starmap_sees_the_body(x):
    scale = [1.0]

    def product(a, b):
        return a * b * scale[0]
    total = 0.0
    for v in itertools.starmap(product, [(x[0], x[1]), (x[1], x[2]), (x[3], x[3])]):
        scale[0] = scale[0] + 1.0
        total += v
    return total


def pairs_of_what_changes(x):
    y = x * 1.0
    total = 0.0
    k = 0
    for a, b in itertools.pairwise(y):
        k += 1
        y[k] = y[k] * 3.0 + a
        total += a * b
    return total + np.sum(y)


def pool_is_a_copy(x):
    xs = [x[0], x[1], x[2]]
    total = 0.0
    for a, b in itertools.combinations(xs, 2):
        xs.append(a * b)
        xs[0] = 5.0
        total += a * b
    return total + sum(xs)


def order_of_draws(x):
    seen = []
    first = [sum(v for v in halving(x[0])), len(seen), sum(w * len(seen) for w in reading(x[2:], seen))]
    return first[0] * first[1] + first[2]


# --- names, exits

def names_of_outer_variables(x):
    v, a, b = x[0], x[1], x[2]
    total = sum(v * 2.0 for v in halving(v)) + sum(a * b for a, b in itertools.pairwise([a, b, a * b]))
    return total * v * a * b


def continue_and_else(x):
    total = 0.0
    for a, b in itertools.permutations(x, 2):
        if a < 0:
            continue
        total += a * b * b
    else:
        total *= 2.0
    return total


def left_early(x):
    for a, b, c in itertools.combinations(x, 3):
        if a * b * c < 0:
            return a * b * c * c
    return np.sum(x)


def last_values(x):
    for a, b in itertools.combinations_with_replacement(x, 2):
        if a > 1.5:
            break
    return a * b * b


def conditional_draw(x):
    return sum(v * v for v in halving(x[0])) if x[1] > 0 else sum(v for v in halving(x[1]))


def nested_draws(x):
    return sum(max(itertools.islice(forever(v * v), 3)) for v in x) + max(sum(v for v in halving(x[0])), x[1])


def drawn_in_a_condition(x):
    if sum(v for v in halving(x[0])) > 1.0 and x[1] > 0:
        return x[0] * x[1]
    return x[2]


# --- endless

def endless_slices(x):
    return 2.0 * max(list(itertools.islice(forever(x[1]), 4))) + sum(itertools.takewhile(lambda v: v > 0.1, forever(x[0])))


def iterated(x):
    total = 0.0
    for v in itertools.accumulate(itertools.repeat(x[0]), lambda y, _: 0.5 * y + x[1] * 0.1):
        total += v * v
        if total > 2.5:
            break
    return total


def counted_cycle(x):
    total = 0.0
    for k, v in enumerate(itertools.cycle([x[0], x[1] * x[2]]), 2):
        total += v * k
        if k > 6:
            break
    return total


def pairs_without_end(x):
    total = 0.0
    for a, b in itertools.pairwise(forever(x[0])):
        total += a * b * x[1]
        if a - b < 0.05:
            break
    return total


# --- edges

def empty_ones(x):
    total = x[0]
    for a, b in itertools.pairwise(x[:0]):
        total += a * b
    for a, b in itertools.pairwise(x[:1]):
        total += a * b
    for a, b, c in itertools.combinations(x[:2], 3):
        total += a * b * c
    for a, b in itertools.zip_longest(x[:0], []):
        total += 1.0
    return total + sum(itertools.accumulate(x[:0])) + len(list(itertools.permutations(x[:1], 2)))


def longest(x):
    total = 0.0
    for a, b, c in itertools.zip_longest(x, [x[1]], (2.0, x[2])):
        total += a * (1.5 if b is None else b) * (0.5 if c is None else c)
    return total


def sizes_at_run_time(x, n=3):
    return sum(np.prod(np.array(chosen)) for chosen in itertools.combinations(x, n)) + sum(
        a * b * b for a, b in itertools.permutations(x, n - 1))


def truth(x):
    total = sum(itertools.filterfalse(None, [0.0 * x[0], x[1]])) + sum(filter(None, [x[0], 0.0, x[1] * x[1]]))
    for v in filter(None, [x[0], 0.0, x[2]]):
        total += v * v
    return total + sum(itertools.compress(x, [True, False, True]))


def folds(x):
    total = 0.0
    for v in itertools.accumulate(x, operator.mul):
        total += v
    for v in itertools.accumulate(x, max):
        total += v * v
    return total + sum(v * v for v in itertools.accumulate(x)) + sum(itertools.accumulate(x, operator.sub, initial=2.0))


def from_where_it_fails(x):
    return x[0] + sum(itertools.dropwhile(lambda v: v > 0.5, x)) + sum(
        v * k for k, v in enumerate(itertools.dropwhile(lambda v: v < 9.0, x)))


# --- products in other iterators, and how often they are repeated

def counted_products(x):
    total = 0.0
    for k, (a, b) in enumerate(itertools.product(x, repeat=2), start=2):
        if k > 12:
            break
        total += k * a * b * b
    for k, pair in enumerate(itertools.product(x, x[:2])):
        total += (k + 1) * pair[0] * pair[1] ** 2
    for (a, b), w in zip(itertools.product(x, repeat=2), range(5)):
        total += w * a * b
    return total + sum(map(lambda q: q[0] * q[1], itertools.product(x, [1.0, x[0]])))


def products_at_run_time(x, n=2):
    total = 0.0
    for a, b in itertools.product(x, repeat=n):
        total += a * b * b
    for k, q in enumerate(itertools.product(x[:2], [2.0, x[3]], repeat=n)):
        total += k * q[0] * q[1] * q[2] * q[3]
    return total + sum(np.prod(np.array(q)) for q in itertools.product(x, repeat=n + 1))


def products_of_nothing(x):
    total = sum(len(q) + x[0] for q in itertools.product())
    return total + len(list(itertools.product(x, repeat=0))) * x[1] + sum(a * b for a, b in itertools.product(x, []))


def product_of_copies(x):
    a, total = [x[0], x[1]], 0.0
    for p, q in itertools.product(list(a), list(a)):
        total += p * q
        a[1] = a[1] * 2.0
    return total + a[1]


# --- iterators whose source the loop changes: a product holds the items, a chain reads them when it gets there

def product_that_changes(x):
    a, total = [x[0], x[1]], 0.0
    for p, q in itertools.product(a, a):
        total += p * q
        a[1] = a[1] * 2.0
    return total


def product_of_another(x):
    a, total = [x[0], x[1]], 0.0
    for p, q in itertools.product(a, repeat=2):
        total += p * q
        a = [x[2]]
    return total + a[0]


def product_changed_by_a_function(x):
    a = [x[0], x[1]]

    def doubled(p):
        a[1] = a[1] * 2.0
        return p * p
    return sum([doubled(p) * q for p, q in itertools.product(a, a)])


def chain_that_changes(x):
    a, b, total = [x[0], x[1]], [x[2], 1.0], 0.0
    for k, v in enumerate(itertools.chain(a, b)):
        total += v * v * k
        b[1] = total
    return total


def chain_that_grows(x):
    a, total = [x[0]], 0.0
    for v in itertools.chain([1.0], a):
        total += v * x[1]
        if len(a) < 4:
            a.append(total)
    return total


def slice_that_changes(x):
    a, total = [x[0], x[1], x[2]], 0.0
    for v in itertools.islice(a, 1, None):
        total += v * v
        a[2] = total
    return total


def rows_that_change(x):
    rows, total = [[x[0]], [x[1], x[2]]], 0.0
    for v in itertools.chain.from_iterable(rows):
        total += v * v
        rows[1][1] = total
    return total


def cycle_that_changes(x):
    a, total = [x[0], x[1]], 0.0
    for _, v in zip(range(5), itertools.cycle(a)):
        total += v * v
        a[1] = total
    return total


CHANGED = [product_that_changes, product_of_another, product_changed_by_a_function, chain_that_changes, chain_that_grows,
           slice_that_changes, rows_that_change, cycle_that_changes]
RIGHT = [
    counted_products, products_at_run_time, products_of_nothing, product_of_copies,
    buffer_in_turn, operand_before, nonlocal_before, calls_as_needed, filter_sees_the_body, starmap_sees_the_body,
    pairs_of_what_changes, pool_is_a_copy, order_of_draws, names_of_outer_variables, continue_and_else, left_early, last_values,
    conditional_draw, nested_draws, drawn_in_a_condition, endless_slices, iterated, counted_cycle, pairs_without_end,
    empty_ones, longest, sizes_at_run_time, truth, folds, from_where_it_fails]


@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_in_turn(f):
    assert outcome(f, X) == "right"


@pytest.mark.parametrize("f", CHANGED, ids=lambda f: f.__name__)
def test_right_or_refused(f):
    assert outcome(f, X) in ("right", "refused")


def test_says_what_the_loop_changes():
    with pytest.raises(sg.UnsupportedError, match="a loop that changes 'a', which an iterator of itertools reads") as problem:
        sg.grad(product_that_changes)(X)
    assert "list(a)" in str(problem.value)
