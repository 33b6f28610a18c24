"""Algebra that changes neither values nor shapes nor dtypes."""
from __future__ import annotations

import math
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.infer import Infer
from sourcegrad.frontend.resolve import Unit
from sourcegrad.transform.shapes import reduction


class Simplify(gast.NodeTransformer):
    def __init__(self, unit: Unit, facts: Infer) -> None:
        self.unit, self.facts = unit, facts
        self.reverse = False                # the user's own expressions keep their rounding

    def kind(self, node: Any) -> Any:
        try:
            return k.as_num(self.facts.of(node) or k.ANY)
        except (KeyError, AttributeError, TypeError):
            return k.ANY

    def is_float(self, node: Any) -> bool:
        kind = self.kind(node)
        return isinstance(kind, k.Num) and kind.dtype is not None and not kind.is_discrete

    def visit_BinOp(self, node: gast.BinOp) -> Any:
        node = self.generic_visit(node)
        op = type(node.op)
        if not self.reverse:
            return node
        if op is gast.Mult:
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if number(one) == 1.0 and self.is_float(other):
                    return other
                if number(one) == -1.0 and self.is_float(other):
                    return t_neg(other)
            constants = self.merge_constants(node)
            if constants is not None:
                return constants
        if op is gast.Add:
            merged = self.merge_terms(node)
            if merged is not None:
                return merged
        if op is gast.Div and number(node.right) == 1.0 and self.is_float(node.left):
            return node.left
        if op is gast.Add and negated(node.right) is not None:
            return t.binop(node.left, gast.Sub(), negated(node.right))
        if op is gast.Add and negated(node.left) is not None and pure_names(node.left) and pure_names(node.right):
            return t.binop(node.right, gast.Sub(), negated(node.left))
        if op is gast.Sub and negated(node.right) is not None:
            return t.binop(node.left, gast.Add(), negated(node.right))
        for side in ("left", "right"):                        # arithmetic makes a new array anyway
            part = getattr(node, side)
            if isinstance(part, gast.Call) and self.unit.lookup(part.func) is np.copy and len(part.args) == 1:
                setattr(node, side, part.args[0])
        if op in (gast.Add, gast.Sub, gast.Mult, gast.Div, gast.Pow):
            return self.spread(node)
        return node

    def merge_constants(self, node: gast.BinOp) -> Any:
        """2.0 * (0.5 * x) is x: factors are merged where that is exact, that is for signs and powers of two."""
        for one, other in ((node.left, node.right), (node.right, node.left)):
            value = number(one)
            if value is None:
                continue
            if number(other) is not None:
                return t.const(value * number(other))
            if negated(other) is not None and isinstance(other, gast.UnaryOp):
                return self.visit_BinOp(t.binop(t.const(-value), gast.Mult(), other.operand))
            if isinstance(other, gast.BinOp) and isinstance(other.op, gast.Mult):
                for factor, rest in ((other.left, other.right), (other.right, other.left)):
                    inner = number(factor)
                    if inner is not None and (power_of_two(inner) or power_of_two(value)):
                        return self.visit_BinOp(t.binop(t.const(value * inner), gast.Mult(), rest))
            if one is node.right and isinstance(other, gast.Name):
                return t.binop(one, gast.Mult(), other)          # 2.0 * x, as people write
        return None

    def merge_terms(self, node: gast.BinOp) -> Any:
        """a + a is 2.0 * a."""
        if t.same(node.left, node.right) and not isinstance(node.left, gast.Constant) and pure_names(node.left):
            kind = self.kind(node.left)
            if isinstance(kind, k.Num) and kind.dtype is not None and not kind.is_discrete:
                return self.visit_BinOp(t.binop(t.const(2.0), gast.Mult(), node.left))
        if isinstance(node.left, gast.BinOp) and isinstance(node.left.op, gast.Add):
            merged = self.merge_terms(t.binop(node.left.right, gast.Add(), node.right))
            if merged is not None:
                return t.binop(node.left.left, gast.Add(), merged)
        return None

    def visit_UnaryOp(self, node: gast.UnaryOp) -> Any:
        node = self.generic_visit(node)
        if isinstance(node.op, gast.USub) and self.reverse:
            inner = negated(node.operand)
            if inner is not None and self.is_float(inner):
                return inner
            product = node.operand
            if isinstance(product, gast.BinOp) and isinstance(product.op, gast.Mult) and number(product.left) is not None:
                return t.binop(t.const(-number(product.left)), gast.Mult(), product.right)
            if number(product) is not None and isinstance(product, gast.UnaryOp):
                return product.operand
            spread = self.spread_of(node.operand)
            if spread is not None:
                node.operand.args[0] = self.visit(t_neg(spread[0]))
                return node.operand
        return node

    def spread(self, node: gast.BinOp) -> Any:
        """broadcast_like(s, a) * w is s * w where w has the shape of a anyway."""
        for side, other in (("left", "right"), ("right", "left")):
            inner = self.spread_of(getattr(node, side))
            if inner is None:
                continue
            scale, like = inner
            rest = self.kind(getattr(node, other))
            if isinstance(rest, k.Num) and rest.is_scalar and isinstance(node.op, (gast.Mult, gast.Div)) and (
                    side == "left" or isinstance(node.op, gast.Mult)):
                setattr(node, side, scale)                       # a number times a spread number
                return t.call(self.unit.use(runtime.broadcast_like, "broadcast_like"), self.visit(node), like)
            mine, wide = self.kind(like), self.kind(getattr(node, other))
            if covers(wide, mine):
                setattr(node, side, scale)
        return node

    def spread_of(self, node: Any) -> tuple[Any, Any] | None:
        if isinstance(node, gast.Call) and self.unit.lookup(node.func) is runtime.broadcast_like:
            return node.args[0], node.args[1]
        return None

    def visit_Call(self, node: gast.Call) -> Any:
        node = self.generic_visit(node)
        function = self.unit.lookup(node.func)
        if function is runtime.last_writes and basic_index(node.args[2], self.facts):
            part = self.visit_Subscript(t.subscript(node.args[0], node.args[2]))
            kind = self.kind(part)
            if isinstance(kind, k.Num) and kind.is_scalar:
                return part
            return t.call(f"{self.unit.use(np, 'np')}.copy", part)
        if function is runtime.unbroadcast:
            return self.fitted(node)
        if function is runtime.index_add:
            return self.merge_stores(node)
        if function is reversed and backwards(node.args[0]) is not None:
            return backwards(node.args[0])
        if function is runtime.broadcast_like:
            value, like = self.kind(node.args[0]), self.kind(node.args[1])
            if isinstance(value, k.Num) and isinstance(like, k.Num) and value.is_scalar and like.is_scalar:
                return node.args[0]
            if covers(value, like) and len(value.dims) == len(like.dims):
                return node.args[0]
        if self.reverse and function is np.sum and node.args and negated(node.args[0]) is not None:
            node.args[0] = negated(node.args[0])
            return t_neg(self.visit_Call(node))
        if self.reverse and function is np.sum and len(node.args) == 1 and not node.keywords:
            return self.total(node)
        if self.reverse and function is np.sum and len(node.args) == 1:
            return self.row_totals(node)
        return node

    def fitted(self, node: gast.Call) -> Any:
        """unbroadcast(e, x) of an e that has the shape of x."""
        plan = reduction(self.kind(node.args[1]), self.kind(node.args[0]))
        have, want = self.kind(node.args[0]), self.kind(node.args[1])
        real = isinstance(have, k.Num) and isinstance(want, k.Num) and (have.is_complex is False or want.is_complex)
        return node.args[0] if plan == ((), False) and real and have.ndim == want.ndim and covers(have, want) else node

    def merge_stores(self, node: gast.Call) -> Any:
        """Two contributions to the same part are added first."""
        base = node.args[0]
        if (isinstance(base, gast.Call) and self.unit.lookup(base.func) is runtime.index_set
                and t.same(plain_index(base.args[1]), plain_index(node.args[1])) and basic_index(node.args[1], self.facts)
                and number(base.args[2]) == 0.0):                # x[i] = 0; x[i] += v
            return t.call(self.unit.use(runtime.index_set, "index_set"), base.args[0], base.args[1], node.args[2])
        if (isinstance(base, gast.Call) and self.unit.lookup(base.func) is runtime.index_add
                and t.same(base.args[1], node.args[1])
                and all(isinstance(self.kind(part), k.Num) for part in (base.args[2], node.args[2]))):
            total = self.visit_BinOp(t.binop(base.args[2], gast.Add(), node.args[2]))
            return t.call(self.unit.use(runtime.index_add, "index_add"), base.args[0], base.args[1], total)
        return node

    def row_totals(self, node: gast.Call) -> Any:
        """np.sum(a * b, axis=-1) of large arrays without the array of products."""
        options = {kw.arg: kw.value for kw in node.keywords}
        argument = node.args[0]
        if not (isinstance(argument, gast.BinOp) and isinstance(argument.op, gast.Mult)
                and set(options) <= {"axis", "keepdims"} and isinstance(options.get("axis"), gast.Constant)):
            return node
        left, right = self.kind(argument.left), self.kind(argument.right)
        if not (_real_arrays(left, right) and len(left.dims) > 2 and options["axis"].value in (-1, len(left.dims) - 1)):
            return node
        options.pop("axis")
        return t.call(self.unit.use(runtime.row_dot, "row_dot"), argument.left, argument.right, **options)

    def total(self, node: gast.Call) -> Any:
        """np.sum(a * b) of real arrays of one shape is a dot product."""
        argument = node.args[0]
        if not (isinstance(argument, gast.BinOp) and isinstance(argument.op, gast.Mult)):
            return node
        left, right = self.kind(argument.left), self.kind(argument.right)
        if _real_arrays(left, right):
            function = "dot" if len(left.dims) == 1 else "vdot"
            return t.call(f"{self.unit.use(np, 'np')}.{function}", argument.left, argument.right)
        return node

    def visit_Attribute(self, node: gast.Attribute) -> Any:
        node = self.generic_visit(node)
        if node.attr == "T" and isinstance(node.value, gast.Attribute) and node.value.attr == "T":
            return node.value.value
        return node

    def visit_Subscript(self, node: gast.Subscript) -> Any:
        node = self.generic_visit(node)
        if isinstance(node.value, (gast.Tuple, gast.List)) and isinstance(node.slice, gast.Constant) and isinstance(
                node.slice.value, int) and isinstance(node.ctx, gast.Load):
            return node.value.elts[node.slice.value]
        index = node.slice
        if isinstance(index, gast.Subscript) and isinstance(index.value, gast.Attribute) and index.value.attr == "s_":
            node.slice = index.slice                            # a[np.s_[1:]] is a[1:]
        if is_backwards_slice(node.slice) and backwards(node.value) is not None:
            return backwards(node.value)
        return node


def plain_index(node: Any) -> Any:
    """(i, j) for np.s_[i, j]."""
    if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Attribute) and node.value.attr == "s_":
        return node.slice
    return node


def basic_index(node: Any, facts: Infer) -> bool:
    """Whether an index has only ints and slices."""
    if isinstance(node, gast.Subscript):
        node = node.slice
    for part in node.elts if isinstance(node, gast.Tuple) else [node]:
        kind = None if isinstance(part, gast.Slice) else k.as_num(facts.of(part) or k.ANY)
        if kind is not None and not isinstance(kind, k.Const) and not (isinstance(kind, k.Num) and kind.is_scalar
                                                                        and kind.dtype not in (None, "pybool", "bool")):
            return False
    return True


def _real_arrays(left: Any, right: Any) -> bool:
    """Float arrays of one shape and dtype."""
    return (isinstance(left, k.Num) and isinstance(right, k.Num) and bool(left.boxed and right.boxed and left.dims)
            and bool(right.dims) and covers(left, right) and covers(right, left) and left.is_complex is False
            and left.dtype == right.dtype and not left.is_discrete)


def number(node: Any) -> Any:
    """The value of a float constant (with sign), else None."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        inner = number(node.operand)
        return None if inner is None else -inner
    if isinstance(node, gast.Constant) and type(node.value) is float:
        return node.value
    return None


def negated(node: Any) -> Any:
    """x for -x."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        return node.operand
    if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Mult, gast.Div)):
        inner = negated(node.left)
        if inner is not None and not isinstance(inner, gast.Constant):
            return t.binop(inner, node.op, node.right)
    return None


def power_of_two(value: float) -> bool:
    return value != 0.0 and math.isfinite(value) and abs(math.frexp(value)[0]) == 0.5


def t_neg(node: Any) -> gast.UnaryOp:
    return gast.UnaryOp(op=gast.USub(), operand=node)


def pure_names(node: Any) -> bool:
    return not any(isinstance(n, gast.Call) and isinstance(n.func, gast.Attribute) and n.func.attr == "pop"
                   for n in t.walk(node))


def is_backwards_slice(node: Any) -> bool:
    return (isinstance(node, gast.Slice) and node.lower is None and node.upper is None
            and isinstance(node.step, gast.UnaryOp) and isinstance(node.step.operand, gast.Constant)
            and node.step.operand.value == 1)


def backwards(node: Any) -> Any:
    """r for r[::-1] of a range."""
    if isinstance(node, gast.Subscript) and is_backwards_slice(node.slice) and isinstance(
            node.value, (gast.Call, gast.Subscript)) and _range(node.value):
        return node.value
    return None


def _range(node: Any) -> bool:
    while isinstance(node, gast.Subscript):
        node = node.value
    return isinstance(node, gast.Call) and t.is_name(node.func, "range")


def known(dims: Any) -> bool:
    return dims is not None and None not in dims


def covers(wide: Any, like: Any) -> bool:
    """Whether broadcasting with `wide` gives at least the shape of `like`."""
    if not isinstance(wide, k.Num) or not isinstance(like, k.Num) or wide.dims is None or like.dims is None:
        return False
    if len(wide.dims) < len(like.dims) or not wide.dims and like.dims:
        return False
    pairs = zip(wide.dims[len(wide.dims) - len(like.dims):], like.dims)
    return all((a == b and a is not None) or b == 1 or (k.many(a) and k.many(b)) for a, b in pairs)


def simplify(unit: Unit, tree: Any, facts: Infer) -> None:
    """Simplify every expression of a function in place."""
    simplifier = Simplify(unit, facts)
    body = []
    for s in tree.body:
        simplifier.reverse = simplifier.reverse or t.is_comment(s)
        body.append(simplifier.visit(s))
    tree.body = _drop_identities(body)


def _drop_identities(block: list) -> list:
    """x = x says nothing."""
    result = []
    for s in block:
        if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and t.is_name(s.value, s.targets[0].id):
            continue
        for field in t.BLOCKS:
            inner = getattr(s, field, None)
            if inner:
                setattr(s, field, _drop_identities(inner))
        result.append(s)
    return result

