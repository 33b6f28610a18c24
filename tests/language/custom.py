"""`sg.custom_vjp` and `sg.checkpoint`: cases for functions that carry their own adjoint."""
import numpy as np

import sourcegrad as sg
from tests.language.case import Cases

CASES = Cases()
case = CASES.add

V = np.array([0.4, -0.9, 1.3])

if hasattr(sg, "custom_vjp"):

    @sg.custom_vjp
    def log1pexp(x):
        return np.log1p(np.exp(x))

    def log1pexp_forward(x):
        return log1pexp(x), x

    def log1pexp_reverse(saved, ct):
        return (ct / (1.0 + np.exp(-saved)),)

    log1pexp.defvjp(log1pexp_forward, log1pexp_reverse)

    @sg.custom_vjp
    def weighted(x, w):
        return np.sum(w * x ** 2)

    def weighted_forward(x, w):
        return weighted(x, w), (x, w)

    def weighted_reverse(saved, ct):
        x, w = saved
        return 2.0 * ct * w * x, ct * x ** 2

    weighted.defvjp(weighted_forward, weighted_reverse)

    def with_own_adjoint(v):
        return np.sum(log1pexp(v) ** 2)

    case("sg.custom_vjp", with_own_adjoint, V)

    def with_two_arguments(v, w):
        return weighted(np.sin(v), w) * weighted(w, v)

    case("sg.custom_vjp", with_two_arguments, V, np.array([1.0, 0.5, 2.0]), inputs=("v", "w"))

if hasattr(sg, "checkpoint"):

    def layer(w, x):
        for _ in range(3):
            x = np.tanh(w * x + 0.1)
        return x

    def checkpointed(w, x):
        block = sg.checkpoint(layer)
        return np.sum(block(w, block(w, x)) ** 2)

    case("sg.checkpoint", checkpointed, V, 2.0 * V, inputs=("w", "x"))
