"""Dicts that hold nothing: what only a key of theirs would reach is not looked at, and what another name fills them with counts."""
from __future__ import annotations

import pytest

from tests.kinds.outcomes import module, outcome, outcomes

START = """
KEYS, LATER = ["a", "b"], {}


def fill(d, value):
    for key in KEYS:
        d[key] = value


def same(d):
    return d


class Held:
    def __init__(self, d):
        self.d = d

    def fill(self, value):
        for key in KEYS:
            self.d[key] = value


class Options:
    def __init__(self):
        self.options, self.saved = {}, {}

    def arguments(self, parameters=None, given=None):
        if parameters is None:
            parameters = {}
        found, saved = {}, {}
        found.update(self.options)
        for name, value in given.items():
            if name in parameters:
                saved[name] = parameters[name].value
                parameters[name].value = value
        if len(saved) > 0:
            parameters.renew()
        for name, parameter in parameters.items():
            found[name] = parameter.value
        for name, value in given.items():
            found[name] = value
        for name, value in saved.items():
            parameters[name].value = value
        return found


MODEL = Options()
"""
READS = {
    "loop over items": "for key, v in d.items():\n        t = t + v * x",
    "loop over values": "for v in d.values():\n        t = t * v",
    "loop over keys": "for key in d:\n        t = t + d[key]",
    "keys in it": "for key in KEYS:\n        if key in d:\n            t = t * 3.0",
    "keys not in it": "for key in KEYS:\n        if key not in d:\n            t = t * 3.0",
    "one key": "if 'a' in d:\n        t = t * 5.0",
    "truth": "if d:\n        t = t * 7.0",
    "get": "t = t + d.get('a', x)",
    "length": "t = t * (1.0 + len(d))",
}
FILLED = {
    "nothing": "pass", "a callee": "fill(d, x * x)", "another name": "e = d\n    fill(e, x * x)",
    "a loop by another name": "e = d\n    for key in KEYS:\n        e[key] = x * x",
    "a result": "e = same(d)\n    for key in KEYS:\n        e[key] = x * x",
    "a list": "e = [{}, d]\n    fill(e[1], x * x)", "an object": "Held(d).fill(x * x)",
    "two objects": "e = [Held(d), Held(d)]\n    e[1].fill(x * x)",
    "an inner function": "def put(key):\n        d[key] = x * x\n    for key in KEYS:\n        put(key)",
    "a choice": "(d if x > 0.0 else {})['a'] = x * x", "update": "d.update((key, x * x) for key in KEYS)",
    "setdefault": "for key in KEYS:\n        d.setdefault(key, x * x)",
}


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("filled", FILLED)
def test_what_fills_it(filled: str, read: str) -> None:
    text = f"{START}\ndef f(x):\n    t = x\n    d = {{}}\n    {FILLED[filled]}\n    {READS[read]}\n    return t * x\n"
    found = outcome(module(text)["f"], 1.3)
    assert found == "right" or filled not in ("nothing", "a callee", "a loop by another name", "a list")


HOLDERS = {                     # what else holds the dict, and how it gets items while it is asked
    "a dict": ("root = {'sum': 0.0, 'below': d}", "root['below'][letter]"), "a list": ("root = [{}, d]", "root[1][letter]"),
    "an object": ("root = Held(d)", "root.d[letter]"), "two": ("root = [Held(d), Held(d)]", "root[1].d[letter]"),
    "a tuple": ("root = d, {}", "root[0][letter]"), "a dict in a dict": ("root = {'a': {'b': d}}", "root['a']['b'][letter]"),
    "by default": ("root = {}", "root.setdefault('k', d)[letter]"), "a choice": ("root = d if x > 0.0 else {}", "root[letter]"),
    "its result": ("root = [same(d)]", "root[-1][letter]"), "a name in the loop": ("root = [d]", "again[letter]"),
}
ASKED = {
    "in": "if letter in d:\n            t = t + d[letter] * x\n        else:\n            STORE = x * x",
    "not in": "if letter not in d:\n            STORE = x * x\n        t = t + d[letter] * t",
    "a loop": "for v in d.values():\n            t = t + v * x\n        STORE = x * t",
    "items": "for key, v in d.items():\n            t = t + v * x if key == letter else t * v\n        STORE = x * t",
    "get": "t = t + d.get(letter, x) * x\n        STORE = x * t",
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("holder", HOLDERS)
def test_filled_while_it_is_asked(holder: str, asked: str) -> None:
    made, place = HOLDERS[holder]
    again = "again = root[0]\n        " if "again" in place else ""
    text = (f"{START}\ndef f(x):\n    t, d = x, {{}}\n    {made}\n    for letter in ('a', 'b', 'a', KEYS[1]):\n        {again}"
            f"{ASKED[asked].replace('STORE', place)}\n    return t * x\n")
    outcome(module(text)["f"], 1.3)


TREE = """
def f(x):
    root, total = {"sum": 0.0, "below": {}}, 0.0
    for k, word in enumerate(("ab", "abc", "bc", "ad")):
        node = root
        for letter in word:
            ASKED
            node = node["below"][letter]
            node["sum"] += x * x * k
    waiting = [root]
    while waiting:
        node = waiting.pop()
        total += node["sum"] ** 2 + x
        waiting.extend([below for below in node["below"].values()])
    return total
"""
NODES = {
    "a part": "if letter not in node['below']:\n                node['below'][letter] = {'sum': 0.0, 'below': {}}",
    "a name": "below = node['below']\n            if letter not in below:\n"
        "                below[letter] = {'sum': 0.0, 'below': {}}",
    "made before": "new = {}\n            if letter not in node['below']:\n"
        "                node['below'][letter] = {'sum': 0.0, 'below': new}",
    "asked when made": "new = {}\n            if letter not in node['below'] and letter not in new:\n"
        "                node['below'][letter] = {'sum': 0.0, 'below': new}",
}


@pytest.mark.parametrize("asked", NODES)
def test_a_tree(asked: str) -> None:
    assert outcome(module(TREE.replace("ASKED", NODES[asked]))["f"], 1.3) == "right"


RIGHT = {
    "options that nobody gives": """
def f(x):
    return bell(**MODEL.arguments(None, dict(a=x, b=x * x, c=2.0)))

def bell(a, b, c):
    return a * b + c * a
""",
    "options that are not given by name": """
def f(x):
    return call(x, a=x * x, b=3.0)

def call(x, parameters=None, **given):
    return np.sum(np.array(list(MODEL.arguments(parameters, given).values()))) * x
""",
    "no keywords": """
def f(x):
    return scaled(x) + scaled(x, twice=2.0)

def scaled(x, **factors):
    for name, factor in factors.items():
        x = x * factor
    for name in ("twice", "thrice"):
        if name in factors:
            x = x + 1.0
    return x * x
""",
    "a loop that starts empty": """
def f(x):
    seen, t = {}, 0.0
    for k in range(4):
        key = KEYS[k % 2]
        if key in seen:
            t = t + seen[key] * x
        seen[key] = x * k
        for other, v in seen.items():
            t = t + v
    return t
""",
    "emptied in each turn": """
def f(x):
    d, last = {}, 0.0
    for k in range(3):
        for v in d.values():
            last = v * x
        d = {}
        d[KEYS[k % 2]] = x * k
        if KEYS[0] in d:
            last = last + x
    return last
""",
    "a name of the loop": """
def f(x):
    y = x
    for y in {}.values():
        y = y * 2.0
    return y * x
""",
    "in a dict": """
def f(x):
    groups, t = {"one": {}, "two": {}}, x
    inner = groups["one"]
    for key in KEYS:
        inner[key] = x * x
    for group in ("one", "two"):
        for v in groups[group].values():
            t = t + v
        for key in KEYS:
            if key in groups[group]:
                t = t * 2.0
    return t
"""}


@pytest.mark.parametrize("name", RIGHT)
def test_right(name: str) -> None:
    assert outcome(module(START + RIGHT[name])["f"], 1.3) == "right"


def test_a_dict_outside_that_gets_items_later() -> None:
    names = module(START + """
def f(x):
    t = x
    for v in LATER.values():
        t = t + v * x
    for key in KEYS:
        if key in LATER:
            t = t * 3.0
    return t
""")
    later = names["LATER"]

    def with_items(items: dict):
        def make() -> tuple:
            later.clear()
            later.update(items)
            return (1.3,)
        return make

    assert outcomes(names["f"], [with_items({}), with_items({"a": 2.0}), with_items({})]) == ["right"] * 3
