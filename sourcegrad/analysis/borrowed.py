"""Generated functions that may give an array away which their caller must not write into: a read-only view, or a global."""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad.analysis.alias import OUTSIDE, Storage
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Unit


def lends(tree: Any, unit: Unit, facts: Infer) -> bool:
    """Whether what a function returns may be memory that is not its own, nor its arguments'."""
    storage = Storage(unit, facts)
    statements = list(t.statements(tree.body))
    local = {p.id for p in t.walk(tree.args) if isinstance(p, gast.Name)} | {n for s in statements for n in t.writes(s)}
    lent: set[str] = set()

    def foreign(value: Any) -> bool:
        held = storage.held(value)
        return OUTSIDE in held or any(
            n in lent or n not in local and isinstance(unit.lookup(t.load(n)), np.ndarray) for n in held)

    changed = True
    while changed:
        changed = False
        for s in statements:
            found = t.list_method(s)
            if found is not None and found[1] == "append":
                names, value = [found[0]], s.value.args[0]
            elif isinstance(s, gast.Assign):
                names, value = t.writes(s), t.load(found[0]) if found is not None else s.value
            elif isinstance(s, gast.For):
                names, value = t.writes(s), s.iter
            else:
                continue
            names = [n for n in names if n not in lent and not storage.is_scalar(n)]
            if names and foreign(value):
                lent.update(names)
                changed = True
    return any(foreign(s.value) for s in statements if isinstance(s, gast.Return) and s.value is not None)
