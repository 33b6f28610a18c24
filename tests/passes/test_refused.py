"""refused: what a rule refuses whatever the values are is told with its place, if the derivative needs it."""
import numpy as np
import pytest

import sourcegrad as sg

X = np.array([[0.5, -1.5], [2.0, 1.0]])


def spectral(x):
    y = 2.0 * x
    return np.linalg.matrix_norm(y, ord=2)


def only_tested(x):
    if np.linalg.matrix_norm(x, ord=2) > 1.0:
        return np.sum(x * x)
    return np.sum(x)


def never_used(x):
    size = np.linalg.matrix_norm(x, ord=2)
    return np.sum(x * x)


def in_a_loop_without_trips(x):
    total = np.sum(x * x)
    for _ in range(0):
        total = total + np.linalg.matrix_norm(x, ord=2)
    return total


@pytest.mark.parametrize("function", [spectral, in_a_loop_without_trips])
def test_the_line_and_what_to_write_instead(function) -> None:
    with pytest.raises(sg.UnsupportedError) as caught:
        sg.grad(function)(X)
    assert "matrix_norm has a derivative rule for ord 'fro' and 'nuc' only" in str(caught.value)
    assert "np.linalg.matrix_norm(" in str(caught.value) and "Use np.linalg.norm." in str(caught.value)


@pytest.mark.parametrize("function", [only_tested, never_used])
def test_what_no_derivative_goes_through_is_not_refused(function) -> None:
    assert np.allclose(sg.grad(function)(X), 2.0 * X)
