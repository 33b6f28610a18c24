"""The passes are shown on objects as values: with their state, most of what they do there is not needed."""
from __future__ import annotations

import pytest

from sourcegrad.compiler import linking

STATEFUL = ("test_stages", "test_object_state", "test_place_names", "test_dead_places", "test_counters")


@pytest.fixture(autouse=True)
def objects_as_values(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.module.__name__.rpartition(".")[2] not in STATEFUL:
        monkeypatch.setattr(linking.OPTIONS, "places", "off")
