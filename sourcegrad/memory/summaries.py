"""Effect summaries: calls of functions that change what they are given, or return parts of it."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import gast

from sourcegrad import kinds as k
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.locations import ELSEWHERE, Loc, Tags, overlap
from sourcegrad.errors import UnsupportedError, called_at
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.names import Names
from sourcegrad.ir.unit import Function
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
    mutable,
    part_of,
    same_objects,
)
from sourcegrad.memory.points_to import apart, refuse_outside, refuse_shared
from sourcegrad.memory.sharing import Share, inner_shares, may_hold, meant, reaching
from sourcegrad.memory.stores import Stores, array_check, numbered
from sourcegrad.parse.try_ import Attempt
from sourcegrad.syntax.lambda_lifting import keeps

# --- A callee that gets one array in two roles, `combine(y[1:], y)`, gets the array once, and takes the parts itself.

class Joined(Stores):
    """Calls in which a parameter that changes shares memory with another parameter."""

    def joined(self, function: Function, effects: Effects, bound: dict[str, Any], changed: list[str],
               state: State) -> tuple[Function, dict[str, Any]] | None:
        """The callee with one parameter for the array that several arguments are or are parts of; None: no need, or no way."""
        for parameter in changed:
            place = self.known_place(bound[parameter], state)
            if place is None or function.outputs or function.generator or function.tree.args.vararg is not None or (
                    function.tree.args.kwarg is not None):
                continue
            if not any(self.conflict(effects, parameter, place, other, n, state)
                       for other, argument in bound.items() if other != parameter for n in t.reads(argument)):
                continue
            group = {}
            for other, argument in bound.items():
                if any(loc.root == place.root for n in t.reads(argument) for loc in self.locs_of(t.load(n), state)):
                    group[other] = self.known_place(argument, state)
            if len(group) > 1 and None not in group.values() and not deep(group):
                return joined_function(function, bound, group)                          # type: ignore[arg-type]
        return None

    def conflict(self, effects: Effects, parameter: str, place: Loc, other: str, name: str, state: State) -> bool:
        """Whether a callee that changes what lies at a place may see the change in another argument, too.

        A callee that puts another object into its parameter leaves the object alone that lay there."""
        rebound = []
        for n, path, rebinding, whole, tags in effects.changes or {(parameter, (), False, True, None)}:
            if n != parameter:
                continue
            seen = self.sees(name, tags)
            if not rebinding or not whole or not path or SOME in path:
                if seen and any(overlap(place.then(*path), x) for x in self.aliases(name, state)):
                    return True
                continue
            holder = place.then(*path[:-1])
            if seen and any(overlap(holder, x) and not part_of(x, holder) and (
                    not x.exact and x.root != ELSEWHERE.root or len(x.path) <= len(holder.path))
                    for x in self.aliases(name, state)):
                return True
            rebound.append(place.then(*path))
        known = {x.root for pair in effects.links for x in pair} | {x.root for x in effects.result} | {
            x.root for _, x, _ in effects.held}
        return other in known and any(overlap(a, b) for a in rebound for b in self.locs_of(t.load(name), state))

    def known_place(self, argument: Any, state: State) -> Loc | None:
        locs = self.locs_of(argument, state)
        loc = next(iter(locs)) if len(locs) == 1 else None
        known = loc is not None and loc.exact and mutable(self.facts.of(argument) or k.ANY) and all(
            self.number_name(n) for n in loc.names)
        return loc if known else None

    def number_name(self, name: str) -> bool:
        kind = k.as_num(self.facts.kinds.get(name, k.ANY))
        return isinstance(kind, k.Num) and kind.is_scalar


def deep(group: dict[str, Any]) -> bool:
    """Whether places are parts of parts of parts: a recursion would make them longer without end."""
    return any(len(loc.path) > 2 for loc in group.values())


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


def joined_target(variant: Function, bound: dict[str, Any]) -> call_targets.Target:
    return call_targets.Target(variant, list(bound.values()), {}, variant)



class Callees(Joined):
    """Calls of functions that change what they are given, or return parts of it."""

    def call(self, s: gast.Assign, target: call_targets.Target, state: State) -> tuple[list, State]:
        """A callee that changes its arguments returns them, too."""
        name = s.targets[0].id
        function = target.function
        assert function is not None                          # other calls are not looked into
        try:
            bound = call_targets.bind(function, target, self.unit)
            known = not function.pure
        except TypeError:
            bound, known = {}, False
        kinds = {n: self.facts.of(v) or k.ANY for n, v in bound.items()}
        with called_at(source.locate(s.value, t.origin_of(s))):
            effects = self.effects_of(function, kinds, target) if known else NO_EFFECTS
        self.drawn |= effects.drawn & {OUTSIDE}
        self.dynamic |= effects.dynamic
        for n in [n for parameter in effects.drawn - {OUTSIDE} for n in t.reads(bound[parameter])]:
            self.draws(t.load(n), state)
        self.sought_by(effects, bound, state)
        self.check_compared(effects, bound, state)
        self.check_cached(function, effects, bound, state)
        if keeps(function):                              # who keeps the result, sees what becomes of it
            effects = replace(effects, result=effects.result | {ELSEWHERE})
        self.compared.update(n for parameter in effects.compared & set(bound) for x in t.reads(bound[parameter])
                             for loc in self.locs_of(t.load(x), state) for n in self.given(loc, state))
        if isinstance(target.object, Attempt):
            return self.attempt(s, effects, bound, state)
        if function.generator:                           # what it reads must stay as it is while it is read from
            lazy = frozenset(Loc(n, (), False) for n in bound if mutable(kinds[n]))
            effects = replace(effects, result=effects.result | lazy)
            self.lazy.add(name)
        changed = [n for n in effects.changed if mutable(kinds[n])]
        if function.generator and changed:
            given = [x for n in changed for x in t.reads(bound[n])]
            self.check_in_step(s, [loc for x in given for loc in self.locs_of(t.load(x), state)], state)
        s.value.followed = bool(changed) or getattr(s.value, "followed", False)
        joined = self.joined(function, effects, bound, changed, state)
        if joined is not None:
            return self.call(s, joined_target(*joined), state)
        target, effects = self.told(target, effects, bound, changed, kinds, state, source.locate(s.value, t.origin_of(s)))
        result = self.result_locs(effects, bound, name, state)
        checks = [*self.reshapes.dense_checks(effects, bound, state), *self.reshapes.result_check(name, result, state)]
        if not changed:
            if bound and not function.pure:
                contents = self.call_contents(effects, bound, name, state)
            else:
                contents = []
            held = self.result_held(effects, bound, name, state)
            before, state = self.bind(s, name, result, state)
            for a, b in contents:
                state.links[a, b] = False
            state.links.update(held)
            self.share(name, effects, state)
            return [*checks, *before, s], state
        new, state = self.changing_call(s, target, bound, changed, result, state, effects)
        return [*checks, *new], state

    def told(self, target: call_targets.Target, effects: Effects, bound: dict, changed: list[str], kinds: dict,
             state: State, origin: Any) -> tuple[call_targets.Target, Effects]:
        """A call of a function that knows which parts of its arguments are one object, and what that changes."""
        while changed and target.function is not None:
            shares = self.shares(changed, effects, bound, state) | target.function.shares
            if shares == target.function.shares:
                break
            target = replace(target, function=target.function.sharing(shares))
            with called_at(origin):
                effects = effects | self.effects_of(target.function, kinds, target)
        self.sought_by(effects, bound, state)
        state.separated |= effects.separates
        return target, effects

    def sought_by(self, effects: Effects, bound: dict, state: State) -> None:
        """A callee looks for arrays by their memory: refused where what shares it in the program may lie apart by now."""
        if effects.seeks and state.separated:
            refuse_shared(self, next((n for x in bound.values() for n in t.reads(x)), "array"), None)
        self.seeks |= effects.seeks

    def check_in_step(self, s: gast.Assign, places: list, state: State) -> None:
        """A generator that changes objects is read to its end before the loop over it begins, which must not see them change."""
        name = s.targets[0].id
        for loop in t.statements(self.unit.tree.body) if not self.lenient else ():
            inside = list(t.statements(loop.body)) if isinstance(loop, gast.For) else []
            reads = {n for x in inside for n in t.header_reads(x)}
            if name not in reads or any(x is s for x in inside):
                continue
            for other in sorted(reads - {name}):
                if any(overlap(loc, place) for loc in self.locs_of(t.load(other), state) for place in places):
                    raise UnsupportedError(f"a generator that changes '{self.spelled(other)}' while the loop over it looks at that",
                                           self.origin, "Let it yield what the loop needs, or write the loop out.")

    def shares(self, changed: list[str], effects: Effects, bound: dict, state: State) -> frozenset:
        """Pairs of places in arguments that change which may be one object, as far as a change can reach them."""
        found: frozenset = frozenset()
        for parameter in changed:
            locs = [loc for n in t.reads(bound[parameter]) for loc in self.locs_of(t.load(n), state)]
            sure = len(locs) == 1 and isinstance(bound[parameter], gast.Name)
            changes = [(Loc(parameter, path), tags) for n, path, _, _, tags in effects.changes if n == parameter] or [
                (Loc(parameter), None)]
            kind = self.facts.of(bound[parameter])
            if isinstance(kind, k.Num):                      # an array holds no objects
                continue

            for loc in locs:
                inside = {(a, b, sure and certain) for a, b, certain in self.inside_of(loc, parameter, changes, kind, state)}
                found |= reaching(inside, changes, kind, self.facts.of)
        return found

    def inside_of(self, loc: Loc, parameter: str, changes: list, kind: Any, state: State) -> set[Share]:
        """`inner_shares` of an argument; remembered, since loops are gone through until nothing new is found."""
        roots = {loc.root, *(end.root for link in state.links for end in link)}
        kinds = [kind, *(self.facts.kinds.get(root) for root in sorted(roots))]
        key = loc, parameter, frozenset(changes), frozenset(state.links.items()), tuple(map(id, kinds))

        def relevant(there: Loc, known: Loc) -> bool:
            return any(may_hold(kind, known, tags, self.facts.of) and self.inside(there, tags) for _, tags in changes)

        if key not in self.remembered:                       # with the kinds, whose ids are theirs as long as they live
            self.remembered[key] = inner_shares(loc, Loc(parameter), state, self.sorts_at, relevant), kinds
        return self.remembered[key][0]

    def share(self, name: str, effects: Effects, state: State) -> None:
        """The new result of a call holds objects twice."""
        if self.mutable(name) and name in state.locs:
            for loc in state.locs[name]:
                for path, other, sure in sorted(effects.shares, key=repr):
                    certain = sure and loc == Loc(name)
                    pair = loc.then(*path), loc.then(*other)
                    if not certain:
                        pair = pair[0].somewhere(), pair[1].somewhere()
                    state.links[pair] = state.links.get(pair, certain) and certain

    def effects_of(self, function: Any, kinds: dict, target: call_targets.Target) -> Effects:
        """What a callee changes. One that gets nothing that can change may do what it likes: its result is anybody's."""
        try:
            return self.effects(function, kinds)
        except UnsupportedError:
            if any(mutable(self.facts.of(a) or k.ANY) for a in target.operands):
                raise
            return Effects((), frozenset([ELSEWHERE]))

    def attempt(self, s: gast.Assign, effects: Effects, bound: dict, state: State) -> tuple[list, State]:
        """A call of the body of a `try`: what it changes would be half changed when an exception comes."""
        if effects.changed:
            raise UnsupportedError(f"'{effects.changed[0]}' changes in place inside `try`", self.origin,
                                   "Compute the new value inside, and store it after the `try`.")
        name = s.targets[0].id
        held = effects.result | {loc for _, loc, _ in effects.held}
        inexact = frozenset(Loc(loc.root, (), False) if loc.root in bound else loc for loc in held)
        contents = self.call_contents(Effects((), inexact), bound, name, state)
        before, state = self.bind(s, name, frozenset([FRESH]), state)
        for a, b in contents:
            state.links[a, b] = False
        self.share(name, effects, state)
        return [*before, s], state

    def result_held(self, effects: Effects, bound: dict, name: str, state: State) -> dict[tuple[Loc, Loc], bool]:
        """What the new result of a call holds of the arguments."""
        found: dict[tuple[Loc, Loc], bool] = {}
        for path, loc, sure in sorted(effects.held, key=repr):
            for other in sorted(self.result_locs(Effects((), frozenset([loc])), bound, name, state), key=repr):
                if other != FRESH:
                    place = Loc(name, path) if sure and other.exact else Loc(name, (), False)
                    found[place, other] = place.exact
        return found

    def call_contents(self, effects: Effects, bound: dict, name: str, state: State) -> list[tuple[Loc, Loc]]:
        if not self.mutable(name) or isinstance(self.facts.kinds.get(name), k.Num):
            return []
        found: list[tuple[Loc, Loc]] = []
        for loc in sorted(effects.result, key=repr):
            if loc.root in bound and not loc.exact:
                for n in t.reads(bound[loc.root]):
                    self.hold(Loc(name, (), False), n, state, found)
        return found

    def result_locs(self, effects: Effects, bound: dict, name: str, state: State) -> Locs:
        return self.places_here(effects.result or {NEW_OBJECT}, bound, state) if self.mutable(name) else frozenset()

    def places_here(self, locs: Iterable[Loc], bound: dict, state: State) -> Locs:
        """Where places are that a callee knows by the names of its parameters."""
        found = set()
        for loc in locs:
            if loc == ELSEWHERE:
                found.add(ELSEWHERE)
            elif loc.root in bound:
                for base in (self.locs_of(t.load(n), state) for n in t.reads(bound[loc.root])):
                    plain = isinstance(bound[loc.root], gast.Name)
                    path = [step for item in loc.path if (step := item.given(bound)) is not None]
                    whole = plain and len(path) == len(loc.path)
                    there = [x.then(*path) if whole else x.somewhere() for x in base]
                    found.update(x if loc.exact else meant(x.somewhere(), loc.of) for x in there)
            else:
                found.add(FRESH)
        return frozenset(found) or frozenset([FRESH])

    def changing_call(self, s: gast.Assign, target: call_targets.Target, bound: dict, changed: list[str], result: Locs,
                      state: State, effects: Effects) -> tuple[list, State]:
        """A call that gives back what it changes of its arguments, to be put where they lie."""
        name = s.targets[0].id
        function = target.function
        assert function is not None
        state = state.copy()
        places = self.changed_places(s, function, bound, changed, effects, state)
        self.check_apart(s, function, bound, places, effects, state)
        first = self.before_call(s, bound, places, effects, state)
        parts, rest = self.changed_parts(bound, changed, places)
        more, slots, lost = self.changed_by_call(s, places, effects, rest, state)
        first += more
        self.written.update(place.root for parameter, place in places.items() if place.root != parameter and not place.path)
        for parameter in effects.survivors & set(places):    # what the callee has kept is the caller's of this function, too
            self.survivors.update(n for n, _ in self.given_places(places[parameter], state))
        kept = self.kept_by_call(name, places, slots, lost) if effects.survivors & set(places) else {}
        state.links.update({pair: sure for pair, sure in kept.items() if pair[0].root != name})
        self.linked_by_call(effects, bound, state)
        held = self.result_held(effects, bound, name, state)
        new, state = self.bind(s, name, result, state)
        state.links.update(held)
        self.share(name, effects, state)
        state.links.update({pair: sure for pair, sure in kept.items() if pair[0].root == name})
        if len(result) == 1 and any(x.exact and x.root in {p.root for p in places.values()} for x in result):
            state.stale |= {name}
        first_target = name
        if any(p.root == name for p in places.values()):      # x = f(x): the name is another object from here on
            state.stale -= {name}
            first_target, parts, rest = self.rebinding(name, parts, rest, Loc(name) in result)
        call = self.call_with_changes(s, function, target, changed, first_target, parts) if self.emitting else []
        return [*first, *new, *call, *rest], state

    def changed_places(self, s: gast.Assign, function: Function, bound: dict, changed: list[str], effects: Effects,
                       state: State) -> dict[str, Loc]:
        """Find where the arguments lie that a call changes; refuse those that have no place. By parameter."""
        places: dict[str, Loc] = {}
        for parameter in changed:
            argument = bound[parameter]
            if isinstance(argument, gast.Dict) and all(
                    not path or rebinding and len(path) == 1 for n, path, rebinding, *_ in effects.changes if n == parameter):
                continue                                     # the entries of a dict that only the callee has
            if not isinstance(argument, gast.Name):
                raise UnsupportedError(f"{function.name}() changes its argument '{parameter}', which is not a variable here",
                                       source.locate(s.value, self.origin), "Give the array a name first.")
            if argument.id not in self.facts.local:
                refuse_outside(self, argument.id)
            places[parameter] = self.place_of(s, argument, state)
        return places

    def check_apart(self, s: gast.Assign, function: Function, bound: dict, places: dict[str, Loc], effects: Effects,
                    state: State) -> None:
        """Refuse a call that changes an argument which shares memory with another one."""
        for parameter, place in places.items():
            for other, argument in bound.items():
                for n in t.reads(argument):
                    if other != parameter and self.conflict(effects, parameter, place, other, n, state):
                        problem = UnsupportedError(
                            f"{function.name}() changes its argument '{parameter}', which shares memory with its argument "
                            f"'{other}'", source.locate(s.value, self.origin), "Pass a copy of one of them.")
                        problem.shared = True
                        raise problem

    def before_call(self, s: gast.Assign, bound: dict, places: dict[str, Loc], effects: Effects, state: State) -> list:
        """Read and check what is needed of the arguments before a call changes them."""
        longer = [places[n].then(*path[:-1]) for n, path, *_ in sorted(effects.changes, key=in_order)
                  if n in places and path[-1:] == (SLOT,)]
        first = [x for place in dict.fromkeys(longer) for x in numbered(self, s, place, state)]
        for parameter, place in places.items():
            self.held = bool(place.path) or bound[parameter].id in self.after(s)
            if any(n == parameter and not path and not rebinding for n, path, rebinding, *_ in effects.changes):
                first += array_check(self, self.kind(bound[parameter]), bound[parameter])
        return first

    def changed_parts(self, bound: dict, changed: list[str], places: dict[str, Loc]) -> tuple[list[str], list]:
        """The names that get what a call gives back, and the statements that put it where the arguments lie."""
        parts = []
        rest: list = []
        for parameter in changed:
            if parameter not in places:
                parts.append(self.temporary(f"{parameter}_changed", k.ANY))
                continue
            place = places[parameter]
            if not place.path:
                parts.append(place.root)
                continue
            part = self.temporary(f"{parameter}_changed", self.facts.of(bound[parameter]))
            if self.emitting:
                self.unit.reread[part] = bound[parameter].id
            parts.append(part)
            rest.append(self.put(place, t.load(part)))
        return parts, rest

    def changed_by_call(self, s: gast.Assign, places: dict[str, Loc], effects: Effects, rest: list,
                        state: State) -> tuple[list, list[Loc], set[Loc]]:
        """Carry the changes of a call to all that shares memory with them. rest: gets the statements after the call.

        Returns the statements before it, the places that hold other objects now, and those of what may not be where it was."""
        first: list = []
        lost: set[Loc] = set()
        slots: list[Loc] = []                            # where the callee has put other objects
        changes = [Change(parameter, place, *found) for parameter, place in places.items() for found in (
            [found for n, *found in sorted(effects.changes, key=in_order) if n == parameter] or [((), False, True, None)])]
        for change in puts_first(changes, state):
            parameter, place, path, rebinding, whole, tags = change
            there = change.there
            if not rebinding:
                self.changed_content(s, there, state, rest, tags=tags, current_in=place)       # (it has been told)
                continue
            if not (whole and path) and apart(tags, self.tags_at(there)):
                self.changed_inside(s, there, state, rest, tags)
                continue
            certain = (parameter, path) in effects.replaced
            slots.append(there if whole and path else there.then(SOME))
            own = [x for x in changes if x.parameter == parameter]
            inside = [x.there for x in own if not x.rebinding or len(x.path) > len(path) and x.path[:len(path)] == path]
            first += self.rebound_by_call(s, slots[-1], state, rest, tags, certain, inside, lost)
        return first, slots, lost

    def kept_by_call(self, name: str, places: dict[str, Loc], slots: list[Loc],
                     lost: set[Loc]) -> dict[tuple[Loc, Loc], bool]:
        """What may hold the objects that a call has replaced and kept."""
        kept: dict[tuple[Loc, Loc], bool] = {}
        for other in lost:
            for slot in (*(x.then(SOME).somewhere() for x in places.values()), Loc(name, (), False)):
                if slot.root != other.root and (slot.root != name or self.mutable(name)):
                    kept[slot, other] = False
            for slot in slots:                               # other places of the same object
                if slot.root == other.root and not overlap(slot, other):
                    kept[slot, other] = False
        return kept

    def linked_by_call(self, effects: Effects, bound: dict, state: State) -> None:
        """Note what shares memory after a call, as the summary of the callee tells."""
        for a, b in sorted(effects.links, key=repr):
            ends = [sorted(self.places_here([x], bound, state), key=repr) for x in (a, b)]
            for x in ends[0]:
                for y in ends[1]:
                    state.links[x, y] = x.exact and y.exact

    def call_with_changes(self, s: gast.Assign, function: Function, target: call_targets.Target, changed: list[str], result: str,
                          parts: list[str]) -> list:
        """The call of a function that returns what it changes: after its result, where it has one."""
        name = s.targets[0].id
        nothing = self.facts.kinds.get(name) == k.Const(None)
        callee = function.returning(*([] if nothing else ["return"]), *changed)
        call = gast.copy_location(t.call(self.unit.use(callee, callee.name), *target.args, **target.keywords), s.value)
        call.keywords += [t.keyword(None, star) for star in target.stars]
        after = [t.assign(result, t.const(None), self.origin)] if nothing and not result.startswith("unused") else []
        targets = parts if nothing else [result, *parts]
        if len(targets) == 1:
            return [t.assign(targets[0], call, self.origin), *after]
        both = self.unit.names.fresh("changed" if nothing or name.startswith("unused") else f"{name}_and_changed")
        return [t.assign(both, call, self.origin), t.unpack(targets, t.load(both), self.origin), *after]

    def rebinding(self, name: str, parts: list[str], rest: list, same: bool) -> tuple[str, list[str], list]:
        """What `x = f(x)` gives its results to, where f changes x: the name, the names of what is changed, and what follows.

        same: whether f returns the x that it has changed."""
        if same and self.heir is None:
            return self.unit.names.fresh("unused") if self.emitting and name in parts else name, parts, rest
        old = self.heir                                      # the changed object lives on under another name
        if old is None and name not in parts:                # x was a part of the object, of which nobody sees the rest
            return name, parts, [x for x in rest if name not in (*t.reads(x), *t.writes(x))]
        if old is None:
            old = self.temporary(name, self.facts.kinds.get(name))
        return name, [old if n == name else n for n in parts], [t.rename(x, {name: old}) for x in rest]

    def rebound_by_call(self, s: gast.Assign, place: Loc, state: State, rest: list, tags: Tags, certain: bool,
                        inside: list[Loc], lost: set[Loc]) -> list:
        """A callee may have put another object at a place. inside: where it has changed objects before; lost: gets the
        places of objects that were there."""
        after = self.after(s)
        depth = len(place.path)
        names = {n: locs for n, locs in state.locs.items() if n not in self.ghosts and n != place.root and any(
            overlap(x, place) and len(x.path) >= depth for x in locs)}
        links = {pair: other for pair in state.links for one, other in (pair, pair[::-1])
                 if overlap(one, place) and len(one.path) >= depth and not overlap(other, place)}
        same = {x for x in same_objects(links.values(), state) if not overlap(x, place)}
        others = {other for other in same if self.looked_at(other, state, after, None, frozenset([place.root]))}
        if any(overlap(place, x) for x in inside) and (others or any(n in after for n in names)):
            other = next(iter(sorted([*(x.root for x in others), *(n for n in names if n in after)])))
            refuse_shared(self, place.root, other)
        early = self.rebound(s, place, state, rest, tags)
        state.replaced -= {place} if not certain else set()
        if not certain:                                  # perhaps the objects are where they were
            for pair in links:
                if pair not in state.links and all(x.root in state.locs for x in pair):
                    state.links[pair] = False
            for name, locs in names.items():
                if name in state.locs:
                    state.locs[name] = frozenset(x.somewhere() for x in locs) | {Loc(name)}
        lost |= others | {x for x in same if x.root == place.root} | {Loc(n) for n in names if n in after}
        return early


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
    waiting, result = list(changes), []
    while waiting:
        free = next((x for x in waiting if not any(_replaces(y, x, state) for y in waiting)), waiting[0])
        waiting.remove(free)
        result.append(free)
    return result


def _replaces(one: Change, other: Change, state: State) -> bool:
    """Whether one change puts something else where an object has been that the other changes at another place."""
    if one is other or not one.rebinding or not one.whole or not one.path or overlap(one.there, other.there):
        return False
    holder = Loc(other.there.root, other.there.path[:-1], other.there.exact) if other.rebinding else other.there
    return any(overlap(here, one.there) and len(here.path) >= len(one.there.path) and overlap(there, holder)
               for pair in state.links for here, there in (pair, pair[::-1]))


def in_order(change: tuple) -> tuple[int, str]:
    """Containers first: what a place holds that gets another container is linked to nothing that changes elsewhere."""
    *rest, tags = change
    return len(change[1]), repr((rest, tags and sorted(map(str, tags))))
