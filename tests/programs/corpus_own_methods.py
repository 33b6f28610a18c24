"""Methods of a user's classes that are called as those of lists: append, pop, extend, insert."""
import json

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
V = np.array([0.3, 0.7, -0.4, 1.1, 0.9])


def case(function, *args, **options):
    PROGRAMS.add(function, *args, **{"oracle": False, **options})


class Q1:

    def __init__(self, items):
        self.items = list(items)

    def append(self, x):
        self.items.append(x)

    def extend(self, items):
        for x in items:
            self.append(x)


class Q2:

    def __init__(self):
        self.items = []

    def append(self, x):
        self.items.append(x)

    def extend(self, items):
        for x in items:
            self.append(x)


class Q3(Q2):

    def extend(self, items):
        for x in items:
            self.items.append(x)


class Q4(Q2):

    def extend(self, items):
        self.append(items[0])
        self.append(items[1])


class Q5(Q2):

    def append(self, x):
        self.items = self.items + [x]


class Q6(Q2):

    def extend(self, n, items):
        for k in range(n):
            self.append(items[k])


class Q7:

    def __init__(self):
        self.s = 0.0

    def append(self, x):
        self.s = self.s + x ** 2

    def extend(self, items):
        for x in items:
            self.append(x)


def own_append_of_a_copied_list(x):
    q = Q1([])
    q.extend(x * 2)
    return q.items[0] * q.items[1] ** 2


def extended_by_append(x):
    q = Q2()
    q.extend(x * 2)
    return q.items[0] * q.items[1] ** 2


def extended_directly(x):
    q = Q3()
    q.extend(x * 2)
    return q.items[0] * q.items[1] ** 2


def appended_twice(x):
    q = Q4()
    q.extend(x * 2)
    return q.items[0] * q.items[1] ** 2


def made_anew(x):
    q = Q5()
    q.extend(x * 2)
    return q.items[0] * q.items[1] ** 2


def appended_by_position(x):
    q = Q6()
    q.extend(3, x * 2)
    return q.items[0] * q.items[1] ** 2


def sum_by_append(x):
    q = Q7()
    q.extend(x * 2)
    return q.s


def sum_of_the_argument(x):
    q = Q7()
    q.extend(x)
    return q.s


def sum_of_a_list(x):
    q = Q7()
    q.extend([x[0], x[1]])
    return q.s


class Stack:

    def __init__(self):
        self.items = []

    def append(self, x):
        self.items = self.items + [x]

    def pop(self):
        v = self.items[-1]
        self.items = self.items[:-1]
        return v

    def binary(self):
        b = self.pop()
        a = self.pop()
        self.append(a * b)

    def twice(self):
        self.pop()
        self.append(self.items[-1] ** 2)


class Acc:

    def __init__(self):
        self.s = 0.0

    def append(self, v):
        self.s = self.s + v ** 2

    def pop(self):
        r = self.s
        self.s = self.s * 0.5
        return r

    def insert(self, v):
        self.s = self.s - v

    def extend(self, vs):
        for v in vs:
            self.s = self.s * v

    def clear(self):
        self.s = 1.0

    def sort(self):
        self.s = self.s ** 2

    def remove(self, v):
        self.s = self.s / v

    def update(self, v):
        self.s = self.s + v ** 3

    def add(self, v):
        self.s = self.s * 2 + v

    def reverse(self):
        self.s = -self.s

    def setdefault(self, k, v):
        self.s = self.s + k * v
        return self.s


def reverse_polish(x):
    s = Stack()
    for v in x:
        s.append(v)
    s.binary()
    s.binary()
    s.append(x[0])
    s.twice()
    return s.items[-1] * s.pop() + len(s.items)


def feed(acc, x):
    for v in x:
        acc.append(v)


def takes(acc):
    return acc.pop() * acc.pop()


def fed_by_a_function(x):
    a = Acc()
    feed(a, x)
    return a.s


def taken_by_a_function(x):
    a = Acc()
    feed(a, x)
    return takes(a) + a.s


def popped_without_use(x):
    a = Acc()
    feed(a, x)
    a.pop()
    a.pop()
    return a.s


def popped_into_a_name(x):
    a = Acc()
    a.append(x[0])
    b = a.pop()
    return a.s * b


def two_in_a_loop(x):
    a = Acc()
    b = Acc()
    for q in (a, b):
        q.append(x[0])
        q.pop()
    return a.s * b.s


class Others(Acc):

    def run(self, x):
        self.clear()
        self.extend(x)
        self.insert(x[0])
        self.sort()
        self.remove(x[1])
        self.update(x[2])
        self.add(x[3])
        self.reverse()
        return self.setdefault(x[0], x[1])


def run(o, x):
    o.clear()
    o.extend(x)
    o.insert(x[0])
    o.sort()
    o.remove(x[1])
    o.update(x[2])
    o.add(x[3])
    o.reverse()
    return o.setdefault(x[0], x[1])


def all_names_by_self(x):
    o = Others()
    r = o.run(x)
    return r * o.s


def all_names_by_argument(x):
    o = Others()
    r = run(o, x)
    return r * o.s


def while_it_pops(x):
    o = Others()
    r = 0.0
    for k in range(2):
        o.append(x[k])
        r = r + o.pop()
        while o.s > 1:
            o.pop()
    return r * o.s


def in_a_dict(x):
    o = {"a": Acc()}
    o["a"].append(x[0])
    o["a"].pop()
    p = o["a"]
    p.append(x[1])
    return o["a"].s


def in_an_inner_function(x):

    def inner(o):
        o.append(x[2])
        return o
    return inner(Acc()).s * inner(Acc()).pop()


def list_out_of_setdefault(x):
    d = {}
    for k in range(3):
        d.setdefault(k % 2, []).append(x[k])
    z = d[0]
    z.append(x[3])
    r = z.pop()
    return r * d[0][0] * len(d[0])


def list_after_none(x):
    xs = None
    for v in x:
        if xs is None:
            xs = []
        xs.append(v * 2)
    return xs.pop() * xs[0]


def list_if_positive(x):
    xs = None
    if x[0] > 0:
        xs = []
    xs.append(x[1])
    xs.append(x[2])
    return xs.pop() * xs[0]


def list_of_the_caller(x):

    def fill(out, x):
        out.append(x[0])
        out.append(x[1])
        out.append(1.0)
        out.pop()
        return out.pop()
    a = []
    r = fill(a, x)
    return r * a[0] ** 2


def lists_by_parity(x):
    xs = [[] for k in range(2)]
    for k, v in enumerate(x):
        xs[k % 2].append(v)
    y = xs[1]
    w = y.pop()
    y.append(x[0])
    return w * sum(xs[0]) * sum(xs[1])


class H:
    pass


def list_of_an_object(x):
    h = H()
    h.xs = []
    ys = h.xs
    ys.append(x[1] ** 2)
    ys.append(x[0])
    ys.pop()
    return h.xs[0] * len(h.xs)


def sets_in_a_list(x):
    s = {x0 for x0 in (1, 2)}
    s.add(3)
    t = [s]
    return x[0] * len(t.pop())


def list_of_an_array(x):
    a = np.array([1.0, 2.0])
    xs = a.tolist()
    xs.append(x[0])
    return xs[2] * xs.pop() * xs.pop()


def list_from_json(x):
    xs = json.loads("[1,2]")
    xs.append(x[0])
    return xs[2] * xs.pop() * xs.pop()


for function in (own_append_of_a_copied_list, extended_by_append, extended_directly, appended_twice, made_anew,
                 appended_by_position, sum_by_append, sum_of_the_argument, sum_of_a_list, reverse_polish,
                 fed_by_a_function, taken_by_a_function, popped_without_use, popped_into_a_name, two_in_a_loop,
                 all_names_by_self, all_names_by_argument, while_it_pops, in_a_dict, in_an_inner_function,
                 list_out_of_setdefault, list_after_none, list_if_positive, list_of_the_caller, lists_by_parity,
                 list_of_an_object, sets_in_a_list, list_of_an_array, list_from_json):
    case(function, V)
