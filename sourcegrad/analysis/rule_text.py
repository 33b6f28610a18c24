"""The text of rules: parsed once, and which parameters it has contributions for."""
from __future__ import annotations

import types
from typing import Any

import gast

from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Unit
from sourcegrad.parse.resolve import describe, resolve
from sourcegrad.rules import core

_parsed: dict[Any, Unit] = {}
_differentiable: dict[Any, frozenset[str]] = {}


def parsed(rule: core.Rule) -> Unit:
    """The rule's own tree with its free names resolved and its parts written out."""
    if rule.function not in _parsed:
        unit = _parsed[rule.function] = resolve(describe(rule.function))
        unit.tree.body = _with_parts(unit.tree.body, unit)
    return _parsed[rule.function]


def _with_parts(block: list, unit: Unit) -> list:
    """`return part(a, b)` as the last statements of the rule."""
    result: list = []
    for s in block:
        if isinstance(s, gast.If):
            s.body, s.orelse = _with_parts(s.body, unit), _with_parts(s.orelse, unit)
        part = unit.lookup(s.value.func) if isinstance(s, gast.Return) and isinstance(s.value, gast.Call) else None
        if part is None or not isinstance(part, types.FunctionType) or part not in core.PARTS:
            result.append(s)
            continue
        text = resolve(describe(part))
        if [getattr(a, "id", None) for a in s.value.args] != text.parameters:
            raise TypeError(f"{part.__name__} is called with other names than its parameters in {unit.function.name}")
        unit.env.update(text.env)
        result += [item for item in text.tree.body if not t.is_comment(item)]
    return result


def differentiable(rule: core.Rule) -> frozenset[str]:
    """Parameters for which the rule returns a contribution in some branch."""
    if rule.function not in _differentiable:
        _differentiable[rule.function] = frozenset(
            name for parts in returned(rule) for name, part in zip(rule.parameters, parts)
            if not (isinstance(part, gast.Constant) and part.value is None) and not (isinstance(part, gast.List) and not part.elts))
    return _differentiable[rule.function]


def left_out(rule: core.Rule) -> tuple[str, ...]:
    """Parameters of which the rule says nothing: they may not depend on the inputs."""
    return rule.parameters[max(len(parts) for parts in returned(rule)):]


def is_text(rule: core.Rule) -> bool:
    """Whether the text of a rule can be put into generated code: assignments of new names, `if` and `return`."""
    statements = list(t.statements(parsed(rule).tree.body))
    made = [name for s in statements for name in t.writes(s)]
    return len({*made, "ct", "out", *rule.parameters}) == len(made) + 2 + len(rule.parameters) and all(
        isinstance(s, (gast.If, gast.Return)) or t.is_comment(s) or isinstance(s, gast.Expr) and isinstance(s.value, gast.Constant)
        or isinstance(s, gast.Assign) and len(s.targets) == 1 and all(isinstance(x, (gast.Name, gast.Tuple)) for x in (
            s.targets[0], *getattr(s.targets[0], "elts", []))) for s in statements)


def returned(rule: core.Rule) -> list[list]:
    values = [s.value for s in t.statements(parsed(rule).tree.body) if isinstance(s, gast.Return)]
    return [value.elts if isinstance(value, gast.Tuple) else [value] for value in values]
