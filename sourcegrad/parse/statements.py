"""`try`, `with` and `match` on their way to core Python: `if` statements, of `try` and `with` with a marker for a test.

`if attempting("path", "error", E1, E2): BODY else: HANDLERS` until `outline` makes a call of BODY of it (`Attempt`);
`enter(M)` and `leave()` stand where a context manager does its work: statements for all passes, a `with` again in the
end. `if scoped(): BODY else: LAST` until `single_exit` puts BODY and LAST one after the other; `if labelled("L"): BODY` is BODY,
which `jump("L")` leaves from anywhere inside. Until then all are branches to the passes, which treat the blocks one by one.
"""
from __future__ import annotations

import contextlib
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import gast
import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Names


@dataclass(eq=False)
class Attempt:
    """What a call tries: a function, and the classes of exceptions by handler.

    The result is (path, error, value) and, where `function` is the forward half of another (`depth` times over), what
    each half saves besides.
    """

    function: Any
    exceptions: tuple
    depth: int = 0
    alone: bool = False                  # nothing that it is given has an identity
    __sourcegrad_callable__ = True
    __sourcegrad_pure__ = False

    def of(self, function: Any, deeper: int = 0) -> Attempt:
        """The same attempt with another function."""
        return Attempt(function, self.exceptions, self.depth + deeper, self.alone)



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


# --- `try` as an attempt whose outcome is a number: 0, or that of the handler.

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
    return [scoped(new, s.finalbody, origin)]


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
    return [*start, attempt(path, error, exceptions, body, chain, origin)]


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
        kinds = manager.args[0] if len(manager.args) == 1 else t.pack(manager.args)
        return caught(body, [(kinds, None, [t.at(gast.Pass(), origin)])], [], names, origin)
    if function is contextlib.nullcontext:
        value = manager.args[0] if manager.args else t.const(None)
        return [*([t.assign(target, value, origin)] if target is not None else []), *body]
    if isinstance(function, types.FunctionType) and function.__code__ is CODE:
        found = _halves(function, names, bound)
        if found is not None:
            return _inlined(manager, target, body, found, origin, names)
    entered = enter(manager)
    first = t.assign(target, entered, origin) if target is not None else t.effect(entered, origin)
    repeated = t.clone(manager) if function is not None and repeatable(function, manager) else None
    return [first, scoped(body, [t.effect(leave(repeated), origin)], origin)]


def _inlined(manager: Any, target: Any, body: list, halves: tuple[str, str], origin: Any, names: Names) -> list:
    """`with cm(a) as v: BODY` of a generator function: what comes before its `yield`, BODY, what comes after."""
    both, state, value = names.fresh("entered"), names.fresh("kept"), names.fresh("value")
    call = gast.copy_location(gast.Call(func=t.load(halves[0]), args=manager.args, keywords=manager.keywords), manager)
    new = [t.assign(both, call, origin), t.unpack([value, state], t.load(both), origin)]
    if target is not None:
        new.append(t.assign(target, t.load(value), origin))
    return [*new, scoped(body, [t.effect(t.call(halves[1], t.load(state)), origin)], origin)]


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


# --- `match` is a chain of `if`: each pattern is a test, and assignments of what it captures.

SELF_MATCHING = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def matching(s: Any, names: Names, static: Callable, bound: dict) -> list:
    """`match E: case P if G: BODY` ..."""
    origin = t.origin_of(s)
    before: list = []
    subject = s.subject
    if not isinstance(subject, (gast.Name, gast.Constant)) or _rebinds(s, subject):
        name = names.fresh("subject")
        before = [t.assign(name, subject, origin)]
        subject = t.load(name)
    chain: list = []
    for case in reversed(s.cases):
        pattern = _Pattern(static, origin)
        pattern.read(case.pattern, subject)
        tests = pattern.tests
        if case.guard is not None:                       # sees what was captured
            tests = [*tests, _Captured(pattern.captured).visit(case.guard)]
        body = [*(t.assign(n, t.clone(value), origin) for n, value in pattern.captured.items()), *case.body]
        test = tests[0] if len(tests) == 1 else gast.BoolOp(op=gast.And(), values=tests) if tests else None
        chain = body if test is None else [t.if_(test, body, chain, origin)]
    return [*before, *chain]


def _rebinds(s: Any, subject: Any) -> bool:
    """Whether a capture has the name of the subject."""
    captured = {n.name for case in s.cases for n in t.walk(case.pattern) if isinstance(n, (gast.MatchAs, gast.MatchStar))}
    return isinstance(subject, gast.Name) and subject.id in captured


class _Captured(t.Transformer):
    def __init__(self, captured: dict[str, Any]) -> None:
        self.captured = captured

    def visit_Name(self, node: gast.Name) -> Any:
        return t.clone(self.captured[node.id]) if node.id in self.captured else node


class _Pattern:
    """Tests that must hold, and the captured names with their values."""

    def __init__(self, static: Callable, origin: Any) -> None:
        self.static, self.origin = static, origin
        self.tests: list = []
        self.captured: dict[str, Any] = {}

    def refuse(self, what: str) -> NoReturn:
        raise UnsupportedError(f"{what} in a `match`", self.origin, "Write if/elif.")

    def read(self, p: Any, subject: Any) -> None:
        if isinstance(p, gast.MatchValue):
            self.test(gast.Eq(), subject, p.value)
        elif isinstance(p, gast.MatchSingleton):
            self.test(gast.Is(), subject, t.const(p.value))
        elif isinstance(p, gast.MatchAs):
            if p.pattern is not None:
                self.read(p.pattern, subject)
            if p.name is not None:
                self.captured[p.name] = subject
        elif isinstance(p, gast.MatchOr):
            self.alternatives(p, subject)
        elif isinstance(p, gast.MatchSequence):
            self.sequence(p, subject)
        elif isinstance(p, gast.MatchClass):
            self.instance(p, subject)
        elif isinstance(p, gast.MatchMapping) and p.rest is None:
            self.tests.append(t.call("isinstance", t.clone(subject), t.load("dict")))
            for key, pattern in zip(p.keys, p.patterns):
                self.test(gast.In(), key, subject)
                self.read(pattern, t.subscript(t.clone(subject), t.clone(key)))
        else:
            self.refuse("this pattern")

    def test(self, op: Any, left: Any, right: Any) -> None:
        self.tests.append(gast.Compare(left=t.clone(left), ops=[op], comparators=[t.clone(right)]))

    def alternatives(self, p: Any, subject: Any) -> None:
        parts = []
        for item in p.patterns:
            part = _Pattern(self.static, self.origin)
            part.read(item, subject)
            if part.captured:
                self.refuse("a capture in one of several patterns (`|`)")
            if not part.tests:
                return
            parts.append(part.tests[0] if len(part.tests) == 1 else gast.BoolOp(op=gast.And(), values=part.tests))
        self.tests.append(gast.BoolOp(op=gast.Or(), values=parts))

    def sequence(self, p: Any, subject: Any) -> None:
        kinds = t.pack([t.load(name) for name in ("list", "tuple", "range")])
        self.tests.append(t.call("isinstance", t.clone(subject), kinds))
        star = next((j for j, item in enumerate(p.patterns) if isinstance(item, gast.MatchStar)), None)
        count = len(p.patterns) - (star is not None)
        self.test(gast.Eq() if star is None else gast.GtE(), t.call("len", t.clone(subject)), t.const(count))
        for position, item in enumerate(p.patterns):
            if position != star:
                index = position if star is None or position < star else position - len(p.patterns)
                self.read(item, t.subscript(t.clone(subject), t.const(index)))
            elif item.name is not None:
                after = position + 1 - len(p.patterns)
                part = gast.Slice(lower=t.const(position), upper=t.const(after) if after else None, step=None)
                self.captured[item.name] = t.call("list", t.subscript(t.clone(subject), part))

    def instance(self, p: Any, subject: Any) -> None:
        cls = self.static(p.cls)
        if not isinstance(cls, type):
            self.refuse("a class that is not known by its name")
        self.tests.append(t.call("isinstance", t.clone(subject), t.clone(p.cls)))
        names = getattr(cls, "__match_args__", ())
        for position, item in enumerate(p.patterns):
            if cls in SELF_MATCHING and len(p.patterns) == 1:
                self.read(item, subject)
            elif position < len(names):
                self.read(item, t.attribute(t.clone(subject), names[position]))
            else:
                self.refuse("a class pattern with more values than the class has")
        for name, item in zip(getattr(p, "kwd_attrs", None) or (), getattr(p, "kwd_patterns", None) or ()):
            self.read(item, t.attribute(t.clone(subject), name))


STATEMENTS: dict[type, Any] = {gast.Try: handlers, gast.With: contexts, gast.Match: matching}
