"""A tape of arrays that are only asked for their shape becomes a tape of shapes: the arrays need not be kept.

Where shapes are not known when the code is generated, contributions are summed to the shape that an operand had. So do lists of
numbers that are only needed for the zeros of their adjoints, on a tape or among what the forward half of a callee saves: their
lengths are enough, and a list that gets longer is not kept at every length.
"""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.analysis.infer import Infer
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.value_kinds import of_shape
from sourcegrad.frontend.resolve import Unit

SHAPED = (runtime.unbroadcast, runtime.broadcast_like)


def shape_tapes(unit: Unit, trees: list, facts: Infer) -> None:
    """Rewrite such tapes in the final trees of a function, or of its two halves."""
    pushes: dict[str, list] = {}
    pops: dict[str, list] = {}
    for tree in trees:
        for block in _blocks(tree.body):
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
    return [node for node in t.walk(s) for child in gast.iter_child_nodes(node)
            if t.is_name(child, name) and isinstance(child.ctx, gast.Load)]


def _needs_shape(node: Any, name: str, unit: Unit, facts: Infer) -> bool:
    """Whether an array is read there for its shape only."""
    if isinstance(node, gast.Attribute):
        return node.attr == "shape" and of_shape(node, facts.of(node.value))
    if not (isinstance(node, gast.Call) and unit.lookup(node.func) in SHAPED and t.is_name(node.args[1], name)):
        return False
    part = k.as_num(facts.of(node.args[0]) or k.ANY)
    return name not in t.reads(node.args[0]) and isinstance(part, k.Num) and part.is_complex is False


class _Shapes(t.Transformer):
    def __init__(self, unit: Unit, name: str, shape: str) -> None:
        self.unit, self.name, self.shape = unit, name, shape

    def visit_Attribute(self, node: gast.Attribute) -> Any:
        return t.load(self.shape) if t.is_name(node.value, self.name) else self.generic_visit(node)

    def visit_Call(self, node: gast.Call) -> Any:
        node = self.generic_visit(node)
        if len(node.args) == 2 and t.is_name(node.args[1], self.name):
            helper = self.unit.use(runtime.unbroadcast_to, "unbroadcast_to")
            summed = self.unit.lookup(node.func) is runtime.unbroadcast
            function = helper if summed else f"{self.unit.use(np, 'np')}.broadcast_to"
            return t.call(function, node.args[0], t.load(self.shape))
        return node


def _blocks(block: list) -> Any:
    yield block
    for s in block:
        if not is_stop(s):
            for inner in t.inner_blocks(s):
                yield from _blocks(inner)
