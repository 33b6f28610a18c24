"""forward: below each active statement the one that computes its tangent; loops, branches and calls stay what they are."""
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import UnsupportedError
from tests.passes.becomes import Forward

X = np.array([0.5, -1.5])
FORWARD, DCE = Forward("forward"), Forward("dce")


@FORWARD.becomes("""
    z = y * y
    w = x + z
    w_dot = x_dot
    value = w * 2.0
    value_dot = w_dot * 2.0
    return value, value_dot
""", x=2.0, y=3.0)
def what_stands_still_is_written_once(x, y):
    z = y * y
    w = x + z
    return w * 2.0


@FORWARD.becomes("""
    cond = x > 0.0
    if cond:
        y_dot = 2.0 * x_dot * x
        y = x * x
    else:
        y = 1.0
        y_dot = 0.0
    return y, y_dot
""", x=2.0)
def branches_stay(x):
    if x > 0.0:
        y = x * x
    else:
        y = 1.0
    return y


@FORWARD.becomes("""
    h_dot = x_dot
    h = x
    h_shared = True
    for _ in range(n):
        sin_h = np.sin(h)
        sin_h_dot = h_dot * np.cos(h)
        h_dot = sin_h_dot * x + sin_h * x_dot
        h = sin_h * x
    return h, h_dot
""", x=X, n=3)
def loops_run_once_and_keep_nothing(x, n):
    h = x
    for _ in range(n):
        h = np.sin(h) * x
    return h


@FORWARD.becomes("""
    trips = 0
    while x < 10.0:
        trips = trips + 1
        x_dot = 2.0 * x_dot * x
        x = x * x
    return x, x_dot
""", x=2.0)
def loops_on_data(x):
    while x < 10.0:
        x = x * x
    return x


@FORWARD.becomes("""
    h = np.zeros(3)
    h_dot = np.zeros(h.shape)
    h_dot = index_set(h_dot, np.s_[1:], x_dot)
    h = index_set(h, np.s_[1:], x)
    h_dot = index_set(h_dot, np.s_[0], 0.0)
    h = index_set(h, np.s_[0], 2.0)
    return h, h_dot
""", x=X)
def stores_have_a_store_of_the_tangent(x):
    h = np.zeros(3)
    h[1:] = x
    h[0] = 2.0
    return h


@FORWARD.becomes("""
    parts = []
    parts_dot = []
    parts.append(x)
    parts_dot.append(x_dot)
    size = len(parts)
    parts_last = size - 1
    parts.append(3.0)
    parts_dot.append(0.0)
    last = parts.pop()
    last_dot = parts_dot.pop()
    parts_i = parts[0]
    parts_i_dot = parts_dot[0]
    value = parts_i * last
    value_dot = parts_i_dot * last + parts_i * last_dot
    return value, value_dot
""", x=X)
def lists_have_lists_of_tangents(x):
    parts = []
    parts.append(x)
    parts.append(3.0)
    last = parts.pop()
    return parts[0] * last


@FORWARD.becomes("""
    product = y * x
    product_dot = y_dot * x + y * x_dot
    both = product, 1.0
    both_dot = product_dot, 0.0
    a, b = both
    a_dot, b_dot = both_dot
    value = a * b
    value_dot = a_dot * b + a * b_dot
    return value, value_dot
""", inputs=("x", "y"), x=2.0, y=3.0)
def pairs_are_unpacked_twice(x, y):
    both = y * x, 1.0
    a, b = both
    return a * b


@FORWARD.becomes("""
    cond = 2 == 0
    diff = 2 - 1
    recursive_x, recursive_x_dot = recursive_jvp(x, diff, x_dot)
    value = np.sin(recursive_x)
    value_dot = recursive_x_dot * np.cos(recursive_x)
    return value, value_dot
""", x=X)
def callees_have_a_variant(x):
    return recursive(x, 2)


def recursive(x, n):
    return x if n == 0 else np.sin(recursive(x, n - 1))


@FORWARD.becomes("""
    h = x * x
    h_dot = 2.0 * x_dot * x
    n = np.argmax(h)
    value = x[n]
    value_dot = x_dot[n]
    return value, value_dot
""", x=X)
@DCE.becomes("""
    h = x * x
    n = np.argmax(h)
    value = x[n]
    value_dot = x_dot[n]
    return value, value_dot
""", x=X)
def tangents_that_nobody_reads_go(x):
    h = x * x
    n = np.argmax(h)
    return x[n]


@pytest.mark.parametrize("case", FORWARD, ids=lambda case: case.function.__name__)
def test_they_are_right(case) -> None:
    inputs = case.inputs or "x"
    moving = inputs if isinstance(inputs, tuple) else (inputs,)
    args, h = list(case.at.values()), 1e-6
    dots = [0.3 + 0.5 * np.asarray(x) if name in moving else None for name, x in case.at.items()]
    ahead, behind = (case.function(*(x if dot is None else x + step * dot for x, dot in zip(args, dots))) for step in (h, -h))
    value, tangent = sg.jvp(case.function, tuple(args), tuple(dots))
    assert np.allclose(value, case.function(*args)) and np.allclose(tangent, (ahead - behind) / (2 * h), 1e-7, 1e-7)


def over_values(x):
    total = 0.0
    for item in [x, x * 2.0]:
        total = total + item
    return total


class Counter:
    def __init__(self, x):
        self.x, self.other = x, None


def held_by_others(x):
    first, second = Counter(x), Counter(2.0 * x)
    first.other, second.other = second, first
    for counter in (first, second):
        counter.other.x = counter.other.x * counter.x
    return first.x + second.x


def test_objects_that_hold_each_other_are_refused_with_their_place() -> None:
    with pytest.raises(UnsupportedError, match="hold each other"):
        sg.pushforward(held_by_others)(2.0, x_dot=1.0)
    assert sg.pushforward(over_values)(2.0, x_dot=1.0) == (6.0, 3.0)


test_forward = FORWARD.check()
test_dce = DCE.check()
