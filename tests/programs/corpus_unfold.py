"""Callees that return parts of what they get, or one of several things: the caller changes that."""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
V = np.array([0.3, 0.7, 0.4, 1.1, 0.9])
M = np.arange(1.0, 10.0).reshape(3, 3) / 7 + np.eye(3)


def case(*args, **options):
    def add(function):
        PROGRAMS.add(function, *args, **{"oracle": False, **options})
        return function
    return add


def window(a, i, n=2):
    return a[i:i + n]


def either(a, b, flag):
    if flag:
        return a
    return b


def tail_of(a):
    k = len(a) // 2
    return a[k:]


def prepared(a, copy):
    """As sklearn does."""
    if copy:
        a = a.copy()
    return a


def scaled(a, s, inplace=False):
    if not inplace:
        a = a.copy()
    a *= s
    return a


@case(V)
def windows_with_default(x):
    a = x.copy()
    for i in range(4):
        w = window(a, i)
        w *= 1.0 + w[0]
        v = window(a, i - 1, 1) if i else window(a, 0, 1)
        v += w[-1]
    return np.sum(a ** 2)


@case(V)
def windows_of_windows(x):
    a = x.copy()
    o = window(a, 1, 4)
    n = window(o, 1, 2)
    n[:] = n * o[:2]
    o[0] += n[1]
    return np.sum(a ** 2) + np.sum(n)


@case(V)
def chosen_array(x):
    a, b = (x.copy(), x ** 2)
    for k in range(4):
        c = either(a, b, k % 2 == 0)
        c[k] += c[k - 1] * 0.5
    return np.sum(a * b)


@case(V)
def chosen_by_value(x):
    a, b = (x.copy(), x ** 2)
    for k in range(5):
        c = either(a, b, x[k] > 0.5)
        d = either(b, a, x[k] > 0.8)
        c[k] += d[k - 1] * 0.5
        d *= 1.1
    return np.sum(a * b)


@case(V)
def second_half(x):
    a = x.copy()
    h = tail_of(a)
    h[:2] += a[:2]
    tail_of(h)[0] = 3 * h[0]
    return np.sum(a ** 2)


@case(V)
def copied_if_wanted(x):
    a = x * 2
    b = prepared(a, True)
    b[0] = 5 * x[1]
    c = prepared(a, False)
    c[1] = a[0] * b[0]
    return np.sum(a * b * c)


@case(V)
def copied_if_wanted_by_value(x):
    a = x * 2
    for k in range(3):
        b = prepared(a, x[k] > 0.35)
        b[k] = a[k - 1] * b[k]
    return np.sum(a * b)


@case(V)
def in_place_option(x):
    a = x * 2
    b = scaled(a, x[0])
    c = scaled(a, x[1], inplace=True)
    a[0] += b[0]
    return np.sum(a * b * c)


@case(V)
def in_place_option_by_value(x):
    a = x * 2
    for k in range(3):
        c = scaled(a, x[k] + 1, inplace=x[k] > 0.35)
        c[k] += 1.0
    return np.sum(a * c)


class Buffer:

    def __init__(self, n):
        self.data = np.zeros(n)
        self.lo = 0

    def view(self, n):
        v = self.data[self.lo:self.lo + n]
        self.lo += n
        return v

    def block(self, i):
        return self.data[2 * i:2 * i + 2]

    def select(self, i):
        if i > 1:
            return self.data[i:]
        else:
            return self.data[:i + 1].copy()


@case(V)
def allocator(x):
    b = Buffer(8)
    u = b.view(3)
    v = b.view(2)
    u[:] = x[:3]
    v[:] = u[:2] * x[3]
    u[0] += v[1]
    return np.sum(b.data ** 2) + b.lo


@case(V)
def blocks(x):
    b = Buffer(6)
    b.data[:5] = x
    for i in range(2):
        p, q = (b.block(i), b.block(i + 1))
        q += p * p
        p[0] = q[1]
    return np.sum(b.data ** 2)


@case(V)
def selected(x):
    b = Buffer(5)
    b.data[:] = x
    for i in range(4):
        s = b.select(i)
        s *= 2.0
        s[-1] += b.data[0]
    return np.sum(b.data ** 2) + np.sum(s)


@case(M)
def block_of_matrix(m):

    def block(a, i, j):
        return a[i:i + 2, j:j + 2]
    a = m.copy()
    block(a, 0, 1)[:] = block(a, 1, 0) @ block(a, 0, 0)
    b = block(a, 1, 1)
    b -= b.T @ b * 0.1
    return np.sum(a ** 2)


@case(M)
def row_or_column(m):

    def line(a, k, by_rows):
        return a[k] if by_rows else a[:, k]
    a = m.copy()
    for k in range(3):
        r = line(a, k, True)
        c = line(a, k, False)
        r /= r[k]
        c -= r * 0.3
    return np.sum(a ** 2)


@case(V)
def recursion_on_halves(x):

    def fill(a, d):
        if len(a) < 2:
            a *= 2.0
            return a
        h = len(a) // 2
        l, r = (a[:h], a[h:])
        fill(l, d + 1)
        fill(r, d + 1)
        l[0] += r[0] * 0.1
        return a
    a = x.copy()
    fill(a, 0)
    return np.sum(a ** 2)


@case(V)
def largest_row(x):

    def pick(a):
        return a[int(np.argmax(a[:, 0]))]
    a = np.outer(x, x[:3])
    r = pick(a)
    r *= 0.3
    pick(a)[2] = r[1] ** 2
    return np.sum(a ** 2)


@case(V)
def dict_choice(x):
    d = {'a': x.copy(), 'b': x ** 2}

    def get(k):
        return d[k]
    for k in 'ab':
        get(k)[1:] *= get('a')[0]
    return np.sum(d['a'] * d['b'])


@case(V)
def kw_out_loop(x):

    def smooth(a, out=None):
        out = a.copy() if out is None else out
        out[1:-1] = 0.5 * (a[2:] + a[:-2])
        return out
    u, v = (x.copy(), x * 0)
    for k in range(4):
        r = smooth(u, v if k % 2 else None)
        u, v = (r, u)
    return np.sum(u * v)


@case(V)
def copy_true(x):
    a = x * 1.5
    c = np.array(a, copy=True)
    a[0] = x[1]
    return np.sum(a * c)


@case(V)
def maybe_copy_loop_inline(x):
    a = x * 2
    for f in (True, False):
        b = a if f else a.copy()
        b *= b
    return np.sum(a)


@dataclass
class Log:
    entries: list = field(default_factory=list)
    scale: float = 1.0
    total: float = field(init=False, default=0.0)

    def __post_init__(self):
        self.scale = self.scale * 2

    def add(self, v):
        self.entries.append(v)
        self.total += v


@case(V)
def post_init(x):
    l = Log(scale=x[0])
    for i, v in enumerate(x):
        l.add(v * l.scale)
    return l.total - l.entries[-1] ** 2


def sum_into(a, b, out=None):
    if out is None:
        out = np.empty_like(a)
    np.add(a, b, out=out)
    return out


def sum_given_back(a, b, out=None):
    if out is None:
        out = np.empty_like(a)
    return np.add(a, b, out=out)


def handed_on(a, b, out=None):
    return np.add(a, b, out=out)


@case(V)
def allocates_its_output(x):
    return np.sum(sum_into(x, x) ** 2)


@case(V)
def output_given_or_made(x):
    u = x.copy()
    v = sum_given_back(u, x)
    w = sum_given_back(v, u, v)
    return np.sum(u ** 2 * v * w)


@case(V)
def output_handed_on(x):
    u = x.copy()
    v = handed_on(u, x)
    w = handed_on(v, u, v)
    return np.sum(u ** 2 * v * w)


@case(V)
def output_by_default(x, out=None):
    if out is None:
        out = np.empty_like(x)
    np.multiply(x, x, out=out)
    return np.sum(out)


class Stack2:

    def __init__(self):
        self.items = []

    def __len__(self):
        return len(self.items)

    def push(self, v):
        self.items.append(v)
        return self

    def pop(self):
        return self.items.pop()

    def __iadd__(self, v):
        self.items.append(v * 2)
        return self


@case(V)
def rpn(x):
    s = Stack2()
    ops = {'+': lambda a, b: a + b, '*': lambda a, b: a * b}
    for tok in [0, 1, '*', 2, '+', 3, '*']:
        if isinstance(tok, str):
            b, a = (s.pop(), s.pop())
            s.push(ops[tok](a, b))
        else:
            s.push(x[tok])
    s += x[4]
    return s.pop() * s.pop()


@case(V)
def part_put_elsewhere(x):
    def swap(pair):
        pair[0], pair[1] = pair[1], pair[0]
    y = x * 2.0
    pair = [y, x * x]
    swap(pair)
    y[0] = 1.0
    return np.sum(pair[1]) + np.sum(pair[0] * y)


@case(V)
def halves_in_a_pair(x):
    def halves(a):
        k = len(a) // 2
        return a[:k], a[k:]
    a = x.copy()
    low, high = halves(a)
    low *= high[0]
    high[0] += low[1]
    first, _ = halves(high)
    first += low[:1]
    return np.sum(a ** 2)


class Grid:
    def __init__(self, data):
        self.data = data
        self.inner = data[1:-1]

    def relax(self, w):
        self.inner += w * (self.data[2:] - 2 * self.inner + self.data[:-2])

    def exchange(self, other):
        self.data, other.data = other.data, self.data


@case(V)
def grids_that_exchange_their_data(x):
    g, h = Grid(x * 1.0), Grid(x ** 2)
    g.exchange(h)
    g.relax(0.1)
    h.data[0] = 5.0 * x[1]
    return np.sum(g.data * h.data) + np.sum(g.inner * h.inner)


def check_array(a, *, ndim=None, copy=False, dtype=None):
    a = np.array(a, dtype=dtype, copy=True) if copy else np.asarray(a, dtype=dtype)
    if ndim is not None and a.ndim != ndim:
        raise ValueError(f"expected {ndim} dimensions, got {a.ndim}")
    if not np.all(np.isfinite(a)):
        raise ValueError("not finite")
    return a


@case(V)
def arrays_that_are_checked(x):
    a = check_array(x, ndim=1, copy=True, dtype=float)
    a -= a.mean()
    a /= a.std()
    b = check_array(a)
    b[0] *= 2
    return np.sum(a ** 3) + np.sum(b)


def from_first_above(a, level):
    k = 0
    while True:
        if a[k] > level or k == len(a) - 2:
            break
        k += 1
    return a[k:k + 2]


@case(V)
def part_that_is_searched_for(x):
    a = x.copy()
    for j in range(3):
        w = from_first_above(a, 0.35 * j)
        w *= 0.9
        w[0] += 0.1 * a[j]
    return np.sum(a ** 2)


def exchanged(a, b, n=2):
    a, b = (b, a)
    for _ in range(n):
        a, b = (b * 0.9, a)
    return a if n % 2 else b


@case(V)
def exchanged_in_a_callee(x):
    p, q = (x.copy(), x ** 2)
    p = exchanged(p, q)
    p[0] = 3.0 * q[1]
    q = exchanged(p, q, 3)
    q *= 2.0
    return np.sum(p * q)


def clipped(a, lo, out=None, *, copy=False):
    if copy:
        a = a.copy()
    r = a if out is None else out
    np.maximum(a, lo, out=r)
    return r


@case(V)
def clipped_into_an_output(x):
    a = x.copy()
    b = clipped(a, 0.45)
    c = clipped(a * 2, 0.95, out=np.zeros(5))
    d = clipped(a, 0.5, copy=True)
    d[0] = 7 * a[1]
    b[1] *= c[2]
    return np.sum(a * b + c * d)


class Mesh:

    def __init__(self, u):
        self.u = u.copy()

    def left(self, n):
        return self.u[:n]

    def right(self, n):
        return self.u[len(self.u) - n:]

    def side(self, name, n=1):
        return getattr(self, name)(n)

    def apply(self, f, side):
        v = self.side(side, 2)
        v[...] = f(v)
        return self


@case(V)
def sides_of_a_mesh(x):
    m = Mesh(x).apply(np.sin, 'left').apply(lambda v: v ** 2 * x[0], 'right')
    m.left(2)[:] += m.right(2)
    m.right(1)[0] = m.left(1)[0] * 3
    return np.sum(m.u ** 2)


def split3(a):
    n = len(a) // 3 or 1
    return (a[:n], a[n:-n], a[-n:])


@case(V)
def thirds_of_an_array(x):
    a = x.copy()
    l, m, r = split3(a)
    m *= l[0]
    l[:] = m[:1] * r
    _, mm, _ = split3(m)
    mm += 1
    return np.sum(a ** 2)


def transposed_if(a, flag):
    return a.T if flag else a


@case(M)
def transposed_or_not(m):
    a = m.copy()
    for k in range(3):
        b = transposed_if(a, k % 2)
        b[0] *= 1.1
        b[:, 1] += b[2] * 0.1
    return np.sum(a * m)


@case(M)
def transposed_where_a_value_says(m):
    a = m.copy()
    for k in range(3):
        b = transposed_if(a, a[k, k] > 1.3)
        b[0] = b[0] * 1.1 + 0.1 * b[:, 1]
    return np.sum(a * m)


def normal(a, inplace):
    if not inplace:
        return normal(a.copy(), True)
    a /= np.sqrt(np.sum(a * a))
    return a


@case(V)
def in_place_by_its_own_call(x):
    a = x.copy()
    b = normal(a, False)
    c = normal(a, True)
    c[0] += b[1]
    return np.sum(a * b * np.arange(5))


class Bare:
    pass


@case(V)
def item_that_gets_longer(x):
    xs = [x[:1] * 2]
    xs[0] = xs[0] * np.ones(5)
    return np.sum(xs[0] ** 2)


@case(V)
def layers_in_one_place(x):
    h = [x[:2] * 2]
    W = np.ones((3, 2))
    h[0] = W @ h[0]
    return np.sum(h[0] ** 2)


@case(V)
def items_that_get_shorter(x):
    h = [x * 2, x[:1] * 3]
    for k in range(2):
        h[0] = h[0][1:] * h[1]
    h[1] = h[1] + h[0]
    return np.sum(h[0] ** 2) + np.sum(h[1] ** 2)


@case(V)
def entry_that_gets_longer(x):
    d = {'h': x[:1] * 2}
    d['h'] = d['h'] * np.ones(5)
    return np.sum(d['h'] ** 2)


@case(V)
def attribute_that_gets_longer(x):
    b = Bare()
    b.h = x[:1] * 2
    b.h = b.h * np.ones(5)
    return np.sum(b.h ** 2)


@case(V)
def items_that_become_matrices(x):
    xs = [x[:1] * 2, x * 1.0]
    for i in range(2):
        xs[i] = np.outer(xs[i], x)
    return np.sum(xs[0] ** 2) + np.sum(xs[1] ** 3)


@case(V)
def items_that_are_joined(x):
    xs = [x[:1] * 2 for _ in range(2)]
    xs[-1] += 1.0
    for i in range(2):
        xs[i] = np.concatenate([xs[i], x])
    xs[0] = xs[0].sum(keepdims=True)
    return np.sum(xs[0] ** 2) + np.sum(xs[1] ** 3)


@case(V)
def item_by_its_own_part(x):
    y = x * 2
    z = x * 3
    xs = [y, z]
    xs[0] = xs[0][1:]
    y *= 1.5
    return np.sum(xs[0] ** 2) + np.sum(xs[1] ** 2)


@case(V)
def entry_by_its_own_part(x):
    y = x * 2
    z = x * 3
    d = {'a': y, 'b': z}
    d['a'] = d['a'][1:]
    y *= 1.5
    return np.sum(d['a'] ** 2) + np.sum(d['b'] ** 2)


@case(V)
def item_by_its_own_part_that_changes(x):
    y = x * 2
    z = x * 3
    xs = [y, z]
    xs[0] = xs[0][1:]
    xs[0] *= 1.5
    return np.sum(y ** 2) + np.sum(xs[1] ** 2)


@case(V)
def item_that_a_callee_changes_and_replaces(x):
    def update(pair):
        pair[0][0] = 1.0
        pair[0] = pair[1] * 2.0
        pair[0] *= 3
    y = x * 2.0
    pair = [y, x * x]
    update(pair)
    return np.sum(pair[0] * y)


@case(V)
def items_that_a_callee_exchanges_and_changes(x):
    def update(pair):
        pair[0], pair[1] = pair[1], pair[0]
        pair[0] *= 3
        pair[1][0] = 2 * pair[0][0]
    y, z = x * 2.0, x * x
    pair = [y, z]
    update(pair)
    return np.sum(pair[0] * y) + np.sum(z ** 3)
