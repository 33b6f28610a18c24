"""split_webs: definitions that never meet get names of their own."""
import numpy as np

from tests.passes.becomes import Cases, Within

CASES = Cases("split_webs")
becomes = CASES.becomes


@becomes("""
    y = np.sin(x)
    y_2 = y * y
    y_3 = y_2 + 1.0
    return y_3
""")
def straight_line(x):
    y = np.sin(x)
    y = y * y
    y = y + 1.0
    return y


@becomes("""
    y = x
    if flag:
        y = x * x
    return y
""")
def meets_after_a_branch(x, flag):
    y = x
    if flag:
        y = x * x
    return y


@becomes("""
    y = x * 2.0
    y_2 = y + 1.0
    for _ in range(3):
        y_2 = y_2 * x
    return y_2
""")
def carried_through_a_loop(x):
    y = x * 2.0
    y = y + 1.0
    for _ in range(3):
        y = y * x
    return y


@becomes("""
    for k in range(2):
        x = x * k
    for k_2 in range(3):
        x = x + k_2
    return x
""")
def loop_variable_of_two_loops(x):
    for k in range(2):
        x = x * k
    for k in range(3):
        x = x + k
    return x


@becomes("""
    y = x * x
    y_3 = y * y_2
    return y_3
""")
def the_name_is_taken(x, y_2):
    y = x * x
    y = y * y_2
    return y


@becomes("""
    y = np.zeros(2)
    y = index_store(y, np.s_[0], x)
    product = x * x
    y = index_store(y, np.s_[1], product)
    value = y.sum()
    return value
""")
def stores_are_one_array(x):
    y = np.zeros(2)
    y[0] = x
    y[1] = x * x
    return y.sum()


test_rename = CASES.check()


# --- Branches are gone by then: what had one name because of them has several.

AGAIN = Within("split_webs again")


@AGAIN.becomes("""
    y = x
    cond = x.ndim == 1
    y_2 = np.sum(y)
    value = y_2 * y_2
    return value
""", x=np.array([0.5, -1.5]))
def a_branch_that_is_decided(x):
    y = x
    if x.ndim == 1:
        y = np.sum(y)
    return y * y


@AGAIN.stays(x=np.array([0.5, -1.5]), n=2)
def a_loop_goes_on_with_it(x, n):
    y = np.sum(x)
    if x.ndim == 1:
        for _ in range(n):
            y = y * y
    return y


test_again = AGAIN.check()
