"""Small programs whose derivatives were once wrong or refused without need, with what was the matter."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import UnsupportedError
from tests.programs.kernels.checks import check_kernel
from tests.programs.kernels.kernel import Kernel

PROGRAMS: list[Kernel] = []

V4 = np.array([0.7, -0.4, 1.3, 0.9])
MASK = np.array([True, False, False, True])


def case(function: Callable, *args: Any, inputs: tuple = ("x",), outputs: tuple = ("return",), order: int = 2) -> None:
    PROGRAMS.append(Kernel(function, args, inputs, order, outputs=outputs))


# --- a guard with a number as cotangent gives its value itself, not a new array

def guarded_by_a_number(x, m):
    z = x / (x.std() + 1.0)
    return np.sum(z[m] ** 2)


def guarded_in_a_loop(x, m):
    for _ in range(2):
        x = x / (x.std() + 1.0)
        x = np.where(m, x, 0.3 * x)
    return np.sum(x * x)


def guarded_in_place(x, m):
    for _ in range(2):
        x[m] = x[~m].mean()
        x /= x.std() + 1.0
    return np.sum(x * x * x)


for program in (guarded_by_a_number, guarded_in_a_loop, guarded_in_place):
    case(program, V4, MASK)


# --- recursion that changes parts of parts: places inside places without end, kinds that grow

def even(y, i):
    if i < len(y):
        odd(y, i + 1)


def odd(y, i):
    if i < len(y):
        y[i] *= y[i - 1]
        even(y, i + 1)


def mutual_recursion_in_place(x):
    even(x, 0)
    return x * x


def halves(y):
    if len(y) > 1:
        h = len(y) // 2
        halves(y[:h])
        halves(y[h:])
        y[0] += y[-1] * y[h]


def recursion_on_halves(x):
    halves(x)
    return x * x


def span(y, low, high):
    if high - low > 1:
        middle = (low + high) // 2
        span(y, low, middle)
        span(y, middle, high)
        y[low] += y[middle] * y[high - 1]
    return y


def recursion_that_returns_its_argument(x):
    z = span(x, 0, len(x))
    z[0] *= 2
    return x * x


def level(x, n):
    if n == 0:
        return x
    y = level(x * 0.5, n - 1)
    y[n - 1] *= x[0]
    return y


def recursion_on_a_constant(x):
    return level(x, 4)


for program in (mutual_recursion_in_place, recursion_on_halves, recursion_that_returns_its_argument, recursion_on_a_constant):
    case(program, V4)


# --- the argument itself under another name after a branch

def same(y, c):
    if c:
        r = y
        k = 1
    else:
        r = y
        k = 2
    r[0] = r[0] * k
    return r


def argument_by_another_name(x):
    t = same(x, x[0] > 100)
    t *= 3.0 * x[0]
    return x * x


def packed(y, c):
    if c:
        r = y
    else:
        r = y
    return [r, r * 2]


def argument_in_a_list_of_the_callee(x):
    t = packed(x, x[0] > 1)
    t[0] *= 3.0 * x[0]
    return x * x * t[1]


for program in (argument_by_another_name, argument_in_a_list_of_the_callee):
    case(program, V4)


# --- parts of np.split of an array that changes; one array in two roles

M34 = np.array([[0.2, -0.5, 0.9, 1.1], [1.3, 0.4, -0.7, 0.6], [-0.3, 0.8, 0.5, -1.4]])


def parts_of_what_changes(x):
    p, q = np.split(x, 2)
    np.reshape(x, (2, 2))[0] = q[1] * p[0]
    for r in np.array_split(x, 3):
        x[0] += r[0] * r[-1]
    return np.sum(p * q) + x * x


def combine(target, source, factor=0.5):
    target += factor * source * source


def overlapping_views_for_a_callee(x):
    combine(x[1:], x[:-1])
    combine(x, x, factor=2.0)
    combine(x[::-1][1:], x[1:], factor=2.0)
    return x * x


def rows_for_a_callee(x):
    for i in range(1, 3):
        combine(x[i], x[i - 1])
        combine(x[i, 1:], x[i, :-1], 0.3)
    return x * x


def exchange(u, v):
    kept = u.copy()
    u[:] = v
    v[:] = kept * 2
    return u


def callee_returns_one_of_two_views(x):
    r = exchange(x[0], x[2])
    r *= 2
    return x * x


def pivot(x, j):
    row = x[j]
    for i in range(j + 1, x.shape[0]):
        combine(x[i], row)


def rows_inside_a_callee(x):
    pivot(x, 0)
    pivot(x, 1)
    return x


case(parts_of_what_changes, V4)
case(overlapping_views_for_a_callee, V4)
for program in (rows_for_a_callee, callee_returns_one_of_two_views, rows_inside_a_callee):
    case(program, M34)


# --- sizes that are values of one call: masks and ints that stay the same, or do not

def slices_at_an_int(x, n):
    for _ in range(2):
        x[1:n - 1] = x[:n - 2] * x[2:n] + x[1:n - 1]
    return x


def slices_at_ints_that_change(x, n):
    total = np.zeros(1)
    for j in range(1, n):
        m = n - j
        total = total * 0.5 + x[:m] * x[n - m:n].sum()
        total = total[:1] * total.sum()
    return total


def masks_that_change(x):
    kept = np.zeros(1)
    for j in range(3):
        m = x > 0.5 * j - 0.5
        x[m] = x[m] ** 2 * 0.7 + kept.sum()
        kept = x[m] + 0.0 if j else x[m][:1]
    return x


case(slices_at_an_int, V4, 4)
case(slices_at_ints_that_change, V4, 4)
case(masks_that_change, V4)


def tail(y):
    if len(y) > 2:
        return tail(y[1:])
    return y


def copy_or_not(y, c):
    if c:
        r = y.copy()
    else:
        r = y
    return r


def copied_again_or_not(y, c):
    if c:
        y = y.copy()
    return y


def view_by_recursion(x):
    t = tail(x)
    t *= 3.0 * x[0]
    return x * x


def perhaps_a_copy(x):
    t = copy_or_not(x, x[0] > 100)
    t *= 3.0 * x[0]
    return x * x


def perhaps_rebound(x):
    t = copied_again_or_not(x, x[0] > 100)
    t *= 3.0 * x[0]
    return x * x


case(perhaps_a_copy, V4)
case(perhaps_rebound, V4)


def test_results_that_may_be_an_argument_are_no_new_arrays() -> None:
    """Which part of it they are is known at run time only."""
    ct, steps = np.array([0.3, -0.7, 1.1, 0.4]), 1e-6 * np.eye(4)
    expected = [(view_by_recursion(V4 + h) - view_by_recursion(V4 - h)) @ ct / 2e-6 for h in steps]
    assert np.allclose(sg.grad(view_by_recursion)(V4, grad_outputs=ct), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("kernel", [pytest.param(p, id=p.name) for p in PROGRAMS])
def test_derivatives(kernel: Kernel) -> None:
    for order in range(1, kernel.order + 1):
        check_kernel(kernel, order)


SCALES = np.array([[0.3, -0.8, 1.1], [0.7, 0.4, -0.2]])


def scaled_in_a_callee(a, b):
    a[1:] -= 0.7 * a[:-1]
    b *= -0.6

    def change(u):
        a[-1, 1:] += -0.6 * np.sin(b[2])
    change(a)
    return np.sum(SCALES * a)


def test_a_global_that_is_an_adjoint_stays_as_it_is() -> None:
    """The adjoint of `a` starts as SCALES itself, which a reverse half hands through."""
    before = SCALES.copy()
    a, b = np.ones((2, 3)), np.array([0.2, 0.9, 0.4])
    sg.grad(scaled_in_a_callee, "a")(a, b)
    assert np.array_equal(SCALES, before)
    sg.check_grad(scaled_in_a_callee, a, b, inputs=(0, 1), order=2)
    assert np.array_equal(SCALES, before)


def flat_part_of_a_row(x, v):
    rows = np.zeros((2, 3)) + x
    first, second = np.split(rows, 2)
    second[:, ::2].ravel()[:2] = v              # a copy: nothing changes
    first[:, :2].reshape(-1)[:] *= v            # a view
    return np.sum(rows ** 2)


def test_views_are_told_from_copies_by_the_array_itself() -> None:
    x, v = np.array([0.3, -0.8, 1.1]), 0.7
    sg.check_grad(flat_part_of_a_row, x, v, inputs=(0, 1), order=2)
    assert sg.grad(flat_part_of_a_row, "v")(x, v) == pytest.approx(2 * v * np.sum(x[:2] ** 2))


def smoothed(x):
    ghost = np.zeros(len(x) + 2)
    for _ in range(3):
        ghost[1:-1] += x
        x = ghost[:-2] + ghost[2:]              # double precision from here on
    return np.sum(x * x)


def test_a_rebound_argument_keeps_the_dtype_of_its_gradient() -> None:
    x = np.array([0.4, -0.7, 0.9])
    single = sg.grad(smoothed)(x.astype(np.float32))
    assert single.dtype == np.float32 and np.allclose(single, sg.grad(smoothed)(x), rtol=1e-5)


def memo_in_a_closure(v):
    memo = {}

    def fib(n):
        if n < 2:
            return v[n]
        if n not in memo:
            memo[n] = fib(n - 1) + fib(n - 2) * v[2]
        return memo[n]

    return fib(5)


def test_recursion_that_fills_a_dict_is_right_or_refused() -> None:
    """(Only once: it takes long until it is refused.)"""
    v = np.array([0.4, -0.7, 0.9])
    try:
        found = sg.grad(memo_in_a_closure)(v)
    except UnsupportedError as error:
        assert error.origin is not None
    else:
        numeric = [(memo_in_a_closure(v + 1e-6 * e) - memo_in_a_closure(v - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
        assert np.allclose(found, numeric)
