"""out_arguments: functions and methods of NumPy that write into an argument become stores."""
import numpy as np

from tests.passes.becomes import Within

X = np.array([0.5, -1.5])
CASES = Within("out_arguments")


@CASES.becomes("""
    y = np.zeros(2)
    multiply = np.multiply(x, x)
    y = index_store(y, np.s_[...], multiply)
    product = y * x
    value = np.sum(product)
    return value
""", x=X)
def where_a_result_goes(x):
    y = np.zeros(2)
    np.multiply(x, x, out=y)
    return np.sum(y * x)


@CASES.becomes("""
    y = x.copy()
    y = index_store(y, np.s_[...], np.sort(y))
    z = np.zeros(2)
    z = index_store(z, np.s_[...], 3.0)
    product_2 = y * y
    product = product_2 * z
    value = np.sum(product)
    return value
""", x=X)
def methods_that_fill_and_sort(x):
    y = x.copy()
    y.sort()
    z = np.zeros(2)
    z.fill(3.0)
    return np.sum(y * y * z)


@CASES.becomes("""
    y = x * 1.0
    y = index_store(y, np.s_[...], index_add(y, np.s_[k], x))
    product = y * y
    value = np.sum(product)
    return value
""", x=X, k=np.array([0, 0]))
def places_that_are_named_twice(x, k):
    y = x * 1.0
    np.add.at(y, k, x)
    return np.sum(y * y)


@CASES.becomes("""
    y = np.zeros((2, 2))
    y_i = y[0]
    y_i = index_store(y_i, np.s_[...], x)
    product = y * y
    value = np.sum(product)
    return value
""", x=X)
def through_a_view(x):
    y = np.zeros((2, 2))
    np.copyto(y[0], x)
    return np.sum(y * y)


@CASES.becomes("""
    y = np.multiply(x, x)
    value = np.sum(y)
    return value
""", x=X)
def none_is_given(x):
    y = np.multiply(x, x, out=None)
    return np.sum(y)


@CASES.stays(x=X)
def a_new_array_is_sorted(x):
    y = np.sort(x)
    return np.sum(y * y)


test_out_arguments = CASES.check()
