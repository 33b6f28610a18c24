"""A generator that is a method (or recursive, or yields in try, or __iter__, __getitem__) is read to its end before the loop:
its random draws come before those of the body. Silent (functions that draw from np.random are not compared with the function)."""
import numpy as np

import sourcegrad as sg


class Noise:
    def __init__(self, x):
        self.x = x

    def run(self):
        for v in self.x:
            yield v * np.random.normal()


def f(x):
    t = 0.0
    for v in Noise(x).run():
        t += v * np.random.normal()
    return t


x = np.array([0.5, -0.3, 1.2])
np.random.seed(1); got = sg.grad(f)(x)
want = np.zeros(3)
for i in range(3):
    e = np.zeros(3); e[i] = 1e-6
    np.random.seed(1); up = f(x + e)
    np.random.seed(1); down = f(x - e)
    want[i] = (up - down) / 2e-6
assert np.allclose(got, want, atol=1e-6), f"got {got}, right {want}"
