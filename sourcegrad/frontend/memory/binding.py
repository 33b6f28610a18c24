"""A name gets another value: the array that it leaves keeps living in the names that share it."""
from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

import gast

from sourcegrad import kinds as k, tree as t
from sourcegrad.analysis.locations import Loc, overlap
from sourcegrad.errors import UnsupportedError
from sourcegrad.frontend.memory.changes import Changes
from sourcegrad.frontend.memory.sharing import carry
from sourcegrad.frontend.memory.state import FRESH, GONE, SOME, Locs, State, When


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
        others = state.copy()
        others.forget(name)
        for pair in [pair for pair, sure in state.links.items() if isinstance(sure, When)]:
            ends = [other for one, other in (pair, pair[::-1]) if one.root == name]
            if len(ends) == 1 and not self.looked_at(ends[0], others, after, None):
                del state.links[pair]
        carry(state, lambda loc: loc.root == name, Loc(name, (), False))

    def bind(self, s: Any, name: str, locs: Locs, state: State, part: bool = False) -> tuple[list, State]:
        """Give a name a new value; what shared the old one is rooted elsewhere. part: the new one may be a part of the old."""
        state, self.heir = state.copy(), None
        if len(locs) == 1 and state.locs.get(name) == locs and all(loc.exact for loc in locs):         # x = x
            return [], state
        before: list = []
        after = self.after(s)
        derived = [n for n, found in state.locs.items() if n != name and n in after
                   and any(loc.root == name or name in loc.names for loc in found)]
        old = {loc for loc in locs if loc.root == name and (loc.path or not loc.exact)}      # (a part of) what the name leaves
        inside = bool(old)
        linked = [pair for pair, sure in state.links.items() if not isinstance(sure, When) and name in (
            pair[0].root, pair[1].root) and any(x.root in after for x in pair if x.root != name)]
        mentioned = any(name in loc.names for pair in state.links for loc in pair)
        given = any(loc.root == name for ghost in self.ghosts for loc in state.locs.get(ghost, ()))
        if derived or mentioned or inside and given or (inside or part) and self.guarded(name, state, after) or (
                linked and any(n in after for n in self.sharers(name, state) if n != name)):
            heir = next((n for n in derived if state.locs[n] == frozenset([Loc(name)]) and n not in self.ghosts
                         and n not in state.stale and not mentioned), None)
            if heir is None:
                key = (id(s), name)
                if key not in self.kept:
                    self.kept[key] = self.unit.names.fresh(f"{name}_kept")
                    self.facts.kinds[self.kept[key]] = self.facts.kinds.get(name, k.ANY)
                    self.facts.local.add(self.kept[key])
                heir = self.kept[key]
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
        for ghost in self.ghosts:                        # nobody looks at the object that was passed
            if name != ghost and any(loc.root == name for loc in state.locs.get(ghost, ())):
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
