"""Programs of strangers that were refused, crashed or were wrong once, and some that were right: orders 1 and 2."""

import functools
import math
import operator
from abc import ABC, abstractmethod
from collections import deque

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
RANDOM = np.random.default_rng(23)
V = RANDOM.normal(size=3)
M = RANDOM.normal(size=(4, 5))


def case(function, *args, **options):
    PROGRAMS.add(function, *args, **{"oracle": False, **options})


# --- second derivatives where a cotangent is zero, but not constant ------------------------------------

def guarded_logarithms(x):
    a = np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), x)
    b = np.where(np.abs(x) < 1e-8, 1.0, np.sin(x) / np.where(x == 0, 1, x))
    m = x > 0
    out = np.zeros_like(x)
    out[m] = np.sqrt(x[m])
    out[~m] += x[~m] ** 2
    return np.sum(a * b) + out.sum() + np.nansum(np.where(m, x, np.nan))


case(guarded_logarithms, np.array([1.0, -2.0, 0.5, 0.3, -0.1]))


def log_barrier(x, t):
    slack = np.where(x < 2, 2 - x, 1.0)
    inside = np.sum(np.where(x < 2, np.log(slack), 0.0) ** 2)
    return inside + t * np.sum(np.maximum(x, 0) ** 3 / np.sqrt(x * x + 1))


case(log_barrier, np.array([1.0, 0.3, 3.0]), 0.5, inputs=("x", "t"))


def residuals_of_zero(x, y):
    with np.errstate(invalid="ignore"):
        r = np.where(y > 0, np.log(y) - x, np.sqrt(-y + 1e-3))
    return (r[0] * r[1]) ** 2 + np.sum(r * r)


case(residuals_of_zero, np.array([0.0, 1.0, 2.0]), np.array([1.0, np.e, -1.0]), inputs=("x", "y"))


def entropy_gap(p, q):
    m = p > 0
    d = np.zeros_like(p)
    d[m] = p[m] * np.log(p[m] / q[m])
    return d.sum() ** 2 + np.where(m, np.sqrt(np.where(m, p, 1.0)) - np.sqrt(q), 0).prod()


case(entropy_gap, np.array([0.2, 0.3, 0.5]), np.array([0.2, 0.3, 0.5]), inputs=("p", "q"))


# --- early returns of what a loop works on ---------------------------------------------------------------

def arnoldi(A, b, k=3):
    n = A.shape[0]
    Q = np.zeros((n, k + 1))
    H = np.zeros((k + 1, k))
    Q[:, 0] = b / np.linalg.norm(b)
    for j in range(k):
        v = A @ Q[:, j]
        for i in range(j + 1):
            H[i, j] = Q[:, i] @ v
            v = v - H[i, j] * Q[:, i]
        H[j + 1, j] = np.linalg.norm(v)
        if H[j + 1, j] < 1e-12:
            return Q[:, :j + 1], H[:j + 1, :j + 1]
        Q[:, j + 1] = v / H[j + 1, j]
    return Q, H


case(arnoldi, M @ M.T + M[:, :4], M[:, 4], inputs=("A", "b"))


def power_basis(A, b, eps, k=3):
    Q = np.zeros((3, k + 1))
    Q[:, 0] = b
    for j in range(k):
        v = A * Q[:, j]
        if v[0] < eps:
            return Q[:, :j + 1]
        Q[:, j + 1] = v
    return Q


for eps in (-10.0, 10.0, 0.3):
    case(power_basis, np.array([0.5, 0.8, 1.2]), np.array([1.0, 0.7, -0.4]), eps, inputs=("A", "b"))


def three_ways_out(x, limit):
    y = x.copy()
    w = y[1:]
    n = 0
    while n < 5:
        y[0] += 0.5 * y[1] ** 2
        if y[0] > limit:
            return w, y[:2]
        w *= 1.1
        if n > 2 and limit < 0:
            r = y[::-1]
            break
        n += 1
    else:
        r = y * 2
    y[-1] = y[0] * y[1]
    return r, y


for limit in (1.0, 3.0, 100.0, -1e9):
    case(three_ways_out, np.array([0.4, 0.9, 1.3]), limit)


def relaxed_until_close(u, tol):
    old, new = u.copy(), np.empty_like(u)
    for _ in range(4):
        for i in range(1, len(u) - 1):
            new[i] = 0.5 * (old[i - 1] + old[i + 1]) + 0.1 * old[i] ** 2
        new[0], new[-1] = old[0], old[-1]
        if np.max(np.abs(new - old)) < tol:
            return new
        old, new = new, old
    return old * 3


for tol in (0.0, 0.6, 100.0):
    case(relaxed_until_close, M[0], tol)


# --- lists that hold the last few items, and who holds them ----------------------------------------------

def last_two(x):
    kept = []
    for _ in range(4):
        for s in kept:
            x = x + s * s
        kept.append(np.sin(x))
        if len(kept) > 2:
            kept.pop(0)
    return x


case(last_two, 0.7)


def last_two_of_a_deque(x):
    kept = deque(maxlen=2)
    for _ in range(4):
        for s in kept:
            x = x + s * kept[0]
        kept.append(np.sin(x))
    return x


case(last_two_of_a_deque, 0.7)


def sum_of_squares(items):
    total = 0
    for v in items:
        total += v * v
    return total


def top_replaced_for_a_function(x):
    kept = [x, 2 * x]
    for _ in range(4):
        x = x + sum_of_squares(kept)
        kept.pop()
        kept.append(np.sin(x))
    return x


case(top_replaced_for_a_function, 0.3)


def history_for_a_function(x):
    kept = [x, 2 * x]
    for _ in range(4):
        x = x + sum_of_squares(kept)
        kept.append(np.sin(x))
    return x


case(history_for_a_function, 0.3)


def second_name_before_and_after(x):
    kept = [x, 2 * x]
    previous = kept
    for _ in range(4):
        seen = kept
        x = x + seen[0] * seen[-1] + previous[0] * previous[-1]
        previous = kept
        kept.append(np.sin(x))
        kept.pop(0)
        x = x + seen[0] * seen[1]
    return x + len(previous)


case(second_name_before_and_after, 0.3)


def lbfgs(x0, c, m=2, n=3):
    def grad(x):
        return np.array([-400 * x[0] * (x[1] - x[0] ** 2) - 2 * (c - x[0]), 200 * (x[1] - x[0] ** 2)]) * 0.01

    x, g = x0, grad(x0)
    S, Y = [], []
    for _ in range(n):
        q = g.copy()
        factors = []
        for s, y in zip(reversed(S), reversed(Y)):
            a = (s @ q) / (y @ s)
            factors.append(a)
            q -= a * y
        if S:
            q *= (S[-1] @ Y[-1]) / (Y[-1] @ Y[-1])
        for (s, y), a in zip(zip(S, Y), reversed(factors)):
            q += (a - (y @ q) / (y @ s)) * s
        xn = x - 0.3 * q
        gn = grad(xn)
        S.append(xn - x)
        Y.append(gn - g)
        if len(S) > m:
            S.pop(0)
            Y.pop(0)
        x, g = xn, gn
    return x @ x


case(lbfgs, np.array([-0.5, 0.6]), 1.0, inputs=("x0", "c"))


# --- methods as values, stars, windows, classes --------------------------------------------------------

LOSSES = {"huber": lambda r, d: np.where(np.abs(r) <= d, 0.5 * r**2, d * (np.abs(r) - 0.5 * d)),
          "cauchy": lambda r, d: d**2 / 2 * np.log1p((r / d) ** 2)}


def robust_fit(w, X, y, *, loss="huber", delta=None, reduction="mean"):
    r = X @ w - y
    if delta is None:
        delta = 1.345 * np.median(np.abs(r - np.median(r))) / 0.6745
    rho = LOSSES[loss](r, delta)
    return getattr(rho, reduction)()


case(robust_fit, M[0], M, M[:, 0] ** 2)
case(robust_fit, M[0], M, M[:, 0] ** 2, loss="cauchy", reduction="sum")


def methods_in_a_list(x, **options):
    chosen = [x.sum, x.mean, (x * x).prod]
    x = x * 2
    rows = (x[:, None] * x).sum
    return chosen[0]() * chosen[2]() + sum(m() for m in chosen) + rows(**{"axis": 0, "keepdims": True})[0, 1]


case(methods_in_a_list, V)


def reshaped(x, *shape, order="C"):
    y = x.reshape(*shape, order=order)
    z = y.transpose(*(1, 0)) if y.ndim == 2 else y.transpose(0, 2, 1)
    return (z * np.arange(z.size).reshape(z.shape)).sum() ** 2 + z.reshape(-1, *z.shape[1:]).ravel()[0] ** 3


def reshaped_by_stars(x):
    return reshaped(x, 2, 3) + reshaped(x, 3, -1, order="F") + reshaped(x, *(1, 2, 3))


case(reshaped_by_stars, M.ravel()[:6])


def pooled(x, size=2, reduce="max", strides=None):
    s = strides or (size, size)
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size))[::s[0], ::s[1]]
    return getattr(windows, reduce)(axis=(-1, -2)) * np.arange(1, 3)


case(pooled, M)
case(pooled, M, reduce="std", size=3, strides=(1, 2))


def windows_and_convolutions(x, w):
    v = np.lib.stride_tricks.sliding_window_view(x, len(w))
    return (v @ w[::-1] - np.convolve(x, w, mode="valid") + np.convolve(x, w, "same")[:len(v)]) ** 2


case(windows_and_convolutions, M.ravel()[:7], V, inputs=("x", "w"))


class Kernel(ABC):
    @abstractmethod
    def __call__(self, a, b):
        ...

    def __add__(self, other):
        return Sum(self, other)

    def __mul__(self, other):
        return Product(self, other) if isinstance(other, Kernel) else Product(Constant(other), self)

    __rmul__ = __mul__


class Constant(Kernel):
    def __init__(self, c):
        self.c = c

    def __call__(self, a, b):
        return self.c * np.ones((len(a), len(b)))


class Gaussian(Kernel):
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, a, b):
        d2 = ((a[:, None, :] - b[None, :, :]) / self.scale) ** 2
        return np.exp(-0.5 * d2.sum(-1))


class Periodic(Kernel):
    def __init__(self, period, scale=1.0):
        self.period, self.scale = period, scale

    def __call__(self, a, b):
        d = np.linalg.norm(a[:, None] - b[None], axis=-1) + 1e-3
        return np.exp(-2 * np.sin(math.pi * d / self.period) ** 2 / self.scale**2)


class Sum(Kernel):
    def __init__(self, *kernels):
        self.kernels = kernels

    def __call__(self, a, b):
        return functools.reduce(operator.add, (k(a, b) for k in self.kernels))


class Product(Sum):
    def __call__(self, a, b):
        out = 1.0
        for k in self.kernels:
            out = out * k(a, b)
        return out


def evidence_of_kernels(theta, X, y):
    k = theta[0] * Gaussian(theta[1]) + Gaussian(theta[2:4]) * Periodic(theta[4])
    K = k(X, X)
    K[np.diag_indices_from(K)] += theta[5] ** 2
    L = np.linalg.cholesky(K)
    a = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return 0.5 * y @ a + np.log(np.diag(L)).sum()


case(evidence_of_kernels, np.array([1.0, 0.8, 0.5, 0.7, 2.0, 0.5]), M[:, :2], M[:, 2], inputs=("theta", "X"))


# --- stores through .flat of what has other names and values elsewhere: where it lies column by column, they were lost

def flat_store_on_one_path(m, b, c):
    a = m.T
    if c < 0:
        a = a * 2
    else:
        a.flat[3] = b[1, 1] * a[1, 1]
    return a * b


def flat_stores_in_a_loop(m, b, c):
    a = m.T
    for i in range(3):
        a.flat[i + 1] += b[1, 1] * a.flat[i]
        a = a.T
    return a * b * c


def flat_by_a_name(m, b, c):
    a = m.T
    if c < 0:
        a = a * 2
    f = a.flat
    f[2:4] *= b[0, :2]
    a = a * b
    return a


def flat_after_it_is_another_array(m, b, c):
    a = m.T
    f = a.flat
    a = a * b
    f[2:4] = b[0, :2]
    return a * m


def flat_all_and_some(m, b, c):
    a = m.T
    if c > 0:
        a = a[::-1]
    a.flat = b.flat[3] * a.ravel()
    a.flat[[1, 3]] = 7 * b[0, :2]
    return a * m


def flat_where_another_array_follows(m, b, c):
    a = m.T
    for _ in range(2):
        a.flat[3] = b[1, 1] ** 2
    b = (a, b)[int(c > 2)]
    return a * b


S = M[:3, :3]
for function in (flat_store_on_one_path, flat_stores_in_a_loop, flat_by_a_name, flat_after_it_is_another_array, flat_all_and_some,
                 flat_where_another_array_follows):
    case(function, S, S.T ** 2, 1.5, inputs=("m", "b"))
    case(function, S, S.T ** 2, -1.5, inputs=("m", "b"))


# --- the adjoint of a dict holds what is put into it: that must not change in place (wrong at order 2)

def out_of_a_dict_and_changed(a, b):
    p = dict(k=b, j=a)["j"]
    b = p
    b = np.multiply(b, b, out=b)
    return a ** 2


case(out_of_a_dict_and_changed, S, S + 1.0, inputs=("a", "b"))


# --- a method that changes an array which its argument is, too, and that nobody looks at any more

class Scaled:
    def __init__(self, x):
        self.x = x

    def scale(self, y):
        self.x[1] *= 0.7 * y[0]


def changed_for_nobody(a):
    b = a * 1.0
    v = b ** 2
    Scaled(b).scale(b)
    return v


case(changed_for_nobody, V)
