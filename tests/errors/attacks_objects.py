"""Attacks with objects: subclasses of arrays and numbers, instances, named tuples, odd arrays as arguments."""
import dataclasses
from collections import namedtuple
from types import SimpleNamespace

import numpy as np

from tests.errors.attack import Corpus

ATTACKS = Corpus()
attack = ATTACKS.add

V = np.array([0.3, -0.8, 1.1])
M = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7], [0.1, 0.8, 0.6]])
Pair = namedtuple("Pair", "left right")


class Loud(np.ndarray):
    """An array whose products are doubled."""

    def __mul__(self, other):
        return 2.0 * np.ndarray.__mul__(self, other)


class Length(float):
    def __mul__(self, other):
        return Length(float(self) * other + 1.0)


class Layer:
    __array_ufunc__ = None             # NumPy scalars leave products to __rmul__, as Python floats do

    def __init__(self, w):
        self.w = w
        self.calls = 0

    def __call__(self, x):
        return (self.w * x).sum()

    def run(self, x):
        return (self.w * x * x).sum()

    def count(self, x):
        self.calls += 1
        return x * self.calls

    @property
    def doubled(self):
        return 2.0 * self.w

    def __getitem__(self, k):
        return self.w[k]

    def __mul__(self, other):
        return 3.0 * other

    def __rmul__(self, other):
        return 5.0 * other

    def __len__(self):
        return 2

    def __iter__(self):
        return iter([1.0, 2.0])

    def __bool__(self):
        return False

    def __float__(self):
        return 4.0

    def __gt__(self, other):
        return True


@dataclasses.dataclass
class Point:
    x: float
    y: float


def product(x, y):
    return (x * y).sum()


def matrix_product(x, y):
    return (x * y)[0, 0]


attack(product, np.ma.masked_less(V, 0.0), V, inputs="y")
attack(product, np.ma.masked_less(V, 0.0), V, inputs="x")
attack(matrix_product, M.view(np.matrix), M.view(np.matrix), inputs="x")
attack(matrix_product, M.view(np.matrix), M, inputs="y")
attack(product, V.view(Loud), V, inputs="x")
attack(product, V.view(Loud), V, inputs="y")
attack(product, V.astype(object), V, inputs="y")
attack(product, V, V.astype(np.float16), inputs="x")
attack(product, V, V.astype(np.longdouble), inputs="x")
attack(product, V, np.array([1, 2, 3]), inputs="x")
attack(product, V, np.array([True, False, True]), inputs="x")
attack(product, V, np.uint8(3), inputs="x")
attack(product, V, True, inputs="x")
attack(product, V[::-1], V[::-1], inputs=("x", "y"))
attack(product, M[:, 0], M[1], inputs=("x", "y"))
attack(product, np.broadcast_to(V, (3, 3)), M, inputs=("x", "y"))
attack(product, np.zeros((0, 3)), M[:0], inputs=("x", "y"))
attack(product, np.array(0.7), V, inputs=("x", "y"))
attack(product, V[:1], M, inputs=("x", "y"))
attack(product, M[:, :1], M[:1], inputs=("x", "y"))
attack(product, np.float64(0.7), np.array(2.0), inputs=("x", "y"))
attack(product, np.recarray((3,), dtype=[("a", float)], buf=V.copy()).a, V, inputs="y")
attack(product, V, [1.0, 2.0, 3.0], inputs="x")
attack(product, V, (1.0, 2.0, 3.0), inputs="x")
attack(product, V, range(3), inputs="x")
attack(product, V, Layer(V), inputs="x")
attack(product, V, "abc", inputs="x")
attack(product, V, None, inputs="x")


def plain_product(x, y):
    return x * y


attack(plain_product, Length(0.7), 2.0, inputs="y")
attack(plain_product, Length(0.7), 2.0, inputs="x")
attack(plain_product, 0.7, Length(2.0), inputs="x")
attack(plain_product, 0.7, Layer(V), inputs="x")
attack(plain_product, Layer(V), 0.7, inputs="y")
attack(plain_product, 0.7, True, inputs="x")
attack(plain_product, 0.7, 10 ** 400, inputs="x")
attack(plain_product, True, 0.7, inputs="x")
attack(plain_product, [0.7], 2, inputs="x")
attack(plain_product, "a", 2, inputs="x")
attack(plain_product, None, 2, inputs="x")


def instance_called(x, layer):
    return layer(x) * x[0]


attack(instance_called, V, Layer(V), inputs="x")


def instance_method(x, layer):
    return layer.run(x)


attack(instance_method, V, Layer(V), inputs="x")


def instance_with_state(x, layer):
    return layer.count(x) * layer.count(x)


attack(instance_with_state, 0.7, Layer(V), inputs="x")


def instance_attribute(x, layer):
    return (layer.w * x).sum() * layer.doubled[0]


attack(instance_attribute, V, Layer(V), inputs="x")


def instance_item(x, layer):
    return layer[0] * x[0] * x[1]


attack(instance_item, V, Layer(V), inputs="x")


def instance_iterated(x, layer):
    total = 0.0
    for weight in layer:
        total += weight * x
    return total * len(layer)


attack(instance_iterated, 0.7, Layer(V), inputs="x")


def instance_unpacked(x, layer):
    a, b = layer
    return a * x + b * x * x


attack(instance_unpacked, 0.7, Layer(V), inputs="x")


def instance_as_truth(x, layer):
    return x if layer else x * x


attack(instance_as_truth, 0.7, Layer(V), inputs="x")


def instance_compared(x, layer):
    return x * x if layer > x else x


attack(instance_compared, 0.7, Layer(V), inputs="x")


def instance_converted(x, layer):
    return float(layer) * x


attack(instance_converted, 0.7, Layer(V), inputs="x")


def instance_made(x):
    return Layer(x).run(x)


attack(instance_made, V)


def instance_attribute_set(x, layer):
    layer.w = x * 2.0
    return layer.run(x)


attack(instance_attribute_set, V, Layer(V), inputs="x")


def instance_attribute_set_by_function(x, layer):
    setattr(layer, "w", x * 2.0)
    return layer.run(x)


attack(instance_attribute_set_by_function, V, Layer(V), inputs="x")


def instance_attribute_changed(x, layer):
    w = layer.w
    w *= 2.0
    return (layer.w * x).sum()


attack(instance_attribute_changed, V, Layer(V), inputs="x")


def instance_dict(x, layer):
    return (layer.__dict__["w"] * x).sum() + (vars(layer)["w"] * x).sum()


attack(instance_dict, V, Layer(V), inputs="x")


def object_dunder_setattr(x, layer):
    object.__setattr__(layer, "w", x)
    return layer.run(x)


attack(object_dunder_setattr, V, Layer(V), inputs="x")

GLOBAL_LAYER = Layer(V.copy())


def global_instance(x):
    return GLOBAL_LAYER(x) * GLOBAL_LAYER.run(x) * GLOBAL_LAYER.w[0]


attack(global_instance, V)
attack(Layer(V).run, V)


def named_tuple_made(x):
    pair = Pair(x, x * x)
    return pair.left * pair.right


attack(named_tuple_made, 0.7)


PAIR = Pair(1.0, 2.0)


def named_tuple_global(x):
    return x * PAIR.left + PAIR[1] * x


attack(named_tuple_global, 0.7)


def dataclass_made(x):
    point = Point(x, y=x * x)
    return point.x * point.y


attack(dataclass_made, 0.7)


def dataclass_input(point):
    return point.x * point.y


attack(dataclass_input, Point(1.0, 2.0))


def dataclass_replaced(x, point):
    return dataclasses.replace(point, x=x).x * x


attack(dataclass_replaced, 0.7, Point(1.0, 2.0), inputs="x")


def namespace_made(x):
    space = SimpleNamespace(a=x, b=x * x)
    return space.a * space.b


attack(namespace_made, 0.7)


def container_inputs(params, x):
    return params["w"] @ x + params["b"][0] * params["b"][1][0]


attack(container_inputs, {"w": V, "b": [1.0, (2.0, 3.0)]}, V, inputs=("params", "x"))


def dict_argument_loop(params, x):
    for name in params:
        x = x * params[name]
    return x


attack(dict_argument_loop, {"a": 0.7, "b": 1.3}, 2.0, inputs=("params", "x"))


def list_input(xs):
    return xs[0] * xs[1] + sum(xs)


attack(list_input, [0.7, 1.3])
attack(list_input, (0.7, np.float32(1.25)))
attack(list_input, [1, 2])
attack(list_input, [V[0], 2.0, 3.0])


def list_of_arrays_input(xs):
    total = 0.0
    for x in xs:
        total = total + (x * x).sum()
    return total * xs[0].sum()


attack(list_of_arrays_input, [V, M, np.array(2.0)])
attack(list_of_arrays_input, [V, V])
attack(list_of_arrays_input, [])


def repeated_object(xs):
    return (xs[0] * xs[1]).sum()


_shared = V.copy()
attack(repeated_object, [_shared, _shared])


def complex_inside(x):
    z = x * np.exp(1j * x)
    return (z * z.conj()).real.sum() + z.imag.sum()


attack(complex_inside, V)


def complex_dropped(x):
    return float(np.abs(np.array([x, 1j * x]))[1]) * x


attack(complex_dropped, 0.7)


class Base:
    def __init__(self, x):
        self.x = x

    def run(self):
        return (self.x ** 2).sum()


class Middle(Base):
    def run(self):
        return (self.x ** 3).sum()


class Last(Middle):
    def run(self):
        return super(Middle, self).run() + super(Last, self).run() * 2 + super().run()

    def of_variable(self):
        middle = Middle
        return super(middle, self).run()


def called_from_outside(self):
    return super(Last, self).run() * 3


attack(lambda x: Last(x).run(), V)
attack(lambda x: Last(x).of_variable(), V)
attack(lambda x: called_from_outside(Last(x)), V)


# --- state that an object makes when it is asked for first: its kind changes with every call

class MadeWhenAsked:
    def __init__(self):
        self.state = None
        self.named = {}

    def added(self, g):
        state = self.state
        if state is None:
            state = {"v": 0.0}
            self.state = state
        state["v"] = state["v"] + g
        return state["v"]

    def added_to(self, name, g):
        state = self.named.get(name)
        if state is None:
            state = self.named[name] = {"v": 0 * g}
        state["v"] += g
        return state["v"]


def state_made_by_a_method_in_a_loop(x, n):
    made, p = MadeWhenAsked(), 0.0
    for _ in range(n):
        p = made.added(x)
    return p * x


attack(state_made_by_a_method_in_a_loop, 2.0, 3)


def states_made_by_name_in_a_loop(x, n):
    made, p = MadeWhenAsked(), x
    for _ in range(n):
        p = made.added_to("w", p)
    return np.sum(p ** 2)


attack(states_made_by_name_in_a_loop, np.array([0.3, 1.0]), 3)


def states_made_and_added(x, n):
    made, p = MadeWhenAsked(), 0.0
    for _ in range(n):
        p += made.added_to("w", x)
    return p * x


attack(states_made_and_added, 2.0, 3)


class Held:
    def __init__(self):
        self.v = 0.0


class MadeAndPutThereLater:
    def __init__(self):
        self.made = {}

    def by_list(self, g):
        state = self.made.get("w")
        new = state is None
        if new:
            state = [0.0]
        state[0] = state[0] + g
        if new:
            self.made["w"] = state
        return state[0]

    def by_or(self, g):
        state = self.made.get("w") or Held()
        self.made["w"] = state
        state.v = state.v + g
        return state.v

    def by_two_names(self, g):
        state = self.made.get("w")
        new = state is None
        if new:
            state = Held()
        same = state
        same.v = state.v * g + 1.0
        state.v = same.v + g
        if new:
            self.made["w"] = state
        return state.v


def state_in_a_list_of_an_object_in_a_dict(x, n):
    held, p = {"o": MadeAndPutThereLater()}, 0.0
    for _ in range(n):
        p = p * 0.5 + held["o"].by_list(x)
    return p


attack(state_in_a_list_of_an_object_in_a_dict, 1.3, 3)


def state_made_by_or_of_an_object_in_a_dict(x, n):
    held, p = {"o": MadeAndPutThereLater()}, 0.0
    for _ in range(n):
        p = p * 0.5 + held["o"].by_or(x)
    return p


attack(state_made_by_or_of_an_object_in_a_dict, 1.3, 3)


def _drive(made, x, n):
    p = 0.0
    for _ in range(n):
        p = made.by_two_names(x) + p * 0.1
    return p


def state_by_two_names_in_a_callee(x, n):
    return _drive(MadeAndPutThereLater(), x, n)


attack(state_by_two_names_in_a_callee, 1.3, 3)
