"""What a refusal says, where it stands, and how much is tried before it: of changes outside, draws, objects, written-out sums."""
from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import ways
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.effort import WORK
from sourcegrad.lowering import places


class Layer:
    def __init__(self, weight):
        self.weight, self.seen, self.parts = weight, None, [weight]

    def run(self, x):
        self.seen = [x, 2.0 * x]
        return np.sum(self.weight * x * x)

    def grow(self, x):
        self.parts.append(x)
        return x * x


class Load:
    def __init__(self, size):
        self.size = size

    def __add__(self, other):
        class Both(Load):
            pass
        return Both(self.size + other.size)


LAYER = Layer(2.0)
COUNTS = [1.0]


def kept_outside(x):
    return LAYER.run(x) + np.sum(x)


def counted_outside(x):
    counts(COUNTS, x)
    return x * x


def counts(held, x):
    held.append(2.0 * x)


def given(layer, x):
    return layer.run(x) + np.sum(x)


@pytest.mark.parametrize("function", [kept_outside, counted_outside])
def test_what_changes_outside_is_not_tried_in_another_way(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused in whatever way memory is written: where much was followed before, that is told."""
    taken = {}
    for steps in (10 ** 9, -1):
        monkeypatch.setattr(ways, "LONG", steps)
        begun = WORK.steps
        with pytest.raises(UnsupportedError, match="which is not a local variable") as caught:
            sg.grad(function)(3.0)
        taken[steps] = WORK.steps - begun, str(caught.value)
    assert taken[-1][0] < taken[10 ** 9][0]
    assert taken[-1][1] == taken[10 ** 9][1]
    assert "make it a parameter" in taken[-1][1]
    assert sg.grad(given, "x")(LAYER, 3.0) == 13.0          # as it says
    assert LAYER.seen is None


@pytest.mark.parametrize("draw", [
    lambda x: np.sum(np.random.poisson(x, 3) * x), lambda x: x * np.random.binomial(4, x / 9.0),
    lambda x: np.random.geometric(x / 9.0) + x])
def test_a_draw_of_whole_numbers_names_the_score_function(draw: Any) -> None:
    """That of the module as that of a generator."""
    with pytest.raises(UnsupportedError, match="whole numbers do not move with a parameter.*") as caught:
        sg.grad(draw)(1.5)
    assert "score function" in caught.value.remedy


def test_a_sum_of_objects_is_refused_at_their_operator() -> None:
    """Code that is written for a call has no line in the user's file: it stands at the operator that it calls."""
    def summed(x):
        return sum([Load(x), Load(x * x)], Load(0.0)).size

    with pytest.raises(UnsupportedError, match=r"an operator of a class \(\w+\)") as caught:
        sg.grad(summed)(1.5)
    assert caught.value.origin is not None and caught.value.origin.text.strip() == "def __add__(self, other):"


class Frame:
    def __init__(self, size):
        self.lines = np.zeros((2, 2))
        self.other = [self.lines]
        self.size = size


FRAMES: dict[str, Any] = {}


def replaced(frame, x):
    frame.lines += x
    return np.sum(frame.lines)


def looked_up(x):
    frame = FRAMES["one"]
    return replaced(frame, x)


def test_the_advice_for_an_object_is_a_deep_copy() -> None:
    """Objects have no copy() of their own."""
    FRAMES["one"] = Frame(2.0)
    with pytest.raises(UnsupportedError) as caught:
        sg.grad(looked_up)(3.0)
    assert ".copy()" not in caught.value.remedy


def nothing_indexed(x, n):
    pair = None
    if n > 0:
        return x * pair[0]
    return x * x


def nothing_looped(x, n):
    table, total = None, x * x
    for _ in range(n):
        total = total + table["rate"]
    return total


@pytest.mark.parametrize("function", [nothing_indexed, nothing_looped])
def test_what_never_runs_raises_no_warning(function: Any) -> None:
    """The compiler of Python warns of an index of None: nobody has written it so."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sg.grad(function)(3.0, 0) == 6.0


# --- the state of objects is written as Python writes it

@pytest.mark.parametrize("text, told", [
    ("place_load(memory_, self, 'backend').shape", "self.backend.shape"),
    ("key_store(memory_, defaults, 'name', sys_name)", "defaults['name'] = sys_name"),
    ("key_put(memory_, d, k, key_load(memory_, other, k))", "d[k] = other[k]"),
    ("place_store(memory_, body, 'v', np.dot(v, h))", "body.v = np.dot(v, h)"),
    ("np.dot(place_load(memory_, body, 'v'), h)", "np.dot(body.v, h)")])
def test_the_state_of_objects_is_not_shown(text, told) -> None:
    assert places.refused(f"`{text}`", None, t.const(0)).message == f"`{told}` of objects that are told apart by their identity"


# --- iterators without an end

def counted_or_not(x, n=None):
    total = 0.0
    for k in itertools.count() if n is None else range(n):
        total = total + x * k
        if k == 3:
            break
    return total


def repeated(x):
    return sum([v for v, _ in zip(chosen(x), range(3))])


def chosen(x):
    return (itertools.repeat(x), itertools.cycle([x, 2.0]))[0]


@pytest.mark.parametrize("function, name", [(counted_or_not, "itertools.count"), (repeated, "itertools.(repeat|cycle)")])
def test_what_has_no_end_is_told_so(function, name) -> None:
    with pytest.raises(UnsupportedError, match=f"`{name}`, which has no end, is not gone over by a loop as it stands"):
        sg.grad(function)(1.5)
