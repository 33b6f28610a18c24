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
        self.known: dict[int, tuple[list, set[str]]] = {}        # id(block) -> it, and how control may leave it

    def block(self, block: list, loop: Loop | None) -> tuple[list, set[str]]:
        """The rewritten block and how control may leave it."""
        done: list = []
        for k, s in enumerate(block):
            origin = t.origin_of(s)
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
            if not isinstance(s, (gast.If, gast.For, gast.While)):
                done.append(s)
                continue
            rewrite = self._scoped if try_.is_scoped(s) else self._labelled if try_.label_of(s) is not None else (
                self._if if isinstance(s, gast.If) else self._loop)
            new, outcomes = rewrite(s, block[k + 1:], loop)
            done += new
            if outcomes is not None:
                return done, outcomes
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
        out_body, out_else = self.outcomes(s.body), self.outcomes(s.orelse)
        outcomes = out_body | out_else
        if EXIT not in outcomes or not rest:
            body, orelse = self.block(s.body, loop)[0], self.block(s.orelse, loop)[0]
            return [t.if_(s.test, body, orelse, origin)], (None if FALL in outcomes and EXIT not in outcomes else outcomes)
        if FALL not in out_body:
            body, (orelse, out_else) = self.block(s.body, loop)[0], self.block(s.orelse + rest, loop)
            return [t.if_(s.test, body, orelse, origin)], out_body | out_else
        if FALL not in out_else and not try_.is_attempt(s):      # what follows is not tried
            orelse, (body, out_body) = self.block(s.orelse, loop)[0], self.block(s.body + rest, loop)
            return [t.if_(s.test, body, orelse, origin)], out_body | out_else
        exits = self._announced(s, loop)
        body, orelse = self.block(s.body, loop)[0], self.block(s.orelse, loop)[0]
        guarded, out_rest = self.block(rest, loop)
        return [t.if_(s.test, body, orelse, origin), t.if_(self._flags(exits, loop), [], guarded, origin)], {FALL, EXIT} | out_rest

    def outcomes(self, block: list) -> set[str]:
        """How control may leave a block: what `block` says of it, of a tree that is not rewritten yet."""
        known = self.known.get(id(block))
        if known is None:
            known = self.known[id(block)] = block, self._outcomes(block)
        return known[1]

    def _outcomes(self, block: list) -> set[str]:
        for k, s in enumerate(block):
            if isinstance(s, (gast.Return, gast.Break, gast.Continue)) or try_.aim_of(s) is not None:
                return {EXIT}
            if isinstance(s, gast.Raise):
                return {ABORT}
            if not isinstance(s, (gast.If, gast.For, gast.While)):
                continue
            found, rest = self.outcomes(s.body), block[k + 1:]
            if isinstance(s, gast.If) and try_.label_of(s) is not None:
                if _exits(s).others:
                    return {FALL, EXIT} | self._outcomes(rest)
                if found == {ABORT}:
                    return found
                continue
            if not isinstance(s, gast.If):
                exits = _exits(s)
                leaves, broken = exits.returns or exits.aims, any(_own(x, gast.Break) for x in s.body)
                if isinstance(s, gast.While) and isinstance(s.test, gast.Constant) and s.test.value and not broken:
                    return {EXIT} if leaves else {ABORT}
                after = [t.if_(t.const(True), [], s.orelse, None)] if s.orelse and broken else s.orelse
                if leaves or after:
                    return ({EXIT} if leaves else set()) | self._outcomes(after + rest)
                continue
            scoped = try_.is_scoped(s)
            other = set() if scoped else self.outcomes(s.orelse)
            if EXIT not in found | other or not rest:
                if FALL in found | other and EXIT not in found | other:
                    continue
                return found | other
            if FALL not in found:
                return found if scoped else found | self._outcomes(s.orelse + rest)
            if not scoped and FALL not in other and not try_.is_attempt(s):
                return other | self._outcomes(s.body + rest)
            return {FALL, EXIT} | self._outcomes(rest)
        return {FALL}

    def _announced(self, s: Any, loop: Loop | None) -> Jumps:
        """The exits inside a statement, which set flags from now on."""
        exits = _exits(s)
        if loop is not None and exits.continues and loop.skip is None:
            loop.skip = self.unit.names.fresh("skip")
        if exits.returns:
            self.returned = self.returned or self.unit.names.fresh("returned")
        for aim in exits.aims:
            self._flag(self.labels[aim])
        return exits

    def _scoped(self, s: gast.If, rest: list, loop: Loop | None) -> tuple[list, set[str] | None]:
        """A block, and what runs at its end however it is left; both become part of the block around."""
        origin = t.origin_of(s)
        for item in t.statements(s.orelse):
            if isinstance(item, gast.Return) or _own(item, gast.Break) or _own(item, gast.Continue):
                raise UnsupportedError("leaving a `finally` block", t.origin_of(item), "Return after the `try`.")
        outcomes = self.outcomes(s.body)
        falls, guarding = FALL in outcomes, EXIT in outcomes and bool(rest)
        exits = self._announced(s, loop) if falls and guarding else None
        body, last = self.block(s.body, loop)[0], self.block(s.orelse, loop)[0]
        if exits is None:
            return [*body, *last], (None if falls and EXIT not in outcomes else outcomes)
        guarded, out_rest = self.block(rest, loop)
        return [*body, *last, t.if_(self._flags(exits, loop), [], guarded, origin)], {FALL, EXIT} | out_rest

    def _labelled(self, s: gast.If, rest: list, loop: Loop | None) -> tuple[list, set[str] | None]:
        """A block that is left by jumps; other exits inside it leave what is around it, too."""
        origin, name = t.origin_of(s), try_.label_of(s)
        assert name is not None
        label = self.labels.setdefault(name, Label(loop))
        label.loop = loop
        exits = self._announced(s, loop) if rest and _exits(s).others else _exits(s)
        body, outcomes = self.block(s.body, loop)
        if label.flag:
            body = [t.assign(label.flag, t.const(False), origin), *body]
        if not exits.others:
            return body, {ABORT} if outcomes == {ABORT} else None
        if not rest:
            return body, {FALL, EXIT}
        guarded, out_rest = self.block(rest, loop)
        return [*body, t.if_(self._flags(exits, loop), [], guarded, origin)], {FALL, EXIT} | out_rest

    def _flags(self, exits: Jumps, loop: Loop | None) -> gast.expr:
        """Has one of these exits been taken?"""
        names = []
        if self.returned and exits.returns:
            names.append(self.returned)
        if loop is not None and loop.skip and exits.continues:
            names.append(loop.skip)
        if loop is not None and loop.broke and exits.breaks:
            names.append(loop.broke)
        return _any([*names, *self._left(exits.aims)])

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


@dataclass(eq=False)
class Jumps:
    """Exits inside a statement; aims: the labels outside it that it jumps to."""

    returns: bool
    continues: bool
    breaks: bool
    aims: list[str]

    @property
    def others(self) -> bool:
        return self.returns or self.continues or self.breaks or bool(self.aims)


def _exits(s: Any) -> Jumps:
    inside = t.walk(s)
    labels = {label for n in inside if (label := try_.label_of(n)) is not None}
    aims = [aim for n in inside if (aim := try_.aim_of(n)) is not None and aim not in labels]
    return Jumps(any(isinstance(n, gast.Return) for n in inside), _own(s, gast.Continue), _own(s, gast.Break),
                 list(dict.fromkeys(aims)))


def single_exit(unit: Unit) -> Unit:
    """Rewrite the function so that its only jump is one `return` at the end."""
    body = unit.tree.body
    if body and isinstance(body[-1], gast.Return) and not any(
            try_.is_scoped(n) or try_.label_of(n) is not None or isinstance(n, (gast.Return, gast.Break, gast.Continue)) or (
                isinstance(n, (gast.For, gast.While)) and n.orelse)
            for s in body[:-1] for n in t.walk(s)):
        return unit
    state = Exits(unit)
    tried = any(try_.is_attempt(n) for s in body for n in t.walk(s))
    new, outcomes = state.block(body, None)
    origin = t.origin_of(body[-1]) if body else t.origin_of(unit.tree)
    if state.result is None:
        unit.tree.body = [*new, t.return_(t.const(None), origin)]
        return unit
    if FALL in outcomes or tried and ABORT in outcomes:     # (what is tried and always raises is a branch, too)
        new.insert(0, t.assign(state.result, t.const(None), origin))
    if state.returned:
        new.insert(0, t.assign(state.returned, t.const(False), origin))
    unit.tree.body = [*new, t.return_(t.load(state.result), origin)]
    return unit
