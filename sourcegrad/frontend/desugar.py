"""Statement forms with one meaning become one form: augmented, annotated and chained assignments, asserts."""
from __future__ import annotations

import operator
from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.frontend.resolve import Unit

INPLACE = {gast.Add: operator.iadd, gast.Sub: operator.isub, gast.Mult: operator.imul, gast.Div: operator.itruediv,
           gast.Pow: operator.ipow, gast.MatMult: operator.imatmul, gast.FloorDiv: operator.ifloordiv,
           gast.Mod: operator.imod, gast.BitAnd: operator.iand, gast.BitOr: operator.ior, gast.BitXor: operator.ixor,
           gast.LShift: operator.ilshift, gast.RShift: operator.irshift}
BINARY = {operation: kind for kind, operation in INPLACE.items()}


def desugar(unit: Unit) -> Unit:
    """`x += e` becomes `x = iadd(x, e)` (its meaning is decided when the kind of x is known)."""
    unit.tree.body = _block(unit.tree.body, unit)
    unit.tree.returns = None
    for parameter in gast.walk(unit.tree.args):
        if isinstance(parameter, gast.Name):
            parameter.annotation = None
    return unit


def _block(block: list, unit: Unit) -> list:
    result: list = []
    for statement in block:
        result += _statement(statement, unit)
    return result


def _statement(s: Any, unit: Unit) -> list:
    origin = t.origin_of(s)
    if isinstance(s, gast.AugAssign):
        operation = INPLACE[type(s.op)]
        function = unit.use(operation, operation.__name__)
        return [t.assign(s.target, t.call(function, t.load(s.target.id), s.value), origin)]
    if isinstance(s, gast.AnnAssign):
        return [t.assign(s.target, s.value, origin)] if s.value is not None else []
    if isinstance(s, gast.Assign) and len(s.targets) > 1:
        if isinstance(s.value, (gast.Constant, gast.Name)):
            return [t.assign(target, t.clone(s.value), origin) for target in s.targets]
        name = unit.names.fresh("value")
        return [t.assign(name, s.value, origin)] + [t.assign(x, t.load(name), origin) for x in s.targets]
    if isinstance(s, (gast.Pass, gast.Delete)) or t.is_comment(s):
        return []
    if isinstance(s, (gast.If, gast.For, gast.While)):
        s.body, s.orelse = _block(s.body, unit), _block(s.orelse, unit)
    return [s]
