"""Programs whose value tells in which order their parts ran: each form of expression and statement, with effects in two places.

A form has places for numbers ({A}, {B}, {C}) and for indices ({I}, {J}). An effect says what stands in the first and in the
second of them, so that another order gives another value: numbers that are drawn, counters, `pop`, walruses, names that a call
rebinds.
"""
from __future__ import annotations

import itertools
import linecache
import random
import string
from collections.abc import Callable, Iterator

import numpy as np

COMMON = """
import random
import numpy as np

def g(p, q=0.5, *rest, r=0.25, **named):
    return p - 2.0 * q + 0.3 * p * q + sum(rest) * 0.7 + r * 0.11 + named.get("s", 0.0)

def pair(p):
    return p, 2.0 * p

class Holder:
    def __init__(self, v):
        self.v = v
        self.w = 1.0
    def times(self, p, q=1.0):
        return self.v * p - q
    def __enter__(self):
        return self.v
    def __exit__(self, *problem):
        return False
"""

# Name: what is set up, numbers for the places in the order of the text (twice, so that both orders are tried), indices likewise.
EFFECTS: dict[str, tuple[str, list[tuple[str, str]], list[tuple[str, str]]]] = {
    "draws of numpy": ("", [("np.random.normal() * x[0]", "np.random.normal() * x[1]")],
                       [("np.random.randint(3)", "np.random.randint(3)")]),
    "draws of random": ("", [("random.random() * x[0]", "random.random() * x[1]")],
                        [("random.randrange(3)", "random.randrange(3)")]),
    "a counter": ("""
    n = 0
    def tick():
        nonlocal n
        n += 1
        return n
""", [("tick() * x[0]", "tick() * x[1]")], [("tick() % 3", "tick() % 3")]),
    "pop": ("""
    stack = [2, 0, 1, 2, 1, 0, 0, 2, 1, 1, 0, 2, 2, 0, 1]
""", [("stack.pop() * x[0]", "stack.pop() * x[1]"), ("len(stack) * x[0]", "stack.pop() * x[1]")],
            [("stack.pop()", "stack.pop()"), ("stack[-1]", "stack.pop()"), ("stack.pop()", "stack[-1]")]),
    "a walrus": ("""
    w, k = x[2], 1
""", [("(w := w * 1.5) * x[0]", "(w := w + 1.0) * x[1]"), ("w", "(w := w + x[0])"), ("(w := w + x[0])", "w")],
                 [("(k := (k + 1) % 3)", "(k := (2 * k + 1) % 3)"), ("k", "(k := (k + 1) % 3)"), ("(k := (k + 1) % 3)", "k")]),
    "a name that a call rebinds": ("""
    w, k = x[2], 1
    def swap():
        nonlocal w
        w = w * 1.5 + x[1]
        return 0.5 * x[0]
    def step():
        nonlocal k
        k = (k + 2) % 3
        return (k + 1) % 3
""", [("w", "swap()"), ("swap()", "w"), ("swap()", "swap()")], [("k", "step()"), ("step()", "k"), ("step()", "step()")]),
    "an attribute that a method changes": ("""
    o, at_ = Counting(x[2]), Counting(1)
""", [("o.n", "o.grow(x[0])"), ("o.grow(x[0])", "o.n"), ("o.grow(x[0])", "o.grow(x[1])")],
                                            [("at_.n % 3", "at_.grow(1) % 3"), ("at_.grow(2) % 3", "at_.grow(1) % 3")]),
    "next": ("""
    numbers = iter([0.3, 0.7, 1.1, 1.9, 2.3, 3.1, 4.3, 5.3, 6.1, 7.1, 8.3, 9.7])
    places = iter([2, 0, 1, 2, 1, 0, 0, 2, 1, 1, 0, 2])
""", [("next(numbers) * x[0]", "next(numbers) * x[1]")], [("next(places)", "next(places)")]),
    "an array that a call changes": ("""
    a = np.array([0.3, 0.9, 1.4]) * x
    def touch(z, j):
        z[j] = z[j] * 2.0 + 1.0
        return z[(j + 1) % 3]
""", [("a[0]", "touch(a, 0)"), ("touch(a, 2)", "touch(a, 0)"), ("touch(a, 1)", "a[1]")], []),
}
CLASS = """
class Counting:
    def __init__(self, n):
        self.n = n
    def grow(self, by):
        self.n = self.n + by
        return self.n
"""

FORMS: dict[str, str] = {
    "sum": "y = {A} + 3.0 * {B}",
    "difference": "y = {A} - {B}",
    "quotient": "y = {A} / (4.0 + {B} ** 2)",
    "power": "y = (2.0 + {A} ** 2) ** {B}",
    "unary": "y = -{A} - -{B}",
    "matmul": "y = np.array([{A}, 1.0]) @ np.array([{B}, 2.0])",
    "nested": "y = g({A}, g({B}, {C}))",
    "comparison": "y = x[0] if {A} < {B} else 2.0 * x[1]",
    "chained comparison": "y = x[0] * 3.0 if {A} < {B} < {C} else 2.0 * x[1]",
    "or": "y = ({A} or {B}) - {C}",
    "and": "y = ({A} and {B}) - {C}",
    "conditional": "y = {A} - 2.0 * {B} if {C} > 0.4 else {B} - 3.0 * {A}",
    "call": "y = g({A}, {B})",
    "keywords": "y = g(q={A}, p={B})",
    "star": "y = g(*[{A}, {B}])",
    "star before": "y = g(*pair({A}), {B})",
    "star and keyword": "y = g(*[{A}], r={B})",
    "keyword before star": "y = g(r={A}, *[{B}])",
    "double star": "y = g({A}, **{{'q': {B}}})",
    "double star after star": "y = g(*[{A}], **{{'q': {B}, 's': {C}}})",
    "rest": "y = g({A}, 1.0, {B}, {C})",
    "method": "y = Holder({A}).times({B})",
    "method of a name": "h = Holder({A})\n    y = h.times({B}, q={C})",
    "function from a table": "y = (np.sin, np.cos, np.tanh)[{I}]({A})",
    "numpy function": "y = np.maximum({A}, {B}) + np.arctan2({B}, {C})",
    "array": "y = np.array([{A}, {B}, {C}])",
    "tuple": "t = ({A}, {B})\n    y = t[0] - 2.0 * t[1]",
    "list": "t = [{A}, {B}, {C}]\n    y = t[0] - 2.0 * t[1] + t[2] ** 2",
    "starred list": "t = [*pair({A}), {B}, *[{C}]]\n    y = t[0] - 2.0 * t[1] + t[2] ** 2 + t[3]",
    "dict": "t = {{'a': {A}, 'b': {B}}}\n    y = t['a'] - 2.0 * t['b']",
    "dict keys": "t = {{{I}: {A}, 5 + {J}: {B}}}\n    y = sum(v * (k + 1.0) for k, v in t.items())",
    "merged dict": "t = {{**{{'a': {A}}}, 'b': {B}, **{{'c': {C}}}}}\n    y = t['a'] - 2.0 * t['b'] + 0.3 * t['c'] ** 2",
    "index": "y = np.sin(x)[{I}] * {A}",
    "indices": "y = np.outer(x, x + 1.0)[{I}, {J}]",
    "slice": "y = np.sum(np.sin(x)[min({I}, 1):{J} + 1]) + x[0]",
    "index of a product": "y = {A} * x[{I}]",
    "store": "y = x * 1.0\n    y[{I}] = {A}",
    "store of both": "y = np.outer(x, x)\n    y[{I}, {J}] = {A}",
    "store into a slice": "y = x * 1.0\n    y[{I}:{J} + 1] = {A}",
    "store into a list": "t = [x[0], x[1], x[2]]\n    t[{I}] = {A}\n    y = t[0] - 2.0 * t[1] + 3.0 * t[2]",
    "store into a dict": "t = {{}}\n    t[{I}] = {A}\n    y = sum(v * (k + 1.0) for k, v in t.items())",
    "update": "y = x * 1.0\n    y[{I}] += {A}",
    "update of both": "y = np.outer(x, x)\n    y[{I}, {J}] *= {A}",
    "update of a list": "t = [x[0], x[1], x[2]]\n    t[{I}] -= {A}\n    y = t[0] - 2.0 * t[1] + 3.0 * t[2]",
    "update of a name": "y = x[0]\n    y += {A} * {B}",
    "attribute": "h = Holder(x[0])\n    h.v = {A} - 2.0 * {B}\n    y = h.v",
    "attribute of an item": "t = [Holder(x[0]), Holder(x[1]), Holder(x[2])]\n    t[{I}].v = {A}\n"
                            "    y = t[0].v - 2.0 * t[1].v + 3.0 * t[2].v",
    "update of an attribute of an item": "t = [Holder(x[0]), Holder(x[1]), Holder(x[2])]\n    t[{I}].v += {A}\n"
                                         "    y = t[0].v - 2.0 * t[1].v + 3.0 * t[2].v",
    "chained assignment": "y, z = x * 1.0, x * 2.0\n    y[{I}] = z[{J}] = {A}\n    y = y - z",
    "several names": "p, q = {A}, {B}\n    y = p - 2.0 * q",
    "several stores": "y, z = x * 1.0, x * 2.0\n    y[{I}], z[{J}] = {A}, {B}\n    y = y - z",
    "a name and a store": "z = x * 1.0\n    p, z[{I}] = {A}, {B}\n    y = p - z",
    "stores of a pair": "y, z = x * 1.0, x * 2.0\n    y[{I}], z[{J}] = pair({A})\n    y = y - z",
    "nested targets": "y = x * 1.0\n    (p, y[{I}]), q = ({A}, {B}), {C}\n    y = y + p - q",
    "starred target": "p, *q = {A}, {B}, {C}\n    y = p - 2.0 * q[0] + 3.0 * q[1]",
    "swap": "y = x * 1.0\n    y[{I}], y[{J}] = y[{J}], y[{I}]",
    "walrus": "y = (p := {A}) - 2.0 * p * {B}",
    "text": "t = f'{{{I}}}|{{{J}:d}}'\n    y = x['012'.index(t[0])] - 2.0 * x['012'.index(t[2])]",
    "percent": "t = '%d|%d' % ({I}, {J})\n    y = x['012'.index(t[0])] - 2.0 * x['012'.index(t[2])]",
    "format": "t = '{{}}|{{}}'.format({I}, {J})\n    y = x['012'.index(t[0])] - 2.0 * x['012'.index(t[2])]",
    "loop over a list": "y = x[2]\n    for v in [{A}, {B}, {C}]:\n        y = 0.5 * y + v",
    "loop over a range": "y = x[2]\n    for v in range({I}, {J} + 2):\n        y = 0.5 * y + v * {A}",
    "comprehension": "y = sum([v * {B} for v in [{A}, x[1]]])",
    "comprehension of two": "y = np.array([p - 2.0 * q for p in [{A}, x[1]] for q in [{B}]])",
    "filtered comprehension": "y = sum([v * {B} for v in [{A}, x[1]] if v + {C} > 0.5]) + x[0]",
    "generator expression": "y = sum(v * {B} for v in [{A}, x[1]])",
    "dict comprehension": "t = {{({I}) + 3 * j: {A} for j in range(2)}}\n    y = sum(v * (k + 1.0) for k, v in t.items())",
    "default of a lambda": "h = lambda p={A}, q={B}: p - 2.0 * q\n    y = h()",
    "defaults of a function": "def h(p={A}, *, q={B}):\n        return p - 2.0 * q\n    y = h()",
    "with": "with Holder({A}) as p, Holder({B}) as q:\n        y = p - 2.0 * q",
    "assert": "assert {A} < 1e9, f'{{{B}}}'\n    y = {C}",
    "if": "if {A} < {B}:\n        y = {A}\n    elif {B} < {C}:\n        y = 2.0 * {B}\n    else:\n        y = 3.0 * {C}",
    "while": "j, y = 0, x[2]\n    while j + {I} < 4:\n        j, y = j + 1, y * 0.5 + {A}",
    "del": "t = [x[0], x[1], x[2], x[0] * x[1]]\n    del t[{I}], t[{J}]\n    y = t[0] - 2.0 * t[1]",
    "return": "return {A} - 2.0 * {B}",
    "return of a tuple": "return sum(({A}, 2.0 * {B}, 3.0 * {C}))",
}


def places(form: str) -> list[str]:
    """The places of a form, in the order of the text."""
    return [name for _, name, _, _ in string.Formatter().parse(form) if name]


def texts() -> Iterator[tuple[str, str]]:
    """(name, text of a function f(x)): every form with every effect."""
    for (form, text), (effect, (setup, numbers, indices)) in itertools.product(FORMS.items(), EFFECTS.items()):
        found = places(text)
        both = any(p in "AB" for p in found) and any(p in "IJ" for p in found)
        if not indices and any(p in "IJ" for p in found):
            continue
        rows = itertools.zip_longest(numbers, indices) if both else ((n, n) for n in numbers) if found[0] in "ABC" else (
            (i, i) for i in indices)
        for position, (number, index) in enumerate(rows):
            number, index = number or numbers[0], index or (indices or [("0", "1")])[0]
            values: dict[str, str] = {}
            for p in found:
                kind = number if p in "ABC" else index
                values.setdefault(p, kind[len(values) % 2])
            rest = "" if "return" in form else f"\n    return np.sum(np.cos(y)) + 0.1 * np.sum(y) + 0.1 * ({number[1]})"
            body = text.format(**{name: f"({value})" if name in "ABC" else value for name, value in values.items()})
            program = f"{COMMON}{CLASS}\ndef f(x):{setup}\n    {body}{rest}\n"
            try:
                compile(program, form, "exec")
            except SyntaxError:                             # a walrus where a comprehension begins
                continue
            yield f"{form}, {effect} {position}", program


PROGRAMS = dict(texts())
X = np.array([0.7, 1.3, 0.45])


def function(name: str) -> Callable:
    """The function of a program, with its source."""
    file = f"<order: {name}>"
    text = PROGRAMS[name]
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    namespace: dict = {"__name__": "order"}
    exec(compile(text, file, "exec"), namespace)
    return namespace["f"]


def seeded(f: Callable) -> Callable:
    """A function whose draws are the same at each call."""
    def run(*args: np.ndarray) -> object:
        np.random.seed(3)
        random.seed(3)
        return f(*args)

    return run
