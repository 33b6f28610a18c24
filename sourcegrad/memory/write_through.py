"""Write-through: one place changes, its root gets a new value, and names that share it are read again."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.locations import ELSEWHERE, Loc, Step, Tags, overlap, reached
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.memory.emission import Emitter, Reshapes
from sourcegrad.memory.heap import SLOT, SOME, Linked, Locs, State, When, lies_in, nested, part_of, same_objects, sole_place
from sourcegrad.memory.points_to import (
    PointsTo,
    alike,
    apart,
    array_of,
    can_be_at,
    check_own,
    in_array,
    is_key,
    kind_there,
    refuse_held_outside,
    refuse_many,
    refuse_outside,
    refuse_shared,
    surely_there,
    tags_at,
    whole_array,
)
from sourcegrad.memory.sharing import by_one_name, carry, inner_shares, told_by

LONGEST, MANY, GUARDS = 8, 200, 3                # steps into a place, places, conditions on a way: so many are followed
STATEMENTS, REACH = 100, 200                     # for one change: in generated code, places (again and again) looked at
LINKS, SUPPOSED = 150, 80                        # pairs of places that are known; where only kinds are wanted (`lenient`)
HOLDERS = (k.Lst, k.Tup, k.Dct, k.Map, k.Obj, k.OneOf)


class Changes:
    """One place changes: its root gets a new value, and names that share it are read again."""

    def __init__(self, out: Emitter, reshapes: Reshapes) -> None:
        self.heap, self.out, self.reshapes = out.heap, out, reshapes
        self.reach = 0                                   # places that the change at hand has been followed to
        self.held = False                                # whether others hold what the change at hand has changed

    def write(self, s: Any, base: gast.Name, taken: tuple[Step, ...], value: Any, state: State,
              rebinding: bool = False) -> tuple[list, State]:
        """Replace what lies at a place, for everybody who sees it."""
        state = state.copy()
        place = self.place_of(s, base, state).then(*taken)
        new = [self.out.put(place, value)]
        if rebinding:
            given = state.copy()
            inside = [x for x in self.heap.value_locs(value, state) if overlap(x, place)]
            own = any(self.heap.given(x, state) for x in inside)
            before = self.rebound(s, place, state, new)
            if own:
                state.replaced = given.replaced
            if inside:                                        # a view of itself is put there: its memory is still there
                state.links.update({pair: False for pair, sure in given.links.items() if (own or sure is not True)
                                    and pair not in state.links and any(overlap(x, place) for x in pair)})
            return [*before, *new], state
        check_own(self.heap, place)
        self.changed_content(s, place, state, new, own=base.id)
        return new, state

    def place_of(self, s: Any, base: gast.Name, state: State) -> Loc:
        """The place where what changes lives."""
        locs = self.heap.locs_of(base, state)
        if ELSEWHERE in locs and base.id not in self.heap.facts.local:
            refuse_outside(self.heap, base.id)
        loc = single(self.heap, s, base.id, locs, state)
        check_own(self.heap, loc)
        self.reshapes.suspects.update(item for item in loc.path if item.may_copy)
        return loc

    def changed_inside(self, s: Any, place: Loc, state: State, new: list, tags: Tags) -> None:
        """Somewhere inside a place, containers of these sorts hold other objects now; the place itself holds what it held."""
        def moved(loc: Loc) -> bool:
            """Whether what lay there may lie elsewhere now."""
            steps = range(len(place.path), len(loc.path))
            return loc.exact and loc.root == place.root and loc.path[:len(place.path)] == place.path and not all(
                apart(tags, tags_at(Loc(loc.root, loc.path[:j]), self.heap.facts)) for j in steps)

        for name, locs in list(state.locs.items()):
            if name not in self.heap.ghosts and any(map(moved, locs)):
                if name in state.stale:
                    refuse_shared(self.heap, place.root, name)
                state.locs[name] = frozenset(x.somewhere() for x in locs) | {Loc(name)}
        for pair in list(state.links):
            if any(map(moved, pair)):
                state.links[pair] = False
        self.changed_content(s, place, state, new, tags=tags, rebinding=True)

    def changed_content(self, s: Any, place: Loc, state: State, new: list, own: str = "", known: frozenset = frozenset(),
                        tags: Tags = None, rebinding: bool = False, crossed: frozenset = frozenset(),
                        current_in: Loc | None = None) -> None:
        """The object at a place has changed: other places that hold it get its new value, other names read it again.

        known: places that have it already. tags: the sorts of what has changed there, where the place is not exact.
        crossed: guarded links that the change has come along. current_in: a place in which all places have it already."""
        tags = tags or tags_at(place, self.heap.facts)
        self.reach += 1
        if self.reach > REACH or len(state.links) > (SUPPOSED if self.heap.lenient else LINKS):
            refuse_many(self.heap, place.root)
        Propagation(self, s, state, new, tags).run(place, own, known, rebinding, crossed, current_in)

    def rebound(self, s: Any, place: Loc, state: State, new: list, tags: Tags = None) -> list:
        """Another object has been put at a place of a container; remember what this does to the places of parameters."""
        after = self.heap.after(s)
        depth = len(place.path)
        parts = {n for n, locs in state.locs.items() if any(overlap(x, place) and len(x.path) >= depth for x in locs)
                 and n != place.root and n not in self.heap.ghosts}
        others = {other for pair in state.links for one, other in (pair, pair[::-1])
                  if overlap(one, place) and len(one.path) >= depth}
        if parts & {*after, *t.reads(s.value)} or any(
                x.root in {*self.heap.unit.parameters, *t.reads(s.value)} or self.heap.looked_at(
                    x, state, after, None, self.heap.up_to_date(place.root, state, None), place.root) for x in others):
            self.heap.survivors.update(n for n, _ in self.heap.given_places(place, state))
            for n in parts & after:
                self.heap.outlived.setdefault(n, set()).update(owner for owner, _ in self.heap.given_places(place, state))
        before = Replacement(self, s, place, state, new, tags).run()
        if place.exact and place.path and not place.names and place.path[-1] not in (SOME, SLOT):
            state.replaced |= {place}
        return before

def where_met(changes: Changes, s: Any, one: Loc, changed: Loc, other: Loc, state: State, new: list, tags: Tags,
              known: frozenset = frozenset()) -> None:
    """A change at a place that is known to be another one only where it runs: then the other place changes, too."""
    if tags is not None and "array" not in tags:         # an object is found by its identity
        refuse_shared(changes.heap, changed.root, other.root)
        return
    apart = [j for j, steps in enumerate(zip(one.path, changed.path)) if steps[0] != steps[1]]
    steps = [(loc.path[apart[0]], loc) for loc in (one, changed)]
    if len(apart) != 1 or not all(item.sort == "index" and is_key(item.node.slice, changes.heap.facts) for item, _ in steps):
        refuse_shared(changes.heap, changed.root, other.root)
        return
    inside: list = changes.out.copied(one, other, state)
    changes.changed_content(s, other, state, inside, known=known | {one, changed}, tags=tags)
    if not changes.out.emitting:
        return
    holder = one.root
    if apart[0]:
        holder = changes.out.temporary("holder", k.ANY)
        new += changes.out.read(Loc(one.root, one.path[:apart[0]]), holder)
        changes.heap.facts.kinds[holder] = changes.heap.facts.of(new[-1].value) or k.ANY
    same = changes.out.temporary("same", k.BOOL)
    keys = [t.clone(item.node.slice) for item, _ in steps]
    test = t.call(changes.heap.unit.use(runtime.same_item, "same_item"), t.load(holder), *keys)
    new.append(t.assign(same, test, changes.heap.origin))
    new.append(t.if_(t.load(same), inside, [], changes.heap.origin))


def single(heap: PointsTo, s: Any, name: str, locs: Locs, state: State) -> Loc:
    """The one place where a name lives; one of several will do if nobody else looks at any of them."""
    known = sole_place(locs)
    if known is not None:
        return known
    after = heap.after(s)
    tags = reached(heap.facts.kinds.get(name, k.ANY))
    for other, found in state.locs.items():
        if other != name and other in after and any(overlap(a, b) for a in found for b in locs) and heap.sees(other, tags):
            refuse_shared(heap, name, other)
    if ELSEWHERE in locs:
        refuse_shared(heap, name, None)
    for pair in state.links:
        for one, linked in (pair, pair[::-1]):
            if any(overlap(one, loc) for loc in locs) and heap.looked_at(linked, state, after, tags):
                refuse_shared(heap, name, linked.root)
    inside = [{(a, b): sure for a, b, sure in inner_shares(loc, Loc(name), state, heap.sorts_at)} for loc in locs]
    for loc in locs:
        heap.note(loc, state, False, tags)
    state.forget(name)
    state.locs[name] = frozenset([Loc(name)])
    for pair in {pair for found in inside for pair in found}:
        state.links[pair] = all(found.get(pair, False) for found in inside)
    return Loc(name)


def items_moved(holder: Loc, state: State, facts: Infer) -> None:
    """The items of a list are at other positions from here on."""
    if isinstance(kind_there(holder, facts), (k.Dct, k.Map)):
        return                                       # which has them by their keys
    depth = len(holder.path)
    state.mapped(lambda x: Loc(x.root, (*holder.path, SOME, *x.path[depth + 1:]), False)
                 if len(x.path) > depth and lies_in(x, holder) else x)


class Propagation:
    """The object at a place has changed: other places that hold it get its new value, other names read it again."""

    def __init__(self, changes: Changes, s: Any, state: State, new: list, tags: Tags) -> None:
        """new: gets the statements that do so. tags: the sorts of what has changed."""
        self.heap, self.out, self.changes = changes.heap, changes.out, changes
        self.s, self.state, self.new, self.tags = s, state, new, tags
        self.after = self.heap.after(s)
        self.linked = Linked(state)
        self.known_current: dict[str, Any] = {}

    def current(self, root: str) -> Any:
        if root not in self.known_current:
            self.known_current[root] = self.heap.up_to_date(root, self.state, self.tags)
        return self.known_current[root]

    def run(self, place: Loc, own: str = "", known: frozenset = frozenset(), rebinding: bool = False,
            crossed: frozenset = frozenset(), current_in: Loc | None = None) -> None:
        """Follow the change from a place. For the rest see `Changes.changed_content`."""
        heap, state, new, tags = self.heap, self.state, self.new, self.tags
        if self.is_outside(place):
            refuse_held_outside(heap, place.root)
        done = {place, *known}
        whole = {array_of(place, heap.facts)} - {None}              # arrays in which all that changes has changed
        work = [place]
        while work:
            changed = work.pop()
            heap.note(changed, state, rebinding, tags)
            self.stale(changed, own)
            state.separated = state.separated or heap.parted(changed, state, self.after)
            new_here = not rebinding and heap.is_new(changed, state)
            for pair, sure, one, other in self.links_of(changed):
                below = len(one.path) >= len(changed.path)               # (else a container)
                one, other, deeper = self.narrowed_ends(one, other, changed)
                if other in done or array_of(other, heap.facts) in whole:
                    continue
                if current_in is not None and lies_in(other, current_in) and sure is True and one.exact and other.exact:
                    done |= {one, other}
                    work.append(other)                   # what is linked to it may lie elsewhere
                    continue
                if len(other.path) > LONGEST or len(done) > MANY:         # a link from a place into itself: a = a.T in a loop
                    refuse_shared(heap, changed.root, other.root)
                    continue
                if isinstance(sure, When):
                    self.changed_where(sure, one, other, pair, frozenset(done), crossed, changed)
                    continue
                # the caller is told of a change in the root, and knows what else of it surely changes with it
                told = changed.root if sure is True and one.exact and other.exact and not new_here else ""
                if not any(heap.looked_at(x, state, self.after, tags, self.current(changed.root), told)
                           for seen in ([other], self.linked.same([other], pair)) for x in seen):
                    if self.falls_behind(one, other, pair, sure, rebinding):
                        state.links.pop(pair, None)      # from here on it is another object
                        self.known_current.clear()
                        self.linked = Linked(state)
                    continue
                if not self.known_link(one, other, changed, deeper, pair, sure):
                    continue
                if not heap.lenient and not nested(one, changed) and any(
                        overlap(x, changed) for x in self.linked.same([other], pair)):
                    where_met(self.changes, self.s, one, changed, other, state, new, tags, frozenset(done))   # at any of several
                    continue
                done |= {one, other}
                if changed.path[:len(one.path)] == one.path and array_of(changed, heap.facts) in whole:
                    whole |= {array_of(other, heap.facts)} - {None}
                work.append(other)
                self.changes.held |= below
                new += self.out.copied(one, other, state)

    def is_outside(self, place: Loc) -> bool:
        """Whether what changes at a place may be what others hold: it was put there, or into what was put there."""
        work, seen = [(place, True)], {place}
        while work:
            place, all_of_it = work.pop()
            if ELSEWHERE in self.state.locs.get(place.root, ()):
                return True
            for _, sure, one, other in self.links_of(place):
                if len(one.path) > len(place.path) or not (all_of_it or one.exact):
                    continue
                if other.root == ELSEWHERE.root:
                    return True
                other = other.then(*place.path[len(one.path):]) if one.exact and other.exact else other
                if other not in seen and len(other.path) <= LONGEST:
                    seen.add(other)
                    work.append((other, sure is not True))
        return False

    def links_of(self, place: Loc) -> Iterator[tuple[tuple[Loc, Loc], Any, Loc, Loc]]:
        """The links with a place, from either end: the link, how sure it is, the end at the place, and the other end."""
        facts = self.heap.facts
        for pair, sure in list(self.state.links.items()):
            for one, other in (pair, pair[::-1]):
                if overlap(one, place) and can_be_at(one, self.tags, facts) and can_be_at(other, self.tags, facts):
                    yield pair, sure, one, other

    def both_current(self, one: Loc, other: Loc) -> bool:
        return bool(self.current(one.root) and self.current(other.root))

    def narrowed_ends(self, one: Loc, other: Loc, changed: Loc) -> tuple[Loc, Loc, tuple[Step, ...]]:
        """Narrow the ends of a link to the parts that change; also return the steps from there to what changes."""
        deeper = changed.path[len(one.path):]
        if deeper and nested(one, changed) and one.exact and other.exact and not (
                self.both_current(changed, other) or all(whole_array(x, self.heap.facts) for x in (one, other))):
            one, other = changed, other.then(*deeper)            # other parts may change on their own
            self.state.split |= {one.root, other.root}
            return one, other, ()
        return one, other, deeper

    def falls_behind(self, one: Loc, other: Loc, pair: tuple[Loc, Loc], sure: Any, rebinding: bool) -> bool:
        """Note a change at a place at which nobody looks; True if the place falls behind: it does not get the change."""
        heap, state = self.heap, self.state
        given = not heap.top and any(heap.given(x, state) for x in self.linked.same([other], pair))
        if heap.top and other.root in heap.unit.parameters:      # another argument may be the same array
            heap.note(other, state, rebinding, self.tags)
        state.separated |= given and in_array(other, heap.facts)
        return sure is True and one.exact and other.exact and not given

    def known_link(self, one: Loc, other: Loc, changed: Loc, deeper: tuple[Step, ...], pair: tuple[Loc, Loc], sure: Any) -> bool:
        """Refuse a change along a link that is not known exactly; False if it is not followed, where only kinds are wanted."""
        heap = self.heap
        if not sure or not one.exact or not other.exact:
            refuse_shared(heap, changed.root, heap.written_as(other, self.linked.same([other], pair)))
            if not alike(one, other, heap.facts):
                return False
        if deeper and not self.both_current(changed, other) and array_of(one, heap.facts) is None:
            refuse_shared(heap, changed.root, other.root)        # what shares its memory in there is not as it is now
        return True

    def changed_where(self, sure: When, one: Loc, other: Loc, pair: tuple[Loc, Loc], known: frozenset, crossed: frozenset,
                      changed: Loc) -> None:
        """The change reaches another place, and what is linked to that, under a condition."""
        heap, state = self.heap, self.state
        given = any(overlap(other, loc) for ghost in heap.ghosts for loc in state.locs.get(ghost, ()))
        arrays = {x.root for x in known if not isinstance(heap.facts.kinds.get(x.root), HOLDERS)}
        if pair in crossed or other in known or other.root in arrays or not given and not any(heap.looked_at(
                x, state, self.after, self.tags, self.current(one.root), one.root) for x in Linked(state).same([other], pair)):
            return
        if not one.exact or not other.exact or not surely_there(one, changed, heap.facts) or len(crossed) > GUARDS:
            refuse_shared(heap, one.root, other.root)
        block: list = self.out.copied(one, other, state)
        self.changes.changed_content(self.s, other, state, block, known=known, tags=self.tags, crossed=crossed | {pair})
        if block:
            self.new.append(t.if_(t.load(sure.condition), block, [], heap.origin))
        self.changes.held |= bool(block)
        if sum(1 for _ in t.statements(self.new)) > STATEMENTS:
            refuse_many(heap, one.root)

    def stale(self, place: Loc, own: str) -> None:
        """Names of what has changed are read again. own: the name by which it has changed."""
        heap, after = self.heap, self.after
        for name, locs in list(self.state.locs.items()):
            if name == place.root or name in heap.ghosts or not any(overlap(loc, place) for loc in locs):
                continue
            loc = sole_place(locs)
            if loc is not None:
                self.state.stale |= {name}
                self.changes.held |= name in after and name != own and len(loc.path) >= len(place.path)
                if name in after:
                    self.changes.reshapes.suspects.update(item for item in loc.path if item.may_copy)
            elif name in after and name != own and heap.sees(name, self.tags):
                refuse_shared(heap, place.root, name)


TURNS = frozenset({"here .T", "here [::-1]", "here [:, ::-1]", "here [::-1, ::-1]"})     # done twice, they do nothing


def turned_back(loc: Loc, depth: int) -> tuple[Step, ...] | None:
    """The steps from a place to a place above it, of a path of so many steps, where all of the one is in the other."""
    taken = loc.path[depth:]
    return taken[::-1] if loc.exact and all(item.text in TURNS for item in taken) else None


class Replacement:
    """Another object has been put at a place of a container: what lay there lives on under its other names."""

    def __init__(self, changes: Changes, s: Any, place: Loc, state: State, new: list, tags: Tags) -> None:
        """tags: the sorts of the container, where the place is not known exactly."""
        self.heap, self.out, self.changes = changes.heap, changes.out, changes
        self.s, self.place, self.state, self.new = s, place, state, new
        self.after = self.heap.after(s)
        self.holder, self.depth = Loc(place.root, place.path[:-1]), len(place.path)
        certain = place.exact or place.path and place.path[-1] in (SOME, SLOT)
        self.tags = tags or (tags_at(self.holder, self.heap.facts) if certain else None)

    def run(self) -> list:
        """The statements before it."""
        heap, place, state = self.heap, self.place, self.state
        heap.note(place, state, True, self.tags)
        by_one_name(place, state)
        below, before = self.read_below()
        held = [(one, other) for pair in state.links for one, other in (pair, pair[::-1])
                if overlap(one, place) and len(one.path) >= self.depth and not overlap(other, place)]
        alive = {*self.after, *t.reads(getattr(self.s, "value", None))}    # what is put there may be a part of what was
        heirs = [n for n, loc in below.items() if loc == place and n in self.after] or [n for n in below if n in alive][:1]
        self.inherit(below, heirs)
        self.doubtful_names(held)
        parts_too, behind = self.other_holders()
        if place.path[-1:] == (SOME,):
            items_moved(self.holder, state, heap.facts)
        self.left_behind(behind)
        if parts_too:                                    # the holder is at several places of one value
            self.changes.changed_content(self.s, self.holder, state, self.new, tags=self.tags)
        return before

    def read_below(self) -> tuple[dict[str, Loc], list]:
        """Find the names of what lies at the place or in it, and read the stale ones before it is gone."""
        heap, place, state, depth = self.heap, self.place, self.state, self.depth
        below = {n: next(iter(locs)) for n, locs in state.locs.items() if n not in heap.ghosts and len(locs) == 1 and any(
            x.root == place.root and x.path[:depth] == place.path for x in locs)}
        before = [x for n, loc in below.items() if n in state.stale and n in self.after for x in self.out.read(loc, n)]
        state.stale -= set(below)
        if place.path[-1:] == (SOME,):                       # the parts are other ones, or at other positions
            moved = [n for n, locs in state.locs.items() if n not in heap.ghosts and len(locs) == 1 and any(
                x.exact and x.root == place.root and len(x.path) >= depth and x.path[:depth - 1] == place.path[:-1]
                for x in locs)]
            before += [x for n in moved if n in state.stale and n in self.after
                       for x in self.out.read(next(iter(state.locs[n])), n)]
            state.stale -= set(moved)
        return below, before

    def inherit(self, below: dict[str, Loc], heirs: list[str]) -> None:
        """Let what lay at the place be known by another place that holds it, or by its first heir; forget the rest."""
        place, state, depth = self.place, self.state, self.depth
        for pair in list(state.links):                       # another place may hold the old object
            for one, other in (pair, pair[::-1]):
                if one == place and state.links[pair] and other.exact and not heirs:
                    for name, loc in below.items():
                        state.locs[name] = frozenset([Loc(other.root, other.path + loc.path[depth:], loc.exact, loc.of)])
                    below = {}
        back = turned_back(below[heirs[0]], depth) if heirs and below else None      # steps to the whole of what was there
        for name, loc in below.items():
            if not heirs:
                state.forget(name)
            elif name in heirs[:1]:
                state.locs[name] = frozenset([Loc(name)])
            elif back is not None:
                state.locs[name] = frozenset([Loc(heirs[0], back + loc.path[depth:], loc.exact, loc.of)])
            elif name in self.after:
                refuse_shared(self.heap, place.root, name)
        if heirs and place.exact and below:
            def inherited(loc: Loc) -> Loc:
                if not lies_in(loc, place):
                    return loc
                return Loc(heirs[0], (), False) if back is None else Loc(heirs[0], back + loc.path[depth:], loc.exact, loc.of)

            state.links = {(inherited(a), inherited(b)): sure if back is not None or not any(
                lies_in(x, place) for x in (a, b)) else False for (a, b), sure in state.links.items()}
        elif place.path[-1:] != (SOME,):                 # (of any items, some may be what they were)
            if place.exact:
                carry(state, lambda loc: lies_in(loc, place), place.somewhere())
            state.links = {pair: sure for pair, sure in state.links.items() if not any(lies_in(x, place) for x in pair)}

    def doubtful_names(self, held: list[tuple[Loc, Loc]]) -> None:
        """Mark the names that may be what lay at the place, or a container around it. held: the links of what lay there."""
        heap, place, state, depth = self.heap, self.place, self.state, self.depth
        for name, locs in list(state.locs.items()):
            if name in heap.ghosts or not any(overlap(x, place) for x in locs) or name == place.root:
                continue
            if all(len(x.path) < depth and x.exact for x in locs) and len(locs) == 1:
                state.stale |= {name}                        # the container by another name
            elif any(len(x.path) < depth and overlap(x, place) for x in locs) and name in self.after and heap.sees(name, self.tags):
                refuse_shared(heap, place.root, name)
            else:                                            # perhaps the object that lay there, perhaps another one
                state.locs[name] = frozenset(x.somewhere() for x in locs) | {Loc(name)}
                state.links.update({(Loc(name, (), False), other.somewhere()): False for _, other in held if other.root != name})

    def seen(self, other: Loc) -> bool:
        """Whether anybody still looks at the container where it lies at another place."""
        root = self.place.root
        return self.heap.looked_at(other, self.state, self.after, self.tags, self.current(root), root)

    def current(self, root: str) -> frozenset:
        return self.heap.up_to_date(root, self.state, self.tags)

    def other_holders(self) -> tuple[bool, list[tuple[Loc, Loc]]]:
        """Give other places that hold the container its new value, too.

        Returns whether it is at several places of one value, and the links to places that keep the old one."""
        heap, place, state, holder, facts = self.heap, self.place, self.state, self.holder, self.heap.facts
        parts_too = False
        behind: list[tuple[Loc, Loc]] = []               # what nobody looks at any more is not as its other name says
        for pair in list(state.links):
            for one, other in (pair, pair[::-1]):
                if overlap(one, place) and len(one.path) >= self.depth:
                    state.links[pair] = False
                elif not can_be_at(other, self.tags, facts):
                    continue
                elif len(one.path) <= len(holder.path) and overlap(one, holder):
                    if not self.seen(other):
                        behind += [(one, other)] if state.links[pair] is True and one.exact and other.exact else []
                        continue
                    if not state.links[pair] or not one.exact or not other.exact:
                        refuse_shared(heap, place.root, other.root)
                    if not nested(one, holder) and any(overlap(x, holder) for x in same_objects([one], state) - {one}):
                        where_met(self.changes, self.s, one, holder, other, state, self.new, self.tags)
                        continue
                    if not self.current(place.root) or not self.current(other.root):
                        parts_too = True
                        continue
                    self.new += self.out.copied(one, other, state)
                    self.changes.changed_content(self.s, other, state, self.new, known=frozenset([one]), tags=self.tags)
                elif not one.exact and (len(one.path) <= len(holder.path) or not holder.exact) and overlap(
                        one, holder) and not part_of(one, holder) and can_be_at(one, self.tags, facts) and self.seen(other):
                    refuse_shared(heap, place.root, other.root)
        return parts_too, behind

    def left_behind(self, behind: list[tuple[Loc, Loc]]) -> None:
        """Tell what is linked to places that keep an old value, at which nobody looks any more."""
        state = self.state
        known = set(state.links)
        for one, other in behind:
            if not self.heap.given(other, state):
                told_by(one, [other], state)
        for pair in [x for x in state.links if x not in known]:          # told of what lay there before
            if any(overlap(x, self.place) and len(x.path) >= self.depth for x in pair):
                state.links[pair] = False
