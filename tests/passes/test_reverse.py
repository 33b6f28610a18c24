"""reverse: the forward sweep with its tapes, then the adjoint of each statement; prune drops what nobody reads."""
import numpy as np

from tests.passes.becomes import Cases

X = np.array([0.5, -1.5])
REVERSE, PRUNE = Cases("reverse"), Cases("dce")


@REVERSE.becomes("""
    x_start = x
    z = y * y
    w = x + z
    value = w * 2.0
    value_2 = value
    # --- reverse sweep
    value_bar = 1.0
    w_bar = value_bar * 2.0
    x_bar = w_bar
    return as_gradient(x_bar, x_start)
""", x=2.0, y=3.0)
@PRUNE.becomes("""
    x_start = x
    # --- reverse sweep
    value_bar = 1.0
    w_bar = value_bar * 2.0
    x_bar = w_bar
    return as_gradient(x_bar, x_start)
""", x=2.0, y=3.0)
def inactive(x, y):
    z = y * y
    w = x + z
    return w * 2.0


@REVERSE.becomes("""
    x_start = x
    cond = x > 0.0
    if cond:
        y = x * x
    else:
        y = -x
    value = y
    # --- reverse sweep
    y_bar = 1.0
    if cond:
        x_bar = 2.0 * y_bar * x
    else:
        x_bar = -y_bar
    return as_gradient(x_bar, x_start)
""", x=2.0)
@PRUNE.becomes("""
    x_start = x
    cond = x > 0.0
    # --- reverse sweep
    y_bar = 1.0
    if cond:
        x_bar = 2.0 * y_bar * x
    else:
        x_bar = -y_bar
    return as_gradient(x_bar, x_start)
""", x=2.0)
def branch(x):
    if x > 0.0:
        y = x * x
    else:
        y = -x
    return y


@REVERSE.becomes("""
    x_start = x
    x_tape = []
    for _ in range(3):
        x_tape.append(x)
        x = x * a
    value = x
    # --- reverse sweep
    x_bar = 1.0
    for _ in reversed(range(3)):
        x = x_tape.pop()
        x_bar = x_bar * a
    return as_gradient(x_bar, x_start)
""", x=2.0, a=0.5)
@PRUNE.becomes("""
    x_start = x
    # --- reverse sweep
    x_bar = 1.0
    for _ in reversed(range(3)):
        x_bar = x_bar * a
    return as_gradient(x_bar, x_start)
""", x=2.0, a=0.5)
def linear_loop_saves_nothing(x, a):
    for _ in range(3):
        x = x * a
    return x


@REVERSE.becomes("""
    x_start = x
    x_tape = []
    for _ in range(3):
        x_tape.append(x)
        x = x * x
    value = x
    # --- reverse sweep
    x_bar = 1.0
    for _ in reversed(range(3)):
        x = x_tape.pop()
        x_bar = 2.0 * x_bar * x
    return as_gradient(x_bar, x_start)
""", x=2.0)
@PRUNE.becomes("""
    x_start = x
    x_tape = []
    for _ in range(3):
        x_tape.append(x)
        x = x * x
    # --- reverse sweep
    x_bar = 1.0
    for _ in reversed(range(3)):
        x = x_tape.pop()
        x_bar = 2.0 * x_bar * x
    return as_gradient(x_bar, x_start)
""", x=2.0)
def loop(x):
    for _ in range(3):
        x = x * x
    return x


@REVERSE.becomes("""
    x_start = x
    trips = 0
    x_tape = []
    while x < 100.0:
        trips = trips + 1
        x_tape.append(x)
        x = x * x
    value = x
    # --- reverse sweep
    x_bar = 1.0
    for step in range(trips):
        x = x_tape.pop()
        x_bar = 2.0 * x_bar * x
    return as_gradient(x_bar, x_start)
""", x=2.0)
@PRUNE.becomes("""
    x_start = x
    trips = 0
    x_tape = []
    while x < 100.0:
        trips = trips + 1
        x_tape.append(x)
        x = x * x
    # --- reverse sweep
    x_bar = 1.0
    for step in range(trips):
        x = x_tape.pop()
        x_bar = 2.0 * x_bar * x
    return as_gradient(x_bar, x_start)
""", x=2.0)
def while_(x):
    while x < 100.0:
        x = x * x
    return x


@REVERSE.becomes("""
    x_start = x
    y = np.zeros(3)
    x_i = x[0]
    x_i_2 = x[1]
    product = x_i * x_i_2
    y_old = y[0]
    y = index_set(y, np.s_[0], product)
    value = np.sum(y)
    value_2 = value
    # --- reverse sweep
    value_bar = 1.0
    y_bar = broadcast_like(value_bar, y)
    y = index_set(y, np.s_[0], y_old)
    product_bar = unbroadcast(last_writes(y_bar, y, np.s_[0]), product)
    y_bar = index_set(y_bar, np.s_[0], 0.0)
    x_i_bar = product_bar * x_i_2
    x_i_2_bar = product_bar * x_i
    x_bar = index_add(np.zeros(x.shape), 1, x_i_2_bar)
    x_bar = index_add(x_bar, 0, x_i_bar)
    return as_gradient(x_bar, x_start)
""", x=X)
@PRUNE.becomes("""
    x_start = x
    y = np.zeros(3)
    x_i = x[0]
    x_i_2 = x[1]
    product = x_i * x_i_2
    y_old = y[0]
    y = index_set(y, np.s_[0], product)
    # --- reverse sweep
    value_bar = 1.0
    y_bar = broadcast_like(value_bar, y)
    y = index_set(y, np.s_[0], y_old)
    product_bar = unbroadcast(last_writes(y_bar, y, np.s_[0]), product)
    x_i_bar = product_bar * x_i_2
    x_i_2_bar = product_bar * x_i
    x_bar = index_add(np.zeros(x.shape), 1, x_i_2_bar)
    x_bar = index_add(x_bar, 0, x_i_bar)
    return as_gradient(x_bar, x_start)
""", x=X)
def store(x):
    y = np.zeros(3)
    y[0] = x[0] * x[1]
    return np.sum(y)


test_reverse = REVERSE.check()
test_prune = PRUNE.check()
