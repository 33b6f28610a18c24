"""Iterators that are kept in a variable: `plan = iter(xs)` is an object with a position, `next(plan)` a method of it."""
from __future__ import annotations

import itertools
import types
from typing import Any

import gast

from sourcegrad import runtime, source, tree as t
from sourcegrad.errors import SourceError, UnsupportedError
from sourcegrad.frontend import markers
from sourcegrad.frontend.resolve import MISSING, Function, Unit, describe
from sourcegrad.frontend.transparent import transparent

AT_ONCE = ("zip", "enumerate", "map", "filter", "list", "tuple", "sum", "max", "min", "sorted", "set")
WHOLE = (list, tuple, sum, max, min, sorted, set)          # they read all that is left


def kept(unit: Unit) -> Unit:
    """Write `iter`, `next` and loops over iterators out."""
    _generators(unit)
    names = _names(unit)
    if any(_calls(unit, node, iter) or _calls(unit, node, next) for node in t.walk(unit.tree)):
        unit.tree.body = t.rewritten(unit.tree.body, _Kept(unit, names).statement)
    return unit


def _generators(unit: Unit) -> None:
    """`source = powers(x)` of a generator function is `source = iter(powers(x))` where `next(source)` reads it."""
    read = {n.args[0].id for n in t.walk(unit.tree) if isinstance(n, gast.Call) and n.args and t.is_name(n.args[0])
            and _calls(unit, n, next)}
    for node in t.walk(unit.tree) if read else ():
        if isinstance(node, gast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], gast.Name) and (
                node.targets[0].id in read and _ends(unit, node.value)):
            node.value = gast.copy_location(t.call(unit.use(iter, "iter"), node.value), node.value)


def _ends(unit: Unit, value: Any) -> bool:
    """Whether a value is a call of a generator function without a loop that never ends."""
    function = unit.lookup(value.func) if isinstance(value, gast.Call) else None
    if not isinstance(function, (types.FunctionType, Function)):
        return False
    try:
        described = describe(transparent(function))
    except SourceError:
        return False
    return described.generator and not any(isinstance(n, gast.While) and isinstance(n.test, gast.Constant)
                                           for n in t.walk(described.tree))


def _is_endless(unit: Unit, call: gast.Call) -> bool:
    function = unit.lookup(call.func)
    return function is itertools.count or function is itertools.cycle


def _calls(unit: Unit, node: Any, function: Any) -> bool:
    if not isinstance(node, gast.Call) or node.keywords:
        return False
    found = unit.lookup(node.func)
    if found is MISSING and isinstance(node.func, gast.Name) and node.func.id not in unit.parameters:
        import builtins
        found = getattr(builtins, node.func.id, None) if node.func.id in ("iter", "next") else None
    return found is function


def _names(unit: Unit) -> set[str]:
    """Names that only ever hold an iterator."""
    bound: dict[str, list] = {}
    for node in t.walk(unit.tree):
        targets = [*getattr(node, "targets", []), *([node.target] if hasattr(node, "target") else [])]
        for target in targets:
            for name in t.target_names(target):
                single = isinstance(node, gast.Assign) and len(node.targets) == 1 and isinstance(target, gast.Name)
                bound.setdefault(name, []).append(node.value if single else None)
        if isinstance(node, (gast.FunctionDef, gast.Lambda)) and node is not unit.tree:
            for p in t.walk(node.args):
                if isinstance(p, gast.Name):
                    bound.setdefault(p.id, []).append(None)
    return {name for name, values in bound.items() if name not in unit.parameters
            and all(v is not None and _calls(unit, v, iter) and len(v.args) == 1 for v in values)}


class _Kept(gast.NodeTransformer):
    def __init__(self, unit: Unit, names: set[str]) -> None:
        self.unit, self.names = unit, names
        self.origin: Any = None

    def is_kept(self, node: Any) -> bool:
        return isinstance(node, gast.Name) and node.id in self.names

    def statement(self, s: Any) -> list:
        self.origin = t.origin_of(s) or self.origin
        if isinstance(s, gast.Assign):
            self.endless(s)
        return [self.unless_exhausted(self.with_calls(s))]

    def endless(self, s: gast.Assign) -> None:
        """`ticks = count(1)` and `signs = cycle([1.0, -1.0])` are objects, too, where only `next` reads them."""
        call: Any = s.value
        if not isinstance(call, gast.Call) or not _is_endless(self.unit, call) or not all(map(self.only_counted, s.targets)):
            return
        if self.unit.lookup(call.func) is itertools.count and len(call.args) + len(call.keywords) <= 2:
            call.func = gast.copy_location(t.load(self.unit.use(runtime.Counting, "Counting")), call.func)
        elif len(call.args) == 1 and isinstance(call.args[0], (gast.List, gast.Tuple)) and call.args[0].elts:   # nobody changes it
            call.func = gast.copy_location(t.load(self.unit.use(runtime.Cycling, "Cycling")), call.func)

    def only_counted(self, target: Any) -> bool:
        """Whether it is a name that nothing but `next` reads."""
        nodes = list(t.walk(self.unit.tree))
        counted = {id(n.args[0]) for n in nodes if _calls(self.unit, n, next) and len(n.args) == 1} | {
            id(n.func.value) for n in nodes if isinstance(n, gast.Call) and isinstance(n.func, gast.Attribute)
            and n.func.attr == "__next__"}
        return isinstance(target, gast.Name) and all(
            id(n) in counted for n in nodes if t.is_name(n, target.id) and not isinstance(n.ctx, gast.Store))

    def unless_exhausted(self, s: Any) -> Any:
        """`try: x = next(it)` with a handler of StopIteration asks whether there is more."""
        if not markers.is_attempt(s):
            return s
        path, error, exceptions = markers.parts(s)
        value = getattr(s.body[0], "value", None)
        if len(exceptions) != 1 or not t.is_name(exceptions[0], "StopIteration") or not isinstance(value, gast.Call) or not (
                isinstance(value.func, gast.Attribute)) or value.func.attr != "__next__" or not self.is_kept(value.func.value):
            return s
        if any(isinstance(n, gast.Call) for x in s.body[1:] for n in t.walk(x)) or any(
                t.is_name(n, error) for x in s.orelse for n in t.walk(x)):
            return s
        origin = t.origin_of(s)
        test = t.call(t.attribute(t.clone(value.func.value), "more"))
        return t.if_(test, s.body, [t.assign(path, t.const(1), origin), *s.orelse], origin)

    def with_calls(self, s: Any) -> Any:
        if isinstance(s, gast.For) and self.is_kept(s.iter):
            taken = gast.copy_location(t.call(t.attribute(t.clone(s.iter), "__next__")), s.iter)
            first = t.at(gast.Assign(targets=[s.target], value=taken, type_comment=None), t.origin_of(s))
            loop = gast.While(test=t.call(t.attribute(s.iter, "more")), body=[first, *s.body], orelse=s.orelse)
            return t.at(gast.copy_location(loop, s), t.origin_of(s))
        for name, value in gast.iter_fields(s):
            if name in t.BLOCKS and isinstance(value, list):
                continue
            if isinstance(s, gast.For) and name == "iter" and _calls(self.unit, value, iter):
                value.args = [self.visit(a) for a in value.args]
            elif isinstance(value, gast.AST):
                setattr(s, name, self.visit(value))
            elif isinstance(value, list):
                setattr(s, name, [self.visit(v) if isinstance(v, gast.AST) else v for v in value])
        return s

    def plain(self, node: Any) -> Any:
        """The sequence of an iterator that is read at once."""
        fresh = _calls(self.unit, node, iter) and len(node.args) == 1 and not self.is_kept(node.args[0])
        return node.args[0] if fresh else node

    def visit_comprehension(self, node: gast.comprehension) -> Any:
        node.iter = self.plain(node.iter)
        return self.generic_visit(node)

    def visit_Call(self, node: gast.Call) -> Any:
        if isinstance(node.func, gast.Name) and node.func.id in AT_ONCE and node.func.id not in self.names:
            node.args = [self.plain(a) for a in node.args]
        if _calls(self.unit, node, next) and node.args:
            return self.next_of(node)
        if _calls(self.unit, node, iter) and len(node.args) == 1:
            if self.is_kept(node.args[0]):
                return node.args[0]
            cls = t.load(self.unit.use(runtime.Kept, "Kept"))
            items = t.call(self.unit.use(runtime.sequence, "sequence"), self.visit(node.args[0]))
            return gast.copy_location(t.call(cls, items), node)
        if len(node.args) == 1 and self.is_kept(node.args[0]) and isinstance(node.func, gast.Name) and any(
                f.__name__ == node.func.id for f in WHOLE):
            node.args = [self.rest(node.args[0])]
            return node
        return self.generic_visit(node)

    def next_of(self, node: gast.Call) -> Any:
        first = node.args[0]
        if isinstance(first, (gast.Call, gast.GeneratorExp)):
            if isinstance(first, gast.Call):
                first.args = [self.visit(a) for a in first.args]
            else:
                node.args[0] = self.visit(first)
            node.args[1:] = [self.visit(a) for a in node.args[1:]]
            return node                                     # next(iter(xs)): `iterators` knows it
        if len(node.args) == 1:
            return gast.copy_location(t.call(t.attribute(first, "__next__")), node)
        if not self.is_kept(first):
            raise UnsupportedError("`next` with a default, of an iterator that is made elsewhere",
                                   source.locate(node, self.origin), "Loop over the iterator.")
        return gast.copy_location(t.call(t.attribute(first, "taken_or"), self.visit(node.args[1])), node)

    def rest(self, node: Any) -> Any:
        return gast.copy_location(t.call(t.attribute(node, "rest")), node)

    def visit_ListComp(self, node: Any) -> Any:
        inside = {n.id for part in ([node.elt] if hasattr(node, "elt") else [node.key, node.value]) for n in t.walk(part)
                  if isinstance(n, gast.Name)} | {n.id for g in node.generators[1:] for n in t.walk(g) if isinstance(n, gast.Name)}
        first = node.generators[0].iter
        if self.is_kept(first):
            if first.id in inside:
                raise UnsupportedError(f"a comprehension over the iterator '{first.id}' that reads it, too",
                                       source.locate(node, self.origin), "Write a loop.")
            node.generators[0].iter = self.rest(first)
        elif _calls(self.unit, first, iter):
            first.args = [self.visit(a) for a in first.args]
        else:
            node.generators[0].iter = self.visit(first)
        return self.generic_visit_but_first(node)

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def generic_visit_but_first(self, node: Any) -> Any:
        held = node.generators[0].iter
        node.generators[0].iter = t.const(None)
        self.generic_visit(node)
        node.generators[0].iter = held
        return node

    def visit_Name(self, node: gast.Name) -> Any:
        return node
