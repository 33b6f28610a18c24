"""Guarded aliases: names that are one array on one path and another on the other, and holders that are not known.

Calls of functions that change objects of which it is not known where else they are held.

The callee gets all values that may hold such an object as one more argument, `held`, puts its changes there, too, and gives
it back: in the callee they are changes by identity.
"""
from __future__ import annotations

import functools
import itertools
from collections.abc import Set as AbstractSet
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.locations import ELSEWHERE, Loc, in_order, overlap, together
from sourcegrad.errors import UnsupportedError, called_at
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.unit import Function, Names
from sourcegrad.memory.emission import Bindings, Reshapes, only_where
from sourcegrad.memory.heap import FRESH, SOME, Effects, Locs, State, When, mutable
from sourcegrad.memory.points_to import meanings
from sourcegrad.memory.runtime_alias import Held, Identity, holders_of, survive
from sourcegrad.memory.summaries import Callees, effects_of, linked_by_call, result_held, result_locs, share, shares_inside, sought


class Everywhere:
    """Calls that change objects wherever they are held."""

    def __init__(self, callees: Callees, identity: Identity) -> None:
        self.heap, self.out, self.bindings = callees.heap, callees.out, callees.bindings
        self.callees, self.identity = callees, identity

    def call(self, s: gast.Assign, target: call_targets.Target, state: State) -> tuple[list, State]:
        try:
            return self.callees.call(s, target, state.copy(), self.call)
        except UnsupportedError as problem:
            function = target.function
            if function is None or not problem.shared or function.generator or function.outputs or (
                    function.origin == self.heap.unit.function.origin):
                raise                                        # (in a recursion, what is handed on would get deeper at every level)
            try:
                return self.call_everywhere(s, target, function, state.copy(), problem)
            except UnsupportedError:
                raise problem from None

    def call_everywhere(self, s: gast.Assign, target: call_targets.Target, function: Function, state: State,
                        problem: UnsupportedError) -> tuple[list, State]:
        name = s.targets[0].id
        bound = call_targets.bind(function, target, self.heap.unit)
        kinds = {n: self.heap.facts.of(v) or k.ANY for n, v in bound.items()}
        origin = source.locate(s.value, t.origin_of(s))
        with called_at(origin):
            first = effects_of(self.heap, function, kinds, target)
        changed = [n for n in first.changed if mutable(kinds[n])]
        tags = together(None if sorts is None or "array" in sorts else sorts for *_, sorts in first.changes)
        locs = [loc for n in changed for x in t.reads(bound[n]) for loc in self.heap.locs_of(t.load(x), state)]
        if not changed or ELSEWHERE in locs or not all(isinstance(bound[n], gast.Name) for n in changed):
            raise problem
        if first.seeks or any(sorts is None or "array" in sorts for *_, sorts in first.changes):
            self.heap.seek(state, problem)
        held = holders_of(self.heap, s, name, locs, state, tags)
        if held.roots & state.split:
            raise problem
        rebinding = [sorts for _, _, rebinds, _, sorts in first.changes if rebinds]
        before = self.identity.let_go(s, held, SOME, together(rebinding), state, problem) if rebinding else []
        linked = [n for n, argument in bound.items() if mutable(kinds[n]) and any(
            loc.root in held.roots for x in t.reads(argument) for loc in self.heap.locs_of(t.load(x), state))]
        if not held.names and len(linked) < 2:
            raise problem
        direct = self.direct_arguments(linked, bound, held, state)
        rest = [n for n in held.names if n not in direct.values()]
        shares = {(Loc(a, (), False), Loc(b, (), False), False) for j, a in enumerate(linked) for b in linked[j + 1:]}
        function = function.sharing(function.shares | shares | shares_inside(self.heap, changed, first, bound, state))
        parameter, given = "", None
        if rest:
            function, parameter = holding(function, frozenset(linked))
            given = t.load(rest[0]) if len(rest) == 1 else t.pack([t.load(n) for n in rest])
            kinds[parameter] = self.heap.facts.of(given) or k.ANY
        with called_at(origin):
            effects = first | effects_of(self.heap, function, kinds, target)
        sought(self.heap, effects, bound, state)
        state.separated |= effects.separates
        returned = {n: direct[n] for n in effects.changed if n in direct}
        if name in [*returned.values(), *rest]:
            raise problem
        result = self.result_with_held(effects, bound, name, parameter, held, {*held.names, *direct.values()}, state)
        self.tell(held, state, effects, bool(rebinding))
        more, state = self.bind_with_held(s, effects, bound, result, held, state)
        if not self.out.emitting:
            return [*before, *more], state
        return [*before, *more, *self.call_with_held(s, target, function, returned, rest, parameter, given, kinds)], state

    def direct_arguments(self, linked: list[str], bound: dict, held: Held, state: State) -> dict[str, str]:
        """Find the held values that are arguments themselves: parameter -> name."""
        direct: dict[str, str] = {}
        for n in linked:
            x = bound[n].id if isinstance(bound[n], gast.Name) else ""
            if x in held.names and x not in direct.values() and state.locs.get(x) == frozenset([Loc(x)]) and x not in state.stale:
                direct[n] = x
        return direct

    def result_with_held(self, effects: Effects, bound: dict, name: str, parameter: str, held: Held, kept: AbstractSet[str],
                         state: State) -> Locs:
        """Find where the result of a call may lie that gets what is held as a parameter. kept: names that live on."""
        result = result_locs(self.heap, effects, bound, name, state) if self.heap.mutable(name) else frozenset()
        if any(loc.root == parameter for loc in effects.result):
            result = frozenset(Loc(n, (), False) for n in held.names) | {FRESH}
        # what nobody looks at any more is not given back
        return frozenset(FRESH if x.root in held.roots - kept else x for x in result)

    def bind_with_held(self, s: gast.Assign, effects: Effects, bound: dict, result: Locs, held: Held,
                       state: State) -> tuple[list, State]:
        """Bind the result of a call that changes what is held, and note what shares memory after it."""
        name = s.targets[0].id
        linked_by_call(self.heap, effects, bound, state)
        content = result_held(self.heap, effects, bound, name, state)
        more, state = self.bindings.bind(s, name, result, state)
        state.links.update(content)
        share(self.heap, name, effects, state)
        if self.heap.mutable(name) and (effects.survivors or not isinstance(self.heap.facts.kinds.get(name), k.Num)):
            for n in held.names:
                state.links[Loc(name, (), False), Loc(n, (), False)] = False
        if len(result) == 1 and any(x.exact and x.root in held.roots for x in result):
            state.stale |= {name}
        return more, state

    def call_with_held(self, s: gast.Assign, target: call_targets.Target, function: Function, returned: dict[str, str],
                       rest: list[str], parameter: str, given: Any, kinds: dict[str, k.Kind]) -> list:
        """Emit a call that gives back what it changes: its arguments `returned`, and `rest`, handed over as a parameter."""
        name = s.targets[0].id
        both = self.heap.unit.names.fresh(f"{name}_and_held" if not name.startswith("unused") else "changed")
        outputs = ("return", *returned, *([parameter] if rest else [])) if returned or rest else ()
        used = self.heap.unit.use(function.returning(*outputs), function.name)
        call = gast.copy_location(t.call(used, *target.args, **target.keywords), s.value)
        call.keywords += [t.keyword(parameter, given)] if rest else []
        call.keywords += [t.keyword(None, star) for star in target.stars]
        if not returned and not rest:                        # nobody looks at the objects any more
            return [t.assign(name, call, self.heap.origin)]
        parts = [*returned.values()]
        last = []
        if len(rest) == 1:
            parts.append(rest[0])
        elif rest:
            parts.append(self.out.temporary("held", kinds[parameter]))
            last = [t.unpack(rest, t.load(parts[-1]), self.heap.origin)]
        unpacked = t.unpack([name, *parts], t.load(both), self.heap.origin)
        return [t.assign(both, call, self.heap.origin), unpacked, *last]

    def tell(self, held: Held, state: State, effects: Effects, rebinding: bool) -> None:
        """What is known of the values of names after a call that has changed objects in them."""
        tags = together(sorts for *_, sorts in effects.changes)
        self.identity.is_changed(held, state, tags, False)
        if rebinding:
            self.identity.is_changed(held, state, tags, True)
            survive(self.heap, held, state)
            for position, one in enumerate(held.names):
                for other in held.names[position:]:
                    state.links[Loc(one, (), False), Loc(other, (), False)] = False


def holding(function: Function, linked: frozenset[str]) -> tuple[Function, str]:
    """The variant of a function that gets everything that may hold what it changes, and the name of that parameter."""
    plain = function.plain
    if "holding" not in plain.variants:
        tree = t.clone(function.tree)
        parameter = Names({n.id for n in t.walk(tree) if isinstance(n, gast.Name)}).fresh("held")
        tree.args.kwonlyargs.append(t.arguments([parameter]).args[0])
        tree.args.kw_defaults.append(None)
        plain.variants["holding"] = Function(function.name, tree, function.scope, function.object, function.pure, function.flat,
                                             function.guards, receiver=function.receiver), parameter
    variant, parameter = plain.variants["holding"]
    return variant.sharing(function.shares | {(Loc(n, (), False), Loc(parameter, (), False), False) for n in linked}), parameter


# --- Names that are one array on one path and another array on the other.
#
#     if c: g = a
#     else: g = a.copy()
#     g[0] = 1.0
#
# Where the paths meet, g gets a root of its own, and a condition remembers whether it is `a`. Whenever g changes, so does
# `a` under that condition, and the other way round: the link between them is guarded.

Sides = tuple[State, State]
Ways = tuple[tuple[str, ...], ...]                       # each of them is enough: conditions that are all true
ALWAYS: Ways = ((),)
NEVER: Ways = ()
MANY = 4                                                 # ways in which one thing comes about: so many are followed
Told = dict[str, Ways]                                   # when conditions are true from here on


class Alternatives:
    """Guarded links where paths meet."""

    def __init__(self, bindings: Bindings, reshapes: Reshapes) -> None:
        self.heap, self.out, self.bindings, self.reshapes = bindings.heap, bindings.out, bindings, reshapes
        self.conditions: set[str] = set()                # variables that tell whether two places hold one array

    def alternatives(self, s: Any, alive: AbstractSet[str], sides: Sides, new: tuple[list, list]) -> None:
        """Give names that live at different places on two paths roots of their own; `new`: statements at their ends."""
        told: tuple[Told, Told] = ({}, {})
        for name in sorted((alive - set(self.heap.ghosts)) | self.heap.seen):
            self.alternative(s, name, alive, sides, new, told)
        for side in (0, 1):
            new[side].extend(self.told_at_once(s, told[side]))

    def alternative(self, s: Any, name: str, alive: AbstractSet[str], sides: Sides, new: tuple[list, list],
                    told: tuple[Told, Told]) -> None:
        """`root` is the variable: of a name itself, for an argument as given one that holds its content."""
        found = [state.locs.get(name, frozenset()) for state in sides]
        kind = self.heap.facts.kinds.get(self.heap.ghosts.get(name, name), k.ANY)
        if not isinstance(kind, k.Num) or any(len(locs) != 1 for locs in found):
            return
        where = [next(iter(locs)) for locs in found]
        if not all(loc.exact for loc in where) or name in self.heap.ghosts and where[0] == where[1]:
            return
        root = self.out.variable((id(s), name), f"{self.heap.ghosts[name]}_given", kind) if name in self.heap.ghosts else name
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
        self.reshapes.suspects.update(item for place in places for item in place.path if item.may_copy)
        if self.out.emitting and not {root, *(p.root for p in places)} & self.heap.written:
            return                                           # nothing of it ever changes
        for side, state in enumerate(sides):
            new[side].extend(self.out.settled(state, [name]) if root == name else
                             [t.assign(root, where[side].read(), self.heap.origin)] if where[side] != Loc(root) else [])
            state.links = {pair: sure for pair, sure in state.links.items()
                           if not (isinstance(sure, When) and Loc(root) in pair)}
            state.locs[name] = state.locs[root] = frozenset([Loc(root)])
            for place in places:
                condition = self.condition(s, root, place)
                if values[side][place] != ((condition,),):
                    told[side][condition] = values[side][place]
                state.links[Loc(root), place] = When(condition)

    def perhaps_copied(self, locs: Locs, name: str) -> bool:
        """Whether a value is a reshape of which it depends on the layout whether it is a view, and that often is none."""
        [loc] = locs if len(locs) == 1 else [FRESH]
        if not loc.exact or not loc.path or not loc.path[-1].may_copy or not isinstance(self.heap.facts.kinds.get(name), k.Num):
            return False
        options = [n for n in t.walk(loc.path[-1].node) if isinstance(n, gast.Constant) and n.value == "F"]
        return bool(options) or not self.reshapes.rowwise(loc.root) or not all(
            in_order(x, self.heap.facts.of) for x in loc.path[:-1])

    def view_or_copy(self, s: Any, name: str, value: gast.Call, place: Loc, state: State) -> tuple[list, State]:
        """A reshape gets a root of its own, and a guarded link to the array if it is a view where it runs."""
        self.reshapes.dense.update(self.heap.given(place, state))          # a copy of an argument must lie as the argument does
        before, state = self.bindings.bind(s, name, frozenset([FRESH]), state, place.root == name)
        if self.bindings.heir is not None:
            place = place.renamed(name, self.bindings.heir)
        if place.root == name:                               # nobody else looks at the array
            return before, state
        condition = self.out.variable((id(s), "is a view"), f"{name}_shared", k.BOOL)
        state.links[Loc(name), place] = When(condition)
        if not self.out.emitting:
            return before, state
        told: list = []
        for whole, conditions in meanings(place, state):               # (a root may lie otherwise than what it is a part of)
            self.reshapes.dense.update(self.heap.given(whole, state))
            view = self.out.temporary("view", self.heap.facts.kinds.get(name))    # from the array itself: a copy may lie otherwise
            array = Loc(whole.root, whole.path[:next(j for j, item in enumerate(whole.path) if item.may_copy)])
            shares = t.call(f"{self.heap.unit.use(np, 'np')}.may_share_memory", t.load(view), array.read())
            told += only_where(self.heap, conditions, [t.assign(view, whole.read(), self.heap.origin),
                                                 t.assign(condition, shares, self.heap.origin)])
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
            if self.heap.looked_at(place, others, alive - {name}, None) or any(
                    overlap(place, loc) for ghost in self.heap.ghosts for loc in others.locs.get(ghost, ())):
                return True
        return False

    def condition(self, s: Any, name: str, place: Loc) -> str:
        """The variable that tells, from a meeting of paths on, whether a name is the array at a place."""
        ends = [name, source.expression_text(place.read())]
        found = self.out.variable((id(s), " is ".join(ends if place.path else sorted(ends))), f"{name}_shared", k.BOOL)
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
                    now[condition] = self.out.variable((id(s), f"{name} {condition} before"), f"{name}_next", k.BOOL)
                    first.append(t.assign(now[condition], t.load(condition), self.heap.origin))
            value: Any = t.const(ways == ALWAYS)
            if ways not in (ALWAYS, NEVER):
                each = [joined([t.load(now[c]) for c in way], gast.BitAnd()) for way in ways]
                value = joined(each, gast.BitOr())
            then.append(t.assign(name, value, self.heap.origin))
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
