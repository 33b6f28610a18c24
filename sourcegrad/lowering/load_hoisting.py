"""Attributes that are read many times get one name; objects that are stored into get a name for what they are from then on."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k
from sourcegrad.analysis import objects
from sourcegrad.ir import tree as t
from sourcegrad.syntax.split_webs import rename


def hoist(unit: Any, facts: Any) -> None:
    """Attributes of objects that stay as they are get one name, at the start: one adjoint each, wherever they are read."""
    body = unit.tree.body
    stores: dict[str, int] = {}
    for s in t.statements(body):
        for name in t.writes(s):
            stores[name] = stores.get(name, 0) + 1
    fixed = [n for n in unit.parameters if n not in stores]
    kinds = {n: facts.kinds.get(n) for n in fixed}
    first: list = []
    while fixed:
        root = fixed.pop(0)
        kind = kinds[root]
        reads = [s for s in t.statements(body) if isinstance(s, gast.Assign) and isinstance(s.value, gast.Attribute)
                 and t.is_name(s.value.value, root) and isinstance(s.targets[0], gast.Name)]
        if not isinstance(kind, k.Obj) or kind.optional or not reads:
            continue
        groups: dict[str, list] = {}
        for s in reads:
            groups.setdefault(s.value.attr, []).append(s)
        for attr, same in groups.items():
            item = kind.get(attr)
            if item is None or attr in kind.maybe or k.is_discrete(item) or (
                    objects.find(kind, attr, unit).sort != "value"):
                continue
            if isinstance(dict(kind.items or ())[attr], k.Optional) and any(not any(s is x for x in body) for s in same):
                continue                                    # where it is asked for, it is not None
            name = same[0].targets[0].id
            if stores[name] > 1 or name in unit.parameters:
                name = unit.names.fresh(f"{root}_{attr}")
            first.append(t.assign(name, t.attribute(t.load(root), attr), t.origin_of(same[0])))
            renamed = {s.targets[0].id for s in same if stores[s.targets[0].id] == 1} - {name, *unit.parameters}
            for s in same:
                s.value = t.load(name)
            body = without(body, {id(s) for s in same if s.targets[0].id in renamed or s.targets[0].id == name})
            for s in body:
                t.rename(s, {n: name for n in renamed})
            fixed.append(name)
            kinds[name] = item
    unit.tree.body = [*first, *body]


def split(unit: Any, facts: Any) -> bool:
    """An object is another one after a store: each gets its own name, and so its own kind. Whether there are any."""
    assigned: dict[str, int] = dict.fromkeys(unit.parameters, 1)
    for s in t.statements(unit.tree.body):
        for name in t.writes(s):
            assigned[name] = assigned.get(name, 0) + 1
    found = frozenset(n for n, count in assigned.items() if count > 1 and isinstance(facts.kinds.get(n), k.Obj))
    if found:
        rename(unit, found)
        hoist(unit, facts)
    return bool(found)


def without(block: list, gone: set[int]) -> list:
    """A block without some statements; empty branches stay branches."""
    result = []
    for s in block:
        if id(s) in gone:
            continue
        t.map_blocks(s, without, gone)
        if isinstance(s, (gast.For, gast.While)) and not s.body:
            s.body = [t.assign("nothing", t.const(None), t.origin_of(s))]
        if isinstance(s, gast.If) and not s.body and s.orelse:
            s.body = [t.assign("nothing", t.const(None), t.origin_of(s))]
        if isinstance(s, gast.If) and not s.body and not s.orelse:
            continue
        result.append(s)
    return result
