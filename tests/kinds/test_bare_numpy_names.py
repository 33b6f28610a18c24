"""Functions of NumPy that are imported by their own names: `from numpy import dot` means what `np.dot` does."""
from __future__ import annotations

import numpy as np
import pytest
from numpy import concatenate, dot, inner, mean, vdot, where

import sourcegrad as sg
from sourcegrad.parse.resolve import canonical_path
from tests.oracle import central_gradient

X = np.array([0.4, 1.3])


class Filter:
    """Its arrays change in place where it is used, and are handed to functions of NumPy by a second name."""

    def __init__(self, n):
        self.x, self.gain, self.noise = np.zeros((n, 1)), np.ones((n, 1)), np.eye(n)
        self.levels = np.ones(n)

    def update(self, z, noise=None):
        if noise is None:
            noise = self.noise
        spread = dot(noise, self.gain)
        self.gain = spread / np.sum(spread ** 2)
        self.x = self.x + dot(dot(noise, self.gain), z.reshape(1, 1))

    def joined(self, z, levels=None):
        if levels is None:
            levels = self.levels
        self.x = self.x + z
        return np.sum(concatenate([levels, self.x[:, 0]]) ** 2)

    def product(self, z, levels=None):
        if levels is None:
            levels = self.levels
        self.x = self.x * z + inner(levels, levels)
        return vdot(levels, self.x[:, 0]) + z

    def chosen(self, z, levels=None):
        if levels is None:
            levels = self.levels
        self.x = self.x + z
        return np.sum(where(levels > 0.5, levels, self.x[:, 0]) * z)


def several(zs):
    """Objects that hold each other are told apart by their identity, and their arrays are places."""
    held = [Filter(2), Filter(2)]
    held[0].other, held[1].other = held[1], held[0]
    for k, one in enumerate(held):
        one.noise *= zs[k]
        one.other.levels[k] *= zs[1]
    return held


def updated(zs):
    held = several(zs)
    for k, z in enumerate(zs):
        held[k].update(z)
    return np.sum(held[0].x ** 2) + np.sum(held[1].x)


def joined(zs):
    return sum([one.joined(zs[1]) for one in several(zs)])


def product(zs):
    return sum([one.product(zs[0]) for one in several(zs)])


def chosen(zs):
    return sum([one.chosen(zs[1]) for one in several(zs)])


@pytest.mark.parametrize("function", [updated, joined, product, chosen])
def test_gradient(function) -> None:
    np.testing.assert_allclose(sg.grad(function)(X), central_gradient(function, (X,), (0,), 1.0), rtol=1e-6, atol=1e-9)


def test_they_are_written_as_functions_of_numpy() -> None:
    assert [canonical_path(f) for f in (dot, where, concatenate, mean)] == ["np.dot", "np.where", "np.concatenate", "np.mean"]
