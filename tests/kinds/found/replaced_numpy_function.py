"""np.sum replaced (as unittest.mock does) after a first gradient: value of the new one, adjoint of the old one, silently."""
import numpy as np

import sourcegrad as sg


def f(x):
    return np.sum(x ** 2) * 1.0


x = np.array([0.5, -0.3, 1.2])
g = sg.value_and_grad(f)
g(x), g(x)
old = np.sum
np.sum = np.prod
try:
    try:
        value, got = g(x)
    except sg.SourcegradError:
        raise SystemExit(0)
    want = np.array([(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(3)])
finally:
    np.sum = old
assert np.allclose(got, want, atol=1e-6), f"got {got}, right {want} (value {value})"
