"""An iterator that is kept: the sequence that it reads and how far it has got."""
from __future__ import annotations

from typing import Any

__all__ = ["Kept"]


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
