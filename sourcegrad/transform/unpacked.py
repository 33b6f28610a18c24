"""`a = pair[0]`, `b = pair[1]` is `a, b = pair`, on the final text, where a pair (or an array) is known to have two items."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, tree as t
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.analysis.infer import Infer
from sourcegrad.names import Names


def unpacked(block: list, facts: Infer, own: set[str], names: Names) -> list:
    """A block whose tuples are taken apart at once. own: the names of the user, which stay as they are written."""
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, unpacked, facts, own, names)
        result.append(s)
        _join(result, facts, own)
    for position in range(len(result) - 2, -1, -1):
        _join_most(result, position, facts, own, names)
    return result


def _join_most(block: list, position: int, facts: Infer, own: set[str], fresh: Names) -> None:
    """Join the statements from a position on if they take all items but one of a tuple."""
    base = _taken(block[position])
    kind = facts.kinds.get(base[0]) if base is not None else None
    if base is None or not isinstance(kind, k.Tup) or len(kind.items) < 3:
        return
    parts = block[position:position + len(kind.items) - 1]
    found = [_taken(s) for s in parts]
    if len(parts) < len(kind.items) - 1 or any(x is None or x[0] != base[0] for x in found):
        return
    names = {index: s.targets[0].id for s, (_, index) in zip(parts, found)}          # type: ignore[misc]
    if len(set(names.values())) < len(parts) or len(names) < len(parts) or base[0] in names.values() or (
            not own.isdisjoint(names.values()) or min(names) < 0):
        return
    missing = fresh.fresh("unused")
    block[position:position + len(parts)] = [_unpacking(base[0], [names.get(j, missing) for j in range(len(kind.items))], parts)]


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
    block[-count:] = [_unpacking(base[0], [names[index] for index in range(count)], parts)]


def _unpacking(base: str, names: list[str], parts: list) -> Any:
    targets = gast.Tuple(elts=[*map(t.store, names)], ctx=t.STORE)
    return t.at(gast.Assign(targets=[targets], value=t.load(base), type_comment=None), t.origin_of(parts[0]))


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
