"""c.mul(swap()): swap() rebinds c (nonlocal); Python has looked c up before. Third call silently wrong."""
import numpy as np

import sourcegrad as sg


class C:
    def __init__(self, v):
        self.v = v

    def mul(self, k):
        return self.v * k


def f(x):
    c = C(x[0])

    def swap():
        nonlocal c
        if x[0] > 1.0:
            c = C(x[1])
        return x[2]

    return c.mul(swap()) + c.v ** 2


g = sg.grad(f)
for x in (np.array([0.5, -0.3, 1.2]), np.array([0.6, -0.3, 1.2]), np.array([1.5, -0.3, 1.2])):
    got = g(x)
    want = np.array([(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(3)])
    assert np.allclose(got, want, atol=1e-6), f"at {x}: got {got}, right {want}"
