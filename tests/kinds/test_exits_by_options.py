"""Exits of loops that an option switches on or off: what is known of it when code is generated decides, at orders 1 and 2."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg

SWITCHED_OFF, SWITCHED_ON = False, True


def first_of_two(x, early=False):
    for _ in range(3):
        x = x * np.sin(x)
        if early and x > 0:
            break
        x = x * 2
    return x


def nested_loops(x, early=False):
    s = 0.0
    for _ in range(3):
        for j in range(4):
            s = s + x * j
            if early:
                break
            s = s * x
        if not early and x > 100.0:
            break
        x = x * 1.5
    return x * s


def without_end(x, early=False):
    count = 0
    while True:
        x = np.sin(x) * x
        count += 1
        if early:
            break
        if count >= 3:
            break
    return x


def with_else(x, early=False):
    items = []
    for k in range(3):
        items.append(x * k)
        if early and x < 10.0:
            break
        x = x * x
    else:
        return sum(items) * 2
    return sum(items)


def return_inside(x, early=False):
    for _ in range(3):
        if early:
            return x
        x = x * np.cos(x)
    return x * x


def tolerance(x, early=False):
    limit = 1e-3 if early else None
    for _ in range(5):
        y = 0.5 * (x + 2 / x)
        if limit is not None and abs(y - x) < limit:
            break
        x = y
    return x


def of_the_module(x, early=False):
    for _ in range(3):
        x = x * np.sin(x)
        if SWITCHED_OFF or early and SWITCHED_ON:
            break
        x = x + 1
    return x


def inner(x, level):
    for _ in range(3):
        x = x * np.sin(x)
        if level > 1:
            break
        x = x * 2
    return x


def of_a_callee(x, early=False):
    return inner(x, 1) + inner(x, 2 if early else 0)


def recursive(x, depth, early):
    if depth <= 0:
        return np.sin(x) * x
    inside, count = recursive(np.tanh(x), depth - 1, early), 0
    while count < 2:
        count += 1
        x = np.tanh(inside * inside)
        if early and depth > 0:
            break
        inside = np.tanh(count * inside)
    return inside + 0.5 * x


def of_a_recursion(x, early=False):
    return recursive(x, 1, early)


PROGRAMS = [first_of_two, nested_loops, without_end, with_else, return_inside, tolerance, of_the_module, of_a_callee,
            of_a_recursion]


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_exits_by_options(f, early):
    x, h = 0.7, 1e-5
    value, slope = sg.value_and_grad(f)(x, early=early)
    assert value == f(x, early=early)
    assert slope == pytest.approx((f(x + h, early=early) - f(x - h, early=early)) / (2 * h), rel=1e-6, abs=1e-8)
    gradient = sg.grad(f)
    assert sg.grad(gradient)(x, early=early) == pytest.approx(
        (gradient(x + h, early=early) - gradient(x - h, early=early)) / (2 * h), rel=1e-5, abs=1e-7)


def test_what_never_stops_is_left_out():
    gradient = sg.grad(first_of_two)
    gradient(0.7)
    assert not any(word in gradient.source for word in ("break", "stop", "trips"))


def decided(x, kind="time", n=3):
    real = kind == "time" and not np.iscomplexobj(x)
    other = kind == "frequency" or not np.any(x > 5.0)
    third = n == 3 and -np.sum(x)
    return np.sum(x ** 2) * (2.0 if real and other else 1.0) * third


def test_what_is_left_of_a_condition_is_one_operation():
    """`kind == "time"` is known; what stands beside it is more than one operation, and no statement of its own."""
    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(sg.grad(decided)(x), [-22.0, -34.0])
    sg.check_grad(decided, x, order=2)
