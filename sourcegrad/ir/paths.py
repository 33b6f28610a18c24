"""Inputs that are parts of an argument: "self.w", "model.layers[0].w", "params['w']"."""
from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.errors import InputError
from sourcegrad.runtime.structure import attributes_of, carries, is_namedtuple, is_user_class

if TYPE_CHECKING:
    import gast

STEP = re.compile(r"\.([A-Za-z_]\w*)|\[(-?\d+|'[^']*'|\"[^\"]*\")\]")


def tangent_names(inputs: Iterable[str], parameters: Iterable[str]) -> list[str]:
    """The names of the tangents of parameters: x_dot of x, or x_dot_2 where there is an x_dot."""
    taken, found = set(parameters), []
    for name in inputs:
        new, number = f"{name}_dot", 1
        while new in taken:
            number += 1
            new = f"{name}_dot_{number}"
        taken.add(new)
        found.append(new)
    return found


@functools.cache
def base_of(path: str) -> str:
    """The parameter that an input is a part of."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def bases(paths: tuple[str, ...]) -> tuple[str, ...]:
    """The parameters that inputs are or belong to, each once."""
    return tuple(dict.fromkeys(map(base_of, paths)))


@functools.cache
def steps_of(path: str) -> list[tuple[bool, Any]] | None:
    """The steps of a path: (whether it is an attribute, name or index); None where it is none."""
    rest = path[len(base_of(path)):]
    steps: list[tuple[bool, Any]] = []
    while rest:
        found = STEP.match(rest)
        if found is None:
            return None
        name, index = found.groups()
        key: Any = name if name else index[1:-1] if index[0] in "'\"" else int(index)
        steps.append((bool(name), key))
        rest = rest[found.end():]
    return steps


def part_at(path: str, value: Any) -> Any:
    """The part of an argument that a path selects."""
    for attribute, key in steps_of(path) or []:
        value = getattr(value, key) if attribute else value[key]
    return value


def value_at(path: str, value: Any, origin: Any) -> Any:
    """The part of an argument that a path selects, checked to be something that can be differentiated."""
    whole = value
    try:
        for attribute, key in steps_of(path) or []:
            check_stored(path, value, attribute, key, origin)
            value = getattr(value, key) if attribute else value[key]
    except InputError:
        raise
    except (AttributeError, LookupError, TypeError) as problem:
        raise InputError(f"there is no input '{path}': {problem}", origin, "Name an attribute of the argument.") from None
    if not carries(value):
        what = f"an array of dtype {value.dtype}" if hasattr(value, "dtype") else f"a {type(value).__name__}"
        raise InputError(f"the input '{path}' is {what}: derivatives need floats", origin,
                         "Store a float or an array of floats there.")
    check_single(path, whole, origin)
    return value


def check_stored(path: str, holder: Any, attribute: bool, key: Any, origin: Any) -> None:
    """Refuse a step to what an object does not hold itself: a property, an attribute of the class, `.T` of an array."""
    if attribute:
        stored = isinstance(holder, tuple) or not is_user_class(type(holder)) and not isinstance(holder, np.ndarray) or (
            key in attributes_of(holder)) or not hasattr(holder, key)
    else:
        stored = isinstance(holder, (list, tuple, dict, np.ndarray)) or not hasattr(type(holder), "__getitem__")
    if not stored:
        what = f"{type(holder).__name__}.{key}" if attribute else f"an item of a {type(holder).__name__}"
        raise InputError(f"the input '{path}' is not held by the argument: {what} is computed, or belongs to the class", origin,
                         "Name the attribute that it is computed from, or the whole argument.")


def check_single(path: str, value: Any, origin: Any) -> None:
    """Refuse a part of an argument that is reached in two ways: its gradient would be that of one way only."""
    part, along = value, []
    for attribute, key in steps_of(path) or []:
        part = getattr(part, key) if attribute else part[key]
        along.append(part)
    wanted = {id(x) for x in along if isinstance(x, (np.ndarray, list, dict)) or is_user_class(type(x))}
    seen: set[int] = set()
    waiting = [value]
    while waiting and wanted:
        holder = waiting.pop()
        if id(holder) in seen:
            continue
        seen.add(id(holder))
        for item in _held(holder):
            if id(item) in wanted and id(item) in seen | {id(x) for x in waiting}:
                raise InputError(f"what the input '{path}' names is reached in another way, too", origin,
                                 "Copy it where it is held twice, or name the whole argument in inputs=...: then there is a "
                                 "gradient for each place.")
            if not isinstance(item, (str, int, float, complex, type(None))):
                waiting.append(item)


def _held(holder: Any) -> Iterable[Any]:
    if isinstance(holder, dict):
        return holder.values()
    if isinstance(holder, (list, tuple)):
        return holder
    return attributes_of(holder).values() if is_user_class(type(holder)) else ()


def part_of(path: str, bar: Any, value: Any) -> tuple[Any, Any]:
    """The part of an adjoint, and of a value, that a path selects."""
    for attribute, key in steps_of(path) or []:
        position = value._fields.index(key) if attribute and is_namedtuple(type(value)) else key
        sequence = isinstance(value, (list, tuple))
        value = getattr(value, key) if attribute else value[key]
        bar = bar[position] if sequence or isinstance(bar, np.ndarray) else runtime.entry_of(bar, key, value)
    return bar, value


def follow(path: str, bar: gast.expr, value: gast.expr, kind: k.Kind, helper: Callable) -> tuple[gast.expr, gast.expr]:
    """Expressions for the part of an adjoint and of a value that a path selects."""
    from sourcegrad.ir import tree as t  # (code that was generated before runs without it)
    for attribute, key in steps_of(path) or []:
        whole = value
        value = t.attribute(value, key) if attribute else t.subscript(t.clone(value), t.const(key))
        if not attribute and isinstance(kind, k.Num):
            bar = t.subscript(t.call(helper(runtime.as_gradient), bar, t.clone(whole)), t.const(key))
            kind = k.ANY
        elif isinstance(kind, (k.Lst, k.Tup)):
            position = kind.cls._fields.index(key) if isinstance(kind, k.Named) and attribute else key
            bar = t.call(helper(runtime.item_at), bar, t.const(position))
            kind = kind.items[position] if isinstance(kind, k.Tup) else kind.item or k.ANY
        else:
            bar = t.call(helper(runtime.entry_of), bar, t.const(key), t.clone(value))
            kind = (kind.get(key) if isinstance(kind, (k.Obj, k.Dct)) else None) or k.ANY
    return bar, value


def restricted(kind: k.Kind, paths: Iterable[list[tuple[bool, Any]]]) -> k.Kind:
    """The kind of an argument of which only the parts that paths select are inputs."""
    paths = list(paths)
    if not isinstance(kind, k.Obj) or kind.items is None:
        return kind
    if not all(paths):                                                 # the whole object
        return unrestricted(kind)
    names = {path[0][1] for path in paths}
    items = tuple((name, restricted(item, [path[1:] for path in paths if path[0][1] == name]) if name in names
                   else unrestricted(item)) for name, item in kind.items)
    return dataclasses.replace(kind, items=items, active=frozenset(names))


def unrestricted(kind: Any) -> Any:
    """A kind without any knowledge of what is an input."""
    if isinstance(kind, k.Obj) and kind.items is not None:
        return dataclasses.replace(kind, items=tuple((name, unrestricted(item)) for name, item in kind.items), active=None)
    if isinstance(kind, k.Lst):
        return k.Lst(kind.item and unrestricted(kind.item))
    return k.mapped(unrestricted, kind) if isinstance(kind, (k.Tup, k.Dct)) else kind


def as_inputs(kinds: dict[str, k.Kind], active: tuple[str, ...]) -> dict[str, k.Kind]:
    """Kinds of arguments; those of inputs say which parts of them are inputs."""
    found = {}
    for name, kind in kinds.items():
        paths = [steps_of(path) or [] for path in active if base_of(path) == name]
        kind = unrestricted(kind) if isinstance(kind, k.Obj) else kind
        found[name] = restricted(_as_input(kind), paths) if paths else kind
    return found


def _as_input(kind: k.Kind) -> k.Kind:
    kind = k.as_num(kind)
    return k.FLOAT if kind == k.INT else kind
