"""Attacks on functions: arguments, decorators, functions as values, classes."""
import functools
import math
from functools import lru_cache, partial, singledispatch, wraps

import numpy as np
from numpy import sin as cos

from tests.errors.attack import Corpus

ATTACKS = Corpus()
attack = ATTACKS.add

V = np.array([0.3, -0.8, 1.1])
M = np.array([[0.2, -0.5], [1.3, 0.4]])


def keywords_shuffled(x):
    return _weighted(scale=x, y=x * x, x=2.0)


def _weighted(x, y, /, *, scale):
    return x * y * scale


attack(keywords_shuffled, 0.7)


def keywords_right(x):
    return _weighted(x * x, x, scale=2.0)


attack(keywords_right, 0.7)


def missing_argument(x):
    return _weighted(x, x)


attack(missing_argument, 0.7)


def unexpected_keyword(x):
    return _weighted(x, x, scale=x, other=1.0)


attack(unexpected_keyword, 0.7)


def too_many_arguments(x):
    return _weighted(x, x, x, scale=x)


attack(too_many_arguments, 0.7)


def argument_twice(x):
    return _mixed(x, a=x)


def _mixed(a, *rest, b=2.0, **more):
    return a * b + sum(rest) * len(more) + sum(more.values())


attack(argument_twice, 0.7)


def keyword_twice(x):
    return _mixed(x, b=1.0, **{"b": x})


attack(keyword_twice, 0.7)


def mixed_arguments(x):
    return _mixed(x, x * x, 2.0, b=x, c=x * x)


attack(mixed_arguments, 0.7)


def starred_arguments(x):
    pair = (x, x * x)
    return _mixed(*pair, **{"b": x, "c": 1.0})


attack(starred_arguments, 0.7)


def starred_list(x):
    return _mixed(*[x, x * x], *(2.0,))


attack(starred_list, 0.7)


def starred_array(x):
    return _mixed(*x)


attack(starred_array, V)


def starred_unknown(x, n):
    xs = [x for _ in range(n)]
    return _mixed(*xs)


attack(starred_unknown, 0.7, 3)


def starred_numpy(x):
    xs = [x, x * x]
    return np.multiply(*xs) * np.add(*(x, x))


attack(starred_numpy, 0.7)


def starred_keywords_numpy(x):
    options = {"axis": 0}
    return np.sum(x, **options).sum() * x[0, 0]


attack(starred_keywords_numpy, M)


def variadic(*xs):
    return xs[0] * xs[-1] + sum(xs)


attack(variadic, 0.7)


def defaults_are_shared(x, w=V):
    return (w * x).sum()


attack(defaults_are_shared, 0.7)


def default_is_an_input(x, w=2):
    return x * w


attack(default_is_an_input, 0.7, 2, inputs=("x", "w"))


def wrap_twice(function):
    @wraps(function)
    def wrapper(*args):
        return 2.0 * function(*args)
    return wrapper


@wrap_twice
def decorated(x):
    return x * x


attack(decorated, 0.7)


def calls_decorated(x):
    return decorated(x) * x


attack(calls_decorated, 0.7)


@lru_cache
def cached(x):
    return x * x


def calls_cached(x):
    return cached(x) * x


attack(calls_cached, 0.7)


@singledispatch
def dispatched(x):
    return x


@dispatched.register
def _(x: float):
    return x * x


def calls_dispatched(x):
    return dispatched(x) * x


attack(calls_dispatched, 0.7)

half_power = partial(math.pow, 2.0)
scaled_decorated = partial(_mixed, b=3.0)


def calls_partial(x):
    return half_power(x) * scaled_decorated(x)


attack(calls_partial, 0.7)


def calls_local_partial(x):
    f = partial(_mixed, x, b=x)
    return f(x) * f(2.0, b=3.0)


attack(calls_local_partial, 0.7)


def calls_nested_partial(x):
    f = functools.partial(functools.partial(_mixed, x), x, b=2.0)
    return f()


attack(calls_nested_partial, 0.7)


def function_argument(x, f):
    return f(x) * f(x * x)


attack(function_argument, 0.7, math.sin)
attack(function_argument, 0.7, np.sin)
attack(function_argument, 0.7, lambda y: y * y)
attack(function_argument, 0.7, decorated)
attack(function_argument, 0.7, half_power)
attack(function_argument, 0.7, np.vectorize(lambda y: y * y))
attack(function_argument, 0.7, float)

OPERATIONS = {"sin": np.sin, "square": lambda y: y * y}
STEPS = [np.sin, lambda y: y * y]


def function_from_global_dict(x):
    return OPERATIONS["square"](x)


attack(function_from_global_dict, 0.7)


def function_from_global_list(x):
    for f in STEPS:
        x = f(x)
    return x


attack(function_from_global_list, 0.7)


def function_from_local_list(x):
    for f in [np.sin, np.cos]:
        x = f(x)
    return x


attack(function_from_local_list, 0.7)


def function_chosen(x):
    f = np.sin
    if x > 0.5:
        f = np.cos
    return f(x)


attack(function_chosen, 0.7)
attack(function_chosen, 0.3)


def function_rebound_in_loop(x):
    f = np.sin
    for _ in range(2):
        x = f(x)
        f = np.cos
    return x


attack(function_rebound_in_loop, 0.7)

one, other = lambda x: x * x, lambda x: x * x * x          # two on one line
attack(one, 0.7)
attack(other, 0.7)


def factory(scale):
    return lambda x: scale * x * x


attack(factory(2.0), 0.7)
attack(factory(3.0), 0.7)


def same_name(x):
    return x * x


first_of_name = same_name


def same_name(x):
    return x * x * x


attack(first_of_name, 0.7)
attack(same_name, 0.7)


def annotated(x: float, y: "np.ndarray" = V) -> "float":
    z: float = x * x
    w: float
    w = z * x
    return (w * y).sum()


attack(annotated, 0.7)


def dunder_names(x):
    return x * len(__name__) * x if __name__ and __debug__ else x


attack(dunder_names, 0.7)


def constants_of_modules(x):
    return x * np.pi * math.e * np.e * x + (x if np.inf > 1 else np.nan) * np.finfo(float).tiny


attack(constants_of_modules, 0.7)


def class_constants(x):
    return x * Settings.scale * Settings.nested.scale


class Settings:
    scale = 2.0

    class nested:
        scale = 3.0

    @staticmethod
    def twice(x):
        return 2.0 * x * x

    @classmethod
    def scaled(cls, x):
        return cls.scale * x * x


attack(class_constants, 0.7)


def static_method(x):
    return Settings.twice(x)


attack(static_method, 0.7)


def class_method(x):
    return Settings.scaled(x)


attack(class_method, 0.7)
attack(Settings.twice, 0.7)


# --- caches keep what a function gave


def cache_of_a_number_that_changes(x):
    k = x[0]

    @functools.lru_cache(None)
    def g(n):
        return k * n

    a = g(2)
    k = k * 3
    return a * g(2) * g(3)


attack(cache_of_a_number_that_changes, V)


def cached_recursion(x):

    @functools.lru_cache(None)
    def p(n):
        return 1.0 if n == 0 else x[0] * p(n - 1)

    return p(4) + p(2)


attack(cached_recursion, V)


def cached_with_effect(x):
    calls = 0

    @functools.cache
    def p(n):
        nonlocal calls
        calls += 1
        return x[0] * n
    return p(2) * p(2) * calls


attack(cached_with_effect, V)


def cache_of_an_array_that_changes(x):
    y = x.copy()

    @functools.cache
    def p(n):
        return np.sum(y) * n

    a = p(2)
    y[0] = 3.0
    return a * p(2)


attack(cache_of_an_array_that_changes, V)


def cache_whose_list_changes(x):
    @functools.lru_cache(None)
    def f(n):
        return [x[n]]

    a = f(0)
    a.append(x[1])
    return sum(f(0)) * len(f(0))


attack(cache_whose_list_changes, V)


def cache_whose_array_changes(x):
    @functools.lru_cache(None)
    def f(n):
        return x[:n] * 2

    a = f(3)
    a[0] = 9 * x[1]
    return np.sum(f(3))


attack(cache_whose_array_changes, V)


@functools.lru_cache(None)
def cached_range(n):
    return np.arange(3.0) * n


def array_of_a_cache_outside(x):
    a = cached_range(2)
    a[0] = x[1]
    return np.sum(cached_range(2) * x)


attack(array_of_a_cache_outside, V)


class Doubled:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def array(self):
        return self.x * 2


def cached_array_by_its_name(x):
    doubled = Doubled(x)
    a = doubled.array
    a[0] = 7 * x[1]
    return np.sum(doubled.array * x)


attack(cached_array_by_its_name, V)


def cached_array_in_place(x):
    doubled = Doubled(x)
    doubled.array[1] *= 3
    return np.sum(doubled.array * x)


attack(cached_array_in_place, V)


def generator_and_a_number_that_changes(x):
    k = 2.0

    def gen():
        for v in x:
            yield v * k

    g = gen()
    k = 3.0
    return sum(g)


attack(generator_and_a_number_that_changes, V)
