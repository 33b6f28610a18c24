"""The emitted sources of the corpus, from freshly loaded copies of its functions.

`python -m tests.programs.texts NAME ...` prints them as JSON, for comparison between processes.
"""
from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import sys
from types import ModuleType

from tests.programs.checks import draw_weights, gradient_function, source_text
from tests.programs.corpus import THEMES, named
from tests.programs.program import Program


def loaded_again(module: ModuleType) -> ModuleType:
    """A second copy of a module: no cache that is keyed by its functions knows them."""
    spec = importlib.util.spec_from_file_location(module.__name__, module.__file__)
    copy = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(copy)  # type: ignore[union-attr]
    return copy


def emitted(program: Program, order: int = 1) -> str:
    """The text of the derivative for the program's arguments."""
    gradient = gradient_function(program, draw_weights(program, order))
    gradient(*program.fresh(), **program.options)
    return source_text(gradient)


def emitted_again(names: list[str]) -> dict[str, str]:
    programs = named(tuple(map(loaded_again, THEMES)))
    return {name: emitted(programs[name]) for name in names}


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):
        texts = emitted_again(sys.argv[1:])
    json.dump(texts, sys.stdout)
