"""`f(*xs)` and `f(**d)` of sequences and dicts whose length or keys are only known at run time.

The parameters of f tell what is wanted: those without default are there, the others may be. What is left over goes to the
star parameters of f. Python's error for a wrong number of arguments is raised where the code runs.
"""
from __future__ import annotations

import functools
import types
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.unit import Function, Unit


class NotYet(UnsupportedError):
    """What is called, or what a star stands for, is not known: it may be when other calls are spelled out."""


class Spread:
    """Spells out one call. args, keywords: those that are known; before: statements that take the others out."""

    def __init__(self, unit: Unit, target: call_targets.Target, node: Any, origin: Any) -> None:
        self.unit, self.node, self.origin = unit, node, origin
        self.function, self.skipped, self.bound = callee(target)
        self.before: list = []
        a = self.function.tree.args if self.function is not None else None
        self.positional = [p.id for p in (*a.posonlyargs, *a.args)][self.skipped:] if a is not None else []
        self.named = [n for n in self.positional if n not in {p.id for p in a.posonlyargs}] + [
            p.id for p in a.kwonlyargs] if a is not None else []
        self.defaults = call_targets.defaults(self.function) if self.function is not None else {}
        if target.plain is not None:                         # a namedtuple or dataclass: its fields
            fields = target.plain.parameters
            self.positional = [n for n in fields if n not in target.plain.keywords_only]
            self.named = list(fields)
            self.defaults = {n: default for n, default in fields.items() if default is not None}
        self.known = self.function is not None or bool(self.named)

    def taking(self, values: Any, args: list, behind: int, keywords: set[str]) -> list:
        """All positional arguments of `f(args, *values, ...)`, where some more may stand behind."""
        given = keywords | self.bound
        names = []
        for name in self.positional[len(args):len(self.positional) - behind]:
            if name in given:
                break
            names.append(name)
        least = sum(n not in self.defaults for n in names)
        most = None if self.function is not None and self.function.tree.args.vararg is not None else len(names)
        if not self.known or least != most and (behind or self.function is None):
            raise NotYet("`*` of something whose length is not known", source.locate(self.node, self.origin),
                                   "Pass the arguments one by one, or convert with tuple(...) a sequence of known length.")
        if least == most:
            if not names:
                return args
            taken = [self.unit.names.fresh(n) for n in names]
            self.before.append(t.unpack(taken, values, self.origin))
            return [*args, *map(t.load, taken)]
        result = list(args)
        helper = self.unit.use(runtime.given_count, "given_count")
        count = self.bind(t.call(helper, t.clone(values), t.const(least), t.const(most)), "count")
        for position, name in enumerate(names):
            item = t.subscript(t.clone(values), t.const(position))
            if name not in self.defaults:
                result.append(self.bind(item, name))
                continue
            test = self.bind(gast.Compare(left=t.clone(count), ops=[gast.Gt()], comparators=[t.const(position)]), "given")
            result.append(self.either(test, item, name))
        if most is None:
            self.rest(values, len(names), result)
        return result

    def rest(self, values: Any, taken: int, result: list) -> None:
        """What is left for the star parameter is one tuple."""
        if taken:
            values = self.bind(t.subscript(t.clone(values), gast.Slice(lower=t.const(taken), upper=None, step=None)), "rest")
        extra = self.bind(t.call("tuple", t.clone(values)), "rest")
        front = result[len(self.positional):]
        if front:
            first = self.bind(t.pack(front), "front")
            extra = self.bind(t.binop(first, gast.Add(), extra), "rest")
            extra = self.bind(t.call("tuple", extra), "rest")
            del result[len(self.positional):]
        result.append(t.starred(extra))

    def naming(self, mapping: Any, kind: Any, args: list, keywords: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        """The keyword arguments that `**mapping` stands for, and what is left over for `**` of the function."""
        possible = {key for key, _ in kind.items} if isinstance(kind, k.Dct) else None       # all keys that it may have
        given = {*self.positional[:len(args)], *keywords, *self.bound}
        names = [n for n in self.named if n not in given and (possible is None or n in possible or n not in self.defaults)]
        if not self.known or self.function is None and any(n in self.defaults for n in names):
            raise NotYet("`**` of something that is not a dict with known keys", source.locate(self.node, self.origin),
                         "Pass the arguments by name.")
        rest = self.function is not None and self.function.tree.args.kwarg is not None
        needed = [n for n in names if n not in self.defaults]
        if needed or not rest:
            helper = self.unit.use(runtime.check_keywords, "check_keywords")
            allowed = t.const(None) if rest else t.pack([t.const(n) for n in names])
            self.bind(t.call(helper, t.clone(mapping), t.pack([t.const(n) for n in needed]), allowed), "unused")
        found = {}
        for name in names:
            item = t.subscript(t.clone(mapping), t.const(name))
            if name in self.defaults:
                test = self.bind(gast.Compare(left=t.const(name), ops=[gast.In()], comparators=[t.clone(mapping)]), "given")
                found[name] = self.either(test, item, name)
            else:
                found[name] = self.bind(item, name)
        return found, self.left_over(mapping, names, keywords) if rest else None

    def left_over(self, mapping: Any, names: list[str], keywords: dict[str, Any]) -> Any:
        """A dict of its own of all keyword arguments that are no parameters."""
        if any(n not in self.named for n in keywords):
            raise UnsupportedError("`**` of a dict whose keys are not known next to other arguments of `**`",
                                   source.locate(self.node, self.origin), "Join them first: `options = {**options, ...}`.")
        left: Any = t.clone(mapping)
        for name in names:
            left = self.bind(t.call(self.unit.use(runtime.dict_discard, "dict_discard"), left, t.const(name)), "rest")
        return self.bind(t.call(self.unit.use(runtime.dict_copy, "dict_copy"), left), "rest")

    def either(self, test: Any, item: Any, name: str) -> Any:
        """What is given, or else the default of the parameter."""
        assert self.function is not None                     # nobody else has defaults
        default = call_targets._default(self.function, name, self.defaults[name], self.unit)
        result = self.unit.names.fresh(name)
        other: list = []
        if isinstance(default, gast.Subscript) and isinstance(default.value, gast.Attribute):
            owner = self.unit.names.fresh("defaults")
            other.append(t.assign(owner, default.value, self.origin))
            default = t.subscript(t.load(owner), default.slice)
        self.before.append(t.if_(test, [t.assign(result, item, self.origin)],
                                 [*other, t.assign(result, default, self.origin)], self.origin))
        return t.load(result)

    def bind(self, value: Any, base: str) -> Any:
        name = self.unit.names.fresh(base)
        self.before.append(t.assign(name, value, self.origin))
        return t.load(name)


def callee(target: call_targets.Target) -> tuple[Function | None, int, set[str]]:
    """The function with source that is called in the end, how many arguments are bound to it, and which by name."""
    function: Any = target.object
    skipped = 0
    bound: set[str] = set()
    if target.function is not None:
        return target.function, skipped, bound
    while True:
        if isinstance(function, k.Closure):
            skipped += len(function.items) - len(function.keywords)
            bound |= set(function.keywords)
            function = function.function
        elif isinstance(function, functools.partial):
            skipped += len(function.args)
            bound |= set(function.keywords)
            function = function.func
        elif isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
            skipped += 1
            function = function.__func__
        else:
            return call_targets.target_of_object(function, [], {}).function, skipped, bound
