"""Stores and sums into parts of adjoints that cancel, in the reverse sweep.

    v = x[i]; x[i] = 0; ...; x[i] += v             x[i] stays what it is
    v = x[i]; x[i] = 0; ...; x[i] += w             x[i] = w
    x[i] = w; v = x[i]                             v = w
    x[i] += w; v = x[i]; x[i] = 0                  v = x[i] + w; x[i] = 0
    x[:] = x_old                                   x = x_old, where a value of the forward sweep comes back
    x[i] += w; ...; x[i] += w                      x[i] += 2.0 * w
    a = c * w; ...; b = c * w                      b is a

This is what `A[i] += ...` and stencils leave behind. Sums into one array may change places, as nothing reads it between.
"""
from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.analysis.infer import Infer
from sourcegrad.frontend.resolve import Unit
from sourcegrad.transform.simplify import basic_index, covers, number, plain_index
from sourcegrad.transform.single import single_values


def stores(unit: Unit, tree: Any, facts: Infer) -> bool:
    """Rewrite the stores of the reverse sweep in place; whether there was anything to rewrite."""
    mark = next((j for j, s in enumerate(tree.body) if t.is_comment(s)), None)
    if mark is None:
        return False
    reads: dict[str, int] = {}
    for s in t.statements(tree.body):
        for name in t.header_reads(s):
            reads[name] = reads.get(name, 0) + 1
    rewriter = Stores(unit, facts, single_values(tree), reads)
    rewriter.forward = {n for s in t.statements(tree.body[:mark]) for n in t.writes(s)}
    back = tree.body[mark + 1:]
    rewriter.block(back)
    tree.body[mark + 1:] = back
    return rewriter.changed


class Stores:
    def __init__(self, unit: Unit, facts: Infer, values: dict[str, Any], reads: dict[str, int]) -> None:
        self.unit, self.facts, self.values, self.reads = unit, facts, values, reads
        self.forward: set[str] = set()              # names of the forward sweep
        self.changed = False

    def block(self, block: list) -> None:
        for s in block:
            if not is_stop(s):
                for inner in t.inner_blocks(s):
                    self.block(inner)
        self.common(block)
        position = 0
        while position < len(block):
            s = block[position]
            if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) and isinstance(
                    s.value.args[0] if s.value.args else None, gast.Subscript):
                self.whole_copy(s)
            if self.is_call(s, runtime.index_set) and number(s.value.args[2]) == 0.0:
                if self.cleared(block, position):
                    continue
            elif self.is_call(s, runtime.index_set):
                self.whole_restore(s)
                self.read_again(block, position)
            elif self.is_call(s, runtime.index_add):
                self.repeated(block, position)
                if self.taken(block, position):
                    continue
            position += 1

    def whole_copy(self, s: gast.Assign) -> None:
        """v = np.copy(x[:]) is v = x; where x changes in place while v is needed, it is copied again later."""
        part: Any = s.value.args[0]
        kind = k.as_num(self.facts.of(part.value) or k.ANY)
        if (self.unit.lookup(s.value.func) is np.copy and len(s.value.args) == 1 and not s.value.keywords
                and isinstance(part.value, gast.Name) and whole(part.slice) and isinstance(kind, k.Num)
                and kind.boxed and kind.dims):
            s.value = part.value
            self.changed = True

    def is_call(self, s: Any, function: Any) -> bool:
        """x = index_set(x, i, v) or x = index_add(x, i, v) of an array, with a basic index."""
        if not (s.__class__ is gast.Assign and s.value.__class__ is gast.Call and isinstance(s.targets[0], gast.Name)
                and self.unit.lookup(s.value.func) is function and len(s.value.args) == 3):
            return False
        name = s.targets[0].id
        kind = k.as_num(self.facts.kinds.get(name, k.ANY))
        index = s.value.args[1]
        plain = not isinstance(index, gast.Subscript) or plain_index(index) is not index
        return (t.is_name(s.value.args[0], name) and isinstance(kind, k.Num) and bool(kind.boxed) and plain
                and basic_index(index, self.facts) and name not in t.reads(s.value.args[1]) + t.reads(s.value.args[2]))

    def later(self, block: list, position: int, index: Any) -> Iterator[tuple[int, Any, bool]]:
        """Statements that mention x after a store into x[index], with whether they add to x; until one that does else.

        Ends where a name of the index changes."""
        name, operands = t.writes(block[position])[0], set(t.reads(index))
        for place in range(position + 1, len(block)):
            s = block[place]
            if name in mentions(s):
                adds = self.is_call(s, runtime.index_add)
                yield place, s, adds
                if not adds:
                    return
            if operands & changes(s):
                return

    def cleared(self, block: list, position: int) -> bool:
        """x[i] = 0.0 that a later x[i] += e makes x[i] = e, or nothing where e is what x[i] was."""
        s = block[position]
        name, index = t.writes(s)[0], plain_index(s.value.args[1])
        first = None
        for place, other, adds in self.later(block, position, index):
            first = place if first is None else first
            if not adds:
                return first == place and whole(index) and self.filled(block, position, place)
            part = other.value.args[2]
            if not t.same(plain_index(other.value.args[1]), index) or not self.same_dtype(name, part):
                continue
            if any(changes(x) & set(t.reads(part)) for x in block[first:place]):
                continue
            kept = self.is_old(block, position, name, index, part)
            new = [] if kept else [t.assign(name, t.call(s.value.func, t.load(name), s.value.args[1], part), t.origin_of(other))]
            del block[place]
            block[first:first] = new
            del block[position]
            self.changed = True
            return True
        return False

    def filled(self, block: list, position: int, place: int) -> bool:
        """x[:] = 0.0; x = x + e of an e with the shape of x: x = e."""
        s, name = block[place], t.writes(block[position])[0]
        value = getattr(s, "value", None)
        if not (isinstance(s, gast.Assign) and t.writes(s) == [name] and isinstance(value, gast.BinOp)
                and isinstance(value.op, gast.Add) and t.is_name(value.left, name) and name not in t.reads(value.right)):
            return False
        have, want = self.facts.of(value.right), self.facts.kinds.get(name)
        if not (isinstance(have, k.Num) and have.boxed and covers(have, want) and covers(want, have)
                and self.same_dtype(name, value.right)):
            return False
        s.value = value.right
        del block[position]
        self.changed = True
        return True

    def same_dtype(self, name: str, part: Any) -> bool:
        have, want = k.as_num(self.facts.of(part) or k.ANY), k.as_num(self.facts.kinds.get(name, k.ANY))
        return isinstance(have, k.Num) and isinstance(want, k.Num) and have.dtype is not None and (
            have.dtype == want.dtype or have.is_scalar and have.dtype == "pyfloat")

    def is_old(self, block: list, position: int, name: str, index: Any, part: Any) -> bool:
        """Whether a name holds what x[index] is before a statement."""
        if not isinstance(part, gast.Name) or part.id not in self.values:
            return False
        for s in reversed(block[:position]):
            if t.writes(s) == [part.id]:
                value = s.value
                if isinstance(value, gast.Call) and self.unit.lookup(value.func) is np.copy and len(value.args) == 1:
                    value = value.args[0]
                return isinstance(value, gast.Subscript) and t.is_name(value.value, name) and t.same(
                    plain_index(value.slice), index)
            if changes(s) & {name, *t.reads(index)}:
                return False
        return False

    def read_again(self, block: list, position: int) -> None:
        """v = x[i] right after x[i] = e of a number e."""
        s = block[position]
        if not isinstance(s.value, gast.Call):
            return
        index, part = plain_index(s.value.args[1]), s.value.args[2]
        kind = k.as_num(self.facts.of(part) or k.ANY)
        if not (isinstance(part, gast.Name) and isinstance(kind, k.Num) and kind.is_scalar):
            return
        name = t.writes(s)[0]
        target = k.as_num(self.facts.kinds.get(name, k.ANY))
        if not isinstance(target, k.Num) or kind.dtype != target.dtype:
            return
        for place, other, adds in self.later(block, position, index):
            value = getattr(other, "value", None)
            if adds or part.id in {n for x in block[position + 1: place] for n in changes(x)}:
                return
            if isinstance(other, gast.Assign) and isinstance(value, gast.Subscript) and t.is_name(value.value, name) and (
                    t.same(plain_index(value.slice), index)):
                other.value = t.load(part.id)
                self.changed = True

    def repeated(self, block: list, position: int) -> None:
        """The same contribution to the same part once, times a number."""
        s = block[position]
        index, part = plain_index(s.value.args[1]), s.value.args[2]
        if not isinstance(part, gast.Name) or not self.same_dtype(t.writes(s)[0], part):
            return
        again = [place for place, other, adds in self.later(block, position, index)
                 if adds and t.same(plain_index(other.value.args[1]), index) and t.is_name(other.value.args[2], part.id)]
        if not again or any(part.id in changes(x) for x in block[position:again[-1]]):
            return
        s.value.args[2] = t.binop(t.const(float(len(again) + 1)), gast.Mult(), part)
        for place in reversed(again):
            del block[place]
        self.changed = True

    def whole_restore(self, s: gast.Assign) -> None:
        """x[:] = x_old gives x its old array: in this text nothing else is the memory of x."""
        name, part = t.writes(s)[0], s.value.args[2]
        have, want = self.facts.of(part), self.facts.kinds.get(name)
        if (isinstance(part, gast.Name) and name in self.forward and whole(plain_index(s.value.args[1]))
                and isinstance(have, k.Num) and isinstance(want, k.Num) and have.boxed and have.dtype == want.dtype
                and have.dtype is not None and covers(have, want) and covers(want, have)):
            s.value = part
            self.changed = True

    def taken(self, block: list, position: int) -> bool:
        """x[i] += w where x[i] is only taken and overwritten then."""
        s = block[position]
        name, index, part = t.writes(s)[0], plain_index(s.value.args[1]), s.value.args[2]
        places = list(itertools.islice(
            (place for place in range(position + 1, len(block)) if name in mentions(block[place])), 2))
        if len(places) < 2 or not self.same_dtype(name, part):
            return False
        take, put = (block[place] for place in places)
        value: Any = getattr(take, "value", None)
        copied = isinstance(value, gast.Call) and self.unit.lookup(value.func) is np.copy and len(value.args) == 1
        read = value.args[0] if copied else value
        if not (isinstance(take, gast.Assign) and isinstance(read, gast.Subscript) and t.is_name(read.value, name)
                and t.same(plain_index(read.slice), index) and self.is_call(put, runtime.index_set)
                and t.same(plain_index(put.value.args[1]), index)):
            return False
        if any(changes(x) & {*t.reads(part), *t.reads(index)} for x in block[position + 1:places[1]]):
            return False
        take.value = t.binop(read, gast.Add(), part)
        del block[position]
        self.changed = True
        return True

    def common(self, block: list) -> None:
        """The same product or sum is computed once in a block."""
        known: dict[tuple, str] = {}
        using: dict[str, set[tuple]] = {}                          # what is known of by the names that it needs
        for s in list(block):
            changed = changes(s)
            alone = isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) and isinstance(
                s.value, (gast.BinOp, gast.UnaryOp))
            key = key_of(s.value) if alone else None
            name = t.writes(s)[0] if alone else ""
            if isinstance(getattr(s, "value", None), gast.UnaryOp) and any(
                    self.is_call(x, runtime.index_add) and t.is_name(x.value.args[2], name) for x in block):
                key = None                                         # x[i] -= v needs no array of its own
            if key is not None and self.values.get(name) is s.value and key in known:
                first = known[key]
                index = next(j for j, x in enumerate(block) if x is s)
                reaching = self.reaching(block, index, name)
                if reaching is not None and not any(first in changes(x) for x in reaching):
                    for x in reaching:
                        t.rename(x, {name: first})
                    del block[index]
                    self.changed = True
                    continue
            for lost in [other for n in changed for other in using.pop(n, ())]:
                known.pop(lost, None)
            if key is not None and self.values.get(name) is s.value and name not in t.reads(s.value):
                known[key] = name
                for n in (*names_of(key), name):
                    using.setdefault(n, set()).add(key)

    def reaching(self, block: list, position: int, name: str) -> list | None:
        """The statements after a place up to the last that reads a name; None if it is read elsewhere, too."""
        waiting = self.reads.get(name, 0)
        for place in range(position + 1, len(block)):
            if waiting <= 0:
                return block[position + 1:place]
            waiting -= reading(block[place], name)
        return block[position + 1:] if waiting == 0 else None


def key_of(value: Any) -> tuple | None:
    """An operation on names and constants as something that can be compared."""
    parts: list = [type(value.op).__name__]
    for side in (value.left, value.right) if isinstance(value, gast.BinOp) else (value.operand,):
        if isinstance(side, gast.Name):
            parts.append(("name", side.id))
        elif number(side) is not None:
            parts.append(("number", repr(number(side))))
        else:
            return None
    return tuple(parts)


def names_of(key: tuple) -> set[str]:
    return {part[1] for part in key[1:] if part[0] == "name"}


def inner(s: Any) -> list:
    return [s, *t.statements([x for f in t.BLOCKS for x in getattr(s, f, None) or []])]


def whole(index: Any) -> bool:
    """[:] and [:, :]"""
    return all(isinstance(p, gast.Slice) and not (p.lower or p.upper or p.step)
               for p in (index.elts if isinstance(index, gast.Tuple) else [index]))


def reading(s: Any, name: str) -> int:
    return sum(t.header_reads(x).count(name) for x in inner(s))


def mentions(s: Any) -> set[str]:
    return {n for x in inner(s) for n in (*t.header_reads(x), *t.writes(x))}


def changes(s: Any) -> set[str]:
    """Names that a statement assigns, or lists that it changes, inner blocks included."""
    if s.__class__ is gast.Assign:
        method = t.list_method(s)
        return {*t.writes(s), method[0]} if method is not None else set(t.writes(s))
    return {n for x in inner(s) for n in t.writes(x)} | {m[0] for x in inner(s) for m in [t.list_method(x)] if m}
