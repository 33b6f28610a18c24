"""Effect summaries: calls of functions that change what they are given, or return parts of it."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import gast

from sourcegrad import kinds as k
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.locations import ELSEWHERE, Loc, Tags, overlap
from sourcegrad.analysis.purity import STREAM
from sourcegrad.errors import UnsupportedError, called_at, changing_outside
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.unit import Function, Names
from sourcegrad.memory.emission import Bindings
from sourcegrad.memory.heap import (
    FRESH,
    NEW_OBJECT,
    NO_EFFECTS,
    OUTSIDE,
    SLOT,
    SOME,
    Effects,
    Locs,
    State,
    When,
    mutable,
    part_of,
    same_objects,
    sole_place,
)
from sourcegrad.memory.points_to import (
    PointsTo,
    apart,
    can_be_at,
    hold,
    looks_outside,
    refuse_shared,
    shared,
    tags_at,
)
from sourcegrad.memory.runtime_alias import Questions
from sourcegrad.memory.sharing import Share, certain_places, ends_by_root, inner_shares, may_hold, meant, reaching, release
from sourcegrad.memory.stores import array_check, numbered
from sourcegrad.memory.write_through import Changes
from sourcegrad.parse.statements import Attempt
from sourcegrad.syntax.iterators import gives_iterator
from sourcegrad.syntax.lambda_lifting import keeps

# --- A callee that gets one array in two roles, `combine(y[1:], y)`, gets the array once, and takes the parts itself.

def joined_arguments(heap: PointsTo, function: Function, effects: Effects, bound: dict[str, Any], changed: list[str],
                     state: State) -> tuple[Function, dict[str, Any]] | None:
    """The callee with one parameter for the array that several arguments are or are parts of; None: no need, or no way."""
    for parameter in changed:
        place = known_place(heap, bound[parameter], state)
        if place is None or function.outputs or function.generator or function.tree.args.vararg is not None or (
                function.tree.args.kwarg is not None):
            continue
        if not any(conflict(heap, effects, parameter, place, other, n, state)
                   for other, argument in bound.items() if other != parameter for n in t.reads(argument)):
            continue
        group = {}
        for other, argument in bound.items():
            if any(loc.root == place.root for n in t.reads(argument) for loc in heap.locs_of(t.load(n), state)):
                group[other] = known_place(heap, argument, state)
        # (of parts of parts of parts a recursion would make longer ones without end)
        if len(group) > 1 and all(loc is not None and len(loc.path) <= 2 for loc in group.values()):
            return joined_function(function, bound, group)                          # type: ignore[arg-type]
    return None


def conflict(heap: PointsTo, effects: Effects, parameter: str, place: Loc, other: str, name: str, state: State) -> bool:
    """Whether a callee that changes what lies at a place may see the change in another argument, too.

    A callee that puts another object into its parameter leaves the object alone that lay there."""
    rebound = []
    for n, path, rebinding, whole, tags in effects.changes or {(parameter, (), False, True, None)}:
        if n != parameter:
            continue
        seen = heap.sees(name, tags)
        if not rebinding or not whole or not path or SOME in path:
            if seen and any(overlap(place.then(*path), x) for x in heap.aliases(name, state)):
                return True
            continue
        holder = place.then(*path[:-1])
        if seen and any(overlap(holder, x) and not part_of(x, holder) and (
                not x.exact and x.root != ELSEWHERE.root or len(x.path) <= len(holder.path))
                for x in heap.aliases(name, state)):
            return True
        rebound.append(place.then(*path))
    known = {x.root for pair in effects.links for x in pair} | {x.root for x in effects.result} | {
        x.root for _, x, _ in effects.held}
    return other in known and any(overlap(a, b) for a in rebound for b in heap.locs_of(t.load(name), state))


def known_place(heap: PointsTo, argument: Any, state: State) -> Loc | None:
    locs = heap.locs_of(argument, state)
    loc = next(iter(locs)) if len(locs) == 1 else None
    if loc is None or not loc.exact or not mutable(heap.facts.of(argument) or k.ANY):
        return None
    kinds = [k.as_num(heap.facts.kinds.get(n, k.ANY)) for n in loc.names]
    return loc if all(isinstance(kind, k.Num) and kind.is_scalar for kind in kinds) else None


def joined_function(function: Function, bound: dict[str, Any], group: dict[str, Loc]) -> tuple[Function, dict[str, Any]]:
    """The variant of a function, and its arguments. group: parameters that are parts of one array, with their places."""
    whole = next((n for n, loc in group.items() if all(x.path[:len(loc.path)] == loc.path for x in group.values())), None)
    depth = 0 if whole is None else len(group[whole].path)
    key = ("joined", whole, tuple((n, tuple(item.text for item in loc.path[depth:])) for n, loc in group.items()))
    indices = list(dict.fromkeys(n for loc in group.values() for item in loc.path[depth:] for n in sorted(item.names)))
    root = next(iter(group.values())).root
    parameters = [n for n in function.parameters if n == whole or n not in group]
    variant = function.variants.get(key)
    if variant is None:
        tree = t.clone(function.tree)
        names = Names({n.id for n in t.walk(tree) if isinstance(n, gast.Name)})
        base = whole or names.fresh(root)
        fresh = {n: names.fresh(n) for n in indices}
        origin = t.origin_of(tree)
        before: list = []
        for name, loc in group.items():
            if name == whole:
                continue
            node: Any = t.load(base)
            steps = loc.path[depth:]
            for position, item in enumerate(steps):
                value = t.rename(item.on(node), fresh)
                target = name if position == len(steps) - 1 else names.fresh("part")
                before.append(t.assign(target, value, origin))
                node = t.load(target)
            if not steps:
                before.append(t.assign(name, node, origin))
        tree.args = t.arguments([*([] if whole else [base]), *parameters, *fresh.values()])
        tree.body[:0] = before
        variant = Function(function.name, tree, function.scope, function.object, function.pure, function.flat, function.guards,
                           receiver=function.receiver)
        function.variants[key] = variant
    given = [*([] if whole else [t.load(root)]), *(bound[n] for n in parameters), *(t.load(n) for n in indices)]
    return variant, dict(zip(variant.parameters, given))


def sought(heap: PointsTo, effects: Effects, bound: dict, state: State) -> None:
    """A callee looks for arrays by their memory: refused where what shares it in the program may lie apart by now."""
    if effects.seeks and state.separated:
        refuse_shared(heap, next((n for x in bound.values() for n in t.reads(x)), "array"), None)
    heap.seeks |= effects.seeks


def shares_inside(heap: PointsTo, changed: list[str], effects: Effects, bound: dict, state: State) -> frozenset:
    """Pairs of places in arguments that change which may be one object, as far as a change can reach them."""
    found: frozenset = frozenset()
    for parameter in changed:
        locs = [loc for n in t.reads(bound[parameter]) for loc in heap.locs_of(t.load(n), state)]
        sure = len(locs) == 1 and isinstance(bound[parameter], gast.Name)
        changes = [(Loc(parameter, path), tags) for n, path, _, _, tags in effects.changes if n == parameter] or [
            (Loc(parameter), None)]
        kind = heap.facts.of(bound[parameter])
        if isinstance(kind, k.Num):                      # an array holds no objects
            continue

        for loc in locs:
            inside = {(a, b, sure and certain) for a, b, certain in inside_of(heap, loc, parameter, changes, kind, state)}
            found |= reaching(inside, changes, kind, heap.facts.of)
    return found


def inside_of(heap: PointsTo, loc: Loc, parameter: str, changes: list, kind: Any, state: State) -> set[Share]:
    """`inner_shares` of an argument; remembered, since loops are gone through until nothing new is found."""
    roots = {loc.root, *(end.root for link in state.links for end in link)}
    kinds = [kind, *(heap.facts.kinds.get(root) for root in sorted(roots))]
    key = loc, parameter, frozenset(changes), frozenset(state.links.items()), tuple(map(id, kinds))

    def relevant(there: Loc, known: Loc) -> bool:
        return any(may_hold(kind, known, tags, heap.facts.of) and can_be_at(there, tags, heap.facts) for _, tags in changes)

    if key not in heap.remembered:                       # with the kinds, whose ids are theirs as long as they live
        heap.remembered[key] = inner_shares(loc, Loc(parameter), state, heap.sorts_at, relevant), kinds
    return heap.remembered[key][0]


def share(heap: PointsTo, name: str, effects: Effects, state: State) -> None:
    """The new result of a call holds objects twice."""
    if heap.mutable(name) and name in state.locs:
        for loc in state.locs[name]:
            for path, other, sure in sorted(effects.shares, key=repr):
                certain = sure and loc == Loc(name)
                pair = loc.then(*path), loc.then(*other)
                if not certain:
                    pair = pair[0].somewhere(), pair[1].somewhere()
                state.links[pair] = state.links.get(pair, certain) and certain


def effects_of(heap: PointsTo, function: Any, kinds: dict, target: call_targets.Target) -> Effects:
    """What a callee changes. One that gets nothing that can change may do what it likes: its result is anybody's."""
    try:
        return heap.effects(function, kinds)
    except UnsupportedError:
        if any(mutable(heap.facts.of(a) or k.ANY) for a in target.operands):
            raise
        return Effects((), frozenset([ELSEWHERE]))


def result_held(heap: PointsTo, effects: Effects, bound: dict, name: str, state: State) -> dict[tuple[Loc, Loc], bool]:
    """What the new result of a call holds of the arguments."""
    found: dict[tuple[Loc, Loc], bool] = {}
    for path, loc, sure in sorted(effects.held, key=repr):
        for other in sorted(result_locs(heap, Effects((), frozenset([loc])), bound, name, state), key=repr):
            if other != FRESH:
                known = sure and other.exact
                place = Loc(name, path) if known or path and other == ELSEWHERE else Loc(name, (), False)
                found[place, other] = known
    return found


def call_contents(heap: PointsTo, effects: Effects, bound: dict, name: str, state: State) -> dict[tuple[Loc, Loc], bool]:
    if not heap.mutable(name) or isinstance(heap.facts.kinds.get(name), k.Num):
        return {}
    found: list[tuple[Loc, Loc]] = []
    for loc in sorted(effects.result, key=repr):
        if loc.root in bound and not loc.exact:
            for n in t.reads(bound[loc.root]):
                hold(heap, Loc(name, (), False), n, state, found)
    return dict.fromkeys(found, False)


def result_locs(heap: PointsTo, effects: Effects, bound: dict, name: str, state: State) -> Locs:
    return places_here(heap, effects.result or {NEW_OBJECT}, bound, state) if heap.mutable(name) else frozenset()


def places_here(heap: PointsTo, locs: Iterable[Loc], bound: dict, state: State) -> Locs:
    """Where places are that a callee knows by the names of its parameters."""
    found = set()
    for loc in locs:
        if loc == ELSEWHERE:
            found.add(ELSEWHERE)
        elif loc.root in bound:
            for base in (heap.locs_of(t.load(n), state) for n in t.reads(bound[loc.root])):
                plain = isinstance(bound[loc.root], gast.Name)
                path = [step for item in loc.path if (step := item.given(bound)) is not None]
                whole = plain and len(path) == len(loc.path)
                there = [x.then(*path) if whole else x.somewhere() for x in base]
                found.update(x if loc.exact else meant(x.somewhere(), loc.of) for x in there)
        else:
            found.add(FRESH)
    return frozenset(found) or frozenset([FRESH])


def linked_by_call(heap: PointsTo, effects: Effects, bound: dict, state: State) -> None:
    """Note what shares memory after a call, as the summary of the callee tells."""
    for a, b in sorted(effects.links, key=repr):
        ends = [sorted(places_here(heap, [x], bound, state), key=repr) for x in (a, b)]
        for x in ends[0]:
            for y in ends[1]:
                state.links[x, y] = x.exact and y.exact


class Callees:
    """Calls of functions that change what they are given, or return parts of it."""

    def __init__(self, changes: Changes, bindings: Bindings, questions: Questions) -> None:
        self.heap, self.out, self.reshapes = changes.heap, changes.out, changes.reshapes
        self.changes, self.bindings, self.questions = changes, bindings, questions

    def call(self, s: gast.Assign, target: call_targets.Target, state: State, again: Callable) -> tuple[list, State]:
        """A callee that changes its arguments returns them, too. again: carries out the call of a variant of it."""
        name = s.targets[0].id
        function = target.function
        assert function is not None                          # other calls are not looked into
        try:
            bound = call_targets.bind(function, target, self.heap.unit)
            known = not function.pure
        except TypeError:
            bound, known = {}, False
        kinds = {n: self.heap.facts.of(v) or k.ANY for n, v in bound.items()}
        with called_at(source.locate(s.value, t.origin_of(s))):
            effects = effects_of(self.heap, function, kinds, target) if known else NO_EFFECTS
        self.heap.drawn |= effects.drawn & {OUTSIDE}
        self.heap.dynamic |= effects.dynamic
        self.heap.reach(effects.reaches | ({STREAM} if OUTSIDE in effects.drawn else set()))
        for n in [n for parameter in effects.drawn - {OUTSIDE} for n in t.reads(bound[parameter])]:
            self.heap.draws(t.load(n), state)
        sought(self.heap, effects, bound, state)
        self.questions.check_compared(effects, bound, state)
        self.questions.check_cached(function, effects, bound, state)
        if keeps(function):                              # who keeps the result, sees what becomes of it
            effects = replace(effects, result=effects.result | {ELSEWHERE})
        self.heap.is_compared([x for parameter in effects.compared & set(bound) for x in t.reads(bound[parameter])], state)
        if isinstance(target.object, Attempt):
            return self.attempt(s, effects, bound, state)
        if function.generator:                           # what it reads must stay as it is while it is read from
            lazy = frozenset(Loc(n, (), False) for n in bound if mutable(kinds[n]))
            effects = replace(effects, result=effects.result | lazy)
            self.heap.lazy.add(name)
        if function.lists or gives_iterator(function):
            self.heap.iterators[id(s)] = False
        changed = [n for n in effects.changed if mutable(kinds[n])]
        s.value.followed = bool(changed) or getattr(s.value, "followed", False)
        joined = joined_arguments(self.heap, function, effects, bound, changed, state)
        if joined is not None:
            variant, bound = joined
            return again(s, call_targets.Target(variant, list(bound.values()), {}, variant), state)
        target, effects = self.told(target, effects, bound, changed, kinds, state, source.locate(s.value, t.origin_of(s)))
        result = result_locs(self.heap, effects, bound, name, state)
        checks = [*self.reshapes.dense_checks(effects, bound, state), *self.reshapes.result_check(name, result, state)]
        if not changed:
            contents = {} if function.pure else call_contents(self.heap, effects, bound, name, state)
            held = result_held(self.heap, effects, bound, name, state)
            before, state = self.bindings.bind(s, name, result, state)
            state.links.update({**contents, **held})
            share(self.heap, name, effects, state)
            return [*checks, *before, s], state
        new, state = ChangingCall(self.changes, self.bindings, s, target, bound, changed, effects, state).written(result)
        return [*checks, *new], state

    def told(self, target: call_targets.Target, effects: Effects, bound: dict, changed: list[str], kinds: dict,
             state: State, origin: Any) -> tuple[call_targets.Target, Effects]:
        """A call of a function that knows which parts of its arguments are one object, and what that changes."""
        while changed and target.function is not None:
            shares = shares_inside(self.heap, changed, effects, bound, state) | target.function.shares
            if shares == target.function.shares:
                break
            target = replace(target, function=target.function.sharing(shares))
            with called_at(origin):
                effects = effects | effects_of(self.heap, target.function, kinds, target)
        sought(self.heap, effects, bound, state)
        state.separated |= effects.separates
        return target, effects

    def attempt(self, s: gast.Assign, effects: Effects, bound: dict, state: State) -> tuple[list, State]:
        """A call of the body of a `try`: what it changes would be half changed when an exception comes."""
        if effects.changed:
            raise UnsupportedError(f"'{effects.changed[0]}' changes in place inside `try`", self.heap.origin,
                                   "Compute the new value inside, and store it after the `try`.")
        name = s.targets[0].id
        held = effects.result | {loc for _, loc, _ in effects.held}
        inexact = frozenset(Loc(loc.root, (), False) if loc.root in bound else loc for loc in held)
        contents = call_contents(self.heap, Effects((), inexact), bound, name, state)
        before, state = self.bindings.bind(s, name, frozenset([FRESH]), state)
        state.links.update(contents)
        share(self.heap, name, effects, state)
        return [*before, s], state

class ChangingCall:
    """A call that gives back what it changes of its arguments, to be put where they lie."""

    def __init__(self, changes: Changes, bindings: Bindings, s: gast.Assign, target: call_targets.Target, bound: dict,
                 changed: list[str], effects: Effects, state: State) -> None:
        assert target.function is not None
        self.heap, self.out, self.changes, self.bindings = changes.heap, changes.out, changes, bindings
        self.s, self.target, self.function = s, target, target.function
        self.name = s.targets[0].id
        self.bound, self.changed, self.effects, self.state = bound, changed, effects, state.copy()
        self.after = self.heap.after(s)
        self.places = self.changed_places()
        self.slots: list[Loc] = []                       # where the callee has put other objects
        self.lost: set[Loc] = set()                      # places of what may not be where it was
        self.rest: list = []                             # statements after the call

    def written(self, result: Locs) -> tuple[list, State]:
        """The statements, and what holds after them. result: where the result of the call lives."""
        heap, name, effects, places = self.heap, self.name, self.effects, self.places
        self.check_apart()
        first = self.before()
        parts = self.changed_parts()
        first += self.carried()
        heap.written.update(place.root for parameter, place in places.items() if place.root != parameter and not place.path)
        for parameter in effects.survivors & set(places):    # what the callee has kept is the caller's of this function, too
            heap.survivors.update(n for n, _ in heap.given_places(places[parameter], self.state))
        kept = self.kept() if effects.survivors & set(places) else {}
        self.state.links.update({pair: sure for pair, sure in kept.items() if pair[0].root != name})
        linked_by_call(heap, effects, self.bound, self.state)
        held = result_held(heap, effects, self.bound, name, self.state)
        new, state = self.bindings.bind(self.s, name, result, self.state)
        state.links.update(held)
        share(heap, name, effects, state)
        state.links.update({pair: sure for pair, sure in kept.items() if pair[0].root == name})
        if len(result) == 1 and any(x.exact and x.root in {p.root for p in places.values()} for x in result):
            state.stale |= {name}
        first_target = name
        if any(p.root == name for p in places.values()):      # x = f(x): the name is another object from here on
            state.stale -= {name}
            first_target, parts = self.rebinding(parts, Loc(name) in result)
        call = self.call(first_target, parts) if self.out.emitting else []
        return [*first, *new, *call, *self.rest], state

    def changed_places(self) -> dict[str, Loc]:
        """Find where the arguments lie that the call changes; refuse those that have no place. By parameter."""
        places: dict[str, Loc] = {}
        for parameter in self.changed:
            argument = self.bound[parameter]
            if isinstance(argument, gast.Dict) and all(not path or rebinding and len(path) == 1
                                                       for n, path, rebinding, *_ in self.effects.changes if n == parameter):
                continue                                     # the entries of a dict that only the callee has
            if not isinstance(argument, gast.Name):
                raise UnsupportedError(f"{self.function.name}() changes its argument '{parameter}', which is not a variable here",
                                       source.locate(self.s.value, self.heap.origin), "Give the array a name first.")
            if argument.id not in self.heap.facts.local:
                raise changing_outside(UnsupportedError(
                    f"{self.function.name}() changes '{argument.id}', which is not a local variable",
                    source.locate(self.s.value, self.heap.origin),
                    f"Pass a copy of '{argument.id}' (copy.deepcopy), or make it a parameter: of arguments, copies change."))
            places[parameter] = self.changes.place_of(self.s, argument, self.state)
        return places

    def check_apart(self) -> None:
        """Refuse a call that changes an argument which shares memory with another one."""
        for parameter, place in self.places.items():
            for other, argument in self.bound.items():
                for n in t.reads(argument):
                    if other != parameter and conflict(self.heap, self.effects, parameter, place, other, n, self.state):
                        raise shared(UnsupportedError(
                            f"{self.function.name}() changes its argument '{parameter}', which shares memory with its argument "
                            f"'{other}'", source.locate(self.s.value, self.heap.origin), "Pass a copy of one of them."))

    def before(self) -> list:
        """Read and check what is needed of the arguments before the call changes them."""
        heap, places = self.heap, self.places
        longer = [places[n].then(*path[:-1]) for n, path, *_ in sorted(self.effects.changes, key=in_order)
                  if n in places and path[-1:] == (SLOT,)]
        first = [x for place in dict.fromkeys(longer) for x in numbered(self.out, self.s, place, self.state)]
        for parameter, place in places.items():
            self.changes.held = bool(place.path) or self.bound[parameter].id in self.after
            if any(n == parameter and not path and not rebinding for n, path, rebinding, *_ in self.effects.changes):
                first += array_check(self.changes, heap.kind(self.bound[parameter]), self.bound[parameter])
        return first

    def changed_parts(self) -> list[str]:
        """The names that get what the call gives back; what is a part of something is put there after it."""
        parts = []
        for parameter in self.changed:
            place = self.places.get(parameter)
            if place is not None and not place.path:
                parts.append(place.root)
                continue
            kind = self.heap.facts.of(self.bound[parameter]) if place is not None else k.ANY
            part = self.out.temporary(f"{parameter}_changed", kind)
            parts.append(part)
            if place is not None:
                if self.out.emitting:
                    self.heap.unit.reread[part] = self.bound[parameter].id
                self.rest.append(self.out.put(place, t.load(part)))
        return parts

    def carried(self) -> list:
        """Carry the changes to all that shares memory with them; return the statements before the call."""
        heap = self.heap
        first: list = []
        changes = [Change(parameter, place, *found) for parameter, place in self.places.items() for found in (
            [found for n, *found in sorted(self.effects.changes, key=in_order) if n == parameter] or [((), False, True, None)])]
        for change in puts_first(changes, self.state):
            parameter, place, path, rebinding, whole, tags = change
            there = change.there
            if not rebinding:
                self.changes.changed_content(self.s, there, self.state, self.rest, tags=tags, current_in=place)  # (it was told)
                continue
            if not (whole and path) and apart(tags, tags_at(there, heap.facts)):
                self.changes.changed_inside(self.s, there, self.state, self.rest, tags)
                continue
            self.slots.append(there if whole and path else there.then(SOME))
            own = [x for x in changes if x.parameter == parameter]
            inside = [x.there for x in own if not x.rebinding or len(x.path) > len(path) and x.path[:len(path)] == path]
            first += self.rebound(self.slots[-1], tags, (parameter, path) in self.effects.replaced, inside)
        return first

    def rebound(self, place: Loc, tags: Tags, certain: bool, inside: list[Loc]) -> list:
        """The callee may have put another object at a place. inside: where it has changed objects before."""
        state, after, ghosts = self.state, self.after, self.heap.ghosts
        depth = len(place.path)
        names = {n: locs for n, locs in state.locs.items() if n not in ghosts and n != place.root and any(
            overlap(x, place) and len(x.path) >= depth for x in locs)}
        links = {pair: other for pair in state.links for one, other in (pair, pair[::-1])
                 if overlap(one, place) and len(one.path) >= depth and not overlap(other, place)}
        same = {x for x in same_objects(links.values(), state) if not overlap(x, place)}
        others = {other for other in same if self.heap.looked_at(other, state, after, None, frozenset([place.root]))}
        if any(overlap(place, x) for x in inside) and (others or any(n in after for n in names)):
            refuse_shared(self.heap, place.root, min([*(x.root for x in others), *(n for n in names if n in after)]))
        early = self.changes.rebound(self.s, place, state, self.rest, tags)
        state.replaced -= {place} if not certain else set()
        if not certain:                                  # perhaps the objects are where they were
            for pair in links:
                if pair not in state.links and all(x.root in state.locs for x in pair):
                    state.links[pair] = False
            for name, locs in names.items():
                if name in state.locs:
                    state.locs[name] = frozenset(x.somewhere() for x in locs) | {Loc(name)}
        self.lost |= others | {x for x in same if x.root == place.root} | {Loc(n) for n in names if n in after}
        return early

    def kept(self) -> dict[tuple[Loc, Loc], bool]:
        """What may hold the objects that the call has replaced and kept."""
        kept: dict[tuple[Loc, Loc], bool] = {}
        for other in self.lost:
            for slot in (*(x.then(SOME).somewhere() for x in self.places.values()), Loc(self.name, (), False)):
                if slot.root != other.root and (slot.root != self.name or self.heap.mutable(self.name)):
                    kept[slot, other] = False
            for slot in self.slots:                          # other places of the same object
                if slot.root == other.root and not overlap(slot, other):
                    kept[slot, other] = False
        return kept

    def call(self, result: str, parts: list[str]) -> list:
        """The call of the function that returns what it changes: after its result, where it has one."""
        unit, origin = self.heap.unit, self.heap.origin
        nothing = self.heap.facts.kinds.get(self.name) == k.Const(None)
        callee = self.function.returning(*([] if nothing else ["return"]), *self.changed)
        call = t.call(unit.use(callee, callee.name), *self.target.args, **self.target.keywords)
        call = gast.copy_location(call, self.s.value)
        call.keywords += [t.keyword(None, star) for star in self.target.stars]
        after = [t.assign(result, t.const(None), origin)] if nothing and not result.startswith("unused") else []
        targets = parts if nothing else [result, *parts]
        if len(targets) == 1:
            return [t.assign(targets[0], call, origin), *after]
        both = unit.names.fresh("changed" if nothing or self.name.startswith("unused") else f"{self.name}_and_changed")
        return [t.assign(both, call, origin), t.unpack(targets, t.load(both), origin), *after]

    def rebinding(self, parts: list[str], same: bool) -> tuple[str, list[str]]:
        """What `x = f(x)` gives its results to, where f changes x: the name, and the names of what is changed.

        same: whether f returns the x that it has changed."""
        heap, name = self.heap, self.name
        old = self.bindings.heir                                      # the changed object lives on under another name
        if same and old is None:
            return heap.unit.names.fresh("unused") if self.out.emitting and name in parts else name, parts
        if old is None and name not in parts:                # x was a part of the object, of which nobody sees the rest
            self.rest = [x for x in self.rest if name not in (*t.reads(x), *t.writes(x))]
            return name, parts
        if old is None:
            old = self.out.temporary(name, heap.facts.kinds.get(name))
        self.rest = [t.rename(x, {name: old}) for x in self.rest]
        return name, [old if n == name else n for n in parts]


class Change(NamedTuple):
    """What a callee has changed of an argument."""

    parameter: str
    place: Loc                                           # of the argument
    path: tuple
    rebinding: bool                                      # another object has been put there
    whole: bool                                          # the path is known to its end
    tags: Any

    @property
    def there(self) -> Loc:
        return self.place.then(*self.path)


def puts_first(changes: list[Change], state: State) -> list[Change]:
    """Changes of a callee, in whatever order it made them: what has got another object is no longer the object that changes
    at another place."""
    before = _replaced(changes, state)
    waiting, result = list(changes), []
    while waiting and before:
        left = set(map(id, waiting))
        free = next((x for x in waiting if left.isdisjoint(before.get(id(x), ()))), waiting[0])
        waiting.remove(free)
        before.pop(id(free), None)
        result.append(free)
    return result + waiting


def _replaced(changes: list[Change], state: State) -> dict[int, list[int]]:
    """id of a change -> those of changes that put something else where an object has been that it changes at another place."""
    found: dict[int, list[int]] = {}
    links = ends_by_root(state)
    for one in changes:
        if not one.rebinding or not one.whole or not one.path:
            continue
        depth = len(one.there.path)
        ends = [there for here, there, *_ in links.get(one.there.root, ()) if len(here.path) >= depth and overlap(here, one.there)]
        for other in changes if ends else ():
            if other is one or overlap(one.there, other.there):
                continue
            holder = Loc(other.there.root, other.there.path[:-1], other.there.exact) if other.rebinding else other.there
            if any(overlap(there, holder) for there in ends):
                found.setdefault(id(other), []).append(id(one))
    return found


def in_order(change: tuple) -> tuple[int, str]:
    """Containers first: what a place holds that gets another container is linked to nothing that changes elsewhere."""
    *rest, tags = change
    return len(change[1]), repr((rest, tags and sorted(map(str, tags))))


# --- What the function itself has done, as its callers are told.

def summary(heap: PointsTo, value: Any, end: State, dense: frozenset[str]) -> Effects:
    """What a function does to memory that returns a value, and leaves memory so. dense: as in `Reshapes`."""
    own = new_result(heap, value, end)
    shares = frozenset((a.path, b.path, sure and own is not None) for loc in heap.locs_of(value, end)
                       if own is not None or NEW_OBJECT in heap.as_results(loc, end)
                       for a, b, sure in inner_shares(loc, Loc("result "), end, heap.sorts_at))
    result = frozenset([NEW_OBJECT]) if own else frozenset(
        place for loc in known_as(heap, value, end) for place in heap.as_results(loc, end))
    held = frozenset(holding(heap, own, end)) if own else frozenset()
    known = {own, *heap.unit.parameters} | {loc.root for ghost in heap.ghosts for loc in end.locs.get(ghost, ())}
    for pair in [pair for pair, sure in end.links.items() if isinstance(sure, When)]:
        end.links[pair] = False
    for name in sorted({x.root for pair in end.links for x in pair} - known):
        release(end, name)                           # what is linked through what nobody knows any more
    parts = [[[x if sure else x.somewhere() for x in heap.as_results(loc, end) if x not in (NEW_OBJECT, ELSEWHERE)]
              for loc in pair] for pair, sure in end.links.items()]
    links = frozenset((a, b) for one, other in parts for a in one for b in other)
    return Effects(
        tuple(n for n in heap.unit.parameters if n in heap.changed), result, frozenset(heap.changes), links, held,
        frozenset(heap.drawn), frozenset(x for loc in end.replaced for x in heap.given_places(loc, end)),
        frozenset(heap.survivors), shares, dense, frozenset(heap.compared), frozenset(heap.cached), end.separated, heap.seeks,
        heap.seeks_itself, bool(heap.written), heap.dynamic, frozenset(heap.reaches | looks_outside(heap, heap.unit.tree.body)))


def new_result(heap: PointsTo, node: Any, state: State) -> str | None:
    """The root of a result that is a container made here."""
    if not isinstance(node, gast.Name) or not heap.mutable(node.id):
        return None
    loc = sole_place(state.locs.get(node.id, frozenset()))
    return loc.root if loc is not None and not loc.path and not heap.given(loc, state) else None


def known_as(heap: PointsTo, node: Any, state: State) -> Locs:
    """Where a result lives: with what the caller has given, if it is certainly (a part of) that by then."""
    mine = [as_given(heap, loc, state) for loc in heap.locs_of(node, state)]
    given = len(mine) == 1 and mine[0].exact and heap.given(mine[0], state)
    return frozenset(mine) if given else heap.value_locs(node, state)


def as_given(heap: PointsTo, loc: Loc, state: State, without: str = "") -> Loc:
    """A place by a name that the caller knows, where there certainly is one. without: a root that is not asked."""
    places = [x for x in certain_places(loc, state, without=without) if heap.given(x, state)]
    return loc if loc in places else min(places, key=lambda x: (len(x.path), repr(x)), default=loc)


def holding(heap: PointsTo, root: str, state: State) -> set[tuple[tuple, Loc, bool]]:
    """What a container made here holds of what the caller knows: where in it, what, and whether certainly there.

    A container is looked into once for each place where it certainly lies, and once for all places where it may lie.
    """
    found: set[tuple[tuple, Loc, bool]] = set()
    looked: set[tuple[str, tuple, bool]] = set()
    work: list[tuple[str, tuple, bool, frozenset[str]]] = [(root, (), True, frozenset([root]))]
    while work:
        holder, path, sure, around = work.pop()
        if (holder, path, sure) in looked:
            continue
        looked.add((holder, path, sure))
        for pair, certain in state.links.items():
            for one, other in (pair, pair[::-1]):
                if one.root != holder or other.root in around:
                    continue
                known = sure and certain is True and one.exact and not any(item.names for item in one.path)
                where = path + one.path if known else ()
                other = as_given(heap, other, state, holder)
                places = heap.as_results(other, state)
                found |= {(where if place.exact or place == ELSEWHERE else (), place, known and place.exact)
                          for place in places - {NEW_OBJECT}}
                if NEW_OBJECT in places:
                    whole = known and other.exact and not other.path
                    work.append((other.root, where, True, around | {other.root}) if whole else
                                (other.root, (), False, frozenset([root])))
    return found
