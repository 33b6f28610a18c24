"""substitute: the text of a rule in the place of its call, with names replaced and conditions that are known evaluated away."""
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.ad.substitute import Substitution
from sourcegrad.ir import tree as t
from sourcegrad.ir.source import to_text
from sourcegrad.primitives.core import RULES
from tests.passes.facts import types_of, written

X = np.array([[0.5, -1.5], [2.0, 1.0]])


def program(x, y, n):
    return x


def substituted(function, at, **bound) -> tuple[list[str], list[str | None]]:
    """The statements of a rule, and the contributions."""
    facts = types_of(program, **at)
    nodes = {name: t.load(value) if isinstance(value, str) else t.const(value) for name, value in bound.items()}
    statements, parts = Substitution(RULES[function], facts.unit, nodes, "y_bar", "y", facts.of, None).run()
    return [to_text(s) for s in statements], [None if part is None else written(part) for part in parts]


AT = {"x": X, "y": X, "n": 1}


@pytest.mark.parametrize("function, bound, contribution", [
    (np.exp, {"x": "x"}, "y_bar * y"),
    (np.sin, {"x": "x"}, "y_bar * np.cos(x)"),
    (np.sum, {"a": "x"}, "broadcast_like(y_bar, x)"),
    (np.sum, {"a": "x", "axis": 0}, "broadcast_like(np.expand_dims(y_bar, 0), x)"),
    (np.sum, {"a": "x", "axis": 0, "keepdims": True}, "broadcast_like(y_bar, x)"),
])
def test_conditions_that_are_known_are_gone(function, bound, contribution) -> None:
    statements, parts = substituted(function, AT, **bound)
    assert statements == [] and parts[0] == contribution


def test_conditions_that_are_not_known_stay() -> None:
    statements, _ = substituted(np.sum, AT, a="x", axis="n")
    assert not any(s.startswith("if ") for s in statements)             # what kind an axis has is known
    unknown, _ = substituted(np.sum, {**AT, "n": object()}, a="x", axis="n")
    assert any(s.startswith("if ") for s in unknown)


def twice(x):
    return np.var(x) * np.var(2.0 * x)


@pytest.mark.parametrize("order", [1, 2])
def test_names_of_a_rule_are_made_up_anew(order) -> None:
    """Two calls of one function, whose rule has names of its own, do not share them."""
    sg.check_grad(twice, X, order=order)


def test_the_text_has_no_option_handling() -> None:
    text = sg.source(lambda x: np.sum(np.linalg.norm(x, axis=1)), at={"x": X})
    assert "ord" not in text and "keepdims is" not in text
