"""Redundancy elimination: what is read or computed twice gets one name (`self.c`, `c * s`, `A.T @ X`), copies and dead code go.

After the memory stage values never change, only names do: an expression has the value that it had before as long as none of
its names was assigned. The adjoint then has one contribution where it would have had two. Dead are assignments that nobody
reads, tapes without readers, empty branches and loops.
"""
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.purity import droppable, pure_call
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.source import expression_text
from sourcegrad.ir.tree import hashable, is_stop
from sourcegrad.ir.unit import Unit
from sourcegrad.parse.statements import is_context
from sourcegrad.primitives.core import RULES, primitive_of

Known = dict[str, tuple[str, frozenset[str]]]           # text of an expression -> the name that has its value, the names it reads


def reads_state(node: gast.Call, unit: Unit) -> bool:
    """Whether a call reads the state of objects, and gives no copy: stores assign the state."""
    known = primitive_of(unit.lookup(node.func))
    last = node.args[-1] if node.args else None
    return known.state == "reads" and known.effect is None and not (isinstance(last, gast.Constant) and last.value == k.WHOLE)


def attribute_of(call: gast.Call) -> str | None:
    """The attribute of an object that is read or stored; None: something else."""
    name = call.args[2] if len(call.args) > 2 else None
    known = isinstance(name, gast.Constant) and isinstance(name.value, str) and name.value.isidentifier()
    return name.value if known else None                                                            # type: ignore[union-attr]


def cse(unit: Unit, facts: Infer) -> bool:
    """Rename what is computed again after what was computed before, in place; whether there was any."""
    counts = Counter(unit.parameters)
    read: Counter[str] = Counter()
    for s in t.statements(unit.tree.body):
        counts.update(t.writes(s))
        read.update(t.header_reads(s))
    walk = _Common(unit, facts, {name for name, count in counts.items() if count == 1})
    unit.tree.body = forwarded_copies(unit.tree.body, walk.copied, read)
    walk.block(unit.tree.body, {})
    t.rename(unit.tree, walk.same)
    left = Counter(n for s in t.statements(unit.tree.body) for n in t.writes(s))
    t.rename(unit.tree, {source: name for name, source in walk.copies.items() if name not in left and source in left})
    return counts.total() > len(unit.parameters) + left.total()


class _Common:
    def __init__(self, unit: Unit, facts: Infer, once: set[str]) -> None:
        self.facts, self.once = facts, once
        self.spare = once - set(unit.parameters) - unit.function.local - set(unit.reread)   # names that nobody would miss
        self.same: dict[str, str] = {}
        self.fixed = {*unit.parameters, *unit.function.local, *unit.reread, *unit.reread.values(), *unit.unset, *unit.counters}
        self.powers: set[str] = set()                        # p = a * b of p * b: the adjoint finds the like terms of a * b * b
        products = {x.targets[0].id: t.reads(x.value) for x in t.statements(unit.tree.body) if _is_product(x)}
        for operands in products.values():
            self.powers.update(n for n in operands if any(other in products.get(n, ()) for other in operands))
        self.transposed: dict[str, str] = {}                 # B_T -> B
        self.copies: dict[str, str] = {}                     # value -> value_2, which the copy was made of: its name is free then
        looped = {n for s in t.statements(unit.tree.body) if isinstance(s, (gast.For, gast.While))
                  for x in t.statements([s]) for n in t.writes(x)}
        self.stable = once - looped                          # names with one value throughout
        self.loads: dict[str, gast.Call] = {}                # text of an expression -> what it reads of the state of objects
        self.mentions: dict[str, list[str]] = {}             # name -> expressions that were noted with it, or read it
        self.operands = only_operands(unit)                       # names that nothing holds, and whose arrays nothing changes

    def copied(self, name: str, source: str) -> bool:
        """Whether a copy may go."""
        if name not in self.spare or self.facts.kinds.get(name) != self.facts.kinds.get(source):
            return False
        if re.fullmatch(rf"{name}(_\d+)+", source) and source not in self.fixed and source not in self.copies.values():
            self.copies[name] = source
        return True

    def block(self, block: list, known: Known) -> None:
        position = 0
        while position < len(block):
            s = block[position]
            inner = [getattr(s, field) for field in t.BLOCKS if getattr(s, field, None) and not is_stop(s)]
            if inner:
                written = [x for body in inner for x in t.statements(body)]
                self.forget(known, {n for x in written for n in t.writes(x)} | set(t.writes(s)), written)
                for body in inner:
                    self.block(body, dict(known))
            elif is_context(s):                              # it may change what attributes hold
                known.clear()
            elif isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name):
                if self.assigned(s, known):
                    del block[position]
                    continue
            else:
                self.forget(known, t.writes(s), [s])
            position += 1

    def assigned(self, s: gast.Assign, known: Known) -> bool:
        """Note what a statement computes; whether that has a name already that can take the place of its own."""
        name = s.targets[0].id
        if isinstance(s.value, gast.Name) and self.atom(s.value) in self.stable and self.copied(name, self.atom(s.value)):
            self.same[name] = self.atom(s.value)
            return True
        if isinstance(s.value, gast.Attribute) and s.value.attr == "T" and t.is_name(s.value.value) and name in self.spare and (
                s.value.value.id in self.once) and isinstance(self.facts.of(s.value.value), k.Num):
            self.transposed[name] = s.value.value.id
        expression = self.expression(s.value) if name not in self.powers else None
        found = known.get(expression or "")
        if found is not None and name in self.spare and (not self.makes_array(s.value) or {name, found[0]} <= self.operands):
            self.same[name] = found[0]
            return True
        self.forget(known, [name], [s])
        if expression is not None and found is None and name in self.once:
            names = t.reads(s.value)
            reads = frozenset(self.same.get(n, n) for n in (*names, *map(self.transposed.get, names)) if n is not None)
            if name not in reads:
                known[expression] = name, reads
                if isinstance(s.value, gast.Call):
                    self.loads[expression] = s.value
                for n in (name, *reads):
                    self.mentions.setdefault(n, []).append(expression)
        self.stored(s.value, known)
        return False

    def stored(self, change: Any, known: Known) -> None:
        """Note that what an attribute or an item holds after a store has a name."""
        loads = {runtime.place_store: runtime.place_load, runtime.place_init: runtime.place_load,
                 runtime.key_store: runtime.key_load, runtime.key_put: runtime.key_load}
        function = self.facts.unit.lookup(change.func) if isinstance(change, gast.Call) else None
        if not hashable(function) or function not in loads or not all(map(_is_atom, change.args)) or not t.is_name(change.args[3]):
            return
        if change.args[3].id not in self.once or t.same(change.args[2], t.const(k.WHOLE)) or k.is_held_array(
                self.facts.of(change.args[1])):             # (an array rounds what is stored)
            return
        load = t.call(self.facts.unit.use(loads[function], loads[function].__name__), *map(t.clone, change.args[:3]))
        expression = self.expression(load)
        held, value = self.facts.of(load) or k.ANY, self.facts.of(change.args[3]) or k.ANY
        if expression is not None and k.is_place(held) is k.is_place(value):
            reads = frozenset(self.same.get(n, n) for n in t.reads(load))
            known[expression] = self.same.get(change.args[3].id, change.args[3].id), reads
            self.loads[expression] = load
            for n in (known[expression][0], *reads):
                self.mentions.setdefault(n, []).append(expression)

    def forget(self, known: Known, changed: Iterable[str], statements: list) -> None:
        """(What is known around a block mentions nothing that is assigned in it.) statements: those that assign the names."""
        for name in changed:
            kept = []
            for expression in self.mentions.pop(name, ()):
                if expression in known and (known[expression][0] == name or name in known[expression][1]):
                    load = self.loads.get(expression)
                    if load is not None and t.is_name(load.args[0], name) and all(
                            self.other_place(x, load) for x in statements if name in t.writes(x)):
                        kept.append(expression)
                    else:
                        del known[expression]
            if kept:
                self.mentions[name] = kept

    def other_place(self, s: Any, load: gast.Call) -> bool:
        """Whether a change of the state of objects is one of another attribute than is read, or of what a list or array holds."""
        lookup, change = self.facts.unit.lookup, getattr(s, "value", None)
        if not isinstance(s, gast.Assign) or not t.is_name(s.targets[0]) or not isinstance(change, gast.Call) or (
                primitive_of(lookup(change.func)).state != "changes" or not t.same(load.args[0], change.args[0])):
            return False
        read = attribute_of(load) if lookup(load.func) is runtime.place_load else None
        changed = attribute_of(change) if lookup(change.func) in (runtime.place_store, runtime.place_init) else None
        return read is not None and read != changed

    def expression(self, node: Any) -> str | None:
        """The text of an expression that can be shared: of atoms, and with a value that cannot change."""
        if isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name):
            owner = self.facts.of(node.value)
            return f"{self.atom(node.value)}.{node.attr}" if isinstance(owner, k.Obj) and owner.items is not None else None
        if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name):
            index = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
            owner = self.facts.of(node.value)
            if isinstance(owner, k.Num) and owner.boxed and all(map(_is_atom, index)) and (
                    self.scalar(node) or any(map(self.array, index)) and self.array(node)):
                return f"{self.atom(node.value)}[{', '.join(map(self.atom, index))}]"
        if isinstance(node, gast.BinOp) and _is_atom(node.left) and _is_atom(node.right) and self.simple(node):
            return f"{self.operand(node.left)} {type(node.op).__name__} {self.operand(node.right)}"
        if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub) and t.is_name(node.operand) and self.scalar(node):
            return f"-{self.atom(node.operand)}"
        if isinstance(node, gast.Call) and all(map(_is_atom, node.args)) and reads_state(node, self.facts.unit):
            return f"{expression_text(node.func)}({', '.join(map(self.atom, node.args))})"
        if isinstance(node, gast.Call) and node.args and not node.keywords and all(map(_is_atom, node.args)) and (
                self.scalar(node) and all(map(self.scalar, node.args)) or self.elementwise(node)) and (
                pure_call(node, self.facts.unit)):
            return f"{expression_text(node.func)}({', '.join(map(self.atom, node.args))})"
        return None

    def operand(self, node: Any) -> str:
        """A.T for a name that has this value: how often a matrix is transposed does not matter, what is multiplied does."""
        found = self.transposed.get(node.id) if isinstance(node, gast.Name) else None
        return self.atom(node) if found is None else f"{self.same.get(found, found)}.T"

    def simple(self, node: gast.BinOp) -> bool:
        """Numbers, products of matrices, which are kept anyway, and arrays of known sizes."""
        return self.scalar(node) or isinstance(node.op, gast.MatMult) and isinstance(self.facts.of(node), k.Num) or self.array(node)

    def makes_array(self, node: Any) -> bool:
        """Whether a shared expression gives a new array each time."""
        computed = isinstance(node, (gast.BinOp, gast.Subscript)) or isinstance(node, gast.Call) and self.elementwise(node)
        return computed and not self.scalar(node)

    def elementwise(self, node: gast.Call) -> bool:
        """Whether a call is an elementwise function of arrays of known kinds."""
        function = self.facts.unit.lookup(node.func)
        rule = RULES.get(function) if hashable(function) else None
        return rule is not None and rule.elementwise and all(self.scalar(x) or self.array(x) for x in (node, *node.args))

    def array(self, node: Any) -> bool:
        kind = self.facts.of(node)
        return bool(isinstance(kind, k.Num) and kind.boxed and kind.dims is not None and None not in kind.dims)

    def scalar(self, node: Any) -> bool:
        kind = k.as_num(self.facts.of(node) or k.ANY)
        return isinstance(kind, k.Num) and kind.is_scalar

    def atom(self, node: Any) -> str:
        return self.same.get(node.id, node.id) if isinstance(node, gast.Name) else repr(t.constant_of(node))


def only_operands(unit: Unit) -> set[str]:
    """Names that are read as operands of arithmetic and of elementwise functions only, and as indices: what is computed from them
    is new, so it does not matter whether two of them are one array."""
    every: Counter[str] = Counter()
    plain: Counter[str] = Counter()
    for s in t.statements(unit.tree.body):
        every.update(t.header_reads(s))
        for node in t.walk(s.value) if isinstance(s, (gast.Assign, gast.Return)) else ():
            parts: list = []
            if isinstance(node, gast.BinOp):
                parts = [node.left, node.right]
            elif isinstance(node, gast.UnaryOp):
                parts = [node.operand]
            elif isinstance(node, gast.Subscript):
                parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
            elif isinstance(node, gast.Call) and hashable(function := unit.lookup(node.func)) and function in RULES:
                parts = node.args if RULES[function].elementwise else []
            plain.update(part.id for part in parts if isinstance(part, gast.Name))
    return {name for name, count in every.items() if plain[name] == count}


def forwarded_copies(block: list, copied: Callable[[str, str], bool], read: Counter) -> list:
    """Blocks without `name = source` where the source keeps its value as long as the name is read. copied: whether a copy may go,
    of a name that is bound once; read: how often names are read."""
    position = 0
    while position < len(block):
        s = block[position]
        t.map_blocks(s, forwarded_copies, copied, read)
        if isinstance(s, gast.Assign) and isinstance(s.value, gast.Name) and t.is_name(s.targets[0]) and copied(
                s.targets[0].id, s.value.id):
            name, source, left = s.targets[0].id, s.value.id, read[s.targets[0].id]
            found = []
            for later in block[position + 1:] if left else ():
                mentions = sum(n == name for x in t.statements([later]) for n in t.header_reads(x))
                changes = any(source in t.writes(x) for x in t.statements([later]))
                if t.inner_blocks(later) and changes:
                    break
                left -= mentions
                found += [later] if mentions else []
                if changes or not left:
                    break
            if not left:
                read[source] += read[name] - 1
                for later in found:
                    t.rename(later, {name: source})
                del block[position]
                continue
        position += 1
    return block


def _is_product(s: Any) -> bool:
    return isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and isinstance(s.value, gast.BinOp) and isinstance(
        s.value.op, gast.Mult)


def _is_atom(node: Any) -> bool:
    return isinstance(node, (gast.Name, gast.Constant)) or isinstance(node, gast.UnaryOp) and isinstance(
        node.operand, gast.Constant) and isinstance(node.op, gast.USub)


def forget(known: Known, changed: set[str]) -> None:
    """What changes the name, or what is read."""
    for expression in [e for e, (name, reads) in known.items() if name in changed or reads & changed]:
        del known[expression]


def dce(unit: Unit, tree: gast.FunctionDef) -> None:
    """Remove dead statements from a function body, until nothing more goes."""
    while True:
        liveness = Liveness(lambda value: droppable(value, unit))
        liveness.block(tree.body, frozenset())
        needless: list = []
        tree.body = _block(tree.body, liveness, needless)
        if not needless:                                    # what was dead is gone, with all that only dead code read
            return


def _block(block: list, liveness: Liveness, needless: list) -> list:
    """needless: copies that were live, but left out."""
    result: list = []
    same: dict[str, set[str]] = {}                           # names that have one value, of each the others
    for s in block:
        if id(s) not in liveness.kept and not t.is_comment(s) and not isinstance(s, (gast.Return, gast.Break)):
            continue
        if t.says_nothing(s):
            continue
        pair = (s.targets[0].id, s.value.id) if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and t.is_name(
            s.value) else None
        if pair is not None and pair[1] in same.get(pair[0], ()):
            needless.append(s)                               # y = x; x = y
            continue
        for name in (t.writes(s) if s.__class__ is gast.Assign else [
                name for inner in t.statements([s]) for name in t.writes(inner)]) if same else ():
            for other in same.pop(name, ()):
                same[other].discard(name)
        if pair is not None and pair[0] != pair[1]:
            same.setdefault(pair[0], set()).add(pair[1])
            same.setdefault(pair[1], set()).add(pair[0])
        if isinstance(s, gast.If) and not is_stop(s):
            s.body, s.orelse = _block(s.body, liveness, needless), _block(s.orelse, liveness, needless)
        elif isinstance(s, (gast.For, gast.While)):
            s.body = _block(s.body, liveness, needless)
        result.append(s)
    return result
