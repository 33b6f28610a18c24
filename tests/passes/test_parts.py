"""Rules that share their last statements: the part is written out where a rule returns it."""
from __future__ import annotations

import re

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.analysis.activity import differentiable, parsed
from sourcegrad.ir.source import to_text
from sourcegrad.primitives.core import PARTS, RULES


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
