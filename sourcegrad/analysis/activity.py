"""Activity: which names depend on the inputs (varied), and through which names a derivative flows."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, tree as t
from sourcegrad.analysis import calls
from sourcegrad.analysis.infer import OPERATORS, Infer
from sourcegrad.analysis.rule_text import differentiable
from sourcegrad.errors import MissingRuleError, UnsupportedError
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE
from sourcegrad.rules.methods import SHAPE_ATTRIBUTES


class Activity:
    """`varied`: names that depend on the inputs through differentiable operations."""

    def __init__(self, facts: Infer, inputs: set[str]) -> None:
        self.facts = facts
        self.unit = facts.unit
        self.varied = set(inputs)

    def run(self) -> Activity:
        size = -1
        while size != len(self.varied):
            size = len(self.varied)
            for s in t.statements(self.unit.tree.body):
                self._forward(s)
        return self

    def _refuse_lost(self, s: Any) -> None:
        """An operator without derivative on what is not a number (a | b of dicts) would lose the derivative silently."""
        value = s.value
        if isinstance(value, gast.BinOp) and OPERATORS[type(value.op)] in ZERO_DERIVATIVE:
            for operand in (value.left, value.right):
                if any(n in self.varied for n in t.reads(operand)) and not k.is_numeric(self.facts.of(operand) or k.ANY):
                    raise UnsupportedError("this operator on a value that depends on the inputs and is not a number",
                                           t.origin_of(s), "Build the value in another way.")

    def _forward(self, s: Any) -> None:
        found = t.list_method(s)
        if found is not None and found[1] == "append":
            if any(n in self.varied for n in t.reads(s.value.args[0])):
                self._vary(found[0])
        elif isinstance(s, gast.Assign):
            self._refuse_lost(s)
            if any(n in self.varied for n in self.sources(s.value)):
                for name in t.writes(s):
                    self._vary(name)

    def _vary(self, name: str) -> None:
        if not k.is_discrete(self.facts.kinds.get(name, k.ANY)):
            self.varied.add(name)

    def active_sources(self, value: Any) -> list[str]:
        return [n for n in self.sources(value) if n in self.varied]

    def sources(self, value: Any) -> list[str]:
        """Names in an expression whose derivative flows into its value."""
        if isinstance(value, gast.Name):
            return [value.id]
        if isinstance(value, (gast.BinOp, gast.UnaryOp)):
            if isinstance(value.op, gast.Not) or OPERATORS[type(value.op)] in ZERO_DERIVATIVE:
                return []
            return t.reads(value)
        if isinstance(value, gast.Attribute):
            return [] if value.attr in SHAPE_ATTRIBUTES else t.reads(value.value)
        if isinstance(value, gast.Subscript):
            return t.reads(value.value)
        if isinstance(value, (gast.Tuple, gast.List, gast.Dict)):
            return t.reads(value)
        if isinstance(value, gast.Call):
            return self._call_sources(value)
        return []

    def _call_sources(self, value: gast.Call) -> list[str]:
        found = t.list_method(gast.Expr(value=value))
        if found is not None:
            return [found[0]]
        target = calls.target_of(value, self.unit, self.facts.of)
        if target.object is not None and target.object in ZERO_DERIVATIVE:
            return []
        if target.object is not None and target.object in RULES:
            rule = RULES[target.object]
            try:
                bound = calls.bind_rule(rule, target)
            except TypeError:
                return t.reads(value)
            wanted = differentiable(rule)
            return [n for name, node in bound.items() if name in wanted for n in _names(node)]
        callee = [] if target.object is not None else t.reads(value.func)
        return callee + [n for a in (*target.args, *target.keywords.values()) for n in t.reads(a)]


def _names(node: Any) -> list[str]:
    if isinstance(node, tuple):
        return [n for item in node for n in t.reads(item)]
    return t.reads(node)


def missing_rule(name: str, parameters: str, origin: Any) -> MissingRuleError:
    from sourcegrad.source import rule_text
    return MissingRuleError(
        f"{name} has no derivative rule and no Python source", origin,
        "Give it a rule:\n" + rule_text(name, parameters)
        + f"\nor say that its derivative is zero: sg.nondifferentiable({name})")
