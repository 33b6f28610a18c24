"""write_through: one place changes, its root gets a new value, and names that share it are read again."""
import numpy as np

import sourcegrad as sg
from sourcegrad.memory.heap import State
from sourcegrad.memory.write_through import TURNS, items_moved, turned_back
from tests.passes.becomes import Within
from tests.passes.facts import links, memory_of, place, places

X = np.array([0.5, -1.5, 2.0])
CASES = Within("functionalize")


class Node:
    def __init__(self, w):
        self.w = w


@CASES.becomes("""
    y = x * 2.0
    a = [y]
    b = [y, x]
    part = a[0]
    y = index_set(y, np.s_[0], 3.0)
    a = index_set(a, np.s_[0], y)
    b = index_set(b, np.s_[0], y)
    b_i = b[0]
    a_i = a[0]
    product = b_i * a_i
    value = np.sum(product)
    return value
""", x=X)
def two_holders_of_one_array(x):
    y = x * 2.0
    a = [y]
    b = [y, x]
    a[0][0] = 3.0
    return np.sum(b[0] * a[0])


@CASES.becomes("""
    product = x * 2.0
    node = Node(product)
    old = node.w
    product_2 = x * 3.0
    node = index_set(node, at.w, product_2)
    product = index_set(product, np.s_[0], 1.0)
    node_w = node.w
    product_3 = product * node_w
    value = np.sum(product_3)
    return value
""", x=X)
def another_object_is_put_there(x):
    node = Node(x * 2.0)
    old = node.w
    node.w = x * 3.0
    old[0] = 1.0
    return np.sum(old * node.w)


@CASES.becomes("""
    y = x * 2.0
    z = y
    y = index_set(y, np.s_[0], 3.0)
    value = np.sum(y)
    return value
""", x=X)
def nobody_looks_at_the_other_name(x):
    y = x * 2.0
    z = y
    z[0] = 3.0
    return np.sum(z)


@CASES.becomes("""
    product = x * 2.0
    product_2 = x * 3.0
    rows = [product, product_2]
    row = rows[i]
    rows = index_set(rows, at[i][0], 1.0)
    rows_i = rows[0]
    rows_i_2 = rows[1]
    product_3 = rows_i * rows_i_2
    value = np.sum(product_3)
    return value
""", x=X, i=0)
def one_of_several_items(x, i):
    rows = [x * 2.0, x * 3.0]
    row = rows[i]
    row[0] = 1.0
    return np.sum(rows[0] * rows[1])


@CASES.becomes("""
    product = x * 2.0
    node = Node(product)
    node_w = node.w
    a = node_w[::-1]
    b = a[::-1]
    node = index_set(node, at.w, x)
    product = index_set(product, at[::-1][::-1][0], 5.0)
    node_w_2 = node.w
    a_2 = product[::-1]
    product_2 = a_2 * node_w_2
    value = np.sum(product_2)
    return value
""", x=X)
def a_view_of_a_view_that_turns_back(x):
    node = Node(x * 2.0)
    a = node.w[::-1]
    b = a[::-1]
    node.w = x
    b[0] = 5.0
    return np.sum(a * node.w)


@CASES.becomes("""
    product = x * 2.0
    xs = [product, x]
    node = Node(xs)
    first = xs[0]
    value = x * 3.0
    part = node.w
    xs = index_set(xs, np.s_[0], value)
    node = index_set(node, at.w, xs)
    product = index_set(product, np.s_[0], 5.0)
    xs_i = xs[0]
    product_3 = product * xs_i
    node_w = node.w
    item = node_w[0]
    product_2 = product_3 * item
    value_2 = np.sum(product_2)
    return value_2
""", x=X)
def in_a_list_by_another_name(x):
    xs = [x * 2.0, x]
    node = Node(xs)
    first = xs[0]
    node.w[0] = x * 3.0
    first[0] = 5.0
    return np.sum(first * xs[0] * node.w[0])


def of_unknown_holders(x, flag):
    a, b = x * 2.0, x * 3.0
    both = [a, b] if flag else [b, a]
    both[0][0] = 1.0
    return np.sum(a * b)


def test_steps_that_undo_themselves() -> None:
    turned = place("y").then(*place("q[::-1].T").path)
    assert turned_back(turned, 0) == place("q.T[::-1]").path and turned_back(place("y[1:]"), 0) is None and "here .T" in TURNS


def listed(x):
    xs = [x, x]
    return xs


def test_items_that_move_are_not_told_apart_any_more() -> None:
    state = State({"v": frozenset([place("xs[0].w")]), "w": frozenset([place("ys[0]")])}, {(place("xs[1]"), place("z")): True})
    items_moved(place("xs"), state, memory_of(listed, x=X)[0].heap.facts)
    assert places(state.locs["v"]) == "in xs[some ].w" and places(state.locs["w"]) == "ys[0]" and links(state) == "in xs[some ] ~ z"


def test_what_cannot_be_followed_is_refused_or_right() -> None:
    for flag in (True, False):
        sg.check_grad(of_unknown_holders, X, flag, inputs="x")


test_write_through = CASES.check()
