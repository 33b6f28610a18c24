"""Scalar replacement of objects with an identity: one that only its own name refers to is a few names.

    c = new_place(memory_, Controller)
    memory_ = place_store(memory_, c, 'last', None)             c_last = None
    memory_ = place_store(memory_, c, 'gain', gain)             c_gain = gain
    v = place_load(memory_, c, 'gain')                          v = c_gain

That needs all calls that get it to be written out (`optimize.inline`), and each attribute that is read to be stored where the
object is made. Then nobody asks for its identity, and its adjoint needs no table."""
from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Unit


def place_names(unit: Unit, facts: Any) -> bool:
    """Write names for the attributes of such objects, in place. Whether there are any."""
    uses: Counter[str] = Counter(n.id for n in t.walk(unit.tree) if isinstance(n, gast.Name))
    found: dict[str, dict[str, str]] = {}
    for block in [unit.tree.body, *(block for s in t.statements(unit.tree.body) for block in t.inner_blocks(s))]:
        for position, s in enumerate(block):
            if not is_made(s, unit, facts):
                continue
            name = s.targets[0].id
            parts = {part for x in t.statements(unit.tree.body) for part in parts_of(x, name, unit)}
            owned = sum(len(parts_of(x, name, unit)) for x in t.statements(unit.tree.body))
            if uses[name] == owned + 1 and parts <= stored_first(block[position + 1:], name, unit):
                found[name] = {part: unit.names.fresh(f"{name}_{part}") for part in sorted(parts)}
    if found:
        unit.tree.body = t.rewritten(unit.tree.body, lambda s: written(s, found, unit))
    return bool(found)


def called(node: Any, unit: Unit) -> Any:
    return unit.lookup(node.func) if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) else None


def is_made(s: Any, unit: Unit, facts: Any) -> bool:
    """`p = new_place(memory_, C)` for an object of a class (not a list or dict)."""
    call: Any = getattr(s, "value", None)
    if not isinstance(s, gast.Assign) or called(call, unit) is not runtime.new_place or not t.is_name(s.targets[0]):
        return False
    kind = facts.kinds.get(s.targets[0].id)
    return isinstance(kind, k.Place) and not k.may_be_held(kind)


def stores(node: Any, unit: Unit) -> bool:
    return called(node, unit) in (runtime.place_store, runtime.place_init)


def parts_of(s: Any, name: str, unit: Unit) -> list[str]:
    """The attributes of an object that a statement stores or reads, as often as it does."""
    heads = [getattr(s, field, None) for field in ("value", "test", "iter", "exc", "msg")]
    return [node.args[2].value for head in heads if isinstance(head, gast.AST) for node in t.walk(head)
            if (stores(node, unit) or called(node, unit) is runtime.place_load) and t.is_name(node.args[1], name)
            and isinstance(node.args[2], gast.Constant) and isinstance(node.args[2].value, str)]


def stored_first(block: list, name: str, unit: Unit) -> set[str]:
    """The attributes that are stored behind the statement that makes an object, before anything may run another way."""
    found: set[str] = set()
    for s in block:
        if t.inner_blocks(s):
            break
        call: Any = getattr(s, "value", None)
        if stores(call, unit) and t.is_name(call.args[1], name) and isinstance(call.args[2], gast.Constant):
            found.add(call.args[2].value)
    return found


def written(s: Any, found: dict[str, dict[str, str]], unit: Unit) -> list:
    """A statement with names."""
    call: Any = getattr(s, "value", None)
    origin = t.origin_of(s)
    if isinstance(s, gast.Assign) and called(call, unit) is runtime.new_place and t.writes(s)[0] in found:
        return []
    if stores(call, unit) and t.is_name(call.args[1]) and call.args[1].id in found:
        return [t.assign(found[call.args[1].id][call.args[2].value], call.args[3], origin)]
    for field in ("value", "test", "iter", "exc", "msg"):
        head = getattr(s, field, None)
        if isinstance(head, gast.AST):
            setattr(s, field, Loads(found, unit).visit(head))
    return [s]


class Loads(t.Transformer):
    def __init__(self, found: dict[str, dict[str, str]], unit: Unit) -> None:
        self.found, self.unit = found, unit

    def visit_Call(self, node: gast.Call) -> Any:
        if called(node, self.unit) is runtime.place_load and t.is_name(node.args[1]) and node.args[1].id in self.found:
            return t.load(self.found[node.args[1].id][node.args[2].value])
        return self.generic_visit(node)
