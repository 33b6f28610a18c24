"""Iterators that are kept: what they read and how far they have got."""
from __future__ import annotations

from typing import Any

from sourcegrad.errors import UnsupportedError

PAIRS = "Loop over slices, such as zip(x[0::2], x[1::2]), or read it with next()."
__all__ = ["Counting", "Cycling", "Kept"]


class Kept:
    """What `iter(items)` gives in generated code: an object like any other, whose state is seen."""

    __sourcegrad_object__ = True

    def __init__(self, items: Any) -> None:
        self.items = items
        self.position = 0

    def __next__(self) -> Any:
        if self.position >= len(self.items):
            raise StopIteration
        item = self.items[self.position]
        self.position += 1
        return item

    def __iter__(self) -> Any:
        raise UnsupportedError("a loop over an iterator that another loop, or another argument of zip(), reads as well",
                               remedy=PAIRS)

    def taken_or(self, default: Any) -> Any:
        """`next(iterator, default)`"""
        if self.position >= len(self.items):
            return default
        item = self.items[self.position]
        self.position += 1
        return item

    def more(self) -> bool:
        """Whether there is another item."""
        return self.position < len(self.items)

    def rest(self) -> Any:
        """All items that are left."""
        items = self.items[self.position:]
        self.position = len(self.items)
        return items


class Counting:
    """`itertools.count(start, step)`"""

    __sourcegrad_object__ = True

    def __init__(self, start: Any = 0, step: Any = 1) -> None:
        self.number = start
        self.step = step

    def __next__(self) -> Any:
        number = self.number
        self.number = number + self.step
        return number


class Cycling:
    """`itertools.cycle(items)` of items that do not change, of which there is one at least."""

    __sourcegrad_object__ = True

    def __init__(self, items: Any) -> None:
        self.items = items
        self.position = 0

    def __next__(self) -> Any:
        item = self.items[self.position]
        self.position = (self.position + 1) % len(self.items)
        return item
