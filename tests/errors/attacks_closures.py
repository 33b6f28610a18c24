"""Attacks on closures and recursion, and programs too large for a recursive compiler."""

import numpy as np

from tests.errors.attack import Corpus

ATTACKS = Corpus()
attack = ATTACKS.add

V = np.array([0.3, -0.8, 1.1])


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
STRAIGHT = "def long_body(x):\n" + "    x = x * 0.999 + 0.001 * x * x\n" * 100 + "    return x\n"
TEXTS = {"long_expression": (LONG, 0.7), "deep_expression": (DEEP, 0.999), "long_ladder": (LADDER, 0.7, 120),
         "nested_ifs": (NESTED, 0.7), "long_body": (STRAIGHT, 0.7)}
