"""inline: what a call returns as a tuple and the caller takes apart has no tuple, and no adjoint where nobody reads it."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg

X = np.array([0.0, 2.0])


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
