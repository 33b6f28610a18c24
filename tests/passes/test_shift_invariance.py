"""Extrema that are subtracted for stability only have no code in the reverse sweep; all others have."""
from __future__ import annotations

import pytest

from tests.programs.checks import check_derivative, draw_weights, gradient_function, source_text
from tests.programs.corpus_shifts import MATTERS, STABLE
from tests.programs.program import Program


def each(programs: list):
    return pytest.mark.parametrize("program", [pytest.param(p, id=p.name) for p in programs])


def reverse_sweep(program: Program) -> str:
    gradient = gradient_function(program, draw_weights(program, 1))
    gradient(*program.fresh())
    return source_text(gradient).split("# --- reverse sweep")[1]


@each(STABLE)
def test_without_influence(program: Program) -> None:
    text = reverse_sweep(program)
    assert "extremum" not in text and "top_bar" not in text and "max" not in "".join(
        line for line in text.splitlines() if not line.lstrip().startswith("#"))


@each(MATTERS)
def test_with_influence(program: Program) -> None:
    assert "extremum" in reverse_sweep(program) or "top_bar" in reverse_sweep(program)


@each([*STABLE, *MATTERS])
def test_derivatives(program: Program) -> None:
    for order in range(1, program.order + 1):
        check_derivative(program, order)
