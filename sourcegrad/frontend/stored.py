"""Attributes that may not be stored, or not be told from what a class makes of them: refused at their place."""
from __future__ import annotations

import dataclasses
import types
from typing import Any

import gast

from sourcegrad import kinds as k, source, tree as t
from sourcegrad.analysis import object_kinds as objects
from sourcegrad.errors import UnsupportedError
from sourcegrad.frontend.resolve import MISSING


def says_stores(cls: Any) -> bool:
    """Whether a class says what storing any of its attributes does."""
    return isinstance(cls.__setattr__, types.FunctionType) and not dataclasses.is_dataclass(cls)


def check_stored(spec: Any, node: gast.Attribute, owner: Any, s: Any) -> None:
    """An attribute that may not be there yet, so that `__getattr__` answers: which of the two shows only when it runs."""
    cls: Any = objects.class_of(owner)
    if isinstance(owner, k.Obj) and node.attr in owner.maybe and not says_stores(cls) and (
            objects.static_member(cls, node.attr) is MISSING) and isinstance(
            objects.static_member(cls, "__getattr__"), types.FunctionType):
        raise UnsupportedError(f"the attribute '{node.attr}', which is stored or is what {cls.__name__}.__getattr__ gives",
                               source.locate(node, t.origin_of(s)), "Give it its value in __init__, or another name.")


def check_frozen(cls: Any, owner: Any, name: str, place: Any) -> None:
    """A store into an object that does not change: Python raises an error there."""
    if isinstance(owner, k.Named) or getattr(getattr(cls, "__dataclass_params__", None), "frozen", False):
        raise UnsupportedError(f"a store into '{name}' of a {cls.__name__}, which cannot be changed", place,
                               "Make another one: x._replace(...)." if isinstance(owner, k.Named) else
                               "Make another one: dataclasses.replace(x, ...).")


def check_class(owner: Any, where: Any, value: Any, place: Any) -> None:
    """A store into a class, by whatever name, that is more than counting: all its objects see that, and it stays."""
    if isinstance(owner, k.Fn) and isinstance(owner.value, type) and value is not None and not k.is_discrete(value):
        what = f"{owner.value.__name__}.{where.attr}" if isinstance(where, gast.Attribute) else f"an item of {owner.value.__name__}"
        raise UnsupportedError(f"a store into the class: {what}", place,
                               "Keep it in the object (self), or pass it as an argument and return the new one.")
