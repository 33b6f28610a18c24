"""Nothing vanishes: calls that are not resolved, effects of calls whose result nobody uses, values that generated code reads."""
from __future__ import annotations

from collections import Counter

import gast
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InternalError, SourcegradError
from sourcegrad.ir import tree as t, verify
from tests import conftest
from tests.errors.modules import load
from tests.kinds.outcomes import outcome

HEADER = """
import numpy as np
import sourcegrad as sg

class N:
    def __init__(self, v, nxt=None):
        self.v = v
        self.nxt = nxt

    def bump(self, d):
        self.v = self.v * 0.7 + d

    def both(self, d):
        self.bump(d)
        if self.nxt is not None:
            self.nxt.bump(2.0 * d)
        return self

class B:
    def __init__(self, items):
        self.items = items
        self.cur = items[0]
        self.d = {"a": items[-1]}

    def each(self, d):
        for item in self.items:
            item.bump(d)
"""
# what happens to p, q and w, which b holds at several places
CHANGES = ["b.cur.bump(x)", "b.d['a'].bump(x)", "b.items[0].bump(x)", "b.items[1].bump(x)", "b.items[-1].bump(x)",
          "w.nxt.bump(x)",
           "b.each(x)", "b.cur.both(x)", "w.both(x)", "b.items.pop().bump(x)", "b.cur = w", "b.d['a'] = p",
          "b.items[k] = N(x * x)",
           "for n in b.items: n.bump(x)", "p.bump(b.cur.v)", "b.items.insert(0, p)", "b.items.reverse()", "q.nxt = w",
           "b.cur.nxt = p", "[n.bump(x) for n in b.items]", "b.d['c'] = b.cur", "b.cur.v = x * 3.0", "w.nxt.v = b.cur.v * x",
           "b.items = [p, q]", "b.cur, b.d['a'] = b.d['a'], b.cur"]
PROGRAM = """
def f(x, k):
    p = N(x)
    q = N(2.0 * x)
    w = N(x, p)
    b = B([q, w, q])
    {before}
    if k:
        {first}
    else:
        {second}
    return p.v + 2.0 * q.v * w.v + sum(n.v * (j + 1) for j, n in enumerate(b.items)) + b.cur.v * b.d['a'].v
"""
CASES = [("b.items.append(N(x))" if j % 3 == 0 else "pass", "p, q = q, p" if j % 2 else CHANGES[(j + 7) % len(CHANGES)], second)
         for j, second in enumerate(CHANGES)]
FOUND: Counter = Counter()


@pytest.mark.parametrize("before, first, second", CASES, ids=[f"{b[:7]} {s}" for b, _, s in CASES])
def test_methods_that_change_shared_objects(tmp_path, before, first, second) -> None:
    f = load(tmp_path, HEADER + PROGRAM.format(before=before, first=first, second=second)).f
    try:
        gradient = sg.grad(f, inputs="x")
        for x, k in ((1.5, 1), (1.6, 1), (1.5, 0), (1.7, 0)):
            assert np.isclose(gradient(x, k), (f(x + 1e-6, k) - f(x - 1e-6, k)) / 2e-6, 1e-5)
        FOUND["right"] += 1
    except SourcegradError as problem:
        assert problem.origin is not None and not isinstance(problem, InternalError), str(problem)
        FOUND["refused"] += 1


def test_most_are_right() -> None:
    if sum(FOUND.values()) == len(CASES):
        assert FOUND["right"] >= 12


# --- methods with the names of methods of arrays

NAMED = """
import functools
import numpy as np

class Acc:
    def __init__(self):
        self.t = 0.0

    def sum(self, v):
        self.t = self.t + v
        return self.t

    def copy(self):
        self.t = self.t + 1.0
        return self

    def append(self, v):
        self.t = self.t + 3.0 * v

    def mean(self):
        self.t = self.t * 2.0
        return 1.0

class Other:
    def __init__(self):
        self.t = 1.0

    def sum(self, v):
        return v

    def mean(self):
        return 0.0

def f(x):
    a = Acc()
    {}
    return a.t * x
"""
BODIES = ["a.sum(x)", "b = a.copy()\n    b.append(x)", "m = a.append\n    m(x)\n    m(x)", "getattr(a, 'append')(x)",
          "a.__class__.append(a, x)",
          "[a.append(x * i) for i in range(3)]", "any(a.sum(x * i) > 100 for i in range(3))",
          "a.sum(x) if x > 0 else a.append(x)",
          "x > 0 and a.sum(x)", "t = (a.sum(x), a.sum(x))", "t = f'{a.sum(x)}'", "assert a.sum(x) is not None",
          "{'m': a.sum}['m'](x)",
          "h = lambda v: a.sum(v)\n    h(x)\n    h(x)", "list(map(a.sum, [x, 2.0 * x]))",
          "sorted([3.0, 1.0], key=lambda v: a.sum(v * x))",
          "max([1.0, 2.0], key=lambda v: a.sum(v * x))", "functools.reduce(lambda s, v: s + a.sum(v), [x, x], 0.0)",
          "Acc.sum(a, x)",
          "type(a).sum(a, x)", "b = (a, 1.0)\n    b[0].append(x)", "if a.sum(x) > 100.0:\n        x = 2.0 * x",
          "a = [a, Other()][0 if x > 0 else 1]\n"
          "    a.sum(x)", "l = [a, Other()]\n    for o in l:\n        o.mean()\n    l[0].sum(x)", "d = {'a': a, 'b': Other()}\n"
          "    d['a' if x > 0 else 'b'].sum(x)", "while a.sum(x) < 3.0:\n        x = x * 1.5", "x = x + 0.0 * (a.sum(x) > 3.0)"]


@pytest.mark.parametrize("body", BODIES)
def test_methods_that_are_called_as_those_of_arrays(tmp_path, body) -> None:
    outcome(load(tmp_path, NAMED.format(body)).f, 1.3)


# --- what a whole run of the tests leaves out

def test_what_a_whole_run_leaves_out_is_another_in_each(monkeypatch) -> None:
    monkeypatch.delenv("SOURCEGRAD_SHARE", raising=False)
    gradient, second = (f"tests/programs/test_real.py::test_{x}[battery.fit_error]" for x in ("gradient", "second_derivative"))
    found = [set(), set()]
    for run in range(800):
        monkeypatch.setattr(conftest, "RUN", str(run))
        found[0].add(conftest.in_share(gradient))
        found[1].add(conftest.in_share(second))
    assert found == [{True, False}] * 2


def test_what_the_default_always_takes_is_on_one_of_the_other_pythons(monkeypatch) -> None:
    always = [f"tests/api/test_vjp.py::test_{name}" for name in ("value", "pullback", "text", "order", "places")]
    taken = {name: set() for name in always}
    for run in range(90):
        monkeypatch.setattr(conftest, "RUN", str(run))
        monkeypatch.delenv("SOURCEGRAD_SHARE", raising=False)
        assert all(map(conftest.in_share, always))
        found = []
        for python in range(1, 4):
            monkeypatch.setenv("SOURCEGRAD_SHARE", f"{python}/24")
            monkeypatch.setenv("SOURCEGRAD_PYTHON", f"{python}/3")
            found += [(name, python) for name in always if conftest.in_share(name)]
        names = [name for name, _ in found]
        assert len(set(names)) == len(names)                     # on one of them, in every second run
        for name, python in found:
            taken[name].add(python)
    assert all(pythons == {1, 2, 3} for pythons in taken.values())


# --- effects of calls whose results nobody uses

SEEN: list = []


@sg.nondifferentiable
def report(v):
    SEEN.append(1)
    return 0


def scaled(v):
    SEEN.append(1)
    return 2.0 * v


@sg.rule(scaled)
def scaled_rule(ct, out, v):
    return 2.0 * ct


class Reporter:
    def __call__(self, v):
        SEEN.append(1)


REPORTER = sg.nondifferentiable(Reporter())
UNUSED = {
    "statement": (lambda x: (report(x), x * x)[1], 1), "two": (lambda x: (report(x), report(x), x * x)[2], 2),
    "an object": (lambda x: (REPORTER(x), x * x)[1], 1), "a rule": (lambda x: (scaled(x), x * x)[1], 1),
    "in a product": (lambda x: x * x + 0.0 * report(x), 1), "in a list": (lambda x: (len([report(x), report(x)]), x * x)[1], 2),
    "in a comprehension": (lambda x: ([report(x * j) for j in range(3)], x * x)[1], 3),
    "in a branch": (lambda x: (report(x) if x > 0 else 0, x * x)[1], 1),
    "not in a branch": (lambda x: (x < 0 and report(x), x * x)[1], 0),
    "of a constant": (lambda x: (report(1.0), x * x)[1], 1), "in a dict": (lambda x: ({"a": report(x)}, x * x)[1], 1),
}


def loop(x):
    for j in range(3):
        report(x * j)
    return x * x


def assigned(x):
    y = report(x)
    y = x * x
    return y


def helper(x):
    report(x)
    return x


def called(x):
    helper(x)
    return x * x


UNUSED |= {"in a loop": (loop, 3), "assigned again": (assigned, 1), "in a helper": (called, 1), "in a helper of one that is used": (
    lambda x: helper(x) * x, 1)}


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", UNUSED)
def test_effects_of_what_has_derivative_zero(name, order) -> None:
    f, times = UNUSED[name]
    gradient = sg.grad(f) if order == 1 else sg.grad(sg.grad(f))
    for _ in range(3):
        SEEN.clear()
        assert np.isclose(gradient(2.0), 4.0 if order == 1 else 2.0)
        assert len(SEEN) == times


# --- the zeros of a list

PACK = """
class Cell:
    def __init__(self, soc):
        self.soc = soc

class Pack:
    def __init__(self, cells):
        self.cells = cells

    def balance(self, gain):
        {values}

def f(x):
    pack = Pack([Cell(x[0]), Cell(x[1]), Cell(2.0 * x[0])])
    total = 0.0
    for n in range(2):
        held = pack.balance(0.5)
        for c, h in zip(pack.cells, held):
            c.soc = c.soc - h * h
    for c in pack.cells:
        total += c.soc ** 2
    return total
"""
BALANCES = ["mean = sum(c.soc for c in self.cells) / len(self.cells)\n        return [gain * (c.soc - mean) for c in self.cells]",
            "most = max(c.soc for c in self.cells)\n        return [gain * (most - c.soc) for c in self.cells]",
            "socs = [c.soc for c in self.cells]\n        return [gain * a * b for a, b in zip(socs, reversed(socs))]",
            "whole = sum([c.soc ** 2 for c in self.cells])\n        return [c.soc / whole for c in self.cells]",
            "one = [c.soc for c in self.cells]\n        two = [c.soc * s for c, s in zip(self.cells, one)]\n"
            "        return [c.soc - t for c, t in zip(self.cells, two)]",
            "first = [c.soc * gain for c in self.cells]\n        total = sum(first) + sum(c.soc ** 3 for c in self.cells)\n"
            "        return [total * c.soc for c in self.cells]",
            "return [gain * (c.soc - d.soc) for c, d in zip(self.cells, self.cells[1:] + self.cells[:1])]",
            "total = 0.0\n        for c in self.cells:\n            total += c.soc\n"
            "        return [c.soc / total for c in self.cells]"]


@pytest.mark.parametrize("values", BALANCES, ids=range(len(BALANCES)))
def test_lists_of_the_same_objects_twice(tmp_path, values) -> None:
    assert outcome(load(tmp_path, PACK.format(values=values)).f, np.array([1.0, 2.3])) == "right"


# --- the definition check on what is executed

SOUND = ["y = x\nreturn y", "if x:\n    y = 1\nelse:\n    y = 2\nreturn y", "for k in x:\n    y = k\nreturn y",
         "if x:\n    y = 1\nif x:\n    z = y\nreturn x", "for k in x:\n    if k:\n        z = y\n    y = k\nreturn x",
         "y = [k for k in x]\nfor k in x:\n    pass\nreturn y", "try:\n    y = x\nexcept ValueError:\n    y = 2\nreturn y",
         "if x:\n    raise ValueError\nelse:\n    y = 1\nreturn y", "with x as y:\n    z = y\nreturn z"]
UNSOUND = ["return y\ny = x", "if x:\n    y = 1\nreturn y", "for k in x:\n    z = y\n    y = k\nreturn z", "y += x\nreturn y",
           "y[0] = x\ny = x\nreturn y", "while x:\n    x = y\n    y = 1\nreturn x", "z = [k + y for k in x]\ny = 1\nreturn z",
           "try:\n    y = x\nexcept ValueError:\n    z = 2\nreturn y", "for k in x:\n    y[k] = z[k]\n    y, z = k, k\nreturn x",
           "y = f(y)\nreturn y", "for k in x:\n    for j in y:\n        pass\n    y = k\nreturn x"]


def function_of(body: str) -> gast.FunctionDef:
    tree = gast.parse("def g(x):\n" + "\n".join(f"    {line}" for line in body.splitlines()))
    for s in t.as_printed(tree.body):
        s.origin = None
    return tree.body[0]


@pytest.mark.parametrize("body", SOUND)
def test_sound_texts(body) -> None:
    verify.executed(function_of(body), function_of("return x"))


@pytest.mark.parametrize("body", UNSOUND)
def test_texts_that_read_what_is_not_there(body) -> None:
    with pytest.raises(InternalError, match="after the last pass: .* is used before it is defined"):
        verify.executed(function_of(body), function_of("return x"))


def test_every_text_is_checked(monkeypatch) -> None:
    checked = []
    monkeypatch.setattr("sourcegrad.ir.verify.executed", lambda tree, origin: checked.append(tree.name))
    sg.grad(lambda x: x * x * x)(2.0)
    assert checked
