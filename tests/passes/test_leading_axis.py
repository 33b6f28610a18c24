"""leading_axis: how functions are written whose tangents have one."""
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api.pushforward import Pushforwards
from tests.passes.becomes import Forward

X, M = np.array([0.5, -1.5]), np.array([[0.5, -1.5], [2.0, 1.0]])
CASES = Forward("forward").of(Pushforwards)


@CASES.becomes("""
    directions = len(x_dot)
    sum_x = np.sum(x, axis=0)
    sum_x_dot = np.sum(x_dot, axis=1)
    sum_x_2 = np.sum(x)
    sum_x_2_dot = np.sum(x_dot, axis=(1, 2))
    value = sum_x + sum_x_2
    value_dot = sum_x_dot + sum_x_2_dot[:, None]
    return value, value_dot
""", x=M)
def axes_stand_one_further(x):
    return np.sum(x, axis=0) + np.sum(x)


@CASES.becomes("""
    directions = len(x_dot)
    value = A @ x
    value_dot = x_dot @ A.T
    return value, value_dot
""", x=X, A=M)
def products_go_from_the_left(x, A):
    return A @ x


@CASES.becomes("""
    directions = len(x_dot)
    x_i = x[::-1]
    x_i_dot = x_dot[:, ::-1]
    value_2 = [x, x_i]
    value_2_dot = [x_dot, x_i_dot]
    stack = np.stack(value_2)
    stack_dot = np.stack(value_2_dot, axis=1)
    value = stack.T
    value_dot = np.transpose(stack_dot, (0, 2, 1))
    return value, value_dot
""", x=X)
def lists_are_stacked_along_the_second(x):
    return np.stack([x, x[::-1]]).T


@CASES.becomes("""
    directions = len(x_dot)
    value = np.pad(x, 1, mode='edge')
    value_dot = np.pad(x_dot, ((0, 0), (1, 1)), mode='edge')
    return value, value_dot
""", x=X)
def the_leading_axis_is_not_padded(x):
    return np.pad(x, 1, mode="edge")


@CASES.becomes("""
    directions = len(x_dot)
    value = np.pad(x, ((1, 3), (0, 2)), constant_values=c)
    value_dot = np.pad(x_dot, ((0, 0), (1, 3), (0, 2)), constant_values=0.0)
    return value, value_dot
""", x=M, c=1.5)
def each_axis_has_its_widths(x, c):
    return np.pad(x, ((1, 3), (0, 2)), constant_values=c)


test_leading_axis = CASES.check()


def taken_and_repeated(x):
    return np.take(x, [1, 0, 1], axis=-1) + np.repeat(x, [1, 2], axis=1)


def parts_of_matrices(x):
    return np.tril(x, 1) * np.triu(x) + np.trace(x) * np.diagonal(x) + np.broadcast_to(x[0], (2, 2))


def padded_in_pairs(x):
    return np.pad(x, (1, 2)) * np.pad(x, ((2, 1),), mode="wrap")


M3 = np.random.default_rng(2).normal(size=(4, 3))


def of_vectors(x):
    return np.cross(x, np.arange(3.0)) * np.cross(np.ones(3), x + 1.0) + x * np.sum(x, axis=1, keepdims=True)


@pytest.mark.parametrize("f, x", [(taken_and_repeated, M), (parts_of_matrices, M), (padded_in_pairs, M),
                                  (of_vectors, np.arange(6.0).reshape(2, 3)), (of_vectors, np.arange(3.0).reshape(1, 3))],
                         ids=lambda x: getattr(x, "__name__", ""))
def test_no_loops_over_directions(f, x):
    """All directions go through each statement at once, and come out as one by one."""
    many = Pushforwards(f, "x")
    dots = np.random.default_rng(0).normal(size=(4, *x.shape))
    value, found = many(x, x_dot=dots)
    assert "_rows" not in many.source
    single = sg.pushforward(f, "x")
    assert np.array_equal(value, f(x)) and np.allclose(found, [single(x, x_dot=dot)[1] for dot in dots], rtol=1e-12, atol=0)


def gathered(x):
    turned = np.cross(x, x[::-1] + 2.0)
    return turned[:, :2] / (3.0 + np.sum(turned ** 2, axis=1, keepdims=True))


def test_rows_of_reverse_mode_have_no_loops_for_sums():
    """Sums over what was broadcast are written for all directions."""
    x = np.random.default_rng(0).normal(size=(4, 3))
    rows = sg.jacobian(gathered, mode="reverse")
    expected = sg.jacobian(gathered, mode="forward")(x)
    assert all(np.allclose(rows(x), expected, rtol=1e-11, atol=1e-13) for _ in range(3))
    assert "_rows" not in rows._reverse.several.source


def along_a_wire(x):
    """Vectors and their moments, of which one side is fixed, or none."""
    return np.cross(x, M3) * np.cross(M3, x) + np.cross(x * x, x[::-1])


def test_rows_of_products_of_vectors_have_no_loops():
    x = np.random.default_rng(1).normal(size=(4, 3))
    rows, expected = sg.jacobian(along_a_wire, mode="reverse"), sg.jacobian(along_a_wire, mode="forward")(x)
    assert all(np.allclose(rows(x), expected, rtol=1e-11, atol=1e-13) for _ in range(3))
    assert "cross_adjoint" in rows._reverse.several.source and "_rows" not in rows._reverse.several.source
