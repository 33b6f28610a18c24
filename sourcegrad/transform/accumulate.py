"""In place where it is safe: `x_bar = x_bar + c` becomes `x_bar += c` once nobody else can hold the array.

The stage before this one is purely functional, and it is the one that is differentiated again.
"""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.infer import Infer
from sourcegrad.analysis.ownership import Ownership
from sourcegrad.frontend.resolve import Unit

AUGMENTED = (gast.Add, gast.Sub, gast.Mult, gast.Div)


class Accumulate:
    def __init__(self, unit: Unit, facts: Infer, ownership: Ownership) -> None:
        self.unit, self.facts, self.owned = unit, facts, ownership.owned
        self.ownership = ownership

    def block(self, block: list) -> list:
        result: list = []
        for s in block:
            for field in t.BLOCKS:
                inner = getattr(s, field, None)
                if inner:
                    setattr(s, field, self.block(inner))
            result += self.statement(s)
        return result

    def statement(self, s: Any) -> list:
        if not isinstance(s, gast.Assign) or not isinstance(s.targets[0], gast.Name):
            return [s]
        name, value = s.targets[0].id, s.value
        if isinstance(value, gast.BinOp) and isinstance(value.op, AUGMENTED):
            return self.operation(s, name, value)
        if isinstance(value, gast.Call) and self.unit.lookup(value.func) is runtime.index_add:
            return self.store(s, name, value)
        if isinstance(value, gast.Call) and self.unit.lookup(value.func) is runtime.own and len(value.args) == 1:
            kind = self.facts.kinds.get(name)
            if isinstance(kind, k.Num) and kind.boxed:
                s.value = t.call(t.attribute(value.args[0], "copy"))
            return [s]
        if isinstance(value, gast.Call) and self.unit.lookup(value.func) is runtime.index_set:
            return self.assignment(s, name, value)
        return [s]

    def assignment(self, s: gast.Assign, name: str, value: gast.Call) -> list:
        """x = index_set(x, i, v) is x[i] = v."""
        base, where, part = value.args
        kind = k.as_num(self.facts.kinds.get(name, k.ANY))
        if not t.is_name(base, name) or name not in self.owned or not (
                isinstance(kind, k.Lst) or (isinstance(kind, k.Num) and kind.boxed)):
            return [s]
        index = where.slice if isinstance(where, gast.Subscript) and self.is_index_maker(where) else where
        target = gast.Subscript(value=t.load(name), slice=index, ctx=t.STORE)
        if isinstance(part, gast.BinOp) and isinstance(part.op, AUGMENTED) and isinstance(part.left, gast.Subscript) and (
                t.is_name(part.left.value, name) and t.same(part.left.slice, index) and not isinstance(kind, k.Lst)
                and self.sort_of(index) == "basic"):
            return [t.at(gast.AugAssign(target=target, op=part.op, value=part.right), t.origin_of(s))]
        return [t.at(gast.Assign(targets=[target], value=part, type_comment=None), t.origin_of(s))]

    def may_change(self, name: str, value: Any) -> bool:
        """Scalars are rebound; an array changes in place if it is owned and keeps its dtype."""
        kind = k.as_num(self.facts.kinds.get(name, k.ANY))
        if not isinstance(kind, k.Num):
            return False
        if kind.is_scalar:
            return True
        other = k.as_num(self.facts.of(value) or k.ANY)
        same = isinstance(other, k.Num) and other.dtype == kind.dtype and kind.dtype is not None
        return bool(kind.boxed) and name in self.owned and same

    def operation(self, s: gast.Assign, name: str, value: gast.BinOp) -> list:
        """x = x + a (+ b ...) is x += a (+ b ...)."""
        terms = split(value)
        first, rest = terms[0][1], terms[1:]
        if t.is_name(first, name) and rest and not any(name in t.reads(v) for _, v in rest) and self.may_change(name, value):
            routed, rest = self.routed(rest, name, s)
            if not rest:
                return routed
            op, total = rest[0]
            for other, term in rest[1:]:
                flip = isinstance(op, gast.Sub)
                joined = other if not flip else (gast.Add() if isinstance(other, gast.Sub) else gast.Sub())
                total = t.binop(total, joined, term)
            return [augmented(name, op, total, s), *routed]
        if isinstance(value.op, (gast.Mult, gast.Div)) and t.is_name(value.left, name) and (
                name not in t.reads(value.right)) and self.may_change(name, value):
            return [augmented(name, value.op, value.right, s)]
        if isinstance(value.op, gast.Add) and t.is_name(value.right, name) and name not in t.reads(value.left) and (
                self.may_change(name, value)):
            return [augmented(name, value.op, value.left, s)]
        return [s]

    def routed(self, terms: list, name: str, s: Any) -> tuple[list, list]:
        """Terms that are zero almost everywhere (the adjoint of a maximum) are added where they are not."""
        kind = k.as_num(self.facts.kinds.get(name, k.ANY))
        new: list = []
        rest: list = []
        for op, term in terms:
            found = isinstance(term, gast.Call) and self.unit.lookup(term.func) is runtime.route_to_extremum
            if found and isinstance(op, gast.Add) and isinstance(kind, k.Num) and kind.boxed:
                function = self.unit.use(runtime.add_to_extremum, "add_to_extremum")
                new.append(t.effect(t.call(function, t.load(name), *term.args), t.origin_of(s)))
            else:
                rest.append((op, term))
        return new, rest

    def store(self, s: gast.Assign, name: str, value: gast.Call) -> list:
        """x = index_add(x, i, v) is x[i] += v."""
        base, where, part = value.args
        kind = k.as_num(self.facts.kinds.get(name, k.ANY))
        new = isinstance(base, gast.Call) and self.unit.lookup(base.func) in (np.zeros_like, np.zeros)
        if isinstance(kind, k.Lst):
            return self.list_store(s, name, kind, base, where, part)
        if not new and not (t.is_name(base, name) and isinstance(kind, k.Num) and kind.boxed and name in self.owned
                            and name not in t.reads(part)):
            return [s]
        origin = t.origin_of(s)
        index = where.slice if isinstance(where, gast.Subscript) and self.is_index_maker(where) else where
        sort = self.sort_of(index)
        before = [t.assign(name, base, origin)] if new else []
        target = gast.Subscript(value=t.load(name), slice=index, ctx=t.STORE)
        if sort == "basic" and new:
            return [*before, t.at(gast.Assign(targets=[target], value=part, type_comment=None), origin)]
        if sort in ("basic", "mask"):
            return [*before, t.at(gast.AugAssign(target=target, op=gast.Add(), value=part), origin)]
        function = f"{self.unit.use(np, 'np')}.add.at"
        if sort == "unknown":
            function = self.unit.use(runtime.add_at, "add_at")
        return [*before, t.effect(t.call(function, t.load(name), where, part), origin)]

    def list_store(self, s: gast.Assign, name: str, kind: k.Lst, base: Any, where: Any, part: Any) -> list:
        item = k.as_num(kind.item or k.ANY)
        if not t.is_name(base, name) or name not in self.owned or not isinstance(item, k.Num) or isinstance(
                where, gast.Subscript) and self.is_index_maker(where):
            return [s]
        target = gast.Subscript(value=t.load(name), slice=where, ctx=t.STORE)
        if item.is_scalar:
            return [t.at(gast.AugAssign(target=target, op=gast.Add(), value=part), t.origin_of(s))]
        total = t.binop(t.subscript(t.load(name), t.clone(where)), gast.Add(), part)
        return [t.at(gast.Assign(targets=[target], value=total, type_comment=None), t.origin_of(s))]

    def is_index_maker(self, node: gast.Subscript) -> bool:
        return isinstance(node.value, gast.Attribute) and node.value.attr == "s_"

    def sort_of(self, index: Any) -> str:
        """basic (each element at most once), mask, repeated (integer arrays) or unknown."""
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        sorts = {self._sort_of_part(part) for part in parts}
        for sort in ("unknown", "repeated", "mask"):
            if sort in sorts:
                return sort
        return "basic"

    def _sort_of_part(self, part: Any) -> str:
        if isinstance(part, gast.Slice):
            return "basic"
        kind = k.as_num(self.facts.of(part) or k.ANY)
        if isinstance(kind, k.Const) or (isinstance(kind, k.Num) and kind.is_scalar):
            return "basic"
        if isinstance(kind, k.Num) and kind.dtype == "bool":
            return "mask"
        if isinstance(kind, k.Num) and kind.is_discrete:
            return "repeated"
        return "unknown"


def make_owned(unit: Unit, tree: Any, facts: Infer) -> None:
    """A name that is stored into starts as a new array, not as a view of something else."""
    updates = (runtime.index_add, runtime.index_set)
    stored = {s.targets[0].id for s in t.statements(tree.body)
              if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) and isinstance(s.value, gast.Call)
              and unit.lookup(s.value.func) in updates and t.is_name(s.value.args[0], s.targets[0].id)}
    ownership = Ownership(unit, facts.kinds)
    for s in t.statements(tree.body):
        if not isinstance(s, gast.Assign) or not isinstance(s.targets[0], gast.Name) or s.targets[0].id not in stored:
            continue
        kind = k.as_num(facts.kinds.get(s.targets[0].id, k.ANY))
        if not isinstance(kind, k.Num) or not kind.boxed or ownership.fresh(s.value) or t.list_method(s) is not None or (
                isinstance(s.value, gast.Constant)):
            continue
        numpy = unit.use(np, "np")
        if isinstance(s.value, gast.Call) and unit.lookup(s.value.func) is runtime.broadcast_like:
            fill, like = s.value.args
            if isinstance(fill, gast.Constant) and kind.dtype == "float64":
                shape = t.attribute(like, "shape")
                s.value = t.call(f"{numpy}.ones", shape) if fill.value == 1.0 else t.call(f"{numpy}.full", shape, fill)
                continue
        s.value = t.call(f"{numpy}.copy", s.value)


def split(node: Any) -> list[tuple[Any, Any]]:
    """((x + a) - b) as [(+, x), (+, a), (-, b)]."""
    if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Add, gast.Sub)):
        return [*split(node.left), (node.op, node.right)]
    return [(gast.Add(), node)]


def augmented(name: str, op: Any, value: Any, s: Any) -> Any:
    if isinstance(op, gast.Add) and isinstance(value, gast.UnaryOp) and isinstance(value.op, gast.USub):
        op, value = gast.Sub(), value.operand
    return t.at(gast.AugAssign(target=t.store(name), op=op, value=value), t.origin_of(s))


def accumulate(unit: Unit, tree: Any, parameters: list[str], facts: Infer) -> Any:
    """A copy of a generated function that accumulates in place."""
    new = t.clone(tree)
    ownership = Ownership(unit, facts.kinds).run(new.body, parameters)
    new.body = Accumulate(unit, facts, ownership).block(new.body)
    return new
