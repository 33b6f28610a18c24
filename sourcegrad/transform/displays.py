"""A list or dict that a loop of one statement fills is a comprehension again, on the final text.

    values = []                                             values = [f(x[k]) for k in range(len(x))]
    for k in range(len(x)):
        values.append(f(x[k]))

So is the list of the adjoints of objects that the reversed loop puts together, each in its place:

    poses_bar = zeros_like(poses)                           poses_bar = [{'x': part} for part in values_bar]
    for k in reversed(range(len(poses))):
        poses_bar = index_add(poses_bar, k, {'x': values_bar.pop()})
"""
from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.analysis.infer import Infer
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.frontend.resolve import Unit
from sourcegrad.transform.items import calls
from sourcegrad.transform.nest import width

WIDTH = 96
LATER = (gast.Lambda, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def displays(tree: Any, unit: Unit, facts: Infer) -> None:
    """Write comprehensions, in place."""
    liveness = Liveness()
    liveness.block(tree.body, frozenset())
    taken = Counter(n.value.id for n in t.walk(tree) if isinstance(n, gast.Attribute) and n.attr == "pop" and t.is_name(n.value))
    tree.body = _block(tree.body, liveness, _Parts(unit, facts, {n for n in unit.emptied if taken[n] == 1}))


def _block(block: list, liveness: Liveness, parts: _Parts) -> list:
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, _block, liveness, parts)
        if parts.together(s, result):
            continue
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


class _Parts:
    """The adjoints of the items of a list, put together by a loop. emptied: lists of as many parts, which it takes."""

    def __init__(self, unit: Unit, facts: Infer, emptied: set[str]) -> None:
        self.unit, self.facts, self.emptied = unit, facts, emptied

    def together(self, s: Any, before: list) -> bool:
        """Put a comprehension in the place of a loop and of the zeros that it starts with; whether it is one of these loops."""
        of = self.counted(s)
        only: Any = s.body[0] if of is not None and len(s.body) == 1 else None
        value: Any = getattr(only, "value", None)
        adds = isinstance(only, gast.Assign) and t.is_name(only.targets[0]) and calls(value, runtime.index_add, self.unit)
        if not adds or not (
                t.is_name(value.args[0], only.targets[0].id) and t.is_name(value.args[1], s.target.id)):
            return False
        name, part = only.targets[0].id, value.args[2]
        start = next((j for j in range(len(before) - 1, -1, -1) if any(
            name in t.writes(x) + t.header_reads(x) for x in t.statements([before[j]]))), None)
        if start is None or not isinstance(before[start], gast.Assign) or not calls(
                before[start].value, runtime.zeros_like, self.unit) or not t.is_name(before[start].value.args[0], of):
            return False
        found = (n for n in t.walk(part) if isinstance(n, gast.Call) and isinstance(n.func, gast.Attribute))
        taken = [call for call in found if call.func.attr == "pop"]
        names = [n.func.value.id for n in taken if t.is_name(n.func.value)]
        if len(taken) != 1 or not isinstance(part, gast.Dict) or not self.emptied.issuperset(names) or (
                {name, s.target.id} & set(t.reads(part))) or any(isinstance(n, LATER) for n in t.walk(part)):
            return False
        item = self.unit.names.fresh("part")
        loop = gast.comprehension(target=t.store(item), iter=taken[0].func.value, ifs=[], is_async=0)
        whole = before.pop(start)
        whole.value = gast.ListComp(elt=_Put(taken[0], item).visit(part), generators=[loop])
        before.append(whole)
        return True

    def counted(self, s: Any) -> str | None:
        """The list over whose items a loop goes backwards."""
        node: Any = s.iter if isinstance(s, gast.For) and t.is_name(s.target) else None
        for function in (reversed, range, len):
            if not calls(node, function, self.unit) or len(node.args) != 1:
                return None
            node = node.args[0]
        return node.id if isinstance(node, gast.Name) and isinstance(self.facts.kinds.get(node.id), k.Lst) else None


class _Put(gast.NodeTransformer):
    """A name in the place of a call."""

    def __init__(self, call: Any, name: str) -> None:
        self.call, self.name = call, name

    def visit_Call(self, node: gast.Call) -> Any:
        return t.load(self.name) if node is self.call else self.generic_visit(node)


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
