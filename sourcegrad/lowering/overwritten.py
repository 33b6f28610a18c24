"""Options such as overwrite_x=True: a call may destroy what an array holds, so nobody may read it later.

What the array holds afterwards is not defined. A call is taken as if it left its arguments alone, which is right as long as they
are not read; otherwise the function computes what its own text does not say, and is refused.
"""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k
from sourcegrad.analysis.alias import groups
from sourcegrad.analysis.call_targets import Target
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.unit import Unit


def check_overwritten(unit: Unit, facts: Infer, s: gast.Assign, target: Target) -> None:
    """Refuse a call of NumPy or SciPy that may destroy an array that is read after it."""
    asked = [name for name, value in target.keywords.items() if name.startswith("overwrite_") and not (
        isinstance(kind := facts.of(value), k.Const) and not kind.value)]
    function = unit.lookup(s.value.func) if asked else MISSING
    if (getattr(function, "__module__", None) or "").partition(".")[0] not in ("numpy", "scipy"):
        return
    given = {name for operand in target.operands for name in t.reads(operand)}
    kinds = {**facts.kinds, s.targets[0].id: k.FLOAT}                  # what the call gives is new, whatever it destroys
    alike = groups(unit.tree.body, unit.parameters, unit, kinds)
    destroyed = {other for name in given & alike.keys() for other in alike[name]}
    for read in read_after(unit.tree.body, s):
        if destroyed & set(read):
            name = source.expression_text(s.value.func)
            raise UnsupportedError(f"{name} with {asked[0]}, which may destroy an array that is read later", source.locate(
                s.value, t.origin_of(s)), f"Leave {asked[0]} out, or pass a copy of the array.")


def read_after(body: list, s: Any) -> list[list[str]]:
    """What statements read that run after one: those behind it, and all in the loops that it is in."""
    found, behind = [], False
    for statement in t.statements(body):
        behind = behind or statement is s
        again = isinstance(statement, (gast.For, gast.While)) and any(inner is s for inner in t.statements(statement.body))
        if again:
            own = {name for inner in t.statements(statement.body) for name in t.writes(inner)}
            found += [[name for name in t.header_reads(inner) if name not in own]
                      for inner in t.statements(statement.body)]
        if behind and statement is not s:
            found.append(t.header_reads(statement))
    return found
