"""Classes that the tests of objects work with."""
from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np


class Layer:
    def __init__(self, w, b, name="layer"):
        self.w, self.b, self.name = w, b, name
        self.width = len(b)

    def __call__(self, x):
        return np.tanh(self.w @ x + self.b)


class Model:
    def __init__(self, layers, scale=1.5):
        self.layers = layers
        self.scale = scale
        self.options = {"rate": 0.5, "verbose": False}

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x * self.scale

    def loss(self, x, y):
        return np.sum((self.forward(x) - y) ** 2) * self.options["rate"]


@dataclasses.dataclass
class Params:
    w: np.ndarray
    b: float
    steps: int = 3
    name: str = "params"


@dataclasses.dataclass(frozen=True)
class Frozen:
    inner: Params
    rate: float


class State(NamedTuple):
    position: np.ndarray
    mass: float
    label: str = "s"


def model():
    rng = np.random.default_rng(7)
    return Model([Layer(rng.normal(size=(3, 3)), rng.normal(size=3)) for _ in range(2)])
