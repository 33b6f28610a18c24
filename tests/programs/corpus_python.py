"""Python in the programs that found it wrong or refused without need: makers of closures, views of keys, late fields."""
import enum
import functools
import itertools
import math
from dataclasses import InitVar, dataclass, field
from typing import ClassVar

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

V = np.array([0.3, -0.8, 1.1])
V6 = np.array([0.9, -0.4, 0.5, 1.3, -0.7, 0.2])


# --- functions that make functions ------------------------------------------------------------------

def one_after_another(*functions):
    return functools.reduce(lambda f, g: lambda *a: g(f(*a)), functions)


def reduced_to_a_closure(x):
    return one_after_another(np.sin, lambda t: t ** 2, np.sum)(x) + one_after_another(math.exp, math.sqrt)(x[0])


case(reduced_to_a_closure, V)


def mapped_to_closures(x):
    lines = list(map(lambda k: lambda t: k * t + x[0], [1.0, 2.0]))
    return lines[0](x[1]) * lines[1](x[2]) + sum(f(x[1]) for f in map(lambda k: lambda t: x[k] * t, range(3)))


case(mapped_to_closures, V)


def made_in_a_comprehension(x):
    return sum(f(2.0) ** 2 for f in [(lambda k: lambda t: x[k] * t)(k) for k in range(3)])


case(made_in_a_comprehension, V)


def vectorized_builtin(x):
    return np.vectorize(math.sin)(x) @ np.arange(3.0) + np.vectorize(math.exp, otypes=[float])(x).sum()


case(vectorized_builtin, V, oracle=False)


# --- dicts ------------------------------------------------------------------------------------------

def keys_as_sets(p, q):
    total = 0.0
    if p.keys() == {"a", "b"}:
        total += p["a"] ** 2
    if p.keys() != q.keys():
        total += q["c"] * p["b"]
    if p.keys() <= q.keys() | {"a"}:
        total += 2 * p["b"]
    for key in sorted(p.keys() & q.keys()):
        total += p[key] * q[key]
    missing = p.keys() - {"a"}
    if missing:
        total += len(missing) * p["a"] ** 3
    if "a" in p.keys():
        total += p["a"]
    return total


case(keys_as_sets, {"a": 0.3, "b": 0.7}, {"b": 1.1, "c": -0.4}, inputs=("p", "q"))


def power_sum(x, **options):
    scale = options.pop("scale", 1.0)
    if options.keys() - {"power"}:
        raise TypeError(f"unknown {sorted(options)}")
    return scale * np.sum(x ** options.get("power", 2))


def checked_options(x):
    return power_sum(x, scale=x[0]) + power_sum(x, power=3) + power_sum(x, **{"scale": 2.0, "power": 1})


case(checked_options, V)


def leaves_of(tree):
    if isinstance(tree, dict):
        for key in sorted(tree):
            yield from leaves_of(tree[key])
    elif isinstance(tree, (list, tuple)):
        for item in tree:
            yield from leaves_of(item)
    else:
        yield tree


def nested_parameters(p):
    return sum((i + 1) * np.sum(leaf ** 2) for i, leaf in enumerate(leaves_of(p)))


case(nested_parameters, {"a": [np.ones(2), 2.0], "b": {"c": np.array([0.5])}})


# --- classes ----------------------------------------------------------------------------------------

@dataclass
class Body:
    position: np.ndarray
    mass: float = 1.0
    trail: list = field(default_factory=list)
    scale: InitVar[float] = 1.0
    strength: ClassVar[float] = 2.0
    energy: float = field(init=False)

    def __post_init__(self, scale):
        self.position = self.position * scale
        self.energy = self.strength * self.mass * self.position @ self.position
        self.trail.append(self.position)


def fields_set_later(x):
    a, b = Body(x, x[0]), Body(x, scale=x[1], mass=2.0)
    return a.energy * b.energy + a.trail[0][1] + len(b.trail)


case(fields_set_later, V)


class Operation(enum.Enum):
    ADD = "+"
    MULTIPLY = "*"
    SINE = "sin"


def evaluate(tree, values):
    match tree:
        case float() | int():
            return tree
        case str():
            return values[tree]
        case (Operation.ADD, a, b):
            return evaluate(a, values) + evaluate(b, values)
        case (Operation.MULTIPLY, a, b):
            return evaluate(a, values) * evaluate(b, values)
        case (Operation.SINE, a):
            return math.sin(evaluate(a, values))
        case _:
            raise ValueError(tree)


def expression_tree(x, y):
    product = (Operation.MULTIPLY, "x", (Operation.SINE, "y"))
    return evaluate((Operation.ADD, product, (Operation.MULTIPLY, 2.0, "x")), {"x": x, "y": y})


case(expression_tree, 0.4, 0.9, inputs=("x", "y"))


class Tracker:
    def __init__(self):
        self.history = []
        self.calls = 0

    def __call__(self, value):
        self.calls += 1
        self.history.append(value)
        return value * self.calls


def counting_calls(x):
    tracker = Tracker()
    total = sum(tracker(value) for value in x)
    return total + tracker.history[2] ** 2 + tracker.calls * x[0]


case(counting_calls, V6)


class Ring:
    def __init__(self, n, step):
        self.n, self.step, self.data = n, step, np.zeros(n)

    def __getitem__(self, i):
        return self.data[i % self.n]

    def __setitem__(self, i, value):
        self.data[i % self.n] = value

    def __iter__(self):
        return iter(self.data)

    @property
    def laplacian(self):
        return (np.roll(self.data, 1) - 2 * self.data + np.roll(self.data, -1)) / self.step ** 2


def periodic_ring(x, step):
    ring = Ring(len(x), step)
    for i, value in enumerate(x):
        ring[i + len(x)] = value * ring[i - 1] + value
    return ring.laplacian @ ring.data + sum(value ** 2 for value in ring) + ring[-1]


case(periodic_ring, V6, 0.5, inputs=("x", "step"))


def iterators_of_all_kinds(x):
    sums = list(itertools.accumulate(x, lambda a, b: a * 0.5 + b))
    groups = {key: sum(items) for key, items in itertools.groupby(sums, key=lambda s: s > 0)}
    neighbours = [a * b for a, b in itertools.pairwise(sums)]
    around = list(itertools.islice(itertools.cycle(x), 8))
    squares = sum(a * b for a, b in itertools.product(x[:2], repeat=2))
    return sums[-1] + sum(groups.values()) + sum(neighbours) + sum(around) + squares


case(iterators_of_all_kinds, V6)


# --- functions for trees of lists, tuples, dicts and arrays -------------------------------------------

def sum_of_squares(tree):
    if isinstance(tree, dict):
        return sum(sum_of_squares(item) for item in tree.values())
    if isinstance(tree, (tuple, list)):
        total = 0.0
        for part in tree:
            total = total + sum_of_squares(part)
        return total
    return np.sum(tree.ravel() ** 2)


def tree_of_a_list(x):
    return sum_of_squares([x, np.sin(x)])


def tree_of_rows(x):
    return sum_of_squares([item for item in np.outer(x, x)])


def tree_of_everything(x):
    return sum_of_squares({"a": [x, (x[0] * x, {"b": x ** 2})], "c": x})


case(tree_of_a_list, V)
case(tree_of_rows, V)
case(tree_of_everything, V)


def mapped(function, tree):
    if isinstance(tree, dict):
        return {key: mapped(function, item) for key, item in tree.items()}
    if isinstance(tree, list):
        return [mapped(function, item) for item in tree]
    if isinstance(tree, tuple):
        return tuple(mapped(function, item) for item in tree)
    return function(tree)


def tree_map_of_everything(x):
    tree = {"w": [x, x * 2.0], "b": (x[1:], {"c": x[0], ("d", 2): x ** 2})}
    return sum_of_squares(mapped(lambda leaf: np.asarray(leaf ** 2), tree))


case(tree_map_of_everything, V)


def keys_of_a_text(x):
    weights = dict(zip("abc", x))
    sums = {}
    for key, weight in weights.items():
        sums[key] = sums.get("before", 0.0) + weight
        sums["before"] = sums[key] ** 2
    return sum(item ** 2 for item in sums.values())


case(keys_of_a_text, V)


def as_rows(x, n):
    return np.asarray([x] * n if not hasattr(x, "__len__") else x)


def numbers_and_sequences(x, s):
    return np.sum(as_rows(s, 3) * x) + np.sum(as_rows([s, s, 2.0], 3) * x ** 2) + np.sum(as_rows(x, 3) ** 3)


case(numbers_and_sequences, V, 0.4, inputs=("x", "s"))


# --- a name that is there twice in one target is the last one ------------------------------------------

def twice_in_a_target(x):
    a, a = (x * 2.0, x * 3.0) if x[0] < 9 else (x, x)
    pairs = ((x * 2.0, x * 5), x * 3.0)
    (b, c), b = pairs
    d, (e, d) = (x * 2.0, pairs[0])
    return np.sum(a * b * c) + np.sum(d * e)


case(twice_in_a_target, V, oracle=False)


def thrown_away(x):
    s = 0.0
    for _, _, c in [(x, x * 2, x * 3), (x, x ** 2, x)]:
        s = s + np.sum(_ * c)
    a, *b, a = [x, x * 2, x * 3, x * 4]
    return s + np.sum(a * b[0])


case(thrown_away, V, oracle=False)
