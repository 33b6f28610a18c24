"""The adjoint of one assignment: contributions to the adjoints of what its right-hand side reads."""
from __future__ import annotations

import operator
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.ad.call_pairs import at_run_time, attribute_call, checkpoint_call, custom_call, dynamic_call, rule_call
from sourcegrad.ad.contributions import fit, real_part
from sourcegrad.ad.substitute import Substitution
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.activity import missing_rule
from sourcegrad.analysis.objects import class_of, find
from sourcegrad.errors import InternalError, Origin, UnsupportedError, called_at
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.operators import OPERATORS
from sourcegrad.ir.unit import Function, Maker
from sourcegrad.parse.try_ import Attempt
from sourcegrad.rules.adjoint_kinds import type_name
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE
from sourcegrad.rules.methods import SHAPE_ATTRIBUTES
from sourcegrad.runtime.structure import is_namedtuple

ALONG = {np.sum, np.prod, np.max, np.min, np.amax, np.amin, np.cumsum, np.cumprod, np.nansum, np.nanprod, np.repeat}


class Adjoint:
    """The adjoint of one assignment `name = value`."""

    def __init__(self, reverse: Any, s: gast.Assign, name: str) -> None:
        self.r, self.s, self.name = reverse, s, name
        self.origin = t.origin_of(s)
        self.unit = reverse.unit
        self.ct = reverse.bar(name)
        self.statements: list = []
        self.kind = reverse.facts.of(s.value)                  # of the value; the name may be more than that
        self.contributions: list[tuple[str, gast.expr, gast.expr | None]] = []   # name, value, index
        self.before: list = []
        self.forward: list = []

    def kind_of(self, node: Any) -> k.Kind | None:
        return self.r.facts.kinds.get(self.name) if t.is_name(node, self._OUT) else self.r.facts.of(node)

    def add(self, node: Any, value: gast.expr | None) -> None:
        """A contribution to the adjoint of the name that an argument expression is."""
        if value is None or not self.is_active(node):
            return
        self.contributions.append((node.id, value, None))

    def add_part(self, node: Any, value: gast.expr) -> None:
        """A contribution to what a container or object holds, from the adjoint of that."""
        if isinstance(node, gast.Name):
            value = real_part(value, self.r.facts.kinds.get(self.name), self.r.kind(node.id), self.unit)
        self.add(node, value)

    def is_active(self, node: Any) -> bool:
        """Whether an operand is active. Only names are, in normal form: a contribution to anything else would be lost."""
        if not isinstance(node, gast.Name) and any(name in self.r.varied for name in t.reads(node)):
            raise InternalError(f"the active operand {source.to_text(node)} is not a name", self.origin)
        return isinstance(node, gast.Name) and node.id in self.r.varied

    def value(self, value: Any) -> None:
        """Collect the contributions of the right-hand side."""
        real = real_part(t.load(self.ct), self.r.facts.kinds.get(self.name), self.kind, self.unit)
        if not t.is_name(real):                               # the name is complex elsewhere
            self.statements.append(t.assign(self.ct, real, self.origin))
        ct = t.load(self.ct)
        if isinstance(value, gast.Name):
            self.add(value, ct)
        elif isinstance(value, (gast.Tuple, gast.List)):
            for position, item in enumerate(value.elts):
                self.add_part(item, t.subscript(t.load(self.ct), t.const(position)))
        elif isinstance(value, gast.Dict):
            for key, item in zip(value.keys, value.values):
                self.add_part(item, self.entry(t.clone(key), item))
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

    def entry(self, key: gast.expr, like: gast.expr) -> gast.expr:
        """The part of a sparse adjoint that belongs to an attribute or item."""
        return t.call(self.r.helper(runtime.entry_of), t.load(self.ct), key, t.clone(like))

    def attribute(self, value: gast.Attribute) -> None:
        owner = self.r.facts.of(value.value)
        if class_of(owner) is not None or isinstance(owner, k.OneOf):
            self.member(value, owner)
            return
        if owner is k.ANY and isinstance(value.value, gast.Name):
            attribute_call(self, value)
        elif f"attribute {value.attr}" in RULES:
            self.primitive(f"attribute {value.attr}", [value.value], {})
        elif value.attr not in SHAPE_ATTRIBUTES:
            raise UnsupportedError(f"the attribute '.{value.attr}' of a value that depends on the inputs",
                                   source.locate(value, self.origin), "Pass the array itself as an argument.")

    def member(self, value: gast.Attribute, owner: Any) -> None:
        """An attribute of an object: what its class defines is constant."""
        name = value.value.id
        if isinstance(owner, k.Named):
            position = owner.cls._fields.index(value.attr)
            self.contributions.append((name, t.load(self.ct), t.const(position)))
        elif k.of_attribute(owner, value.attr) is not None:
            self.contributions.append((name, t.load(self.ct), t.const(value.attr)))
        elif find(owner, value.attr, self.unit).sort in ("unknown", "property"):
            raise UnsupportedError(f"the attribute '.{value.attr}' of a value that depends on the inputs",
                                   source.locate(value, self.origin),
                                   f"A {type_name(owner)} is not known to have it: set it in __init__.")

    def construction(self, target: call_targets.Target) -> None:
        """An object made of its arguments as they are."""
        if target.plain is None:
            for name, value in target.keywords.items():
                self.add_part(value, self.entry(t.const(name), value))
            return
        for name, value in target.plain.bind(target.args, target.keywords).items():
            if is_namedtuple(target.plain.cls):
                self.add_part(value, t.subscript(t.load(self.ct), t.const(target.plain.cls._fields.index(name))))
            else:
                self.add_part(value, self.entry(t.const(name), value))

    def call(self, value: gast.Call) -> None:
        target = call_targets.target_of(value, self.unit, self.r.facts.of)
        if target.plain is not None or target.object is runtime.make_object:
            self.construction(target)
            return
        if isinstance(target.object, Maker):
            for position, item in enumerate(value.args):
                self.add_part(item, t.subscript(t.load(self.ct), t.const(position)))
        elif target.object is runtime.call_unchanging:
            at_run_time(self, value, target.args[0], target.args[1:], target.keywords)
        elif target.custom is not None:
            custom_call(self, value, target.custom, target)
        elif target.object in RULES:
            self.primitive(target.object, target.args, target.keywords, value)
        elif target.function is not None:
            self.user_call(value, target.function, target)
        elif target.object is None:
            dynamic_call(self, value, target)

    def recorded(self, path: Any) -> bool:
        """Whether an index is a path through attributes, items and views of arrays."""
        while isinstance(path, (gast.Attribute, gast.Subscript, gast.Call)):
            path = path.func if isinstance(path, gast.Call) else path.value
        return isinstance(path, gast.Name) and self.unit.lookup(path) is runtime.at

    def primitive(self, function: Any, args: list, keywords: dict, node: Any = None) -> None:
        """Add the contributions of a call of a function that has a rule."""
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
        if self.container_parts(function, args, kinds):
            return
        self.check_operands(function, kinds, node)
        rule = RULES.get(function)
        if rule is None:
            name = source.expression_text(node)
            raise missing_rule(f"`{name}`", "x, y", source.locate(node, self.origin))
        bound = self.bound(rule, call_targets.Target(function, args, keywords), node)
        called = rule_call(self, rule, bound, source.locate(node, self.origin)) if rule.by_user else None
        if function in ALONG and isinstance(kinds[0], k.Num) and kinds[0].dims == ():
            bound.pop("axis", None)                               # NumPy lets a number have one
        substitution = Substitution(rule, self.unit, bound, self.ct, self._OUT, self.kind_of, self.origin)
        place = source.locate(node, self.origin)
        statements, contributions, guarded = self.substituted(substitution, rule, called, place)
        self.statements += statements
        out_kind = self.kind or k.ANY
        for name, contribution in zip(rule.parameters, contributions):
            if contribution is None or name not in bound:
                continue
            argument = bound[name]
            if isinstance(argument, tuple):                       # *operands
                self.variadic(argument, contribution, place)
                continue
            if not self.is_active(argument):
                continue
            self.refused(contribution, place)
            kind = facts.kinds.get(argument.id, k.ANY)
            if not guarded:
                contribution = self.guarded(contribution, rule, kind, statements)
            if function is runtime.index_set and name == "value" and isinstance(kinds[0], k.Num) and not self.recorded(args[1]):
                contribution = self.taken_back(contribution, args)
            contribution = fit(contribution, argument, kind, out_kind, rule.elementwise, self.unit)
            self.add(argument, contribution)

    def container_parts(self, function: Any, args: list, kinds: list) -> bool:
        """Add the contributions to an object or container and to what is put there; False if the rule of the function does."""
        if function is runtime.index_set and isinstance(kinds[0], (k.Obj, k.OneOf)) and isinstance(args[1], gast.Attribute) and (
                self.unit.lookup(args[1].value) is runtime.at):
            key = t.const(args[1].attr)                            # an attribute stored
            self.add(args[0], t.load(self.ct) if self.without_derivative(*args) else t.call(
                self.r.helper(runtime.entry_drop), t.load(self.ct), key))
            self.add_part(args[2], self.entry(t.clone(key), args[2]))
            return True
        if function is runtime.put_all and self.differs_in_discrete(*args[2:]):
            self.add(args[0], t.load(self.ct))                     # who holds the new object has held the old one
            return True
        if function is runtime.item_at and not isinstance(kinds[0], k.Num) and self.recorded(args[1]):
            self.add(args[0], t.call(self.r.helper(runtime.path_put), t.clone(args[0]), t.clone(args[1]), t.load(self.ct)))
            return True
        if function is runtime.index_set and isinstance(kinds[0], (k.Obj, k.OneOf)) and not k.is_numeric(kinds[0]):
            path = t.clone(args[1])
            self.add(args[0], t.call(self.r.helper(runtime.path_drop), t.load(self.ct), path, t.load(self._OUT)))
            self.add(args[2], t.call(self.r.helper(runtime.path_of), t.load(self.ct), t.clone(path), t.load(self._OUT),
                                     t.clone(args[2])))
            return True
        if function is runtime.index_set and isinstance(kinds[0], (k.Dct, k.Map, k.Lst, k.Tup, k.Closure)) and not (
                isinstance(k.as_num(kinds[2] or k.ANY), k.Num)) and not self.recorded(args[1]):
            self.put_into(*args)
            return True
        return False

    def check_operands(self, function: Any, kinds: list, node: Any) -> None:
        """Refuse operators and functions of arrays that are given objects of classes."""
        if any(isinstance(x, (k.Obj, k.OneOf, k.Fn)) for x in kinds) and isinstance(node, gast.BinOp):
            raise UnsupportedError("an operator of a class", source.locate(node, self.origin),
                                   "Call a function or method that computes with arrays.")
        own = [cls for x in kinds if not isinstance(x, k.Named) and (cls := class_of(x)) is not None]
        root = (getattr(function, "__module__", None) or "").split(".")[0]
        if own and (root in ("builtins", "math", "operator", "numpy") or isinstance(function, np.ufunc)):
            raise UnsupportedError(f"`{source.expression_text(node)}`, which is given a {own[0].__name__}",
                                   source.locate(node, self.origin), "Give it the numbers or arrays that the object holds.")

    def bound(self, rule: Any, target: call_targets.Target, node: Any) -> dict:
        """Bind the arguments of a call to the parameters of a rule."""
        try:
            return call_targets.bind_rule(rule, target)
        except TypeError as problem:
            name = source.expression_text(node.func) if isinstance(node, gast.Call) else rule.name
            raise UnsupportedError(f"this form of {name} has no derivative rule: {problem}",
                                   source.locate(node, self.origin),
                                   f"The rule takes ({', '.join(rule.parameters)}).") from None

    def substituted(self, substitution: Substitution, rule: Any, called: list | None,
                    place: Origin | None) -> tuple[list, list, bool]:
        """Substitute the arguments into a rule: its statements and contributions, and whether its divisions are guarded.

        called: the contributions, where the rule is called instead."""
        try:
            statements, contributions = substitution.run() if called is None else ([], called)
        except UnsupportedError as problem:                       # of a helper that was asked now
            problem.locate(place)
            raise
        helper = self.r.guards and self.r.guards.division(self.name, self.s.value, rule)
        if helper is not None:
            division = Division(self.r.helper(helper))
            statements, contributions = ([x and division.visit(x) for x in nodes] for nodes in (statements, contributions))
            helper = helper if division.found else None
        return statements, contributions, helper is not None

    def guarded(self, contribution: Any, rule: Any, kind: k.Kind, statements: list) -> Any:
        """Guard a contribution that must be zero where the adjoint is, if it may be something else there."""
        guard = self.r.guards and self.r.guards.helper(self.name, self.s.value, self.ct, rule, contribution, statements)
        if guard is not None and (rule.elementwise or isinstance(k.as_num(kind), k.Num)):         # a list has no zeros to put
            return t.call(self.r.helper(guard[0]), t.clone(guard[1]), contribution)
        return contribution

    def without_derivative(self, base: Any, where: Any, value: Any) -> bool:
        """Whether neither an attribute that is stored nor the one before can have a derivative."""
        owner: Any = self.r.facts.of(base)
        if not isinstance(owner, (k.Obj, k.OneOf)):
            return False
        before = [dict(kind.items or ()).get(where.attr) for kind in (owner.items if isinstance(owner, k.OneOf) else [owner])]
        return all(map(k.is_discrete, [*filter(None, before), self.r.facts.of(value) or k.ANY]))

    def differs_in_discrete(self, old: Any, new: Any) -> bool:
        """Whether `new` is `old` with another attribute, which has no derivative."""
        def named(node: Any) -> str:                               # x for y after y = x
            value = self.r.single.get(node.id)
            return named(value) if isinstance(value, gast.Name) else node.id

        made = self.r.single.get(new.id)
        if not (isinstance(made, gast.Call) and self.unit.lookup(made.func) is runtime.index_set and named(
                made.args[0]) == named(old)):
            return False
        where = made.args[1]
        return isinstance(where, gast.Attribute) and self.unit.lookup(where.value) is runtime.at and (
            self.without_derivative(*made.args))

    def put_into(self, base: Any, where: Any, value: Any) -> None:
        """A value that is no number is put into a list or dict: the zero of what lay there has its own structure."""
        plain = isinstance(where, gast.Subscript) and isinstance(where.value, gast.Attribute) and where.value.attr == "s_"
        key = where.slice if plain else where

        def at_place(whole: gast.expr) -> gast.expr:
            if plain:
                return t.subscript(whole, t.clone(key))
            return t.call(self.r.helper(runtime.item_at), whole, t.clone(where))

        if isinstance(self.r.facts.of(base), (k.Dct, k.Map)) and plain:
            self.add(base, t.call(self.r.helper(runtime.entry_drop), t.load(self.ct), t.clone(key)))
            self.add(value, self.entry(t.clone(key), value))
        else:
            zero = t.call(self.r.helper(runtime.zeros_like), at_place(t.clone(base)))
            self.add(base, t.call(self.r.helper(runtime.index_set), t.load(self.ct), t.clone(where), zero))
            part = at_place(t.load(self.ct))
            self.add(value, t.call(self.r.helper(runtime.unbroadcast), part, t.clone(value)))

    def taken_back(self, contribution: Any, args: list) -> Any:
        """The adjoint of what was stored into a part of an array: where the sizes are known, it has the shape of that part."""
        base, where, value = args
        index = where.slice if isinstance(where, gast.Subscript) else where
        facts = self.r.facts
        part = facts.of(t.subscript(base, index))
        fitted = isinstance(contribution, gast.Call) and self.unit.lookup(contribution.func) is runtime.unbroadcast
        return fit(contribution.args[0], value, facts.of(value) or k.ANY, part, True, self.unit) if (
            fitted and isinstance(part, k.Num) and part.dims) else contribution

    def refused(self, contribution: Any, place: Origin | None) -> None:
        """Give a contribution that the rule refuses its place: an error at generation if it is needed (`check_refused`).

        Generated code has branches of rules in it, of which only one is ever taken: there it is an error at run time.
        """
        refuses = isinstance(contribution, gast.Call) and self.unit.lookup(contribution.func) is runtime.refuse
        if refuses and not self.unit.function.pure:
            contribution.origin = place

    def variadic(self, argument: tuple, contribution: gast.expr, place: Origin | None) -> None:
        nothing = isinstance(contribution, gast.List) and not contribution.elts
        if nothing or not any(self.is_active(item) for item in argument):
            return
        self.refused(contribution, place)
        written = contribution.elts if isinstance(contribution, gast.List) else None        # one by one: only some are wanted
        parts = self.unit.names.fresh("parts")
        if written is None:
            self.statements.append(t.assign(parts, contribution, self.origin))
        for position, item in enumerate(argument):
            part = t.subscript(t.load(parts), t.const(position)) if written is None else written[position]
            self.add(item, real_part(part, self.kind, self.r.facts.of(item), self.unit))

    def sequences(self, node: gast.BinOp, kinds: list) -> None:
        """xs + ys of lists or tuples: the adjoint is split at the length of xs. With an array it would be another operation."""
        others = [kind for kind in kinds if not isinstance(kind, (k.Lst, k.Tup, k.Rest))]
        if not all(k.is_discrete(kind or k.ANY) or _is_python_number(kind) for kind in others):     # (Python has its own error)
            raise UnsupportedError("an operation between a list and what may be an array", source.locate(node, self.origin),
                                   "Make an array of the list first: np.array(xs).")
        if isinstance(node.op, gast.Mult):
            for one, kind in zip((node.left, node.right), kinds):
                if isinstance(kind, (k.Lst, k.Tup)):
                    self.add(one, t.call(self.r.helper(runtime.fold_items), t.load(self.ct), t.clone(one)))
            return
        if not isinstance(node.op, gast.Add):
            raise UnsupportedError("this operation on lists", source.locate(node, self.origin), "Use a comprehension.")
        size = t.call("len", t.clone(node.left))
        self.add(node.left, t.subscript(t.load(self.ct), gast.Slice(lower=None, upper=size, step=None)))
        self.add(node.right, t.subscript(t.load(self.ct), gast.Slice(lower=t.clone(size), upper=None, step=None)))

    def user_call(self, value: gast.Call, function: Function, target: call_targets.Target) -> None:
        """A call of a user function becomes a call of its forward half; its reverse half gives the contributions."""
        facts = self.r.facts
        try:
            bound = call_targets.bind(function, target, self.unit)
        except TypeError as problem:
            raise UnsupportedError(str(problem), source.locate(value, self.origin)) from None
        arguments = [t.clone(node) for node in bound.values()]
        kinds = {name: facts.of(node) for name, node in zip(bound, arguments)}
        active = tuple(name for name, node in zip(bound, arguments)
                       if any(n in self.r.varied for n in t.reads(node)) and not k.is_discrete(kinds[name] or k.ANY))
        with called_at(source.locate(value, self.origin)):
            dropped = self.r.guards is not None and self.r.guards.drops(self.name, target)
            pair = self.r.pair(function, kinds, active, dropped)
        if target.checkpoint:
            if self.r.prepare(function, kinds).effects.drawn:
                raise UnsupportedError(f"a checkpoint of {function.name}(), which draws random numbers: others when it is computed "
                                       "again", source.locate(value, self.origin),
                                       "Draw them outside and pass them, or make the generator inside.")
            checkpoint_call(self, value, pair, bound, arguments)
            return
        if isinstance(target.object, Attempt):
            self.attempt(target.object, pair, bound, arguments)
            return
        saved = self.unit.names.fresh(f"{function.label}_saved")
        forward = self.unit.use(pair.forward, pair.forward.__name__)
        self.forward.append(t.unpack([self.name, saved], t.call(forward, *(t.clone(a) for a in arguments)), self.origin))
        if pair.given is None or not all(isinstance(kinds[name], (k.Num, k.Const)) for name in pair.given):
            self.keep(saved)
        else:                                            # the arguments are there in reverse, too
            given = [t.clone(bound[name]) for name in pair.given]
            self.statements.append(t.assign(saved, t.pack(given), self.origin))
        back = t.call(self.unit.use(pair.reverse, pair.reverse.__name__), t.load(saved), t.load(self.ct))
        self.spread(pair, bound, arguments, back)

    def keep(self, saved: str) -> None:
        """Bring what a forward half saved to the reverse sweep."""
        if self.r.depth:
            tape = self.r.tape(saved)
            self.forward.append(t.effect(t.method(tape, "append", t.load(saved)), self.origin))
            self.statements.append(t.assign(saved, t.method(tape, "pop"), self.origin))

    def spread(self, pair: Any, bound: dict, arguments: list, back: Any) -> None:
        """What the reverse half of a callee returns, added to the adjoints of the arguments."""
        if len(pair.active) == 1:
            self.add_nested(dict(zip(bound, arguments))[pair.active[0]], back)
            return
        names = [self.unit.names.fresh(f"{name}_part") for name in pair.active]
        self.statements.append(t.unpack(names, back, self.origin))
        for name, part in zip(pair.active, names):
            self.add_nested(dict(zip(bound, arguments))[name], t.load(part))

    def attempt(self, attempt: Attempt, pair: Any, bound: dict, arguments: list) -> None:
        """Where the body of a `try` came to its end, its reverse half gives the contributions."""
        tried = self.unit.use(attempt.of(pair.forward, 1), self.unit.names.fresh("attempt"))
        whole = self.unit.names.fresh("outcome")
        path = self.unit.names.fresh("path")
        parts = [path, *(self.unit.names.fresh(n) for n in ("error", "given", *["given_saved"] * attempt.depth))]
        saved = self.unit.names.fresh("attempt_saved")
        self.forward += [t.assign(whole, t.call(tried, *(t.clone(a) for a in arguments)), self.origin),
                         t.unpack([*parts, saved], t.load(whole), self.origin),
                         t.assign(self.name, t.pack([t.load(n) for n in parts]), self.origin)]
        self.unit.unset.update([*parts[2:], saved])
        if self.r.depth:
            for name in (path, saved):
                tape = self.r.tape(name)
                self.forward.append(t.effect(t.method(tape, "append", t.load(name)), self.origin))
                self.statements.append(t.assign(name, t.method(tape, "pop"), self.origin))
        ct: gast.expr = t.subscript(t.load(self.ct), t.const(2))
        for level in range(attempt.depth):
            ct = t.pack([ct, t.subscript(t.load(self.ct), t.const(3 + level))])
        back = t.call(self.unit.use(pair.reverse, pair.reverse.__name__), t.load(saved), ct)
        names = [self.unit.names.fresh(f"{name}_part") for name in pair.active]
        given = dict(zip(bound, arguments))
        taken = t.unpack(names, back, self.origin) if len(names) > 1 else t.assign(names[0], back, self.origin)
        none = [t.assign(part, self.r.zero(given[name].id), self.origin) for name, part in zip(pair.active, names)]
        test = gast.Compare(left=t.load(path), ops=[gast.Eq()], comparators=[t.const(0)])
        self.statements.append(t.if_(test, [taken], none, self.origin))
        for name, part in zip(pair.active, names):
            self.add_nested(given[name], t.load(part))

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
                self.add_nested(item, t.call(self.r.helper(runtime.entry_of), t.clone(part), t.clone(key), t.clone(item)))
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
            t.rename(part, {self._OUT: new})

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


def check_refused(tree: Any, unit: Any) -> None:
    """Raise for what a rule refuses whatever the values are, now that only what is needed is left."""
    if runtime.refuse not in unit.env.values():
        return
    for node in t.walk(tree):
        if isinstance(node, gast.Call) and unit.lookup(node.func) is runtime.refuse and t.origin_of(node) is not None:
            message, remedy = (part.value for part in node.args)
            raise UnsupportedError(message, t.origin_of(node), remedy)


def new_axes(index: Any) -> Any:
    """For an index that only adds axes, x[:, None]: the index that takes them away again, [:, 0]. Else None."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    new = [isinstance(p, gast.Constant) and p.value is None for p in parts]
    kept = [isinstance(p, gast.Slice) and not (p.lower or p.upper or p.step) or (
        isinstance(p, gast.Constant) and p.value is Ellipsis) for p in parts]
    if not any(new) or not all(a or b for a, b in zip(new, kept)):
        return None
    return t.pack([t.const(0) if fresh else t.clone(p) for fresh, p in zip(new, parts)])


class Division(t.Transformer):
    """Calls of a helper in the place of `/`, in what a rule gives."""

    def __init__(self, helper: str) -> None:
        self.helper, self.found = helper, False

    def visit_BinOp(self, node: gast.BinOp) -> Any:
        node = self.generic_visit(node)
        if not isinstance(node.op, gast.Div) or isinstance(node.right, gast.Constant):
            return node
        self.found = True
        return t.call(self.helper, node.left, node.right)


def _is_python_number(kind: Any) -> bool:
    return isinstance(kind, k.Num) and kind.is_scalar and (kind.dtype or "").startswith("py")
