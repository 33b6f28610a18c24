"""Attacks on control flow: exceptions, unbound names, loops with changed variables, exits, changing kinds."""
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
