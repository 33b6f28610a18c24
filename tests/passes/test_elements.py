"""elements: what is read of an array has the name of its place."""
import numpy as np

from tests.passes.becomes import Alone

CASES = Alone("elements")
X = np.array([0.5, -1.5, 2.0])


@CASES.becomes("""
    x0 = x[0]
    x1 = x[1]
    x0_bar = x1 * 2.0
    return x0 * x0_bar
""", x=X)
def constant_places(x):
    x_i = x[0]
    x_i_2 = x[1]
    x_i_bar = x_i_2 * 2.0
    return x_i * x_i_bar


@CASES.becomes("""
    k_next = k + 1
    x_k = x[k]
    x_next = x[k_next]
    k_prev = k - 1
    x_prev = x[k_prev]
    return x_k * x_next - x_prev
""", x=X, k=1)
def neighbours(x, k):
    sum_2 = k + 1
    x_i = x[k]
    x_i_2 = x[sum_2]
    diff = k - 1
    x_i_3 = x[diff]
    return x_i * x_i_2 - x_i_3


@CASES.becomes("""
    x_head = x[:-1]
    x_tail = x[1:]
    x_last = x[-1]
    x_inner = x[1:-1]
    return x_head * x_tail + x_last * x_inner
""", x=X)
def parts_of_it(x):
    x_i = x[:-1]
    x_i_2 = x[1:]
    x_i_3 = x[-1]
    x_i_4 = x[1:-1]
    return x_i * x_i_2 + x_i_3 * x_i_4


@CASES.becomes("""
    x0_2 = x[0]
    x0 = x0_2 * 2.0
    return x0
""", x=X, own="x0")
def the_user_has_that_name(x):
    x_i = x[0]
    x0 = x_i * 2.0
    return x0


@CASES.stays(x=X, k=1)
def an_element_of_another_at_times(x, k):
    x_i = x[0]
    y = x_i * 2.0
    x_i = x[k]
    return x_i + y


@CASES.stays(x=X, counter=1)
def long_names(x, counter):
    x_i = x[counter]
    sum_2 = counter + 2
    return x_i * sum_2


@CASES.becomes("""
    x_k_tape = []
    for k in range(2):
        x_k = x[k]
        x_k_tape.append(x_k)
        x = x * x_k
    for k in range(2):
        x_k = x_k_tape.pop()
        x = x * x_k
    return x
""", x=X, own="k")
def with_its_tape(x):
    x_i_tape = []
    for k in range(2):
        x_i = x[k]
        x_i_tape.append(x_i)
        x = x * x_i
    for k in range(2):
        x_i = x_i_tape.pop()
        x = x * x_i
    return x


def pair(x):
    return x * 2.0, x


@CASES.becomes("""
    left, left_saved = pair(x)
    right, right_saved = pair(left)
    y, pair_saved_3 = pair(right)
    y_saved = x * 3.0
    return left_saved + right_saved + pair_saved_3 * y + y_saved
""", x=X, own="left right y y_saved")
def what_calls_save(x):
    left, pair_saved_2 = pair(x)
    right, pair_saved = pair(left)
    y, pair_saved_3 = pair(right)
    y_saved = x * 3.0
    return pair_saved_2 + pair_saved + pair_saved_3 * y + y_saved


@CASES.stays(x=X, own="y")
def what_one_call_saves(x):
    y, pair_saved = pair(x)
    return y * pair_saved


test_elements = CASES.check()
