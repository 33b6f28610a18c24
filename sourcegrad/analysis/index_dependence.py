"""Index dependence: whether places of an array can overlap, and whether there is anything at a place.

Whether places of an array can overlap: indices are a name plus a number, and what is known of them are differences.

A set of constraints `x - y <= c` over integers has no solution exactly if its graph has a negative cycle.
"""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.kinds import results

Term = tuple[str, int]                 # a name and a number; the name "" is zero
Box = list[tuple[Term | None, Term | None]]          # first and one past the last along each axis; None: no bound


class Constraints:
    def __init__(self) -> None:
        self.edges: list[tuple[str, str, int]] = []

    def copy(self) -> Constraints:
        new = Constraints()
        new.edges = list(self.edges)
        return new

    def at_most(self, one: Term | None, other: Term | None, offset: int = 0) -> None:
        """one <= other + offset"""
        if one is not None and other is not None:
            self.edges.append((other[0], one[0], other[1] + offset - one[1]))

    def possible(self) -> bool:
        names = {n for a, b, _ in self.edges for n in (a, b)}
        distance = dict.fromkeys(names, 0)
        for _ in range(len(names) + 1):
            changed = False
            for a, b, c in self.edges:
                if distance[a] + c < distance[b]:
                    distance[b] = distance[a] + c
                    changed = True
            if not changed:
                return True
        return False

    def overlap(self, one: Box, other: Box) -> bool:
        """Whether two places may have an element in common."""
        both = self.copy()
        for (low, high), (low_2, high_2) in zip(one, other):
            both.at_most(low, high_2, -1)
            both.at_most(low_2, high, -1)
            both.at_most(low, high, -1)
            both.at_most(low_2, high_2, -1)
        return both.possible()

    def negative(self, term: Term) -> bool:
        """Whether a term may be below zero."""
        below = self.copy()
        below.at_most(term, ("", -1))
        return below.possible()


def renamed(term: Term | None, names: dict[str, str]) -> Any:
    return None if term is None else (names.get(term[0], term[0]), term[1])


# --- Whether there is anything at a place before something is stored there.

def has_place(facts: Infer, base: Any, place: Any) -> bool:
    """Whether something lies there before the store: an entry of a dict may be new."""
    steps: list = []
    viewed = False                                   # the steps end at an array, of which a view is taken
    while isinstance(place, (gast.Attribute, gast.Subscript, gast.Call)) and not (
            isinstance(place, gast.Attribute) and place.attr == "s_"):
        if isinstance(place, gast.Call):
            steps, viewed, place = [], True, place.func
        else:
            steps.insert(0, place)
        place = place.value
    kind = facts.of(base)
    if not steps and viewed:
        return True
    if not steps:                                    # a plain index
        steps = [t.subscript(t.clone(base), t.clone(place))]
    for step in steps:
        if kind is None or kind is k.ANY:
            return False
        if isinstance(kind, (k.Dct, k.Map)):
            try:
                key = results.constant(facts.of(step.slice)) if isinstance(step, gast.Subscript) else step.attr
            except results.Unknown:
                return False
            if not isinstance(kind, k.Dct) or kind.partial or kind.get(key) is None:
                return False
            kind = kind.get(key)
        elif isinstance(kind, k.Lst):
            kind = kind.item
        elif isinstance(kind, k.Tup) and isinstance(step, gast.Subscript):
            index = facts.of(step.slice)
            kind = kind.items[index.value] if isinstance(index, k.Const) and isinstance(index.value, int) else k.ANY
        elif isinstance(kind, k.Obj) and isinstance(step, gast.Attribute):
            kind = kind.get(step.attr)
            if kind is None:
                return True
        else:
            return True
    return True
