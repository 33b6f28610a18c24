"""Objects whose class shows only when the program runs, used by the protocols that Python calls unasked: right, or refused."""

import collections
import copy

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __iter__(self):
        return iter([self.a, self.b])

    def __array__(self, dtype=None, copy=None):
        return np.array([self.a, self.b])


class Items:
    def __init__(self, x):
        self.items = [x, x * x]

    def __iter__(self):
        return iter(self.items)


class Yielding:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        yield self.x
        yield self.x * 3


class Dynamic:
    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        if name == "made":
            return self.x * 13
        raise AttributeError(name)


class Plain:
    def __init__(self, x):
        self.made = x


class Tripled:
    def __init__(self, x):
        self.x = x

    def __deepcopy__(self, memo):
        return Tripled(self.x * 3)


def loop_over_either(x):
    o = Pair(x, x * x) if x > 0 else Items(x)
    t = 0.0
    for v in o:
        t = t + v
    return t


def loop_over_several(x):
    t = 0.0
    for o in (Pair(x, 2 * x), Items(x)):
        for v in o:
            t = t + v * x
    return t


def loop_over_a_generator(x):
    t = 0.0
    for v in [Yielding(x), 1.0][0]:
        t = t + v
    return t


def sum_of_either(x):
    h = collections.deque([x, x * x]) if x > 0 else [x]
    return sum(h)


def deque_among_numbers(x):
    held = {}
    for name in ("q", "n"):
        held[name] = collections.deque([x, x * 2]) if name == "q" else 3
    return sum(held["q"]) * held["n"]


def greatest(x):
    return max([Items(x), 1.0][0])


def extended(x):
    ys = [0.0]
    ys.extend([Items(x), 1.0][0])
    return ys[1] * ys[2]


def as_array(x):
    return np.sum(np.asarray([Pair(x, 2 * x), 1.0][0]))


def summed(x):
    return np.sum([Pair(x, 2 * x), 1.0][0])


def dotted(x):
    return np.dot([Pair(x, 2 * x), 1.0][0], [1.0, 2.0])


def put_into(x):
    z = np.zeros(2)
    z[:] = [Pair(x, 2 * x), 1.0][0]
    return np.sum(z)


def made_or_stored(x):
    o = Dynamic(x) if x > 0 else Plain(x)
    return o.made * 2


def made_and_stored(x):
    return sum(o.made for o in [Dynamic(x), Plain(x)])


def copied_in_its_own_way(x):
    return copy.deepcopy([Tripled(x), 2.0])[0].x


for program in (loop_over_either, loop_over_several, loop_over_a_generator, sum_of_either, deque_among_numbers, greatest, extended,
                as_array, summed, dotted, put_into, copied_in_its_own_way):
    case(program, 2.0, oracle=False, may_refuse=True)
case(made_or_stored, 2.0, oracle=False)
case(made_and_stored, 2.0, oracle=False)


class Filter:
    def __init__(self, scale):
        self.scale, self.rng = scale, np.random.default_rng(0)

    def run(self, x):
        for _ in range(3):
            x = x * self.scale + self.rng.standard_normal()
            if x < 100.0:
                x = x * self.scale + self.rng.random()
        return x


def noise_of_an_object(scale, x):
    return Filter(scale).run(x)


case(noise_of_an_object, 0.7, 1.3, oracle=False)


def hidden_builtins(x):
    len = np.sqrt(np.sum(x ** 2))
    range = x.max() - x.min()
    s = 0.0
    for v in x:
        s += v / len * range
    while s < 3.0:
        s = s * 1.5
    return s


case(hidden_builtins, np.array([0.3, 0.5, 0.9]), oracle=False)


class LazyLayer:
    """Its weights are drawn when it sees the first input."""

    def __init__(self, n_out):
        self.n_out, self.n_in, self.weights = n_out, None, None

    def forward(self, x):
        if self.weights is None:
            self.n_in = x.shape[0]
            self.weights = np.random.uniform(-1.0, 1.0, size=(self.n_out, self.n_in))
        return self.weights @ x


def weights_drawn_at_first_use(x):
    np.random.seed(3)
    layer, s = LazyLayer(2), 0.0
    for k in range(2):
        s = s + np.sum(layer.forward(x * (k + 1)) ** 2)
    return s + np.sum(np.random.rand(layer.n_in) * x ** 3)


PROGRAMS.add(weights_drawn_at_first_use, np.array([0.5, 1.5, 2.5]), oracle=False)
