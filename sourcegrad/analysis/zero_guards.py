"""Zero guards: where adjoints are guarded, so that a branch that was not taken yields zero and not NaN.

Upstream of a selection (where, maximum, clip, a mask, a store over old content) a cotangent may be zero in places. Zero
times what is infinite there, or what is NaN, would be NaN: such contributions are guarded. Upstream of a singular
operation in turn the cotangent may be infinite: where it meets a zero partial, the contribution is zero, too. Where a root is
taken of what stands still at zero (a sum of squares), its derivative is zero there, and nothing upstream needs a guard.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.activity import Activity
from sourcegrad.analysis.intervals import Bounds, Standstill
from sourcegrad.analysis.python_types import of_shape
from sourcegrad.analysis.shift_invariance import shifts
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import SourcegradError
from sourcegrad.ir import dataflow, tree as t
from sourcegrad.ir.tree import OPERATORS, hashable
from sourcegrad.primitives.core import RULES, Rule, primitive_of


class Operations:
    """What single expressions do to cotangents and values. traits(target, facts): the `Traits` of a callee."""

    def __init__(self, facts: Infer, activity: Activity, traits: Callable) -> None:
        self.facts, self.activity, self.traits = facts, activity, traits
        self.bounds = Bounds(facts, activity.varied)

    def vanishing(self, value: Any) -> bool:
        """Whether an operation has a partial derivative that may be zero."""
        function, operands = self.bounds.operation(value)
        if function is None and self.target(value).function is not None:
            return True
        function = self.target(value).object if function is None else function
        known = primitive_of(function)
        if known.operation in ("*", "/") and operands:
            above = len(operands) == 2 and not self.activity.active_sources(operands[1]) and known.operation == "/"
            return not above and not any(self.nonzero(x) for x in operands if not self.activity.varied.intersection(t.reads(x)))
        return multiplies(function) or known.range is not None or known.operation in ("/", "**") or known.folds == "*"

    def nonzero(self, node: Any) -> bool:
        return bool(self.bounds.constant(node)) or self.bounds.positive(node)

    def zero_with(self, value: Any) -> bool:
        """Whether an expression is zero where what it reads is, or holds it."""
        function, operands = self.bounds.operation(value)
        known = primitive_of(function)
        return isinstance(value, (gast.Name, gast.Subscript)) or known.operation == "*" or (known.power or -1.0) >= 1.0 or (
            function is runtime.index_set) or function is OPERATORS[gast.Pow] and (self.bounds.constant(operands[1]) or -1) > 0

    def scaled_by(self, value: Any) -> list[str]:
        """Names that an expression multiplies with what is constant, and may be zero, or of which it takes a part."""
        function, operands = self.bounds.operation(value)
        function = self.target(value).object if function is None else function
        if isinstance(value, gast.Subscript) and isinstance(self.facts.of(value.value), k.Num):
            return self.activity.active_sources(value)
        if primitive_of(function).drops == "part":
            return self.activity.active_sources(value)
        if not multiplies(function):
            return []
        operands = operands or self.target(value).operands
        fixed = [x for x in operands if not self.activity.varied.intersection(t.reads(x)) and not self.nonzero(x)
                 and not (isinstance(x, gast.Constant) and isinstance(x.value, str))]
        return self.activity.active_sources(value) if fixed else []

    def valued(self, node: Any) -> set[str]:
        """Names whose values an expression reads, and not only their shape."""
        if isinstance(node, gast.Attribute) and of_shape(node, self.facts.of(node.value)):
            return set()
        function = self.facts.unit.lookup(node.func) if isinstance(node, gast.Call) else None
        if primitive_of(function).shaped is not None:
            return set().union(*(self.valued(x) for j, x in enumerate(node.args) if j != primitive_of(function).shaped))
        if isinstance(node, gast.Name):
            return {node.id}
        return set().union(*map(self.valued, gast.iter_child_nodes(node)))

    def branches(self, name: str) -> bool:
        """Whether a name is a number that the user's own code chooses with `if`, after which nothing is dropped."""
        return self.python_scalar(name) and not self.facts.unit.function.pure

    def python_scalar(self, name: str) -> bool:
        return self.facts.kinds.get(name) == k.FLOAT

    def dropped_by(self, value: Any) -> list[str]:
        """Names of which an expression keeps some elements and drops others."""
        return [n for n in self.drop(value) or () if not self.branches(n)]

    def drop(self, value: Any) -> list[str] | None:
        base = covered(value, self.facts, self.activity.varied)
        if base is not None:
            return [n for n in t.reads(base) if n in self.activity.varied]
        target = self.target(value)
        called = target.function is not None and self.traits(target, self.facts, self.activity.varied)[0]
        part = isinstance(value, gast.Subscript) and any(
            x is not None and singular(x, self.facts, self.bounds) for x in self.bounds.of(value.value))
        return self.activity.active_sources(value) if called or part or selects(value, self.facts) else None

    def at_positions(self, value: Any) -> bool:
        """Whether an expression is a store at positions in an integer array."""
        return self.target(value).object is runtime.index_set and isinstance(value.args[1], gast.Subscript) and not positions(
            value.args[1].slice, self.facts, ("bool", None))

    def singular(self, value: Any) -> bool:
        if singular(value, self.facts, self.bounds):
            return True
        target = self.target(value)
        return target.function is not None and self.traits(target, self.facts, self.activity.varied)[1]

    def target(self, value: Any) -> call_targets.Target:
        """What a call calls; nothing for another expression."""
        if not isinstance(value, gast.Call):
            return call_targets.Target(None, [], {})
        found = call_targets.target_of(value, self.facts.unit, self.facts.of)
        return found if hashable(found.object) else call_targets.Target(None, [], {}, found.function)


class Guards:
    """dropped: names whose cotangent may be zero in places; scaled: likewise, as a product with what is constant has made it so;
    steep: names whose cotangent may be infinite; wild: names whose values may be infinite or NaN.

    result_dropped: whether a caller may drop what the function returns (1), or make its cotangent infinite (2), or give
    zeros as weights (-1); `of_callee(target, facts)`: the `traits` of a callee."""

    def __init__(self, facts: Infer, activity: Activity, result_dropped: int, of_callee: Callable) -> None:
        self.facts, self.activity, self.traits = facts, activity, of_callee
        self.operations = operations = Operations(facts, activity, of_callee)
        self.bounds = operations.bounds
        self.standstill = Standstill(self.bounds)
        self.branches_known: dict[Any, Any] = {}
        self.steep: set[str] = set()
        self.wild: set[str] = set()
        body = facts.unit.tree.body
        self.assignments = assignments = [s for s in t.statements(body) if isinstance(s, gast.Assign)]
        returned = t.reads(body[-1].value)
        result = returned if result_dropped > 0 else []
        self.dropped = self.upstream([n for s in assignments for n in operations.dropped_by(s.value)] + result)
        scaled = [n for s in assignments for n in operations.scaled_by(s.value)] + (returned if result_dropped < 0 else [])
        self.scaled = self.upstream(scaled)
        infinite = result if result_dropped > 1 else []
        infinite = [*infinite, *(n for s in assignments for n in self.steep_at("".join(t.writes(s)), s.value))]
        if self.dropped:
            singular = [s for s in assignments if operations.singular(s.value)]
            infinite += [n for s in singular if self.dropped.intersection(t.writes(s)) and not steep_only_if_infinite(
                s.value, self.bounds) for n in activity.active_sources(s.value)]
            self.wild = self.downstream(singular)
            self.wild |= self.missing() | self.saved()
            large = [s for s in assignments if primitive_of(operations.target(s.value).object).overflows]
            if large:                                          # what overflows is rarely dropped by an extremum
                masked = [n for s in assignments if primitive_of(operations.target(s.value).object).folds not in ("max", "min")
                          and not operations.at_positions(s.value) for n in operations.dropped_by(s.value)] + result
                self.wild |= self.downstream(large) & self.upstream(masked)
        self.steep = self.upstream(infinite, True) if infinite else set()

    def division(self, name: str, value: Any, rule: Rule) -> Any:
        """What takes the place of `/` in the rule of an operation that is finite where its derivative is not, or None."""
        points = primitive_of(self.bounds.operation(value)[0]).branch_points
        if points and isinstance(points[0], tuple):                # an angle: that of the origin stands still
            return runtime.divide_or_zero
        found = self.branch(name, value) if rule.singular else None
        if found is None:
            return None
        operand, points = found
        if all(self.standstill.still(operand, point) for point in points):
            return runtime.divide_or_zero
        guarded = self.operations.python_scalar(name) or name in self.dropped | self.scaled or self.passes(operand)
        return runtime.quotient if guarded else None

    def passes(self, operand: Any) -> bool:
        """Whether what an expression is made from is selected, or has a partial derivative that may be zero."""
        return any(vanishing for name in closure(self.activity.active_sources(operand), lambda n: self.made.get(n, ((), ()))[0])
                   for vanishing in self.made.get(name, ((), ()))[1])

    @functools.cached_property
    def made(self) -> dict[str, tuple[list, list]]:
        """name -> what its values are made from, and of each whether a derivative may be zero there."""
        found: dict[str, tuple[list, list]] = {}
        for s in self.assignments:
            sources = self.activity.active_sources(s.value)
            vanishing = not sources or self.operations.vanishing(s.value) or self.operations.drop(s.value) is not None
            for name in t.writes(s):
                known = found.setdefault(name, ([], []))
                known[0].extend(sources)
                known[1].append(vanishing)
        return found

    def steep_at(self, name: str, value: Any) -> list[str]:
        """Names whose cotangent an operation may make infinite."""
        target = self.operations.target(value)
        if target.function is not None:
            return self.activity.active_sources(value) if self.traits(target, self.facts, self.activity.varied)[2] else []
        found = self.branch(name, value)
        if found is None or all(self.standstill.still(found[0], point) for point in found[1]):
            return []
        return self.activity.active_sources(found[0])

    def branch(self, name: str, value: Any) -> Any:
        """As `Standstill.branch` says of `name = value`, if the value there can be part of a finite result."""
        key = name, id(value)
        if key not in self.branches_known:
            found = self.standstill.branch(value)
            self.branches_known[key] = found if found is not None and (name in self.dropped or self.finite(name)) else None
        return self.branches_known[key]

    def finite(self, name: str) -> bool:
        """Whether nothing is divided by a value in any case: that would be infinite where the derivative is."""
        made, below = self.used
        return below.isdisjoint(closure([name], lambda n: made.get(n, ())))

    @functools.cached_property
    def used(self) -> tuple[dict[str, list[str]], set[str]]:
        """name -> what is zero where it is zero, or holds it; and the names that something is always divided by."""
        perhaps = {id(x) for s in t.statements(self.facts.unit.tree.body) if isinstance(s, gast.If) for x in t.statements([s])}
        made: dict[str, list[str]] = {}
        below: set[str] = set()
        for s in self.assignments:
            function, operands = self.bounds.operation(s.value)
            if id(s) not in perhaps and primitive_of(function).operation == "/":
                below.update(t.reads(operands[1]))
            if self.operations.zero_with(s.value):
                for name in t.reads(s.value):
                    made.setdefault(name, []).extend(t.writes(s))
        return made, below

    def helper(self, name: str, value: Any, ct: str, rule: Rule, contribution: Any, statements: list) -> Any:
        """The guard that a contribution through a rule to the adjoint of an argument of `name = value` needs, and what it looks
        at: mostly `ct`, the adjoint of the name. Or None. statements: what computes parts of the contribution."""
        branch = self.branch(name, value) if rule.singular else None
        if branch is not None and all(self.standstill.still(branch[0], point) for point in branch[1]):
            return runtime.guard, branch[0]
        if branch is not None and (name in self.scaled or self.operations.python_scalar(name)):
            return runtime.guard, t.load(ct)
        found = self.of_contribution(name, value, ct, rule, contribution, statements)
        return found and (found, t.load(ct))

    def of_contribution(self, name: str, value: Any, ct: str, rule: Rule, contribution: Any, statements: list) -> Any:
        out = k.as_num(self.facts.kinds.get(name, k.ANY))
        if name not in self.dropped | self.steep or isinstance(contribution, gast.Call) and (
                self.facts.unit.lookup(contribution.func) is runtime.refuse):
            return None
        if not rule.elementwise and not (isinstance(out, k.Num) and out.dims == ()):
            return None                                     # the cotangent has another shape
        if isinstance(out, k.Tup) or primitive_of(self.operations.target(value).object).drops == "chosen":
            return None
        read = self.operations.valued(contribution)
        for s in reversed(statements):
            if read.intersection(t.writes(s)):
                read |= self.operations.valued(s.value) if isinstance(s, gast.Assign) else set(t.header_reads(s))
        factors = {n for n in (name if n == self.OUT else n for n in read - {ct})
                   if (n in self.facts.local or n in self.wild) and not k.is_discrete(self.facts.kinds.get(n, k.ANY))}
        if name in self.steep and self.operations.vanishing(value):
            return runtime.guard_steep
        if name not in self.dropped:
            return None
        singular = rule.singular and not (regular(value, self.facts) or self.bounds.regular(value))
        return runtime.guard if singular or self.wild & factors else None

    def drops(self, name: str, target: call_targets.Target) -> int:
        """Whether the pair for a call must be guarded, as parts of its result may be dropped, or their cotangent infinite."""
        if name in self.steep:
            return 2
        _, wild, steep = self.traits(target, self.facts, self.activity.varied)
        return int(name in self.dropped and wild or name in self.scaled and steep)

    OUT = "out "                                            # stands for `name` in a contribution

    def upstream(self, names: list[str], scalars: bool = False) -> set[str]:
        """The names, and all that their values are made from. scalars: Python numbers included."""
        found = set(names)
        return dataflow.closure(found, self.assignments[::-1], lambda s: None if found.isdisjoint(t.writes(s)) else [
            n for n in self.activity.active_sources(s.value) if scalars or not self.operations.branches(n)])

    def downstream(self, start: list) -> set[str]:
        """The results of some statements, and all that is made of them."""
        found = {n for s in start for n in t.writes(s)}
        return dataflow.closure(found, self.assignments, lambda s: None if found.isdisjoint(t.reads(s.value)) else [
            n for n in t.writes(s) if not k.is_discrete(self.facts.kinds.get(n, k.ANY))])

    def saved(self) -> set[str]:
        """What the forward half of a pair has saved, where the reverse half is guarded: it had reason to be. And what is guarded
        against an infinite cotangent, with that."""
        unit, guards = self.facts.unit, (runtime.guard, runtime.guard_steep, runtime.guarded_inside)
        guarded = [s.value for s in self.assignments if isinstance(s.value, gast.Call) and unit.lookup(s.value.func) in guards]
        if not unit.function.pure or not guarded:
            return set()
        steep = {n for call in guarded if unit.lookup(call.func) is runtime.guard_steep for n in t.reads(call.args[0])}
        return steep | self.downstream([
            s for s in self.assignments if steep.intersection(t.reads(s.value)) or taken_from(s) in unit.parameters])

    def missing(self) -> set[str]:
        """What may hold NaN, as the program looks for it: what that was made from, and all that is made of this."""
        lookup = self.facts.unit.lookup
        found = {n for s in self.assignments for call in t.walk(s.value) if isinstance(call, gast.Call)
                 and primitive_of(lookup(call.func)).nan_aware for n in t.reads(call)}
        dataflow.closure(found, self.assignments, lambda s: None if found.isdisjoint(t.writes(s)) else [
            n for n in t.reads(s.value) if not k.is_discrete(self.facts.of(t.load(n)) or k.ANY)])
        return found | self.downstream([s for s in self.assignments if found.intersection(t.reads(s.value))])


class LeftOut:
    """Guards that are left out: the compiler is told that there would be one, and that a result must be looked at."""

    def __init__(self, guards: Guards, compiler: Any) -> None:
        self.guards, self.compiler = guards, compiler

    def division(self, name: str, value: Any, rule: Rule) -> None:
        self.note(self.guards.division(name, value, rule))

    def helper(self, *asked: Any) -> None:
        self.note(self.guards.helper(*asked))

    def drops(self, name: str, target: call_targets.Target) -> int:
        self.note(self.guards.drops(name, target))
        return 0

    def note(self, found: Any) -> None:
        self.compiler.singular |= bool(found)


def taken_from(s: gast.Assign) -> str | None:
    """The tuple of which an assignment takes all items, or one."""
    value: Any = s.value if isinstance(s.targets[0], gast.Tuple) else None
    if isinstance(s.value, gast.Subscript) and isinstance(s.value.slice, gast.Constant):
        value = s.value.value
    return value.id if t.is_name(value) else None


def multiplies(function: Any) -> bool:
    """Whether elements of one argument are multiplied with those of another."""
    return primitive_of(function).multiplies or primitive_of(function).operation in ("*", "@")


def selects(value: Any, facts: Infer) -> bool:
    """Whether an expression keeps some elements of its operands and drops others."""
    if isinstance(value, gast.Call):
        target = call_targets.target_of(value, facts.unit, facts.of)
        return primitive_of(target.object).drops in ("chosen", "weighted") or "where" in target.keywords
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
        function = call_targets.target_of(value, facts.unit, facts.of).object
    else:
        return False
    if not hashable(function) or function is None:
        return False
    return function in RULES and bool(RULES[function].singular) and not bounds.regular(value)


def steep_only_if_infinite(value: Any, bounds: Bounds) -> bool:
    """Whether an operation has an infinite derivative only where it is infinite or no number itself, or where `Standstill.branch`
    tells. A finite result has dropped it there, so its cotangent is zero; a call has what is found in the function."""
    function = OPERATORS.get(type(getattr(value, "op", None)))
    if isinstance(value, gast.Call):
        target = call_targets.target_of(value, bounds.facts.unit, bounds.facts.of)
        if target.function is not None:
            return True
        function = target.object
    known = primitive_of(function)
    return bool(known.branch_points) or known.range is not None or RULES[function].singular == "pole"


def regular(value: Any, facts: Infer) -> bool:
    """x / 2.0, and x ** 2 with a whole exponent."""
    kind = facts.of(value.right) if isinstance(value, gast.BinOp) else None
    number = kind.value if isinstance(kind, k.Const) else None
    if not isinstance(number, (int, float)) or number == 0:
        return False
    return isinstance(value.op, gast.Div) or isinstance(value.op, gast.Pow) and number >= 1 and number == int(number)


def closure(names: Any, following: Callable) -> set[str]:
    found, waiting = set(names), list(names)
    while waiting:
        new = [n for n in following(waiting.pop()) if n not in found]
        found.update(new)
        waiting += new
    return found


class Traits:
    """Whether a callee drops parts of what it is given, has singular operations, and finite ones with an infinite derivative;
    what it calls included."""

    def __init__(self, prepare: Callable) -> None:
        self.prepare = prepare
        self.known: dict[Any, tuple[bool, bool, bool]] = {}
        self.asked: list[Any] = []

    def __call__(self, target: call_targets.Target, facts: Infer, varied: set[str]) -> tuple[bool, bool, bool]:
        """varied: names of the caller that depend on the inputs."""
        function = target.function
        assert function is not None
        try:
            bound = call_targets.bind(function, target, facts.unit)
        except TypeError:
            return False, False, False
        kinds = {n: facts.of(v) or k.ANY for n, v in bound.items()}
        given = {n for n, v in bound.items() if not varied.isdisjoint(t.reads(v))}
        key = (function, tuple(kinds.items()), frozenset(given))
        if key not in self.known:
            if function in self.asked:                            # a recursive call, perhaps of other kinds
                return True, True, True
            self.asked.append(function)
            try:
                self.known[key] = self.of_body(self.prepare(function, kinds).facts, given)
            except SourcegradError:                               # it is refused where its call is transformed
                return False, False, False
            finally:
                self.asked.pop()
        return self.known[key]

    def of_body(self, facts: Infer, varied: set[str]) -> tuple[bool, bool, bool]:
        drops = wild = steep = False
        dataflow.closure(varied, t.statements(facts.unit.tree.body), lambda s: None if varied.isdisjoint(t.header_reads(s)) else [
            *t.writes(s), *(t.list_method(s) or ())[:1]])
        bounds, constant = Bounds(facts, varied), shifts(facts)
        standstill = Standstill(bounds)
        for s in t.statements(facts.unit.tree.body):
            if not isinstance(s, gast.Assign):
                continue
            drops = drops or selects(s.value, facts) and constant.isdisjoint(t.writes(s)) or covered(
                s.value, facts, facts.local) is not None
            wild = wild or singular(s.value, facts, bounds)
            found = standstill.branch(s.value)
            steep = steep or found is not None and not all(standstill.still(found[0], point) for point in found[1])
            steep = steep or singular(s.value, facts, bounds) and not (
                varied.isdisjoint(t.reads(s.value)) or steep_only_if_infinite(s.value, bounds))
            target = call_targets.target_of(s.value, facts.unit, facts.of) if isinstance(s.value, gast.Call) else None
            if target is not None:
                wild = wild or primitive_of(target.object).overflows
                if target.function is not None:
                    more = self(target, facts, varied)
                    drops, wild, steep = drops or more[0], wild or more[1], steep or more[2]
        return drops, wild, steep


__all__ = ["Guards", "LeftOut", "Traits"]
