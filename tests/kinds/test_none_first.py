"""Names that are None at first and numbers later: None is never taken for a number, and the adjoint of a number is plain."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.kinds.places import by_differences

X = np.array([1.0, 2.0, 0.7, 3.0])
W = np.array([0.3, -0.7, 1.1, 0.2])


def best(xs):
    b = None
    for v in xs:
        if b is None or v * v < b:
            b = v * v
    return b


def callee(last, v):
    if last is None:
        return v
    return last * v


def passes(xs):
    last = None
    s = 0.0
    for v in xs:
        s = s + callee(last, v)
        last = v * 2.0
    return s


def inlist(xs):
    last = None
    out = []
    for v in xs:
        out.append(last)
        last = v * v
    return sum((o * 2.0 for o in out if o is not None))


def intuple(xs):
    last = None
    s = 0.0
    for v in xs:
        p = (last, v)
        if p[0] is not None:
            s = s + p[0] * p[1]
        last = v
    return s


class Holder:

    def __init__(self):
        self.l = None


def inattr(xs):
    o = Holder()
    last = None
    s = 0.0
    for v in xs:
        o.l = last
        if o.l is not None:
            s = s + o.l * v
        last = v * v
    return s


def ret(xs, flag=True):
    r = None
    for v in xs:
        if v > 1.5:
            r = v * v
    return r


def tern(xs):
    last = None
    s = 0.0
    for v in xs:
        s = s + (v if last is None else last * v)
        last = v * 3
    return s


def truthy(xs):
    last = None
    s = 0.0
    for v in xs:
        if last:
            s = s + last * v
        last = v - 0.9
    return s


def eq(xs):
    last = None
    s = 0.0
    for v in xs:
        if last != None:  # noqa: E711 (`!=` is what is tested)
            s = s + math.sin(last) * v
        last = v - 1.0
    return s


def aug(xs):
    t = None
    for v in xs:
        if t is None:
            t = v
        else:
            t += v * v
    return t


def arr(xs):
    t = None
    for v in xs:
        if t is None:
            t = v * xs
        else:
            t = t + v * v
    return np.sum(t)


def arrlater(xs):
    t = None
    s = 0.0
    for v in xs:
        if t is not None:
            s = s + np.sum(t * v)
        t = v if s < 5.0 else v * xs
    return s


def two(xs):
    lo = hi = None
    for v in xs:
        lo = v if lo is None else min(lo, v)
        hi = v if hi is None else max(hi, v)
    return hi * lo


def while_(xs):
    prev = None
    x = xs[0]
    while prev is None or abs(x - prev) > 1e-09:
        prev = x
        x = 0.5 * (x + xs[1] / x)
    return x


def inner(xs):
    last = None

    def f(v):
        return v if last is None else last * v
    s = 0.0
    for v in xs:
        s = s + f(v)
        last = v
    return s


def default(xs, w=None):
    if w is None:
        w = xs[0]
    return np.sum(xs * w)


def none_arith(xs):
    last = None
    s = 0.0
    for v in xs:
        try:
            s = s + last * v
        except TypeError:
            s = s + v
        last = v
    return s


def comp(xs):
    last = None
    s = 0.0
    for v in xs:
        if last is not None and v > last:
            s = s + (v - last) ** 2
        last = v
    return s


def orr(xs):
    b = None
    for v in xs:
        b = (b or v) * v
    return b


def kw(xs):
    b = None
    for v in xs:
        b = passed_by_name(v, prev=b)
    return b


def passed_by_name(v, prev=None):
    return v if prev is None else prev * v + v


def lst(xs):
    b = None
    out = []
    for v in xs:
        out.append(v if b is None else b)
        b = v * v
    return np.sum(np.array(out))


def dct(xs):
    d = {'b': None}
    s = 0.0
    for v in xs:
        if d['b'] is not None:
            s = s + d['b'] * v
        d['b'] = v * v
    return s


def nested(xs):
    b = None
    c = None
    for v in xs:
        if b is not None:
            if c is None:
                c = b * v
            else:
                c = c + b * v
        b = v
    return c


def npf(xs):
    b = None
    s = 0.0
    for v in xs:
        if b is not None:
            s = s + np.sin(b) * np.maximum(b, v) + abs(b) + b ** 2 - -b
        b = v
    return s


def two_calls(xs):

    def inner(v):
        b = None
        for k in range(2):
            b = v if b is None else b * v
        return b
    return inner(xs[0]) * inner(xs[1])


def cplx(xs):
    b = None
    s = 0.0
    for v in xs:
        if b is not None:
            s = s + (b * v).real
        b = v * 1j + v
    return s


PROGRAMS = [value for value in list(globals().values()) if getattr(value, "__code__", None) is not None
            and value.__code__.co_varnames[:1] == ("xs",) and value.__module__ == __name__]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f: Any) -> None:
    for x in (X, X * 0.7 + 0.3):
        assert np.allclose(sg.grad(f)(x), by_differences(f, x), atol=1e-6)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative(f: Any) -> None:

    def projected(x: np.ndarray) -> Any:
        return np.sum(sg.grad(f)(x) * W)

    assert np.allclose(sg.grad(projected)(X), by_differences(projected, X), atol=1e-5)


def test_text_is_plain() -> None:
    gradient = sg.grad(best)
    gradient(X)
    for helper in ("operand_part", "unbroadcast", "add_to", "zeros_like", "np.real"):
        assert helper not in gradient.source


def nothing(x):
    r = None
    if x > 100.0:
        r = x * 2.0
    return r


def test_a_result_that_is_none_is_refused() -> None:
    assert sg.grad(nothing)(101.0) == 2.0
    for use in (sg.grad, sg.value_and_grad):
        with pytest.raises(SourcegradError, match="None"):
            use(nothing)(1.0)
