"""Sums before products: what is constant along a sum is multiplied after it, and what the forward sweep has is used.

    np.sum(a @ b, axis=-2)                 np.sum(a, axis=-2) @ b
    np.sum(a / row * b, axis=-1)           np.sum(a * b, axis=-1) / row
    a * b where p = a * b is known         p

Only in the straight line of the reverse sweep, and only through names with one value; loops and branches stay as they are.
"""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, source, tree as t
from sourcegrad.analysis import calls
from sourcegrad.analysis.aliasing import may_share
from sourcegrad.analysis.infer import Infer
from sourcegrad.frontend.resolve import Unit
from sourcegrad.rules.core import RULES
from sourcegrad.transform.single import lasting, single_values

SHARED = (gast.Add, gast.Sub, gast.Mult, gast.Div)


class Sums(t.Transformer):
    def __init__(self, unit: Unit, facts: Infer, values: dict[str, Any], counts: dict[str, int]) -> None:
        self.unit, self.facts = unit, facts
        self.values, self.counts = values, counts          # name -> its one value; how often names are read
        self.known: dict[Any, str] = {}                    # products of the forward sweep
        self.forward: set[str] = set()
        self.changed = False

    def kind(self, node: Any) -> Any:
        try:
            return k.as_num(self.facts.of(node) or k.ANY)
        except (KeyError, AttributeError, TypeError):
            return k.ANY

    def remember(self, s: Any) -> None:
        """A forward statement whose value the reverse sweep may use."""
        self.forward.update(t.writes(s))
        if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) and (
                isinstance(s.value, gast.BinOp) and isinstance(s.value.op, SHARED) or self.computes(s.value)):
            name, kind = s.targets[0].id, self.kind(s.targets[0])
            lasting = all(n in self.values or n in self.unit.env for n in (name, *t.reads(s.value)))
            if lasting and isinstance(kind, k.Num) and not kind.is_discrete and (
                    kind.boxed or kind.is_scalar):
                self.known.setdefault(key_of(s.value), name)

    def visit_Name(self, node: gast.Name) -> Any:
        value = self.values.get(node.id)
        while isinstance(value, gast.Name) and value.id in self.values:             # y_bar = weight
            node, value, self.changed = value, self.values.get(value.id), True
        return t.load(node.id)

    def visit_BinOp(self, node: gast.BinOp) -> Any:
        node = self.generic_visit(node)
        name = self.known.get(key_of(node)) if isinstance(node.op, SHARED) else None
        self.changed = self.changed or name is not None
        return t.load(name) if name is not None else node

    def computes(self, node: Any) -> bool:
        """Whether an expression calls a function of NumPy that gives a new array, of names and constants."""
        function = self.unit.lookup(node.func) if isinstance(node, gast.Call) else None
        return getattr(function, "__module__", "numpy") == "numpy" and calls.hashable(function) and function in RULES and (
            not may_share(function, node) and all(isinstance(x, (gast.Name, gast.Constant, gast.UnaryOp)) for x in (
                *node.args, *(kw.value for kw in node.keywords))))

    def visit_Call(self, node: gast.Call) -> Any:
        if self.unit.lookup(node.func) is np.sum and len(node.args) == 1:
            found = self.total(node)
            if found is not None:
                self.changed = True
                return found
        node = self.generic_visit(node)
        name = self.known.get(key_of(node))
        self.changed = self.changed or name is not None
        return t.load(name) if name is not None else node

    def total(self, node: gast.Call) -> Any:
        options = {kw.arg: kw.value for kw in node.keywords}
        if not all(isinstance(value, gast.Constant) for value in options.values()) or set(options) - {"axis", "keepdims"}:
            return None
        argument = node.args[0]
        if isinstance(argument, gast.Name) and self.counts.get(argument.id) == 1 and isinstance(
                self.values.get(argument.id), gast.BinOp) and isinstance(self.values[argument.id].op, gast.MatMult):
            argument = self.values[argument.id]
        kind = self.kind(argument)
        if not isinstance(argument, gast.BinOp) or not isinstance(kind, k.Num) or not kind.dims or kind.is_discrete:
            return None
        axis = options["axis"].value if "axis" in options else None
        keepdims = "keepdims" in options and options["keepdims"].value is True
        if axis is not None and type(axis) is not int:
            return None
        if isinstance(argument.op, gast.MatMult):
            return self.of_product(argument, axis, keepdims, len(kind.dims))
        return self.of_factors(node, argument, axis, keepdims, len(kind.dims))

    def of_product(self, product: gast.BinOp, axis: int | None, keepdims: bool, rank: int) -> Any:
        """np.sum(a @ b, axis): rows of a or columns of b are summed first."""
        ranks = [kind.ndim or 0 if isinstance(kind, k.Num) else 0 for kind in map(self.kind, (product.left, product.right))]
        if axis is None or min(ranks) < 2 or not (keepdims or ranks == [2, 2]):
            return None
        left, right = t.clone(product.left), t.clone(product.right)
        if axis % rank == rank - 2:
            left = self.sum(left, -2 if ranks[0] != rank else axis, keepdims)
        elif axis % rank == rank - 1:
            right = self.sum(right, -1 if ranks[1] != rank else axis, keepdims)
        else:
            return None
        return t.binop(left, gast.MatMult(), right)

    def sum(self, value: Any, axis: int | None, keepdims: bool) -> Any:
        options = {"axis": t.const(axis)} if axis is not None else {}
        if keepdims:
            options["keepdims"] = t.const(True)
        return t.call(f"{self.unit.use(np, 'np')}.sum", value, **options)

    def of_factors(self, node: gast.Call, product: gast.BinOp, axis: int | None, keepdims: bool, rank: int) -> Any:
        """Factors that do not vary along the summed axes come after the sum."""
        factors = self.factors(product, lambda factor: self.constant_along(factor, axis, keepdims, rank))
        outside = [f for f in factors if f[2]]
        inside = [f for f in factors if not f[2]]
        if not outside or not inside or inside[0][0] is not gast.Mult:
            return None
        rest = self.product(inside)
        kind = self.kind(rest)
        if not isinstance(kind, k.Num) or kind.dims is None or len(kind.dims) != rank:
            return None
        result = self.sum(self.visit(rest), axis, keepdims)
        for op, factor, _ in outside:
            result = t.binop(result, op(), factor)
        return result

    def product(self, factors: list) -> Any:
        value = t.clone(factors[0][1])
        for op, factor, _ in factors[1:]:
            value = t.binop(value, op(), t.clone(factor))
        return value

    def factors(self, node: Any, constant: Any, op: type = gast.Mult) -> list:
        """[(Mult or Div, factor, whether it is constant)]; through a name where that finds a constant factor."""
        if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Mult, gast.Div)) and op is gast.Mult:
            right = self.factors(node.right, constant) if isinstance(node.op, gast.Mult) else [
                (gast.Div, node.right, constant(node.right))]
            return [*self.factors(node.left, constant), *right]
        value = self.values.get(node.id) if isinstance(node, gast.Name) and node.id not in self.forward else None
        if isinstance(value, gast.BinOp) and isinstance(value.op, (gast.Mult, gast.Div)) and set(
                t.reads(value)) <= self.values.keys():
            found = self.factors(value, constant)
            once = self.counts.get(node.id) == 1
            if any(f[2] for f in found) and sum(not f[2] for f in found) == 1 and (once or all(      # never computed twice
                    f[2] or isinstance(f[1], gast.Name) for f in found)):
                return [(o, t.clone(f), c) for o, f, c in found]
        return [(op, node, constant(node))]

    def constant_along(self, node: Any, axis: int | None, keepdims: bool, rank: int) -> bool:
        kind = self.kind(node)
        if not isinstance(kind, k.Num) or kind.dtype is None or kind.dims is None:
            return False
        if kind.is_scalar:
            return True
        if axis is None or not keepdims:
            return False
        place = axis % rank - (rank - len(kind.dims))
        return place < 0 or kind.dims[place] == 1


def key_of(node: Any) -> Any:
    """Equal for expressions that compute the same: operands of + and * in either order."""
    if isinstance(node, gast.BinOp):
        sides = [key_of(node.left), key_of(node.right)]
        return (type(node.op).__name__, *(sorted(sides, key=repr) if isinstance(node.op, (gast.Add, gast.Mult)) else sides))
    if isinstance(node, gast.Name):
        return node.id
    if isinstance(node, gast.Constant):
        return ("constant", repr(node.value))
    if isinstance(node, gast.Call):
        return ("call", source.expression_text(node))
    return ("other", id(node))


def sums(unit: Unit, tree: Any, facts: Infer) -> bool:
    """Rewrite the sums of the reverse sweep in place; whether there was anything to rewrite."""
    values = lasting(tree, single_values(tree), facts)
    counts: dict[str, int] = {}
    for s in t.statements(tree.body):
        for name in t.header_reads(s):
            counts[name] = counts.get(name, 0) + 1
    rewriter = Sums(unit, facts, values, counts)
    reverse = False
    for s in tree.body:
        reverse = reverse or t.is_comment(s)
        if not reverse:
            rewriter.remember(s)
        elif isinstance(s, gast.Assign):
            s.value = rewriter.visit(s.value)
    return rewriter.changed
