"""Branches, loops, exits, returns, recursion, match."""
# ruff: noqa: B007    (as its users wrote it)
import itertools

import numpy as np

from tests.language.case import Cases

CASES = Cases()
case = CASES.add

V = np.array([0.4, -0.9, 1.3])
M = np.array([[0.5, -0.2, 0.8], [1.1, 0.7, -0.6]])


def branch(x):
    if x > 1.0:
        y = x ** 2
    elif x > 0.5:
        y = np.sin(x)
    else:
        y = x
    return y * x


case("if", branch, 0.7)
case("if", branch, 1.7)


def early(x, n):
    if n < 0:
        return 0.0
    if x < 0:
        return x ** 2
    y = x * n
    if y > 1.0:
        return y ** 3
    return np.exp(y)


case(("early/conditional return", "multiple returns"), early, 0.7, 1)
case(("early/conditional return", "multiple returns"), early, 0.7, 3)


def several(x):
    return x ** 2, np.sin(x)


def takes_several(x):
    a, b = several(x)
    pair = several(b)
    return a * pair[0] + pair[1]


case("tuple return", takes_several, 0.7)


def as_list(x):
    return [x, x ** 2, np.exp(x)]


def takes_list(x):
    values = as_list(x)
    return values[0] * values[-1] + sum(values)


case("list return", takes_list, 0.7)


def as_dict(x):
    return {"value": x ** 2, "slope": 2 * x}


def takes_dict(x):
    result = as_dict(x)
    return result["value"] * result["slope"]


case("dict return", takes_dict, 0.7)


def string_branch(x, method="sum"):
    if method == "sum":
        return np.sum(x ** 2)
    elif method != "mean":
        raise ValueError(method)
    return np.mean(x ** 3)


case("string comparison branch", string_branch, V)
case("string comparison branch", string_branch, V, method="mean")


def over_range(x, n):
    total = 0.0
    for i in range(n):
        total = total * x + i
    return total


case(("for", "for over range", "builtin range()"), over_range, 0.7, 5)


def over_range_with_step(x):
    total = 0.0
    for i in range(1, 8, 3):
        total += x ** i
    for i in range(4, 0, -2):
        total *= x + i
    return total


case("range with step", over_range_with_step, 0.7)


def over_name(xs):
    total = 1.0
    for x in xs:
        total *= x + 2.0
    return total


case("for over Name", over_name, V)
case("for over Name", over_name, [0.4, 0.8])


def over_rows(A):
    total = 0.0
    for row in A:
        total += row[0] * row.sum() ** 2
    return total


case("for over Name", over_rows, M)


class Track:
    def __init__(self, samples):
        self.samples = samples
        self.pairs = [(s, 2.0) for s in samples]


def over_attribute(samples):
    track = Track(samples)
    total = 0.0
    for s in track.samples:
        total += s ** 3
    return total


case("for over Attribute", over_attribute, [0.4, 0.9])


def over_enumerate(xs):
    total = 0.0
    for i, x in enumerate(xs, start=1):
        total += i * x ** i
    return total


case(("for over enumerate", "builtin enumerate()"), over_enumerate, V)


def over_zip(xs, ys):
    total = 0.0
    for x, y, k in zip(xs, ys, range(5)):
        total += k * x * y ** 2
    return total


case(("for over zip", "builtin zip()"), over_zip, V, [0.5, 1.5, -0.3], inputs=("xs", "ys"))


def over_unzipped(points):
    xs, ys = zip(*points)
    return sum(x ** 2 for x in xs) * sum(ys)


case("builtin zip()", over_unzipped, [(0.5, 1.0), (0.2, -0.7), (1.1, 0.3)])


def over_call(x):
    total = 0.0
    for y in several(x):
        total += y ** 2
    for k in np.linspace(0.0, 1.0, 3):
        total *= x + k
    return total


case("for over other", over_call, 0.7)


def over_subscript(groups):
    total = 0.0
    for x in groups["first"]:
        total += x ** 2
    for x in groups["second"][1:]:
        total *= x
    return total


case("for over Subscript", over_subscript, {"first": [0.5, 0.9], "second": [2.0, 1.5, 0.7]})


def over_items(parameters):
    total = 0.0
    for name, value in parameters.items():
        if name.startswith("w"):
            total += np.sum(value ** 2)
        else:
            total *= value
    return total


case(("for over items", "dict .items()"), over_items, {"w1": V, "b": 0.5, "w2": 1.3})


def over_keys(parameters):
    total = 1.0
    for name in parameters.keys():
        total *= parameters[name] + 1.0
    for name in parameters:
        total += parameters[name]
    return total


case(("for over keys", "dict .keys()"), over_keys, {"a": 0.5, "b": 1.2})


def over_values(parameters):
    total = 1.0
    for value in parameters.values():
        total *= np.sum(value)
    return total + sum(parameters.values())


case(("for over values", "dict .values()"), over_values, {"a": 0.5, "b": 1.2})


def over_list(x, y):
    total = 0.0
    for factor in [x, y, x * y]:
        total += np.sin(factor)
    return total


case("for over List", over_list, 0.7, 1.3, inputs=("x", "y"))


def over_tuple(x, y):
    total = 0.0
    for name, factor in (("x", x), ("y", y), ("one", 1.0)):
        total += factor ** len(name)
    return total


case("for over Tuple", over_tuple, 0.7, 1.3, inputs=("x", "y"))


def over_reversed(xs):
    total = 0.0
    for x in reversed(xs):
        total = total * 0.5 + x ** 2
    for i in reversed(range(3)):
        total = total * xs[i]
    return total


case(("for over reversed", "builtin reversed()"), over_reversed, [0.5, 1.2, 0.8])


def over_arange(x):
    total = 0.0
    for t in np.arange(0.0, 1.0, 0.25):
        total += np.exp(-x * t)
    return total


case("for over arange", over_arange, 0.7)


def breaks(x):
    total = 0.0
    for i in range(20):
        total += x ** i
        if total > 2.0:
            break
    return total * i


case("break", breaks, 0.7)


def continues(xs):
    total = 0.0
    for i, x in enumerate(xs):
        if i % 2:
            continue
        total += x ** 2
    return total


case("continue", continues, V)


def finds(x, table):
    for a, b in table:
        if a < x <= b:
            return x * b
    return x


case("return inside loop", finds, 0.7, [(0.0, 0.5), (0.5, 1.0)])


def for_else(x, limit):
    for i in range(4):
        x = x * 1.3
        if x > limit:
            y = x ** 2
            break
    else:
        y = np.sin(x)
    return y * x


case("for-else", for_else, 0.7, 1.0)
case("for-else", for_else, 0.7, 10.0)


def while_loop(x):
    n = 0
    while x > 0.1:
        x = 0.6 * x * x
        n += 1
    return x * n


case("while", while_loop, 0.9)


def babylonian(x):
    guess = x
    while True:
        following = 0.5 * (guess + x / guess)
        if abs(following - guess) < 1e-14:
            break
        guess = following
    return following


case("while True", babylonian, 2.0)


def while_true_returns(x):
    k = 0
    while True:
        x = np.sin(x) + 0.1
        k += 1
        if k == 4:
            return x ** 2


case("while True", while_true_returns, 0.7)


def factorial_like(x, n):
    if n == 0:
        return 1.0
    return (x + n) * factorial_like(x, n - 1)


case("recursion", factorial_like, 0.7, 4)


def tree_sum(tree):
    if isinstance(tree, tuple):
        left, right = tree
        return tree_sum(left) * tree_sum(right) + 1.0
    return np.sin(tree)


case("recursion", tree_sum, ((0.5, 1.2), (0.3, (0.9, -0.4))))


def even_power(x, n):
    return 1.0 if n == 0 else x * odd_power(x, n - 1)


def odd_power(x, n):
    return x if n == 1 else x * even_power(x, n - 1)


case("recursion", even_power, 0.7, 4)


def matched(x, mode):
    match mode:
        case str(name) if name == "never":
            return x
        case "square" | "quadratic":
            return x ** 2
        case ("power", n):
            return x ** n
        case {"scale": s}:
            return x * s * x
        case int(k):
            return x * k
        case _:
            return np.sin(x)


case("match statement", matched, 0.7, "square")
case("match statement", matched, 0.7, ("power", 3))
case("match statement", matched, 0.7, {"scale": 2.0})
case("match statement", matched, 0.7, 5)
case("match statement", matched, 0.7, None)


def nested_loops(A):
    n, m = A.shape
    total = 0.0
    for i, j in itertools.product(range(n), range(m)):
        if i == j:
            continue
        total += A[i, j] * A[0, j]
    for i in range(n):
        for j in range(i, m):
            if A[i, j] > 1.0:
                return total * A[i, j]
    return total


case("return inside loop", nested_loops, M)
