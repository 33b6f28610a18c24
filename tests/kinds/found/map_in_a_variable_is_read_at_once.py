"""map() kept in a variable computes an item when the loop gets there; generated code computes all where map stands."""
import numpy as np

import sourcegrad as sg


def f(x):
    def noisy(v):
        return v * np.random.normal()

    items = map(noisy, x)
    t = np.random.normal()
    for v in items:
        t += v * np.random.normal()
    return t * t


x = np.array([0.5, -0.3, 1.2])
g = sg.grad(f)
np.random.seed(1); got = g(x)
want = np.zeros(3)
for i in range(3):
    e = np.zeros(3); e[i] = 1e-6
    np.random.seed(1); up = f(x + e)
    np.random.seed(1); down = f(x - e)
    want[i] = (up - down) / 2e-6
assert np.allclose(got, want, atol=1e-6), f"got {got}, right {want}"
