"""Algebraic simplification that changes neither values nor shapes nor dtypes."""
from __future__ import annotations

import functools
import operator
from collections import Counter
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.ad.sweeps import reduction
from sourcegrad.analysis import result_types
from sourcegrad.analysis.purity import pure
from sourcegrad.analysis.result_types import is_slice, may_be_complex
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.dataflow import single_values
from sourcegrad.ir.tree import hashable, read_of
from sourcegrad.ir.unit import Unit
from sourcegrad.optimize.sums import (
    Contractions,
    counting_up,
    factored_terms,
    folded_constants,
    kind_of,
    lasting,
    merged_terms,
    negated,
    number,
    power_of_two,
    pure_names,
    reading,
    subtracted,
    t_neg,
    uncopied,
    whole_number,
)


class Simplify(t.Transformer):
    def __init__(self, unit: Unit, facts: Infer) -> None:
        self.unit, self.facts = unit, facts
        self.kind = functools.partial(kind_of, facts)
        self.reverse = False                # whether derivatives are computed: the user's own expressions keep their rounding
        self.distinct: set[str] = set()     # index arrays without repeats
        self.last = False                   # sums of products become dot products at the end
        self.contractions = Contractions(unit, facts, self.kind)
        self.lasting: dict[str, Any] = {}   # name -> its one value, of names that never change
        self.once: set[str] = set()         # names that are read in one place
        self.multiples: set[str] = set()    # names of which only multiples are read

    def is_float(self, node: Any) -> bool:
        kind = self.kind(node)
        return isinstance(kind, k.Num) and kind.dtype is not None and not kind.is_discrete

    def visit_Assign(self, node: gast.Assign) -> Any:
        if not self.unit.tangents:
            return self.generic_visit(node)
        before, self.reverse = self.reverse, self.unit.tangents.keys() >= set(t.target_names(node.targets[0]))
        new = self.generic_visit(node)                       # (in forward mode tangents stand among the user's own expressions)
        self.reverse = before
        return new

    def visit_BinOp(self, node: gast.BinOp) -> Any:
        node = self.generic_visit(node)
        op = type(node.op)
        whole = folded_ints(node)
        if whole is not None or not self.reverse:
            return whole or node
        if op is gast.MatMult:
            return self.contractions.product(node) or node
        folded = folded_constants(node) if op in (gast.Mult, gast.Div) else None
        if folded is not None:
            return folded
        if op is gast.Mult:
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if number(one) == 1.0 and self.is_float(other):
                    return other
                if number(one) == -1.0 and self.is_float(other):
                    return t_neg(other)
            constants = self.merge_constants(node)
            if constants is not None:
                return constants
        if op in (gast.Add, gast.Sub):
            merged = self.contractions.merged(node) or merged_terms(node, self.is_float, self.lasting)
            if merged is None and isinstance(self.kind(node), k.Num):
                merged = factored_terms(node, self.is_float, self.lasting, self.once)
            if merged is not None:
                return self.visit(merged)
        if op is gast.Div and number(node.right) == 1.0 and self.is_float(node.left):
            return node.left
        if op in (gast.Add, gast.Sub) and (taken := subtracted(node.right)) is not None:
            return self.visit_BinOp(t.binop(node.left, gast.Sub() if op is gast.Add else gast.Add(), taken))
        if op is gast.Add and (taken := subtracted(node.left)) is not None and pure_names(node.left) and pure_names(node.right):
            return self.visit_BinOp(t.binop(node.right, gast.Sub(), taken))
        if op is gast.Sub and isinstance(node.right, gast.BinOp) and isinstance(node.right.op, gast.Mult) and number(
                node.right.left) == 1.0 and self.is_float(node.left) and self.kind(node.right.right) == k.INT:
            node.right = node.right.right                   # x - 1.0 * n of an int
        for side in ("left", "right"):                        # arithmetic makes a new array anyway
            setattr(node, side, uncopied(self.unit, getattr(node, side)))
        if op in (gast.Add, gast.Sub, gast.Mult, gast.Div, gast.Pow):
            return self.spread(node)
        return node

    def merge_constants(self, node: gast.BinOp) -> Any:
        """2.0 * (0.5 * x) is x: factors are merged where that is exact, as for signs and powers of two, or as short."""
        for one, other in ((node.left, node.right), (node.right, node.left)):
            value = number(one)
            if value is None:
                continue
            if number(other) is not None:
                return folded_constants(node)
            if negated(other) is not None and isinstance(other, gast.UnaryOp):
                return self.visit_BinOp(t.binop(t.const(-value), gast.Mult(), other.operand))
            if isinstance(other, gast.Subscript) and isinstance(other.value, gast.BinOp) and isinstance(
                    other.value.op, gast.Mult) and number(other.value.left) is not None:
                other = t.binop(other.value.left, gast.Mult(), t.subscript(other.value.right, other.slice))
            product = self.lasting.get(other.id) if isinstance(other, gast.Name) and other.id in self.multiples else None
            if isinstance(product, gast.BinOp) and isinstance(product.op, gast.Mult) and isinstance(
                    product.right, gast.Name) and product.right.id in self.lasting:
                other = t.clone(product)                         # 2.0 * p with p = 0.5 * x
            if isinstance(other, gast.BinOp) and isinstance(other.op, gast.Mult):
                for factor, rest in ((other.left, other.right), (other.right, other.left)):
                    inner = number(factor)
                    if inner is not None and (power_of_two(inner) or power_of_two(value)):
                        return self.visit_BinOp(t.binop(t.const(value * inner), gast.Mult(), rest))
                    constant = folded_constants(t.binop(factor, gast.Mult(), one))
                    if constant is None and inner is not None:
                        constant = t.binop(one, gast.Mult(), factor)         # 0.1 * 0.7 * x
                    if constant is not None:                 # 2.0 * (2.0 / 3 * x) is 4.0 / 3 * x
                        return t.binop(constant, gast.Mult(), rest)
            if isinstance(other, gast.BinOp) and isinstance(other.op, gast.Div):      # 2.0 * (0.5 * a / s) is a / s
                above = self.merge_constants(t.binop(one, gast.Mult(), other.left))
                if above is not None and not (isinstance(above, gast.BinOp) and t.same(above.right, other.left)):
                    return self.visit_BinOp(t.binop(above, gast.Div(), other.right))
            if isinstance(other, gast.Call) and self.unit.lookup(other.func) in (runtime.divide_or_zero, runtime.quotient):
                above = self.merge_constants(t.binop(one, gast.Mult(), other.args[0]))
                if above is not None and not (isinstance(above, gast.BinOp) and t.same(above.right, other.args[0])):
                    return t.call(t.clone(other.func), above, other.args[1])
            if one is node.right and isinstance(node.left, gast.Name):
                return t.binop(one, gast.Mult(), node.left)          # 2.0 * x, as people write
        return None

    def visit_UnaryOp(self, node: gast.UnaryOp) -> Any:
        node = self.generic_visit(node)
        if isinstance(node.op, gast.USub) and self.reverse:
            node.operand = uncopied(self.unit, node.operand)       # arithmetic makes a new array anyway
            inner = negated(node.operand)
            if inner is not None and self.is_float(inner):
                return inner
            product = node.operand
            if isinstance(product, gast.BinOp) and isinstance(product.op, gast.Mult) and number(product.left) is not None:
                return t.binop(t.const(-number(product.left)), gast.Mult(), product.right)
            if number(product) is not None and isinstance(product, gast.UnaryOp):
                return product.operand
            if isinstance(product, gast.BinOp) and isinstance(product.op, gast.Div) and number(product.left) is None:
                product.left = self.visit_UnaryOp(t_neg(product.left))          # -(a / b) is -a / b
                return product
            spread = self.spread_of(node.operand)
            if spread is not None:
                node.operand.args[0] = self.visit(t_neg(spread[0]))
                return node.operand
        return node

    def spread(self, node: gast.BinOp) -> Any:
        """broadcast_like(s, a) * w is s * w where w has the shape of a anyway."""
        first = node.left
        if isinstance(node.op, gast.Mult) and isinstance(first, gast.BinOp) and isinstance(first.op, gast.Mult):
            inner = self.spread_of(first.left)                   # broadcast_like(s, a) * v * w
            if inner is not None and self.spreads(node.right, *inner):
                node.left = self.visit_BinOp(t.binop(inner[0], gast.Mult(), first.right))
                return node
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
            if self.spreads(getattr(node, other), scale, like):
                setattr(node, side, scale)
        return node

    def spreads(self, node: Any, scale: Any, like: Any) -> bool:
        """Whether an operation with `node` spreads `scale` as `broadcast_like(scale, like)` does. (What is summed along the axes of
        a number has one axis more than that again.)"""
        axes, known = self.kind(scale), self.kind(like)
        sure = isinstance(axes, k.Num) and axes.is_scalar or isinstance(known, k.Num) and bool(known.dims)
        return sure and self.shaped(node, like)

    def shaped(self, node: Any, like: Any) -> bool:
        """Whether an operation with `node` has at least the shape of `like`."""
        known, adjoints = self.unit.alike, self.unit.adjoints
        one, other = (known.get(name := adjoints.get(x.id, x.id), name) if isinstance(x, gast.Name) else read_of(x)
                      for x in (node, like))
        return one is not None and one == other or covers(self.kind(node), self.kind(like))

    def spread_of(self, node: Any) -> tuple[Any, Any] | None:
        if isinstance(node, gast.Call) and self.unit.lookup(node.func) is runtime.broadcast_like:
            return node.args[0], node.args[1]
        return None

    def visit_Call(self, node: gast.Call) -> Any:
        node = self.generic_visit(node)
        function = self.unit.lookup(node.func)
        rule = CALLS.get(function) if hashable(function) else None
        simpler = rule(self, node, function) if rule is not None else None
        if simpler is not None:
            return simpler
        if self.reverse and node.keywords and (getattr(function, "__module__", None) or "").startswith("numpy"):
            node.keywords = [option for option in node.keywords if not is_default(function, option)]
        return node

    def visit_Attribute(self, node: gast.Attribute) -> Any:
        node = self.generic_visit(node)
        product = inner = node.value
        if node.attr == "T" and isinstance(inner, gast.Attribute) and inner.attr == "T" and isinstance(
                self.kind(inner.value), k.Num):                 # (an object may have an attribute T, too)
            return inner.value
        if (self.reverse and node.attr == "T" and isinstance(product, gast.BinOp) and isinstance(product.op, gast.MatMult)
                and any(isinstance(x, gast.Attribute) and x.attr == "T" for x in (product.left, product.right))
                and all(isinstance(x, k.Num) and x.ndim == 2 for x in (self.kind(product.left), self.kind(product.right)))):
            left, right = (self.visit_Attribute(t.attribute(x, "T")) for x in (product.left, product.right))
            return t.binop(right, gast.MatMult(), left)             # (a.T @ b).T is b.T @ a
        return node

    def visit_Subscript(self, node: gast.Subscript) -> Any:
        node = self.generic_visit(node)
        if isinstance(node.value, (gast.Tuple, gast.List)) and isinstance(node.slice, gast.Constant) and isinstance(
                node.slice.value, int) and isinstance(node.ctx, gast.Load) and (
                -len(node.value.elts) <= node.slice.value < len(node.value.elts)):       # else it raises when it runs
            return node.value.elts[node.slice.value]
        if isinstance(node.value, gast.Dict) and isinstance(node.slice, gast.Constant) and isinstance(node.ctx, gast.Load):
            held = {key.value: value for key, value in zip(node.value.keys, node.value.values) if isinstance(key, gast.Constant)}
            if len(held) == len(node.value.keys) and node.slice.value in held and all(
                    value is held[node.slice.value] or pure(value, self.unit) for value in node.value.values):
                return held[node.slice.value]                   # {"k": a, "l": b}["k"]
        node.slice = plain_index(node.slice)                    # a[np.s_[1:]] is a[1:]
        if isinstance(node.value, gast.Call) and self.unit.lookup(node.value.func) is np.sum and dropped(node):
            node.value.keywords = [kw for kw in node.value.keywords if kw.arg != "keepdims"]
            return node.value                                   # np.sum(a, axis=1, keepdims=True)[:, 0]
        if self.reverse and isinstance(node.ctx, gast.Load) and isinstance(node.value, gast.UnaryOp) and isinstance(
                node.value.op, gast.USub):
            node.value = node.value.operand
            return t_neg(self.visit_Subscript(node))            # (-a)[0] is -a[0]
        if is_backwards_slice(node.slice) and backwards(node.value) is not None:
            return backwards(node.value)
        if self.reverse and isinstance(node.ctx, gast.Load) and undone(node) and self.is_array(node.value.value):
            return node.value.value
        return turns(self.unit, node) or node

    def is_array(self, node: Any) -> bool:
        kind = self.kind(node)
        return isinstance(kind, k.Num) and bool(kind.boxed and kind.dims)


def path_of(to: Simplify, where: Any) -> Any:
    """A path written on `at`, or None."""
    root = place_root(where)
    return where if isinstance(root, gast.Name) and root is not where and to.unit.lookup(root) is runtime.at else None


def at_path(to: Simplify, function: Any, node: gast.Call) -> Any:
    """a.T[0] for item_at(a, at.T[0]) of an array."""
    base, where = node.args[0], node.args[-1]
    kind = to.kind(base)
    if not (isinstance(kind, k.Num) and kind.boxed) or not isinstance(base, gast.Name):
        return node
    steps = [n for n in t.walk(where) if isinstance(n, gast.Subscript) and place_root(n) is place_root(where)]
    masked = isinstance(where, gast.Subscript) and never_twice(to, where.slice)
    if function is runtime.last_writes and not all(
            basic_index(n.slice, to.facts) for n in steps if n is not where or not masked):
        return node
    part = t.clone(where)
    place_root(part).id = base.id
    kind = k.as_num(to.facts.of(part) or k.ANY)
    if function is runtime.item_at or masked or (isinstance(kind, k.Num) and kind.is_scalar):
        return part
    return t.call(f"{to.unit.use(np, 'np')}.copy", part)


def read_part(to: Simplify, node: gast.Call) -> Any:
    """The adjoint of what was stored into a list or dict, without the list or dict itself."""
    ct, base, index = node.args
    if plain_index(index) is index or isinstance(index.slice, gast.Slice):
        return node
    if isinstance(to.facts.of(base), (k.Lst, k.Tup, k.Closure)):
        return to.visit_Subscript(t.subscript(ct, index.slice))
    return t.call(to.unit.use(runtime.item_at, "item_at"), ct, index.slice)


def never_twice(to: Simplify, index: Any) -> bool:
    """Whether an index with arrays names no element twice: a mask, or each array is as long as one without repeats."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    arrays = [p for p in parts if not isinstance(p, gast.Slice) and not basic_index(p, to.facts)]
    kinds = [to.kind(p) for p in arrays]
    if len(kinds) == 1 and isinstance(kinds[0], k.Num) and kinds[0].dtype == "bool" and kinds[0].dims:
        return True
    return any(isinstance(p, gast.Name) and p.id in to.distinct for p in arrays) and all(
        isinstance(kind, k.Num) and kind.dims is not None and len(kind.dims) == 1 and kind.dims[0] is not None
        and kind.dims == kinds[0].dims for kind in kinds)


def with_axis(to: Simplify, node: gast.Call) -> Any:
    """np.expand_dims(x, 1) of an array is x[:, None]."""
    axis = whole_number(node.args[1]) if len(node.args) == 2 and not node.keywords else None
    kind = to.kind(node.args[0])
    if axis is None or not (isinstance(kind, k.Num) and kind.boxed and kind.dims and -1 <= axis <= len(kind.dims)):
        return node
    axis %= len(kind.dims) + 1
    parts = [gast.Slice(lower=None, upper=None, step=None) for _ in range(axis)] + [t.const(None)]
    return t.subscript(node.args[0], t.pack(parts) if axis else parts[0])


def fitted(to: Simplify, node: gast.Call) -> Any:
    """unbroadcast(e, x) of an e that has the shape of x."""
    plan = reduction(to.kind(node.args[1]), to.kind(node.args[0]))
    have, want = to.kind(node.args[0]), to.kind(node.args[1])
    real = isinstance(have, k.Num) and isinstance(want, k.Num) and (have.is_complex is False or want.is_complex)
    if plan == ("all", False) and real and want.is_scalar and have.boxed and have.dims:
        return t.call(f"{to.unit.use(np, 'np')}.sum", uncopied(to.unit, node.args[0]))
    return node.args[0] if plan == ((), False) and real and have.ndim == want.ndim and covers(have, want) else node


def stores_spread(to: Simplify, node: gast.Call) -> Any:
    """`x[i] = broadcast_like(v, y)` is `x[i] = v`: a store spreads what it stores."""
    spread = to.spread_of(node.args[2]) if to.reverse and len(node.args) == 3 else None
    if spread is None or not isinstance(to.kind(spread[0]), k.Num):
        return None
    base, like = to.kind(node.args[0]), to.kind(spread[1])
    if not all(isinstance(x, k.Num) and x.boxed and x.dims for x in (base, like)):
        return None
    node.args[2] = spread[0]
    return node


def takes(to: Simplify, base: Any, value: Any) -> bool:
    """Whether an array can take what may be complex (added to an array of real numbers it makes another one)."""
    kind = to.kind(base)
    return not may_be_complex(to.kind(value)) or isinstance(kind, k.Num) and bool(kind.is_complex)


def merge_stores(to: Simplify, node: gast.Call) -> Any:
    """Two contributions to the same part are added first."""
    base = node.args[0]
    if (isinstance(base, gast.Call) and to.unit.lookup(base.func) is runtime.index_set
            and t.same(plain_index(base.args[1]), plain_index(node.args[1])) and basic_index(node.args[1], to.facts)
            and number(base.args[2]) == 0.0 and takes(to, base.args[0], node.args[2])):     # x[i] = 0; x[i] += v
        return t.call(to.unit.use(runtime.index_set, "index_set"), base.args[0], base.args[1], node.args[2])
    if same_place(to, base, node):
        total = to.visit_BinOp(t.binop(base.args[2], gast.Add(), node.args[2]))
        return t.call(to.unit.use(runtime.index_set, "index_set"), base.args[0], base.args[1], total)
    if (isinstance(base, gast.Call) and to.unit.lookup(base.func) is runtime.index_add
            and t.same(base.args[1], node.args[1])
            and all(isinstance(to.kind(part), k.Num) for part in (base.args[2], node.args[2]))):
        total = to.visit_BinOp(t.binop(base.args[2], gast.Add(), node.args[2]))
        return t.call(to.unit.use(runtime.index_add, "index_add"), base.args[0], base.args[1], total)
    return node


def same_place(to: Simplify, base: Any, node: gast.Call) -> bool:
    """x[i] = v; x[i] += w of numbers of one dtype is x[i] = v + w."""
    if not (isinstance(base, gast.Call) and to.unit.lookup(base.func) is runtime.index_set
            and t.same(plain_index(base.args[1]), plain_index(node.args[1])) and basic_index(node.args[1], to.facts)):
        return False
    whole, one, other = (to.kind(x) for x in (base.args[0], base.args[2], node.args[2]))
    return all(isinstance(x, k.Num) for x in (whole, one, other)) and whole.dtype is not None and (
        whole.dtype == one.dtype == other.dtype)


def total(to: Simplify, node: gast.Call) -> Any:
    """np.sum(a * b) of real arrays of one shape is a dot product."""
    argument = node.args[0]
    if not (isinstance(argument, gast.BinOp) and isinstance(argument.op, gast.Mult)):
        return node
    left, right = to.kind(argument.left), to.kind(argument.right)
    if _real_arrays(left, right):
        function = "dot" if len(left.dims) == 1 else "vdot"
        return t.call(f"{to.unit.use(np, 'np')}.{function}", argument.left, argument.right)
    return node


def dropped(node: gast.Subscript) -> bool:
    """Whether an index takes the one element of each kept axis of a sum, and nothing else."""
    options = {kw.arg: kw.value for kw in node.value.keywords}
    if set(options) != {"axis", "keepdims"} or len(node.value.args) != 1 or not (
            isinstance(options["keepdims"], gast.Constant) and options["keepdims"].value is True):
        return False
    axis = options["axis"]
    axes = {a.value for a in (axis.elts if isinstance(axis, gast.Tuple) else [axis]) if isinstance(a, gast.Constant)}
    parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
    return len(axes) > 0 and all(type(a) is int and 0 <= a < len(parts) for a in axes) and len(axes) == len(
        axis.elts if isinstance(axis, gast.Tuple) else [axis]) and all(
        takes_first(part) if position in axes else whole(part) for position, part in enumerate(parts))


def undone(node: gast.Subscript) -> bool:
    """Whether an index takes back the axis that the one before has made: `v[:, None][:, 0]`."""
    made = node.value.slice if isinstance(node.value, gast.Subscript) else None
    parts = made.elts if isinstance(made, gast.Tuple) else []
    taken = node.slice.elts if isinstance(node.slice, gast.Tuple) else []
    return len(parts) == len(taken) == 2 and whole(parts[0]) and whole(taken[0]) and takes_first(taken[1]) and (
        isinstance(parts[1], gast.Constant) and parts[1].value is None)


def turns(unit: Unit, node: gast.Subscript) -> Any:
    """range(trips) for `range(n)[:trips]`: no more turns have begun than the range has numbers."""
    steps, part = node.value, node.slice
    counts = isinstance(part, gast.Slice) and part.lower is None and part.step is None and isinstance(part.upper, gast.Name) and (
        part.upper.id in unit.counters)
    if not counts or not isinstance(steps, gast.Call) or not t.is_name(steps.func, "range") or len(steps.args) != 1:
        return None
    return t.call(steps.func, part.upper)


MOST = 2 ** 31                  # of a number that is folded


def folded_ints(node: gast.BinOp) -> Any:
    """6 for `2 * 3`: sums and products of whole numbers are exact."""
    operation = {gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul}.get(type(node.op))
    values = [t.constant_of(x) if is_int(x) else None for x in (node.left, node.right)]
    if operation is None or None in values:
        return None
    value = operation(*values)
    return t.const(value) if abs(value) < MOST else None


def is_int(node: Any) -> bool:
    inner = node.operand if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub) else node
    return isinstance(inner, gast.Constant) and type(inner.value) is int


def takes_first(part: Any) -> bool:
    return isinstance(part, gast.Constant) and part.value == 0 and type(part.value) is int


def whole(part: Any) -> bool:
    return isinstance(part, gast.Slice) and part.lower is None and part.upper is None and part.step is None


def place_root(node: Any) -> Any:
    """The name that a path starts from."""
    while isinstance(node, (gast.Subscript, gast.Attribute, gast.Call)):
        node = node.func if isinstance(node, gast.Call) else node.value
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
        kind = None if is_slice(part, facts.of) else k.as_num(facts.of(part) or k.ANY)
        if kind is not None and not isinstance(kind, k.Const) and not (isinstance(kind, k.Num) and kind.is_scalar
                                                                        and kind.dtype not in (None, "pybool", "bool")):
            return False
    return True


def _real_arrays(left: Any, right: Any) -> bool:
    """Float arrays of one shape and dtype."""
    return (isinstance(left, k.Num) and isinstance(right, k.Num) and bool(left.boxed and right.boxed and left.dims)
            and bool(right.dims) and covers(left, right) and covers(right, left) and left.is_complex is False
            and left.dtype == right.dtype is not None and not left.is_discrete)


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


def is_default(function: Any, option: gast.keyword) -> bool:
    """Whether an option says what would be so without it: `axis=None`."""
    if option.arg is None or not isinstance(option.value, gast.Constant):
        return False
    default = source.defaults(function).get(option.arg, ...)
    if option.arg == "keepdims" and option.value.value is False and default is np._NoValue:         # that of NumPy's reductions
        return True
    return type(default) is type(option.value.value) and default == option.value.value


def covers(wide: Any, like: Any) -> bool:
    """Whether broadcasting with `wide` gives at least the shape of `like`."""
    if not isinstance(wide, k.Num) or not isinstance(like, k.Num) or wide.dims is None or like.dims is None:
        return False
    if len(wide.dims) < len(like.dims) or not wide.dims and like.dims:
        return False
    pairs = zip(wide.dims[len(wide.dims) - len(like.dims):], like.dims)
    return all((a == b and a is not None) or b == 1 or (k.many(a) and k.many(b)) for a, b in pairs)


# --- calls, by their function: each rule gives what is simpler, or None if the call stays (its arguments may be simpler)


CALLS: dict[Any, Callable] = {}


def simplifies(*functions: Any) -> Callable:
    """The decorated rule is for calls of these functions."""
    def register(rule: Callable) -> Callable:
        CALLS.update(dict.fromkeys(functions, rule))
        return rule
    return register


@simplifies(runtime.entry_of)
def _entry(to: Simplify, node: gast.Call, function: Any) -> Any:
    """entry_of(d, key): without what is dropped at other keys, and without the function where the key is there."""
    if isinstance(node.args[1], gast.Constant):
        inner = node.args[0]
        while isinstance(inner, gast.Call) and to.unit.lookup(inner.func) is runtime.entry_drop and isinstance(
                inner.args[1], gast.Constant) and inner.args[1].value != node.args[1].value:
            inner = node.args[0] = inner.args[0]
        kind = to.kind(node.args[0])
        if isinstance(kind, k.Dct) and not kind.partial and kind.get(node.args[1].value) is not None:
            return t.subscript(node.args[0], node.args[1])
    if len(node.args) == 3:
        kind = to.kind(node.args[2])
        if isinstance(kind, k.Num) and kind.is_scalar:
            node.args[2] = t.const(0.0)
        elif k.is_object(kind) and not k.is_discrete(kind):
            node.args[2] = gast.Dict(keys=[], values=[])
    return None


@simplifies(np.size)
def _size(to: Simplify, node: gast.Call, function: Any) -> Any:
    plain = to.reverse and len(node.args) == 1 and getattr(to.kind(node.args[0]), "boxed", None)
    return t.attribute(node.args[0], "size") if plain else None


@simplifies(np.shape)
def _shape(to: Simplify, node: gast.Call, function: Any) -> Any:
    return t.attribute(node.args[0], "shape") if to.reverse and len(node.args) == 1 and to.is_array(node.args[0]) else None


@simplifies(np.reshape)
def _reshape(to: Simplify, node: gast.Call, function: Any) -> Any:
    """np.ravel(a) for `np.reshape(a, v.shape)` with one axis."""
    if not to.reverse or len(node.args) != 2 or node.keywords or not to.is_array(node.args[0]):
        return None
    shape = node.args[1]
    like = to.kind(shape.value) if isinstance(shape, gast.Attribute) and shape.attr == "shape" else None
    one = isinstance(like, k.Num) and bool(like.boxed) and like.dims is not None and len(like.dims) == 1
    return t.call(f"{to.unit.use(np, 'np')}.ravel", node.args[0]) if one else None


@simplifies(runtime.in_ufunc_order)
def _ordered(to: Simplify, node: gast.Call, function: Any) -> Any:
    return None if any(result_types.unordered(to.facts.of(a)) for a in node.args[1:]) else node.args[0]


@simplifies(runtime.item_at)
def _item(to: Simplify, node: gast.Call, function: Any) -> Any:
    if path_of(to, node.args[-1]) is not None:
        return at_path(to, function, node)
    base = to.kind(node.args[0]) if to.reverse else None
    if isinstance(base, k.Num) and base.boxed and plain_index(node.args[1]) is not node.args[1]:
        return to.visit_Subscript(t.subscript(node.args[0], node.args[1]))            # x[1:] for item_at(x, np.s_[1:])
    return None


@simplifies(runtime.last_writes)
def _last_writes(to: Simplify, node: gast.Call, function: Any) -> Any:
    if isinstance(to.facts.of(node.args[1]), (k.Lst, k.Dct, k.Map, k.Tup, k.Closure)):
        return read_part(to, node)
    if path_of(to, node.args[-1]) is not None:
        return at_path(to, function, node)
    basic = basic_index(node.args[2], to.facts) and isinstance(to.kind(node.args[1]), k.Num)
    if not basic and not never_twice(to, plain_index(node.args[2])):
        return None
    part = to.visit_Subscript(t.subscript(node.args[0], node.args[2]))
    kind = to.kind(part)
    if not basic or isinstance(kind, k.Num) and kind.is_scalar:
        return part
    return t.call(f"{to.unit.use(np, 'np')}.copy", part)


@simplifies(runtime.unbroadcast)
def _unbroadcast(to: Simplify, node: gast.Call, function: Any) -> Any:
    part = node.args[0]
    if isinstance(part, gast.Call) and to.unit.lookup(part.func) is runtime.item_at and isinstance(
            to.facts.of(part.args[0]), (k.Dct, k.Map)):
        return to.visit_Call(t.call(to.unit.use(runtime.entry_of, "entry_of"), *part.args, node.args[1]))
    return fitted(to, node)


@simplifies(runtime.selected)
def _selected(to: Simplify, node: gast.Call, function: Any) -> Any:
    if to.reverse and all(isinstance(kind := to.kind(x), k.Num) and kind.is_scalar for x in node.args) and isinstance(
            node.args[1], (gast.Name, gast.Compare)):
        return gast.IfExp(test=node.args[1], body=node.args[0], orelse=t.const(0.0))
    return _of_spread(to, node, function)


@simplifies(max)
def _size_of_some(to: Simplify, node: gast.Call, function: Any) -> Any:
    """`max(x.size, 1)`, for means of nothing, is x.size where there is something."""
    size, *others = node.args
    array = size.value if isinstance(size, gast.Attribute) and size.attr == "size" else size.args[0] if isinstance(
        size, gast.Call) and to.unit.lookup(size.func) is np.size and len(size.args) == 1 else None
    axis = None
    if isinstance(size, gast.Subscript) and isinstance(size.value, gast.Attribute) and size.value.attr == "shape":
        array, axis = size.value.value, t.constant_of(size.slice) if isinstance(size.slice, (gast.Constant, gast.UnaryOp)) else None
    kind = to.kind(array) if array is not None and len(others) == 1 and t.same(others[0], t.const(1)) else None
    if not isinstance(kind, k.Num) or kind.dims is None or isinstance(size, gast.Subscript) and not isinstance(axis, int):
        return None
    dims = kind.dims if axis is None else kind.dims[axis:][:1]
    return size if all(d > 0 if isinstance(d, int) else k.many(d) for d in dims) else None


@simplifies(runtime.divide_or_zero, runtime.quotient, runtime.greater_part, runtime.tie_part)
def _of_spread(to: Simplify, node: gast.Call, function: Any) -> None:
    """A number need not be spread where another argument has the shape."""
    inner = to.spread_of(node.args[0])
    if inner is not None and any(to.spreads(x, *inner) for x in node.args[1:]):
        node.args[0] = inner[0]


@simplifies(runtime.broadcast_like)
def _broadcast(to: Simplify, node: gast.Call, function: Any) -> Any:
    value, like = to.kind(node.args[0]), to.kind(node.args[1])
    if isinstance(value, k.Num) and isinstance(like, k.Num) and value.is_scalar and like.is_scalar:
        return node.args[0]
    if covers(value, like) and len(value.dims) == len(like.dims):
        return node.args[0]
    return to.contractions.spread_twice(node)


@simplifies(np.sum)
def _sum(to: Simplify, node: gast.Call, function: Any) -> Any:
    if not to.reverse or not node.args:
        return None
    node.args[0] = uncopied(to.unit, node.args[0])                 # what is summed need not be kept
    if negated(node.args[0]) is not None:
        node.args[0] = negated(node.args[0])
        return t_neg(to.visit_Call(node))
    if to.last and len(node.args) == 1:
        return (to.contractions.product_sum(node) or node) if node.keywords else total(to, node)
    return None


simplifies(runtime.operand_part)(lambda to, node, function: fitted(to, node))
simplifies(runtime.index_set)(lambda to, node, function: stores_spread(to, node))
simplifies(runtime.index_add)(lambda to, node, function: merge_stores(to, stores_spread(to, node) or node))
simplifies(runtime.contract)(lambda to, node, function: to.contractions.contraction(node) if (
    to.reverse and len(node.args) == 3) else None)
simplifies(np.expand_dims)(lambda to, node, function: with_axis(to, node) if to.reverse else None)
simplifies(reversed)(lambda to, node, function: backwards(node.args[0]))
simplifies(runtime.guard, runtime.guard_steep)(                     # zero where it is zero, anyway
    lambda to, node, function: node.args[0] if t.same(*node.args) else None)


def simplify(unit: Unit, tree: Any, facts: Infer, last: bool = False) -> None:
    """Simplify every expression of a function in place."""
    simplifier = Simplify(unit, facts)
    simplifier.last = last
    values = single_values(tree)
    simplifier.distinct = counting_up(unit, values)
    simplifier.lasting = simplifier.contractions.values = lasting(tree, values, facts)
    reads, multiples = reading(tree)
    simplifier.contractions.summed = {name for name, count in Counter(
        n.args[0].id for n in t.walk(tree) if isinstance(n, gast.Call) and unit.lookup(n.func) is np.sum and n.keywords
        and isinstance(n.args[0], gast.Name)).items() if reads[name] == count}
    simplifier.contractions.multiplied = {x.id for n in t.walk(tree) if isinstance(n, gast.BinOp) and isinstance(
        n.op, gast.MatMult) for x in (n.left, n.right) if isinstance(x, gast.Name)}
    simplifier.once = simplifier.contractions.once = {name for name, count in reads.items() if count == 1}
    simplifier.multiples = {name for name, count in reads.items() if count == multiples[name]}
    body = []
    for s in tree.body:
        simplifier.reverse = simplifier.reverse or t.is_mark(s)
        simplifier.contractions.prepare(s)
        s = simplifier.visit(s)
        body += [*(simplifier.contractions.named(s) if simplifier.reverse else ()), s]
        if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) and s.targets[0].id in simplifier.lasting:
            simplifier.lasting[s.targets[0].id] = s.value                   # as it is now
    tree.body = _drop_identities(body)


def _drop_identities(block: list) -> list:
    result = []
    for s in block:
        if t.says_nothing(s):
            continue
        t.map_blocks(s, _drop_identities)
        result.append(s)
    return result
