"""Adjoints of programs with objects that are written by hand are right, and what `python -m benchmarks --objects` prints."""
from __future__ import annotations

import copy
import json
import re
import signal
from pathlib import Path

import numpy as np
import pytest

from benchmarks import object_programs, objects
from benchmarks.__main__ import main
from tests.programs.real.structure import identical


@pytest.mark.parametrize("name", object_programs.NAMES)
def test_adjoint_by_hand(name: str) -> None:
    program = objects.by_hand(name, "tiny", np.random.default_rng(4))
    args = program.record.fresh()
    arrays = program.numbers(program.adjoint(*args))
    assert identical(args, program.record.args), "an argument was changed"
    assert any(np.any(array) for array in arrays[1:])
    assert program.against_differences(arrays) is None
    for k in range(1, len(arrays)):                         # each of the gradients counts
        wrong = copy.deepcopy(arrays)
        wrong[k] = wrong[k] + 1e-3 * (1.0 + abs(wrong[k]))
        assert program.against_differences(wrong)


@pytest.mark.parametrize("name", object_programs.NAMES)
def test_copies_are_whole(name: str) -> None:
    """Where a primal changes its arguments, the module says how to copy them; and copies share nothing that changes."""
    module = object_programs.load(name)
    args = module.make("tiny", np.random.default_rng(4))
    given, before = copy.deepcopy(args), copy.deepcopy(args)
    module.primal(*(module.fresh(*given) if hasattr(module, "fresh") else given))
    assert identical(given, before)
    module.primal(*given)
    assert identical(given, before) != hasattr(module, "fresh")


def test_tables(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    arguments = "--objects --quick --size tiny --only controller --only moving_variance --json"
    assert main([*arguments.split(), str(file)]) == 0
    first, hand, others, grown = re.split(r"\n\n|(?<=\n)(?=beside)", capsys.readouterr().out.strip())
    assert first.startswith("commit ")
    heads, row, means = (re.split(r"  +", line) for line in hand.splitlines())
    assert heads == ["beside adjoints by hand", "hand ms", "emitted/hand", "gradient/function", "hand/function",
                     "statements", "by hand", "ratio"]
    assert row[0] == "controller" and len(row) == len(heads) and all(float(cell) > 0.0 for cell in row[1:])
    assert means[0] == "geometric mean of 1" and means[1:4] == row[2:5]
    heads, row, means = (re.split(r"  +", line) for line in others.splitlines())
    assert heads == ["without adjoint by hand", "function ms", "gradient/function"]
    assert row[0] == "moving_variance" and means == ["geometric mean of 1", row[2]]
    heads, row = (re.split(r"  +", line) for line in grown.splitlines())
    assert heads == ["growth with n", "of", "grad/f 10", "grad/f 100", "grad/f 1000", "growth",
                     "bytes/n 10", "bytes/n 100", "bytes/n 1000", "growth"]
    assert row[:2] == ["controller", "turns"] and all(float(cell) > 0.0 for cell in row[2:10])
    written = json.loads(file.read_text())["rows"]
    assert [row["function"] for row in written] == ["controller", "moving_variance", "controller"]
    assert set(written[0]["ms"]) == {"golden", "primal", "emitted"} and not any(row["problems"] for row in written)


def doubled(x: float) -> float:
    numbers = [x]
    numbers.append(2.0 * numbers[0])
    return sum(numbers)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer")
def test_what_has_no_figures_says_why() -> None:
    """Refusals and calls that take too long are told from wrong gradients, which make the exit code 1."""
    def evaluated(x: float) -> float:
        return eval("x * x")

    refused = objects.program_row(objects.Program("evaluated", objects.real.Real(evaluated, (2.0,))), 0.001, 3)
    assert list(refused["problems"]) == ["refused"] and "`eval` cannot be differentiated" in refused["problems"]["refused"]
    assert "primal" in refused["ms"] and "emitted" not in refused["ms"]
    assert "refused" in objects.plain_table([refused]).splitlines()[1].split()
    with pytest.raises(TimeoutError) as found, objects.within(0.01):
        while True:
            doubled(1.0)
    late = {**refused, "problems": objects.problem(found.value)}
    assert late["problems"] == {"limit": "> 0 s"} and objects.plain_table([late]).splitlines()[1].endswith(" > 0 s")

    def wrong(x: float) -> tuple:
        return doubled(x), (2.0,)

    program = objects.Program("doubled", objects.real.Real(doubled, (2.0,)), wrong)
    with pytest.raises(AssertionError, match="the adjoint by hand is wrong"):
        objects.program_row(program, 0.001, 3)
    row: dict = {"problems": {}, "statements": {}}
    assert objects.checked(program, row) is None and row["problems"]["emitted"].startswith("WRONG")


TEXT = '''"""A module."""
import math


def f(x):
    """Its docstring."""
    # a comment
    if x:
        x = 1; y = 2

    return x
'''


def test_statements_are_counted() -> None:
    assert objects.statements(TEXT) == 5
    assert objects.statements_by_hand(objects.by_hand("masses", "tiny")) == 33 + 8      # the adjoint, and the methods that it calls


def test_there_are_forty_and_all_run() -> None:
    programs = [*(objects.by_hand(name, "tiny") for name in object_programs.NAMES), *objects.without_adjoint("tiny")]
    assert len(programs) >= 40 and len({program.name for program in programs}) == len(programs)
    for program in programs:
        candidate = program.primal()
        for _ in range(2):                                  # it may be called again and again
            assert np.isfinite(candidate.function(*candidate.args))
        assert identical(candidate.args, program.record.args), program.name
