"""Counters and other state beside arrays that an object holds twice: only what changes must be reached in one way."""
from __future__ import annotations

import collections
import dataclasses

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InputError, UnsupportedError
from tests.kinds.outcomes import outcome

A3 = np.arange(3.0)
WEIGHTS = np.array([[1.0, 2.0], [3.0, 4.0]])


class Problem:
    def __init__(self):
        self.shift = np.arange(3.0); self.optimum = self.shift; self.calls = 0
    def f(self, x):
        self.calls += 1
        return np.sum((x - self.shift) ** 2)


class H1(Problem):
    def f(self, x):
        self.calls = self.calls + 1
        return np.sum((x - self.shift) ** 2 + self.optimum * x)


class H2:
    def __init__(self): self.w = np.ones(3); self.parts = [self.w, self.w]; self.n = 0
    def f(self, x):
        self.n += 1
        return np.sum(self.parts[0] * x ** 2 + self.parts[1])


class H3:
    def __init__(self): self.w = np.ones(3); self.v = self.w; self.log = []
    def f(self, x):
        self.log.append(1)
        return np.sum(self.w * x ** 2 + self.v)


class H4:
    def __init__(self): self.w = np.ones(3); self.v = self.w; self.stats = {"calls": 0}
    def f(self, x):
        self.stats["calls"] += 1
        return np.sum(self.w * x ** 2 + self.v)


class H5:
    def __init__(self): self.w = np.ones(3); self.v = self.w; self.last = None
    def f(self, x):
        self.last = x * 2.0
        return np.sum(self.w * self.last ** 2 + self.v)


class H6:
    def __init__(self): self.w = np.ones(3); self.view = self.w[:2]; self.calls = 0
    def f(self, x):
        self.calls += 1
        return np.sum(self.w * x ** 2) + np.sum(self.view * x[:2])


class H7:
    def __init__(self): self.a = Problem(); self.b = self.a; self.calls = 0
    def f(self, x):
        self.calls += 1
        return np.sum((x - self.a.shift) ** 2) + np.sum(self.b.optimum * x)


class H8:
    def __init__(self): self.w = np.ones(3); self.v = self.w; self.calls = 0
    def f(self, x):
        self.w = self.w * 2.0
        return np.sum(self.w * x ** 2 + self.v * x)


class H9:
    def __init__(self): self.w = np.ones(3); self.v = self.w; self.calls = 0
    def f(self, x):
        self.w *= 2.0
        return np.sum(self.w * x ** 2 + self.v * x)


class H10:
    def __init__(self): self.inner = Problem(); self.again = self.inner
    def f(self, x):
        self.inner.calls += 1
        return np.sum((x - self.again.shift) ** 2) * self.again.calls


class H11:
    def __init__(self): self.lb = self.ub = np.zeros(3); self.nfev = 0; self.best = np.inf
    def f(self, x):
        self.nfev += 1
        v = np.sum((x - self.lb) ** 2 + (x - self.ub))
        if v < self.best: self.best = v
        return v


class H12:
    def __init__(self): self.buf = np.zeros(3); self.w = np.ones(3); self.v = self.w
    def f(self, x):
        self.buf[:] = x * 2.0
        return np.sum(self.buf * self.w + self.v * x)


class H13:
    def __init__(self): self.buf = np.zeros(3); self.view = self.buf; self.w = np.ones(3)
    def f(self, x):
        self.buf[:] = x * 2.0
        return np.sum(self.view * self.w * x)


class H14:
    count = 0
    def __init__(self): self.w = np.ones(3); self.v = self.w
    def f(self, x):
        type(self).count += 1
        return np.sum(self.w * x ** 2 + self.v)


class H15:
    def __init__(self): self.w = np.ones(3); self.opts = {"w": self.w, "n": 0}
    def f(self, x):
        self.opts["n"] += 1
        return np.sum(self.w * x ** 2 + self.opts["w"] * x)


class H16:
    def __init__(self): self.w = np.ones(3); self.v = self.w; self.i = 0
    def step(self):
        self.i += 1
        return self.i
    def f(self, x): return np.sum(self.w * x ** 2 + self.v) * self.step()


class H17(Problem):
    def f(self, x):
        for _ in range(3): self.calls += 1
        return np.sum((x - self.shift) ** 2) * self.calls


class H18(Problem):
    def __init__(self):
        super().__init__(); self.history = collections.deque(maxlen=5)
    def f(self, x):
        self.calls += 1; self.history.append(self.calls)
        return np.sum((x - self.shift) ** 2)


class H19:
    def __init__(self):
        self.layers = [np.ones(3)] * 2; self.calls = 0
    def f(self, x):
        self.calls += 1
        for w in self.layers: x = np.tanh(w * x)
        return np.sum(x)


class H20:
    def __init__(self):
        w = np.ones(3); self.layers = {"a": w, "b": w}; self.calls = 0; self.flag = False
    def f(self, x):
        self.calls += 1; self.flag = True
        return np.sum(self.layers["a"] * x ** 2 + self.layers["b"] * x)


@dataclasses.dataclass
class H21:
    w: np.ndarray = dataclasses.field(default_factory=lambda: A3)
    v: np.ndarray = dataclasses.field(default_factory=lambda: A3)
    calls: int = 0
    def f(self, x):
        self.calls += 1
        return np.sum(self.w * x ** 2 + self.v * x)


class H22:
    def __init__(self):
        self.w = np.ones(3); self.v = self.w; self.parent = None; self.kids = []; self.n = 0
    def f(self, x):
        self.n += 1
        self.kids.append(self.n)
        return np.sum(self.w * x ** 2 + self.v * x) * len(self.kids)


class H23:
    def __init__(self): self.m = Problem(); self.ms = [self.m, self.m]; self.n = 0
    def f(self, x):
        self.n += 1
        return sum(np.sum((x - m.shift) ** 2) for m in self.ms) + self.m.calls


class H24(Problem):
    def f(self, x, scale=1.0):
        self.calls += 1
        if self.calls > 5: return 0.0 * np.sum(x)
        return scale * np.sum((x - self.shift) ** 2)


HS = [H1, H2, H3, H4, H5, H6, H7, H8, H9, H10, H11, H12, H13, H14, H15, H16, H17, H18, H19, H20, H21, H22, H23, H24]


def objective(x, p): return p.f(x) * 2.0 + p.f(x)


REFUSED = {"H9", "H13", "H18"}                   # the array that changes is held twice; a deque of the caller's
X = np.array([0.4, -0.7, 1.3])


def differences(f):
    steps = 1e-6 * np.eye(3)
    return [(f(X + h) - f(X - h)) / 2e-6 for h in steps]


@pytest.mark.parametrize("cls", [Problem, *HS], ids=lambda cls: cls.__name__)
def test_siblings(cls):
    want = differences(lambda x: cls().f(x))
    found = outcome(cls().f, X, want=want), outcome(objective, X, cls(), want=differences(lambda x: objective(x, cls())))
    assert found == (("refused",) * 2 if cls.__name__ in REFUSED else ("right",) * 2)


def test_what_changes_and_is_held_by_another_argument():
    def f(x, one, other):
        one.w[0] = x[0]
        return np.sum(other.w * x) + np.sum(one.w)

    one, other = H3(), H3()
    one.v = other.v = None
    assert sg.grad(f)(X, one, other).tolist() == [2.0, 1.0, 1.0]
    other.v = one.w
    with pytest.raises((InputError, UnsupportedError), match="shares memory with another argument|at several places"):
        sg.grad(f)(X, one, other)


class Ring:
    def __init__(self, v):
        self.v, self.next = v, self

    def f(self, x):
        self.v = self.v * 2.0
        return self.v * np.sum(x)


def test_an_object_that_holds_itself():
    """Its copy holds itself; a gradient of it would have no end."""
    problem = Problem()
    problem.inner = [problem]
    assert np.allclose(sg.grad(problem.f)(X), 2.0 * (X - problem.shift)) and problem.calls == 0
    ring = Ring(0.5)
    assert np.allclose(sg.grad(Ring.f, "x")(ring, X), 1.0) and ring.v == 0.5
    with pytest.raises(UnsupportedError, match="holds itself"):
        sg.grad(Ring.f)(ring, X)
    problem.inner = loop = H3()
    loop.v = loop
    assert np.allclose(sg.grad(problem.f)(X), 2.0 * (X - problem.shift))


def test_an_adjoint_that_starts_as_a_global_array():
    def f(c):
        c[-2] = 0.9
        return (WEIGHTS * c).sum()

    assert sg.grad(f)(np.ones((2, 2))).tolist() == [[0.0, 0.0], [3.0, 4.0]]
    assert WEIGHTS.tolist() == [[1.0, 2.0], [3.0, 4.0]]


class Held:
    def __init__(self, k):
        self.k, self.length = k, 1.0


def changes_one(first, second, x):
    first.k = x * second.k
    return first.k * x * second.k


def test_one_object_for_two_arguments_is_one_at_every_call() -> None:
    """Also after calls with two objects, which are not compared with the function any more."""
    gradient, one = sg.grad(changes_one, inputs="x"), Held(1.7)
    for _ in range(4):
        assert np.isclose(gradient(one, Held(1.2), 0.7), 2 * 0.7 * 1.2 ** 2)
    assert np.isclose(gradient(one, one, 0.7), 3 * 0.7 ** 2 * 1.7 ** 2) and one.k == 1.7            # x ** 3 * k ** 2
