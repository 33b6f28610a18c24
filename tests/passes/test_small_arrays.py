"""small_arrays: short vectors that are filled element by element are literals, sizes that are known are numbers."""
import numpy as np

from tests.passes.becomes import Alone

CASES = Alone("small_arrays")
X = np.array([0.5, -1.5, 2.0])


@CASES.becomes("""
    y = np.array([a, -b])
    return y
""", a=0.5, b=2.0)
def filled(a, b):
    y = np.zeros(2)
    y[0] = a
    y[1] -= b
    return y


@CASES.becomes("""
    y = np.array([a + b, b])
    return y
""", a=0.5, b=2.0)
def two_terms_of_one_element(a, b):
    y = np.zeros(2)
    y[0] = a
    y[1] = b
    y[0] += b
    return y


@CASES.stays(a=0.5, b=2.0)
def an_element_is_zero(a, b):
    y = np.zeros(3)
    y[0] = a
    y[1] = b
    return y


@CASES.stays(a=0.5, b=2.0)
def it_is_read_on_the_way(a, b):
    y = np.zeros(2)
    y[0] = a
    y[1] = b * y[0]
    return y


@CASES.stays(k=1, a=2.0)
def a_whole_number(k, a):
    y = np.zeros(2)
    y[0] = k
    y[1] = a
    return y


@CASES.stays(x=X, a=2.0)
def a_part_is_put_there(x, a):
    y = np.zeros(2)
    y[0:1] = x[:1]
    y[1] = a
    return y


@CASES.stays(a=0.5, flag=True, others=({"flag": False},))
def on_one_path_only(a, flag):
    y = np.zeros(2)
    y[0] = a
    if flag:
        y[1] = a
    return y


test_small_arrays = CASES.check()
