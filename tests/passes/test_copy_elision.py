"""copy_elision: what shares memory and changes later is copied once, where the sharing begins, not at every store."""
import numpy as np

from sourcegrad.runtime import index_add, index_set
from tests.passes.becomes import Alone

X = np.array([0.5, -1.5, 2.0])
M = np.array([[0.5, -1.5], [2.0, 1.0]])
CASES = Alone("copy_elision")


@CASES.becomes("""
    x = np.copy(x)
    y = x
    for k in range(n):
        y = index_set(y, k, 1.0)
    return y
""", x=X, n=2, others=({"n": 0},))
def an_argument_that_a_loop_changes(x, n):
    y = x
    for k in range(n):
        y = index_set(y, k, 1.0)
    return y


@CASES.becomes("""
    x = np.copy(x)
    for k in range(n):
        x = index_set(x, k, 1.0)
    return x
""", x=X, n=2, others=({"n": 0},))
def a_parameter_itself(x, n):
    for k in range(n):
        x = index_set(x, k, 1.0)
    return x


@CASES.becomes("""
    y = 2.0 * x
    row = np.copy(y[0])
    row = index_set(row, 0, 1.0)
    return row, y
""", x=M)
def a_view_that_is_read_later(x):
    y = 2.0 * x
    row = y[0]
    row = index_set(row, 0, 1.0)
    return row, y


@CASES.becomes("""
    y = 2.0 * x
    z = np.copy(y)
    y = index_add(y, 0, 1.0)
    return y, z
""", x=X)
def two_names_of_one_array(x):
    y = 2.0 * x
    z = y
    y = index_add(y, 0, 1.0)
    return y, z


@CASES.stays(x=X, n=2, others=({"n": 0},))
def a_new_array(x, n):
    y = 2.0 * x
    for k in range(n):
        y = index_set(y, k, 1.0)
    return y


@CASES.stays(x=X)
def nothing_changes(x):
    y = x
    z = y[1:]
    return y, z


@CASES.stays(x=X)
def the_other_name_is_not_read_again(x):
    y = 2.0 * x
    z = y
    z = index_add(z, 0, 1.0)
    return z


test_copy_elision = CASES.check()
