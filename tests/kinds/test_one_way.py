"""`vjp`, `value_and_grad`, `source` and `check_grad` accept what `grad` accepts, and refuse what it refuses."""
from __future__ import annotations

import dataclasses
import functools
import inspect

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError

A, B = np.arange(1.0, 6.0), np.linspace(0.5, 2.5, 5)


@sg.differentiable
def diffuse(u, temporary, n):
    for _ in range(n):
        temporary[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[:] = temporary[:]
        temporary[:] = 0.0


@sg.differentiable
def scale(x, y):
    x *= y
    return np.sum(x)


def halves(x):
    if x.shape[0] == 1:
        return np.array(x)
    e, o = halves(x[::2]), halves(x[1::2])
    return np.concatenate([e + o, e - o])


def even(x, n):
    return x if n == 0 else odd(x * x, n - 1)


def odd(x, n):
    return x if n == 0 else even(np.sin(x), n - 1)


def step(f1, f2):
    for i in range(1, len(f1) - 1):
        f2[i] = f1[i - 1] * f1[i + 1]
    return f2


def product(x, y):
    return x * y


def pair(x, y):
    return x * y, np.sum(x)


def table(p):
    return {"a": p["w"] * p["b"], "b": np.sum(p["w"])}


def items(xs):
    return sum([x * x for x in xs])


def early(x):
    for v in x:
        if v > 2.0:
            return v * x
    return x


def keyword(x, *, k=2.0, mode="a"):
    return x ** k if mode == "a" else x


def many(x, *ws):
    return x * sum(ws)


def closure(k):
    def inner(x):
        return k * x * x
    return inner


def outer(x):
    total = np.zeros(5)

    def put(i, v):
        total[i] += v
    for i in range(5):
        put(i, x[i] ** 2)
    return total


class Model:
    def __init__(self) -> None:
        self.w, self.parts = np.linspace(1.0, 2.0, 5), [2.0, np.ones(5)]

    def run(self, x):
        return self.w * x * self.parts[0] + self.parts[1]

    def __call__(self, x):
        return self.run(x) ** 2

    @staticmethod
    def still(x):
        return x ** 3

    @classmethod
    def of_class(cls, x):
        return cls.still(x)


@dataclasses.dataclass
class Point:
    a: np.ndarray
    b: float


def norm(p):
    return p.a * p.b


MODEL = Model()
CASES = {       # function, arguments, inputs
    "an output by name": (diffuse.output("u"), (A ** 2, np.zeros(5), 2), "u"),
    "two outputs by name": (diffuse.output("u", "temporary"), (A ** 2, np.zeros(5), 2), ("u", "temporary")),
    "an output and the value": (scale.output("x", "return"), (A, 2.0), ("x", "y")),
    "a recursion": (halves, (np.ones(8),), "x"),
    "two functions that call each other": (even, (A, 3), "x"),
    "one array for two arguments, changed": (step, (A, A), ("f1", "f2")),
    "one array for two arguments": (product, (A, A), ("x", "y")),
    "two arrays": (step, (A, B.copy()), ("f1", "f2")),
    "a pair": (pair, (A, B), ("x", "y")),
    "a dict": (table, ({"w": A, "b": 2.0},), "p"),
    "a part of a dict": (table, ({"w": A, "b": 2.0},), "p['w']"),
    "a list": (items, ([1.0, 2.0, 3.0],), "xs"),
    "a list of arrays": (items, ([A, B],), "xs"),
    "an early return": (early, (A + 0.3,), "x"),
    "a whole number": (product, (2, 3.0), "x"),
    "an array of whole numbers": (product, (np.arange(3), 3.0), "x"),
    "a bound method": (MODEL.run, (A,), "x"),
    "the receiver of a bound method": (MODEL.run, (A,), "self.w"),
    "a part of the receiver": (Model.run, (MODEL, A), ("self.w", "self.parts[1]", "x")),
    "a callable object": (MODEL, (A,), "x"),
    "a static method": (MODEL.still, (A,), "x"),
    "a class method": (Model.of_class, (A,), "x"),
    "a partial by keyword": (functools.partial(keyword, k=3.0), (A,), "x"),
    "a partial with a text": (functools.partial(keyword, mode="b"), (A,), "x"),
    "a partial by position": (functools.partial(product, B), (A,), "y"),
    "a partial of a method": (functools.partial(MODEL.run), (A,), "x"),
    "a partial of a partial": (functools.partial(functools.partial(many, A), 2.0), (3.0,), "x"),
    "star arguments": (many, (A, 2.0, 3.0), "x"),
    "a closure": (closure(3.0), (A,), "x"),
    "stores by an inner function": (outer, (A,), "x"),
    "a gradient": (sg.grad(lambda x: np.sum(x ** 3)), (A,), "x"),
    "a gradient of a method": (sg.grad(MODEL.run, grad_outputs=A), (A,), "x"),
    "a dataclass": (norm, (Point(A, 2.0),), "p"),
    "a part of a dataclass": (norm, (Point(A, 2.0),), "p.a"),
    "a marked function": (scale, (A, 2.0), "y"),
    "an input that is not there": (product, (A, B), "z"),
}


def flat(found) -> np.ndarray:
    if isinstance(found, dict):
        found = list(found.values())
    if dataclasses.is_dataclass(found) or isinstance(found, Model):
        found = list(vars(found).values())
    return np.concatenate([flat(part) for part in found]) if isinstance(found, (list, tuple)) else np.ravel(found)


def weights(value):
    if isinstance(value, dict):
        return {name: weights(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(weights(part) for part in value)
    return np.cos(np.arange(1.0, np.size(value) + 1)).reshape(np.shape(value)) if np.shape(value) else 0.7


def outcome(call):
    try:
        return call()
    except SourcegradError as error:
        return type(error)


@pytest.mark.parametrize("name", CASES)
def test_the_same_everywhere(name: str) -> None:
    function, args, inputs = CASES[name]
    single = not isinstance(inputs, tuple)
    copies = [np.array(a) if isinstance(a, np.ndarray) else a for a in args] if args[0] is not args[-1] else args
    value = function(*copies) if "changed" not in name else args[0]
    ct = weights(value)
    expected = outcome(lambda: flat(sg.grad(function, inputs=inputs, grad_outputs=ct)(*args)))
    both = outcome(lambda: sg.value_and_grad(function, inputs=inputs, grad_outputs=ct)(*args))
    pulled = outcome(lambda: sg.vjp(function, *args, inputs=inputs))
    if isinstance(expected, type):
        assert both is expected and pulled is expected
        assert outcome(lambda: sg.check_grad(function, *args, inputs=inputs)) is expected
        return
    assert np.allclose(flat(both[1]), expected) and np.allclose(flat(both[0]), flat(value))
    found = pulled[1](ct)
    assert np.allclose(flat(pulled[0]), flat(value)) and np.allclose(flat(found), expected)
    assert (single or len(found) == len(inputs)) and np.allclose(flat(pulled[1](ct)), expected)
    gradient = sg.grad(function, inputs)
    names = [name for name in inspect.signature(gradient).parameters if name not in ("grad_outputs", "ws")]
    assert "def " in sg.source(function, inputs, at=dict(zip(names, args)))
    assert outcome(lambda: sg.check_grad(function, *args, inputs=inputs)) is None
