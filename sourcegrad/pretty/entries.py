"""Adjoints of dicts of numbers, written as Python writes them, on the final text: what is missing is zero.

    d_bar = zeros_like(d)                           d_bar = {}
    v_bar = entry_of(d_bar, key, 0.0)               v_bar = d_bar.pop(key, 0.0)
    d_bar[key] = 0.0
    d_bar = add_to(d_bar, key, v_bar)               d_bar[key] = d_bar.get(key, 0.0) + v_bar
    keys = dict_keys(d)                             keys = list(d)
"""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Unit


def entries(tree: Any, unit: Unit, facts: Infer) -> None:
    """Write out what a generated function does to dicts of numbers, in place."""
    helpers = {runtime.zeros_like, runtime.entry_of, runtime.add_to, runtime.index_add, runtime.dict_keys, runtime.dict_copy}
    if any(isinstance(kind, (k.Map, k.Dct)) for kind in facts.kinds.values()) and any(
            isinstance(n, gast.Call) and t.is_name(n.func) and unit.lookup(n.func) in helpers for n in t.walk(tree)):
        tree.body = _block(tree.body, Entries(unit, facts))


def _block(block: list, written: Entries) -> list:
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, _block, written)
        for name in ("value", "test", "iter"):
            if isinstance(getattr(s, name, None), gast.AST):
                setattr(s, name, written.visit(getattr(s, name)))
        if not written.takes(result[-1] if result else None, s):
            result.append(written.added(s) or s)
    return result


class Entries(t.Transformer):
    """Expressions and statements of dicts of numbers."""

    def __init__(self, unit: Unit, facts: Infer) -> None:
        self.unit, self.facts = unit, facts

    def of_numbers(self, node: Any) -> bool:
        kind = self.facts.kinds.get(node.id) if t.is_name(node) else None
        item = k.as_num(kind.item or k.ANY) if isinstance(kind, k.Map) else None
        return isinstance(item, k.Num) and item.is_scalar and not item.is_discrete

    def call_of(self, node: Any, function: Any) -> bool:
        return isinstance(node, gast.Call) and t.is_name(node.func) and self.unit.lookup(node.func) is function

    def visit_Call(self, node: gast.Call) -> Any:
        node = self.generic_visit(node)
        first: Any = node.args[0] if node.args else None
        if t.is_name(first) and isinstance(self.facts.kinds.get(first.id), (k.Map, k.Dct)):
            if self.call_of(node, runtime.dict_copy):
                return t.call(t.attribute(first, "copy"))
            if self.call_of(node, runtime.dict_keys) and "list" not in self.unit.function.local:
                return t.call("list", first)
        if not self.of_numbers(first) and not isinstance(first, gast.Dict):
            return node
        if self.call_of(node, runtime.zeros_like) and t.is_name(first):
            return gast.Dict(keys=[], values=[])
        if self.call_of(node, runtime.index_add) and isinstance(first, gast.Dict) and not first.keys:
            return gast.Dict(keys=[node.args[1]], values=[node.args[2]])
        if self.call_of(node, runtime.entry_of) and isinstance(node.args[2], gast.Constant) and t.is_name(first):
            return t.call(t.attribute(first, "get"), node.args[1], node.args[2])
        return node

    def takes(self, before: Any, s: Any) -> bool:
        """Whether `v = d.get(key, 0.0)` before `d[key] = 0.0` is `v = d.pop(key, 0.0)` now."""
        target = s.targets[0] if isinstance(s, gast.Assign) and t.same(s.value, t.const(0.0)) else None
        value: Any = getattr(before, "value", None)
        read = isinstance(before, gast.Assign) and isinstance(value, gast.Call) and isinstance(
            value.func, gast.Attribute) and value.func.attr == "get" and len(value.args) == 2
        if not (read and isinstance(target, gast.Subscript) and t.is_name(target.value) and self.of_numbers(target.value)
                and t.same(value.func.value, t.load(target.value.id)) and t.same(value.args[0], target.slice)):
            return False
        value.func.attr = "pop"
        return True

    def added(self, s: Any) -> Any:
        """`d[key] = d.get(key, 0.0) + v` for `d = add_to(d, key, v)`."""
        value: Any = s.value if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) else None
        if not self.call_of(value, runtime.add_to) or not t.is_name(value.args[0], s.targets[0].id) or not self.of_numbers(
                value.args[0]) or not isinstance(value.args[1], (gast.Name, gast.Constant, gast.JoinedStr)):
            return None
        table, key, part = value.args
        kind = k.as_num(self.facts.of(part) or k.ANY)
        if not (isinstance(kind, k.Num) and kind.is_scalar):
            return None
        old = t.call(t.attribute(t.load(table.id), "get"), t.clone(key), t.const(0.0))
        entry: Any = gast.Subscript(value=t.load(table.id), slice=key, ctx=t.STORE)
        return t.assign(entry, t.binop(old, gast.Add(), part), t.origin_of(s))
