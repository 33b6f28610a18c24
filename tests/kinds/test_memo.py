"""Memo dicts: local, in closures, in objects, with keys of all sorts; and namedtuples computed with."""
from __future__ import annotations

import collections
import functools

import numpy as np
import pytest

from tests.kinds.outcomes import outcome


def e1(x):
    memo = {}
    def fib(n):
        if n < 2: return x
        if n not in memo: memo[n] = fib(n - 1) + fib(n - 2) * x
        return memo[n]
    return fib(6)


def e2(x):
    memo = {}
    for k in range(6): memo[k] = x if k < 2 else memo[k - 1] + memo[k - 2] * x
    return memo[5]


class C2:
    def __init__(self): self._cache = {}
    def k(self, a, x):
        if a not in self._cache: self._cache[a] = np.sin(a * x)
        return self._cache[a]


def e4(x):
    c = C2()
    return c.k(1.0, x) + c.k(2.0, x) * c.k(1.0, x)


def e5(x):
    memo = {}
    def get(i, j):
        if (i, j) not in memo: memo[i, j] = x if i == 0 or j == 0 else get(i - 1, j) + get(i, j - 1) * x
        return memo[i, j]
    return get(2, 2)


def e6(x):
    memo = {}
    def get(name):
        if name not in memo: memo[name] = {"a": x, "b": x * x}[name]
        return memo[name]
    return get("a") * get("b") * get("a")


def e8(x):
    memo = {0: x, 1: x * x}
    for n in range(2, 6): memo.setdefault(n, memo[n - 1] + memo[n - 2])
    return memo[5]


def e9(x):
    memo = {}
    r = memo.get("a")
    if r is None: r = memo["a"] = x ** 2
    return r * memo["a"]


def e10(x):
    @functools.lru_cache(None)
    def p(n): return x if n == 0 else p(n - 1) * x
    return p(4)


@functools.lru_cache(None)
def binom(n, k): return 1 if k in (0, n) else binom(n - 1, k - 1) + binom(n - 1, k)


def e11(x): return sum(binom(5, k) * x ** k for k in range(6))


class C3:
    def __init__(self, x): self.x, self._c = x, None
    def c(self):
        if self._c is None: self._c = np.exp(self.x)
        return self._c


def e12(x):
    o = C3(x)
    return o.c() * o.c()


class C4:
    def __init__(self, x): self.x = x
    @functools.cached_property
    def sq(self): return self.x ** 2


def e13(x):
    o = C4(x)
    return o.sq * o.sq


class C5:
    def __init__(self): self._cache, self.hits = {}, 0
    def get(self, key, make):
        if key in self._cache:
            self.hits += 1
            return self._cache[key]
        v = self._cache[key] = make()
        return v


def e14(x):
    c = C5()
    return c.get("a", lambda: x * x) + c.get("a", lambda: x * 100) * c.get("b", lambda: x)


def e15(x):
    memo = {}
    def T(n):
        try: return memo[n]
        except KeyError:
            memo[n] = 1.0 if n == 0 else x if n == 1 else 2 * x * T(n - 1) - T(n - 2)
            return memo[n]
    return T(5)


def e16(x):
    memo = collections.defaultdict(float)
    for k in range(4): memo[k % 2] += x ** k
    return memo[0] * memo[1]


G = {}


def e18(x):
    if "k" not in G: G["k"] = 3.0
    return G["k"] * x * x


GC = C2()


def e19(x): return GC.k(1.0, 2.0) * x * x


def e20(x):
    memo = {}
    def f(n, m=memo):
        if n not in m: m[n] = x if n == 0 else f(n - 1) * x
        return m[n]
    return f(3)


P = collections.namedtuple("P", "a b")


def e21(x):
    p = P(x, 2.0); q = P(*[u * v for u, v in zip(p, (x, x))])
    return q.a + q.b * p._replace(a=x * 3).a + sum(p) + len(q)


def e22(x):
    p = P(x, x * x)
    a, b = p
    return a * b + p[0] * p[-1] + p._asdict()["a"] + (p + (x,))[2] + max(p)


def e23(x):
    p = P._make([x, 2 * x])
    return p.a * p.b if p == p and p.a < 100 else 0.0


def e24(x):
    ps = [P(x * i, i) for i in range(3)]
    return sum(p.a * p.b for p in ps) + sum(a for a, _ in ps)


SIBLINGS = [f for name, f in list(globals().items()) if name[0] in "e" and name[1:].isdigit()]
REFUSED = set("e18 e19".split())

@pytest.mark.parametrize("f", SIBLINGS, ids=lambda f: f.__name__)
def test_siblings(f):
    assert outcome(f, 1.3) == ("refused" if f.__name__ in REFUSED else "right")
