"""Keys (and items) that are equal, but of different class: generated code for one of them is not that for another."""
from __future__ import annotations

import collections
import enum
from types import SimpleNamespace

import numpy as np
import pytest

from tests.kinds.outcomes import module, outcomes


class One(enum.IntEnum):
    A = 1


class Text(str):
    pass


HELD = {  # what holds the key, and how the function gets at it
    "dict": (lambda k: {k: 2.0}, "next(iter(m))"),
    "dict in a dict": (lambda k: {"a": {k: 2.0}}, "list(m['a'])[0]"),
    "list": (lambda k: [k, 2.0], "m[0]"),
    "tuple": (lambda k: (k, 2), "m[0]"),
    "tuple as key": (lambda k: {(k, 2): 2.0}, "list(m)[0][0]"),
    "ordered": (lambda k: collections.OrderedDict([(k, 2.0)]), "[key for key in m][0]"),
    "value": (lambda k: {"k": k}, "m['k']"),
    "items": (lambda k: {k: [2.0]}, "[key for key, _ in m.items()][0]"),
    "set": (lambda k: frozenset([k]), "list(m)[0]"),
    "attribute": (lambda k: SimpleNamespace(m={k: 2.0}), "list(m.m.keys())[0]"),
    "itself": (lambda k: k, "m"),
}
ASKED = {
    "isinstance": "x * x if isinstance(k, bool) else 3.0 * x if isinstance(k, int) else 5.0 * x",
    "type": "x * x if type(k) is int else 3.0 * x if type(k) is bool else 5.0 * x",
    "text": "x * x if str(k) == '1' else 3.0 * x if f'{k}' == 'True' else 5.0 * x",
    "name": "x * len(type(k).__name__)",
    "is": "x * x if k is True else 3.0 * x",
    "is one of": "x ** 3 if isinstance(k, (float, str)) else 3.0 * x",
}
KEYS = (True, 1, 1.0, One.A, True, np.float64(1.0), 1, np.int64(1), np.True_)
ZEROS = (0.0, -0.0, 0, False, 0.0)
WORDS = ("a", Text("a"), np.str_("a"), "a")


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("asked", ASKED)
def test_keys(held: str, asked: str) -> None:
    make, first = HELD[held]
    f = module(f"def f(x, m):\n    k = {first}\n    return {ASKED[asked]}\n")["f"]
    keys = KEYS[len(held) % 4:] + KEYS[:2]
    found = outcomes(f, [lambda k=k: (2.0, make(k)) for k in (*keys, *keys[-2:])])
    assert "right" in found


@pytest.mark.parametrize("held", HELD)
def test_zeros_and_words(held: str) -> None:
    make, first = HELD[held]
    head = f"import math\ndef f(x, m):\n    k = {first}\n    return "
    outcomes(module(head + "x * x if math.copysign(1.0, k) > 0 else 3.0 * x\n")["f"], [lambda k=k: (2.0, make(k)) for k in ZEROS])
    outcomes(module(head + "x * x if type(k) is str else 3.0 * x\n")["f"], [lambda k=k: (2.0, make(k)) for k in WORDS])


MIXED = [({True: 2.0, 2: 3.0}, {1: 2.0, 2: 3.0}, {1: 2.0, 2.0: 3.0}), ([True, 2], [1, 2], [1, 2.0]),
         ((True, (1,)), (1, (True,)), (1, (1,))), ({"a": True}, {"a": 1}, {"a": 1.0}),
         ({1: {True: 1.0}}, {True: {1: 1.0}}, {1.0: {1: 1.0}}), ({0: 1.0, 1: 2.0}, {False: 1.0, True: 2.0})]
WHOLE = ["'True' in str(m)", "repr(m).count('1') == 2", "any(isinstance(k, bool) for k in m)",
         "sum(type(k) is int for k in m) == 2"]


@pytest.mark.parametrize("asked", WHOLE)
@pytest.mark.parametrize("values", MIXED, ids=range(len(MIXED)))
def test_of_several(values: tuple, asked: str) -> None:
    f = module(f"def f(x, m):\n    return x * x if {asked} else 3.0 * x\n")["f"]
    outcomes(f, [(2.0, m) for m in (*values, *values, values[1], values[0])])
