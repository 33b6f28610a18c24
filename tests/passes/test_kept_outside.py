"""kept_outside: what a callee keeps outside of what depends on the inputs is not read again; logs that nobody reads are kept."""
from __future__ import annotations

import collections

import numpy as np
import pytest

import sourcegrad as sg

SEEN: list = []
TABLE: dict = {}
RECENT: collections.deque = collections.deque()
LAST = 0.0
FACTORS = [2.0, 3.0]


def remember(x):
    SEEN.append(x)


def enter(name, x):
    TABLE[name] = x


def queue(x):
    RECENT.appendleft(x)


def assign(x):
    global LAST
    LAST = x


def by_another(x):
    remember(x * 2.0)


def newest():
    return SEEN[-1]


def read_at_once(x):
    remember(x)
    return np.sum(SEEN[-1] * x)


def read_in_a_callee(x):
    remember(x)
    return newest() * x


def entered(x):
    enter("a", x)
    return TABLE["a"] * x


def queued(x):
    queue(x)
    return RECENT[0] * x


def assigned(x):
    assign(x)
    return LAST * x


def through_another(x):
    by_another(x)
    return SEEN[-1] * x


def keeps_and_gives(x):
    remember(x)
    for _ in range(3):
        x = np.sin(x) * np.cos(x) + np.tanh(x) * np.cos(x) - np.sin(x) * np.tanh(x) * np.cos(x)
        x = np.sin(x) * np.cos(x) + np.tanh(x) * np.cos(x) - np.sin(x) * np.tanh(x) * np.cos(x)
    return 3.0 * x


def around_what_is_differentiated(x):
    y = keeps_and_gives(x)
    return y * SEEN[-1]


def in_a_loop(x):
    y = x
    for _ in range(3):
        remember(y)
        y = y * SEEN[0]
    return y


@pytest.mark.parametrize("f", [read_at_once, read_in_a_callee, entered, queued, assigned, through_another, in_a_loop,
                               around_what_is_differentiated])
@pytest.mark.parametrize("derive", [sg.grad, lambda f: lambda x: sg.jvp(f, (x,), (1.0,))])
def test_what_is_read_again_is_refused(f, derive) -> None:
    with pytest.raises(sg.SourcegradError) as caught:
        derive(f)(1.5)
    assert caught.value.origin is not None


def logged(x):
    y = x * x
    remember(y)
    return y * FACTORS[0]


def logged_in_a_loop(x):
    y = x
    for factor in FACTORS:
        y = y * factor
        by_another(y)
    return y


@pytest.mark.parametrize("f, slope", [(logged, 6.0), (logged_in_a_loop, 6.0)])
def test_what_nobody_reads_is_kept(f, slope) -> None:
    SEEN.clear()
    assert np.isclose(sg.grad(f)(1.5), slope)
    assert len(SEEN) >= 1
