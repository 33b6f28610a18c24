"""Kinds of names where they are read: of the assignments that reach that place.

The kind of a name covers all its values. In `if scale is None: scale = 1.0` and in `if B.ndim == 1: B = B[:, None]` the test sees
only those from before; what it says decides which branches there are, and so what is known of all that follows."""
from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import gast

from sourcegrad import kinds as k
from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import ReachingDefinitions
from sourcegrad.kinds import Kind


class FlowKinds:
    """`read` gives the kind of a name at a place, `define` notes what an assignment gives it."""

    def __init__(self, body: list, given: dict[str, Kind], skipped: Iterable[str]) -> None:
        times: dict[str, int] = dict.fromkeys(given, 1)
        for s in t.statements(body):
            for name in t.writes(s):
                times[name] = times.get(name, 0) + 1
        self.names = names = {name for name, count in times.items() if count > 1} - set(skipped)
        self.reads: dict[int, tuple[Any, frozenset]] = {}      # id(node) -> the node, the definitions that reach it
        self.kinds: dict[tuple, Kind] = {(0, name): kind for name, kind in given.items() if name in names}
        if names:
            ReachingDefinitions([n for n in given if n in names], names, self._read).run(body)

    def _read(self, name: str, node: gast.Name, definitions: frozenset) -> None:
        if name in self.names:
            self.reads[id(node)] = node, definitions

    def read(self, node: gast.Name) -> Kind | None:
        """The kind of a name where it is read; ANY where it must be that of the name, None while it is not known yet."""
        joined: Kind | None = None
        for definition in self.reads[id(node)][1]:
            kind = self.kinds.get(definition)
            if kind is not None:                                # (of an assignment that is not reached there is none)
                joined = kind if joined is None else k.join(joined, kind)
        return joined if joined is None or _lasting(joined) else k.ANY

    def define(self, s: Any, name: str, kind: Kind) -> bool:
        """Note the kind that an assignment gives a name; whether that is new."""
        if name not in self.names:
            return False
        old = self.kinds.get((id(s), name))
        new = kind if old is None else k.join(old, kind)
        self.kinds[id(s), name] = new
        return new != old

    def forget(self) -> None:
        self.reads = {}

    def on(self, tree: Any, new: Any) -> FlowKinds:
        """The same of a copy of the tree. (Definitions are but marks: those of the original will do.)"""
        if not self.reads:
            return self
        other = copy.copy(self)
        nodes = {id(node): copied for node, copied in zip(t.walk(tree), t.walk(new)) if id(node) in self.reads}
        other.reads = {id(copied): (copied, self.reads[node][1]) for node, copied in nodes.items()}
        return other


def _lasting(kind: Kind) -> bool:
    """Whether a value of this kind stays of this kind: no container that grows, no object that gets attributes."""
    if isinstance(kind, k.Tup):
        return all(map(_lasting, kind.items))
    return isinstance(kind, (k.Const, k.Num, k.Fn))
