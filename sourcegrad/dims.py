"""Sizes of dimensions as they are known beforehand: numbers, symbols, or None."""
from __future__ import annotations

from typing import Any


def many(dim: Any) -> bool:
    """Whether a dimension is certainly not of size 1."""
    if isinstance(dim, int):
        return dim != 1
    more = dim.rpartition(")")[2].partition("+")[2] if isinstance(dim, str) else ""
    if more:
        return int(more) > 1 and "?" not in dim          # a size and 2 more
    return isinstance(dim, str) and dim[-1:] != ")" and "-" not in dim and "?" not in dim


def broadcast_dim(a: Any, b: Any) -> Any:
    """The size of one broadcast dimension, assuming that the broadcast succeeds."""
    if a == b and a is not None:
        return a
    for one, other in ((a, b), (b, a)):
        if one == 1 and isinstance(one, int):
            return other
    if isinstance(a, int):
        return a                       # known and not 1
    if isinstance(b, int):
        return b
    if many(a):
        return a
    if many(b):
        return b
    return None


def broadcast(*shapes: tuple | None) -> tuple | None:
    """Broadcast symbolic shapes; None when a rank is unknown."""
    if any(shape is None for shape in shapes):
        return None
    rank = max(map(len, shapes), default=0)          # type: ignore[arg-type]
    result: list = [1] * rank
    for shape in shapes:
        for k, dim in enumerate(reversed(shape)):    # type: ignore[arg-type]
            result[rank - 1 - k] = broadcast_dim(result[rank - 1 - k], dim)
    return tuple(result)
