"""Decorators of inner functions become calls: `@twice def g(x)` is `g = twice(g_plain)`.

Functions whose result comes at another time than their call: caches keep it, generators find it when they are read. Generated
code calls them where the program does, so what they read must stay as it is, and nobody may change what is kept.
"""
from __future__ import annotations

import functools
import types
from typing import Any

import gast

from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.transparent import KEEPING, PROPERTIES
from sourcegrad.ir.unit import Function, Unit, free_names, is_generator


def decorators(unit: Unit) -> Unit:
    """Write the decorators of nested functions out; those that change nothing but speed or metadata are dropped."""
    check_generators(unit)
    if any(isinstance(n, gast.FunctionDef) and n.decorator_list for s in unit.tree.body for n in t.walk(s)):
        unit.tree.body = _block(unit.tree.body, unit)
    return unit


def _block(block: list, unit: Unit) -> list:
    result: list = []
    for s in block:
        t.map_blocks(s, _block, unit)
        result.append(s)
        if isinstance(s, gast.FunctionDef):
            if any(_named(d, unit) in CACHES for d in s.decorator_list):
                cached(s, unit)
            wanted = [d for d in s.decorator_list if not _inert(d, unit)]
            s.decorator_list = []
            if wanted:
                name, origin = s.name, t.origin_of(s)
                s.name = unit.names.fresh(f"{name}_plain")
                value: Any = t.load(s.name)
                for decorator in reversed(wanted):
                    value = gast.copy_location(t.call(decorator, value), decorator)
                result.append(t.assign(name, value, origin))
    return result


def _inert(decorator: Any, unit: Unit) -> bool:
    """Whether the decorated function computes what the plain one does."""
    value = _named(decorator, unit)
    compiled = (getattr(value, "__module__", None) or "").split(".")[0] == "numba"
    return value in (functools.wraps, *CACHES) or compiled


def _named(decorator: Any, unit: Unit) -> Any:
    return unit.lookup(decorator.func if isinstance(decorator, gast.Call) else decorator)


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
