"""outline: the body of a `try` becomes a function, and its outcome a number to branch on."""
from contextlib import suppress

from tests.passes.becomes import Cases

CASES = Cases("outline")
becomes = CASES.becomes


@becomes("""
    path = 0
    error = None
    outcome = attempt(n, x)
    path, error, given = outcome
    succeeded = path == 0
    if succeeded:
        y = given
    else:
        y = x
    return y
""")
def one_handler(x, n):
    try:
        y = x * (1 / n)
    except ZeroDivisionError:
        y = x
    return y


@becomes("""
    path = 0
    error = None
    outcome = attempt(x)
    path, error, given = outcome
    succeeded = path == 0
    if succeeded:
        y = given
        outcome_2 = attempt_2(n, y)
        path, error, given_2 = outcome_2
        succeeded_2 = path == 0
        if succeeded_2:
            y = given_2
    return y
""")
def cut_where_a_handler_sees_it(x, n):
    with suppress(ZeroDivisionError):
        y = x * 2
        y = y * (1 / n)
    return y


@becomes("""
    path = 0
    error = None
    outcome = attempt(table, x)
    path, error, given = outcome
    succeeded = path == 0
    if succeeded:
        y = given
    else:
        cond = path == 1
        if cond:
            problem = error
            print(problem)
            y = x
        else:
            raise error
    cond_2 = path == 0
    if cond_2:
        y = y * x
    return y
""")
def several_handlers(x, table):
    try:
        y = table["a"] * x
    except (KeyError, IndexError) as problem:
        print(problem)
        y = x
    except TypeError:
        raise
    else:
        y = y * x
    return y


test_attempts = CASES.check()
