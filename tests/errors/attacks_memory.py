"""Attacks on memory: names, views and containers that hold one array, changed in place through one of them."""
import copy
import functools

import numpy as np

import sourcegrad as sg
from tests.errors.attack import Corpus

ATTACKS = Corpus()
attack = ATTACKS.add

V = np.array([0.3, -0.8, 1.1])
W = np.array([1.5, 0.4, -0.6])
M = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7], [0.1, 0.8, 0.6]])


# --- two names for one array, and an in-place operation through one of them

def alias_by_list_sum(x):
    a, b = x * 2.0, x * 3.0
    both = [a] + [b]
    a += 1.0 * x
    return (both[0] * x).sum()


attack(alias_by_list_sum, V)


def alias_by_list_repeat(x):
    a = x * 2.0
    both = [a] * 2
    a *= x
    return (both[1] * x).sum()


attack(alias_by_list_repeat, V)


def alias_by_tuple_sum(x):
    a = x * 2.0
    both = (a,) + (x,)
    a *= x
    return (both[0] * both[1]).sum()


attack(alias_by_tuple_sum, V)


def alias_by_conj_method(x):
    a = x * 2.0
    b = a.conj()
    a *= x
    return (b * x).sum()


attack(alias_by_conj_method, V)


def alias_by_einsum(x):
    a = x * 2.0
    b = np.einsum("ij->ji", a)
    a *= x
    return (b * x).sum()


attack(alias_by_einsum, M)


def alias_by_einsum_diagonal(x):
    a = x * 2.0
    b = np.einsum("ii->i", a)
    a *= x
    return (b * b).sum()


attack(alias_by_einsum_diagonal, M)


def alias_by_matrix_power(x):
    a = x * 2.0
    b = np.linalg.matrix_power(a, 1)
    a *= x
    return (b * x).sum()


attack(alias_by_matrix_power, M)


def alias_by_stop_gradient(x):
    a = x * 2.0
    b = sg.stop_gradient(a)
    a *= 3.0
    return (a * x).sum() + 0.0 * b.sum() if b[0] > 1.0 else (a * a).sum()


attack(alias_by_stop_gradient, V)


def alias_by_astype(x):
    a = x * 2.0
    b = a.astype(float, copy=False)
    a *= x
    return (b * x).sum()


attack(alias_by_astype, V)


def alias_by_asarray(x):
    a = x * 2.0
    b = np.asarray(a)
    a *= x
    return (b * x).sum()


attack(alias_by_asarray, V)


def alias_by_array_without_copy(x):
    a = x * 2.0
    b = np.array(a, copy=False)
    a *= x
    return (b * x).sum()


attack(alias_by_array_without_copy, V)


def alias_by_real(x):
    a = x * 2.0
    b = a.real
    a *= x
    return (b * x).sum()


attack(alias_by_real, V)


def alias_by_real_if_close(x):
    a = x * 2.0
    b = np.real_if_close(a)
    a *= x
    return (b * x).sum()


attack(alias_by_real_if_close, V)


def alias_by_transpose(x):
    a = x * 2.0
    b = a.T
    a *= x
    return (b * x).sum()


attack(alias_by_transpose, M)


def alias_by_view_method(x):
    a = x * 2.0
    b = a.view()
    a *= x
    return (b * x).sum()


attack(alias_by_view_method, V)


def alias_by_flat(x):
    a = x * 2.0
    b = a.flat
    a *= x
    return b[0] * x[0, 0]


attack(alias_by_flat, M)


def alias_by_identity_function(x):
    a = x * 2.0
    b = _same(a)
    a *= x
    return (b * x).sum()


def _same(a):
    return a


attack(alias_by_identity_function, V)


def alias_by_closure(x):
    a = x * 2.0

    def get():
        return a

    b = get()
    a *= x
    return (b * x).sum()


attack(alias_by_closure, V)


def alias_by_lambda_late(x):
    a = x * 2.0
    get = lambda: a
    a *= x
    return (get() * x).sum()


attack(alias_by_lambda_late, V)


def alias_by_partial(x):
    a = x * 2.0
    get = functools.partial(_same, a)
    a *= x
    return (get() * x).sum()


attack(alias_by_partial, V)


def alias_by_dict(x):
    a = x * 2.0
    table = {"a": a}
    a *= x
    return (table["a"] * x).sum()


attack(alias_by_dict, V)


def alias_by_ternary(x):
    a = x * 2.0
    b = a if x[0] > 0 else x
    a *= x
    return (b * x).sum()


attack(alias_by_ternary, V)


def alias_by_or(x):
    a = x * 2.0
    b = None or a
    a *= x
    return (b * x).sum()


attack(alias_by_or, V)


def alias_by_walrus(x):
    b = (a := x * 2.0)
    a *= x
    return (b * x).sum()


attack(alias_by_walrus, V)


def alias_by_chained_assignment(x):
    a = b = x * 2.0
    a *= x
    return (b * x).sum()


attack(alias_by_chained_assignment, V)


def alias_by_zip(x):
    a, b = x * 2.0, x * 3.0
    total = 0.0
    for left, right in zip([a, b], [b, a]):
        left += right
        total = total + (a * b).sum()
    return total


attack(alias_by_zip, V)


def alias_by_snapshots_in_loop(x):
    state = x * 1.0
    seen = []
    for _ in range(3):
        seen.append(state)
        state += x
    return (seen[0] * x).sum()


attack(alias_by_snapshots_in_loop, V)


def alias_by_previous_in_loop(x):
    state = x * 1.0
    previous = state
    total = 0.0
    for _ in range(3):
        total = total + (previous * x).sum()
        previous = state
        state *= x
    return total


attack(alias_by_previous_in_loop, V)


def alias_by_list_copy(x):
    a = x * 2.0
    seen = list([a])
    a *= x
    return (seen[0] * x).sum()


attack(alias_by_list_copy, V)


def alias_by_sorted(x):
    a, b = x[0] * np.ones(2), x[1] * np.ones(2)
    first = sorted([a, b], key=np.sum)[0]
    b *= x[2]
    return (first * a).sum()


attack(alias_by_sorted, V)


def alias_by_copy_module(x):
    a = x * 2.0
    seen = copy.copy([a])
    a *= x
    return (seen[0] * x).sum()


attack(alias_by_copy_module, V)


def alias_by_swap(x):
    a, b = x * 2.0, x * 3.0
    a, b = b, a
    a *= b
    a, b = b, a
    return (a * b * b).sum()


attack(alias_by_swap, V)


def rows_in_place(x):
    a = x * 2.0
    for row in a:
        row /= row.sum()
    return (a * x).sum()


attack(rows_in_place, M)


def in_place_of_too_small_array(x):
    a = np.ones(3)
    a += x[None] * np.ones((2, 3))
    return a.sum()


attack(in_place_of_too_small_array, V)


def in_place_rounds_to_integers(x):
    a = np.arange(3)
    a += x
    return a.sum()


attack(in_place_rounds_to_integers, V)


def in_place_rounds_to_single(x):
    a = np.ones(3, dtype=np.float32)
    a *= x
    return (a * x).sum()


attack(in_place_rounds_to_single, V, step=0.02)                 # of a quadratic: exact but for the rounding


def in_place_on_argument(x, y):
    y *= x
    return (y * x).sum()


attack(in_place_on_argument, V, W, inputs=("x", "y"))


def in_place_on_one_array_as_two(x, y):
    y = y + 0.0
    y *= x
    return (x * y).sum()


attack(in_place_on_one_array_as_two, V, V, inputs=("x", "y"))


def in_place_on_closure(x):
    return _holder(x)


def _make_holder():
    buffer = np.ones(3)

    def run(x):
        nonlocal_buffer = buffer
        nonlocal_buffer *= x
        return nonlocal_buffer.sum()

    return run


_holder = _make_holder()
attack(in_place_on_closure, V)

SHARED = np.array([1.0, 2.0, 3.0])


def in_place_on_global(x):
    local = SHARED
    local += x
    return (local * x).sum()


attack(in_place_on_global, V)
