"""Attributes that change where nobody has written a call: by operators, properties, setters and iteration.

Until these are calls as all others, it is not known of such an attribute what it is: in `o.x = 1.0; return o.last is None` the
setter of `x` may have stored into `last`.
"""
from __future__ import annotations

import types
import weakref
from collections.abc import Container, Iterator
from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.errors import SourceError
from sourcegrad.frontend.resolve import describe

ASKED = {"__init__", "__new__", "__post_init__", "__init_subclass__", "__class_getitem__", "__call__", "__set_name__"}
OF_OTHERS = {"__get__", "__set__", "__delete__"}          # what they store by a name is an attribute of the object that has them
SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)
ANY_NAME = {"setattr", "__setattr__", "__dict__", "delattr", "vars"}
_stored: weakref.WeakKeyDictionary[type, Any] = weakref.WeakKeyDictionary()


class _All:
    def __contains__(self, name: object) -> bool:
        return True


def stored_unasked(cls: type) -> Container[str]:
    """The names of the attributes that such methods of a class store into."""
    found = _stored.get(cls)
    if found is None:
        names = {name for method in _methods(cls) for name in _names(method, cls, ()) if (
            name not in ANY_NAME or method not in [vars(base).get(other) for base in cls.__mro__ for other in OF_OTHERS])}
        found = _stored[cls] = _All() if names & ANY_NAME else frozenset(names)
    return found


def _methods(cls: type) -> Iterator[Any]:
    for base in cls.__mro__[:-1]:
        for name, value in vars(base).items():
            if isinstance(value, property):
                yield from (value.fget, value.fset, value.fdel)
            elif isinstance(value, types.FunctionType):
                if name[:2] == "__" and name not in ASKED:
                    yield value
            elif hasattr(type(value), "__set__") and not isinstance(value, SLOTS):
                yield from (getattr(type(value), "__set__", None), getattr(type(value), "__get__", None))


def _names(method: Any, cls: type, seen: tuple) -> set[str]:
    """What a function stores into, and the methods of the class that it calls; names of what may be any attribute."""
    if not isinstance(method, types.FunctionType) or method in seen:
        return set()
    try:
        tree = describe(method).tree
    except SourceError:
        return set()
    found: set[str] = set()
    for node in t.walk(tree):
        if isinstance(node, gast.Attribute):
            inner = getattr(cls, node.attr, None) if isinstance(node.ctx, gast.Load) else None
            found |= _names(inner, cls, (*seen, method))
            if not isinstance(node.ctx, gast.Load) or node.attr in ANY_NAME:
                found.add(node.attr)
        elif isinstance(node, gast.Name) and node.id in ANY_NAME:
            found.add(node.id)
    return found
