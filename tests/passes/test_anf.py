"""anf: one operation per statement."""
import numpy as np

from tests.passes.becomes import Cases

CASES = Cases("anf")
becomes = CASES.becomes


@becomes("""
    product = x * y
    sum_2 = product + 1.0
    sin = np.sin(sum_2)
    minus_x = -x
    value = sin / minus_x
    return value
""")
def expression(x, y):
    return np.sin(x * y + 1.0) / -x


@becomes("""
    both = x > 0.0
    cond = bool(both)
    if cond:
        both = y / x
    z = both
    return z
""")
def short_circuit(x, y):
    z = x > 0.0 and y / x
    return z


@becomes("""
    inside = 0.0 < x * x < 1.0
    return inside
""")
def comparison_chain(x):
    inside = 0.0 < x * x < 1.0
    return inside


@becomes("""
    cond = x > 0.0
    if cond:
        value_2 = x * x
    else:
        value_2 = -x
    value = value_2
    return value
""")
def ternary(x):
    return x * x if x > 0.0 else -x


@becomes("""
    y = x * x
    value_2 = y
    value = value_2 + y
    return value
""")
def walrus(x):
    return (y := x * x) + y


@becomes("""
    value_2 = []
    xs_2 = sequence(xs)
    len_xs_2 = len(xs_2)
    range_2 = range(len_xs_2)
    for k_2 in range_2:
        x_2 = xs_2[k_2]
        cond = x_2 > 0.0
        if cond:
            product = x_2 * k_2
            value_2.append(product)
    value = value_2
    return value
""")
def comprehension(xs):
    return [x * k for k, x in enumerate(xs) if x > 0.0]


@becomes("""
    total = 0.0
    xs_2 = sequence(xs)
    ys_2 = sequence(ys)
    len_xs_2 = len(xs_2)
    len_ys_2 = len(ys_2)
    min_2 = min(len_xs_2, len_ys_2)
    range_2 = range(min_2)
    for k in range_2:
        x = xs_2[k]
        y = ys_2[k]
        product = x * y
        total = total + product
    return total
""")
def over_elements(xs, ys):
    total = 0.0
    for x, y in zip(xs, ys):
        total = total + x * y
    return total


@becomes("""
    while x * x > 1.0:
        x = x / 2.0
    return x
""")
def while_(x):
    while x * x > 1.0:
        x = x / 2.0
    return x


@becomes("""
    a, item = pair
    sequence_item = sequence(item)
    len_2 = len(sequence_item)
    if len_2 < 1:
        raise ValueError('not enough values to unpack (expected at least 1)')
    b = sequence_item[0]
    sequence_item_i = sequence_item[1:]
    rest = list(sequence_item_i)
    value = a * b
    return value
""")
def unpacking(pair):
    a, (b, *rest) = pair
    return a * b


test_flatten = CASES.check()
