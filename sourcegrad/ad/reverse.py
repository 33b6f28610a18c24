"""The reverse transformation: a forward sweep that records, and a reverse sweep that restores and accumulates.

Works on core Python from the last statement to the first. `live` holds the names whose adjoint may be nonzero at
the point reached, so that no adjoint of anything without influence is ever emitted. The result saves everything that
is overwritten; `prune` then drops what no adjoint reads.
"""
from __future__ import annotations

import functools
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.ad.adjoint import Adjoint
from sourcegrad.ad.call_pairs import inactive_call, unchanging
from sourcegrad.ad.contributions import missing_attribute, real_part
from sourcegrad.ad.tapes import Sweeps
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.activity import missing_rule
from sourcegrad.analysis.call_targets import POLYNOMIALS, is_holder
from sourcegrad.analysis.objects import class_of
from sourcegrad.analysis.purity import CHANGING
from sourcegrad.analysis.python_types import GENERATORS, hidden
from sourcegrad.analysis.tbr import ROOT
from sourcegrad.errors import MissingRuleError, Origin, SourcegradError, UnsupportedError, called_at
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.cfg import single_values
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Function, Maker
from sourcegrad.lowering.containers import filled_at_once
from sourcegrad.memory.unseen import check_seen
from sourcegrad.parse import try_
from sourcegrad.parse.try_ import Attempt
from sourcegrad.runtime.structure import base_of, overridden
from sourcegrad.syntax.collections_calls import makes_deques

Blocks = tuple[list, list]


class Absent(Exception):
    """A call of an attribute that is not there."""


class Reverse(Sweeps):
    """`pair(function, kinds, active)` gives the generated forward and reverse functions of a callee,
    `prepare(function, kinds)` refuses a callee that is outside the language."""

    # --- blocks

    def block(self, block: list, live: set[str], key: tuple = ROOT) -> Blocks:
        """Forward and reverse statements of a block; `live` is updated to the state before the block."""
        forward: list = []
        reverse: list = []
        for s in reversed(block):
            f, r = self.statement(s, live, key)
            forward = f + forward
            reverse += [*r, *(t.clone(again) for again in self.plan.after.get(id(s), ()))]
        return forward, reverse

    def enclosed(self, block: list, live: set[str], key: tuple) -> Blocks:
        """A block inside an `if` or loop: names that retire with it are pushed at its end, and popped in reverse."""
        forward, reverse = self.block(block, live, key)
        origin = t.origin_of(block[-1]) if block else None
        pushes: list = []
        pops: list = []
        for name in self.plan.retired.get(key, ()):
            tape = self.tape(name)
            kept: gast.expr = t.load(name)
            if name in self.plan.copied:
                kept = t.call(self.numpy("copy"), kept)
            pushes.append(t.effect(t.method(tape, "append", kept), origin))
            pops.insert(0, t.assign(name, t.method(tape, "pop"), origin))
        again = [t.clone(s) for s in self.plan.again.get(key, ())]
        unset = self.unset(key, origin)
        return unset + forward + pushes, pops + again + reverse

    def statement(self, s: Any, live: set[str], key: tuple) -> Blocks:
        if isinstance(s, gast.Assign):
            try:
                f, r = self.assign(s, live)
            except MissingRuleError as problem:
                if not self.branching or not t.is_name(s.targets[0]):
                    raise
                return self.trap(s, problem, live), []
            except Absent:
                live.difference_update(t.writes(s))
                return [s], []
            return f, (r + self.context(s) if try_.is_context(s) else r)
        if isinstance(s, gast.If):
            return self.if_(s, live)
        if isinstance(s, (gast.For, gast.While)):
            outer = self.depth == 0
            self.depth += 1
            f, r = self.for_(s, live) if isinstance(s, gast.For) else self.while_(s, live)
            self.depth -= 1
            if outer:
                origin = t.origin_of(s)
                f = [t.assign(tape, gast.List(elts=[], ctx=t.LOAD), origin) for tape in self.tapes] + f
                self.tapes = []
            return f, r
        found = t.list_method(s)
        if found is not None and isinstance(s, gast.Expr):
            return self.list_change(s, found, live)
        if try_.is_context(s):
            return [s], self.context(s)
        return [s], []

    def trap(self, s: gast.Assign, problem: MissingRuleError, live: set[str]) -> list:
        """What stands for a call without a rule in a branch: an error if the branch is taken."""
        live.difference_update(t.writes(s))
        refusal = t.call(self.helper(runtime.trap), t.const(problem.message), t.const(problem.remedy))
        return [t.assign(s.targets[0], refusal, problem.origin and problem.origin._replace(callers=problem.callers))]

    def context(self, s: Any) -> list:
        """The reverse sweep of a `with` block, which enters the context again where that matters."""
        origin = t.origin_of(s)
        if try_.is_leave(s.value):
            self.contexts.append(s.value.args)
            return [t.effect(try_.enter(t.clone(a)), origin) for a in s.value.args]
        manager = s.value.args[0]
        if any(n in self.varied for n in t.reads(manager)):
            raise UnsupportedError("a context manager that is made from values that depend on the inputs", origin,
                                   "Write out what it does before and after the block.")
        return [t.effect(try_.leave(t.clone(a)), origin) for a in self.contexts.pop()]

    # --- saving

    # --- simple statements

    def assign(self, s: gast.Assign, live: set[str]) -> Blocks:
        origin = t.origin_of(s)
        pushes: list = []
        restores: list = []
        place = self.stored_place(s)
        for name in self.plan.kills.get(id(s), ()):
            if place is not None:
                saving, restoring = self.save_place(name, place, s)
                pushes += saving
                restores[:0] = restoring
                continue
            push, pop = self.save(name, origin)
            pushes.append(push)
            restores.insert(0, pop)
        targets = t.writes(s)
        found = t.list_method(s)
        if found is not None:
            return self.pop(s, found, live, pushes, restores)
        active = [n for n in targets if n in live]
        sources = self.activity.active_sources(s.value)
        self.check_known(s, bool(sources))
        forward: list = [s]
        if not active or not sources:
            live.difference_update(active)
            if isinstance(s.value, gast.Call):
                forward = self.primal_call(s)
            return pushes + forward, restores
        if isinstance(s.targets[0], gast.Tuple):
            early = self.early_zeros(s, targets, live)
            return pushes + forward, early + restores + self.unpack(s, targets, live)
        name = targets[0]
        live.discard(name)
        kind = self.facts.kinds.get(name)
        if kind is not None and k.is_discrete(kind):
            return pushes + forward, restores
        adjoint = Adjoint(self, s, name)
        adjoint.value(s.value)
        reverse = adjoint.finish(live, restores)
        return pushes + adjoint.before + (adjoint.forward or forward), reverse

    def check_known(self, s: gast.Assign, active: bool) -> None:
        """Refuse a call whose effect on derivatives cannot be known: no rule, no source, or a target found at run time."""
        value = s.value
        origin = t.origin_of(s)
        if isinstance(value, gast.Attribute) and isinstance(
                self.facts.of(value.value), (k.Lst, k.Tup, k.Dct)) and class_of(self.facts.of(value.value)) is None:
            raise UnsupportedError(f"the method '.{value.attr}' of a container as a value",
                                   source.locate(value, origin), "Call the method directly.")
        if not isinstance(value, gast.Call):
            return
        target = call_targets.target_of(value, self.unit, self.facts.of)
        origin = source.locate(value, origin)
        self.check_class(value, target, origin)
        if target.custom is not None:
            unchanging(self, target.custom, target, origin)
            return
        if target.known or target.inert or target.plain or isinstance(target.object, Maker) or hasattr(
                target.object, "result_kind"):
            return
        exposed = active or any(mutable(kind) or k.tells(kind) for kind in map(self.facts.of, target.operands))
        if target.function is not None:
            if exposed:                                  # what the callee may not do is refused there
                self.check_callee(s, target.function, target, origin)
            return
        text = source.expression_text(value.func)
        if try_.is_context(s):
            return
        if target.object is None:
            self.check_found_at_run_time(value, text, active, origin)
        else:
            self.check_without_rule(s, target, text, active, exposed, origin)

    def check_class(self, value: gast.Call, target: call_targets.Target, origin: Origin | None) -> None:
        """Refuse objects of classes that have operations of their own or keep values out of sight."""
        other = overridden(target.object) if isinstance(target.object, type) else None
        if other is not None and not self.unit.function.pure:
            what = f"{target.object.__name__}, a {base_of(target.object).__name__} with a `{other}` of its own"    # type: ignore
            raise UnsupportedError(f"an object of {what}", origin,
                                   "Make it a class that holds such an object: collections.UserDict, collections.UserList.")
        if is_holder(target.object):
            raise UnsupportedError(f"`{source.expression_text(value.func)}`, which keeps values out of sight", origin,
                                   "Use a list, a dict or collections.deque, and call functions directly.")

    def check_callee(self, s: gast.Assign, function: Function, target: call_targets.Target, origin: Origin | None) -> None:
        """Prepare a callee whose source is known, and check what it changes; what it may not do is refused there."""
        try:
            bound = call_targets.bind(function, target, self.unit)
        except TypeError as problem:
            raise UnsupportedError(str(problem), origin, "Python would raise this, too.") from None
        with called_at(origin):
            found = self.prepare(function, {n: self.facts.of(v) for n, v in bound.items()})
        check_seen(s, self.unit, function, bound, found.effects)

    def check_found_at_run_time(self, value: gast.Call, text: str, active: bool, origin: Origin | None) -> None:
        """Refuse a call whose target is not known when the code is generated, if a derivative may depend on it."""
        receiver = [n for n in t.reads(value.func) if n in self.facts.local]
        owner = value.func.value if isinstance(value.func, gast.Attribute) else None
        held = None if owner is None else self.facts.of(owner)
        missing = missing_attribute(value.func, self.unit.lookup(owner) if owner is not None else None, held, origin)
        if missing is not None and (self.branching or self.unit.function.flat):
            raise Absent(missing)                        # Python raises an error, if the code runs
        if missing is not None:
            raise missing
        changes = isinstance(held, (k.Lst, k.Tup, k.Dct)) or isinstance(held, k.Num) and held.boxed is not False
        changes = changes or owner is not None and value.func.attr in CHANGING
        kind = self.facts.of(value.func) if owner is None else None
        if isinstance(kind, k.Obj) and kind.cls in POLYNOMIALS and active:
            raise UnsupportedError(f"the class `{kind.cls.__name__}`", origin, POLYNOMIALS[kind.cls])
        if isinstance(held, k.Obj) and held.cls in GENERATORS and active:
            raise UnsupportedError(f"`{text}(...)` of what depends on the inputs", origin,
                                   "Draw positions, x[rng.permutation(len(x))], or standard numbers, "
                                   "mean + scale * rng.standard_normal(n).")
        if changes or not call_targets.by_value(value, self.facts.of) and (active or any(n in self.varied for n in receiver)):
            raise UnsupportedError(f"`{text}(...)` is a call whose target is not known when the code is generated",
                                   origin, "Call a function by its name, or pass the function as an argument.")

    def check_without_rule(self, s: gast.Assign, target: call_targets.Target, text: str, active: bool, exposed: bool,
                           origin: Origin | None) -> None:
        """Refuse a call of a function that has neither a rule nor a source, if a derivative flows through it."""
        if active and target.object in POLYNOMIALS:
            raise UnsupportedError(f"the class `{text}`", origin, POLYNOMIALS[target.object])
        if active and _module(target.object).startswith("numpy.ma"):
            raise UnsupportedError(f"`{text}`: masked arrays", origin,
                                   "Use a boolean mask, x[~mask].sum(), or np.where(mask, 0.0, x).")
        inner = any(isinstance(self.facts.of(a), k.Closure) for a in target.args)        # a function that is made here
        if (active or inner) and _module(target.object) == "sourcegrad.api.gradient":
            raise UnsupportedError(f"`{text}` inside a function that is differentiated", origin,
                                   "Use sg.grad(f, grad_outputs=weights) or sg.value_and_grad(f) there, of a function f that "
                                   "stands outside and takes what it needs as arguments: sg.grad(f, \"x\")(x, a).")
        base = base_of(target.object) if isinstance(target.object, type) else None
        if active and base is not None:
            raise UnsupportedError(f"an object of {text}, which inherits from {base.__name__}", origin,
                                   f"Make it a {base.__name__}, or a class that holds one.")
        if active:
            parameters = ", ".join(f"x{j}" for j in range(len(target.args))) if len(target.args) > 1 else "x"
            raise missing_rule(text, parameters, origin)
        if exposed and not s.targets[0].id.startswith("unused") and any(map(k.tells, map(self.facts.of, target.operands))):
            raise UnsupportedError("a number read from text", origin, "Keep the number itself.")

    def primal_call(self, s: gast.Assign) -> list:
        """A call through which no derivative flows: what has no Python object that does the same is generated."""
        target = call_targets.target_of(s.value, self.unit, self.facts.of)
        if target.object is None and not self.unit.function.pure:
            return [inactive_call(self, s, target)]
        if target.object is runtime.plain_key and not self.varied.intersection(t.reads(s.value)):
            return [t.assign(s.targets[0], t.clone(target.args[0]), t.origin_of(s))]         # no number with a derivative
        if target.function is None or (target.function.object is not None and not target.function.generator
                                        and not target.function.outputs and not target.function.shares
                                        and not makes_deques(target.function.object)
                                        and not self.would_keep(target.function, target)
                                        and not any(hidden(self.facts.of(x)) for x in (s.value, *target.operands))):
            return [s]
        bound = call_targets.bind(target.function, target, self.unit)
        kinds = {n: self.facts.of(v) for n, v in bound.items()}
        with called_at(source.locate(s.value, t.origin_of(s))):
            primal = self.pair(target.function, kinds, None)
        if isinstance(target.object, Attempt):
            name = self.unit.names.fresh("attempt")
            new = t.call(self.unit.use(target.object.of(primal), name), *(t.clone(v) for v in bound.values()))
            return [t.assign(s.targets[0], new, t.origin_of(s))]
        new = t.call(self.unit.use(primal, target.function.name), *(t.clone(v) for v in bound.values()))
        return [t.assign(s.targets[0], new, t.origin_of(s))]

    def would_keep(self, function: Any, target: call_targets.Target) -> bool:
        """Whether a function, called as it is, would leave the value of a cached property in an object of the caller, or may
        change what it is given out of sight: generated code looks whether it does."""
        try:
            bound = call_targets.bind(function, target, self.unit)
            effects = self.prepare(function, {n: self.facts.of(v) for n, v in bound.items()}).effects
        except (SourcegradError, TypeError):
            return False
        return effects.dynamic or bool(effects.cached) and any(k.is_object(self.facts.of(v)) for v in bound.values())

    def early_zeros(self, s: gast.Assign, targets: list[str], live: set[str]) -> list:
        """Zero adjoints of new values that nobody has read, where the old values, which come back, may be longer or shorter."""
        names = [n for n in targets if n not in live and n in self.plan.kills.get(id(s), ())
                 and not isinstance(k.as_num(self.kind(n)), k.Num) and n in t.reads(self.zero(n))]
        live.update(names)
        return [t.assign(self.bar(n), self.zero(n), t.origin_of(s)) for n in names]

    def unpack(self, s: gast.Assign, targets: list[str], live: set[str]) -> list:
        """a, b = x"""
        origin = t.origin_of(s)
        base = s.value.id
        parts = [t.load(self.bar(n)) if n in live else self.zero(n) for n in targets]
        for position, name in enumerate(targets):
            if name not in live and name in self.renewed and name in t.reads(parts[position]):
                part = t.subscript(t.load(base), t.const(position))         # the name holds its older value again
                parts[position] = t.call(self.helper(runtime.zeros_like), part)
        live.difference_update(targets)
        kind = self.kind(base)
        items = kind.items if isinstance(kind, (k.Tup, k.Closure)) else [getattr(kind, "item", kind)] * len(parts)
        parts = [real_part(part, self.facts.kinds.get(name), item, self.unit) if isinstance(part, gast.Name) else part
                 for name, part, item in zip(targets, parts, items)]
        if isinstance(kind, (k.Tup, k.Closure)):
            return self.accumulate(base, t.pack(parts), live, origin)
        if isinstance(kind, k.Lst):
            return self.accumulate(base, gast.List(elts=parts, ctx=t.LOAD), live, origin)
        if not isinstance(kind, k.Num) and len(parts) > 1:
            return self.accumulate(base, t.call(self.helper(runtime.regroup), t.pack(parts), t.load(base)), live, origin)
        new: list = []
        for position, part in enumerate(parts):
            if self.bar(targets[position]) in t.reads(part):
                new += self.scatter(base, t.const(position), part, live, origin)
        return new

    def accumulate(self, name: str, value: gast.expr, live: set[str], origin: Origin | None) -> list:
        """Add a contribution to an adjoint: assignment on first use, sum afterwards."""
        bar = self.bar(name)
        if name in live:
            if isinstance(self.kind(name), k.Num):
                value = t.binop(t.load(bar), gast.Add(), value)
            else:
                value = t.call(self.helper(runtime.add), t.load(bar), value)
        elif isinstance(value, (gast.Name, gast.Subscript)) and name in self.growing:
            value = t.call(self.unit.use(list, "list"), value)         # items are taken from it: a list of its own
        live.add(name)
        return [t.assign(bar, value, origin)]

    @functools.cached_property
    def single(self) -> dict[str, Any]:
        """The values of names that are assigned once."""
        return single_values(self.unit.tree)

    @functools.cached_property
    def filled(self) -> set[str]:
        """Lists that one loop fills after they are made."""
        return filled_at_once(self.unit.tree.body)

    @functools.cached_property
    def growing(self) -> set[str]:
        """Lists that get longer item by item: their adjoints lose the items again."""
        found = (t.list_method(s) for s in t.statements(self.unit.tree.body))
        return {m[0] for m in found if m is not None and m[1] == "append" and not self.unit.function.pure}

    def scatter(self, name: str, index: gast.expr, value: gast.expr, live: set[str], origin: Origin | None) -> list:
        """Add a contribution to the part of an adjoint that an index selects."""
        if isinstance(self.kind(name), (k.Obj, k.OneOf)):                # sparse: no zeros
            new: gast.expr = gast.Dict(keys=[index], values=[value])
            if name in live:
                new = t.call(self.helper(runtime.entry_add), t.load(self.bar(name)), index, value)
            live.add(name)
            return [t.assign(self.bar(name), new, origin)]
        base = t.load(self.bar(name)) if name in live else self.zero(name)
        live.add(name)
        where = index
        if any(isinstance(n, gast.Slice) for n in t.walk(index)):
            where = t.subscript(t.dotted(self.numpy("s_")), index)
        return [t.assign(self.bar(name), t.call(self.helper(runtime.index_add), base, where, value), origin)]

    # --- lists

    def list_change(self, s: gast.Expr, found: tuple[str, str], live: set[str]) -> Blocks:
        """xs.append(v) is undone by xs.pop(), and its adjoint is xs_bar.pop()."""
        name, method = found
        origin = t.origin_of(s)
        if method == "pop":
            raise UnsupportedError(f"`{name}.pop()` without using its value", origin, f"Write `unused = {name}.pop()`.")
        self.check_list(name, origin)
        restore = t.effect(t.method(name, "pop"), origin)
        if name in self.renewed:
            last = t.call(self.helper(runtime.list_delete), t.load(name), t.const(-1))
            restore = t.assign(name, last, origin)
        if name not in live:
            return [s], [restore]
        if name in self.filled:
            self.unit.emptied.add(self.bar(name))
        item = s.value.args[0]
        taken = self.unit.names.fresh(f"{item.id}_part" if isinstance(item, gast.Name) else "part")
        reverse = [t.assign(taken, t.method(self.bar(name), "pop"), origin), restore]
        if isinstance(item, gast.Name) and item.id in self.varied:
            part = real_part(t.load(taken), self.facts.kinds.get(name), self.kind(item.id), self.unit)
            reverse[1:1] = self.accumulate(item.id, part, live, origin)
        return [s], reverse

    def pop(self, s: gast.Assign, found: tuple[str, str], live: set[str], pushes: list, restores: list) -> Blocks:
        """v = xs.pop() is undone by xs.append(v), and its adjoint is xs_bar.append(v_bar)."""
        name, target = found[0], t.writes(s)[0]
        origin = t.origin_of(s)
        self.check_list(name, origin)
        restore = t.effect(t.method(name, "append", t.load(target)), origin)
        if name in self.renewed:
            restore = t.assign(name, t.call(self.helper(runtime.list_append), t.load(name), t.load(target)), origin)
        if name not in self.varied:
            live.discard(target)
            return pushes + [s], [restore, *restores]
        reverse: list = []
        bar = self.bar(name)
        value: gast.expr = t.load(self.bar(target)) if target in live else self.zero(target)
        value = real_part(value, self.facts.kinds.get(target), getattr(self.kind(name), "item", None), self.unit)
        if name not in live:
            reverse.append(t.assign(bar, t.call(self.helper(runtime.zeros_like), t.load(name)), origin))
        reverse.append(t.effect(t.method(bar, "append", value), origin))
        live.discard(target)
        live.add(name)
        return pushes + [s], [*reverse, restore, *restores]

    def check_list(self, name: str, origin: Origin | None) -> None:
        if name in self.unit.parameters and not self.unit.function.pure:
            raise UnsupportedError(f"the list '{name}' of the caller changes", origin, f"Make a new list: `list({name})`.")
        if name not in self.facts.local:
            raise UnsupportedError(f"the list '{name}' from outside changes", origin, "Return the values instead.")

    # --- branches and loops

    def if_(self, s: gast.If, live: set[str]) -> Blocks:
        if is_stop(s):
            return [s], []
        origin = t.origin_of(s)
        one, other = set(live), set(live)
        self.branching += 1
        f1, r1 = self.enclosed(s.body, one, (id(s), "body"))
        f2, r2 = self.enclosed(s.orelse, other, (id(s), "orelse"))
        self.branching -= 1
        if raises(s.body):                               # then there is no reverse sweep
            r1, one = [], set(live)
        if raises(s.orelse):
            r2, other = [], set(live)
        for name in sorted(one - other):
            r2.append(t.assign(self.bar(name), self.zero_at(name, s), origin))
        for name in sorted(other - one):
            r1.append(t.assign(self.bar(name), self.zero_at(name, s), origin))
        live.clear()
        live.update(one | other)
        forward = [t.if_(s.test, f1, f2, origin)]
        reverse = [t.if_(t.clone(s.test), r1, r2, origin)] if r1 or r2 else []
        return forward, reverse

    def flow(self, block: list, live: set[str]) -> None:
        """The effect of a block on `live`, without emitting anything (a superset)."""
        for s in reversed(block):
            if isinstance(s, gast.If) and not is_stop(s):
                one, other = set(live), set(live)
                self.flow(s.body, one)
                self.flow(s.orelse, other)
                live.clear()
                live.update(one | other)
            elif isinstance(s, (gast.For, gast.While)):
                self.flow_loop(s, live)
            elif isinstance(s, gast.Assign):
                targets = set(t.writes(s)) & live
                found = t.list_method(s)
                if found is not None and found[0] in self.varied:
                    live -= targets
                    live.add(found[0])
                elif targets:
                    live -= targets
                    live.update(self.activity.active_sources(s.value))
            else:
                found = t.list_method(s)
                if found is not None and found[0] in live:
                    live.update(n for n in t.reads(s.value.args[0]) if n in self.varied)

    def flow_loop(self, s: Any, live: set[str]) -> None:
        while True:
            inside = set(live)
            self.flow(s.body, inside)
            if inside <= live:
                return
            live |= inside

    def loop_body(self, s: Any, live: set[str]) -> tuple[list, list, list]:
        """Body of a loop both ways; and the adjoints that must exist before the reverse loop starts."""
        origin = t.origin_of(s)
        body = s.body
        stop = [body[-1]] if body and is_stop(body[-1]) else []
        if stop:
            body = body[:-1]
        around = set(live)
        self.flow_loop(s, around)
        before = [t.assign(self.bar(n), self.zero_at(n, s), origin) for n in sorted(around - live)]
        state = set(around)
        forward, reverse = self.enclosed(body, state, (id(s), "body"))
        for name in sorted(around - state):             # consumed: zero for the value of the iteration before
            reverse.append(t.assign(self.bar(name), self.zero_at(name, s), origin))
        live.clear()
        live.update(around)
        return forward + stop, reverse, before

    def for_(self, s: gast.For, live: set[str]) -> Blocks:
        origin = t.origin_of(s)
        pushes: list = []
        pops: list = []
        self.depth -= 1
        for name in self.plan.kills.get(id(s), ()):
            push, pop = self.save(name, origin)
            pushes.append(push)
            pops.append(pop)
        self.depth += 1
        counter = self.counter(s)
        forward, reverse, before = self.loop_body(s, live)
        steps: gast.expr = t.clone(s.iter)
        if counter:
            taken = gast.Slice(lower=None, upper=t.load(counter), step=None)
            steps = t.subscript(steps, taken)
        loop = t.for_(s.target.id, t.clone(s.iter), forward, origin)
        back = t.for_(s.target.id, t.call(self.unit.use(reversed, "reversed"), steps), reverse, origin)
        return pushes + [loop], before + [back] + pops

    def while_(self, s: gast.While, live: set[str]) -> Blocks:
        origin = t.origin_of(s)
        counter = self.counter(s)
        assert counter is not None
        forward, reverse, before = self.loop_body(s, live)
        loop = t.while_(s.test, forward, origin)
        step = self.unit.names.fresh("step")
        back = t.for_(step, t.call(self.unit.use(range, "range"), t.load(counter)), reverse, origin)
        return [loop], [*before, back]

    def counter(self, s: Any) -> str | None:
        """The trip counter that `syntax.trip_counts` put first into the body of loops without a known length."""
        first: Any = s.body[0] if s.body else None
        name = t.writes(first)[0] if isinstance(first, gast.Assign) and t.writes(first) else None
        return name if name in self.unit.counters and name in t.reads(first.value) else None     # trips = trips + 1



def raises(block: list) -> bool:
    """Whether a block never ends."""
    return any(isinstance(s, gast.Raise) for s in block)


def mutable(kind: Any) -> bool:
    """Whether a callee could change a value of this kind in place."""
    kind = k.as_num(kind)
    if isinstance(kind, k.Num):
        return kind.boxed is not False
    if isinstance(kind, k.Tup):
        return any(map(mutable, kind.items))
    return not isinstance(kind, (k.Const, k.Fn))


def _module(function: Any) -> str:
    return getattr(function, "__module__", None) or ""
