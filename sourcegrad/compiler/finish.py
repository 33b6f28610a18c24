"""From the differentiable text of a function to the one that runs: in place, printed, compiled."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import runtime
from sourcegrad.analysis.alias import lends
from sourcegrad.analysis.purity import silent
from sourcegrad.compiler.emit import Half, publish
from sourcegrad.compiler.passes import Manager, Work
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Function, Unit


def finish(halves: list[Half], work: Work, function: Function, passes: Manager) -> None:
    """Print, compile and register a generated function, or the two halves of one."""
    unit, trees = work.unit, work.trees
    plain = [t.clone(tree) for tree in trees]
    work.called = not t.sweeps(trees[0]).reverse             # not the gradient: its results have their names
    for half, tree in zip(halves, trees):
        unmark(tree, unit)
        half.__sourcegrad_pure__ = silent(tree.body, unit, function.parameters)
        half.__sourcegrad_lends__ = lends(tree, unit, work.facts)
    passes.run("in place", work)
    passes.run("text", work)
    for half, final, tree in zip(halves, work.trees, plain):
        publish(half, unit, final, tree, function, len(halves) == 2)


def unmark(tree: Any, unit: Unit) -> None:
    """What is returned beside the value, without the mark that it is constant: the text needs none to run."""
    marks = [name for name, value in unit.env.items() if value is runtime.aux]
    for node in t.walk(tree) if marks else ():
        for name, value in ((name, value) for name, value in vars(node).items() if name in t.child_fields(type(node))):
            if isinstance(value, list):
                value[:] = [unmarked(item, marks) for item in value]
            else:
                setattr(node, name, unmarked(value, marks))


def unmarked(node: Any, marks: list[str]) -> Any:
    return node.args[0] if isinstance(node, gast.Call) and any(t.is_name(node.func, mark) for mark in marks) else node
