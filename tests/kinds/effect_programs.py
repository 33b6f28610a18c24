"""Programs that do something to the world besides computing: each is a function of x (and of a callback), and state that tells."""
# ruff: noqa: F401  (the texts use what is imported)
from __future__ import annotations

import functools
import io
import itertools
import logging
import os
import random
import time
import warnings
from dataclasses import dataclass, field

import numpy as np

import sourcegrad as sg

CALLS: list = []


def numbers():
    value = 1.0
    while True:
        CALLS.append("generator")
        yield value
        value += 1.0


class Counter:
    def __init__(self):
        self.n, self.log = 0, []

    def hit(self, v=None):
        self.n += 1
        return 1.0

    def told(self, v=None):
        CALLS.append("told")
        return 1.5

    @property
    def double(self):
        CALLS.append("property")
        return 2.0


class Special(Counter):
    def told(self, v=None):
        return super().told(v) * 2.0


class Environment:
    def __init__(self):
        self.rng, self.std, self.old = np.random.default_rng(0), random.Random(1), np.random.RandomState(3)
        self.numbers, self.file = iter(np.arange(1.0, 50.0)), io.StringIO()
        self.parts, self.counter = {"r": np.random.default_rng(2)}, Counter()

    def noise(self):
        return self.rng.normal()


class State:
    """What is outside; `reset` makes it anew, `seen` tells what it is."""


class Part:
    made = 0

    def __init__(self, v):
        Part.made += 1
        self.v = v


class OfType:
    made = 0

    def __init__(self, v):
        type(self).made += 1
        self.v = v


class Called:
    calls = 0

    @classmethod
    def bump(cls):
        cls.calls += 1
        return 1.0

    @staticmethod
    def static():
        CALLS.append("static")
        return 1.0


class Told:
    def __init__(self, v):
        CALLS.append("init")
        self.v = v


class Told2(Told):
    def __init__(self, v):
        super().__init__(v)
        self.w = v


class New:
    def __new__(cls, v):
        CALLS.append("new")
        return object.__new__(cls)

    def __init__(self, v):
        self.v = v


def made_number():
    CALLS.append("factory")
    return 2.0


@dataclass
class Data:
    v: float
    w: float = field(default_factory=made_number)

    def __post_init__(self):
        CALLS.append("post")


class Setter:
    def __init__(self, v):
        self._v = v

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, v):
        CALLS.append("setter")
        self._v = v


class Asked:
    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        CALLS.append("eq")
        return True

    __hash__ = None

    def __add__(self, other):
        CALLS.append("add")
        return self.v + other

    def __getitem__(self, i):
        CALLS.append("getitem")
        return self.v

    def __enter__(self):
        CALLS.append("enter")
        return self

    def __exit__(self, *error):
        CALLS.append("exit")

    def __iter__(self):
        CALLS.append("iter")
        return iter([1.0, 2.0])

    def __call__(self, v):
        CALLS.append("call")
        return v


class Text:
    def __str__(self):
        CALLS.append("str")
        return "text"

    def __len__(self):
        CALLS.append("len")
        return 3


class Handler(logging.Handler):
    def emit(self, record):
        CALLS.append("log")


LOG = logging.getLogger("tests.kinds.effects")
LOG.addHandler(Handler())
LOG.propagate = False
LOG.setLevel(10)


@functools.lru_cache(None)
def cached(v):
    CALLS.append("cached")
    return 2.0


def hook(v):
    CALLS.append("hook")


def told(v):
    CALLS.append("told")
    return 2.0


def deep(v):
    return deeper(v)


def deeper(v):
    hook(v)
    return 3.0


def counting():
    count = [0]

    def inner(v):
        count[0] += 1
        CALLS.append("closure")
        return 1.0
    return inner


CLOSURE = counting()
PARTIAL = functools.partial(hook, 1.0)
PARTIAL_OF_A_METHOD = functools.partial(CALLS.append, 1.0)
METHOD = CALLS.append
TABLE, LIST = {"a": told}, [told]


@sg.nondifferentiable
def discrete(v):
    CALLS.append("discrete")
    return 2.0


def ruled(v):
    CALLS.append("ruled")
    return v * v


@sg.rule(ruled)
def ruled_rule(ct, out, v):
    return 2.0 * ct * v


def reset():
    global ENV, GEN, COUNT, NUMBERS, STREAM, GENERATOR, COUNTER
    CALLS.clear()
    cached.cache_clear()
    ENV, GEN, COUNT, NUMBERS = Environment(), np.random.default_rng(7), itertools.count(1), iter(np.arange(1.0, 50.0))
    STREAM, GENERATOR, COUNTER = io.StringIO(), [numbers()], Counter()
    Part.made = OfType.made = Called.calls = 0
    random.seed(1)
    np.random.seed(1)


def seen():
    """All state that a program may have changed."""
    return repr((CALLS, ENV.rng.bit_generator.state, ENV.std.getstate(), ENV.old.get_state(), ENV.parts["r"].bit_generator.state,
                 list(ENV.numbers), ENV.file.getvalue(), ENV.counter.n, GEN.bit_generator.state, np.random.get_state(),
                 random.getstate(), COUNT, list(NUMBERS), STREAM.getvalue(), Part.made, OfType.made, Called.calls, COUNTER.n,
                 COUNTER.log))


def mutated(x):
    y = x.copy()
    y[0] *= 2.0
    return y


EXPRESSIONS = """ENV.rng.normal() | ENV.noise() | ENV.std.random() | ENV.old.normal() | ENV.parts["r"].normal() | next(ENV.numbers)
GEN.normal() | np.random.rand() | random.random() | random.uniform(0.1, 1.0) | next(COUNT) | next(NUMBERS) | next(GENERATOR[0])
Part(1.0).v | Part(x[0]).v | OfType(1.0).v | Called.bump() | Called.static() | Told(x[0]).v | Told(2.0).v | Told2(x[0]).w
New(x[0]).v | Data(x[0]).w
cached(3) | told(1.0) | told(x[0]) | deep(1.0) | CLOSURE(1.0) | TABLE["a"](1) | LIST[0](1) | (lambda v: told(v))(1)
sum([told(i) for i in range(2)]) | sum(map(told, [1, 2])) | sorted([1.0, 2.0], key=told)[0] | max([1.0, 2.0], key=told)
np.sum(np.vectorize(told, otypes=[float])(np.ones(2))) | COUNTER.told() | COUNTER.double | Special().told() | COUNTER.hit()
(told(1) if x[0] > 0 else 1.0) | (2.0 if x[0] > 0 and told(1) > 1 else 1.0) | (told(1) or 3.0) | (2.0 if Asked(x[0]) == 1 else 1.0)
(Asked(x[0]) + 1.0) | Asked(x[0])[0] | sum(Asked(x[0])) | Asked(x[0])(3.0) | len(Text()) | len(str(Text())) | discrete(x[0])
ruled(x[0]) | [1.0, 2.0, 3.0][int(told(1))] | (1.0 if time.time() > 0 else 2.0) | ENV.rng.permutation(3)[0] | len(f"{Text()}")
np.random.default_rng().bit_generator.state["has_uint32"] | np.random.permutation(3)[0]
np.apply_along_axis(told, 0, np.ones(2))"""
STATEMENTS = """hook(1) | hook(x) | hook(x[0]) | PARTIAL() | PARTIAL_OF_A_METHOD() | METHOD(1) | CALLS.append(1) | COUNTER.n += 1
ENV.file.write("a") | STREAM.write("x") | print("x", file=STREAM) | LOG.info("a") | warnings.warn("a") | discrete(x[0])
z = ruled(x[0])
z = told(1) | z = told(x[0]) * x[0] | Told(1.0) | z = Part(1.0) | ENV.counter.hit() | assert told(1) > 1 | setattr(Part, "made", 3)
os.environ["SOURCEGRAD_TEST"] = "1" | Called.calls += 1 | z = [told(i) for i in range(3)] | COUNTER.log.append(1) | deep(x[0])
for i in range(3): hook(i) | z = {"a": told(1)} | p = Setter(x[0]); p.v = x[1] | hook(ENV) | ENV.std.seed(3) | np.random.seed(5)"""
TEXTS = [*(f"    return np.sum(mutated(x)) * {part.strip()}" for line in EXPRESSIONS.splitlines() for part in line.split(" | ")),
         *(f"    {part.strip()}\n    return np.sum(mutated(x))" for line in STATEMENTS.splitlines() for part in line.split(" | ")),
         "    with Asked(x[0]) as a:\n        z = np.sum(mutated(x)) * a.v\n    return z",
         "    try:\n        hook(1)\n        return np.sum(mutated(x))\n    except ValueError:\n        return x[0]",
         "    def inner(v):\n        CALLS.append(1)\n        return 2.0\n    return np.sum(mutated(x)) * inner(1)",
         "    n = 0\n    while told(n) > 1 and n < 2:\n        n += 1\n    return np.sum(mutated(x)) * n",
         "    def numbers():\n        for i in range(3):\n            CALLS.append(i)\n            yield i * 1.0\n"
         "    return np.sum(mutated(x)) * sum(numbers())",
         "    def again(n):\n        CALLS.append(n)\n        return 1.0 if n == 0 else again(n - 1) * 2.0\n"
         "    return np.sum(mutated(x)) * again(3)"]


class Holds:
    def __init__(self, f):
        self.f = f


def with_callback(x, f):
    f(x[0])
    return np.sum(mutated(x))


def with_result(x, f):
    return np.sum(mutated(x)) * f(1.0)


def with_object(x, o):
    o.f(1)
    return np.sum(mutated(x))


def with_dict(x, d):
    d["f"](1)
    return np.sum(mutated(x))


def with_list(x, fs):
    fs[0](1)
    return np.sum(mutated(x))


def with_method(x, o):
    return np.sum(mutated(x)) * o.told()


CALLBACKS = {
    "function": (with_callback, lambda: hook), "method of a list": (with_callback, lambda: CALLS.append),
    "result": (with_result, lambda: told), "lambda": (with_callback, lambda: lambda v: CALLS.append(v)),
    "partial": (with_callback, lambda: functools.partial(hook)), "bound": (with_result, lambda: Special().told),
    "closure": (with_result, lambda: CLOSURE), "own closure": (with_result, counting), "object": (with_result, lambda: Asked(1.0)),
    "attribute": (with_object, lambda: Holds(hook)), "attribute, method of a list": (with_object, lambda: Holds(CALLS.append)),
    "in a dict": (with_dict, lambda: {"f": hook}), "in a dict, method of a list": (with_dict, lambda: {"f": CALLS.append}),
    "in a list": (with_list, lambda: [hook]), "method": (with_method, Special), "cached": (with_result, lambda: cached),
    "discrete": (with_result, lambda: discrete), "ruled": (with_result, lambda: ruled),
    "print": (with_callback, lambda: lambda v: print("p", file=STREAM)), "generator": (with_result, lambda: lambda v: GEN.normal()),
    "of a stream": (with_callback, lambda: lambda v: STREAM.write("p"))}
reset()
