"""Forms of calls that no other test reaches: beside central differences."""
from __future__ import annotations

import collections
import functools
import itertools

import numpy as np
import pytest

import sourcegrad as sg

X = np.array([1.0, 2.0, 3.0])


def sum_of_lists(x):
    rows = [[x[i], x[i] ** 2] for i in range(3)]
    return np.sum(np.array(sum(rows, [])) ** 2) + np.sum(np.array(sum([[x[0]], [x[1] * x[0]]], [])) ** 3)


def enumerated_cycle(x):
    total = 0.0
    for k, value in enumerate(itertools.cycle([x[0], x[1]])):
        if k > 4:
            break
        total = total + value * value * k
    return total


def cycle_of_an_array(x):
    total = 0.0
    for value in itertools.cycle(x):
        if value > 2.5:
            continue
        total = total + value * value
        if total > 31.5:
            break
    return total


def product_repeated_as_often_as_computed(x):
    total = 0.0
    for a, b, c, d in itertools.product([x[0], x[1]], [x[2]], repeat=len(x) - 1):
        total = total + a * b * c * d
    return total + sum(a * b for a, b in itertools.product(x, repeat=len(x) - 1))


def partial_of_a_partial(x):
    scaled = functools.partial(functools.partial(lambda a, b, c, d=1.0: a * b * c * d, 2.0), 4.0, d=x[0])
    return scaled(x[1])


def asks_for_the_dtype(x):
    return x[0] * (x[1] if np.issubdtype(x.dtype, np.floating) else x[2])


def stores_through_flat(x):
    y = np.zeros((2, 2))
    y.flat[...] = x[0] * x[1]
    return np.sum(y * y * x[2])


def placed_values(x):
    y = np.ones(3)
    np.place(y, y > 0, x * x)
    z = np.zeros(3)
    np.put(z, [0, 1], x[:2] * x[1:])
    return np.sum(y * y) + np.sum(z * z)


def masked_sum_into_an_array(x):
    out = np.zeros(())
    np.sum(x * x, out=out, where=x > 1.5)
    return out * out


def slice_of_repeat(x):
    return sum(v * v for v in itertools.islice(itertools.repeat(x[0] * x[1]), 3))


def pieces_and_the_rest(x):
    return np.sum(np.piecewise(x, [x < 1.5, x > 2.5], [lambda v: v * v, lambda v: -v, lambda v: v ** 3]))


def options_by_position(x):
    return np.std(x, None, None, None, 1) + np.mean(x * x, None, None, None)


@pytest.mark.parametrize("function", [
    sum_of_lists, enumerated_cycle, cycle_of_an_array, product_repeated_as_often_as_computed, partial_of_a_partial,
    asks_for_the_dtype, stores_through_flat, placed_values, masked_sum_into_an_array, slice_of_repeat, pieces_and_the_rest,
    options_by_position], ids=lambda f: f.__name__)
def test_rare_forms(function):
    sg.check_grad(function, X)


def test_a_counter_that_is_handed_in():
    def weighted(x, counts):
        return x * x * counts["a"] + x * counts["b"]

    assert sg.grad(weighted, "x")(2.0, collections.Counter("aab")) == 9.0


def test_lbfgs_finds_a_minimum():
    pytest.importorskip("scipy")
    x = sg.tensor([3.0, -2.0], requires_grad=True)
    y = sg.tensor(1.0, requires_grad=True)
    optimizer = sg.optim.LBFGS([x, y], max_iter=50)

    def closure():
        optimizer.zero_grad()
        loss = ((x - sg.tensor([1.0, 2.0])) ** 2).sum() + (x[0] * y - 2.0) ** 2
        loss.backward()
        return loss

    first = optimizer.step(closure)
    assert float(first) > 20.0
    assert np.allclose(x.detach().numpy(), [1.0, 2.0], atol=1e-3)
    assert abs(float(y) - 2.0) < 1e-3
    with pytest.raises(TypeError, match="closure"):
        optimizer.step()
