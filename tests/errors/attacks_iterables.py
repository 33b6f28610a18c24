"""Attacks on iterators and dicts."""
import functools
import itertools
import math
import operator

import numpy as np

from tests.errors.attack import Corpus

ATTACKS = Corpus()
attack = ATTACKS.add

V = np.array([0.3, -0.8, 1.1])


def iterator(x):
    xs = iter([x, x * x])
    first = next(xs)
    return first * next(xs)


attack(iterator, 0.7)


def shared_iterator(x):
    numbers = iter([1.0, 2.0, 3.0, 4.0])
    total = 0.0
    for a, b in zip(numbers, numbers):
        total = total + a * b * x
    return total


attack(shared_iterator, 0.7)


def exhausted_generator(x):
    squares = (x * i for i in range(3))
    first = sum(squares)
    return first * x + sum(squares)


attack(exhausted_generator, 0.7)


def exhausted_zip(x):
    pairs = zip([1.0, 2.0], [x, x * x])
    total = sum(a * b for a, b in pairs)
    return total + sum(a for a, b in pairs)


attack(exhausted_zip, 0.7)


def late_generator(x):
    factor = x
    values = (factor * i for i in range(3))
    factor = 2.0
    return sum(values) * x


attack(late_generator, 0.7)


def zip_of_unequal(x):
    return sum(a * b for a, b in zip([x, 2.0 * x, 3.0], [x, x * x]))


attack(zip_of_unequal, 0.7)


def zip_strict(x):
    return sum(a * b for a, b in zip([x, 2.0 * x, 3.0], [x, x * x], strict=True))


attack(zip_strict, 0.7)


def zip_star(x):
    pairs = [(x, 1.0), (x * x, 2.0)]
    left, right = zip(*pairs)
    return left[0] * left[1] * right[1]


attack(zip_star, 0.7)


def enumerate_from(x):
    return sum(i * v * v for i, v in enumerate(x, start=2))


attack(enumerate_from, V)


def mapped(x):
    return sum(map(math.sin, [x, x * x]))


attack(mapped, 0.7)


def mapped_two(x):
    return sum(map(operator.mul, [x, 2.0], [x * x, x]))


attack(mapped_two, 0.7)


def filtered(x):
    return sum(filter(lambda v: v > 0, [x, -x, x * x]))


attack(filtered, 0.7)


def reduced(x):
    return functools.reduce(operator.mul, [x, x, 2.0])


attack(reduced, 0.7)


def reduced_lambda(x):
    return functools.reduce(lambda a, b: a * b + x, [x, x, 2.0], 1.0)


attack(reduced_lambda, 0.7)


def accumulated(x):
    return sum(itertools.accumulate([x, x * x, 1.0]))


attack(accumulated, 0.7)


def product_of(x):
    return sum(a * b for a, b in itertools.product([x, 1.0], [x, x * x]))


attack(product_of, 0.7)


def math_prod(x):
    return math.prod([x, x * x, 2.0])


attack(math_prod, 0.7)


def math_fsum(x):
    return math.fsum([x, x * x, 2.0])


attack(math_fsum, 0.7)


def math_hypot_star(x):
    xs = [x, x * x, 2.0]
    return math.hypot(*xs)


attack(math_hypot_star, 0.7)


def sorted_list(x):
    xs = sorted([x, x * x, -x])
    return xs[0] + 2.0 * xs[1] + 3.0 * xs[2]


attack(sorted_list, 0.7)


def sorted_by_key(x):
    xs = sorted([x, x * x, -x], key=lambda v: -v)
    return xs[0] + 2.0 * xs[1] + 3.0 * xs[2]


attack(sorted_by_key, 0.7)


def reversed_list(x):
    a, b, c = reversed([x, x * x, 1.0])
    return a * b + 2.0 * c


attack(reversed_list, 0.7)


def minimum_by_key(x):
    return min([x, -2.0 * x, x * x], key=abs) * x


attack(minimum_by_key, 0.7)


def maximum_default(x):
    return max([], default=x) * x


attack(maximum_default, 0.7)


def next_of_generator(x):
    return next(v * v for v in x if v > 0.5)


attack(next_of_generator, V)


def next_default(x):
    return next((v for v in x if v > 5.0), x[0] * 2.0)


attack(next_default, V)


def membership(x):
    return x * x if x in [x, 1.0] and x not in [2.0, 3.0] else x


attack(membership, 0.7)


def dict_get(x):
    table = {"a": x, "b": x * x}
    return table.get("b", 1.0) * table.get("c", x)


attack(dict_get, 0.7)


def dict_values(x):
    table = {"a": x, "b": x * x}
    return sum(table.values())


attack(dict_values, 0.7)


def dict_items(x):
    table = {"a": x, "b": x * x}
    total = 1.0
    for key, value in table.items():
        total = total * value + len(key)
    return total


attack(dict_items, 0.7)


def dict_iteration(x):
    table = {"a": x, "b": x * x}
    total = 0.0
    for key in table:
        total = total * 2.0 + table[key]
    return total


attack(dict_iteration, 0.7)


def dict_update(x):
    table = {"a": 1.0}
    table.update(a=x)
    return table["a"] * x


attack(dict_update, 0.7)


def dict_update_of_constants(x):
    table = {"a": 1.0}
    table.update({"a": 2.0})
    return table["a"] * x


attack(dict_update_of_constants, 0.7)


def dict_setdefault(x):
    table = {"a": 1.0}
    return table.setdefault("b", x) * table["b"]


attack(dict_setdefault, 0.7)


def dict_pop(x):
    table = {"a": x, "b": 2.0}
    return table.pop("a") * len(table) * x


attack(dict_pop, 0.7)


def dict_constructor(x):
    table = dict(a=x, b=x * x)
    return table["a"] * table["b"]


attack(dict_constructor, 0.7)


def dict_of_zip(x):
    table = dict(zip("ab", [x, x * x]))
    return table["a"] * table["b"]


attack(dict_of_zip, 0.7)


def dict_spread(x):
    table = {"a": x}
    more = {**table, "b": x * x}
    return more["a"] * more["b"]


attack(dict_spread, 0.7)


def dict_with_int_and_bool_keys(x):
    table = {1: x, True: x * x}
    return table[1] * len(table)


attack(dict_with_int_and_bool_keys, 0.7)


def dict_with_repeated_keys(x):
    table = {"a": x, "a": x * x}
    return table["a"]


attack(dict_with_repeated_keys, 0.7)


def dict_union(x):
    table = {"a": x} | {"b": x * x}
    return table["a"] * table["b"]


attack(dict_union, 0.7)


def dict_store(x):
    table = {}
    table["a"] = x
    return table["a"] * x


attack(dict_store, 0.7)


def dict_key_from_number(x):
    table = {0.7: 2.0, 1.0: 3.0}
    return table.get(x, 1.0) * x


attack(dict_key_from_number, 0.7)


def sets(x):
    return sum({x, x * x})


attack(sets, 0.7)


def frozen(x):
    return sum(frozenset([x, x * x]))


attack(frozen, 0.7)


NUMBERS = itertools.count()


def counter_of_the_module(x):
    return x * next(NUMBERS)


attack(counter_of_the_module, 0.7)


def counter_that_is_given(x, ticks):
    return x * next(ticks)


attack(counter_that_is_given, 0.7, itertools.count(5), inputs=("x",))


class Numbered:
    def __init__(self):
        self.numbers = itertools.count(1)


def counter_of_an_object_in_a_loop(x):
    owner, total = Numbered(), 0.0
    for number, v in zip(owner.numbers, [x, x * x]):       # (a list of all numbers has no end)
        total = total + number * v
    return total


attack(counter_of_an_object_in_a_loop, 0.7)


def counter_by_two_names(x):
    number = itertools.count()
    other = number
    return x * next(number) + x * x * next(other)


attack(counter_by_two_names, 0.7)


# --- what was tried against counters and cycles that are kept

V3 = np.array([0.7, 0.5, 1.3])


def counter_made_anew_in_a_loop(x):
    number, total = itertools.count(), 0.0
    for k in range(3):
        if k == 1:
            number = itertools.count(10)
        total = total + x[k] * next(number)
    return total


attack(counter_made_anew_in_a_loop, V3)


def cycle_of_arrays_that_change(x):
    one, other = x * 1.0, x * 2.0
    turn = itertools.cycle([one, other])
    for _ in range(3):
        next(turn)[0] += x[1]
    return np.sum(one * other)


attack(cycle_of_arrays_that_change, V3)


def cycle_of_views(x):
    a = x.copy()
    turn = itertools.cycle((a[:1], a[1:2]))
    for _ in range(4):
        part = next(turn)
        part *= 1.5
    return np.sum(a ** 2)


attack(cycle_of_views, V3)


def counter_whose_number_changes(x):
    number = itertools.count(x[:2], np.array([1.0, 2.0]))
    next(number)
    second = next(number)
    second[0] = 5.0
    return np.sum(next(number) * second)


attack(counter_whose_number_changes, V3)


def counter_in_a_key(x):
    number = itertools.count(1)
    return sum(v * (k + 1) for k, v in enumerate(sorted(x, key=lambda v: -next(number))))


attack(counter_in_a_key, V3)


def counter_in_a_test(x):
    number = itertools.count()
    return x[0] if next(number) and next(number) else x[1] * next(number)


attack(counter_in_a_test, V3)


def counter_of_a_parameter_of_the_same_name(x):
    def inner(number):
        return next(number) * x[0]
    number = itertools.count(3)
    return inner(itertools.count(7)) + next(number) * x[1]


attack(counter_of_a_parameter_of_the_same_name, V3)


def cycle_in_a_handler(x):
    turn = itertools.cycle([x[0]])
    total = next(turn)
    try:
        total = total * next(turn)
        raise ValueError
    except ValueError:
        total = total * next(turn)
    return total


attack(cycle_in_a_handler, V3)
