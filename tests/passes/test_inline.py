"""inline: what a call returns as a tuple and the caller takes apart has no tuple, and no adjoint where nobody reads it."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import UnsupportedError
from tests.passes.becomes import Within
from tests.programs.mutation_oracle import limited

X = np.array([0.0, 2.0])
CASES = Within("inline")


def decay(u):
    return np.exp(-u) * u


def long(u):
    for _ in range(3):
        u = np.sin(u) * u
    return u


@CASES.becomes("""
    minus_u = -x
    exp = np.exp(minus_u)
    decay_x = exp * x
    value = decay_x * x
    return value
""", x=2.0)
def a_few_operations(x):
    return decay(x) * x


def power(u, n):
    return u if n < 2 else power(u, n // 2) * power(u, n - n // 2)


@CASES.stays(x=2.0, n=3)
def what_calls_itself(x, n):
    return power(x, n) * x


@CASES.stays(x=2.0)
def a_loop_in_two_places(x):
    return long(x) * long(2.0 * x)


@CASES.stays(x=2.0, n=3)
def no_derivative_flows_through_it(x, n):
    return x * decay(n)


test_inline = CASES.check()


def both(x):
    return np.sum(x * x), 1.0 / x


def unpacked(x):
    value, _ = both(x)
    return value


def by_position(x):
    pair = both(x)
    return pair[0] * 3.0


def starred(x):
    value, *_ = both(x)
    return value


def in_a_branch(x):
    if x[1] > 1.0:
        value, _ = both(x)
    else:
        value, _ = 0.0, x
    return value


def in_a_loop(x):
    total = 0.0
    for _ in range(3):
        value, _ = both(x)
        total = total + value
    return total


FACTORS = {unpacked: 1.0, by_position: 3.0, starred: 1.0, in_a_branch: 1.0, in_a_loop: 3.0}


@pytest.mark.parametrize("function, factor", FACTORS.items())
def test_what_is_not_read_has_no_adjoint(function, factor) -> None:
    """Its derivative is infinite here: an adjoint of zeros would make NaN of it."""
    gradient = sg.grad(function)
    with np.errstate(all="ignore"):
        assert gradient(X).tolist() == (2.0 * factor * X).tolist()
    assert "zeros(" not in gradient.source.partition("# --- reverse sweep")[2].replace("x_bar = np.zeros(", "")


def swapped(x):
    def turn(a, b):
        return b * 2.0, a * 3.0

    a, b = x[0], x[1]
    for _ in range(2):
        a, b = turn(a, b)
    return a * a * b


def kept(x):
    def pair(a):
        return a * a, np.sin(a)

    first = pair(x)
    second = pair(first[1])
    return np.sum(first[0] * second[1]) + np.sum(second[0]) + len(first)


@pytest.mark.parametrize("function", [swapped, kept])
def test_the_same_values(function) -> None:
    sg.check_grad(function, np.array([0.7, -1.3]), order=2)


# --- Before memory: callees in place of their calls only where it is needed, and with the error of the user's own line where
# it does not help.

A = np.array([[0.7, 0.1, 0.3], [0.6, 0.3, 0.2], [0.4, 0.5, 0.8]])


def window(a, i):
    return a[i:i + 2]


def change(a):
    for k in range(3):
        if a[k] > 0.5:
            a[k] = np.sin(a[k]) * a[k - 1] + 0.3 * a[k] ** 2
            a[k] += 0.1 * a[k] / (1.0 + a[k - 1])
    return a


def either(x, y, first):
    return x if first else y


def turned(x, back):
    if back:
        return x[::-1]
    return x.T


def part_of_what_is_given(x):
    y = x.copy()
    w = window(y, 1)
    w *= w[0]
    return np.sum(y)


def only_changed(x):
    return np.sum(change(x.copy()))


def turned_again_and_again(a, b, c):
    for _ in range(1):
        for _ in range(0):
            a, b = b, a
            a = either(b, b, c > 5)
            a[:, 1] += 0.3
        b = turned(b, c > 5)
    a *= 0.8
    p = b
    q = np.asarray(b)
    return np.sum(a ** 2) + np.sum(b ** 2) + np.sum(p ** 2) + np.sum(q ** 2)


def first_above(rows, level):
    for row in rows:
        if row[0] > level:
            return row
    return rows[-1]


def row_found_by_its_content(x):
    a = np.outer(x, x)
    r = first_above(a, 0.2)
    r *= 3.0
    return np.sum(a ** 2)


def test_what_is_returned_is_seen_to_be_a_part() -> None:
    text = sg.source(part_of_what_is_given, at={"x": A[0]})
    assert "window" not in text.split("# --- reverse sweep")[0], text
    sg.check_grad(part_of_what_is_given, A[0], order=2)


def test_what_needs_no_unfolding_stays_a_call() -> None:
    assert "change_forward(" in sg.source(only_changed, at={"x": A[0]})


def test_the_error_is_that_of_the_function_as_it_was_written() -> None:
    with pytest.raises(UnsupportedError) as caught:
        sg.grad(row_found_by_its_content)(A[0])
    assert "'r' changes in place, and whether 'a' changes with it cannot be known" in str(caught.value)
    assert "    r *= 3.0\n" in str(caught.value)


def test_links_that_double_in_a_loop_are_given_up() -> None:
    """It took a minute, as hundreds of links were followed. (They are in a loop without trips: a trap stands there.)"""
    with limited(20):
        gradient = sg.grad(turned_again_and_again, inputs=("a", "b"))
        found = gradient(A, A + 1.0, 1.5)
    assert "'a' changes in place, and whether 'b' changes with it" in gradient.source
    for k, given in enumerate((A, A + 1.0)):
        for place in np.ndindex(given.shape):
            step = np.zeros(given.shape)
            step[place] = 1e-6
            up, down = ([A, A + 1.0][:k] + [given + s] + [A, A + 1.0][k + 1:] for s in (step, -step))
            high, low = (turned_again_and_again(*(x.copy() for x in xs), 1.5) for xs in (up, down))
            slope = (high - low) / 2e-6
            assert np.isclose(found[k][place], slope)


class Last:
    def __init__(self, z):
        self.last = z


def part_of_what_may_be_another(x):
    a = Last(np.zeros(3))
    y = x * 2
    if x[0] > 0:
        a.last = y
    a.last = a.last[::-1]
    y *= 3
    return np.sum(a.last ** 2)


def item_of_what_may_be_another(x):
    xs = [np.zeros(3)]
    y = x * 2
    if x[0] > 0:
        xs[0] = y
    xs[0] = xs[0][::-1]
    y *= 3
    return np.sum(xs[0] ** 2)


@pytest.mark.parametrize("function", [part_of_what_may_be_another, item_of_what_may_be_another])
def test_a_part_in_its_own_place_is_still_the_memory_of_others(function) -> None:
    """The gradient was that without the last change, which reaches what the object holds."""
    with pytest.raises(UnsupportedError, match="'y' changes in place, and whether '(a|xs)' changes with it cannot be known"):
        sg.grad(function)(A[0])
