"""`np.array([[c, -s], [s, c]])` in reverse: elements are read from the adjoint of the array itself.

`bar = unstack(matrix_bar, rows)` takes an adjoint apart into nested lists; where only elements of those are read,
`bar[0][1]`, the array does as well.
"""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Unit


def unstacked(unit: Unit, tree: Any, facts: Infer) -> bool:
    """Drop `unstack` where only numbers are read from what it gives, in place; whether there were any."""
    if not any(value is runtime.unstack for value in unit.env.values()):
        return False
    return _Unstacked(unit, tree, facts).run()


class _Unstacked:
    def __init__(self, unit: Unit, tree: Any, facts: Infer) -> None:
        self.unit, self.tree, self.facts = unit, tree, facts
        self.written: dict[str, int] = {}
        self.read: dict[str, int] = {}                  # how often names are read
        self.items: dict[str, list] = {}                # name -> where items of it are read: the statement, the expression
        for s in t.statements(tree.body):
            for name in t.writes(s):
                self.written[name] = self.written.get(name, 0) + 1
            for name in t.header_reads(s):
                self.read[name] = self.read.get(name, 0) + 1
            value = getattr(s, "value", None)
            for node in t.walk(value) if value is not None else ():
                if _is_item(node) and isinstance(node.value, gast.Name):
                    self.items.setdefault(node.value.id, []).append((s, node))

    def run(self) -> bool:
        found = False
        for s in t.statements(self.tree.body):
            value: Any = getattr(s, "value", None)
            if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and self.depth(value) and self.only_numbers(
                    s.targets[0].id, self.depth(value)):
                s.value = value.args[0]
                found = True
            elif value is not None:
                found |= self.inside(value)
        return found

    def inside(self, expression: Any) -> bool:
        """`unstack(bar, like)[0][1]` within an expression."""
        found = False
        for node in list(t.walk(expression)):
            root, count = node, 0
            while _is_item(root):
                root, last, count = root.value, root, count + 1
            if count and self.depth(root) == count:
                last.value = root.args[0]
                found = True
        return found

    def depth(self, node: Any) -> int:
        """How deep the numbers are in what a call of `unstack` gives; 0 if that is not known, or not the same everywhere."""
        if not isinstance(node, gast.Call) or self.unit.lookup(node.func) is not runtime.unstack:
            return 0
        bar = self.facts.of(node.args[0])
        found = _depth(self.facts.of(node.args[1]))
        whole = isinstance(bar, k.Num) and bool(bar.boxed) and bar.is_complex is False and bar.ndim == found
        return found if whole else 0

    def only_numbers(self, name: str, depth: int) -> bool:
        """Whether nothing but items of a name is read, down to the numbers."""
        places = self.items.get(name, [])
        if self.written.get(name) != 1 or len(places) != self.read.get(name, 0):
            return False
        return depth == 1 or all(self.deeper(s, node, depth - 1) for s, node in places)

    def deeper(self, s: Any, node: Any, depth: int) -> bool:
        if isinstance(s, gast.Assign) and s.value is node and t.is_name(s.targets[0]):
            return self.only_numbers(s.targets[0].id, depth)
        parent = next((n for n in t.walk(s) if _is_item(n) and n.value is node), None)
        return parent is not None and (depth == 1 or self.deeper(s, parent, depth - 1))


def _is_item(node: Any) -> bool:
    return isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Constant) and type(node.slice.value) is int


def _depth(kind: Any) -> int:
    """How deep the numbers are in a display: 1 for a list of numbers; 0 for anything else."""
    if isinstance(kind, k.Tup) and not isinstance(kind, k.Named):
        items = list(kind.items)
    elif isinstance(kind, k.Lst) and kind.item is not None:
        items = [kind.item]
    else:
        return 0
    nums = [k.as_num(item) for item in items]
    if k.all_of(nums, k.Num):
        return int(all(num.is_scalar for num in nums))
    depths = {_depth(item) for item in items}
    return depths.pop() + 1 if len(depths) == 1 and 0 not in depths else 0
