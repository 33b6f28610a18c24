"""reuse: the memory of arrays that nobody reads again takes new values."""
import numpy as np

from tests.passes.becomes import Alone, Cases

X = np.array([0.5, -1.5])
M = np.array([[0.5, -1.5], [2.0, 1.0]])
REUSE, ALONE = Cases("reuse"), Alone("reuse")


@ALONE.becomes("""
    z = x * 2.0
    np.exp(z, out=z)
    return np.sum(z)
""", x=M)
def a_function_of_what_dies(x):
    z = np.exp(x * 2.0)
    return np.sum(z)


@ALONE.becomes("""
    z = np.exp(x)
    z *= 2.0
    z += x
    return np.sum(z)
""", x=M)
def a_chain_of_operations(x):
    y = np.exp(x)
    z = y * 2.0 + x
    return np.sum(z)


@ALONE.stays(x=M)
def an_argument(x):
    z = np.exp(x)
    return np.sum(z)


@ALONE.stays(x=M)
def it_is_read_again(x):
    y = x * 2.0
    z = np.exp(y)
    return np.sum(z) + np.sum(y)


@ALONE.stays(x=M)
def a_view_of_it_is_read_again(x):
    y = x * 2.0
    row = y[0]
    z = np.exp(y)
    return np.sum(z) + np.sum(row)


@ALONE.stays(x=M.astype(np.float32), w=M)
def another_dtype(x, w):
    y = x * x
    z = y * w
    return np.sum(z)


@ALONE.stays(x=X, w=M)
def another_shape(x, w):
    y = x * x
    z = y * w
    return np.sum(z)


@ALONE.stays(x=M, n=2, others=({"n": 0},))
def the_next_turn_reads_it(x, n):
    y = x * 2.0
    total = 0.0
    for _ in range(n):
        z = np.exp(y)
        total = total + np.sum(z)
    return total


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
    float32 = np.float32(2.0)
    product = exp.astype(np.float32) * float32
    # --- reverse sweep
    x_bar = np.multiply(cast_back(broadcast_like(float32, product), exp, np.float32), exp, out=exp)
    x_bar *= 2.0
    return x_bar
""", x=M)
def never_across_dtypes(x):
    d = x - 1.0
    return np.sum(np.exp(d * 2.0).astype(np.float32) * np.float32(2.0))


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


test_alone = ALONE.check()
test_reuse = REUSE.check()
