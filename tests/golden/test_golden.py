"""The golden texts are what is emitted now, and executed on their own they give right gradients.

After a change that is meant, `python -m tests.golden.refresh` rewrites them: read the difference.
"""
from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.golden.cases import BY_NAME, CASES, Case
from tests.golden.documents import BLOCK, DOCUMENTS, refreshed, stages
from tests.golden.refresh import TEXTS
from tests.oracle import central_gradient, vector
from tests.programs.checks import agree

each = pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])


def stored(case: Case) -> str:
    return (TEXTS / f"{case.name}.txt").read_text(encoding="utf-8")


def executed(case: Case, text: str) -> Any:
    """The gradient function that a text defines, as a module of its own."""
    module = ModuleType(case.name)
    exec(compile(text, f"{case.name}.txt", "exec"), vars(module))
    return vars(module)[case.function.__name__ + "_grad" * case.order]


def positions(case: Case) -> tuple[int, ...]:
    names = list(inspect.signature(case.function).parameters)
    inputs = case.inputs if isinstance(case.inputs, tuple) else (case.inputs or names[0],)
    return tuple(names.index(name) for name in inputs)


def expected(case: Case) -> np.ndarray:
    lower = case.gradient(case.order - 1) if case.order > 1 else case.function
    weights = 1.0 if case.grad_outputs is None else case.grad_outputs

    def on_copies(*args: Any) -> Any:
        return lower(*(np.copy(a) if isinstance(a, np.ndarray) else a for a in args))

    return central_gradient(on_copies, case.args, positions(case), weights)


def check(case: Case, text: str) -> None:
    before = [np.copy(a) for a in case.args]
    result = executed(case, text)(*case.args, **case.options)
    agree(vector(result), expected(case), 1e-6, case.name)
    assert all(np.array_equal(a, b) for a, b in zip(before, case.args)), "an argument was changed"


@each
def test_text(case: Case) -> None:
    assert case.text() == stored(case), "run `python -m tests.golden.refresh` if this is meant"


@each
def test_text_executed_gives_the_gradient(case: Case) -> None:
    check(case, stored(case))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_document(path: Any) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(BLOCK.findall(text)) == text.count("<!-- "), "a marker without its block"
    assert refreshed(text) == text, "run `python -m tests.golden.refresh` if this is meant"


def test_every_stage_is_explained() -> None:
    text = DOCUMENTS[0].read_text(encoding="utf-8")
    assert [name for name in stages() if f"**{name}**" not in text] == []


def test_texts_are_those_of_the_cases() -> None:
    assert {path.stem for path in TEXTS.glob("*.txt")} == set(BY_NAME)


def test_a_wrong_text_is_noticed() -> None:
    case = BY_NAME["scalar_math"]
    with pytest.raises(AssertionError):
        check(case, stored(case).replace("math.cos(x)", "math.cos(x) * 1.001"))
