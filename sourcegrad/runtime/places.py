"""Places: objects that are told apart by their identity and change in place, and the adjoints of what they hold.

Generated code calls these with a *memory*, the state of all objects that a function makes: in the text that is differentiated each
store gives a new one, so that what depends on what is said by names; when it runs it is nothing, and the objects themselves change.
The adjoint of a memory has the adjoints of the attributes of each object, by its identity; what is missing is zero."""
from __future__ import annotations

import collections
import copy
import operator
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.containers import move_along
from sourcegrad.runtime.core import Bars, add, check_nothing, like_sequence, refuse_sharing, unbroadcast, zeros_like
from sourcegrad.runtime.objects import new_object
from sourcegrad.runtime.sharing import COPYING
from sourcegrad.runtime.structure import WHOLE, HeldDict, HeldList, attributes_of, is_namedtuple, is_user_class

__all__ = ["NumberedDeque", "ORDERED", "array_bar", "array_fill", "bars_move", "check_size", "copied_places", "copies_back",
           "copies_forth", "copies_made", "copies_of", "copy_in", "deque_end", "deque_fill", "deque_front", "deque_load",
           "deque_number", "deque_pop", "deque_pop_left", "deque_push", "deque_push_left", "deque_store", "dict_fill",
           "dict_whole", "enter_places", "fill_dict", "gathered", "held_items", "index_in", "items_add", "items_taken",
           "key_delete", "key_in", "key_load", "key_put", "key_store", "move_adjoints", "new_array", "new_deque", "new_memory",
           "new_place", "place_add", "place_bars", "place_begin", "place_copies", "place_dot", "place_drop", "place_index",
           "place_init", "place_join", "place_keys", "place_load", "place_move", "place_part", "place_path", "place_push",
           "place_put", "place_has", "place_resize", "place_shrink", "place_size", "place_store", "place_take",
           "place_take_wide", "place_view", "place_zero", "same_number", "same_size", "scattered", "set_field", "taken_part",
           "view_back", "view_begin", "view_fill", "view_forth", "with_copies"]


def new_memory() -> None:
    """The state of no objects."""


def new_place(memory: Any, cls: Any) -> Any:
    """An object without attributes, or a list or dict without items, which is no other one."""
    return [] if issubclass(cls, HeldList) else {} if issubclass(cls, HeldDict) else new_object(cls)


def new_array(memory: Any, cls: Any, values: Any) -> np.ndarray:
    """An array of these values that is no other one."""
    return np.array(values)


ORDERED = ("ravel", "reshape")          # functions that give a view or a copy, as the order in memory allows


def place_view(memory: Any, cls: Any, place: np.ndarray, how: Any, *args: Any) -> np.ndarray:
    """A view of an array: a part of it, or what a function of NumPy with this name gives."""
    if not isinstance(how, str):
        return place[how]
    if how == "T":
        return place.T
    return getattr(place, how)(*args) if hasattr(place, how) else getattr(np, how)(place, *args)


def view_fill(memory: Any, view: Any, place: Any, how: Any, *args: Any) -> Any:
    """The same state: what a view holds is what its array holds."""
    return memory


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


def place_init(memory: Any, place: Any, name: str, value: Any) -> Any:
    """The state after a new object got what it holds in an attribute, which its class lets nobody store."""
    set_field(place, name, value)
    return memory


def set_field(place: Any, name: str, value: Any) -> None:
    """Store an attribute of a new object, as a frozen dataclass does it."""
    object.__setattr__(place, name, value)


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


# --- Deques: an item keeps its number while others come and go at both ends

class NumberedDeque(collections.deque):
    """A deque that numbers its items: an item keeps its number while others come and go at both ends.

    >>> waiting = NumberedDeque([1.0, 2.0, 3.0])
    >>> waiting.popleft(), waiting.number(0), waiting.item(2)
    (1.0, 1, 3.0)
    """

    def __init__(self, items: Iterable = (), maxlen: int | None = None) -> None:
        super().__init__((), maxlen)
        self.fill(items)

    def fill(self, items: Iterable) -> None:
        """Hold these items, numbered from 0, and no others."""
        self.clear()
        self.start = 0
        for item in items:
            self.append(item)

    @property
    def end(self) -> int:
        """The number of the next item at the right."""
        return self.start + len(self)

    def number(self, index: Any) -> int:
        """The number of an item, by its index."""
        return self.start + index_in(self, index)                                                   # type: ignore[arg-type]

    def item(self, number: int) -> Any:
        """The item of a number."""
        return self[number - self.start]

    def put(self, number: int, value: Any) -> None:
        """Put another item in the place of one."""
        self[number - self.start] = value

    def append(self, value: Any) -> None:
        self.start += len(self) == self.maxlen
        super().append(value)

    def appendleft(self, value: Any) -> None:
        self.start -= 1
        super().appendleft(value)

    def popleft(self) -> Any:
        value = super().popleft()
        self.start += 1
        return value


def new_deque(memory: Any, cls: Any, maxlen: int | None) -> NumberedDeque:
    """A deque without items, which is no other one."""
    return NumberedDeque((), maxlen)


def deque_end(memory: Any, place: Any) -> int:
    """The number of the next item of a deque at the right."""
    return place.end


def deque_front(memory: Any, place: Any) -> int:
    """The number of the next item of a deque at the left."""
    return place.start - 1


def deque_number(memory: Any, place: Any, index: Any) -> int:
    """The number of an item of a deque, by its index."""
    return place.number(index)


def deque_load(memory: Any, place: Any, number: Any) -> Any:
    """The item of a number."""
    return place.item(number)


def deque_store(memory: Any, place: Any, number: Any, value: Any) -> Any:
    """The state after another item was put in the place of one."""
    place.put(number, value)
    return memory


def deque_fill(memory: Any, place: Any, name: str, items: Any) -> Any:
    """The state after a deque got these items, in the place of all others."""
    place.fill(items)
    return memory


def deque_push(memory: Any, place: Any, number: int, value: Any) -> Any:
    """The state after `place.append(value)`, which gets this number."""
    place.append(value)
    return memory


def deque_push_left(memory: Any, place: Any, number: int, value: Any) -> Any:
    """The state after `place.appendleft(value)`, which gets this number."""
    place.appendleft(value)
    return memory


def deque_pop(memory: Any, place: Any) -> Any:
    """The state after the last item of a deque is gone."""
    place.pop()
    return memory


def deque_pop_left(memory: Any, place: Any) -> Any:
    """The state after the first item of a deque is gone."""
    place.popleft()
    return memory


# --- Dicts

def key_load(memory: Any, place: dict, key: Any) -> Any:
    """The item of a dict under a key."""
    return place[key]


def key_in(memory: Any, place: dict, key: Any) -> bool:
    """Whether a dict has an item under a key."""
    return key in place


def place_has(memory: Any, place: Any, name: str) -> bool:
    """Whether an object has an attribute at that time."""
    return hasattr(place, name)


def place_keys(memory: Any, place: dict) -> list:
    """The keys of a dict at that time, in their order."""
    return list(place)


def key_store(memory: Any, place: dict, key: Any, value: Any) -> Any:
    """The state after `place[key] = value`."""
    place[key] = value
    return memory


def key_put(memory: Any, place: dict, key: Any, value: Any) -> Any:
    """The state after `place[key] = value`, where there was an item before."""
    place[key] = value
    return memory


def key_delete(memory: Any, place: dict, key: Any) -> Any:
    """The state after `del place[key]`."""
    del place[key]
    return memory


def dict_whole(memory: Any, place: dict, name: str) -> dict:
    """A copy of a dict as it is then."""
    return place.copy()


def dict_fill(memory: Any, place: dict, name: str, items: dict) -> Any:
    """The state after a dict got these items, in the place of all others."""
    fill_dict(place, items)
    return memory


def fill_dict(place: dict, items: dict) -> None:
    """Give a dict these items, in the place of all others."""
    items = dict(items)
    place.clear()
    place.update(items)


# --- Items that move along a path

def place_path(memory: Any, place: Any, find: Callable[[list], list]) -> list:
    """The path along which the items of a list move."""
    return find(place)


def place_move(memory: Any, place: Any, path: list) -> Any:
    """The state after the items of a list moved along a path."""
    move_along(place, path)
    return memory


def bars_move(bars: dict, place: Any, path: list) -> dict:
    """The adjoints after those of the items of a list moved along a path, in place."""
    move_adjoints(bars[id(place)], path)
    return bars


def move_adjoints(own: dict, path: list) -> None:
    """Move the adjoints of items along a path, as `move_along` moves items: what is missing is zero."""
    found = [own.pop(k, None) for k in path]
    for k, part in zip(path, [*found[1:], *found[:1]]):
        if part is not None:
            own[k] = part


def same_size(memory: Any, place: Any, count: int) -> None:
    """Refuse a list that gets longer or shorter while a loop goes over it."""
    check_size(place, count)


def check_size(xs: Any, count: int) -> None:
    """Refuse a list or dict that gets longer or shorter while a loop goes over it."""
    if len(xs) != count:
        raise UnsupportedError("a list or dict that gets longer or shorter while a loop goes over it",
                               remedy="Loop over a copy: `for x in list(xs)`.")


OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "pow", "matmul", "mod", "and", "or", "xor")


class NoNumber(UnsupportedError):
    """An attribute that was taken for a number is none: code that asks no such question may do."""


def same_number(value: Any, name: str) -> None:
    """Refuse an attribute that an operator changes in place: others who hold what it holds would see that."""
    if any(hasattr(type(value), f"__i{operator}__") for operator in OPERATORS):
        raise NoNumber(f"an operator that changes '{name}' of an object in place",
                               remedy=f"Write `x.{name} = x.{name} + ...`.")


def place_bars() -> dict:
    """Zero adjoints of all attributes of all objects."""
    return Bars()


def place_zero(result: Any) -> tuple[Any, dict]:
    """A zero adjoint of what a function gives, and of the state of objects after it (which no text has), or of a table."""
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], Bars):
        result = result[0]
    return zeros_like(result), place_bars()


def part_of(name: Any) -> Any:
    """The index of a part of an array, or of all of it."""
    return ... if isinstance(name, str) else name


def array_bar(bars: dict, place: np.ndarray) -> np.ndarray:
    """The adjoint of an array, which changes in place; that of a view is the same view of the adjoint of its base."""
    if isinstance(place.base, np.ndarray):
        return same_view(array_bar(bars, place.base), place)
    own = bars[id(place)]
    if WHOLE not in own:
        own[WHOLE] = zeros_like(place)
    return own[WHOLE]


def view_back(bars: dict, view: np.ndarray, place: np.ndarray) -> dict:
    """The adjoints before a view was made by a function that makes a copy where the order in memory asks for one, in place: what is
    the copy's belongs to the array."""
    if not np.may_share_memory(view, place):
        own = array_bar(bars, view)
        array_bar(bars, place)[...] += own.reshape(place.shape)
        own[...] = 0.0
    return bars


def view_forth(bars: dict, view: np.ndarray, place: np.ndarray) -> dict:
    """The transpose of `view_back`, in place."""
    if not np.may_share_memory(view, place):
        array_bar(bars, view)[...] = array_bar(bars, place).reshape(view.shape)
    return bars


def same_view(whole: np.ndarray, view: np.ndarray) -> np.ndarray:
    """The elements of an array that correspond to those of a view of another one of the same layout."""
    offset, size = view.ctypes.data - view.base.ctypes.data, view.base.itemsize                         # type: ignore[union-attr]
    strides = [step // size * whole.itemsize for step in view.strides]
    return np.ndarray(view.shape, whole.dtype, whole.ravel("K"), offset // size * whole.itemsize, strides)   # type: ignore[arg-type]


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
    """Add contributions to the adjoints of all items of a list or dict, in place."""
    own = bars[id(place)]
    if isinstance(parts, dict):
        for k, part in parts.items():
            own[k] = add(own[k], part) if k in own else _own(part)
        return bars
    several = isinstance(parts, (list, tuple)) or isinstance(parts, np.ndarray) and parts.ndim > 0
    if not several:
        check_nothing(parts)                                # one zero that stands for all
    for k, part in enumerate(parts) if several else ():
        own[k] = add(own[k], part) if k in own else _own(part)
    return bars


def items_taken(bars: dict, place: Any, like: Any) -> Any:
    """The adjoints of all items of a list or dict, which holds `like` and loses them."""
    own = bars[id(place)]
    if isinstance(like, dict):
        parts = {k: own[k] if k in own else zeros_like(item) for k, item in like.items()}
        own.clear()
        return parts
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
    if name == WHOLE and isinstance(like, dict):
        return {k: _own(own[k]) if own is not None and k in own else zeros_like(item) for k, item in like.items()}
    if name == WHOLE:
        return [_own(own[k]) if own is not None and k in own else zeros_like(item) for k, item in enumerate(like)]
    return _own(own[name]) if own is not None and name in own else zeros_like(like)


def place_take(bars: dict, place: Any, name: Any, like: Any) -> tuple[Any, dict]:
    """The adjoint of an attribute that holds `like` and is overwritten then, and those that are left; in place."""
    if type(place) is np.ndarray:
        part = array_bar(bars, place)[part_of(name)].copy()
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
    if type(place) is np.ndarray:
        array_bar(bars, place)[part_of(name)] = 0.0
        return bars
    own = bars.get(id(place))
    if own is not None and name == WHOLE:
        own.clear()
    elif own is not None:
        own.pop(name, None)
    return bars


# --- Tangents: a table as that of adjoints. What is made anew may have the identity of what is gone

def place_dot(dots: dict, place: Any, name: Any, like: Any) -> Any:
    """The tangent of an attribute that holds `like`, of an item or of a part of an array."""
    return place_part(dots, place, name, like)


def place_begin(dots: dict, place: np.ndarray, part: Any) -> dict:
    """The tangents after an array was made, with its tangent; in place."""
    dots.pop(id(owner_of(place)), None)
    array_bar(dots, place)[...] = part
    return dots


def view_begin(dots: dict, view: np.ndarray, place: np.ndarray) -> dict:
    """The tangents after a view was made by a function that makes a copy where the order in memory asks for one, in place."""
    if not np.may_share_memory(view, place):
        place_begin(dots, view, array_bar(dots, place).reshape(view.shape))
    return dots


def owner_of(array: np.ndarray) -> np.ndarray:
    """The array that has the memory of a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


# --- Arguments

def place_copies(value: Any, sorts: tuple, others: tuple) -> dict:
    """Copies of all objects (and lists, dicts, arrays, as `sorts` says) that a value holds, by the identity of these.

    Arrays that are copied must not share memory with any other, in the value or in what else is given."""
    found: dict[int, tuple] = {}
    copied(value, "given" if "given" in sorts else "", sorts, found)
    changing = [known[0] for key, known in found.items() if key >= 0 and type(known[0]) is np.ndarray]
    if changing:
        mine: dict[int, np.ndarray] = {}
        theirs: dict[int, np.ndarray] = {}
        arrays_in(value, mine, set())
        arrays_in(others, theirs, set())
        for own in changing:
            if ~id(own) in found or any(other is not own and np.may_share_memory(own, other) for other in mine.values()) or any(
                    np.may_share_memory(own, other) for other in theirs.values()):
                refuse_sharing()
    return found


def arrays_in(value: Any, found: dict[int, np.ndarray], seen: set[int]) -> None:
    """Find all arrays in a value, by their identity."""
    if isinstance(value, np.ndarray):
        found[id(value)] = value
    elif id(value) not in seen and (isinstance(value, (list, tuple, dict)) or is_user_class(type(value))):
        seen.add(id(value))
        parts = value if isinstance(value, (list, tuple)) else (value if isinstance(value, dict) else attributes_of(value)).values()
        for part in parts:
            arrays_in(part, found, seen)


def copied(value: Any, name: str, sorts: tuple, found: dict[int, tuple]) -> Any:
    """A copy of what is held under a name; what it holds is copied once. found: what was copied, and the copies, by identity."""
    if id(value) in found:
        known = found[id(value)]
        if known[2] != name and not is_user_class(type(value)):
            raise UnsupportedError(f"a {type(value).__name__} that arguments hold at several places",
                                   remedy="Let one of them hold a copy.")
        return known[1]
    cls = type(value)
    if is_user_class(cls):
        new = new_object(cls)
        found[id(value)] = value, new, name
        for attr, part in attributes_of(value).items():
            object.__setattr__(new, attr, copied(part, attr, sorts, found))
        return new
    if cls is list:
        new = []
        if "lists" in sorts and name:
            found[id(value)] = value, new, name
        new += [copied(part, WHOLE_ITEM, sorts, found) for part in value]
        return new
    if cls is tuple or is_namedtuple(cls):
        return like_sequence(value, [copied(part, name, sorts, found) for part in value])
    if isinstance(value, dict):
        new = value.copy()
        if "dicts" in sorts and name:
            found[id(value)] = value, new, name
        for key, part in value.items():
            new[key] = copied(part, f"[{key!r}]" if "dicts" in sorts and name and type(key) is str else WHOLE_ITEM, sorts, found)
        return new
    if cls is np.ndarray and name in sorts:
        found[id(value)] = value, value.copy(), name
        return found[id(value)][1]
    if cls is np.ndarray:
        found[~id(value)] = value, value, name              # (under this name it is a value)
    return value


WHOLE_ITEM = "[]"                       # the name under which a list holds its items, and a dict those whose key is not text


def enter_places(memory: Any, value: Any, copies: dict, sorts: tuple) -> tuple[Any, Any]:
    """A value with copies in the place of all that is a place, and the state of objects with what these hold."""
    return with_copies(value, copies, sorts), memory


def with_copies(value: Any, copies: dict, sorts: tuple) -> Any:
    """A value with copies in the place of all that is a place."""
    return copied(value, "given" if "given" in sorts else "", sorts, dict(copies))


# --- Copies: `copy.copy` and `copy.deepcopy`

Copies = dict[int, tuple[Any, Any]]     # what was copied, and its copy, by identity; under 0 the value that was asked for


def copies_of(memory: Any, value: Any, deep: bool) -> Copies:
    """The objects, lists, dicts, deques and arrays that a value holds (not deep: that it is), and a copy of each."""
    return copied_places(value, deep)


def copied_places(value: Any, deep: bool) -> Copies:
    """The objects, lists, dicts, deques and arrays that a value holds (not deep: that it is), and a copy of each."""
    found: Copies = {}
    found[0] = value, copied_place(value, deep, found)
    return found


def copied_place(value: Any, deep: bool, found: Copies) -> Any:
    """A copy of a value; what it holds is copied once."""
    if id(value) in found:
        return found[id(value)][1]

    def part(item: Any) -> Any:
        return copied_place(item, True, found) if deep else item

    cls = type(value)
    if is_user_class(cls):
        if any(isinstance(getattr(cls, f"__{name}__", None), types.FunctionType) for name in COPYING):
            raise UnsupportedError(f"a copy of a {cls.__name__}, whose class says how it is copied",
                                   remedy="Call a method or function that makes the copy.")
        new = new_object(cls)
        found[id(value)] = value, new
        for name, item in attributes_of(value).items():
            object.__setattr__(new, name, part(item))
        return new
    if cls is list:
        found[id(value)] = value, (new := [])
        new += map(part, value)
        return new
    if isinstance(value, NumberedDeque):
        found[id(value)] = value, (new := NumberedDeque((), value.maxlen))
        new.fill(map(part, value))
        new.start = value.start
        return new
    if isinstance(value, dict):
        new = value.copy()
        found[id(value)] = value, new
        for key, item in value.items():
            new[key] = part(item)
        return new
    if cls is tuple or is_namedtuple(cls):
        return like_sequence(value, [part(item) for item in value])
    if cls is np.ndarray:
        found[id(value)] = value, value.copy()
    elif deep:                                              # a generator, a set; what never changes is its own copy
        found[id(value)] = value, copy.deepcopy(value)
    return found[id(value)][1] if id(value) in found else copy.copy(value)


def copies_made(memory: Any, value: Any, copies: Copies) -> tuple[Any, Any]:
    """The copy of a value, and the state of objects with what it holds."""
    return copy_in(value, copies), memory


def copy_in(value: Any, copies: Copies) -> Any:
    """The copy of a value."""
    return copies[0][1]


def copies_back(bars: dict, copies: Copies) -> dict:
    """The adjoints before copies were made, in place: what belongs to a copy belongs to what it was made of."""
    for key, (place, new) in copies.items():
        own = bars.get(id(new)) if key else None
        if own is None:
            continue
        for name, part in list(own.items()):
            if type(place) is np.ndarray:
                array_bar(bars, place)[...] += part
                part[...] = 0.0
            else:
                place_join(bars, place, name, own.pop(name))
    return bars


def copies_forth(bars: dict, copies: Copies) -> dict:
    """The transpose of `copies_back`, in place."""
    for key, (place, new) in copies.items():
        if key and type(place) is np.ndarray:
            array_bar(bars, new)[...] = array_bar(bars, place)
        elif key:
            own = bars[id(new)]
            own.clear()
            own.update((name, _own(part)) for name, part in bars.get(id(place), {}).items())
    return bars


def gathered(bars: dict, value: Any, copies: dict) -> Any:
    """The adjoint of a value that was given, from those of the copies of what it holds."""
    found = part_given(bars, value, None, copies, ())
    return 0.0 if found is None else found


def part_given(bars: dict, value: Any, part: Any, copies: dict, around: tuple) -> Any:
    """The adjoint of something that was given: `part`, if it is no place. None: it is zero. around: what holds it, by identity."""
    if id(value) in around:
        raise UnsupportedError("the gradient of an object that holds itself", remedy="Differentiate by what it holds.")
    own = bars.get(id(copies[id(value)][1]), {}) if id(value) in copies else None
    if own is not None and type(value) is np.ndarray:
        return own.get(WHOLE)
    items: Any
    if is_user_class(type(value)):
        items = attributes_of(value)
    elif isinstance(value, dict):
        items = value
    elif isinstance(value, (list, tuple)):
        items = dict(enumerate(value))
    else:
        return part
    around = (*around, id(value))
    if own is None:
        own = dict(enumerate(part)) if isinstance(part, (list, tuple, np.ndarray)) else part if isinstance(part, dict) else {}
    found = {key: given for key, item in items.items() if (
        given := part_given(bars, item, own.get(key), copies, around)) is not None}
    if isinstance(value, (list, tuple)):
        return like_sequence(value, [found.get(k, 0.0) for k in items]) if found else None
    return found


def scattered(ct: Any, value: Any, copies: dict) -> dict:
    """The adjoints of the copies of what a value holds, where `ct` is its adjoint."""
    bars = place_bars()
    scatter(bars, ct, value, copies)
    return bars


def scatter(bars: dict, ct: Any, value: Any, copies: dict) -> Any:
    """Add the parts of an adjoint to those of copies; what belongs to a value that is no place is given back."""
    place = copies[id(value)][1] if id(value) in copies else None
    if place is not None and type(value) is np.ndarray:
        place_join(bars, place, WHOLE, ct)
        return None
    items = attributes_of(value) if is_user_class(type(value)) else value if isinstance(value, dict) else dict(
        enumerate(value)) if isinstance(value, (list, tuple)) else None
    if items is None or ct is None:
        return ct
    several = isinstance(ct, (list, tuple, np.ndarray)) and np.ndim(ct) > 0 if not isinstance(ct, dict) else True
    own = ct if isinstance(ct, dict) else dict(enumerate(ct)) if several else {}
    left = {key: part for key, item in items.items() if key in own and (
        part := scatter(bars, own[key], item, copies)) is not None}
    if place is None:
        return left if isinstance(value, dict) else like_sequence(value, [left.get(k, 0.0) for k in items]) if left else None
    for key, part in left.items():
        place_join(bars, place, key, part)
    return None
