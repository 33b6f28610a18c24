"""Methods that mutation passed by: the kind of their object was lost as it changed in every round, and is known again after it."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import kinds as k
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import UnsupportedError, called_at
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.unit import MISSING, Function, Unit
from sourcegrad.memory.heap import Effects


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
