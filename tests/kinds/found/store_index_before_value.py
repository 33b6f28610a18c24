"""y[i()] = v(): Python evaluates v() first, generated code i() first. Random numbers of np.random: silently another sample."""
import numpy as np

import sourcegrad as sg


def f(x):
    y = x * 1.0
    y[np.random.randint(3)] = x[0] * np.random.normal()
    return np.sum(y * y)


x = np.array([0.5, -0.3, 1.2])
g = sg.grad(f)
for _ in range(3):
    np.random.seed(1)
    got = g(x)
want = np.zeros(3)
for i in range(3):
    e = np.zeros(3); e[i] = 1e-6
    np.random.seed(1); up = f(x + e)
    np.random.seed(1); down = f(x - e)
    want[i] = (up - down) / 2e-6
assert np.allclose(got, want, atol=1e-6), f"got {got}, right {want}"
