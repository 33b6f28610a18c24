"""Views of arrays that objects hold: what is read through one after the array has changed is what Python reads, or is refused."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from sourcegrad.errors import UnsupportedError
from tests.kinds.places import programs_of
from tests.kinds.test_arrays_in_objects import Box
from tests.kinds.test_held_arrays import X, by_differences


class Tailed(Box):

    def tail(self):
        return self.a[1:]


    def whole(self):
        return self.a


    def keep(self):
        self.inner = self.a[1:]


def attr_view(x):
    o = Box()
    o.inner = o.a[1:]
    o.a[1] = x[0]
    return o.inner[0] * x[1]


def attr_view2(x):
    q = Tailed()
    q.keep()
    q.a[1] = x[0]
    return q.inner[0] * x[1]


def list_view(x):
    o = Box()
    o.h = []
    o.h.append(o.a[1:])
    o.a[1] = x[0]
    return o.h[0][0] * x[1]


def local_list_view(x):
    o = Box()
    h = []
    h.append(o.a[1:])
    o.a[1] = x[0]
    return h[0][0] * x[1]


def display_view(x):
    o = Box()
    h = [o.a[1:], o.b]
    o.a[1] = x[0]
    return h[0][0] * x[1]


def dict_view(x):
    o = Box()
    h = {'k': o.a[1:]}
    o.a[1] = x[0]
    return h['k'][0] * x[1]


def callee_view(x):
    q = Tailed()
    t = q.tail()
    q.a[1] = x[0]
    return t[0] * x[1]


def callee_view2(x):
    q = Tailed()
    t = q.tail()[0:]
    q.a[1] = x[0]
    return np.sum(t) * x[1]


def callee_view_tuple(x):
    q = Tailed()


    def two():
        return (q.tail(), 1.0)
    t, r = two()
    q.a[1] = x[0]
    return t[0] * x[1] * r


def closure_view(x):
    o = Box()
    t = o.a[1:]


    def g():
        return t[0] * x[1]
    o.a[1] = x[0]
    return g()


def passed_view(x):
    o = Box()


    def g(t):
        o.a[1] = x[0]
        return t[0] * x[1]
    return g(o.a[1:])


def passed_view2(x):
    q = Tailed()
    return later(q, q.a[1:], x)


def later(q, t, x):
    q.a[1] = x[0]
    return t[0] * x[1]


def comp_view(x):
    o = Box()
    rows = [r for r in o.M]
    o.M[0, 1] = x[0]
    return rows[0][1] * x[1]


def comp_view2(x):
    o = Box()
    rows = [o.M[i] for i in range(2)]
    o.M[0, 1] = x[0]
    return rows[0][1] * x[1]


def attr_of_other(x):
    o, p = (Box(), Box())
    p.w = o.a[::-1]
    o.a[2] = x[0]
    return np.sum(p.w * np.arange(3.0)) * x[1]


def namedview(x):
    o = Box()
    t = (o.a[1:], 2.0)
    o.a[1] = x[0]
    return t[0][0] * t[1] * x[1]


def reshape_view(x):
    o = Box()
    m = o.M.reshape(6)
    o.M[0, 1] = x[0]
    return m[1] * x[1]


def asarray_view(x):
    o = Box()
    m = np.asarray(o.M)
    o.M[0, 1] = x[0]
    return m[0, 1] * x[1]


def ternary_view(x):
    o = Box()
    m = o.a[1:] if x[0] > 0 else o.b
    o.a[1] = x[0]
    return m[0] * x[1]


def split_view(x):
    o = Box(4)
    u, v = np.split(o.a, 2)
    o.a[1] = x[0]
    return u[1] * x[1]


def attr_split(x):
    o = Box(4)
    o.parts = np.split(o.a, 2)
    o.a[1] = x[0]
    return o.parts[0][1] * x[1]


def iter_zip(x):
    o = Box()
    s = 0.0
    for r, k in zip(o.M, [1.0, 2.0]):
        o.M[1, 1] = x[0]
        s = s + np.sum(r) * k * x[1]
    return s


def ctor_view(x):
    from_ = Box()
    p = Holder(from_.a[1:])
    from_.a[1] = x[0]
    return p.v[0] * x[1]


class Holder:

    def __init__(self, v):
        self.v = v


def ret_view(x):
    o = with_a_view()
    o.a[1] = x[0]
    return o.inner[0] * x[1]


def with_a_view():
    o = Box()
    o.inner = o.a[1:]
    return o


PROGRAMS = programs_of(globals())


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_right_or_refused(f: Any) -> None:
    try:
        found = sg.grad(f)(X)
    except UnsupportedError as error:
        assert error.origin is not None and error.origin.file == __file__
    else:
        assert np.allclose(found, by_differences(f, X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_by_identity(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    try:
        found = sg.grad(f)(X)
    except UnsupportedError as error:
        assert error.origin is not None and error.origin.file == __file__ and f.__name__ in REFUSED
    else:
        assert np.allclose(found, by_differences(f, X), rtol=1e-6, atol=1e-8) and f.__name__ not in REFUSED


REFUSED: set[str] = set()


def test_most_have_their_derivative() -> None:
    right = 0
    for f in PROGRAMS:
        try:
            sg.grad(f)(X)
            right += 1
        except UnsupportedError:
            pass
    assert right >= len(PROGRAMS) - 3
