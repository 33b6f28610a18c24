"""Destructive update and buffer reuse: in place where nobody else can hold the array.

`x_bar = x_bar + c` becomes `x_bar += c` once nobody else can hold the array.

Arrays, lists, dicts, objects and their adjoints follow one rule: an update of what nobody else holds (`analysis.alias`) is a
statement of Python that changes it, or, where its kind is not known, a call of the twin that works in place (`runtime.containers`).

The stage before this one is purely functional, and it is the one that is differentiated again.
"""
from __future__ import annotations

import types
from collections import Counter
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.alias import Ownership, Storage, updates
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.result_types import is_slice, may_be_complex
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import single_values
from sourcegrad.ir.unit import Unit
from sourcegrad.optimize.algebra import place_root, plain_index
from sourcegrad.optimize.code_motion import apart
from sourcegrad.optimize.store_forwarding import whole
from sourcegrad.optimize.sums import counting_up, negated
from sourcegrad.primitives.core import primitive_of

AUGMENTED = (gast.Add, gast.Sub, gast.Mult, gast.Div)
CONTAINERS = (k.Lst, k.Dct, k.Map, k.Obj, k.SetOf)


def frozen(cls: type) -> bool:
    """Whether attributes cannot be assigned to."""
    return isinstance(cls.__setattr__, types.FunctionType)


class Accumulate:
    def __init__(self, unit: Unit, facts: Infer, storage: Storage) -> None:
        self.unit, self.facts, self.storage = unit, facts, storage
        self.primal: set[str] = set()                # names of the forward sweep
        self.distinct: set[str] = set()              # index arrays without repeats

    def statement(self, s: Any) -> list:
        if not isinstance(s, gast.Assign) or not isinstance(s.targets[0], gast.Name):
            return [s]
        name, value = s.targets[0].id, s.value
        if isinstance(value, gast.BinOp) and isinstance(value.op, AUGMENTED):
            return self.operation(s, name, value)
        function = self.unit.lookup(value.func) if isinstance(value, gast.Call) else None
        if updates(function):
            changed = self.store(s, name, value) if function is runtime.index_add else (
                self.assignment(s, name, value) if function is runtime.index_set else [s])
            return self.twin(s, name, value) if changed == [s] and self.in_place(s, value.args[0]) else changed
        if self.storage.holdings.renews(s):
            return self.renewal(s, name, value.args[1])
        if isinstance(value, gast.Call) and self.unit.lookup(value.func) is runtime.own and len(value.args) == 1:
            kind = self.facts.kinds.get(name)
            if isinstance(kind, k.Num) and kind.boxed:
                kept = kind.size == k.UNORDERED or runtime.check_dense in self.unit.env.values()          # the layout matters
                s.value = t.call(f"{self.unit.use(np, 'np')}.copy", value.args[0]) if kept else t.call(
                    t.attribute(value.args[0], "copy"))
            return [s]
        return [s]

    def twin(self, s: gast.Assign, name: str, value: gast.Call) -> list:
        """y = update(x, ...) in place, of what is not known well enough for a statement."""
        function, base = self.unit.lookup(value.func), value.args[0]
        origin = t.origin_of(s)
        change: Any = None
        kind = k.as_num(self.facts.kinds.get(base.id, k.ANY))
        known = primitive_of(function)
        if known.method and isinstance(kind, CONTAINERS) and not (isinstance(kind, k.Obj) and kind.cls is not set):
            change = t.effect(t.method(base.id, known.method[0], *value.args[1:], *map(t.const, known.method[1:])), origin)
        elif isinstance(kind, k.Lst):
            if function is runtime.list_put_back and t.same(value.args[1], t.const(-1)):
                change = t.effect(t.method(base.id, "append", value.args[2]), origin)
            elif function is runtime.list_put_back and t.same(value.args[1], t.const(0)):
                change = t.effect(t.method(base.id, "insert", *value.args[1:]), origin)
            elif function is runtime.list_delete and not is_slice(value.args[1], self.facts.of):
                last = isinstance(value.args[1], gast.UnaryOp) and t.same(value.args[1], t.const(-1))
                change = t.effect(t.method(base.id, "pop", *([] if last else value.args[1:])), origin)
        if change is None and known.in_place is None:
            return [s]
        if change is None and known.in_place is not None:
            new = t.call(self.unit.use(known.in_place, known.in_place.__name__), *value.args)
            change = t.assign(base.id, new, origin)
        return [change, *self.version(s, name, base.id)]

    def version(self, s: gast.Assign, name: str, base: str) -> list:
        """The next version of what has changed needs no name of its own, where the old one is not needed (`coalesce`)."""
        after = [] if name == base else [t.assign(name, t.load(base), t.origin_of(s))]
        for version in after:
            version.version = True
        return after

    def renewal(self, s: gast.Assign, name: str, new: Any) -> list:
        """x = laid_out_as(x, x op v) is x op= v, and x = laid_out_as(x, v) is x[...] = v."""
        changed = self.operation(s, name, new) if isinstance(new, gast.BinOp) and isinstance(new.op, AUGMENTED) else [s]
        kind = self.facts.kinds.get(name)
        if changed != [s] or not (isinstance(kind, k.Num) and kind.boxed and self.storage.free(s)):
            return changed
        target = gast.Subscript(value=t.load(name), slice=t.const(Ellipsis), ctx=t.STORE)
        return [t.at(gast.Assign(targets=[target], value=new, type_comment=None), t.origin_of(s))]

    def assignment(self, s: gast.Assign, name: str, value: gast.Call) -> list:
        """x = index_set(x, i, v) is x[i] = v; with another name for the result, y = x follows."""
        base, where, part = value.args
        if not self.in_place(s, base):
            return [s]
        kind = k.as_num(self.facts.kinds.get(base.id, k.ANY))
        if not isinstance(kind, (k.Lst, k.Dct, k.Map)) and not (isinstance(kind, k.Num) and kind.boxed) and not (
                isinstance(kind, k.Obj) and kind.items is not None and isinstance(where, gast.Attribute) and plain_store(
                    kind.cls, where.attr)):
            return [s]
        origin = t.origin_of(s)
        after = self.version(s, name, base.id)
        if t.is_name(part, base.id) and whole(plain_index(where)):
            return after                                            # x[:] = x
        target = place_of(self.unit, base.id, where)
        if target is None or (isinstance(part, gast.Constant) and not isinstance(target.value, gast.Name)
                              and not self.of_arrays(kind)):
            return [s]
        index = target.slice if isinstance(target, gast.Subscript) else None
        if index is not None and self.scales(part, target, kind):
            all_of_it = whole(index) and isinstance(target.value, gast.Name)
            scaled = t.store(target.value.id) if all_of_it else target
            return [t.at(gast.AugAssign(target=scaled, op=part.op, value=part.left), origin), *after]
        if index is not None and isinstance(part, gast.BinOp) and isinstance(part.op, AUGMENTED) and isinstance(
                part.left, gast.Subscript) and t.same(part.left.value, target.value) and t.same(part.left.slice, index) and (
                not isinstance(kind, (k.Lst, k.Dct, k.Map)) and sort_of(index, self.facts) == "basic"):
            return [t.at(gast.AugAssign(target=target, op=part.op, value=part.right), origin), *after]
        return [t.at(gast.Assign(targets=[target], value=part, type_comment=None), origin), *after]

    def scales(self, part: Any, target: Any, kind: k.Kind) -> bool:
        """Whether `x[i] = part` multiplies x[i] by a number: part is c * x[i], or c * x where i is all of x."""
        own = isinstance(target.value, gast.Name) and target.value.id in self.unit.function.local       # as the user writes it
        if own or not (isinstance(part, gast.BinOp) and isinstance(part.op, gast.Mult) and isinstance(kind, k.Num)):
            return False
        factor, rest = k.as_num(self.facts.of(part.left) or k.ANY), part.right
        same = t.same(rest.value, target.value) and t.same(rest.slice, target.slice) if isinstance(rest, gast.Subscript) else (
            whole(target.slice) and t.same(rest, target.value))
        return same and isinstance(factor, k.Num) and factor.is_scalar and not kind.is_discrete and (
            factor.is_complex is False or bool(kind.is_complex)) and sort_of(target.slice, self.facts) == "basic"

    def of_arrays(self, kind: k.Kind) -> bool:
        """Whether parts of it can be stored into: no part of an adjoint is the number zero, which stands for any zero."""
        while isinstance(kind, k.Lst):
            kind = k.as_num(kind.item or k.ANY)
            if isinstance(kind, k.Lst) and isinstance(k.as_num(kind.item or k.ANY), k.Num):
                return True
        return isinstance(kind, k.Num) and kind.boxed is True

    def in_place(self, s: gast.Assign, base: Any) -> bool:
        return isinstance(base, gast.Name) and self.storage.free(s)

    def may_change(self, s: gast.Assign, name: str, value: Any) -> bool:
        """Scalars are rebound; an array changes in place if it is owned and keeps its dtype."""
        kind = k.as_num(self.facts.kinds.get(name, k.ANY))
        if not isinstance(kind, k.Num):
            return False
        if kind.is_scalar:
            return True
        other = k.as_num(self.facts.of(value) or k.ANY)
        same = isinstance(other, k.Num) and other.dtype == kind.dtype and kind.dtype is not None
        return bool(kind.boxed) and self.storage.free(s) and same and self.fits(name, kind, other)

    def fits(self, name: str, kind: k.Num, other: k.Kind) -> bool:
        """Whether a sum has the shape of the array: that of an adjoint never grows, that of the primal may (by broadcasting)."""
        sized = isinstance(other, k.Num) and kind.dims is not None and None not in kind.dims and kind.dims == other.dims
        return name not in self.primal or sized

    def operation(self, s: gast.Assign, name: str, value: gast.BinOp) -> list:
        """x = x + a (+ b ...) is x += a (+ b ...)."""
        terms = split(value)
        first, rest = terms[0][1], terms[1:]
        as_written = name in self.primal and any(name in t.reads(v) for _, v in rest)
        if t.is_name(first, name) and rest and not as_written and self.may_change(s, name, value):
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
                name not in t.reads(value.right)) and self.may_change(s, name, value):
            return [augmented(name, value.op, value.right, s)]
        commutes = isinstance(value.op, gast.Add) or isinstance(value.op, gast.Mult) and name not in self.primal
        if commutes and t.is_name(value.right, name) and name not in t.reads(value.left) and self.may_change(s, name, value):
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
        new = isinstance(base, gast.Call) and self.unit.lookup(base.func) in (np.zeros_like, np.zeros) and (
            name not in t.reads(part) + t.reads(where))
        root = base.id if isinstance(base, gast.Name) else name
        kind = k.as_num(self.facts.kinds.get(root, k.ANY))
        if isinstance(kind, k.Lst):
            return self.list_store(s, name, kind, base, where, part)
        if not new and not (isinstance(kind, k.Num) and kind.boxed and self.in_place(s, base)):
            return self.named_first(s, name, value)
        if isinstance(kind, k.Num) and not kind.is_complex and may_be_complex(self.facts.of(part)):
            return [s]                                              # it makes an array of complex numbers where that is needed
        origin = t.origin_of(s)
        before = [t.assign(name, base, origin)] if new else []
        after = [] if new else self.version(s, name, root)
        root = name if new else root
        target = place_of(self.unit, root, where)
        if target is None:
            return [s]
        index = target.slice
        sort = sort_of(index, self.facts)
        if sort not in ("basic", "mask", "unknown") and self.never_twice(index):
            sort = "mask"                                           # np.add.at gives nothing else, and takes longer
        if sort == "basic" and new:
            return [*before, t.at(gast.Assign(targets=[target], value=part, type_comment=None), origin)]
        if sort in ("basic", "mask"):
            op: Any = gast.Add()
            if negated(part) is not None:
                op, part = gast.Sub(), negated(part)
            return [*before, t.at(gast.AugAssign(target=target, op=op, value=part), origin), *after]
        function = f"{self.unit.use(np, 'np')}.add.at"
        if sort == "unknown":
            function = self.unit.use(runtime.add_at, "add_at")
        if not isinstance(target.value, gast.Name):
            return [s]
        return [*before, t.effect(t.call(function, t.load(root), where, part), origin), *after]

    def named_first(self, s: gast.Assign, name: str, value: gast.Call) -> list:
        """`part = x_bar * d`, `x_bar = zeros(n)`, `x_bar[1:] = part` for `x_bar = index_add(zeros(n), np.s_[1:], x_bar * d)`."""
        base, where, part = value.args
        zeros = isinstance(base, gast.Call) and self.unit.lookup(base.func) in (np.zeros_like, np.zeros)
        kind = k.as_num(self.facts.of(part) or k.ANY)
        others = t.reads(where) + t.reads(base)
        target = place_of(self.unit, name, where)
        if not (zeros and isinstance(kind, k.Num) and kind.is_complex is False) or t.is_name(part) or name in others or (
                target is None or sort_of(target.slice, self.facts) != "basic"):
            return [s]
        own, origin = self.unit.names.fresh("part"), t.origin_of(s)
        store = t.at(gast.Assign(targets=[target], value=t.load(own), type_comment=None), origin)
        return [t.assign(own, part, origin), t.assign(name, base, origin), store]

    def never_twice(self, index: Any) -> bool:
        """Whether index arrays, vectors of one length, meet no element twice: one of them has no repeats."""
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        kinds: list[Any] = [self.facts.of(part) if isinstance(part, gast.Name) else None for part in parts]
        vectors = all(isinstance(kind, k.Num) and kind.boxed and kind.dims is not None and len(kind.dims) == 1
                      and kind.dims[0] is not None and kind.dims == kinds[0].dims for kind in kinds)
        return vectors and any(part.id in self.distinct for part in parts)

    def list_store(self, s: gast.Assign, name: str, kind: k.Lst, base: Any, where: Any, part: Any) -> list:
        item = k.as_num(kind.item or k.ANY)
        target = place_of(self.unit, base.id, where) if t.is_name(base) and self.storage.free(s) else None
        if target is None or isinstance(target, gast.Attribute) or isinstance(where, (gast.Attribute, gast.Call)):
            return [s]
        after = self.version(s, name, base.id)
        if not t.is_name(target.value):
            found = k.as_num(self.facts.of(t.subscript(target.value, target.slice)) or k.ANY)
            real = isinstance(found, k.Num) and found.is_scalar and not may_be_complex(self.facts.of(part))
            return [t.at(gast.AugAssign(target=target, op=gast.Add(), value=part), t.origin_of(s)), *after] if real else [s]
        if is_slice(target.slice, self.facts.of) or after:
            return [s]
        if isinstance(item, k.Num) and item.is_scalar:
            return [t.at(gast.AugAssign(target=target, op=gast.Add(), value=part), t.origin_of(s))]
        before = t.subscript(t.load(name), t.clone(where))
        total = t.binop(before, gast.Add(), part) if isinstance(item, k.Num) else t.call(
            self.unit.use(runtime.add, "add"), before, part)
        return [t.at(gast.Assign(targets=[target], value=total, type_comment=None), t.origin_of(s))]


def place_of(unit: Unit, name: str, where: Any) -> Any:
    """The target x[i] or x.a[i] that an index or path means; None where it cannot be stored into as it is."""
    index, root = plain_index(where), place_root(where)
    if index is not where:
        return gast.Subscript(value=t.load(name), slice=index, ctx=t.STORE)
    if not (isinstance(root, gast.Name) and unit.lookup(root) is runtime.at):
        return gast.Subscript(value=t.load(name), slice=where, ctx=t.STORE)
    if isinstance(where, gast.Attribute) and where.value is root:
        return gast.Attribute(value=t.load(name), attr=where.attr, ctx=t.STORE)
    if not isinstance(where, gast.Subscript) or any(isinstance(n, gast.Call) for n in t.walk(where)):
        return None
    path = t.clone(where)
    for node in t.walk(path):
        if isinstance(node, gast.Name) and unit.lookup(node) is runtime.at:
            node.id = name
    return gast.Subscript(value=path.value, slice=path.slice, ctx=t.STORE)


def sort_of(index: Any, facts: Infer) -> str:
    """basic (each element at most once), mask, repeated (integer arrays) or unknown."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    sorts = {_sort_of_part(part, facts) for part in parts}
    for sort in ("unknown", "repeated", "mask"):
        if sort in sorts:
            return sort
    return "basic"


def _sort_of_part(part: Any, facts: Infer) -> str:
    if is_slice(part, facts.of):
        return "basic"
    kind = k.as_num(facts.of(part) or k.ANY)
    if isinstance(kind, k.Const) or (isinstance(kind, k.Num) and kind.is_scalar):
        return "basic"
    if isinstance(kind, k.Num) and kind.dtype == "bool":
        return "mask"
    if isinstance(kind, k.Num) and kind.is_discrete:
        return "repeated"
    return "unknown"


def plain_store(cls: type, name: str) -> bool:
    """Whether `x.name = v` only puts v there: no property, no __setattr__ of the class."""
    return cls.__setattr__ is object.__setattr__ and not hasattr(type(getattr(cls, name, None)), "__set__")


def split(node: Any) -> list[tuple[Any, Any]]:
    """((x + a) - b) as [(+, x), (+, a), (-, b)]."""
    if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Add, gast.Sub)):
        return [*split(node.left), (node.op, node.right)]
    return [(gast.Add(), node)]


def augmented(name: str, op: Any, value: Any, s: Any) -> Any:
    if isinstance(op, gast.Add) and negated(value) is not None:
        op, value = gast.Sub(), negated(value)
    return t.at(gast.AugAssign(target=t.store(name), op=op, value=value), t.origin_of(s))


def accumulate(unit: Unit, tree: Any, parameters: list[str], facts: Infer, reverse_only: bool) -> Any:
    """A copy of a generated function that accumulates in place. reverse_only: it is the reverse half of a callee."""
    new = t.clone(tree)
    apart(unit, new, facts)
    accumulator = Accumulate(unit, facts, Storage(unit, facts).run_for_updates(new.body, parameters))
    accumulator.distinct = counting_up(unit, single_values(new))
    if not reverse_only:
        accumulator.primal = {name for s in t.statements(t.sweeps(new).forward) for name in t.writes(s)} - unit.tangents.keys()
    new.body = t.rewritten(new.body, accumulator.statement)
    return new


# --- Buffers that are dead are used again: `y = (n - s) * e` with n owned and dead becomes `n -= s; n *= e`, and n is y.
#
# A large array that is read for the last time keeps its name and lends its memory:
# `y_bar = np.multiply(c, w, out=w)`, as a new array costs more than what is computed.
#
# Runs last, on the text that is compiled; the stage that is differentiated again stays functional.

UFUNCS = {gast.Add: "add", gast.Sub: "subtract", gast.Mult: "multiply", gast.Div: "divide"}


class Reuse:
    def __init__(self, unit: Unit, facts: Infer, ownership: Ownership) -> None:
        self.unit, self.facts, self.owned = unit, facts, ownership.owned
        self.ownership = ownership
        self.own = unit.function.local
        self.counts: dict[str, int] = {}
        self.renamed: dict[str, str] = {}
        self.liveness = Liveness()
        self.here: set[str] = set()              # names assigned in this block
        self.top: set[int] = set()               # statements of the reverse sweep outside of loops and branches
        self.firm: set[str] = set()              # names assigned once, outside of loops and branches
        self.views: dict[str, set[str]] = {}     # name -> names that may be views of its array

    def run(self, tree: Any, parameters: list[str]) -> None:
        for s in t.statements(tree.body):
            for name in t.writes(s):
                self.counts[name] = self.counts.get(name, 0) + (not isinstance(s, gast.AugAssign))
            self.see_view(s)
        for name in parameters:
            self.counts[name] = self.counts.get(name, 0) + 2
        self.liveness.block(tree.body, frozenset())
        self.firm = {n for s in tree.body if not getattr(s, "body", None) for n in t.writes(s) if self.counts[n] == 1}
        self.top = {id(s) for s in t.sweeps(tree).reverse}
        tree.body = self.block(tree.body)
        if self.renamed:
            t.rename(tree, {name: self.final(name) for name in self.renamed})

    def see_view(self, s: Any) -> None:
        """Remember which names may share memory with which: views, of views as well."""
        if isinstance(s, gast.Assign):
            for held in self.ownership.values.held(s.value):
                for name in t.writes(s):
                    self.views.setdefault(held, set()).add(name)

    def seen(self, buffer: str, s: Any) -> bool:
        """Whether a view of a buffer is still needed when the buffer is overwritten in s."""
        todo, found = [buffer], {buffer}
        while todo:
            for name in self.views.get(todo.pop(), set()) - found:
                found.add(name)
                todo.append(name)
        return any(name in self.liveness.after[id(s)] or name in t.reads(s.value) for name in found - {buffer})

    def final(self, name: str) -> str:
        while name in self.renamed:
            name = self.renamed[name]
        return name

    def block(self, block: list) -> list:
        result: list = []
        outer, self.here = self.here, set()
        for s in block:
            if t.is_mark(s):
                self.here = set()                    # a buffer keeps its name across the two sweeps
            t.map_blocks(s, self.block)
            result += self.statement(s)
            self.here.update(t.writes(s))
        self.here = outer
        return result

    def statement(self, s: Any) -> list:
        if not isinstance(s, gast.Assign) or not isinstance(s.targets[0], gast.Name):
            return [s]
        name, value = s.targets[0].id, s.value
        if isinstance(value, gast.Call):
            return self.in_place_call(s, name, value)
        if not isinstance(value, gast.BinOp):
            return [s]
        chain = self.chain(value)
        if chain is None:
            return self.lent(s, name, value)
        buffer, steps = chain
        if not self.reusable(buffer, name, value, s) or any(buffer in t.reads(part) for _, part in steps[1:]):
            return self.lent(s, name, value)
        before: list = []
        if steps and buffer in t.reads(steps[0][1]):               # y - f(y): f(y) is computed first
            term = self.unit.names.fresh("term")
            before.append(t.assign(term, steps[0][1], t.origin_of(s)))
            steps[0] = (steps[0][0], t.load(term))
        self.renamed[buffer] = name
        return before + [self.step(buffer, op, part, s) for op, part in steps]

    def lent(self, s: gast.Assign, name: str, value: gast.BinOp) -> list:
        """`y = a / b - f(p)` with p large and read for the last time: `term = f(p); y = np.divide(a, b, out=p); y -= term`."""
        if id(s) not in self.top:
            return [s]
        buffer = next((n for n in t.reads(value) if self.lendable(n, value, s)), None)
        if buffer is None:
            return [s]
        innermost, steps = self.innermost(value)
        kind = self.facts.kinds[buffer]
        if isinstance(kind, k.Num) and kind.ndim == 1:             # a vector is seldom large: one line stays one line
            return [s]
        if any(name in t.reads(part) for _, part in steps):        # y = y + a * b: y is needed after a * b
            return [s]
        if not isinstance(innermost.op, AUGMENTED) or any(buffer in t.reads(part) for _, part in steps[1:]) or (
                steps and buffer in self.ownership.values.held(steps[0][1])):       # itself or a view: not computed before
            return [s]
        if self.temporary(innermost.left, value) or (
                isinstance(innermost.op, (gast.Add, gast.Mult)) and self.temporary(innermost.right, value)):
            return [s]                                             # NumPy works in place on it
        origin = t.origin_of(s)
        before: list = []
        if steps and buffer in t.reads(steps[0][1]):
            term = self.unit.names.fresh("term")
            before.append(t.assign(term, steps[0][1], origin))
            steps[0] = (steps[0][0], t.load(term))
        call = t.call(f"{self.unit.use(np, 'np')}.{UFUNCS[type(innermost.op)]}", innermost.left, innermost.right,
                      out=t.load(buffer))
        return [*before, t.assign(name, call, origin), *(self.step(name, op, part, s) for op, part in steps)]

    def lendable(self, buffer: str, value: Any, s: Any) -> bool:
        """A new array with the size of the result, which nobody needs any more."""
        have, want = self.facts.kinds.get(buffer), self.facts.of(value)
        return (buffer in self.owned and buffer in self.firm and buffer not in self.renamed
                and isinstance(have, k.Num) and isinstance(want, k.Num) and bool(have.boxed and want.boxed)
                and have.dims is not None and len(have.dims) > 0 and None not in have.dims and have.dims == want.dims
                and have.dtype == want.dtype and have.dtype is not None
                and buffer not in self.liveness.after[id(s)] and not self.seen(buffer, s))

    def innermost(self, value: gast.BinOp) -> tuple[gast.BinOp, list]:
        """The operation that makes the new array, and what is then done to it."""
        for side, other in (("left", "right"), ("right", "left")):
            inner = getattr(value, side)
            if (isinstance(inner, gast.BinOp) and isinstance(value.op, AUGMENTED) and isinstance(inner.op, AUGMENTED)
                    and (side == "left" or isinstance(value.op, (gast.Add, gast.Mult))) and self.same_size(inner, value)):
                innermost, steps = self.innermost(inner)
                return innermost, [*steps, (value.op, getattr(value, other))]
        return value, []

    def temporary(self, part: Any, value: Any) -> bool:
        return isinstance(part, (gast.BinOp, gast.UnaryOp, gast.Call)) and self.ownership.values.fresh(part) and self.same_size(
            part, value)

    def same_size(self, inner: Any, value: Any) -> bool:
        one, two = self.facts.of(inner), self.facts.of(value)
        return (isinstance(one, k.Num) and isinstance(two, k.Num) and one.dims == two.dims and one.dims is not None
                and None not in one.dims and one.dtype == two.dtype)

    def step(self, buffer: str, op: Any, part: Any, s: Any) -> Any:
        routed = isinstance(op, gast.Add) and isinstance(part, gast.Call) and (
            self.unit.lookup(part.func) is runtime.route_to_extremum)
        if routed:
            function = self.unit.use(runtime.add_to_extremum, "add_to_extremum")
            return t.effect(t.call(function, t.load(buffer), *part.args), t.origin_of(s))
        return augmented(buffer, op, part, s)

    def chain(self, value: Any) -> tuple[str, list] | None:
        """(n, [(op, a), (op, b)]) for (n op a) op b; commutative operands may be swapped."""
        if isinstance(value, gast.Name):
            return value.id, []
        if isinstance(value, gast.BinOp) and isinstance(value.op, AUGMENTED):
            for side, other in (("left", "right"), ("right", "left")):
                if side == "right" and not isinstance(value.op, (gast.Add, gast.Mult)):
                    continue
                inner = self.chain(getattr(value, side))
                if inner is not None and self.big(inner[0]):
                    return inner[0], [*inner[1], (value.op, getattr(value, other))]
        return None

    def big(self, name: str) -> bool:
        kind = self.facts.kinds.get(name)
        return isinstance(kind, k.Num) and bool(kind.boxed) and name in self.owned

    def reusable(self, buffer: str, name: str, value: Any, s: Any) -> bool:
        """The buffer dies here, is as large as the result, and both names have one definition."""
        if buffer not in self.here or buffer in self.own or buffer == name or (
                self.counts.get(buffer) != 1 or self.counts.get(name) != 1):
            return False
        if buffer in self.liveness.after[id(s)] or buffer in self.renamed or self.seen(buffer, s):
            return False
        have, want = self.facts.kinds.get(buffer), self.facts.of(value)
        if not isinstance(have, k.Num) or not isinstance(want, k.Num) or have.dims is None or want.dims is None:
            return False
        return have.dtype == want.dtype and have.dtype is not None and len(have.dims) == len(want.dims) and all(
            (a == b and a is not None) or (k.many(a) and k.many(b)) for a, b in zip(have.dims, want.dims))

    def in_place_call(self, s: gast.Assign, name: str, value: gast.Call) -> list:
        """y = np.exp(a - b) of large arrays: the difference and its exponential share one buffer."""
        function = self.unit.lookup(value.func)
        if not isinstance(function, np.ufunc) or function.nin != 1 or value.keywords or len(value.args) != 1:
            return [s]
        inner = value.args[0]
        have, want = self.facts.of(inner), self.facts.of(value)
        if not (isinstance(inner, gast.BinOp) and isinstance(have, k.Num) and isinstance(want, k.Num) and have.boxed
                and have.ndim and have.ndim > 1 and have.dtype == want.dtype and have.dtype is not None):
            return [s]
        call = gast.Call(func=value.func, args=[t.load(name)], keywords=[gast.keyword(arg="out", value=t.load(name))])
        origin = t.origin_of(s)
        return [t.assign(name, inner, origin), t.effect(call, origin)]


def reuse(unit: Unit, tree: Any, parameters: list[str], facts: Infer) -> Any:
    """Use dead buffers again, in place in the tree."""
    ownership = Ownership(unit, facts.kinds).run(tree.body, parameters)
    Reuse(unit, facts, ownership).run(tree, parameters)
    return tree


# --- One name for one object: after `self.w = w`, the next version of the object needs no name of its own.

def coalesce(tree: Any, parameters: list[str]) -> None:
    """Drop `y = x` where x ends and y begins, and call y x from there on."""
    while True:
        counts = Counter([*parameters, *(n for s in t.statements(tree.body) for n in t.writes(s))])
        liveness = Liveness()
        liveness.block(tree.body, frozenset())
        found = next((s for s in t.statements(tree.body) if _ends(s, counts, parameters, liveness)), None)
        if found is None:
            return
        old, new = found.targets[0].id, found.value.id
        t.block_of(tree.body, found).remove(found)
        t.rename(tree, {old: new})


def _ends(s: Any, counts: dict[str, int], parameters: list[str], liveness: Liveness) -> bool:
    """Whether s is `y = x`, made by a store in place, where x is not needed any more."""
    if not getattr(s, "version", False):
        return False
    old, new = s.targets[0].id, s.value.id
    return old not in parameters and counts.get(old) == 1 and counts.get(new) == 1 and new not in liveness.after[id(s)]
