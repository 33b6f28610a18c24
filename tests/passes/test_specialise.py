"""specialise: calls, branches and operators are what they are for the kinds of the arguments."""
import functools

import numpy as np

from tests.passes.becomes import Within

X = np.array([0.5, -1.5])
CASES = Within("specialise")


def scaled(x, factor=2.0, power=1):
    return factor * x ** power


class Vector:
    def __init__(self, x):
        self.x = x

    def __mul__(self, other):
        return Vector(self.x * other)

    @property
    def double(self):
        return 2.0 * self.x

    def halved(self):
        return 0.5 * self.x


@CASES.becomes("""
    cond = x.ndim == 1
    y = np.sum(x)
    cond_2 = isinstance(x, list)
    return y
""", x=X)
def branches_that_are_decided(x):
    if x.ndim == 1:
        y = np.sum(x)
    else:
        y = np.sum(x[0])
    if isinstance(x, list):
        y = y * 2.0
    return y


@CASES.becomes("""
    arguments = x, 3.0
    arg = arguments[0]
    arg_2 = arguments[1]
    scaled_2 = scaled(arg, arg_2)
    partial_scaled = partial_closure(2)
    captured = partial_scaled[0]
    value_x = scaled(x, power=captured)
    value = scaled_2 * value_x
    return value
""", x=2.0)
def what_a_call_does_not_say(x):
    arguments = x, 3.0
    return scaled(*arguments) * functools.partial(scaled, power=2)(x)


@CASES.becomes("""
    Vector_x = Vector(x)
    vector = mul(Vector_x, x)
    vector_double = double(vector)
    halved_vector = halved(vector)
    value = vector_double * halved_vector
    return value
""", x=2.0)
def methods_properties_and_operators(x):
    vector = Vector(x) * x
    return vector.double * vector.halved()


@CASES.stays(x=2.0, n=2)
def plain_arithmetic(x, n):
    y = x
    for _ in range(n):
        y = np.sin(y) * x
    return y


@CASES.stays(x=2.0, flag=0)
def a_branch_that_the_values_decide(x, flag):
    if x > flag:
        y = x * x
    else:
        y = x
    return y


test_specialise = CASES.check()
