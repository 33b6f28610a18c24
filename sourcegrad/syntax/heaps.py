"""Heaps and sorted lists: what functions of heapq and bisect do to a list, as statements.

    heapq.heappush(xs, v)           xs.append(v)
                                    path = rising(xs)
                                    move_items(xs, path)
    v = heapq.heappop(xs)           path = leaving(xs)
                                    move_items(xs, path)
                                    v = xs.pop()
    heapq.heapify(xs)               order = heap_positions(xs)
                                    items = reorder(xs, order)
                                    xs.clear()
                                    xs.extend(items)
    bisect.insort(xs, v)            position = bisect_right(xs, v)
                                    xs.insert(position, v)

So a heap may be any list, one that an object holds as well, and a change costs as many steps as in heapq: the adjoints of its items
move back along the path."""
from __future__ import annotations

import bisect
import heapq
from typing import Any

import gast

from sourcegrad import runtime
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Unit
from sourcegrad.runtime.library import move_items


def heaps(unit: Unit) -> None:
    """Write calls of them as statements."""
    modules = {getattr(value, "__module__", None) for value in unit.env.values()}
    if modules & {"_heapq", "_bisect"} or any(value is heapq or value is bisect for value in unit.env.values()):
        unit.tree.body = t.rewritten(unit.tree.body, lambda s: changed(unit, s))


def changed(unit: Unit, s: Any) -> list:
    """The statements for one."""
    call = getattr(s, "value", None)
    if not isinstance(s, (gast.Assign, gast.Expr)) or not isinstance(call, gast.Call) or call.keywords or any(
            isinstance(a, gast.Starred) for a in call.args):
        return [s]
    function, origin = unit.lookup(call.func), t.origin_of(s)
    nothing = [t.assign(s.targets[0], t.const(None), origin)] if isinstance(s, gast.Assign) else []
    if function is heapq.heapify and len(call.args) == 1 and t.is_name(call.args[0]):
        items, order, heap = unit.names.fresh("items"), unit.names.fresh("order"), call.args[0].id
        return [t.assign(order, t.call(unit.use(runtime.heap_positions, "heap_positions"), t.load(heap)), origin),
                t.assign(items, t.call(unit.use(runtime.reorder, "reorder"), t.load(heap), t.load(order)), origin),
                *(t.assign(unit.names.fresh("unused"), call, origin) for call in (
                    t.method(heap, "clear"), t.method(heap, "extend", t.load(items)))), *nothing]
    if function in (bisect.insort_left, bisect.insort_right) and len(call.args) == 2 and t.is_name(call.args[0]):
        position, which = unit.names.fresh("position"), getattr(bisect, function.__name__.replace("insort", "bisect"))
        found = t.call(unit.use(which, which.__name__), *map(t.clone, call.args))
        insert = t.method(call.args[0].id, "insert", t.load(position), call.args[1])
        return [t.assign(position, gast.copy_location(found, call), origin),
                t.assign(unit.names.fresh("unused"), insert, origin), *nothing]
    if function is heapq.heappush and len(call.args) == 2 and t.is_name(call.args[0]):
        heap, value = call.args
        push = gast.copy_location(t.call(t.attribute(t.load(heap.id), "append"), value), call)
        return [t.effect(push, origin), *moved(unit, heap.id, runtime.rising, origin), *nothing]
    if function is heapq.heappop and len(call.args) == 1 and t.is_name(call.args[0]):
        heap = call.args[0].id
        pop = gast.copy_location(t.call(t.attribute(t.load(heap), "pop")), call)
        before = moved(unit, heap, runtime.leaving, origin)
        if isinstance(s, gast.Expr):
            return [*before, t.effect(pop, origin)]
        if t.is_name(s.targets[0]) and len(s.targets) == 1:
            return [*before, t.assign(s.targets[0].id, pop, origin)]
        item = unit.names.fresh("item")
        s.value = t.load(item)
        return [*before, t.assign(item, pop, origin), s]
    return [s]


def moved(unit: Unit, heap: str, which: Any, origin: Any) -> list:
    """The items of a heap move along a path."""
    path = unit.names.fresh("path")
    move = t.call(unit.use(move_items, "move_items"), t.load(heap), t.load(path))
    return [t.assign(path, t.call(unit.use(which, which.__name__), t.load(heap)), origin),
            t.assign(unit.names.fresh("unused"), move, origin)]
