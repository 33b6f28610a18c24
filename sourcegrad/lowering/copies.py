"""`copy.copy` and `copy.deepcopy` of what is told apart by its identity: the copies are new places.

    q = copy.deepcopy(p)            copies = copies_of(memory_, p, True)
                                    q_pair = copies_made(memory_, p, copies)
                                    q, memory_ = q_pair

The adjoints of the copies belong to what was copied, from where they were made (`copies_back`)."""
from __future__ import annotations

import copy
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import MEMORY


def copied(spec: Any, s: gast.Assign, holds_place: Any) -> list | None:
    """The statements for an assignment of a copy; None: it is none, or not of a place. holds_place: whether a kind holds one."""
    unit, call, origin = spec.unit, s.value, t.origin_of(s)
    function = unit.lookup(call.func)
    if function not in (copy.copy, copy.deepcopy) or len(call.args) != 1 or call.keywords:
        return None
    kind, deep = spec.facts.of(call.args[0]), function is copy.deepcopy
    if kind is None or not (holds_place(kind) if deep else k.is_place(kind)):
        return None
    name, before = s.targets[0].id, list[Any]()
    value = call.args[0]
    if not t.is_name(value):
        value = t.load(unit.names.fresh("value"))
        before = [t.assign(value.id, call.args[0], origin)]
    copies, pair = unit.names.fresh("copies"), unit.names.fresh(f"{name}_pair")
    found = t.call(unit.use(runtime.copies_of, "copies_of"), t.load(MEMORY), value, t.const(deep))
    made = t.call(unit.use(runtime.copies_made, "copies_made"), t.load(MEMORY), t.clone(value), t.load(copies))
    return [*before, t.assign(copies, gast.copy_location(found, call), origin),
            t.assign(pair, gast.copy_location(made, call), origin), t.unpack([name, MEMORY], t.load(pair), origin)]
