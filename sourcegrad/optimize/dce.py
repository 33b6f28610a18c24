"""Drop what nobody reads: dead assignments, tapes without readers, empty branches and loops."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.purity import droppable
from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Unit


def prune(unit: Unit, tree: gast.FunctionDef) -> None:
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
    packed: dict[str, list[str]] = {}                        # tuples of names, as they are now
    for s in block:
        if id(s) not in liveness.kept and not t.is_comment(s) and not isinstance(s, (gast.Return, gast.Break)):
            continue
        if t.says_nothing(s):
            continue
        if packed and _unpacks(s, packed):
            needless.append(s)
            continue
        pair = (s.targets[0].id, s.value.id) if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and t.is_name(
            s.value) else None
        if pair is not None and pair[1] in same.get(pair[0], ()):
            needless.append(s)                               # y = x; x = y
            continue
        for name in (t.writes(s) if s.__class__ is gast.Assign else [
                name for inner in t.statements([s]) for name in t.writes(inner)]) if same or packed else ():
            for other in same.pop(name, ()):
                same[other].discard(name)
            if packed:
                packed = {whole: parts for whole, parts in packed.items() if name != whole and name not in parts}
        if s.__class__ is gast.Assign and s.value.__class__ is gast.Tuple and t.is_name(s.targets[0]) and all(
                map(t.is_name, s.value.elts)):
            packed[s.targets[0].id] = t.reads(s.value)
        if pair is not None and pair[0] != pair[1]:
            same.setdefault(pair[0], set()).add(pair[1])
            same.setdefault(pair[1], set()).add(pair[0])
        if isinstance(s, gast.If) and not is_stop(s):
            s.body, s.orelse = _block(s.body, liveness, needless), _block(s.orelse, liveness, needless)
        elif isinstance(s, (gast.For, gast.While)):
            s.body = _block(s.body, liveness, needless)
        result.append(s)
    return result


def _unpacks(s: Any, packed: dict[str, list[str]]) -> bool:
    """z = x, y; x, y = z, or y = z[1]"""
    if not isinstance(s, gast.Assign):
        return False
    if isinstance(s.targets[0], gast.Tuple) and t.is_name(s.value):
        return packed.get(s.value.id) == t.writes(s)
    index = s.value.slice if isinstance(s.value, gast.Subscript) and t.is_name(s.value.value) else None
    parts = packed.get(s.value.value.id) if isinstance(index, gast.Constant) and type(index.value) is int else None
    return parts is not None and [*t.writes(s)] == parts[index.value:][:1]         # type: ignore[union-attr]
