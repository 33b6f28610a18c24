"""Attacks by in-place writes that are no assignment statement."""
import copy
import operator

import numpy as np

from tests.errors.attack import Corpus

ATTACKS = Corpus()
attack = ATTACKS.add

V = np.array([0.3, -0.8, 1.1])
W = np.array([1.5, 0.4, -0.6])
M = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7], [0.1, 0.8, 0.6]])


# --- writes without an assignment statement

def write_by_positional_out(x):
    y = np.zeros(3)
    np.multiply(x, x, y)
    return (y * x).sum()


attack(write_by_positional_out, V)


def write_by_positional_out_value(x):
    y = np.zeros(3)
    z = np.exp(x, y)
    return (y * z).sum()


attack(write_by_positional_out_value, V)


def write_by_out_keyword(x):
    y = np.zeros(3)
    np.sin(x, out=y)
    return (y * x).sum()


attack(write_by_out_keyword, V)


def write_by_out_of_constants(x):
    y = np.zeros(3)
    np.sin(W, out=y)
    return (y * x).sum()


attack(write_by_out_of_constants, V)


def write_by_out_of_constants_positional(x):
    y = np.zeros(3)
    np.sin(W, y)
    return (y * x).sum()


attack(write_by_out_of_constants_positional, V)


def write_by_sum_out(x):
    y = np.zeros(3)
    np.sum(M, axis=0, out=y)
    return (y * x).sum()


attack(write_by_sum_out, V)


def write_by_out_into_varied(x):
    y = x * 2.0
    np.sin(W, out=y)
    return (y * x).sum()


attack(write_by_out_into_varied, V)


def write_by_copyto(x):
    y = np.zeros(3)
    np.copyto(y, x)
    return (y * x).sum()


attack(write_by_copyto, V)


def write_by_copyto_constants(x):
    y = x * 2.0
    np.copyto(y, W)
    return (y * x).sum()


attack(write_by_copyto_constants, V)


def write_by_add_at(x):
    y = np.zeros(3)
    np.add.at(y, [0, 0, 1], x)
    return (y * x).sum()


attack(write_by_add_at, V)


def write_by_fill(x):
    y = np.zeros(3)
    y.fill(x[0])
    return (y * x).sum()


attack(write_by_fill, V)


def write_by_fill_constant(x):
    y = x * 2.0
    y.fill(1.0)
    return (y * x).sum()


attack(write_by_fill_constant, V)


def write_by_sort(x):
    y = x * 2.0
    y.sort()
    return (y * W).sum()


attack(write_by_sort, V)


def write_by_sort_function(x):
    y = x * 2.0
    np.ndarray.sort(y)
    return (y * W).sum()


attack(write_by_sort_function, V)


def write_by_put(x):
    y = x * 2.0
    np.put(y, [0], [5.0])
    return (y * x).sum()


attack(write_by_put, V)


def write_by_fill_diagonal(x):
    y = x * 2.0
    np.fill_diagonal(y, 1.0)
    return (y * x).sum()


attack(write_by_fill_diagonal, M)


def write_by_put_along_axis(x):
    y = x * 2.0
    np.put_along_axis(y, np.array([[0], [1], [2]]), 1.0, 1)
    return (y * x).sum()


attack(write_by_put_along_axis, M)


def write_by_place(x):
    y = x * 2.0
    np.place(y, y > 0, [1.0])
    return (y * x).sum()


attack(write_by_place, V)


def write_by_putmask(x):
    y = x * 2.0
    np.putmask(y, y > 0, 1.0)
    return (y * x).sum()


attack(write_by_putmask, V)


def write_by_nan_to_num(x):
    y = x / np.array([1.0, 0.0, 2.0])
    np.nan_to_num(y, copy=False, posinf=0.0, neginf=0.0)
    return (y * W).sum()


attack(write_by_nan_to_num, V)


def write_by_shuffle(x):
    y = x * 2.0
    np.random.default_rng(3).shuffle(y)
    return (y * W).sum()


attack(write_by_shuffle, V)


def write_by_setitem_method(x):
    y = x * 2.0
    y.__setitem__(0, 5.0)
    return (y * x).sum()


attack(write_by_setitem_method, V)


def write_by_operator_setitem(x):
    y = x * 2.0
    operator.setitem(y, 0, 5.0)
    return (y * x).sum()


attack(write_by_operator_setitem, V)


def write_by_ndarray_setitem(x):
    y = x * 2.0
    np.ndarray.__setitem__(y, 0, 5.0)
    return (y * x).sum()


attack(write_by_ndarray_setitem, V)


def write_by_iadd_method(x):
    y = x * 2.0
    y.__iadd__(x)
    return (y * x).sum()


attack(write_by_iadd_method, V)


def write_by_operator_iadd(x):
    y = x * 2.0
    operator.iadd(y, x)
    return (y * x).sum()


attack(write_by_operator_iadd, V)


def write_by_operator_iadd_value(x):
    y = x * 2.0
    z = operator.iadd(y, x)
    return (y * z).sum()


attack(write_by_operator_iadd_value, V)


def write_by_operator_iadd_on_argument(x, y):
    z = operator.iadd(y, x)
    return (y * z).sum()


attack(write_by_operator_iadd_on_argument, V, W)


def write_by_callee(x):
    y = np.ones(3)
    _store(y, 5.0)
    return (y * x).sum()


def _store(a, value):
    a[0] = value


attack(write_by_callee, V)


def write_by_callee_in_place(x):
    y = np.ones(3)
    _scale(y)
    return (y * x).sum()


def _scale(a):
    a *= 2.0


attack(write_by_callee_in_place, V)


def write_by_callee_to_argument(x, y):
    _scale(y)
    return (y * x).sum()


attack(write_by_callee_to_argument, V, W)


def write_by_callee_without_arguments(x):
    before = SHARED.sum()
    _change_global()
    return x.sum() * (SHARED.sum() - before)


def _change_global():
    SHARED[0] += 1.0


attack(write_by_callee_without_arguments, V)


def write_by_unresolved_method(x):
    y = np.ones(3)
    y.itemset(0, 5.0) if hasattr(y, "itemset") else y.put(0, 5.0)
    return (y * x).sum()


attack(write_by_unresolved_method, V)


def write_by_method_value(x):
    y = x * 2.0
    change = y.fill
    change(1.0)
    return (y * x).sum()


attack(write_by_method_value, V)


def write_by_method_value_of_constant(x):
    y = np.ones(3)
    change = y.fill
    change(2.0)
    return (y * x).sum()


attack(write_by_method_value_of_constant, V)


def write_by_resize(x):
    y = np.ones(3)
    y.resize(5)
    return y.sum() * x.sum()


attack(write_by_resize, V)


def write_by_median_overwriting(x, y):
    return x.sum() * np.median(y, overwrite_input=True)


attack(write_by_median_overwriting, V, W[::-1].copy())


def write_by_shape_attribute(x):
    y = x * 2.0
    y.shape = (3, 1)
    return (y * x).sum()


attack(write_by_shape_attribute, V)


def write_by_sliced_target(x):
    y = x * 2.0
    (y[0], z) = (5.0, 1.0)
    return (y * x).sum() * z


attack(write_by_sliced_target, V)


def write_by_loop_target(x):
    y = x * 2.0
    for y[0] in range(3):
        pass
    return (y * x).sum()


attack(write_by_loop_target, V)


def write_by_comprehension_target(x):
    y = x * 2.0
    [0 for y[0] in range(3)]
    return (y * x).sum()


attack(write_by_comprehension_target, V)


def write_by_starred_target(x):
    y = x * 2.0
    *y[:1], z = (5.0, 1.0)
    return (y * x).sum() * z


attack(write_by_starred_target, V)
