"""Liveness: which values may still be read later; path-sensitive in the flags of early exits.

With `pure` given these are strongly live names: a read by a pure assignment counts only if its target is live.
Lists that change are read and written by `append` and `pop`, so a tape that nobody pops is not live. Three analyses on
`ir.dataflow`, with names as the bits of integers: `LiveNames`, and for each flag `LiveByFlag` and `FlagValues`.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import gast

from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import Dataflow
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


def tests_of(flag: str, body: list) -> set[int]:
    """The ids of branches that test a flag, or a copy that the statement before them has made."""
    found = set()
    for block in (body, *(inner for s in t.statements(body) for inner in t.inner_blocks(s))):
        for before, s in zip([None, *block], block):
            if isinstance(s, gast.If) and (t.is_name(s.test, flag) or isinstance(before, gast.Assign) and isinstance(
                    s.test, gast.Name) and t.is_name(before.targets[0], s.test.id) and t.is_name(before.value, flag)):
                found.add(id(s))
    return found


class LiveByFlag(Dataflow):
    """What is live if a flag is set and if it is not: `after` each statement, and where an iteration starts (`head`)."""

    backward = True

    def __init__(self, flag: str, tests: set[int], bits: Callable, simple: Callable) -> None:
        self.flag, self.tests, self.bits, self.simple = flag, tests, bits, simple
        self.after: dict[int, Pair] = {}
        self.head: dict[int, Pair] = {}
        self.left: list[tuple[Pair, bool]] = []         # of the loops around: live after it, and whether the flag leaves it

    def statement(self, s: Any, state: Pair) -> Pair:
        if not is_stop(s):
            self.after[id(s)] = state
        return super().statement(s, state)

    def transfer(self, s: Any, state: Pair) -> Pair:
        if is_stop(s):
            after, last = self.left[-1]
            test = self.bits(t.reads(s.test))
            return (after[0] if last else state[0]) | test, state[1] | test
        if truth_of(s) is not None and t.is_name(s.targets[0], self.flag):
            chosen = state[0 if truth_of(s) else 1] & ~self.bits([self.flag])
            return chosen, chosen
        return self.simple(s, state[0]), self.simple(s, state[1])

    def join(self, s: Any, one: Pair, other: Pair) -> Pair:
        if isinstance(s, gast.If):
            test = self.bits(t.reads(s.test))
            if id(s) in self.tests:
                return one[0] | test, other[1] | test
            return one[0] | other[0] | test, one[1] | other[1] | test
        self.head[id(s)] = other
        own = ~self.bits(t.writes(s))
        return one[0] | other[0] & own, one[1] | other[1] & own

    def loop(self, s: Any, state: Pair) -> Pair:
        header = self.bits(t.header_reads(s))
        again = header if isinstance(s, gast.While) else 0
        self.left.append((state, leaves(s.body, self.flag)))
        state = super().loop(s, (state[0] | again, state[1] | again))
        self.left.pop()
        return state[0] | header, state[1] | header


class FlagValues(Dataflow):
    """What a flag may be, as bits. `after`, `head`: the names that are live then."""

    def __init__(self, live: LiveByFlag) -> None:
        self.live = live
        self.after: dict[int, int] = {}
        self.head: dict[int, int] = {}
        self.ends: dict[int, int] = {}

    def statement(self, s: Any, state: int) -> int:
        if id(s) in self.live.tests and not is_stop(s):
            state = self.block(s.body, state & SET) | self.block(s.orelse, state & UNSET)
        else:
            state = super().statement(s, state)
        self.after[id(s)] = chosen(self.live.after.get(id(s)), state)
        return state

    def transfer(self, s: Any, state: int) -> int:
        truth = truth_of(s) if t.writes(s) == [self.live.flag] else None
        return state if truth is None else SET if truth else UNSET

    def join(self, s: Any, one: int, other: int) -> int:
        if isinstance(s, gast.If):
            return one | other
        self.ends[id(s)] = other
        return one | (other & UNSET if leaves(s.body, self.live.flag) else other)

    def loop(self, s: Any, state: int) -> int:
        state = super().loop(s, state)
        self.head[id(s)] = chosen(self.live.head[id(s)], state)
        return state | self.ends[id(s)]


def chosen(pair: Pair | None, state: int) -> int:
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

    def __init__(self, numbering: Numbering, masks: dict[int, int]) -> None:
        self.numbering, self.masks = numbering, masks

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


class LiveNames(Dataflow):
    """`after`, `head`, `kept`: as in `Liveness`, as bits."""

    backward = True

    def __init__(self, numbering: Numbering, pure: Callable[[Any], bool] | None, assignments: dict[int, tuple]) -> None:
        self.bits, self.bit = numbering.bits, numbering.bit
        self.pure = pure
        self.after: dict[int, int] = {}
        self.head: dict[int, int] = {}
        self.kept: set[int] = set()
        self.assignments = assignments                  # id -> it, and what it reads and writes
        self.headers: dict[int, tuple] = {}             # id(branch or loop) -> what it reads and writes
        self.ends: dict[int, tuple[int, int]] = {}      # id(loop) -> live after it, and at the end of an iteration

    def block(self, block: list, state: int) -> int:
        """(Most statements are assignments, so those are seen to here.)"""
        after, seen, pure, kept = self.after, self.assignments, self.pure, self.kept
        for s in reversed(block):
            key = id(s)
            after[key] = state
            if s.__class__ is not gast.Assign:
                state = self.statement(s, state)
                continue
            known = seen.get(key)
            if known is None:
                read = t.reads(s.value)
                if isinstance(s.targets[0], (gast.Subscript, gast.Attribute)):
                    read += t.reads(s.targets[0])           # the array that is stored into, and the index
                known = seen[key] = s, self.bits(t.writes(s)), self.bits(read), t.list_method(s)
            _, written, read, found = known
            if found is not None:
                state = self.of_list(s, found, state, written, read)
            elif pure is None or state & written or not pure(s.value):
                kept.add(key)
                state = state & ~written | read
        return state

    def transfer(self, s: Any, state: int) -> int:
        if s.__class__ is gast.If or s.__class__ is gast.Raise:             # (nothing after a `raise` runs)
            self.kept.add(id(s))
            return self.bits(t.reads(s)) if s.__class__ is gast.Raise else state | self.bits(t.reads(s.test))
        found = t.list_method(s)
        if found is not None:
            return self.of_list(s, found, state, self.bits(t.writes(s)), self.bits(t.reads(s)))
        if not self.keep(s, not (isinstance(s, gast.Expr) and self.pure is not None and self.pure(s.value))):
            return state
        return state & ~self.bits(t.writes(s)) | self.bits(t.header_reads(s))

    def of_list(self, s: Any, found: tuple[str, str], state: int, written: int, read: int) -> int:
        name = self.bit(found[0])
        if not self.keep(s, bool(state & (name | written))):
            return state
        return state & ~written | read | name                # a[i] = tape.pop() reads i, too

    def keep(self, s: Any, needed: bool) -> bool:
        if needed or self.pure is None:
            self.kept.add(id(s))
            return True
        return False

    def header(self, s: Any) -> tuple[int, list[int], int, int]:
        """What a branch or loop reads itself, the statements in it; of a loop what it writes, and what each iteration tests."""
        known = self.headers.get(id(s))
        if known is None:
            read = self.bits(t.header_reads(s))
            if s.__class__ is gast.If:
                known = read, [id(x) for x in s.body + s.orelse], 0, 0
            else:
                tests = self.bits(n for x in s.body if is_stop(x) for n in t.reads(x.test))
                known = (read, [id(x) for x in s.body if not is_stop(x)], self.bits(t.writes(s)),
                         tests | read if s.__class__ is gast.While else tests)
            self.headers[id(s)] = known
        return known

    def join(self, s: Any, one: int, other: int) -> int:
        read, inside, own, tests = self.header(s)
        if s.__class__ is gast.If:
            return one | other | read if self.keep(s, not self.kept.isdisjoint(inside)) else one
        self.head[id(s)] = other
        return one | other & ~own | tests if self.keep(s, not self.kept.isdisjoint(inside) or bool(one & own)) else one

    def loop(self, s: Any, state: int) -> int:
        before, end = self.ends.get(id(s), (0, 0))      # inside another loop: what was live is live again
        current = super().loop(s, state if before & ~state else state | end)
        self.ends[id(s)] = state, current
        read, _, _, tests = self.header(s)
        unread = tests & ~(self.head[id(s)] | state)        # (a test at the end of an iteration needs one)
        return current & ~unread | read if id(s) in self.kept else state


class Liveness:
    """`after[id(s)]`: names live after each statement; `head[id(loop)]`: names live where an iteration starts;
    `kept`: ids of statements that matter (all of them without `pure`)."""

    def __init__(self, pure: Callable[[Any], bool] | None = None, numbering: Numbering | None = None,
                 assignments: dict[int, tuple] | None = None) -> None:
        """assignments: what is known of assignments by id from an earlier run with the same numbering; those that were changed
        since must be taken out."""
        self.numbering = numbering or Numbering()
        self.names = LiveNames(self.numbering, pure, {} if assignments is None else assignments)
        self.after, self.head = Sets(self.numbering, self.names.after), Sets(self.numbering, self.names.head)
        self.kept = self.names.kept

    def block(self, block: list, live: Live) -> Live:
        """The names that are live before a block, from those that are live after it."""
        bits, names = self.numbering.bits, self.names
        names.headers, names.ends = {}, {}
        end = bits(live)
        start = names.block(block, end)
        for flag in flags_of(block) if names.pure is None else ():
            by_flag = LiveByFlag(flag, tests_of(flag, block), bits, names.transfer)
            by_flag.block(block, (end, end))
            values = FlagValues(by_flag)
            values.block(block, SET | UNSET)
            for table, finer in ((names.after, values.after), (names.head, values.head)):
                for key, mask in finer.items():
                    if key in table:
                        table[key] &= mask
        return self.numbering.set(start)
