"""`np.piecewise(x, [c, d], [f, g])` as one call for each piece."""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad import tree as t
from sourcegrad.frontend.resolve import Unit
from sourcegrad.runtime import library


def piecewise(unit: Unit, node: gast.Call) -> Any:
    """The expression for a call with displays of functions and conditions; None for others."""
    if len(node.args) != 3 or node.keywords or not isinstance(node.args[2], (gast.List, gast.Tuple)) or any(
            isinstance(a, gast.Starred) for a in (*node.args, *node.args[2].elts)):
        return None
    x, conditions, functions = node.args[0], node.args[1], node.args[2].elts
    if isinstance(conditions, gast.Compare):
        conditions = [conditions]
    elif isinstance(conditions, (gast.List, gast.Tuple)):
        conditions = conditions.elts
    else:
        return None
    if len(functions) - len(conditions) not in (0, 1) or not conditions:
        return None
    before: list = []

    def named(value: Any, base: str) -> gast.expr:
        name = unit.names.fresh(base)
        before.append(gast.NamedExpr(target=t.store(name), value=value))
        return t.load(name)

    module = unit.use(np, "np")
    x = named(t.call(f"{module}.asarray", x), "x")
    conditions = [named(t.call(f"{module}.asarray", c), "where") for c in conditions]
    if len(functions) > len(conditions):
        rest = conditions[0]
        for other in conditions[1:]:
            rest = t.call(f"{module}.logical_or", rest, t.clone(other))
        conditions.append(named(t.call(f"{module}.logical_not", t.clone(rest)), "where"))
    value: Any = t.call(f"{module}.zeros_like", t.clone(x))
    for condition, function in zip(conditions, functions):
        value = t.call(unit.use(library.piece, "piece"), value, t.clone(x), t.clone(condition), function)
    return t.subscript(t.pack([*before, value]), t.const(-1))
