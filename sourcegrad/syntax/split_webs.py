"""Web splitting: definitions that never meet at a use get names of their own (x, x_2 ...).

After this, a name that is assigned more than once is one value seen over time (a loop-carried variable, or the
result of a branch), which is what the reverse transformation has to restore.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import runtime
from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import ReachingDefinitions
from sourcegrad.ir.tree import INPLACE_OF, hashable
from sourcegrad.ir.union_find import UnionFind
from sourcegrad.ir.unit import MEMORY, Unit, stem
from sourcegrad.primitives.core import changes_place, primitive_of


def stores(function: Any) -> bool:
    """Whether a function puts a value at a place of its first argument."""
    return function is runtime.index_set or changes_place(function)


def changes(function: Any) -> bool:
    """Whether a function gives what its first argument is after a change in place."""
    return stores(function) or primitive_of(function).mutates == "items" or hashable(function) and function in INPLACE_OF


def split_webs(unit: Unit, objects: frozenset[str] = frozenset(), updating: Callable = stores) -> Unit:
    """Give every web of definitions its own name; the first keeps the user's. objects: names of objects, which are
    another object after a store. updating: whether of functions the result is their first argument, changed."""
    body = unit.tree.body
    parameters = unit.parameters
    kept = states(unit)
    local = (set(parameters) | {n for s in t.statements(body) for n in t.writes(s)}) - kept
    webs = UnionFind()
    uses: dict[int, tuple[Any, Any]] = {}

    def use(name: str, node: Any, definitions: frozenset) -> None:
        known = [d for d in definitions if d is not None]
        if not known or name in kept:
            return
        known.sort(key=lambda d: order.get(d, -1))
        for other in known[1:]:
            webs.join(known[0], other)
        uses[id(node)] = (node, known[0])

    order: dict[Any, int] = {(0, n): k for k, n in enumerate(parameters) if n not in kept}
    for s in t.statements(body):
        for name in t.writes(s):
            if name not in kept:
                order[(id(s), name)] = len(order)
    ReachingDefinitions(parameters, local, use).run(body)
    for s in t.statements(body):                       # a store changes an array, it does not make another one
        if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) and s.value.args and t.is_name(s.targets[0]) and t.is_name(
                s.value.args[0], s.targets[0].id) and updating(unit.lookup(s.value.func)):
            base = uses.get(id(s.value.args[0]))
            if base is not None and s.targets[0].id not in objects:
                webs.join(base[1], (id(s), s.targets[0].id))
    names = named(unit, webs, order, {webs.find(uses[id(node)][1]) for node in lists(body) if id(node) in uses})
    for s in t.statements(body):
        for target in (s.targets if isinstance(s, gast.Assign) else [s.target] if isinstance(s, gast.For) else []):
            for node in t.walk(target):
                if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store) and node.id not in kept:
                    node.id = names[webs.find((id(s), node.id))]
    for node, definition in uses.values():
        node.id = names[webs.find(definition)]
    return unit


def lists(body: list) -> list[Any]:
    """Where a list changes by one of its methods: the nodes that name it."""
    return [s.value.func.value for s in t.statements(body) if t.list_method(s) is not None]


def named(unit: Unit, webs: UnionFind, order: dict[Any, int], changing: set[Any]) -> dict[Any, str]:
    """The names of webs. changing: those of lists that change, which are one thing over time and keep one name."""
    names: dict[Any, str] = {}
    used: set[str] = set()
    one: dict[str, str] = {}
    for definition in order:
        root, base = webs.find(definition), definition[1]
        if root in names:
            continue
        if root in changing and base in one:
            names[root] = one[base]
            continue
        names[root] = base if base not in used else unit.names.fresh(stem(base) if stem(base) in used else base)
        if root in changing:
            one[base] = names[root]
        used.add(base)
    return names


def states(unit: Unit) -> set[str]:
    """Names of the state of objects, or of their adjoints: what is one thing over time has one name."""
    if not any(primitive_of(value).state for value in unit.env.values()):
        return {MEMORY}
    found = {MEMORY}
    for s in t.statements(unit.tree.body):
        for node in t.walk(getattr(s, "value", None) or t.const(None)):
            if isinstance(node, gast.Call) and primitive_of(unit.lookup(node.func)).state and t.is_name(
                    node.args[0] if node.args else None):
                found.add(node.args[0].id)
    return found


def split_again(unit: Unit) -> bool:
    """Branches are gone: values that had one name because of them get names of their own. Whether there were any."""
    before = {n for s in t.statements(unit.tree.body) for n in t.writes(s)}
    split_webs(unit, updating=changes)
    return {n for s in t.statements(unit.tree.body) for n in t.writes(s)} != before
