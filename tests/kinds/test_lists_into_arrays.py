"""A list or tuple that is stored into an array: its adjoint is one of as many items, whatever becomes of the list."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime import list_move, unbroadcast
from tests.kinds.places import check_gradient, check_second, programs_of

X = np.array([0.7, 0.4])


class Stack:
    def __init__(self):
        self.xs = []
        self.a = np.zeros(2)


def before_an_item_changes(x):
    stack = Stack()
    stack.xs.append(x[0])
    stack.xs.append(x[1])
    a = np.zeros(2)
    a[:] = stack.xs
    stack.xs[0] = x[1] ** 2
    return np.sum(a ** 2)


def twice_and_changed_between(x):
    stack = Stack()
    stack.xs.append(x[0])
    stack.xs.append(x[1])
    a = np.zeros(2)
    a[:] = stack.xs
    stack.xs[0] = x[1] ** 2
    stack.a[:] = stack.xs
    return np.sum(a ** 2) + np.sum(stack.a ** 3)


def beside_a_list_that_others_hold(x):
    stack = Stack()
    stack.xs.append(x[0])
    held = [stack]
    a = np.zeros(3)
    a[:2] = [x[0], x[1] * stack.xs[0]]
    a[2] = stack.xs[0]
    return np.sum(a ** 2) + held[0].xs[-1]


def that_gets_longer_then(x):
    stack = Stack()
    stack.xs.append(x[0])
    held = [stack]
    a = np.zeros((2, 2))
    a[0] = stack.xs * 2
    values = [x[1], x[0] * x[1]]
    a[1] = values
    values.append(x[0])
    return np.sum(a ** 2) + held[0].xs[-1] * values[-1]


def in_every_row(x):
    a = np.zeros((3, 2))
    a[:] = [x[0] ** 2, x[1]]
    return np.sum(a ** 3)


def rows_and_slices(x):
    xs = [x[0] * x[1], x[1]]
    a = np.ones((2, 2))
    a[1] = xs
    xs.append(x[0] ** 2)
    a[0] = xs[1:]
    return np.sum(a ** 3)


def nested(x):
    a = np.zeros((2, 2))
    a[:] = [[x[0], x[1]], [x[1] * x[0], x[0] ** 2]]
    return np.sum(a ** 3)


def of_arrays(x):
    a = np.zeros((2, 2))
    a[:] = [x, x * x[0]]
    return np.sum(a ** 3)


def tuples(x):
    a = np.zeros((2, 2))
    a[:, 0] = (x[0], x[1] ** 2)
    a[1] = tuple([x[1] * v for v in x])
    return np.sum(a ** 3)


def of_one_item(x):
    xs = [x[0]]
    a = np.zeros(2)
    a[:] = xs
    xs[0] = x[1]
    a[1:] *= xs
    return np.sum(a ** 3)


def with_a_constant(x):
    a = np.zeros((2, 1, 2))
    a[...] = [[x[0], 2.0]]
    return np.sum(a ** 3 * x[1])


PROGRAMS = programs_of(globals())


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_both_derivatives(f: Any) -> None:
    check_gradient(f, [X, X * 0.5 + 0.2])
    check_second(f, X)


def test_parts_of_an_array_belong_to_the_items() -> None:
    assert unbroadcast(np.array([1.0, 2.0]), [5.0, 6.0]) == [1.0, 2.0]
    assert unbroadcast(np.ones((3, 2)), (5.0, 6.0)) == (3.0, 3.0)
    assert unbroadcast(np.float64(0.0), [1.0, np.ones(2)])[0] == 0.0
    assert np.array_equal(unbroadcast([1.0, 2.0], np.zeros(2)), np.array([1.0, 2.0]))
    assert list_move(np.array([1.0, 2.0, 3.0]), [0, 2]) == [3.0, 2.0, 1.0] and list_move(0.0, [0, 2]) == 0.0
    with pytest.raises(UnsupportedError):
        list_move(1.5, [0, 1])
