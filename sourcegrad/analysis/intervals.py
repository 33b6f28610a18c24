"""Numeric domains: intervals (lower bounds, where a value stands still) and differences between indices.

`np.sum(d * d, axis=1) + 0.01` is never below 0.01: where the argument of a root, a logarithm, a power or a division stays away from
zero, the derivative is finite and needs no guard. Bounds hold in floating point, too: every operation used here is rounded
monotonically. `np.sum(d * d)` does not change, to first order, where it is zero: the derivative of its root is zero there.

Whether places of an array can overlap: indices are a name plus a number, and what is known of them are differences. A set of
constraints `x - y <= c` over integers has no solution exactly if its graph has a negative cycle.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import OPERATORS
from sourcegrad.kinds import results
from sourcegrad.primitives.core import RULES, Primitive, primitive_of

POINTS = 8                                                    # so many are looked at for each name
STEEPEST = 1e30                                               # derivatives up to this are finite in float32 as well

class Bounds:
    """Lower bounds of the real floats of a function. varied: names that depend on the inputs."""

    def __init__(self, facts: Infer, varied: set[str] | None = None) -> None:
        self.facts = facts
        self.varied = facts.local | set(facts.unit.parameters) if varied is None else varied
        self.values: dict[str, list | None] = dict.fromkeys(facts.unit.parameters)
        self.known: dict[Any, Any] = {}
        self.numbers: dict[str, Any] = {}                  # names of numbers that are known, or not
        self.twins: set[tuple[str, str]] = set()           # names of one part of an array, taken twice in a row: a[:, k] @ a[:, k]
        last: Any = None
        for s in t.statements(facts.unit.tree.body):
            method = t.list_method(s)
            added = s.value.args[0] if method is not None and method[1] == "append" else getattr(s, "value", None)
            alone = isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name)
            if alone and last is not None and isinstance(s.value, gast.Subscript) and t.same(s.value, last.value):
                self.twins.add((last.targets[0].id, s.targets[0].id))
            last = s if alone else None
            for name in t.writes(s) if method is None or method[1] == "pop" else [method[0]]:
                values = self.values.setdefault(name, [])
                if values is not None:
                    self.values[name] = [*values, added] if alone or method is not None and method[1] == "append" else None

    def alike(self, left: Any, right: Any) -> bool:
        return same_name(left, right) or isinstance(left, gast.Name) and isinstance(right, gast.Name) and (
            left.id, right.id) in self.twins

    def of(self, node: Any) -> list:
        """All values of a name, as far as they are known."""
        return self.values.get(node.id) or [] if isinstance(node, gast.Name) else []

    def of_name(self, key: Any, assumed: Any, missing: Any, ask: Callable) -> Any:
        """What `ask` says of all values of a name. What a loop carries is assumed to have it, until it is found that it has not."""
        if key not in self.known:
            self.known[key] = assumed
            before = set(self.known)
            found = [ask(value) for value in self.values.get(key[0]) or [None]]
            good = all(x is not None and x is not False for x in found)
            if not good:
                for other in set(self.known) - before:        # found while it was assumed
                    del self.known[other]
            self.known[key] = min(found) if good else missing
        return self.known[key]

    # --- lower bounds

    def low(self, node: Any) -> float | None:
        """A number >= 0 that a value is never below (but it may be NaN), or None. Of a list: its items."""
        low = self.least_of(node)
        return 0.0 if low and unknown(self.facts.of(node)) else low

    def least_of(self, node: Any) -> float | None:
        kind = self.facts.of(node) if isinstance(node, (gast.Name, gast.Constant, gast.UnaryOp)) else None
        if isinstance(kind, k.Const):
            real = type(kind.value) in (int, float) and kind.value >= 0
            return float(kind.value) if real else None
        if isinstance(node, gast.Constant):
            return float(node.value) if type(node.value) in (int, float) and node.value >= 0 else None
        if isinstance(node, gast.Name):
            return self.of_name((node.id, "low"), 0.0, None, self.low) if self.real(node) else None
        if isinstance(node, gast.BinOp):
            return self.of_operation(OPERATORS.get(type(node.op)), node.left, node.right)
        if isinstance(node, (gast.List, gast.Tuple)):
            lows = [self.low(item) for item in node.elts]
            return None if None in lows else min([x for x in lows if x is not None], default=math.inf)
        if isinstance(node, gast.Subscript):
            return self.low(node.value) if isinstance(self.facts.of(node.value), (k.Num, k.Lst)) else None
        if isinstance(node, gast.Attribute):
            return self.low(node.value) if node.attr == "T" and isinstance(self.facts.of(node.value), k.Num) else None
        if isinstance(node, gast.Call):
            return self.of_call(node)
        return None

    def real(self, node: Any) -> bool:
        kind = self.facts.of(node) or k.ANY
        if isinstance(kind, (k.Lst, k.Tup)):
            items = kind.items if isinstance(kind, k.Tup) else [kind.item or k.FLOAT]
            return all(map(real, items))
        return real(kind)

    def of_operation(self, function: Any, left: Any, right: Any) -> float | None:
        named = primitive_of(function).operation
        if named == "@" and self.alike(left, right) and self.real(left):
            return 0.0
        if named is None:
            return None
        if named == "*" and self.alike(left, right) and self.real(left):
            return 0.0
        if named == "**" and self.real(left) and whole_and_even(self.constant(right)):
            return 0.0
        one, other = self.low(left), self.low(right)
        if named == "max" and (one is not None or other is not None):
            return max(one or 0.0, other or 0.0)
        if one is None or other is None or named == "-":
            return None
        if named == "+":
            return one + other
        if named == "*":
            return one * other
        return min(one, other) if named == "min" else 0.0

    def of_call(self, node: gast.Call) -> float | None:
        target = call_targets.target_of(node, self.facts.unit, self.facts.of)
        function, operands = target.object, target.args
        known = primitive_of(function)
        if not operands or target.function is not None:
            return None
        if known.fills is not None or function is np.eye or function is np.identity:
            return known.fills or 0.0
        parts = self.selected(known, function, operands)
        if set(target.keywords) - {"axis", "keepdims"}:
            return None
        if known.range is not None or known.exponential is not None:
            low = known.range[0] if known.range is not None else 0.0
            return low if low >= 0.0 and all(map(self.real, operands)) else None
        if known.operation is not None and len(operands) == 2:
            return self.of_operation(function, *operands)
        if function is np.einsum and squares(operands):
            return 0.0 if self.real(operands[1]) else None
        if function is np.clip and len(operands) > 1:
            return self.low(operands[1])
        if known.power is None and not parts and not sums(function, operands):
            return None
        lows = [self.low(x) for x in parts or operands[:1]]
        if None in lows:
            return None
        low = min(x for x in lows if x is not None)
        return low if parts or known.folds == "mean" else 0.0 if known.power is None else low ** known.power

    def selected(self, known: Primitive, function: Any, operands: list) -> list:
        """The operands of whose elements the result of a call consists."""
        if function is runtime.index_set and not isinstance(self.facts.of(operands[0]), k.Num):
            return []
        return [operands[j] for j in known.selects] if len(operands) > max(known.selects, default=-1) else []

    def constant(self, node: Any) -> Any:
        """The value of a number that is known, or computed from such."""
        kind = self.facts.of(node)
        if isinstance(kind, k.Const):
            return kind.value if type(kind.value) in (int, float) else None
        if isinstance(node, gast.Name) and kind == k.FLOAT:
            values = self.values.get(node.id)
            if values and len(values) == 1 and node.id not in self.numbers:
                self.numbers[node.id] = None                       # of what it is made of itself nothing is known
                self.numbers[node.id] = self.constant(values[0])
            return self.numbers.get(node.id)
        named = primitive_of(OPERATORS.get(type(node.op))).operation if isinstance(node, gast.BinOp) else None
        if named not in ("+", "-", "*", "/"):
            return None
        left, right = self.constant(node.left), self.constant(node.right)
        known = left is not None and right is not None and (named != "/" or right != 0)
        return OPERATORS[type(node.op)](left, right) if known else None

    def operation(self, value: Any) -> tuple[Any, list]:
        """What an operator or call computes, and with what; without options."""
        if isinstance(value, gast.BinOp):
            return OPERATORS.get(type(value.op)), [value.left, value.right]
        if isinstance(value, gast.Call):
            target = call_targets.target_of(value, self.facts.unit, self.facts.of)
            if target.function is None and not target.keywords:
                return target.object, target.args
        return None, []

    def regular(self, value: Any) -> bool:
        """Whether an operation that may be singular has finite derivatives, whatever the inputs."""
        function, operands = self.operation(value)
        known = primitive_of(function)
        if known.operation == "/" and len(operands) == 2:
            return self.away(operands[1], -2.0)
        if known.operation == "**" and len(operands) == 2:
            exponent = self.constant(operands[1])
            return exponent is not None and self.away(operands[0], exponent - 1.0)
        slope = known.slope if known.power is None else known.power - 1.0
        if len(operands) != 1 or slope is None:
            return False
        return self.low(operands[0]) is not None if slope == 0.0 else self.away(operands[0], slope)

    def away(self, node: Any, power: float) -> bool:
        """Whether a value is so far from zero that this power of it is moderate."""
        low = self.low(node)
        if low is None or not low > 0.0 or not self.real(node):
            return False
        return power >= 0.0 or math.log(low) * power < math.log(STEEPEST)

    def positive(self, node: Any) -> bool:
        """Whether a value is made of exponentials and sums with them: zero only where these are too small for a float."""
        if isinstance(node, gast.Name):
            return (self.low(node) or 0.0) > 0.0 or self.of_name((node.id, "positive"), True, False, self.positive)
        function, operands = self.operation(node)
        known = primitive_of(function)
        if known.exponential is not None:
            return True
        if known.operation in ("*", "/") and len(operands) == 2:
            return all(map(self.positive, operands))
        if known.operation == "+":
            return any(self.positive(one) and self.low(other) is not None for one, other in (operands, operands[::-1]))
        parts = operands[:1] if sums(function, operands) else self.selected(known, function, operands)
        return bool(parts) and all(map(self.positive, parts)) or (self.low(node) or 0.0) > 0.0


class Standstill:
    """Where values do not change, to first order: the derivative of a root of them is zero there."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds, self.facts, self.varied = bounds, bounds.facts, bounds.varied

    def branch(self, value: Any) -> tuple[Any, tuple[float, ...]] | None:
        """The operand of an operation that is finite, but has an infinite derivative at some points; and these points."""
        function, operands = self.bounds.operation(value)
        known = primitive_of(function)
        points = known.branch_points
        if not points or not operands or isinstance(points[0], tuple):
            return None
        if points == (0.0,) and (self.bounds.regular(value) or self.bounds.positive(operands[0])):
            return None
        if known.operation == "**":
            exponent = self.bounds.constant(operands[1])
            if exponent is not None and not 0.0 < exponent < 1.0:
                return None
        return operands[0], points

    def still(self, node: Any, point: float = 0.0) -> bool:
        """Whether the derivative of a value is zero where it is at a point (by the conventions: |x| at 0, maximum(x, 0))."""
        if isinstance(node, gast.Name):
            constant = self.bounds.constant(node)
            if node.id not in self.varied or constant is not None and constant != point:
                return True
            if sum(key[0] == node.id for key in self.bounds.known) > POINTS:         # r = r - 1 in a loop: another point each time
                return False
            return self.bounds.of_name((node.id, point), True, False, lambda value: value is not None and self.still(value, point))
        if not self.varied.intersection(t.reads(node)):
            return True
        if isinstance(node, (gast.List, gast.Tuple)):
            return all(self.still(item, point) for item in node.elts)
        if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
            return self.still(node.operand, -point)
        if isinstance(node, gast.Subscript) or isinstance(node, gast.Attribute) and node.attr in ("T", "real", "imag"):
            return self.still(node.value, point)
        if isinstance(node, gast.BinOp):
            return self.of_operation(OPERATORS.get(type(node.op)), node.left, node.right, point)
        return isinstance(node, gast.Call) and self.of_call(node, point)

    def of_operation(self, function: Any, left: Any, right: Any, point: float) -> bool:
        named = primitive_of(function).operation
        fixed = not self.varied.intersection(t.reads(right))
        if named in ("+", "-") and (fixed or named == "+" and not self.varied.intersection(t.reads(left))):
            moving, shift = (left, self.bounds.constant(right)) if fixed else (right, self.bounds.constant(left))
            if shift is not None:
                return self.still(moving, point + shift if named == "-" else point - shift)
        if named in ("max", "min"):
            beyond = self.bounds.constant(right)
            if beyond is not None and (beyond >= point if named == "max" else beyond <= point):
                return True
            low = self.bounds.low(right)
            return named == "max" and fixed and low is not None and low >= point or (
                self.still(left, point) and self.still(right, point))
        if point != 0.0:
            return False
        if named in ("*", "@") and self.bounds.alike(left, right):
            return True
        if named == "*":
            return self.still(left) and self.still(right)
        if named == "/":
            return self.still(left)
        if named == "**" and fixed:
            exponent = self.bounds.constant(right)
            return exponent is not None and exponent > 1.0 or self.still(left)
        return named == "+" and all(self.bounds.low(x) is not None and self.still(x) for x in (left, right))

    def of_call(self, node: gast.Call, point: float) -> bool:
        target = call_targets.target_of(node, self.facts.unit, self.facts.of)
        function, operands = target.object, target.args
        known = primitive_of(function)
        if not operands or target.function is not None:
            return False
        if sums(function, operands):
            return point == 0.0 and self.bounds.low(operands[0]) is not None and self.still(operands[0])
        if known.range is not None and point in known.range:
            return True
        if target.keywords.keys() - {"axis", "keepdims"}:
            return False
        if function is np.clip and len(operands) == 3:
            low, high = map(self.bounds.constant, operands[1:])
            return low is not None and low >= point or high is not None and high <= point or self.still(operands[0], point)
        if function is np.einsum:                                  # a quadratic form
            names = [x.id for x in operands[1:] if isinstance(x, gast.Name) and x.id in self.varied]
            return point == 0.0 and len(set(names)) < len(names)
        if known.operation is not None and len(operands) == 2:
            return self.of_operation(function, operands[0], operands[1], point)
        parts = operands[:1] if known.power is not None and point == 0.0 else self.bounds.selected(known, function, operands)
        return bool(parts) and all(self.still(x, point) for x in parts)


def real(kind: Any) -> bool:
    """Whether a value is made of real floats; of an unknown dtype it is known at least that they are real."""
    kind = k.as_num(kind)
    return isinstance(kind, k.Num) and kind.is_complex is False and not kind.is_discrete and kind.dtype not in ("object", "float16")


def unknown(kind: Any) -> bool:
    """Whether a value may have few digits, so that it can be zero although something small was added."""
    return isinstance(kind, k.Num) and kind.dtype is None


def sums(function: Any, operands: list) -> bool:
    """Whether a call adds elements of its first argument and nothing else: if none is negative, it is zero where all are."""
    known = primitive_of(function)
    return known.folds in ("+", "mean") and (len(operands) == 1 or "axis" in RULES[function].parameters)


def same_name(left: Any, right: Any) -> bool:
    return isinstance(left, gast.Name) and t.same(left, right)


def squares(operands: list) -> bool:
    """Whether an einsum sums the squares of an array."""
    if len(operands) != 3 or not isinstance(operands[0], gast.Constant) or not same_name(*operands[1:]):
        return False
    one, _, other = str(operands[0].value).replace(" ", "").partition("->")[0].partition(",")
    return one == other


def whole_and_even(number: Any) -> bool:
    return number is not None and number == int(number) and int(number) % 2 == 0 and number > 0


Term = tuple[str, int]                 # a name and a number; the name "" is zero
Box = list[tuple[Term | None, Term | None]]          # first and one past the last along each axis; None: no bound


class Constraints:
    def __init__(self) -> None:
        self.edges: list[tuple[str, str, int]] = []

    def copy(self) -> Constraints:
        new = Constraints()
        new.edges = list(self.edges)
        return new

    def at_most(self, one: Term | None, other: Term | None, offset: int = 0) -> None:
        """one <= other + offset"""
        if one is not None and other is not None:
            self.edges.append((other[0], one[0], other[1] + offset - one[1]))

    def possible(self) -> bool:
        names = {n for a, b, _ in self.edges for n in (a, b)}
        distance = dict.fromkeys(names, 0)
        for _ in range(len(names) + 1):
            changed = False
            for a, b, c in self.edges:
                if distance[a] + c < distance[b]:
                    distance[b] = distance[a] + c
                    changed = True
            if not changed:
                return True
        return False

    def overlap(self, one: Box, other: Box) -> bool:
        """Whether two places may have an element in common."""
        both = self.copy()
        for (low, high), (low_2, high_2) in zip(one, other):
            both.at_most(low, high_2, -1)
            both.at_most(low_2, high, -1)
            both.at_most(low, high, -1)
            both.at_most(low_2, high_2, -1)
        return both.possible()

    def negative(self, term: Term) -> bool:
        """Whether a term may be below zero."""
        below = self.copy()
        below.at_most(term, ("", -1))
        return below.possible()


def renamed(term: Term | None, names: dict[str, str]) -> Any:
    return None if term is None else (names.get(term[0], term[0]), term[1])


# --- Whether there is anything at a place before something is stored there.

def has_place(facts: Infer, base: Any, place: Any) -> bool:
    """Whether something lies there before the store: an entry of a dict may be new."""
    steps: list = []
    viewed = False                                   # the steps end at an array, of which a view is taken
    while isinstance(place, (gast.Attribute, gast.Subscript, gast.Call)) and not (
            isinstance(place, gast.Attribute) and place.attr == "s_"):
        if isinstance(place, gast.Call):
            steps, viewed, place = [], True, place.func
        else:
            steps.insert(0, place)
        place = place.value
    kind = facts.of(base)
    if not steps and viewed:
        return True
    if not steps:                                    # a plain index
        steps = [t.subscript(t.clone(base), t.clone(place))]
    for step in steps:
        if kind is None or kind is k.ANY:
            return False
        if isinstance(kind, (k.Dct, k.Map)):
            try:
                key = results.constant(facts.of(step.slice)) if isinstance(step, gast.Subscript) else step.attr
            except results.Unknown:
                return False
            if not isinstance(kind, k.Dct) or kind.partial or kind.get(key) is None:
                return False
            kind = kind.get(key)
        elif isinstance(kind, k.Lst):
            kind = kind.item
        elif isinstance(kind, k.Tup) and isinstance(step, gast.Subscript):
            index = facts.of(step.slice)
            kind = kind.items[index.value] if isinstance(index, k.Const) and isinstance(index.value, int) else k.ANY
        elif isinstance(kind, k.Obj) and isinstance(step, gast.Attribute):
            kind = kind.get(step.attr)
            if kind is None:
                return True
        else:
            return True
    return True
