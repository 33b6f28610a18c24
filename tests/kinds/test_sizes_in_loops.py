"""Arrays whose size changes in a loop: in each turn they have one size, and nothing is summed that may have been broadcast."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from tests.kinds.places import programs_of

Y = np.array([0.4, 0.9, 1.3, 0.2, 0.7])


def shorter(x):
    v = np.sin(x)
    for _ in range(len(x) - 1):
        v = 0.5 * v[:-1] + v[1:] ** 2
    return v[0]


def two_alike(x):
    s, v = x * 2.0, np.cos(x)
    for _ in range(3):
        s = s[:-1] * 0.9
        v = np.maximum(0.3 * v[:-1] + 0.7 * v[1:], s - 0.5)
    return np.sum(v * s)


def two_apart(x):
    s, v = x * 2.0, np.cos(x)
    for _ in range(2):
        s = s[:-1] * 0.9
        v = v[1:-1] * v[:-2]
        x = x * np.sum(v) + np.sum(s)
    return np.sum(v) * np.sum(s) + np.sum(x)


def broadcast_in_the_end(x):
    s, v = x * 2.0, np.cos(x)
    for _ in range(4):
        s = s[:-1] * 0.9
        v = v * 1.1 + s[:1]
    return np.sum(v + s)


def one_becomes_a_single_element(x):
    s, v = x * 2.0, np.cos(x)
    for k in range(2):
        s = s[:-1]
        v = v[:1] if k == 0 else v * 1.0
    return np.sum(v * s)


def longer(x):
    row = x[:1] * 1.0
    for k in range(4):
        row = np.concatenate([row * x[k], row[-1:] + x[k]])
    return np.sum(row ** 2)


def pascal(x):
    row = np.ones(1) * x[0]
    for k in range(4):
        row = np.concatenate([[x[k]], row[1:] + row[:-1], [x[k + 1]]])
    return np.sum(np.sin(row))


def neville(x):
    t = np.arange(len(x)) * 1.0
    p = x * x
    for k in range(1, len(x)):
        p = ((1.7 - t[:-k]) * p[1:] - (1.7 - t[k:]) * p[:-1]) / (t[k:] - t[:-k])
    return p[0]


def by_a_step(x):
    v = np.sin(x)
    while len(v) > 2:
        v = v[1:] * v[:-1] + 0.1
    return np.sum(v)


def no_turn(x):
    v = np.sin(x)
    for _ in range(0):
        v = v[1:] * v[:-1]
    return np.sum(v * x)


def left_early(x):
    v = np.sin(x)
    for k in range(4):
        v = v[1:] - 0.3 * v[:-1]
        if np.sum(v) < 0.5 and k > 0:
            break
    return np.sum(v ** 2)


def on_one_path(x):
    v = np.sin(x)
    for k in range(3):
        if k % 2:
            v = v[1:] * v[:-1]
        w = v * v
        x = x + np.sum(w)
    return np.sum(v) + np.sum(x)


def twice_in_a_turn(x):
    v = np.sin(x)
    for _ in range(2):
        v = v[1:] * 2.0
        v = v[:-1] * v[1:]
    return np.sum(v)


def nested(x):
    v = np.sin(x)
    for _ in range(2):
        w = v * 1.0
        for _ in range(2):
            w = w[:-1] + v[0] * w[1:]
        v = v[1:] * np.sum(w)
    return np.sum(v)


def rows(x):
    A = np.outer(x, np.cos(x))
    for _ in range(3):
        A = A[1:] * A[:-1] + np.sum(A, axis=0)
    return np.sum(A)


def changed_places(x):
    v, w = np.sin(x), np.cos(x)
    for _ in range(3):
        v, w = w[1:] * 0.5, v[:-1] + x[0]
    return np.sum(v * w)


def with_one_that_stays(x):
    v = np.sin(x)
    for _ in range(2):
        v = v[1:] * v[:-1]
        total = np.sum(v * v[-1]) * x
        x = x + total
    return np.sum(x)


def coarser(x):
    v = np.concatenate([x, x[:3]])
    while v.size > 1:
        v = 0.5 * (v[::2] * v[1::2])
    return v[0]


@pytest.mark.parametrize("f", programs_of(globals()), ids=lambda f: f.__name__)
def test_all_modes(f) -> None:
    def differences(function):
        return np.array([(function(Y + e) - function(Y - e)) / 2e-6 for e in np.eye(5) * 1e-6])

    gradient = sg.grad(f)
    np.testing.assert_allclose(gradient(Y), differences(f), rtol=1e-6, atol=1e-8)
    weights = np.array([0.3, -0.8, 0.1, 0.5, 0.2])
    np.testing.assert_allclose(sg.hvp(f)(Y, weights), differences(lambda x: gradient(x) @ weights), rtol=1e-5, atol=1e-7)
    value, tangent = sg.jvp(f, (Y,), (weights,))
    np.testing.assert_allclose([value, tangent], [f(Y), gradient(Y) @ weights], rtol=1e-11)


@pytest.mark.parametrize("f", [shorter, two_alike, by_a_step], ids=lambda f: f.__name__)
def test_nothing_is_summed_in_doubt(f) -> None:
    gradient = sg.grad(f)
    gradient(Y)
    _, mark, reverse = gradient.source.partition("reverse sweep")
    assert mark and "unbroadcast" not in reverse[reverse.index("\n    for "):]


def option(S0, vol, r, T, K, n):
    dt = T / n
    u = np.exp(vol * np.sqrt(dt))
    d = 1.0 / u
    p = (np.exp(r * dt) - d) / (u - d)
    S = S0 * u ** np.arange(n, -1, -1) * d ** np.arange(0, n + 1)
    V = np.maximum(K - S, 0.0)
    for _ in range(n):
        S = S[:-1] * d
        V = np.exp(-r * dt) * (p * V[:-1] + (1 - p) * V[1:])
        V = np.maximum(V, K - S)
    return V[0]


def test_an_american_option() -> None:
    gradient = sg.grad(option, ("S0", "vol", "r"))
    for n in (40, 1, 3):
        at = (100.0, 0.2, 0.03, 1.0, 101.3, n)
        found = gradient(*at)
        for place in range(3):
            step = [1e-5 * (j == place) for j in range(6)]
            above, below = (option(*[a + sign * b for a, b in zip(at, step)][:5], n) for sign in (1.0, -1.0))
            np.testing.assert_allclose(found[place], (above - below) / 2e-5, rtol=1e-4, atol=1e-6)
    assert "unbroadcast" not in gradient.source
