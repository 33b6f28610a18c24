"""materialize_conditions: the truth of what a branch changes has a name, so that the reverse sweep branches likewise."""
from tests.passes.becomes import Alone, Within

CASES, ALONE = Within("materialize_conditions"), Alone("materialize_conditions")


@CASES.becomes("""
    product = x * x
    values = [x, product]
    total = 0.0
    for _ in range(n):
        cond = bool(values)
        if cond:
            pop_values = values.pop()
            total = total + pop_values
    return total
""", x=2.0, n=3)
def a_list_that_gets_shorter(x, n):
    values = [x, x * x]
    total = 0.0
    for _ in range(n):
        if values:
            total = total + values.pop()
    return total


@ALONE.becomes("""
    cond = bool(flag)
    if cond:
        flag = 0.0
        x = x * x
    return x, flag
""", x=2.0, flag=1.0, others=({"flag": 0.0},))
def a_number_that_is_counted_down(x, flag):
    if flag:
        flag = 0.0
        x = x * x
    return x, flag


@ALONE.stays(x=2.0, flag=1.0, others=({"flag": 0.0},))
def it_stays_what_it_is(x, flag):
    if flag:
        x = x * x
    return x


@ALONE.stays(x=2.0, n=3, others=({"n": 0},))
def what_ends_a_loop(x, n):
    for _ in range(n):
        x = x * 2.0
        stop = x > 5.0
        if stop:
            break
    return x


test_materialize_conditions = CASES.check()
test_alone = ALONE.check()
