"""array_literals: adjoints of literals of arrays are elements of the adjoint of the array."""
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.runtime import unstack
from tests.kinds.places import by_differences
from tests.passes.becomes import Alone

M = np.array([[0.5, -1.5], [2.0, 1.0]])
V = np.array([0.5, -1.5, 2.0])
CASES = Alone("array_literals")


@CASES.becomes("""
    value = [[x, y], [y, 1.0]]
    value_bar = ct
    x_bar = value_bar[0, 0]
    y_bar = value_bar[0, 1] + value_bar[1, 0]
    return x_bar, y_bar
""", x=2.0, y=3.0, ct=M)
def a_matrix(x, y, ct):
    value = [[x, y], [y, 1.0]]
    value_bar = unstack(ct, value)
    first_bar = value_bar[0]
    x_bar = first_bar[0]
    second_bar = value_bar[1]
    y_bar = first_bar[1] + second_bar[0]
    return x_bar, y_bar


@CASES.becomes("""
    value = [x, y, 1.0]
    value_bar = 2.0 * ct
    x_bar = value_bar[0] * y
    return x_bar, value_bar[1]
""", x=2.0, y=3.0, ct=V)
def a_vector(x, y, ct):
    value = [x, y, 1.0]
    value_bar = unstack(2.0 * ct, value)
    x_bar = value_bar[0] * y
    return x_bar, value_bar[1]


@CASES.becomes("""
    value = [[x, y], [y, 1.0]]
    total = 0.0
    for k in range(n):
        value_bar = total * ct
        total = total + value_bar[1, 0]
    return total
""", x=2.0, y=3.0, ct=M, n=2, others=({"n": 0},))
def in_a_loop(x, y, ct, n):
    value = [[x, y], [y, 1.0]]
    total = 0.0
    for k in range(n):
        value_bar = unstack(total * ct, value)
        row_bar = value_bar[1]
        total = total + row_bar[0]
    return total


@CASES.stays(x=2.0, y=3.0, ct=M)
def a_row_is_needed_as_a_list(x, y, ct):
    value = [[x, y], [y, 1.0]]
    value_bar = unstack(ct, value)
    row_bar = value_bar[0]
    return row_bar[0], [row_bar, value_bar[1]]


@CASES.stays(x=2.0, y=3.0, ct=V, k=1)
def an_index_that_is_not_constant(x, y, ct, k):
    value = [x, y, 1.0]
    value_bar = unstack(ct, value)
    return value_bar[k]


@CASES.stays(x=2.0, y=V[:2], ct=M)
def rows_that_are_arrays(x, y, ct):
    value = [y, y]
    value_bar = unstack(ct, value)
    return value_bar[0] * x


@CASES.stays(x=2.0, y=1j, ct=1j * V)
def complex_numbers(x, y, ct):
    value = [x, y, 1.0]
    value_bar = unstack(ct, value)
    return value_bar[0]


@CASES.stays(x=np.float32(2.0), y=3.0, ct=V)
def numbers_of_single_precision(x, y, ct):
    value = [x, x, x]
    value_bar = unstack(ct, value)
    return value_bar[0]


@CASES.stays(x=2.0, y=3.0, ct=M)
def a_name_of_several_values(x, y, ct):
    value = [[x, y], [y, 1.0]]
    value_bar = unstack(ct, value)
    row_bar = value_bar[0]
    if x > 1.0:
        row_bar = value_bar[1]
    return row_bar[0]


test_array_literals = CASES.check()


def rotation(x):
    c, s = np.cos(x[0]), np.sin(x[0])
    return np.sum((np.array([[c, -s], [s, c]]) @ x[1:3]) ** 2 * np.array([1.0, 2.0]))


def three_deep(x):
    return np.sum(np.array([[[x[0]], [x[1]]], [[x[2]], [x[0] * x[1]]]]) ** 3 * np.arange(4.0).reshape(2, 2, 1))


def rows_with_names(x):
    row = [x[0], 2.0 * x[1]]
    m = np.array([row, row, [x[2], 1]])
    return np.sum(m * m[::-1]) + row[0]


def of_whole_and_other_numbers(x):
    return np.sum(np.array([[1, 0, 0], [0, x[0], True], [2, x[1] * x[2], 1.5]]) ** 2)


def in_a_while(x):
    total, k = 0.0, 0
    while k < 3:
        total = total + np.linalg.det(np.array([[x[k], total], [1.0, x[1]]]))
        k += 1
    return total


@pytest.mark.parametrize("f", [rotation, three_deep, rows_with_names, of_whole_and_other_numbers, in_a_while],
                         ids=lambda f: f.__name__)
def test_gradients(f):
    g = sg.grad(f)
    for x in (V, V[::-1].copy()):
        assert np.allclose(g(x), by_differences(f, x), rtol=1e-6)
    assert np.allclose(sg.grad(lambda x: np.sum(sg.grad(f)(x) * V))(V), by_differences(lambda x: np.sum(g(x) * V), V), rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_other_dtypes(dtype):
    def f(x):
        m = np.array([[x[0], 1.0], [x[1], x[2]]])
        return np.sum((m @ m).real)

    x = V.astype(dtype)
    found = sg.grad(f)(x)
    assert found.dtype == x.dtype
    assert np.allclose(np.real(found), by_differences(f, V), rtol=1e-4)


def test_text_has_no_lists():
    g = sg.grad(rotation)
    g(V)
    assert "unstack" not in g.source and "[1, 0]" in g.source
