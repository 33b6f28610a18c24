"""Operators, comparisons and assignments of names."""
# ruff: noqa: UP037    (as its users wrote it)
import numpy as np

from tests.language.case import Cases

CASES = Cases()
case = CASES.add

V = np.array([0.4, -0.9, 1.3])
M = np.array([[0.5, -0.2, 0.8], [1.1, 0.7, -0.6], [0.3, 0.9, 1.4]])


def arithmetic(x, y):
    return (x + y * 2 - x / y) * x ** 3 + 2 ** y


case(("binop Add", "binop Mult", "binop Sub", "binop Div", "binop Pow"), arithmetic, 0.7, 1.4, inputs=("x", "y"))


def matrix_product(A, v):
    return v @ A @ (A.T @ v)


case("binop MatMult", matrix_product, M, V, inputs=("A", "v"))


def floor_division(x, n):
    half = n // 2
    return x ** half + (x // 0.3) * x


case("binop FloorDiv", floor_division, 0.75, 7)


def modulo(x, n):
    angle = x % 2.5
    return angle ** 2 if n % 2 == 0 else angle


case("binop Mod", modulo, 6.2, 4)


def wrapped_angles(x):
    return np.sum(((x + np.pi) % (2 * np.pi) - np.pi) ** 2)


case("binop Mod", wrapped_angles, np.array([3.0, 4.0, -5.0]))


def masks_combined(x):
    inside = (x > -0.5) & (x < 1.0)
    return np.sum(x[inside] ** 2) + np.sum(np.where(inside, x, x ** 3))


case("binop BitAnd", masks_combined, V)


def masks_either(x):
    outside = (x < -0.5) | (x > 1.0)
    flags = 1 | 4
    return np.sum(np.where(outside, np.sin(x), x)) * flags


case("binop BitOr", masks_either, V)


def masks_inverted(x):
    positive = x > 0
    return np.sum(x[~positive] ** 3) + np.sum(np.exp(x[positive]))


case("~ invert", masks_inverted, V)


def signs(x, v):
    return +x * np.sum(-v) + np.sum(+v ** 2)


case("unary +", signs, 0.8, V, inputs=("x", "v"))


def short_circuit(x, n):
    if n > 2 and x > 0 or not n:
        return x ** 2
    scale = x or 1.0
    return scale * (x and 3.0)


case(("and/or", "not"), short_circuit, 0.7, 3)
case("and/or", short_circuit, 0.7, 1)


def not_in_loop(xs):
    total = 0.0
    for x in xs:
        if not x > 0:
            total += x ** 2
    return total


case("not", not_in_loop, [0.5, -0.4, -1.2])


def none_or_value(x, offset=None):
    if offset is None:
        offset = x ** 2
    result = offset * x
    return result if offset is not None else x


case("is / is not None", none_or_value, 0.7)
case("is / is not None", none_or_value, 0.7, 2.0, inputs=("x", "offset"))


def membership(x, mode):
    total = x
    if mode in ("fast", "slow"):
        total = total * x
    if "e" not in mode and 3 not in [1, 2]:
        total = np.sin(total)
    return total


case("in / not in", membership, 0.7, "fast")


def membership_in_dict(parameters, name):
    if name in parameters:
        return parameters[name] ** 2
    return parameters["a"]


case("in / not in", membership_in_dict, {"a": 0.5, "b": 1.2}, "b")


def chained(x):
    if 0.0 < x <= 1.0 < 2 * x:
        return x ** 3
    return x


case("chained comparison", chained, 0.7)


def ternary(x, flag):
    a = x ** 2 if flag else x
    return (np.exp(a) if a > 1.0 else np.sin(a)) + a


case("ternary", ternary, 0.7, True)
case("ternary", ternary, 1.7, False)


def walrus(xs):
    total = 0.0
    for x in xs:
        if (square := x * x) > 0.2:
            total += square * x
    return total + (last := total * 2.0) * last


case("walrus :=", walrus, [0.7, 0.3, 1.1])


def complex_arithmetic(x, w):
    z = np.exp(1j * w) * x + 2.5j
    return abs(z) ** 2 + (z * (1 - 0.5j)).imag


case("complex literal", complex_arithmetic, 0.7, 0.4, inputs=("x", "w"))


def augmented(x, y):
    total = 1.0
    total += x
    total -= y * x
    total *= x + 2.0
    total /= y
    total **= 2
    return total


case(("augassign name", "augassign op Add", "augassign op Sub", "augassign op Mult", "augassign op Div"), augmented, 0.7, 1.3,
     inputs=("x", "y"))


def augmented_arrays(v, x):
    total = np.zeros_like(v)
    total += v
    total -= 0.5 * v ** 2
    total *= x
    total /= 1.0 + v ** 2
    return np.sum(total ** 2)


case(("augassign name", "augassign op Add", "augassign op Sub", "augassign op Mult", "augassign op Div"), augmented_arrays, V, 0.8,
     inputs=("v", "x"))


def alias(v):
    a = v * 2.0
    b = a
    b[0] = a[1] ** 2
    return np.sum(a * b)


case("plain name alias a=b", alias, V)


def alias_of_number(x):
    y = x
    y *= x
    z = y
    return z * x


case("plain name alias a=b", alias_of_number, 0.7)


def chained_assignment(x):
    a = b = x ** 2
    a = a * x
    first = second = np.zeros(2)
    first[0] = b
    return a * b + second[0]


case("chained assignment a=b=expr", chained_assignment, 0.7)


def swap(a, b):
    for _ in range(3):
        a, b = b, a * b
    return a ** 2 + b


case("parallel/swap assignment a,b=b,a", swap, 0.7, 1.3, inputs=("a", "b"))


def swap_arrays(u, v):
    current, following = u.copy(), v.copy()
    for _ in range(3):
        following[1:-1] = current[:-2] * current[2:]
        current, following = following, current
    return np.sum(current * following)


case("parallel/swap assignment a,b=b,a", swap_arrays, np.array([0.3, 0.9, -0.4, 1.2]), np.array([1.0, 0.2, 0.7, -0.5]),
     inputs=("u", "v"))


def annotated(x: float, n: int = 2) -> float:
    scale: float = x * n
    total: "np.ndarray"
    total = scale ** 2
    return total


case(("type annotations", "annotated assignment"), annotated, 0.7)


def unpacking(v, pair):
    a, b, c = v
    [p, q] = pair
    return a * b + c * p ** 2 - q * a


case("tuple/list unpack target", unpacking, V, (0.5, 1.5), inputs=("v", "pair"))


def nested_unpacking(values):
    (a, b), c = values
    total = 0.0
    for i, (p, q) in enumerate([(a, b), (b, c)]):
        total += (i + 1) * p * q
    return total


case("nested unpack target", nested_unpacking, ((0.5, 1.5), 0.8))


def starred_target(v):
    first, *middle, last = v
    return first * last + sum(m ** 2 for m in middle)


case("tuple/list unpack target", starred_target, np.array([0.3, 0.9, -0.4, 1.2]))


def deleted(x):
    big = x ** 2
    result = big * x
    del big
    parts = {"a": result, "b": x}
    del parts["b"]
    items = [x, result, x ** 2]
    del items[0]
    return sum(items) * parts["a"] * len(parts)


case("del", deleted, 0.7)
