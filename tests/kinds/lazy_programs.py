"""Programs in which an iterator and its reader do something: a form of iterator x what it does x what the reader does x the reader.

`item(v)` is what the iterator does for one item, `body(v)` what its reader does with it. What both do is seen in LOG, in the
states of random generators, in a list, an object and a stack, and in the value.
"""
from __future__ import annotations

import itertools
import random
import textwrap
from collections.abc import Iterator

import numpy as np

LOG: list = []
STREAM: list = []


def reset() -> None:
    LOG.clear()
    np.random.seed(1)
    random.seed(2)
    STREAM[:] = [np.random.default_rng(3)]


def seen() -> tuple:
    """What can be seen of the effects of a call."""
    return repr(LOG), repr(np.random.get_state()), repr(random.getstate()), repr(STREAM[0].bit_generator.state)


HEAD = """
import itertools
import random
import numpy as np
from numpy.random import normal
from tests.kinds import lazy_programs
from tests.kinds.lazy_programs import LOG

class Box:
    def __init__(self, n):
        self.n = n

def told_by_item(v):
    LOG.append("item")
    return v * 1.25

def told_by_body(v):
    LOG.append("body")
    return v * 1.25

class Made:
    def __init__(self, x, do):
        self.x, self.do, self.k = x, do, 0

class Method(Made):
    def run(self):
        for v in self.x:
            yield self.do(v)

class Iterated(Made):
    def __iter__(self):
        for v in self.x:
            yield self.do(v)

class OfMap(Made):
    def __iter__(self):
        return iter(map(self.do, self.x))

class Next(Made):
    def __iter__(self):
        return self

    def __next__(self):
        if self.k >= len(self.x):
            raise StopIteration
        self.k += 1
        return self.do(self.x[self.k - 1])

class Items(Made):
    def __len__(self):
        return len(self.x)

    def __getitem__(self, k):
        if k >= len(self.x):
            raise IndexError(k)
        return self.do(self.x[k])

def helper(items, do):
    s = 0.0
    for v in items:
        s = s + do(v)
    return s
"""
# What is done for an item: statements, then the value. {v}: the item, {who}: "item" or "body".
EFFECTS = {
    "nothing": ("", "{v} * 1.5"),
    "legacy": ("", "{v} * np.random.normal()"),
    "imported": ("", "{v} * normal()"),
    "std": ("", "{v} * random.random()"),
    "stream": ("", "{v} * rng.normal()"),
    "log": ("", "told_by_{who}({v})"),
    "list": ("seen.append({v})", "{v} * len(seen)"),
    "object": ("box.n = box.n + 1.0", "{v} * box.n"),
    "stack": ("", "{v} * stack.pop()"),
    "array": ("buf[0] = buf[0] * 1.5", "{v} * buf[0]"),
    "name": ("nonlocal level\nlevel = level * 1.1", "{v} * level"),
    "looks": ("", "{v} * (len(seen) + box.n + buf[0] + level)"),
}
SETUP = """
    rng, level = lazy_programs.STREAM[0], 1.0
    seen, box, stack, buf = [], Box(1.0), [0.5, 1.5, 2.5, 0.3, 0.7, 1.1, 1.9, 2.1, 0.2, 0.9, 0.4, 1.3, 1.4, 1.6], np.ones(2)
"""
# An expression for the iterator over x, and what is defined before it.
FORMS = {
    "map": ("", "map(item, x)"),
    "map in a variable": ("items = map(item, x)", "items"),
    "expression": ("", "(item(v) for v in x)"),
    "expression in a variable": ("items = (item(v) for v in x)", "items"),
    "filter": ("", "filter(lambda v: item(v) < 9.0, x)"),
    "filter in a variable": ("items = filter(lambda v: item(v) < 9.0, x)", "items"),
    "generator": ("def run():\n    for v in x:\n        yield item(v)", "run()"),
    "generator in a variable": ("def run():\n    for v in x:\n        yield item(v)\nitems = run()",
                                "items"),
    "yield in try": ("def run():\n    for v in x:\n        try:\n            yield item(v)\n        finally:\n            pass",
                     "run()"),
    "yield from": ("def run():\n    yield from map(item, x)", "run()"),
    "recursive": ("def run(k):\n    if k < len(x):\n        yield item(x[k])\n        yield from run(k + 1)", "run(0)"),
    "method": ("", "Method(x, item).run()"), "__iter__": ("", "Iterated(x, item)"), "__iter__ of map": ("", "OfMap(x, item)"),
    "__next__": ("", "Next(x, item)"), "__getitem__": ("", "Items(x, item)"),
    "zip": ("", "(a * b for a, b in zip(map(item, x), x))"),
    "zip of two": ("", "(a * b for a, b in zip(map(item, x), map(item, x)))"),
    "zip of generators": ("def run():\n    for v in x:\n        yield item(v)",
                          "(a * b for a, b in zip(run(), run()))"),
    "enumerate in a variable": ("items = enumerate(map(item, x))", "(a * b for a, b in items)"),
    "chain": ("", "itertools.chain(map(item, x), [x[0]])"),
    "chain of rows": ("", "itertools.chain.from_iterable([item(v), v] for v in x)"),
    "islice": ("", "itertools.islice(map(item, x), 2)"),
    "accumulate": ("", "itertools.accumulate(x, lambda a, v: a + item(v))"),
    "starmap": ("", "itertools.starmap(lambda v, w: item(v) * w, [(v, v) for v in x])"),
    "takewhile": ("", "itertools.takewhile(lambda v: item(v) < 9.0, x)"),
    "pairwise": ("", "(a * b for a, b in itertools.pairwise(map(item, x)))"),
    "compress": ("", "itertools.compress(map(item, x), [1, 1, 0, 1])"),
    "repeated call": ("calls = [3]\ndef call():\n    calls[0] -= 1\n    return item(x[calls[0]]) if calls[0] >= 0 else None",
                      "iter(call, None)"),
    "returned": ("def made():\n    return map(item, x)", "made()"),
    "iter of a generator": ("def run():\n    for v in x:\n        yield item(v)\nitems = iter(run())", "items"),
}
# How it is read. {it}: the iterator.
READERS = {
    "loop": "for w in {it}:\n    total = total + body(w)",
    "loop with break": "for w in {it}:\n    total = total + body(w)\n    if total > 1.5:\n        break\n"
                       "total = total + body(x[1])",
    "comprehension": "total = total + sum([body(w) for w in {it}])",
    "sum of an expression": "total = total + sum(body(w) for w in {it})",
    "sum": "total = total + sum({it}) + body(x[0])",
    "list": "total = total + body(x[0]) + sum(list({it})) + body(x[1])",
    "unpacked": "a, b, *rest = {it}\ntotal = total + body(a) * b + body(b)",
    "starred": "def take(first, *others):\n    return first + sum(others)\ntotal = total + take(body(x[0]), *{it}, body(x[1]))",
    "next": "kept = iter({it})\ntotal = total + next(kept)\ntotal = total + body(x[0])\ntotal = total + next(kept) + body(x[1])",
    "next once": "total = total + next(iter({it})) + body(x[0])",
    "any": "if any(body(w) > 0.5 for w in {it}):\n    total = total * 2.0\ntotal = total + body(x[0])",
    "all": "if all(w > 0.7 for w in {it}):\n    total = total * 2.0\ntotal = total + body(x[0])",
    "max by key": "total = total + max({it}, key=lambda w: body(w))",
    "sorted": "total = total + sorted({it}, key=lambda w: body(w))[0]",
    "zip": "for w, k in zip({it}, [body(x[0]), 2.0, 3.0]):\n    total = total + body(w) * k",
    "zip with a map": "for w, k in zip({it}, map(body, x)):\n    total = total + w * k",
    "enumerate": "for k, w in enumerate({it}):\n    total = total + body(w) * k",
    "helper": "total = total + helper({it}, body)",
    "later": "it = {it}\ntotal = total + body(x[0])\nfor w in it:\n    total = total + body(w)",
    "loop in a loop": "for _ in range(2):\n    for w in {it}:\n        total = total + body(w)",
    "join": "everything = []\neverything.extend({it})\ntotal = total + sum(everything) + body(x[0])",
}


def program(form: str, item: str, body: str, reader: str) -> str:
    """The text of a module with a function f of x."""
    lines = [HEAD, "def f(x):", SETUP.strip("\n")]
    for name, effect in (("item", item), ("body", body)):
        before, value = (part.format(v="v", who=name) for part in EFFECTS[effect])
        lines.append(f"    def {name}(v):\n" + textwrap.indent(f"{before}\nreturn {value}", "        "))
    before, expression = FORMS[form]
    lines += [textwrap.indent(before, "    "), "    total = x[0] * 0.5",
              textwrap.indent(READERS[reader].format(it=expression), "    "),
              "    return total * total + len(seen) * box.n + sum(stack) + buf[0] * total * level", ""]
    return "\n".join(lines)


def programs() -> Iterator[tuple[str, str, str, str]]:
    """All of them."""
    return itertools.product(FORMS, EFFECTS, EFFECTS, READERS)
