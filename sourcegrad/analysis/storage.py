"""Which arrays of generated code may change in place: at each statement, who else may hold the same memory.

The facts are pairs of names that may share memory, followed along the paths of the program, so that buffers that
swap their names in a loop are known to stay apart. Memory that the caller or a global holds is shared with OUTSIDE.
"""
from __future__ import annotations

import functools
import operator
from typing import Any

import gast

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.aliasing import CONTAINERS, may_share
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.analysis.infer import Infer
from sourcegrad.analysis.liveness import Liveness, Numbering, positions
from sourcegrad.analysis.ownership import ENTRIES, PATHS, READ_ONLY, STORES, UPDATES, Ownership, updates
from sourcegrad.frontend.resolve import Unit

OUTSIDE = "outside "
WITHIN = "outside within "                # held by a container that is itself nobody else's
TWICE = "twice "                          # held by a container at two places
ALWAYS, ALL = 7, ~0                       # as bits: these three, which are never done with; every name
Shares = dict[int, int]                   # number of a name -> numbers of those it may share memory with, as bits
ALIKE = (list, runtime.another, runtime.dict_copy, runtime.as_class, runtime.changeable)     # they give the same parts once


class Storage:
    """`conflicts[id(s)]`: for `x = update(x, ...)`, names that may hold the memory of x and are still needed after s;
    empty: x may change in place there. `depth[id(s)]`: how many loops a statement is in."""

    def __init__(self, unit: Unit, facts: Infer, before: Storage | None = None) -> None:
        self.numbering = Numbering(OUTSIDE, WITHIN, TWICE)        # as bits: 1, 2 and 4
        self.unit, self.facts, self.kinds = unit, facts, facts.kinds
        self.values = Ownership(unit, facts.kinds)
        self.conflicts: dict[int, set[str]] = {}
        self.depth: dict[int, int] = {}
        self.loops = 0
        self.live: int | None = None
        self.parts: dict[int, tuple[Any, int]] = {}        # id(expression) -> the expression, what it holds
        self.scalars: dict[str, bool] = {}
        if before is not None:                             # the same names, kinds and (but for a few) expressions
            self.numbering, self.parts, self.scalars = before.numbering, before.parts, before.scalars
        self.liveness = Liveness(numbering=self.numbering)

    def run(self, body: list, parameters: list[str]) -> Storage:
        self.liveness.block(body, frozenset())
        self.local = {*parameters, OUTSIDE, *(n for s in t.statements(body) for n in t.writes(s))}
        self.known = self.numbering.bits(self.local)
        state: Shares = {}
        for name in parameters:
            self.link(state, name, 1)
        self.moved: dict[int, str] = {}                      # statements that take a part of a container for which another comes
        self.move(body)
        self.block(body, state)
        return self

    def move(self, block: list) -> None:
        for position, s in enumerate(block):
            for inner in t.inner_blocks(s) if not is_stop(s) else ():
                self.move(inner)
            value: Any = s.value if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) else None
            base = self.place(value) if value is not None else None
            if base is None or s.targets[0].id in (base[0], *base[2]):
                continue
            for later in block[position + 1:]:
                written = {n for x in t.statements([later]) for n in t.writes(x)}
                if base[0] in written or any(base[0] in t.header_reads(x) for x in t.statements([later])):
                    update = later.value if isinstance(later, gast.Assign) else None
                    if isinstance(update, gast.Call) and t.reads(update).count(base[0]) == 1 and base[1] == self.replaced(update):
                        self.moved[id(s)] = base[0]
                    break
                if written & set(base[2]):
                    break

    def place(self, value: Any) -> tuple[str, str, list[str]] | None:
        """(container, place, names in it) of an expression that takes a part of a container."""
        if isinstance(value, gast.Call) and self.unit.lookup(value.func) in (runtime.entry_of, runtime.item_at):
            base, key = value.args[:2]
        elif isinstance(value, gast.Subscript):
            base, key = value.value, value.slice
        elif isinstance(value, gast.Attribute):
            base, key = value.value, t.const(value.attr)
        else:
            return None
        if not t.is_name(base) or isinstance(k.as_num(self.kinds.get(base.id, k.ANY)), k.Num):
            return None
        return base.id, dump(key), t.reads(key)

    def replaced(self, update: gast.Call) -> str | None:
        """The place of a container at which an update puts something else."""
        function = self.unit.lookup(update.func)
        if function not in (runtime.entry_drop, runtime.index_set) or not t.is_name(update.args[0]):
            return None
        where = update.args[1]
        if isinstance(where, gast.Subscript) and (isinstance(where.value, gast.Attribute) and where.value.attr == "s_" or t.is_name(
                where.value)):
            where = where.slice
        elif isinstance(where, gast.Attribute) and t.is_name(where.value):
            where = t.const(where.attr)
        return dump(where)

    def free(self, s: Any) -> bool:
        """Whether the array that a statement updates may change in place."""
        return not self.conflicts.get(id(s), {OUTSIDE})

    def held(self, value: Any) -> set[str]:
        """Names whose memory an expression may hold; OUTSIDE also for what cannot be written into."""
        if isinstance(value, (gast.Subscript, gast.Attribute, gast.Call)):
            kind = k.as_num(self.facts.of(value) or k.ANY)
            if isinstance(kind, k.Num) and kind.is_scalar or k.is_text(kind) or self.contains(value, kind) and flat(kind):
                return set()
        if isinstance(value, gast.BinOp):                            # of lists: the elements are the same objects
            whole = self.facts.of(value)
            numbers = whole is None or whole is k.ANY or isinstance(k.as_num(whole), k.Num)
            return set() if numbers else self.held(value.left) | self.held(value.right)
        held = self.values.held(value)
        return held | {OUTSIDE} if self.read_only(value) else held

    def contains(self, value: Any, kind: k.Kind) -> bool:
        """Whether an expression gives a new container of what its arguments are or hold."""
        function = self.values.function(value) if isinstance(value, gast.Call) else None
        return function in CONTAINERS or isinstance(kind, k.Lst) and (
            function in (runtime.spread_over, runtime.unstack, runtime.regroup))

    def read_only(self, value: Any) -> bool:
        """Whether what an expression gives may be, or be a view of, what cannot be written into."""
        if isinstance(value, (gast.Attribute, gast.Subscript)):
            return self.read_only(value.value)
        if isinstance(value, gast.IfExp):
            return self.read_only(value.body) or self.read_only(value.orelse)
        if isinstance(value, (gast.Tuple, gast.List)):
            return any(map(self.read_only, value.elts))
        if isinstance(value, gast.Dict):
            return any(map(self.read_only, value.values))
        if not isinstance(value, gast.Call):
            return False
        function = self.values.function(value)
        if function in READ_ONLY or getattr(function, "__sourcegrad_lends__", False):
            return True
        if self.values.known(function) and not may_share(function, value):
            return False
        return any(map(self.read_only, value.args)) or (
            isinstance(value.func, gast.Attribute) and self.read_only(value.func.value))

    def holds(self, value: Any) -> int:
        """`held` as bits, while the facts are made: loops are walked again and again. Globals are held by others."""
        found = self.parts.get(id(value))
        if found is None:
            found = self.parts[id(value)] = value, self.numbering.bits(self.held(value))
        return found[1] | 1 if found[1] & ~self.known else found[1]

    def is_scalar(self, name: str) -> bool:
        found = self.scalars.get(name)
        if found is None:
            found = self.scalars[name] = self.values.is_scalar(name)
        return found

    # --- the relation

    def link(self, state: Shares, name: str, others: int, complete: bool = False) -> None:
        """A name may share memory with others, and with those that they share memory with (complete: they are all given)."""
        if self.is_scalar(name):
            return
        number = self.numbering.number(name)
        everyone = (others if complete else closed(state, others)) & ~(1 << number)
        if self.live is not None:                            # who is not needed any more is not looked for
            everyone &= self.live
        join(state, number, everyone)
        spread(state, number, everyone)

    def hold(self, state: Shares, name: str, parts: int) -> None:
        """A container holds objects: what others hold of them, they hold within it."""
        number = self.numbering.number(name)
        everyone = closed(state, parts)
        if everyone >> number & 1:                          # what it holds already, or may
            everyone = everyone & ~(1 << number) | 4
        if everyone & 3:
            everyone = everyone & ~3 | 2
        join(state, number, everyone)
        spread(state, number, everyone & ~2)

    def unlink(self, state: Shares, name: str) -> None:
        number = self.numbering.number(name)
        mask = ~(1 << number)
        for other in positions(state.pop(number, 0) & ~4):
            state[other] = state.get(other, 0) & mask

    # --- statements

    def block(self, block: list, state: Shares) -> Shares:
        for s in block:
            self.depth[id(s)] = self.loops
            state = self.statement(s, state)
        return state

    def statement(self, s: Any, state: Shares) -> Shares:
        after = self.liveness.after.masks.get(id(s))
        self.live = None if after is None or isinstance(s, (gast.For, gast.While)) else after | ALWAYS
        if isinstance(s, gast.If) and not is_stop(s):
            return only(merge(self.block(s.body, dict(state)), self.block(s.orelse, dict(state))), self.needed(s))
        if isinstance(s, (gast.For, gast.While)):
            return self.loop(s, state)
        found = t.list_method(s)
        if found is not None and found[1] == "append":
            self.hold(state, found[0], self.holds(s.value.args[0]))
        elif isinstance(s, gast.Assign):
            self.assign(s, state)
        return state

    def loop(self, s: Any, state: Shares) -> Shares:
        self.loops += 1
        if isinstance(s, gast.For):
            for name in t.writes(s):
                self.unlink(state, name)
                self.link(state, name, self.holds(s.iter))
        while True:
            after = merge(state, only(self.block(s.body, dict(state)), self.needed(s)))
            if after == state:
                break
            state = after
        self.loops -= 1
        return state

    def needed(self, s: Any) -> int:
        """The names that the next iteration of a loop, or what follows a statement, may read: all where that is not known."""
        after = self.liveness.after.masks.get(id(s))
        return ALL if after is None else self.liveness.head.masks.get(id(s), 0) | after | ALWAYS

    def assign(self, s: gast.Assign, state: Shares) -> None:
        target, value = s.targets[0], s.value
        if isinstance(target, gast.Name):
            base = self.updated(s)
            if base is not None:
                self.update(s, target.id, base, state)
                return
            found = t.list_method(s)
            held = self.numbering.bit(found[0]) if found is not None else self.holds(value)
            if self.is_scalar(target.id):
                held = 0
            container = isinstance(value, (gast.List, gast.Dict, gast.BinOp)) and bool(held)     # new, of the same objects
            if isinstance(value, gast.Call) and found is None:
                function = self.values.function(value)
                held |= 4 if held and function not in ALIKE else 0
                container = container or self.contains(value, self.kinds.get(target.id, k.ANY))
            base = self.moved.get(id(s))
            if base is not None and not state.get(self.numbering.number(base), 0) & 4:
                everyone = state.get(self.numbering.number(base), 0) & ~self.numbering.bit(target.id)
                self.unlink(state, target.id)
                self.link(state, target.id, everyone | (everyone & 2) >> 1, True)
                return
            fresh = found is None and not held & 1 and not container and self.values.fresh(value)
            held = self.passed_on(value, held) if not fresh else 0
            parts = getattr(value, "values" if isinstance(value, gast.Dict) else "elts", None)
            if container and parts is None:
                self.unlink(state, target.id)
                self.hold(state, target.id, held)
                return
            if parts is not None:
                apart = [closed(state, self.holds(part)) & ~ALWAYS for part in parts]
                if sum(map(int.bit_count, apart)) > functools.reduce(operator.or_, apart, 0).bit_count():
                    held |= 4
                self.unlink(state, target.id)
                self.hold(state, target.id, held)
                return
            self.bind(state, target.id, held, isinstance(value, gast.Name))
            return
        held = self.holds(value)
        names = t.target_names(target)
        for name in names:
            self.bind(state, name, held)
        if isinstance(value, gast.Call):                    # what a callee returns and what it saved may be one array
            for name in names[1:]:
                self.link(state, name, self.numbering.bit(names[0]))

    def passed_on(self, value: Any, held: int) -> int:
        if isinstance(value, gast.Call) and not self.values.known(self.values.function(value)) and not self.generated(value):
            return held | 1
        return held

    def generated(self, value: gast.Call) -> bool:
        """Generated halves return what they made or were given (but for those that lend)."""
        return bool(getattr(self.unit.lookup(value.func), "__sourcegrad_pure__", False))

    def bind(self, state: Shares, name: str, held: int, whole: bool = False) -> None:
        number = self.numbering.number(name)
        own = 1 << number
        if held & own:
            held = (held | state.get(number, 0)) & ~own
        everyone = closed(state, held) & ~own
        if everyone & 2 and not whole:                      # a part of a container
            everyone |= 1
        self.unlink(state, name)
        self.link(state, name, everyone, whole)             # another name of the same object shares with just those

    def updated(self, s: gast.Assign) -> str | None:
        """The name whose array `y = update(x, ...)` would change in place: index_set, index_add, and arithmetic on itself."""
        value = s.value
        if isinstance(value, gast.Call) and updates(self.unit.lookup(value.func)) and isinstance(value.args[0], gast.Name):
            return str(value.args[0].id)
        name = s.targets[0].id
        number = isinstance(k.as_num(self.kinds.get(name, k.ANY)), k.Num) or self.kinds.get(name) is k.ANY
        if isinstance(value, gast.BinOp) and name in t.reads(value) and number or self.renews(s):
            return str(name)
        return None

    def renews(self, s: gast.Assign) -> bool:
        """x = laid_out_as(x, v)"""
        value = s.value
        return isinstance(value, gast.Call) and self.unit.lookup(value.func) is runtime.laid_out_as and t.is_name(
            value.args[0], s.targets[0].id)

    def update(self, s: gast.Assign, name: str, base: str, state: Shares) -> None:
        live = self.liveness.after.get(id(s), frozenset())
        others = {n for n in map(self.numbering.names.__getitem__, positions(state.get(self.numbering.number(base), 0)))
                  if n == OUTSIDE or n in live} - {base}
        kind = k.as_num(self.kinds.get(base, k.ANY))
        if self.shallow(s, base):                           # what the container holds does not hold the container
            others = {n for n in others if n == OUTSIDE or self.may_hold(n, kind)}
        elif self.deep(s) and not isinstance(kind, k.Num):
            others |= {n for n in (WITHIN, TWICE) if self.numbering.bit(n) & state.get(self.numbering.number(base), 0)}
        if base != name and base in live:
            others.add(base)
        if base not in self.local:                          # a global's own array
            others.add(OUTSIDE)
        self.conflicts[id(s)] = others - {name}
        if isinstance(s.value, gast.BinOp) or self.renews(s):
            if others:
                self.bind(state, name, 0)
            return
        if self.conflicts[id(s)]:                           # a copy is what changes: new, but for what a container holds
            held = 0 if isinstance(kind, k.Num) else state.get(self.numbering.number(base), 0) | self.numbering.bit(base)
            self.unlink(state, name)
            self.hold(state, name, held & ~self.numbering.bit(name))
        elif base != name:
            self.bind(state, name, self.numbering.bit(base), True)
        if not isinstance(kind, k.Num):                     # a container holds the new element
            function = self.unit.lookup(s.value.func)
            numbers = flat(kind) or function is runtime.index_add and self.of_arrays(kind)      # sums are new
            for position in () if numbers else UPDATES[function]:
                self.hold(state, name, self.holds(s.value.args[position]))

    def may_hold(self, name: str, base: k.Kind) -> bool:
        """Whether a name may be a container of the kind of `base`, or hold it. (A tape is no list of the program.)"""
        kind = k.as_num(self.kinds.get(name, k.ANY))
        if name in self.unit.tapes and isinstance(kind, k.Lst):
            kind = k.as_num(kind.item or k.ANY)
        return may_be_or_hold(kind, base)

    def of_arrays(self, kind: k.Kind) -> bool:
        item = k.as_num(kind.item or k.ANY) if isinstance(kind, k.Lst) else None
        return isinstance(item, k.Num) and bool(item.boxed and item.dims)

    def deep(self, s: gast.Assign) -> bool:
        """Whether an update may change what a container holds: at a path of several steps."""
        function = self.unit.lookup(s.value.func) if isinstance(s.value, gast.Call) else None
        if function not in STORES:
            return function in PATHS
        inner = getattr(s.value.args[1], "value", s.value.args[1])
        return not t.is_name(inner) and any(
            isinstance(n, gast.Name) and self.unit.lookup(n) is runtime.at for n in t.walk(inner))

    def shallow(self, s: gast.Assign, base: str) -> bool:
        """Whether a store puts another object into a container, rather than changing one that it holds."""
        if isinstance(s.value, gast.BinOp) or self.renews(s) or isinstance(k.as_num(self.kinds.get(base, k.ANY)), k.Num) or (
                self.kinds.get(base, k.ANY) is k.ANY):
            return False
        function, where = self.unit.lookup(s.value.func), s.value.args[1]
        if function in ENTRIES or function in PATHS:
            return function in ENTRIES
        if not isinstance(where, (gast.Subscript, gast.Attribute)):
            return not isinstance(where, gast.Name) or isinstance(k.as_num(self.kinds.get(where.id, k.ANY)), k.Num)
        inner = where.value
        return isinstance(inner, gast.Name) or (isinstance(inner, gast.Attribute) and inner.attr == "s_")


def may_be_or_hold(kind: k.Kind | None, base: k.Kind) -> bool:
    """Whether a value may be an object of the kind of `base`, or have one somewhere in it."""
    kind = k.as_num(kind or k.ANY)
    if isinstance(kind, (k.Num, k.Const, k.Fn)) or kind is k.DISCRETE:
        return False
    if isinstance(kind, (k.Lst, k.Map, k.Rest)):
        return type(kind) is type(base) or isinstance(kind, k.Map) and isinstance(base, k.Dct) or (
            kind.item is not None and may_be_or_hold(kind.item, base))
    if isinstance(kind, k.Tup):
        return any(may_be_or_hold(item, base) for item in kind.items)
    if isinstance(kind, k.Dct):
        return isinstance(base, (k.Dct, k.Map)) or any(may_be_or_hold(item, base) for _, item in kind.items)
    if isinstance(kind, k.Obj) and kind.items is not None and isinstance(base, k.Obj):
        related = issubclass(kind.cls, base.cls) or issubclass(base.cls, kind.cls)
        return related or any(may_be_or_hold(item, base) for _, item in kind.items)
    return True


def dump(node: Any) -> str:
    """The text of a place."""
    return str(gast.dump(node))


def flat(kind: k.Kind) -> bool:
    """Whether a container holds only numbers, which are nobody's memory."""
    item = k.as_num(kind.item or k.ANY) if isinstance(kind, (k.Lst, k.Map)) else None
    return isinstance(item, k.Const) or isinstance(item, k.Num) and item.is_scalar


def closed(state: Shares, mask: int) -> int:
    """Names, and all that share memory with one of them."""
    result = mask
    for number in positions(mask):
        result |= state.get(number, 0)
    return result


def join(state: Shares, number: int, mask: int) -> None:
    state[number] = state.get(number, 0) | mask


def spread(state: Shares, number: int, mask: int) -> None:
    """The other direction."""
    own = 1 << number
    for other in positions(mask & ~4):
        state[other] = state.get(other, 0) | own


def only(state: Shares, names: int) -> Shares:
    return {n: others & names for n, others in state.items() if names >> n & 1}


def merge(a: Shares, b: Shares) -> Shares:
    result = dict(a)
    for number, mask in b.items():
        result[number] = result.get(number, 0) | mask
    return result
