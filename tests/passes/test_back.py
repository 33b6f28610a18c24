"""simplify, nest, accumulate, reuse: from the naive sweeps to what a person would write."""
import numpy as np

from tests.passes.becomes import Cases

X = np.array([0.5, -1.5])
M = np.array([[0.5, -1.5], [2.0, 1.0]])
SIMPLIFY, NEST, ACCUMULATE, REUSE = Cases("simplify"), Cases("forward_substitution"), Cases("accumulate"), Cases("reuse")


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


@NEST.becomes("""
    value = np.exp(np.sin(x) * 2.0)
    # --- reverse sweep
    return 2.0 * value * np.cos(x)
""", x=2.0)
def folds_what_is_used_once(x):
    return np.exp(np.sin(x) * 2.0)


@NEST.becomes("""
    inner = np.sin(x)
    outer = np.exp(inner)
    # --- reverse sweep
    return 3.0 * outer * np.cos(x)
""", x=2.0)
def keeps_the_users_names(x):
    inner = np.sin(x)
    outer = np.exp(inner)
    return outer * 3.0


@NEST.becomes("""
    y = x * x
    y_tape = []
    for _ in range(2):
        y_tape.append(y)
        y = np.sin(y)
    # --- reverse sweep
    y_bar = 1.0
    for _ in reversed(range(2)):
        y = y_tape.pop()
        y_bar = y_bar * np.cos(y)
    return 2.0 * y_bar * x
""", x=2.0)
def names_what_is_read_after_it_changed(x):
    y = x * x
    for _ in range(2):
        y = np.sin(y)
    return y


@NEST.becomes("""
    y = np.zeros(3)
    sin_tape = []
    for k in range(2):
        x_i = x[k]
        sin = np.sin(x_i)
        y = y + x_i * sin
        sin_tape.append(sin)
    # --- reverse sweep
    x_bar = np.zeros(x.shape)
    for k in reversed(range(2)):
        sin = sin_tape.pop()
        x_i = x[k]
        product_bar = np.sum(broadcast_like(1.0, y))
        x_bar = index_add(x_bar, k, product_bar * sin + product_bar * x_i * np.cos(x_i))
    return x_bar
""", x=X)
@ACCUMULATE.becomes("""
    y = np.zeros(3)
    sin_tape = []
    for k in range(2):
        x_i = x[k]
        sin = np.sin(x_i)
        y += x_i * sin
        sin_tape.append(sin)
    # --- reverse sweep
    x_bar = np.zeros(x.shape)
    for k in reversed(range(2)):
        sin = sin_tape.pop()
        x_i = x[k]
        product_bar = np.sum(broadcast_like(1.0, y))
        x_bar[k] += product_bar * sin + product_bar * x_i * np.cos(x_i)
    return x_bar
""", x=X)
def adjoint_of_an_array(x):
    y = np.zeros(3)
    for k in range(2):
        y = y + x[k] * np.sin(x[k])
    return np.sum(y)


@NEST.becomes("""
    # --- reverse sweep
    y_bar = np.ones(x.shape)
    y_bar = index_set(y_bar, np.s_[0], 3.0 * y_bar[0])
    x_bar = 2.0 * y_bar * x
    return x_bar
""", x=X)
@ACCUMULATE.becomes("""
    # --- reverse sweep
    y_bar = np.ones(x.shape)
    y_bar[0] *= 3.0
    x_bar = 2.0 * y_bar * x
    return x_bar
""", x=X)
def store(x):
    y = x * x
    y[0] = 3.0 * y[0]
    return np.sum(y)


@ACCUMULATE.becomes("""
    y_2 = x + 1.0
    # --- reverse sweep
    x_bar = 2.0 * y_2
    return x_bar
""", x=X)
def never_the_callers_array(x):
    y = x
    y = y + 1.0
    return np.sum(y * y)


@ACCUMULATE.becomes("""
    sum_2 = x + y
    # --- reverse sweep
    x_bar = 2.0 * sum_2
    return x_bar, as_gradient(x_bar, y)
""", inputs=("x", "y"), x=X, y=X)
def one_adjoint_with_two_holders(x, y):
    return np.sum((x + y) ** 2)


@REUSE.becomes("""
    e = x - np.mean(x, axis=1, keepdims=True)
    np.exp(e, out=e)
    # --- reverse sweep
    x_bar = 2.0 * e * e
    term = np.sum(x_bar, axis=1, keepdims=True) / x.shape[1]
    x_bar -= term
    return x_bar
""", x=M)
def dead_buffer(x):
    e = np.exp(x - np.mean(x, axis=1, keepdims=True))
    return np.sum(e * e)


@REUSE.becomes("""
    d = x * x - 1.0
    exp_d = np.exp(d)
    # --- reverse sweep
    x_bar = 2.0 * (exp_d + d * exp_d) * x
    return x_bar
""", x=M)
def a_buffer_that_is_read_again_stays(x):
    d = x * x - 1.0
    return np.sum(np.exp(d) * d)


@REUSE.becomes("""
    d = x - 1.0
    exp = d * 2.0
    np.exp(exp, out=exp)
    product = exp.astype(np.float64) * 2.0
    # --- reverse sweep
    x_bar = np.multiply(cast_back(broadcast_like(2.0, product), exp, np.float64), exp, out=exp)
    x_bar *= 2.0
    return x_bar
""", x=M.astype(np.float32))
def never_across_dtypes(x):
    d = x - 1.0
    return np.sum(np.exp(d * 2.0).astype(np.float64) * 2.0)


@REUSE.becomes("""
    tanh = x * y + 1.0
    np.tanh(tanh, out=tanh)
    ratio = tanh / y
    # --- reverse sweep
    scaled = 1.0 / y
    y_bar = np.subtract(1.0, tanh * tanh, out=tanh)
    y_bar *= scaled
    x_bar = y_bar * y
    y_bar *= x
    y_bar -= scaled * ratio
    return x_bar, y_bar
""", inputs=("x", "y"), x=M, y=M)
def adjoint_that_dies(x, y):
    return np.sum(np.tanh(x * y + 1.0) / y)


@REUSE.becomes("""
    y = np.exp(x)
    sum_y = np.sum(y, axis=1)
    # --- reverse sweep
    x_bar = np.multiply(np.cos(sum_y)[:, None], y, out=y)
    return x_bar
""", x=M)
def a_large_array_lends_its_memory(x):
    y = np.exp(x)
    return np.sum(np.sin(np.sum(y, axis=1)))


@REUSE.becomes("""
    r = np.sin(x)
    y = np.exp(x)
    v = y[0]
    sum_y = np.sum(y, axis=1)
    # --- reverse sweep
    x_bar = np.copy(broadcast_like(np.cos(sum_y)[:, None], y))
    x_bar[0] += np.sum(r, axis=0)
    x_bar *= y
    x_bar += v * np.cos(x)
    return x_bar
""", x=M)
def not_where_a_view_is_read_later(x):
    r = np.sin(x)
    y = np.exp(x)
    v = y[0]
    return np.sum(np.sin(np.sum(y, axis=1))) + np.sum(v * r)


test_simplify = SIMPLIFY.check()
test_nest = NEST.check()
test_accumulate = ACCUMULATE.check()
test_reuse = REUSE.check()
