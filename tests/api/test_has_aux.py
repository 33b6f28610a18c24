"""`has_aux`: a function that returns (value, aux), the gradient of the value, and aux as it is."""
from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest

import sourcegrad as sg


def loss(w, x):
    p = np.exp(-w * x)
    return np.sum(p), {"p": p, "note": "text", "w": w}


def plain(w, x):
    return np.sum(np.exp(-w * x))


W, X = np.array([0.5, 1.0, -2.0]), np.array([1.0, 2.0, 3.0])


@pytest.mark.quick
def test_grad_and_value_and_grad() -> None:
    for _ in range(3):                                          # an entry of the inline cache, too
        gradient, aux = (first := sg.grad(loss, has_aux=True))(W, X)
        assert np.allclose(gradient, sg.grad(plain)(W, X), rtol=1e-15)
        assert list(aux) == ["p", "note", "w"] and aux["note"] == "text" and np.array_equal(aux["p"], np.exp(-W * X))
        (value, aux), both = sg.value_and_grad(loss, ("w", "x"), has_aux=True)(W, X)
        assert value == plain(W, X) and np.array_equal(aux["p"], np.exp(-W * X))
        assert all(map(np.array_equal, both, sg.grad(plain, (0, 1))(W, X)))
    assert "aux(" not in first.source and "[1]" not in first.source
    assert sg.grad(loss, has_aux=True).value_and_grad(W, X)[0][1]["note"] == "text"
    assert pickle.loads(pickle.dumps(first))(W, X)[1]["note"] == "text"


def test_aux_keeps_its_content_where_the_reverse_sweep_works_in_place() -> None:
    def f(w):
        p = np.exp(w)
        q = p * p
        p *= 2.0
        return np.sum(q * q), (p, q)

    gradient, (p, q) = sg.grad(f, has_aux=True)(W)
    assert np.allclose(gradient, 4.0 * np.exp(4.0 * W)) and np.allclose(p, 2.0 * np.exp(W)) and np.allclose(q, np.exp(2.0 * W))


def test_aux_has_no_derivative_even_where_it_is_singular() -> None:
    def f(w):
        return np.sum(w * w), 1.0 / w, np.sqrt(w)

    def two(w):
        value, *rest = f(w)
        return value, rest

    def pair(w):
        return np.sum(w * w), np.log(w)

    def tail(w):
        return pair(w)

    w = np.array([0.0, 2.0])
    with np.errstate(all="ignore"):
        for function in (two, pair, tail):
            gradient, _ = sg.grad(function, has_aux=True)(w)
            assert gradient.tolist() == [0.0, 4.0], function


def test_returns_in_branches_loops_and_inner_functions() -> None:
    def f(x, n):
        def inner(y):
            return y * y                                        # returns one thing

        for i in range(n):
            x = inner(x)
            if x > 100.0:
                return x, i
        if n == 1:
            return (x + 1.0, "one") if x > 2.0 else (x, "small")
        pair = [x, None]
        return pair

    gradient = sg.grad(f, has_aux=True)
    assert gradient(3.0, 5) == (8 * 3.0 ** 7, 2) and gradient(2.0, 1) == (4.0, "one") and gradient(1.0, 1) == (2.0, "small")
    assert gradient(1.0, 0) == (1.0, None)


def test_orders_and_nesting() -> None:
    def cube(x):
        return x ** 3, [x, "a"]

    twice = sg.grad(sg.grad(cube, has_aux=True), has_aux=True)
    assert twice(2.0) == (12.0, [2.0, "a"])
    assert sg.grad(lambda x: sg.grad(cube, has_aux=True)(x)[0])(2.0) == 12.0

    def step(x, rate):
        (value, aux), slope = sg.value_and_grad(cube, has_aux=True)(x)
        return value - rate * slope ** 2, aux

    gradient, aux = sg.grad(step, has_aux=True)(2.0, 0.1)
    assert abs(gradient - (12.0 - 0.1 * 2 * 12.0 * 12.0)) < 1e-12 and aux == [2.0, "a"]


def test_methods_partials_objects_and_vectors() -> None:
    class Model:
        w = 3.0

        def loss(self, x):
            return self.w * x * x, self

    model = Model()
    gradient, aux = sg.grad(model.loss, has_aux=True)(2.0)
    assert gradient == 12.0 and aux.w == 3.0
    assert sg.grad(partial(loss, W), has_aux=True)(X)[0].shape == (3,)
    vector = sg.grad(lambda x: (x * x, x.shape), has_aux=True, grad_outputs=np.array([1.0, 10.0, 100.0]))
    assert vector(X)[0].tolist() == [2.0, 40.0, 600.0] and vector(X)[1] == (3,)
    with pytest.raises(sg.OutputError, match="shape \\(3,\\)"):
        sg.grad(lambda x: (x * x, None), has_aux=True)(X)


def test_vjp() -> None:
    value, pullback, aux = sg.vjp(loss, W, X, has_aux=True)
    assert value == plain(W, X) and aux["note"] == "text"
    assert all(map(np.allclose, pullback(2.0), (2.0 * g for g in sg.grad(plain, (0, 1))(W, X))))
    value, pullback, aux = sg.vjp(lambda x: (x * x, x + 1.0), X, inputs="x", has_aux=True)
    assert pullback(np.ones(3)).tolist() == (2.0 * X).tolist() and aux.tolist() == (X + 1.0).tolist()


@pytest.mark.parametrize("function, what", [
    (lambda x: x * x, "a value"), (lambda x: (x, x, x), "a tuple"), (lambda x: None, "a NoneType"),
])
def test_what_does_not_return_two_things_is_refused(function, what) -> None:
    with pytest.raises(sg.OutputError, match=f"test_has_aux.py:.*has_aux=True, and f\\(\\) returns {what}, not \\(value, aux\\)"):
        sg.grad(function, has_aux=True)(2.0)


def test_what_has_no_aux() -> None:
    @sg.differentiable
    def scale(a):
        a *= 2.0

    with pytest.raises(sg.InputError, match="exclude each other"):
        sg.grad(scale.output("a"), has_aux=True)
    with pytest.raises(sg.InputError, match="means nothing for Tensors"):
        sg.grad(sg.tensor([1.0], requires_grad=True).sum(), has_aux=True)
