"""dce: what nobody reads goes, and then what only that has read."""
import numpy as np

from tests.passes.becomes import Alone

X = np.array([0.5, -1.5])
SEEN: list = []
CASES = Alone("dce")


def noted(x):
    SEEN.append(x)
    return x


@CASES.becomes("""
    return x * 3.0
""", x=2.0)
def a_chain(x):
    y = np.sin(x)
    z = y * y
    w = np.exp(z)
    return x * 3.0


@CASES.becomes("""
    for _ in range(n):
        x = x * 2.0
    return x
""", x=2.0, n=2, others=({"n": 0},))
def a_tape_without_a_reader(x, n):
    x_tape = []
    for _ in range(n):
        x_tape.append(x)
        x = x * 2.0
    for _ in range(n):
        y = x_tape.pop()
    return x


@CASES.becomes("""
    return x
""", x=2.0, flag=True, others=({"flag": False},))
def a_branch_and_a_loop_of_nothing_else(x, flag):
    if flag:
        y = x * 2.0
    else:
        y = x
    for k in range(3):
        y = y * x
    return x


@CASES.becomes("""
    y = x
    return x * y
""", x=2.0)
def there_and_back(x):
    y = x
    x = y
    return x * y


@CASES.stays(x=2.0, n=2, others=({"n": 0},))
def the_next_turn_reads_it(x, n):
    y = x
    z = x
    for _ in range(n):
        z = y
        y = y * 2.0
    return z


@CASES.stays(x=2.0)
def a_function_that_does_more_than_compute(x):
    unused = noted(x)
    return x * 2.0


@CASES.stays(x=2.0)
def a_list_that_is_read_later(x):
    values = [x]
    values.append(2.0 * x)
    return values[-1]


@CASES.stays(x=2.0, n=3, others=({"n": 0},))
def what_ends_the_loop(x, n):
    for k in range(n):
        x = x * 2.0
        stop = x > 5.0
        if stop:
            break
    return x


test_dce = CASES.check()
