"""What a function that runs as it stands keeps outside: nobody may read it again where a derivative flows.

    def remember(x): SEEN.append(x)             a log that nobody reads is kept; this would lose half of the derivative:
                                                def f(x): remember(x); return SEEN[-1] * x
"""
from __future__ import annotations

import types
from typing import Any

import gast

from sourcegrad.errors import SourcegradError, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.unit import Function
from sourcegrad.parse.resolve import describe
from sourcegrad.primitives.core import of_user

CHANGING = ("append", "appendleft", "extend", "insert", "add", "update", "setdefault", "put")
MOST = 40                               # functions that are looked at

Names = dict[tuple[int, str], str]      # (id of the globals, name) -> the name


def check_kept(function: Function, call: Any, of: Function, place: Any) -> None:
    """Refuse a call of a function, with what depends on the inputs, if it keeps outside what is read where it is called."""
    if "kept outside" not in of.plain.variants:
        of.plain.variants["kept outside"] = Outside().of(of, "changes")
    kept: Names = of.plain.variants["kept outside"]
    both = kept.keys() & Outside().of(function, "reads").keys() if kept else set()
    if both:
        name = kept[min(both, key=lambda key: key[1])]
        raise UnsupportedError(f"'{name}' from outside, in which {of.name}() keeps something and which is read again",
                               source.locate(call, place), "Return the value, and hand it on as an argument.")


class Outside:
    """Which names from outside a function, and those that it calls by their names, read or change."""

    def __init__(self) -> None:
        self.seen: set[int] = set()

    def of(self, function: Function, what: str) -> Names:
        if id(function.tree) in self.seen or len(self.seen) > MOST:
            return {}
        self.seen.add(id(function.tree))
        found: Names = {}
        declared = {n for s in t.walk(function.tree) if isinstance(s, gast.Global) for n in s.names}
        changed = {id(node) for node in map(receiver, t.walk(function.tree)) if node is not None}
        for node in t.walk(function.tree):
            if not isinstance(node, gast.Name):
                continue
            value = function.scope.lookup(node.id) if node.id in declared or node.id not in function.local else MISSING
            if value is MISSING or isinstance(value, types.ModuleType | type) or node.id in function.scope.bound:
                continue
            changes = id(node) in changed or node.id in declared and isinstance(node.ctx, gast.Store)
            if isinstance(value, types.FunctionType):
                found.update(self.called(value, what))
            elif changes == (what == "changes"):
                found[id(function.scope.globals), node.id] = node.id
        return found

    def called(self, function: types.FunctionType, what: str) -> Names:
        if not of_user(function):
            return {}
        try:
            return self.of(describe(function), what)
        except SourcegradError:
            return {}


def receiver(node: Any) -> Any:
    """The name whose value a call or store changes in place."""
    value = node.func.value if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and (
        node.func.attr in CHANGING) else node if isinstance(node, (gast.Attribute, gast.Subscript)) and not isinstance(
        node.ctx, gast.Load) else None
    while isinstance(value, (gast.Attribute, gast.Subscript)):
        value = value.value
    return value if isinstance(value, gast.Name) else None
