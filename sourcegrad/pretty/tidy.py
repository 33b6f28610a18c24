"""Last touches on the text: no name that only hands a value on, one statement for all names that start alike."""
from __future__ import annotations

import collections
from typing import Any

import gast

from sourcegrad import runtime
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Maker, Unit
from sourcegrad.parse.try_ import Attempt
from sourcegrad.pretty.forward_substitution import adjacent, forward_sweep
from sourcegrad.pretty.raise_statements import choices, displays, items, unpacked

# --- What only tells the analyses something is left out of the final text.
#
# `as_class(x, C)` is x, and the maker of a closure value is a tuple of what is captured.

def unmarked(tree: Any, unit: Unit) -> None:
    """Leave out the marks."""
    names = {name for name, value in unit.env.items() if value is runtime.as_class}
    makers = {name for name, value in unit.env.items() if isinstance(value, Maker)}
    if names or makers:
        _Unmark(names, makers).visit(tree)


class _Unmark(gast.NodeTransformer):
    def __init__(self, names: set[str], makers: set[str]) -> None:
        self.names, self.makers = names, makers

    def visit_Call(self, node: gast.Call) -> Any:
        self.generic_visit(node)
        if not isinstance(node.func, gast.Name):
            return node
        if node.func.id in self.makers:
            return t.pack(node.args)
        return node.args[0] if node.func.id in self.names else node


WIDTH = 96


def tidy(tree: Any, unit: Unit, facts: Infer, half: bool) -> Any:
    """Tidy a final tree, in place: each statement stands for itself, nothing is derived from it any more.

    half: it is one half of the function of a call."""
    counts: collections.Counter[str] = collections.Counter(n.id for n in t.walk(tree) if isinstance(n, gast.Name))
    _block(tree.body, counts, unit)
    own, forward = unit.function.local, forward_sweep(tree, half)
    if half and not forward:
        _received(tree)
    tree.body = choices(unpacked(tree.body, facts, own, unit.names), unit, forward)
    items(tree, unit, facts, forward_sweep(tree, half))
    adjacent(tree, unit, half)
    displays(tree, unit, facts)
    tree.body = _together(tree.body, own)
    return tree


def _received(tree: Any) -> None:
    """A parameter of a reverse half that is only given another name has that name from the start."""
    names = [n for n in t.walk(tree) if isinstance(n, gast.Name)]
    counts: collections.Counter[str] = collections.Counter(n.id for n in names)
    parameters = {n.id for n in names if isinstance(n.ctx, gast.Param)}
    for position, s in enumerate(tree.body):
        if not isinstance(s, gast.Assign) or len(s.targets) > 1 or not t.is_name(s.targets[0]) or not t.is_name(s.value):
            continue
        old, new = s.value.id, s.targets[0].id
        before = {n.id for x in tree.body[:position] for n in t.walk(x) if isinstance(n, gast.Name)}
        if old in parameters and counts[old] == 2 and new not in parameters | before:
            del tree.body[position]
            t.rename(tree, {old: new})
            return


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


def _together(block: list, own: set[str]) -> list:
    """`a = None`, `b = None` ... are `a = b = None`, and `a = []`, `b = []` ... are `a, b = [], []`, for names that are
    not the user's."""
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, _together, own)
        kind = _start(s, own)
        last: Any = result[-1] if result else None
        if kind is None or kind != _start(last, own):
            result.append(s)
        elif kind != "list":
            last.targets += s.targets
        elif sum(len(name) + 6 for name in [*t.writes(last), *t.writes(s)]) > WIDTH:
            result.append(s)
        else:
            names = [t.store(name) for name in [*t.writes(last), *t.writes(s)]]
            last.targets = [gast.Tuple(elts=names, ctx=t.STORE)]
            last.value = t.pack([gast.List(elts=[], ctx=gast.Load()) for _ in names])
    return result


def _start(s: Any, own: set[str]) -> Any:
    """What a statement starts names with: a constant, or new lists."""
    if not isinstance(s, gast.Assign):
        return None
    value = s.value
    lists = value.elts if isinstance(value, gast.Tuple) and len(value.elts) > 1 else [value]
    if all(isinstance(x, gast.List) and not x.elts for x in lists):
        return "list" if all(map(t.is_name, _targets(s))) and own.isdisjoint(t.writes(s)) else None
    if not isinstance(value, gast.Constant) or isinstance(value.value, str) or not all(map(t.is_name, s.targets)):
        return None
    return repr(value.value) if value.value is None or own.isdisjoint(t.writes(s)) else None


def _targets(s: gast.Assign) -> list:
    return s.targets[0].elts if isinstance(s.targets[0], gast.Tuple) else s.targets
