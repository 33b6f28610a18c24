"""Kinds of calls of functions that are values: closures, partials, functions made while the code is generated."""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad import kind_functions, kinds as k, tree as t
from sourcegrad.analysis import calls
from sourcegrad.errors import SourcegradError
from sourcegrad.frontend.custom import CustomVjp, checkpoint
from sourcegrad.frontend.mapping import Vectorized
from sourcegrad.kinds import Kind


class CallableKinds:
    """The part of `Infer` that is about functions as values."""

    unit: Any
    solve: Any
    of: Any
    result_of: Any

    def _custom(self, custom: CustomVjp, target: calls.Target) -> Kind | None:
        """A function with its own adjoint may do anything: nothing is known of its value where its source tells nothing."""
        parts = {name: self.of(a) for name, a in (*enumerate(target.args), *target.keywords.items())}
        if any(p is None for p in parts.values()):
            return None
        try:
            function = calls.describe(custom.function)
            bound = calls.bind(function, target, self.unit)
            return self.solve(function, {name: self.of(a) for name, a in bound.items()})
        except (SourcegradError, TypeError):
            return k.ANY

    def _static(self, target: calls.Target) -> Kind | None:
        """sg.grad(f, "x") inside a function is evaluated now."""
        first = self.of(target.args[0]) if len(target.args) == 1 else None
        if target.object in (checkpoint, np.vectorize) and isinstance(first, k.Closure) and not target.keywords:
            key = (target.object, first.function)
            if key not in self.unit.statics:
                self.unit.statics[key] = checkpoint(first.function) if target.object is checkpoint else Vectorized(
                    first.function, len(first.items))
            made = self.unit.statics[key]
            return k.Closure(made, first.items, first.keywords)
        if isinstance(first, k.Closure) or target.args and isinstance(self.of(target.args[0]), k.Closure):
            return k.ANY                                     # of an inner function: refused with its place
        try:
            args = [_value(self.of(a)) for a in target.args]
            options = {name: _value(self.of(a)) for name, a in target.keywords.items()}
        except kind_functions.Unknown:
            return k.ANY
        call = (target.object, tuple(map(repr, args)), tuple(map(id, args)), repr(options))
        if call not in self.unit.statics:
            self.unit.statics[call] = target.object(*args, **options)
        return k.Fn(self.unit.statics[call])

    def _partial(self, target: calls.Target) -> Kind | None:
        """functools.partial(f, a, k=b) inside the function is a closure over a and b."""
        parts = [self.of(a) for a in (*target.args, *target.keywords.values())]
        if any(p is None for p in parts):
            return None
        first = parts[0]
        if isinstance(first, k.Fn):
            return k.Closure(first.value, tuple(parts[1:]), tuple(target.keywords))
        if not isinstance(first, k.Closure):
            return k.ANY
        split, count = len(first.items) - len(first.keywords), len(target.args)
        named = {**dict(zip(first.keywords, first.items[split:])), **dict(zip(target.keywords, parts[count:]))}
        return k.Closure(first.function, (*first.items[:split], *parts[1:count], *named.values()), tuple(named))

    def _closure_call(self, target: calls.Target, node: gast.Call) -> Kind | None:
        closure = target.object
        split = len(closure.items) - len(closure.keywords)
        args = [t.subscript(t.clone(node.func), t.const(j)) for j in range(split)]
        keywords = {name: t.subscript(t.clone(node.func), t.const(split + j)) for j, name in enumerate(closure.keywords)}
        inner = calls.target_of_object(closure.function, args + target.args, {**keywords, **target.keywords})
        return self.result_of(inner, node)


def _value(kind: Kind | None) -> Any:
    return kind.value if isinstance(kind, k.Fn) else kind_functions.constant(kind)
