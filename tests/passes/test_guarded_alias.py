"""guarded_alias: names that are one array on one path and another on the other, and callees that get what may hold an object."""
import gast
import numpy as np

import sourcegrad as sg
from sourcegrad.ir import tree as t
from sourcegrad.memory.guarded_alias import as_before, at_once, joined, resolved
from sourcegrad.memory.heap import State
from tests.passes.becomes import Within
from tests.passes.facts import place, placed, written

X = np.array([0.5, -1.5, 2.0])
CASES = Within("functionalize")


class Node:
    def __init__(self, force):
        self.force = force


def push(node, by):
    node.force = node.force + by


@CASES.becomes("""
    y = x * 2.0
    cond = x[0] > 0.0
    if cond:
        z = y
        z_shared = True
    else:
        z = y.copy()
        z_shared = False
    z = index_set(z, np.s_[0], 1.0)
    if z_shared:
        y = z
    product = y * z
    value = np.sum(product)
    return value
""", x=X)
def a_copy_on_one_path(x):
    y = x * 2.0
    if x[0] > 0.0:
        z = y
    else:
        z = y.copy()
    z[0] = 1.0
    return np.sum(y * z)


@CASES.becomes("""
    y = x * 2.0
    cond = x[0] > 0.0
    if cond:
        z = y
    else:
        z = y.copy()
    z = index_set(z, np.s_[0], 1.0)
    value = np.sum(z)
    return value
""", x=X)
def nobody_looks_at_the_other(x):
    y = x * 2.0
    if x[0] > 0.0:
        z = y
    else:
        z = y.copy()
    z[0] = 1.0
    return np.sum(z)


@CASES.becomes("""
    product = x * 2.0
    y = product.T
    view = product.T.reshape(-1)
    flat_shared = np.may_share_memory(view, product.T)
    flat = y.reshape(-1)
    flat = index_set(flat, np.s_[0], 1.0)
    if flat_shared:
        product = index_set(product, at.T.reshape(-1)[...], flat)
    y_2 = product.T
    product_2 = y_2 * y_2
    value = np.sum(product_2)
    return value
""", x=np.ones((2, 3)))
def a_reshape_that_may_be_a_copy(x):
    y = (x * 2.0).T
    flat = y.reshape(-1)
    flat[0] = 1.0
    return np.sum(y * y)


@CASES.becomes("""
    Node_x = Node(x)
    product = x * 2.0
    Node_2 = Node(product)
    nodes = [Node_x, Node_2]
    picked_2 = []
    len_ends_2 = len(ends)
    range_2 = range(len_ends_2)
    for k in range_2:
        j_2 = ends[k]
        nodes_i = nodes[j_2]
        picked_2 = list_append(picked_2, nodes_i)
    len_picked_3 = len(picked_2)
    range_3 = range(len_picked_3)
    for k_2 in range_3:
        node = picked_2[k_2]
        changed = push_2(node, x, held=(nodes, picked_2))
        unused, held = changed
        nodes, picked_2 = held
    nodes_i_2 = nodes[0]
    force = nodes_i_2.force
    nodes_i_3 = nodes[1]
    force_2 = nodes_i_3.force
    value = force * force_2
    return value
""", x=2.0, ends=[0, 1, 0])
def a_callee_changes_what_many_may_hold(x, ends):
    nodes = [Node(x), Node(x * 2.0)]
    picked = [nodes[j] for j in ends]
    for node in picked:
        push(node, x)
    return nodes[0].force * nodes[1].force


def test_ways() -> None:
    assert at_once((("a",), ("b",)), (("c",),)) == (("a", "c"), ("b", "c")) and at_once((), (("c",),)) == ()
    assert as_before((("a", "b"),), {"a": (("c",), ("d",))}) == (("c", "b"), ("d", "b"))
    assert written(joined([t.load("a"), t.load("b")], gast.BitOr())) == "a | b"


def test_a_place_in_a_name_is_one_of_its_array() -> None:
    state = State({"v": frozenset([place("y[1:]")]), "w": frozenset([place("in y")])})
    assert placed(resolved(place("v[0]"), state)) == "y[1:][0]" and placed(resolved(place("w[0]"), state)) == "w[0]"


def test_both_paths() -> None:
    for sign in (1.0, -1.0):
        sg.check_grad(a_copy_on_one_path, sign * X)


test_guarded_alias = CASES.check()
