"""Calls that stand for statements become those statements: attempts are `try`, contexts are `with` again."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.frontend import markers
from sourcegrad.frontend.attempts import Attempt
from sourcegrad.frontend.resolve import Unit, canonical_path


def blocks(tree: Any, unit: Unit) -> Any:
    """Write the attempts and contexts of a generated function out, in place."""
    tree.body = _block(tree.body, unit)
    return tree


def _with(block: list) -> list:
    """The statements between entering a context and leaving it become a `with` block."""
    result: list = []
    open_: list[tuple[Any, list]] = []
    for s in block:
        if markers.is_context(s) and markers.is_enter(s.value):
            open_.append((s, result))
            result = []
        elif markers.is_context(s):
            first, outer = open_.pop()
            target = first.targets[0] if isinstance(first, gast.Assign) else None
            item = gast.withitem(context_expr=first.value.args[0], optional_vars=target)
            if target is not None or not all(map(t.is_comment, result)) or not s.value.args:
                body = result if not all(map(t.is_comment, result)) else [*result, t.at(gast.Pass(), t.origin_of(s))]
                outer.append(t.at(gast.With(items=[item], body=body, type_comment=None), t.origin_of(first)))
            result = outer
        else:
            result.append(s)
    return result


def _block(block: list, unit: Unit) -> list:
    block = _with(block)
    result: list = []
    skip = False
    for position, s in enumerate(block):
        t.map_blocks(s, _block, unit)
        if skip:
            skip = False
            continue
        attempt = unit.lookup(s.value.func) if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) else None
        if not isinstance(attempt, Attempt):
            result.append(s)
            continue
        after: Any = block[position + 1] if position + 1 < len(block) else None
        target = s.targets[0]
        if isinstance(target, gast.Name) and _only_unpacked(target.id, after, block[position + 2:]):
            target, skip = after.targets[0], True
        result += _try(s, attempt, target, unit)
    return result


def _only_unpacked(name: str, s: Any, rest: list) -> bool:
    return (isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Tuple) and t.is_name(s.value, name)
            and not any(name in t.header_reads(x) for x in t.statements(rest)))


def _try(s: gast.Assign, attempt: Attempt, target: Any, unit: Unit) -> list:
    origin = t.origin_of(s)
    before: list = []
    call = s.value
    for position, argument in enumerate(call.args):      # only the body of the user's `try` is tried
        if not isinstance(argument, (gast.Name, gast.Constant)):
            name = unit.names.fresh("tried")
            before.append(t.assign(name, argument, origin))
            call.args[position] = t.load(name)
    call.func = t.load(unit.use(attempt.function, attempt.function.__name__))
    caught = unit.names.fresh("caught")
    count = 3 + attempt.depth
    if isinstance(target, gast.Tuple):
        path, error, *given = [item.id for item in target.elts]
        value: Any = t.store(given[0])
        for name in given[1:]:
            value = gast.Tuple(elts=[value, t.store(name)], ctx=t.STORE)
        body = [t.assign(value, call, origin), t.unpack([path, error], t.pack([t.const(0), t.const(None)]), origin)]
    else:
        if attempt.depth:
            name = unit.names.fresh("given")
            body = [t.assign(name, call, origin)]
            parts: list = []
            value = t.load(name)
            for _ in range(attempt.depth):
                parts.insert(0, t.subscript(t.clone(value), t.const(1)))
                value = t.subscript(value, t.const(0))
            result: Any = [value, *parts]
        else:
            body, result = [], [call]
        body.append(t.assign(target, t.pack([t.const(0), t.const(None), *result]), origin))
    handlers = []
    for number, classes in enumerate(attempt.exceptions, 1):
        kinds = [_class(cls, unit) for cls in classes]
        values = t.pack([t.const(number), t.load(caught), *[t.const(None)] * (count - 2)])
        handlers.append(gast.ExceptHandler(type=kinds[0] if len(kinds) == 1 else t.pack(kinds), name=t.store(caught),
                                           body=[t.assign(t.clone(target), values, origin)]))
    return [*before, t.at(gast.Try(body=body, handlers=handlers, orelse=[], finalbody=[]), origin)]


def _class(cls: type, unit: Unit) -> gast.expr:
    path = canonical_path(cls)
    if path is not None:
        import numpy as np
        return t.dotted(f"{unit.use(np, 'np')}.{path.split('.', 1)[1]}")
    return t.load(unit.use(cls, cls.__name__))
