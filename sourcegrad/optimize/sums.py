"""Reassociation of sums: factors that are constant along a sum, uniform and rank-one adjoints.

Sums before products: what is constant along a sum is multiplied after it, and what the forward sweep has is used.

    np.sum(a @ b, axis=-2)                 np.sum(a, axis=-2) @ b
    np.sum(a / row * b, axis=-1)           np.sum(a * b, axis=-1) / row
    a * b where p = a * b is known         p

Only in the straight line of the reverse sweep, and only through names with one value; loops and branches stay as they are.
"""
from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.alias import may_share
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.dataflow import single_values
from sourcegrad.ir.tree import hashable
from sourcegrad.ir.unit import Unit
from sourcegrad.primitives.core import RULES

SHARED = (gast.Add, gast.Sub, gast.Mult, gast.Div)


class Sums(t.Transformer):
    def __init__(self, unit: Unit, facts: Infer, values: dict[str, Any], counts: dict[str, int]) -> None:
        self.unit, self.facts = unit, facts
        self.kind = functools.partial(kind_of, facts)
        self.values, self.counts = values, counts          # name -> its one value; how often names are read
        self.known: dict[Any, str] = {}                    # products of the forward sweep
        self.forward: set[str] = set()
        self.changed = False

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
        return getattr(function, "__module__", "numpy") == "numpy" and hashable(function) and function in RULES and (
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
    counts = Counter(n for s in t.statements(tree.body) for n in t.header_reads(s))
    rewriter = Sums(unit, facts, values, counts)
    reverse = False
    for s in tree.body:
        reverse = reverse or t.is_mark(s)
        if not reverse:
            rewriter.remember(s)
        elif isinstance(s, gast.Assign):
            s.value = rewriter.visit(s.value)
    return rewriter.changed


# --- Products and sums in the reverse sweep: what is all one value, or one row, or an outer product, stays so.
#
#     np.ones(c.shape) @ b.T                      broadcast_like(np.sum(b, axis=1), a), for the adjoint of a
#     a.T @ broadcast_like(row[None], c)          np.outer(np.sum(a, axis=0), row)
#     np.sum(a * b, axis=0)                       np.einsum("ij,ij->j", a, b), without the array of products
#     contract("ik,jk->ij", a, b)                 a @ b.T

LETTERS = "ijklmn"


class Contractions:
    """kind: gives the kind of an expression. values: what names stand for that never change."""

    def __init__(self, unit: Unit, facts: Infer, kind: Callable[[Any], Any]) -> None:
        self.unit, self.facts, self.kind = unit, facts, kind
        self.values: dict[str, Any] = {}
        self.multiplied: set[str] = set()           # names of matrices that are multiplied
        self.once: set[str] = set()                 # names that are read in one place
        self.summed: set[str] = set()               # names of which only sums are read
        self.likes: dict[int, str] = {}             # by the ids of expressions: what has their shape

    def numpy(self, name: str, *args: Any, **options: Any) -> gast.Call:
        return t.call(f"{self.unit.use(np, 'np')}.{name}", *args, **options)

    def is_call(self, node: Any, function: Any) -> bool:
        return isinstance(node, gast.Call) and self.unit.lookup(node.func) is function

    def is_number(self, node: Any) -> bool:
        kind = self.kind(node)
        return isinstance(kind, k.Num) and kind.is_scalar

    # --- what is known of an adjoint

    def resolved(self, node: Any) -> Any:
        """What a name stands for, if that is a number spread over an array or an outer product."""
        value: Any = self.values.get(node.id) if isinstance(node, gast.Name) else node
        simple = isinstance(value, gast.Call) and all(isinstance(n, (gast.Name, gast.Constant)) or self.is_number(n)
                                                      for n in value.args[:2])
        known = simple and set(t.reads(value)) - set(t.reads(value.func)) <= set(self.values)
        return node if value is node or not known else t.clone(value)

    def spread(self, node: Any) -> Any:
        """(value, along which of the last two axes it is constant, whether it has the rank of the whole) of a spread matrix."""
        node = self.resolved(node)
        if not self.is_call(node, runtime.broadcast_like):
            return None
        value, kind = node.args[0], self.kind(node.args[0])
        if not isinstance(kind, k.Num) or kind.dims is None or kind.is_discrete:
            return None
        dims = (1,) * (2 - len(kind.dims)) + kind.dims
        return value, (dims[-2] == 1, dims[-1] == 1)

    def product(self, node: gast.BinOp) -> Any:
        """a @ b where one of them is spread or an outer product; None if neither is."""
        kinds = [self.kind(x) for x in (node.left, node.right)]
        if not k.all_of(kinds, k.Num) or not all(kind.boxed and kind.ndim == 2 and not kind.is_discrete for kind in kinds):
            return None
        left, right = node.left, node.right
        for one, other, first in ((left, right, True), (right, left, False)):
            outer = self.resolved(one)
            if self.is_call(outer, np.outer) and all(getattr(self.kind(x), "ndim", None) == 1 for x in outer.args):
                u, v = outer.args
                return self.numpy("outer", u, t.binop(v, gast.MatMult(), other)) if first else self.numpy(
                    "outer", t.binop(other, gast.MatMult(), u), v)
            found = self.spread(one)
            if found is not None and (result := self.of_spread(found, other, first, self.likes.get(id(node)))) is not None:
                return result
        return None

    def of_spread(self, found: Any, other: Any, first: bool, shaped: str | None) -> Any:
        """The product of a spread matrix and another: sums of rows or columns."""
        value, constant = found
        rank = len(self.kind(value).dims)
        summed, kept = constant[1 if first else 0], constant[0 if first else 1]
        if summed:                                              # s * what the other matrix sums to
            total = self.total(other, 0 if first else 1)
            if not kept:                                        # of a column and a row
                vector = self.vector(value, constant, rank)
                return self.numpy("outer", *((vector, total) if first else (total, vector)))
            if rank:
                value = t.subscript(value, t.pack([t.const(0)] * rank) if rank > 1 else t.const(0))
            one = isinstance(value, gast.Constant) and value.value == 1.0
            vector = total if one else t.binop(value, gast.Mult(), total)
        elif kept:
            vector = self.vector(value, constant, rank)
            vector = t.binop(*(vector, gast.MatMult(), other) if first else (other, gast.MatMult(), vector))
        else:
            return None
        if shaped is None:
            return None
        vector = vector if first else t.subscript(vector, t.pack([gast.Slice(lower=None, upper=None, step=None), t.const(None)]))
        return t.call(self.unit.use(runtime.broadcast_like, "broadcast_like"), vector, t.load(shaped))

    def vector(self, value: Any, constant: tuple[bool, bool], rank: int) -> Any:
        """A row or column as a vector: of x[None] or x[:, None], or of a name for it, x."""
        whole = self.values.get(value.id) if isinstance(value, gast.Name) else value
        if rank < 2:
            return value
        if isinstance(whole, gast.Subscript) and (whole is value or set(t.reads(whole)) <= set(self.values)):
            letters, base = self.term(whole, "ij")
            if len(letters) == 1 and base is not whole:
                return t.clone(base)
        parts = [t.const(0) if fixed else gast.Slice(lower=None, upper=None, step=None) for fixed in constant]
        return t.subscript(value, parts[0] if constant[0] else t.pack(parts))

    def total(self, matrix: Any, axis: int) -> gast.Call:
        if isinstance(matrix, gast.Attribute) and matrix.attr == "T":
            matrix, axis = matrix.value, 1 - axis
        return self.numpy("sum", matrix, axis=t.const(axis))

    def prepare(self, s: Any) -> None:
        """Note what the expressions of an adjoint are shaped like."""
        name = self.unit.adjoints.get(s.targets[0].id) if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) else None
        self.likes = {id(term): name for _, term in split(s.value)} if name is not None and name in self.values else {}

    def named(self, s: Any) -> list:
        """What is spread, and then multiplied as a matrix, gets a name before it is spread; so does a number that is used twice."""
        spread = isinstance(s, gast.Assign) and self.is_call(s.value, runtime.broadcast_like)
        if not spread or isinstance(s.value.args[0], (gast.Name, gast.Constant)) or not (
                t.writes(s)[0] in self.multiplied or t.writes(s)[0] not in self.once and self.is_number(s.value.args[0])):
            return []
        found = self.spread(s.value)
        part = self.unit.names.fresh("share" if found is None or all(found[1]) else "row" if found[1][0] else "column")
        self.facts.kinds[part] = self.kind(s.value.args[0])
        before = t.assign(part, s.value.args[0], t.origin_of(s))
        if set(t.reads(before.value)) <= set(self.values):
            self.values[part] = before.value
        s.value.args[0] = t.load(part)
        return [before]

    def merged(self, node: gast.BinOp) -> Any:
        """What is spread over one array, and numbers, added before that."""
        sides = (node.left, node.right)
        spread = [x for x in sides if self.is_call(x, runtime.broadcast_like)]
        if not spread or not all(t.same(x.args[1], spread[0].args[1]) if x in spread else self.is_number(x) for x in sides):
            return None
        left, right = (x.args[0] if x in spread else x for x in sides)
        return t.call(self.unit.use(runtime.broadcast_like, "broadcast_like"), t.binop(left, node.op, right), spread[0].args[1])

    def spread_twice(self, node: gast.Call) -> Any:
        """broadcast_like(broadcast_like(s, a)[:, None], b) of a number is broadcast_like(s, b)."""
        inner = self.resolved(self.term(node.args[0], LETTERS)[1])
        if self.is_call(inner, runtime.broadcast_like) and self.is_number(inner.args[0]):
            node.args[0] = inner.args[0]
        return node

    # --- sums

    def product_sum(self, node: gast.Call) -> Any:
        """np.sum(a * b, axis=0) of arrays without the array of products; None where it is no such sum."""
        options = {kw.arg: kw.value for kw in node.keywords}
        axis = options.get("axis")
        axes = [whole_number(a) for a in (axis.elts if isinstance(axis, gast.Tuple) else [axis])]
        argument: Any = node.args[0]
        if isinstance(argument, gast.Name) and argument.id in self.summed and isinstance(self.values.get(argument.id), gast.BinOp):
            argument = t.clone(self.values[argument.id])
        numbers: list = []
        arrays: list = []
        for x in self.factors(argument):
            kind = self.kind(x)
            if not isinstance(kind, k.Num) or kind.is_complex is not False or kind.is_discrete:
                return None
            (numbers if kind.is_scalar else arrays).append((x, kind))
        if None in axes or set(options) - {"axis", "keepdims"} or argument is not node.args[0] and not set(
                t.reads(argument)) <= set(self.values) or len(arrays) != 2 or not all(
                kind.boxed and kind.dims and kind.dtype == "float64" for _, kind in arrays):       # einsum adds up less precisely
            return None
        rank = max(len(kind.dims) for _, kind in arrays)
        summed = {a % rank for a in axes if a is not None}
        terms = [self.term(x, LETTERS[rank - len(kind.dims):rank]) for x, kind in arrays]
        kept = "".join(letter for place, letter in enumerate(LETTERS[:rank]) if place not in summed)
        if not 2 <= rank <= len(LETTERS) or {letter for letters, _ in terms for letter in letters} != set(LETTERS[:rank]):
            return None
        result: Any = self.numpy("einsum", t.const(f"{terms[0][0]},{terms[1][0]}->{kept}"), *(x for _, x in terms))
        if "keepdims" in options and getattr(options["keepdims"], "value", None) is not False:
            whole: Any = gast.Slice(lower=None, upper=None, step=None)
            parts = [t.const(None) if place in summed else t.clone(whole) for place in range(rank)]
            result = t.subscript(result, t.pack([t.const(Ellipsis), parts[-1]] if summed == {rank - 1} and rank > 2 else parts))
        for x, _ in numbers:
            result = t.binop(x, gast.Mult(), result)
        return result

    def factors(self, node: Any) -> list:
        if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult):
            return [*self.factors(node.left), *self.factors(node.right)]
        return [node]

    def term(self, node: Any, letters: str) -> tuple[str, Any]:
        """The letters of the axes of an operand, and the operand without those that are new in it."""
        index = getattr(node, "slice", None)
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        new = [isinstance(p, gast.Constant) and p.value is None for p in parts]
        plain = [isinstance(p, gast.Slice) and not (p.lower or p.upper or p.step) for p in parts]
        if isinstance(node, gast.Subscript) and any(new) and all(a or b for a, b in zip(new, plain)):
            kept = "".join(letter for letter, is_new in zip(letters, new + [False] * len(letters)) if not is_new)
            return kept, node.value
        return letters, node

    # --- einsum

    def contraction(self, node: gast.Call) -> Any:
        """contract("ik,jk->ij", a, b) of matrices is a @ b.T; np.einsum where no sum is taken."""
        if not isinstance(node.args[0], gast.Constant):
            return node
        inputs, _, output = node.args[0].value.partition("->")
        one, _, two = inputs.partition(",")
        if not set(one + two) - set(output):
            return self.numpy("einsum", *node.args)
        shared = [letter for letter in one if letter in two and letter not in output]
        stack = output[:len(output) - 2] if len(one) == len(two) == len(output) else ""             # of matrices
        factors = [(one[len(stack):], node.args[1]), (two[len(stack):], node.args[2])]
        if not all(isinstance(kind, k.Num) and kind.boxed and not kind.is_discrete and kind.dtype is not None
                   for kind in map(self.kind, node.args[1:])) or not one.startswith(stack) or not two.startswith(stack) or (
                max(len(letters) for letters, _ in factors) > 2 or len(shared) != 1):
            return node
        (left, a), (right, b) = factors if output[len(stack):len(stack) + 1] in one else factors[::-1]
        if "".join(letter for letter in left + right if letter not in shared) != output[len(stack):]:
            return node
        last = [len(stack), len(stack) + 1]
        return t.binop(a if left[-1] in shared else self.transposed(a, last), gast.MatMult(),
                       b if right[0] in shared else self.transposed(b, last))

    def transposed(self, node: Any, axes: list[int]) -> Any:
        """A matrix or a stack of them, rows and columns exchanged."""
        return t.attribute(node, "T") if axes == [0, 1] else self.numpy("swapaxes", node, *map(t.const, axes))


def whole_number(node: Any) -> int | None:
    """The value of an int constant (with sign), else None."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        inner = whole_number(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, gast.Constant) and type(node.value) is int else None


# --- Terms of a sum that are multiples of one another: a + a is 2.0 * a, c * (0.5 * r) + 0.5 * (c * r) is c * r, and
# 2.0 * a + 2.0 * b is 2.0 * (a + b). Names with one value, or read in one place, may be written out where they stand.

def kind_of(facts: Infer, node: Any) -> Any:
    """The kind of an expression, perhaps one that was written just now: ANY where it is not known."""
    try:
        return k.as_num(facts.of(node) or k.ANY)
    except (KeyError, AttributeError, TypeError):
        return k.ANY


def merged_terms(node: Any, is_float: Callable, values: dict[str, Any]) -> Any:
    """A sum with the last of its terms added to one before it that is a multiple of it; None if there is none.

    Their factors are signs and powers of two, so that each product is exact. values: what lasting names stand for."""
    terms = split(node)
    last = Term(terms[-1], values)
    if not last.factors or not pure_names(node) or not all(map(is_float, last.factors)):
        return None
    for position in range(len(terms) - 2, -1, -1):
        other = Term(terms[position], values)
        total = other.number + last.number
        if other.key == last.key and total and all(map(is_float, other.factors)):
            one = min(other, last, key=lambda term: len(term.factors))
            merged = scaled(abs(total), t.clone(one.factors[0]))
            for factor in one.factors[1:]:
                merged = t.binop(merged, gast.Mult(), t.clone(factor))
            terms[position] = (total < 0, merged)
            return joined(terms[:-1])
    return None


def factored_terms(node: Any, is_float: Callable, values: dict[str, Any], once: set[str]) -> Any:
    """c * a + c * b as c * (a + b): the last term of a sum with one before it that has the same number; None if there is none.

    once: names that are read in one place, so that what they stand for may be written out there."""
    if not pure_names(node):
        return None
    terms = split(node)
    final = leading(terms[-1], values, once, is_float)
    if final is None:
        return None
    (last, value), sign = final, terms[-1][0]
    for position in range(len(terms) - 2, -1, -1):
        found = leading(terms[position], values, once, is_float)
        if found is not None and abs(found[0]) == abs(last):
            number, first = found
            minus = terms[position][0] != (number < 0)
            same = minus == (sign != (last < 0))
            if minus and not same and position == 0:               # b - a, not -(a - b)
                first, value, minus = value, first, False
            inside = t.binop(t.clone(first), gast.Add() if same else gast.Sub(), t.clone(value))
            terms[position] = (minus, t.binop(t.const(abs(last)), gast.Mult(), inside))
            if minus and position == 0:
                terms[0] = (False, t.binop(t.const(-abs(last)), gast.Mult(), inside))
            return joined(terms[:-1])
    return None


def leading(term: tuple[bool, Any], values: dict[str, Any], once: set[str], is_float: Callable) -> tuple[float, Any] | None:
    """(2.0, a * b) for 2.0 * a * b, or for a name that stands for it and is not read again."""
    node = term[1]
    if isinstance(node, gast.Name) and node.id in once and values.get(node.id) is not None:
        value = values[node.id]
        node = value if set(t.reads(value)) <= values.keys() and pure_names(value) else node
    chain = [node]
    while isinstance(chain[-1], gast.BinOp) and isinstance(chain[-1].op, gast.Mult):
        chain.append(chain[-1].left)
    found = number(chain[-1])
    if found is None or len(chain) < 2 or abs(found) == 1.0 or not found:
        return None
    rest = chain[-2].right
    for product in reversed(chain[:-2]):
        rest = t.binop(rest, gast.Mult(), product.right)
    return (found, rest) if is_float(rest) else None


def scaled(number: float, value: Any) -> Any:
    return value if number == 1.0 else t.binop(t.const(number), gast.Mult(), value)


class Term:
    """A number times factors. `key` is equal for two terms with the same factors, in whatever order they are multiplied."""

    def __init__(self, term: tuple[bool, Any], values: dict[str, Any]) -> None:
        self.number = -1.0 if term[0] else 1.0
        self.factors: list = []
        self.values = values
        self.collect(term[1])
        self.key = sorted(key for factor in self.factors for key in self.keys(factor))

    def collect(self, node: Any) -> None:
        value: Any = self.values.get(node.id) if isinstance(node, gast.Name) else None
        if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult):
            self.collect(node.left)
            self.collect(node.right)
        elif number(node) is not None and power_of_two(number(node)):
            self.number *= number(node)
        elif isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
            self.number = -self.number
            self.collect(node.operand)
        elif self.product_of_names(value) and any(number(x) is not None and power_of_two(number(x)) for x in (
                value.left, value.right)):                         # p where p = -0.5 * x
            self.collect(value.left)
            self.collect(value.right)
        else:
            self.factors.append(node)

    def keys(self, node: Any, deep: int = 40) -> list[str]:
        """A name that stands for a product of names is those names (down to so many levels)."""
        value: Any = self.values.get(node.id) if isinstance(node, gast.Name) else None
        if deep and self.product_of_names(value) and all(isinstance(x, gast.Name) for x in (value.left, value.right)):
            return self.keys(value.left, deep - 1) + self.keys(value.right, deep - 1)
        return [node.id if isinstance(node, gast.Name) else gast.dump(node)]

    def product_of_names(self, value: Any) -> bool:
        return isinstance(value, gast.BinOp) and isinstance(value.op, gast.Mult) and set(t.reads(value)) <= self.values.keys()


def split(node: Any) -> list[tuple[bool, Any]]:
    """((x + a) - b) as [(False, x), (False, a), (True, b)]: whether a term is subtracted, and the term."""
    if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Add, gast.Sub)):
        return [*split(node.left), (isinstance(node.op, gast.Sub), node.right)]
    return [(False, node)]


def joined(terms: list[tuple[bool, Any]]) -> Any:
    (minus, result), *rest = terms
    result = t_neg(result) if minus else result
    for minus, term in rest:
        result = t.binop(result, gast.Sub() if minus else gast.Add(), term)
    return result


def number(node: Any) -> Any:
    """The value of a float constant (with sign), else None."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        inner = number(node.operand)
        return None if inner is None else -inner
    if isinstance(node, gast.Constant) and type(node.value) is float:
        return node.value
    return None


def folded_constants(node: gast.BinOp) -> Any:
    """3 * 1.0 is 3.0, 1.0 / 2 is 0.5, and 1.0 / 3 * 2 is 2.0 / 3: what is exact, or as short, is computed now. None: nothing is.
    0.1 * 0.7 stays what it is: nobody writes 0.06999999999999999."""
    left, right = _plain(node.left), _plain(node.right)
    if left is not None and right is not None and (type(left) is float or type(right) is float):
        if isinstance(node.op, gast.Mult):
            short = len(repr(left * right)) <= len(repr(left)) + len(repr(right))
            return t.const(left * right) if short or power_of_two(float(left)) or power_of_two(float(right)) else None
        return t.const(left / right) if power_of_two(float(right)) else None
    for one, factor in ((node.left, right), (node.right, left)) if isinstance(node.op, gast.Mult) else ():
        constant = isinstance(one, gast.BinOp) and number(one.left) is not None and (
            isinstance(one.op, gast.Div) or isinstance(one.op, gast.Mult) and number(one.right) is not None)
        if constant and factor is not None and power_of_two(float(factor)):
            return t.binop(t.const(number(one.left) * factor), one.op, one.right)
    return None


def _plain(node: Any) -> Any:
    """The value of an int or float constant (with sign), else None."""
    if isinstance(node, gast.Constant) and type(node.value) is int and abs(node.value) < 2 ** 53:
        return node.value
    return number(node)


def negated(node: Any) -> Any:
    """x for -x."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        return node.operand
    if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Mult, gast.Div)):
        inner = negated(node.left)
        if inner is not None and not isinstance(inner, gast.Constant):
            return t.binop(inner, node.op, node.right)
    return None


def subtracted(node: Any) -> Any:
    """x for a term -x, 2.0 * x for -2.0 * x: what is taken away where the term is added."""
    factor = number(node.left) if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult) else None
    if factor is not None and factor < 0.0:
        return t.binop(t.const(-factor), gast.Mult(), node.right)
    return negated(node)


def uncopied(unit: Unit, node: Any) -> Any:
    """x for np.copy(x)."""
    copied = isinstance(node, gast.Call) and unit.lookup(node.func) is np.copy and len(node.args) == 1
    return node.args[0] if copied else node


def counting_up(unit: Unit, values: dict[str, Any]) -> set[str]:
    """Names of positions from the front of an axis without repeats: np.arange(n), np.arange(1, n). values: by their names.

    (np.arange(-1, n) may name the last element twice.)"""
    return {name for name, value in values.items() if isinstance(value, gast.Call) and unit.lookup(value.func) is np.arange
            and not value.keywords and (len(value.args) == 1 or len(value.args) == 2 and isinstance(
                value.args[0], gast.Constant) and type(value.args[0].value) is int and value.args[0].value >= 0)}


def power_of_two(value: float) -> bool:
    return value != 0.0 and math.isfinite(value) and abs(math.frexp(value)[0]) == 0.5


def t_neg(node: Any) -> gast.UnaryOp:
    return gast.UnaryOp(op=gast.USub(), operand=node)


def pure_names(node: Any) -> bool:
    return not any(isinstance(n, gast.Call) and isinstance(n.func, gast.Attribute) and n.func.attr == "pop"
                   for n in t.walk(node))


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
