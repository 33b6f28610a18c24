"""cse: what the primal reads or computes twice has one name, so that its adjoint has one contribution."""
import numpy as np

from tests.passes.becomes import Alone


class Model:
    def __init__(self, c):
        self.c = c


X = np.array([0.5, -1.5])
CASES = Alone("cse")


@CASES.becomes("""
    x_i = x[0]
    y = x_i * 2.0
    return y * x_i
""", x=X)
def an_element(x):
    x_i = x[0]
    y = x_i * 2.0
    x_i_2 = x[0]
    return y * x_i_2


@CASES.becomes("""
    model_c = model.c
    y = model_c * x
    return y * model_c
""", model=Model(2.0), x=3.0)
def an_attribute(model, x):
    model_c = model.c
    y = model_c * x
    model_c_2 = model.c
    return y * model_c_2


@CASES.becomes("""
    rest = 1.0 - p
    y = rest * x
    return y * rest
""", p=0.25, x=3.0)
def a_difference_from_a_constant(p, x):
    rest = 1.0 - p
    y = rest * x
    rest_2 = 1.0 - p
    return y * rest_2


@CASES.becomes("""
    A_T = A.T
    AX = A_T @ X
    y = AX @ A
    A_T_2 = A.T
    return y - AX @ B
""", A=np.eye(2) + 1.0, X=np.eye(2) * 0.5, B=np.ones((2, 2)))
def a_product_with_a_transposed_matrix(A, X, B):
    A_T = A.T
    AX = A_T @ X
    y = AX @ A
    A_T_2 = A.T
    AX_2 = A_T_2 @ X
    return y - AX_2 @ B


@CASES.becomes("""
    c = np.cos(a)
    y = c * x
    return y + c
""", a=0.5, x=X)
def a_function_of_a_number(a, x):
    c = np.cos(a)
    y = c * x
    c_2 = np.cos(a)
    return y + c_2


@CASES.becomes("""
    c = np.cos(x)
    y = c * x
    return y + c
""", x=X)
def a_function_of_an_array(x):
    c = np.cos(x)
    y = c * x
    c_2 = np.cos(x)
    return y + c_2


@CASES.stays(A=np.eye(2) + 1.0, X=np.eye(2) * 0.5, n=2, others=({"n": 0},))
def another_matrix_transposed(A, X, n):
    A_T = A.T
    AX = A_T @ X
    for _ in range(n):
        A = A + AX
    A_T_2 = A.T
    AX_2 = A_T_2 @ X
    return AX + AX_2


@CASES.stays(x=X, k=0, own="first second")
def the_users_names(x, k):
    first = x[k]
    second = x[k]
    return first * second


@CASES.stays(x=X, k=0)
def another_index(x, k):
    x_i = x[k]
    k = k + 1
    x_i_2 = x[k]
    return x_i * x_i_2


@CASES.stays(x=X, n=2, others=({"n": 0},))
def another_array_in_the_next_turn(x, n):
    x_i = x[0]
    for _ in range(n):
        x_i_2 = x[0]
        x = x * x_i_2
    return x * x_i


@CASES.stays(x=2.0, flag=False, others=({"flag": True},))
def computed_in_one_branch_only(x, flag):
    y = x
    if flag:
        rest = 1.0 - x
        y = rest * x
    rest_2 = 1.0 - x
    return y * rest_2


@CASES.becomes("""
    sum_2 = x + 1.0
    y = sum_2 * x
    return y * sum_2
""", x=X)
def sums_of_arrays(x):
    sum_2 = x + 1.0
    y = sum_2 * x
    sum_3 = x + 1.0
    return y * sum_3


@CASES.becomes("""
    x_i = x[k]
    y = np.sin(x_i)
    return y * x_i + y
""", x=X, k=np.array([0, 1, 1]))
def gathered_elements(x, k):
    x_i = x[k]
    y = np.sin(x_i)
    x_i_2 = x[k]
    z = np.sin(x_i_2)
    return y * x_i_2 + z


@CASES.stays(x=X)
def an_array_that_changes(x):
    sum_2 = x + 1.0
    x = np.cumsum(x)
    sum_3 = x + 1.0
    return sum_2 * sum_3


@CASES.becomes("""
    for _ in range(n):
        error = x * x
        y = error * error
        x = y + x
    return x
""", x=0.5, n=2)
def a_copy_in_a_loop(x, n):
    for _ in range(n):
        error = x * x
        error_2 = error
        y = error_2 * error
        x = y + x
    return x


@CASES.becomes("""
    for _ in range(n):
        if x > 1.0:
            rate = x * 2.0
        else:
            rate = x * 3.0
        x = rate * x
    return x
""", x=0.5, n=2)
def a_copy_with_the_better_name(x, n):
    for _ in range(n):
        if x > 1.0:
            rate_2 = x * 2.0
        else:
            rate_2 = x * 3.0
        rate = rate_2
        x = rate * x
    return x


@CASES.becomes("""
    total = f + power
    y = total * f
    return y * total
""", f=0.5, power=3.0)
def a_sum_of_two_numbers(f, power):
    total = f + power
    y = total * f
    total_2 = f + power
    return y * total_2


@CASES.becomes("""
    cs = c * s
    y = cs + c
    return y * cs
""", c=0.5, s=3.0)
def a_product_of_two_numbers(c, s):
    cs = c * s
    y = cs + c
    cs_2 = c * s
    return y * cs_2


@CASES.stays(a=0.5, b=3.0)
def a_product_in_a_longer_one(a, b):
    p = a * b
    p_2 = a * b
    y = p_2 * b
    return p + y


@CASES.becomes("""
    z = x
    for _ in range(n):
        total = x + z
        y = total * x
        x = y * total
    return x
""", x=0.5, n=2)
def a_sum_within_one_turn(x, n):
    z = x
    for _ in range(n):
        total = x + z
        y = total * x
        total_2 = x + z
        x = y * total_2
    return x


@CASES.stays(x=0.5, n=2, others=({"n": 0},))
def a_copy_of_what_changes_while_it_is_read(x, n):
    y = x
    for _ in range(n):
        x_2 = x
        x = x * 2.0
        y = x_2 * x
    return y


@CASES.stays(x=0.5, n=2)
def a_copy_that_the_next_turn_reads(x, n):
    x_2 = x
    for _ in range(n):
        y = x_2 * x
        x = y + x
    return x * x_2


test_cse = CASES.check()
