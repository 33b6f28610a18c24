"""store_forwarding: stores and sums into parts of adjoints that cancel, in the reverse sweep."""
import numpy as np

from sourcegrad.runtime import index_add, index_set
from tests.passes.becomes import Alone

X = np.array([0.5, -1.5, 2.0])
CASES = Alone("store_forwarding")


@CASES.becomes("""
    x_bar = 2.0 * x
    # --- reverse sweep
    x_bar = index_set(x_bar, 0, w)
    return x_bar
""", x=X, w=2.0)
def a_sum_into_a_cleared_part(x, w):
    x_bar = 2.0 * x
    "# --- reverse sweep"
    x_bar = index_set(x_bar, 0, 0.0)
    x_bar = index_add(x_bar, 0, w)
    return x_bar


@CASES.becomes("""
    x_bar = 2.0 * x
    # --- reverse sweep
    v = x_bar[0]
    return x_bar, v
""", x=X)
def what_is_taken_cleared_and_put_back(x):
    x_bar = 2.0 * x
    "# --- reverse sweep"
    v = x_bar[0]
    x_bar = index_set(x_bar, 0, 0.0)
    x_bar = index_add(x_bar, 0, v)
    return x_bar, v


@CASES.becomes("""
    x_bar = 2.0 * x
    # --- reverse sweep
    x_bar = index_set(x_bar, 1, w)
    v = w
    return x_bar, v
""", x=X, w=np.float64(2.0))
def what_is_read_right_after_it_was_stored(x, w):
    x_bar = 2.0 * x
    "# --- reverse sweep"
    x_bar = index_set(x_bar, 1, w)
    v = x_bar[1]
    return x_bar, v


@CASES.becomes("""
    x_bar = 2.0 * x
    # --- reverse sweep
    v = x_bar[1] + w
    x_bar = index_set(x_bar, 1, 0.0)
    return x_bar, v
""", x=X, w=2.0)
def a_sum_that_is_only_taken(x, w):
    x_bar = 2.0 * x
    "# --- reverse sweep"
    x_bar = index_add(x_bar, 1, w)
    v = x_bar[1]
    x_bar = index_set(x_bar, 1, 0.0)
    return x_bar, v


@CASES.becomes("""
    x_bar = 2.0 * x
    # --- reverse sweep
    x_bar = index_add(x_bar, 1, 2.0 * w)
    x_bar = index_add(x_bar, 0, 1.0)
    return x_bar
""", x=X, w=2.0)
def one_sum_twice(x, w):
    x_bar = 2.0 * x
    "# --- reverse sweep"
    x_bar = index_add(x_bar, 1, w)
    x_bar = index_add(x_bar, 0, 1.0)
    x_bar = index_add(x_bar, 1, w)
    return x_bar


@CASES.becomes("""
    y = 2.0 * x
    y_old = y
    y = y + 1.0
    # --- reverse sweep
    y = y_old
    return y
""", x=X)
def a_value_that_comes_back_whole(x):
    y = 2.0 * x
    y_old = y
    y = y + 1.0
    "# --- reverse sweep"
    y = index_set(y, np.s_[:], y_old)
    return y


@CASES.becomes("""
    x_bar = 2.0 * x
    # --- reverse sweep
    for _ in range(n):
        a = c * w
        x_bar = index_add(x_bar, 0, a)
        x_bar = index_add(x_bar, 1, a)
    return x_bar
""", x=X, c=2.0, w=3.0, n=2, others=({"n": 0},))
def one_product_twice(x, c, w, n):
    x_bar = 2.0 * x
    "# --- reverse sweep"
    for _ in range(n):
        a = c * w
        x_bar = index_add(x_bar, 0, a)
        b = c * w
        x_bar = index_add(x_bar, 1, b)
    return x_bar


@CASES.stays(x=X, w=2.0, j=1, others=({"j": 0},))
def another_index_may_be_the_same_one(x, w, j):
    x_bar = 2.0 * x
    "# --- reverse sweep"
    x_bar = index_set(x_bar, 0, 0.0)
    v = x_bar[j]
    x_bar = index_add(x_bar, 0, w)
    return x_bar, v


@CASES.stays(x=X, w=2.0, j=1)
def the_index_is_another_one_by_then(x, w, j):
    x_bar = 2.0 * x
    "# --- reverse sweep"
    x_bar = index_set(x_bar, j, 0.0)
    j = j + 1
    x_bar = index_add(x_bar, j, w)
    return x_bar


@CASES.stays(x=X, w=2.0, n=2, others=({"n": 0},))
def a_sum_in_a_loop_that_may_have_no_trip(x, w, n):
    x_bar = 2.0 * x
    "# --- reverse sweep"
    x_bar = index_set(x_bar, 0, 0.0)
    for _ in range(n):
        x_bar = index_add(x_bar, 0, w)
    return x_bar


@CASES.stays(x=X, w=2.0)
def a_number_of_python_would_be_read_as_one_of_numpy(x, w):
    x_bar = 2.0 * x
    "# --- reverse sweep"
    x_bar = index_set(x_bar, 1, w)
    v = x_bar[1]
    return x_bar, v


@CASES.stays(x=X.astype(np.float32), w=np.float64(0.1))
def a_store_would_round_what_is_read(x, w):
    x_bar = 2.0 * x
    "# --- reverse sweep"
    x_bar = index_set(x_bar, 1, w)
    v = x_bar[1]
    return x_bar, v


@CASES.stays(x=X, i=np.array([0, 0]), w=np.array([1.0, 2.0]))
def places_that_are_named_twice(x, i, w):
    x_bar = 2.0 * x
    "# --- reverse sweep"
    x_bar = index_set(x_bar, i, 0.0)
    x_bar = index_add(x_bar, i, w)
    return x_bar


test_store_forwarding = CASES.check()
