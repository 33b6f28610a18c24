"""Classes that say what indexing, attributes, iteration and copies mean."""
import copy
import functools
from collections import Counter, OrderedDict, UserList, deque
from dataclasses import dataclass, field

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
V = np.array([0.3, 0.7, 0.4, 1.1, 0.9])


def case(function, *args, **options):
    PROGRAMS.add(function, *args, **{"oracle": False, **options})


class Scaled(UserList):

    def scaled(self, k):
        return Scaled([v * k for v in self.data])


def scaled_user_list(x):
    u = Scaled(list(x))
    u.append(x[0] * x[1])
    return sum(u.scaled(2.0)) * u[-1]


class Doubling:

    def __init__(self):
        object.__setattr__(self, "_d", {})

    def __setattr__(self, k, v):
        self._d[k] = v * 2

    def __getattr__(self, k):
        return self._d[k]


def attributes_in_a_dict(x):
    v = Doubling()
    v.a = x[0]
    v.b = x[1]
    v.a = v.a * v.b
    return v.a + v.b


class Sparse:

    def __init__(self, n):
        self.n = n
        self.d = {}

    def __setitem__(self, ij, v):
        self.d[ij] = v

    def __getitem__(self, ij):
        i, j = ij
        return self.d.get((i, j), 0.0)

    def __contains__(self, ij):
        return ij in self.d

    def __matmul__(self, o):
        r = Sparse(self.n)
        for i in range(self.n):
            for j in range(self.n):
                s = 0.0
                for k in range(self.n):
                    s += self[i, k] * o[k, j]
                if s != 0.0:
                    r[i, j] = s
        return r

    def trace(self):
        return sum(self[i, i] for i in range(self.n))


def sparse_product(x):
    m = Sparse(3)
    m[0, 0] = x[0]
    m[0, 1] = x[1]
    m[1, 0] = x[2]
    m[2, 2] = x[3]
    m[0, 0] += x[4]
    p = m @ m
    return p.trace() * (2 if (0, 1) in p else 1) + m[0, 1] * len(p.d)


class Pipeline:

    def __init__(self, *steps):
        self.steps = list(steps)

    def __or__(self, f):
        return Pipeline(*self.steps, f)

    def __call__(self, v):
        for f in self.steps:
            v = f(v)
        return v

    def __len__(self):
        return len(self.steps)

    def __getitem__(self, k):
        return self.steps[k]


def steps_in_a_row(x):
    p = Pipeline(np.sin) | (lambda v: v * x[0]) | np.exp
    return np.sum(p(x)) * len(p) + p[1](2.0)


@dataclass
class Chain:
    xs: list = field(default_factory=list)

    def extend(self, vs):
        for v in vs:
            self.append(v)
        return self

    def append(self, v):
        self.xs.append(v)
        return self

    def sum(self):
        return sum(self.xs)

    def map(self, f):
        return Chain([f(v) for v in self.xs])

    def filter(self, f):
        return Chain([v for v in self.xs if f(v)])

    def reduce(self, f, i):
        return functools.reduce(f, self.xs, i)


def chained_methods(x):
    return Chain().extend(x).append(x[0] * 2).map(lambda v: v ** 2).filter(lambda v: v > 0.1).reduce(lambda a, b: a * b + b, 1.0)


class Ring:

    def __init__(self, n):
        self.buf = [0.0] * n
        self.i = 0
        self.full = False

    def append(self, v):
        self.buf[self.i] = v
        self.i = (self.i + 1) % len(self.buf)
        if self.i == 0:
            self.full = True

    def __iter__(self):
        n = len(self.buf) if self.full else self.i
        for k in range(n):
            yield (self.buf[(self.i + k) % len(self.buf)] if self.full else self.buf[k])

    def mean(self):
        vs = list(self)
        return sum(vs) / len(vs)


def ring_buffer(x):
    r = Ring(3)
    s = 0.0
    for v in x:
        r.append(v ** 2)
        s = s + r.mean()
    return s


class Recent:

    def __init__(self, n):
        self.n = n
        self.d = OrderedDict()

    def get(self, k, make):
        if k in self.d:
            return self.d[k]
        v = self.d[k] = make(k)
        if len(self.d) > self.n:
            self.d.pop(next(iter(self.d)))
        return v


def least_recently_used(x):
    c = Recent(2)
    return sum(c.get(k, lambda k: x[k] ** 2) * x[4] for k in (0, 1, 0, 2, 1))


class Matrix:

    def __init__(self, rows):
        self.rows = [list(r) for r in rows]

    def __mul__(self, o):
        return Matrix([[sum((a * b for a, b in zip(r, c))) for c in zip(*o.rows)] for r in self.rows])

    def det(self):
        m = [r[:] for r in self.rows]
        n = len(m)
        d = 1.0
        for i in range(n):
            p = max(range(i, n), key=lambda r: abs(m[r][i]))
            if p != i:
                m[i], m[p] = (m[p], m[i])
                d = -d
            d *= m[i][i]
            for r in range(i + 1, n):
                f = m[r][i] / m[i][i]
                for c in range(i, n):
                    m[r][c] -= f * m[i][c]
        return d

    def transpose(self):
        return Matrix(zip(*self.rows))


def determinants(x):
    a = Matrix([[x[0], x[1], 0.2], [x[2], x[3], 0.1], [0.3, x[4], 1.0]])
    return (a * a.transpose()).det() + a.det() ** 2


def breadth_first(x):
    q = deque([(0, 1.0)])
    out = []
    while q:
        k, w = q.popleft()
        out.append(w * x[k % 5])
        if k < 3:
            q.append((2 * k + 1, w * x[1]))
            q.append((2 * k + 2, w * x[2]))
    return sum(out) * len(out)


def counted(x):
    c = Counter()
    for k, v in enumerate(x):
        c[k % 2] += v * v
    return c[0] * c[1] + sum(c.values())


class Copied:

    def __init__(self, v):
        self.v = v
        self.n = v * 3
        self.w = [v]

    def __copy__(self):
        t = Copied(self.v * 2)
        t.n = 0.0
        return t

    def __getstate__(self):
        return {"v": self.v}

    def bump(self, d):
        if d > 0:
            self.v = self.v + d
        self.w[0] = self.w[0] * d
        return self.n


def copies_are_its_own_business(x):
    t = Copied(x[0])
    r = t.bump(x[1])
    r = r + t.bump(x[2])
    u = t
    for k in range(2):
        r = r * u.bump(x[k])
    return t.v * r * t.n + t.w[0]


def copied_in_its_own_way(x):
    t = Copied(x[0])
    u = copy.copy(t)
    u.bump(x[1])
    return t.v * u.v + u.n + t.w[0]


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a

    def setb(self, b):
        self.b = b

    def bump(self, d):
        self.a = self.a * d


def slots(x):
    s = Slotted(x[0])
    for k in range(3):
        if k:
            s.setb(x[k] * s.a)
        s.bump(x[4])
    return s.a * s.b


class Plain:

    def __init__(self, v):
        self.v = v
        self.w = [v, v * 2]

    def copy(self):
        return copy.copy(self)

    def deep(self):
        return copy.deepcopy(self)


def copied_by_methods(x):
    p = Plain(x[0])
    q = p.copy()
    r = p.deep()
    q.w[0] = x[1]
    r.w[1] = x[2]
    q.v = x[3]
    return p.v * q.v * r.v + p.w[0] * q.w[1] * r.w[1]


for function in (scaled_user_list, attributes_in_a_dict, sparse_product, steps_in_a_row, chained_methods, ring_buffer,
                 least_recently_used, determinants, breadth_first, counted, copies_are_its_own_business,
                 copied_in_its_own_way, slots, copied_by_methods):
    case(function, V)


# --- methods that Python calls without being asked, and that change something

class Fading:
    def __init__(self, value):
        self.value = value

    def __bool__(self):
        self.value = 0.5 * self.value
        return bool(self.value > 0.1)


class Counted:
    def __init__(self, value):
        self.value = value
        self.asked = []

    def __lt__(self, other):
        self.asked.append(other)
        return bool(self.value < other.value)


class Listed:
    """What it makes for itself is no change."""

    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __str__(self):
        parts = ["listed"]
        parts.append("values")
        parts[0] = parts[0] + ":"
        return " ".join(parts)


def truth_that_fades(x):
    fading, steps = Fading(x), 0
    while fading:
        steps += 1
    return fading.value * steps


def order_that_counts(x):
    a, b = Counted(x), Counted(3.0 * x)
    first = min([b, a])
    return first.value * len(b.asked) * b.value


def text_of_its_own(x):
    listed = Listed([x, x * x])
    return listed.values[1] * len(str(listed)) if listed else x


case(truth_that_fades, 0.5, oracle=False, may_refuse=True)
case(order_that_counts, 0.5, oracle=False, may_refuse=True)
case(text_of_its_own, 0.5, oracle=False)


# --- arrays and lists that stand in a class: all objects share them

class Shared:
    total = np.zeros(2)
    log = []

    def add(self, v):
        self.total += v

    def note(self, v):
        self.log.append(v)


class OfItsOwn(Shared):
    table = np.array([1.0, 2.0])

    def __init__(self):
        self.total = np.zeros(2)
        self.log = []

    def add(self, v):
        super().add(v * self.table)


def total_of_the_class(x):
    a, b = Shared(), Shared()
    if x[0] > 100.0:
        a.add(x)
        b.add(x)
    r = np.sum(a.total * x)
    a.total -= a.total.copy()
    return r


def log_of_the_class(x):
    a = Shared()
    a.note(x * x)
    return np.sum(a.log.pop())


def total_of_the_object(x):
    a = OfItsOwn()
    a.add(x)
    a.note(x)
    return np.sum(a.total ** 2) + a.log[0][1]


case(total_of_the_class, np.array([0.5, 2.0]), oracle=False, may_refuse=True)
case(log_of_the_class, np.array([0.5, 2.0]), oracle=False, may_refuse=True)
case(total_of_the_object, np.array([0.5, 2.0]), oracle=False)


class Lazily:
    def __init__(self, x):
        self.base = x

    def __getattr__(self, name):
        if name == "square":
            return self.base ** 2
        raise AttributeError(name)


def made_and_then_stored(x):
    lazy = Lazily(x)
    a = lazy.square
    lazy.square = lazy.base * 3
    return np.sum(a + lazy.square)


class Clamped:
    def __init__(self, v):
        self._v = v

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, new):
        self._v = new


class Items:
    def __init__(self, items):
        self.items = items

    def __getitem__(self, k):
        return self.items[k]

    def __setitem__(self, k, new):
        self.items[k] = new


class Record:
    def __init__(self, v):
        self.__dict__["data"] = {"w": v}

    def __getattr__(self, name):
        return self.data[name]

    def __setattr__(self, name, new):
        self.data[name] = new


def property_of_an_array(x):
    y = x * 1.0
    c = Clamped(y)
    c.v *= 1.5
    return np.sum(c.v * y)


def property_of_a_number(x):
    c = Clamped(x[0])
    c.v *= 1.5
    c.v += x[1]
    return c.v * np.sum(x)


def items_of_a_class(x):
    arrays = [x * 1.0, x * 2.0]
    first = arrays[0]
    c = Items(arrays)
    c[0] += 1.5 * x
    c[1] -= x
    return np.sum(c[0] * first * arrays[1])


def entries_by_attribute(x):
    y = x * 1.0
    c = Record(y)
    c.w *= 1.5
    return np.sum(c.w * y)


case(made_and_then_stored, np.array([0.5, 2.0]), oracle=False, may_refuse=True)
for program in (property_of_an_array, property_of_a_number, items_of_a_class, entries_by_attribute):
    case(program, np.array([0.5, 2.0]), oracle=False)


def one_for_all(x, y):
    a = x * y
    a[...] = a * a
    return np.sum((a + x) ** 2)


case(one_for_all, np.array([0.7]), np.arange(9.0).reshape(3, 3), oracle=False)
