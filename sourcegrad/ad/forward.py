"""The forward transformation: below each active statement the one that computes its tangent.

Works on core Python from the first statement to the last, with no tape: loops, branches and calls stay what they are. The tangent
`x_dot` of a name has the structure of its value. What has derivative zero is written once, and a tangent that nothing
reads is dropped afterwards by `dce`.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.ad.call_pairs import Absent, check_known, primal_call
from sourcegrad.ad.tangent import Tangent, push_forward
from sourcegrad.analysis.activity import Activity
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import MissingRuleError, UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import MEMORY


class Forward:
    """`variant(function, kinds, active)` gives the generated function of a callee with its tangent, `pair` its plain form and its
    halves, `prepare(function, kinds)` refuses a callee that is outside the language, `transpose` makes halves of statements."""

    propagate: Any = None                                    # what is done with a function, in the place of its tangent
    with_objects = True                                      # whether the state of objects has tangents

    def __init__(self, facts: Infer, activity: Activity, variant: Callable, pair: Callable, prepare: Callable,
                 transpose: Callable, guarding: bool = False) -> None:
        self.facts, self.activity, self.unit = facts, activity, facts.unit
        self.varied = activity.varied
        self.variant, self.pair, self.prepare, self.transpose = variant, pair, prepare, transpose
        self.dots: dict[str, str] = {}
        written = Counter(n for s in t.statements(self.unit.tree.body) for n in t.writes(s))
        self.assigned_once = {name for name, count in written.items() if count == 1}
        self.branching = 0                                   # branches around the statement at hand
        self.guarding = guarding                             # whether a zero tangent stays zero where a derivative is infinite

    # --- names, zeros

    def dot(self, name: str) -> str:
        """The tangent of a name."""
        if name not in self.dots:
            table = isinstance(self.facts.kinds.get(name), k.State)
            new = self.dots[name] = self.unit.names.fresh("dots" if table and name == MEMORY else f"{name}_dot")
            self.unit.tangents[new] = name
            if name in self.unit.unset:
                self.unit.unset.add(new)
            self.note(new, like_value(self.facts.kinds.get(name, k.ANY)))
        return self.dots[name]

    def note(self, name: str, kind: k.Kind | None) -> None:
        """Make the kind of a new name known."""
        self.facts.local.add(name)
        self.facts.kinds[name] = kind or k.ANY

    def helper(self, function: Any) -> str:
        return self.unit.use(function, function.__name__)

    def numpy(self, path: str) -> str:
        return f"{self.unit.use(np, 'np')}.{path}"

    def zero(self, node: Any) -> gast.expr:
        """A zero tangent of what an operand holds."""
        if isinstance(node, gast.Constant):
            numeric = isinstance(node.value, (int, float, complex)) and not isinstance(node.value, bool)
            return t.const(0.0) if numeric else t.clone(node)
        if isinstance(node, gast.Tuple):
            return t.pack([self.tangent_of(item) for item in node.elts])
        kind = self.facts.of(node)
        if isinstance(kind, k.State):
            return t.call(self.helper(runtime.place_bars))
        number = k.as_num(kind) if kind is not None else None
        if isinstance(number, k.Num) and number.is_scalar or isinstance(kind, k.Place):
            return t.const(0.0)
        if isinstance(number, k.Num) and number.boxed and number.dims and isinstance(node, gast.Name) and (
                node.id not in self.unit.unset):            # (an adjoint of what may have no axes may be a number)
            if number.dtype == "float64" or number.is_discrete:
                return t.call(self.numpy("zeros"), t.attribute(t.clone(node), "shape"))
            if number.dtype is not None:
                return t.call(self.numpy("zeros_like"), t.clone(node))
        if isinstance(kind, k.Const) and kind.value is None or isinstance(kind, k.Fn):
            return t.clone(node)
        return t.call(self.helper(runtime.zero_tangent), t.clone(node))

    def is_active(self, node: Any) -> bool:
        return isinstance(node, gast.Name) and node.id in self.varied

    def tangent_of(self, node: Any) -> gast.expr:
        """The tangent of an operand: zero, if it does not depend on the inputs."""
        if self.is_active(node):
            return t.load(self.dot(node.id))
        if isinstance(node, (gast.Tuple, gast.List)):
            return type(node)(elts=[self.tangent_of(item) for item in node.elts], ctx=t.LOAD)
        if isinstance(node, gast.Dict):
            return gast.Dict(keys=[*map(t.clone, node.keys)], values=[self.tangent_of(item) for item in node.values])
        return self.zero(node)

    # --- blocks

    def function(self, inputs: set[str]) -> list:
        """The body of the function with tangents; what it returns are the value and its tangent."""
        start = [t.assign(self.dot(name), self.zero(t.load(name)), t.origin_of(self.unit.tree))
                 for name in self.unit.function.parameters if name in self.varied - inputs]
        return start + self.block(self.unit.tree.body)

    def block(self, block: list) -> list:
        return [new for s in block for new in self.statement(s)]

    def statement(self, s: Any) -> list:
        origin = t.origin_of(s)
        if isinstance(s, gast.Assign):
            return self.checked(s)
        if isinstance(s, gast.If) and not is_stop(s):
            self.branching += 1
            new = t.if_(s.test, self.block(s.body), self.block(s.orelse), origin)
            self.branching -= 1
            return [new]
        if isinstance(s, gast.For):
            if s.target.id in self.varied:
                raise UnsupportedError("a loop over values that depend on the inputs, in forward mode", origin,
                                       "Loop over range(len(xs)).")
            return [t.for_(s.target.id, s.iter, self.block(s.body), origin)]
        if isinstance(s, gast.While):
            return [t.while_(s.test, self.block(s.body), origin)]
        if isinstance(s, gast.Return):
            return [t.return_(t.pack([s.value, self.tangent_of(s.value)]), origin)]
        found = t.list_method(s)
        if found is not None and isinstance(s, gast.Expr) and found[0] in self.varied:
            again = [self.tangent_of(item) for item in s.value.args]
            return [s, t.effect(t.method(self.dot(found[0]), found[1], *again), origin)]
        return [s]

    def checked(self, s: gast.Assign) -> list:
        """An assignment; in a branch what has no rule is an error if the branch is taken."""
        try:
            return self.assign(s)
        except MissingRuleError as problem:
            if not self.branching or not t.is_name(s.targets[0]):
                raise
            refusal = t.call(self.helper(runtime.trap), t.const(problem.message), t.const(problem.remedy))
            place = problem.origin and problem.origin._replace(callers=problem.callers)
            return [t.assign(s.targets[0], refusal, place), *self.zeros(s)]
        except Absent:
            return [s, *self.zeros(s)]

    def zeros(self, s: gast.Assign) -> list:
        """Zero tangents of what an inactive statement assigns."""
        if isinstance(s.targets[0], gast.Name) and isinstance(s.value, (gast.Constant, gast.List, gast.Dict)):
            zeros = [self.tangent_of(s.value)]
        else:
            zeros = [self.zero(t.load(name)) for name in t.writes(s)]
        return [t.assign(self.dot(name), zero, t.origin_of(s)) for name, zero in zip(t.writes(s), zeros) if name in self.varied]

    def assign(self, s: gast.Assign) -> list:
        origin, targets, found = t.origin_of(s), t.writes(s), t.list_method(s)
        sources = self.activity.active_sources(s.value)
        if found is None:
            check_known(self, s, bool(sources))                                                         # type: ignore[arg-type]
        check_state(self, s)
        active = [name for name in targets if name in self.varied]
        if not active or not sources:
            plain = primal_call(self, s) if isinstance(s.value, gast.Call) and found is None else [s]     # type: ignore[arg-type]
            return [*plain, *self.zeros(s)]
        if found is not None:
            again = t.method(self.dot(found[0]), found[1], *map(t.clone, s.value.args))
            return [s, t.assign(self.dot(targets[0]), again, origin)]
        if isinstance(s.targets[0], gast.Tuple):
            return [s, *self.unpack(s, targets, active)]
        tangent = Tangent(self, s)
        push_forward(tangent)
        if not tangent.terms and not tangent.instead and targets[0] in self.assigned_once - self.dots.keys():
            self.varied.discard(targets[0])                              # it has no derivative after all
            return [s]
        return tangent.finish()

    def unpack(self, s: gast.Assign, targets: list[str], active: list[str]) -> list:
        """a, b = x"""
        origin, base = t.origin_of(s), self.dot(s.value.id)
        if active == targets:
            return [t.unpack([*map(self.dot, targets)], t.load(base), origin)]
        if s.value.id not in active:
            return [t.assign(self.dot(name), t.subscript(t.load(base), t.const(j)), origin)
                    for j, name in enumerate(targets) if name in active]
        names = [self.dot(name) if name in active else self.unit.names.fresh("unused") for name in targets]
        return [t.unpack(names, t.load(base), origin)]


def like_value(kind: k.Kind) -> k.Kind:
    """What is known of a tangent from the kind of its value."""
    if isinstance(kind, k.State):
        return k.State(())
    number = k.as_num(kind)
    if not isinstance(number, k.Num) or isinstance(kind, k.Optional) or number.is_discrete:
        return k.ANY
    return number


def check_state(forward: Forward, s: gast.Assign) -> None:
    """Refuse what reads or changes the state of objects that others hold, where that has no tangents."""
    if not forward.with_objects and any(
            isinstance(forward.facts.kinds.get(name), k.State) for name in (*t.writes(s), *t.reads(s.value))):
        raise UnsupportedError("an object that others hold, in forward mode", t.origin_of(s),
                               "Keep what changes in arrays or in names of its own, or use reverse mode (sg.grad, sg.vjp).")
