"""collections: defaultdict, ChainMap and deque as dicts and lists.

collections.defaultdict, ChainMap and deque as dicts and lists: `g[k]` of a defaultdict is `g.setdefault(k, new value)`.

What a name is, is known where it is bound only to such calls; anywhere else they are refused later.
"""
from __future__ import annotations

import collections
import functools
import sys
import types
from typing import Any

import gast
import numpy as np

from sourcegrad.errors import SourcegradError, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import hashable
from sourcegrad.ir.unit import Function, Unit
from sourcegrad.parse.resolve import describe
from sourcegrad.runtime.library import Deque

# --- Attributes that are defaultdicts wherever a class sets them: `self.links = defaultdict(list)`.
#
# Methods of the class then read a missing item as its code says; other code finds a dict, and Python's KeyError.
# And which functions make deques: generated code calls them in its own form, where a deque is a list.

MAKERS = (list, dict, float, int, tuple)


def owner_of(function: Function) -> type | None:
    """The class that a function is a method of, found by its qualified name."""
    path = getattr(function.object, "__qualname__", "").split(".")
    found: Any = sys.modules.get(getattr(function.object, "__module__", None) or "")
    for name in path[:-1]:
        found = getattr(found, name, None)
    if len(path) < 2 or not isinstance(found, type):
        return None
    return found if vars(found).get(path[-1]) is function.object else None


def default_items(function: Function) -> dict[str, Any]:
    """Attribute -> what makes its missing items, for the object that the function is a method of."""
    owner = owner_of(function)
    return {} if owner is None else dict(_known(owner, tuple(m.__code__ for m in _methods(owner))))


@functools.lru_cache(maxsize=512)
def _known(owner: type, code: tuple) -> tuple[tuple[str, Any], ...]:
    found: dict[str, Any] = {}
    for method in _methods(owner):
        if "defaultdict" in method.__code__.co_names:
            _collect(method, found)
    for method in _methods(owner) if found else ():          # stored otherwise anywhere: not known
        _check(method, found)
    return tuple(found.items())


def _methods(owner: type) -> list[types.FunctionType]:
    """The methods of a class, of those that it inherits from, and of those that inherit from it."""
    classes: list[Any] = [*owner.__mro__, *owner.__subclasses__()]
    classes += [below for cls in classes[len(owner.__mro__):] for below in cls.__subclasses__()]
    return [m for cls in classes for m in vars(cls).values() if isinstance(m, types.FunctionType)]


def _stores(method: types.FunctionType) -> list[tuple[str, Any, Function]]:
    try:
        function = describe(method)
    except SourcegradError:
        return []
    receiver = function.parameters[:1]
    stores = []
    for node in t.walk(function.tree):
        for target in getattr(node, "targets", None) or [getattr(node, "target", None)]:
            if isinstance(target, gast.Attribute) and isinstance(target.value, gast.Name) and [target.value.id] == receiver:
                stores.append((target.attr, node.value if isinstance(node, (gast.Assign, gast.AnnAssign)) else None, function))
    return stores


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


def _maker(value: Any, function: Function) -> Any:
    """What a call of defaultdict is given, if it is one of the ordinary types."""
    if not isinstance(value, gast.Call) or len(value.args) != 1 or value.keywords or not isinstance(value.args[0], gast.Name):
        return None
    callee = value.func
    called = function.scope.lookup(callee.id) if isinstance(callee, gast.Name) else None
    if isinstance(callee, gast.Attribute) and isinstance(callee.value, gast.Name):
        called = getattr(function.scope.lookup(callee.value.id), callee.attr, None)
    maker = function.scope.lookup(value.args[0].id)
    return maker if called is collections.defaultdict and maker in MAKERS else None


def _collect(method: types.FunctionType, found: dict[str, Any]) -> None:
    for name, value, function in _stores(method):
        maker = _maker(value, function)
        if maker is not None:
            found.setdefault(name, maker)


def _check(method: types.FunctionType, found: dict[str, Any]) -> None:
    for name, value, function in _stores(method):
        if name in found and _maker(value, function) is not found[name]:
            del found[name]


METHODS = {"append", "appendleft", "clear", "copy", "count", "extend", "extendleft", "index", "pop", "popleft", "remove",
           "reverse", "rotate"}
READERS = {len, sum, min, max, any, all, sorted, list, tuple, enumerate, zip, reversed, iter, set, frozenset, map, filter}
AS_DICTS = {collections.defaultdict, collections.OrderedDict, collections.Counter}     # in generated code
NEW: dict[Any, Any] = {list: lambda: gast.List(elts=[], ctx=t.LOAD), dict: lambda: gast.Dict(keys=[], values=[]),
                       float: lambda: t.const(0.0), int: lambda: t.const(0), tuple: lambda: t.pack([])}


class Collections(gast.NodeTransformer):
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.factories: dict[str, Any] = {}              # name -> what makes a missing item
        self.makers: dict[str, str] = {}                 # name -> name of what makes one, where that is computed
        self.sizes: dict[str, str] = {}                  # name of a deque -> name of its largest length
        self.origin: Any = None
        self.attributes = default_items(unit.function)   # those of self
        self.receiver = unit.function.receiver or next(iter(unit.parameters), None)
        bound: dict[str, list] = {}
        for node in t.walk(unit.tree):
            for target in getattr(node, "targets", None) or [getattr(node, "target", None)]:
                for name in t.target_names(target) if target is not None else ():
                    single = isinstance(node, gast.Assign) and len(node.targets) == 1 and isinstance(target, gast.Name)
                    bound.setdefault(name, []).append(node.value if single else None)
        for name, values in bound.items():
            if name in unit.parameters or not all(self.is_call(v, collections.defaultdict) for v in values):
                continue
            factories = [v.args[0] if v.args else t.const(None) for v in values]
            if all(t.same(f, factories[0]) for f in factories):
                self.factories[name] = factories[0]
                if not isinstance(factories[0], (gast.Constant, gast.Lambda)) and unit.lookup(factories[0]) is MISSING and not (
                        isinstance(factories[0], gast.Name) and factories[0].id not in bound):
                    self.makers[name] = unit.names.fresh("factory")
                    self.factories[name] = t.load(self.makers[name])
        self.deques = {n for n, values in bound.items() if n not in unit.parameters
                       and all(self.is_call(v, collections.deque) for v in values) and self.is_local(n)}
        self.bounded = {n for n in self.deques if any(self.size_of(v) for v in bound[n])}
        for name in [n for n in self.bounded if not self.one_size([self.size_of(v) for v in bound[n]])]:
            self.deques.discard(name)
            self.bounded.discard(name)

        self.mixed = any(self.is_call(n, c) for n in t.walk(unit.tree) for c in AS_DICTS)
        self.ordered = {n for n, values in bound.items() if any(self.is_call(v, collections.OrderedDict) for v in values)}
        self.merged = {n for n, values in bound.items() if n not in unit.parameters
                       and all(self.is_call(v, collections.ChainMap) and self.unchanged(v) for v in values) and self.only_read(n)}

    def unchanged(self, node: gast.Call) -> bool:
        """Whether the dicts of a ChainMap stay as they are."""
        return all(isinstance(a, gast.Dict) or isinstance(a, gast.Name) and self.only_read(a.id) for a in node.args)

    def only_read(self, name: str) -> bool:
        """Whether nothing is done with a dict but reading it."""
        parent = {id(child): node for node in t.walk(self.unit.tree) for child in gast.iter_child_nodes(node)}
        users = [parent[id(n)] for n in t.walk(self.unit.tree) if t.is_name(n, name) and isinstance(n.ctx, gast.Load)]
        return all(isinstance(u, (gast.Subscript, gast.Attribute)) and isinstance(u.ctx, gast.Load)
                   and getattr(u, "attr", "get") in ("get", "keys", "values", "items")
                   or isinstance(u, (gast.Compare, gast.For, gast.comprehension))
                   or self.is_call(u, collections.ChainMap) for u in users)

    def is_call(self, node: Any, function: Any) -> bool:
        return isinstance(node, gast.Call) and self.unit.lookup(node.func) is function

    def size_of(self, node: gast.Call) -> Any:
        size = node.args[1] if len(node.args) > 1 else next((kw.value for kw in node.keywords if kw.arg == "maxlen"), None)
        return None if isinstance(size, gast.Constant) and size.value is None else size

    # --- defaultdict

    def factory(self, node: Any) -> Any:
        """What makes the missing items of an expression, if it is a defaultdict."""
        if isinstance(node, gast.Name):
            return self.factories.get(node.id)
        if isinstance(node, gast.Attribute) and t.is_name(node.value) and node.value.id == self.receiver:
            maker = self.attributes.get(node.attr)
            return None if maker is None else t.load(self.unit.use(maker, maker.__name__))
        if isinstance(node, gast.Subscript):
            outer = self.factory(node.value)
            if isinstance(outer, gast.Lambda) and self.is_call(outer.body, collections.defaultdict):
                return outer.body.args[0] if outer.body.args else None
        return None

    def made(self, factory: Any) -> Any:
        """The expression for a new item."""
        if isinstance(factory, gast.Lambda):
            allowed, self.allowed = self.allowed, True
            value = self.visit(t.clone(factory.body))
            self.allowed = allowed
            return value
        known = self.unit.lookup(factory)
        import builtins
        known = getattr(builtins, factory.id, None) if not isinstance(known, type) and isinstance(factory, gast.Name) else known
        return NEW[known]() if isinstance(known, type) and known in NEW else t.call(t.clone(factory))

    def visit_Subscript(self, node: gast.Subscript) -> Any:
        factory = self.factory(node.value)
        if factory is None or not isinstance(node.ctx, gast.Load) or isinstance(factory, gast.Constant):
            return self.generic_visit(node)
        base, key = self.visit(node.value), self.visit(node.slice)
        return gast.copy_location(t.call(t.attribute(base, "setdefault"), key, self.made(factory)), node)

    def visit_Call(self, node: gast.Call) -> Any:
        if self.is_call(node, collections.defaultdict):
            if len(node.args) > 1 or node.keywords:
                return gast.Call(func=t.load(self.unit.use(dict, "dict")), args=[self.visit(a) for a in node.args[1:]],
                                 keywords=node.keywords)
            return gast.Dict(keys=[], values=[]) if self.allowed else self.generic_visit(node)
        node = self.generic_visit(node)
        if t.is_name(node.func, "isinstance") and len(node.args) == 2:
            node.args[1] = self.classes(node)
        if self.is_call(node, collections.ChainMap) and self.allowed and not node.keywords:
            return gast.Dict(keys=[None] * len(node.args), values=node.args[::-1])     # the first dict decides
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
        if any(hashable(c := self.unit.lookup(x)) and c in (collections.deque, *AS_DICTS) for x in sides) or (
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
        """What isinstance is given: deques that are made in generated code are of a class of their own."""
        given = node.args[1].elts if isinstance(node.args[1], gast.Tuple) else [node.args[1]]
        found = [c for c in map(self.unit.lookup, given) if hashable(c)]
        if any(c in AS_DICTS for c in found) and dict not in found:
            raise UnsupportedError("whether something is a dict of a special class", source.locate(node, self.origin),
                                   "Write isinstance(x, dict).")
        return t.pack([*given, t.load(self.unit.use(Deque, "Deque"))]) if collections.deque in found else node.args[1]

    allowed = False

    # --- statements

    def statement(self, s: Any) -> list:
        origin = t.origin_of(s)
        self.origin = origin or self.origin
        name = s.targets[0].id if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) else ""
        self.allowed = name in self.factories or name in self.deques or name in self.merged or (
            isinstance(s, gast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], gast.Attribute)
            and self.factory(s.targets[0]) is not None)
        if name in self.bounded:
            return self.new_deque(s, name, origin)
        before: list = []
        if name in self.makers:
            before.append(t.assign(self.makers[name], self.visit(s.value.args[0]), origin))
        if isinstance(s, gast.AugAssign) and isinstance(s.target, gast.Subscript) and self.factory(s.target.value) is not None:
            key = s.target.slice
            if not isinstance(key, (gast.Name, gast.Constant)):
                kept = self.unit.names.fresh("key")
                before.append(t.assign(kept, self.visit(key), origin))
                s.target.slice = t.load(kept)
            there = gast.Subscript(value=t.clone(s.target.value), slice=t.clone(s.target.slice), ctx=t.LOAD)
            before.append(t.effect(self.visit(there), origin))
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
        return [*before, s]

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
    """Write defaultdicts as dicts and deques as lists."""
    if any(value in (collections, collections.deque, collections.ChainMap, *AS_DICTS) for value in unit.env.values()
           if isinstance(value, (type, types.ModuleType))) or default_items(unit.function):
        state = Collections(unit)
        unit.tree.body = t.rewritten(unit.tree.body, state.statement)
    return unit
