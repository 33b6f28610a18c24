"""What reductions of nothing raise (or warn of) is what the function's own `try` gets."""
from __future__ import annotations

import copy
import warnings

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.kinds.outcomes import module, outcomes

REDUCTIONS = """
functools.reduce(operator.mul, p)
functools.reduce(lambda a, b: a * b, p)
functools.reduce(operator.add, list(p))
min(p)
max(p)
max(list(p), key=abs)
min(p, key=lambda v: -v)
max([v * v for v in p])
max(v * v for v in p)
min(p, default=x[1]) * x[0]
sum(p) + x[0]
math.prod(p) * x[0]
math.fsum(p) * x[0]
np.min(p)
np.max(p)
np.amax(p)
p.max()
p.min()
p.max(initial=0.25) * x[0]
x[np.argmax(p)]
x[np.argmin(p)]
x[p.argmax()]
np.ptp(p)
np.nanmax(p)
np.maximum.reduce(p)
np.minimum.reduce(p)
np.add.reduce(p) + x[0]
np.multiply.reduce(p) * x[0]
np.prod(p) * x[0]
np.mean(p)
p.mean()
np.mean(p * p)
np.var(p)
p.var()
np.std(p)
np.median(p)
np.nanmean(p)
np.average(p)
np.average(p, weights=p)
np.quantile(p, 0.5)
np.percentile(p, 50)
np.sum(p) / len(p)
sum(p) / len(p)
np.sum(p) / p.size
statistics.mean(p)
statistics.fmean(p)
statistics.median(list(p))
np.linalg.norm(p) + x[0]
np.linalg.norm(p, np.inf)
np.concatenate([v[None] for v in p])[0]
np.stack(list(p))[0]
np.vstack(list(p))[0, 0]
np.sum(np.diff(p)) + x[0]
sorted(p)[0]
list(p).pop()
collections.deque(p).popleft()
p[0]
p[-1]
next(iter(p))
next(v for v in p if v > 0.0)
list(itertools.accumulate(p))[-1]
dict(enumerate(p))[0]
dict(enumerate(p)).popitem()[1]
(lambda a, *b: a)(*p)
[a for a, *_ in [list(p)]][0]
np.max(p.reshape(-1, 1), axis=0)[0]
np.max(p.reshape(1, -1), axis=1)[0]
np.mean(p.reshape(1, -1), axis=1)[0]
np.sum(p.reshape(-1, 1), axis=0)[0] + x[0]
""".strip().splitlines()
HEAD = "import collections, functools, itertools, math, operator, statistics\n\n"
HANDLED = """def f(x, k):
    p = x[:k]
    try:
        return {}
    except {}:
        return x[0] * 2.0
"""
BARE = "def f(x, k):\n    p = x[:k]\n    return {}\n"
X = np.array([0.5, 1.5, 2.0])
OPEN = {  # a number of NumPy divided by zero is nan, and its adjoint a Python float; missing arguments are a TypeError
    "np.sum(p) / len(p)", "np.sum(p) / p.size", "(lambda a, *b: a)(*p)"}


def marked(lines: list[str], fail: set[str]) -> list:
    return [pytest.param(line, marks=pytest.mark.xfail(strict=True)) if line in fail else line for line in lines]


def right_exception(expression: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module(HEAD + BARE.format(expression))["f"](X, 0)
    except Exception as problem:
        kind = type(problem)
        return "statistics.StatisticsError" if kind.__module__ == "statistics" else kind.__name__
    return "RuntimeWarning"


@pytest.mark.parametrize("expression", marked(REDUCTIONS, OPEN))
def test_handled_by_name(expression: str) -> None:
    f = module(HEAD + HANDLED.format(expression, right_exception(expression)))["f"]
    for calls in ((3, 3, 0, 1), (0, 2)):
        outcomes(f, [(X, k) for k in calls])


@pytest.mark.parametrize("expression", REDUCTIONS[::2])
def test_handled_by_any(expression: str) -> None:
    outcomes(module(HEAD + HANDLED.format(expression, "Exception"))["f"], [(X, k) for k in (0, 3, 0)])


@pytest.mark.parametrize("expression", marked(REDUCTIONS[1::2], {"np.sum(p) / len(p)", "np.sum(p) / p.size"}))
def test_not_handled(expression: str) -> None:
    """Another exception is expected, and none: what Python raises gets out."""
    outcomes(module(HEAD + HANDLED.format(expression, "OSError"))["f"], [(X, k) for k in (3, 0)])
    outcomes(module(HEAD + BARE.format(expression))["f"], [(X, k) for k in (2, 0)])


WARNED = [line for line in REDUCTIONS if right_exception(line) == "RuntimeWarning" and any(
    word in line for word in ("mean", "var", "std", "median(p)", "average(p)", "/ p.size", "/ len"))]


@pytest.mark.parametrize("expression", marked(WARNED, OPEN))
def test_warnings(expression: str) -> None:
    """The same warnings, once; and where they are errors, the same error, or one that the function handles."""
    f = module(HEAD + BARE.format(expression))["f"]
    told = []
    for function in (f, sg.value_and_grad(f, inputs="x")):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                function(X.copy(), 0)
            except SourcegradError as problem:
                assert problem.origin is not None
                return
        told.append({str(warning.message) for warning in seen})
    assert told[0] <= told[1], told
    for text in (BARE.format(expression), HANDLED.format(expression, "RuntimeWarning")):
        f = module(HEAD + text)["f"]
        found = []
        for function in (lambda x, k: f(x, k), sg.value_and_grad(f, inputs="x")):
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                try:
                    found.append(function(copy.copy(X), 0))
                except SourcegradError as problem:
                    assert problem.origin is not None, str(problem)
                    break
                except RuntimeWarning as problem:
                    found.append(type(problem))
        else:
            want, got = found[0], found[1] if isinstance(found[1], type) else found[1][0]
            assert want is got or np.isclose(want, got), found


@pytest.mark.parametrize("reduce", ["np.mean", "np.var", "np.std", "np.sum", "np.prod", "np.linalg.norm", "np.median"])
def test_empty_input(reduce: str) -> None:
    f = module(f"def f(x):\n    return {reduce}(x ** 2)\n")["f"]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            value, gradient = sg.value_and_grad(f)(np.zeros(0))
        except SourcegradError as problem:
            assert problem.origin is not None and type(problem).__name__ != "InternalError", str(problem)
            return
        np.testing.assert_allclose(value, f(np.zeros(0)))
    assert gradient.shape == (0,)
