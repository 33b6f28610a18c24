"""Objects that have a name on one path of the program only, and may be held by what changes on another. Crashes once."""
from __future__ import annotations

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
X = np.array([0.7, 0.5, 0.9])


class Node:
    scale = 0.5

    def __init__(self, v, w=()):
        self.v = v
        self.w = list(w)
        self.other = None

    def bump(self, s, k=0):
        if k > 1:
            self.v = self.v * s
            return self
        self.v += self.scale * s
        if self.other is not None and k:
            self.other.v += 0.3 * s
            return self.other
        return self

    def link(self, other, k):
        if k:
            self.other = other

    @property
    def total(self):
        return self.v + sum(self.w, 0.0)


class OtherNode(Node):
    scale = 0.7


class Heap:
    def __init__(self, items):
        self.items = items
        self.top = items[0]

    def push(self, n, k):
        if k > 0:
            self.items.append(n)
        if n.v > self.top.v:
            self.top = n


def push(items, n, k):
    for _ in range(k):
        items.append(n)
        n = Node(0.5 * n.v)
    return n


def item_of_a_tuple_in_a_branch(x, flags):
    n, m, r = Node(x[0]), Node(x[1] * 2.0, [x[2]]), Node(x[2])
    items, others = [n, m, Node(x[2] * 0.4)], [r]
    entries = {"k": n}
    same = entries
    heap = Heap([m])
    pair = (n, r)
    if len(items) > 3:
        r = push(others, n, flags[2])
    if len(items) > 3:
        n = pair[1].bump(x[2], flags[0])
    entries.pop("j", None)
    heap.push(n, flags[1])
    return sum(q.v * 1.7 for q in same.values())


def popped_in_a_branch(x, flags):
    m = Node(x[1] * 2.0, [x[2]])
    items = [Node(x[0] * 0.7), Node(x[1]), Node(x[2] * 0.4)]
    heap = Heap([m])
    if flags[2] == 2:
        m = items.pop() if len(items) > 2 else m
    else:
        push(items, m, flags[1])
    items.remove(items[flags[0]])
    return m.total * x[0] + sum(q.v for q in heap.items) + heap.top.v * 1.3


def others_of_others(x, flags):
    """The kinds of what they hold would get ever deeper."""
    n, r = Node(x[0]), OtherNode(x[2])
    seen = []
    for _ in range(flags[0]):
        seen.append(n)
        n.link(r, flags[1])
    return n.v * r.v


for function in (item_of_a_tuple_in_a_branch, popped_in_a_branch, others_of_others):
    for flags in ([0, 0, 0], [0, 1, 2], [1, 1, 1]):
        PROGRAMS.add(function, X, flags, oracle=False)
