"""Which calls may stay inside a test: those that change nothing, whatever they are given."""
from __future__ import annotations

import builtins
from typing import Any

import gast

from sourcegrad.frontend.resolve import MISSING, Unit
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE
from sourcegrad.rules.methods import METHODS

TEXT_METHODS = {name for cls in (str, bytes) for name in dir(cls) if name[:2] in ("is", "st", "en", "up", "lo")}
AMBIGUOUS = {"take", "choose", "repeat", "item", "copy", "dot", "round"}          # a class may mean something else by these


def harmless(node: gast.Call, unit: Unit) -> bool:
    """Whether a call changes nothing: one of a known function, or of a method that arrays or texts have."""
    function: Any = unit.lookup(node.func)
    if function is MISSING and isinstance(node.func, gast.Attribute):
        return (node.func.attr in METHODS and node.func.attr not in AMBIGUOUS) or node.func.attr in TEXT_METHODS
    if function is MISSING and isinstance(node.func, gast.Name):
        function = getattr(builtins, node.func.id, MISSING)
    try:
        return function in ZERO_DERIVATIVE or function in RULES
    except TypeError:
        return False
