"""`old = tape.pop(); x[i] = old` is `x[i] = tape.pop()`: on the final text, where each statement stands for itself."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.analysis.liveness import Liveness


def pops(tree: Any) -> Any:
    """Fold what is popped into the store right after it, in place."""
    liveness = Liveness()
    liveness.block(tree.body, frozenset())
    tree.body = _block(tree.body, liveness)
    return tree


def _block(block: list, liveness: Liveness) -> list:
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, _block, liveness)
        last = result[-1] if result else None
        found = t.list_method(last) if isinstance(last, gast.Assign) and t.is_name(last.targets[0]) else None
        if found is not None and found[1] == "pop" and isinstance(s, gast.Assign) and isinstance(
                s.targets[0], gast.Subscript) and t.is_name(s.value, t.writes(last)[0]):
            name = t.writes(last)[0]
            if name not in liveness.after[id(s)] and name not in t.reads(s.targets[0]):
                s.value = result.pop().value
        result.append(s)
    return result
