"""Located errors: file:line:col, the source line, a caret, what is wrong and what to write instead."""
from __future__ import annotations

import builtins
import functools
import linecache
import os
import re
import sys
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
LIBRARIES = os.path.join(os.path.dirname(os.path.abspath(os.__file__)), "")
DEBUG = "SOURCEGRAD_DEBUG"               # environment variable: tracebacks show all frames
TRACEBACK: Any = vars(BaseException)["__traceback__"]
Public = TypeVar("Public", bound=Callable[..., Any])
Error = TypeVar("Error", bound="SourcegradError")
REPORT = f"This is a defect of sourcegrad: please report it, with the function ({DEBUG}=1 shows where it was raised)."


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


def is_library(file: str) -> bool:
    """Whether a file is of Python itself, or of an installed package."""
    return file.startswith(LIBRARIES) or "site-packages" in file or "dist-packages" in file


def called_in(text: str) -> str:
    """What a line calls or reads from a place on, where that is plain: the name there, or the only one called after it."""
    at_once = re.match(r"(?!(?:return|def|class|if|for|while|with|yield|not|in|and|or)\b)[A-Za-z_][\w.]*", text)
    rest = text[at_once.end():] if at_once else text
    if at_once and re.match(r"\s*\(", rest) or at_once and "." in at_once.group() and not re.match(r"\s*[-+*/@%&|^]*=(?!=)", rest):
        return at_once.group()
    if text.startswith(("def ", "class ")):
        return ""
    called = {name for name in re.findall(r"(?<![\w.)\]])([A-Za-z_][\w.]*)\s*\(", text)
              if name.split(".")[0] not in ("np", "numpy", "math") and not hasattr(builtins, name)}
    return called.pop() if len(called) == 1 else ""


class SourcegradError(Exception):
    """Base of all errors that a user can cause.

    `origin` is the place in the user's code (or None), `remedy` says what to write instead. `callers` are the calls
    through which the differentiated function gets to that place, innermost first.

    >>> import sourcegrad as sg
    >>> try:
    ...     sg.grad(lambda x: eval("x"))(2.0)
    ... except sg.SourcegradError as error:
    ...     print(error.message, "-", error.remedy)
    `eval` cannot be differentiated - Write the code out: what runs must be visible in the source.
    """

    lost = ""                                               # see `losing`
    instead: SourcegradError | None = None                  # what is told to the user: the cause, in a library
    outside = False                                         # whether something is changed that the function does not own
    exhausted = False                                       # whether a library calls more than is followed (`ir.effort`),
    first: SourcegradError | None = None                    # and what was refused there before

    def __init__(self, message: str, origin: Origin | None = None, remedy: str = "", callers: tuple[Origin, ...] = ()) -> None:
        self.message = message
        self.origin = origin and origin._replace(callers=())
        self.remedy = remedy
        self.callers = distinct((*(origin.callers if origin else ()), *callers))
        self._leave_package()
        super().__init__(self._render())

    @property
    def __traceback__(self) -> types.TracebackType | None:  # type: ignore[override]
        return users_frames(full_traceback(self))

    @__traceback__.setter
    def __traceback__(self, value: types.TracebackType | None) -> None:
        TRACEBACK.__set__(self, value)

    @property
    def _render_traceback_(self) -> Any:
        """IPython asks for it before it shows the frames of `sys.exc_info()`: by then they are those of the user."""
        users_frames(full_traceback(self))
        raise AttributeError("_render_traceback_")

    def locate(self, origin: Origin | None, callers: tuple[Origin, ...] = ()) -> None:
        """Add what was not known where the error was raised: the place, if it has none, and calls around it."""
        if self.origin is None and origin is not None:
            self.origin, callers = origin._replace(callers=()), (*origin.callers, *callers)
        self.callers = tuple(caller for caller in distinct((*self.callers, *callers)) if caller != self.origin)
        self._leave_package()
        self.args = (self._render(),)

    def tell_of_library(self, is_known: Callable[[str], bool] = lambda name: True) -> None:
        """Tell what is refused inside of a library at the user's own call of it, where the user can do something about it.

        is_known: whether a name means something outside the user's function, so that a rule may be given to what it names."""
        outside = next((j for j, caller in enumerate(self.callers) if not is_library(caller.file)), None)
        if self.origin is None or not is_library(self.origin.file) or outside is None:
            return
        inner, self.origin = self.origin, self.callers[outside]._replace(callers=())
        name = called_in(self.origin.text[self.origin.column - 1:])
        where = f"({os.path.basename(inner.file)}:{inner.line})"
        defined = re.match(r"def (\w+)", self.origin.text[self.origin.column - 1:])
        called = name or (f"what {defined.group(1)}() calls" if defined else "what this calls")
        self.message = f"{called} of a library cannot be differentiated: {self.message} {where}"
        rule = "the function a rule: `@sg.rule(...)`"
        if name and is_known(name.split(".")[0]):
            rule = f"it a rule: `@sg.rule({name})`"
        elif "." in name:
            rule = "the method a rule, as an attribute of its class: `@sg.rule(...)`"
        self.remedy = f"Call another function, pass what it gives as an argument, or give {rule}."
        self.callers = self.callers[outside + 1:]
        self.args = (self._render(),)

    def _leave_package(self) -> None:
        """Plain Python of this package stands for a function of a library: what is found there is told where the user calls it."""
        around = [caller for caller in self.callers if not caller.file.startswith(HERE)]
        if self.origin is not None and self.origin.file.startswith(HERE) and around:
            self.origin, self.callers = around[0]._replace(callers=()), tuple(around[1:])

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


def losing(error: Error, by_text: bool = False) -> Error:
    """An error of a program in which a derivative would be lost: no part of it runs as it stands instead.

    by_text: but one that reads no variable of its function."""
    error.lost = "text" if by_text else "anyway"
    return error


def changing_outside(error: Error) -> Error:
    """An error of a program that changes what it does not own: so it does in whatever way memory is written."""
    error.outside = True
    return error


class UnsupportedError(SourcegradError):
    """Syntax or an operation that cannot be differentiated (yet).

    >>> import sourcegrad as sg
    >>> try:
    ...     sg.grad(lambda x: eval("x"))(2.0)
    ... except sg.UnsupportedError as error:
    ...     print(error.message)
    `eval` cannot be differentiated
    """

    shared = False                       # whether it was refused because something may share memory
    python: type[Exception] | None = None           # what Python would raise there


def as_python(kind: type[Exception], message: str, origin: Origin | None = None) -> UnsupportedError:
    """The refusal of what Python itself refuses, with an exception that a handler may catch."""
    error = UnsupportedError(message, origin, "Python would raise this, too.")
    error.python = kind
    return error


class MissingRuleError(SourcegradError):
    """A call of something that has neither a derivative rule nor Python source.

    >>> import sourcegrad as sg, zlib
    >>> try:
    ...     sg.grad(lambda x: zlib.crc32(x))(2.0)
    ... except sg.MissingRuleError as error:
    ...     print(error.message)
    zlib.crc32 has no derivative rule and no Python source
    """


class SourceError(SourcegradError):
    """The source text of a function cannot be had.

    >>> import sourcegrad as sg
    >>> try:
    ...     sg.grad(len)
    ... except sg.SourceError as error:
    ...     print(error.message)
    len is not a Python function, so it has no source to differentiate
    """

    changed = False                                          # whether the file was edited since it was imported


class InputError(SourcegradError, TypeError):
    """Arguments or names of inputs that cannot be differentiated with respect to.

    >>> import sourcegrad as sg
    >>> try:
    ...     sg.grad(lambda x: x * x)("text")
    ... except sg.InputError as error:
    ...     print(error.message.split(":")[0])
    the input 'x' is a str
    """


class OutputError(SourcegradError, ValueError):
    """An output that needs `grad_outputs`, or `grad_outputs` that do not fit the output.

    >>> import numpy as np, sourcegrad as sg
    >>> try:
    ...     sg.grad(lambda x: x * x)(np.ones(3))
    ... except sg.OutputError as error:
    ...     print("shape (3,)" in error.message)
    True
    """


class Refusal(BaseException):
    """An error found while generated code runs, on its way out: no `except Exception` of the user's may take it."""

    def __init__(self, error: SourcegradError) -> None:
        super().__init__(str(error))
        self.error = error


class InternalError(SourcegradError):
    """A pass broke an invariant of the tree, or raised something: a bug in sourcegrad, never the user's fault.

    >>> import sourcegrad as sg
    >>> sg.InternalError("what is wrong", remedy=sg.errors.REPORT).remedy.startswith("This is a defect of sourcegrad")
    True
    """


# --- what the user sees

def full_traceback(error: BaseException) -> types.TracebackType | None:
    return TRACEBACK.__get__(error)


def is_internal(frame: types.FrameType) -> bool:
    """Whether a frame is one of the package or of generated code."""
    return frame.f_code.co_filename.startswith((HERE, "<sourcegrad "))


def users_frames(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """A traceback without the frames of the package, of generated code, and of the libraries that these call. (All of it when
    SOURCEGRAD_DEBUG is set.)"""
    if os.environ.get(DEBUG):
        return traceback
    kept: list[types.TracebackType] = []
    within = False
    while traceback is not None:
        internal = is_internal(traceback.tb_frame)
        if not internal and not (within and traceback.tb_frame.f_code.co_filename.startswith(LIBRARIES)):
            kept.append(traceback)
        within |= internal
        traceback = traceback.tb_next
    for frame, inner in zip(kept, [*kept[1:], None]):
        frame.tb_next = inner
    return kept[0] if kept else None


def shown(error: SourcegradError) -> SourcegradError:
    """An error as a public function raises it: nothing of the package is in its traceback, or in what it was raised during."""
    if not os.environ.get(DEBUG):
        error.__cause__ = error.__context__ = error.__traceback__ = None
        error.__suppress_context__ = False
        if sys.excepthook is sys.__excepthook__:             # Python shows the frame that raises as well
            sys.excepthook = _excepthook
    return error


def _excepthook(kind: type[BaseException], error: BaseException, traceback: types.TracebackType | None) -> None:
    if isinstance(error, SourcegradError):
        traceback = users_frames(traceback)
    sys.__excepthook__(kind, error, traceback)


def public(function: Public) -> Public:
    """A function of the interface: what it raises is shown with the user's frames only."""
    code = getattr(function, "__code__", None)
    named = code is not None and "inputs" in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]

    @functools.wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        try:
            if named and "argnums" in options:
                raise InputError(f"{function.__name__} has no option argnums",
                                 remedy="It is called inputs: the name or position of a parameter, or a tuple of them.")
            return function(*args, **options)
        except SourcegradError as error:
            found = error
        found.tell_of_library(lambda name: False)           # (what a trap in a library raises when it is reached)
        raise shown(found)                                  # during what the user's code does, not during this error

    return called                                            # type: ignore[return-value]


class generating:
    """Around the generator: anything but a refusal is a fault of the package, told with the user's line nearest to it.

    name: of the differentiated function; origin: gives its place; too_deep: what is told of a recursion, and what to do."""

    __slots__ = ("name", "origin", "too_deep")

    def __init__(self, name: str, origin: Callable[[], Origin | None] = lambda: None, too_deep: tuple[str, str] = (
            "an expression or recursion that is too deep", "Split the expression over several statements.")) -> None:
        self.name, self.origin, self.too_deep = name, origin, too_deep

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        if not isinstance(error, Exception) or isinstance(error, (SourcegradError, MemoryError)):
            return
        if isinstance(error, RecursionError):
            what, remedy = self.too_deep
            raise UnsupportedError(f"{self.name}() has {what}", self.origin(), remedy) from None
        found = f"{type(error).__name__}: {error}".splitlines()[0]
        raise InternalError(f"no derivative of {self.name}() was generated: {found}", nearest(error) or self.origin(),
                            REPORT) from error


def nearest(error: BaseException) -> Origin | None:
    """The user's line that the package was looking at when it raised an error: of the innermost frame that holds a statement."""
    found: Origin | None = None
    traceback = full_traceback(error)
    while traceback is not None:
        frame = traceback.tb_frame
        if is_internal(frame):
            values = frame.f_locals
            known = [v for v in (values.get("s"), *values.values()) if str(type(v).__module__).startswith(("gast", "sourcegrad"))]
            origins = [v if isinstance(v, Origin) else getattr(v, "origin", None) for v in known]
            found = next((origin for origin in origins if isinstance(origin, Origin)), found)
        traceback = traceback.tb_next
    return found


DEEP = 5000                              # frames of Python: expressions of some 900 terms
_walking: list[int] = []
_walkers = threading.Lock()


@contextmanager
def deep() -> Iterator[None]:
    """While trees are walked: each level of an expression takes some frames (of the stack of C as well before Python 3.11)."""
    if sys.version_info < (3, 11):
        yield
        return
    with _walkers:
        _walking.append(sys.getrecursionlimit())
        sys.setrecursionlimit(max(DEEP, _walking[0]))
    try:
        yield
    finally:
        with _walkers:
            limit = _walking.pop()
            if not _walking:
                sys.setrecursionlimit(limit)


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


# --- errors of Tensors: sourcegrad errors that are also what PyTorch raises

Place = tuple[types.CodeType, int]


class GraphError(SourcegradError, RuntimeError):
    """The graph, or a Tensor in it, cannot be used in this way."""


class TensorTypeError(SourcegradError, TypeError):
    """An argument of the wrong type."""


class TensorValueError(SourcegradError, ValueError):
    """An argument of the right type with a wrong value."""


class TensorIndexError(SourcegradError, IndexError):
    """An index or dimension that is out of range."""


FRONT_END = tuple(f"sourcegrad.{part}" for part in ("tensor", "nn", "optim", "api", "errors"))


def user_place() -> Place | None:
    """The code object and instruction of the innermost frame that is not of the front end itself: the user's operation."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith(FRONT_END):
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
