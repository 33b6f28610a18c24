"""Jacobians and Hessians of arrays like those of an earlier call: what is kept changes no result."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api.prepared import MOST

A = np.random.default_rng(3).normal(size=(4, 6))
SLOPE = 2.0


def same(x):
    return x


def wide(x):
    return np.tanh(A @ x)


def tall(x):
    return np.sin(A.T @ x)


def of_matrices(x, y):
    return x @ y + 0.5 * np.sum(x, axis=1)[:, None]


def scaled(x):
    return SLOPE * x ** 2


def positive_ones(x):
    return x[x > 0.0] ** 2


def energy(x):
    return np.sum(np.sin(x[1:] * x[:-1]) + x[:-1] ** 3)


CASES: list[tuple[Any, Any, tuple]] = [
    (sg.jacobian(same), same, (np.ones(3),)), (sg.jacobian(wide), wide, (np.linspace(0.1, 1.0, 6),)),
    (sg.jacobian(tall), tall, (np.linspace(0.1, 1.0, 4),)), (sg.jacfwd(wide), wide, (np.linspace(0.1, 1.0, 6),)),
    (sg.jacrev(tall), tall, (np.linspace(0.1, 1.0, 4),)), (sg.jacrev(same), same, (np.ones((2, 2)),)),
    (sg.jacfwd(energy), energy, (np.linspace(0.1, 1.0, 5),))]


def differences(f: Any, x: np.ndarray, step: float = 1e-6) -> np.ndarray:
    columns = [(np.asarray(f(x + e)) - np.asarray(f(x - e))) / (2.0 * step)
               for e in step * np.eye(x.size).reshape(-1, *x.shape)]
    return np.moveaxis(np.array(columns), 0, -1).reshape(np.shape(f(x)) + x.shape)


def is_prepared(made: Any) -> bool:
    return made._prepared is not None


@pytest.mark.parametrize("made, f, args", CASES)
def test_later_calls_give_the_same(made: Any, f: Any, args: tuple) -> None:
    for turn in range(5):
        x = args[0] + 0.1 * turn
        found = made(x)
        np.testing.assert_allclose(found, differences(f, x), rtol=1e-6, atol=1e-8)
        assert found.flags.writeable
        found[...] = np.nan                              # it is the caller's
    assert is_prepared(made)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_several_inputs(mode: str) -> None:
    made = sg.jacobian(of_matrices, ("x", "y"), mode)
    x, y = A[:2, :3].copy(), A[:3, 2:6].copy()
    first = made(x, y)
    for _ in range(3):
        again = made(x, y)
    assert is_prepared(made) and [part.shape for part in again] == [(2, 4, 2, 3), (2, 4, 3, 4)]
    for one, other in zip(first, again):
        np.testing.assert_allclose(one, other, rtol=1e-13)
    np.testing.assert_allclose(again[1], differences(lambda y: of_matrices(x, y), y), rtol=1e-6, atol=1e-8)


def test_other_shapes_and_kinds_go_the_usual_way() -> None:
    made = sg.jacobian(scaled)
    for _ in range(3):
        made(np.ones(4))
    assert is_prepared(made)
    assert made(np.ones(5)).shape == (5, 5)
    assert made(np.ones((2, 2))).shape == (2, 2, 2, 2)
    assert made(np.ones(4, np.float32)).dtype == np.float32
    assert made(x=np.ones(4)).shape == (4, 4)
    assert made(3.0) == 12.0
    with pytest.raises(sg.InputError, match="derivatives need floats"):
        made(np.ones(4, int))
    np.testing.assert_allclose(made(np.full(4, 2.0)), 8.0 * np.eye(4))


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_results_whose_size_depends_on_values(mode: str) -> None:
    made = sg.jacobian(positive_ones, mode=mode)
    for signs in ([1, 1, 1, -1], [1, 1, 1, -1], [1, 1, 1, -1], [1, -1, 1, -1], [1, 1, 1, 1], [1, 1, -1, 1], [-1, 1, 1, 1]):
        x = np.array([0.5, 1.0, 1.5, 2.0]) * signs
        np.testing.assert_allclose(made(x), np.diag(2.0 * x)[x > 0.0])


def test_what_changes_elsewhere_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    made = sg.jacobian(scaled)
    for _ in range(3):
        made(np.ones(3))
    monkeypatch.setitem(globals(), "SLOPE", 5.0)
    np.testing.assert_allclose(made(np.ones(3)), 10.0 * np.eye(3))


def test_a_random_generator_is_used_once_a_call() -> None:
    def noisy(x, rng):
        return A.T @ (x * rng.normal(size=4))

    made, rng, other = sg.jacobian(noisy), np.random.default_rng(5), np.random.default_rng(5)
    for _ in range(4):
        np.testing.assert_allclose(made(np.ones(4), rng), A.T * other.normal(size=4))


def test_hessians_are_symmetric_to_the_last_bit() -> None:
    made, x = sg.hessian(energy), np.linspace(0.3, 1.7, 9)
    expected = differences(sg.grad(energy), x)
    for _ in range(4):
        found = made(x)
        np.testing.assert_array_equal(found, found.T)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-8)
    assert is_prepared(made)


def test_large_ones_keep_nothing() -> None:
    n = int(MOST ** 0.5) + 1
    made = sg.jacobian(scaled, mode="forward")
    for _ in range(3):
        assert made(np.ones(n))[3, 3] == 4.0
    assert not is_prepared(made)
