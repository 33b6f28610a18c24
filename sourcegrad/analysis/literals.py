"""Lists that are only made to be handed on: `np.array([x, y])` is `value = [x, y]` and `np.array(value)` in core Python."""
from __future__ import annotations

import functools
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k
from sourcegrad.ir import tree as t
from sourcegrad.kinds import Kind

OF_LISTS = {np.array, np.asarray, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack, np.concatenate}


class Literals:
    """Kinds of such lists with all their items."""

    def __init__(self, facts: Any) -> None:
        self.facts = facts

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
