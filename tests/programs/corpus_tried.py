"""Leaving the body of a `try` in a loop, and names that only it assigns. Each was silently wrong, or a crash, once."""
from __future__ import annotations

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
X = np.array([0.53, 0.27, 0.81])
case = PROGRAMS.with_arguments(X)


@case
def return_in_a_try_in_a_loop(x):
    for k in range(3):
        try:
            if k == 2:
                return np.sum(x)
        except ValueError:
            pass
        x = x * 2.0
    return 0.0


@case
def return_in_a_try_in_a_while(x):
    s = x[0]
    k = 0
    while k < 3:
        try:
            if k == 2:
                return s
        except ValueError:
            pass
        s = s * (x[k] + 1)
        k += 1
    return -s


@case
def return_by_value_in_a_try_in_nested_loops(x):
    s = x[0]
    for i in range(3):
        for k in range(4):
            try:
                if s > 3.0:
                    return s * x[i]
                s = s * (x[k] + 1)
            except IndexError:
                s = s + x[1]
            finally:
                s = s * 1.1
    return -s


@case
def break_in_a_try_with_finally(x):
    y = x * 1.0
    s = 0.0
    for k in range(3):
        try:
            if k == 2:
                break
            z = y * 2
        except ValueError:
            z = y * 3
        finally:
            s = s + y[0]
        y = z + 0
        y[k] = 0.0
    return np.sum(y) + s


@case
def continue_before_the_first_assignment_in_a_try(x):
    s = 0.0
    for k in range(3):
        try:
            if k == 0:
                continue
            z = x * k
        except ValueError:
            z = x ** 2
        s = s + np.sum(z * x)
    return s


@case
def value_of_an_earlier_round_of_a_try(x):
    s = 0.0
    for k in range(4):
        try:
            if k % 2 == 0:
                z = x * (k + 1)
        except ValueError:
            z = x ** 2
        s = s + np.sum(z * x)
    return s


def early(v):
    try:
        if v > 0.5:
            return v * v
        w = v * 3
    except ValueError:
        w = v
    return w + 1


@case
def return_in_a_try_of_a_callee(x):
    return early(x[0]) * early(x[1]) * early(x[2])


@case
def none_as_a_value_in_a_try(x):
    last = None
    for k in range(3):
        try:
            if k == 1:
                last = None
            else:
                last = x[k]
        except IndexError:
            last = x[0]
    return last * x[0]


@case
def handler_taken_in_a_loop(x):
    s = 0.0
    for k in range(4):
        try:
            z = np.outer(x, x)[k] * 2
        except IndexError:
            z = x * x
        s = s + np.sum(z)
    return s


@case
def factor_that_may_not_exist(x):
    s = 0.0
    for k in range(2):
        try:
            z = np.linalg.cholesky(np.outer(x, x) + (k - 0.5) * np.eye(3))
        except np.linalg.LinAlgError:
            z = np.outer(x, x)
        s = s + np.sum(z)
    return s


def find(items, key):
    for k, v in items:
        if k == key:
            return v
    raise KeyError(key)


@case
def search_that_raises_behind_the_loop(x):
    return np.sum(find([("a", x), ("b", 2 * x)], "b") * x)


@case
def none_is_a_value_too(x):
    entries = {"a": x * 1.0}
    s = 0.0
    for k, key in enumerate(["a", "b", "a", "c"]):
        try:
            if k != 2:
                z = entries.get(key)
        except ValueError:
            z = x
        s = s + (0.5 if z is None else np.sum(z ** 2))
    return s


def half(k, x):
    return x * 2 if k % 2 else None


@case
def none_that_a_callee_gives(x):
    s = 0.0
    for k in range(1, 5):
        try:
            if k != 3:
                z = half(k, x)
        except ValueError:
            z = x
        s = s + (0.5 if z is None else np.sum(z ** 2))
    return s


@case
def targets_of_a_loop_in_an_attempt(x):
    s = 0.0
    for k in range(3):
        try:
            for v in x[:k]:
                w = v * k
            if k > 1:
                a, b = w, v * 3
        except IndexError:
            a, b, v, w = x
        if k > 1:
            s = s + a * b + v * w
    return s
