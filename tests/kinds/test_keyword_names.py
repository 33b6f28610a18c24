"""Keywords of the user's that helpers of the generator have as parameters."""
from __future__ import annotations

import linecache

import numpy as np
import pytest

import sourcegrad as sg

WORDS = ("function", "unit", "node", "name", "key", "kind", "value", "at", "origin", "target", "args", "kwargs", "options",
         "receiver", "values", "saved", "tape", "out", "index", "memory_")
FORMS = {
    "keywords of a constructor": "class Held:\n    def __init__(self, *a, **k):\n        self.a, self.f = a[0], k.get('{w}', 3.0)\n"
                                 "    def run(self):\n        return np.sum(self.a ** 2) * self.f\n"
                                 "def f(x):\n    return Held(x, {w}=2.0).run()\n",
    "keywords": "def g(y, **k):\n    return np.sum(y ** 2) * k['{w}']\ndef f(x):\n    return g(x, {w}=2.0)\n",
    "a parameter": "def g(y, {w}):\n    return np.sum(y ** 2) * {w}\ndef f(x):\n    return g(x, {w}=2.0)\n",
    "an attribute": "class Held:\n    def __init__(self, {w}):\n        self.{w} = {w}\n"
                    "def f(x):\n    held = Held({w}=x)\n    return np.sum(held.{w} ** 2) * 2.0\n"}


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("form", FORMS)
def test_gradients(form: str, word: str) -> None:
    text, file = "import numpy as np\n" + FORMS[form].replace("{w}", word), f"<keyword {word} {form}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    found: dict = {"__name__": "keywords"}
    exec(compile(text, file, "exec"), found)
    np.testing.assert_allclose(sg.grad(found["f"])(np.array([1.0, 2.0])), [4.0, 8.0])


class Node:
    def __init__(self, v):
        self.v, self.other = v, None


def ring(x, memory_):
    first, second = Node(x), Node(2.0 * x)
    first.other, second.other = second, first
    return first.other.v * first.other.other.v * memory_


memory_ = 3.0


def reads_a_global(x):
    first, second = Node(x), Node(2.0 * x)
    first.other, second.other = second, first
    return first.other.other.v * memory_


@pytest.mark.parametrize("f", [ring, lambda x, y: ring(x, memory_=y), lambda x, y: ring(x, **{"memory_": y}),
                               lambda x, y: (lambda memory_: ring(x, memory_))(y), lambda x, y: reads_a_global(x) * y])
def test_the_name_of_the_state_of_objects(f) -> None:
    """Beside objects that are told apart by their identity it is refused, with the place."""
    with pytest.raises(sg.UnsupportedError, match="test_keyword_names.py:"):
        sg.grad(f)(1.3, 0.7)
