"""Adjoints of places to which nothing is ever added, and objects that nobody reads.

    echo = new_place(memory_, Echo)                                 (nothing, if `echo.gain` is never read: what was
    memory_ = place_store(memory_, echo, 'gain', gain)               stored there has a name)
    gain_part, bars = place_take(bars, echo, 'gain', 0.0)           gain_part = 0.0

A table of adjoints is looked at as a whole, as two names may mean one object; so only tables of which all that adds to them is
seen: no callee gets them."""
from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Unit


def dead_places(unit: Unit, tree: Any, facts: Any) -> bool:
    """Drop them in a generated function, in place. Whether there are any."""
    before = t.mark(tree)
    added = names_added(unit, tree, facts)
    if added is not None:
        zeros: set[str] = set()
        tree.body = t.rewritten(tree.body, lambda s: without(s, unit, added, zeros))
        tree.body = t.rewritten(tree.body, lambda s: [] if adds(s, zeros) else [s])
    unread = objects_unread(unit, tree)
    if unread:
        tree.body = t.rewritten(tree.body, lambda s: [] if about(s, unread, unit) else [s])
    return before != t.mark(tree)


def called(node: Any, unit: Unit) -> Any:
    return unit.lookup(node.func) if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) else None


def adds_to(function: Any) -> bool:
    return function is runtime.place_add or function is runtime.place_put


def takes(function: Any) -> bool:
    return function is runtime.place_take or function is runtime.place_drop


def stores(function: Any) -> bool:
    return function is runtime.place_store or function is runtime.place_init


def names_added(unit: Unit, tree: Any, facts: Any) -> set[str] | None:
    """The names of the attributes to whose adjoints something is added; None: that is not known."""
    tables = tables_of(unit, tree)
    if not tables:
        return None
    found: set[str] = set()
    for s in t.statements(tree.body):
        heads = [head for field in ("value", "test", "iter", "exc", "msg") if (head := getattr(s, field, None)) is not None]
        seen = {id(s.value)} if isinstance(s, gast.Assign) and is_table(s.value, tables, unit) else set()
        for node in (x for head in heads for x in t.walk(head)):
            if not isinstance(node, gast.Call) or not node.args or not is_table(node.args[0], tables, unit):
                continue
            function = called(node, unit)
            unpacked = node is heads[0] and isinstance(getattr(s, "targets", [None])[0], gast.Tuple)
            if function is runtime.place_take and not unpacked:
                return None                                 # the table is in a tuple
            if adds_to(function) and not noted(node, found, facts):
                return None
            if adds_to(function) or takes(function) or function in (runtime.gathered, runtime.place_part):
                seen.add(id(node.args[0]))
        if any(is_table(x, tables, unit) and id(x) not in seen for head in heads for x in t.walk(head)):
            return None                                     # nobody knows what happens to it
    return found


def is_table(node: Any, tables: set[str], unit: Unit) -> bool:
    return t.is_name(node) and node.id in tables or called(node, unit) is runtime.place_bars


def noted(node: gast.Call, found: set[str], facts: Any) -> bool:
    """Note what a call adds to; whether that is known."""
    name = node.args[2]
    if isinstance(name, gast.Constant) and name.value == k.WHOLE:
        return k.is_held_array(facts.of(node.args[1]) or k.ANY)           # of a list or dict it would be all items
    if isinstance(name, gast.Constant) and isinstance(name.value, str):
        found.add(name.value)
        return True
    return isinstance(name, (gast.Subscript, gast.Constant)) or is_index(facts.of(name))


def tables_of(unit: Unit, tree: Any) -> set[str]:
    """The names of tables of adjoints that are made here."""
    found: set[str] = set()
    while True:
        before = len(found)
        for s in t.statements(tree.body):
            value: Any = getattr(s, "value", None)
            given = isinstance(value, gast.Call) and any(
                t.is_name(a) and a.id in found or called(a, unit) is runtime.place_bars for a in value.args)
            if called(value, unit) is runtime.place_bars or t.is_name(value) and value.id in found or given and (
                    adds_to(called(value, unit)) or called(value, unit) is runtime.place_drop):
                found.update(t.writes(s))
            elif given and isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Tuple):
                found.add(t.writes(s)[-1])
        if len(found) == before:
            return found


def is_index(kind: Any) -> bool:
    kind = k.as_num(kind or k.ANY)
    return isinstance(kind, k.Num) and kind.is_scalar and kind.is_discrete


def adds(s: Any, zeros: set[str]) -> bool:
    """`x_bar = x_bar + zero`"""
    value: Any = getattr(s, "value", None)
    return isinstance(s, gast.Assign) and isinstance(value, gast.BinOp) and isinstance(value.op, gast.Add) and t.is_name(
        s.targets[0]) and t.is_name(value.left, s.targets[0].id) and t.is_name(value.right) and value.right.id in zeros


def without(s: Any, unit: Unit, added: set[str], zeros: set[str]) -> list:
    """A statement without what it takes of adjoints that are zero. zeros: the names of these are put there."""
    call: Any = getattr(s, "value", None)
    function = called(call, unit)
    if not takes(function) or not isinstance(s, gast.Assign):
        return [s]
    name = call.args[2]
    if not isinstance(name, gast.Constant) or not isinstance(name.value, str) or name.value.startswith("[") or name.value in added:
        return [s]
    if function is runtime.place_drop:
        return []
    target = s.targets[0]
    number = t.same(call.args[3], t.const(0.0))             # of an array it would be one of zeros
    if not isinstance(target, gast.Tuple) or len(target.elts) != 2 or not number:
        return [s]
    zeros.add(target.elts[0].id)
    return [t.at(gast.Assign(targets=[target.elts[0]], value=call.args[3], type_comment=None), t.origin_of(s))]


def objects_unread(unit: Unit, tree: Any) -> set[str]:
    """The names of objects that are made, in which something is stored, and that stand nowhere else."""
    uses: Counter[str] = Counter(n.id for n in t.walk(tree) if isinstance(n, gast.Name))
    made: Counter[str] = Counter()
    stored: Counter[str] = Counter()
    for s in t.statements(tree.body):
        call: Any = getattr(s, "value", None)
        if called(call, unit) is runtime.new_place and isinstance(s, gast.Assign) and t.is_name(s.targets[0]):
            made[s.targets[0].id] += 1
        elif stores(called(call, unit)) and t.is_name(call.args[1]):
            stored[call.args[1].id] += 1
    return {name for name in made if made[name] + stored[name] == uses[name]}


def about(s: Any, names: set[str], unit: Unit) -> bool:
    """Whether a statement makes one of these objects, or stores something in it."""
    call: Any = getattr(s, "value", None)
    makes = called(call, unit) is runtime.new_place and bool(names.intersection(t.writes(s)))
    return makes or stores(called(call, unit)) and t.is_name(call.args[1]) and call.args[1].id in names
