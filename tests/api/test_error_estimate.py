"""Estimates of rounding errors: beside extended precision, exact operations, lines, dtypes, the command line."""
import math

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.cli import main
from sourcegrad.errors import InputError, OutputError, UnsupportedError
from tests.api import error_programs
from tests.api.error_programs import CASES, measured

U = 2.0 ** -53


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="no extended precision")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.function.__name__)
def test_the_bound_holds_and_is_near(case) -> None:
    units = 0.0
    for seed in range(10):
        found, error = measured(case, seed)
        assert error <= found.bound * (1.0 + 1e-6)
        assert found.bound == pytest.approx(math.fsum(part for _, _, part in found.lines))
        units = max(units, error / found.bound)
    assert units > 1e-4                                      # it is no more than some orders away


def test_by_hand() -> None:
    found = sg.error_estimate(lambda x, y: x * y + x, 3.0, 0.1)
    assert found.value == 3.0 * 0.1 + 3.0 and found.bound == pytest.approx((3.0 * 0.1 + found.value) * U, rel=1e-12)


@pytest.mark.parametrize("f", [
    lambda x: -x[0], lambda x: x[1], lambda x: 2.0 * x[0], lambda x: x[0] / 4, lambda x: x[::-1].reshape(2, 2).T[0, 1],
    lambda x: np.max(x), lambda x: np.sort(x)[2], lambda x: np.where(x > 0.0, x, -x)[0], lambda x: abs(x[0]), lambda x: x[0] + 0.0,
    lambda x: x[0] ** 1, lambda x: max(x[0], x[1]), lambda x: np.concatenate([x, x])[5], lambda x: float(x[2]),
    lambda x: np.minimum(x, 0.5)[3], lambda x: x.astype(np.float64)[0], lambda x: x.astype(np.longdouble)[0],
    lambda x: [x[0], x[1]][1]])
def test_exact_operations(f) -> None:
    found = sg.error_estimate(f, np.array([0.3, -0.7, 1.1, 0.9]))
    assert found.bound == 0.0 and found.lines == []


def test_a_literal_before_the_slash_is_rounded() -> None:
    assert sg.error_estimate(lambda x: 2.0 / x, 3.0).bound == 2.0 / 3.0 * U
    assert sg.error_estimate(lambda x: x / 3.0, 2.0).bound == 2.0 / 3.0 * U


def stepped(x, n):
    for _ in range(n):
        x = x + x / 3.0
    return x


def test_every_turn_counts() -> None:
    one, many = (sg.error_estimate(stepped, 1.0, n).bound for n in (1, 10))
    assert many / (4 / 3) ** 10 == pytest.approx(10 * one / (4 / 3), rel=1e-6)


def test_lines_of_callees() -> None:
    found = sg.error_estimate(error_programs.called, np.linspace(0.0, 1.0, 5))
    smooth = error_programs.smooth.__code__.co_firstlineno
    own = error_programs.called.__code__.co_firstlineno
    assert {number for number, _, _ in found.lines} == {smooth + 1, own + 3}
    assert dict((number, text) for number, text, _ in found.lines)[smooth + 1] == "return x * a + np.exp(-a)"
    assert f"{own + 3:>6}" in str(found) and "digits" in str(found)
    assert sg.error_estimate(stepped, 0.0, 0).bound == 0.0 and str(sg.error_estimate(stepped, 0.0, 0))


def test_what_depends_on_no_input_counts() -> None:
    def constant(n):
        return error_programs.weights(n) * 1.0

    found = sg.error_estimate(constant, 30)
    exact = sum(np.longdouble(1) / k for k in range(1, 30))
    assert 0.0 < abs(float(np.longdouble(found.value) - exact)) <= found.bound
    assert sg.error_estimate(lambda: math.sin(0.1) * 3.0).bound >= 2.0 * U * 0.29


def test_inputs_that_are_rounded() -> None:
    def f(x, y):
        return x[0] * y

    x = np.array([3.0, 1.0])
    exact, of_x, of_both = (sg.error_estimate(f, x, 5.0, inputs=inputs).bound for inputs in (None, "x", ("x", 1)))
    assert exact == 15.0 * U and of_x == pytest.approx(30.0 * U) and of_both == pytest.approx(45.0 * U)


def test_single_precision() -> None:
    def f(x):
        return np.sum(np.exp(x) * 0.1) / np.float32(3.0)

    x = np.random.default_rng(0).normal(size=100).astype(np.float32)
    found = sg.error_estimate(f, x)
    error = abs(float(found.value) - float(np.sum(np.exp(x.astype(float)) * 0.1) / 3.0))
    assert error <= found.bound < 1e-4 and found.bound > 1e-7
    assert sg.error_estimate(lambda x: x[0] * 0.5, x).bound == 0.0
    narrow = sg.error_estimate(lambda x: x.astype(np.float32)[0] * 1, np.array([0.1]))
    assert abs(float(narrow.value) - 0.1) <= narrow.bound <= 0.1 * 2.0 ** -23


def test_a_number_of_python_is_rounded_to_the_dtype() -> None:
    x = np.array([3.0], np.float32)
    found = sg.error_estimate(lambda x: np.sum(x + 0.1), x)
    assert abs(float(found.value) - 3.1) <= found.bound
    assert sg.error_estimate(lambda x: np.sum(x + 0.25), x).bound < found.bound


@pytest.mark.parametrize("shape", [(1,), (0,), (1, 1), (3, 0)])
def test_shapes(shape) -> None:
    found = sg.error_estimate(lambda x: np.sum(x * x) + np.sum(np.mean(np.exp(x).reshape(-1, 1), axis=1)), np.ones(shape))
    assert np.isfinite(found.bound) and (found.bound > 0.0) == (0 not in shape)


def test_complex_numbers() -> None:
    def f(z):
        return np.abs(np.sum(z * z * (1.0 + 0.3j))) ** 2

    z = np.array([0.3 + 0.2j, -1.1 + 0.7j])
    found = sg.error_estimate(f, z)
    assert abs(float(np.longdouble(found.value) - f(z.astype(np.clongdouble)))) <= found.bound < 1e-13


A = np.random.default_rng(5).normal(size=(6, 6)) + 4.0 * np.eye(6)


def with_a_global(b):
    return np.sum(np.linalg.solve(A, b))


def with_a_literal(b):
    return np.sum(np.linalg.solve(np.array([[4.0, 1.0], [1.0, 3.0]]), b))


def test_constant_matrices_are_off_too() -> None:
    b = np.random.default_rng(6).normal(size=6)
    given = sg.error_estimate(lambda A, b: np.sum(np.linalg.solve(A, b)), A, b)
    assert sg.error_estimate(with_a_global, b).bound == pytest.approx(given.bound, rel=1e-6)
    literal = sg.error_estimate(lambda A, b: np.sum(np.linalg.solve(A, b)), np.array([[4.0, 1.0], [1.0, 3.0]]), b[:2])
    assert sg.error_estimate(with_a_literal, b[:2]).bound == pytest.approx(literal.bound, rel=1e-6)


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def of(self, x):
        return x * self.factor / 3.0


def test_objects_and_containers() -> None:
    def f(scaled, table):
        return scaled.of(table["x"]) + table["y"][1]

    assert sg.error_estimate(f, Scaled(3.0), {"x": 2.0, "y": [1.0, 5.0]}).bound == pytest.approx((6.0 + 2.0 + 7.0) * U)
    assert sg.error_estimate(Scaled(3.0).of, 2.0).bound == pytest.approx((2.0 + 2.0) * U)


def test_missing_numbers_that_nobody_reads() -> None:
    found = sg.error_estimate(lambda x: np.sum(np.where(np.isnan(x), 0.0, x * x)), np.array([1.0, np.nan, 3.0]))
    assert 0.0 < found.bound < 1e-14


def test_the_same_array_twice_and_repeated_indices() -> None:
    x = np.array([0.1, 0.7])
    found = sg.error_estimate(lambda x, y: np.sum(x[[0, 0, 1]] * y[[1, 0, 0]]), x, x)
    exact = sum(np.longdouble(x[i]) * np.longdouble(x[j]) for i, j in ((0, 1), (0, 0), (1, 0)))
    assert abs(float(np.longdouble(found.value) - exact)) <= found.bound


def test_nothing_is_noted_outside() -> None:
    before = sg.error_estimate(stepped, 1.0, 3)
    sg.grad(stepped)(1.0, 3)
    assert sg.error_estimate(stepped, 1.0, 3) == before and "rounded" not in sg.grad(stepped).source


def test_what_is_refused() -> None:
    table = [np.sin, np.cos]
    with pytest.raises(UnsupportedError, match="target is not known"):
        sg.error_estimate(lambda x, k: table[k](x), 1.0, 1)
    with pytest.raises(OutputError):
        sg.error_estimate(lambda x: (x, x), 1.0)
    with pytest.raises(InputError, match="no parameter"):
        sg.error_estimate(stepped, 1.0, 2, inputs="z")
    with pytest.raises(InputError, match="missing"):
        sg.error_estimate(stepped, 1.0)


def test_command(tmp_path, capsys) -> None:
    file = tmp_path / "model.py"
    file.write_text("def root(b, c):\n    d = b * b - 4.0 * c\n    return d ** 0.5 - b\n")
    assert main(["show", f"{file}:root", "--rounding", "--at", "b=1e4", "--at", "c=1.0"]) == 0
    shown = capsys.readouterr().out
    assert "7.8 digits" in shown and "3   2.2e-12   67 %  return d ** 0.5 - b" in shown
    assert main(["show", f"{file}:root", "--rounding", "--at", "b=1e4"]) == 2
    assert '--at "c=..."' in capsys.readouterr().err
    assert main(["show", f"{file}:root", "--rounding", "--at", "b=1e4", "--at", "c=1.0", "--inputs", "b"]) == 0
    assert "def root(b, c):" in capsys.readouterr().out
