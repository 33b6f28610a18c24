"""The functions of itertools, and accumulations, as comprehensions: a part of `frontend.iterators`."""
from __future__ import annotations

import functools
import itertools
import operator
from typing import Any

import gast
import numpy as np

from sourcegrad import runtime, source, tree as t
from sourcegrad.frontend.mapping import instead
from sourcegrad.frontend.resolve import MISSING

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
