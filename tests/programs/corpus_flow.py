"""Imports inside functions, decorators, `global` reads, statements without effect on values."""
import functools
import logging
import math
import warnings

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, -0.8, 1.1])
RATE = 1.5
LOG = logging.getLogger(__name__)


def imports_inside(x):
    import math
    import os.path  # noqa: F401
    from math import cos, sin as sine

    import numpy
    import numpy.linalg as la
    from numpy import exp, linalg

    pair = numpy.array([x, 2.0 * x])
    return sine(x) * cos(x) + math.exp(x) + la.norm(pair) * exp(x) + linalg.norm(pair * x)


case(imports_inside, 0.7, oracle=False)


def imports_where_needed(x, plot=False):
    if plot:
        import sourcegrad_has_no_such_module as plt

        plt.plot(x)

    def inner(t):
        import numpy.linalg as nl

        from tests.programs.corpus_closures import GAIN

        return GAIN * nl.norm(t)

    return inner(x * x) + inner(VECTOR * x)


case(imports_where_needed, VECTOR, oracle=False)


def inert_statements(x):
    """Nothing but its value and its errors."""
    assert x > 0, f"not positive: {x}"
    y: float  # noqa: F842 (the bare annotation is what is tested)
    z: float = x * 2
    if x > 100.0:
        warnings.warn("large")  # noqa: B028 (as users write it)
        print("x is", x)
    LOG.debug("x = %s", x)
    logging.getLogger("here").debug("twice")
    ...
    "a string"
    pass
    return x * z


case(inert_statements, 0.7)


def deletes_names(x):
    y = x * x
    z = y * x
    del y
    y = z
    del z
    return y


case(deletes_names, 0.7)


def reads_global(x):
    global RATE
    return RATE * x * x


case(reads_global, 0.7)


def doubled(f):
    @functools.wraps(f)
    def wrapper(*args, **options):
        return 2.0 * f(*args, **options)

    return wrapper


def powered(n):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(x, *rest):
            return f(x, *rest) ** n

        return wrapper

    return decorate


@doubled
def wrapped(x, y=3.0, *, z=1.5):
    return x * x * y * z


case(wrapped, 0.7, 0.4, inputs=("x", "y"))
case(wrapped, 0.7, z=0.3)


@doubled
@powered(2)
def wrapped_twice(x, y):
    return x * y


case(wrapped_twice, 0.7, 0.4, inputs=("x", "y"))


def calls_wrapped(x):
    return wrapped(x) * wrapped(x, y=x) * wrapped(x, x, z=x) + wrapped_twice(x, 2.0)


case(calls_wrapped, 0.7)


@functools.lru_cache(maxsize=None)  # noqa: UP033 (this spelling is what is tested)
def cached(x):
    return x * x


@functools.cache
def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


def calls_cached(x):
    return cached(x) * x / factorial(4)


case(calls_cached, 0.7, oracle=False)


class Compiled:
    """Looks like what a just-in-time compiler makes."""

    def __init__(self, f):
        self.py_func = f
        functools.update_wrapper(self, f)

    def __call__(self, *args):
        raise RuntimeError("compiled code was run")


@Compiled
def compiled_power(x, n):
    return x ** n


def calls_compiled(x):
    return compiled_power(x, 3) * 2.0


calls_compiled.__name__ = "calls_compiled"


def decorated_inside(x):
    def twice(f):
        return lambda t: 2.0 * f(t)

    @functools.lru_cache
    @twice
    @powered(3)
    def g(t):
        return t * x

    return g(x)


case(decorated_inside, 0.7, oracle=False)


def only_by_name(x, /, y, *, z=2.0):
    return x * y * z


def parameters_of_all_kinds(x):
    def inner(a, /, b=1.5, *, c=2.0):
        return a * b * c * x

    return only_by_name(x, x, z=x) + only_by_name(x, y=2.0) + inner(x) * inner(x, b=x) * inner(x, 2.0, c=x)


case(parameters_of_all_kinds, 0.7)


def asks_for_types(x, table, n=3, mode="square"):
    y = x if isinstance(x, (float, np.floating)) else 2 * x
    if type(n) is int and not isinstance(table, dict):
        y = y * x
    if isinstance(table, np.ndarray) and hasattr(table, "shape") and not hasattr(n, "nothing"):
        y = y * table[0]
    if type(n) == str or isinstance(n, (list, tuple)):  # noqa: E721
        y = y * 3
    if not callable(n) and callable(math.sin):
        y = y * x
    if mode == "square":
        y = y + x * x
    elif mode is None:
        y = math.inf
    return y


case(asks_for_types, 0.7, VECTOR)


def nonlocal_sum(x, y):
    total = 0.0

    def add(v):
        nonlocal total
        total += v

    add(x * y)
    for k in range(3):
        add(total * x ** k)
    return total


case(nonlocal_sum, 0.7, 0.4, inputs=("x", "y"))


def nonlocal_in_expressions(x):
    """Each call is seen by what is evaluated after it, not by what is before."""
    count = 0

    def f(t):
        nonlocal count
        count += 1
        return t * x * count

    y = f(x) + f(2.0) * count
    pair = (count, f(y), count)
    both = x > 0 and f(x)
    z = f(x) if x < 0 else f(2.0 * x)
    return count * f(y) + count * pair[0] + pair[1] * pair[2] + both * z + (count < f(x))


case(nonlocal_in_expressions, 0.7)


def nonlocal_state(x):
    s = x
    calls = 0

    def step(a):
        nonlocal s, calls
        calls += 1
        if a > 0.5:
            s = s * a
            return s
        s = s + a

    def both(a):
        step(a)
        return s * 2 + calls

    for i in range(3):
        step(0.3 * i)
    while s > 1.5:
        step(0.6)
    return both(x) + s * calls


case(nonlocal_state, 0.7)


def nonlocal_two_levels(x):
    s = 1.0

    def outer(a):
        def inner(b):
            nonlocal s
            s = s * b
            return s

        return inner(a) + inner(x)

    return outer(x) + s


case(nonlocal_two_levels, 0.7)


def nonlocal_recursion(x):
    n = 0

    def walk(t):
        nonlocal n
        n += 1
        if n > 3:
            return t
        return walk(t * x) + n

    return walk(x)


case(nonlocal_recursion, 0.7)


def nonlocal_best(v):
    best = 10.0

    def consider(t):
        nonlocal best
        if t < best:
            best = t

    [consider((t - 0.1 * k) ** 2) for k, t in enumerate(v)]
    return best


case(nonlocal_best, VECTOR)


def nonlocal_array(x):
    v = np.array([x, 2 * x, 3.0])

    def scale(k):
        nonlocal v
        v = v * k

    def change(k):
        nonlocal v
        v[0] = v[0] * k
        v += x

    scale(x)
    change(x)
    return v.sum()


case(nonlocal_array, 0.7)


def rebound_after_definition(x):
    def f(t):
        return t * a + g(t)

    def g(t):
        return a ** 2 * t

    a = x
    first = f(x)
    a = 2.0 * x
    return first * f(1.0)


case(rebound_after_definition, 0.7)
