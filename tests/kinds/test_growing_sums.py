"""Names that are bound again to larger arrays (by broadcasting): an update in place would not fit. And what is computed only for
its shape: it is neither computed nor kept."""
import numpy as np
import pytest

import sourcegrad as sg

Y = np.array([1.0, 2.0, 3.0, 4.0])


def plus(y):
    s = np.zeros((3, 1))
    for _ in range(2):
        s = s + y
    return np.sum(s * s)


def minus(y):
    s = np.zeros(1)
    for _ in range(2):
        s += 1.0
        s = s - y
    return np.sum(s * s)


def added_to(y):
    s, k = np.zeros(1), 0
    while k < 3:
        k += 1
        s = y + s
    return np.sum(s * s)


def times(y):
    s = np.ones((2, 1))
    for _ in range(2):
        s = s * y
    return np.sum(s)


def divided(y):
    s = np.ones(1)
    for _ in range(2):
        s = s / y
    return np.sum(s)


def of_itself(y):
    s = np.ones((1, 1))
    for _ in range(3):
        s = s + np.sin(s) * y
    return np.sum(s)


def callee(y):
    def grown(s):
        for _ in range(2):
            s = s + y
        return s
    return np.sum(grown(np.zeros((2, 1))) ** 2)


def in_a_branch(y):
    s = np.zeros((2, 1))
    for i in range(3):
        if i == 1:
            s = s + y
        s = s + 1.0
    return np.sum(s * s)


@pytest.mark.parametrize("f", [plus, minus, added_to, times, divided, of_itself, callee, in_a_branch])
@pytest.mark.parametrize("y", [Y, Y[:1]], ids=["grows", "fits"])
def test_what_grows_is_a_new_array(f, y):
    sg.check_grad(f, y)
    sg.check_grad(f, y, order=2)


# --- shapes

def linear(u, rate):
    for _ in range(5):
        u = u - rate * np.roll(u, 1)
    return np.sum(u)


def in_place(A, B):
    for _ in range(3):
        B[1:-1] = 0.3 * (A[:-2] + A[2:])
        A[1:-1] = 0.2 * (B[:-2] + B[2:])
    return np.sum(A)


def shape_of_another(u, v):
    w = u
    for _ in range(3):
        w = w + v
    return np.mean(w)


def not_of_the_argument(u):
    w = u[1:]
    for _ in range(3):
        w = w * 0.5
    return np.sum(w)


def rebound(u):
    u = u[::2]
    for _ in range(2):
        u = u + np.roll(u, 1)
    return np.sum(u)


def no_trip(u, n):
    for _ in range(n):
        u = u * 2.0
    return np.sum(u)


def with_value(u):
    for _ in range(3):
        u = np.exp(-u)
    return np.sum(u)


U, V = np.array([0.3, -0.2, 0.5, 0.1]), np.array([1.0, 2.0, -1.0, 0.5])


@pytest.mark.parametrize("f, args", [
    (linear, (U, 0.1)), (in_place, (U, V)), (shape_of_another, (U, V)), (not_of_the_argument, (U,)), (rebound, (U,)),
    (no_trip, (U, 0)), (no_trip, (U, 3)), (with_value, (U,)), (linear, (np.zeros(0), 0.1)), (linear, (U[:1], 0.1)),
], ids=lambda x: getattr(x, "__name__", None))
def test_gradients_without_the_forward_sweep(f, args):
    kept = [np.copy(a) for a in args]
    sg.check_grad(f, *args)
    gradient = sg.grad(f)(*args)
    for a, b in zip(args, kept):
        np.testing.assert_array_equal(a, b)
    assert gradient.shape == args[0].shape and gradient.flags.writeable
    np.testing.assert_array_equal(sg.value_and_grad(f)(*args)[1], gradient)


@pytest.mark.parametrize("f, args", [(linear, (U, 0.1)), (in_place, (U, V)), (shape_of_another, (U, V))],
                         ids=lambda x: getattr(x, "__name__", None))
def test_linear_loops_only_run_backward(f, args):
    text = str(sg.source(f, at=dict(zip(f.__code__.co_varnames, args))))
    loops = [line for line in text.splitlines() if line.lstrip().startswith("for ")]
    assert all("in reversed(range(" in line for line in loops), text


def test_the_adjoint_of_a_loop_is_updated_in_place():
    assert "u_bar *= 2.0" in sg.source(no_trip, at={"u": U, "n": 3})
