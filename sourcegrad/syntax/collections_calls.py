"""collections: a deque that stays in its function is a list; others, and ChainMaps, are objects of plain-Python classes.

What is made in generated code may be of another class than in the function itself: questions about the class are answered so, or
refused. (What a defaultdict does is known by its kind: `lowering.dicts`.)
"""
from __future__ import annotations

import collections
import types
from typing import Any

import gast
import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.tree import hashable
from sourcegrad.ir.unit import Unit
from sourcegrad.runtime.library import ChainMap, Deque


def makes_deques(function: Any) -> bool:
    """Whether a call of a function or class may make a deque, which generated code keeps as a list."""
    seen: set[int] = set()
    waiting = [function]
    while waiting:
        found = waiting.pop()
        if id(found) in seen:
            continue
        seen.add(id(found))
        if isinstance(found, type) and found.__module__ != "builtins":
            waiting += [m for cls in found.__mro__ for m in vars(cls).values() if isinstance(m, types.FunctionType)]
        elif isinstance(found, types.FunctionType):
            names = set(found.__code__.co_names)
            if "deque" in names:
                return True
            waiting += [found.__globals__[name] for name in names if name in found.__globals__]
    return False


METHODS = {"append", "appendleft", "clear", "copy", "count", "extend", "extendleft", "index", "pop", "popleft", "remove",
           "reverse", "rotate"}
READERS = {len, sum, min, max, any, all, sorted, list, tuple, enumerate, zip, reversed, iter, set, frozenset, map, filter}
AS_DICTS = {collections.OrderedDict, collections.Counter}     # in generated code
OBJECTS = {collections.deque: Deque, collections.ChainMap: ChainMap}


class Collections(gast.NodeTransformer):
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.sizes: dict[str, str] = {}                  # name of a deque -> name of its largest length
        self.origin: Any = None
        bound: dict[str, list] = {}
        for node in t.walk(unit.tree):
            for target in getattr(node, "targets", None) or [getattr(node, "target", None)]:
                for name in t.target_names(target) if target is not None else ():
                    single = isinstance(node, gast.Assign) and len(node.targets) == 1 and isinstance(target, gast.Name)
                    bound.setdefault(name, []).append(node.value if single else None)
        self.deques = {n for n, values in bound.items() if n not in unit.parameters
                       and all(self.is_call(v, collections.deque) for v in values) and self.is_local(n)}
        self.bounded = {n for n in self.deques if any(self.size_of(v) for v in bound[n])}
        for name in [n for n in self.bounded if not self.one_size([self.size_of(v) for v in bound[n]])]:
            self.deques.discard(name)
            self.bounded.discard(name)

        self.mixed = any(self.is_call(n, c) for n in t.walk(unit.tree) for c in AS_DICTS)
        self.ordered = {n for n, values in bound.items() if any(self.is_call(v, collections.OrderedDict) for v in values)}

    def is_call(self, node: Any, function: Any) -> bool:
        return isinstance(node, gast.Call) and self.unit.lookup(node.func) is function

    def size_of(self, node: gast.Call) -> Any:
        size = node.args[1] if len(node.args) > 1 else next((kw.value for kw in node.keywords if kw.arg == "maxlen"), None)
        return None if isinstance(size, gast.Constant) and size.value is None else size

    def visit_Call(self, node: gast.Call) -> Any:
        node = self.generic_visit(node)
        if t.is_name(node.func, "isinstance") and len(node.args) == 2:
            node.args[1] = self.classes(node)
        if self.is_call(node, collections.ChainMap):
            node.func = gast.copy_location(t.load(self.unit.use(ChainMap, "ChainMap")), node.func)
        if self.is_call(node, collections.deque):
            items = node.args[0] if node.args else gast.List(elts=[], ctx=t.LOAD)
            if not self.allowed:
                size = self.size_of(node) or t.const(None)
                return gast.copy_location(t.call(self.unit.use(Deque, "Deque"), items, size), node)
            return t.call(self.unit.use(list, "list"), items) if node.args else items
        return node

    # --- questions about the class: in generated code it may be another one

    def visit_Compare(self, node: gast.Compare) -> Any:
        sides = (node.left, *node.comparators)
        if any(hashable(c := self.unit.lookup(x)) and c in (*OBJECTS, *AS_DICTS) for x in sides) or (
                self.mixed and any(self.is_type(x) for x in sides)):
            raise UnsupportedError("a comparison of the class of a collection", source.locate(node, self.origin),
                                   "Write isinstance(x, dict) or isinstance(x, deque).")
        equality = any(isinstance(op, (gast.Eq, gast.NotEq)) for op in node.ops)
        if equality and any(t.is_name(x) and x.id in self.ordered for x in sides):
            raise UnsupportedError("a comparison of an OrderedDict", source.locate(node, self.origin),
                                   "Compare list(x.items()).")
        return self.generic_visit(node)

    def is_type(self, node: Any) -> bool:
        return isinstance(node, gast.Call) and t.is_name(node.func, "type") or (
            isinstance(node, gast.Attribute) and node.attr == "__class__")

    def classes(self, node: gast.Call) -> Any:
        """What isinstance is given: what is made in generated code is of a class of its own."""
        given = node.args[1].elts if isinstance(node.args[1], gast.Tuple) else [node.args[1]]
        found = [c for c in map(self.unit.lookup, given) if hashable(c)]
        if any(c in AS_DICTS for c in found) and dict not in found:
            raise UnsupportedError("whether something is a dict of a special class", source.locate(node, self.origin),
                                   "Write isinstance(x, dict).")
        own = [cls for known, cls in OBJECTS.items() if known in found]
        return t.pack([*given, *(t.load(self.unit.use(cls, cls.__name__)) for cls in own)]) if own else node.args[1]

    allowed = False

    # --- statements

    def statement(self, s: Any) -> list:
        origin = t.origin_of(s)
        self.origin = origin or self.origin
        name = s.targets[0].id if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) else ""
        self.allowed = name in self.deques
        if name in self.bounded:
            return self.new_deque(s, name, origin)
        if isinstance(s, gast.Expr) and isinstance(s.value, gast.Call) and isinstance(s.value.func, gast.Attribute) and isinstance(
                s.value.func.value, gast.Name) and s.value.func.value.id in self.bounded:
            return self.deque_method(s, s.value, origin)
        for field, value in list(gast.iter_fields(s)):
            if field in t.BLOCKS and isinstance(value, list):
                continue
            if isinstance(value, list):
                setattr(s, field, [self.visit(v) if isinstance(v, gast.AST) else v for v in value])
            elif isinstance(value, gast.AST):
                setattr(s, field, self.visit(value))
        return [s]

    # --- deques of limited length

    def new_deque(self, s: gast.Assign, name: str, origin: Any) -> list:
        size = self.size_of(s.value)
        if isinstance(size, gast.Constant) and not size.value:
            raise UnsupportedError("a deque that holds nothing", origin, "Leave it out.")
        limit = self.sizes.setdefault(name, self.unit.names.fresh(f"{name}_size"))
        value: Any = gast.List(elts=[], ctx=t.LOAD)
        if s.value.args:
            items = t.call(self.unit.use(list, "list"), self.visit(s.value.args[0]))
            value = t.subscript(items, gast.Slice(lower=gast.UnaryOp(op=gast.USub(), operand=t.load(limit)), upper=None, step=None))
        return [t.assign(limit, self.visit(size), origin), t.assign(name, value, origin)]

    def one_size(self, sizes: list) -> bool:
        """Whether what a name is bound to has always one largest length."""
        args = self.unit.function.tree.args
        defaults = zip(args.args[::-1], args.defaults[::-1])
        optional = {p.id for p, default in defaults if isinstance(default, gast.Constant) and default.value is None}
        return None not in sizes and (len(sizes) == 1 or all(isinstance(size, gast.Constant) for size in sizes)) and not any(
            t.is_name(size) and size.id in optional for size in sizes)

    def is_local(self, name: str) -> bool:
        """Whether nobody else changes a deque: it is only indexed, iterated over, and given to functions that read it."""
        parent = {id(child): node for node in t.walk(self.unit.tree) for child in gast.iter_child_nodes(node)}
        for node in t.walk(self.unit.tree):
            if not (isinstance(node, gast.Name) and node.id == name and isinstance(node.ctx, gast.Load)):
                continue
            user = parent[id(node)]
            reads = isinstance(user, (gast.Subscript, gast.For, gast.comprehension, gast.Starred)) or isinstance(
                user, gast.Attribute) and user.attr in METHODS or isinstance(user, gast.Compare) and all(
                isinstance(op, (gast.In, gast.NotIn)) for op in user.ops) or (
                isinstance(user, (gast.If, gast.While, gast.IfExp)) and user.test is node) or (
                isinstance(user, gast.UnaryOp) and isinstance(user.op, gast.Not))
            if isinstance(user, gast.Call):
                known = self.unit.lookup(user.func)
                import builtins
                if isinstance(user.func, gast.Name) and user.func.id not in self.unit.env:
                    known = getattr(builtins, user.func.id, None)
                reads = known in READERS if isinstance(known, (types.BuiltinFunctionType, type)) else isinstance(
                    known, np.ufunc) or (getattr(known, "__module__", None) or "").startswith("numpy")
            if not reads:
                return False
        return True

    def deque_method(self, s: gast.Expr, call: gast.Call, origin: Any) -> list:
        """After q.append(v) the first item goes if there are too many."""
        name, method = call.func.value.id, call.func.attr
        limit = self.sizes.get(name)
        call.args = [self.visit(a) for a in call.args]
        if limit is None or method not in ("append", "appendleft", "extend", "extendleft"):
            return [s]
        if method.startswith("extend"):
            item = self.unit.names.fresh("item")
            one = t.call(t.attribute(t.load(name), method.replace("extend", "append")), t.load(item))
            inner = t.effect(gast.copy_location(one, call), origin)
            body = self.deque_method(inner, inner.value, origin)
            return [t.at(gast.For(target=t.store(item), iter=call.args[0], body=body, orelse=[], type_comment=None), origin)]
        full = gast.Compare(left=t.call(self.unit.use(len, "len"), t.load(name)), ops=[gast.Gt()], comparators=[t.load(limit)])
        drop = t.call(t.attribute(t.load(name), "__delitem__"), t.const(0 if method == "append" else -1))
        return [s, t.if_(full, [t.effect(drop, origin)], [], origin)]


def collections_calls(unit: Unit) -> Unit:
    """Write deques as lists or objects, and ChainMaps as objects."""
    if any(value in (collections, *OBJECTS, *AS_DICTS) for value in unit.env.values()
           if isinstance(value, (type, types.ModuleType))):
        state = Collections(unit)
        unit.tree.body = t.rewritten(unit.tree.body, state.statement)
    return unit
