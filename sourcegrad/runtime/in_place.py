"""Destructive updates: what `index_set`, `index_add`, `entry_add`, ... give, in the memory of the value that changes.

The text that runs calls these where nobody else holds that value (`optimize.in_place`) and its kind is not known well enough
for a statement of Python. Each gives the changed value, as a zero that stands for a whole container cannot change in place.
The text that is differentiated again has the functions that copy; so these need no rules.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.runtime import containers, core, objects
from sourcegrad.runtime.structure import Path, get_at, put_at, steps_of

__all__ = ["add_entry", "add_entry_at", "add_to", "append_to", "delete_from", "drop_entry", "drop_path",
           "put_back_into", "store_at", "sum_into"]


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
def sum_into(total: Any, part: Any) -> Any:
    """`add` of containers, into the first."""
    if type(total) is dict and isinstance(part, dict):
        for key, value in part.items():
            total[key] = core.add(total[key], value) if key in total else value
        return total
    return core.add(total, part)
