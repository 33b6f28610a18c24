"""Random programs for sparsity patterns: nothing is missing; others in every run. Each form by itself, with how many entries."""
from __future__ import annotations

import os

import pytest

from tests.conftest import RUN
from tests.programs.sparsity_generator import kinds, text_of, verdict

pytest.importorskip("scipy")
FIRST = int(os.environ.get("SOURCEGRAD_SEED", "0")) + int(RUN) % 1_000_000
KINDS = list(kinds().items())


def test_nothing_is_missing() -> None:
    for seed in range(FIRST, FIRST + 12):
        found, problem, *_ = verdict(text_of(seed), seed)
        assert found in ("right", "refused"), f"{seed}: {problem}\n{text_of(seed)}"


@pytest.mark.parametrize("number", range(12))
def test_a_form_by_itself(number: int) -> None:
    name, text = KINDS[(FIRST + 17 * number) % len(KINDS)]
    found, problem, *_ = verdict(text, 0)
    assert found == "right", f"{name}: {problem}"


@pytest.mark.parametrize("name", [
    "np.cumsum({v})", "C @ {v}", "{v} @ C", "np.sort({v})", "np.diff({v}, append=0.2)", "np.cumsum({m}, axis=0)",
    "np.inner(C, {v})", "np.convolve({v}, np.array([0.5, 0.2, 0.1]), mode='same')", "np.tensordot(C, {v}, axes=1)",
    "np.insert({v}[:5], 2, {s})", "np.einsum('ij,jk->ik', {m}, C)", "np.bincount(K, weights={v}, minlength=6)",
    "np.cumprod(0.5 + {v} * 0.1)", "np.sort({m}, axis=1)"])
def test_no_entry_too_many(name: str) -> None:
    found, problem, had, needed = verdict(dict(KINDS)[name], 0)
    assert found == "right" and had == needed, problem


def test_the_oracle_sees_what_is_missing(monkeypatch) -> None:
    from sourcegrad.runtime import index_sets
    monkeypatch.setattr(index_sets.IndexSets, "gathered", lambda self, target, shape: index_sets.IndexSets.empty(shape))
    assert verdict(dict(KINDS)["np.sum({v}[1:3])"], 0)[0] in ("MISSED", "WRONG")
