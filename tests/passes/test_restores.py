"""restores: parts of a value of the forward sweep are not put back where no later statement reads them."""
import numpy as np

from sourcegrad.runtime import index_add, index_set
from tests.passes.becomes import Alone

X = np.array([0.5, -1.5, 2.0, 1.0])
CASES = Alone("restores")


@CASES.becomes("""
    y = 2.0 * x
    y_old = np.copy(y[0])
    y = index_set(y, 0, 3.0)
    # --- reverse sweep
    x_bar = 3.0 * y
    return x_bar
""", x=X)
def nobody_reads_it_again(x):
    y = 2.0 * x
    y_old = np.copy(y[0])
    y = index_set(y, 0, 3.0)
    "# --- reverse sweep"
    x_bar = 3.0 * y
    y = index_set(y, 0, y_old)
    return x_bar


@CASES.becomes("""
    y = 2.0 * x
    y_old_tape = []
    for i in range(1, n):
        y_old_tape.append(y[i])
        y = index_set(y, i, np.sin(y[i - 1]))
    # --- reverse sweep
    y_bar = np.ones(y.shape)
    for i in reversed(range(1, n)):
        y_old = y_old_tape.pop()
        v = y_bar[i]
        y_bar = index_set(y_bar, i, 0.0)
        y_bar = index_add(y_bar, i - 1, v * np.cos(y[i - 1]))
    return y_bar
""", x=X, n=3, others=({"n": 0}, {"n": 1}))
def each_turn_reads_what_comes_before_it(x, n):
    y = 2.0 * x
    y_old_tape = []
    for i in range(1, n):
        y_old_tape.append(y[i])
        y = index_set(y, i, np.sin(y[i - 1]))
    "# --- reverse sweep"
    y_bar = np.ones(y.shape)
    for i in reversed(range(1, n)):
        y_old = y_old_tape.pop()
        y = index_set(y, i, y_old)
        v = y_bar[i]
        y_bar = index_set(y_bar, i, 0.0)
        y_bar = index_add(y_bar, i - 1, v * np.cos(y[i - 1]))
    return y_bar


@CASES.stays(x=X, n=3, others=({"n": 0}, {"n": 1}))
def a_later_turn_reads_it(x, n):
    y = 2.0 * x
    y_old_tape = []
    for i in range(1, n):
        y_old_tape.append(y[i])
        y = index_set(y, i, np.sin(y[i + 1]))
    "# --- reverse sweep"
    y_bar = np.ones(y.shape)
    for i in reversed(range(1, n)):
        y_old = y_old_tape.pop()
        y = index_set(y, i, y_old)
        v = y_bar[i]
        y_bar = index_set(y_bar, i, 0.0)
        y_bar = index_add(y_bar, i + 1, v * np.cos(y[i + 1]))
    return y_bar


@CASES.stays(x=X, j=0, others=({"j": 2},))
def an_index_that_is_not_known(x, j):
    y = 2.0 * x
    y_old = np.copy(y[0])
    y = index_set(y, 0, 3.0)
    "# --- reverse sweep"
    y = index_set(y, 0, y_old)
    return y[j] * x


@CASES.stays(x=X, j=-1)
def an_index_may_count_from_the_back(x, j):
    y = 2.0 * x
    y_old = np.copy(y[3])
    y = index_set(y, 3, 3.0)
    "# --- reverse sweep"
    y = index_set(y, 3, y_old)
    return y[-1] * x + y[j]


@CASES.becomes("""
    y = 2.0 * x
    y_old = np.copy(y[0])
    y = index_set(y, 0, 3.0)
    # --- reverse sweep
    return np.ones(y.shape)
""", x=X)
def only_its_shape_is_asked_for(x):
    y = 2.0 * x
    y_old = np.copy(y[0])
    y = index_set(y, 0, 3.0)
    "# --- reverse sweep"
    y = index_set(y, 0, y_old)
    return np.ones(y.shape)


test_restores = CASES.check()
