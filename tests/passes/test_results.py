"""results: what is returned for an input x is called x_bar."""
import numpy as np

from tests.passes.becomes import Alone

X = np.array([0.5, -1.5, 2.0])
CASES = Alone("results")


@CASES.becomes("""
    x_bar = 2.0 * x
    return x_bar
""", x=X)
def under_the_name_of_a_temporary(x):
    product_bar = 2.0 * x
    return product_bar


@CASES.becomes("""
    x_bar = 2.0 * x
    y_bar = x_bar * y
    return x_bar, y_bar
""", x=X, y=X)
def each_of_two(x, y):
    sum_2_bar = 2.0 * x
    y_2_bar = sum_2_bar * y
    return sum_2_bar, y_2_bar


@CASES.becomes("""
    product = np.sum(x * x)
    x_bar = 2.0 * x
    return product, (x_bar,)
""", x=X)
def after_the_value(x):
    product = np.sum(x * x)
    product_bar = 2.0 * x
    return product, (product_bar,)


@CASES.stays(x=X, y=X)
def one_adjoint_of_two_inputs(x, y):
    sum_2_bar = x + y
    return sum_2_bar, sum_2_bar


@CASES.stays(x=X)
def its_name_is_something_else(x):
    x_bar = 2.0 * x
    product_bar = x_bar * x
    return product_bar


@CASES.stays(x=X)
def no_adjoint_but_a_value_of_the_users(x):
    scaled = 2.0 * x
    return scaled


test_results = CASES.check()
