"""Restores that nobody sees: `x[i] = old` in the reverse sweep goes where no later read of x can touch x[i].

An array that is written once, element by element, is its own tape: a factorisation in place, a recurrence.
Shown by the order of the iterations and by differences between indices (`analysis.differences`).
"""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.analysis.differences import Box, Constraints, Term, renamed
from sourcegrad.analysis.infer import Infer
from sourcegrad.analysis.value_kinds import of_shape
from sourcegrad.frontend.resolve import Unit
from sourcegrad.transform.simplify import basic_index, plain_index
from sourcegrad.transform.single import single_values

SHAPED = {runtime.last_writes: 1, runtime.broadcast_like: 1, runtime.unbroadcast: 1, runtime.zeros_like: 0, np.zeros_like: 0,
          np.ones_like: 0}                   # function -> position of the argument of which it needs the shape (and the kind)


class Place:
    """A statement with the path to it: (block, position) from the outermost block inwards, and the loops around it."""

    def __init__(self, path: list[tuple[list, int]]) -> None:
        self.path = path
        self.statement = path[-1][0][path[-1][1]]
        self.loops = [b[p] for b, p in path[:-1] if isinstance(b[p], (gast.For, gast.While))]


def restores(unit: Unit, tree: Any, facts: Infer) -> bool:
    """Drop restores in place; whether there were any."""
    mark = next((j for j, s in enumerate(tree.body) if t.is_comment(s)), None)
    if mark is None or runtime.index_set not in unit.env.values():
        return False
    return Restores(unit, tree, facts, mark).run()


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
                allowed += sum(t.is_name(a, name) for a in node.args[SHAPED.get(self.unit.lookup(node.func), 9):][:1])
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
