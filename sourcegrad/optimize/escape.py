"""Closures that are called where only their value is known carry the function that they belong to."""
from __future__ import annotations

from collections.abc import Callable

import gast

from sourcegrad import runtime
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Function, Maker, Unit


def escape(unit: Unit, lost: set, standing: Callable) -> None:
    """`c = maker(a)` of a lost function becomes `c = closed(function, (a,))`."""
    if not lost:
        return
    for s in t.statements(unit.tree.body):
        maker = unit.lookup(s.value.func) if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) else None
        if not isinstance(maker, Maker) or maker.function not in lost:
            continue
        function = standing(maker.function) if isinstance(maker.function, Function) else maker.function
        name = unit.use(function, getattr(function, "__name__", "function"))
        names = [t.pack([t.const(key) for key in maker.keywords])] if maker.keywords else []
        s.value = t.call(unit.use(runtime.closed, "closed"), t.load(name), t.pack(s.value.args), *names)
