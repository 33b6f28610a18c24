"""Buffers that are dead are used again: `y = (n - s) * e` with n owned and dead becomes `n -= s; n *= e`, and n is y.

Runs last, on the text that is compiled; the stage that is differentiated again stays functional.
"""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.infer import Infer
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.ownership import Ownership
from sourcegrad.frontend.resolve import Unit, local_names
from sourcegrad.transform.accumulate import augmented

AUGMENTED = (gast.Add, gast.Sub, gast.Mult, gast.Div)


class Reuse:
    def __init__(self, unit: Unit, facts: Infer, owned: set[str]) -> None:
        self.unit, self.facts, self.owned = unit, facts, owned
        self.own = local_names(unit.function.tree)
        self.counts: dict[str, int] = {}
        self.renamed: dict[str, str] = {}
        self.liveness = Liveness()
        self.here: set[str] = set()              # names assigned in this block

    def run(self, tree: Any, parameters: list[str]) -> None:
        for s in t.statements(tree.body):
            for name in t.writes(s):
                self.counts[name] = self.counts.get(name, 0) + (not isinstance(s, gast.AugAssign))
        for name in parameters:
            self.counts[name] = self.counts.get(name, 0) + 2
        self.liveness.block(tree.body, frozenset())
        tree.body = self.block(tree.body)
        if self.renamed:
            t.rename(tree, self.final)

    def final(self, name: str) -> str:
        while name in self.renamed:
            name = self.renamed[name]
        return name

    def block(self, block: list) -> list:
        result: list = []
        outer, self.here = self.here, set()
        for s in block:
            if t.is_comment(s):
                self.here = set()                    # a buffer keeps its name across the two sweeps
            for field in t.BLOCKS:
                inner = getattr(s, field, None)
                if inner:
                    setattr(s, field, self.block(inner))
            result += self.statement(s)
            self.here.update(t.writes(s))
        self.here = outer
        return result

    def statement(self, s: Any) -> list:
        if not isinstance(s, gast.Assign) or not isinstance(s.targets[0], gast.Name):
            return [s]
        name, value = s.targets[0].id, s.value
        if isinstance(value, gast.Call):
            return self.in_place_call(s, name, value)
        if not isinstance(value, gast.BinOp):
            return [s]
        chain = self.chain(value)
        if chain is None:
            return [s]
        buffer, steps = chain
        if not self.reusable(buffer, name, value, s) or any(buffer in t.reads(part) for _, part in steps[1:]):
            return [s]
        before: list = []
        if steps and buffer in t.reads(steps[0][1]):               # y - f(y): f(y) is computed first
            term = self.unit.names.fresh("term")
            before.append(t.assign(term, steps[0][1], t.origin_of(s)))
            steps[0] = (steps[0][0], t.load(term))
        self.renamed[buffer] = name
        return before + [self.step(buffer, op, part, s) for op, part in steps]

    def step(self, buffer: str, op: Any, part: Any, s: Any) -> Any:
        routed = isinstance(op, gast.Add) and isinstance(part, gast.Call) and (
            self.unit.lookup(part.func) is runtime.route_to_extremum)
        if routed:
            function = self.unit.use(runtime.add_to_extremum, "add_to_extremum")
            return t.effect(t.call(function, t.load(buffer), *part.args), t.origin_of(s))
        return augmented(buffer, op, part, s)

    def chain(self, value: Any) -> tuple[str, list] | None:
        """(n, [(op, a), (op, b)]) for (n op a) op b; commutative operands may be swapped."""
        if isinstance(value, gast.Name):
            return value.id, []
        if isinstance(value, gast.BinOp) and isinstance(value.op, AUGMENTED):
            for side, other in (("left", "right"), ("right", "left")):
                if side == "right" and not isinstance(value.op, (gast.Add, gast.Mult)):
                    continue
                inner = self.chain(getattr(value, side))
                if inner is not None and self.big(inner[0]):
                    return inner[0], [*inner[1], (value.op, getattr(value, other))]
        return None

    def big(self, name: str) -> bool:
        kind = self.facts.kinds.get(name)
        return isinstance(kind, k.Num) and bool(kind.boxed) and name in self.owned

    def reusable(self, buffer: str, name: str, value: Any, s: Any) -> bool:
        """The buffer dies here, is as large as the result, and both names have one definition."""
        if buffer not in self.here or buffer in self.own or buffer == name or (
                self.counts.get(buffer) != 1 or self.counts.get(name) != 1):
            return False
        if buffer in self.liveness.after[id(s)] or buffer in self.renamed:
            return False
        have, want = self.facts.kinds.get(buffer), self.facts.of(value)
        if not isinstance(have, k.Num) or not isinstance(want, k.Num) or have.dims is None or want.dims is None:
            return False
        return have.dtype == want.dtype and have.dtype is not None and len(have.dims) == len(want.dims) and all(
            (a == b and a is not None) or (k.many(a) and k.many(b)) for a, b in zip(have.dims, want.dims))

    def in_place_call(self, s: gast.Assign, name: str, value: gast.Call) -> list:
        """y = np.exp(a - b) of large arrays: the difference and its exponential share one buffer."""
        function = self.unit.lookup(value.func)
        if not isinstance(function, np.ufunc) or function.nin != 1 or value.keywords or len(value.args) != 1:
            return [s]
        inner = value.args[0]
        have, want = self.facts.of(inner), self.facts.of(value)
        if not (isinstance(inner, gast.BinOp) and isinstance(have, k.Num) and isinstance(want, k.Num) and have.boxed
                and have.ndim and have.ndim > 1 and have.dtype == want.dtype and have.dtype is not None):
            return [s]
        call = gast.Call(func=value.func, args=[t.load(name)], keywords=[gast.keyword(arg="out", value=t.load(name))])
        origin = t.origin_of(s)
        return [t.assign(name, inner, origin), t.effect(call, origin)]


def reuse(unit: Unit, tree: Any, parameters: list[str], facts: Infer) -> Any:
    """Use dead buffers again, in place in the tree."""
    ownership = Ownership(unit, facts.kinds).run(tree.body, parameters)
    Reuse(unit, facts, ownership.owned).run(tree, parameters)
    return tree
