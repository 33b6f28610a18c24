"""What a command names: functions, their inputs and example arguments; and how it prints."""
from __future__ import annotations

import difflib
import importlib
import importlib.util
import math
import os
import sys
import traceback
import types
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from sourcegrad.errors import SourcegradError
from sourcegrad.ir import source

GOOD, FAILED, USAGE = 0, 1, 2


class UsageError(Exception):
    """A mistake on the command line, or a file that cannot be loaded."""


def complain(message: str, code: int) -> int:
    text = f"sourcegrad: {message}"
    print(marked(text) if colour_wanted(sys.stderr) else text, file=sys.stderr)
    return code


def load(target: str) -> Callable:
    """The function that FILE.py:FUNC or pkg.mod:FUNC names."""
    place, colon, name = target.rpartition(":")
    if not colon or not place or not name:
        raise UsageError(f"{target!r} does not name a function\nWrite FILE.py:FUNC or pkg.mod:FUNC.")
    module = imported_file(Path(place)) if place.endswith(".py") else imported_module(place)
    found: Any = module
    before = ""
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            kinds = (types.FunctionType, classmethod, staticmethod) if before else types.FunctionType
            functions = [before + n for n in dir(found) if isinstance(source.static_attribute(found, n, None), kinds)
                         and not n.startswith("__")]
            close = difflib.get_close_matches(before + part, functions) or functions[:8]
            raise UsageError(f"{place} has no function {name!r}" + (f"\nIt has {', '.join(close)}." if close else "")) from None
        except Exception as error:              # a property of an object
            raise UsageError(raised(error, f"{before}{part} cannot be read")) from None
        before += f"{part}."
    if not callable(found):
        raise UsageError(f"{target} is not a function but a {type(found).__name__}")
    return found


def imported_file(path: Path) -> types.ModuleType:
    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    name = path.stem
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) != str(path):
        name = f"{name}_file"                   # json.py must not replace the json that others imported
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    execute = spec.loader.exec_module
    run_import(lambda: execute(module), str(path))
    return module


def imported_module(name: str) -> types.ModuleType:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    module: types.ModuleType = run_import(lambda: importlib.import_module(name), name)
    return module


def run_import(load_module: Callable[[], Any], what: str) -> Any:
    """Import the user's code; whatever it raises becomes a message with its place."""
    try:
        with redirect_stdout(sys.stderr):       # what it prints is no part of the result
            return load_module()
    except SourcegradError:
        raise
    except ModuleNotFoundError as error:
        if error.name is not None and (what == error.name or what.startswith(f"{error.name}.")):
            raise UsageError(f"there is no module {error.name!r}\nWrite FILE.py:FUNC or pkg.mod:FUNC.") from None
        raise UsageError(raised(error, f"importing {what} fails")) from None
    except SyntaxError as error:
        raise UsageError(syntax_error(error)) from None
    except (Exception, SystemExit) as error:
        raise UsageError(raised(error, f"importing {what} fails")) from None


def syntax_error(error: SyntaxError) -> str:
    line = (error.text or "").rstrip()
    indent = len(line) - len(line.lstrip())
    column = error.offset or 1
    caret = f"\n    {line.lstrip()}\n    {' ' * max(column - 1 - indent, 0)}^" if line else ""
    return f"{error.filename}:{error.lineno}:{column}: {type(error).__name__}: {error.msg}{caret}"


def raised(error: BaseException, what: str) -> str:
    """One line for an exception in the user's code: the place where it left that code, and what it says."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith("<frozen")]
    users = [f for f in frames if Path(f.filename).is_relative_to(Path.cwd()) or not installed(f.filename)]
    place = f"{users[-1].filename}:{users[-1].lineno}: " if users else ""
    return f"{place}{what}: {type(error).__name__}: {error}"


def installed(filename: str) -> bool:
    return "site-packages" in filename or Path(filename).is_relative_to(Path(__file__).parents[1]) or (
        Path(filename).is_relative_to(Path(os.__file__).parent))


def chosen(inputs: str | None) -> str | int | tuple[str | int, ...] | None:
    """`w` asks for one gradient, `w,b` (and `w,`) for a tuple; `0,2` are positions."""
    if inputs is None:
        return None
    names = [name.strip() for name in inputs.removesuffix(",").split(",")]
    found = tuple(int(name) if name.lstrip("-").isdigit() else name for name in names)
    return found if "," in inputs else found[0]


def evaluated(assignments: list[str], function: Any, signature: source.Signature) -> dict[str, Any]:
    """The values of --at "NAME=EXPR"; the expressions are the user's own command line, and see the names of the function's file."""
    names = getattr(source.unwrap(function), "__globals__", {})
    values = {}
    for text in assignments:
        name, equals, expression = (part.strip() for part in text.partition("="))
        if not equals or not name.isidentifier():
            raise UsageError(f"--at {text!r}: write NAME=EXPRESSION, for example --at \"x=np.ones(3)\"")
        if name not in signature.parameters:
            raise UsageError(f"--at {text!r}: there is no parameter {name!r}\n"
                             f"The parameters are {', '.join(signature.parameters)}.")
        try:
            with redirect_stdout(sys.stderr):
                values[name] = eval(expression, {"np": np, "math": math, **names})
        except Exception as error:
            raise UsageError(f"--at {text!r}: {type(error).__name__}: {error}") from None
    return values


# --- printing

def show_text(text: str, language: str = "python", file: str | None = None) -> None:
    """Print a text, or write it to a file."""
    text = text if text.endswith("\n") else text + "\n"
    if file is None:
        print(coloured(text, language) if colour_wanted(sys.stdout) else text, end="", flush=True)
        return
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None


def colour_wanted(stream: Any) -> bool:
    """Whether a stream is a terminal that shows colours, and NO_COLOR (https://no-color.org) is not set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


BOLD, RED, GREEN, PLAIN = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[0m"


def marked(message: str) -> str:
    """A message with its first line bold, and the caret below a quoted line in green."""
    first, *rest = message.split("\n")
    start = f"{RED}sourcegrad:{PLAIN}{BOLD}"
    lines = [f"{BOLD}{first.replace('sourcegrad:', start, 1)}{PLAIN}"]
    return "\n".join([*lines, *(f"{BOLD}{GREEN}{line}{PLAIN}" if line.strip() == "^" else line for line in rest)])


def coloured(text: str, language: str) -> str:
    """Text with terminal colours, or as it is where pygments is not installed."""
    try:
        from pygments import formatters, highlight, lexers
    except ImportError:
        return text
    return str(highlight(text, lexers.get_lexer_by_name(language), formatters.TerminalFormatter()))
