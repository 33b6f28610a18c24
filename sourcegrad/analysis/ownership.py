"""Which names of generated code own their array: nobody else can hold it, so it may change in place."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, tree as t
from sourcegrad.analysis.aliasing import may_share
from sourcegrad.frontend.resolve import MISSING, Unit
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE
from sourcegrad.rules.methods import METHODS

class Ownership:
    """`owned`: names all of whose values are new arrays that no other name, list or callee has seen."""

    def __init__(self, unit: Unit, kinds: dict[str, k.Kind]) -> None:
        self.unit, self.kinds = unit, kinds
        self.owned: set[str] = set()

    def run(self, body: list, parameters: list[str]) -> Ownership:
        defined: dict[str, bool] = {n: False for n in parameters}
        captured: set[str] = set()
        for s in t.statements(body):
            found = t.list_method(s)
            if found is not None and found[1] == "append":
                captured |= self.held(s.value.args[0])
            if isinstance(s, gast.Assign):
                target = s.targets[0]
                fresh = isinstance(target, gast.Name) and self.fresh(s.value)
                for name in t.writes(s):
                    defined[name] = defined.get(name, True) and (fresh or self.is_self_update(s, name))
                if not (isinstance(target, gast.Name) and t.is_name(s.value, target.id)):
                    captured |= self.held(s.value)
            elif isinstance(s, gast.Expr) and found is None:
                captured |= self.held(s.value)
            elif isinstance(s, gast.For):
                for name in t.writes(s):
                    defined[name] = False
        self.owned = {n for n, fresh in defined.items() if fresh} - captured
        return self

    def is_self_update(self, s: gast.Assign, name: str) -> bool:
        return name in self.unit.unset and isinstance(s.value, gast.Constant)

    def function(self, node: gast.Call) -> Any:
        found = self.unit.lookup(node.func)
        if found is MISSING and isinstance(node.func, gast.Attribute) and node.func.attr in METHODS:
            return METHODS[node.func.attr].function
        if found is MISSING and isinstance(node.func, gast.Name):
            import builtins
            return getattr(builtins, node.func.id, MISSING)
        return found

    def known(self, function: Any) -> bool:
        try:
            return function in RULES or function in ZERO_DERIVATIVE
        except TypeError:
            return False

    def fresh(self, value: Any) -> bool:
        """Whether an expression gives an array that nothing else holds."""
        if isinstance(value, (gast.BinOp, gast.UnaryOp, gast.Constant, gast.List)):
            return True
        if isinstance(value, gast.Call):
            function = self.function(value)
            if not self.known(function):
                return False
            return not may_share(function) or not self.held(value)
        if isinstance(value, (gast.Attribute, gast.Subscript)):
            return not self.held(value)
        return False

    def held(self, value: Any) -> set[str]:
        """Names whose array the value of an expression may hold or be part of."""
        if isinstance(value, gast.Name):
            kind = k.as_num(self.kinds.get(value.id, k.ANY))
            scalar = isinstance(kind, k.Const) or (isinstance(kind, k.Num) and kind.is_scalar)
            return set() if scalar else {value.id}
        if isinstance(value, gast.Attribute):
            return set() if value.attr in ("shape", "ndim", "size", "dtype") else self.held(value.value)
        if isinstance(value, gast.Subscript):
            return self.held(value.value)
        if isinstance(value, (gast.Tuple, gast.List)):
            return set().union(*map(self.held, value.elts)) if value.elts else set()
        if isinstance(value, gast.Dict):
            return set().union(*map(self.held, value.values)) if value.values else set()
        if isinstance(value, gast.Starred):
            return self.held(value.value)
        if isinstance(value, gast.IfExp):
            return self.held(value.body) | self.held(value.orelse)
        if isinstance(value, gast.Call):
            function = self.function(value)
            if self.known(function) and not may_share(function):
                return set()
            parts = [*value.args, *(kw.value for kw in value.keywords)]
            if isinstance(value.func, gast.Attribute) and self.unit.lookup(value.func) is MISSING:
                parts.append(value.func.value)
            return set().union(*map(self.held, parts)) if parts else set()
        return set()
