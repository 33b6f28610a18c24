"""Live names: which values may still be read later.

With `pure` given these are strongly live names: a read by a pure assignment counts only if its target is live.
Lists that change are read and written by `append` and `pop`, so a tape that nobody pops is not live.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.analysis.cfg import is_stop

Live = frozenset


class Liveness:
    """`after[id(s)]`: names live after each statement; `head[id(loop)]`: names live where an iteration starts;
    `kept`: ids of statements that matter (all of them without `pure`)."""

    def __init__(self, pure: Callable[[Any], bool] | None = None) -> None:
        self.pure = pure
        self.after: dict[int, Live] = {}
        self.head: dict[int, Live] = {}
        self.kept: set[int] = set()

    def block(self, block: list, live: Live) -> Live:
        for s in reversed(block):
            self.after[id(s)] = live
            live = self.statement(s, live)
        return live

    def statement(self, s: Any, live: Live) -> Live:
        if isinstance(s, gast.If):
            if is_stop(s):
                self.kept.add(id(s))
                return live | set(t.reads(s.test))
            inside = self.block(s.body, live) | self.block(s.orelse, live)
            if self._keep(s, any(id(x) in self.kept for x in s.body + s.orelse)):
                return inside | set(t.reads(s.test))
            return live
        if isinstance(s, (gast.For, gast.While)):
            return self._loop(s, live)
        found = t.list_method(s)
        if found is not None:
            return self._list(s, found, live)
        written = set(t.writes(s))
        if isinstance(s, gast.Assign):
            needed = bool(written & live) or not self._is_pure(s.value)
        else:
            needed = not (isinstance(s, gast.Expr) and self._is_pure(s.value))
        if not self._keep(s, needed):
            return live
        return (live - written) | set(t.header_reads(s))

    def _is_pure(self, value: Any) -> bool:
        return self.pure is not None and self.pure(value)

    def _keep(self, s: Any, needed: bool) -> bool:
        if needed or self.pure is None:
            self.kept.add(id(s))
            return True
        return False

    def _list(self, s: Any, found: tuple[str, str], live: Live) -> Live:
        name, method = found
        written = set(t.writes(s))
        if not self._keep(s, name in live or bool(written & live)):
            return live
        read = set(t.reads(s)) if method == "append" else {name}
        return (live - written) | read | {name}

    def _loop(self, s: Any, live: Live) -> Live:
        own = set(t.writes(s))
        header = set(t.header_reads(s))
        body = [x for x in s.body if not is_stop(x)]
        tests = {n for x in s.body if is_stop(x) for n in t.reads(x.test)}
        current = live
        while True:
            inside = self.block(s.body, current) - own
            kept = self._keep(s, any(id(x) in self.kept for x in body) or bool(own & live))
            after = current | (inside | tests | (header if isinstance(s, gast.While) else set()) if kept else set())
            if after == current:
                break
            current = after
        self.head[id(s)] = self.block(s.body, current)
        return current | header if kept else live
