"""Deques of limited length: in attributes, in containers, given to functions."""
import collections
import copy
from collections import deque
from collections.abc import Sequence

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
V = np.array([0.3, 0.7, -0.4, 1.1, 0.9])


def case(function, *args, **options):
    PROGRAMS.add(function, *args, **{"oracle": False, **options})


class Avg:

    def __init__(self, n):
        self.window = deque(maxlen=n)

    def tick(self, x):
        self.window.append(x)
        return sum(self.window) / len(self.window)


def moving_average(x):
    a = Avg(3)
    s = 0.0
    for v in x:
        s = s + a.tick(v * v) ** 2
    return s


class AvgN:

    def __init__(self, n):
        self.window = collections.deque([0.0] * n, n)

    def tick(self, x):
        self.window.append(x)
        return np.mean(self.window)


def moving_mean(x):
    a = AvgN(3)
    s = 0.0
    for v in x:
        s = s + a.tick(v * v) ** 2
    return s


def deque_given_to_a_function(x):

    def fill(q, x):
        for v in x:
            q.append(v ** 2)
    q = deque(maxlen=2)
    fill(q, x)
    return q[0] * q[-1]


class Delay:

    def __init__(self, n):
        self.buffer = deque([0.0] * n, maxlen=n)

    def __call__(self, v):
        out = self.buffer[0]
        self.buffer.append(v + 0.5 * out)
        return out


def echo(x):
    d = Delay(2)
    return sum(d(v) * v for v in x) + d.buffer[1] ** 2 + len(d.buffer)


def as_an_array(x):
    a = Avg(4)
    for v in x:
        a.tick(v ** 3)
    w = np.array(a.window)
    return w @ w


def from_the_left(x):
    a = Avg(3)
    for v in x:
        a.window.appendleft(v ** 2)
    return a.window[0] * a.window.popleft() + sum(v ** 2 for v in a.window) + a.window.maxlen


class Hist:

    def __init__(self, n):
        self.h = {"a": deque(maxlen=n)}

    def add(self, v):
        self.h["a"].append(v)


def within_a_dict(x):
    h = Hist(2)
    for v in x:
        h.add(v * v)
    return h.h["a"][0] * h.h["a"][1]


def asked_whether_it_is_full(x):
    a = Avg(3)
    s = 0.0
    for v in x:
        if a.window:
            s = s + a.window[-1] * v
        if len(a.window) == a.window.maxlen:
            s = s * 1.5
        a.tick(v ** 2)
    return s


def enumerated(x):
    a = Avg(3)
    for v in x:
        a.tick(v ** 2)
    back = sum(k * v for k, v in enumerate(reversed(a.window)))
    return sum(w * v for w, v in zip([1, 2, 3], a.window)) + back + max(a.window)


def of_arrays(x):
    a = Avg(2)
    for k in range(3):
        a.window.append(x * k)
    a.window[0][1] *= 3
    return np.sum(np.stack(a.window) ** 2) + np.sum(np.concatenate(list(a.window)))


def returned_and_rotated(x):

    def make(x):
        q = deque(maxlen=3)
        q.extend(x * 2)
        return q
    q = make(x)
    q.rotate(1)
    return q[0] * q[1] ** 2


class Started:
    def __init__(self, n=None):
        self.q = deque([1.0], maxlen=n)


def without_a_limit(x):
    q = Started().q
    q.extend(x)
    q.extendleft([x[0] ** 2, x[1]])
    return q[0] * q[1] * q[-1] + len(q)


def limit_if_given(x, n=None):
    q = deque([1.0], n)
    for v in x:
        q.append(v ** 2)
    return q[0] * q[-1]


def asked_what_it_is(x):
    q = Started(2).q
    r = deque(x)
    factor = (2 if isinstance(q, deque) else 1) * (3 if isinstance(q, (list, tuple)) else 1)
    return r[0] * factor * (5 if isinstance(r, Sequence) else 1) * (7 if isinstance(r, list) else 1)


def compared(x):
    q, r, s = Started(3).q, Started(3).q, deque([1.0])
    return x[0] * (2 if q == r else 3) * (5 if q is r else 7) * (11 if q == [1.0] else 13) * (17 if s == [1.0] else 19)


def shown(x):
    q = Started(2).q
    r = deque([1, 2])
    return x[1] * len(str(q)) * len(f"{r}")


def joined(x):
    q = deque(x)
    q += [x[0]]
    q.popleft()
    r = q + q
    return r[-1] * r[0] ** 2 * (3 if q else 1) * (4 if not q else 2) * len(r)


def inserted(x):
    q = Started(3).q
    q.insert(0, x[0])
    q.remove(1.0)
    q.append(x[1])
    q.reverse()
    r = q.copy()
    q.clear()
    return r[0] * r[1] ** 2 + len(q) + r.count(5.0)


def copied_deques(x):
    q = Started(3).q
    q.extend(x[:2])
    r = copy.copy(q)
    t = copy.deepcopy(q)
    r.popleft()
    r[0] = x[2]
    t[-1] = x[3]
    return q[0] * q[1] ** 2 * q[2] * r[0] * r[1] + t[2] * t[1] + len(q)


case(copied_deques, V)
for function in (without_a_limit, limit_if_given, asked_what_it_is, compared, shown, joined, inserted):
    case(function, V)
case(limit_if_given, V, 2, inputs="x")
for function in (deque_given_to_a_function, from_the_left, asked_whether_it_is_full, enumerated, of_arrays,
                 returned_and_rotated, as_an_array, moving_average, moving_mean, within_a_dict, echo):
    case(function, V)
