"""`try` as an attempt whose outcome is a number: 0, or that of the handler."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.frontend import markers
from sourcegrad.names import Names


def handlers(s: Any, names: Names, static: Any, bound: dict) -> list:
    """`try: A except E: B else: C finally: D` is `path = 0`, an attempt of A, `if path == 0: C`, D."""
    origin = t.origin_of(s)
    cases = [(h.type, h.name and h.name.id, h.body) for h in s.handlers]
    new = caught(s.body, cases, s.orelse, names, origin) if cases else [*s.body, *s.orelse]
    if not s.finalbody:
        return new
    if getattr(s, "inside", False) or not all(map(_inert, s.finalbody)):               # it runs, too, when an exception passes
        error = names.fresh("error")
        again = [*t.clone(s.finalbody), t.at(gast.Raise(exc=t.load(error), cause=None), origin)]
        new = _attempt(names.fresh("path"), error, [t.load("BaseException")], new, again, origin)
    return [markers.scoped(new, s.finalbody, origin)]


def caught(body: list, cases: list, orelse: list, names: Names, origin: Any) -> list:
    """`try: BODY` with cases (exceptions or None, name or None, block) `else: ORELSE`."""
    path, error = names.fresh("path"), names.fresh("error")
    exceptions, blocks = [], []
    for kinds, name, block in cases:
        exceptions.append(kinds if kinds is not None else t.load("BaseException"))
        block = _reraised(block, error)
        if name is not None:
            block.insert(0, t.assign(name, t.load(error), t.origin_of(block[0])))
        blocks.append(block)
    chain = blocks[-1]
    for number, block in reversed(list(enumerate(blocks[:-1], 1))):
        chain = [t.if_(_path_is(path, number), block, chain, origin)]
    new = _attempt(path, error, exceptions, body, chain, origin)
    return [*new, t.if_(_path_is(path, 0), orelse, [], origin)] if orelse else new


def _attempt(path: str, error: str, exceptions: list, body: list, chain: list, origin: Any) -> list:
    start = [t.assign(path, t.const(0), origin), t.assign(error, t.const(None), origin)]
    return [*start, markers.attempt(path, error, exceptions, body, chain, origin)]


def _path_is(path: str, number: int) -> gast.expr:
    return gast.Compare(left=t.load(path), ops=[gast.Eq()], comparators=[t.const(number)])


def _reraised(block: list, error: str) -> list:
    """`raise` alone raises what was caught."""
    for s in t.statements(block):
        if isinstance(s, gast.Raise) and s.exc is None:
            s.exc = t.load(error)
    return block


def _inert(s: Any) -> bool:
    """Whether nobody sees a statement if an exception passes: it only binds names."""
    return isinstance(s, gast.Pass) or (isinstance(s, (gast.Assign, gast.AugAssign)) and not any(
        isinstance(n, (gast.Call, gast.Subscript, gast.Attribute)) for n in t.walk(s)))
