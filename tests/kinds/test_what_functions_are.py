"""`isinstance(f, tuple)` and the like: what inner functions, lambdas, partials, methods, classes are asked to be."""
from __future__ import annotations

import pytest

from tests.kinds.outcomes import module, outcomes

HEAD = """import collections
import collections.abc
import functools
import inspect
import types

def outside(v):
    return v * v

class Gain:
    def __init__(self, gain):
        self.gain = gain
    def apply(self, v):
        return self.gain * v
    def __call__(self, v):
        return self.gain * v * v

def make(c):
    def inner(v):
        return c * v
    return inner

"""
FUNCTIONS = {
    "inner": "def g(v):\n        return v * x", "lambda": "g = lambda v: v * x", "alone": "def g(v):\n        return v * v",
    "with a default": "def g(v, c=x):\n        return v * c", "made": "g = make(x)",
    "partial": "g = functools.partial(lambda a, v: a * v, x)",
    "method": "g = Gain(x).apply", "object": "g = Gain(x)", "outside": "g = outside", "NumPy's": "g = np.sin",
    "in a list": "g = [lambda v: v * x, np.sin][0]", "in a dict": "g = {'a': lambda v: v * x}['a']",
    "chosen": "g = (lambda v: v * x) if x > 0 else np.cos",
}
QUESTIONS = ["isinstance(g, tuple)", "isinstance(g, (list, tuple))", "isinstance(g, dict)", "isinstance(g, str)",
             "isinstance(g, float)",
             "isinstance(g, (int, float))", "isinstance(g, np.ndarray)", "callable(g)", "isinstance(g, types.FunctionType)",
             "isinstance(g, collections.abc.Callable)", "isinstance(g, collections.abc.Sequence)", "isinstance(g, type)",
             "type(g) is tuple",
             "type(g) == list", "hasattr(g, '__call__')", "hasattr(g, 'shape')", "hasattr(g, '__len__')",
             "hasattr(g, '__iter__')", "g is None",
             "g is not None", "inspect.isfunction(g)", "isinstance(g, functools.partial)", "getattr(g, '__name__', '') == 'inner'",
             "not isinstance(g, (tuple, list)) and callable(g)", "issubclass(type(g), tuple)", "np.isscalar(g)",
             "isinstance(g, Gain)", "bool(g)",
             "isinstance([g], list)", "isinstance((g, 1), tuple)", "type(g).__name__ == 'function'", "g in (None, 0)"]
USES = ["return g(x) * 2.0 if {} else g(x) * 3.0",
        "if {}:\n        h = g\n    else:\n        h = lambda v: 5.0 * v\n    return h(x) * x",
        "if not {}:\n        return x * 7.0\n    y = g(x)\n    return y * y",
        "h = [g] if {} else [g, g]\n    t = 0.0\n    for each in h:\n        t = t + each(x)\n    return t * x"]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_what_it_is(question: str, function: str) -> None:
    use = USES[(len(question) + len(function)) % len(USES)]
    f = module(f"{HEAD}def f(x):\n    {FUNCTIONS[function]}\n    {use.format(question)}\n")["f"]
    outcomes(f, [(1.3,), (0.4,)])


@pytest.mark.parametrize("question", QUESTIONS[::2])
def test_of_parameters(question: str) -> None:
    """A helper that takes one function, or several."""
    text = f"{HEAD}def helper(g, x):\n    return (g(x) if callable(g) else 2.0 * x) * (2.0 if {question} else 3.0)\n\n"
    text += "def f(x):\n    return helper(lambda v: v * x, x) + helper(outside, x) + helper((x, 1.0), x) + helper(None, x)\n"
    outcomes(module(text)["f"], [(1.3,)])
