"""Structured exits: `return`, `break` and `continue` become flags, branches and one `return` at the end.

A loop that can stop early keeps one `if stop: break` as the last statement of its body; nothing else jumps.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gast

from sourcegrad.errors import Origin, UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Unit
from sourcegrad.parse import statements as try_

FALL, EXIT, ABORT = "fall", "exit", "abort"


@dataclass(eq=False)
class Loop:
    """Flags of one loop while its body is rewritten."""

    broke: str | None = None
    skip: str | None = None
    returns: bool = False
    jumps: list[str] = field(default_factory=list)      # to labels around the loop
    outer: Any = field(default=None)


@dataclass(eq=False)
class Label:
    """A block that can be left from inside: the loop around it, and the flag if there is need of one."""

    loop: Loop | None
    flag: str | None = None


class Exits:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.result: str | None = None
        self.returned: str | None = None
        self.labels: dict[str, Label] = {}

    def block(self, block: list, loop: Loop | None) -> tuple[list, set[str]]:
        """The rewritten block and how control may leave it."""
        done: list = []
        for k, s in enumerate(block):
            origin = t.origin_of(s)
            rest = block[k + 1:]
            if isinstance(s, gast.Return):
                return done + self._return(s, loop, origin), {EXIT}
            if isinstance(s, gast.Break):
                assert loop is not None
                loop.broke = loop.broke or self.unit.names.fresh("broke")
                return [*done, t.assign(loop.broke, t.const(True), origin)], {EXIT}
            if isinstance(s, gast.Continue):
                assert loop is not None
                return (done + [t.assign(loop.skip, t.const(True), origin)] if loop.skip else done), {EXIT}
            aim = try_.aim_of(s)
            if aim is not None:
                return done + self._jump(aim, loop, origin), {EXIT}
            if isinstance(s, gast.Raise):
                return [*done, s], {ABORT}
            if try_.is_scoped(s) or try_.label_of(s) is not None:
                rewrite = self._scoped if try_.is_scoped(s) else self._labelled
                new, outcomes = rewrite(s, rest, loop)
                done += new
                if outcomes is not None:
                    return done, outcomes
            elif isinstance(s, gast.If):
                new, outcomes = self._if(s, rest, loop)
                done += new
                if outcomes is not None:
                    return done, outcomes
            elif isinstance(s, (gast.For, gast.While)):
                new, outcomes = self._loop(s, rest, loop)
                done += new
                if outcomes is not None:
                    return done, outcomes
            else:
                done.append(s)
        return done, {FALL}

    def _return(self, s: gast.Return, loop: Loop | None, origin: Origin | None) -> list:
        self.result = self.result or self.unit.names.fresh("result")
        new: list = [t.assign(self.result, s.value or t.const(None), origin)]
        if loop is not None:
            self.returned = self.returned or self.unit.names.fresh("returned")
        if self.returned:
            new.append(t.assign(self.returned, t.const(True), origin))
        while loop is not None:
            loop.returns, loop = True, loop.outer
        return new

    def _jump(self, aim: str, loop: Loop | None, origin: Origin | None) -> list:
        label = self.labels[aim]
        if loop is not label.loop:
            self._flag(label)
        new = [t.assign(label.flag, t.const(True), origin)] if label.flag else []
        while loop is not label.loop:
            assert loop is not None
            loop.jumps += [] if aim in loop.jumps else [aim]
            loop = loop.outer
        return new

    def _flag(self, label: Label) -> None:
        label.flag = label.flag or self.unit.names.fresh("left")

    def _if(self, s: gast.If, rest: list, loop: Loop | None) -> tuple[list, set[str] | None]:
        origin = t.origin_of(s)
        pristine, reference = t.clone(s), t.clone(s)         # rewriting consumes a tree
        body, out_body = self.block(s.body, loop)
        orelse, out_else = self.block(s.orelse, loop)
        outcomes = out_body | out_else
        if EXIT not in outcomes or not rest:
            new = [t.if_(s.test, body, orelse, origin)]
            return new, (None if FALL in outcomes and EXIT not in outcomes else outcomes)
        if FALL not in out_body:
            orelse, out_else = self.block(pristine.orelse + rest, loop)
            return [t.if_(s.test, body, orelse, origin)], out_body | out_else
        if FALL not in out_else and not try_.is_attempt(s):      # what follows is not tried
            body, out_body = self.block(pristine.body + rest, loop)
            return [t.if_(s.test, body, orelse, origin)], out_body | out_else
        self._announce(reference, loop)
        body, _ = self.block(pristine.body, loop)              # again: exits set flags now
        orelse, _ = self.block(pristine.orelse, loop)
        guarded, out_rest = self.block(rest, loop)
        flags = self._flags(reference, loop)
        return [t.if_(s.test, body, orelse, origin), t.if_(flags, [], guarded, origin)], {FALL, EXIT} | out_rest

    def _announce(self, reference: Any, loop: Loop | None) -> None:
        """Let the exits inside a statement set flags from now on."""
        if loop is not None and _continues(reference) and loop.skip is None:
            loop.skip = self.unit.names.fresh("skip")
        if any(isinstance(n, gast.Return) for n in t.walk(reference)):
            self.returned = self.returned or self.unit.names.fresh("returned")
        for aim in _aims(reference):
            self._flag(self.labels[aim])

    def _scoped(self, s: gast.If, rest: list, loop: Loop | None) -> tuple[list, set[str] | None]:
        """A block, and what runs at its end however it is left; both become part of the block around."""
        origin = t.origin_of(s)
        for item in t.statements(s.orelse):
            if isinstance(item, gast.Return) or _own(item, gast.Break) or _continues(item):
                raise UnsupportedError("leaving a `finally` block", t.origin_of(item), "Return after the `try`.")
        pristine, reference = t.clone(s.body), t.clone(s)
        body, outcomes = self.block(s.body, loop)
        last, _ = self.block(s.orelse, loop)
        if EXIT not in outcomes or not rest:
            return [*body, *last], (None if FALL in outcomes and EXIT not in outcomes else outcomes)
        if FALL not in outcomes:
            return [*body, *last], outcomes
        self._announce(reference, loop)
        body, _ = self.block(pristine, loop)
        guarded, out_rest = self.block(rest, loop)
        flags = self._flags(reference, loop)
        return [*body, *last, t.if_(flags, [], guarded, origin)], {FALL, EXIT} | out_rest

    def _labelled(self, s: gast.If, rest: list, loop: Loop | None) -> tuple[list, set[str] | None]:
        """A block that is left by jumps; other exits inside it leave what is around it, too."""
        origin, name = t.origin_of(s), try_.label_of(s)
        assert name is not None
        pristine, reference = t.clone(s.body), t.clone(s)
        label = self.labels.setdefault(name, Label(loop))
        label.loop = loop

        def block(body: list) -> tuple[list, set[str]]:
            new, outcomes = self.block(body, loop)
            return ([t.assign(label.flag, t.const(False), origin)] if label.flag else []) + new, outcomes

        body, outcomes = block(s.body)
        others = _aims(reference) or any(isinstance(n, gast.Return) for n in t.walk(reference)) or (
            _own(reference, gast.Break) or _continues(reference))
        if not others:
            return body, {ABORT} if outcomes == {ABORT} else None
        if not rest:
            return body, {FALL, EXIT}
        self._announce(reference, loop)
        body, _ = block(pristine)
        guarded, out_rest = self.block(rest, loop)
        return [*body, t.if_(self._flags(reference, loop), [], guarded, origin)], {FALL, EXIT} | out_rest

    def _flags(self, node: Any, loop: Loop | None) -> gast.expr:
        """Has one of the exits inside `node` been taken?"""
        names = []
        if self.returned and any(isinstance(n, gast.Return) for n in t.walk(node)):
            names.append(self.returned)
        if loop is not None and loop.skip and _continues(node):
            names.append(loop.skip)
        if loop is not None and loop.broke and _own(node, gast.Break):
            names.append(loop.broke)
        return _any([*names, *self._left(_aims(node))])

    def _left(self, aims: list[str]) -> list[str]:
        return [flag for aim in aims if (flag := self.labels[aim].flag) is not None]

    def _loop(self, s: Any, rest: list, loop: Loop | None) -> tuple[list, set[str] | None]:
        origin = t.origin_of(s)
        inner = Loop(outer=loop)
        body, outcomes = self.block(s.body, inner)
        before: list = []
        if inner.broke:
            before.append(t.assign(inner.broke, t.const(False), origin))
        if inner.skip:
            body.insert(0, t.assign(inner.skip, t.const(False), origin))
        stops = [name for name in (inner.broke, self.returned if inner.returns else None, *self._left(inner.jumps)) if name]
        if stops:
            test = _any(stops)
            if len(stops) > 1:
                stop = self.unit.names.fresh("stop")
                body.append(t.assign(stop, test, origin))
                test = t.load(stop)
            body.append(t.if_(test, [t.at(gast.Break(), origin)], [], origin))
        s.body = body
        after, s.orelse = s.orelse, []
        new = [*before, s]
        endless = isinstance(s, gast.While) and isinstance(s.test, gast.Constant) and s.test.value and not inner.broke
        if endless:
            return new, {EXIT} if inner.returns or inner.jumps else {ABORT}
        if after and inner.broke:
            after = [t.if_(t.load(inner.broke), [], after, origin)]
        if inner.returns or inner.jumps:
            guarded, outcomes = self.block(after + rest, loop)
            flags = _any([*([self.returned] if inner.returns and self.returned else []), *self._left(inner.jumps)])
            return [*new, *([t.if_(flags, [], guarded, origin)] if guarded else [])], {EXIT} | outcomes
        if not after:
            return new, None
        done, outcomes = self.block(after + rest, loop)
        return new + done, outcomes


def _any(names: list[str]) -> gast.expr:
    if len(names) == 1:
        return t.load(names[0])
    return gast.BoolOp(op=gast.Or(), values=[t.load(name) for name in names])


def _own(node: Any, kind: type) -> bool:
    """Whether `node` holds a break or continue of the current loop (not of a loop inside it)."""
    if isinstance(node, kind):
        return True
    if isinstance(node, (gast.For, gast.While)):
        return any(_own(child, kind) for child in node.orelse)
    return any(_own(child, kind) for field in t.BLOCKS for child in getattr(node, field, None) or [])


def _aims(node: Any) -> list[str]:
    """The labels outside a statement that it jumps to."""
    inside = {label for n in t.walk(node) if (label := try_.label_of(n)) is not None}
    return list(dict.fromkeys(aim for n in t.walk(node) if (aim := try_.aim_of(n)) is not None and aim not in inside))


def _continues(node: Any) -> bool:
    return _own(node, gast.Continue)


def single_exit(unit: Unit) -> Unit:
    """Rewrite the function so that its only jump is one `return` at the end."""
    body = unit.tree.body
    if body and isinstance(body[-1], gast.Return) and not any(
            try_.is_scoped(n) or try_.label_of(n) is not None or isinstance(n, (gast.Return, gast.Break, gast.Continue)) or (
                isinstance(n, (gast.For, gast.While)) and n.orelse)
            for s in body[:-1] for n in t.walk(s)):
        return unit
    state = Exits(unit)
    new, outcomes = state.block(body, None)
    origin = t.origin_of(body[-1]) if body else t.origin_of(unit.tree)
    if state.result is None:
        unit.tree.body = [*new, t.return_(t.const(None), origin)]
        return unit
    if FALL in outcomes:
        new.insert(0, t.assign(state.result, t.const(None), origin))
    if state.returned:
        new.insert(0, t.assign(state.returned, t.const(False), origin))
    unit.tree.body = [*new, t.return_(t.load(state.result), origin)]
    return unit
