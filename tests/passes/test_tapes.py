"""tapes: tapes that are filled side by side are one tape of tuples."""
import numpy as np

import sourcegrad as sg
from tests.passes.becomes import Alone

CASES = Alone("tapes")


@CASES.becomes("""
    tape = []
    for _ in range(n):
        sin = np.sin(x)
        tape.append((x, sin))
        y = sin * x
        x = y
    x_bar = 1.0
    for _ in range(n):
        x, sin = tape.pop()
        y_bar = x_bar * sin
        x_bar = y_bar + np.cos(x)
    return x_bar
""", x=2.0, n=2, others=({"n": 0},))
def two_values_of_each_turn(x, n):
    sin_tape = []
    x_tape = []
    for _ in range(n):
        x_tape.append(x)
        sin = np.sin(x)
        sin_tape.append(sin)
        y = sin * x
        x = y
    x_bar = 1.0
    for _ in range(n):
        sin = sin_tape.pop()
        y_bar = x_bar * sin
        x = x_tape.pop()
        x_bar = y_bar + np.cos(x)
    return x_bar


@CASES.stays(x=2.0, n=2, others=({"n": 0},))
def two_loops(x, n):
    a_tape = []
    b_tape = []
    for _ in range(n):
        a_tape.append(x)
    for _ in range(n):
        b_tape.append(x)
    total = 0.0
    for _ in range(n):
        a = a_tape.pop()
        b = b_tape.pop()
        total = total + a * b
    return total


@CASES.stays(x=2.0, n=2, others=({"n": 0},))
def no_point_where_both_are_there(x, n):
    old_tape = []
    new_tape = []
    for _ in range(n):
        old_tape.append(x)
        x = x * 2.0
        new_tape.append(x)
    total = 0.0
    for _ in range(n):
        y = new_tape.pop()
        total = total + y
        y = old_tape.pop()
        total = total * y
    return total


@CASES.stays(x=2.0, n=3, others=({"n": 0},))
def the_loop_may_end_in_between(x, n):
    a_tape = []
    b_tape = []
    for k in range(n):
        a_tape.append(x)
        x = x * 2.0
        if x > 5.0:
            break
        b_tape.append(x)
    total = 0.0
    while a_tape:
        a = a_tape.pop()
        total = total + a
    while b_tape:
        b = b_tape.pop()
        total = total + b
    return total


@CASES.stays(x=2.0, n=2)
def one_that_is_looked_at_otherwise(x, n):
    a_tape = []
    b_tape = []
    for _ in range(n):
        a_tape.append(x)
        b_tape.append(x)
    total = len(a_tape)
    for _ in range(n):
        a = a_tape.pop()
        b = b_tape.pop()
        total = total + a * b
    return total


test_tapes = CASES.check()


def lists_of_one_branch(x, w):
    if w[0] > 0.0:
        low = []
        high = []
        for v in w:
            low.append(v - 1.0)
            high.append(v + 1.0)
        a = low.pop()
        b = high.pop()
        n = len(high) * len(low)
    else:
        a, b, n = 1.0, 2.0, 2
    return np.sum(x * x) * (a + b) * n


def test_lists_of_the_users_are_no_tapes() -> None:
    """Of the halves of a function, what is put on a list and taken off it in one of them has other readers."""
    x, w = np.array([0.3, -0.7, 1.1]), np.array([0.3, -0.7, 1.1])
    found = sg.grad(lambda x: lists_of_one_branch(np.sin(x), w) * lists_of_one_branch(x, 2.0 * w))(x)
    f, g = (lists_of_one_branch(np.sin(x), w), lists_of_one_branch(x, 2.0 * w))
    expected = np.sin(2.0 * x) * 2.2 * 4 * g + f * 2.0 * x * 4.4 * 4
    np.testing.assert_allclose(found, expected)
