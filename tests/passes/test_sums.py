"""sums: what is constant along a sum is multiplied after it, and products of the forward sweep are used again."""
import numpy as np

from tests.passes.becomes import Alone

X = np.array([0.5, -1.5])
M = np.array([[0.5, -1.5], [2.0, 1.0], [0.1, 0.3]])
CASES = Alone("sums")


@CASES.becomes("""
    # --- reverse sweep
    total = np.sum(a, axis=0) @ b
    return total
""", a=M, b=M.T)
def rows_are_summed_before_the_product(a, b):
    "# --- reverse sweep"
    total = np.sum(a @ b, axis=0)
    return total


@CASES.becomes("""
    # --- reverse sweep
    total = np.sum(a * b, axis=1, keepdims=True) / row
    return total
""", a=M, b=M, row=np.ones((3, 1)))
def a_column_that_divides(a, b, row):
    "# --- reverse sweep"
    total = np.sum(a / row * b, axis=1, keepdims=True)
    return total


@CASES.becomes("""
    product = x * y
    # --- reverse sweep
    x_bar = 2.0 * product
    return x_bar, product
""", x=X, y=X)
def a_product_that_is_known(x, y):
    product = x * y
    "# --- reverse sweep"
    x_bar = 2.0 * (x * y)
    return x_bar, product


@CASES.stays(x=X, y=X)
def one_of_the_factors_has_changed(x, y):
    product = x * y
    x = x + 1.0
    "# --- reverse sweep"
    x_bar = 2.0 * (x * y)
    return x_bar, product


@CASES.stays(a=M, b=M, row=np.ones((3, 1)))
def it_is_not_constant_along_the_sum(a, b, row):
    "# --- reverse sweep"
    total = np.sum(a / row * b, axis=0, keepdims=True)
    return total


@CASES.stays(x=X, y=X, n=2, others=({"n": 0},))
def loops_stay_as_they_are(x, y, n):
    product = x * y
    "# --- reverse sweep"
    x_bar = product
    for _ in range(n):
        x_bar = x_bar + 2.0 * (x * y)
    return x_bar


test_sums = CASES.check()
