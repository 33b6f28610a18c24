"""y[0] = x[1] * swap(), swap() rebinds y: InternalError (NameError: name 'y_3' is not defined)."""
import numpy as np

import sourcegrad as sg


def f(x):
    y = x * 1.0

    def swap():
        nonlocal y
        y = x * x
        return 2

    y[0] = x[1] * swap()
    return np.sum(y ** 2)


x = np.array([0.5, -0.3, 1.2])
got = sg.grad(f)(x)
want = np.array([(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(3)])
assert np.allclose(got, want, atol=1e-6), f"got {got}, right {want}"
