"""The printed text of a gradient is a module of its own: it runs without what it was generated from, and gives the same."""
from __future__ import annotations

import importlib.util
import inspect
import types
from pathlib import Path

import pytest

from tests.oracle import vector
from tests.primitives.object_programs import PROGRAMS as OBJECTS
from tests.programs.checks import draw_weights, gradient_function, refusal_allowed, source_text
from tests.programs.corpus import PROGRAMS
from tests.programs.program import Program

ALL = [*PROGRAMS, *(Program(function, args) for function, args, _ in OBJECTS)]


# variables of the function around a decorator's wrapper; an array that is imported inside a function; warnings of what is guarded
NOT_ALONE = {"wrapped_twice", "calls_wrapped", "imports_where_needed", "unsafe_pull", "unbounded_roots",
             "scattering"}


def closed(program: Program) -> bool:
    """Whether a function reads nothing of functions around it."""
    function = inspect.unwrap(program.function)
    return inspect.isfunction(function) and not function.__closure__


def printed(text: str, folder: Path) -> types.ModuleType:
    """The text as a module of its own, in a file."""
    file = folder / "printed.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location("printed", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("program", [pytest.param(p, id=p.name) for p in ALL if closed(p) and p.name not in NOT_ALONE][::3])
def test_text_runs(program: Program, tmp_path: Path) -> None:
    weights = draw_weights(program, 1)
    gradient = gradient_function(program, weights)
    with refusal_allowed(program):
        expected = gradient(*program.fresh(), **program.options)
        if gradient._last[0].singular:                      # its plain text gives NaN where guards are left out
            gradient = gradient.guarded
            expected = gradient(*program.fresh(), **program.options)
    text = source_text(gradient)
    module = printed(text, tmp_path)
    name = [line for line in text.splitlines() if line.startswith("def ")][-1][4:].split("(")[0]
    given = {} if weights[0] is None else {"grad_outputs": weights[0]}
    actual = getattr(module, name)(*program.fresh(), **program.options, **given)
    assert (vector(actual) == vector(expected)).all()
