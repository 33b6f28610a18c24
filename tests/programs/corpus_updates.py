"""`x += y` of objects: `__iadd__` and its like, on names, attributes and items, or what `__add__` makes."""
import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

V = np.array([0.3, 0.4, 0.9])


class Mean:
    def __init__(self):
        self.n, self.mean = 0, 0.0

    def push(self, x):
        self.n += 1
        self.mean += (x - self.mean) / self.n
        return self

    def __iadd__(self, x):
        return self.push(x)


class MeanThenSelf(Mean):
    def __iadd__(self, x):
        self.push(x)
        return self


class Weighted(Mean):
    def __iadd__(self, x):
        self.n += 1
        self.mean += x * self.n
        return self


def two_updates(x):
    st = Mean()
    st += x[0]
    st += x[1]
    return st.mean ** 2


def added_in_a_loop(x, make):
    st = make()
    for v in x:
        st += v
    return st.mean ** 2


for kind in (Mean, MeanThenSelf, Weighted):
    case(added_in_a_loop, V, kind, oracle=False)


def method_that_returns_itself(x):
    st = Mean()
    for v in x:
        st = st.push(v)
    return st.mean ** 2


def chained_methods(x):
    st = Mean()
    for v in x:
        st.push(v).push(v * 2)
    return st.mean ** 2


class Amount:
    def __init__(self, v):
        self.v = v

    def __add__(self, o):
        return Amount(self.v + (o.v if isinstance(o, Amount) else o))

    def __matmul__(self, o):
        return Amount(self.v @ o)

    def __imul__(self, o):
        self.v = self.v * o
        return self


def new_and_changed(x):
    st = Amount(x)
    for v in x:
        st += v
        st *= 1.5
    return (st @ x).v


def by_two_names(x):
    st = Mean()
    other = st
    st += x[0]
    other += x[1]
    return st.mean * other.n


class Books:
    def __init__(self, x):
        self.acc = Mean()
        self.parts = [Amount(x), Amount(2 * x)]


def attributes_and_items(x):
    h = Books(x)
    for k, v in enumerate(x[:2]):
        h.acc += v
        h.parts[k] *= v
        h.parts[k] += 1.0
    return h.acc.mean * np.sum(h.parts[0].v * h.parts[1].v)


class Vector:
    def __init__(self, d):
        self.d = d

    def __iadd__(self, o):
        self.d += o.d if isinstance(o, Vector) else o
        return self

    def __isub__(self, o):
        return Vector(self.d - o.d)

    def __itruediv__(self, s):
        return NotImplemented

    def __truediv__(self, s):
        return Vector(self.d / s)


def vectors_by_two_names(x):
    a, b = Vector(x), Vector(x * 2)
    c = a
    a += b
    a -= b
    c += 1.0
    b /= 2.0
    return np.sum(a.d * b.d * c.d)


def argument_of_an_object(x):
    a = Vector(x)
    a += 2.0 * x
    return np.sum(x * a.d)


class Group:
    def __init__(self, s):
        self.s = s

    def __iadd__(self, o):
        if not isinstance(o, Group):
            return NotImplemented
        self.s = self.s + o.s
        return self

    def __add__(self, o):
        return Group(self.s * o)


def left_to_the_other_operator(x):
    g = Group(x[0])
    g += Group(x[1])
    g += x[2]
    return g.s


for function in (two_updates, method_that_returns_itself, chained_methods, new_and_changed, by_two_names,
                 attributes_and_items, vectors_by_two_names, argument_of_an_object, left_to_the_other_operator):
    case(function, V, oracle=False)


# --- what an operator gives is put there; the object that was there is another one, where nobody else changed it

class Vector2:
    def __init__(self, d):
        self.d = d

    def __iadd__(self, other):
        self.d += other.d
        return self

    def __imul__(self, s):
        return Vector2(self.d * s)

    def __isub__(self, other):
        self.d = self.d - other.d
        return other


class Sum:
    def __init__(self, d):
        self.d = d

    def __add__(self, other):
        return Sum(self.d + (other.d if isinstance(other, Sum) else other))


class Two:
    def __init__(self, v):
        self.v = self.w = v


def another_object_in_a_list(x):
    vs = [Vector2(x.copy()), Vector2(x * 2)]
    vs[0] += vs[1]
    vs[0] -= vs[1]
    vs[1] += vs[0]
    return np.sum(vs[0].d) * np.sum(vs[1].d * x)


def another_object_in_an_attribute(x):
    two = Two(Vector2(x.copy()))
    two.v += Vector2(x * 3)
    two.w *= 2.0
    two.v += Vector2(x)
    return np.sum(two.v.d * two.w.d)


def new_object_in_an_attribute(x):
    two = Two(Sum(x.copy()))
    two.w += 2.0 * x
    two.v += 1.0
    return np.sum(two.v.d * two.w.d)


def one_object_three_times(x):
    vs = [Vector2(x.copy()), Vector2(x * 2)]
    ws = [vs[0], vs[0], vs[1]]
    for k in range(3):
        ws[k] += vs[1]
    return np.sum(vs[0].d * ws[0].d * ws[2].d)


for function in (another_object_in_a_list, another_object_in_an_attribute, new_object_in_an_attribute, one_object_three_times):
    case(function, V, oracle=False)
