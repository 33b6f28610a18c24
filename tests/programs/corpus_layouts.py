"""Arrays that do not lie row by row in memory: a reshape of them copies, also after they went through functions and objects."""
import copy

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

A = np.array([[0.6, 1.2, 0.3, -0.7], [0.8, -0.4, 0.7, 1.3], [0.2, 0.9, -0.5, 0.4]])
B = np.array([[1.1, -0.2, 0.5], [0.3, 0.9, -0.6], [-0.8, 0.4, 1.2], [0.7, -1.1, 0.1]])


def scale(x, y):
    x *= y


def spread(x, y):
    for row in x:
        row += y[0]
    scale(x, y)
    return x


class Scaled:
    def __init__(self, content):
        self.content = content

    def by(self, factors):
        self.content *= factors


def scaled_by_a_function(a, b):
    c = b.T * 2.0
    scale(c, a)
    c.reshape(-1)[1] = 7.0
    return c * c


def scaled_by_a_function_that_calls_one(a, b):
    c = np.sin(b.T) + 1.0
    d = spread(c, a)
    np.ravel(d)[2:5] = 0.5
    return c * d


def scaled_here(a, b):
    c = b.T * 2.0
    c *= a
    c.reshape(-1)[1] = 7.0
    return c * c


def columns_by_number(a, b):
    c = b[:, [0, 2, 1]]
    c += a.T
    c.reshape(-1)[1] = 7.0
    return c * c


def columns_by_mask(a, b):
    c = a[:, a[0] > 0.0]
    c += b[:3]
    c.reshape(-1)[1] = 7.0
    return c * c


def rows_by_number(a, b):
    c = b[[0, 2, 1]]
    scale(c, a[:, 1:])
    c.reshape(-1)[1] = 7.0
    return c * c


def transposed_by_einsum(a, b):
    c = np.einsum("ij->ji", b) * 1.0
    c += a
    np.ravel(c)[1] = 7.0
    return c * c


def made_by_columns(a, b):
    c = np.zeros((3, 4), order="F")
    c += a
    scale(c, b.T)
    np.ravel(c)[1] = 7.0
    return c * c


def made_like_columns(a, b):
    c = np.zeros_like(b.T)
    spread(c, a)
    c += a
    c.reshape(-1)[1] = 7.0
    return c * c


def copied_row_by_row(a, b):
    c = b.T.copy()
    scale(c, a)
    c.reshape(-1)[1] = 7.0
    return c * c


def in_a_list(a, b):
    held = [b.T * 2.0, b.T]
    for x in held:
        scale(x, a)
    held[0].reshape(-1)[1] = 7.0
    return held[0] * held[0] + a


def in_an_object(a, b):
    held = Scaled(b.T * 2.0)
    held.by(a)
    held.content.reshape(-1)[1] = 7.0
    return held.content * a


def in_a_loop(a, b):
    c = a * 1.0
    for j in range(3):
        if j == 1:
            c = b.T * c.T.copy().T
        scale(c, a)
        c.reshape(-1)[j] = 0.5
    return c * c


def along_another_axis(a, b):
    c = np.linspace(a[0], b[:, 0], 3, axis=1)
    scale(c, b)
    c.reshape(-1)[1] = 7.0
    return c * c


def windows(a, b):
    c = np.lib.stride_tricks.sliding_window_view(a, 2, axis=0) * 2.0
    scale(c, b[:4, :2])
    c.reshape(-1)[1] = 7.0
    return c * c


for program in (scaled_by_a_function, scaled_by_a_function_that_calls_one, scaled_here, columns_by_number, columns_by_mask,
                rows_by_number, transposed_by_einsum, made_by_columns, made_like_columns, copied_row_by_row, in_a_list,
                in_an_object, in_a_loop, along_another_axis, windows):
    case(program, A, B)


# --- the dtype of an array in an object stays what it is, and a converted array is a new one

def single_precision_in_an_object(a, b):
    held = Scaled(a.copy())
    view = held.content
    held.by(b.T)
    view[0] = 3.0
    return held.content * held.content


def complex_in_an_object(a, b):
    held = Scaled(a + 1j)
    held.content += b.T
    held.by(a)
    return np.abs(held.content) ** 2


def converted_then_changed(a, b):
    c = a.astype(float)
    c *= b.T
    d = np.array(a)
    d += c
    e = np.nan_to_num(a)                 # a has no NaN: what is tried is that e is another array
    e -= d
    return c * d * e + a


case(single_precision_in_an_object, A.astype(np.float32), B, oracle=False, step=1e-2)
case(complex_in_an_object, A, B, oracle=False)
case(converted_then_changed, A, B)


# --- arrays without axes change in place, too

class Account:
    def __init__(self):
        self.total = np.zeros(())

    def add(self, amount):
        self.total += amount


def sum_without_axes(v):
    total = np.zeros(())
    for x in v:
        total += x
    return total


def one_array_without_axes(v):
    n = np.array(1.0)
    m = n
    m += v[0]
    m /= v[1]
    return n * m


def account_without_axes(v):
    account = Account()
    seen = account.total
    for x in v:
        account.add(x * x)
    return seen * v[0]


def by_name_of_this_numpy(v):
    return np.trapezoid(v * v) if hasattr(np, "trapezoid") else np.trapz(v * v)


for program in (sum_without_axes, one_array_without_axes, account_without_axes, by_name_of_this_numpy):
    case(program, np.array([1.1, 0.5, -0.4, 0.8]), oracle=program not in (one_array_without_axes, by_name_of_this_numpy))


# --- a reshape that reads column by column

def read_by_columns(a):
    v = a.reshape(-1, order="F")
    v[1] = 5.0
    return a * a


def read_by_columns_twice(a):
    w = a.ravel("F")
    w *= 2.0
    v = a.T.reshape(-1)
    v[1] = w[2]
    return a * a + w[1]


def read_as_it_lies(a):
    v = np.ravel(a, order="K")
    v[1] = 5.0
    return a * a


def summed_as_it_lies(a):
    return np.sin(np.ravel(a, order="K")) * np.arange(12.0) + a.flatten("A")


for program in (read_by_columns, read_by_columns_twice, summed_as_it_lies):
    case(program, A)
    case(program, B.T)
case(read_as_it_lies, A, may_refuse=True)
case(read_as_it_lies, B.T, may_refuse=True)


# --- what an attack has found: layouts of other functions, arrays without axes at several places

def called_for_each_element(a):
    c = np.vectorize(lambda x: x * x)(a.T)
    c.reshape(-1)[1] = 5.0
    d = np.vectorize(lambda x, y: x * y)(a, a[0])
    d.reshape(-1)[1] = 5.0
    return np.sum(c * c) + d


def called_along_an_axis(a):
    c = np.apply_along_axis(lambda x: 2.0 * x, 0, a)
    c.reshape(-1)[1] = 5.0
    return c * c


def copied_deeply(a):
    c, d = copy.deepcopy(a.T), copy.copy(a.T)
    c.reshape(-1)[1] = 5.0
    d.reshape(-1)[2] = 5.0
    return c * c + d * d * d


def view_without_axes(v):
    n = np.array(2.0)
    m = n[...]
    n += v[0]
    last = v[3, ...]
    last *= m
    return n * m * v


def array_without_axes_in_a_list(v):
    n = np.array(v[0])
    held = [n]
    held[0] += 1.0
    n /= v[1]
    return n * held[0]


def in_place_power_without_axes(v):
    n = np.array(v[0])
    n **= 2
    held = {"n": n}
    n /= v[1]
    held["n"] += 1.0
    return n * held["n"]


def one_array_by_parts(v):
    table = {"a": v, "n": 0}
    seen = table["a"]
    table["a"] += 1.0
    table["n"] += 2
    table["a"] *= seen
    return seen * table["n"]


for program in (called_for_each_element, called_along_an_axis, copied_deeply):
    case(program, A, oracle=False)
    case(program, B.T, oracle=False)
for program in (view_without_axes, array_without_axes_in_a_list, in_place_power_without_axes, one_array_by_parts):
    case(program, np.array([1.1, 0.5, -0.4, 0.8]), oracle=False)


# --- a row of an array that lies column by column: `ravel` copies it, also in a callee

def lowered(row, out):
    np.subtract.at(row.ravel(), [1, 1, 0], 0.6)
    out[0, 0] = np.tanh(row[1])


def first_replaced(row, out):
    row.ravel()[1] = 0.6
    out[0, 0] = np.tanh(row[1])


def shrunk(row, out):
    flat = row.ravel()
    flat *= 0.6
    out[0, 0] = np.tanh(row[1])


def row_that_a_callee_lowers(v, out):
    lowered(v[-3], out)
    return out.sum()


def row_that_a_callee_changes(v, out):
    first_replaced(v[-3], out)
    return out.sum()


def row_that_a_callee_shrinks(v, out):
    shrunk(v[-3], out)
    return out.sum()


for program in (row_that_a_callee_lowers, row_that_a_callee_changes, row_that_a_callee_shrinks):
    case(program, A, np.ones((2, 2)), oracle=False)
    case(program, B.T, np.ones((2, 2)), oracle=False, may_refuse=True)


# --- a list holds an array twice, once by a reshape that may be a view

def column_twice_in_a_list(v, s):
    items = [v[:, 0], v[:, 0].reshape(-1)]
    if s > 99.0:
        v[0] = 0.0
    v *= s
    return np.sum(items[0] * items[1])


def column_twice_in_a_tuple(v, s):
    y = v[:, 0]
    items = (y, y.reshape(-1, 1))
    if s > 99.0:
        v[0] = 0.0
    v[:, 0] *= s
    return np.sum(items[0] * items[1][:, 0])


def column_and_row_in_a_dict(v, s):
    items = {"column": v[:, 0], "row": v[0].reshape(-1)}
    for _ in range(2):
        if s > 1.5:
            v[0] = v[1] * s
        v *= s
    return np.sum(items["column"] * items["row"][:3])


for program in (column_twice_in_a_list, column_twice_in_a_tuple, column_and_row_in_a_dict):
    for s in (1.3, 2.0, 100.0):
        case(program, A, s, oracle=False)
case(column_twice_in_a_list, B.T, 2.0, oracle=False)
