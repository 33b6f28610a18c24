"""What is known of arguments whose objects are places: references, and a state that says what they hold."""
from __future__ import annotations

import functools
from typing import Any

from sourcegrad import kinds as k
from sourcegrad.kinds.types import Kind
from sourcegrad.runtime.structure import HeldArray, HeldDict, HeldList, is_user_class


@functools.cache
def site(base: type, name: str, made: Any = None) -> type:
    """The class of the lists, dicts or arrays that arguments hold under a name."""
    members = {"__slots__": (), "__module__": "arguments", "__qualname__": f"{base.__name__}.{name}"}
    return type(f"given_{base.__name__}", (base,), members | ({"made": made} if issubclass(base, HeldDict) else {}))


def holds_objects(kind: Any) -> bool:
    """Whether a value is, or holds, an object of a class of the user's of which the attributes are known."""
    if isinstance(kind, k.Obj) and kind.items is not None and is_user_class(kind.cls):
        return True
    return any(map(holds_objects, k.parts(kind)))


def changes_in(kind: Any, stored: set[tuple[type, str]], steps: tuple = ()) -> list[tuple[list, bool]]:
    """Where a value changes of which these attributes of objects are stored: steps to it, whether only what the last one names."""
    if isinstance(kind, k.Obj) and kind.items is not None:
        found: list[tuple[list, bool]] = []
        for attr, item in kind.items:
            found += [([*steps, attr], True)] if (kind.cls, attr) in stored else []
            found += changes_in(item, stored, (*steps, attr))
        return found
    return [(list(steps), False)] if any(changes_in(part, stored) for part in k.parts(kind)) else []


def entered_kind(memory: Kind, value: Kind, copies: Kind, sorts: Kind) -> Kind:
    """The kind of arguments whose objects are places, with the state of these."""
    if not isinstance(memory, k.State) or not isinstance(sorts, k.Tup):
        return k.ANY
    found = Entries(memory, [sort.value for sort in sorts.items if isinstance(sort, k.Const)])
    place = found.place(value, "given" if "given" in found.sorts else "")
    return k.Tup((place, found.memory))


def alike(items: list) -> bool:
    """Whether several objects, lists or dicts are of one kind."""
    return len(items) > 1 and len(set(items)) == 1 and isinstance(items[0], (k.Obj, k.Lst, k.Dct, k.Map)) and not (
        k.is_discrete(items[0]))


class Entries:
    """The state of objects, with what arguments hold."""

    def __init__(self, memory: k.State, sorts: list[str]) -> None:
        self.memory, self.sorts = memory, sorts

    def place(self, kind: Any, name: str) -> Kind:
        """The kind of a place for a value that is found under a name."""
        if isinstance(kind, k.OneOf):
            several: Any = [self.place(one, name) for one in kind.items]
            return k.OneOf(tuple(several), kind.optional)
        if isinstance(kind, k.Obj) and kind.items is not None and is_user_class(kind.cls):
            place: Any = k.Place(kind.cls, optional=kind.optional)
            for attr, part in kind.items:
                self.store(place, attr, self.place(part, attr))
            return place
        if isinstance(kind, k.Tup) and not isinstance(kind, k.Closure):
            items = tuple(self.place(part, name) for part in kind.items)
            return k.Named(items, kind.cls) if isinstance(kind, k.Named) else k.Tup(items)
        if isinstance(kind, k.Lst):
            item: Any = None if kind.item is None else self.place(kind.item, k.ITEM)
            if "lists" not in self.sorts or not name:
                return k.Lst(item, kind.optional)
            place = k.Place(site(HeldList, name), optional=kind.optional)
            return place if item is None else self.store(place, k.ITEM, item)
        if isinstance(kind, (k.Dct, k.Map)) and not isinstance(kind, k.Counts):
            return self.dict(kind, name)
        if isinstance(kind, k.Num) and kind.boxed is True and name in self.sorts:
            place = k.Place(site(HeldArray, name))
            self.memory = k.filling(self.memory, place, kind)
            return place
        return k.as_num(kind)

    def dict(self, kind: Any, name: str) -> Kind:
        if "dicts" not in self.sorts or not name or kind.made is not None and not isinstance(kind.made, k.Fn):
            if isinstance(kind, k.Dct):
                return k.Dct(tuple((key, self.place(item, k.ITEM)) for key, item in kind.items), kind.partial, kind.made)
            return k.Map(kind.key, None if kind.item is None else self.place(kind.item, k.ITEM), kind.made)
        place = k.Place(site(HeldDict, name, kind.made.value if isinstance(kind.made, k.Fn) else None))
        if isinstance(kind, k.Dct) and alike([item for _, item in kind.items]):
            named: list[Any] = [k.Const(key) for key, _ in kind.items]
            keys = functools.reduce(k.join, named)
            entry = self.place(kind.items[0][1], k.ITEM)
            self.memory = k.storing_entry(self.memory, place, keys, entry)
        elif isinstance(kind, k.Dct):
            for key, item in kind.items:
                entry = self.place(item, k.entry_name(place, key))
                self.memory = k.storing_entry(self.memory, place, k.Const(key), entry)
        elif kind.key is not None and kind.item is not None:
            entry = self.place(kind.item, k.ITEM)
            self.memory = k.storing_entry(self.memory, place, kind.key, entry)
        return place

    def store(self, place: Kind, name: str, kind: Kind) -> Kind:
        self.memory = k.storing(self.memory, place, name, kind)
        return place
