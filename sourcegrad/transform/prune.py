"""Drop what nobody reads: dead assignments, tapes without readers, empty branches and loops."""
from __future__ import annotations

import gast

from sourcegrad import tree as t
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.frontend.resolve import Unit
from sourcegrad.transform.effects import droppable


def prune(unit: Unit, tree: gast.FunctionDef) -> None:
    """Remove dead statements from a function body, until nothing more goes."""
    while True:
        liveness = Liveness(lambda value: droppable(value, unit))
        liveness.block(tree.body, frozenset())
        before = sum(1 for _ in t.statements(tree.body))
        tree.body = _block(tree.body, liveness)
        if sum(1 for _ in t.statements(tree.body)) == before:
            return


def _block(block: list, liveness: Liveness) -> list:
    result: list = []
    for s in block:
        if id(s) not in liveness.kept and not t.is_comment(s) and not isinstance(s, (gast.Return, gast.Break)):
            continue
        if isinstance(s, gast.If) and not is_stop(s):
            s.body, s.orelse = _block(s.body, liveness), _block(s.orelse, liveness)
        elif isinstance(s, (gast.For, gast.While)):
            s.body = _block(s.body, liveness)
        result.append(s)
    return result
