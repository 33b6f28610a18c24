"""Every feature of the language has a case that works at first and second order, or one that is refused with advice."""
from __future__ import annotations

import ast
import importlib.util
import sys
import threading
import time
import traceback
import warnings

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.language import calls, control, exceptions, objects
from tests.language.case import Case, weights
from tests.language.corpus import CASES, FILES, by_feature
from tests.language.table import DOCUMENT, document
from tests.programs.real.checks import (
    check,
    check_module_is_left_alone,
    check_refusal,
    check_value,
    expected_gradient,
    kinks,
    new_gradient_function,
)
from tests.programs.real.structure import vector


def cases(order: int = 1, refused: bool = False):
    return pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES
                                            if case.order >= order and (case.refused is not None) == refused])


@cases(1)
def test_gradient(case: Case) -> None:
    check(case, 1)


@cases(2)
def test_second_derivative(case: Case) -> None:
    check(case, 2)


@cases(1)
def test_value(case: Case) -> None:
    check_value(case)


@cases(0, refused=True)
def test_refusal(case: Case) -> None:
    check_refusal(case)


@cases(1)
def test_case_is_smooth_where_it_is_tested(case: Case) -> None:
    gradient = expected_gradient(case)
    assert np.all(np.isfinite(gradient)) and np.max(np.abs(gradient)) > 1e-3
    assert kinks(case) < 1e-3


@pytest.mark.parametrize("module", [file.__name__ for file in FILES if file.CASES])
def test_module_is_left_alone(module: str) -> None:
    check_module_is_left_alone([case for case in CASES if case.function.__module__ == module and case.refused is None])


def test_every_surveyed_feature_has_a_case() -> None:
    assert [feature for feature, cases in by_feature().items() if not cases] == []
    assert len(weights()) == 216


def test_document_is_up_to_date() -> None:
    written, now = DOCUMENT.read_text().splitlines(), document().splitlines()
    if sys.version_info < (3, 11):                       # its library refuses other arguments: why is told otherwise
        written, now = ([line.rpartition(" | ")[0] for line in lines] for lines in (written, now))
    assert written == now, "run python -m tests.language.table"


THREADED = (control, calls, objects)


def fresh_cases() -> list[Case]:
    """Copies of the cases whose functions no cache knows."""
    found: list[Case] = []
    for module in THREADED:
        spec = importlib.util.spec_from_file_location(module.__name__, module.__file__)
        copy = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
        spec.loader.exec_module(copy)  # type: ignore[union-attr]
        found += [case for case in copy.CASES if case.refused is None]
    return found[::3]


def numbers(case: Case) -> np.ndarray | None:
    """The gradient as a vector, or None where there is none."""
    try:
        result = new_gradient_function(case)[0](*case.fresh(), **case.options)
    except SourcegradError:         # another test reports it
        return None
    template = case.select(case.args)
    return vector(template, result if isinstance(case.inputs, tuple) else (result,))


def run_in_threads(work, count: int = 8) -> None:
    """Run `work(k)` in threads that start together; the first failure is raised here."""
    barrier, failures = threading.Barrier(count), []

    def run(k: int) -> None:
        barrier.wait()
        try:
            work(k)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_generation_and_calls_from_threads() -> None:
    expected = [numbers(case) for case in fresh_cases()]
    assert sum(item is not None for item in expected) >= 15
    shared = fresh_cases()
    got: list[dict[int, np.ndarray | None]] = [{} for _ in range(8)]

    def work(k: int) -> None:
        order = list(range(len(shared)))
        for i in order[k * 5:] + order[:k * 5]:
            got[k][i] = numbers(shared[i])

    run_in_threads(work)
    for results in got:
        for i, item in enumerate(expected):
            assert np.array_equal(results[i], item) if item is not None else results[i] is None, shared[i].name


def test_one_thread_parses_at_a_time(monkeypatch) -> None:
    """In CPython 3.11 two threads that parse disturb each other: SystemError (gh-106905)."""
    inside, most = [], []
    parse = ast.parse

    def slow(*args, **options):
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.002)
        try:
            return parse(*args, **options)
        finally:
            inside.pop()

    monkeypatch.setattr(ast, "parse", slow)
    def work(k: int) -> None:
        gradient = sg.grad(sg.grad(control.babylonian) if k % 2 else control.babylonian)
        for i in range(4):
            gradient(1.0 + k + i)

    run_in_threads(work)
    assert max(most) == 1 and len(most) > 8


def test_one_gradient_function_in_threads() -> None:
    gradient = sg.grad(control.babylonian)
    starts = [1.0 + 0.3 * k for k in range(8)]
    expected = [gradient(x) for x in starts]

    def work(k: int) -> None:
        for _ in range(20):
            assert gradient(starts[k]) == expected[k]

    run_in_threads(work)


def test_exceptions_pass_through_with_the_line_that_raised() -> None:
    with pytest.raises(ValueError, match="not positive: -0.7") as caught:
        sg.grad(exceptions.raises)(-0.7)
    assert "    raise ValueError(f" in "".join(traceback.format_exception(caught.value))
    with pytest.raises(TypeError, match="x must be a float"):
        sg.grad(exceptions.raises)(np.array([0.7]))


def test_a_failed_assertion_passes_through() -> None:
    with pytest.raises(AssertionError, match=r"shape \(2,\)"):
        sg.grad(exceptions.asserted)(0.7, np.ones(2))


def loud(x, log):
    print("x is", x)
    warnings.warn("once", RuntimeWarning, stacklevel=1)
    return x ** 2


def test_effects_happen_once(capsys: pytest.CaptureFixture) -> None:
    with pytest.warns(RuntimeWarning, match="once") as caught:
        assert sg.grad(loud)(3.0, None) == 6.0
    assert len(caught) == 1
    assert capsys.readouterr().out == "x is 3.0\n"


def calls_back(x, report):
    total = 0.0
    for k in range(3):
        total += x ** k
        report(total)
    return total


def test_callbacks_see_plain_numbers(capsys: pytest.CaptureFixture) -> None:
    assert sg.grad(calls_back)(2.0, print) == 5.0
    assert capsys.readouterr().out == "1.0\n3.0\n7.0\n"


@pytest.mark.parametrize("name", ["custom_vjp", "checkpoint"])
def test_functions_with_their_own_adjoint_exist(name: str) -> None:
    assert hasattr(sg, name)
