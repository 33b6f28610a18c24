"""Lower bounds of values, from what computes them: `np.sum(d * d, axis=1) + 0.01` is never below 0.01.

Where the argument of a root, a logarithm, a power or a division stays away from zero, the derivative is finite and needs no guard.
Bounds hold in floating point, too: every operation used here is rounded monotonically.
"""
from __future__ import annotations

import math
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, tree as t
from sourcegrad.analysis import calls
from sourcegrad.analysis.infer import OPERATORS, Infer

STEEPEST = 1e30                                               # derivatives up to this are finite in float32 as well
NONNEGATIVE = {np.exp, np.exp2, np.abs, np.absolute, np.fabs, np.square, abs, math.exp, math.fabs}
ROOTS = {np.sqrt, math.sqrt}
TOTALS = {np.sum, np.nansum}                                  # of no elements at all: zero
SELECTED = {np.mean, np.max, np.amax, np.min, np.amin, np.reshape, np.ravel, np.copy, np.transpose, np.squeeze,
            np.expand_dims, np.broadcast_to, np.roll, np.flip, np.take, np.repeat, np.tile}
COSH = {np.cosh, math.cosh}
LOGARITHMS = {np.log, np.log2, np.log10, math.log, math.log2, math.log10}
AFTER_ONE = {np.log1p, math.log1p}


class Bounds:
    """Lower bounds of the real floats of a function: of names that are assigned in one place, and of expressions."""

    def __init__(self, facts: Infer) -> None:
        self.facts = facts
        self.values: dict[str, Any] = {}
        self.known: dict[str, float | None] = {}
        twice = set(facts.unit.parameters)
        for s in t.statements(facts.unit.tree.body):
            alone = isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name)
            for name in t.writes(s):
                if name in self.values or not alone:
                    twice.add(name)
                self.values[name] = getattr(s, "value", None)
        for name in twice:
            self.known[name] = None

    def low(self, node: Any) -> float | None:
        """A number >= 0 that a value is never below (but it may be NaN), or None."""
        kind = self.facts.of(node) if isinstance(node, (gast.Name, gast.Constant, gast.UnaryOp)) else None
        if isinstance(kind, k.Const):
            real = type(kind.value) in (int, float) and kind.value >= 0
            return float(kind.value) if real else None
        if isinstance(node, gast.Constant):
            return float(node.value) if type(node.value) in (int, float) and node.value >= 0 else None
        if isinstance(node, gast.Name):
            if node.id not in self.known:
                self.known[node.id] = None                    # while it is asked for
                value = self.values.get(node.id)
                self.known[node.id] = None if value is None or not self.real(node) else self.low(value)
            return self.known[node.id]
        if isinstance(node, gast.BinOp):
            return self.of_operation(OPERATORS.get(type(node.op)), node.left, node.right)
        if isinstance(node, gast.Subscript):
            return self.low(node.value) if isinstance(self.facts.of(node.value), k.Num) else None
        if isinstance(node, gast.Attribute):
            return self.low(node.value) if node.attr == "T" and isinstance(self.facts.of(node.value), k.Num) else None
        if isinstance(node, gast.Call):
            return self.of_call(node)
        return None

    def real(self, node: Any) -> bool:
        kind = k.as_num(self.facts.of(node) or k.ANY)
        return isinstance(kind, k.Num) and kind.is_complex is False and not kind.is_discrete and kind.dtype not in (
            None, "object", "float16")

    def of_operation(self, function: Any, left: Any, right: Any) -> float | None:
        named = OPERATION.get(function)
        if named is None:
            return None
        if named == "*" and t.same(left, right) and isinstance(left, gast.Name) and self.real(left):
            return 0.0
        if named == "**" and self.real(left) and whole_and_even(self.constant(right)):
            return 0.0
        one, other = self.low(left), self.low(right)
        if one is None or other is None:
            return None
        if named == "+":
            return one + other
        if named == "*":
            return one * other
        if named == "**":
            return 0.0
        return 0.0 if named == "/" else max(one, other)

    def of_call(self, node: gast.Call) -> float | None:
        target = calls.target_of(node, self.facts.unit, self.facts.of)
        function, operands = target.object, target.args
        if not calls.hashable(function) or function is None or not operands or target.function is not None:
            return None
        if set(target.keywords) - {"axis", "keepdims"}:
            return None
        if function in NONNEGATIVE:
            return 0.0 if self.real(operands[0]) else None
        if function in COSH:
            return 1.0 if self.real(operands[0]) else None
        if function in OPERATION and len(operands) == 2:
            return self.of_operation(function, *operands)
        low = self.low(operands[0])
        if low is None:
            return None
        if function in ROOTS:
            return math.sqrt(low)
        if function in TOTALS:
            return 0.0
        return low if function in SELECTED else None

    def constant(self, node: Any) -> Any:
        """The value of a number that is known."""
        kind = self.facts.of(node)
        return kind.value if isinstance(kind, k.Const) and type(kind.value) in (int, float) else None

    def regular(self, value: Any) -> bool:
        """Whether an operation that may be singular has finite derivatives, whatever the inputs."""
        if isinstance(value, gast.BinOp):
            function, operands = OPERATORS.get(type(value.op)), [value.left, value.right]
        elif isinstance(value, gast.Call):
            target = calls.target_of(value, self.facts.unit, self.facts.of)
            function, operands = target.object, target.args
            if target.keywords or not calls.hashable(function):
                return False
        else:
            return False
        named = OPERATION.get(function)
        if named == "/" and len(operands) == 2:
            return self.away(operands[1], -2.0)
        if named == "**" and len(operands) == 2:
            exponent = self.constant(operands[1])
            return exponent is not None and self.away(operands[0], exponent - 1.0)
        if len(operands) != 1:
            return False
        if function in ROOTS:
            return self.away(operands[0], -0.5)
        if function in LOGARITHMS:
            return self.away(operands[0], -1.0)
        return function in AFTER_ONE and self.low(operands[0]) is not None

    def away(self, node: Any, power: float) -> bool:
        """Whether a value is so far from zero that this power of it is moderate."""
        low = self.low(node)
        if low is None or not low > 0.0 or not self.real(node):
            return False
        return power >= 0.0 or math.log(low) * power < math.log(STEEPEST)


def whole_and_even(number: Any) -> bool:
    return number is not None and number == int(number) and int(number) % 2 == 0 and number > 0


OPERATION = {OPERATORS[gast.Add]: "+", np.add: "+", OPERATORS[gast.Mult]: "*", np.multiply: "*", OPERATORS[gast.Div]: "/",
             np.divide: "/", np.true_divide: "/", OPERATORS[gast.Pow]: "**", np.power: "**", np.maximum: "max"}
