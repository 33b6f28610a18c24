"""rounding: reverse mode that notes the error of each operation beside the adjoint of its result."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg

U = 2.0 ** -53
X = np.array([0.3, 0.7, 1.1])


def product(x):
    return x[0] * x[1]


def twice_rounded(x):
    y = x[0] * x[1]
    return y * x[2]


def exact(x):
    y = -x
    return 2.0 * y[0]


def in_turns(x, n):
    y = x[0]
    for _ in range(n):
        y = y * x[1]
    return y


def by_a_callee(x):
    return product(x) * x[2]


def on_the_path_that_is_taken(x):
    return x[0] * x[1] if x[2] > 0.0 else np.exp(x[0]) * x[1] * x[2]


def test_one_rounding_is_the_result_times_the_unit_roundoff() -> None:
    assert sg.error_estimate(product, X).bound == pytest.approx(product(X) * U)
    assert sg.error_estimate(on_the_path_that_is_taken, X).bound == pytest.approx(product(X) * U)


def test_roundings_add_up_by_their_adjoints() -> None:
    for f in (twice_rounded, by_a_callee):
        assert sg.error_estimate(f, X).bound == pytest.approx(2.0 * twice_rounded(X) * U)


def test_what_is_exact_is_not_noted() -> None:
    assert sg.error_estimate(exact, X).bound == 0.0


def test_each_turn_counts() -> None:
    for n in (0, 1, 4):
        assert sg.error_estimate(in_turns, X, n).bound == pytest.approx(n * in_turns(X, n) * U)
