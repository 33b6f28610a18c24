"""Places: objects that are told apart by their identity and change in place, and the adjoints of what they hold.

Generated code calls these with a *memory*, the state of all objects that a function makes: in the text that is differentiated each
store gives a new one, so that what depends on what is said by names; when it runs it is nothing, and the objects themselves change.
The adjoint of a memory has the adjoints of the attributes of each object, by its identity; what is missing is zero."""
from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad.runtime.core import Bars, add, zeros_like
from sourcegrad.runtime.objects import new_object

__all__ = ["new_memory", "new_place", "place_load", "place_store", "place_bars", "place_zero", "place_add", "place_join",
           "place_part", "place_take", "place_take_wide", "place_put", "place_drop", "taken_part"]


def new_memory() -> None:
    """The state of no objects."""


def new_place(memory: Any, cls: Any) -> Any:
    """An object without attributes, which is no other one."""
    return new_object(cls)


def place_load(memory: Any, place: Any, name: str) -> Any:
    """What an attribute holds."""
    return getattr(place, name)


def place_store(memory: Any, place: Any, name: str, value: Any) -> Any:
    """The state after `place.name = value`."""
    object.__setattr__(place, name, value)
    return memory


def place_bars() -> dict:
    """Zero adjoints of all attributes of all objects."""
    return Bars()


def place_zero(result: Any) -> tuple[Any, dict]:
    """A zero adjoint of what a function gives, and of the state of objects after it."""
    return zeros_like(result), place_bars()


def place_add(bars: dict, place: Any, name: str, part: Any) -> dict:
    """Add a contribution, a number or array, to the adjoint of an attribute, in place."""
    bars[id(place)][name] += part
    return bars


def place_join(bars: dict, place: Any, name: str, part: Any) -> dict:
    """Add a contribution to the adjoint of an attribute that holds something else, in place."""
    own = bars[id(place)]
    own[name] = add(own[name], part) if name in own else _own(part)
    return bars


def _own(part: Any) -> Any:
    """What a table holds is its own: sums go into arrays in place."""
    return part.copy() if isinstance(part, np.ndarray) else part


def taken_part(bars: dict, name: str, like: Any) -> Any:
    """The adjoint of an attribute that holds `like`, which loses it."""
    return bars.pop(name) if name in bars else zeros_like(like)


def place_part(bars: dict, place: Any, name: str, like: Any) -> Any:
    """The adjoint of an attribute that holds `like`."""
    own = bars.get(id(place))
    return _own(own[name]) if own is not None and name in own else zeros_like(like)


def place_take(bars: dict, place: Any, name: str, like: Any) -> tuple[Any, dict]:
    """The adjoint of an attribute that holds `like` and is overwritten then, and those that are left; in place."""
    own = bars.get(id(place))
    if own is None or name not in own:
        return (zeros_like(like) if type(like) is not float else 0.0), bars
    return own.pop(name), bars


def place_take_wide(bars: dict, place: Any, name: str, like: Any) -> tuple[Any, dict]:
    """The same, where the attribute may be complex at other times than when it holds `like`."""
    return place_take(bars, place, name, like)


def place_put(bars: dict, place: Any, name: str, part: Any) -> dict:
    """The adjoints with another one of an attribute, in place."""
    bars[id(place)][name] = _own(part)
    return bars


def place_drop(bars: dict, place: Any, name: str) -> dict:
    """The adjoints without that of an attribute, which was overwritten; in place."""
    own = bars.get(id(place))
    if own is not None:
        own.pop(name, None)
    return bars
