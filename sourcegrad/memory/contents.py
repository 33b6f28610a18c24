"""What a new container holds of what there is already."""
from __future__ import annotations

import copy
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.alias import may_share
from sourcegrad.analysis.locations import Loc, attribute_step, index_step
from sourcegrad.analysis.result_types import is_slice
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Maker
from sourcegrad.memory.heap import OF_TUPLES, REPEATING, SOME, State, mutable, repeats
from sourcegrad.memory.points_to import member_step
from sourcegrad.memory.write_through import Binding


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
                if call.object in OF_TUPLES:                 # of items
                    slot = here.then(SOME, SOME).somewhere()
                    found = [(slot, loc) for _, loc in found]
                same = call.object in (list, tuple, sorted, reversed) and bool(call.args) and repeats(
                    state, [self.locs_of(call.args[0], state)])
                if found and (same or call.object in REPEATING):
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
