"""One operation per statement again, after `memory` has written whole places such as v[1:].T[0] where it reads them."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import runtime, tree as t
from sourcegrad.frontend.resolve import MISSING, Unit


def single_steps(unit: Unit) -> None:
    """Split chains of reads, and what is stored by `index_set`, into statements of their own."""
    unit.tree.body = _block(unit.tree.body, unit)


def _block(block: list, unit: Unit) -> list:
    result: list = []
    for s in block:
        t.map_blocks(s, _block, unit)
        if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name):
            value = s.value
            if isinstance(value, gast.Call) and unit.lookup(value.func) is runtime.index_set and len(value.args) == 3:
                value.args[2] = _atom(value.args[2], unit, result, t.origin_of(s))
            elif isinstance(value, (gast.Attribute, gast.Subscript)) and unit.lookup(value) is MISSING:
                _base(value, unit, result, t.origin_of(s))
            elif isinstance(value, gast.Call):               # y[1:].ravel()
                _base(value, unit, result, t.origin_of(s))
        result.append(s)
    return result


def _atom(node: Any, unit: Unit, before: list, origin: Any) -> Any:
    """A name for what a chain of attributes, indices and views reads."""
    if not isinstance(node, (gast.Attribute, gast.Subscript, gast.Call)) or unit.lookup(node) is not MISSING:
        return node
    _base(node, unit, before, origin)
    name = unit.names.fresh("part")
    before.append(t.assign(name, node, origin))
    return t.load(name)


def _base(node: Any, unit: Unit, before: list, origin: Any) -> None:
    if isinstance(node, gast.Call):
        if isinstance(node.func, gast.Attribute) and unit.lookup(node.func) is MISSING:
            node.func.value = _atom(node.func.value, unit, before, origin)
    else:
        node.value = _atom(node.value, unit, before, origin)
