"""Type inference: the kinds of all names of a function, from the kinds of its arguments; a fixpoint over the body."""
from __future__ import annotations

import copy
import functools
import io
import sys
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets, objects, result_types
from sourcegrad.analysis.call_targets import is_rest, is_rest_of_names
from sourcegrad.analysis.flow_kinds import FlowKinds
from sourcegrad.analysis.locations import holds_more, turned
from sourcegrad.analysis.object_types import (
    DIFFERENT,
    branches,
    check_own_iterator,
    closure_target,
    contents,
    custom_kind,
    entry_kind,
    formed_kind,
    indexed,
    member,
    of_bound,
    of_entry,
    of_lists,
    of_objects,
    of_operand,
    operation,
    partial_kind,
    static_kind,
)
from sourcegrad.analysis.python_types import (
    SPECIAL,
    attribute_kind,
    contains_kind,
    element_kind,
    is_same,
    known_alike,
    method_kind,
)
from sourcegrad.analysis.result_types import (
    CONCATENATORS,
    GRIDS,
    Carried,
    Literals,
    OwnSizes,
    as_wide,
    concatenation,
    defaults_kind,
    grid,
    is_slice,
    length,
    recorded,
    result_kind,
    with_size,
    without_own_sizes,
)
from sourcegrad.analysis.text_forms import Forms
from sourcegrad.errors import InternalError, SourcegradError, UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.effort import WORK
from sourcegrad.ir.scopes import MISSING, mark
from sourcegrad.ir.tree import COMPARE, INPLACE_OF, OPERATORS, is_stop
from sourcegrad.ir.unit import MEMORY, Function, Maker, Unit
from sourcegrad.kinds import Kind, results
from sourcegrad.kinds.results import constant_truth
from sourcegrad.parse.resolve import describe
from sourcegrad.parse.statements import Attempt
from sourcegrad.primitives.adjoint_kinds import maybe_none
from sourcegrad.primitives.core import primitive_of
from sourcegrad.runtime.structure import STREAMS


class Infer:
    """`kinds` maps names to kinds after `run`; the unit relies on the kinds of data globals and closure values that are read."""

    def __init__(self, unit: Unit, parameters: dict[str, Kind], solve: Callable[[Any, dict[str, Kind]], Kind | None],
                 assumed: dict[str, Kind] | None = None,
                 changed: Callable[[Any, dict[str, Kind]], dict[str, Kind]] | None = None) -> None:
        self.unit, self.given = unit, parameters
        self.passing = passing = [0]                # how often something was asked that the kinds of names do not decide

        def asked(function: Any, kinds: dict[str, Kind]) -> Kind | None:
            passing[0] += 1
            return solve(function, kinds)

        self.solve = asked
        self.after = changed                        # kinds of arguments after a call (None: calls change nothing any more)
        self.assumed = assumed or {}                # what names may be besides what is assigned to them
        self.before: dict[str, Kind] = {}           # the kinds before mutation was made functional
        self.kinds: dict[str, Kind] = {name: k.join(kind, self.assumed.get(name)) for name, kind in parameters.items()}
        self.mentions: Any = None                   # what statements read and write, until all kinds are found
        mentions = self.mentions = t.Mentions(unit.tree.body)
        self.local = set(parameters) | {n for _, written, _ in mentions.all for n in written}
        self.sizes = OwnSizes(unit.tree.body, parameters, mentions)
        self.flow = FlowKinds(unit.tree.body if changed is not None else [], parameters, {*self.assumed, *unit.unset})
        self.assigned = {*parameters, *(n for s, written, _ in mentions.all if written and not t.list_method(s) for n in written)}
        self.result: Kind | None = None
        self.changed, self.clock = False, 0                # the clock counts changes, to skip what nothing new reaches
        self.seen: tuple[int, dict] | None = None          # within one expression: id(node) -> the node, its kind
        self.halting = False                               # whether calls that may be written out are left open, outside of loops:
        self.halted = False                                # nothing is known of the first of these, nor of what comes after it
        self.guessing = False                              # whether more is known of such calls in loops once they are written out
        self.looping = 0                                   # how many loops are around the statement at hand
        self.finished: set[int] = set()                    # statements that were looked at before that call, by their ids
        self.open: set[int] = set()                        # expressions of all others, by their ids
        self.literals, self.forms = Literals(self), Forms(unit)
        self.place: tuple[list, int] = [], 0               # of the statement at hand: its block, and where it stands there
        self.tests: dict[int, tuple[str, str]] = {}        # id(branch) -> the object and the attribute that is not None there
        self.stamps: dict[str, int] = {}                   # name -> when its kind last changed
        self.reached: dict[int, tuple[int, list[str]]] = {}    # id(assignment) -> when it was last looked at, its reads
        self.used: set[str] = set()                        # names that statements have read which were looked at
        self.foreseeing = False                            # whether a kind was found with the help of statements after it
        self.outside: dict[str, Kind] = {}                 # kinds of known objects by their names

    def on(self, unit: Unit) -> Infer:
        """The same facts about a copy of the unit (which is as it was when they were found)."""
        new = copy.copy(self)
        new.flow, new.sizes = self.flow.on(self.unit.tree, unit.tree), self.sizes.on(self.unit.tree, unit.tree)
        new.unit, new.kinds, new.local = unit, dict(self.kinds), set(self.local)
        new.literals, new.forms, new.outside = Literals(new), Forms(unit), {}
        return new

    def same(self, new: Infer) -> None:
        """Facts that were kept are those that are found again. (Of a recursion more may be known by now.)"""
        differing = sorted(n for n in new.kinds.keys() | self.kinds.keys()
                           if self.kinds.get(n) != new.kinds.get(n) and self.kinds.get(n) != k.ANY)
        if differing or self.result != new.result:
            raise InternalError(f"types that were kept are out of date: {', '.join(differing) or 'the result'}",
                                self.unit.function.origin)

    def run(self) -> Infer:
        self.found()
        while not self.halted and self.sizes.settle(self.kinds):        # sizes that change in loops, once it is known which do
            self.kinds = {name: k.join(kind, self.assumed.get(name)) for name, kind in self.given.items()}
            body = self.unit.tree.body if self.after is not None else []
            self.flow = FlowKinds(body, self.given, {*self.assumed, *self.unit.unset})
            self.result, self.seen = None, None
            self.found()
        self.mentions = None
        self.sizes.settled()
        if self.halted:
            for s in t.statements(self.unit.tree.body):
                if id(s) not in self.finished:
                    self.open.update(map(id, t.walk(getattr(s, "test", None) or getattr(s, "iter", None) or s)))
        return self

    def found(self) -> None:
        """Find the kinds of all names."""
        self.changed, rounds = True, 0
        self.reached, self.used, self.foreseeing = {}, {MEMORY} if self.unit.function.memory else set(), False
        while self.changed:
            self.changed, self.halted, self.finished = False, False, set()
            self.block(self.unit.tree.body)
            rounds += 1
            if rounds > 12:                   # widen what still moves
                self.reached = {}
                self.flow.forget()
                self.sizes.carried = Carried([], self.mentions)
                self.kinds = {n: k.ANY if rounds > 14 else k.forget_sizes(v) for n, v in self.kinds.items()}

    def bind(self, name: str, kind: Kind | None, s: Any = None) -> None:
        if kind is None:
            return
        if s is not None and self.sizes.define(s, kind):
            self.note(name)
        kind = self.sizes.lasting(name, kind)
        if self.flow.reads and s is not None and self.flow.define(s, name, kind):
            self.note(name)
        old = self.kinds.get(name)
        if old is None and name in self.assumed:
            kind = k.join(kind, self.assumed[name])
        new = k.join_arrays(old, kind) if old is not None else kind
        if new != old:
            self.kinds[name] = new
            self.note(name)

    def note(self, name: str) -> None:
        self.changed |= self.foreseeing or name in self.used          # (otherwise nobody has seen it as it was)
        self.clock += 1
        self.stamps[name] = self.clock

    def surprises(self, assumed: dict[str, Kind]) -> dict[str, Kind]:
        """Names that turned out to be of other kinds than what the code was specialised for; {} if there are none."""
        found: dict[str, Kind] = {}
        for name, kind in self.kinds.items():
            before = self.before.get(name)
            if before is not None and isinstance(before, (k.Obj, k.Dct, k.Tup, k.Const)) and isinstance(
                    kind, (k.Obj, k.Dct, k.Tup, k.Map)) and k.join(before, kind) != before:
                name = self.unit.reread.get(name, name)
                found[name] = k.join(found.get(name), k.join(before, kind))
            elif isinstance(before, (k.Lst, k.Map)) and isinstance(kind, type(before)) and before != kind and (
                    holds_more(before, kind) or turned(before, kind)):
                found[name] = k.join(before, kind)
        return {**assumed, **found} if found else {}

    # --- statements

    def block(self, block: list) -> None:
        for place, s in enumerate(block):
            if self.halted:
                return
            self.place = block, place
            self.finished.add(id(s))
            self.statement(s)

    def statement(self, s: Any) -> None:
        WORK.steps += 1
        if isinstance(s, gast.Assign):
            self.assign(s)
            return
        self.used.update(t.header_reads(s))
        if isinstance(s, gast.If):
            if is_stop(s):
                return
            branches(self, s, constant_truth(self.of(s.test)))
        elif isinstance(s, gast.For):
            self.bind(s.target.id, element_kind(self.of(s.iter)), s)
            self.loop(s.body)
        elif isinstance(s, gast.While):
            self.loop(s.body)
        elif isinstance(s, gast.Return):
            self.result = self.of(s.value)
        elif isinstance(s, gast.Expr):
            found = t.list_method(s)
            if found and found[1] == "append":
                kind = self.kinds.get(found[0])
                item = self.of(s.value.args[0])
                if item is not None and t.is_name(s.value.args[0]) and s.value.args[0].id in self.unit.unset:
                    item = maybe_none(item)
                if isinstance(kind, k.Lst) and item is not None:
                    self.bind(found[0], k.Lst(item))
                self.of(s.value)
            elif isinstance(s.value, gast.Call):
                self.of(s.value)

    def loop(self, body: list) -> None:
        """A body that runs again: what comes after a call that is left open decides what is before it."""
        self.looping += 1
        self.block(body)
        self.looping -= 1

    def assign(self, s: gast.Assign) -> None:
        before = self.reached.get(id(s))
        if before is None:
            known = self.mentions.of.get(id(s)) if self.mentions is not None else None
            reads = t.reads(s.value) if known is None else known[1]
            if self.unit.function.memory:                        # what attributes are changes with it
                reads = [*reads, MEMORY]
            self.used.update(reads)
        else:
            reads, stamps = before[1], self.stamps
            for name in reads:
                if name in stamps and stamps[name] > before[0]:
                    break
            else:
                return
        self.reached[id(s)] = self.clock, reads
        target = s.targets[0]
        kind = of_bound(self, s)
        if self.unit.function.memory and isinstance(s.value, gast.Call):
            self.stored(s.value)
        if self.halted:
            del self.reached[id(s)]
            return
        if isinstance(target, gast.Name):
            if target.id in self.unit.unset and kind == k.Const(None):
                return
            found = t.list_method(s)
            if found is not None and found[0] in self.unit.tapes and target.id in self.assigned:
                return                              # a value that comes back is what it was
            if isinstance(kind, k.Closure) and isinstance(s.value, gast.Attribute) and objects.kept_by_owner(self.unit, s):
                kind = k.Own(kind.function)
            self.bind(target.id, kind, s)
            return
        names = [item.id for item in target.elts]
        for position, name in enumerate(names):
            if isinstance(kind, k.Tup) and len(kind.items) == len(names):
                self.bind(name, kind.items[position], s)
            elif kind is not None:
                self.bind(name, element_kind(kind), s)

    def stored(self, call: gast.Call) -> None:
        """The state of objects after `place.name = value`, as it is written by `lowering.places`."""
        function, memory = self.unit.lookup(call.func), self.kinds.get(MEMORY)
        if not isinstance(memory, k.State):
            return
        if function in (runtime.index_store, runtime.index_update) and isinstance(call.args[1], gast.Attribute):
            place, value = self.of(call.args[0]), self.of(call.args[2])
            if place is not None and k.is_place(place) and value is not None and t.is_name(call.args[1].value):
                self.bind(MEMORY, k.storing(memory, place, call.args[1].attr.removeprefix(objects.DIRECT), value))

    # --- expressions

    def of(self, node: Any) -> Kind | None:
        """Kind of an expression; None while something it depends on is not known yet."""
        if self.open and id(node) in self.open:
            return None
        if node.__class__ is gast.Name:
            if id(node) in self.flow.reads:
                kind = self.flow.read(node)
                if kind is not k.ANY:
                    return self.sizes.read(node, kind)
            return self.sizes.read(node, self.name(node.id))
        if node.__class__ is gast.Constant:
            return k.Const(node.value)
        handler = HANDLERS.get(node.__class__)
        if handler is None:
            return k.ANY
        scope = self.seen
        if scope is None:                                   # the outermost
            return known(self, node, handler)
        if scope[0] != self.clock:
            scope = self.seen = self.clock, {}
        if id(node) not in scope[1]:
            scope[1][id(node)] = node, handler(self, node)
        return scope[1][id(node)][1]

    def name(self, name: str) -> Kind | None:
        if name in self.local:
            return self.sizes.sized(name, self.kinds.get(name))
        kind = self.outside.get(name)
        if kind is not None:
            return kind
        if name in self.unit.env:
            kind = self.outside[name] = k.Fn(self.unit.env[name])
            return kind
        value = self.unit.outer(name)
        if value is MISSING:
            return k.ANY
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type)):
            return k.Fn(value)
        if isinstance(value, np.ndarray) and (type(value) is not np.ndarray or value.dtype.kind in "OSUV"):
            raise UnsupportedError(f"'{name}' is not a plain numeric array ({type(value).__name__} of {value.dtype})",
                                   self.unit.function.origin, "Use an ordinary array: np.asarray(..., dtype=float).")
        kind = k.kind_of(value, name)
        if isinstance(kind, k.Const):
            kind = k.as_num(kind)
        self.unit.rely(self.unit.function.scope, name, kind)
        return kind

    def primitive(self, function: Any, args: list, keywords: dict[str, Any]) -> Kind | None:
        """Kind of the result of a primitive, by its rule's kind function."""
        parts = [part for a in args if (part := self.of(a)) is not None]
        options = {name: part for name, value in keywords.items() if (part := self.of(value)) is not None}
        if len(parts) < len(args) or len(options) < len(keywords):
            return None
        found = self.applied(function, parts, options, args[0] if args else None)
        nothing = self.unit.function.memory and found is k.ANY and any(
            isinstance(part, k.Lst) and part.item is None or isinstance(part, k.Map) and part.key is None for part in parts)
        return None if nothing else found                   # (of a list or dict of which it is not known yet what it holds)

    def applied(self, function: Any, parts: list[Kind], options: dict[str, Kind], first: Any) -> Kind:
        """Kind of the result of a primitive for arguments of these kinds. first: the expression of the first of them."""
        if self.unit.function.memory and (found := of_lists(self, function, parts)) is not DIFFERENT:
            return found
        if function in INPLACE_OF:
            old = k.as_num(parts[0])
            if isinstance(old, k.Num) and old.boxed:       # an array stays the array that it is
                return old
            function = INPLACE_OF[function]
        if parts and isinstance(parts[0], k.Lst) and primitive_of(function).joins:
            self.passing[0] += 1
            parts[0] = self.literals.of(first) or parts[0]
        return result_kind(function, parts, options)


# --- Kinds of expressions are found once for all that infer the types of a unit, or ask for kinds: the text of an expression and
# the kinds of its names decide them, but for what callees and generated code give, and what other statements tell (`passing`).

def known(infer: Infer, node: Any, handler: Callable) -> Kind | None:
    """The kind of an expression."""
    key = None if infer.halting else _key(infer, node)
    unit, passing = infer.unit, infer.passing
    if key is not None and key in unit.expressions:
        found: Kind | None = unit.expressions[key]
        return found
    before, doubted, unit.doubted = passing[0], unit.doubted, False
    infer.seen = infer.clock, {}
    try:
        kind: Kind | None = handler(infer, node)
    finally:
        infer.seen = None
        doubting, unit.doubted = unit.doubted, unit.doubted or doubted
    if key is not None and passing[0] == before and not doubting:
        unit.expressions[key] = kind
    return kind


def _key(infer: Infer, node: Any) -> tuple | None:
    """What decides the kind of an expression. None: names of the module or an enclosing function, too, which are guarded."""
    text, names = t.signature(node)
    local, env, placed = infer.local, infer.unit.env, infer.flow.reads
    kinds, sized, owners = infer.kinds, infer.sizes.sized, infer.sizes.owners
    parts: list = [text, infer.unit.doubting]
    if infer.unit.function.memory:
        parts.append(kinds.get(MEMORY))
    for item in names:
        name = item.id
        if name in local:
            parts += (sized(name, kinds.get(name)), owners.get(name))
            if id(item) in placed or infer.sizes.by_place(item):
                parts.append(infer.of(item))
        elif name in env:
            parts.append(infer.name(name))
        else:
            return None
    return tuple(parts)


def of_BinOp(infer: Infer, node: gast.BinOp) -> Kind | None:
    left, right = of_operand(infer, node.left), contents(infer, of_operand(infer, node.right))
    if left is not None and k.is_held_array(left) and t.is_in_place(node):
        return left                                         # the array that it is
    left = contents(infer, left)
    if left.__class__ is not k.Num and left is not None and k.is_text(left):
        return None if right is None else k.text_from(left, right)              # "%g" % x
    if left.__class__ is not k.Num or right.__class__ is not k.Num:
        found = operation(infer, node)
        if found is not None:
            return found.result
    if left is None or right is None:
        return None
    for one, other in ((left, right), (right, left)):       # what is no text but computed with a float is a whole number
        if one is k.DISCRETE and isinstance(number := k.as_num(other), k.Num) and not number.is_discrete:
            left, right = (k.INT if x is k.DISCRETE else x for x in (left, right))
            break
    kind = with_size(infer.applied(OPERATORS[node.op.__class__], [left, right], {}, node.left), node.op, left, right)
    return as_wide(kind, left) if t.is_in_place(node) else kind


def of_UnaryOp(infer: Infer, node: gast.UnaryOp) -> Kind | None:
    operand = contents(infer, infer.of(node.operand))
    operand = operand.item if isinstance(operand, k.Optional) and not isinstance(node.op, gast.Not) else operand
    if operand is None:
        return None
    if isinstance(node.op, gast.Not):
        truth = constant_truth(operand)
        return k.BOOL if truth is None else k.Const(not truth)
    found = operation(infer, node) if not isinstance(operand, k.Num) else None
    if found is not None:
        return found.result
    if isinstance(operand, k.Const) and isinstance(operand.value, (int, float)):
        return k.Const(OPERATORS[type(node.op)](operand.value))
    return infer.primitive(OPERATORS[type(node.op)], [node.operand], {})


def of_Compare(infer: Infer, node: gast.Compare) -> Kind | None:
    identity = all(isinstance(op, (gast.Is, gast.IsNot)) for op in node.ops)
    parts = [infer.of(x) if identity else contents(infer, infer.of(x)) for x in (node.left, *node.comparators)]
    if not k.all_of(parts, Kind):
        return None
    found = operation(infer, node) if not k.all_of(parts, k.Num) else None
    if found is not None:
        return found.result
    result = compared(node.ops[0], *parts) if len(node.ops) == 1 else None
    if result == k.BOOL and isinstance(node.ops[0], (gast.In, gast.NotIn)) and is_empty_dict(infer, node.comparators[0]) and (
            k.is_text(parts[0]) or isinstance(parts[0], k.Num) and parts[0].dims == ()):
        return k.Const(isinstance(node.ops[0], gast.NotIn))                              # whatever the key
    if result is not None:
        return result
    nums = [k.as_num(p) for p in parts]
    if k.all_of(nums, k.Num):
        dims = k.broadcast(*(n.dims for n in nums))
        if dims == ():
            return k.BOOL
        return k.Num("bool", dims, True if dims else None)
    return k.ANY


def is_empty_dict(infer: Infer, node: Any) -> bool:
    """Whether a name is made as an empty dict, and is one as far as is known. (What else puts items into it is a surprise: these
    names are looked at again where memory is written out; dicts that are parts of others are not.)"""
    made = [s.value for s in t.statements(infer.unit.tree.body) if node.id in t.writes(s)] if (
        t.is_name(node) and infer.of(node) == k.Dct(()) and node.id not in infer.unit.parameters) else []
    return bool(made) and all(isinstance(value, gast.Dict) and not value.keys for value in made)


def compared(op: Any, left: Kind, right: Kind) -> Kind | None:
    """The kind of a comparison, with its truth where that is known; None: it is decided by the numbers that are compared."""
    functions = isinstance(left, k.Closure) or isinstance(right, k.Closure)              # they are equal if they are one
    if isinstance(op, (gast.Is, gast.IsNot)) or functions and isinstance(op, (gast.Eq, gast.NotEq)):
        same = is_same(left, right)
        return k.BOOL if same is None else k.Const(same == isinstance(op, (gast.Is, gast.Eq)))
    if known_alike(left, right) and type(op) in COMPARE:
        try:
            return k.Const(COMPARE[type(op)](left.value, right.value))                   # type: ignore[attr-defined]
        except TypeError:
            return k.BOOL
    if isinstance(op, (gast.In, gast.NotIn)):
        return contains_kind(left, right, isinstance(op, gast.In))
    return k.BOOL if k.is_text(left) and k.is_text(right) else None


def of_IfExp(infer: Infer, node: gast.IfExp) -> Kind | None:
    """A number that is one of two."""
    parts = [infer.of(node.body), infer.of(node.orelse)]
    if not k.all_of(parts, Kind):
        return None
    nums = [k.as_num(part) for part in parts]
    return k.join(*nums) if k.all_of(nums, k.Num) else k.ANY


def of_BoolOp(infer: Infer, node: gast.BoolOp) -> Kind | None:
    parts = [infer.of(v) for v in node.values]
    if not k.all_of(parts, Kind):
        return None
    stop = isinstance(node.op, gast.Or)
    for part in parts[:-1]:
        truth = constant_truth(part)
        if truth is stop:
            return part
        if truth is None:
            return k.BOOL
    return parts[-1]


def of_Tuple(infer: Infer, node: gast.Tuple) -> Kind | None:
    parts = [infer.of(item) for item in node.elts]
    return k.Tup(tuple(parts)) if k.all_of(parts, Kind) else None


def of_List(infer: Infer, node: gast.List) -> Kind | None:
    parts = [infer.of(item) for item in node.elts]
    if not k.all_of(parts, Kind):
        return None
    item: Kind | None = None
    for part in parts:
        item = k.join(item, part) if item else part
    return k.Lst(item)


def of_Dict(infer: Infer, node: gast.Dict) -> Kind | None:
    parts = [infer.of(item) for item in node.values]
    if not k.all_of(parts, Kind):
        return None
    if not all(map(t.constant_key, node.keys)):              # in a condition
        return k.Map(None, k.common(parts))
    return k.Dct(tuple((t.constant_of(key), part) for key, part in zip(node.keys, parts)))


def of_Set(infer: Infer, node: Any) -> Kind | None:
    parts = [infer.of(item) for item in node.elts]
    return k.SetOf(item=k.common([k.as_num(p) for p in parts])) if k.all_of(parts, Kind) else None


def of_JoinedStr(infer: Infer, node: Any) -> Kind | None:
    parts = [infer.of(n) for item in node.values if isinstance(item, gast.FormattedValue) for n in [item.value]]
    return k.text_from(*parts) if k.all_of(parts, Kind) else None


def of_Attribute(infer: Infer, node: gast.Attribute) -> Kind | None:
    value = infer.unit.lookup(node)
    if value is not MISSING:
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type, np.ufunc)):
            return k.Fn(value)
        return k.Obj(io.TextIOWrapper) if value is sys.stdout or value is sys.stderr else k.as_num(k.kind_of(value))
    method = infer.unit.lookup(node.value)
    if node.attr == "__self__" and isinstance(getattr(method, "__self__", None), STREAMS):
        return k.Obj(type(method.__self__))
    owner = contents(infer, infer.of(node.value))
    if owner is None:
        return None
    if isinstance(owner, k.Fn) and node.attr in ("__defaults__", "__kwdefaults__"):
        return defaults_kind(getattr(owner.value, node.attr, None))
    if isinstance(owner, k.Closure) and node.attr == "__name__":
        return k.Const(owner.function.name)
    if isinstance(owner, k.Num):
        found = result_types.marked(attribute_kind(owner, node.attr), owner.real and node.attr in ("T", "mT")
                             or node.attr in ("real", "imag"))
        return result_types.with_layout(f"attribute {node.attr}", [owner], {}, found or k.ANY)
    if isinstance(owner, k.Fn) and isinstance(owner.value, types.ModuleType) and hasattr(owner.value, node.attr):
        value = infer.unit.watch(owner.value, node.attr)
        return k.Fn(value) if callable(value) else k.as_num(k.kind_of(value))
    return member(infer, owner, node.attr)


def of_Subscript(infer: Infer, node: gast.Subscript) -> Kind | None:
    if isinstance(node.value, gast.Attribute) and node.value.attr == "s_":
        return recorded(node.slice, infer.of)
    if k.is_held_dict(place := infer.of(node.value)):
        return of_entry(infer, place, node.slice)
    value = contents(infer, place)
    if value is None or value is k.DISCRETE:
        return value
    if isinstance(value, (k.Tup, k.Closure)):
        return item_kind(infer, value.items, node.slice)
    if isinstance(value, k.Dct):
        found = formed_kind(infer, value, node.slice) or entry_kind(infer, value, infer.of(node.slice))
        return None if found is k.ANY and value.made and infer.after is not None else found         # it is made first: `lowering`
    if isinstance(value, k.Map):
        return value.item or None
    if isinstance(value, (k.Lst, k.Rest)) or (isinstance(value, k.Obj) and value.cls is range):
        item = k.INT if isinstance(value, k.Obj) else value.item or None
        return value if is_slice(node.slice, infer.of) else item
    if k.is_text(value):
        return k.text_from(value)
    if isinstance(value, k.Num):
        return result_types.marked(indexed(infer, value, node.slice), value.real)
    if isinstance(value, k.Obj) and value.cls in CONCATENATORS:
        return concatenation(value.cls, node.slice, infer.of)
    if isinstance(value, k.Obj) and value.cls in GRIDS:
        return grid(value.cls, node.slice, infer.of)
    function = objects.special(value, "getitem", infer.unit)
    if function is not None:
        index = recorded(node.slice, infer.of)
        return None if index is None else objects.call(function, [value, index], infer.solve)
    return k.ANY


def item_kind(infer: Infer, items: tuple, index: Any) -> Kind | None:
    if isinstance(index, gast.Slice):
        try:
            bounds = (index.lower, index.upper, index.step)
            parts = [results.constant(infer.of(x)) if x is not None else None for x in bounds]
        except results.Unknown:
            return k.ANY
        return k.Tup(items[slice(*parts)])
    kind = infer.of(index)
    if isinstance(kind, k.Const) and isinstance(kind.value, int) and -len(items) <= kind.value < len(items):
        return items[kind.value]
    joined: Kind | None = None
    for item in items:
        joined = k.join(joined, item) if joined else item
    return k.Rest(joined) if is_slice(index, infer.of) else joined or k.ANY


def of_Call(infer: Infer, node: gast.Call) -> Kind | None:
    plain = [a.value if isinstance(a, gast.Starred) else a for a in node.args]
    if any(infer.of(a) is None for a in (*plain, *(kw.value for kw in node.keywords))):
        return None
    if isinstance(node.func, gast.Attribute) and node.func.attr == "pop" and not node.args:
        owner = infer.of(node.func.value)
        if isinstance(owner, k.Lst):
            return owner.item
    if isinstance(node.func, gast.Attribute) and node.func.attr.startswith(objects.CAUGHT):
        owner = infer.of(node.func.value)
        if owner is not None and owner is not k.ANY and not isinstance(owner, k.OneOf) and objects.class_of(owner) is None:
            plain_call = t.clone(node)                      # it is written so in the next round: see `syntax.caught`
            plain_call.func.attr = node.func.attr.removeprefix(objects.CAUGHT)
            given = infer.of(plain_call)
            return None if given is None else k.Tup((k.Const(0), k.Const(None), given))
    if isinstance(node.func, gast.Attribute) and infer.unit.lookup(node.func) is MISSING:
        check_own_iterator(infer, node)
        found = method_kind(node, lambda x: contents(infer, infer.of(x)))
        if found is not None:
            return found
    target = call_targets.target_of(node, infer.unit, infer.of)
    if call_targets.array_namespace(target.object) is not None:
        return k.Fn(np)
    args: list = []
    for a in target.args:
        if isinstance(a, gast.Starred):
            starred = infer.of(a.value)
            if starred is None:
                return None
            count = length(starred)
            if count is None:
                infer.passing[0] += 1
                if is_rest(a, len(args), target, infer.unit):
                    args.append(a)
                    continue
                if awaited(infer, target):
                    return None
                return k.text_from(starred) if target.object is runtime.text_of else k.ANY
            args += [t.subscript(t.clone(a.value), t.const(j)) for j in range(count)]
        else:
            args.append(a)
    target.args = args
    for star in target.stars:
        mapping = infer.of(star)
        if mapping is None:
            return None
        if not isinstance(mapping, k.Dct) or mapping.partial:
            if len(target.stars) == 1 and is_rest_of_names(star, target, infer.unit):
                return result_of(infer, target, node)
            if infer.halting and not infer.looping and target.function is not None:
                infer.halted = True                                      # it may yet be written out
                return None
            if awaited(infer, target):
                return None
            infer.guessing |= target.function is not None
            infer.passing[0] += 1
            return k.text_from(mapping) if target.object is runtime.text_of else k.ANY
        for key, _ in mapping.items:
            target.keywords[key] = t.subscript(t.clone(star), t.const(key))
    target.stars = []
    return result_of(infer, target, node)


def awaited(infer: Infer, target: call_targets.Target) -> bool:
    """Whether a call with a star may yet be written out: what it returns must not be among what objects may hold by then."""
    waits = bool(infer.unit.function.memory) and infer.unit.doubting and (target.function is not None or target.plain is not None)
    infer.unit.doubted |= waits
    return waits


def result_of(infer: Infer, target: call_targets.Target, node: gast.Call) -> Kind | None:
    infer.passing[0] += target.custom is not None or not (target.known or target.object in INPLACE_OF)
    if target.object is None:
        tape = isinstance(node.func, gast.Attribute) and node.func.attr == "append" and isinstance(infer.of(node.func.value), k.Lst)
        for kind in () if tape else map(infer.of, target.operands):         # (a list knows what it holds)
            k.lose(kind)
        return k.ANY
    if isinstance(target.object, Maker):
        parts = [infer.of(a) for a in target.args]
        if not k.all_of(parts, Kind):
            return None
        return k.Closure(target.object.function, tuple(parts), target.object.keywords)
    if target.object is functools.partial and target.args:
        return partial_kind(infer, target)
    found = of_objects(infer, target)
    if found is not DIFFERENT:
        return found
    if target.custom is not None:
        return custom_kind(infer, target.custom, target)
    if isinstance(target.object, k.Closure):
        return result_of(infer, closure_target(target, node), node)
    if mark(target.object, "__sourcegrad_static__") or target.object is np.vectorize:
        return static_kind(infer, target)
    if isinstance(target.object, Attempt):
        return attempt_kind(infer, target)
    if primitive_of(target.object).gives is not None:
        return primitive_of(target.object).gives
    if hasattr(target.object, "result_kind"):
        return without_own_sizes(target.object.result_kind)        # generated code
    if primitive_of(target.object).applies and target.known:      # it calls the functions that it is given
        for a in target.operands:
            k.lose(infer.of(a))
    if target.known or target.object in INPLACE_OF or SPECIAL.get(target.object) is not None:
        return infer.primitive(target.object, target.args, target.keywords)
    if target.object is np.poly1d:
        return k.Obj(np.poly1d)
    if target.function is not None:
        return user_call(infer, target.function, target)
    for a in target.operands:        # a function that is not looked into
        k.lose(infer.of(a))
    return k.ANY


def user_call(infer: Infer, function: Function, target: call_targets.Target) -> Kind | None:
    threaded = bool(infer.unit.function.memory) and call_targets.threads(function, target)
    try:
        bound = call_targets.bind(function, target, infer.unit)
        if threaded:                                         # as it is written by `lowering.places`
            function, bound = function.with_memory("given"), {**bound, MEMORY: t.load(MEMORY)}
        parts = {name: kind for name, value in bound.items() if (kind := infer.of(value)) is not None}
        if len(parts) < len(bound):
            return None
        result = infer.solve(function, parts)
        changed_by(infer, function, bound, parts)
        if threaded and isinstance(result, k.Tup):
            infer.bind(MEMORY, result.items[1])
            return result.items[0]
        return result
    except (SourcegradError, TypeError):
        return k.ANY


def changed_by(infer: Infer, function: Any, bound: dict[str, Any], parts: dict[str, Kind]) -> None:
    """A call that changes its arguments in place: they may be of other kinds from then on."""
    if infer.after is None:
        return
    changing = {name for name, kind in parts.items() if isinstance(kind, (k.Obj, k.Dct, k.Map, k.Lst))
                and isinstance(bound[name], gast.Name) and bound[name].id in infer.local}
    if changing:
        for name, kind in infer.after(function, parts).items():
            if name in changing:
                infer.bind(bound[name].id, kind)


def attempt_kind(infer: Infer, target: call_targets.Target) -> Kind | None:
    """(path, error, value), and what is saved besides."""
    function = target.object.function
    value = function.result_kind if hasattr(function, "result_kind") else user_call(infer, describe(function), target)
    if value is None:
        return None
    parts: list[Kind] = []
    for _ in range(target.object.depth):
        saved = k.ANY
        if isinstance(value, k.Tup) and len(value.items) == 2:
            value, saved = value.items
        else:
            value = k.ANY
        parts.insert(0, saved)
    return k.Tup((k.INT, k.Obj(BaseException), value, *parts))


HANDLERS = {getattr(gast, name[3:]): handler for name, handler in list(globals().items()) if
            name.startswith("of_") and name[3].isupper()}
