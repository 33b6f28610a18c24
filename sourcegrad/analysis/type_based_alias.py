"""What kinds of objects can change tells what cannot share memory: a list that gets longer is no array.

A tag stands for a sort of objects that change in place: "array", "list", "dict", or a class. None: any of them.
"""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k
from sourcegrad.analysis.locations import Step

Tags = frozenset | None


def tags_of(kind: Any) -> Tags:
    """What an object of this kind is itself."""
    kind = k.as_num(kind)
    if isinstance(kind, k.Num):
        return frozenset(["array"])
    if isinstance(kind, k.Lst):
        return frozenset(["list"])
    if isinstance(kind, (k.Dct, k.Map)):
        return frozenset(["dict"])
    if isinstance(kind, k.Obj) and kind.items is not None:
        return frozenset([kind.cls])
    if isinstance(kind, k.OneOf):
        return frozenset(item.cls for item in kind.items)
    return None


KNOWN: dict[int, tuple[Any, Tags]] = {}                       # by the identity of a kind: it is asked again and again


@k.once
def reached(kind: Any) -> Tags:
    """What can be found in a value of this kind, the value itself included."""
    kind = kind.item if isinstance(kind, k.Optional) else k.as_num(kind)
    if isinstance(kind, k.Num):
        return frozenset(["array"]) if kind.boxed is not False else frozenset()
    if isinstance(kind, (k.Const, k.Fn, k.Discrete)):
        return frozenset()
    if isinstance(kind, (k.Tup, k.Closure)):
        return together(map(reached, kind.items))
    own = tags_of(kind)
    if own is None:
        return None
    if isinstance(kind, (k.Lst, k.Map)):
        return None if kind.item is None else together([own, reached(kind.item)])      # (empty: perhaps it is filled elsewhere)
    if isinstance(kind, k.OneOf):
        return together(map(reached, kind.items))
    return together([own, *(reached(item) for _, item in kind.items)])


def together(parts: Any) -> Tags:
    found: frozenset = frozenset()
    for part in parts:
        if part is None:
            return None
        found |= part
    return found


def kind_at(kind: Any, path: tuple[Step, ...], of: Any) -> Any:
    """The kind of what lies at a path into a value (None: not known)."""
    for step in path:
        kind = k.as_num(kind)
        if isinstance(kind, k.Num):
            return kind if kind.boxed else None                   # views of an array are seen as the array itself
        index = of(step.node.slice) if isinstance(step.node, gast.Subscript) else None
        if step.sort == "attribute" and isinstance(kind, (k.Obj, k.OneOf)):
            kind = k.of_attribute(kind, step.node.attr)
        elif step.sort == "index" and isinstance(kind, (k.Lst, k.Map)):
            kind = kind.item
        elif step.sort == "index" and isinstance(kind, k.Dct):
            if not isinstance(index, k.Const):
                kind = k.as_map(kind).item
            else:
                kind = kind.get(index.value)
        elif step.sort == "index" and isinstance(kind, (k.Tup, k.Closure)) and isinstance(index, k.Const) and isinstance(
                index.value, int) and -len(kind.items) <= index.value < len(kind.items):
            kind = kind.items[index.value]
        else:
            return None
        if kind is None:
            return None
    return kind


def holds_more(before: Any, after: Any) -> bool:
    """Whether something was put into a value that nothing in it was like."""
    known, now = reached(before), reached(after)
    return known is not None and (now is None or not now <= known)


def turned(before: Any, after: Any) -> bool:
    """Whether an object in a value is not what it was thought to be: an attribute that was None, or a text, is something else."""
    if isinstance(before, k.Obj) and isinstance(after, k.Obj) and before.items and after.items:
        now = dict(after.items)
        pairs: list[tuple[Any, Any]] = [(kind, now[name]) for name, kind in before.items if name in now]
    elif isinstance(before, (k.Lst, k.Map)) and isinstance(after, type(before)):
        pairs = [(before.item, after.item)]
    elif isinstance(before, k.Tup) and isinstance(after, k.Tup):
        pairs = [*zip(before.items, after.items)]
    else:
        return isinstance(before, k.Const) and after is not None and before != after
    return any(turned(one, other) for one, other in pairs)
