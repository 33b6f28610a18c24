"""variables: values that differ in the number of their name have one name, where no two of them are live at once."""
import numpy as np

from tests.passes.becomes import Alone

CASES = Alone("variables")
X = np.array([0.5, -1.5, 2.0])


@CASES.becomes("""
    d = x - 1.0
    y = d * d
    d = y + x
    return d * d
""", x=X, own="d y")
def one_variable(x):
    d = x - 1.0
    y = d * d
    d_2 = y + x
    return d_2 * d_2


@CASES.stays(x=X, own="d")
def both_are_read_later(x):
    d = x - 1.0
    d_2 = d + x
    return d * d_2


@CASES.becomes("""
    product = x * 2.0
    product_2 = x * 3.0
    y = product + product_2
    product = y * 4.0
    return product - x
""", x=X)
def the_first_that_is_free(x):
    product = x * 2.0
    product_2 = x * 3.0
    y = product + product_2
    product_3 = y * 4.0
    return product_3 - x


@CASES.stays(x=X)
def its_adjoint_is_live(x):
    d = x - 1.0
    d_bar = d * 2.0
    d_2 = x * x
    y = np.sin(d_2)
    return y * d_bar


@CASES.becomes("""
    d = x - 1.0
    d_bar = d * 2.0
    y = d_bar + x
    d = y * y
    d_bar = np.sin(d)
    return y * d_bar
""", x=X)
def with_its_adjoint(x):
    d = x - 1.0
    d_bar = d * 2.0
    y = d_bar + x
    d_2 = y * y
    d_2_bar = np.sin(d_2)
    return y * d_2_bar


@CASES.stays(x=X, n=3, others=({"n": 0},))
def read_in_the_next_turn(x, n):
    d = x - 1.0
    for k in range(n):
        d_2 = x * d
        x = d_2 + d
    return x


@CASES.becomes("""
    for k in range(n):
        d = x * 2.0
        x = d - 1.0
    d = np.sin(x)
    return d * d
""", x=X, n=3, others=({"n": 0},))
def within_a_turn(x, n):
    for k in range(n):
        d = x * 2.0
        x = d - 1.0
    d_2 = np.sin(x)
    return d_2 * d_2


@CASES.stays(x=X, n=2, others=({"n": 0},))
def a_counter_around_another(x, n):
    for k in range(n):
        for k_2 in range(n):
            x = x * k_2
        x = x + k
    return x


@CASES.stays(x=X, n=2, others=({"n": 0},))
def a_counter_that_is_not_read_later(x, n):
    for k in range(n):
        x = x * k
        for k_2 in range(n):
            x = x + k_2
    return x


@CASES.stays(x=X, flag=True, others=({"flag": False},))
def on_one_path_only(x, flag):
    d = x - 1.0
    if flag:
        d_2 = x * 2.0
        x = d_2 + x
    return x * d


@CASES.stays(x=X)
def a_variable_of_a_comprehension(x):
    k = 2.0
    y = [v * k + k_2 for k_2, v in enumerate(x)]
    return y[0] + y[1]


test_variables = CASES.check()
