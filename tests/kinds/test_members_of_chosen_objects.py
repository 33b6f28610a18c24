"""An attribute of an object whose class the program chooses: one class holds it, another says what reading or storing does."""
from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from tests.kinds.outcomes import module, outcomes

CLASSES = """
class Plain:
    def __init__(self, v):
        self.v = v
        self.p = v * 2.0

class Setter(Plain):
    @property
    def p(self):
        return self.v * 3.0
    @p.setter
    def p(self, y):
        self.v = y * y

class Read(Plain):
    def __init__(self, v):
        self.v = v
    @property
    def p(self):
        return self.v ** 2

class Descriptor:
    def __get__(self, owner, cls):
        return owner.v * 4.0
    def __set__(self, owner, y):
        owner.v = owner.v + y ** 2

class Described(Plain):
    p = Descriptor()

class Slotted:
    __slots__ = ("v", "p")
    def __init__(self, v):
        self.v, self.p = v, v

class Default:
    p = 1.5
    def __init__(self, v):
        self.v = v

class Method:
    def __init__(self, v):
        self.v = v
    def p(self):
        return self.v * 5.0

class Asked(Plain):
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 1.5)

class Missing:
    def __init__(self, v):
        self.v = v
    def __getattr__(self, name):
        return self.v * 7.0

class Static:
    p = staticmethod(abs)
    def __init__(self, v):
        self.v = v

"""
NAMES = ("Plain", "Setter", "Read", "Described", "Slotted", "Default", "Method", "Asked", "Missing", "Static")
CHOICES = {"branch": "{a}(x) if x > 1.0 else {b}(x * 1.1)", "list": "[{a}(x), {b}(x * 1.1)][int(x < 1.0)]",
           "dict": "{{True: {a}(x), False: {b}(x * 1.1)}}[bool(x > 1.0)]"}
USES = {"store": "    o.p = x * 1.2\n    return o.v + x\n", "load": "    return o.p + o.v\n",
        "operator": "    o.p *= x\n    return o.v\n",
        "both": "    o.p = x\n    o.v = o.v * x\n    return o.p\n",
        "setattr": "    setattr(o, 'p', x)\n    return o.v\n",
        "held": "    keep = [o]\n    keep[0].p = x\n    return o.v * o.v\n",
        "getattr": "    o.v = x * x\n    return getattr(o, 'p', x)\n"}
PROGRAMS = [(a, b, choice, use) for (i, a), (j, b), (m, choice), (n, use) in itertools.product(
    enumerate(NAMES), enumerate(NAMES), enumerate(CHOICES), enumerate(USES)) if i != j and (2 * i + j + 3 * m + n) % 11 == 0]


@pytest.mark.parametrize("a, b, choice, use", PROGRAMS)
def test_right_or_refused(a: str, b: str, choice: str, use: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{CLASSES}\ndef f(x):\n    o = {CHOICES[choice].format(a=a, b=b)}\n{USES[use]}"
    for places in ("", "only"):
        monkeypatch.setattr(linking.OPTIONS, "places", places)
        outcomes(module(text)["f"], [(0.7,), (1.3,), (0.7,)])


@pytest.mark.parametrize("choice", CHOICES)
def test_what_only_holds_a_value_is_accepted(choice: str) -> None:
    f: Any = module(f"{CLASSES}\ndef f(x):\n    o = {CHOICES[choice].format(a='Plain', b='Slotted')}\n{USES['held']}")["f"]
    for x in (0.7, 1.3):
        assert np.isclose(sg.grad(f)(x), (f(x + 1e-6) - f(x - 1e-6)) / 2e-6)


@pytest.mark.parametrize("choice", CHOICES)
def test_what_is_frozen_is_not_changed(choice: str) -> None:
    frozen = "import dataclasses\n\n@dataclasses.dataclass(frozen=True)\nclass Frozen:\n    v: float\n    p: float = 1.0\n"
    text = f"{CLASSES}\n{frozen}\ndef f(x):\n    o = {CHOICES[choice].format(a='Plain', b='Frozen')}\n{USES['store']}"
    outcomes(module(text)["f"], [(1.3,), (0.7,), (1.3,)])
