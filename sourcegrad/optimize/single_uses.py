"""Names with one value, and names that are read in one place: what may be written out where the name stands."""
from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.optimize.terms import number


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


def lasting(tree: Any, values: dict[str, Any], facts: Infer) -> dict[str, Any]:
    """Name -> value of the names that are assigned once, outside of loops and branches; None for arguments that never change."""
    written = {n for s in t.statements(tree.body) for n in t.writes(s)}
    inner = {n for s in tree.body if s.__class__ is not gast.Assign for block in t.inner_blocks(s)
             for x in t.statements(block) for n in t.writes(x)}
    parameters = {n.id for n in t.walk(tree.args) if isinstance(n, gast.Name)}      # (kinds know names that are gone, too)
    found: dict[str, Any] = {n: None for n in facts.kinds if n in parameters - written}
    found.update({n: v for n, v in values.items() if n not in inner})
    return found
