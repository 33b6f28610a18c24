"""accumulate: an update becomes a change in place where nobody else can hold the array."""
import re

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.runtime import index_add, index_set
from tests.passes.becomes import Alone, Cases

X = np.array([0.5, -1.5])
M = np.array([[0.5, -1.5], [2.0, 1.0]])
NEST, ACCUMULATE, ALONE = Cases("forward_substitution"), Cases("accumulate"), Alone("accumulate")


@ALONE.becomes("""
    y = np.zeros(3)
    for k in range(n):
        y += 1.0
        y[k] += 2.0
        y[k + 1] = 3.0
    return y * x[0]
""", x=X, n=2, others=({"n": 0},))
def an_array_of_its_own(x, n):
    y = np.zeros(3)
    for k in range(n):
        y = y + 1.0
        y = index_add(y, k, 2.0)
        y = index_set(y, k + 1, 3.0)
    return y * x[0]


@ALONE.becomes("""
    y = x * 2.0
    part = y * x
    y = np.zeros(3)
    y[1:] = part
    return y
""", x=X)
def zeros_but_for_a_part_of_what_was_there(x):
    y = x * 2.0
    y = index_add(np.zeros(3), np.s_[1:], y * x)
    return y


@ALONE.stays(x=X)
def zeros_of_its_own_length(x):
    y = x * 2.0
    y = index_add(np.zeros(len(y)), np.s_[1:], y[1:] * 3.0)
    return y


@ALONE.becomes("""
    values = [x, x]
    values = store_at(values, 0, 3.0)
    return values
""", x=2.0)
def a_list(x):
    values = [x, x]
    values = index_set(values, 0, 3.0)
    return values


@ALONE.stays(x=X)
def an_argument(x):
    x = x + 1.0
    return x


@ALONE.stays(x=X)
def another_name_holds_it(x):
    y = 2.0 * x
    z = y
    y = y + 1.0
    return y, z


@ALONE.stays(x=M)
def a_view_of_it_is_read_later(x):
    y = 2.0 * x
    row = y[0]
    y = y + 1.0
    return y, row


@ALONE.stays(x=X)
def a_list_holds_it(x):
    y = 2.0 * x
    kept = [y]
    y = y + 1.0
    return y, kept


@ALONE.stays(x=X.astype(np.float32), w=X)
def the_result_has_another_dtype(x, w):
    y = x * x
    y = y + w
    return y


@ALONE.stays(x=X, w=M)
def the_result_has_another_shape(x, w):
    y = x * x
    y = y + w
    return y


@NEST.becomes("""
    y = np.zeros(3)
    sin_tape = []
    for k in range(2):
        x_i = x[k]
        sin = np.sin(x_i)
        y = y + x_i * sin
        sin_tape.append(sin)
    # --- reverse sweep
    x_bar = np.zeros(x.shape)
    for k in reversed(range(2)):
        sin = sin_tape.pop()
        x_i = x[k]
        product_bar = np.sum(broadcast_like(1.0, y))
        x_bar = index_add(x_bar, k, product_bar * sin + product_bar * x_i * np.cos(x_i))
    return x_bar
""", x=X)
@ACCUMULATE.becomes("""
    y = np.zeros(3)
    sin_tape = []
    for k in range(2):
        x_i = x[k]
        sin = np.sin(x_i)
        y += x_i * sin
        sin_tape.append(sin)
    # --- reverse sweep
    x_bar = np.zeros(x.shape)
    for k in reversed(range(2)):
        sin = sin_tape.pop()
        x_i = x[k]
        product_bar = np.sum(broadcast_like(1.0, y))
        x_bar[k] += product_bar * sin + product_bar * x_i * np.cos(x_i)
    return x_bar
""", x=X)
def adjoint_of_an_array(x):
    y = np.zeros(3)
    for k in range(2):
        y = y + x[k] * np.sin(x[k])
    return np.sum(y)


@NEST.becomes("""
    # --- reverse sweep
    y_bar = np.ones(x.shape)
    y_bar = index_set(y_bar, np.s_[0], 3.0 * y_bar[0])
    x_bar = 2.0 * y_bar * x
    return x_bar
""", x=X)
@ACCUMULATE.becomes("""
    # --- reverse sweep
    y_bar = np.ones(x.shape)
    y_bar[0] *= 3.0
    x_bar = 2.0 * y_bar * x
    return x_bar
""", x=X)
def store(x):
    y = x * x
    y[0] = 3.0 * y[0]
    return np.sum(y)


@ACCUMULATE.becomes("""
    y_2 = x + 1.0
    # --- reverse sweep
    x_bar = 2.0 * y_2
    return x_bar
""", x=X)
def never_the_callers_array(x):
    y = x
    y = y + 1.0
    return np.sum(y * y)


@ACCUMULATE.becomes("""
    sum_2 = x + y
    # --- reverse sweep
    x_bar = 2.0 * sum_2
    return x_bar, as_gradient(x_bar, y)
""", inputs=("x", "y"), x=X, y=X)
def one_adjoint_with_two_holders(x, y):
    return np.sum((x + y) ** 2)


def lifted(u):
    """A source term that happens to be zero."""
    v = u.copy()
    v[:] = np.maximum(v, 0.5)
    np.add(v, u, out=v)
    v[:] += 0.0
    return np.sum(v ** 2)


@pytest.mark.parametrize("order", [1, 2])
def test_nothing_is_stored_in_its_own_place(order) -> None:
    u = np.array([0.3, 0.8, 1.1, 0.2])
    text = sg.source(lifted, None, at={"u": u}, order=order)
    assert not re.search(r"(\w+)\[:\] = \1$", text, re.MULTILINE), text
    sg.check_grad(lifted, u, order=order)


test_alone = ALONE.check()
test_before = NEST.check()
test_accumulate = ACCUMULATE.check()
