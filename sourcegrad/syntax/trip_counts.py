"""Trip counters for loops whose number of iterations is not known beforehand: `while`, and `for` with exits."""
from __future__ import annotations

import gast

from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Unit


def count(unit: Unit) -> Unit:
    """Put `trips = trips + 1` first into such loops and `trips = 0` before them."""
    unit.tree.body = _block(unit.tree.body, unit)
    return unit


def _block(block: list, unit: Unit) -> list:
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, _block, unit)
        if isinstance(s, gast.While) or (isinstance(s, gast.For) and s.body and is_stop(s.body[-1])):
            name = unit.names.fresh("trips")
            unit.counters.add(name)
            origin = t.origin_of(s)
            result.append(t.assign(name, t.const(0), origin))
            one_more = t.binop(t.load(name), gast.Add(), t.const(1))
            s.body.insert(0, t.assign(name, one_more, origin))
        result.append(s)
    return result
