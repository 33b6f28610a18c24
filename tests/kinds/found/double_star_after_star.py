"""g(*[a, b], **{"c": c}) is refused: "got multiple values for argument 'c'"."""
import numpy as np

import sourcegrad as sg


def g(a, b, c):
    return a + 2.0 * b + 3.0 * c


def f(x):
    return g(*[x[0], x[1]], **{"c": x[2]})


assert np.allclose(sg.grad(f)(np.ones(3)), [1.0, 2.0, 3.0])
