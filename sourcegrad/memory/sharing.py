"""Aliasing inside of arguments: which parts of one value are one object, as a callee is told.

    t = Pair(node, node)
    touch(t)                            # changes t.a: then t.b is changed, too

A function knows its parameters only by their names. So it is looked at once more for arguments that share memory inside,
with links between the places that are one object, as its caller knows them.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from sourcegrad.analysis.locations import Loc, Tags, kind_at, overlap, reached
from sourcegrad.memory.heap import LAST, SLOT, SOME, State, Sure, When, both, nested

LONGEST = 8                                              # steps into a place that are followed
DEPTH = 4                                                # longer paths are not told: there are places inside places without end
MANY = 30                                               # so many names of parts of one value are not looked at
CROWD = 200                                             # so many links that may hold are not followed one by one

Share = tuple[Loc, Loc, bool]                            # two places that may be one object; certainly?


def inner_shares(place: Loc, name: Loc, state: State, sorts_at: Callable[[Loc], Tags],
                 relevant: Callable[[Loc, Loc], bool] = lambda there, known: True) -> set[Share]:
    """Pairs of places in what lies at a place that may be one object, as they are called where the place is `name`.

    sorts_at: what can be found at a place; relevant: whether what lies at a place and is called so is asked for."""
    found = set()
    aliases = other_names(place, name, state, sorts_at, relevant)
    if aliases is None:
        return {(name.somewhere(), name.somewhere(), False)}
    for position, (here, known, sure, last, sorts) in enumerate(aliases):
        for other, second, certain, before, others in aliases[:position]:
            common = narrowed(sorts, others)
            if common is not None and not common:
                continue
            if last is not None and last == before and known == second or not overlap(here, other):
                continue
            one, two, exact = met(here, known, other, second)
            if not exact and sure and certain and any(whole and within(here, base) and within(other, base)
                                                      for base, _, whole, _, _ in aliases):
                continue                                 # it changes with it, if at all, through what holds both
            if not exact and items_of_one(one, two) and not (last is not None and last[0] == last[1] or before is not None
                                                             and before[0] == before[1]):
                continue                                 # a container that may hold an object twice has a link to itself
            if one == two and one.exact and SOME not in one.path:
                continue
            ends = sorted((meant(one, common), meant(two, common)), key=repr)
            found.add((ends[0], ends[1], exact and sure and certain and one.exact and two.exact))
    certain_ = {(one, two) for one, two, exact in found if exact}
    return {x for x in found if not follows(x, certain_)}


def within(part: Loc, base: Loc) -> bool:
    """Whether a place surely lies at or in another one, and can be told so elsewhere."""
    rest = part.path[len(base.path):]
    return base.exact and part.exact and part.root == base.root and part.path[:len(base.path)] == base.path and (
        len(part.path) <= DEPTH and not any(item.names for item in rest))


def items_of_one(one: Loc, two: Loc) -> bool:
    """Whether two places are unknown items of one container."""
    return bool(one.path and two.path) and one.path[:-1] == two.path[:-1] and {one.path[-1], two.path[-1]} <= {SOME, LAST, SLOT}


def follows(share: Share, certain: set[tuple[Loc, Loc]]) -> bool:
    """Whether the same parts of two places are one object because the places are."""
    one, two, _ = share
    path, other = one.path, two.path
    while path and other and path[-1] == other[-1]:
        path, other = path[:-1], other[:-1]
        if (Loc(one.root, path), Loc(two.root, other)) in certain or (Loc(two.root, other), Loc(one.root, path)) in certain:
            return True
    return False


def narrowed(one: Tags, other: Tags) -> Tags:
    """What both are (None: anything)."""
    return other if one is None else one if other is None else one & other


def other_names(place: Loc, name: Loc, state: State, sorts_at: Callable[[Loc], Tags],
                relevant: Callable[[Loc, Loc], bool]) -> list[tuple[Loc, Loc, bool, tuple | None, Tags]] | None:
    """Places that may be, or be part of, what lies at a place: with what they are called, whether that is certain, and the
    last link on the way there, and the sorts of objects that can be both. None: there are too many."""
    found: list[tuple[Loc, Loc, bool, tuple | None, Tags]] = [(place, name, True, None, None)]
    # another way to the same place: perhaps it is held twice
    ways: dict[tuple[Loc, Loc, Tags], int] = {(place, name, None): 2}
    sorts_of, narrow = functools.cache(sorts_at), functools.cache(narrowed)
    links = ends_by_root(state)
    for here, known, sure, last, sorts in found:                # which gets longer
        for one, other, pair, certain in links.get(here.root, ()):
            if pair is last or not overlap(one, here):
                continue
            if sure and certain is True and one.exact and not nested(one, here) and any(
                    whole and within(here, base) and within(one, base) for base, _, whole, _, _ in found):
                continue                                 # from what holds both it is found for itself
            depth = min(len(one.path), len(here.path))
            there = other.then(*here.path[depth:]) if one.exact else other.somewhere()
            called = known.then(*one.path[depth:]) if here.exact else known.somewhere()
            if not (one.exact and here.exact and nested(one, here)):
                there, called = there.somewhere(), called.somewhere()
            there, called = cut(there, DEPTH if there.exact else DEPTH - 1), told(called)
            common = narrow(narrow(sorts, sorts_of(one)), sorts_of(other))
            way = there, called, common
            before = ways.get(way, 0)
            if before < 2 and (common is None or common) and relevant(there, called):
                ways[way] = before + 1
                found.append((there, called, sure and certain is True, pair, common))
        if len(found) > MANY:
            return None
    return found


def ends_by_root(state: State) -> dict[str, list[tuple[Loc, Loc, tuple[Loc, Loc], Sure]]]:
    """The links by the root of either end: (this end, the other, the link, how certain)."""
    found: dict[str, list] = {}
    for pair, sure in state.links.items():
        one, other = pair
        found.setdefault(one.root, []).append((one, other, pair, sure))
        found.setdefault(other.root, []).append((other, one, pair, sure))
    return found


def met(here: Loc, known: Loc, other: Loc, second: Loc) -> Share:
    """Two places that overlap, by the names that they have elsewhere; and whether they certainly do."""
    depth = min(len(here.path), len(other.path))
    one = told(known.then(*other.path[depth:]) if here.exact else known)
    two = told(second.then(*here.path[depth:]) if other.exact else second)
    if here.exact and other.exact and nested(here, other):
        return one, two, True
    return one.somewhere(), two.somewhere(), False


def cut(loc: Loc, depth: int) -> Loc:
    return loc if len(loc.path) <= depth else Loc(loc.root, loc.path[:depth], False, loc.of)


def told(loc: Loc) -> Loc:
    """A place in terms that mean the same elsewhere."""
    known = next((j for j, item in enumerate(loc.path) if item.names), None)
    if known is not None:
        item = loc.path[known]
        return cut(Loc(loc.root, (*loc.path[:known], *((SOME,) if item.sort == "index" else ())), False, loc.of), DEPTH)
    return cut(loc, DEPTH)


def reaching(shares: set[Share], changes: list[tuple[Loc, Tags]], kind: Any, of: Any) -> set[Share]:
    """The pairs along which a change of one of these places goes. changes: with the sorts of what changes; kind: of the
    value that all this lies in."""
    reached_: set[Share] = set()
    for place, tags in changes:
        possible = {x for x in shares if all(may_hold(kind, end, tags, of) for end in x[:2])}
        changed = {place}
        while True:
            more = {x for x in possible if any(overlap(end, y) for end in x[:2] for y in changed)}
            if not more:
                break
            possible -= more
            reached_ |= more
            changed |= {end for x in more for end in x[:2]}
    return reached_


def may_hold(kind: Any, place: Loc, tags: Tags, of: Any) -> bool:
    """Whether an object of these sorts can be found in what lies at a place in a value of this kind."""
    if tags is not None and place.of is not None and not tags & place.of:
        return False
    at = kind_at(kind, place.path, of)
    found = None if at is None else reached(at)
    return found is None or (bool(found & tags) if tags is not None else bool(found))


def meant(place: Loc, sorts: Tags) -> Loc:
    """Somewhere at a place, where only objects of these sorts are meant."""
    return Loc(place.root, place.path, place.exact, None if place.exact else narrowed(place.of, sorts))


def by_one_name(place: Loc, state: State) -> None:
    """What certainly lies at a place by another name of its container (an item of a list that is an attribute, too) is told
    by this name."""
    others = certain_places(place, state, 1)[1:] if place.path else []
    if others:
        told_by(place, others, state)


def certain_places(place: Loc, state: State, above: int = 0, without: str = "") -> list[Loc]:
    """A place, and others that certainly hold the same object. above: by names of what holds it, so many levels up at least;
    without: not by what lies in this root."""
    places = [place]
    for here in places if place.exact else ():                               # which gets longer
        for (a, b), sure in state.links.items():
            for one, other in ((a, b), (b, a)):
                depth = len(one.path)
                if sure is True and one.exact and other.exact and one.root == here.root and depth <= len(here.path) - above and (
                        one.path == here.path[:depth]) and without not in (one.root, other.root):
                    same = other.then(*here.path[depth:])
                    if same not in places and len(same.path) <= LONGEST:
                        places.append(same)
    return places


def told_by(place: Loc, others: list[Loc], state: State) -> None:
    """Places, and what lies in them, get the name of another one that certainly holds the same object."""
    def named(loc: Loc) -> Loc:
        slot = next((x for x in others if loc.root == x.root and loc.path[:len(x.path)] == x.path), None)
        return loc if slot is None else Loc(place.root, place.path + loc.path[len(slot.path):], loc.exact, loc.of)

    state.locs = {name: frozenset(map(named, locs)) for name, locs in state.locs.items()}
    links: dict[tuple[Loc, Loc], Sure] = {}
    for (a, b), sure in state.links.items():
        pair = named(a), named(b)
        if pair[0] != pair[1] or not pair[0].exact:
            links[pair] = links.get(pair) is True or sure
    state.links = links


def release(state: State, name: str) -> None:
    """Forget a name that nobody reads any more; what was linked through it stays linked."""
    leave_root(state, name)
    state.forget(name)


def leave_root(state: State, name: str) -> None:
    """What was linked through a name that goes stays linked."""
    if state.linked(name):
        carry(state, lambda loc: loc.root == name, Loc(name, (), False))
    else:
        widen(state)


def junctions(state: State) -> set[str]:
    """Arrays of which several names may be overlapping parts, each under a condition: through them they change with each other."""
    ends: dict[str, list[tuple[Loc, Loc]]] = {}
    for pair, sure in state.links.items():
        if isinstance(sure, When):
            for one, other in (pair, pair[::-1]):
                ends.setdefault(one.root, []).append((one, other))

    def apart(found: list[tuple[Loc, Loc]]) -> bool:
        """Whether two of them may be one here, and are not linked for themselves."""
        return any(overlap(one, x) and not (one == x and known(one, x, (a, b), state))
                   for j, (one, a) in enumerate(found) for x, b in found[:j])

    return {root for root, found in ends.items() if apart(found)}


def known(one: Loc, other: Loc, pair: tuple[Loc, Loc], state: State) -> bool:
    """Whether what two arrays are to each other, which may be one at two places, is known for itself: where paths met, it is."""
    return one == other and not one.path or pair in state.links or pair[::-1] in state.links


def carry(state: State, gone: Callable[[Loc], bool], anywhere: Loc) -> None:
    """Link directly what is linked through places that go. anywhere: stands for any of them."""
    ends = [(one, other, sure) for pair, sure in state.links.items() for one, other in (pair, pair[::-1])
            if gone(one) and not gone(other)]
    if not ends:                                         # nothing is linked through them
        widen(state)
        return
    new: dict[tuple[Loc, Loc], Sure] = {}
    for position, (one, a, sure) in enumerate(ends):
        for other, b, certain in ends[position + 1:]:
            if overlap(one, other):
                pair = through(one, a, other, b)
                told = isinstance(sure, When) and isinstance(certain, When) and known(one, other, pair, state)
                if pair[0] != pair[1] and not told:
                    certainly = both(both(sure, certain), pair[0].exact and pair[1].exact)
                    new[pair] = both(new.get(pair, certainly), certainly)
    for x, y, inside in links_inside(state, gone, anywhere):             # what holds the object holds its parts
        for one, a, sure in ends:
            if not overlap(one, x):
                continue
            there, rest = through(one, a, x, y)
            for other, b, certain in ends:
                if overlap(other, rest):
                    pair = through(other, b, rest, there)
                    if (pair[0] != pair[1] or not pair[0].exact) and pair[::-1] not in new:
                        certainly = bool(inside and sure and certain and pair[0].exact and pair[1].exact)
                        new[pair] = both(new.get(pair, certainly), certainly)
    for pair, sure in new.items():
        if pair[::-1] not in state.links or pair in state.links:
            state.links[pair] = both(state.links.get(pair, sure), sure)
    widen(state)


def widen(state: State) -> None:
    """Where places may be one object in too many ways to follow: anything in the one name may be anything in the other."""
    if len(state.links) <= CROWD:
        return
    perhaps = [pair for pair, sure in state.links.items() if sure is False]
    if len(perhaps) > CROWD:
        for pair in perhaps:
            del state.links[pair]
        state.links.update({(Loc(one, (), False), Loc(other, (), False)): False
                            for one, other in sorted({tuple(sorted(x.root for x in pair)) for pair in perhaps})})


def links_inside(state: State, gone: Callable[[Loc], bool], anywhere: Loc) -> list[Share]:
    """The pairs of places that go which may be one object, in both orders."""
    found = {(x, y): bool(sure) for pair, sure in state.links.items() for x, y in (pair, pair[::-1]) if gone(x) and gone(y)}
    for (x, y), sure in list(found.items()):             # z is y, and y is x
        for (y_2, z), certain in list(found.items()):
            if len(found) > MANY:
                return [(anywhere, anywhere, False)]
            if (y_2, z) != (y, x) and overlap(y, y_2):
                one, two = through(y, x, y_2, z)
                if one != two or not one.exact:
                    found.setdefault((one, two), sure and certain and one.exact and two.exact)
    return [(x, y, sure) for (x, y), sure in found.items()]


def through(one: Loc, a: Loc, other: Loc, b: Loc) -> tuple[Loc, Loc]:
    """The link between a and b where `one` and a hold one object, and so do `other`, at or below `one` (or above it), and b."""
    depth = min(len(one.path), len(other.path))
    if one.exact and other.exact and nested(one, other):
        return a.then(*other.path[depth:]), b.then(*one.path[depth:])
    return a.somewhere(), b.somewhere()
