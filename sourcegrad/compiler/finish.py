"""From the differentiable text of a function to the one that runs: in place, printed, compiled."""
from __future__ import annotations

from sourcegrad.analysis.alias import lends
from sourcegrad.analysis.purity import silent
from sourcegrad.compiler.emit import Half, publish
from sourcegrad.compiler.passes import Manager, Work
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Function


def finish(halves: list[Half], work: Work, function: Function, passes: Manager) -> None:
    """Print, compile and register a generated function, or the two halves of one."""
    unit, trees = work.unit, work.trees
    plain = [t.clone(tree) for tree in trees]
    work.called = not any(map(t.is_comment, trees[0].body))             # not the gradient: its results have their names
    for half, tree in zip(halves, trees):
        half.__sourcegrad_pure__ = silent(tree.body, unit, function.parameters)
        half.__sourcegrad_lends__ = lends(tree, unit, work.facts)
    passes.run("in place", work)
    passes.run("text", work)
    for half, final, tree in zip(halves, work.trees, plain):
        publish(half, unit, final, tree, function, len(halves) == 2)
