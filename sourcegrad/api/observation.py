"""Profile of the first call: of what kind the values of expressions are that depend on no input.

The user's function runs on copies of its arguments, under a trace function, up to the statement in which such an expression stands;
there it is evaluated among the local variables, twice: it must give the same both times, and change nothing that its names
hold. What the function prints meanwhile is not shown, and random generators are set back."""
from __future__ import annotations

import contextlib
import functools
import io
import sys
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from sourcegrad import kinds as k
from sourcegrad.api.inline_cache import HELD
from sourcegrad.api.shadow_run import content, memory_in, remembered, renew, rewind, states_of, still
from sourcegrad.errors import Origin, Refusal
from sourcegrad.ir import source
from sourcegrad.ir.effort import learned_now
from sourcegrad.parse.executed import TRUTHS, Executed, is_plain, kind_of
from sourcegrad.runtime.structure import STREAMS, is_user_object

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBERS = (float, int, bool, complex)
CALLS = 1_000_000               # so many calls are followed: about a second; `list` of an endless generator never returns


class Reached(BaseException):
    """Enough has been seen. (No handler of the user's takes it.)"""


class Profile:
    """The kind of the value of one expression. outside: what the program reads that is not its own; it is put back."""

    def __init__(self, one: Executed, origin: Origin, outside: list[Any]) -> None:
        self.one, self.file, self.line = one, origin.file, origin.line
        self.kind: k.Kind | None = None
        self.wrong, self.busy, self.held_by_others, self.calls = False, False, False, 0
        self.shared: list[tuple[Any, Any]] = []
        seen: set[int] = set()
        self.outside = [(x, content(x)) for value in outside for x in memory_in(value, seen)]

    def of(self, function: Callable, copied: Callable[[], source.BoundArguments]) -> str | None:
        """None: it is not reached, has no value that generated code takes, or changes something. Else its kind is known, and the
        value is "fresh" memory each time, or "shared"."""
        if learned_now().cut:
            return None
        states, before = states_of(None, [x for x, _ in self.outside]), sys.gettrace()
        try:
            own = copied()
            with np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
                sys.settrace(self.called)
                function(*own.args, **own.kwargs)
        except (Exception, Refusal, Reached):               # what the function raises, the call that follows tells
            pass
        finally:
            sys.settrace(before)
            rewind(states)
        self.wrong |= not all(still(x, was) for x, was in self.shared)
        for x, was in self.outside:
            if not still(x, was) and not remembered(x, was):
                renew(x, was)
                self.wrong = True
        if self.wrong or self.kind is None:
            return None
        self.one.kind = self.kind
        return "shared" if self.held_by_others else "fresh"

    def called(self, frame: types.FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        self.calls += 1
        if self.calls > CALLS:
            learned_now().cut = True
            raise Reached
        if self.busy or self.kind is not None or code.co_filename != self.file or all(
                line != self.line for *_, line in code.co_lines()):
            return None
        return self.at_line

    def at_line(self, frame: types.FrameType, event: str, _: Any) -> Any:
        if event == "line" and frame.f_lineno == self.line and self.kind is None:
            self.busy = True
            try:
                self.evaluated(dict(frame.f_locals))
            finally:
                self.busy = False
            if self.wrong or self.kind is not None and not self.shared:         # (what is shared must not change later, either)
                raise Reached
        return self.at_line

    def counted(self, *values: Any) -> Any:
        """The value of the expression; `called` counts the calls on the way."""
        if sys.version_info < (3, 12):                      # (3.11 does not trace what a trace function calls)
            sys.settrace(self.called)
        return self.one.value(*values)

    def evaluated(self, local: dict[str, Any]) -> None:
        """Evaluate the expression among the local variables, twice."""
        if not local.keys() >= set(self.one.names):
            return
        values = [local[name] for name in self.one.names]
        if not all(map(is_itself, values)) or not all(
                isinstance(local[name], (np.ndarray, np.generic, *NUMBERS)) for name in self.one.varied):
            self.wrong = True
            return
        values = list(self.one.shown(tuple(values)))
        seen: set[int] = set()
        held = [(x, content(x)) for value in values for x in memory_in(value, seen)]
        try:
            found, again = (sys.call_tracing(self.counted, tuple(values)) for _ in range(2))
        except Exception:                                   # it stands behind a condition
            return
        if self.one.varied:
            same_array = [n for n, x in zip(self.one.names, values) if found is x is again and isinstance(x, np.ndarray)]
            self.one.given_back = next((name for name in same_array if name in self.one.varied), None)
            found, again = (None, None) if self.one.given_back else (found, again)
            if not isinstance(found, TRUTHS):
                self.wrong = True
                return
        self.kind, self.one.given = kind_of(found), tuple(map(type, values))
        same = equal(again, found) if is_plain(self.kind) else type(again) is type(found)
        self.wrong = not all(still(*item) for item in held) or not same or hasattr(found, "__next__") or (
            not isinstance(getattr(found, "__self__", None), (type(None), type, types.ModuleType)))       # `log.append`
        self.wrong |= is_plain(self.kind) and not one_each(found, set())
        other = {id(x) for x in memory_in(again, set())}
        common = [x for x in memory_in(found, set()) if id(x) in other and not isinstance(x, (tuple, frozenset))]
        self.held_by_others = bool(common) or not is_plain(self.kind)
        containers = [x for x in common if isinstance(x, (dict, *HELD))]
        self.shared = [(x, content(x)) for x in containers]
        self.wrong |= bool(containers) and any(not isinstance(x, np.ndarray) for x, _ in held)  # perhaps part of what is local


def is_itself(value: Any) -> bool:
    """Whether generated code certainly holds a value as Python does: many collections, functions and iterators are something else
    there."""
    cls = type(value)
    if cls in (tuple, list):
        return all(map(is_itself, value))
    if cls is dict:
        return all(map(is_itself, (*value.keys(), *value.values())))
    inner = isinstance(value, types.FunctionType) and ("<locals>" in value.__qualname__ or value.__closure__)
    if inner or isinstance(value, BaseException):
        return False
    return cls in (*NUMBERS, str, bytes, slice, type(None), type(Ellipsis), np.ndarray) or isinstance(
        value, (np.generic, np.dtype, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)) or (
        is_user_object(value) and not isinstance(value, (dict, *HELD)) and not hasattr(value, "__next__")) or (
        not isinstance(value, (dict, *HELD, *STREAMS, types.MethodType, functools.partial)) and not hasattr(value, "__next__"))


def one_each(value: Any, seen: set[int]) -> bool:
    """Whether a value holds no list, dict, set or array twice."""
    if isinstance(value, (list, dict, set, np.ndarray)):
        if id(value) in seen:
            return False
        seen.add(id(value))
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return all(one_each(part, seen) for part in parts)


def equal(one: Any, other: Any) -> bool:
    """Whether two plain values are the same, to the last bit."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(equal, one, other))
    return bool(one == other or one != one and other != other)
