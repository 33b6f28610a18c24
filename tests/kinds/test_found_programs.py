"""Programs that went wrong once, as they were found: each asserts what is right, and ends well or is refused with a place in it."""
from __future__ import annotations

import random
import runpy
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from sourcegrad.errors import HERE, SourcegradError

PROGRAMS = sorted((Path(__file__).parent / "found").glob("*.py"))
REFUSED = {  # how the message begins; all others end well
    "generator_method_is_read_at_once": "an iterator that does something that what reads it does, too",
    "map_in_a_variable_is_read_at_once": "an iterator that does something that what reads it does, too",
    "tools_of_functions_on_tensors": "soft() has a rule of its own (sg.rule)",
}


@pytest.fixture
def as_before(monkeypatch, tmp_path):
    """A folder of its own; random states, paths and modules are what they were."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(HERE).parent))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "path", sys.path[:])
    states, modules = (np.random.get_state(), random.getstate()), set(sys.modules)
    yield
    np.random.set_state(states[0])
    random.setstate(states[1])
    for name in set(sys.modules) - modules:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_gradient(program: Path, as_before) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runpy.run_path(str(program), run_name="found")
    except SystemExit as end:
        assert not end.code
    except SourcegradError as problem:
        assert program.stem in REFUSED, str(problem)
        assert problem.message.startswith(REFUSED[program.stem]), str(problem)
        assert problem.origin is not None and problem.origin.file == str(program), str(problem)
        assert problem.origin.text.strip() in program.read_text(encoding="utf-8")
    else:
        assert program.stem not in REFUSED, "it is not refused any more: take it out of the table"


def test_all_are_there() -> None:
    assert len(PROGRAMS) == 29 and set(REFUSED) <= {program.stem for program in PROGRAMS}
