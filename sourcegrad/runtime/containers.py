"""Helpers for lists and tuples made from other sequences."""
from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.core import like_sequence, zeros_like
from sourcegrad.runtime.shapes import restack

__all__ = ["regroup", "sorted_positions", "pick_items", "place_items", "real_parts"]


def regroup(parts: Any, like: Any) -> Any:
    """The parts as a sequence of the type of `like`: stacked for an array, else in a list or tuple."""
    if isinstance(like, np.ndarray):
        return restack(list(parts), like)
    if isinstance(like, (list, tuple)):
        return like_sequence(like, list(parts))
    raise UnsupportedError(f"list() and tuple() of a {type(like).__name__} have no derivative rule",
                           remedy="Use a list or an array.")


def sorted_positions(items: Any, reverse: bool = False) -> list:
    """Where each item of `sorted(items)` stood; equal items keep their order."""
    items = items if isinstance(items, (list, tuple, np.ndarray)) else list(items)
    return sorted(range(len(items)), key=items.__getitem__, reverse=reverse)


def pick_items(items: Any, positions: list, like: Any) -> Any:
    """The items at the positions, in the type of `like`."""
    return regroup([items[position] for position in positions], like)


def place_items(items: Any, positions: list, like: Any) -> Any:
    """The items put at the positions, in the type of `like`: the inverse of `pick_items`. The keys of a dict have no adjoint."""
    if isinstance(like, (dict, set, frozenset, str)):
        return zeros_like(like)
    result = list(items)
    for item, position in zip(items, positions):
        result[position] = item
    return regroup(result, like)


def real_parts(bar: Any, keys: tuple = ()) -> Any:
    """The adjoint of a container or object with real numbers, of which a name has held one with complex ones, too.

    keys: of what is real (none: all of it)."""
    if isinstance(bar, dict):
        return {key: real_parts(part) if not keys or key in keys else part for key, part in bar.items()}
    if isinstance(bar, (list, tuple)):
        return like_sequence(bar, [real_parts(part) if not keys or j in keys else part for j, part in enumerate(bar)])
    return np.real(bar)
