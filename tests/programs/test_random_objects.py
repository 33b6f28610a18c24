"""Random programs with objects: right, or refused with the place. SOURCEGRAD_OBJECTS sets how many are tried.

Those that were wrong once are in corpus_replaced.py, made small.
"""
from __future__ import annotations

import os

import numpy as np
import pytest

from tests.programs import place_generator
from tests.programs.deque_generator import DequeWriter
from tests.programs.dict_generator import DictWriter
from tests.programs.list_generator import ListWriter
from tests.programs.mutation_oracle import DISCARDED, OK
from tests.programs.object_generator import Writer, verdicts

PROGRAMS = int(os.environ.get("SOURCEGRAD_OBJECTS", "8"))
SEED = int(os.environ.get("SOURCEGRAD_SEED", "0"))
SHARES = 4


@pytest.mark.parametrize("share", range(SHARES))
def test_random_objects(share: int) -> None:
    first = 100_000 * (SEED + 1) + share * PROGRAMS
    counts = verdicts(Writer, range(first, first + PROGRAMS // SHARES), 1)
    assert counts[OK] >= (PROGRAMS // SHARES - counts[DISCARDED]) // 2 - 1       # about one of eight is refused


def test_second_derivatives() -> None:
    assert verdicts(Writer, range(900_000, 900_000 + PROGRAMS // 4), 2)[OK] >= PROGRAMS // 8


@pytest.mark.parametrize("writer", [place_generator.Writer, ListWriter, DictWriter, DequeWriter])
def test_forward_mode(writer: type) -> None:
    """Tangents of what others hold, and gradients of these."""
    first = 300_000 * (SEED + 1)
    with np.errstate(all="ignore"):
        found = [place_generator.forward_verdict(number, writer) for number in range(first, first + max(1, PROGRAMS // 4))]
    assert not [what for verdict, what in found if verdict == place_generator.WRONG]
