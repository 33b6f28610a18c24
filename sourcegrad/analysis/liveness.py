"""Live names: which values may still be read later.

With `pure` given these are strongly live names: a read by a pure assignment counts only if its target is live.
Lists that change are read and written by `append` and `pop`, so a tape that nobody pops is not live.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.analysis.flags import Flag, flags_of

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
