"""Attacks on control flow: loops with changed variables, exits, exceptions, scopes, late binding, recursion."""
import math

import numpy as np

from tests.errors.attack import Corpus

ATTACKS = Corpus()
attack = ATTACKS.add

V = np.array([0.3, -0.8, 1.1])


def assert_fails(x):
    assert x > 1.0, "too small"
    return x * x


attack(assert_fails, 0.7)


def assert_holds(x):
    assert x > 0.0, f"too small: {x}"
    return x * x


attack(assert_holds, 0.7)


def raise_in_branch(x):
    if x < 1.0:
        raise ValueError(f"{x} is too small")
    return x * x


attack(raise_in_branch, 0.7)
attack(raise_in_branch, 1.7)


def raise_in_callee(x):
    return raise_in_branch(x) * x


attack(raise_in_callee, 0.7)


def raise_in_loop(x):
    for i in range(5):
        if x * i > 2.0:
            raise RuntimeError("diverged")
        x = x * 1.5
    return x


attack(raise_in_loop, 0.7)


def division_by_zero(x):
    return x / (x - x)


attack(division_by_zero, 0.7)


def index_out_of_range(x):
    return x[7] * x[0]


attack(index_out_of_range, V)


def key_error(x):
    return {"a": x}["b"]


attack(key_error, 0.7)


def broadcast_error(x):
    return (x + np.ones(2)).sum()


attack(broadcast_error, V)


def math_domain_error(x):
    return math.log(-x)


attack(math_domain_error, 0.7)


def truth_of_array(x):
    return x.sum() if x > 0 else x[0]


attack(truth_of_array, V)


def chained_comparison_of_arrays(x):
    return x.sum() if (-1 < x < 1).all() else x[0]


attack(chained_comparison_of_arrays, V)


def unbound_after_branch(x):
    if x > 1.0:
        y = x
    return y * x


attack(unbound_after_branch, 0.7)
attack(unbound_after_branch, 1.7)


def unbound_after_loop(x, n):
    for i in range(n):
        y = x * i
    return y * i


attack(unbound_after_loop, 0.7, 0)
attack(unbound_after_loop, 0.7, 3)


def unbound_before_assignment(x):
    total = total + x
    return total


attack(unbound_before_assignment, 0.7)


def returns_in_one_branch_only(x):
    if x > 1.0:
        return x * x


attack(returns_in_one_branch_only, 0.7)
attack(returns_in_one_branch_only, 1.7)


def returns_different_things(x):
    if x > 1.0:
        return x * x
    return x, x


attack(returns_different_things, 1.7)


def loop_variable_changed_inside(x):
    total = 0.0
    for i in range(4):
        i = i + 1
        total = total * x + i
    return total * i


attack(loop_variable_changed_inside, 0.7)


def loop_variable_changed_by_aug(x):
    total = 0.0
    for v in x:
        v *= v
        total += v
    return total * v


attack(loop_variable_changed_by_aug, V)


def loop_bound_changed_inside(x):
    n = 3
    total = 0.0
    for i in range(n):
        n = n + 5
        total = total + x * n
    return total * n


attack(loop_bound_changed_inside, 0.7)


def loop_sequence_rebound_inside(x):
    ys = x
    total = 0.0
    for y in ys:
        ys = ys * y
        total = total + ys.sum()
    return total


attack(loop_sequence_rebound_inside, V)


def loop_over_rebound_view(x):
    for row in x:
        x = row * x.sum()
    return x.sum()


attack(loop_over_rebound_view, V)


def same_loop_variable_twice(x):
    total = 0.0
    for i in range(3):
        for i in range(2):
            total = total * x + i
        total = total + x * i
    return total


attack(same_loop_variable_twice, 0.7)


def loop_variable_shadows_input(x):
    total = 0.0
    for x in [x, x * x]:
        total = total + x * 2.0
    return total * x


attack(loop_variable_shadows_input, 0.7)


def loop_steps(x):
    total = 0.0
    for i in range(7, -2, -3):
        total = total * x + i
    for i in range(2, 2):
        total = total * 99.0
    return total


attack(loop_steps, 0.7)


def loop_over_reversed_enumeration(x):
    total = 0.0
    for i, v in reversed(list(enumerate(x))):
        total = total * v + i
    return total


attack(loop_over_reversed_enumeration, V)


def loop_over_string(x):
    total = x
    for letter in "abc":
        total = total * (2.0 if letter == "b" else x)
    return total


attack(loop_over_string, 0.7)


def loop_over_dict_of_lists(x):
    total = 0.0
    for k, vs in {"a": [x, 1.0], "b": [x * x]}.items():
        for v in vs:
            total += v * x
    return total


attack(loop_over_dict_of_lists, 0.7)


def loop_over_scalar(x):
    total = 0.0
    for v in x:
        total += v
    return total


attack(loop_over_scalar, 0.7)


def while_on_data(x):
    n = 0
    while x < 5.0:
        x = x * 1.7
        n += 1
    else:
        x = x * n
    return x


attack(while_on_data, 0.7)


def while_true(x):
    while True:
        x = x * 1.7
        if x > 5.0:
            break
    return x * x


attack(while_true, 0.7)


def while_walrus(x):
    n = 0
    while (y := x * n) < 2.0:
        n += 1
    return y * x


attack(while_walrus, 0.7)


def while_on_array_size(x):
    while x.size > 1:
        x = x[1:] * x[:-1]
    return x[0]


attack(while_on_array_size, V)


def return_inside_nested_loops(x):
    for i in range(3):
        for j in range(3):
            x = x * 1.1
            if i + j == 3:
                return x * i
            if j > i:
                break
            if j == 1:
                continue
        else:
            x = x + 1.0
    return x


attack(return_inside_nested_loops, 0.7)


def break_with_else(x):
    for i in range(3):
        if x * i > 0.5:
            x = x * x
            break
    else:
        x = -x
    return x * i


attack(break_with_else, 0.7)


def short_circuit(x):
    calls = []
    if x > 1.0 and calls[0] > 0:
        return x
    return x * x if x < 1.0 or calls[0] else x


attack(short_circuit, 0.7)


def short_circuit_value(x):
    y = x and x * x and math.sin(x)
    return y * (0.0 or x)


attack(short_circuit_value, 0.7)


def not_value(x):
    return x * (not x) + x * x


attack(not_value, 0.7)


def walrus_in_condition(x):
    if (y := x * x) > 0.2 and (z := y * x) > 0.1:
        return y * z
    return x


attack(walrus_in_condition, 0.7)


def rebinding_kinds(x):
    y = x
    for i in range(3):
        y = np.array([y, x]).sum() if i == 1 else y * x
    return y


attack(rebinding_kinds, 0.7)


def scalar_becomes_array(x):
    y = x
    for _ in range(2):
        y = y * np.ones(3)
    return y.sum() * x


attack(scalar_becomes_array, 0.7)


def rank_grows_in_loop(x):
    y = x
    for _ in range(4):
        y = y[None]
    return (y * y).sum()


attack(rank_grows_in_loop, V)


def tuple_grows_in_loop(x):
    y = (x,)
    for _ in range(4):
        y = (y[0] * x, y)
    return y[0] * y[1][0]


attack(tuple_grows_in_loop, 0.7)


def none_until_set(x):
    best = None
    for v in x:
        if best is None or v > best:
            best = v
    return best * best


attack(none_until_set, V)


def number_or_text(x):
    y = "none"
    if x > 0.5:
        y = x
    return y * x if y != "none" else x


attack(number_or_text, 0.7)
attack(number_or_text, 0.3)


def late_closure(x):
    a = x

    def inner():
        return a * x

    a = 3.0 * x * x
    return inner()


attack(late_closure, 0.7)


def late_closure_between_calls(x):
    a = x

    def inner():
        return a * x

    first = inner()
    a = a * x
    return first * inner()


attack(late_closure_between_calls, 0.7)


def early_default(x):
    a = x

    def inner(y, k=a):
        return k * y

    a = 3.0
    return inner(x) * a


attack(early_default, 0.7)


def early_lambda_default(x):
    a = x
    inner = lambda y, k=a * 2.0: k * y
    a = 3.0
    return inner(x) * a


attack(early_lambda_default, 0.7)


def closure_in_loop(x):
    total = 0.0
    fs = []
    for i in range(3):
        def f(y):
            return y * i
        fs.append(f)
    for f in fs:
        total = total + f(x)
    return total


attack(closure_in_loop, 0.7)


def closure_sees_later_function(x):
    def first(y):
        return second(y) * x

    def second(y):
        return y * y

    return first(x)


attack(closure_sees_later_function, 0.7)


def closure_redefined(x):
    def f(y):
        return y * x

    a = f(x)

    def f(y):
        return y * y * y

    return a * f(x)


attack(closure_redefined, 0.7)


def closure_defined_in_branch(x):
    if x > 0.5:
        def f(y):
            return y * x
    else:
        def f(y):
            return y * 3.0
    return f(x)


attack(closure_defined_in_branch, 0.7)


def closure_shadows_global(x):
    def square(y):
        return y * y * y

    return square(x)


def square(y):
    return y * y


attack(closure_shadows_global, 0.7)


def closure_returned(x):
    def make(a):
        def run(y):
            return a * y * x
        return run

    return make(x)(x)


attack(closure_returned, 0.7)


def closure_counter(x):
    count = 0

    def step(y):
        nonlocal count
        count += 1
        return y * count

    return step(x) * step(x)


attack(closure_counter, 0.7)


def recursion(x, n):
    return x if n == 0 else x * recursion(x * 0.9, n - 1)


attack(recursion, 0.7, 5)


def recursion_on_float(x):
    return x if x > 5.0 else recursion_on_float(x * 1.3) * x


attack(recursion_on_float, 0.7)


def even(x, n):
    return x if n == 0 else odd(x * x, n - 1)


def odd(x, n):
    return 2.0 * x if n == 0 else even(x + 1.0, n - 1)


attack(even, 0.7, 3)


def recursion_with_growing_rank(x, n):
    return (x * x).sum() if n == 0 else recursion_with_growing_rank(x[None], n - 1)


attack(recursion_with_growing_rank, V, 4)


def recursion_with_growing_tuple(x, n, seen=()):
    return sum(seen) if n == 0 else recursion_with_growing_tuple(x * x, n - 1, (x, *seen))


attack(recursion_with_growing_tuple, 0.7, 4)


def recursion_with_nested_pairs(x, n, chain=None):
    if n == 0:
        return x * chain[0]
    return recursion_with_nested_pairs(x * x, n - 1, (x, chain))


attack(recursion_with_nested_pairs, 0.7, 4)


def recursion_with_growing_closure(x, n):
    return _compose(lambda y: y * x, n)(x)


def _compose(f, n):
    return f if n == 0 else _compose(lambda y: f(f(y)), n - 1)


attack(recursion_with_growing_closure, 0.7, 3)


def recursion_on_lists(x):
    return _total([x, [x * x, [2.0 * x]]])


def _total(tree):
    total = 0.0
    for item in tree:
        total += _total(item) if isinstance(item, list) else item
    return total


attack(recursion_on_lists, 0.7)


def recursion_by_halves(x):
    return x[0] if len(x) == 1 else recursion_by_halves(x[: len(x) // 2]) * recursion_by_halves(x[len(x) // 2:])


attack(recursion_by_halves, V)


def recursion_without_end(x):
    return recursion_without_end(x) * x


attack(recursion_without_end, 0.7)


def recursive_closure(x, n):
    def go(y, k):
        return y if k == 0 else go(y * x, k - 1)

    return go(x, n)


attack(recursive_closure, 0.7, 3)


def recursive_lambda(x):
    go = lambda y, k: y if k == 0 else go(y * x, k - 1)
    return go(x, 3)


attack(recursive_lambda, 0.7)


def y_combinator(x):
    go = lambda self, y, k: y if k == 0 else self(self, y * x, k - 1)
    return go(go, x, 3)


attack(y_combinator, 0.7)

LONG = "def long_expression(x):\n    return " + " + ".join(["x * x"] * 400) + "\n"
DEEP = "def deep_expression(x):\n    return " + "(x * " * 80 + "x" + ")" * 80 + "\n"
LADDER = ("def long_ladder(x, n):\n    if n == 0:\n        y = x\n"
          + "".join(f"    elif n == {i}:\n        y = x * {i}\n" for i in range(1, 150))
          + "    else:\n        y = x * x\n    return y\n")
NESTED = ("def nested_ifs(x):\n" + "".join("    " * (i + 1) + f"if x > -{i}:\n" for i in range(18))
          + "    " * 19 + "x = x * x\n    return x\n")
STRAIGHT = "def long_body(x):\n" + "    x = x * 0.999 + 0.01 * x * x\n" * 300 + "    return x\n"
TEXTS = {"long_expression": (LONG, 0.7), "deep_expression": (DEEP, 0.999), "long_ladder": (LADDER, 0.7, 120),
         "nested_ifs": (NESTED, 0.7), "long_body": (STRAIGHT, 0.7)}
