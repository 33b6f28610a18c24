"""To-be-recorded analysis: what the forward sweep saves so that the reverse sweep finds every variable as it was.

Everything that may be overwritten is planned for; what no adjoint reads is pruned later together with its tape
(`optimize.redundancy`), so the plan need not know the rules.

Two events end the life of a value. A *kill* is an assignment to a name that may hold an earlier value of the same
activation of the name's home block: the old value is pushed before, popped after in reverse. A name whose home is
a block inside a loop *retires* at the end of that block: its last value is pushed there, and popped where the
reverse of the block starts, unless it is cheap to compute again from values that are there.
"""
from __future__ import annotations

import functools
import types
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.purity import LIBRARIES, droppable, root_of
from sourcegrad.analysis.python_types import of_shape
from sourcegrad.analysis.result_types import is_slice
from sourcegrad.analysis.text_forms import text_test
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import is_stop
from sourcegrad.primitives.core import primitive_of

Block = tuple[int, str]
ROOT: Block = (0, "body")
SHORT = 2                                  # operations on numbers that cost less than a tape


@dataclass
class Plan:
    kills: dict[int, list[str]] = field(default_factory=dict)        # id(statement) -> names to push before it
    retired: dict[Block, list[str]] = field(default_factory=dict)    # block -> names pushed at its end
    again: dict[Block, list[Any]] = field(default_factory=dict)      # block -> statements to run again in reverse
    unset: dict[Block, list[str]] = field(default_factory=dict)      # block -> names to set to None at its start
    sure: dict[int, frozenset[str]] = field(default_factory=dict)     # id(branch or loop) -> names assigned before it
    after: dict[int, list[Any]] = field(default_factory=dict)         # id(statement) -> statements to run after its reverse
    copied: set[str] = field(default_factory=set)                    # retired names whose arrays change in place later
    home: dict[str, Block] = field(default_factory=dict)             # name -> block whose activation it belongs to


class Blocks:
    """The blocks of a function, what is defined and mentioned in them, and each local name's `home`: the block to whose activation
    it belongs."""

    def __init__(self, facts: Infer) -> None:
        self.parameters = facts.unit.parameters
        self.parent: dict[Block, tuple[Block, Any]] = {}
        self.block_of: dict[int, Block] = {}
        self.mentions: dict[str, list[Block]] = {}
        self.definitions: dict[str, list[Any]] = {}
        self.order: dict[int, int] = {}
        self.blocks: dict[Block, list] = {}
        body = facts.unit.tree.body
        self.index(body, ROOT)
        liveness = Liveness()
        liveness.block(body, frozenset())
        self.home = {name: self.home_of(name, liveness) for name in self.mentions if name in facts.local}

    def index(self, block: list, key: Block) -> None:
        self.blocks[key] = block
        for s in block:
            self.order[id(s)] = len(self.order)
            self.block_of[id(s)] = key
            names = t.header_reads(s)
            if isinstance(s, gast.For):
                self.mentions.setdefault(s.target.id, []).append((id(s), "body"))
                self.definitions.setdefault(s.target.id, []).append(s)
            else:
                for name in t.writes(s):
                    self.definitions.setdefault(name, []).append(s)
                names = names + t.writes(s)
            found = t.list_method(s)
            if found is not None:
                self.definitions.setdefault(found[0], []).append(s)
            for name in names:
                self.mentions.setdefault(name, []).append(key)
            for part in t.BLOCKS:
                inner = getattr(s, part, None)
                if inner and not is_stop(s):
                    self.parent[(id(s), part)] = (key, s)
                    self.index(inner, (id(s), part))

    def ancestors(self, block: Block) -> list[Block]:
        """From the root to the block itself."""
        path = [block]
        while path[-1] in self.parent:
            path.append(self.parent[path[-1]][0])
        return path[::-1]

    def home_of(self, name: str, liveness: Liveness) -> Block:
        if name in self.parameters:
            return ROOT
        paths = [self.ancestors(b) for b in self.mentions[name]]
        common = ROOT
        for level in zip(*paths):
            if any(b != level[0] for b in level):
                break
            common = level[0]
        for block in self.ancestors(common):           # carried around a loop: the home is outside that loop
            if block in self.parent:
                outside, owner = self.parent[block]
                if isinstance(owner, (gast.For, gast.While)) and name in liveness.head.get(id(owner), ()):
                    return outside
        return common

    def in_loop(self, block: Block) -> bool:
        return any(b in self.parent and isinstance(self.parent[b][1], (gast.For, gast.While))
                   for b in self.ancestors(block))

    def is_target(self, name: str, key: Block) -> bool:
        owner = self.parent[key][1]
        return isinstance(owner, gast.For) and name in t.writes(owner)


PLAIN = {function.__name__: function for function in (len, min, max, range)}


class Rematerialization:
    """Values that are computed again instead of saved: what they are made of is there, and costs less than a tape."""

    def __init__(self, facts: Infer, blocks: Blocks) -> None:
        self.facts, self.blocks = facts, blocks

    def repeatable(self, name: str, key: Block) -> bool:
        definitions = self.blocks.definitions[name]
        if len(definitions) != 1 or self.blocks.block_of.get(id(definitions[0])) != key:
            return False
        s = definitions[0]
        if not isinstance(s, gast.Assign) or not isinstance(s.targets[0], gast.Name) or not self.cheap(s.value, name):
            return False
        start = self.blocks.order[id(s)]
        shape = isinstance(s.value, gast.Attribute) and of_shape(s.value, self.facts.of(s.value.value)) or (
            isinstance(s.value, gast.Call) and self.called(s.value) in (len, np.shape, np.ndim, np.size))
        return all(self.unchanged(operand, key, start, shape) for operand in t.reads(s.value))

    def store(self, d: Any) -> bool:
        """A store changes what an array holds, not its shape."""
        value = getattr(d, "value", None)
        return isinstance(value, gast.Call) and self.facts.unit.lookup(value.func) in (
            runtime.index_set, runtime.index_add) and isinstance(self.facts.kinds.get(t.writes(d)[0]), k.Num)

    @functools.cached_property
    def quiet(self) -> bool:
        """Whether no call of a function of the user may change what is outside."""
        unit = self.facts.unit
        values = [s.value for s in t.statements(unit.tree.body) if isinstance(s, (gast.Assign, gast.Expr))]
        called = [(unit.lookup(call.func), call) for call in values if isinstance(call, gast.Call)]
        return all(root_of(f) in LIBRARIES or droppable(call, unit) for f, call in called if isinstance(f, types.FunctionType))

    def unchanged(self, name: str, key: Block, start: int, shape: bool = False) -> bool:
        """Nothing in the block from `start` on rebinds `name`, or can change it where it is outside."""
        if name not in self.facts.local and name not in self.facts.unit.parameters and not self.quiet:
            return False
        for d in self.blocks.definitions.get(name, ()):
            if shape and self.store(d):
                continue
            if self.blocks.order[id(d)] > start and key in self.blocks.ancestors(self.blocks.block_of[id(d)]):
                return False
            if isinstance(d, gast.For) and id(d) == key[0]:
                continue
        return True

    def cheap(self, value: Any, name: str) -> bool:
        scalar = _scalar(self.facts.kinds.get(name, k.ANY))
        if isinstance(value, (gast.Constant, gast.Tuple)):
            return True
        if self.of_texts(value):
            return True
        if isinstance(value, (gast.BinOp, gast.UnaryOp, gast.Compare, gast.BoolOp)):
            whole = [self.facts.of(n) for n in t.walk(value) if isinstance(n, (gast.Name, gast.Constant))]
            expensive = any(isinstance(n, gast.Call) for n in t.walk(value))
            power = isinstance(value, gast.BinOp) and (isinstance(value.op, gast.MatMult) or isinstance(
                value.op, gast.Pow) and not isinstance(value.right, gast.Constant))
            texts = isinstance(value, gast.Compare) and all(isinstance(op, (gast.Eq, gast.NotEq)) for op in value.ops)
            return scalar and not expensive and not power and all(_scalar(w) or texts and k.is_text(w or k.ANY) for w in whole)
        if isinstance(value, gast.JoinedStr):                # a key: its parts are numbers and text
            parts = [self.facts.of(n) or k.ANY for n in t.walk(value) if t.is_name(n)]
            return all(k.is_text(kind) or _scalar(kind) for kind in parts)
        if isinstance(value, gast.Attribute):
            owner = self.facts.of(value.value)
            return of_shape(value, owner) or value.attr == "T" and isinstance(owner, k.Num)
        if isinstance(value, gast.Subscript):
            kind = self.facts.of(value.value)
            basic = all(is_slice(part, self.facts.of) or _scalar(self.facts.of(part)) for part in _parts(value.slice))
            keyed = isinstance(kind, k.Dct) and not kind.partial and k.is_text(self.facts.of(value.slice) or k.ANY)
            return keyed or basic and isinstance(kind, (k.Num, k.Tup, k.Lst, k.Obj, k.Closure))
        if isinstance(value, gast.Call) and isinstance(value.func, gast.Name):
            function = self.called(value)
            return function in (range, len, min, max) and scalar or function is range
        return False

    def of_texts(self, test: Any) -> bool:
        """Whether an expression only tests texts: name.startswith("w"), key in ("a", "b")."""
        if isinstance(test, gast.BoolOp):
            return all(map(self.of_texts, test.values))
        if isinstance(test, gast.UnaryOp):
            return isinstance(test.op, gast.Not) and self.of_texts(test.operand)
        found = text_test(test)
        return found is not None and k.is_text(self.facts.of(t.load(found[0])) or k.ANY)

    def called(self, value: gast.Call) -> Any:
        """The function that a call names; what the engine writes itself names those of Python."""
        function = self.facts.unit.lookup(value.func)
        plain = function is MISSING and isinstance(value.func, gast.Name) and value.func.id not in self.facts.local
        return PLAIN.get(value.func.id) if plain else function


class Record:
    """The plan of a function. counters: trip counters, which nothing overwrites; varied: names that depend on the inputs."""

    def __init__(self, facts: Infer, counters: set[str], everything: bool = False,
                 varied: set[str] | None = None) -> None:
        self.facts, self.varied = facts, varied
        self.counters = counters
        self.everything = everything
        self.blocks = Blocks(facts)
        self.definitions, self.home = self.blocks.definitions, self.blocks.home
        self.again = Rematerialization(facts, self.blocks)
        self.plan = Plan(home=self.home)
        self.late: dict[str, Reread] = {}
        self.saved: set[str] = set()              # names that could be read again, but are cheaper to save
        self.wanted: set[str] = set()             # names that an adjoint may read

    def run(self) -> Plan:
        if not self.everything and self.varied is not None:
            rereads = Rereads(self.facts, self.blocks, self.again, self.varied)
            self.late = rereads.run()
            self.saved = rereads.saved
            self.plan.copied = {n for n in self.saved if not _scalar(self.facts.kinds.get(n))}
            self.wanted = {n for n in self.definitions if n not in self.varied or rereads.needed(n)}
        parameters = frozenset(self.facts.unit.parameters)
        self._walk(self.facts.unit.tree.body, ROOT, parameters, parameters)
        return self.plan

    def _walk(self, block: list, key: Block, maybe: frozenset, sure: frozenset) -> tuple[frozenset, frozenset]:
        local = {n for n, home in self.home.items() if home == key and key != ROOT}
        owner = self.blocks.parent[key][1] if key in self.blocks.parent else None
        target = set(t.writes(owner)) if isinstance(owner, gast.For) else set()
        maybe, sure = (maybe - local) | target, (sure - local) | target
        for s in block:
            maybe, sure = self._statement(s, key, maybe, sure)
        if key != ROOT and self.blocks.in_loop(key):
            names = [n for n in self.definitions if self.home.get(n) == key and n in maybe and not (
                n in target and len(self.definitions[n]) == 1)]
            for name in names:
                if name not in sure:
                    self._unset(name)
            self._retire(key, names, block)
        return maybe - local, sure - local

    def _statement(self, s: Any, key: Block, maybe: frozenset, sure: frozenset) -> tuple[frozenset, frozenset]:
        if is_stop(s):
            return maybe, sure
        if isinstance(s, (gast.If, gast.For, gast.While)):
            self.plan.sure[id(s)] = sure
        if isinstance(s, gast.If):
            one = self._walk(s.body, (id(s), "body"), maybe, sure) if s.body else (maybe, sure)
            other = self._walk(s.orelse, (id(s), "orelse"), maybe, sure) if s.orelse else (maybe, sure)
            return one[0] | other[0], one[1] & other[1]
        if isinstance(s, (gast.For, gast.While)):
            target = {n for n in t.writes(s) if self.home[n] != (id(s), "body")}      # lives on after the loop
            if target:
                self._kill(s, maybe, sure)
            inside = {n for x in t.statements(s.body) for n in t.writes(x)}
            after, _ = self._walk(s.body, (id(s), "body"), maybe | inside, sure)
            return maybe | after | target, sure
        self._kill(s, maybe, sure)
        written = frozenset(t.writes(s))
        return maybe | written, sure if self._given_back(s) else sure | written

    def _given_back(self, s: Any) -> bool:
        """a, b = put_all((a, b), ...): names that had no value still have none."""
        made = self.definitions.get(s.value.id) if isinstance(s, gast.Assign) and t.is_name(s.value) else [s]
        value = getattr(made[0], "value", None) if made else None
        return isinstance(value, gast.Call) and self.facts.unit.lookup(value.func) is runtime.put_all

    def _kill(self, s: Any, maybe: frozenset, sure: frozenset) -> None:
        names = [n for n in t.writes(s) if n in maybe and n not in self.counters]
        for name in names:
            if name not in sure:
                self._unset(name)
        if names:
            self.plan.kills[id(s)] = names

    def _unset(self, name: str) -> None:
        names = self.plan.unset.setdefault(self.home[name], [])
        if name not in names:
            names.append(name)

    def _retire(self, key: Block, names: list[str], block: list) -> None:
        again = {n for n in names if not self.everything and self.again.repeatable(n, key)}
        late = {n for n in names if n in self.late}
        again -= late | self.saved
        first = {n for n in late if self.late[n].after is None}
        changed = True
        while changed:                                  # operands must be there too
            changed = False
            for name in sorted(again):
                for operand in t.reads(self.definitions[name][0].value):
                    if operand in late - first:         # read again too late for this one
                        (late if name in self.wanted else again).discard(operand if name in self.wanted else name)
                        changed = True
                        break
                    if self.home.get(operand) == key and operand not in again and operand not in names and not (
                            self.blocks.is_target(operand, key)):
                        again.discard(name)
                        changed = True
        again -= self._long(again)
        self.plan.again[key] = self._at_start(again, late)
        self.plan.retired[key] = [n for n in names if n not in again and n not in late]
        for name in sorted(late, key=lambda n: self.blocks.order[id(self.definitions[n][0])]):
            after = self.late[name].after
            if after is not None:
                self.plan.after.setdefault(id(after), []).append(self.late[name].statement)

    def _at_start(self, again: set[str], late: set[str]) -> list:
        """What runs where the reverse of a block starts, each after what it reads. What would have to be there before it is
        there is taken out of `late`: it is saved."""
        found = {n: self.definitions[n][0] for n in again}
        found.update({n: self.late[n].statement for n in late if self.late[n].after is None})
        waiting = sorted(found, key=lambda n: self.blocks.order[id(self.definitions[n][0])])
        result: list = []
        while waiting:
            ready = next((n for n in waiting if not set(t.reads(found[n].value)) & set(waiting) - {n}), None)
            if ready is None:
                late.discard(next(n for n in waiting if n in late))
                waiting = [n for n in waiting if n in late or n in again]
                continue
            waiting.remove(ready)
            result.append(found[ready])
        return result

    def _long(self, again: set[str]) -> set[str]:
        """Numbers that take more arithmetic to compute again than it takes to put them away and fetch them."""
        steps: dict[str, int] = {}
        found = set()
        for name in sorted(again, key=lambda n: self.blocks.order[id(self.definitions[n][0])]):
            kind, value = self.facts.kinds.get(name), self.definitions[name][0].value
            if isinstance(value, (gast.BinOp, gast.UnaryOp)) and isinstance(kind, k.Num) and not kind.is_discrete:
                steps[name] = 1 + sum(steps.get(operand, 0) for operand in t.reads(value))
                if name in self.wanted:
                    if steps[name] > SHORT:
                        found.add(name)
                    steps[name] = 0
        return found


def _parts(index: Any) -> list:
    return index.elts if isinstance(index, gast.Tuple) else [index]


def _scalar(kind: Any) -> bool:
    if isinstance(kind, k.Const):
        return True
    return isinstance(kind, k.Num) and kind.is_scalar


# --- Values that the reverse sweep reads again from arrays that change, once what was stored after them is undone.
#
#     a = x[i, :j]; x[i, j] = f(a, x[j, j])
#
# Saved are either the values that were read (a, x[j, j]), or what the store overwrites (one number): then x is restored
# in reverse, and a is x[i, :j] again. What costs less is chosen for each array, by sizes and depths of loops.
# A value that was stored is read from where it was stored: `v = f(a); x[i] = v`.


@dataclass
class Reread:
    name: str
    statement: Any                # name = x[i]
    array: str
    after: Any                    # in reverse it may run after the reverse of this statement; None: at the block's start
    weight: float


class Rereads:
    def __init__(self, facts: Infer, blocks: Blocks, again: Rematerialization, varied: set[str]) -> None:
        self.facts, self.blocks, self.again, self.varied = facts, blocks, again, varied
        self.readers: dict[str, list[Any]] = {}
        for s in t.statements(facts.unit.tree.body):
            for name in t.header_reads(s):
                self.readers.setdefault(name, []).append(s)
        self.saved: set[str] = set()              # read from an array that nothing else needs back: saved themselves

    def run(self) -> dict[str, Reread]:
        """Name -> how it is read again."""
        found: dict[str, list[Reread]] = {}
        repeated: dict[str, list[tuple[str, float]]] = {}
        anyway: set[str] = set()
        for name, home in self.blocks.home.items():
            if not home[0] or not self.blocks.in_loop(home):
                continue
            repeatable = self.again.repeatable(name, home)
            value = self.blocks.definitions[name][0].value if repeatable else None
            if isinstance(value, gast.Subscript) and t.is_name(value.value):
                if self.needed(name):
                    repeated.setdefault(value.value.id, []).append((name, self.weight(self.facts.of(value), home)))
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
        kind = self.facts.kinds.get(name)
        return isinstance(kind, k.Num) and bool(kind.boxed)

    def asked(self, array: str) -> bool:
        """Whether an adjoint may need an array itself, and not only parts of it that were read."""
        active = [s for s in self.blocks.definitions[array] if self.varied & set(t.header_reads(s))]
        return self.read(array, self.varied) or any(map(self.of_result, active))

    def candidate(self, name: str, home: Any) -> Reread | None:
        definitions = self.blocks.definitions.get(name, ())
        if len(definitions) != 1 or self.blocks.block_of.get(id(definitions[0])) != home:
            return None
        s = definitions[0]
        if not isinstance(s, gast.Assign) or not isinstance(s.targets[0], gast.Name):
            return None
        if isinstance(s.value, gast.Subscript):
            return self.reread(name, s, s.value, home) if self.again.cheap(s.value, name) else None
        for store in self.readers.get(name, ()):
            value = getattr(store, "value", None)
            if (self.blocks.block_of[id(store)] == home and isinstance(value, gast.Call)
                    and self.facts.unit.lookup(value.func) is runtime.index_set and t.is_name(value.args[2], name)):
                place = value.args[1]
                plain = isinstance(place, gast.Subscript) and isinstance(place.value, gast.Attribute) and (
                    place.value.attr == "s_")
                if not plain or not isinstance(value.args[0], gast.Name) or t.writes(store) != [value.args[0].id]:
                    continue
                part = t.subscript(t.load(value.args[0].id), t.clone(place.slice))
                if self.alike(name, part) and self.again.cheap(part, name):
                    return self.reread(name, store, part, home)
        return None

    def alike(self, name: str, part: Any) -> bool:
        """Whether an array holds exactly the value that was stored: its precision and its shape."""
        have, want = self.facts.kinds.get(name), self.facts.of(part)
        if not isinstance(have, k.Num) or not isinstance(want, k.Num) or have.dims is None or have.dims != want.dims:
            return False
        return None not in have.dims and want.dtype is not None and (
            have.dtype == want.dtype or (have.dtype, want.dtype) == ("pyfloat", "float64"))

    def reread(self, name: str, s: Any, value: Any, home: Any) -> Reread | None:
        facts, order = self.facts, self.blocks.order
        array = value.value.id if isinstance(value.value, gast.Name) else None
        kind = facts.kinds.get(array, k.ANY) if array else k.ANY
        if array is None or not (isinstance(kind, k.Num) and kind.boxed):
            return None
        operands = set(t.reads(value))
        after = None
        for other in self.blocks.blocks[home]:
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
        return home in self.blocks.ancestors(self.blocks.block_of[id(s)])

    def needed(self, name: str) -> bool:
        """Whether the adjoint of what makes or reads a value may need it: a guess, as rules are not known here."""
        if self.read(name, self.varied):
            return True
        return name in self.varied and self.of_result(self.blocks.definitions[name][0])

    def of_result(self, s: Any) -> bool:
        """Whether the adjoint of a statement may need its result."""
        value = getattr(s, "value", None)
        if isinstance(value, gast.BinOp):
            return isinstance(value.op, (gast.Div, gast.Pow)) and isinstance(value.right, gast.Name)
        return isinstance(value, gast.Call) and not primitive_of(self.facts.unit.lookup(value.func)).linear

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
            if isinstance(value, gast.Call) and not primitive_of(self.facts.unit.lookup(value.func)).linear:
                return True
        return False

    def stores(self, array: str) -> float:
        """What it costs to put away all that is overwritten in an array."""
        total = 0.0
        for s in self.blocks.definitions.get(array, ()):
            value = getattr(s, "value", None)
            size: Any = None
            if isinstance(value, gast.Call) and self.facts.unit.lookup(value.func) in (runtime.index_set, runtime.index_add):
                place = value.args[1]
                if isinstance(place, gast.Subscript):
                    size = self.facts.of(t.subscript(t.load(array), t.clone(place.slice)))
                total += self.weight(size, self.blocks.block_of[id(s)])
        return total

    def weight(self, kind: Any, block: Any) -> float:
        loops = sum(isinstance(self.blocks.parent[b][1], (gast.For, gast.While)) for b in self.blocks.ancestors(block)
                    if b in self.blocks.parent)
        size = 4.0
        if isinstance(kind, k.Num) and kind.dims is not None:
            size = 1.0 if kind.is_scalar else 4.0 ** len(kind.dims)
        return size * 10.0 ** loops


def inner(s: Any) -> list:
    return [x for f in t.BLOCKS for x in getattr(s, f, None) or []]
