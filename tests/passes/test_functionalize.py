"""functionalize: every change in place becomes a new value of the name that holds the memory."""
import numpy as np
import pytest

import sourcegrad as sg
from tests.passes.becomes import Within

X = np.array([0.5, -1.5, 2.0])
CASES = Within("functionalize")


class Model:
    def __init__(self, w):
        self.w = w


@CASES.becomes("""
    y = x * 2.0
    v = y[1:]
    y = index_set(y, at[1:][0], 3.0)
    product = y * y
    value = np.sum(product)
    return value
""", x=X)
def a_view_of_it(x):
    y = x * 2.0
    v = y[1:]
    v[0] = 3.0
    return np.sum(y * y)


@CASES.becomes("""
    y = x * 2.0
    v = y[1:]
    y = index_set(y, np.s_[1], 3.0)
    v_2 = y[1:]
    product = v_2 * v_2
    value = np.sum(product)
    return value
""", x=X)
def a_view_is_read_again_where_it_is_used(x):
    y = x * 2.0
    v = y[1:]
    y[1] = 3.0
    return np.sum(v * v)


@CASES.becomes("""
    y = x * 2.0
    z = y
    y = z + x
    product = y * y
    value = np.sum(product)
    return value
""", x=X)
def two_names_of_one_array(x):
    y = x * 2.0
    z = y
    z += x
    return np.sum(y * z)


@CASES.becomes("""
    inner = [x]
    outer = [inner, inner]
    product = x * x
    inner = list_append(inner, product)
    outer = index_set(outer, np.s_[0], inner)
    outer = index_set(outer, np.s_[1], inner)
    outer_i = outer[0]
    item = outer_i[1]
    outer_i_2 = outer[1]
    len_2 = len(outer_i_2)
    value = item * len_2
    return value
""", x=2.0)
def what_a_list_holds(x):
    inner = [x]
    outer = [inner, inner]
    inner.append(x * x)
    return outer[0][1] * len(outer[1])


@CASES.becomes("""
    model = Model(x)
    same = model
    for _ in range(n):
        same_w = same.w
        product = same_w * x
        model = index_set(model, at.w, product)
        same = model
    value = model.w
    return value
""", x=2.0, n=2)
def an_object(x, n):
    model = Model(x)
    same = model
    for _ in range(n):
        same.w = same.w * x
    return model.w


@CASES.becomes("""
    y = x * 2.0
    v_2 = y[1:]
    v = v_2
    y = index_set(y, np.s_[1], 3.0)
    v_3 = y[1:]
    value = np.sum(v_3)
    return value
""", x=X, flag=True)
def one_path_only(x, flag):
    y = x * 2.0
    v = y[1:] if flag else x[1:] * 1.0
    y[1] = 3.0
    return np.sum(v)


@CASES.stays(x=X, n=2)
def nothing_changes(x, n):
    y = x * 2.0
    for _ in range(n):
        y = y * x
    return np.sum(y)


def one_of_two(x, flag):
    y, z = x * 2.0, x * 3.0
    v = y if flag > 0.5 else z
    v[0] = 1.0
    return np.sum(y * z)


def found_by_its_content(x):
    rows = np.outer(x, x)
    row = next(r for r in rows if r[0] > 0.2)
    row *= 3.0
    return np.sum(rows)


def test_one_of_two_arrays_is_told_by_what_decides() -> None:
    for flag in (0.0, 1.0):
        sg.check_grad(one_of_two, X, flag)


def test_what_cannot_be_known_is_refused() -> None:
    with pytest.raises(sg.UnsupportedError, match="changes in place while something else that is looked at later holds it"):
        sg.grad(found_by_its_content)(X)


test_functionalize = CASES.check()
