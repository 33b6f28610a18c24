"""What was generated for functions that are gone goes with them: no text stays in linecache, and at most 300 bytes a function."""
from __future__ import annotations

import functools
import gc
import linecache
import sys
import tracemalloc
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

import sourcegrad as sg

X = np.ones(3)


def closure(k: float) -> Callable:
    def f(x):
        return np.sum(x ** 2) * k
    return f


class Model:
    def __init__(self, k: float) -> None:
        self.k = k

    def loss(self, x):
        return np.sum(x * x) * self.k


def marked(k: float) -> Callable:
    @sg.differentiable
    def f(x):
        return np.sum(x * x) * k
    return f


def own_rule(k: float) -> None:
    @sg.custom_vjp
    def g(x):
        return x * k

    g.defvjp(lambda x: (x * k, None), lambda s, ct: (ct * k,))
    sg.grad(lambda x: np.sum(g(x)))(X)


def with_rule(k: float) -> None:
    def g(x):
        return x * k

    @sg.rule(g)
    def g_rule(ct, out, x):
        return ct * k

    sg.grad(lambda x: np.sum(g(x)))(X)


def with_loop(k: float) -> None:
    def f(x):
        t = 0.0
        for v in x:
            t = t + v * v * k
        return t
    sg.grad(f)(X)


def recursive(k: float) -> None:
    def f(x, n=3):
        return np.sum(x) * k if n == 0 else f(x * x, n - 1)
    sg.grad(f, inputs="x")(X)


def refused(k: float) -> None:
    try:
        sg.grad(lambda x: eval("x") * k)(2.0)
    except sg.SourcegradError:
        pass


def raised(k: float) -> None:
    def f(x):
        raise ValueError(k)
    try:
        sg.grad(f)(2.0)
    except ValueError:
        pass


def kept_pullback(k: float) -> None:
    _, pullback = sg.vjp(closure(k), X)
    pullback(1.0)


WAYS: dict[str, Callable] = {
    "lambda": lambda k: sg.grad(lambda x, k=k: np.sum(x ** 2) * (k + 1.5))(X),
    "lambda of a name outside": lambda k: sg.grad(lambda x: np.sum(x ** 2) * k)(X),
    "closure": lambda k: sg.grad(closure(k))(X),
    "value_and_grad": lambda k: sg.value_and_grad(closure(k))(X),
    "vjp": kept_pullback,
    "vjp, not pulled": lambda k: sg.vjp(closure(k), X),
    "jvp": lambda k: sg.jvp(closure(k), X, X),
    "hessian": lambda k: sg.hessian(closure(k))(X),
    "hvp": lambda k: sg.hvp(closure(k))(X, X),
    "jacobian": lambda k: sg.jacobian(lambda x: x * x * k)(X),
    "grad of grad": lambda k: sg.grad(sg.grad(closure(k)), grad_outputs=X)(X),
    "gradient inside": lambda k: sg.grad(lambda x, g=closure(k): np.sum(sg.grad(g)(x) * x))(X),
    "two kinds": lambda k: [sg.grad(f)(x) for f in [lambda x: np.sum(x * x) * k] for x in (X, 2.0, X[None])],
    "one function, two kinds": lambda k: [g(x) for g in [sg.grad(closure(k))] for x in (X, 2.0)],
    "method": lambda k: sg.grad(Model(k).loss)(X),
    "lambda around a model": lambda k: sg.grad(lambda x, m=Model(k): m.loss(x))(X),
    "partial": lambda k: sg.grad(functools.partial(lambda x, k: np.sum(x) * k, k=k))(X),
    "callee": lambda k: sg.grad(lambda x, g=closure(k): g(x) * 2.0)(X),
    "callee of a callee": lambda k: sg.grad(lambda x, g=(lambda x, h=closure(k): h(x)): g(x))(X),
    "marked": lambda k: sg.grad(marked(k))(X),
    "custom_vjp": own_rule, "rule": with_rule, "loop": with_loop, "recursion": recursive, "refused": refused, "raised": raised,
    "checkpoint": lambda k: sg.grad(sg.checkpoint(closure(k)))(X),
    "stop_gradient": lambda k: sg.grad(lambda x: np.sum(x * sg.stop_gradient(x)) * k)(X),
    "source": lambda k: sg.source(closure(k), at={"x": X}),
    "check_grad": lambda k: sg.check_grad(closure(k), X),
    "dict input": lambda k: sg.grad(lambda p: np.sum(p["a"] * p["b"]) * k)({"a": X, "b": X}),
    "object input": lambda k: sg.grad(lambda o: np.sum(o.a ** 2) * k)(SimpleNamespace(a=X)),
    "has_aux": lambda k: sg.grad(lambda x: (np.sum(x) * k, x), has_aux=True)(X),
    "two inputs": lambda k: sg.grad(lambda x, y: np.sum(x * y) * k)(X, X),
    "several outputs": lambda k: sg.vjp(lambda x: (x * k, x * x), X)[1]((X, X)),
}


def texts() -> int:
    gc.collect()
    return sum(name.startswith("<sourcegrad") for name in linecache.cache)


@pytest.mark.parametrize("way", WAYS)
def test_texts(way: str) -> None:
    use, last = WAYS[way], WAYS["lambda"]
    use(0.5), use(1.5), last(0.5)
    before = texts()
    for k in range(8):
        use(k + 2.5)
    gc.collect()
    last(0.5)                                                # the texts of what is gone go when another one comes
    assert texts() <= before, f"{texts() - before} of 8 texts stay"


@pytest.mark.parametrize("way", ["lambda", "vjp", "callee", "method"])
def test_bytes(way: str) -> None:
    use, count = WAYS[way], 60
    for k in range(5):
        use(k + 0.5)
    gc.collect()
    tracemalloc.start(1)
    try:
        for k in range(40):                                  # (tables of a fixed size get full, others twice as large)
            use(k + 100.5)
        before = held()
        for k in range(count):
            use(k + 2.5)
        kept = held() - before
    finally:
        tracemalloc.stop()
    assert kept <= 300 * count + 14000, f"{kept / count:.0f} bytes a function are kept"


def held() -> int:
    """Bytes that are in use; not those of Python's own cache of attribute names, which has a fixed size."""
    gc.collect()
    getattr(sys, "_clear_internal_caches", getattr(sys, "_clear_type_cache", lambda: None))()
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
