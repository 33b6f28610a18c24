"""Which parts of one value are one object: what a callee is told of its arguments.

    t = Pair(node, node)
    touch(t)                            # changes t.a: then t.b is changed, too

A function knows its parameters only by their names. So it is looked at once more for arguments that share memory inside,
with links between the places that are one object, as its caller knows them.
"""
from __future__ import annotations

from typing import Any

from sourcegrad.analysis.locations import Loc, overlap
from sourcegrad.analysis.tags import Tags, kind_at, reached
from sourcegrad.frontend.memory.state import SOME, State, Sure, When, both, nested

DEPTH = 4                                                # longer paths are not told: there are places inside places without end

Share = tuple[Loc, Loc, bool]                            # two places that may be one object; certainly?


def inner_shares(place: Loc, name: Loc, state: State) -> set[Share]:
    """Pairs of places in what lies at a place that may be one object, as they are called where the place is `name`."""
    found = set()
    aliases = other_names(place, name, state)
    for position, (here, known, sure, last) in enumerate(aliases):
        for other, second, certain, before in aliases[:position]:
            if not overlap(here, other) or last is not None and last == before and known == second:
                continue
            one, two, exact = met(here, known, other, second)
            if one == two and one.exact and SOME not in one.path:
                continue
            ends = sorted((one, two), key=repr)
            found.add((ends[0], ends[1], exact and sure and certain and one.exact and two.exact))
    certain_ = {(one, two) for one, two, exact in found if exact}
    return {x for x in found if not follows(x, certain_)}


def follows(share: Share, certain: set[tuple[Loc, Loc]]) -> bool:
    """Whether the same parts of two places are one object because the places are."""
    one, two, _ = share
    path, other = one.path, two.path
    while path and other and path[-1] == other[-1]:
        path, other = path[:-1], other[:-1]
        if (Loc(one.root, path), Loc(two.root, other)) in certain or (Loc(two.root, other), Loc(one.root, path)) in certain:
            return True
    return False


def other_names(place: Loc, name: Loc, state: State) -> list[tuple[Loc, Loc, bool, tuple | None]]:
    """Places that may be, or be part of, what lies at a place: with what they are called, whether that is certain, and the
    last link on the way there."""
    found: list[tuple[Loc, Loc, bool, tuple | None]] = [(place, name, True, None)]
    for here, known, sure, last in found:                # which gets longer
        for pair, certain in state.links.items():
            if pair == last:
                continue
            for one, other in (pair, pair[::-1]):
                if not overlap(one, here):
                    continue
                depth = min(len(one.path), len(here.path))
                if one.exact and here.exact and nested(one, here):
                    new = other.then(*here.path[depth:]), known.then(*one.path[depth:])
                elif here.exact and nested(one, here):
                    new = other.somewhere(), known.then(*one.path[depth:]).somewhere()
                else:
                    new = other.somewhere(), known.somewhere()
                alias = (cut(new[0], 2 * DEPTH), told(new[1]), sure and certain is True, pair)
                if alias not in found:
                    found.append(alias)
    return found


def met(here: Loc, known: Loc, other: Loc, second: Loc) -> Share:
    """Two places that overlap, by the names that they have elsewhere; and whether they certainly do."""
    depth = min(len(here.path), len(other.path))
    if not nested(here, other):
        return known.somewhere(), second.somewhere(), False
    one, two = told(known.then(*other.path[depth:])), told(second.then(*here.path[depth:]))
    if here.exact and other.exact:
        return one, two, True
    return one.somewhere(), two.somewhere(), False


def cut(loc: Loc, depth: int) -> Loc:
    return loc if len(loc.path) <= depth else Loc(loc.root, loc.path[:depth], False)


def told(loc: Loc) -> Loc:
    """A place in terms that mean the same elsewhere."""
    known = next((j for j, item in enumerate(loc.path) if item.names), None)
    if known is not None:
        item = loc.path[known]
        return cut(Loc(loc.root, (*loc.path[:known], *((SOME,) if item.sort == "index" else ())), False), DEPTH)
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
    at = kind_at(kind, place.path, of)
    found = None if at is None else reached(at)
    return found is None or (bool(found & tags) if tags is not None else bool(found))


def release(state: State, name: str) -> None:
    """Forget a name that nobody reads any more; what was linked through it stays linked."""
    ends = [(one, other, sure) for pair, sure in state.links.items() for one, other in (pair, pair[::-1])
            if one.root == name != other.root]
    new: dict[tuple[Loc, Loc], Sure] = {}
    for position, (one, a, sure) in enumerate(ends):
        for other, b, certain in ends[position + 1:]:
            if overlap(one, other):
                pair = through(one, a, other, b)
                if pair[0] != pair[1] and not (isinstance(sure, When) and isinstance(certain, When)):
                    certainly = both(both(sure, certain), pair[0].exact and pair[1].exact)
                    new[pair] = both(new.get(pair, certainly), certainly)
    if any(a.root == name == b.root for a, b in state.links):
        for place in {other for _, other, _ in ends}:    # what holds the object holds its parts
            new.update({(a, b): sure for a, b, sure in inner_shares(place, place, state)
                        if name not in (a.root, b.root) and (a, b) not in new and (b, a) not in state.links})
    for pair, sure in new.items():
        state.links[pair] = both(state.links.get(pair, sure), sure)
    state.forget(name)


def through(one: Loc, a: Loc, other: Loc, b: Loc) -> tuple[Loc, Loc]:
    """The link between a and b where `one` and a hold one object, and so do `other`, at or below `one` (or above it), and b."""
    depth = min(len(one.path), len(other.path))
    if one.exact and other.exact and nested(one, other):
        return a.then(*other.path[depth:]), b.then(*one.path[depth:])
    return a.somewhere(), b.somewhere()
