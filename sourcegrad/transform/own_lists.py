"""The reverse half of a callee takes back what was appended to a list: from a copy, where the callee gave the list away."""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad import tree as t
from sourcegrad.frontend.resolve import MISSING, Unit

READERS = (len, sum, min, max, range, sorted, reversed, zip, enumerate)


def own_lists(unit: Unit, forward: list, back: list, saved: list[str]) -> list:
    """Statements for the start of the reverse half."""
    found = {m[0]: s for s in t.statements(back) for m in [t.list_method(s)] if m is not None and m[1] == "pop"}
    names = [n for n in saved if n in found and n not in unit.tapes and _given_away(unit, forward, n)]
    return [t.assign(n, t.call(unit.use(list, "list"), t.load(n)), t.origin_of(found[n])) for n in names]


def _given_away(unit: Unit, block: list, name: str) -> bool:
    """Whether something else may hold a list: a container, a callee, another name."""
    for s in t.statements(block):
        value = getattr(s, "value", None)
        if isinstance(s, (gast.Assign, gast.Return)) and t.is_name(value, name):
            return True
        for node in t.walk(value) if value is not None else ():
            if isinstance(node, (gast.Tuple, gast.List)) and any(t.is_name(item, name) for item in node.elts):
                return True
            if isinstance(node, gast.Dict) and any(t.is_name(item, name) for item in node.values):
                return True
            if isinstance(node, gast.Call) and any(t.is_name(a, name) for a in node.args) and not _reads(unit, node):
                return True
    return False


def _reads(unit: Unit, node: Any) -> bool:
    """Whether a function only looks at what a list holds."""
    function = unit.lookup(node.func)
    import builtins
    if function is MISSING and isinstance(node.func, gast.Name):
        function = getattr(builtins, node.func.id, None)
    return function in READERS or isinstance(function, np.ufunc) or (
        getattr(function, "__module__", None) or "").startswith("numpy")
