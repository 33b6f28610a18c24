"""Nested data as a vector of numbers and back: containers, dataclasses and objects of any class.

The leaves are floats, complex numbers and arrays of them; everything else (strings, integers, functions) is static.
"""
from __future__ import annotations

import copy
import dataclasses
from collections import deque
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np


def is_leaf(value: Any) -> bool:
    return isinstance(value, (float, complex, np.inexact)) or isinstance(value, np.ndarray) and value.dtype.kind in "fc"


def is_object(value: Any) -> bool:
    """Whether a value is an instance with attributes of its own."""
    opaque = (type, FunctionType, MethodType, BuiltinFunctionType, ModuleType, np.ndarray, np.generic, np.random.Generator)
    return hasattr(value, "__dict__") and not isinstance(value, opaque)


def children(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, (list, tuple, deque)):
        return list(enumerate(value))
    return list(vars(value).items()) if is_object(value) else []


def child(value: Any, key: Any, template: Any) -> Any:
    """What a value that is shaped like `template` has for one of its keys; for objects also a dict is accepted."""
    if isinstance(template, (dict, list, tuple, deque)) or isinstance(value, dict):
        return value[key]
    return getattr(value, key)


def same_kind(value: Any, template: Any) -> bool:
    """Whether the outermost structure is right: that type, or for objects of a plain class also a dict of attributes."""
    if isinstance(template, (dict, list, tuple, deque)) or dataclasses.is_dataclass(template):
        return type(value) is type(template)
    return isinstance(value, dict) or is_object(value)


def walk(template: Any, value: Any, seen: set[int] | None = None, top: bool = True) -> Iterator[tuple[Any, Any]]:
    """Pairs of each leaf of `template` and what `value` has in its place; shared objects come once."""
    if is_leaf(template) or top and isinstance(template, int):
        yield template, value
        return
    seen = set() if seen is None else seen
    inside = children(template)
    if not inside or id(template) in seen:
        return
    seen.add(id(template))
    if any(True for _ in leaves_below(template)):
        assert same_kind(value, template), f"{type(value).__name__} where {type(template).__name__} is expected"
    for key, below in inside:
        if is_leaf(below) or any(True for _ in leaves_below(below, frozenset(seen))):
            yield from walk(below, child(value, key, template), seen, False)


def leaves_below(value: Any, seen: frozenset[int] = frozenset()) -> Iterator[Any]:
    if is_leaf(value):
        yield value
    elif id(value) not in seen:
        for _, below in children(value):
            yield from leaves_below(below, seen | {id(value)})


def vector(template: Any, value: Any) -> np.ndarray:
    """The numbers of `value` at the leaves of `template`; complex ones as two. Shapes and dtypes must agree."""
    parts = []
    for leaf, item in walk(template, value):
        assert np.shape(item) == np.shape(leaf), f"shape {np.shape(item)} where {np.shape(leaf)} is expected"
        if isinstance(leaf, (np.ndarray, np.generic)):
            assert np.asarray(item).dtype == leaf.dtype, f"{np.asarray(item).dtype} where {leaf.dtype} is expected"
        flat = np.ravel(np.asarray(item))
        parts.append(flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat.astype(float))
    return np.concatenate(parts).astype(float) if parts else np.zeros(0)


def rebuilt(value: Any, new_leaf: Callable[[Any], Any], memo: dict | None = None, top: bool = True) -> Any:
    """A copy of `value` with other leaves; what is shared stays shared."""
    memo = {} if memo is None else memo
    if is_leaf(value) or top and isinstance(value, int):
        return new_leaf(value)
    if id(value) in memo:
        return memo[id(value)]
    inside = children(value)
    if not inside:
        return copy.deepcopy(value)
    if isinstance(value, tuple):
        items = [rebuilt(item, new_leaf, memo, False) for item in value]
        memo[id(value)] = type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        return memo[id(value)]
    new = memo[id(value)] = copy.copy(value)
    for key, below in inside:
        below = rebuilt(below, new_leaf, memo, False)
        if isinstance(value, (dict, list, deque)):
            new[key] = below
        else:
            object.__setattr__(new, key, below)
    return new


def from_vector(template: Any, numbers: np.ndarray) -> Any:
    """`template` with the numbers of a vector."""
    position = 0

    def take(leaf: Any) -> Any:
        nonlocal position
        is_complex = np.asarray(leaf).dtype.kind == "c"
        size = np.size(leaf) * (2 if is_complex else 1)
        flat, position = numbers[position:position + size], position + size
        flat = flat.copy().view(complex) if is_complex else flat
        if np.ndim(leaf) == 0 and not isinstance(leaf, (np.ndarray, np.generic)):
            return complex(flat[0]) if is_complex else float(flat[0])
        new = flat.astype(leaf.dtype).reshape(leaf.shape)
        return new[()] if isinstance(leaf, np.generic) else new

    return rebuilt(template, take)


def identical(a: Any, b: Any, seen: set | None = None) -> bool:
    """Whether two data structures are equal bit by bit, attributes included; random generators advance, and are not compared."""
    seen = set() if seen is None else seen
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    if isinstance(a, np.random.Generator):
        return True
    inside = children(a)
    if not inside and not children(b):
        return bool(a == b) or a is b or a != a or is_object(a)
    if (id(a), id(b)) in seen:
        return True
    seen.add((id(a), id(b)))
    others = children(b)
    return [key for key, _ in inside] == [key for key, _ in others] and all(
        identical(x, y, seen) for (_, x), (_, y) in zip(inside, others))
