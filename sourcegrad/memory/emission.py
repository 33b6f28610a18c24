"""Emission: the statements that read places, put values there, check views, and bind names."""
from __future__ import annotations

from collections.abc import Iterable, Set as AbstractSet
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import result_types
from sourcegrad.analysis.locations import Loc, Step, in_order
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import INPLACE_OF, hashable
from sourcegrad.memory.heap import FRESH, GONE, SOME, Effects, Locs, State, When, sole_place
from sourcegrad.memory.points_to import PointsTo, in_array, kind_there, meanings, refuse_shared
from sourcegrad.memory.sharing import leave_root
from sourcegrad.primitives.core import primitive_of


class Emitter:
    """Statements that read places and put values there; names of this pass. Nothing is emitted while a loop settles."""

    def __init__(self, heap: PointsTo) -> None:
        self.heap = heap
        self.emitting = False
        self.kept: dict[tuple[int, str], str] = {}       # variables of this pass: see `variable`
        self.stand_ins: list = []

    def temporary(self, base: str, kind: Any) -> str:
        if not self.emitting:
            return base
        name = self.heap.unit.names.fresh(base)
        self.heap.facts.kinds[name] = kind or k.ANY
        self.heap.facts.local.add(name)
        return name

    def variable(self, key: tuple[int, str], base: str, kind: Any) -> str:
        """A variable of this pass, the same whenever it comes by. key: the id of a statement, and what it is for."""
        if key not in self.kept:
            name = self.kept[key] = self.heap.unit.names.fresh(base)
            self.heap.facts.kinds[name] = kind
            self.heap.facts.local.add(name)
        return self.kept[key]

    def tested(self, test: gast.Call) -> gast.Assign:
        """A statement that runs a test."""
        return t.assign(self.temporary("unused", k.Const(None)), test, self.heap.origin)

    def refreshed(self, node: Any, state: State) -> tuple[Any, list]:
        """An expression in which stale names are read again; and the statements that do so."""
        before: list = []
        stale = [n for n in dict.fromkeys(t.reads(node)) if n in state.stale]
        if not stale or not self.emitting:
            return node, before
        mapping: dict[str, str] = {}
        for name in stale:
            if len(state.locs[name]) != 1 or not next(iter(state.locs[name])).exact:
                refuse_shared(self.heap, name, None)
            loc = next(iter(state.locs[name]))
            if not loc.path:
                mapping[name] = loc.root
                continue
            fresh = self.temporary(name, self.heap.facts.kinds.get(name))
            before += self.read(loc, fresh)
            self.heap.unit.reread[fresh] = self.heap.unit.reread.get(name, name)
            state.locs[fresh] = state.locs[name]
            mapping[name] = fresh
        new = t.clone(node)
        for item in t.walk(new):
            if isinstance(item, gast.Name) and isinstance(item.ctx, gast.Load) and item.id in mapping:
                item.id = mapping[item.id]
        return new, before

    def refreshed_operands(self, value: Any, state: State) -> tuple[Any, list]:
        """As `refreshed`; but what a store or `op=` changes keeps its name."""
        function = self.heap.unit.lookup(value.func) if isinstance(value, gast.Call) else None
        if not hashable(function) or primitive_of(function).mutates not in ("place", "items") and function not in INPLACE_OF:
            return self.refreshed(value, state)
        new = t.clone(value)
        before: list = []
        for position, argument in enumerate(new.args[1:], start=1):
            new.args[position], more = self.refreshed(argument, state)
            before += more
        return new, before

    def refresh(self, s: Any, name: str, state: State) -> list:
        """Read stale names again that a statement reads in a field of that name: the statements before it."""
        node, before = self.refreshed(getattr(s, name), state)
        if self.emitting:
            setattr(s, name, node)
        return before

    def read(self, loc: Loc, name: str) -> list:
        """Statements that read a place into a name, one step each."""
        if not self.emitting:
            return []
        result: list = []
        node: Any = t.load(loc.root)
        for item in loc.path[:-1]:
            value = item.on(node)
            part = self.temporary("part", self.heap.facts.of(value))
            result.append(t.assign(part, value, self.heap.origin))
            node = t.load(part)
        value = loc.path[-1].on(node) if loc.path else node
        return [*result, t.assign(name, value, self.heap.origin)]

    def settled(self, state: State, names: Iterable[str]) -> list:
        """Names that are not as their roots say are read again."""
        new = []
        for name in sorted(state.stale & set(names)):
            loc = sole_place(state.locs.get(name, frozenset()))
            if loc is not None:
                new.append(t.assign(name, loc.read(), self.heap.origin))
                state.stale -= {name}
        return new

    def copied(self, source_: Loc, place: Loc, state: State) -> list:
        """What lies at one place is put at another.

        A part of an array that is written lies apart from then on: the link is known, but `places_of` would not find it."""
        state.separated |= in_array(place, self.heap.facts)
        if not self.emitting:
            return []
        if not source_.path:
            return [self.put(place, t.load(source_.root))]
        name = self.temporary("part", k.ANY)
        before = self.read(source_, name)
        self.heap.facts.kinds[name] = self.heap.facts.of(before[-1].value) or k.ANY
        return [*before, self.put(place, t.load(name))]

    def put(self, place: Loc, value: Any) -> gast.Assign:
        """root = index_set(root, path, value)"""
        root = place.root
        if not self.emitting:
            return t.assign(root, t.const(None), self.heap.origin)
        while len(place.path) > 1 and place.path[-1].is_all and place.path[-2].sort == "index" and isinstance(
                kind_there(Loc(root, place.path[:-2]), self.heap.facts), k.Num):
            place = Loc(root, place.path[:-1], place.exact, place.of)            # a[1:-1][:] = v is a[1:-1] = v
        if not place.path:
            return t.assign(root, t.clone(value), self.heap.origin)
        helper = self.heap.unit.use(runtime.index_set, "index_set")
        first = place.path[0]
        if len(place.path) == 1 and first.sort == "index":
            where = t.subscript(t.dotted(f"{self.heap.unit.use(np, 'np')}.s_"), t.clone(first.node.slice))
        else:
            where = t.load(self.heap.unit.use(runtime.at, "at"))
            for item in place.path:
                where = item.on(where)
            last = place.path[-1]
            attribute = last.node.attr if isinstance(last.node, gast.Attribute) else ""
            transposed = attribute == "T" and not isinstance(
                kind_there(Loc(root, place.path[:-1]), self.heap.facts), k.Obj)
            if transposed or last.sort == "view" and attribute not in ("real", "imag"):
                where = t.subscript(where, t.const(Ellipsis))    # the view itself cannot be assigned to
        return t.assign(root, t.call(helper, t.load(root), where, t.clone(value)), self.heap.origin)

    def stand_in(self, s: Any, new: gast.Assign) -> gast.Assign:
        """A statement in the place of another one."""
        self.heap.liveness.after[id(new)] = self.heap.liveness.after[id(s)]
        self.stand_ins.append(new)                       # ids are not used again
        return new


def only_where(heap: PointsTo, conditions: Iterable[str], block: list) -> list:
    """Statements that run where all conditions hold."""
    for condition in dict.fromkeys(conditions):
        block = [t.if_(t.load(condition), block, [], heap.origin)]
    return block


class Reshapes:
    """Reshapes of arrays that change must be views: NumPy says so where they run, and what is a copy by then is an error."""

    def __init__(self, out: Emitter) -> None:
        self.heap, self.out = out.heap, out
        self.suspects: set[Step] = set()                # reshapes that must give views
        self.dense: set[str] = set()                    # parameters of which they are views
        self.reshaped = False                           # whether a callee has such reshapes

    def view_check(self, name: str, value: Any, locs: Locs, state: State) -> list:
        """The result of a reshape that is written through, or looked at after a write: it must be a view where it runs."""
        if not isinstance(value, gast.Call) or not self.suspicious({loc.path[-1] for loc in locs if loc.path}):
            return []
        self.dense.update(n for loc in locs for n in self.heap.given(loc, state))
        base = value.func.value if isinstance(value.func, gast.Attribute) and self.heap.unit.lookup(
            value.func) is MISSING else value.args[0]
        [loc] = locs if len(locs) == 1 else [None]
        if loc is None or not loc.exact or loc.root not in state.locs:
            return self.same_memory(name, value, base)
        return self.place_check(name, loc, state)

    def result_check(self, name: str, locs: Locs, state: State) -> list:
        """The result of a callee that is written through, or looked at after a write: reshapes in it must be views.

        (What may live at several places does not change while others look at them.)"""
        [loc] = locs if len(locs) == 1 else [FRESH]
        if loc.exact and loc.root in state.locs and self.suspicious({item for item in loc.path if item.may_copy}):
            return self.place_check(name, loc, state)
        return []

    def suspicious(self, steps: set[Step]) -> bool:
        return self.out.emitting and not steps.isdisjoint(self.suspects)

    def place_check(self, name: str, loc: Loc, state: State) -> list:
        """The test that what is read at a place is a view: from the array itself, as a copy may lie otherwise, and so may a root
        that is part of an array."""
        checks: list = []
        for whole, conditions in meanings(loc, state):
            self.dense.update(self.heap.given(whole, state))
            steps = next(j for j, item in enumerate(loc.path) if item.may_copy) - len(loc.path)     # from the first reshape on
            base = Loc(whole.root, whole.path[:steps])
            checks += only_where(self.heap, conditions, self.same_memory(name, whole.read(), base.read()))
        return checks

    def dense_checks(self, effects: Effects, bound: dict[str, Any], state: State) -> list:
        """Tests that arguments lie in one piece of which a callee takes reshapes that must be views."""
        checks = []
        self.reshaped |= bool(effects.dense)
        for parameter in sorted(effects.dense & set(bound)) if self.out.emitting else ():
            for name in t.reads(bound[parameter]):
                for loc in sorted(self.heap.locs_of(t.load(name), state), key=repr):
                    self.dense.update(self.heap.given(loc, state))
                    if loc.exact and loc.path and not (
                            all(in_order(x, self.heap.facts.of) for x in loc.path) and self.rowwise(loc.root)):
                        test = t.call(self.heap.unit.use(runtime.check_dense, "check_dense"), loc.read())
                        checks.append(self.out.tested(test))
        return checks

    def rowwise(self, root: str) -> bool:
        """Whether an array, and what it may be a part of, certainly lies row by row in memory."""
        return not any(result_types.unordered(self.heap.facts.kinds.get(array)) for array in (root, *self.heap.unit.parameters))

    def same_memory(self, name: str, value: Any, base: Any) -> list:
        """The test that a value that is like that of a name is a view."""
        view = self.out.temporary("view", self.heap.facts.kinds.get(name))
        helper = self.heap.unit.use(runtime.same_memory, "same_memory")
        test = t.call(helper, t.load(view), t.clone(base))
        return [t.assign(view, t.clone(value), self.heap.origin), self.out.tested(test)]


def mentioned_in(locs: Locs, name: str) -> bool:
    """Whether the root or the path of one of some places names it."""
    for loc in locs:
        if loc[0] == name or loc[1] and name in loc.names:
            return True
    return False


class Bindings:
    """Names that are bound to other values."""

    def __init__(self, out: Emitter) -> None:
        self.heap, self.out = out.heap, out
        self.heir: str | None = None                     # the name that keeps what `bind` has taken from a name

    def guarded(self, name: str, state: State, after: AbstractSet[str]) -> bool:
        """Whether, under a condition, an array is one that others look at."""
        ends = [other for pair, sure in state.links.items() for one, other in (pair, pair[::-1])
                if isinstance(sure, When) and one.root == name]
        others = state.copy()
        others.forget(name)
        return any(self.heap.looked_at(x, others, after - {name}, None) for x in ends)

    def let_fall(self, kept: str, state: State) -> list:
        """Before the array that an earlier iteration has kept gives its name to another one."""
        def fallen(loc: Loc) -> Loc:
            if loc.root == kept:
                return Loc(kept, (), False)
            depth = next((j for j, item in enumerate(loc.path) if kept in item.names), None)
            return loc if depth is None else Loc(loc.root, (*loc.path[:depth], SOME), False)

        before = self.out.settled(state, [n for n, locs in state.locs.items() if any(loc.root == kept for loc in locs)])
        state.mapped(fallen)
        return before

    def leave(self, name: str, state: State, after: AbstractSet[str]) -> None:
        """A name leaves its array: what else was (a part of) that under conditions stays linked, where anybody looks at it."""
        if not isinstance(self.heap.facts.kinds.get(name), k.Num):
            return
        guarded = [pair for pair, sure in state.links.items() if isinstance(sure, When)]
        if guarded:
            others = state.copy()
            others.forget(name)
            for pair in guarded:
                ends = [other for one, other in (pair, pair[::-1]) if one.root == name]
                if len(ends) == 1 and not self.heap.looked_at(ends[0], others, after, None):
                    del state.links[pair]
        leave_root(state, name)

    def bind(self, s: Any, name: str, locs: Locs, state: State, part: bool = False) -> tuple[list, State]:
        """Give a name a new value; what shared the old one is rooted elsewhere. part: the new one may be a part of the old."""
        state, self.heir = state.copy(), None
        if len(locs) == 1 and state.locs.get(name) == locs and all(loc.exact for loc in locs):         # x = x
            return [], state
        before: list = []
        after = self.heap.after(s)
        derived = [n for n, found in state.locs.items() if n in after and n != name and mentioned_in(found, name)]
        old = {loc for loc in locs if loc.root == name and (loc.path or not loc.exact)}      # (a part of) what the name leaves
        inside = bool(old)
        linked: Any = ()
        mentioned = state.mentions(name)
        if mentioned:
            linked = [pair for pair, sure in state.links.items() if (pair[0][0] == name or pair[1][0] == name) and not isinstance(
                sure, When) and any(x.root in after for x in pair if x.root != name)]
            mentioned = any(name in loc.names for pair in state.links for loc in pair)
        held = [ghost for ghost in self.heap.ghosts if ghost in state.locs and any(loc[0] == name for loc in state.locs[ghost])]
        if derived or mentioned or inside and held or (inside or part) and self.guarded(name, state, after) or (
                linked and any(n in after for n in self.heap.sharers(name, state) if n != name)):
            heir = next((n for n in derived if state.locs[n] == frozenset([Loc(name)]) and n not in self.heap.ghosts
                         and n not in state.stale and not mentioned), None)
            if heir is None:
                heir = self.out.variable((id(s), name), f"{name}_kept", self.heap.facts.kinds.get(name, k.ANY))
                before += self.let_fall(heir, state)
                before.append(t.assign(heir, t.load(name), self.heap.origin))
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
