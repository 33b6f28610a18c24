"""Rosenbrock's function of two numbers."""


def primal(x, y):
    return (1.0 - x) ** 2 + 100.0 * (y - x ** 2) ** 2


def adjoint(x, y):
    first = 1.0 - x
    second = y - x ** 2
    y_bar = 200.0 * second
    return first ** 2 + 100.0 * second ** 2, (-2.0 * first - 2.0 * x * y_bar, y_bar)


INPUTS = ("x", "y")


def make(size, rng):
    return -0.5, 1.5
