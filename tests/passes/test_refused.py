"""refused: what a rule refuses whatever the values are is told with its place, if the derivative needs it."""
import numpy as np
import pytest

import sourcegrad as sg

X = np.array([[0.5, -1.5], [2.0, 1.0]])


def only_tested(x):
    if np.linalg.cond(x, p=1) > 1.0:
        return np.sum(x * x)
    return np.sum(x)


def never_used(x):
    size = np.linalg.cond(x, p=1)
    return np.sum(x * x)


def in_a_loop_without_trips(x):
    total = np.sum(x * x)
    for _ in range(0):
        total = total + np.linalg.cond(x, p=1)
    return total


def packed(x):
    y = 2.0 * x
    return np.sum(np.linalg.qr(y, mode="raw")[0])


def test_the_line_and_what_to_write_instead() -> None:
    with pytest.raises(sg.UnsupportedError) as caught:
        sg.source(packed, at={"x": X})
    assert "np.linalg.qr has no derivative rule for the mode 'raw'" in str(caught.value)
    assert "np.linalg.qr(" in str(caught.value)


@pytest.mark.parametrize("function", [only_tested, never_used, in_a_loop_without_trips])
def test_what_no_derivative_goes_through_is_not_refused(function) -> None:
    assert np.allclose(sg.grad(function)(X), 2.0 * X)


def padded(x, c):
    return np.sum(np.pad(x, 1, constant_values=c) ** 2)


def test_a_refusal_of_one_argument_does_not_concern_the_others() -> None:
    """The rule of np.pad has no contribution for several numbers to pad with."""
    x, c = np.ones(3), np.array([1.0, 2.0])
    sg.check_grad(padded, x, c, inputs="x")
    with pytest.raises(sg.UnsupportedError, match="constant_values of np.pad that depend on an input"):
        sg.source(padded, "c", at={"x": x, "c": c})
