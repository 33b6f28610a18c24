"""Store-to-load forwarding and dead-store elimination, on parts of adjoints and restores.

Stores and sums into parts of adjoints that cancel, in the reverse sweep.

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

import collections
import itertools
from collections.abc import Iterator
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.intervals import Box, Constraints, Term, renamed
from sourcegrad.analysis.purity import pure
from sourcegrad.analysis.python_types import of_shape
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import single_values
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Unit
from sourcegrad.optimize.algebra import basic_index, covers, place_root, plain_index
from sourcegrad.optimize.sums import number, uncopied
from sourcegrad.primitives.core import primitive_of


def store_forwarding(unit: Unit, tree: Any, facts: Infer) -> bool:
    """Rewrite the stores of the reverse sweep in place; whether there was anything to rewrite."""
    forward, back = t.sweeps(tree)
    if not back:
        return False
    reads = collections.Counter(n for s in t.statements(tree.body) for n in t.header_reads(s))
    rewriter = Stores(unit, facts, single_values(tree), reads)
    rewriter.forward = {n for s in t.statements(forward) for n in t.writes(s)}
    rewriter.block(back)
    tree.body[len(forward) + 1:] = back
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
            if name in t.mentions(s):
                adds = self.is_call(s, runtime.index_add)
                yield place, s, adds
                if not adds:
                    return
            if operands & t.changes(s):
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
            if any(t.changes(x) & set(t.reads(part)) for x in block[first:place]):
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
                value = uncopied(self.unit, s.value)
                return isinstance(value, gast.Subscript) and t.is_name(value.value, name) and t.same(
                    plain_index(value.slice), index)
            if t.changes(s) & {name, *t.reads(index)}:
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
            if adds or part.id in {n for x in block[position + 1: place] for n in t.changes(x)}:
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
        if not again or any(part.id in t.changes(x) for x in block[position:again[-1]]):
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
            (place for place in range(position + 1, len(block)) if name in t.mentions(block[place])), 2))
        if len(places) < 2 or not self.same_dtype(name, part):
            return False
        take, put = (block[place] for place in places)
        value: Any = getattr(take, "value", None)
        read = uncopied(self.unit, value)
        if not (isinstance(take, gast.Assign) and isinstance(read, gast.Subscript) and t.is_name(read.value, name)
                and t.same(plain_index(read.slice), index) and self.is_call(put, runtime.index_set)
                and t.same(plain_index(put.value.args[1]), index)):
            return False
        if any(t.changes(x) & {*t.reads(part), *t.reads(index)} for x in block[position + 1:places[1]]):
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
            changed = t.changes(s)
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
                if reaching is not None and not any(first in t.changes(x) for x in reaching):
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
            waiting -= sum(t.header_reads(x).count(name) for x in t.statements([block[place]]))
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


def whole(index: Any) -> bool:
    """[:] and [:, :]"""
    return all(isinstance(p, gast.Slice) and not (p.lower or p.upper or p.step)
               for p in (index.elts if isinstance(index, gast.Tuple) else [index]))


# --- Restores that nobody sees: `x[i] = old` in the reverse sweep goes where no later read of x can touch x[i].
#
# An array that is written once, element by element, is its own tape: a factorisation in place, a recurrence.
# Shown by the order of the iterations and by differences between indices (`analysis.intervals`).


class Place:
    """A statement with the path to it: (block, position) from the outermost block inwards, and the loops around it."""

    def __init__(self, path: list[tuple[list, int]]) -> None:
        self.path = path
        self.statement = path[-1][0][path[-1][1]]
        self.loops = [b[p] for b, p in path[:-1] if isinstance(b[p], (gast.For, gast.While))]


def restores(unit: Unit, tree: Any, facts: Infer) -> bool:
    """Drop restores in place; whether there were any."""
    forward, reverse = t.sweeps(tree)
    return bool(reverse) and runtime.index_set in unit.env.values() and Restores(unit, tree, facts, len(forward)).run()


class Restores:
    def __init__(self, unit: Unit, tree: Any, facts: Infer, mark: int) -> None:
        self.unit, self.tree, self.facts, self.mark = unit, tree, facts, mark
        self.single = single_values(tree)
        inner = {n for s in tree.body for f in t.BLOCKS for x in t.statements(getattr(s, f, None) or [])
                 for n in t.writes(x)} | {n for s in tree.body if isinstance(s, gast.For) for n in t.writes(s)}
        written = {n for s in t.statements(tree.body) for n in t.writes(s)}
        self.fixed = {n for n in self.single if n not in inner} | {n for n in facts.kinds if n not in written}
        self.popped = {n for s in t.statements(tree.body) for found in [t.list_method(s)]
                       if found is not None and found[1] == "pop" and found[0] in unit.tapes for n in t.writes(s)}
        self.places: list[Place] = []
        self.collect(tree.body, [], mark + 1)

    def collect(self, block: list, outer: list, start: int = 0) -> None:
        for position in range(start, len(block)):
            s = block[position]
            path = [*outer, (block, position)]
            self.places.append(Place(path))
            if not is_stop(s):
                for inner in t.inner_blocks(s):
                    self.collect(inner, path)

    def run(self) -> bool:
        dropped = []
        for place in self.places:
            name = self.restored(place.statement)
            if name is not None and all(self.unseen(place, other, name) for other in self.places):
                dropped.append(place)
        gone = {id(place.statement) for place in dropped}
        for place in dropped:
            block = place.path[-1][0]
            block[:] = [s for s in block if id(s) not in gone]
        return bool(dropped)

    def restored(self, s: Any) -> str | None:
        """The name x of `x = index_set(x, i, old)`, where old is what the forward sweep put away."""
        value = getattr(s, "value", None)
        if not (isinstance(s, gast.Assign) and isinstance(value, gast.Call) and isinstance(s.targets[0], gast.Name)
                and self.unit.lookup(value.func) is runtime.index_set and t.is_name(value.args[0], s.targets[0].id)):
            return None
        name, old = s.targets[0].id, value.args[2]
        kind = k.as_num(self.facts.kinds.get(name, k.ANY))
        index = s.value.args[1]
        plain = not isinstance(index, gast.Subscript) or plain_index(index) is not index
        saved = isinstance(old, gast.Name) and (old.id in self.popped or old.id in self.single)
        return name if saved and plain and isinstance(kind, k.Num) and kind.boxed else None

    # --- what may be seen

    def unseen(self, place: Place, other: Place, name: str) -> bool:
        """Whether what one statement restores cannot be what another reads later."""
        s = other.statement
        if name not in t.header_reads(s) and name not in t.writes(s):
            return True
        cases = list(self.later(place, other))
        if not cases:
            return True
        if name in t.writes(s):
            return self.restored(s) == name and name not in t.reads(s.value.args[1])
        reads = self.reads(s, name)
        if reads is None:
            return False
        for constraints, names in cases:
            index = place.statement.value.args[1]
            mine = self.box(plain_index(index), place, {}, constraints) if basic_index(index, self.facts) else None
            for index in reads:
                theirs = self.box(index, other, names, constraints)
                if mine is None or theirs is None:
                    return False
                size = max(len(mine), len(theirs))
                if constraints.overlap(*(b + [(None, None)] * (size - len(b)) for b in (mine, theirs))):
                    return False
        return True

    def reads(self, s: Any, name: str) -> list | None:
        """The indices with which a statement reads an array; None if it reads more than parts and the shape of it."""
        found, allowed = [], 0
        for node in t.walk(s.iter if isinstance(s, gast.For) else s.test if isinstance(s, (gast.If, gast.While)) else s):
            if isinstance(node, gast.Subscript) and t.is_name(node.value, name):
                if not basic_index(node.slice, self.facts) or name in t.reads(node.slice):
                    return None
                found.append(plain_index(node.slice))
                allowed += 1
            elif isinstance(node, gast.Attribute) and t.is_name(node.value, name) and of_shape(node, self.facts.of(node.value)):
                allowed += 1
            elif isinstance(node, gast.Call) and self.unit.lookup(node.func) is len and t.is_name(node.args[0], name):
                allowed += 1
            elif isinstance(node, gast.Call) and not node.keywords:
                shaped = primitive_of(self.unit.lookup(node.func)).shaped
                allowed += shaped is not None and any(t.is_name(a, name) for a in node.args[shaped:shaped + 1])
        return found if allowed == t.header_reads(s).count(name) else None

    def later(self, place: Place, other: Place) -> Any:
        """The ways in which the second may run after the first: constraints, and the names of loop variables of the second."""
        common = 0
        for one, two in zip(place.path, other.path):
            if one[0] is not two[0] or one[1] != two[1] or one is place.path[-1] or two is other.path[-1]:
                break
            common += 1
        shared = [b[p] for b, p in place.path[:common] if isinstance(b[p], (gast.For, gast.While))]
        one, two = place.path[common], other.path[common]
        after = one[0] is two[0] and two[1] > one[1]
        for level in range(len(shared) + 1):
            if level == len(shared) and not after:
                return
            names = {}
            for depth, loop in enumerate(other.loops):
                if depth >= level and isinstance(loop, gast.For):
                    names[loop.target.id] = loop.target.id + "'"
            if level == len(shared):
                names = {loop.target.id: loop.target.id + "'" for loop in other.loops[level:] if isinstance(loop, gast.For)}
            constraints = Constraints()
            for loop in place.loops:
                self.bounds(loop, place, {}, constraints)
            for loop in other.loops:
                self.bounds(loop, other, names, constraints)
            if level < len(shared) and isinstance(shared[level], gast.For):
                variable = shared[level].target.id
                first, second = (variable, 0), (names[variable], 0)
                step = self.step(shared[level])
                if step == 1:
                    constraints.at_most(first, second, -1)
                elif step == -1:
                    constraints.at_most(second, first, -1)
            if constraints.possible():
                yield constraints, names

    # --- loops and indices

    def steps(self, loop: Any) -> tuple[list, int] | None:
        """Arguments of the range of a loop, and 1, or -1 where it runs backwards."""
        node, sign = loop.iter, 1
        for _ in range(4):
            if isinstance(node, gast.Call) and self.unit.lookup(node.func) is reversed:
                node, sign = node.args[0], -sign
            elif isinstance(node, gast.Name) and node.id in self.ranges():
                node = self.ranges()[node.id]
        if isinstance(node, gast.Call) and self.unit.lookup(node.func) is range and not node.keywords:
            return node.args, sign
        return None

    def ranges(self) -> dict[str, Any]:
        """Ranges that have a name: assigned in one place, or in both sweeps alike."""
        if not hasattr(self, "_ranges"):
            found: dict[str, list] = {}
            for s in t.statements(self.tree.body):
                for name in t.writes(s):
                    found.setdefault(name, []).append(getattr(s, "value", None) if isinstance(s, gast.Assign) else None)
            self._ranges = {n: v[0] for n, v in found.items() if isinstance(v[0], gast.Call)
                            and self.unit.lookup(v[0].func) is range and all(x is not None and t.same(x, v[0]) for x in v)}
        return self._ranges

    def step(self, loop: Any) -> int:
        """1 if the variable grows from one iteration to the next, -1 if it shrinks, 0 if that is not known."""
        found = self.steps(loop)
        if found is None:
            return 0
        arguments, sign = found
        if len(arguments) < 3:
            return sign
        step = arguments[2]
        if isinstance(step, gast.UnaryOp) and isinstance(step.op, gast.USub) and isinstance(step.operand, gast.Constant):
            return -sign
        return sign if isinstance(step, gast.Constant) and type(step.value) is int and step.value > 0 else 0

    def bounds(self, loop: Any, place: Place, names: dict[str, str], constraints: Constraints) -> None:
        found = self.steps(loop) if isinstance(loop, gast.For) else None
        if found is None or not self.step(loop):
            return
        arguments, sign = found
        ends = [renamed(self.term(a, place), names) for a in arguments[:2]]
        low, high = (("", 0), ends[0]) if len(ends) == 1 else ends
        variable = (names.get(loop.target.id, loop.target.id), 0)
        if self.step(loop) == sign:
            constraints.at_most(low, variable)
            constraints.at_most(variable, high, -1)
        else:
            constraints.at_most(variable, low)
            constraints.at_most(high, variable, -1)

    def term(self, node: Any, place: Place, depth: int = 0) -> Term | None:
        """A name plus a number, where it is one that is known there."""
        if isinstance(node, gast.Constant) and type(node.value) is int:
            return "", node.value
        if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
            inner = self.term(node.operand, place, depth)
            return ("", -inner[1]) if inner is not None and inner[0] == "" else None
        if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Add, gast.Sub)):
            left, right = self.term(node.left, place, depth), self.term(node.right, place, depth)
            if left is None or right is None:
                return None
            if isinstance(node.op, gast.Sub):
                return (left[0], left[1] - right[1]) if right[0] == "" else None
            return (left[0] or right[0], left[1] + right[1]) if "" in (left[0], right[0]) else None
        if not isinstance(node, gast.Name) or depth > 6:
            return None
        if any(isinstance(loop, gast.For) and loop.target.id == node.id for loop in place.loops):
            return (node.id, 0) if self.only_target(node.id) else None
        value, where = self.value(node.id, place)
        found = self.term(value, where, depth + 1) if isinstance(value, (gast.BinOp, gast.Constant, gast.Name)) else None
        if found is not None:
            return found
        kind = self.facts.kinds.get(node.id)
        whole = isinstance(kind, k.Num) and kind.is_scalar and kind.is_discrete or isinstance(kind, k.Const)
        return (node.id, 0) if node.id in self.fixed and whole else None

    def only_target(self, name: str) -> bool:
        """A loop variable that nothing else assigns, and whose loops do not contain one another."""
        return all(isinstance(s, gast.For) for s in t.statements(self.tree.body) if name in t.writes(s))

    def value(self, name: str, place: Place) -> tuple[Any, Place]:
        """What was last assigned to a name before a statement, in the blocks around it, and where."""
        for depth in range(len(place.path) - 1, -1, -1):
            block, position = place.path[depth]
            for before in range(position - 1, -1, -1):
                s = block[before]
                if name in t.writes(s):
                    alone = isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name)
                    return s.value if alone else None, Place([*place.path[:depth], (block, before)])
                if any(name in t.writes(x) for f in t.BLOCKS for x in t.statements(getattr(s, f, None) or [])):
                    return None, place
        return None, place

    def box(self, index: Any, place: Place, names: dict[str, str], constraints: Constraints) -> Box | None:
        """The elements that an index takes, or more; an end that may count from the back is no bound."""
        result: Box = []
        for part in index.elts if isinstance(index, gast.Tuple) else [index]:
            if isinstance(part, gast.Constant) and part.value in (None, Ellipsis):
                return result                                    # axes are not counted any more
            if isinstance(part, gast.Slice):
                backwards = part.step is not None and not (isinstance(part.step, gast.Constant) and part.step.value > 0)
                low, high = (None if end is None or backwards else self.sure(end, place, names, constraints)
                             for end in (part.lower, part.upper))
                result.append((low if low is not None else ("", 0), high))
            else:
                term = self.sure(part, place, names, constraints)
                result.append((None, None) if term is None else (term, (term[0], term[1] + 1)))
        return result

    def sure(self, node: Any, place: Place, names: dict[str, str], constraints: Constraints) -> Term | None:
        """An index that does not count from the back."""
        term = renamed(self.term(node, place), names)
        return None if term is None or constraints.negative(term) else term


# --- What is added to a part of an item is added there, without zeros for the rest of the item.
#
#     part_bar = index_add(zeros_like(part), 0, v)            grid_bar = index_add(grid_bar, at[i][0], v)
#     grid_bar = index_add(grid_bar, i, part_bar)
#     v_bar = last_writes(grid_bar, grid, at[i][0])           v_bar = grid_bar[i][0]

SHORT = 6                                    # items of a tuple that is written out


def scatter_fusion(unit: Unit, tree: Any, facts: Infer, last: bool = False) -> bool:
    """Fuse in place; whether anything was. last: where nothing is differentiated any more, entries of sparse adjoints, too."""
    known = set(map(id, unit.env.values()))
    sums = id(runtime.index_add) in known and id(runtime.zeros_like) in known
    looked_for = runtime.path_of, runtime.path_drop, runtime.list_restore, runtime.item_at, runtime.last_writes
    if not sums and (last or known.isdisjoint(map(id, looked_for))):
        return False
    fuser = _Fused(unit, tree, facts, last)
    if sums:
        fuser.block(tree.body)
    if not last:
        fuser.visit(tree)
    return fuser.changed


class _Fused(t.Transformer):
    def __init__(self, unit: Unit, tree: Any, facts: Infer, last: bool) -> None:
        self.unit, self.facts, self.last, self.changed = unit, facts, last, False
        self.counts = collections.Counter(n.id for n in t.walk(tree) if isinstance(n, gast.Name))

    def visit_Call(self, node: gast.Call) -> Any:
        self.generic_visit(node)
        function = self.unit.lookup(node.func)
        if function in (runtime.path_of, runtime.path_drop):
            self.measure(node)
        if self.is_item(node):
            return self.displayed(node)
        if function is runtime.list_restore and isinstance(self.facts.of(node.args[0]), k.Lst):
            taken = t.subscript(node.args[1], node.args[2])         # numbers, whose zeros need no list
            kind = self.facts.of(taken)
            numbers = k.parts(kind) if isinstance(kind, k.Tup) and len(kind.items) <= SHORT else (kind,)
            if self.is_number(node.args[2]) and all(is_scalar(x) or x is not None and k.is_text(x) for x in numbers):
                self.changed = True
                zero = t.pack([t.const(0.0) for _ in numbers]) if isinstance(kind, k.Tup) else t.const(0.0)
                return t.call(self.unit.use(runtime.list_put_back, "list_put_back"), node.args[0], node.args[2], zero)
        if function not in (runtime.item_at, runtime.last_writes) or not t.is_name(node.args[0]):
            return node
        where, base = node.args[-1], node.args[-2]
        root = place_root(where)
        inner = where.value if isinstance(where, gast.Attribute) else where
        while isinstance(inner, gast.Subscript):
            inner = inner.value
        if inner is not root or root is where or not t.is_name(root) or not t.is_name(base) or not isinstance(
                self.facts.kinds.get(node.args[0].id), k.Lst) or self.unit.lookup(root) is not runtime.at:
            return node
        part, stored = (t.Substitute({root.id: x}).visit(t.clone(where)) for x in (node.args[0], base))
        entry = function is runtime.last_writes and isinstance(where, gast.Attribute)
        if not self.is_number(stored) or not entry and not self.is_number(part):
            return node
        self.changed = True
        if entry:                                           # of the adjoint of an object, which is sparse
            return t.call(self.unit.use(runtime.entry_of, "entry_of"), part.value, t.const(where.attr), t.const(0.0))
        return part

    def displayed(self, node: gast.Call) -> Any:
        """(0.0, v) for index_add(zeros_like(pair), 1, v)."""
        zeros, place, value = node.args
        kind, place, added = self.facts.of(zeros), self.facts.of(place), k.as_num(self.facts.of(value) or k.ANY)
        if not isinstance(kind, k.Tup) or len(kind.items) > SHORT or any(item != k.FLOAT for item in kind.items) or not (
                isinstance(place, k.Const) and isinstance(place.value, int)) or not (
                isinstance(added, k.Num) and added.is_scalar and added.is_complex is False):
            return node
        items: list[gast.expr] = [t.const(0.0) for _ in kind.items]
        items[place.value] = value
        self.changed = True
        return t.pack(items)

    def measure(self, node: gast.Call) -> None:
        """After how many steps of a path an array is reached, for what the path starts from: that need not be kept for it."""
        path, base = node.args[1:3]
        prefixes = [path]
        while isinstance(prefixes[0], (gast.Subscript, gast.Attribute)):
            prefixes.insert(0, prefixes[0].value)
        if not t.is_name(base) or not t.is_name(prefixes[0]) or self.unit.lookup(prefixes[0]) is not runtime.at:
            return
        kinds = [self.facts.of(base)]
        for prefix in prefixes[1:-1]:
            kinds.append(self.facts.of(t.Substitute({prefixes[0].id: base}).visit(t.clone(prefix))))
        arrays = [j for j, kind in enumerate(kinds) if isinstance(kind, k.Num) and kind.boxed and kind.dims]
        sure = kinds[:arrays[0]] if arrays else kinds
        if all(isinstance(kind, (k.Obj, k.Dct, k.Map, k.Lst, k.Tup)) for kind in sure) and (
                arrays or isinstance(kinds[-1], (k.Obj, k.Dct, k.Map))):
            node.args[2] = t.const(arrays[0] if arrays else len(kinds))
            self.changed = True

    def is_number(self, node: Any) -> bool:
        return is_scalar(self.facts.of(node))

    def is_call(self, node: Any, function: Any) -> bool:
        return isinstance(node, gast.Call) and self.unit.lookup(node.func) is function

    def is_item(self, node: Any) -> bool:
        """Whether an expression is index_add(zeros_like(x), i, v)."""
        return self.is_call(node, runtime.index_add) and self.is_call(node.args[0], runtime.zeros_like)

    def adds(self, s: Any) -> Any:
        """The call of a statement that adds an item, of which all other parts are there or zero."""
        value: Any = s.value if isinstance(s, gast.Assign) else None
        if self.is_call(value, runtime.entry_add):
            return value if self.last else None
        if not self.is_call(value, runtime.index_add) or not t.is_name(value.args[0]):
            return None
        kind = self.facts.kinds.get(value.args[0].id)
        item = k.as_num(kind.item or k.ANY) if isinstance(kind, k.Lst) else None
        place = k.as_num(self.facts.of(value.args[1]) or k.ANY)
        whole = isinstance(item, k.Lst) or isinstance(item, k.Num) and item.boxed and bool(item.dims)
        return value if whole and isinstance(place, k.Num) and place.is_scalar else None

    def block(self, block: list) -> None:
        waiting: dict[str, Any] = {}                        # name -> the assignment of an item to it
        for s in list(block):
            for inner in t.inner_blocks(s) if not is_stop(s) else ():
                self.block(inner)
            adds = self.adds(s)
            item = adds.args[2] if adds is not None else None
            if isinstance(item, gast.Name) and item.id in waiting and self.counts[item.id] == 2:
                made = waiting.pop(item.id)
                block.remove(made)
                self.put(s, made.value)
            elif self.is_item(item):
                self.put(s, item)
            changed = t.changes(s)
            waiting = {n: x for n, x in waiting.items() if n not in changed and not changed & set(t.reads(x.value))}
            if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and self.is_item(s.value) and pure(s.value, self.unit):
                waiting[s.targets[0].id] = s

    def put(self, s: gast.Assign, item: gast.Call) -> None:
        zeros, index, value = item.args
        self.changed = True
        base, key = s.value.args[:2]
        if self.is_call(s.value, runtime.entry_add):
            s.value = t.call(self.unit.use(runtime.entry_add_at, "entry_add_at"), base, key, index, value, *zeros.args)
            return
        first = t.subscript(t.load(self.unit.use(runtime.at, "at")), key)
        root = place_root(index)
        if isinstance(root, gast.Name) and root is not index and self.unit.lookup(root) is runtime.at:
            path = t.Substitute({root.id: first}).visit(index)
        else:
            path = t.subscript(first, plain_index(index))
        s.value = t.call(s.value.func, base, path, value)


def is_scalar(kind: k.Kind | None) -> bool:
    number = k.as_num(kind or k.ANY)
    return isinstance(number, k.Num) and number.is_scalar
