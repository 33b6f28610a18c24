"""Lists of functions that are only indexed by constants are tuples: then every element is known by itself."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.frontend.closures import Maker
from sourcegrad.frontend.resolve import MISSING, Unit


def tables(unit: Unit) -> None:
    """`fs = [f, g]`, of which only `fs[0]` and `fs[1]` are used, becomes `fs = (f, g)`."""
    statements = list(t.statements(unit.tree.body))
    found = {t.writes(s)[0]: s for s in statements
             if isinstance(s, gast.Assign) and isinstance(s.value, gast.List) and isinstance(s.targets[0], gast.Name)}
    if not found:
        return
    made = {n for s in statements if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call)
            and isinstance(unit.lookup(s.value.func), Maker) for n in t.writes(s)}
    for name, s in found.items():
        if any(t.is_name(item) and item.id in made or callable(known(unit, item)) for item in s.value.elts) and (
                only_constants(unit, name)):
            s.value = gast.copy_location(gast.Tuple(elts=s.value.elts, ctx=t.LOAD), s.value)


def known(unit: Unit, item: Any) -> Any:
    value = unit.lookup(item)
    return None if value is MISSING else value


def only_constants(unit: Unit, name: str) -> bool:
    """Whether a name is assigned once, and only ever indexed by constants."""
    mentions = [n for n in t.walk(unit.tree) if t.is_name(n, name)]
    indexed = [n for n in t.walk(unit.tree) if isinstance(n, gast.Subscript) and t.is_name(n.value, name)
               and isinstance(n.ctx, gast.Load) and isinstance(n.slice, gast.Constant) and isinstance(n.slice.value, int)]
    return len(mentions) == len(indexed) + 1
