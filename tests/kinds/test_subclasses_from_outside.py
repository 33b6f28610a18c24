"""Subclasses of list, tuple, dict, namedtuple ... that come from outside, with methods of their own: followed or refused."""
from __future__ import annotations

import pytest

from tests.kinds.outcomes import module, outcomes

CLASSES = {  # base, the method, an instance, what the function does with it
    "list iter": ("list", "def __iter__(self): return map((2.0).__mul__, self[:])", "D([0.3, 0.6])", "for"),
    "list getitem": ("list", "def __getitem__(self, k): return 2.0 * list.__getitem__(self, k)", "D([0.3, 0.6])", "item"),
    "list getitem, read by for": ("list", "def __getitem__(self, k): return 2.0 * list.__getitem__(self, k)",
        "D([0.3, 0.6])", "for"),
    "list len": ("list", "def __len__(self): return 7", "D([0.3, 0.6])", "len"),
    "list bool": ("list", "def __bool__(self): return False", "D([0.3, 0.6])", "truth"),
    "list contains": ("list", "def __contains__(self, v): return False", "D([0.3, 0.6])", "in"),
    "list add": ("list", "def __add__(self, other): return [9.0]", "D([0.3, 0.6])", "add"),
    "list mul": ("list", "def __mul__(self, k): return D([v * k for v in self])", "D([0.3, 0.6])", "mul"),
    "list reversed": ("list", "def __reversed__(self): return iter([9.0])", "D([0.3, 0.6])", "reversed"),
    "list eq": ("list", "def __eq__(self, other): return True", "D([0.3, 0.6])", "equal"),
    "list getattr": ("list", "def __getattr__(self, name): return 4.0", "D([0.3, 0.6])", "attribute"),
    "list index": ("list", "def index(self, v): return 5", "D([0.3, 0.6])", "index"),
    "list own": ("list", "def total(self): return 5.0", "D([0.3, 0.6])", "method"),
    "list plain": ("list", "pass", "D([0.3, 0.6])", "for"),
    "list slice": ("list", "def __getitem__(self, k): return [9.0]", "D([0.3, 0.6])", "slice"),
    "tuple iter": ("tuple", "def __iter__(self): return iter([9.0, 8.0])", "D((0.3, 0.6))", "unpack"),
    "tuple getitem": ("tuple", "def __getitem__(self, k): return 9.0", "D((0.3, 0.6))", "item"),
    "tuple len": ("tuple", "def __len__(self): return 7", "D((0.3, 0.6))", "len"),
    "tuple add": ("tuple", "def __add__(self, other): return (9.0,)", "D((0.3, 0.6))", "add"),
    "tuple lt": ("tuple", "def __lt__(self, other): return True", "D((0.3, 0.6))", "less"),
    "tuple star": ("tuple", "def __iter__(self): return iter([9.0, 8.0])", "D((0.3, 0.6))", "star"),
    "tuple plain": ("tuple", "pass", "D((0.3, 0.6))", "sum"),
    "dict getitem": ("dict", "def __getitem__(self, k): return 9.0", "D(a=0.3, b=0.6)", "key"),
    "dict missing": ("dict", "def __missing__(self, k): return 9.0", "D(a=0.3)", "other key"),
    "dict get": ("dict", "def get(self, k, d=None): return 9.0", "D(a=0.3)", "get"),
    "dict iter": ("dict", "def __iter__(self): return iter(['b'])", "D(a=0.3, b=0.6)", "keys"),
    "dict items": ("dict", "def items(self): return [('a', 9.0)]", "D(a=0.3, b=0.6)", "items"),
    "dict values": ("dict", "def values(self): return [9.0]", "D(a=0.3, b=0.6)", "values"),
    "dict contains": ("dict", "def __contains__(self, k): return True", "D(a=0.3)", "in"),
    "dict len": ("dict", "def __len__(self): return 7", "D(a=0.3)", "len"),
    "dict bool": ("dict", "def __bool__(self): return False", "D(a=0.3)", "truth"),
    "dict getattr": ("dict", "def __getattr__(self, name): return 4.0", "D(a=0.3)", "attribute"),
    "dict or": ("dict", "def __or__(self, other): return {'a': 9.0}", "D(a=0.3)", "or"),
    "dict double star": ("dict", "def keys(self): return ['a']\n    def __getitem__(self, k): return 9.0", "D(a=0.3)", "options"),
    "dict double star, read by for": ("dict", "def __iter__(self): return iter(['a'])", "D(a=0.3, b=0.6)", "options"),
    "dict plain": ("dict", "pass", "D(a=0.3, b=0.6)", "items"),
    "ordered getitem": ("collections.OrderedDict", "def __getitem__(self, k): return 9.0", "D(a=0.3)", "key"),
    "defaultdict missing": ("collections.defaultdict", "def __missing__(self, k): return 9.0", "D(float, a=0.3)", "other key"),
    "namedtuple property": ("collections.namedtuple('P', 'a b')", "a = property(lambda self: 9.0)", "D(0.3, 0.6)", "field"),
    "namedtuple iter": ("collections.namedtuple('P', 'a b')", "def __iter__(self): return iter((9.0, 8.0))",
        "D(0.3, 0.6)", "unpack"),
    "namedtuple getitem": ("collections.namedtuple('P', 'a b')", "def __getitem__(self, k): return 9.0", "D(0.3, 0.6)", "item"),
    "namedtuple by field": ("collections.namedtuple('P', 'a b')", "def __getitem__(self, k): return 9.0", "D(0.3, 0.6)", "field"),
    "namedtuple add": ("collections.namedtuple('P', 'a b')", "def __add__(self, o): return (9.0, 8.0)", "D(0.3, 0.6)", "add"),
    "namedtuple len": ("collections.namedtuple('P', 'a b')", "def __len__(self): return 7", "D(0.3, 0.6)", "len"),
    "namedtuple own": ("collections.namedtuple('P', 'a b')", "def total(self): return self.a * 5.0", "D(0.3, 0.6)", "method"),
    "namedtuple plain": ("collections.namedtuple('P', 'a b')", "pass", "D(0.3, 0.6)", "sum"),
    "deque getitem": ("collections.deque", "def __getitem__(self, k): return 9.0", "D([0.3, 0.6])", "item"),
    "deque iter": ("collections.deque", "def __iter__(self): return iter([9.0])", "D([0.3, 0.6])", "for"),
    "counter getitem": ("collections.Counter", "def __getitem__(self, k): return 9.0", "D(a=1)", "key"),
    "float mul": ("float", "def __rmul__(self, o): return 9.0 * o", "D(0.3)", "product"),
    "int mul": ("int", "def __rmul__(self, o): return 9.0 * o", "D(3)", "product"),
    "str eq": ("str", "__hash__ = str.__hash__\n    def __eq__(self, o): return True", "D('q')", "word"),
    "ndarray mul": ("np.ndarray", "def __rmul__(self, o): return 9.0 * o", "np.ones(2).view(D)", "product of arrays"),
}
USES = {
    "for": "t = 0.0\n    for v in d:\n        t = t + v * x\n    return t * t", "item": "return d[0] * x * x",
        "len": "return len(d) * x * x",
    "truth": "return x * x if d else x ** 3", "in": "return x * x if 0.3 in d else x ** 3", "add": "return sum(d + d) * x * x",
    "mul": "return sum(d * 3) * x * x", "reversed": "return sum(v for v in reversed(d)) * x * x",
    "equal": "return x * x if d == [1.0] else x ** 3", "attribute": "return d.rate * x * x", "index": "return d.index(0.3) * x * x",
    "method": "return d.total() * x * x", "slice": "return sum(d[:1]) * x * x", "unpack": "a, b = d\n    return a * x * x + b * x",
    "less": "return x * x if d < (0.0, 0.0) else x ** 3", "star": "return max(*d) * x * x", "sum": "return sum(d) * x * x",
    "key": "return d['a'] * x * x", "other key": "return d['zz'] * x * x", "get": "return d.get('a') * x * x",
    "keys": "return sum([len(k) * x for k in d]) * x", "items": "return sum(v for _, v in d.items()) * x * x",
    "values": "return sum(d.values()) * x * x", "or": "return (d | {'b': 1.0})['a'] * x * x",
    "options": "return taken(**d) * x * x", "field": "return d.a * x * x", "product": "return (x * d) * x",
    "word": "return x * x if d == 'b' else x ** 3", "product of arrays": "return np.sum(x * d) * x",
}
PLACES = {"argument": "def f(x, d):\n    ", "global": "def f(x):\n    d = G\n    ",
          "a part of an argument": "def f(x, o):\n    d = o[0]\n    ",
          "an attribute": "def f(x, o):\n    d = o.d\n    ", "a default": "def f(x, d=G):\n    "}
OPEN = {"dict double star"}              # Python copies the entries of a dict, whatever its methods say
TEXT = """import collections
import types

class D({base}):
    {method}

def taken(a=0.0, b=0.0):
    return a + b

G = {instance}

{place}{use}
"""


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.xfail(strict=True)) if name in OPEN else name for name in CLASSES])
def test_subclasses(name: str, place: str) -> None:
    base, method, instance, use = CLASSES[name]
    names = module(TEXT.format(base=base, method=method, instance=instance, place=PLACES[place], use=USES[use]))
    rest = {"argument": "(G,)", "a part of an argument": "([G],)", "an attribute": "(types.SimpleNamespace(d=G),)"}.get(place, "()")
    outcomes(names["f"], [lambda x=x: (x, *eval(rest, names)) for x in (2.0, 1.5)])
