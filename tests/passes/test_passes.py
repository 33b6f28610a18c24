"""The table of passes: its order, and that every optional pass may be left out without another gradient."""
from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking, passes
from sourcegrad.errors import InputError
from tests.conftest import drawn
from tests.passes.page import PAGE, page
from tests.passes.test_options import KNOWN, NAMES, gradient
from tests.programs.checks import agree, is_single
from tests.programs.corpus import BY_NAME

PROGRAMS = 1 if "SOURCEGRAD_SHARE" in os.environ else 4            # for each pass, others in every run


@pytest.mark.parametrize("left_out", passes.OPTIONAL)
def test_every_optional_pass_may_be_left_out(left_out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = sorted(set(NAMES) - KNOWN.keys(), key=lambda name: drawn(f"{left_out} {name}"))[:PROGRAMS]
    expected = {name: gradient(name, 1) for name in chosen}
    monkeypatch.setattr(linking, "OPTIONS", dataclasses.replace(linking.OPTIONS, disabled=frozenset([left_out])))
    for name in chosen:
        agree(gradient(name, 1), expected[name], 1e-5 if is_single(BY_NAME[name]) else 1e-12, f"{name} without {left_out}")


def test_what_is_left_out_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x):
        y = x * x
        return y * y + y

    usual = sg.source(f, at={"x": 2.0})
    without = frozenset(["forward_substitution", "simplify again"])
    monkeypatch.setattr(linking, "OPTIONS", dataclasses.replace(linking.OPTIONS, disabled=without))
    assert len(sg.source(f, at={"x": 2.0}).splitlines()) > len(usual.splitlines())


def test_names_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking, "OPTIONS", dataclasses.replace(linking.OPTIONS, disabled=frozenset(["functionalize"])))
    with pytest.raises(InputError, match="'functionalize', which is no optional pass"):
        sg.source(lambda x: x * x, at={"x": 2.0})


def test_by_the_environment() -> None:
    text = "from sourcegrad.compiler import linking; print(sorted(linking.OPTIONS.disabled))"
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env={"SOURCEGRAD_DISABLE": "tapes,cse"})
    assert run.stdout == "['cse', 'tapes']\n", run.stderr


def test_each_pass_and_each_analysis_has_tests_of_its_own() -> None:
    """`tests/passes/test_NAME.py`, NAME from the table (a pass that runs `again` is one pass), or a module of these folders."""
    here = Path(__file__).parent
    folders = [Path(sg.__file__).parent / folder for folder in ("analysis", "ad", "memory")]
    modules = [path.stem for folder in folders for path in folder.glob("[!_]*.py")]
    missing = [name for name in [*(name.split()[0] for name in passes.PASSES), *modules] if not (here / f"test_{name}.py").exists()]
    assert not missing


def test_the_page_of_passes() -> None:
    """`python -m tests.passes.refresh` writes it."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_order_is_checked() -> None:
    seen: set[str] = set()
    for phase in passes.PHASES.values():
        for step in passes.listed(phase):
            assert set(step.after) <= seen | {step.name}, step.name
            assert step.why and step.name.strip() == step.name
            seen.add(step.name)
    assert len(seen) >= 40 and set(passes.OPTIONAL) < seen
