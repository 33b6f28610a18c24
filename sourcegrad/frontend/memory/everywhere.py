"""Calls of functions that change objects of which it is not known where else they are held.

The callee gets all values that may hold such an object as one more argument, `held`, puts its changes there, too, and gives
it back: in the callee they are changes by identity.
"""
from __future__ import annotations

import gast

from sourcegrad import kinds as k, source, tree as t
from sourcegrad.analysis import calls
from sourcegrad.analysis.locations import ELSEWHERE, Loc
from sourcegrad.analysis.tags import together
from sourcegrad.errors import UnsupportedError, called_at
from sourcegrad.frontend.memory.callees import Callees
from sourcegrad.frontend.memory.identity import Held
from sourcegrad.frontend.memory.state import FRESH, SOME, Effects, State, mutable
from sourcegrad.frontend.resolve import Function
from sourcegrad.names import Names


class Everywhere(Callees):
    """Calls that change objects wherever they are held."""

    def call(self, s: gast.Assign, target: calls.Target, state: State) -> tuple[list, State]:
        try:
            return super().call(s, target, state.copy())
        except UnsupportedError as problem:
            function = target.function
            if function is None or not problem.shared or function.generator or function.outputs or (
                    function.origin == self.unit.function.origin):
                raise                                        # (in a recursion, what is handed on would get deeper at every level)
            try:
                return self.call_everywhere(s, target, function, state.copy(), problem)
            except UnsupportedError:
                raise problem from None

    def call_everywhere(self, s: gast.Assign, target: calls.Target, function: Function, state: State,
                        problem: UnsupportedError) -> tuple[list, State]:
        name = s.targets[0].id
        bound = calls.bind(function, target, self.unit)
        kinds = {n: self.facts.of(v) or k.ANY for n, v in bound.items()}
        origin = source.locate(s.value, t.origin_of(s))
        with called_at(origin):
            first = self.effects_of(function, kinds, target)
        changed = [n for n in first.changed if mutable(kinds[n])]
        tags = together(None if sorts is None or "array" in sorts else sorts for *_, sorts in first.changes)
        locs = [loc for n in changed for x in t.reads(bound[n]) for loc in self.locs_of(t.load(x), state)]
        if not changed or ELSEWHERE in locs or not all(isinstance(bound[n], gast.Name) for n in changed):
            raise problem
        if first.seeks or any(sorts is None or "array" in sorts for *_, sorts in first.changes):
            self.seek(state, problem)
        held = self.holders(s, name, locs, state, tags)
        if held.roots & state.split:
            raise problem
        rebinding = [sorts for _, _, rebinds, _, sorts in first.changes if rebinds]
        before = self.let_go(s, held, SOME, together(rebinding), state, problem) if rebinding else []
        linked = [n for n, argument in bound.items() if mutable(kinds[n]) and any(
            loc.root in held.roots for x in t.reads(argument) for loc in self.locs_of(t.load(x), state))]
        if not held.names and len(linked) < 2:
            raise problem
        direct: dict[str, str] = {}                          # names of held values that are arguments themselves
        for n in linked:
            x = bound[n].id if isinstance(bound[n], gast.Name) else ""
            if x in held.names and x not in direct.values() and state.locs.get(x) == frozenset([Loc(x)]) and x not in state.stale:
                direct[n] = x
        rest = [n for n in held.names if n not in direct.values()]
        shares = {(Loc(a, (), False), Loc(b, (), False), False) for j, a in enumerate(linked) for b in linked[j + 1:]}
        function = function.sharing(function.shares | shares | self.shares(changed, first, bound, state))
        parameter, given = "", None
        if rest:
            function, parameter = holding(function, frozenset(linked))
            given = t.load(rest[0]) if len(rest) == 1 else t.pack([t.load(n) for n in rest])
            kinds[parameter] = self.facts.of(given) or k.ANY
        with called_at(origin):
            effects = first | self.effects_of(function, kinds, target)
        self.sought_by(effects, bound, state)
        state.separated |= effects.separates
        returned = [n for n in effects.changed if n in direct]
        names = [direct[n] for n in returned] + rest
        if name in names:
            raise problem
        result = self.result_locs(effects, bound, name, state) if self.mutable(name) else frozenset()
        if any(loc.root == parameter for loc in effects.result):
            result = frozenset(Loc(n, (), False) for n in held.names) | {FRESH}
        kept = {*held.names, *direct.values()}               # what nobody looks at any more is not given back
        result = frozenset(FRESH if x.root in held.roots - kept else x for x in result)
        self.tell(held, state, effects, bool(rebinding))
        for a, b in sorted(effects.links, key=repr):
            for x in sorted(self.places_here([a], bound, state), key=repr):
                for y in sorted(self.places_here([b], bound, state), key=repr):
                    state.links[x, y] = x.exact and y.exact
        content = self.result_held(effects, bound, name, state)
        more, state = self.bind(s, name, result, state)
        state.links.update(content)
        self.share(name, effects, state)
        if self.mutable(name) and (effects.survivors or not isinstance(self.facts.kinds.get(name), k.Num)):
            for n in held.names:
                state.links[Loc(name, (), False), Loc(n, (), False)] = False
        if len(result) == 1 and any(x.exact and x.root in held.roots for x in result):
            state.stale |= {name}
        if not self.emitting:
            return [*before, *more], state
        both = self.unit.names.fresh(f"{name}_and_held" if not name.startswith("unused") else "changed")
        outputs = ("return", *returned, *([parameter] if rest else [])) if names else ()
        used = self.unit.use(function.returning(*outputs), function.name)
        call = gast.copy_location(t.call(used, *target.args, **target.keywords), s.value)
        call.keywords += [t.keyword(parameter, given)] if rest else []
        call.keywords += [t.keyword(None, star) for star in target.stars]
        if not names:                                        # nobody looks at the objects any more
            return [*before, *more, t.assign(name, call, self.origin)], state
        parts = [direct[n] for n in returned]
        last = []
        if len(rest) == 1:
            parts.append(rest[0])
        elif rest:
            parts.append(self.temporary("held", kinds[parameter]))
            last = [t.unpack(rest, t.load(parts[-1]), self.origin)]
        unpacked = t.unpack([name, *parts], t.load(both), self.origin)
        return [*before, *more, t.assign(both, call, self.origin), unpacked, *last], state

    def tell(self, held: Held, state: State, effects: Effects, rebinding: bool) -> None:
        """What is known of the values of names after a call that has changed objects in them."""
        tags = together(sorts for *_, sorts in effects.changes)
        self.is_changed(held, state, tags, False)
        if rebinding:
            self.is_changed(held, state, tags, True)
            self.survive(held, state)
            for position, one in enumerate(held.names):
                for other in held.names[position:]:
                    state.links[Loc(one, (), False), Loc(other, (), False)] = False


def holding(function: Function, linked: frozenset[str]) -> tuple[Function, str]:
    """The variant of a function that gets everything that may hold what it changes, and the name of that parameter."""
    key = ("holding", linked)
    if key not in function.variants:
        tree = t.clone(function.tree)
        parameter = Names({n.id for n in t.walk(tree) if isinstance(n, gast.Name)}).fresh("held")
        tree.args.kwonlyargs.append(t.arguments([parameter]).args[0])
        tree.args.kw_defaults.append(None)
        shares = function.shares | {(Loc(n, (), False), Loc(parameter, (), False), False) for n in linked}
        variant = Function(function.name, tree, function.scope, function.object, function.pure, function.flat,
                                          function.guards, receiver=function.receiver, shares=shares)
        function.variants[key] = variant, parameter
    return function.variants[key]
