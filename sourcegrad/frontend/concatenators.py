"""`np.r_[a, 1.0, b]` and `np.c_[x, y]` as the calls that they stand for."""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, source, tree as t
from sourcegrad.analysis.concatenators import CONCATENATORS, items_of, ranks
from sourcegrad.errors import UnsupportedError


def concatenated(spec: Any, s: gast.Assign) -> list | None:
    """The statements for an index of np.r_ or np.c_; None for that of anything else, and where kinds are still to come."""
    owner = spec.facts.of(s.value.value)
    if not isinstance(owner, k.Obj) or owner.cls not in CONCATENATORS:
        return None
    name, items = CONCATENATORS[owner.cls], items_of(s.value.slice)
    rows = name == "np.r_"
    known = ranks(items, spec.facts.of)
    if known is None:
        return None
    origin, remedy = source.locate(s.value, t.origin_of(s)), f"Write np.{'concatenate' if rows else 'column_stack'} of the parts."
    if any(k.is_text(spec.facts.of(item)) for item in items if not isinstance(item, gast.Slice)):
        raise UnsupportedError(f"{name} with a text that says how to join", origin, remedy)
    if None in known:
        raise UnsupportedError(f"{name} of parts whose rank is not known when the code is generated", origin, remedy)
    if not rows and any(rank is not None and rank > 2 for rank in known):
        raise UnsupportedError("np.c_ of arrays of rank 3 or more", origin, "Write np.concatenate(parts, axis=-1).")
    before: list = []

    def bind(value: Any, base: str) -> Any:
        fresh = spec.unit.names.fresh(base)
        made = spec.statement(t.assign(fresh, value, t.origin_of(s)))
        before.extend(made)
        kind = spec.facts.of(made[-1].value)
        spec.facts.local.add(fresh)
        if kind is not None:
            spec.facts.kinds[fresh] = kind
        return t.load(fresh)

    module = spec.unit.use(np, "np")
    parts = [bind(_points(item, module), "points") if isinstance(item, gast.Slice) else item for item in items]
    if rows:
        parts = [bind(t.call(f"{module}.atleast_1d", part), "part") if rank == 0 else part for part, rank in zip(parts, known)]
    joined = t.call(f"{module}.{'concatenate' if rows else 'column_stack'}", bind(t.pack(parts), "parts"))
    s.value = gast.copy_location(joined, s.value)
    return [*before, *spec.statement(s)]


def _points(item: gast.Slice, module: str) -> gast.expr:
    """The numbers that a slice stands for: as arange gives them, or as linspace where the step is imaginary."""
    start, step = item.lower or t.const(0), item.step or t.const(1)
    if isinstance(step, gast.Constant) and isinstance(step.value, complex):
        return t.call(f"{module}.linspace", start, item.upper, t.const(int(abs(step.value))))
    return t.call(f"{module}.arange", start, item.upper, step)
