"""Methods that an object made inside the differentiated function keeps in an attribute of its own."""
from __future__ import annotations

import copy

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api.check_grad import check_grad
from sourcegrad.errors import UnsupportedError


class Layer:
    def __init__(self, w, activation):
        self.w = w
        self.total = 0.0
        self.act = self.tanh if activation == "tanh" else self.sigmoid

    def tanh(self, x):
        self.total += self.w * x
        return np.tanh(self.w * x)

    def sigmoid(self, x):
        return self.w / (1.0 + np.exp(-x))

    def __call__(self, x):
        return self.act(x)


class Listener:
    def __init__(self, source):
        self.callback = source.tanh


def called(w, x):
    layer = Layer(w, "tanh")
    first = layer(x) + layer.act(2.0 * x)
    layer.w = 3.0 * w
    other = copy.deepcopy(layer)
    other.w = 0.5 * w
    return first * layer.act(x) + layer.total + other.act(x) + Layer(w, "none").act(x)


def through_another(w, x):
    layer = Layer(w, "tanh")
    listener = Listener(layer)
    layer.w = w * w
    return listener.callback(x) + layer.total


@pytest.mark.parametrize("function", [called, through_another])
@pytest.mark.parametrize("order", [1, 2])
def test_derivatives(function, order: int) -> None:
    check_grad(function, 0.7, 0.4, inputs=("w", "x") if order == 1 else "w", order=order)


def copied(w, x):
    layer = copy.copy(Layer(w, "tanh"))
    layer.w = 3.0 * w
    return layer.act(x)


def chosen(w, x, n):
    return [Layer(w, "tanh"), 3.0][n].act(x)


@pytest.mark.parametrize("function, more, message", [(copied, (), "copy.deepcopy"), (chosen, (0,), "keep its name")])
def test_refused(function, more: tuple, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message) as caught:
        sg.grad(function)(0.7, 0.4, *more)
    assert caught.value.origin is not None
