"""A neural ODE: a vector field given by a small network, integrated by a fixed-step solver chosen by name."""
from collections import namedtuple
from functools import partial

import numpy as np

from tests.programs.real.record import Real

Layer = namedtuple("Layer", "weight bias activation")
Layer.__new__.__defaults__ = ("tanh",)


def softplus(x):
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


ACTIVATIONS = {"tanh": np.tanh, "softplus": softplus, "identity": lambda x: x, None: lambda x: x}


def init_network(sizes, seed=0, scale=0.5):
    rng = np.random.default_rng(seed)
    layers = []
    for i, (m, n) in enumerate(zip(sizes[:-1], sizes[1:])):
        activation = None if i == len(sizes) - 2 else ["softplus", "tanh"][i % 2]
        layers.append(Layer(scale * rng.standard_normal((m, n)), 0.1 * np.ones(n), activation))
    return layers


def vector_field(t, y, params):
    h = np.append(y, np.sin(t))
    for weight, bias, activation in params:
        h = ACTIVATIONS[activation](h @ weight + bias)
    return h


def euler_step(f, t, y, h):
    return y + h * f(t, y)


def rk4_step(f, t, y, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def heun_step(f, t, y, h):
    k1 = f(t, y)
    return y + h / 2 * (k1 + f(t + h, y + h * k1))


STEPPERS = dict(euler=euler_step, rk4=rk4_step, heun=heun_step)


def odeint(func, y0, t, *, method="rk4", substeps=2, options=None):
    """Solution at the times t, shape (len(t), len(y0))."""
    options = {} if options is None else options
    step = STEPPERS[options.get("method", method)]
    solution = np.empty((len(t),) + y0.shape)
    solution[0] = y = y0
    for i in range(len(t) - 1):
        h = (t[i + 1] - t[i]) / substeps
        for j in range(substeps):
            y = step(func, t[i] + j * h, y, h)
        solution[i + 1] = y
    return solution


class Trainer:
    """Holds the data and counts its calls."""

    def __init__(self, times, data, method="rk4", weight_decay=1e-3):
        self.times = times
        self.data = data
        self.solver = partial(odeint, method=method)
        self.weight_decay = weight_decay
        self.calls = 0
        self.best = None

    def regulariser(self, params):
        return sum(np.sum(layer.weight ** 2) for layer in params) * self.weight_decay

    def __call__(self, params, y0):
        self.calls += 1
        predicted = self.solver(partial(vector_field, params=params), y0, self.times)
        loss = np.mean((predicted - self.data) ** 2) + self.regulariser(params)
        if self.best is None or loss < self.best:
            self.best = loss
        return loss


def training_loss(params, y0, times, data, method="rk4"):
    trainer = Trainer(times, data, method=method)
    loss = trainer(params, y0)
    assert trainer.calls == 1 and trainer.best is not None
    return loss


TIMES = np.array([0.0, 0.3, 0.7, 1.0])
DATA = np.array([[0.5, -0.3], [0.6, -0.1], [0.4, 0.2], [0.1, 0.3]])

PROGRAM = [
    Real(training_loss, (init_network([3, 3, 2]), np.array([0.5, -0.3]), TIMES, DATA), inputs=("params", "y0", "times")),
    Real(training_loss, (init_network([3, 2, 2, 2]), np.array([0.5, -0.3]), TIMES, DATA, "heun"), inputs="params"),
]
