"""`a = pair[0]`, `b = pair[1]` is `a, b = pair`, on the final text, where a pair (or an array) is known to have two items."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, tree as t
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.analysis.infer import Infer


def unpacked(block: list, facts: Infer, own: set[str]) -> list:
    """A block whose tuples are taken apart at once. own: the names of the user, which stay as they are written."""
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, unpacked, facts, own)
        result.append(s)
        _join(result, facts, own)
    return result


def _join(block: list, facts: Infer, own: set[str]) -> None:
    """Join the last statements of a block if they take a tuple apart."""
    base = _taken(block[-1])
    if base is None:
        return
    count = _count(facts.kinds.get(base[0]))
    parts = block[-count:] if 2 <= count <= len(block) else []
    found = [_taken(s) for s in parts]
    if not parts or any(x is None or x[0] != base[0] for x in found):
        return
    names = {index: s.targets[0].id for s, (_, index) in zip(parts, found)}          # type: ignore[misc]
    if sorted(names) != list(range(count)) or len(set(names.values())) < count or base[0] in names.values() or (
            not own.isdisjoint(names.values())):
        return
    targets = gast.Tuple(elts=[t.store(names[index]) for index in range(count)], ctx=t.STORE)
    new = t.at(gast.Assign(targets=[targets], value=t.load(base[0]), type_comment=None), t.origin_of(parts[0]))
    block[-count:] = [new]


def _count(kind: Any) -> int:
    """How many items there are, as far as that is known."""
    if isinstance(kind, k.Tup):
        return len(kind.items)
    array = isinstance(kind, k.Num) and kind.boxed and kind.dims
    return kind.dims[0] if array and type(kind.dims[0]) is int and kind.dims[0] <= 4 else 0


def _taken(s: Any) -> tuple[str, int] | None:
    """The name of a tuple and the index of the item that a statement takes out of it."""
    if not isinstance(s, gast.Assign) or len(s.targets) > 1 or not t.is_name(s.targets[0]):
        return None
    value = s.value
    if not isinstance(value, gast.Subscript) or not t.is_name(value.value) or not isinstance(value.slice, gast.Constant):
        return None
    return (value.value.id, value.slice.value) if type(value.slice.value) is int else None
