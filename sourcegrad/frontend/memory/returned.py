"""Places that a callee gives back changed: it was told what they share with each other, and has seen to it."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sourcegrad.analysis.locations import Loc, overlap
from sourcegrad.frontend.memory.places import Places
from sourcegrad.frontend.memory.state import State


class Returned(Places):
    """What changes during a call."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.returned: list[Loc] = []                   # what the callee gives back changed,
        self.rebound_places: list[Loc] = []             # and where in it other objects have been put

    def is_returned(self, place: Loc) -> bool:
        """Whether a place is in what the callee gives back changed."""
        return any(x.root == place.root and place.path[:len(x.path)] == x.path for x in self.returned)

    def beyond(self, one: Loc, returned: Loc, state: State, done: set[Loc], new: list,
               copied: Callable[[Loc, Loc], list]) -> list[Loc]:
        """Where a change goes on from a place that the callee has returned: if another object has been put there, to whoever
        else held the one that was there."""
        if not any(overlap(x, returned) and len(x.path) <= len(returned.path) for x in self.rebound_places):
            return [returned]
        others = sorted({x for pair in state.links if returned in pair for x in pair if x.exact and not self.is_returned(x)} - done,
                        key=repr)
        done |= set(others)
        for other in others:
            new += copied(one, other)
        return others
