"""A call with **options in a loop: what is known up to there decides the branches after it. Silently wrong."""
import numpy as np

import sourcegrad as sg


def square(x):
    return x * x


def search(func, x, options={}):
    found = False
    for _ in range(3):
        p = func(x, **options)
        if p > 1.0:
            found = True
    return p * 2.0 if found else p * 3.0


def f(x):
    return search(square, x)


value, gradient = sg.value_and_grad(f)(3.0)
assert value == f(3.0) == 18.0 and np.isclose(gradient, 12.0), (value, gradient)


def root(func, x, options={}):
    for _ in range(30):
        step = func(x, **options)
        x = x - step
        if abs(step) < 1e-12:
            return x
    raise ValueError("no root")


def g(a):
    return root(lambda x: (x * x - a) / (2.0 * x), 1.5)


assert np.isclose(sg.grad(g)(2.0), 0.5 / np.sqrt(2.0)), sg.grad(g)(2.0)
