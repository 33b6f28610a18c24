"""Arrays that objects hold and that change in place, in the programs that use them: closures, methods, recursion, solvers."""
from __future__ import annotations

import functools
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from sourcegrad.errors import UnsupportedError
from tests.kinds.places import programs_of
from tests.kinds.test_held_arrays import X, by_differences


class Box:

    def __init__(self, n=3):
        self.a = np.zeros(n)
        self.b = np.ones(n)
        self.M = np.zeros((2, 3))


    def get(self):
        return self.a


    def both(self):
        return (self.a, self.b)


    def set(self, k, v):
        self.a[k] = v
        return self


    def tail(self):
        return self.a[1:]


    def reset(self):
        self.a = np.zeros(3)

    @property
    def first(self):
        return self.a[0]

    @property
    def arr(self):
        return self.a


def closure_change(x):
    o = Box()


    def inc(k, v):
        o.a[k] += v
    inc(0, x[0])
    inc(1, x[1] * o.a[0])
    return np.sum(o.a ** 2)


def closure_array(x):
    o = Box()
    a = o.a


    def inc(v):
        a[0] += v
    inc(x[0])
    inc(x[1])
    return o.a[0] ** 2


def chained(x):
    o = Box()
    o.set(0, x[0]).set(1, x[1])
    return np.sum(o.a ** 2)


def tail_read(x):
    o = Box()
    t = o.tail()
    s = np.sum(t) * x[1]
    o.a[1] = x[0]
    return s + np.sum(o.tail() ** 2)


def property_read(x):
    o = Box()
    o.a[0] = x[0]
    y = o.first
    o.a[0] = x[1]
    return y * o.first


def property_change(x):
    o = Box()
    o.arr[0] = x[0]
    o.arr[1:] += x[1]
    return np.sum(o.arr ** 2)


def recursive(x):
    o = Box()


    def go(k):
        if k < 0:
            return 0.0
        o.a[k] += x[k]
        o.a[0] *= x[1]
        return o.a[k] + go(k - 1)
    return go(2) + np.sum(o.a ** 2)


def rec_fill(o, k, v):
    if k >= len(o.a):
        return o
    o.a[k] = v
    o.a += v * 0.1
    return rec_fill(o, k + 1, v * 0.5)


def recursive2(x):
    o = rec_fill(Box(), 0, x[0])
    return np.sum(o.a ** 2) * x[1]


def reset_in_loop(x):
    o = Box()
    s = 0.0
    for i in range(3):
        o.reset()
        o.a[i] = x[i]
        s = s + np.sum(o.a ** 2)
    return s


def ternary_new(x):
    o = Box()
    o.a = np.zeros(3) if x[0] > 0 else np.ones(3)
    o.a[0] += x[0]
    return np.sum(o.a ** 2)


def ternary_shared(x):
    o = Box()
    v = np.zeros(3)
    o.a = v if x[0] > 0 else np.ones(3)
    o.a[0] += x[0]
    return np.sum(v ** 2)


def mixed_name(x):
    o = Box()
    q = o.a
    if x[0] > 5:
        q = x[:3] * 2.0
    q[1] = x[1]
    return np.sum(o.a ** 2) + np.sum(q)


def mixed_name2(x):
    o = Box()
    q = x[:3] * 2.0
    if x[0] > 0:
        q = o.a
    o.a[1] = x[1]
    return np.sum(q ** 2)


def mixed_read(x):
    o = Box()
    o.a[0] = 1.0
    q = x[:3] * 2.0
    for i in range(2):
        o.a[1] += np.sum(q)
        q = o.a
    return np.sum(q ** 2)


def in_tuple(x):
    o = Box()
    t = (o.a, o.b)
    t[0][0] = x[0]
    t[1][:] = t[0]
    return np.sum(o.b ** 2) * x[1]


def in_dict(x):
    o = Box()
    d = {'p': o.a, 'q': o.b}
    d['p'][0] = x[0]
    d['q'] *= x[1]
    return np.sum(o.a) + np.sum(o.b)


def list_comp(x):
    os_ = [Box() for _ in range(3)]
    for i, o in enumerate(os_):
        o.a[i] = x[i]
    arrs = [o.a for o in os_]
    os_[0].a[2] = x[1]
    return sum((np.sum(v ** 2) for v in arrs))


def enumerate_array(x):
    o = Box()
    o.a[:] = x[:3]
    for i, v in enumerate(o.a):
        o.b[i] = v * v
    return np.sum(o.b)


def array_of_self(x):
    o = Box()
    o.a[:] = x[:3]
    o.a[:] = o.a[::-1]
    o.a[1:] = o.a[:-1]
    o.a += o.a
    o.a *= o.a
    return np.sum(o.a)


def outer(x):
    o = Box()
    o.M[:] = np.outer(x[:2], x[:3])
    o.M[:, 0] = o.M[:, 1] * x[0]
    o.a[:] = o.M.sum(axis=0)
    return o.a @ o.a


def matvec(x):
    o = Box()
    o.K = np.zeros((3, 3))
    for i in range(2):
        o.K[i:i + 2, i:i + 2] += x[i] * np.array([[1.0, -1.0], [-1.0, 1.0]])
    o.K[0, 0] += 1.0
    o.u = np.linalg.solve(o.K + np.eye(3), o.b)
    o.u[0] *= x[2]
    return o.u @ o.b


def setitem_slice_obj(x):
    o = Box()
    s = slice(1, None)
    o.a[s] = x[0]
    o.a[np.array([0])] = x[1]
    return np.sum(o.a ** 2)


def bool_index_read(x):
    o = Box()
    o.a[:] = x[:3]
    m = o.a > 0.5
    o.a[m] *= x[1]
    return np.sum(o.a[~m]) + np.sum(o.a[m] ** 2)


def index_by_held(x):
    o = Box()
    o.i = np.array([2, 0, 1])
    o.a[o.i] = x[:3]
    o.i[0] = 1
    o.a[o.i[0]] *= x[0]
    return np.sum(o.a * np.arange(1.0, 4.0))


def int_loop_counter(x):
    o = Box()
    o.k = np.zeros(1, dtype=int)
    for i in range(3):
        o.a[o.k[0]] = x[i]
        o.k[0] += 1
    return np.sum(o.a ** 2)


def aug_scalar_attr(x):
    o = Box()
    o.s = 0.0
    o.s += x[0]
    o.s *= x[1]
    o.a += o.s
    o.a -= o.a.mean() * x[0]
    return np.sum(o.a ** 2)


def conditional_change(x):
    o = Box()
    o.a[:] = x[:3]
    if o.a[0] > o.a[1]:
        o.a[0] = o.a[1] * x[2]
    else:
        o.a *= 2.0
    return np.sum(o.a ** 3)


def while_norm(x):
    o = Box()
    o.a[:] = x[:3]
    while np.sum(o.a ** 2) > 0.1:
        o.a *= 0.5 * x[0]
    return np.sum(o.a)


def early(x):
    o = Box()
    for i in range(3):
        o.a[i] = x[i]
        if o.a[i] > 0.8:
            return np.sum(o.a ** 2) * x[1]
    return np.sum(o.a)


def swap_rows(x):
    o = Box()
    o.M[0] = x[:3]
    o.M[[0, 1]] = o.M[[1, 0]]
    return np.sum(o.M[1] ** 2)


def broadcasting_rows(x):
    o = Box()
    o.M += x[0]
    o.M[1] -= o.M[0] * x[1]
    o.M[:, 1] = [x[1], x[2]]
    return np.sum(o.M ** 2)


def stack(x):
    o, q = (Box(), Box())
    o.a[:] = x[:3]
    q.a[:] = o.a * 2
    S = np.stack([o.a, q.a])
    o.a[0] = 9.0
    return np.sum(S ** 2) + np.sum(np.concatenate([o.a, q.a]))


def where(x):
    o = Box()
    o.a[:] = x[:3]
    o.a[:] = np.where(o.a > 0.5, o.a * x[0], o.b)
    return np.sum(o.a ** 2)


def abs_max(x):
    o = Box()
    o.a[:] = -x[:3]
    np.abs(o.a, out=o.a)
    np.maximum(o.a, 0.5, out=o.a)
    np.clip(o.a, 0.0, 0.8, out=o.a)
    return np.sum(o.a ** 2)


def cumulative(x):
    o = Box()
    np.cumsum(x[:3], out=o.a)
    o.a[1:] = np.diff(o.a)
    return np.sum(o.a ** 2)


@dataclass
class St:
    pos: np.ndarray
    vel: np.ndarray
    t: float = 0.0


    def step(self, dt, k):
        self.vel -= dt * k * self.pos
        self.pos += dt * self.vel
        self.t += dt


def leapfrog(x):
    s = St(np.array([x[0], 1.0]), np.zeros(2))
    for _ in range(5):
        s.step(0.1, x[1])
    return np.sum(s.pos ** 2) + s.t * x[2]


def leapfrog_arg(x):
    s = St(x[:2].copy(), x[1:].copy())
    for _ in range(5):
        s.step(0.1, x[2])
    return s.pos @ s.vel


def leapfrog_two(x):
    v = np.zeros(2)
    s, r = (St(np.array([x[0], 1.0]), v), St(np.array([x[1], 0.5]), v))
    for _ in range(3):
        s.step(0.1, x[1])
        r.step(0.2, x[2])
    return np.sum(s.pos ** 2) + np.sum(r.pos * v)


class Adam:

    def __init__(self, n):
        self.m = np.zeros(n)
        self.v = np.zeros(n)
        self.t = 0


    def step(self, p, g):
        self.t += 1
        self.m *= 0.9
        self.m += 0.1 * g
        self.v[:] = 0.99 * self.v + 0.01 * g ** 2
        p -= 0.1 * self.m / (np.sqrt(self.v) + 0.001)


def adam(x):
    p = np.ones(3)
    o = Adam(3)
    for i in range(4):
        o.step(p, p * x[:3])
    return np.sum(p ** 2)


class Ring:

    def __init__(self, n):
        self.buf = np.zeros(n)
        self.k = 0


    def push(self, v):
        self.buf[self.k] = v
        self.k = (self.k + 1) % len(self.buf)


    def mean(self):
        return self.buf.mean()


def ring(x):
    r = Ring(2)
    s = 0.0
    for i in range(5):
        r.push(x[i % 3] * (i + 1))
        s = s + r.mean() ** 2
    return s


class Net:

    def __init__(self, w):
        self.W = [w.copy(), np.eye(3) * 0.5]
        self.g = [np.zeros(3), np.zeros((3, 3))]


    def go(self, h):
        self.g[0] += h * self.W[0]
        for i in range(2):
            h = np.tanh(self.W[i] @ h) if i else np.tanh(self.W[i] * h)
        return h


class Grid:

    def __init__(self, n):
        self.u = np.zeros((n, n))
        self.u[0, :] = 1.0
        self.old = self.u.copy()


    def sweep(self, w):
        self.old[:] = self.u
        for i in range(1, 3):
            for j in range(1, 3):
                around = self.u[i - 1, j] + self.u[i + 1, j] + self.u[i, j - 1] + self.u[i, j + 1]
                self.u[i, j] = (1 - w) * self.u[i, j] + w * 0.25 * around
        return np.max(np.abs(self.u - self.old))


def sor(x):
    g = Grid(4)
    g.u[0, 1] = x[0]
    e = 0.0
    for _ in range(3):
        e = e + g.sweep(x[1])
    return np.sum(g.u ** 2) + e


class Swap:

    def __init__(self, n):
        self.cur = np.zeros(n)
        self.nxt = np.zeros(n)


    def step(self, c):
        self.nxt[1:-1] = self.cur[1:-1] + c * (self.cur[2:] - 2 * self.cur[1:-1] + self.cur[:-2])
        self.cur, self.nxt = (self.nxt, self.cur)


def double_buffer(x):
    s = Swap(5)
    s.cur[2] = x[0]
    s.cur[1] = x[2]
    for _ in range(3):
        s.step(x[1])
    return np.sum(s.cur ** 2) + np.sum(s.nxt)


def many_calls(x):
    o = Box()
    for i in range(3):
        o.set(i, x[i] * o.b[i])
    c = o.get().copy()
    o.get()[:] = 0.0
    o.b[0] = c[1]
    return np.sum(c ** 2) + np.sum(o.a) + np.sum(o.b * c)


def partial_use(x):
    o = Box()
    f = functools.partial(o.set, 1)
    f(x[0])
    return np.sum(o.a ** 2) * x[1]


Pair = namedtuple('Pair', 'u v')


def star(x):
    o = Box()
    args = (0, x[0])
    o.set(*args)
    return np.sum(o.a ** 2) * x[1]


def lambda_(x):
    o = Box()
    up = lambda k, v: o.a.__setitem__(k, v)
    up(0, x[0])
    return np.sum(o.a ** 2)


def same_twice(x):
    o = Box()
    np.add(o.a, x[:3], out=o.a)
    o.a += o.a * o.a
    np.add(o.a, o.a, out=o.a)
    return np.sum(o.a)


# --- With places alone these are refused: views that change or are read later, arrays of containers that change.

def tuple_result(x):
    o = Box()
    a, b = o.both()
    a[0] = x[0]
    b *= x[1]
    return np.sum(o.a) * np.sum(o.b)


def tail_view(x):
    o = Box()
    o.tail()[0] = x[0]
    return np.sum(o.a ** 2)


def in_local_list(x):
    o = Box()
    xs = [o.a, o.b, x[:3] * 1.0]
    xs[0][1] = x[0]
    s = 0.0
    for v in xs:
        s = s + np.sum(v * v)
    return s


def in_local_list2(x):
    o = Box()
    xs = [x[:3] * 1.0]
    xs.append(o.a)
    o.a[0] = x[1]
    return sum((np.sum(v * v) for v in xs))


def zipped(x):
    p, q = (Box(), Box())
    p.a[:] = x[:3]
    for i, (u, v) in enumerate(zip(p.a, q.b)):
        q.b[i] = u * v
    return np.sum(q.b ** 2)


def iter_and_change(x):
    o = Box()
    o.a[:] = x[:3]
    for v in o.a:
        o.a[2] = v * 2.0
    return np.sum(o.a ** 2)


def transposed(x):
    o = Box()
    o.M[:] = x[:3]
    y = o.M.T @ o.M
    o.M.T[0, 1] = 5.0
    return np.sum(y) * x[0]


def ravelled(x):
    o = Box()
    o.M[:] = x[:3]
    o.M.ravel()[0] = x[1] ** 2
    return np.sum(o.M ** 2)


def flat(x):
    o = Box()
    o.M[:] = x[:3]
    o.M.flat[1] = x[0] ** 2
    return np.sum(o.M ** 2)


def net(x):
    n = Net(x)
    h = n.go(x)
    h = n.go(h)
    return np.sum(h * n.g[0])


def namedtuples(x):
    o = Box()
    p = Pair(o.a, o.b)
    p.u[0] = x[0]
    p.v[1] = p.u[0] * x[1]
    return np.sum(o.b ** 2)


REFUSED = [tuple_result, tail_view, in_local_list, in_local_list2, zipped, iter_and_change, transposed, ravelled, flat, net,
           namedtuples]
PROGRAMS = [f for f in programs_of(globals()) if f not in REFUSED]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("places", ["only", ""])
def test_gradient(f: Any, places: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", places)
    for x in (X, X * 0.5 + 0.2, X):
        before = x.copy()
        assert np.allclose(sg.grad(f)(x), by_differences(f, x), rtol=1e-6, atol=1e-8)
        assert np.array_equal(x, before)


@pytest.mark.parametrize("f", [f for f in PROGRAMS if f is not recursive2], ids=lambda f: f.__name__)       # (refused)
def test_second_derivative(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:

    def projected(x: np.ndarray) -> Any:
        return np.sum(sg.grad(f)(x) * np.array([0.3, -0.7, 1.1]))

    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    assert np.allclose(sg.grad(projected)(X), by_differences(projected, X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_right_or_refused(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for places in ("", "only"):
        monkeypatch.setattr(linking.OPTIONS, "places", places)
        x = X.copy()
        try:
            found = sg.grad(f)(x)
        except UnsupportedError as error:
            assert error.origin is not None and error.origin.file == __file__
        else:
            assert np.allclose(found, by_differences(f, X), rtol=1e-6, atol=1e-8)
        assert np.array_equal(x, X)
