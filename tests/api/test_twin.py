"""Plain text first, the guarded twin where that gives no finite gradient: the same results, and effects that happen once."""
from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api.twin import ENOUGH, finite, plain_first
from sourcegrad.cli import main
from tests.api.test_disk_cache import process

GUARDS = ("guard(", "guard_steep(", "quotient(", "divide_or_zero(")
X = np.array([1.0, 0.0, 4.0, -2.0])


class Pair:
    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b


def root(x):
    return np.where(x > 0.0, np.sqrt(x), 0.0)


def length(x, y):
    return (x * x + y * y) ** 0.5


class Tank:
    def __init__(self, level: Any) -> None:
        self.level, self.log = level, [level]

    def pull(self, k: Any) -> Any:
        self.level = self.level - k * self.level ** 0.5 if self.level > 0.0 else self.level
        self.log.append(self.level)
        return self.level


def tanks_that_hold_each_other(x):
    a, b = Tank(x), Tank(x * 2.0)
    a.other, b.other = b, a
    for tank in (a, b, a):
        tank.other.level = tank.level * x + tank.other.pull(0.1)
    return (sum(a.log) * 0.0) ** 0.5 + a.level


def an_empty_tank(k):
    tank = Tank(0.0)
    return tank.pull(k) + (0.0 * k) ** 0.5 + sum(tank.log) * k


PROGRAMS = {
    "objects that hold each other": (tanks_that_hold_each_other, 1.3), "an object of its own": (an_empty_tank, 0.3),
    "a branch": (lambda x: np.sum(np.where(x > 0.0, np.sqrt(x), 0.0)), X),
    "a callee": (lambda x: np.sum(root(x) * x), X),
    "a callee twice": (lambda x: np.sum(root(root(x)) * root(x)), X),
    "a mask": (lambda x: np.sum(np.sqrt(x)[x > 0.0]), X),
    "a logarithm": (lambda x: np.sum(np.where(x > 0.0, np.log(x) * x, 0.0)), X),
    "a quotient": (lambda x: np.sum(np.where(x != 0.0, np.sin(x) / x, 1.0)), X),
    "a norm": (lambda x: np.sqrt(np.sum(x * x)), np.zeros(3)),
    "a norm of rows": (lambda x: np.sum(np.sqrt(np.sum(x * x, axis=1))), np.array([[0.0, 0.0], [3.0, 4.0]])),
    "a number": (lambda x: length(x, 0.0 * x), 0.0),
    "a number in a branch": (lambda x: (x ** 0.5 if x > 0.0 else 0.0) * x, 0.0),
    "an angle": (lambda x: np.sum(np.where(x[:1] > 0.0, np.arctan2(x[:1], x[1:]), 0.0)), np.zeros(2)),
    "an overflow": (lambda x: np.sum(np.where(x < 3.0, np.exp(x * 300.0), x)), np.array([0.0, 4.0])),
    "a loop": (lambda x: sum([np.sqrt(v) if v > 0.0 else v for v in x]), X),
    "a dict": (lambda p: np.sum(root(p["a"])) * p["b"], {"a": X, "b": 2.0}),
    "an object": (lambda p: np.sum(root(p.a)) * p.b, Pair(X, 2.0)),
    "half precision": (lambda x: np.sum(np.where(x > 0, np.sqrt(x), np.float32(0.0))), X.astype(np.float32)),
}


def flat(found: Any) -> list[float]:
    if isinstance(found, dict):
        return [n for key in found for n in flat(found[key])]
    if hasattr(found, "__dict__"):
        return flat(vars(found))
    return np.ravel(found).tolist()


@pytest.mark.parametrize("name", PROGRAMS)
def test_plain_text_and_the_gradient_of_the_twin(name: str) -> None:
    function, x = PROGRAMS[name]
    gradient = sg.grad(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            values = [gradient(x) for _ in range(4)]
            guarded = gradient.guarded(x)
            value, both = sg.value_and_grad(function)(x)
            plain = gradient.compiled(x)(x)
            assert value == function(x)
    assert np.isfinite(flat(guarded)).all()
    assert flat(plain) == flat(both) == flat(guarded)
    assert all(flat(one) == flat(guarded) for one in values)
    assert not any(guard in gradient.source for guard in GUARDS), gradient.source
    assert gradient._last[0].singular == any(guard in gradient.guarded.source for guard in GUARDS), gradient.guarded.source


@pytest.mark.parametrize("name", [n for n, (_, x) in PROGRAMS.items() if isinstance(x, np.ndarray) and x.dtype == np.float64])
def test_second_order(name: str) -> None:
    function, x = PROGRAMS[name]
    with np.errstate(all="ignore"):
        outer = sg.grad(sg.grad(function), grad_outputs=np.ones(x.shape))
        assert np.allclose(outer(x), outer.guarded(x), rtol=1e-12, equal_nan=True)
        assert np.allclose(outer(x + 2.5), outer.guarded(x + 2.5), rtol=1e-12)
    assert not any(guard in outer.source for guard in GUARDS)


def test_what_draws_or_prints_is_guarded_at_once(capsys: pytest.CaptureFixture) -> None:
    def drawn(x, rng):
        return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0)) * rng.normal()

    def printed(x):
        print("once")
        return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0))

    def from_an_iterator(x, numbers):
        return sum([np.where(x > 0.0, np.sqrt(x), 0.0) * number for number in numbers])

    with np.errstate(all="ignore"):
        for _ in range(3):
            rng, other = np.random.default_rng(1), np.random.default_rng(1)
            scale = other.normal()
            gradient = sg.grad(drawn)
            assert np.allclose(gradient(X, rng), [0.5 * scale, 0.0, 0.25 * scale, 0.0])
            assert rng.normal() == other.normal()
            assert np.allclose(sg.grad(lambda x, n: np.sum(from_an_iterator(x, n)))(X, iter([2.0, 3.0])), [2.5, 0.0, 1.25, 0.0])
        assert any(guard in gradient.source for guard in GUARDS)
        quiet = sg.grad(printed)
        quiet(X), quiet(X)
        capsys.readouterr()
        quiet(X)
    assert capsys.readouterr().out == "once\n"


def test_arguments_that_change_are_those_of_the_caller_only_once() -> None:
    def f(x, log):
        log.append(1.0)
        x[0] = x[0] * 2.0
        return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0)) * len(log)

    with np.errstate(all="ignore"):
        for _ in range(3):
            x, log = X.copy(), [1.0]
            found = sg.grad(f)(x, log)
            assert np.allclose(found, [2.0 * 2.0 * 0.5 / np.sqrt(2.0), 0.0, 2.0 * 0.25, 0.0])
            assert np.array_equal(x, X) and log == [1.0]


def test_objects_of_the_caller_stay_what_they_are() -> None:
    """The plain sweep ends with an error (of Python's numbers); the twin starts from the same objects."""
    def f(k, tank):
        tank.pull(k)
        tank.log[0] = k * 3.0
        return sum(tank.log) + (0.0 * k) ** 0.5

    gradient, tank = sg.grad(f), Tank(4.0)
    for _ in range(4):
        assert gradient(0.3, tank) == pytest.approx(3.0 - 2.0)
        assert tank.level == 4.0 and tank.log == [4.0]
    assert not any(guard in gradient.source for guard in GUARDS)


def test_the_function_keeps_its_warnings() -> None:
    """Where nothing is left out, nothing is silent."""
    gradient = sg.grad(lambda x: np.sum(np.log(x)))
    gradient(X + 3.0), gradient(X + 3.0)
    with pytest.warns(RuntimeWarning), np.errstate(divide="warn"):
        assert np.isinf(gradient(np.array([1.0, 0.0]))[1])


class Plain:
    """What stands for a gradient function."""

    _with_value = _has_aux = False

    @staticmethod
    def _signature() -> Any:
        return sg.grad(lambda x: x * x)._signature()


class Made:
    def __init__(self, function: Any) -> None:
        self.derived, self.function = self, function


def test_what_has_needed_its_twin_twice_in_a_row_starts_with_it() -> None:
    calls: Counter = Counter()
    answer: list = [1.0]

    def plain(x: Any) -> Any:
        calls["plain"] += 1
        if answer[0] is None:
            raise ZeroDivisionError
        return answer[0]

    def twin(x: Any) -> Any:
        calls["twin"] += 1
        return 7.0

    run = plain_first(plain, Plain, lambda bound: Made(twin))
    assert run(1.0) == 1.0 and calls == {"plain": 1}
    for wrong in (np.nan, None, np.inf):
        answer[0] = wrong
        assert run(1.0) == 7.0
        answer[0] = 2.0
        assert run(x=1.0) == 2.0
    answer[0] = None
    calls.clear()
    for _ in range(ENOUGH + 2):
        assert run(1.0) == 7.0
    assert calls == {"plain": ENOUGH, "twin": ENOUGH + 2}


def test_what_is_finite() -> None:
    for good in (1.0, 3, np.ones(3), np.full(2, 1.7e308), np.ones(2) + 1j, np.array([1, 2]), [1.0, (np.zeros(0), None)], {"a": 1.0},
                 Pair(1.0, np.ones(2)), np.float32(2.0), np.array([1.0, None], object), "text"):
        assert finite(good), good
    for bad in (np.nan, np.array([1.0, np.inf]), np.array([np.inf, -np.inf]), np.array([1.0 + 1j * np.nan]), [1.0, (np.nan,)],
                {"a": np.inf}, Pair(1.0, np.array([np.nan])), np.float32(np.inf), np.array([np.nan], np.float32),
                np.array([1.0, np.nan], object), np.array(np.nan)):
        assert not finite(bad), bad


KEPT = """\
import json, sys
import numpy as np, sourcegrad as sg
def f(w):
    return np.sum(np.where(w > 0.0, np.sqrt(w), 0.0))
np.seterr(all="ignore")
found = [sg.grad(f)(np.array([1.0, 0.0])).tolist() for _ in range(3)]
print(json.dumps([found, "sourcegrad.parse" in sys.modules]))
"""


def test_it_is_kept_on_disk(tmp_path: Path) -> None:
    first, second = process(tmp_path, KEPT), process(tmp_path, KEPT)
    assert first == [[[0.5, 0.0]] * 3, True] and second == [[[0.5, 0.0]] * 3, False]


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    place = tmp_path / "program.py"
    place.write_text("import numpy as np\ndef f(x):\n    return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0))\n")
    at = ["--at", "x=np.array([1.0, 0.0])"]
    texts = []
    for command in (["show", f"{place}:f", *at], ["show", f"{place}:f", *at, "--guarded"], ["export", f"{place}:f", *at]):
        assert main(command) == 0
        texts.append(capsys.readouterr().out)
    assert [any(guard in text for guard in GUARDS) for text in texts] == [False, True, True]
