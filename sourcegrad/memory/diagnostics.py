"""Diagnostics: names in messages as the user knows them: a temporary is what stands in the program where its value is computed."""
from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import UnsupportedError, called_at
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.unit import Function, Unit, stem
from sourcegrad.memory.heap import Effects

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
        return text if len(text) <= LONGEST and text != "[]" else stem(name)


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


# --- Methods that mutation passed by

def check_unseen(unit: Unit, facts: Infer, effects: Callable[[Function, dict[str, k.Kind]], Any]) -> None:
    """Refuse code without mutation in which a method that changes something is still called as if it changed nothing."""
    for s in t.statements(unit.tree.body):
        value = getattr(s, "value", None)
        if not isinstance(value, gast.Call) or not isinstance(value.func, gast.Attribute) or not t.is_name(
                value.func.value) or unit.lookup(value.func) is not MISSING:
            continue
        target = call_targets.target_of(value, unit, facts.of)
        if target.function is None or target.function.pure:
            continue
        try:
            bound = call_targets.bind(target.function, target, unit)
        except TypeError:
            continue
        with called_at(source.locate(value, t.origin_of(s))):
            found = effects(target.function, {name: facts.of(x) or k.ANY for name, x in bound.items()})
        check_seen(s, unit, target.function, bound, found)


def check_seen(s: Any, unit: Unit, function: Function, bound: dict[str, Any], effects: Effects) -> None:
    """Refuse a call that was not known to change something when changes were followed, and is now: one that does, returns it."""
    lost = [bound[n].id for n in effects.changed if isinstance(bound.get(n), gast.Name) and unit.lookup(bound[n]) is MISSING]
    if lost and not getattr(s.value, "followed", False) and not function.outputs and not function.pure and not unit.function.pure:
        raise changing(lost[0], source.locate(s.value, t.origin_of(s)))


def changing(name: str, origin: Any) -> UnsupportedError:
    return UnsupportedError(f"what '{name}' holds changes in a way that cannot be followed", origin,
                            "Give every attribute its value in __init__, of the kind that it has later.")
