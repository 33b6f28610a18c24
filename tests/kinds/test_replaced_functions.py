"""Functions of NumPy, math, operator and Python that others replace at run time, as unittest.mock does: right or refused, never the
derivative of the old one; and when they are restored, all is as it was."""
from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.kinds.outcomes import differences, module

special = pytest.importorskip("scipy.special")
OWNERS = {"np": np, "linalg": np.linalg, "fft": np.fft, "math": math, "operator": operator, "builtins": builtins, "sp": special}
PROGRAMS = """
np.sum: np.sum(x ** 2)
np.sum: np.sum(x * np.sin(x)) * 2.0
np.sum: inner(x) * 3.0
np.prod: np.prod(x)
np.mean: np.mean(x ** 2)
np.max: np.max(x)
np.min: np.min(x) * 2.0
np.var: np.var(x)
np.std: np.std(x)
np.dot: np.dot(x, x)
np.exp: np.exp(x)[0]
np.exp: (lambda v: np.exp(v))(x)[1]
np.sin: np.sin(x[0])
np.cos: np.cos(x)[2]
np.tanh: np.tanh(x)[1]
np.sqrt: np.sqrt(x * x + 1.0)[0]
np.log: np.log(x * x + 1.0)[0]
np.abs: np.abs(x)[1]
np.maximum: np.maximum(x, 0.1)[0]
np.where: np.where(x > 0, x, 0.5 * x)[0]
np.clip: np.clip(x, -1.0, 1.0)[0]
np.cumsum: np.cumsum(x)[2]
np.outer: np.outer(x, x)[0, 1]
np.multiply: np.multiply(x, x)[1]
np.add: np.add(x, x)[1]
np.einsum: np.einsum("i,i->", x, x)
np.stack: np.stack([x, x])[1, 2]
np.concatenate: np.concatenate([x, x])[4]
np.linspace: np.linspace(x[0], x[1], 3)[1]
np.square: np.square(x)[2]
linalg.norm: np.linalg.norm(x)
linalg.solve: np.linalg.solve(np.eye(3) * 2.0, x)[0]
linalg.det: np.linalg.det(np.outer(x, x) + np.eye(3))
fft.fft: np.fft.fft(x)[1].real
math.sin: math.sin(x[0])
math.exp: math.exp(x[1])
math.sqrt: math.sqrt(x[2])
math.hypot: math.hypot(x[0], x[1])
operator.mul: operator.mul(x[0], x[1])
operator.add: operator.add(x[0], x[1])
operator.neg: operator.neg(x[0])
builtins.abs: abs(x[1])
builtins.pow: pow(x[0], 2.0)
builtins.max: max(x[0], x[1])
builtins.min: min(x[0], x[1])
builtins.sum: sum([x[0], x[1]])
sp.expit: sp.expit(x)[0]
sp.erf: sp.erf(x)[1]
sp.log_expit: sp.log_expit(x)[0]
sp.xlogy: sp.xlogy(2.0, x)[2]
""".strip().splitlines()
HEAD = "import math, operator\nimport scipy.special as sp\n\ndef inner(x):\n    return np.sum(x * x)\n\n"
X = np.array([0.5, -0.3, 1.2])


def by_lambda(old: Callable) -> Callable:
    return lambda *args, **options: tripled(old(*args, **options))


def by_function(old: Callable) -> Callable:
    def new(*args, **options):
        return tripled(old(*args, **options))
    return new


def by_mock(old: Callable) -> Callable:
    return mock.MagicMock(side_effect=by_function(old))


def tripled(value: Any) -> Any:
    """Three times what is a number of the program: others ask, too."""
    return value * 3.0 if isinstance(value, (float, np.ndarray)) and np.asarray(value).dtype.kind in "fc" else value


def result(gradient: Callable) -> Any:
    """What a gradient gives, or how it is refused."""
    try:
        return gradient(X.copy())
    except SourcegradError as problem:
        assert problem.origin is not None and type(problem).__name__ != "InternalError", str(problem)
        return None


WAYS = {"lambda": by_lambda, "function": by_function, "mock": by_mock}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("line", PROGRAMS)
def test_replaced(line: str, way: str) -> None:
    path, _, expression = line.partition(": ")
    owner, name = path.split(".")
    text = HEAD + f"def f(x):\n    return {expression}\n"
    f, fresh = module(text)["f"], module(text)["f"]
    value, slope = f(X), differences(f, (X,))
    early, late = sg.value_and_grad(f), sg.value_and_grad(fresh)

    def check(found: Any, factor: float, what: str) -> None:
        if found is not None:
            np.testing.assert_allclose(found[0], factor * value, rtol=1e-9, err_msg=f"value {what}")
            np.testing.assert_allclose(found[1], factor * slope, rtol=1e-5, atol=1e-6, err_msg=f"gradient {what}")

    first = result(early)
    assert first is not None
    check(first, 1.0, "before")
    new = WAYS[way](getattr(OWNERS[owner], name))
    with mock.patch.object(OWNERS[owner], name, new):
        between, begun = result(early), result(late)
    check(between, 3.0, "when it is replaced between two calls")
    check(begun, 3.0, "when it is replaced before the first")
    for gradient in (early, late):
        again = result(gradient)
        assert again is not None, "restored, and refused"
        check(again, 1.0, "when it is restored")
    with mock.patch.object(OWNERS[owner], name, new):
        between = result(early)
    check(between, 3.0, "when it is replaced again")


def test_names_that_were_imported() -> None:
    """A global of the user's that held a function of NumPy holds another one: as any global that changes."""
    names = module("from numpy import sum as total\n\ndef f(x):\n    return total(x ** 2)\n")
    gradient = sg.value_and_grad(names["f"])
    for name in ("sum", "prod", "max", "sum", "mean"):
        names["total"] = getattr(np, name)
        found = result(gradient)
        assert found is not None
        np.testing.assert_allclose(found[0], names["f"](X))
        np.testing.assert_allclose(found[1], differences(names["f"], (X,)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("path", ["np.median", "np.sort", "math.tan", "operator.sub", "linalg.inv", "np.sum"])
def test_what_the_program_does_not_ask(path: str) -> None:
    """Methods and operators are not what is replaced: right, or refused."""
    owner, name = path.split(".")
    f = module("def f(x):\n    return (x * x).sum() * x.max()\n")["f"]
    gradient, slope = sg.value_and_grad(f), differences(f, (X,))
    with mock.patch.object(OWNERS[owner], name, by_lambda(getattr(OWNERS[owner], name))):
        found = result(gradient), result(gradient)
    for one in (*found, result(gradient)):
        assert one is None or np.allclose(one[1], slope, rtol=1e-5, atol=1e-6)
    assert result(gradient) is not None


def test_what_a_rule_asks() -> None:
    """The derivative of log_expit is computed by expit: that of another one is none."""
    gradient = sg.grad(lambda x: np.sum(special.log_expit(x)))
    right = result(gradient)
    with mock.patch.object(special, "expit", by_lambda(special.expit)):
        found = result(gradient)
    assert found is None or np.allclose(found, right)
    assert np.allclose(result(gradient), right)
