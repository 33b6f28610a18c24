"""Attributes that are defaultdicts wherever a class sets them: `self.links = defaultdict(list)`.

Methods of the class then read a missing item as its code says; other code finds a dict, and Python's KeyError.
And which functions make deques: generated code calls them in its own form, where a deque is a list.
"""
from __future__ import annotations

import collections
import functools
import sys
import types
from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.errors import SourcegradError
from sourcegrad.frontend.resolve import Function, describe

MAKERS = (list, dict, float, int, tuple)


def owner_of(function: Function) -> type | None:
    """The class that a function is a method of, found by its qualified name."""
    path = getattr(function.object, "__qualname__", "").split(".")
    found: Any = sys.modules.get(getattr(function.object, "__module__", None) or "")
    for name in path[:-1]:
        found = getattr(found, name, None)
    if len(path) < 2 or not isinstance(found, type):
        return None
    return found if vars(found).get(path[-1]) is function.object else None


def default_items(function: Function) -> dict[str, Any]:
    """Attribute -> what makes its missing items, for the object that the function is a method of."""
    owner = owner_of(function)
    return {} if owner is None else dict(_known(owner, tuple(m.__code__ for m in _methods(owner))))


@functools.lru_cache(maxsize=512)
def _known(owner: type, code: tuple) -> tuple[tuple[str, Any], ...]:
    found: dict[str, Any] = {}
    for method in _methods(owner):
        if "defaultdict" in method.__code__.co_names:
            _collect(method, found)
    for method in _methods(owner) if found else ():          # stored otherwise anywhere: not known
        _check(method, found)
    return tuple(found.items())


def _methods(owner: type) -> list[types.FunctionType]:
    """The methods of a class, of those that it inherits from, and of those that inherit from it."""
    classes: list[Any] = [*owner.__mro__, *owner.__subclasses__()]
    classes += [below for cls in classes[len(owner.__mro__):] for below in cls.__subclasses__()]
    return [m for cls in classes for m in vars(cls).values() if isinstance(m, types.FunctionType)]


def _stores(method: types.FunctionType) -> list[tuple[str, Any, Function]]:
    try:
        function = describe(method)
    except SourcegradError:
        return []
    receiver = function.parameters[:1]
    stores = []
    for node in t.walk(function.tree):
        for target in getattr(node, "targets", None) or [getattr(node, "target", None)]:
            if isinstance(target, gast.Attribute) and isinstance(target.value, gast.Name) and [target.value.id] == receiver:
                stores.append((target.attr, node.value if isinstance(node, (gast.Assign, gast.AnnAssign)) else None, function))
    return stores


def makes_deques(function: Any) -> bool:
    """Whether a call of a function or class may make a deque, which generated code keeps as a list."""
    seen: set[int] = set()
    waiting = [function]
    while waiting:
        found = waiting.pop()
        if id(found) in seen:
            continue
        seen.add(id(found))
        if isinstance(found, type) and found.__module__ != "builtins":
            waiting += [m for cls in found.__mro__ for m in vars(cls).values() if isinstance(m, types.FunctionType)]
        elif isinstance(found, types.FunctionType):
            names = set(found.__code__.co_names)
            if "deque" in names:
                return True
            waiting += [found.__globals__[name] for name in names if name in found.__globals__]
    return False


def _maker(value: Any, function: Function) -> Any:
    """What a call of defaultdict is given, if it is one of the ordinary types."""
    if not isinstance(value, gast.Call) or len(value.args) != 1 or value.keywords or not isinstance(value.args[0], gast.Name):
        return None
    callee = value.func
    called = function.scope.lookup(callee.id) if isinstance(callee, gast.Name) else None
    if isinstance(callee, gast.Attribute) and isinstance(callee.value, gast.Name):
        called = getattr(function.scope.lookup(callee.value.id), callee.attr, None)
    maker = function.scope.lookup(value.args[0].id)
    return maker if called is collections.defaultdict and maker in MAKERS else None


def _collect(method: types.FunctionType, found: dict[str, Any]) -> None:
    for name, value, function in _stores(method):
        maker = _maker(value, function)
        if maker is not None:
            found.setdefault(name, maker)


def _check(method: types.FunctionType, found: dict[str, Any]) -> None:
    for name, value, function in _stores(method):
        if name in found and _maker(value, function) is not found[name]:
            del found[name]
