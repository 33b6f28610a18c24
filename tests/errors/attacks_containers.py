"""Attacks on lists, tuples, dicts, iterators and comprehensions."""
import functools
import itertools
import math
import operator

import numpy as np

from tests.errors.attack import Corpus

ATTACKS = Corpus()
attack = ATTACKS.add

V = np.array([0.3, -0.8, 1.1])


def two_names_of_a_list(x):
    xs = [x]
    ys = xs
    xs.append(x * x)
    return sum(ys)


attack(two_names_of_a_list, 0.7)


def list_in_a_tuple(x):
    xs = [x]
    pair = (xs, 2.0)
    xs.append(x * x)
    return sum(pair[0]) * pair[1]


attack(list_in_a_tuple, 0.7)


def list_of_lists(x):
    rows = [[x], [2.0 * x]]
    rows[0].append(x * x)
    return sum(rows[0]) * sum(rows[1])


attack(list_of_lists, 0.7)


def append_to_each_row(x):
    rows = [[x], [2.0 * x]]
    for row in rows:
        row.append(x * x)
    return sum(rows[0]) * sum(rows[1])


attack(append_to_each_row, 0.7)


def repeated_row(x):
    rows = [[x]] * 2
    rows[0].append(x * x)
    return sum(rows[1])


attack(repeated_row, 0.7)


def append_by_callee(x):
    xs = [x]
    _push(xs, x * x)
    return sum(xs)


def _push(xs, value):
    xs.append(value)


attack(append_by_callee, 0.7)


def append_constant_by_callee(x):
    xs = [1.0]
    _push(xs, 2.0)
    return sum(xs) * x


attack(append_constant_by_callee, 0.7)


def append_by_closure(x):
    xs = [x]

    def push(value):
        xs.append(value)

    push(x * x)
    return sum(xs)


attack(append_by_closure, 0.7)


def append_by_bound_method(x):
    xs = [x]
    push = xs.append
    push(x * x)
    return sum(xs)


attack(append_by_bound_method, 0.7)


def append_by_class_method(x):
    xs = [x]
    list.append(xs, x * x)
    return sum(xs)


attack(append_by_class_method, 0.7)


def append_to_default(x, seen=[]):
    seen.append(x)
    total = sum(seen)
    seen.pop()
    return total * x


attack(append_to_default, 0.7)

HISTORY = [1.0]


def append_to_global(x):
    HISTORY.append(x)
    return HISTORY.pop() * x


attack(append_to_global, 0.7)


def append_to_argument(x, xs):
    xs.append(2.0)
    return sum(xs) * x


attack(append_to_argument, 0.7, [1.0])


def append_in_expression(x):
    xs = [x]
    done = xs.append(x * x) or 2.0
    return sum(xs) * done


attack(append_in_expression, 0.7)


def extend(x):
    xs = [x]
    xs.extend([x * x, 1.0])
    return sum(xs) * xs[1]


attack(extend, 0.7)


def extend_constants(x):
    xs = [1.0]
    xs.extend([2.0, 3.0])
    return sum(xs) * x


attack(extend_constants, 0.7)


def insert(x):
    xs = [x]
    xs.insert(0, x * x)
    return xs[0] * 3.0 + xs[1]


attack(insert, 0.7)


def insert_constant(x):
    xs = [1.0]
    xs.insert(0, 2.0)
    return xs[0] * x


attack(insert_constant, 0.7)


def sort_in_place(x):
    xs = [x * x, x, 2.0 * x]
    xs.sort()
    return xs[0] + 2.0 * xs[1] + 3.0 * xs[2]


attack(sort_in_place, 0.7)


def reverse_in_place(x):
    xs = [x * x, x]
    xs.reverse()
    return xs[0] + 2.0 * xs[1]


attack(reverse_in_place, 0.7)


def reverse_constants(x):
    xs = [1.0, 2.0]
    xs.reverse()
    return xs[0] * x


attack(reverse_constants, 0.7)


def clear_constants(x):
    xs = [1.0, 2.0]
    xs.clear()
    xs.append(x)
    return sum(xs)


attack(clear_constants, 0.7)


def remove(x):
    xs = [x, x * x]
    xs.remove(x)
    return xs[0]


attack(remove, 0.7)


def pop_first(x):
    xs = [x, x * x, 1.0]
    return xs.pop(0) * xs[0]


attack(pop_first, 0.7)


def pop_unused(x):
    xs = [x, x * x]
    xs.pop()
    return xs[-1]


attack(pop_unused, 0.7)


def pop_then_append(x):
    xs = [x, x * x]
    last = xs.pop()
    xs.append(last * x)
    return sum(xs)


attack(pop_then_append, 0.7)


def delete_item(x):
    xs = [x, x * x]
    del xs[0]
    return xs[0]


attack(delete_item, 0.7)


def delete_slice(x):
    xs = [x, x * x, 1.0]
    del xs[1:]
    return xs[-1]


attack(delete_slice, 0.7)


def delete_name(x):
    y = x * 2.0
    del y
    y = x * x
    return y


attack(delete_name, 0.7)


def delete_and_read(x):
    y = x * 2.0
    del y
    return y * x


attack(delete_and_read, 0.7)


def augmented_list(x):
    xs = [x]
    ys = xs
    xs += [x * x]
    return sum(ys)


attack(augmented_list, 0.7)


def augmented_list_repeat(x):
    xs = [x]
    xs *= 3
    return sum(xs)


attack(augmented_list_repeat, 0.7)


def augmented_tuple(x):
    xs = (x,)
    xs += (x * x,)
    return sum(xs)


attack(augmented_tuple, 0.7)


def repeat_list(x):
    xs = [x, x * x] * 2
    return xs[0] * xs[3]


attack(repeat_list, 0.7)


def repeat_tuple(x):
    xs = 3 * (x,)
    return xs[0] * xs[2]


attack(repeat_tuple, 0.7)


def list_changed_in_loop(x):
    xs = [x]
    for value in xs:
        if len(xs) < 4:
            xs.append(value * x)
    return sum(xs)


attack(list_changed_in_loop, 0.7)


def alias_changed_in_loop(x):
    xs = [x]
    ys = xs
    for value in xs:
        if len(ys) < 4:
            ys.append(value * x)
    return sum(xs)


attack(alias_changed_in_loop, 0.7)


def list_popped_in_loop(x):
    xs = [x, 2.0 * x, x * x]
    total = 0.0
    while xs:
        total = total * x + xs.pop()
    return total


attack(list_popped_in_loop, 0.7)


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
