"""Unreachable code elimination: what never runs, as the kinds say, is not looked into.

What never runs, as the kinds say, is not looked into: loops over lists that hold nothing, branches that are never taken.

A leaf of a tree has no children: `for c in self.children: total += c.total()` says nothing about what c would be there.
And where `self.last` is None, `else: d = e - self.last` says nothing about what d would be.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import kinds as k
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Unit
from sourcegrad.kinds.results import constant_truth

PROBLEM = "this list was empty when the code was generated"


def vacant(unit: Unit, facts: Infer) -> bool:
    """Put a test that the list is empty in the place of such loops, and the other branch in that of such branches. Whether
    there are any."""
    values: dict[str, list] = {}
    for s in t.statements(unit.tree.body):
        for name in t.writes(s):
            values.setdefault(name, []).append(getattr(s, "value", None))
    found: list = []

    def new(s: Any) -> list:
        truth = constant_truth(facts.of(s.test)) if isinstance(s, gast.If) and not t.is_stop(s) else None
        if truth is not None:
            found.append(s)
            return s.body if truth else s.orelse
        items = _items(s.iter, values) if isinstance(s, gast.For) else None
        if items is None or not _empty(facts.of(items)):
            return [s]
        found.append(s)
        origin = t.origin_of(s)
        problem = t.call("AssertionError", t.const(PROBLEM))
        return [t.if_(t.load(items.id), [t.at(gast.Raise(exc=problem, cause=None), origin)], [], origin)]

    unit.tree.body = t.rewritten(unit.tree.body, new)
    return bool(found)


def _items(node: Any, values: dict[str, list]) -> Any:
    """The name of the list whose items `range(len(items))` counts; names that are assigned once stand for what they are."""
    for function in ("range", "len"):
        node = _value(node, values)
        if not isinstance(node, gast.Call) or not t.is_name(node.func, function) or len(node.args) != 1:
            return None
        node = node.args[0]
    return node if isinstance(node, gast.Name) else None


def _value(node: Any, values: dict[str, list]) -> Any:
    found = values.get(node.id, []) if isinstance(node, gast.Name) else []
    return found[0] if len(found) == 1 and found[0] is not None else node


def _empty(kind: k.Kind | None) -> bool:
    return isinstance(kind, k.Lst) and kind.item is None and not kind.optional


# --- Rewriting of what can run: branches that cannot, with the kinds as they are known, are not looked into.

def rewritten(block: list, new: Callable[[Any], list], facts: Infer) -> list:
    """As `tree.rewritten`. What is left out is rewritten later if more is known by then, or goes (`specialise`)."""
    result: list = []
    for s in block:
        truth = constant_truth(facts.of(s.test)) if isinstance(s, gast.If) and not is_stop(s) else None
        for field in t.BLOCKS:
            inner = getattr(s, field, None)
            runs = truth is None or truth is (field == "body")
            if inner and isinstance(inner, list) and runs:
                setattr(s, field, rewritten(inner, new, facts))
        result += new(s)
    return result
