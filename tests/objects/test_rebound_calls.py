"""`x = f(x)` where f changes x in place and returns it, a part of it, or something else."""
from __future__ import annotations

import numpy as np
import pytest

from sourcegrad.api.check_grad import check_grad


class Node:
    def __init__(self, v, child=None):
        self.v = v
        self.child = child


def scaled(params, a):
    for key in params:
        params[key] = params[key] * a
    return params


def first_scaled(xs, a):
    xs[0] = xs[0] * a
    return xs


def doubled(xs, a):
    xs[0] = xs[0] * a
    return xs * 2


def renewed(node, a):
    node.v = node.v * a
    return node


def array_in_a_loop(a):
    p = np.ones(3)
    for _ in range(3):
        p = first_scaled(p, a)
    return p[0] + p[1]


def another_array(a):
    p = np.ones(3)
    q = p
    for _ in range(3):
        p = doubled(p, a)
    return p[0] + p[1] + 10 * q[0] + q[1]


def dict_in_a_list(a):
    d = {"a": np.ones(2), "b": 2.0}
    held = [d]
    for _ in range(2):
        d = scaled(d, a)
    return np.sum(d["a"]) + 3 * np.sum(held[0]["a"]) + d["b"]


def part_of_an_object(a):
    n = Node(1.0, Node(2.0))
    m = n
    n = renewed(n.child, a)
    n = renewed(n, a)
    return n.v + 3 * m.child.v + m.v


def object_in_a_loop(a):
    n = Node(1.0, Node(2.0))
    m = n
    for _ in range(2):
        n = renewed(n, a)
    return n.v + 3 * m.child.v + 5 * m.v


@pytest.mark.parametrize("function", [array_in_a_loop, another_array, dict_in_a_list, part_of_an_object, object_in_a_loop])
def test_both_orders(function) -> None:
    check_grad(function, 1.3, order=2)
