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
from unittest import mock

from tests.programs.checks import draw_weights, gradient_function
from tests.programs.corpus import BY_NAME, THEMES
from tests.programs.program import Program
from tests.shared import text_for


def loaded_again(module: ModuleType) -> ModuleType:
    """A second copy of a module: no cache that is keyed by its functions knows them."""
    spec = importlib.util.spec_from_file_location(module.__name__, module.__file__)
    copy = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(copy)  # type: ignore[union-attr]
    return copy


def emitted(program: Program, order: int = 1) -> str:
    """The text of the derivative for the program's arguments."""
    return text_for(gradient_function(program, draw_weights(program, order)), *program.fresh(), **program.options)


def emitted_again(names: list[str], order: int = 1) -> dict[str, str]:
    places = {id(program): (theme, position) for theme in THEMES for position, program in enumerate(theme.PROGRAMS)}
    wanted = {name: places[id(BY_NAME[name])] for name in names}
    again = {theme: loaded_again(theme) for theme in dict.fromkeys(theme for theme, _ in wanted.values())}
    programs = {name: again[theme].PROGRAMS[position] for name, (theme, position) in wanted.items()}
    named = {theme.__name__: copy for theme, copy in again.items()}     # texts name classes where they are found under their names
    with mock.patch.dict(sys.modules, named):
        return {name: emitted(program, min(program.order, order)) for name, program in programs.items()}


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):
        texts = emitted_again(sys.argv[1:])
    json.dump(texts, sys.stdout)
