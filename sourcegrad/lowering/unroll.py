"""`for name, value in options.items(): setattr(self, name, value)`, where the names are known: a store for each of them."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.operators import hashable
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Unit

MOST = 40                                # names
BY_NAME = (runtime.attribute_store, getattr)


def unrolled(unit: Unit, facts: Infer) -> bool:
    """Write out the loops over known names by which attributes are read or stored; whether there were any."""
    named = [s for s in t.statements(unit.tree.body) if isinstance(s, gast.For) and any(
        _computed(unit, facts, x) for x in t.statements(s.body)) and not any(map(is_stop, t.statements(s.body)))]
    loops = {id(s): found for s in named if (found := _names_of(unit, facts, s)) is not None}
    if loops:
        liveness = Liveness()
        liveness.block(unit.tree.body, frozenset())
        unit.tree.body = _block(unit, unit.tree.body, loops, liveness)
    return bool(loops)


def _computed(unit: Unit, facts: Infer, s: Any) -> bool:
    """Whether a statement reads or stores an attribute whose name is not known."""
    value = getattr(s, "value", None)
    if not isinstance(value, gast.Call) or len(value.args) < 2:
        return False
    function = unit.lookup(value.func)
    return hashable(function) and function in BY_NAME and not isinstance(facts.of(value.args[1]), k.Const)


def _names_of(unit: Unit, facts: Infer, loop: gast.For) -> tuple[gast.Assign, list[str]] | None:
    """The statement of a loop that takes a name from a sequence of known names, and these."""
    for s in loop.body:
        value = getattr(s, "value", None)
        if isinstance(s, gast.Assign) and isinstance(value, gast.Subscript) and t.is_name(value.slice, loop.target.id) and (
                isinstance(value.value, gast.Name)):
            names = _known(unit, facts, value.value.id)
            return (s, names) if names is not None and len(names) <= MOST else None
    return None


def _known(unit: Unit, facts: Infer, name: str) -> list[str] | None:
    kind = facts.kinds.get(name)
    if isinstance(kind, k.Tup):
        found = [item.value for item in kind.items if isinstance(item, k.Const) and isinstance(item.value, str)]
        return found if len(found) == len(kind.items) else None
    made = [s.value for s in t.statements(unit.tree.body) if name in t.writes(s)]
    changed = any((t.list_method(s) or ("",))[0] == name for s in t.statements(unit.tree.body))
    if len(made) != 1 or changed or not isinstance(made[0], (gast.Call, gast.Name, gast.List)):
        return None
    if isinstance(made[0], gast.Name):
        return _known(unit, facts, made[0].id)
    if isinstance(made[0], gast.List):
        return _written_out(made[0])
    function = unit.lookup(made[0].func)
    if function is runtime.sequence and isinstance(made[0].args[0], gast.Name):
        return _known(unit, facts, made[0].args[0].id)
    if function is runtime.sequence and isinstance(made[0].args[0], gast.List):
        return _written_out(made[0].args[0])
    keys = facts.of(made[0].args[0]) if function is runtime.dict_keys else None
    known = isinstance(keys, k.Dct) and not keys.partial and all(isinstance(key, str) for key, _ in keys.items)
    return [key for key, _ in keys.items] if known else None                              # type: ignore[union-attr]


def _written_out(node: gast.List) -> list[str] | None:
    names = [item.value for item in node.elts if isinstance(item, gast.Constant) and isinstance(item.value, str)]
    return names if len(names) == len(node.elts) else None


def _block(unit: Unit, block: list, loops: dict[int, Any], liveness: Liveness) -> list:
    result: list = []
    for s in block:
        if id(s) not in loops:
            t.map_blocks(s, lambda inner: _block(unit, inner, loops, liveness))
            result.append(s)
            continue
        taken, names = loops[id(s)]
        written = {n for x in t.statements(s.body) for n in t.writes(x)}
        own = sorted(written - liveness.after[id(s)] - liveness.head[id(s)])
        for position, name in enumerate(names):
            new = {n: unit.names.fresh(n) for n in (*own, s.target.id)}
            result.append(t.assign(new[s.target.id], t.const(position), t.origin_of(s)))
            for x in s.body:
                copy = t.assign(taken.targets[0].id, t.const(name), t.origin_of(x)) if x is taken else t.clone(x)
                for inner in t.statements([copy]):
                    t.rename(inner, new)
                result.append(copy)
    return result
