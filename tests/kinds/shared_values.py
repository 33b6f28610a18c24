"""Programs in which a second name does hold the value that changes: its copy, and only that, must be made."""
import collections
import copy

import numpy as np


def old_array_kept(x):
    y = x * 1.0
    kept = []
    for i in range(1, len(y)):
        kept.append(y.copy())
        y[i] += 0.5 * y[i - 1]
    return sum(np.sum(k * y) for k in kept)


def one_array_in_two_slots(x):
    r = x * 2.0
    rows = [r, r]
    rows[0][1] = x[0] * x[0]
    return rows[1][1] * x[2] + np.sum(rows[0])


def one_row_many_times(x):
    row = [x[0], x[1]]
    grid = [row] * 3
    grid[1][0] = x[2] * x[3]
    return grid[0][0] * grid[2][1]


def cotangent_in_two_attributes(x):
    class_ = Pair(x * 1.0, x * 2.0)
    y = class_.a + class_.b
    class_.a[1] = x[0] * y[1]
    return np.sum(y) + np.sum(class_.a * class_.b)


class Pair:
    def __init__(self, a, b):
        self.a = a
        self.b = b


def cotangent_in_two_items(x):
    d = {"a": x * 1.0, "b": x * 3.0}
    y = d["a"] * 1.0 + d["b"]
    d["a"][0] = y[1] * y[2]
    d["b"][2] += y[0]
    return np.sum(d["a"] * d["b"]) + np.sum(y)


def popped_twice(x):
    stack = [x * 1.0, x * x]
    b = stack.pop()
    a = stack.pop()
    c = a + b
    stack.append(c)
    stack.append(c)
    stack[0][1] = 2.0 * x[0]
    return np.sum(stack[1] * x)


def list_held_by_another(x):
    ys = [x[0], x[1], x[2]]
    other = ys
    for i in range(3):
        ys[i] = ys[i] * x[3]
    return other[0] * ys[1] + other[2]


def list_copied(x):
    ys = [x[0], x[1], x[2]]
    other = list(ys)
    for i in range(3):
        ys[i] = ys[i] * x[3] + other[i]
    return other[0] * ys[1] + other[2]


def copied_list_of_lists(x):
    grid = [[x[0], x[1]], [x[2], x[3]]]
    other = list(grid)
    other[0] = [x[3], x[3]]
    grid[1][0] = x[0] * x[1]
    return other[1][0] * grid[0][0] + other[0][1] * grid[1][1]


def snapshots_of_a_list(x):
    ys = [v for v in x]
    old = []
    for i in range(1, len(ys)):
        old.append(ys[:])
        ys[i] = ys[i] * ys[i - 1]
    s = 0.0
    for snapshot in old:
        s += snapshot[1] * snapshot[2]
    return s + ys[-1]


def dict_held_by_another(x):
    d = {0: x[0], 1: x[1]}
    e = d
    for i in range(2, 4):
        e[i] = d[i - 1] * x[i]
    return d[3] * e[2]


def dict_copied(x):
    d = {"a": x[0], "b": x[1]}
    e = dict(d)
    e["a"] = d["a"] * d["b"]
    d["b"] = e["a"] * x[2]
    return d["a"] * d["b"] + e["a"] * e["b"]


def snapshots_of_a_dict(x):
    d, seen = {}, []
    for i in range(len(x)):
        d[i % 2] = x[i] * d.get(i % 2, 1.0)
        seen.append(d.copy())
    return sum(s[0] * s.get(1, 2.0) for s in seen)


def object_held_by_another(x):
    p = Pair(x[0], x[1])
    q = p
    for i in range(4):
        q.a = p.a * x[i] + p.b
        p.b = q.a * 0.5
    return p.a * q.b


def object_copied(x):
    p = Pair(x * 1.0, x[0])
    q = copy.copy(p)
    q.b = p.b * x[1]
    q.a[2] = x[3] * x[3]
    return np.sum(p.a) * q.b + p.b


def object_in_two_places(x):
    p = Pair(x[0], x[1])
    pairs = [p, Pair(x[2], x[3]), p]
    for i in range(3):
        pairs[i].a = pairs[i].a * x[1] + pairs[i].b
    return pairs[0].a * pairs[1].a + pairs[2].b


def array_in_two_objects(x):
    shared = x * 1.0
    p, q = Pair(shared, x[0]), Pair(shared, x[1])
    p.a[0] = x[2] * x[3]
    q.a[1] *= p.a[0]
    return np.sum(p.a * p.b) + np.sum(q.a * q.b)


def view_kept(x):
    y = x * 1.0
    v = y[1:3]
    for i in range(1, 4):
        y[i] += 0.5 * y[i - 1]
    return v[0] * v[1] + y[3]


def slice_before_and_after(x):
    y = x * 1.0
    before = y[:2] * 1.0
    y[:2] = y[2:] * before
    return np.sum(y * x) + before[0] * before[1]


def reversed_onto_itself(x):
    y = x * 1.0
    y[:] = y[::-1] * y
    y[1:] += y[:-1]
    y[:-1] *= y[1:]
    return np.sum(y * x)


def repeated_indices_read_themselves(x):
    y = x * 1.0
    np.add.at(y, [0, 0, 1], y[[1, 2, 0]])
    y[[2, 3]] += y[[3, 2]]
    return np.sum(y * y * x)


def rows_exchanged(x):
    A = np.outer(x, x)
    for i in range(1, 4):
        A[[i, i - 1]] = A[[i - 1, i]]
        A[i] += A[i - 1] * x[i]
    return np.sum(A * A)


def buffers_that_meet(x):
    a, b = x * 1.0, x * 2.0
    for i in range(3):
        b[i] = a[i] * a[i + 1]
        if i == 1:
            a = b
        else:
            a, b = b, a
    a[0] = 3.0 * b[1]
    return np.sum(a * b)


def callee_that_keeps(x):
    kept = []

    def step(y, i):
        kept.append(y)
        y[i] *= y[i - 1]
        return y

    y = x * 1.0
    for i in range(1, 4):
        y = step(y, i)
    return kept[0][3] * y[2] + np.sum(kept[2])


def stored_item(target, value):
    target[0] = value * target[1]
    return target


def callee_that_returns_its_argument(x):
    y = x * 1.0
    z = stored_item(y, x[2])
    z[1] = y[0] * x[3]
    return np.sum(y) * z[1]


def queue_of_arrays(x):
    waiting = collections.deque([x * 1.0])
    for i in range(3):
        a = waiting.popleft()
        waiting.append(a)
        waiting.append(a * x[i])
        waiting[0][i] += 1.0 * x[i + 1]
    return sum(np.sum(w * x) for w in waiting)


def list_in_a_list_twice(x):
    inner = [x[0] * 1.0, x[1] * 1.0]
    outer = []
    for i in range(3):
        outer.append(inner)
        inner[0] = inner[0] * x[i + 1]
    return outer[0][0] * outer[1][1] + outer[2][0]


def inner_lists_moved(x):
    grid = [[x[0], x[1]], [x[2], x[3]]]
    grid[0] = grid[1]
    grid[0][1] = x[0] * x[1]
    return grid[1][1] * grid[1][0]


def adjoint_of_a_moved_row(x):
    grid = [[v, v * v] for v in x]
    for i in range(1, len(grid)):
        grid[i - 1] = [grid[i][1], grid[i][0] * grid[i - 1][1]]
    return grid[0][0] * grid[1][1] + grid[3][1]


def same_list_summed_twice(x):
    ys = [v * v for v in x]
    total = sum(ys) + sum(ys)
    ys[1] = total
    return sum(ys) * ys[1] * x[0]


def rows_of_one_array(x):
    A = np.outer(x, x)
    rows = [A[i] for i in range(4)]
    rows[1][2] = x[0]
    rows[2] += rows[1]
    return np.sum(A * A)


def stacked_and_changed(x):
    hs = [x * 1.0]
    for _ in range(3):
        hs.append(hs[-1] * x)
    top = hs[-1]
    total = np.sum(np.stack(hs))
    top[1] = total
    return np.sum(hs[3]) * total


def dict_of_shared_lists(x):
    common = [x[0]]
    d = {"a": common, "b": common, "c": [x[1]]}
    d["a"].append(x[2])
    d["b"][0] = d["a"][1] * x[3]
    return d["a"][0] * d["b"][1] + d["c"][0]


def namedtuple_of_one_array(x):
    P = Point(x * 1.0, x[0])
    Q = P._replace(y=x[1])
    P.x[2] = x[3] * x[0]
    return np.sum(Q.x) * Q.y + P.y


Point = collections.namedtuple("Point", "x y")


class Store:
    def __init__(self, n):
        self.values = np.zeros(n)
        self.log = []

    def put(self, i, v):
        self.values[i] = v
        self.log.append(self.values)

    def put_copy(self, i, v):
        self.values[i] = v
        self.log.append(self.values.copy())


def method_that_keeps_its_array(x):
    s = Store(4)
    for i in range(4):
        s.put(i, x[i] * x[i])
    return s.log[0][3] * s.log[3][1]


def method_that_keeps_copies(x):
    s = Store(4)
    for i in range(4):
        s.put_copy(i, x[i] * x[i])
    return s.log[2][2] * s.log[3][1] + np.sum(s.log[0])


def part_passed_on(x):
    p = Pair([x[0], x[1]], [x[2], x[3]])
    part = p.a
    p.a = p.b
    part[0] = p.b[0] * x[1]
    p.a[1] = part[0] * x[0]
    return p.b[1] * part[1] + part[0]


def argument_list(xs):
    old = xs[:]
    for i in range(1, len(xs)):
        xs[i] = xs[i] * xs[i - 1]
    return sum(xs) * old[1] + old[2]


def tuple_of_one_array(x):
    y = x * 1.0
    pair = (y, y)
    pair[0][0] = x[1] * x[2]
    y[3] = pair[1][0] * 2.0
    return np.sum(pair[1] * y)


def old_value_in_the_tape(x):
    y = x * 1.0
    s = 0.0
    for i in range(3):
        s = s + np.sum(y * y)
        y[i] = s * y[i + 1]
    return s * y[0]


def conditional_owner(x):
    a, b = x * 1.0, x * 2.0
    for i in range(3):
        c = a if x[i] > 1.0 else b
        c[i] = c[i + 1] * a[i]
    return np.sum(a * b)


ALL = [value for name, value in list(globals().items())
       if callable(value) and getattr(value, "__code__", None) and value.__code__.co_varnames[:1] in (("x",), ("xs",))]
