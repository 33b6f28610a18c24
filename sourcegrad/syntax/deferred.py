"""Functions whose result comes at another time than their call: caches keep it, generators find it when they are read.

Generated code calls them where the program does, so what they read must stay as it is, and nobody may change what is kept.
"""
from __future__ import annotations

import functools
import types

import gast

from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import KEEPING, PROPERTIES
from sourcegrad.ir.unit import Function, Unit, free_names, is_generator

CACHES = (functools.lru_cache, functools.cache)
_places: set[tuple] = set()                              # of inner functions with a cache


def keeps(function: Function) -> bool:
    """Whether the result of a function is kept, and given again."""
    if isinstance(function.object, types.FunctionType):
        return function.object in KEEPING or function.object in PROPERTIES
    return (function.name, function.origin) in _places


def cached(function: gast.FunctionDef, unit: Unit) -> None:
    """An inner function with a cache."""
    _check(f"the cached function '{function.name}'", "leave the cache away", function, unit)
    _places.add((function.name, t.origin_of(function)))


def check_generators(unit: Unit) -> None:
    """Inner generator functions of which a call gets a name."""
    named = {node.value.func.id for node in t.walk(unit.tree) if isinstance(node, gast.Assign) and isinstance(node.value, gast.Call)
             and isinstance(node.value.func, gast.Name)}
    for node in t.walk(unit.tree) if named else ():
        if node is not unit.tree and is_generator(node) and node.name in named:
            _check(f"the generator '{node.name}'", "read it at once", node, unit)


def _check(what: str, advice: str, function: gast.FunctionDef, unit: Unit) -> None:
    changing = _changing(unit)
    own = [name for node in t.walk(function) if isinstance(node, gast.Nonlocal) for name in node.names]
    for name in [*own, *free_names(function)]:
        if name in changing:
            raise UnsupportedError(f"{what}, which reads '{name}', which changes", t.origin_of(function),
                                   f"Pass '{name}' as an argument, or {advice}.")


def _changing(unit: Unit) -> set[str]:
    """Names that are bound more than once, or of which parts are stored."""
    times: dict[str, int] = dict.fromkeys(unit.parameters, 1)
    for node in t.walk(unit.tree):
        if isinstance(node, (gast.Nonlocal, gast.Global)):
            times.update(dict.fromkeys(node.names, 2))
        for target in [*getattr(node, "targets", []), *([node.target] if hasattr(node, "target") else [])]:
            stored = isinstance(target, (gast.Subscript, gast.Attribute))
            names = [n.id for n in t.walk(target) if isinstance(n, gast.Name)] if stored else t.target_names(target)
            for name in names:
                times[name] = times.get(name, 0) + (2 if stored or isinstance(node, gast.AugAssign) else 1)
    return {name for name, count in times.items() if count > 1}
