"""batch: tangents that carry many directions have a leading axis; what has no such form becomes a loop over them."""
import numpy as np

from sourcegrad.api.pushforward import Pushforwards
from tests.passes.becomes import Forward

X, M = np.array([0.5, -1.5]), np.array([[0.5, -1.5], [2.0, 1.0]])
CASES = Forward("forward").of(Pushforwards)


@CASES.becomes("""
    directions = len(x_dot)
    h = np.zeros(3)
    h_dot = np.zeros((directions,) + h.shape)
    product = x * 2.0
    product_dot = x_dot * 2.0
    h_dot = index_set(h_dot, np.s_[:, 1:], product_dot)
    h = index_set(h, np.s_[1:], product)
    return h, h_dot
""", x=X)
def values_stay_and_zeros_are_as_many(x):
    h = np.zeros(3)
    h[1:] = x * 2.0
    return h


@CASES.becomes("""
    directions = len(x_dot)
    total = 0.0
    total_dot = np.zeros(directions)
    for j in range(n):
        x_i = x[0]
        x_i_dot = x_dot[:, 0]
        product = x_i * j
        product_dot = x_i_dot * j
        total_dot = total_dot + product_dot
        total = total + product
    value = total * x
    value_dot = total_dot[:, None] * x + total * x_dot
    return value, value_dot
""", x=X, n=3)
def numbers_stand_beside_arrays(x, n):
    total = 0.0
    for j in range(n):
        total = total + x[0] * j
    return total * x


@CASES.becomes("""
    directions = len(x_dot)
    value = np.cumprod(x)
    saved = cumprod_rule_forward(zeros_like(value), value, x)[1]
    value_dot_rows = []
    for j in range(directions):
        value_dot_rows.append(cumprod_rule_reverse(saved, x_dot[j]))
    value_dot = np.stack(value_dot_rows)
    return value, value_dot
""", x=X)
def a_loop_where_there_is_no_form(x):
    return np.cumprod(x)


test_batch = CASES.check()
