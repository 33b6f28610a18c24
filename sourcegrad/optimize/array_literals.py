"""Adjoints of literals that NumPy has made an array of: elements of the adjoint of that array, and no lists of lists.

    value_bar = unstack(R_bar, value)               (nothing)
    value_2_bar = value_bar[0]
    c_bar = value_2_bar[0]                          c_bar = R_bar[0, 0]

Only where all that is read are numbers of double precision under constant indices: then `value` need not be kept either."""
from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import single_values
from sourcegrad.ir.unit import Unit


def array_literals(unit: Unit, tree: Any, facts: Infer) -> bool:
    """Take elements of arrays instead of lists in a generated function, in place. Whether there are any."""
    values = single_values(tree)
    arrays = {name: value.args[0] for name, value in values.items() if isinstance(value, gast.Call) and len(value.args) == 2
              and unit.lookup(value.func) is runtime.unstack and is_double(facts.of(value.args[0]))
              and rank(facts.kinds.get(name)) is not None and rank(facts.of(value.args[1])) is not None}
    if not arrays:
        return False
    paths: dict[str, tuple[str, list]] = {name: (name, []) for name in arrays}
    rows: Counter[str] = Counter()
    for name, value in values.items():                                      # rows, and rows of rows
        if is_item(value) and value.value.id in paths:
            root, path = paths[value.value.id]
            paths[name] = root, [*path, value.slice]
            rows[value.value.id] += 1
    ranks: dict[str, Any] = {name: rank(facts.kinds.get(name)) for name in arrays}
    reads = Counter(node.id for node in t.walk(tree) if t.is_name(node) and isinstance(node.ctx, gast.Load))
    items = Counter(node.value.id for node in t.walk(tree) if is_item(node))
    lists = {name for name, (root, path) in paths.items() if len(path) < ranks[root]}
    arrays = {name: array for name, array in arrays.items() if all(
        reads[part] == items[part] and (items[part] == rows[part] or len(paths[part][1]) == ranks[name] - 1)
        for part in lists if paths[part][0] == name)}
    before = t.mark(tree)

    def new(s: Any) -> list:
        name = s.targets[0].id if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) else None
        if name in arrays:
            s.value, facts.kinds[name] = arrays[name], facts.of(arrays[name]) or k.ANY
        elif name in lists and paths[name][0] in arrays:
            return []
        else:
            elements.fields_of(s)
        return [s]

    elements = Elements(paths, set(arrays))
    tree.body = t.rewritten(tree.body, new)
    return before != t.mark(tree)


class Elements(t.Transformer):
    """Items of lists of lists as elements of arrays."""

    def __init__(self, paths: dict[str, tuple[str, list]], arrays: set[str]) -> None:
        self.paths, self.arrays = paths, arrays

    def fields_of(self, s: Any) -> None:
        for name in ("value", "test", "iter", "exc", "msg"):
            if isinstance(getattr(s, name, None), gast.AST):
                setattr(s, name, self.visit(getattr(s, name)))

    def visit_Subscript(self, node: Any) -> Any:
        root, path = self.paths.get(node.value.id, ("", [])) if is_item(node) else ("", [])
        if root not in self.arrays:
            return self.generic_visit(node)
        path = [t.clone(index) for index in (*path, node.slice)]
        return gast.copy_location(t.subscript(t.load(root), path[0] if len(path) == 1 else t.pack(path)), node)


def is_double(kind: Any) -> bool:
    return isinstance(kind, k.Num) and kind.dtype == "float64" and bool(kind.boxed)


def rank(kind: Any) -> int | None:
    """How deep a list of lists of numbers of double precision is."""
    if isinstance(kind, k.Num):
        return 0 if kind.is_scalar and kind.dtype in ("float64", "pyfloat") else None
    inner = rank(kind.item) if isinstance(kind, k.Lst) else None
    return None if inner is None else inner + 1


def is_item(node: Any) -> bool:
    """Whether an item of a name is read under a constant index, from the start."""
    return isinstance(node, gast.Subscript) and t.is_name(node.value) and isinstance(node.slice, gast.Constant) and (
        type(node.slice.value) is int and node.slice.value >= 0)
