"""Last touches on the text: no name that only hands a value on, one statement for all names that are not set yet."""
from __future__ import annotations

import collections
from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.frontend.attempts import Attempt
from sourcegrad.frontend.resolve import Unit


def tidy(tree: Any, unit: Unit) -> Any:
    """Tidy a final tree, in place: each statement stands for itself, nothing is derived from it any more."""
    counts: collections.Counter[str] = collections.Counter(n.id for n in t.walk(tree) if isinstance(n, gast.Name))
    _block(tree.body, counts, unit)
    tree.body = _unset_together(tree.body)
    return tree


def _block(block: list, counts: collections.Counter[str], unit: Unit) -> None:
    position = 0
    while position < len(block):
        s = block[position]
        for field in t.BLOCKS:
            inner = getattr(s, field, None)
            if isinstance(inner, list):
                _block(inner, counts, unit)
        if isinstance(s, gast.Assign) and t.is_name(s.value) and _hand_over(block, position, counts, unit):
            del block[position]
        else:
            position += 1


def _hand_over(block: list, position: int, counts: collections.Counter[str], unit: Unit) -> bool:
    """`pair = f(); x, y = pair` is `x, y = f()`, if nothing else reads pair or needs an old x or y until then."""
    old, target = block[position].value.id, block[position].targets[0]
    new = set(t.target_names(target))
    plain = isinstance(target, gast.Name) or isinstance(target, gast.Tuple) and all(map(t.is_name, target.elts))
    if counts[old] != 2 or not plain or old in new:                     # its assignment and this
        return False
    for s in reversed(block[:position]):
        if isinstance(s, gast.Assign) and old in t.writes(s):
            attempt = isinstance(s.value, gast.Call) and isinstance(unit.lookup(s.value.func), Attempt)     # becomes a `try`
            if new & set(t.writes(s)) or attempt:
                return False
            s.targets = [_Replaced(old, target).visit(s.targets[0])]
            return True
        if any(isinstance(n, gast.Name) and n.id in {old, *new} for n in t.walk(s)):
            return False
    return False


class _Replaced(gast.NodeTransformer):
    def __init__(self, name: str, target: Any) -> None:
        self.name, self.target = name, target

    def visit_Name(self, node: gast.Name) -> Any:
        return self.target if node.id == self.name else node


def _unset_together(block: list) -> list:
    """`a = None`, `b = None` ... are `a = b = None`."""
    result: list = []
    for s in block:
        if _unset(s) and result and _unset(result[-1]):
            result[-1].targets += s.targets
        else:
            result.append(s)
    return result


def _unset(s: Any) -> bool:
    return isinstance(s, gast.Assign) and isinstance(s.value, gast.Constant) and s.value.value is None and all(
        map(t.is_name, s.targets))
