"""conversion_elision: `as_gradient(g, x)` is g where g certainly is a new array with the dtype and the shape of x."""
import numpy as np

from sourcegrad.runtime import as_gradient, broadcast_like
from tests.passes.becomes import Alone

X = np.array([0.5, -1.5, 2.0])
CASES = Alone("conversion_elision")


@CASES.becomes("""
    x_bar = 2.0 * x
    return x_bar
""", x=X)
def a_new_array_that_fits(x):
    x_bar = 2.0 * x
    return as_gradient(x_bar, x)


@CASES.becomes("""
    x_bar = 2.0 * x
    return x_bar
""", x=2.0)
def a_number(x):
    x_bar = 2.0 * x
    return as_gradient(x_bar, x)


@CASES.becomes("""
    x_bar = 2.0 * y
    return x_bar, as_gradient(x_bar, y)
""", x=X, y=X)
def one_of_two(x, y):
    x_bar = 2.0 * y
    return as_gradient(x_bar, x), as_gradient(x_bar, y)


@CASES.becomes("""
    return np.full(x.shape, c)
""", x=X, c=2.0)
def a_number_that_is_spread(x, c):
    return as_gradient(broadcast_like(c, x), x)


@CASES.stays(x=X, y=X)
def an_argument_is_no_gradient(x, y):
    x_bar = y
    return as_gradient(x_bar, x)


@CASES.stays(x=X)
def a_view_of_an_argument(x):
    x_bar = x[::-1]
    return as_gradient(x_bar, x)


@CASES.stays(x=X.astype(np.float32), y=X)
def another_dtype(x, y):
    x_bar = 2.0 * y
    return as_gradient(x_bar, x)


@CASES.stays(x=np.array([1, 2, 3]), y=X)
def whole_numbers_have_float_gradients(x, y):
    x_bar = 2.0 * y
    return as_gradient(x_bar, x)


@CASES.stays(x=X, y=np.array([1.5]))
def another_shape(x, y):
    x_bar = 2.0 * y
    return as_gradient(x_bar, x)


@CASES.stays(x=2.0, y=np.array(1.5 + 1.0j))
def a_complex_number(x, y):
    x_bar = 2.0 * y
    return as_gradient(x_bar, x)


AGAIN = Alone("conversion_elision again")


@AGAIN.becomes("""
    return 2.0 * x + 1.0
""", x=X)
def an_expression_that_has_come_to_the_result(x):
    return as_gradient(2.0 * x + 1.0, x)


test_again = AGAIN.check()
test_conversion_elision = CASES.check()
