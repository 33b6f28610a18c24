"""Random in-place programs: sourcegrad against complex steps; and tests of that tester.

SOURCEGRAD_MUTATIONS sets how many programs are tried (and a sixth as many of `sharing_generator`, a fortieth of
`keeping_generator`), SOURCEGRAD_SEED (0) which, SOURCEGRAD_SHRINK (20) for how many seconds a failing program is made smaller.
A program may be refused with its place, never be wrong.
"""
from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InternalError, Origin, UnsupportedError
from tests.programs import keeping_generator, mutation_oracle as oracle, sharing_generator
from tests.programs.mutation_generator import generated, report
from tests.programs.mutation_oracle import DISCARDED, OK, REFUSED, WRONG, Case, expected, judge
from tests.programs.mutation_shrink import shrunk, smaller

PROGRAMS = int(os.environ.get("SOURCEGRAD_MUTATIONS", "80"))
SEED = int(os.environ.get("SOURCEGRAD_SEED", "0"))
SHRINK = float(os.environ.get("SOURCEGRAD_SHRINK", "20"))
SHARES = 20


def check(generated: Callable[[int], Case], seeds: range) -> None:
    verdicts = [(seed, judge(generated(seed))) for seed in seeds]
    wrong = [item for item in verdicts if item[1].outcome == WRONG]
    if wrong:
        seed, verdict = wrong[0]
        raise AssertionError(f"{len(wrong)} of {len(verdicts)} WRONG: seeds {[seed for seed, _ in wrong]}\n\n"
                             + report(*shrunk(generated(seed), verdict, SHRINK)))
    assert sum(verdict.outcome == DISCARDED for _, verdict in verdicts) <= 0.2 * len(verdicts) + 1


@pytest.mark.parametrize("share", range(SHARES))
def test_random_in_place_programs(share: int) -> None:
    check(generated, range(SEED * 1_000_000 + share, SEED * 1_000_000 + PROGRAMS, SHARES))


@pytest.mark.parametrize("share", range(SHARES))
def test_random_programs_of_shared_arrays(share: int) -> None:
    check(sharing_generator.generated, range(SEED * 1_000_000 + share, SEED * 1_000_000 + PROGRAMS // 6, SHARES))


@pytest.mark.parametrize("share", range(SHARES // 4))
def test_random_programs_of_kept_arrays(share: int) -> None:
    check(keeping_generator.generated, range(SEED * 1_000_000 + share, SEED * 1_000_000 + PROGRAMS // 40, SHARES // 4))


def test_what_would_take_a_page_for_every_change_is_refused() -> None:
    """The code for it would be right: 1,500 statements for a program of 30 lines."""
    verdict = judge(generated(603000000000277))
    assert verdict.outcome == REFUSED and "too many names may be (part of) the same array" in verdict.reason


def test_what_holds_each_other_in_many_ways_is_looked_into_once() -> None:
    """Every way through what was linked to what has been tried for the summary of `m1`: an hour for this program."""
    assert judge(keeping_generator.generated(2_000_002)).outcome in (OK, REFUSED)


def moves_on(a, b, c):
    if c > 0:
        a = b[::-1]
    a[...] = b * 0.6
    if np.sum(a) > 0:
        a = b[[1, 2, 0]]
    for _ in range(1):
        if c > 5:
            a = a.T
            b[0] = a[1] * 0.7
        a = a[:, ::-1]
    for _ in range(1):
        a, a = a, a
        a[...] = a * 0.6
        a *= 0.8
    p = a[::-1]
    return np.sum(a ** 2) + np.sum(b ** 2) + np.sum(p ** 2)


def test_names_that_move_on_in_a_loop_are_given_up_soon() -> None:
    """The places of a name doubled with each look at the loop: a minute, or for ever."""
    a = np.arange(9.0).reshape(3, 3) / 7
    with oracle.limited(20), pytest.raises(UnsupportedError):
        sg.grad(sg.grad(moves_on, inputs=("a", "b")), inputs=("a", "b"))(a, a + 1.0, 1.5, grad_outputs=(a, a))


# --- the generator

def test_a_seed_is_a_program() -> None:
    for seed in range(5):
        first, second = generated(seed), generated(seed)
        assert str(first) == str(second)
        assert all(np.array_equal(x, y) for x, y in zip(first.bases, second.bases))


def test_programs_are_varied_and_depend_on_their_inputs() -> None:
    cases = [generated(seed) for seed in range(400)]
    texts = [case.text for case in cases]
    assert len(set(texts)) > 0.95 * len(texts)
    for word in ("[::-1]", ".T", ".reshape(-1)", "np.split(", "np.add.at(", "out=", "np.copyto(", ".fill(", "np.fill_diagonal(",
                 "np.put_along_axis(", ".sort(", "helper", "while ", "range(n)", "range(0)", "for row", "if ", "else:", "break",
                 "[1:] += ", "[1:] = ", "np.empty(", "    def f", "x2[", "*= ", "/= ", "return\n", "where=", "{\"p\""):
        assert any(word in text for text in texts), f"no program has {word!r}"
    assert any(case.is_shared for case in cases) and any(case.is_single for case in cases)
    assert any(case.outputs for case in cases) and any(case.order == 2 for case in cases)
    active = discarded = 0
    for case in cases[:150]:
        try:
            active += bool(np.any(expected(case).gradient))
        except oracle.Discard:
            discarded += 1
    assert active > 120 and discarded < 15


# --- the oracle

def case_of(text: str, *bases: Any, views: tuple = (), **options: Any) -> Case:
    arrays = tuple(np.array(base, float) for base in bases)
    return Case("import numpy as np\n\n\n" + text, arrays, views or tuple((k, "base") for k in range(len(arrays))),
                inputs=tuple("abc"[:len(views or arrays)]), **options)


COPIES = case_of("""def program(a):
    w = np.empty(4)
    w[1:] = a * a
    w[0] = w[1]
    return np.sum(np.sin(w))
""", [0.3, -0.5, 0.8])
IN_PLACE = case_of("""def program(a, b):
    v = a[1:]
    v *= b[:2]
    return np.sum(a * a)
""", [0.3, -0.5, 0.8], [0.2, 0.9, 0.4])


def test_expected_gradients() -> None:
    x = COPIES.bases[0]
    assert np.allclose(expected(COPIES).gradient, np.cos(x * x) * 2 * x * [2, 1, 1], rtol=1e-14)
    (a, b) = IN_PLACE.bases
    wanted = [2 * a[0], *2 * a[1:] * b[:2] ** 2, *2 * a[1:] ** 2 * b[:2], 0]
    assert np.allclose(expected(IN_PLACE).gradient, wanted, rtol=1e-14)


def test_expected_gradient_of_order_two() -> None:
    case = case_of("def program(a):\n    a *= np.sin(a)\n    return np.sum(a)\n", [0.3, -0.5], order=2)
    wanted, x = expected(case), case.bases[0]
    assert np.allclose(wanted.gradient, (2 * np.cos(x) - x * np.sin(x)) * wanted.weights[1][0], rtol=1e-8)


def test_shared_arguments_give_the_gradient_of_their_base() -> None:
    case = case_of("def program(a, b):\n    a *= 3.0\n    return np.sum(b * np.array([1.0, 2.0]))\n", [0.3, 0.4, 0.5],
                   views=((0, "base[1:]"), (0, "base[:2]")))
    wanted = expected(case)
    assert np.allclose(wanted.gradient, [1, 6, 0])
    assert not oracle.agrees(case, (np.array([6.0, 0.0]), np.array([1.0, 6.0])), wanted)     # each is of both roles
    assert not oracle.agrees(case, (np.array([2.0, 0.0]), np.array([1.0, 4.0])), wanted)     # together they are the whole
    assert oracle.agrees(case, (np.array([0.0, 0.0]), np.array([1.0, 2.0])), wanted)


def test_programs_that_say_nothing_are_discarded() -> None:
    for text in ("def program(a):\n    return a.undefined\n",
                 "def program(a):\n    return np.sum(np.log(a - 9.0))\n",
                 "def program(a):\n    w = np.empty(2)\n    return np.sum(a[:2] * 0.0 + w)\n",
                 "def program(a):\n    return 0.5 if a[0] > 0.3 else a[1]\n",
                 "def program(a):\n    return np.maximum(a[0], 0.3)\n"):
        assert judge(case_of(text, [0.3, -0.5, 0.8])).outcome == DISCARDED, text


def test_empty_arrays_hold_nan_in_both_oracle_and_test() -> None:
    assert np.isnan(oracle.COMPLEX_NUMPY.empty(3)).all()
    oracle.poison()
    assert np.isnan(np.empty(3)).all()


# --- what is wrong is caught

ACCEPTED = case_of("""def program(a, b):
    a[1:] = a[:-1] * b[1:]
    a *= np.sin(b)
    return np.sum(a * a)
""", [0.3, -0.5, 0.8], [0.2, 0.9, 0.4])


def replaced(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """Let `change(result, args)` see what every gradient function is called with and gives."""

    def changed(native: Any) -> Any:
        def make(*args: Any, **options: Any) -> Any:
            gradient = native(*args, **options)
            return lambda *values: change(gradient(*values), values)

        return make

    for name in ("grad", "value_and_grad"):
        monkeypatch.setattr(sg, name, changed(getattr(sg, name)))


@pytest.fixture(scope="module")
def right() -> list[Case]:
    """Programs with right gradients of order 1 that are not small."""
    found = [COPIES, ACCEPTED]
    for case in map(generated, range(120)):
        if (case.order == 1 and not case.is_single and not case.with_value and judge(case).outcome == OK
                and np.max(np.abs(expected(case).gradient)) > 0.01):
            found.append(case)
    assert len(found) >= 8 and all(judge(case).outcome == OK for case in found)
    return found[:12]


def test_a_gradient_that_is_a_little_wrong_is_caught(monkeypatch: pytest.MonkeyPatch, right: list[Case]) -> None:
    replaced(monkeypatch, lambda result, args: tuple(part * 1.001 for part in result))
    assert {judge(case).reason for case in right} == {"wrong numbers"}


def test_one_wrong_number_in_one_gradient_is_caught(monkeypatch: pytest.MonkeyPatch, right: list[Case]) -> None:
    def change(result: tuple, args: tuple) -> tuple:
        result[-1].flat[0] += 1e-5
        return result

    replaced(monkeypatch, change)
    assert all(judge(case).outcome == WRONG for case in right)


def test_nan_is_caught(monkeypatch: pytest.MonkeyPatch, right: list[Case]) -> None:
    replaced(monkeypatch, lambda result, args: tuple(part + np.nan for part in result))
    assert all(judge(case).outcome == WRONG for case in right)


def test_changed_data_are_caught(monkeypatch: pytest.MonkeyPatch, right: list[Case]) -> None:
    def change(result: tuple, args: tuple) -> tuple:
        args[0].flat[-1] = np.nextafter(args[0].flat[-1], 9.0)
        return result

    replaced(monkeypatch, change)
    assert {judge(case).reason for case in right} == {"the caller's data changed"}


def test_a_wrong_second_call_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def change(result: tuple, args: tuple) -> tuple:
        calls.append(1)
        return result if len(calls) == 1 else tuple(part + 1.0 for part in result)

    replaced(monkeypatch, change)
    assert judge(ACCEPTED).reason == "wrong numbers at the second call"


HERE = Origin("program.py", 1, 2, "x = 1")


@pytest.mark.parametrize("error, outcome", [
    (UnsupportedError("no", HERE), REFUSED), (UnsupportedError("no"), WRONG), (InternalError("broken", HERE), WRONG),
    (ValueError("x"), WRONG), (NameError("x"), WRONG)], ids=["located", "without a place", "internal", "value", "name"])
def test_only_a_located_error_is_a_refusal(monkeypatch: pytest.MonkeyPatch, error: Exception, outcome: str) -> None:
    def change(result: tuple, args: tuple) -> tuple:
        raise error

    replaced(monkeypatch, change)
    assert judge(ACCEPTED).outcome == outcome


def test_shrinking_leaves_what_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of("""def program(a):
    w = a.copy()
    for i in range(2):
        w *= 0.5
        if i > 0:
            w[0] = np.sin(w[1])
    a = a + np.cos(w)
    return np.sum(a * w)
""", [0.3, -0.5])
    assert judge(case).outcome == OK
    assert all(len(text) < 400 for text in smaller(case.text))

    def change(result: tuple, args: tuple) -> tuple:        # a library that does not know the sine
        return tuple(part + 1.0 for part in result) if "sin" in now[0] else result

    now: list[str] = []
    load = oracle.loaded
    monkeypatch.setattr(oracle, "loaded", lambda text: (now.insert(0, text), load(text))[1])
    replaced(monkeypatch, change)
    small, verdict = shrunk(case, judge(case))
    assert verdict.outcome == WRONG
    assert "sin" in small.text and "cos" not in small.text and "for" not in small.text and len(small.text) < 0.6 * len(case.text)
