"""The truth of what a branch changes gets a name: the reverse sweep branches as the forward sweep did."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.frontend.resolve import Unit


def kept_tests(unit: Unit) -> None:
    """`if xs: xs = list_delete(xs, 0)` is `cond = bool(xs)` and a branch on that."""
    unit.tree.body = t.rewritten(unit.tree.body, lambda s: _statement(unit, s))


def _statement(unit: Unit, s: Any) -> list:
    if not isinstance(s, gast.If) or is_stop(s) or not isinstance(s.test, gast.Name):
        return [s]
    if not any(s.test.id in (*t.writes(x), *(t.list_method(x) or ())[:1]) for x in t.statements(s.body + s.orelse)):
        return [s]
    name = unit.names.fresh("cond")
    made = t.assign(name, t.call("bool", s.test), t.origin_of(s))
    s.test = t.load(name)
    return [made, s]
