"""Ranges that need no name: the reverse sweep counts again what it has.

    indices = range(len(x))                                 for i in range(len(x)):
    for i in indices:                                           ...
        ...
    # --- reverse sweep                                     # --- reverse sweep
    for i in reversed(indices):                             for i in reversed(range(len(x))):

On the final texts of a function, or of its two halves, if the reverse half gets x anyway and x stays what it is: what the
reverse sweep reads keeps its length.
"""
from __future__ import annotations

import collections
from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.frontend.resolve import MISSING, Unit


def lengths(unit: Unit, trees: list) -> None:
    """Write the ranges where they are used, in place."""
    first = trees[0]
    changed = _changed(trees)
    for s in [s for s in t.statements(first.body) if isinstance(s, gast.Assign)]:
        found = _range_of(s, unit)
        if found is None:
            continue
        name, (start, others) = s.targets[0].id, found
        if len(trees) == 1 and not others <= _reverse_reads(first):
            continue                                          # nobody needs x then: it may have become another list
        written = [n for x in t.statements(first.body) for n in t.writes(x)]
        fixed = written.count(name) == 1 and all(written.count(n) + (n in _parameters(first)) == 1 for n in others)
        if fixed and name not in unit.function.local and not others & changed:
            _replace(trees, s, name, start, others)


def _range_of(s: gast.Assign, unit: Unit) -> tuple[Any, set[str]] | None:
    """The range that a statement names, and the names that it is made of: `range(len(x))` or `range(x.shape[0])`."""
    value = s.value
    if len(s.targets) > 1 or not t.is_name(s.targets[0]) or not _call_of(value, range, unit) or len(value.args) != 1:
        return None
    stop = value.args[0]
    if isinstance(stop, gast.Subscript) and isinstance(stop.slice, gast.Constant) and isinstance(
            stop.value, gast.Attribute) and stop.value.attr == "shape" and t.is_name(stop.value.value):
        return value, {stop.value.value.id}
    if not _call_of(stop, len, unit) or len(stop.args) != 1 or not t.is_name(stop.args[0]):
        return None
    return value, {stop.args[0].id}


def _call_of(node: Any, function: Any, unit: Unit) -> bool:
    if not isinstance(node, gast.Call) or node.keywords or not t.is_name(node.func):
        return False
    found = unit.lookup(node.func)
    return found is function or found is MISSING and node.func.id == function.__name__


def _changed(trees: list) -> set[str]:
    """Names of lists whose methods are called: their length changes."""
    return {node.value.id for tree in trees for node in t.walk(tree) if isinstance(node, gast.Attribute) and t.is_name(node.value)
            and node.attr in ("append", "pop", "extend", "insert", "remove", "clear", "update")}


def _reverse_reads(tree: Any) -> set[str]:
    """What the reverse sweep of a whole function reads."""
    mark = next((j for j, s in enumerate(tree.body) if t.is_comment(s)), len(tree.body))
    return {n for s in t.statements(tree.body[mark:]) for n in t.header_reads(s)}


def _parameters(tree: Any) -> set[str]:
    return {p.id for p in t.walk(tree.args) if isinstance(p, gast.Name)}


def _replace(trees: list, s: Any, name: str, value: Any, others: set[str]) -> None:
    """Use the range itself for its name, in the headers of loops and nowhere else."""
    loops = [x for tree in trees for x in t.statements(tree.body) if isinstance(x, gast.For)]
    uses = [x for x in loops if _header(x, name)]
    kept = [_kept(tree, name) for tree in trees] if len(trees) > 1 else []
    counts = collections.Counter(n.id for tree in trees for n in t.walk(tree) if isinstance(n, gast.Name))
    if not uses or counts[name] != 1 + len(uses) + sum(x is not None for x in kept):
        return
    if kept:
        if None in kept or any(_kept(tree, other) is None for tree in trees for other in others):
            return
        if any(other in t.writes(x) for x in t.statements(trees[1].body) if not _unpacks(x) for other in others):
            return
        for elements in kept:
            elements[:] = [e for e in elements if e.id != name]            # type: ignore[index, union-attr]
    for x in uses:
        x.iter = t.clone(value) if t.is_name(x.iter) else t.call(x.iter.func.id, t.clone(value))
    for block in _blocks_with(trees[0].body, s):
        block[:] = [x for x in block if x is not s]


def _header(loop: gast.For, name: str) -> bool:
    node: Any = loop.iter
    if isinstance(node, gast.Call) and t.is_name(node.func, "reversed") and len(node.args) == 1:
        node = node.args[0]
    return t.is_name(node, name)


def _kept(tree: Any, name: str) -> list | None:
    """The elements of what one half saves, or of what the other unpacks, if the name is one of them."""
    last = tree.body[-1]
    if isinstance(last, gast.Return) and isinstance(last.value, gast.Tuple) and len(last.value.elts) == 2 and isinstance(
            last.value.elts[1], gast.Tuple) and not any(map(_unpacks, tree.body)):
        elements = last.value.elts[1].elts
    else:
        found = [s for s in tree.body if _unpacks(s)]
        elements = found[0].targets[0].elts if len(found) == 1 else []
    plain = elements and all(map(t.is_name, elements))
    return elements if plain and sum(e.id == name for e in elements) == 1 else None


def _unpacks(s: Any) -> bool:
    """Whether a reverse half takes apart what the forward half saved."""
    return isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Tuple) and t.is_name(s.value) and (
        s.value.id.startswith("saved"))


def _blocks_with(block: list, s: Any) -> list[list]:
    if any(x is s for x in block):
        return [block]
    return [found for x in block for inner in t.inner_blocks(x) for found in _blocks_with(inner, s)]
