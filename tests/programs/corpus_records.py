"""Enumerations with methods, dataclasses as dicts and tuples, cached properties."""
import enum
from dataclasses import asdict, astuple, dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
V = np.array([0.3, 0.4, 0.9])


def case(function, *args, **options):
    PROGRAMS.add(function, *args, **{"oracle": False, **options})


# --- members of enumerations are constants, and their methods functions

class Method(enum.Enum):
    EULER = "euler"
    MIDPOINT = "midpoint"

    def step(self, f, y, h=0.1):
        if self is Method.EULER:
            return y + h * f(y)
        return y + h * f(y + 0.5 * h * f(y))

    @property
    def order(self):
        return {"euler": 1, "midpoint": 2}[self.value]


class Power(enum.IntEnum):
    ONE = 1
    TWO = 2


def decay(y):
    return -y ** 2


def by_its_name(x):
    return Method.EULER.step(decay, x, h=0.2).sum()


def given_as_argument(x, method):
    return method.step(decay, x, 0.1).sum() * method.order


def one_after_the_other(x):
    y = x
    for method in (Method.EULER, Method.MIDPOINT, Method("euler")):
        y = method.step(decay, y, 0.1)
    return y.sum()


def all_members(x):
    y = x
    for method in Method:
        y = method.step(np.sin, y) * method.order
    return y.sum()


def found_by_text(x, name):
    return Method[name].step(decay, x).sum()


def number_that_has_a_name(x, power):
    return (x * power).sum() if power == Power.ONE else (x ** power).sum()


case(by_its_name, V)
case(given_as_argument, V, Method.MIDPOINT)
case(given_as_argument, V, Method.EULER)
case(one_after_the_other, V)
case(all_members, V)
case(found_by_text, V, "MIDPOINT")
case(number_that_has_a_name, V, Power.ONE)
case(number_that_has_a_name, V, Power.TWO)


# --- dataclasses as dicts and tuples: of copies

@dataclass
class Rates:
    a: float
    b: float = 2.0


@dataclass
class Model:
    rates: Rates
    w: np.ndarray


def one_field(x):
    return asdict(Rates(x[0], x[1]))["a"] ** 2


def all_fields(x):
    return sum(v ** 2 for v in astuple(Rates(x[0], x[1])))


def fields_of_fields(x):
    d = asdict(Model(Rates(x[0], x[1]), x))
    (a, b), w = astuple(Model(Rates(x[2], x[1]), x * 2))
    return d["rates"]["a"] * d["w"].sum() + a * b * w.sum()


def copies_change(x):
    model = Model(Rates(x[0], x[1]), x * 2)
    d = asdict(model)
    d["w"][0] = 5.0
    d["rates"]["a"] = 7.0 * x[2]
    return model.w.sum() * d["w"].sum() * model.rates.a + d["rates"]["a"]


def fields_as_keywords(x):
    def product(a, b):
        return a * b ** 2
    return product(**asdict(Rates(x[0], b=x[1])))


for function in (one_field, all_fields, fields_of_fields, copies_change, fields_as_keywords):
    case(function, V)


# --- cached properties of what stays as it is

class Sample:
    def __init__(self, x):
        self.x = x

    @cached_property
    def square(self):
        return np.sum(self.x ** 2)

    @cached_property
    def half(self):
        return self.square * 0.5

    def total(self):
        return self.square + self.half


class Counting:
    def __init__(self, sample):
        self.sample, self.calls = sample, 0

    def run(self, x):
        self.calls += 1
        return self.sample.total() * np.sum(x) * self.calls


class Tree:
    def __init__(self, value, children):
        self.value, self.children = value, children

    @cached_property
    def total(self):
        return self.value + sum(child.total for child in self.children)


def read_twice(x):
    return Sample(x).square * Sample(x).total()


def of_two_objects(x):
    s = 0.0
    for sample in (Sample(x), Sample(2 * x)):
        s = s + sample.square * sample.total()
    return s


def in_an_object_that_changes(x):
    counting = Counting(Sample(x))
    return counting.run(x) * counting.run(x * 2)


def of_an_argument(sample, x):
    return sample.total() * np.sum(x) + sample.square


def of_a_tree(x):
    return Tree(x[0], [Tree(x[1], []), Tree(x[2], [Tree(x[0] * x[1], [])])]).total ** 2


for function in (read_twice, of_two_objects, in_an_object_that_changes, of_a_tree):
    case(function, V)
case(of_an_argument, Sample(np.array([1.0, 2.0])), V, inputs="x")


# --- annotations of names, attributes and items

class Annotated:
    n: int = 3

    def __init__(self, x):
        self.items: list[float] = []
        self.w: float
        self.d: dict = {}
        self.d["a"]: float = x[0]
        for v in x:
            self.items.append(v * 2)


def annotated(x):
    a = Annotated(x)
    y: float = a.items[0]
    z: list[float]
    z = [y]
    a.items[1]: float = y
    pairs: dict[str, float] = {}
    pairs["a"] = z[0]
    return a.items[0] * a.items[1] ** 2 * a.d["a"] * a.n + pairs["a"]


case(annotated, V)


# --- records made of all that a sequence or dict holds

class Triple(NamedTuple):
    a: float
    b: float
    c: float


@dataclass
class Orbit:
    a: float
    e: float
    w: float

    def radius(self, t):
        return self.a * (1 - self.e ** 2) / (1 + self.e * np.cos(t - self.w))


def dataclass_of_an_array(x):
    times = np.linspace(0.0, 1.0, 5)
    return np.sum(Orbit(*x).radius(times)) + np.sum(Orbit(x[0], *x[1:]).radius(times) ** 2)


case(dataclass_of_an_array, V)


def dataclass_of_a_dict(x):
    values = {name: v for name, v in zip(("a", "e", "w"), x)}
    return Orbit(**values).radius(0.3)


case(dataclass_of_a_dict, V)


def namedtuples_of_arrays_and_back(x):
    p, q = Triple(*x), Triple._make([x[0], x[1] * 2, x[2]])
    entries = q._asdict()
    entries["a"] = entries["a"] * 3
    return p.a * p.b ** 2 + sum(v ** 2 * k for k, v in enumerate(entries.values())) + q.a * entries["b"]


case(namedtuples_of_arrays_and_back, V)
