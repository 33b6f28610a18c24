"""Sizes of dimensions as they are known beforehand: numbers, symbols, or None."""
from __future__ import annotations

import math
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
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return None
    rank = max(map(len, known), default=0)
    result: list = [1] * rank
    for shape in known:
        for k, dim in enumerate(reversed(shape)):
            result[rank - 1 - k] = broadcast_dim(result[rank - 1 - k], dim)
    return tuple(result)


def minus(dim: str, amount: int) -> Any:
    """The symbol for a dimension less `amount` (never below 0, as slices have it)."""
    if amount == 0:
        return dim
    head, bracket, tail = dim.rpartition(")")
    if "+" in tail:                                       # n + 2 less 2 is n
        tail, _, more = tail.partition("+")
        if int(more) > amount:
            return f"{head}{bracket}{tail}+{int(more) - amount}"
        return minus(f"{head}{bracket}{tail}", amount - int(more))
    if "-" in tail:
        tail, _, before = tail.partition("-")
        amount += int(before)
    return f"{head}{bracket}{tail}-{amount}"


def less(dim: Any, amount: int) -> Any:
    """The size that is left of a dimension; a negative amount makes it longer (what was cut off comes back)."""
    if isinstance(dim, int):
        return max(dim - amount, 0)
    if not isinstance(dim, str) or amount >= 0:
        return minus(dim, amount) if isinstance(dim, str) else None
    head, bracket, tail = dim.rpartition(")")
    tail, cut, before = tail.partition("-")
    tail, _, more = tail.partition("+")
    whole = f"{head}{bracket}{tail}"
    rest = int(more or 0) - int(before or 0) - amount
    if cut and rest > 0:
        return None                                       # nothing is cut off an empty one
    return f"{whole}+{rest}" if rest > 0 else minus(whole, -rest)


def times(*sizes: Any) -> Any:
    """The product of sizes."""
    known = [size for size in sizes if isinstance(size, int)]
    others = [size for size in sizes if not isinstance(size, int)]
    if not others or 0 in known:
        return math.prod(known)
    return others[0] if len(others) == 1 and math.prod(known) == 1 else None


def smaller(a: Any, b: Any) -> Any:
    """The smaller of two sizes."""
    if a == b or isinstance(a, int) and isinstance(b, int):
        return None if a is None else a if a == b else min(a, b)
    return 0 if 0 in (a, b) else None
