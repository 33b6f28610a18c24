"""Kinds of all names of a function, from the kinds of its arguments: a fixpoint over the whole body."""
from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, tree as t
from sourcegrad.analysis import calls
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.analysis.index_kinds import index_kind
from sourcegrad.analysis.python_kinds import SPECIAL
from sourcegrad.errors import SourcegradError, UnsupportedError
from sourcegrad.frontend.closures import Maker
from sourcegrad.frontend.resolve import MISSING, Unit
from sourcegrad.kinds import Kind, constant_truth
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE

OPERATORS: dict[type, Any] = {
    gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul, gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv, gast.Mod: operator.mod, gast.Pow: operator.pow, gast.MatMult: operator.matmul,
    gast.LShift: operator.lshift, gast.RShift: operator.rshift, gast.BitAnd: operator.and_,
    gast.BitOr: operator.or_, gast.BitXor: operator.xor, gast.USub: operator.neg, gast.UAdd: operator.pos,
    gast.Invert: operator.invert}
COMPARE: dict[type, Any] = {
    gast.Eq: operator.eq, gast.NotEq: operator.ne, gast.Lt: operator.lt, gast.LtE: operator.le,
    gast.Gt: operator.gt, gast.GtE: operator.ge}
INPLACE_OF = {operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul,
              operator.itruediv: operator.truediv, operator.ipow: operator.pow, operator.imatmul: operator.matmul,
              operator.ifloordiv: operator.floordiv, operator.imod: operator.mod, operator.iand: operator.and_,
              operator.ior: operator.or_, operator.ixor: operator.xor, operator.ilshift: operator.lshift,
              operator.irshift: operator.rshift}


class Infer:
    """`kinds` maps names to kinds after `run`; `live` the data globals and closure values that were read."""

    def __init__(self, unit: Unit, parameters: dict[str, Kind], solve: Callable[[Any, dict[str, Kind]], Kind]) -> None:
        self.unit = unit
        self.solve = solve
        self.kinds: dict[str, Kind] = dict(parameters)
        self.local = set(parameters) | {n for s in t.statements(unit.tree.body) for n in t.writes(s)}
        self.live: dict[str, Kind] = {}
        self.result: Kind | None = None
        self.changed = False

    def run(self) -> Infer:
        self.changed = True
        rounds = 0
        while self.changed:
            self.changed = False
            self.block(self.unit.tree.body)
            rounds += 1
            if rounds > 12:                   # widen what still moves
                self.kinds = {n: k.ANY if rounds > 14 else k.forget_sizes(v) for n, v in self.kinds.items()}
        return self

    def bind(self, name: str, kind: Kind | None) -> None:
        if kind is None:
            return
        old = self.kinds.get(name)
        new = k.join(old, kind) if old is not None else kind
        if new != old:
            self.kinds[name] = new
            self.changed = True

    # --- statements

    def block(self, block: list) -> None:
        for s in block:
            self.statement(s)

    def statement(self, s: Any) -> None:
        if isinstance(s, gast.Assign):
            self.assign(s)
        elif isinstance(s, gast.If):
            if is_stop(s):
                return
            test = self.of(s.test)
            truth = constant_truth(test)
            if truth is not False:
                self.block(s.body)
            if truth is not True:
                self.block(s.orelse)
        elif isinstance(s, gast.For):
            self.bind(s.target.id, self.element(self.of(s.iter)))
            self.block(s.body)
        elif isinstance(s, gast.While):
            self.block(s.body)
        elif isinstance(s, gast.Return):
            self.result = self.of(s.value)
        elif isinstance(s, gast.Expr):
            found = t.list_method(s)
            if found and found[1] == "append":
                kind = self.kinds.get(found[0])
                item = self.of(s.value.args[0])
                if isinstance(kind, k.Lst) and item is not None:
                    self.bind(found[0], k.Lst(item))
            elif isinstance(s.value, gast.Call):
                self.of(s.value)

    def assign(self, s: gast.Assign) -> None:
        target = s.targets[0]
        kind = self.of(s.value)
        if isinstance(target, gast.Name):
            if target.id in self.unit.unset and kind == k.Const(None):
                return
            found = t.list_method(s)
            if found is not None and found[0] in self.unit.tapes:
                return                              # a value that comes back is what it was
            self.bind(target.id, kind)
            return
        names = [item.id for item in target.elts]
        for position, name in enumerate(names):
            if isinstance(kind, k.Tup) and len(kind.items) == len(names):
                self.bind(name, kind.items[position])
            elif kind is not None:
                self.bind(name, self.element(kind))

    # --- expressions

    def of(self, node: Any) -> Kind | None:
        """Kind of an expression; None while something it depends on is not known yet."""
        if isinstance(node, gast.Name):
            return self.name(node.id)
        if isinstance(node, gast.Constant):
            return k.Const(node.value)
        handler = getattr(self, "of_" + type(node).__name__, None)
        return handler(node) if handler else k.ANY

    def name(self, name: str) -> Kind | None:
        if name in self.local:
            return self.kinds.get(name)
        if name in self.unit.env:
            value = self.unit.env[name]
            return k.Fn(value) if not isinstance(value, types.ModuleType) else k.ANY
        value = self.unit.function.scope.lookup(name)
        if value is MISSING:
            return k.ANY
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type)):
            return k.Fn(value)
        if isinstance(value, np.ndarray) and (type(value) is not np.ndarray or value.dtype.kind in "OSUV"):
            raise UnsupportedError(f"'{name}' is not a plain numeric array ({type(value).__name__} of {value.dtype})",
                                   self.unit.function.origin, "Use an ordinary array: np.asarray(..., dtype=float).")
        kind = k.kind_of(value, name)
        if isinstance(kind, k.Const):
            kind = k.as_num(kind)
        self.live[name] = kind
        return kind

    def of_BinOp(self, node: gast.BinOp) -> Kind | None:
        left = self.of(node.left)
        if left == k.Obj(str) or (isinstance(left, k.Const) and isinstance(left.value, str)):
            return k.Obj(str)                              # "%g" % x
        return self.primitive(OPERATORS[type(node.op)], [node.left, node.right], {})

    def of_UnaryOp(self, node: gast.UnaryOp) -> Kind | None:
        operand = self.of(node.operand)
        if operand is None:
            return None
        if isinstance(node.op, gast.Not):
            truth = constant_truth(operand)
            return k.BOOL if truth is None else k.Const(not truth)
        if isinstance(operand, k.Const) and isinstance(operand.value, (int, float)):
            return k.Const(OPERATORS[type(node.op)](operand.value))
        return self.primitive(OPERATORS[type(node.op)], [node.operand], {})

    def of_Compare(self, node: gast.Compare) -> Kind | None:
        parts = [self.of(x) for x in (node.left, *node.comparators)]
        if any(p is None for p in parts):
            return None
        if len(node.ops) == 1:
            left, right = parts
            op = node.ops[0]
            if isinstance(op, (gast.Is, gast.IsNot)):
                same = _is(left, right)
                return k.BOOL if same is None else k.Const(same == isinstance(op, gast.Is))
            if isinstance(left, k.Const) and isinstance(right, k.Const) and type(op) in COMPARE:
                try:
                    return k.Const(COMPARE[type(op)](left.value, right.value))
                except TypeError:
                    return k.BOOL
            if isinstance(op, (gast.In, gast.NotIn)):
                return _contains(left, right, isinstance(op, gast.In))
        nums = [k.as_num(p) for p in parts]
        if all(isinstance(n, k.Num) for n in nums):
            dims = k.broadcast(*(n.dims for n in nums))
            if dims == ():
                return k.BOOL
            return k.Num("bool", dims, True if dims else None)
        return k.ANY

    def of_BoolOp(self, node: gast.BoolOp) -> Kind | None:
        parts = [self.of(v) for v in node.values]
        if any(p is None for p in parts):
            return None
        stop = isinstance(node.op, gast.Or)
        for part in parts[:-1]:
            truth = constant_truth(part)
            if truth is stop:
                return part
            if truth is None:
                return k.BOOL
        return parts[-1]

    def of_Tuple(self, node: gast.Tuple) -> Kind | None:
        parts = [self.of(item) for item in node.elts]
        return None if any(p is None for p in parts) else k.Tup(tuple(parts))

    def of_List(self, node: gast.List) -> Kind | None:
        parts = [self.of(item) for item in node.elts]
        if any(p is None for p in parts):
            return None
        item: Kind | None = None
        for part in parts:
            item = k.join(item, part) if item else part
        return k.Lst(item)

    def of_Dict(self, node: gast.Dict) -> Kind | None:
        parts = [self.of(item) for item in node.values]
        if any(p is None for p in parts):
            return None
        return k.Dct(tuple((key.value, part) for key, part in zip(node.keys, parts)))

    def of_JoinedStr(self, node: Any) -> Kind:
        return k.Obj(str)

    def of_Attribute(self, node: gast.Attribute) -> Kind | None:
        value = self.unit.lookup(node)
        if value is not MISSING:
            if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type, np.ufunc)):
                return k.Fn(value)
            return k.as_num(k.kind_of(value))
        owner = self.of(node.value)
        if owner is None:
            return None
        if isinstance(owner, k.Num):
            return _attribute(owner, node.attr)
        return k.ANY

    def of_Subscript(self, node: gast.Subscript) -> Kind | None:
        if isinstance(node.value, gast.Attribute) and node.value.attr == "s_":
            return k.Obj(slice)
        value = self.of(node.value)
        if value is None:
            return None
        if isinstance(value, (k.Tup, k.Closure)):
            return self._item(value.items, node.slice)
        if isinstance(value, k.Dct):
            index = self.of(node.slice)
            found = value.get(index.value) if isinstance(index, k.Const) else None
            return found or k.ANY
        if isinstance(value, k.Lst):
            return value if isinstance(node.slice, gast.Slice) else (value.item or None)
        if isinstance(value, k.Obj) and value.cls is range:
            return value if isinstance(node.slice, gast.Slice) else k.INT
        if isinstance(value, k.Num):
            return self._index(value, node.slice)
        return k.ANY

    def _item(self, items: tuple, index: Any) -> Kind | None:
        if isinstance(index, gast.Slice):
            try:
                parts = [k.constant(self.of(x)) if x is not None else None for x in (index.lower, index.upper, index.step)]
            except k.Unknown:
                return k.ANY
            return k.Tup(items[slice(*parts)])
        kind = self.of(index)
        if isinstance(kind, k.Const) and isinstance(kind.value, int) and -len(items) <= kind.value < len(items):
            return items[kind.value]
        joined: Kind | None = None
        for item in items:
            joined = k.join(joined, item) if joined else item
        return joined or k.ANY

    def _index(self, value: k.Num, index: Any) -> Kind | None:
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        if not isinstance(index, gast.Tuple) and isinstance(index, gast.Name):
            kind = self.of(index)
            if isinstance(kind, k.Tup):
                return k.Num(value.dtype)
        if value.dims is None:
            return k.Num(value.dtype)
        return index_kind(value, parts, self.of)

    def of_Call(self, node: gast.Call) -> Kind | None:
        plain = [a.value if isinstance(a, gast.Starred) else a for a in node.args]
        if any(self.of(a) is None for a in (*plain, *(kw.value for kw in node.keywords))):
            return None
        if isinstance(node.func, gast.Attribute) and node.func.attr == "pop" and not node.args:
            owner = self.of(node.func.value)
            if isinstance(owner, k.Lst):
                return owner.item
        target = calls.target_of(node, self.unit, self.of)
        args = []
        for a in target.args:
            if isinstance(a, gast.Starred):
                starred = self.of(a.value)
                if starred is None:
                    return None
                if not isinstance(starred, k.Tup):
                    return k.ANY
                args += [t.subscript(t.clone(a.value), t.const(j)) for j in range(len(starred.items))]
            else:
                args.append(a)
        target.args = args
        for star in target.stars:
            mapping = self.of(star)
            if mapping is None:
                return None
            if not isinstance(mapping, k.Dct):
                return k.ANY
            for key, _ in mapping.items:
                target.keywords[key] = t.subscript(t.clone(star), t.const(key))
        return self.result_of(target, node)

    def result_of(self, target: calls.Target, node: gast.Call) -> Kind | None:
        if target.object is None:
            return k.ANY
        if isinstance(target.object, Maker):
            parts = [self.of(a) for a in target.args]
            if any(p is None for p in parts):
                return None
            return k.Closure(target.object.function, tuple(parts), target.object.keywords)
        if target.object is functools.partial and target.args:
            return self._partial(target)
        if isinstance(target.object, k.Closure):
            return self._closure_call(target, node)
        if getattr(target.object, "__sourcegrad_static__", False):
            return self._static(target)
        if hasattr(target.object, "result_kind"):
            return target.object.result_kind        # generated code
        if target.known or target.object in INPLACE_OF or SPECIAL.get(target.object) is not None:
            return self.primitive(target.object, target.args, target.keywords)
        if target.function is not None:
            try:
                bound = calls.bind(target.function, target, self.unit)
                parts = {name: self.of(value) for name, value in bound.items()}
                if any(p is None for p in parts.values()):
                    return None
                return self.solve(target.function, parts)
            except (SourcegradError, TypeError):
                return k.ANY
        return k.ANY

    def _static(self, target: calls.Target) -> Kind | None:
        """sg.grad(f, "x") inside a function is evaluated now."""
        try:
            args = [_value(self.of(a)) for a in target.args]
            options = {name: _value(self.of(a)) for name, a in target.keywords.items()}
        except k.Unknown:
            return k.ANY
        key = (target.object, tuple(map(repr, args)), tuple(map(id, args)), repr(options))
        if key not in self.unit.statics:
            self.unit.statics[key] = target.object(*args, **options)
        return k.Fn(self.unit.statics[key])

    def _partial(self, target: calls.Target) -> Kind | None:
        """functools.partial(f, a, k=b) inside the function is a closure over a and b."""
        parts = [self.of(a) for a in (*target.args, *target.keywords.values())]
        if any(p is None for p in parts):
            return None
        first = parts[0]
        if isinstance(first, k.Fn):
            return k.Closure(first.value, tuple(parts[1:]), tuple(target.keywords))
        if isinstance(first, k.Closure) and not first.keywords:
            return k.Closure(first.function, first.items + tuple(parts[1:]), tuple(target.keywords))
        return k.ANY

    def _closure_call(self, target: calls.Target, node: gast.Call) -> Kind | None:
        closure = target.object
        split = len(closure.items) - len(closure.keywords)
        args = [t.subscript(t.clone(node.func), t.const(j)) for j in range(split)]
        keywords = {name: t.subscript(t.clone(node.func), t.const(split + j)) for j, name in enumerate(closure.keywords)}
        inner = calls.target_of_object(closure.function, args + target.args, {**keywords, **target.keywords})
        return self.result_of(inner, node)

    def element(self, kind: Kind | None) -> Kind | None:
        """Kind of one element of an iterable."""
        if kind is None:
            return None
        if isinstance(kind, k.Num) and kind.dims:
            return k.Num(kind.dtype, kind.dims[1:], len(kind.dims) > 1)
        if isinstance(kind, k.Num):
            return k.Num(kind.dtype)
        if isinstance(kind, k.Lst):
            return kind.item
        if isinstance(kind, k.Tup):
            return self._item(kind.items, t.load("?")) if kind.items else None
        if isinstance(kind, k.Obj) and kind.cls is range:
            return k.INT
        return k.ANY

    def primitive(self, function: Any, args: list, keywords: dict[str, Any]) -> Kind | None:
        """Kind of the result of a primitive, by its rule's kind function."""
        parts = [self.of(a) for a in args]
        options = {name: self.of(value) for name, value in keywords.items()}
        if any(p is None for p in (*parts, *options.values())):
            return None
        function = INPLACE_OF.get(function, function)
        special = SPECIAL.get(function)
        if special is not None:
            found = special(*parts, **options)
            if found is not None:
                return found
        rule = RULES.get(function)
        kind = rule.kind if rule is not None else ZERO_DERIVATIVE.get(function)
        if kind is None:
            return k.NUMERIC if rule is not None and all(k.is_numeric(p) for p in parts) else k.ANY
        try:
            return kind(*parts, **options) or k.ANY
        except (k.Unknown, TypeError, ValueError, AttributeError, IndexError):
            return k.ANY


def _value(kind: Kind | None) -> Any:
    return kind.value if isinstance(kind, k.Fn) else k.constant(kind)


def _attribute(owner: k.Num, name: str) -> Kind:
    if name == "shape":
        if owner.dims is None:
            return k.Obj(tuple)
        return k.Tup(tuple(k.Const(d) if isinstance(d, int) else k.Num("pyint", (), False, d) for d in owner.dims))
    if name == "ndim":
        return k.INT if owner.dims is None else k.Const(len(owner.dims))
    if name in ("size", "itemsize", "nbytes"):
        if name == "size" and owner.dims is not None and len(owner.dims) == 1:
            return k.Num("pyint", (), False, owner.dims[0])
        return k.INT
    if name == "dtype":
        return k.Obj(np.dtype)
    if name == "T":
        return k.Num(owner.dtype, owner.dims[::-1] if owner.dims is not None else None, owner.boxed)
    if name == "mT" and owner.dims is not None and len(owner.dims) > 1:
        return k.Num(owner.dtype, (*owner.dims[:-2], owner.dims[-1], owner.dims[-2]), owner.boxed)
    if name in ("real", "imag"):
        return k.Num(REAL_PART.get(owner.dtype or "", owner.dtype if not owner.is_complex else None), owner.dims, owner.boxed)
    return k.ANY


REAL_PART = {"complex128": "float64", "complex64": "float32", "pycomplex": "pyfloat"}


def _is(left: Kind, right: Kind) -> bool | None:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, k.Const) and one.value is None:
            if isinstance(other, k.Const):
                return other.value is None
            return None if other is k.ANY else False
    return None


def _contains(item: Kind, container: Kind, wanted: bool) -> Kind:
    if isinstance(item, k.Const) and isinstance(container, k.Tup) and all(
            isinstance(x, k.Const) for x in container.items):
        return k.Const((item.value in [x.value for x in container.items]) == wanted)
    if isinstance(item, k.Const) and isinstance(container, k.Dct):
        return k.Const((container.get(item.value) is not None) == wanted)
    return k.BOOL


