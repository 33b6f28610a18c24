"""`with` blocks: what is entered before and left after the block, however it is left."""
from __future__ import annotations

import contextlib
import types
from collections.abc import Callable
from typing import Any

import gast

from sourcegrad.ir import tree as t
from sourcegrad.ir.names import Names
from sourcegrad.parse import try_

CODE = contextlib.contextmanager(lambda: iter(())).__code__      # of what @contextmanager makes


def contexts(s: Any, names: Names, static: Callable, bound: dict) -> list:
    """`with A as a, B: BODY`, one manager at a time from the inside."""
    body = s.body
    for item in reversed(s.items):
        body = _context(item, body, t.origin_of(s), names, static, bound)
    return body


def _context(item: Any, body: list, origin: Any, names: Names, static: Callable, bound: dict) -> list:
    manager, target = item.context_expr, item.optional_vars
    function = static(manager.func) if isinstance(manager, gast.Call) else None
    if function is contextlib.suppress:
        from sourcegrad.parse.try_ import caught
        kinds = manager.args[0] if len(manager.args) == 1 else t.pack(manager.args)
        return caught(body, [(kinds, None, [t.at(gast.Pass(), origin)])], [], names, origin)
    if function is contextlib.nullcontext:
        value = manager.args[0] if manager.args else t.const(None)
        return [*([t.assign(target, value, origin)] if target is not None else []), *body]
    if isinstance(function, types.FunctionType) and function.__code__ is CODE:
        found = _halves(function, names, bound)
        if found is not None:
            return _inlined(manager, target, body, found, origin, names)
    entered = try_.enter(manager)
    first = t.assign(target, entered, origin) if target is not None else t.effect(entered, origin)
    repeated = t.clone(manager) if function is not None and try_.repeatable(function, manager) else None
    return [first, try_.scoped(body, [t.effect(try_.leave(repeated), origin)], origin)]


def _inlined(manager: Any, target: Any, body: list, halves: tuple[str, str], origin: Any, names: Names) -> list:
    """`with cm(a) as v: BODY` of a generator function: what comes before its `yield`, BODY, what comes after."""
    both, state, value = names.fresh("entered"), names.fresh("kept"), names.fresh("value")
    call = gast.copy_location(gast.Call(func=t.load(halves[0]), args=manager.args, keywords=manager.keywords), manager)
    new = [t.assign(both, call, origin), t.unpack([value, state], t.load(both), origin)]
    if target is not None:
        new.append(t.assign(target, t.load(value), origin))
    return [*new, try_.scoped(body, [t.effect(t.call(halves[1], t.load(state)), origin)], origin)]


def _halves(function: Any, names: Names, bound: dict) -> tuple[str, str] | None:
    """Names of two functions: up to the `yield` of a context manager, and after it. None if it is not that simple."""
    from sourcegrad.ir.unit import Function, local_names
    from sourcegrad.parse.resolve import describe
    described = describe(function.__wrapped__)
    before, value, after = _cut(t.clone(described.tree.body))
    if value is MISSING or any(isinstance(n, (gast.Yield, gast.YieldFrom, gast.Return)) for s in (*before, *after)
                               for n in t.walk(s)):
        return None
    origin = described.origin
    local = local_names(described.tree)
    kept = sorted({n.id for s in after for n in t.walk(s) if isinstance(n, gast.Name)} & local
                  & ({n.id for s in before for n in t.walk(s) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}
                     | set(described.parameters)))
    state = t.pack([t.load(n) for n in kept])
    enter = t.clone(described.tree)
    enter.body = [*before, t.return_(t.pack([value or t.const(None), state]), origin)]
    enter.decorator_list = []
    given = Names(local).fresh("kept")
    unpacked = [t.unpack(kept, t.load(given), origin)] if kept else []
    leave = t.function(f"{described.name}_exit", t.arguments([given]), [*unpacked, *(after or [t.at(gast.Pass(), origin)])], origin)
    result = names.fresh(f"{described.name}_enter"), names.fresh(f"{described.name}_exit")
    for name, tree in zip(result, (enter, leave)):
        tree.name = name
        bound[name] = Function(name, tree, described.scope, None, guards=described.guards)
    return result


MISSING: Any = object()


def _cut(body: list) -> tuple[list, Any, list]:
    """Statements before the `yield` at the top level of a generator, what it yields, statements after it."""
    for position, s in enumerate(body):
        value = getattr(s, "value", None)
        if isinstance(s, gast.Expr) and isinstance(value, gast.Yield):
            return body[:position], value.value, body[position + 1:]
        if isinstance(s, gast.Try) and not s.handlers and not s.orelse:
            before, given, after = _cut(s.body)
            if given is not MISSING:
                return [*body[:position], *before], given, [*after, *s.finalbody, *body[position + 1:]]
    return body, MISSING, []
