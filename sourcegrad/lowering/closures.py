"""Inner functions that are arguments: what they capture is passed on by itself, so that each number has a name of its own.

    def field(t, y): return -k * y              y = rk4(field, y, t, dt)
                                                y = rk4(y, t, dt, k=field[0])
"""
from __future__ import annotations

import collections
import types
from typing import Any

import gast

from sourcegrad import kinds as k
from sourcegrad.analysis import call_targets
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Function, Maker, Unit

MOST = 6                                # numbers that are passed


class Made:
    """What inner functions capture that are made once in a function: names which nothing assigns again."""

    def __init__(self, unit: Unit) -> None:
        writes = collections.Counter(n for s in t.statements(unit.tree.body) for n in t.writes(s))
        lasting = {n for n, count in writes.items() if count == 1} - set(unit.parameters)
        lasting |= {n for n in unit.parameters if n not in writes}
        self.captured: dict[str, list] = {}
        for s in t.statements(unit.tree.body):
            call = getattr(s, "value", None)
            if isinstance(s, gast.Assign) and isinstance(call, gast.Call) and isinstance(unit.lookup(call.func), Maker) and (
                    t.is_name(s.targets[0]) and s.targets[0].id in lasting):
                self.captured[s.targets[0].id] = [a if t.is_name(a) and a.id in lasting else None for a in call.args]

    def item(self, closure: Any, number: int) -> Any:
        """What an inner function captures, as an expression."""
        known = self.captured.get(closure.id) if t.is_name(closure) else None
        return t.clone(known[number]) if known and known[number] is not None else t.subscript(t.clone(closure), t.const(number))


def passed_apart(unit: Unit, facts: Any, s: gast.Assign, target: call_targets.Target, made: Made) -> list | None:
    """The statements for a call of a function that is given an inner function which captures numbers; None for any other call."""
    callee, call = target.function, s.value
    if callee is None or not isinstance(target.object, types.FunctionType | Function) or target.method or target.stars or (
            target.checkpoint or target.custom is not None or unit.function.pure or hasattr(target.object, "generated_for")):
        return None
    tree = callee.tree
    if callee.generator or callee.outputs or callee.caught or any(isinstance(a, gast.Starred) for a in target.args):
        return None
    names = [p.id for p in (*tree.args.posonlyargs, *tree.args.args)]
    given = [*zip(names, target.args), *target.keywords.items()]
    found = next(((name, value) for name, value in given if t.is_name(value) and name in callee.parameters
                  and is_of_numbers(facts.of(value))), None)
    if found is None:
        return None
    (name, value), kind = found, facts.of(found[1])
    function = callee.with_closure(name, Maker(kind.function, [], kind.keywords), captured(kind))
    origin, before, atoms = t.origin_of(s), [], []
    for j, base in enumerate(captured(kind)):
        item = made.item(value, j)
        if not t.is_name(item):
            before.append(t.assign(unit.names.fresh(base), item, origin))
            item = t.load(before[-1].targets[0].id)
        atoms.append(item)
    own = function.tree.args.kwonlyargs[-len(atoms):]
    keywords = {key: x for key, x in target.keywords.items() if key != name}
    new = t.call(unit.use(function, function.name), *[a for j, a in enumerate(target.args) if names[j:j + 1] != [name]],
                 **keywords, **{p.id: atom for p, atom in zip(own, atoms)})
    s.value = gast.copy_location(new, call)
    return [*before, s]


def is_of_numbers(kind: Any) -> bool:
    """Whether it is an inner function that captures a few values which nothing changes in place."""
    return isinstance(kind, k.Closure) and 0 < len(kind.items) <= MOST and all(
        isinstance(x := k.as_num(item), k.Num) and x.is_scalar and x.dtype is not None for item in kind.items)


def captured(kind: k.Closure) -> list[str]:
    """Names for what an inner function captures: those of its own parameters."""
    function, count = kind.function, len(kind.items)
    own = function.parameters[:count] if isinstance(function, Function) and not kind.keywords else []
    return own if len(own) == count else ["captured"] * count
