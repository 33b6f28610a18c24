"""Lists, tuples, dicts and sets, comprehensions and generator expressions."""
# ruff: noqa: B007    (as its users wrote it)
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque

import numpy as np

from tests.language.case import Cases

CASES = Cases()
case = CASES.add

V = np.array([0.4, -0.9, 1.3])


def appends(x, n):
    history = [x]
    for i in range(n):
        history.append(history[-1] ** 2 + 0.1 * i)
    return sum(history) * history[2]


case(("list .append() in loop", "list .append()"), appends, 0.7, 4)


def appends_once(v):
    rows = []
    rows.append(v)
    rows.append(v ** 2)
    return np.sum(np.array(rows) @ v)


case("list .append()", appends_once, V)


def appends_and_stacks(v):
    rows = []
    for k in range(3):
        rows.append(v * k + v[k])
    return np.sum(np.stack(rows, axis=1)[0] ** 2) + np.concatenate(rows)[4]


case("list .append() in loop", appends_and_stacks, V)


def extends(x):
    values = [x]
    values.extend([x ** 2, 3.0])
    values.extend(v * 2 for v in list(values))
    values += [x]
    return sum(v ** 2 for v in values)


case("list .extend()", extends, 0.7)


def extends_in_loop(v):
    flat = []
    for x in v:
        flat.extend((x, x ** 2))
    return np.sum(np.array(flat) * np.arange(6.0))


case("list .extend() in loop", extends_in_loop, V)


def pops(x):
    stack = [x, x ** 2, 3.0 * x]
    last = stack.pop()
    first = stack.pop(0)
    return last * first + stack[0]


case("list .pop()", pops, 0.7)


def pops_in_loop(xs):
    stack = list(xs)
    total = 1.0
    while stack:
        x = stack.pop()
        total = total * x + x ** 2
    return total


case("list .pop() in loop", pops_in_loop, [0.7, 1.2, -0.4])


def inserts(x):
    values = [x, 2.0]
    values.insert(0, x ** 2)
    values.insert(2, np.sin(x))
    return values[0] * values[1] + values[2] * values[3]


case("list .insert()", inserts, 0.7)


def inserts_in_loop(xs):
    ordered = []
    for x in xs:
        k = 0
        while k < len(ordered) and ordered[k] < x:
            k += 1
        ordered.insert(k, x)
    return sum((k + 1) * x ** 2 for k, x in enumerate(ordered))


case("list .insert() in loop", inserts_in_loop, [0.7, -0.4, 1.2])


def removes_in_loop(xs):
    todo = [0, 1, 2]
    total = 0.0
    for k in [1, 2]:
        todo.remove(k)
        total += xs[k] ** 2 * len(todo)
    return total


case("list .remove() in loop", removes_in_loop, [0.7, -0.4, 1.2])


def list_arithmetic(x):
    values = [x] * 3 + [x ** 2]
    values[1] = 2.0
    values[1:3] = [x, 0.5, x ** 3]
    values.reverse()
    del values[0]
    return sum(k * v for k, v in enumerate(values)) + values.index(0.5) + values.count(2.0)


case("list .reverse() and slices", list_arithmetic, 0.7)


def sorts(xs):
    values = list(xs)
    values.sort(key=lambda v: -v)
    pairs = sorted(((x, k) for k, x in enumerate(xs)), reverse=True)
    return values[0] * values[1] ** 2 + pairs[0][0] * pairs[2][0] + pairs[0][1]


case("builtin sorted()", sorts, [0.7, 1.2, -0.4])


def comprehension(v):
    squares = [x ** 2 for x in v if x > 0]
    table = [[x * y for y in squares] for x in v]
    return sum(squares) + sum(sum(row) for row in table)


case("list comprehension", comprehension, V)


def generator(v):
    return sum(x ** 2 for x in v) * max(np.sin(x) for x in v) + sum(x * y for x in v for y in v if y > x)


case("generator expression", generator, V)


def dict_comprehension(parameters):
    updated = {name: value - 0.1 * value ** 3 for name, value in parameters.items() if name != "c"}
    squares = {k: v ** 2 for k, v in enumerate(updated.values())}
    return sum(updated.values()) * squares[1]


case("dict comprehension", dict_comprehension, {"a": 0.7, "b": 1.2, "c": 0.3})


def set_comprehension(x, names):
    initials = {name[0] for name in names}
    return x ** len(initials) * (2.0 if "b" in initials else 1.0)


case("set comprehension", set_comprehension, 0.7, ["ab", "ac", "bc"])


def sets(x, indices):
    unique = set(indices)
    missing = {0, 1, 2, 3} - unique
    total = 0.0
    for k in sorted(unique | {5}):
        total += x ** k
    return total * len(missing)


case("builtin set()", sets, 0.7, [1, 1, 3])


def lists_of(v):
    values = list(v)
    other = list(range(3))
    values.append(values[0] * other[2])
    return sum(x ** 2 for x in list(zip(values, other))[1]) + values[3] * len(list("abc"))


case("builtin list()", lists_of, V)


def tuples_of(v):
    t = tuple(v)
    pair = tuple(x ** 2 for x in t) + (1.0,)
    return t[0] * pair[1] * pair[-1] + len(pair)


case("builtin tuple()", tuples_of, V)


def dicts_of(x):
    first = dict(a=x, b=x ** 2)
    second = dict(first, b=2.0)
    third = dict([("a", x), ("c", 0.5)])
    fourth = dict(zip(["u", "v"], [x, x ** 3]))
    return first["a"] * second["b"] + third["a"] * third["c"] * fourth["v"] + first["b"]


case("builtin dict()", dicts_of, 0.7)


def gets(parameters, x):
    scale = parameters.get("scale", 1.0)
    shift = parameters.get("shift", x)
    return scale * x ** 2 + shift * (1.0 if parameters.get("none") is None else 2.0)


case("dict .get()", gets, {"scale": 0.6}, 0.7, inputs=("parameters", "x"))


def updates(x):
    settings = {"a": 1.0, "b": x}
    settings.update({"a": x ** 2})
    settings.update(c=x * 3.0)
    merged = {**settings, "b": 0.5, "d": x} | {"e": x}
    return settings["a"] * settings["b"] + merged["b"] * merged["c"] * merged["d"] * merged["e"]


case("dict .update()", updates, 0.7)


def sets_default(x):
    groups = {}
    for k in range(4):
        groups.setdefault(k % 2, []).append(x ** (k + 1))
    return sum(groups[0]) * sum(groups[1]) + groups.setdefault("z", x)


case("dict .setdefault()", sets_default, 0.7, refused="Call a method of one class that gives the item")


def pops_from_dict(x):
    settings = {"a": x, "b": x ** 2}
    a = settings.pop("a")
    missing = settings.pop("c", 2.0)
    settings["d"] = a * missing
    del settings["b"]
    return sum(settings.values()) * a * len(settings)


case("dict .pop() and del", pops_from_dict, 0.7)


def keys_of(parameters):
    names = list(parameters.keys())
    if "w" in parameters.keys():
        return parameters[names[0]] ** 2 * parameters["w"]
    return parameters[names[1]]


case("dict .keys()", keys_of, {"b": 0.7, "w": 1.2})


def values_of(parameters):
    return sum(v ** 2 for v in parameters.values()) * list(parameters.values())[1] * max(parameters.values())


case("dict .values()", values_of, {"b": 0.7, "w": 1.2})


def items_of(parameters):
    (first, a), (second, b) = parameters.items()
    return a * b ** 2 + len(first)


case("dict .items()", items_of, {"b": 0.7, "w": 1.2})


def tuple_keys(x):
    cache = {(0, 0): x}
    for i in range(1, 3):
        for j in range(2):
            cache[i, j] = cache[i - 1, 0] * x + j
    return cache[(2, 1)] * cache[1, 0]


case("string key store", tuple_keys, 0.7)


def memoised(x, n):
    known = {0: 1.0, 1: x}

    def chebyshev(k):
        if k not in known:
            known[k] = 2 * x * chebyshev(k - 1) - chebyshev(k - 2)
        return known[k]

    return chebyshev(n) * known[2]


case("dict stores of a closure", memoised, 0.7, 5)


def default_dicts(xs):
    groups = defaultdict(list)
    totals = defaultdict(float)
    for k, x in enumerate(xs):
        groups["even" if k % 2 == 0 else "odd"].append(x)
        totals[k % 2] += x ** 2
    return sum(groups["even"]) * groups["odd"][0] + totals[0] * totals[1] + totals["new"]


case("collections.defaultdict", default_dicts, [0.7, 1.2, -0.4], order=1)        # (keys of two classes: refused at order 2)


def default_lists(xs):
    groups = defaultdict(list)
    for k, x in enumerate(xs):
        groups[k % 2].append(x)
    return sum(groups[0]) * groups[1][0]


case("collections.defaultdict", default_lists, [0.7, 1.2, -0.4])


def deques(xs):
    window = deque(maxlen=2)
    total = 0.0
    for x in xs:
        window.append(x)
        total += sum(window) ** 2
    window.appendleft(total)
    window.extend([xs[0]])
    return window.popleft() * total + window[-1] * len(window)


case("collections.deque", deques, [0.7, 1.2, -0.4])


def ordered_dicts(x):
    stages = OrderedDict()
    stages["first"] = x ** 2
    stages["second"] = stages["first"] * x
    stages.move_to_end("first")
    total = 0.0
    for k, (name, value) in enumerate(stages.items()):
        total += (k + 1) * value
    return total


case("collections.OrderedDict", ordered_dicts, 0.7)


def counters(x, text):
    counts = Counter(text)
    return sum(n * x ** k for k, (letter, n) in enumerate(counts.most_common()))


case("collections.Counter", counters, 0.7, "abracadabra")


def chain_maps(x):
    settings = ChainMap({"a": x}, {"a": 1.0, "b": x ** 2})
    return settings["a"] * settings["b"]


case("collections.ChainMap", chain_maps, 0.7)


def nested_structures(model):
    total = 0.0
    for layer in model["layers"]:
        for name, value in layer["weights"].items():
            total += np.sum(value ** 2) * layer["scale"]
    model["layers"][0]["weights"]["w"][0] *= 2.0
    return total * np.sum(model["layers"][0]["weights"]["w"])


case("inputs that are nested", nested_structures,
     {"layers": [{"weights": {"w": V, "b": 0.3}, "scale": 0.5}, {"weights": {"w": 2.0 * V}, "scale": 1.5}]})


def structure_inside(x):
    state = {"position": [x, x ** 2], "history": ([], [])}
    for _ in range(2):
        state["position"][0] += state["position"][1]
        state["history"][1].append(state["position"][0])
    return sum(state["history"][1]) * len(state["history"][0]) + state["history"][1][-1] ** 2


case("nested containers", structure_inside, 0.7)


def list_shared(x):
    row = [x, 1.0]
    grid = [row] * 2
    grid[0][1] = x ** 2
    row.append(x)
    return sum(sum(r) for r in grid) * len(grid[1])


case("one list by two names", list_shared, 0.7)


def starred_displays(v):
    values = [0.5, *v, v[0] ** 2]
    t = (*values[:2], 1.0)
    return sum(values) * t[1] + max(*values)


case("star unpack in call/display", starred_displays, V)
