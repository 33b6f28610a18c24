"""Checkpoints: loops in reverse with little memory, from snapshots of what they carry; their turns are computed again.

The turns are reversed part by part, from the last to the first. A part is computed from a snapshot before it, with a tape; parts
between the snapshot and it are computed without one. Where the number of turns is known, snapshots are placed by the binomial
schedule, which computes the fewest turns again [1, 2]; where it is not, they are placed while the loop runs, so that no turn is
computed more often than it must be [3], and in the reverse sweep by [2] between those that are left.

[1] A. Griewank, Achieving logarithmic growth of temporal and spatial complexity in reverse automatic differentiation, 1992.
[2] A. Griewank, A. Walther, Algorithm 799: revolve, ACM Transactions on Mathematical Software 26, 2000.
[3] Q. Wang, P. Moin, G. Iaccarino, Minimal repetition dynamic checkpointing algorithm for unsteady adjoint calculation, 2009.
"""
from __future__ import annotations

import math
import os
import pickle
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.errors import InputError
from sourcegrad.runtime.core import add, zeros_like

__all__ = ["Checkpoints", "checkpointed", "checkpointed_until", "rewind"]


# --- schedules: how many parts are computed again, and where the next snapshot goes

def repetitions(parts: int, snapshots: int) -> int:
    """How often a part is computed again at most: the least r with `comb(snapshots + r, r) >= parts`."""
    if snapshots == 1:
        return parts - 1
    r = 0
    while math.comb(snapshots + r, r) < parts:
        r += 1
    return r


def advances(parts: int, snapshots: int) -> int:
    """The fewest parts that are computed without a tape to reverse some, with so many snapshots, the first of all included [1].

    >>> advances(10, 3)                         # each of the ten is computed once more with its tape
    15
    >>> advances(10, 1), advances(10, 10)       # always from the start; a snapshot before each
    (45, 9)
    """
    r = repetitions(parts, snapshots)
    return r * parts - math.comb(snapshots + r, r - 1) if r else 0


def next_snapshot(parts: int, snapshots: int) -> int:
    """How many of some parts are computed before the next snapshot. snapshots: those that are free, and the one at the start [2].

    >>> next_snapshot(10, 3)
    4
    """
    r = repetitions(parts, snapshots)
    if snapshots == 1 or r < 2:
        return parts - 1 if snapshots == 1 else 1
    rest = math.comb(snapshots + r - 1, r)              # most that one snapshot less reverses with as many repetitions
    return max(math.comb(snapshots + r - 2, r - 2), parts - rest)


def chosen(turns: int, tape: float, snapshot: float, memory: float, spill: bool) -> tuple[int, int]:
    """(parts, snapshots) with which the fewest turns are computed again. tape: bytes of a turn; snapshot: bytes of one; spill: no
    number of snapshots is too large."""
    if turns * tape <= memory:
        return 1, 1
    best: tuple[float, int, int] | None = None
    length = 1.0
    while length < turns:
        parts = math.ceil(turns / int(length))
        room = int((memory - math.ceil(turns / parts) * tape) // snapshot) if snapshot else parts
        found = min(parts, parts if spill and room > 0 else room)
        if found < 1:
            break
        cost = advances(parts, found) * turns / parts
        if best is None or cost < best[0]:
            best = cost, parts, found
        length = max(int(length) + 1, length * 1.05)
    if best is None:
        raise too_little(memory, tape + snapshot)
    return best[1:]


def too_little(memory: float, needed: float) -> InputError:
    return InputError(f"memory= leaves {int(memory)} bytes for a loop, which needs {int(needed)} for one checkpoint and the tape "
                      "of one turn", remedy="Give it more.")


# --- bytes

SLOT, HEADER, SNAPSHOT = 8, 112, 256       # bytes of an entry of a list, of an array without its data, of a snapshot itself


def bytes_of(value: Any, seen: set[int]) -> int:
    """Bytes that a value keeps alive: the data of arrays (of a view: what it is a view of), numbers, slots; each once."""
    header = 0
    while isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray):
        header += HEADER
        value = value.base
    if id(value) in seen or value is None or isinstance(value, (bool, str, range)):
        return header
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return header + HEADER + value.nbytes
    if isinstance(value, list):
        return sum(SLOT + bytes_of(item, seen) for item in value)
    if isinstance(value, tuple):
        return sys.getsizeof(value) + sum(bytes_of(item, seen) for item in value)
    if isinstance(value, dict):
        return sys.getsizeof(value) + sum(bytes_of(item, seen) for item in value.values())
    return sys.getsizeof(value)


# --- the loop

class Checkpoints:
    """Snapshots of a loop, and the tape of its last part: what its reverse sweep needs.

    run(*range, *carried, *constants) computes some turns, record(...) gives their result and their tape. turns: how many there
    are, at most; None: any number. ends: a loop that ends by itself, whose results start with whether it is over. outputs: how many
    values of its last turn it gives besides what is carried."""

    def __init__(self, run: Callable, record: Callable, turns: int | None, carried: tuple, constants: tuple, ends: bool,
                 spill: str | None, outputs: int) -> None:
        self.run, self.record, self.constants = run, record, constants
        self.count, self.alone, self.ends = len(carried), len(carried) + outputs == 1, ends
        self.turns, self.length = turns, 2                  # length: of a part, where the loop ends by itself
        self.parts = self.snapshots = 1
        self.held: list[list] = [[0, carried, math.inf]]    # position, state (a path where it is on disk), level
        self.room = math.inf                                # how many are held in memory
        self.folder = None
        if spill is not None:
            self.folder = tempfile.mkdtemp(prefix="checkpoints", dir=spill)
            weakref.finalize(self, shutil.rmtree, self.folder, True)
        self.last: Any = None                               # the tape of the last part
        self.sizes = 0.0, 0.0                               # bytes that a turn saves, and bytes of a snapshot
        self.again = 0                                      # parts that were computed without a tape

    def bounds(self, i: int, j: int) -> tuple[int, ...]:
        """The range of turns of parts i to j."""
        if self.turns is None:
            return ((j - i) * self.length,)
        if self.ends:
            return min(i * self.length, self.turns), min(j * self.length, self.turns)
        return self.turns * i // self.parts, self.turns * j // self.parts

    # --- snapshots

    def hold(self, position: int, state: tuple, level: float = 0.0) -> None:
        """Keep a snapshot; the first that is in memory, which is needed last, goes to disk where there is no room."""
        self.held.append([position, state, level])
        if self.folder is None or len(self.held) <= self.room:
            return
        inside = [one for one in self.held if not isinstance(one[1], str)]
        if len(inside) > self.room:
            path = os.path.join(self.folder, f"{inside[0][0]}")
            with open(path, "wb") as file:
                pickle.dump(inside[0][1], file, pickle.HIGHEST_PROTOCOL)
            inside[0][1] = path

    def drop(self, place: int) -> None:
        path = self.held.pop(place)[1]
        if isinstance(path, str):
            os.remove(path)

    def state(self) -> tuple[int, tuple]:
        """Position and state of the last snapshot."""
        position, state, _ = self.held[-1]
        if isinstance(state, str):
            with open(state, "rb") as file:
                return position, pickle.load(file)
        return position, state

    # --- both sweeps

    def values(self, result: Any) -> tuple:
        """What some turns give: what is carried, and outputs."""
        return tuple(result[1:]) if self.ends else (result,) if self.alone else result

    def given(self, values: tuple) -> Any:
        """The same as the loop gives it."""
        return values[0] if self.alone else values

    def tape(self, part: int) -> tuple[Any, Any]:
        """The result of a part and its tape, from the last snapshot; snapshots that are free are placed on the way."""
        position, state = self.state()
        while position < part:
            free = self.snapshots - len(self.held) + 1
            steps = next_snapshot(part + 1 - position, max(free, 1))
            result = self.run(*self.bounds(position, position + steps), *state, *self.constants)
            state = self.values(result)[:self.count]
            position, self.again = position + steps, self.again + steps
            if free > 1:
                self.hold(position, state)
        found: tuple[Any, Any] = self.record(*self.bounds(part, part + 1), *state, *self.constants)
        return found

    def measured(self, value: Any, saved: Any) -> tuple[float, float]:
        """Bytes that a turn saves, and bytes of a snapshot, by the result and the tape of the first two turns."""
        state, values = self.held[0][1], self.values(value)
        constants: set[int] = set()
        bytes_of(self.constants, constants)
        known = set(constants)
        bytes_of((state, values), known)                     # what is saved of these is no tape
        tape = sum(bytes_of(part, constants if isinstance(part, list) else known) for part in saved)
        self.sizes = tape / 2, float(SNAPSHOT + max(bytes_of(state, set()), bytes_of(values, set())))
        return self.sizes

    def until_over(self) -> tuple:
        """Run a loop to its end, wherever that is: snapshots that are in the way go [3]."""
        state, over, self.parts = self.held[0][1], False, 0
        while True:
            over, *values = self.run(*self.bounds(self.parts, self.parts + 1), *state, *self.constants)
            state = tuple(values)
            self.parts, self.again = self.parts + 1, self.again + 1
            if over or self.turns is not None and self.parts * self.length >= self.turns:
                return state
            if self.snapshots > 1:
                self.hold(self.parts, state, self.dispensed() if len(self.held) >= self.snapshots else 0.0)

    def dispensed(self) -> float:
        """The level of the next snapshot, where one goes that is dispensable: a later one has a higher level; else the last one."""
        highest = 0.0
        for place in range(len(self.held) - 1, 0, -1):
            level: float = self.held[place][2]
            if level < highest:
                self.drop(place)
                return 0.0
            highest = max(highest, level)
        level = self.held[-1][2]
        self.drop(-1)
        return level + 1.0


def checkpointed(run: Callable, record: Callable, turns: int, carried: tuple, constants: tuple, memory: float,
                 spill: str | None = None, outputs: int = 0) -> tuple[Any, Checkpoints]:
    """What a loop gives, and what its reverse sweep needs, in so many bytes.

    run(start, stop, *carried, *constants) gives what is carried after some turns, record(...) that and the tape of these turns.
    memory: bytes of the tape of one part and of the snapshots; spill: a folder for snapshots that do not fit. outputs: how many
    values of the last turn come after those that are carried."""
    found = Checkpoints(run, record, max(turns, 0), carried, constants, False, spill, outputs)
    if turns > 2:
        tape, snapshot = found.measured(*record(0, 2, *carried, *constants))
        found.parts, found.snapshots = chosen(turns, tape, snapshot, memory, spill is not None)
        if spill is not None:
            found.room = max(1, (memory - math.ceil(turns / found.parts) * tape) // snapshot)
    value, found.last = found.tape(found.parts - 1)
    return value, found


def checkpointed_until(run: Callable, record: Callable, turns: int | None, carried: tuple, constants: tuple, memory: float,
                       spill: str | None = None) -> tuple[Any, Checkpoints]:
    """The same of a loop that ends by itself, after so many turns at most (None: any number).

    What `run` gives, and the value that `record` gives, starts with whether the loop is over. With turns=None they take a
    number of turns in the place of start and stop."""
    found = Checkpoints(run, record, turns, carried, constants, True, spill, 0)
    value, found.last = found.tape(0)
    if value[0] or turns is not None and turns <= 2:
        return found.given(value[1:]), found
    tape, snapshot = found.measured(value, found.last)
    found.length = min(max(int(memory / 2 // tape), 1), LONGEST) if tape else LONGEST
    room = (memory - found.length * tape) // snapshot
    if room < 1:
        raise too_little(memory, tape + snapshot)
    found.snapshots, found.room = int(room) if spill is None else sys.maxsize, room
    value, found.last = found.tape(0)
    if value[0] or turns is not None and turns <= found.length:
        return found.given(value[1:]), found
    found.last = None
    return found.given(found.until_over()), found


LONGEST = 10**9                            # turns of a part


def rewind(saved: Checkpoints, reverse: Callable, value_bar: Any, active: tuple[int, ...] | None = None,
           several: bool = True) -> Any:
    """Adjoints of what a loop carries and of its constants, from that of what it gives.

    reverse(tape, value_bar) gives the adjoints of what is carried at the positions `active` (None: of all), then of constants.
    several: whether these are more than one."""
    bars = [value_bar] if saved.alone else list(value_bar)
    active = tuple(range(saved.count)) if active is None else active
    passive = [j for j in range(len(bars)) if j not in active]             # outputs, too
    sums: list = []
    for part in reversed(range(saved.parts)):
        value, tape = (None, saved.last) if saved.last is not None else saved.tape(part)
        saved.last = None
        if passive and part < saved.parts - 1:              # they have no adjoint: zeros in their form
            values = saved.values(value)
            for j in passive:
                bars[j] = zeros_like(values[j])
            del values
        del value
        found = reverse(tape, (0.0, *bars) if saved.ends else saved.given(tuple(bars)))
        del tape
        parts = list(found) if several else [found]
        for j, bar in zip(active, parts):
            bars[j] = bar
        rest = parts[len(active):]
        sums = [add(total, new) for total, new in zip(sums, rest)] if sums else rest
        if saved.held[-1][0] == part:
            saved.drop(-1)
    results = [*(bars[j] for j in active), *sums]
    return tuple(results) if several else results[0]
