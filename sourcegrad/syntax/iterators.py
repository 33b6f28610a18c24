"""Loop fusion: map, filter, zip and itertools become comprehensions, or take turns with their loop.

An iterator is read once and from front to back; a list of what it gives is the same thing as long as nothing that it reads
changes meanwhile, and its adjoint is known. Lambdas are written out where they are used.
"""
from __future__ import annotations

import bisect
import collections
import functools
import itertools
import operator
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sourcegrad import runtime
from sourcegrad.analysis.purity import pure, pure_call
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import hashable
from sourcegrad.ir.unit import Function, Unit, local_names
from sourcegrad.primitives.core import RULES, ZERO_DERIVATIVE, of_user
from sourcegrad.syntax import library_calls
from sourcegrad.syntax.array_calls import of_floats, with_axes, with_subscripts
from sourcegrad.syntax.library_calls import IN_LOOPS, REFUSED, Expressions, collections_calls, kept, piecewise, targets

# --- Loops over `map` and generator expressions take turns with them: an item is computed when the loop gets there.


def in_step(make: Expressions, s: gast.For) -> list | None:
    """`for y in map(f, xs): BODY` is `for x in xs: y = f(x); BODY`, and likewise for a generator expression, also in
    `enumerate` and `zip`: the one function is called, and the next item computed, after BODY has seen the last."""
    origin, node, target = t.origin_of(s), s.iter, s.target
    function = make.lookup(node.func) if isinstance(node, gast.Call) else MISSING
    steps = [turn_of(make, a, s.body) for a in node.args] if function in (enumerate, zip) else []
    before: list = []
    tests: list
    first = next((p for p, step in enumerate(steps[:-1]) if step and does(make, step[0])), None) if function is zip else None
    if first is not None and not any(step and step[3] for step in steps):
        return before_others(make, s, steps, first)
    if any(steps) and not any(step and step[3] for step in steps):
        names = [make.fresh("item") for _ in steps]
        new = [step[1] if step else t.store(n) for step, n in zip(steps, names)]
        values = [step[0] if step else t.load(n) for step, n in zip(steps, names)]
        node.args = [step[2] if step else a for step, a in zip(steps, node.args)]
        if function is enumerate:
            count = make.fresh("position")
            new, values, node.args = [t.store(count), new[0]], [t.load(count), values[0]], [node.args[0], *s.iter.args[1:]]
        element, s.target, tests = t.pack(values), gast.Tuple(elts=new, ctx=t.STORE), []
    elif function is enumerate and len(node.args) == 1 and not node.keywords and steps[0]:
        count = make.fresh("count")                      # of the items that are left
        before = [t.assign(count, t.const(0), origin)]
        value, s.target, s.iter, tests = steps[0]
        s.body.insert(0, t.assign(count, t.binop(t.load(count), gast.Add(), t.const(1)), origin))
        element = t.pack([t.load(count), value])
    else:
        step = turn_of(make, node, s.body)
        if step is None:
            return None
        element, s.target, s.iter, tests = step
    s.body.insert(0, t.assign(target, gast.copy_location(element, node), origin))
    for test in reversed(tests):
        s.body = [t.if_(test, s.body, [], origin)]
    return [*before, s]


def does(make: Expressions, element: Any) -> bool:
    """Whether an item is computed by a function that may do more than compute: how often it is called may be seen."""
    for call in t.walk(element):
        function = make.lookup(call.func) if isinstance(call, gast.Call) else None
        if function is not None and function not in RULES and function not in ZERO_DERIVATIVE:
            return True
    return False


def before_others(make: Expressions, s: gast.For, steps: list, first: int) -> list:
    """`for y, w in zip(map(f, xs), ws)`: f is called before it is seen that ws has ended."""
    origin, args, target = t.origin_of(s), s.iter.args, s.target
    endless = [isinstance(a, gast.Call) and make.lookup(a.func) in IN_LOOPS for a in args]
    if s.orelse or any(endless):
        make.refuse("`zip` of what a function computes and of others that may end before it", s.iter,
                    "Put what is computed last, or loop over positions.")
    count = make.fresh("count")
    setup, body, values = [t.assign(count, t.const(0), origin)], [], []
    targets_here, iterables = [], []
    for position, (argument, step) in enumerate(zip(args, steps)):
        item = make.fresh("item")
        if position <= first:
            targets_here.append(step[1] if step else t.store(item))
            iterables.append(step[2] if step else argument)
        else:
            items = make.fresh("items")
            setup.append(t.assign(items, t.call(make.use(runtime.sequence), step[2] if step else argument), origin))
            size = t.call(make.use(len), t.load(items))
            ended = gast.Compare(left=t.load(count), ops=[gast.GtE()], comparators=[size])
            body.append(t.if_(ended, [t.at(gast.Break(), origin)], [], origin))
            body.append(t.assign(step[1] if step else item, t.subscript(t.load(items), t.load(count)), origin))
        value = make.fresh("item")
        body.append(t.assign(value, step[0] if step else t.load(item), origin))
        values.append(t.load(value))
    body += [t.assign(target, t.pack(values), origin),
             t.assign(count, t.binop(t.load(count), gast.Add(), t.const(1)), origin)]
    s.target = targets_here[0] if first == 0 else gast.Tuple(elts=targets_here, ctx=t.STORE)
    s.iter = iterables[0] if first == 0 else gast.copy_location(t.call(make.use(zip), *iterables), s.iter)
    s.body[:0] = body
    return [*setup, s]


def turn_of(make: Expressions, node: Any, body: list) -> tuple[Any, Any, Any, list] | None:
    """(element, target, iterable, tests) of a map or generator expression that takes turns with the body of its loop."""
    if isinstance(node, gast.Call) and make.lookup(node.func) is map and len(node.args) > 1 and not node.keywords and not any(
            isinstance(a, gast.Starred) for a in node.args) and isinstance(node.args[0], (gast.Name, gast.Attribute)) and not (
            bound_in(body, node.args[0])):                 # map() keeps the function that it was given
        names = [make.fresh("item") for _ in node.args[1:]]
        target = t.store(names[0]) if len(names) == 1 else targets(names)
        iterable = node.args[1] if len(names) == 1 else t.call(make.use(zip), *node.args[1:])
        return make.applied(node.args[0], names), target, iterable, []
    if isinstance(node, gast.GeneratorExp) and len(node.generators) == 1 and not any(
            isinstance(n, (gast.Lambda, gast.NamedExpr, gast.ListComp, gast.GeneratorExp, gast.DictComp, gast.SetComp))
            for n in list(t.walk(node))[1:]):
        [loop] = node.generators
        new = {n: make.fresh(n) for n in t.target_names(loop.target)}
        return (t.rename(node.elt, new), t.rename(loop.target, new), loop.iter, [t.rename(test, new) for test in loop.ifs])
    return None


def bound_in(body: list, function: Any) -> bool:
    """Whether statements give a name or attribute of the expression for a function another value."""
    names = {n.id for n in t.walk(function) if isinstance(n, gast.Name)}
    attributes = {n.attr for n in t.walk(function) if isinstance(n, gast.Attribute)}
    nodes = [n for s in body for n in t.walk(s) if not isinstance(getattr(n, "ctx", gast.Load()), gast.Load)]
    return any(isinstance(n, gast.Name) and n.id in names or isinstance(n, gast.Attribute) and n.attr in attributes for n in nodes)


GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
LAZY = (zip, enumerate, map, filter, reversed)
ONE_BY_ONE = (functools.reduce, filter, itertools.chain.from_iterable, runtime.sequence)


class Iterators(gast.NodeTransformer):
    def __init__(self, unit: Unit) -> None:
        self.unit, self.make = unit, Expressions(unit)
        self.later: list | None = []        # what runs after the block that is looked at; None: the block may run again
        self.read: set[int] = set()         # ids of the iterators that are read to their end where they stand,
        self.held: set[int] = set()         # of the names that stand for an iterator,
        self.turns: dict[int, bool] = {}    # and of iterators that take turns with who reads them: may that be left early?
        self.acts = not unit.function.pure and any(may_act(self.make, n) for n in t.walk(unit.tree))

    # --- statements

    def statements(self, block: list) -> list:
        result: list = []
        later = self.later
        for position, s in enumerate(block):
            self.make.origin = t.origin_of(s) or self.make.origin
            rest = block[position + 1:]
            self.later = None if later is None or isinstance(s, (gast.For, gast.While, gast.FunctionDef)) else [*rest, *later]
            if isinstance(s, gast.Assign) and lazy(self.make.lookup, s.value) and all(
                    isinstance(x, gast.Subscript) and isinstance(x.slice, gast.Slice) for x in s.targets):
                self.at_once(s.value)
                s.value = t.call(self.make.use(list), s.value)           # xs[:2] = reversed(ys): read at once
            if isinstance(s, gast.Assign) and lazy(self.make.lookup, s.value):
                (self.in_turns if t.is_name(s.targets[0]) else self.at_once)(s.value)
                self.held.add(check_read_once(self.make, s, rest if later is None else [*rest, *later], again=later is None))
            result += self.statement(s)
        self.later = later
        return result

    def statement(self, s: Any) -> list:
        if isinstance(s, gast.FunctionDef):
            s.body = self.statements(s.body)
            return [s]
        if isinstance(s, gast.AugAssign):
            self.in_turns(s.value)
        if isinstance(s, gast.For):
            new = library_calls.endless(self.make, s)
            if new is not None:
                return self.statements(new)
            new = in_step(self.make, s)
            if new is not None:
                return self.statements(new)
            check_unchanged(self.make, s.iter, s.body)
            s.iter = self.iterable(s.iter)
            new = product_loop(self, s)
            if new is not None:
                return new
        for name, value in gast.iter_fields(s):
            if name in t.BLOCKS and isinstance(value, list):
                setattr(s, name, self.statements(value))
            elif isinstance(s, gast.For) and name == "iter":
                continue
            elif isinstance(value, gast.AST):
                setattr(s, name, self.visit(value))
            elif isinstance(value, list):
                setattr(s, name, [self.visit(v) if isinstance(v, gast.AST) else v for v in value])
        if isinstance(s, gast.Expr) and isinstance(s.value, gast.Call):
            return self.call_statement(s, s.value)
        if isinstance(s, gast.Delete):
            return delete(self.make, s)
        return [s]

    def call_statement(self, s: gast.Expr, call: gast.Call) -> list:
        """xs.sort(key=f) is xs[:] = sorted(xs, key=f)."""
        keys = {kw.arg for kw in call.keywords}
        if isinstance(call.func, gast.Attribute) and call.func.attr == "sort" and "key" in keys and not call.args:
            whole = gast.Subscript(value=t.clone(call.func.value), ctx=t.STORE,
                                   slice=gast.Slice(lower=None, upper=None, step=None))
            value = gast.Call(func=t.load(self.make.use(sorted)), args=[call.func.value], keywords=call.keywords)
            return [t.at(gast.Assign(targets=[whole], value=self.visit(gast.copy_location(value, call)), type_comment=None),
                         t.origin_of(s))]
        return [s]

    # --- iterables of loops and comprehensions

    def iterable(self, node: Any, alone: bool = True, early: bool = False) -> Any:
        """What a loop iterates over: zip, enumerate and reversed stay, as loops go by position. alone: it is all of that; early:
        the loop may end before it does."""
        self.in_turns(node, early=early)
        function = self.make.lookup(node.func) if isinstance(node, gast.Call) else MISSING
        early |= function is zip and len({as_long_as(self.make.lookup, a) or id(a) for a in node.args}) > 1
        bounded = function is itertools.repeat and len(node.args) + len(node.keywords) > 1
        if function in (zip, enumerate, reversed, *IN_LOOPS) and not bounded and not any(
                isinstance(a, gast.Starred) for a in node.args):
            node.args = [self.iterable(a, False, early) for a in node.args]
            for keyword in node.keywords:
                keyword.value = self.visit(keyword.value)
            return node
        if function is iter and len(node.args) == 1 and not isinstance(node.args[0], gast.Starred):
            return self.iterable(node.args[0], alone, early)
        if function is itertools.product and alone:
            node.args = [self.visit(a) for a in node.args]
            return node
        if function is np.ndenumerate:
            array, name = self.make.named(self.visit(node.args[0]), "array", sequence=False)
            module = self.unit.use(np, "np")
            places = t.call(f"{module}.ndindex", t.call(f"{module}.shape", array))
            return gast.copy_location(t.call(self.make.use(zip), places, t.call(f"{module}.ravel", t.load(name))), node)
        return self.visit(node)

    def visit_ListComp(self, node: Any) -> Any:
        node.generators = self.generators(node.generators, node.elt)
        node.elt = self.visit(node.elt)
        return node

    visit_SetComp = visit_ListComp

    # --- iterators that are handed on

    def at_once(self, *nodes: Any) -> None:
        self.read.update(id(n.value if isinstance(n, (gast.Starred, gast.keyword)) else n) for n in nodes)

    def in_turns(self, *nodes: Any, early: bool = False) -> None:
        self.at_once(*nodes)
        self.turns.update(dict.fromkeys([id(n) for n in nodes if lazy(self.make.lookup, n)], early))

    def marked(self, node: Any, items: Any) -> Any:
        """The items of an iterator with a mark, unless they are read where it stands: who is handed them must read them once
        (`lowering.calls`), and who takes turns with it must not see that it is read before (`memory.heap`)."""
        early = self.turns.get(id(node))
        if id(node) in self.read and (early is None or not self.acts or isinstance(items, gast.Call)):
            return items
        if isinstance(items, gast.GeneratorExp):
            items = gast.copy_location(gast.ListComp(elt=items.elt, generators=items.generators), items)
        left = [] if early is None else [t.const(early)]
        return gast.copy_location(t.call(self.make.use(runtime.read_once), items, *left), node)

    def visit_GeneratorExp(self, node: Any) -> Any:
        return self.marked(node, self.visit_ListComp(node))

    def visit_Name(self, node: gast.Name) -> Any:
        return self.marked(node, node) if id(node) in self.held - self.read else node

    def visit_Starred(self, node: gast.Starred) -> Any:
        self.at_once(node)
        return self.generic_visit(node)

    def visit_DictComp(self, node: Any) -> Any:
        node.generators = self.generators(node.generators, node.key, node.value)
        node.key, node.value = self.visit(node.key), self.visit(node.value)
        return node

    def generators(self, generators: list, *inside: Any) -> list:
        result = []
        for g in generators:
            check_unchanged(self.make, g.iter, inside)
            g.iter = self.iterable(g.iter)
            g.ifs = [self.visit(test) for test in g.ifs]
            parts = self.make.product_parts(g.iter)
            if parts is None:
                result.append(g)
            elif isinstance(g.target, gast.Tuple) and len(g.target.elts) == len(parts):
                for position, (target, part) in enumerate(zip(g.target.elts, parts)):
                    last = position == len(parts) - 1
                    result.append(gast.comprehension(target=target, iter=part, ifs=g.ifs if last else [], is_async=0))
            else:
                g.iter = self.visit(g.iter)
                result.append(g)
        return result

    # --- calls

    def visit_Call(self, node: gast.Call) -> Any:
        function = self.make.lookup(node.func)
        if reads_all(self.make.lookup, node):
            self.at_once(*node.args, *node.keywords)
            keyed = function in (min, max) and any(kw.arg == "key" for kw in node.keywords)
            library = getattr(function, "__module__", "") == "itertools" and function is not itertools.chain
            longer = isinstance(node.func, gast.Attribute) and node.func.attr == "extend"
            others = [a for a in (*node.args[1:], *(kw.value for kw in node.keywords)) if not lazy(self.make.lookup, a)]
            before = not all(isinstance(a, gast.Lambda) or pure(a, self.unit) for a in others)        # computed before it is read
            if keyed or library or longer or before or function in ONE_BY_ONE:
                self.in_turns(*node.args, early=function in (itertools.islice, runtime.sequence))
        is_lazy, asked = lazy(self.make.lookup, node), function in (any, all) and lazy(self.make.lookup, node.args[0])
        items = self.call(node, function)
        if asked and isinstance(items.args[0], gast.ListComp):                          # `anf` stops as they do
            items.args[0] = gast.GeneratorExp(elt=items.args[0].elt, generators=items.args[0].generators)
        return self.marked(node, items) if is_lazy else items

    def call(self, node: gast.Call, function: Any) -> Any:
        if function is np.ndenumerate:
            return self.visit_Call(self.iterable(node))
        if isinstance(node.func, gast.Attribute) and node.func.attr == "__getattribute__" and len(node.args) == 1:
            return self.visit_Call(gast.copy_location(t.call(self.make.use(getattr), node.func.value, node.args[0]), node))
        if function in GETTERS and node.args and not any(isinstance(a, gast.Starred) for a in node.args):
            return gast.copy_location(self.make.getter(self.generic_visit(node)), node)
        if isinstance(node.func, gast.Call) and self.make.lookup(node.func.func) in GETTERS and len(node.args) == 1:
            return gast.copy_location(self.make.called(self.visit(node.func), self.visit(node.args[0])), node)
        if function in library_calls.OPERATIONS and len(node.args) == 2 and not node.keywords and not any(
                isinstance(a, gast.Starred) for a in node.args):
            left, right = map(self.visit, node.args)
            return gast.copy_location(t.binop(left, library_calls.OPERATIONS[function](), right), node)
        if function in (zip, enumerate) and not any(isinstance(a, gast.Starred) for a in node.args):
            return gast.copy_location(self.make.listed(self.iterable(node)), node)
        if function is next:
            return self.next_of(node)
        if function is itertools.islice and self.make.lookup(getattr(node.args[0], "func", None)) in IN_LOOPS:
            node.args = [self.generic_visit(node.args[0]), *(self.visit(a) for a in node.args[1:])]
        elif function is map:
            node.args = [self.visit(node.args[0]), *(self.iterable(a, False, len(node.args) > 2) for a in node.args[1:])]
        else:
            node = self.generic_visit(node)
        if function in REFUSED:
            self.make.refuse(f"`{source.expression_text(node.func)}`", node, REFUSED[function])
        if function is np.einsum:
            return with_subscripts(node)
        if function is np.tensordot:
            return with_axes(node)
        if function is np.vectorize:
            return of_floats(self.make, node)
        if function is np.piecewise:
            return gast.copy_location(piecewise(self.unit, node) or node, node)
        new = rewritten(self.make, node, function, {kw.arg: kw.value for kw in node.keywords})
        return node if new is None else gast.copy_location(new, node)

    def visit_BinOp(self, node: gast.BinOp) -> Any:
        """d.keys() - other: what a view of keys is in arithmetic and comparisons is a set."""
        self.generic_visit(node)
        node.left, node.right = self.as_set(node.left), self.as_set(node.right)
        return node

    def visit_Compare(self, node: gast.Compare) -> Any:
        self.generic_visit(node)
        if not any(isinstance(op, (gast.In, gast.NotIn, gast.Is, gast.IsNot)) for op in node.ops):
            node.left, node.comparators = self.as_set(node.left), [self.as_set(c) for c in node.comparators]
        return node

    def as_set(self, node: Any) -> Any:
        keys = isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr == "keys" and not node.args
        return gast.copy_location(t.call(self.make.use(set), node), node) if keys else node

    def visit_Lambda(self, node: gast.Lambda) -> Any:
        node.body = self.visit(node.body)
        return node

    def next_of(self, node: gast.Call) -> Any:
        """next(iter(xs)) and next(x for x in xs if ...) read the first item."""
        first = node.args[0]
        if isinstance(first, gast.Call) and self.make.lookup(first.func) is iter and len(first.args) == 1:
            first = first.args[0]
            one_item(self, first)
            items = self.visit(first)
        elif isinstance(first, (gast.GeneratorExp, gast.Call)):
            one_item(self, first)
            items = self.visit(first)
            if isinstance(items, gast.GeneratorExp):
                items = gast.ListComp(elt=items.elt, generators=items.generators)
        else:
            self.make.refuse("`next` of an iterator that is kept in a variable", node, "Index the sequence: xs[0], xs[1] ...")
        if len(node.args) == 1:
            return gast.copy_location(t.subscript(self.make.some(items, "next")[0], t.const(0)), node)
        named, name = self.make.named(items)
        first = t.subscript(t.load(name), t.const(0))
        return gast.copy_location(self.make.unless_empty(named, first, self.visit(node.args[1])), node)

def product_loop(state: Iterators, s: gast.For) -> list | None:
    """`for x, y in product(a, b)` is a loop in a loop, unless it is left early."""
    parts = state.make.product_parts(s.iter)
    if parts is None:
        return None
    if not isinstance(s.target, (gast.Tuple, gast.List)) or len(s.target.elts) != len(parts) or s.orelse or leaves(s.body):
        s.iter = state.visit(s.iter)
        return None
    origin = t.origin_of(s)
    before: list = []
    kept = []
    for part in parts:
        if not isinstance(part, gast.Name) and not (isinstance(part, gast.Call) and state.make.lookup(part.func) is range):
            name = state.make.fresh("items")
            before.append(t.assign(name, t.call(state.make.use(runtime.sequence), part), origin))
            part = t.load(name)
        kept.append(part)
    body = state.statements(s.body)
    for target, part in reversed(list(zip(s.target.elts, kept))):
        body = [t.at(gast.For(target=target, iter=part, body=body, orelse=[], type_comment=None), origin)]
    return [*before, *body]


def one_item(state: Iterators, node: Any) -> None:
    """One item is read, and no more: it matters where that is seen."""
    if isinstance(node, gast.Call) or any(may_act(state.make, n) for n in t.walk(node)):
        state.in_turns(node, early=True)
    else:
        state.at_once(node)


def may_act(make: Expressions, node: Any) -> bool:
    """Whether a node may do more than compute."""
    if isinstance(node, gast.Call):
        first = node.args[0] if make.lookup(node.func) is next else node
        return not pure_call(node, make.unit) and not lazy(make.lookup, first)
    return isinstance(node, (gast.NamedExpr, gast.Nonlocal, gast.Delete, gast.AugAssign)) or isinstance(
        node, (gast.Attribute, gast.Subscript)) and not isinstance(node.ctx, gast.Load)


def as_long_as(lookup: Callable[[Any], Any], node: Any) -> str | None:
    """The name of what has as many items as an iterable."""
    function = lookup(node.func) if isinstance(node, gast.Call) else MISSING
    if function in (map, enumerate, reversed) and len(node.args) == 1 + (function is map):
        return as_long_as(lookup, node.args[-1])
    if isinstance(node, gast.GeneratorExp) and len(node.generators) == 1 and not node.generators[0].ifs:
        return as_long_as(lookup, node.generators[0].iter)
    return node.id if isinstance(node, gast.Name) else None


def lazy(lookup: Callable[[Any], Any], value: Any) -> bool:
    """Whether an expression gives an iterator, which can be read only once."""
    if isinstance(value, gast.GeneratorExp):
        return True
    function = lookup(value.func) if isinstance(value, gast.Call) else MISSING
    return function in (*LAZY, runtime.read_once) or getattr(function, "__module__", "") == "itertools" or (
        function == itertools.chain.from_iterable)


def reads_all(lookup: Callable[[Any], Any], node: gast.Call) -> bool:
    """Whether a call reads the iterators that it gets to their end: one of what Python and NumPy have."""
    function = lookup(node.func)
    if function is MISSING and isinstance(node.func, gast.Attribute):
        return any(hasattr(cls, node.func.attr) for cls in (list, dict, set, str, collections.deque, collections.Counter))
    return function is not MISSING and not of_user(function)


def gives_iterator(function: Function) -> bool:
    """Whether a function returns an iterator, as `return zip(xs, ys)` does."""
    lookup = functools.partial(_lookup, function)
    return any(isinstance(s, gast.Return) and lazy(lookup, s.value) for s in t.statements(function.tree.body))


def reads_once(function: Function, parameter: str) -> bool:
    """Whether a function reads an iterator that it gets for a parameter once, to its end."""
    tree = function.tree
    reads = [n for n in t.walk(tree) if isinstance(n, gast.Name) and n.id == parameter and not isinstance(n.ctx, gast.Param)]
    if len(reads) != 1 or any(t.is_name(p, parameter) for p in (tree.args.vararg, tree.args.kwarg) if p):
        return False
    lookup = functools.partial(_lookup, function)
    taken = False
    repeated: list = []
    for node in t.walk(tree):
        if isinstance(node, (gast.For, gast.comprehension)):
            taken = taken or node.iter is reads[0]
        elif isinstance(node, gast.Starred):
            taken = taken or node.value is reads[0]
        elif isinstance(node, gast.Call):
            taken = taken or reads_all(lookup, node) and any(a is reads[0] for a in node.args)
        if isinstance(node, (gast.For, gast.While)):
            repeated += node.body if isinstance(node, gast.For) else [node]
        elif isinstance(node, (gast.Lambda, gast.FunctionDef)) and node is not tree:
            repeated.append(node)
        elif hasattr(node, "generators"):
            repeated += repeated_parts(node)
    return taken and not any(n is reads[0] for part in repeated for n in t.walk(part))


def repeated_parts(comprehension: Any) -> list:
    """What a comprehension evaluates for every item."""
    node = comprehension
    values = [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]
    return [*values, *(g.iter for g in node.generators[1:]), *(test for g in node.generators for test in g.ifs)]


def _lookup(function: Function, node: Any) -> Any:
    """The object that an expression names in the tree of a function, or MISSING."""
    if isinstance(node, gast.Name):
        found = MISSING if node.id in function.local else function.scope.lookup(node.id)
    else:
        owner = _lookup(function, node.value) if isinstance(node, gast.Attribute) else MISSING
        found = getattr(owner, node.attr, MISSING) if isinstance(owner, (types.ModuleType, type)) else MISSING
    return found if hashable(found) else MISSING


def check_read_once(make: Expressions, s: gast.Assign, later: list, again: bool) -> int:
    """An iterator in a variable is a list if it is read once, further down, before anything it reads changes: the id of the
    name that reads it. again: what comes before it may run after it, too."""
    target = s.targets[0]
    name = target.id if isinstance(target, gast.Name) and len(s.targets) == 1 else None
    if name is None and isinstance(target, gast.Tuple):
        return 0                                        # a, b = map(...): read at once
    inner = [f for f in t.walk(make.unit.tree) if isinstance(f, gast.FunctionDef) and f is not make.unit.tree]
    reads = [n for part in ([make.unit.tree] if again else [*later, *inner]) for n in t.walk(part)
             if isinstance(n, gast.Name) and n.id == name and not isinstance(n.ctx, gast.Store)]
    sources = set(t.reads(s.value))
    for other in later if len(reads) == 1 else ():
        header = other.iter if isinstance(other, gast.For) else None if hasattr(other, "body") else other
        if header is not None and any(n is reads[0] for n in t.walk(header)):
            repeated = [part for n in t.walk(header) if hasattr(n, "generators") for part in repeated_parts(n)]
            if not any(n is reads[0] for part in repeated for n in t.walk(part)) and not any(
                    isinstance(n, gast.Lambda) for n in t.walk(header)):
                return id(reads[0])
        if any(isinstance(n, (gast.Name,)) and n.id in sources for n in t.walk(other)):
            break
    make.refuse("an iterator that is kept in a variable", s.value,
                "Use a list comprehension or the sequence itself: an iterator can be read only once.")


def check_unchanged(make: Expressions, iterable: Any, body: Any) -> None:
    """Refuse a loop that changes what an iterator of itertools reads: some see the change, some hold what was there before."""
    calls = [n for n in t.walk(iterable) if isinstance(n, gast.Call) and (make.lookup(n.func) in FLAT or getattr(
        make.lookup(n.func), "__module__", "") == "itertools")]
    sources = {root.id for call in calls for a in call.args if (root := root_of(a)) is not None}
    held = any(make.lookup(call.func) is itertools.product for call in calls)
    inner = [s for s in t.walk(make.unit.tree) if isinstance(s, gast.FunctionDef) and s is not make.unit.tree] if sources else []
    for part, own in [*((s, set()) for s in body), *((s, local_names(s)) for s in inner)] if sources else ():
        for node in t.walk(part):
            stored = not isinstance(getattr(node, "ctx", t.LOAD), gast.Load)
            root = root_of(node) if isinstance(node, gast.Attribute) and node.attr in CHANGING or stored and (
                held or not isinstance(node, gast.Name)) else node.target if isinstance(node, gast.AugAssign) else None
            if isinstance(root, gast.Name) and root.id in sources - own:
                make.refuse(f"a loop that changes '{root.id}', which an iterator of itertools reads", iterable,
                            f"Loop over a copy: list({root.id}), or write the loops out.")


FLAT = (itertools.chain.from_iterable, filter)
CHANGING = ("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "fill", "put", "update", "setdefault")


def root_of(node: Any) -> Any:
    """The name in `x.a[i]`."""
    while isinstance(node, (gast.Attribute, gast.Subscript, gast.Starred)):
        node = node.value
    return node if isinstance(node, gast.Name) else None


def delete(make: Expressions, s: gast.Delete) -> list:
    """del xs[i] is a method call; what it does depends on what xs is."""
    new: list = []
    for target in s.targets:
        if isinstance(target, gast.Subscript):
            index = target.slice
            if isinstance(index, gast.Slice):
                index = t.subscript(t.dotted(f"{make.unit.use(np, 'np')}.s_"), index)
            base = target.value
            for item in t.walk(base):
                if isinstance(getattr(item, "ctx", None), gast.Del):
                    item.ctx = t.LOAD
            call = gast.copy_location(t.call(t.attribute(base, "__delitem__"), index), target)
            new.append(t.effect(call, t.origin_of(s)))
        else:
            new.append(t.at(gast.Delete(targets=[target]), t.origin_of(s)))
    return new


def rewritten(make: Expressions, node: gast.Call, function: Any, options: dict[str, Any]) -> Any:
    args = node.args
    starred = any(isinstance(a, gast.Starred) for a in args)
    if function is zip:
        if len(args) == 1 and starred:
            return t.call(make.use(runtime.item_columns), args[0].value)
        make.refuse("`zip` of some sequences and of `*` others", node, "Write the sequences out.")
    if function is reversed and not (isinstance(args[0], gast.Call) and make.lookup(args[0].func) is range):
        back = gast.Slice(lower=None, upper=None, step=t.const(-1))
        return t.subscript(t.call(make.use(runtime.sequence), args[0]), back)
    if starred and function in (min, max) and len(args) == 1:
        node.args = args = [args[0].value]
        starred = False
    if function == itertools.chain.from_iterable or (function is itertools.chain and starred and len(args) == 1):
        outer, inner = make.fresh("part"), make.fresh("item")
        first = args[0].value if starred else args[0]
        return gast.ListComp(elt=t.load(inner), generators=[
            gast.comprehension(target=t.store(outer), iter=first, ifs=[], is_async=0),
            gast.comprehension(target=t.store(inner), iter=t.load(outer), ifs=[], is_async=0)])
    if function is itertools.chain:
        marked = any(isinstance(a, gast.Call) and make.lookup(a.func) is runtime.read_once for a in args) and not starred
        named = [make.named(a, sequence=False) for a in args if marked]             # all are computed before any is read
        items = [gast.Starred(value=t.load(name), ctx=t.LOAD) for _, name in named] or [
            a if isinstance(a, gast.Starred) else gast.Starred(value=a, ctx=t.LOAD) for a in args]
        whole = gast.List(ctx=t.LOAD, elts=items)
        return t.subscript(t.pack([*(a for a, _ in named), whole]), t.const(-1)) if named else whole
    if starred:
        return None
    if function is map and len(args) > 1:
        return make.mapped(args[0], args[1:])
    if function in (filter, itertools.filterfalse):
        return filtered(make, args[0], args[1], function is not filter)
    if function in (sorted, min, max) and ("key" in options or "default" in options):
        return by_key(make, node, function, options)
    if function in (bisect.bisect_left, bisect.bisect_right) and "key" in options and not is_none(options["key"]):
        node.args[0] = make.mapped(options["key"], [args[0]])
        node.keywords = [kw for kw in node.keywords if kw.arg != "key"]
    if function in (list, tuple) and len(args) == 1 and isinstance(args[0], gast.ListComp):
        return args[0] if function is list else None
    if function is functools.reduce:
        return library_calls.reduced(make, node)
    if function in (dict, collections.OrderedDict):
        return make_dict(make, node, options)
    if function == dict.fromkeys:
        key = make.fresh("key")
        keys, value = make.once([args[0], args[1] if len(args) > 1 else t.const(None)])
        return gast.DictComp(key=t.load(key), value=value, generators=[
            gast.comprehension(target=t.store(key), iter=keys, ifs=[], is_async=0)])
    if getattr(function, "__module__", "") == "itertools":
        return library_calls.itertool(make, node, function, options)
    return None


def is_none(node: Any) -> bool:
    return isinstance(node, gast.Constant) and node.value is None


def filtered(make: Expressions, function: Any, iterable: Any, negated: bool) -> gast.ListComp:
    name = make.fresh("item")
    test = t.load(name) if is_none(function) else make.applied(function, [name])
    if negated:
        test = gast.UnaryOp(op=gast.Not(), operand=test)
    return make.comprehension(t.load(name), t.store(name), iterable, test)


def by_key(make: Expressions, node: gast.Call, function: Any, options: dict[str, Any]) -> Any:
    """sorted, min and max by a key, and of a sequence that may be empty."""
    items = node.args[0] if len(node.args) == 1 else t.pack(node.args)
    key = options.get("key")
    if is_none(key):
        key = None
    named, name = make.named(items)
    if key is None:
        if function is sorted:
            node.keywords = [kw for kw in node.keywords if kw.arg != "key"]
            return None
        value: Any = t.call(make.use(function), t.load(name))
        if "default" not in options:
            return t.call(make.use(function), items)
        return make.unless_empty(named, value, options["default"])
    keys = make.mapped(key, [t.load(name)])
    if function is sorted:
        order = t.call(make.use(runtime.sorted_positions), keys, *([options["reverse"]] if "reverse" in options else []))
        return t.call(make.use(runtime.reorder), named, order)
    position = t.call(make.use(runtime.extreme_position), keys, t.const(function is max))
    if "default" in options:
        return make.unless_empty(named, t.subscript(t.load(name), position), options["default"])
    return t.subscript(named, position)


def make_dict(make: Expressions, node: gast.Call, options: dict[str, Any]) -> Any:
    entries = [(None if kw.arg is None else t.const(kw.arg), kw.value) for kw in node.keywords]
    if not node.args:
        return gast.Dict(keys=[key for key, _ in entries], values=[value for _, value in entries])
    first = node.args[0]
    if isinstance(first, (gast.ListComp, gast.GeneratorExp)) and isinstance(first.elt, gast.Tuple) and len(first.elt.elts) == 2:
        first = gast.DictComp(key=first.elt.elts[0], value=first.elt.elts[1], generators=first.generators)
    elif not isinstance(first, (gast.Dict, gast.DictComp)):
        first = t.call(make.use(dict), first)
    if not entries:
        return first
    return gast.Dict(keys=[None, *(key for key, _ in entries)], values=[first, *(value for _, value in entries)])


def leaves(body: list) -> bool:
    """Whether a loop body has a `break` of its own."""
    for s in body:
        if isinstance(s, gast.Break):
            return True
        if isinstance(s, gast.If) and (leaves(s.body) or leaves(s.orelse)):
            return True
    return False


def iterators(unit: Unit) -> Unit:
    """Write iterators as comprehensions and loops."""
    kept(unit)
    collections_calls(unit)
    unit.tree.body = Iterators(unit).statements(unit.tree.body)
    return unit
