"""From the differentiable text of a function to the one that runs: in place, printed, compiled."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.analysis.infer import Infer
from sourcegrad.analysis.lent import lends
from sourcegrad.analysis.purity import silent
from sourcegrad.emit import Half, publish
from sourcegrad.frontend.resolve import Function, Unit
from sourcegrad.transform.accumulate import accumulate
from sourcegrad.transform.adjacent import forward_sweep
from sourcegrad.transform.adjoint import check_refused
from sourcegrad.transform.annotate import annotate
from sourcegrad.transform.blocks import blocks
from sourcegrad.transform.coalesce import coalesce
from sourcegrad.transform.fused import fused
from sourcegrad.transform.lengths import lengths
from sourcegrad.transform.pops import pops
from sourcegrad.transform.reuse import reuse
from sourcegrad.transform.shape_tapes import shape_tapes
from sourcegrad.transform.taken import taken
from sourcegrad.transform.tapes import tapes
from sourcegrad.transform.tidy import tidy
from sourcegrad.transform.unmark import unmarked
from sourcegrad.transform.views import views


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
