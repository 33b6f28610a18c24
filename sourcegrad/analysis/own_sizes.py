"""Sizes that mean something in one function only: "?n" is the value of its n, "?x.0" the length of its x.

What is not known of an array is at least its own: `x[n:] + y[n:]` has one size. Such names have one value throughout a call, or
("?~n") in each turn of a loop: then only numbers and arrays that live no longer than that turn may be known by them.
"""
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import gast

from sourcegrad import kinds as k, tree as t
from sourcegrad.kinds import Kind

PASSING = "~"
_OF_A_TURN = re.compile(rf"\?{PASSING}(\w+)")


class OwnSizes:
    """The names of one function whose sizes can be named after them."""

    def __init__(self, body: list, parameters: Iterable[str]) -> None:
        self.fixed = fixed_names(body, parameters)
        self.once, self.homes = turns(body)
        self.known: dict[str, tuple[Kind | None, Kind | None]] = {}    # names: their kind, and with sizes of its own

    def owner(self, name: str | None) -> str | None:
        """What sizes that belong to a name are called (None: it changes)."""
        return name if name in self.fixed else f"{PASSING}{name}" if name in self.once else None

    def sized(self, name: str, kind: Kind | None) -> Kind | None:
        """The kind of a name, with sizes of its own where there are no better ones."""
        owner = self.owner(name)
        if owner is None:
            return kind
        known = self.known.get(name)
        if known is None or known[0] is not kind:
            known = self.known[name] = kind, own_size(owner, kind)
        return known[1]

    def lasting(self, name: str, kind: Kind) -> Kind:
        """What stays of a kind that is given to a name: sizes of a turn only where the name lives no longer."""
        if not self.homes:
            return kind
        home = self.homes.get(name) if all(
            isinstance(x, k.Num) for x in (kind.items if isinstance(kind, k.Tup) else [kind])) else None
        return without_own_sizes(kind, lambda size: f"?{PASSING}" in size and (home is None or any(
            self.homes[owner] != home[:len(self.homes[owner])] for owner in _OF_A_TURN.findall(size))))


def fixed_names(body: list, parameters: Iterable[str]) -> set[str]:
    """Names that have one value throughout a call: parameters and what is assigned once, outside of loops."""
    written: dict[str, int] = {name: 1 for name in parameters}
    for s in t.statements(body):
        inside = t.statements(s.body) if isinstance(s, (gast.For, gast.While)) else ()
        for name in (*t.writes(s), *(n for x in inside for n in (*t.writes(x), *t.writes(s)))):
            written[name] = written.get(name, 0) + 1
    return {n for n, count in written.items() if count == 1}


def turns(body: list) -> tuple[set[str], dict[str, tuple]]:
    """For names that live within one turn of a loop: the loops around, from the outermost (those assigned once apart).

    All that mentions such a name is in one block, after an assignment to it there."""
    loops = [s for s in t.statements(body) if isinstance(s, (gast.For, gast.While))]
    if not loops:
        return set(), {}
    written = Counter(n for s in t.statements(body) for n in t.writes(s))
    mentioned = written + Counter(n for s in t.statements(body) for n in t.header_reads(s))
    homes: dict[str, tuple] = {}

    def look(block: list, around: tuple) -> Counter:
        """How often each name is mentioned in a block."""
        later: Counter = Counter()
        for s in reversed(block):
            reads, inside = t.header_reads(s), (*around, id(s)) if isinstance(s, (gast.For, gast.While)) else around
            later.update(reads)
            for inner in t.inner_blocks(s):
                later.update(look(inner, inside))
            for name in t.writes(s):
                later[name] += 1
                if inside and later[name] == mentioned[name] and name not in reads:
                    homes[name] = inside
        return later

    look(body, ())
    return {name for name in homes if written[name] == 1}, homes


def own_size(name: str, kind: Kind | None) -> Kind | None:
    """What is known of an int or an array that stays the same: sizes that are not known are at least its own."""
    if not isinstance(kind, k.Num):
        return kind
    if kind.boxed and kind.dims and None in kind.dims:
        dims = tuple(f"?{name}.{axis}" if dim is None else dim for axis, dim in enumerate(kind.dims))
        return replace(kind, dims=dims)
    return k.Num("pyint", (), False, f"?{name}") if kind.dtype == "pyint" and kind.size is None else kind


def _is_own(size: str) -> bool:
    return "?" in size


def without_own_sizes(kind: Any, lost: Callable[[str], bool] = _is_own) -> Any:
    """What is known of a value outside of the function, or where some sizes are lost."""
    if isinstance(kind, k.Num):
        if isinstance(kind.size, str) and lost(kind.size):
            kind = replace(kind, size=None)
        if kind.dims and any(isinstance(d, str) and lost(d) for d in kind.dims):
            kind = replace(kind, dims=tuple(None if isinstance(d, str) and lost(d) else d for d in kind.dims))
        return kind
    if isinstance(kind, (k.Tup, k.Closure, k.OneOf)):                         # named tuples as well
        return replace(kind, items=tuple(without_own_sizes(item, lost) for item in kind.items))
    if isinstance(kind, (k.Obj, k.Dct)) and kind.items:
        return replace(kind, items=tuple((name, without_own_sizes(item, lost)) for name, item in kind.items))
    if isinstance(kind, k.Map) and kind.key is not None and kind.item is not None:
        return replace(kind, key=without_own_sizes(kind.key, lost), item=without_own_sizes(kind.item, lost))
    if isinstance(kind, (k.Lst, k.Rest, k.Optional)) and kind.item is not None:
        return replace(kind, item=without_own_sizes(kind.item, lost))
    return kind
