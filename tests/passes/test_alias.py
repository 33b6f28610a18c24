"""Who else may hold the memory of an array that changes: what the analysis says of generated code."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sourcegrad import kinds as k
from sourcegrad.analysis.alias import OUTSIDE, Storage
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.parse.resolve import describe, resolve
from sourcegrad.runtime import index_set


def element(x, c):
    held = [x, c]
    part = held[0]
    part = index_set(part, 0, c)
    return part


def element_by_another_name(x, c):
    held = [x, c]
    same = held
    part = same[0]
    part = index_set(part, 0, c)
    return part


def element_after_a_branch(x, c):
    held = [x, c]
    if c > 0:
        d = 1.0
        c = d
    part = held[0]
    part = index_set(part, 0, c)
    return part


def element_after_a_loop(x, c):
    held = [x, c]
    for _ in range(3):
        same = held
        held = same
    part = held[0]
    part = index_set(part, 0, c)
    return part


def element_of_own(x, c):
    own = x * 2
    held = [own, c]
    same = held
    part = same[0]
    part = index_set(part, 0, c)
    return part


def conflicts(function: Any) -> set[str]:
    """Of the one store of a function: who else may hold what it changes."""
    unit = resolve(describe(function))
    facts = Infer(unit, {"x": k.kind_of(np.ones(3)), "c": k.kind_of(1.0)}, None).run()
    storage = Storage(unit, facts).run(unit.tree.body, ["x", "c"])
    (found,) = [storage.conflicts[id(s)] for s in t.statements(unit.tree.body) if id(s) in storage.conflicts]
    return found


@pytest.mark.parametrize("function", [element, element_by_another_name, element_after_a_branch, element_after_a_loop])
def test_what_a_container_holds_of_the_caller_stays_the_callers(function: Any) -> None:
    assert OUTSIDE in conflicts(function)


def test_what_nobody_else_holds_may_change() -> None:
    assert conflicts(element_of_own) == set()
