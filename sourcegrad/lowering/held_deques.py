"""Deques that others hold: they are places, told apart by their identity, and each item keeps its number (`runtime.NumberedDeque`).

    q.append(v)                     number = deque_end(memory_, q)
                                    memory_ = deque_push(memory_, q, number, v)
    v = q.popleft()                 number = deque_number(memory_, q, 0)
                                    v = deque_load(memory_, q, number)
                                    memory_ = deque_pop_left(memory_, q)

So the adjoint of an item is found under its number, whatever comes and goes at both ends. How they are read: `held_lists`."""
from __future__ import annotations

import operator
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import INPLACE_OF, hashable
from sourcegrad.ir.unit import MEMORY, Unit
from sourcegrad.lowering.held_lists import (
    READING,
    Contents,
    filled,
    loaded,
    of_deque,
    position,
    refused_deque,
    stores_parts,
)
from sourcegrad.lowering.place_kinds import stores_number
from sourcegrad.primitives.core import primitive_of
from sourcegrad.runtime import library


def changing(spec: Any, s: Any) -> list | None:
    """The statements for one that changes a deque in place."""
    unit, facts, origin = spec.unit, spec.facts, t.origin_of(s)
    call: Any = getattr(s, "value", None)
    if not isinstance(s, (gast.Assign, gast.Expr)):
        return None
    if isinstance(call, gast.BinOp) and t.is_in_place(call) and t.is_name(call.left) and k.is_held_deque(facts.of(call.left)):
        if not isinstance(call.op, gast.Add):
            raise refused_deque(call, origin)
        return [*extended_deque(spec, call.left, call.right, runtime.deque_push, origin),
                t.assign(s.targets[0], t.clone(call.left), origin)]                                         # type: ignore[union-attr]
    if not isinstance(call, gast.Call):
        return None
    if not isinstance(call.func, gast.Attribute):
        return changed_by_function(spec, s, call, origin)
    place, method = call.func.value, call.func.attr
    if not t.is_name(place) or not k.is_held_deque(facts.of(place)) or method in READING and method != "copy":
        return None
    if call.keywords or any(isinstance(a, gast.Starred) for a in call.args):
        raise refused_deque(call, origin)
    result = [] if isinstance(s, gast.Expr) else [t.assign(s.targets[0], t.const(None), origin)]
    if method in ("append", "appendleft") and len(call.args) == 1:
        return [*one_more(unit, place, call.args[0], method == "appendleft", origin), *result]
    if method in ("extend", "extendleft") and len(call.args) == 1:
        push = runtime.deque_push if method == "extend" else runtime.deque_push_left
        return [*extended_deque(spec, place, call.args[0], push, origin), *result]
    if method in ("pop", "popleft") and not call.args:
        return one_less(unit, place, s, method == "popleft", origin)
    if method == "clear" and not call.args:
        return [filled(unit, t.clone(place), gast.List(elts=[], ctx=t.LOAD), origin), *result]
    if method == "rotate" and len(call.args) < 2:
        return [*rotated(spec, place, call.args[0] if call.args else t.const(1), origin), *result]
    if method in ("reverse", "remove"):
        contents = Contents(unit, facts, origin)
        items = contents.whole(t.clone(place))
        call.func.value = items
        return [*contents.before, s, filled(unit, t.clone(place), t.clone(items), origin)]
    raise refused_deque(call, origin)


def changed_by_function(spec: Any, s: Any, call: gast.Call, origin: Any) -> list | None:
    """The statements for `q[k] = v`, `q += values` and what else is a function that changes a deque in place."""
    unit, facts = spec.unit, spec.facts
    function = unit.lookup(call.func)
    if not call.args or not t.is_name(call.args[0]) or not k.is_held_deque(facts.of(call.args[0])) or not hashable(function) or (
            function not in INPLACE_OF and not primitive_of(function).mutates and function not in (
                library.move_items, runtime.rising, runtime.leaving)):
        return None
    place = t.clone(call.args[0])
    again = [] if t.is_name(s.targets[0], place.id) else [t.assign(s.targets[0].id, t.clone(place), origin)]
    if INPLACE_OF.get(function) is operator.add:
        return [*extended_deque(spec, place, call.args[1], runtime.deque_push, origin), *again]
    if function is runtime.list_append:
        return [*one_more(unit, place, call.args[1], False, origin), *again]
    if function is runtime.index_update and not (
            stores := stores_number(k.held(facts.kinds.get(MEMORY), facts.of(place), k.ITEM), k.ITEM, unit.arrays)):
        return again if stores is False else None
    where = call.args[1].slice if stores_parts(function) and isinstance(call.args[1], gast.Subscript) else None
    number = None if where is None else position(unit, facts, place, where)
    if number is None:
        raise refused_deque(call, origin)
    name = unit.names.fresh("number")
    store = of_deque(unit, runtime.deque_store, place, t.load(name), call.args[2])
    return [t.assign(name, number, origin), t.assign(MEMORY, store, origin), *again]


def one_more(unit: Unit, place: Any, value: Any, left: bool, origin: Any) -> list:
    """A deque gets an item at one of its ends."""
    name = unit.names.fresh("number")
    number = of_deque(unit, runtime.deque_front if left else runtime.deque_end, place)
    push = of_deque(unit, runtime.deque_push_left if left else runtime.deque_push, place, t.load(name), value)
    return [t.assign(name, number, origin), t.assign(MEMORY, push, origin)]


def one_less(unit: Unit, place: Any, s: Any, left: bool, origin: Any) -> list:
    """A deque loses the item at one of its ends."""
    shrink = t.assign(MEMORY, of_deque(unit, runtime.deque_pop_left if left else runtime.deque_pop, place), origin)
    if isinstance(s, gast.Expr):
        return [shrink]
    name = unit.names.fresh("number")
    number = of_deque(unit, runtime.deque_number, place, t.const(0 if left else -1))
    item = loaded(unit, t.clone(place), t.load(name), True)
    return [t.assign(name, number, origin), t.assign(s.targets[0], item, origin), shrink]


def extended_deque(spec: Any, place: Any, values: Any, push: Any, origin: Any) -> list:
    """A deque gets items at one of its ends."""
    unit, left = spec.unit, push is runtime.deque_push_left
    contents = Contents(unit, spec.facts, origin)
    items, item, count, span, k_ = (unit.names.fresh(x) for x in ("values", "value", "count", "span", "k"))
    listed = t.call(unit.use(list, "list"), contents.whole(values))
    loop = t.for_(k_, t.load(span), [t.assign(item, t.subscript(t.load(items), t.load(k_)), origin),
                                     *one_more(unit, place, t.load(item), left, origin)], origin)
    return [*contents.before, t.assign(items, listed, origin),
            t.assign(count, t.call(unit.use(len, "len"), t.load(items)), origin),
            t.assign(span, t.call(unit.use(range, "range"), t.load(count)), origin), loop]


def rotated(spec: Any, place: Any, steps: Any, origin: Any) -> list:
    """The items of a deque go from one end to the other."""
    unit, plain = spec.unit, steps.operand if isinstance(steps, gast.UnaryOp) else steps
    known = t.constant_of(steps) if isinstance(plain, gast.Constant) else None
    size, there = unit.names.fresh("count"), unit.names.fresh("there")
    result = [t.assign(size, of_deque(unit, runtime.place_size, place), origin),
              t.assign(there, t.call(unit.use(min, "min"), t.load(size), t.const(1)), origin)]        # an empty one stays
    for left in (True, False):
        if type(known) is int and (known <= 0 if left else known >= 0):
            continue
        count, name, span, item, turn = (unit.names.fresh(x) for x in ("steps", "steps", "span", "item", "turn"))
        taken = one_less(unit, place, t.assign(item, t.const(None), origin), not left, origin)
        body = [*taken, *one_more(unit, place, t.load(item), left, origin)]
        value = t.const(abs(known)) if type(known) is int else steps if left else gast.UnaryOp(
            op=gast.USub(), operand=t.clone(steps))
        result += [t.assign(count, value, origin), t.assign(name, t.binop(t.load(count), gast.Mult(), t.load(there)), origin),
                   t.assign(span, t.call(unit.use(range, "range"), t.load(name)), origin),
                   t.for_(turn, t.load(span), body, origin)]
    return result
