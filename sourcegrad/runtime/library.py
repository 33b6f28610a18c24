"""Python, NumPy and SciPy in plain Python, for generated code to look into: iterators are generators, deques objects."""
from __future__ import annotations

import bisect
import heapq
import itertools
import math
import sys
from collections.abc import Callable, Iterable, Iterator, MutableMapping, MutableSequence
from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.containers import end_of, heap_positions, leaving, reorder, rising

__all__ = ["groupby", "takewhile", "dropwhile", "heappush", "heappop", "heapify", "heappushpop", "heapreplace", "move_items",
           "nsmallest",
           "nlargest", "mean", "fmean", "variance", "pvariance", "stdev", "pstdev", "corrcoef", "piece", "polyval", "norm",
           "ChainMap", "Deque", "LINALG", "clears_triangle", "require_finite"]

# --- itertools

def groupby(iterable: Any, key: Any = None) -> list:
    """itertools.groupby, with the items of each group in a list"""
    items = list(iterable)
    keys = items if key is None else [key(item) for item in items]
    starts = [k for k in range(len(items)) if k == 0 or keys[k] != keys[k - 1]]
    ends = starts[1:] + [len(items)]
    return [(keys[start], items[start:end]) for start, end in zip(starts, ends)]


def takewhile(predicate: Callable, iterable: Any) -> Iterator:
    """itertools.takewhile"""
    for item in iterable:
        if not predicate(item):
            break
        yield item


def dropwhile(predicate: Callable, iterable: Any) -> Iterator:
    """itertools.dropwhile"""
    dropping = True
    for item in iterable:
        dropping = dropping and predicate(item)
        if not dropping:
            yield item


def filtered(function: Callable, iterable: Any) -> Iterator:
    """filter"""
    for item in iterable:
        if function(item):
            yield item


def filterfalse(predicate: Callable, iterable: Any) -> Iterator:
    """itertools.filterfalse"""
    for item in iterable:
        if not predicate(item):
            yield item


def compress(data: Any, selectors: Any) -> Iterator:
    """itertools.compress"""
    for item, wanted in zip(data, selectors):
        if wanted:
            yield item


def starmap(function: Callable, iterable: Any) -> Iterator:
    """itertools.starmap"""
    for arguments in iterable:
        yield function(*arguments)


def pairwise(iterable: Any) -> Iterator:
    """itertools.pairwise"""
    for position, item in enumerate(iterable):
        if position == 0:
            previous = item
        else:
            yield previous, item
            previous = item


ITERATORS: dict[Any, Callable] = {getattr(itertools, function.__name__): function for function in (
    takewhile, dropwhile, filterfalse, compress, starmap, pairwise)}


# --- heapq: the heap changes in place

def heappush(heap: list, item: Any) -> None:
    """heapq.heappush"""
    heap.append(item)
    move_items(heap, rising(heap))


def heappop(heap: list) -> Any:
    """heapq.heappop"""
    move_items(heap, leaving(heap))
    return heap.pop()


def heapreplace(heap: list, item: Any) -> Any:
    """heapq.heapreplace"""
    if len(heap) == 0:
        raise IndexError("index out of range")
    heap.append(item)
    move_items(heap, leaving(heap))
    return heap.pop()


def move_items(xs: list, path: list) -> None:
    """Move items along a path of positions: each to the one before it, the first to the last."""
    for k, following in zip(path, path[1:]):
        xs[k], xs[following] = xs[following], xs[k]


def heappushpop(heap: list, item: Any) -> Any:
    """heapq.heappushpop"""
    if len(heap) > 0 and heap[0] < item:
        return heapreplace(heap, item)
    return item


def heapify(x: list) -> None:
    """heapq.heapify"""
    x[:] = reorder(x, heap_positions(x))


def insort_left(a: list, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None) -> None:
    """bisect.insort_left"""
    if key is None:
        a.insert(bisect.bisect_left(a, x, lo, len(a) if hi is None else hi), x)
    else:
        a.insert(bisect.bisect_left(a, key(x), lo, len(a) if hi is None else hi, key=key), x)


def insort_right(a: list, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None) -> None:
    """bisect.insort_right"""
    if key is None:
        a.insert(bisect.bisect_right(a, x, lo, len(a) if hi is None else hi), x)
    else:
        a.insert(bisect.bisect_right(a, key(x), lo, len(a) if hi is None else hi, key=key), x)


# --- dicts that keep an order

def move_to_end(d: dict, key: Any, last: bool = True) -> None:
    """OrderedDict.move_to_end"""
    item = d.pop(key)
    before = {} if last else d.copy()
    if not last:
        d.clear()
    d[key] = item
    d.update(before)


def popitem(d: dict, last: bool = True) -> tuple:
    """OrderedDict.popitem"""
    key = end_of(list(d), last)
    return key, d.pop(key)


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

def data_count(name: str, items: list, least: int, *weights: list) -> int:
    """How many items there are; where a function of `statistics` takes them for too few, or no real numbers, what it raises."""
    unfit = any(isinstance(x, complex) for x in items) or any(len(w) != len(items) or sum(w) == 0 for w in weights)
    if unfit or len(items) < least:
        import statistics
        getattr(statistics, name)(items, *weights)
    return len(items)


def mean(data: Any) -> Any:
    """statistics.mean"""
    items = list(data)
    return sum(items) / data_count("mean", items, 1)


def fmean(data: Any, weights: Any = None) -> Any:
    """statistics.fmean"""
    items = list(data)
    if weights is None:
        return sum(items) / float(data_count("fmean", items, 1))
    shares = list(weights)
    data_count("fmean", items, 1, shares)
    return sum([x * w for x, w in zip(items, shares)]) / float(sum(shares))


def spread(name: str, data: Any, least: int, center: Any) -> Any:
    """The sum of squares of deviations, of as many numbers as leave one free (variance) or none (pvariance)."""
    items = list(data)
    freedom = data_count(name, items, least) + 1 - least
    middle = sum(items) / len(items) if center is None else center
    return sum([(x - middle) ** 2 for x in items]) / freedom


def variance(data: Any, xbar: Any = None) -> Any:
    """statistics.variance"""
    return spread("variance", data, 2, xbar)


def pvariance(data: Any, mu: Any = None) -> Any:
    """statistics.pvariance"""
    return spread("pvariance", data, 1, mu)


def stdev(data: Any, xbar: Any = None) -> Any:
    """statistics.stdev"""
    return math.sqrt(spread("stdev", data, 2, xbar))


def pstdev(data: Any, mu: Any = None) -> Any:
    """statistics.pstdev"""
    return math.sqrt(spread("pstdev", data, 1, mu))


# --- numpy

def piece(y: Any, x: Any, condition: Any, function: Any, *args: Any, **options: Any) -> Any:
    """One step of np.piecewise: y with other values where the condition holds."""
    result = np.copy(y)
    result[condition] = function(x[condition], *args, **options) if callable(function) else function
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


class ChainMap:
    """Several dicts as one: the first that has a key gives its item, and new items go into the first of all.

    >>> both = ChainMap({"a": 1}, {"a": 2, "b": 3})
    >>> both["c"] = 4
    >>> both["a"], list(both), both.maps[0]
    (1, ['a', 'b', 'c'], {'a': 1, 'c': 4})
    """

    __sourcegrad_object__ = True

    def __init__(self, *maps: dict) -> None:
        self.maps = list(maps) if maps else [{}]

    def new_child(self, m: dict | None = None) -> ChainMap:
        return ChainMap({} if m is None else m, *self.maps)

    @property
    def parents(self) -> ChainMap:
        return ChainMap(*self.maps[1:])

    def __getitem__(self, key: Any) -> Any:
        found = [d for d in self.maps if key in d]
        if not found:
            raise KeyError(key)
        return found[0][key]

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key] if key in self else default

    def __setitem__(self, key: Any, value: Any) -> None:
        self.maps[0][key] = value

    def __delitem__(self, key: Any) -> None:
        del self.maps[0][key]

    def __contains__(self, key: Any) -> bool:
        return any([key in d for d in self.maps])

    def __len__(self) -> int:
        return len(self.keys())

    def __iter__(self) -> Iterator:
        return iter(self.keys())

    def keys(self) -> list:
        found: dict = {}
        for d in self.maps[::-1]:
            for key in d:
                found[key] = None
        return list(found)

    def values(self) -> list:
        return [self[key] for key in self.keys()]

    def items(self) -> list:
        return [(key, self[key]) for key in self.keys()]

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self.maps[0][key] = default
        return self[key]

    def pop(self, key: Any, *default: Any) -> Any:
        return self.maps[0].pop(key, default[0]) if default else self.maps[0].pop(key)

    def clear(self) -> None:
        self.maps[0].clear()

    def copy(self) -> ChainMap:
        return ChainMap(self.maps[0].copy(), *self.maps[1:])

    def __eq__(self, other: Any) -> bool:
        return dict(self.items()) == dict(other.items())


MutableMapping.register(ChainMap)


def mapping_items(mapping: Any) -> list:
    """What `dict(mapping)` holds, of an object with keys"""
    return [(key, mapping[key]) for key in mapping.keys()]


# --- SciPy: it calls LAPACK

def require_finite(asked: bool, *arrays: Any) -> None:
    """check_finite=True of scipy.linalg"""
    if asked and not all(np.all(np.isfinite(a)) for a in arrays):
        raise ValueError("array must not contain infs or NaNs")


# --- scipy.linalg

def inv(a: Any, overwrite_a: bool = False, check_finite: bool = True, *, assume_a: Any = None, lower: bool = False) -> Any:
    """scipy.linalg.inv"""
    require_finite(check_finite, a)
    return np.linalg.inv(_assumed(np.asarray(a), assume_a, lower))


def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """scipy.linalg.det"""
    require_finite(check_finite, a)
    return np.linalg.det(np.asarray(a))


def solve(a: Any, b: Any, lower: bool = False, overwrite_a: bool = False, overwrite_b: bool = False, check_finite: bool = True,
          assume_a: Any = None, transposed: bool = False) -> Any:
    """scipy.linalg.solve"""
    require_finite(check_finite, a, b)
    full = _assumed(np.asarray(a), assume_a, lower)
    return np.linalg.solve(np.swapaxes(full, -1, -2) if transposed else full, np.asarray(b))


def _assumed(a: Any, structure: Any, lower: bool) -> Any:
    """The matrix of which only a triangle is read, where that is asked for."""
    if structure is None or structure in ("gen", "general"):
        return a
    if structure in ("sym", "symmetric", "her", "hermitian", "pos", "positive definite"):
        part = np.tril(a, -1) if lower else np.triu(a, 1)
        other = np.conj(np.swapaxes(part, -1, -2)) if structure not in ("sym", "symmetric") else np.swapaxes(part, -1, -2)
        return part + other + a * np.eye(a.shape[-1])
    if structure in ("lower triangular", "upper triangular"):
        return np.tril(a) if structure == "lower triangular" else np.triu(a)
    if structure in ("diagonal", "tridiagonal"):
        places = np.arange(a.shape[-1])
        return a * (np.abs(places[:, np.newaxis] - places) <= (structure == "tridiagonal"))
    if structure == "banded":
        return a
    raise UnsupportedError(f"scipy.linalg with assume_a={structure!r}", remedy="Leave assume_a out.")


def cholesky(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """scipy.linalg.cholesky"""
    require_finite(check_finite, a)
    if lower:
        return np.linalg.cholesky(np.asarray(a))
    return _hermitian(np.linalg.cholesky(_hermitian(np.asarray(a))))


def _hermitian(a: Any) -> Any:
    return np.conj(np.swapaxes(a, -1, -2))


def clears_triangle() -> bool:
    """Whether SciPy writes zeros into the triangle of `cho_factor` that means nothing: since 1.18."""
    found = sys.modules["scipy.linalg"].cho_factor(np.array([[2.0, 1.0], [1.0, 2.0]]))[0]
    return bool(found[1, 0] == 0.0)


def cho_factor(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """scipy.linalg.cho_factor: the triangle that means nothing is that of the matrix, or zero"""
    factor = cholesky(a, lower, check_finite=check_finite)
    if not overwrite_a and clears_triangle():
        return factor, lower
    return factor + (np.triu(np.asarray(a), 1) if lower else np.tril(np.asarray(a), -1)), lower


def cho_solve(c_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """scipy.linalg.cho_solve"""
    c, lower = c_and_lower
    require_finite(check_finite, c, b)
    factor = np.tril(c) if lower else _hermitian(np.triu(c))
    return np.linalg.solve(_hermitian(factor), np.linalg.solve(factor, np.asarray(b)))


def solve_triangular(a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False, overwrite_b: bool = False,
                     check_finite: bool = True) -> Any:
    """scipy.linalg.solve_triangular"""
    require_finite(check_finite, a, b)
    if np.ndim(a) < 2:
        raise ValueError("expected square matrix")
    matrix = np.tril(np.asarray(a), -1) if lower else np.triu(np.asarray(a), 1)
    identity = np.eye(matrix.shape[-1])
    matrix = matrix + (identity if unit_diagonal else a * identity)
    if trans in (1, "T"):
        matrix = np.swapaxes(matrix, -1, -2)
    elif trans in (2, "C"):
        matrix = _hermitian(matrix)
    return np.linalg.solve(matrix, np.asarray(b))


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, overwrite_a: bool = False, check_finite: bool = True,
        lapack_driver: str = "gesdd") -> Any:
    """scipy.linalg.svd"""
    require_finite(check_finite, a)
    if not compute_uv:
        return np.linalg.svd(np.asarray(a), compute_uv=False)
    u, s, vh = np.linalg.svd(np.asarray(a), full_matrices=full_matrices)
    return u, s, vh


def svdvals(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """scipy.linalg.svdvals"""
    require_finite(check_finite, a)
    return np.linalg.svd(np.asarray(a), compute_uv=False)


PADE = (64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0, 10559470521600.0,
        670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0)


def expm_squarings(a: Any) -> int:
    """How often a matrix is halved before the approximation."""
    size = float(np.max(np.sum(np.abs(a), axis=-2), initial=0.0))
    return max(0, int(np.ceil(np.log2(max(size, 1e-300) / 5.371920351148152)))) if np.isfinite(size) else 0


def expm(A: Any) -> Any:
    """scipy.linalg.expm: scaling and squaring with the Pade approximation of degree 13 (N. J. Higham 2005)"""
    a = np.atleast_2d(A) if np.ndim(A) == 0 else np.asarray(A)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    squarings = expm_squarings(a)
    a = a / 2.0 ** squarings
    one = np.eye(a.shape[-1], dtype=a.dtype)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    high = a6 @ (PADE[13] * a6 + PADE[11] * a4 + PADE[9] * a2)
    odd = a @ (high + PADE[7] * a6 + PADE[5] * a4 + PADE[3] * a2 + PADE[1] * one)
    even = a6 @ (PADE[12] * a6 + PADE[10] * a4 + PADE[8] * a2) + PADE[6] * a6 + PADE[4] * a4 + PADE[2] * a2 + PADE[0] * one
    result = np.linalg.solve(even - odd, even + odd)
    for _ in range(squarings):
        result = result @ result
    return result


def block_diag(*arrs: Any) -> Any:
    """scipy.linalg.block_diag"""
    if not arrs:
        return np.zeros((1, 0))
    blocks = [np.atleast_2d(block) for block in arrs]
    if any([block.ndim > 2 for block in blocks]):
        raise UnsupportedError("scipy.linalg.block_diag of stacks of matrices", remedy="Join the matrices one by one.")
    columns = sum([block.shape[1] for block in blocks])
    rows, left = [], 0
    for block in blocks:
        height, width = block.shape
        sides = np.zeros((height, left), block.dtype), np.zeros((height, columns - left - width), block.dtype)
        rows.append(np.concatenate((sides[0], block, sides[1]), axis=1))
        left = left + width
    return np.concatenate(rows, axis=0)


def toeplitz(c: Any, r: Any = None) -> Any:
    """scipy.linalg.toeplitz"""
    if np.ndim(c) > 1 or np.ndim(r) > 1:
        raise UnsupportedError("scipy.linalg.toeplitz of arrays of rank 2", remedy="Give vectors.")
    column = np.ravel(c)
    row = np.conj(column) if r is None else np.ravel(r)
    values = np.concatenate((column[::-1], row[1:]))
    return values[np.arange(len(row)) - np.arange(len(column))[:, None] + len(column) - 1]


LINALG = {function.__name__: function for function in (inv, det, solve, cholesky, cho_factor, cho_solve, solve_triangular, svd,
                                                       svdvals, expm, block_diag, toeplitz)}
