"""Rewriting of what can run: branches that cannot, with the kinds as they are known, are not looked into."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.analysis.infer import Infer, constant_truth


def rewritten(block: list, new: Callable[[Any], list], facts: Infer) -> list:
    """As `tree.rewritten`. What is left out is rewritten later if more is known by then, or goes (`specialise`)."""
    result: list = []
    for s in block:
        truth = constant_truth(facts.of(s.test)) if isinstance(s, gast.If) and not is_stop(s) else None
        for field in t.BLOCKS:
            inner = getattr(s, field, None)
            runs = truth is None or truth is (field == "body")
            if inner and isinstance(inner, list) and runs:
                setattr(s, field, rewritten(inner, new, facts))
        result += new(s)
    return result
