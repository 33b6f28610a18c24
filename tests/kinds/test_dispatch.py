"""What a call costs beyond the generated code: one frame and a few lines, whatever the arguments look like."""
from __future__ import annotations

import functools
import sys

import numpy as np
import pytest

import sourcegrad as sg

X = np.array([0.3, 1.2, -0.7])


class Model:
    def __init__(self) -> None:
        self.w, self.b = np.ones(3), 2.0

    def loss(self, x):
        return np.sum(self.w * x) * self.b


class Slotted:                           # (its attributes are looked up by a function)
    __slots__ = ("w",)

    def __init__(self) -> None:
        self.w = np.ones(3)


def product(x, y=2.0, *, n=1.0, mode="a"):
    return np.sum(x * y) * n if mode == "a" else np.sum(x)


def table(p, x):
    return np.sum(p["a"] * p["b"]) * x


def held(model, x):
    return np.sum(model.w * x)


def squares(xs):
    return sum([x * x for x in xs])


def weighted(x, y):
    return x * y


def star(x, *ws, **options):
    return x * ws[0] * options["k"]


MODEL = Model()
CALLS = {       # gradient, arguments, keywords
    "floats": (sg.grad(weighted), (2.0, 3.0), {}),
    "an array and a float": (sg.grad(product), (X, 3.0), {}),
    "a dict of two arrays": (sg.grad(table), ({"a": X, "b": X}, 2.0), {}),
    "a part of an object": (sg.grad(held, "model.w"), (MODEL, X), {}),
    "an object": (sg.grad(held), (MODEL, X), {}),
    "an object with slots": (sg.grad(held, "x"), (Slotted(), X), {}),
    "a bound method": (sg.grad(MODEL.loss), (X,), {}),
    "a part of the receiver": (sg.grad(MODEL.loss, "self.w"), (X,), {}),
    "a keyword": (sg.grad(product), (X,), {"y": 3.0}),
    "two keywords": (sg.grad(product), (X,), {"y": 3.0, "n": 2.0}),
    "a text": (sg.grad(product), (X,), {"mode": "b"}),
    "a whole number": (sg.grad(weighted), (2, 3.0), {}),
    "a whole number by keyword": (sg.grad(weighted, "y"), (2.0,), {"y": 3}),
    "weights at the call": (sg.grad(weighted), (X, 3.0), {"grad_outputs": X}),
    "weights before": (sg.grad(weighted, grad_outputs=X), (X, 3.0), {}),
    "a partial": (sg.grad(functools.partial(product, n=3.0)), (X,), {}),
    "a partial by position": (sg.grad(functools.partial(table, {"a": X, "b": X})), (2.0,), {}),
    "a list of floats": (sg.grad(squares), ([1.0, 2.0, 3.0],), {}),
    "star arguments": (sg.grad(star), (2.0, 3.0), {"k": 4.0}),
    "with the value": (sg.value_and_grad(product), (X, 3.0), {}),
    "a second order": (sg.grad(sg.grad(lambda x: np.sum(x ** 3))), (X,), {"grad_outputs": X}),
}


def executed(function, args: tuple, options: dict) -> np.ndarray:
    """How many Python frames and lines a call takes."""
    counts = {"call": 0, "line": 0}

    def count(frame, event, argument):
        if event in counts:
            counts[event] += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        function(*args, **options)
    finally:
        sys.settrace(before)
    return np.array(list(counts.values()))


@pytest.mark.parametrize("name", CALLS)
def test_one_frame(name: str) -> None:
    gradient, args, options = CALLS[name]
    first = repr(gradient(*args, **options))
    for _ in range(4):
        assert repr(gradient(*args, **options)) == first
    whole, keywords, held_before = gradient._whole(args, options)
    watched, bound, _, _ = gradient._prepared(whole, keywords, held_before)
    given = keywords.get("grad_outputs", gradient._grad_outputs)
    inner = {**bound.kwargs, **({} if given is None else {"grad_outputs": given})}
    frames, lines = executed(gradient, args, options) - executed(watched.derived.function, bound.args, inner)
    asked = 2 if "a part" in name else 1                        # (of an object: that no two of its arrays are one)
    assert frames <= (5 if "slots" in name else asked) and lines <= 90
