"""object_state: objects change as Python writes it; in the text that is differentiated their state has a name."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import passes
from sourcegrad.ir import source


class Cell:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next

    def add(self, other, k):
        for _ in range(k):
            self.value = self.value + other.value * self.value
        return self.value


def ring(x, k):
    cells = [Cell(x[0]), Cell(x[1])]
    cells[0].next, cells[1].next = cells[1], cells[0]
    total = cells[0].add(cells[0].next, k)
    cells[1].value = 2.0
    return total * cells[1].next.value


def texts() -> tuple[str, str]:
    """What the pass is given, and what it gives."""
    noted: list[str] = []
    plain = passes.Manager._pass

    def noting(manager: passes.Manager, step: passes.Pass, work: passes.Work) -> object:
        if step.name == "object_state":
            noted.append(source.to_text(work.tree))
        return plain(manager, step, work)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes.Manager, "_pass", noting)
        gradient = sg.grad(ring)
        gradient(np.array([0.4, 0.7]), 2)
    return "\n".join(noted), gradient.source


def test_object_state() -> None:
    before, after = texts()
    assert "memory_ = place_store(memory_, self, 'value', " in before and "place_take(" in before
    assert "self.value = " in after and "bars[id(" in after and ".pop('value', 0.0)" in after
    for name in ("memory_", "place_store", "place_load", "place_take", "place_add", "new_memory"):
        assert name not in after, name


def test_gradient() -> None:
    for order in (1, 2):
        sg.check_grad(ring, np.array([0.4, 0.7]), 2, inputs="x", order=order)
