"""Functions as values: kept in tables, told apart by truth, by `is`, `==`, `in`, by what a dict holds for them."""
from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import sourcegrad as sg
from tests.kinds.outcomes import outcome

X = np.array([0.4, 0.3, 0.2, 0.1])


def square(v):
    return v * v


def scaled(a, v):
    return a * v


class Gain:
    def __init__(self, gain):
        self.gain = gain

    def apply(self, v):
        return self.gain * v


def truth_of_a_lambda(x):
    table, s = {"sq": lambda v: v * v, "ex": np.exp, "id": None}, 0.0
    for name, v in zip(["sq", "ex", "id", "sq"], x):
        f = table[name]
        s += f(v) if f else v
    return s


def truth_of_what_get_finds(x):
    table, s = {"sq": lambda v: v * v, "ex": np.exp}, 0.0
    for name, v in zip(["sq", "ex", "id", "sq"], x):
        f = table.get(name)
        s += f(v) if f is not None and f else v
    return s


def or_another(x):
    table, s = {"f": lambda v: v * v, "n": None, "e": np.exp}, 0.0
    for name, v in zip("fnef", x):
        f = table[name] or (lambda v: 3 * v)
        s += f(v)
    return s


def of_all_sorts(x):
    c = x[0]
    table, s = {"p": partial(scaled, c), "n": None, "l": lambda v: c * v * v, "e": np.exp}, 0.0
    for name, v in zip("pnle", x):
        f = table[name]
        s += (f(v) if callable(f) else 2 * v) * (1.5 if f else 1.0)
    return s


def bound_method(x):
    gain = Gain(x[1])
    table, s = {"g": gain.apply, "n": None, "e": np.exp}, 0.0
    for name, v in zip("gneg", x):
        f = table[name]
        s += f(v) if f else v * 3
    return s


def method_by_its_name(x):
    gain, s = Gain(x[1]), 0.0
    table = {"g": gain.apply, "e": np.exp}
    for name, v in zip("geg", x):
        s += table[name](v)
    return s


def methods_of_two_in_a_list(x):
    one, other, s = Gain(x[1]), Gain(x[2] * x[0]), 0.0
    steps = [one.apply, square, other.apply]
    for k, v in zip((2, 0, 1, 2), x):
        s = s * 0.5 + steps[k](v)
    return s


def inner_function_of_an_object(x):
    gain, s = Gain(x[1]), 0.0
    kept = [gain]

    def act(v):
        return v * gain.gain

    table = {"a": act, "e": np.exp}
    for name, v in zip("aea", x):
        s += table[name](v)
    return s * kept[0].gain


def weights_by_function(x):
    def cube(v):
        return v * v * v

    weights, s = {square: 2.0, cube: 5.0, np.sin: 3.0}, 0.0
    for f, v in zip([square, np.sin, cube, square], x):
        s += f(v) * weights[f]
    return s


def told_apart_outside(x):
    s = 0.0
    for f, v in zip([square, np.sin, np.exp, square], x):
        s += f(v) * (2.0 if f is square else 3.0 if f == np.sin else 5.0)
    return s


def known_to_differ(x):
    def cube(v):
        return v * v * v

    def twice(v):
        return 2 * v

    return cube(x[0]) * (2.0 if cube is twice else 3.0) + twice(x[1]) * (7.0 if twice == np.sin else 5.0)


RIGHT = [truth_of_a_lambda, truth_of_what_get_finds, or_another, of_all_sorts, bound_method, method_by_its_name,
         methods_of_two_in_a_list, inner_function_of_an_object, weights_by_function, told_apart_outside, known_to_differ]


def is_the_lambda(x):
    a, b, s = lambda v: v * v, lambda v: v ** 3, 0.0
    for f, v in zip([a, b, np.sin, a], x):
        s += f(v) * (2.0 if f is a else 3.0)
    return s


def equals_the_lambda(x):
    a, b, s = lambda v: v * v, lambda v: v ** 3, 0.0
    for f, v in zip([a, b, np.sin, a], x):
        s += f(v) * (2.0 if f == a else 3.0 if f != b else 7.0)
    return s


def among_functions(x):
    a, b, s = lambda v: v * v, lambda v: v ** 3, 0.0
    for f, v in zip([a, b, np.sin, None], x):
        if f in (a, np.sin):
            s += f(v)
        elif not f:
            s += 5 * v
        else:
            s -= f(v)
    return s


def chosen_by_a_branch(x):
    def a(v):
        return v * x[0]

    def b(v):
        return v + x[1]

    f = a if x[2] > 0 else b
    return f(x[3]) * (2.0 if f is a else 3.0)


def made_twice(x):
    def make():
        return lambda v: v * v

    f, g = make(), make()
    return f(x[0]) * (10.0 if f is g else 1.0) + g(x[1])


REFUSED = [is_the_lambda, equals_the_lambda, among_functions, chosen_by_a_branch, made_twice]


@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_functions_as_values(f):
    assert outcome(f, X) == "right"


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_comparisons_of_inner_functions(f):
    with pytest.raises(sg.UnsupportedError, match="a comparison of a function that is defined inside") as problem:
        sg.grad(f)(X)
    assert "define them outside" in str(problem.value)
