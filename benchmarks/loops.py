"""Loops of every kind for `python -m benchmarks --scaling`: what a gradient costs must not depend on their length.

Each takes an array of n numbers (LISTS: a list of them). Code that stores works on arrays, lists, dicts or objects that it
made itself or was given.
"""
import collections
import math

import numpy as np


def element_recurrence(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] += 0.5 * y[i - 1]
    return np.sum(y ** 2)


def back_substitution(x):
    y = x.copy()
    for i in range(len(y) - 2, -1, -1):
        y[i] -= 0.3 * y[i + 1]
    return np.sum(y ** 2)


def squared_recurrence(x):
    y = x * 0.1
    for i in range(1, len(y)):
        y[i] = 0.5 * y[i - 1] + y[i] * y[i]
    return y[-1]


def store_in_argument(x):
    x[0] *= 0.5
    for i in range(1, len(x)):
        x[i] = x[i] * 0.3 + np.tanh(x[i - 1])
    return x[-1]


def gather_and_scatter(x):
    n = len(x)
    y = np.zeros(n)
    for i in range(n):
        j = (7 * i + 3) % n
        y[j] += x[i] * x[j]
    return np.sum(y)


def rows(x):
    A = np.outer(x, np.ones(10))
    for i in range(1, len(x)):
        A[i] += 0.5 * A[i - 1]
    return np.sum(A ** 2)


def columns(x):
    A = np.outer(np.ones(4), x)
    for i in range(1, A.shape[1]):
        A[:, i] += A[:, i - 1] * 0.5
    return np.sum(A ** 2)


def wavefront(x):
    m = int(math.sqrt(len(x)))
    T = x[:m * m].reshape(m, m) * 0.1
    for i in range(1, m):
        for j in range(1, m):
            T[i, j] += 0.4 * T[i - 1, j] + 0.4 * T[i, j - 1]
    return T[-1, -1]


def thomas(a, b, c, d):
    n = len(d)
    c[0] /= b[0]
    d[0] /= b[0]
    for i in range(1, n):
        w = b[i] - a[i] * c[i - 1]
        c[i] /= w
        d[i] = (d[i] - a[i] * d[i - 1]) / w
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return d


def tridiagonal(x):
    n = len(x)
    return np.sum(thomas(np.ones(n), np.full(n, 4.0), np.ones(n), x.copy()) ** 2)


def banded_solve(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        s = x[i]
        for j in range(max(0, i - 3), i):
            s -= 0.1 * y[j]
        y[i] = s / 2.0
    return np.sum(y * x)


def prefix_products(x):
    p = np.empty(len(x))
    p[0] = x[0]
    for i in range(1, len(x)):
        p[i] = p[i - 1] * (x[i] / x[i - 1])
    return np.sum(p)


def prefix_of_slices(x):
    y = x.copy()
    for i in range(8, len(y), 8):
        y[i:i + 8] += 0.5 * y[i - 8:i].sum()
    return y[-1]


def convolution(x):
    y = np.zeros(len(x) - 2)
    for i in range(len(y)):
        y[i] = 0.25 * x[i] + 0.5 * x[i + 1] + 0.25 * x[i + 2]
    return np.sum(y ** 2)


def views(x):
    A = x.reshape(-1, 4) * 1.0
    for i in range(1, len(A)):
        row = A[i]
        row[1:] += 0.5 * A[i - 1, :-1]
        row *= 0.9
    return np.sum(A)


def swapped_buffers(x):
    a, b = x * 1.0, np.zeros(len(x))
    for k in range(1, len(x)):
        b[k] = 0.5 * a[k - 1] + a[k]
        b[k - 1] *= 0.9
        a, b = b, a
    return np.sum(a) + np.sum(b * b)


def add_at_in_a_loop(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        np.add.at(y, [i, (i + 1) % len(x)], x[i])
    return np.sum(y ** 2)


def while_loop(x):
    y = x.copy()
    i = 1
    while i < len(y):
        y[i] += 0.25 * y[i - 1]
        i += 1
    return np.sum(y ** 2)


def put(target, i, value):
    target[i] = value


def callee_stores_into_an_array(x):
    y = x.copy()
    for i in range(1, len(y)):
        put(y, i, y[i] + 0.5 * y[i - 1])
    return np.sum(y ** 2)


def callee_stores_into_a_list(x):
    ys = [0.0] * len(x)
    ys[0] = x[0]
    for i in range(1, len(x)):
        put(ys, i, x[i] + 0.5 * ys[i - 1])
    return sum(ys)


def list_store(x):
    t = list(x)
    for i in range(1, len(t)):
        t[i] = t[i] + 0.5 * t[i - 1]
    return sum(t)


def list_argument(xs):
    s = 0.0
    for v in xs:
        s += v * v
    return s


def list_append(x):
    ys = [x[0]]
    for i in range(1, len(x)):
        ys.append(0.5 * ys[-1] + x[i])
    return sum(ys)


def list_two_back(x):
    ys = [x[0], x[1]]
    for i in range(2, len(x)):
        ys.append(0.5 * ys[i - 1] + 0.3 * ys[i - 2] * x[i])
    return ys[-1] * ys[-1]


def list_of_pairs(x):
    pts = [(v, v * v) for v in x]
    return max(p[1] for p in pts)


def pairs_in_a_loop(x):
    pairs = []
    for i in range(len(x) - 1):
        pairs.append((x[i], x[i + 1]))
    s = 0.0
    for a, b in pairs:
        s += a * b
    return s


def list_of_lists(x):
    grid = [[v, v * v] for v in x]
    for i in range(1, len(grid)):
        grid[i][0] += 0.5 * grid[i - 1][1]
    return sum(row[0] for row in grid)


def squares(x):
    return sum([v * v for v in x])


def stacked(x):
    hs = [np.zeros(3)]
    for v in x:
        hs.append(np.tanh(0.5 * hs[-1] + v))
    return np.sum(np.stack(hs) ** 2)


def stack_machine(x):
    stack = []
    for v in x:
        stack.append(v)
        if len(stack) > 2:
            a = stack.pop()
            b = stack.pop()
            stack.append(a * 0.5 + b)
    return sum(stack)


def queue(x):
    waiting = collections.deque()
    s = 0.0
    for v in x:
        waiting.append(v * v)
        if len(waiting) > 3:
            s += waiting.popleft() * v
    return s


def dict_store(x):
    t = {}
    for i, v in enumerate(x):
        t[i] = v * v
    return sum(t.values())


def dict_recurrence(x):
    t = {0: x[0]}
    for i in range(1, len(x)):
        t[i] = x[i] + 0.5 * t[i - 1]
    return t[len(x) - 1]


def dict_counts(x):
    t = {}
    for i, v in enumerate(x):
        key = i % 10
        t[key] = t.get(key, 0.0) + v * v
    return sum(t.values())


def dict_of_arrays(x):
    state = {"a": np.zeros(3), "b": np.ones(3)}
    for v in x:
        state["a"] = 0.5 * state["a"] + v * state["b"]
        state["b"] = 0.9 * state["b"]
    return np.sum(state["a"] ** 2)


def dict_of_lists(x):
    groups = {}
    for i, v in enumerate(x):
        groups.setdefault(i % 7, []).append(v)
    s = 0.0
    for key in groups:
        s += sum(groups[key]) ** 2
    return s


class Body:
    def __init__(self, place, speed):
        self.place = place
        self.speed = speed


class Counter:
    def __init__(self):
        self.total = 0.0
        self.scale = 1.0

    def add(self, value):
        self.total += value * self.scale
        self.scale *= 0.999


def attributes(x):
    body = Body(x[0], 0.0)
    for v in x:
        body.speed = 0.9 * body.speed + 0.1 * v
        body.place += 0.01 * body.speed
    return body.place


def method_calls(x):
    counter = Counter()
    for v in x:
        counter.add(v * v)
    return counter.total


def objects_in_a_list(x):
    bodies = [Body(v, v * v) for v in x]
    for i in range(1, len(bodies)):
        bodies[i].place += 0.5 * bodies[i - 1].speed
    s = 0.0
    for body in bodies:
        s += body.place
    return s


class Trace:
    def __init__(self, n):
        self.values = np.zeros(n)
        self.items = []

    def record(self, i, value):
        self.values[i] = value
        self.items.append(value)


def array_in_an_object(x):
    trace = Trace(len(x))
    for i, v in enumerate(x):
        trace.record(i, v * v)
    return np.sum(trace.values) + trace.items[-1]


Point = collections.namedtuple("Point", "x y")


def namedtuples(x):
    points = [Point(v, v * v) for v in x]
    s = 0.0
    for p, q in zip(points[1:], points):
        s += p.x * q.y
    return s


def namedtuple_state(x):
    state = Point(0.0, 1.0)
    for v in x:
        state = state._replace(x=0.5 * state.x + v * state.y)
    return state.x ** 2


def adjacency_lists(x):
    n = len(x)
    neighbours = [[(i + 1) % n, (3 * i) % n] for i in range(n)]
    s = 0.0
    for i in range(n):
        for j in neighbours[i]:
            s += x[i] * x[j]
    return s


def matrix_of_lists(x):
    m = int(math.sqrt(len(x)))
    A = [[0.0] * m for _ in range(m)]
    for i in range(m):
        for j in range(m):
            A[i][j] = x[i * m + j] + (0.5 * A[i][j - 1] if j else 0.0)
    return sum(A[i][-1] for i in range(m))


def list_of_arrays(x):
    blocks = [np.zeros(4) for _ in range(len(x) // 4)]
    for i in range(len(blocks)):
        for j in range(4):
            blocks[i][j] = x[4 * i + j] ** 2
    return sum(np.sum(b) for b in blocks)


def nested_loops(x):
    m = int(math.sqrt(len(x)))
    y = np.zeros(m)
    for i in range(m):
        for j in range(m):
            y[i] += x[i * m + j] * x[j]
    return np.sum(y)


def grown_array(x):
    y = np.zeros(len(x))
    count = 0
    for v in x:
        if v > 1.21:
            y[count] = v * v
            count += 1
    return np.sum(y[:count])


def early_exit(x):
    y = x * 1.0
    s = 0.0
    for i in range(1, len(y)):
        y[i] += 0.1 * y[i - 1]
        s += y[i]
        if s > 1e9:
            break
    return s


def list_extend(x):
    ys = []
    for v in x:
        ys.extend([v, v * v])
    return sum(ys)


def list_plus(x):
    ys = []
    for v in x:
        ys += [v * v]
    return sum(ys)


def items_exchanged(x):
    ys = list(x)
    for i in range(1, len(ys)):
        ys[i - 1], ys[i] = ys[i] * 0.5, ys[i - 1]
    return sum(y * y for y in ys)


def dict_with_deletions(x):
    d = {}
    s = 0.0
    for i, v in enumerate(x):
        d[i] = v * v
        if i > 2:
            s += d.pop(i - 2) * v
    return s


def memo(x):
    known = {0: x[0], 1: x[1]}
    for i in range(2, len(x)):
        if i not in known:
            known[i] = 0.5 * known[i - 1] + 0.3 * known[i - 2] + x[i]
    return known[len(x) - 1]


def reversed_list(x):
    ys = []
    for v in x:
        ys.append(v * v)
    s = 0.0
    for a, b in zip(reversed(ys), ys):
        s += a * b
    return s


LISTS = (list_argument,)
LOOPS = [
    element_recurrence, back_substitution, squared_recurrence, store_in_argument, gather_and_scatter, rows, columns, wavefront,
    tridiagonal, banded_solve, prefix_products, prefix_of_slices, convolution, views, swapped_buffers, add_at_in_a_loop,
    while_loop, callee_stores_into_an_array, callee_stores_into_a_list, list_store, list_argument, list_append, list_two_back,
    list_of_pairs, pairs_in_a_loop, list_of_lists, squares, stacked, stack_machine, queue, dict_store, dict_recurrence,
    dict_counts, dict_of_arrays, dict_of_lists, attributes, method_calls, objects_in_a_list, array_in_an_object, namedtuples,
    namedtuple_state, adjacency_lists, matrix_of_lists, list_of_arrays, nested_loops, grown_array, early_exit, reversed_list,
    list_extend, list_plus, items_exchanged, dict_with_deletions, memo]
