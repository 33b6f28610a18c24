"""Names with one value, and names that are read in one place: what may be written out where the name stands."""
from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.analysis.infer import Infer
from sourcegrad.transform.terms import number


def reading(tree: Any) -> tuple[Counter[str], Counter[str]]:
    """How often names are read, and how often as a factor of a number."""
    reads: Counter[str] = Counter()
    multiples: Counter[str] = Counter()
    for node in t.walk(tree):
        if node.__class__ is gast.Name:
            if node.ctx.__class__ is gast.Load:
                reads[node.id] += 1
        elif node.__class__ is gast.BinOp and isinstance(node.op, gast.Mult):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if number(one) is not None and isinstance(other, gast.Name):
                    multiples[other.id] += 1
    return reads, multiples


def single_values(tree: Any) -> dict[str, Any]:
    """Name -> value of the names that are assigned in one place, and there alone."""
    places: dict[str, list] = {}
    for s in t.statements(tree.body):
        alone = isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name)
        for name in t.writes(s):
            places.setdefault(name, []).append(s.value if alone else None)
    parameters = {n.id for n in t.walk(tree.args) if isinstance(n, gast.Name)}
    return {name: values[0] for name, values in places.items() if len(values) == 1 and values[0] is not None
            and name not in parameters}


def lasting(tree: Any, values: dict[str, Any], facts: Infer) -> dict[str, Any]:
    """Name -> value of the names that are assigned once, outside of loops and branches; None for arguments that never change."""
    written = {n for s in t.statements(tree.body) for n in t.writes(s)}
    inner = {n for s in tree.body if s.__class__ is not gast.Assign for block in t.inner_blocks(s)
             for x in t.statements(block) for n in t.writes(x)}
    parameters = {n.id for n in t.walk(tree.args) if isinstance(n, gast.Name)}      # (kinds know names that are gone, too)
    found: dict[str, Any] = {n: None for n in facts.kinds if n in parameters - written}
    found.update({n: v for n, v in values.items() if n not in inner})
    return found
