"""What makes all begin again while a program with objects is looked at: lists, dicts or arrays have to be places, too."""
from __future__ import annotations

from typing import Any

from sourcegrad import kinds as k


class Wider(Exception):
    """What objects hold has turned out to be more than was thought."""


class DictsChange(Wider):
    """Dicts that objects hold change in place: they are places, too, when all is looked at again."""


class ListsChange(Wider):
    """Lists that objects hold change in place: they are places, too, when all is looked at again."""


class ArraysChange(Exception):
    """Arrays change in place that objects hold: what is stored in these attributes, and given to these parameters, is a place
    when all is looked at again."""

    def __init__(self, keys: set) -> None:
        super().__init__()
        self.keys = keys


def attributes(name: str) -> set:
    """What stands in `Unit.arrays` for an attribute (of all classes: an object may be of one of several), or an item."""
    return {("attribute", name)}


def number(name: str) -> tuple:
    """What stands in `Unit.arrays` for an attribute that operators change and of which it is not known what it holds: numbers, or
    that is refused when it runs."""
    return ("number", name)


def is_array(kind: Any) -> bool:
    kind = kind.item if isinstance(kind, k.Optional) else kind
    return isinstance(kind, k.Num) and kind.boxed is True


def is_number(kind: Any) -> bool:
    kind = k.as_num(kind or k.ANY)
    return isinstance(kind, k.Num) and kind.boxed is False


def stores_number(held: Any, name: str, arrays: frozenset) -> bool | None:
    """Whether `x op= v` stores a number in what holds this under a name; False: what it holds has changed in place; None: it is
    not known yet. (An array is a place when all is looked at again.)"""
    if is_number(held):
        return True
    if is_array(held) and attributes(name) - arrays:
        raise ArraysChange(attributes(name))
    return False if held is not None and k.may_be_held(held) and k.is_place(held) else None
