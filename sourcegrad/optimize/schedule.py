"""Instruction scheduling: one update a statement, and what reads a value before it changes.

    y = f(g(x, a), b)                                       y = g(x, a)
                                                            y = f(y, b)
    y = f(x, a)                                             v = x[i]
    v = x[i]                                                y = f(x, a)
"""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.alias import updates
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.purity import pure
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Unit
from sourcegrad.primitives.core import primitive_of


def apart(unit: Unit, tree: Any, facts: Infer) -> None:
    """Take updates apart, in place in the tree."""
    if any(map(updates, unit.env.values())):
        worker = _Apart(unit, facts)
        tree.body = t.rewritten(tree.body, worker.statement)
        worker.liveness.block(tree.body, frozenset())
        worker.early(tree.body)


class _Apart:
    def __init__(self, unit: Unit, facts: Infer) -> None:
        self.unit, self.facts = unit, facts
        self.liveness = Liveness()

    def early(self, block: list) -> None:
        """Put parts of a value that are read after an update of it, and before it gets another value, before the update."""
        position = 0
        while position < len(block):
            s = block[position]
            for inner in t.inner_blocks(s) if not is_stop(s) else ():
                self.early(inner)
            parts = self.read_later(block, position)
            for value, later in parts:
                name = self.fresh("part", value)
                block.insert(position, t.assign(name, value, t.origin_of(later)))
                _Once(value, name).visit(later)
                position += 1
            position += 1

    def read_later(self, block: list, position: int) -> list:
        """[(expression, statement that it stands in)] of all that reads x after `y = update(x, ...)`."""
        s = block[position]
        if not (isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and isinstance(s.value, gast.Call)
                and updates(self.unit.lookup(s.value.func)) and t.is_name(s.value.args[0])):
            return []
        base, found = s.value.args[0].id, []
        written = set(t.writes(s))
        if base in written or base not in self.liveness.after.get(id(s), ()) or isinstance(
                k.as_num(self.facts.kinds.get(base, k.ANY)), k.Num):
            return []
        for later in block[position + 1:]:
            if base in t.header_reads(later):
                parts = [n for n in t.walk(later) if self.is_part(n, base)] if isinstance(later, gast.Assign) else []
                if len(parts) != t.header_reads(later).count(base) or any(written & set(t.reads(n)) for n in parts):
                    return []
                found += [(n, later) for n in parts]
            if base in t.writes(later):
                return found
            inner = t.statements([later]) if t.inner_blocks(later) else ()
            if any(base in (*t.writes(x), *t.header_reads(x)) for x in inner):
                return []
            written |= {n for x in t.statements([later]) for n in t.writes(x)}
        return [] if base in self.liveness.after.get(id(block[-1]), ()) else found

    def is_part(self, node: Any, base: str) -> bool:
        """Whether an expression takes a part of a value, where there is one for sure."""
        return isinstance(node, gast.Call) and self.unit.lookup(node.func) in (
            runtime.entry_of, runtime.item_at, runtime.path_of) and (
            t.is_name(node.args[0], base) and base not in [n for a in node.args[1:] for n in t.reads(a)])

    def statement(self, s: Any) -> list:
        if isinstance(s, gast.Assign) and t.is_name(s.targets[0]):
            steps, rest = self.chain(s.value)
            before = self.parts(steps, t.origin_of(s))
            if before and len(steps) == 1:
                s.value.args[1:] = steps[0][1]
            if steps and isinstance(rest, (gast.Subscript, gast.Attribute)) and isinstance(rest.value, gast.Name) and (
                    steps[0][0] is runtime.list_append or isinstance(self.facts.of(rest), (k.Lst, k.Dct, k.Map))):
                part = self.fresh("part", rest)                 # of a list of lists, an object
                before.append(t.assign(part, rest, t.origin_of(s)))
                rest = t.load(part)
                return [*before, *self.written(s.targets[0].id, steps, rest, t.origin_of(s))]
            several = len(steps) > 1 or steps and self.unit.lookup(s.value.func) is not steps[0][0]
            return [*before, *(self.written(s.targets[0].id, steps, rest, t.origin_of(s)) if several else [s])]
        if not isinstance(s, gast.Return) or s.value is None:
            return [s]
        before = []
        parts = s.value.elts if isinstance(s.value, gast.Tuple) else [s.value]
        for position, part in enumerate(parts):
            steps, rest = self.chain(part)
            if steps and isinstance(rest, gast.Name) and all(pure(other, self.unit) for other in parts):
                name = self.fresh(rest.id, part)
                before += self.written(name, steps, rest, t.origin_of(s))
                parts[position] = t.load(name)
        s.value = s.value if isinstance(s.value, gast.Tuple) else parts[0]
        return [*before, s]

    def parts(self, steps: list, origin: Any) -> list:
        """Statements for updates among what updates put into containers."""
        before: list = []
        for function, args in steps:
            for position in primitive_of(function).puts:
                value = args[position - 1]
                inner, rest = self.chain(value)
                if inner and t.is_name(rest):
                    name = self.fresh("part", value)
                    before += self.written(name, inner, rest, origin)
                    args[position - 1] = t.load(name)
        return before

    def fresh(self, base: str, value: Any) -> str:
        name = self.unit.names.fresh(base)
        self.facts.kinds[name] = self.facts.of(value) or k.ANY
        self.facts.local.add(name)
        return str(name)

    def chain(self, node: Any) -> tuple[list, Any]:
        """The updates that an expression makes, the first one first, and of what: [(function, arguments but the first)]."""
        steps: list = []
        while isinstance(node, gast.Call) and node.args:
            function = self.unit.lookup(node.func)
            display = node.args[1] if function is runtime.add and len(node.args) == 2 else None
            if isinstance(display, gast.Dict) and display.keys and all(isinstance(key, gast.Constant) for key in display.keys):
                steps += [(runtime.entry_add, [key, value]) for key, value in zip(display.keys, display.values)][::-1]
            elif updates(function) and (function is not runtime.add or steps):
                steps.append((function, node.args[1:]))
            else:
                break
            node = node.args[0]
        return steps[::-1], node

    def written(self, name: str, steps: list, rest: Any, origin: Any) -> list:
        """name = ..., a statement for each update. What reads a value that changes is computed before."""
        result: list = []
        changing = {name, *t.reads(rest)} if isinstance(rest, gast.Name) else {name}
        for _, args in steps[1:]:
            for position, value in enumerate(args):
                if changing & set(t.reads(value)):
                    computed = self.fresh("part", value)
                    result.append(t.assign(computed, value, origin))
                    args[position] = t.load(computed)
        for function, args in steps:
            result.append(t.assign(name, t.call(self.unit.use(function, function.__name__), rest, *args), origin))
            rest = t.load(name)
        return result


class _Once(gast.NodeTransformer):
    """A name in the place of an expression."""

    def __init__(self, value: Any, name: str) -> None:
        self.value, self.name = value, name

    def visit(self, node: Any) -> Any:
        return t.load(self.name) if node is self.value else self.generic_visit(node)
