"""The adjoint of one assignment: contributions to the adjoints of what its right-hand side reads."""
from __future__ import annotations

import operator
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime, source, tree as t
from sourcegrad.analysis import calls
from sourcegrad.analysis.activity import missing_rule
from sourcegrad.analysis.infer import OPERATORS
from sourcegrad.errors import UnsupportedError
from sourcegrad.frontend.closures import Maker
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE
from sourcegrad.rules.methods import SHAPE_ATTRIBUTES
from sourcegrad.transform.shapes import fit
from sourcegrad.transform.substitute import Substitution


class Adjoint:
    """The adjoint of one assignment `name = value`."""

    def __init__(self, reverse: Any, s: gast.Assign, name: str) -> None:
        self.r, self.s, self.name = reverse, s, name
        self.origin = t.origin_of(s)
        self.unit = reverse.unit
        self.ct = reverse.bar(name)
        self.statements: list = []
        self.contributions: list[tuple[str, gast.expr, gast.expr | None]] = []   # name, value, index
        self.before: list = []
        self.forward: list = []

    def kind_of(self, node: Any) -> k.Kind | None:
        return self.r.facts.kinds.get(self.name) if t.is_name(node, self._OUT) else self.r.facts.of(node)

    def add(self, node: Any, value: gast.expr | None) -> None:
        """A contribution to the adjoint of the name that an argument expression is."""
        if value is not None and isinstance(node, gast.Name) and node.id in self.r.varied:
            self.contributions.append((node.id, value, None))

    def value(self, value: Any) -> None:
        """Collect the contributions of the right-hand side."""
        ct = t.load(self.ct)
        if isinstance(value, gast.Name):
            self.add(value, ct)
        elif isinstance(value, (gast.Tuple, gast.List)):
            for position, item in enumerate(value.elts):
                self.add(item, t.subscript(t.load(self.ct), t.const(position)))
        elif isinstance(value, gast.Dict):
            for key, item in zip(value.keys, value.values):
                self.add(item, t.subscript(t.load(self.ct), t.clone(key)))
        elif isinstance(value, gast.BinOp):
            self.primitive(OPERATORS[type(value.op)], [value.left, value.right], {})
        elif isinstance(value, gast.UnaryOp):
            self.primitive(OPERATORS[type(value.op)], [value.operand], {})
        elif isinstance(value, gast.Subscript):
            first = new_axes(value.slice)
            if first is not None and isinstance(self.r.kind(value.value.id), k.Num):
                self.add(value.value, t.subscript(ct, first))
            elif value.value.id in self.r.varied:
                self.contributions.append((value.value.id, ct, value.slice))
        elif isinstance(value, gast.Attribute):
            self.attribute(value)
        elif isinstance(value, gast.Call):
            self.call(value)

    def attribute(self, value: gast.Attribute) -> None:
        if f"attribute {value.attr}" in RULES:
            self.primitive(f"attribute {value.attr}", [value.value], {})
        elif value.attr not in SHAPE_ATTRIBUTES:
            raise UnsupportedError(f"the attribute '.{value.attr}' of a value that depends on the inputs",
                                   source.locate(value, self.origin), "Pass the array itself as an argument.")

    def call(self, value: gast.Call) -> None:
        target = calls.target_of(value, self.unit, self.r.facts.of)
        if isinstance(target.object, Maker):
            for position, item in enumerate(value.args):
                self.add(item, t.subscript(t.load(self.ct), t.const(position)))
        elif target.object in RULES:
            self.primitive(target.object, target.args, target.keywords, value)
        elif target.function is not None:
            self.user_call(value, target)

    def primitive(self, function: Any, args: list, keywords: dict, node: Any = None) -> None:
        if function in ZERO_DERIVATIVE:
            return
        node = node or self.s.value
        facts = self.r.facts
        kinds = [facts.of(a) for a in args]
        if function in RULES and any(isinstance(x, (k.Lst, k.Tup)) for x in kinds) and isinstance(node, gast.BinOp):
            self.sequences(node, kinds)
            return
        if function in (operator.mul, np.multiply) and len(args) == 2 and t.is_name(args[0]) and t.same(args[0], args[1]):
            function, args = np.square, args[:1]               # one contribution instead of two equal ones
        if any(isinstance(x, (k.Obj, k.Fn)) for x in kinds) and isinstance(node, gast.BinOp):
            raise UnsupportedError("an operator of a class", source.locate(node, self.origin),
                                   "Call a function or method that computes with arrays.")
        rule = RULES.get(function)
        if rule is None:
            name = source.expression_text(node)
            raise missing_rule(f"`{name}`", "x, y", source.locate(node, self.origin))
        target = calls.Target(function, args, keywords)
        try:
            bound = calls.bind_rule(rule, target)
        except TypeError as problem:
            name = source.expression_text(node.func) if isinstance(node, gast.Call) else rule.name
            raise UnsupportedError(f"this form of {name} has no derivative rule: {problem}",
                                   source.locate(node, self.origin),
                                   f"The rule takes ({', '.join(rule.parameters)}).") from None
        substitution = Substitution(rule, self.unit, bound, self.ct, self._OUT, self.kind_of, self.origin)
        statements, contributions = substitution.run()
        self.statements += statements
        out_kind = facts.kinds.get(self.name, k.ANY)
        for name, contribution in zip(rule.parameters, contributions):
            if contribution is None or name not in bound:
                continue
            argument = bound[name]
            if isinstance(argument, tuple):                       # *operands
                self.variadic(argument, contribution)
                continue
            if not isinstance(argument, gast.Name) or argument.id not in self.r.varied:
                continue
            kind = facts.kinds.get(argument.id, k.ANY)
            if self.name in self.r.guarded and rule.singular:
                contribution = t.call(self.r.helper(runtime.guard), t.load(self.ct), contribution)
            contribution = fit(contribution, argument, kind, out_kind, rule.elementwise, self.unit)
            self.add(argument, contribution)

    def variadic(self, argument: tuple, contribution: gast.expr) -> None:
        nothing = isinstance(contribution, gast.List) and not contribution.elts
        if nothing or not any(isinstance(item, gast.Name) and item.id in self.r.varied for item in argument):
            return
        parts = self.unit.names.fresh("parts")
        self.statements.append(t.assign(parts, contribution, self.origin))
        for position, item in enumerate(argument):
            self.add(item, t.subscript(t.load(parts), t.const(position)))

    def sequences(self, node: gast.BinOp, kinds: list) -> None:
        """xs + ys of lists or tuples: the adjoint is split at the length of xs."""
        if not isinstance(node.op, gast.Add):
            raise UnsupportedError("this operation on lists", source.locate(node, self.origin), "Use a comprehension.")
        size = t.call("len", t.clone(node.left))
        self.add(node.left, t.subscript(t.load(self.ct), gast.Slice(lower=None, upper=size, step=None)))
        self.add(node.right, t.subscript(t.load(self.ct), gast.Slice(lower=t.clone(size), upper=None, step=None)))

    def user_call(self, value: gast.Call, target: calls.Target) -> None:
        """A call of a user function becomes a call of its forward half; its reverse half gives the contributions."""
        facts = self.r.facts
        function = target.function
        try:
            bound = calls.bind(function, target, self.unit)
        except TypeError as problem:
            raise UnsupportedError(str(problem), source.locate(value, self.origin)) from None
        arguments = [t.clone(node) for node in bound.values()]
        kinds = {name: facts.of(node) for name, node in zip(bound, arguments)}
        active = tuple(name for name, node in zip(bound, arguments)
                       if any(n in self.r.varied for n in t.reads(node)) and not k.is_discrete(kinds[name] or k.ANY))
        pair = self.r.pair(function, kinds, active)
        saved = self.unit.names.fresh(f"{function.name}_saved")
        forward = self.unit.use(pair.forward, pair.forward.__name__)
        self.forward.append(t.unpack([self.name, saved], t.call(forward, *(t.clone(a) for a in arguments)), self.origin))
        kept: gast.expr = t.load(saved)
        if self.r.depth:
            tape = self.r.tape(saved)
            self.forward.append(t.effect(t.method(tape, "append", t.load(saved)), self.origin))
            self.statements.append(t.assign(saved, t.method(tape, "pop"), self.origin))
        back = t.call(self.unit.use(pair.reverse, pair.reverse.__name__), kept, t.load(self.ct))
        if len(pair.active) == 1:
            self.add_nested(dict(zip(bound, arguments))[pair.active[0]], back)
            return
        names = [self.unit.names.fresh(f"{name}_part") for name in pair.active]
        self.statements.append(t.unpack(names, back, self.origin))
        for name, part in zip(pair.active, names):
            self.add_nested(dict(zip(bound, arguments))[name], t.load(part))

    def add_nested(self, node: Any, part: gast.expr) -> None:
        """Contribution to an argument that may be a display of names (the tuple for *args)."""
        if isinstance(node, gast.Tuple):
            if not isinstance(part, gast.Name):
                name = self.unit.names.fresh("part")
                self.statements.append(t.assign(name, part, self.origin))
                part = t.load(name)
            for position, item in enumerate(node.elts):
                self.add_nested(item, t.subscript(t.clone(part), t.const(position)))
        elif isinstance(node, gast.Dict):
            if not isinstance(part, gast.Name):
                name = self.unit.names.fresh("part")
                self.statements.append(t.assign(name, part, self.origin))
                part = t.load(name)
            for key, item in zip(node.keys, node.values):
                self.add_nested(item, t.subscript(t.clone(part), t.clone(key)))
        else:
            self.add(node, part)

    # --- order: new value, old values, contributions

    def finish(self, live: set[str], restores: list) -> list:
        """The adjoint statements with the restoring of overwritten values put where both sides are right."""
        read = {n for s in self.statements for n in t.header_reads(s)} | {
            n for s in t.statements(self.statements) for n in t.header_reads(s)} | {
            n for _, value, index in self.contributions for n in t.reads(value) + t.reads(index)}
        own = [n for n, *_ in self.contributions]
        reads_new = self._reads_out()
        reads_old = self.name in t.reads(self.s.value) and self._reads_argument(read)
        if restores and reads_new and reads_old:
            new = self.unit.names.fresh(f"{self.name}_new")
            copy = t.assign(new, t.load(self.name), self.origin)
            self._rename_out(new)
            head, tail = [copy, *restores], []
        elif restores and reads_new:
            head, tail = [], restores
        else:
            head, tail = restores, []
        self._settle_out()
        result = head + self.statements
        if own.count(self.name) > 1:
            result += self._separate()
        for name, value, index in sorted(self.contributions, key=lambda c: c[0] == self.name):
            if index is not None:
                result += self.r.scatter(name, t.clone(index), value, live, self.origin)
            else:
                result += self.r.accumulate(name, value, live, self.origin)
        return result + tail

    _OUT = "out "             # stands for the new value until it is known whether it needs a copy

    def _reads_out(self) -> bool:
        return any(self._OUT == n for part in self._texts() for n in t.reads(part))

    def _texts(self) -> list:
        return self.statements + [v for _, v, _ in self.contributions]

    def _reads_argument(self, read: set[str]) -> bool:
        return self.name in read

    def _rename_out(self, new: str) -> None:
        for part in self._texts():
            t.rename(part, lambda n: new if n == self._OUT else n)

    def _settle_out(self) -> None:
        self._rename_out(self.name)

    def _separate(self) -> list:
        """Contributions to the target's own adjoint are computed before any is added: they all read it."""
        new = []
        for position, (name, value, index) in enumerate(self.contributions):
            if name != self.name or (isinstance(value, gast.Name) and value.id != self.ct):
                continue
            part = self.unit.names.fresh(f"{name}_part")
            new.append(t.assign(part, value, self.origin))
            self.contributions[position] = (name, t.load(part), index)
        return new


def new_axes(index: Any) -> Any:
    """For an index that only adds axes, x[:, None]: the index that takes them away again, [:, 0]. Else None."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    new = [isinstance(p, gast.Constant) and p.value is None for p in parts]
    kept = [isinstance(p, gast.Slice) and not (p.lower or p.upper or p.step) or (
        isinstance(p, gast.Constant) and p.value is Ellipsis) for p in parts]
    if not any(new) or not all(a or b for a, b in zip(new, kept)):
        return None
    return t.pack([t.const(0) if fresh else t.clone(p) for fresh, p in zip(new, parts)])
