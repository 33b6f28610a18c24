"""Decorated functions and generators."""
# ruff: noqa: UP033    (as its users wrote it)
import contextlib
import functools
import time
from typing import overload

import numpy as np

from tests.language.case import Cases

CASES = Cases()
case = CASES.add

V = np.array([0.4, -0.9, 1.3])


def checked(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if not np.all(np.isfinite(args[0])):
            raise ValueError("not finite")
        return function(*args, **kwargs)
    return wrapper


def scaled_by(factor, power=1):
    def decorator(function):
        def wrapper(x):
            return factor * function(x) ** power
        return wrapper
    return decorator


def timed(function):
    function.calls = 0

    @functools.wraps(function)
    def wrapper(*args):
        start = time.perf_counter()
        result = function(*args)
        wrapper.elapsed = time.perf_counter() - start
        return result
    return wrapper


@checked
def square(x, offset=0.0):
    return x ** 2 + offset


def calls_wrapped(x):
    return square(x) * square(2.0, offset=x)


case("decorator @wraps", calls_wrapped, 0.7)
case("decorator @wraps", square, 0.7)


@scaled_by(3.0, power=2)
@scaled_by(2.0)
def cube(x):
    return x ** 3


def calls_decorated(x):
    return cube(x) + x


case("decorator @other", calls_decorated, 0.7)


@timed
def slow(x):
    return np.sin(x) * x


def calls_timed(x):
    return slow(x) ** 2


case("decorator @other", calls_timed, 0.7, refused="Pass the array as an argument and return the new one")


@functools.lru_cache(maxsize=None)
def binomial(n, k):
    if k in (0, n):
        return 1
    return binomial(n - 1, k - 1) + binomial(n - 1, k)


@functools.lru_cache
def legendre(n, x):
    if n == 0:
        return 1.0
    if n == 1:
        return x
    return ((2 * n - 1) * x * legendre(n - 1, x) - (n - 1) * legendre(n - 2, x)) / n


def cached_constants(x):
    return sum(binomial(4, k) * x ** k for k in range(5))


case("decorator @lru_cache", cached_constants, 0.7)


def cached_active(x):
    return legendre(4, x) * x


case("decorator @lru_cache", cached_active, 0.7)


@overload
def norm(x: float) -> float: ...
@overload
def norm(x: np.ndarray) -> float: ...
def norm(x):
    return np.sqrt(np.sum(x ** 2) + 1.0)


def calls_overloaded(x, v):
    return norm(x) * norm(v)


case("decorator @overload", calls_overloaded, 0.7, V, inputs=("x", "v"))


def registered(registry):
    def decorator(function):
        registry[function.__name__] = function
        return function
    return decorator


LOSSES = {}


@registered(LOSSES)
def quadratic(r):
    return r ** 2


@registered(LOSSES)
def log_cosh(r):
    return np.log(np.cosh(r))


def calls_registered(v, name):
    return np.sum(LOSSES[name](v)) + LOSSES["quadratic"](v[0])


case("decorator @other", calls_registered, V, "log_cosh")


def nested_decorator(x):
    @functools.wraps(square)
    def inner(t):
        return square(t) * x

    @scaled_by(x)
    def other(t):
        return t ** 2

    return inner(x) + other(2.0)


case("decorators on nested functions", nested_decorator, 0.7)


@functools.singledispatch
def size_of(value):
    return value ** 2


@size_of.register
def _(value: list):
    return sum(value)


def dispatched(x):
    return size_of(x) * size_of([x, 1.0])


case("functools.singledispatch", dispatched, 0.7)


class Lens:
    def __init__(self, focal):
        self.focal = focal

    @functools.cached_property
    def power(self):
        return 1.0 / self.focal

    def image(self, distance):
        return 1.0 / (self.power - 1.0 / distance)


def cached_properties(focal, distance):
    lens = Lens(focal)
    return lens.power * lens.image(distance) + lens.power ** 2


case("functools.cached_property", cached_properties, 0.7, 2.0, inputs=("focal", "distance"))


def powers(x, n):
    value = 1.0
    for _ in range(n):
        yield value
        value = value * x


def generator_loop(x):
    total = 0.0
    for k, p in enumerate(powers(x, 4)):
        total += (k + 1) * p
    return total * sum(powers(x, 3))


case("generator (yield)", generator_loop, 0.7)


def generator_with_state(x):
    source = powers(x, 5)
    next(source)
    first = next(source)
    rest = list(source)
    return first * rest[-1] + len(rest)


case("generator (yield)", generator_with_state, 0.7)


def flatten(tree):
    for item in tree:
        if isinstance(item, list):
            yield from flatten(item)
        else:
            yield item ** 2


def generator_delegates(x):
    return sum(k * v for k, v in enumerate(flatten([x, [2.0 * x, [1.0]], x])))


case("yield from", generator_delegates, 0.7)


def running_mean():
    total, count, mean = 0.0, 0, None
    while True:
        value = yield mean
        total += value
        count += 1
        mean = total / count


def generator_receives(x):
    means = running_mean()
    next(means)
    means.send(x)
    return means.send(x ** 2) * x


case("generator.send", generator_receives, 0.7, refused="Loop over the call itself")


@contextlib.contextmanager
def doubled(x):
    yield 2.0 * x


def context_decorator(x):
    with doubled(x) as y:
        return y ** 2


case("decorator @other", context_decorator, 0.7)
