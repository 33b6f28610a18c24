"""Nested functions, closures, lambdas, globals, bound methods, spellings of imports."""
import collections
import functools
import math
import math as m
import operator
from functools import partial, reduce
from math import cos as cosine, exp, pi

import numpy
import numpy as anything
import numpy as np
from numpy import sin, tanh as squash

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, -0.8, 1.1])
MATRIX = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7]])
GAIN = 1.5
SETTINGS = {"rate": 0.25, "bias": np.array([0.1, 0.2, 0.3]), "steps": 3}
WEIGHTS = [0.5, -1.5, 2.0]


def inner_function(x, y):
    def scaled(t):
        return t * y + 1.0

    return scaled(x) * scaled(scaled(y))


case(inner_function, 0.7, -0.4, inputs=("x", "y"), order=3)


def closure_reads_latest(x):
    """A closure sees the value at the time of the call."""
    k = x

    def f(t):
        return t * k

    a = f(2.0)
    k = x * x
    return a + 10 * f(3.0)


case(closure_reads_latest, 0.7)


def nested_twice(x):
    def outer(a):
        def inner(b):
            return a * b + x

        return inner(a) * inner(x)

    return outer(x * x) + outer(2.0)


case(nested_twice, 0.7, order=3)


def returned_closure(x, y):
    def make(scale):
        def f(t):
            return math.sin(scale * t)

        return f

    first, second = make(x), make(y)
    return first(y) * second(2.0)


case(returned_closure, 0.7, -0.4, inputs=("x", "y"))


def lambdas(x, y):
    f = lambda t: t * t + y  # noqa: E731 (a lambda with a name is what users write)
    g = lambda a, b=2.0: a * b * f(a)  # noqa: E731 (a lambda with a name is what users write)
    return f(x) + g(y) * (lambda t: t + x)(y)


case(lambdas, 0.7, -0.4, inputs=("x", "y"), order=3)


def lambda_in_loop(x):
    total = 0.0
    for i in range(3):
        f = lambda t, i=i: t ** i * x  # noqa: E731 (a lambda with a name is what users write)
        total = total + f(x + 1)
    return total


case(lambda_in_loop, 0.7)


def inner_with_loop(v, n):
    def horner(t):
        y = 0.0
        for c in v:
            y = y * t + c
        return y

    total = 0.0
    for i in range(n):
        total = total + horner(0.3 * i) * horner(v[0])
    return total


case(inner_with_loop, VECTOR, 3, order=3)


def inner_recursion(x):
    def walk(t, n):
        if n == 0:
            return t
        return walk(math.sin(t) + x, n - 1) * x

    return walk(x, 3)


case(inner_recursion, 0.7)


def make_model(scale, shift):
    offset = np.array([0.1, -0.1, 0.2])

    def model(v):
        return np.sum(np.tanh(scale * v + shift) * offset)

    return model


case(make_model(1.7, 0.2), VECTOR)


def make_with_helper(power):
    def helper(t):
        return t ** power

    def helped(x):
        return helper(x) + helper(2 * x)

    return helped


case(make_with_helper(3), 0.7, order=3)

global_lambda = lambda x: x * np.sin(x) + GAIN  # noqa: E731 (a lambda with a name is what users write)
global_lambda.__name__ = "global_lambda"

case(global_lambda, 0.7)


def global_constants(x):
    return GAIN * x ** 2 + pi * x - np.pi * math.e * x ** 3 + WEIGHTS[1] * x


case(global_constants, 0.7, order=3)


def global_containers(v):
    y = v + SETTINGS["bias"]
    for _ in range(SETTINGS["steps"]):
        y = y - SETTINGS["rate"] * np.sin(y)
    total = 0.0
    for w, x in zip(WEIGHTS, y):
        total += w * x * x
    return total


case(global_containers, VECTOR)


def import_spellings(x):
    a = numpy.sin(x) * anything.cos(x) + np.exp(x)
    b = math.sin(x) + m.sqrt(x) * cosine(x) - exp(x)
    return a * b + sin(x) * squash(x) + pi


case(import_spellings, 0.7, order=3)


def operator_module(x, y):
    return operator.add(operator.mul(x, y), operator.neg(x)) * operator.pow(y, 2) - operator.truediv(x, y)


case(operator_module, 0.7, 0.4, inputs=("x", "y"))


def reduced(x, y):
    def product(a, b):
        return a * b + x

    total = product(product(x, y), 2.0)
    return total * functools.partial(product, y)(total)


case(reduced, 0.7, 0.4, inputs=("x", "y"))


def partial_of_lambda(x):
    f = partial(lambda a, b, c: a * b - c, x, c=x * x)
    return f(3.0) * f(x * x)


case(partial_of_lambda, 0.7)


def reduce_over_list(x, y):
    return reduce(lambda a, b: a * b + x, [x, y, 2.0 * y], 1.0)


case(reduce_over_list, 0.7, 0.4, inputs=("x", "y"))


class Spring:
    """Holds constants; its methods are differentiated in their arguments."""

    def __init__(self, stiffness, rest):
        self.stiffness = stiffness
        self.rest = rest

    def energy(self, x):
        stretch = x - self.rest
        return 0.5 * self.stiffness * stretch ** 2 + self.damping(x)

    def damping(self, x, rate=0.1):
        return rate * x ** 3

    @staticmethod
    def kinetic(mass, speed):
        return 0.5 * mass * speed ** 2


SPRING = Spring(2.0, 0.3)

case(SPRING.energy, 0.7, order=3)
case(Spring.kinetic, 0.7, 1.5, inputs=("mass", "speed"))


def calls_bound_method(x):
    return SPRING.energy(x) * SPRING.damping(x, rate=x) + Spring.kinetic(x, 2.0) * SPRING.stiffness


case(calls_bound_method, 0.7)


def default_from_global(x, gain=GAIN, bias=SETTINGS["bias"]):
    return gain * x * x + (bias * x).sum()


def default_objects(x):
    return default_from_global(x) * default_from_global(x, 2.0)


case(default_objects, 0.7)


def closure_over_loop_variable(x):
    total = 0.0
    for i in range(1, 4):
        def f(t):
            return t * i + x

        total = total + f(total) * f(x)
    return total


case(closure_over_loop_variable, 0.7)


def compose(f, g):
    return lambda t: f(g(t))


def composed(x):
    h = compose(math.sin, compose(lambda t: t * x, math.exp))
    return h(x) + h(0.3)


case(composed, 0.7)


# --- the name of a function, a class made inside

def named_calls(v):
    log = []

    def traced(function):
        @functools.wraps(function)
        def inner(*args, **options):
            log.append(function.__name__)
            return function(*args, **options)
        return inner

    @traced
    def square(x, scale=1.0):
        return scale * x ** 2

    return sum(square(x, scale=2.0) for x in v) * len(log)


def points_of_a_polygon(v):
    Point = collections.namedtuple("Point", ["x", "y"])
    points = [Point(v[i], v[i + 1]) for i in range(2)]
    area = 0.0
    for a, b in zip(points, points[1:] + points[:1]):
        area += 2.0 * a.x * b.y - b.x * a.y
    return area


case(named_calls, np.array([0.4, -0.9, 1.3]))
case(points_of_a_polygon, np.array([0.4, -0.9, 1.3]))


# --- a function as the default of a parameter

def lambda_as_default(v):
    def weighed(x, weight=lambda z: z * 2.0, times=v[2]):
        return weight(x) * times

    plain = lambda z, power=lambda y: y * y: power(z)       # noqa: E731  (what is tested)
    return weighed(v[0]) + weighed(v[1], np.sin) + weighed(v[1], times=3.0) + plain(v[0])


case(lambda_as_default, np.array([0.3, 0.8, 1.1]))


# --- an object keeps a function whose variable changes later

class Kept:
    def __init__(self, function):
        self.function = function


def kept_by_an_object(v):
    weight = 2.0
    kept = Kept(lambda: weight * v[0])
    first = kept.function()
    weight = 3.0
    return first * kept.function()


case(kept_by_an_object, np.array([0.3, 0.8, 1.1]), may_refuse=True)


# --- a callee calls the function that it is handed at once, or hands it on: its variable may change later

def applied(f, t, n=2):
    if f is None:
        return t

    def twice(s):
        return f(f(s))

    for _ in range(n):
        t = handed_on(f, twice(t))
    return t


def handed_on(f, t):
    return f(t)


def handed_in_each_turn(x):
    w = x * 0.5
    for k in range(3):
        w = applied(lambda t: np.sin(t) * w + k, w, 1)
    return w * x


case(handed_in_each_turn, 0.7)
