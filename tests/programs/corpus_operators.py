"""Classes with operators: ordering, conversions, sums of objects, descriptors, properties."""
import functools
import numbers

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
V = np.array([0.3, 0.7, 0.4, 1.1, 0.9])


def case(function, *args, **options):
    PROGRAMS.add(function, *args, **{"oracle": False, **options})


@functools.total_ordering
class Money:

    def __init__(self, v, c="EUR"):
        self.v = v
        self.c = c

    def __eq__(self, o):
        return self.c == o.c and self.v == o.v

    def __lt__(self, o):
        return self.v < o.v

    def __hash__(self):
        return hash(self.c)

    def __add__(self, o):
        return Money(self.v + (o.v if isinstance(o, Money) else o), self.c)
    __radd__ = __add__

    def __bool__(self):
        return bool(self.v)

    def __float__(self):
        return float(self.v)

    def __neg__(self):
        return Money(-self.v, self.c)

    def __abs__(self):
        return Money(abs(self.v), self.c)

    def __round__(self, n=0):
        return Money(self.v * 2, self.c)

    def __format__(self, s):
        return f"{self.v:{s}}"

    def __divmod__(self, o):
        return (self.v / o, self.v * o)

    def __floordiv__(self, o):
        return self.v * o * 3

    def __mod__(self, o):
        return self.v + o

    def __pow__(self, n):
        return Money(self.v ** n, self.c)

    def __rpow__(self, b):
        return b ** self.v

    def __invert__(self):
        return 1 / self.v

    def __and__(self, o):
        return self.v * o.v

    def __lshift__(self, o):
        return Money(self.v * o)

    def __rsub__(self, o):
        return o - self.v

    def __rtruediv__(self, o):
        return o / self.v

    def __index__(self):
        return 2

    def __contains__(self, k):
        return k == self.c

    def __call__(self, k):
        return self.v * k

    def __ne__(self, o):
        return not self == o


class Positive:

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, o, t=None):
        return getattr(o, self.name)

    def __set__(self, o, v):
        setattr(o, self.name, v * v)


class Par:
    a = Positive()
    b = Positive()

    def __init__(self, a, b):
        self.a = a
        self.b = b


class Unit:

    def __init__(self, v, u):
        self.v, self.u = (v, u)

    def __mul__(self, o):
        if isinstance(o, Unit):
            return Unit(self.v * o.v, self.u + o.u)
        if isinstance(o, numbers.Number):
            return Unit(self.v * o, self.u)
        return NotImplemented
    __rmul__ = __mul__

    def __truediv__(self, o):
        return Unit(self.v / o.v, self.u - o.u) if isinstance(o, Unit) else Unit(self.v / o, self.u)

    def __rtruediv__(self, o):
        return Unit(o / self.v, -self.u)

    def __add__(self, o):
        if self.u != o.u:
            raise TypeError("units")
        return Unit(self.v + o.v, self.u)

    def __repr__(self):
        return f"{self.v} m^{self.u}"


class Dual:

    def __init__(self, a, b=0.0):
        self.a, self.b = (a, b)

    @staticmethod
    def lift(o):
        return o if isinstance(o, Dual) else Dual(o)

    def __add__(self, o):
        o = Dual.lift(o)
        return Dual(self.a + o.a, self.b + o.b)
    __radd__ = __add__

    def __mul__(self, o):
        o = Dual.lift(o)
        return Dual(self.a * o.a, self.a * o.b + self.b * o.a)
    __rmul__ = __mul__

    def sin(self):
        return Dual(np.sin(self.a), np.cos(self.a) * self.b)


class Interval:

    def __init__(self, lo, hi):
        self.lo, self.hi = (lo, hi)

    def __mul__(self, o):
        ps = [self.lo * o.lo, self.lo * o.hi, self.hi * o.lo, self.hi * o.hi]
        return Interval(min(ps), max(ps))

    def __or__(self, o):
        return Interval(min(self.lo, o.lo), max(self.hi, o.hi))

    def __iter__(self):
        yield self.lo
        yield self.hi

    def __len__(self):
        return 2


class Lin:
    __array_priority__ = 1000

    def __init__(self, A):
        self.A = A

    def __matmul__(self, v):
        return self.A @ v

    def __rmatmul__(self, v):
        return v @ self.A

    @property
    def T(self):
        return Lin(self.A.T)

    def __rmul__(self, k):
        return Lin(k * self.A)

    def __add__(self, o):
        return Lin(self.A + o.A)

    def __getitem__(self, ij):
        return self.A[ij]

    @property
    def shape(self):
        return self.A.shape


class Temp:

    def __init__(self, c):
        self._c = c
        self.reads = 0

    @property
    def f(self):
        self.reads += 1
        return self._c * 9 / 5 + 32

    @f.setter
    def f(self, v):
        self._c = (v - 32) * 5 / 9

    @f.deleter
    def f(self):
        self._c = 0.0


class V3:

    def __init__(self, x=0.0, y=0.0):
        self.x = x
        self.y = y

    def __add__(self, o):
        return V3(self.x + o.x, self.y + o.y) if isinstance(o, V3) else self

    def __radd__(self, o):
        return self

    def __mul__(self, k):
        return V3(self.x * k, self.y * k)


class NoR:

    def __init__(self, v):
        self.v = v

    def __add__(self, o):
        return NoR(self.v + o.v)


def sorted_money(x):
    a, b = (Money(x[0]), Money(x[1]))
    s = sum([a, b, Money(x[2])])
    m = max(a, b)
    r = sorted([a, b, Money(x[3])])
    return s.v * m.v * r[0].v + (a <= b) * x[4] + (a >= b)


def operators_of_money(x):
    a = Money(x[0])
    return float(a) * (-a).v * abs(a).v + (a ** 2).v + 2.0 ** a + ~a + (a & Money(x[1])) + (a << 3).v + (1 - a) + 2 / a + a(x[2])


def keys_with_a_hash(x):
    d = {Money(1.0, "A"): x[0], Money(2.0, "B"): x[1]}
    return d[Money(1.0, "A")] * 2 + len(d)


def descriptors_that_square(x):
    p = Par(x[0], x[1])
    p.a = p.a + p.b
    return p.a * p.b


def units(x):
    m = Unit(x[0], 1)
    n = Unit(x[1], 1)
    e = m * n / Unit(x[2], 1) + n * 2.0 + 3 * m
    try:
        e = (m + m * m) * 2.0
    except TypeError:
        e = e * x[3]
    return e.v * e.u + (1 / m).v


def dual_numbers(x):
    d = Dual(x[0], 1.0)

    def f(z):
        return 3 * z * z + z.sin() * x[1] + 2

    r = f(d)
    return r.b * r.a


def intervals(x):
    i = Interval(x[0], x[1]) * Interval(-x[2], x[3]) | Interval(x[4], x[4] + 1)
    lo, hi = i
    return lo * hi + sum(i)


def linear_maps(x):
    L = Lin(np.outer(x, x))
    M = 2.0 * L + L.T
    return np.sum(M @ x) + np.sum(x @ M) + M[0, 1] * M.shape[0] + np.sum(M[1:, 0])


def generators(x):

    def gen(n):
        a, b = (x[0], x[1])
        for _ in range(n):
            yield a
            a, b = (b, a * b + 0.1)
    return sum((v * k for k, v in enumerate(gen(5)))) + max(gen(3)) + [*gen(2)][1]


def properties_that_count(x):
    t = Temp(x[0])
    t.f += x[1]
    y = t.f * t._c
    return y * t.reads


def sum_of_money(x):
    s = sum([Money(v) for v in x])
    return s.v ** 2


def sums_of_vectors(x):
    vs = [V3(x[0], x[1]), V3(x[2], x[3])]
    a = sum(vs)
    b = sum(vs, V3(1.0, 2.0))
    c = sum(v * 2.0 for v in vs)
    d = sum((v * w for v, w in zip(vs, x)), V3())
    return a.x * b.y + c.x * d.y


def sum_of_a_tuple(x):
    vs = (V3(x[0], x[1]), V3(x[2], x[3]))
    return sum(vs).x * sum(vs, start=V3(x[4])).x


def sum_of_entries(x):
    d = {"a": V3(x[0], x[1]), "b": V3(x[2], x[3])}
    return sum(d.values()).x ** 2 + sum((v for k, v in d.items() if k != "a")).y


def sum_with_a_start(x):
    return sum([NoR(v) for v in x], NoR(0.0)).v ** 2


def sum_of_nothing(x):
    return sum([V3(v) for v in x if v > 100], V3(x[0])).x


def sum_of_no_objects(x):
    vs = [V3(v) for v in x if v > 100]
    return x[0] * (1 if sum(vs) == 0 else 2)


for function in (sorted_money, operators_of_money, keys_with_a_hash, descriptors_that_square, units, dual_numbers,
                 intervals, linear_maps, generators, properties_that_count, sum_of_money, sums_of_vectors, sum_of_a_tuple,
                 sum_of_entries, sum_with_a_start, sum_of_nothing, sum_of_no_objects):
    case(function, V)
