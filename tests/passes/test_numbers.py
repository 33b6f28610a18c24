"""numbers: names are numbered anew, and only where another value has the name."""
import numpy as np

from tests.passes.becomes import Alone

CASES = Alone("numbers")
X = np.array([0.5, -1.5, 2.0])


@CASES.becomes("""
    product = x * 2.0
    return product + x
""", x=X)
def the_only_one(x):
    product_7 = x * 2.0
    return product_7 + x


@CASES.becomes("""
    product = x * 2.0
    product_2 = x * 3.0
    return product + product_2
""", x=X)
def two_of_them(x):
    product_4 = x * 2.0
    product_7 = x * 3.0
    return product_4 + product_7


@CASES.becomes("""
    diff = x - 2.0
    diff_2 = x - diff
    diff_2_bar = diff * diff_2
    diff_bar = x * diff_2_bar
    return diff_bar
""", x=X)
def the_first_of_the_text_is_first(x):
    diff_2 = x - 2.0
    diff = x - diff_2
    diff_bar = diff_2 * diff
    diff_2_bar = x * diff_bar
    return diff_2_bar


@CASES.stays(x=X, own="d")
def the_adjoint_of_a_variable_of_the_user(x):
    d_2_bar = x * 3.0
    d_bar = d_2_bar + 1.0
    d = x * d_bar
    return d


@CASES.becomes("""
    product = x * 2.0
    product_2_bar = x * 3.0
    return product + product_2_bar
""", x=X)
def the_adjoint_of_another(x):
    product = x * 2.0
    product_8_bar = x * 3.0
    return product + product_8_bar


@CASES.becomes("""
    product = x * 2.0
    product_bar = x * product
    return product + product_bar
""", x=X)
def with_its_adjoint(x):
    product_3 = x * 2.0
    product_3_bar = x * product_3
    return product_3 + product_3_bar


@CASES.stays(x=X, own="x_2 y_3")
def names_of_the_user(x):
    x_2 = x * 2.0
    y_3 = x_2 + x
    return y_3


@CASES.becomes("""
    total = x * 2.0
    total_2 = x * 3.0
    turns = range(3)
    return total + total_2 + sum(turns)
""", x=X)
def names_of_python(x):
    sum_2 = x * 2.0
    sum_3 = x * 3.0
    range_2 = range(3)
    return sum_2 + sum_3 + sum(range_2)


@CASES.becomes("""
    total = x * 2.0
    total_2 = x * 3.0
    return total + total_2
""", x=X, own="total")
def the_user_has_that_word(x):
    total = x * 2.0
    sum_2 = x * 3.0
    return total + sum_2


@CASES.becomes("""
    d_tape = x * 2.0
    d_2_tape = x * 3.0
    d_3_tape = x + 1.0
    return d_tape + d_2_tape + d_3_tape
""", x=X)
def two_ways_to_one_name(x):
    d_tape_3 = x * 2.0
    d_4_tape = x * 3.0
    d_tape = x + 1.0
    return d_tape_3 + d_4_tape + d_tape


@CASES.becomes("""
    total = x * 2.0
    total_2 = x * 3.0
    total_3 = x * 4.0
    return total + total_2 - total_3
""", x=X, own="total")
def that_word_with_a_number(x):
    total = x * 2.0
    sum_2 = x * 3.0
    total_2 = x * 4.0
    return total + sum_2 - total_2


class BigBody:
    mass = 2.0


@CASES.becomes("""
    big_body_m = x * BigBody.mass
    return big_body_m
""", x=X)
def names_of_classes(x):
    BigBody_m = x * BigBody.mass
    return BigBody_m


@CASES.becomes("""
    for _ in range(n):
        x = x * 2.0
        for _ in range(2):
            x = x + 1.0
    for k in range(n):
        x = x * k
    return x
""", x=X, n=2)
def counters_that_nobody_reads(x, n):
    for step in range(n):
        x = x * 2.0
        for k_2 in range(2):
            x = x + 1.0
    for k in range(n):
        x = x * k
    return x


@CASES.stays(x=X, n=2, own="_ step")
def where_the_user_reads_it(x, n):
    _ = x * 2.0
    for step in range(n):
        x = x * 2.0
    for k in range(n):
        x = x * _
    return x


@CASES.becomes("""
    cond_2 = None
    cond_2_tape, tape = [], []
    cond = x > 1.0
    if cond:
        cond_2 = x > 2.0
        cond_2_tape.append(cond_2)
    return cond, cond_2, cond_2_tape, tape
""", x=2.0)
def what_only_starts_is_not_first(x):
    cond = None
    cond_tape, tape = [], []
    cond_2 = x > 1.0
    if cond_2:
        cond = x > 2.0
        cond_tape.append(cond)
    return cond_2, cond, cond_tape, tape


test_numbers = CASES.check()
