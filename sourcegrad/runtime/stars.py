"""Checks of the arguments of `f(*xs)` and `f(**d)` whose number or names are only known at run time."""
from __future__ import annotations

from typing import Any

__all__ = ["check_keywords", "given_count"]


def given_count(values: Any, least: int, most: int | None) -> int:
    """How many arguments `*values` gives; TypeError as Python where a function does not take so many."""
    count = len(values)
    if count < least or most is not None and count > most:
        wanted = str(least) if least == most else f"at least {least}" if most is None else f"from {least} to {most}"
        raise TypeError(f"{wanted} positional arguments are expected from `*`, but {count} were given")
    return count


def check_keywords(mapping: Any, needed: tuple, allowed: tuple | None) -> None:
    """TypeError as Python where `**mapping` has not the arguments that a function takes."""
    for name in needed:
        if name not in mapping:
            raise TypeError(f"missing required argument '{name}'")
    if allowed is None:
        return
    for name in mapping:
        if name not in allowed:
            raise TypeError(f"got an unexpected keyword argument '{name}'")
