"""Which expressions are views of arrays: parts, transposes, what functions of NumPy give (`analysis.locations` knows these)."""
from __future__ import annotations

from typing import Any, NamedTuple

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.locations import same_array, view_call
from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import hashable
from sourcegrad.ir.unit import MEMORY, Unit
from sourcegrad.lowering.place_kinds import is_array
from sourcegrad.primitives.core import primitive_of


class View(NamedTuple):
    """A view of an array: a part of it (`how`, as `place_view` takes it), or what a function of NumPy with this name gives."""

    base: Any
    how: Any
    args: tuple = ()


def viewed(node: Any, unit: Unit, facts: Any) -> View | None:
    """The view that an expression is, where it certainly is one of an array (a reshape: or a copy, as the order in memory asks)."""
    if isinstance(node, gast.Call) and unit.lookup(node.func) is runtime.place_load and isinstance(node.args[2], gast.Subscript):
        return View(node.args[1], node.args[2]) if k.is_held_array(facts.of(node.args[1]) or k.ANY) else None
    found: View | None = None
    if isinstance(node, gast.Subscript) and is_basic(node.slice, facts):
        found = View(node.value, part(unit, node.slice))
    elif isinstance(node, gast.Attribute) and node.attr == "T":
        found = View(node.value, t.const("T"))
    elif isinstance(node, gast.Call):
        found = by_function(node, unit, facts)
    kind = facts.of(found.base) if found is not None else None
    return found if kind is not None and (is_array(kind) or k.is_held_array(kind)) else None


def by_function(node: gast.Call, unit: Unit, facts: Any) -> View | None:
    """The view that a function or method of NumPy gives."""
    target = call_targets.target_of(node, unit, facts.of)
    if not target.args or any(isinstance(a, gast.Starred) for a in target.args) or not hashable(target.object) or (
            not is_array(contents_of(target.args[0], facts))):
        return None
    known = primitive_of(target.object)
    if known.itself is not None and same_array(target.object, target.args, target.keywords, lambda x: contents_of(x, facts)):
        return View(target.args[0], t.const("asarray"))
    step = view_call(target.object, target.args, target.keywords, lambda x: contents_of(x, facts)) if known.result in (
        None, "view", "may view") else None
    how: Any = step.node if step is not None else None
    if isinstance(how, gast.Subscript):
        return View(target.args[0], part(unit, how.slice))
    if isinstance(how, gast.Attribute) and how.attr == "T":
        return View(target.args[0], t.const("T"))
    kinds = [facts.of(a) or k.ANY for a in how.args] if isinstance(how, gast.Call) else []
    plain = isinstance(how, gast.Call) and not how.keywords and hasattr(np, how.func.attr) and not any(
        kind is k.ANY or k.is_text(kind) for kind in kinds)            # (an order)
    return View(target.args[0], t.const(how.func.attr), tuple(how.args)) if plain else None


def contents_of(node: Any, facts: Any) -> Any:
    """The kind of what an expression gives, or of what the array holds that it is."""
    kind = facts.of(node)
    return k.held(facts.kinds.get(MEMORY), kind, k.ALL) if kind is not None and k.is_held_array(kind) else kind


def part(unit: Unit, index: Any) -> Any:
    """np.s_[index]"""
    return t.subscript(t.dotted(f"{unit.use(np, 'np')}.s_"), t.clone(index))


def is_basic(index: Any, facts: Any) -> bool:
    """Whether an index certainly selects a view, or one element: numbers, slices, None and the ellipsis."""
    for item in index.elts if isinstance(index, gast.Tuple) else [index]:
        if isinstance(item, gast.Slice) or isinstance(item, gast.Constant) and (item.value is None or item.value is ...):
            continue
        kind = k.as_num(facts.of(item) or k.ANY)
        if not isinstance(kind, k.Num) or not kind.is_scalar or not kind.is_discrete or kind.dtype in (None, "bool"):
            return False
    return True
