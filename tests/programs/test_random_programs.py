"""Random programs: sourcegrad against dual numbers (tight) and central differences (loose).

SOURCEGRAD_PROGRAMS sets how many programs are tried, SOURCEGRAD_SEED (0) which, SOURCEGRAD_SHRINK (30) for how many
seconds a failing program is made smaller.
"""
from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, note, seed, settings
from hypothesis.internal.conjecture import engine

from sourcegrad.errors import InternalError, SourcegradError
from tests.oracle import closest_comparison, same_structure, vector
from tests.programs.checks import agree, approximate, draw_weights, exact, gradient_function, source_text
from tests.programs.generator import RandomProgram, random_programs, usable

PROGRAMS = int(os.environ.get("SOURCEGRAD_PROGRAMS", "80"))
SEED = int(os.environ.get("SOURCEGRAD_SEED", "0"))
SHRINK = float(os.environ.get("SOURCEGRAD_SHRINK", "30"))
SHARES = 20
STEEP = 1e3          # differences of functions with larger derivatives say little


def check(program: RandomProgram) -> None:
    """Raises AssertionError for a wrong gradient, and what sourcegrad raises where it refuses or breaks."""
    with np.errstate(all="ignore"):
        weights = draw_weights(program, program.order)
        closest_comparison()
        expected = exact(program, weights)
        margin = closest_comparison()
        gradient = gradient_function(program, weights)
        args = program.fresh()
        result = gradient(*args)
        note(f"# --- emitted\n{source_text(gradient)}")
        assert all(np.array_equal(a, b) for a, b in zip(args, program.args)), "an argument was changed"
        assert same_structure(result, program.select(program.args)), f"the gradient is {result!r}"
        agree(vector(result), expected, 1e-9, f"order {program.order}, dual numbers")
        if program.order == 1 and margin > 1e-4 and np.max(np.abs(expected), initial=0.0) < STEEP:
            coarse, fine = (approximate(program, weights, step) for step in (1e-5, 5e-6))
            error = np.abs(coarse - fine)              # of the differences themselves: large where the function bends
            agree(vector(result), fine, 1e-5 + 10.0 * float(np.max(error, initial=0.0)), "central differences")


@pytest.mark.parametrize("share", range(SHARES))
def test_random_programs(share: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # not a public setting: where it has another name, shrinking takes Hypothesis' own five minutes
    monkeypatch.setattr(engine, "MAX_SHRINKING_SECONDS", SHRINK, raising=False)
    tried, refused = [], []

    @seed(1000 * SEED + share)
    @settings(max_examples=max(PROGRAMS // SHARES, 1), deadline=None, database=None, report_multiple_bugs=False,
              suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink])
    @given(random_programs())
    def compare(program: RandomProgram) -> None:
        if not usable(program):
            return
        tried.append(1)
        try:
            check(program)
        except Exception as error:
            is_located = isinstance(error, SourcegradError) and error.origin is not None
            if is_located and not isinstance(error, InternalError):
                refused.append(f"{error}")
                return
            raise

    compare()
    assert len(refused) <= 0.05 * len(tried) + 1, f"{len(refused)} of {len(tried)} refused:\n\n" + (
        "\n".join(refused))


def test_programs_are_worth_testing() -> None:
    """The generator makes varied programs whose results depend on their inputs."""
    texts, active = [], []

    @seed(0)
    @settings(max_examples=100, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(random_programs())
    def collect(program: RandomProgram) -> None:
        texts.append(program.text)
        if usable(program):
            active.append(bool(np.any(exact(program, draw_weights(program, 1)))))

    with np.errstate(all="ignore"):
        collect()
    assert len(set(texts)) > 0.85 * len(texts)
    assert sum(active) > 0.7 * len(texts)
    for word in ("while ", "for ", "elif ", "else:", "break", "continue", "append", "lambda", "walk", "even", ":=",
                 "sum(", "prev", "enumerate", "zip", "reversed", "np.stack", "+="):
        assert any(word in text for text in texts), f"no program has {word!r}"
