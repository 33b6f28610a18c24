"""devirtualize: a call of one of several functions becomes a branch that calls each. decorators: calls in front of it."""
import functools
import math

from tests.passes.becomes import Cases

CASES = Cases("devirtualize")
becomes = CASES.becomes


@becomes("""
    h = 0 if x > 0 else 1
    return math.sin(x) if h == 0 else math.cos(x)
""")
def chosen(x):
    h = math.sin if x > 0 else math.cos
    return h(x)


@becomes("""
    for f in (0, 1):
        x = math.sin(x) if f == 0 else math.cos(x)
    return x
""")
def loop_over_functions(x):
    for f in (math.sin, math.cos):
        x = f(x)
    return x


@becomes("""
    table = {'s': math.sin, 'c': math.cos}
    return math.cos(x) * (math.sin(x) if x > 0 else math.cos(x))
""")
def tables(x):
    table = {"s": math.sin, "c": math.cos}
    return table["c"](x) * (math.sin if x > 0 else math.cos)(x)


@becomes("""
    def g_plain(t):
        return t * x
    g = twice(g_plain)
    return g(x)
""")
def decorated(x):
    @functools.lru_cache
    @twice
    def g(t):
        return t * x

    return g(x)


def twice(f):
    return lambda t: 2.0 * f(t)


test_callees = CASES.check()
