"""checkpoints: loops become calls of what they carry, whose halves compute turns again."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg

X = np.array([0.3, 0.7, 1.1, 0.2])


def long_loop(x, n):
    for _ in range(n):
        x = x + 0.1 * np.sin(x)
    return np.sum(x * x)


def until_it_is_small(x):
    while np.sum(x * x) > 0.5:
        x = x - 0.1 * np.sin(x)
    return np.sum(x ** 3)


def with_draws(x, n):
    generator = np.random.default_rng(3)
    for _ in range(n):
        x = x + 0.1 * generator.standard_normal() * np.sin(x)
    return np.sum(x)


def no_loop(x):
    return np.sum(np.sin(x) ** 2)


@pytest.mark.parametrize("f,rest,helper", [(long_loop, (40,), "checkpointed("), (until_it_is_small, (), "checkpointed_until(")])
def test_a_loop_is_a_call(f, rest, helper) -> None:
    plain, lean = sg.grad(f, "x"), sg.grad(f, "x", memory=2000)
    np.testing.assert_allclose(lean(X, *rest), plain(X, *rest), rtol=1e-12)
    assert helper in lean.source and helper not in plain.source


def test_no_turn_and_one() -> None:
    plain, lean = sg.grad(long_loop, "x"), sg.grad(long_loop, "x", memory=2000)
    for n in (0, 1, 2, 9):
        np.testing.assert_allclose(lean(X, n), plain(X, n), rtol=1e-12)


def test_draws_are_not_repeated() -> None:
    with pytest.raises(sg.SourcegradError, match=r"test_checkpoints.py:\d+"):
        sg.grad(with_draws, "x", memory=2000)(X, 5)


def test_nothing_to_do() -> None:
    with pytest.raises(sg.SourcegradError):
        sg.grad(no_loop, memory=2000)(X)
