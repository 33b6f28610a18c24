"""The text of a rule put into generated code: names replaced, static conditions evaluated away."""
from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.activity import parsed
from sourcegrad.analysis.locations import reached
from sourcegrad.errors import Origin
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.source import rule_signature
from sourcegrad.ir.unit import Unit
from sourcegrad.kinds import results
from sourcegrad.primitives import core
from sourcegrad.primitives.adjoint_kinds import NARROW

UNDECIDED = object()
COMPARE = {gast.Eq: operator.eq, gast.NotEq: operator.ne, gast.Lt: operator.lt, gast.LtE: operator.le,
           gast.Gt: operator.gt, gast.GtE: operator.ge, gast.Is: operator.is_, gast.IsNot: operator.is_not,
           gast.In: lambda a, b: a in b, gast.NotIn: lambda a, b: a not in b}


class Static:
    """Partial evaluation of expressions in the text of a rule. `kinds`: of parameters and locals; `out_kind()`: of the result."""

    def __init__(self, source: Unit, kinds: dict[str, k.Kind], out_kind: Callable) -> None:
        self.source, self.kinds, self.out_kind = source, kinds, out_kind

    def of(self, node: Any) -> Any:
        """The value of an expression that is decided now, or UNDECIDED."""
        if isinstance(node, gast.Constant):
            return node.value
        if isinstance(node, gast.Name):
            kind = self.kinds.get(node.id)
            if kind is not None:
                return _constant(kind)
            return UNDECIDED
        handler = getattr(self, "of_" + type(node).__name__, None)
        return handler(node) if handler else UNDECIDED

    def of_Tuple(self, node: gast.Tuple) -> Any:
        parts = [self.of(item) for item in node.elts]
        return UNDECIDED if any(p is UNDECIDED for p in parts) else tuple(parts)

    def of_UnaryOp(self, node: gast.UnaryOp) -> Any:
        value = self.of(node.operand)
        if value is UNDECIDED:
            return UNDECIDED
        if isinstance(node.op, gast.Not):
            return not value
        if isinstance(node.op, gast.USub) and isinstance(value, (int, float)):
            return -value
        return UNDECIDED

    def of_BinOp(self, node: gast.BinOp) -> Any:
        left, right = self.of(node.left), self.of(node.right)
        operations = {gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul, gast.Div: operator.truediv}
        if UNDECIDED in (left, right) or type(node.op) not in operations:
            return UNDECIDED
        if not all(isinstance(v, (int, float)) for v in (left, right)):
            return UNDECIDED
        try:
            return operations[type(node.op)](left, right)
        except ZeroDivisionError:
            return UNDECIDED

    def of_Compare(self, node: gast.Compare) -> Any:
        values = [self.operand(v) for v in (node.left, *node.comparators)]
        if len(node.ops) == 1 and isinstance(node.ops[0], (gast.Is, gast.IsNot)) and values[1] is None:
            if values[0] is UNDECIDED and self._not_none(node.left):
                return isinstance(node.ops[0], gast.IsNot)
        if any(v is UNDECIDED for v in values):
            return UNDECIDED
        try:
            return all(COMPARE[type(op)](a, b) for op, a, b in zip(node.ops, values, values[1:]))
        except TypeError:
            return False                          # ndim(x) >= 2 with an unknown rank: take the general case

    def operand(self, node: Any) -> Any:
        """The static value of what is compared: the constants of a module, too, which keep their names elsewhere."""
        if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
            value = self.operand(node.operand)
            return -value if type(value) in (int, float) else self.of(node)
        value = self.source.lookup(node) if isinstance(node, gast.Attribute) else MISSING
        return value if type(value) in (int, float) else self.of(node)

    def _not_none(self, node: Any) -> bool:
        kind = self.kinds.get(node.id) if isinstance(node, gast.Name) else None
        return isinstance(kind, (k.Num, k.Tup, k.Lst))

    def of_BoolOp(self, node: gast.BoolOp) -> Any:
        stop = isinstance(node.op, gast.Or)
        undecided = False
        for part in node.values:
            value = self.of(part)
            if value is UNDECIDED:
                undecided = True
            elif bool(value) is stop:
                return stop
        return UNDECIDED if undecided else not stop

    def of_IfExp(self, node: gast.IfExp) -> Any:
        truth = self.of(node.test)
        return UNDECIDED if truth is UNDECIDED else self.of(node.body if truth else node.orelse)

    def of_Attribute(self, node: gast.Attribute) -> Any:
        if node.attr == "ndim" and isinstance(node.value, gast.Name) and node.value.id in self.kinds:
            return self.rank(node.value, UNDECIDED)
        return UNDECIDED

    def of_Call(self, node: gast.Call) -> Any:
        function = self.source.lookup(node.func)
        if function is core.ndim:
            return self.rank(node.args[0], None)
        if function is core.is_complex:
            kind = self.kind(node.args[0])
            return kind.is_complex if isinstance(kind, k.Num) else None
        if function is core.is_narrow:
            kind = self.kind(node.args[0])
            return isinstance(kind, k.Num) and kind.dtype in NARROW
        if function is core.is_known:
            return reached(self.kinds.get(node.args[0].id) or k.ANY) is not None
        if function is core.is_sequence:
            kind = self.kind(node.args[0])
            return isinstance(kind, (k.Lst, k.Tup)) or isinstance(kind, k.Num) and kind.boxed is True
        if function is core.hold_alike:
            container, value = (self.kinds.get(a.id) if isinstance(a, gast.Name) else None for a in node.args)
            return _hold_alike(container, k.as_num(value) if value is not None else None)
        if function is getattr(core, "constant_value", MISSING):
            value = self.of(node.args[0])
            return value if type(value) in (int, float) else None
        if function is isinstance and isinstance(node.args[0], gast.Name) and isinstance(node.args[1], (gast.Name, gast.Tuple)):
            return self._isinstance(node)
        if function is runtime.refuse:                       # told later, if the contribution is needed
            return UNDECIDED
        if (getattr(function, "__module__", None) or "").startswith("sourcegrad.runtime") and not node.keywords:
            values = [self.of(a) for a in node.args]         # a question about constants (einsum subscripts)
            if not any(v is UNDECIDED for v in values):
                answer = function(*values)
                return answer if _plain(answer) else UNDECIDED
        if function is len:
            value = self.of(node.args[0])
            if isinstance(value, (tuple, list, str)):
                return len(value)
            kind = self.kinds.get(node.args[0].id) if isinstance(node.args[0], gast.Name) else None
            return len(kind.items) if isinstance(kind, k.Tup) else UNDECIDED
        return UNDECIDED

    def _isinstance(self, node: gast.Call) -> Any:
        from sourcegrad.analysis.python_types import python_type
        kind = self.kinds.get(node.args[0].id)
        actual = python_type(kind) if kind is not None else None
        wanted = node.args[1].elts if isinstance(node.args[1], gast.Tuple) else [node.args[1]]
        objects = [self.source.lookup(w) for w in wanted]
        objects = [self.source.function.scope.lookup(w.id) if o is MISSING and isinstance(w, gast.Name) else o
                   for o, w in zip(objects, wanted)]
        if actual is None or not all(isinstance(o, type) for o in objects):
            return UNDECIDED
        return issubclass(actual, tuple(objects))

    def kind(self, node: Any) -> Any:
        if isinstance(node, gast.Name) and node.id in self.kinds:
            return k.as_num(self.kinds[node.id])
        if isinstance(node, gast.Name) and node.id in ("out", "ct"):
            return k.as_num(self.out_kind())
        return None

    def rank(self, node: Any, unknown: Any) -> Any:
        kind = self.kind(node)
        return kind.ndim if isinstance(kind, k.Num) and kind.ndim is not None else unknown


class Substitution:
    """One use of a rule. `bound`: parameter -> expression; `kind_of`: kind of an expression in the caller. forward: the
    rule is used for tangents, to which the conjugations of a rule for cotangents do not belong."""

    def __init__(self, rule: core.Rule, unit: Unit, bound: dict[str, Any], ct: str, out: str, kind_of: Any,
                 origin: Origin | None, forward: bool = False) -> None:
        self.forward = forward
        self.rule, self.unit, self.kind_of, self.origin = rule, unit, kind_of, origin
        self.source = parsed(rule)
        self.values: dict[str, Any] = {"ct": t.load(ct), "dot": t.load(ct), "out": t.load(out)}
        self.kinds: dict[str, k.Kind] = {}
        real = getattr(rule.primitives[0], "__module__", None) == "math"         # it takes nothing but real numbers
        for name, parameter in rule_signature(rule.function).parameters.items():
            if parameter.kind is parameter.VAR_POSITIONAL:
                items = list(bound.get(name, ()))
                self.values[name] = t.pack(items)
                self.kinds[name] = k.Tup(tuple(kind_of(item) for item in items))
            elif name in bound:
                self.values[name] = bound[name]
                self.kinds[name] = kind_of(bound[name])
                if real and self.kinds[name] is k.ANY:
                    self.kinds[name] = k.FLOAT
                kind = self.kinds[name]
                if isinstance(kind, k.Tup) and rule.elementwise:
                    self.kinds[name] = k.Lst(k.common(kind.items))                     # compared item by item
            else:
                default = parameter.default
                self.values[name] = t.const(default) if _plain(default) else t.dotted(
                    unit.use(default, getattr(default, "__name__", name)))
                self.kinds[name] = k.Const(default)
        self.static = Static(self.source, self.kinds, partial(kind_of, self.values["out"]))
        self.names: dict[str, str] = {}

    def run(self) -> tuple[list, list]:
        """(statements, contributions): one expression or None per leading parameter."""
        return self.block([s for s in self.source.tree.body if not t.is_comment(s)])

    def block(self, block: list) -> tuple[list, list]:
        new: list = []
        for position, s in enumerate(block):
            if isinstance(s, gast.Return):
                parts = s.value.elts if isinstance(s.value, gast.Tuple) else [s.value]
                return new, [None if _is_none(p) else self.expression(p) for p in parts]
            if isinstance(s, gast.If):
                truth = self.static.of(s.test)
                rest = block[position + 1:]
                if truth is UNDECIDED:
                    more, contributions = self.residual(s, rest)
                    return new + more, contributions
                more, contributions = self.block((s.body if truth else s.orelse) + rest)
                return new + more, contributions
            if isinstance(s, gast.Assign):
                if isinstance(s.targets[0], gast.Name) and self.alias(s.targets[0].id, s.value):
                    continue
                value = self.expression(s.value)
                targets = [self.local(n) for n in t.target_names(s.targets[0])]
                new.append(t.unpack(targets, value, self.origin) if isinstance(s.targets[0], gast.Tuple)
                           else t.assign(targets[0], value, self.origin))
            elif not isinstance(s, gast.Expr):
                raise TypeError(f"{type(s).__name__} in the rule {self.rule.name}: see docs/rules.md")
        return new, []

    def alias(self, name: str, value: Any) -> bool:
        """`lower = a_min if min is None else min`: a local that only names a parameter or a constant."""
        while isinstance(value, gast.IfExp):
            truth = self.static.of(value.test)
            if truth is UNDECIDED:
                return False
            value = value.body if truth else value.orelse
        if isinstance(value, gast.Name) and value.id in self.kinds:
            self.values[name], self.kinds[name] = self.values[value.id], self.kinds[value.id]
            return True
        known = self.static.of(value)
        if known is UNDECIDED or not _plain(known):
            return False
        self.values[name], self.kinds[name] = t.const(known), k.Const(known)
        return True

    def residual(self, s: gast.If, rest: list) -> tuple[list, list]:
        """A condition that is only known at run time stays."""
        test = self.expression(s.test)
        branches = [self.block(t.clone(s.body) + t.clone(rest)), self.block(t.clone(s.orelse) + t.clone(rest))]
        count = max(len(c) for _, c in branches)
        contributions: list = []
        blocks = [list(b) for b, _ in branches]
        for position in range(count):
            parts = [c[position] if position < len(c) else None for _, c in branches]
            if all(p is None for p in parts):
                contributions.append(None)
                continue
            name = self.unit.names.fresh("part")
            for block, part in zip(blocks, parts):
                value = part if part is not None else t.const(0.0)
                block.append(t.assign(name, value, self.origin))
            contributions.append(t.load(name))
        cond = self.unit.names.fresh("cond")
        return [t.assign(cond, test, self.origin), t.if_(t.load(cond), blocks[0], blocks[1], self.origin)], contributions

    def local(self, name: str) -> str:
        if name not in self.names:
            self.names[name] = self.unit.names.fresh(name)
        return self.names[name]

    # --- text

    def expression(self, node: Any) -> Any:
        value = self.static.of(node) if not isinstance(node, (gast.Constant, gast.Name)) else UNDECIDED
        if value is not UNDECIDED and _plain(value):
            return t.const(value)
        if isinstance(node, gast.IfExp):
            truth = self.static.of(node.test)
            if truth is not UNDECIDED:
                return self.expression(node.body if truth else node.orelse)
        if isinstance(node, gast.Call):
            function = self.source.lookup(node.func)
            if function is core.conj:
                return self.expression(node.args[0]) if self.forward else self.conj(node)
        if isinstance(node, gast.Name):
            if node.id in self.values:
                return t.clone(self.values[node.id])
            if node.id in self.names:
                return t.load(self.names[node.id])
        if isinstance(node, gast.Compare):
            parts = [self.compared(part) for part in (node.left, *node.comparators)]
            return gast.Compare(left=parts[0], ops=node.ops, comparators=parts[1:])
        known = self.source.lookup(node) if isinstance(node, (gast.Name, gast.Attribute)) else MISSING
        if known is not MISSING:
            return self.reference(node, known)
        if isinstance(node, gast.Name) and node.id not in _BUILTINS:
            value = self.source.function.scope.lookup(node.id)
            if value is not MISSING and _plain(value):
                return t.const(value)
        return self.children(node)

    def compared(self, node: Any) -> Any:
        """An operand of a comparison: Python compares a list as a whole."""
        value = self.expression(node)
        listed = isinstance(node, gast.Name) and isinstance(self.kinds.get(node.id), (k.Lst, k.Tup))
        return t.call(f"{self.unit.use(core.np, 'np')}.asarray", value) if listed else value

    def children(self, node: Any) -> Any:
        cls = node.__class__
        new = cls.__new__(cls)
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                value = _splice([self.child(v) for v in value])
            else:
                value = self.child(value)
            setattr(new, name, value)
        return new

    def child(self, value: Any) -> Any:
        if isinstance(value, gast.expr):
            return self.expression(value)
        if isinstance(value, gast.AST) and not isinstance(value, t.LEAVES):
            return self.children(value)
        return value

    def reference(self, node: Any, known: Any) -> Any:
        """A static name of the rule's module, under the name that the caller's module knows it by."""
        root = node
        path = []
        while isinstance(root, gast.Attribute):
            path.append(root.attr)
            root = root.value
        owner = self.source.env.get(root.id)
        if owner is not None:
            name = self.unit.use(owner, root.id)
            return t.dotted(".".join([name, *reversed(path)]))
        return t.clone(node)

    def conj(self, node: gast.Call) -> Any:
        operand = node.args[0]
        kind = self.kind(operand)
        inner = self.expression(operand)
        if kind is None or kind is False or kind == "real":
            return inner
        return t.call(f"{self.unit.use(core.np, 'np')}.conj", inner)

    def kind(self, node: Any) -> Any:
        """'real' or 'complex' for the operand of conj."""
        if isinstance(node, gast.Name):
            if node.id == "out":
                kind = k.as_num(self.kind_of(self.values["out"]))
            elif node.id in self.kinds:
                kind = k.as_num(self.kinds[node.id])
            else:
                kinds = [self.kinds.get(n) for n in self.kinds]
                return "real" if all(_real(x) for x in kinds) else "complex"
            return "real" if _real(kind) else "complex"
        return "real" if all(self.kind(t.load(n)) == "real" for n in t.reads(node)) else "complex"


def _real(kind: Any) -> bool:
    kind = k.as_num(kind)
    if isinstance(kind, k.Num):
        return kind.is_complex is False
    if isinstance(kind, k.Tup):
        return all(map(_real, kind.items))
    if isinstance(kind, k.Lst):
        return kind.item is None or _real(kind.item)
    return isinstance(kind, (k.Const, k.Obj))


def _constant(kind: k.Kind) -> Any:
    try:
        return results.constant(kind)
    except results.Unknown:
        return UNDECIDED


def _plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_plain, value))
    return value is None or isinstance(value, (bool, int, float, str, complex)) or value is Ellipsis


def _is_none(node: Any) -> bool:
    return isinstance(node, gast.Constant) and node.value is None


def _splice(items: list) -> list:
    """f(*operands) with the operands written out becomes f(a, b)."""
    result: list = []
    for item in items:
        if isinstance(item, gast.Starred) and isinstance(item.value, gast.Tuple):
            result += item.value.elts
        else:
            result.append(item)
    return result


_BUILTINS = {"len", "range", "tuple", "list", "isinstance", "int", "float", "complex", "slice", "min", "max", "abs",
             "sum", "bool", "str", "zip", "enumerate", "reversed"}


def _hold_alike(container: Any, value: Any) -> bool:
    """Whether all that a list or dict holds has certainly the shape of a value, as far as kinds tell."""
    items: list = [None]
    if isinstance(container, k.Dct):
        items = [kind for _, kind in container.items]
    elif isinstance(container, (k.Lst, k.Map)):
        items = [container.item]
    known = isinstance(value, k.Num) and value.dims is not None and None not in value.dims
    return known and all(isinstance(item, k.Num) and item.dims == value.dims for item in items)
