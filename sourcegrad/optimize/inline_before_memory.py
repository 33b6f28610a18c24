"""Callees in place of their calls, where what they do to memory cannot be told by their arguments alone.

    def window(a, i): return a[i:i + 2]
    w = window(a, 1)
    w[0] = 5.0                              # changes a: seen when the line above is `hi = 1 + 2; w = a[1:hi]`

Only a function that was refused because of such calls, or would look for arrays by their identity when it runs, is looked at
once more like this: longer code, but an answer.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sourcegrad import kinds as k
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import SourcegradError
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Function, Maker, Unit
from sourcegrad.memory.heap import NEW_OBJECT, Effects, mutable
from sourcegrad.optimize.inline import Inline
from sourcegrad.syntax.deferred import keeps

LONGEST = 200                               # statements that are put in the place of calls at a time


def unfold(unit: Unit, facts: Infer, normalize: Callable[[Function], Unit], effects: Callable[[Function, dict], Effects]) -> bool:
    """Put callees that change their arguments, or return parts of them, in the place of their calls; whether there was one.

    normalize: gives the core Python of a function; effects: what it does to memory."""
    return Unfold(unit, facts, normalize, effects).block(unit.tree)


class Unfold(Inline):
    def __init__(self, unit: Unit, facts: Infer, normalize: Callable[[Function], Unit],
                 effects: Callable[[Function, dict], Effects]) -> None:
        super().__init__(unit, facts, set(), lambda function, kinds: None)
        self.normalize, self.effects = normalize, effects
        self.left = LONGEST

    def call(self, s: Any) -> list | None:
        function, bound, kinds = self.called(s) or (None, {}, {})
        if function is None or function.pure or function.generator or function.outputs or keeps(function) or (
                isinstance(self.unit.lookup(s.value.func), Maker)):
            return None
        try:
            if not any(map(mutable, kinds.values())) or not self.shares(function, kinds):
                return None
            callee = self.normalize(function)
        except SourcegradError:
            return None                                     # refused for itself, with its place
        body = callee.tree.body
        self.left -= sum(1 for _ in t.statements(body))
        if self.left < 0 or callee.statics or callee.undefined or not self.same_names(callee):
            return None
        return self.inside(s, function, callee, bound)

    def shares(self, function: Function, kinds: dict[str, k.Kind]) -> bool:
        """Whether a call may change its arguments, or give back some of what they hold."""
        found = self.effects(function, kinds)
        return bool(found.changed or found.held or found.result - {NEW_OBJECT})
