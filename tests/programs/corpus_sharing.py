"""One object at several places of a value: a change at one of them is a change at all, whoever makes it.

Where it cannot be known which places hold one object, a refusal is as good (`may_refuse`); a wrong number is not.
"""
import copy

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()


def case(function, may_refuse=False):
    PROGRAMS.add(function, 1.3, oracle=False, may_refuse=may_refuse)


class Node:
    def __init__(self, x):
        self.x = x


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def touch(self, v):
        self.a.x[0] = v
        return self.b.x[0] * v

    def swap(self):
        self.a, self.b = self.b, self.a


class Items:
    def __init__(self, items):
        self.items = [item for item in items if item is not None]

    def touch(self, v):
        self.items[0].x[0] = v
        return self.items[1].x[0] * v + self.items[-1].x[0]


class Graph:
    def __init__(self):
        self.nodes, self.edges = [], []

    def node(self, x):
        node = Node(x * np.ones(2))
        self.nodes.append(node)
        return node

    def edge(self, a, b):
        self.edges.append(Pair(a, b))

    def scale(self, v):
        for node in self.nodes:
            node.x = node.x * v

    def total(self):
        return sum(edge.a.x[0] * edge.b.x[1] for edge in self.edges)


def node():
    return Node(np.ones(2))


def touch(pair, v):
    pair.a.x[0] = v * v
    return pair.b.x[0] * v


# --- what a callee sees of its arguments ------------------------------------------------------------------

def twice_in_argument(v):
    n = node()
    return touch(Pair(n, n), v) + n.x[0]


def twice_in_receiver(v):
    n = node()
    return Pair(n, n).touch(v)


def swapped_first(v):
    n = node()
    pair = Pair(n, node())
    pair.swap()
    return touch(pair, v) + n.x[0]


def number_by_another_name(v):
    def rebind(pair):
        pair.a.x = v * v
        return pair.b.x * v

    n = Node(1.0)
    return rebind(Pair(n, n)) + n.x


def rows_of_a_list(v):
    def store(rows):
        rows[0][0] = v
        return rows[1][0] * v

    row = np.ones(2)
    return store([row, row])


def views_in_a_list(v):
    def store(rows):
        rows[0][1] = v
        return rows[1][0] * v

    row = np.ones(3)
    return store([row[:2], row[1:]])


def tuple_in_tuple(v):
    def store(pairs):
        pairs[0][1][0].x[0] = v
        return pairs[1][0].x[0] * v

    n = node()
    pair = (n, [n])
    return store((pair, pair))


def by_many_keys(v):
    def store(nodes):
        nodes["a"].x[0] = v
        return nodes["c"].x[0] * v

    n = node()
    return store({key: n for key in "abc"})


def recursive_touch(v):
    def rec(pair, depth):
        if depth == 0:
            return pair.b.x[0]
        pair.a.x[0] = v * pair.b.x[0]
        return rec(Pair(pair.b, pair.a), depth - 1)

    n = node()
    return rec(Pair(n, n), 3)


def two_arguments(v):
    def both(one, other):
        one.a.x[0] = v
        return other.a.x[0] * v

    n = node()
    one, other = Pair(n, n), Pair(n, node())
    return both(one, other)


case(twice_in_argument)
case(twice_in_receiver)
case(swapped_first)
case(number_by_another_name)
case(rows_of_a_list)
case(views_in_a_list)
case(tuple_in_tuple)
case(by_many_keys)
case(recursive_touch)
case(two_arguments)


# --- what a caller knows of what a callee has made or changed -----------------------------------------------

def made_with_one_node(v):
    def make():
        n = node()
        return Pair(n, n)

    pair = make()
    pair.a.x[0] = v
    return pair.b.x[0] * v


def made_on_one_path(v):
    def make():
        n = node()
        if v > 1.0:
            return Pair(n, n)
        return Pair(n, node())

    pair = make()
    pair.a.x[0] = v
    return pair.b.x[0] * v


def made_in_a_loop(v):
    def make():
        n = node()
        return Pair(n, n)

    pairs = [make() for _ in range(2)]
    pairs[0].a.x[0] = v
    return pairs[0].b.x[0] * v + pairs[1].b.x[0]


def made_row_for_all(v):
    def make(n):
        row = [1.0] * n
        return [row for _ in range(n)]

    rows = make(2)
    rows[0][0] = v
    return rows[1][0] * v


def set_up(v):
    def fill(pair):
        n = node()
        pair.a = n
        pair.b = n

    pair = Pair(None, None)
    fill(pair)
    pair.a.x[0] = v
    return pair.b.x[0] * v


def put_into_both(v):
    def fill(xs, ys):
        n = node()
        xs.append(n)
        ys.append(n)

    xs, ys = [], []
    fill(xs, ys)
    xs[0].x[0] = v
    return ys[0].x[0] * v


def deep_copy_of_a_pair(v):
    n = node()
    pair = copy.deepcopy(Pair(n, n))
    pair.a.x[0] = v
    return pair.b.x[0] * v + n.x[0]


def deep_copy_of_a_list(v):
    n = node()
    items = copy.deepcopy([n, node(), n])
    items[0].x[0] = v
    return items[2].x[0] * v + items[1].x[0] + n.x[0]


def part_of_what_is_given(v):
    def half(pair):
        return pair.a

    n = Node(1.0)
    pair = half(Pair(Pair(n, n), None))
    pair.a.x = v
    return pair.b.x * v


def swapped_in_a_loop(v):
    n = Node(0.0)
    pair = Pair(n, Node(1.0))
    for _ in range(3):
        pair.a, pair.b = pair.b, pair.a
        pair.a.x = pair.b.x + v
    return n.x * v


def deep_inside(v):
    n = Node(0.0)
    pair = Pair(Pair(n, n), n)
    for _ in range(3):
        pair.a.b.x = pair.b.x + v * pair.a.a.x + v
    return pair.b.x * v


case(part_of_what_is_given)
case(swapped_in_a_loop)
case(deep_inside)
case(made_with_one_node)
case(made_on_one_path)
case(made_in_a_loop)
case(made_row_for_all)
case(set_up)
case(put_into_both)
case(deep_copy_of_a_pair)
case(deep_copy_of_a_list)


# --- lists that hold an object twice, and lists that do not ------------------------------------------------

def once_each(v):
    return Items([node(), None, node()]).touch(v)


def twice_in_a_list(v):
    n = node()
    return Items([n, n]).touch(v)


def appended_in_two_loops(v):
    nodes, items = [node(), node()], []
    for _ in range(2):
        for n in nodes:
            items.append(n)
    return Items(items).touch(v)


def appended_twice_each(v):
    items = []
    for n in [node(), node()]:
        items.append(n)
        items.append(n)
    return Items(items).touch(v)


def chosen_by_position(v):
    nodes = [node(), node()]
    return Items([nodes[i // 2] for i in range(4)]).touch(v)


def joined_with_itself(v):
    nodes = [node(), node()]
    return Items(nodes + nodes).touch(v)


def stages_once_each(v):
    class_of = [Scale(v), Scale(2.0), Delay()]
    chain = Chain(*class_of)
    return chain.run(v) * chain.run(2.0)


class Scale:
    def __init__(self, k):
        self.k, self.z = k, [0.0, 0.0]

    def run(self, x):
        y = self.k * x + self.z[0]
        self.z[0] = y
        return y


class Delay:
    def __init__(self):
        self.last = 1.0

    def run(self, x):
        before, self.last = self.last, x
        return before * x


class Chain:
    def __init__(self, *stages):
        self.stages = [stage for stage in stages if stage is not None]

    def run(self, x):
        for stage in self.stages:
            x = stage.run(x)
        return x


case(once_each)
case(twice_in_a_list)
case(appended_in_two_loops)
case(appended_twice_each)
case(chosen_by_position)
case(joined_with_itself)
case(stages_once_each)


# --- graphs --------------------------------------------------------------------------------------------------

def edges_see_their_node(v):
    graph = Graph()
    a, b = graph.node(1.0), graph.node(2.0)
    graph.edge(a, b)
    graph.edge(b, a)
    a.x[0] = v
    return graph.total() * v


def nodes_by_method(v):
    graph = Graph()
    a, b = graph.node(1.0), graph.node(2.0)
    graph.edge(a, b)
    graph.edge(b, a)
    graph.scale(v)
    return graph.total() * v


def copied_graph(v):
    graph = Graph()
    nodes = [graph.node(1.0 + i) for i in range(3)]
    for i in range(2):
        graph.edge(nodes[i], nodes[i + 1])
    other = copy.deepcopy(graph)
    other.scale(v)
    return graph.total() + other.total() * v


case(edges_see_their_node)
case(nodes_by_method)
case(copied_graph)
