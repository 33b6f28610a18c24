"""view_hoisting: rows and columns that the reverse sweep takes again and again are taken once, before the loop if they can be."""
import numpy as np

import sourcegrad as sg
from tests.passes.becomes import Alone, emitted

M = np.array([[0.5, -1.5, 1.0], [2.0, 1.0, 0.5], [0.1, 0.3, 0.7]])
CASES = Alone("view_hoisting")


@CASES.becomes("""
    # --- reverse sweep
    a_k = a[:, k]
    total = np.sum(a_k)
    for j in range(n):
        total = total + np.sum(a_k * a[:, j])
    return total
""", a=M, k=1, n=2, others=({"n": 0},))
def one_column_in_every_turn(a, k, n):
    "# --- reverse sweep"
    total = np.sum(a[:, k])
    for j in range(n):
        total = total + np.sum(a[:, k] * a[:, j])
    return total


@CASES.becomes("""
    b = 2.0 * a
    # --- reverse sweep
    for j in range(n):
        b_j = b[j, :]
        b_j += 1.0
        b_j *= a[j, :]
    return b
""", a=M, n=2, others=({"n": 0},))
def a_row_that_is_stored_into(a, n):
    b = 2.0 * a
    "# --- reverse sweep"
    for j in range(n):
        b[j, :] += 1.0
        b[j, :] *= a[j, :]
    return b


@CASES.stays(a=M, k=7, n=0)
def the_index_may_be_out_of_range(a, k, n):
    "# --- reverse sweep"
    total = 0.0
    for j in range(n):
        total = total + np.sum(a[:, k] * a[:, j])
    return total


@CASES.stays(a=M, k=0, n=2, others=({"n": 0},))
def the_index_changes(a, k, n):
    "# --- reverse sweep"
    total = np.sum(a[:, k])
    for _ in range(n):
        k = k + 1
        total = total + np.sum(a[:, k])
    return total


@CASES.stays(a=M, k=0, n=2, others=({"n": 0},))
def the_array_is_another_one(a, k, n):
    "# --- reverse sweep"
    total = np.sum(a[:, k])
    for _ in range(n):
        a = 2.0 * a
        total = total + np.sum(a[:, k])
    return total


@CASES.stays(a=M, k=0, n=2)
def the_forward_sweep_is_the_users(a, k, n):
    total = np.sum(a[:, k])
    for _ in range(n):
        total = total + np.sum(a[:, k])
    "# --- reverse sweep"
    return total


def orthogonalised(A):
    for k in range(A.shape[1]):
        A[:, k] /= np.sqrt(np.dot(A[:, k], A[:, k]))
        for j in range(k + 1, A.shape[1]):
            A[:, j] -= A[:, k] * np.dot(A[:, k], A[:, j])
    return np.sum(A ** 3)


def rows_after(A, first, n):
    total = 0.0
    for k in range(first, n):
        for j in range(n):
            total += np.dot(A[k, :] * A[j, :], A[k, :])
    return total


def shifted_index(A, n):
    k = 0
    total = 0.0
    for j in range(n):
        total += np.dot(A[:, k], A[:, k] * A[:, j])
        k = k + 1
        total += np.dot(A[:, k] ** 2, A[:, k])
    return total


def left_early(A, n):
    total = 0.0
    for k in range(n):
        for j in range(n - 5):
            total += np.dot(A[:, k] * A[:, j], A[:, k])
        if k > 1:
            break
        total += np.sum(A[:, k] ** 2)
    return total


MATRIX = np.array([[0.6, 1.2, 0.3], [0.8, -0.4, 0.7], [0.2, 0.9, -0.5], [0.1, 0.3, 1.5]])


def test_a_column_that_a_loop_takes_again_and_again_is_taken_before_it():
    found = emitted(orthogonalised, MATRIX)
    before, loop = found.split("# --- reverse sweep")[1].split("for j in reversed(")
    assert "A_bar_k = A_bar[:, k]" in before and "A_bar[:, k]" not in loop.split("ratio")[0]


def test_an_index_that_may_be_out_of_range_is_used_only_where_it_was():
    result = sg.grad(rows_after)
    result(MATRIX, 0, 3)                                    # k of the last row is not looked at if n == 0
    assert "= A[k, :]" not in str(result.source).split("# --- reverse sweep")[1].split("for j in")[0]
    assert result(MATRIX, 3, 3)[0].tolist() == [0.0, 0.0, 0.0]
    emitted(left_early, MATRIX, 7)                             # A[:, k] is out of range from k = 3 on
    emitted(left_early, MATRIX[:, :2], 2)


def test_views_are_taken_again_when_their_index_changes():
    emitted(shifted_index, MATRIX, 2)


test_view_hoisting = CASES.check()
