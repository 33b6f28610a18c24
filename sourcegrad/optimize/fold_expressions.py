"""Forward substitution: copies and constants are propagated, temporaries that are used once fold into their use.

With fold=False only copies, constants and displays are propagated (which the simplifier needs); with fold=True
the text becomes what a person would write. A name survives where it is used twice, where it is the user's own,
or where the line would get too long.
"""
from __future__ import annotations

import bisect
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.liveness import Liveness, Numbering
from sourcegrad.analysis.purity import LIBRARIES, pure, root_of
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import closure
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Maker, Unit
from sourcegrad.optimize.algebra import plain_index
from sourcegrad.optimize.copy_elision import spread
from sourcegrad.optimize.sums import number
from sourcegrad.parse import statements as try_
from sourcegrad.primitives.core import primitive_of

WIDTH = 84
OF_TANGENT = 100                                            # sums of products of what is one product
MANY = 3                                                    # mentions of an attribute that has no name of its own


class Mentions:
    """What one statement reads and changes, inner blocks included."""

    __slots__ = ("changes", "compound", "header", "inner", "method", "writes")

    def __init__(self, s: Any, known: dict[int, tuple[Any, Mentions]]) -> None:
        """known: by the id of the statement, those of statements without a block, until they change."""
        self.compound = isinstance(s, (gast.If, gast.For, gast.While)) and not is_stop(s)
        self.header = t.header_reads(s)
        self.writes = set(t.writes(s))
        self.method = t.list_method(s)
        self.inner: set[str] = set()
        self.changes: set[str] = set()                        # rebound (or a list changed) by inner statements
        if self.compound:
            for x in t.statements([*s.body, *s.orelse]):
                _, one = known.get(id(x), (x, None))
                header, writes, method = (one.header, one.writes, one.method) if one else (
                    t.header_reads(x), t.writes(x), t.list_method(x))
                self.inner.update(header)
                self.changes.update(writes)
                if method:
                    self.changes.add(method[0])

    def names(self) -> set[str]:
        return {*self.header, *self.writes, *self.inner, *self.changes, *((self.method[0],) if self.method else ())}

    def altered(self) -> set[str]:
        return {*self.writes, *self.changes, *((self.method[0],) if self.method else ())}


class Uses:
    """Def-use facts of the block at hand: which statements mention a name, which change it, and where its value ends."""

    def __init__(self, unit: Unit, facts: Infer) -> None:
        self.unit, self.facts = unit, facts
        self.loud = [name for name, f in unit.env.items() if not getattr(f, "__sourcegrad_pure__", True) or isinstance(
            f, types.FunctionType) and root_of(f) not in LIBRARIES]           # their calls may change what is outside
        self.liveness = Liveness()
        self.mentions: list[Mentions] = []
        self.places: dict[str, list[int]] = {}                  # where names are mentioned, in order
        self.altered: set[str] = set()                          # names of which one statement of the block changes what they are
        self.simple: dict[int, tuple[Any, Mentions]] = {}       # of statements without a block, until they change
        self.assignments: dict[int, tuple] = {}                 # what `Liveness` knows of them, until they change

    @contextmanager
    def of(self, block: list) -> Iterator[None]:
        outer = self.mentions, self.places, self.altered
        self.mentions, self.places, self.altered = [], {}, set()
        for position, s in enumerate(block):
            known = self.simple.get(id(s))
            if known is None:
                known = s, Mentions(s, self.simple)
                if not known[1].compound:
                    self.simple[id(s)] = known
            self.mentions.append(known[1])
            self.note(self.mentions[-1], position)
        yield
        self.mentions, self.places, self.altered = outer

    def forget(self, position: int) -> None:
        for name in self.mentions[position].names():
            places = self.places[name]
            found = bisect.bisect_left(places, position)
            del places[found:bisect.bisect_right(places, position, found)]

    def refresh(self, block: list, position: int) -> None:
        """After a statement was rewritten."""
        self.forget(position)
        for changed in t.statements([block[position]]):
            self.simple.pop(id(changed), None)
            self.assignments.pop(id(changed), None)
        self.mentions[position] = Mentions(block[position], self.simple)
        self.note(self.mentions[position], position)

    def note(self, mentions: Mentions, position: int) -> None:
        for name in mentions.names():
            places = self.places.setdefault(name, [])
            if not places or places[-1] < position:
                places.append(position)
            elif places[bisect.bisect_left(places, position)] != position:
                bisect.insort(places, position)
        self.altered |= mentions.altered()

    def later(self, name: str, position: int) -> Iterator[int]:
        """Positions after `position` of statements that mention a name."""
        places = self.places.get(name, [])
        return (places[found] for found in range(bisect.bisect_right(places, position), len(places)))

    def span(self, block: list, position: int, name: str) -> tuple[list[int], int] | None:
        """Positions of the statements that read this value, if all of them are in the rest of the block."""
        uses: list[int] = []
        for later in self.later(name, position):
            m = self.mentions[later]
            if m.method is not None and m.method[0] == name:
                return None
            if name in m.header or name in m.inner:
                uses.append(later)
            if m.compound and (name in m.changes or name in m.writes):
                return None
            if not m.compound and name in m.writes:
                return uses, uses[-1] if uses else later
        last = next(s for s in reversed(block) if s is not None)
        if id(last) in self.liveness.after and self.liveness.after.has(id(last), name):
            return None
        return uses, uses[-1] if uses else len(block)

    def disturbed(self, position: int, last: int, operands: set[str]) -> bool:
        """Whether an operand is rebound (or a list operand changed) between the assignment and the last use."""
        for operand in operands & self.altered:
            for later in self.later(operand, position):
                if later > last:
                    break
                m = self.mentions[later]
                if operand in m.changes or (m.compound and operand in m.writes):
                    return True
                if later < last and operand in m.writes:
                    return True
                if m.method is not None and m.method[0] == operand and (later < last or not m.writes):
                    return True
        loud = [p for name in self.loud for p in self.places.get(name, ()) if position < p < last + self.mentions[last].compound]
        return bool(loud) and any(n not in self.facts.local and n not in self.unit.parameters and self.unit.lookup(
            t.load(n)) is MISSING for n in operands)

    def single(self, position: int, name: str) -> bool:
        """The statement reads the name exactly once, and not inside a block of its own."""
        m = self.mentions[position]
        return m.header.count(name) == 1 and name not in m.inner


class Nest:
    def __init__(self, unit: Unit, facts: Infer, fold: bool, halves: bool) -> None:
        self.unit, self.facts, self.fold, self.halves = unit, facts, fold, halves
        self.own = unit.function.local                          # the user's names stay
        self.uses = Uses(unit, facts)
        self.changed = False

    def run(self, tree: Any) -> bool:
        self.changing = changed_or_shared(tree, self.unit) if self.fold else set()
        self.looped = {id(x) for s in t.sweeps(tree).forward if isinstance(s, (gast.For, gast.While))
                       for x in t.statements(s.body)}
        numbering = Numbering()
        for count in range(12):
            self.changed = False
            self.uses.liveness = Liveness(None, numbering, self.uses.assignments)
            self.uses.liveness.block(tree.body, frozenset())
            tree.body = split_parallel(self.block(tree.body))
            if not self.changed:
                return count > 0
        return True

    def block(self, block: list) -> list:
        for s in block:
            if not is_stop(s):
                t.map_blocks(s, self.block)
        block = list(block)
        with self.uses.of(block):
            for position, s in enumerate(block):
                if s is not None and self.forward(block, position):
                    self.uses.forget(position)
                    block[position] = None
                    self.changed = True
        return [s for s in block if s is not None and not never_stops(s)]

    def forward(self, block: list, position: int) -> bool:
        """Try to move the value of an assignment to where it is used; True if the assignment is then gone."""
        s = block[position]
        if not isinstance(s, gast.Assign) or not isinstance(s.targets[0], gast.Name):
            return False
        name, value = s.targets[0].id, s.value
        if name in self.unit.unset and isinstance(value, gast.Constant) and value.value is None:
            return False
        if isinstance(value, gast.Call) and isinstance(self.unit.lookup(value.func), Maker):
            if self.unit.function.memory:                      # what objects hold is known as a closure
                return False
            value = t.pack(value.args)                         # a closure value is the tuple of what it captured
        simple = isinstance(value, gast.Name) or is_constant(value) or self.is_spread(value)
        display = isinstance(value, (gast.Tuple, gast.List)) and all(
            isinstance(e, gast.Name) or is_constant(e) for e in value.elts)
        if not simple and not display and not (self.fold and self.foldable(name)):
            return False
        if self.fold and is_part(value, self.facts, self.changing):
            return self.parts(block, position, name, value)
        if isinstance(value, gast.Call) and self.unit.lookup(value.func) is runtime.index_set:
            return self.same_part(block, position, name, value)
        if isinstance(value, gast.Call) and self.unit.lookup(value.func) is runtime.index_add:
            return self.same_part(block, position, name, value)   # becomes an in-place store
        if isinstance(value, gast.Call) and self.unit.lookup(value.func) is runtime.list_put_back:
            return self.put_back(block, position, name, value)
        if not simple and (not pure(value, self.unit) or self.is_new_object(value)):
            return False
        span = self.uses.span(block, position, name)
        if span is None:
            return False
        uses, last = span
        if not uses:
            return False
        operands = set(t.reads(value))
        if self.uses.disturbed(position, last, operands):
            return False
        if simple and self.is_spread(value):
            if any(self.is_changed(block[use], name) for use in uses):
                return self.filled(block, s, [], name)
            whole = [use for use in uses if multiplies(block[use], name)]
            if whole:
                return self.filled(block, s, [use for use in uses if use not in whole], name)
        if simple:
            return self.substitute(block, uses, name, value)
        if display and self.elements(block, uses, name, value):
            return True
        return self.fold and self.fold_once(block, position, uses, value)

    def fold_once(self, block: list, position: int, uses: list[int], value: Any) -> bool:
        """Try to move the value of an assignment into the one expression that uses it; True if the assignment is then gone."""
        s = block[position]
        name = s.targets[0].id
        if len(uses) != 1 or not self.uses.single(uses[0], name):
            return False
        target = block[uses[0]]
        if isinstance(target, gast.While):
            return False
        if isinstance(target, gast.Return) and not self.scalar(name):
            return False                                       # results keep their names
        if self.changed_part(target, name):
            return False                                       # becomes an in-place store
        if self.lengthened(block[position + 1: uses[0]], set(t.reads(value))):
            return False                                       # the list is changed in place
        crosses = self.crosses(block, position, uses[0])
        if any(try_.is_context(x) for x in block[position + 1: uses[0]]):
            return False
        if crosses and (self.halves or not isinstance(value, (gast.Attribute, gast.Subscript))):
            return False                                       # what the forward sweep computes stays there
        spread = isinstance(value, gast.Call) and self.unit.lookup(value.func) is runtime.broadcast_like
        short = spread or isinstance(value, gast.Attribute)
        if self.line(target) + width(value) - len(name) > self.limit(s, target) and not short:
            return False
        return self.substitute(block, uses, name, value)

    def lengthened(self, block: list, operands: set[str]) -> bool:
        """Whether a statement makes another list of one, which is the same in place where nobody reads that any more."""
        calls = [getattr(s, "value", None) for s in block]
        return any(isinstance(c, gast.Call) and c.args and t.is_name(c.args[0]) and c.args[0].id in operands
                   and isinstance(self.facts.of(c.args[0]), k.Lst) and primitive_of(self.unit.lookup(c.func)).mutates == "items"
                   for c in calls)

    def crosses(self, block: list, first: int, last: int) -> bool:
        """Whether the reverse sweep begins between two statements."""
        return any(x is not None and t.is_mark(x) for x in block[first + 1: last])

    def parts(self, block: list, position: int, name: str, value: Any) -> bool:
        """Write an attribute where it is used, if these are few places, outside of loops; True if the assignment is then gone."""
        span = self.uses.span(block, position, name)
        if span is None or not span[0] or self.uses.disturbed(position, span[1], set(t.reads(value))):
            return False
        uses = span[0]
        seen = [x for use in uses for x in t.statements([block[use]]) if name in t.header_reads(x)]
        looped = any(isinstance(x, (gast.For, gast.While)) for use in uses for x in t.statements([block[use]]))
        if looped and not (self.unit.tangents and isinstance(value, gast.Subscript)) or (
                sum(t.header_reads(x).count(name) for x in seen) > MANY):
            return False
        if self.halves and self.crosses(block, position, uses[-1]):
            return False                                       # the value that the forward sweep has found counts
        longer = width(value) - len(name)
        if any(isinstance(x, gast.Return) or t.list_method(x) is not None or self.line(x) + longer > WIDTH for x in seen):
            return False
        return self.substitute(block, uses, name, value)

    def line(self, s: Any) -> int:
        """The width of a statement in the final text: x = index_add(..., i, v) becomes x[i] += v."""
        value: Any = getattr(s, "value", None)
        stores = isinstance(value, gast.Call) and self.unit.lookup(value.func) in (runtime.index_add, runtime.index_set)
        kind = stores and self.facts.of(value) or k.ANY
        array = stores and (isinstance(k.as_num(kind), k.Num) or self.unit.tangents and isinstance(kind, k.Dct))
        return len(t.writes(s)[0]) + 6 + width(value.args[1]) + width(value.args[2]) if array else width(s)

    def limit(self, s: Any, target: Any) -> int:
        """How long a line may get: what the user wrote in one statement of a loop does not keep arrays alive under names."""
        kind = k.as_num(self.facts.kinds.get(t.writes(s)[0], k.ANY))
        whole = isinstance(kind, k.Num) and bool(kind.boxed and kind.dims) and t.origin_of(s) == t.origin_of(target)
        if whole and id(target) in self.looped:
            return 4 * WIDTH
        return OF_TANGENT if any(n in self.unit.tangents for n in t.writes(target)) else WIDTH

    def put_back(self, block: list, position: int, name: str, value: gast.Call) -> bool:
        """xs = list_put_back(xs, i, zeros) before xs = index_add(xs, i, v): v is put back, if it is a number or a tuple of them."""
        place = next(iter(self.uses.later(name, position)), None)
        other = getattr(block[place], "value", None) if place is not None else None
        if place is None or not (
                isinstance(block[place], gast.Assign) and t.writes(block[place]) == [name] and isinstance(other, gast.Call)
                and self.unit.lookup(other.func) is runtime.index_add and t.is_name(other.args[0], name)
                and self.uses.mentions[place].header.count(name) == 1):
            return False
        zeros = value.args[2].elts if isinstance(value.args[2], gast.Tuple) else [value.args[2]]
        kind = self.facts.of(other.args[2])
        parts = kind.items if isinstance(kind, k.Tup) and isinstance(value.args[2], gast.Tuple) else (kind,)
        if len(zeros) != len(parts) or any(number(zero) != 0.0 for zero in zeros) or not all(
                isinstance(part := k.as_num(x or k.ANY), k.Num) and part.is_scalar for x in parts) or not t.same(
                plain_index(other.args[1]), plain_index(value.args[1])) or (
                self.uses.disturbed(position, place, set(t.reads(value)) - {name})):
            return False
        block[place].value = t.call(t.clone(value.func), value.args[0], value.args[1], other.args[2])
        self.uses.refresh(block, place)
        return True

    def same_part(self, block: list, position: int, name: str, value: gast.Call) -> bool:
        """x = index_add(x, i, a) before x = index_add(x, i, b): the simplifier adds a and b first."""
        between = False                                         # other parts are added to in between
        for place in self.uses.later(name, position):
            s = block[place]
            other = getattr(s, "value", None)
            if not (isinstance(s, gast.Assign) and t.writes(s) == [name] and isinstance(other, gast.Call)
                    and self.unit.lookup(other.func) is runtime.index_add and t.is_name(other.args[0], name)
                    and self.uses.mentions[place].header.count(name) == 1):
                return False
            if not t.same(plain_index(other.args[1]), plain_index(value.args[1])):
                between = True
                if t.origin_of(s) != t.origin_of(block[position]):
                    return False                                # (lines of the reverse sweep stay with those of the user)
                continue
            added = self.unit.lookup(value.func) is runtime.index_add
            if not self.one_dtype(name, value.args[2], other.args[2]) if not added else between and not self.numbers(
                    value.args[2], other.args[2]):
                return False
            if not between and not self.uses.disturbed(position, place, set(t.reads(value)) - {name}):
                other.args[0] = value
                self.uses.refresh(block, place)
                return True
            if between and not self.uses.disturbed(position, place, set(t.reads(s)) - {name}):
                other.args[0] = value                           # sums may be taken in any order
                block[position].value = other
                self.uses.refresh(block, position)
                self.uses.forget(place)
                block[place] = None
                self.changed = True
            return False
        return False

    def numbers(self, *parts: Any) -> bool:
        return k.all_of([k.as_num(self.facts.of(x) or k.ANY) for x in parts], k.Num)

    def changed_part(self, s: Any, name: str) -> bool:
        """Whether a statement is `name = index_add(name, ...)` or a store into it."""
        value = getattr(s, "value", None)
        return (isinstance(value, gast.Call) and self.unit.lookup(value.func) in (runtime.index_add, runtime.index_set)
                and t.writes(s) == [name] and t.is_name(value.args[0], name))

    def is_changed(self, s: Any, name: str) -> bool:
        """Whether a statement makes another array of one by a store, which will be in place."""
        value = getattr(s, "value", None)
        return (isinstance(value, gast.Call) and self.unit.lookup(value.func) in (runtime.index_add, runtime.index_set)
                and t.is_name(value.args[0], name))

    def one_dtype(self, name: str, one: Any, other: Any) -> bool:
        """Whether x[i] = v; x[i] += w can be one store."""
        if number(one) == 0.0:
            return True
        found = [k.as_num(self.facts.of(x) or k.ANY) for x in (t.load(name), one, other)]
        return k.all_of(found, k.Num) and found[0].dtype is not None and len({x.dtype for x in found}) == 1

    def scalar(self, name: str) -> bool:
        kind = self.facts.kinds.get(name)
        return isinstance(kind, k.Const) or (isinstance(kind, k.Num) and kind.is_scalar)

    def is_spread(self, value: Any) -> bool:
        """broadcast_like(c, x): a view that costs little and mostly disappears in products."""
        return (isinstance(value, gast.Call) and self.unit.lookup(value.func) is runtime.broadcast_like
                and all(isinstance(a, gast.Name) or is_constant(a) for a in value.args))

    def filled(self, block: list, s: gast.Assign, others: list[int], name: str) -> bool:
        """A spread number that is multiplied as a matrix stays: as an array, where the text becomes final."""
        value: Any = s.value
        if others:
            self.substitute(block, others, name, value)
            self.changed = True
        kind = self.facts.of(value.args[1])
        array = spread(value, kind, self.unit, self.facts) if self.fold and isinstance(kind, k.Num) and kind.boxed else None
        if array is not None:
            s.value = array
            self.changed = True
        return False

    def foldable(self, name: str) -> bool:
        return name not in self.own

    def is_new_object(self, value: Any) -> bool:
        """Objects keep their name: their attributes are stored into them. So does their state."""
        function = self.unit.lookup(value.func) if isinstance(value, gast.Call) else None
        return function is runtime.new_object or primitive_of(function).state == "changes"

    def substitute(self, block: list, uses: list[int], name: str, value: gast.expr) -> bool:
        replace = t.Substitute({name: value})
        for use in uses:
            block[use] = replace.visit(block[use])
            self.uses.refresh(block, use)
        return True

    def elements(self, block: list, uses: list[int], name: str, value: Any) -> bool:
        """A tuple that is only taken apart again: use its elements directly."""
        for use in uses:
            for node in t.walk(block[use]):
                for child in gast.iter_child_nodes(node):
                    if t.is_name(child, name) and not _takes_apart(node, block[use], len(value.elts)):
                        return False
        for use in uses:
            s = block[use]
            if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Tuple) and t.is_name(s.value, name):
                names = t.writes(s)
                if len(uses) == 1 and len(names) == len(value.elts):
                    s.value = t.pack([t.clone(e) for e in value.elts])     # a, b = (x, y): split next
                    self.uses.refresh(block, use)
                    return True
                return False
        for use in uses:
            block[use] = _Elements(name, value).visit(block[use])
            self.uses.refresh(block, use)
        return True


def changed_or_shared(tree: Any, unit: Unit) -> set[str]:
    """Names of what may change in place, of its parts, and of what it is a part of."""
    taken = (gast.Name, gast.Attribute, gast.Subscript, gast.Tuple, gast.List)
    calls = [call for call in t.walk(tree) if isinstance(call, gast.Call) and call.args and isinstance(call.args[0], taken)]
    found = {n for call in calls if (function := unit.lookup(call.func)) is runtime.put_all or primitive_of(function).in_place
             for n in t.reads(call.args[0])}
    linked = [{*t.writes(s), *t.reads(s.value)} for s in t.statements(tree.body)
              if isinstance(s, gast.Assign) and isinstance(s.value, taken)]
    return closure(found, linked, lambda names: None if found.isdisjoint(names) else names)


def is_part(value: Any, facts: Infer, changing: set[str]) -> bool:
    """`self.w` of an object, `state["x"]` of a dict or `x.shape[0]`, that nothing here changes."""
    item = isinstance(value, gast.Subscript) and isinstance(value.slice, gast.Constant)
    if not item and not isinstance(value, gast.Attribute) or not set(t.reads(value)).isdisjoint(changing):
        return False
    if item and isinstance(value.value, gast.Attribute) and value.value.attr == "shape":
        return True
    kind = facts.of(value.value)
    return isinstance(kind, k.Dct) if item else k.is_object(kind)


def never_stops(s: Any) -> bool:
    """`if False: break`, of an option that is off."""
    return is_stop(s) and isinstance(s.test, gast.Constant) and not s.test.value


def multiplies(s: Any, name: str) -> bool:
    """Whether a name is an operand of a matrix product."""
    return any(isinstance(node, gast.BinOp) and isinstance(node.op, gast.MatMult) and (
        t.is_name(node.left, name) or t.is_name(node.right, name)) for node in t.walk(s))


def split_parallel(block: list) -> list:
    """a, b = x, y as two assignments where no target is read on the right."""
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, split_parallel)
        if (isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Tuple) and isinstance(s.value, gast.Tuple)
                and len(s.value.elts) == len(s.targets[0].elts) and not set(t.writes(s)) & set(t.reads(s.value))):
            result += [t.assign(n, e, t.origin_of(s)) for n, e in zip(t.writes(s), s.value.elts)]
        else:
            result.append(s)
    return result


def _takes_apart(node: Any, statement: Any, count: int) -> bool:
    if isinstance(node, gast.Subscript):
        return (isinstance(node.slice, gast.Constant) and isinstance(node.slice.value, int)
                and -count <= node.slice.value < count)
    return (node is statement and isinstance(node, gast.Assign) and isinstance(node.targets[0], gast.Tuple)
            and len(node.targets[0].elts) == count)


class _Elements(t.Transformer):
    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def visit_Subscript(self, node: gast.Subscript) -> Any:
        if t.is_name(node.value, self.name) and isinstance(node.slice, gast.Constant):
            return t.clone(self.value.elts[node.slice.value])
        return self.generic_visit(node)


def is_constant(node: Any) -> bool:
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        node = node.operand
    if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Attribute) and node.value.attr == "s_":
        return all(isinstance(part, (gast.Slice, gast.Tuple, gast.Constant, gast.UnaryOp)) for part in t.walk(node.slice))
    return isinstance(node, gast.Constant)


def width(node: Any) -> int:
    """Rough width of the text of an expression or simple statement."""
    if isinstance(node, (gast.If, gast.While)):
        node = node.test
    elif isinstance(node, gast.For):
        node = node.iter
    total = 0
    for item in t.walk(node):
        if isinstance(item, gast.Name):
            total += len(item.id)
        elif isinstance(item, gast.Constant):
            total += len(repr(item.value))
        elif isinstance(item, gast.Attribute):
            total += len(item.attr) + 1
        elif isinstance(item, gast.BinOp):
            total += 3
        elif isinstance(item, gast.Call):
            total += 2 + 2 * len(item.args) + sum(len(kw.arg or "") + 3 for kw in item.keywords)
        else:
            total += 2
    return total


def forward_substitution(unit: Unit, tree: Any, facts: Infer, fold: bool = True, halves: bool = False) -> bool:
    """Propagate (and with fold=True also fold) in place; whether anything changed. halves: the sweeps become functions, and
    others may change objects between their calls."""
    return Nest(unit, facts, fold, halves).run(tree)
