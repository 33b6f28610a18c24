"""The reverse transformation: a forward sweep that records, and a reverse sweep that restores and accumulates.

Works on core Python from the last statement to the first. `live` holds the names whose adjoint may be nonzero at
the point reached, so that no adjoint of anything without influence is ever emitted. The result saves everything that
is overwritten; `dce` then drops what no adjoint reads.
"""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.ad.adjoint import Adjoint, pull_back
from sourcegrad.ad.call_pairs import Absent, check_known, primal_call
from sourcegrad.ad.sweeps import Sweeps, real_part
from sourcegrad.analysis.activity import Activity
from sourcegrad.analysis.tbr import ROOT
from sourcegrad.errors import MissingRuleError, Origin, UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import Dataflow
from sourcegrad.ir.tree import is_stop
from sourcegrad.parse import statements as try_

Blocks = tuple[list, list]


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
            return list_change(self, s, found, live)
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
            return list_pop(self, s, found, live, pushes, restores)
        active = [n for n in targets if n in live]
        sources = self.activity.active_sources(s.value)
        check_known(self, s, bool(sources))
        forward: list = [s]
        if not active or not sources and not self.counts(s):
            live.difference_update(active)
            if isinstance(s.value, gast.Call):
                forward = primal_call(self, s)
            return pushes + forward, restores
        if isinstance(s.targets[0], gast.Tuple):
            early = self.early_zeros(s, targets, live)
            return pushes + forward, early + restores + self.unpack(s, targets, live)
        name = targets[0]
        live.discard(name)
        kind = self.facts.kinds.get(name)
        if kind is not None and k.is_discrete(kind):
            return pushes + forward, restores
        adjoint = self.pulled_back(s, name)
        reverse = adjoint.finish(live, restores)
        return pushes + adjoint.before + (adjoint.forward or forward), reverse

    def pulled_back(self, s: gast.Assign, name: str) -> Adjoint:
        """The adjoint of an assignment, with its contributions."""
        adjoint = Adjoint(self, s, name)
        pull_back(adjoint, s.value)
        return adjoint

    def counts(self, s: gast.Assign) -> bool:
        """Whether the adjoint of an assignment is asked for although nothing that it reads is active."""
        return False

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
            f1, r1, one = until_raised(f1), [], set(live)
        if raises(s.orelse):
            f2, r2, other = until_raised(f2), [], set(live)
        for name in sorted(one - other):
            r2.append(t.assign(self.bar(name), self.zero_at(name, s), origin))
        for name in sorted(other - one):
            r1.append(t.assign(self.bar(name), self.zero_at(name, s), origin))
        live.clear()
        live.update(one | other)
        forward = [t.if_(s.test, f1, f2, origin)]
        reverse = [t.if_(t.clone(s.test), r1, r2, origin)] if r1 or r2 else []
        return forward, reverse

    def loop_body(self, s: Any, live: set[str]) -> tuple[list, list, list]:
        """Body of a loop both ways; and the adjoints that must exist before the reverse loop starts."""
        origin = t.origin_of(s)
        body = s.body
        stop = [body[-1]] if body and is_stop(body[-1]) else []
        if stop:
            body = body[:-1]
        around = AdjointLiveness(self.activity).loop(s, set(live))
        before = [t.assign(self.bar(n), self.zero_at(n, s), origin) for n in sorted(around - live)]
        state = set(around)
        forward, reverse = self.enclosed(body, state, (id(s), "body"))
        if raises(body):                                # then there is no reverse sweep, and nothing is saved behind it
            forward, reverse, state = until_raised(forward), [], set(around)
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
        if counter and not is_stop(s.body[-1]):             # its exit turned out to be switched off
            counter, s.body = None, s.body[1:]
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
        """The trip counter that `syntax.loops` put first into the body of loops without a known length."""
        first: Any = s.body[0] if s.body else None
        name = t.writes(first)[0] if isinstance(first, gast.Assign) and t.writes(first) else None
        return name if name in self.unit.counters and name in t.reads(first.value) else None     # trips = trips + 1



def raises(block: list) -> bool:
    """Whether a block never ends."""
    return any(isinstance(s, gast.Raise) for s in block)


def until_raised(block: list) -> list:
    """What of a block runs."""
    end = next((j for j, s in enumerate(block) if isinstance(s, gast.Raise)), len(block))
    return block[:end + 1]


def list_change(sweeps: Reverse, s: gast.Expr, found: tuple[str, str], live: set[str]) -> Blocks:
    """xs.append(v) is undone by xs.pop(), and its adjoint is xs_bar.pop()."""
    name, method = found
    origin = t.origin_of(s)
    if method == "pop":
        raise UnsupportedError(f"`{name}.pop()` without using its value", origin, f"Write `unused = {name}.pop()`.")
    check_list(sweeps, name, origin)
    restore = t.effect(t.method(name, "pop"), origin)
    if name in sweeps.renewed:
        last = t.call(sweeps.helper(runtime.list_delete), t.load(name), t.const(-1))
        restore = t.assign(name, last, origin)
    if name not in live:
        return [s], [restore]
    if name in sweeps.filled:
        sweeps.unit.emptied.add(sweeps.bar(name))
    item = s.value.args[0]
    taken = sweeps.unit.names.fresh(f"{item.id}_part" if isinstance(item, gast.Name) else "part")
    reverse = [t.assign(taken, t.method(sweeps.bar(name), "pop"), origin), restore]
    if isinstance(item, gast.Name) and item.id in sweeps.varied:
        part = real_part(t.load(taken), sweeps.facts.kinds.get(name), sweeps.kind(item.id), sweeps.unit)
        reverse[1:1] = sweeps.accumulate(item.id, part, live, origin)
    return [s], reverse


def list_pop(sweeps: Reverse, s: gast.Assign, found: tuple[str, str], live: set[str], pushes: list, restores: list) -> Blocks:
    """v = xs.pop() is undone by xs.append(v), and its adjoint is xs_bar.append(v_bar)."""
    name, target = found[0], t.writes(s)[0]
    origin = t.origin_of(s)
    check_list(sweeps, name, origin)
    restore = t.effect(t.method(name, "append", t.load(target)), origin)
    if name in sweeps.renewed:
        restore = t.assign(name, t.call(sweeps.helper(runtime.list_append), t.load(name), t.load(target)), origin)
    if name not in sweeps.varied:
        live.discard(target)
        return pushes + [s], [restore, *restores]
    reverse: list = []
    bar = sweeps.bar(name)
    value: gast.expr = t.load(sweeps.bar(target)) if target in live else sweeps.zero(target)
    value = real_part(value, sweeps.facts.kinds.get(target), getattr(sweeps.kind(name), "item", None), sweeps.unit)
    if name not in live:
        reverse.append(t.assign(bar, t.call(sweeps.helper(runtime.zeros_like), t.load(name)), origin))
    reverse.append(t.effect(t.method(bar, "append", value), origin))
    live.discard(target)
    live.add(name)
    return pushes + [s], [*reverse, restore, *restores]


def check_list(sweeps: Reverse, name: str, origin: Origin | None) -> None:
    if name in sweeps.unit.parameters and not sweeps.unit.function.pure:
        raise UnsupportedError(f"the list '{name}' of the caller changes", origin, f"Make a new list: `list({name})`.")
    if name not in sweeps.facts.local:
        raise UnsupportedError(f"the list '{name}' from outside changes", origin, "Return the values instead.")


class AdjointLiveness(Dataflow):
    """The effect of a block on `live`, without emitting anything (a superset)."""

    backward = True

    def __init__(self, activity: Activity) -> None:
        self.activity = activity

    def copy(self, state: set[str]) -> set[str]:
        return set(state)

    def join(self, s: Any, one: set[str], other: set[str]) -> set[str]:
        return one | other

    def transfer(self, s: Any, state: set[str]) -> set[str]:
        found = t.list_method(s)
        if isinstance(s, gast.Assign):
            targets = state.intersection(t.writes(s))
            state -= targets
            if found is not None and found[0] in self.activity.varied:
                state.add(found[0])
            elif targets:
                state.update(self.activity.active_sources(s.value))
        elif found is not None and found[0] in state:
            state.update(self.activity.varied.intersection(t.reads(s.value.args[0])))
        return state
