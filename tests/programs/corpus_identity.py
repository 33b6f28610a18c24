"""Objects that change while it is only known where the program runs which other places hold them: found by identity.

Arrays have no identity to go by: where one that changes is held by several objects, a refusal is right (`may_refuse`).
"""
import copy
from collections import deque, namedtuple
from dataclasses import dataclass

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()


def case(function, may_refuse=False):
    PROGRAMS.add(function, 1.3, oracle=False, may_refuse=may_refuse)


class Node:
    def __init__(self, x):
        self.x, self.f = x, 0.0
        self.load = np.zeros(2)
        self.kids = []

    def push(self, v):
        self.f += v

    def total(self):
        return self.x + sum(kid.total() for kid in self.kids)

    def scale(self, c):
        self.x = self.x * c
        for kid in self.kids:
            kid.scale(c)

    def fill(self, c):
        self.load[0] += c * self.x
        for kid in self.kids:
            kid.fill(c)


class Edge:
    def __init__(self, a, b, k):
        self.a, self.b, self.k = a, b, k

    def exchange(self):
        p = self.k * (self.a.x - self.b.x)
        self.a.push(-p)
        self.b.push(p)
        return p


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


class Net:
    def __init__(self):
        self.nodes, self.links = {}, []

    def add(self, name, x):
        self.nodes[name] = Node(x)

    def link(self, a, b, k):
        edge = Edge(self.nodes[a], self.nodes[b], k)
        self.links.append(edge)
        return edge

    def run(self, n):
        for _ in range(n):
            for link in self.links:
                link.exchange()
            for node in self.nodes.values():
                node.x = node.x + 0.1 * node.f
                node.f = 0.0


@dataclass
class Particle:
    pos: float
    vel: float


@dataclass
class Spring:
    a: Particle
    b: Particle
    k: float


class Buffer:
    def __init__(self):
        self.items = []
        self.total = 0.0

    def add(self, v):
        self.items.append(v)
        self.total += v
        return self


Two = namedtuple("Two", "a b")


def pick(xs, i):
    return xs[i]


def one_object_twice(x):
    n = Node(x)
    m = Node(2.0 * x)
    xs = [n, m, n]
    for o in xs:
        o.x = o.x * o.x
    return n.x + 3 * m.x + xs[0].x


def edges_change_their_nodes(x):
    nodes = [Node(x), Node(x * x), Node(1.0)]
    es = [Edge(nodes[i], nodes[j], x) for i, j in [(0, 1), (1, 2), (0, 2)]]
    for e in es:
        e.a.f = e.a.f + e.k * (e.a.x - e.b.x)
        e.b.f = e.b.f * 2.0 + e.a.f
    return sum(n.f * n.f for n in nodes) + es[0].b.f


def edges_call_their_nodes(x):
    nodes = [Node(x), Node(x * x), Node(1.0)]
    es = [Edge(nodes[i], nodes[j], x) for i, j in [(0, 1), (1, 2), (0, 2)]]
    for _ in range(2):
        for e in es:
            e.exchange()
        for n in nodes:
            n.x = n.x + 0.1 * n.f
    return sum(n.f * n.f for n in nodes) + es[0].b.x


def arrays_of_nodes(x):
    nodes = {"a": Node(x), "b": Node(2 * x)}
    es = [Edge(nodes[p], nodes[q], x) for p, q in ["ab", "ba"]]
    for e in es:
        e.a.load[0] += x * e.b.load[1] + x
        e.b.load[1] *= 3.0
        e.b.load[1] += e.a.load[0]
    return nodes["a"].load @ nodes["b"].load


def lists_by_two_names(x):
    groups = {"p": [], "q": []}
    order = []
    for name in ["p", "q"]:
        g = groups[name]
        order.append(g)
        g.append(Node(x))
    for g in order:
        g.append(Node(x * len(g)))
    for g in order:
        for n in g:
            n.x = n.x * x
    return sum(n.x for n in groups["p"]) + sum(n.x ** 2 for n in groups["q"])


def network_of_objects(x):
    t = Net()
    t.add("a", x)
    t.add("b", 2 * x)
    t.add("c", 1.0)
    t.link("a", "b", 0.5)
    t.link("b", "c", x)
    t.run(2)
    return t.nodes["a"].x * t.links[1].b.x + t.nodes["b"].x


def popped_and_last(x):
    a = Node(x)
    b = Node(2 * x)
    xs = [a, b, a]
    c = xs.pop()
    c.x = c.x * x
    d = xs[-1]
    d.x = c.x + d.x
    return a.x * b.x + xs[0].x


def largest_by_key(x):
    a = Node(x)
    b = Node(x + 1)
    xs = [a, b]
    best = max(xs, key=lambda node: node.x)
    best.x = best.x * x
    return a.x + 2 * b.x


def lists_and_their_copies(x):
    n = Node(x)
    m = Node(2.0 * x)
    xs = [n, m]
    ys = list(xs)
    zs = xs[:]
    both = [xs, ys, zs, xs]
    for i in range(4):
        both[i].append(Node(x * i))
    for i in range(4):
        both[i][0].x = both[i][0].x * x
    return sum(o.x for o in xs) + 2 * len(xs) * x + 3 * len(ys) * sum(o.x for o in zs)


def changed_on_either_path(x):
    nodes = [Node(x), Node(2 * x)]
    ps = [Pair(nodes[i], nodes[1 - i]) for i in range(2)]
    for p in ps:
        if p.a.x > 1.5:
            p.a.x = p.a.x * p.b.x
        else:
            p.b.x = p.b.x + p.a.x * x
    return nodes[0].x * nodes[1].x + ps[0].a.x


def changed_until_large(x):
    nodes = [Node(x), Node(2 * x)]
    ps = [Pair(nodes[i], nodes[1 - i]) for i in range(2)]
    i = 0
    while ps[i % 2].a.x < 20.0:
        ps[i % 2].b.x = ps[i % 2].b.x + ps[i % 2].a.x * x
        i += 1
    return nodes[0].x * nodes[1].x


def moved_between_lists(x):
    xs = [Node(x), Node(2 * x)]
    ys = [Node(3 * x)]
    k = 1 if x > 1 else 0
    ys.append(xs[k])
    xs[k] = ys[0]
    xs[0].x = xs[0].x * x
    ys[1].x = ys[1].x + x
    ys[0].x = ys[0].x * 2
    return xs[0].x + 10 * xs[1].x + 100 * ys[0].x + 1000 * ys[1].x


def swapped_neighbours(x):
    xs = [Node(x), Node(2 * x), Node(x * x)]
    order = [xs[2], xs[0], xs[1]]
    for i in range(2):
        xs[i], xs[i + 1] = xs[i + 1], xs[i]
        xs[i].x = xs[i].x * order[i].x
    return sum((j + 1) * o.x for j, o in enumerate(xs)) + order[0].x


def picked_by_a_function(x):
    xs = [Node(x), Node(2 * x)]
    a = pick(xs, 0)
    b = pick(xs, 1 if x > 5 else 0)
    a.x = a.x * x
    b.x = b.x + 1.0
    b.push(x)
    return a.x + 3 * b.x + xs[0].x * xs[1].x + a.f


def bumped_by_a_closure(x):
    xs = [Node(x), Node(2 * x)]
    ps = [Pair(xs[i], xs[1]) for i in range(2)]
    def bump(p, c):
        p.a.x += c
        p.b.x *= c
    for p in ps:
        bump(p, x)
    return xs[0].x + xs[1].x * ps[0].b.x


def another_object_stored(x):
    xs = [Node(x), Node(2 * x)]
    ps = [Pair(xs[i], xs[1 - i]) for i in range(2)]
    for p in ps:
        p.a = p.b
        p.a.x = p.a.x * x
    return xs[0].x + 7 * xs[1].x + ps[0].a.x * ps[1].b.x


def row_held_twice(x):
    rows = [[Node(x)], [Node(2 * x)]]
    flat = [r[0] for r in rows]
    rows.append(rows[0])
    for r in rows:
        r[0].x = r[0].x * x
        r.append(Node(x))
    return sum(o.x for o in flat) + sum(len(r) for r in rows) * x


def held_by_two_dicts(x):
    d = {"a": Node(x), "b": Node(2 * x)}
    e = {}
    for k in ["b", "a"]:
        e[k + k] = d[k]
    for k in d:
        e[k + k].x = e[k + k].x * x
        d[k].push(d[k].x)
    return d["a"].x * e["bb"].x + e["aa"].f


def held_by_tuples(x):
    n = Node(x)
    m = Node(2 * x)
    ts = [(n, 1.0), (m, 2.0), (n, 3.0)]
    for o, w in ts:
        o.x = o.x * x + w
    return n.x + 2 * m.x + ts[0][0].x


def smallest_and_largest(x):
    xs = [Node(x), Node(2 * x), Node(0.5 * x)]
    for _ in range(3):
        lo = min(xs, key=lambda node: node.x)
        hi = max(xs, key=lambda node: node.x)
        lo.x = lo.x + 0.3 * hi.x
        hi.x = 0.9 * hi.x
    return sum((j + 1) * o.x ** 2 for j, o in enumerate(xs))


def visited_twice(x):
    log = []
    xs = [Node(x), Node(2 * x)]
    for i in [0, 1, 0]:
        o = xs[i]
        log.append(o)
        o.x = o.x * x
    return sum(o.x for o in log)


def queue_of_objects(x):
    xs = deque([Node(x), Node(2 * x)])
    first = xs[0]
    for _ in range(3):
        o = xs.popleft()
        o.x = o.x * x
        xs.append(o)
    return first.x + 3 * xs[0].x


def made_and_linked_by_a_function(x):
    def build(x):
        xs = [Node(x), Node(2 * x)]
        return xs, [Pair(xs[i], xs[0]) for i in range(2)]
    xs, ps = build(x)
    for p in ps:
        p.b.x = p.b.x + p.a.x
    for o in xs:
        o.x = o.x * x
    return xs[0].x + ps[1].a.x * ps[0].b.x


def shallow_and_deep_copies(x):
    n = Node(x)
    m = Node(2.0 * x)
    xs = [n, m, n]
    ys = copy.deepcopy(xs)
    zs = [copy.copy(o) for o in xs]
    for o in xs:
        o.x = o.x * x
        o.load[0] += o.x
    for o in ys:
        o.x = o.x + x
    return sum(o.x for o in xs) + sum(o.x * o.load[0] for o in ys) + sum(o.x for o in zs) * x


def one_array_for_all(x):
    buf = np.zeros(2)
    xs = [Node(x), Node(2 * x)]
    for n in xs:
        n.load = buf
    for n in xs:
        n.load[0] += n.x
    return xs[0].load[0] * x + buf[0]


def two_parents(x):
    root = Node(x)
    a = Node(2 * x)
    b = Node(x * x)
    root.kids.append(a)
    root.kids.append(b)
    b.kids.append(a)
    return root, a, b


def child_of_two_parents(x):
    root, a, b = two_parents(x)
    root.fill(x)
    return root.load[0] + a.load[0] * 3 + b.load[0] * x


def tree_with_a_shared_leaf(x):
    root, a, _ = two_parents(x)
    root.scale(x)
    return root.total() + a.x


def fields_of_a_namedtuple(x):
    def change(pair):
        pair.a[0] = x * pair.b[1]
        pair.b[1] += 1.0

    pair = Two(np.zeros(2), np.ones(2) * x)
    change(pair)
    return pair.a[0] * x + pair.b[1] * pair.a[0]


def captured_by_a_closure(x):
    xs = [Node(x), Node(2 * x)]
    n = xs[1 if x > 1 else 0]
    def bump(c):
        n.x = n.x * c
        return xs[0].x + n.x
    r = bump(x)
    for o in xs:
        o.x = o.x + x
    return r * n.x + xs[1].x


def hooks_of_objects(x):
    xs = [Node(x), Node(2 * x)]
    fs = []
    for o in xs:
        fs.append(lambda c, o=o: o.push(c * o.x))
    for f in fs:
        f(x)
    return xs[0].f + 3 * xs[1].f


def kept_methods(x):
    xs = [Node(x), Node(2 * x)]
    ps = [node.push for node in xs]
    for o in xs:
        o.x = o.x * x
    for p in ps:
        p(x)
    return xs[0].f + 3 * xs[1].f + xs[0].x


def springs_between_particles(x):
    ps = [Particle(x * i, 0.1 * i) for i in range(3)]
    ss = [Spring(ps[i], ps[(i + 1) % 3], 1.0 + 0.1 * i) for i in range(3)]
    for _ in range(2):
        for s in ss:
            f = s.k * (s.b.pos - s.a.pos) * x
            s.a.vel += 0.1 * f
            s.b.vel -= 0.1 * f
        for p in ps:
            p.pos += 0.1 * p.vel
    return sum(p.pos ** 2 * (1 + j) for j, p in enumerate(ps))


def builders_in_a_dict(x):
    bs = {"a": Buffer(), "b": Buffer()}
    both = [bs["a"], bs["b"], bs["a"]]
    for i, b in enumerate(both):
        b.add(x * i).add(x)
    return bs["a"].total * x + len(bs["a"].items) * bs["b"].items[0] + sum(bs["a"].items)


def left_early(x):
    xs = [Node(x), Node(2 * x), Node(3 * x)]
    order = [xs[2], xs[0]]
    for o in order:
        if o.x > 3.5:
            o.x = o.x * x
            continue
        for p in xs:
            if p.f > 0.5:
                break
            p.push(o.x)
        o.x += p.f
    return sum((j + 1) * (o.x + o.f) for j, o in enumerate(xs))


def the_last_one(x):
    xs = [Node(x), Node(2 * x)]
    last = None
    for o in xs:
        if last is not None:
            last.x = last.x * o.x
        last = o
    last.x = last.x + x
    return xs[0].x * x + xs[1].x


def attributes_swapped(x):
    p = Pair(Node(x), Node(2 * x))
    q = Pair(p.b, p.a)
    for r in [p, q, p]:
        r.a, r.b = r.b, r.a
        r.a.x = r.a.x * x
    return p.a.x + 10 * p.b.x + 100 * q.a.x


def list_replaced_and_changed(x):
    a = Node(x)
    a.kids = [Node(2 * x)]
    ks = [a.kids]
    for k in ks:
        k.append(Node(3 * x))
    a.kids = [o for o in a.kids if o.x > 3.0] + ks[0][:1]
    for k in ks:
        k[0].x = k[0].x * x
    return sum(o.x for o in a.kids) + len(ks[0]) * x + ks[0][0].x


def longer_by_operator(x):
    ls = [[x], [2 * x]]
    hs = [ls[0], ls[1], ls[0]]
    for h in hs:
        h += [x * len(h)]
    return sum(ls[0]) + x * len(ls[1]) + sum(hs[2])


def take_out(p, x):
    old = p.a
    p.a = Node(x)
    return old


def taken_out_and_changed(x):
    ns = [Node(x), Node(2 * x)]
    ps = [Pair(ns[i], ns[1 - i]) for i in range(2)]
    for p in ps:
        o = take_out(p, x)
        o.x = o.x * x
    return ns[0].x + 3 * ns[1].x + ps[0].b.x * ps[0].a.x


def put_in(p, q):
    p.b = q.a
    q.a.x = q.a.x * 2.0


def put_into_another(x):
    ns = [Node(x), Node(2 * x), Node(x * x)]
    ps = [Pair(ns[i], ns[(i + 1) % 3]) for i in range(3)]
    for i in range(3):
        put_in(ps[i], ps[(i + 1) % 3])
    ns[0].x = ns[0].x * x
    return sum((j + 1) * n.x for j, n in enumerate(ns)) + ps[2].b.x * ps[0].b.x


def append_to(xs, o, x):
    xs.append(o)
    o.x = o.x + x
    xs[0].x = xs[0].x * x


def appended_by_a_function(x):
    ns = [Node(x), Node(2 * x)]
    groups = [[ns[1]], [ns[0]]]
    for g in groups:
        for n in ns:
            append_to(g, n, x)
    return ns[0].x + 3 * ns[1].x + sum(n.x for g in groups for n in g)


def both_change(a, b, x):
    a.x = a.x * x
    b.x = b.x + a.x
    a.load[0] = a.load[0] + b.x
    return b.load[0]


def arguments_that_may_be_one(x):
    ns = [Node(x), Node(2 * x)]
    r = 0.0
    for i, j in [(0, 1), (1, 1), (0, 0)]:
        r += both_change(ns[i], ns[j], x)
    return r + ns[0].x * ns[1].x + ns[0].load[0]


def chosen_and_captured(x):
    ns = [Node(x), Node(2 * x)]
    a = ns[0] if x > 1 else ns[1]
    b = ns[1] if x > 5 else a
    def f(c):
        if c > 0:
            a.x = a.x * x
            return b.x
        b.x = b.x * 3
        return a.x
    return f(1.0) * f(-1.0) + ns[0].x


for function in (one_object_twice, edges_change_their_nodes, edges_call_their_nodes, arrays_of_nodes, lists_by_two_names,
                 network_of_objects, popped_and_last, largest_by_key, lists_and_their_copies, changed_on_either_path,
                 changed_until_large, moved_between_lists, swapped_neighbours, picked_by_a_function, bumped_by_a_closure,
                 another_object_stored, row_held_twice, held_by_two_dicts, held_by_tuples, smallest_and_largest,
                 visited_twice, queue_of_objects, made_and_linked_by_a_function,
                 fields_of_a_namedtuple, captured_by_a_closure, hooks_of_objects, kept_methods, springs_between_particles,
                 builders_in_a_dict, left_early, the_last_one, attributes_swapped, list_replaced_and_changed, longer_by_operator,
                 one_array_for_all, child_of_two_parents, tree_with_a_shared_leaf, taken_out_and_changed,
                 put_into_another, appended_by_a_function, arguments_that_may_be_one, chosen_and_captured):
    case(function)
case(shallow_and_deep_copies)
