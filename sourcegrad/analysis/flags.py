"""Live names, told apart by the value of a flag: what an early `return` leaves is not live in the iterations before it.

Exits from loops are flags (`returned = True`, later `if returned: break`). After the loop the result is read if the flag is
set; so for all that a walk along the paths can see, a result of an earlier iteration might still be read. But then the flag
was set, and the loop was left. The live names are walked once more for each flag, as a pair: if it is set, and if not.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.analysis.cfg import is_stop

SET, UNSET = 1, 2                              # what a flag may be, as bits
Pair = tuple[int, int]                         # live names as bits if the flag is set, and if it is not


def flags_of(body: list) -> list[str]:
    """Names that are never anything but True or False, and with which some loop is left."""
    statements = list(t.statements(body))
    stops = [s.body for s in statements if isinstance(s, (gast.For, gast.While)) and s.body and is_stop(s.body[-1])]
    if not stops:
        return []
    found: set[str] = set()
    other: set[str] = set()
    for s in statements:
        (other if truth_of(s) is None or not isinstance(s.targets[0], gast.Name) else found).update(t.writes(s))
    return sorted(name for name in found - other if any(leaves(block, name) for block in stops))


def leaves(body: list, flag: str) -> bool:
    """Whether an iteration with this body is certainly the last one where the flag is set at its end."""
    stop = body[-1] if body else None
    if stop is None or not is_stop(stop) or not isinstance(stop.test, gast.Name):
        return False
    if stop.test.id == flag:
        return True
    start = len(body) - 1
    while start and plumbing(body[start - 1]):
        start -= 1
    tokens, truths = followed(body[start:-1], {}, {flag: True})
    return truths.get(tokens.get(stop.test.id, stop.test.id), False)


def plumbing(s: Any) -> bool:
    """Whether a statement only hands truth values on."""
    if isinstance(s, gast.If):
        return isinstance(s.test, gast.Name) and all(map(plumbing, (*s.body, *s.orelse)))
    return isinstance(s, gast.Pass) or isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) and (
        handed_on(s.value) is not None)


def handed_on(value: Any) -> str | None:
    """The name whose truth an expression has."""
    if isinstance(value, gast.Call) and t.is_name(value.func, "bool") and len(value.args) == 1:
        value = value.args[0]
    return value.id if isinstance(value, gast.Name) else None


def followed(block: list, tokens: dict[str, str], truths: dict[str, bool]) -> tuple[dict[str, str], dict[str, bool]]:
    """What names hold after a block of plumbing (names that hold the same have the same token), and what is true."""
    for s in block:
        if isinstance(s, gast.Assign):
            source = handed_on(s.value)
            assert source is not None
            tokens = {**tokens, s.targets[0].id: tokens.get(source, source)}
        elif isinstance(s, gast.If):
            test = tokens.get(s.test.id, s.test.id)
            ends = [followed(side, tokens, {**truths, test: truth}) for side, truth in ((s.body, True), (s.orelse, False))
                    if truths.get(test, truth) is truth]
            tokens, truths = ends[0]
            for other, true in ends[1:]:
                merged = {name for name in {*tokens, *other} if tokens.get(name, name) != other.get(name, name)}
                known = {f"{name} after {id(s)}": (truths.get(tokens.get(name, name)), true.get(other.get(name, name)))
                         for name in merged}
                tokens = {**tokens, **{name: f"{name} after {id(s)}" for name in merged}}
                truths = {token: truth for token, truth in truths.items() if true.get(token) is truth}
                truths |= {token: one for token, (one, two) in known.items() if one is not None and one is two}
    return tokens, truths


def truth_of(s: Any) -> bool | None:
    """What `name = True` or `name = False` assigns; None for any other statement."""
    value = s.value if isinstance(s, gast.Assign) else None
    return value.value if isinstance(value, gast.Constant) and isinstance(value.value, bool) else None


class Flag:
    """`after`, `head`: as in `Liveness`, where it can be told from the flag what is not live. transfer: the names that are
    live before a simple statement, from those after it."""

    def __init__(self, name: str, bits: Callable, transfer: Callable) -> None:
        self.name, self.bits, self.transfer = name, bits, transfer
        self.after: dict[int, int] = {}
        self.head: dict[int, int] = {}
        self.pairs: dict[int, Pair] = {}
        self.heads: dict[int, Pair] = {}

    def run(self, body: list, live: int) -> None:
        self.backward(body, (live, live))
        self.forward(body, SET | UNSET)

    def tests(self, s: Any, before: Any) -> bool:
        """Whether a branch tests the flag, or a copy that the statement before it has made."""
        return t.is_name(s.test, self.name) or (
            isinstance(before, gast.Assign) and isinstance(s.test, gast.Name) and t.is_name(before.targets[0], s.test.id)
            and t.is_name(before.value, self.name))

    # --- what is live, from the end

    def backward(self, block: list, pair: Pair) -> Pair:
        for position in range(len(block) - 1, -1, -1):
            s = block[position]
            self.pairs[id(s)] = pair
            if isinstance(s, gast.If):
                test = self.bits(t.reads(s.test))
                one, other = self.backward(s.body, pair), self.backward(s.orelse, pair)
                if self.tests(s, block[position - 1] if position else None):
                    pair = one[0] | test, other[1] | test
                else:
                    pair = one[0] | other[0] | test, one[1] | other[1] | test
            elif isinstance(s, (gast.For, gast.While)):
                pair = self.loop(s, pair)
            elif truth_of(s) is not None and t.is_name(s.targets[0], self.name):
                chosen = pair[0 if truth_of(s) else 1] & ~self.bits([self.name])
                pair = chosen, chosen
            else:
                pair = self.transfer(s, pair[0]), self.transfer(s, pair[1])
        return pair

    def loop(self, s: Any, after: Pair) -> Pair:
        own, header = self.bits(t.writes(s)), self.bits(t.header_reads(s))
        again = header if isinstance(s, gast.While) else 0
        stop = s.body[-1] if s.body and is_stop(s.body[-1]) else None
        test = 0 if stop is None else self.bits(t.reads(stop.test))
        last = leaves(s.body, self.name)
        body = s.body if stop is None else s.body[:-1]
        head: Pair = (0, 0)
        while True:
            on: Pair = (head[0] & ~own | after[0] | again, head[1] & ~own | after[1] | again)
            if stop is not None:
                left = after[0] if last else on[0]
                on = left | test, on[1] | test
            start = self.backward(body, on)
            if start == head:
                break
            head = start
        self.heads[id(s)] = head
        return head[0] & ~own | after[0] | header, head[1] & ~own | after[1] | header

    # --- what the flag may be, from the start

    def forward(self, block: list, state: int) -> int:
        for position, s in enumerate(block):
            if isinstance(s, gast.If) and not is_stop(s):
                decided = self.tests(s, block[position - 1] if position else None)
                state = (self.forward(s.body, state & SET if decided else state)
                         | self.forward(s.orelse, state & UNSET if decided else state))
            elif isinstance(s, (gast.For, gast.While)):
                state = self.iterations(s, state)
            elif truth_of(s) is not None and t.is_name(s.targets[0], self.name):
                state = SET if truth_of(s) else UNSET
            self.after[id(s)] = self.chosen(self.pairs.get(id(s)), state)
        return state

    def iterations(self, s: Any, state: int) -> int:
        stays = UNSET if leaves(s.body, self.name) else SET | UNSET
        while True:
            end = self.forward(s.body, state)
            if not end & stays & ~state:
                break
            state |= end & stays
        self.head[id(s)] = self.chosen(self.heads[id(s)], state)
        return state | end

    def chosen(self, pair: Pair | None, state: int) -> int:
        """The live names for what the flag may be; all where nothing is known or nothing gets here."""
        if pair is None or state == 0:
            return -1
        return (pair[0] if state & SET else 0) | (pair[1] if state & UNSET else 0)
