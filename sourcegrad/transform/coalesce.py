"""One name for one object: after `self.w = w`, the next version of the object needs no name of its own."""
from __future__ import annotations

from typing import Any

from sourcegrad import tree as t
from sourcegrad.analysis.liveness import Liveness


def coalesce(tree: Any, parameters: list[str]) -> None:
    """Drop `y = x` where x ends and y begins, and call y x from there on."""
    while True:
        counts: dict[str, int] = {name: 1 for name in parameters}
        for s in t.statements(tree.body):
            for name in t.writes(s):
                counts[name] = counts.get(name, 0) + 1
        liveness = Liveness()
        liveness.block(tree.body, frozenset())
        found = next((s for s in t.statements(tree.body) if _ends(s, counts, parameters, liveness)), None)
        if found is None:
            return
        old, new = found.targets[0].id, found.value.id
        _drop(tree.body, found)
        t.rename(tree, {old: new})


def _ends(s: Any, counts: dict[str, int], parameters: list[str], liveness: Liveness) -> bool:
    """Whether s is `y = x`, made by a store in place, where x is not needed any more."""
    if not getattr(s, "version", False):
        return False
    old, new = s.targets[0].id, s.value.id
    return old not in parameters and counts.get(old) == 1 and counts.get(new) == 1 and new not in liveness.after[id(s)]


def _drop(block: list, s: Any) -> None:
    for position, item in enumerate(block):
        if item is s:
            del block[position]
            return
        for part in t.BLOCKS:
            _drop(getattr(item, part, None) or [], s)
