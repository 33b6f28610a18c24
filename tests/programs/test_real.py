"""The real programs: derivatives of both orders, and the size of what is emitted."""
from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest

import sourcegrad as sg
from tests.programs.real import load
from tests.programs.real.checks import (
    check,
    check_emitted_size,
    check_module_is_left_alone,
    check_refusal,
    check_value,
    expected_gradient,
    kinks,
    roughness,
    user_lines,
)
from tests.programs.real.numeric import NumericGradient
from tests.programs.real.record import Real

PROGRAMS = load()


def programs(order: int, refused: bool = False):
    return pytest.mark.parametrize("program", [
        pytest.param(program, id=name) for name, program in PROGRAMS.items()
        if program.order >= order and (program.refused is not None) == refused])


@programs(1)
def test_gradient(program: Real) -> None:
    check(program, 1)


@programs(2)
def test_second_derivative(program: Real) -> None:
    check(program, 2)


@programs(1)
def test_emitted_size(program: Real) -> None:
    check_emitted_size(program)


@programs(1)
def test_value(program: Real) -> None:
    check_value(program)


@programs(0, refused=True)
def test_refusal(program: Real) -> None:
    check_refusal(program)


@programs(0)
def test_program_is_smooth_where_it_is_tested(program: Real) -> None:
    gradient = expected_gradient(program)
    assert np.all(np.isfinite(gradient)) and np.max(np.abs(gradient)) > 1e-3
    assert kinks(program) < 1e-3 and roughness(program) < 0.3 * program.tolerance


@pytest.mark.parametrize("module", sorted({program.function.__module__ for program in PROGRAMS.values()}))
def test_module_is_left_alone(module: str) -> None:
    check_module_is_left_alone([program for program in PROGRAMS.values() if program.function.__module__ == module])


def test_size_of_the_corpus() -> None:
    modules = {program.function.__module__: user_lines(program) for program in PROGRAMS.values()}
    assert len(modules) >= 28
    assert all(35 <= lines <= 300 for lines in modules.values()), modules


@pytest.mark.parametrize("name", ["battery.runtime_energy", "hidden_markov.fit_cost", "kinetics", "orbit.state_cost",
                                  "neural_ode.training_loss", "optimizers.implicit_root"])
def test_the_checks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They accept differences for any structure of inputs, and notice an error of a tenth of a percent."""
    program = dataclasses.replace(PROGRAMS[name], tolerance=1e-5)
    monkeypatch.setattr(sg, "grad", NumericGradient)
    check(program, 1)
    if name in ("hidden_markov.fit_cost", "orbit.state_cost", "optimizers.implicit_root"):      # differences of differences
        check(program, 2)
    monkeypatch.setattr(sg, "grad", functools.partial(NumericGradient, factor=1.001))
    with pytest.raises(AssertionError, match="wrong derivative"):
        check(program, 1)


def test_changed_arguments_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(function, inputs=None):
        def gradient(x, scale):
            scale["by"] += 1.0
            return 2.0 * x
        return gradient

    def scaled(x, scale):
        return x * scale["by"]

    monkeypatch.setattr(sg, "grad", careless)
    with pytest.raises(AssertionError, match="an argument was changed"):
        check(Real(scaled, (3.0, {"by": 2.0})), 1)
