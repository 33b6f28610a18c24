"""equal_shares: adjoints of sums over lists are numbers."""
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.runtime import spread_over
from tests.kinds.outcomes import differences
from tests.passes.becomes import Alone

CASES = Alone("equal_shares")


@CASES.becomes("""
    value = [x, x * y]
    value_bar = x * y
    second = value_bar
    first = value_bar
    return first + y * second
""", x=2.0, y=3.0)
def popped(x, y):
    value = [x, x * y]
    value_bar = spread_over(x * y, value)
    second = value_bar.pop()
    first = value_bar.pop()
    return first + y * second


@CASES.becomes("""
    value = [y, y, y]
    total = 0.0
    for k in range(n):
        value_bar = total + x
        for j in range(3):
            part = value_bar
            total = total + part
    return total
""", x=2.0, y=3.0, n=2, others=({"n": 0},))
def in_a_loop(x, y, n):
    value = [y, y, y]
    total = 0.0
    for k in range(n):
        value_bar = spread_over(total + x, value)
        for j in range(3):
            part = value_bar.pop()
            total = total + part
    return total


@CASES.stays(x=2.0, y=3.0)
def asked_for_itself(x, y):
    value = [x, x * y]
    value_bar = spread_over(x * y, value)
    second = value_bar.pop()
    return second, value_bar


@CASES.stays(x=np.ones(3), y=3.0)
def of_arrays(x, y):
    value = [x, x * y]
    value_bar = spread_over(x * y, value)
    second = value_bar.pop()
    return second


test_equal_shares = CASES.check()


def weighted(x, w):
    return sum(a * b ** 2 for a, b in zip(x, w)) * sum(w)


def with_more(x, w):
    parts = [a * a for a in x]
    parts.append(w[0] * 2.0)
    parts.extend(w)
    return sum(parts) ** 2


def given_too(x, w):
    parts = [a * b for a, b in zip(x, w)]
    return sum(parts) * parts[0] + max(parts)


@pytest.mark.parametrize("f", [weighted, with_more, given_too], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 3])
def test_gradients(f, n):
    x, w = np.linspace(0.5, 1.5, n), np.linspace(-1.0, 2.0, max(n, 1))
    if n == 0 and f is given_too:
        return
    np.testing.assert_allclose(sg.grad(f)(x, w), differences(f, (x, w)), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(sg.grad(f)(list(x), list(w)), sg.grad(f)(x, w), rtol=1e-12)


def test_the_text_has_no_list_of_equal_numbers():
    gradient = sg.grad(weighted)
    gradient(np.ones(3), np.ones(3))
    assert "spread_over" not in gradient.source and ".pop()" not in gradient.source
