"""Options such as overwrite_x=True: an array that is read after the call may be destroyed by it, which is refused."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import UnsupportedError

linalg = pytest.importorskip("scipy.linalg")
from scipy import fft, signal  # noqa: E402

X = np.array([1.3, 0.7, 0.4])
LOWER = np.tril(np.ones((3, 3))) + np.eye(3)


def transformed(a):
    b = fft.dct(a, overwrite_x=True)
    return np.sum(b * a)


def without_trend(a):
    a = a * 1.0
    b = signal.detrend(a, overwrite_data=True)
    return np.sum(b * b) + np.sum(a)


def through_a_view(a):
    c = np.stack([a, a * a]).T
    v = c.T
    b = fft.dct(v, overwrite_x=True)
    return np.sum(b) + np.sum(c)


def in_each_round(a):
    c = a * 1.0
    total = 0.0
    for _ in range(2):
        total = total + np.sum(fft.dct(c, overwrite_x=True))
    return total


def solved(a):
    b = a * 2.0
    x = linalg.solve_triangular(LOWER, b, lower=True, overwrite_b=True)
    return np.sum(x) * np.sum(b)


def halved(a):
    b = np.exp(a)
    return np.median(b, overwrite_input=True) + b[0]


def never_read(a):
    b = signal.detrend(a, overwrite_data=True)
    return np.sum(b ** 3)


def read_before(a):
    c = a * 2.0
    total = np.sum(c * c)
    return total + np.sum(fft.dct(c, overwrite_x=True) ** 2)


def new_in_each_round(a):
    total = 0.0
    for k in range(2):
        c = a * k
        total = total + np.sum(fft.dct(c, overwrite_x=True) ** 2)
    return total


def asked_for_nothing(a):
    b = fft.dct(a, overwrite_x=False)
    return np.sum(b * a)


@pytest.mark.parametrize("function", [transformed, without_trend, through_a_view, in_each_round, solved, halved])
def test_read_later(function) -> None:
    with pytest.raises(UnsupportedError, match="which may destroy an array that is read later") as caught:
        sg.grad(function)(X)
    assert "test_overwritten.py:" in str(caught.value) and "Leave overwrite_" in str(caught.value)


@pytest.mark.parametrize("function", [never_read, read_before, new_in_each_round, asked_for_nothing])
def test_not_read_later(function) -> None:
    sg.check_grad(function, X, order=2)
