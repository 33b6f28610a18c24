"""Statements that are written out before names are resolved: `try`, `with`, `match`, `yield`. Trees only, no objects."""
from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import gast

from sourcegrad.ir import tree as t
from sourcegrad.ir.names import Names
from sourcegrad.parse.generators import generator_loops, generators
from sourcegrad.parse.match import matching
from sourcegrad.parse.try_ import handlers
from sourcegrad.parse.with_ import contexts

STATEMENTS: dict[type, Any] = {gast.Try: handlers, gast.With: contexts, gast.Match: matching}


def written_out(node: Any, lookup: Callable[[str], Any]) -> tuple[dict[str, Any], list]:
    """Rewrite a function in place, inner functions included; gives new functions that it then calls, by name, and those that stand
    in it instead of being called: (the expression that named it, the function, its description).

    lookup: the object of a name that is not local (None if there is none).
    """
    bound: dict[str, Any] = {}
    stored = {n.id for n in t.walk(node) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}

    def static(item: Any) -> Any:
        if isinstance(item, gast.Attribute):
            owner = static(item.value)
            return getattr(owner, item.attr, None) if isinstance(owner, types.ModuleType) else None
        return lookup(item.id) if isinstance(item, gast.Name) and item.id not in stored else None

    names = Names({n.id for n in t.walk(node) if isinstance(n, gast.Name)}
                  | {n.name for n in t.walk(node) if isinstance(n, (gast.FunctionDef, gast.MatchAs, gast.MatchStar))
                     and n.name})
    taken = generator_loops(node, names, static, bound)
    generators(node, names)
    for outer in t.walk(node):
        for s in outer.body if isinstance(outer, (gast.Try, gast.With)) else ():
            for inner in t.walk(s):
                if isinstance(inner, gast.Try):
                    inner.inside = True                 # what its `finally` binds may be seen when an exception passes
    node.body = _block(node.body, names, static, bound)
    return bound, taken


def _block(block: list, names: Names, static: Any, bound: dict) -> list:
    result: list = []
    for s in block:
        t.map_raw_blocks(s, lambda inner: _block(inner, names, static, bound))
        rewrite = STATEMENTS.get(type(s))
        result += rewrite(s, names, static, bound) if rewrite else [s]
    return result
