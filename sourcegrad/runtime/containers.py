"""Containers: what changes of lists and tuples are as new values, or in place; iterators that are kept."""
from __future__ import annotations

import functools
import heapq
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime import containers, core, objects
from sourcegrad.runtime.core import Bars, add, in_order, like_sequence, zeros_like
from sourcegrad.runtime.shapes import restack
from sourcegrad.runtime.structure import Path, get_at, put_at, steps_of

__all__ = ["regroup", "sorted_positions", "pick_items", "place_items", "real_parts", "count_of", "extreme_position",
           "check_items", "end_of", "fold_items", "heap_positions", "insertion_point", "item_columns", "join_lists", "list_append",
           "list_delete", "list_extend", "list_insert", "list_put_back", "islice_bound", "list_repeat", "list_restore",
           "list_splice", "repeat_count", "position_of", "positions_of_tuples", "list_move", "leaving", "move_along", "reorder",
           "rising", "rotated_positions", "rows_back", "same_item", "same_lengths", "scatter_items", "set_add", "set_discard",
           "set_update",
           "tail_start", "splice_back", "spliced_part", "split_list", "text_of", "Counting", "Cycling", "Kept",
           "add_entry", "add_entry_at", "add_to", "append_to", "delete_from", "drop_entry", "drop_path", "put_back_into",
           "store_at", "sum_into"]


def regroup(parts: Any, like: Any) -> Any:
    """The parts as a sequence of the type of `like`: stacked for an array, else in a list or tuple."""
    if isinstance(like, np.ndarray):
        return restack(list(parts), like)
    if isinstance(like, (list, tuple)):
        return like_sequence(like, list(parts))
    raise UnsupportedError(f"list() and tuple() of a {type(like).__name__} have no derivative rule",
                           remedy="Use a list or an array.")


def sorted_positions(items: Any, reverse: bool = False) -> list:
    """Where each item of `sorted(items)` stood; equal items keep their order."""
    items = items if isinstance(items, (list, tuple, np.ndarray)) else list(items)
    return sorted(range(len(items)), key=items.__getitem__, reverse=reverse)


def pick_items(items: Any, positions: list, like: Any) -> Any:
    """The items at the positions, in the type of `like`."""
    return regroup([items[position] for position in positions], like)


def place_items(items: Any, positions: list, like: Any) -> Any:
    """The items put at the positions, in the type of `like`: the inverse of `pick_items`. The keys of a dict have no adjoint."""
    if isinstance(like, (dict, set, frozenset, str)):
        return zeros_like(like)
    result = list(items)
    for item, position in zip(items, positions):
        result[position] = item
    return regroup(result, like)


def real_parts(bar: Any, keys: tuple = ()) -> Any:
    """The adjoint of a container or object with real numbers, of which a name has held one with complex ones, too.

    keys: of what is real (none: all of it)."""
    if isinstance(bar, Bars):
        return bar                                           # each attribute is told by itself
    if isinstance(bar, dict):
        return {key: real_parts(part) if not keys or key in keys else part for key, part in bar.items()}
    if isinstance(bar, (list, tuple)):
        return like_sequence(bar, [real_parts(part) if not keys or j in keys else part for j, part in enumerate(bar)])
    return np.real(bar)


def list_append(xs: list, value: Any) -> list:
    """`xs.append(value)`"""
    if not isinstance(xs, list):
        raise _unknown(xs, "append")
    return [*xs, value]


def _unknown(xs: Any, method: str) -> UnsupportedError:
    return UnsupportedError(f"the method '.{method}' of a {type(xs).__name__}, whose class is not known beforehand",
                            remedy="Collect the items in a list.")


def list_insert(xs: list, position: int, value: Any) -> list:
    """`xs.insert(position, value)`"""
    result = list(xs)
    result.insert(position, value)
    return result


def list_extend(xs: list, values: Any) -> list:
    """`xs.extend(values)`"""
    return [*xs, *values]


def tail_start(xs: Any, values: Any) -> int:
    """Where `values` begin that a list was extended by."""
    return len(xs) - len(in_order(values)) if isinstance(xs, list) else 0


def list_delete(xs: Any, index: Any) -> Any:
    """`del xs[index]`"""
    if not isinstance(xs, (list, tuple)):
        if hasattr(xs, "pop"):
            raise _unknown(xs, "pop")
        return xs                                       # one zero that stands for all parts of an adjoint
    result = list(xs)
    del result[index]
    return result


def list_splice(xs: list, index: slice, values: Any) -> list:
    """`xs[index] = values` for a slice"""
    result = list(xs)
    result[index] = values
    return result


def list_restore(part: Any, like: list, index: Any) -> list:
    """The adjoint of `like` where `part` is that of `list_delete(like, index)`."""
    kept = list(range(len(like)))
    del kept[index]
    result = [zeros_like(item) for item in like]
    for position, item in zip(kept, _parts(part, len(kept))):
        result[position] = item
    return result


def list_put_back(part: list, index: int, value: Any) -> list:
    """The list in which `value` stands at the index, and which is `part` without it."""
    return list_insert(part, index if index >= 0 else len(part) + 1 + index, value)


def _parts(adjoint: Any, count: int) -> Any:
    return adjoint if isinstance(adjoint, (list, tuple)) else [adjoint] * count


def _written(xs: list, index: slice, values: Any) -> slice:
    """Where the values are after `xs[index] = values`."""
    start, stop, step = index.indices(len(xs))
    return slice(start, start + len(in_order(values)), 1) if step == 1 else index


def splice_back(ct: Any, xs: list, index: slice, values: Any) -> list:
    """The adjoint of `xs` where `ct` is that of `list_splice(xs, index, values)`."""
    result = list(_parts(ct, len(list_splice(xs, index, values))))
    result[_written(xs, index, values)] = [zeros_like(item) for item in xs[index]]
    return result


def spliced_part(ct: Any, xs: list, index: slice, values: Any) -> Any:
    """The adjoint of `values` where `ct` is that of `list_splice(xs, index, values)`."""
    return regroup(_parts(ct, len(list_splice(xs, index, values)))[_written(xs, index, values)], values)


def insertion_point(xs: list, position: int) -> int:
    """Where `xs.insert(position, ...)` puts its value."""
    return min(position, len(xs)) if position >= 0 else max(len(xs) + position, 0)


def position_of(xs: Any, value: Any) -> int:
    """`xs.index(value)`"""
    return xs.index(value)


def same_item(xs: Any, i: Any, j: Any) -> bool:
    """Whether xs[i] and xs[j] are one item of a list, tuple, array or dict."""
    return bool(i == j) or not isinstance(xs, dict) and (i - j) % len(xs) == 0


def count_of(xs: Any, value: Any) -> int:
    """`xs.count(value)`"""
    return xs.count(value)


def rotated_positions(xs: list, steps: int) -> list:
    """Where the items of `xs` stood before `xs.rotate(steps)` of a deque."""
    return [(position - steps) % len(xs) for position in range(len(xs))]


def reorder(items: Any, positions: list) -> list:
    """The items at the positions."""
    return [items[position] for position in positions]


def scatter_items(ct: Any, positions: list, like: Any) -> Any:
    """The adjoint of `like` where `ct` is that of `reorder(like, positions)`."""
    parts = [zeros_like(item) for item in like]
    for part, position in zip(_parts(ct, len(positions)), positions):
        parts[position] = add(parts[position], part)
    return regroup(parts, like)


def extreme_position(keys: list, largest: bool) -> int:
    """The position of the first largest or smallest key."""
    choose: Callable = max if largest else min
    return choose(range(len(keys)), key=keys.__getitem__)


def positions_of_tuples(function: Callable, *arguments: Any, **options: Any) -> list:
    """What an iterator of `itertools` gives for positions, as a list."""
    return list(function(*arguments, **options))


def item_columns(rows: Any) -> list:
    """`list(zip(*rows))`, the columns as lists."""
    return [list(column) for column in zip(*rows)]


def rows_back(ct: Any, rows: Any) -> Any:
    """The adjoint of `rows` where `ct` is that of `item_columns(rows)`."""
    parts = [[column[k] if isinstance(column, (list, tuple)) else column for column in ct]
             + [zeros_like(item) for item in row[len(ct):]] for k, row in enumerate(rows)]
    return regroup([regroup(part, row) for part, row in zip(parts, rows)], rows)


def join_lists(lists: Any) -> list:
    """`sum(lists, [])`"""
    return [item for part in lists for item in part]


def split_list(ct: Any, lists: Any) -> Any:
    """The adjoint of `lists` where `ct` is that of `join_lists(lists)`."""
    rest = iter(_parts(ct, sum(map(len, lists))))
    return regroup([regroup([next(rest) for _ in part], part) for part in lists], lists)


def islice_bound(bound: Any) -> Any:
    """A bound of itertools.islice, which counts from no end."""
    if bound is not None and bound < 0:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    return bound


def list_repeat(xs: Any, count: int) -> Any:
    """`xs * count`"""
    return xs * count


def repeat_count(count: Any) -> int:
    """How often a list is repeated by `xs * count`; with an array or a NumPy float that would be a product of arrays."""
    if isinstance(count, (np.ndarray, np.floating)):
        raise UnsupportedError("arithmetic of a list or tuple with an array of unknown kind",
                               remedy="Make the list an array first: np.array([...]).")
    return count


def check_items(ct: Any) -> Any:
    """`ct`, the adjoint of a list, or an error if the list turned out to be a term or factor of an array."""
    if isinstance(ct, np.ndarray):
        raise UnsupportedError("arithmetic of a list or tuple with an array of unknown kind",
                               remedy="Make the list an array first: np.array([...]).")
    return ct


def fold_items(ct: Any, xs: Any) -> Any:
    """The adjoint of `xs` where `ct` is that of `xs * count`."""
    check_items(ct)
    parts = [zeros_like(item) for item in xs]
    for position, part in enumerate(ct if isinstance(ct, (list, tuple)) else ()):
        parts[position % len(parts)] = add(parts[position % len(parts)], part)
    return regroup(parts, xs)


def same_lengths(*sequences: Any) -> int:
    """The length of sequences that `zip(strict=True)` takes."""
    sizes = {len(items) for items in sequences}
    if len(sizes) > 1:
        raise ValueError("zip() arguments have different lengths")
    return sizes.pop() if sizes else 0


def text_of(text: str, method: str, *args: Any, **options: Any) -> Any:
    """`text.format(...)` and the like"""
    return getattr(text, method)(*args, **options)


def set_add(s: Any, value: Any) -> set:
    """`s.add(value)`"""
    return {*s, value}


def set_discard(s: Any, value: Any) -> set:
    """`s.discard(value)`"""
    return set(s) - {value}


def set_update(s: Any, values: Any) -> set:
    """`s.update(values)`"""
    return {*s, *values}


def end_of(keys: list, last: bool) -> Any:
    """The last (or first) key of a dict, which `popitem` takes."""
    if not keys:
        raise KeyError("dictionary is empty")
    return keys[-1 if last else 0]


def heap_positions(heap: list) -> list:
    """Where the items of a heap come from when a list has become one (heapq.heapify)."""
    key: Callable[[Any], Any] = functools.cmp_to_key(lambda one, other: -1 if one[0] < other[0] else 0)    # only items count
    items = [key((item, position)) for position, item in enumerate(heap)]
    heapq.heapify(items)
    return [item.obj[1] for item in items]


def rising(heap: list) -> list[int]:
    """The positions along which the last item of a heap moves to its place, as heapq does it."""
    path = [len(heap) - 1]
    while path[-1] > 0 and heap[-1] < heap[(path[-1] - 1) // 2]:
        path.append((path[-1] - 1) // 2)
    return path


def leaving(heap: list) -> list[int]:
    """The positions along which items move so that the first is the last, and the others are a heap, as heapq does it: the last
    goes down to a leaf, behind the smaller children, and up again as far as it must."""
    path, last = [0], len(heap) - 1
    while (child := 2 * path[-1] + 1) < last:
        path.append(child + (child + 1 < last and not heap[child] < heap[child + 1]))
    while len(path) > 1 and heap[last] < heap[path[-1]]:
        path.pop()
    return [*path, last] if last > 0 else []


def list_move(xs: Any, path: list) -> Any:
    """The items of a list, moved along a path of positions: each to the one before it, the first to the last."""
    if isinstance(xs, (list, tuple)) or isinstance(xs, np.ndarray) and xs.ndim:
        return move_along(list(xs), path)
    core.check_nothing(xs)                              # one zero that stands for all parts of an adjoint
    return xs


PAIRS = "Loop over slices, such as zip(x[0::2], x[1::2]), or read it with next()."


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


# --- Destructive updates: what index_set, index_add, entry_add ... give, in the memory of the value that they take

def destructive(function: Callable) -> Callable:
    """Mark what changes its argument: no pass moves it."""
    function.__sourcegrad_pure__ = False         # type: ignore[attr-defined]
    return function


@destructive
def store_at(base: Any, index: Any, value: Any) -> Any:
    """`index_set` in place."""
    return put_at(base, steps_of(index), value, owned=True)


@destructive
def add_to(base: Any, index: Any, value: Any) -> Any:
    """`index_add` in place."""
    if type(index) is Path:
        *steps, (sort, last, *_) = steps_of(index)
        part = get_at(base, Path(tuple(steps)))
        if sort == "index" and isinstance(part, np.ndarray) and part.base is None and fits(part, value):
            core.add_at(part, last, value)
            return base
        return put_at(base, steps_of(index), core.add(get_at(base, index), value), owned=True)
    if isinstance(base, np.ndarray) and fits(base, value):
        core.add_at(base, index, value)
        return base
    if type(base) is list:
        base[index] = core.add(base[index], value)
        return base
    if type(base) is dict:
        core.check_entry(base, index)
        return add_entry(base, index, value)
    return core.index_add(base, index, value)


def fits(base: np.ndarray, value: Any) -> bool:
    """Whether an array can hold what is added to it."""
    return base.dtype.kind == "c" or not np.iscomplexobj(value)


@destructive
def add_entry(bar: Any, key: Any, value: Any) -> Any:
    """`entry_add` in place."""
    if type(bar) is not dict:
        return objects.entry_add(bar, key, value)
    bar[key] = core.add(bar[key], value) if key in bar else value
    return bar


@destructive
def add_entry_at(bar: Any, key: Any, index: Any, value: Any, like: Any) -> Any:
    """`entry_add_at` in place."""
    part: Any = bar.get(key) if type(bar) is dict else None
    if objects.same_structure(part, like):
        bar[key] = add_to(part, index, value)
        return bar
    return add_entry(bar, key, core.index_add(core.zeros_like(like), index, value))


@destructive
def drop_entry(bar: Any, key: Any) -> Any:
    """`entry_drop` in place."""
    if isinstance(bar, dict):
        bar.pop(key, None)
    return bar


@destructive
def drop_path(bar: Any, path: Any, base: Any) -> Any:
    """`path_drop` in place."""
    return objects.dropped_at(bar, steps_of(path), base, owned=True)


@destructive
def append_to(xs: Any, value: Any) -> Any:
    """`list_append` in place."""
    if type(xs) is not list:
        return containers.list_append(xs, value)
    xs.append(value)
    return xs


@destructive
def delete_from(xs: Any, index: Any) -> Any:
    """`list_delete` in place."""
    if type(xs) is not list:
        return containers.list_delete(xs, index)
    del xs[index]
    return xs


@destructive
def put_back_into(part: list, index: int, value: Any) -> list:
    """`list_put_back` in place."""
    part.insert(index if index >= 0 else len(part) + 1 + index, value)
    return part


@destructive
def move_along(xs: Any, path: list) -> Any:
    """`list_move` in place."""
    if not isinstance(xs, list):
        return list_move(xs, path)
    if path:
        first = xs[path[0]]
        for k, following in zip(path, path[1:]):
            xs[k] = xs[following]
        xs[path[-1]] = first
    return xs


@destructive
def sum_into(total: Any, part: Any) -> Any:
    """`add` of containers, into the first."""
    if type(total) is dict and isinstance(part, dict):
        for key, value in part.items():
            total[key] = core.add(total[key], value) if key in total else value
        return total
    return core.add(total, part)
