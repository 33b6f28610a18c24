"""Classes: attributes, methods, inheritance, properties, operator methods, dataclasses, namedtuples."""
from __future__ import annotations

import copy
import types
from abc import ABC, abstractmethod
from collections import namedtuple
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from tests.language.case import Cases

CASES = Cases()
case = CASES.add

V = np.array([0.4, -0.9, 1.3])


class Spring:
    """Also loads and stores of attributes, and calls of its own methods."""

    default_damping = 0.1

    def __init__(self, stiffness, length=1.0):
        self.stiffness = stiffness
        self.length = length
        self.count = 0
        self.forces = np.zeros(3)

    def stretch(self, x):
        return x - self.length

    def energy(self, x):
        self.count += 1
        return 0.5 * self.stiffness * self.stretch(x) ** 2

    def record(self, k, x):
        self.forces[k] = -self.stiffness * self.stretch(x)
        self.forces[k] *= 1.0 + self.default_damping

    def soften(self, factor):
        self.stiffness *= factor
        self.length = self.length + 0.1 * factor
        return self


def uses_spring(stiffness, x):
    spring = Spring(stiffness, length=0.4)
    spring.record(0, x)
    spring.record(2, x * stiffness)
    return spring.energy(x) + spring.soften(x).energy(1.5) + np.sum(spring.forces ** 2) + spring.count


case(("class def", "method def", "self.attr load", "self.attr store", "self.method() call", "self.attr[...] store",
      "self.attr[...] augstore", "augassign attribute"), uses_spring, 2.0, 0.7, inputs=("stiffness", "x"))


def given_spring(spring, x):
    return spring.energy(x) * spring.stiffness


case("method def", given_spring, Spring(2.0), 0.7, inputs="x")
case("self.attr load", given_spring, Spring(2.0), 0.7, inputs=("spring.stiffness", "x"))
case("inputs that are objects", given_spring, Spring(2.0), 0.7, inputs="spring")
case("inputs that are paths", Spring.energy, Spring(2.0), 0.7, inputs="self.length")


class Body:
    def __init__(self, mass):
        self.mass = mass
        self.position = np.zeros(2)
        self.spring = Spring(mass)


def attribute_stores(x, mass):
    body = Body(mass)
    body.position = np.array([x, mass])
    body.speed = x * mass
    body.spring.stiffness = body.speed ** 2
    body.speed += body.spring.stiffness
    body.position[0] += body.speed
    return np.sum(body.position ** 2) * body.speed


case(("attribute store on object", "augassign attribute"), attribute_stores, 0.7, 1.3, inputs=("x", "mass"))


def changes_an_argument(body, x):
    body.mass *= x
    body.position[1] = body.mass ** 2
    return body.mass * body.position[1]


case("attribute store on object", changes_an_argument, Body(1.3), 0.7, inputs=("body.mass", "x"))


class Pendulum:
    def __init__(self, length):
        self.spring = Spring(length)
        self.parts = [self.spring, Spring(2.0 * length)]

    def energy(self, x):
        return self.spring.energy(x) + sum(part.energy(x) for part in self.parts)


def object_of_objects(length, x):
    return Pendulum(length).energy(x)


case("self.obj.method() call", object_of_objects, 0.8, 0.3, inputs=("length", "x"))


class Shape:
    sides = 0

    def __init__(self, size):
        self.size = size

    def area(self):
        raise NotImplementedError

    def perimeter(self):
        return self.sides * self.size

    def summary(self):
        return self.area() / self.perimeter()


class Square(Shape):
    sides = 4

    def area(self):
        return self.size ** 2


class Rectangle(Square):
    def __init__(self, size, ratio):
        super().__init__(size)
        self.ratio = ratio

    def area(self):
        return super().area() * self.ratio

    def perimeter(self):
        return 0.5 * super().perimeter() * (1 + self.ratio)


def inherits(size, ratio):
    shapes = [Square(size), Rectangle(size, ratio)]
    return sum(shape.summary() for shape in shapes) ** 2


case(("class inheritance", "super().method()", "builtin super()"), inherits, 0.7, 1.6, inputs=("size", "ratio"))


class Solver(ABC):
    @abstractmethod
    def step(self, x):
        """One step."""

    def run(self, x, n=3):
        for _ in range(n):
            x = self.step(x)
        return x


class Newton(Solver):
    def __init__(self, target):
        self.target = target

    def step(self, x):
        return x - (x * x - self.target) / (2 * x)


def abstract(x, target):
    return Newton(target).run(x) * x


case("decorator @abstractmethod", abstract, 1.0, 2.0, inputs=("x", "target"))


class Temperature:
    def __init__(self, kelvin):
        self._kelvin = kelvin

    @property
    def celsius(self):
        return self._kelvin - 273.15

    @celsius.setter
    def celsius(self, value):
        if value < -273.15:
            raise ValueError("below absolute zero")
        self._kelvin = value + 273.15

    @staticmethod
    def to_fahrenheit(celsius):
        return 1.8 * celsius + 32.0

    @classmethod
    def from_celsius(cls, value):
        result = cls(0.0)
        result.celsius = value
        return result

    def __repr__(self):
        return f"Temperature({self._kelvin:.2f})"


def properties(x):
    t = Temperature(x)
    before = t.celsius
    t.celsius = 0.5 * before ** 2
    t.celsius += 1.0
    return t.celsius * before + t._kelvin


case(("decorator @property", "decorator @setter"), properties, 275.0)


def static_methods(x):
    return Temperature.to_fahrenheit(x) * Temperature(x).to_fahrenheit(x ** 2)


case("decorator @staticmethod", static_methods, 0.7)


def class_methods(x):
    return Temperature.from_celsius(x).celsius ** 2


case("decorator @classmethod", class_methods, 0.7)


class Vec:
    """The operator methods."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return self + (-other)

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __mul__(self, other):
        if isinstance(other, Vec):
            return self.x * other.x + self.y * other.y
        return Vec(self.x * other, self.y * other)

    __rmul__ = __mul__

    def __truediv__(self, factor):
        return Vec(self.x / factor, self.y / factor)

    def __pow__(self, n):
        return Vec(self.x ** n, self.y ** n)

    def __matmul__(self, other):
        return self.x * other.y - self.y * other.x

    def __abs__(self):
        return (self * self) ** 0.5

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def __getitem__(self, k):
        return self.y if k else self.x

    def __setitem__(self, k, value):
        if k == 0:
            self.x = value
        else:
            self.y = value

    def __len__(self):
        return 2

    def __iter__(self):
        return iter((self.x, self.y))

    def __call__(self, t):
        return self.x + self.y * t

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __lt__(self, other):
        return abs(self) < abs(other)

    def __bool__(self):
        return self.x != 0 or self.y != 0

    def __contains__(self, value):
        return value == self.x or value == self.y

    def __float__(self):
        return float(self.x)

    def __hash__(self):
        return 7


def vector_sums(x, y):
    a, b = Vec(x, y), Vec(y, 1.0)
    return abs(a + b) * abs(a - 2.0 * b)


case(("dunder __add__", "dunder __sub__", "dunder __mul__"), vector_sums, 0.7, 1.3, inputs=("x", "y"))


def vector_ratios(x, y):
    a = Vec(x, y) / y
    return (a ** 2) * a + a @ Vec(x, x)


case(("dunder __truediv__", "dunder other"), vector_ratios, 0.7, 1.3, inputs=("x", "y"))


def vector_items(x, y):
    a = Vec(x, y)
    a[0] = a[1] ** 2
    a[1] *= x
    total = 0.0
    for k in range(len(a)):
        total += a[k] ** (k + 2)
    return total


case(("dunder __getitem__", "dunder __setitem__", "dunder __len__"), vector_items, 0.7, 1.3, inputs=("x", "y"))


def vector_iteration(x, y):
    a = Vec(x, y)
    p, q = a
    return sum(c ** 2 for c in a) * p + a(q)


case(("dunder __iter__", "dunder __call__"), vector_iteration, 0.7, 1.3, inputs=("x", "y"))


def vector_comparisons(x, y):
    a, b = Vec(x, y), Vec(y, x * y)
    a += b
    if a and b < a and a != b and x not in b:
        return a.x * b.y
    return min(a, b).y


case("dunder other", vector_comparisons, 0.7, 1.3, inputs=("x", "y"))


class Options:
    """Attributes by name only."""

    def __init__(self, **values):
        self.__dict__["values"] = values

    def __getattr__(self, name):
        try:
            return self.__dict__["values"][name]
        except KeyError:
            raise AttributeError(name) from None


def attribute_protocol(x):
    options = Options(scale=x, shift=x ** 2)
    return options.scale * options.shift


case("dunder __getattr__", attribute_protocol, 0.7)


@dataclass
class Point:
    x: float
    y: float = 1.0
    tags: list = field(default_factory=list)

    def __post_init__(self):
        self.norm = np.hypot(self.x, self.y)

    def moved(self, dx):
        return replace(self, x=self.x + dx)


def data_class(x, y):
    p = Point(x, y=y)
    q = p.moved(p.norm)
    q.tags.append(p.x)
    return q.norm * q.tags[0]


case(("decorator @dataclass", "decorator @other(class)"), data_class, 0.7, 1.3, inputs=("x", "y"))


@dataclass(frozen=True, order=True)
class Interval:
    low: float
    high: float

    @property
    def width(self):
        return self.high - self.low


def frozen(x, y):
    a, b = Interval(x, y), Interval(0.1 * x, 2.0)
    return a.width * b.width if b < a else a.width


case("decorator @dataclass", frozen, 0.7, 1.3, inputs=("x", "y"))


def data_class_input(interval, x):
    return interval.width ** 2 * x


case("inputs that are dataclasses", data_class_input, Interval(0.2, 1.1), 0.7, inputs=("interval", "x"))

Pose = namedtuple("Pose", ["x", "y", "yaw"])


class Sample(NamedTuple):
    value: float
    weight: float = 1.0

    def weighted(self):
        return self.value * self.weight


def named_tuple(x, yaw):
    pose = Pose(x, 2.0 * x, yaw=yaw)
    turned = pose._replace(yaw=pose.yaw + 0.1)
    a, b, c = turned
    return a * np.cos(c) + turned.y * np.sin(pose[2]) + Sample(x).weighted() * Sample(b, yaw).weighted()


case("builtin namedtuple()", named_tuple, 0.7, 0.3, inputs=("x", "yaw"))


def named_tuple_input(pose):
    return pose.x * np.cos(pose.yaw) + pose.y ** 2


case("inputs that are namedtuples", named_tuple_input, Pose(0.7, -0.4, 0.3))


def named_attributes(x):
    body = Body(x)
    setattr(body, "mass", x ** 2)  # noqa: B010
    setattr(body, "speed", x)  # noqa: B010
    setattr(body, "charge", 2.0 * x)  # noqa: B010
    return getattr(body, "mass") * getattr(body, "missing", 2.0) + body.charge * getattr(body, "speed")  # noqa: B009


case(("builtin setattr()", "builtin getattr()"), named_attributes, 0.7)


def computed_names(x):
    body = Body(x)
    for k, name in enumerate(("speed", "charge")):
        setattr(body, name, (k + 1) * x)
    return body.charge * body.speed


case("builtin setattr()", computed_names, 0.7)


def name_made_of_text(x):
    body = Body(x)
    for k in range(2):
        setattr(body, "part" + str(k), (k + 1) * x)
    return body.part1


case("builtin setattr()", name_made_of_text, 0.7, refused="Use a constant name, or keep the values in a dict")


def attribute_by_string(x, name):
    spring = Spring(x)
    method = getattr(spring, name)
    return method(x) + getattr(np, "sin")(x)  # noqa: B009


case("builtin getattr()", attribute_by_string, 0.7, "energy")


def has_attributes(x):
    shape = Square(x)
    total = 1.0
    if hasattr(shape, "size"):
        total += shape.size ** 2
    if not hasattr(shape, "radius"):
        shape.radius = x
    return total * shape.radius


case("builtin hasattr()", has_attributes, 0.7)


def instances(x):
    total = 0.0
    for thing in [x, Square(x), [x, 2.0 * x], None, "text"]:
        if isinstance(thing, (list, tuple)):
            total += thing[0] * thing[1]
        elif isinstance(thing, Shape):
            total += thing.area()
        elif thing is not None and not isinstance(thing, str):
            total *= thing + 2.0
    return total


case("builtin isinstance()", instances, 0.7)


def types_of(x, shape):
    if type(x) is float and type(shape) == Square:  # noqa: E721
        return x * type(shape)(x).area() * len(type(shape).__name__)
    return x


case("builtin type()", types_of, 0.7, Square(1.0), inputs="x")


def variables(x):
    p = Sum(x, x ** 2)
    total = 0.0
    for name, value in vars(p).items():
        total += value ** 2 * len(name)
    return total * p.__dict__["second"]


class Sum:
    def __init__(self, first, second):
        self.first = first
        self.second = second


case("builtin vars()", variables, 0.7, refused="what runs must be visible in the source")


def identities(x):
    a = Square(x)
    b = a
    seen = {id(a): "first"}
    if id(b) in seen and id(Square(x)) is not None:
        return a.area() * x
    return x


case("builtin id()", identities, 0.7)


def copies(x, v):
    a = Body(x)
    a.position = v ** 2
    b = copy.deepcopy(a)
    c = copy.copy(a)
    b.position[0] = 0.5
    c.mass *= 2.0
    b.spring.stiffness *= x
    return a.mass * np.sum(a.position * b.position) + c.mass * b.spring.stiffness * a.spring.stiffness


case("builtin deepcopy()", copies, 0.7, np.array([0.5, 1.4]), inputs=("x", "v"))


def deep_copy_of_dict(parameters):
    work = copy.deepcopy(parameters)
    work["w"][0] = work["b"] * 2.0
    work["b"] **= 2
    return np.sum(work["w"] * parameters["w"]) * work["b"]


case("builtin deepcopy()", deep_copy_of_dict, {"w": V, "b": 0.6})


def two_names(x):
    a = Spring(x)
    b = a
    parts = [a, b, Spring(2.0)]
    b.stiffness = x ** 2
    for part in parts:
        part.length *= x
    return a.energy(0.3) + parts[1].energy(1.5) * parts[2].length


case("the same object by two names", two_names, 0.7)


def two_arguments(first, second, x):
    first.stiffness = x * second.stiffness
    return first.energy(x) * second.stiffness


SHARED = Spring(1.7)
case("the same object by two names", two_arguments, SHARED, SHARED, 0.7, inputs="x")


def simple_namespace(x):
    state = types.SimpleNamespace(x=x, y=x ** 2)
    state.z = state.x * state.y
    state.x += state.z
    return state.x * state.z


case("attribute store on object", simple_namespace, 0.7)


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def squared(self):
        self.value **= 2
        return self.value


def slots(x):
    return Slotted(x).squared() * x


case("__slots__", slots, 0.7)


class Tree:
    """Refers to itself in a circle."""

    def __init__(self, value, parent=None):
        self.value = value
        self.parent = parent
        self.children = []
        if parent is not None:
            parent.children.append(self)

    def total(self):
        return self.value + sum(child.total() * self.value for child in self.children)


def circular(x):
    root = Tree(x)
    left, right = Tree(x ** 2, root), Tree(0.5, root)
    Tree(2.0 * x, left)
    left.parent.value *= x
    return root.total() * right.parent.value


case("objects that refer to each other", circular, 0.7)


class Counter:
    instances = 0
    registry = {}

    def __init__(self, x):
        type(self).instances += 1
        self.x = x


def class_attribute_store(x):
    counter = Counter(x)
    return counter.x ** 2


case("stores into class attributes", class_attribute_store, 0.7)
