"""Functions of which it is believed that their result is new: do they ever give back memory of their arguments?"""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sourcegrad.analysis.alias import may_share
from sourcegrad.api.check_grad import draw, expand, leaves, seeded
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE

ARRAYS = [np.arange(4), np.arange(4.0) + 1.0, np.ones((2, 2)), np.ones((1, 1)), np.ones(1), np.array(2.0), np.arange(3) + 1j,
          np.ones(3, bool), np.arange(4, dtype=np.float32), np.arange(12.0).reshape(3, 4).T, np.zeros(0)]

pytestmark = pytest.mark.filterwarnings("ignore")


def arrays(value: Any) -> list[np.ndarray]:
    return [leaf for _, leaf in leaves(value) if isinstance(leaf, np.ndarray)]


def shared(function: Any, args: Any, options: dict) -> bool:
    with np.errstate(all="ignore"):
        out = function(*args, **options)
    return any(np.shares_memory(a, b) for a in arrays(out) for b in arrays(args))


def test_results_of_samples_are_new() -> None:
    """Containers hold what they are given; only arrays are asked here."""
    found = []
    for primitive, rule in RULES.items():
        if isinstance(primitive, str) or may_share(primitive, NoArguments):
            continue
        for spec in rule.samples:
            for sample in expand(rule, spec):
                args = draw(sample.args, seeded(rule, sample), "float64")
                if all(isinstance(a, (np.ndarray, float)) for a in args) and shared(primitive, args, sample.options):
                    found.append(f"{primitive} {sample}")
    assert not found


def test_results_of_one_array_are_new() -> None:
    found = []
    for primitive in (*RULES, *ZERO_DERIVATIVE):
        if isinstance(primitive, str) or primitive is print or may_share(primitive, NoArguments):
            continue
        if str(getattr(primitive, "__module__", None)).startswith("sourcegrad."):     # helpers get arguments of their own sort
            continue
        for array in ARRAYS:
            if primitive in (np.fft.fftn, np.fft.ifftn) and not array.ndim:       # nobody transforms a number
                continue
            for options in ({}, {"axis": ()}, {"axis": 0}, {"keepdims": True}):
                try:
                    if shared(primitive, (array,), options):
                        found.append(f"{primitive} of {array.dtype} {array.shape} {options}")
                except Exception:
                    continue                                          # not a function of such an array
    assert not found


class NoArguments:
    """A call without any argument that decides whether the result is new."""

    args = ()
    keywords = ()
