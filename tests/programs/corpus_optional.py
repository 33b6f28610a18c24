"""What is None at first: attributes, arguments and variables that get their value later."""
from __future__ import annotations

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
V = np.array([0.3, 0.7, 0.4, 1.1, 0.9])


def case(function, *args, **options):
    PROGRAMS.add(function, *args, **{"oracle": False, **options})


class PID:

    def __init__(self, kp, ki, kd):
        self.kp, self.ki, self.kd = (kp, ki, kd)
        self.integral = 0.0
        self.last = None

    def update(self, e, dt):
        self.integral += e * dt
        d = 0.0 if self.last is None else (e - self.last) / dt
        self.last = e
        return self.kp * e + self.ki * self.integral + self.kd * d


def controller(x):
    c = PID(x[0], x[1], x[2])
    y = 0.0
    for _ in range(5):
        u = c.update(1.0 - y, 0.1)
        y = y + 0.1 * (u - x[3] * y)
    return y


class PID2(PID):

    def update(self, e, dt):
        self.integral += e * dt
        if self.last is not None:
            d = (e - self.last) / dt
        else:
            d = 0.0
        self.last = e
        return self.kp * e + self.ki * self.integral + self.kd * d


def controller_with_branches(x):
    c = PID2(x[0], x[1], x[2])
    y = 0.0
    for _ in range(5):
        u = c.update(1.0 - y, 0.1)
        y = y + 0.1 * (u - x[3] * y)
    return y


def differences(x):
    last = None
    s = 0.0
    for v in x:
        if last is not None:
            s = s + (v - last) ** 2
        last = v
    return s * last


class Dense:

    def __init__(self, n, m):
        self.W = np.linspace(-1, 1, n * m).reshape(n, m)
        self.x = None
        self.dW = None

    def forward(self, x):
        self.x = x
        return np.tanh(x @ self.W)

    def backward(self, g):
        y = np.tanh(self.x @ self.W)
        g = g * (1 - y ** 2)
        self.dW = np.outer(self.x, g)
        return g @ self.W.T


def back_propagation(x):
    l1, l2 = (Dense(5, 4), Dense(4, 2))
    y = l2.forward(l1.forward(x))
    g = l1.backward(l2.backward(2 * y))
    return np.sum(g * x) + np.sum(l1.dW ** 2) + np.sum(l2.dW)


class Ema:
    value: float | None = None

    def __init__(self, a):
        self.a = a

    def add(self, v):
        if self.value is None:
            self.value = v
        else:
            self.value = self.a * v + (1 - self.a) * self.value
        return self.value


def smoothed(x):
    e = Ema(x[0])
    s = 0.0
    for v in x:
        s = s + e.add(v) ** 2
    return s


class Lazy:

    def __init__(self, x):
        self.x = x
        self._n = None

    @property
    def norm(self):
        if self._n is None:
            self._n = np.sqrt(np.sum(self.x ** 2))
        return self._n


def lazy_norm(x):
    l = Lazy(x)
    return l.norm * l.norm + l.x[0]


class Adam:

    def __init__(self, lr):
        self.lr = lr
        self.m = None
        self.v = None
        self.t = 0

    def step(self, p, g):
        if self.m is None:
            self.m = np.zeros_like(p)
            self.v = np.zeros_like(p)
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * g
        self.v = 0.99 * self.v + 0.01 * g * g
        return p - self.lr * self.m / (np.sqrt(self.v) + 0.001)


def optimizer_in_the_function(x):
    o = Adam(x[0])
    p = x * 1.0
    for _ in range(3):
        p = o.step(p, 2 * p + np.cos(p))
    return np.sum(p ** 2)


def largest(x):
    b = None
    for v in x:
        if b is None or v > b:
            b = v
    return b ** 2


def nearest(x):
    b = None
    bk = None
    for k, v in enumerate(x):
        c = (v - 0.5) ** 2
        if b is None or c < b:
            b, bk = (c, k)
    return b * x[bk]


def default_argument(x, w=None):
    if w is None:
        w = x[0] * np.ones(5)
    return np.sum(w * x)


def optional_arguments(x):

    def f(v, scale=None, shift=None):
        if scale is not None:
            v = v * scale
        if shift is not None:
            v = v + shift
        return v
    return f(x[0]) * f(x[1], x[2]) * f(x[3], shift=x[4])


def first_that_fits(x):

    def first(p):
        for v in x:
            if p(v):
                return v ** 2
        return None
    a = first(lambda v: v > 0.5)
    b = first(lambda v: v > 10)
    return a * (1.0 if b is None else b)


class Spline:

    def __init__(self):
        self.k = None
        self.c = None

    def fit(self, t, y):
        self.k = t
        self.c = np.diff(y) / np.diff(t)
        return self

    def __call__(self, t):
        if self.k is None:
            raise RuntimeError("fit first")
        i = np.clip(np.searchsorted(self.k, t) - 1, 0, len(self.c) - 1)
        return self.c[i] * t


def fitted(x):
    s = Spline().fit(np.arange(5.0), x ** 2)
    return s(1.5) * s(2.2)


class Kalman:

    def __init__(self, q, r):
        self.q, self.r = (q, r)
        self.x = None
        self.P = None

    def init(self, x0):
        self.x = x0
        self.P = 1.0

    def update(self, z):
        if self.x is None:
            self.init(z)
            return self.x
        P = self.P + self.q
        K = P / (P + self.r)
        self.x += K * (z - self.x)
        self.P = (1 - K) * P
        return self.x


def filtered(x):
    f = Kalman(x[0], x[1])
    out = []
    for v in x:
        out.append(f.update(v))
    return np.sum(np.array(out) ** 2)


def products_of_neighbours(x):
    prev = None
    s = 0.0
    for k in range(4):
        cur = np.sin(x * (k + 1))
        if prev is not None:
            s = s + prev @ cur
        prev = cur
    return s


def entries_that_may_be_missing(x):
    d = {}
    for k, v in enumerate(x):
        old = d.get(k % 2)
        d[k % 2] = v if old is None else old * v
    return d[0] + d[1] ** 2


class Attempted:

    def __init__(self):
        self.last = None
        self.n = None
        self.hist = None

    def tried(self, e):
        try:
            d = e - self.last
        except TypeError:
            d = 0.1 * e
        self.last = e
        return d ** 2

    def tried2(self, e):
        d = 0.5
        try:
            d = 2 * e
            p = self.last
            d = p * e
        except TypeError:
            d = d * 3
        finally:
            self.last = e ** 2
        return d

    def inplace(self, v):
        if self.last is None:
            self.last = v.copy()
        else:
            self.last *= v
        return np.sum(self.last ** 2)

    def grows(self, v):
        if self.hist is None:
            self.hist = v[:1]
        else:
            self.hist = np.concatenate([self.hist, v[:2]])
        return self.hist @ self.hist

    def ranks(self, v):
        if self.last is None:
            self.last = 1.0
        elif self.n is None:
            self.last = self.last * v
            self.n = 2
        else:
            self.last = np.outer(self.last, v) ** self.n
        return np.sum(self.last)

    def reset(self):
        self.last = None

    def either(self, v):
        p = self.last
        s = v
        if p is not None:
            s = p * v
        self.last = s
        return s

    def later(self, v):
        p = self.last
        if v > 10:
            return v
        if p is None:
            self.last = v
            return v ** 2
        q = p * v
        self.last = q
        return q

    def view(self, v):
        if self.last is None:
            self.last = v
        r = self.last[1:] * 2
        self.last = self.last[::-1]
        return np.sum(r * r)

    def swap(self, v):
        old, self.last = (self.last, v)
        return v if old is None else old * v


class Unit:

    def __init__(self, v):
        self.v = v

    def __add__(self, o):
        return Unit(self.v ** 2) if o is None else Unit(self.v + o)

    def __radd__(self, o):
        return Unit(self.v + o)


class Walker:

    def __init__(self):
        self.p = None

    def go(self, u):
        r = u + self.p
        self.p = r.v
        return r


def none_in_a_try(x):
    a = Attempted()
    return sum(a.tried(v) for v in x)


def none_in_a_try_with_finally(x):
    a = Attempted()
    return sum(a.tried2(v) for v in x)


def changed_in_place_later(x):
    a = Attempted()
    return sum(a.inplace(x * k) for k in (1, 2, 3))


def grows_from_none(x):
    a = Attempted()
    return sum(a.grows(x * k) for k in (1, 2, 3))


def other_ranks(x):
    a = Attempted()
    return sum(a.ranks(x[:2] * k) for k in (1, 2, 3))


def reset_to_none(x):
    a = Attempted()
    s = 0.0
    for k, v in enumerate(x):
        s = s + a.either(v)
        if k % 2:
            a.reset()
    return s * s


def returned_early(x):
    a = Attempted()
    return sum(a.later(v) * v for v in x)


def exchanged_with_none(x):
    a = Attempted()
    return sum(a.swap(v) ** 2 for v in x)


def none_added_to_an_object(x):
    w = Walker()
    return sum(w.go(Unit(v)).v for v in x)


def two_that_change_places(x):
    a = Attempted()
    b = Attempted()
    a.last = x[0]
    for v in x:
        a, b = (b, a)
        if a.last is None:
            a.last = v
        else:
            a.last = a.last * v
    return a.last * b.last


def none_or_smaller(x):
    a = Attempted()
    for v in x:
        if a.last is None or v > a.last:
            a.last = v
    return a.last ** 2


def several_in_a_list(x):
    os = [Attempted() for _ in range(3)]
    for k, v in enumerate(x):
        os[k % 3].either(v)
    return sum(o.last ** 2 for o in os)


def by_a_closure(x):
    a = Attempted()

    def f(v):
        a.last = v if a.last is None else a.last + v ** 2
    for v in x:
        f(v)
    return a.last


def stays_none(x):
    a = Attempted()
    for k in range(0):
        a.last = x[0]
    return x[0] ** 2 if a.last is None else a.last * 2


class Smoother:
    def __init__(self, alpha, beta):
        self.alpha, self.beta = alpha, beta
        self.level = None
        self.trend = 0.0
        self.residuals: list[float] = []

    def update(self, y):
        if self.level is None:
            self.level = y
            return y
        forecast = self.level + self.trend
        error = y - forecast
        self.residuals.append(error)
        self.level = forecast + self.alpha * error
        self.trend += self.alpha * self.beta * error
        return forecast


def exponential_smoothing(x):
    model = Smoother(x[0], x[1])
    for y in x:
        model.update(y)
    return sum(e ** 2 for e in model.residuals) / len(model.residuals)


case(exponential_smoothing, V)


class Buffered:
    def __init__(self):
        self.buf = None

    def tried(self, v):
        try:
            s = np.sum(self.buf * v)
        except TypeError:
            s = np.sum(v) * 0.5
        self.buf = v * 2
        return s

    def tried_late(self, v):
        s = 0.0
        try:
            s = v @ v
            b = self.buf
            c = b * v
            s = s + np.sum(c * b)
        except TypeError:
            s = s * 3
        self.buf = v ** 2
        return s

    def early(self, v, k):
        b = self.buf
        self.buf = np.sin(v)
        if k > 1:
            return np.sum(b[1:] * v[1:])
        return np.sum(v)

    def loop(self, v):
        s = 0.0
        for k in range(3):
            if self.buf is not None:
                b = self.buf
                s = s + b @ v
            self.buf = v * (k + 1)
        return s


def array_that_is_none_in_a_try(x):
    a = Buffered()
    return sum(a.tried(x * k) for k in (1, 2, 3))


def array_that_is_none_late_in_a_try(x):
    a = Buffered()
    return sum(a.tried_late(x * k) for k in (1, 2, 3))


def array_read_before_it_is_known(x):
    a = Buffered()
    return sum(a.early(x * k, k) for k in (1, 2, 3))


def array_in_a_loop(x):
    a = Buffered()
    return a.loop(x) + a.loop(x * 2)


for function in (array_that_is_none_in_a_try, array_that_is_none_late_in_a_try, array_read_before_it_is_known, array_in_a_loop):
    case(function, V)
for function in (controller, controller_with_branches, differences, back_propagation, smoothed, lazy_norm,
                 optimizer_in_the_function, largest, nearest, default_argument, optional_arguments, first_that_fits,
                 fitted, filtered, products_of_neighbours, entries_that_may_be_missing, none_in_a_try,
                 none_in_a_try_with_finally, changed_in_place_later, grows_from_none, other_ranks, reset_to_none,
                 returned_early, exchanged_with_none, none_added_to_an_object, two_that_change_places, none_or_smaller,
                 several_in_a_list, by_a_closure, stays_none):
    case(function, V)
