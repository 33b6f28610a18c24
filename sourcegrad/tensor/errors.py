"""Errors of the define-by-run front end: sourcegrad errors that are also what PyTorch raises."""

from __future__ import annotations

import linecache
import sys
import types
from typing import Any

from sourcegrad.errors import Origin, SourcegradError

Place = tuple[types.CodeType, int]


class GraphError(SourcegradError, RuntimeError):
    """The graph, or a Tensor in it, cannot be used in this way."""


class TensorTypeError(SourcegradError, TypeError):
    """An argument of the wrong type."""


class TensorValueError(SourcegradError, ValueError):
    """An argument of the right type with a wrong value."""


class TensorIndexError(SourcegradError, IndexError):
    """An index or dimension that is out of range."""


OWN = tuple(f"sourcegrad.{part}" for part in ("tensor", "nn", "optim", "api", "errors"))


def user_place() -> Place | None:
    """The code object and instruction of the innermost frame that is not of the front end itself: the user's operation."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith(OWN):
            return frame.f_code, frame.f_lasti
        frame = frame.f_back
    return None


def origin_at(place: Place | None) -> Origin | None:
    """The place of an instruction in its file: line, column and text."""
    if place is None:
        return None
    code, instruction = place
    line, column = code.co_firstlineno, 1
    if hasattr(code, "co_positions"):
        positions = list(code.co_positions())
        found = positions[instruction // 2] if instruction // 2 < len(positions) else (None, None, None, None)
        line, column = found[0] or line, (found[2] or 0) + 1
    else:
        line = next((number for start, stop, number in code.co_lines() if start <= instruction < stop and number), line)
    return Origin(code.co_filename, line, column, linecache.getline(code.co_filename, line).rstrip("\n"))


def graph_error(message: str, place: Place | None = None, remedy: str = "") -> GraphError:
    return GraphError(message, origin_at(place), remedy)


def refuse_type(message: str, remedy: str = "") -> Any:
    """Raise a TensorTypeError at the user's line."""
    raise TensorTypeError(message, origin_at(user_place()), remedy)


def refuse_value(message: str, remedy: str = "") -> Any:
    raise TensorValueError(message, origin_at(user_place()), remedy)


def refuse(message: str, remedy: str = "") -> Any:
    """Raise a GraphError at the user's line."""
    raise GraphError(message, origin_at(user_place()), remedy)
