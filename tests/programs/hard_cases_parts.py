"""Hard cases: repeated indices, masks, functions that write, swaps and rows."""
from __future__ import annotations

import numpy as np

from tests.programs.hard_cases import M23, M34, POSITIVE, V3, V4, V5, case

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
