"""Branches: if/elif/else, ternaries, comparisons, and/or/not, walrus."""
import math

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, -0.8, 1.1])


def if_else(x, y):
    if x > y:
        z = x * y
    else:
        z = np.sin(x) + y
    return z * x


case(if_else, 1.4, 0.3, inputs=("x", "y"), order=3)
PROGRAMS.add(if_else, 0.2, 0.3, inputs=("x", "y"))


def if_without_else(x):
    y = x * x
    if y > 0.5:
        y = y * x
    if y > 100:
        y = 0.0
    return y + x


case(if_without_else, 1.4, order=3)


def elif_ladder(x):
    if x < -1:
        y = -x
    elif x < 0:
        y = x * x
    elif x < 1:
        y = np.exp(x)
    else:
        y = 1 / x
    return y * y


case(elif_ladder, 0.5)
PROGRAMS.add(elif_ladder, -0.5)
PROGRAMS.add(elif_ladder, 2.5)


def nested_branches(x, y):
    if x > 0:
        if y > 0:
            r = x * y
        else:
            r = x - y * x
        r = r * r
    else:
        r = y
        if y < -1:
            r = r * x
    return r + x


case(nested_branches, 0.8, -0.4, inputs=("x", "y"), order=3)
PROGRAMS.add(nested_branches, -0.8, -1.4, inputs=("x", "y"))


def one_branch_inactive(x, flag):
    if flag:
        y = x * x
    else:
        y = 2.0
    return y * 3 + x


case(one_branch_inactive, 0.8, False)
PROGRAMS.add(one_branch_inactive, 0.8, True)


def branch_overwrites_condition(x):
    y = x * x
    if y > 0.3:
        y = math.sin(y)
        x = y * x
    if y > 0.3:
        x = x + y
        y = 0.0
    return x * (1 + y)


case(branch_overwrites_condition, 0.9)


def ternary(x, y):
    a = x if x > y else y * x
    b = (a if a < 0 else -a) if y > 10 else a * a
    return a * b


case(ternary, 0.3, 0.8, inputs=("x", "y"), order=3)


def chained_comparison(x, y):
    total = 0.0
    if 0 < x < y < 2:
        total = total + x * y
    if 0 < x < y * 0.1 < 2:
        total = total + 100 * x
    if 1 > x != y >= 0.5:
        total = total - x * x * y
    return total


case(chained_comparison, 0.3, 0.8, inputs=("x", "y"))


def and_or_not(x, y):
    r = x
    if x > 0 and y > 0:
        r = r * y
    if x > 1 or not y > 1:
        r = r + x * x
    if not (x > 0 and (y < 0 or x > 5)):
        r = r * 3
    return r


case(and_or_not, 0.3, 0.8, inputs=("x", "y"))


def short_circuit(x, values):
    """The second operand must not run when the first decides."""
    if len(values) > 3 and values[3] > x:
        x = x * values[3]
    if len(values) < 5 or values[4] < x:
        x = x * x + values[0]
    return x


case(short_circuit, 0.3, (1.1, 2.2))


def and_or_as_values(x, y):
    """`and` and `or` give one of their operands."""
    a = x or y
    b = x and y * x
    c = 0.0 or y
    return a * b + c


case(and_or_as_values, 0.3, 0.8, inputs=("x", "y"))


def comparison_as_number(x):
    return (x > 0) * x * x + (x < 0) * 5 * x + (x == 3)


case(comparison_as_number, 0.7)


def identity_tests(x, scale=None, label="none"):
    if scale is None:
        scale = x * 2
    if label is not None and label == "none":
        scale = scale + 1
    if label in ("a", "b") or label not in ("none", "c"):
        scale = scale * 100
    return x * scale


case(identity_tests, 0.7)


def option_string(x, kind="soft"):
    if kind == "hard":
        return np.maximum(x, 0).sum()
    elif kind == "soft":
        return np.log(1 + np.exp(x)).sum()
    raise ValueError(f"unknown kind {kind!r}")


case(option_string, VECTOR)
PROGRAMS.add(option_string, VECTOR, kind="hard")


def walrus(x):
    if (y := x * x) > 0.1:
        z = y * 3
    else:
        z = -y
    return z + (w := math.sin(y)) * w


case(walrus, 0.6)


def branch_on_array(v):
    if np.all(v > -1) and (v > 0).any():
        v = v * v
    if v.max() > 1:
        v = v / v.sum()
    return np.sin(v).sum()


case(branch_on_array, VECTOR)


def branch_changes_type(x, flag):
    """A number in one branch, an array in the other."""
    if flag:
        y = x * np.array([1.0, 2.0])
    else:
        y = x * x
    return np.sum(y * y)


case(branch_changes_type, 0.7, True)
PROGRAMS.add(branch_changes_type, 0.7, False)


def where_and_masks(v, w):
    mask = v > 0
    safe = np.where(mask, v, 1.0)
    return np.where(mask, np.log(safe) * w, w * w).sum()


case(where_and_masks, VECTOR, np.array([0.5, 1.5, 2.5]), inputs=("v", "w"))


def return_in_branches(x):
    if x > 2:
        return x * x
    y = math.exp(-x)
    if y > 0.9:
        return y
    elif y > 0.5:
        z = y * x
        return z * z
    return x


case(return_in_branches, 0.4, order=3)
PROGRAMS.add(return_in_branches, 3.4)
PROGRAMS.add(return_in_branches, 0.01)
PROGRAMS.add(return_in_branches, 1.4)


def maximum_minimum(x, y):
    a = max(x, y) * min(x, 2.0)
    b = np.maximum(x, y * y) - np.minimum(y, 0.1) * x
    return a * b + abs(x - y)


case(maximum_minimum, 0.4, 1.2, inputs=("x", "y"))


def pass_and_expression(x):
    """Statements that do nothing."""
    if x > 0:
        pass
    else:
        x = -x
    x * 17
    "a string"
    return x * x


case(pass_and_expression, -0.4)


def assertions(x):
    assert x > 0
    y = math.log(x)
    assert y < 10, f"y is {y}"
    if not math.isfinite(y):
        raise FloatingPointError("log of zero")
    return y * y


case(assertions, 0.4)
