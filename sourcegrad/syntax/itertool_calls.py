"""Reified iterators: functions of itertools as comprehensions, iterators that are kept, np.piecewise."""
from __future__ import annotations

import functools
import itertools
import operator
import types
from typing import Any

import gast
import numpy as np

from sourcegrad import runtime
from sourcegrad.analysis.call_targets import instead
from sourcegrad.errors import SourceError, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.transparent import transparent
from sourcegrad.ir.unit import MISSING, Function, Unit
from sourcegrad.parse import try_
from sourcegrad.parse.resolve import describe
from sourcegrad.runtime import library

TUPLES = (itertools.combinations, itertools.permutations, itertools.combinations_with_replacement)
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


class Itertools:
    """Methods of `Iterators` for one function each; its helpers make names and comprehensions."""

    unit: Any
    lookup: Any
    fresh: Any
    use: Any
    builtin: Any
    refuse: Any
    named: Any
    applied: Any
    comprehension: Any
    listed: Any
    product_parts: Any

    def folding(self, function: Any, iterable: Any) -> tuple[gast.GeneratorExp, str]:
        """(the next value of an accumulation for every item, the name of the value so far)"""
        plain = isinstance(function, gast.Lambda) and simple(function, 2)
        names = [p.id for p in function.args.args] if plain else ["total", "item"]
        so_far, item = self.fresh(names[0]), self.fresh(names[1])
        element = self.applied(function, [so_far, item])
        return gast.GeneratorExp(elt=element, generators=[
            gast.comprehension(target=t.store(item), iter=iterable, ifs=[], is_async=0)]), so_far

    def reduced(self, node: gast.Call) -> Any:
        """reduce(next values, so far, start): `flatten` makes a loop of it."""
        if len(node.args) > 2:
            steps, name = self.folding(node.args[0], node.args[1])
            return t.call(node.func, steps, t.load(name), node.args[2])
        named, items = self.named(node.args[1])
        steps, name = self.folding(node.args[0], t.subscript(t.load(items), gast.Slice(lower=t.const(1), upper=None, step=None)))
        return t.call(node.func, steps, t.load(name), t.subscript(named, t.const(0)))

    def accumulated(self, node: gast.Call, options: dict[str, Any]) -> Any:
        function = node.args[1] if len(node.args) > 1 else options.get("func")
        if function is None or isinstance(function, gast.Constant):
            function = t.load(self.unit.use(operator.add, "add"))
        if "initial" in options:
            steps, name = self.folding(function, node.args[0])
            return t.call(node.func, steps, t.load(name), options["initial"])
        named, items = self.named(node.args[0])
        steps, name = self.folding(function, t.subscript(t.load(items), gast.Slice(lower=t.const(1), upper=None, step=None)))
        return t.call(node.func, steps, t.load(name), t.subscript(named, t.const(0)))

    def itertool(self, node: gast.Call, function: Any, options: dict[str, Any]) -> Any:
        args = node.args
        if function in TUPLES:
            return self.tuples(node, function, args, options)
        if function is itertools.product:
            if "repeat" in options or not args:
                parts = self.product_parts(node) or []
            else:
                parts = args
            names = [self.fresh("item") for _ in parts]
            parts = self.once(parts)
            return gast.ListComp(elt=t.pack([t.load(n) for n in names]), generators=[
                gast.comprehension(target=t.store(n), iter=part, ifs=[], is_async=0) for n, part in zip(names, parts)])
        if function is itertools.repeat and (len(args) == 2 or "times" in options):
            times, item = self.once([args[1] if len(args) == 2 else options["times"], args[0]])
            return self.comprehension(item, t.store(self.fresh("step")), t.call(self.builtin(range), times))
        if function is itertools.islice:
            return self.sliced(node, args)
        if function is itertools.starmap:
            return self.spread(args[0], args[1])
        if function is itertools.compress:
            names = [self.fresh("item"), self.fresh("wanted")]
            return self.comprehension(t.load(names[0]), targets(names), t.call(self.builtin(zip), *args), t.load(names[1]))
        if function is getattr(itertools, "pairwise", ()):
            named, name = self.named(args[0])
            rest = t.subscript(t.load(name), gast.Slice(lower=t.const(1), upper=None, step=None))
            return self.listed(t.call(self.builtin(zip), named, rest))
        if instead(function) is not None:
            return None
        if function is itertools.zip_longest:
            return self.longest(args, options.get("fillvalue", t.const(None)))
        self.refuse(f"`{source.expression_text(node.func)}` here", node,
                    "Use it inside zip or islice, or write a loop with a counter.")
        return None

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

    def tuples(self, node: gast.Call, function: Any, args: list, options: dict[str, Any]) -> Any:
        size = args[1] if len(args) > 1 else options.get("r")
        if not isinstance(size, gast.Constant) or not isinstance(size.value, int):
            return self.lists(node, args[0], size)
        helper = self.use(runtime.positions_of_tuples)
        items = args[0]
        if isinstance(items, gast.Call) and self.lookup(items.func) is range:
            return t.call(helper, node.func, items, size)
        named, name = self.named(items)
        positions = t.call(helper, node.func, t.call(self.builtin(range), t.call(self.builtin(len), named)), size)
        return t.call(self.use(runtime.pick_tuples), positions, *(t.load(name) for _ in range(size.value)))

    def lists(self, node: gast.Call, items: Any, size: Any) -> Any:
        """Tuples of a length that is not known beforehand, as lists."""
        named, name = self.named(items)
        count = t.call(self.builtin(len), t.load(name))
        places = t.call(self.use(runtime.positions_of_tuples), node.func, t.call(self.builtin(range), count),
                        *([] if size is None else [size]))
        order, k = self.fresh("order"), self.fresh("k")
        one = self.comprehension(t.subscript(t.load(name), t.load(k)), t.store(k), t.load(order))
        return t.subscript(t.pack([named, self.comprehension(one, t.store(order), places)]), t.const(1))

    def endless(self, s: gast.For) -> list | None:
        """A loop over count, cycle, repeat or iter(f, last) is a loop that something inside it ends."""
        call, origin = s.iter, t.origin_of(s)
        function = self.lookup(call.func) if isinstance(call, gast.Call) else MISSING
        before: list = []

        def kept(value: Any, base: str) -> Any:
            if isinstance(value, gast.Constant):
                return value
            before.append(t.assign(self.fresh(base), value, origin))
            return t.load(before[-1].targets[0].id)

        if function is iter and len(call.args) == 2 and not s.orelse:
            item = self.fresh("item")
            test = gast.Compare(left=t.load(item), ops=[gast.Eq()], comparators=[kept(call.args[1], "last")])
            first = [t.assign(item, t.call(call.args[0]), origin), t.if_(test, [t.at(gast.Break(), origin)], [], origin)]
            return self.forever(s, before, first, t.load(item))
        if function not in IN_LOOPS or function is itertools.repeat and len(call.args) + len(call.keywords) > 1:
            return None
        if function is itertools.repeat:
            return self.forever(s, before, [], kept(call.args[0], "value"))
        k = self.fresh("k")
        first = [t.assign(k, t.binop(t.load(k), gast.Add(), t.const(1)), origin)]
        test = None
        if function is itertools.count:
            call.args = [kept(a, "start") for a in call.args]
            for keyword in call.keywords:
                keyword.value = kept(keyword.value, keyword.arg)
            value = counted(call, t.load(k))
        else:
            items = kept(t.call(self.use(runtime.sequence), call.args[0]), "items")
            size = t.call(self.builtin(len), t.clone(items))
            test = gast.Compare(left=t.clone(size), ops=[gast.Gt()], comparators=[t.const(0)])
            value = t.subscript(items, t.binop(t.load(k), gast.Mod(), size))
        before.append(t.assign(k, t.const(-1), origin))
        return self.forever(s, before, first, value, test)

    def forever(self, s: gast.For, before: list, first: list, value: Any, test: Any = None) -> list:
        origin = t.origin_of(s)
        assigned = t.at(gast.Assign(targets=[s.target], value=value, type_comment=None), origin)
        loop = gast.While(test=test or t.const(True), body=[*first, assigned, *s.body], orelse=s.orelse)
        return [*before, t.at(loop, origin)]

    def sliced(self, node: gast.Call, args: list) -> Any:
        inner = args[0]
        endless = self.lookup(inner.func) if isinstance(inner, gast.Call) else MISSING
        if endless in IN_LOOPS and (endless is not itertools.repeat or len(inner.args) == 1):
            start, stop, step = (None, args[1], None) if len(args) == 2 else (*args[1:], *[None] * (4 - len(args)))
            if stop is None:
                self.refuse("islice without an end", node, "Give the number of items.")
            k = self.fresh("k")
            ends = [stop] if start is None else [start, stop] if step is None else [start, stop, step]
            steps = t.call(self.builtin(range), *ends)
            if endless is itertools.repeat:
                return self.comprehension(inner.args[0], t.store(k), steps)
            if endless is itertools.count:
                return self.comprehension(counted(inner, t.load(k)), t.store(k), steps)
            named, name = self.named(inner.args[0])
            turn = t.binop(t.load(k), gast.Mod(), t.call(self.builtin(len), t.load(name)))
            value = self.comprehension(t.subscript(t.load(name), turn), t.store(k), steps)
            return t.subscript(t.pack([named, value]), t.const(1))
        parts = (None, args[1], None) if len(args) == 2 else (*args[1:], *[None] * (4 - len(args)))
        given = [None if p is None or isinstance(p, gast.Constant) and p.value is None else p for p in parts]
        lower, upper, step = [p if p is None or isinstance(p, gast.Constant) else t.call(self.use(runtime.islice_bound), p)
                              for p in given]
        return t.subscript(t.call(self.use(runtime.sequence), inner), gast.Slice(lower=lower, upper=upper, step=step))

    def spread(self, function: Any, iterable: Any) -> gast.ListComp:
        """[function(*xs) for xs in iterable]"""
        if isinstance(function, gast.Lambda) and simple(function, len(function.args.args)):
            names = [self.fresh(p.id) for p in function.args.args]
            return self.comprehension(self.applied(function, names), targets(names), iterable)
        name = self.fresh("arguments")
        call = t.call(t.clone(function), gast.Starred(value=t.load(name), ctx=t.LOAD))
        return self.comprehension(call, t.store(name), iterable)

    def longest(self, args: list, fill: Any) -> Any:
        named = [self.named(a) for a in args]
        filled, kept = self.named(fill, "fill", sequence=False) if not isinstance(fill, gast.Constant) else (fill, "")
        k = self.fresh("k")

        def item(name: str) -> gast.IfExp:
            inside = gast.Compare(left=t.load(k), ops=[gast.Lt()], comparators=[t.call(self.builtin(len), t.load(name))])
            other = t.load(kept) if kept else t.clone(fill)
            return gast.IfExp(test=inside, body=t.subscript(t.load(name), t.load(k)), orelse=other)

        sizes = [t.call(self.builtin(len), t.load(name)) for _, name in named]
        count = t.call(self.builtin(max), *sizes) if len(sizes) > 1 else sizes[0]
        value = self.comprehension(t.pack([item(name) for _, name in named]), t.store(k), t.call(self.builtin(range), count))
        first = [expr for expr, _ in named] + ([filled] if kept else [])
        return t.subscript(t.pack([*first, value]), t.const(-1))


# --- `np.piecewise(x, [c, d], [f, g])` as one call for each piece.

def piecewise(unit: Unit, node: gast.Call) -> Any:
    """The expression for a call with displays of functions and conditions; None for others."""
    if len(node.args) != 3 or node.keywords or not isinstance(node.args[2], (gast.List, gast.Tuple)) or any(
            isinstance(a, gast.Starred) for a in (*node.args, *node.args[2].elts)):
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
    value: Any = t.call(f"{module}.zeros_like", t.clone(x))
    for condition, function in zip(conditions, functions):
        value = t.call(unit.use(library.piece, "piece"), value, t.clone(x), t.clone(condition), function)
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
