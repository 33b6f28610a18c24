"""Mutation made functional: every in-place change becomes a new value of the name that holds the memory.

`v = y[1:]; v[0] = c` changes y. The pass follows where each name lives (a *location*: a root and a path into it) along
the paths of the program. A store through any name becomes `y = index_set(y, at[1:][0], c)` on the root; other names
that share the part are *stale* from then on, and read again from the root where they are used. What cannot be known
(a view of one of two arrays, a list that holds the array somewhere) is refused if anybody still looks at it.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.infer import Infer
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.locations import (
    ELSEWHERE,
    Loc,
)
from sourcegrad.errors import UnsupportedError
from sourcegrad.frontend.memory.flow import Flow
from sourcegrad.frontend.memory.sharing import certain_places, inner_shares, release
from sourcegrad.frontend.memory.state import (
    NEW_OBJECT,
    Effects,
    Locs,
    State,
    When,
    mutable,
)
from sourcegrad.frontend.resolve import Unit


class Memory(Flow):
    """The whole pass over one function."""

    def run(self) -> Effects:
        tree = self.unit.tree
        self.liveness.block(tree.body, frozenset())
        start = State()
        for name in self.unit.parameters:
            if self.mutable(name):
                start.locs[name] = frozenset([Loc(name)])
        for ghost, name in self.ghosts.items():
            if name in start.locs:
                start.locs[ghost] = frozenset([Loc(name)])
        for one, other, sure in sorted(self.unit.function.shares, key=repr):
            if one.root in start.locs and other.root in start.locs:
                start.links[one, other] = start.links.get((one, other), True) and sure
        self.emitting = False
        self.block(tree.body, start.copy())
        self.emitting = True
        body, end = self.block(tree.body, start.copy())
        tree.body = self.decided(body)
        self.define_passed(tree)
        last = tree.body[-1]
        self.ends: dict[str, Any] = {}
        for ghost, name in self.ghosts.items():
            if ghost not in self.seen or name not in start.locs:
                continue
            found = end.locs.get(ghost, frozenset())
            if len(found) != 1 or not next(iter(found)).exact:
                raise UnsupportedError(f"where the content of the argument '{name}' ends up cannot be known",
                                       t.origin_of(last), "Return the array.")
            self.ends[name] = next(iter(found)).read()
        own = self.new_result(last.value, end)
        shares = frozenset((a.path, b.path, sure and own is not None) for loc in self.locs_of(last.value, end)
                           if own is not None or NEW_OBJECT in self.as_results(loc, end)
                           for a, b, sure in inner_shares(loc, Loc("result "), end, self.sorts_at))
        result = frozenset([NEW_OBJECT]) if own else frozenset(
            place for loc in self.known_as(last.value, end) for place in self.as_results(loc, end))
        held = frozenset(self.holding(own, end)) if own else frozenset()
        known = {own, *self.unit.parameters} | {loc.root for ghost in self.ghosts for loc in end.locs.get(ghost, ())}
        for pair in [pair for pair, sure in end.links.items() if isinstance(sure, When)]:
            end.links[pair] = False
        for name in sorted({x.root for pair in end.links for x in pair} - known):
            release(end, name)                           # what is linked through what nobody knows any more
        parts = [[[x if sure else x.somewhere() for x in self.as_results(loc, end) if x not in (NEW_OBJECT, ELSEWHERE)]
                  for loc in pair] for pair, sure in end.links.items()]
        links = frozenset((a, b) for one, other in parts for a in one for b in other)
        return Effects(tuple(n for n in self.unit.parameters if n in self.changed), result, frozenset(self.changes), links,
                       held, frozenset(self.drawn), frozenset(x for loc in end.replaced for x in self.given_places(loc, end)),
                       frozenset(self.survivors), shares, frozenset(self.dense), frozenset(self.compared),
                       frozenset(self.cached), end.separated, self.seeks, self.seeks_itself, bool(self.written), self.dynamic)

    def define_passed(self, tree: Any) -> None:
        """Names whose values are searched for objects that change may not have any, on some path."""
        for name in sorted(Liveness().block(tree.body, frozenset()) & self.passed - set(self.unit.parameters)):
            tree.body.insert(0, t.assign(name, t.const(None), t.origin_of(tree.body[0])))
            self.unit.unset.add(name)

    def new_result(self, node: Any, state: State) -> str | None:
        """The root of a result that is a container made here."""
        if not isinstance(node, gast.Name) or not self.mutable(node.id):
            return None
        found = state.locs.get(node.id, frozenset())
        loc = next(iter(found)) if len(found) == 1 else ELSEWHERE
        return loc.root if loc.exact and not loc.path and not self.given(loc, state) else None

    def known_as(self, node: Any, state: State) -> Locs:
        """Where a result lives: with what the caller has given, if it is certainly (a part of) that by then."""
        mine = [self.as_given(loc, state) for loc in self.locs_of(node, state)]
        given = len(mine) == 1 and mine[0].exact and self.given(mine[0], state)
        return frozenset(mine) if given else self.value_locs(node, state)

    def as_given(self, loc: Loc, state: State, without: str = "") -> Loc:
        """A place by a name that the caller knows, where there certainly is one. without: a root that is not asked."""
        places = [x for x in certain_places(loc, state, without=without) if self.given(x, state)]
        return loc if loc in places else min(places, key=lambda x: (len(x.path), repr(x)), default=loc)

    def holding(self, root: str, state: State, path: tuple = (), sure: bool = True,
                seen: frozenset[str] = frozenset()) -> list[tuple[tuple, Loc, bool]]:
        """What a container made here holds of what the caller knows."""
        found: list[tuple[tuple, Loc, bool]] = []
        for pair, certain in state.links.items():
            for one, other in (pair, pair[::-1]):
                if one.root != root or other.root == root or other.root in seen:
                    continue
                known = sure and certain is True and one.exact and not any(item.names for item in one.path)
                where = path + one.path if known else ()
                other = self.as_given(other, state, root)
                places = self.as_results(other, state)
                found += [(where if place.exact else (), place, known and place.exact) for place in places - {NEW_OBJECT}]
                if NEW_OBJECT in places:
                    whole = known and other.exact and not other.path
                    found += self.holding(other.root, state, where if whole else (), whole, seen | {root})
        return found


def _may_change(s: Any) -> bool:
    return isinstance(s, (gast.Assign, gast.Expr)) and isinstance(s.value, gast.Call)


def _own(unit: Unit, facts: Infer, found: Effects, dense: set[str]) -> list:
    """The caller's objects stay as they are: parameters that change are copied first."""
    changed = found.changed
    if not changed:
        return []
    own = unit.use(runtime.own, "own")
    read = {n for x in t.statements(unit.tree.body) for n in t.header_reads(x)} - facts.local
    outside = [n for n in sorted(read) if n not in unit.env and isinstance(facts.name(n), k.Num) and mutable(facts.name(n))]
    others = [n for n in unit.parameters if mutable(facts.kinds.get(n, k.ANY))]
    checks = [t.assign(unit.names.fresh("unused"), t.call(unit.use(runtime.check_dense, "check_dense"), t.load(name)),
                       t.origin_of(unit.tree)) for name in sorted(dense & set(changed))]
    copies: list = []
    for name in changed:
        near = [t.load(n) for n in (*others, *outside) if n != name]
        if not isinstance(facts.kinds.get(name), k.Num):
            check = t.call(unit.use(runtime.check_places, "check_places"), t.load(name), _places(name, found), *near)
            checks.append(t.assign(unit.names.fresh("unused"), check, t.origin_of(unit.tree)))
            near = []
        copies.append(t.assign(name, t.call(own, t.load(name), *near), t.origin_of(unit.tree)))
    return checks + copies


def _places(name: str, found: Effects) -> gast.Tuple:
    """What changes in a parameter, as `check_places` takes it."""
    places: set[tuple] = set()
    for parameter, path, rebinding, whole, _ in found.changes:
        if parameter == name:
            steps = [x.node.attr if x.sort == "attribute" else t.constant_of(x.node.slice) if x.sort == "index" and isinstance(
                x.node.slice, gast.Constant) else ... for x in path]
            known = steps.index(...) if ... in steps else len(steps)
            alone = rebinding and whole and known == len(steps) > 0
            places.add(tuple(steps[:-1]) if alone else (*steps[:known], ...))
    if not places or name in found.compared:
        places = {(...,)}
    whole = [q for q in places if q[-1:] == (...,)]
    least = [p for p in sorted(places, key=repr) if not any(p != q and p[:len(q) - 1] == q[:-1] for q in whole)]
    return t.pack([t.pack([t.const(x) for x in path]) for path in least])


def _drop_unread(tree: Any, kept: set[str]) -> None:
    """Old values that were kept for places that nobody has looked at since then."""
    unread: set[str] = set()

    def read(s: Any) -> list:
        return [] if isinstance(s, gast.Assign) and t.is_name(s.value) and t.writes(s)[0] in unread else [s]

    while kept:
        unread = kept - {n for s in t.statements(tree.body) for n in t.header_reads(s)}
        tree.body = t.rewritten(tree.body, read)
        kept = kept - unread if unread else set()


def memory(unit: Unit, facts: Infer, effects: Callable, outputs: tuple[str, ...], top: bool, lenient: bool = False) -> Effects:
    """Make all mutation functional. outputs: what is returned, as in `Function.outputs`; top: arguments are the caller's;
    lenient: what cannot be known is left as it is (for the kinds that come of it)."""
    if not outputs and not any(_may_change(s) for s in t.statements(unit.tree.body)):
        seen: tuple[str, ...] = ()
    else:
        seen = tuple(name for name in outputs if name != "return")
    state = Memory(unit, facts, effects, seen)
    state.lenient, state.top = lenient, top
    found = state.run()
    tree = unit.tree
    last = tree.body[-1]
    origin = t.origin_of(last)
    if outputs:
        parts = [last.value if name == "return" else state.ends.get(name, t.load(name)) for name in outputs]
        value = parts[0] if len(parts) == 1 else t.pack(parts)
        name = unit.names.fresh("outputs")
        before = [t.assign(name, value, origin)]
        if isinstance(value, gast.Tuple):
            for position, part in enumerate(value.elts):
                if not isinstance(part, (gast.Name, gast.Constant)):
                    item = unit.names.fresh("content")
                    before.insert(0, t.assign(item, part, origin))
                    value.elts[position] = t.load(item)
        tree.body[-1:] = [*before, t.return_(t.load(name), origin)]
    _drop_unread(tree, set(state.kept.values()))
    if top:
        tree.body[:0] = _own(unit, facts, found, state.dense)
    return found
