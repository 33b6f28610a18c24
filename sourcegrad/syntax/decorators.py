"""Decorators of inner functions become calls: `@twice def g(x)` is `g = twice(g_plain)`."""
from __future__ import annotations

import functools
from typing import Any

import gast

from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Unit
from sourcegrad.syntax.deferred import CACHES, cached, check_generators


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
