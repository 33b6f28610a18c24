"""Whether places of an array can overlap: indices are a name plus a number, and what is known of them are differences.

A set of constraints `x - y <= c` over integers has no solution exactly if its graph has a negative cycle.
"""
from __future__ import annotations

from typing import Any

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
