"""Names, parameters and containers that hold arrays of objects at one time and others at another: each has its derivative."""
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


def pickp(o, q, flag):
    if flag:
        q = o.a
    return np.sum(q ** 2)


def parameter_or_array(x):
    o = Box()
    o.a[0] = x[1]
    o.a *= 2.0
    return pickp(o, x[:3] * 2.0, x[0] > 5) + pickp(o, x[:3] * 3.0, x[0] > 0)


def unpack(x):
    o = Box()
    o.a[0] = 1.0
    q = o.a
    if x[0] > 0:
        q, r = (x * 2.0, 1.0)
    return np.sum(q ** 2)


def doubled_and_one(v):
    return (v * 2.0, 1.0)


def loop_over_both(x):
    o = Box()
    o.a[0] = 1.0
    s = 0.0
    for q in [x * 2.0, o.a]:
        s = s + np.sum(q ** 2)
    return s


def ifexp(x):
    o = Box()
    o.a[0] = 1.0
    return np.sum((o.a if x[0] > 5 else x * 2.0) ** 2)


def ifexp_arg(x):
    o = Box()
    o.a[0] = 1.0
    return pickp(o, o.a if x[0] > 5 else x * 2.0, False)


def default_arg(x):
    o = Box()
    o.a[0] = 1.0


    def g(q=None):
        if q is None:
            q = o.a
        return np.sum(q ** 2)
    return g() + g(x * 2.0)


def returned(o, x, flag):
    if flag:
        return o.a
    return x * 2.0


def two_returns(x):
    o = Box()
    o.a[0] = 1.0
    return np.sum(returned(o, x, x[0] > 5) ** 2) + np.sum(returned(o, x, x[0] > 0))


def attr_other(x):
    o = Box()
    o.a[0] = 1.0
    o.z = x * 2.0
    if x[0] > 5:
        o.z = o.a
    return np.sum(o.z ** 2)


def until_it_is_one(x):
    o = Box()
    o.a[0] = 1.0
    q = x * 2.0
    k = 0
    while k < 2:
        o.a[1] += np.sum(q ** 2)
        k += 1
        q = o.a if k == 2 else q
    return np.sum(q)


def captured_in_turn(x):
    o = Box()
    o.a[0] = 1.0
    q = x * 2.0


    def g():
        return np.sum(q ** 2)
    s = g()
    q = o.a
    return s + g()


def outermost_parameter(x):
    o = Box()
    o.a[0] = 1.0
    s = 0.0
    for i in range(2):
        s = s + np.sum(x ** 2)
        x = o.a
    return s


def unpack2(x):
    o = Box()
    o.a[0] = 1.0
    q = o.a
    if x[0] > 0:
        q, r = doubled_and_one(x)
    return np.sum(q ** 2)


def loop2(x):
    o = Box()
    o.a[0] = 1.0
    s = 0.0
    q = o.a
    for q in np.stack([x * 2.0, x * 3.0]):
        s = s + np.sum(q ** 2)
    return s + np.sum(q)


def listed(x):
    o = Box()
    o.a[0] = 1.0
    xs = [o.a]
    xs[0] = x * 2.0
    return np.sum(xs[0] ** 2)


def dicted(x):
    o = Box()
    o.a[0] = 1.0
    d = {'k': o.a}
    if x[0] > 0:
        d['k'] = x * 2.0
    return np.sum(d['k'] ** 2)


PROGRAMS = programs_of(globals())
REFUSED = [outermost_parameter, unpack2, dicted]             # with places alone


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("places", ["only", ""])
def test_gradient(f: Any, places: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", places)
    try:
        found = [sg.grad(f)(x) for x in (X, X * 0.5 + 0.2)]
    except UnsupportedError as error:
        assert places == "only" and f in REFUSED and error.origin is not None and error.origin.file == __file__
    else:
        assert places == "" or f not in REFUSED
        for x, gradient in zip((X, X * 0.5 + 0.2), found):
            assert np.allclose(gradient, by_differences(f, x), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative(f: Any) -> None:
    def projected(x: np.ndarray) -> Any:
        return np.sum(sg.grad(f)(x) * np.array([0.3, -0.7, 1.1]))

    assert np.allclose(sg.grad(projected)(X), by_differences(projected, X), rtol=1e-5, atol=1e-6)
