"""What is returned for an input x is called x_bar, also where a later name took its place."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import tree as t


def results(tree: Any, parameters: list[str], wanted: dict[str, str | None]) -> bool:
    """Rename returned adjoints. wanted: input -> name of its adjoint, in the order of the gradients."""
    last = tree.body[-1]
    value = last.value if isinstance(last, gast.Return) else None
    if isinstance(value, gast.Tuple) and len(value.elts) == 2 and isinstance(value.elts[1], gast.Tuple):
        value = value.elts[1]                                   # the value of the function comes first
    items = value.elts if isinstance(value, gast.Tuple) else [value]
    if len(items) != len(wanted):
        return False
    names = [item.id if isinstance(item, gast.Name) else "" for item in items]
    taken = {n.id for n in t.walk(tree) if isinstance(n, gast.Name)} | set(parameters)
    mapping = {name: bar for name, bar in zip(names, wanted.values())
               if bar and bar not in taken and name.endswith("_bar") and names.count(name) == 1 and name not in parameters}
    if mapping:
        tree.body[:] = [t.rename(s, mapping) for s in tree.body]
    return bool(mapping)
