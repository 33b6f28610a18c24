"""activity: which names depend on the inputs (varied), through operations that a derivative flows through."""
from __future__ import annotations

import re

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.analysis.activity import Activity, differentiable, is_text, left_out, parsed
from sourcegrad.ir.source import to_text
from sourcegrad.primitives.core import PARTS, RULES
from tests.passes.facts import types_of

X = np.array([0.5, -1.5])


def straight(x, w):
    y = np.sin(x)
    z = y * w
    u = w * w
    return z


def without_derivative(x, w):
    sign = np.sign(x)
    size = x.shape[0]
    place = np.argmax(x)
    above = x > w
    zeros = np.zeros_like(x)
    rounded = np.floor(x)
    return sign


def loops(x, w):
    y = 0.0
    z = 0.0
    for k in range(3):
        z = y
        y = y + np.sum(x) * k
    return z


def branches(x, w):
    if np.sum(x) > 0.0:
        y = w
    else:
        y = 1.0
    return y


def containers(x, w):
    values = [w]
    values.append(x)
    pair = w, w
    table = {"a": x}
    item = table["a"]
    whole = values[0]
    return item


def stopped(x, w):
    y = sg.stop_gradient(x)
    z = y * w
    return z


def whole_numbers(x, w):
    rounded = np.round(x).astype(int)
    again = rounded * 2.0
    return again


@pytest.mark.parametrize("function, expected", [
    (straight, "x y z"), (without_derivative, "x"), (loops, "x y z"), (branches, "x"),
    (containers, "x values table item whole"), (stopped, "x"), (whole_numbers, "x"),
])
def test_varied(function, expected) -> None:
    facts = types_of(function, x=X, w=2.0)
    varied = Activity(facts, {"x"}).run().varied
    assert {n for n in varied if not n.startswith("x_")} >= set(expected.split())
    assert {n for n in varied if n in facts.unit.function.local} == set(expected.split())


def test_nothing_is_varied_without_inputs() -> None:
    assert Activity(types_of(straight, x=X, w=2.0), set()).run().varied == set()


def lost_key(x, w):
    table = {1: w}
    y = table[x]
    return y


def test_what_would_lose_a_derivative_is_refused() -> None:
    with pytest.raises(sg.UnsupportedError, match="a key that depends on the inputs"):
        Activity(types_of(lost_key, x=1.0, w=2.0), {"x"}).run()


def test_what_the_text_of_a_rule_tells() -> None:
    assert differentiable(RULES[np.where]) == {"x", "y"} and differentiable(RULES[np.matmul]) == {"a", "b"} | differentiable(
        RULES[np.matmul])
    assert "axis" in left_out(RULES[np.sum]) and is_text(RULES[np.sum])


# --- Rules that share their last statements: the part is written out where a rule returns it.

def test_parts_are_written_out() -> None:
    names = {part.__name__ for part in PARTS}
    assert names == {"deviations", "vector_shares"}
    for function, parameter in ((np.var, "a"), (np.std, "a"), (np.linalg.norm, "x")):
        text = to_text(parsed(RULES[function]).tree)
        assert not any(f"{name}(" in text for name in names) and differentiable(RULES[function]) == {parameter}


def test_emitted_text_holds_no_option_handling() -> None:
    text = sg.source(lambda x: np.std(x) + np.linalg.norm(x, 3), at={"x": np.ones(3)})
    assert "x - np.mean(x)" in text and "/ x.size" in text
    words = set(re.findall(r"\w+", text))
    assert not words & {"deviations", "vector_shares", "ddof", "correction", "ord", "if"}, text


def test_other_names_are_noticed() -> None:
    from sourcegrad.primitives import reductions
    from sourcegrad.primitives.core import Rule

    def wrong(ct, out, a, axis=None):
        return deviations(ct, a, axis, 0, False, None)              # noqa: F821

    wrong.__globals__["deviations"] = reductions.deviations
    try:
        with pytest.raises(TypeError, match="other names than its parameters"):
            parsed(Rule(wrong, (), False, (), None, False, ("a", "axis")))
    finally:
        del wrong.__globals__["deviations"]
