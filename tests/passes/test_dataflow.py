"""Data-flow analysis: joins where paths meet, fixpoints at loops, and closures over statements in any order."""
import gast
import pytest

from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import Dataflow, ReachingDefinitions, assigned_after, closure


def body(text):
    return gast.parse(text).body


@pytest.mark.parametrize("text, names", [
    ("a = x", "ax"),
    ("if x:\n    a = b = x\nelse:\n    b = x", "bx"),
    ("if x:\n    a = x", "x"),
    ("for i in x:\n    a = x", "x"),
    ("while x:\n    a = x\nb = x", "bx"),
    ("for i in x:\n    if i:\n        break\n    a = x\nc = x", "cx"),
])
def test_definite_assignment(text, names):
    assert sorted(assigned_after(body(text), frozenset("x"))) == list(names)


def reaching(text, name):
    """The lines of the definitions that reach each read of a name (0: a parameter, None: none)."""
    block, found = body(text), {}
    lines = {id(s): s.lineno for s in t.statements(block)} | {0: 0}

    def use(read, node, definitions):
        if read == name:
            found[node.lineno] = {None if d is None else lines[d[0]] for d in definitions}

    ReachingDefinitions(["x"], {n for s in t.statements(block) for n in t.writes(s)} | {"x"}, use).run(block)
    return found


@pytest.mark.parametrize("text, name, expected", [
    ("a = x\nb = a", "a", {2: {1}}),
    ("if x:\n    a = x\nb = a", "a", {3: {2, None}}),
    ("a = x\nfor i in x:\n    b = a\n    a = b\nc = a", "a", {3: {1, 4}, 5: {1, 4}}),
    ("a = x\nwhile a:\n    a = a + 1", "a", {2: {1, 3}, 3: {1, 3}}),
    ("a = x\nfor i in x:\n    for j in x:\n        a = a * j\n    b = a", "a", {4: {1, 4}, 5: {1, 4}}),
    ("for i in x:\n    b = i\nc = i", "i", {2: {1}, 3: {1, None}}),
])
def test_reaching_definitions(text, name, expected):
    assert reaching(text, name) == expected


class Read(Dataflow):
    """Names that may be read later, before they are assigned."""

    backward = True

    def join(self, s, one, other):
        return one | other

    def transfer(self, s, state):
        return state - set(t.writes(s)) | set(t.header_reads(s))


@pytest.mark.parametrize("text, names", [
    ("a = x\nb = a", "x"),
    ("if x:\n    a = y\nb = a", "ay"),
    ("for i in range(3):\n    a = b\n    b = c", "bc"),
    ("for i in range(3):\n    for j in range(3):\n        a = b\n        b = c\n    c = d", "bcd"),
])
def test_backward(text, names):
    assert sorted(Read().block(body(text), frozenset())) == list(names)


def test_closure_is_the_same_in_any_order():
    statements = body("b = a\nc = b\nd = c\ne = f")

    def downstream(order):
        found = {"a"}
        return closure(found, order, lambda s: t.writes(s) if found.intersection(t.reads(s.value)) else None)

    assert downstream(statements) == downstream(statements[::-1]) == set("abcd")
