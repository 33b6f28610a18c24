"""`match`, generators that are read at once, functions chosen while running, chained calls."""
import math
from dataclasses import dataclass

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, -0.8, 1.1])


@dataclass
class Point:
    u: float
    v: float


def matches(x, command, table, point):
    match command:
        case ("shift", a):
            y = x + a
        case ("scale", float(a)) if a > 3:
            y = x
        case ("scale", a):
            y = a * x
        case [first, *rest, last]:
            y = first * x + last * len(rest) * x ** 2
        case _:
            y = 0 * x
    match table:
        case {"j": q}:
            y = y * 5
        case {"k": q, "l": 2 | 3}:
            y = y * q * x
    match point:
        case Point(u=0.0):
            y = y * 3
        case Point(u, v=w):
            y = y * u + w * x
        case None:
            y = y * x
    match len(command):
        case 1:
            return x
        case 2 | 3:
            return y
        case n if n > 4:
            return y * n
    return y * x


case(matches, 0.7, ("scale", 2.0), {"k": 3, "l": 2}, Point(2.0, 3.0), oracle=False)
case(matches, 0.7, ("scale", 4.0), {"k": 3, "l": 5}, Point(0.0, 3.0), oracle=False)
case(matches, 0.7, [2.0, 3.0, 4.0, 5.0], {"j": 1}, None, oracle=False)
case(matches, 0.7, [2.0, 3.0, 4.0, 5.0, 6.0], {"j": 1}, 7, oracle=False)


def matches_mode(x, mode):
    match mode:
        case "square":
            return x * x
        case None:
            return 2 * x
        case "cube" | "third" if x > 0:
            y = x
        case other:  # noqa: F841 (the capture is what is tested)
            return 5 * x
    return y ** 3


for _mode in ("square", None, "third", "else"):
    case(matches_mode, 0.7, mode=_mode)


def powers(x, n):
    y = x
    for k in range(n):
        y = y * x
        if k == 2:
            continue
        yield y + k


def more_powers(x):
    yield x
    yield from powers(x, 2)
    if x > 100:
        return
    yield from (x, 2 * x)


def reads_generators(x):
    total = 0.0
    for v in powers(x, 5):
        total += v * v
    for k, v in enumerate(more_powers(x)):
        if k == 3:
            break
        total += v * k
    return total + sum(powers(x, 3)) + list(more_powers(x))[1] + max(more_powers(x)) + sum(v * x for v in powers(x, 2))


case(reads_generators, 0.7)


def inner_generators(x):
    def doubling(a):
        while a < 5:
            yield a * x
            a = a * 2

    def running(values):
        total = 0
        for v in values:
            total += v
            yield total

    s = 0
    for a, b in zip(doubling(x), running([x, x * x, 2.0])):
        s += a * b
    return s + sum(doubling(1.0))


case(inner_generators, 0.7)


class Series:
    def __init__(self, n):
        self.n = n

    def terms(self, x):
        for k in range(self.n):
            yield x ** k / math.factorial(k)


SERIES = Series(5)


def generator_method(x):
    return sum(term * term for term in SERIES.terms(x))


case(generator_method, 0.7)


def square(t):
    return t * t


def call(f, *args):
    return f(*args)


def chosen_by_condition(x, flag=True):
    h = np.sin if x > 0 else np.cos
    g = math.sin
    if flag:
        g = math.cos
    return h(x) * h(2 * x) * g(x) * (math.exp if flag else square)(x) * (square if x < 1 else math.exp)(x)


case(chosen_by_condition, 0.7, oracle=False)
case(chosen_by_condition, 0.7, flag=False, oracle=False)


def chosen_in_a_loop(x):
    t = x
    for k in range(4):
        if k % 2:
            f = lambda u: u * x  # noqa: E731 (a lambda with a name is what users write)
        elif k == 2:
            f = square
        else:
            f = lambda u: u + k  # noqa: E731 (a lambda with a name is what users write)
        t = f(t) + f(x)
    return t


case(chosen_in_a_loop, 0.7)


def chosen_and_handed_on(x):
    def first(u):
        return u * x

    def second(u):
        return u * x * x

    h = first if x > 1 else second

    def deep(u):
        return h(u) + call(h, u)

    return deep(x) + call(h, x)


case(chosen_and_handed_on, 0.7)
case(chosen_and_handed_on, 1.7)


def out_of_tables(x):
    activations = {"square": square, "sine": np.sin}
    layers = [np.sin, np.cos]
    y = activations["square"](x) * layers[0](x) * (np.sin, np.cos)[1](x)
    for f in (np.sin, square, lambda t: t * x):
        y = f(y) + call(f, x)
    for f in layers:
        y = y * x
    return y * {"s": np.sin, "c": lambda t: t * x}["c"](x)


case(out_of_tables, 0.7)


def chained(x):
    def make(a):
        return lambda t: t * a

    return make(1.0)(x) * make(x)(x) + (lambda a, b=2.0: a * b * x)(x) + (lambda: x)()


case(chained, 0.7)


# --- objects of one of several classes, or None

class Gain:
    def __init__(self, factor):
        self.factor = factor

    def tick(self, x):
        return self.factor * x


class Memory:
    def __init__(self, start):
        self.seen = [start]

    def tick(self, x):
        self.seen.append(x)
        return sum(self.seen) / len(self.seen)


class Chain:
    def __init__(self, *stages):
        self.stages = [stage for stage in stages if stage is not None]

    def tick(self, x):
        for stage in self.stages:
            x = stage.tick(x)
        return x

    def __rshift__(self, other):
        return Chain(*self.stages, other)


def stages_or_none(a, x):
    chain = Chain(Gain(a), None, Memory(x)) >> Gain(2.0)
    return chain.tick(x) + chain.tick(a * x)


def first_of_a_class(a, x):
    stages = [Gain(a), None, Memory(x), None]
    total = 0.0
    for stage in stages:
        if stage is None:
            total = total + x
        elif isinstance(stage, Gain):
            total = total * stage.factor + stage.tick(x)
        else:
            total = total + stage.tick(a) * len(stage.seen)
    return total


def a_stage_that_may_be_missing(a, x):
    total = x
    for level in (0.1, 0.9, 2.0):
        stage = Gain(a * level) if x > level else Memory(x) if level < 1.0 else None
        if stage:
            total = stage.tick(total)
    return total


case(stages_or_none, 0.5, 0.7, inputs=("a", "x"))
case(first_of_a_class, 0.5, 0.7, inputs=("a", "x"))
case(a_stage_that_may_be_missing, 0.5, 0.7, inputs=("a", "x"))
