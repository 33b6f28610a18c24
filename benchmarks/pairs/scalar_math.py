"""sin(x) * exp(x*y) on Python floats, written with the math module."""
import math


def primal(x, y):
    return math.sin(x) * math.exp(x * y)


def adjoint(x, y):
    sin_x = math.sin(x)
    exp_xy = math.exp(x * y)
    value = sin_x * exp_xy

    # value = sin_x * exp_xy
    xy_bar = value
    x_bar = exp_xy * math.cos(x) + xy_bar * y
    y_bar = xy_bar * x
    return value, (x_bar, y_bar)


INPUTS = ("x", "y")


def make(size, rng):
    return 0.7, -0.4
