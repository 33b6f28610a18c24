"""Located errors: file:line:col, the source line, a caret, what is wrong and what to write instead."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple


class Origin(NamedTuple):
    """Where in the user's code a statement comes from; line and column count from 1.

    callers: of a statement that was put in the place of a call: that call, and those around it, innermost first.
    """

    file: str
    line: int
    column: int
    text: str
    callers: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def distinct(callers: tuple[Origin, ...]) -> tuple[Origin, ...]:
    """Each place once: a recursion calls from one place again and again."""
    return tuple({caller[:3]: caller for caller in reversed(callers)}.values())[::-1]


class SourcegradError(Exception):
    """Base of all errors that a user can cause.

    `origin` is the place in the user's code (or None), `remedy` says what to write instead. `callers` are the calls
    through which the differentiated function gets to that place, innermost first.
    """

    def __init__(self, message: str, origin: Origin | None = None, remedy: str = "", callers: tuple[Origin, ...] = ()) -> None:
        self.message = message
        self.origin = origin and origin._replace(callers=())
        self.remedy = remedy
        self.callers = distinct((*(origin.callers if origin else ()), *callers))
        super().__init__(self._render())

    def locate(self, origin: Origin | None, callers: tuple[Origin, ...] = ()) -> None:
        """Add what was not known where the error was raised: the place, if it has none, and calls around it."""
        if self.origin is None and origin is not None:
            self.origin, callers = origin._replace(callers=()), (*origin.callers, *callers)
        self.callers = tuple(caller for caller in distinct((*self.callers, *callers)) if caller != self.origin)
        self.args = (self._render(),)

    def _render(self) -> str:
        lines = [f"{self.origin}: {self.message}" if self.origin else self.message]
        if self.origin and self.origin.text.strip():
            stripped = self.origin.text.lstrip()
            indent = len(self.origin.text) - len(stripped)
            lines.append("    " + stripped.rstrip())
            lines.append("    " + " " * max(self.origin.column - 1 - indent, 0) + "^")
        lines += [f"called at {caller}: {caller.text.strip()}" for caller in self.callers]
        if self.remedy:
            lines.append(self.remedy)
        return "\n".join(lines)

    def __reduce__(self) -> tuple:
        return type(self), (self.message, self.origin, self.remedy, self.callers)


class UnsupportedError(SourcegradError):
    """Syntax or an operation that cannot be differentiated (yet)."""

    shared = False                       # whether it was refused because something may share memory


class MissingRuleError(SourcegradError):
    """A call of something that has neither a derivative rule nor Python source."""


class SourceError(SourcegradError):
    """The source text of a function cannot be had."""


class InputError(SourcegradError, TypeError):
    """Arguments or names of inputs that cannot be differentiated with respect to."""


class OutputError(SourcegradError, ValueError):
    """An output that needs `grad_outputs`, or `grad_outputs` that do not fit the output."""


class Refusal(BaseException):
    """An error found while generated code runs, on its way out: no `except Exception` of the user's may take it."""

    def __init__(self, error: SourcegradError) -> None:
        super().__init__(str(error))
        self.error = error


class InternalError(SourcegradError):
    """A pass broke an invariant of the tree: a bug in sourcegrad, never the user's fault."""


@contextmanager
def called_at(origin: Origin | None) -> Iterator[None]:
    """While a callee is generated: its errors name the call as well."""
    try:
        yield
    except SourcegradError as error:
        error.locate(None, (origin._replace(callers=()), *origin.callers) if origin is not None else ())
        raise
    except Exception as error:
        refusal = getattr(error, "refusal", None)            # what a recursion without an end becomes
        if isinstance(refusal, SourcegradError):
            refusal.locate(None, (origin._replace(callers=()), *origin.callers) if origin is not None else ())
        raise
