"""sparsity: index sets in the place of tangents."""
import numpy as np

from sourcegrad.api.pushforward import Pattern
from tests.passes.becomes import Forward

X, M = np.array([0.5, -1.5]), np.array([[0.5, -1.5], [2.0, 1.0]])
CASES = Forward("forward").of(Pattern)


@CASES.becomes("""
    sin_x = np.sin(x)
    sin_x_dot = sets_alike(sin_x, x_dot)
    x_i = x[::-1]
    x_i_dot = x_dot[::-1]
    value = sin_x * x_i
    value_dot = sets_alike(value, sin_x_dot, x_i_dot)
    return value, value_dot
""", x=X)
def elementwise_functions_unite(x):
    return np.sin(x) * x[::-1]


@CASES.becomes("""
    sum_x = np.sum(x, axis=0)
    sum_x_dot = sets_reduced(sum_x, x_dot, 0)
    reshape_x = np.reshape(x, 4)
    reshape_x_dot = sets_moved(reshape, reshape_x, (x_dot,), (0,), x, 4)
    item = reshape_x[:2]
    item_dot = reshape_x_dot[:2]
    value = sum_x + item
    value_dot = sets_alike(value, sum_x_dot, item_dot)
    return value, value_dot
""", x=M)
def reductions_and_moves(x):
    return np.sum(x, axis=0) + np.reshape(x, 4)[:2]


@CASES.becomes("""
    h = np.zeros(2)
    h_dot = no_indices(h)
    x_i = x[1]
    x_i_dot = x_dot[1]
    h_dot = sets_stored(h_dot, np.s_[0], x_i_dot)
    h = index_set(h, np.s_[0], x_i)
    matmul = A @ x
    matmul_dot = sets_contracted(matmul, 'ij,j->i', A, x_dot)
    value = h + matmul
    value_dot = sets_alike(value, h_dot, matmul_dot)
    return value, value_dot
""", x=X, A=M)
def products_and_stores(x, A):
    h = np.zeros(2)
    h[0] = x[1]
    return h + A @ x


@CASES.becomes("""
    value = np.linalg.inv(x)
    value_dot = sets_of_matrices(value, (x_dot,), ('a',), a=x)
    return value, value_dot
""", x=M)
def of_anything_else_all_goes_in(x):
    return np.linalg.inv(x)


test_sparsity = CASES.check()
