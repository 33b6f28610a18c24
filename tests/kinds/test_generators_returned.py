"""Functions that return what a generator function makes: who loops over the result loops over the generator."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from tests.oracle import central_gradient

X = np.array([0.7, 1.6])
DRAWS = np.random.default_rng(0)


def powers(x, n=3, scale=1.0):
    for k in range(1, n):
        yield scale * x ** k, k


def powers_of(x):
    """What is documented is handed on, too."""
    return powers(x)


def scaled_powers(x, n):
    return powers(x, n=n, scale=2.0)


class Series:
    def __init__(self, *terms):
        self.terms = terms

    def powers(self, n=3):
        return powers(*self.terms, n=n)                 # the function, not this method


def parts(v):
    for k in range(2):
        yield v[k] * v[k]


def parts_of(v):
    return parts(v)


def comprehension(x):
    return sum([p[0] * k for p, k in powers_of(x)])


def loop(x):
    total = 0.0
    for p, k in scaled_powers(x, 4):
        total = total + p[1] * k
    return total


def method(x):
    total = 1.0
    for p, k in Series(x).powers(n=3):
        total = total * p[0] + k * p[1]
    return total


def kept(x):
    items = list(parts_of(x))
    return items[0] * items[1]


def rebound(x):
    items = parts_of(x)
    x = 3.0 * x
    return sum([item * x[0] for item in items])


def read_by_functions(x):
    return sum(parts_of(x)) * max(p for p in parts_of(x))


@pytest.mark.parametrize("function", [comprehension, loop, method, kept, rebound, read_by_functions])
def test_gradient(function) -> None:
    np.testing.assert_allclose(sg.grad(function)(X), central_gradient(function, (X,), (0,), 1.0), rtol=1e-6, atol=1e-9)


# --- when its items are computed makes no difference, or it is refused

def changed_between(x):
    items = parts_of(x)
    x[1] = 3.0 * x[0]
    return sum([item for item in items])


def changed_within(x):
    total = 0.0
    for item in parts_of(x):
        x[1] = 3.0 * x[0]
        total = total + item
    return total


def noisy(x):
    for _ in range(2):
        yield x * DRAWS.random()


def noisy_of(x):
    return noisy(x)


def drawn_in_turns(x):
    total = 0.0
    for item in noisy_of(x):
        total = total + np.sum(item) * DRAWS.random()
    return total


@pytest.mark.parametrize("function, words", [
    (changed_between, "whether 'items' changes with it"), (changed_within, "changes with it"),
    (drawn_in_turns, "does something that what reads it does")])
def test_refusal(function, words) -> None:
    with pytest.raises(sg.SourcegradError, match=words):
        sg.grad(function)(X.copy())


def item_of(x):
    return parts_of(x)[1]


def test_what_is_called_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = sg.grad(item_of)
    with pytest.raises(sg.SourcegradError, match=r"parts_of\(\) is not read at once"):
        gradient(X)
    monkeypatch.setitem(globals(), "parts", halves)
    np.testing.assert_allclose(gradient(X), [0.0, 0.5])
    monkeypatch.undo()
    with pytest.raises(sg.SourcegradError, match=r"parts_of\(\) is not read at once"):
        gradient(X)


def halves(v):
    return 0.5 * v
