"""Names that are one array on one path and another array on the other.

    if c: g = a
    else: g = a.copy()
    g[0] = 1.0

Where the paths meet, g gets a root of its own, and a condition remembers whether it is `a`. Whenever g changes, so does
`a` under that condition, and the other way round: the link between them is guarded.
"""
from __future__ import annotations

import functools
import itertools
from collections.abc import Set as AbstractSet
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, source, tree as t
from sourcegrad.analysis.locations import Loc, in_order, overlap
from sourcegrad.frontend.memory.everywhere import Everywhere
from sourcegrad.frontend.memory.state import FRESH, Locs, State, When

Sides = tuple[State, State]
Ways = tuple[tuple[str, ...], ...]                       # each of them is enough: conditions that are all true
ALWAYS: Ways = ((),)
NEVER: Ways = ()
MANY = 4                                                 # ways in which one thing comes about: so many are followed
Told = dict[str, Ways]                                   # when conditions are true from here on


class Alternatives(Everywhere):
    """Guarded links where paths meet."""

    def alternatives(self, s: Any, alive: AbstractSet[str], sides: Sides, new: tuple[list, list]) -> None:
        """Give names that live at different places on two paths roots of their own; `new`: statements at their ends."""
        told: tuple[Told, Told] = ({}, {})
        for name in sorted((alive - set(self.ghosts)) | self.seen):
            self.alternative(s, name, alive, sides, new, told)
        for side in (0, 1):
            new[side].extend(self.told_at_once(s, told[side]))

    def alternative(self, s: Any, name: str, alive: AbstractSet[str], sides: Sides, new: tuple[list, list],
                    told: tuple[Told, Told]) -> None:
        """`root` is the variable: of a name itself, for an argument as given one that holds its content."""
        found = [state.locs.get(name, frozenset()) for state in sides]
        kind = self.facts.kinds.get(self.ghosts.get(name, name), k.ANY)
        if not isinstance(kind, k.Num) or any(len(locs) != 1 for locs in found):
            return
        where = [next(iter(locs)) for locs in found]
        if not all(loc.exact for loc in where) or name in self.ghosts and where[0] == where[1]:
            return
        root = self.variable(s, name, f"{self.ghosts[name]}_given", kind) if name in self.ghosts else name
        shared = [self.shared(root, loc, state, known) for loc, state, known in zip(where, sides, told)]
        if where[0] == where[1] and (shared[0] == shared[1] or self.conditions_tell(root, where[0], sides)) or any(
                self.uncertain(loc, x) for loc, x in zip(where, sides)):
            return
        places = [p for p in dict.fromkeys((*shared[0], *shared[1])) if self.seen_elsewhere(name, p, alive, sides)]
        if any(p.root == root or any(p.root not in state.locs for state in sides) for p in places):
            return
        values = [{p: self.ways(name, p, *side) for p in places} for side in zip(where, sides, shared, told)]
        if any(len(ways) > MANY for known in values for ways in known.values()):
            return
        self.suspects.update(item for place in places for item in place.path if item.may_copy)
        if self.emitting and not {root, *(p.root for p in places)} & self.written:
            return                                           # nothing of it ever changes
        for side, state in enumerate(sides):
            new[side].extend(self.settled(state, [name]) if root == name else
                             [t.assign(root, where[side].read(), self.origin)] if where[side] != Loc(root) else [])
            state.links = {pair: sure for pair, sure in state.links.items()
                           if not (isinstance(sure, When) and Loc(root) in pair)}
            state.locs[name] = state.locs[root] = frozenset([Loc(root)])
            for place in places:
                condition = self.condition(s, root, place)
                if values[side][place] != ((condition,),):
                    told[side][condition] = values[side][place]
                state.links[Loc(root), place] = When(condition)

    def variable(self, s: Any, key: str, base: str, kind: k.Kind) -> str:
        """A variable of this pass for a statement, the same whenever the pass comes by."""
        if (id(s), key) not in self.kept:
            name = self.kept[id(s), key] = self.unit.names.fresh(base)
            self.facts.kinds[name] = kind
            self.facts.local.add(name)
        return self.kept[id(s), key]

    def perhaps_copied(self, locs: Locs, name: str) -> bool:
        """Whether a value is a reshape of which it depends on the layout whether it is a view, and that often is none."""
        [loc] = locs if len(locs) == 1 else [FRESH]
        if not loc.exact or not loc.path or not loc.path[-1].may_copy or not isinstance(self.facts.kinds.get(name), k.Num):
            return False
        options = [n for n in t.walk(loc.path[-1].node) if isinstance(n, gast.Constant) and n.value == "F"]
        return bool(options) or not self.rowwise(loc.root) or not all(in_order(x, self.facts.of) for x in loc.path[:-1])

    def view_or_copy(self, s: Any, name: str, value: gast.Call, place: Loc, state: State) -> tuple[list, State]:
        """A reshape gets a root of its own, and a guarded link to the array if it is a view where it runs."""
        self.dense.update(self.given(place, state))          # a copy of an argument must lie as the argument does
        before, state = self.bind(s, name, frozenset([FRESH]), state, place.root == name)
        if self.heir is not None:
            place = place.renamed(name, self.heir)
        if place.root == name:                               # nobody else looks at the array
            return before, state
        condition = self.variable(s, "is a view", f"{name}_shared", k.BOOL)
        state.links[Loc(name), place] = When(condition)
        if not self.emitting:
            return before, state
        told: list = []
        for whole, conditions in self.meanings(place, state):               # (a root may lie otherwise than what it is a part of)
            self.dense.update(self.given(whole, state))
            view = self.temporary("view", self.facts.kinds.get(name))       # from the array itself: a copy may lie otherwise
            array = Loc(whole.root, whole.path[:next(j for j, item in enumerate(whole.path) if item.may_copy)])
            shares = t.call(f"{self.unit.use(np, 'np')}.may_share_memory", t.load(view), array.read())
            told += self.only_where(conditions, [t.assign(view, whole.read(), self.origin),
                                                 t.assign(condition, shares, self.origin)])
        return [*before, *told], state

    def shared(self, name: str, loc: Loc, state: State, told: Told) -> dict[Loc, Ways]:
        """The places that a name shares with others: for certain, or where conditions hold, as they were before they are told.

        Those of links of the name itself are not translated: they stay unless they are told. told: conditions that change."""
        found: dict[Loc, Ways] = {} if loc == Loc(name) else {loc: ALWAYS}
        for pair, sure in state.links.items():
            for one, other in (pair, pair[::-1]):
                depth = len(one.path)
                if isinstance(sure, When) and one.root == loc.root and one.path == loc.path[:depth] and other != Loc(name):
                    own = ((sure.condition,),)
                    ways = own if loc == Loc(name) else told.get(sure.condition, own)
                    if other.root != name or ways:
                        found[other.then(*loc.path[depth:])] = ways          # a part of what is shared is shared
        return found

    def ways(self, name: str, place: Loc, loc: Loc, state: State, shared: dict[Loc, Ways], told: Told) -> Ways:
        """When a name, which lives at `loc`, is what lies at another place."""
        if place == loc or place in shared:
            return shared.get(place, ALWAYS)             # (its own condition stays what it is)
        before = {end: as_before(ways, told) for end, ways in shared.items()} if loc == Loc(name) else shared
        ends = [place, resolved(place, state)]
        for end in ends:
            if end == loc or end in before:
                return before.get(end, ALWAYS)
        found: Ways = NEVER
        for middle, first in before.items():             # both are (parts of) a third array
            for other, second in self.shared(name, middle, state, told).items():
                if other in ends:
                    found += at_once(first, second)
        return ALWAYS if () in found else tuple(dict.fromkeys(found))

    def conditions_tell(self, name: str, loc: Loc, sides: Sides) -> bool:
        """Whether the same conditions tell on both sides what a place is: names that have got roots here have got them."""
        one, other = (self.shared(name, loc, state, {}) for state in sides)
        return one == other

    def uncertain(self, loc: Loc, state: State) -> bool:
        """Whether a place may be another one, and no condition tells."""
        return any(sure is False and overlap(end, loc) for pair, sure in state.links.items() for end in pair)

    def seen_elsewhere(self, name: str, place: Loc, alive: AbstractSet[str], sides: Sides) -> bool:
        """Whether anybody else looks at a place, here or in a caller."""
        for state in sides:
            others = state.copy()
            others.forget(name)
            if self.looked_at(place, others, alive - {name}, None) or any(
                    overlap(place, loc) for ghost in self.ghosts for loc in others.locs.get(ghost, ())):
                return True
        return False

    def condition(self, s: Any, name: str, place: Loc) -> str:
        """The variable that tells, from a meeting of paths on, whether a name is the array at a place."""
        ends = [name, source.expression_text(place.read())]
        found = self.variable(s, " is ".join(ends if place.path else sorted(ends)), f"{name}_shared", k.BOOL)
        self.conditions.add(found)
        return found

    def decided(self, block: list) -> list:
        """The program without tests of conditions that are the same on all paths."""
        values: dict[str, list] = {}
        for s in t.statements(block):
            if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and s.targets[0].id in self.conditions:
                values.setdefault(s.targets[0].id, []).append(s.value)
        known = {name: found[0].value for name, found in values.items()
                 if all(isinstance(value, gast.Constant) and value.value is found[0].value for value in found)}

        def statement(s: Any) -> list:
            if isinstance(s, gast.If) and t.is_name(s.test) and s.test.id in known:
                return s.body if known[s.test.id] else s.orelse
            return [s]
        return t.rewritten(block, statement) if known else block

    def told_at_once(self, s: Any, told: Told) -> list:
        """Assignments of conditions, all with the values from before."""
        first: list = []
        then: list = []
        for name, ways in told.items():
            now: dict[str, str] = {}
            for condition in sorted({c for way in ways for c in way}):
                now[condition] = condition
                if condition in told:
                    now[condition] = self.variable(s, f"{name} {condition} before", f"{name}_next", k.BOOL)
                    first.append(t.assign(now[condition], t.load(condition), self.origin))
            value: Any = t.const(ways == ALWAYS)
            if ways not in (ALWAYS, NEVER):
                each = [joined([t.load(now[c]) for c in way], gast.BitAnd()) for way in ways]
                value = joined(each, gast.BitOr())
            then.append(t.assign(name, value, self.origin))
        return first + then


def joined(parts: list, operator: gast.operator) -> Any:
    return functools.reduce(lambda one, other: t.binop(one, operator, other), parts)


def at_once(*parts: Ways) -> Ways:
    """The ways in which all of several things can come about."""
    return tuple(tuple(dict.fromkeys(c for way in choice for c in way)) for choice in itertools.product(*parts))


def as_before(ways: Ways, told: Told) -> Ways:
    """Ways in terms of conditions as they are before some of them change."""
    return tuple(x for way in ways for x in at_once(*(told.get(c, ((c,),)) for c in way)))


def resolved(place: Loc, state: State) -> Loc:
    """A place in a name, as the place in the array where the name lives."""
    locs = state.locs.get(place.root, frozenset())
    [loc] = locs if len(locs) == 1 else [place]
    return loc.then(*place.path) if loc.exact and loc is not place else place
