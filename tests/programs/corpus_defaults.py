"""Dicts that make their missing items, wherever they are, and chains of dicts."""
from collections import ChainMap, Counter, defaultdict

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.with_arguments(np.array([0.3, -0.8, 1.1]))


class Graph:
    def __init__(self):
        self.links = defaultdict(list)

    def add(self, i, v):
        self.links[i].append(v)

    def total(self, i):
        return sum(self.links[i])


@case
def attribute_outside(v):
    g = Graph()
    for i in range(3):
        g.links[i % 2].append(v[i])
    return sum(g.links[0]) * sum(g.links[1]) + sum(g.links[5]) + len(g.links)


def fill(g, v):
    for i in range(3):
        g[i % 2].append(v[i] ** 2)


@case
def passed_defaults(v):
    g = defaultdict(list)
    fill(g, v)
    return sum(g[0]) * sum(g[1]) + len(g[3]) + len(g)


def made(v):
    g = defaultdict(float)
    for i in range(3):
        g[i % 2] += v[i] ** 2
    return g


@case
def returned(v):
    g = made(v)
    return g[0] * g[1] + g[9] + len(g)


@case
def nested_copy(v):
    g = defaultdict(lambda: defaultdict(list))
    row = g["a"]
    row[1].append(v[0])
    row[1].append(v[1])
    return g["a"][1][0] * g["a"][1][1] + len(row[2])


@case
def in_list(v):
    gs = [defaultdict(float) for _ in range(2)]
    for i in range(3):
        gs[i % 2][i] += v[i]
    return gs[0][0] * gs[0][2] + gs[1][1] ** 2 + gs[1][7]


@case
def in_dict(v):
    d = {"a": defaultdict(float)}
    d["a"][0] += v[0] * v[1]
    return d["a"][0] + d["a"][4]


@case
def aliased(v):
    g = defaultdict(list)
    h = g
    h[0].append(v[0])
    g[0].append(v[1])
    return g[0][0] * h[0][1] + len(h[3]) + len(g)


@case
def shared_value(v):
    g, h = (defaultdict(list), defaultdict(list))
    g[0] = h[1]
    g[0].append(v[0])
    h[1].append(v[1] ** 2)
    return g[0][0] * h[1][1]


@case
def default_changed(v):
    g = defaultdict(lambda: np.zeros(3))
    z = g["a"]
    z += v
    z[0] = v[1]
    return (g["a"] ** 2).sum() + g["b"].sum()


@case
def captured(v):
    n = len(v)
    g = defaultdict(lambda: np.zeros(n))
    for i in range(4):
        g[i % 2] += v * i
    return (g[0] * g[1]).sum()


@case
def captured_active(v):
    w = v * 2
    g = defaultdict(lambda: w[0] * w[1])
    g[0] += v[2]
    return g[0] * g[1]


@case
def captured_passed(v):
    n = len(v)
    g = defaultdict(lambda: [n * 1.0])
    fill(g, v)
    return sum(g[0]) * sum(g[1]) + sum(g[3])


class CapturedAttr:
    def __init__(self, v):
        n = len(v)
        self.acc = defaultdict(lambda: np.zeros(n))

    def add(self, k, v):
        self.acc[k] += v


@case
def captured_attribute(v):
    c = CapturedAttr(v)
    c.add(0, v)
    c.add(1, v * v)
    c.add(0, v ** 3)
    return (c.acc[0] * c.acc[1]).sum()


class Cell:
    def __init__(self):
        self.v = 0.0

    def add(self, x):
        self.v += x


@case
def of_objects(v):
    g = defaultdict(Cell)
    for i in range(3):
        g[i % 2].add(v[i] ** 2)
    return g[0].v * g[1].v + g[3].v


def new_pair():
    return [0.0, 1.0]


@case
def of_function(v):
    g = defaultdict(new_pair)
    for i in range(3):
        g[i % 2][0] += v[i]
    return g[0][0] * g[1][0] * g[4][1]


@case
def factory_effects(v):
    calls = []

    def new():
        calls.append(v[0] * len(calls) + 1.0)
        return calls[-1]
    g = defaultdict(new)
    g[0] += v[1]
    g[0] += v[2]
    g[1] *= v[1]
    return g[0] * g[1] * sum(calls)


@case
def missing_keys(v):
    g = defaultdict(float)
    a = 1 in g
    b = g.get(1, v[0])
    c = g[1]
    d = 1 in g
    return b * (1 + a + 2 * d) + c * v[1] + len(g) + g.get(1, v[0])


@case
def zero_trips_defaults(v):
    g = defaultdict(list)
    for i in range(0):
        g[i].append(v[i])
    return v[0] * len(g) + v[1] + sum(g[0]) + sum(sum(x) for x in g.values())


@case
def order_of_keys(v):
    g = defaultdict(float)
    for i in (2, 0, 1, 2):
        g[i] += v[i]
    return sum((w * (j + 1) for j, w in enumerate(g.values()))) + list(g)[0] * v[0]


@case
def deleted(v):
    g = defaultdict(float)
    g[0] += v[0]
    g[1] += v[1]
    g[0] += v[2]
    x = g.pop(0)
    del g[1]
    g[1] += v[1] * x
    return g[0] * v[0] + g[1] + len(g)


@case
def copied_defaults(v):
    g = defaultdict(list)
    g[0].append(v[0])
    h = g.copy()
    h[0].append(v[1])
    h[1].append(v[2])
    return sum(g[0]) * sum(h[1]) + len(g) + len(h[5])


@case
def to_dict(v):
    g = defaultdict(float)
    g["a"] += v[0]
    g["b"] += v[1]
    d = dict(g)
    return d["a"] * d["b"] + (0.0 if "c" in d else v[2])


@case
def to_dict_missing(v):
    g = defaultdict(float)
    g["a"] += v[0]
    d = dict(g)
    try:
        return d["z"]
    except KeyError:
        return d["a"] * v[1]


@case
def given_dict(v):
    g = defaultdict(float, {"a": v[0]})
    g["a"] += v[1]
    g["b"] += v[2]
    return g["a"] * g["b"]


@case
def given_keywords(v):
    g = defaultdict(float, a=v[0], b=v[1])
    return g["a"] * g["b"] + g["c"] + v[2]


@case
def none_factory(v):
    g = defaultdict(None, {"a": v[0]})
    return g["a"] ** 2


@case
def chosen_defaults(v):
    g = defaultdict(float) if v[0] > 0 else defaultdict(float)
    g[1] += v[1] ** 2
    return g[1] * v[0] + g[2]


@case
def chosen_other(v):
    g = defaultdict(float) if v[0] > 0 else {}
    g[1] = v[1] ** 2
    return g[1] * v[0]


@case
def in_loop_rebound(v):
    total = 0.0
    for i in range(3):
        g = defaultdict(float)
        for j in range(2):
            g[j] += v[i] * (j + 1)
        total += g[0] * g[1]
    return total


@case
def read_in_comprehension(v):
    g = defaultdict(float)
    g[0] += v[0]
    g[2] += v[2]
    return sum([g[i] * v[i] for i in range(3)]) + len(g)


@case
def in_condition(v):
    g = defaultdict(float)
    if g[0] > 0 or g[1] <= 0:
        g[0] += v[0]
    while g[2] < 2:
        g[2] += 1.0 + v[1] ** 2
    return g[0] * g[2] + len(g)


@case
def of_sets(v):
    g = defaultdict(set)
    for i in range(3):
        g[i % 2].add(i)
    return sum(v[i] for i in g[0]) * v[1] + len(g[1])


@case
def of_dicts(v):
    g = defaultdict(dict)
    for i in range(3):
        g[i % 2][i] = v[i] ** 2
    return g[0][0] * g[0][2] + g[1][1] + len(g[5])


@case
def of_ints_floats(v):
    g = defaultdict(int)
    for i in range(3):
        g[i % 2] += v[i]
    return g[0] * g[1] + g[4]


@case
def items_changed(v):
    g = defaultdict(list)
    for i in range(3):
        g[i % 2].append(v[i] * v[i])
    for k, xs in g.items():
        xs.append(v[k])
    return sum(np.prod(xs) for xs in g.values())


@case
def closure_uses(v):
    g = defaultdict(list)

    def add(i, x):
        g[i].append(x)
    for i in range(3):
        add(i % 2, v[i] ** 2)
    return sum(g[0]) * sum(g[1]) + len(g[7])


@case
def closure_recursive(v):
    memo = defaultdict(float)

    def walk(i):
        if i >= 3:
            return 0.0
        memo[i] += v[i] ** 2
        return walk(i + 1) + memo[i] * memo[i - 1]
    return walk(0) + walk(1)


@case
def update_merge(v):
    g = defaultdict(float)
    g[0] += v[0]
    g.update({1: v[1], 2: v[2]})
    g[1] += v[0]
    return g[0] * g[1] * g[2] + g[3]


@case
def union(v):
    g = defaultdict(float)
    g[0] += v[0]
    h = g | {1: v[1]}
    h[5] += v[2]
    return h[0] * h[1] + h[5]


@case
def union_reflected(v):
    g = defaultdict(float)
    g[0] += v[0]
    h = {1: v[1]} | g
    return h[0] * h[1] + h[7] + len(h)


class Mesh:
    def __init__(self, n):
        self.n = n
        self.acc = defaultdict(lambda: defaultdict(float))

    def put(self, i, j, x):
        self.acc[i][j] += x

    def apply(self, v):
        out = np.zeros(self.n)
        for i, row in self.acc.items():
            for j, a in row.items():
                out[i] += a * v[j]
        return out


@case
def sparse(v):
    m = Mesh(3)
    for i in range(3):
        for j in range(3):
            if i != j:
                m.put(i, j, v[i] * v[j])
    for i in range(3):
        m.put(i, i, 2.0 + v[i] ** 2)
    return (m.apply(v) ** 2).sum()


@case
def lambda_two(v):
    g = defaultdict(lambda: [0.0, []])
    for i in range(3):
        g[i % 2][0] += v[i]
        g[i % 2][1].append(v[i] ** 2)
    return g[0][0] * sum(g[0][1]) + g[1][0] * sum(g[1][1])


@case
def setdefault_then_get(v):
    d = {}
    b = d.get(1, v[0])
    c = d.setdefault(1, 0.0)
    return b * 2 + c + d.get(1, v[1])


@case
def type_of(v):
    g = defaultdict(list)
    h = dict(g)
    q = {**g}
    a = (type(g) is dict) + 2 * isinstance(g, defaultdict) + 4 * isinstance(h, defaultdict) + 8 * (type(q) is dict)
    return v[0] * a + isinstance(g, dict) * v[1]


@case
def display_from(v):
    g = defaultdict(float)
    g["a"] += v[0]
    h = {**g, "b": v[1]}
    return h["a"] * h["b"] * ("c" in h or 2.0)


@case
def cleared(v):
    g = defaultdict(list)
    g[0].append(v[0])
    g.clear()
    g[1].append(v[1])
    g[1].append(v[2])
    return g[1][0] * g[1][1] + len(g[0])


@case
def discarded(v):
    g = defaultdict(float)
    g[0] += v[0]
    x = g.pop(5, v[1])
    y = g.pop(0, 1.0)
    g[0] += v[2]
    return x * y * g[0] + g[5]


@case
def equal(v):
    g = defaultdict(float)
    g[0] += v[0]
    return v[1] * (1 + (g == {0: v[0]})) * v[0]


@case
def branch_reads(v):
    g = defaultdict(float)
    if v[0] > 0:
        g["p"] += v[0] ** 2
    else:
        g["n"] += v[0] ** 3
    return g["p"] + 2 * g["n"] + len(g) * v[1]


def pick(g, k):
    return g[k]


def pick_two(g, k, l):
    return g[k] * g[l] if g[k] > 0 and g[l] > -5 else g[l]


@case
def helpers(v):
    g = defaultdict(float)
    g[0] += v[0]
    return pick(g, 0) * v[1] + pick(g, 1) + pick_two(g, 0, 3) + len(g) * v[2]


@case
def chained_compare(v):
    g = defaultdict(float)
    g[1] += v[0]
    a = 0 < g[1] < g[2] + 1
    b = 5 < g[1] < g[3]
    return v[1] * a + v[2] * len(g) + b


@case
def fstring(v):
    g = defaultdict(float)
    s = f"{g['x']:.1f}"
    return v[0] * len(s) + v[1] * len(g)


@case
def asserted(v):
    g = defaultdict(float)
    assert g[0] == 0.0 and g[1] >= 0
    return v[0] * len(g)


def recursive():
    return defaultdict(recursive)


@case
def tree(v):
    t = recursive()
    t["a"]["b"] = v[0]
    t["c"] = v[1]
    return t["a"]["b"] * t["c"]


class Bank:
    def __init__(self):
        self.rates = defaultdict(lambda: 0.5)

    def rate(self, k):
        return self.rates[k]

    def set(self, k, x):
        self.rates[k] = x


@case
def bank(v):
    b = Bank()
    b.set("x", v[0])
    b.set("y", b.rate("x") * b.rate("z") * v[1])
    return b.rate("y") + b.rate("q") * v[2] + len(b.rates)


@case
def two_share(v):
    row = []
    g, h = (defaultdict(list), defaultdict(list))
    g["a"] = row
    h["b"] = row
    g["a"].append(v[0])
    h["b"].append(v[1])
    return g["a"][1] * h["b"][0] * len(row)


@case
def max_key(v):
    g = defaultdict(float)
    for k, x in zip("cab", v):
        g[k] += x ** 2
    best = max(g, key=g.get)
    return g[best] * v[0]


@case
def popped_all(v):
    g = defaultdict(float)
    for i in range(3):
        g[i] += v[i]
    t = 0.0
    while g:
        k = next(iter(g))
        t += g.pop(k) * (k + 1)
    return t * g[0] + t


@case
def named_factory(v):

    def fresh():
        return [v[0], 1.0]
    g = defaultdict(fresh)
    g["a"][1] *= v[1]
    g["a"].append(v[2])
    return sum(g["a"]) * sum(g["b"])


@case
def chain_plain(v):
    a, b = ({"x": v[0]}, {"x": v[1], "y": v[2]})
    c = ChainMap(a, b)
    return c["x"] * c["y"] + len(c)


@case
def chain_written(v):
    a, b = ({"x": v[0]}, {"x": v[1], "y": v[2]})
    c = ChainMap(a, b)
    c["y"] = v[0] * v[1]
    return c["x"] * c["y"] * a["y"] * b["y"] + len(a)


def look(c):
    return c["x"] * c.get("z", 2.0)


@case
def chain_passed(v):
    c = ChainMap({"x": v[0]}, {"x": v[1], "y": v[2]})
    return look(c) + c["y"]


@case
def chain_changed_below(v):
    a, b = ({"x": v[0]}, {"y": v[2]})
    c = ChainMap(a, b)
    b["y"] = v[1] ** 2
    return c["y"] * c["x"]


@case
def chain_child(v):
    c = ChainMap({"x": v[0]})
    d = c.new_child({"x": v[1]})
    return c["x"] * d["x"] + len(d)


@case
def chain_equal(v):
    c = ChainMap({"x": 1}, {"y": 2})
    return v[0] * (1 + (c == {"x": 1, "y": 2})) + v[1] * (c != {"x": 1})


@case
def chain_to_dict(v):
    c = ChainMap({"x": v[0]}, {"x": v[1], "y": v[2]})
    d = dict(c)
    return d["x"] * d["y"]


@case
def chain_missing(v):
    c = ChainMap({"x": v[0]})
    try:
        return c["q"]
    except KeyError:
        return c["x"] ** 2


@case
def chain_isinstance(v):
    c = ChainMap({"x": v[0]})
    return v[0] * isinstance(c, ChainMap) + v[1] * isinstance(c, dict)


@case
def chain_loop(v):
    c = ChainMap({"x": v[0]}, {"x": v[1], "y": v[2]})
    return sum((x * (i + 1) for i, (k, x) in enumerate(c.items()))) + sum(c.values()) * len(list(c))


@case
def chain_default(v):
    g = defaultdict(float)
    g["a"] += v[0]
    c = ChainMap({"b": v[1]}, g)
    return c["a"] * c["b"]


@case
def chain_in(v):
    c = ChainMap({"x": v[0]}, {"y": v[2]})
    c.maps.append({"w": v[1]})
    return (c["w"] if "w" in c else v[0]) * c.parents["y"]


@case
def counter_union(v):
    a, b = (Counter("aab"), Counter("abb"))
    c = a | b
    return v[0] * c["a"] + v[1] * c["b"]
