"""Located errors: file:line:col, the source line, a caret, what is wrong and what to write instead."""
from __future__ import annotations

from typing import NamedTuple


class Origin(NamedTuple):
    """Where in the user's code a statement comes from; line and column count from 1."""

    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class SourcegradError(Exception):
    """Base of all errors that a user can cause.

    `origin` is the place in the user's code (or None), `remedy` says what to write instead.
    """

    def __init__(self, message: str, origin: Origin | None = None, remedy: str = "") -> None:
        self.message = message
        self.origin = origin
        self.remedy = remedy
        super().__init__(self._render())

    def _render(self) -> str:
        lines = [f"{self.origin}: {self.message}" if self.origin else self.message]
        if self.origin and self.origin.text.strip():
            stripped = self.origin.text.lstrip()
            indent = len(self.origin.text) - len(stripped)
            lines.append("    " + stripped.rstrip())
            lines.append("    " + " " * max(self.origin.column - 1 - indent, 0) + "^")
        if self.remedy:
            lines.append(self.remedy)
        return "\n".join(lines)

    def __reduce__(self) -> tuple:
        return type(self), (self.message, self.origin, self.remedy)


class UnsupportedError(SourcegradError):
    """Syntax or an operation that cannot be differentiated (yet)."""


class MissingRuleError(SourcegradError):
    """A call of something that has neither a derivative rule nor Python source."""


class SourceError(SourcegradError):
    """The source text of a function cannot be had."""


class InputError(SourcegradError, TypeError):
    """Arguments or names of inputs that cannot be differentiated with respect to."""


class OutputError(SourcegradError, ValueError):
    """An output that needs `grad_outputs`, or `grad_outputs` that do not fit the output."""


class InternalError(SourcegradError):
    """A pass broke an invariant of the tree: a bug in sourcegrad, never the user's fault."""
