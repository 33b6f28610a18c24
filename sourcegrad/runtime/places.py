"""Places: objects that are told apart by their identity and change in place, and the adjoints of what they hold.

Generated code calls these with a *memory*, the state of all objects that a function makes: in the text that is differentiated each
store gives a new one, so that what depends on what is said by names; when it runs it is nothing, and the objects themselves change.
The adjoint of a memory has the adjoints of the attributes of each object, by its identity; what is missing is zero."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.core import Bars, add, unbroadcast, zeros_like
from sourcegrad.runtime.objects import new_object
from sourcegrad.runtime.structure import WHOLE, HeldList

__all__ = ["array_bar", "array_fill", "check_size", "held_items", "index_in", "items_add", "items_taken",
           "new_array", "new_memory", "new_place", "place_add", "place_bars", "place_drop", "place_index", "place_join",
           "place_load", "place_part", "place_push", "place_put", "place_resize", "place_shrink", "place_size", "place_store",
           "place_take", "place_take_wide", "place_zero", "same_size", "taken_part"]


def new_memory() -> None:
    """The state of no objects."""


def new_place(memory: Any, cls: Any) -> Any:
    """An object without attributes, or a list without items, which is no other one."""
    return [] if issubclass(cls, HeldList) else new_object(cls)


def new_array(memory: Any, cls: Any, values: Any) -> np.ndarray:
    """An array of these values that is no other one."""
    return np.array(values)


def array_fill(memory: Any, place: Any, values: Any) -> Any:
    """The state after an array was made of these values."""
    return memory


def place_load(memory: Any, place: Any, name: Any) -> Any:
    """What an attribute holds, an item of a list, or (a copy of) all of them; (a copy of) a part of an array."""
    if type(place) is np.ndarray:
        return place[part_of(name)].copy()
    if type(place) is list:
        return place[:] if name == WHOLE else place[name]                                           # type: ignore[call-overload]
    return getattr(place, name)


def held_items(memory: Any, place: Any, name: str) -> Any:
    """A copy of all items of a list, which are numbers or references: nothing that it shares changes in place."""
    return place[:]


def place_store(memory: Any, place: Any, name: Any, value: Any) -> Any:
    """The state after `place.name = value`, or `place[name] = value`."""
    if type(place) is np.ndarray:
        place[part_of(name)] = value
    elif type(place) is list:
        if name == WHOLE:
            place[:] = value
        else:
            place[name] = value                                                                     # type: ignore[call-overload]
    else:
        object.__setattr__(place, name, value)
    return memory


def place_push(memory: Any, place: Any, count: int, value: Any) -> Any:
    """The state after `place.append(value)`, of a list of `count` items."""
    place.append(value)
    return memory


def place_shrink(memory: Any, place: Any) -> Any:
    """The state after the last item of a list is gone."""
    place.pop()
    return memory


def place_resize(memory: Any, place: Any) -> Any:
    """The same state: how many items a list has will change."""
    return memory


def place_size(memory: Any, place: Any) -> int:
    """How many items a list has."""
    return len(place)


def place_index(memory: Any, place: Any, index: Any) -> int:
    """The index of an item, counted from the start."""
    return index_in(place, index)


def index_in(xs: list, index: Any) -> int:
    """The index of an item of a list, counted from the start."""
    index = operator.index(index)
    found = index + len(xs) if index < 0 else index
    if not 0 <= found < len(xs):
        raise IndexError("list index out of range")
    return found


def same_size(memory: Any, place: Any, count: int) -> None:
    """Refuse a list that gets longer or shorter while a loop goes over it."""
    check_size(place, count)


def check_size(xs: list, count: int) -> None:
    """Refuse a list that gets longer or shorter while a loop goes over it."""
    if len(xs) != count:
        raise UnsupportedError("a list that gets longer or shorter while a loop goes over it",
                               remedy="Loop over a copy: `for x in list(xs)`.")


def place_bars() -> dict:
    """Zero adjoints of all attributes of all objects."""
    return Bars()


def place_zero(result: Any) -> tuple[Any, dict]:
    """A zero adjoint of what a function gives, and of the state of objects after it."""
    return zeros_like(result), place_bars()


def part_of(name: Any) -> Any:
    """The index of a part of an array, or of all of it."""
    return ... if isinstance(name, str) else name


def array_bar(bars: dict, place: np.ndarray) -> np.ndarray:
    """The adjoint of an array, which changes in place."""
    own = bars[id(place)]
    if WHOLE not in own:
        own[WHOLE] = zeros_like(place)
    return own[WHOLE]


def place_add(bars: dict, place: Any, name: Any, part: Any) -> dict:
    """Add a contribution, a number or array, to the adjoint of an attribute or of a part of an array, in place."""
    if type(place) is np.ndarray:
        array_bar(bars, place)[part_of(name)] += part
        return bars
    bars[id(place)][name] += part
    return bars


def place_join(bars: dict, place: Any, name: Any, part: Any) -> dict:
    """Add a contribution to the adjoint of an attribute that holds something else, in place."""
    if type(place) is np.ndarray:
        return place_add(bars, place, name, part)
    if name == WHOLE:
        return items_add(bars, place, part)
    own = bars[id(place)]
    own[name] = add(own[name], part) if name in own else _own(part)
    return bars


def _own(part: Any) -> Any:
    """What a table holds is its own: sums go into arrays in place."""
    return part.copy() if isinstance(part, np.ndarray) else part


def items_add(bars: dict, place: Any, parts: Any) -> dict:
    """Add contributions to the adjoints of all items of a list, in place."""
    own = bars[id(place)]
    for k, part in enumerate(parts) if isinstance(parts, (list, tuple)) else ():
        own[k] = add(own[k], part) if k in own else _own(part)
    return bars


def items_taken(bars: dict, place: Any, like: Any) -> list:
    """The adjoints of all items of a list, which holds `like` and loses them."""
    own = bars[id(place)]
    found = [own[k] if k in own else zeros_like(item) for k, item in enumerate(like)]
    own.clear()
    return found


def taken_part(bars: dict, name: str, like: Any) -> Any:
    """The adjoint of an attribute that holds `like`, which loses it."""
    return bars.pop(name) if name in bars else zeros_like(like)


def place_part(bars: dict, place: Any, name: Any, like: Any) -> Any:
    """The adjoint of an attribute that holds `like`."""
    own = bars.get(id(place))
    if type(place) is np.ndarray:
        part = array_bar(bars, place)[part_of(name)].copy()
        return part if like is None else unbroadcast(part, like)
    if name == WHOLE:
        return [_own(own[k]) if own is not None and k in own else zeros_like(item) for k, item in enumerate(like)]
    return _own(own[name]) if own is not None and name in own else zeros_like(like)


def place_take(bars: dict, place: Any, name: Any, like: Any) -> tuple[Any, dict]:
    """The adjoint of an attribute that holds `like` and is overwritten then, and those that are left; in place."""
    if type(place) is np.ndarray:
        own = bars.get(id(place))
        index = part_of(name)
        part = own[WHOLE][index].copy() if own is not None and WHOLE in own else zeros_like(place[index])
        return part, place_drop(bars, place, name)
    if name == WHOLE:
        return items_taken(bars, place, like), bars
    own = bars.get(id(place))
    if own is None or name not in own:
        return (zeros_like(like) if type(like) is not float else 0.0), bars
    return own.pop(name), bars


def place_take_wide(bars: dict, place: Any, name: Any, like: Any) -> tuple[Any, dict]:
    """The same, where the attribute may be complex at other times than when it holds `like`."""
    return place_take(bars, place, name, like)


def place_put(bars: dict, place: Any, name: Any, part: Any) -> dict:
    """The adjoints with another one of an attribute, in place."""
    if type(place) is np.ndarray:
        array_bar(bars, place)[part_of(name)] = part
        return bars
    if name == WHOLE:
        bars[id(place)].clear()
        return items_add(bars, place, part)
    bars[id(place)][name] = _own(part)
    return bars


def place_drop(bars: dict, place: Any, name: Any) -> dict:
    """The adjoints without that of an attribute, which was overwritten; in place."""
    own = bars.get(id(place))
    if own is not None and type(place) is np.ndarray:
        if WHOLE in own:
            own[WHOLE][part_of(name)] = 0.0
    elif own is not None and name == WHOLE:
        own.clear()
    elif own is not None:
        own.pop(name, None)
    return bars
