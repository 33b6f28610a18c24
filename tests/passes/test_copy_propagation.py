"""copy_propagation: copies, constants and displays stand where their names are read; nothing else is folded."""
import numpy as np

from tests.passes.becomes import Alone

X = np.array([0.5, -1.5, 2.0])
CASES = Alone("copy_propagation")


@CASES.becomes("""
    z = x * 3.0
    return z
""", x=2.0)
def a_copy_and_a_constant(x):
    y = x
    c = 3.0
    z = y * c
    return z


@CASES.becomes("""
    return w * x
""", x=2.0, w=3.0)
def an_item_of_a_display(x, w):
    pair = x, w
    y = pair[1]
    return y * pair[0]


@CASES.becomes("""
    y = x * x
    return y * y
""", x=2.0)
def a_copy_of_a_copy(x):
    y = x * x
    z = y
    w = z
    return w * w


@CASES.stays(x=2.0)
def a_computation_keeps_its_name(x):
    y = x * x
    return y * 3.0


@CASES.stays(x=2.0, n=3, others=({"n": 0},))
def what_a_loop_goes_on_with(x, n):
    y = x
    for _ in range(n):
        y = y * x
    return y


@CASES.stays(x=2.0, n=3, others=({"n": 0},))
def a_value_of_the_turn_before(x, n):
    old = x
    for _ in range(n):
        old = x
        x = x * 2.0
    return x, old


@CASES.stays(x=2.0)
def the_original_changes_first(x):
    y = x
    x = x + 1.0
    return x * y


@CASES.stays(x=2.0)
def a_list_that_changes_later(x):
    values = [x]
    first = values
    values.append(x * x)
    return first[-1] + len(values)


test_copy_propagation = CASES.check()
