"""types: the kinds of all names of a function, from those of its arguments; a fixpoint where paths meet."""
import numpy as np
import pytest

from tests.passes.facts import spelled, types_of

X = np.array([[0.5, -1.5, 1.0], [2.0, 1.0, 0.5]])


def arithmetic(x, n):
    y = x * 2
    z = y + x[0]
    total = np.sum(z, axis=0)
    whole = n * 2 + 1
    quotient = n / 2
    mask = x > 0.5
    return total


def branches(x, flag):
    if flag > 0:
        y = 1
        z = x
        w = 1
    else:
        y = 2.0
        z = x[0]
        w = "text"
    return z


def loop(x, n):
    total = 0
    y = x
    for k in range(n):
        total = total + 0.5
        y = y[1:]
    return total


def containers(x, n):
    pair = x, n
    first = pair[0]
    values = [1.0, 2]
    table = {"a": x, "b": 2.0}
    item = table["b"]
    empty = []
    return first


def decided(x, n):
    three = 1 + 2
    two_axes = x.ndim == 2
    name = "a" + "b"
    return three


def single(x, n):
    y = x.astype(np.float32)
    z = y * 2.0
    w = y + x
    c = x + 1j
    return w


EXPECTED = {
    arithmetic: {"y": "float64[x.0,x.1]", "z": "float64[x.0,x.1]", "total": "float64[x.1]", "whole": "pyint", "quotient": "pyfloat",
                 "mask": "bool[x.0,x.1]"},
    branches: {"y": "any", "z": "float64[...]", "w": "Discrete()"},        # what may be one or the other is no more than both
    loop: {"total": "any", "y": "float64[?,x.1]", "k": "pyint"},        # the loop may have no trip, and shortens in each
    containers: {"pair": "(float64[x.0,x.1], pyint)", "first": "float64[x.0,x.1]", "values": "[any]",
                 "table": "{a: float64[x.0,x.1], b: 2.0}", "item": "2.0", "empty": "[None]"},
    decided: {"three": "3", "two_axes": "True", "name": "str()"},
    single: {"y": "float32[x.0,x.1]", "z": "float32[x.0,x.1]", "w": "float64[x.0,x.1]", "c": "complex128[x.0,x.1]"},
}


@pytest.mark.parametrize("function, expected", EXPECTED.items(), ids=lambda f: getattr(f, "__name__", ""))
def test_kinds(function, expected) -> None:
    facts = types_of(function, x=X, **{"flag" if function is branches else "n": 2})
    found = {name: spelled(kind) for name, kind in facts.kinds.items() if name not in facts.unit.parameters}
    assert found == expected


def grown(x, n):
    values = []
    for k in range(n):
        values.append(x)
    return values


def recursive(x, n):
    y = x
    for k in range(n):
        z = y
        y = (z, x)
    return y


def test_a_fixpoint_over_loops() -> None:
    assert spelled(types_of(grown, x=X, n=2).kinds["values"]) == "[float64[x.0,x.1]]"
    assert spelled(types_of(recursive, x=X, n=2).kinds["y"]) == "unknown"           # it would have no end


def test_the_kind_of_the_result() -> None:
    assert spelled(types_of(arithmetic, x=X, n=2).result) == "float64[x.1]"
