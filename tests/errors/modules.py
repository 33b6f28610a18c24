"""User modules as real files, so that file, line and column of errors can be checked."""
from __future__ import annotations

import importlib.util
import itertools
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

from sourcegrad.errors import SourcegradError

_numbers = itertools.count(1)


def load(folder: Path, text: str) -> ModuleType:
    """Import a text as a module in a file of its own."""
    name = f"user_module_{next(_numbers)}"
    path = Path(folder) / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def refused(folder: Path, text: str, call: Any) -> tuple[SourcegradError, ModuleType]:
    """The error that `call(module)` raises, and the module."""
    module = load(folder, textwrap.dedent(text))
    try:
        result = call(module)
    except SourcegradError as error:
        return error, module
    raise AssertionError(f"not refused: {result!r}")


def marked(module: ModuleType) -> tuple[str, int, int, str]:
    """File, line, column and text of the place under the `# ^` line of a module.

    The marker stands in the line below the marked one: a comment whose `^` is under the first character.
    """
    lines = Path(module.__file__).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if line.lstrip().startswith("#") and line.rstrip().endswith("^"):
            return module.__file__, number, line.index("^") + 1, lines[number - 1]
    raise AssertionError("no marker line")
