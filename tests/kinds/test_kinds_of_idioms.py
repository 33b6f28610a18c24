"""What is known of the results of common idioms: limits of floating-point types, grids, contractions over listed axes, choices."""
from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from tests.kinds.places import programs_of
from tests.shared import text_for

RNG = np.random.default_rng(5)
X, C = RNG.standard_normal((3, 4)), np.array([1.2, 0.7])


def smallest_number(x, c):
    counts = x.sum(axis=0) + 10 * np.finfo(x.dtype).eps
    return np.sum(x / counts * c[0]) + np.sum(x ** 2) / (c[1] + np.finfo(float).tiny)


def bounded_by_limits(x, c):
    limits = np.finfo(np.float64)
    return np.sum(np.clip(np.exp(x * c[0]), limits.tiny, limits.max) * c[1])


def limits_in_a_loop(x, c):
    weights = np.full(3, 1.0 / 3)
    for _ in range(3):
        weights = weights * np.exp(x @ np.ones(4) * c[0]) + 10 * np.finfo(weights.dtype).eps
        weights = weights / weights.sum()
    return weights @ np.ones(3) * c[1] + weights[0]


def grid_of_pixels(x, c):
    n, m = x.shape
    yy, xx = np.mgrid[0:n, :m]
    return np.sum(x * np.exp(-(xx - c[0]) ** 2 - (yy - c[1]) ** 2))


def grid_of_constants(x, c):
    points = np.mgrid[-1:1:3j, 0:2] * c[0]
    return np.sum(points[0] ** 2 * c[1] + points[1]) + np.sum(x ** 2)


def open_grid(x, c):
    yy, xx = np.ogrid[:x.shape[0], :x.shape[1]]
    return np.sum(x ** 2 * (xx * c[0] + yy * c[1]))


def one_axis(x, c):
    return np.sum(np.mgrid[0:4] * x[0] * c[0]) + c[1] ** 2


def listed_axes(x, c):
    return np.sum(np.tensordot(x, x, axes=([1], [1])) ** 2) * c[0] + np.sum(np.tensordot(x, x, [[0, 1], [0, 1]])) * c[1]


def choices(x, c):
    return np.sum(np.select([x > 1, x > 0], [x * c[0], x ** 2], 0.0) * c[1])


def squeezed(x, c):
    return np.sum(x[:, None].squeeze() ** 2 * c[0]) + np.sum(np.squeeze(x[:, :1]) ** 3) * c[1]


PROGRAMS = programs_of(globals())
HELPERS = r"\b(ones_like_output|as_gradient|operand_part|unbroadcast|add|mul)\("
LISTS = () if isinstance(np.ogrid[:1, :1], tuple) else (open_grid,)       # older versions give a list, of items of one kind
PLAIN = [f for f in PROGRAMS if f not in (listed_axes, choices, bounded_by_limits, limits_in_a_loop, *LISTS)]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_both_gradients(f: Any) -> None:
    g = sg.grad(f, inputs=("x", "c"))
    for x, c in ((X, C), (0.5 * X + 0.1, 2.0 * C)):
        x_bar, c_bar = g(x.copy(), c.copy())
        for e in np.eye(2):
            assert np.isclose(c_bar @ e, (f(x, c + 1e-6 * e) - f(x, c - 1e-6 * e)) / 2e-6, rtol=1e-5, atol=1e-6)
        for _ in range(3):
            d = RNG.standard_normal(x.shape)
            assert np.isclose(np.sum(x_bar * d), (f(x + 1e-6 * d, c) - f(x - 1e-6 * d, c)) / 2e-6, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("f", PLAIN, ids=lambda f: f.__name__)
def test_nothing_is_asked_when_it_runs(f: Any) -> None:
    text = text_for(sg.grad(f, inputs=("x", "c")), X, C)
    assert not re.search(HELPERS, text), text
