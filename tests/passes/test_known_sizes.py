"""Sizes that a function itself tells of its arguments: the text is for them, and other sizes get a text of their own."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.analysis.known_sizes import crossed, known_sizes

P = np.array([1.1, 0.4])


def numeric_gradient(f, p, step=1e-6):
    """Central differences."""
    unit = np.eye(p.size) * step
    return np.array([(f(p + one) - f(p - one)) / (2.0 * step) for one in unit])


def unpacked(p):
    a, b = p
    return a * np.sin(b) + b * b


def unpacked_after_a_copy(p):
    q = 2.0 * p.copy()
    a, b = q
    return a * b


def with_a_literal(p):
    return np.sum((p - np.array([0.5, 0.25])) ** 2)


def by_an_inner_function(p, n=3):
    def rate(y, t):
        prey, predators = y
        return np.array([prey - prey * predators, t * predators * prey])

    y = p
    for k in range(n):
        y = y + 0.1 * rate(y + 0.05 * rate(y, 0.1 * k), 0.1 * k)
    return np.sum(y * y)


def rate_of(y, s):
    u, v = y
    return np.array([s * v, -u])


def by_a_function_of_the_module(p):
    return np.dot(rate_of(p, 0.5), rate_of(p, 2.0))


def by_a_lambda(p):
    f = lambda y: np.array([y[1], y[0] * y[1]])            # noqa: E731
    return np.sum(p * f(p))


def element_by_element(p):
    return p[0] * np.sin(p[1]) + p[1] ** 2


def one_for_two(p, q):
    a, b = p
    return np.sum(p * q) + a * b


def in_one_branch(p):
    if len(p) == 2:
        a, b = p
        return a * b
    return np.sum(p ** 3)


def first_of_many(p):
    return p[0] ** 2 * np.sum(p ** 3)


def pairs(p):
    total = 0.0
    for a, b in zip(p, p[::-1]):
        total = total + a * b * b
    return total


ONE = [unpacked, unpacked_after_a_copy, with_a_literal, by_an_inner_function, by_a_function_of_the_module, by_a_lambda,
       element_by_element, in_one_branch, pairs]


@pytest.mark.parametrize("f", ONE, ids=lambda f: f.__name__)
def test_gradients(f) -> None:
    gradient = sg.grad(f, "p")
    for p in (P, P[::-1].copy(), P * 0.0, P[::-1]):
        np.testing.assert_allclose(gradient(p), numeric_gradient(f, p), rtol=1e-6, atol=1e-8)
    second = sg.hessian(f, "p")(P)
    np.testing.assert_allclose(second, sg.jacobian(gradient)(P), rtol=1e-10, atol=1e-12)
    value, tangent = sg.jvp(f, (P,), (np.array([0.3, -0.2]),))
    np.testing.assert_allclose([value, tangent], [f(P), gradient(P) @ [0.3, -0.2]], rtol=1e-12)
    half = gradient(P.astype(np.float32))
    assert half.dtype == np.float32
    np.testing.assert_allclose(half, gradient(P), rtol=1e-5)


@pytest.mark.parametrize("f", ONE[:7], ids=lambda f: f.__name__)
def test_the_text_says_it(f) -> None:
    gradient = sg.grad(f, "p")
    gradient(P)
    text = gradient.source
    assert "float64[2]" in text and ".shape" not in text and "unbroadcast" not in text


def test_what_is_told() -> None:
    assert all(known_sizes(f)["p"] == {2} for f in ONE[:7]) and known_sizes(pairs) == {}
    assert known_sizes(one_for_two) == {"p": {2}, "q": {2}}


@pytest.mark.parametrize("f", [in_one_branch, pairs, with_a_literal, first_of_many], ids=lambda f: f.__name__)
def test_other_sizes_between(f) -> None:
    gradient = sg.grad(f)
    for size in (2, 5, 2, 1, 2, 4):
        p = np.linspace(0.3, 1.2, size)
        if f is with_a_literal and size not in (1, 2):
            with pytest.raises(ValueError, match="broadcast"):
                gradient(p)
        else:
            np.testing.assert_allclose(gradient(p), numeric_gradient(f, p), rtol=1e-6, atol=1e-8)


def test_too_many_values() -> None:
    gradient = sg.grad(unpacked)
    gradient(P)
    for p in (np.ones(3), np.ones(1)):
        with pytest.raises(ValueError, match="to unpack|too many values|not enough"):
            gradient(p)
    np.testing.assert_allclose(gradient(P), numeric_gradient(unpacked, P), rtol=1e-6)


def test_two_arguments_of_one_size() -> None:
    gradient = sg.grad(one_for_two, ("p", "q"))
    for q in (np.array([0.5, 2.0]), np.array([3.0]), np.array([0.5, 2.0])):
        found = gradient(P, q)
        np.testing.assert_allclose(found[0], numeric_gradient(lambda p: one_for_two(p, q), P), rtol=1e-6)
        np.testing.assert_allclose(found[1], numeric_gradient(lambda r: one_for_two(P, r), q), rtol=1e-6)


def areas(p, q, t):
    shifted = p - q
    return t * np.sum(np.cross(shifted, q)[..., -1:] ** 2)


def test_components_of_vectors() -> None:
    """What a cross product is taken of has two or three components; code for them knows its rank."""
    assert crossed(areas) == {"p", "q"}
    gradient = sg.grad(areas, ("p", "q"))
    rng = np.random.default_rng(0)
    for shape in ((4, 3), (3, 3), (1, 3), (5, 3)):
        p, q = rng.normal(size=shape), rng.normal(size=shape)
        expected = (numeric_gradient(lambda v, q=q: areas(v.reshape(q.shape), q, 2.0), p.ravel()),
                    numeric_gradient(lambda v, p=p: areas(p, v.reshape(p.shape), 2.0), q.ravel()))
        for found, numbers in zip(gradient(p, q, 2.0), expected):
            np.testing.assert_allclose(found.ravel(), numbers, rtol=1e-5, atol=1e-7)
        assert "unbroadcast" not in gradient.source
