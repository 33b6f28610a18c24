"""A branch that only gives one name one of two values is a conditional expression again, on the final text.

    if given:                                               x = a if given else b
        x = a
    else:
        x = b

A line of the user keeps its comment: in the reverse sweep all of it belongs to one line.
"""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.frontend import markers
from sourcegrad.frontend.attempts import Attempt
from sourcegrad.frontend.resolve import Unit
from sourcegrad.transform.nest import width

WIDTH = 96


def choices(block: list, unit: Unit, forward: set[int]) -> list:
    """A block with conditional expressions. forward: the statements of the forward sweep, which has no comments."""
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, choices, unit, forward)
        result.append(_chosen(s, unit, forward) or s)
    return result


def _chosen(s: Any, unit: Unit, forward: set[int]) -> Any:
    if not isinstance(s, gast.If) or is_stop(s) or len(s.body) != 1 or len(s.orelse) != 1:
        return None
    one, other = s.body[0], s.orelse[0]
    if not (_plain(one, unit) and _plain(other, unit) and one.targets[0].id == other.targets[0].id):
        return None
    if t.is_name(s.test) and t.same(one.value, other.value):      # the same on both paths
        if id(s) in forward:
            forward.add(id(one))
        return one
    if id(s) not in forward and len({(t.origin_of(x) or ())[:2] for x in (s, one, other)}) > 1:
        return None
    values = s.test, one.value, other.value
    if any(isinstance(node, gast.IfExp) for value in values for node in t.walk(value)) or sum(map(width, values)) > WIDTH - 16:
        return None
    new = t.assign(one.targets[0].id, gast.IfExp(test=s.test, body=one.value, orelse=other.value), t.origin_of(s))
    if id(s) in forward:
        forward.add(id(new))
    return new


def _plain(s: Any, unit: Unit) -> bool:
    if not isinstance(s, gast.Assign) or len(s.targets) > 1 or not t.is_name(s.targets[0]) or markers.is_context(s):
        return False
    return not (isinstance(s.value, gast.Call) and isinstance(unit.lookup(s.value.func), Attempt))
