"""Statements that are written out before names are resolved: `try`, `with`, `match`, `yield`. Trees only, no objects.

`match` becomes a chain of `if`: each pattern is a test, and assignments of what it captures.
"""
from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, NoReturn

import gast

from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Names
from sourcegrad.parse.generators import generator_loops, generators
from sourcegrad.parse.try_ import contexts, handlers

SELF_MATCHING = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def matching(s: Any, names: Names, static: Callable, bound: dict) -> list:
    """`match E: case P if G: BODY` ..."""
    origin = t.origin_of(s)
    before: list = []
    subject = s.subject
    if not isinstance(subject, (gast.Name, gast.Constant)) or _rebinds(s, subject):
        name = names.fresh("subject")
        before = [t.assign(name, subject, origin)]
        subject = t.load(name)
    chain: list = []
    for case in reversed(s.cases):
        pattern = _Pattern(static, origin)
        pattern.read(case.pattern, subject)
        tests = pattern.tests
        if case.guard is not None:                       # sees what was captured
            tests = [*tests, _Captured(pattern.captured).visit(case.guard)]
        body = [*(t.assign(n, t.clone(value), origin) for n, value in pattern.captured.items()), *case.body]
        test = tests[0] if len(tests) == 1 else gast.BoolOp(op=gast.And(), values=tests) if tests else None
        chain = body if test is None else [t.if_(test, body, chain, origin)]
    return [*before, *chain]


def _rebinds(s: Any, subject: Any) -> bool:
    """Whether a capture has the name of the subject."""
    captured = {n.name for case in s.cases for n in t.walk(case.pattern) if isinstance(n, (gast.MatchAs, gast.MatchStar))}
    return isinstance(subject, gast.Name) and subject.id in captured


class _Captured(t.Transformer):
    def __init__(self, captured: dict[str, Any]) -> None:
        self.captured = captured

    def visit_Name(self, node: gast.Name) -> Any:
        return t.clone(self.captured[node.id]) if node.id in self.captured else node


class _Pattern:
    """Tests that must hold, and the captured names with their values."""

    def __init__(self, static: Callable, origin: Any) -> None:
        self.static, self.origin = static, origin
        self.tests: list = []
        self.captured: dict[str, Any] = {}

    def refuse(self, what: str) -> NoReturn:
        raise UnsupportedError(f"{what} in a `match`", self.origin, "Write if/elif.")

    def read(self, p: Any, subject: Any) -> None:
        if isinstance(p, gast.MatchValue):
            self.test(gast.Eq(), subject, p.value)
        elif isinstance(p, gast.MatchSingleton):
            self.test(gast.Is(), subject, t.const(p.value))
        elif isinstance(p, gast.MatchAs):
            if p.pattern is not None:
                self.read(p.pattern, subject)
            if p.name is not None:
                self.captured[p.name] = subject
        elif isinstance(p, gast.MatchOr):
            self.alternatives(p, subject)
        elif isinstance(p, gast.MatchSequence):
            self.sequence(p, subject)
        elif isinstance(p, gast.MatchClass):
            self.instance(p, subject)
        elif isinstance(p, gast.MatchMapping) and p.rest is None:
            self.tests.append(t.call("isinstance", t.clone(subject), t.load("dict")))
            for key, pattern in zip(p.keys, p.patterns):
                self.test(gast.In(), key, subject)
                self.read(pattern, t.subscript(t.clone(subject), t.clone(key)))
        else:
            self.refuse("this pattern")

    def test(self, op: Any, left: Any, right: Any) -> None:
        self.tests.append(gast.Compare(left=t.clone(left), ops=[op], comparators=[t.clone(right)]))

    def alternatives(self, p: Any, subject: Any) -> None:
        parts = []
        for item in p.patterns:
            part = _Pattern(self.static, self.origin)
            part.read(item, subject)
            if part.captured:
                self.refuse("a capture in one of several patterns (`|`)")
            if not part.tests:
                return
            parts.append(part.tests[0] if len(part.tests) == 1 else gast.BoolOp(op=gast.And(), values=part.tests))
        self.tests.append(gast.BoolOp(op=gast.Or(), values=parts))

    def sequence(self, p: Any, subject: Any) -> None:
        kinds = t.pack([t.load(name) for name in ("list", "tuple", "range")])
        self.tests.append(t.call("isinstance", t.clone(subject), kinds))
        star = next((j for j, item in enumerate(p.patterns) if isinstance(item, gast.MatchStar)), None)
        count = len(p.patterns) - (star is not None)
        self.test(gast.Eq() if star is None else gast.GtE(), t.call("len", t.clone(subject)), t.const(count))
        for position, item in enumerate(p.patterns):
            if position != star:
                index = position if star is None or position < star else position - len(p.patterns)
                self.read(item, t.subscript(t.clone(subject), t.const(index)))
            elif item.name is not None:
                after = position + 1 - len(p.patterns)
                part = gast.Slice(lower=t.const(position), upper=t.const(after) if after else None, step=None)
                self.captured[item.name] = t.call("list", t.subscript(t.clone(subject), part))

    def instance(self, p: Any, subject: Any) -> None:
        cls = self.static(p.cls)
        if not isinstance(cls, type):
            self.refuse("a class that is not known by its name")
        self.tests.append(t.call("isinstance", t.clone(subject), t.clone(p.cls)))
        names = getattr(cls, "__match_args__", ())
        for position, item in enumerate(p.patterns):
            if cls in SELF_MATCHING and len(p.patterns) == 1:
                self.read(item, subject)
            elif position < len(names):
                self.read(item, t.attribute(t.clone(subject), names[position]))
            else:
                self.refuse("a class pattern with more values than the class has")
        for name, item in zip(getattr(p, "kwd_attrs", None) or (), getattr(p, "kwd_patterns", None) or ()):
            self.read(item, t.attribute(t.clone(subject), name))


STATEMENTS: dict[type, Any] = {gast.Try: handlers, gast.With: contexts, gast.Match: matching}


def written_out(node: Any, lookup: Callable[[str], Any]) -> tuple[dict[str, Any], list]:
    """Rewrite a function in place, inner functions included; gives new functions that it then calls, by name, and those that stand
    in it instead of being called: (the expression that named it, the function, its description).

    lookup: the object of a name that is not local (None if there is none).
    """
    bound: dict[str, Any] = {}
    stored = {n.id for n in t.walk(node) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}

    def static(item: Any) -> Any:
        if isinstance(item, gast.Attribute):
            owner = static(item.value)
            return getattr(owner, item.attr, None) if isinstance(owner, types.ModuleType) else None
        return lookup(item.id) if isinstance(item, gast.Name) and item.id not in stored else None

    names = Names({n.id for n in t.walk(node) if isinstance(n, gast.Name)}
                  | {n.name for n in t.walk(node) if isinstance(n, (gast.FunctionDef, gast.MatchAs, gast.MatchStar))
                     and n.name})
    taken = generator_loops(node, names, static, bound)
    generators(node, names)
    for outer in t.walk(node):
        for s in outer.body if isinstance(outer, (gast.Try, gast.With)) else ():
            for inner in t.walk(s):
                if isinstance(inner, gast.Try):
                    inner.inside = True                 # what its `finally` binds may be seen when an exception passes
    node.body = _block(node.body, names, static, bound)
    return bound, taken


def _block(block: list, names: Names, static: Any, bound: dict) -> list:
    result: list = []
    for s in block:
        t.map_raw_blocks(s, lambda inner: _block(inner, names, static, bound))
        rewrite = STATEMENTS.get(type(s))
        result += rewrite(s, names, static, bound) if rewrite else [s]
    return result
