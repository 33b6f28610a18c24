"""A list or dict that a loop of one statement fills is a comprehension again, on the final text.

    values = []                                             values = [f(x[k]) for k in range(len(x))]
    for k in range(len(x)):
        values.append(f(x[k]))
"""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.transform.nest import width

WIDTH = 96


def displays(tree: Any) -> None:
    """Write comprehensions, in place."""
    liveness = Liveness()
    liveness.block(tree.body, frozenset())
    tree.body = _block(tree.body, liveness)


def _block(block: list, liveness: Liveness) -> list:
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, _block, liveness)
        filled = _filled(s, liveness)
        start = _start(result, *filled) if filled is not None else None
        if start is None:
            result.append(s)
            continue
        name, value = filled                                            # type: ignore[misc]
        del result[start]
        value.generators = [gast.comprehension(target=s.target, iter=s.iter, ifs=[], is_async=0)]
        result.append(t.assign(name, value, t.origin_of(s)))
    return result


def _filled(s: Any, liveness: Liveness) -> tuple[str, Any] | None:
    """The name that a loop does nothing but fill, and the comprehension, without its loop."""
    if not isinstance(s, gast.For) or s.orelse or len(s.body) != 1:
        return None
    only = s.body[0]
    found = t.list_method(only) if isinstance(only, gast.Expr) else None
    target = only.targets[0] if isinstance(only, gast.Assign) and len(only.targets) == 1 else None
    value: Any
    if found is not None and found[1] == "append":
        name, value = found[0], gast.ListComp(elt=only.value.args[0], generators=[])
    elif isinstance(target, gast.Subscript) and t.is_name(target.value) and not isinstance(target.slice, (gast.Slice, gast.Tuple)):
        name, value = target.value.id, gast.DictComp(key=target.slice, value=only.value, generators=[])
    else:
        return None
    targets = t.target_names(s.target)
    if {name, *targets} & set(t.reads(s.iter)) or name in t.reads(value) or any(n in liveness.after[id(s)] for n in targets):
        return None
    if any(isinstance(node, (gast.Lambda, gast.NamedExpr)) for node in t.walk(value)):
        return None
    return (name, value) if width(s.iter) + width(value) <= WIDTH else None


def _start(block: list, name: str, value: Any) -> int | None:
    """Where the list or dict starts, if nothing looks at it from there on."""
    for position in range(len(block) - 1, -1, -1):
        s = block[position]
        if isinstance(s, gast.Assign) and len(s.targets) == 1 and t.is_name(s.targets[0], name):
            if isinstance(value, gast.ListComp):
                return position if isinstance(s.value, gast.List) and not s.value.elts else None
            return position if isinstance(s.value, gast.Dict) and not s.value.keys else None
        if any(isinstance(n, gast.Name) and n.id == name for n in t.walk(s)):
            return None
    return None
