"""collections.deque. (One that stays in a function, where nobody asks what it is, is a list in generated code.)"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSequence
from typing import Any

__all__ = ["Deque"]


class Deque:
    """A list that changes at both ends, and keeps the `maxlen` newest items if that is a number.

    >>> window = Deque([1, 2], 3)
    >>> window.append(5)
    >>> window.append(7)
    >>> list(window), len(window), window[0]
    ([2, 5, 7], 3, 2)
    """

    __sourcegrad_object__ = True

    def __init__(self, items: Iterable, maxlen: int | None) -> None:
        self.maxlen = maxlen
        self.items: list = []
        self.extend(items)

    def append(self, x: Any) -> None:
        items = [*self.items, x]
        self.items = items if self.maxlen is None else items[max(len(items) - self.maxlen, 0):]

    def appendleft(self, x: Any) -> None:
        self.items = [x, *self.items][:self.maxlen]

    def extend(self, items: Iterable) -> None:
        items = [*self.items, *items]
        self.items = items if self.maxlen is None else items[max(len(items) - self.maxlen, 0):]

    def extendleft(self, items: Iterable) -> None:
        for x in items:
            self.appendleft(x)

    def __iadd__(self, items: Iterable) -> Deque:
        self.extend(items)
        return self

    def pop(self) -> Any:
        return self.items.pop()

    def popleft(self) -> Any:
        return self.items.pop(0)

    def insert(self, i: int, x: Any) -> None:
        if len(self.items) == self.maxlen:
            raise IndexError("deque already at its maximum size")
        self.items.insert(i, x)

    def remove(self, x: Any) -> None:
        self.items.remove(x)

    def index(self, x: Any) -> int:
        return self.items.index(x)

    def count(self, x: Any) -> int:
        return self.items.count(x)

    def rotate(self, n: int = 1) -> None:
        if self.items:
            start = -n % len(self.items)
            self.items = self.items[start:] + self.items[:start]

    def reverse(self) -> None:
        self.items = self.items[::-1]

    def clear(self) -> None:
        self.items = []

    def copy(self) -> Deque:
        return Deque(self.items, self.maxlen)

    def __copy__(self) -> Deque:
        return Deque(self.items, self.maxlen)

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

    def __add__(self, other: Iterable) -> Deque:
        return Deque([*self.items, *other], self.maxlen)

    def __mul__(self, count: int) -> Deque:
        return Deque(self.items * count, self.maxlen)

    def __eq__(self, other: Any) -> bool:
        if type(other) is not Deque:
            return NotImplemented
        return self.items == other.items

    def __repr__(self) -> str:
        limit = "" if self.maxlen is None else f", maxlen={self.maxlen}"
        return f"deque({self.items}{limit})"


MutableSequence.register(Deque)
