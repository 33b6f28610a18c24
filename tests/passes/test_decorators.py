"""decorators: a decorated inner function is a plain one, and a call of each decorator."""
import functools

from tests.passes.becomes import Cases

CASES = Cases("decorators")


def twice(f):
    return lambda t: 2.0 * f(t)


def times(factor):
    return lambda f: lambda t: factor * f(t)


@CASES.becomes("""
    def g_plain(t):
        return t * x
    g = twice(g_plain)
    return g(x)
""")
def one_decorator(x):
    @twice
    def g(t):
        return t * x

    return g(x)


@CASES.becomes("""
    def g_plain(t):
        return t + 1.0
    g = times(x)(twice(g_plain))
    return g(x)
""")
def the_last_one_comes_first(x):
    @times(x)
    @twice
    def g(t):
        return t + 1.0

    return g(x)


@CASES.becomes("""
    def g(t):
        return t * x
    return g(x)
""")
def a_cache_changes_no_value(x):
    @functools.cache
    def g(t):
        return t * x

    return g(x)


@CASES.stays()
def an_inner_function_without_any(x):
    def g(t):
        return t * x

    return g(x)


test_decorators = CASES.check()
