"""Bindings: what a name leaves that gets another value, and what a new container holds of what there is already."""
from __future__ import annotations

import copy
from collections.abc import Set as AbstractSet
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.alias import may_share
from sourcegrad.analysis.locations import Loc, attribute_step, index_step, overlap
from sourcegrad.analysis.result_types import is_slice
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Maker
from sourcegrad.memory.heap import FRESH, GONE, SOME, Locs, State, When, mutable, repeats
from sourcegrad.memory.points_to import member_step
from sourcegrad.memory.sharing import leave_root
from sourcegrad.memory.write_through import Changes
from sourcegrad.primitives.core import primitive_of


def mentioned_in(locs: Locs, name: str) -> bool:
    """Whether the root or the path of one of some places names it."""
    for loc in locs:
        if loc[0] == name or loc[1] and name in loc.names:
            return True
    return False


class Binding(Changes):
    """Names that are bound to other values."""

    def guarded(self, name: str, state: State, after: AbstractSet[str]) -> bool:
        """Whether, under a condition, an array is one that others look at."""
        ends = [other for pair, sure in state.links.items() for one, other in (pair, pair[::-1])
                if isinstance(sure, When) and one.root == name]
        others = state.copy()
        others.forget(name)
        return any(self.looked_at(x, others, after - {name}, None) for x in ends)

    def let_fall(self, kept: str, state: State) -> list:
        """Before the array that an earlier iteration has kept gives its name to another one."""
        def fallen(loc: Loc) -> Loc:
            if loc.root == kept:
                return Loc(kept, (), False)
            depth = next((j for j, item in enumerate(loc.path) if kept in item.names), None)
            return loc if depth is None else Loc(loc.root, (*loc.path[:depth], SOME), False)

        before = self.settled(state, [n for n, locs in state.locs.items() if any(loc.root == kept for loc in locs)])
        state.mapped(fallen)
        return before

    def leave(self, name: str, state: State, after: AbstractSet[str]) -> None:
        """A name leaves its array: what else was (a part of) that under conditions stays linked, where anybody looks at it."""
        if not isinstance(self.facts.kinds.get(name), k.Num):
            return
        guarded = [pair for pair, sure in state.links.items() if isinstance(sure, When)]
        if guarded:
            others = state.copy()
            others.forget(name)
            for pair in guarded:
                ends = [other for one, other in (pair, pair[::-1]) if one.root == name]
                if len(ends) == 1 and not self.looked_at(ends[0], others, after, None):
                    del state.links[pair]
        leave_root(state, name)

    def bind(self, s: Any, name: str, locs: Locs, state: State, part: bool = False) -> tuple[list, State]:
        """Give a name a new value; what shared the old one is rooted elsewhere. part: the new one may be a part of the old."""
        state, self.heir = state.copy(), None
        if len(locs) == 1 and state.locs.get(name) == locs and all(loc.exact for loc in locs):         # x = x
            return [], state
        before: list = []
        after = self.after(s)
        derived = [n for n, found in state.locs.items() if n in after and n != name and mentioned_in(found, name)]
        old = {loc for loc in locs if loc.root == name and (loc.path or not loc.exact)}      # (a part of) what the name leaves
        inside = bool(old)
        linked: Any = ()
        mentioned = state.mentions(name)
        if mentioned:
            linked = [pair for pair, sure in state.links.items() if (pair[0][0] == name or pair[1][0] == name) and not isinstance(
                sure, When) and any(x.root in after for x in pair if x.root != name)]
            mentioned = any(name in loc.names for pair in state.links for loc in pair)
        held = [ghost for ghost in self.ghosts if ghost in state.locs and any(loc[0] == name for loc in state.locs[ghost])]
        if derived or mentioned or inside and held or (inside or part) and self.guarded(name, state, after) or (
                linked and any(n in after for n in self.sharers(name, state) if n != name)):
            heir = next((n for n in derived if state.locs[n] == frozenset([Loc(name)]) and n not in self.ghosts
                         and n not in state.stale and not mentioned), None)
            if heir is None:
                heir = self.variable((id(s), name), f"{name}_kept", self.facts.kinds.get(name, k.ANY))
                before += self.let_fall(heir, state)
                before.append(t.assign(heir, t.load(name), self.origin))
                if name in state.locs:
                    state.locs[heir] = state.locs[name]
            own = state.locs.get(name)
            state.renamed(name, heir)
            if own is not None:
                state.locs[name] = own
            locs = frozenset(loc.renamed(name, heir) for loc in locs)
            self.heir = heir
        elif inside:                                     # what is left of an array that nobody else looks at
            locs = frozenset(FRESH if loc in old else loc for loc in locs)
        for ghost in held:                               # nobody looks at the object that was passed
            if name != ghost and any(loc[0] == name for loc in state.locs[ghost]):
                state.locs[ghost] = frozenset([GONE])
        self.leave(name, state, {*after, *t.reads(getattr(s, "value", None))} - {name})
        state.forget(name)
        if locs:
            state.locs[name] = frozenset(Loc(name) if loc == FRESH else loc for loc in locs)
        return before, state

    def stand_in(self, s: Any, new: gast.Assign) -> gast.Assign:
        """A statement in the place of another one."""
        self.liveness.after[id(new)] = self.liveness.after[id(s)]
        self.stand_ins.append(new)                       # ids are not used again
        return new

    def check_iterated(self, name: str, locs: Locs, state: State) -> None:
        """A list that gets longer or shorter is not the one that a loop around goes over."""
        for other in (n for names in self.around for n in names):
            if any(overlap(a, b) and (not a.exact or len(a.path) >= len(b.path)) and (not b.exact or len(b.path) >= len(a.path))
                   for a in locs for b in self.locs_of(t.load(other), state)):
                raise UnsupportedError(f"the list '{self.spelled(name)}' changes while it is iterated over", self.origin,
                                       f"Iterate over a copy: `for ... in list({self.spelled(name)})`.")


# --- A name gets a new list, dict or object.

class Contents(Binding):
    """Which places of new lists, dicts and objects hold which objects."""

    def contents(self, value: Any, name: str, state: State) -> list[tuple[Loc, Loc]]:
        """Which places of a new container hold which known objects."""
        found: list[tuple[Loc, Loc]] = []

        def put(place: Loc, item: Any) -> None:
            if isinstance(item, gast.Name) and mutable(self.facts.of(item) or k.ANY):
                for loc in self.locs_of(item, state):
                    found.append((place, loc))

        here = Loc(name)
        if isinstance(value, (gast.Tuple, gast.List)):
            for position, item in enumerate(value.elts):
                put(here.then(index_step(t.const(position))), item)
        elif isinstance(value, gast.Dict):
            for key, item in zip(value.keys, value.values):
                put(here.then(index_step(t.clone(key))) if key is not None else here.somewhere(), item)
        elif isinstance(value, gast.Call):
            call = call_targets.target_of(value, self.unit, self.facts.of)
            if isinstance(call.object, Maker):
                for position, item in enumerate(value.args):
                    put(here.then(index_step(t.const(position))), item)
            elif call.plain is not None or call.object is runtime.make_object:
                held = call.keywords if call.plain is None else call.plain.bind(call.args, call.keywords)
                for attr, item in held.items():
                    put(here.then(member_step(self.facts.kinds.get(name), attr)), item)
            elif call.object is copy.copy and isinstance(copied := self.kind(call.args[0]), k.Obj):
                for attr, part in copied.items or ():
                    taken = attribute_step(attr)
                    found += [(here.then(taken), loc.then(taken)) for loc in self.locs_of(call.args[0], state) if mutable(part)]
            elif self.mutable(name) and not isinstance(self.facts.kinds.get(name), k.Num) and (
                    not call.known or may_share(call.object, call)) and call.function is None:
                for argument in call.operands:
                    for n in t.reads(argument):
                        self.hold_items(here, n, state, found)
                slot = here.then(SOME).somewhere()
                same = call.object in (list, tuple, sorted, reversed) and bool(call.args) and repeats(
                    state, [self.locs_of(call.args[0], state)])
                if found and (same or primitive_of(call.object).contents == "repeated"):
                    found.append((slot, slot))
        elif isinstance(value, gast.Subscript) and not is_slice(value.slice, self.facts.of) and self.locs_of(value.value, state):
            pass                                          # an item itself: it has a place
        elif (isinstance(value, gast.Subscript) or isinstance(value, gast.BinOp) and isinstance(value.op, (
                gast.Add, gast.Mult, gast.BitOr))) and not isinstance(self.facts.kinds.get(name, k.ANY), k.Num):
            operands = [value.value] if isinstance(value, gast.Subscript) else [value.left, value.right]
            names = [n for operand in operands for n in t.reads(operand)]
            slot = here.then(SOME).somewhere()
            for n in names if isinstance(value, gast.Subscript) or not self.of_numbers(value) else ():
                if isinstance(value, gast.Subscript) or not isinstance(self.kind(t.load(n)), k.Num):
                    self.hold_items(here, n, state, found, True)
            many = isinstance(value, gast.BinOp) and isinstance(value.op, gast.Mult)
            if found and (many or repeats(state, [self.locs_of(t.load(n), state) for n in names])):
                found.append((slot, slot))
        return found

    def of_numbers(self, value: gast.BinOp) -> bool:
        """Whether an operator makes no container: there is none with a number (but `xs * 2`) or an array."""
        kinds = [self.kind(x) for x in (value.left, value.right)]
        return any(isinstance(kind, k.Num) and (
            isinstance(value.op, gast.Add) or kind.dtype is not None and not kind.is_discrete) for kind in kinds)

    def hold(self, place: Loc, name: str, state: State, found: list) -> None:
        """A new container may hold the elements of an older one."""
        kind = self.facts.kinds.get(name, k.ANY)
        if isinstance(kind, k.Num) and kind.boxed is False or not self.mutable(name):
            return
        if isinstance(kind, k.Lst) and kind.item is not None and not mutable(kind.item):
            return
        for loc in sorted(state.locs.get(name, ()), key=repr):
            found.append((place, loc.somewhere()))

    def hold_items(self, new: Loc, name: str, state: State, found: list, items: bool = False) -> None:
        """A new container holds items of an older one, or something else that a name holds. items: only the former."""
        items = items or isinstance(self.facts.kinds.get(name, k.ANY), (k.Lst, k.Tup, k.Dct, k.Map))
        inside: list = []
        self.hold(new.somewhere(), name, state, inside)
        for _, loc in inside:
            found.append((Loc(new.root, (SOME,), False), Loc(loc.root, (*loc.path, SOME), False) if items else loc))
