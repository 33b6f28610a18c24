"""Attacks on unpacking, comprehensions and lists of mixed things."""

import numpy as np

from tests.errors.attack import Corpus

ATTACKS = Corpus()
attack = ATTACKS.add

V = np.array([0.3, -0.8, 1.1])


def star_unpacking(x):
    first, *rest = x
    return first * sum(rest)


attack(star_unpacking, V)


def star_in_the_middle(x):
    a, *b, c = [x, x * x, 2.0 * x, 1.0]
    return a * b[1] + b[0] * c


attack(star_in_the_middle, 0.7)


def nested_unpacking(x):
    (a, (b, c)), d = (x, (x * x, 2.0)), 3.0
    return a * b * c + d


attack(nested_unpacking, 0.7)


def nested_loop_target(x):
    total = 0.0
    for i, (a, b) in enumerate([(x, 2.0), (x * x, 3.0)]):
        total = total + i * a * b
    return total


attack(nested_loop_target, 0.7)


def unpack_too_many(x):
    a, b = x
    return a * b


attack(unpack_too_many, V)


def comprehension_shadows(x):
    v = 2.0 * x
    xs = [v * v for v in [x, 1.0]]
    return sum(xs) * v


attack(comprehension_shadows, 0.7)


def comprehension_reads_own_name(x):
    xs = [x, x * x]
    xs = [xs[0] * v for v in xs]
    return sum(xs)


attack(comprehension_reads_own_name, 0.7)


def comprehension_walrus(x):
    xs = [(last := v * x) for v in [x, 2.0]]
    return sum(xs) * last


attack(comprehension_walrus, 0.7)


def comprehension_nested_condition(x):
    return sum([a * b for a in [x, -x, 2.0] if a > 0 for b in [a, x] if b != a])


attack(comprehension_nested_condition, 0.7)


def comprehension_of_lambdas(x):
    fs = [lambda y: y * i for i in range(3)]
    return sum(f(x) for f in fs)


attack(comprehension_of_lambdas, 0.7)


def comprehension_of_bound_lambdas(x):
    fs = [lambda y, i=i: y * i for i in range(3)]
    return sum(f(x) for f in fs)


attack(comprehension_of_bound_lambdas, 0.7)


def list_of_mixed_things(x):
    xs = [x, np.array([x, 1.0]), (x, 2.0)]
    return xs[0] * xs[1][0] * xs[2][0]


attack(list_of_mixed_things, 0.7)


def list_with_none(x):
    xs = [None, x]
    return xs[1] * x


attack(list_with_none, 0.7)


def list_index_from_search(x):
    xs = [x, x * x]
    return xs[xs.index(x)] * x


attack(list_index_from_search, 0.7)


def list_compared(x):
    return x * x if [x] == [0.7] or [x] != [x] else x * x


attack(list_compared, 0.7)


def array_of_ragged_append(x):
    xs = []
    for i in range(3):
        xs.append(x[: i + 1])
    return sum(np.sum(v) ** 2 for v in xs)


attack(array_of_ragged_append, V)


def concatenated_in_loop(x):
    path = np.array([])
    for i in range(3):
        path = np.append(path, x * i)
    return (path * path).sum()


attack(concatenated_in_loop, V)


def from_iterator(x):
    return np.fromiter((v * v for v in x), float).sum()


attack(from_iterator, V)


def deque(x):
    import collections
    xs = collections.deque([x])
    xs.append(x * x)
    return sum(xs)


attack(deque, 0.7)
