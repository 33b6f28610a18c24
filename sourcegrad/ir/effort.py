"""Effort: how much of libraries is followed, counted in steps of the analyses: the same on each machine, however busy it is.

A step is a statement at which an analysis looks; a function that is looked at anew costs some more. Code of the user's own has no
limit. What a library calls has one for each function of it that the user calls: a wide one as long as all goes well, and a narrow
one from the first refusal on, as what is tried then (objects told apart by their identity, callees in place of their calls, traps)
mostly ends in the same refusal.
"""
from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sourcegrad.errors import InternalError, Origin, SourcegradError, UnsupportedError

# A step takes 0.02 to 0.1 ms on a machine of 2024. Those that are right among the functions of 13 packages take up to 52,000 steps
# in one function and 63,000 in all, where nothing is refused (4 s); where something is, up to 22,000 and 37,000 after that.
FOLLOWED = 60_000                           # steps in what one function of a library calls
AFTER_REFUSAL = 23_000                      # steps that are left for it when something in it is refused,
IN_ALL = 70_000, 38_000                     # the same for all libraries together
TRIED = 60_000                             # steps of one call of the user's after which what is refused is not generated again
FUNCTION = 100                              # steps that a new look at a function counts as


class Work(threading.local):
    """The steps that this thread has taken."""

    steps = 0


WORK = Work()


class Learned:
    """What is known of the derivatives that one call of the user's has asked for so far: where one is generated again (with
    guards, or with what runs as it stands), it begins with that. known: facts, by what they are of; cut: whether the user's own
    function was cut off while it was observed, as it calls too much: it is not observed again."""

    def __init__(self) -> None:
        self.known: dict[Any, Any] = {}
        self.cut = False
        self.begun = WORK.steps

    @property
    def tried(self) -> bool:
        """Whether so much was done that what is refused is not generated again."""
        return WORK.steps - self.begun > TRIED


_learned: ContextVar[Learned | None] = ContextVar("learned", default=None)


@contextmanager
def learning() -> Iterator[None]:
    """Around a call of the user's."""
    if _learned.get() is not None:                          # a part of one
        yield
        return
    token = _learned.set(Learned())
    try:
        yield
    finally:
        _learned.reset(token)


def learned_now() -> Learned:
    """What the call of the user's has taught so far."""
    return _learned.get() or Learned()


class Account:
    """The steps in one function of a library and what it calls. first: what was refused there first."""

    def __init__(self, limit: int, name: str = "", origin: Origin | None = None) -> None:
        self.name, self.origin = name, origin
        self.spent, self.limit = 0, limit
        self.first: SourcegradError | None = None

    def note(self, problem: SourcegradError, left: int) -> None:
        if self.first is None:
            self.first, self.limit = problem, min(self.spent + left, self.limit)

    def refusal(self, first: SourcegradError | None) -> UnsupportedError:
        """What is told when nothing is left: what was refused first, if anything was."""
        first, message, origin = self.first or first, f"{self.name}() calls too much to be followed", self.origin
        if first is not None:
            message, origin = f"{first.message}, and it calls too much to be followed in other ways", first.origin or origin
        found = UnsupportedError(message, origin)
        found.exhausted, found.first = True, first
        return found


class Effort:
    """The accounts of one derivative, over all attempts to generate it. learned: of the call that has asked
    for it. anew: whether the count has begun anew."""

    def __init__(self) -> None:
        self.accounts: dict[Any, Account] = {}
        self.all = Account(IN_ALL[0])
        self.current: Account | None = None
        self.since = WORK.steps
        self.learned = learned_now()
        self.anew = False

    def account(self, function: Any, around: Account | None) -> Account:
        """That of a function of a library: of the one that the user called, which led there first. around: leads there now."""
        key = function.object or function.plain
        found = self.accounts.get(key)
        if found is None:
            found = self.accounts[key] = around or Account(FOLLOWED, function.name, function.origin)
        return found

    @property
    def tried(self) -> bool:
        return self.learned.tried

    @contextmanager
    def on(self, account: Account | None) -> Iterator[None]:
        """While steps count for an account (None: for code of the user's)."""
        before = self._switch(account)
        WORK.steps += FUNCTION
        try:
            self.check()
            yield
        finally:
            self._switch(before)

    def _switch(self, account: Account | None) -> Account | None:
        before, now = self.current, WORK.steps
        for one in () if before is None else (before, self.all):
            one.spent += now - self.since
        self.current, self.since = account, now
        return before

    def check(self) -> None:
        """Refuse to go on where nothing is left for the function of a library at hand, or for all of them."""
        account = self._switch(self.current)
        if account is not None and (account.spent > account.limit or self.all.spent > self.all.limit):
            raise account.refusal(self.all.first)

    def note(self, problem: SourcegradError, around: Callable[[], tuple[Origin, ...]]) -> None:
        """Something was refused: little more is tried in that function of a library. around: the calls that led there."""
        account = self._switch(self.current)
        if account is not None and not (problem.exhausted or isinstance(problem, InternalError)):
            if account.first is None:
                lost, problem = problem.lost, copy.copy(problem)
                problem.lost = lost
                problem.locate(None, around())
            account.note(problem, AFTER_REFUSAL)
            self.all.note(problem, IN_ALL[1])

    def forget(self) -> None:
        """Begin anew, where what was refused is not followed any more: once."""
        self.anew = True
        self.accounts, self.all, self.current = {}, Account(IN_ALL[1]), None
