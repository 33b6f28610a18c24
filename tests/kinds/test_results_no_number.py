"""Functions that return what is no number (text, bytes, sets, functions ...): refused with a place, as None is."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.kinds.outcomes import module

HEAD = """import collections, datetime, enum, functools, math

class Color(enum.Enum):
    RED = 1.0

class Thing:
    pass

TEXT, THING = "text", Thing()

"""
RESULTS = """'text'
TEXT
f'{x}'
str(x)
repr(x)
'x' * 3
'a' if x > 0 else 'b'
b'text'
bytearray(b'text')
memoryview(b'text')
{1}
{x}
set()
frozenset([1.0])
None
...
NotImplemented
range(3)
slice(1)
lambda: 1
lambda v: v * x
math.sin
np.sin
np
sg.grad
Thing
THING
type(x)
Color.RED
ValueError('text')
object()
iter([x])
(v for v in [x])
map(abs, [x])
zip([x], [x])
functools.partial(abs, x)
np.array('text')
np.array(['a', 'b'])
np.dtype(float)
np.str_('text')
['text']
('text', 'other')
{'a': 'text'}
[]
()
{}
{'a': None}
[{1}]
[lambda: x]
print
Thing()
collections.OrderedDict()""".splitlines()
FORMS = {"return": "def f(x):\n    return {}\n",
         "name": "def f(x):\n    y = {}\n    return y\n",
         "helper": "def g(x):\n    return {}\n\ndef f(x):\n    return g(x)\n",
         "branch": "def f(x):\n    if x > 9.0:\n        return x * x\n    return {}\n"}
USES: dict[str, Callable] = {"grad": lambda f: sg.grad(f)(2.0), "value_and_grad": lambda f: sg.value_and_grad(f)(2.0)}
OTHERS: dict[str, Callable] = {
    "grad of grad": lambda f: sg.grad(sg.grad(f))(2.0), "vjp": lambda f: sg.vjp(f, 2.0)[1](1.0),
    "jacobian": lambda f: sg.jacobian(f)(2.0),
    "hessian": lambda f: sg.hessian(f)(2.0), "jvp": lambda f: sg.jvp(f, 2.0, 1.0), "hvp": lambda f: sg.hvp(f)(2.0, 1.0),
    "of an array": lambda f: sg.grad(f)(np.array(2.0)), "check_grad": lambda f: sg.check_grad(f, 2.0)}


def refused(use: Callable, f: Callable) -> None:
    try:
        result = use(f)
    except SourcegradError as problem:
        assert problem.origin is not None and type(problem).__name__ != "InternalError", str(problem)
    else:
        raise AssertionError(f"gives {result!r}")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("result", RESULTS)
def test_refused(result: str, form: str) -> None:
    f = module(HEAD + FORMS[form].format(result))["f"]
    refused(list(USES.values())[len(form) % 2], f)


@pytest.mark.parametrize("use", OTHERS)
def test_by_all_functions(use: str) -> None:
    for result in [result for result in RESULTS if result[0] not in "[({"][::5]:
        refused(OTHERS[use], module(HEAD + FORMS["return"].format(result))["f"])


@pytest.mark.xfail(strict=True)                             # (calls that are not known are not run for a trial)
@pytest.mark.parametrize("result", ["datetime.date(2020, 1, 1)", "datetime.timedelta(1)", "np.array([None])"])
def test_not_refused_yet(result: str) -> None:
    refused(USES["grad"], module(HEAD + FORMS["return"].format(result))["f"])
