"""Attributes that are real first and complex later, of objects that are found by their identity."""
import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
number = PROGRAMS.with_arguments(1.5)
vector = PROGRAMS.with_arguments(np.array([1.0, 2.0]))


class Turning:

    def __init__(self, v):
        self.v = v
        self.w = v * 2.0

    def turn(self, k):
        self.v = self.v * (1.0 + 0.5j * k)
        return self

    def size(self):
        return np.abs(self.v) ** 2 + np.real(self.w * self.v)


@number
def turned_once(x):
    o = Turning(x)
    return o.turn(1).size()


@number
def turned_in_a_list(x):
    o, p = Turning(x), Turning(2 * x)
    l = [o, p]
    for q in l:
        q.turn(2)
    return sum(q.size() for q in l)


@vector
def turned_twice(x):
    o = Turning(x)
    o.turn(1)
    o.turn(3)
    return np.sum(o.size())


@vector
def turned_in_a_dict_and_a_list(x):
    ps = [Turning(v) for v in x]
    h = {'a': ps[0], 'b': ps}
    for p in ps:
        p.turn(1.0)
    return h['a'].size() * h['b'][1].size()


def turned_if(o, k):
    if k:
        o.v = o.v * 1j
    return o


@number
def turned_by_a_function(x, k=1):
    o = Turning(x)
    z = turned_if(o, k)
    return np.abs(z.v + o.w) ** 2


@vector
def real_and_complex_blocks(x):
    a = np.zeros(2, complex)
    o = Turning(x)
    for i in range(2):
        a[i:i + 1] += o.v[i] * (1 + 1j)
        o.w = o.w * a[i]
    return np.sum(np.abs(a) ** 2) + np.sum(np.abs(o.w))



class Put:

    def __init__(self, v):
        self.v = v

    def put(self, i, value):
        self.v = value

    def turn(self, k):
        self.v = self.v * (1.0 + 0.5j * k)

    def size(self):
        return np.abs(self.v + self.v * 1j) ** 2 + np.real(1j * self.v)


@vector
def put_and_turned(x):
    ps = [Put(v) for v in x]
    h = {'a': ps[0], 'b': ps}
    for p in ps:
        p.turn(1.0)
    for i, p in enumerate(h['b']):
        p.put(i, x[1 - i] * 2)
        p.turn(0.5 * i)
    return h['a'].size() * h['b'][1].size()


@vector
def put_and_turned_by_number(x):
    ps = [Put(v) for v in x]
    for k in range(3):
        p = ps[k % 2]
        p.put(k, x[k % 2] ** 2)
        if k != 1:
            p.turn(k)
    return ps[0].size() * ps[1].size()


@vector
def put_where_another_list_turns(x):
    ps = [Put(v) for v in x]
    qs = ps[::-1]
    out = np.zeros(2)
    for k in range(2):
        ps[k].put(k, x[k] * out[k] + x[k])
        qs[k].turn(k + 1.0)
        out[k] += np.abs(ps[k].v)
    return np.sum(out ** 2) + ps[0].size() + qs[0].size()


class Holder:

    def __init__(self, items):
        self.items = items

    def set(self, k, value):
        self.items[k].put(k, value)
        return value * 2


@vector
def put_by_a_holder(x):
    ps = [Put(v) for v in x]
    h = Holder(ps)
    s = 0.0
    acc = np.zeros(2)
    for k in range(2):
        s = s + h.set(k, x[k] * 3)
        ps[k].turn(1.0)
        acc[k] = x[k] * 2
        s = s + h.set(1 - k, acc[k])
        h.items[k].turn(2.0)
    return s * ps[0].size() + ps[1].size()
