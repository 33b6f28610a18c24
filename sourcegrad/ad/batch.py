"""Batching (the leading axis of vmap): tangents that carry many directions at once, one for each entry of a first axis.

Works on what `forward` has written, in which tangents occur only in linear operations. A tangent of shape `s` becomes one of shape
`(k, *s)`, also where it is zero; values stay what they are. A statement that has no form with a leading axis is written as a loop
over the directions; what no loop can do raises `Alone`, and then the caller takes one sweep for each direction.
"""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.ad.forward import Forward
from sourcegrad.ad.leading_axis import HANDLERS, Alone, Unknown, whole
from sourcegrad.ir import tree as t
from sourcegrad.primitives.core import JVPS, RULES
from sourcegrad.primitives.dependence import LEADING

CONTAINERS = (k.Lst, k.Tup, k.Dct, k.Map, k.Obj)
LIST_METHODS = {"append", "pop", "insert", "extend", "clear", "reverse"}
Seen = tuple[Any, bool]                 # an expression in its new form, and whether it has the leading axis


class Batch:
    """The statements of a function with tangents, which become batches of them.

    variants: how many plain arguments a callee takes before its tangents, by its generated function."""

    def __init__(self, forward: Forward, variants: dict[int, int]) -> None:
        self.forward, self.facts, self.unit, self.variants = forward, forward.facts, forward.unit, variants
        self.dots = {dot: name for name, dot in forward.dots.items()}
        self.batched = set(self.dots)
        self.count = self.unit.names.fresh("directions")
        self.displays: set[str] = set()                      # names of tuples, also where their kinds do not tell it

    def function(self, body: list, given: list[str]) -> list:
        """The body of a function whose parameters in `given` are batches of tangents."""
        origin = t.origin_of(body[0])
        found: list = []
        self.displays = {s.targets[0].id for s in t.statements(body) if isinstance(s, gast.Assign) and isinstance(
            s.value, gast.Tuple) and t.is_name(s.targets[0])}
        for s in t.statements(body):
            called = self.unit.lookup(s.value.func) if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) else None
            if isinstance(called, np.ufunc) and called.nout > 1 and called not in JVPS and set(t.writes(s)) & {*self.dots.values()}:
                raise Alone("a function that gives several arrays")
        for _ in range(8):
            size = len(self.batched)
            found = self.block(body)
            if len(self.batched) == size:
                break
        else:
            raise Alone("what has a leading axis is not settled")
        first = next((dot for dot in given if isinstance(self.number(t.load(dot)), k.Num)), None)
        counted = t.call(self.helper(runtime.count_directions), t.load(given[0])) if first is None else t.call(
            self.unit.use(len, "len"), t.load(first))
        self.forward.note(self.count, k.Num("pyint", (), False))
        return [t.assign(self.count, counted, origin), *found]

    # --- names and kinds

    def helper(self, function: Any) -> str:
        return self.forward.helper(function)

    def numpy(self, path: str, *args: Any, **options: Any) -> Any:
        return t.call(self.forward.numpy(path), *args, **options)

    def directions(self) -> Any:
        return t.load(self.count)

    def kind(self, node: Any) -> Any:
        """What an expression is without the leading axis; that of a tangent is known from its value."""
        if isinstance(node, gast.Name) and node.id in self.displays:
            return k.Tup(())
        kind = self.facts.of(node)
        if kind is None or not isinstance(k.as_num(kind), k.Num):
            names = {n: self.dots[n] for n in t.reads(node) if n in self.dots}
            other = self.facts.of(t.rename(t.clone(node), names)) if names else kind
            return other if other is not None else k.ANY
        return kind

    def number(self, node: Any) -> Any:
        return k.as_num(self.kind(node))

    def rank(self, node: Any) -> int:
        """The number of axes of an operand, without the leading one."""
        if isinstance(node, gast.Constant) and isinstance(node.value, (int, float, complex)):
            return 0
        number = self.number(node)
        if isinstance(number, k.Num) and number.is_scalar:
            return 0
        if not isinstance(number, k.Num) or number.ndim is None:
            raise Unknown(node)
        return number.ndim

    def reads_batch(self, node: Any) -> bool:
        return any(n in self.batched for n in t.reads(node))

    # --- zeros and ranks

    def lifted(self, node: Any) -> Any:
        """What does not move, as a batch."""
        if isinstance(node, gast.Constant):
            moves = isinstance(node.value, (float, complex)) and not isinstance(node.value, bool)
            return self.numpy("zeros", self.directions()) if moves and node.value == 0.0 else (
                self.numpy("full", self.directions(), t.clone(node)) if moves else t.clone(node))
        called = self.unit.lookup(node.func) if isinstance(node, gast.Call) else None
        if called is np.zeros and len(node.args) == 1 and not node.keywords and isinstance(node.args[0], gast.Attribute):
            return self.numpy("zeros", self.shaped(t.clone(node.args[0])))
        if called is np.zeros_like and len(node.args) == 1 and not node.keywords and t.is_name(node.args[0]):
            return self.numpy("zeros", self.shaped(t.attribute(t.clone(node.args[0]), "shape")),
                              t.attribute(t.clone(node.args[0]), "dtype"))
        if isinstance(node, (gast.Tuple, gast.List)):
            return type(node)(elts=[self.lifted(item) for item in node.elts], ctx=t.LOAD)
        if isinstance(node, gast.Dict):
            return gast.Dict(keys=[*map(t.clone, node.keys)], values=[*map(self.lifted, node.values)])
        number = self.number(node)
        if isinstance(number, k.Num) and number.boxed:
            return self.numpy("repeat", t.subscript(t.clone(node), t.const(None)), self.directions(), axis=t.const(0))
        raise Alone("a zero tangent of an unknown structure")

    def shaped(self, shape: Any) -> Any:
        """The shape with the leading axis."""
        return t.binop(t.pack([self.directions()]), gast.Add(), shape)

    def aligned(self, new: Any, rank: int, wanted: int) -> Any:
        """A batch with axes of size 1 after the leading one, so that the others stand below those of an operand."""
        if rank == wanted:
            return new
        axes = [whole(), *(t.const(None) for _ in range(wanted - rank))]
        return t.subscript(new, t.pack(axes))

    def batch(self, node: Any) -> Any:
        """An expression as a batch."""
        new, moves = self.expression(node)
        return new if moves else self.lifted(node)

    # --- expressions

    def expression(self, node: Any) -> Seen:
        if not self.reads_batch(node):
            return t.clone(node), False
        found = getattr(self, f"of_{type(node).__name__}", None)
        if found is None:
            raise Unknown(node)
        return found(node)                                   # type: ignore[no-any-return]

    def of_Name(self, node: gast.Name) -> Seen:
        return t.clone(node), True

    def of_Tuple(self, node: Any) -> Seen:
        return type(node)(elts=[self.item(x) for x in node.elts], ctx=t.LOAD), True

    of_List = of_Tuple

    def of_Dict(self, node: gast.Dict) -> Seen:
        return gast.Dict(keys=[*map(t.clone, node.keys)], values=[self.item(x) for x in node.values]), True

    def item(self, node: Any) -> Any:
        """A part of a container of tangents."""
        new, moves = self.expression(node)
        return new if moves else self.lifted(node)

    def of_UnaryOp(self, node: gast.UnaryOp) -> Seen:
        return gast.UnaryOp(op=node.op, operand=self.expression(node.operand)[0]), True

    def of_BinOp(self, node: gast.BinOp) -> Seen:
        kinds = [self.kind(x) for x in (node.left, node.right)]
        if isinstance(node.op, gast.MatMult):
            return HANDLERS[np.matmul](self, gast.Call(func=None, args=[node.left, node.right], keywords=[])), True
        if any(isinstance(kind, (k.Lst, k.Tup)) for kind in kinds):
            return t.binop(self.batch(node.left), node.op, self.batch(node.right) if isinstance(
                node.op, gast.Add) else t.clone(node.right)), True
        left, right = self.operands([node.left, node.right])
        return t.binop(left, node.op, right), True

    def operands(self, nodes: list) -> list:
        """Operands of an elementwise operation, of which those with a leading axis have the rank of the result."""
        ranks = [self.rank(x) for x in nodes]
        found = [self.expression(x) for x in nodes]
        return [self.aligned(new, rank, max(ranks)) if moves else new for (new, moves), rank in zip(found, ranks)]

    def of_Subscript(self, node: gast.Subscript) -> Seen:
        if self.reads_batch(node.slice):
            raise Unknown(node)
        new, kind = self.expression(node.value)[0], self.kind(node.value)
        if isinstance(kind, CONTAINERS):
            return t.subscript(new, t.clone(node.slice)), True
        if not isinstance(k.as_num(kind), k.Num):
            raise Unknown(node)
        return t.subscript(new, self.index(node.slice)), True

    def index(self, index: Any) -> Any:
        """An index of an array, of all directions."""
        items = index.elts if isinstance(index, gast.Tuple) else [index]
        kinds = [None if isinstance(x, gast.Slice) else self.facts.of(x) for x in items]
        for x, kind in zip(items, kinds):
            plain = isinstance(x, (gast.Slice, gast.Constant)) or isinstance(k.as_num(kind or k.ANY), k.Num) or isinstance(
                kind, k.Lst) or isinstance(kind, k.Const) and (kind.value is None or isinstance(kind.value, (int, slice)))
            if not plain:
                raise Unknown(index)
        numbers = [k.as_num(kind) if kind is not None else None for kind in kinds]
        arrays = [isinstance(kind, k.Lst) or isinstance(n, k.Num) and not n.is_scalar for kind, n in zip(kinds, numbers)]
        if any(arrays):
            places = [j for j, (x, kind) in enumerate(zip(items, kinds)) if arrays[j] or not isinstance(x, gast.Slice) and not (
                isinstance(x, gast.Constant) and x.value in (None, Ellipsis))]
            if places != list(range(places[0], places[-1] + 1)):         # these axes would go first, before the leading one
                raise Unknown(index)
        return t.pack([whole(), *map(t.clone, items)])

    def place(self, node: Any) -> Any:
        """The index argument of `index_set`, of all directions: np.s_[...] unless it is one."""
        spelled = isinstance(node, gast.Subscript) and isinstance(node.value, gast.Attribute) and node.value.attr == "s_"
        return t.subscript(t.dotted(self.forward.numpy("s_")), self.index(node.slice if spelled else node))

    def of_Attribute(self, node: gast.Attribute) -> Seen:
        new, kind = self.expression(node.value)[0], self.kind(node.value)
        if isinstance(kind, (k.Obj, k.Named)):
            return t.attribute(new, node.attr), True
        if node.attr in ("real", "imag"):
            return t.attribute(new, node.attr), True
        if node.attr == "dtype":
            return t.attribute(new, "dtype"), False
        if node.attr == "shape":
            return t.subscript(t.attribute(new, "shape"), gast.Slice(lower=t.const(1), upper=None, step=None)), False
        if node.attr == "ndim":
            return t.const(self.rank(node.value)), False
        if node.attr == "T":
            return HANDLERS[np.transpose](self, gast.Call(func=None, args=[node.value], keywords=[])), True
        raise Unknown(node)

    def of_Call(self, node: gast.Call) -> Seen:
        if isinstance(node.func, gast.Attribute) and self.reads_batch(node.func.value):
            return self.method(node), True
        function = self.unit.lookup(node.func)
        hashable = t.hashable(function)
        handler = HANDLERS.get(function) if hashable else None
        if handler is not None:
            return handler(self, node), True
        rule = RULES.get(function) if hashable else None
        if rule is not None and rule.elementwise and not of_numbers(function) or hashable and function in LEADING:
            args = self.operands(node.args)
            if any(self.reads_batch(kw.value) or kw.arg in ("out", "where", "axis", "axes") for kw in node.keywords):
                raise Unknown(node)
            return gast.Call(func=t.clone(node.func), args=args, keywords=[*map(t.clone, node.keywords)]), True
        raise Unknown(node)

    def method(self, node: gast.Call) -> Any:
        """x_dot.copy(), or parts_dot.pop()"""
        owner: Any = node.func
        receiver, kind = self.expression(owner.value)[0], self.kind(owner.value)
        if owner.attr in LIST_METHODS and isinstance(kind, CONTAINERS):
            args = [self.batch(x) if self.reads_batch(x) else t.clone(x) for x in node.args]
            return gast.Call(func=t.attribute(receiver, owner.attr), args=args, keywords=[])
        if owner.attr in ("copy", "astype") and isinstance(k.as_num(kind), k.Num) and not any(map(self.reads_batch, node.args)):
            return gast.Call(func=t.attribute(receiver, owner.attr), args=[*map(t.clone, node.args)],
                             keywords=[*map(t.clone, node.keywords)])
        raise Unknown(node)

    # --- statements

    def block(self, block: list) -> list:
        return [new for s in block for new in self.statement(s)]

    def statement(self, s: Any) -> list:
        origin = t.origin_of(s)
        if isinstance(s, gast.Assign):
            return self.assign(s)
        if isinstance(s, gast.If):
            self.settled(s.test)
            return [t.if_(s.test, self.block(s.body), self.block(s.orelse), origin)]
        if isinstance(s, gast.For):
            self.settled(s.iter)
            return [t.for_(s.target.id, s.iter, self.block(s.body), origin)]
        if isinstance(s, gast.While):
            self.settled(s.test)
            return [t.while_(s.test, self.block(s.body), origin)]
        if isinstance(s, gast.Return):
            value = s.value
            if isinstance(value, gast.Tuple) and len(value.elts) == 2:
                try:
                    return [t.return_(t.pack([t.clone(value.elts[0]), self.batch(value.elts[1])]), origin)]
                except Unknown as problem:
                    raise Alone(str(problem)) from None
            raise Alone("a result that is no pair")
        if isinstance(s, gast.Expr) and isinstance(s.value, gast.Call) and isinstance(s.value.func, gast.Attribute) and (
                t.is_name(s.value.func.value) and s.value.func.value.id in self.batched):
            args = [self.batch(x) if j == len(s.value.args) - 1 else t.clone(x) for j, x in enumerate(s.value.args)]
            return [t.effect(gast.Call(func=t.clone(s.value.func), args=args, keywords=[]), origin)]
        self.settled(s)
        return [s]

    def settled(self, node: Any) -> None:
        """Refuse what asks for the value of a tangent."""
        if any(n in self.batched for s in ([node] if not isinstance(node, gast.stmt) else []) for n in t.reads(s)):
            raise Alone("a question about a tangent")
        if isinstance(node, gast.stmt) and set(t.mentions(node)) & self.batched:
            raise Alone("a statement about a tangent")

    def assign(self, s: gast.Assign) -> list:
        origin, target = t.origin_of(s), s.targets[0]
        if isinstance(target, gast.Tuple):
            return self.unpack(s, [item.id for item in target.elts])
        try:
            new, moves = self.expression(s.value)
            if moves:
                self.batched.add(target.id)
            elif target.id in self.batched:
                new = self.lifted(s.value)
            return [t.assign(target.id, new, origin)]
        except Unknown:
            return self.one_by_one(s)

    def unpack(self, s: gast.Assign, names: list[str]) -> list:
        """a, b = x"""
        origin, value = t.origin_of(s), s.value
        if isinstance(value, gast.Call):
            function = self.unit.lookup(value.func)
            plain = self.variants.get(id(function))
            if plain is None:
                if self.reads_batch(value) or set(names) & self.batched:
                    raise Alone("a call that is only known at run time")
                return [s]
            args = [t.clone(x) if j < plain else self.batch(x) for j, x in enumerate(value.args)]
            self.batched.add(names[1])
            call = gast.copy_location(gast.Call(func=t.clone(value.func), args=args, keywords=[]), value)
            return [t.unpack(names, call, origin)]
        if not self.reads_batch(value):
            if set(names) & self.batched:
                raise Alone("zeros that are unpacked")
            return [s]
        new, kind = self.expression(value)[0], self.kind(value)
        self.batched.update(names)
        if isinstance(kind, CONTAINERS):
            return [t.unpack(names, new, origin)]
        return [t.assign(name, t.subscript(t.clone(new), t.pack([whole(), t.const(j)])), origin) for j, name in enumerate(names)]

    def one_by_one(self, s: gast.Assign) -> list:
        """A loop over the directions, for an operation without a form for all of them."""
        origin, name = t.origin_of(s), s.targets[0].id
        if any(n in self.batched for node in t.walk(s.value) for n in self.called_by(node)):
            raise Alone("a method of a tangent")
        rows, j = self.unit.names.fresh(f"{name}_rows"), self.unit.names.fresh("j")
        self.forward.note(j, k.Num("pyint", (), False))
        for new in (rows, j):
            self.facts.local.add(new)

        def one(node: Any) -> Any:
            if isinstance(node, gast.Name) and node.id in self.batched and isinstance(node.ctx, gast.Load):
                return self.row(t.load(node.id), j)
            for field, value in list(gast.iter_fields(node)):
                if isinstance(value, list):
                    setattr(node, field, [one(x) if isinstance(x, gast.AST) else x for x in value])
                elif isinstance(value, gast.AST) and not isinstance(value, gast.expr_context):
                    setattr(node, field, one(value))
            return node

        value = one(t.clone(s.value))
        self.batched.add(name)
        if not isinstance(self.number(t.load(name)) if name in self.facts.kinds else None, k.Num):
            raise Alone("a tangent of an unknown structure")
        return [t.assign(rows, gast.List(elts=[], ctx=t.LOAD), origin),
                t.for_(j, t.call(self.unit.use(range, "range"), self.directions()), [
                    t.effect(t.method(rows, "append", value), origin)], origin),
                t.assign(name, self.numpy("stack", t.load(rows)), origin)]

    def called_by(self, node: Any) -> list[str]:
        """The names whose methods a call changes: pop of a list."""
        changing = isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr in LIST_METHODS
        return t.reads(node.func.value) if changing else []

    def row(self, node: gast.Name, j: str) -> Any:
        """One direction of a batch."""
        if isinstance(self.number(node), k.Num):
            return t.subscript(node, t.load(j))
        raise Alone("a tangent of an unknown structure")


def of_numbers(function: Any) -> bool:
    """Whether an elementwise function takes no arrays."""
    return getattr(function, "__module__", None) in ("math", "cmath", "builtins")
