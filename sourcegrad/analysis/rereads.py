"""Values that the reverse sweep reads again from arrays that change, once what was stored after them is undone.

    a = x[i, :j]; x[i, j] = f(a, x[j, j])

Saved are either the values that were read (a, x[j, j]), or what the store overwrites (one number): then x is restored
in reverse, and a is x[i, :j] again. What costs less is chosen for each array, by sizes and depths of loops.
A value that was stored is read from where it was stored: `v = f(a); x[i] = v`.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime, tree as t

LINEAR = (runtime.index_set, runtime.index_add, np.sum, np.copy, np.transpose, np.reshape)


@dataclass
class Reread:
    name: str
    statement: Any                # name = x[i]
    array: str
    after: Any                    # in reverse it may run after the reverse of this statement; None: at the block's start
    weight: float


class Rereads:
    def __init__(self, record: Any, varied: set[str] | None) -> None:
        self.r, self.varied = record, varied
        self.readers: dict[str, list[Any]] = {}
        for s in t.statements(record.body):
            for name in t.header_reads(s):
                self.readers.setdefault(name, []).append(s)

        self.saved: set[str] = set()              # read from an array that nothing else needs back: saved themselves

    def run(self) -> dict[str, Reread]:
        """Name -> how it is read again."""
        found: dict[str, list[Reread]] = {}
        repeated: dict[str, list[tuple[str, float]]] = {}
        anyway: set[str] = set()
        for name, home in self.r.home.items():
            if not home[0] or not self.r.in_loop(home):
                continue
            repeatable = self.r._repeatable(name, home)
            value = self.r.definitions[name][0].value if repeatable else None
            if isinstance(value, gast.Subscript) and t.is_name(value.value):
                if self.needed(name):
                    repeated.setdefault(value.value.id, []).append((name, self.weight(self.r.facts.of(value), home)))
                continue
            one = self.candidate(name, home)
            if one is not None:
                one.weight *= not repeatable
                found.setdefault(one.array, []).append(one)
        for array, reads in repeated.items():
            few = sum(weight for _, weight in reads) < 0.5 * self.stores(array) and not self.asked(array)
            if few and self.array(array):
                self.saved.update(name for name, _ in reads)
            else:
                anyway.add(array)                               # restored for these in any case
        chosen: dict[str, Reread] = {}
        for array, group in found.items():
            group = [one for one in group if self.needed(one.name)]
            if group and (array in anyway or sum(one.weight for one in group) > 1.25 * self.stores(array)):
                chosen.update({one.name: one for one in group})
        return chosen

    def array(self, name: str) -> bool:
        kind = self.r.facts.kinds.get(name)
        return isinstance(kind, k.Num) and bool(kind.boxed)

    def asked(self, array: str) -> bool:
        """Whether an adjoint may need an array itself, and not only parts of it that were read."""
        active = [s for s in self.r.definitions[array] if self.varied is not None and self.varied & set(t.header_reads(s))]
        return self.varied is None or self.read(array, self.varied) or any(map(self.of_result, active))

    def candidate(self, name: str, home: Any) -> Reread | None:
        definitions = self.r.definitions.get(name, ())
        if len(definitions) != 1 or self.r.block_of.get(id(definitions[0])) != home:
            return None
        s = definitions[0]
        if not isinstance(s, gast.Assign) or not isinstance(s.targets[0], gast.Name):
            return None
        if isinstance(s.value, gast.Subscript):
            return self.reread(name, s, s.value, home) if self.r._cheap(s.value, name) else None
        for store in self.readers.get(name, ()):
            value = getattr(store, "value", None)
            if (self.r.block_of[id(store)] == home and isinstance(value, gast.Call)
                    and self.r.facts.unit.lookup(value.func) is runtime.index_set and t.is_name(value.args[2], name)):
                place = value.args[1]
                plain = isinstance(place, gast.Subscript) and isinstance(place.value, gast.Attribute) and (
                    place.value.attr == "s_")
                if not plain or not isinstance(value.args[0], gast.Name) or t.writes(store) != [value.args[0].id]:
                    continue
                part = t.subscript(t.load(value.args[0].id), t.clone(place.slice))
                if self.alike(name, part) and self.r._cheap(part, name):
                    return self.reread(name, store, part, home)
        return None

    def alike(self, name: str, part: Any) -> bool:
        """Whether an array holds exactly the value that was stored: its precision and its shape."""
        have, want = self.r.facts.kinds.get(name), self.r.facts.of(part)
        if not isinstance(have, k.Num) or not isinstance(want, k.Num) or have.dims is None or have.dims != want.dims:
            return False
        return None not in have.dims and want.dtype is not None and (
            have.dtype == want.dtype or (have.dtype, want.dtype) == ("pyfloat", "float64"))

    def reread(self, name: str, s: Any, value: Any, home: Any) -> Reread | None:
        facts, order = self.r.facts, self.r.order
        array = value.value.id if isinstance(value.value, gast.Name) else None
        kind = facts.kinds.get(array, k.ANY) if array else k.ANY
        if array is None or not (isinstance(kind, k.Num) and kind.boxed):
            return None
        operands = set(t.reads(value))
        after = None
        for other in self.r.blocks[home]:
            if order[id(other)] > order[id(s)] and operands & {
                    n for x in [other, *t.statements(inner(other))] for n in t.writes(x)}:
                after = other
                break
        if after is not None and any(order[id(x)] >= order[id(after)] for x in self.readers.get(name, ())):
            return None
        if any(order[id(x)] < order[id(s)] and not self.inside(x, home) for x in self.readers.get(name, ())):
            return None
        again = t.assign(name, t.clone(value), t.origin_of(s))
        return Reread(name, again, array, after, self.weight(facts.of(value), home))

    def inside(self, s: Any, home: Any) -> bool:
        return home in self.r._ancestors(self.r.block_of[id(s)])

    def needed(self, name: str) -> bool:
        """Whether the adjoint of what makes or reads a value may need it: a guess, as rules are not known here."""
        if self.varied is None or self.read(name, self.varied):
            return True
        return name in self.varied and self.of_result(self.r.definitions[name][0])

    def of_result(self, s: Any) -> bool:
        """Whether the adjoint of a statement may need its result."""
        value = getattr(s, "value", None)
        if isinstance(value, gast.BinOp):
            return isinstance(value.op, (gast.Div, gast.Pow)) and isinstance(value.right, gast.Name)
        return isinstance(value, gast.Call) and self.r.facts.unit.lookup(value.func) not in LINEAR

    def read(self, name: str, varied: set[str]) -> bool:
        """Whether the adjoint of what reads a value may need it."""
        for s in self.readers.get(name, ()):
            value = getattr(s, "value", None)
            if not isinstance(s, gast.Assign) or not varied & set(t.writes(s)):
                continue
            if isinstance(value, gast.BinOp):
                if isinstance(value.op, (gast.Add, gast.Sub)):
                    continue
                other = value.right if t.is_name(value.left, name) else value.left
                if isinstance(value.op, gast.Mult) and not (isinstance(other, gast.Name) and other.id in varied):
                    continue
                if isinstance(value.op, gast.Div) and not isinstance(value.right, gast.Name):
                    continue
                return True
            if isinstance(value, gast.Call) and self.r.facts.unit.lookup(value.func) not in LINEAR:
                return True
        return False

    def stores(self, array: str) -> float:
        """What it costs to put away all that is overwritten in an array."""
        total = 0.0
        for s in self.r.definitions.get(array, ()):
            value = getattr(s, "value", None)
            size: Any = None
            if isinstance(value, gast.Call) and self.r.facts.unit.lookup(value.func) in (runtime.index_set, runtime.index_add):
                place = value.args[1]
                if isinstance(place, gast.Subscript):
                    size = self.r.facts.of(t.subscript(t.load(array), t.clone(place.slice)))
                total += self.weight(size, self.r.block_of[id(s)])
        return total

    def weight(self, kind: Any, block: Any) -> float:
        loops = sum(isinstance(self.r.parent[b][1], (gast.For, gast.While)) for b in self.r._ancestors(block)
                    if b in self.r.parent)
        size = 4.0
        if isinstance(kind, k.Num) and kind.dims is not None:
            size = 1.0 if kind.is_scalar else 4.0 ** len(kind.dims)
        return size * 10.0 ** loops


def inner(s: Any) -> list:
    return [x for f in t.BLOCKS for x in getattr(s, f, None) or []]
