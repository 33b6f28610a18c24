"""Buffers that are dead are used again: `y = (n - s) * e` with n owned and dead becomes `n -= s; n *= e`, and n is y.

A large array that is read for the last time keeps its name and lends its memory:
`y_bar = np.multiply(c, w, out=w)`, as a new array costs more than what is computed.

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
from sourcegrad.frontend.resolve import Unit
from sourcegrad.transform.accumulate import augmented

AUGMENTED = (gast.Add, gast.Sub, gast.Mult, gast.Div)
UFUNCS = {gast.Add: "add", gast.Sub: "subtract", gast.Mult: "multiply", gast.Div: "divide"}


class Reuse:
    def __init__(self, unit: Unit, facts: Infer, ownership: Ownership) -> None:
        self.unit, self.facts, self.owned = unit, facts, ownership.owned
        self.ownership = ownership
        self.own = unit.function.local
        self.counts: dict[str, int] = {}
        self.renamed: dict[str, str] = {}
        self.liveness = Liveness()
        self.here: set[str] = set()              # names assigned in this block
        self.top: set[int] = set()               # statements of the reverse sweep outside of loops and branches
        self.firm: set[str] = set()              # names assigned once, outside of loops and branches
        self.views: dict[str, set[str]] = {}     # name -> names that may be views of its array

    def run(self, tree: Any, parameters: list[str]) -> None:
        for s in t.statements(tree.body):
            for name in t.writes(s):
                self.counts[name] = self.counts.get(name, 0) + (not isinstance(s, gast.AugAssign))
            self.see_view(s)
        for name in parameters:
            self.counts[name] = self.counts.get(name, 0) + 2
        self.liveness.block(tree.body, frozenset())
        self.firm = {n for s in tree.body if not getattr(s, "body", None) for n in t.writes(s) if self.counts[n] == 1}
        mark = next((i for i, s in enumerate(tree.body) if t.is_comment(s)), len(tree.body))
        self.top = {id(s) for s in tree.body[mark:]}
        tree.body = self.block(tree.body)
        if self.renamed:
            t.rename(tree, {name: self.final(name) for name in self.renamed})

    def see_view(self, s: Any) -> None:
        """Remember which names may share memory with which: views, of views as well."""
        if isinstance(s, gast.Assign):
            for held in self.ownership.held(s.value):
                for name in t.writes(s):
                    self.views.setdefault(held, set()).add(name)

    def seen(self, buffer: str, s: Any) -> bool:
        """Whether a view of a buffer is still needed when the buffer is overwritten in s."""
        todo, found = [buffer], {buffer}
        while todo:
            for name in self.views.get(todo.pop(), set()) - found:
                found.add(name)
                todo.append(name)
        return any(name in self.liveness.after[id(s)] or name in t.reads(s.value) for name in found - {buffer})

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
            t.map_blocks(s, self.block)
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
            return self.lent(s, name, value)
        buffer, steps = chain
        if not self.reusable(buffer, name, value, s) or any(buffer in t.reads(part) for _, part in steps[1:]):
            return self.lent(s, name, value)
        before: list = []
        if steps and buffer in t.reads(steps[0][1]):               # y - f(y): f(y) is computed first
            term = self.unit.names.fresh("term")
            before.append(t.assign(term, steps[0][1], t.origin_of(s)))
            steps[0] = (steps[0][0], t.load(term))
        self.renamed[buffer] = name
        return before + [self.step(buffer, op, part, s) for op, part in steps]

    def lent(self, s: gast.Assign, name: str, value: gast.BinOp) -> list:
        """`y = a / b - f(p)` with p large and read for the last time: `term = f(p); y = np.divide(a, b, out=p); y -= term`."""
        if id(s) not in self.top:
            return [s]
        buffer = next((n for n in t.reads(value) if self.lendable(n, value, s)), None)
        if buffer is None:
            return [s]
        innermost, steps = self.innermost(value)
        kind = self.facts.kinds[buffer]
        if steps and isinstance(kind, k.Num) and kind.ndim == 1:   # a vector is seldom large: one line stays one line
            return [s]
        if any(name in t.reads(part) for _, part in steps):        # y = y + a * b: y is needed after a * b
            return [s]
        if not isinstance(innermost.op, AUGMENTED) or any(buffer in t.reads(part) for _, part in steps[1:]) or (
                steps and buffer in self.ownership.held(steps[0][1])):       # itself or a view: not computed before
            return [s]
        if self.temporary(innermost.left, value) or (
                isinstance(innermost.op, (gast.Add, gast.Mult)) and self.temporary(innermost.right, value)):
            return [s]                                             # NumPy works in place on it
        origin = t.origin_of(s)
        before: list = []
        if steps and buffer in t.reads(steps[0][1]):
            term = self.unit.names.fresh("term")
            before.append(t.assign(term, steps[0][1], origin))
            steps[0] = (steps[0][0], t.load(term))
        call = t.call(f"{self.unit.use(np, 'np')}.{UFUNCS[type(innermost.op)]}", innermost.left, innermost.right,
                      out=t.load(buffer))
        return [*before, t.assign(name, call, origin), *(self.step(name, op, part, s) for op, part in steps)]

    def lendable(self, buffer: str, value: Any, s: Any) -> bool:
        """A new array with the size of the result, which nobody needs any more."""
        have, want = self.facts.kinds.get(buffer), self.facts.of(value)
        return (buffer in self.owned and buffer in self.firm and buffer not in self.renamed
                and isinstance(have, k.Num) and isinstance(want, k.Num) and bool(have.boxed and want.boxed)
                and have.dims is not None and len(have.dims) > 0 and None not in have.dims and have.dims == want.dims
                and have.dtype == want.dtype and have.dtype is not None
                and buffer not in self.liveness.after[id(s)] and not self.seen(buffer, s))

    def innermost(self, value: gast.BinOp) -> tuple[gast.BinOp, list]:
        """The operation that makes the new array, and what is then done to it."""
        for side, other in (("left", "right"), ("right", "left")):
            inner = getattr(value, side)
            if (isinstance(inner, gast.BinOp) and isinstance(value.op, AUGMENTED) and isinstance(inner.op, AUGMENTED)
                    and (side == "left" or isinstance(value.op, (gast.Add, gast.Mult))) and self.same_size(inner, value)):
                innermost, steps = self.innermost(inner)
                return innermost, [*steps, (value.op, getattr(value, other))]
        return value, []

    def temporary(self, part: Any, value: Any) -> bool:
        return isinstance(part, (gast.BinOp, gast.UnaryOp, gast.Call)) and self.ownership.fresh(part) and self.same_size(
            part, value)

    def same_size(self, inner: Any, value: Any) -> bool:
        one, two = self.facts.of(inner), self.facts.of(value)
        return (isinstance(one, k.Num) and isinstance(two, k.Num) and one.dims == two.dims and one.dims is not None
                and None not in one.dims and one.dtype == two.dtype)

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
        if buffer in self.liveness.after[id(s)] or buffer in self.renamed or self.seen(buffer, s):
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
    Reuse(unit, facts, ownership).run(tree, parameters)
    return tree
