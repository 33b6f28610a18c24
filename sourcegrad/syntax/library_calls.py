"""Library calls: functions of itertools as comprehensions, iterators that are kept, np.piecewise, deques."""
from __future__ import annotations

import collections
import functools
import itertools
import operator
import types
from typing import Any, NoReturn

import gast
import numpy as np

from sourcegrad import runtime
from sourcegrad.analysis.call_targets import instead
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING, transparent
from sourcegrad.ir.tree import hashable
from sourcegrad.ir.unit import Function, Unit
from sourcegrad.parse import statements as try_
from sourcegrad.parse.resolve import readable
from sourcegrad.runtime import library
from sourcegrad.runtime.library import ChainMap, Deque

IN_LOOPS = (itertools.count, itertools.cycle, itertools.repeat)
REFUSED: dict[Any, str] = {
    itertools.tee: "Use the list itself: it can be read several times.",
    functools.cmp_to_key: "Sort by a key.",
    np.frompyfunc: "Use np.vectorize(f, otypes=[float]), or write the loop.",
}


def simple(function: gast.Lambda, count: int) -> bool:
    """A lambda of so many plain parameters."""
    a = function.args
    return len(a.args) == count and not (a.vararg or a.kwarg or a.kwonlyargs or a.defaults or a.posonlyargs)


def targets(names: list[str]) -> gast.Tuple:
    return gast.Tuple(elts=[t.store(n) for n in names], ctx=t.STORE)


def counted(node: gast.Call, position: Any) -> Any:
    """The item of itertools.count(start, step) at a position."""
    options = {kw.arg: kw.value for kw in node.keywords}
    start = node.args[0] if node.args else options.get("start")
    step = node.args[1] if len(node.args) > 1 else options.get("step")
    value = position if step is None else t.binop(t.clone(step), gast.Mult(), position)
    return value if start is None else t.binop(t.clone(start), gast.Add(), value)


OPERATIONS = {operator.add: gast.Add, operator.mul: gast.Mult, operator.sub: gast.Sub, operator.matmul: gast.MatMult,
              operator.truediv: gast.Div}


class Expressions:
    """Makes names and expressions for the function at hand. origin: of the statement at hand, for refusals."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.origin: Any = None

    def lookup(self, node: Any) -> Any:
        found = self.unit.lookup(node)
        try:
            hash(found)
        except TypeError:
            return MISSING
        return found

    def fresh(self, base: str) -> str:
        return self.unit.names.fresh(base)

    def use(self, function: Any) -> str:
        return self.unit.use(function, function.__name__)

    def refuse(self, what: str, node: Any, remedy: str) -> NoReturn:
        raise UnsupportedError(what, source.locate(node, self.origin), remedy)

    def named(self, node: Any, base: str = "items", sequence: bool = True) -> tuple[Any, str]:
        """(an expression that also gives its value a name, the name)"""
        if isinstance(node, gast.Name) and not sequence:
            return node, node.id
        name = self.fresh(base)
        listed = isinstance(node, (gast.ListComp, gast.List)) or isinstance(node, gast.Call) and (
            self.lookup(node.func) is runtime.read_once)
        value = t.call(self.use(runtime.sequence), node) if sequence and not listed else node
        return gast.NamedExpr(target=t.store(name), value=value), name

    def some(self, items: Any, reader: str) -> tuple[Any, str]:
        """As `named`, of what has an item: else what reads the first one raises its exception."""
        named, name = self.named(items)
        if not (isinstance(items, (gast.List, gast.Tuple)) and items.elts and not isinstance(items.elts[0], gast.Starred)):
            check = t.call(self.use(runtime.check_some), t.load(name), t.const(reader))
            named = t.subscript(t.pack([named, check]), t.const(0))
        return named, name

    def applied(self, function: Any, arguments: list[str]) -> Any:
        """The expression for function(*arguments); a lambda is written out."""
        if isinstance(function, gast.Lambda) and any(isinstance(n, gast.Lambda) for n in t.walk(function.body)):
            return t.call(t.clone(function), *(t.load(n) for n in arguments))       # what it makes captures its own values
        if isinstance(function, gast.Lambda) and simple(function, len(arguments)):
            mapping = dict(zip([p.id for p in function.args.args], arguments))
            return t.rename(t.clone(function.body), mapping)
        known = self.lookup(function)
        if known in OPERATIONS and len(arguments) == 2:
            return t.binop(t.load(arguments[0]), OPERATIONS[known](), t.load(arguments[1]))
        if not isinstance(function, (gast.Name, gast.Attribute)):
            self.refuse("a function that is computed where it is mapped", function, "Give the function a name first.")
        return t.call(t.clone(function), *(t.load(n) for n in arguments))

    def getter(self, node: gast.Call) -> gast.Lambda:
        """What operator.itemgetter, attrgetter and methodcaller make, as a lambda."""
        name = self.fresh("item")

        def one(key: Any) -> Any:
            if self.lookup(node.func) is operator.itemgetter:
                return t.subscript(t.load(name), t.clone(key))
            if not isinstance(key, gast.Constant) or not isinstance(key.value, str):
                self.refuse(f"{self.lookup(node.func).__name__} of a name that is computed", node, "Write a lambda.")
            result: Any = t.load(name)
            for part in key.value.split("."):
                result = t.attribute(result, part)
            return result

        if self.lookup(node.func) is operator.methodcaller:
            value: Any = gast.Call(func=one(node.args[0]), args=node.args[1:], keywords=node.keywords)
        else:
            parts = [one(key) for key in node.args]
            value = parts[0] if len(parts) == 1 else t.pack(parts)
        return gast.Lambda(args=t.arguments([name]), body=value)

    def called(self, function: gast.Lambda, argument: Any) -> Any:
        """The value of a lambda for an argument."""
        if isinstance(argument, gast.Name):
            return self.applied(function, [argument.id])
        named, name = self.named(argument, "item", sequence=False)
        return t.subscript(t.pack([named, self.applied(function, [name])]), t.const(1))

    def comprehension(self, element: Any, target: Any, iterable: Any, *tests: Any) -> gast.ListComp:
        return gast.ListComp(elt=element, generators=[
            gast.comprehension(target=target, iter=iterable, ifs=list(tests), is_async=0)])

    def mapped(self, function: Any, iterables: list, base: str = "item") -> gast.ListComp:
        """[function(x, ...) for x, ... in zip(...)]"""
        names = [p.id for p in function.args.args] if isinstance(function, gast.Lambda) and simple(
            function, len(iterables)) else [base] * len(iterables)
        names = [self.fresh(n) for n in names]
        element = self.applied(function, names)
        if len(names) == 1:
            return self.comprehension(element, t.store(names[0]), iterables[0])
        return self.comprehension(element, targets(names), t.call(self.use(zip), *iterables))

    def listed(self, node: gast.Call) -> gast.ListComp:
        """[(a, b) for a, b in zip(...)]"""
        count = 2 if self.lookup(node.func) is enumerate else len(node.args)
        names = [self.fresh("item") for _ in range(count)]
        return self.comprehension(t.pack([t.load(n) for n in names]), targets(names), node)

    def unless_empty(self, named: Any, value: Any, default: Any) -> gast.IfExp:
        if any(isinstance(node, (gast.Call, gast.Attribute, gast.Subscript)) for node in t.walk(default)):
            eager = gast.NamedExpr(target=t.store(self.fresh("default")), value=default)       # it may do something
            named, default = t.subscript(t.pack([named, eager]), t.const(0)), t.load(eager.target.id)
        size = t.call(self.use(len), named)
        test = gast.Compare(left=size, ops=[gast.Gt()], comparators=[t.const(0)])
        return gast.IfExp(test=test, body=value, orelse=default)

    def product_parts(self, node: Any) -> list | None:
        """The sequences of itertools.product, each as often as it is repeated."""
        if not (isinstance(node, gast.Call) and self.lookup(node.func) is itertools.product) or any(
                isinstance(a, gast.Starred) for a in node.args):
            return None
        repeat = next((kw.value for kw in node.keywords if kw.arg == "repeat"), t.const(1))
        if not isinstance(repeat, gast.Constant) or not isinstance(repeat.value, int):
            self.refuse("itertools.product with a number of repeats that is computed", node, "Write nested loops.")
        first = [(x, x.id) if isinstance(x, gast.Name) else self.named(x, "value", sequence=False) if repeat.value > 1 else (x, "")
                 for x in node.args]
        return [node if k == 0 else t.load(name) for k in range(repeat.value) for node, name in first]

    def once(self, parts: list) -> list:
        """Expressions of which all but the first are computed with the first, and stand for what they were then."""
        before, rest = [], []
        for part in parts[1:]:
            if not isinstance(part, (gast.Constant, gast.Name)):
                node, name = self.named(part, "value", sequence=False)
                before.append(node)
                part = t.load(name)
            rest.append(part)
        first = t.subscript(gast.List(elts=[*before, parts[0]], ctx=t.LOAD), t.const(-1)) if before else parts[0]
        return [first, *rest]


def folding(make: Expressions, function: Any, iterable: Any) -> tuple[gast.GeneratorExp, str]:
    """(the next value of an accumulation for every item, the name of the value so far)"""
    plain = isinstance(function, gast.Lambda) and simple(function, 2)
    names = [p.id for p in function.args.args] if plain else ["total", "item"]
    so_far, item = make.fresh(names[0]), make.fresh(names[1])
    element = make.applied(function, [so_far, item])
    return gast.GeneratorExp(elt=element, generators=[
        gast.comprehension(target=t.store(item), iter=iterable, ifs=[], is_async=0)]), so_far


def reduced(make: Expressions, node: gast.Call) -> Any:
    """f(next values, so far, start), without a start from the first item on: `anf` makes a loop of it."""
    function, items, start = (*node.args, None)[:3]
    if start is None:
        named, name = make.some(items, "reduce")
        items = t.subscript(t.load(name), gast.Slice(lower=t.const(1), upper=None, step=None))
        start = t.subscript(named, t.const(0))
    steps, so_far = folding(make, function, items)
    return t.call(node.func, steps, t.load(so_far), start)


def itertool(make: Expressions, node: gast.Call, function: Any, options: dict[str, Any]) -> Any:
    args = node.args
    if function is itertools.product:
        if "repeat" in options or not args:
            parts = make.product_parts(node) or []
        else:
            parts = args
        if not parts:
            return gast.List(elts=[t.pack([])], ctx=t.LOAD)
        names = [make.fresh("item") for _ in parts]
        parts = make.once(parts)
        return gast.ListComp(elt=t.pack([t.load(n) for n in names]), generators=[
            gast.comprehension(target=t.store(n), iter=part, ifs=[], is_async=0) for n, part in zip(names, parts)])
    if function is itertools.repeat and (len(args) == 2 or "times" in options):
        times, item = make.once([args[1] if len(args) == 2 else options["times"], args[0]])
        return make.comprehension(item, t.store(make.fresh("step")), t.call(make.use(range), times))
    if function is itertools.islice:
        return sliced(make, node, args)
    if instead(function) is not None:
        return None
    ends = ", which has no end," if function in IN_LOOPS else ""
    make.refuse(f"`{source.expression_text(node.func)}`{ends} is not gone over by a loop as it stands", node,
                "Use it inside zip or islice, or write a loop with a counter.")
    return None


def endless(make: Expressions, s: gast.For) -> list | None:
    """A loop over count, cycle, repeat or iter(f, last) is a loop that something inside it ends."""
    call, origin = s.iter, t.origin_of(s)
    function = make.lookup(call.func) if isinstance(call, gast.Call) else MISSING
    before: list = []

    def kept(value: Any, base: str) -> Any:
        if isinstance(value, gast.Constant):
            return value
        before.append(t.assign(make.fresh(base), value, origin))
        return t.load(before[-1].targets[0].id)

    if function is enumerate and without_end(make, call.args[0]):
        item, count = make.fresh("item"), make.fresh("count")
        first = t.assign(count, t.binop(t.load(count), gast.Add(), t.const(1)), origin)
        taken = t.at(gast.Assign(targets=[s.target], value=t.pack([t.load(count), t.load(item)]), type_comment=None), origin)
        start = call.args[1] if len(call.args) > 1 else next((kw.value for kw in call.keywords), None)
        setup = t.assign(count, t.const(-1) if start is None else t.binop(start, gast.Sub(), t.const(1)), origin)
        s.target, s.iter, s.body = t.store(item), call.args[0], [first, taken, *s.body]
        return [setup, s]
    if function is iter and len(call.args) == 2 and not s.orelse:
        item = make.fresh("item")
        test = gast.Compare(left=t.load(item), ops=[gast.Eq()], comparators=[kept(call.args[1], "last")])
        first = [t.assign(item, t.call(call.args[0]), origin), t.if_(test, [t.at(gast.Break(), origin)], [], origin)]
        return forever(make, s, before, first, t.load(item))
    if not without_end(make, call):
        return None
    if function is itertools.repeat:
        return forever(make, s, before, [], kept(call.args[0], "value"))
    k = make.fresh("k")
    first = [t.assign(k, t.binop(t.load(k), gast.Add(), t.const(1)), origin)]
    test = None
    if function is itertools.count:
        call.args = [kept(a, "start") for a in call.args]
        for keyword in call.keywords:
            keyword.value = kept(keyword.value, keyword.arg)
        value = counted(call, t.load(k))
    else:
        items = kept(t.call(make.use(runtime.sequence), call.args[0]), "items")
        size = t.call(make.use(len), t.clone(items))
        test = gast.Compare(left=t.clone(size), ops=[gast.Gt()], comparators=[t.const(0)])
        value = t.subscript(items, t.binop(t.load(k), gast.Mod(), size))
    before.append(t.assign(k, t.const(-1), origin))
    return forever(make, s, before, first, value, test)


def without_end(make: Expressions, call: Any) -> bool:
    """Whether it is a call of count, cycle or repeat that goes on for ever."""
    function = make.lookup(call.func) if isinstance(call, gast.Call) else MISSING
    return function in IN_LOOPS and not (function is itertools.repeat and len(call.args) + len(call.keywords) > 1)


def forever(make: Expressions, s: gast.For, before: list, first: list, value: Any, test: Any = None) -> list:
    origin = t.origin_of(s)
    assigned = t.at(gast.Assign(targets=[s.target], value=value, type_comment=None), origin)
    loop = gast.While(test=test or t.const(True), body=[*first, assigned, *s.body], orelse=s.orelse)
    return [*before, t.at(loop, origin)]


def sliced(make: Expressions, node: gast.Call, args: list) -> Any:
    inner = args[0]
    endless = make.lookup(inner.func) if isinstance(inner, gast.Call) else MISSING
    if endless in IN_LOOPS and (endless is not itertools.repeat or len(inner.args) == 1):
        start, stop, step = (None, args[1], None) if len(args) == 2 else (*args[1:], *[None] * (4 - len(args)))
        if stop is None:
            make.refuse("islice without an end", node, "Give the number of items.")
        k = make.fresh("k")
        ends = [stop] if start is None else [start, stop] if step is None else [start, stop, step]
        steps = t.call(make.use(range), *ends)
        if endless is itertools.repeat:
            return make.comprehension(inner.args[0], t.store(k), steps)
        if endless is itertools.count:
            return make.comprehension(counted(inner, t.load(k)), t.store(k), steps)
        named, name = make.named(inner.args[0])
        turn = t.binop(t.load(k), gast.Mod(), t.call(make.use(len), t.load(name)))
        value = make.comprehension(t.subscript(t.load(name), turn), t.store(k), steps)
        return t.subscript(t.pack([named, value]), t.const(1))
    parts = (None, args[1], None) if len(args) == 2 else (*args[1:], *[None] * (4 - len(args)))
    given = [None if p is None or isinstance(p, gast.Constant) and p.value is None else p for p in parts]
    lower, upper, step = [p if p is None or isinstance(p, gast.Constant) else t.call(make.use(runtime.islice_bound), p)
                          for p in given]
    return t.subscript(t.call(make.use(runtime.sequence), inner), gast.Slice(lower=lower, upper=upper, step=step))


# --- `np.piecewise(x, [c, d], [f, g])` as one call for each piece.

def piecewise(unit: Unit, node: gast.Call) -> Any:
    """The expression for a call with displays of functions and conditions; None for others."""
    if len(node.args) < 3 or not isinstance(node.args[2], (gast.List, gast.Tuple)) or any(
            kw.arg is None for kw in node.keywords) or any(isinstance(a, gast.Starred) for a in (*node.args, *node.args[2].elts)):
        return None
    x, conditions, functions = node.args[0], node.args[1], node.args[2].elts
    if isinstance(conditions, gast.Compare):
        conditions = [conditions]
    elif isinstance(conditions, (gast.List, gast.Tuple)):
        conditions = conditions.elts
    else:
        return None
    if len(functions) - len(conditions) not in (0, 1) or not conditions:
        return None
    before: list = []

    def named(value: Any, base: str) -> gast.expr:
        name = unit.names.fresh(base)
        before.append(gast.NamedExpr(target=t.store(name), value=value))
        return t.load(name)

    module = unit.use(np, "np")
    x = named(t.call(f"{module}.asarray", x), "x")
    conditions = [named(t.call(f"{module}.asarray", c), "where") for c in conditions]
    if len(functions) > len(conditions):
        rest = conditions[0]
        for other in conditions[1:]:
            rest = t.call(f"{module}.logical_or", rest, t.clone(other))
        conditions.append(named(t.call(f"{module}.logical_not", t.clone(rest)), "where"))
    more = [named(a, "given") for a in node.args[3:]]
    options = {kw.arg: named(kw.value, kw.arg) for kw in node.keywords}
    value: Any = t.call(f"{module}.zeros_like", t.clone(x))
    for condition, function in zip(conditions, functions):
        value = t.call(unit.use(library.piece, "piece"), value, t.clone(x), t.clone(condition), function,
                       *map(t.clone, more), **{name: t.clone(option) for name, option in options.items()})
    return t.subscript(t.pack([*before, value]), t.const(-1))


# --- Iterators that are kept in a variable: `plan = iter(xs)` is an object with a position, `next(plan)` a method of it.

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
    described = readable(transparent(function)) if isinstance(function, (types.FunctionType, Function)) else None
    return described is not None and described.generator and not any(
        isinstance(n, gast.While) and isinstance(n.test, gast.Constant) for n in t.walk(described.tree))


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
        if not try_.is_attempt(s):
            return s
        path, error, exceptions = try_.parts(s)
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


# --- collections: a deque that stays in its function is a list; others, and ChainMaps, are objects of plain-Python classes.
#
# What is made in generated code may be of another class than in the function itself: questions about the class are answered so,
# or refused. (What a defaultdict does is known by its kind: `lowering.dicts`.)

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
READERS = {len, bool, sum, min, max, any, all, sorted, list, tuple, enumerate, zip, reversed, iter, set, frozenset, map, filter}
AS_DICTS = {collections.OrderedDict, collections.Counter}     # in generated code
OBJECTS = {collections.deque: Deque, collections.ChainMap: ChainMap}


class Collections(gast.NodeTransformer):
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.sizes: dict[str, str] = {}                  # name of a deque -> name of its largest length
        self.origin: Any = None
        self.users: dict[str, list] = {}                 # name -> where it is read
        self.parent = {id(child): node for node in t.walk(unit.tree) for child in gast.iter_child_nodes(node)}
        for node in t.walk(unit.tree):
            if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Load):
                self.users.setdefault(node.id, []).append(node)
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
            if self.unit.function.memory and not self.allowed:
                given = items if node.args else t.const(None)
                return gast.copy_location(t.call(node.func, given, self.size_of(node) or t.const(None)), node)
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
        for node in self.users.get(name, ()):
            user = self.parent[id(node)]
            reads = isinstance(user, (gast.Subscript, gast.For, gast.comprehension, gast.Starred)) or isinstance(
                user, gast.Attribute) and user.attr in METHODS or isinstance(user, gast.Compare) and all(
                isinstance(op, (gast.In, gast.NotIn)) for op in user.ops) or self.is_tested(node)
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

    def is_tested(self, node: Any) -> bool:
        """Whether nothing but the truth of an expression is asked for."""
        user = self.parent[id(node)]
        return isinstance(user, gast.UnaryOp) and isinstance(user.op, gast.Not) or isinstance(
            user, (gast.If, gast.While, gast.IfExp, gast.Assert)) and user.test is node or isinstance(
            user, gast.BoolOp) and self.is_tested(user)

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
