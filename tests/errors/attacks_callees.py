"""Attacks: callees that move parts of lists, dicts and objects, or what they hold."""
from __future__ import annotations

import numpy as np

from tests.errors.attack import Corpus

ATTACKS = Corpus()
V = np.array([0.3, -0.8, 1.1])


def attack(function):
    ATTACKS.add(function, V)
    return function


def both(a, v):
    a[0][1] = 5.0
    a[0] = v


@attack
def by_callee_b1(x):
    y = x * 2.0
    a = [y]
    both(a, x ** 2)
    return np.sum(y * a[0])


def other2(a, v):
    a[0] = v
    v[1] = 5.0


@attack
def by_callee_b3(x):
    y = x * 2.0
    a = [y]
    v = x ** 2
    other2(a, v)
    return np.sum(y * a[0] * v)


def mk(x):
    a = []
    for k in range(3):
        a.append(x * k)
    return a


def swap(a):
    a[0], a[1] = (a[1], a[0])


@attack
def by_callee_b6(x):
    a = mk(x)
    z = a[1]
    a[1][0] = 4.0
    swap(a)
    return np.sum(z * a[0])


@attack
def by_callee_b7(x):
    y = x * 2.0
    a = [y, x * 3.0]
    swap(a)
    y[0] = 3.0
    return np.sum(a[1] * a[0] ** 2)


def rot(a):
    t = a[0]
    for k in range(len(a) - 1):
        a[k] = a[k + 1]
    a[-1] = t


@attack
def by_callee_b9(x):
    y = x * 2.0
    a = [y, x * 3.0, x]
    rot(a)
    y[0] = 4.0
    return np.sum(a[1] * a[2] ** 2 * y)


class P:

    def __init__(self, w):
        self.w = w


def setw(p, v):
    p.w = v


@attack
def by_callee_b10(x):
    p = P(x)
    ps = []
    ps.append(p)
    setw(ps[0], x * x)
    return np.sum(p.w * x)


@attack
def by_callee_b11(x):
    p = P(x)
    ps = []
    ps.append(p)
    ps[0].w = x ** 3
    return np.sum(p.w * x)


@attack
def by_callee_b14(x):
    p = P(x)
    q = P(p)
    q.w.w = x ** 3
    return np.sum(p.w * x)


@attack
def by_callee_b16(x):
    ps = [P(x * k) for k in range(3)]
    qs = [p for p in ps if np.sum(p.w) > 0]
    for q in qs:
        q.w = q.w ** 2
    return sum((np.sum(p.w ** 2) for p in ps))


def maybe(a, v, c):
    if c:
        a[0] = v


@attack
def by_callee_c1(x):
    y = x * 2.0
    a = [y]
    maybe(a, x, np.sum(x) > 100)
    y[0] = 3.0
    return np.sum(a[0] * y)


@attack
def by_callee_c2(x):
    y = x * 2.0
    a = [y]
    maybe(a, x, np.sum(x) < 100)
    y[0] = 3.0
    return np.sum(a[0] * y)


def push_out(a, b, v):
    b[0] = a[0]
    a[0] = v


@attack
def by_callee_c4(x):
    y = x * 2.0
    a = [y]
    b = [x]
    push_out(a, b, x)
    y[0] = 3.0
    return np.sum(b[0] * a[0])


def takes(a, v):
    old = a[0]
    a[0] = v
    return old


@attack
def by_callee_c6(x):
    y = x * 2.0
    a = [y]
    r = takes(a, x)
    y[0] = 3.0
    return np.sum(r * a[0])


@attack
def by_callee_c7(x):
    y = x * 2.0
    a = [y]
    r = takes(a, x)
    r[0] = 3.0
    return np.sum(y * a[0])


class S:

    def __init__(self, u):
        self.u = u
        self.n = 0
        self.hist = []

    def step(self, v):
        self.u = self.u.copy()
        self.u[0] = v
        self.n += 1

    def inplace(self, v):
        self.u[0] = v
        self.u = self.u * 2.0

    def flip(self):
        self.u, self.w = (self.w, self.u)

    def set(self, u):
        self.u = u

    def log(self):
        self.hist.append(self.u)


@attack
def by_callee_c8(x):
    u = x * 2.0
    s = S(u)
    s.step(x[1])
    return np.sum(s.u * u)


@attack
def by_callee_c9(x):
    u = x * 2.0
    s = S(u)
    s.inplace(x[1])
    return np.sum(s.u * u)


@attack
def by_callee_c11(x):
    s = S(x * 2.0)
    s.w = x ** 2
    for k in range(3):
        s.flip()
        s.u[k] = s.w[0] * x[k]
    return np.sum(s.u * s.w)


@attack
def by_callee_c13(x):
    s = S(x * 2.0)
    for k in range(3):
        s.log()
        s.step(x[1] * s.u[0])
    return np.sum(s.hist[0] * s.hist[2] + s.u) * s.n


@attack
def by_callee_c14(x):
    s = S(x * 2.0)
    for k in range(3):
        s.log()
        s.inplace(x[1] * s.u[0])
    return np.sum(s.hist[0] * s.hist[2] + s.u)


def ins(ys, x):
    ys.insert(0, x * x)
    return ys[0]


@attack
def grown_by_callee_a1(x):
    a = [x]
    r = ins(a, x)
    return np.sum(a[0] * a[1] * r)


def app2(ys, x):
    ys.append(x * x)
    ys[0] = x * x


@attack
def grown_by_callee_a4(x):
    a = [x]
    app2(a, x)
    return np.sum(a[0] * a[1])


def app3(ys, x):
    ys.append(x * x)
    return sum(ys)


@attack
def grown_by_callee_a5(x):
    a = [x]
    r = app3(a, x)
    return np.sum(a[0] * a[1] * r)


def pop1(ys):
    return ys.pop()


@attack
def grown_by_callee_a7(x):
    a = [x, x * x]
    r = pop1(a)
    return np.sum(a[0] * r) * len(a)


def app8(ys, x):
    ys.append(x * x)
    return ys


@attack
def grown_by_callee_a8(x):
    a = [x]
    r = app8(a, x)
    r.append(x)
    return np.sum(a[0] * a[1] * r[-1]) * len(a)


@attack
def grown_by_callee_a9(x):
    r = 0.0
    ys = [x]
    for k in range(3):
        r = r + app3(ys, x * k)
    return np.sum(r)


@attack
def grown_by_callee_a10(x):
    ys = [x]
    app3(ys, x)
    app3(ys, x ** 3)
    return np.sum(app3([ys[1]], x) + app3(ys[:1], x))


@attack
def grown_by_callee_a11(x):
    h = []

    def log(v):
        h.append(v)
        return v * 2.0
    z = log(x) * log(x * x)
    return np.sum(z * h[0] * h[1])


def rec(acc, x, n):
    acc.append(x)
    return rec(acc, x * x, n - 1) if n else 0.0


@attack
def grown_by_callee_a12(x):
    acc = []
    rec(acc, x, 3)
    return np.sum(acc[0] * acc[3]) + len(acc)


def drain(q):
    t = 0.0
    while q:
        t = t * 0.5 + q.pop()
    return t


@attack
def grown_by_callee_a13(x):
    q = [x, x * x, x ** 3]
    return np.sum(drain(q)) + len(q)


def bfs(x):
    out = [x]

    def go(v, d):
        if d == 0:
            out.append(v)
            return
        go(v * 2.0, d - 1)
        go(v * v, d - 1)
    go(x, 2)
    return out


@attack
def grown_by_callee_a14(x):
    return sum((np.sum(v) for v in bfs(x)))


@attack
def sum_of_lists(x):
    return np.sum(sum([[x], [x * x]], [])[1])


# parts of what is not known to be an array: a slice of an array is a view, that of a list is not


@attack
def slice_of_unknown(x):
    things = [x, "the kind of the items is not known"]
    y = things[0] * 2.0
    z = y[:2]
    z[0] = 0.9 * z[1]
    return np.sum(y * y)


@attack
def slice_of_a_slice_of_unknown(x):
    def change(v):
        v[::2][:1] = 0.9 * v[1:2]

    things = [x, "the kind of the items is not known"]
    y = things[0] * 2.0
    change(y)
    return np.sum(y * y)


@attack
def chosen_items_of_unknown(x):
    things = [x, "the kind of the items is not known"]
    y = things[0] * 2.0
    z = y[[0, 1]]
    z[0] = 5.0 * x[1]
    return np.sum(y * y) + np.sum(z)


@attack
def masked_items_of_unknown(x):
    things = [x, "the kind of the items is not known"]
    y = things[0] * 2.0
    z = y[y < 10.0]
    z[0] = 5.0 * x[1]
    return np.sum(y * y) + np.sum(z)


@attack
def items_of_unknown_at_unknown(x):
    things = [np.outer(x, x), np.array([0, 1]), "the kind of the items is not known"]
    y = things[0] * 2.0
    z = y[things[1]]
    z[0] = 5.0 * x
    return np.sum(y * y) + np.sum(z)
