"""Names in messages as the user knows them: a temporary is what stands in the program where its value is computed."""
from __future__ import annotations

import builtins
import functools
from typing import Any

import gast

from sourcegrad import runtime
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.unit import Unit, stem

LONGEST = 40                                    # a longer expression says less than a name
DEEPEST = 6                                     # so many temporaries are in one expression at most


class Unspelled(Exception):
    """An expression has parts that nobody has written."""


class Spelling:
    """`own`: the names in the text of the user."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.own = {n.id for n in t.walk(unit.function.tree) if isinstance(n, gast.Name)}

    @functools.cached_property
    def values(self) -> dict[str, Any]:
        """Name -> what is assigned to it first: a change of what it names is an assignment, too."""
        found: dict[str, Any] = {}
        for s in t.statements(self.unit.tree.body):
            for name in t.writes(s):
                found.setdefault(name, s.value if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) else None)
        return found

    def known(self, name: str) -> str | None:
        return next((n for n in (name, stem(name)) if n in self.own), None)

    def of(self, name: str) -> str:
        known = self.known(name)
        if known is not None:
            return known
        try:
            text = source.expression_text(_Written(self).visit(t.load(name)))
        except Unspelled:
            return stem(name)
        return text if len(text) <= LONGEST else stem(name)


def copy_first(name: str) -> str:
    """The advice to change a copy of what a message calls so."""
    return f"Work on a copy: `{name} = {name}.copy()` first." if name.isidentifier() else (
        f"Work on a copy: give `{name}.copy()` a name, and change that.")


class _Written(t.Transformer):
    def __init__(self, spelling: Spelling, depth: int = 0) -> None:
        self.spelling, self.depth = spelling, depth

    def visit_Name(self, node: gast.Name) -> Any:
        known = self.spelling.known(node.id)
        if known is not None:
            return t.load(known)
        value = self.spelling.values.get(node.id)
        if value is None and hasattr(builtins, node.id):
            return node
        if value is None or self.depth == DEEPEST:
            raise Unspelled
        return _Written(self.spelling, self.depth + 1).visit(t.clone(value))

    def visit_Call(self, node: gast.Call) -> Any:
        if self.spelling.unit.lookup(node.func) is runtime.carried:
            return self.visit(node.args[0])
        return self.generic_visit(node)
