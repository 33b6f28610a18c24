"""stores: statements that change arrays, objects and containers."""
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import kinds as k
from sourcegrad.memory.heap import LAST
from sourcegrad.memory.stores import at_end, by_numbers, fits
from tests.passes.becomes import Within
from tests.passes.facts import memory_of, place

X = np.array([0.5, -1.5, 2.0])
CASES = Within("functionalize")


class Node:
    def __init__(self, w):
        self.w = w


@CASES.becomes("""
    y = x * 2.0
    z = y
    y = y + x
    y = y * 3.0
    value = np.sum(y)
    return value
""", x=X)
def in_place_operators(x):
    y = x * 2.0
    z = y
    y += x
    y *= 3.0
    return np.sum(z)


@CASES.becomes("""
    product = x * 2.0
    node = Node(product)
    w = node.w
    node_w = node.w
    sum_2 = node_w + 1.0
    node = index_set(node, at.w, sum_2)
    part = node.w
    product = part
    node_w_2 = node.w
    product_2 = product * node_w_2
    value = np.sum(product_2)
    return value
""", x=X)
def the_content_of_an_attribute(x):
    node = Node(x * 2.0)
    w = node.w
    node.w += 1.0
    return np.sum(w * node.w)


@CASES.becomes("""
    y = x * 2.0
    z = y
    y = x
    value = np.sum(y)
    return value
""", x=X)
def all_of_an_array(x):
    y = x * 2.0
    z = y
    y[...] = x
    return np.sum(z)


@CASES.becomes("""
    y = x * 2.0
    x_i = x[:2]
    index = [2, 0]
    y = index_set(y, np.s_[index], x_i)
    y_i = y[::-1]
    item = y_i[1:]
    unused = check_overlap(y[1:], y[::-1][1:])
    y = index_set(y, np.s_[1:], item)
    product = y * x
    value = np.sum(product)
    return value
""", x=X)
def by_numbers_and_where_it_overlaps(x):
    y = x * 2.0
    y[[2, 0]] = x[:2]
    y[1:] = y[::-1][1:]
    return np.sum(y * x)


@CASES.becomes("""
    inner = [x]
    outer = [inner]
    product = x * x
    inner = list_append(inner, product)
    outer = index_set(outer, np.s_[0], inner)
    inner = list_delete(inner, 0)
    outer = index_set(outer, np.s_[0], inner)
    outer_i = outer[0]
    value = outer_i[0]
    return value
""", x=2.0)
def a_list_that_is_held(x):
    inner = [x]
    outer = [inner]
    inner.append(x * x)
    inner.pop(0)
    return outer[0][0]


@CASES.becomes("""
    xs = [x]
    product = x * x
    value = [product]
    xs = xs + value
    value_2 = xs[1]
    return value_2
""", x=2.0)
def a_list_that_gets_longer(x):
    xs = [x]
    ys = xs
    xs += [x * x]
    return ys[1]


@CASES.stays(x=2.0)
def a_list_is_popped_that_nobody_else_has(x):
    xs = [x, x * x]
    last = xs.pop()
    return last * xs[0]


def integers_and_floats(x):
    n = np.arange(3)
    n += x
    return np.sum(n * x)


def holds_itself(x):
    xs = [x]
    xs.append(xs)
    return xs[0] * 2.0


def changes_while_it_is_iterated_over(x):
    xs = [x, x]
    total = 0.0
    for item in xs:
        xs.append(item)
        total += item
        if total > 20.0:
            break
    return total


@pytest.mark.parametrize("function, x, message", [
    (integers_and_floats, X, r"`n \+= ...` of an integer array with floats"), (holds_itself, 2.0, "'xs' holds itself"),
    (changes_while_it_is_iterated_over, 2.0, "the list 'xs' changes while it is iterated over")])
def test_what_is_refused(function, x, message) -> None:
    with pytest.raises(sg.UnsupportedError, match=message):
        sg.grad(function)(x)


@pytest.mark.parametrize("one, other, same", [
    (k.Num("float64", ("n",), True), k.Num("float64", ("n",), True), True),
    (k.Num("float64", (3,), True), k.Num("float64", (1,), True), False),
    (k.Num("float32", ("n",), True), k.Num("float64", ("n",), True), False),
    (k.Num("float64", (), True), k.Num("float64", (), True), False)])
def test_what_op_leaves(one, other, same: bool) -> None:
    assert fits(one, other) is same


def indexed(y, n):
    v = y[1:]
    return v, n


def test_where_a_store_goes() -> None:
    facts = memory_of(indexed, y=X, n=[0, 1])[0].heap.facts
    assert by_numbers(place("y[n]"), facts) and not by_numbers(place("y[1:]"), facts) and not by_numbers(place("y"), facts)
    assert at_end(place("xs").then(LAST), [place("ys"), place("xs")]) == place("xs")
    assert at_end(place("xs[0]"), [place("xs")]) is None


test_stores = CASES.check()
