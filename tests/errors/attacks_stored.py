"""Attacks on what is stored and where: dtypes, shapes, repeated and changing indices, order, loops."""
import numpy as np

from tests.errors.attack import Corpus

ATTACKS = Corpus()
attack = ATTACKS.add

V = np.array([0.3, -0.8, 1.1])
M = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7], [0.1, 0.8, 0.6]])


def _put_and_return(a, v):
    a[0] = v
    return a


def store_into_integers(x):
    y = np.zeros(3, dtype=int)
    y[0] = 2.7
    y[1] = x[0] * 5.0
    return (y * x).sum()


attack(store_into_integers, V)


def store_into_arange(x):
    y = np.arange(3)
    y[0] = x[2] * 2.0
    return (y * x).sum()


attack(store_into_arange, V)


def store_into_bools(x):
    y = np.zeros(3, dtype=bool)
    y[:] = x
    return (y * x).sum()


attack(store_into_bools, V)


def store_complex_into_real(x):
    y = np.zeros(3)
    y[0] = x[0] * 1j
    return y.sum()


attack(store_complex_into_real, V)


def store_into_empty(x):
    y = np.empty(3)
    y[:2] = x[:2]
    y[2] = x[0] * x[1]
    return (y * y).sum()


attack(store_into_empty, V)


def store_wrong_shape(x):
    y = np.zeros(3)
    y[:2] = x
    return y.sum()


attack(store_wrong_shape, V)


def store_array_as_element(x):
    y = np.zeros(3)
    y[0] = x[:1]
    return (y * x).sum()


attack(store_array_as_element, V)


def store_broadcast(x):
    y = np.zeros((3, 3))
    y[:] = x
    y[1] = x[0]
    y[:, 2] = x * x
    return (y * y).sum()


attack(store_broadcast, V)


def store_higher_rank(x):
    y = np.zeros(3)
    y[:] = x[None]
    return (y * y).sum()


attack(store_higher_rank, V)


def store_out_of_range(x):
    y = np.zeros(3)
    y[7] = x[0]
    return y.sum()


attack(store_out_of_range, V)


def store_repeated_index(x):
    y = x * 2.0
    y[[0, 0]] = x[1:] * x[:2]
    return (y * y).sum()


attack(store_repeated_index, V)


def store_repeated_augmented(x):
    y = x * 2.0
    y[[0, 0]] += x[1:]
    return (y * y).sum()


attack(store_repeated_augmented, V)


def store_masked(x):
    y = x * 2.0
    y[y > 0] = x[y > 0] ** 2
    y[y < 0] *= x[y < 0]
    return (y * y).sum()


attack(store_masked, V)


def store_changed_mask(x):
    y = x * 2.0
    mask = y > 0
    y[mask] = x[0]
    mask[0] = False
    y[mask] = 3.0 * x[1]
    return (y * y).sum()


attack(store_changed_mask, V)


def store_changed_index_array(x):
    y = x * 2.0
    index = np.array([0, 1])
    y[index] = x[1:] * 3.0
    index[0] = 2
    return (y * y * x).sum() + x[index].sum()


attack(store_changed_index_array, V)


def store_changed_index_in_loop(x):
    y = x * 2.0
    index = np.array([0, 1])
    for _ in range(2):
        y[index] = y[index] * x[index]
        index += 1
    return (y * y).sum()


attack(store_changed_index_in_loop, V)


def store_changed_index_list(x):
    y = x * 2.0
    index = [0]
    y[index] = x[1]
    index.append(2)
    y[index] *= x[index]
    return (y * y).sum()


attack(store_changed_index_list, V)


def store_overlapping(x):
    y = x * 2.0
    y[1:] = y[:-1]
    y[:-1] += y[1:]
    y[::-1] = y * x
    return (y * y * x).sum()


attack(store_overlapping, V)


def store_itself(x):
    y = x * 2.0
    y[:] = y
    y[0] = y[0] * y[0]
    y[y.argmax()] = x[0]
    return (y * y).sum()


attack(store_itself, V)


def store_swap(x):
    y = x * 2.0
    y[0], y[1] = y[1] * x[0], y[0]
    return y[0] * y[0] * y[1]


attack(store_swap, V)


def store_swap_of_rows(x):
    y = x * 2.0
    y[0], y[1] = y[1], y[0]
    return (y * x * x).sum()


attack(store_swap_of_rows, M)


def store_order_of_evaluation(x):
    y = x * 2.0
    i = 0
    i, y[i] = 1, x[2] * x[2]
    return (y * y).sum() * i


attack(store_order_of_evaluation, V)


def store_chained(x):
    y = x * 2.0
    z = y[0] = x[1] * x[2]
    return (y * y).sum() * z


attack(store_chained, V)


def store_in_branch(x):
    y = x * 2.0
    z = y
    if x[0] > 0:
        y = y.copy()
    y[0] = x[1]
    return (y * z).sum()


attack(store_in_branch, V)
attack(store_in_branch, -V)


def store_into_either(x):
    y, z = x * 2.0, x * 3.0
    w = y if x[0] > 0 else z
    w[0] = x[1]
    return (y * z).sum()


attack(store_into_either, V)
attack(store_into_either, -V)


def store_and_swap_in_loop(x):
    a, b = x * 1.0, np.zeros(3)
    for _ in range(3):
        b[1:-1] = a[:-2] * a[2:]
        b[0] = a[1]
        b[-1] = a[0] * x[0]
        a, b = b, a
    return (a * b).sum()


attack(store_and_swap_in_loop, V)


def store_with_exit(x):
    y = np.zeros(3)
    for i in range(3):
        if x[i] > 1.0:
            return (y * x).sum() + y[0]
        y[i] = x[i] * x[2]
    return y.sum()


attack(store_with_exit, V)


def store_prefix(x):
    y = np.zeros(4)
    for i in range(3):
        y[i + 1] = y[i] * 0.5 + x[i] * x[i]
    return (y * y).sum()


attack(store_prefix, V)


def store_with_while(x):
    y = x * 1.0
    i = 0
    while i < len(y) - 1:
        y[i + 1] = y[i] * y[i + 1]
        i += 1
    return y.prod()


attack(store_with_while, V)


def store_returned_partly(x):
    y = x * 2.0
    head = y[0]
    y[0] = 5.0
    return head * y.sum()


attack(store_returned_partly, V)


def store_of_row_keeps_old_scalar_but_not_view(x):
    y = x * 2.0
    row = y[0]
    y[0] = x[1] * x[2]
    return (row * x[0]).sum()


attack(store_of_row_keeps_old_scalar_but_not_view, M)


def store_into_broadcast(x):
    y = np.broadcast_to(x, (2, 3))
    y[0] = 1.0
    return y.sum()


attack(store_into_broadcast, V)


def store_into_diagonal(x):
    y = np.diag(x)
    y[0] = 1.0
    return y.sum()


attack(store_into_diagonal, M)


def store_into_number(x):
    y = x * 2.0
    y[0] = 1.0
    return y


attack(store_into_number, 0.7)


def store_into_zero_d(x):
    y = np.array(x)
    y[()] = y * x
    y[...] = y * x
    return y * x


attack(store_into_zero_d, 0.7)


def store_of_array_then_change(x):
    y = np.zeros((2, 3))
    z = x * 2.0
    y[0] = z
    z[0] = x[1]
    y[1] = z
    return (y * y).sum() * z[0]


attack(store_of_array_then_change, V)


def store_list_of_array_then_change(x):
    z = x * 2.0
    xs = [0.0, 0.0]
    xs[0] = z
    z[0] = x[1]
    return (xs[0] * x).sum()


attack(store_list_of_array_then_change, V)


def store_seen_by_held_slice(x):
    y = x * 2.0
    pair = (y[:2], y[1:])
    y[1] = x[0] * x[2]
    return (pair[0] * pair[1]).sum()


attack(store_seen_by_held_slice, V)


def store_recursively(x, n):
    return (x * x).sum() if n == 0 else store_recursively(_put_and_return(x * 1.0, x[n - 1] * x[0]), n - 1)


attack(store_recursively, V, 3)
