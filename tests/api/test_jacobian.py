"""Jacobians, Hessians and products as functions of the arguments, beside central differences."""
import pickle

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InputError


def field(x, scale=2.0):
    y = np.empty((2, x.size))
    y[0] = scale * np.sin(x)
    y[1] = x * x[::-1]
    return y


def energy(x, A, shift=0.0):
    return 0.5 * x @ A @ x + np.sum(np.cos(x + shift))


def two(x, w):
    return x * w[0], np.sum(w * w)


def differences(f, x, h=1e-6):
    x = np.asarray(x, float)
    columns = [(np.asarray(f(x + h * e)) - np.asarray(f(x - h * e))) / (2 * h) for e in np.eye(x.size).reshape(x.size, *x.shape)]
    return np.stack(columns, -1).reshape(np.shape(columns[0]) + x.shape)


@pytest.mark.parametrize("x", [np.array([0.3, -1.2, 2.0]), np.array([0.7])])
def test_jacobian_of_arrays(x):
    found = sg.jacobian(field)(x, scale=3.0)
    assert found.shape == (2, x.size, x.size)
    np.testing.assert_allclose(found, differences(lambda x: field(x, 3.0), x), atol=1e-8)


def test_jacobian_by_names_and_of_tuples():
    x, w = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    (first_x, first_w), (second_x, second_w) = sg.jacobian(two, ("x", "w"))(x, w)
    np.testing.assert_allclose(first_x, np.diag([3.0, 3.0]))
    np.testing.assert_allclose(first_w, [[1.0, 0.0], [2.0, 0.0]])
    np.testing.assert_allclose(second_x, [0.0, 0.0])
    np.testing.assert_allclose(second_w, 2 * w)


def test_numbers_in_and_out():
    assert sg.jacobian(lambda x: x ** 3)(2.0) == 12.0
    np.testing.assert_allclose(sg.jacobian(lambda x: np.array([x, x * x]))(3.0), [1.0, 6.0])
    assert sg.hessian(lambda x: x ** 3)(2.0) == 12.0


@pytest.mark.parametrize("x", [np.zeros((0,)), np.zeros((3, 0))])
def test_empty_arrays_keep_their_shapes(x):
    assert sg.jacobian(lambda x: np.sin(x))(x).shape == x.shape + x.shape


def test_float32_stays():
    assert sg.jacobian(lambda x: x * x)(np.ones(2, np.float32)).dtype == np.float32


def test_hessian_and_its_product():
    A = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.1], [0.0, 0.1, 3.0]])
    x, v = np.array([0.1, 0.2, 0.3]), np.array([1.0, -1.0, 0.5])
    H = sg.hessian(energy)(x, A, 0.4)
    np.testing.assert_allclose(H, A - np.diag(np.cos(x + 0.4)), atol=1e-12)
    np.testing.assert_allclose(sg.hvp(energy)(x, v, A, 0.4), H @ v, atol=1e-12)
    ((xx, xA), (Ax, AA)) = sg.hessian(energy, ("x", "A"))(x, A)
    assert xA.shape == (3, 3, 3) and Ax.shape == (3, 3, 3) and AA.shape == (3, 3, 3, 3)
    np.testing.assert_allclose(xA, np.moveaxis(Ax, 2, 0))


def test_it_goes_by_reference():
    again = pickle.loads(pickle.dumps(sg.jacobian(field)))
    np.testing.assert_array_equal(again(np.ones(2)), sg.jacobian(field)(np.ones(2)))


def test_what_has_no_matrix_is_refused():
    with pytest.raises(InputError, match="complex result"):
        sg.jacobian(lambda x: np.exp(1j * x))(np.ones(2))
    with pytest.raises(InputError, match="is that of arrays"):
        sg.jacobian(lambda x: {"a": x})(np.ones(2))
    with pytest.raises(InputError, match="by arrays"):
        sg.jacobian(lambda d: d["a"] * 2.0)({"a": np.ones(2)})
