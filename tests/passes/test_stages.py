"""`show --all`: every stage is a Python program, and holds all functions that are transformed."""
from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler.passes import Trace
from tests.golden.cases import CASES

FRONT = ["parse", "resolve", "decorators", "devirtualize", "iterators", "desugar", "lambda_lifting", "single_exit", "anf",
         "outline", "split_webs", "trip_counts", "specialise", "functionalize"]
BACK = ["inline", "reverse", "dce", "simplify", "forward_substitution"]
HALVES = ["accumulate", "reuse"]


def stages(function: Any, inputs: Any, known: dict[str, Any]) -> tuple[dict[str, str], str]:
    trace = Trace()
    text = sg.grad(function, inputs)._specialise({n: sg.kinds.kind_of(v, n, {}) for n, v in known.items()}, False, trace).text
    return dict(trace.stages), text


def names(text: str) -> list[str]:
    return [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]


def leaf(x):
    for _ in range(2):
        x = x * np.sin(x)
    return x


def ignored(x):
    return x * 3.0


def middle(x, n):
    if n > 0:
        pass
    return leaf(x) + 1.0


def outer(x, n):
    y = x
    for i in range(n):
        if i > 1:
            y = middle(y, i)
        elif i > 0:
            _unread = ignored(y)                     # the stages of the front end show it all the same
    return y * leaf(x)


def test_callees_are_shown_at_every_stage() -> None:
    found, result = stages(outer, "x", {"x": 1.0, "n": 3})
    assert list(found) == FRONT + BACK + HALVES
    for stage in FRONT:
        assert set(names(found[stage])) == {"ignored", "leaf", "middle", "outer"} and names(found[stage])[-1] == "outer", stage
    for stage in BACK[1:]:
        assert {"leaf", "middle", "outer_grad"} <= set(names(found[stage])) and names(found[stage])[-1] == "outer_grad", stage
    for text in (*(found[stage] for stage in HALVES), result):
        assert {"leaf_forward", "leaf_reverse", "middle_forward", "middle_reverse"} < set(names(text))
        assert names(text)[-1] == "outer_grad"


def test_stage_of_the_function_itself_not_of_a_callee() -> None:
    assert "def outer_grad(x, n):" in sg.source(outer, stage="reverse", at={"x": 1.0, "n": 3})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_stage_parses(case: Any) -> None:
    function: Any = case.function
    for _ in range(case.order - 1):
        function = sg.grad(function, case.inputs)
    gradient = sg.grad(function, case.inputs, case.grad_outputs)
    trace = Trace()
    known = {name: sg.kinds.kind_of(value, name) for name, value in zip(gradient._signature().parameters, case.args)}
    gradient._specialise(known, case.grad_outputs is not None, trace)
    assert len(trace.stages) == len(FRONT + BACK + HALVES)
    for stage, text in trace.stages:
        assert names(text), stage
        for body in (node.body for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.If, ast.For, ast.While))):
            assert body, stage


@pytest.mark.parametrize("branches", ["if x > 1.0:\n        pass\n    else:\n        y = y * x",
                                      "if x > 1.0:\n        y = y * x\n    else:\n        pass",
                                      "for i in range(3):\n        z = 2.0 * i", "if x > 1.0:\n        z = 1.0"])
def test_branches_that_become_empty(tmp_path, branches: str) -> None:
    from tests.errors.modules import load
    module = load(tmp_path, f"def f(x):\n    y = x\n    {branches}\n    return y * x\n")
    for text in stages(module.f, "x", {"x": 2.0})[0].values():
        assert names(text)
