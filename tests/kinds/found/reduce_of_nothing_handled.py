"""An exception that Python raises for an empty sequence becomes another one in generated code."""
import functools
import operator

import numpy as np

import sourcegrad as sg


def handled(x, k):
    try:
        return functools.reduce(operator.mul, x[:k])
    except TypeError:
        return x[0] * 2


g = sg.value_and_grad(handled, inputs="x")
x = np.array([0.5, 1.5, 2.0])
for k in (3, 3, 0, 1):
    assert np.isclose(g(x, k)[0], handled(x, k)), k
