"""Tapes: side by side as one tape of tuples, as shapes where only those are read, as ranges that need no name.

Tapes of one loop that are written and read side by side become one tape of tuples.

`a_tape.append(a)`, `b_tape.append(b)` ... in a loop and `a = a_tape.pop()` ... in its reverse are one append and one pop: the
two halves of a function are rewritten together. A value can be saved at any point of its block between its own
assignment and the next one, and taken back at any point between the other uses of its name; tapes that have a point of
both kinds in common are joined.
"""
from __future__ import annotations

import collections
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.python_types import of_shape
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Unit
from sourcegrad.optimize.redundancy import dce
from sourcegrad.primitives.core import primitive_of


@dataclass
class Use:
    """A statement about a tape: its block, the value that is saved or the name that gets it, and the points of the block
    to which the statement could be moved (point i is before statement i)."""

    block: list
    statement: Any
    value: Any = None
    first: int = 0
    last: int = 0

    @property
    def place(self) -> int:
        return next(j for j, s in enumerate(self.block) if s is self.statement)


@dataclass
class Tape:
    """What is done with a list that may be a tape."""

    made: list[Use] = field(default_factory=list)
    pushed: list[Use] = field(default_factory=list)
    popped: list[Use] = field(default_factory=list)

    @property
    def uses(self) -> tuple[Use, Use, Use]:
        return self.made[0], self.pushed[0], self.popped[0]

    @property
    def simple(self) -> bool:
        return len(self.made) == len(self.pushed) == len(self.popped) == 1


def tapes(unit: Unit, trees: list) -> None:
    """Join tapes in the final trees of a function, or of its two halves."""
    found: dict[str, Tape] = {}
    for tree in trees:
        for block in _blocks(tree.body):
            for s in block:
                _note(s, block, found)
    seen = collections.Counter(n.id for tree in trees for n in t.walk(tree) if isinstance(n, gast.Name))
    handed = 2 if len(trees) > 1 else 0                     # in what one half saves and the other takes
    last = {id(block) for block in _blocks(trees[-1].body)}
    groups: dict[tuple, dict[str, Tape]] = {}
    for name, tape in found.items():
        if tape.simple and seen[name] == 3 + handed and (not handed or (
                id(tape.made[0].block) not in last and id(tape.popped[0].block) in last)):
            groups.setdefault(tuple(id(use.block) for use in tape.uses), {})[name] = tape
    for group in groups.values():
        while len(group) > 1:
            for tape in group.values():
                _movable(tape.pushed[0], lambda s, value: _kept_by(s, value, unit.tapes))
                _movable(tape.popped[0], _not_looked_at_by)
            names = _together(group)
            if len(names) < 2:
                break
            _join(unit, trees, {n: group.pop(n) for n in names})


def _note(s: Any, block: list, found: dict[str, Tape]) -> None:
    if isinstance(s, gast.Assign) and isinstance(s.value, gast.List) and not s.value.elts and t.is_name(s.targets[0]):
        found.setdefault(s.targets[0].id, Tape()).made.append(Use(block, s))
        return
    call = s.value if isinstance(s, (gast.Assign, gast.Expr)) else None
    if not isinstance(call, gast.Call) or not isinstance(call.func, gast.Attribute) or not t.is_name(call.func.value):
        return
    name, method = call.func.value.id, call.func.attr
    if isinstance(s, gast.Expr) and method == "append":
        found.setdefault(name, Tape()).pushed.append(Use(block, s, call.args[0]))
    elif isinstance(s, gast.Assign) and method == "pop" and not call.args and t.is_name(s.targets[0]):
        found.setdefault(name, Tape()).popped.append(Use(block, s, s.targets[0].id))


def _blocks(block: list) -> Any:
    yield block
    for s in block:
        for part in ("body", "orelse", "finalbody"):
            inner = getattr(s, part, None)
            if isinstance(inner, list) and inner:
                yield from _blocks(inner)
        for handler in getattr(s, "handlers", ()):
            yield from _blocks(handler.body)


def _movable(use: Use, indifferent: Any) -> None:
    """Find the points to which a statement can be moved."""
    use.first = use.last = use.place
    while use.first > 0 and indifferent(use.block[use.first - 1], use.value):
        use.first -= 1
    while use.last + 1 < len(use.block) and indifferent(use.block[use.last + 1], use.value):
        use.last += 1
    use.last += 1                                           # point i + 1 is after statement i


def _kept_by(s: Any, value: Any, known: set[str]) -> bool:
    """Whether a value is the same before and after a statement, which goes on to the next. known: names of tapes."""
    if isinstance(value, gast.Attribute) and value.attr == "shape":
        value = value.value                                 # nothing changes a shape
    if not t.is_name(value):
        method = t.list_method(s)
        return method is not None and method[1] == "append" and method[0] in known and t.is_name(s.value.args[0])
    return not any(isinstance(x, (gast.Break, gast.Continue, gast.Return)) or value.id in _written(x) for x in t.statements([s]))


def _not_looked_at_by(s: Any, name: str) -> bool:
    return not any(isinstance(x, (gast.Break, gast.Continue, gast.Return)) or name in _written(x) or name in t.header_reads(x)
                   for x in t.statements([s]))


def _together(group: dict[str, Tape]) -> list[str]:
    """The most tapes that can be written at one point and read at one point."""
    best: list[str] = []
    for push in sorted({tape.pushed[0].first for tape in group.values()}):
        there = [n for n, tape in group.items() if tape.pushed[0].first <= push <= tape.pushed[0].last]
        for pop in sorted({group[n].popped[0].first for n in there}) if len(there) > len(best) else ():
            names: dict[str, str] = {}
            for n in there:
                use = group[n].popped[0]
                if use.first <= pop <= use.last:
                    names.setdefault(use.value, n)          # two values cannot go to one name
            if len(names) > len(best):
                best = list(names.values())
    return best


def _join(unit: Unit, trees: list, group: dict[str, Tape]) -> None:
    names = list(group)
    tape = unit.names.fresh("tape")
    made, pushed, popped = ([uses[j] for uses in (x.uses for x in group.values())] for j in range(3))
    _replace(made, min(use.place for use in made), t.assign(tape, gast.List(elts=[], ctx=t.LOAD), t.origin_of(made[0].statement)))
    pushed.sort(key=lambda use: use.place)
    order = [next(n for n in names if group[n].pushed[0] is use) for use in pushed]
    point = _point(pushed, pushed[-1].place + 1)
    values = t.pack([use.value for use in pushed])
    _replace(pushed, point, t.effect(t.method(tape, "append", values), t.origin_of(pushed[-1].statement)))
    point = _point(popped, min(use.place for use in popped))
    first = min(popped, key=lambda use: use.place)
    taken = [group[n].popped[0].value for n in order]
    _replace(popped, point, t.unpack(taken, t.method(tape, "pop"), t.origin_of(first.statement)))
    for tree in trees if len(trees) > 1 else ():
        for node in t.walk(tree):
            if isinstance(node, gast.Tuple) and any(t.is_name(item) and item.id in names for item in node.elts):
                node.elts = [item for item in node.elts if not (t.is_name(item) and item.id in names[1:])]
                for item in node.elts:
                    if t.is_name(item, names[0]):
                        item.id = tape


def _point(uses: list[Use], wanted: int) -> int:
    """The point nearest to the one wanted among those that all have."""
    return min(max(wanted, *(use.first for use in uses)), *(use.last for use in uses))


def _replace(old: list[Use], point: int, new: Any) -> None:
    """One statement at a point of a block in the place of several."""
    block = old[0].block
    gone = {id(use.statement) for use in old}
    before, after = block[:point], block[point:]
    block[:] = [*(s for s in before if id(s) not in gone), new, *(s for s in after if id(s) not in gone)]


def _written(s: Any) -> set[str]:
    return set(t.writes(s)) | {n.id for n in t.walk(s) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}


# --- A tape of arrays that are only asked for their shape becomes a tape of shapes: the arrays need not be kept.
#
# Where shapes are not known when the code is generated, contributions are summed to the shape that an operand had. So do lists of
# numbers that are only needed for the zeros of their adjoints, on a tape or among what the forward half of a callee saves: their
# lengths are enough, and a list that gets longer is not kept at every length.


def shape_tapes(unit: Unit, trees: list, facts: Infer) -> None:
    """Rewrite such tapes in the final trees of a function, or of its two halves."""
    pushes: dict[str, list] = {}
    pops: dict[str, list] = {}
    for tree in trees:
        for block in _blocks_but_exits(tree.body):
            for position, s in enumerate(block):
                found = t.list_method(s)
                if found is not None and found[0] in unit.tapes:
                    if found[1] == "append":
                        pushes.setdefault(found[0], []).append(s)
                    else:
                        pops.setdefault(found[0], []).append((tree, block, position))
    ends = _Ends()
    for tape, pushed in pushes.items():
        if len(pushed) == 1 and len(pops.get(tape, ())) == 1:
            _rewrite(unit, trees, facts, ends, tape, pushed[0], *pops[tape][0])
    if len(trees) == 2:
        _saved_lists(unit, trees[0], trees[1], facts, ends)


def _rewrite(unit: Unit, trees: list, facts: Infer, ends: _Ends, tape: str, push: Any,
             tree: Any, block: list, position: int) -> None:
    pop, value = block[position], push.value.args[0]
    if not (isinstance(pop, gast.Assign) and t.is_name(pop.targets[0]) and t.is_name(value)):
        return
    kind, name = facts.kinds.get(value.id), pop.targets[0].id
    if isinstance(kind, k.Lst):
        short = _shortened(unit, kind, value, trees, ends, tree, block, position, name)
        if short is not None:
            pop.targets, push.value.args = [t.store(short[0])], [short[1]]
            facts.kinds[tape] = k.ANY                                   # it holds lengths now
        return
    if not (isinstance(kind, k.Num) and kind.boxed and kind.dtype == "float64") or _starts_as_none(trees, value.id):
        return
    span, ended = _span(block, position, name)
    parents = [node for s in span for node in _parents(s, name)]
    if not parents or not all(_needs_shape(node, name, unit, facts) for node in parents) or not (
            ended or ends.dead_after(tree, block, name)):
        return
    shape = unit.names.fresh(f"{name}_shape")
    rewriter = _Shapes(unit, name, shape)
    for s in span:
        rewriter.visit(s)
    renamed = unit.names.fresh(f"{shape}_tape")
    unit.tapes.add(renamed)
    pop.targets = [t.store(shape)]
    push.value.args = [t.attribute(value, "shape")]
    for other in trees:
        t.rename(other, {tape: renamed})


def _saved_lists(unit: Unit, forward: Any, back: Any, facts: Infer, ends: _Ends) -> None:
    """Lengths in the place of lists, in what the forward half of a callee returns for the reverse half."""
    result, first = forward.body[-1], back.body[0]
    if not (isinstance(result, gast.Return) and isinstance(result.value, gast.Tuple) and isinstance(first, gast.Assign)
            and isinstance(first.targets[0], gast.Tuple) and t.is_name(first.value)):
        return
    saved: Any = result.value.elts[-1]
    if not isinstance(saved, gast.Tuple) or len(saved.elts) != len(first.targets[0].elts):
        return
    for position, (value, target) in enumerate(zip(saved.elts, first.targets[0].elts)):
        if t.is_name(value):
            short = _shortened(unit, facts.kinds.get(value.id), value, [forward, back], ends, back, back.body, 0, target.id)
            if short is not None:
                first.targets[0].elts[position], saved.elts[position] = t.store(short[0]), short[1]


def _shortened(unit: Unit, kind: Any, xs: gast.Name, trees: list, ends: _Ends, tree: Any, block: list,
               position: int, name: str) -> tuple[str, gast.expr] | None:
    """What does for a list, under which name, if it is only needed for the zeros of its adjoint from there on."""
    item = k.as_num(kind.item) if isinstance(kind, k.Lst) and kind.item is not None else None
    if not isinstance(item, k.Num) or item.dims is None or None in item.dims or _starts_as_none(trees, xs.id):
        return None
    span, ended = _span(block, position, name)
    parents = [node for s in span for node in _parents(s, name)]
    if not parents or not all(isinstance(node, gast.Call) and unit.lookup(node.func) is runtime.entry_of and t.is_name(
            node.args[2], name) and name not in t.reads(node.args[0]) for node in parents) or not (
                ended or ends.dead_after(tree, block, name)):
        return None
    count: Any = t.call("len", t.clone(xs))
    if item.is_scalar:
        short = unit.names.fresh(f"{name}_count")
        like: Any = t.call("range", t.load(short))
    else:                                                    # arrays of one shape
        short = unit.names.fresh(f"{name}_like")
        first, times = (t.subscript(t.load(short), t.const(i)) for i in (0, 1))
        like = t.binop(first, gast.Mult(), times)
        count = t.pack([t.subscript(t.clone(xs), gast.Slice(None, t.const(1), None)), count])
    for node in parents:
        node.args[2] = t.clone(like)
    return short, count


def _starts_as_none(trees: list, name: str) -> bool:
    """Whether a name has no value where another branch was taken, or on the first trip of a loop."""
    return any(isinstance(s, gast.Assign) and s.value.__class__ is gast.Constant and s.value.value is None and name in t.writes(s)
               for tree in trees for s in t.statements(tree.body))


def _span(block: list, position: int, name: str) -> tuple[list, bool]:
    """The statements of a block that may see what is popped (none if that is not sure); whether the name is another value then."""
    span = []
    for s in block[position + 1:]:
        inner = [x for x in t.statements([s]) if name in t.writes(x)]
        span.append(s)
        if inner:
            return (span, True) if inner == [s] and not isinstance(s, (gast.For, gast.While, gast.If)) else ([], True)
    return span, False


class _Ends:
    """Which names are still read after a block: as when that was asked first; rewriting only takes reads away."""

    def __init__(self) -> None:
        self.liveness: dict[int, Liveness] = {}

    def dead_after(self, tree: Any, block: list, name: str) -> bool:
        if id(tree) not in self.liveness:
            self.liveness[id(tree)] = Liveness()
            self.liveness[id(tree)].block(tree.body, frozenset())
        return name not in self.liveness[id(tree)].after[id(block[-1])]


def _parents(s: Any, name: str) -> list:
    """The nodes in which a name is read."""
    return [node for node in t.walk(s) if node.__class__ is not gast.Name and node.__class__ is not gast.Constant
            for child in t.children(node) if child.__class__ is gast.Name and child.id == name and child.ctx.__class__ is gast.Load]


def _needs_shape(node: Any, name: str, unit: Unit, facts: Infer) -> bool:
    """Whether an array is read there for its shape only."""
    if isinstance(node, gast.Attribute):
        return node.attr == "shape" and of_shape(node, facts.of(node.value))
    if not (isinstance(node, gast.Call) and primitive_of(unit.lookup(node.func)).with_shape and t.is_name(node.args[1], name)):
        return False
    part = k.as_num(facts.of(node.args[0]) or k.ANY)
    return name not in t.reads(node.args[0]) and isinstance(part, k.Num) and part.is_complex is False


def _asks_shape(node: Any, name: str, unit: Unit) -> bool:
    """Whether a name is read there for the shape or dtype of its array."""
    if isinstance(node, gast.Attribute):
        return node.attr in ("shape", "size", "ndim")
    if not isinstance(node, gast.Call) or not node.args or node.keywords:
        return False
    known = primitive_of(unit.lookup(node.func))                    # (zeros_like takes the kind, too)
    place = known.shaped if known.with_shape is not None or known.shaped == 0 and known.real is None else None
    return place is not None and [
        j for j, item in enumerate(node.args) if t.is_name(item, name)] == [place]


class _Shapes(t.Transformer):
    def __init__(self, unit: Unit, name: str, shape: str) -> None:
        self.unit, self.name, self.shape = unit, name, shape

    def visit_Attribute(self, node: gast.Attribute) -> Any:
        return t.load(self.shape) if t.is_name(node.value, self.name) else self.generic_visit(node)

    def visit_Call(self, node: gast.Call) -> Any:
        node = self.generic_visit(node)
        if len(node.args) == 2 and t.is_name(node.args[1], self.name):
            helper: Any = primitive_of(self.unit.lookup(node.func)).with_shape
            numpy = getattr(np, helper.__name__, None) is helper
            name = f"{self.unit.use(np, 'np')}.{helper.__name__}" if numpy else self.unit.use(helper, helper.__name__)
            return t.call(name, node.args[0], t.load(self.shape))
        return node


def _blocks_but_exits(block: list) -> Any:
    yield block
    for s in block:
        if not is_stop(s):
            for inner in t.inner_blocks(s):
                yield from _blocks_but_exits(inner)


# --- Ranges that need no name: the reverse sweep counts again what it has.
#
#     indices = range(len(x))                                 for i in range(len(x)):
#     for i in indices:                                           ...
#         ...
#     # --- reverse sweep                                     # --- reverse sweep
#     for i in reversed(indices):                             for i in reversed(range(len(x))):
#
# On the final texts of a function, or of its two halves, if the reverse half gets x anyway and x stays what it is: what the
# reverse sweep reads keeps its length. So are ranges up to sums and products of whole numbers: `range(n - 1, -1, -1)`.

GROWING = {"append", "pop", "extend", "insert", "remove", "clear", "update", "setdefault", "popitem", "add", "discard"}


def lengths(unit: Unit, trees: list, facts: Infer) -> None:
    """Write the ranges where they are used, in place."""
    first = trees[0]
    changed = _changed(trees, facts)
    for s in [s for s in t.statements(first.body) if isinstance(s, gast.Assign)]:
        found = _range_of(s, unit, facts)
        if found is None:
            continue
        name, (start, others) = s.targets[0].id, found
        if len(trees) == 1 and not {n for n in others if not _stays(facts.kinds.get(n))} <= _reverse_reads(first):
            continue                                          # nobody needs x then: it may have become another list
        written = [n for x in t.statements(first.body) for n in t.writes(x)]
        fixed = written.count(name) == 1 and all(written.count(n) + (n in _parameters(first)) == 1 for n in others)
        if fixed and name not in unit.function.local and not others & changed:
            _replace_range(trees, s, name, start, others)


def _range_of(s: gast.Assign, unit: Unit, facts: Infer) -> tuple[Any, set[str]] | None:
    """The range that a statement names, and the names that it is made of: `range(len(x))`, `range(1, n - 1)`."""
    value = s.value
    if len(s.targets) > 1 or not t.is_name(s.targets[0]) or not _call_of(value, range, unit):
        return None
    others = [_of_numbers(limit, unit, facts) for limit in value.args]
    return None if None in others else (value, {name for names in others for name in names or ()})


def _of_numbers(node: Any, unit: Unit, facts: Infer) -> set[str] | None:
    """The names that a limit of a range is made of, if it is a sum or product of whole numbers; None for others."""
    if isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Constant) and isinstance(
            node.value, gast.Attribute) and node.value.attr == "shape" and t.is_name(node.value.value):
        return {node.value.value.id}
    if _call_of(node, len, unit) and len(node.args) == 1 and t.is_name(node.args[0]):
        return {node.args[0].id}
    if isinstance(node, gast.Name):
        return {node.id} if _stays(facts.kinds.get(node.id)) else None
    if isinstance(node, gast.Constant):
        return set()
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        return _of_numbers(node.operand, unit, facts)
    if not isinstance(node, gast.BinOp) or not isinstance(node.op, (gast.Add, gast.Sub, gast.Mult)):
        return None
    left, right = (_of_numbers(side, unit, facts) for side in (node.left, node.right))
    return None if left is None or right is None else left | right


def _stays(kind: Any) -> bool:
    """Whether a value never changes: a whole number or a tuple."""
    return isinstance(kind, k.Tup) or isinstance(kind, k.Num) and kind.is_scalar and kind.boxed is False and kind.is_discrete


def _call_of(node: Any, function: Any, unit: Unit) -> bool:
    if not isinstance(node, gast.Call) or node.keywords or not t.is_name(node.func):
        return False
    found = unit.lookup(node.func)
    return found is function or found is MISSING and node.func.id == function.__name__


def _changed(trees: list, facts: Infer) -> set[str]:
    """Names of lists and dicts whose length changes: by methods, and where what is stored may be an item more."""
    found = set()
    for node in (node for tree in trees for node in t.walk(tree)):
        if isinstance(node, gast.Attribute) and t.is_name(node.value) and node.attr in GROWING:
            found.add(node.value.id)
        elif isinstance(node, gast.Subscript) and t.is_name(node.value) and not isinstance(node.ctx, gast.Load):
            kind = facts.kinds.get(node.value.id)
            if not isinstance(kind, k.Num) and (not isinstance(kind, k.Lst) or isinstance(node.slice, gast.Slice)):
                found.add(node.value.id)
    return found


def _reverse_reads(tree: Any) -> set[str]:
    """What the reverse sweep of a whole function reads."""
    return {n for s in t.statements(t.sweeps(tree).reverse) for n in t.header_reads(s)}


def _parameters(tree: Any) -> set[str]:
    return {p.id for p in t.walk(tree.args) if isinstance(p, gast.Name)}


def _replace_range(trees: list, s: Any, name: str, value: Any, others: set[str]) -> None:
    """Use the range itself for its name, in the headers of loops and nowhere else."""
    loops = [x for tree in trees for x in t.statements(tree.body) if isinstance(x, gast.For)]
    uses = [x for x in loops if _header(x, name)]
    kept = [_kept(tree, name) for tree in trees] if len(trees) > 1 else []
    counts = collections.Counter(n.id for tree in trees for n in t.walk(tree) if isinstance(n, gast.Name))
    if not uses or counts[name] != 1 + len(uses) + sum(x is not None for x in kept):
        return
    if kept:
        if None in kept or any(_kept(tree, other) is None for tree in trees for other in others):
            return
        if any(other in t.writes(x) for x in t.statements(trees[1].body) if not _unpacks(x) for other in others):
            return
        for elements in kept:
            elements[:] = [e for e in elements if e.id != name]            # type: ignore[index, union-attr]
    for x in uses:
        x.iter = t.clone(value) if t.is_name(x.iter) else t.call(x.iter.func.id, t.clone(value))
    t.block_of(trees[0].body, s).remove(s)


def _header(loop: gast.For, name: str) -> bool:
    node: Any = loop.iter
    if isinstance(node, gast.Call) and t.is_name(node.func, "reversed") and len(node.args) == 1:
        node = node.args[0]
    return t.is_name(node, name)


def _kept(tree: Any, name: str) -> list | None:
    """The elements of what one half saves, or of what the other unpacks, if the name is one of them."""
    last = tree.body[-1]
    if isinstance(last, gast.Return) and isinstance(last.value, gast.Tuple) and len(last.value.elts) == 2 and isinstance(
            last.value.elts[1], gast.Tuple) and not any(map(_unpacks, tree.body)):
        elements = last.value.elts[1].elts
    else:
        found = [s for s in tree.body if _unpacks(s)]
        elements = found[0].targets[0].elts if len(found) == 1 else []
    plain = elements and all(map(t.is_name, elements))
    return elements if plain and sum(e.id == name for e in elements) == 1 else None


def _unpacks(s: Any) -> bool:
    """Whether a reverse half takes apart what the forward half saved."""
    return isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Tuple) and t.is_name(s.value) and (
        s.value.id.startswith("saved"))


# --- Shapes from where they cost nothing: an x that the reverse sweep only asks for its shape need be neither kept nor computed,
# where an argument has the same (symbolic) size.

def borrow(unit: Unit, tree: Any, facts: Infer) -> bool:
    """Take shapes from arguments, in place: those of what was on a tape, and of what is computed for its shape only."""
    mark = len(t.sweeps(tree).forward)
    changed = _from_tapes(unit, tree, facts, mark)
    owners = _unchanged(tree, facts, mark)
    found = _for_shape_only(unit, tree, facts, mark, owners) if owners else {}
    if not found:
        return changed
    dce(unit, tree)
    trial = t.clone(tree)
    mark = len(t.sweeps(trial).forward)
    asked = {name: unit.names.fresh(f"{name}_shaped") for name in found}
    trial.body[mark:] = [t.rename(s, asked) for s in trial.body[mark:]]
    dce(unit, trial)
    if sum(1 for _ in t.statements(trial.body)) >= sum(1 for _ in t.statements(tree.body)):
        return changed
    mark = len(t.sweeps(trial).forward)
    kept = {name for s in trial.body[:mark] if isinstance(s, gast.Assign) for name in t.writes(s)}       # for another reason
    whom = {asked[name]: name if name in kept else owner for name, owner in found.items()}
    tree.body[:] = [*trial.body[:mark], *(t.rename(s, whom) for s in trial.body[mark:])]
    return True


def _unchanged(tree: Any, facts: Infer, mark: int) -> dict[tuple, str]:
    """Arguments, and names of arguments at the start, that stay what they are: by their kinds."""
    written = collections.Counter(name for s in t.statements(tree.body) for name in t.writes(s))
    parameters = [n.id for n in t.walk(tree.args) if isinstance(n, gast.Name)]
    starts = [s.targets[0].id for s in tree.body[:mark] if isinstance(s, gast.Assign) and t.is_name(s.targets[0])
              and t.is_name(s.value) and s.value.id in parameters and written[s.targets[0].id] == 1]
    owners: dict[tuple, str] = {}
    for name in [*(name for name in parameters if not written[name]), *starts]:
        kind = facts.kinds.get(name)
        if _dims(kind) is not None:
            owners.setdefault((kind.dims, kind.dtype), name)                        # type: ignore[union-attr]
    return owners


def _for_shape_only(unit: Unit, tree: Any, facts: Infer, mark: int, owners: dict[tuple, str]) -> dict[str, str]:
    """Names of the forward sweep of which the reverse sweep asks the shape only: whom it may ask instead."""
    reads: dict[str, list] = {}
    for s in tree.body[mark:]:
        for node in t.walk(s):
            for child in gast.iter_child_nodes(node):
                if isinstance(child, gast.Name) and isinstance(child.ctx, gast.Load):
                    reads.setdefault(child.id, []).append(node)
    back = {name for s in t.statements(tree.body[mark:]) for name in t.writes(s)}
    found = {}
    for name in {name for s in t.statements(tree.body[:mark]) for name in t.writes(s)} & reads.keys() - back:
        kind = facts.kinds.get(name)
        owner = owners.get((kind.dims, kind.dtype)) if _dims(kind) is not None else None          # type: ignore[union-attr]
        if owner not in (None, name) and all(_asks_shape(node, name, unit) for node in reads[name]):
            found[name] = owner
    return found                                                                                # type: ignore[return-value]


def _from_tapes(unit: Unit, tree: Any, facts: Infer, mark: int) -> bool:
    taken = {n for s in t.statements(tree.body) for found in [t.list_method(s)]
             if found is not None and found[1] == "pop" and found[0] in unit.tapes for n in t.writes(s)}
    owners: dict[tuple, str] = {}
    perhaps = {n for s in t.statements(tree.body) if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call)
               and unit.lookup(s.value.func) is runtime.zeros_like for n in t.writes(s)}     # 0.0, where there is no value yet
    for name in (n.id for n in t.walk(tree.args) if isinstance(n, gast.Name)):
        dims = _dims(facts.kinds.get(name))
        if dims is not None and name not in perhaps:
            owners.setdefault(dims, name)
    if not taken or not owners:
        return False
    changed = False
    for s in t.statements(tree.body[mark:]):
        for node in t.walk(s.value) if isinstance(s, gast.Assign) else ():
            if isinstance(node, gast.Attribute) and node.attr == "shape" and isinstance(node.value, gast.Name) and (
                    node.value.id in taken):
                owner = owners.get(_dims(facts.kinds.get(node.value.id)) or ())
                if owner is not None:
                    node.value = t.load(owner)
                    changed = True
    return changed


def _dims(kind: Any) -> tuple | None:
    kind = k.as_num(kind) if kind is not None else None
    known = isinstance(kind, k.Num) and kind.boxed and kind.dims and None not in kind.dims
    return kind.dims if known else None
