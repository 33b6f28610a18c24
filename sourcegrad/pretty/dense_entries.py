"""Gradients of dicts that are reached by computed keys: zeros for every entry at first, and what is added stands there at once.

    params_bar = zeros_like(params)                         params_bar = zero_gradient(params)
    for name in reversed(keys):                             for name in reversed(keys):
        params_bar = add_to(params_bar, name, v)                params_bar[name] += v
    params_bar = add_entry(params_bar, "b", w)              params_bar["b"] += w
    return as_gradient(params_bar, params)                  return params_bar

So are the entries of a list of such dicts, whatever becomes of its adjoint in the end:

    layers_bar = zeros_like(layers)                         layers_bar = zero_gradient(layers)
    for k in reversed(range(len(layers))):                  for k in reversed(range(len(layers))):
        layer_bar = {"W": h.T @ v}                              layer_bar = layers_bar[k]
        layers_bar[k] = add(layers_bar[k], layer_bar)           layer_bar["W"] += h.T @ v
"""
from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.result_types import may_be_complex
from sourcegrad.analysis.text_forms import Forms
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Unit


def dense_entries(tree: Any, unit: Unit, facts: Infer) -> None:
    """Make the gradients of the dicts that a function is given, as far as they are sums of entries, dense. In place."""
    last = tree.body[-1]
    if not isinstance(last, gast.Return) or "float" in unit.function.local:
        return
    for node in [n for n in t.walk(last) if isinstance(n, gast.Call) and unit.lookup(n.func) is runtime.as_gradient]:
        if all(map(t.is_name, node.args)) and is_table(facts.kinds.get(node.args[1].id)):
            Dense(tree, unit, facts, node.args[0].id, node.args[1].id, node).write()
    for s in [s for s in tree.body if is_list_of_zeros(s, unit, facts)]:
        ListOfTables(tree, unit, facts, s).write()


def is_list_of_zeros(s: Any, unit: Unit, facts: Infer) -> bool:
    """Whether a statement makes the adjoint of a list of tables."""
    value = getattr(s, "value", None)
    if not isinstance(s, gast.Assign) or not t.is_name(s.targets[0]) or not isinstance(value, gast.Call):
        return False
    kind = facts.of(value.args[0]) if unit.lookup(value.func) is runtime.zeros_like and t.is_name(value.args[0]) else None
    return isinstance(kind, k.Lst) and not kind.optional and isinstance(kind.item, k.Dct) and is_table(kind.item)


def is_table(kind: k.Kind | None) -> bool:
    """Whether a dict holds floating-point numbers, arrays of them, and such dicts alone, all of which are known."""
    if isinstance(kind, k.Dct):
        return not kind.partial and kind.made is None and bool(kind.items) and all(is_table(item) for _, item in kind.items)
    if not isinstance(kind, k.Num):
        return False
    if kind.is_scalar:
        return kind.dtype in ("pyfloat", "float64")
    return kind.dtype in ("float64", "float32") and bool(kind.boxed and kind.dims)


class Dense:
    """The gradient `bar` of a dict `d`. call: the `as_gradient(bar, d)` of what a function returns."""

    def __init__(self, tree: Any, unit: Unit, facts: Infer, bar: str, d: str, call: Any) -> None:
        self.tree, self.unit, self.facts, self.call = tree, unit, copy.copy(facts), call
        self.facts.forms = Forms(unit, tree)
        self.bar, self.d = bar, d
        self.reads = Counter(n.id for n in t.walk(tree) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load))

    def write(self) -> None:
        """Write it; where something else is done with it than to add entries, it stays as it is."""
        if self.d not in self.unit.parameters or any(self.d in t.writes(s) for s in t.statements(self.tree.body)):
            return
        made = [s for s in t.statements(self.tree.body) if self.bar in t.writes(s)]
        computed = [s for s in made if self.adds(s) and not isinstance(s.value.args[1], gast.Constant)]
        starts = [s for s in made if not self.adds(s)]
        if not computed or len(starts) != 1 or not any(s is starts[0] for s in self.tree.body) or not self.is_start(starts[0]):
            return
        if self.reads[self.bar] != len(made):                       # each statement but the first, and the result
            return
        new = self.block(self.tree.body)
        if new is not None:
            self.tree.body = new
            self.call.func, self.call.args = None, []
            swap(self.tree.body[-1], self.call, t.load(self.bar))

    def adds(self, s: Any) -> bool:
        value = getattr(s, "value", None)
        return isinstance(s, gast.Assign) and t.is_name(s.targets[0], self.bar) and isinstance(value, gast.Call) and (
            self.unit.lookup(value.func) in (runtime.add_to, runtime.add_entry, runtime.index_add, runtime.entry_add)) and (
            t.is_name(value.args[0], self.bar))

    def is_start(self, s: Any) -> bool:
        if not isinstance(s, gast.Assign) or not t.is_name(s.targets[0]):
            return False
        if isinstance(s.value, gast.Dict):
            return all(isinstance(key, gast.Constant) for key in s.value.keys)
        return isinstance(s.value, gast.Call) and self.unit.lookup(s.value.func) is runtime.zeros_like and t.is_name(
            s.value.args[0], self.d)

    def block(self, block: list) -> list | None:
        """A block with dense entries; None where what is added is not known well enough."""
        result: list = []
        for s in block:
            origin = t.origin_of(s)
            if self.adds(s):
                _, key, value = s.value.args
                parts = self.part(result, key, value, origin)
            elif self.bar in t.writes(s):
                zero = t.call(self.unit.use(runtime.zero_gradient, "zero_gradient"), t.load(self.d))
                parts = [t.assign(self.bar, zero, origin)]
                for key, value in zip(s.value.keys, s.value.values) if isinstance(s.value, gast.Dict) else ():
                    more = self.sums(t.subscript(t.load(self.bar), key), t.subscript(t.load(self.d), t.clone(key)), value, origin)
                    parts = None if parts is None or more is None else [*parts, *more]
            else:
                for field in () if is_stop(s) else t.BLOCKS:
                    inner = getattr(s, field, None)
                    new = self.block(inner) if inner else None
                    if inner and new is None:
                        return None
                    s = with_block(s, field, new) if new is not None else s
                parts = [s]
            if parts is None:
                return None
            result += parts
        return result

    def part(self, before: list, key: Any, value: Any, origin: Any) -> list | None:
        """The statements that add a value to the entry at a key. before: the statements before them, which may make the value."""
        made = before[-1] if before else None
        entry, like = t.subscript(t.load(self.bar), key), t.subscript(t.load(self.d), t.clone(key))
        if not (t.is_name(value) and isinstance(made, gast.Assign) and t.is_name(made.targets[0], value.id) and isinstance(
                made.value, gast.Dict) and self.reads[value.id] == 1):
            return self.sums(entry, like, value, origin)
        parts = self.sums(t.load(value.id), like, made.value, t.origin_of(made))
        if parts is not None:
            before[-1] = t.assign(value.id, entry, origin)
        return parts

    def sums(self, entry: Any, like: Any, value: Any, origin: Any) -> list | None:
        """`entry += value`, part by part. like: what the entry is the adjoint of."""
        if isinstance(value, gast.Dict):
            parts: list = []
            for key, item in zip(value.keys, value.values):
                more = self.sums(t.subscript(t.clone(entry), key), t.subscript(t.clone(like), t.clone(key)), item, origin)
                if more is None or not isinstance(key, gast.Constant):
                    return None
                parts += more
            return parts
        if isinstance(value, gast.Call) and self.unit.lookup(value.func) is runtime.broadcast_like and t.same(value.args[1], like):
            number = k.as_num(self.facts.of(value.args[0]) or k.ANY)
            if isinstance(number, k.Num) and number.is_scalar and not may_be_complex(number):
                return [added(entry, value.args[0], origin)]        # a number is spread where it is added
        have, kind = (k.as_num(self.facts.of(node) or k.ANY) for node in (value, like))
        if not isinstance(have, k.Num) or may_be_complex(have) or have.boxed is None:
            return None
        if have.is_scalar:
            if not isinstance(kind, k.Num) or not kind.is_scalar:
                return None
            value = t.call("float", value) if kind.dtype == "pyfloat" and have.dtype != "pyfloat" else value
        return [added(entry, value, origin)]


class ListOfTables(Dense):
    """The adjoint of a list of dicts, from the statement that makes it."""

    def __init__(self, tree: Any, unit: Unit, facts: Infer, start: gast.Assign) -> None:
        super().__init__(tree, unit, facts, start.targets[0].id, start.value.args[0].id, None)
        self.start = start

    def write(self) -> None:
        """Write it; where something else is stored in it, it stays as it is."""
        statements = list(t.statements(self.tree.body))
        stores = sum(self.d in t.writes(s) for s in statements) + (self.d in self.unit.parameters)
        others = any(self.bar in t.writes(s) and s is not self.start and not self.adds(s) for s in statements)
        new = self.block(self.tree.body) if stores == 1 and not others and any(map(self.adds, statements)) else None
        if new is not None:
            self.start.value.func = t.load(self.unit.use(runtime.zero_gradient, "zero_gradient"))
            self.tree.body = new

    def adds(self, s: Any) -> bool:
        value, target = getattr(s, "value", None), s.targets[0] if isinstance(s, gast.Assign) else None
        if not isinstance(target, gast.Subscript) or not t.is_name(target.value, self.bar) or not isinstance(value, gast.Call):
            return False
        old = value.args[0] if self.unit.lookup(value.func) is runtime.add and len(value.args) == 2 else None
        return isinstance(old, gast.Subscript) and t.is_name(old.value, self.bar) and t.same(old.slice, target.slice)

    def block(self, block: list) -> list | None:
        result: list = []
        for s in block:
            parts: list | None = [s]
            if self.adds(s):
                parts = self.part(result, s.targets[0].slice, s.value.args[1], t.origin_of(s))
            for field in () if is_stop(s) else t.BLOCKS:
                inner = getattr(s, field, None)
                new = self.block(inner) if inner else None
                if inner and new is None:
                    return None
                parts = [with_block(parts[0], field, new)] if new is not None and parts else parts
            if parts is None:
                return None
            result += parts
        return result


def added(entry: Any, value: Any, origin: Any) -> Any:
    """`entry += value`"""
    entry.ctx = t.STORE
    return t.at(gast.AugAssign(target=entry, op=gast.Add(), value=value), origin)


def with_block(s: Any, field: str, block: list) -> Any:
    """The statement with another block."""
    new = t.clone(s)
    for part in t.BLOCKS:
        if getattr(s, part, None):
            setattr(new, part, getattr(s, part))
    setattr(new, field, block)
    return new


def swap(tree: Any, old: Any, new: Any) -> None:
    """Put an expression in the place of another one, in place."""
    for node in t.walk(tree):
        for field, value in gast.iter_fields(node):
            if value is old:
                setattr(node, field, new)
            elif isinstance(value, list):
                setattr(node, field, [new if x is old else x for x in value])
