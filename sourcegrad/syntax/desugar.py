"""Desugaring: forms with one meaning become one form: augmented, annotated and chained assignments, asserts.

So do spellings of attributes: private names, `super()`, `setattr` and `getattr`, `_make`.
"""
from __future__ import annotations

import functools
import itertools
import operator
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.unit import Function, Unit, local_names
from sourcegrad.runtime.structure import is_namedtuple

INPLACE = {gast.Add: operator.iadd, gast.Sub: operator.isub, gast.Mult: operator.imul, gast.Div: operator.itruediv,
           gast.Pow: operator.ipow, gast.MatMult: operator.imatmul, gast.FloorDiv: operator.ifloordiv,
           gast.Mod: operator.imod, gast.BitAnd: operator.iand, gast.BitOr: operator.ior, gast.BitXor: operator.ixor,
           gast.LShift: operator.ilshift, gast.RShift: operator.irshift}
BINARY = {operation: kind for kind, operation in INPLACE.items()}


def desugar(unit: Unit) -> Unit:
    """`x += e` becomes `x = iadd(x, e)`, `x[i] = v` becomes `x = index_store(x, np.s_[i], v)`: `functionalize` decides what
    they do."""
    local = local_names(unit.tree)
    unit.tree.body = _block(unit.tree.body, unit, local)
    unit.tree.returns = None
    for parameter in t.walk(unit.tree.args):
        if isinstance(parameter, gast.Name):
            parameter.annotation = None
    return unit


def _store(target: Any, value: Any, unit: Unit, local: set[str], function: Any, origin: Any) -> list:
    """`x[i] = v` and `x.a = v`, on a name for the container."""
    before: list = []
    base = target.value
    if not isinstance(base, gast.Name):
        settled = isinstance(value, gast.Name) and not rebinds(base, local)
        if not settled and not isinstance(value, gast.Constant):          # the value comes first
            kept = unit.names.fresh("value")
            before.append(t.assign(kept, value, origin))
            value = t.load(kept)
        name = unit.names.fresh("part")
        before.append(t.assign(name, base, origin))
    else:
        name = base.id
        if name not in local and not name.startswith("part"):
            raise UnsupportedError(f"a store into '{name}', which is not a local variable", source.locate(target, origin),
                                   "Pass the array as an argument and return the new one.")
    helper = unit.use(function, function.__name__)
    if isinstance(target, gast.Attribute):
        place: gast.expr = t.attribute(t.load(unit.use(runtime.at, "at")), target.attr)
    else:
        place = t.subscript(t.dotted(f"{unit.use(np, 'np')}.s_"), target.slice)
    return [*before, t.assign(name, t.call(helper, t.load(name), place, value), origin)]


def _stored_by_name(call: gast.Call, unit: Unit, local: set[str], origin: Any) -> list:
    """`attribute_store(x, name, v)`, on a name for the object."""
    base, *given = call.args
    before: list = []
    name = base.id if isinstance(base, gast.Name) else unit.names.fresh("part")
    if not isinstance(base, gast.Name):
        before.append(t.assign(name, base, origin))
    elif name not in local and not name.startswith("part"):
        raise UnsupportedError("`setattr` cannot be differentiated where the object is not a local variable",
                               source.locate(call, origin), "Pass the object as an argument and return what it is then.")
    return [*before, t.assign(name, gast.copy_location(t.call(call.func, t.load(name), *given), call), origin)]


def rebinds(node: Any, local: set[str]) -> bool:
    """Whether an expression may rebind a name: by a walrus, or a call of an inner function."""
    return any(isinstance(n, gast.NamedExpr) or isinstance(n, gast.Call) and isinstance(n.func, gast.Name) and n.func.id in local
               for n in t.walk(node))


def _block(block: list, unit: Unit, local: set[str]) -> list:
    result: list = []
    waiting = list(block)
    while waiting:
        statement = waiting.pop(0)
        if waiting and (shaped := _shaped(statement, waiting[0], unit, local)):
            waiting[:1] = shaped
        else:
            result += _statement(statement, unit, local)
    return result


AT_LEAST = {"atleast_1d": 1, "atleast_2d": 2, "atleast_3d": 3}                   # axes
READ = (gast.Tuple, gast.Name, gast.Attribute, gast.Constant, gast.Load)


def _shaped(s: Any, following: Any, unit: Unit, local: set[str]) -> list:
    """`y = np.atleast_2d(x)` and `y.shape = s`, of a name or an attribute: the array is new, but for one with as many axes."""
    if not all(isinstance(x, gast.Assign) and len(x.targets) == 1 for x in (s, following)) or not isinstance(
            s.value, gast.Call) or len(s.value.args) != 1 or not isinstance(s.value.args[0], gast.Name) or s.value.keywords:
        return []
    function, place, target = unit.lookup(s.value.func), s.targets[0], following.targets[0]
    attribute = isinstance(place, gast.Attribute) and isinstance(place.value, gast.Name)
    set_there = isinstance(target, gast.Attribute) and target.attr == "shape" and (
        source.expression_text(target.value) == source.expression_text(place))
    least = AT_LEAST.get(getattr(function, "__name__", "")) if getattr(function, "__module__", "") == "numpy" else None
    if least is None or not set_there or not (attribute or isinstance(place, gast.Name)):
        return []
    named = place.attr if attribute else place.id
    if any(not isinstance(n, READ) or named in (getattr(n, "attr", None), getattr(n, "id", None))
           for n in gast.walk(following.value)):
        return []
    numpy, few, name = unit.use(np, "np"), unit.names.fresh("few"), unit.names.fresh(named)
    local |= {few, name}
    target.value = gast.copy_location(t.load(name), target.value)
    axes = gast.Compare(left=t.call(t.dotted(f"{numpy}.ndim"), t.clone(s.value.args[0])), ops=[gast.Lt()],
                        comparators=[t.const(least)])
    reshaped = t.call(t.dotted(f"{numpy}.reshape"), t.load(name), t.clone(following.value))
    origin, later = t.origin_of(s), t.origin_of(following)
    return [t.assign(few, axes, origin), t.assign(name, s.value, origin),
            t.at(gast.If(test=t.load(few), body=[t.assign(name, reshaped, later)], orelse=[following]), later),
            t.assign(place, t.load(name), origin)]


def _update(s: gast.AugAssign, unit: Unit, local: set[str], origin: Any) -> list:
    """`x[i] op= v`: the container and the index are evaluated once."""
    before: list = []

    def settled(node: Any) -> Any:
        if isinstance(node, gast.Constant) or isinstance(node, gast.Name) and stay:
            return node
        if isinstance(node, gast.Slice):
            return gast.Slice(**{f: getattr(node, f) and settled(getattr(node, f)) for f in ("lower", "upper", "step")})
        if isinstance(node, gast.Tuple) and not any(isinstance(item, gast.Starred) for item in node.elts):
            return t.pack([settled(item) for item in node.elts])
        if isinstance(node, gast.UnaryOp) and isinstance(node.operand, gast.Constant):
            return node
        name = unit.names.fresh("index")
        before.append(t.assign(name, node, origin))
        return t.load(name)

    base = s.target.value
    stay = isinstance(s.target, gast.Attribute) or not rebinds(s.target.slice, local)
    if not isinstance(base, gast.Name) or not stay:
        name = unit.names.fresh("part")
        before.append(t.assign(name, base, origin))
        s.target.value = base = t.load(name)
        local.add(name)
    if isinstance(s.target, gast.Attribute):
        old: gast.expr = t.attribute(t.load(base.id), s.target.attr)
    else:
        s.target.slice = settled(s.target.slice)
        old = t.subscript(t.load(base.id), t.clone(s.target.slice))
    value = gast.copy_location(t.binop(gast.copy_location(old, s.target), s.op, s.value, in_place=True), s.target)
    return [*before, *_store(s.target, value, unit, local, runtime.index_update, origin)]


def _statement(s: Any, unit: Unit, local: set[str]) -> list:
    origin = t.origin_of(s)
    if isinstance(s, gast.AugAssign) and isinstance(s.target, (gast.Subscript, gast.Attribute)):
        return _update(s, unit, local, origin)
    if isinstance(s, gast.Assign) and any(_stores(target) for target in s.targets):
        return _stored_assign(s, unit, local, origin)
    if isinstance(s, gast.Expr) and isinstance(s.value, gast.Call) and unit.lookup(s.value.func) is runtime.attribute_store:
        return _stored_by_name(s.value, unit, local, origin)
    if isinstance(s, gast.AugAssign):
        operation = INPLACE[type(s.op)]
        function = unit.use(operation, operation.__name__)
        return [t.assign(s.target, t.call(function, t.load(s.target.id), s.value), origin)]
    if isinstance(s, gast.Assign) and len(s.targets) > 1:
        if isinstance(s.value, (gast.Constant, gast.Name)):
            return [t.assign(target, t.clone(s.value), origin) for target in s.targets]
        name = unit.names.fresh("value")
        return [t.assign(name, s.value, origin)] + [t.assign(x, t.load(name), origin) for x in s.targets]
    if isinstance(s, (gast.Pass, gast.Delete, gast.Global, gast.AnnAssign)) or t.is_comment(s):
        return []
    if isinstance(s, (gast.If, gast.For, gast.While)):
        s.body, s.orelse = _block(s.body, unit, local), _block(s.orelse, unit, local)
    return [s]


def _stores(target: Any) -> bool:
    return any(isinstance(n, (gast.Subscript, gast.Attribute)) and not isinstance(n.ctx, gast.Load) for n in t.walk(target))


def _stored_assign(s: gast.Assign, unit: Unit, local: set[str], origin: Any) -> list:
    """Stores in chained assignments and in tuple targets: a[0], b = f()."""
    if len(s.targets) == 1 and isinstance(s.targets[0], (gast.Subscript, gast.Attribute)):
        return _store(s.targets[0], s.value, unit, local, runtime.index_store, origin)
    if len(s.targets) == 1 and _alike(s.targets[0], s.value):
        return _parallel(s.targets[0], s.value, unit, local, origin)
    name = unit.names.fresh("value")
    result: list = [t.assign(name, s.value, origin)]
    for target in s.targets:
        result += _spread(target, t.load(name), unit, local, origin)
    return result


def _alike(target: Any, value: Any) -> bool:
    """Whether both are displays with as many items: `self.a, self.b = a, b`."""
    both = target, value
    return all(isinstance(x, (gast.Tuple, gast.List)) for x in both) and len(target.elts) == len(value.elts) and not any(
        isinstance(item, gast.Starred) for x in both for item in x.elts)


def _parallel(target: Any, value: Any, unit: Unit, local: set[str], origin: Any) -> list:
    """All values are taken before anything is stored."""
    bound = set(t.target_names(target))
    result: list = []
    values = []
    stay = not rebinds(target, local) and not rebinds(value, local)
    for item in value.elts:
        if not isinstance(item, gast.Constant) and not (isinstance(item, gast.Name) and item.id not in bound and stay):
            name = unit.names.fresh("item")
            result.append(t.assign(name, item, origin))
            item = t.load(name)
        values.append(item)
    for place, item in zip(target.elts, values):
        result += _spread(place, item, unit, local, origin)
    return result


def _spread(target: Any, value: Any, unit: Unit, local: set[str], origin: Any) -> list:
    if isinstance(target, (gast.Subscript, gast.Attribute)):
        return _store(target, value, unit, local, runtime.index_store, origin)
    if isinstance(target, (gast.Tuple, gast.List)) and _stores(target):
        if any(isinstance(item, gast.Starred) for item in target.elts):
            raise UnsupportedError("a starred target together with stores", origin, "Unpack into names first.")
        names = [unit.names.fresh("item") for _ in target.elts]
        result = [t.unpack(names, value, origin)]
        for name, item in zip(names, target.elts):
            result += _spread(item, t.load(name), unit, local, origin)
        return result
    return [t.assign(target, value, origin)]


DIRECT = "direct."                   # as in `analysis.objects`


def spell(unit: Unit) -> Unit:
    """`super().run` is the attribute "super.C.run" of self, `setattr(x, "a", v)` is `x.a = v`, `x.__a` is `x._C__a`."""
    _Spell(unit).visit(unit.tree)
    return unit


class _Spell(gast.NodeTransformer):
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        path = getattr(unit.function.object, "__qualname__", "").split(".")
        self.cls = path[-2].lstrip("_") if len(path) > 1 and path[-2].isidentifier() else None
        self.origin = t.origin_of(unit.tree)
        self.local = local_names(unit.tree)

    def visit(self, node: Any) -> Any:
        self.origin = t.origin_of(node) or self.origin
        return super().visit(node)

    def visit_Attribute(self, node: gast.Attribute) -> Any:
        if self._is_super(node.value):
            return self._of_super(node)
        self.generic_visit(node)
        if self.cls and node.attr.startswith("__") and not node.attr.endswith("__"):
            node.attr = f"_{self.cls}{node.attr}"
        return node

    def _is_super(self, node: Any) -> bool:
        return isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and self._builtin(node.func, super)

    def _builtin(self, node: Any, function: Any) -> bool:
        known = self.unit.env.get(node.id, MISSING)
        return known is function or (known is MISSING and self.unit.function.scope.lookup(node.id) is function)

    def _of_super(self, node: gast.Attribute) -> Any:
        own = self.unit.function.receiver
        names = [own] if own else self.unit.parameters
        args = node.value.args
        if (args and (len(args) != 2 or not all(isinstance(a, gast.Name) for a in args))) or not names:
            raise UnsupportedError("this form of super()", self.origin, "Write super().method(...).")
        owner = args[0].id if args else ""
        if owner in self.local:
            raise UnsupportedError(f"super() with the variable '{owner}'", self.origin, "Name the class itself.")
        receiver = args[1].id if args else names[0]
        return gast.copy_location(t.attribute(t.load(receiver), f"super.{owner}.{node.attr}"), node)

    def visit_Call(self, node: gast.Call) -> Any:
        named = isinstance(node.func, gast.Name) and len(node.args) == 2 and not node.keywords and (
            _constant_name(node.args[1]) and self._builtin(node.func, getattr))
        if named and self._is_super(node.args[0]):
            return self.visit(gast.copy_location(t.attribute(node.args[0], node.args[1].value), node))
        if self._is_super(node):
            raise UnsupportedError("super() as a value", source.locate(node, self.origin), "Write super().method(...).")
        self.generic_visit(node)
        if named:
            return gast.copy_location(t.attribute(node.args[0], node.args[1].value), node)
        if isinstance(node.func, gast.Attribute) and node.func.attr == "_make" and len(node.args) == 1 and not node.keywords:
            cls = self.unit.lookup(node.func.value)
            if isinstance(cls, type) and is_namedtuple(cls):
                return gast.copy_location(t.call(node.func.value, t.starred(node.args[0])), node)
        return node

    def visit_Expr(self, node: gast.Expr) -> Any:
        self.generic_visit(node)
        call = node.value
        owner = self._updated(call)
        if owner is not None:
            return self._update(node, call, owner)
        if not isinstance(call, gast.Call) or call.keywords:
            return node
        function, args = call.func, call.args
        plain = isinstance(function, gast.Name) and self._builtin(function, setattr)
        direct = isinstance(function, gast.Attribute) and function.attr == "__setattr__" and isinstance(
            function.value, gast.Name) and self._builtin(function.value, object)
        if isinstance(function, gast.Attribute) and function.attr.startswith("super.") and function.attr.endswith(
                ".__setattr__") and len(args) == 2:
            direct, args = True, [function.value, *args]
        elif isinstance(function, gast.Attribute) and function.attr == "__setattr__" and not direct and len(args) == 2:
            plain, args = True, [function.value, *args]             # `self.__setattr__(name, v)`: `setattr` calls it
        if (plain or direct) and len(args) == 3 and not _constant_name(args[1]):
            return self._computed(node, args, direct)
        if (plain or direct) and len(args) == 3:
            name = ("" if plain else DIRECT) + args[1].value
            target = gast.Attribute(value=args[0], attr=name, ctx=t.STORE)
            return t.assign(gast.copy_location(target, call), args[2], t.origin_of(node))
        return node

    def _updated(self, call: Any) -> gast.Name | None:
        """x of `x.__dict__.update(...)`."""
        method = call.func if isinstance(call, gast.Call) and isinstance(call.func, gast.Attribute) else None
        if method is None or method.attr != "update" or len(call.args) > 1 or any(
                isinstance(a, gast.Starred) for a in call.args) or any(w.arg is None for w in call.keywords):
            return None
        owner = method.value.value if isinstance(method.value, gast.Attribute) and method.value.attr == "__dict__" else None
        return owner if isinstance(owner, gast.Name) and owner.id in self.local else None

    def _update(self, node: gast.Expr, call: gast.Call, owner: gast.Name) -> list:
        """`x.__dict__.update(d, a=v)` stores every item of d, and a."""
        origin = t.origin_of(node)
        new: list = []
        for given in call.args:
            name, value = self.unit.names.fresh("name"), self.unit.names.fresh("value")
            helper = self.unit.use(runtime.attribute_store, "attribute_store")
            store = gast.copy_location(t.call(helper, t.load(owner.id), t.load(name), t.load(value), t.const(True)), call)
            items = gast.copy_location(t.call(t.attribute(given, "items")), call)
            target = gast.Tuple(elts=[t.store(name), t.store(value)], ctx=t.STORE)
            new.append(t.at(gast.For(target=target, iter=items, body=[t.effect(store, origin)], orelse=[],
                                     type_comment=None), origin))
        for keyword in call.keywords:
            place = gast.Attribute(value=t.load(owner.id), attr=DIRECT + keyword.arg, ctx=t.STORE)
            new.append(t.assign(gast.copy_location(place, call), keyword.value, origin))
        return new

    def _computed(self, node: gast.Expr, args: list, direct: bool) -> Any:
        """setattr(x, name, v) is `attribute_store(x, name, v)`: `specialise` may know the name."""
        helper = self.unit.use(runtime.attribute_store, "attribute_store")
        call = t.call(helper, *args, *([t.const(True)] if direct else []))
        return t.effect(gast.copy_location(call, node.value), t.origin_of(node))

    def visit_Subscript(self, node: gast.Subscript) -> Any:
        """x.__dict__["a"] is x.a"""
        self.generic_visit(node)
        owner = node.value
        if isinstance(owner, gast.Attribute) and owner.attr == "__dict__" and _constant_name(node.slice):
            stored = not isinstance(node.ctx, gast.Load)
            new = gast.Attribute(value=owner.value, attr=(DIRECT if stored else "") + node.slice.value, ctx=node.ctx)
            return gast.copy_location(new, node)
        if isinstance(owner, gast.Attribute) and owner.attr == "__dict__" and isinstance(node.ctx, gast.Load) and not isinstance(
                node.slice, gast.Constant):
            helper = self.unit.use(getattr, "getattr")
            return gast.copy_location(t.call(helper, owner.value, node.slice), node)
        return node


def _constant_name(node: Any) -> bool:
    return isinstance(node, gast.Constant) and isinstance(node.value, str) and node.value.isidentifier()


# --- Star arguments: sequences and dicts whose length or keys are only known at run time

class NotYet(UnsupportedError):
    """What is called, or what a star stands for, is not known: it may be when other calls are spelled out."""

    def settled(self) -> UnsupportedError:
        """The error that users get, once nothing more is found out."""
        found = UnsupportedError(self.message, self.origin, self.remedy, self.callers)
        found.lost = self.lost
        return found


class Spread:
    """Spells out one call. args, keywords: those that are known; before: statements that take the others out."""

    def __init__(self, unit: Unit, target: call_targets.Target, node: Any, origin: Any) -> None:
        self.unit, self.node, self.origin = unit, node, origin
        self.function, self.skipped, self.bound = callee(target)
        self.before: list = []
        a = self.function.tree.args if self.function is not None else None
        self.positional = [p.id for p in (*a.posonlyargs, *a.args)][self.skipped:] if a is not None else []
        self.named = [n for n in self.positional if n not in {p.id for p in a.posonlyargs}] + [
            p.id for p in a.kwonlyargs] if a is not None else []
        self.defaults = call_targets.defaults(self.function) if self.function is not None else {}
        if target.plain is not None:                         # a namedtuple or dataclass: its fields
            fields = target.plain.parameters
            self.positional = [n for n in fields if n not in target.plain.keywords_only]
            self.named = list(fields)
            self.defaults = {n: default for n, default in fields.items() if default is not None}
        parameters = getattr(target.object, "call_parameters", None) if self.function is None else None
        if parameters is not None:                           # a gradient function
            found = parameters()
            self.positional, self.named = [n for n, (place, _) in found.items() if place], list(found)
            self.defaults = {n: optional for n, (_, optional) in found.items() if optional}
        self.known = self.function is not None or bool(self.named)

    def taking(self, values: Any, args: list, behind: int, keywords: set[str]) -> list:
        """All positional arguments of `f(args, *values, ...)`, where some more may stand behind."""
        given = keywords | self.bound
        free = self.positional[len(args):len(self.positional) - behind]
        names = list(itertools.takewhile(lambda name: name not in given, free))
        least = sum(n not in self.defaults for n in names)
        open_ended = self.function is not None and self.function.tree.args.vararg is not None and len(names) == len(free)
        most = None if open_ended else len(names)
        if not self.known or least != most and (behind or self.function is None):
            raise NotYet("`*` of something whose length is not known", source.locate(self.node, self.origin),
                                   "Pass the arguments one by one, or convert with tuple(...) a sequence of known length.")
        if least == most:
            if not names:
                return args
            taken = [self.unit.names.fresh(n) for n in names]
            self.before.append(t.unpack(taken, values, self.origin))
            return [*args, *map(t.load, taken)]
        result = list(args)
        helper = self.unit.use(runtime.given_count, "given_count")
        count = self.bind(t.call(helper, t.clone(values), t.const(least), t.const(most)), "count")
        for position, name in enumerate(names):
            item = t.subscript(t.clone(values), t.const(position))
            if name not in self.defaults:
                result.append(self.bind(item, name))
                continue
            test = self.bind(gast.Compare(left=t.clone(count), ops=[gast.Gt()], comparators=[t.const(position)]), "given")
            result.append(self.either(test, item, name))
        if most is None:
            self.rest(values, len(names), result)
        return result

    def rest(self, values: Any, taken: int, result: list) -> None:
        """What is left for the star parameter is one tuple."""
        if taken:
            values = self.bind(t.subscript(t.clone(values), gast.Slice(lower=t.const(taken), upper=None, step=None)), "rest")
        extra = self.bind(t.call("tuple", t.clone(values)), "rest")
        front = result[len(self.positional):]
        if front:
            first = self.bind(t.pack(front), "front")
            extra = self.bind(t.binop(first, gast.Add(), extra), "rest")
            extra = self.bind(t.call("tuple", extra), "rest")
            del result[len(self.positional):]
        result.append(t.starred(extra))

    def naming(self, mapping: Any, kind: Any, args: list, keywords: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        """The keyword arguments that `**mapping` stands for, and what is left over for `**` of the function."""
        possible = {key for key, _ in kind.items} if isinstance(kind, k.Dct) else None       # all keys that it may have
        given = {*self.positional[:len(args)], *keywords, *self.bound}
        names = [n for n in self.named if n not in given and (possible is None or n in possible or n not in self.defaults)]
        if not self.known or self.function is None and any(n in self.defaults for n in names):
            raise NotYet("`**` of something that is not a dict with known keys", source.locate(self.node, self.origin),
                         "Pass the arguments by name.")
        rest = self.function is not None and self.function.tree.args.kwarg is not None
        needed = [n for n in names if n not in self.defaults]
        if needed or not rest:
            helper = self.unit.use(runtime.check_keywords, "check_keywords")
            allowed = t.const(None) if rest else t.pack([t.const(n) for n in names])
            self.bind(t.call(helper, t.clone(mapping), t.pack([t.const(n) for n in needed]), allowed), "unused")
        found = {}
        for name in names:
            item = t.subscript(t.clone(mapping), t.const(name))
            if name in self.defaults:
                test = self.bind(gast.Compare(left=t.const(name), ops=[gast.In()], comparators=[t.clone(mapping)]), "given")
                found[name] = self.either(test, item, name)
            else:
                found[name] = self.bind(item, name)
        return found, self.left_over(mapping, names, keywords) if rest else None

    def left_over(self, mapping: Any, names: list[str], keywords: dict[str, Any]) -> Any:
        """A dict of its own of all keyword arguments that are no parameters."""
        if any(n not in self.named for n in keywords):
            raise UnsupportedError("`**` of a dict whose keys are not known next to other arguments of `**`",
                                   source.locate(self.node, self.origin), "Join them first: `options = {**options, ...}`.")
        left: Any = t.clone(mapping)
        for name in names:
            left = self.bind(t.call(self.unit.use(runtime.dict_discard, "dict_discard"), left, t.const(name)), "rest")
        return self.bind(t.call(self.unit.use(runtime.dict_copy, "dict_copy"), left), "rest")

    def either(self, test: Any, item: Any, name: str) -> Any:
        """What is given, or else the default of the parameter."""
        assert self.function is not None                     # nobody else has defaults
        default = call_targets._default(self.function, name, self.defaults[name], self.unit)
        result = self.unit.names.fresh(name)
        other: list = []
        if isinstance(default, gast.Subscript) and isinstance(default.value, gast.Attribute):
            owner = self.unit.names.fresh("defaults")
            other.append(t.assign(owner, default.value, self.origin))
            default = t.subscript(t.load(owner), default.slice)
        self.before.append(t.if_(test, [t.assign(result, item, self.origin)],
                                 [*other, t.assign(result, default, self.origin)], self.origin))
        return t.load(result)

    def bind(self, value: Any, base: str) -> Any:
        name = self.unit.names.fresh(base)
        self.before.append(t.assign(name, value, self.origin))
        return t.load(name)


def callee(target: call_targets.Target) -> tuple[Function | None, int, set[str]]:
    """The function with source that is called in the end, how many arguments are bound to it, and which by name."""
    function: Any = target.object
    skipped = 0
    bound: set[str] = set()
    if target.function is not None:
        return target.function, skipped, bound
    while True:
        if isinstance(function, k.Closure):
            skipped += len(function.items) - len(function.keywords)
            bound |= set(function.keywords)
            function = function.function
        elif isinstance(function, functools.partial):
            skipped += len(function.args)
            bound |= set(function.keywords)
            function = function.func
        elif call_targets.stands_for_function(function):
            skipped += 1
            function = function.__func__
        else:
            return call_targets.target_of_object(function, [], {}).function, skipped, bound
