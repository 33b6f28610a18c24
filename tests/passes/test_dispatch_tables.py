"""dispatch_tables: a list of functions that is only indexed by constants is a tuple, whose items have kinds of their own."""
import math

from tests.passes.becomes import Alone

CASES = Alone("dispatch_tables")


@CASES.becomes("""
    fs = math.sin, math.cos
    return fs[0](x) * fs[1](x)
""", x=2.0)
def a_list_of_functions(x):
    fs = [math.sin, math.cos]
    return fs[0](x) * fs[1](x)


@CASES.stays(x=2.0, k=1)
def which_one_is_not_known(x, k):
    fs = [math.sin, math.cos]
    return fs[k](x) * fs[0](x)


@CASES.stays(x=2.0)
def it_gets_longer(x):
    fs = [math.sin]
    fs.append(math.cos)
    return fs[1](x)


@CASES.stays(x=2.0)
def numbers(x):
    values = [x, 2.0]
    return values[0] * values[1]


test_dispatch_tables = CASES.check()
