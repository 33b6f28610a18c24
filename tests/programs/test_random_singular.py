"""Random programs where something is singular: plain text with its twin gives what guarded text gives; others in every run."""
from __future__ import annotations

import os

import pytest

from tests.conftest import RUN
from tests.programs.singular_generator import text_of, verdict

FIRST = int(os.environ.get("SOURCEGRAD_SEED", "0")) + int(RUN) % 1_000_000


@pytest.mark.parametrize("order, count", [(1, 24), (2, 6)])
def test_the_twin(order: int, count: int) -> None:
    for seed in range(FIRST, FIRST + count):
        found, problem = verdict(seed, order)
        assert found != "WRONG", f"{seed}: {problem}\n{text_of(seed)}"
