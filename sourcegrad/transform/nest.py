"""Temporaries back into expressions: copies and constants are propagated, single-use temporaries fold into their use.

With fold=False only copies, constants and displays are propagated (which the simplifier needs); with fold=True
the text becomes what a person would write. A name survives where it is used twice, where it is the user's own,
or where the line would get too long.
"""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.analysis.infer import Infer
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.frontend.closures import Maker
from sourcegrad.frontend.resolve import Unit, local_names
from sourcegrad.transform.purity import pure
from sourcegrad.transform.simplify import plain_index

WIDTH = 84


class Nest:
    def __init__(self, unit: Unit, facts: Infer, fold: bool) -> None:
        self.unit, self.facts, self.fold = unit, facts, fold
        self.own = local_names(unit.function.tree)              # the user's names stay
        self.liveness = Liveness()
        self.changed = False

    def run(self, tree: Any) -> None:
        for _ in range(12):
            self.changed = False
            self.liveness = Liveness()
            self.liveness.block(tree.body, frozenset())
            tree.body = self.block(tree.body)
            if not self.changed:
                return

    def block(self, block: list) -> list:
        block = list(block)
        position = 0
        while position < len(block):
            s = block[position]
            for field in t.BLOCKS:
                inner = getattr(s, field, None)
                if inner and not is_stop(s):
                    setattr(s, field, self.block(inner))
            if self.forward(block, position):
                del block[position]
                self.changed = True
                continue
            position += 1
        return block

    def forward(self, block: list, position: int) -> bool:
        """Try to move the value of an assignment to where it is used; True if the assignment is then gone."""
        s = block[position]
        if not isinstance(s, gast.Assign) or not isinstance(s.targets[0], gast.Name):
            return False
        name, value = s.targets[0].id, s.value
        if name in self.unit.unset and isinstance(value, gast.Constant) and value.value is None:
            return False
        if isinstance(value, gast.Call) and isinstance(self.unit.lookup(value.func), Maker):
            value = t.pack(value.args)                         # a closure value is the tuple of what it captured
        simple = isinstance(value, gast.Name) or is_constant(value) or self.is_spread(value)
        display = isinstance(value, (gast.Tuple, gast.List)) and all(
            isinstance(e, gast.Name) or is_constant(e) for e in value.elts)
        if not simple and not display and not (self.fold and self.foldable(name)):
            return False
        if isinstance(value, gast.Call) and self.unit.lookup(value.func) is runtime.index_set:
            return self.same_part(block, position, name, value)
        if isinstance(value, gast.Call) and self.unit.lookup(value.func) is runtime.index_add:
            return self.same_part(block, position, name, value)   # becomes an in-place store
        if not simple and not pure(value, self.unit):
            return False
        span = self.span(block, position, name)
        if span is None:
            return False
        uses, last = span
        if not uses:
            return False
        operands = set(t.reads(value))
        if self.disturbed(block, position + 1, last, operands):
            return False
        if simple:
            return self.substitute(block, uses, name, value)
        if display and self.elements(block, uses, name, value):
            return True
        if not self.fold:
            return False
        if len(uses) != 1 or not self.single(block[uses[0]], name):
            return False
        target = block[uses[0]]
        if isinstance(target, gast.While):
            return False
        if isinstance(target, gast.Return) and not self.scalar(name):
            return False                                       # results keep their names
        crosses = any(t.is_comment(x) for x in block[position + 1: uses[0]])
        if crosses and not isinstance(value, (gast.Attribute, gast.Subscript)):
            return False                                       # what the forward sweep computes stays there
        if width(target) + width(value) - len(name) > WIDTH and not isinstance(value, gast.Attribute):
            return False
        return self.substitute(block, uses, name, value)

    def same_part(self, block: list, position: int, name: str, value: gast.Call) -> bool:
        """x = index_add(x, i, a) right before x = index_add(x, i, b): the simplifier adds a and b first."""
        for s in block[position + 1:]:
            if name not in t.header_reads(s) and name not in t.writes(s) and not isinstance(s, (gast.If, gast.For, gast.While)):
                if set(t.writes(s)) & set(t.reads(value)):
                    return False
                continue
            other = getattr(s, "value", None)
            if (isinstance(s, gast.Assign) and t.writes(s) == [name] and isinstance(other, gast.Call)
                    and self.unit.lookup(other.func) is runtime.index_add and t.is_name(other.args[0], name)
                    and t.same(plain_index(other.args[1]), plain_index(value.args[1])) and t.header_reads(s).count(name) == 1):
                other.args[0] = value
                return True
            return False
        return False

    def scalar(self, name: str) -> bool:
        kind = self.facts.kinds.get(name)
        return isinstance(kind, k.Const) or (isinstance(kind, k.Num) and kind.is_scalar)

    def is_spread(self, value: Any) -> bool:
        """broadcast_like(c, x): a view that costs little and mostly disappears in products."""
        return (isinstance(value, gast.Call) and self.unit.lookup(value.func) is runtime.broadcast_like
                and all(isinstance(a, gast.Name) or is_constant(a) for a in value.args))

    def foldable(self, name: str) -> bool:
        if name in self.own:
            return False
        return True

    def span(self, block: list, position: int, name: str) -> tuple[list[int], int] | None:
        """Positions of the statements that read this value, if all of them are in the rest of the block."""
        uses: list[int] = []
        for later in range(position + 1, len(block)):
            s = block[later]
            found = t.list_method(s)
            if found is not None and found[0] == name:
                return None
            compound = isinstance(s, (gast.If, gast.For, gast.While)) and not is_stop(s)
            if name in t.header_reads(s) or (compound and any(
                    name in t.header_reads(x) for x in t.statements([*s.body, *s.orelse]))):
                uses.append(later)
            if compound and (any(name in t.writes(x) for x in t.statements([*s.body, *s.orelse])) or name in t.writes(s)):
                return None
            if not compound and name in t.writes(s):
                return uses, uses[-1] if uses else later
        if block and name in self.liveness.after.get(id(block[-1]), ()):
            return None
        return uses, uses[-1] if uses else len(block)

    def disturbed(self, block: list, start: int, last: int, operands: set[str]) -> bool:
        """Whether an operand is rebound (or a list operand changed) between the assignment and the last use."""
        for later in range(start, last + 1):
            s = block[later]
            compound = isinstance(s, (gast.If, gast.For, gast.While)) and not is_stop(s)
            inner = list(t.statements([*s.body, *s.orelse])) if compound else []
            changed = {n for x in inner for n in t.writes(x)} | {m[0] for x in inner for m in [t.list_method(x)] if m}
            if compound:
                changed |= set(t.writes(s))
            elif later < last:
                changed |= set(t.writes(s))
            if later < last or compound:
                method = t.list_method(s)
                if method:
                    changed.add(method[0])
            elif t.list_method(s) and isinstance(s, gast.Expr):
                method = t.list_method(s)
                changed |= {method[0]} if method else set()
            if changed & operands:
                return True
        return False

    def single(self, s: Any, name: str) -> bool:
        """The statement reads the name exactly once, and not inside a block of its own."""
        count = t.header_reads(s).count(name)
        if isinstance(s, (gast.If, gast.For)) and not is_stop(s):
            if any(name in t.header_reads(x) for x in t.statements([*s.body, *s.orelse])):
                return False
        return count == 1

    def substitute(self, block: list, uses: list[int], name: str, value: gast.expr) -> bool:
        replace = _Replace(name, value)
        for use in uses:
            block[use] = replace.visit(block[use])
        return True

    def elements(self, block: list, uses: list[int], name: str, value: Any) -> bool:
        """A tuple that is only taken apart again: use its elements directly."""
        for use in uses:
            for node in t.walk(block[use]):
                for child in gast.iter_child_nodes(node):
                    if t.is_name(child, name) and not _takes_apart(node, block[use], len(value.elts)):
                        return False
        for use in uses:
            s = block[use]
            if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Tuple) and t.is_name(s.value, name):
                s.value = t.clone(value)
                self.split(block, use)
                return False                       # positions moved: the next round goes on
            block[use] = _Elements(name, value).visit(s)
        self.changed = True
        return True

    def split(self, block: list, position: int) -> None:
        s = block[position]
        names = t.writes(s)
        if any(n in t.reads(s.value) for n in names):
            return
        block[position: position + 1] = [t.assign(n, e, t.origin_of(s)) for n, e in zip(names, s.value.elts)]
        self.changed = True


def _takes_apart(node: Any, statement: Any, count: int) -> bool:
    if isinstance(node, gast.Subscript):
        return (isinstance(node.slice, gast.Constant) and isinstance(node.slice.value, int)
                and -count <= node.slice.value < count)
    return (node is statement and isinstance(node, gast.Assign) and isinstance(node.targets[0], gast.Tuple)
            and len(node.targets[0].elts) == count)


class _Replace(gast.NodeTransformer):
    def __init__(self, name: str, value: gast.expr) -> None:
        self.name, self.value = name, value

    def visit_Name(self, node: gast.Name) -> Any:
        if node.id == self.name and isinstance(node.ctx, gast.Load):
            return t.clone(self.value)
        return node


class _Elements(gast.NodeTransformer):
    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def visit_Subscript(self, node: gast.Subscript) -> Any:
        if t.is_name(node.value, self.name) and isinstance(node.slice, gast.Constant):
            return t.clone(self.value.elts[node.slice.value])
        return self.generic_visit(node)


def is_constant(node: Any) -> bool:
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        node = node.operand
    return isinstance(node, gast.Constant)


def width(node: Any) -> int:
    """Rough width of the text of an expression or simple statement."""
    if isinstance(node, (gast.If, gast.While)):
        node = node.test
    elif isinstance(node, gast.For):
        node = node.iter
    total = 0
    for item in t.walk(node):
        if isinstance(item, gast.Name):
            total += len(item.id)
        elif isinstance(item, gast.Constant):
            total += len(repr(item.value))
        elif isinstance(item, gast.Attribute):
            total += len(item.attr) + 1
        elif isinstance(item, gast.BinOp):
            total += 3
        elif isinstance(item, gast.Call):
            total += 2 + 2 * len(item.args) + sum(len(kw.arg or "") + 3 for kw in item.keywords)
        else:
            total += 2
    return total


def nest(unit: Unit, tree: Any, facts: Infer, fold: bool = True) -> None:
    """Propagate (and with fold=True also fold) in place."""
    Nest(unit, facts, fold).run(tree)
