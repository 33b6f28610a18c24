"""check_grad takes whatever grad takes, and finds what is wrong."""
from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InputError

X = np.array([0.5, 2.0])


class Model:
    def __init__(self, w):
        self.w = w

    def run(self, x):
        return np.sum(self.w * x * x)

    def __call__(self, x):
        return np.sum(self.w * x ** 3)


@dataclasses.dataclass(frozen=True)
class Pair:
    a: float
    b: np.ndarray


MODEL = Model(X * 2.0)
GOOD = {
    "bound method": (MODEL.run, (X,), {}),
    "attribute": (MODEL.run, (X,), {"inputs": "self.w"}),
    "attribute of an argument": (Model.run, (MODEL, X), {"inputs": "self.w", "order": 2}),
    "object that is called": (MODEL, (X,), {"order": 2}),
    "object": (MODEL.run, (X,), {"inputs": "self"}),
    "several": (Model.run, (MODEL, X), {"inputs": ("self", "x")}),
    "dict and list": (lambda p: np.sum(p["a"] ** 2 * p["b"][1]), ({"a": X, "b": [1.0, X]},), {}),
    "frozen dataclass": (lambda d: d.a * np.sum(d.b ** 2), (Pair(2.0, X),), {}),
    "field": (lambda d: d.a ** 3 * np.sum(d.b ** 2), (Pair(2.0, X),), {"inputs": "d.a", "order": 2}),
    "keyword": (lambda p, *, k: p * k * k, (2.0,), {"k": 3, "inputs": "k", "order": 2}),
    "default": (lambda x, y=3.0: x * y * y, (2,), {"inputs": "y", "order": 2}),
    "outputs": (lambda p: {"a": p * p, "b": p.sum()}, (X,), {"order": 2}),
    "tuple": (lambda x, y: (x * y, x), (X, 2 * X), {"inputs": ("x", "y"), "order": 2}),
    "single precision": (lambda p: np.sum(p * p), (np.ones(3, np.float32),), {}),
    "complex": (lambda z: np.sum(np.abs(z) ** 2), (X + 1j,), {}),
}


@pytest.mark.parametrize("name", GOOD)
def test_right(name) -> None:
    function, args, options = GOOD[name]
    sg.check_grad(function, *args, **options)


@pytest.mark.parametrize("function, argument, place", [
    (lambda x: x * sg.stop_gradient(x), 2.0, "input x:"),
    (lambda d: d["a"] * sg.stop_gradient(d["a"]), {"a": 2.0}, r"input d\['a'\]:"),
    (lambda d: d.a * sg.stop_gradient(d.a), Pair(2.0, X), "input d.a:"),
    (lambda v: np.sum(v * sg.stop_gradient(v)), np.ones(3, np.float32), "input v:")])
def test_wrong(function, argument, place) -> None:
    with pytest.raises(AssertionError, match=place):
        sg.check_grad(function, argument)


@pytest.mark.parametrize("options, message", [({"inputs": "q"}, "no parameter 'q'"), ({"order": 0}, "order is 0"),
                                              ({"order": "2"}, "order is '2'"), ({"z": 1.0}, "unexpected keyword argument 'z'")])
def test_misuse(options, message) -> None:
    with pytest.raises(InputError, match=message):
        sg.check_grad(lambda x: x * x, 2.0, **options)
