"""Special methods that Python calls without being asked: of a truth test, of text, of an order in a sort.

Generated code leaves those calls to Python, on the objects that it has by then. So they may look at objects, and not change any.
"""
from __future__ import annotations

import sys
import types
import weakref
from typing import Any

import gast

from sourcegrad import kinds as k, tree as t
from sourcegrad.analysis.object_kinds import class_of, static_member
from sourcegrad.errors import SourceError, UnsupportedError
from sourcegrad.frontend.resolve import describe, local_names

IMPLICIT = ("__bool__", "__len__", "__str__", "__repr__", "__format__", "__index__", "__hash__", "__contains__", "__lt__", "__le__",
            "__gt__", "__ge__")
_changing: weakref.WeakKeyDictionary[type, Any] = weakref.WeakKeyDictionary()         # class -> what is refused of it, or None


def check_implicit(kinds: dict[str, k.Kind]) -> None:
    """Refuse objects with such a method that changes something."""
    for kind in kinds.values():
        for part in kind.items if isinstance(kind, k.OneOf) else (kind,):
            cls = class_of(part)
            if cls is None:
                continue
            if cls not in _changing:
                _changing[cls] = _found(cls)
            if _changing[cls] is not None:
                name, origin = _changing[cls]
                raise UnsupportedError(f"a '{name}' that changes something: Python calls it without being asked", origin,
                                       "Change it in a method that is called by its name.")


def _found(cls: type) -> tuple[str, Any] | None:
    for name in IMPLICIT:
        method = getattr(cls, name, None)
        if changes_something(method, cls):
            return f"{cls.__name__}.{name}", t.origin_of(describe(method).tree)
    return None


def changes_something(method: Any, cls: type, seen: tuple = ()) -> bool:
    """Whether a method of a class, or a method of its own that it calls, stores into anything but what it has made itself."""
    if not isinstance(method, types.FunctionType) or _root_module(method) in sys.stdlib_module_names or method in seen:
        return False
    try:
        tree = describe(method).tree
    except SourceError:
        return False
    own = local_names(tree) - {n.id for n in t.walk(tree.args) if isinstance(n, gast.Name)}
    for node in t.walk(tree):
        if any(root not in own for root in _changed(node)):
            return True
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and t.is_name(node.func.value) and (
                changes_something(static_member(cls, node.func.attr), cls, (*seen, method))):
            return True
    return False


def _changed(node: Any) -> list[str | None]:
    """The names of the objects in which a statement stores, or of which it calls a method for what that does."""
    places: list = []
    if isinstance(node, (gast.Assign, gast.Delete)):
        places = [part for target in node.targets for part in t.walk(target)]
    elif isinstance(node, (gast.AugAssign, gast.AnnAssign)):
        places = list(t.walk(node.target))
    elif isinstance(node, (gast.Global, gast.Nonlocal)):
        return [None]
    elif isinstance(node, gast.Expr) and isinstance(node.value, gast.Call) and isinstance(node.value.func, gast.Attribute):
        return [_root(node.value.func)]
    return [_root(part) for part in places if isinstance(part, (gast.Attribute, gast.Subscript)) and not isinstance(
        part.ctx, gast.Load)]


def _root_module(method: types.FunctionType) -> str:
    """The module whose code a method is: that of `dataclasses`, for example, whatever class it was made for."""
    return str(method.__globals__.get("__name__", "")).split(".")[0]


def _root(node: Any) -> str | None:
    while isinstance(node, (gast.Attribute, gast.Subscript)):
        node = node.value
    return node.id if isinstance(node, gast.Name) else None
