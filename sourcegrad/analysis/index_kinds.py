"""Kinds of indexed arrays: which dimensions an index keeps, drops, slices or adds."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import kinds as k
from sourcegrad.kinds import Kind


def index_kind(value: k.Num, parts: list, of: Callable) -> Kind | None:
    """Kind of array[parts] for an array of known rank."""
    dims = list(value.dims or ())
    kinds = [None if isinstance(p, gast.Slice) else of(p) for p in parts]
    if any(kind is None and not isinstance(p, gast.Slice) for kind, p in zip(kinds, parts)):
        return None
    consumed = sum(1 for p, kind in zip(parts, kinds) if isinstance(p, gast.Slice) or _consumes(kind))
    if any(kind is k.ANY or isinstance(kind, (k.Lst, k.Tup, k.Obj)) or (
            isinstance(kind, k.Num) and (kind.dims is None or kind.dtype is None or kind.dtype in ("bool", "pybool")))
            for kind in kinds):
        return k.Num(value.dtype, None, None)
    ellipsis = next((j for j, kind in enumerate(kinds) if _is_ellipsis(kind)), len(parts))
    result: list = []
    position = 0
    advanced: list[int] = []
    shapes: list = []
    for part, kind in zip(parts, kinds):
        if isinstance(part, gast.Slice):
            result.append(slice_dim(dims[position], part, of) if position < len(dims) else None)
            position += 1
        elif _is_ellipsis(kind):
            skip = len(dims) - consumed
            result += dims[position: position + skip]
            position += skip
        elif isinstance(kind, k.Const) and kind.value is None:
            result.append(1)
        elif isinstance(kind, k.Num) and kind.dims:
            advanced.append(len(result))
            shapes.append(kind.dims)
            position += 1
        else:
            if any(isinstance(other, k.Num) and other.dims for other in kinds):
                advanced.append(len(result))
            position += 1
    if ellipsis == len(parts):
        result += dims[position:]
    if shapes:
        if len(set(advanced)) > 1:
            return k.Num(value.dtype, None, True)
        result[advanced[0]: advanced[0]] = list(k.broadcast(*shapes) or ())
    return k.Num(value.dtype, tuple(result), bool(result))


def _consumes(kind: Any) -> bool:
    return not (isinstance(kind, k.Const) and (kind.value is None or kind.value is Ellipsis))


def _is_ellipsis(kind: Any) -> bool:
    return isinstance(kind, k.Const) and kind.value is Ellipsis


def slice_dim(dim: Any, part: gast.Slice, of: Callable) -> Any:
    """Size of a sliced dimension: symbolic for constant slices that leave a fixed number of elements away."""
    try:
        low, high, step = (k.constant(of(x)) if x is not None else None for x in (part.lower, part.upper, part.step))
    except (k.Unknown, TypeError):
        return None
    if step not in (None, 1, -1):
        return None if not isinstance(dim, int) else len(range(dim)[slice(low, high, step)])
    if isinstance(dim, int):
        return len(range(dim)[slice(low, high, step)])
    if low is None and high is None:
        return dim
    if step == -1 or not isinstance(dim, str):
        return None
    low = low or 0
    if low < 0 or (high is not None and high >= 0):
        return None
    return minus(dim, low - (high or 0))


def minus(dim: str, amount: int) -> Any:
    """The symbol for a dimension less `amount` (never below 0, as slices have it)."""
    if amount == 0:
        return dim
    if "-" in dim:
        dim, _, before = dim.partition("-")
        amount += int(before)
    return f"{dim}-{amount}"
