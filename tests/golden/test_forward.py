"""The golden texts of forward mode are what is emitted now, and executed on their own they give value and tangent."""
from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from sourcegrad.api.directions import arguments
from tests.golden.cases import FORWARD, ForwardCase
from tests.golden.refresh import FORWARD_TEXTS
from tests.oracle import vector
from tests.programs.checks import agree

each = pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in FORWARD])


def stored(case: ForwardCase) -> str:
    return (FORWARD_TEXTS / f"{case.name}.txt").read_text(encoding="utf-8")


def copies(args: tuple) -> list:
    return [np.copy(x) if isinstance(x, np.ndarray) else x for x in args]


@each
def test_text(case: ForwardCase) -> None:
    assert case.text() == stored(case), "run `python -m tests.golden.refresh` if this is meant"


@each
def test_text_executed_gives_the_tangent(case: ForwardCase) -> None:
    module = ModuleType(case.name)
    exec(compile(stored(case), f"{case.name}.txt", "exec"), vars(module))
    made = case.pushforward()
    tangents = case.tangents()
    before = copies(case.args)
    value, tangent = vars(module)[f"{case.function.__name__}_jvp"](*case.args, **tangents)
    assert all(np.array_equal(a, b) for a, b in zip(before, case.args)), "an argument was changed"
    agree(vector(value), vector(case.function(*copies(case.args))), 1e-13, "the value")

    def at(step: float) -> Any:
        moved = dict(zip(arguments(made, case.args, {})[0], copies(case.args)))
        for name, dot in made._tangents.items():
            moved[name] = moved[name] + step * tangents[dot]
        return vector(case.function(*moved.values()))

    agree(vector(tangent), (at(1e-6) - at(-1e-6)) / 2e-6, 1e-6, case.name)


def test_texts_are_those_of_the_cases() -> None:
    assert {path.stem for path in FORWARD_TEXTS.iterdir()} == {case.name for case in FORWARD}


def test_texts_have_no_tape_and_no_helper_that_a_person_would_not_write() -> None:
    for case in FORWARD:
        text = stored(case)
        for word in ("tape", "zero_tangent", "broadcast_like", "saved", "_bar"):
            assert word not in text or case.name == "hessian_vector_product", f"{word} in {case.name}"
