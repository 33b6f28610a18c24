"""The standard library and NumPy in plain Python, for generated code to look into: iterators give lists, deques are objects."""
from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, MutableSequence
from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.containers import heap_positions, reorder
from sourcegrad.runtime.scipy_library import require_finite

__all__ = ["groupby", "takewhile", "dropwhile", "heappush", "heappop", "heapify", "heappushpop", "heapreplace", "nsmallest",
           "nlargest", "mean", "fmean", "variance", "pvariance", "stdev", "pstdev", "corrcoef", "piece", "polyval", "norm", "Deque"]


# --- itertools

def groupby(iterable: Any, key: Any = None) -> list:
    """itertools.groupby, with the items of each group in a list"""
    items = list(iterable)
    keys = items if key is None else [key(item) for item in items]
    starts = [k for k in range(len(items)) if k == 0 or keys[k] != keys[k - 1]]
    ends = starts[1:] + [len(items)]
    return [(keys[start], items[start:end]) for start, end in zip(starts, ends)]


def takewhile(predicate: Callable, iterable: Any) -> list:
    """itertools.takewhile"""
    taken = []
    for item in iterable:
        if not predicate(item):
            break
        taken.append(item)
    return taken


def dropwhile(predicate: Callable, iterable: Any) -> list:
    """itertools.dropwhile"""
    items = list(iterable)
    start = 0
    while start < len(items) and predicate(items[start]):
        start += 1
    return items[start:]


# --- heapq: the heap changes in place

def heappush(heap: list, item: Any) -> None:
    """heapq.heappush"""
    heap.append(item)
    heap[:] = reorder(heap, heap_positions(heap, "push"))


def heappop(heap: list) -> Any:
    """heapq.heappop"""
    first = heap[0]
    heap[:] = reorder(heap, heap_positions(heap, "pop"))
    return first


def heapreplace(heap: list, item: Any) -> Any:
    """heapq.heapreplace"""
    first = heap[0]
    heap.append(item)
    heap[:] = reorder(heap, heap_positions(heap, "replace"))
    return first


def heappushpop(heap: list, item: Any) -> Any:
    """heapq.heappushpop"""
    if len(heap) > 0 and heap[0] < item:
        return heapreplace(heap, item)
    return item


def heapify(x: list) -> None:
    """heapq.heapify"""
    x[:] = reorder(x, heap_positions(x, "ify"))


def nsmallest(n: int, iterable: Any, key: Any = None) -> list:
    """heapq.nsmallest"""
    items = list(iterable)
    keys = items if key is None else [key(item) for item in items]
    return [items[k] for k in extreme_positions(heapq.nsmallest, n, keys)]


def nlargest(n: int, iterable: Any, key: Any = None) -> list:
    """heapq.nlargest"""
    items = list(iterable)
    keys = items if key is None else [key(item) for item in items]
    return [items[k] for k in extreme_positions(heapq.nlargest, n, keys)]


def extreme_positions(function: Callable, n: int, keys: list) -> list:
    """Where the n least or greatest items stand."""
    return function(n, range(len(keys)), key=keys.__getitem__)


# --- statistics

def data_count(items: list, least: int, weights: Any = None) -> int:
    """How many items there are; raises what the functions of `statistics` raise where they are too few, or no real numbers."""
    from statistics import StatisticsError
    if any(isinstance(x, complex) for x in items):
        raise TypeError("can't convert type 'complex' to numerator/denominator")
    if weights is not None and len(weights) != len(items):
        raise StatisticsError("data and weights must be the same length")
    if len(items) < least:
        raise StatisticsError(f"at least {'one data point is' if least == 1 else 'two data points are'} required")
    if weights is not None and sum(weights) == 0:
        raise StatisticsError("sum of weights must be non-zero")
    return len(items)


def mean(data: Any) -> Any:
    """statistics.mean"""
    items = list(data)
    return sum(items) / data_count(items, 1)


def fmean(data: Any, weights: Any = None) -> Any:
    """statistics.fmean"""
    items = list(data)
    if weights is None:
        return sum(items) / float(data_count(items, 1))
    shares = list(weights)
    data_count(items, 1, shares)
    return sum([x * w for x, w in zip(items, shares)]) / float(sum(shares))


def variance(data: Any, xbar: Any = None) -> Any:
    """statistics.variance"""
    items = list(data)
    freedom = data_count(items, 2) - 1
    center = mean(items) if xbar is None else xbar
    return sum([(x - center) ** 2 for x in items]) / freedom


def pvariance(data: Any, mu: Any = None) -> Any:
    """statistics.pvariance"""
    items = list(data)
    count = data_count(items, 1)
    center = mean(items) if mu is None else mu
    return sum([(x - center) ** 2 for x in items]) / count


def stdev(data: Any, xbar: Any = None) -> Any:
    """statistics.stdev"""
    return math.sqrt(variance(data, xbar))


def pstdev(data: Any, mu: Any = None) -> Any:
    """statistics.pstdev"""
    return math.sqrt(pvariance(data, mu))


# --- numpy

def piece(y: Any, x: Any, condition: Any, function: Any) -> Any:
    """One step of np.piecewise: y with other values where the condition holds."""
    result = np.copy(y)
    result[condition] = function(x[condition]) if callable(function) else function
    return result


def norm(a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, check_finite: bool = True) -> Any:
    """scipy.linalg.norm"""
    require_finite(check_finite, a)
    return np.linalg.norm(a, ord=ord, axis=axis, keepdims=keepdims)


def polyval(p: Any, x: Any) -> Any:
    """np.polyval"""
    p, x = np.asarray(p), np.asarray(x)
    y = np.zeros_like(x)
    for k in range(len(p)):
        y = y * x + p[k]
    return y


def as_variables(x: Any, rowvar: bool) -> Any:
    """One variable in every row."""
    x = np.atleast_2d(x)
    return x if rowvar or x.shape[0] == 1 else x.T


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """np.corrcoef"""
    if dtype is not None:
        raise UnsupportedError("np.corrcoef with dtype", remedy="Leave it out, and use x.astype(dtype).")
    if y is not None:
        x = np.concatenate([as_variables(x, rowvar), as_variables(y, rowvar)])
        rowvar = True
    c = np.cov(x, rowvar=rowvar)
    if np.ndim(c) == 0:
        return c / c
    d = np.sqrt(np.real(np.diag(c)))
    scaled = c / d[:, None] / d
    return scaled if np.iscomplexobj(scaled) else np.clip(scaled, -1.0, 1.0)


# --- collections.deque (one that stays in a function, where nobody asks what it is, is a list in generated code)

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
