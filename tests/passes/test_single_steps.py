"""single_steps: one operation a statement again, after functionalisation has written whole places where it reads them."""
import numpy as np

from sourcegrad.runtime import index_set
from tests.passes.becomes import Alone, Within

X = np.array([[0.5, -1.5], [2.0, 1.0]])
CASES, ALONE = Within("single_steps"), Alone("single_steps")


@CASES.becomes("""
    y = x * 2.0
    y_i = y[1:]
    part_2 = y[1:]
    view = part_2.ravel()
    unused = same_memory(view, y[1:])
    v = y_i.ravel()
    y = index_set(y, np.s_[1, 0], 7.0)
    part = y[1:]
    v_2 = part.ravel()
    product = v_2 * v_2
    value = np.sum(product)
    return value
""", x=X)
def a_view_that_may_be_a_copy(x):
    y = x * 2.0
    v = y[1:].ravel()
    y[1, 0] = 7.0
    return np.sum(v * v)


@ALONE.becomes("""
    part = x[1:]
    part_2 = part.T
    v = part_2[0]
    return v
""", x=X)
def a_part_of_a_part(x):
    v = x[1:].T[0]
    return v


@ALONE.becomes("""
    y = 2.0 * x
    part = x.T
    part_2 = part[1]
    y = index_set(y, 0, part_2)
    return y
""", x=X)
def what_is_stored(x):
    y = 2.0 * x
    y = index_set(y, 0, x.T[1])
    return y


@ALONE.stays(x=X)
def one_operation_a_statement(x):
    y = x[1:]
    v = y.T
    v = index_set(v, 0, 7.0)
    return v


test_single_steps = CASES.check()
test_alone = ALONE.check()
