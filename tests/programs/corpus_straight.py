"""Straight-line programs: operators, assignment, unpacking, rebinding."""
import math

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, -0.8, 1.1])
MATRIX = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7]])


def polynomial(x):
    return 3 * x ** 3 - 2.5 * x ** 2 + x - 7


case(polynomial, 0.7, order=3)


def all_arithmetic(x, y):
    """Every arithmetic operator once."""
    a = x + y - 2 * x
    b = a * y / (1 + x ** 2)
    c = -b + +x
    d = x // 1 + y % 0.4
    return c * d - a ** 2


case(all_arithmetic, 1.3, 0.9, inputs=("x", "y"))


def power_of_variables(x, y):
    return x ** y + 2.0 ** x + y ** -1.5 + x ** 0


case(power_of_variables, 1.4, 0.6, inputs=("x", "y"), order=3)


def rebinding(x):
    y = x * x
    x = np.sin(y)
    y = x + y
    x = x * y
    return x


case(rebinding, 0.8, order=3)


def swap(x, y):
    x, y = y, x * y
    x, y = y, x
    x, y = np.cos(y), x - y
    return x * y


case(swap, 0.5, 1.7, inputs=("x", "y"))


def nested_unpacking(x, y):
    (a, (b, c)), d = (x, (y, x * y)), x + y
    [e, f] = a * b, c / d
    return e + 2 * f - a


case(nested_unpacking, 0.5, 1.7, inputs=("x", "y"))


def starred_unpacking(x, y):
    first, *middle, last = x, y, x * y, x + y
    return first * last + middle[0] * middle[1] ** 2


case(starred_unpacking, 0.5, 1.7, inputs=("x", "y"))


def unpack_array(v):
    a, b, c = v
    return a * b + np.exp(c) * a


case(unpack_array, VECTOR, order=3)


def unpack_rows(m):
    upper, lower = m
    return upper @ lower + (upper * np.sin(lower)).sum()


case(unpack_rows, MATRIX)


def chained_assignment(x):
    a = b = np.sin(x)
    b = b * a
    return a + 3 * b


case(chained_assignment, 0.6, order=3)


def annotated(x: float, y: "float" = 2.0) -> float:
    """A docstring, annotations, and a declaration without a value."""
    z: float = x * y
    w: float
    w = z + x
    return w * z


case(annotated, 0.6, 1.5, inputs=("x", "y"))


def augmented_scalars(x, y):
    total = x
    total += y
    total *= x
    total -= y * y
    total /= 1 + x * x
    total **= 2
    return total


case(augmented_scalars, 0.6, 1.5, inputs=("x", "y"), order=3)


def augmented_alias(x):
    """`+=` rebinds floats: `a` keeps its value."""
    a = x * 2
    b = a
    b += x * x
    b *= a
    return a * 10 + b


case(augmented_alias, 0.9)


def augmented_fresh_array(v, s):
    work = v * s
    work += np.sin(v)
    work *= 2.0
    work -= s
    return (work * work).sum()


case(augmented_fresh_array, VECTOR, 0.7, inputs=("v", "s"))


def dead_code(x):
    unused = np.exp(x) * 3
    y = x * x
    unused = y + unused
    return y * 2


case(dead_code, 0.4)


def overwritten_argument(x, y):
    x = y * 2
    return x * y


case(overwritten_argument, 0.4, 1.2, inputs=("x", "y"))


def scalar_to_array_and_back(x):
    """One name holds a float, then a vector, then a matrix, then a float."""
    x = x * np.ones(3)
    x = x * np.arange(3.0)
    x = np.outer(x, x) + x
    x = x.sum()
    return np.sin(x)


case(scalar_to_array_and_back, 0.3)


def ints_and_floats(n, x):
    k = n + 1
    half = k / 2
    return k * x + n * x ** n - half // 1 * x + half


case(ints_and_floats, 3, 0.7, inputs="x")


def integer_input(n, x):
    """A Python int as input counts as a float."""
    return n * n * x + math.sin(n)


case(integer_input, 3, 0.7, inputs=("n", "x"))


def identity(x):
    return x


case(identity, 1.5)


def constant_result(x):
    return 4.0


case(constant_result, 1.5)


def shared_subexpression(x):
    s = math.sin(x)
    return s * s + s / (1 + s) + math.exp(s) * x


case(shared_subexpression, 1.1, order=3)


def swap_containers(x, y):
    pair = (x, y * y)
    triple = (pair, x + y, pair[1])
    (p, q), r, s = triple
    return p * q * r + s * triple[0][0]


case(swap_containers, 0.7, -1.2, inputs=("x", "y"))


def tuple_slices(x):
    """Constant slices and negative indices of tuples."""
    values = (x, x * x, math.cos(x), 3.0)
    head, tail = values[:2], values[-2:]
    return head[0] * tail[0] + head[1] * tail[-1] + len(values) * x


case(tuple_slices, 0.9)
