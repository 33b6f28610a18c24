"""Changes of an object of which it is not known beforehand where else it is held.

    for edge in edges:                       # which of the nodes an edge holds, the data tell
        edge.start.force += 1.0

The new object is put wherever the old one is found when the code runs (`places_of`, `put_all`), in all values that may hold
it and that somebody still looks at. Objects that are one keep being one, so this may be done again and again.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import gast

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.locations import ELSEWHERE, Loc, Step, overlap
from sourcegrad.analysis.tags import Tags, kind_at, tags_of
from sourcegrad.errors import UnsupportedError
from sourcegrad.frontend.memory.contents import Contents
from sourcegrad.frontend.memory.state import Locs, State, same_objects


@dataclass
class Held:
    """What may hold an object: places, and the names whose values they are in."""

    places: set[Loc]
    names: list[str]
    roots: set[str]


class Identity(Contents):
    """Changes that are put at all places that hold an object, by its identity."""

    def write(self, s: Any, base: gast.Name, taken: tuple[Step, ...], value: Any, state: State,
              rebinding: bool = False) -> tuple[list, State]:
        try:
            return super().write(s, base, taken, value, state, rebinding)
        except UnsupportedError as problem:
            return self.write_everywhere(s, base, taken, value, state, taken[-1] if rebinding else None, problem)

    def write_everywhere(self, s: Any, base: gast.Name, taken: tuple[Step, ...], value: Any, state: State,
                         slot: Step | None, problem: UnsupportedError) -> tuple[list, State]:
        """An object changes, wherever it is held. slot: the part of it that is another object now (None: a part changes)."""
        if not problem.shared:
            raise problem
        self.held, self.renewing = False, base.id            # a number is not found in other places
        state = state.copy()
        locs = self.locs_of(base, state)
        kind = self.kind(base)
        if ELSEWHERE in locs or base.id not in self.facts.local and not locs:
            raise problem
        owner = None
        if isinstance(kind, k.Num):                          # arrays are not told apart by identity: the object that holds it
            owner = self.owner(locs)
            if owner is None:
                raise problem
        if owner is not None or slot is None and any(isinstance(kind_at(kind, taken[:j], self.facts.of), k.Num)
                                                     for j in range(len(taken) + 1)):
            self.seek(state, problem)
        tags = tags_of(kind) if slot is not None else None if kind is k.ANY or owner is None else frozenset(["array"])
        held = self.holders(s, base.id, locs if owner is None else [owner[0], *locs], state, tags if slot is not None else None)
        if held.roots & state.split:                         # what is one object there is not found by its identity here
            raise problem
        now, before = self.refreshed(base, state)
        if slot is not None:
            before += self.let_go(s, held, slot, tags, state, problem)
        new: list = []
        if self.emitting:
            if owner is not None:
                name, steps = self.temporary("owner", k.ANY), (*owner[1], *taken)
                before += self.read(owner[0], name)
                now = t.load(name)
                self.facts.kinds[name] = kind_at(self.facts.kinds.get(owner[0].root), owner[0].path, self.facts.of) or k.ANY
            else:
                steps = taken
            old = self.temporary("old", self.kind(now))
            changed = self.temporary("changed", self.kind(now))
            place = next(iter(locs)) if len(locs) == 1 else ELSEWHERE
            own = place.exact and not place.path and place.root in held.names
            what = k.as_num(self.kind(now))
            number = not steps and not (isinstance(what, k.Num) and what.boxed is True)                 # perhaps
            kept = t.call(self.unit.use(runtime.changeable, "changeable"), t.clone(now)) if number and not own else t.clone(now)
            new.append(t.assign(old, kept, self.origin))
            part = None
            if slot is None and steps:
                inside = owner[1] if owner is not None else taken
                part = self.temporary("part", k.ANY)
                new += self.read(Loc(old, tuple(inside)), part)
                self.facts.kinds[part] = self.facts.of(new[-1].value) or k.ANY
            if steps:
                new.append(t.assign(changed, t.load(old), self.origin))
                new.append(self.put(Loc(changed, tuple(steps)), value))
            else:
                new.append(t.assign(changed, t.clone(value), self.origin))
            new += self.replaced(held.names, old, changed, part)
            if number and own:                               # a number is not found anywhere: its name gets another one
                new.append(t.assign(place.root, t.load(changed), self.origin))
        self.is_changed(held, state, tags, slot is not None)
        if slot is not None:
            self.survive(held, state)
        return [*before, *new], state

    def seek(self, state: State, problem: UnsupportedError) -> None:
        """Arrays are looked for by their memory from here on: what shares memory in the program must share it here."""
        if state.separated:
            raise problem
        self.seeks = self.seeks_itself = True

    def owner(self, locs: Locs) -> tuple[Loc, tuple[Step, ...]] | None:
        """The place of the object that holds an array, of which a name may be a view, and the way to what the name is."""
        loc = next(iter(locs)) if len(locs) == 1 else ELSEWHERE
        for depth in range(len(loc.path) + 1 if loc.exact else 0):
            if isinstance(kind_at(self.facts.kinds.get(loc.root), loc.path[:depth], self.facts.of), k.Num):
                return (Loc(loc.root, loc.path[:depth - 1]), loc.path[depth - 1:]) if depth else None
        return None

    def holders(self, s: Any, name: str, locs: Iterable[Loc], state: State, tags: Tags) -> Held:
        """Everything that may hold an object that lives at one of some places."""
        after = self.after(s)
        places = same_objects(locs, state)
        while True:                                          # a name may be one of several: what is true of one may be of all
            more = {x for n, found in state.locs.items() if n not in self.ghosts and len(found) > 1 and any(
                overlap(x, z) for x in found for z in places) for x in found} - places
            if not more:
                break
            places = same_objects(places | more, state)
        places = {x for x in places if self.inside(x, tags)}
        names = set()
        for root in {x.root for x in places}:
            here = [x for x in places if x.root == root]
            looked = root in after or any(n in after and n not in self.ghosts and any(x.root == root for x in found)
                                          for n, found in state.locs.items())
            given = not self.top and any(overlap(x, y) for ghost in self.ghosts for x in state.locs.get(ghost, ()) for y in here)
            seen = any(x.root == root for ghost in self.seen for x in state.locs.get(ghost, ()))
            if (looked or given or seen) and root in self.facts.local and self.sees(root, tags):
                names.add(root)
        for n, found in state.locs.items():                  # a name that may be one of several has a value of its own
            several = len(found) != 1 or not next(iter(found)).exact
            if several and n not in self.ghosts and n in after and self.sees(n, tags) and any(
                    overlap(x, y) for x in found for y in places):
                names.add(n)
        return Held(places, sorted(names), {x.root for x in places} | names)

    def let_go(self, s: Any, held: Held, slot: Step, tags: Tags, state: State, problem: UnsupportedError) -> list:
        """What lies in an object of some sorts may be another object from here on: names of what lay there keep it."""
        after = self.after(s)

        def moved(loc: Loc) -> bool:
            return loc.root in held.roots and any(
                not self.apart(tags, self.tags_at(Loc(loc.root, loc.path[:j]))) and overlap(
                    Loc(loc.root, (loc.path[j],)), Loc(loc.root, (slot,))) for j in range(len(loc.path)))

        if any(loc.path and moved(loc) for ghost in self.ghosts for loc in state.locs.get(ghost, ())):
            raise problem
        before: list = []
        for name, locs in list(state.locs.items()):
            if name not in self.ghosts and any(map(moved, locs)):
                if name in after:
                    before += self.settled(state, [name])
                state.locs[name] = frozenset(x.somewhere() for x in locs) | {Loc(name)}
                if name in after and name not in held.names:
                    held.names = sorted([*held.names, name])
        for pair in [pair for pair in state.links if any(map(moved, pair))]:
            state.links[pair] = False
        state.replaced = frozenset(x for x in state.replaced if not moved(x))
        return before

    def replaced(self, names: list[str], old: str, new: str, part: str | None) -> list:
        """Statements that put a new object wherever the values of names hold an old one. part: what changes in it itself."""
        if not names:
            return []
        result: list = []
        holder = names[0]
        if len(names) > 1:
            holder = self.temporary("holders", k.ANY)
            result.append(t.assign(holder, t.pack([t.load(n) for n in names]), self.origin))
        places = self.temporary("places", k.ANY)
        given = [t.load(n) for n in (holder, old, new, *([part] if part is not None else []))]
        result.append(t.assign(places, t.call(self.unit.use(runtime.places_of, "places_of"), *given), self.origin))
        put = t.call(self.unit.use(runtime.put_all, "put_all"), t.load(holder), t.load(places), t.load(old), t.load(new))
        if len(names) == 1:
            return [*result, t.assign(holder, put, self.origin)]
        changed = self.temporary("holders", k.ANY)
        return [*result, t.assign(changed, put, self.origin), t.unpack(names, t.load(changed), self.origin)]

    def survive(self, held: Held, state: State) -> None:
        """What lay in parameters may lie somewhere else now."""
        self.survivors.update(n for place in held.places for n, _ in self.given_places(place, state))

    def is_changed(self, held: Held, state: State, tags: Tags, rebinding: bool) -> None:
        """The values of names have changed somewhere: what lives in them is read again."""
        own = set(held.names)
        self.passed |= own
        for place in held.places:
            self.note(place.somewhere(), state, rebinding, tags)
        for name, locs in state.locs.items():
            if name not in self.ghosts and name not in own and any(overlap(x, y) for x in locs for y in held.places):
                self.held |= name in self.after(self.at) and name != self.renewing
                state.stale |= {name}
        self.written |= own
