"""`try` and `with` on their way to core Python: `if` statements whose test is a marker.

`if attempting("path", "error", E1, E2): BODY else: HANDLERS` until `attempts` makes a call of BODY of it;
`enter(M)` and `leave()` stand where a context manager does its work: statements for all passes, a `with` again in the
end. `if scoped(): BODY else: LAST` until `exits` puts BODY and LAST one after the other; `if labelled("L"): BODY` is BODY, which
`jump("L")` leaves from anywhere inside. Until then all are branches to the passes, which treat the blocks of a branch one by one.
"""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad import tree as t


class Marker:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


ATTEMPTING, SCOPED = Marker("attempting"), Marker("scoped")
ENTER, LEAVE = Marker("enter"), Marker("leave")
LABELLED, JUMP = Marker("labelled"), Marker("jump")


def _is(node: Any, marker: Marker) -> bool:
    return isinstance(node, gast.Call) and isinstance(node.func, gast.Constant) and node.func.value is marker


def is_attempt(s: Any) -> bool:
    return isinstance(s, gast.If) and _is(s.test, ATTEMPTING)


def is_scoped(s: Any) -> bool:
    return isinstance(s, gast.If) and _is(s.test, SCOPED)


def attempt(path: str, error: str, exceptions: list, body: list, handlers: list, origin: Any) -> gast.If:
    """BODY, and HANDLERS if one of the exceptions is raised; the names become the number of the handler and the exception."""
    test = t.call(gast.Constant(value=ATTEMPTING, kind=None), t.const(path), t.const(error), *exceptions)
    return t.if_(test, body, handlers, origin)


def scoped(body: list, last: list, origin: Any) -> gast.If:
    """BODY, and LAST after it however BODY is left (except by an exception)."""
    return t.if_(t.call(gast.Constant(value=SCOPED, kind=None)), body, last, origin)


def labelled(label: str, body: list, origin: Any) -> gast.If:
    """BODY, which ends early where it jumps to its label."""
    return t.if_(t.call(gast.Constant(value=LABELLED, kind=None), t.const(label)), body, [], origin)


def jump(label: str, origin: Any) -> gast.Expr:
    return t.effect(t.call(gast.Constant(value=JUMP, kind=None), t.const(label)), origin)


def label_of(s: Any) -> str | None:
    """The label of a labelled block."""
    return s.test.args[0].value if isinstance(s, gast.If) and _is(s.test, LABELLED) else None


def aim_of(s: Any) -> str | None:
    """The label that a jump goes to the end of."""
    return s.value.args[0].value if isinstance(s, gast.Expr) and _is(s.value, JUMP) else None


def parts(s: gast.If) -> tuple[str, str, list]:
    """Names of path and error, and the expressions of the exceptions of an attempt."""
    path, error, *exceptions = s.test.args
    return path.value, error.value, exceptions


def enter(manager: Any) -> gast.Call:
    """The value that a context manager gives on entering it."""
    return t.call(gast.Constant(value=ENTER, kind=None), manager)


def leave(repeated: Any = None) -> gast.Call:
    """Leaving the context entered last. repeated: how to enter it again in the reverse sweep."""
    return t.call(gast.Constant(value=LEAVE, kind=None), *([repeated] if repeated is not None else []))


def is_enter(node: Any) -> bool:
    return _is(node, ENTER)


def is_leave(node: Any) -> bool:
    return _is(node, LEAVE)


def is_context(s: Any) -> bool:
    """Whether a statement enters or leaves a context."""
    value = getattr(s, "value", None)
    return is_enter(value) or is_leave(value)


def repeatable(function: Any, manager: gast.Call) -> bool:
    """Whether the reverse sweep of a block needs the context as well: floating point errors are ignored there, too."""
    constants = all(isinstance(kw.value, gast.Constant) for kw in manager.keywords)
    return function is np.errstate and not manager.args and constants
