"""Symbolic sizes that mean something in one function only: "?n" is the value of its n, "?x.0" the length of its x.

What is not known of an array is at least its own: `x[n:] + y[n:]` has one size. Such names have one value throughout a call, or
("?~n") in each turn of a loop: then only numbers and arrays that live no longer than that turn may be known by them.

Lists that are only made to be handed on have lengths: `np.array([x, y])` is `value = [x, y]` and `np.array(value)` in core Python.
"""

from __future__ import annotations

import functools
import re
import weakref
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import gast

from sourcegrad import kinds as k
from sourcegrad.ir import tree as t
from sourcegrad.kinds import Kind

PASSING = "~"
_OF_A_TURN = re.compile(rf"\?{PASSING}(\w+)")


class OwnSizes:
    """The names of one function whose sizes can be named after them."""

    def __init__(self, body: list, parameters: Iterable[str], mentions: t.Mentions) -> None:
        once, self.homes = turns(body, mentions)
        self.owners = {name: f"{PASSING}{name}" for name in once} | {name: name for name in fixed_names(body, parameters, mentions)}
        self.known: dict[str, tuple[Kind | None, Kind | None]] = {}    # names: their kind, and with sizes of its own

    def owner(self, name: str | None) -> str | None:
        """What sizes that belong to a name are called (None: it changes)."""
        return None if name is None else self.owners.get(name)

    def sized(self, name: str, kind: Kind | None) -> Kind | None:
        """The kind of a name, with sizes of its own where there are no better ones."""
        owner = self.owners.get(name)
        if owner is None:
            return kind
        known = self.known.get(name)
        if known is None or known[0] is not kind:
            known = self.known[name] = kind, own_size(owner, kind)
        return known[1]

    def lasting(self, name: str, kind: Kind) -> Kind:
        """What stays of a kind that is given to a name: sizes of a turn only where the name lives no longer."""
        if not self.homes or kind.__class__ is k.Const or kind.__class__ is k.Num and not any(
                size.__class__ is str and PASSING in size for size in (kind.size, *(kind.dims or ()))):
            return kind
        home = self.homes.get(name) if all(
            isinstance(x, k.Num) for x in (kind.items if isinstance(kind, k.Tup) else [kind])) else None
        return without_own_sizes(kind, lambda size: f"?{PASSING}" in size and (home is None or any(
            self.homes[owner] != home[:len(self.homes[owner])] for owner in _OF_A_TURN.findall(size))))


def fixed_names(body: list, parameters: Iterable[str], mentions: t.Mentions) -> set[str]:
    """Names that have one value throughout a call: parameters and what is assigned once, outside of loops."""
    times: dict[str, int] = dict.fromkeys(parameters, 1)
    for _, written, _ in mentions.all:
        for name in written:
            times[name] = times.get(name, 0) + 1
    inside = {n for s in body for n in _in_loops(s, mentions)}
    return {n for n, count in times.items() if count == 1 and n not in inside}


def _in_loops(s: Any, mentions: t.Mentions) -> set[str]:
    """The names that the loops in a statement assign."""
    if isinstance(s, (gast.For, gast.While)):
        return {n for x in t.statements([s]) for n in mentions.of[id(x)][0]}
    return {n for inner in t.inner_blocks(s) for x in inner for n in _in_loops(x, mentions)} if isinstance(s, gast.If) else set()


def turns(body: list, mentions: t.Mentions) -> tuple[set[str], dict[str, tuple]]:
    """For names that live within one turn of a loop: the loops around, from the outermost (those assigned once apart).

    All that mentions such a name is in one block, after an assignment to it there."""
    if not any(isinstance(s, (gast.For, gast.While)) for s, *_ in mentions.all):
        return set(), {}
    written: dict[str, int] = {}
    mentioned: dict[str, int] = {}
    for _, names, reads in mentions.all:
        for name in names:
            written[name] = written.get(name, 0) + 1
            mentioned[name] = mentioned.get(name, 0) + 1
        for name in reads:
            mentioned[name] = mentioned.get(name, 0) + 1
    homes: dict[str, tuple] = {}
    for s in body:                                              # what is outside of loops lives on
        if isinstance(s, (gast.For, gast.While, gast.If)):
            _count_mentions([s], (), mentions, mentioned, homes)
    return {name for name in homes if written[name] == 1}, homes


def _count_mentions(block: list, around: tuple, mentions: t.Mentions, mentioned: dict[str, int],
                    homes: dict[str, tuple]) -> dict[str, int]:
    """How often each name is mentioned in a block. mentioned: how often in the function; homes: gets the names of `turns`."""
    later: dict[str, int] = {}
    for s in reversed(block):
        names, reads = mentions.of[id(s)]
        inside = around
        if s.__class__ is not gast.Assign:
            inside = (*around, id(s)) if isinstance(s, (gast.For, gast.While)) else around
            for inner in t.inner_blocks(s):
                if not inside and not any(isinstance(x, (gast.For, gast.While, gast.If)) for x in inner):
                    continue                                # no loop around, and none in it
                for name, count in _count_mentions(inner, inside, mentions, mentioned, homes).items():
                    later[name] = later.get(name, 0) + count
        for name in reads:
            later[name] = later.get(name, 0) + 1
        for name in names:
            later[name] = later.get(name, 0) + 1
            if inside and later[name] == mentioned[name] and name not in reads:
                homes[name] = inside
    return later


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


@k.once
def _has_own_sizes(kind: Any) -> bool:
    if isinstance(kind, k.Num):
        return any(isinstance(size, str) and _is_own(size) for size in (kind.size, *(kind.dims or ())))
    return any(map(_has_own_sizes, k.parts(kind)))


def without_own_sizes(kind: Any, lost: Callable[[str], bool] = _is_own) -> Any:
    """What is known of a value outside of the function, or where some sizes are lost."""
    if not _has_own_sizes(kind):
        return kind
    if isinstance(kind, k.Num):
        size = None if isinstance(kind.size, str) and lost(kind.size) else kind.size
        return replace(kind, size=size, dims=kind.dims and tuple(None if isinstance(d, str) and lost(d) else d for d in kind.dims))
    return k.mapped(lambda part: without_own_sizes(part, lost), kind)


class Literals:
    """Kinds of such lists with all their items."""

    def __init__(self, facts: Any) -> None:
        self._facts = weakref.ref(facts)                        # (a cycle would be garbage that waits for the collector)

    @property
    def facts(self) -> Any:
        return self._facts()

    @functools.cached_property
    def lists(self) -> dict[str, gast.List]:
        """The list displays that have a name, which is assigned and read once."""
        found: dict[str, gast.List] = {}
        times: dict[str, int] = {}
        for s in t.statements(self.facts.unit.tree.body):
            for name in (*t.writes(s), *t.header_reads(s)):
                times[name] = times.get(name, 0) + 1
            if isinstance(s, gast.Assign) and isinstance(s.value, gast.List) and isinstance(s.targets[0], gast.Name):
                found[s.targets[0].id] = s.value
        return {name: value for name, value in found.items() if times[name] == 2}

    def of(self, node: Any) -> Kind | None:
        """The kind of a list as that of a tuple; None if it is no such list, or not all of it is known."""
        value = self.lists.get(node.id) if isinstance(node, gast.Name) else None
        if value is None or not value.elts or any(isinstance(item, gast.Starred) for item in value.elts):
            return None
        items = [self.of(item) or self.facts.of(item) for item in value.elts]
        return None if any(item is None for item in items) else k.Tup(tuple(items))


def length(kind: Kind | None) -> int | None:
    """How many items a value of this kind has, if that is known: tuples, arrays of known size."""
    if isinstance(kind, k.Tup):
        return len(kind.items)
    first = kind.dims[0] if isinstance(kind, k.Num) and kind.dims else None
    return first if isinstance(first, int) else None


def defaults_kind(values: Any) -> Kind:
    """The kind of the defaults of a function: of those that cannot change."""
    if isinstance(values, dict):
        return k.Dct(tuple((name, _fixed(value)) for name, value in values.items()))
    return k.Tup(tuple(map(_fixed, values))) if isinstance(values, tuple) else k.ANY


def _fixed(value: Any) -> Kind:
    if type(value) is tuple:
        return k.Tup(tuple(map(_fixed, value)))
    return k.as_num(k.kind_of(value)) if value is None or type(value) in (int, float, bool, complex, str) else k.ANY
