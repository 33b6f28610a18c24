"""Every row of the table of hard cases in the design, in several forms, at order 1 and 2.

A row is a list of programs that `check_kernel` compares with central differences of the plain function; it also
calls twice and compares the caller's data before and after. What has no finite difference (kinks, rounding, errors,
redefinition) has a test of its own below.
"""
from __future__ import annotations

import builtins
import copy
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InternalError, SourcegradError
from tests.programs.kernels.checks import check_kernel
from tests.programs.kernels.kernel import Kernel

ROWS: dict[str, list[Kernel]] = {}

V3 = np.array([0.3, -0.8, 1.1])
V4 = np.array([0.7, -0.4, 1.3, 0.9])
V5 = np.array([0.7, -0.4, 1.3, 0.9, -1.2])
M23 = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7]])
M34 = np.array([[0.2, -0.5, 0.9, 1.1], [1.3, 0.4, -0.7, 0.6], [-0.3, 0.8, 0.5, -1.4]])
POSITIVE = np.array([[0.5, 1.5, 0.7], [1.1, 0.4, 2.0]])


def case(row: str, function: Callable, *args: Any, inputs: tuple = ("x",), outputs: tuple = ("return",),
         order: int = 2, may_refuse: bool = False) -> None:
    kernel = Kernel(function, args, inputs, order, may_refuse=may_refuse, outputs=outputs)
    ROWS.setdefault(row, []).append(kernel)


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

# --- x[[0, 0, 1]], x[cols] with repeats

REPEATED_READS = "reads with repeated indices"


def repeated_read(x):
    return x[[0, 0, 1]] * x[[2, 0, 0]]


def columns_read(x, cols):
    return np.sum(x[:, cols] ** 2, axis=0) * x[0, cols]


def read_then_stored(x, cols):
    y = x * x
    z = y[cols]
    y[cols] = z * z
    z *= 3
    return np.sum(y) * z


def negative_and_positive(x):
    return x[[-1, 2, -3, 0]] * x[[1, 1, 1, 1]]


def take_with_repeats(x, cols):
    return np.take(x, cols) ** 2 * x.take(cols)


case(REPEATED_READS, repeated_read, V3)
case(REPEATED_READS, repeated_read, V3.astype(np.float32))
case(REPEATED_READS, columns_read, M23, np.array([0, 2, 0, 0]))
case(REPEATED_READS, columns_read, M23, [1, 1])
case(REPEATED_READS, columns_read, M23, np.zeros(0, int))
case(REPEATED_READS, read_then_stored, V3, np.array([0, 2, 0]))
case(REPEATED_READS, negative_and_positive, V3)
case(REPEATED_READS, take_with_repeats, V3, np.array([0, 2, 0, -1]))

# --- y[y > 1.5] = 0; m = y > 0; y[m] = np.log(y[m])

MASKS = "masks"


def mask_zero(x):
    y = x * x
    y[y > 1.5] = 0
    return y * x


def mask_log(x):
    y = x * x * x
    m = y > 0
    y[m] = np.log(y[m])
    return y * y


def mask_that_changes(x, n):
    y = x * 1.5
    for _ in range(n):
        m = y > 0.5
        y[m] = np.sin(y[m]) * 0.6
        y[~m] += 0.4
    return y


def mask_overwritten(x):
    """The mask is an array too, and is changed after it was used."""
    y = x * x
    m = y > 0.5
    y[m] *= y[m]
    m[:] = False
    m[0] = True
    y[m] = 3 * x[1]
    return y


def mask_of_rows(x):
    y = x * x
    rows = y.sum(axis=1) > 1.2
    y[rows] = y[rows] * x[0]
    y[rows, 0] = 0.5
    return y


def mask_from_argument(x, m):
    y = x * x
    y[m] = x[m] * y[~m].sum()
    return y


def mask_augmented(x):
    x[x < 0] *= 0.1
    x[x > 1] -= 0.5 * x[x > 1]
    return x * x


def mask_with_vector(x, v):
    y = x * x
    y[y > 0.5] = v
    return y


def nonzero_indices(x):
    y = x * x
    [where] = np.nonzero(y > 0.5)
    y[where] += y[where[::-1]]
    i, = np.where(y < 0.2)
    y[i] = x[i]
    return y


for function in (mask_zero, mask_log, mask_overwritten, mask_augmented, nonzero_indices):
    case(MASKS, function, V5)
case(MASKS, mask_zero, np.zeros(0))
case(MASKS, mask_zero, M34)
case(MASKS, mask_augmented, V5, outputs=("x",))
case(MASKS, mask_augmented, V5.astype(np.float32))
case(MASKS, mask_that_changes, V5, 3)
case(MASKS, mask_that_changes, V5, 0)
case(MASKS, mask_of_rows, M34)
case(MASKS, mask_from_argument, V3, np.array([True, False, True]))
case(MASKS, mask_from_argument, V3, np.array([False, False, False]))
case(MASKS, mask_from_argument, V3, np.array([True, True, True]))
case(MASKS, mask_with_vector, V4, np.array([0.3, -0.4]), inputs=("x", "v"))
case(MASKS, mask_with_vector, V4, 0.3, inputs=("x", "v"))

# --- writes by functions: out=, where=, at, copyto, fill, sort ...

WRITERS = "functions that write"


def out_argument(x):
    y = np.empty_like(x)
    np.multiply(x, x, out=y)
    np.sin(y, out=y)
    np.add(y, x, y)
    return y


def out_slice(x):
    y = x * 1.0
    np.multiply(x[1:], x[:-1], out=y[1:])
    np.exp(y[0:2], out=y[0:2])
    return y


def out_of_reductions(x):
    y = np.zeros(x.shape[1])
    np.sum(x * x, axis=0, out=y)
    z = np.zeros((2, 2))
    np.dot(x, x.T, out=z)
    np.matmul(z, z, out=z)
    return y.sum() * z


def out_and_where(x):
    y = x * x
    m = x > 0
    np.log(x, out=y, where=m)
    np.divide(x, y, out=y, where=~m)
    return y


def out_returned(x):
    y = np.zeros_like(x)
    z = np.multiply(x, 3, out=y)
    z[0] = y[1] * x[0]
    return y * z


def scattered(x, idx):
    y = np.zeros(4)
    np.add.at(y, idx, x * x)
    np.subtract.at(y, [0, 0], x[:2])
    np.multiply.at(y, idx, x)
    return y


def scattered_scalar(x, idx):
    y = x * x
    np.add.at(y, idx, x[0])
    np.add.at(y, (idx,), 1.0)
    return y


def copied_to(x):
    y = np.ones((2, 3))
    np.copyto(y, x)
    np.copyto(y, x * 2, where=x > 0.5)
    np.copyto(y[0], x[0] * x)
    return y


def filled(x):
    y = np.outer(x, x)
    y.fill(x[0])
    y[1].fill(0.0)
    y[:, 2] += x
    return y * x


def sorted_in_place(x):
    y = x * x - x
    y.sort()
    return y * np.arange(1.0, 1 + len(x))


def sorted_argument(x):
    x[1:].sort()
    x *= x
    return x * np.arange(1.0, 1 + len(x))


def sorted_along_axis(x):
    y = x * x
    y.sort(axis=0)
    y.T.sort()
    return y * x


def diagonal_filled(x):
    y = np.outer(x, x)
    np.fill_diagonal(y, x[0])
    z = np.outer(x, x)
    np.fill_diagonal(z, 0.0)
    return y @ z


def put_along(x):
    y = x * x
    idx = np.argsort(x, axis=1)[:, :2]
    np.put_along_axis(y, idx, x[:, :2], axis=1)
    return y


def put_flat(x):
    y = np.outer(x, x)
    np.put(y, [0, 5], x[:2])
    y.flat[4] = x[1]
    return y


def partly_assigned(x):
    y = x * x
    np.place(y, y > 0.5, x[:1])
    np.putmask(y, y < 0.2, x)
    return y


def clipped_in_place(x):
    y = x * 2
    np.clip(y, -1.0, 1.5, out=y)
    y.clip(-0.5, 2.0, out=y)
    np.maximum(y, 0.1 * x, out=y)
    return y * x


def cumulated_in_place(x):
    y = x * x
    np.cumsum(y, out=y)
    return y * x


def reversed_in_place(x):
    """Shuffles with known permutations, by assignment to all."""
    y = x * x
    y[...] = y[::-1]
    y[:] = np.sort(y)
    return y * x


def augmented_matmul(x):
    y = x @ x.T
    y @= y
    y **= 2
    y /= 3
    return y


def setitem_method(x):
    y = x * x
    y.__setitem__(0, x[1])
    y.__imul__(x)
    return y


for function in (out_argument, out_slice, out_and_where, out_returned, filled, sorted_in_place, sorted_argument,
                 diagonal_filled, put_flat, partly_assigned, clipped_in_place, cumulated_in_place, reversed_in_place):
    case(WRITERS, function, V3)
for function in (out_of_reductions, sorted_along_axis, put_along, augmented_matmul):
    case(WRITERS, function, M23)
case(WRITERS, out_argument, V3.astype(np.float32))
case(WRITERS, out_argument, np.zeros(0))
case(WRITERS, sorted_in_place, np.array([0.7]))
case(WRITERS, sorted_argument, V5, outputs=("x",))
case(WRITERS, scattered, V3, np.array([1, 3, 1]))
case(WRITERS, scattered_scalar, V3, np.array([1, 2, 1]))
case(WRITERS, copied_to, V3)
case(WRITERS, setitem_method, V3, may_refuse=True)

# --- A, B = B, A inside a time loop

SWAPS = "swaps"


def swapped_buffers(x, n):
    A = x * 1.0
    B = np.zeros_like(A)
    for _ in range(n):
        B[1:] = A[:-1] * A[1:]
        B[0] = A[0]
        A, B = B, A
    return A + 2 * B


def swapped_arguments(x, y, n):
    for _ in range(n):
        y[:] = np.sin(x) + 0.5 * y
        x, y = y, x
    return x


def three_buffers(x, n):
    a, b, c = x * 1.0, x * 2.0, np.empty_like(x)
    for i in range(n):
        np.multiply(a, b, out=c)
        c += 0.1
        a, b, c = b, c, a
    return a + 3 * b


def swapped_conditionally(x, n):
    a, b = x * 1.0, x * x
    for i in range(n):
        if i % 3 != 1:
            a, b = b, a
        a[i % a.size] += b[0] * b[-1]
    return a - b


def swapped_views(x, n):
    y = x * x
    a, b = y[:2], y[2:]
    for _ in range(n):
        a *= b
        a, b = b, a
    return y


def swapped_elements(x):
    y = x * x
    for i in range(y.size // 2):
        y[i], y[-1 - i] = y[-1 - i], y[i]
    y[0], y[1] = y[1] * y[0], y[0] + y[2]
    return y * x


def swapped_with_temporary(x, n):
    a, b = x * 1.0, x * 2.0
    for _ in range(n):
        b -= a * a
        tmp = a
        a = b
        b = tmp
    return a


def swapped_in_a_list(x, n):
    buffers = [x * 1.0, np.zeros_like(x)]
    for i in range(n):
        buffers[1 - i % 2][:] = np.sin(buffers[i % 2]) * x
    return buffers[0] + 2 * buffers[1]


def swapped_on_exit(x, tol):
    a, b = x * 1.0, np.zeros_like(x)
    while True:
        b[:] = 0.5 * np.cos(a)
        if np.max(np.abs(b - a)) < tol:
            break
        a, b = b, a
    return a * b


for n in (0, 1, 3):
    case(SWAPS, swapped_buffers, V4, n)
    case(SWAPS, swapped_views, V4, n)
    case(SWAPS, swapped_arguments, V3, V3[::-1] * 0.5, n, inputs=("x", "y"))
case(SWAPS, swapped_arguments, V3, V3[::-1] * 0.5, 3, inputs=("x", "y"), outputs=("x", "y"))
case(SWAPS, three_buffers, V3, 4)
case(SWAPS, swapped_conditionally, V3, 5)
case(SWAPS, swapped_elements, V5)
case(SWAPS, swapped_with_temporary, V3, 3)
case(SWAPS, swapped_in_a_list, V3, 3)
case(SWAPS, swapped_on_exit, V3, 0.1)
case(SWAPS, swapped_buffers, V4.astype(np.float32), 2)
case(SWAPS, swapped_buffers, np.array([0.7]), 2)

# --- rows: for row in A: row /= row.sum()

ITERATION = "iteration yields views"


def rows_normalised(x):
    A = x * x
    for row in A:
        row /= row.sum()
    return A * x


def rows_of_argument(x):
    for row in x:
        row -= row[0]
        row[1:] *= row[:-1] + 1
    return x


def rows_enumerated(x):
    A = x * x
    for i, row in enumerate(A):
        row *= i + 1
        row[i] = row[0] * row[-1]
    return A


def rows_zipped(x):
    A = x * x
    B = x + 1
    for a, b in zip(A, B):
        a += b * b
        b *= a[0]
    return A * B


def rows_of_rows(x):
    A = np.stack([x, x * 2])
    for plane in A:
        for row in plane:
            row *= row.sum()
    return A


def rows_reversed(x):
    A = x * x
    for row in A[::-1]:
        row += A[0]
    for row in reversed(A):
        row *= 0.5 * row
    return A


def columns(x):
    A = x * x
    for column in A.T:
        column /= column[0]
    return A * x


def rows_unpacked(x):
    A = x * x
    first, second = A
    first *= second
    second[1:] = first[:-1]
    return A


def rows_in_a_list(x):
    A = x * x
    rows = list(A)
    rows[0] *= rows[1]
    for row in [r for r in A]:
        row += 1.0
    return A * x


def elements_are_numbers(x):
    y = x * x
    for v in y:
        v *= 2
    return y


def last_row_afterwards(x):
    A = x * x
    for row in A:
        row *= 2
    row[0] = row[1] * row[2]
    return A


for function in (rows_normalised, rows_of_argument, rows_enumerated, rows_zipped, rows_of_rows, rows_reversed, columns,
                 rows_unpacked, last_row_afterwards):
    case(ITERATION, function, POSITIVE)
case(ITERATION, rows_in_a_list, POSITIVE, may_refuse=True)      # views at many positions of a list
case(ITERATION, rows_of_argument, POSITIVE, outputs=("x",))
case(ITERATION, rows_normalised, POSITIVE[:0])
case(ITERATION, rows_normalised, POSITIVE[:, :1])
case(ITERATION, rows_normalised, POSITIVE.astype(np.float32))
case(ITERATION, elements_are_numbers, V3)

# --- for i in range(n): h.append(f(h[-1])); np.stack(h)

LISTS = "lists"


def appended_states(x, n):
    h = [x]
    for i in range(n):
        h.append(np.tanh(h[-1] * 1.1 + i))
    return np.stack(h)


def appended_then_changed(x, n):
    h = [x * 1.0]
    for i in range(n):
        h.append(h[-1] * 1.0)
        h[-1][0] = h[-2][1] * h[-1][2]
    return np.array(h)


def appended_alias(x, n):
    """The list holds one array several times."""
    y = x * 1.0
    h = []
    for i in range(n):
        y *= y + 0.5
        h.append(y)
    return np.stack(h)


def appended_copies(x, n):
    y = x * 1.0
    h = [y.copy()]
    for i in range(n):
        y *= y + 0.5
        h.append(y.copy())
    return np.concatenate(h)


def popped(x):
    stack = [x, x * 2]
    while len(stack) < 4:
        top = stack.pop()
        stack.append(top * top)
        stack.append(np.sin(top))
    return stack[0] + stack.pop() * stack[-1]


def replaced_in_a_list(x):
    h = [x * i for i in range(1, 4)]
    h[1] = h[0] * h[2]
    h[0] += h[1]
    h[-1][0] = 7.0
    return np.vstack(h)


def list_of_floats(x, n):
    h = [x]
    for i in range(n):
        h.append(math.sin(h[-1]) + h[i] * h[0])
    return np.array(h)


for n in (0, 3):
    case(LISTS, appended_states, V3, n)
    case(LISTS, appended_then_changed, V3, n)
    case(LISTS, appended_copies, V3, n)
    case(LISTS, list_of_floats, 0.7, n)
case(LISTS, appended_alias, V3, 3, may_refuse=True)             # one array at many positions of a list
case(LISTS, popped, V3)
case(LISTS, replaced_in_a_list, V3)

# --- while on data; zero iterations

WHILES = "while loops"


def while_on_content(x):
    y = x * 1.0
    while y[0] < 4.0:
        y[0] += y[1] * y[1] + 1.0
        y[1] *= 1.1
    return y


def while_in_place(x, limit):
    n = 0
    while np.sum(x * x) > limit:
        x *= 0.8
        x[n % x.size] -= 0.05
        n += 1
    return x * n + x


def while_on_elements(x):
    y = x * x
    i = 0
    while i < y.size - 1 and y[i] < 1.0:
        y[i + 1] += y[i]
        i += 1
    return y * i


def while_nested(x):
    y = x * 1.0
    for i in range(y.size):
        while y[i] < 1.0:
            y[i] = y[i] * y[i] + 0.6
    return y


case(WHILES, while_on_content, np.array([0.3, 1.1]))
case(WHILES, while_on_content, np.array([7.3, 1.1]))
case(WHILES, while_in_place, V3, 0.5)
case(WHILES, while_in_place, V3, 50.0)
case(WHILES, while_in_place, V3, 0.5, outputs=("x",))
case(WHILES, while_on_elements, V4)
case(WHILES, while_on_elements, np.array([0.3]))
case(WHILES, while_nested, V3)

# --- return inside nested loops; for ... else; continue

EXITS = "exits"


def return_from_loops(x, limit):
    y = x * x
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] += y[i - 1, j - 1]
            if y[i, j] > limit:
                return y * x
    y *= 2
    return y


def search_with_else(x, limit):
    y = x * 1.0
    for i in range(y.size):
        if y[i] > limit:
            y[i] *= y[0]
            break
        y[i] += 1.0
    else:
        y[:] = y * y
    return y


def continued(x):
    y = x * x
    for i in range(y.size):
        if i % 2:
            continue
        y[i] = y[i - 1] * y[i]
        if y[i] < 0.4:
            y[i] += x[i]
            continue
        y[i] *= 3
    return y


def procedure_with_return(x, limit):
    x *= 2
    if x[0] > limit:
        return
    for i in range(x.size - 1):
        x[i + 1] *= x[i]
        if x[i + 1] > limit:
            return
    x += 1


def try_finally(x):
    y = x * x
    try:
        y[0] = y[1] * y[2]
    finally:
        y *= 2
    return y


for limit in (0.5, 1.5, 50.0):
    case(EXITS, return_from_loops, M23, limit)
    case(EXITS, search_with_else, V4, limit)
    case(EXITS, procedure_with_return, V4, limit, outputs=("x",))
case(EXITS, continued, V5)
case(EXITS, search_with_else, np.zeros(0), 0.5)
case(EXITS, try_finally, V3)

# --- buf = np.empty(n); partial writes

EMPTY = "uninitialised buffers"


def partly_written(x):
    buf = np.empty(6)
    buf[1:4] = x * x
    buf[2] *= buf[1]
    return buf[1:4]


def written_by_elements(x):
    buf = np.empty((2, x.size))
    for i in range(x.size):
        buf[0, i] = x[i] * x[i - 1]
    for i in range(x.size):
        buf[1, i] = buf[0, i] * buf[0, -1]
    return buf


def written_then_used_again(x):
    buf = np.empty_like(x)
    total = 0.0
    for k in range(3):
        buf[:] = x ** (k + 1)
        buf[k] *= total + 1.0
        total += np.sum(np.sin(buf))
    return total


def empty_where(x):
    buf = np.empty_like(x)
    m = x > 0
    buf[m] = np.log(x[m])
    buf[~m] = x[~m] ** 2
    return buf


def half_used(x, n):
    buf = np.empty(n)
    k = 0
    for v in x:
        if v > 0:
            buf[k] = v * v
            k += 1
    return np.sum(buf[:k] * buf[:k][::-1])


for function in (partly_written, written_by_elements, written_then_used_again, empty_where):
    case(EMPTY, function, V3)
case(EMPTY, half_used, V5, 5)
case(EMPTY, half_used, -np.abs(V5), 5)
case(EMPTY, written_by_elements, np.zeros(0))

# --- recursion, mutual recursion, nonlocal

RECURSION = "recursion and nonlocal"


def prefix_products(y):
    if len(y) > 1:
        y[1] *= y[0]
        prefix_products(y[1:])


def recursion_on_views(x):
    prefix_products(x)
    return x * x


def even_step(y, i):
    if i < len(y):
        y[i] = y[i] * y[i - 1]
        odd_step(y, i + 1)


def odd_step(y, i):
    if i < len(y):
        y[i] += y[i - 1] ** 2
        even_step(y, i + 1)


def mutual_recursion(x):
    y = x * 1.0
    even_step(y, 0)
    return y


def halves(y, depth):
    if depth == 0 or len(y) < 2:
        y *= y
        return y.sum()
    middle = len(y) // 2
    left = halves(y[:middle], depth - 1)
    right = halves(y[middle:], depth - 1)
    y += left * right
    return left + right


def recursive_halves(x):
    total = halves(x, 2)
    return total * x


def nonlocal_array(x):
    state = x * 1.0
    calls = 0

    def step(w):
        nonlocal state, calls
        state = state * w
        state[0] += calls
        calls += 1

    for i in range(3):
        step(x[i])
    return state * calls


def nonlocal_swap(x):
    a, b = x * 1.0, x * 2.0

    def advance():
        nonlocal a, b
        b[:] = a * b
        a, b = b, a

    advance()
    advance()
    advance()
    return a - b


def closure_of_a_view(x):
    y = x * x
    v = y[1:]

    def double():
        v[:] = v * y[:-1]

    double()
    y[1] += 1
    double()
    return y


case(RECURSION, recursion_on_views, V4)
case(RECURSION, recursion_on_views, V4, outputs=("x",))
case(RECURSION, recursion_on_views, np.array([0.7]))
case(RECURSION, mutual_recursion, V4)
case(RECURSION, recursive_halves, V5)
for function in (nonlocal_array, nonlocal_swap, closure_of_a_view):
    case(RECURSION, function, V3)

# --- np.where(x > 0, np.sqrt(x), 0); inv_r[inv_r > 0] = 1/inv_r[inv_r > 0]

SINGULAR = "singular branches"


def root_where(x):
    return np.where(x > 0, np.sqrt(x), 0) * 2


def inverse_where_positive(x):
    inv_r = np.sqrt(np.maximum(x, 0) ** 2)
    inv_r[inv_r > 0] = 1 / inv_r[inv_r > 0]
    return inv_r


def distances(x):
    d = x[:, None] - x
    r = np.abs(d)
    inv_r = np.sqrt(r ** 2)
    inv_r[inv_r > 0] = 1 / inv_r[inv_r > 0]
    return np.sum(inv_r)


def where_of_a_log(x):
    y = np.where(x > 0, np.log(x) * x, x ** 2)
    y[x < 0] += 1
    return y


def quotient_masked(x, w):
    y = x / w
    y[w == 0] = 0.0
    return y * 2


def overwritten_singular(x):
    y = np.log(x)
    y[~(x > 0)] = 0.0
    y[x > 1] = np.sqrt(y[x > 1])
    return y


def logarithm(x):
    return np.log(x) * 2


def cleared(y, x):
    y[x <= 0] = 0
    return y


def singular_in_callees(x):
    y = logarithm(x) + cleared(1 / np.maximum(x, 0), x)
    y[~(x > 0)] = 0.0
    return y


def singular_diagonal(x):
    d = x[:, None] - x
    r = np.abs(d) ** -1.5
    for i in range(len(x)):
        r[i, i] = 0.0
    return np.sum(r * x)


def both_sigmoids(x):
    y = 900 * x
    return np.where(y >= 0, 1 / (1 + np.exp(-y)), np.exp(y) / (1 + np.exp(y))) * x


def deviations_selected(x):
    return np.where(np.array([True, False, True]), np.std(x, axis=1), 0.0)


for function in (root_where, inverse_where_positive, where_of_a_log, overwritten_singular):
    case(SINGULAR, function, V5)
case(SINGULAR, distances, V3)
case(SINGULAR, singular_in_callees, V5)
case(SINGULAR, singular_diagonal, V3)
case(SINGULAR, both_sigmoids, V3)
case(SINGULAR, deviations_selected, M34[:, :3])
case(SINGULAR, quotient_masked, V3, np.array([0.5, 0.0, -2.0]))


PARAMETERS = [pytest.param(kernel, id=f"{row}-{kernel.name}-{number}") for row, kernels in ROWS.items()
              for number, kernel in enumerate(kernels)]


def right_or_refused(kernel: Kernel, order: int) -> None:
    try:
        check_kernel(kernel, order)
        assert not kernel.may_refuse, "no longer refused: take `may_refuse` out"
    except SourcegradError as error:
        if not kernel.may_refuse or isinstance(error, InternalError) or error.origin is None:
            raise


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kernel", PARAMETERS)
def test_gradient(kernel: Kernel) -> None:
    right_or_refused(kernel, 1)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kernel", PARAMETERS)
def test_second_derivative(kernel: Kernel) -> None:
    right_or_refused(kernel, 2)


# --- two arguments that are one array: the sum of both roles, or an error; never half

def shared_store(x, y):
    x[0] = 2 * y[1] * y[0]
    return np.sum(x * x) + 3 * np.sum(y * y * y)


def shared_helper(x, y):
    def move(target, source):
        target[1:] += source[:-1] * source[1:]

    move(x, y)
    move(y, x)
    return np.sum(np.sin(x)) + np.sum(y)


def shared_augmented(x, y):
    x += y
    x *= y
    return np.sum(x * y)


def shared_swap(x, y):
    for _ in range(3):
        y[1:] = x[:-1] * y[1:]
        x, y = y, x
    return np.sum(x * x)


def overlapping_parts(function: Callable) -> Callable:
    return lambda base: function(base[:-1], base[1:])


def total_derivative(function: Callable, base: np.ndarray, split: Callable) -> np.ndarray:
    step = 1e-6
    return np.array([(function(*split(base + e)) - function(*split(base - e))) / (2 * step)
                     for e in step * np.eye(base.size)])


SHARED = (shared_store, shared_helper, shared_augmented, shared_swap)


@pytest.mark.parametrize("function", SHARED)
@pytest.mark.parametrize("inputs", [("x", "y"), ("x",), ("y",)], ids=repr)
def test_two_arguments_that_are_one_array(function: Callable, inputs: tuple) -> None:
    base = V4.copy()
    expected = total_derivative(function, V4, lambda a: (a, a))
    try:
        gradients = sg.grad(function, inputs=inputs)(base, base)
    except SourcegradError as error:
        assert not isinstance(error, InternalError)
        gradients = None
    assert np.array_equal(base, V4)
    if gradients is not None:
        same = all(np.allclose(g, expected, atol=1e-6) for g in gradients)
        assert same or np.allclose(sum(gradients), expected, atol=1e-6), (gradients, expected)


@pytest.mark.parametrize("function", SHARED)
@pytest.mark.parametrize("inputs", [("x", "y"), ("x",), ("y",)], ids=repr)
def test_two_arguments_that_overlap(function: Callable, inputs: tuple) -> None:
    """Two views of one array: what one of them changes, the other one shows."""
    base = V5.copy()
    expected = total_derivative(function, V5, lambda a: (a[:-1], a[1:]))
    try:
        gradients = sg.grad(function, inputs=inputs)(base[:-1], base[1:])
    except SourcegradError as error:
        assert not isinstance(error, InternalError)
        gradients = None
    assert np.array_equal(base, V5)
    if gradients is not None:
        spread = np.zeros(5)
        for name, gradient in zip(inputs, gradients):
            spread[slice(0, 4) if name == "x" else slice(1, 5)] += gradient
        whole = all(np.allclose(g, expected[:-1] if n == "x" else expected[1:], atol=1e-6)
                    for n, g in zip(inputs, gradients))
        assert whole or np.allclose(spread, expected, atol=1e-6), (gradients, expected)


def test_two_arguments_that_are_one_array_but_stay_as_they_are() -> None:
    def product(x, y):
        return np.sum(x * x * y)

    base = V3.copy()
    x_bar, y_bar = sg.grad(product, inputs=("x", "y"))(base, base)
    assert np.allclose(x_bar, 2 * V3 * V3) and np.allclose(y_bar, V3 * V3)


def test_one_array_in_two_calls() -> None:
    """A gradient made for distinct arrays must notice when it is given one array twice."""
    gradient = sg.grad(shared_store, inputs=("x", "y"))
    try:
        gradient(V4.copy(), V4.copy())
    except SourcegradError as error:
        pytest.fail(f"distinct arrays: {error}")
    base = V4.copy()
    expected = total_derivative(shared_store, V4, lambda a: (a, a))
    try:
        x_bar, y_bar = gradient(base, base)
    except SourcegradError as error:
        assert not isinstance(error, InternalError)
        return
    assert np.allclose(x_bar + y_bar, expected, atol=1e-6) or np.allclose(x_bar, expected, atol=1e-6)


def test_grad_outputs_that_is_an_argument() -> None:
    """The weights are the caller's too."""
    def scaled(x):
        x *= x
        x[0] = x[1]

    base = V3.copy()
    gradient = sg.grad(sg.differentiable(scaled).output("x"), inputs="x")(base, grad_outputs=base)
    assert np.array_equal(base, V3)
    assert np.allclose(gradient, 2 * V3 * np.array([0.0, V3[0] + V3[1], V3[2]]))


# --- float32 buffers that receive float64 values

W = np.array([1 / 3, -2 / 7, 5 / 11])


def narrow_buffer(x):
    y = np.zeros(3, dtype=np.float32)
    y[:] = x * x
    return np.dot(y, W)


def narrow_squares(x):
    y = np.zeros(3, dtype=np.float32)
    for i in range(3):
        y[i] = x[i] * x[i]
    return np.sum(y * y)


def narrow_augmented(x):
    y = np.zeros(3, dtype=np.float32)
    y += x * x
    y *= 2.0
    return np.dot(y, W)


def test_narrow_buffers_keep_wide_cotangents() -> None:
    for function, expected in ((narrow_buffer, 2 * V3 * W), (narrow_augmented, 4 * V3 * W)):
        args = V3.copy()
        result = sg.grad(function)(args)
        assert result.dtype == np.float64
        assert np.max(np.abs(result - expected)) < 1e-14, function.__name__
        assert np.array_equal(args, V3)


def test_rounding_of_narrow_buffers_is_respected() -> None:
    y = (V3 * V3).astype(np.float32)
    assert np.allclose(sg.grad(narrow_squares)(V3), 2 * y.astype(float) * 2 * V3, rtol=1e-14)
    value, _ = sg.value_and_grad(narrow_squares)(V3)
    assert value == np.sum(y * y)


def test_narrow_argument_has_narrow_gradient() -> None:
    def mixed(x, w):
        x *= w
        x[1:] += w[:-1] * x[:-1]
        return np.sum(x * w)

    x, w = V3.astype(np.float32), W.copy()
    x_bar, w_bar = sg.grad(mixed, inputs=("x", "w"))(x, w)
    assert x_bar.dtype == np.float32 and w_bar.dtype == np.float64
    wide, _ = sg.grad(mixed, inputs=("x", "w"))(x.astype(float), w)
    assert np.allclose(x_bar, wide, rtol=1e-6)


def test_integer_buffers_cut_the_derivative_or_are_refused() -> None:
    def counted(x):
        n = np.zeros(3, dtype=int)
        n[:] = x * 10
        return np.sum(n * x)

    try:
        result = sg.grad(counted)(V3)
    except SourcegradError as error:
        assert not isinstance(error, InternalError)
    else:
        assert np.allclose(result, (V3 * 10).astype(int))


# --- no NaN at the very points

@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_nan_where_the_branch_is_not_taken() -> None:
    x = np.array([0.0, 4.0, -1.0])
    assert np.array_equal(sg.grad(lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0)))(x), [0.0, 0.25, 0.0])

    def inverse(x):
        inv_r = np.sqrt(x ** 2)
        inv_r[inv_r > 0] = 1 / inv_r[inv_r > 0]
        return np.sum(inv_r)

    assert np.allclose(sg.grad(inverse)(x), [0.0, -1 / 16, 1.0])

    def softened(x):
        inv_r3 = x ** 2
        inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
        return np.sum(x * inv_r3)

    assert np.allclose(sg.grad(softened)(x), [0.0, -2 / 64, -2.0])

    def overwritten(x):
        y = 1 / x
        y[x == 0] = 0.0
        return np.sum(y)

    assert np.allclose(sg.grad(overwritten)(x), [0.0, -1 / 16, -1.0])

    def logs(x):
        y = np.log(x)
        np.copyto(y, 0.0, where=~(x > 0))
        return np.sum(y)

    assert np.allclose(sg.grad(logs)(x), [0.0, 0.25, 0.0])


def test_garbage_in_empty_buffers_never_reaches_a_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    """`np.empty` full of NaN stands for the worst garbage."""
    def nan_filled(native: Callable) -> Callable:
        def construct(*args: Any, **options: Any) -> np.ndarray:
            result = native(*args, **options)
            if result.dtype.kind == "f":
                result[...] = np.nan
            return result

        return construct

    monkeypatch.setattr(np, "empty", nan_filled(np.empty))
    monkeypatch.setattr(np, "empty_like", nan_filled(np.empty_like))
    for kernel in ROWS[EMPTY]:
        check_kernel(kernel, 1)


# --- f redefined in a notebook; a global constant changed between calls

FACTOR = 2.0
TABLE = np.array([1.0, 2.0, 3.0])


def uses_globals(x):
    y = x * x
    y[0] = FACTOR * y[1]
    y *= TABLE
    return np.sum(y)


def callee(y):
    y *= 3.0


def uses_a_callee(x):
    callee(x)
    return np.sum(x * x)


def replaced_callee(y):
    y[:] = y ** 3


def test_globals_are_read_at_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = sg.grad(uses_globals)
    assert np.allclose(gradient(V3), [0.0, 2 * V3[1] * (2 + 2), 3 * 2 * V3[2]])
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert np.allclose(gradient(V3), [0.0, 2 * V3[1] * (5 + 2), 3 * 2 * V3[2]])
    before = TABLE.copy()
    monkeypatch.setitem(globals(), "TABLE", np.array([2.0, 2.0, 1.0]))
    assert np.allclose(gradient(V3), [0.0, 2 * V3[1] * (10 + 2), 2 * V3[2]])
    assert np.array_equal(before, [1.0, 2.0, 3.0])


def test_a_global_array_that_is_changed_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking for a gradient never changes a global."""
    def spoils(x):
        TABLE[0] = x[0] * x[0]
        return np.sum(TABLE * x)

    before = TABLE.copy()
    try:
        result = sg.grad(spoils)(V3)
    except SourcegradError as error:
        assert not isinstance(error, InternalError)
    else:
        assert np.allclose(result, [3 * V3[0] ** 2, 2.0, 3.0])
    finally:
        changed = not np.array_equal(TABLE, before)
        TABLE[:] = before
    assert not changed, "a global was changed"


def test_a_replaced_callee_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = sg.grad(uses_a_callee)
    assert np.allclose(gradient(V3), 18 * V3)
    monkeypatch.setitem(globals(), "callee", replaced_callee)
    assert np.allclose(gradient(V3), 6 * V3 ** 5)
    monkeypatch.setitem(globals(), "callee", lambda y: None)
    assert np.allclose(gradient(V3), 2 * V3)


# --- functions without source, evaluation of strings

def test_functions_without_source_are_refused() -> None:
    namespace: dict = {"np": np}
    exec("def hidden(x):\n    x[0] = 2 * x[1]\n    return np.sum(x)\n", namespace)
    hidden = namespace["hidden"]
    assert isinstance(hidden, types.FunctionType)
    with pytest.raises(SourcegradError) as caught:
        sg.grad(hidden)(V3)
    assert not isinstance(caught.value, InternalError) and caught.value.remedy

    def calls_hidden(x):
        return np.sum(hidden(x))

    before = V3.copy()
    with pytest.raises(SourcegradError) as caught:
        sg.grad(calls_hidden)(before)
    assert caught.value.origin is not None and caught.value.remedy
    assert np.array_equal(before, V3)


def test_string_evaluation_is_refused() -> None:
    def evaluated(x):
        return np.sum(eval("x * x"))

    def executed(x):
        y = x * 1.0
        exec("y[0] = 3.0")
        return np.sum(y)

    for function in (evaluated, executed):
        with pytest.raises(SourcegradError) as caught:
            sg.grad(function)(V3)
        assert caught.value.origin is not None and caught.value.remedy, function.__name__


def test_c_functions_are_refused() -> None:
    for function in (builtins.sum, math.sin):
        with pytest.raises(SourcegradError) as caught:
            sg.grad(function)(0.5)
        assert not isinstance(caught.value, InternalError)


# --- the programs themselves

def test_every_row_has_programs() -> None:
    assert len(ROWS) == 17 and all(len(kernels) >= 6 for kernels in ROWS.values()), {r: len(k) for r, k in ROWS.items()}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kernel", PARAMETERS)
def test_programs_run(kernel: Kernel) -> None:
    args = kernel.fresh()
    results = kernel.results(args)
    again = kernel.results(copy.deepcopy(kernel.args))
    assert np.all(np.isfinite(np.concatenate([np.ravel(np.asarray(r)) for r in results])))
    assert all(np.array_equal(a, b) for a, b in zip(results, again))
