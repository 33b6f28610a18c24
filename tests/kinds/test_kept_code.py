"""Generated code is found again where `sg.grad(f)` stands in a loop, and goes when the function goes."""
from __future__ import annotations

import functools
import gc
import linecache
import weakref

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import emit

X = np.array([0.3, 1.2, -0.7])


class Model:
    def __init__(self, w: float = 2.0) -> None:
        self.w = w

    def loss(self, x):
        return np.sum(x * x) * self.w

    def __call__(self, x):
        return np.sum(x ** 3) * self.w

    @classmethod
    def named(cls, x):
        return np.sum(x * x)


@sg.differentiable
def in_place(x):
    x *= x
    return np.sum(x)


def scaled(x, k, mode="square"):
    return np.sum(x * x) * k if mode == "square" else np.sum(x) * k


def plain(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2)


def halves(x):
    return x if x.shape[0] == 1 else np.concatenate([halves(x[::2]), -halves(x[1::2])])


def flat(found) -> np.ndarray:
    return np.concatenate([np.ravel(part) for part in (found if isinstance(found, tuple) else (found,))])


MODELS = [Model(2.0), Model(2.5), Model(3.0), Model(4.0)]
LOOPS = {
    "grad": lambda i: sg.grad(plain)(X),
    "grad of grad": lambda i: sg.grad(sg.grad(plain))(X, grad_outputs=X),
    "grad of grad with weights": lambda i: sg.grad(sg.grad(plain, grad_outputs=2.0), grad_outputs=X)(X),
    "value_and_grad": lambda i: sg.value_and_grad(plain)(X),
    "vjp": lambda i: sg.vjp(plain, X)[1](1.0),
    "vjp of a recursion": lambda i: sg.vjp(halves, np.ones(4))[1](np.ones(4)),
    "vjp of one input": lambda i: sg.vjp(scaled, X, 2.0, inputs="k")[1](1.0),
    "weights": lambda i: sg.grad(lambda x: x * x, grad_outputs=X + i)(X),
    "inputs by name": lambda i: sg.grad(scaled, inputs=("x", "k"))(X, 2.0 + i),
    "a keyword": lambda i: sg.grad(scaled)(X, k=2.0 + i),
    "a text": lambda i: sg.grad(scaled)(X, 2.0, mode="line"),
    "a method of another object": lambda i: sg.grad(MODELS[i % 4].loss)(X),
    "vjp of a method of another object": lambda i: sg.vjp(MODELS[i % 4].loss, X)[1](1.0),
    "a new object": lambda i: sg.grad(Model(2.0 + i).loss)(X),
    "a callable object": lambda i: sg.grad(Model(2.0 + i))(X),
    "a class method": lambda i: sg.grad(Model.named)(X),
    "a part of an object": lambda i: sg.grad(Model.loss, "self.w")(MODELS[i % 4], X),
    "a partial": lambda i: sg.grad(functools.partial(scaled, k=2.0 + i))(X),
    "a partial of a method": lambda i: sg.grad(functools.partial(MODELS[i % 4].loss))(X),
    "a partial by position": lambda i: sg.grad(functools.partial(Model.loss, MODELS[i % 4]))(X),
    "a lambda": lambda i: sg.grad(lambda x: np.sum(x ** 3))(X),
    "an output by name": lambda i: sg.grad(in_place.output("x"), grad_outputs=X)(X),
    "a marked function": lambda i: sg.grad(in_place)(X),
    "a gradient in a gradient": lambda i: sg.grad(lambda x: np.sum(sg.grad(plain)(x) ** 2))(X),
}


@pytest.mark.parametrize("name", LOOPS)
def test_in_a_loop_nothing_is_generated_again(name: str, monkeypatch) -> None:
    first = LOOPS[name](0)
    LOOPS[name](1), LOOPS[name](2)
    monkeypatch.setattr(emit, "publish", None)                              # would raise if it were called
    assert np.allclose(flat(LOOPS[name](0)), flat(first), rtol=1e-14)
    LOOPS[name](1), LOOPS[name](2), LOOPS[name](3)


def closure(k: float = 2.0):
    def function(x):
        return np.sum(x * x) * k
    return function


def custom(f) -> None:
    own = sg.custom_vjp(f)
    own.defvjp(lambda x: (f(x), x), lambda x, ct: (4 * x * ct,))
    sg.grad(lambda x: own(x))(X)


GONE = {
    "grad of a method": (Model, lambda m: sg.grad(m.loss)(X)),
    "vjp of a method": (Model, lambda m: sg.vjp(m.loss, X)[1](1.0)),
    "grad of grad of a method": (Model, lambda m: sg.grad(sg.grad(m.loss))(X, grad_outputs=X)),
    "an object as argument": (Model, lambda m: sg.grad(Model.loss, "self.w")(m, X)),
    "an object as input": (Model, lambda m: sg.grad(Model.loss, "self")(m, X)),
    "a callable object": (Model, lambda m: sg.grad(m)(X)),
    "vjp of a callable object": (Model, lambda m: sg.vjp(m, X)[1](1.0)),
    "a lambda around a model": (Model, lambda m: sg.grad(lambda x: m.loss(x))(X)),
    "a partial around a model": (Model, lambda m: sg.grad(functools.partial(Model.loss, m))(X)),
    "a default": (Model, lambda m: sg.grad(lambda x, m=m: m.loss(x))(X)),
    "a closure": (closure, lambda f: sg.grad(f)(X)),
    "vjp of a closure": (closure, lambda f: sg.vjp(f, X)[1](1.0)),
    "value_and_grad of a closure": (closure, lambda f: sg.value_and_grad(f)(X)),
    "source of a closure": (closure, lambda f: sg.source(f, at={"x": X})),
    "check_grad of a closure": (closure, lambda f: sg.check_grad(f, X, order=2)),
    "a callee that is known when it runs": (closure, lambda f: sg.grad(lambda x, i: [f, np.sin][i](x))(X, 0)),
    "a callee": (closure, lambda f: sg.grad(lambda x: f(x) * 2.0)(X)),
    "a custom derivative": (closure, custom),
    "a gradient inside": (closure, lambda f: sg.grad(lambda x: np.sum(sg.grad(f)(x)))(X)),
    "an array in a closure": (lambda: np.ones(3), lambda a: sg.grad(lambda x: np.sum(x * a))(X)),
    "weights": (lambda: np.ones(3), lambda a: sg.grad(lambda x: x * x, grad_outputs=a)(X)),
    "an argument": (lambda: np.ones(3), lambda a: sg.grad(scaled)(a, 2.0)),
}


@pytest.mark.parametrize("name", GONE)
def test_nothing_is_kept_alive(name: str) -> None:
    make, use = GONE[name]
    thing = make()
    there = weakref.ref(thing)
    for _ in range(3):
        use(thing)
    del thing
    gc.collect()
    assert there() is None


def test_texts_go_with_their_functions() -> None:
    def step(k: int) -> None:
        sg.grad(closure(k))(X)
        sg.vjp(closure(k), X)[1](1.0)

    step(0)
    gc.collect()
    before = len(linecache.cache)
    for k in range(12):
        step(k)
    gc.collect()
    step(12)                                                 # texts go when the next one comes
    assert len(linecache.cache) - before <= 6
    gradient = sg.grad(closure(3.0))
    gradient(X)
    gc.collect()
    assert gradient.source.splitlines()[-1].strip() in "".join(linecache.getlines(gradient.compiled(X).__code__.co_filename))
