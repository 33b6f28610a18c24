"""Built-in functions."""
import builtins  # noqa: F401
import math

import numpy as np

from tests.language.case import Cases

CASES = Cases()
case = CASES.add

V = np.array([0.4, -0.9, 1.3])


def lengths(v, names):
    return np.sum(v ** 2) / len(v) * len(names) ** len("ab")


case("builtin len()", lengths, V, ["a", "b"])


def integers(x, n):
    k = int(3.7)
    return x ** k * int(n / 2) + int(x) + x ** int("2")


case("builtin int()", integers, 1.7, 5)


def floats(x, v):
    return float(x) ** 2 * float(np.sum(v)) + float("2.5") * float(v[0]) + float(3)


case("builtin float()", floats, 0.7, V, inputs=("x", "v"))


def absolutes(x, v):
    return abs(x - 1.0) ** 3 + np.sum(abs(v) * v) + abs(complex(x, 1.0))


case("builtin abs()", absolutes, 0.7, V, inputs=("x", "v"))


def largest(x, y, v):
    return max(x, y) * min(x, y ** 2, 3.0) + max(v) * min(list(v)) + max([x, y], key=lambda t: -t)


case(("builtin max()", "builtin min()"), largest, 0.7, 1.3, V, inputs=("x", "y", "v"))


def largest_default(x, values):
    return max(values, default=x) * min((), default=x ** 2)


case(("builtin max()", "builtin min()"), largest_default, 0.7, [])


def sums(v, x):
    return sum(v) * sum([x, x ** 2], 1.0) + sum(t ** 2 for t in v)


case("builtin sum()", sums, V, 0.7, inputs=("v", "x"))


def mapped(v):
    a, b, c = map(float, v)
    squares = list(map(lambda t: t ** 2, v))
    products = map(lambda s, t: s * t, v, squares)
    return a * b * c + sum(squares) + sum(products) * max(map(math.exp, v))


case("builtin map()", mapped, V)


def filtered(v):
    positive = list(filter(lambda t: t > 0, v))
    return sum(positive) * positive[1] + sum(filter(None, [v[0], 0.0, None]))


case("builtin filter()", filtered, V)


def every(v, xs):
    if all(x > -1 for x in v) and all([True, xs]):
        return np.sum(v ** 2)
    return v[0]


case("builtin all()", every, V, [1], inputs="v")


def some(v):
    if any(x > 1 for x in v) and not any([]):
        return np.sum(v ** 3)
    return v[0]


case("builtin any()", some, V)


def truth(v, flag):
    if bool(flag) and bool(v[0] > 0):
        return np.sum(v ** 2) * (1 + bool(3))
    return v[0]


case("builtin bool()", truth, V, 1)


def rounded(x):
    k = round(x)
    return x ** k + round(2.345, 1) * x + round(x, 2) * x ** 2


case("builtin round()", rounded, 1.7)


def powers(x, y):
    return pow(x, 3) + pow(2.0, y) * pow(x, y) + pow(7, 2, 5)


case("builtin pow()", powers, 0.7, 1.3, inputs=("x", "y"))


def printed(x, verbose=False):
    if verbose:
        print("x is", x)
    return x ** 2


case("builtin print()", printed, 0.7)
case("builtin print()", printed, 0.7, verbose=True)


def iterators(xs):
    it = iter(xs)
    first = next(it)
    total = 0.0
    for x in it:
        total += first * x ** 2
    return total + next(it, 1.0) * first


case(("builtin iter()", "builtin next()"), iterators, [0.7, 1.2, -0.4])


def loop_over_iter(xs):
    total = 0.0
    for x in iter(xs):
        total += x ** 2
    for k, x in enumerate(iter(xs)):
        total += x ** (k + 1)
    return total * sum(x for x in iter(xs))


case("builtin iter()", loop_over_iter, [0.7, 1.2, -0.4])


def next_of_generator(xs):
    first = next(x for x in xs if x > 1.0)
    missing = next((x for x in xs if x > 5.0), first ** 2)
    return first * missing


case("builtin next()", next_of_generator, [0.7, 1.2, -0.4])


def callables(x, model):
    if callable(model):
        return model(x) * x
    return model * x


case("builtin callable()", callables, 0.7, np.sin, inputs="x")
case("builtin callable()", callables, 0.7, 2.0, inputs=("x", "model"))


def divmods(x, n):
    q, r = divmod(n, 3)
    whole, rest = divmod(x, 0.5)
    return x ** q + r * rest ** 2 + whole


case("builtin divmod()", divmods, 0.7, 8)


def evaluated(x):
    return eval("x ** 2") * x


case("builtin eval()", evaluated, 0.7, refused="what runs must be visible in the source")

SETTING = 2.0


def from_globals(x):
    return globals()["SETTING"] * x ** 2


case("builtin globals()", from_globals, 0.7, refused="what runs must be visible in the source")


def executed(x):
    names = {"x": x}
    exec("y = x ** 2", names)
    return names["y"]


case("builtin exec()", executed, 0.7, refused="what runs must be visible in the source")


def complex_parts(x, y):
    z = complex(x, y)
    w = z * z.conjugate() + 1j * z
    return w.real * w.imag


case("builtin complex()", complex_parts, 0.7, 1.3, inputs=("x", "y"))


def of_strings(x):
    codes = [ord(c) for c in "ab"]
    return x ** (codes[1] - codes[0] + 1) * len(repr("a")) * len(str(3.5)) * (hash("a") == hash("a"))


case("builtin ord(), repr(), str()", of_strings, 0.7)
