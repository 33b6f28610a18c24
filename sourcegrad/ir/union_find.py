"""Union-find (Tarjan 1975): sets that are joined, each known by one of its items."""
from __future__ import annotations

from typing import Any


class UnionFind:
    """Items, each in a set of its own until it is joined with others.

    >>> sets = UnionFind()
    >>> sets.join("b", "a")
    >>> sets.find("a"), sets.find("c")
    ('b', 'c')
    """

    def __init__(self) -> None:
        self.parent: dict[Any, Any] = {}

    def find(self, item: Any) -> Any:
        """The item by which the set of an item is known."""
        while self.parent.setdefault(item, item) != item:
            item = self.parent[item]
        return item

    def join(self, a: Any, b: Any) -> None:
        """Make one set of two, which is known by the item of the first."""
        self.parent[self.find(b)] = self.find(a)
