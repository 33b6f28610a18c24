"""Checkpoints: loops become functions of what they carry, whose reverse sweep computes their turns again.

    for i in range(n):                      u = f_loop(n, u, kappa)         def f_turns(start, stop, u, kappa):
        u = step(u, kappa)                                                      for i in range(start, stop):
                                                                                    u = step(u, kappa)
                                                                                return u

The call takes and gives what the loop carries from turn to turn; what it only reads is a constant argument, whose adjoints are
summed. `compiler.checkpointing` makes the two halves of such a function, by `runtime.checkpoints`. A loop can be one if its
turns can be computed twice as if they had been computed once: it draws, prints and changes nothing outside of it.
"""
from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

import gast

from sourcegrad import kinds as k
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.activity import Activity
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.tbr import Record
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import Origin, SourcegradError
from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import assigned_after, single_values
from sourcegrad.ir.scopes import Scope, mark
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import MEMORY, RESERVED, Function, Names, Unit, stem
from sourcegrad.memory.heap import LOOKS, drawn_from, followed, reached
from sourcegrad.parse import statements as try_
from sourcegrad.parse.resolve import describe
from sourcegrad.runtime.structure import STREAMS


@dataclass(eq=False)
class Loop:
    """What is known of a loop that is a function. turns: the function of some of its turns; carried: the names of what it carries;
    outputs: of what the last turn gives besides.

    counted: its first parameter is the number of turns. ends: it may end by itself, which the turns tell first."""

    turns: Function
    carried: tuple[str, ...]
    outputs: tuple[str, ...]
    counted: bool
    ends: bool


class Stays(Exception):
    """A loop cannot be computed again, and why."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.reason, self.remedy = reason, remedy


Kept = dict[Origin | None, tuple[str, str]]


def outline_loops(unit: Unit, facts: Infer, activity: Activity, effects: Callable, idle: Container, kept: Kept,
                  wanted: bool = True) -> int:
    """Make calls of the outermost loops of a function that save something, in place; how many.

    effects: of a callee. idle: the places of loops that save nothing. kept: gets those that stay on the tape, and why. wanted:
    whether somebody reads the value of the function."""
    return Outline(unit, facts, activity, effects, idle, kept, wanted).run()


class Outline:
    def __init__(self, unit: Unit, facts: Infer, activity: Activity, effects: Callable, idle: Container, kept: Kept,
                 wanted: bool) -> None:
        self.unit, self.facts, self.varied, self.effects = unit, facts, activity.varied, effects
        self.idle, self.kept = idle, kept
        self.plan = Record(facts, unit.counters, False, activity.varied).run()
        self.values = single_values(unit.tree)
        self.live = Liveness()
        self.live.block(unit.tree.body, frozenset())
        self.count = 0
        self.reads: dict[str, list] = {}                     # the statements that read a name
        for s in () if wanted else t.statements(unit.tree.body):
            for name in set(t.header_reads(s)):
                self.reads.setdefault(name, []).append(s)
        self.unread = {name for name in self.reads if self.only_added(name, set())}

    def only_added(self, name: str, seen: set[str]) -> bool:
        """Whether a number only goes into the value of the function, as a term: no adjoint and nobody else reads it."""
        number = k.as_num(self.facts.kinds.get(name, k.ANY))
        if not isinstance(number, k.Num) or number.dims != () or number.is_complex is not False or number.is_discrete:
            return False
        seen.add(name)
        for s in self.reads.get(name, ()):
            if isinstance(s, gast.Return) and t.is_name(s.value):
                continue
            if not isinstance(s, gast.Assign) or not t.is_name(s.targets[0]) or not self.is_term(s.value, name):
                return False
            if s.targets[0].id not in seen and not self.only_added(s.targets[0].id, seen):
                return False
        return True

    def is_term(self, value: Any, name: str) -> bool:
        """Whether an expression is linear in a name, by what is known without it."""
        if isinstance(value, gast.UnaryOp):
            return isinstance(value.op, (gast.USub, gast.UAdd)) and t.is_name(value.operand)
        if not isinstance(value, gast.BinOp):
            return t.is_name(value)
        if isinstance(value.op, (gast.Add, gast.Sub)):
            return True
        other = value.right if t.is_name(value.left, name) else value.left
        linear = isinstance(value.op, gast.Mult) or isinstance(value.op, gast.Div) and other is value.right
        return linear and not set(t.reads(other)) & {*self.varied, name}

    def run(self) -> int:
        self.unit.tree.body = self.block(self.unit.tree.body, frozenset(self.unit.parameters))
        return self.count

    def block(self, block: list, sure: frozenset) -> list:
        result: list = []
        for position, s in enumerate(block):
            before = assigned_after(block[:position], sure)
            if isinstance(s, gast.If) and not is_stop(s):
                s.body, s.orelse = self.block(s.body, before), self.block(s.orelse, before)
            if not isinstance(s, (gast.For, gast.While)) or t.origin_of(s) in self.idle or not self.saves(s):
                result.append(s)
                continue
            try:
                result += self.call(s, before)
                self.count += 1
            except Stays as problem:
                self.kept[t.origin_of(s)] = problem.reason, problem.remedy
                result.append(s)
        return result

    def saves(self, s: Any) -> bool:
        """Whether a tape is planned for a loop, and derivatives flow through what it carries."""
        inside = list(t.statements(s.body))
        blocks = {(id(x), part) for x in (s, *inside) for part in ("body", "orelse")}
        written = {n for x in inside for n in t.writes(x)}
        kept = any(id(x) in self.plan.kills for x in inside) or any(self.plan.retired.get(key) for key in blocks)
        return kept and bool(written & self.varied) or any(t.list_method(x) for x in inside)

    # --- one loop

    def call(self, s: Any, sure: frozenset) -> list:
        """The statements that stand for a loop."""
        origin = t.origin_of(s)
        body, flag = self.body(s)
        inside = list(t.statements(body))
        self.check_effects(s, inside)
        grown = self.grown(inside)
        target = s.target.id if isinstance(s, gast.For) else None
        written = {n for x in inside for n in t.writes(x)} | grown
        after = self.live.after[id(s)]
        exposed = Liveness().block(body, frozenset())
        exposed = exposed - {target} if target else exposed | set(t.reads(s.test))
        given = [n for n in self.ordered(s, inside) if n in written and (n in exposed or n in after or n == flag) or (
            n == target and n in after)]
        each = assigned_after(body, frozenset([target] if target else [])) if flag is None and target else frozenset()
        outputs = [n for n in given if n in each and n not in sure and n not in exposed]
        carried = [n for n in given if n not in outputs]
        if target in carried:
            raise Stays(f"'{target}' is read after it", f"Give it another name in the loop: `last = {target}`.")
        setup = self.started(carried, sure, exposed, origin)
        read = {n for x in inside for n in t.header_reads(x)} | set([] if target else t.reads(s.test))
        constants = [n for n in self.ordered(s, inside) if n in read and n not in written and n != target and self.is_local(n)]
        self.check_kinds([*carried, *outputs], constants)
        count, steps = self.counting(s)
        constants = [*constants, *([steps] if steps and steps not in constants else [])]
        function = self.function(s, body, flag, carried, outputs, constants, grown, steps)
        if steps is not None and not isinstance(s.iter, gast.Name):
            setup.append(t.assign(steps, t.clone(s.iter), origin))
        if isinstance(count, gast.Call):
            length = self.unit.names.fresh("count")
            setup.append(t.assign(length, count, origin))
            count = t.load(length)
        name = self.unit.use(function, function.name)
        call = t.call(name, *([count] if count is not None else []), *map(t.load, (*carried, *constants)))
        results = [*carried, *outputs]
        if len(results) == 1:
            return [*setup, t.assign(results[0], call, origin)]
        whole = self.unit.names.fresh("carried")
        return [*setup, t.assign(whole, call, origin), t.unpack(results, t.load(whole), origin)]

    def body(self, s: Any) -> tuple[list, str | None]:
        """The statements of a turn without what counts turns, and the flag that ends the loop."""
        body, flag = list(s.body), None
        first: Any = body[0] if body else None
        if isinstance(first, gast.Assign) and set(t.writes(first)) & self.unit.counters:
            del body[0]
        if body and is_stop(body[-1]):
            if not isinstance(body[-1].test, gast.Name):
                raise Stays("it ends in an unusual way", "Write `while condition:`.")
            flag = body[-1].test.id
        return body, flag

    def ordered(self, s: Any, inside: list) -> list[str]:
        """The names that a loop mentions, in order."""
        header = [*t.writes(s), *t.header_reads(s)]
        return list(dict.fromkeys([*header, *(n for x in inside for n in (*t.writes(x), *self.changed(x), *t.header_reads(x)))]))

    def changed(self, s: Any) -> list[str]:
        found = t.list_method(s)
        return [] if found is None else [found[0]]

    def is_local(self, name: str) -> bool:
        return name in self.facts.local or name in self.unit.parameters

    def grown(self, inside: list) -> set[str]:
        """Lists from outside of a loop that get longer in it."""
        made = {n for x in inside for n in t.writes(x)}
        found = {m for x in inside if (m := t.list_method(x)) is not None and m[0] not in made}
        if found and self.unit.function.pure:
            raise Stays("it is the loop of a derivative", "Leave memory= out.")
        for name, method in found:
            if method != "append" or not isinstance(self.facts.kinds.get(name), k.Lst) or not self.is_local(name):
                raise Stays(f"the list '{name}' changes in it", "Carry what it needs in names.")
        return {name for name, _ in found}

    def started(self, carried: list[str], sure: frozenset, exposed: frozenset, origin: Any) -> list:
        """Values of names that have none before the loop: zeros, which nobody reads where Python would not raise."""
        new: list = []
        for name in carried:
            if name in sure:
                continue
            kind = k.as_num(self.facts.kinds.get(name, k.ANY))
            if name in exposed or not isinstance(kind, k.Num) or not kind.is_scalar or kind.is_discrete:
                raise Stays(f"'{name}' may have no value before it", f"Give '{name}' a value of the same form before the loop.")
            new.append(t.assign(name, t.const(0.0), origin))
        return new

    def check_kinds(self, carried: list[str], constants: list[str]) -> None:
        for name in carried:
            if not plain(self.facts.kinds.get(name, k.ANY)):
                raise Stays(f"'{name}' is carried by it, and is no number, array or tuple of such",
                            "Carry numbers, arrays, and tuples and lists of such.")
        for name in constants:
            if draws(self.facts.kinds.get(name, k.ANY)):
                raise Stays(f"'{name}' is a random generator", "Draw numbers before the loop.")
            if isinstance(self.facts.kinds.get(name), k.State) or name == MEMORY:
                raise Stays("objects change in it", "Carry numbers and arrays in names.")

    def check_effects(self, s: Any, inside: list) -> None:
        """Refuse what must not be done twice."""
        if any(try_.is_context(x) for x in inside):
            raise Stays("there is a `with` block in it", "Put the loop into the `with` block.")
        values = [getattr(x, "value", None) or getattr(x, "test", None) or getattr(x, "iter", None) for x in (s, *inside)]
        made = {n for x in inside for n in t.writes(x)}
        for call in (node for value in values if value is not None for node in t.walk(value) if isinstance(node, gast.Call)):
            self.check_call(call, made)

    def check_call(self, call: gast.Call, made: set[str]) -> None:
        """Refuse a call that may do more than compute. made: names that a turn assigns."""
        target = call_targets.target_of(call, self.unit, self.facts.of)
        text = call.func.id if isinstance(call.func, gast.Name) else getattr(call.func, "attr", "it")
        remedy = "Draw numbers before the loop, print after it."
        if mark(target.object, "__sourcegrad_static__"):     # sg.grad(f)
            return
        functions: list[Any] = [target.function]
        if target.custom is not None:
            functions = [describe(f) for f in (target.custom.function, target.custom.forward) if f is not None]
        elif target.function is None or not followed(target):
            stream = drawn_from(call, target, self.facts)
            if stream is not None and not set(t.reads(stream)) <= made or t.list_method(
                    gast.Expr(value=call)) is None and reached(self.unit, call, self.facts) - {LOOKS}:
                raise Stays(f"{text}() in it may do more than compute", remedy)
            return
        for function in functions:
            try:
                bound = call_targets.bind(function, target, self.unit)
                found = self.effects(function, {n: self.facts.of(v) or k.ANY for n, v in bound.items()})
            except (SourcegradError, TypeError):
                raise Stays(f"{text}() in it cannot be followed", remedy) from None
            if found.drawn or found.dynamic or found.reaches - {LOOKS}:
                raise Stays(f"{text}() in it may do more than compute: draw, print, or call what is not known", remedy)

    # --- its functions

    def counting(self, s: Any) -> tuple[Any, str | None]:
        """The number of turns as an expression, and the name of the range of a `for` that does not simply count them."""
        if isinstance(s, gast.While):
            return None, None
        steps = self.values.get(s.iter.id) if isinstance(s.iter, gast.Name) else s.iter
        if isinstance(steps, gast.Call) and t.is_name(steps.func, "range") and len(steps.args) == 1 and not steps.keywords:
            size = steps.args[0]
            if isinstance(size, gast.Constant) or isinstance(size, gast.Name) and (
                    steps is s.iter or size.id in self.values or self.never_written(size.id)):
                return t.clone(size), None
        name = s.iter.id if isinstance(s.iter, gast.Name) else self.unit.names.fresh("steps")
        if name not in self.facts.kinds:
            self.facts.kinds[name] = k.Obj(range)
        return t.call("len", t.load(name)), name

    def never_written(self, name: str) -> bool:
        return not any(name in t.writes(x) for x in t.statements(self.unit.tree.body))

    def function(self, s: Any, body: list, flag: str | None, carried: list[str], outputs: list[str], constants: list[str],
                 grown: set[str], steps: str | None) -> Function:
        """The loop as a function, which knows that of some of its turns."""
        origin = t.origin_of(s)
        names = Names({*(n.id for x in body for n in t.walk(x) if isinstance(n, gast.Name)), *carried, *constants, *self.unit.env})
        counted = isinstance(s, gast.For)
        plainer = {n: stem(n) for n in [*carried, *outputs, *constants] if stem(n) not in names.taken | RESERVED and len(
            {stem(n) for n in [*carried, *outputs, *constants]}) == len(carried) + len(outputs) + len(constants)}
        names.taken.update(plainer.values())
        start, stop, count, over, trips = (names.fresh(name) for name in ("start", "stop", "count", "over", "trips"))
        copied = self.unit.use(list, "list") if grown else ""
        own = [t.assign(n, t.call(copied, t.load(n)), origin) for n in carried if n in grown]
        parameters = [*carried, *constants]
        results = [*carried, *outputs]
        result: gast.expr = t.load(results[0]) if len(results) == 1 else t.pack([*map(t.load, results)])
        ends = not counted or flag is not None
        some = t.pack([t.load(over), *map(t.load, results)]) if ends else t.clone(result)
        if counted:
            turns: gast.expr = t.call("range", t.load(start), t.load(stop))
            part = []
            if steps is not None:
                some_steps = names.fresh("steps")
                taken = t.subscript(t.load(steps), gast.Slice(lower=t.load(start), upper=t.load(stop), step=None))
                part, turns = [t.assign(some_steps, taken, origin)], t.load(some_steps)
            part.append(t.for_(s.target.id, turns, t.clone(body), origin))
            part += [t.assign(over, t.load(flag), origin)] if flag else []
            whole = [t.for_(s.target.id, t.call("range", t.load(count)) if steps is None else t.load(steps), t.clone(body), origin)]
            before, every = [start, stop], [count]
        else:
            limit = names.fresh("limit")
            part = self.limited(s, body, flag, trips, limit, over)
            whole, before, every = [t.while_(t.clone(s.test), t.clone(body), origin)], [limit], []
        of_turns = self.lifted(f"{self.unit.function.label}_turns", [*before, *parameters], [*own, *part], some, origin)
        of_turns.counter = "" if counted else trips
        found = self.lifted(f"{self.unit.function.label}_loop", [*every, *parameters], [*own, *whole], result, origin)
        for function in (of_turns, found):
            t.rename(function.tree, plainer)
            function.local = {plainer.get(n, n) for n in function.local}
        of_turns.unread = frozenset(j + ends for j, n in enumerate(results) if n in self.unread)
        found.loop = Loop(of_turns, tuple(plainer.get(n, n) for n in carried), tuple(outputs), counted, ends)
        return found

    def limited(self, s: gast.While, body: list, flag: str | None, turns: str, limit: str, over: str) -> list:
        """A `while` of so many turns at most, and whether it has come to its end."""
        origin = t.origin_of(s)
        below = gast.Compare(left=t.load(turns), ops=[gast.Lt()], comparators=[t.load(limit)])
        endless = isinstance(s.test, gast.Constant) and s.test.value
        test = below if endless else gast.BoolOp(op=gast.And(), values=[below, t.clone(s.test)])
        one_more = t.assign(turns, t.binop(t.load(turns), gast.Add(), t.const(1)), origin)
        new = [t.assign(turns, t.const(0), origin), t.while_(test, [one_more, *t.clone(body)], origin)]
        ended: list = [t.assign(over, t.clone(below), origin)]
        if flag is not None:
            ended = [t.assign(over, t.load(flag), origin)] if endless else [*ended, t.if_(
                t.load(flag), [t.assign(over, t.const(True), origin)], [], origin)]
        return [*new, *ended]

    def lifted(self, name: str, parameters: list[str], body: list, result: gast.expr, origin: Any) -> Function:
        scope = self.unit.function.scope
        value: list = []
        if isinstance(result, gast.Tuple):
            whole = self.unit.names.copy().fresh("values")
            value, result = [t.assign(whole, result, origin)], t.load(whole)
        tree = t.function(name, t.arguments(parameters), [*body, *value, t.return_(result, origin)], origin)
        inner = Scope(scope.globals, scope.cells, {**scope.bound, **self.unit.env})
        found = Function(name, tree, inner, pure=True, flat=True)
        found.local = (found.local & self.unit.function.local) | set(parameters)         # (not what passes have named)
        return found


def plain(kind: Any) -> bool:
    """Whether a value is a number, an array, or a tuple, list or dict of such."""
    if isinstance(kind, k.Obj):
        return kind.cls in (str, bytes, range, slice, frozenset)
    held = isinstance(kind, (k.Tup, k.Lst, k.Dct, k.Map)) and all(map(plain, k.parts(kind)))
    return held or isinstance(kind, (k.Num, k.Const, k.Optional))


def draws(kind: Any) -> bool:
    """Whether a value is a random generator, or holds one."""
    return isinstance(kind, k.Obj) and issubclass(kind.cls, STREAMS) or any(map(draws, k.parts(kind)))
