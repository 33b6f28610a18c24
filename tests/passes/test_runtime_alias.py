"""runtime_alias: objects of which only the run tells where they are held, and questions whether two names are one array."""
import numpy as np
import pytest

import sourcegrad as sg
from tests.passes.becomes import Within

X = np.array([0.5, -1.5, 2.0])
CASES = Within("functionalize")


class Node:
    def __init__(self, force):
        self.force = force


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
        node_force = node.force
        product_2 = node_force * x
        old = node
        changed = old
        changed = index_set(changed, at.force, product_2)
        holders = nodes, picked_2
        places = places_of(holders, old, changed)
        holders_2 = put_all(holders, places, old, changed)
        nodes, picked_2 = holders_2
    nodes_i_2 = nodes[0]
    force = nodes_i_2.force
    nodes_i_3 = nodes[1]
    force_2 = nodes_i_3.force
    value = force + force_2
    return value
""", x=2.0, ends=[0, 1, 0])
def found_by_their_identity(x, ends):
    nodes = [Node(x), Node(x * 2.0)]
    picked = [nodes[j] for j in ends]
    for node in picked:
        node.force = node.force * x
    return nodes[0].force + nodes[1].force


@CASES.becomes("""
    y = x * 2.0
    z = y
    y = index_set(y, np.s_[0], 1.0)
    cond = y is y
    if cond:
        z = y * 3.0
    else:
        z = y
    value = np.sum(z)
    return value
""", x=X)
def the_answer_is_known(x):
    y = x * 2.0
    z = y
    z[0] = 1.0
    if z is y:
        z = z * 3.0
    return np.sum(z)


@CASES.becomes("""
    y = x * 2.0
    v = y[1:]
    y = index_set(y, at[1:][0], 1.0)
    v_2 = y[1:]
    cond = False
    product = y * y
    value_2 = np.sum(product)
    value = value_2
    return value
""", x=X)
def a_view_is_another_object(x):
    y = x * 2.0
    v = y[1:]
    v[0] = 1.0
    return np.sum(y) if v is y else np.sum(y * y)


@CASES.becomes("""
    y = x * 2.0
    cond = x[0] > 0.0
    if cond:
        z_2 = y
        z_2_shared = True
    else:
        z_2 = x * 3.0
        z_2_shared = False
    z = z_2
    z_2 = index_set(z_2, np.s_[0], 1.0)
    if z_2_shared:
        y = z_2
    cond_2 = z_2_shared
    if cond_2:
        result = np.sum(z_2)
    else:
        product = y * z_2
        result = np.sum(product)
    return result
""", x=X)
def the_answer_is_a_condition(x):
    y = x * 2.0
    z = y if x[0] > 0.0 else x * 3.0
    z[0] = 1.0
    if z is y:
        return np.sum(z)
    return np.sum(y * z)


@CASES.stays(x=X)
def nothing_changes(x):
    y = x * 2.0
    z = y
    return np.sum(z) if z is y else np.sum(x)


def where_it_lies(x):
    y = x * 2.0
    y[0] = 1.0
    return np.sum(y) * (1.0 if id(y) else 2.0)


def in_the_memory_of_a_view(x):
    y = x * 2.0
    v = y[1:]
    v[0] = 1.0
    return np.sum(y) if np.shares_memory(v, y) else 0.0


def hands_out_its_memory(x):
    y = x * 2.0
    address = y.ctypes
    return np.sum(y) if address else 0.0


@pytest.mark.parametrize("function, message", [
    (where_it_lies, "where 'y' lies in memory, while something changes in place"),
    (hands_out_its_memory, "where 'y' lies in memory, while something may change in place"),
    (in_the_memory_of_a_view, "whether 'v' and 'y' are one array, where arrays change in place")])
def test_questions_that_are_refused(function, message) -> None:
    with pytest.raises(sg.UnsupportedError, match=message):
        sg.grad(function)(X)


test_runtime_alias = CASES.check()
