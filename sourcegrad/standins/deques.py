"""collections.deque of limited length. (A deque without a limit is a list in generated code.)"""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["BoundedDeque"]


class BoundedDeque:
    """A deque that keeps the `maxlen` newest items.

    >>> window = BoundedDeque([1, 2], 3)
    >>> window.append(5)
    >>> window.append(7)
    >>> list(window), len(window), window[0]
    ([2, 5, 7], 3, 2)
    """

    __sourcegrad_object__ = True

    def __init__(self, items: Iterable, maxlen: int) -> None:
        self.maxlen = maxlen
        items = list(items)
        self.items = items[max(len(items) - maxlen, 0):]

    def append(self, x: Any) -> None:
        items = [*self.items, x]
        self.items = items[max(len(items) - self.maxlen, 0):]

    def appendleft(self, x: Any) -> None:
        self.items = [x, *self.items][:self.maxlen]

    def extend(self, items: Iterable) -> None:
        items = [*self.items, *items]
        self.items = items[max(len(items) - self.maxlen, 0):]

    def extendleft(self, items: Iterable) -> None:
        for x in items:
            self.appendleft(x)

    def __iadd__(self, items: Iterable) -> BoundedDeque:
        self.extend(items)
        return self

    def pop(self) -> Any:
        return self.items.pop()

    def popleft(self) -> Any:
        return self.items.pop(0)

    def rotate(self, n: int = 1) -> None:
        if self.items:
            start = -n % len(self.items)
            self.items = self.items[start:] + self.items[:start]

    def reverse(self) -> None:
        self.items = self.items[::-1]

    def clear(self) -> None:
        self.items = []

    def copy(self) -> BoundedDeque:
        return BoundedDeque(self.items, self.maxlen)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator:
        return iter(self.items)

    def __contains__(self, x: Any) -> bool:
        return x in self.items

    def __getitem__(self, i: int) -> Any:
        return self.items[i]

    def __setitem__(self, i: int, x: Any) -> None:
        self.items[i] = x

    def __delitem__(self, i: int) -> None:
        del self.items[i]
