"""Questions whether two names are one array: `p is a`, `np.shares_memory(p, a)`.

Where arrays change, generated code may hold a copy under one of the names. What the analysis knows is written in the place of
the question; what it cannot know is refused. (Arrays that never change keep their identity: there the question stays.)
"""
from __future__ import annotations

import functools
import itertools
from collections import Counter
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, source, tree as t
from sourcegrad.analysis.locations import ELSEWHERE, Loc, overlap
from sourcegrad.errors import UnsupportedError
from sourcegrad.frontend.memory.identity import Identity
from sourcegrad.frontend.memory.state import Effects, State, When, same_objects
from sourcegrad.frontend.resolve import Function
from sourcegrad.frontend.transparent import PROPERTIES

SHARING = (np.shares_memory, np.may_share_memory)
MOST = 4                                                # ways in which two names may be one array
ADDRESSES = ("base", "ctypes", "data", "__array_interface__")
ADVICE = "Decide by something else: `is`, a number or flag that is kept beside it; or work on copies."


class Sameness(Identity):
    """Answers for the pass."""

    def answered(self, node: Any, state: State) -> Any:
        """A value or test with the answer in the place of such a question."""
        if isinstance(node, gast.BoolOp):
            node.values = [self.answered(x, state) for x in node.values]
        if isinstance(node, gast.UnaryOp):
            node.operand = self.answered(node.operand, state)
        asked = self.asked(node)
        if asked is None:
            for part in t.walk(node):
                self.check_address(part, state)
            return node
        one, other = asked
        self.compared.update(n for name in asked for loc in self.locs_of(t.load(name), state) for n in self.given(loc, state))
        found = self.answer(one, other, isinstance(node, gast.Call), state)
        if found is None or not self.emitting:
            return node
        negated = isinstance(node, gast.Compare) and isinstance(node.ops[0], gast.IsNot)
        if isinstance(found, list):
            answer: Any = _joined(gast.Or(), [_joined(gast.And(), [t.load(name) for name in way]) for way in found])
            answer = gast.UnaryOp(op=gast.Not(), operand=answer) if negated else answer
        else:
            answer = t.const(found != negated)
        return gast.copy_location(answer, node)

    def truth_of(self, test: Any) -> bool | None:
        """The answer of a test that is such a question, if that is always the same."""
        if isinstance(test, gast.Constant) and isinstance(test.value, bool):
            return test.value
        return self.truths.get(test.id) if isinstance(test, gast.Name) else None

    @functools.cached_property
    def bound_once(self) -> set[str]:
        """Names that one statement only gives a value."""
        times = Counter(n for s in t.statements(self.unit.tree.body) for n in t.writes(s))
        return {n for n, count in times.items() if count == 1 and n not in self.unit.parameters}

    def check_address(self, node: Any, state: State) -> None:
        """`id(p)` and `p.base` ask where an array lies: in generated code it may lie somewhere else."""
        owner = None
        if isinstance(node, gast.Attribute) and node.attr in ADDRESSES and isinstance(self.kind(node.value), k.Num):
            owner = node.value
        elif isinstance(node, gast.Call) and any(t.is_name(node.func, name) for name in ("id", "hash")) and len(node.args) == 1:
            owner = node.args[0]
        if not isinstance(owner, gast.Name) or owner.id not in self.facts.local or not self.mutable(owner.id):
            return
        roots = {owner.id} | {loc.root for loc in same_objects(self.locs_of(owner, state), state)}
        handed_out = isinstance(node, gast.Attribute) and node.attr in ("ctypes", "data")        # to code that may write there
        if self.emitting and not self.lenient and (handed_out or roots & self.written):
            raise UnsupportedError(f"where '{self.spelled(owner.id)}' lies in memory, while something "
                                   f"{'may change' if handed_out else 'changes'} in place",
                                   source.locate(node, self.origin), ADVICE)

    def asked(self, node: Any) -> tuple[str, str] | None:
        """The two names of a question."""
        parts: list = []
        if isinstance(node, gast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (gast.Is, gast.IsNot)):
            parts = [node.left, *node.comparators]
        elif isinstance(node, gast.Call) and self.unit.lookup(node.func) in SHARING:
            parts = node.args[:2]
        if len(parts) != 2 or not all(t.is_name(x) and x.id in self.facts.local and self.perhaps_array(x) for x in parts):
            return None
        return parts[0].id, parts[1].id

    def perhaps_array(self, node: Any) -> bool:
        kind = self.kind(node)
        return kind is k.ANY or isinstance(kind, k.Num) and kind.boxed is not False

    def check_compared(self, effects: Effects, bound: dict[str, Any], state: State) -> None:
        """A callee asks which of its arguments are one array."""
        names = [n for parameter in sorted(effects.compared & set(bound)) for n in t.reads(bound[parameter])
                 if n in self.facts.local and self.mutable(n)]
        for one, other in itertools.combinations(dict.fromkeys(names), 2):
            if self.answer(one, other, True, state) is not None:
                self.refuse_question(one, other)

    def check_cached(self, function: Function, effects: Effects, bound: dict[str, Any], state: State) -> None:
        """What functools.cached_property keeps is found again each time it is read: the object must stay as it is."""
        if function.object in PROPERTIES and effects.changed:
            raise UnsupportedError(f"the cached property '{function.name}', which changes its object", self.origin,
                                   "Let it return a value only.")
        read = {(function.parameters[0], ())} if function.object in PROPERTIES else effects.cached
        for parameter, path in sorted(read, key=repr):
            for name in t.reads(bound[parameter]) if parameter in bound else ():
                locs = {loc.then(*path) if not any(x.names for x in path) else loc.somewhere()
                        for loc in self.locs_of(t.load(name), state)}
                self.cached.update(place for loc in locs for place in self.given_places(loc, state))
                places = same_objects(locs, state) | ({Loc(name)} if not path else set())
                if self.emitting and not self.lenient and any(overlap(x, y) for x in places for y in self.touched):
                    raise UnsupportedError(f"a cached property of '{self.spelled(name)}', which changes in this function",
                                           self.origin, "Make it a property, or keep its value in a variable.")

    def refuse_question(self, one: str, other: str) -> None:
        if not self.lenient:
            raise UnsupportedError(f"whether '{self.spelled(one)}' and '{self.spelled(other)}' are one array, where arrays "
                                   "change in place", self.origin, ADVICE)

    def answer(self, one: str, other: str, sharing: bool, state: State) -> bool | list[list[str]] | None:
        """What is known: whether two names are one array, or the ways in which they are. None: the generated code knows."""
        places = [self.locs_of(t.load(name), state) for name in (one, other)]
        if one == other or not all(places):
            return None
        related = [same_objects(locs, state) for locs in places]
        roots = {loc.root for found in related for loc in found} | {one, other}
        if not roots & self.written:
            return None
        here, there = (next(iter(locs)) if len(locs) == 1 else ELSEWHERE for locs in places)
        if here.exact and there.exact:
            if here == there and (sharing or not here.path):
                return True
            if not sharing and here.root == there.root and here.path != there.path and self.of_array(here.root) and not any(
                    map(perhaps_itself, (here, there))):
                return False                                 # an array and a view of it, or two views
            if not any(overlap(x, there) for x in related[0]):
                return None
            ways = self.ways_between(here, there, sharing, state)
            if ways is not None:
                return ways if all(ways) else True
        elif not any(overlap(x, y) for x in related[0] for y in related[1]):
            return None
        if self.emitting:
            self.refuse_question(one, other)
        return None

    def ways_between(self, here: Loc, there: Loc, sharing: bool, state: State) -> list[list[str]] | None:
        """The conditions, as ways each of which is enough, under which two whole arrays are one; None: it cannot be told.

        A view of an array is another object: for `is` it does not count."""
        if here.path or there.path or not all(map(self.of_array, (here.root, there.root))):
            return None
        edges: dict[str, list[tuple[str, Any]]] = {}
        for (one, other), sure in state.links.items():
            whole = not one.path and not other.path and one.exact and other.exact
            other_object = all(self.of_array(x.root) for x in (one, other)) and not any(map(perhaps_itself, (one, other)))
            if whole or sharing or not other_object:
                for x, y in ((one, other), (other, one)):
                    edges.setdefault(x.root, []).append((y.root, sure if whole else False))
        found: list[list[str]] = []
        work: list[tuple[str, list[str], list]] = [(here.root, [here.root], [])]
        while work:
            root, taken, conditions = work.pop()
            if root == there.root:
                if False in conditions or len(found) == MOST:
                    return None
                found.append(list(dict.fromkeys(x.condition for x in conditions if isinstance(x, When))))
                continue
            work += [(other, [*taken, other], [*conditions, sure]) for other, sure in edges.get(root, ()) if other not in taken]
        return found or None

    def of_array(self, root: str) -> bool:
        return isinstance(k.as_num(self.facts.kinds.get(root, k.ANY)), k.Num)


def perhaps_itself(place: Loc) -> bool:
    """Whether a view may be the array itself: NumPy gives that back where there is nothing to do."""
    return any(item.sort == "view" and (".squeeze(" in item.text or item.text.endswith(".real")) for item in place.path)


def _joined(operator: Any, values: list) -> Any:
    return values[0] if len(values) == 1 else gast.BoolOp(op=operator, values=values)
