"""An item that is added to a part of a sparse adjoint is added there, without zeros for all other items."""
from __future__ import annotations

import collections
from typing import Any

import gast

from sourcegrad import runtime, tree as t
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.frontend.resolve import Unit
from sourcegrad.transform.purity import pure


def fused(unit: Unit, tree: Any) -> None:
    """part = index_add(zeros_like(x), i, v); b = entry_add(b, key, part) is b = entry_add_at(b, key, i, v, x), where nothing is
    differentiated any more."""
    if runtime.entry_add in unit.env.values() and runtime.index_add in unit.env.values():
        _Fused(unit, tree).block(tree.body)


class _Fused:
    def __init__(self, unit: Unit, tree: Any) -> None:
        self.unit = unit
        self.counts = collections.Counter(n.id for n in t.walk(tree) if isinstance(n, gast.Name))

    def is_call(self, node: Any, function: Any) -> bool:
        return isinstance(node, gast.Call) and self.unit.lookup(node.func) is function

    def is_item(self, node: Any) -> bool:
        """Whether an expression is index_add(zeros_like(x), i, v)."""
        return self.is_call(node, runtime.index_add) and self.is_call(node.args[0], runtime.zeros_like)

    def block(self, block: list) -> None:
        waiting: dict[str, Any] = {}                        # name -> the assignment of an item to it
        for s in list(block):
            for inner in t.inner_blocks(s) if not is_stop(s) else ():
                self.block(inner)
            value = getattr(s, "value", None)
            adds = value if isinstance(s, gast.Assign) and self.is_call(value, runtime.entry_add) else None
            item = adds.args[2] if adds is not None else None
            if isinstance(item, gast.Name) and item.id in waiting and self.counts[item.id] == 2:
                made = waiting.pop(item.id)
                block.remove(made)
                self.put(s, made.value)
            elif self.is_item(item):
                self.put(s, item)
            changed = {n for x in t.statements([s]) for n in t.writes(x)} | {
                found[0] for x in t.statements([s]) for found in [t.list_method(x)] if found}
            waiting = {n: x for n, x in waiting.items() if n not in changed and not changed & set(t.reads(x.value))}
            if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and self.is_item(value) and pure(value, self.unit):
                waiting[s.targets[0].id] = s

    def put(self, s: gast.Assign, item: gast.Call) -> None:
        zeros, index, value = item.args
        s.value = t.call(self.unit.use(runtime.entry_add_at, "entry_add_at"), *s.value.args[:2], index, value, *zeros.args)
