"""A pass is tested by functions next to the text that they become."""
from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import sourcegrad as sg
from sourcegrad.compiler import passes
from sourcegrad.ir.source import to_text
from sourcegrad.parse.resolve import describe, resolve
from tests.golden.documents import Stages


@dataclass(frozen=True)
class Case:
    function: Callable
    text: str
    inputs: Any
    at: dict[str, Any]


class Cases(list):
    """The cases of one pass. What is compared is the body of the function after it, without the `def` line."""

    def __init__(self, stage: str) -> None:
        super().__init__()
        self.stage = stage

    def becomes(self, text: str, inputs: Any = None, **at: Any) -> Callable[[Callable], Callable]:
        """Note what a function becomes; `at`: example arguments, which passes after the front end need."""

        def note(function: Callable) -> Callable:
            self.append(Case(function, text, inputs, at))
            return function

        return note

    def after(self, case: Case) -> str:
        return body(front(case, self.stage) if not case.at else back(case, self.stage))

    def check(self) -> Callable:
        """A test of all cases."""

        @pytest.mark.parametrize("case", [pytest.param(case, id=case.function.__name__) for case in self])
        def test(case: Case) -> None:
            assert self.after(case) == textwrap.dedent(case.text).strip()

        return test


def body(text: str) -> str:
    """Without the line of the `def`, and dedented."""
    return textwrap.dedent(text.split("\n", 1)[1]).strip()


def front(case: Case, stage: str) -> str:
    """After a pass of the front end, which needs no kinds."""
    work = passes.Work(resolve(describe(case.function)))
    for step in passes.listed(passes.PHASES["syntax"]):
        step.run(work)
        if step.name == stage:
            return to_text(work.unit.tree)
    raise ValueError(f"{stage} is not a pass of the front end")


def back(case: Case, stage: str) -> str:
    """After a stage of the gradient, for arguments like those in `at`."""
    trace = Stages(case.function.__name__)
    sizes: dict[int, str] = {}
    known = {name: sg.kinds.kind_of(value, name, sizes) for name, value in case.at.items()}
    sg.grad(case.function, case.inputs)._specialise(known, False, trace)
    return trace.found[stage]
