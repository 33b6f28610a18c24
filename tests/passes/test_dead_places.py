"""dead_places: adjoints of places to which nothing is added, and objects that nobody reads."""
from __future__ import annotations

import numpy as np

import sourcegrad as sg
from tests.passes.becomes import Within

CASES = Within("dead_places")
X = np.array([0.5, -1.5, 2.0])


class Pair:
    def __init__(self, v, w):
        self.v = v
        self.w = w


@CASES.becomes("""
    memory_ = new_memory()
    x_i = x[0]
    x_i_2 = x[1]
    Pair_2 = new_place(memory_, Pair)
    memory_ = place_store(memory_, Pair_2, 'v', x_i)
    memory_ = place_store(memory_, Pair_2, 'w', x_i_2)
    x_i_4 = x[2]
    Pair_3 = new_place(memory_, Pair)
    memory_ = place_store(memory_, Pair_3, 'v', x_i_2)
    memory_ = place_store(memory_, Pair_3, 'w', x_i_4)
    pairs = [Pair_2, Pair_3]
    len_pairs_2 = len(pairs)
    range_2 = range(len_pairs_2)
    pair_v_tape = []
    for k in range_2:
        pair = pairs[k]
        pair_v = place_load(memory_, pair, 'v')
        pair_v_tape.append(pair_v)
    # --- reverse sweep
    bars = place_bars()
    for k in reversed(range_2):
        pair_v = pair_v_tape.pop()
        pair = pairs[k]
        pair_v_bar = 2.0 * 1.0 * pair_v
        bars = place_add(bars, pair, 'v', pair_v_bar)
    x_i_4_part = 0.0
    x_i_2_part, bars = place_take(bars, Pair_3, 'v', 0.0)
    x_bar = index_add(np.zeros(x.shape), 2, x_i_4_part)
    x_i_2_part_2 = 0.0
    x_i_2_bar = x_i_2_part + x_i_2_part_2
    x_i_part, bars = place_take(bars, Pair_2, 'v', 0.0)
    x_bar = index_add(x_bar, 1, x_i_2_bar)
    x_bar = index_add(x_bar, 0, x_i_part)
    return as_gradient(x_bar, x)
""", inputs="x", x=X)
def nobody_reads_one_attribute(x):
    pairs = [Pair(x[0], x[1]), Pair(x[1], x[2])]
    total = 0.0
    for pair in pairs:
        total = total + pair.v * pair.v
    return total


class Node:
    def __init__(self, v, next):
        self.v = v
        self.next = next


@CASES.stays(inputs="x", x=X)
def something_is_added(x):
    a = Node(x[0], None)
    nodes = [a, Node(x[1], a), Node(x[2], a)]
    for node in nodes:
        if node.next is not None:
            node.next.v = node.next.v * node.v
    return a.v


test_dead_places = CASES.check()


def test_gradient() -> None:
    for order in (1, 2):
        sg.check_grad(nobody_reads_one_attribute, X, order=order)
        sg.check_grad(something_is_added, X, order=order)


def all_items_at_once(x):
    """(What is added to all items is added to each: the adjoint of the one that is stored is not zero.)"""
    pairs = [Pair({"a": x[1], "b": x[2]}, x[0]), Pair({"a": x[0]}, x[1])]
    copied = dict(pairs[0].v)
    pairs[0].v["a"] = copied["b"] * 2.0
    return sum(copied.values()) * pairs[0].v["a"]


def test_items_that_are_added_to_as_a_whole() -> None:
    for order in (1, 2):
        sg.check_grad(all_items_at_once, X, order=order)
