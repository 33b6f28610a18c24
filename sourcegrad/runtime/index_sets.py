"""Index sets: on which numbers of the inputs each element of an array may depend.

The set of each element is a row of a sparse pattern, as row pointers and column indices (compressed rows). What a function does to
the sets follows from what it does to positions: elementwise functions unite, functions that move elements move rows, reductions
unite along axes. Of what is not known here each element depends on all that goes in, which is never too little.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.core import like_sequence
from sourcegrad.runtime.structure import Path, another, attributes_of, is_user_class

__all__ = ["no_indices", "sets_alike", "sets_moved", "sets_reduced", "sets_contracted", "sets_stored", "sets_everywhere",
           "sets_running", "sets_differences", "sets_sorted", "sets_convolved", "sets_paired", "sets_selected", "sets_counted",
           "sets_interpolated", "sets_crossed", "sets_of_matrices"]


class IndexSets:
    """The sets of the elements of an array of some shape."""

    __slots__ = ("shape", "starts", "columns")
    __array_ufunc__ = None

    def __init__(self, shape: tuple, starts: np.ndarray, columns: np.ndarray) -> None:
        self.shape, self.starts, self.columns = shape, starts, columns

    @classmethod
    def of(cls, shape: tuple, rows: np.ndarray, columns: np.ndarray) -> IndexSets:
        """From pairs of a row and a column, of which some may be equal."""
        size = int(np.prod(shape, dtype=int))
        width = int(columns.max()) + 1 if columns.size else 1
        pairs = np.unique(rows.astype(np.int64) * width + columns)
        counts = np.bincount(pairs // width, minlength=size)
        return cls(shape, np.concatenate([[0], np.cumsum(counts)]), pairs % width)

    @classmethod
    def unit(cls, shape: tuple, first: int) -> IndexSets:
        """Each element depends on itself, which has the position `first` and following."""
        size = int(np.prod(shape, dtype=int))
        return cls(shape, np.arange(size + 1), first + np.arange(size))

    @classmethod
    def empty(cls, shape: tuple) -> IndexSets:
        return cls(shape, np.zeros(int(np.prod(shape, dtype=int)) + 1, int), np.zeros(0, int))

    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows and columns of all pairs."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts)), self.columns

    def taken(self, source: np.ndarray) -> IndexSets:
        """The rows at some positions (-1: an empty one), in the shape of these."""
        flat = source.ravel()
        counts = np.where(flat >= 0, np.diff(self.starts)[flat] if len(self.starts) > 1 else 0, 0)
        starts = np.concatenate([[0], np.cumsum(counts)])
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], counts)
        first = self.starts[:-1][flat] if len(self.starts) > 1 else np.zeros(flat.size, int)
        return IndexSets(source.shape, starts, self.columns[np.repeat(first, counts) + within])

    def spread(self, shape: tuple) -> IndexSets:
        """Broadcast to a shape."""
        if self.shape == shape:
            return self
        return self.taken(np.broadcast_to(self.positions(), shape))

    def positions(self) -> np.ndarray:
        return np.arange(len(self.starts) - 1).reshape(self.shape)

    def gathered(self, target: np.ndarray, shape: tuple) -> IndexSets:
        """Each row goes into the one at its target: there they unite."""
        rows, columns = self.pairs()
        return IndexSets.of(shape, target.ravel()[rows], columns)

    def __getitem__(self, index: Any) -> IndexSets:
        return self.taken(np.asarray(self.positions()[index]))

    def __len__(self) -> int:
        return int(self.shape[0])

    def __iter__(self) -> Any:
        return (self[j] for j in range(len(self)))

    @property
    def T(self) -> IndexSets:
        return self.taken(self.positions().T)

    @property
    def real(self) -> IndexSets:
        return self

    imag = real

    def copy(self) -> IndexSets:
        return self


def united(shape: tuple, sets: list[IndexSets]) -> IndexSets:
    """The union of sets of one shape."""
    if len(sets) == 1:
        return sets[0]
    found = [x.pairs() for x in sets]
    return IndexSets.of(shape, np.concatenate([rows for rows, _ in found]), np.concatenate([columns for _, columns in found]))


def no_indices(x: Any) -> Any:
    """Empty sets for the numbers and arrays in a value, in its structure."""
    if isinstance(x, (np.ndarray, int, float, complex, np.number)) and not isinstance(x, bool):
        return IndexSets.empty(np.shape(x))
    if isinstance(x, (list, tuple)) and not isinstance(x, range):
        return like_sequence(x, [no_indices(item) for item in x])
    if isinstance(x, dict):
        new = another(x)
        new.update({key: no_indices(item) for key, item in x.items()})
        return new
    if is_user_class(type(x)) and not isinstance(x, BaseException):
        new = another(x)
        for name, part in attributes_of(x).items():
            object.__setattr__(new, name, no_indices(part))
        return new
    return x


def flat_sets(x: Any) -> list[IndexSets]:
    """All sets in a structure of them."""
    if isinstance(x, IndexSets):
        return [x]
    if isinstance(x, (list, tuple)):
        return [found for item in x for found in flat_sets(item)]
    if isinstance(x, dict):
        return flat_sets(list(x.values()))
    return flat_sets(list(attributes_of(x).values())) if is_user_class(type(x)) else []


def sets_alike(out: Any, *operands: Any) -> Any:
    """Of an elementwise function: each element depends on those at its place."""
    if isinstance(out, tuple):
        return like_sequence(out, [sets_alike(part, *operands) for part in out])
    shape = np.shape(out)
    sets = [joined(x) for x in operands]
    return united(shape, [x.spread(shape) for x in sets])


def joined(x: Any) -> IndexSets:
    """The sets of a list that a function takes as an array."""
    if isinstance(x, IndexSets):
        return x
    items = [joined(item) for item in x]
    return stacked(items, (len(items), *items[0].shape) if items else (0,))


def stacked(items: list[IndexSets], shape: tuple) -> IndexSets:
    """The rows of several sets, one after the other."""
    ends = np.cumsum([0, *(x.starts[-1] for x in items)])
    starts = np.concatenate([[0], *(x.starts[1:] + end for x, end in zip(items, ends))])
    return IndexSets(shape, starts, np.concatenate([x.columns for x in items] or [np.zeros(0, int)]))


def sets_moved(function: Any, out: Any, sets: tuple, moved: tuple, *args: Any, **options: Any) -> Any:
    """Of a function that moves elements, or puts zeros beside them: the function of positions tells where they go.

    moved: the positions of the arguments that have `sets` (None: an argument whose numbers depend on nothing)."""
    every = [x for item in sets for x in flat_sets(item)]
    ends = np.cumsum([0, *(len(x.starts) - 1 for x in every)])
    first = iter(ends)

    def positions(x: Any) -> Any:
        if isinstance(x, IndexSets):
            return x.positions() + int(next(first)) + 1
        return like_sequence(x, [positions(item) for item in x]) if isinstance(x, (list, tuple)) else x

    given = list(args)
    for place, item in zip(moved, sets, strict=True):
        given[place] = positions(item)
    for place in range(len(given)):
        if place not in moved:
            given[place] = without_numbers(given[place])
    if isinstance(function, str):
        found = getattr(given[0], function.removeprefix("method "))(*given[1:], **options)
    else:
        found = function(*given, **options)
    whole = stacked(every, (int(ends[-1]),))
    return taken_like(whole, found)


def without_numbers(x: Any) -> Any:
    """Zeros in the place of arrays that depend on nothing; what is no array of floats stays."""
    return np.zeros(x.shape, int) if isinstance(x, np.ndarray) and x.dtype.kind in "fc" else x


def taken_like(whole: IndexSets, found: Any) -> Any:
    """The rows at positions, which count from 1, in the structure of these."""
    if isinstance(found, (list, tuple)):
        return like_sequence(found, [taken_like(whole, item) for item in found])
    return whole.taken(np.asarray(found, int) - 1)


def sets_reduced(out: Any, sets: Any, axis: Any = None) -> IndexSets:
    """Of a reduction: each result depends on all elements along the axes; also of what goes along them and keeps the shape."""
    sets = joined(sets)
    rank = len(sets.shape)
    axes = range(rank) if axis is None else [a % rank for a in (axis if isinstance(axis, tuple) else (axis,))]
    kept = tuple(1 if j in axes else n for j, n in enumerate(sets.shape))
    size = int(np.prod(kept, dtype=int))
    target = np.broadcast_to(np.arange(size).reshape(kept), sets.shape)
    found = sets.gathered(target, kept)
    if np.size(out) == size:
        return IndexSets(np.shape(out), found.starts, found.columns)
    return found.spread(np.shape(out)) if np.ndim(out) == rank else sets_everywhere(out, sets)


def sets_contracted(out: Any, subscripts: str, *operands: Any) -> IndexSets:
    """Of a sum of products, by its subscripts. operands: the sets of each, or the numbers of one that depends on nothing.

    A zero among these numbers passes nothing on."""
    inputs, result = subscripts.split("->")
    letters = inputs.split(",")
    shape, found = np.shape(out), []
    sets = [joined(x) if flat_sets(x) else None for x in operands]
    known = [x for x in sets if x is not None]
    for own, item in zip(letters, sets, strict=True):
        if item is None:
            continue
        if len(set(own)) < len(own) or len(item.shape) != len(own):
            return sets_everywhere(out, *known)
        constant = [(own, np.asarray(x)) for own, x, other in zip(letters, operands, sets) if other is None]
        through = passed(shape, result, own, item, *constant[0]) if len(constant) == 1 and len(operands) == 2 else None
        found.append(placed(shape, result, own, item) if through is None else through)
    return united(shape, found)


def placed(shape: tuple, result: str, own: str, item: IndexSets) -> IndexSets:
    """The sets of one operand of a sum of products whose other operands have no zeros that are known."""
    summed = tuple(j for j, letter in enumerate(own) if letter not in result)
    left = [letter for letter in own if letter in result]
    kept = [n for n, letter in zip(item.shape, own) if letter in result]
    reduced = sets_reduced(np.empty(kept), item, summed) if summed else item
    order = sorted(range(len(left)), key=lambda j: result.index(left[j]))
    positions = np.transpose(reduced.positions(), order)
    wide = positions.reshape([reduced.shape[left.index(letter)] if letter in left else 1 for letter in result])
    return reduced.taken(np.broadcast_to(wide, shape))


def passed(shape: tuple, result: str, own: str, item: IndexSets, letters: str, constant: np.ndarray) -> IndexSets | None:
    """The sets of an operand behind a product with numbers of which some are zero. None: there are none, or sizes are stretched."""
    sizes = dict(zip(own, item.shape))
    fits = constant.ndim == len(letters) == len(set(letters)) and constant.dtype.kind in "fciub" and all(
        sizes.setdefault(letter, n) == n for letter, n in zip(letters, constant.shape)) and all(
            sizes[letter] == n for letter, n in zip(result, shape))
    places = np.nonzero(constant) if fits else ()
    if not fits or not places or len(places[0]) == constant.size:
        return None
    free = [letter for letter in own if letter not in letters]
    at = {letter: index.reshape(-1, *[1] * len(free)) for letter, index in zip(letters, places)}
    for axis, letter in enumerate(free):
        at[letter] = np.arange(sizes[letter]).reshape([1] * (axis + 1) + [-1] + [1] * (len(free) - axis - 1))
    whole = (len(places[0]), *(sizes[letter] for letter in free))

    def positions(named: str) -> np.ndarray:
        index = [np.broadcast_to(at[letter], whole).ravel() for letter in named]
        return np.ravel_multi_index(index, [sizes[letter] for letter in named]) if named else np.zeros(int(np.prod(whole)), int)

    return item.taken(positions(own)).gathered(positions(result), shape)


def sets_running(out: Any, sets: tuple, names: tuple, axis: Any = None, **others: Any) -> IndexSets:
    """Of sums and products with all results between: each depends on those before it along an axis, and on its own."""
    item = joined(sets[0])
    place = item.positions().ravel() if axis is None else np.moveaxis(item.positions(), axis, -1)
    into = np.arange(np.size(out)).reshape(np.shape(out))
    into = into.ravel() if axis is None else np.moveaxis(into, axis, -1)
    before, after = np.triu_indices(place.shape[-1])
    return item.taken(place[..., before].ravel()).gathered(into[..., after].ravel(), np.shape(out))


def sets_differences(out: Any, sets: tuple, names: tuple, a: Any, n: int = 1, axis: int = -1, prepend: Any = None,
                     append: Any = None) -> IndexSets:
    """Of differences of neighbours, also with what is put before and behind."""
    own = dict(zip(names, sets))
    middle = joined(own.get("a", no_indices(np.asarray(a))))
    parts = []
    for name, x in (("prepend", prepend), ("a", a), ("append", append)):
        item = middle if name == "a" else joined(own[name]) if name in own else IndexSets.empty(np.shape(x))
        if name == "a" or not isinstance(x, (type(None), type(np._NoValue))):          # type: ignore[attr-defined]
            ends = list(middle.shape)
            ends[axis] = 1
            parts.append(item if item.shape else item.spread(tuple(ends)))
    counted = np.cumsum([0, *(len(x.starts) - 1 for x in parts)])
    whole = stacked(parts, (int(counted[-1]),))
    place = np.concatenate([x.positions() + first for x, first in zip(parts, counted)], axis)
    found = whole.taken(place)
    for _ in range(n):
        place = np.moveaxis(found.positions(), axis, -1)
        behind, before = (np.moveaxis(part, -1, axis) for part in (place[..., 1:], place[..., :-1]))
        found = united(behind.shape, [found.taken(behind), found.taken(before)])
    return found


def sets_sorted(out: Any, sets: tuple, names: tuple, a: Any, axis: Any = -1, **others: Any) -> IndexSets:
    """Of what is sorted: each has the set of the element that is there."""
    item = joined(sets[0])
    order = np.argsort(np.asarray(a), axis=axis, kind="stable")
    place = item.positions().ravel()[order] if axis is None else np.take_along_axis(item.positions(), order, axis)
    return item.taken(place.reshape(np.shape(out)))


def sets_convolved(out: Any, sets: tuple, names: tuple, a: Any, v: Any, mode: str = "full") -> IndexSets:
    """Of a convolution in one dimension: a band."""
    m, n = np.size(a), np.size(v)
    first, second = np.divmod(np.arange(m * n), max(n, 1))
    short = min(m, n)
    start = {"full": 0, "same": (short - 1) // 2, "valid": short - 1}[mode]
    into = first + second - start
    inside = (into >= 0) & (into < np.size(out))
    found = [joined(item).taken((first if name == "a" else second)[inside]).gathered(into[inside], np.shape(out))
             for name, item in zip(names, sets)]
    return united(np.shape(out), found)


def sets_paired(out: Any, sets: tuple, names: tuple, a: Any, b: Any) -> IndexSets:
    """Of the products of each element with each (np.kron)."""
    found = []
    for name, item in zip(names, map(joined, sets)):
        place, other = item.positions(), np.ones(np.shape(b if name == "a" else a), int)
        found.append(item.taken(np.kron(place, other) if name == "a" else np.kron(other, place)))
    return united(np.shape(out), found)


def sets_selected(out: Any, sets: tuple, names: tuple, *args: Any, **options: Any) -> IndexSets:
    """Of a choice among several arrays: each element depends on those at its place in all of them."""
    return sets_alike(out, *(item for part in sets for item in flat_sets(part)))                          # type: ignore[no-any-return]


def sets_counted(out: Any, sets: tuple, names: tuple, x: Any, *args: Any, **options: Any) -> IndexSets:
    """Of sums of weights by the numbers of what they belong to."""
    return joined(sets[0]).gathered(np.asarray(x), np.shape(out))


def sets_interpolated(out: Any, sets: tuple, names: tuple, x: Any, xp: Any, fp: Any, *args: Any, period: Any = None,
                      **options: Any) -> IndexSets:
    """Of a piecewise linear function: each depends on its place, and on the two nodes around it."""
    if period is not None or np.size(xp) < 2:
        return sets_everywhere(out, *sets)                                                              # type: ignore[no-any-return]
    left = np.clip(np.searchsorted(np.asarray(xp), np.asarray(x), "right") - 1, 0, np.size(xp) - 2).reshape(np.shape(out))
    found = []
    for name, item in zip(names, map(joined, sets)):
        found += [item.spread(np.shape(out))] if name == "x" else [item.taken(left), item.taken(left + 1)]
    return united(np.shape(out), found)


def sets_crossed(out: Any, sets: tuple, names: tuple, a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1,
                 axis: int | None = None) -> IndexSets:
    """Of cross products: each component depends on the two others of both vectors at its place."""
    own = {"a": axisa if axis is None else axis, "b": axisb if axis is None else axis}
    last = axisc if axis is None else axis
    places = {name: np.moveaxis(item.positions(), own[name], -1) for name, item in zip(names, map(joined, sets))}
    whole = {name: joined(item) for name, item in zip(names, sets)}
    sizes = np.shape(a)[own["a"]], np.shape(b)[own["b"]]
    shape = np.shape(out) if sizes == (2, 2) else np.moveaxis(np.empty(np.shape(out)), last, -1).shape[:-1]
    found = []
    for name, place in places.items():
        components = [np.broadcast_to(place[..., j], shape) for j in range(place.shape[-1])]
        none = np.full(shape, -1)
        for others in ((1, 2), (2, 0)):
            if sizes == (2, 2):
                source = components[others[0] % 2]           # a number: of both components
            else:
                x, y, z = [*components, none][:3]
                source = np.moveaxis(np.stack([y, z, x] if others == (1, 2) else [z, x, y], axis=-1), -1, last)
            found.append(whole[name].taken(source))
    return united(np.shape(out), found)


def sets_of_matrices(out: Any, sets: tuple, names: tuple, **given: Any) -> Any:
    """Of functions of matrices, and of stacks of them: each result depends on all of the matrices at its place."""
    if isinstance(out, tuple):
        return like_sequence(out, [sets_of_matrices(part, sets, names, **given) for part in out])
    stacks = np.broadcast_shapes(*(np.shape(x)[:-2] for x in given.values() if isinstance(x, np.ndarray)))
    inner, found = (1,) * (np.ndim(out) - len(stacks)), []
    for item in map(joined, sets):
        outer = item.shape[:-2]
        counted = np.arange(int(np.prod(outer, dtype=int))).reshape(*outer, *(1,) * (len(item.shape) - len(outer)))
        whole = item.gathered(np.broadcast_to(counted, item.shape), outer)
        found.append(IndexSets((*outer, *inner), whole.starts, whole.columns).spread(np.shape(out)))
    return united(np.shape(out), found)


def sets_stored(base: Any, index: Any, value: Any, adds: bool = False) -> Any:
    """Of a store into a part of an array, or of a list."""
    if isinstance(index, Path):
        raise UnsupportedError("the sparsity of a store into a part of a part of a container",
                               remedy="Give the pattern: sparsity=...")
    if not isinstance(base, IndexSets):
        new = another(base)
        new[index] = value
        return new
    source = np.full(base.shape, -1)
    if adds:
        target = np.asarray(base.positions()[index])
        return united(base.shape, [base, value.spread(target.shape).gathered(target, base.shape)])
    source[index] = value.positions()
    whole = stacked([base, value], (len(base.starts) + len(value.starts) - 2,))
    return whole.taken(np.where(source >= 0, source + len(base.starts) - 1, base.positions()))


def sets_everywhere(out: Any, *sets: Any) -> Any:
    """Of anything else: each element depends on all that goes in."""
    if isinstance(out, (list, tuple)):
        return like_sequence(out, [sets_everywhere(item, *sets) for item in out])
    if not isinstance(out, (np.ndarray, int, float, complex, np.number)):
        raise UnsupportedError("the sparsity of a function that gives objects", remedy="Give the pattern: sparsity=...")
    columns = np.unique(np.concatenate([x.columns for item in sets for x in flat_sets(item)] or [np.zeros(0, int)]))
    one = IndexSets((), np.array([0, columns.size]), columns)
    return one.spread(np.shape(out))
