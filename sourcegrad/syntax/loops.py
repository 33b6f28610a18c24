"""Counted loops: `for` over anything becomes `for` over a range and an element access, which can be run backwards.

Loops whose number of iterations is not known beforehand count them: `while`, and `for` with exits.
"""
from __future__ import annotations

import itertools
from typing import Any

import gast

from sourcegrad import runtime
from sourcegrad.errors import Origin, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.tree import hashable, is_stop
from sourcegrad.ir.unit import Unit


def is_range(node: Any, unit: Unit) -> bool:
    """Whether an expression certainly gives a range object."""
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and not node.keywords:
        if node.func.id == "range":
            return True
        return node.func.id == "reversed" and is_range(node.args[0], unit)
    return isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Slice) and is_range(node.value, unit)


def as_range(node: Any) -> Any:
    """`reversed(r)` of a range is the range `r[::-1]`, which can be reversed again."""
    if isinstance(node, gast.Call) and node.func.id == "reversed":
        backwards = gast.Slice(lower=None, upper=None, step=t.const(-1))
        return t.subscript(as_range(node.args[0]), backwards)
    return node


class Access:
    """How to get the elements of the iterable of one loop by position."""

    def __init__(self, unit: Unit, origin: Origin | None, body: list) -> None:
        self.unit, self.origin, self.body = unit, origin, body
        self.keys: list[str] = []                         # targets of the loop
        self.setup: list = []
        self.lengths: list[gast.expr] = []
        self.sequences: list[str] = []                    # of each length the name of what it is the length of
        self.index = ""

    def element(self, node: Any) -> gast.expr:
        """Expression of the element at `self.index`; collects set-up statements and lengths."""
        name = node.func.id if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) else ""
        endless = self.endless(node)
        if endless is not None:
            return endless
        if name == "zip" and not any(isinstance(a, gast.Starred) for a in node.args) and all(
                kw.arg == "strict" and isinstance(kw.value, gast.Constant) for kw in node.keywords):
            before = len(self.lengths)
            parts = t.pack([self.element(part) for part in node.args])
            if any(kw.value.value for kw in node.keywords) and len(self.lengths) - before > 1:
                sequences = [t.load(name) for name in self.sequences[before:]]
                same = t.call(self.unit.use(runtime.same_lengths, "same_lengths"), *sequences)
                self.lengths[before:] = [t.load(self._keep_name(same, "size"))]
                self.sequences[before:] = self.sequences[before:before + 1]
            return parts
        if name == "enumerate":
            start = node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords), None)
            count: gast.expr = t.load(self.index)
            if start is not None:
                count = t.binop(self._keep(start, "start"), gast.Add(), count)
            return t.pack([count, self.element(node.args[0])])
        if name == "reversed" and not is_range(node, self.unit):
            sequence = self._sequence(node.args[0])
            self.lengths[-1] = self._keep(self.lengths[-1], "count")             # the loop begins at the end that there is now
            last = t.binop(t.clone(self.lengths[-1]), gast.Sub(), t.const(1))
            return t.subscript(t.load(sequence), t.binop(last, gast.Sub(), t.load(self.index)))
        return t.subscript(t.load(self._sequence(node)), t.load(self.index))

    def _check_dict(self, node: Any) -> None:
        """Items and values are read when the loop starts: an entry must not change before its turn."""
        view = isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and isinstance(
            node.func.value, gast.Name) and node.func.attr in ("items", "values", "keys")
        for s in t.statements(self.body) if view else ():
            name = node.func.value.id
            stored = isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) and self.unit.lookup(s.value.func) in (
                runtime.index_store, runtime.index_update) and t.is_name(s.value.args[0], name)
            own = stored and node.func.attr == "items" and any(t.same(s.value.args[1].slice, t.load(n)) for n in self.keys
                                                               if isinstance(s.value.args[1], gast.Subscript))
            if (stored and not own and node.func.attr != "keys") or (_changing(s) or ("", ""))[0] == name:
                raise UnsupportedError(f"the dict '{name}' changes while its {node.func.attr} are iterated over",
                                       t.origin_of(s), f"Iterate over a copy: `list({name}.{node.func.attr}())`.")

    def endless(self, node: Any) -> gast.expr | None:
        """The element of itertools.count, cycle and repeat, which have no length."""
        function = self.unit.lookup(node.func) if isinstance(node, gast.Call) else None
        if function not in (itertools.count, itertools.cycle, itertools.repeat) if hashable(function) else True:
            return None
        if function is itertools.repeat:
            if len(node.args) > 1:
                return None
            return self._keep(node.args[0], "repeated")
        if function is itertools.cycle:
            name = self._keep_name(t.call(self.unit.use(runtime.sequence, "sequence"), node.args[0]), "items")
            turn = t.binop(t.load(self.index), gast.Mod(), t.call("len", t.load(name)))
            return t.subscript(t.load(name), turn)
        options = {kw.arg: kw.value for kw in node.keywords}
        start = node.args[0] if node.args else options.get("start")
        step = node.args[1] if len(node.args) > 1 else options.get("step")
        value: gast.expr = t.load(self.index)
        if step is not None:
            value = t.binop(self._keep(step, "step"), gast.Mult(), value)
        return value if start is None else t.binop(self._keep(start, "start"), gast.Add(), value)

    def _keep_name(self, node: Any, base: str) -> str:
        name = self.unit.names.fresh(base)
        self.setup.append(t.assign(name, node, self.origin))
        return name

    def _keep(self, node: Any, base: str) -> gast.expr:
        if isinstance(node, gast.Constant):
            return node
        name = self.unit.names.fresh(base)
        self.setup.append(t.assign(name, node, self.origin))
        return t.load(name)

    def _sequence(self, node: Any) -> str:
        base = node.id if isinstance(node, gast.Name) else "items"
        self._check_dict(node)
        for statement in t.statements(self.body):
            found = t.list_method(statement) or _changing(statement)
            if found and t.is_name(node, found[0]):
                raise UnsupportedError(f"the list '{base}' changes while it is iterated over",
                                       t.origin_of(statement), f"Iterate over a copy: `for ... in list({base})`.")
        name = self.unit.names.fresh(base)
        value = as_range(node) if is_range(node, self.unit) else t.call(
            self.unit.use(runtime.sequence, "sequence"), node)
        self.setup.append(t.assign(name, value, self.origin))
        self.lengths.append(t.call("len", t.load(name)))
        self.sequences.append(name)
        return name


CHANGING = {"insert", "extend", "remove", "clear", "sort", "reverse", "pop", "popleft", "appendleft", "update", "setdefault",
            "add", "discard", "popitem", "__delitem__"}


def _changing(s: Any) -> tuple[str, str] | None:
    """(name, method) of a call in a statement that changes the container of that name."""
    for node in t.walk(s.value) if isinstance(s, (gast.Expr, gast.Assign)) else ():
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr in CHANGING and isinstance(
                node.func.value, gast.Name):
            return node.func.value.id, node.func.attr
    return None


def indexed(loop: gast.For, unit: Unit) -> list:
    """The statements for one `for` loop: set-up, then a `for` over a range with a single name as target."""
    origin = t.origin_of(loop)
    if is_range(loop.iter, unit):
        loop.iter = as_range(loop.iter)
        rebound = isinstance(loop.target, gast.Name) and any(
            loop.target.id in t.writes(s) for s in t.statements(loop.body))
        if isinstance(loop.target, gast.Name) and not rebound:
            return [loop]
        index = unit.names.fresh("k")
        first = t.assign(loop.target, t.load(index), origin)
        loop.target, loop.body = t.store(index), [first, *loop.body]
        return [loop]
    if isinstance(loop.iter, gast.Call) and isinstance(loop.iter.func, gast.Name) and loop.iter.func.id == "iter":
        raise UnsupportedError("iterating over `iter(...)`", source.locate(loop.iter, origin), "Iterate over the sequence.")
    access = Access(unit, origin, loop.body)
    access.index = _index_name(loop, unit)
    access.keys = [n for n in t.target_names(loop.target)][:1]
    element = access.element(loop.iter)
    if not access.lengths:
        raise UnsupportedError("a loop over an iterator without an end", source.locate(loop.iter, origin),
                               "Write `while True:` with a counter.")
    length = access.lengths[0] if len(access.lengths) == 1 else t.call("min", *access.lengths)
    target, value = loop.target, element
    first = []
    if isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple) and len(target.elts) == len(value.elts):
        first = [t.assign(one, expr, origin) for one, expr in zip(target.elts, value.elts)
                 if not (isinstance(one, gast.Name) and t.is_name(expr, one.id))]
    else:
        first = [t.assign(target, value, origin)]
    new = t.for_(access.index, t.call("range", length), [*first, *loop.body], origin)
    return [*access.setup, new]


def _index_name(loop: gast.For, unit: Unit) -> str:
    """The user's own counter of `enumerate` where there is one, else a fresh name."""
    node, target = loop.iter, loop.target
    if (isinstance(node, gast.Call) and t.is_name(node.func, "enumerate") and len(node.args) == 1
            and not node.keywords and isinstance(target, gast.Tuple) and isinstance(target.elts[0], gast.Name)):
        name = target.elts[0].id
        if not any(name in t.writes(s) for s in t.statements(loop.body)):
            return str(name)
    return unit.names.fresh("k")


def trip_counts(unit: Unit) -> Unit:
    """Put `trips = trips + 1` first into such loops and `trips = 0` before them."""
    unit.tree.body = _block(unit.tree.body, unit)
    return unit


def _block(block: list, unit: Unit) -> list:
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, _block, unit)
        if unit.function.counter and isinstance(s, gast.While) and unit.function.counter in t.writes(s.body[0]):
            unit.counters.add(unit.function.counter)
        elif isinstance(s, gast.While) or (isinstance(s, gast.For) and s.body and is_stop(s.body[-1])):
            name = unit.names.fresh("trips")
            unit.counters.add(name)
            origin = t.origin_of(s)
            result.append(t.assign(name, t.const(0), origin))
            one_more = t.binop(t.load(name), gast.Add(), t.const(1))
            s.body.insert(0, t.assign(name, one_more, origin))
        result.append(s)
    return result
