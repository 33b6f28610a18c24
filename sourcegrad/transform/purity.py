"""Which expressions can be dropped, repeated or moved: those that only compute."""
from __future__ import annotations

import types
from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.frontend.resolve import MISSING, Unit
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE
from sourcegrad.rules.methods import METHODS

EFFECTS = {"print", "input", "open", "next", "setattr", "delattr"}


def pure(value: Any, unit: Unit) -> bool:
    """No call in the expression does anything but compute its value."""
    for node in t.walk(value):
        if isinstance(node, gast.Call) and not pure_call(node, unit):
            return False
        if isinstance(node, (gast.NamedExpr, gast.Await)):
            return False
    return True


def pure_call(node: gast.Call, unit: Unit) -> bool:
    function = unit.lookup(node.func)
    if function is MISSING:
        if isinstance(node.func, gast.Attribute):
            return node.func.attr in METHODS
        if isinstance(node.func, gast.Name):
            import builtins
            function = getattr(builtins, node.func.id, MISSING)
    try:
        if function in RULES or function in ZERO_DERIVATIVE:
            return getattr(function, "__name__", "") not in EFFECTS
    except TypeError:
        return False
    if getattr(function, "__sourcegrad_callable__", False) or getattr(function, "__sourcegrad_pure__", False):
        return True
    module = getattr(function, "__module__", "") or ""
    if module.startswith("sourcegrad.runtime"):
        return True
    return isinstance(function, (types.BuiltinFunctionType, type)) and (
        getattr(function, "__name__", "") not in EFFECTS and module in ("builtins", "math"))
