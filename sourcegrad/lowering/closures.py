"""Inner functions that are arguments, and what `*args` and `**options` take: each number is passed under a name of its own.

    def field(t, y): return -k * y              y = rk4(field, y, t, dt)            z = checked(f, a, b, scale=c)
                                                y = rk4(y, t, dt, k=field[0])       z = checked(f, args_0=a, args_1=b, scale=c)
"""
from __future__ import annotations

import collections
import types
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k
from sourcegrad.analysis import call_targets
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import hashable
from sourcegrad.ir.unit import Function, Maker, Unit
from sourcegrad.primitives.core import RULES, of_user, primitive_of

MOST = 6                                # values that are passed
METHODS = ("dot", "sum", "mean", "copy", "reshape", "ravel", "max", "min", "conj", "transpose")
PLAIN = (float, int, abs, len, min, max, sum, range, np.where)


class Made:
    """What inner functions capture that are made once in a function: names which nothing assigns again."""

    def __init__(self, unit: Unit) -> None:
        writes = collections.Counter(n for s in t.statements(unit.tree.body) for n in t.writes(s))
        lasting = {n for n, count in writes.items() if count == 1} - set(unit.parameters)
        lasting |= {n for n in unit.parameters if n not in writes}
        self.captured: dict[str, list] = {}
        for s in t.statements(unit.tree.body):
            call = getattr(s, "value", None)
            if isinstance(s, gast.Assign) and isinstance(call, gast.Call) and isinstance(unit.lookup(call.func), Maker) and (
                    t.is_name(s.targets[0]) and s.targets[0].id in lasting):
                self.captured[s.targets[0].id] = [a if t.is_name(a) and a.id in lasting else None for a in call.args]

    def item(self, closure: Any, number: int) -> Any:
        """What an inner function captures, as an expression."""
        known = self.captured.get(closure.id) if t.is_name(closure) else None
        return t.clone(known[number]) if known and known[number] is not None else t.subscript(t.clone(closure), t.const(number))


def passed_apart(unit: Unit, facts: Any, s: gast.Assign, target: call_targets.Target, made: Made) -> list | None:
    """The statements for a call that is given an inner function which captures values that last; None for any other call."""
    callee, call = target.function, s.value
    if callee is None or not isinstance(target.object, types.FunctionType | Function) or target.method or target.stars or (
            target.checkpoint or target.custom is not None or unit.function.pure or hasattr(target.object, "generated_for")):
        return None
    tree = callee.tree
    if callee.generator or callee.outputs or callee.caught or callee.memory or (
            callee.object is not None and not of_user(callee.object)) or any(isinstance(a, gast.Starred) for a in target.args):
        return None
    if tree.args.vararg is not None or tree.args.kwarg is not None:
        return stars_apart(unit, facts, s, target)
    names = [p.id for p in (*tree.args.posonlyargs, *tree.args.args)]
    given = [*zip(names, target.args), *target.keywords.items()]
    fixed = {*names[:len(names) - len(tree.args.defaults)], *(p.id for p in tree.args.kwonlyargs)}       # (defaults have numbers)
    found = next(((name, value) for name, value in given if t.is_name(value) and name in fixed
                  and only_lasting(facts.of(value))), None)
    if found is None:
        return None
    (name, value), kind = found, facts.of(found[1])
    function = callee.with_closure(name, Maker(kind.function, [], kind.keywords), captured(kind))
    origin, before, atoms = t.origin_of(s), [], []
    for j, base in enumerate(captured(kind)):
        item = made.item(value, j)
        if not t.is_name(item):
            before.append(t.assign(unit.names.fresh(base), item, origin))
            item = t.load(before[-1].targets[0].id)
        atoms.append(item)
    own = function.tree.args.kwonlyargs[-len(atoms):]
    keywords = {key: x for key, x in target.keywords.items() if key != name}
    new = t.call(unit.use(function, function.name), *[a for j, a in enumerate(target.args) if names[j:j + 1] != [name]],
                 **keywords, **{p.id: atom for p, atom in zip(own, atoms)})
    s.value = gast.copy_location(new, call)
    return [*before, s]


def stars_apart(unit: Unit, facts: Any, s: gast.Assign, target: call_targets.Target) -> list | None:
    """The statement for a call of a function with `*args` or `**options` that take a few values which last."""
    callee: Any = target.function
    args = callee.tree.args
    plain = [p.id for p in (*args.posonlyargs, *args.args)]
    named = {p.id for p in (*args.args, *args.kwonlyargs)}
    more, options = target.args[len(plain):], {key: x for key, x in target.keywords.items() if key not in named}
    if more and args.vararg is None or options and args.kwarg is None or len(more) + len(options) > MOST or not all(
            t.is_name(x) or isinstance(x, gast.Constant) for x in (*more, *options.values())) or not all(
            lasts(facts.of(x)) for x in (*more, *options.values())):
        return None                                          # (or Python raises an error)
    function = callee.with_stars(len(more), tuple(options))
    own = [p.id for p in function.tree.args.kwonlyargs][len(args.kwonlyargs):]
    keywords = {key: x for key, x in target.keywords.items() if key in named} | dict(zip(own, [*more, *options.values()]))
    new = t.call(unit.use(function, function.name), *target.args[:len(plain)], **keywords)
    s.value = gast.copy_location(new, s.value)
    return [s]


def lasts(kind: Any) -> bool:
    """Whether a value of this kind does not change in place."""
    kind = k.as_num(kind) if kind is not None else None
    return isinstance(kind, (k.Const, k.Fn)) or isinstance(kind, k.Num) and kind.is_scalar and kind.dtype is not None


def only_lasting(kind: Any) -> bool:
    """Whether it is an inner function that captures a few values which nothing changes in place."""
    if not isinstance(kind, k.Closure) or not 0 < len(kind.items) <= MOST:
        return False
    reads = isinstance(kind.function, Function) and only_reads(kind.function)
    return all(only_lasting(x) or lasts(x) or reads and isinstance(x, k.Num) and x.dtype is not None and bool(x.boxed)
               for x in kind.items)


def only_reads(function: Function) -> bool:
    """Whether a function certainly changes nothing in place: it stores nothing, and calls functions of NumPy and numbers alone."""
    for node in t.walk(function.tree):
        if isinstance(node, (gast.AugAssign, gast.Lambda, gast.Yield, gast.YieldFrom)) or t.is_in_place(node):
            return False
        if isinstance(node, gast.FunctionDef) and node is not function.tree:
            return False
        if isinstance(node, (gast.Attribute, gast.Subscript)) and not isinstance(node.ctx, gast.Load):
            return False
        if isinstance(node, gast.Call) and not computes(function, node):
            return False
    return True


def computes(function: Function, call: gast.Call) -> bool:
    """Whether a call certainly only computes something of its arguments."""
    if any(kw.arg is None or kw.arg == "out" for kw in call.keywords):
        return False
    if isinstance(call.func, gast.Attribute) and call.func.attr in METHODS and not isinstance(
            outside(function, call.func.value), types.ModuleType):
        return True
    found = outside(function, call.func)
    if not hashable(found) or primitive_of(found).mutates:
        return False
    if isinstance(found, np.ufunc):
        return len(call.args) <= found.nin
    return found in PLAIN or found in RULES and len(call.args) <= 2


def outside(function: Function, node: Any) -> Any:
    """What a name or path stands for that is not local to a function; MISSING if it does not stand for one thing."""
    if isinstance(node, gast.Name):
        return MISSING if node.id in function.local else function.scope.lookup(node.id)
    owner = outside(function, node.value) if isinstance(node, gast.Attribute) else MISSING
    return getattr(owner, node.attr, MISSING) if isinstance(owner, types.ModuleType) else MISSING


def captured(kind: k.Closure) -> list[str]:
    """Names for what an inner function captures: those of its own parameters."""
    function, count = kind.function, len(kind.items)
    own = function.parameters[:count] if isinstance(function, Function) and not kind.keywords else []
    return own if len(own) == count else ["captured"] * count
