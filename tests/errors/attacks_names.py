"""Attacks on names: collisions with generated names, shadowed builtins and modules."""
import math
from math import pi as π

import numpy
import numpy as N
import numpy as np
from numpy import *  # noqa: F403
from numpy import linalg as la, sin as cos

from tests.errors.attack import Corpus

ATTACKS = Corpus()
attack = ATTACKS.add

V = np.array([0.3, -0.8, 1.1])


def adjoint_names(x):
    x_bar = x * x
    x_bar_2 = x_bar * x
    y = x_bar_2 * x_bar
    y_bar = y * x
    return y_bar * x_bar


attack(adjoint_names, 0.7)


def tape_names(x, n):
    x_tape = []
    x_saved = x
    for step in range(n):
        x_tape.append(x)
        x = x * x_saved * (step + 1)
        trips = x
    return sum(x_tape) * trips


attack(tape_names, 0.7, 3)


def helper_names(x):
    unbroadcast, index_add, item_at, add, sequence, guard = x, x * x, 2.0, x * 3.0, 1.0, 2.0
    zeros_like = x[1] * x[2]
    return (unbroadcast[0] * index_add * item_at + add).sum() * sequence * guard * zeros_like


attack(helper_names, V)


def rule_names(x, ct, out):
    scaled = ct * x / out
    value, part, parts, result, where = scaled * x, x * ct, out, 2.0, 3.0
    return value * part * parts * result * where


attack(rule_names, 0.7, 1.3, 0.4, inputs=("x", "ct", "out"))


def np_is_a_parameter(np):
    return np * np


attack(np_is_a_parameter, 0.7)


def np_is_a_local(x):
    np = numpy.sin(x)
    return (np * numpy.broadcast_to(x, (2, 3))).sum()


attack(np_is_a_local, V)


def math_is_a_local(x):
    math = x * 2.0  # noqa: F811
    return cos(math) * π


attack(math_is_a_local, 0.7)


def builtins_are_local(x):
    range, len, sum, list, float, slice, tuple = 2.0, 3.0, x * x, x, 1.0, 2.0, 3.0
    return range * len * sum * list * float * slice * tuple


attack(builtins_are_local, 0.7)


def range_is_a_parameter(x, range):
    total = 0.0
    while range > 0:
        range -= 1
        total += x * x
    return total


attack(range_is_a_parameter, 0.7, 3)


def len_is_a_loop_variable(x):
    total = x[0]
    for len in (1, 2):
        for v in x:
            total = total * v + len
    return total


attack(len_is_a_loop_variable, V)


def parameters_named_by_python(self, cls, _, __):
    return self * cls * _ * __


attack(parameters_named_by_python, 0.7, 2.0, 3.0, 1.5, inputs=("self", "_"))


def grad_outputs_is_a_parameter(x, grad_outputs):
    return x * grad_outputs


attack(grad_outputs_is_a_parameter, 0.7, 2.0)


def function_and_variable(x):
    function_and_variable = x * x
    return function_and_variable * x


attack(function_and_variable, 0.7)


def generated_function_names(x):
    generated_function_names_grad = x * x
    lambda_ = generated_function_names_grad * x
    return lambda_ * generated_function_names_grad


attack(generated_function_names, 0.7)


def alias_of_numpy(x):
    return (N.sin(x) * numpy.cos(x)).sum()


attack(alias_of_numpy, V)


def misleading_name(x):
    return (cos(x)).sum()


attack(misleading_name, V)


def star_imported(x):
    return exp(x).sum() * maximum(x, 0.0).sum() + abs(x).sum()  # noqa: F405


attack(star_imported, V)


def star_imported_sum(x):
    return sum(x * x) * max(x)


attack(star_imported_sum, V)


def unicode_names(λ, Δt=0.5):
    μ = λ * Δt
    ﬁ = μ * λ
    return ﬁ * fi


fi = 2.0
attack(unicode_names, 0.7)


def double_underscore(__x):
    __y = __x * __x
    return __y * __x


attack(double_underscore, 0.7)

step = 3.0
value = 2.0


def globals_named_as_temporaries(x):
    for _ in range(2):
        x = x * step + value * x
    return x


attack(globals_named_as_temporaries, 0.7)


def index_add(a, b):
    return a * b * 3.0


def zeros_like(a):
    return a * 7.0


def globals_named_as_helpers(x):
    return index_add(x[0], x[1]) * zeros_like(x[2]) + x[0]


attack(globals_named_as_helpers, V)
