"""Forward mode for users: `jvp`, `pushforward`, `jacfwd`, `linearize`; compositions with reverse mode; refusals."""
import math
import pickle
import re
import types

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InputError, InternalError, SourcegradError, UnsupportedError

X, V, W = np.array([0.7, -0.4, 1.3]), np.array([1.0, 0.5, -2.0]), np.array([0.3, -1.0, 0.8])


def close(a, b, tolerance=1e-9):
    assert np.shape(a) == np.shape(b) and np.allclose(a, b, tolerance, tolerance), f"{a} is not {b}"


def scaled(x, t):
    h = np.sin(x) * t
    h[0] = h[1] * 2.0
    return h


def test_value_and_tangent() -> None:
    value, tangent = sg.jvp(scaled, (X, 2.0), (V, 0.5))
    close(value, scaled(X, 2.0))
    expected = np.cos(X) * V * 2.0 + np.sin(X) * 0.5
    expected[0] = 2.0 * expected[1]
    close(tangent, expected)


def test_one_argument_needs_no_tuple() -> None:
    close(sg.jvp(lambda x: x ** 2, X, V)[1], 2.0 * X * V)
    assert sg.jvp(lambda x: x ** 3, 2.0) == (8.0, 12.0)


def test_none_does_not_move() -> None:
    close(sg.jvp(scaled, (X, 2.0), (None, 0.5))[1][1:], np.sin(X)[1:] * 0.5)
    made = sg.pushforward(scaled, ("x", "t"))
    close(made(X, 2.0, x_dot=None, t_dot=0.5)[1], sg.jvp(scaled, (X, 2.0), (None, 0.5))[1])


def test_source_is_that_of_the_last_call() -> None:
    made = sg.pushforward(scaled, "x")
    made(X, 2.0, x_dot=V)
    assert "h_dot[0] = 2.0 * h_dot[1]" in made.source and "def scaled_jvp(x, t, *, x_dot):" in made.source
    assert "h_dot" in sg.source(scaled, "x", at={"x": X, "t": 2.0}, mode="forward")


def test_without_value() -> None:
    close(sg.pushforward(scaled, "t", with_value=False)(X, 2.0, t_dot=1.0)[1:], np.sin(X)[1:])


def test_arguments_are_left_alone() -> None:
    def changes(x, y):
        x[0] = y[1] * 3.0
        y *= 2.0
        return np.sum(x * y)

    x, y, dx, dy = X.copy(), W.copy(), V.copy(), W.copy()
    sg.jvp(changes, (x, y), (dx, dy))
    assert all(np.array_equal(a, b) for a, b in ((x, X), (y, W), (dx, V), (dy, W)))


def test_containers_and_integers() -> None:
    def f(params, n):
        return sum(np.sum(w * params["scale"]) for w in params["layers"]) * n

    params = {"scale": 2.0, "layers": [X, W]}
    value, tangent = sg.jvp(f, (params, 3), ({"scale": 1.0, "layers": [V, None]}, None))
    assert np.isclose(tangent, 3 * (np.sum(X + W) + 2.0 * np.sum(V)))


class Spring:
    count = 2

    def __init__(self, k, name="spring"):
        self.k, self.name = k, name

    def force(self, x):
        return -self.k * x * self.count


def test_objects() -> None:
    def f(spring, x):
        return np.sum(spring.force(x))

    for dot in (Spring(0.5), types.SimpleNamespace(k=0.5), {"k": 0.5}):
        assert np.isclose(sg.jvp(f, (Spring(3.0), X), (dot, V))[1], -2.0 * (0.5 * np.sum(X) + 3.0 * np.sum(V)))
    assert np.isclose(sg.jvp(f, (Spring(3.0), X), (None, V))[1], -6.0 * np.sum(V))


def test_complex_numbers() -> None:
    z, dz = np.array([1.0 + 2.0j, -0.5j]), np.array([0.3 - 1.0j, 2.0 + 0.1j])

    def f(z):
        return np.abs(np.exp(z) * z) + z.imag

    exact = (f(z + 1e-7 * dz) - f(z - 1e-7 * dz)) / 2e-7
    close(sg.jvp(f, z, dz)[1], exact, 1e-6)


def test_single_precision_stays() -> None:
    value, tangent = sg.jvp(lambda x: np.tanh(x) * 2.0, X.astype(np.float32), V)
    assert value.dtype == tangent.dtype == np.float32


def test_pickles_by_reference() -> None:
    made = pickle.loads(pickle.dumps(sg.pushforward(scaled, "t")))
    close(made(X, 2.0, t_dot=1.0)[1][1:], np.sin(X)[1:])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("f", "x", "dot", "expected"), [
    (lambda x: np.sqrt(np.sum(x * x)), np.zeros(3), V, 0.0),                        # a root of what stands still
    (lambda x: np.sum(np.sqrt(np.maximum(x, 0.0))), -np.abs(X), V, 0.0),
    (lambda x: np.linalg.norm(x), np.zeros(3), V, 0.0),
    (lambda x: np.sum(np.abs(x)), np.zeros(3), V, 0.0),
    (lambda x: x ** 0 * 3.0, 0.0, 1.0, 0.0),
    (lambda x: np.prod(x), np.array([0.0, 2.0, 3.0]), V, 6.0),
])
def test_conventions_are_those_of_reverse_mode(f, x, dot, expected) -> None:
    with np.errstate(all="ignore"):
        close(np.sum(sg.grad(f)(x) * dot), expected)
        close(sg.jvp(f, x, dot)[1], expected)


def test_a_selection_drops_what_is_not_finite() -> None:
    def f(x):
        return np.where(x > 0.0, np.sqrt(np.where(x > 0.0, x, 0.0)), 0.0)

    with np.errstate(all="ignore"):
        close(sg.jvp(f, np.array([4.0, 0.0, -1.0]), np.ones(3))[1], [0.25, 0.0, 0.0])
        assert sg.jvp(lambda x: np.sqrt(x), 0.0, 1.0)[1] == np.inf


def test_order_in_memory() -> None:
    x, dot = np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(6.0).reshape(2, 3) ** 2

    def f(x, y):
        h = np.zeros((3, 2)).T
        h[:] = x * y
        return h.ravel(order="K") + np.reshape(x.T * 1.0, 6, order="A") + h.flatten("A")

    y = np.ones((2, 3))
    step = np.copy(x, order="K")
    step[...] = dot
    close(sg.jvp(f, (x, y), (dot, None))[1], (f(x + 1e-6 * step, y) - f(x - 1e-6 * step, y)) / 2e-6, 1e-6)


def test_a_list_in_the_place_of_an_array() -> None:
    def f(x, y):
        return np.multiply([x, y], 2) + np.linalg.norm([x, y]) * np.sin([x, x * y])

    close(sg.jvp(f, (0.3, 0.7), (1.0, -2.0))[1], (f(0.3 + 1e-6, 0.7 - 2e-6) - f(0.3 - 1e-6, 0.7 + 2e-6)) / 2e-6, 1e-6)


def cube_root(x):
    return np.cbrt(x)


@sg.rule(cube_root, elementwise=True)
def cube_root_rule(ct, out, x):
    return ct / (3.0 * out * out)


def test_own_rules() -> None:
    close(sg.jvp(lambda x: cube_root(x) * 2.0, X, V)[1], 2.0 * V / (3.0 * np.cbrt(X) ** 2))


# --- compositions

def energy(x):
    total = 0.0
    for j in range(len(x) - 1):
        total = total + np.sin(x[j]) * x[j + 1] ** 3
    return total + np.exp(np.mean(x)) * x[0]


def loop(x):
    y = x * 1.0
    for _ in range(3):
        y[1:] = y[1:] * np.cos(y[:-1])
        if y[0] > 0.0:
            y = y + 0.1 * x ** 2
    return np.sum(y ** 2)


def called(x):
    def square(u):
        return u * u
    return np.prod(square(x) + 1.0) + np.linalg.norm(x) * np.max(x)


PROGRAMS = pytest.mark.parametrize("f", [energy, loop, called])


def numeric(f, v, step=1e-5):
    return lambda x: (f(x + step * v) - f(x - step * v)) / (2.0 * step)


@PROGRAMS
def test_forward_over_reverse_is_reverse_over_forward(f) -> None:
    expected = numeric(sg.grad(f), V)(X)
    over_reverse = sg.pushforward(sg.grad(f))(X, x_dot=V)
    close(over_reverse[0], sg.grad(f)(X))
    close(over_reverse[1], expected, 1e-6)
    close(sg.grad(sg.pushforward(f, with_value=False))(X, x_dot=V), over_reverse[1])
    close(sg.hvp(f)(X, V), over_reverse[1])


@PROGRAMS
def test_forward_over_forward(f) -> None:
    twice = sg.pushforward(sg.pushforward(f, with_value=False), with_value=False)(X, x_dot=V, x_dot_2=W)
    close(twice, np.dot(W, sg.pushforward(sg.grad(f), with_value=False)(X, x_dot=V)))


@PROGRAMS
def test_third_order(f) -> None:
    second = sg.pushforward(sg.grad(f), with_value=False)
    thrice = sg.pushforward(second, with_value=False)(X, x_dot=V, x_dot_2=W)
    close(thrice, numeric(lambda x: second(x, x_dot=V), W)(X), 1e-5)
    close(np.dot(thrice, V), sg.pushforward(sg.pushforward(sg.pushforward(f, with_value=False), with_value=False),
                                            with_value=False)(X, x_dot=V, x_dot_2=W, x_dot_3=V))


def energy_along(x):
    return sg.jvp(energy, (x,), (V,))[1]


def energy_along_two(x):
    return sg.jvp(energy_along, (x,), (W,))[1]


def test_third_order_of_nested_calls() -> None:
    """Reverse over forward over forward, by calls of `jvp` in functions."""
    second = sg.pushforward(sg.grad(energy), with_value=False)
    close(sg.grad(energy_along_two)(X), sg.pushforward(second, with_value=False)(X, x_dot=V, x_dot_2=W))


def test_a_derivative_by_the_tangent_is_the_gradient() -> None:
    made = sg.pushforward(energy, with_value=False)
    close(sg.grad(made, "x_dot")(X, x_dot=V), sg.grad(energy)(X))


def sum_of(y, x):
    return x + y


def times_the_derivative_of_a_sum(x):
    return x * sg.jvp(sum_of, (1.0, x), (1.0, None))[1]


def test_perturbations_are_not_mixed() -> None:
    """d/dx (x d/dy (x + y)) = 1; 2 where the tangent of x counts as that of y (Siskind and Pearlmutter, 2005)."""
    assert sg.grad(times_the_derivative_of_a_sum)(3.0) == 1.0
    assert sg.jvp(times_the_derivative_of_a_sum, 3.0, 1.0) == (3.0, 1.0)


def cube(y):
    return y ** 3


def inside(x):
    return x * sg.pushforward(cube, with_value=False)(x, y_dot=1.0)


def test_pushforward_inside_a_function() -> None:
    assert sg.grad(inside)(2.0) == 36.0
    assert sg.jvp(inside, 2.0, 1.0) == (24.0, 36.0)


def test_of_what_is_only_known_at_run_time() -> None:
    table = {"sin": np.sin, "own": lambda x: x * np.tanh(x)}

    def f(x, names):
        for name in names:
            x = table[name](x)
        return x

    value, tangent = sg.jvp(f, (X, ["own", "sin", "own"]), (V, None))
    close(tangent, numeric(lambda x: f(x, ["own", "sin", "own"]), V, 1e-6)(X), 1e-7)


# --- Jacobians

def curve(t, c):
    return np.array([t * c, t * t, np.sin(t) * c])


def test_jacfwd() -> None:
    close(sg.jacfwd(curve)(0.5, 2.0), [2.0, 1.0, 2.0 * np.cos(0.5)])
    by_t, by_c = sg.jacfwd(curve, ("t", "c"))(0.5, 2.0)
    close(by_c, [0.5, 0.0, np.sin(0.5)])
    matrix = np.arange(6.0).reshape(2, 3) + 1.0
    for f in (lambda x: x.T @ x, lambda x: np.sum(np.sin(x)), lambda x: x[0] * x[1]):
        for made in (sg.jacfwd(f), sg.jacobian(f, mode="forward"), sg.jacobian(f, mode="auto")):
            close(made(matrix), sg.jacobian(f)(matrix))
    with pytest.raises(InputError):
        sg.jacobian(curve, mode="sideways")


def test_linearize() -> None:
    value, linear = sg.linearize(scaled, X, 2.0)
    close(value, scaled(X, 2.0))
    close(linear(V, 0.5), sg.jvp(scaled, (X, 2.0), (V, 0.5))[1])
    close(linear(V, 0.0) + linear(np.zeros(3), 0.5), linear(V, 0.5))


def test_random_numbers_are_no_constants() -> None:
    rng = np.random.default_rng(3)

    def noisy(x):
        return x * rng.normal()

    before = rng.bit_generator.state["state"]
    with pytest.raises(UnsupportedError, match="draws random numbers"):
        sg.linearize(noisy, X)
    assert rng.bit_generator.state["state"] == before
    drawn = np.random.default_rng(3).normal()
    close(sg.jacfwd(noisy)(X), drawn * np.eye(3))           # one sweep is one call
    rng.bit_generator.state = np.random.default_rng(3).bit_generator.state
    value, tangent = sg.jvp(noisy, X, V)
    close(value, X * drawn)
    close(tangent, V * drawn)


# --- refusals

@pytest.mark.parametrize(("use", "message"), [
    (lambda: sg.jvp(scaled, (X, 2.0), (V[:2], None)), r"the tangent of 'x' has shape \(2,\), and 'x' has shape \(3,\)"),
    (lambda: sg.jvp(scaled, (X, 2.0), (V,)), "2 arguments and 1 tangents"),
    (lambda: sg.jvp(scaled, (X, 2.0), (None, None)), "no argument has a tangent"),
    (lambda: sg.jvp(scaled, (X, 2.0), (V * 1j, None)), "the tangent of 'x' is complex"),
    (lambda: sg.jvp(scaled, (X, 2.0), ("v", None)), "the tangent of 'x' is a str"),
    (lambda: sg.jvp(scaled, (np.arange(3), 2.0), (V, None)), "integer|int64|derivatives need floats"),
    (lambda: sg.pushforward(scaled, "z"), "there is no parameter 'z'"),
    (lambda: sg.pushforward(3), "pushforward needs a function, not a int"),
    (lambda: sg.pushforward(scaled, "x")(X, 2.0), "missing a required (keyword-only )?argument: 'x_dot'"),
    (lambda: sg.pushforward(scaled, "x.real"), "is a part of an argument"),
])
def test_refused_arguments(use, message) -> None:
    with pytest.raises(InputError) as caught:
        use()
    assert re.search(message, str(caught.value)), str(caught.value)


class Node:
    def __init__(self, v):
        self.v, self.next = v, None


def linked(x):
    first, second = Node(x), Node(2.0 * x)
    first.next, second.next = second, first
    for node in (first, second):
        node.next.v = node.next.v * node.v
    return first.v + second.v


def without_rule(x):
    return np.sum(np.lexsort((x, x))) + np.unwrap(x)[0] * np.frombuffer(x)[1]


def test_refusals_have_their_place() -> None:
    with pytest.raises(SourcegradError) as caught:
        sg.pushforward(without_rule)(X, x_dot=V)
    assert caught.value.origin is not None and caught.value.origin.file == __file__
    assert not isinstance(caught.value, InternalError)


def test_what_forward_mode_refuses_comes_from_reverse_mode() -> None:
    value, tangent = sg.jvp(linked, 0.7, 1.0)
    assert np.isclose(tangent, sg.grad(linked)(0.7)) and np.isclose(value, linked(0.7))


ROOTS = {"sqrt": (lambda x: math.sqrt(x), 0.0), "of what stands still": (lambda x: math.sqrt(x * x), 0.0),
         "acos": (lambda x: 2.0 * math.acos(x), 1.0), "asin": (lambda x: math.asin(x), -1.0),
         "acosh": (lambda x: math.acosh(x), 1.0),
         "a loop": (lambda x: sum(math.sqrt(x * i) for i in range(3)), 0.0)}


@pytest.mark.parametrize("name", ROOTS)
def test_an_infinite_derivative_of_python_numbers(name: str) -> None:
    """Where Python's `/` raises, a tangent is infinite as the gradient is, and zero where the argument does not move."""
    function, x = ROOTS[name]
    assert sg.jvp(function, (x,), (1.0,)) == (function(x), sg.grad(function)(x))
    assert sg.jvp(function, (x,), (0.0,))[1] == 0.0


def test_the_order_of_the_modes_is_told_apart() -> None:
    """What is generated for one mix does not stand for another: the tangent of a gradient, and the gradient of a tangent."""
    def weighted(x):
        return np.sum(np.sin(x) * x[::-1] ** 2)

    forward = sg.pushforward(sg.grad(weighted), with_value=False)
    product = forward(X, x_dot=V)
    back = sg.grad(sg.pushforward(weighted, with_value=False))
    close(back(X, x_dot=V), product)
    assert "reverse sweep" in back.source and back.source != forward.source
