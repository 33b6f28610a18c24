"""Arrays that are computed twice: the generated code may compute them once, but not where a program could tell."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from tests.kinds.places import programs_of


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def bump(self, v):
        self.a[0] += v


def element_of_an_attribute(x):
    o = Pair(x + 1.0, x + 1.0)
    o.a[0] = 5.0 * x[1]
    return np.sum(o.a * o.b ** 2)


def by_a_method(x):
    o = Pair(np.sin(x), np.sin(x))
    for _ in range(3):
        o.bump(x[1])
    return np.sum(o.a * o.b ** 2)


def products_of_matrices(x):
    A = np.array([[1.0, 2.0], [0.5, 1.5]])
    o = Pair(A @ x, A @ x)
    o.a[0] = x[1]
    return np.sum(o.a * o.b ** 2)


def in_a_list(x):
    both = [x * 2.0, x * 2.0]
    both[0][1] *= x[0]
    return np.sum(both[0] * both[1] ** 2)


def in_a_dict(x):
    d = {"a": np.exp(x), "b": np.exp(x)}
    d["a"][:] = d["a"] * d["b"]
    d["a"] += x
    return np.sum(d["a"] * d["b"] ** 2)


def objects_in_a_list(x):
    pairs = [Pair(x * x, x * x) for _ in range(2)]
    for o in pairs:
        o.a[1] = o.b[0] * 3.0
    pairs[0].b[0] = x[1]
    return sum(np.sum(o.a * o.b ** 2) for o in pairs)


def by_a_callee(x):
    def made():
        return x + 1.0

    a, b = made(), made()
    a[0] = 3.0 * x[1]
    return np.sum(a * b ** 2)


def gathered(x):
    k = np.array([0, 1, 1])
    a, b = x[k], x[k]
    rows = [a, b]
    rows[0][0] = 7.0 * x[1]
    return np.sum(rows[0] * rows[1] ** 2)


def in_a_loop(x):
    rows = []
    for k in range(3):
        rows.append(x + 1.0)
        rows.append(x + 1.0)
        rows[-1][0] = x[1] * k
    return sum(np.sum(row ** 3) * (j + 1) for j, row in enumerate(rows))


def asked_whether_they_are_one(x):
    o = Pair(np.abs(x), np.abs(x))
    same = o.a is o.b
    o.a += 1.0
    return np.sum(o.a * o.b ** 2) * (2.0 if same else 1.0)


def handed_out(x):
    a = x + 2.0
    o = Pair(a, x + 2.0)
    a *= x[0]
    return np.sum(o.a * o.b ** 2) + a[1]


@pytest.mark.parametrize("f", programs_of(globals()), ids=lambda f: f.__name__)
def test_all_modes(f) -> None:
    x, v = np.array([0.3, 0.7]), np.array([0.4, -0.9])

    def differences(function):
        return np.array([(function(x + e) - function(x - e)) / 2e-6 for e in np.eye(2) * 1e-6])

    gradient = sg.grad(f)
    np.testing.assert_allclose(gradient(x), differences(f), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(sg.hessian(f)(x), differences(gradient), rtol=1e-5, atol=1e-7)
    value, tangent = sg.jvp(f, (x,), (v,))
    np.testing.assert_allclose([value, tangent], [f(x), gradient(x) @ v], rtol=1e-12)
