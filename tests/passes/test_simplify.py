"""simplify: algebra of the sweeps that changes neither values nor shapes nor dtypes."""
import numpy as np

from sourcegrad.runtime import broadcast_like, index_add, index_set, unbroadcast
from tests.passes.becomes import Alone, Cases

X = np.array([0.5, -1.5])
M = np.array([[0.5, -1.5], [2.0, 1.0]])
SIMPLIFY, ALONE = Cases("simplify"), Alone("simplify")


@ALONE.becomes("""
    # --- reverse sweep
    a = x
    b = y
    c = -x
    d = x + y
    return a, b, c, d
""", x=X, y=X)
def factors_and_signs(x, y):
    "# --- reverse sweep"
    a = 1.0 * x
    b = 2.0 * (0.5 * y)
    c = -1.0 * x
    d = x - -y
    return a / 1.0, b, c, d


@ALONE.becomes("""
    a = x[0:2]
    n = k + 60 * 3.0
    # --- reverse sweep
    return a * n * -2 + 2 * 2147483647 * x
""", x=X, k=1)
def whole_numbers(x, k):
    a = x[2 * 3 - 6:4 - 2]
    n = k + 10 * 6 * 3.0
    "# --- reverse sweep"
    return a * n * (1 - 3) + 2 * 2147483647 * x


@ALONE.becomes("""
    # --- reverse sweep
    a = np.ravel(y)
    b = np.reshape(x, y.shape)
    return x * a, b, x[None][:, 0]
""", x=np.array([0.5, -1.5, 2.0, 1.0]), y=M)
def axes_that_come_and_go(x, y):
    "# --- reverse sweep"
    a = np.reshape(y, np.shape(x))
    b = np.reshape(x, np.shape(y))
    return x[:, None][:, 0] * a, b, x[None][:, 0]


@ALONE.becomes("""
    # --- reverse sweep
    a = 0.1 * 0.7 * x
    b = 0.06 * x
    c = 0.2 * 0.7 * x
    d = 0.2 * (0.7 / x)
    return a, b, c, d
""", x=X)
def factors_as_people_write_them(x):
    "# --- reverse sweep"
    a = 0.1 * (0.7 * x)
    b = 0.2 * (0.3 * x)
    c = 2.0 * (0.1 * 0.7 * x)
    d = 0.2 * (0.7 / x)
    return a, b, c, d


@ALONE.becomes("""
    # --- reverse sweep
    return 2.0 * w * x
""", x=X, w=X)
def like_terms(x, w):
    "# --- reverse sweep"
    return w * x + w * x


@ALONE.becomes("""
    # --- reverse sweep
    x_bar = 2.0 * x
    w_bar = np.sum(2.0 * x)
    y_bar = x * w
    return x_bar, w_bar, y_bar
""", x=X, w=0.5)
def helpers_whose_shapes_are_known(x, w):
    "# --- reverse sweep"
    x_bar = unbroadcast(2.0 * x, x)
    w_bar = unbroadcast(2.0 * x, w)
    y_bar = x * broadcast_like(w, x)
    return x_bar, w_bar, y_bar


@ALONE.becomes("""
    # --- reverse sweep
    x_bar = index_add(2.0 * x, 0, v + w)
    y_bar = index_set(2.0 * x, 1, w)
    return x_bar, y_bar
""", x=X, v=0.5, w=1.5)
def two_sums_into_one_part(x, v, w):
    "# --- reverse sweep"
    x_bar = index_add(index_add(2.0 * x, 0, v), 0, w)
    y_bar = index_add(index_set(2.0 * x, 1, 0.0), 1, w)
    return x_bar, y_bar


@ALONE.becomes("""
    # --- reverse sweep
    y = x + 1.0
    return y, np.sum(x), x[:, None]
""", x=X)
def copies_that_arithmetic_makes_anyway(x):
    "# --- reverse sweep"
    y = np.copy(x) + 1.0
    return y, np.sum(np.copy(x)), np.expand_dims(x, 1)


@ALONE.stays(x=np.array([1.0, np.inf]), y=np.array([np.nan, 0.0]))
def zero_times_infinity(x, y):
    "# --- reverse sweep"
    return 0.0 * x + y


@ALONE.stays(n=3, x=np.array([1, 2]))
def a_factor_that_makes_floats_of_whole_numbers(n, x):
    "# --- reverse sweep"
    return 1.0 * n, 1.0 * x, x / 1.0


@ALONE.stays(x=X, w=M)
def another_shape_is_summed(x, w):
    "# --- reverse sweep"
    return unbroadcast(2.0 * w, x)


@ALONE.stays(x=X, w=0.5 + 1.0j)
def a_complex_part_is_dropped(x, w):
    "# --- reverse sweep"
    return unbroadcast(w * x, x)


@ALONE.stays(x=X)
def the_forward_sweep_is_the_users(x):
    y = 1.0 * x
    "# --- reverse sweep"
    return y * x


@SIMPLIFY.becomes("""
    # --- reverse sweep
    x_bar = x + 0.5
    return as_gradient(x_bar, x)
""", x=2.0)
def factors_of_one(x):
    return (x * 1.0 + x * x) / 2.0


@SIMPLIFY.becomes("""
    exp_x = np.exp(x)
    # --- reverse sweep
    x_bar = 0.0 * exp_x
    x_bar = x_bar + 1.0
    return as_gradient(x_bar, x)
""", x=X)
def a_zero_factor_stays(x):
    return np.sum(x * 1.0 + 0.0 * np.exp(x))


@SIMPLIFY.becomes("""
    # --- reverse sweep
    x_bar = 0.0
    for k in reversed(range(3)):
        x_bar = x_bar + 1.0 * k
    return as_gradient(x_bar, x)
""", x=2.0)
def adjoint_that_is_constant_in_a_loop(x):
    total = 0.0
    for k in range(3):
        total = total + x * k
    return total


@SIMPLIFY.becomes("""
    sum_2 = a + b
    matmul = sum_2 @ c
    # --- reverse sweep
    matmul_bar = np.cos(matmul)
    b_bar = np.sum(matmul_bar, axis=0) @ c.T
    return as_gradient(b_bar, b)
""", inputs="b", a=M, b=X, c=M)
def rows_are_summed_before_the_product(a, b, c):
    return np.sum(np.sin((a + b) @ c))


@SIMPLIFY.becomes("""
    total = np.sum(x, axis=1, keepdims=True)
    ratio = x / total
    # --- reverse sweep
    ratio_bar = -np.sin(ratio)
    scaled = ratio_bar / total
    total_bar = -(np.sum(ratio_bar * ratio, axis=1, keepdims=True) / total)
    x_bar = scaled + total_bar
    return as_gradient(x_bar, x)
""", x=M)
def a_row_comes_after_its_sum(x):
    total = np.sum(x, axis=1, keepdims=True)
    return np.sum(np.cos(x / total))


@SIMPLIFY.becomes("""
    total = np.sum(x, axis=1, keepdims=True)
    ratio = x / total
    product = w * ratio
    sum_2 = np.sum(product)
    # --- reverse sweep
    sum_2_bar = 2.0 * sum_2
    ratio_bar = sum_2_bar * w
    scaled = ratio_bar / total
    total_bar = -(np.sum(product, axis=1, keepdims=True) * sum_2_bar / total)
    x_bar = scaled + total_bar
    return as_gradient(x_bar, x)
""", x=M, w=M)
def a_product_of_the_forward_sweep_is_used(x, w):
    total = np.sum(x, axis=1, keepdims=True)
    return np.sum(w * (x / total)) ** 2


# --- When expressions have grown together, sums of products are dot products.

AGAIN = Alone("simplify again")


@AGAIN.becomes("""
    # --- reverse sweep
    x_bar = np.dot(x, y)
    return 0.2 * x_bar
""", x=X, y=X)
def a_sum_of_products(x, y):
    "# --- reverse sweep"
    x_bar = np.sum(x * y)
    return 2.0 * (0.1 * x_bar)


@AGAIN.stays(x=X, y=X + 1.0j)
def of_complex_numbers(x, y):
    "# --- reverse sweep"
    return np.sum(x * y)


test_alone = ALONE.check()
test_again = AGAIN.check()
test_simplify = SIMPLIFY.check()
