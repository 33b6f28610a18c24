"""zero_guards: where adjoints are guarded, so that a branch that was not taken gives zero and not NaN, and where not."""
import re

import numpy as np
import pytest

import sourcegrad as sg

X = np.array([0.0, 4.0, 1.0])
GUARD = re.compile(r"\b(guard|guard_steep|quotient|divide_or_zero)\(")


def selected(x):
    return np.sum(np.where(x > 0.5, np.sqrt(x), 0.0))


def masked(x):
    y = np.log(x)
    return np.sum(y[x > 0.5])


def stored_over(x):
    y = np.sqrt(x)
    y[0] = 1.0
    return np.sum(y)


def weighted(x):
    return np.sum(np.sqrt(x) * np.array([0.0, 1.0, 1.0]))


def steep(x):
    """The root is infinitely steep where its argument is zero, and there its argument stands still."""
    return np.sqrt(x[0] * x[0] * x[1])


def of_a_callee(x):
    return np.sum(np.where(x > 0.5, root(x), 0.0))


def root(x):
    for _ in range(2):
        x = np.sqrt(x)
    return x


@pytest.mark.parametrize("function", [selected, masked, stored_over, weighted, steep, of_a_callee])
def test_guarded(function) -> None:
    with np.errstate(all="ignore"):
        gradient = sg.grad(function)
        found = gradient(X)
        assert np.isfinite(found).all() and found[0] == 0.0
    assert not GUARD.search(str(gradient.source)), gradient.source
    assert GUARD.search(str(gradient.guarded.source)), gradient.guarded.source


def plain(x):
    return np.sum(np.sqrt(x))


def kept_away(x):
    return np.sum(np.where(x > 0.5, np.sqrt(x * x + 0.1), 0.0))


def without_pole(x):
    return np.sum(np.where(x > 0.5, np.sin(x) * np.cos(x), 0.0))


def length(x):
    return np.sqrt(np.sum(x * x) + 1.0)


@pytest.mark.parametrize("function", [plain, kept_away, without_pole, length])
def test_not_guarded(function) -> None:
    gradient = sg.grad(function)
    with np.errstate(all="ignore"):
        assert np.array_equal(gradient.guarded(X + 0.7), gradient(X + 0.7))
    assert gradient.guarded.source == gradient.source and not GUARD.search(str(gradient.source))
    sg.check_grad(function, X + 0.7)


def test_what_is_infinite_stays_so_where_it_is_kept() -> None:
    with np.errstate(all="ignore"):
        assert sg.grad(plain)(X)[0] == np.inf


def test_what_stands_still_needs_no_guard() -> None:
    """The root of a sum of squares has the derivative zero at zero."""
    def norm(x):
        return np.sqrt(np.sum(x * x))

    with np.errstate(all="ignore"):
        assert sg.grad(norm)(np.zeros(3)).tolist() == [0.0, 0.0, 0.0]
