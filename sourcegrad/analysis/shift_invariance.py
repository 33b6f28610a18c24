"""Shift invariance: extrema that are subtracted for stability only: `np.exp(x - np.max(x))` in a softmax or a log-sum-exp.

The result does not depend on such a shift, so no derivative flows through it, and the reverse sweep has no code for it.
That is shown by following how each value changes when the shift s does: a *degree* k says that the value becomes
value + k*s (a sum) or value * exp(k*s) (a scale). If everything that s reaches ends with degree zero, s has no influence.
A value has, for each of its dimensions, the dimension of the extremum's argument along which s varies, or None.
"""
from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import OPERATORS
from sourcegrad.primitives.core import RULES, primitive_of


@dataclass(frozen=True)
class Degree:
    """How a value follows the shift. scale: it is multiplied by exp(number * s); else number * s is added."""

    scale: bool
    number: float
    along: tuple[int | None, ...]


class Dependent(Exception):
    """The shift may have an influence."""


def shifts(facts: Infer) -> set[str]:
    """Names of extrema without influence on anything."""
    found = set()
    body = facts.unit.tree.body
    writes = Counter(name for s in t.statements(body) for name in t.writes(s))
    reads: Reads | None = None
    for block in blocks(body):
        for position, s in enumerate(block):
            start = _extremum(s, facts)
            if start is None or writes[s.targets[0].id] != 1:
                continue
            reads = reads or Reads(body)
            try:
                Follow(facts, writes, reads).run(s.targets[0].id, start, block[position + 1:])
            except Dependent:
                continue
            found.add(s.targets[0].id)
    return found


def blocks(block: list) -> list[list]:
    found = [block]
    for s in block:
        for field in ("body", "orelse", "finalbody"):
            found += blocks(getattr(s, field, None) or [])
    return found


def _extremum(s: Any, facts: Infer) -> Degree | None:
    """The degree of what a statement computes, if that is an extremum."""
    if not isinstance(s, gast.Assign) or not isinstance(s.targets[0], gast.Name) or not isinstance(s.value, gast.Call):
        return None
    target = call_targets.target_of(s.value, facts.unit, facts.of)
    if primitive_of(target.object).folds not in ("max", "min"):
        return None
    try:
        return _reduced(target, facts, lambda rank: Degree(False, 1, tuple(range(rank))), start=True)
    except Dependent:
        return None


def _reduced(target: call_targets.Target, facts: Infer, degree: Any, start: bool = False) -> Degree:
    """The degree of a reduction over axes along which the shift is the same."""
    try:
        bound = call_targets.bind_rule(RULES[target.object], target)
    except TypeError:
        raise Dependent from None
    if set(bound) - {"a", "x", "axis", "keepdims"}:
        raise Dependent
    argument = next(iter(bound.values()))
    kind = k.as_num(facts.of(argument) or k.ANY)
    rank = kind.ndim if isinstance(kind, k.Num) else None
    if rank is None:
        raise Dependent
    found: Degree = degree(rank)
    axis = _constant(bound.get("axis"), facts, None)
    if target.object is np.squeeze and axis is None:                  # which axes have one element is not known
        raise Dependent
    axes = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if not all(isinstance(a, int) and -rank <= a < rank for a in axes):
        raise Dependent
    reduced = {a % rank for a in axes}
    if not start and any(found.along[a] is not None for a in reduced):
        raise Dependent
    kept = _constant(bound.get("keepdims"), facts, False)
    if kept is True:
        along = tuple(None if d in reduced else found.along[d] for d in range(rank))
    elif kept is False:
        along = tuple(found.along[d] for d in range(rank) if d not in reduced)
    else:
        raise Dependent
    return replace(found, along=along)


def _constant(node: Any, facts: Infer, default: Any) -> Any:
    if node is None:
        return default
    kind = facts.of(node)
    if isinstance(kind, k.Const):
        return kind.value
    if isinstance(kind, k.Tup) and k.all_of(kind.items, k.Const):
        return tuple(item.value for item in kind.items)
    raise Dependent


class Reads:
    """How often statements read names, those inside them included; counted once for all shifts of a function."""

    def __init__(self, body: list) -> None:
        self.of: dict[int, Counter[str]] = {}
        self.everywhere = self.block(body)

    def block(self, block: list) -> Counter[str]:
        total: Counter[str] = Counter()
        for s in block:
            found = Counter(t.header_reads(s))
            for inner in t.inner_blocks(s):
                found += self.block(inner)
            self.of[id(s)] = found
            total += found
        return total


class Follow:
    """Follows one shift through the block that computes it."""

    def __init__(self, facts: Infer, writes: Counter[str], reads: Reads) -> None:
        self.facts = facts
        self.writes, self.reads = writes, reads
        self.degrees: dict[str, Degree] = {}

    def run(self, name: str, start: Degree, block: list) -> None:
        """Raise Dependent unless all that the shift reaches is in this block, and ends with degree zero."""
        self.degrees[name] = start
        seen: Counter[str] = Counter()
        for s in block:
            reads = self.reads.of[id(s)]
            if self.degrees.keys().isdisjoint(reads):
                continue
            seen.update({n: reads[n] for n in self.degrees})
            if not isinstance(s, gast.Assign) or not isinstance(s.targets[0], gast.Name) or self.writes[s.targets[0].id] != 1:
                raise Dependent
            degree = self.of(s.value)
            if degree is not None and degree.number:
                self.degrees[s.targets[0].id] = degree
        if any(seen[n] != self.reads.everywhere[n] for n in self.degrees):        # it is read somewhere else as well
            raise Dependent

    def of(self, value: Any) -> Degree | None:
        """The degree of an expression; None for what does not follow the shift."""
        if isinstance(value, gast.Name):
            return self.degrees.get(value.id)
        if isinstance(value, gast.Constant):
            return None
        if isinstance(value, gast.BinOp):
            return self.binary(primitive_of(OPERATORS[type(value.op)]).operation, value.left, value.right)
        if isinstance(value, gast.UnaryOp) and isinstance(value.op, (gast.USub, gast.UAdd)):
            return self.scaled(self.of(value.operand), -1 if isinstance(value.op, gast.USub) else 1)
        if isinstance(value, gast.Subscript):
            return self.indexed(value)
        if isinstance(value, gast.Call):
            return self.call(value)
        raise Dependent

    def rank(self, node: Any) -> int:
        kind = k.as_num(self.facts.of(node) or k.ANY)
        if not isinstance(kind, k.Num) or kind.ndim is None:
            raise Dependent
        return kind.ndim

    def binary(self, operator: str | None, left: Any, right: Any) -> Degree | None:
        a, b = self.of(left), self.of(right)
        if a is None and b is None:
            return None
        rank = max(self.rank(left), self.rank(right))
        a, b = self.padded(a, rank), self.padded(b, rank)
        if operator in ("*", "/"):
            sign = 1 if operator == "*" else -1
            if (a is None or a.scale) and (b is None or b.scale):
                return self.joined(a, b, sign)
            return self.scaled(a, self.number(right) ** sign) if b is None else self.times(left, b, operator)
        if operator not in ("+", "-"):
            raise Dependent
        sign = 1 if operator == "+" else -1
        if (a is None or not a.scale) and (b is None or not b.scale):
            return self.joined(a, b, sign)
        return self.same(a, left, b, right)

    def times(self, left: Any, b: Degree, operator: str) -> Degree | None:
        if operator == "/" or self.of(left) is not None:
            raise Dependent
        return self.scaled(b, self.number(left))

    def number(self, node: Any) -> float:
        kind = self.facts.of(node)
        if not isinstance(kind, k.Const) or type(kind.value) not in (int, float) or not kind.value:
            raise Dependent
        return kind.value

    def padded(self, degree: Degree | None, rank: int) -> Degree | None:
        return degree and replace(degree, along=(None,) * (rank - len(degree.along)) + degree.along)

    def scaled(self, degree: Degree | None, factor: float) -> Degree | None:
        if degree is None or (degree.scale and factor != 1):      # -y is y * -1: a factor does not change a scale
            return degree
        return replace(degree, number=degree.number * factor)

    def joined(self, a: Degree | None, b: Degree | None, sign: int) -> Degree | None:
        """a + sign * b, as degrees."""
        if b is None:
            return a
        if a is None:
            return replace(b, number=sign * b.number)
        if a.along != b.along:
            raise Dependent
        return replace(a, number=a.number + sign * b.number)

    def same(self, a: Degree | None, left: Any, b: Degree | None, right: Any) -> Degree:
        """Of values that must follow the shift in the same way; zero is any scale of itself."""
        if a == b and a is not None:
            return a
        if a is None and b is not None and b.scale and self.zero(left):
            return b
        if b is None and a is not None and a.scale and self.zero(right):
            return a
        raise Dependent

    def zero(self, node: Any) -> bool:
        kind = self.facts.of(node)
        return isinstance(kind, k.Const) and type(kind.value) in (int, float) and kind.value == 0

    def indexed(self, value: gast.Subscript) -> Degree | None:
        """New dimensions, whole dimensions, and any plain index where the shift is the same."""
        degree = self.of(value.value)
        index = list(value.slice.elts) if isinstance(value.slice, gast.Tuple) else [value.slice]
        if degree is None or any(n in self.degrees for item in index for n in t.reads(item)):
            raise Dependent
        rest = list(degree.along)
        along: list[int | None] = []
        for position, item in enumerate(index):
            kind = self.facts.of(item)
            if kind == k.Const(None):
                along.append(None)
            elif isinstance(kind, k.Const) and kind.value is Ellipsis:
                later = sum(self.facts.of(i) != k.Const(None) for i in index[position + 1:])
                while len(rest) > later:
                    along.append(rest.pop(0))
            elif rest and isinstance(item, gast.Slice) and (rest[0] is None or not any((item.lower, item.upper, item.step))):
                along.append(rest.pop(0))
            elif rest and rest[0] is None and isinstance(kind, k.Const) and type(kind.value) is int:
                rest.pop(0)
            else:
                raise Dependent
        return replace(degree, along=(*along, *rest))

    def call(self, value: gast.Call) -> Degree | None:
        target = call_targets.target_of(value, self.facts.unit, self.facts.of)
        function = target.object
        known = primitive_of(function)
        operands = target.args
        if function is np.squeeze or known.folds in ("+", "mean", "max", "min") and not known.running and (
                "axis" in RULES[function].parameters):
            def degree(rank: int) -> Degree:
                found = self.of(operands[0])
                if found is None or (not found.scale and known.folds == "+"):
                    raise Dependent
                return found
            if not operands:
                raise Dependent
            return _reduced(target, self.facts, degree)
        if target.keywords:
            raise Dependent
        if function is np.where and len(operands) == 3 and not self.follows(operands[0]):
            a, b = (self.padded(self.of(x), self.rank(value)) for x in operands[1:])
            return self.same(a, operands[1], b, operands[2])
        if isinstance(function, np.ufunc) and known.operation is not None and len(operands) == 2:
            return self.binary(known.operation, *operands)
        if len(operands) != 1:
            raise Dependent
        found = self.of(operands[0])
        if found is None:
            raise Dependent
        if known.exponential == math.e and not found.scale:
            return replace(found, scale=True)
        if primitive_of(known.inverse).exponential == math.e and found.scale:
            return replace(found, scale=False)
        if function is np.negative:
            return self.scaled(found, -1)
        raise Dependent

    def follows(self, node: Any) -> bool:
        return any(n in self.degrees for n in t.reads(node))
