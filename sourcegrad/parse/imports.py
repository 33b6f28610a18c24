"""Imports inside a function: resolved when the derivative is generated, as if they stood at module level."""
from __future__ import annotations

import importlib
from typing import Any

import gast

from sourcegrad.ir import tree as t

Found = list[tuple[str, Any, tuple | None]]      # name, object, (module, attribute) that it was taken from


class Absent:
    """Stands for what an import that fails would have bound; the statement itself becomes a `raise`."""

    def __init__(self, name: str) -> None:
        self.name = name


def hoist(node: Any, module_globals: dict) -> Found:
    """Take the imports out of a function (inner functions included) and return what they bind.

    An import stays (and is refused later) where its name is bound in another way, too: which one is meant where
    is then not known.
    """
    found: Found = []
    stores = {n.id for n in t.walk(node) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}
    names = {n.name for n in t.walk(node) if isinstance(n, gast.FunctionDef)} | stores
    for owner in list(t.walk(node)):
        for field in (*t.BLOCKS, "finalbody"):
            block = getattr(owner, field, None)
            if isinstance(block, list):
                block[:] = [new for s in block for new in _statement(s, found, names, module_globals)]
    return found


def _statement(s: Any, found: Found, names: set[str], module_globals: dict) -> list:
    if not isinstance(s, (gast.Import, gast.ImportFrom)):
        return [s]
    origin = t.origin_of(s)
    try:
        new = [_bound(s, alias, module_globals) for alias in s.names]
    except ImportError as error:
        found += [(_local_name(alias), Absent(alias.name), None) for alias in s.names]
        problem = t.call(type(error).__name__, t.const(str(error)))
        return [t.at(gast.copy_location(gast.Raise(exc=problem, cause=None), s), origin)]
    known = {name: value for name, value, _ in found}
    if any(name in names or known.get(name, value) is not value for name, value, _ in new):
        return [s]
    found += new
    return [t.at(gast.copy_location(gast.Pass(), s), origin)]


def _local_name(alias: Any) -> str:
    return str(alias.asname or alias.name.split(".")[0])


def _bound(s: Any, alias: Any, module_globals: dict) -> tuple[str, Any, tuple | None]:
    """Name and object that one part of an import statement binds."""
    if isinstance(s, gast.Import):
        module = importlib.import_module(alias.name)
        value = module if alias.asname else importlib.import_module(alias.name.split(".")[0])
        return _local_name(alias), value, None
    package = module_globals.get("__package__") or module_globals.get("__name__", "")
    path = "." * (s.level or 0) + (s.module or "")
    module = importlib.import_module(path, package) if s.level else importlib.import_module(path)
    if not hasattr(module, alias.name):
        return _local_name(alias), importlib.import_module(f"{module.__name__}.{alias.name}"), None
    return _local_name(alias), getattr(module, alias.name), (module, alias.name)
