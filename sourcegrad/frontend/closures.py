"""Nested functions and lambdas become functions of their own that take what they capture as leading arguments.

`def g(t): return a * t` called as `g(u)` becomes a call `g(a, u)` of the lifted function: the captured values are
those at the call, as in Python. Where a nested function is used as a value (handed to another function), the
value at run time is the tuple of captured values and the code is known from its kind (`maker`).
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.errors import UnsupportedError
from sourcegrad.frontend.resolve import Function, Scope, Unit, free_names, local_names


@dataclass(eq=False)
class Maker:
    """Makes the closure value of a lifted function or partial; its kind tells which function it is."""

    function: Any
    captured: list[str]
    keywords: tuple[str, ...] = ()
    __sourcegrad_callable__ = True

    def __call__(self, *values: Any) -> tuple:
        return values


def closures(unit: Unit) -> Unit:
    """Lift every nested function and lambda out of the function."""
    _name_lambdas(unit)
    nested = [n for s in t.statements(unit.tree.body) for n in [s] if isinstance(n, gast.FunctionDef)]
    lambdas = any(isinstance(n, gast.Lambda) for s in unit.tree.body for n in t.walk(s))
    if nested or lambdas:
        _Lift(unit, nested).run()
    return unit


def _name_lambdas(unit: Unit) -> None:
    """`g = lambda x: e` is `def g(x): return e`."""
    for s in t.statements(unit.tree.body):
        for field in t.BLOCKS:
            block = getattr(s, field, None)
            if isinstance(block, list):
                block[:] = [_as_def(item) for item in block]
    unit.tree.body = [_as_def(item) for item in unit.tree.body]


def _as_def(s: Any) -> Any:
    if isinstance(s, gast.Assign) and isinstance(s.value, gast.Lambda) and isinstance(s.targets[0], gast.Name):
        origin = t.origin_of(s)
        return t.function(s.targets[0].id, s.value.args, [t.return_(s.value.body, origin)], origin)
    return s


class _Lift:
    def __init__(self, unit: Unit, nested: list) -> None:
        self.unit = unit
        self.local = local_names(unit.tree)
        counts: dict[str, int] = {}
        for s in t.statements(unit.tree.body):
            for name in ([s.name] if isinstance(s, gast.FunctionDef) else t.writes(s)):
                counts[name] = counts.get(name, 0) + 1
        self.counts = counts
        self.looped = {n for s in t.statements(unit.tree.body) if isinstance(s, (gast.For, gast.While))
                       for x in t.statements([s]) for n in t.writes(x)}
        self.defaults = {id(n): self._fix_defaults(n) for n in nested}
        self.direct = {n.name: n for n in nested if counts[n.name] == 1 and n.name not in unit.parameters}
        self.captured = {name: self._captures(node) for name, node in self.direct.items()}
        self._close_over_siblings()
        self.lifted: dict[str, Function] = {}

    def _fix_defaults(self, node: Any) -> list:
        """A default that is computed is evaluated at the `def`, and then captured like any other value."""
        fixed: list = []
        origin = t.origin_of(node)
        args = node.args
        count = len(args.args) - len(args.defaults)
        pairs = list(zip(args.args[count:], args.defaults))
        for parameter, default in pairs:
            if isinstance(default, (gast.Constant, gast.UnaryOp)):
                continue
            name = self.unit.names.fresh(f"{parameter.id}_default")
            fixed.append(t.assign(name, default, origin))
            own = parameter.id
            args.args.remove(parameter)
            args.defaults.remove(default)
            for s in node.body:
                t.rename(s, lambda n, own=own, name=name: name if n == own else n)
            self.local.add(name)
            self.counts[name] = 1
        return fixed

    def _captures(self, node: Any) -> list[str]:
        return [n for n in free_names(node) if n in self.local]

    def _close_over_siblings(self) -> None:
        """A function that calls a sibling captures what the sibling captures."""
        changed = True
        while changed:
            changed = False
            for names in self.captured.values():
                for other in [n for n in names if n in self.direct]:
                    extra = [n for n in self.captured[other] if n not in names]
                    if extra:
                        names.extend(extra)
                        changed = True
        for name, names in self.captured.items():
            self.captured[name] = [n for n in names if n not in self.direct]

    def run(self) -> None:
        for name, node in self.direct.items():
            self.lifted[name] = self._lift(node, self.captured[name])
        for name, function in self.lifted.items():
            function.scope.bound.update(self._bound())
            self.unit.env[name] = function
        self.unit.tree.body = self._block(self.unit.tree.body)

    def _bound(self) -> dict[str, Any]:
        """Sibling functions (which inner functions call with the captured values first) and known objects."""
        return {**self.unit.env, **self.lifted}

    def _lift(self, node: Any, captured: list[str]) -> Function:
        new = t.clone(node)
        new.origin = t.origin_of(node) or t.origin_of(self.unit.tree)
        new.args.args = [t.parameter(n) for n in captured] + new.args.posonlyargs + new.args.args
        new.args.posonlyargs = []
        if isinstance(new, gast.Lambda):
            new = t.function("lambda_", new.args, [t.return_(new.body, new.origin)], new.origin)
        inner = _Calls(self, local_names(new) - set(self.direct))
        new.body = [inner.visit(s) for s in new.body]
        scope = self.unit.function.scope
        return Function(new.name, new, Scope(scope.globals, scope.cells, {**scope.bound, **self.unit.env}))

    def _block(self, block: list) -> list:
        result = []
        for s in block:
            if isinstance(s, gast.FunctionDef):
                result += self.defaults[id(s)]
                if s.name in self.direct:
                    continue
                function = self._lift(s, self._captures(s))
                function.scope.bound.update(self._bound())
                value = self.value(function, self._captures(s), s)
                result.append(t.assign(s.name, value, t.origin_of(s)))
                continue
            for field in t.BLOCKS:
                inner = getattr(s, field, None)
                if isinstance(inner, list) and inner:
                    setattr(s, field, self._block(inner))
            result.append(_Calls(self, set(), t.origin_of(s)).header(s))
        return result

    def value(self, function: Function, captured: list[str], node: Any) -> gast.expr:
        """The closure value: captured values are taken now, so they must not change later."""
        for name in captured:
            if self.counts.get(name, 0) + (name in self.unit.parameters) + (name in self.looped) > 1:
                raise UnsupportedError(
                    f"the inner function '{function.name}' is used as a value and captures '{name}', which is "
                    "assigned more than once", function.origin,
                    f"Give '{name}' a new name at its second assignment, or pass it as an argument.")
        maker = self.unit.use(Maker(function, captured), self.unit.names.fresh(f"{function.name}_closure"))
        return t.call(maker, *(t.load(n) for n in captured))


class _Calls(gast.NodeTransformer):
    """Rewrite uses of lifted functions: direct calls get the captured values first, other uses become values."""

    def __init__(self, lift: _Lift, hidden: set[str], origin: Any = None) -> None:
        self.lift, self.hidden, self.origin = lift, hidden, origin

    def header(self, s: Any) -> Any:
        """Rewrite a statement but not the blocks inside it."""
        if isinstance(s, (gast.If, gast.While)):
            s.test = self.visit(s.test)
        elif isinstance(s, gast.For):
            s.iter = self.visit(s.iter)
        else:
            return self.visit(s)
        return s

    def _known(self, node: Any) -> bool:
        return isinstance(node, gast.Name) and node.id in self.lift.direct and node.id not in self.hidden

    def visit_Call(self, node: gast.Call) -> Any:
        handed = not isinstance(node.func, gast.Attribute)       # f(g): called before anything can change
        looped, counts = self.lift.looped, self.lift.counts
        if handed:
            self.lift.looped, self.lift.counts = set(), {}
        node.args = [self.visit(a) for a in node.args]
        self.lift.looped, self.lift.counts = looped, counts
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        if self._known(node.func):
            node.args = [t.load(n) for n in self.lift.captured[node.func.id]] + node.args
        else:
            node.func = self.visit(node.func)
        return node

    def visit_Name(self, node: gast.Name) -> Any:
        if isinstance(node.ctx, gast.Load) and self._known(node):
            name = node.id
            function = self.lift.lifted.get(name)
            if function is None:                # still lifting its siblings
                raise UnsupportedError(f"the inner function '{name}' is used as a value inside another inner function",
                                       t.origin_of(self.lift.direct[name]), "Call it there, or pass it as an argument.")
            return self.lift.value(function, self.lift.captured[name], node)
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        inner = _Calls(self.lift, self.hidden | local_names(node), self.origin)
        node.body = [inner.visit(s) for s in node.body]
        return node

    def visit_Lambda(self, node: gast.Lambda) -> Any:
        if self.origin is None:                 # inside a lifted function: its own turn comes later
            inner = _Calls(self.lift, self.hidden | local_names(node))
            node.body = inner.visit(node.body)
            return node
        captured = self.lift._captures(node)
        captured = [n for n in captured if n not in self.lift.direct] + [
            n for d in captured if d in self.lift.direct for n in self.lift.captured[d]]
        captured = list(dict.fromkeys(captured))
        function = self.lift._lift(node, captured)
        function.scope.bound.update(self.lift._bound())
        return self.lift.value(function, captured, node)
