"""pop_forwarding: what a tape gives goes into the store right after it."""
import numpy as np

from tests.passes.becomes import Alone

X = np.array([0.5, -1.5, 2.0])
CASES = Alone("pop_forwarding")


@CASES.becomes("""
    y = 2.0 * x
    y_old_tape = []
    for k in range(n):
        y_old_tape.append(y[k])
        y[k] = 1.0
    for k in reversed(range(n)):
        y[k] = y_old_tape.pop()
    return y
""", x=X, n=2, others=({"n": 0},))
def a_part_that_comes_back(x, n):
    y = 2.0 * x
    y_old_tape = []
    for k in range(n):
        y_old_tape.append(y[k])
        y[k] = 1.0
    for k in reversed(range(n)):
        y_old = y_old_tape.pop()
        y[k] = y_old
    return y


@CASES.stays(x=X)
def it_is_read_again(x):
    y = 2.0 * x
    y_old_tape = [y[0]]
    y_old = y_old_tape.pop()
    y[1] = y_old
    return y, y_old


@CASES.stays(x=X)
def it_is_the_index(x):
    y = 2.0 * x
    index_tape = [1]
    k = index_tape.pop()
    y[k] = k
    return y


@CASES.stays(x=X)
def something_else_comes_in_between(x):
    y = 2.0 * x
    y_old_tape = [y[0]]
    y_old = y_old_tape.pop()
    y[0] = len(y_old_tape)
    y[1] = y_old
    return y


test_pop_forwarding = CASES.check()
