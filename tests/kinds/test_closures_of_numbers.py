"""Inner functions that capture numbers, as arguments: the numbers are passed by themselves."""
from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from tests.kinds.places import by_differences


def rk4(f, y, t, dt):
    k1 = f(t, y)
    k2 = f(t + dt / 2, y + dt / 2 * k1)
    k3 = f(t + dt / 2, y + dt / 2 * k2)
    return y + dt / 6 * (k1 + 4 * k2 + k3)


def simpson(f, a, b, tol, depth=0):
    c = 0.5 * (a + b)
    left, right = (c - a) / 2 * (f(a) + f(c)), (b - c) / 2 * (f(c) + f(b))
    if abs(left - right) < tol or depth > 3:
        return left + right
    return simpson(f, a, c, tol, depth + 1) + simpson(f, c, b, tol=tol, depth=depth + 1)


def newton(f, x, slope=None, /, *, steps=3):
    for _ in range(steps):
        x = x - f(x) / (slope(x) if slope is not None else 2.0)
    return x


def plain(v):
    return v * 0.5


def with_defaults(f, v, g=plain, weights=[2.0, 3.0], *, h=math.sin, more=(1.0,)):
    return f(v) * weights[0] + g(v) * weights[1] + h(v) * more[0]


def composed(f, g=plain, n=2):
    def h(v):
        return f(g(v)) + n
    return h


def keeps(f, x, found):
    found.append(f)
    return f(x) + found[0](0.5 * x)


def rebinds(f, x):
    y = f(x)
    f = lambda v: v * y
    return f(x)


def gives(f):
    return f


def steps_of(f, x, n):
    for _ in range(n):
        x = f(x)
        yield x


def tried(f, x):
    try:
        return f(x)
    except ZeroDivisionError:
        return 3.0 * x


def several(f, *xs, scale=1.0, **options):
    return sum(f(x) for x in xs) * scale + options.get("more", 0.0) * f(xs[0])


class Solver:
    def __init__(self, f, dt):
        self.f = f
        self.dt = dt

    def step(self, y, g):
        return y + self.dt * self.f(y) + g(y, self.f(y))


def decay(x):
    k, c = x[0], x[1]

    def field(t, y):
        return -k * y + c * np.sin(t)

    y = np.array([1.0, 0.5])
    for j in range(3):
        y = rk4(field, y, 0.1 * j, 0.1)
    return y @ y + rk4(field, x[2], 0.0, 0.2)


def area(x):
    return simpson(lambda t: math.exp(-x[0] * t) * x[1], 0.0, x[2], 1e-3) + simpson(math.sin, 0.0, x[3], 1e-3)


def roots(x):
    a, b = x[0], x[1]
    return newton(lambda v: v * v - a, 1.0) + newton(lambda v: v * v * b - a, 1.5, lambda v: 2.0 * v * b, steps=2)


def functions_of_functions(x):
    a, b, n = x[0], x[1], 3
    f = composed(lambda v: v * a)
    g = composed(lambda v: f(v) * b, lambda v: v + n, n=1)
    return rk4(lambda t, y: g(y) * t, x[2], 0.5, 0.1)


def partials(x):
    def scaled(c, v, *, power, shift=0.0):
        return c * v ** power + shift

    a, b = x[0], x[1]
    p = functools.partial(scaled, a, power=2)
    q = functools.partial(scaled, power=3, shift=b)
    return newton(p, x[2] + 2.0) + newton(lambda v: q(a, v), 1.1) + several(functools.partial(p, shift=b), x[2], x[3])


def defaults(x):
    a = x[0]
    f, g = lambda v: v * a, lambda v: v * v * a
    total = with_defaults(f, x[1]) + with_defaults(f, x[2], g) + with_defaults(f, x[2], g, [a, x[3]])
    return total + with_defaults(math.cos, x[1], h=f) + with_defaults(f, x[3], weights=[a, a], h=g, more=[x[1]])


def in_loops(x):
    total = 0.0
    for k in range(3):
        w = x[k] * (k + 1)
        total = total + rk4(lambda t, y: y * w + k, total, 0.0, 0.1)
        w = w + 1.0
        total = total + newton(lambda v: v - w, 0.3)
    return total


def others(x):
    a, b = x[0], x[1]
    f, g = lambda v: v * a, lambda v: v * v * b
    found: list = []
    total = keeps(f, x[2], found) + keeps(g, x[3], found) + rebinds(f, x[1])
    total = total + gives(gives(f))(x[2]) + sum(steps_of(g, x[0], 3)) + tried(lambda v: v / (a * 0.0 + 1.0), x[1])
    return total + several(f, x[0], x[1], scale=b, more=a) + several(f, *x) + Solver(f, 0.1).step(x[2], lambda y, v: y * v * b)


def ints_and_flags(x):
    n, flag, z = 3, x[0] > 0.0, 2.0 + 1.0j
    a = x[1]

    def f(v):
        return v ** n * a if flag else v * n

    return newton(f, x[2]) + newton(lambda v: (v * z).real * a, x[3]) + newton(lambda v: v * n, x[0])


def matrices(x):
    A = np.outer(x, x[::-1]) + np.eye(4)
    b = x * 2.0
    y = rk4(lambda t, y: np.sin(A @ y) + t * b, x, 0.1, 0.2)
    b = newton(lambda v: v * A[0, 1] - b[:2].sum(), y[0]) + b
    return y @ A.dot(b)


def written_into(x):
    """What is changed in place keeps its identity."""
    last, A = np.zeros(4), np.outer(x, x)

    def noted(t, y):
        last[:] = 0.5 * y + last
        return A @ y

    def added(t, y):
        np.add(last, y, out=last)
        return last * y

    def by_another_name(t, y):
        other = last
        other += 0.1 * y
        return y * other

    y = rk4(noted, x, 0.0, 0.1)
    y = rk4(added, y, 0.0, 0.1)
    y = rk4(by_another_name, y, 0.0, 0.1)

    def reads(t, v):
        return last * v

    first = rk4(reads, y, 0.0, 0.1)
    last *= 2.0
    return first @ rk4(reads, y, 0.0, 0.1)


def one_array_twice(x):
    a = x * 1.0

    def f(v):
        return v * a[1]

    def stepped(g, v, w):
        w[1] = 3.0 * v
        return g(v) * w[1]

    return stepped(f, x[0], a) + stepped(f, x[2], a)


def checked(f):
    @functools.wraps(f)
    def wrapper(a, *args, **options):
        if a < -100.0 or len(args) > 5:
            raise ValueError(a)
        scale = options.pop("scale", 1.0)
        return f(a, *args, **options) * scale
    return wrapper


@checked
def product(a, b=2.0, *rest, power=1, shift=0.0):
    total = (a * b) ** power + shift
    for k, v in enumerate(rest):
        total = total + v * rest[k]
    return total


def given(*args, **options):
    names = sorted(options)
    return sum(args) * (options[names[0]] if names else 1.0) + len(args) + len(options)


def stars(x):
    a, b, c = x[0], x[1], x[2]
    total = product(a) + product(a, b, power=2) + product(a, b, c, x[3], 0.5, shift=c, scale=a) + product(b, scale=2.0)
    total = total + given() + given(a, b) * given(a, low=b, high=c) + given(*x) + given(x, low=2.0).sum()
    later = functools.partial(product, a, power=3, scale=b)
    return total + later(c) + sum(product(v, *[b, c], **{"shift": a}) for v in x)


PROGRAMS = [stars, defaults, matrices, written_into, one_array_twice, decay, area, roots, functions_of_functions, partials,
            in_loops, others, ints_and_flags]
X = np.array([0.7, 1.3, 0.4, 0.9])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f: Any) -> None:
    g = sg.grad(f)
    for x in (X, X * 0.5 + 0.3, X):
        assert np.allclose(g(x), by_differences(f, x), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", [stars, matrices, decay, area, roots, partials, in_loops], ids=lambda f: f.__name__)
def test_other_orders_and_modes(f: Any) -> None:
    along = np.array([0.3, -1.0, 0.4, 2.0])
    assert np.allclose(sg.jvp(f, (X,), (along,))[1], by_differences(f, X) @ along, atol=1e-6)
    second = by_differences(lambda x: float(sg.grad(f)(x) @ along), X)
    assert np.allclose(sg.hessian(f)(X) @ along, second, atol=1e-5)


def test_numbers_have_names_of_their_own() -> None:
    text = sg.source(decay, at={"x": X})
    assert "def rk4_forward(y, t, dt, k, c):" in text and "zeros_like" not in text and "f[" not in text
    assert "def rk4_forward(y, t, dt, A, b):" in sg.source(matrices, at={"x": X})


def test_what_stars_take_has_names_of_its_own() -> None:
    text = sg.source(lambda x: product(x[0], x[1], x[2], shift=x[3]), at={"x": X})
    assert "def product_forward(a, args_0, args_1, shift):" in text and "kwargs" not in text


def test_python_says_what_is_missing() -> None:
    with pytest.raises((TypeError, sg.SourcegradError), match="power_of"):
        sg.grad(lambda x: product(x[0], power_of=2))(X)


def test_a_function_of_the_module_is_that_function() -> None:
    k = 0.5

    def outer(x):
        return rk4(lambda t, y: -x * y * k, 1.0, 0.0, 0.1)

    g = sg.grad(outer)
    first = g(0.3)
    k = 2.0
    assert np.allclose([first, g(0.3)], [by_differences(lambda x: outer_with(0.5, x[0]), np.array([0.3]))[0],
                                         by_differences(lambda x: outer_with(2.0, x[0]), np.array([0.3]))[0]], atol=1e-7)


def outer_with(k, x):
    return rk4(lambda t, y: -x * y * k, 1.0, 0.0, 0.1)
