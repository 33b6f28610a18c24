"""Which calls of the user's own helpers can be dropped when nobody needs the result: those that only compute.

A helper only computes if it raises nothing itself, stores into nothing but its own new arrays and lists, and calls
only what only computes. Anything that is not certain counts as an effect.
"""
from __future__ import annotations

import types
from typing import Any

import gast
import numpy as np

from sourcegrad import tree as t
from sourcegrad.analysis.purity import pure_call
from sourcegrad.errors import SourcegradError
from sourcegrad.frontend.resolve import Function, Unit, describe, resolve

STATEMENTS = (gast.Assign, gast.AnnAssign, gast.AugAssign, gast.For, gast.While, gast.If, gast.Return, gast.Expr, gast.Pass,
              gast.Break, gast.Continue)
FORBIDDEN = (gast.Lambda, gast.NamedExpr, gast.Await, gast.Yield, gast.YieldFrom, gast.Starred)
LIST_METHODS = {"append", "extend", "pop", "insert"}


def droppable(value: Any, unit: Unit) -> bool:
    """Whether an expression only computes, helpers of the user's included."""
    for node in t.walk(value):
        if isinstance(node, FORBIDDEN):
            return False
        if isinstance(node, gast.Call) and not pure_call(node, unit) and not _harmless(unit.lookup(node.func), unit.harmless):
            return False
    return True


def _writes_out(node: gast.Call, unit: Unit) -> bool:
    """np.add(a, b, out=c), np.add(a, b, c)"""
    function = unit.lookup(node.func)
    return any(kw.arg in ("out", None) for kw in node.keywords) or (
        isinstance(function, np.ufunc) and len(node.args) > function.nin)


def _over_range(node: Any) -> bool:
    """Iteration over anything else may use up an iterator of the caller's."""
    return isinstance(node.iter, gast.Call) and t.is_name(node.iter.func, "range")


def _harmless(function: Any, known: dict[Any, bool]) -> bool:
    if not isinstance(function, (types.FunctionType, Function)):
        return False
    if function not in known:
        known[function] = True                             # while it is looked at: recursion adds no effect
        known[function] = _only_computes(function, known)
    return known[function]


def _only_computes(function: Any, known: dict[Any, bool]) -> bool:
    try:
        unit = resolve(describe(function))
    except SourcegradError:
        return False
    if unit.tree.decorator_list or unit.function.tree.decorator_list:
        return False
    unit.harmless = known
    body = unit.tree.body
    new = _new_names(unit)
    for s in t.statements(body):
        if not isinstance(s, STATEMENTS):
            return False
        targets = s.targets if isinstance(s, gast.Assign) else [s.target] if isinstance(
            s, (gast.AugAssign, gast.AnnAssign, gast.For)) else []
        for target in targets:
            if not all(_own_target(item, new, isinstance(s, gast.AugAssign)) for item in _flat(target)):
                return False
        values = [s.test] if isinstance(s, (gast.If, gast.While)) else [s.iter] if isinstance(s, gast.For) else [
            getattr(s, "value", None)]
        if isinstance(s, gast.For) and not _over_range(s):
            return False
        for value in (v for v in values if v is not None):
            if any(isinstance(n, gast.Call) and _writes_out(n, unit) or isinstance(n, gast.comprehension) and not _over_range(n)
                   for n in t.walk(value)):
                return False
            if not droppable(_without_list_method(value, new), unit):
                return False
    return True


def _new_names(unit: Unit) -> set[str]:
    """Locals all of whose values are new objects or numbers: results of arithmetic, displays, calls that make arrays."""
    fresh: dict[str, bool] = {name: False for name in unit.parameters}
    for s in t.statements(unit.tree.body):
        made = isinstance(s, gast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], gast.Name) and _makes(s.value)
        if not isinstance(s, gast.AugAssign):
            for name in t.writes(s):
                fresh[name] = fresh.get(name, True) and made
    return {name for name, new in fresh.items() if new}


def _makes(value: Any) -> bool:
    if isinstance(value, gast.Call):
        return isinstance(value.func, gast.Attribute) and value.func.attr in (
            "zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like", "copy", "array", "arange",
            "eye")
    return isinstance(value, (gast.BinOp, gast.UnaryOp, gast.Constant, gast.List, gast.ListComp))


def _flat(target: Any) -> list:
    return [x for item in target.elts for x in _flat(item)] if isinstance(target, (gast.Tuple, gast.List)) else [target]


def _own_target(target: Any, new: set[str], augmented: bool) -> bool:
    if isinstance(target, gast.Name):
        return not augmented or target.id in new           # x += 1 changes an array that others hold
    return isinstance(target, gast.Subscript) and isinstance(target.value, gast.Name) and target.value.id in new


def _without_list_method(value: Any, new: set[str]) -> Any:
    """The arguments of xs.append(v) where xs is a list of this function's own."""
    if (isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute) and isinstance(value.func.value, gast.Name)
            and value.func.attr in LIST_METHODS and value.func.value.id in new and not value.keywords):
        return t.pack(list(value.args))
    return value
