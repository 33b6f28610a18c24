"""Shapes from where they cost nothing: `np.zeros(x.shape)` of an x that is kept for its shape only is made with that of an
argument of the same (symbolic) size, so x need not be kept."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.infer import Infer
from sourcegrad.frontend.resolve import Unit


def borrow(unit: Unit, tree: Any, facts: Infer) -> bool:
    """Take the shapes of what was on a tape from arguments, in place; whether there were any."""
    taken = {n for s in t.statements(tree.body) for found in [t.list_method(s)]
             if found is not None and found[1] == "pop" and found[0] in unit.tapes for n in t.writes(s)}
    owners: dict[tuple, str] = {}
    perhaps = {n for s in t.statements(tree.body) if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call)
               and unit.lookup(s.value.func) is runtime.zeros_like for n in t.writes(s)}     # 0.0, where there is no value yet
    for name in (n.id for n in t.walk(tree.args) if isinstance(n, gast.Name)):
        dims = _dims(facts.kinds.get(name))
        if dims is not None and name not in perhaps:
            owners.setdefault(dims, name)
    if not taken or not owners:
        return False
    changed = False
    mark = next((j for j, s in enumerate(tree.body) if t.is_comment(s)), len(tree.body))
    for s in t.statements(tree.body[mark:]):
        for node in t.walk(s.value) if isinstance(s, gast.Assign) else ():
            if isinstance(node, gast.Attribute) and node.attr == "shape" and isinstance(node.value, gast.Name) and (
                    node.value.id in taken):
                owner = owners.get(_dims(facts.kinds.get(node.value.id)) or ())
                if owner is not None:
                    node.value = t.load(owner)
                    changed = True
    return changed


def _dims(kind: Any) -> tuple | None:
    kind = k.as_num(kind) if kind is not None else None
    known = isinstance(kind, k.Num) and kind.boxed and kind.dims and None not in kind.dims
    return kind.dims if known else None
