"""One gradient call does to the world what one call of the function does, or the program is refused: the trial sees all effects."""
from __future__ import annotations

import copy
import sys
from collections import Counter

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InternalError, SourcegradError
from tests.errors.modules import load
from tests.kinds import effect_programs as programs

X = np.array([0.3, 0.9, 0.6])
FOUND: Counter = Counter()


def compare(f, make=None) -> str:
    """ "right" or "refused": three calls of a gradient against three calls of the function, from the same state."""
    def argument() -> tuple:
        programs.reset()
        return () if make is None else (make(),)

    given = argument()
    values = [f(X.copy(), *given) for _ in range(3)]
    wanted = programs.seen()
    given = argument()
    gradient = sg.value_and_grad(f, inputs="x")
    try:
        found = [gradient(X.copy(), *given)[0] for _ in range(3)]
    except SourcegradError as problem:
        assert problem.origin is not None and not isinstance(problem, InternalError), str(problem)
        return "refused"
    assert programs.seen() == wanted
    np.testing.assert_allclose(found, values)
    slopes = [(f(X + 1e-6 * e, *argument()) - f(X - 1e-6 * e, *argument())) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(sg.grad(f, inputs="x")(X.copy(), *argument()), slopes, 1e-5, 1e-6)
    return "right"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", programs.TEXTS)
def test_effects_happen_once(tmp_path, text) -> None:
    module = load(tmp_path, "from tests.kinds import effect_programs\n\ndef f(x):\n" + text + "\n")
    f = module.f
    own = type(f)(f.__code__, vars(programs), "f")               # with the state of the programs as its globals
    FOUND[compare(own)] += 1


@pytest.mark.parametrize("name", programs.CALLBACKS)
def test_callbacks_run_once(name) -> None:
    FOUND[compare(*programs.CALLBACKS[name])] += 1


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", programs.TEXTS[::4])
def test_of_second_derivatives(tmp_path, text) -> None:
    f = load(tmp_path, "from tests.kinds import effect_programs\n\ndef f(x):\n" + text + "\n").f
    f = type(f)(f.__code__, vars(programs), "f")
    programs.reset()
    f(X.copy())
    wanted = programs.seen()
    programs.reset()
    try:
        sg.grad(sg.grad(f))(X.copy(), grad_outputs=np.ones(3))
    except SourcegradError as problem:
        assert problem.origin is not None and not isinstance(problem, InternalError), str(problem)
    else:
        assert programs.seen() == wanted


LEVELS: list = [1.0]


def rise(v):
    LEVELS.append(1.0)
    LEVELS[0] += 1.0


RISING = ["LEVEL", "2 * LEVEL", "-LEVELS[0]", "[LEVELS[0]][0]", "ARRAY[0]", "ARRAY[0] * 2.0", "TABLE['a']", "len(LEVELS)",
          "OBJECT.n", "Kept.n", "np.sum(ARRAY)", "float(len(LEVELS))"]


@pytest.mark.parametrize("read", RISING)
def test_in_one_line(tmp_path, read) -> None:
    f = load(tmp_path, f"""
import numpy as np

LEVELS, ARRAY, TABLE, LEVEL = [2.0], np.array([2.0, 3.0]), {{"a": 2.0}}, 2.0

class Kept:
    n = 2.0

    def __init__(self):
        self.n = 2.0

OBJECT = Kept()

def rise(v):
    global LEVEL
    LEVEL += 1.0
    LEVELS.append(1.0)
    for held in (LEVELS, ARRAY):
        held[0] += 1.0
    TABLE["a"] += 1.0
    Kept.n += 1.0
    OBJECT.n += 1.0

def f(x):
    total = 0.0
    for i in range(3):
        n = {read}
        rise(i)
        total = total + x[i] ** 2 * n
    return total
""").f
    module = sys.modules[f.__module__]
    start = {name: copy.deepcopy(getattr(module, name)) for name in ("LEVELS", "ARRAY", "TABLE", "LEVEL", "OBJECT")}
    wanted = []
    for i in range(3):
        wanted.append(2.0 * X[i] * eval(read, vars(module)))
        module.rise(i)
    vars(module).update(start)
    module.Kept.n = 2.0
    try:
        np.testing.assert_allclose(sg.grad(f)(X), wanted)
    except SourcegradError as problem:
        assert problem.origin is not None and not isinstance(problem, InternalError), str(problem)


@pytest.mark.parametrize("read", [lambda: len(LEVELS), lambda: LEVELS[0], lambda: LEVELS[-1], lambda: sum(LEVELS),
                                  lambda: max(LEVELS), lambda: -LEVELS[0], lambda: min(LEVELS[0], 9.0)])
def test_what_effects_change_is_read_when_the_function_reads_it(read) -> None:
    def f(x):
        total = 0.0
        for i in range(3):
            n = read()
            rise(i)
            total = total + x[i] ** 2 * n
        return total

    LEVELS[:] = [1.0]
    wanted = []
    for i in range(3):
        wanted.append(2.0 * X[i] * read())
        rise(i)
    LEVELS[:] = [1.0]
    np.testing.assert_allclose(sg.grad(f)(X), wanted)


def test_what_is_refused_is_not_half_done() -> None:
    """A program that reads what it has appended is refused with the line of the append, and not run."""
    programs.reset()

    def f(x):
        programs.CALLS.append(1)
        return np.sum(programs.mutated(x)) * len(programs.CALLS)
    with pytest.raises(SourcegradError):
        sg.grad(f)(X)
    assert programs.CALLS == []


def test_most_are_right() -> None:
    if sum(FOUND.values()) > 100:
        assert FOUND["right"] >= 60
