"""Less common uses of classes: iterator protocol, mixins, delegation, methods kept as values, enums, objects in globals."""
import enum
import functools
import sys
from collections import UserDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, fields

import numpy as np

from tests.language.case import Cases

CASES = Cases()
case = CASES.add

V = np.array([0.4, -0.9, 1.3])


class Countdown:
    """An iterator of its own, with __next__."""

    def __init__(self, x, n):
        self.x, self.n = x, n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        self.x = self.x * 0.9
        return self.x


def iterator_class(x):
    total = 0.0
    for value in Countdown(x, 3):
        total = total * value + value ** 2
    return total + sum(Countdown(2.0, 2)) * next(Countdown(x, 1))


case("__next__", iterator_class, 0.7, refused="Loop over the list that the object holds")


class Collection:
    """__iter__ as a generator."""

    def __init__(self, *items):
        self.items = items

    def __iter__(self):
        for item in self.items:
            yield item ** 2

    def __reversed__(self):
        return iter(self.items[::-1])

    def __contains__(self, item):
        return item in self.items


def generator_iter(x):
    collection = Collection(x, 2.0 * x, 3.0)
    first, *rest = collection
    if 3.0 in collection:
        first *= x
    return first * sum(rest) + sum(k * v for k, v in enumerate(reversed(collection)))


case("__reversed__", generator_iter, 0.7, refused="Loop over the list that the object holds")


class Squares:
    def __init__(self, *items):
        self.items = items

    def __iter__(self):
        for item in self.items:
            yield item ** 2

    def __contains__(self, item):
        return item in self.items


def generator_iteration(x):
    squares = Squares(x, 2.0 * x, 3.0)
    first, *rest = squares
    if 3.0 in squares:
        first *= x
    return first * sum(rest) + sum(k * v for k, v in enumerate(squares)) + max(Squares(x, 2.0))


case("__iter__ that yields", generator_iteration, 0.7)


class Named:
    def describe(self):
        return f"{type(self).__name__}({self.value:.2f})"


class Scaled:
    scale = 2.0

    def value_of(self, x):
        return self.scale * x


class Shifted:
    def __init__(self, shift=0.5, **kwargs):
        super().__init__(**kwargs)
        self.shift = shift

    def value_of(self, x):
        return super().value_of(x) + self.shift


class Sensor(Shifted, Scaled, Named):
    def __init__(self, value, **kwargs):
        super().__init__(**kwargs)
        self.value = value

    def read(self):
        return self.value_of(self.value) * len(self.describe())


def mixins(x, shift):
    return Sensor(x, shift=shift).read() * Sensor(shift).read() * (len(Sensor.__mro__) == 5)


case("multiple inheritance", mixins, 0.7, 0.3, inputs=("x", "shift"))


class Proxy:
    def __init__(self, target):
        self._target = target

    def __getattr__(self, name):
        return getattr(self._target, name)


def delegates(x):
    proxy = Proxy(Sensor(x))
    return proxy.value * proxy.value_of(x)


case("dunder __getattr__", delegates, 0.7)


class Watched:
    """Stores are intercepted."""

    def __init__(self, x):
        self.changes = 0
        self.x = x

    def __setattr__(self, name, value):
        if name != "changes":
            object.__setattr__(self, "changes", self.changes + 1)
        object.__setattr__(self, name, value)


def intercepted_store(x):
    w = Watched(x)
    w.x = w.x ** 2
    w.x *= x
    return w.x * w.changes


case("dunder __setattr__", intercepted_store, 0.7)


class Machine:
    """Methods kept in a dict, as state machines do."""

    def __init__(self, x):
        self.x = x
        self.state = "start"
        self.handlers = {"start": self.begin, "run": self.run, "stop": None}

    def begin(self):
        self.x = self.x + 1.0
        return "run"

    def run(self):
        self.x *= self.x
        return "stop" if self.x > 5 else "run"

    def execute(self):
        steps = 0
        while (handler := self.handlers[self.state]) is not None:
            self.state = handler()
            steps += 1
        return self.x * steps


def state_machine(x):
    return Machine(x).execute()


case("methods in a dict", state_machine, 0.7, refused="pass the function as an argument")


class Node:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right

    def insert(self, value):
        side = "left" if value < self.value else "right"
        child = getattr(self, side)
        if child is None:
            setattr(self, side, Node(value))
        else:
            child.insert(value)

    def visit(self, action, depth=0):
        for child in (self.left, self.right):
            if child is not None:
                child.visit(action, depth + 1)
        action(self.value, depth)


def binary_tree(v):
    root = Node(v[0])
    for x in v[1:]:
        root.insert(x)
    found = []
    root.visit(lambda value, depth: found.append(value ** 2 * (depth + 1)))
    return sum(found) * root.left.value


case("trees of objects", binary_tree, np.array([0.5, -0.2, 0.9, 0.1, 1.4]),
     refused="Use a constant name, or keep the values in a dict")


class Method(enum.Enum):
    LINEAR = "linear"
    CUBIC = "cubic"

    @property
    def power(self):
        return {Method.LINEAR: 1, Method.CUBIC: 3}[self]


def enums(x, method):
    if method is Method.CUBIC or method == "cubic":
        x = x * 2.0
    return x ** method.power * len(Method[method.name].value) + Method("linear").power


case("enum", enums, 0.7, Method.CUBIC)


@dataclass
class Base:
    a: float
    b: float = 2.0

    @classmethod
    def keys(cls):
        return [f.name for f in fields(cls)]


@dataclass
class Derived(Base):
    c: np.ndarray = field(default_factory=lambda: np.ones(2), repr=False)


def data_class_tools(x):
    d = Derived(x, c=np.array([x, 1.0]))
    values = asdict(d)
    total = astuple(Base(x))[0] * values["a"] + np.sum(values["c"])
    for name in d.keys():
        total += np.sum(getattr(d, name)) ** 2
    return total


case("decorator @dataclass", data_class_tools, 0.7, refused="Use a constant name, or keep the values in a dict")


def derived_input(model):
    return model.a ** 2 * np.sum(model.c ** 2) + model.b


case("inputs that are dataclasses", derived_input, Derived(0.7, 1.2, V))


@functools.total_ordering
class Version:
    def __init__(self, cost):
        self.cost = cost

    def __eq__(self, other):
        return self.cost == other.cost

    def __lt__(self, other):
        return self.cost < other.cost

    __hash__ = None


def ordered_objects(v):
    versions = [Version(x ** 2) for x in v]
    best, worst = min(versions), max(versions)
    if worst >= best:
        versions.sort()
    return best.cost * 2.0 + worst.cost * sorted(versions, key=lambda s: -s.cost)[1].cost


case("functools.total_ordering", ordered_objects, V)


class Parameters(UserDict):
    def __getitem__(self, key):
        return super().__getitem__(key.lower())


class Grid(Sequence):
    def __init__(self, values):
        self._values = values

    def __len__(self):
        return len(self._values)

    def __getitem__(self, k):
        return self._values[k] * 2.0


class Frozen(Mapping):
    def __init__(self, **values):
        self._values = values

    def __getitem__(self, key):
        return self._values[key]

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)


def abstract_collections(x):
    p = Parameters({"a": x, "b": x ** 2})
    grid = Grid([x, 1.0, x ** 3])
    frozen = Frozen(u=x, v=2.0)
    total = p["A"] * p["b"] + sum(grid) * len(grid) + frozen.get("w", x)
    for key, value in frozen.items():
        total *= value + len(key)
    return total


case("collections.abc and UserDict", abstract_collections, 0.7,
     refused="define it there" if sys.version_info >= (3, 11) else "Give the array a name first")


class Lazy:
    def __init__(self, x):
        self.x = x
        self._cache = None
        self.evaluations = 0

    @property
    def value(self):
        if self._cache is None:
            self.evaluations += 1
            self._cache = np.exp(self.x)
        return self._cache

    def invalidate(self, x):
        self.x = x
        self._cache = None


def lazy_cache(x):
    lazy = Lazy(x)
    total = lazy.value * lazy.value
    lazy.invalidate(x ** 2)
    return total + lazy.value * lazy.evaluations


case("caches in attributes", lazy_cache, 0.7)


class Descriptor:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return getattr(instance, self.name) * 2.0

    def __set__(self, instance, value):
        setattr(instance, self.name, value)


class Described:
    size = Descriptor()

    def __init__(self, size):
        self.size = size


def descriptors(x):
    d = Described(x)
    d.size = d.size ** 2
    return d.size * x


case("descriptors", descriptors, 0.7)


CONFIG = {"scale": 2.0, "table": np.array([1.0, 3.0, 2.0]), "model": Sensor(1.5)}
MODEL = Sensor(0.8, shift=0.1)


def reads_globals(v):
    return np.sum(CONFIG["table"] * v) * MODEL.value_of(v[0]) + CONFIG["model"].read() * v[1] ** CONFIG["scale"]


case("objects in globals", reads_globals, V)


class Pipeline:
    """Fluent style, with closures over self."""

    def __init__(self):
        self.stages = []
        self.trace = {}

    def add(self, stage, name=None):
        self.stages.append((name or f"stage{len(self.stages)}", stage))
        return self

    def scaled(self, factor):
        return self.add(lambda x: x * factor * len(self.stages), name="scale")

    def __call__(self, x):
        for name, stage in self.stages:
            x = stage(x)
            self.trace[name] = x
        return x


def fluent(x, factor):
    pipeline = Pipeline().add(np.sin).scaled(factor).add(lambda t: t ** 2)
    y = pipeline(x)
    return y * pipeline.trace["stage0"] + pipeline.trace["scale"]


case("objects that hold closures", fluent, 0.7, 1.3, inputs=("x", "factor"), refused="let them hold positions in it")


class Matrix:
    """Reflected operators and the array protocol's priority."""

    __array_ufunc__ = None

    def __init__(self, data):
        self.data = data

    def __matmul__(self, other):
        return Matrix(self.data @ getattr(other, "data", other)) if isinstance(other, Matrix) else self.data @ other

    def __rmatmul__(self, other):
        return other @ self.data

    def __rmul__(self, factor):
        return Matrix(factor * self.data)

    def __rsub__(self, other):
        return Matrix(other - self.data)

    @property
    def T(self):
        return Matrix(self.data.T)


def reflected(v, x):
    m = 1.0 - x * Matrix(np.outer(v, v))
    return v @ m @ v + np.sum((m.T @ m) @ v)


case("reflected operators", reflected, V, 0.7, inputs=("v", "x"))


def local_function_attributes(x):
    def counted(t):
        counted.calls += 1
        return t ** 2
    counted.calls = 0
    return counted(x) * counted(2.0) * counted.calls


case("attributes of functions", local_function_attributes, 0.7, refused="pass it as an argument")


def sequence_of_values(x):
    grid = Grid([x, 1.0, x ** 3])
    total = 0.0
    for k, value in enumerate(grid):
        total += value * (k + 1)
    return total * sum(grid) * len(list(grid)) + max(grid)


case("collections.abc and UserDict", sequence_of_values, 0.7)
