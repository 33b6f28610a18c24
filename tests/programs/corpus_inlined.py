"""Small callees that are put in the place of their calls: views, shared names, rebound parameters, globals."""
import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

V = np.array([0.4, -0.7, 0.9])
WEIGHTS = np.array([1.0, 2.0, 3.0])


def tail(a):
    return a[1:]


def bump(a, v):
    a[0] += v
    return a


def itself(a):
    return a


def square(t):
    return t * t


def weighted(t):
    return t * WEIGHTS


def swapped(a, b):
    return b, a


def rebinding(x):
    x = x + 1.0
    x = x * x
    return x


def written_through_a_view(x):
    v = tail(x)
    v *= 2.0
    return np.sum(x * x) + v[0]


case(written_through_a_view, V)


def changed_argument_as_result(x):
    y = bump(x, 3.0 * x[1])
    y[1] *= 4.0
    return np.sum(x * y)


case(changed_argument_as_result, V)


def rebound_parameter_in_a_loop(x):
    for _ in range(3):
        x = rebinding(x) * 0.1
    return np.sum(x)


case(rebound_parameter_in_a_loop, V)


def swapped_in_a_loop(x):
    p, q = x, np.sin(x)
    for _ in range(3):
        p, q = swapped(p * 1.1, q)
    return np.sum(p * q)


case(swapped_in_a_loop, V)


def second_name_by_a_callee(x):
    b = np.zeros(3)
    b += x
    c = itself(b)
    b[1] = 5.0 * x[0]
    return np.sum(c * x)


case(second_name_by_a_callee, V)


def global_of_the_callee_is_a_local_here(x):
    WEIGHTS = x * 0.5
    return np.sum(weighted(x) * WEIGHTS)


case(global_of_the_callee_is_a_local_here, V)


def arguments_overwritten_after_the_call(x):
    y = np.zeros(3)
    for i in range(3):
        s = x[i]
        y[i] = square(s)
        x[i] = y[i] * 2.0
    return np.sum(x * y)


case(arguments_overwritten_after_the_call, V)


class Box:
    def __init__(self, a):
        self.a = a
        self.n = 0

    def scaled(self):
        self.n += 1
        return self.a * self.n

    @property
    def half(self):
        return self.a * 0.5


def counted_calls(x):
    box = Box(x)
    s = box.scaled() + box.scaled() * box.half
    return np.sum(s * box.scaled())


case(counted_calls, V)


def array_inside_an_object(x):
    box = Box(x)
    box.a[0] = 4.0 * box.a[1]
    return np.sum(x * box.a)


case(array_inside_an_object, V)
