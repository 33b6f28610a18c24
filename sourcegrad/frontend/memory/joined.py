"""A callee that gets one array in two roles, `combine(y[1:], y)`, gets the array once, and takes the parts itself."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, tree as t
from sourcegrad.analysis import calls
from sourcegrad.analysis.locations import ELSEWHERE, Loc, overlap
from sourcegrad.frontend.memory.state import SOME, Effects, State, mutable, part_of
from sourcegrad.frontend.memory.stores import Stores
from sourcegrad.frontend.resolve import Function
from sourcegrad.names import Names


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


def joined_target(variant: Function, bound: dict[str, Any]) -> calls.Target:
    return calls.Target(variant, list(bound.values()), {}, variant)
