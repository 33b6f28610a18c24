"""Numbers that are None at other times: where they are computed with they are numbers, or Python raises an error.

    best = None                             best = None
    for v in xs:                            for v in xs:
        if best is not None:                    if best is not None:
            s = s + best * v                        best_2 = as_class(best, float)
        best = v * v                                s = s + best_2 * v
                                                best = v * v
"""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Unit


def optional_numbers(unit: Unit, facts: Any) -> bool:
    """Mark them in a function, in place. Whether there are any."""
    before = t.mark(unit.tree)
    unit.tree.body = t.rewritten(unit.tree.body, lambda s: [*there(unit, facts, s), s])
    return before != t.mark(unit.tree)


def there(unit: Unit, facts: Any, s: Any) -> list:
    """Names for the numbers that a statement computes with, and that are None at other times."""
    value: Any = getattr(s, "value", None)
    if not isinstance(s, gast.Assign) or t.is_in_place(value):
        return []
    function = unit.lookup(value.func) if isinstance(value, gast.Call) else None
    elementwise = isinstance(function, np.ufunc) or getattr(function, "__module__", None) == "math"
    nodes = [value.left, value.right] if isinstance(value, gast.BinOp) else [value.operand] if isinstance(
        value, gast.UnaryOp) and not isinstance(value.op, gast.Not) else value.args if elementwise else []
    new: list = []
    for node in nodes:
        if isinstance(node, gast.Name) and isinstance(kind := facts.kinds.get(node.id), k.Optional):
            name = unit.names.fresh(node.id)
            facts.kinds[name] = kind.item
            facts.local.add(name)
            mark = t.call(unit.use(runtime.as_class, "as_class"), t.load(node.id), t.load(unit.use(float, "float")))
            new.append(t.assign(name, mark, t.origin_of(s)))
            node.id = name
    return new
