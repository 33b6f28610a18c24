"""Which expressions can be dropped, repeated or moved: those that only compute."""
from __future__ import annotations

import builtins
import types
from typing import Any

import gast

from sourcegrad import runtime, tree as t
from sourcegrad.frontend.resolve import MISSING, Unit
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE
from sourcegrad.rules.methods import METHODS
from sourcegrad.runtime.scipy_library import require_finite

EFFECTS = {"print", "input", "open", "next", "setattr", "delattr"}
# of a callee that may do anything
CALLS = (runtime.call_forward, runtime.call_forward_for, runtime.call_unchanging, runtime.check_results, require_finite)


def pure(value: Any, unit: Unit) -> bool:
    """No call in the expression does anything but compute its value."""
    for node in t.walk(value):
        cls = node.__class__
        if cls is gast.Call and not pure_call(node, unit) or cls is gast.NamedExpr or cls is gast.Await:
            return False
    return True


def pure_call(node: gast.Call, unit: Unit) -> bool:
    function = unit.lookup(node.func)
    if function is MISSING:
        if isinstance(node.func, gast.Attribute):
            return node.func.attr in METHODS
        if isinstance(node.func, gast.Name):
            function = getattr(builtins, node.func.id, MISSING)
    if function in (runtime.same_memory, runtime.check_overlap, runtime.check_apart, runtime.check_dense, runtime.check_array,
                    runtime.check_store, runtime.check_keywords, runtime.trap):
        return False
    if function is runtime.own and len(node.args) > 1:        # it refuses arguments that share memory
        return False
    if getattr(type(function), "__sourcegrad_effects__", False) or function in CALLS:
        return False
    try:
        if function in RULES or function in ZERO_DERIVATIVE:
            return getattr(function, "__name__", "") not in EFFECTS
    except TypeError:
        return False
    if getattr(function, "__sourcegrad_pure__", True) is False:
        return False
    if getattr(function, "__sourcegrad_callable__", False) or getattr(function, "__sourcegrad_pure__", False):
        return True
    module = getattr(function, "__module__", "") or ""
    if module.startswith("sourcegrad.runtime"):
        return True
    return isinstance(function, (types.BuiltinFunctionType, type)) and (
        getattr(function, "__name__", "") not in EFFECTS and module in ("builtins", "math"))


def silent(body: list, unit: Unit, parameters: list[str]) -> bool:
    """Whether a function does nothing but compute its value: it prints nothing, raises nothing, changes nothing outside."""
    local = set(parameters) | {n for s in t.statements(body) for n in t.writes(s)}
    for s in t.statements(body):
        if isinstance(s, (gast.Raise, gast.Assert)):
            return False
        found = t.list_method(s)
        value = getattr(s, "value", None)
        if value is not None and not (found and found[0] in local) and not pure(value, unit):
            return False
    return True
