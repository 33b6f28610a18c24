"""Several tables of adjoints in one text: gradients of gradients of programs that change arrays and objects by identity.

The text of order 2 reads the table of one gradient after that of the next is made: both have names of their own.
"""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from tests.kinds.outcomes import differences

A = np.array([0.7, -0.4, 1.2])


class Scaled:
    def __init__(self, x):
        self.x = x

    def scale(self, y):
        self.x[1] *= 0.7 * y[0]

    def shift(self, y):
        self.x = self.x + y


def changed_later(a):
    b = a * 1.0
    v = b ** 3
    Scaled(b).scale(b)
    return np.sum(v)


def changed_between(a):
    b = a * 1.0
    v = np.sum(b ** 3)
    Scaled(b).scale(b)
    return v * np.sum(b ** 2)


def one_of_two(a):
    b, c = a * 1.0, a ** 2
    for part in (Scaled(b), Scaled(c)):
        part.scale(a)
    return np.sum(b ** 2 * c)


def bound_anew(a):
    b = a * 1.0
    held = [Scaled(b), Scaled(b)]
    v = np.sum(held[0].x ** 3)
    for one in held:
        one.shift(a)
        one.scale(b)
    return v + np.sum(held[0].x * held[1].x)


def in_a_dict(a):
    b = a * 1.0
    held = {"p": Scaled(b), "q": Scaled(a ** 2)}
    v = np.sum(b ** 3)
    for one in held.values():
        one.scale(a)
    return v * np.sum(held["p"].x + held["q"].x)


PROGRAMS = (changed_later, changed_between, one_of_two, bound_anew, in_a_dict)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative(f):
    g = sg.grad(f)

    def h(a):
        return np.sum(np.cos(g(a)) + g(a) ** 2)

    np.testing.assert_allclose(g(A), differences(f, (A,)), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(sg.grad(h)(A), differences(h, (A,)), rtol=1e-6, atol=1e-8)
