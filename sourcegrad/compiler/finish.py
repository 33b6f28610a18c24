"""From the differentiable text of a function to the one that runs: in place, printed, compiled."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from sourcegrad.ad.adjoint import check_refused
from sourcegrad.analysis.borrowed import lends
from sourcegrad.analysis.purity import silent
from sourcegrad.analysis.types import Infer
from sourcegrad.compiler.emit import Half, publish
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Function, Unit
from sourcegrad.optimize.in_place import accumulate, coalesce, reuse
from sourcegrad.optimize.store_forwarding import fused
from sourcegrad.optimize.tapes import lengths, shape_tapes, tapes
from sourcegrad.optimize.view_hoisting import taken, views
from sourcegrad.pretty.blocks import blocks
from sourcegrad.pretty.comments import annotate
from sourcegrad.pretty.forward_substitution import forward_sweep
from sourcegrad.pretty.raise_statements import pops
from sourcegrad.pretty.tidy import tidy, unmarked


def finish(halves: list[Half], unit: Unit, trees: list, function: Function, facts: Infer, simplify: bool, show: Callable) -> None:
    """Print, compile and register a generated function, or the two halves of one. show(name, unit): for `show --all`."""
    plain = [t.clone(tree) for tree in trees]
    if simplify and len(trees) == 1:
        shape_tapes(unit, trees, facts)                             # what is not saved itself may change in place
    finals = [_final(half, unit, tree, function, facts, simplify, show) for half, tree in zip(halves, trees)]
    if simplify:
        if len(trees) == 2:
            shape_tapes(unit, finals, facts)
        tapes(unit, finals)
        lengths(unit, finals)
        called = not any(map(t.is_comment, finals[0].body))         # not the gradient: its results have their names
        for final in finals:
            views(final, unit, facts, forward_sweep(final, called))
            taken(final, unit, facts)
        finals = [tidy(final, unit, facts, half=called) for final in finals]
    for half, final, tree in zip(halves, finals, plain):
        publish(half, unit, blocks(annotate(final), unit), tree, function, len(halves) == 2)


def _final(half: Half, unit: Unit, tree: Any, function: Function, facts: Infer, simplify: bool, show: Callable) -> Any:
    """What runs: in place, without what only the passes need."""
    check_refused(tree, unit)
    half.__sourcegrad_pure__ = silent(tree.body, unit, function.parameters)
    half.__sourcegrad_lends__ = lends(tree, unit, facts)
    unmarked(tree, unit)
    if simplify:
        fused(unit, tree, facts, last=True)
    parameters = [p.id for p in t.walk(tree.args) if isinstance(p, gast.Name) and isinstance(p.ctx, gast.Param)]
    final = accumulate(unit, tree, parameters, facts)
    coalesce(final, parameters)
    show("accumulate", Unit(function, final))
    if simplify:
        final = pops(reuse(unit, final, parameters, facts))
        show("reuse", Unit(function, final))
    return final
