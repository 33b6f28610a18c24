"""Iterators are lazy: what they and their readers do happens in turns, or the program is refused. Value, gradient, order."""
from __future__ import annotations

import functools
import itertools
import random
from collections import Counter

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InternalError, SourcegradError, UnsupportedError
from tests.errors.modules import load
from tests.kinds import lazy_programs
from tests.kinds.lazy_programs import EFFECTS, FORMS, READERS, program, programs, reset, seen

X = np.array([0.5, 0.9, 1.3, 0.7])
FOUND: Counter = Counter()


def compare(f) -> str:
    """ "right" or "refused": value, gradient and effects against those of the function, from one state."""
    reset()
    value = f(X.copy())
    wanted = seen()
    slopes = []
    for direction in 1e-6 * np.eye(len(X)):
        reset()
        high = f(X + direction)
        reset()
        slopes.append((high - f_low(f, direction)) / 2e-6)
    reset()
    try:
        found, gradient = sg.value_and_grad(f)(X.copy())
    except SourcegradError as problem:
        assert problem.origin is not None and not isinstance(problem, InternalError), str(problem)
        return "refused"
    assert seen() == wanted
    np.testing.assert_allclose(found, value)
    np.testing.assert_allclose(gradient, slopes, 1e-4, 1e-5)
    return "right"


def f_low(f, direction):
    reset()
    return f(X - direction)


ALL = list(programs())
random.Random(34).shuffle(ALL)
SAMPLE = ALL[:120]


@pytest.mark.parametrize("parts", SAMPLE, ids=" | ".join)
def test_in_turns_or_refused(tmp_path, parts) -> None:
    FOUND[compare(load(tmp_path, program(*parts)).f)] += 1


def test_many_are_right() -> None:
    if sum(FOUND.values()) == len(SAMPLE):
        assert FOUND["right"] >= 35


# --- what must stay right: only one side does something, or both do what cannot be told apart

READ = ("loop", "comprehension", "sum of an expression", "max by key", "enumerate")
PLAIN = ("map", "expression", "filter", "generator", "yield in try", "recursive", "method", "__iter__", "__getitem__", "zip",
         "chain", "accumulate", "starmap", "pairwise")
SIDES = (("nothing", "legacy"), ("legacy", "nothing"), ("std", "imported"), ("nothing", "stack"), ("list", "std"))
PROVEN = [(form, *SIDES[(k + j) % 5], reader) for k, form in enumerate(PLAIN) for j, reader in enumerate(READ)]


@pytest.mark.parametrize("parts", PROVEN, ids=" | ".join)
def test_what_cannot_be_told_apart_is_right(tmp_path, parts) -> None:
    assert compare(load(tmp_path, program(*parts)).f) == "right"


# --- what can be told apart: read to a list it would be wrong

TOLD = [("method", "legacy", "legacy", "loop"), ("__iter__", "legacy", "imported", "loop"), ("__getitem__", "std", "std", "loop"),
        ("yield in try", "legacy", "legacy", "loop"), ("recursive", "std", "std", "loop"),
        ("map", "legacy", "legacy", "comprehension"), ("chain", "log", "log", "loop"),
        ("filter", "imported", "legacy", "sum of an expression"), ("map in a variable", "legacy", "legacy", "later"),
        ("expression in a variable", "std", "std", "later"), ("map", "std", "std", "max by key"),
        ("zip of two", "legacy", "nothing", "loop with break"), ("accumulate", "stream", "stream", "helper"),
        ("method", "stream", "stream", "comprehension"), ("__iter__ of map", "object", "object", "loop"),
        ("method", "stack", "stack", "loop"), ("yield in try", "list", "list", "comprehension"),
        ("pairwise", "log", "log", "helper"),
        ("map", "legacy", "nothing", "next once"), ("expression", "legacy", "nothing", "all"), ("islice", "std", "nothing", "list"),
        ("iter of a generator", "legacy", "legacy", "loop"), ("generator in a variable", "std", "std", "later"),
        ("returned", "legacy", "legacy", "loop"), ("starmap", "array", "array", "comprehension")]


@pytest.mark.parametrize("parts", TOLD, ids=" | ".join)
def test_what_can_be_told_apart(tmp_path, parts) -> None:
    FOUND["told", compare(load(tmp_path, program(*parts)).f)] += 1


# --- arguments: what is no iterator is computed before one is read

def noisy(v):
    return v * np.random.normal()


def draw_after_a_map(x):
    return sum(map(noisy, x), np.random.normal())


def draw_in_a_chain(x):
    total = 0.0
    for v in itertools.chain(map(noisy, x), [x[0] * np.random.normal()]):
        total += v
    return total


def default_that_draws(x):
    return max(map(noisy, x), default=np.random.normal())


def zip_with_a_draw(x):
    return sum(a * b for a, b in zip(map(noisy, x), [x[0] * np.random.normal(), x[1], x[2]]))


def start_that_draws(x):
    return functools.reduce(lambda a, b: a * b, map(noisy, x), np.random.normal())


def starred_before_a_draw(x):
    def take(first, *others):
        return first + sum(others)
    return take(noisy(x[0]), *map(noisy, x), noisy(x[1]))


def two_in_a_chain(x):
    return sum(itertools.chain(map(noisy, x), map(noisy, x)))


def longer_by_what_looks_at_it(x):
    xs = [x[0]]
    xs.extend(v * len(xs) for v in x)
    return sum(xs)


def longer_by_a_map_that_looks_at_it(x):
    xs = [x[0]]
    xs.extend(map(lambda v: v * xs[-1], x))
    return sum(xs)


def added_by_what_looks_at_it(x):
    xs = [x[0]]
    xs += (v * len(xs) for v in x)
    return sum(xs)


def longer_by_a_copy(x):
    xs = [x[0], x[1]]
    xs.extend(v * 2.0 for v in xs[:])
    return sum(xs)


def longer_by_another(x):
    xs, ys = [x[0], x[1]], []
    ys.extend(v * 2.0 for v in xs)
    ys += (v * v for v in xs)
    return sum(ys) * sum(xs)


def buffer_of_a_method(x):
    class_free = Buffered(x)
    return sum([np.sum(v * x) for v in class_free.run()])


class Buffered:
    def __init__(self, x):
        self.b = x * 1.0

    def run(self):
        for k in range(3):
            self.b[k] = 1.0 + k
            yield self.b


def rows_that_are_doubled(x):
    rows, out = [x * 2.0, x * 3.0], []
    for v in filter(lambda r: r[0] > 0, rows):
        v *= 2.0
        out.append(v)
    return np.sum(np.array(out)) + np.sum(rows[0])


ARGUMENTS = [draw_after_a_map, draw_in_a_chain, default_that_draws, zip_with_a_draw, start_that_draws, longer_by_what_looks_at_it,
             longer_by_a_map_that_looks_at_it, added_by_what_looks_at_it, buffer_of_a_method]
SURE = [starred_before_a_draw, two_in_a_chain, longer_by_a_copy, longer_by_another, rows_that_are_doubled]


@pytest.mark.parametrize("f", ARGUMENTS, ids=lambda f: f.__name__)
def test_arguments_in_their_order(f) -> None:
    FOUND["told", compare(f)] += 1


@pytest.mark.parametrize("f", SURE, ids=lambda f: f.__name__)
def test_what_is_in_order_is_right(f) -> None:
    assert compare(f) == "right"


def test_says_what_is_seen(tmp_path) -> None:
    f = load(tmp_path, program("method", "legacy", "legacy", "loop")).f
    with pytest.raises(UnsupportedError, match="an iterator that does something that what reads it does, too") as problem:
        sg.grad(f)(X)
    assert "Method(x, item).run()" in str(problem.value) and "list(...)" in str(problem.value)


def test_an_iterator_that_a_loop_reads_twice(tmp_path) -> None:
    f = load(tmp_path, program("generator in a variable", "nothing", "nothing", "loop in a loop")).f
    with pytest.raises(UnsupportedError, match="a loop reads again and again"):
        sg.grad(f)(X)


def test_the_programs_do_what_they_say(tmp_path) -> None:
    """Every effect is seen somewhere: it tells a list from an iterator in a loop."""
    for name in EFFECTS:
        if name in ("nothing", "looks"):
            continue
        text = program("generator", name, name, "loop")
        lazy, eager = load(tmp_path, text).f, load(tmp_path, text.replace("in run()", "in list(run())")).f
        reset()
        one = lazy(X.copy()), seen()
        reset()
        assert one != (eager(X.copy()), seen()), name
    assert len(FORMS) * len(EFFECTS) ** 2 * len(READERS) == len(ALL) and lazy_programs.LOG is not None
