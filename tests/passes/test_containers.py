"""containers: methods of lists, dicts and sets become functions of their values."""
import numpy as np

from tests.passes.becomes import Within

X = np.array([0.5, -1.5])
CASES = Within("containers")


@CASES.becomes("""
    values = [x, 2.0]
    product = x * x
    values = list_insert(values, 0, product)
    value = [x, 1.0]
    values = list_extend(values, value)
    values_i = values[0]
    values_i_2 = values[-2]
    value_2 = values_i * values_i_2
    return value_2
""", x=2.0)
def a_list(x):
    values = [x, 2.0]
    values.insert(0, x * x)
    values.extend([x, 1.0])
    return values[0] * values[-2]


@CASES.becomes("""
    table = {'a': x}
    product = x * x
    entries = {'b': product}
    table = dict_merge(table, entries)
    y = table.get('c', 3.0)
    table_i = table['b']
    value = y * table_i
    return value
""", x=2.0)
def a_dict(x):
    table = {"a": x}
    table.update(b=x * x)
    y = table.get("c", 3.0)
    return y * table["b"]


@CASES.becomes("""
    table = {}
    for k in range(n):
        product = x * k
        table = index_store(table, np.s_[k], product)
    total = 0.0
    table_keys = dict_keys(table)
    items = sequence(table_keys)
    len_items = len(items)
    range_2 = range(len_items)
    for k_2 in range_2:
        key = items[k_2]
        value = table[key]
        product_2 = value * value
        total = total + product_2
    return total
""", x=2.0, n=2)
def a_dict_that_a_loop_goes_through(x, n):
    table = {}
    for k in range(n):
        table[k] = x * k
    total = 0.0
    for _, value in table.items():
        total = total + value * value
    return total


@CASES.stays(x=X)
def methods_of_arrays_are_others(x):
    y = x.copy()
    y.sort()
    return np.sum(y * y)


@CASES.becomes("""
    pair = x, 2.0
    pair_i = pair[0]
    count_pair = count_of(pair, 7.0)
    product = pair_i * count_pair
    value = product + x
    return value
""", x=2.0)
def what_a_tuple_says_of_itself(x):
    pair = x, 2.0
    return pair[0] * pair.count(7.0) + x


@CASES.stays(x=2.0, n=2)
def plain_indices(x, n):
    values = [x] * n
    total = 0.0
    for k in range(len(values)):
        total = total + values[k]
    return total


test_containers = CASES.check()
