"""python_types: kinds of what Python's own functions give."""
import numpy as np
import pytest

from sourcegrad import kinds as k
from sourcegrad.analysis.python_types import python_type, python_types
from tests.passes.facts import spelled, types_of

X = np.array([[0.5, -1.5, 2.0], [1.0, 2.0, 3.0]])


def found(x, s, n):
    length = len(x)
    of_pair = len((x, s))
    whole = int(s)
    real = float(n)
    absolute = abs(s)
    rounded = round(s)
    digits = round(s, 2)
    total = sum([s, 2.0])
    largest = max(s, 1.0)
    power = pow(s, 2)
    listed = list((s, 2.0))
    tuples = tuple([s])
    ordered = sorted([s, 2.0])
    is_array = isinstance(x, np.ndarray)
    is_float = isinstance(s, float)
    is_list = isinstance(x, list)
    has = hasattr(s, "real")
    truth = bool(s)
    text = str(s)
    rest = n % 2
    half = n // 2
    share = n / 2
    constant = 2 * 3
    shape = x.shape
    axes = x.ndim
    return s


EXPECTED = {
    "length": "pyint", "of_pair": "2", "whole": "pyint", "real": "pyfloat", "absolute": "pyfloat", "rounded": "pyint",
    "digits": "pyfloat", "total": "pyfloat", "largest": "pyfloat", "power": "pyfloat", "listed": "[pyfloat]",
    "tuples": "(pyfloat, ...)", "ordered": "[pyfloat]", "is_array": "True", "is_float": "True", "is_list": "False", "has": "True",
    "truth": "pybool", "text": "str()", "rest": "pyint", "half": "pyint", "share": "pyfloat", "constant": "6",
    "shape": "(pyint, pyint)", "axes": "2"}


@pytest.mark.parametrize("name, kind", EXPECTED.items())
def test_kinds(name, kind) -> None:
    assert spelled(types_of(found, x=X, s=0.5, n=3).kinds[name]) == kind


def test_types_that_tests_tell_apart() -> None:
    assert python_type(k.Const(2)) is int and python_type(k.kind_of(X)) is np.ndarray
    assert float in python_types(k.FLOAT) and python_type(k.ANY) is None and python_types(k.ANY) == ()
