"""Dataflow over structured code: reaching definitions and definite assignment.

Core Python has `if`, `for`, `while` and a trailing `if stop: break` as its only control flow, so the flow graph is
the tree itself and analyses are recursive walks with a fixpoint at loops.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import is_stop


def single_values(tree: Any) -> dict[str, Any]:
    """Name -> value of the names that are assigned in one place, and there alone."""
    places: dict[str, list] = {}
    for s in t.statements(tree.body):
        alone = isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name)
        for name in t.writes(s):
            places.setdefault(name, []).append(s.value if alone else None)
    parameters = {n.id for n in t.walk(tree.args) if isinstance(n, gast.Name)}
    return {name: values[0] for name, values in places.items() if len(values) == 1 and values[0] is not None
            and name not in parameters}


Reaching = dict[str, frozenset]


def merge(a: Reaching, b: Reaching) -> Reaching:
    if a is b:
        return a
    result = dict(a)
    for name, definitions in b.items():
        result[name] = result.get(name, frozenset()) | definitions
    return result


class ReachingDefinitions:
    """Calls `use(name, node, definitions)` for every read and `define(name, node)` for every binding.

    A definition is identified by (node id, name); parameters by (0, name). `None` in a set: maybe unassigned.
    """

    def __init__(self, parameters: list[str], local: set[str], use: Callable) -> None:
        self.use = use
        self.entry: Reaching = {n: frozenset([(0, n)]) if n in parameters else frozenset([None]) for n in local}

    def run(self, body: list) -> Reaching:
        return self.block(body, dict(self.entry))

    def block(self, block: list, state: Reaching) -> Reaching:
        for s in block:
            state = self.statement(s, state)
        return state

    def _reads(self, s: Any, state: Reaching) -> None:
        for node in _read_nodes(s):
            if node.id in state:
                self.use(node.id, node, state[node.id])

    def statement(self, s: Any, state: Reaching) -> Reaching:
        if isinstance(s, gast.If):
            self._reads(s, state)
            return merge(self.block(s.body, dict(state)), self.block(s.orelse, dict(state)))
        if isinstance(s, gast.For):
            self._reads(s, state)
            return self.loop(s, state)
        if isinstance(s, gast.While):
            return self.loop(s, state)
        self._reads(s, state)
        for name in t.writes(s):
            state[name] = frozenset([(id(s), name)])
        return state

    def loop(self, s: Any, state: Reaching) -> Reaching:
        while True:
            inner = dict(state)
            if isinstance(s, gast.For):
                for name in t.writes(s):
                    inner[name] = frozenset([(id(s), name)])
            else:
                self._reads(s, state)
            after = merge(state, self.block(s.body, inner))
            if after == state:
                return state
            state = after


def _read_nodes(s: Any) -> list:
    if isinstance(s, (gast.If, gast.While)):
        roots = [s.test]
    elif isinstance(s, gast.For):
        roots = [s.iter]
    else:
        roots = [s]
    return [n for root in roots for n in t.walk(root) if n.__class__ is gast.Name and n.ctx.__class__ is gast.Load]


def assigned_after(block: list, before: frozenset[str]) -> frozenset[str]:
    """Names that are definitely assigned at the end of a block."""
    for s in block:
        if isinstance(s, gast.If):
            before = before if is_stop(s) else assigned_after(s.body, before) & assigned_after(s.orelse, before)
        elif not isinstance(s, (gast.For, gast.While)):
            before = before | set(t.writes(s))
    return before
