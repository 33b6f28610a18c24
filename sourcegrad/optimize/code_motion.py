"""Code motion: views that loops take again and again get a name before them; updates are scheduled one a statement.

A row or column that the reverse sweep takes again and again gets a name; before a loop if it is the same in each turn.

    for j in reversed(range(k + 1, n)):                 Q_k = Q[:, k]
        dot_bar = R_bar[k, j] - a @ Q[:, k]             for j in reversed(range(k + 1, n)):
        A_bar[:, j] += dot_bar * Q[:, k]                    dot_bar = R_bar[k, j] - a @ Q_k
                                                            A_bar[:, j] += dot_bar * Q_k

On the final text. A view shows what is stored later, too, so it may be taken early, as long as the array and the index keep
their names, and the index is used there anyway. The forward sweep stays as the user has written it.
"""
from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.alias import updates
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.purity import pure
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Unit
from sourcegrad.optimize.algebra import basic_index
from sourcegrad.optimize.redundancy import Known, forget
from sourcegrad.primitives.core import primitive_of

LOOPS = (gast.For, gast.While)
LEAVING = (gast.Return, gast.Raise, gast.Break, gast.Continue)
LATER = (gast.Lambda, gast.FunctionDef, gast.ListComp, gast.GeneratorExp, gast.DictComp, gast.SetComp)


@dataclass
class Taken:
    """A row or column, while its array and its index stay what they are."""

    node: gast.Subscript
    first: int = 0                                    # position of the first statement that takes it
    uses: list[gast.Subscript] = field(default_factory=list)
    in_loop: bool = False
    certain: int | None = None                        # position of a statement that certainly uses the index

    @property
    def names(self) -> set[str]:
        return set(t.reads(self.node))


def view_hoisting(tree: Any, unit: Unit, facts: Infer, forward: set[int]) -> None:
    """Name views, in place. forward: the ids of the statements of the forward sweep."""
    counts = collections.Counter(n for s in t.statements(tree.body) for n in t.writes(s))
    found = _Views(unit, facts, forward, {n for n, count in counts.items() if count == 1})
    if any(isinstance(s, LOOPS) for s in t.statements(tree.body)) and any(map(found.is_view, t.walk(tree))):
        found.block(tree.body, False)


class _Views:
    def __init__(self, unit: Unit, facts: Infer, forward: set[int], once: set[str]) -> None:
        self.unit, self.facts, self.forward, self.once = unit, facts, forward, once

    def block(self, block: list, repeated: bool) -> None:
        """repeated: whether the block is in a loop."""
        found = [taken for taken in self.found(block) if len(taken.uses) > 1 and (repeated or taken.in_loop)]
        for taken in sorted(filter(functools.partial(self.safe, block), found), key=lambda taken: taken.first, reverse=True):
            self.name(block, taken)
        for s in block:
            for inner in [] if is_stop(s) or id(s) in self.forward else t.inner_blocks(s):
                self.block(inner, repeated or isinstance(s, LOOPS))

    def found(self, block: list) -> list[Taken]:
        """The views that the statements of a block take, those inside of them included."""
        known: dict[str, Taken] = {}
        closed: list[Taken] = []
        for position, s in enumerate(block):
            if id(s) in self.forward:
                continue
            written = {n for x in t.statements([s]) for n in t.writes(x)}
            for text in [text for text, taken in known.items() if taken.names & written]:
                closed.append(known.pop(text))
            for use in _subscripts(s):
                if not self.is_view(use.node) or not written.isdisjoint(t.reads(use.node)):
                    continue
                taken = known.setdefault(source.to_text(use.node), Taken(use.node))
                if use.sure and taken.certain is None:
                    taken.certain = position
                if use.reads:
                    taken.first = position if not taken.uses else taken.first
                    taken.uses.append(use.node)
                    taken.in_loop |= use.in_loop
        return [*closed, *known.values()]

    def safe(self, block: list, taken: Taken) -> bool:
        """Whether the index is certainly used where the view is taken first: an index out of range is an error."""
        if taken.certain is None:
            return False
        between = block[taken.first:taken.certain]
        return not any(isinstance(x, LEAVING) for x in t.statements(between))

    def is_view(self, node: Any) -> bool:
        """Whether it is a row or column of an array: `A[i, :]`, `A[1:, i]`."""
        if not isinstance(node, gast.Subscript):
            return False
        kind = self.facts.kinds.get(node.value.id) if t.is_name(node.value) else None
        if not isinstance(kind, k.Num) or not kind.boxed or not isinstance(node.slice, gast.Tuple):
            return False
        slices = [part for part in node.slice.elts if isinstance(part, gast.Slice)]
        others = [part for part in node.slice.elts if not isinstance(part, gast.Slice)]
        bounds = [bound for part in slices for bound in (part.lower, part.upper, part.step) if bound is not None]
        return bool(slices) and len(others) == 1 and t.is_name(others[0]) and all(map(self.is_whole, [*others, *bounds]))

    def is_whole(self, node: Any) -> bool:
        """Whether an expression is a whole number, made of names and constants."""
        if isinstance(node, gast.BinOp):
            return isinstance(node.op, (gast.Add, gast.Sub, gast.Mult)) and self.is_whole(node.left) and self.is_whole(node.right)
        if isinstance(node, gast.UnaryOp):
            return isinstance(node.op, gast.USub) and self.is_whole(node.operand)
        if isinstance(node, gast.Constant):
            return type(node.value) is int
        kind = k.as_num(self.facts.kinds.get(node.id, k.ANY)) if t.is_name(node) else None
        return isinstance(kind, k.Num) and kind.is_scalar and kind.is_discrete and kind.dtype not in ("bool", "pybool")

    def name(self, block: list, taken: Taken) -> None:
        """Take the view once, before the first statement that uses it."""
        value = t.clone(taken.node)
        value.ctx = t.LOAD
        first = block[taken.first]
        named = isinstance(first, gast.Assign) and first.value is taken.uses[0] and t.is_name(first.targets[0])
        if named and self.once.issuperset(t.writes(first)):
            [name] = t.writes(first)                                    # it has a name
            del taken.uses[0]
        else:
            index = next(part.id for part in value.slice.elts if t.is_name(part))
            name = self.unit.names.fresh(f"{value.value.id}_{index}")
            block.insert(taken.first, t.assign(name, value, t.origin_of(first)))
        replace = t.Named({id(node) for node in taken.uses}, name)
        for s in block[taken.first:]:
            replace.visit(s)


@dataclass
class Use:
    """A subscript in a statement."""

    node: gast.Subscript
    sure: bool                                        # certainly evaluated
    in_loop: bool                                     # in a loop that is (in) the statement
    reads: bool                                       # not only stored into


def _subscripts(s: Any, sure: bool = True, in_loop: bool = False) -> Iterator[Use]:
    inner = t.inner_blocks(s)
    inside = {id(x) for body in inner for x in body}
    for node in t.children(s):
        if id(node) not in inside:
            for use in _in_expression(node, sure, in_loop or isinstance(s, gast.While)):
                use.reads |= isinstance(s, gast.AugAssign) and node is s.target
                yield use
    for body in inner:
        for x in body:
            yield from _subscripts(x, False, in_loop or isinstance(s, LOOPS))


def _in_expression(node: Any, sure: bool, in_loop: bool) -> Iterator[Use]:
    if isinstance(node, LATER):
        return
    if isinstance(node, gast.Subscript):
        yield Use(node, sure, in_loop, isinstance(node.ctx, gast.Load))
    for position, part in enumerate(t.children(node)):
        maybe = isinstance(node, (gast.IfExp, gast.BoolOp, gast.Compare)) and position > 0
        yield from _in_expression(part, sure and not maybe, in_loop)


# --- A part of an array that has a name already is not taken again.
#
#     x_i = x[:-1]                            x_i = x[:-1]
#     diff = x[1:] - x_i ** 2                 diff = x[1:] - x_i ** 2
#     diff_2 = 1.0 - x[:-1]                   diff_2 = 1.0 - x_i
#
# On the final text. Only where the name is one that was made up: what users take twice themselves, they see twice. A view shows
# what is stored later, too, so it is the part for as long as the array, the index and the name itself stay what they are.


def view_cse(tree: Any, unit: Unit, facts: Infer) -> None:
    """Write the names, in place."""
    def is_view(node: Any) -> bool:
        kind = facts.kinds.get(node.value.id) if isinstance(node, gast.Subscript) and t.is_name(node.value) else None
        return isinstance(kind, k.Num) and kind.boxed is True and basic_index(node, facts) and any(
            isinstance(part, gast.Slice) for part in (node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]))

    named = {s.targets[0].id for s in t.statements(tree.body)
             if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and is_view(s.value)}
    if named - unit.function.local:
        _block(tree.body, {}, is_view, named - unit.function.local)


def _block(block: list, known: Known, is_view: Callable, named: set[str]) -> None:
    for s in block:
        inner = t.inner_blocks(s)
        if inner:                                            # a test is read after the body, too
            forget(known, t.changes(s))
        replace = _ReplaceKnown(known, is_view)
        for part, value in gast.iter_fields(s):
            if isinstance(value, gast.AST) and not is_view(value):
                setattr(s, part, replace.visit(value))
        forget(known, t.changes(s))
        for body in inner:
            _block(body, dict(known), is_view, named)
        if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and s.targets[0].id in named and is_view(s.value):
            name, reads = s.targets[0].id, frozenset(t.reads(s.value))
            if name not in reads:
                known.setdefault(source.expression_text(s.value), (name, reads))


class _ReplaceKnown(t.Transformer):
    def __init__(self, known: Known, is_view: Callable) -> None:
        self.known, self.is_view = known, is_view

    def visit_Subscript(self, node: gast.Subscript) -> Any:
        if isinstance(node.ctx, gast.Load) and self.known and self.is_view(node):
            found = self.known.get(source.expression_text(node))
            if found is not None:
                return t.load(found[0])
        return self.generic_visit(node)

    def generic_visit(self, node: Any) -> Any:
        return node if isinstance(node, LATER) else super().generic_visit(node)


# --- Scheduling: one update a statement, and what reads a value before it changes.
#
#     y = f(g(x, a), b)                                       y = g(x, a)
#                                                             y = f(y, b)
#     y = f(x, a)                                             v = x[i]
#     v = x[i]                                                y = f(x, a)

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
                t.Named({id(value)}, name).visit(later)
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
