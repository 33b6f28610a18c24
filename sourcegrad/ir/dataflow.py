"""Data-flow analysis over structured code: a transfer function, a join where paths meet, a fixpoint at loops.

Core Python has `if`, `for`, `while` and a trailing `if stop: break` as its only control flow, so the flow graph is the tree itself.

>>> body = gast.parse('''
... if x > 0.0:
...     y = z = x
... else:
...     y = -x
... for i in range(3):
...     w = y
... ''').body
>>> sorted(DefiniteAssignment().block(body, frozenset(["x"])))
['x', 'y']
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import gast

from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import is_stop


class Dataflow:
    """An analysis along the paths of a function; `backward`: from their ends.

    A subclass gives `transfer`, the state on the other side of a statement that is no branch or loop, and `join` of two states;
    where states change in place, `copy` makes a new one."""

    backward = False

    def copy(self, state: Any) -> Any:
        return state

    def transfer(self, s: Any, state: Any) -> Any:
        raise NotImplementedError

    def join(self, s: Any, one: Any, other: Any) -> Any:
        """The state where the branches of an `if` meet, or before a loop (`one`) and at the end of its iteration."""
        raise NotImplementedError

    def enter(self, s: Any, state: Any) -> Any:
        """The state where an iteration of a loop begins."""
        return state

    def block(self, block: list, state: Any) -> Any:
        for s in reversed(block) if self.backward else block:
            state = self.statement(s, state)
        return state

    def statement(self, s: Any, state: Any) -> Any:
        cls = s.__class__
        if cls is gast.If and not is_stop(s):
            return self.join(s, self.block(s.body, self.copy(state)), self.block(s.orelse, self.copy(state)))
        return self.loop(s, state) if cls is gast.For or cls is gast.While else self.transfer(s, state)

    def loop(self, s: Any, state: Any) -> Any:
        while True:
            after = self.join(s, state, self.block(s.body, self.enter(s, self.copy(state))))
            if after == state:
                return state
            state = after


def closure(found: set[str], statements: Iterable, given: Callable[[Any], Iterable[str] | None]) -> set[str]:
    """Add to `found` what statements give, whatever their order. given(s): None as long as nothing of `found` reaches s."""
    waiting, size = list(statements), -1
    while size != len(found):
        size = len(found)
        rest = []
        for s in waiting:
            names = given(s)
            if names is None:
                rest.append(s)
            else:
                found.update(names)
        waiting = rest
    return found


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


class ReachingDefinitions(Dataflow):
    """Calls `use(name, node, definitions)` for every read.

    A definition is identified by (node id, name); parameters by (0, name). `None` in a set: maybe unassigned.
    """

    def __init__(self, parameters: list[str], local: set[str], use: Callable) -> None:
        self.use = use
        self.entry: Reaching = {n: frozenset([(0, n)]) if n in parameters else frozenset([None]) for n in local}

    def run(self, body: list) -> Reaching:
        return self.block(body, dict(self.entry))

    def copy(self, state: Reaching) -> Reaching:
        return dict(state)

    def join(self, s: Any, one: Reaching, other: Reaching) -> Reaching:
        result = dict(one)
        for name, definitions in other.items():
            result[name] = result.get(name, frozenset()) | definitions
        return result

    def statement(self, s: Any, state: Reaching) -> Reaching:
        if not isinstance(s, gast.While):                       # (its test is read in each iteration)
            self._reads(s, state)
        return super().statement(s, state)

    def enter(self, s: Any, state: Reaching) -> Reaching:
        if isinstance(s, gast.For):
            return self.transfer(s, state)
        self._reads(s, state)
        return state

    def transfer(self, s: Any, state: Reaching) -> Reaching:
        for name in t.writes(s):
            state[name] = frozenset([(id(s), name)])
        return state

    def _reads(self, s: Any, state: Reaching) -> None:
        for node in _read_nodes(s):
            if node.id in state:
                self.use(node.id, node, state[node.id])


def _read_nodes(s: Any) -> list:
    if isinstance(s, (gast.If, gast.While)):
        roots = [s.test]
    elif isinstance(s, gast.For):
        roots = [s.iter]
    else:
        roots = [s]
    return [n for root in roots for n in t.walk(root) if n.__class__ is gast.Name and n.ctx.__class__ is gast.Load]


class DefiniteAssignment(Dataflow):
    """Names that are certainly assigned."""

    def transfer(self, s: Any, state: frozenset[str]) -> frozenset[str]:
        return state.union(t.writes(s))

    def join(self, s: Any, one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
        return one & other


def assigned_after(block: list, before: frozenset[str]) -> frozenset[str]:
    """Names that are definitely assigned at the end of a block."""
    return DefiniteAssignment().block(block, before)
