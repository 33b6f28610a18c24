"""Hard cases: second names, views, arguments and overlaps that are stored into."""
from __future__ import annotations

import numpy as np

from tests.programs.hard_cases import M23, M34, V3, V4, V5, case

# --- b = a; b[0] = 2*b[1]

ALIAS = "alias"


def alias_of_a_copy(x):
    a = x * 1.0
    b = a
    b[0] = 2 * b[1]
    return a * a


def alias_of_the_argument(x):
    b = x
    b[0] = 2 * b[1] * b[0]
    return x[0] * x


def alias_chain(x):
    a = x.copy()
    b = a
    c = b
    c[1] = a[0] * b[2]
    a[0] = c[1] ** 2
    return a + 10 * b + 100 * c


def alias_in_a_branch(x, flag):
    a = x * 2
    b = x * 3
    c = a if flag else b
    c[0] = c[1] * c[2]
    return a * b


def alias_then_rebound(x):
    a = x * x
    b = a
    a = a * 2
    b[0] = 5 * b[1] * x[0]
    return a * 3 + b


def alias_in_a_loop(x, n):
    a = x.copy()
    b = x * 2
    for i in range(n):
        c = b
        b = a
        a = c
        a[i % 3] += b[0] * b[1]
    return a - 2 * b


def alias_in_a_tuple(x):
    a = x * 1.0
    pair = (a, x * 2.0)
    pair[0][0] = pair[1][1] * pair[0][2]
    return a * a


def alias_in_a_list(x):
    rows = [x * 1.0, x * 2.0]
    first = rows[0]
    first[:2] *= rows[1][1:]
    return rows[0] * rows[1]


def alias_in_a_dict(x):
    d = {"a": x * 1.0}
    a = d["a"]
    a += d["a"] * a
    return d["a"]


def alias_or_copy(x, flag):
    a = x * 1.0
    g = a if flag else a.copy()
    for i in range(3):
        g[i] = g[i] * x[i] + a[0]
        a[1] *= 2.0
    return a * g


def alias_until_copied(x, n):
    a = x * 1.0
    g = a
    for i in range(n):
        g[0] += g[1] * a[2]
        if i == 1:
            g = g.copy()
        a[1] *= 1.1
    return a * g * g


def alias_of_the_best(x, n):
    a = x * 1.0
    b = x * 2.0
    best = a
    for i in range(n):
        if np.sum(a) > np.sum(best):
            best = a
        a[0] += 0.1
        best[1] *= 1.5
        a, b = b, a
    return a * best + b * b


def change_one(g, x, flag):
    t = g if flag else x
    t[0] = 5.0 * t[1]


def alias_in_a_callee(x, flag):
    p = x * 1.0
    q = x * 2.0
    change_one(p, q, flag)
    return p * q * q


def hold(h, a):
    h[0] = a


def alias_held_by_a_callee(x):
    a = x * 1.0
    h = [x * 2.0]
    hold(h, a)
    a *= x
    return h[0] * a


for function in (alias_of_a_copy, alias_of_the_argument, alias_chain, alias_then_rebound, alias_in_a_tuple,
                 alias_in_a_list, alias_in_a_dict):
    case(ALIAS, function, V3)
case(ALIAS, alias_of_the_argument, V3, outputs=("x",))
case(ALIAS, alias_of_the_argument, V3, outputs=("return", "x"))
case(ALIAS, alias_of_the_argument, V3.astype(np.float32))
case(ALIAS, alias_in_a_branch, V3, True)
case(ALIAS, alias_in_a_branch, V3, False)
case(ALIAS, alias_or_copy, V3, True)
case(ALIAS, alias_or_copy, V3, False)
case(ALIAS, alias_until_copied, V3, 3)
case(ALIAS, alias_of_the_best, V3, 3)
case(ALIAS, alias_in_a_callee, V3, True)
case(ALIAS, alias_in_a_callee, V3, False)
case(ALIAS, alias_held_by_a_callee, V3)
case(ALIAS, alias_in_a_loop, V3, 4)
case(ALIAS, alias_in_a_loop, V3, 0)

# --- v = y[0:2]; v *= 5; y.T[0, 1] = 0; r = y.reshape(-1); r[0] = ...

VIEWS = "views"


def slice_scaled(x):
    y = x * x
    v = y[0:2]
    v *= 5
    return y * x


def slice_of_a_slice(x):
    y = x * x
    v = y[1:][::-1]
    v[0] = y[0] * v[1]
    w = v[:2]
    w += y[:2]
    return y


def transpose_store(x):
    y = x * x
    y.T[0, 1] = 0
    t = y.T
    t[2] = t[0] * t[1]
    return y


def reshape_that_is_a_view(x):
    y = x * x
    r = y.reshape(-1)
    r[0] = 3 * r[5] * r[1]
    return y


def reshape_that_copies(x):
    y = x * x
    r = y.T.reshape(-1)
    r[0] = 3 * r[1]
    return y.sum() * r


def ravel_of_either(x, transposed):
    y = x * x
    z = y.T if transposed else y
    r = np.ravel(z)
    r[1] *= r[0]
    r[0] = 0.0
    return y + 0.5 * np.sum(r)


def negative_steps(x):
    y = x * 1.0
    v = y[::-2]
    v *= y[0]
    y[::-1][1:3] += v[0]
    return y * y


def newaxis_and_broadcast(x):
    y = x * x
    column = y[:, None]
    column *= 2.0
    column += column[0, 0] * x[:, None]
    return y


def view_outlives_rebinding(x):
    y = x * 1.0
    v = y[1:]
    y = y * 3
    v *= x[0]
    y[0] = v[0]
    return np.sum(y * y) + np.sum(v)


def view_made_in_a_loop(x):
    y = x * x
    for i in range(3):
        v = y[i:i + 2]
        v[0] = v[1] * v[0]
        v *= 1.5
    return y


def view_bound_before_a_loop(x):
    y = x * x
    interior = y[1:-1]
    for i in range(3):
        interior += 0.1 * y[:-2] * y[2:]
    return y


def diagonal_through_a_flat_view(x):
    y = x @ x.T
    d = y.reshape(-1)[::3]
    d += 1.0
    d *= d
    return y


def swapped_axes(x):
    y = x * 1.0
    np.swapaxes(y, 0, 1)[0] = y[:, 1] * 2
    np.moveaxis(y, 0, 1)[2] *= y[0, 0]
    return y * y


def conditional_view(x, k):
    y = x * x
    v = y[0] if k > 0 else y[1]
    v[1] = v[0] * v[2]
    return y


def augmented_attribute_view(x):
    y = x * 1.0
    y.T[1:] *= y[0, 0]
    y.reshape(3, 2)[0] += y[1, 1]
    return y * y


def empty_view(x):
    y = x * x
    v = y[5:]
    v *= 5
    v[:] = 3.0
    return y


def contiguous_argument(x):
    """`asarray` and `ascontiguousarray` of an array that is what they want."""
    y = x * 1.0
    a = np.asarray(y)
    a[0] = y[1] * y[2]
    return y


def rolled_axes(x):
    y = np.outer(x, x)
    np.atleast_3d(y)[0, 1, 0] *= 2.0
    np.real(y)[1] *= y[0]
    np.rollaxis(y, 1)[0] *= 2.0
    return y * y


def atleast_views(x):
    y = x * 1.0
    a = np.atleast_2d(y)
    a[0, 1] = a[0, 0] * 3
    np.squeeze(a)[2] *= y[1]
    return y * y


for function in (slice_scaled, slice_of_a_slice, newaxis_and_broadcast, view_outlives_rebinding, view_bound_before_a_loop,
                 view_made_in_a_loop, negative_steps):
    case(VIEWS, function, V4)
for function in (transpose_store, reshape_that_is_a_view, reshape_that_copies, diagonal_through_a_flat_view, swapped_axes,
                 augmented_attribute_view):
    case(VIEWS, function, M23)
case(VIEWS, transpose_store, np.asfortranarray(M23))
case(VIEWS, reshape_that_is_a_view, np.asfortranarray(M23))
case(VIEWS, reshape_that_copies, np.asfortranarray(M23))
case(VIEWS, ravel_of_either, M23, True)
case(VIEWS, ravel_of_either, M23, False)
case(VIEWS, conditional_view, M23, 1)
case(VIEWS, conditional_view, M23, -1)
case(VIEWS, empty_view, V3)
case(VIEWS, empty_view, np.zeros(0))
case(VIEWS, slice_scaled, np.array([0.7]))
case(VIEWS, slice_scaled, np.zeros(0))
case(VIEWS, slice_scaled, V4.astype(np.float32))
case(VIEWS, contiguous_argument, V3)
case(VIEWS, atleast_views, V3)
case(VIEWS, rolled_axes, V3)

# --- x += 1 where x is an argument

ARGUMENTS = "augmented arguments"


def argument_plus_one(x):
    x += 1
    return x * x


def argument_held_twice(x):
    held = x
    x += 1
    x *= held
    return held * x


def argument_in_a_helper(x, w):
    def shift(y, by):
        y -= by
        y[0] *= by

    shift(x, 2.0)
    shift(x, w)
    return x * w


def argument_before_and_after(x):
    before = x * x
    x *= 3.0
    return before * x


def argument_matrix(x):
    x -= x.mean(axis=0)
    x /= x[0, 0]
    return x


def argument_view_is_input(x, w):
    x[::2] += w
    w *= x[0]
    return np.sum(x) * w


def argument_of_either_kind(x):
    x += 1
    x *= x
    return np.sum(x * 2)


for function in (argument_plus_one, argument_held_twice, argument_before_and_after):
    case(ARGUMENTS, function, V3)
    case(ARGUMENTS, function, V3, outputs=("x",))
case(ARGUMENTS, argument_plus_one, V3.astype(np.float32))
case(ARGUMENTS, argument_plus_one, np.zeros(0))
case(ARGUMENTS, argument_plus_one, np.array([1.5]))
case(ARGUMENTS, argument_plus_one, 1.5)
case(ARGUMENTS, argument_plus_one, 2)
case(ARGUMENTS, argument_plus_one, np.array(1.5))
case(ARGUMENTS, argument_in_a_helper, V3, 1.3, inputs=("x", "w"))
case(ARGUMENTS, argument_in_a_helper, V3, 1.3, inputs=("x", "w"), outputs=("x",))
case(ARGUMENTS, argument_matrix, M23)
case(ARGUMENTS, argument_matrix, M23[:, ::-1])
case(ARGUMENTS, argument_matrix, M34.T)
case(ARGUMENTS, argument_view_is_input, V4, np.array([0.3, -0.6]), inputs=("x", "w"))
case(ARGUMENTS, argument_of_either_kind, 0.7)
case(ARGUMENTS, argument_of_either_kind, V3)

# --- s = x; s *= 2 with Python floats

FLOATS = "rebinding of floats"


def double_of_a_float(x):
    s = x
    s *= 2
    return s * x


def double_of_either(x):
    """Floats are rebound, arrays are shared: the same text means two things."""
    s = x
    s *= 2
    s += x
    return np.sum(s * x)


def element_is_a_number(x):
    s = x[0]
    s *= 2
    s += x[1]
    return s * x[0]


def accumulator(x):
    s = 0
    for v in x:
        t = s
        s += v * v
        s *= v + t
    return s


def reduced_to_a_number(x):
    s = np.sum(x)
    t = s
    s *= 2
    return t * s


case(FLOATS, double_of_a_float, 0.7)
case(FLOATS, double_of_a_float, 2)
case(FLOATS, double_of_a_float, np.float64(0.7))
case(FLOATS, double_of_a_float, V3)
case(FLOATS, double_of_either, 0.7)
case(FLOATS, double_of_either, V3)
case(FLOATS, double_of_either, np.array(0.7))
case(FLOATS, element_is_a_number, V3)
case(FLOATS, accumulator, V3)
case(FLOATS, accumulator, np.zeros(0))
case(FLOATS, reduced_to_a_number, V3)

# --- y[1:] = y[:-1]; A[i, 1:-1] += A[i, 2:]

OVERLAP = "overlap"


def shifted_right(x):
    y = x * x
    y[1:] = y[:-1]
    return y * x


def shifted_left_scaled(x):
    y = x * x
    y[:-1] = 2 * y[1:]
    y[1:] *= y[:-1]
    return y


def row_recurrence(x):
    A = x * 1.0
    for i in range(A.shape[0]):
        A[i, 1:-1] += A[i, 2:]
        A[i, 1:] *= A[i, :-1]
    return A


def reversed_onto_itself(x):
    y = x * x
    y[:] = y[::-1]
    y += y[::-1]
    y[::-1] -= 0.5 * y
    return y * y


def transposed_onto_itself(x):
    y = x @ x.T
    y[:] = y.T * y
    y += y.T
    return y


def overlap_through_names(x):
    y = x * x
    a, b = y[1:], y[:-1]
    a[:] = b
    b += a
    return y * y


def overlap_of_strides(x):
    y = x * x
    y[::2] = 0.5 * y[:y[::2].size]
    y[1::2] += y[:y[1::2].size]
    return y * x


def itself(x):
    y = x * x
    y[:] = y
    y += y
    y *= y
    y[1:] -= y[1:]
    return y


def rows_exchanged(x):
    y = x * x
    y[[0, 1]] = y[[1, 0]]
    y[0], y[1] = y[1].copy(), y[0].copy()
    y[:, [0, 2]] = y[:, [2, 1]]
    return y * x


def rows_exchanged_as_views(x):
    """Not an exchange: the second store reads what the first has written."""
    y = x * x
    y[0], y[1] = y[1], y[0]
    return y * x


for function in (shifted_right, shifted_left_scaled, reversed_onto_itself, overlap_through_names, overlap_of_strides, itself):
    case(OVERLAP, function, V5)
    case(OVERLAP, function, np.array([0.7]))
case(OVERLAP, shifted_right, np.zeros(0))
case(OVERLAP, shifted_right, V5.astype(np.float32))
case(OVERLAP, row_recurrence, M34)
case(OVERLAP, row_recurrence, M34[:, :2])
for function in (transposed_onto_itself, rows_exchanged, rows_exchanged_as_views):
    case(OVERLAP, function, M23)

# --- y[[0, 0]] = v; y[[0, 0]] += v

REPEATED_STORES = "stores with repeated indices"


def last_write_wins(x, v):
    y = x * x
    y[[0, 0]] = v
    return y * y


def augmented_once(x, v):
    y = x * x
    y[[0, 0]] += v
    return y * y


def augmented_once_by_product(x, v):
    y = x * x
    y[[1, 0, 1]] *= v
    return y * y


def pairs_of_indices(x, v):
    y = x * x
    y[[0, 0, 1], [1, 1, 2]] = v
    y[[0, 1, 1], [0, 2, 2]] += v * v
    return y


def array_of_indices(x, v, idx):
    y = x * x
    y[idx] = v
    y[idx] -= v * x[idx]
    return y


def broadcast_row(x, v):
    y = x * x
    y[[0, 0]] = v
    y[[1, 1, 1]] += v[1]
    return y


def slice_and_list(x, v):
    y = x * x
    y[:, [0, 0]] = v
    y[1:, [1, 1]] += v[:1]
    return y


case(REPEATED_STORES, last_write_wins, V3, np.array([0.4, -0.6]), inputs=("x", "v"))
case(REPEATED_STORES, last_write_wins, V3, 0.4, inputs=("x", "v"))
case(REPEATED_STORES, augmented_once, V3, np.array([0.4, -0.6]), inputs=("x", "v"))
case(REPEATED_STORES, augmented_once, V3, 0.4, inputs=("x", "v"))
case(REPEATED_STORES, augmented_once_by_product, V3, np.array([0.4, -0.6, 1.2]), inputs=("x", "v"))
case(REPEATED_STORES, pairs_of_indices, M23, V3, inputs=("x", "v"))
case(REPEATED_STORES, array_of_indices, V4, V5, np.array([1, 3, 1, 0, -1]), inputs=("x", "v"))
case(REPEATED_STORES, array_of_indices, V4, V3[:0], np.zeros(0, int), inputs=("x", "v"))
case(REPEATED_STORES, array_of_indices, V4, M23, np.array([[0, 1, 0], [2, 0, -4]]), inputs=("x", "v"))
case(REPEATED_STORES, broadcast_row, M23, V3, inputs=("x", "v"))
case(REPEATED_STORES, slice_and_list, M23, np.array([[0.4, -0.6], [0.3, 1.2]]), inputs=("x", "v"))
