"""break, continue, early return and loop else."""
import math

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, -0.8, 1.1])
MATRIX = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7]])


def break_out(x, n):
    total = 0.0
    for i in range(n):
        total = total + x * i
        if total > 2:
            break
        x = x * 1.1
    return total * x


case(break_out, 0.7, 10, order=3)
PROGRAMS.add(break_out, 0.7, 2)
PROGRAMS.add(break_out, 0.7, 0)


def continue_loop(v):
    total = 0.0
    for x in v:
        if x < 0:
            continue
        total = total + math.sqrt(x) * total + x
    return total


case(continue_loop, VECTOR, order=3)


def break_and_continue(x):
    y = 1.0
    for i in range(20):
        if i % 3 == 1:
            continue
        y = y * x + math.sin(y)
        if y > 3 or i > 8:
            break
        y = y + 0.1 * i
    return y * i


case(break_and_continue, 0.9, order=3)


def early_return(v):
    total = 0.0
    for x in v:
        total = total + x * x
        if total > 0.5:
            return total * x
    return total


case(early_return, VECTOR, order=3)
PROGRAMS.add(early_return, VECTOR * 0.2)


def return_in_nested_loops(m, limit):
    total = 0.0
    for row in m:
        for x in row:
            total = total + x * x * total + x
            if total > limit:
                return total * x
        total = total * 0.9
    return total


case(return_in_nested_loops, MATRIX, 1.5, order=3)
PROGRAMS.add(return_in_nested_loops, MATRIX, 0.1, inputs=("m", "limit"))
PROGRAMS.add(return_in_nested_loops, MATRIX, 100.0)


def break_inner_only(x):
    total = 0.0
    for i in range(4):
        y = x
        for j in range(5):
            y = y * x + 0.1 * j
            if y > 0.5 * i:
                break
            total = total + y
        total = total * y + i
    return total


case(break_inner_only, 0.8, order=3)


def continue_outer_after_break(v, w):
    """A flag carries the inner exit outwards."""
    total = 0.0
    for x in v:
        found = False
        for y in w:
            if x * y > 0.4:
                found = True
                break
            total = total + x * y
        if found:
            continue
        total = total + math.sin(x)
    return total


case(continue_outer_after_break, VECTOR, np.array([0.2, 0.9, -1.0]), inputs=("v", "w"))


def for_else(v, limit):
    for x in v:
        if x > limit:
            r = x * x
            break
    else:
        r = v[0] * 3
    return r + limit * x


case(for_else, VECTOR, 1.0, inputs=("v", "limit"))
PROGRAMS.add(for_else, VECTOR, 2.0, inputs=("v", "limit"))


def while_else(x):
    k = 0
    while k < 3:
        x = x * x + 0.1
        if x > 2:
            break
        k += 1
    else:
        x = x * 10
    return x


case(while_else, 0.7)
PROGRAMS.add(while_else, 1.5)


def for_else_with_return(v):
    for i, x in enumerate(v):
        if x > 5:
            return x
    else:
        y = v[i] * 2
    for x in v:
        if x < 0:
            return y * x
    return y


case(for_else_with_return, VECTOR)


def while_true(x):
    k = 0
    while True:
        x = 0.5 * (x + 2.0 / x)
        k += 1
        if k == 4:
            return x
        if abs(x * x - 2.0) < 1e-4:
            break
    return x * k


case(while_true, 0.9)
PROGRAMS.add(while_true, 1.45)


def while_true_continue(x):
    total, i = 0.0, 0
    while True:
        i += 1
        if i == 2:
            continue
        if i > 5:
            break
        total += x ** i * total + x
    return total


case(while_true_continue, 0.7, order=3)


def bisection(target):
    """Solve y**3 + y = target: only the last Newton step depends on the target smoothly."""
    low, high = 0.0, 2.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        if high - low < 1e-3:
            break
        if middle ** 3 + middle > target:
            high = middle
        else:
            low = middle
    y = middle
    return y - (y ** 3 + y - target) / (3 * y ** 2 + 1)


case(bisection, 1.7)


def return_before_loop(x, n):
    if n == 0:
        return x * x
    y = x
    for i in range(n):
        if y > 1:
            return y * i
        y = y * 1.7
    return y


case(return_before_loop, 0.4, 0)
PROGRAMS.add(return_before_loop, 0.4, 9, order=3)


def return_from_while_in_for(v):
    for x in v:
        y = x
        while y > 0.1:
            y = y * 0.5 - 0.01
            if y < 0.2 and x > 1:
                return y * x
        v = v * 1.1
    return v[0]


case(return_from_while_in_for, VECTOR)


def exit_on_first_iteration(x):
    for _ in range(5):
        x = x * x
        break
    while x > 0:
        x = x + 1
        break
    for _ in range(3):
        continue
    return x


case(exit_on_first_iteration, 0.7)


def collatz_weights(x, n):
    """Integer control flow with exits; the derivative flows through floats only."""
    y = x
    while n != 1:
        if n % 2:
            n = 3 * n + 1
            y = y * 0.9 + math.cos(y)
            continue
        n //= 2
        y = math.sin(y) + x
        if n > 50:
            break
    return y


case(collatz_weights, 0.6, 6, order=3)


def raise_in_loop(v):
    total = 1.0
    for x in v:
        if total > 100:
            raise OverflowError(f"total = {total:.3g}")
        if x == 17:
            raise ValueError
        total = total * (x + 2)
    return total


case(raise_in_loop, VECTOR)


def tuple_return_in_loop(v):
    best = v[0]
    for i, x in enumerate(v):
        if x > 1:
            return x * best, i * x
        best = best + x
    return best, best * best


case(tuple_return_in_loop, VECTOR)
PROGRAMS.add(tuple_return_in_loop, VECTOR * 0.5)


def return_in_else(x):
    total = 0.0
    for i in range(3):
        if x > 1.0:
            break
        total += np.tanh(x)
    else:
        if total > 0.1:
            return total
    return total + 0.5 * x


case(return_in_else, 0.3)
case(return_in_else, 1.3)
case(return_in_else, -0.3)


def returns_around_else(xs, limit):
    total = 0.0
    for x in xs:
        for i in range(3):
            if x * i > limit:
                break
            if total > 4.0:
                return total * x
        else:
            if x < 0.0:
                continue
            if x > 0.9:
                break
            total += x
        total += x * x
    else:
        if total > 2.0:
            return total ** 2
        total *= 3.0
    return total + xs[0]


case(returns_around_else, np.array([0.3, -0.8, 0.5]), 0.7, inputs=("xs", "limit"))
case(returns_around_else, np.array([0.3, 0.95, 0.5]), 5.0, inputs=("xs", "limit"))
case(returns_around_else, np.array([0.8, 0.7, 0.6]), 5.0, inputs=("xs", "limit"))
case(returns_around_else, np.array([1.9, 2.7, 0.6]), 1.0, inputs=("xs", "limit"))
