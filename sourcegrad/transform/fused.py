"""What is added to a part of an item is added there, without zeros for the rest of the item.

    part_bar = index_add(zeros_like(part), 0, v)            grid_bar = index_add(grid_bar, at[i][0], v)
    grid_bar = index_add(grid_bar, i, part_bar)
    v_bar = last_writes(grid_bar, grid, at[i][0])           v_bar = grid_bar[i][0]
"""
from __future__ import annotations

import collections
from typing import Any

import gast

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.analysis.infer import Infer
from sourcegrad.analysis.purity import pure
from sourcegrad.frontend.resolve import Unit
from sourcegrad.transform.simplify import place_root, plain_index

SHORT = 6                                    # items of a tuple that is written out


def fused(unit: Unit, tree: Any, facts: Infer, last: bool = False) -> bool:
    """Fuse in place; whether anything was. last: where nothing is differentiated any more, entries of sparse adjoints, too."""
    known = set(map(id, unit.env.values()))
    fuser = _Fused(unit, tree, facts, last)
    if id(runtime.index_add) in known and id(runtime.zeros_like) in known:
        fuser.block(tree.body)
    if not last:
        fuser.visit(tree)
    return fuser.changed


class _Fused(gast.NodeTransformer):
    def __init__(self, unit: Unit, tree: Any, facts: Infer, last: bool) -> None:
        self.unit, self.facts, self.last, self.changed = unit, facts, last, False
        self.counts = collections.Counter(n.id for n in t.walk(tree) if isinstance(n, gast.Name))

    def visit_Call(self, node: gast.Call) -> Any:
        self.generic_visit(node)
        function = self.unit.lookup(node.func)
        if function in (runtime.path_of, runtime.path_drop):
            self.measure(node)
        if self.is_item(node):
            return self.displayed(node)
        if function is runtime.list_restore and isinstance(self.facts.of(node.args[0]), k.Lst):
            taken = t.subscript(node.args[1], node.args[2])         # a number, whose zero needs no list
            if self.is_number(taken) and self.is_number(node.args[2]):
                self.changed = True
                return t.call(self.unit.use(runtime.list_put_back, "list_put_back"), node.args[0], node.args[2], t.const(0.0))
        if function not in (runtime.item_at, runtime.last_writes) or not t.is_name(node.args[0]):
            return node
        where, base = node.args[-1], node.args[-2]
        root = place_root(where)
        inner = where.value if isinstance(where, gast.Attribute) else where
        while isinstance(inner, gast.Subscript):
            inner = inner.value
        if inner is not root or root is where or not t.is_name(root) or not t.is_name(base) or not isinstance(
                self.facts.kinds.get(node.args[0].id), k.Lst) or self.unit.lookup(root) is not runtime.at:
            return node
        part, stored = _At(root, node.args[0]).visit(t.clone(where)), _At(root, base).visit(t.clone(where))
        entry = function is runtime.last_writes and isinstance(where, gast.Attribute)
        if not self.is_number(stored) or not entry and not self.is_number(part):
            return node
        self.changed = True
        if entry:                                           # of the adjoint of an object, which is sparse
            return t.call(self.unit.use(runtime.entry_of, "entry_of"), part.value, t.const(where.attr), t.const(0.0))
        return part

    def displayed(self, node: gast.Call) -> Any:
        """(0.0, v) for index_add(zeros_like(pair), 1, v)."""
        zeros, place, value = node.args
        kind, place, added = self.facts.of(zeros), self.facts.of(place), k.as_num(self.facts.of(value) or k.ANY)
        if not isinstance(kind, k.Tup) or len(kind.items) > SHORT or any(item != k.FLOAT for item in kind.items) or not (
                isinstance(place, k.Const) and isinstance(place.value, int)) or not (
                isinstance(added, k.Num) and added.is_scalar and added.is_complex is False):
            return node
        items: list[gast.expr] = [t.const(0.0) for _ in kind.items]
        items[place.value] = value
        self.changed = True
        return t.pack(items)

    def measure(self, node: gast.Call) -> None:
        """After how many steps of a path an array is reached, for what the path starts from: that need not be kept for it."""
        path, base = node.args[1:3]
        prefixes = [path]
        while isinstance(prefixes[0], (gast.Subscript, gast.Attribute)):
            prefixes.insert(0, prefixes[0].value)
        if not t.is_name(base) or not t.is_name(prefixes[0]) or self.unit.lookup(prefixes[0]) is not runtime.at:
            return
        kinds = [self.facts.of(base)]
        for prefix in prefixes[1:-1]:
            kinds.append(self.facts.of(_At(prefixes[0], base).visit(t.clone(prefix))))
        arrays = [j for j, kind in enumerate(kinds) if isinstance(kind, k.Num) and kind.boxed and kind.dims]
        sure = kinds[:arrays[0]] if arrays else kinds
        if all(isinstance(kind, (k.Obj, k.Dct, k.Map, k.Lst, k.Tup)) for kind in sure) and (
                arrays or isinstance(kinds[-1], (k.Obj, k.Dct, k.Map))):
            node.args[2] = t.const(arrays[0] if arrays else len(kinds))
            self.changed = True

    def is_number(self, node: Any) -> bool:
        kind = k.as_num(self.facts.of(node) or k.ANY)
        return isinstance(kind, k.Num) and kind.is_scalar

    def is_call(self, node: Any, function: Any) -> bool:
        return isinstance(node, gast.Call) and self.unit.lookup(node.func) is function

    def is_item(self, node: Any) -> bool:
        """Whether an expression is index_add(zeros_like(x), i, v)."""
        return self.is_call(node, runtime.index_add) and self.is_call(node.args[0], runtime.zeros_like)

    def adds(self, s: Any) -> Any:
        """The call of a statement that adds an item, of which all other parts are there or zero."""
        value: Any = s.value if isinstance(s, gast.Assign) else None
        if self.is_call(value, runtime.entry_add):
            return value if self.last else None
        if not self.is_call(value, runtime.index_add) or not t.is_name(value.args[0]):
            return None
        kind = self.facts.kinds.get(value.args[0].id)
        item = k.as_num(kind.item or k.ANY) if isinstance(kind, k.Lst) else None
        place = k.as_num(self.facts.of(value.args[1]) or k.ANY)
        whole = isinstance(item, k.Lst) or isinstance(item, k.Num) and item.boxed and bool(item.dims)
        return value if whole and isinstance(place, k.Num) and place.is_scalar else None

    def block(self, block: list) -> None:
        waiting: dict[str, Any] = {}                        # name -> the assignment of an item to it
        for s in list(block):
            for inner in t.inner_blocks(s) if not is_stop(s) else ():
                self.block(inner)
            adds = self.adds(s)
            item = adds.args[2] if adds is not None else None
            if isinstance(item, gast.Name) and item.id in waiting and self.counts[item.id] == 2:
                made = waiting.pop(item.id)
                block.remove(made)
                self.put(s, made.value)
            elif self.is_item(item):
                self.put(s, item)
            changed = {n for x in t.statements([s]) for n in t.writes(x)} | {
                found[0] for x in t.statements([s]) for found in [t.list_method(x)] if found}
            waiting = {n: x for n, x in waiting.items() if n not in changed and not changed & set(t.reads(x.value))}
            if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and self.is_item(s.value) and pure(s.value, self.unit):
                waiting[s.targets[0].id] = s

    def put(self, s: gast.Assign, item: gast.Call) -> None:
        zeros, index, value = item.args
        self.changed = True
        base, key = s.value.args[:2]
        if self.is_call(s.value, runtime.entry_add):
            s.value = t.call(self.unit.use(runtime.entry_add_at, "entry_add_at"), base, key, index, value, *zeros.args)
            return
        first = t.subscript(t.load(self.unit.use(runtime.at, "at")), key)
        root = place_root(index)
        if isinstance(root, gast.Name) and root is not index and self.unit.lookup(root) is runtime.at:
            path = _At(root, first).visit(index)
        else:
            path = t.subscript(first, plain_index(index))
        s.value = t.call(s.value.func, base, path, value)


class _At(gast.NodeTransformer):
    def __init__(self, root: Any, first: Any) -> None:
        self.root, self.first = root, first

    def visit_Name(self, node: gast.Name) -> Any:
        return t.clone(self.first) if node.id == self.root.id else node
