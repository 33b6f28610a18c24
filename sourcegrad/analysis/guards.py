"""Which values may meet a zero cotangent: those that flow into a selection (where, maximum, clip, a mask)."""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, tree as t
from sourcegrad.analysis import calls
from sourcegrad.analysis.activity import Activity
from sourcegrad.analysis.infer import Infer

SELECTIONS = {np.where, np.maximum, np.minimum, np.fmax, np.fmin, np.clip, np.select, np.max, np.min, np.amax, np.amin,
              np.choose, np.compress, np.extract, np.take, max, min}


def guarded(facts: Infer, activity: Activity) -> set[str]:
    """Names whose value may be dropped by a later selection, so that their cotangent may be zero there."""
    found: set[str] = set()
    size = -1
    while size != len(found):
        size = len(found)
        for s in t.statements(facts.unit.tree.body):
            if not isinstance(s, gast.Assign):
                continue
            if selects(s.value, facts) or any(n in found for n in t.writes(s)):
                found.update(n for n in activity.active_sources(s.value) if not _python_scalar(facts, n))
    return found


def _python_scalar(facts: Infer, name: str) -> bool:
    return facts.kinds.get(name) == k.FLOAT


def selects(value: Any, facts: Infer) -> bool:
    """Whether an expression keeps some elements of its operands and drops others."""
    if isinstance(value, gast.Call):
        target = calls.target_of(value, facts.unit, facts.of)
        return calls.hashable(target.object) and target.object in SELECTIONS
    if isinstance(value, gast.Subscript):
        parts = value.slice.elts if isinstance(value.slice, gast.Tuple) else [value.slice]
        for part in parts:
            kind = None if isinstance(part, gast.Slice) else facts.of(part)
            if isinstance(kind, k.Num) and (kind.boxed is not False) and kind.dtype in (None, "bool"):
                return True
    return False
