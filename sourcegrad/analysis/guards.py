"""Where adjoints are guarded, so that a branch that was not taken yields zero and not NaN.

Upstream of a selection (where, maximum, clip, a mask, a store over old content) a cotangent may be zero in places. Zero
times what is infinite there, or what is NaN, would be NaN: such contributions are guarded. Upstream of a singular
operation in turn the cotangent may be infinite: where it meets a zero partial, the contribution is zero, too.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis import calls
from sourcegrad.analysis.activity import Activity
from sourcegrad.analysis.bounds import Bounds
from sourcegrad.analysis.infer import OPERATORS, Infer
from sourcegrad.analysis.shifts import shifts
from sourcegrad.analysis.value_kinds import of_shape
from sourcegrad.errors import SourcegradError
from sourcegrad.rules.core import RULES, Rule

EXTREMA: set[Any] = {np.max, np.min, np.amax, np.amin}                 # what overflows is rarely dropped by these
OF_THE_REST = {np.nansum, np.nanmean, np.nanvar, np.nanstd, np.nanmax, np.nanmin, np.nanprod, np.nan_to_num, np.nancumsum}
NAN_AWARE = {np.isnan, np.isfinite, math.isnan, math.isfinite, *OF_THE_REST}        # who asks has missing values among the data
SELECTIONS = {*OF_THE_REST, *EXTREMA, np.where, np.maximum, np.minimum, np.fmax, np.fmin, np.clip, np.select, np.choose,
              np.compress, np.extract, np.take, max, min, runtime.guard, runtime.guard_steep, runtime.guarded_inside}
SHAPED = {runtime.broadcast_like, runtime.unbroadcast, runtime.axis_size}           # the shape of the second argument
OVERFLOWING = {np.exp, np.exp2, np.expm1, np.cosh, np.sinh}           # infinite where the argument is only large


class Guards:
    """dropped: names whose cotangent may be zero in places; steep: names whose cotangent may be infinite;
    wild: names whose values may be infinite or NaN.

    result_dropped: whether a caller may drop what the function returns; `of_callee(target, facts)`: the `traits` of a
    callee."""

    def __init__(self, facts: Infer, activity: Activity, result_dropped: bool, of_callee: Callable) -> None:
        self.facts, self.activity, self.traits = facts, activity, of_callee
        self.bounds = Bounds(facts)
        self.dropped: set[str] = set()
        self.steep: set[str] = set()
        self.wild: set[str] = set()
        body = facts.unit.tree.body
        assignments = [s for s in t.statements(body) if isinstance(s, gast.Assign)]
        result = t.reads(body[-1].value) if result_dropped else []
        self.dropped = self.upstream(assignments, [n for s in assignments for n in self.dropped_by(s.value)] + result)
        if self.dropped:
            singular = [s for s in assignments if self.singular(s.value)]
            sources = [n for s in singular if self.dropped.intersection(t.writes(s)) for n in activity.active_sources(s.value)]
            self.steep = self.upstream(assignments, sources)
            self.wild = self.downstream(assignments, singular)
            self.wild |= self.missing(assignments) | self.saved(assignments)
            large = [s for s in assignments if self.target(s.value).object in OVERFLOWING]
            if large:
                masked = [n for s in assignments if self.target(s.value).object not in EXTREMA and not self.at_positions(s.value)
                          for n in self.dropped_by(s.value)] + result
                self.wild |= self.downstream(assignments, large) & self.upstream(assignments, masked)

    def helper(self, name: str, value: Any, ct: str, rule: Rule, contribution: Any, statements: list) -> Any:
        """The guard that a contribution through a rule to the adjoint of an argument of `name = value` needs, or None.

        ct: the adjoint of the name. statements: what computes parts of the contribution."""
        out = k.as_num(self.facts.kinds.get(name, k.ANY))
        if name not in self.dropped or isinstance(contribution, gast.Call) and (
                self.facts.unit.lookup(contribution.func) is runtime.refuse):
            return None
        if not rule.elementwise and not (isinstance(out, k.Num) and out.dims == ()):
            return None                                     # the cotangent has another shape
        if isinstance(out, k.Tup):
            return None
        read = self.valued(contribution)
        for s in reversed(statements):
            if read.intersection(t.writes(s)):
                read |= self.valued(s.value) if isinstance(s, gast.Assign) else set(t.header_reads(s))
        factors = {n for n in (name if n == self.OUT else n for n in read - {ct})
                   if (n in self.facts.local or n in self.wild) and not k.is_discrete(self.facts.kinds.get(n, k.ANY))}
        if name in self.steep and factors:
            return runtime.guard_steep
        singular = rule.singular and not (regular(value, self.facts) or self.bounds.regular(value))
        return runtime.guard if singular or self.wild & factors else None

    def valued(self, node: Any) -> set[str]:
        """Names whose values an expression reads, and not only their shape."""
        if isinstance(node, gast.Attribute) and of_shape(node, self.facts.of(node.value)):
            return set()
        function = self.facts.unit.lookup(node.func) if isinstance(node, gast.Call) else None
        if function is not None and calls.hashable(function) and function in SHAPED:
            return set() if function is runtime.axis_size else self.valued(node.args[0])
        if isinstance(node, gast.Name):
            return {node.id}
        return set().union(*map(self.valued, gast.iter_child_nodes(node)))

    def drops(self, name: str, target: calls.Target) -> bool:
        """Whether the pair for a call must be guarded, as parts of its result may be dropped."""
        return name in self.dropped and self.traits(target, self.facts)[1]

    OUT = "out "                                            # stands for `name` in a contribution

    # --- the three closures

    def upstream(self, assignments: list, names: list[str]) -> set[str]:
        """The names, and all that their values are made from."""
        found = set(names)
        waiting = assignments[::-1]                         # a selection comes after what it drops: mostly one round
        size = -1
        while size != len(found):
            size = len(found)
            rest = []
            for s in waiting:
                if any(n in found for n in t.writes(s)):
                    found.update(n for n in self.activity.active_sources(s.value) if not self.python_scalar(n))
                else:
                    rest.append(s)
            waiting = rest
        return found

    def downstream(self, assignments: list, start: list) -> set[str]:
        """The results of some statements, and all that is made of them."""
        found = {n for s in start for n in t.writes(s)}
        size = -1
        while size != len(found):
            size = len(found)
            for s in assignments:
                if found.intersection(t.reads(s.value)):
                    found.update(n for n in t.writes(s) if not k.is_discrete(self.facts.kinds.get(n, k.ANY)))
        return found

    def saved(self, assignments: list) -> set[str]:
        """What the forward half of a pair has saved, where the reverse half is guarded: it had reason to be."""
        unit, guards = self.facts.unit, (runtime.guard, runtime.guarded_inside)
        if not unit.function.pure or not any(isinstance(s.value, gast.Call) and unit.lookup(s.value.func) in guards
                                             for s in assignments):
            return set()
        return self.downstream(assignments, [s for s in assignments if isinstance(s.targets[0], gast.Tuple)
                                             and t.is_name(s.value) and s.value.id in unit.parameters])

    def missing(self, assignments: list) -> set[str]:
        """What may hold NaN, as the program looks for it: what that was made from, and all that is made of this."""
        lookup = self.facts.unit.lookup
        found = {n for s in assignments for call in t.walk(s.value) if isinstance(call, gast.Call)
                 and calls.hashable(function := lookup(call.func)) and function in NAN_AWARE for n in t.reads(call)}
        size = -1
        while size != len(found):
            size = len(found)
            for s in assignments:
                if found.intersection(t.writes(s)):
                    found.update(n for n in t.reads(s.value) if not k.is_discrete(self.facts.of(t.load(n)) or k.ANY))
        return found | self.downstream(assignments, [s for s in assignments if found.intersection(t.reads(s.value))])

    def python_scalar(self, name: str) -> bool:
        return self.facts.kinds.get(name) == k.FLOAT

    # --- single statements

    def dropped_by(self, value: Any) -> list[str]:
        """Names of which an expression keeps some elements and drops others."""
        base = covered(value, self.facts, self.activity.varied)
        if base is not None:
            return [n for n in t.reads(base) if n in self.activity.varied and not self.python_scalar(n)]
        if not selects(value, self.facts):
            target = self.target(value)
            if target.function is None or not self.traits(target, self.facts)[0]:
                return []
        return [n for n in self.activity.active_sources(value) if not self.python_scalar(n)]

    def at_positions(self, value: Any) -> bool:
        """Whether an expression is a store at positions in an integer array."""
        return self.target(value).object is runtime.index_set and isinstance(value.args[1], gast.Subscript) and not positions(
            value.args[1].slice, self.facts, ("bool", None))

    def singular(self, value: Any) -> bool:
        if singular(value, self.facts, self.bounds):
            return True
        target = self.target(value)
        return target.function is not None and self.traits(target, self.facts)[1]

    def target(self, value: Any) -> calls.Target:
        """What a call calls; nothing for another expression."""
        if not isinstance(value, gast.Call):
            return calls.Target(None, [], {})
        found = calls.target_of(value, self.facts.unit, self.facts.of)
        return found if calls.hashable(found.object) else calls.Target(None, [], {}, found.function)


def selects(value: Any, facts: Infer) -> bool:
    """Whether an expression keeps some elements of its operands and drops others."""
    if isinstance(value, gast.Call):
        target = calls.target_of(value, facts.unit, facts.of)
        return calls.hashable(target.object) and target.object in SELECTIONS or "where" in target.keywords
    return isinstance(value, gast.Subscript) and positions(value.slice, facts, ("bool", None))


def covered(value: Any, facts: Infer, varied: set[str]) -> Any:
    """The old value of a store that replaces what may have been singular there: at a mask or at positions, or by a
    constant. Else None."""
    if not isinstance(value, gast.Call) or facts.unit.lookup(value.func) is not runtime.index_set:
        return None
    base, where, new = value.args
    if not isinstance(facts.of(base), k.Num):
        return None
    if not isinstance(where, gast.Subscript) or positions(where.slice, facts):
        return base
    if any(n in varied for n in t.reads(new)):
        return None
    return None if facts.unit.function.pure and read_elsewhere(base, where.slice, facts) else base


def read_elsewhere(base: Any, index: Any, facts: Infer) -> bool:
    """Whether something reads the place that is overwritten: in generated code, an adjoint is cleared where it was read."""
    reads = (s.value for s in t.statements(facts.unit.tree.body) if isinstance(s, gast.Assign))
    return any(isinstance(v, gast.Subscript) and t.same(v.value, base) and t.same(v.slice, index) for v in reads)


def positions(index: Any, facts: Infer, dtypes: tuple = ()) -> bool:
    """Whether an index has an array in it, of certain dtypes."""
    for part in index.elts if isinstance(index, gast.Tuple) else [index]:
        kind = None if isinstance(part, gast.Slice) else k.as_num(facts.of(part) or k.ANY)
        if isinstance(kind, k.Num) and kind.boxed is not False and (not dtypes or kind.dtype in dtypes):
            return True
    return False


def singular(value: Any, facts: Infer, bounds: Bounds) -> bool:
    """Whether an operation may give infinities or NaN, or has such derivatives."""
    if isinstance(value, (gast.BinOp, gast.UnaryOp)) and not isinstance(getattr(value, "op", None), gast.Not):
        function = OPERATORS.get(type(value.op))
        if regular(value, facts):
            return False
    elif isinstance(value, gast.Call):
        function = calls.target_of(value, facts.unit, facts.of).object
    else:
        return False
    if not calls.hashable(function) or function is None:
        return False
    return function in RULES and RULES[function].singular and not bounds.regular(value)


def regular(value: Any, facts: Infer) -> bool:
    """x / 2.0, and x ** 2 with a whole exponent."""
    kind = facts.of(value.right) if isinstance(value, gast.BinOp) else None
    number = kind.value if isinstance(kind, k.Const) else None
    if not isinstance(number, (int, float)) or number == 0:
        return False
    return isinstance(value.op, gast.Div) or isinstance(value.op, gast.Pow) and number >= 1 and number == int(number)


class Traits:
    """Whether a callee drops parts of what it is given, and whether it has singular operations; what it calls included."""

    def __init__(self, prepare: Callable) -> None:
        self.prepare = prepare
        self.known: dict[Any, tuple[bool, bool]] = {}
        self.asked: list[Any] = []

    def __call__(self, target: calls.Target, facts: Infer) -> tuple[bool, bool]:
        function = target.function
        assert function is not None
        try:
            bound = calls.bind(function, target, facts.unit)
        except TypeError:
            return False, False
        kinds = {n: facts.of(v) or k.ANY for n, v in bound.items()}
        key = (function, tuple(kinds.items()))
        if key not in self.known:
            if function in self.asked:                            # a recursive call, perhaps of other kinds
                return True, True
            self.asked.append(function)
            try:
                self.known[key] = self.of_body(self.prepare(function, kinds).facts)
            except SourcegradError:                               # it is refused where its call is transformed
                return False, False
            finally:
                self.asked.pop()
        return self.known[key]

    def of_body(self, facts: Infer) -> tuple[bool, bool]:
        drops = wild = False
        bounds, constant = Bounds(facts), shifts(facts)
        for s in t.statements(facts.unit.tree.body):
            if not isinstance(s, gast.Assign):
                continue
            drops = drops or selects(s.value, facts) and constant.isdisjoint(t.writes(s)) or covered(
                s.value, facts, facts.local) is not None
            wild = wild or singular(s.value, facts, bounds)
            target = calls.target_of(s.value, facts.unit, facts.of) if isinstance(s.value, gast.Call) else None
            if target is not None:
                wild = wild or calls.hashable(target.object) and target.object in OVERFLOWING
                if target.function is not None:
                    more = self(target, facts)
                    drops, wild = drops or more[0], wild or more[1]
        return drops, wild


__all__ = ["Guards", "Traits"]
