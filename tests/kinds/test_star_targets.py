"""What a starred target is unpacked from may have too few items: the ValueError that Python raises, at its place."""
from __future__ import annotations

import itertools

import numpy as np
import pytest

import sourcegrad as sg
from tests.kinds.outcomes import module, outcomes

X = np.array([0.5, 1.5, 2.0, -1.0])
ITEMS = ("x[:k]", "list(x)[:k]", "tuple(x[:k])", "[v * 2.0 for v in x[:k]]", "(v * v for v in x[:k])", "x.reshape(2, 2)[:k, 0]",
         "list(map(abs, x[:k]))", "dict.fromkeys(range(k), x[1]).values()", "collections.deque(x[:k])", "zip(x[:k], x[:k])")
TARGETS = {"a, *m": "a", "*m, a": "a", "a, *m, b": "a * b", "a, b, *m": "a * b", "*m, a, b": "a - b * b",
           "a, *m, b, c": "a * b + c", "[a, *m, b]": "a * b", "(a, *m), b": "a * b"}
PLACES = {
    "bare": "    {targets} = {items}\n    return {value} + x[0] * 3.0\n",
    "handled": "    try:\n        {targets} = {items}\n    except ValueError:\n        return x[0] * 7.0\n    return {value}\n",
    "handled otherwise": "    try:\n        {targets} = {items}\n    except (OSError, IndexError, TypeError):\n"
                         "        return x[0] * 7.0\n    return {value}\n",
    "loop": "    s = x[3]\n    for {targets} in [{items}, {items}]:\n        s = s + {value}\n    return s\n",
    "comprehension": "    return sum([{value} for {targets} in [{items}]], x[1])\n",
    "finally": "    s = x[0]\n    try:\n        {targets} = {items}\n        s = s * {value}\n    except ValueError:\n"
               "        pass\n    finally:\n        s = s + x[1]\n    return s\n",
    "in a callee": "    def inner(v):\n        {targets} = {items}\n        return {value} * v\n    return inner(x[1]) * x[2]\n",
}
PROGRAMS = [(items, targets, place) for (n, items), (m, targets), (p, place) in itertools.product(
    enumerate(ITEMS), enumerate(TARGETS), enumerate(PLACES)) if (n + 3 * m + p) % 5 == 0]


@pytest.mark.parametrize("items, targets, place", PROGRAMS)
def test_as_in_python(items: str, targets: str, place: str) -> None:
    value = TARGETS[targets]
    if items.startswith("zip"):
        value = "+".join(f"({name}[0] * {name}[1])" for name in "abc" if name in targets.replace("*m", ""))
    unpacked = f"({items}, x[3])" if targets.startswith("(a") else items
    body = PLACES[place].format(targets=targets, items=unpacked, value=value)
    f = module(f"import collections\n\ndef f(x, k):\n{body}")["f"]
    for sizes in ((4, 3, 2, 1, 0), (0, 1, 4)):
        outcomes(f, [(X, k) for k in sizes])


def test_lengths_that_are_known_are_not_asked_for() -> None:
    f = module("def f(x):\n    a, *m, b = x[0], x[1], x[2]\n    (c, *_), *_ = (a, b), (b, a), m\n"
               "    return a * b * m[0] + c\n")["f"]
    g = sg.grad(f)
    assert np.allclose(g(X), [1.5 * 2.0 + 1.0, 0.5 * 2.0, 0.5 * 1.5, 0.0])
    assert "ValueError" not in g.source and "len(" not in g.source


def test_the_text() -> None:
    f = module("def f(x, k):\n    first, *_, last = x[:k]\n    return first * last\n")["f"]
    g = sg.grad(f, inputs="x")
    assert np.allclose(g(X, 3), [2.0, 0.0, 0.5, 0.0])
    check = "    if len(x_i) < 2:\n        raise ValueError('not enough values to unpack (expected at least 2)')\n"
    assert check in g.source
