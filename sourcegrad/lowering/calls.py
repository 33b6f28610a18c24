"""Specialisation on kinds: branches that cannot run go; star arguments, closures and partials are written out; `op=` is decided."""
from __future__ import annotations

import collections
import functools
import math
import types
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets, objects
from sourcegrad.analysis.activity import differentiable
from sourcegrad.analysis.call_targets import Vectorized, instead, is_rest, is_rest_of_names
from sourcegrad.analysis.result_types import length
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import UnsupportedError, losing
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING, Entries, mark
from sourcegrad.ir.tree import INPLACE_OF, hashable, is_stop
from sourcegrad.ir.unit import Function, Maker, Unit
from sourcegrad.kinds.results import constant_truth
from sourcegrad.lowering import array_views, held_arrays, held_deques, held_dicts, held_lists, methods, places
from sourcegrad.lowering.branches import (
    branches,
    check_compared,
    check_whole,
    class_tests,
    decide,
    entries_let_through,
    is_vacant,
    narrowed,
)
from sourcegrad.lowering.closures import Made, passed_apart
from sourcegrad.lowering.optional_numbers import there
from sourcegrad.lowering.overwritten import check_overwritten
from sourcegrad.parse.resolve import _ROOTS as ROOTS, canonical_path
from sourcegrad.parse.wrappers import checkpoint
from sourcegrad.primitives.core import DEPENDS, RULES, ZERO_DERIVATIVE, ArraySpec, of_user, primitive_of
from sourcegrad.runtime.structure import is_user_class
from sourcegrad.syntax import caught
from sourcegrad.syntax.desugar import NotYet, Spread
from sourcegrad.syntax.iterators import gives_iterator, reads_once


class Arguments:
    """Spells out the arguments of one call. before: statements that compute some of them."""

    def __init__(self, unit: Unit, facts: Infer, call: gast.Call, target: call_targets.Target, origin: Any,
                 made: Made | None = None) -> None:
        self.unit, self.facts, self.call, self.target, self.origin, self.made = unit, facts, call, target, origin, made
        self.before: list = []

    def keyed(self, star: Any) -> k.Dct | None:
        """The kind of a dict, if its keys are known."""
        kind = self.facts.of(star)
        return kind if isinstance(kind, k.Dct) and not kind.partial else None

    def join_stars(self) -> bool:
        """`f(*a, x, *b)` is `f(*joined)` with `joined = list(a) + [x] + list(b)`, where the lengths are not known.

        A callee with a parameter `*xs` gets what stands behind the star in the same list."""
        unknown = [j for j, a in enumerate(self.call.args)
                   if isinstance(a, gast.Starred) and length(self.facts.of(a.value)) is None]
        if not unknown:
            return False
        rest = self.target.function is not None and self.target.function.tree.args.vararg is not None
        first, last = unknown[0], len(self.call.args) - 1 if rest else unknown[-1]
        if first == last:
            return False
        as_list = self.unit.use(list, "list")
        parts = [self.bind(t.call(as_list, a.value) if isinstance(a, gast.Starred) else gast.List(elts=[a], ctx=t.LOAD),
                           "part") for a in self.call.args[first:last + 1]]
        joined = parts[0]
        for part in parts[1:]:
            joined = self.bind(t.binop(joined, gast.Add(), part), "joined")
        self.call.args[first:last + 1] = [gast.Starred(value=joined, ctx=t.LOAD)]
        return True

    def spelled(self, argument: Any) -> list:
        """The arguments that `*xs` stands for, if their number is known."""
        count = length(self.facts.of(argument.value)) if isinstance(argument, gast.Starred) else None
        if count is None:
            return [argument]
        return [self.bind(t.subscript(t.clone(argument.value), t.const(j)), "arg") for j in range(count)]

    def positional(self) -> list:
        result: list = []
        own = self.target.function is None or of_user(self.target.function.object)          # (wrappers of libraries pass all on)
        known = filter(None, map(self.keyed, self.target.stars if own else ()))
        given = {*self.target.keywords, *(key for kind in known for key, _ in kind.items)}
        for position, a in enumerate(self.target.args):
            if not isinstance(a, gast.Starred) or length(self.facts.of(a.value)) is not None:
                result += self.spelled(a)
                continue
            kind = self.facts.of(a.value)
            if is_rest(a, len(result), self.target, self.unit):
                result.append(a)
                continue
            if isinstance(self.target.object, np.ufunc) and len(self.target.args) <= self.target.object.nin:
                names = [self.unit.names.fresh("arg") for _ in range(self.target.object.nin - len(self.target.args) + 1)]
                self.before.append(t.unpack(names, a.value, self.origin))
                result += map(t.load, names)
                continue
            values = a.value
            if not isinstance(kind, k.Lst) and not (isinstance(kind, k.Num) and kind.boxed):
                values = self.bind(t.call(self.unit.use(runtime.sequence, "sequence"), values), "values")
            spread = Spread(self.unit, self.target, a, self.origin)
            result = spread.taking(values, result, len(self.target.args) - position - 1, given)
            self.before += spread.before
        return result

    def named(self, args: list) -> tuple[dict[str, Any], Any] | None:
        """Collect the keyword arguments, and the dict of those whose names are not known; None if the call stays as it is."""
        keywords = dict(self.target.keywords)
        rest: Any = None
        for star in sorted(self.target.stars, key=lambda star: self.keyed(star) is None):      # known keys first
            mapping = self.keyed(star)
            if mapping is None and is_rest_of_names(star, self.target, self.unit):
                return None
            if mapping is None:
                if rest is not None:
                    raise UnsupportedError("two `**` of dicts whose keys are not known", source.locate(self.call, self.origin),
                                           "Join them first: `options = {**a, **b}`.")
                spread = Spread(self.unit, self.target, self.call, self.origin)
                found, rest = spread.naming(star, self.facts.of(star), args, keywords)
                keywords.update(found)
                self.before += spread.before
                continue
            for key, _ in mapping.items:
                if key in keywords:
                    raise UnsupportedError(f"the keyword argument '{key}' is given twice", source.locate(self.call, self.origin),
                                           "Python would raise this, too.")
                keywords[str(key)] = self.bind(t.subscript(t.clone(star), t.const(key)), str(key))
        return keywords, rest

    def unwrapped(self, args: list, keywords: dict[str, Any]) -> tuple[Any, list, dict[str, Any]]:
        """Unwrap closures, partials and bound methods: the function inside, and its arguments with those that they have fixed."""
        function = self.target.object
        while True:
            if isinstance(function, k.Closure):
                split = len(function.items) - len(function.keywords)
                parts = [self.captured(j) for j in range(len(function.items))]
                args = parts[:split] + args
                keywords = {**dict(zip(function.keywords, parts[split:])), **keywords}
                function = function.function
            elif isinstance(function, functools.partial):
                owner = self.unit.use(function, "partial")
                args = [self.fixed(owner, "args", j, value, "fixed") for j, value in enumerate(function.args)] + args
                bound = {key: self.fixed(owner, "keywords", key, value, key) for key, value in function.keywords.items()}
                for key, value in function.keywords.items():
                    if is_constant(value):
                        self.unit.rely(Entries(function.keywords), key, value)
                keywords = {**bound, **keywords}
                function = function.func
                method = objects.static_member(type(function), "__call__")
                if is_user_class(type(function)) and isinstance(method, types.FunctionType):     # an object that is called
                    args = [self.bind(t.attribute(t.load(owner), "func"), "self"), *args]
                    function = method
            elif call_targets.stands_for_function(function):
                owner = self.unit.use(function, function.__name__)
                args = [self.bind(t.attribute(t.load(owner), "__self__"), "self"), *args]
                function = function.__func__
            else:
                return function, args, keywords

    def captured(self, number: int) -> gast.expr:
        """What the inner function that is called captures."""
        function = self.call.func
        item = t.subscript(t.clone(function), t.const(number)) if self.made is None else self.made.item(function, number)
        return item if t.is_name(item) else self.bind(item, "captured")

    def fixed(self, owner: str, part: str, key: Any, value: Any, base: str) -> gast.expr:
        """An argument that a partial has fixed."""
        return t.const(value) if is_constant(value) else self.bind(
            t.subscript(t.attribute(t.load(owner), part), t.const(key)), base)

    def bind(self, value: gast.expr, base: str) -> gast.expr:
        name = self.unit.names.fresh(base)
        self.before.append(t.assign(name, value, self.origin))
        return t.load(name)


def is_constant(value: Any) -> bool:
    """Whether a value can stand in a text as it is."""
    return type(value) in (int, str, bool, type(None)) or type(value) is float and math.isfinite(value)


class SecondNames:
    """Names of lists that another name stands for: `ys = xs`."""

    def __init__(self, unit: Unit, facts: Infer) -> None:
        self.unit, self.facts = unit, facts
        self.stores = collections.Counter(name for s in t.statements(unit.tree.body) for name in t.writes(s))
        self.substitution: dict[str, gast.expr] = {}

    def dropped(self, name: str, value: Any, following: list, iterating: bool = False) -> bool:
        """Whether `name = value` goes, as value is written wherever name is read."""
        return self.second_name(name, value, iterating) or self.while_unchanged(name, value, following)

    def second_name(self, name: str, value: Any, iterating: bool) -> bool:
        """`ys = xs` of a list where neither name is rebound: ys is xs."""
        once = isinstance(value, gast.Name) and value.id in self.facts.local and (
            self.stores[name] + (name in self.unit.parameters) == 1
            and self.stores[value.id] + (value.id in self.unit.parameters) <= 1)
        if once and not iterating and {name, value.id} & self.iterated() and {name, value.id} & self.changing():
            return False                                # changed under one name while iterated under the other
        if once:
            self.substitution[name] = value
        return once

    def while_unchanged(self, name: str, value: Any, following: list) -> bool:
        """`ys = xs` of a list that gets other items before and after all uses of ys, but not between them: ys is xs there.

        So the reverse sweep reads xs as it was then, and not what somebody else has kept of a list that grows later. following: the
        statements behind this one, in its block."""
        if not isinstance(value, gast.Name) or value.id not in self.facts.local or self.stores[name] != 1 or not isinstance(
                self.facts.of(value), k.Lst):
            return False
        uses = [j for j, s in enumerate(following) if any(name in t.header_reads(x) for x in t.statements([s]))]
        near = list(t.statements(following[:uses[-1] + 1])) if uses else []
        reads = sum(name in t.header_reads(s) for s in t.statements(self.unit.tree.body))
        if reads != sum(name in t.header_reads(s) for s in near) or any(
                {name, value.id} & {*t.writes(s), (t.list_method(s) or ("",))[0]} for s in near):
            return False
        self.substitution[name] = value
        return True

    def changing(self) -> set[str]:
        return {m[0] for s in t.statements(self.unit.tree.body) for m in [t.list_method(s)] if m}

    def iterated(self) -> set[str]:
        return {n for s in t.statements(self.unit.tree.body) if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call)
                and self.unit.lookup(s.value.func) is runtime.sequence for n in t.reads(s.value.args[0])}


class Specialise:
    def __init__(self, unit: Unit, facts: Infer, top: bool) -> None:
        self.unit, self.facts, self.top = unit, facts, top
        self.names = SecondNames(unit, facts)
        self.waiting: NotYet | None = None
        self.following: list = []                           # the statements behind the one at hand, in its block
        self.tests = class_tests(unit.tree.body)

    def run(self) -> None:
        entries_let_through(self.unit, self.facts)
        self.unit.tree.body = self.block(self.unit.tree.body)
        if self.names.substitution:
            _Substitute(self.names.substitution).visit(self.unit.tree)

    def block(self, block: list) -> list:
        result: list = []
        for position, s in enumerate(block):
            self.following = block[position + 1:]
            if self.unit.function.memory:
                places.loaded(self, s)
                asked = caught.rewritten(self, s) if self.unit.function.caught else None
                if asked is not None:
                    result += asked                         # what they are is looked at in the next round
                    continue
                changed = held_deques.changing(self, s) if self.unit.lists else None
                if changed is None and self.unit.dicts:
                    changed = held_dicts.rewritten(self, s)
                if changed is None and (self.unit.lists or self.unit.dicts):
                    changed = held_lists.rewritten(self, s)
                if changed is None and self.unit.arrays:
                    changed = array_views.made(self, s) or held_arrays.rewritten(self, s)
                self.unit.listed |= changed is not None
                for x in [s] if changed is None else changed:
                    result += self.threaded(self.statement(x))
                continue
            result += self.statement(s)
        return result

    def threaded(self, block: list) -> list:
        """Statements with the state of objects."""
        return [new for s in block for new in (places.rewritten(self, s) or [s])]

    def statement(self, s: Any) -> list:
        check_whole(self, s)
        check_compared(self, s)
        if isinstance(s, gast.If) and not is_stop(s):
            truth = constant_truth(self.facts.of(s.test))
            if truth is not None:
                return self.block(s.body if truth else s.orelse)
            narrowed(self, s)
            s.body, s.orelse = self.block(s.body), self.block(s.orelse)
            return [s]
        if isinstance(s, (gast.For, gast.While)):
            if is_vacant(s, self.unit, self.facts):
                return []                                   # it goes over an empty dict
            s.body = self.block(s.body)
            return [s]
        if is_stop(s) and constant_truth(self.facts.of(s.test)) is False:
            return []                                       # an exit that an option switches off
        numbers = there(self.unit, self.facts, s)
        if numbers:
            return [*numbers, *self.statement(s)]
        s = self._own_method(s)
        if isinstance(s, gast.Assign) and isinstance(s.value, gast.BoolOp):
            decide(self.facts, s)
        if isinstance(s, gast.Assign):
            rewritten = branches(self, s)
            if rewritten is None:
                rewritten = methods.rewrite(self, s)
            if rewritten is not None:
                return rewritten
        if isinstance(s, gast.Assign) and isinstance(s.value, gast.Attribute) and s.value.attr == "__name__" and isinstance(
                closure := self.facts.of(s.value.value), k.Closure):
            s.value = t.const(closure.function.name)         # what it captures stands for it in generated code
            return [s]
        if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call):
            try:
                return self._call(s)
            except NotYet as problem:
                self.waiting = self.waiting or problem.with_traceback(None)
                return [s]
        if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) and isinstance(
                self.facts.of(s.value), k.Lst) and self.names.dropped(s.targets[0].id, s.value, self.following):
            return []
        return [s]

    @functools.cached_property
    def made(self) -> Made:
        return Made(self.unit)

    def _own_method(self, s: Any) -> Any:
        """`x.append(v)` and `x.pop()` of a user's class are calls of its methods: those of lists have a meaning of their own."""
        found = t.list_method(s)
        owner = None if found is None else self.facts.of(s.value.func.value)
        several = isinstance(owner, k.OneOf)
        if found is None or not several and objects.class_of(owner) is None:
            return s
        member = objects.find(owner, found[1], self.unit)
        if member.sort == "method" and not several:
            name = self.unit.use(member.function, member.function.__name__)
            s.value = gast.copy_location(t.call(name, s.value.func.value, *s.value.args), s.value)
        return s if isinstance(s, gast.Assign) else t.assign(self.unit.names.fresh("unused"), s.value, t.origin_of(s))

    def _call(self, s: gast.Assign) -> list:
        """Spell out the arguments of a call, after the statements that compute them."""
        origin = t.origin_of(s)
        s.value.args = [a for a in s.value.args if not (isinstance(a, gast.Starred) and self.facts.of(a.value) == k.Tup(()))]
        s.value.keywords = [w for w in s.value.keywords if not (w.arg is None and self.facts.of(w.value) == k.Dct(()))]
        target = call_targets.target_of(s.value, self.unit, self.facts.of)
        arguments = Arguments(self.unit, self.facts, s.value, target, origin, self.made)
        if target.method and any(isinstance(a, gast.Starred) and length(self.facts.of(a.value)) is not None for a in s.value.args):
            s.value.args = [item for a in s.value.args for item in arguments.spelled(a)]
            return [*arguments.before, *self._call(s)]     # x.reshape(*shape): how many there are decides what they mean
        special = self._special_form(s, target, origin)
        if special is not None:
            return special
        apart = passed_apart(self.unit, self.facts, s, target, self.made)
        if apart is not None:
            return apart
        check_known(self.facts, s, target)
        check_overwritten(self.unit, self.facts, s, target)
        if target.function is not None and (target.function.generator or gives_iterator(target.function)):
            check_consumed(self.unit, s, target.function, self.names.stores[s.targets[0].id] == 1)
        if hashable(target.object) and target.object in ZERO_DERIVATIVE and not target.method and any(
                isinstance(a, gast.Starred) and not isinstance(self.facts.of(a.value), k.Tup) for a in target.args):
            return [s]                                      # np.result_type(*arrays): whatever they are
        if arguments.join_stars():
            self.waiting = self.waiting or NotYet("`*` of something whose length is not known", source.locate(s.value, origin),
                                                  "Pass the arguments one by one.")
            return [*arguments.before, s]                   # its kind is asked for before it is spelled out
        args = arguments.positional()
        named = arguments.named(args)
        if named is None:
            return [s]
        keywords, rest = named
        function, args, keywords = arguments.unwrapped(args, keywords)
        new = self._spelled_out(s, target, function, args, keywords, rest, bool(arguments.before))
        if function is not target.object and isinstance(s.value, gast.Call):
            target = call_targets.target_of(s.value, self.unit, self.facts.of)
            new = passed_apart(self.unit, self.facts, s, target, self.made) or new
        return [*arguments.before, *new]

    def _special_form(self, s: gast.Assign, target: call_targets.Target, origin: Any) -> list | None:
        """Rewrite a call that has a form of its own (a sequence, an operator, a partial); None for any other call."""
        if target.object is runtime.sequence:
            return self._sequence(s, target)
        if target.object is runtime.read_once:
            if len(target.args) == 1:
                check_handed_on(self, s)
                s.value.args.append(t.const(False))
            s.value = target.args[0] if self.unit.function.pure else s.value
            return [s]
        if target.object in INPLACE_OF and not isinstance(s.value.func, gast.Name):
            raise UnsupportedError("an in-place operator called as a function", source.locate(s.value, origin),
                                   "Write the operator: y = y + x.")
        if target.object in INPLACE_OF or target.object in (runtime.index_store, runtime.index_update):
            return [s]
        if call_targets.array_namespace(target.object) is not None:
            s.value = t.load(self.unit.use(np, "np"))
            return [s]
        if target.object is np.vectorize and target.keywords and target.args and isinstance(
                self.facts.of(target.args[0]), k.Closure):
            raise UnsupportedError("np.vectorize of an inner function with options", source.locate(s.value, origin),
                                   "Leave them out, or vectorize a function of the module.")
        if target.object in (checkpoint, np.vectorize) and not target.keywords and isinstance(self.facts.of(s.value), k.Closure):
            s.value = target.args[0]                       # the kind tells that it is computed again
            return [s]
        if hasattr(target.object, "__sourcegrad_inner__") and isinstance(self.facts.of(s.value), k.Closure):
            s.value = target.args[0]                       # the kind tells that it is the gradient
            return [s]
        made = self.facts.of(s.value) if target.object is functools.partial else None
        if isinstance(made, k.Closure):
            arguments = Arguments(self.unit, self.facts, s.value, target, origin)
            target.args = arguments.positional()
            target.keywords, _ = arguments.named(target.args) or ({}, None)
            new = self._partial(s, target, made)
            new.value.args = [a if isinstance(a, (gast.Name, gast.Constant)) else arguments.bind(a, "captured")
                              for a in new.value.args]
            return [*arguments.before, new]
        return None

    def _spelled_out(self, s: gast.Assign, target: call_targets.Target, function: Any, args: list, keywords: dict[str, Any],
                     rest: Any, prepared: bool) -> list:
        """Write the call with its arguments one by one. prepared: statements before it compute some of them."""
        if isinstance(function, (Vectorized, np.vectorize)) or hashable(function) and (
                instead(function) is not None or call_targets.of_scipy(function) is not function) and (
                function is not target.object or target.function is not None):
            written = call_targets.target_of_object(function, args, keywords).function
            if written is None:
                return [s]
            s.value = gast.copy_location(t.call(self.unit.use(written.object or written, written.name), *args, **keywords), s.value)
            return [s]
        if hashable(target.object) and target.object in RULES and not prepared and takes_arrays(self.facts, target):
            return self._arrays(s, target)
        if function is target.object and not prepared and not target.stars and len(args) == len(s.value.args) and not (
                isinstance(s.value.func, gast.Name) and s.value.func.id in self.facts.local):
            return [s]
        if target.method and not prepared:
            return [s]
        if target.plain is not None:
            s.value = gast.copy_location(gast.Call(func=s.value.func, args=args, keywords=[
                gast.keyword(arg=key, value=value) for key, value in keywords.items()]), s.value)
            return [s]
        last = [] if rest is None else [t.keyword(None, rest)]
        if function is None:
            s.value = gast.copy_location(gast.Call(func=s.value.func, args=args, keywords=[
                *(gast.keyword(arg=key, value=value) for key, value in keywords.items()), *last]), s.value)
            return [s]
        path = canonical_path(function)
        if path and "." in path:
            name = f"{self.unit.use(ROOTS[path.split('.')[0]], path.split('.')[0])}.{path.partition('.')[2]}"
        else:
            name = self.unit.use(function, mark(function, "__name__") or getattr(function, "name", "function"))
        s.value = gast.copy_location(t.call(name, *args, **keywords), s.value)
        s.value.keywords += last
        return [s]

    def _partial(self, s: gast.Assign, target: call_targets.Target, kind: k.Closure) -> Any:
        """A partial made inside the function is a closure: at run time the tuple of what is fixed."""
        maker = self.unit.use(Maker(kind.function, [], kind.keywords), "partial_closure")
        first = self.facts.of(target.args[0])
        items = first.items if isinstance(first, k.Closure) else ()
        inherited = [t.subscript(t.clone(target.args[0]), t.const(j)) for j in range(len(items))]
        named = first.keywords if isinstance(first, k.Closure) else ()
        split = len(inherited) - len(named)
        keywords = {**dict(zip(named, inherited[split:])), **target.keywords}
        s.value = t.call(maker, *inherited[:split], *target.args[1:], *keywords.values())
        return s

    def _arrays(self, s: gast.Assign, target: call_targets.Target) -> list:
        """np.sum(xs) of a list is np.sum(np.array(xs))."""
        wanted = differentiable(RULES[target.object])
        arguments = Arguments(self.unit, self.facts, s.value, target, t.origin_of(s))
        try:
            bound = call_targets.bind_rule(RULES[target.object], target)
        except TypeError:
            return [s]                                           # refused where a derivative flows
        for name, argument in bound.items():
            if name in wanted and isinstance(argument, gast.Name) and isinstance(self.facts.of(argument), (k.Lst, k.Tup)):
                array = t.call(f"{self.unit.use(np, 'np')}.array", argument)
                new = arguments.bind(array, f"{argument.id}_array")
                s.value.args = [new if a is argument else a for a in s.value.args]
                for keyword in s.value.keywords:
                    keyword.value = new if keyword.value is argument else keyword.value
        return [*arguments.before, s]

    def _sequence(self, s: gast.Assign, target: call_targets.Target) -> list:
        """`xs_2 = sequence(xs)` of what is a sequence anyway: use xs itself where it is never rebound."""
        argument = target.args[0]
        kind = self.facts.of(argument)
        known = isinstance(kind, (k.Lst, k.Tup, k.Rest)) or (isinstance(kind, k.Num) and kind.boxed) or (
            isinstance(kind, k.Obj) and kind.cls is range)
        if not known:
            if isinstance(kind, (k.Dct, k.Map)):
                s.value = t.call(self.unit.use(list, "list"), argument)
            if isinstance(kind, k.Obj) and hasattr(kind.cls, "__next__") and not is_user_class(kind.cls):
                check_used_up(self.unit, s)
            return [s]
        name = s.targets[0].id
        if self.names.dropped(name, argument, self.following, iterating=True):
            return []
        s.value = argument
        return [s]


# --- checks


def check_consumed(unit: Unit, s: gast.Assign, generator: Function, once: bool) -> None:
    """A generator is read once, by a loop or a function that reads all of it."""
    name = s.targets[0].id
    uses = [x for x in t.statements(unit.tree.body) if name in t.header_reads(x)]
    call = getattr(uses[0], "value", None) if len(uses) == 1 else None
    function = unit.lookup(call.func) if isinstance(call, gast.Call) else None
    methods.check_left(unit, s, generator)
    if not primitive_of(function).iterates or not once:
        what = "generator" if generator.generator else "iterator of"
        raise UnsupportedError(f"the {what} {generator.name}() is not read at once",
                               source.locate(s.value, t.origin_of(s)),
                               "Loop over the call itself, or make a list of it: `list(...)`.")


def check_handed_on(specialise: Specialise, s: gast.Assign) -> None:
    """An iterator that is handed on is read once by who gets it: a function of the user, or the caller of this one."""
    name, unit = s.targets[0].id, specialise.unit
    while True:
        uses = [x for x in t.statements(unit.tree.body) if name in t.header_reads(x)]
        value = uses[0].value if len(uses) == 1 and isinstance(uses[0], (gast.Assign, gast.Return)) else None
        if not t.is_name(value) or isinstance(uses[0], gast.Return):
            break
        name = uses[0].targets[0].id
    if not uses or value is not None and isinstance(uses[0], gast.Return) and gives_iterator(unit.function):
        return
    if isinstance(value, gast.Call):
        target = call_targets.target_of(value, unit, specialise.facts.of)
        function = target.function
        if function is None and not target.plain:
            return
        given = {**dict(zip(function.parameters, target.args)), **target.keywords} if function else {}
        if function and any(t.is_name(a, name) and reads_once(function, p) for p, a in given.items()):
            return
    raise UnsupportedError("an iterator that is handed on to what may read it twice", source.locate(s.value, t.origin_of(s)),
                           "Make a list of it: [... for ...], list(...).")


def check_known(facts: Infer, s: gast.Assign, target: call_targets.Target) -> None:
    """Known functions are pure as far as they are called without `out=`, `where=` and the like."""
    function = target.object
    origin = source.locate(s.value, t.origin_of(s))
    if primitive_of(function).parses and any(k.tells(facts.of(a)) for a in target.args):
        raise losing(UnsupportedError("a number read from text", origin, "Keep the number itself."), True)
    if function is np.einsum and not isinstance(facts.of(target.args[0]), k.Const):
        raise UnsupportedError("np.einsum without a constant string of subscripts", origin,
                               "Write np.einsum('ij,jk->ik', a, b).")
    if function == "method astype" and len(target.args) > 1 and _to_text(facts.of(target.args[1])):
        raise UnsupportedError("a conversion of numbers to text or objects", origin, "Keep the array of numbers.")
    module = getattr(function, "__module__", None) or ""
    scipy = module.partition(".")[0] == "scipy"
    if not module.startswith("numpy") and not isinstance(function, np.ufunc) and not scipy:
        return
    given = dict(target.keywords)
    for position, name in enumerate(_parameters(function)):
        if position < len(target.args):
            given.setdefault(name, target.args[position])
    given = {**dict(zip(DEPENDS.get(function, ()), target.args)), **given}
    extra = isinstance(function, np.ufunc) and len(target.args) > function.nin
    for name, harmless in (("out", (None,)), ("output", (None,))) if scipy else (
            ("out", (None,)), ("where", (True,)), ("copy", (True, None)), ("buffer", (None,))):
        kind = facts.of(given[name]) if name in given and not (name == "where" and function is np.where) else None
        if kind is not None and not (isinstance(kind, k.Const) and kind.value in harmless) and not (
                name == "copy" and (function in (np.array, np.asarray) or primitive_of(function).unless is not None)) and not (
                scipy and isinstance(kind, (k.Fn, k.Const))):                                   # (the dtype of the result)
            extra = True
    dtype = facts.of(given["dtype"]) if "dtype" in given else None
    if isinstance(dtype, (k.Lst, k.Tup)) or _to_text(dtype):
        raise UnsupportedError("an array of objects, text or records", origin, "Use an array of numbers.")
    if extra:
        name = source.expression_text(s.value.func)
        if "where" in given and not isinstance(function, np.ufunc):
            raise UnsupportedError(f"this form of {name} has no derivative rule: `where`", origin,
                                   "Select the elements first: x[mask].")
        raise NotYet(f"this form of {name} has no derivative rule: it writes into an array that it is given, "
                     "or leaves parts of it as they are", origin, rule_takes(function)
                     + "Assign the result: y = np.sin(x).")          # (out=None of a parameter: its branch is not decided yet)


def rule_takes(function: Any) -> str:
    return f"The rule takes ({', '.join(RULES[function].parameters)}). " if function in RULES else ""


def check_used_up(unit: Unit, s: gast.Assign) -> None:
    """An iterator of somebody else is read to its end by one loop, or he would miss what the function has not looked at."""
    name = s.targets[0].id
    for _ in range(2):                                  # len(xs), range(len(xs))
        uses = [x for x in t.statements(unit.tree.body) if name in t.header_reads(x) and not (
            isinstance(x, gast.Assign) and isinstance(x.value, gast.Subscript))]
        call = getattr(uses[0], "value", None) if len(uses) == 1 and isinstance(uses[0], gast.Assign) else None
        if not isinstance(call, gast.Call) or unit.lookup(call.func) not in (MISSING, len, range):
            break
        name = t.writes(uses[0])[0]
    else:
        uses = [x for x in t.statements(unit.tree.body) if name in t.header_reads(x)]
        if len(uses) == 1 and isinstance(uses[0], gast.For) and not is_stop(uses[0].body[-1]):
            return
    raise UnsupportedError("an iterator that is made elsewhere and may be left before its end",
                           source.locate(s.value, t.origin_of(s)), "Take what is needed outside, and pass it as a list.")


def takes_arrays(facts: Infer, target: call_targets.Target) -> bool:
    """Whether a NumPy function that wants an array is given a list or tuple of numbers."""
    rule = RULES[target.object]
    owner = getattr(target.object, "__self__", target.object)               # np.add of np.add.outer
    numpy = isinstance(owner, np.ufunc) or (getattr(target.object, "__module__", None) or "").startswith("numpy")
    return numpy and not takes_lists(rule) and any(isinstance(facts.of(a), (k.Lst, k.Tup)) for a in target.args)


def takes_lists(rule: Any) -> bool:
    """Whether a primitive is sampled with lists of arrays: then a list is what it wants."""
    return any(isinstance(arg, (list, tuple)) and any(isinstance(item, ArraySpec) for item in arg)
               for spec in rule.samples for arg in getattr(spec, "args", ()))


def _parameters(function: Any) -> list[str]:
    """Parameter names of a NumPy function by position; none for ufuncs and where they cannot be known."""
    if isinstance(function, np.ufunc):
        return []
    try:
        return [p.name for p in source.signature(function).parameters.values()
                if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        return []


def _to_text(kind: Any) -> bool:
    """Whether a dtype argument asks for text or objects."""
    value = kind.value if isinstance(kind, (k.Fn, k.Const)) else None
    if value is None or not isinstance(value, (type, str)):
        return False
    try:
        return np.dtype(value).kind in "OSUV"
    except TypeError:
        return False


class _Substitute(t.Transformer):
    def __init__(self, mapping: dict[str, gast.expr]) -> None:
        self.mapping = mapping

    def visit_Name(self, node: gast.Name) -> Any:
        if isinstance(node.ctx, gast.Load) and node.id in self.mapping:
            return self.visit(t.clone(self.mapping[node.id]))
        return node


def specialise(unit: Unit, facts: Infer, top: bool) -> NotYet | None:
    """Rewrite what the kinds decide. top: this is the function that the user differentiates, not a callee.

    Returns what is left: a call whose star arguments cannot be spelled out with these kinds."""
    state = Specialise(unit, facts, top)
    state.run()
    return state.waiting
