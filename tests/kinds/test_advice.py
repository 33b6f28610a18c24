"""Advice works when it is followed: what a refusal tells to write instead is written, accepted, and has the right gradient.

Each case: what the advice says, the program that is refused, `---`, and the program that follows the advice. Both define f(x).
"""
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from sourcegrad.errors import InternalError, SourcegradError
from tests.errors.modules import load

POINT = np.array([0.7, 1.3, 0.4, 2.1])
CASES = """
=== Write the code out
def f(x):
    return np.sum(eval("x * x"))
---
def f(x):
    return np.sum(x * x)
=== Write z / np.abs(z)
def f(x):
    z = x + 1j * x ** 2
    return np.sum(np.real(np.sign(z)))
---
def f(x):
    z = x + 1j * x ** 2
    return np.sum(np.real(z / np.abs(z)))
=== or pass it as an argument
def f(x):
    gs = []
    for i in range(3):
        gs.append(lambda t: t * x[i])
    return gs[0](2.0) + gs[1](1.0)
---
def f(x):
    gs = []
    for i in range(3):
        gs.append(lambda t, i=i: t * x[i])
    return gs[0](2.0) + gs[1](1.0)
=== Iterate over a copy: `for ... in list(v)`
def f(x):
    v = [x[0], x[1]]
    s = 0.0
    for a in v:
        if len(v) < 6:
            v.append(a * 2.0)
        s = s + a
    return s
---
def f(x):
    v = [x[0], x[1]]
    s = 0.0
    for a in list(v):
        if len(v) < 6:
            v.append(a * 2.0)
        s = s + a
    return s
=== Write the operator: y = y + x
def f(x):
    y = x * 1.0
    import operator
    y = operator.iadd(y, x)
    return np.sum(y * y)
---
def f(x):
    y = x * 1.0
    y = y + x
    return np.sum(y * y)
=== Use full_matrices=False
def f(x):
    return np.sum(np.linalg.svd(x.reshape(2, 2)[:1], full_matrices=True)[2])
---
def f(x):
    return np.sum(np.linalg.svd(x.reshape(2, 2)[:1], full_matrices=False)[2])
=== Give every object its own in `__init__`
class Box:
    shared = []
    def __init__(self, w):
        self.w = w
def f(x):
    b = Box(x)
    b.shared.append(x[0])
    return b.shared[0] * np.sum(b.w)
---
class Box:
    def __init__(self, w):
        self.shared = []
        self.w = w
def f(x):
    b = Box(x)
    b.shared.append(x[0])
    return b.shared[0] * np.sum(b.w)
=== an argument
TOTAL = 0.0
def f(x):
    global TOTAL
    TOTAL = np.sum(x)
    return TOTAL * x[0]
---
def g(x, total):
    return np.sum(x) * x[0] + total
def f(x):
    return g(x, 0.0)
=== Name the class: `except ValueError:`
def f(x):
    y = x * 2.0
    try:
        y = y / float("one")
    except (ValueError if x[0] > 0 else TypeError):
        y = x
    return np.sum(y)
---
def f(x):
    y = x * 2.0
    try:
        y = y / float("one")
    except ValueError:
        y = x
    return np.sum(y)
=== Write super().method(...)
class A:
    def m(self, x):
        return x * 2.0
class B(A):
    def m(self, x):
        s = super()
        return s.m(x) + x
def f(x):
    return np.sum(B().m(x))
---
class A:
    def m(self, x):
        return x * 2.0
class B(A):
    def m(self, x):
        return super().m(x) + x
def f(x):
    return np.sum(B().m(x))
=== Append the values to a list and return it
def f(x):
    yield np.sum(x * x)
---
def f(x):
    values = []
    values.append(np.sum(x * x))
    return values[0]
=== Keep the number itself
def f(x):
    return float(f"{x[0] * 2.0:.6f}") * x[1]
---
def f(x):
    kept = x[0] * 2.0
    return kept * x[1]
=== Use a boolean mask
def f(x):
    m = np.ma.masked_array(x, x > 1.0)
    return m.sum()
---
def f(x):
    mask = x > 1.0
    return x[~mask].sum()
=== x[rng.permutation(len(x))]
def f(x):
    rng = np.random.default_rng(3)
    return np.sum(rng.permuted(x) * np.arange(4.0))
---
def f(x):
    rng = np.random.default_rng(3)
    return np.sum(x[rng.permutation(len(x))] * np.arange(4.0))
=== order='C'
def f(x):
    c = x.reshape(2, 2)[None] * np.ones((2, 2, 2))
    return np.sum(np.ravel(np.ones((2, 2, 2)), order="K") * np.ravel(np.transpose(c, (2, 0, 1)), order="K"))
---
def f(x):
    c = x.reshape(2, 2)[None] * np.ones((2, 2, 2))
    return np.sum(np.ravel(np.ones((2, 2, 2)), order="C") * np.ravel(np.transpose(c, (2, 0, 1)), order="C"))
=== Set __array_ufunc__ = None in the class
class Vec:
    def __init__(self, v):
        self.v = v
    def __rmul__(self, other):
        return np.sum(other * self.v)
def f(x):
    return x * Vec(x)
---
class Vec:
    __array_ufunc__ = None
    def __init__(self, v):
        self.v = v
    def __rmul__(self, other):
        return np.sum(other * self.v)
def f(x):
    return x * Vec(x)
=== Wrap it in one
f = np.sum
---
def f(x):
    return np.sum(x)
=== Use it inside zip
import itertools
def f(x):
    c = itertools.count()
    s = 0.0
    for pair in [zip(c, x)]:
        for i, v in pair:
            s = s + i * v
    return s
---
import itertools
def f(x):
    s = 0.0
    for i, v in zip(itertools.count(), x):
        s = s + i * v
    return s
=== Return the value; or, if arguments change in place, name them
def f(x):
    np.sum(x)
---
def f(x):
    return np.sum(x)
=== Pass grad_outputs with one array per output, or return a scalar
def f(x):
    return np.sum(x), x
---
def f(x):
    return np.sum(x) + x[0]
=== Pass grad_outputs=..., or return a real number such as abs(value) ** 2
def f(x):
    return np.sum(x * 1j + x)
---
def f(x):
    return abs(np.sum(x * 1j + x)) ** 2
=== at module level
def f(x):
    class Inner:
        w = 2.0
    return np.sum(x * Inner.w)
---
class Inner:
    w = 2.0
def f(x):
    return np.sum(x * Inner.w)
=== Give it a number of values to make
def count():
    i = 0
    while True:
        yield i
        i += 1
def f(x):
    s = 0.0
    values = [v for v, _ in zip(count(), x)]
    for i in list(count()):
        s = s + i * x[0]
    return s
---
def count(n):
    i = 0
    while i < n:
        yield i
        i += 1
def f(x):
    s = 0.0
    for i in list(count(4)):
        s = s + i * x[0]
    return s
=== values of the same kind at every level
def up(x, k):
    if k == 0:
        return x
    return up([x, x], k - 1)[0] if k > 1 else up(x, k - 1)
def f(x):
    return np.sum(up(x, 3))
---
def up(x, k):
    if k == 0:
        return x
    return up(x * 1.5, k - 1)
def f(x):
    return np.sum(up(x, 3))
=== or make a new array
def f(x):
    y = x * 2.0
    del y[0]
    return np.sum(y)
---
def f(x):
    y = x * 2.0
    return np.sum(y[1:])
=== Use a constant name, or keep the values in a dict
class Box:
    def __init__(self, w):
        self.a = w
def f(x):
    b = Box(x)
    for name in ("p", "q"):
        setattr(b, name + str(int(x[0])), x)
    return np.sum(b.a)
---
class Box:
    def __init__(self, w):
        self.a = w
def f(x):
    b = Box(x)
    held = {}
    for name in ("p", "q"):
        held[name] = x
    return np.sum(b.a) + np.sum(held["p"])
=== Loop over a name and store it in the body
def f(x):
    d = {}
    for d["a"], d["b"] in [(x, x * 2.0)]:
        pass
    return np.sum(d["b"])
---
def f(x):
    d = {}
    for a, b in [(x, x * 2.0)]:
        d["a"], d["b"] = a, b
    return np.sum(d["b"])
"""
FOUND = [case.groups() for case in re.finditer(r"=== (.*)\n((?:(?!===|---).*\n)*)---\n((?:(?!===).*\n)*)", CASES)]
if np.sign(1j) != 1j:                      # NumPy 1 gives the sign of the real part
    FOUND = [case for case in FOUND if "np.sign(z)" not in case[1]]


def right(f: Any) -> bool:
    h = 1e-6
    wanted = [(f(POINT + h * e) - f(POINT - h * e)) / (2.0 * h) for e in np.eye(4)]
    return np.allclose(sg.grad(f)(POINT), wanted, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("advice, refused, followed", FOUND, ids=[advice for advice, *_ in FOUND])
def test_advice_is_right(tmp_path: Path, advice: str, refused: str, followed: str) -> None:
    assert right(load(tmp_path, "import numpy as np\n" + followed).f)
    f = load(tmp_path, "import numpy as np\n" + refused).f
    with pytest.raises(SourcegradError) as found:
        sg.grad(f)(POINT)
    assert not isinstance(found.value, InternalError)
    assert advice in found.value.remedy


PASSED_ON = """
def f(x):
    a, b = x * 1.0, x * 2.0
    v, w = [x], [x * 3.0]
    for i in range(3):
        a, b = b, a
        v, w = w, v
        a[0] = b[1]
        v[0] = w[0] * 2.0
    return np.sum(a) + np.sum(v[0])
"""


def test_what_a_loop_passes_on_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sourcegrad.memory import functionalize as flow

    monkeypatch.setattr(flow, "GUARDED", -1)                # how much sharing is followed
    monkeypatch.setattr(linking.OPTIONS, "places", "off")   # (lists and dicts are told apart by their identity then)
    with pytest.raises(SourcegradError) as found:
        sg.grad(load(tmp_path, "import numpy as np\n" + PASSED_ON).f)(POINT)
    assert "a.copy()" in found.value.remedy and "list(v)" in found.value.remedy
