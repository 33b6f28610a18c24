"""Arrays that objects hold and that change in place are told apart by their identity: who changes one, all who hold it see it."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from sourcegrad.errors import UnsupportedError
from tests.kinds.places import programs_of
from tests.programs.array_generator import ArrayWriter
from tests.programs.place_generator import REFUSED, WRONG, verdict

X = np.array([0.7, 0.4, 0.9])


class Held:

    def __init__(self, n=3):
        self.a = np.zeros(n)
        self.b = np.ones(n)
        self.M = np.zeros((2, 3))
        self.n = n


    def get(self):
        return self.a


    def put(self, v):
        self.a = v


    def add(self, k, v):
        self.a[k] += v


    def total(self):
        return np.sum(self.a * self.b)


class P:

    def __init__(self, v):
        self.v = v


def relax(g, k):
    g[1:-1] += k * (g[2:] - 2 * g[1:-1] + g[:-2])


def two_attributes(x):
    o = Held()
    v = np.zeros(3)
    o.a = v
    o.b = v
    o.a[0] = 2 * x[0]
    return o.b[0] * x[1]


def local_alias(x):
    o = Held()
    a = np.zeros(3)
    o.a = a
    o.a[1] = x[0]
    return a[1] ** 2 * x[1]


def local_alias2(x):
    o = Held()
    a = np.zeros(3)
    o.a = a
    a[1] = x[0]
    return o.a[1] ** 2 * x[1]


def stale_whole(x):
    o = Held()
    w = o.a
    o.a[1] = x[0]
    return w[1] * x[1]


def callee(x):
    o = Held(5)
    o.a[2] = x[0]
    relax(o.a, x[1])
    relax(o.a, x[1])
    return np.sum(o.a ** 2)


def callee_local(x):
    g = np.zeros(5)
    g[2] = x[0]
    o = Held(5)
    o.a = g
    relax(g, x[1])
    return np.sum(o.a ** 2)


def getter(x):
    o = Held()
    o.get()[0] = x[0]
    return o.a[0] * x[1]


def getter2(x):
    o = Held()
    g = o.get()
    g[0] = x[0]
    g *= x[1]
    return o.total()


def copied(x):
    o = Held()
    b = o.a.copy()
    o.a[0] = x[0]
    b[0] += x[1]
    return o.a[0] * b[0]


def swap(x):
    o = Held()
    o.a[0] = x[0]
    o.a, o.b = (o.b, o.a)
    o.a[0] = x[1]
    return o.b[0] * o.a[0] + o.a[1]


def indices(x):
    o = Held()
    o.M[0, ::-1] = x[:3]
    o.M[..., 1] *= x[1]
    o.M[-1, -2] += x[2]
    return np.sum(o.M[:, None, 1:] ** 2)


def mask(x):
    o = Held()
    o.a[:] = x[:3]
    o.a[o.a > 0.5] = x[1] ** 2
    return np.sum(o.a ** 3)


def fancy(x):
    o = Held()
    o.a[[0, 2]] = x[:2]
    o.a[[1, 1]] += x[:2]
    return np.sum(o.a[[0, 0, 2, 1]] ** 2)


def add_at(x):
    o = Held()
    np.add.at(o.a, [0, 0, 2], x[:3])
    return np.sum(o.a ** 2)


def fills(x):
    o = Held()
    o.a.fill(x[0])
    o.a[1] *= x[1]
    o.a.sort()
    return np.sum(o.a * np.arange(3.0))


def diagonal(x):
    o = Held()
    np.fill_diagonal(o.M, x[0])
    o.M[0] *= x[1]
    return np.sum(o.M ** 2)


def copyto(x):
    o = Held()
    np.copyto(o.a, x[:3] * 2)
    o.a[0] *= x[1]
    return np.sum(o.a ** 2)


def out(x):
    o = Held()
    o.a += 1.0
    np.multiply(o.a, x[:3], out=o.a)
    np.sin(o.a, out=o.a)
    return np.sum(o.a * x[1])


def floats32(x):
    o = Held()
    o.a = np.zeros(3, dtype=np.float32)
    o.a[0] = x[0]
    o.a += x[1]
    return np.sum(o.a ** 2)


def complexes(x):
    o = Held()
    o.a = np.zeros(3, dtype=complex)
    o.a[0] = x[0] + 1j * x[1]
    o.a *= 1j * x[1]
    return np.sum(np.abs(o.a) ** 2)


def ints(x):
    o = Held()
    o.c = np.zeros(3, dtype=int)
    o.c[1] += 2
    o.c += 1
    o.a[o.c[1] - 2] = x[0]
    return np.sum(o.a) * o.c[1] * x[1]


def broadcast(x):
    o = Held()
    o.a[:] = x[0]
    o.M[:] = o.a * x[1]
    o.M[0] = x[2]
    return np.sum(o.M ** 2)


def broadcast2(x):
    o = Held()
    o.M += x[:3]
    o.M *= x[1]
    o.M -= o.a
    o.M /= x[2]
    o.M **= 2
    return np.sum(o.M)


def given_copy(x):
    p = P(x.copy())
    p.v[0] *= x[1]
    return np.sum(p.v ** 2)


def given_slice(x):
    p = P(x[1:].copy())
    p.v[0] *= x[1]
    p.v[:] = p.v[::-1]
    return np.sum(p.v ** 2 * x[1:])


def no_trips(x, n=0):
    o = Held()
    for i in range(n):
        o.a[i] = x[i]
    return np.sum(o.a) + x[0] ** 2


def empty(x):
    o = Held(0)
    o.a += x[0]
    o.a[:] = x[1]
    return np.sum(o.a) + x[0] * x[1]


def rebound(x):
    o = Held()
    o.a[0] = x[0]
    b = o.a
    o.a = o.a * 2
    o.a[0] += x[1]
    b[1] = x[1]
    return np.sum(o.a ** 2) + np.sum(b ** 3)


def saved(x):
    o = Held()
    o.a[:] = x[:3]
    y = np.sin(o.a)
    z = o.a ** 2
    o.a[0] = x[1]
    o.a *= 2
    return np.sum(y * z) + np.sum(np.exp(o.a) * y)


def before_after(x):
    o = Held()
    s = np.sum(o.b * x[:3])
    o.b[1] = x[0]
    s = s * np.sum(o.b * x[:3])
    o.b += s
    return np.sum(o.b ** 2)


def none_first(x):
    o = Held()
    o.buf = None
    for i in range(3):
        if o.buf is None:
            o.buf = np.zeros(3)
        o.buf[i] += x[0] * i
        o.buf *= x[1]
    return np.sum(o.buf ** 2)


@dataclass
class D:
    g: float
    w: np.ndarray = field(default_factory=lambda: np.zeros(3))


    def tick(self, v):
        self.w[1:] = self.w[:-1]
        self.w[0] = v * self.g


def dataclasses_(x):
    d = D(x[0])
    for i in range(4):
        d.tick(x[i % 3])
    return np.sum(d.w ** 2)


def result_whole(x):
    o = Held()
    o.a[1] = x[0]
    o.a *= x[1]
    return o.a


def diffuse(x):
    o = Held(6)
    o.a[:3] = x[:3]
    for k in range(4):
        o.a[1:-1] += x[1] * 0.1 * (o.a[2:] - 2 * o.a[1:-1] + o.a[:-2])
    return np.sum(o.a ** 2)


def diffuse_old(x):
    o = Held(6)
    o.a[:3] = x[:3]
    for k in range(4):
        old = o.a.copy()
        for i in range(1, 5):
            o.a[i] = old[i] + x[1] * 0.1 * (old[i + 1] - 2 * old[i] + old[i - 1])
    return np.sum(o.a ** 2)


def swapped_items(x):
    o = Held()
    o.a[:] = x[:3]
    for i in range(2):
        o.a[i], o.a[i + 1] = (o.a[i + 1] * x[0], o.a[i])
    return np.sum(o.a ** 2 * np.arange(1, 4))


def breaks(x):
    o = Held()
    k = 0
    while True:
        o.a[k % 3] += x[0]
        k += 1
        if o.a[0] > 1.0 or k > 7:
            break
    return np.sum(o.a ** 2) * x[1]


class B:

    def __init__(self, x, v):
        self.x = x
        self.v = v
        self.f = np.zeros(2)


def bodies(x):
    bs = [B(x[i] * np.ones(2), np.array([x[i], 1.0])) for i in range(3)]
    for t in range(3):
        for b in bs:
            b.f[:] = -b.x
            b.f[0] += x[0]
        for b in bs:
            b.v += 0.1 * b.f
            b.x += 0.1 * b.v
    return sum((np.sum(b.x ** 2) for b in bs))


def history(x):
    o = Held()
    o.h = []
    for i in range(3):
        o.a[i] = x[i]
        o.h.append(o.a.copy())
    return np.sum(o.h[0] * o.h[2]) + np.sum(o.h[1])


def history_alias(x):
    o = Held()
    o.h = []
    for i in range(3):
        o.a[i] = x[i]
        o.h.append(o.a)
    return np.sum(o.h[0] * o.h[2]) + np.sum(o.h[1])


def ternary(x):
    o = Held()
    q = o.a if x[0] > 0 else o.b
    q[0] = x[0]
    return o.a[0] * x[1] + o.b[1]


def two_objects(x):
    o, q = (Held(), Held())
    q.a = o.a
    q.a[0] = x[0]
    o.a[1] = q.a[0] * x[1]
    return np.sum(q.a ** 2)


def chain(x):
    o = Held()
    o.next = Held()
    o.next.a[1] += x[0]
    o.next.next = o
    o.next.next.a[0] = o.next.a[1] * x[1]
    return o.a[0] ** 2


def passed_twice(x):


    def both(p, q):
        p[0] = x[0]
        q[1] = p[0] * x[1]
        return np.sum(p * q)
    o = Held()
    return both(o.a, o.a)


def scalar_attr(x):
    o = Held()
    o.t = 0.0
    for i in range(3):
        o.t += x[i]
        o.a[i] = o.t
        o.a += o.t
    return np.sum(o.a ** 2)


def norm(x):
    o = Held()
    o.a[:] = x[:3]
    o.a /= np.linalg.norm(o.a)
    o.a -= o.a.mean()
    return np.sum(np.abs(o.a) ** 3)


def dots(x):
    o = Held()
    o.M[0] = x[:3]
    o.M[1] = x[:3][::-1]
    o.a[:] = o.M.T @ (o.M @ x[:3])
    return o.a @ o.b + np.max(o.a)


def minmax(x):
    o = Held()
    o.a[:] = x[:3]
    i = np.argmax(o.a)
    o.a[i] = 0.0
    o.a[np.argmin(o.b)] += x[1] ** 2
    return o.a.sum() * o.a.max()


def shape_use(x):
    o = Held()
    n = o.a.shape[0]
    o.a[n - 1] = x[0]
    m = len(o.a)
    o.a[m - 2] = x[1]
    return np.sum(o.a ** 2) / o.a.size


def late(x):
    o = Held()
    y = o.a * 1.0
    o.a[0] = x[0]
    z = o.a + y
    o.a[0] = x[1]
    return np.sum(z * o.a)


def two_steps(x):
    o = Held()
    v = o.a
    w = v
    w[0] = x[0]
    v[1] = w[0] * x[1]
    return np.sum(o.a ** 2)


def pick(p, q, flag):
    return p if flag else q


class Shared(Held):
    def __init__(self, other):
        Held.__init__(self)
        self.a = other.a if other is not None else self.b


def of_one_of_two_classes(x):
    o, q = Held(), Shared(None)
    o.a[:] = x[:3]
    q.a *= x[1]
    o.b[:] = pick(q, o, x[0] > 0).get()
    o.a[o.a > 0.5] = x[2] ** 2
    return np.sum(o.a ** 2) + np.sum(o.b * q.a)


def of_a_subclass(x):
    o = Held()
    q = Shared(o)
    pick(q, o, x[1] > 0).a[0] = x[0]
    o.a[1:] = pick(o, q, x[1] < 0).a[:-1] * x[1]
    return np.sum(q.a ** 2)


def once_more_after_it_was_taken(x):
    o, q = Held(), Held()
    xs = o.a
    xs += x[0]
    for _ in range(1):
        q.put(o.a * np.sum(o.a))
    xs *= 0.5
    return np.sum(o.a ** 2) + np.sum(q.a ** 2) + np.sum(xs ** 2) * x[1]


# --- Views, which are places where they could be told from copies

def stale_view(x):
    o = Held()
    w = o.a[1:]
    o.a[1] = x[0]
    return w[0] * x[1]


def stale_T(x):
    o = Held()
    w = o.M.T
    o.M[0, 1] = x[0]
    return w[1, 0] * x[1]


def changed_view(x):
    o = Held()
    w = o.a[1:]
    w[0] = x[0]
    return o.a[1] * x[1]


def rows(x):
    o = Held()
    for row in o.M:
        row += x[0]
    return np.sum(o.M ** 2) * x[1]


def rows_read(x):
    o = Held()
    o.M[:] = x[0]
    s = 0.0
    for row in o.M:
        s = s + np.sum(row * x[1])
        o.M[1, 0] = 3 * x[1]
    return s


def in_list(x):
    o = Held()
    o.parts = [np.zeros(2), np.zeros(2)]
    o.parts[0][1] = x[0]
    return np.sum(o.parts[0]) * x[1]


def given(x):
    p = P(x)
    p.v[0] *= 2.0
    return np.sum(p.v ** 2)


def set_then_change(x):
    o = Held()
    a = np.ones(3)
    o.put(a)
    a[0] = x[0]
    o.add(1, x[1])
    return np.sum(a ** 2) + o.total()


def view_attribute(x):
    o = Held(5)
    o.inner = o.a[1:-1]
    o.inner[:] = x[0]
    o.a[2] *= x[1]
    return np.sum(o.inner ** 2)


def reshaped(x):
    o = Held(4)
    o.Q = o.a.reshape(2, 2)
    o.Q[0, 0] = x[0]
    o.a[3] = x[1]
    return np.sum(o.a ** 2) + np.sum(o.Q)


def zerod(x):
    o = Held()
    o.z = np.zeros(())
    o.z[...] = x[0]
    o.z += x[1]
    return o.z * o.z + 0.0


VIEWS = [stale_view, stale_T, changed_view, rows, rows_read, given, view_attribute, reshaped, zerod]
PROGRAMS = [f for f in programs_of(globals()) if f not in VIEWS]


def weighted(value: Any) -> float:
    return float(np.sum(np.real(value) * np.linspace(1.0, 2.0, np.size(value)).reshape(np.shape(value))))


def by_differences(f: Any, x: np.ndarray) -> np.ndarray:
    return np.array([(weighted(f(x + 1e-6 * e)) - weighted(f(x - 1e-6 * e))) / 2e-6 for e in np.eye(len(x))])


def gradient(f: Any, x: np.ndarray) -> Any:
    value = f(x.copy())
    given = {"grad_outputs": np.linspace(1.0, 2.0, np.size(value)).reshape(np.shape(value))} if np.ndim(value) else {}
    return sg.grad(f, inputs=("x",))(x, **given)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("places", ["only", ""])
def test_gradient(f: Any, places: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", places)
    if f is complexes and places == "only":                 # (by value)
        with pytest.raises(UnsupportedError, match="complex at some times and not at others"):
            sg.grad(f)(X)
        return
    near = {"rtol": 0.1, "atol": 0.05} if f is floats32 else {"rtol": 1e-6, "atol": 1e-8}
    for x in (X, X * 0.5 + 0.2, X):
        before = x.copy()
        assert np.allclose(gradient(f, x), by_differences(f, x), **near)
        assert np.array_equal(x, before)


@pytest.mark.parametrize("f", [f for f in PROGRAMS if f not in (floats32, result_whole, complexes)], ids=lambda f: f.__name__)
def test_second_derivative(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:

    def projected(x: np.ndarray) -> Any:
        return np.sum(sg.grad(f, inputs=("x",))(x) * np.array([0.3, -0.7, 1.1]))

    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    assert np.allclose(sg.grad(projected)(X), by_differences(projected, X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("f", VIEWS, ids=lambda f: f.__name__)
def test_views_are_seen_through_or_refused(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = X.copy()
    try:
        found = sg.grad(f)(x)
    except UnsupportedError as error:
        assert error.origin is not None and error.origin.file == __file__
    else:
        assert np.allclose(found, by_differences(f, X), rtol=1e-6, atol=1e-8)
    assert np.array_equal(x, X)
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    try:
        found = sg.grad(f, inputs=("x",))(x)
    except UnsupportedError as error:
        assert error.origin is not None and error.origin.file == __file__ and f.__name__ in REFUSED_BY_IDENTITY
    else:
        assert np.allclose(found, by_differences(f, X), rtol=1e-6, atol=1e-8)


REFUSED_BY_IDENTITY = {"zerod"}


def stale_part_of_what_a_function_gives(x):
    """A function of NumPy that gives a view or a copy, as it likes."""
    o = Held()
    w = np.real_if_close(o.a)
    o.a[0] = x[0]
    return w[0] * x[1]


def test_what_is_refused_says_what_to_write_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    with pytest.raises(UnsupportedError, match="`w`, a part of an array that an object holds and that has changed since") as caught:
        sg.grad(stale_part_of_what_a_function_gives)(X)
    assert "w = w.copy()" in caught.value.remedy


class Rod:
    def __init__(self, n, k):
        self.T = np.zeros(n)
        self.k = k


    def step(self, x):
        self.T[0] = x
        for i in range(1, len(self.T)):
            self.T[i] += self.k * self.T[i - 1]


def rod(x, k, n):
    r = Rod(n, k)
    r.step(x)
    return np.sum(r.T ** 2)


def test_the_text() -> None:
    text = sg.source(rod, at={"x": 0.7, "k": 0.3, "n": 5}, inputs=("x", "k"))
    assert "r.T = zeros_n" in text and "[i - 1] += sum_2_part * self_k" in text
    assert not any(name in text for name in ("index_set", "item_at", "(memory_", "place_load", "np.array(", ".copy()"))


def test_each_element_that_changes_costs_the_same_however_many_there_are() -> None:
    """Nothing that is as long as the array is made for one element of it."""
    import tracemalloc

    g = sg.grad(rod, inputs=("x", "k"))
    peaks = []
    for n in (4000, 16000):
        g(0.7, 0.3, n)
        tracemalloc.start()
        g(0.7, 0.3, n)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 6 * peaks[0]


@pytest.mark.parametrize("number", range(600, 612))
def test_random_programs(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    found, what = verdict(number, 1 + (number % 4 == 0), ArrayWriter)
    assert found != WRONG, what


def test_few_random_programs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    assert sum(verdict(number, 1, ArrayWriter)[0] == REFUSED for number in range(700, 702)) <= 1
