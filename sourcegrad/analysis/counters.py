"""Counters: names that only loops over `range(...)` assign, and which numbers that are made of them are never negative.

    for i in range(n):                      an index that is never negative counts from the start, as the adjoints of a list do:
        for j in range(m):                  `xs[i + j]`, `xs[n - 1 - i]`, `xs[i % 3]` need not be asked for their place
"""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import single_values

DEEP = 6                                # operators in a row that are looked through


class Counters:
    """What the loops over `range(...)` of a function say of numbers: which of them are never negative."""

    def __init__(self, tree: Any) -> None:
        self.single = single_values(tree)
        self.ranges: dict[str, Any] = {}                     # names that only loops over these ranges assign
        self.changed: dict[str, set[str]] = {}               # and what these loops assign
        others: set[str] = set()
        for s in t.statements(tree.body):
            loop = isinstance(s, gast.For) and t.is_name(s.target)
            over = self.value(s.iter) if loop else None
            counts = isinstance(over, gast.Call) and t.is_name(over.func, "range") and not over.keywords
            if counts and s.target.id not in self.ranges:
                self.ranges[s.target.id] = over
                self.changed[s.target.id] = {name for x in t.statements(s.body) for name in t.writes(x)}
            else:
                others.update([s.target.id] if loop else t.writes(s))
        self.ranges = {name: over for name, over in self.ranges.items() if name not in others}

    def value(self, node: Any) -> Any:
        """What a name is that is assigned once; anything else itself."""
        return self.single.get(node.id, node) if t.is_name(node) else node

    def never_negative(self, node: Any, depth: int = 0) -> bool:
        if t.is_name(node) and node.id in self.ranges:
            start = self.ranges[node.id].args[:-1]
            return not start or len(start) == 1 and self.never_negative(start[0], depth + 1)
        node = self.value(node)
        if isinstance(node, gast.Constant):
            return type(node.value) is int and node.value >= 0
        if isinstance(node, gast.Call):
            return t.is_name(node.func, "len")
        if not isinstance(node, gast.BinOp) or depth > DEEP:
            return False
        if isinstance(node.op, gast.Sub):
            return self.counts_down(node)
        return isinstance(node.op, (gast.Add, gast.Mult, gast.FloorDiv, gast.Mod)) and all(
            self.never_negative(x, depth + 1) for x in (node.left, node.right))

    def counts_down(self, node: gast.BinOp) -> bool:
        """Whether it is `n - 1 - k` in `for k in range(n)`, which does not change n."""
        last, over = self.value(node.left), self.ranges.get(node.right.id) if t.is_name(node.right) else None
        if over is None or not isinstance(last, gast.BinOp) or not isinstance(last.op, gast.Sub) or not t.is_name(last.left):
            return False
        return t.same(last.right, t.const(1)) and len(over.args) == 1 and t.same(over.args[0], last.left) and (
            last.left.id not in self.changed[node.right.id])
