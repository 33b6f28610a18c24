"""Objects: attributes, methods, properties, inheritance, operators, construction, changes, dataclasses, namedtuples."""
import abc
import dataclasses
import enum
import functools
import math
from collections import namedtuple
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

V = np.array([0.3, -0.8, 1.1])
M = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7], [0.1, 0.8, 0.6]])


class Layer:
    gain = 2.0

    def __init__(self, w, b):
        self.w = w
        self.b = b
        self.act = np.tanh

    def __call__(self, x):
        return self.act(self.w @ x + self.b) * self.gain

    def linear(self, x):
        return self.w @ x + self.b

    @property
    def norm(self):
        return np.sum(self.w ** 2)

    @classmethod
    def identity(cls, scale):
        return cls(scale * np.eye(3), np.zeros(3))

    @staticmethod
    def squash(x):
        return x / (1.0 + x * x)


class Net:
    def __init__(self, layers, reg=0.1):
        self.layers = layers
        self.reg = reg

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def loss(self, x):
        return np.sum(self.forward(x) ** 2) + self.reg * sum([layer.norm for layer in self.layers])


def make_net():
    return Net([Layer(M, V), Layer(M.T * 0.5, V * 0.3)])


def attribute_reads(x, layer):
    return np.sum(layer.w * x) * layer.b[0] + layer.w[0, 1] * x[1]


case(attribute_reads, V, Layer(M, V), inputs="x")
PROGRAMS.add(attribute_reads, V, Layer(M, V), inputs=("x", "layer"))


def called_object(x, layer):
    return np.sum(layer(x) * layer.linear(x))


case(called_object, V, Layer(M, V), inputs=("x", "layer"), order=3)


def property_and_static(x, layer):
    return layer.norm * np.sum(layer.squash(x)) + Layer.squash(x[0]) * layer.gain


case(property_and_static, V, Layer(M, V), inputs=("x", "layer"))


def nested_attributes(x, net):
    total = 0.0
    for layer in net.layers:
        total = total + np.sum(layer.w @ x) * net.reg
    return total + net.layers[0].b[1] * net.layers[-1].w[2, 0] * x[0]


case(nested_attributes, V, make_net(), inputs=("x", "net"))


def network_loss(x, net):
    return net.loss(x)


case(network_loss, V, make_net(), inputs="x", order=3)
PROGRAMS.add(network_loss, V, make_net(), inputs="net")


def class_method(x):
    layer = Layer.identity(x)
    return np.sum(layer(V) * x) + layer.norm


case(class_method, 0.7)


def made_inside(x):
    layer = Layer(x * np.eye(3), x * V)
    return np.sum(layer(V)) * layer.norm + layer.b[0]


case(made_inside, 0.7, order=3)


class Base(abc.ABC):
    def __init__(self, rate):
        self.rate = rate
        self.calls = 0

    @abc.abstractmethod
    def shape(self, x):
        ...

    def value(self, x):
        self.calls += 1
        return self.rate * self.shape(x) + self.offset()

    def offset(self):
        return 0.25


class Sine(Base):
    def __init__(self, rate, phase=0.5):
        super().__init__(rate)
        self.phase = phase

    def shape(self, x):
        return math.sin(x + self.phase)

    def offset(self):
        return super().offset() * self.phase


class Square(Base):
    def shape(self, x):
        return x * x


def inheritance(x):
    a, b = Sine(x, phase=x * x), Square(2.0 * x)
    return a.value(x) * b.value(x) + a.value(b.rate) * a.calls


case(inheritance, 0.7, order=3)


def inherited_argument(x, model):
    return model.value(x) * model.rate


case(inherited_argument, 0.7, Sine(1.3), inputs=("x", "model"))
PROGRAMS.add(inherited_argument, 0.7, Square(1.3), inputs=("x", "model"))


class Vec:
    __array_ufunc__ = None

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        if isinstance(other, Vec):
            return Vec(self.x + other.x, self.y + other.y)
        return Vec(self.x + other, self.y + other)

    __radd__ = __add__

    def __sub__(self, other):
        return Vec(self.x - other.x, self.y - other.y)

    def __mul__(self, scale):
        return Vec(self.x * scale, self.y * scale)

    def __rmul__(self, scale):
        return self * scale

    def __truediv__(self, scale):
        return Vec(self.x / scale, self.y / scale)

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __abs__(self):
        return math.sqrt(self @ self)

    def __getitem__(self, k):
        return self.x if k == 0 else self.y

    def __len__(self):
        return 2

    def __lt__(self, other):
        return abs(self) < abs(other)


def operators(x, y):
    a, b = Vec(x, y), Vec(y, 2.0)
    c = 2.0 * a + b * x - (-a) / y
    if a < c:
        c = c + 1.0
    c += b
    return c @ a + abs(c) * c[1] + len(c) * b[0]


case(operators, 0.7, 1.3, inputs=("x", "y"), order=3)


def reflected(x):
    a = 1.5 + Vec(x, x * x)
    return a.x * a.y


case(reflected, 0.7)


class Counter:
    def __init__(self):
        self.total = 0.0
        self.history = None

    def add(self, x):
        self.total += x * x
        self.history = self.total
        return self

    @property
    def double(self):
        return 2.0 * self.total

    @double.setter
    def double(self, value):
        self.total = 0.5 * value


def changing(x):
    counter = Counter()
    for i in range(3):
        counter.add(x * (i + 1))
    return counter.total * counter.history + x


case(changing, 0.7, order=3)


def chained(x):
    return Counter().add(x).add(x * x).total


case(chained, 0.7)


def setter(x):
    counter = Counter()
    counter.double = x * x
    counter.double += x
    return counter.total * x


case(setter, 0.7)


def argument_changed(x, layer):
    layer.w = layer.w * x[0]
    layer.b[1] = x[1] * x[2]
    layer.b += x
    return np.sum(layer(x))


case(argument_changed, V, Layer(M.copy(), V.copy()), inputs="x")


class Stepper:
    def __init__(self, position, velocity, rate):
        self.position = position
        self.velocity = velocity
        self.rate = rate
        self.steps = 0

    def force(self):
        return -self.rate * np.sin(self.position)

    def step(self, dt):
        self.velocity = self.velocity + dt * self.force()
        self.position = self.position + dt * self.velocity
        self.steps += 1


def simulate(x, rate):
    body = Stepper(x, np.zeros(3), rate)
    for _ in range(5):
        body.step(0.1)
    return np.sum(body.position ** 2) + body.steps


case(simulate, V, 1.3, inputs=("x", "rate"), order=3)


def simulate_given(body, n):
    for _ in range(n):
        body.step(0.1)
    return np.sum(body.position ** 2)


case(simulate_given, Stepper(V, V * 0.5, 1.3), 4, inputs="body")


def shared_name(x):
    a = Counter()
    b = a
    b.add(x)
    a.total = a.total * x
    return b.total * a.total


case(shared_name, 0.7)


class Holder:
    def __init__(self, inner):
        self.inner = inner


def object_in_object(x):
    inner = Counter()
    holder = Holder(inner)
    holder.inner.add(x)
    inner.add(x * x)
    return holder.inner.total * inner.total


case(object_in_object, 0.7)


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.5
    label: str = "p"

    def norm(self):
        return math.hypot(self.x, self.y)


@dataclasses.dataclass(frozen=True)
class Pose:
    at: Point
    angle: float
    trail: list = dataclasses.field(default_factory=list)

    @property
    def cosine(self):
        return math.cos(self.angle)


@dataclasses.dataclass
class Checked:
    a: float
    b: float = 2.0

    def __post_init__(self):
        if self.b <= 0:
            raise ValueError("b")
        self.c = self.a * self.b


def dataclass_made(x):
    point = Point(x, y=x * x)
    other = Point(point.y)
    return point.norm() * other.norm() + point.x * other.y


case(dataclass_made, 0.7, order=3)


def dataclass_nested(x):
    pose = Pose(Point(x, x * x), angle=x)
    moved = dataclasses.replace(pose, angle=pose.angle * 2.0)
    return pose.cosine * moved.cosine * moved.at.norm() + len(pose.trail)


case(dataclass_nested, 0.7)


def dataclass_input(point):
    return point.x * point.y + point.norm()


case(dataclass_input, Point(1.0, 2.0), oracle=False)


def dataclass_checked(x):
    checked = Checked(x, x * 2.0)
    return checked.c * checked.a


case(dataclass_checked, 0.7)

Pair = namedtuple("Pair", "left right")


class Triple(NamedTuple):
    a: float
    b: float
    c: float = 1.5

    def volume(self):
        return self.a * self.b * self.c


def namedtuple_made(x):
    pair = Pair(x, right=x * x)
    left, right = pair
    swapped = pair._replace(left=pair.right)
    return pair.left * pair[1] + left * right * swapped.left


case(namedtuple_made, 0.7, order=3)


def namedtuple_methods(x):
    triple = Triple(x, x * x)
    return triple.volume() + Triple(1.0, x, c=x).volume()


case(namedtuple_methods, 0.7)


def namedtuple_input(pair):
    return pair.left * np.sum(pair.right)


case(namedtuple_input, Pair(0.7, V), oracle=False)


def namespace(x):
    space = SimpleNamespace(a=x, b=x * x)
    space.c = space.a * space.b
    return space.c + space.a


case(namespace, 0.7)


class Mode(enum.Enum):
    PLAIN = "plain"
    SQUARE = "square"


class Switch:
    LIMIT = 3
    TABLE = (0.5, 1.5)

    def __init__(self, mode):
        self.mode = mode

    def run(self, x):
        if self.mode is Mode.SQUARE:
            x = x * x
        elif self.mode == Mode.PLAIN:
            x = x * self.TABLE[1]
        return x * self.LIMIT


def enums(x, switch):
    return switch.run(x) + (x if switch.mode.name == "PLAIN" else 2.0 * x)


case(enums, 0.7, Switch(Mode.SQUARE), inputs="x")
PROGRAMS.add(enums, 0.7, Switch(Mode.PLAIN), inputs="x")


class Slotted:
    __slots__ = ("scale", "__hidden")

    def __init__(self, scale):
        self.scale = scale
        self.__hidden = 2.0

    def run(self, x):
        return self.scale * x * self.__hidden


def slots(x):
    return Slotted(x).run(x * x)


case(slots, 0.7, oracle=False)


class Lazy:
    def __init__(self, w):
        self.w = w

    @functools.cached_property
    def total(self):
        return np.sum(self.w ** 2)


def cached(x):
    lazy = Lazy(x)
    return lazy.total * lazy.total + lazy.w[0]


case(cached, V)


def reflection(x, layer):
    total = 0.0
    if hasattr(layer, "w") and not hasattr(layer, "missing"):
        total = total + np.sum(layer.w @ x)
    if callable(layer) and isinstance(layer, Layer) and type(layer) is Layer:
        total = total * getattr(layer, "scale", 3.0)
    layer.b = x * x
    return total + np.sum(layer.b)


case(reflection, V, Layer(M.copy(), V.copy()), inputs="x")


class EmptySlot:
    """Cannot be called, and leaves one of its slots empty."""

    __slots__ = ("weight", "empty")

    def __init__(self, weight):
        self.weight = weight


def what_only_classes_have(x, layer):
    total, unit = 0.0, EmptySlot(1.3)
    for item in (unit, layer):
        total = total + (np.sum(x * x) if callable(item) else 3.0 * np.sum(x))
        if hasattr(item, "__name__") or hasattr(item, "mro"):
            total = total * 7.0
        if hasattr(item, "empty"):
            total = total * 11.0
        if getattr(item, "__qualname__", None) is None:
            total = total + np.sin(x[0])
    return total * unit.weight


case(what_only_classes_have, V, Layer(M.copy(), V.copy()), inputs="x")


def solve(f, y, n):
    for _ in range(n):
        y = y + 0.1 * f(y)
    return y


class Decay:
    def __init__(self, rate):
        self.rate = rate

    def rhs(self, y):
        return -self.rate * y * y

    def run(self, y):
        return solve(self.rhs, y, 3) + solve(lambda z: self.rate * z, y, 2)


def bound_method_passed(y, decay):
    return decay.run(y)


case(bound_method_passed, 0.7, Decay(1.3), inputs=("y", "decay"))


class Stack:
    def __init__(self, layers):
        self.layers = layers

    def __iter__(self):
        return iter(self.layers)

    def __len__(self):
        return len(self.layers)

    def __getitem__(self, k):
        return self.layers[k]


def iterated(x, stack):
    for layer in stack:
        x = layer.linear(x)
    return np.sum(x) * len(stack) + stack[0].norm


case(iterated, V, Stack([Layer(M, V), Layer(M.T, V)]), inputs=("x", "stack"))


class Chooser:
    def __init__(self, kind):
        self.kind = kind
        self.state = None

    def run(self, x):
        if self.state is None:
            self.state = x * 2.0
        else:
            self.state = self.state * x
        return self.state


def optional_state(x):
    chooser = Chooser("a")
    first = chooser.run(x)
    return first * chooser.run(x) + chooser.run(2.0)


case(optional_state, 0.7)

GLOBAL = Layer(M, V)


def global_object(x):
    return np.sum(GLOBAL(x) * GLOBAL.gain) + GLOBAL.norm


case(global_object, V)
