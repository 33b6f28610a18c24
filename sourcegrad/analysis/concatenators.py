"""`np.r_[a, 1.0, b]` and `np.c_[x, y]`: what they join."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k
from sourcegrad.kinds import Kind

CONCATENATORS = {type(np.r_): "np.r_", type(np.c_): "np.c_"}


def items_of(index: Any) -> list:
    """The parts that an index of np.r_ or np.c_ names."""
    return index.elts if isinstance(index, gast.Tuple) else [index]


def ranks(items: list, of: Callable[[Any], Kind | None]) -> list[int | None] | None:
    """The rank of every part, None where it is not known; None altogether as long as some kind is still to come."""
    found: list[int | None] = []
    for item in items:
        kind = k.Num("float64", (None,), True) if isinstance(item, gast.Slice) else of(item)
        if kind is None:
            return None
        kind = k.as_num(kind)
        found.append(kind.ndim if isinstance(kind, k.Num) else None)
    return found


def concatenation(cls: type, index: Any, of: Callable[[Any], Kind | None]) -> Kind | None:
    """The kind of an array that np.r_ (1 axis or more) or np.c_ (2 or more) makes."""
    known = ranks(items_of(index), of)
    if known is None:
        return None
    if None in known:
        return k.ANY
    least = 2 if cls is type(np.c_) else 1
    return k.Num(None, (None,) * max(least, *(rank for rank in known if rank is not None), 0), True)
