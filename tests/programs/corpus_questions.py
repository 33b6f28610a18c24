"""Programs that ask whether two names are one array, while arrays change in place: `p is a`, `np.shares_memory(p, a)`.

A program with random statements found the first of them: generated code held a copy under one of the names, and the branch was
another one."""
import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

A = np.array([0.6, 1.2, 0.3])
B = np.array([0.8, -0.4, 0.7])


def both(function):
    asks = function not in (changed_if_it_is_not_the_argument, flag_of_an_object,        # (NumPy copies dual numbers there)
                            numbers_put_in_the_place_of_nan)
    case(function, A, B, 1.5, inputs=("a", "b"), oracle=asks)
    case(function, A, B, -1.0, inputs=("a", "b"), oracle=asks)


def copied_if_it_is_the_argument(a, b, c):
    p = np.asarray(a)
    if p is a:
        p = p.copy()
    p[0] *= 3
    return a * p * b


def changed_if_it_is_not_the_argument(a, b, c):
    p = np.asarray(a)
    if p is not a:
        p = p * 2
    p[0] *= 3
    return a * p * b


def one_of_two_after_a_swap(a, b, c):
    p = b if c > 0 else a
    a, b = b, a
    if p is a:
        p[0] *= 0.6
    return a * p


def name_that_moves_on_one_path(a, b, c):
    p = a
    if c > 0:
        p = b
    p[0] *= 2.0
    s = 0.0
    if p is b:
        s = 3.0
    b[1] *= s
    return a * b * p


def other_array_by_the_old_name(a, b, c):
    p = b
    b = b * 1.0
    b[0] = 7.0 * a[1]
    if p is b:
        b = b * 5
    return a * b * p


def asked_twice(a, b, c):
    p = a.copy() if c < 0 else a
    p[0] *= 3
    if p is a:
        p[1] *= 3
    p = p * b
    if p is a:
        p[1] *= 3
    return a * p


def a_view_is_another_object(a, b, c):
    p = a[:]
    p[0] *= 3
    if p is a:
        p[1] *= 3
    p = a
    q = a.reshape(a.shape)
    if q is p:
        p[1] *= 7 * b[0]
    return a * p * b


def swapped_buffers(a, b, c):
    p, q = a, b
    for _ in range(3):
        p[0] += q[1]
        p, q = q, p
    if p is a:
        p[1] = 5.0
    if q is b:
        q[0] = 6.0
    return a * b + p


def asked_by_a_loop(a, b, c):
    p = a
    k = 0
    while p is a and k < 3:
        a[0] *= 2.0
        k += 1
        if k == 2:
            p = b
    return p * a


def asked_with_something_else(a, b, c):
    p = b if c > 0 else a
    p[1] = 3.0
    if p is a and c < 0:
        p[0] *= 2.0
    return a * b * (2.0 if p is not b else 3.0)


def source_or_result(a, b, c):
    out = np.zeros(3)
    for k in range(2):
        src = a if k == 0 else out
        out[k] = src[k] * b[0]
        if src is out:
            out[2] += a[2] * c
    return out


def output_that_may_be_given(a, b, c, out=None):
    if out is None:
        out = np.empty_like(a)
    if out is a:
        raise ValueError("out is a")
    out[0] = a[1]
    out[1:] = a[1:] ** 2 * b[1:]
    return out


def copied_back_if_needed(a, b, c):
    x, y = a, b
    for _ in range(3):
        y[:] = x * b[0] * 0.9
        x, y = y, x
    if x is not a:
        a[:] = x
    return a


def parts_that_overlap(a, b, c):
    if np.may_share_memory(a[:2], a[1:]):
        a = a.copy()
    a[1:] = a[:2] * b[0]
    return a


def sharing_on_one_path(a, b, c):
    p = b if c > 0 else a
    a, b = b, a
    if np.shares_memory(p, a):
        p[0] *= 0.6
    return a * p


class Holder:
    def __init__(self, a):
        self.a = np.asarray(a)
        self.own = self.a is not a

    def changed(self):
        self.a[0] *= 3
        return self.a


def flag_of_an_object(a, b, c):
    holder = Holder(a)
    y = holder.changed()
    return y * (a if holder.own else b)


def squared_kernel(x, y):
    if x is y:
        return x * x * 2
    return x * y


def function_that_asks(a, b, c):
    p = a
    return squared_kernel(p, a) * squared_kernel(a, b)


def function_that_asks_of_one_name(a, b, c):
    a[0] *= 2
    return squared_kernel(a, a) * squared_kernel(a, b)


def numbers_put_in_the_place_of_nan(a, b, c):
    x = np.where(a > 0.5, a, np.nan)
    p = np.nan_to_num(x, copy=False, nan=2.0)
    if p is x:
        p = p * b
    return np.where(np.isnan(x), 7.0, x) * p


for program in (numbers_put_in_the_place_of_nan, copied_if_it_is_the_argument, changed_if_it_is_not_the_argument,
                one_of_two_after_a_swap, name_that_moves_on_one_path, other_array_by_the_old_name, asked_twice,
                a_view_is_another_object, swapped_buffers, asked_by_a_loop, asked_with_something_else, source_or_result,
                output_that_may_be_given, copied_back_if_needed, parts_that_overlap, sharing_on_one_path, flag_of_an_object,
                function_that_asks, function_that_asks_of_one_name):
    both(program)
