"""Liveness: which values may still be read later; path-sensitive in the flags of early exits.

With `pure` given these are strongly live names: a read by a pure assignment counts only if its target is live.
Lists that change are read and written by `append` and `pop`, so a tape that nobody pops is not live.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import gast

from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import is_stop

# --- Live names, told apart by the value of a flag: what an early `return` leaves is not live in the iterations before it.
#
# Exits from loops are flags (`returned = True`, later `if returned: break`). After the loop the result is read if the flag is
# set; so for all that a walk along the paths can see, a result of an earlier iteration might still be read. But then the flag
# was set, and the loop was left. The live names are walked once more for each flag, as a pair: if it is set, and if not.

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


Live = frozenset


class Numbering:
    """Names as the bits of integers: sets of them are made and compared by the ten thousand."""

    def __init__(self, *names: str) -> None:
        self.names: list[str] = []
        self.numbers: dict[str, int] = {}
        self.sets: dict[int, Live] = {}
        for name in names:
            self.bit(name)

    def number(self, name: str) -> int:
        found = self.numbers.get(name)
        if found is None:
            found = self.numbers[name] = len(self.names)
            self.names.append(name)
        return found

    def bit(self, name: str) -> int:
        return 1 << self.number(name)

    def bits(self, names: Iterable[str]) -> int:
        result = 0
        for name in names:
            number = self.numbers.get(name)
            result |= 1 << (self.number(name) if number is None else number)
        return result

    def set(self, mask: int) -> Live:
        found = self.sets.get(mask)
        if found is None:
            names = self.names
            found = self.sets[mask] = frozenset([names[number] for number in positions(mask)])
        return found


def positions(mask: int) -> list[int]:
    """The positions of the bits that are set."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


class Sets:
    """A table of sets of names by id, held as bits."""

    def __init__(self, numbering: Numbering) -> None:
        self.numbering = numbering
        self.masks: dict[int, int] = {}

    def get(self, key: int, default: Any = None) -> Any:
        mask = self.masks.get(key)
        return default if mask is None else self.numbering.set(mask)

    def __getitem__(self, key: int) -> Live:
        return self.numbering.set(self.masks[key])

    def __setitem__(self, key: int, names: Live) -> None:
        self.masks[key] = self.numbering.bits(names)

    def __contains__(self, key: int) -> bool:
        return key in self.masks

    def has(self, key: int, name: str) -> bool:
        """Whether a name is in a set."""
        number = self.numbering.numbers.get(name)
        return number is not None and bool(self.masks[key] >> number & 1)


class Liveness:
    """`after[id(s)]`: names live after each statement; `head[id(loop)]`: names live where an iteration starts;
    `kept`: ids of statements that matter (all of them without `pure`)."""

    def __init__(self, pure: Callable[[Any], bool] | None = None, numbering: Numbering | None = None,
                 assignments: dict[int, tuple] | None = None) -> None:
        """assignments: what is known of assignments by id from an earlier run with the same numbering; those that were changed
        since must be taken out."""
        self.pure = pure
        self.numbering = numbering or Numbering()
        self.after = Sets(self.numbering)
        self.head = Sets(self.numbering)
        self.kept: set[int] = set()
        self._assignments = {} if assignments is None else assignments     # id -> it, and what it reads and writes
        self._loops: dict[int, tuple] = {}          # id(loop) -> what it reads and writes
        self._tests: dict[int, int] = {}            # id(branch) -> what its test reads
        self._ends: dict[int, tuple[int, int]] = {}     # id(loop) -> live after it, and at the end of an iteration

    def block(self, block: list, live: Live) -> Live:
        """The names that are live before a block, from those that are live after it."""
        self._loops, self._tests, self._ends = {}, {}, {}
        start = self._block(block, self.numbering.bits(live))
        for name in flags_of(block) if self.pure is None else ():
            flag = Flag(name, self.numbering.bits, self._simple)
            flag.run(block, self.numbering.bits(live))
            for table, finer in ((self.after.masks, flag.after), (self.head.masks, flag.head)):
                for key, mask in finer.items():
                    if key in table:
                        table[key] &= mask
        return self.numbering.set(start)

    def _simple(self, s: Any, live: int) -> int:
        """The names that are live before a statement that is no branch or loop; and not among those that are left out."""
        bits = self.numbering.bits
        if isinstance(s, gast.Raise):
            return bits(t.reads(s))
        found = t.list_method(s)
        if found is not None:
            return live & ~bits(t.writes(s)) | bits(t.header_reads(s)) | bits([found[0]])
        return live & ~bits(t.writes(s)) | bits(t.header_reads(s))

    def _block(self, block: list, live: int) -> int:
        after, seen, pure, kept = self.after.masks, self._assignments, self.pure, self.kept
        for s in reversed(block):
            key = id(s)
            after[key] = live
            if s.__class__ is not gast.Assign:
                live = self._statement(s, live)
                continue
            known = seen.get(key)
            if known is None:
                bits = self.numbering.bits
                read = t.reads(s.value)
                if isinstance(s.targets[0], (gast.Subscript, gast.Attribute)):
                    read += t.reads(s.targets[0])           # the array that is stored into, and the index
                known = seen[key] = s, bits(t.writes(s)), bits(read), t.list_method(s)
            _, written, read, found = known
            if found is not None:
                live = self._list(s, found, live, written, read)
            elif pure is None or live & written or not pure(s.value):
                kept.add(key)
                live = live & ~written | read
        return live

    def _statement(self, s: Any, live: int) -> int:
        bits = self.numbering.bits
        if isinstance(s, gast.If):
            test = self._tests.get(id(s))
            if test is None:
                test = self._tests[id(s)] = bits(t.reads(s.test))
            if is_stop(s):
                self.kept.add(id(s))
                return live | test
            inside = self._block(s.body, live) | self._block(s.orelse, live)
            if self._keep(s, any(id(x) in self.kept for x in s.body + s.orelse)):
                return inside | test
            return live
        if isinstance(s, (gast.For, gast.While)):
            return self._loop(s, live)
        if isinstance(s, gast.Raise):
            self.kept.add(id(s))
            return bits(t.reads(s))                     # nothing after it runs
        found = t.list_method(s)
        if found is not None:
            return self._list(s, found, live, bits(t.writes(s)), bits(t.reads(s)))
        if not self._keep(s, not (isinstance(s, gast.Expr) and self._is_pure(s.value))):
            return live
        return live & ~bits(t.writes(s)) | bits(t.header_reads(s))

    def _is_pure(self, value: Any) -> bool:
        return self.pure is not None and self.pure(value)

    def _keep(self, s: Any, needed: bool) -> bool:
        if needed or self.pure is None:
            self.kept.add(id(s))
            return True
        return False

    def _list(self, s: Any, found: tuple[str, str], live: int, written: int, read: int) -> int:
        name = self.numbering.bit(found[0])
        if not self._keep(s, bool(live & (name | written))):
            return live
        return live & ~written | read | name                # a[i] = tape.pop() reads i, too

    def _loop(self, s: Any, live: int) -> int:
        known = self._loops.get(id(s))
        if known is None:
            bits = self.numbering.bits
            tests = bits(n for x in s.body if is_stop(x) for n in t.reads(x.test))
            header = bits(t.header_reads(s))
            known = self._loops[id(s)] = (bits(t.writes(s)), header, [id(x) for x in s.body if not is_stop(x)],
                                          tests | header if isinstance(s, gast.While) else tests)
        own, header, body, tests = known
        current = live
        before, end = self._ends.get(id(s), (0, 0))     # inside another loop: what was live is live again
        if not before & ~live:
            current |= end
        while True:
            start = self._block(s.body, current)
            kept = self._keep(s, not self.kept.isdisjoint(body) or bool(live & own))
            after = current | start & ~own | tests if kept else current
            if after == current:
                break
            current = after
        self._ends[id(s)] = live, current
        self.head.masks[id(s)] = start
        return current & ~(tests & ~(start | live)) | header if kept else live       # (a test at the end of a turn needs one)
