"""Loops over `map` and generator expressions take turns with them: an item is computed when the loop gets there."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import runtime, tree as t
from sourcegrad.frontend.itertool_calls import IN_LOOPS, targets
from sourcegrad.frontend.resolve import MISSING
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE


class Turns:
    """What `Iterators` does about such loops."""

    lookup: Any
    fresh: Any
    use: Any
    builtin: Any
    applied: Any
    refuse: Any

    def in_step(self, s: gast.For) -> list | None:
        """`for y in map(f, xs): BODY` is `for x in xs: y = f(x); BODY`, and likewise for a generator expression, also in
        `enumerate` and `zip`: the one function is called, and the next item computed, after BODY has seen the last."""
        origin, node, target = t.origin_of(s), s.iter, s.target
        function = self.lookup(node.func) if isinstance(node, gast.Call) else MISSING
        steps = [self.step(a, s.body) for a in node.args] if function in (enumerate, zip) else []
        before: list = []
        tests: list
        first = next((p for p, step in enumerate(steps[:-1]) if step and self.does(step[0])), None) if function is zip else None
        if first is not None and not any(step and step[3] for step in steps):
            return self.before_others(s, steps, first)
        if any(steps) and not any(step and step[3] for step in steps):
            names = [self.fresh("item") for _ in steps]
            new = [step[1] if step else t.store(n) for step, n in zip(steps, names)]
            values = [step[0] if step else t.load(n) for step, n in zip(steps, names)]
            node.args = [step[2] if step else a for step, a in zip(steps, node.args)]
            if function is enumerate:
                count = self.fresh("position")
                new, values, node.args = [t.store(count), new[0]], [t.load(count), values[0]], [node.args[0], *s.iter.args[1:]]
            element, s.target, tests = t.pack(values), gast.Tuple(elts=new, ctx=t.STORE), []
        elif function is enumerate and len(node.args) == 1 and not node.keywords and steps[0]:
            count = self.fresh("count")                      # of the items that are left
            before = [t.assign(count, t.const(0), origin)]
            value, s.target, s.iter, tests = steps[0]
            s.body.insert(0, t.assign(count, t.binop(t.load(count), gast.Add(), t.const(1)), origin))
            element = t.pack([t.load(count), value])
        else:
            step = self.step(node, s.body)
            if step is None:
                return None
            element, s.target, s.iter, tests = step
        s.body.insert(0, t.assign(target, gast.copy_location(element, node), origin))
        for test in reversed(tests):
            s.body = [t.if_(test, s.body, [], origin)]
        return [*before, s]

    def does(self, element: Any) -> bool:
        """Whether an item is computed by a function that may do more than compute: how often it is called may be seen."""
        for call in t.walk(element):
            function = self.lookup(call.func) if isinstance(call, gast.Call) else None
            if function is not None and function not in RULES and function not in ZERO_DERIVATIVE:
                return True
        return False

    def before_others(self, s: gast.For, steps: list, first: int) -> list:
        """`for y, w in zip(map(f, xs), ws)`: f is called before it is seen that ws has ended."""
        origin, args, target = t.origin_of(s), s.iter.args, s.target
        endless = [isinstance(a, gast.Call) and self.lookup(a.func) in IN_LOOPS for a in args]
        if s.orelse or any(endless):
            self.refuse("`zip` of what a function computes and of others that may end before it", s.iter,
                        "Put what is computed last, or loop over positions.")
        count = self.fresh("count")
        setup, body, values = [t.assign(count, t.const(0), origin)], [], []
        targets_here, iterables = [], []
        for position, (argument, step) in enumerate(zip(args, steps)):
            item = self.fresh("item")
            if position <= first:
                targets_here.append(step[1] if step else t.store(item))
                iterables.append(step[2] if step else argument)
            else:
                items = self.fresh("items")
                setup.append(t.assign(items, t.call(self.use(runtime.sequence), step[2] if step else argument), origin))
                size = t.call(self.builtin(len), t.load(items))
                ended = gast.Compare(left=t.load(count), ops=[gast.GtE()], comparators=[size])
                body.append(t.if_(ended, [t.at(gast.Break(), origin)], [], origin))
                body.append(t.assign(step[1] if step else item, t.subscript(t.load(items), t.load(count)), origin))
            value = self.fresh("item")
            body.append(t.assign(value, step[0] if step else t.load(item), origin))
            values.append(t.load(value))
        body += [t.assign(target, t.pack(values), origin),
                 t.assign(count, t.binop(t.load(count), gast.Add(), t.const(1)), origin)]
        s.target = targets_here[0] if first == 0 else gast.Tuple(elts=targets_here, ctx=t.STORE)
        s.iter = iterables[0] if first == 0 else gast.copy_location(t.call(self.builtin(zip), *iterables), s.iter)
        s.body[:0] = body
        return [*setup, s]

    def step(self, node: Any, body: list) -> tuple[Any, Any, Any, list] | None:
        """(element, target, iterable, tests) of a map or generator expression that takes turns with the body of its loop."""
        if isinstance(node, gast.Call) and self.lookup(node.func) is map and len(node.args) > 1 and not node.keywords and not any(
                isinstance(a, gast.Starred) for a in node.args) and isinstance(node.args[0], (gast.Name, gast.Attribute)) and not (
                bound_in(body, node.args[0])):                 # map() keeps the function that it was given
            names = [self.fresh("item") for _ in node.args[1:]]
            target = t.store(names[0]) if len(names) == 1 else targets(names)
            iterable = node.args[1] if len(names) == 1 else t.call(self.builtin(zip), *node.args[1:])
            return self.applied(node.args[0], names), target, iterable, []
        if isinstance(node, gast.GeneratorExp) and len(node.generators) == 1 and not any(
                isinstance(n, (gast.Lambda, gast.NamedExpr, gast.ListComp, gast.GeneratorExp, gast.DictComp, gast.SetComp))
                for n in list(t.walk(node))[1:]):
            [loop] = node.generators
            new = {n: self.fresh(n) for n in t.target_names(loop.target)}
            return (t.rename(node.elt, new), t.rename(loop.target, new), loop.iter, [t.rename(test, new) for test in loop.ifs])
        return None


def bound_in(body: list, function: Any) -> bool:
    """Whether statements give a name or attribute of the expression for a function another value."""
    names = {n.id for n in t.walk(function) if isinstance(n, gast.Name)}
    attributes = {n.attr for n in t.walk(function) if isinstance(n, gast.Attribute)}
    nodes = [n for s in body for n in t.walk(s) if not isinstance(getattr(n, "ctx", gast.Load()), gast.Load)]
    return any(isinstance(n, gast.Name) and n.id in names or isinstance(n, gast.Attribute) and n.attr in attributes for n in nodes)
